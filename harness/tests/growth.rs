//! Tests that work and memory grow at most like n log n with the input's size. The tests count allocations, memory and
//! (by valgrind) instructions at three sizes, each four times the previous size. Times aren't compared.
//!
//! `MOLEHILL_COUNT_INSTRUCTIONS` counts instructions, as in the nightly run: valgrind takes a minute. The work of code
//! that allocates nothing is measured only by instructions.

#[path = "growth/cases.rs"]
mod cases;

use std::io::Write;
use std::process::{Command, ExitCode, Stdio};

use allocation_counter::measure;
use cases::{CASES, Case};
use libtest_mimic::{Arguments, Failed, Trial};

/// The environment variable with the name and size of a case that a child process runs once.
const ONCE: &str = "MOLEHILL_GROWTH";
/// The environment variable that makes the tests count instructions, too.
const COUNT: &str = "MOLEHILL_COUNT_INSTRUCTIONS";
/// The factor between successive input sizes.
const TIMES: usize = 4;
/// Maximum growth of a count from one size to the next, without the smallest size's count. n log n grows by up to 5,
/// the square by 16.
const GROWTH: u64 = 5;

/// Checks that a count grows at most as n log n. Differences up to `few` are ignored, because lists grow in steps.
fn grows(what: &str, few: u64, [small, middle, large]: [u64; 3]) -> Result<(), Failed> {
    let (first, second) = (middle.saturating_sub(small), large.saturating_sub(middle));
    match second <= GROWTH * first + few {
        true => Ok(()),
        false => Err(format!("{what}: {small}, {middle}, {large}").into()),
    }
}

/// Returns the number of instructions of a process that runs a case once.
fn instructions(case: &Case, size: usize) -> Result<u64, Failed> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    valgrind.arg(std::env::current_exe()?).env(ONCE, format!("{} {size}", case.name));
    let output =
        valgrind.stdin(Stdio::null()).output().map_err(|error| format!("valgrind: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let line =
        text.lines().find_map(|line| line.split_once("I refs:").or(line.split_once("I   refs:")));
    let count = line.map(|(_, count)| count.replace(',', "").trim().parse());
    match (output.status.success(), count) {
        (true, Some(count)) => Ok(count?),
        _ => Err(format!("valgrind failed:\n{text}").into()),
    }
}

fn check(case: &Case) -> Result<(), Failed> {
    let sizes = [case.size, case.size * TIMES, case.size * TIMES * TIMES];
    let counted = sizes.map(|size| {
        let work = (case.prepare)(size);
        measure(work)
    });
    grows("bytes at one time", 1 << 19, counted.map(|info| info.bytes_max))?;
    grows("bytes in all", 1 << 19, counted.map(|info| info.bytes_total))?;
    grows("allocations", 1 << 12, counted.map(|info| info.count_total))?;
    if std::env::var_os(COUNT).is_none() {
        return Ok(());
    }
    let mut counts = [0; 3];
    for (count, size) in counts.iter_mut().zip(sizes) {
        *count = instructions(case, size)?;
    }
    // The counts are visible with `--nocapture`; `--test-threads 1` gives the order of the cases.
    let _ = writeln!(std::io::stderr(), "{}: {counts:?} instructions", case.name);
    grows("instructions", 1 << 17, counts)
}

fn main() -> ExitCode {
    if let Ok(once) = std::env::var(ONCE) {
        let (name, size) = once.rsplit_once(' ').expect("a name and a size");
        let case = CASES.iter().find(|case| case.name == name).expect("a case");
        (case.prepare)(size.parse().expect("a size"))();
        return ExitCode::SUCCESS;
    }
    let trials = CASES.iter().map(|case| Trial::test(case.name, || check(case)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}
