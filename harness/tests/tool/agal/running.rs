//! Running programs.

use std::fs;

use molehill_replay::image::{Image, write_png};

use super::{agal, agal_with, complaint, folder, json, programs, text};

#[test]
fn run_computes() {
    let here = folder("run");
    fs::write(here.join("v.agal"), "m44 op, va0, vc4\nmov v2, vc[va1.x+1]\nmov v0, vc0").unwrap();
    let matrix = "vc4=2,0,0,0/0,3,0,0/0,0,4,0/0,0,0,1";
    let arguments = ["run", "v.agal", "va0=1,-2,0.5", "va1=7", "vc8=8,9", matrix];
    assert_eq!(
        text(&agal(&here, &arguments), 0),
        "op = 2, -6, 2, 1\nv0 = 0, 0, 0, 0\nv2 = 8, 9, 0, 1\n"
    );
    // Four invocations, and a derivative between them.
    let source = b"// version: 2\nddx ft0, v0\nddy ft0.y, v0\nsub ft1.x, fc0.x, v0.x\nkil ft1.x\nmov oc, ft0\nmov od.x, fc1.x";
    let arguments = ["run", "-", "v0=0,0/4,0/0,16/4,16", "fc0=1", "fc1=nan"];
    assert_eq!(
        text(&agal_with(&here, &arguments, source), 0),
        "oc = 4, 16, 0, 0\nod = NaN\ndiscarded: 1, 3\n"
    );
    let printed = json(&agal_with(&here, &[&arguments[..], &["--json"]].concat(), source), 0);
    assert_eq!(printed["registers"]["oc"][3], serde_json::json!([4.0, 16.0, 0.0, 0.0]));
    assert_eq!(printed["registers"]["od"][0], serde_json::json!(["NaN"]));
    assert_eq!(printed["discarded"], serde_json::json!([false, true, false, true]));
    let instances = agal_with(&here, &["run", "-", "iid=0/1/2/3"], b"// version: 3\nmov op, iid.x");
    assert!(text(&instances, 0).contains("op[2] = 2, 2, 2, 2\n"));
    let pair = programs().join("kill.agal");
    let pair = pair.to_str().unwrap();
    text(&agal(&here, &["run", pair, "--stage", "vertex"]), 0);
    let refused = complaint(&agal_with(&here, &["run", "-"], b"mov oc, ft0"), 1);
    assert!(refused.contains("Error #3647"), "{refused}");
}

/// The fragment program of a pair gets the vertex program's output, by invocation.
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
    let one = agal(&here, &[&["run", "p.agal"], &values[..]].concat());
    assert_eq!(text(&one, 0), expected);
    // The same as two files of bytecode, in any order.
    text(&agal(&here, &["asm", "p.agal", "-o", "made"]), 0);
    let files = ["run", "made/p.fsh.agal", "made/p.vsh.agal"];
    let two = agal(&here, &[&files, &values[..]].concat());
    assert_eq!(text(&two, 0), expected);
    let printed = json(&agal(&here, &["run", "p.agal", "--json", "--trace"]), 0);
    assert_eq!(printed["programs"][0]["stage"], "vertex");
    assert_eq!(printed["programs"][1]["trace"][0]["register"], "ft0");
    let printed = complaint(&agal(&here, &["run", "p.agal", "v1=1"]), 2);
    assert!(printed.contains("the vertex program writes"), "{printed}");
    let printed = complaint(&agal(&here, &["run", "made/p.vsh.agal", "made/p.vsh.agal"]), 2);
    assert!(printed.contains("not a pair"), "{printed}");
    fs::write(here.join("bad.agal"), "// vertex\nmov op, va0\n// fragment\nmov oc, v0\n").unwrap();
    let printed = complaint(&agal(&here, &["run", "bad.agal"]), 1);
    assert!(printed.contains("Error #"), "{printed}");
}

