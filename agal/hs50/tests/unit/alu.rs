//! Tests the formulas of 32-bit instructions.

use super::*;
use crate::tokens::opcode::{Category, OpcodeCondition};

#[test]
fn every_plain_opcode_has_a_row() {
    use HullOpcode::{Dp2, Dp3, Dp4};
    for opcode in HullOpcode::ALL {
        let doubles =
            matches!(opcode.allowed(), OpcodeCondition::Double | OpcodeCondition::Double11);
        let plain = match opcode.category() {
            Category::Float | Category::Int | Category::Uint | Category::Bit => true,
            Category::Compare | Category::Convert | Category::Move => !doubles,
            _ => false,
        };
        let (row, name) = (alu(*opcode), opcode.name());
        assert_eq!(row.is_some(), plain && !matches!(opcode, Dp2 | Dp3 | Dp4), "{name}");
        if let Some(row) = row {
            assert_eq!(row.glsl[1].is_empty(), opcode.destinations().len() < 2, "{name}");
        }
    }
}

/// [hs50.value.bits] [hs50.value.denormals] [hs50.value.nan] [hs50.value.integers] [hs50.value.bitfields]
/// [hs50.value.half] [hs50.value.mad]
#[test]
fn formulas_give_what_the_table_says() {
    let eval = |opcode, sources| (alu(opcode).unwrap().eval)(sources);
    let one = |opcode, sources: [u32; 4]| eval(opcode, sources)[0];
    let bits = f32::to_bits;
    let nan = f32::NAN.to_bits();
    assert_eq!(one(HullOpcode::Min, [nan, bits(3.0), 0, 0]), bits(3.0));
    assert_eq!(one(HullOpcode::Max, [bits(3.0), nan, 0, 0]), bits(3.0));
    assert_eq!(one(HullOpcode::Ne, [nan, nan, 0, 0]), u32::MAX);
    assert_eq!(one(HullOpcode::Add, [1, 1, 0, 0]), 0, "denormals are zero");
    assert_eq!(one(HullOpcode::Mov, [1, 0, 0, 0]), 1, "but not to mov");
    assert_eq!(one(HullOpcode::Ftoi, [bits(-1e20), 0, 0, 0]), 0x8000_0000);
    assert_eq!(one(HullOpcode::Ftou, [bits(-1.0), 0, 0, 0]), 0);
    assert_eq!(one(HullOpcode::Ftou, [nan, 0, 0, 0]), 0);
    assert_eq!(one(HullOpcode::RoundNe, [bits(2.5), 0, 0, 0]), bits(2.0));
    assert_eq!(eval(HullOpcode::Udiv, [7, 0, 0, 0]), [u32::MAX; 2]);
    assert_eq!(eval(HullOpcode::Udiv, [7, 2, 0, 0]), [3, 1]);
    assert_eq!(eval(HullOpcode::Imul, [u32::MAX, 2, 0, 0]), [u32::MAX, u32::MAX - 1]);
    assert_eq!(eval(HullOpcode::Umul, [u32::MAX, 2, 0, 0]), [1, u32::MAX - 1]);
    assert_eq!(eval(HullOpcode::Swapc, [1, 5, 6, 0]), [6, 5]);
    assert_eq!(one(HullOpcode::FirstbitHi, [0x1000_0000, 0, 0, 0]), 3);
    assert_eq!(one(HullOpcode::FirstbitShi, [0xf000_0000, 0, 0, 0]), 4);
    assert_eq!(one(HullOpcode::FirstbitShi, [u32::MAX, 0, 0, 0]), u32::MAX);
    assert_eq!(one(HullOpcode::Ibfe, [4, 4, 0xf0, 0]), u32::MAX);
    assert_eq!(one(HullOpcode::Ubfe, [4, 4, 0xa5, 0]), 0xa);
    assert_eq!(one(HullOpcode::Ubfe, [32, 4, 0xa5, 0]), 0, "the width has 5 bits");
    assert_eq!(one(HullOpcode::Bfi, [4, 8, 0xa, 0xffff_ffff]), 0xffff_faff);
    assert_eq!(one(HullOpcode::Ishl, [1, 33, 0, 0]), 2);
    assert_eq!(one(HullOpcode::Msad, [0x0001_0203, 0x0905_0505, 10, 0]), 10 + 4 + 3 + 2);
    let halves = [0x3c00, 0xc000, 0x7bff, 0x7c00, 1, 0x2e66];
    for (float, half) in [1.0, -2.0, 65504.0, 1e9, 6e-8, 0.1].into_iter().zip(halves) {
        assert_eq!(one(HullOpcode::F32tof16, [bits(float), 0, 0, 0]), half, "{float}");
    }
    for half in 0..=0xffff {
        let float = one(HullOpcode::F16tof32, [half, 0, 0, 0]);
        let again = one(HullOpcode::F32tof16, [float, 0, 0, 0]);
        assert!(again == half || f32::from_bits(float).is_nan(), "{half:x} {float:x}");
    }
}

/// [hs50.value.tolerance]: the interpreter's approximations are more accurate than the specification requires.
#[test]
fn approximations_are_within_the_specification() {
    let eval =
        |opcode, x: f32| (alu(opcode).unwrap().eval)([x.to_bits(), 0, 0, 0]).map(f32::from_bits);
    for n in 1..=10_000u16 {
        let x = 314.159 * f32::from(n) / 10_000.0;
        for (opcode, exact) in [
            (HullOpcode::Rcp, f64::from(x).recip()),
            (HullOpcode::Rsq, f64::from(x).sqrt().recip()),
        ] {
            let found = f64::from(eval(opcode, x)[0]);
            assert!((found - exact).abs() <= exact * 0.5_f64.powi(21), "{} {x}", opcode.name());
        }
        let (sin, cos) = f64::from(x).sin_cos();
        for (found, exact) in eval(HullOpcode::Sincos, x).into_iter().zip([sin, cos]) {
            assert!((f64::from(found) - exact).abs() <= 0.0008, "{x}");
        }
    }
}
