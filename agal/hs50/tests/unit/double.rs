//! Tests the formulas of double instructions.

use super::*;
use crate::tokens::opcode::Allowed;

#[test]
fn every_opcode_of_doubles_has_a_row() {
    for opcode in Opcode::ALL {
        let expected = matches!(opcode.allowed(), Allowed::Double | Allowed::Double11);
        assert_eq!(double(*opcode).is_some(), expected, "{}", opcode.name());
    }
}
