//! Rules 20 to 26: outputs of a shader.

use std::collections::BTreeMap;

use super::Checker;
use super::paths::partial_writes;
use super::rule::Rule;
use super::state::Interface;
use crate::opcode::Opcode;
use crate::operand::{Modifier, Modifiers, Usage, WriteMask};
use crate::program::{Instruction, Program};
use crate::register::{File, Register};

/// Outputs that have been written.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    colors: u8,
    depth: bool,
    /// See [`partial_writes`].
    partial: BTreeMap<u32, (Register, WriteMask)>,
}

impl Outputs {
    pub(super) fn new(program: &Program) -> Outputs {
        Outputs { partial: partial_writes(program), ..Outputs::default() }
    }
}

impl Checker<'_> {
    pub(super) fn output(&mut self, instruction: &Instruction) {
        let model_2 = self.version.major() == 2;
        let number = self.number.unwrap_or(0);
        let partial = self.outputs.partial.get(&number).copied();
        if let Some((register, missing)) = partial {
            first! { self;
                error OutputInFlow if model_2 => "{register} is written under dynamic flow control";
                error OutputInFlow if true => "{register}.{missing} is not written on every path";
            }
        }
        let Some(dest) = instruction.dest else {
            return;
        };
        let Some(register) = dest.register(self.version) else {
            return;
        };
        if !matches!(register.file, File::Color | File::Depth) {
            return;
        }
        let block = register.file == File::Depth && self.flow.depth() > 0;
        first! { self;
            error DepthOutput if model_2 && block && partial.is_none() => "oDepth is written in flow control";
        }
        if !model_2 {
            return;
        }
        first! { self;
            error SaturatedOutput if dest.modifiers().has(Modifiers::SATURATE) => "{register} can't be saturated";
        }
        let mov = instruction.opcode == Opcode::Mov;
        let source = instruction.source(0);
        if register.file == File::Color {
            let bit = 1u8 << register.number.min(7);
            let twice = self.outputs.colors & bit != 0;
            first! { self;
                error ColorOutput if !mov => "only `mov` can write {register}";
                error ColorOutput if dest.mask() != WriteMask::ALL => "{register} must be written with all components";
                error ColorOutput if !source.is_plain() => "the source for {register} can't have a swizzle or modifier";
                error ColorOutput if twice => "{register} is written twice";
            }
            self.outputs.colors |= bit;
        } else {
            let modified = source.modifier() != Some(Modifier::None);
            let twice = std::mem::replace(&mut self.outputs.depth, true);
            first! { self;
                error DepthOutput if !mov => "only `mov` can write oDepth";
                error DepthOutput if modified => "the source for oDepth can't have a modifier";
                error DepthOutput if !source.swizzle().is_scalar() => "the source for oDepth must be one component";
                error DepthOutput if twice => "oDepth is written twice";
            }
        }
    }

    pub(super) fn output_end(&mut self) {
        match (self.version.is_vertex(), self.version.major()) {
            (true, 3) => self.outputs_3(),
            (true, _) => self.outputs_2(),
            (false, 2) => {
                let colors = self.outputs.colors;
                let gap = colors & colors.wrapping_add(1) != 0;
                first! { self;
                    error ColorOutput if colors & 1 == 0 => "oC0 is not written";
                    error ColorOutput if gap => "oC# must be written from oC0 without gaps";
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
            let mask = self.written.get(register);
            if !matches!(mask.bits(), 0 | 1 | 3 | 7 | 15) {
                let message = format!("{register}.{mask}: only x, xy, xyz or xyzw can be written");
                self.error(Rule::TexCoordOutput, message);
            }
            if !mask.is_empty() && gap {
                let message = format!("{register} is written, but not all oT# before it");
                self.warning(Rule::TexCoordOutput, message);
                break;
            }
            gap |= mask.is_empty();
        }
    }

    fn position(&mut self, written: WriteMask) {
        let missing = WriteMask::ALL.without(written);
        first! { self;
            error Position if !missing.is_empty() => "the position output is incomplete: {missing} is not written";
        }
    }

    fn outputs_3(&mut self) {
        let declared = self.declared.interface.iter();
        let outputs = declared.filter(|one| one.register.file == File::Output);
        let outputs: Vec<_> = outputs.copied().collect();
        let is = |usage: Usage| move |one: &&Interface| one.usage == Some((usage, 0));
        let positions: Vec<_> = outputs.iter().filter(is(Usage::Position)).collect();
        match positions.as_slice() {
            [position] if position.mask != WriteMask::ALL => {
                self.error(Rule::Outputs, "the position must be declared with all components");
            }
            [position] => {
                let written = self.written.get(position.register);
                self.position(written);
            }
            _ => {
                let message = "there must be one position output, `dcl_position o#`";
                self.error(Rule::Outputs, message);
            }
        }
        if let Some(size) = outputs.iter().find(is(Usage::PointSize))
            && size.mask != WriteMask::ALL
        {
            self.error(Rule::Outputs, "the point size must be declared with all components");
        }
        for one in &outputs {
            let written = self.written.get(one.register);
            if one.usage != Some((Usage::Position, 0)) && !written.contains_all(one.mask) {
                let missing = one.mask.without(written);
                let message = format!("{}.{missing} is declared but not written", one.register);
                self.warning(Rule::Outputs, message);
            }
        }
    }
}
