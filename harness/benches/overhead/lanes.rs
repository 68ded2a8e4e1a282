//! Measures variants of a benchmark's workload alternately.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use crate::row::Samples;
use crate::{Failed, Target};

/// A function that runs one variant of the workload once and returns the elapsed time.
pub(crate) type Lane<'a> = Box<dyn FnMut() -> Result<Duration, Failed> + 'a>;

/// Returns the time of some work: processor time of this thread, or wall time for the reference renderer, which has
/// worker threads.
pub(crate) fn time(
    target: Target,
    work: impl FnOnce() -> Result<(), Failed>,
) -> Result<Duration, Failed> {
    if target == Target::Reference {
        let start = Instant::now();
        work()?;
        return Ok(start.elapsed());
    }
    let start = ThreadTime::now();
    work()?;
    Ok(start.elapsed())
}

/// Runs all variants in turn, `rounds` times after one warm-up round. Returns the samples of each variant, in
/// nanoseconds divided by `units` (usually the number of draws).
pub(crate) fn take_turns(
    lanes: &mut [Lane<'_>],
    rounds: usize,
    units: f64,
) -> Result<Vec<Samples>, Failed> {
    let mut samples = vec![Vec::with_capacity(rounds); lanes.len()];
    for round in 0..=rounds {
        for (lane, samples) in lanes.iter_mut().zip(&mut samples) {
            let took = lane()?;
            if round > 0 {
                samples.push(took.as_secs_f64() * 1e9 / units);
            }
        }
    }
    Ok(samples.into_iter().map(Samples::new).collect())
}
