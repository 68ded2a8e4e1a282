//! Tests `molehill shader run` on AGAL programs.

use std::fs;

use molehill_replay::image::{RgbaImage, write_png};

use super::{agal, agal_with, complaint, folder, text};

/// Two files with AGAL bytecode are a pair, in any order.
#[test]
fn run_feeds_a_pair() {
    let here = folder("pair");
    let vertex = "mov op, va0\nadd v1, va1, vc0\n";
    let fragment = "mul ft0, v1, fc0\nmov oc, ft0\n";
    fs::write(here.join("p.agal"), format!("// vertex\n{vertex}// fragment\n{fragment}")).unwrap();
    let values = ["va1=0/1/2/3", "vc0=1,1,1,1", "fc0=2,10,10,10"];
    let expected = "op = 0, 0, 0, 0\n\
                    v1[0] = 1, 1, 1, 2\nv1[1] = 2, 1, 1, 2\nv1[2] = 3, 1, 1, 2\nv1[3] = 4, 1, 1, 2\n\
                    oc[0] = 2, 10, 10, 20\noc[1] = 4, 10, 10, 20\noc[2] = 6, 10, 10, 20\noc[3] = 8, 10, 10, 20\n";
    text(&agal(&here, &["asm", "p.agal", "-o", "made"]), 0);
    let files = ["run", "made/p.fsh.agal", "made/p.vsh.agal"];
    let two = agal(&here, &[&files, &values[..]].concat());
    assert_eq!(text(&two, 0), expected);
}

#[test]
fn run_reads_textures() {
    let here = folder("textures");
    let source = b"tex ft0, v0, fs3 <2d,nearest,clamp,mipnone>\nmov oc, ft0";
    let rgba = vec![255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 0, 0, 0, 0];
    write_png(&here.join("a.png"), &RgbaImage::from_rgba(2, 2, rgba).unwrap()).unwrap();
    let place = "v0=0.25,0.25/0.75,0.25/0.25,0.75/0.75,0.75";
    let picture = agal_with(&here, &["run", "-", "fs3=a.png", place], source);
    assert_eq!(
        text(&picture, 0),
        "oc[0] = 1, 0, 0, 1\noc[1] = 0, 1, 0, 1\noc[2] = 0, 0, 1, 1\noc[3] = 0, 0, 0, 0\n"
    );
    let cube = b"tex ft0, v0, fs0 <cube,nearest,clamp,mipnone>\nmov oc, ft0";
    let sides = [[10, 0], [20, 0], [30, 0], [40, 0], [50, 0], [255, 0]];
    let rgba = sides.iter().flat_map(|[red, rest]| [*red, *rest, *rest, 255]).collect();
    write_png(&here.join("cube.png"), &RgbaImage::from_rgba(1, 6, rgba).unwrap()).unwrap();
    let picture = agal_with(&here, &["run", "-", "fs0=cube.png", "v0=0,0,-1"], cube);
    assert_eq!(text(&picture, 0), "oc = 1, 0, 0, 1\n");
    let wrong = agal_with(&here, &["run", "-", "fs0=a.png"], cube);
    assert!(complaint(&wrong, 2).contains("six squares"));
}
