//! Rules about limits and declarations.

use std::collections::BTreeMap;

use super::{Findings, Options};
use crate::hull::{
    FactorLocation, Hull, IndexRange, InputDeclaration, OutputDeclaration, Phase, PhaseId,
};
use crate::names::{Domain, OutputPrimitive, SystemName};
use crate::operand::{OperandKind, letters};
use crate::register::{
    self, MAX_CONTROL_POINTS, MAX_ELEMENTS, MAX_INSTANCES, MAX_OUTPUT_SCALARS, PhaseKind,
};
use crate::rule::Rule;
use crate::shader::Shader;
use crate::signature::{Element, NO_REGISTER, Signature, SignatureKind};

pub(super) fn check(shader: &Shader, hull: &mut Hull, options: Options, findings: &mut Findings) {
    state(shader, hull, findings);
    signatures(shader, findings);
    for phase in &hull.phases {
        findings.phase = Some(phase.id);
        temporaries(phase, findings);
        instances(phase, options, findings);
        for input in &phase.inputs {
            self::input(shader, hull, input, findings);
        }
        outputs(shader, hull, phase, findings);
        overlapping_ranges(phase, findings);
    }
    overlaps(hull, findings);
    patch_constant_inputs(hull, findings);
    findings.phase = None;
    hull.factors = factors(hull, findings);
    for phase in &hull.phases {
        findings.phase = Some(phase.id);
        ranges_and_factors(hull, phase, findings);
    }
}

fn state(shader: &Shader, hull: &Hull, findings: &mut Findings) {
    findings.phase = None;
    let (input, output) = (hull.input_points, hull.output_points);
    for (what, count, least) in [("input", input, 1), ("output", output, 0)] {
        first! { findings;
            error R6 [count, MAX_CONTROL_POINTS] if !(least..=MAX_CONTROL_POINTS).contains(&count) =>
                "there are {count} {what} control points, {least} to {MAX_CONTROL_POINTS} are allowed";
        }
    }
    let factor = hull.max_factor.unwrap_or(1.0);
    let fits = match hull.primitive {
        OutputPrimitive::Point => true,
        OutputPrimitive::Line => hull.domain == Domain::Isoline,
        OutputPrimitive::TriangleCw | OutputPrimitive::TriangleCcw => {
            hull.domain != Domain::Isoline
        }
    };
    first! { findings;
        error R27 if !(1.0..=64.0).contains(&factor) => "dcl_hs_max_tessfactor is {factor}, 1 to 64 is allowed";
    }
    first! { findings;
        error R28 if !fits => "{} can't be combined with {}", hull.primitive.name(), hull.domain.name();
    }
    if hull.control_point_phase().is_none() {
        first! { findings;
            error R25 [output, input] if ![0, input].contains(&output) =>
                "without a control point phase, the number of output control points must be 0 or {input}, not {output}";
        }
        let registers = 0..hull.output_registers;
        let scalars = registers.map(|register| shader.output.mask(register).count_ones());
        scalar_limit(scalars.sum(), output, findings);
    }
}

/// Registers of the signatures, which the declarations name.
fn signatures(shader: &Shader, findings: &mut Findings) {
    for (kind, rule) in [
        (SignatureKind::Input, Rule::Signature),
        (SignatureKind::Output, Rule::R13),
        (SignatureKind::PatchConstant, Rule::R18),
    ] {
        let (title, last) = (kind.title().to_lowercase(), MAX_ELEMENTS.saturating_sub(1));
        let signature = shader.signature(kind);
        let elements = signature.map_or(&[][..], |signature| &signature.elements);
        for (number, element) in elements.iter().enumerate() {
            let register = element.register;
            if register > last && register != NO_REGISTER {
                let message = format!(
                    "element {number} of the {title} signature is in register {register}, past the last one, {last}"
                );
                let details = findings.error(rule, None::<usize>, "", message);
                details.count(register, last);
            }
        }
    }
}

