//! Tests `molehill atf`, and ATF uploads in `molehill info` and `molehill replay`.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use atf::{AtfFormat, LevelEncoding};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use molehill_replay::image::{RgbaImage, read_png, write_png};
use molehill_testing::atf_files::{AtfSample, AtfSpec, samples};
use serde_json::Value;

use super::{HEADER, folder, molehill, pictures, run, stderr, stdout};

fn sample(format: AtfFormat, encoding: LevelEncoding, version: u8, cube: bool) -> AtfSample {
    let file = AtfSpec { version, format, cube, log: (4, 4), count: 5, flags: 0 };
    AtfSample::new(file, encoding).unwrap()
}

/// Checks that an image matches the sample's face and mip level.
fn check_picture(path: &Path, sample: &AtfSample, face: u8, level: u8) {
    let image = read_png(path).unwrap();
    assert_eq!((image.width(), image.height()), sample.file().size(level));
    let texels = image.rgba().as_chunks::<4>().0;
    let expected = sample.expected(face, level);
    assert_eq!(texels.len(), expected.len());
    for (texel, expected) in texels.iter().zip(expected) {
        let mut pairs = texel.iter().zip(expected);
        let tolerance = sample.tolerance();
        assert!(
            pairs.all(|(a, b)| a.abs_diff(b) <= tolerance),
            "{}: {texel:?}, not {expected:?}",
            path.display()
        );
    }
}

