//! Texture reads.

use std::fmt::Write as _;

use super::{Emitter, names};
use crate::ir::{Action, Read, Step, with_depth};
use crate::isa::opcode::SampleLevel;
use crate::isa::operand::WriteMask;
use crate::isa::register::RegisterFile;
use crate::isa::sampler::{Dimension, Sampler};
use crate::liveness::is_hoisted;

impl Emitter<'_> {
    /// Writes a texture read, which gives four components.
    pub(super) fn texture(
        &mut self,
        step: &Step,
        lookup: SampleLevel,
        at: &Read,
        sampler: &Sampler,
    ) {
        // `depth` counts `main` itself.
        if is_hoisted(self.out.depth.saturating_sub(1), step) {
            self.out.numbered(names::HOISTED, step.token);
        } else {
            self.lookup(lookup, at, sampler);
        }
    }

    fn lookup(&mut self, lookup: SampleLevel, coordinates: &Read, sampler: &Sampler) {
        let [two_d, cube] = match lookup {
            SampleLevel::Implicit => self.dialect.words().texture,
            SampleLevel::LevelZero => self.dialect.words().texture_lod,
        };
        let function = match sampler.dimension {
            Dimension::TwoD => two_d,
            Dimension::Cube => cube,
        };
        self.out.put(&[function, "("]);
        self.register(RegisterFile::Sampler, sampler.register);
        self.out.push_str(", ");
        self.source(coordinates, WriteMask::first(sampler.dimension.coordinates()));
        match lookup {
            SampleLevel::Implicit => {
                // Multiples of 1/8 are exact in decimal.
                let bias = sampler.bias();
                if bias != 0.0 {
                    // Writing to a `String` cannot fail.
                    let _ = write!(self.out.text, ", {bias:?}");
                }
            }
            SampleLevel::LevelZero => self.out.push_str(", 0.0"),
        }
        self.out.push(')');
    }

    /// Writes the texture reads of conditionals before everything else.
    pub(super) fn hoisted(&mut self) {
        let program = self.program;
        for (depth, step) in with_depth(program.steps()) {
            if let Action::Sample(lookup, _, coordinates, sampler) = &step.action
                && is_hoisted(depth, step)
            {
                self.out.push_str("    vec4 ");
                self.out.numbered(names::HOISTED, step.token);
                self.out.push_str(" = ");
                self.lookup(*lookup, coordinates, sampler);
                self.out.push_str(";\n");
            }
        }
    }
}
