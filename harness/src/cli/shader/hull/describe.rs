//! Describes a DXBC container: chunks, signatures, tessellator state and phases. Implements `shader registers`.

use hs50::check::CheckOptions;
use hs50::container::{Chunk, Tag, statistics};
use hs50::hull::{FactorLocation, Phase};
use hs50::names::ProgramKind;
use hs50::register::{PhaseKind, RegisterInfo};
use hs50::text::{HullListing, listing};
use serde_json::{Value, json};

use super::HullShader;
use crate::cli::shader::refusal::ShaderRefusal;
use crate::cli::{CommandFailure, CommandStatus, OutputFormat, TableColumn, named, table};

/// Returns a container's chunks, signatures, compiler statistics, tessellator state and phases as JSON.
pub(super) fn json(input: &HullShader) -> Result<Value, ShaderRefusal> {
    let container = &input.container;
    let chunk = |chunk: Chunk<'_>| json!({"tag": chunk.tag.to_string(), "offset": chunk.offset, "bytes": chunk.data.len()});
    let text = listing(&input.shader, HullListing { signatures: true, exact: false });
    let comments = text.lines().map_while(|line| line.strip_prefix("//"));
    let signatures = comments.map(str::trim).filter(|line| !line.is_empty());
    let counts = container.chunk(Tag::STAT).map(|chunk| {
        let counts = statistics::read(chunk.data).filter(|(_, count)| *count > 0);
        counts.map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>()
    });
    let mut value = json!({
        "bytes": container.bytes().len(),
        "checksumRight": container.stored_checksum() == container.computed_checksum(),
        "chunks": container.chunks().map(chunk).collect::<Vec<_>>(),
        "signatures": signatures.collect::<Vec<_>>(), "statistics": counts,
    });
    if input.version().kind == ProgramKind::Hull {
        let report = input.report(CheckOptions::default())?;
        let hull = &report.facts;
        let phase = |phase: &Phase| {
            json!({"phase": phase.id.kind.name(), "number": phase.id.number, "instances": phase.instances,
                "instructions": phase.code.len(), "temps": phase.temps,
                "inputs": phase.inputs.len(), "outputs": phase.outputs.len()})
        };
        let factor = |factor: &FactorLocation| {
            let letter = factor.component.letter().to_string();
            json!({"name": factor.name.name(), "register": factor.register, "component": letter})
        };
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

type PhaseRegister = (PhaseKind, RegisterInfo);

const COLUMNS: &[TableColumn<PhaseRegister>] = &[
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
    /// List only this phase
    #[arg(long, value_parser = named(PhaseKind::ALL, PhaseKind::name))]
    phase: Option<PhaseKind>,
    #[command(flatten)]
    format: OutputFormat,
}

impl Registers {
    pub(in crate::cli) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let phases = PhaseKind::ALL.iter().copied();
        let phases = phases.filter(|phase| self.phase.is_none_or(|only| *phase == only));
        let rows = phases.flat_map(|phase| {
            let rows = RegisterInfo::ALL.iter().copied();
            rows.filter_map(move |row| row.phases().contains(&phase).then_some((phase, row)))
        });
        table::print(self.format, "registers", COLUMNS, &rows.collect::<Vec<PhaseRegister>>())
    }
}