fn scalar_limit(scalars: u32, points: u32, findings: &mut Findings) {
    let total = scalars.saturating_mul(points);
    first! { findings, None::<usize>, "o#";
        error R11 [total, MAX_OUTPUT_SCALARS] if total > MAX_OUTPUT_SCALARS =>
            "{scalars} scalars times {points} output control points are {total}, at most {MAX_OUTPUT_SCALARS} are allowed";
    }
}

fn temporaries(phase: &Phase, findings: &mut Findings) {
    let elements = phase.indexable.values().map(|temp| u64::from(temp.length));
    let temps = u64::from(phase.temps);
    let total = elements.fold(temps, u64::saturating_add);
    let limit = u64::from(register::count(phase.id.kind, OperandKind::Temp));
    first! { findings, phase.instruction_index, "r#, x#[]";
        error R1 [total, limit] if total > limit =>
            "{temps} temporaries and {} elements of indexable temporaries total {total}, at most {limit} are allowed",
            total.saturating_sub(temps);
    }
}

fn instances(phase: &Phase, options: Options, findings: &mut Findings) {
    let limit = match options.any_instance_count {
        true => u32::MAX,
        false => MAX_INSTANCES,
    };
    let count = phase.instances;
    first! { findings, phase.instruction_index;
        error R17 [count, limit] if !(1..=limit).contains(&count) => "the phase has {count} instances, 1 to {limit} are allowed";
    }
}

fn input(shader: &Shader, hull: &Hull, input: &InputDeclaration, findings: &mut Findings) {
    use OperandKind as Kind;
    let (kind, register, mask, instruction_index) =
        (input.kind, input.register, input.mask, input.instruction_index);
    let name = format!("{}[][{register}]", kind.name());
    let (signature, points, title) = match kind {
        Kind::Input | Kind::InputControlPoint => (&shader.input, hull.input_points, "input"),
        Kind::OutputControlPoint => (&shader.output, hull.output_points, "output"),
        _ => {
            first! { findings, instruction_index, kind.name();
                error R9 if kind == Kind::OutputControlPointId && hull.output_points == 0 =>
                    "vOutputControlPointID is declared, but there are no output control points";
            }
            return;
        }
    };
    let vertices = input.vertices.unwrap_or(0);
    first! { findings, instruction_index, &name;
        error R7 [vertices, points] if kind == Kind::Input && vertices != points =>
            "{name} is declared with {vertices} vertices, but there are {points} input control points";
        error R15 [vertices, points] if vertices > points =>
            "{name} is declared with {vertices} vertices, but there are {points} {title} control points";
        warn R15 [vertices, points] if vertices < points =>
            "{name} is declared with {vertices} of {points} {title} control points; compilers declare all";
    }
    let known = signature.mask(register);
    first! { findings, instruction_index, &name;
        error Signature if known == 0 && kind == Kind::Input => "{name} is not an element of the {title} signature";
        error R14 if known == 0 => "{name} is not an element of the {title} signature";
        error R16 if mask & !known != 0 =>
            "{name}.{} is declared, but the {title} signature has .{}", letters(mask), letters(known);
    }
}

fn outputs(shader: &Shader, hull: &Hull, phase: &Phase, findings: &mut Findings) {
    let control_point = phase.id.kind == PhaseKind::ControlPoint;
    let signature = match control_point {
        true => Some(&shader.output),
        false => shader.patch_constant.as_ref(),
    };
    let last = register::count(phase.id.kind, OperandKind::Output).saturating_sub(1);
    for output in &phase.outputs {
        let register = output.register;
        let name = format!("o{register}.{}", letters(output.mask));
        let factor = control_point && output.system.is_some_and(SystemName::is_factor);
        first! { findings, output.instruction_index, &name;
            error R13 [register, last] if register > last && control_point => "{name} is past the last register, o{last}";
            error R18 [register, last] if register > last => "{name} is past the last register, o{last}";
            error R20 if factor => "{name} is a tessellation factor in the control point phase";
        }
        if register <= last && !factor {
            output_signature(signature, output, &name, findings);
        }
    }
    if control_point {
        let scalars = phase.outputs.iter().map(|output| output.mask.count_ones());
        scalar_limit(scalars.sum(), hull.output_points, findings);
    }
}

