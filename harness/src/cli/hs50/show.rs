//! `molehill hs50 info`, `check` and `registers`

use hs50::check::{Finding, Options, Severity};
use hs50::container::statistics;
use hs50::hull::Hull;
use hs50::names::ProgramKind;
use hs50::register::{PhaseKind, RegisterInfo};
use hs50::signature::SignatureKind;
use hs50::text::{Listing, instruction, listing};
use serde_json::{Value, json};

use super::input::{self, FileArguments, Input};
use crate::cli::{Column, Failure, Format, Status, input::paths, named, table};

const EXTENSIONS: [&str; 4] = ["dxbc", "hs50", "hex", "b64"];

/// Shows chunks, signatures, tessellator state and phases
#[derive(clap::Args)]
pub(in crate::cli) struct Info {
    #[command(flatten)]
    file: FileArguments,
}

impl Info {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let input = self.file.read()?;
        let text = text(&input)?;
        self.file.output.print(&describe(&input)?, || text)
    }
}

fn text(input: &Input) -> Result<String, Failure> {
    let sum = input.container.stored_checksum() == input.container.computed_checksum();
    let (bytes, sum) = (input.container.bytes().len(), if sum { "correct" } else { "WRONG" });
    let mut out = format!("{}: {}, {bytes} bytes, checksum {sum}\n", input.name, input.version());
    for chunk in input.container.chunks() {
        out += &format!("  {} at {}, {} bytes\n", chunk.tag, chunk.offset, chunk.data.len());
    }
    let tables = listing(&input.shader, Listing { signatures: true, exact: false });
    let tables = tables.lines().take_while(|line| line.starts_with("//"));
    out.extend(tables.map(|line| format!("{line}\n")));
    if let Some(chunk) = input.container.chunk(hs50::container::Tag::STAT) {
        let counts = statistics::read(chunk.data).filter(|(_, count)| *count > 0);
        let counts: Vec<_> = counts.map(|(name, count)| format!("{name} {count}")).collect();
        out += &format!("statistics: {}\n", counts.join(", "));
    }
    if input.version().kind == ProgramKind::Hull {
        phases(&mut out, &input.report(Options::default())?.facts);
    }
    Ok(out)
}

fn phases(out: &mut String, hull: &Hull) {
    *out += &format!(
        "{} control points in, {} out, {}, {}, {}{}\n",
        hull.input_points,
        hull.output_points,
        hull.domain.name(),
        hull.partitioning.name(),
        hull.primitive.name(),
        hull.max_factor.map_or_else(String::new, |factor| format!(", factors up to {factor}"))
    );
    for factor in &hull.factors {
        let letter = factor.component.letter();
        *out += &format!("  {} in o{}.{letter}\n", factor.name.name(), factor.register);
    }
    if hull.passes_through() {
        *out += "no control point phase: control points are passed through\n";
    }
    for phase in &hull.phases {
        let indexable: u32 = phase.indexable.values().map(|temp| temp.length).sum();
        *out += &format!(
            "{}: {} instances, {} instructions, {} inputs, {} outputs, {} temporaries, {indexable} indexable\n",
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
                json!({"name": e.name, "index": e.index, "systemValue": e.system_value, "componentType": e.component_type,
                    "register": e.register, "mask": e.mask, "usage": e.usage})
            };
            signature.elements.iter().map(one).collect::<Vec<_>>()
        });
        json!(elements)
    };
    let mut value = json!({
        "file": input.name, "version": input.version().to_string(),
        "checksumRight": input.container.stored_checksum() == input.container.computed_checksum(),
        "chunks": input.container.chunks().map(chunk).collect::<Vec<_>>(),
        "input": signature(SignatureKind::Input), "output": signature(SignatureKind::Output),
        "patchConstant": signature(SignatureKind::PatchConstant),
    });
    if input.version().kind == ProgramKind::Hull {
        let report = input.report(Options::default())?;
        let hull = &report.facts;
        let phase = |phase: &hs50::hull::Phase| {
            json!({"phase": phase.id.kind.name(), "number": phase.id.number, "instances": phase.instances,
                "instructions": phase.code.len(), "temps": phase.temps,
                "inputs": phase.inputs.len(), "outputs": phase.outputs.len()})
        };
        let factor = |location: &hs50::hull::FactorLocation| json!({"name": location.name.name(), "register": location.register, "component": location.component.bits()});
        value["hull"] = json!({
            "inputPoints": hull.input_points, "outputPoints": hull.output_points, "domain": hull.domain.name(),
            "partitioning": hull.partitioning.name(), "outputPrimitive": hull.primitive.name(),
            "maxFactor": hull.max_factor, "passesThrough": hull.passes_through(),
            "factors": hull.factors.iter().map(factor).collect::<Vec<_>>(),
            "phases": hull.phases.iter().map(phase).collect::<Vec<_>>(),
        });
    }
    Ok(value)
}

