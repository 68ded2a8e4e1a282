//! Tests cases that are written as SWF files and judged by a player's output. The test generates the player's output.

use super::*;
use molehill_replay::image::{RgbaImage, read_png};
use serde_json::Value;

const FILTER: [&str; 6] =
    ["--filter", "api.scissor", "--filter", "api.error.3694", "--filter", "agal.random.version_1"];
const SCENE: &str = "api.scissor.all";

/// The conversion of a pixel in red, green, blue and alpha to the bytes of `getPixel32`.
type Printed = fn([u8; 4]) -> [u8; 4];

/// The pixels of a player that reads an opaque bitmap.
const OPAQUE: Printed = |[r, g, b, _]| [255, r, g, b];

/// A player that reads a transparent bitmap: it divides colours by alpha, and wraps colours above alpha, like Ruffle.
const WRAPPED: Printed = |[r, g, b, a]| {
    let straight = |color: u8| {
        let rounded = u32::from(color) * 255 + u32::from(a) / 2;
        rounded.checked_div(a.into()).unwrap_or(0).to_le_bytes()[0]
    };
    [a, straight(r), straight(g), straight(b)]
};

fn picture(image: &RgbaImage, printed: Printed) -> String {
    let at = |index: u32, side: u32| (2 * index + 1) * side / 16;
    let pixel = |index: u32| {
        let pixel = image
            .pixel(at(index % 8, image.width()), at(index / 8, image.height()))
            .expect("a pixel");
        format!(" {}", u32::from_be_bytes(printed(pixel)))
    };
    let pixels: String = (0..64).map(pixel).collect();
    format!("molehill picture 9 {}x{} fnv1a 5 pixels{pixels}\n", image.width(), image.height())
}

/// Returns the output of a correct player.
fn log(files: &Path, manifest: &Value, printed: Printed) -> String {
    let mut log = String::new();
    for (name, file) in rows(manifest) {
        let text = fs::read_to_string(files.join(file).with_extension("txt")).unwrap();
        let begin = format!("molehill case {name}\n");
        let (_, rest) = text.split_once(&begin).unwrap();
        let lines = rest.lines().take_while(|line| !line.starts_with("molehill case"));
        log += &begin;
        log.extend(lines.filter(|line| *line != "molehill end").flat_map(|line| [line, "\n"]));
        for number in 0.. {
            let path = files.join(format!("pictures/{name}-{number}.png"));
            let Ok(image) = read_png(&path) else { break };
            log += &picture(&image, printed);
        }
    }
    log + "molehill end\n"
}

fn rows(manifest: &Value) -> impl Iterator<Item = (&str, &str)> {
    let rows = manifest["cases"].as_array().unwrap().iter();
    rows.map(|row| (row["name"].as_str().unwrap(), row["files"][0].as_str().unwrap()))
}

