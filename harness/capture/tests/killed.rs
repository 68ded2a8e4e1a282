//! Tests that the recording of a killed process can be opened, and lacks at most the frame that was being written.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use context3d::{Invocation, Profile, Reply};
use molehill_capture::{
    CaptureHeader, CaptureIndex, CaptureReader, CaptureRecord, CaptureRecorder,
};

/// The environment variable with the recorder's file.
const FILE: &str = "MOLEHILL_KILLED_FILE";
/// Number of reported frames after which the process is killed.
const FRAMES: u32 = 1000;
/// Calls per frame.
const CALLS: u32 = 20;
/// Maximum number of frames that wait for the worker thread.
const WAITING: u32 = 1;

/// Runs as the process that the test below kills.
#[test]
#[ignore = "a process of its own, started by the test below"]
fn recorder() {
    let path = PathBuf::from(std::env::var_os(FILE).expect("the test below sets it"));
    let header = CaptureHeader {
        title: String::new(),
        swf_version: 30,
        stage_width: 8,
        stage_height: 8,
        stage_color: [0; 3],
        frame_rate: None,
        generator: None,
    };
    let mut recorder = CaptureRecorder::create(&path, &header, u64::MAX).unwrap();
    let context = recorder.context(0, "auto", Profile::Baseline);
    let mut out = std::io::stdout();
    for frame in 0.. {
        for _ in 0..CALLS {
            let command = Invocation::SetIgnoreResourceLimits { value: frame % 2 == 0 };
            recorder.call(context, &command, &Ok(Reply::Done));
        }
        recorder.end_frame();
        writeln!(out, "{frame}").unwrap();
    }
}

/// Starts a recording process, kills it when it has reported a frame, and returns the last frame that it reported.
fn kill(file: &Path, after: u32) -> u32 {
    let mut child = Process::new(std::env::current_exe().unwrap())
        .args(["recorder", "--exact", "--ignored", "--nocapture"])
        .env(FILE, file)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut frames = lines.map_while(Result::ok).filter_map(|line| line.trim().parse().ok());
    let found = frames.find(|frame| *frame >= after).unwrap();
    // On Unix this sends SIGKILL: no more code of the process runs.
    child.kill().unwrap();
    child.wait().unwrap();
    frames.last().unwrap_or(found)
}

#[test]
fn a_killed_recording_opens() {
    for end in ["s3d", "s3d.jsonl"] {
        let name = format!("molehill-killed-{}.{end}", std::process::id());
        let file = std::env::temp_dir().join(name);
        let reported = kill(&file, FRAMES);
        let mut frames = 0;
        let mut calls = 0;
        // An error at the end is expected, because the kill truncates the file.
        for item in CaptureReader::open(&file).unwrap().map_while(Result::ok) {
            match item.1 {
                CaptureRecord::Call(_) => calls += 1,
                CaptureRecord::Frame(frame) => {
                    assert_eq!(frame, frames);
                    frames += 1;
                    assert_eq!(calls, frames * CALLS + 1, "{end}");
                }
                CaptureRecord::Event(_) | CaptureRecord::Note(_) => {
                    unreachable!("none was recorded")
                }
            }
        }
        assert!(frames + WAITING > reported, "{end}: {frames} frames, {reported} were reported");
        let (index, _) = CaptureIndex::open(&file).unwrap();
        assert_eq!(index.frames().count(), frames as usize, "{end}");
        std::fs::remove_file(file).unwrap();
    }
}
