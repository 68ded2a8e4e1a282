//! Tests full disks, which a limit on the file size simulates: a write beyond the limit fails in the same way.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::parallel;
use crate::run::{self, molehill, stderr};

/// A capture with a call and two frames of 4×2 pixels.
const CAPTURE: &str = r##"{"stage3dCapture":1,"title":"t","swfVersion":20,"stageWidth":4,"stageHeight":2,"stageColor":"#102030"}
{"call":"x","on":1,"value":3.5}
{"frame":0}
{"frame":1}
"##;
/// `mov op, va0`.
const PROGRAM: &str = "mov op, va0\n";

type Writer = (&'static [&'static str], &'static [&'static str]);

/// Commands and their output files. Each output file exists with old content before the command runs.
const WRITERS: &[Writer] = &[
    (&["convert", "c", "-o", "out.s3d.jsonl"], &["out.s3d.jsonl"]),
    (&["convert", "c", "-o", "out.s3d"], &["out.s3d"]),
    (&["convert", "c", "-o", "out.s3d.jsonl.zst"], &["out.s3d.jsonl.zst"]),
    (&["convert", "c", "-o", "out.s3d.zst"], &["out.s3d.zst"]),
    (&["convert", "long", "-o", "out.s3d.jsonl"], &["out.s3d.jsonl"]),
    // A text file next to the output that Molehill hasn't written is an error.
    (&["convert", "c", "-o", "out.swf"], &["out.swf"]),
    (&["trim", "c", "--frames", "1", "-o", "out.s3d"], &["out.s3d"]),
    (&["trim", "c", "--frames", "1", "-o", "out.s3d.jsonl"], &["out.s3d.jsonl"]),
    (&["minimize", "c", "--while", "test -s", "-o", "out.s3d"], &["out.s3d"]),
    (&["replay", "c", "--backend", "reference", "-o", "out"], &[]),
    (&["man", "-o", "."], &["molehill.1", "molehill-shader.1", "molehill-replay.1"]),
    (&["shader", "asm", "p", "--stage", "vertex", "-o", "out"], &["out"]),
    (
        &["conform", "--self-test", "--backend", "null", "--filter", "self.pass.01", "-o", "."],
        &["results.jsonl", "junit.xml", "index.html"],
    ),
    (&["conform", "save", ".", "--filter", "api.scissor.all"], &["api.scissor.all.s3d.jsonl"]),
];

/// The test truncates files up to this size at every byte, larger files at about 16 positions and before the last byte.
const SMALL: usize = 200;

/// Runs the tool with a maximum file size. Ignores the signal SIGXFSZ, because a full disk sends no signal.
fn run_within(folder: &Path, arguments: &[&str], bytes: usize) -> Output {
    let line = format!("trap '' XFSZ; exec prlimit --fsize={bytes}:{bytes} \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &line, env!("CARGO_BIN_EXE_molehill")]).args(arguments);
    command.current_dir(folder).env_remove("RUST_LOG").stdin(Stdio::null()).output().unwrap()
}

/// Creates a folder with the commands' input files.
fn folder(name: &str) -> PathBuf {
    let folder = run::folder(&format!("disk-{name}"));
    fs::write(folder.join("c"), CAPTURE).unwrap();
    let frames: String = (2..20_000).map(|frame| format!("{{\"frame\":{frame}}}\n")).collect();
    fs::write(folder.join("long"), CAPTURE.to_owned() + &frames).unwrap();
    fs::write(folder.join("p"), PROGRAM).unwrap();
    folder
}

/// Writes a file with the content `old` under each output name.
fn prepare(folder: &Path, files: &[&str]) {
    let _ = fs::remove_dir_all(folder.join("out"));
    files.iter().for_each(|file| fs::write(folder.join(file), "old").unwrap());
}

/// Returns the content of all files except the inputs, including the folder `out`.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let folders = [folder.to_owned(), folder.join("out")];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten());
    let files = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let all = files.map(|path| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, fs::read(path).unwrap())
    });
    all.filter(|(name, _)| !["c", "p", "long", ".lock", ".replayed-pictures"].contains(&&**name))
        .collect()
}

/// Returns whether an output file is complete. Reports contain times, so only their structure is checked.
fn is_whole(name: &str, bytes: &[u8], whole: &[u8]) -> bool {
    let end = |bytes: &[u8]| bytes[bytes.len().saturating_sub(8)..].to_vec();
    match name {
        "index.html" | "junit.xml" => end(bytes) == end(whole),
        "results.jsonl" => bytes.ends_with(b"}\n") && whole.starts_with(&bytes[..100]),
        _ => bytes == whole,
    }
}

/// Runs a command, then repeats the command with less and less space.
fn check(number: usize, (arguments, files): &Writer) {
    let folder = folder(&number.to_string());
    prepare(&folder, files);
    let output = molehill(&folder, arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    let whole = content(&folder);
    assert!(files.iter().all(|file| whole[*file] != b"old"), "{arguments:?}");
    let size = whole.values().map(Vec::len).max().unwrap();
    let step = if size <= SMALL { 1 } else { size / 16 };
    let almost = whole.values().map(|file| file.len() - 1);
    for bytes in (0..size).step_by(step).chain(almost) {
        prepare(&folder, files);
        let output = run_within(&folder, arguments, bytes);
        let message = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {bytes}: {message}");
        assert!(message.contains("File too large"), "{arguments:?} {bytes}: {message}");
        for (name, found) in content(&folder) {
            let old = files.contains(&&*name) && found == b"old";
            let good = whole.get(&name).is_some_and(|whole| is_whole(&name, &found, whole));
            assert!(old || good, "{arguments:?} {bytes}: {name} of {} bytes", found.len());
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_full_disk_leaves_old_or_new_files_and_a_message() {
    parallel::each(WRITERS, check);
}

/// A run that is killed while it waits leaves a hidden file, which the next run removes.
#[test]
fn a_stalled_conversion_has_no_file_under_its_name() {
    let folder = folder("stalled");
    prepare(&folder, &["out.s3d"]);
    let mut command = molehill(&folder, &["convert", "-", "-o", "out.s3d"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let half = CAPTURE.len() - 8;
    input.write_all(&CAPTURE.as_bytes()[..half]).unwrap();
    let begin = Instant::now();
    while content(&folder).len() < 2 {
        assert!(begin.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(content(&folder)["out.s3d"], b"old");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(input);
    assert_eq!(content(&folder).len(), 2);
    let output = molehill(&folder, &["convert", "c", "-o", "out.s3d"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let files = content(&folder);
    assert!(files.len() == 1 && files["out.s3d"] != b"old", "{:?}", files.keys());
}

/// Tests standard output and standard error on a full disk.
#[test]
fn a_full_standard_output_is_an_error() {
    let folder = folder("output");
    prepare(&folder, &[]);
    let commands: [&[&str]; 7] = [
        &["--help"],
        &["help", "convert"],
        &["--version"],
        &["dump", "c"],
        &["convert", "c", "-o", "-"],
        &["conform", "list"],
        &["info", "c", "--json"],
    ];
    for arguments in commands {
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let output = molehill(&folder, arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains("No space left"), "{arguments:?}: {}", stderr(&output));
    }
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let status = molehill(&folder, &["dump", "no file"]).stderr(full).status().unwrap();
    assert_eq!(status.code(), Some(2));
}