#[test]
fn cases_go_to_a_player_and_come_back() {
    let folder = folder("players");
    let output = conform(&folder, &[&["swf", "files"], &FILTER[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let files = folder.join("files");
    let manifest: Value =
        serde_json::from_slice(&fs::read(files.join("manifest.json")).unwrap()).unwrap();
    let cases = rows(&manifest).count();
    assert!(cases > 30, "{cases}");
    for (name, file) in rows(&manifest) {
        let swf = fs::read(files.join(file)).unwrap();
        assert!(molehill_swf::check(&swf).unwrap() > 10, "{name}");
    }
    let left_out = manifest["leftOut"].as_array().unwrap();
    assert!(left_out.iter().all(|row| row["why"].as_str().unwrap().starts_with("compares floats")));
    assert!(!left_out.is_empty() && files.join("README.txt").is_file());

    let whole = log(&files, &manifest, OPAQUE);
    let judged = |log: &str| {
        fs::write(folder.join("log"), log).unwrap();
        let output = conform(&folder, &["results", "log", "--out", "out"]);
        let results = verdicts(&folder.join("out/results.jsonl"));
        (output.status.code(), results)
    };
    let (status, verdicts) = judged(&whole);
    assert!(status == Some(0) && verdicts.len() == cases, "{status:?} {verdicts:?}");
    assert!(verdicts.values().all(|verdict| *verdict == Verdict::Pass), "{verdicts:?}");

    let begin = format!("molehill case {SCENE}\n");
    let raised = whole.lines().find(|line| line.ends_with("error 3694")).unwrap();
    let of_scene = |line: &str| whole.replacen(&begin, &format!("{begin}{line}\n"), 1);
    for (log, verdict) in [
        (of_scene("molehill call 3 error 2007 TypeError"), Verdict::Fail),
        (of_scene("molehill call 3 error 1069 ReferenceError"), Verdict::NotSupported),
        (of_scene("molehill aborted"), Verdict::Fail),
        (of_scene("molehill property profile baseline"), Verdict::Pass),
        (of_scene("molehill property profile standard"), Verdict::Fail),
        (
            of_scene("molehill event error\nmolehill call 3 error 1009 TypeError"),
            Verdict::NotSupported,
        ),
        (of_scene("molehill timeout"), Verdict::Fail),
        (
            of_scene(picture(&RgbaImage::filled(32, 32, [1, 2, 3, 255]), OPAQUE).trim_end()),
            Verdict::Fail,
        ),
        (whole.split_inclusive(&begin).next().unwrap().to_owned(), Verdict::Crash),
    ] {
        let (_, verdicts) = judged(&log);
        assert_eq!(verdicts.get(SCENE), Some(&verdict), "{log}");
    }
    let (status, verdicts) = judged(&whole.replacen(raised, "molehill frame 99", 1));
    assert_eq!(status, Some(1));
    assert_eq!(verdicts.values().filter(|verdict| **verdict == Verdict::Fail).count(), 1);

    fs::write(folder.join("empty"), "nothing of ours\n").unwrap();
    let output = conform(&folder, &["results", "empty"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
}

/// Returns the log of a correct player that runs some cases.
fn played(folder: &Path, filter: &str, printed: Printed) -> String {
    let output = conform(folder, &["swf", "files", "--filter", filter]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let files = folder.join("files");
    let manifest = fs::read(files.join("manifest.json")).unwrap();
    log(&files, &serde_json::from_slice(&manifest).unwrap(), printed)
}

#[test]
fn known_failures_of_a_players_driver_are_known() {
    let folder = folder("players-driver");
    let case = "texture.anisotropy.anisotropic2x.across";
    let log = played(&folder, case, OPAQUE);
    let at = log.find("molehill picture").unwrap();
    let wrong = log.split_at(at).0.to_owned()
        + &picture(&RgbaImage::filled(32, 32, [1, 2, 3, 255]), OPAQUE);
    fs::write(folder.join("log"), wrong + "molehill end\n").unwrap();
    let judged = |options: &[&str]| {
        conform(&folder, &[&["results", "log", "--out", "out"], options].concat());
        verdicts(&folder.join("out/results.jsonl"))[case]
    };
    assert_eq!(judged(&[]), Verdict::Fail);
    assert_eq!(
        judged(&["--driver", "llvmpipe (LLVM 15.0.6, 256 bits), Mesa 22.3.6"]),
        Verdict::KnownFailure
    );
    assert_eq!(judged(&["--driver", "NVIDIA 550"]), Verdict::Fail);
}

/// In the case's image, some colours exceed their alpha; a bitmap can't return such pixels.
#[test]
fn colours_that_no_player_reads_back_are_left_out() {
    let folder = folder("players-alpha");
    let log = played(&folder, "api.drawToBitmapData.whole.transparent", WRAPPED);
    fs::write(folder.join("log"), log).unwrap();
    let output = conform(&folder, &["results", "log"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn each_case_has_a_file() {
    let folder = folder("players-each");
    let output = conform(&folder, &["swf", "files", "--filter", "api.scissor", "--each"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(folder.join(format!("files/{SCENE}.swf")).is_file());
    assert!(folder.join(format!("files/pictures/{SCENE}-0.png")).is_file());
    let output = conform(&folder, &["swf", "none", "--filter", "api."]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert!(!folder.join("none").exists());
}

#[test]
fn cases_are_tests_of_ruffle() {
    let folder = folder("players-ruffle");
    let options =
        ["swf", "files", "--filter", "api.scissor", "--filter", "api.error.3694", "--ruffle"];
    let output = conform(&folder, &options);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let test = folder.join("files").join(SCENE);
    let read = |name| fs::read_to_string(test.join(name)).unwrap();
    assert_eq!(
        read("output.txt"),
        format!("molehill case {SCENE}\nmolehill frame 0\nmolehill end\n")
    );
    assert!(
        read("test.toml").starts_with("num_frames = ")
            && read("test.toml").contains("[image_comparisons.output]")
    );
    assert_eq!(read_png(&test.join("output.expected.png")).unwrap().width(), 32);
    assert!(molehill_swf::check(&fs::read(test.join("test.swf")).unwrap()).unwrap() > 10);
}

#[test]
fn a_player_answers_open_questions() {
    let folder = folder("players-answers");
    let options = ["swf", "files", "--filter", "agal.open.*", "--filter", "agal.error.3789.iid1"];
    let output = conform(&folder, &options);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let files = folder.join("files");
    let manifest: Value =
        serde_json::from_slice(&fs::read(files.join("manifest.json")).unwrap()).unwrap();
    let in_questions =
        |row: &Value| row["files"].as_array().unwrap().iter().any(|name| name == "questions.swf");
    assert!(manifest["cases"].as_array().unwrap().iter().all(in_questions));

    let whole = log(&files, &manifest, OPAQUE).replace("error 3789", "error 3644");
    fs::write(folder.join("log"), &whole).unwrap();
    let answers = || text(&conform(&folder, &["answers", "log"]));
    let output = conform(&folder, &["answers", "log"]);
    let printed = text(&output);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(printed.contains("behaves like Molehill: agal.nrm.zero: "), "{printed}");
    assert!(printed.contains("differs: agal.iid.bounds: "), "{printed}");
    assert!(printed.contains("error 3644 was raised (error 3789 expected)"), "{printed}");
    assert!(printed.contains("undecided: context3d.raster.depth_bits: "), "{printed}");
    assert!(printed.contains("    Molehill does: 3789 ("), "{printed}");
    // If the context request fails, the errors after it are ignored.
    let begin = "molehill case agal.error.3789.iid1\n";
    let refused = whole.replacen(begin, &format!("{begin}molehill event error\n"), 1);
    fs::write(folder.join("log"), refused).unwrap();
    assert!(answers().contains("undecided: agal.iid.bounds: "), "{}", answers());
}