/// Checks hull shaders against the register model, phase by phase
#[derive(clap::Args)]
pub(in crate::cli) struct Check {
    #[command(flatten)]
    file: FileArguments,
    /// Allow more than 128 instances of a phase
    #[arg(long)]
    any_instance_count: bool,
}

impl Check {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let path = &self.file.file;
        let options = Options { any_instance_count: self.any_instance_count };
        let in_folder = path.is_dir();
        let (files, _) = paths(std::slice::from_ref(path), &EXTENSIONS)?;
        let (mut sound, mut broken, mut values, mut text) = (0u32, 0u32, Vec::new(), String::new());
        for file in files {
            // In a folder, a file that can't be read is reported in its line, and shaders of other stages are skipped.
            let input = match input::read(&file, self.file.checksum()) {
                Ok(input) => input,
                Err(Failure(reason)) if in_folder => {
                    broken += 1;
                    text += &format!("{reason}\n");
                    values.push(json!({"file": file, "valid": false, "error": reason}));
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            let (name, version) = (&input.name, input.version());
            if in_folder && version.kind != ProgramKind::Hull {
                text += &format!("{name}: {version}, not checked\n");
                values.push(json!({"file": name, "version": version.to_string()}));
                continue;
            }
            let findings = input.report(options)?.findings;
            let valid = findings.iter().all(|one| one.severity < Severity::Error);
            *if valid { &mut sound } else { &mut broken } += 1;
            text += &format!("{name}: {}\n", if valid { "valid" } else { "invalid" });
            for finding in &findings {
                text += &format!("  {finding}{}\n", shown(finding, &input));
            }
            let findings: Vec<_> = findings.iter().map(finding_json).collect();
            values.push(json!({"file": name, "valid": valid, "findings": findings}));
        }
        if in_folder {
            text += &format!("{sound} valid, {broken} invalid\n");
        }
        let answer = json!({"sound": sound, "broken": broken, "shaders": values});
        self.file.output.print(&answer, || text)?;
        Ok(Status::of(broken == 0))
    }
}

fn shown(finding: &Finding, input: &Input) -> String {
    let program = &input.shader.program;
    let index = finding.location.instruction_index;
    let found = index.and_then(|index| Some((index, program.instructions.get(index)?)));
    found.map_or_else(String::new, |(index, found)| {
        let text = instruction(found, program.version);
        format!("\n      {index}: {}", text.lines().next().unwrap_or_default())
    })
}

fn finding_json(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule.name(), "statement": finding.rule.statement(), "severity": finding.severity.name(),
        "phase": finding.location.phase.map(|phase| phase.kind.name()),
        "phaseNumber": finding.location.phase.map(|phase| phase.number),
        "instruction": finding.location.instruction_index, "register": finding.location.register,
        "count": finding.location.count.map(|(count, _)| count),
        "limit": finding.location.count.map(|(_, limit)| limit), "message": finding.message,
    })
}

/// A row of the register model in a phase.
type Register = (PhaseKind, RegisterInfo);

const COLUMNS: &[Column<Register>] = &[
    ("phase", |(phase, _)| phase.name().into()),
    ("register", |(_, row)| row.register().into()),
    ("assembly", |(_, row)| row.assembly().into()),
    ("count", |(_, row)| row.counted().into()),
    ("access", |(_, row)| row.access().name().into()),
    ("components", |(_, row)| row.components().into()),
    ("indexable", |(_, row)| row.indexed().into()),
    ("default", |(_, row)| row.default().into()),
    ("declaration", |(_, row)| row.declaration().into()),
    ("rules", |(_, row)| row.rules().iter().map(|rule| rule.name()).collect()),
];

/// Lists the register model of hull shaders
#[derive(clap::Args)]
pub(in crate::cli) struct Registers {
    /// Only this phase
    #[arg(long, value_parser = named(PhaseKind::ALL, PhaseKind::name))]
    phase: Option<PhaseKind>,
    #[command(flatten)]
    format: Format,
}

impl Registers {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let phases = PhaseKind::ALL.iter().copied();
        let phases = phases.filter(|phase| self.phase.is_none_or(|only| *phase == only));
        let rows = phases.flat_map(|phase| {
            let rows = RegisterInfo::ALL.iter().copied();
            rows.filter_map(move |row| row.phases().contains(&phase).then_some((phase, row)))
        });
        table::print(self.format, "registers", COLUMNS, &rows.collect::<Vec<Register>>())
    }
}
