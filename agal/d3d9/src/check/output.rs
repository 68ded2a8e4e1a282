//! Rules 20 to 26: what a shader hands on.

use super::Checker;
use super::rule::Rule;
use super::stream::letters;
use crate::opcode::Opcode;
use crate::operand::{Modifier, Modifiers, Swizzle, Usage, WriteMask};
use crate::program::Instruction;
use crate::register::{File, Register};

/// Outputs that have been written whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    colors: u8,
    depth: bool,
}

impl Checker<'_> {
    pub(super) fn output(&mut self, instruction: &Instruction) {
        let Some(dest) = instruction.dest else {
            return;
        };
        let Some(register) = dest.register(self.version) else {
            return;
        };
        if !matches!(register.file, File::Color | File::Depth) {
            return;
        }
        let dynamic = self.flow.is_dynamic() || instruction.predicate.is_some();
        let model_2 = self.version.major() == 2;
        if dynamic && (model_2 || register.file == File::Color) {
            let message = format!("{register} is written under dynamic flow control");
            self.error(Rule::OutputInFlow, message);
        } else if model_2 && register.file == File::Depth && self.flow.depth() > 0 {
            self.error(Rule::DepthOutput, "oDepth is written in flow control");
        }
        if model_2 {
            if dest.modifiers().has(Modifiers::SATURATE) {
                self.error(
                    Rule::SaturatedOutput,
                    format!("{register} can't be saturated"),
                );
            }
            match register.file {
                File::Color => self.color(instruction, register),
                _ => self.depth_output(instruction),
            }
        }
    }

    fn color(&mut self, instruction: &Instruction, register: Register) {
        let source = instruction.source(0);
        let plain =
            source.swizzle() == Swizzle::IDENTITY && source.modifier() == Some(Modifier::None);
        let bit = 1u8 << register.number.min(7);
        let whole = instruction
            .dest
            .is_some_and(|dest| dest.mask() == WriteMask::ALL);
        if instruction.opcode != Opcode::Mov {
            self.error(
                Rule::ColorOutput,
                format!("{register} is written by `mov` only"),
            );
        } else if !whole {
            self.error(
                Rule::ColorOutput,
                format!("{register} is written whole only"),
            );
        } else if !plain {
            let message = format!("what goes to {register} has neither swizzle nor modifier");
            self.error(Rule::ColorOutput, message);
        } else if self.outputs.colors & bit != 0 {
            self.error(Rule::ColorOutput, format!("{register} is written twice"));
        }
        self.outputs.colors |= bit;
    }

    fn depth_output(&mut self, instruction: &Instruction) {
        let source = instruction.source(0);
        if instruction.opcode != Opcode::Mov {
            self.error(Rule::DepthOutput, "oDepth is written by `mov` only");
        } else if source.modifier() != Some(Modifier::None) {
            self.error(Rule::DepthOutput, "what goes to oDepth has no modifier");
        } else if !source.swizzle().is_scalar() {
            self.error(Rule::DepthOutput, "oDepth is one component");
        } else if self.outputs.depth {
            self.error(Rule::DepthOutput, "oDepth is written twice");
        }
        self.outputs.depth = true;
    }

    pub(super) fn output_end(&mut self) {
        match (self.version.is_vertex(), self.version.major()) {
            (true, 3) => self.outputs_3(),
            (true, _) => self.outputs_2(),
            (false, 2) => {
                let colors = self.outputs.colors;
                if colors & 1 == 0 {
                    self.error(Rule::ColorOutput, "oC0 is not written");
                } else if colors & colors.wrapping_add(1) != 0 {
                    self.error(Rule::ColorOutput, "oC# are not written from oC0 on");
                }
            }
            _ => {}
        }
    }

    fn outputs_2(&mut self) {
        let position = self.written.get(Register::new(File::Position, 0));
        self.position(position);
        let mut gap = false;
        for number in 0..8 {
            let register = Register::new(File::TexCoordVarying, number);
            let mask = self.written.get(register).bits();
            if !matches!(mask, 0 | 1 | 3 | 7 | 15) {
                let letters = letters(WriteMask::from_bits(mask));
                let message = format!("{register}.{letters}: written are x, xy, xyz or xyzw");
                self.error(Rule::TexCoordOutput, message);
            }
            if mask != 0 && gap {
                self.warning(
                    Rule::TexCoordOutput,
                    format!("{register} without those before it"),
                );
                break;
            }
            gap |= mask == 0;
        }
    }

    fn position(&mut self, written: WriteMask) {
        let missing = WriteMask::from_bits(!written.bits());
        if !missing.is_empty() {
            let message = format!("position output incomplete: {} missing", letters(missing));
            self.error(Rule::Position, message);
        }
    }

    fn outputs_3(&mut self) {
        let outputs: Vec<_> = self
            .declared
            .interface
            .iter()
            .filter(|one| one.register.file == File::Output)
            .copied()
            .collect();
        let is = |usage: Usage| move |one: &&super::state::Interface| one.usage == Some((usage, 0));
        let positions: Vec<_> = outputs.iter().filter(is(Usage::Position)).collect();
        match positions.as_slice() {
            [position] if position.mask != WriteMask::ALL => {
                self.error(Rule::Outputs, "the position is declared whole only");
            }
            [position] => {
                let written = self.written.get(position.register);
                self.position(written);
            }
            _ => self.error(
                Rule::Outputs,
                "there is one position output, `dcl_position o#`",
            ),
        }
        if let Some(size) = outputs.iter().find(is(Usage::PointSize))
            && size.mask != WriteMask::ALL
        {
            self.error(Rule::Outputs, "the point size is declared whole only");
        }
        for one in &outputs {
            let written = self.written.get(one.register);
            if one.usage != Some((Usage::Position, 0)) && !written.contains_all(one.mask) {
                let missing = WriteMask::from_bits(one.mask.bits() & !written.bits());
                let message = format!(
                    "{}.{} is declared but not written",
                    one.register,
                    letters(missing)
                );
                self.warning(Rule::Outputs, message);
            }
        }
    }
}
