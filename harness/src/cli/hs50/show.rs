//! `molehill hs50 info`, `check` and `registers`

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use hs50::check::{Finding, Options, Severity};
use hs50::hull::Hull;
use hs50::names::ProgramKind;
use hs50::register::{PhaseKind, REGISTERS, RegisterInfo};
use hs50::signature::SignatureKind;
use hs50::stat;
use hs50::text::{Listing, instruction, listing};
use serde_json::{Value, json};

use super::input::{self, Input};
use crate::cli::table::{self, Column};
use crate::cli::{Failure, Status, folder, json_argument, output};

/// Files of a folder that are checked.
const EXTENSIONS: [&str; 4] = ["dxbc", "hs50", "hex", "b64"];

pub(super) fn info_command() -> Command {
    Command::new("info")
        .about("Chunks, signatures, tessellator state, phases")
        .args(input::arguments())
        .arg(json_argument())
}

pub(super) fn info(matches: &ArgMatches) -> Result<Status, Failure> {
    let input = input::read(matches)?;
    if matches.get_flag("json") {
        output::print_json(&describe(&input)?)?;
    } else {
        output::print(&text(&input)?)?;
    }
    Ok(Status::Success)
}

fn text(input: &Input) -> Result<String, Failure> {
    let sum = input.container.stored_checksum() == input.container.computed_checksum();
    let mut out = format!(
        "{}: {}, {} bytes, checksum {}\n",
        input.name,
        input.shader.program.version,
        input.container.bytes().len(),
        if sum { "right" } else { "WRONG" }
    );
    // Writing to a string can't fail.
    for chunk in input.container.chunks() {
        let _ = writeln!(
            out,
            "  {} at {}, {} bytes",
            chunk.tag,
            chunk.offset,
            chunk.data.len()
        );
    }
    let tables = listing(
        &input.shader,
        Listing {
            signatures: true,
            exact: false,
        },
    );
    out.extend(
        tables
            .lines()
            .take_while(|line| line.starts_with("//"))
            .map(|line| format!("{line}\n")),
    );
    if let Some(chunk) = input.container.chunk(hs50::container::Tag::STAT) {
        let counts = stat::read(chunk.data).filter(|(_, count)| *count > 0);
        let counts: Vec<String> = counts
            .map(|(name, count)| format!("{name} {count}"))
            .collect();
        let _ = writeln!(out, "statistics: {}", counts.join(", "));
    }
    if input.shader.program.version.kind == ProgramKind::Hull {
        phases(&mut out, input.report(Options::default())?.hull());
    }
    Ok(out)
}

fn phases(out: &mut String, hull: &Hull) {
    let _ = writeln!(
        out,
        "{} control points in, {} out, {}, {}, {}{}",
        hull.input_points,
        hull.output_points,
        hull.domain.name(),
        hull.partitioning.name(),
        hull.primitive.name(),
        hull.max_factor
            .map_or_else(String::new, |factor| format!(", factors up to {factor}"))
    );
    for factor in &hull.factors {
        let letter = hs50::operand::LETTERS
            .get(usize::from(factor.component))
            .unwrap_or(&'x');
        let _ = writeln!(
            out,
            "  {} in o{}.{letter}",
            factor.name.name(),
            factor.register
        );
    }
    if hull.passes_through() {
        let _ = writeln!(out, "no control point phase: control points pass through");
    }
    for phase in &hull.phases {
        let indexable: u32 = phase.indexable.values().map(|temp| temp.length).sum();
        let _ = writeln!(
            out,
            "{}: {} instances, {} instructions, {} inputs, {} outputs, {} temporaries, {indexable} indexable",
            phase.id,
            phase.instances,
            phase.code.len(),
            phase.inputs.len(),
            phase.outputs.len(),
            phase.temps
        );
    }
}

