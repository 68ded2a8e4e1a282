//! `molehill shader registers`

use hs50::register::{PhaseKind, RegisterInfo};

use crate::cli::{Column, Failure, Format, Status, named, table};

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
    pub(in crate::cli) fn run(self) -> Result<Status, Failure> {
        let phases = PhaseKind::ALL.iter().copied();
        let phases = phases.filter(|phase| self.phase.is_none_or(|only| *phase == only));
        let rows = phases.flat_map(|phase| {
            let rows = RegisterInfo::ALL.iter().copied();
            rows.filter_map(move |row| row.phases().contains(&phase).then_some((phase, row)))
        });
        table::print(self.format, "registers", COLUMNS, &rows.collect::<Vec<Register>>())
    }
}
