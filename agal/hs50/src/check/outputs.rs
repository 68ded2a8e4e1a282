//! Rules about counts and declarations.

use super::{Findings, Options, letters};
use crate::hull::{
    FactorPlace, Hull, IndexRange, InputDeclaration, OutputDeclaration, Phase, PhaseId,
};
use crate::names::{Domain, OutputPrimitive, SystemName};
use crate::operand::OperandKind;
use crate::register::{self, MAX_CONTROL_POINTS, MAX_INSTANCES, MAX_OUTPUT_SCALARS, PhaseKind};
use crate::rule::Rule;
use crate::shader::Shader;
use crate::signature::Signature;

pub(super) fn check(shader: &Shader, hull: &mut Hull, options: Options, findings: &mut Findings) {
    state(shader, hull, findings);
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
    for (what, count, least) in [
        ("input", hull.input_points, 1),
        ("output", hull.output_points, 0),
    ] {
        if !(least..=MAX_CONTROL_POINTS).contains(&count) {
            let message = format!(
                "{count} {what} control points, {least} to {MAX_CONTROL_POINTS} are allowed"
            );
            findings
                .error(Rule::R6, message)
                .count(count, MAX_CONTROL_POINTS);
        }
    }
    if let Some(factor) = hull.max_factor
        && !(1.0..=64.0).contains(&factor)
    {
        findings.error(
            Rule::R27,
            format!("dcl_hs_max_tessfactor is {factor}, 1 to 64 is allowed"),
        );
    }
    let fits = match hull.primitive {
        OutputPrimitive::Point => true,
        OutputPrimitive::Line => hull.domain == Domain::Isoline,
        OutputPrimitive::TriangleCw | OutputPrimitive::TriangleCcw => {
            hull.domain != Domain::Isoline
        }
    };
    if !fits {
        let message = format!(
            "{} does not go with {}",
            hull.primitive.name(),
            hull.domain.name()
        );
        findings.error(Rule::R28, message);
    }
    if hull.control_point_phase().is_none() {
        if ![0, hull.input_points].contains(&hull.output_points) {
            let message = format!(
                "without a control point phase {} control points go out, {} come in",
                hull.output_points, hull.input_points
            );
            findings
                .error(Rule::R25, message)
                .count(hull.output_points, hull.input_points);
        }
        let scalars = (0..hull.output_registers.min(64))
            .map(|register| shader.output.mask(register).count_ones())
            .sum();
        if hull.output_points > 0 {
            scalar_limit(scalars, hull.output_points, findings);
        }
    }
}

fn scalar_limit(scalars: u32, points: u32, findings: &mut Findings) {
    let total = scalars.saturating_mul(points);
    if total > MAX_OUTPUT_SCALARS {
        let message = format!(
            "{scalars} scalars times {points} output control points are {total}, at most {MAX_OUTPUT_SCALARS} are allowed"
        );
        findings
            .error(Rule::R11, message)
            .register("o#")
            .count(total, MAX_OUTPUT_SCALARS);
    }
}

fn temporaries(phase: &Phase, findings: &mut Findings) {
    let elements = phase.indexable.values().map(|temp| u64::from(temp.length));
    let total = elements.fold(u64::from(phase.temps), u64::saturating_add);
    let limit = u64::from(register::count(phase.id.kind, OperandKind::Temp));
    if total > limit {
        let message = format!(
            "{} temporaries and {} elements of indexable ones are {total}, at most {limit} are allowed",
            phase.temps,
            total.saturating_sub(phase.temps.into())
        );
        findings
            .error(Rule::R1, message)
            .at(phase.place)
            .register("r#, x#[]")
            .count(total, limit);
    }
}

fn instances(phase: &Phase, options: Options, findings: &mut Findings) {
    let limit = if options.any_instance_count {
        u32::MAX
    } else {
        MAX_INSTANCES
    };
    if !(1..=limit).contains(&phase.instances) {
        let message = format!("{} instances, 1 to {limit} are allowed", phase.instances);
        findings
            .error(Rule::R17, message)
            .at(phase.place)
            .count(phase.instances, limit);
    }
}

