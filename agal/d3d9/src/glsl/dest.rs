//! Destinations: applies modifiers, predicate and write mask to a value.

use std::fmt::Write as _;

use super::Emitter;
use super::source::{select, selector, vector};
use crate::operand::{Dest, Modifiers, Swizzle, WriteMask};
use crate::program::Instruction;
use crate::register::{File, Register};

impl Emitter<'_> {
    /// Writes a destination as a `vec4` with its mask.
    fn put_target(&self, out: &mut String, dest: Dest, mask: WriteMask) {
        let register = dest.register(self.version);
        let register = register.unwrap_or(Register::new(File::Temp, 0));
        let number = register.number;
        // Writing to a string doesn't fail.
        let _ = match (register.file, dest.index(self.version)) {
            (File::Output, Some(index)) => {
                write!(out, "o[{}]", self.reached(File::Output, index, number))
            }
            (File::Output, None) if self.used.relative.has(File::Output) => {
                write!(out, "o[{number}]")
            }
            (File::Color, _) => out.write_str(&self.color_name(number)),
            _ => write!(out, "{register}"),
        };
        select(out, Swizzle::IDENTITY, mask);
    }

    /// Assigns a value that has as many components as the mask.
    pub(super) fn assign(&mut self, instruction: &Instruction, mask: WriteMask, value: &str) {
        self.assign_parts(instruction, mask, &[value]);
    }

    /// As `assign`, with the value in several strings.
    pub(super) fn assign_parts(
        &mut self,
        instruction: &Instruction,
        mask: WriteMask,
        value: &[&str],
    ) {
        let Some(dest) = instruction.dest.filter(|_| !mask.is_empty()) else {
            return;
        };
        self.indent();
        let mut out = std::mem::take(&mut self.out);
        self.put_target(&mut out, dest, mask);
        out.push_str(" = ");
        if instruction.predicate.is_some() {
            out.push_str("mix(");
            self.put_target(&mut out, dest, mask);
            out.push_str(", ");
        }
        let saturates = dest.modifiers().has(Modifiers::SATURATE);
        if saturates {
            out.push_str("clamp(");
        }
        let scale = dest.scale();
        if scale != 1.0 {
            out.push('(');
        }
        out.extend(value.iter().copied());
        if scale != 1.0 {
            let _ = write!(out, ") * {scale:?}");
        }
        if saturates {
            out.push_str(", 0.0, 1.0)");
        }
        if let Some(predicate) = instruction.predicate {
            let _ = write!(out, ", {})", self.predicate(predicate, mask));
        }
        out.push(';');
        if self.target.comments {
            let _ = write!(out, " // {}", instruction.readable_text(self.version));
        }
        out.push('\n');
        self.out = out;
    }

    /// Assigns a scalar to all components of the mask.
    pub(super) fn assign_scalar(
        &mut self,
        instruction: &Instruction,
        mask: WriteMask,
        value: &str,
    ) {
        if mask.len() <= 1 {
            self.assign(instruction, mask, value);
        } else {
            self.assign_parts(instruction, mask, &[vector(mask.len()), "(", value, ")"]);
        }
    }

    /// Assigns the masked components of a `vec4` value.
    pub(super) fn assign_masked(
        &mut self,
        instruction: &Instruction,
        mask: WriteMask,
        value: &str,
    ) {
        let selector = selector(Swizzle::IDENTITY, mask);
        self.assign_parts(instruction, mask, &[value, &selector]);
    }
}
