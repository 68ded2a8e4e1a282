//! `molehill d3d9 opcodes` and `molehill d3d9 registers`

use ::d3d9::Version;
use ::d3d9::opcode::{Opcode, Range};
use ::d3d9::register::{File, FileInfo};
use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use crate::cli::table::{self, Column};
use crate::cli::{Failure, Status, arguments};

pub(super) fn opcodes_command() -> Command {
    Command::new("opcodes")
        .about("Lists the opcodes: value, operands, versions, documented slots")
        .arg(arguments::json())
}

pub(super) fn registers_command() -> Command {
    Command::new("registers")
        .about("Lists the register files of every version: count, access, read ports")
        .arg(arguments::json())
}

fn range(range: Range) -> Value {
    json!(range.map(|(first, last)| [first.name(), last.name()]))
}

const OPCODES: &[Column<Opcode>] = &[
    ("value", |opcode| opcode.code().into()),
    ("name", |opcode| opcode.mnemonic().into()),
    ("destination", |opcode| opcode.has_dest().into()),
    ("sources", |opcode| opcode.takes().len().into()),
    ("vertex", |opcode| range(opcode.vertex())),
    ("pixel", |opcode| range(opcode.pixel())),
    ("slots", |opcode| {
        let [vs_1_1, vs, ps_1, ps] = opcode.slots();
        json!({ "vertex1": vs_1_1, "vertex2": vs, "pixel1": ps_1, "pixel2": ps })
    }),
];

const REGISTERS: &[Column<(Version, File, &'static FileInfo)>] = &[
    ("version", |(version, ..)| version.name().into()),
    ("file", |(_, file, _)| {
        let number = if file.is_numbered() { "#" } else { "" };
        format!("{}{number}", file.name()).into()
    }),
    ("count", |(.., info)| info.count.into()),
    ("access", |(.., info)| format!("{:?}", info.access).into()),
    ("ports", |(.., info)| info.ports.into()),
    ("reads", |(.., info)| info.reads.into()),
    ("relative", |(.., info)| format!("{:?}", info.relative).into()),
    ("declared", |(.., info)| info.declared.into()),
];

pub(super) fn opcodes(matches: &ArgMatches) -> Result<Status, Failure> {
    table::print(matches, "opcodes", OPCODES, Opcode::ALL)?;
    Ok(Status::Success)
}

pub(super) fn registers(matches: &ArgMatches) -> Result<Status, Failure> {
    let rows = Version::ALL.iter().flat_map(|version| {
        let files = File::ALL.iter();
        files.filter_map(|file| Some((*version, *file, file.info(*version)?)))
    });
    let rows: Vec<_> = rows.collect();
    table::print(matches, "registers", REGISTERS, &rows)?;
    Ok(Status::Success)
}
