//! Checks declarations and limits.

use std::collections::BTreeMap;

use agal_core::finding::Severity;
use agal_core::{Component, WriteMask};

use super::{CheckOptions, HullFindings};
use crate::container::signature::{NO_REGISTER, ShaderSignature, SignatureKind};
use crate::hull::register::{
    self, MAX_CONTROL_POINTS, MAX_ELEMENTS, MAX_INSTANCES, MAX_OUTPUT_SCALARS, PhaseKind,
};
use crate::hull::rule::HullRule;
use crate::hull::{DclIndexRange, FactorLocation, Hull, Phase, PhaseId, RegisterDeclaration};
use crate::names::{Domain, OutputPrimitive, SystemName};
use crate::shader::HullProgramShader;
use crate::tokens::operand::OperandKind;
use crate::words::length;

pub(super) fn check(
    shader: &HullProgramShader,
    hull: &mut Hull,
    options: CheckOptions,
    findings: &mut HullFindings,
) {
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
    for phase in hull.patch_phases() {
        findings.phase = Some(phase.id);
        ranges_and_factors(hull, phase, findings);
    }
}

fn state(shader: &HullProgramShader, hull: &Hull, findings: &mut HullFindings) {
    findings.phase = None;
    let (input, output) = (hull.input_points, hull.output_points);
    for (what, count, least) in [("input", input, 1), ("output", output, 0)] {
        report_first! { findings;
            Error R6 [count, MAX_CONTROL_POINTS] if !(least..=MAX_CONTROL_POINTS).contains(&count) =>
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
    report_first! { findings;
        Error R27 if !(1.0..=64.0).contains(&factor) => "dcl_hs_max_tessfactor is {factor}, 1 to 64 is allowed";
    }
    report_first! { findings;
        Error R28 if !fits => "{} can't be combined with {}", hull.primitive.name(), hull.domain.name();
    }
    if hull.control_point_phase().is_none() {
        report_first! { findings;
            Error R25 [output, input] if ![0, input].contains(&output) =>
                "without a control point phase, the number of output control points must be 0 or {input}, not {output}";
        }
        let registers = 0..hull.output_registers;
        let scalars = registers.map(|register| shader.output.mask(register).len());
        scalar_limit(scalars, output, findings);
    }
}

fn signatures(shader: &HullProgramShader, findings: &mut HullFindings) {
    for (kind, rule) in [
        (SignatureKind::Input, HullRule::Signature),
        (SignatureKind::Output, HullRule::R13),
        (SignatureKind::PatchConstant, HullRule::R18),
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
                let count = Some((register.into(), last.into()));
                findings.report(Severity::Error, rule, None::<usize>, "", message, count);
            }
        }
    }
}

fn scalar_limit(scalars: impl Iterator<Item = usize>, points: u32, findings: &mut HullFindings) {
    let scalars = length(scalars.sum());
    let total = scalars.saturating_mul(points);
    report_first! { findings, None::<usize>, "o#";
        Error R11 [total, MAX_OUTPUT_SCALARS] if total > MAX_OUTPUT_SCALARS =>
            "{scalars} scalars times {points} output control points are {total}, at most {MAX_OUTPUT_SCALARS} are allowed";
    }
}

fn temporaries(phase: &Phase, findings: &mut HullFindings) {
    let elements = phase.indexable.values().map(|temp| u64::from(temp.length));
    let temps = u64::from(phase.temps);
    let total = elements.fold(temps, u64::saturating_add);
    let limit = u64::from(register::count(phase.id.kind, OperandKind::Temp));
    report_first! { findings, phase.instruction_index, "r#, x#[]";
        Error R1 [total, limit] if total > limit =>
            "{temps} temporaries and {} elements of indexable temporaries total {total}, at most {limit} are allowed",
            total.saturating_sub(temps);
    }
}

fn instances(phase: &Phase, options: CheckOptions, findings: &mut HullFindings) {
    let limit = if options.any_instance_count { u32::MAX } else { MAX_INSTANCES };
    let count = phase.instances;
    report_first! { findings, phase.instruction_index;
        Error R17 [count, limit] if !(1..=limit).contains(&count) => "the phase has {count} instances, 1 to {limit} are allowed";
    }
}

