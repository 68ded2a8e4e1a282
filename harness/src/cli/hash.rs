//! `molehill hash`

use clap::{Arg, ArgMatches, Command};
use serde_json::json;

use super::capture::Interruption;
use super::frames::{Ended, Frames};
use super::{Failure, Status, arguments, capture, output, renderer};
use molehill_replay::image::{Hash, Image};
use molehill_replay::{Observer, Options, Replayer, run as play};

const AFTER_HELP: &str = "\
Examples:
  molehill hash capture.s3d
      a line for each frame
  molehill hash capture.s3d.jsonl -f 10-20 --backend reference
      some frames, as the reference renderer draws them: the same on every machine
  git bisect run sh -c 'molehill hash game.s3d -f 7 --backend reference | grep -q 0123456789abcdef'
      finds the change that altered a frame

A line ends in a hash of the size and of every pixel of the stage at the end of the frame, as \"molehill replay\" would write
it: the same pixels have the same hash, in every version. Drivers round differently, so OpenGL hashes are only comparable on
the same machine.

Exit status: 0; 2 if the capture is invalid, can't be replayed, or lacks a requested frame.";

pub(super) fn command() -> Command {
    Command::new("hash")
        .about("Prints a hash of the picture of each frame")
        .after_help(AFTER_HELP)
        .arg(capture::argument())
        .arg(
            Arg::new("frames")
                .short('f')
                .long("frames")
                .value_name("WHICH")
                .value_parser(|text: &str| Frames::parse(text))
                .help("Frames: all, last, or numbers and ranges like 0,5,10-20 [default: all]"),
        )
        .arg(arguments::profile())
        .args(renderer::arguments())
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let (path, mut reader) = capture::open(matches)?;
    let name = capture::name(&path);
    let options = Options { profile: arguments::profile_of(matches), ..Options::default() };
    let header = reader.header().clone();
    let mut replayer = Replayer::new(&header, renderer::chosen(matches).factory(), options);
    let mut hashes = Hashes {
        frames: matches.get_one("frames").cloned().unwrap_or(Frames::All),
        ended: Ended::default(),
        // A single JSON object is printed at the end.
        json: matches.get_flag("json").then(Vec::new),
    };
    let played = play(&mut reader, &mut replayer, &mut hashes);
    let failure = match played {
        Err(error) => Some(Interruption::of_replay(&error, &name)),
        Ok(()) => hashes
            .ended
            .lacks(&hashes.frames)
            .map(|lacks| Interruption::new(None, format!("{name}: {lacks}"))),
    };
    if let Some(hashes) = hashes.json {
        let object = json!({ "capture": name, "hashes": hashes, "failure": failure });
        output::print_json(&object)?;
    }
    failure.map_or(Ok(Status::Success), Interruption::status)
}

/// Prints or collects the hashes of frames.
struct Hashes {
    frames: Frames,
    ended: Ended,
    json: Option<Vec<serde_json::Value>>,
}

impl Observer for Hashes {
    fn wants_frame(&mut self, frame: u32) -> bool {
        self.ended.add(frame, Some(&self.frames));
        self.frames.contains(frame)
    }

    fn frame(&mut self, frame: u32, image: &Image) -> Result<(), String> {
        let mut hash = Hash::default();
        hash.add(image);
        let hash = hash.finish().unwrap_or_default();
        match &mut self.json {
            Some(frames) => {
                frames.push(json!({ "frame": frame, "hash": hash }));
                Ok(())
            }
            None => output::print(&format!("frame {frame:6} {hash}\n"))
                .map_err(|Failure(reason)| reason),
        }
    }

    fn wants_last_frame(&self) -> bool {
        self.frames == Frames::Last
    }

    fn last_frame(&mut self, frame: u32, image: Image) -> Result<(), String> {
        self.frame(frame, &image)
    }

    fn is_finished(&self) -> bool {
        self.frames.end().zip(self.ended.last).is_some_and(|(end, last)| end <= last)
    }
}
