//! Tests `convert` between the file formats of a capture.

use std::fs;

use super::*;

/// Returns the demo as JSON Lines.
fn demo() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("captures/knot.s3d.jsonl");
    path.to_string_lossy().into_owned()
}

#[test]
fn a_capture_goes_there_and_back() {
    let folder = folder("a_capture_goes_there_and_back");
    let original = fs::read(demo()).unwrap();
    for chain in [
        &["a.s3d", "b.s3d.jsonl"][..],
        &["c.s3d.jsonl.zst", "d.s3d", "e.s3d.zst", "f.s3d", "f.s3d", "g.s3d.jsonl"],
    ] {
        let mut from = demo();
        for to in chain {
            let output = run(&folder, &["convert", &from, "-o", to]);
            assert!(output.status.success(), "{to}: {}", stderr(&output));
            assert!(stdout(&output).starts_with(&format!("{to}: ")), "{}", stdout(&output));
            from = (*to).to_owned();
        }
        assert!(fs::read(folder.join(&from)).unwrap() == original, "{from}");
    }
    let binary = fs::read(folder.join("a.s3d")).unwrap();
    assert!(binary == fs::read(folder.join("d.s3d")).unwrap() && binary.len() * 2 < original.len());
    let to_stdout = run(&folder, &["convert", "a.s3d", "-o", "-"]);
    assert!(to_stdout.status.success() && to_stdout.stdout == original);

    // Captures in both file formats have the same images, compared by hashes.
    let hash = |capture: &str, more: &[&str]| {
        let arguments =
            [&["replay", capture, "--hash", "-f", "0,2", "--backend", "reference"], more].concat();
        let output = run(&folder, &arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let hashes = hash("a.s3d", &[]);
    assert_eq!(hash(&demo(), &[]), hashes);
    let lines: Vec<Vec<&str>> =
        hashes.lines().map(|line| line.split_whitespace().collect()).collect();
    let [first, third] = lines.as_slice() else { panic!("{hashes}") };
    assert_eq!((&first[..2], &third[..2]), (&["frame", "0"][..], &["frame", "2"][..]));
    assert!(first[2].len() == 16 && first[2] != third[2], "{hashes}");
    let json: serde_json::Value = serde_json::from_str(&hash("a.s3d", &["--json"])).unwrap();
    assert_eq!(json["hashes"][1]["hash"], third[2]);

    let info = |capture: &str| stdout(&run(&folder, &["info", capture]));
    assert_eq!(info("a.s3d"), info(&demo()));
}

#[test]
fn what_is_before_damage_is_converted() {
    let folder = folder("what_is_before_damage_is_converted");
    fs::write(folder.join("bad.s3d.jsonl"), capture(3, "nonsense")).unwrap();
    let output = run(&folder, &["convert", "bad.s3d.jsonl", "-o", "good.s3d", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("bad.s3d.jsonl:8: call 4: invalid JSON"),
        "{}",
        stderr(&output)
    );
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&json["records"], &json["frames"]), (&6.into(), &3.into()));
    assert!(
        json["bytes"].as_u64() == fs::metadata(folder.join("good.s3d")).map(|file| file.len()).ok()
    );
    // A truncated binary capture is repaired.
    let whole = fs::read(folder.join("good.s3d")).unwrap();
    let cut = whole.windows(4).rposition(|window| window == b"S3Db").unwrap();
    fs::write(folder.join("cut.s3d"), &whole[..cut]).unwrap();
    let output = run(&folder, &["convert", "cut.s3d", "-o", "cut.s3d"]);
    assert_eq!(output.status.code(), Some(2));
    let printed = format!("cut.s3d:8: call 4: block at byte {cut}: the capture is cut off");
    assert!(stderr(&output).contains(&printed), "{}", stderr(&output));
    assert!(fs::read(folder.join("cut.s3d")).unwrap() == whole);
    // The output folder doesn't exist, or the disk is full.
    for (out, printed) in [("no/where.s3d", "No such file"), ("/dev/full", "No space left")] {
        let output = run(&folder, &["convert", "good.s3d", "-o", out]);
        assert_eq!(output.status.code(), Some(2), "{out}");
        assert!(stderr(&output).contains(printed), "{}", stderr(&output));
    }
}

/// The conversion to SWF reports damage and calls that ActionScript can't make, and converts all other calls.
#[test]
fn a_capture_becomes_an_swf_file() {
    let folder = folder("a_capture_becomes_an_swf_file");
    let output = run(&folder, &["convert", &demo(), "-o", "knot.SWF", "--pictures"]);
    assert!(output.status.success() && stderr(&output).is_empty(), "{}", stderr(&output));
    assert!(stdout(&output).ends_with("; should print knot.txt\n"), "{}", stdout(&output));
    let swf = fs::read(folder.join("knot.SWF")).unwrap();
    assert!(swf.starts_with(b"CWS") && molehill_swf::check(&swf).unwrap() > 10);
    let expected = fs::read_to_string(folder.join("knot.txt")).unwrap();
    assert!(expected.starts_with("molehill frame 0\nmolehill frame 1\n"), "{expected}");
    assert!(expected.ends_with("molehill end\n"), "{expected}");

    let raw = r#"{"call":"requestContext3D","on":1,"stage3DIndex":0,"result":2}
{"call":"createTexture","on":2,"width":4,"height":4,"format":"compressed","optimizeForRenderToTexture":false,"streamingLevels":0,"result":3}
{"call":"uploadBlocks","on":3,"dataB64":"AAAAAAAAAAA=","format":"dxt1","miplevel":0}
nonsense"#;
    fs::write(folder.join("bad.s3d.jsonl"), capture(1, raw)).unwrap();
    let output = run(&folder, &["convert", "bad.s3d.jsonl", "-o", "bad.swf", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let told = stderr(&output);
    assert!(told.contains("bad.s3d.jsonl:6: left out: uploadBlocks: not a method in"), "{told}");
    assert!(told.contains("invalid JSON"), "{told}");
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&json["calls"], &json["leftOut"][0][0]), (&3.into(), &6.into()));
    let output = run(&folder, &["convert", "bad.s3d.jsonl", "-o", "x.s3d", "--pictures"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("ends in .swf"), "{}", stderr(&output));
}

/// The text file next to an SWF file replaces only an earlier file with expected output.
#[test]
fn a_text_that_another_program_wrote_is_kept() {
    let folder = folder("text_beside_an_swf_file");
    fs::write(folder.join("c"), capture(2, "")).unwrap();
    let convert = |capture: &str| run(&folder, &["convert", capture, "-o", "game.swf"]);
    let text = folder.join("game.txt");
    let log = "molehill frame 0\nmolehill picture 3 1x1 fnv1a 7 pixels 1\nmolehill end\n";
    for other in ["shopping\n", "", "molehill frame 0\n", log, &capture(1, "")] {
        fs::write(&text, other).unwrap();
        let output = convert("c");
        assert_eq!(output.status.code(), Some(2), "{other:?}");
        assert!(
            stderr(&output).contains("game.txt: the expected output of the SWF file would replace")
        );
        assert!(fs::read_to_string(&text).unwrap() == other && !folder.join("game.swf").exists());
    }
    // The text file with the expected output would replace the input itself.
    let output = convert("game.txt");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    fs::remove_file(&text).unwrap();
    for _ in 0..2 {
        assert_eq!(convert("c").status.code(), Some(0));
        assert!(fs::read_to_string(&text).unwrap().ends_with("molehill end\n"));
    }
}

/// A folder with a capture stands for this capture, in every argument.
#[test]
fn a_folder_with_a_capture_is_a_capture() {
    let folder = folder("folders");
    for (name, frames) in [("a", 2), ("b", 2), ("c", 3)] {
        fs::create_dir(folder.join(name)).unwrap();
        fs::write(folder.join(name).join("capture.s3d.jsonl"), capture(frames, "")).unwrap();
    }
    for (arguments, status) in [
        (&["diff", "a", "b"][..], 0),
        (&["diff", "a/capture.s3d.jsonl", "b"], 0),
        (&["diff", "a", "b/capture.s3d.jsonl"], 0),
        (&["diff", "a", "c"], 1),
        (&["diff", "a", "."], 2),
        (&["atf", "a"], 0),
        (&["atf", "."], 0),
    ] {
        let output = run(&folder, arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", stderr(&output));
        assert!(!stderr(&output).contains("Is a directory"), "{arguments:?}");
    }
}
