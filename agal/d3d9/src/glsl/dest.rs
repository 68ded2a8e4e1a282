//! Writes destinations: applies modifiers, predicate and write mask to a result.

use agal_core::float::ResultLimit;

use super::D3d9Emitter;
use super::source::masked;
use crate::operand::{Dest, ResultModifiers, WriteMask};
use crate::program::D3d9Instruction;
use crate::register::ShaderFile;

impl D3d9Emitter<'_> {
    fn dest(&self, dest: Dest, mask: WriteMask) -> String {
        let register = dest.register(self.version);
        let register = register.unwrap_or(ShaderFile::Temp.at(0));
        let number = register.number;
        let name = match (register.file, dest.index(self.version)) {
            (ShaderFile::Output, Some(index)) => {
                format!("o[{}]", self.reached(ShaderFile::Output, index, number))
            }
            (ShaderFile::Output, None) if self.used.relative.has(ShaderFile::Output) => {
                format!("o[{number}]")
            }
            (ShaderFile::Color, _) => self.color_name(number),
            _ => register.to_string(),
        };
        name + &masked(mask)
    }

    pub(super) fn assign(&mut self, instruction: &D3d9Instruction, mask: WriteMask, value: &str) {
        let Some(dest) = instruction.dest.filter(|_| !mask.is_empty()) else { return };
        let name = self.dest(dest, mask);
        let scale = dest.scale();
        let limit = if self.is_limited { ResultLimit::Both } else { ResultLimit::None };
        let mut value = self.limited(limit, value.to_owned());
        if scale != 1.0 {
            value = format!("({value}) * {scale:?}");
        }
        if dest.modifiers().has(ResultModifiers::SATURATE) {
            value = format!("clamp({value}, 0.0, 1.0)");
        }
        if let Some(predicate) = instruction.predicate {
            value = format!("mix({name}, {value}, {})", self.predicate(predicate, mask));
        }
        let comment = self.comment(Some(instruction.readable_text(self.version)));
        self.line(format_args!("{name} = {value};{comment}"));
    }

    pub(super) fn assign_masked(&mut self, one: &D3d9Instruction, mask: WriteMask, text: &str) {
        self.assign(one, mask, &(text.to_owned() + &masked(mask)));
    }
}
