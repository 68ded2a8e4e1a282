//! `molehill check`

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread::available_parallelism;

use clap::{ArgMatches, Command};

use super::conform::finish::status;
use super::conform::shared::{jobs, known_failures, pool, pool_arguments, run_cases};
use super::{Failure, Status, arguments, output, renderer};
use crate::renderer::RendererKind;
use molehill_conform::capture_case::PEER_TOLERANCE;
use molehill_conform::case::{Body, Case};
use molehill_conform::device::Device;
use molehill_conform::report::Totals;
use molehill_conform::report::captures::{Row, json, table};
use molehill_conform::{CaseSet, Outcome, SuiteOptions};

/// Time limit of a case in seconds.
const TIMEOUT: &str = "600";

fn after_help() -> String {
    format!(
        "\
Examples:
  molehill check captures
  molehill check captures/triangle --out out --gles
  molehill check mine --known-failures mine/known.json --json

A case is a folder with a case.toml or case.json and a capture.s3d.jsonl, plain or .zst, or capture.s3d. It is checked against
expected.png (frame \"expectedFrame\" of the case, within \"tolerance\" per channel, with at most \"maxOutliers\" other
pixels; a case.toml also needs a \"toleranceReason\") and flash-errors.txt (the numbers of Flash's errors, in order).
\"why\" and \"source\" describe the case, \"knownFailure\" says why it fails, and \"hashFrames\" lists frames whose
pictures a conformance run compares with its baseline. \"samples\" is the number of samples per pixel that the picture's
machine used for any antialiasing; the reference renderer uses the same. A replay that ends early, or needs a feature that
Molehill lacks, fails. peer.png, another player's picture, is compared and reported, not checked.

\"off expected\" counts the pixels that differ by more than \"tolerance\"; the allowed number follows it. \"off peer\"
counts those that differ by more than {PEER_TOLERANCE} from the other player's picture.

Known failures are a JSON object of case names and reasons, or a list as for \"conform\". A listed case that passes fails
the run. Cases run in child processes, as in \"conform\": one that crashes or hangs fails, and the run continues.

Exit status: 0; 1 if a case fails, or the device supports none; 2 if the cases can't be read."
    )
}

pub(super) fn command() -> Command {
    Command::new("check")
        .about("Replays the captures in folders and checks pictures and errors")
        .after_help(after_help())
        .arg(
            arguments::files("dirs", "DIR", "Folders to search for cases")
                .required(true)
                .num_args(1..),
        )
        .arg(output::argument(
            "DIR",
            "Folder for pictures: NAME.png, and NAME.expected.png and NAME.peer.png if they differ",
        ))
        .arg(known_failures())
        .args(pool_arguments(TIMEOUT))
        .args(renderer::arguments())
        .arg(arguments::profile())
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let dirs = matches.get_many::<PathBuf>("dirs").into_iter().flatten();
    let device = if matches.get_flag("gles") { Device::Gles } else { Device::Gl };
    let mut options = SuiteOptions {
        renderer: renderer::options(matches),
        profile: arguments::profile_of(matches),
        case_set: CaseSet::Captures,
        folders: dirs.cloned().collect(),
        known_failures: matches.get_one::<PathBuf>("known-failures").cloned(),
        pictures: matches.get_one::<PathBuf>("out").cloned(),
        ..SuiteOptions::new(device)
    };
    let cases = options.cases()?;
    options.expectations()?;
    if let Some(out) = &options.pictures {
        output::make_folder(out)?;
    }
    match renderer::kind(matches) {
        RendererKind::OpenGl => {}
        RendererKind::Reference => options.device = Device::Reference,
        RendererKind::Auto => {
            if let Err(error) = pool(&options, matches)?.driver() {
                output::tell(&format!("{error}; using the reference renderer"));
                options.device = Device::Reference;
            }
        }
    }
    // The processors are divided among the parallel cases.
    let jobs = jobs(matches).min(cases.len());
    let processors = available_parallelism().map_or(1, |count| count.get());
    let share = NonZeroUsize::new(processors / jobs.max(1));
    options.renderer.threads = options.renderer.threads.or(share);

    let mut outcomes = HashMap::new();
    run_cases(&pool(&options, matches)?, &cases, Totals::default(), |outcome| {
        outcomes.insert(outcome.name.clone(), outcome);
        Ok(())
    })?;
    let rows: Vec<Row<'_>> = cases.iter().filter_map(|case| row(case, &outcomes)).collect();
    output::give(matches, || json(&rows), || table(&rows))?;
    let totals = Totals::of(rows.iter().map(|row| row.outcome));
    Ok(status(&totals, true))
}

fn row<'a>(case: &'a Case, outcomes: &'a HashMap<String, Outcome>) -> Option<Row<'a>> {
    let picture = match &case.body {
        Body::Capture(capture) => capture.expected.as_ref(),
        _ => None,
    };
    let outcome = outcomes.get(&case.name)?;
    Some(Row { outcome, picture })
}
