//! Ways that are measured in turns.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use crate::row::Samples;
use crate::{Failed, Target};

/// One way: does its work once, and gives the time that it took.
pub(crate) type Lane<'a> = Box<dyn FnMut() -> Result<Duration, Failed> + 'a>;

/// The time of some work: of this thread's processor, or by the clock for a target with threads of its own.
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

/// Runs all ways in turns, `rounds` times after one that doesn't count. Gives the nanoseconds of each for one of `units`.
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