#[test]
fn run_reads_textures() {
    let here = folder("textures");
    let source = b"tex ft0, v0, fs3 <2d,nearest,clamp,mipnone>\nmov oc, ft0";
    let constant = agal_with(&here, &["run", "-", "fs3=0.25,0.5,0.75"], source);
    assert_eq!(text(&constant, 0), "oc = 0.25, 0.5, 0.75, 1\n");
    let rgba = vec![255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 0, 0, 0, 0];
    write_png(&here.join("a.png"), &Image::from_rgba(2, 2, rgba).unwrap()).unwrap();
    let place = "v0=0.25,0.25/0.75,0.25/0.25,0.75/0.75,0.75";
    let picture = agal_with(&here, &["run", "-", "fs3=a.png", place], source);
    assert_eq!(
        text(&picture, 0),
        "oc[0] = 1, 0, 0, 1\noc[1] = 0, 1, 0, 1\noc[2] = 0, 0, 1, 1\noc[3] = 0, 0, 0, 0\n"
    );
    let cube = b"tex ft0, v0, fs0 <cube,nearest,clamp,mipnone>\nmov oc, ft0";
    let sides = [[10, 0], [20, 0], [30, 0], [40, 0], [50, 0], [255, 0]];
    let rgba = sides.iter().flat_map(|[red, rest]| [*red, *rest, *rest, 255]).collect();
    write_png(&here.join("cube.png"), &Image::from_rgba(1, 6, rgba).unwrap()).unwrap();
    let picture = agal_with(&here, &["run", "-", "fs0=cube.png", "v0=0,0,-1"], cube);
    assert_eq!(text(&picture, 0), "oc = 1, 0, 0, 1\n");
    let wrong = agal_with(&here, &["run", "-", "fs0=a.png"], cube);
    assert!(complaint(&wrong, 2).contains("six squares"));
}

#[test]
fn run_traces() {
    let here = folder("trace");
    let source =
        b"// version: 2\nmov ft0, fc0\nifg v0.x, fc0.y\nmov ft0.yz, v0.x\neif\nmov oc, ft0";
    let arguments = ["run", "-", "--trace", "v0=0/1/2/3", "fc0=9,1,0"];
    let printed = text(&agal_with(&here, &arguments, source), 0);
    let expected = "   1  mov ft0, fc0\n        ft0 = 9, 1, 0, 1\n   2  ifg v0.x, fc0.y\n        \
                    in the branch --11, not discarded 1111\n   3  mov ft0.yz, v0.x\n        ft0.yz[0] = 1, 0\n        \
                    ft0.yz[1] = 1, 0\n        ft0.yz[2] = 2, 2\n        ft0.yz[3] = 3, 3\n        \
                    in the branch --11, not discarded 1111\n   4  eif\n";
    assert!(printed.starts_with(expected), "{printed}");
    assert!(printed.ends_with("oc[3] = 9, 3, 3, 1\n"), "{printed}");
    let printed = json(&agal_with(&here, &[&arguments[..], &["--json"]].concat(), source), 0);
    assert_eq!(printed["trace"][2]["register"], "ft0.yz");
    assert_eq!(printed["trace"][2]["value"][2], serde_json::json!([2.0, 2.0]));
}

#[test]
fn run_refuses_what_is_no_value() {
    let here = folder("values");
    for (value, reason) in [
        ("va0=1", "no register"),
        ("v0", "not REGISTER=VALUE"),
        ("v8=1", "AGAL 1 has 8"),
        ("v0=1/2", "2 values"),
        ("v0=x", "not a number"),
        ("fc27=1/2", "28 constants"),
        ("ft0=1", "not an input of"),
        ("oc=1", "not an input of"),
        ("fs0=absent.png", "absent.png"),
    ] {
        let output = agal_with(&here, &["run", "-", value], b"mov oc, v0");
        let printed = complaint(&output, 2);
        assert!(
            printed.starts_with(&format!("molehill: {value}: ")) && printed.contains(reason),
            "{printed}"
        );
    }
}