/// Registers, components and system values must match the signature (hs-5-0.md, 7.3).
fn output_signature(
    signature: Option<&Signature>,
    output: &OutputDeclaration,
    name: &str,
    findings: &mut Findings,
) {
    let elements = signature.map_or(&[][..], |signature| &signature.elements);
    let mut known = 0;
    let here = |element: &&Element| element.register == output.register;
    for element in elements.iter().filter(here) {
        known |= element.mask;
        let system = SystemName::from_signature(element.system_value, element.index);
        let expected = system.filter(|system| system.is_factor());
        let found = output.system.filter(|system| system.is_factor());
        let say = |name: Option<SystemName>| name.map_or("no factor", SystemName::name);
        first! { findings, output.instruction_index, name;
            error Signature if element.mask & output.mask != 0 && expected != found =>
                "{name} is declared as {}, but its signature has {}", say(found), say(expected);
        }
    }
    first! { findings, output.instruction_index, name;
        error Signature if known == 0 && output.mask != 0 => "{name} is declared, but is not in its signature";
        error Signature if output.mask & !known != 0 => "{name} is declared, but its signature has .{}", letters(known);
    }
}

/// Index ranges of a register file and a component must not overlap. In the order of their first registers, a range
/// overlaps one before it if it overlaps the one that ends last.
fn overlapping_ranges(phase: &Phase, findings: &mut Findings) {
    let mut wrong: BTreeMap<usize, (&IndexRange, &IndexRange)> = BTreeMap::new();
    let end = |range: &IndexRange| u64::from(range.first).saturating_add(range.count.into());
    let mut ranges: Vec<&IndexRange> = phase.ranges.iter().collect();
    ranges.retain(|range| range.count > 0);
    ranges.sort_by_key(|range| (range.kind, range.first));
    for component in 0..4 {
        let mut last: Option<&IndexRange> = None;
        for range in ranges.iter().copied() {
            if range.mask >> component & 1 == 0 {
                continue;
            }
            let before = last.filter(|last| last.kind == range.kind);
            if let Some(before) = before.filter(|before| end(before) > range.first.into()) {
                let earlier = before.instruction_index < range.instruction_index;
                let (own, other) = if earlier { (range, before) } else { (before, range) };
                wrong.entry(own.instruction_index).or_insert((own, other));
            }
            last = match before {
                Some(before) if end(before) >= end(range) => Some(before),
                _ => Some(range),
            };
        }
    }
    for (instruction_index, (range, IndexRange { first, count, .. })) in wrong {
        let name = format!("{}{}", range.kind.name(), range.first);
        let other = format!("{}{first}", range.kind.name());
        let message = format!(
            "the index range of {name} ({} registers) overlaps that of {other} ({count} registers)",
            range.count
        );
        findings.error(Rule::R21, instruction_index, &name, message);
    }
}

/// The fork and join phases, which write the patch constants.
fn patch_phases(hull: &Hull) -> impl Iterator<Item = &Phase> {
    let phases = hull.phases.iter();
    phases.filter(|phase| phase.id.kind != PhaseKind::ControlPoint)
}

fn overlaps(hull: &Hull, findings: &mut Findings) {
    // The phase that first declared each component of a register.
    let mut owners: BTreeMap<u32, [Option<PhaseId>; 4]> = BTreeMap::new();
    for phase in patch_phases(hull) {
        findings.phase = Some(phase.id);
        for output in &phase.outputs {
            // Registers beyond the last have been reported already.
            if output.register >= MAX_ELEMENTS {
                continue;
            }
            let owners = owners.entry(output.register).or_default();
            let mut other = None;
            let mut shared = 0;
            for (component, owner) in (0u8..).zip(owners) {
                let bit = output.mask & 1 << component;
                if bit != 0 && *owner.get_or_insert(phase.id) != phase.id {
                    other = other.or(*owner);
                    shared |= bit;
                }
            }
            if let Some(other) = other {
                let name = format!("o{}.{}", output.register, letters(shared));
                let message = format!("{name} is also an output of the {other}");
                findings.error(Rule::R19, output.instruction_index, &name, message);
            }
        }
    }
}

