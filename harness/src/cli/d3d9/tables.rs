//! `molehill d3d9 opcodes` and `molehill d3d9 registers`

use std::fmt::Write;

use ::d3d9::Version;
use ::d3d9::opcode::{Opcode, Range};
use ::d3d9::register::File;
use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use crate::cli::{Failure, Status, json_argument, output};

pub(super) fn opcodes_command() -> Command {
    Command::new("opcodes")
        .about("Lists the opcodes: value, operands, versions, slots")
        .arg(json_argument())
}

pub(super) fn registers_command() -> Command {
    Command::new("registers")
        .about("Lists the register files of every version: count, access, read ports")
        .arg(json_argument())
}

fn range(range: Range) -> String {
    match range {
        Some((first, last)) => format!("{first}..{last}"),
        None => "-".to_owned(),
    }
}

pub(super) fn opcodes(matches: &ArgMatches) -> Result<Status, Failure> {
    let json_row = |opcode: &Opcode| {
        let info = opcode.info();
        let [vs_1_1, vs, ps_1, ps] = info.slots;
        json!({
            "value": info.code,
            "name": info.name,
            "destination": info.dest,
            "sources": info.sources,
            "vertex": info.vertex.map(|(first, last)| [first.name(), last.name()]),
            "pixel": info.pixel.map(|(first, last)| [first.name(), last.name()]),
            "slots": { "vs_1_1": vs_1_1, "vs_2_0": vs, "ps_1_1": ps_1, "ps_2_0": ps },
        })
    };
    if matches.get_flag("json") {
        let rows: Vec<Value> = Opcode::ALL.iter().map(json_row).collect();
        output::print_json(&json!({ "opcodes": rows }))?;
        return Ok(Status::Success);
    }
    let mut text = format!(
        "{:>5}  {:13} dst src  {:18} {:18} slots\n",
        "value", "name", "vertex", "pixel"
    );
    for opcode in Opcode::ALL {
        let info = opcode.info();
        let (vertex, pixel) = (range(info.vertex), range(info.pixel));
        let slots = info.slots.map(|slots| slots.to_string()).join("/");
        let _ = writeln!(
            text,
            "{:>5}  {:13} {:>3} {:>3}  {vertex:18} {pixel:18} {slots}",
            info.code,
            info.name,
            u8::from(info.dest),
            info.sources,
        );
    }
    text += "\nslots: vs_1_1/later vs/ps_1_x/later ps, by the documentation\n";
    output::print(&text)?;
    Ok(Status::Success)
}

pub(super) fn registers(matches: &ArgMatches) -> Result<Status, Failure> {
    let mut text = format!(
        "{:8} {:7} {:>5}  {:10} {:>5} {:>5}  {:13} declared\n",
        "version", "file", "count", "access", "ports", "reads", "indexed by"
    );
    let mut rows = Vec::new();
    for version in Version::ALL {
        for file in File::ALL {
            let Some(cell) = file.cell(*version) else {
                continue;
            };
            let number = if file.is_numbered() { "#" } else { "" };
            let name = format!("{}{number}", file.name());
            let (access, relative) = (format!("{:?}", cell.access), format!("{:?}", cell.relative));
            let limit = |limit: Option<u8>| limit.map_or("-".to_owned(), |limit| limit.to_string());
            let _ = writeln!(
                text,
                "{version:8} {name:7} {:>5}  {access:10} {:>5} {:>5}  {relative:13} {}",
                cell.count,
                limit(cell.ports),
                limit(cell.reads),
                cell.declared,
            );
            rows.push(json!({
                "version": version.name(),
                "file": name,
                "count": cell.count,
                "access": access,
                "ports": cell.ports,
                "reads": cell.reads,
                "relative": relative,
                "declared": cell.declared,
            }));
        }
    }
    if matches.get_flag("json") {
        output::print_json(&json!({ "registers": rows }))?;
    } else {
        output::print(&text)?;
    }
    Ok(Status::Success)
}
