//! Tests assembling and disassembling AGAL.

use std::fs;

use super::{
    VERTEX, VERTEX_HEX, agal, agal_with, complaint, folder, json, programs, text, vertex_hex,
};

#[test]
fn text_becomes_bytes() {
    let here = folder("asm");
    let hex = agal_with(&here, &["asm", "--hex"], VERTEX.as_bytes());
    assert_eq!(text(&hex, 0), vertex_hex() + "\n");
    let raw = agal_with(&here, &["asm"], VERTEX.as_bytes());
    assert_eq!(raw.stdout[..7], [0xa0, 1, 0, 0, 0, 0xa1, 0]);
    fs::write(here.join("a.agal"), VERTEX).unwrap();
    assert_eq!(text(&agal(&here, &["asm", "a.agal", "--out", "a.bin"]), 0), "");
    assert_eq!(fs::read(here.join("a.bin")).unwrap(), raw.stdout);
    let base64 = text(&agal(&here, &["asm", "a.bin", "--base64"]), 0);
    assert!(base64.starts_with("oAEAAAChABgAAAAA"), "{base64}");
    let made = json(&agal(&here, &["asm", "a.agal", "--json"]), 0);
    assert_eq!(made["inputs"][0]["programs"][0]["hex"], vertex_hex());
    assert_eq!(made["inputs"][0]["programs"][0]["tokens"], 2);
    // A pair of programs has two output files.
    let pair = programs().join("kill.agal");
    let pair = pair.to_str().unwrap();
    assert!(complaint(&agal(&here, &["asm", pair]), 2).contains("--out DIR"));
    assert_eq!(text(&agal(&here, &["asm", pair, "--out", "made"]), 0), "");
    for (name, kind) in [("kill.vsh.agal", 0), ("kill.fsh.agal", 1)] {
        assert_eq!(fs::read(here.join("made").join(name)).unwrap()[6], kind);
    }
    let one = agal(&here, &["asm", pair, "--stage", "fragment"]);
    assert_eq!(one.stdout, fs::read(here.join("made/kill.fsh.agal")).unwrap());
    // --agal and --ignore-limits are passed to the assembler.
    let newer =
        agal_with(&here, &["asm", "--stage", "fragment", "--agal", "2", "--hex"], b"ddx ft25, v0");
    assert!(text(&newer, 0).starts_with("a002000000a1011a"));
    let beyond = agal_with(&here, &["asm", "--ignore-limits", "--hex"], b"mov ft1023, v0");
    assert!(text(&beyond, 0).starts_with("a001000000a10100000000ff030f02"));
}

/// With `-o name.bin`, a pair doesn't create a folder of that name. An existing folder may receive one program.
#[test]
fn a_name_of_a_file_is_no_folder() {
    let here = folder("out");
    let pair = programs().join("kill.agal");
    let pair = pair.to_str().unwrap();
    for arguments in [["asm", pair, "-o", "name.bin"], ["glsl", pair, "-o", "name.frag"]] {
        let printed = complaint(&agal(&here, &arguments), 2);
        assert!(printed.contains("2 programs need a folder"), "{printed}");
        assert_eq!(fs::read_dir(&here).unwrap().count(), 0);
    }
    text(&agal(&here, &["asm", pair, "--stage", "vertex", "-o", "name.bin"]), 0);
    text(&agal(&here, &["glsl", pair, "--stage", "fragment", "-o", "name.frag"]), 0);
    assert!(here.join("name.bin").is_file() && here.join("name.frag").is_file());
    text(&agal(&here, &["asm", pair, "-o", "made"]), 0);
    text(&agal(&here, &["asm", "name.bin", "-o", "made"]), 0);
    assert!(here.join("made/name.vsh.agal").is_file());
}

