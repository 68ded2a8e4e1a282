//! Operands as text.

use std::fmt::{self, Write};

use crate::opcode::Type;
use crate::operand::{Components, Index, LETTERS, Operand, OperandKind};

/// How values are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    /// Minor version of shader model 5.
    pub(crate) minor: u8,
    /// Whether floats that lose bits in six decimals are printed as bits.
    pub(crate) exact: bool,
}

pub(crate) fn write_operand(
    out: &mut String,
    operand: &Operand,
    kind: Type,
    style: Style,
) -> fmt::Result {
    let modifier = operand.modifier();
    if modifier.neg {
        out.push('-');
    }
    if modifier.abs {
        out.push('|');
    }
    match operand.kind() {
        OperandKind::Immediate32 => immediate(out, &operand.values, kind, style)?,
        OperandKind::Immediate64 => doubles(out, &operand.values)?,
        _ => {
            register(out, operand, kind == Type::R, style)?;
            // Declarations of bindings have no components.
            if kind != Type::R || !is_binding(operand.kind()) {
                components(out, operand.components());
            }
        }
    }
    if modifier.abs {
        out.push('|');
    }
    Ok(())
}

/// A register without components and modifiers; for an immediate, its letter.
pub(crate) fn register_name(operand: &Operand) -> String {
    let mut out = String::new();
    let (minor, exact) = (0, false);
    // Writing to a string can't fail.
    let _ = register(&mut out, operand, false, Style { minor, exact });
    out
}

fn components(out: &mut String, components: Components) {
    let mut letters = |of: &mut dyn Iterator<Item = u8>| {
        let letters: String = of.filter_map(|c| LETTERS.get(usize::from(c))).collect();
        if !letters.is_empty() {
            out.push('.');
            out.push_str(&letters);
        }
    };
    match components {
        Components::None | Components::One | Components::Unknown => {}
        Components::Mask(mask) => letters(&mut (0..4).filter(|c| mask >> c & 1 != 0)),
        Components::Swizzle(swizzle) => letters(&mut swizzle.into_iter()),
        Components::Select(component) => letters(&mut std::iter::once(component)),
    }
}

/// Register files whose first index is in brackets.
fn bracketed(operand: &Operand) -> bool {
    use OperandKind::{ImmediateConstantBuffer, Input, InputControlPoint, OutputControlPoint};
    match operand.kind() {
        ImmediateConstantBuffer => true,
        Input | InputControlPoint | OutputControlPoint => operand.indices.len() > 1,
        _ => false,
    }
}

/// Register files that shader model 5.1 names by an id and prints in capitals (hs-5-0.md, 2.9).
pub(super) fn is_binding(kind: OperandKind) -> bool {
    use OperandKind::{ConstantBuffer, Resource, Sampler, UnorderedAccess};
    matches!(kind, ConstantBuffer | Resource | Sampler | UnorderedAccess)
}

fn register(out: &mut String, operand: &Operand, declared: bool, style: Style) -> fmt::Result {
    let kind = operand.kind();
    let capital =
        is_binding(kind) && (style.minor > 0 || declared && kind == OperandKind::ConstantBuffer);
    if capital {
        out.push_str(&kind.name().to_ascii_uppercase());
    } else {
        out.push_str(kind.name());
    }
    if capital && declared && style.minor > 0 {
        // The id and the range of slots.
        let fixed = |place| operand.fixed(place).unwrap_or(0);
        write!(out, "{}[{}:", fixed(0), fixed(1))?;
        return match fixed(2) {
            u32::MAX => out.write_str("unbounded]"),
            last => write!(out, "{last}]"),
        };
    }
    for (place, one) in operand.indices.iter().enumerate() {
        match one.fixed() {
            Some(number) if place == 0 && !bracketed(operand) => write!(out, "{number}")?,
            Some(number) => write!(out, "[{number}]")?,
            None => index(out, one, style)?,
        }
    }
    Ok(())
}

fn index(out: &mut String, index: &Index, style: Style) -> fmt::Result {
    out.push('[');
    if let Some(relative) = index.relative() {
        write_operand(out, relative, Type::I, style)?;
        out.push_str(" + ");
    }
    match index {
        Index::Imm64(offset) | Index::Imm64Relative(offset, _) => write!(out, "{offset}")?,
        Index::Imm32(_) | Index::Relative(_) | Index::Imm32Relative(..) => {
            write!(out, "{}", index.offset().unwrap_or(0).cast_signed())?;
        }
    }
    out.push(']');
    Ok(())
}

fn immediate(out: &mut String, values: &[u32], kind: Type, style: Style) -> fmt::Result {
    let narrow = kind == Type::A && values.len() > 1;
    let separator = if narrow { "," } else { ", " };
    out.push_str("l(");
    for (place, value) in values.iter().enumerate() {
        if place > 0 {
            out.push_str(separator);
        }
        write_value(out, *value, kind, style)?;
    }
    out.push(')');
    Ok(())
}

/// Integers above this are printed in hexadecimal.
const DECIMAL: i32 = 10_000;

pub(crate) fn write_value(out: &mut String, value: u32, kind: Type, style: Style) -> fmt::Result {
    let float = f32::from_bits(value);
    let exponent = value >> 23 & 0xff;
    let as_float = match kind {
        Type::F => exponent != 255,
        // For `mov` and `movc` each value decides by itself.
        Type::A => exponent != 0 && exponent != 255,
        _ => false,
    };
    if as_float {
        let text = format!("{float:.6}");
        let same = text.parse::<f32>().is_ok_and(|again| again.to_bits() == value);
        if same || !style.exact {
            return out.write_str(&text);
        }
        return write!(out, "{value:#010x}");
    }
    let signed = value.cast_signed();
    if (-DECIMAL..=DECIMAL).contains(&signed) && kind != Type::F {
        write!(out, "{signed}")
    } else {
        write!(out, "{value:#010x}")
    }
}

fn doubles(out: &mut String, values: &[u32]) -> fmt::Result {
    out.push_str("d(");
    for (place, [low, high]) in values.as_chunks().0.iter().enumerate() {
        let separator = if place > 0 { ", " } else { "" };
        let value = f64::from_bits(u64::from(*high) << 32 | u64::from(*low));
        write!(out, "{separator}{value:.6}l")?;
    }
    out.push(')');
    Ok(())
}
