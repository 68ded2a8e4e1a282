//! Tests each error of the error table: a call that raises it, and the same call without error checking.
//!
//! Source: `REFERENCE-errors.md`. No source shows the results without error checking [context3d.error.unchecked].

mod arguments;
#[path = "../common/mod.rs"]
mod common;
mod creation;
mod drawing;
mod limits;
mod order;
mod parameters;
mod targets;

use common::Rig;
use context3d::errors::ErrorClass;
use context3d::internals::ErrorCondition;
use context3d::packets::Packet;
use context3d::{Error, ErrorCode, Profile, Reply};

/// The result of a call.
type Outcome = Result<Reply, Error>;

/// A call that must raise an error.
type Call = fn(&mut Rig) -> Outcome;

/// Returns the outcome of a method without a result.
fn done(result: Result<(), Error>) -> Outcome {
    result.map(|()| Reply::Done)
}

/// Returns the outcome of a method that creates an object.
fn made<T>(result: Result<T, Error>) -> Outcome {
    result.map(|_| Reply::Done)
}

/// The expected result of a call without error checking.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unchecked {
    Raised,
    /// The draw is dropped because of this error.
    Skipped(ErrorCode),
    /// The draw is executed.
    Drawn,
    /// A call other than a draw succeeds or has no effect.
    Done,
}

struct Case {
    code: ErrorCode,
    what: &'static str,
    profile: Profile,
    swf_version: u32,
    class: ErrorClass,
    unchecked: Unchecked,
    call: Call,
}

/// Creates a test of an error in profile `baseline` with SWF 30; class and condition are those of the error table.
fn case(code: ErrorCode, what: &'static str, call: Call) -> Case {
    let unchecked = match code.raised() {
        ErrorCondition::Always => Unchecked::Raised,
        ErrorCondition::CheckingElseSkipped => Unchecked::Skipped(code),
        ErrorCondition::CheckingElseDrawn => Unchecked::Drawn,
    };
    Case {
        code,
        what,
        profile: Profile::Baseline,
        swf_version: 30,
        class: code.class(),
        unchecked,
        call,
    }
}

impl Case {
    fn profile(self, profile: Profile) -> Self {
        Case { profile, ..self }
    }

    fn swf(self, swf_version: u32) -> Self {
        Case { swf_version, ..self }
    }

    /// Sets the expected error class, for an error that the call raises with another class than the error table's.
    fn class(self, class: ErrorClass) -> Self {
        Case { class, ..self }
    }

    /// Sets the expected result without error checking, for a call that deviates from the error table.
    fn unchecked(self, unchecked: Unchecked) -> Self {
        Case { unchecked, ..self }
    }

    fn check(&self, checking: bool) {
        let mut rig = Rig::new(self.profile, self.swf_version);
        common::legal(rig.context.set_error_checking(checking));
        let what = format!("{} ({}), checking {checking}", self.code.number(), self.what);
        let result = (self.call)(&mut rig);
        let draws = rig.packets();
        let draws = draws.iter().filter(|p| matches!(p, Packet::Draw(_)));
        let drawn = draws.count() > 0;
        let expected = if checking { Unchecked::Raised } else { self.unchecked };
        match expected {
            Unchecked::Raised => {
                let Err(Error::Flash(error)) = result else { panic!("{what}: {result:?}") };
                let got = (error.number(), error.class());
                assert_eq!(got, (self.code.number(), self.class), "{what}: {error}");
                assert!(!error.message().contains('%'), "{what}: {error}");
            }
            Unchecked::Skipped(code) => {
                assert_eq!(result, Ok(Reply::Skipped(code)), "{what}");
                assert!(!drawn, "{what}: was drawn");
            }
            Unchecked::Drawn | Unchecked::Done => {
                assert_eq!(result, Ok(Reply::Done), "{what}");
                assert_eq!(drawn, expected == Unchecked::Drawn, "{what}");
            }
        }
        // `draw_error` must predict the error that checking would raise.
        if self.code.raised() != ErrorCondition::Always
            && let [_, Some(error)] = rig.foreseen
        {
            let text = error.as3_message();
            assert!(error.code() == self.code && !text.contains('%'), "{what}: {text}");
        }
    }
}

fn cases() -> Vec<Case> {
    let mut cases = arguments::cases();
    cases.extend(creation::cases());
    cases.extend(drawing::cases());
    cases.extend(targets::cases());
    cases
}

#[test]
fn each_row_is_raised_with_its_number_and_class() {
    for case in cases() {
        case.check(true);
    }
}

#[test]
fn without_error_checking_only_the_marked_rows_are_raised() {
    for case in cases() {
        case.check(false);
    }
}

#[test]
fn every_row_has_a_case() {
    let cases = cases();
    for code in ErrorCode::ALL {
        let covered = cases.iter().any(|case| case.code == *code);
        assert!(covered, "nothing raises {code:?}");
    }
}

#[test]
fn rows_are_sorted_and_numbers_unique() {
    for pair in ErrorCode::ALL.windows(2) {
        assert!(pair[0].number() < pair[1].number(), "{:?} {:?}", pair[0], pair[1]);
    }
}
