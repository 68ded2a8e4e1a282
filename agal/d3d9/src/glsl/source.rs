//! Translates source operands.

use agal_core::output::fill;
use agal_core::{Swizzle, WriteMask};

use super::D3d9Emitter;
use crate::operand::{AddressIndex, Source, SourceModifier};
use crate::register::{D3d9Register, ShaderFile};

/// Returns the GLSL type with `count` float components, such as `vec3`.
pub(super) fn vector(count: usize) -> &'static str {
    match count {
        0 | 1 => "float",
        2 => "vec2",
        3 => "vec3",
        _ => "vec4",
    }
}

/// Returns a swizzle for the given lanes, such as `.xyz`; empty for the identity.
pub(super) fn selector(swizzle: Swizzle, lanes: WriteMask) -> String {
    if lanes == WriteMask::ALL && swizzle == Swizzle::IDENTITY {
        return String::new();
    }
    std::iter::once('.').chain(lanes.iter().map(|lane| swizzle.get(lane).letter())).collect()
}

/// Returns a write mask as GLSL, such as `.xyz`; empty for all components.
pub(super) fn masked(mask: WriteMask) -> String {
    selector(Swizzle::IDENTITY, mask)
}

impl D3d9Emitter<'_> {
    /// Returns the array index of a relative operand: its register number plus the index register.
    fn index(&self, index: AddressIndex, number: u16) -> String {
        let name = match index {
            AddressIndex::Address(component) => format!("a0.{}", component.letter()),
            AddressIndex::Loop => "aL".to_owned(),
        };
        if number == 0 { name } else { format!("{name} + {number}") }
    }

    /// Returns the array element that a relative `v#` or `o#` operand accesses.
    pub(super) fn reached(&self, file: ShaderFile, index: AddressIndex, number: u16) -> String {
        format!("d3d9_at({}, {})", self.index(index, number), file.reach(self.version))
    }

    fn register(&self, register: D3d9Register, index: Option<AddressIndex>) -> String {
        let D3d9Register { file, number } = register;
        match (file, index) {
            (ShaderFile::Const, Some(index)) => format!("d3d9_c({})", self.index(index, number)),
            (ShaderFile::Const, None) => {
                let own = self.declared.floats.contains_key(&number);
                let name = if own {
                    format!("c{number}")
                } else {
                    format!("{}c[{number}]", self.prefix())
                };
                if self.version.is_ps_1() { format!("clamp({name}, -1.0, 1.0)") } else { name }
            }
            (ShaderFile::Input, Some(index)) => format!("v[{}]", self.reached(file, index, number)),
            (ShaderFile::Input, None) => self.input_name(number),
            _ => register.to_string(),
        }
    }

    /// Returns the given lanes of a source with its modifier, as a single term. `row` is added to the register number.
    pub(super) fn row(&self, source: Source, lanes: WriteMask, row: u16) -> String {
        let Some(D3d9Register { file, number }) = source.register(self.version) else {
            return "vec4(0.0)".to_owned();
        };
        let register = file.at(number.saturating_add(row));
        let name = self.register(register, source.index(self.version));
        let modifier = source.modifier().unwrap_or(SourceModifier::None);
        let name = match modifier {
            SourceModifier::DivideZ => format!("({})", self.quotient(&name, &format!("{name}.z"))),
            SourceModifier::DivideW => format!("({})", self.quotient(&name, &format!("{name}.w"))),
            _ => name,
        };
        fill(modifier.glsl(), |_| format!("{name}{}", selector(source.swizzle(), lanes)))
    }

    pub(super) fn source(&self, source: Source, lanes: WriteMask) -> String {
        self.row(source, lanes, 0)
    }

    /// Returns a predicate for the masked components, such as `p0.xyz`, `not(p0.xy)` or `!p0.x`.
    pub(super) fn predicate(&self, source: Source, mask: WriteMask) -> String {
        let value = format!("p0{}", selector(source.swizzle(), mask));
        match (source.modifier(), mask.len()) {
            (Some(SourceModifier::Not), 1) => format!("!{value}"),
            (Some(SourceModifier::Not), _) => format!("not({value})"),
            _ => value,
        }
    }
}
