//! Tests the formulas of double instructions.

use super::*;
use crate::tokens::opcode::OpcodeCondition;

#[test]
fn every_opcode_of_doubles_has_a_row() {
    for opcode in HullOpcode::ALL {
        let expected =
            matches!(opcode.allowed(), OpcodeCondition::Double | OpcodeCondition::Double11);
        assert_eq!(double(*opcode).is_some(), expected, "{}", opcode.name());
    }
}