#[test]
fn every_level_and_face_is_told_and_written() {
    let folder = folder("atf_levels");
    let cube = sample(AtfFormat::CompressedAlpha, LevelEncoding::Dxt5, 3, true);
    fs::write(folder.join("sky.atf"), cube.bytes()).unwrap();
    let output = run(&folder, &["atf", "sky.atf", "--png", "out"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    let text = stdout(&output);
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("sky.atf"));
    assert_eq!(
        lines.next(),
        Some(
            "  version 3 (SWF 29 and later), compressed with alpha, cube of 16×16, 5 of 5 levels, for compressedAlpha textures"
        )
    );
    assert_eq!(lines.next(), Some("  uploaded: DXT5 unchanged with S3TC, else DXT5 decoded"));
    let levels: Vec<&str> = lines.collect();
    assert_eq!(levels.len(), 30);
    assert!(levels[0].starts_with("  -x  0      16×16  DXT5 ("), "{text}");
    assert!(levels[29].starts_with("  +z  4        1×1  DXT5 ("), "{text}");
    assert_eq!(pictures(&folder.join("out")).len(), 30);
    for (face, side) in (0u8..).zip(["-x", "+x", "-y", "+y", "-z", "+z"]) {
        for level in 0..5 {
            let path = folder.join(format!("out/sky.{side}.{level}.png"));
            check_picture(&path, &cube, face, level);
        }
    }
}

#[test]
fn every_format_is_written() {
    let folder = folder("atf_formats");
    fs::create_dir_all(folder.join("files/more")).unwrap();
    let all = samples(false, (4, 3), 5);
    for (number, sample) in all.iter().enumerate() {
        // Distribute the files over two folders, and use the extension in upper and lower case.
        let name = match number % 2 {
            0 => format!("files/f{number}.atf"),
            _ => format!("files/more/f{number}.ATF"),
        };
        fs::write(folder.join(name), sample.bytes()).unwrap();
    }
    fs::write(folder.join("files/readme.txt"), "no texture").unwrap();
    let output = run(&folder, &["atf", "files", "--png", "out", "--json"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let files = json["files"].as_array().unwrap();
    assert_eq!(files.len(), all.len());
    assert_eq!(json["failures"], Value::Array(Vec::new()));
    for (number, sample) in all.iter().enumerate() {
        let end = format!("f{number}.");
        let file = files.iter().find(|file| {
            let name = file["file"].as_str().unwrap();
            name.rsplit('/').next().unwrap().starts_with(&end)
        });
        let file = file.unwrap();
        let header = &file["header"];
        assert_eq!(header["version"], sample.file().version);
        assert_eq!(header["code"], sample.file().format.code());
        assert_eq!(
            (&header["width"], &header["height"], &header["cube"]),
            (&16.into(), &8.into(), &false.into())
        );
        let images = file["images"].as_array().unwrap();
        assert_eq!(images.len(), 5);
        for (level, image) in (0u8..).zip(images) {
            assert_eq!(image["encodings"][0]["name"], sample.encoding().name());
            let picture = folder.join(image["picture"].as_str().unwrap());
            check_picture(&picture, sample, 0, level);
        }
    }
}

/// Returns an ATF file with three encodings of different images.
fn all_encodings(cube: bool) -> Vec<u8> {
    let encodings = [LevelEncoding::Dxt5, LevelEncoding::PvrtcAlpha, LevelEncoding::Etc1Alpha];
    let samples = encodings.map(|encoding| sample(AtfFormat::CompressedAlpha, encoding, 2, cube));
    samples[0].file().write(|face, level| {
        let records = samples.map(|sample| sample.records(face, level));
        let record = |at: usize| records.iter().flat_map(|all| all[at].clone()).collect();
        (0..10).map(record).collect()
    })
}

fn succeeds(output: &Output) {
    assert_eq!((output.status.code(), stderr(output)), (Some(0), String::new()));
}

#[test]
fn an_encoding_is_chosen() {
    let folder = folder("atf_encodings");
    fs::write(folder.join("stone.atf"), all_encodings(false)).unwrap();
    for (name, encoding) in [
        ("dxt", LevelEncoding::Dxt5),
        ("etc1", LevelEncoding::Etc1Alpha),
        ("pvrtc", LevelEncoding::PvrtcAlpha),
    ] {
        succeeds(&run(&folder, &["atf", "stone.atf", "--encoding", name, "--png", name]));
        let sample = sample(AtfFormat::CompressedAlpha, encoding, 2, false);
        for level in 0..5 {
            let path = folder.join(name).join(format!("stone.{level}.png"));
            check_picture(&path, &sample, 0, level);
        }
    }
    let output = run(&folder, &["atf", "stone.atf", "--encoding", "etc2"]);
    let text = "molehill: stone.atf: level 0: the requested encoding is missing; the level has DXT5, PVRTC, ETC1 with ETC1 alpha\n";
    assert_eq!((output.status.code(), stderr(&output)), (Some(2), text.to_owned()));
}

#[test]
fn encodings_are_compared() {
    let folder = folder("atf_compared");
    fs::write(folder.join("stone.atf"), all_encodings(false)).unwrap();
    // Compute the signal-to-noise ratio by its formula from the expected texels.
    let expected = |encoding| sample(AtfFormat::CompressedAlpha, encoding, 2, false).expected(0, 0);
    let (dxt, pvrtc) = (expected(LevelEncoding::Dxt5), expected(LevelEncoding::PvrtcAlpha));
    let squares = dxt.iter().zip(&pvrtc).map(|(a, b)| f64::from(a[3].abs_diff(b[3])).powi(2));
    let decibels = 10.0 * (255.0 * 255.0 * 256.0 / squares.sum::<f64>()).log10();
    let output = run(&folder, &["atf", "stone.atf", "--json"]);
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let encodings = &json["files"][0]["images"][0]["encodings"];
    assert!(encodings[0]["decibels"].is_null(), "{encodings}");
    let found = encodings[1]["decibels"]["alpha"].as_f64().unwrap();
    // DXT5's interpolated alpha has errors of up to 4.
    assert!((found - decibels).abs() < 1.0, "{found}, not {decibels}");
    let text = stdout(&run(&folder, &["atf", "stone.atf"]));
    let start = "  against DXT5 in level 0: ETC1 with ETC1 alpha ";
    let line = text.lines().find(|line| line.starts_with(start));
    let end = format!(" dB, alpha {found:.1} dB");
    assert!(line.is_some_and(|line| line.contains("; PVRTC ") && line.ends_with(&end)), "{text}");
    // The signal-to-noise ratio is undefined for equal texels.
    let one = sample(AtfFormat::RawCompressed, LevelEncoding::Etc1, 3, false);
    let twice = one.file().write(|face, level| {
        let record = one.records(face, level)[2].clone();
        vec![vec![], vec![], record.clone(), record]
    });
    fs::write(folder.join("twice.atf"), twice).unwrap();
    let text = stdout(&run(&folder, &["atf", "twice.atf"]));
    assert!(text.contains("\n  against ETC2 in level 0: ETC1 equal\n"), "{text}");
}

#[test]
fn parts_of_a_file_are_written() {
    let folder = folder("atf_parts");
    let cube = sample(AtfFormat::CompressedAlpha, LevelEncoding::Dxt5, 2, true);
    fs::write(folder.join("sky.atf"), all_encodings(true)).unwrap();
    let output =
        run(&folder, &["atf", "sky.atf", "--keep", "dxt", "-o", "dxt.atf", "--png", "out"]);
    succeeds(&output);
    assert!(stdout(&output).starts_with("dxt.atf\n  version 2 "), "{}", stdout(&output));
    assert_eq!(fs::read(folder.join("dxt.atf")).unwrap(), cube.bytes());
    check_picture(&folder.join("out/dxt.+y.1.png"), &cube, 3, 1);

    let part = ["atf", "sky.atf", "--face", "-x", "--level", "1-2"];
    let output = run(&folder, &[&part[..], &["-o", "face.atf", "--png", "out"]].concat());
    succeeds(&output);
    assert!(stdout(&output).contains(", 8×8, 2 of 2 levels, "), "{}", stdout(&output));
    succeeds(&run(&folder, &[&part[..], &["--png", "shown"]].concat()));
    assert_eq!(pictures(&folder.join("shown")), ["sky.-x.1.png", "sky.-x.2.png"]);
    let picture = |name: &str| read_png(&folder.join(name)).unwrap();
    assert_eq!(picture("out/face.0.png"), picture("shown/sky.-x.1.png"));
    check_picture(&folder.join("out/face.0.png"), &cube, 0, 1);
}

#[test]
fn levels_are_replaced() {
    let folder = folder("atf_replaced");
    fs::write(folder.join("sky.atf"), all_encodings(true)).unwrap();
    succeeds(&run(&folder, &["atf", "sky.atf", "--keep", "dxt", "--raw", "-o", "raw.atf"]));
    let raw = sample(AtfFormat::RawCompressedAlpha, LevelEncoding::Dxt5, 2, true);
    assert_eq!(fs::read(folder.join("raw.atf")).unwrap(), raw.bytes());

    let red = RgbaImage::filled(8, 8, [255, 0, 0, 255]);
    write_png(&folder.join("red.png"), &red).unwrap();
    let place = ["--face", "+z", "--level", "1"];
    let with = ["--with", "red.png", "-o", "red.atf", "--png", "red"];
    succeeds(&run(&folder, &[&["atf", "raw.atf"], &place[..], &with[..]].concat()));
    assert_eq!(read_png(&folder.join("red/red.+z.1.png")).unwrap(), red);
    check_picture(&folder.join("red/red.-z.1.png"), &raw, 4, 1);

    let with = ["--with", "sky.atf", "--keep", "dxt", "--raw", "-o", "back.atf"];
    succeeds(&run(&folder, &[&["atf", "red.atf"], &place[..], &with[..]].concat()));
    assert_eq!(fs::read(folder.join("back.atf")).unwrap(), raw.bytes());
}

#[test]
fn a_change_that_can_not_be_made_writes_nothing() {
    let folder = folder("atf_no_changes");
    fs::write(folder.join("sky.atf"), all_encodings(true)).unwrap();
    fs::write(folder.join("flat.atf"), all_encodings(false)).unwrap();
    write_png(&folder.join("red.png"), &RgbaImage::filled(8, 8, [255, 0, 0, 255])).unwrap();
    fs::write(folder.join("none.txt"), "no texture").unwrap();
    let refused: [(&[&str], &str); 9] = [
        (
            &["sky.atf", "--keep", "etc2"],
            "sky.atf: level 0 has only DXT5, PVRTC, ETC1 with ETC1 alpha; keep one of these",
        ),
        (
            &["flat.atf", "--face", "+x"],
            "flat.atf: the file is not a cube texture, so it has no faces to select",
        ),
        (
            &["sky.atf", "--level", "5"],
            "sky.atf: there is no level 5: the last one with content is 4",
        ),
        (&["sky.atf", "flat.atf"], "--out writes one file, but flat.atf is a second input"),
        (
            &["sky.atf", "--with", "red.png"],
            "sky.atf: red.png: a PNG replaces one mip level; name the level with --level",
        ),
        (
            &["sky.atf", "--level", "1", "--with", "red.png"],
            "sky.atf: an image can't be encoded as DXT5 in parts; write raw blocks of only DXT or ETC2",
        ),
        (&["sky.atf", "--with", "none.txt"], "sky.atf: none.txt: not an ATF file"),
        (
            &["sky.atf", "--level", "1-9", "--with", "flat.atf"],
            "sky.atf: there is no level 9: the last one with content is 4",
        ),
        (&["none.txt"], "none.txt: not an ATF file"),
    ];
    for (arguments, text) in refused {
        let output = run(&folder, &[&["atf"], arguments, &["-o", "out.atf"]].concat());
        let text = format!("molehill: {text}\n");
        assert_eq!((output.status.code(), stderr(&output)), (Some(2), text));
        assert!(!folder.join("out.atf").exists(), "{arguments:?}");
    }
    let output = run(&folder, &["atf", "sky.atf", "--keep", "dxt"]);
    assert!(stderr(&output).contains("--out <FILE>"), "{}", stderr(&output));
    let output = run(&folder, &["atf", "sky.atf", "--level", "3-1"]);
    assert!(stderr(&output).contains("the last level is before the first"), "{}", stderr(&output));
}

#[test]
fn levels_before_the_damage_are_written() {
    let folder = folder("atf_damage");
    let whole = sample(AtfFormat::Compressed, LevelEncoding::Dxt1, 1, false);
    let bytes = whole.bytes();
    // The last record of level 2 is longer than the remaining bytes.
    let end = |levels: u8| {
        let cut = AtfSpec { count: levels, ..*whole.file() };
        AtfSample::new(cut, whole.encoding()).unwrap().bytes().len()
    };
    let short = &bytes[..end(2) + 30];
    let mut damaged = bytes.clone();
    // Damage a byte in level 1's LZMA record: its first property exceeds the maximum.
    damaged[end(1) + 4] = 255;
    let mut trailing = bytes.clone();
    trailing.extend([7; 9]);
    for (name, bytes, status, levels, message) in [
        ("short", short, 2, 2, "short.atf: truncated: "),
        ("damaged", &damaged, 2, 1, "damaged.atf: level 1: DXT1: invalid: LZMA: "),
        ("none", b"GIF89a0000".as_slice(), 2, 0, "none.atf: not an ATF file"),
        (
            "empty",
            b"".as_slice(),
            2,
            0,
            "empty.atf: truncated: 6 bytes are needed, but there are only 0",
        ),
        ("trailing", &trailing, 0, 5, ""),
    ] {
        let file = format!("{name}.atf");
        fs::write(folder.join(&file), bytes).unwrap();
        let output = run(&folder, &["atf", &file, "--png", name]);
        assert_eq!(output.status.code(), Some(status), "{name}");
        let printed = stderr(&output);
        match message {
            "" => assert_eq!(printed, ""),
            _ => assert!(
                printed.starts_with(&format!("molehill: {message}"))
                    && printed.lines().count() == 1,
                "{printed}"
            ),
        }
        let names: Vec<String> = (0..levels).map(|level| format!("{name}.{level}.png")).collect();
        assert_eq!(pictures(&folder.join(name)), names);
        for level in 0..levels {
            check_picture(&folder.join(name).join(&names[usize::from(level)]), &whole, 0, level);
        }
        let output = run(&folder, &["atf", &file, "--json"]);
        let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
        let images = json["files"][0]["images"].as_array().map_or(0, Vec::len);
        assert_eq!(images, usize::from(levels), "{name}");
        assert_eq!(json["files"][0]["failure"].is_null(), status == 0, "{name}");
    }
    // One damaged ATF file doesn't affect the output for other files.
    let output = run(&folder, &["atf", "none.atf", "missing.atf", "trailing.atf"]);
    assert!(stdout(&output).contains("trailing.atf\n  version 1"));
    let printed = stderr(&output);
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "molehill: none.atf: not an ATF file");
    assert!(lines[1].starts_with("molehill: missing.atf: "), "{printed}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn names_are_never_taken_twice() {
    let folder = folder("atf_names");
    for place in ["a", "b"] {
        fs::create_dir_all(folder.join(place)).unwrap();
    }
    let first = sample(AtfFormat::Rgb888, LevelEncoding::JpegXr, 0, false);
    let second = sample(AtfFormat::RawCompressed, LevelEncoding::Etc1, 2, false);
    fs::write(folder.join("a/sky.atf"), first.bytes()).unwrap();
    fs::write(folder.join("b/sky.atf"), second.bytes()).unwrap();
    let output = run(&folder, &["atf", "a", "b/sky.atf", "--png", "out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    check_picture(&folder.join("out/sky.0.png"), &first, 0, 0);
    check_picture(&folder.join("out/sky-2.0.png"), &second, 0, 0);
    fs::create_dir_all(folder.join("c")).unwrap();
    let output = run(&folder, &["atf", "c"]);
    assert_eq!(stderr(&output), "molehill: c: the folder has no files with .atf\n");
    assert_eq!(output.status.code(), Some(2));
}

/// Returns a capture with two uploads of a 16×16 file to one texture, asynchronous or not.
fn capture_with(data: &[u8], is_async: bool, between: &str) -> String {
    let data = STANDARD.encode([&[0xee; 3], data].concat());
    let upload = format!(
        r#"{{"call":"uploadCompressedTextureFromByteArray","on":3,"dataB64":"{data}","byteArrayOffset":3,"async":{is_async}}}"#
    );
    [
        HEADER,
        r#"{"call":"requestContext3D","on":1,"stage3DIndex":0,"context3DRenderMode":"auto","profile":"baseline","result":2}"#,
        r#"{"call":"createTexture","on":2,"width":16,"height":16,"format":"compressed","optimizeForRenderToTexture":false,"streamingLevels":0,"result":3}"#,
        &upload,
        between,
        &upload,
        r#"{"frame":7}"#,
    ]
    .join("\n")
        + "\n"
}

#[test]
fn uploads_of_captures_are_told_and_written() {
    let folder = folder("atf_capture");
    let file = sample(AtfFormat::CompressedLossy, LevelEncoding::Dxt1, 1, false);
    let capture = capture_with(&file.bytes(), false, "");
    fs::write(folder.join("c.s3d.jsonl"), &capture).unwrap();
    let output = run(&folder, &["atf", "c.s3d.jsonl", "--png", "out"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    let text = stdout(&output);
    assert!(text.starts_with("c.s3d.jsonl:4\n  version 1 ("), "{text}");
    assert!(text.contains("\nc.s3d.jsonl:6\n"), "{text}");
    for line in [4, 6] {
        for level in 0..5 {
            let path = folder.join(format!("out/c-{line}.{level}.png"));
            check_picture(&path, &file, 0, level);
        }
    }
    // Reading a capture or an ATF file from standard input gives the same results.
    for (input, name) in
        [(capture.as_bytes(), "standard input:6\n"), (&file.bytes(), "standard input\n")]
    {
        let mut command = molehill(&folder, &["atf", "-"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(stdout(&output).contains(name), "{}", stdout(&output));
    }
    // An error in a capture is reported with its line, after the ATF files before this line.
    fs::write(folder.join("faulty"), capture.replace("{\"frame\":7}", "nonsense")).unwrap();
    let output = run(&folder, &["atf", "faulty"]);
    assert!(
        stderr(&output).starts_with("molehill: faulty:7: call 5: invalid JSON"),
        "{}",
        stderr(&output)
    );
    assert!(stdout(&output).contains("faulty:6\n"));
    assert_eq!(output.status.code(), Some(2));

    let output = run(&folder, &["info", "c.s3d.jsonl"]);
    let line = "         2  version 1, compressed, lossy, 16×16, 5 levels of DXT1; uploaded: DXT1 unchanged with S3TC, else DXT1 decoded\n";
    assert!(stdout(&output).contains(line), "{}", stdout(&output));
    // The log contains the encoding that is chosen.
    let mut command = molehill(&folder, &["info", "c.s3d.jsonl"]);
    let output = command.env("RUST_LOG", "debug").output().unwrap();
    let logged =
        "ATF version 1, compressed, lossy, 16×16, 5 levels, has DXT1; uploaded: DXT1 unchanged";
    assert!(stderr(&output).contains(logged), "{}", stderr(&output));
    let output = run(&folder, &["info", "c.s3d.jsonl", "--json"]);
    let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let atf = &json["atf"][0];
    assert_eq!(atf["uploads"], 2);
    assert_eq!(atf["encodings"][0], "DXT1");
    assert_eq!(atf["uploadedAs"]["S3TC"], "DXT1 unchanged");
    assert_eq!(atf["uploadedAs"]["no blocks"], "DXT1 decoded");
}

/// An asynchronous upload during another one is an error. The event for the first upload is dispatched at the end of
/// the frame.
#[test]
fn asynchronous_uploads_end_with_the_frame() {
    let folder = folder("atf_async");
    let file = sample(AtfFormat::RawCompressed, LevelEncoding::Dxt1, 1, false).bytes();
    let mut damaged = file.clone();
    damaged[19] -= 1; // the first record is one byte shorter than its blocks
    for (name, data, between, errors, failed) in [
        ("apart", &file, r#"{"frame":0}"#, 0, 0),
        ("at once", &file, "", 1, 0),
        ("damaged", &damaged, r#"{"frame":0}"#, 0, 2),
    ] {
        fs::write(folder.join("c"), capture_with(data, true, between)).unwrap();
        let output = run(&folder, &["info", "c", "--json"]);
        let json: Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(json["replay"]["errors"]["total"], errors, "{name}: {json:#}");
        assert_eq!(json["replay"]["failedUploads"], failed, "{name}");
        let text = stdout(&run(&folder, &["info", "c"]));
        assert_eq!(text.contains("2 asynchronous uploads failed"), failed == 2, "{name}");
    }
}
