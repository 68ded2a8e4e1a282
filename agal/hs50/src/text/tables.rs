//! Prints and parses the signatures in the comments above a listing.

use agal_core::text::TextCursor;
use agal_core::{Component, WriteMask};

use super::error::{HullTextErrorKind, HullTextResult};
use super::operand::named;
use crate::container::signature::{Element, NO_REGISTER, ShaderSignature, SignatureKind};
use crate::names::{ComponentType, ProgramKind, SystemName};
use crate::shader::HullProgramShader;
use crate::tokens::opcode::HullOpcode;
use crate::tokens::program::field;

const COLUMNS: &str = "\
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
";

pub(super) fn write(out: &mut String, shader: &HullProgramShader) {
    for kind in SignatureKind::LISTED {
        let Some(signature) = shader.signature(kind) else { continue };
        let title = kind.title();
        *out += &format!("//\n//\n// {title} signature:\n//\n{COLUMNS}");
        if signature.elements.is_empty() {
            *out += &format!("// no {title}\n");
        }
        for element in &signature.elements {
            *out += &row(element, written_unused(shader, kind));
        }
    }
    tessellation(out, shader);
}

/// Returns whether an element's last byte marks unwritten components, as for outputs of hull shaders.
fn written_unused(shader: &HullProgramShader, kind: SignatureKind) -> bool {
    let hull = shader.program.version.kind == ProgramKind::Hull;
    kind == SignatureKind::Output || hull && kind == SignatureKind::PatchConstant
}

fn row(element: &Element, unused: bool) -> String {
    let usage = if unused { !element.usage } else { element.usage };
    let used = usage & element.mask;
    let system = match element.system_value {
        0 => "NONE".to_owned(),
        value => {
            let mut names = SystemName::ALL.iter();
            let name = names.find(|name| name.signature() == value);
            named(name.map(|name| name.short()), value)
        }
    };
    let register = match element.register {
        NO_REGISTER => "N/A".to_owned(),
        register => register.to_string(),
    };
    let format = ComponentType::from_code(element.component_type);
    let format = named(format.map(ComponentType::name), element.component_type);
    format!(
        "// {:<20} {:>5} {:>6} {register:>8} {system:>8} {format:>7} {:>6}\n",
        element.name,
        element.index,
        columns(element.mask),
        columns(used),
    )
}

fn columns(mask: u8) -> String {
    let mask = WriteMask::from_bits(mask);
    let column = |c: Component| if mask.contains(c) { c.letter() } else { ' ' };
    Component::ALL.map(column).iter().collect()
}

/// Names of tessellator state in listings; the code in tokens is the index plus 1.
const DOMAINS: [&str; 3] = ["Isoline", "Triangle", "Quadrilateral"];
const PARTITIONINGS: [&str; 4] = ["Integer", "Power of 2", "Odd Fractional", "Even Fractional"];
const PRIMITIVES: [&str; 4] =
    ["Points", "Lines", "Clockwise Triangles", "Counter-Clockwise Triangles"];

fn tessellation(out: &mut String, shader: &HullProgramShader) {
    let value = |opcode, bits| {
        let mut all = shader.program.instructions.iter();
        let found = all.find(|instruction| instruction.opcode() == opcode);
        found.map_or(0, |instruction| instruction.control(field::VALUE, bits))
    };
    let titled = |titles: &[&'static str], opcode, bits| {
        let number = value(opcode, bits).checked_sub(1)?;
        titles.get(number as usize).copied()
    };
    out.push_str("//\n");
    let (Some(domain), Some(partitioning), Some(primitive)) = (
        titled(&DOMAINS, HullOpcode::DclTessellatorDomain, 2),
        titled(&PARTITIONINGS, HullOpcode::DclTessellatorPartitioning, 3),
        titled(&PRIMITIVES, HullOpcode::DclTessellatorOutputPrimitive, 3),
    ) else {
        return;
    };
    let points = value(HullOpcode::DclOutputControlPointCount, 6);
    out.push_str(&format!(
        "\
// Tessellation Domain   # of control points
// -------------------- --------------------
// {domain:<20} {points:>20}
//
// Tessellation Output Primitive  Partitioning Type \n\
// ------------------------------ ------------------
// {primitive:<30} {partitioning:<18}
//
"
    ));
}

