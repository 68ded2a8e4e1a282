//! `molehill hs50 fuzz`

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;

use super::translate::{target, target_of};
use crate::cli::{Failure, Status, json_argument, output};
use molehill_tessellation::Campaign;

/// Failures after which it ends.
const MAX_FAILURES: usize = 10;

pub(super) fn command() -> Command {
    let number = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("N")
            .value_parser(value_parser!(u64))
            .help(help)
    };
    Command::new("fuzz")
        .about("Compares the driver with the interpreter on random hull shaders")
        .arg(number(
            "seconds",
            "End after so long [default: 10 without --count]",
        ))
        .arg(number("count", "End after so many programs"))
        .arg(
            number(
                "seed",
                "Seed of the first program; the next one's is one more",
            )
            .default_value("0"),
        )
        .arg(target())
        .arg(
            Arg::new("dir")
                .long("dir")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .default_value(".")
                .help("Folder for programs that differ"),
        )
        .arg(json_argument())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let target = target_of(matches);
    let mut campaign = Campaign::open(target).map_err(|error| Failure(error.to_string()))?;
    let number = |name: &str| matches.get_one::<u64>(name).copied();
    let (count, seed) = (number("count"), number("seed").unwrap_or(0));
    let seconds = number("seconds")
        .or(count.is_none().then_some(10))
        .map(Duration::from_secs);
    let folder = matches
        .get_one::<PathBuf>("dir")
        .cloned()
        .unwrap_or_default();
    let started = Instant::now();
    let (mut tried, mut failures) = (0, Vec::new());
    while failures.len() < MAX_FAILURES
        && count.is_none_or(|count| tried < count)
        && seconds.is_none_or(|end| started.elapsed() < end)
    {
        if let Err(found) = campaign.step(seed.wrapping_add(tried)) {
            let path = folder.join(format!("differs-{}.hs50", found.seed));
            let text = format!(
                "// seed {}: {}\n{}",
                found.seed,
                found.reason.replace('\n', " "),
                found.text
            );
            fs::write(&path, text)
                .map_err(|error| Failure(format!("{}: {error}", path.display())))?;
            output::tell(&format!("{}: {}", path.display(), found.reason));
            failures.push(json!({"seed": found.seed, "file": path.display().to_string(), "reason": found.reason}));
        }
        tried += 1;
    }
    let seconds = started.elapsed().as_secs_f64();
    if matches.get_flag("json") {
        output::print_json(&json!({
            "driver": campaign.renderer(), "target": target.name(), "programs": campaign.programs,
            "components": campaign.components, "open": campaign.open, "failures": failures, "seconds": seconds,
        }))?;
    } else {
        output::print(&format!(
            "{}, GLSL {}: {} programs agree in {} components ({} met infinities and are left open), {} differ, {seconds:.1} s\n",
            campaign.renderer(),
            target.name(),
            campaign.programs,
            campaign.components,
            campaign.open,
            failures.len()
        ))?;
    }
    Ok(if failures.is_empty() {
        Status::Success
    } else {
        Status::Mismatch
    })
}