fn input(shader: &Shader, hull: &Hull, input: &InputDeclaration, findings: &mut Findings) {
    use OperandKind as Kind;
    let InputDeclaration {
        kind,
        register,
        mask,
        place,
        ..
    } = *input;
    let name = format!("{}[][{register}]", kind.name());
    let (signature, points, title) = match kind {
        Kind::Input | Kind::InputControlPoint => (&shader.input, hull.input_points, "input"),
        Kind::OutputControlPoint => (&shader.output, hull.output_points, "output"),
        Kind::OutputControlPointId if hull.output_points == 0 => {
            findings
                .error(
                    Rule::R9,
                    "vOutputControlPointID without output control points",
                )
                .at(place)
                .register(kind.name());
            return;
        }
        _ => return,
    };
    let vertices = input.vertices.unwrap_or(0);
    if kind == Kind::Input && vertices != points {
        let message = format!(
            "{name} is declared with {vertices} vertices, there are {points} input control points"
        );
        findings
            .error(Rule::R7, message)
            .at(place)
            .register(&name)
            .count(vertices, points);
    } else if vertices > points {
        let message = format!(
            "{name} is declared with {vertices} vertices, there are {points} {title} control points"
        );
        findings
            .error(Rule::R15, message)
            .at(place)
            .register(&name)
            .count(vertices, points);
    } else if vertices < points {
        let message = format!(
            "{name} is declared with {vertices} of {points} {title} control points; compilers declare all"
        );
        findings
            .warn(Rule::R15, message)
            .at(place)
            .register(&name)
            .count(vertices, points);
    }
    let known = signature.mask(register);
    if known == 0 {
        let message = format!("{name} is no element of the {title} signature");
        let rule = if kind == Kind::Input {
            Rule::Signature
        } else {
            Rule::R14
        };
        findings.error(rule, message).at(place).register(&name);
    } else if mask & !known != 0 {
        let message = format!(
            "{name}.{} is declared, the {title} signature has .{}",
            letters(mask),
            letters(known)
        );
        findings.error(Rule::R16, message).at(place).register(&name);
    }
}

fn outputs(shader: &Shader, hull: &Hull, phase: &Phase, findings: &mut Findings) {
    let control_point = phase.id.kind == PhaseKind::ControlPoint;
    let (signature, rule) = match (&shader.patch_constant, control_point) {
        (_, true) => (Some(&shader.output), Rule::R13),
        (patch, false) => (patch.as_ref(), Rule::R18),
    };
    let limit = register::count(phase.id.kind, OperandKind::Output);
    for output in &phase.outputs {
        let name = format!("o{}.{}", output.register, letters(output.mask));
        if output.register >= limit {
            let message = format!("{name} is beyond o{}", limit.saturating_sub(1));
            findings
                .error(rule, message)
                .at(output.place)
                .register(&name)
                .count(output.register, limit.saturating_sub(1));
            continue;
        }
        if control_point && output.system.is_some_and(SystemName::is_factor) {
            let message = format!("{name} is a tessellation factor in the control point phase");
            findings
                .error(Rule::R20, message)
                .at(output.place)
                .register(&name);
            continue;
        }
        output_signature(signature, output, &name, findings);
    }
    if control_point {
        let scalars = phase
            .outputs
            .iter()
            .map(|output| output.mask.count_ones())
            .sum();
        scalar_limit(scalars, hull.output_points, findings);
    }
}

/// Registers, components and system values are those of the signature (hs-5-0.md, 7.3).
fn output_signature(
    signature: Option<&Signature>,
    output: &OutputDeclaration,
    name: &str,
    findings: &mut Findings,
) {
    let elements = signature.map_or(&[][..], |signature| &signature.elements);
    let mut known = 0;
    for element in elements
        .iter()
        .filter(|element| element.register == output.register)
    {
        known |= element.mask;
        if element.mask & output.mask == 0 {
            continue;
        }
        let system = SystemName::from_signature(element.system_value, element.index);
        let expected = system.filter(|system| system.is_factor());
        let found = output.system.filter(|system| system.is_factor());
        if expected != found {
            let say = |name: Option<SystemName>| name.map_or("no factor", SystemName::name);
            let message = format!(
                "{name} is declared as {}, its signature says {}",
                say(found),
                say(expected)
            );
            findings
                .error(Rule::Signature, message)
                .at(output.place)
                .register(name);
        }
    }
    if output.mask & !known != 0 {
        let message = format!(
            "{name} is declared, its signature has {}",
            match known {
                0 => "nothing there".to_owned(),
                known => format!(".{}", letters(known)),
            }
        );
        findings
            .error(Rule::Signature, message)
            .at(output.place)
            .register(name);
    }
}

fn overlapping_ranges(phase: &Phase, findings: &mut Findings) {
    for (number, range) in phase.ranges.iter().enumerate() {
        let earlier = phase.ranges.iter().take(number);
        let end = |range: &IndexRange| u64::from(range.first).saturating_add(range.count.into());
        let overlap = earlier
            .filter(|other| other.kind == range.kind && other.mask & range.mask != 0)
            .find(|other| {
                u64::from(other.first) < end(range) && u64::from(range.first) < end(other)
            });
        if let Some(other) = overlap {
            let name = range.kind.name();
            let message = format!(
                "the range {name}{}, {} long, overlaps that of {name}{}, {} long",
                range.first, range.count, other.first, other.count
            );
            findings
                .error(Rule::R21, message)
                .at(range.place)
                .register(format!("{name}{}", range.first));
        }
    }
}

/// Fork and join phases, which make the patch constants.
fn patch_phases(hull: &Hull) -> impl Iterator<Item = &Phase> {
    hull.phases
        .iter()
        .filter(|phase| phase.id.kind != PhaseKind::ControlPoint)
}

