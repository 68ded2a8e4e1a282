//! Prints operands in the format of fxc.

use std::fmt;

use agal_core::Component;

use crate::names::ReturnType;
use crate::tokens::opcode::Type;
use crate::tokens::operand::{
    Components, HullOperand, OperandKind, OperandModifiers, RegisterIndex,
};
use crate::words::joined;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) minor: u8,
    /// True if floats that six decimals can't represent are printed as bits.
    pub(super) exact: bool,
}

pub(super) fn operand(operand: &HullOperand, kind: Type, style: Style) -> String {
    let declared = kind == Type::R;
    let text = match operand.kind() {
        OperandKind::Immediate32 => {
            let values = operand.values.iter().map(|bits| value(*bits, kind, style));
            let narrow = kind == Type::A && operand.values.len() > 1;
            let separator = if narrow { "," } else { ", " };
            format!("l({})", values.collect::<Vec<_>>().join(separator))
        }
        OperandKind::Immediate64 => {
            let pairs = operand.values.as_chunks().0.iter();
            let values = pairs.map(|pair| format!("{:.6}l", f64::from_bits(joined(*pair))));
            format!("d({})", values.collect::<Vec<_>>().join(", "))
        }
        // In declarations, bindings have no component suffix.
        file if declared && is_binding(file) => register(operand, true, style),
        _ => register(operand, declared, style) + &components(operand.components()),
    };
    let OperandModifiers { abs, neg } = operand.modifier();
    let (minus, bar) = (if neg { "-" } else { "" }, if abs { "|" } else { "" });
    format!("{minus}{bar}{text}{bar}")
}

/// Formats a register without components and modifiers; an immediate is printed as its letter.
pub(crate) struct RegisterName<'a>(pub(crate) &'a HullOperand);

impl fmt::Display for RegisterName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&register(self.0, false, Style::default()))
    }
}

fn components(components: Components) -> String {
    let letters = |list: &[Component]| {
        let dot = list.first().map(|_| '.');
        dot.into_iter().chain(list.iter().map(|component| component.letter())).collect()
    };
    match components {
        Components::None | Components::One | Components::Unknown => String::new(),
        Components::Mask(mask) => letters(&mask.iter().collect::<Vec<_>>()),
        Components::Swizzle(swizzle) => letters(&swizzle.lanes()),
        Components::Select(component) => letters(&[component]),
    }
}

/// Returns whether a register's first index is printed in brackets.
fn bracketed(operand: &HullOperand) -> bool {
    use OperandKind::{ImmediateConstantBuffer, Input, InputControlPoint, OutputControlPoint};
    match operand.kind() {
        ImmediateConstantBuffer => true,
        Input | InputControlPoint | OutputControlPoint => operand.indices.len() > 1,
        _ => false,
    }
}

/// Returns whether shader model 5.1 identifies registers of the register file `kind` by an id, which is printed in
/// capitals ([hs50.text.capitals]).
pub(super) fn is_binding(kind: OperandKind) -> bool {
    use OperandKind::{ConstantBuffer, Resource, Sampler, UnorderedAccess};
    matches!(kind, ConstantBuffer | Resource | Sampler | UnorderedAccess)
}

fn register(operand: &HullOperand, declared: bool, style: Style) -> String {
    let kind = operand.kind();
    let named = style.minor > 0;
    let capital = is_binding(kind) && (named || declared && kind == OperandKind::ConstantBuffer);
    let mut text = kind.name().to_owned();
    if capital {
        text.make_ascii_uppercase();
    }
    if capital && declared && named {
        // The three indices of a declared operand are the id, the first slot and the last slot of a range.
        let [id, first, last] = [0, 1, 2].map(|axis| operand.fixed(axis).unwrap_or(0));
        let last = if last == u32::MAX { "unbounded".to_owned() } else { last.to_string() };
        return format!("{text}{id}[{first}:{last}]");
    }
    for (axis, index) in operand.indices.iter().enumerate() {
        text += &match index.fixed() {
            Some(number) if axis == 0 && !bracketed(operand) => number.to_string(),
            Some(number) => format!("[{number}]"),
            None => relative(index, style),
        };
    }
    text
}

fn relative(index: &RegisterIndex, style: Style) -> String {
    let register = index.relative().map(|relative| operand(relative, Type::I, style) + " + ");
    let register = register.unwrap_or_default();
    match index.wide() {
        Some(offset) => format!("[{register}{offset}]"),
        None => format!("[{register}{}]", index.offset().unwrap_or(0).cast_signed()),
    }
}

/// Integers above this value are printed in hexadecimal.
const DECIMAL: i32 = 10_000;

pub(super) fn value(bits: u32, kind: Type, style: Style) -> String {
    let exponent = bits >> 23 & 0xff;
    let as_float = match kind {
        Type::F => exponent != 255,
        // The operands of `mov` and `movc` are untyped: the print format depends on each value.
        Type::A => exponent != 0 && exponent != 255,
        _ => false,
    };
    if as_float {
        let text = format!("{:.6}", f32::from_bits(bits));
        let same = text.parse::<f32>().is_ok_and(|again| again.to_bits() == bits);
        return if same || !style.exact { text } else { format!("{bits:#010x}") };
    }
    let signed = bits.cast_signed();
    let decimal = (-DECIMAL..=DECIMAL).contains(&signed) && kind != Type::F;
    if decimal { signed.to_string() } else { format!("{bits:#010x}") }
}

pub(super) fn named(name: Option<&str>, number: u32) -> String {
    name.map_or_else(|| number.to_string(), str::to_owned)
}

/// The return type suffixes of `resinfo`, by field value.
pub(super) const INFO_RETURNS: [(u32, &str); 2] = [(1, "_rcpFloat"), (2, "_uint")];
/// The field value for `_uint` in `sampleinfo`.
pub(super) const SAMPLEINFO_UINT: u32 = 1;

pub(super) fn return_types(types: [u32; 4]) -> String {
    let names = types.map(|code| named(ReturnType::from_code(code).map(ReturnType::name), code));
    format!("({})", names.join(","))
}

/// Returns the four component return types from a resource declaration's dword.
pub(super) fn declared_types(word: u32) -> String {
    return_types([0, 4, 8, 12].map(|shift| word >> shift & 15))
}
