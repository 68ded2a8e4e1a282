//! Captures become files whose code passes the verifier, and logs are read.

use std::path::{Path, PathBuf};

use molehill_capture::{CaptureError, Reader, Record};
use molehill_swf::results::{Line, parse};
use molehill_swf::{Converted, check, convert};

fn converted(path: &Path, pictures: bool) -> Converted {
    let reader = Reader::open(path).expect("a capture");
    let header = reader.header().clone();
    let records: Vec<(u64, Record)> = reader.collect::<Result<_, CaptureError>>().expect("records");
    convert(&header, records, pictures).expect("a file")
}

/// The captures of the repository and the shared ones.
fn captures() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = vec![root.join("../captures/knot.s3d.jsonl")];
    let shared = root.join("../../../shared/captures");
    if shared.is_dir() {
        for entry in std::fs::read_dir(shared).expect("a folder") {
            for name in ["capture.s3d.jsonl", "capture.s3d.jsonl.zst"] {
                found.extend(
                    Some(entry.as_ref().expect("an entry").path().join(name))
                        .filter(|path| path.is_file()),
                );
            }
        }
    } else {
        assert!(std::env::var_os("MOLEHILL_REQUIRE_SHARED").is_none(), "no shared captures");
        println!("skipped: no shared captures");
    }
    found
}

#[test]
fn every_capture_becomes_a_valid_file() {
    let keep = std::env::var_os("MOLEHILL_SWF_DIR").map(PathBuf::from);
    for path in captures() {
        let Converted { swf, calls, left_out } = converted(&path, true);
        let methods = check(&swf).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        println!(
            "{}: {calls} calls, {methods} methods, {} bytes, {left_out:?}",
            path.display(),
            swf.len()
        );
        assert!(calls > 0 && methods > 10);
        if let Some(folder) = &keep {
            let name = path.parent().and_then(Path::file_name).expect("a folder");
            std::fs::write(folder.join(name).with_extension("swf"), &swf)
                .expect("a place for the file");
        }
    }
}

#[test]
fn damaged_code_is_refused() {
    let Converted { swf, .. } = converted(&captures()[0], false);
    assert!(check(&swf).is_ok());
    for end in [0, 7, swf.len() / 2] {
        assert!(check(&swf[..end]).is_err(), "{end} bytes");
    }
}

#[test]
fn logs_are_read() {
    let log = "Warning: x\nmolehill property profile baseline\nmolehill call 12 error 3694 flash.errors::IllegalOperationError\n\
        [INFO] molehill picture 9 2x1 fnv1a 5 pixels 1 4278190080\nmolehill frame 3\nmolehill event textureReady\n\
        molehill call x\nmolehill timeout\nmolehill end\n";
    let text = |text: &str| text.to_owned();
    let expected = [
        Line::Property(text("profile"), text("baseline")),
        Line::Error { line: 12, number: 3694, class: text("IllegalOperationError") },
        Line::Picture { line: 9, size: (2, 1), hash: 5, pixels: vec![1, 0xff00_0000] },
        Line::Frame(3),
        Line::Event(text("textureReady")),
        Line::Timeout,
        Line::End,
    ];
    assert_eq!(parse(log), expected);
}