#[derive(Default)]
pub(super) struct HullTables {
    current: Option<SignatureKind>,
    found: Vec<(SignatureKind, Vec<SignatureRow>)>,
}

struct SignatureRow {
    element: Element,
    used: u8,
}

impl HullTables {
    /// Parses a comment; `text` excludes the slashes.
    pub(super) fn comment(&mut self, text: &str, cursor: &TextCursor<'_>) -> HullTextResult {
        let text = text.trim_end();
        let titled = text.trim_start().strip_suffix(" signature:");
        if let Some(name) = titled {
            self.current = SignatureKind::from_title(name);
            if let Some(kind) = self.current
                && !self.found.iter().any(|(known, _)| *known == kind)
            {
                self.found.push((kind, Vec::new()));
            }
            return Ok(());
        }
        let first = text.split_whitespace().next().unwrap_or_default();
        if matches!(first, "Name" | "no" | "") || first.starts_with("--") {
            return Ok(());
        }
        if first == "Tessellation" || first == "Approximately" {
            self.current = None;
        }
        let Some(kind) = self.current else { return Ok(()) };
        let wrong = || cursor.error(HullTextErrorKind::Expected("a row of a signature"));
        let row = parse_row(text).ok_or_else(wrong)?;
        if let Some((_, rows)) = self.found.iter_mut().find(|(known, _)| *known == kind) {
            rows.push(row);
        }
        Ok(())
    }

    /// Returns the signature of a type, if the listing has it. With `unused`, the last byte of elements marks
    /// components that are never written.
    pub(super) fn signature(
        &mut self,
        kind: SignatureKind,
        unused: bool,
    ) -> Option<ShaderSignature> {
        let number = self.found.iter().position(|(known, _)| *known == kind)?;
        let mut signature = ShaderSignature::new(kind);
        let (_, rows) = self.found.swap_remove(number);
        let elements = rows.into_iter().map(|SignatureRow { element, used }| Element {
            usage: if unused { !used & 15 } else { used },
            ..element
        });
        signature.elements = elements.collect();
        Some(signature)
    }
}

/// Parses a row with the columns name, index, mask, register, system value, format and used. The columns "mask" and
/// "used" may be empty or have gaps.
fn parse_row(text: &str) -> Option<SignatureRow> {
    let mut words = text.split_whitespace();
    let name = words.next()?.to_owned();
    let index = words.next()?.parse().ok()?;
    let mut next = words.next()?;
    let mut mask = 0;
    while let Some(parsed) = parse_letters(next) {
        mask |= parsed;
        next = words.next()?;
    }
    let register = match next {
        "N/A" => NO_REGISTER,
        number => number.parse().ok()?,
    };
    let system = words.next()?;
    let named = SystemName::ALL.iter().find(|name| name.short() == system);
    let system_value = match (system, named) {
        ("NONE", _) => 0,
        (_, Some(name)) => name.signature(),
        (number, None) => number.parse().ok()?,
    };
    let format = words.next()?;
    let component_type = match ComponentType::from_name(format) {
        Some(known) => known.code(),
        None => format.parse().ok()?,
    };
    let used = words.try_fold(0, |used, word| Some(used | parse_letters(word)?))?;
    let element =
        Element { name, index, system_value, component_type, register, mask, ..Element::default() };
    Some(SignatureRow { element, used })
}

fn parse_letters(text: &str) -> Option<u8> {
    let mask: WriteMask = text.chars().map(Component::from_letter).collect::<Option<_>>()?;
    Some(mask.bits())
}