fn patch_constant_inputs(hull: &Hull, findings: &mut Findings) {
    let phases = || hull.phases.iter();
    let of = |kind: PhaseKind| phases().filter(move |phase| phase.id.kind == kind);
    let is_input = |input: &&InputDeclaration| input.kind == OperandKind::PatchConstant;
    let mut made: BTreeMap<u32, u8> = BTreeMap::new();
    for output in of(PhaseKind::Fork).flat_map(|phase| &phase.outputs) {
        *made.entry(output.register).or_default() |= output.mask;
    }
    for phase in of(PhaseKind::Join) {
        findings.phase = Some(phase.id);
        for input in phase.inputs.iter().filter(is_input) {
            let made = made.get(&input.register).copied().unwrap_or(0);
            let missing = input.mask & !made;
            let name = format!("vpc{}.{}", input.register, letters(missing));
            first! { findings, input.instruction_index, &name;
                error R23 if missing != 0 => "{name} is not an output of a fork phase";
            }
        }
    }
}

fn factors(hull: &Hull, findings: &mut Findings) -> Vec<FactorLocation> {
    let declared = patch_phases(hull).flat_map(|phase| &phase.outputs);
    let factor = |output: &OutputDeclaration| output.system.filter(|name| name.is_factor());
    let declared = declared.filter_map(|output| Some((factor(output)?, output)));
    let declared: Vec<_> = declared.collect();
    let domain = hull.domain;
    for (name, output) in &declared {
        first! { findings, output.instruction_index, format!("o{}", output.register);
            error R22 if !domain.factors().any(|own| own == *name) => "{} is not a tessellation factor of {}", name.name(), domain.name();
        }
    }
    let mut locations = Vec::new();
    for name in domain.factors() {
        let here: Vec<_> = declared.iter().filter(|(own, _)| *own == name).collect();
        let [(_, output)] = here[..] else {
            let count = here.len() as u64;
            let message = format!("{} is declared {count} times instead of once", name.name());
            let details = findings.error(Rule::R22, None::<usize>, "", message);
            details.count(count, 1u8);
            continue;
        };
        let (register, mask) = (output.register, output.mask);
        first! { findings, output.instruction_index, format!("o{register}");
            error R22 if mask.count_ones() != 1 => "{} must have one component, not .{}", name.name(), letters(mask);
        }
        let component = u8::try_from(mask.trailing_zeros().min(3)).unwrap_or(0);
        locations.push(FactorLocation { name, register, component });
    }
    for group in [domain.edges(), domain.insides()] {
        let members = locations.iter().filter(|factor| group.contains(&factor.name));
        let members: Vec<_> = members.collect();
        for pair in members.windows(2) {
            let [first, second] = pair else { continue };
            let follows = first.register.checked_add(1) == Some(second.register);
            let apart = !follows || first.component != second.component;
            first! { findings, None::<usize>, format!("o{}", second.register);
                error R22 if members.len() == group.len() && apart =>
                    "{} must be in the register after {}, in the same component", second.name.name(), first.name.name();
            }
        }
    }
    locations
}

fn ranges_and_factors(hull: &Hull, phase: &Phase, findings: &mut Findings) {
    if phase.id.kind == PhaseKind::ControlPoint {
        return;
    }
    let is_output = |range: &&IndexRange| range.kind == OperandKind::Output;
    for range in phase.ranges.iter().filter(is_output) {
        for group in [hull.domain.edges(), hull.domain.insides()] {
            let inside = hull.factors.iter().filter(|factor| {
                let component = range.mask >> factor.component & 1 != 0;
                group.contains(&factor.name) && component && range.contains(factor.register)
            });
            let inside = inside.count();
            let beyond = usize::try_from(range.count).unwrap_or(usize::MAX) > inside;
            let name = format!("o{}", range.first);
            first! { findings, range.instruction_index, &name;
                error R21 if inside > 0 && beyond =>
                    "the index range of {name} ({} registers) extends past a group of tessellation factors", range.count;
            }
        }
    }
}
