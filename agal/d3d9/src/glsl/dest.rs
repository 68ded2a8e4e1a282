//! Destinations: modifiers, predicate and mask around a value.

use super::Emitter;
use super::source::{selector, vector};
use crate::operand::{Dest, Modifiers, Swizzle, WriteMask};
use crate::program::Instruction;
use crate::register::File;

impl Emitter<'_> {
    /// A destination as a vec4.
    fn target_name(&self, dest: Dest) -> String {
        let Some(register) = dest.register(self.version) else {
            return "r0".to_owned();
        };
        let number = register.number;
        match (register.file, dest.index(self.version)) {
            (File::Output, Some(index)) => {
                format!("o[clamp({}, 0, 15)]", self.index(index, number))
            }
            (File::Output, None) if self.used.relative_outputs => format!("o[{number}]"),
            (File::Color, _) => self.color_name(number),
            _ => register.to_string(),
        }
    }

    /// Writes a value of as many components as the mask has.
    pub(super) fn assign(&mut self, instruction: &Instruction, mask: WriteMask, value: &str) {
        let Some(dest) = instruction.dest else {
            return;
        };
        if mask.is_empty() {
            return;
        }
        let target = format!(
            "{}{}",
            self.target_name(dest),
            selector(Swizzle::IDENTITY, mask)
        );
        let mut value = value.to_owned();
        let scale = dest.scale();
        if scale != 1.0 {
            value = format!("({value}) * {scale:?}");
        }
        if dest.modifiers().has(Modifiers::SATURATE) {
            value = format!("clamp({value}, 0.0, 1.0)");
        }
        if let Some(predicate) = instruction.predicate {
            let flags = self.predicate(predicate, mask);
            value = format!("mix({target}, {value}, {flags})");
        }
        let comment = if self.target.comments {
            format!(" // {}", instruction.reading(self.version))
        } else {
            String::new()
        };
        self.line(&format!("{target} = {value};{comment}"));
    }

    /// Writes one value to all components.
    pub(super) fn assign_scalar(
        &mut self,
        instruction: &Instruction,
        mask: WriteMask,
        value: &str,
    ) {
        if mask.len() <= 1 {
            self.assign(instruction, mask, value);
        } else {
            let value = format!("{}({value})", vector(mask.len()));
            self.assign(instruction, mask, &value);
        }
    }

    /// Writes some components of a value of four.
    pub(super) fn assign_masked(
        &mut self,
        instruction: &Instruction,
        mask: WriteMask,
        value: &str,
    ) {
        let value = format!("{value}{}", selector(Swizzle::IDENTITY, mask));
        self.assign(instruction, mask, &value);
    }
}
