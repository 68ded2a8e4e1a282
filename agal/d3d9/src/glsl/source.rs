//! Sources as GLSL.

use agal::operand::{Component, Swizzle, WriteMask};

use super::Emitter;
use crate::operand::{Index, Modifier, Source};
use crate::register::{File, Register};

/// `vec3`, or `float` for one.
pub(super) fn vector(count: usize) -> &'static str {
    match count {
        0 | 1 => "float",
        2 => "vec2",
        3 => "vec3",
        _ => "vec4",
    }
}

/// `.xyz` of the lanes that count; nothing for all four in order.
pub(super) fn selector(swizzle: Swizzle, lanes: WriteMask) -> String {
    if lanes == WriteMask::ALL && swizzle == Swizzle::IDENTITY {
        return String::new();
    }
    let letters = lanes.iter().map(|lane| swizzle.get(lane).letter());
    std::iter::once('.').chain(letters).collect()
}

impl Emitter<'_> {
    /// What a relative operand adds to its number, with the number.
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

    /// A register as a vec4.
    fn register(&self, register: Register, index: Option<Index>) -> String {
        let number = register.number;
        match (register.file, index) {
            (File::Const, Some(index)) => format!("d3d9_c({})", self.index(index, number)),
            (File::Const, None) => match self.used.own_floats.contains_key(&number) {
                true if self.version.is_ps_1() => format!("clamp(c{number}, -1.0, 1.0)"),
                true => format!("c{number}"),
                false if self.version.is_ps_1() => {
                    format!("clamp({}c[{number}], -1.0, 1.0)", self.prefix())
                }
                false => format!("{}c[{number}]", self.prefix()),
            },
            (File::Input, Some(index)) => {
                let last = if self.vertex() { 15 } else { 9 };
                format!("v[clamp({}, 0, {last})]", self.index(index, number))
            }
            (File::Input, None) => self.input_name(number),
            _ => register.to_string(),
        }
    }

    /// The lanes of a source that count, with its modifier: a single term.
    pub(super) fn source(&self, source: Source, lanes: WriteMask) -> String {
        self.row(source, lanes, 0)
    }

    /// The same of the register that many rows on.
    pub(super) fn row(&self, source: Source, lanes: WriteMask, row: u16) -> String {
        let Some(register) = source.register(self.version) else {
            return "vec4(0.0)".to_owned();
        };
        let place = Register::new(register.file, register.number.saturating_add(row));
        let name = self.register(place, source.index(self.version));
        let divided = |by: Component| format!("({name} / {name}.{})", by.letter());
        let modifier = source.modifier().unwrap_or(Modifier::None);
        let name = match modifier {
            Modifier::DivideZ => divided(Component::Z),
            Modifier::DivideW => divided(Component::W),
            _ => name,
        };
        let value = format!("{name}{}", selector(source.swizzle(), lanes));
        modifier.glsl().replace("$a", &value)
    }

    /// One component of a source.
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