fn input(
    shader: &HullProgramShader,
    hull: &Hull,
    input: &RegisterDeclaration,
    findings: &mut HullFindings,
) {
    use OperandKind as Kind;
    let RegisterDeclaration { kind, register, mask, instruction_index, .. } = *input;
    let name = format!("{}[][{register}]", kind.name());
    let (signature, points, title) = match kind {
        Kind::Input | Kind::InputControlPoint => (&shader.input, hull.input_points, "input"),
        Kind::OutputControlPoint => (&shader.output, hull.output_points, "output"),
        _ => {
            report_first! { findings, instruction_index, kind.name();
                Error R9 if kind == Kind::OutputControlPointId && hull.output_points == 0 =>
                    "vOutputControlPointID is declared, but there are no output control points";
            }
            return;
        }
    };
    let vertices = input.vertices.unwrap_or(0);
    report_first! { findings, instruction_index, &name;
        Error R7 [vertices, points] if kind == Kind::Input && vertices != points =>
            "{name} is declared with {vertices} vertices, but there are {points} input control points";
        Error R15 [vertices, points] if vertices > points =>
            "{name} is declared with {vertices} vertices, but there are {points} {title} control points";
    }
    let known = signature.mask(register);
    report_first! { findings, instruction_index, &name;
        Error Signature if known.is_empty() && kind == Kind::Input => "{name} is not an element of the {title} signature";
        Error R14 if known.is_empty() => "{name} is not an element of the {title} signature";
        Error R16 if !known.contains_all(mask) => "{name}.{mask} is declared, but the {title} signature has .{known}";
    }
}

fn outputs(shader: &HullProgramShader, hull: &Hull, phase: &Phase, findings: &mut HullFindings) {
    let control_point = phase.id.kind == PhaseKind::ControlPoint;
    let signature =
        if control_point { Some(&shader.output) } else { shader.patch_constant.as_ref() };
    let last = register::count(phase.id.kind, OperandKind::Output).saturating_sub(1);
    for output in &phase.outputs {
        let register = output.register;
        let name = format!("o{register}.{}", output.mask);
        let factor = control_point && output.factor().is_some();
        report_first! { findings, output.instruction_index, &name;
            Error R13 [register, last] if register > last && control_point => "{name} is past the last register, o{last}";
            Error R18 [register, last] if register > last => "{name} is past the last register, o{last}";
            Error R20 if factor => "{name} is a tessellation factor in the control point phase";
        }
        if register <= last && !factor {
            output_signature(signature, output, &name, findings);
        }
    }
    if control_point {
        let scalars = phase.outputs.iter().map(|output| output.mask.len());
        scalar_limit(scalars, hull.output_points, findings);
    }
}

/// Checks registers, components and system values against the signature ([hs50.rule.signature]).
fn output_signature(
    signature: Option<&ShaderSignature>,
    output: &RegisterDeclaration,
    name: &str,
    findings: &mut HullFindings,
) {
    let elements = signature.map_or(&[][..], |signature| &signature.elements);
    let found = output.factor();
    for element in elements.iter().filter(|element| element.register == output.register) {
        let system = SystemName::from_signature(element.system_value, element.index);
        let expected = system.filter(|system| system.is_factor());
        let shared = element.components().intersection(output.mask);
        let factor = |name: Option<SystemName>| name.map_or("no factor", SystemName::name);
        report_first! { findings, output.instruction_index, name;
            Error Signature if !shared.is_empty() && expected != found =>
                "{name} is declared as {}, but its signature has {}", factor(found), factor(expected);
        }
    }
    let known = signature.map(|signature| signature.mask(output.register)).unwrap_or_default();
    report_first! { findings, output.instruction_index, name;
        Error Signature if known.is_empty() && !output.mask.is_empty() => "{name} is declared, but is not in its signature";
        Error Signature if !known.contains_all(output.mask) => "{name} is declared, but its signature has .{known}";
    }
}

/// Checks that the index ranges of a register file and a component don't overlap. Sorts the ranges by first register,
/// and compares each range with the earlier range that ends last.
fn overlapping_ranges(phase: &Phase, findings: &mut HullFindings) {
    let mut wrong: BTreeMap<usize, (&DclIndexRange, &DclIndexRange)> = BTreeMap::new();
    let mut ranges: Vec<&DclIndexRange> = phase.ranges.iter().collect();
    ranges.retain(|range| range.count > 0);
    ranges.sort_by_key(|range| (range.kind, range.first));
    for component in Component::ALL {
        let mut last: Option<&DclIndexRange> = None;
        for range in ranges.iter().copied() {
            if !range.mask.contains(component) {
                continue;
            }
            let before = last.filter(|last| last.kind == range.kind);
            if let Some(before) = before.filter(|before| before.end() > range.first.into()) {
                let earlier = before.instruction_index < range.instruction_index;
                let (own, other) = if earlier { (range, before) } else { (before, range) };
                wrong.entry(own.instruction_index).or_insert((own, other));
            }
            last = match before {
                Some(before) if before.end() >= range.end() => Some(before),
                _ => Some(range),
            };
        }
    }
    for (instruction_index, (range, DclIndexRange { first, count, .. })) in wrong {
        let name = format!("{}{}", range.kind.name(), range.first);
        let other = format!("{}{first}", range.kind.name());
        let message = format!(
            "the index range of {name} ({} registers) overlaps that of {other} ({count} registers)",
            range.count
        );
        findings.error(HullRule::R21, instruction_index, &name, message);
    }
}

