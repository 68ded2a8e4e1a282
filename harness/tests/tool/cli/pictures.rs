//! Tests writing and comparing images.

use std::fs;

use molehill_replay::image::{RgbaImage, read_png, write_png};

use super::{capture, folder, pictures, run, stderr, stdout};

#[test]
fn a_picture_a_frame() {
    let folder = folder("a_picture_a_frame");
    fs::write(folder.join("c"), capture(3, "")).unwrap();
    let output = run(&folder, &["replay", "c", "--out", "deep/out"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        stdout(&output).starts_with("3 frames, 3 calls, 0 draws, 0 programs, 0 errors raised, ")
    );
    // The output names the written files, their folder, and the driver.
    assert_eq!(
        stdout(&output).lines().nth(1),
        Some(
            "written to deep/out: 3 images from frame-0000.png to frame-0002.png; no Context3D was used"
        )
    );
    assert_eq!(stdout(&output).lines().count(), 2);
    assert_eq!(stderr(&output), "");
    let out = folder.join("deep/out");
    assert_eq!(pictures(&out), ["frame-0000.png", "frame-0001.png", "frame-0002.png"]);
    assert_eq!(
        read_png(&out.join("frame-0001.png")).unwrap(),
        RgbaImage::filled(4, 2, [0x10, 0x20, 0x30, 255])
    );
}

#[test]
fn frames_are_chosen() {
    let folder = folder("frames_are_chosen");
    fs::write(folder.join("c"), capture(6, "")).unwrap();
    for (frames, expected) in [
        ("last", vec!["frame-0005.png"]),
        ("0,3-4", vec!["frame-0000.png", "frame-0003.png", "frame-0004.png"]),
        ("all", (0..6).map(|_| "").collect()),
    ] {
        let output = run(&folder, &["replay", "c", "--out", frames, "--frames", frames]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let written = pictures(&folder.join(frames));
        assert_eq!(written.len(), expected.len());
        assert!(frames == "all" || written == expected, "{written:?}");
    }
    let output = run(&folder, &["replay", "c"]);
    assert_eq!((output.status.code(), pictures(&folder)), (Some(0), vec![]));
    // The command reports requested frames that are missing, and writes the other frames.
    for (frames, missing, written) in
        [("100", "100", 0), ("0,5,60", "60", 2), ("4-9", "6-9", 2), ("7,9-10", "7, 9-10", 0)]
    {
        let out = format!("some-{frames}");
        let output = run(&folder, &["replay", "c", "--out", &out, "--frames", frames]);
        let printed =
            format!("molehill: c: the capture has no frame {missing}; its frames are 0 to 5\n");
        assert_eq!(stderr(&output), printed);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(pictures(&folder.join(out)).len(), written);
    }
    fs::write(folder.join("none"), capture(0, "")).unwrap();
    let output = run(&folder, &["replay", "none", "-o", "none.out", "--frames", "last"]);
    assert_eq!(stderr(&output), "molehill: none: the capture has no frames\n");
    assert_eq!(output.status.code(), Some(2));
    let output = run(&folder, &["replay", "c", "--out", "o", "--frames", "5-3"]);
    assert_eq!(output.status.code(), Some(2));
    // If no images are requested, `--frames` only ends the replay.
    for (frames, code, count) in [("all", 0, 6), ("last", 0, 6), ("1", 0, 2), ("9", 2, 6)] {
        let output = run(&folder, &["replay", "c", "--json", "-f", frames]);
        let report: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!((output.status.code(), &report["frames"]), (Some(code), &count.into()));
    }
}

/// A replay doesn't read calls after the last requested frame, unless an option needs them.
#[test]
fn a_replay_ends_after_the_frames_that_were_asked_for() {
    let folder = folder("ends_after_frames");
    fs::write(folder.join("c"), capture(4, "nonsense")).unwrap();
    write_png(&folder.join("p.png"), &RgbaImage::filled(4, 2, [0; 4])).unwrap();
    let replay = |more: &[&str]| {
        let arguments = ["replay", "c", "-o", "out", "--frames", "0,2"];
        run(&folder, &[&arguments[..], more].concat())
    };
    let output = replay(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let printed = stdout(&output);
    assert!(printed.starts_with("3 frames, 3 calls, "), "{printed}");
    let ended = " s (ended after frame 2, the last one requested)\n";
    assert!(printed.contains(ended), "{printed}");
    for more in [&["--errors", "numbers"][..], &["--bitmaps"]] {
        let output = replay(more);
        assert!(stderr(&output).contains("c:10: call 5: invalid JSON"), "{more:?}");
    }
    let output = replay(&["--expect", "p.png", "--tolerance", "255"]);
    assert!(stdout(&output).contains("\nframe 2 is as expected"), "{}", stdout(&output));
    assert!(stdout(&output).contains("\n3 frames, "), "{}", stdout(&output));
}

#[test]
fn pictures_are_judged() {
    let folder = folder("pictures_are_judged");
    fs::write(folder.join("c"), capture(3, "")).unwrap();
    let stage = [0x10, 0x20, 0x30, 255];
    write_png(&folder.join("same.png"), &RgbaImage::filled(4, 2, stage)).unwrap();
    write_png(&folder.join("near.png"), &RgbaImage::filled(4, 2, [0x12, 0x1e, 0x32, 253])).unwrap();
    write_png(&folder.join("alpha.png"), &RgbaImage::filled(4, 2, [0x10, 0x20, 0x30, 252]))
        .unwrap();
    write_png(&folder.join("size.png"), &RgbaImage::filled(4, 3, stage)).unwrap();
    let mut one_off = [0x10, 0x20, 0x30, 255].repeat(8);
    one_off[0] = 0xff;
    write_png(&folder.join("one.png"), &RgbaImage::from_rgba(4, 2, one_off).unwrap()).unwrap();

    for (arguments, status, verdict) in [
        (
            vec!["same.png"],
            0,
            "frame 2 is as expected: 0 pixels differ by more than 2 (0 allowed), largest difference 0",
        ),
        (
            vec!["near.png"],
            0,
            "frame 2 is as expected: 0 pixels differ by more than 2 (0 allowed), largest difference 2",
        ),
        (
            vec!["near.png", "--tolerance", "1", "--frames", "0-1"],
            1,
            "frame 1 is NOT as expected: 8 pixels differ by more than 1 (0 allowed), largest difference 2, all by rounding; --out DIR writes a difference image",
        ),
        (
            vec!["alpha.png", "--out", "alpha"],
            1,
            "frame 2 is NOT as expected: 8 pixels differ by more than 2 (0 allowed), largest difference 3, all by rounding; see alpha/difference.png",
        ),
        (
            vec!["size.png"],
            1,
            "frame 2 is NOT as expected: the image is 4×2 (4×3 expected); --out DIR writes a difference image",
        ),
        (
            vec!["one.png", "--max-outliers", "1"],
            0,
            "frame 2 is as expected: 1 pixels differ by more than 2 (1 allowed), largest difference 239",
        ),
        (
            vec!["one.png"],
            1,
            "frame 2 is NOT as expected: 1 pixels differ by more than 2 (0 allowed), largest difference 239; --out DIR writes a difference image",
        ),
    ] {
        let all = [["replay", "c", "--expect"].as_slice(), &arguments].concat();
        let output = run(&folder, &all);
        let differs = if status == 0 { "" } else { ", 1 differs" };
        let evidence = format!("no renderer with stored images: 1 image{differs}");
        assert_eq!(stdout(&output).lines().next(), Some(&*evidence), "{}", stderr(&output));
        assert_eq!(stdout(&output).lines().nth(1), Some(verdict), "{}", stderr(&output));
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        let shown = verdict.split_once("; see ").map(|(_, path)| path);
        // The command writes no difference image to the current folder.
        assert!(shown.is_none_or(|shown| folder.join(shown).exists()));
        assert!(!folder.join("difference.png").exists());
    }
    assert!(folder.join("alpha/difference.png").exists());
    for (arguments, message) in [
        (
            vec!["same.png", "--frame", "3"],
            "molehill: c: the capture has no frame 3; its frames are 0 to 2\n",
        ),
        (vec!["none.png"], "molehill: none.png: No such file or directory (os error 2)\n"),
    ] {
        let all = [["replay", "c", "--expect"].as_slice(), &arguments].concat();
        let output = run(&folder, &all);
        assert_eq!((stderr(&output).as_str(), output.status.code()), (message, Some(2)));
    }
}

/// The images of an earlier replay remain until an image replaces them.
#[test]
fn a_bad_capture_leaves_the_earlier_pictures() {
    let folder = folder("bad_capture_leaves");
    fs::write(folder.join("c"), capture(2, "")).unwrap();
    fs::write(folder.join("no-text"), [0, 1, 2]).unwrap();
    fs::write(folder.join("no-frames"), capture(0, "nonsense")).unwrap();
    fs::write(folder.join("one-frame"), capture(1, "nonsense")).unwrap();
    fs::write(folder.join("none"), capture(0, "")).unwrap();
    let replay = |name: &str| run(&folder, &["replay", name, "-o", "out"]).status.code();
    for (bad, status, left) in [
        ("no-text", 2, 2),
        ("no-frames", 2, 2),
        ("missing", 2, 2),
        ("one-frame", 2, 1),
        ("none", 0, 0),
    ] {
        assert_eq!((replay("c"), replay(bad)), (Some(0), Some(status)), "{bad}");
        assert_eq!(pictures(&folder.join("out")).len(), left, "{bad}");
    }
}

/// Runs the README's command twice. Images of different replays are never mixed in a folder.
#[test]
fn pictures_of_an_earlier_replay_are_replaced_and_others_refused() {
    let folder = folder("replaced_pictures");
    fs::write(folder.join("c"), capture(3, "")).unwrap();
    let out = folder.join("out");
    let replay = |more: &[&str]| {
        let output = run(&folder, &[&["replay", "c", "--out", "out"], more].concat());
        (output.status.code(), stderr(&output))
    };
    fs::create_dir(&out).unwrap();
    fs::write(out.join("photo.png"), "mine").unwrap();
    assert_eq!(replay(&[]), (Some(0), String::new()));
    let printed = "out: replacing 3 images of an earlier replay\n";
    assert_eq!(replay(&["--frames", "1"]), (Some(0), printed.to_owned()));
    assert_eq!(pictures(&out), ["frame-0001.png", "photo.png"]);
    // The tool neither removes an image of unknown origin nor adds images to its folder.
    fs::write(out.join("frame-0007.png"), "mine").unwrap();
    fs::write(out.join("bitmap-000001.png"), "mine").unwrap();
    let (status, printed) = replay(&[]);
    assert_eq!(status, Some(2), "{printed}");
    assert!(
        printed.contains("out: ") && printed.contains(".png and 1 more would be mixed"),
        "{printed}"
    );
    assert_eq!(pictures(&out).len(), 4);
    fs::remove_file(out.join("frame-0007.png")).unwrap();
    fs::remove_file(out.join("bitmap-000001.png")).unwrap();
    // The list of written images can't cause the removal of files outside the folder.
    fs::write(folder.join("frame-0009.png"), "mine").unwrap();
    fs::write(out.join(".replayed-pictures"), "../frame-0009.png\nphoto.png\nframe-0001.png\n")
        .unwrap();
    assert_eq!(replay(&["--frames", "last"]).0, Some(0));
    assert_eq!(pictures(&out), ["frame-0002.png", "photo.png"]);
    assert!(folder.join("frame-0009.png").is_file());
    // The difference image of an earlier comparison is removed.
    write_png(&folder.join("p.png"), &RgbaImage::filled(4, 2, [0; 4])).unwrap();
    assert_eq!(replay(&["--expect", "p.png"]).0, Some(1));
    assert!(out.join("difference.png").is_file());
    assert_eq!(replay(&[]).0, Some(0));
    assert!(!out.join("difference.png").exists());
}