fn describe(input: &Input) -> Result<Value, Failure> {
    let chunk = |chunk: hs50::container::Chunk<'_>| json!({"tag": chunk.tag.to_string(), "offset": chunk.offset, "bytes": chunk.data.len()});
    let signature = |kind| {
        let elements = input.shader.signature(kind).map(|signature| {
            let one = |e: &hs50::signature::Element| {
                json!({"name": e.name, "index": e.index, "system_value": e.system_value, "component_type": e.component_type,
                    "register": e.register, "mask": e.mask, "usage": e.usage})
            };
            signature.elements.iter().map(one).collect::<Vec<_>>()
        });
        json!(elements)
    };
    let mut value = json!({
        "file": input.name,
        "version": input.shader.program.version.to_string(),
        "checksum_right": input.container.stored_checksum() == input.container.computed_checksum(),
        "chunks": input.container.chunks().map(chunk).collect::<Vec<_>>(),
        "input": signature(SignatureKind::Input),
        "output": signature(SignatureKind::Output),
        "patch_constant": signature(SignatureKind::PatchConstant),
    });
    if input.shader.program.version.kind == ProgramKind::Hull {
        let report = input.report(Options::default())?;
        let hull = report.hull();
        let phase = |phase: &hs50::hull::Phase| {
            json!({"phase": phase.id.kind.name(), "number": phase.id.number, "instances": phase.instances,
                "instructions": phase.code.len(), "temps": phase.temps,
                "inputs": phase.inputs.len(), "outputs": phase.outputs.len()})
        };
        let factor = |place: &hs50::hull::FactorPlace| json!({"name": place.name.name(), "register": place.register, "component": place.component});
        value["hull"] = json!({
            "input_points": hull.input_points, "output_points": hull.output_points, "domain": hull.domain.name(),
            "partitioning": hull.partitioning.name(), "output_primitive": hull.primitive.name(),
            "max_factor": hull.max_factor, "passes_through": hull.passes_through(),
            "factors": hull.factors.iter().map(factor).collect::<Vec<_>>(),
            "phases": hull.phases.iter().map(phase).collect::<Vec<_>>(),
        });
    }
    Ok(value)
}

pub(super) fn check_command() -> Command {
    Command::new("check")
        .about("Checks hull shaders against the register model, phase by phase")
        .args(input::arguments())
        .arg(
            Arg::new("any-instance-count")
                .long("any-instance-count")
                .action(ArgAction::SetTrue)
                .help("Allow more than 128 instances of a phase"),
        )
        .arg(json_argument())
}

pub(super) fn check(matches: &ArgMatches) -> Result<Status, Failure> {
    let path = matches
        .get_one::<PathBuf>("file")
        .cloned()
        .unwrap_or_default();
    let options = Options {
        any_instance_count: matches.get_flag("any-instance-count"),
    };
    let in_folder = path.is_dir();
    let files = match in_folder {
        true => folder::files(&path, &EXTENSIONS)
            .map_err(|error| Failure(format!("{}: {error}", path.display())))?,
        false => vec![path],
    };
    let (mut sound, mut broken, mut values, mut text) = (0u32, 0u32, Vec::new(), String::new());
    for file in files {
        let checked = input::read_path(&file, input::checksum(matches));
        // Of a folder a file that can't be read is a line like the others, and other stages are passed over.
        let (name, findings) = match checked {
            Ok(input) if in_folder && input.shader.program.version.kind != ProgramKind::Hull => {
                let _ = writeln!(
                    text,
                    "{}: {}, not checked",
                    input.name, input.shader.program.version
                );
                values.push(json!({"file": input.name, "version": input.shader.program.version.to_string()}));
                continue;
            }
            Ok(input) => (
                input.name.clone(),
                Ok((input.report(options)?.findings, input)),
            ),
            Err(Failure(reason)) if in_folder => (file.display().to_string(), Err(reason)),
            Err(failure) => return Err(failure),
        };
        let valid = findings
            .as_ref()
            .is_ok_and(|(list, _)| list.iter().all(|one| one.severity < Severity::Error));
        *(if valid { &mut sound } else { &mut broken }) += 1;
        match findings {
            Ok((list, input)) => {
                let _ = writeln!(
                    text,
                    "{name}: {}",
                    if valid {
                        "breaks no rule"
                    } else {
                        "breaks the register model"
                    }
                );
                for finding in &list {
                    let _ = writeln!(text, "  {finding}{}", shown(finding, &input));
                }
                let list: Vec<_> = list.iter().map(finding_json).collect();
                values.push(json!({"file": name, "valid": valid, "findings": list}));
            }
            Err(reason) => {
                let _ = writeln!(text, "{reason}");
                values.push(json!({"file": name, "valid": false, "error": reason}));
            }
        }
    }
    if matches.get_flag("json") {
        output::print_json(&json!({"sound": sound, "broken": broken, "shaders": values}))?;
    } else {
        if in_folder {
            let _ = writeln!(text, "{sound} sound, {broken} broken");
        }
        output::print(&text)?;
    }
    Ok(if broken == 0 {
        Status::Success
    } else {
        Status::Mismatch
    })
}

