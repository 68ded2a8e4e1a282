//! Sources.

use std::fmt::Write as _;

use shader_core::{Component, Swizzle, WriteMask};

use super::Emitter;
use crate::operand::{Index, Modifier, Source};
use crate::program::Instruction;
use crate::register::{File, Register};

/// The type for `count` components: `vec3`, or `float` for one.
pub(super) fn vector(count: usize) -> &'static str {
    match count {
        0 | 1 => "float",
        2 => "vec2",
        3 => "vec3",
        _ => "vec4",
    }
}

/// Writes a name and its number without the overhead of `write!`: most operands have this form.
fn put_numbered(out: &mut String, name: &str, number: u16) {
    out.push_str(name);
    match u8::try_from(number) {
        Ok(digit @ 0..10) => out.push(char::from(b'0'.saturating_add(digit))),
        _ => {
            // Writing to a string doesn't fail.
            let _ = write!(out, "{number}");
        }
    }
}

/// Writes a selector such as `.xyz` for the given lanes; nothing for all four in order.
pub(super) fn select(out: &mut String, swizzle: Swizzle, lanes: WriteMask) {
    if lanes == WriteMask::ALL && swizzle == Swizzle::IDENTITY {
        return;
    }
    out.push('.');
    out.extend(lanes.iter().map(|lane| swizzle.get(lane).letter()));
}

/// As `select`, as a string.
pub(super) fn selector(swizzle: Swizzle, lanes: WriteMask) -> String {
    let mut text = String::new();
    select(&mut text, swizzle, lanes);
    text
}

impl Emitter<'_> {
    /// The index expression of a relative operand: register number plus index.
    pub(super) fn index(&self, index: Index, number: u16) -> String {
        let name = match index {
            Index::Address(component) => format!("a0.{}", component.letter()),
            Index::Loop => "aL".to_owned(),
        };
        match number {
            0 => name,
            _ => format!("{name} + {number}"),
        }
    }

    /// The element of a relative operand in the array of `v#` or `o#`.
    pub(super) fn reached(&self, file: File, index: Index, number: u16) -> String {
        let (index, count) = (self.index(index, number), file.reach(self.version));
        format!("d3d9_at({index}, {count})")
    }

    /// Writes a register as a `vec4`. Writing to a string doesn't fail.
    fn put_register(&self, out: &mut String, register: Register, index: Option<Index>) {
        let number = register.number;
        let _ = match (register.file, index) {
            (File::Const, Some(index)) => write!(out, "d3d9_c({})", self.index(index, number)),
            (File::Const, None) => {
                let own = self.used.own_floats.contains_key(&number);
                match (own, self.version.is_ps_1()) {
                    (true, true) => write!(out, "clamp(c{number}, -1.0, 1.0)"),
                    (true, false) => {
                        put_numbered(out, "c", number);
                        Ok(())
                    }
                    (false, true) => {
                        write!(out, "clamp({}c[{number}], -1.0, 1.0)", self.prefix())
                    }
                    (false, false) => write!(out, "{}c[{number}]", self.prefix()),
                }
            }
            (File::Input, Some(index)) => {
                write!(out, "v[{}]", self.reached(File::Input, index, number))
            }
            (File::Input, None) => {
                put_numbered(out, self.input_prefix(), number);
                Ok(())
            }
            (File::Temp, _) => {
                put_numbered(out, "r", number);
                Ok(())
            }
            _ => write!(out, "{register}"),
        };
    }

    /// Writes the given lanes of a source with its modifier, as a single term. `row` is added to the register number.
    pub(super) fn put_row(&self, out: &mut String, source: Source, lanes: WriteMask, row: u16) {
        let Some(register) = source.register(self.version) else {
            out.push_str("vec4(0.0)");
            return;
        };
        let place = Register::new(register.file, register.number.saturating_add(row));
        let index = source.index(self.version);
        let modifier = source.modifier().unwrap_or(Modifier::None);
        let template = modifier.glsl();
        let (before, after) = match modifier {
            Modifier::None => ("", ""),
            _ => template.split_once("$a").unwrap_or((template, "")),
        };
        let divisor = match modifier {
            Modifier::DivideZ => Some(Component::Z),
            Modifier::DivideW => Some(Component::W),
            _ => None,
        };
        out.push_str(before);
        if let Some(by) = divisor {
            out.push('(');
            self.put_register(out, place, index);
            out.push_str(" / ");
            self.put_register(out, place, index);
            out.push('.');
            out.push(by.letter());
            out.push(')');
        } else {
            self.put_register(out, place, index);
        }
        select(out, source.swizzle(), lanes);
        out.push_str(after);
    }

    /// Writes the given lanes of a source with its modifier.
    pub(super) fn put_source(&self, out: &mut String, source: Source, lanes: WriteMask) {
        self.put_row(out, source, lanes, 0);
    }

    /// As `put_source`, as a string.
    pub(super) fn source(&self, source: Source, lanes: WriteMask) -> String {
        let mut text = String::with_capacity(32);
        self.put_source(&mut text, source, lanes);
        text
    }

    /// `function(a, b)` with the first sources of an instruction.
    pub(super) fn call(
        &self,
        function: &str,
        instruction: &Instruction,
        count: usize,
        lanes: WriteMask,
    ) -> String {
        let mut text = String::with_capacity(64);
        text.push_str(function);
        for (place, before) in ["(", ", "].into_iter().enumerate().take(count) {
            text.push_str(before);
            self.put_source(&mut text, instruction.source(place), lanes);
        }
        text.push(')');
        text
    }

    /// The first component of a source.
    pub(super) fn scalar(&self, source: Source) -> String {
        self.source(source, WriteMask::first(1))
    }

    /// A predicate for the components of a mask: `p0.xyz`, `not(p0.xy)`, `!p0.x`.
    pub(super) fn predicate(&self, source: Source, mask: WriteMask) -> String {
        let value = format!("p0{}", selector(source.swizzle(), mask));
        match (source.modifier(), mask.len()) {
            (Some(Modifier::Not), 1) => format!("!{value}"),
            (Some(Modifier::Not), _) => format!("not({value})"),
            _ => value,
        }
    }
}