#[test]
fn every_format_is_recognised() {
    let here = folder("formats");
    let raw = agal_with(&here, &["asm"], VERTEX.as_bytes()).stdout;
    let base64 = agal_with(&here, &["asm", "--base64"], VERTEX.as_bytes()).stdout;
    let spaced = VERTEX_HEX.to_uppercase().replace("A0", "0xA0,");
    for input in
        [&raw[..], &base64[..], vertex_hex().as_bytes(), spaced.as_bytes(), VERTEX.as_bytes()]
    {
        assert_eq!(agal_with(&here, &["asm"], input).stdout, raw);
        assert_eq!(agal_with(&here, &["asm", "-"], input).stdout, raw);
    }
    // Force a language for input that would be detected as another language.
    let forced =
        agal_with(&here, &["dis", "--format", "raw", "--language", "agal"], VERTEX.as_bytes());
    assert!(text(&forced, 1).starts_with("// Error #3615: "));
    let forced = agal_with(&here, &["dis", "--format", "hex", "--language", "agal"], b"b001");
    assert!(text(&forced, 1).contains(".header 0xb0 0x01 "));
    // The file's name determines the shader stage if nothing else does.
    for (name, kind) in [("a.vsh.agal", 0), ("a.frag.txt", 1)] {
        fs::write(here.join(name), "sat v0, v1").unwrap();
        let made = agal(&here, &["asm", name]);
        assert_eq!(made.stdout[6], kind, "{made:?}");
    }
}

#[test]
fn disassembly_assembles_to_the_same_bytes() {
    let here = folder("dis");
    let source = programs();
    text(&agal(&here, &["asm", source.to_str().unwrap(), "--out", "made"]), 0);
    let mut count = 0;
    for entry in fs::read_dir(here.join("made")).unwrap() {
        let path = entry.unwrap().path();
        let path = path.to_str().unwrap();
        for arguments in [&["dis", path][..], &["dis", "--numbers", path]] {
            let listing = text(&agal(&here, arguments), 0);
            let back = agal_with(&here, &["asm"], listing.as_bytes());
            assert_eq!(back.stdout, fs::read(path).unwrap(), "{listing}");
        }
        count += 1;
    }
    assert_eq!(count, 2 * fs::read_dir(source).unwrap().count());
    // The disassembly of two programs of a pair is the pair's source.
    let listing = text(&agal(&here, &["dis", "made/kill.fsh.agal", "made/kill.vsh.agal"]), 0);
    let back = text(&agal_with(&here, &["check"], listing.as_bytes()), 0);
    assert!(back.ends_with("linked: accepted\n"), "{back}");
    let shown = json(&agal(&here, &["dis", "made/kill.vsh.agal", "--numbers", "--json"]), 0);
    let program = &shown["inputs"][0]["programs"][0];
    assert_eq!((&program["stage"], &program["lossless"]), (&"vertex".into(), &true.into()));
    assert_eq!(program["list"][0]["token"], 1);
    assert!(program["listing"].as_str().unwrap().starts_with("// version: 1\n// vertex\n"));
}

#[test]
fn junk_is_disassembled_with_its_fault() {
    let here = folder("junk");
    let mut bytes = agal_with(&here, &["asm"], VERTEX.as_bytes()).stdout;
    bytes[31] = 0xff;
    bytes.truncate(bytes.len() - 1);
    // An incomplete token at the end isn't an error [agal.program.trailing].
    let listing = text(&agal_with(&here, &["dis"], &bytes), 0);
    assert!(listing.contains("\nm44 op, va0, vc0\n.bytes 0xff 0x00 "), "{listing}");
    assert_eq!(agal_with(&here, &["asm"], listing.as_bytes()).stdout, bytes);
    bytes.push(0);
    let listing = text(&agal_with(&here, &["dis"], &bytes), 1);
    assert!(listing.contains(" // (unknown opcode 0xff)\n// ^ Error #3620: "), "{listing}");
    assert_eq!(agal_with(&here, &["asm"], listing.as_bytes()).stdout, bytes);
    let listing = text(&agal_with(&here, &["dis", "--language", "agal"], b"\0junk"), 1);
    assert!(listing.contains("\n.header 0x00 0x6a 0x75 0x6e 0x6b "), "{listing}");
    let back = complaint(&agal_with(&here, &["asm"], listing.as_bytes()), 1);
    assert!(back.contains("had no AGAL header"), "{back}");
}