/// The instruction that a finding is about.
fn shown(finding: &Finding, input: &Input) -> String {
    let program = &input.shader.program;
    let found = finding
        .place
        .and_then(|place| Some((place, program.instructions.get(place)?)));
    found.map_or_else(String::new, |(place, found)| {
        let text = instruction(found, program.version);
        format!(
            "\n      {place}: {}",
            text.lines().next().unwrap_or_default()
        )
    })
}

fn finding_json(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule.name(),
        "statement": finding.rule.statement(),
        "severity": finding.severity.name(),
        "phase": finding.phase.map(|phase| phase.kind.name()),
        "phase_number": finding.phase.map(|phase| phase.number),
        "instruction": finding.place,
        "register": finding.register,
        "count": finding.count.map(|(count, _)| count),
        "limit": finding.count.map(|(_, limit)| limit),
        "message": finding.message,
    })
}

/// A row of the register model in a phase.
type Register = (PhaseKind, &'static RegisterInfo);

const COLUMNS: &[Column<Register>] = &[
    ("phase", |(phase, _)| phase.name().into()),
    ("register", |(_, row)| row.register.into()),
    ("assembly", |(_, row)| row.assembly.into()),
    ("count", |(_, row)| row.counted.into()),
    ("access", |(_, row)| row.access.name().into()),
    ("components", |(_, row)| row.components.into()),
    ("indexable", |(_, row)| row.indexed.into()),
    ("default", |(_, row)| row.default.into()),
    ("declaration", |(_, row)| row.declaration.into()),
    ("rules", |(_, row)| {
        row.rules.iter().map(|rule| rule.name()).collect()
    }),
];

pub(super) fn registers_command() -> Command {
    Command::new("registers")
        .about("The register model of hull shaders")
        .arg(
            Arg::new("phase")
                .long("phase")
                .value_name("PHASE")
                .value_parser(PossibleValuesParser::new(
                    PhaseKind::ALL.iter().map(|kind| kind.name()),
                ))
                .help("Only this phase: control_point, fork or join"),
        )
        .arg(json_argument())
}

pub(super) fn registers(matches: &ArgMatches) -> Result<Status, Failure> {
    let chosen = matches.get_one::<String>("phase");
    let phases = PhaseKind::ALL.iter().copied();
    let phases = phases.filter(|phase| chosen.is_none_or(|name| phase.name() == name));
    let rows = phases.flat_map(|phase| {
        let rows = REGISTERS.iter();
        rows.filter_map(move |row| row.phases.contains(&phase).then_some((phase, row)))
    });
    let rows: Vec<Register> = rows.collect();
    table::print(matches, "registers", COLUMNS, &rows)?;
    Ok(Status::Success)
}