fn overlaps(hull: &Hull, findings: &mut HullFindings) {
    // For each output register, the first phase that declares each component.
    let mut owners: BTreeMap<u32, [Option<PhaseId>; 4]> = BTreeMap::new();
    for phase in hull.patch_phases() {
        findings.phase = Some(phase.id);
        for output in &phase.outputs {
            // Registers past the maximum have already been reported.
            if output.register >= MAX_ELEMENTS {
                continue;
            }
            let owners = owners.entry(output.register).or_default();
            let mut other = None;
            let mut shared = WriteMask::EMPTY;
            for (component, owner) in Component::ALL.into_iter().zip(owners) {
                let owned = output.mask.contains(component);
                if owned && *owner.get_or_insert(phase.id) != phase.id {
                    other = other.or(*owner);
                    shared = shared.with(component);
                }
            }
            if let Some(other) = other {
                let name = format!("o{}.{shared}", output.register);
                let message = format!("{name} is also an output of the {other}");
                findings.error(HullRule::R19, output.instruction_index, &name, message);
            }
        }
    }
}

fn patch_constant_inputs(hull: &Hull, findings: &mut HullFindings) {
    let of = |kind: PhaseKind| hull.phases.iter().filter(move |phase| phase.id.kind == kind);
    let mut known: BTreeMap<u32, WriteMask> = BTreeMap::new();
    for output in of(PhaseKind::Fork).flat_map(|phase| &phase.outputs) {
        let mask = known.entry(output.register).or_default();
        *mask = mask.union(output.mask);
    }
    for phase in of(PhaseKind::Join) {
        findings.phase = Some(phase.id);
        for input in phase.inputs.iter().filter(|input| input.kind == OperandKind::PatchConstant) {
            let known = known.get(&input.register).copied().unwrap_or_default();
            let missing = input.mask.without(known);
            let name = format!("vpc{}.{missing}", input.register);
            report_first! { findings, input.instruction_index, &name;
                Error R23 if !missing.is_empty() => "{name} is not an output of a fork phase";
            }
        }
    }
}

fn factors(hull: &Hull, findings: &mut HullFindings) -> Vec<FactorLocation> {
    let declared = hull.patch_phases().flat_map(|phase| &phase.outputs);
    let declared = declared.filter_map(|output| Some((output.factor()?, output)));
    let declared: Vec<_> = declared.collect();
    let domain = hull.domain;
    for (name, output) in &declared {
        report_first! { findings, output.instruction_index, &format!("o{}", output.register);
            Error R22 if !domain.factors().any(|own| own == *name) => "{} is not a tessellation factor of {}", name.name(), domain.name();
        }
    }
    let mut locations = Vec::new();
    for name in domain.factors() {
        let here: Vec<_> = declared.iter().filter(|(own, _)| *own == name).collect();
        let [(_, output)] = here[..] else {
            let count = here.len() as u64;
            let message = format!("{} is declared {count} times instead of once", name.name());
            let count = Some((count, 1));
            findings.report(Severity::Error, HullRule::R22, None::<usize>, "", message, count);
            continue;
        };
        let (register, mask) = (output.register, output.mask);
        report_first! { findings, output.instruction_index, &format!("o{register}");
            Error R22 if mask.len() != 1 => "{} must have one component, not .{mask}", name.name();
        }
        let component = mask.iter().next().unwrap_or(Component::X);
        locations.push(FactorLocation { name, register, component });
    }
    for group in [domain.edges(), domain.insides()] {
        let members = locations.iter().filter(|factor| group.contains(&factor.name));
        let members: Vec<_> = members.collect();
        for pair in members.windows(2) {
            let [first, second] = pair else { continue };
            let follows = first.register.checked_add(1) == Some(second.register);
            let apart = !follows || first.component != second.component;
            report_first! { findings, None::<usize>, &format!("o{}", second.register);
                Error R22 if members.len() == group.len() && apart =>
                    "{} must be in the register after {}, in the same component", second.name.name(), first.name.name();
            }
        }
    }
    locations
}

fn ranges_and_factors(hull: &Hull, phase: &Phase, findings: &mut HullFindings) {
    for range in phase.ranges.iter().filter(|range| range.kind == OperandKind::Output) {
        for group in [hull.domain.edges(), hull.domain.insides()] {
            let inside = hull.factors.iter().filter(|factor| {
                let contained = range.mask.contains(factor.component);
                group.contains(&factor.name) && contained && range.contains(factor.register)
            });
            let inside = length(inside.count());
            let name = format!("o{}", range.first);
            report_first! { findings, range.instruction_index, &name;
                Error R21 if inside > 0 && range.count > inside =>
                    "the index range of {name} ({} registers) extends past a group of tessellation factors", range.count;
            }
        }
    }
}
