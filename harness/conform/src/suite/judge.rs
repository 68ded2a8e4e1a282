//! From what a replay did to a verdict.

use super::case::{Case, Expected};
use super::known::KnownFailures;
use molehill_replay::image::{Comparison, Hash, Image, ImageError, compare, read_png};

/// Differences of a channel that are not reported against another player's picture, which was drawn by another
/// rasteriser.
pub const PEER_TOLERANCE: u8 = 8;

/// What a replay of a case did.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Why it broke off, if it did.
    pub fatal: Option<String>,
    /// Numbers of the Flash errors raised, in order.
    pub errors: Vec<u16>,
    /// What Molehill can't do yet, with the number of calls.
    pub unsupported: Vec<(String, u64)>,
    /// The frame that `expected.png` shows.
    pub expected_frame: Option<Image>,
    /// The frame that `peer.png` shows.
    pub peer_frame: Option<Image>,
    /// Of the frames that are told apart from an earlier run's.
    pub hash: Hash,
}

/// What comes of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that is judged is right.
    Pass,
    /// It is not, and why.
    Fail(Vec<String>),
    /// It is not, for a reason that is known.
    KnownFailure(String),
    /// It is right though it is listed as a known failure: the list is out of date.
    UnexpectedPass(String),
}

impl Verdict {
    /// The run as a whole fails.
    pub fn fails(&self) -> bool {
        matches!(self, Verdict::Fail(_) | Verdict::UnexpectedPass(_))
    }

    /// A word for tables and machines.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Fail(_) => "fail",
            Verdict::KnownFailure(_) => "known failure",
            Verdict::UnexpectedPass(_) => "unexpected pass",
        }
    }
}

/// A verdict with the comparisons behind it and the pictures that were compared with.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Against `expected.png`.
    pub expected: Option<(Comparison, Image)>,
    /// Against `peer.png`.
    pub peer: Option<(Comparison, Image)>,
}

/// Judges an outcome.
///
/// # Errors
/// A picture of the case that can't be read, with its path.
pub fn judge(
    case: &Case,
    outcome: &Outcome,
    known: &KnownFailures,
) -> Result<Judgement, (std::path::PathBuf, ImageError)> {
    let known = known.reason(&case.name).or(case.known_failure.as_deref());
    let mut faults: Vec<String> = outcome.fatal.iter().cloned().collect();
    faults.extend(
        outcome
            .unsupported
            .iter()
            .map(|(what, calls)| format!("unsupported: {what} ({calls} calls)")),
    );

    let mut expected = None;
    if let Some(picture) = &case.expected {
        let wanted = read_png(&picture.path).map_err(|error| (picture.path.clone(), error))?;
        match &outcome.expected_frame {
            None => faults.push(format!("frame {} was never drawn", picture.frame)),
            Some(frame) => {
                let comparison = compare(frame, &wanted, picture.tolerance);
                if !comparison.passes(picture.max_outliers) {
                    faults.push(describe(&comparison, picture));
                }
                expected = Some((comparison, wanted));
            }
        }
    }
    if let Some(numbers) = &case.errors
        && *numbers != outcome.errors
    {
        faults.push(format!(
            "raised errors {:?}, Flash raised {numbers:?}",
            outcome.errors
        ));
    }
    let mut peer = None;
    if let (Some(picture), Some(frame)) = (&case.peer, &outcome.peer_frame) {
        let other = read_png(&picture.path).map_err(|error| (picture.path.clone(), error))?;
        peer = Some((compare(frame, &other, PEER_TOLERANCE), other));
    }
    Ok(Judgement {
        verdict: verdict(faults, known),
        expected,
        peer,
    })
}

fn describe(comparison: &Comparison, picture: &Expected) -> String {
    let Comparison {
        actual_size,
        expected_size,
        differing,
        max_delta,
    } = comparison;
    if actual_size == expected_size {
        let may = picture.max_outliers;
        let why = picture.reason.as_deref();
        let why = why
            .map(|why| format!(", because {why}"))
            .unwrap_or_default();
        format!("{differing} pixels differ, by up to {max_delta}; {may} may{why}")
    } else {
        let size = |(width, height): &(u32, u32)| format!("{width}×{height}");
        format!(
            "drew {}, expected {}",
            size(actual_size),
            size(expected_size)
        )
    }
}

fn verdict(faults: Vec<String>, reason: Option<&str>) -> Verdict {
    match (faults.is_empty(), reason) {
        (true, None) => Verdict::Pass,
        (false, None) => Verdict::Fail(faults),
        (false, Some(reason)) => Verdict::KnownFailure(reason.to_owned()),
        (true, Some(reason)) => Verdict::UnexpectedPass(reason.to_owned()),
    }
}
