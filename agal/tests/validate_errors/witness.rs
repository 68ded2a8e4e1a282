//! Tests an invalid program for each row of the error table, with the expected number, class, token and exact message.

use std::collections::BTreeMap;

use agal::errors::{ErrorClass, ErrorKind};
use agal::{AgalError, LinkedPair};

use super::case::Case;
use super::{witness_form, witness_operands};

/// An invalid program, its error, and the expected error.
pub(crate) struct Witness {
    pub(crate) number: u16,
    pub(crate) kind: ErrorKind,
    pub(crate) token: u32,
    pub(crate) message: &'static str,
    pub(crate) outcome: Result<LinkedPair, AgalError>,
}

/// Returns the error of a case, or of a separate upload.
pub(crate) trait Outcome {
    fn outcome(self) -> Result<LinkedPair, AgalError>;
}

impl Outcome for Case {
    fn outcome(self) -> Result<LinkedPair, AgalError> {
        self.upload()
    }
}

impl Outcome for Result<LinkedPair, AgalError> {
    fn outcome(self) -> Result<LinkedPair, AgalError> {
        self
    }
}

/// Each row has the error number, the row of the table, the token (0: none), an invalid program and the message.
macro_rules! witnesses {
    ($($number:literal $kind:ident at $token:literal: $case:expr => $message:literal;)*) => {
        pub(crate) fn witnesses() -> Vec<Witness> {
            vec![$(Witness {
                number: $number,
                kind: agal::errors::ErrorKind::$kind,
                token: $token,
                message: $message,
                outcome: crate::witness::Outcome::outcome($case),
            },)*]
        }
    };
}
pub(crate) use witnesses;

fn all() -> impl Iterator<Item = Witness> {
    let form = witness_form::witnesses();
    form.into_iter().chain(witness_operands::witnesses())
}

/// [agal.message.class] [agal.message.kind] [agal.message.opcode_name] [agal.message.spelling]
#[test]
fn every_witness_is_refused_in_flash_words() {
    for witness in all() {
        let number = witness.number;
        assert_eq!(witness.kind.number(), number);
        let Err(error) = witness.outcome else {
            panic!("#{number} is not raised");
        };
        assert_eq!(error.kind(), witness.kind, "{error}");
        assert_eq!(error.number(), number);
        assert_eq!(error.message(), witness.message);
        assert_eq!(error.token().unwrap_or(0), witness.token, "{error}");
        // A big-endian array and an empty array are the only causes of an ArgumentError ([agal.message.class]).
        let class = match number {
            3612 => ErrorClass::ArgumentError,
            _ => ErrorClass::Error,
        };
        assert_eq!(error.class(), class, "{error}");
    }
}

/// Each row whose error this crate raises has exactly one invalid program; other rows have none.
#[test]
fn every_row_has_its_witness() {
    let mut witnessed = BTreeMap::<u16, u32>::new();
    for witness in all() {
        *witnessed.entry(witness.number).or_default() += 1;
    }
    for kind in ErrorKind::ALL {
        let count = witnessed.remove(&kind.number()).unwrap_or(0);
        let expected = u32::from(kind.raised_by().is_this_crate());
        assert_eq!(count, expected, "#{}: {}", kind.number(), kind.raised_by());
    }
    assert!(witnessed.is_empty(), "{witnessed:?}");
}
