//! Judging captures: finds cases, replays them, and says which fail.
//!
//! A case is a folder with a `case.toml` or a `case.json` beside its capture, in the layout of the shared captures:
//!
//! | file | judged |
//! |---|---|
//! | `expected.png` | yes: frame `expectedFrame` must match within `tolerance` a channel, at most `maxOutliers` pixels off |
//! | `flash-errors.txt` | yes: the numbers of the errors that Flash Player raised, in order |
//! | `peer.png` | no: another player's picture of frame `peerFrame`, compared and reported |
//!
//! The case file has the numbers that are named above, and may also hold `why`, what the case is there for; `source`, where it
//! comes from; `toleranceReason`, which a `case.toml` must have where its picture may differ; `knownFailure`, why it is known
//! to fail; and `hashFrames`, a list of frames whose pictures are told apart from those of an earlier run, instead of the
//! frame that is judged; and `samples`, how many samples a pixel the machine of the picture took where the program asks for
//! antialiasing, if that is known: the reference renderer takes as many.
//!
//! A replay that breaks off, or that meets something Molehill can't do yet, fails too. Failures that are understood
//! stand with their reason in a [`KnownFailures`] file, and a case listed there that passes fails the run, so that the
//! list never outlives its reasons.

mod case;
mod judge;
mod known;
mod report;
mod run;

pub use case::capture_in;
pub use case::{Case, CaseError, Expected, Peer, find};
pub use judge::{Judgement, Outcome, PEER_TOLERANCE, Verdict, judge};
pub use known::{KnownFailures, KnownFailuresError};
pub use report::{Row, json, table};
pub use run::{Ran, RunError, Settings, run, run_case};
