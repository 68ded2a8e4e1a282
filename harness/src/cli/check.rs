//! `molehill check`

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};

use super::progress::{Done, Progress};
use super::{Failure, Status, json_argument, output, profile, profile_argument, renderer};
use molehill_conform::suite::{
    KnownFailures, PEER_TOLERANCE, Settings, find, json, run as run_cases, table,
};
use molehill_replay::Options;

fn after_help() -> String {
    format!(
        "\
Examples:
  molehill check captures
  molehill check captures/triangle --out out --gles
  molehill check mine --known-failures mine/expectations.json --json

A case is a folder with a case.toml or case.json and a capture.s3d.jsonl, plain or .zst. Judged are expected.png (the
frame \"expectedFrame\" of the case, \"tolerance\" a channel, at most \"maxOutliers\" pixels off, in a case.toml with a
\"toleranceReason\") and flash-errors.txt (the numbers of the errors that Flash raised, in order). \"why\" and \"source\"
say what it is, \"knownFailure\" why it fails, and \"hashFrames\" lists frames whose pictures a conformance run compares
with its baseline. \"samples\" says how many samples a pixel the picture's machine took where the program asks for
antialiasing: the reference renderer takes as many. A replay that breaks off, or meets what Molehill can't do yet, fails.
peer.png, another player's picture, is compared and reported, never judged.

\"off expected\" counts the pixels that differ by more than \"tolerance\" says, which also names how many may. \"off peer\"
counts those that differ by more than {PEER_TOLERANCE} from the other player's picture.

Expectations failures are a JSON object of case names and reasons. A case that is listed and passes fails the run.

Exit status: 0 if no case fails, 1 if one does, 2 if the cases can't be read."
    )
}

pub(super) fn command() -> Command {
    Command::new("check")
        .about("Replays every case below some folders and judges it")
        .after_help(after_help())
        .arg(
            Arg::new("dirs")
                .value_name("DIR")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .help("Folders to search for cases"),
        )
        .arg(output::argument(
                "DIR",
                "Folder for pictures: NAME.png, and NAME.expected.png and NAME.peer.png where they differ",
        ))
        .arg(
            Arg::new("known-failures")
                .long("known-failures")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Failures with reasons [default: the project's list for its shared captures]"),
        )
        .args(renderer::arguments())
        .arg(profile_argument())
        .arg(json_argument())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let dirs: Vec<PathBuf> = matches
        .get_many::<PathBuf>("dirs")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    let renderer = renderer::chosen(matches);
    let known = match matches.get_one::<PathBuf>("known-failures") {
        Some(path) => KnownFailures::read(path),
        None => KnownFailures::built_in(),
    };
    let settings = Settings {
        known: known.map_err(|error| Failure(error.to_string()))?,
        out: matches.get_one::<PathBuf>("out").cloned(),
        replay: Options {
            profile: profile(matches),
            ..Options::default()
        },
    };
    let cases = find(&dirs).map_err(|error| Failure(error.to_string()))?;

    let mut progress = Progress::new();
    let (mut done, mut failed, total) = (0, 0, cases.len() as u64);
    let rows = run_cases(
        &cases,
        &settings,
        |case| renderer.factory_of(case.samples),
        |row| {
            done += 1;
            if row.verdict.fails() {
                failed += 1;
                progress.suspend(|| row.reasons().for_each(|reason| output::tell(&reason)));
            }
            progress.update(|| Done {
                what: format!("{done} of {total} cases, {failed} failed"),
                done,
                total: Some(total),
            });
        },
    );
    progress.finish();
    let rows = rows.map_err(|error| Failure(error.to_string()))?;
    if matches.get_flag("json") {
        output::print_json(&json(&rows))?;
    } else {
        output::print(&table(&rows))?;
    }
    Ok(if failed > 0 {
        Status::Mismatch
    } else {
        Status::Success
    })
}