fn overlaps(hull: &Hull, findings: &mut Findings) {
    let mut owners: Vec<(u32, u8, PhaseId)> = Vec::new();
    for phase in patch_phases(hull) {
        findings.phase = Some(phase.id);
        for output in &phase.outputs {
            let mut others = owners
                .iter()
                .filter(|(register, _, id)| *register == output.register && *id != phase.id);
            if let Some((register, mask, other)) =
                others.find(|(_, mask, _)| mask & output.mask != 0)
            {
                let name = format!("o{register}.{}", letters(mask & output.mask));
                let message = format!("{name} is an output of the {other} too");
                findings
                    .error(Rule::R19, message)
                    .at(output.place)
                    .register(&name);
            }
            // Registers beyond the last have been found already; keeping them would only cost time.
            if output.register < register::count(phase.id.kind, OperandKind::Output) {
                owners.push((output.register, output.mask, phase.id));
            }
        }
        owners.truncate(MAX_OWNERS);
    }
}

/// More cannot be without overlaps: 32 registers of 4 components.
const MAX_OWNERS: usize = 128;

fn patch_constant_inputs(hull: &Hull, findings: &mut Findings) {
    let forks = || {
        hull.phases
            .iter()
            .filter(|phase| phase.id.kind == PhaseKind::Fork)
    };
    for phase in hull
        .phases
        .iter()
        .filter(|phase| phase.id.kind == PhaseKind::Join)
    {
        findings.phase = Some(phase.id);
        for input in phase
            .inputs
            .iter()
            .filter(|input| input.kind == OperandKind::PatchConstant)
        {
            let made = forks().fold(0, |mask, fork| mask | fork.output_mask(input.register));
            let missing = input.mask & !made;
            if missing != 0 {
                let name = format!("vpc{}.{}", input.register, letters(missing));
                let message = format!("{name} is no output of a fork phase");
                findings
                    .error(Rule::R23, message)
                    .at(input.place)
                    .register(&name);
            }
        }
    }
}

fn factors(hull: &Hull, findings: &mut Findings) -> Vec<FactorPlace> {
    let declared = patch_phases(hull).flat_map(|phase| &phase.outputs);
    let declared: Vec<_> = declared
        .filter_map(|output| Some((output.system.filter(|name| name.is_factor())?, output)))
        .collect();
    for (name, output) in &declared {
        if !hull.domain.factors().any(|own| own == *name) {
            let message = format!("{} is no factor of {}", name.name(), hull.domain.name());
            findings
                .error(Rule::R22, message)
                .at(output.place)
                .register(format!("o{}", output.register));
        }
    }
    let mut places = Vec::new();
    for name in hull.domain.factors() {
        let here: Vec<_> = declared.iter().filter(|(own, _)| *own == name).collect();
        let [(_, output)] = here[..] else {
            let message = format!("{} is declared {} times, not once", name.name(), here.len());
            findings
                .error(Rule::R22, message)
                .count(here.len() as u64, 1u8);
            continue;
        };
        if output.mask.count_ones() != 1 {
            let message = format!(
                "{} has not one component but .{}",
                name.name(),
                letters(output.mask)
            );
            findings
                .error(Rule::R22, message)
                .at(output.place)
                .register(format!("o{}", output.register));
        }
        let component = u8::try_from(output.mask.trailing_zeros().min(3)).unwrap_or(0);
        places.push(FactorPlace {
            name,
            register: output.register,
            component,
        });
    }
    for group in [hull.domain.edges(), hull.domain.insides()] {
        let members: Vec<_> = places
            .iter()
            .filter(|place| group.contains(&place.name))
            .collect();
        for pair in members.windows(2) {
            let [first, second] = pair else { continue };
            let follows = first.register.checked_add(1) == Some(second.register);
            if members.len() == group.len() && (!follows || first.component != second.component) {
                let message = format!(
                    "{} is not in the same component of the register behind that of {}",
                    second.name.name(),
                    first.name.name()
                );
                findings
                    .error(Rule::R22, message)
                    .register(format!("o{}", second.register));
            }
        }
    }
    places
}

fn ranges_and_factors(hull: &Hull, phase: &Phase, findings: &mut Findings) {
    if phase.id.kind == PhaseKind::ControlPoint {
        return;
    }
    for range in phase
        .ranges
        .iter()
        .filter(|range| range.kind == OperandKind::Output)
    {
        for group in [hull.domain.edges(), hull.domain.insides()] {
            let members = hull
                .factors
                .iter()
                .filter(|place| group.contains(&place.name));
            let members: Vec<_> = members
                .filter(|place| range.mask >> place.component & 1 != 0)
                .collect();
            let inside = members
                .iter()
                .filter(|place| range.contains(place.register))
                .count();
            let beyond = usize::try_from(range.count).unwrap_or(usize::MAX) > inside;
            if inside > 0 && beyond {
                let message = format!(
                    "the range o{}, {} long, crosses the end of a group of factors",
                    range.first, range.count
                );
                findings
                    .error(Rule::R21, message)
                    .at(range.place)
                    .register(format!("o{}", range.first));
            }
        }
    }
}
