//! Rules 20 to 26: the outputs that a shader must or may write.

use std::collections::BTreeMap;

use super::D3d9Checker;
use super::paths::partial_writes;
use super::rule::D3d9Rule;
use crate::declarations::DeclaredInput;
use crate::opcode::D3d9Opcode;
use crate::operand::{DeclUsage, ResultModifiers, SourceModifier, WriteMask};
use crate::program::{D3d9Instruction, D3d9Program};
use crate::register::{D3d9Register, ShaderFile};

#[derive(Clone, Debug, Default)]
pub(super) struct OutputSlots {
    colors: u8,
    depth: bool,
    partial: BTreeMap<u32, (D3d9Register, WriteMask)>,
}

impl OutputSlots {
    pub(super) fn new(program: &D3d9Program) -> OutputSlots {
        OutputSlots { partial: partial_writes(program), ..OutputSlots::default() }
    }
}

impl D3d9Checker<'_> {
    pub(super) fn output(&mut self, instruction: &D3d9Instruction) {
        let model_2 = self.version.major() == 2;
        let number = self.number.unwrap_or(0);
        let partial = self.outputs.partial.get(&number).copied();
        if let Some((register, missing)) = partial {
            report! { self;
                error OutputInFlow if model_2 => "{register} is written under dynamic flow control";
                error OutputInFlow if true => "{register}.{missing} is not written on every path";
            }
        }
        let register = instruction.dest_register(self.version);
        let Some((dest, register)) = instruction.dest.zip(register).filter(|_| model_2) else {
            return;
        };
        let saturated = dest.modifiers().has(ResultModifiers::SATURATE);
        let mov = instruction.opcode == D3d9Opcode::Mov;
        let source = instruction.source(0);
        match register.file {
            ShaderFile::Color => {
                let bit = 1u8 << register.number.min(7);
                let twice = self.outputs.colors & bit != 0;
                self.outputs.colors |= bit;
                report! { self; error SaturatedOutput if saturated => "{register} can't be saturated"; }
                report! { self;
                    error ColorOutput if !mov => "only `mov` can write {register}";
                    error ColorOutput if dest.mask() != WriteMask::ALL => "{register} must be written with all components";
                    error ColorOutput if !source.is_plain() => "the source for {register} can't have a swizzle or modifier";
                    error ColorOutput if twice => "{register} is written twice";
                }
            }
            ShaderFile::Depth => {
                let block = self.flow.depth() > 0 && partial.is_none();
                let modified = source.modifier() != Some(SourceModifier::None);
                let twice = std::mem::replace(&mut self.outputs.depth, true);
                report! { self; error SaturatedOutput if saturated => "{register} can't be saturated"; }
                report! { self;
                    error DepthOutput if block => "oDepth is written in flow control";
                    error DepthOutput if !mov => "only `mov` can write oDepth";
                    error DepthOutput if modified => "the source for oDepth can't have a modifier";
                    error DepthOutput if !source.swizzle().is_scalar() => "the source for oDepth must be one component";
                    error DepthOutput if twice => "oDepth is written twice";
                }
            }
            _ => {}
        }
    }

    pub(super) fn output_end(&mut self) {
        match (self.version.is_vertex(), self.version.major()) {
            (true, 3) => self.outputs_3(),
            (true, _) => self.outputs_2(),
            (false, 2) => {
                let colors = self.outputs.colors;
                let gap = colors & colors.wrapping_add(1) != 0;
                report! { self;
                    error ColorOutput if colors & 1 == 0 => "oC0 is not written";
                    error ColorOutput if gap => "oC# must be written from oC0 without gaps";
                }
            }
            _ => {}
        }
    }

    fn outputs_2(&mut self) {
        self.position(ShaderFile::Position.at(0));
        let mut gap = false;
        for number in 0..8 {
            let register = ShaderFile::TexCoordVarying.at(number);
            let mask = self.written.get(register);
            let partial = !matches!(mask.bits(), 0 | 1 | 3 | 7 | 15);
            report! { self; error TexCoordOutput if partial =>
            "{register}.{mask}: only x, xy, xyz or xyzw can be written"; }
            if !mask.is_empty() && gap {
                let message = format!("{register} is written, but not all oT# before it");
                self.warning(D3d9Rule::TexCoordOutput, message);
                break;
            }
            gap |= mask.is_empty();
        }
    }

    fn position(&mut self, register: D3d9Register) {
        let missing = WriteMask::ALL.without(self.written.get(register));
        report! { self; error Position if !missing.is_empty() =>
        "the position output is incomplete: {missing} is not written"; }
    }

    fn outputs_3(&mut self) {
        let outputs: Vec<DeclaredInput> =
            self.declared.of_file(ShaderFile::Output).copied().collect();
        let is = |usage: DeclUsage| move |one: &&DeclaredInput| one.usage == Some((usage, 0));
        let positions: Vec<&DeclaredInput> =
            outputs.iter().filter(is(DeclUsage::Position)).collect();
        match positions.as_slice() {
            [position] if position.mask != WriteMask::ALL => {
                self.error(D3d9Rule::Outputs, "the position must be declared with all components");
            }
            [position] => self.position(position.register),
            _ => self
                .error(D3d9Rule::Outputs, "there must be one position output, `dcl_position o#`"),
        }
        let size = outputs.iter().find(is(DeclUsage::PointSize));
        let partial = size.is_some_and(|size| size.mask != WriteMask::ALL);
        report! { self; error Outputs if partial => "the point size must be declared with all components"; }
        for DeclaredInput { register, mask, usage, .. } in &outputs {
            let missing = mask.without(self.written.get(*register));
            let unwritten = *usage != Some((DeclUsage::Position, 0)) && !missing.is_empty();
            report! { self; warning Outputs if unwritten => "{register}.{missing} is declared but not written"; }
        }
    }
}
