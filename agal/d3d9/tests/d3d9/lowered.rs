//! Models the results of translated opcodes that differ from AGAL's results.

use std::f32::consts::{PI, TAU};

use agal::Stage;
use agal::interp::{AgalComputation, AgalLanguage, LaneRegister, RunObserver, error_bound};
use agal::opcode::{AgalOpcode, OpcodeSignature, Relation};
use d3d9::float::FloatRules;
use d3d9::from_agal::Model;

/// An observer that replaces results of AGAL's interpreter by the translation's results [d3d9.from_agal.edges].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lowered {
    pub(crate) stage: Stage,
    pub(crate) model: Model,
    pub(crate) rules: FloatRules,
}

impl RunObserver<AgalLanguage> for Lowered {
    const STEPS: bool = false;

    fn computed(&mut self, computation: &AgalComputation<'_>, value: &mut LaneRegister) {
        let (opcode, bounds) = (computation.opcode, error_bound(computation, value));
        let first = computation.b.first().copied().unwrap_or(LaneRegister([[1.0; 4]; 4]));
        for component in 0..4 {
            for (lane, result) in value.0[component].iter_mut().enumerate() {
                let pick = |register: &LaneRegister| register.0[component][lane];
                let sources = [pick(computation.a), pick(&first)];
                let lowered = self.result(opcode, sources, *result);
                // Normal numbers differ at most by the error bound; unmasked components are 0.
                let ordinary = sources.into_iter().chain([*result]).all(f32::is_normal);
                if ordinary && lowered != *result {
                    let off = (lowered - *result).abs();
                    assert!(off <= pick(&bounds), "{} of {sources:?}: {lowered}", opcode.name());
                }
                *result = lowered;
            }
        }
    }
}

impl Lowered {
    fn result(&self, opcode: AgalOpcode, [a, b]: [f32; 2], agal: f32) -> f32 {
        let model_2 = self.model != Model::V30;
        match (opcode, opcode.signature()) {
            (AgalOpcode::Sqt, _) => self.rules.rcp(self.rules.rsq(a)),
            (AgalOpcode::Sin, _) => angle(a).sin(),
            (AgalOpcode::Cos, _) => angle(a).cos(),
            (AgalOpcode::Sat, _) if model_2 && self.stage == Stage::Vertex && a == 0.0 => a,
            (AgalOpcode::Div, _) => self.rules.limited(a * self.rules.rcp(b)),
            (_, OpcodeSignature::Binary(agal::opcode::BinaryOp::Compare(relation)))
                if self.model == Model::V20
                    && self.stage == Stage::Fragment
                    && (a.is_nan() || b.is_nan()) =>
            {
                let equal = matches!(relation, Relation::Equal | Relation::GreaterOrEqual);
                f32::from(u8::from(equal))
            }
            _ => agal,
        }
    }
}

/// Reduces an angle to -pi..pi ([d3d9.value.sincos_range]).
fn angle(a: f32) -> f32 {
    let turns = a * (1.0 / TAU) + 0.5;
    (turns - turns.floor()) * TAU - PI
}
