//! Compares this crate's tables with those of the reference.

use d3d9::opcode::D3d9Opcode;
use d3d9::register::{FileAccess, RelativeAddressing, ShaderFile};
use d3d9::{ShaderVersion, Stage};

use crate::samples::rows;

fn number(cell: &str) -> u32 {
    let digits = cell.chars().take_while(char::is_ascii_digit);
    digits.collect::<String>().parse().unwrap()
}

fn version(stage: &str, cell: &str) -> Option<ShaderVersion> {
    let first = cell.split(' ').next().unwrap();
    (first != "-").then(|| ShaderVersion::from_name(&format!("{stage}_{first}")).expect(cell))
}

/// [d3d9.slots.table] [d3d9.opcode.names] [d3d9.opcode.operands]
/// Columns: name, mnemonic, value, len_sm1, dst, src, vs_min, vs_max, ps_min, ps_max, slots_vs, slots_ps, ...
pub(crate) fn opcodes() {
    let rows = rows("d3d9-opcodes.tsv");
    let mut count = 0;
    for row in &rows {
        let name = row[0].as_str();
        if name == "D3DSIO_FORCE_DWORD" {
            continue; // padding of the enum: no value of 16 bits
        }
        let code = u16::try_from(number(&row[2])).unwrap();
        let opcode = D3d9Opcode::from_code(code).expect(name);
        assert_eq!(opcode.header_name(), name);
        count += 1;
        let first_word = row[1].split([' ', '_']).next().unwrap();
        let special =
            matches!(opcode, D3d9Opcode::Reserved0 | D3d9Opcode::Comment | D3d9Opcode::End);
        let names: Vec<&str> = ShaderVersion::ALL.iter().map(|v| opcode.name(*v)).collect();
        assert!(special || names.contains(&first_word), "{name}");
        let dest = if row[4] == "-" { 0 } else { number(&row[4]) };
        assert_eq!(u32::from(opcode.has_dest()), dest, "{name}");
        let sources: u32 = match row[5].as_str() {
            cell if cell.contains("dword") => 0,
            _ if opcode == D3d9Opcode::Tex => 2,
            _ if opcode == D3d9Opcode::TexCoord => 1,
            cell => number(cell),
        };
        assert_eq!(u32::try_from(opcode.takes().len()).unwrap(), sources, "{name}");
        for (stage, prefix, at) in [(Stage::Vertex, "vs", 6), (Stage::Fragment, "ps", 8)] {
            let range = match (version(prefix, &row[at]), version(prefix, &row[at + 1])) {
                (Some(first), Some(last)) => Some((first, last)),
                _ => None,
            };
            assert_eq!(opcode.range(stage), range, "{name}");
        }
        let [vs11, vs, ps1, ps] = opcode.slots();
        let cells = [(&row[10], vs11, vs), (&row[11], ps1, ps)];
        for (at, (cell, old, new)) in cells.into_iter().enumerate() {
            if cell == "-" || matches!(opcode, D3d9Opcode::Comment | D3d9Opcode::End) {
                continue;
            }
            // The cell `10 (1_1); 1` has one value for the old version and one for newer versions.
            let parts: Vec<&str> = cell.split(';').map(str::trim).collect();
            let range = opcode.range([Stage::Vertex, Stage::Fragment][at]).unwrap();
            let is_old = |v: ShaderVersion| v.major() == 1;
            if is_old(range.0) {
                let tex_and_arithmetic = cell.contains("1 tex + 1 arith");
                let want = if tex_and_arithmetic { 2 } else { number(parts[0]) };
                assert_eq!(u32::from(old), want, "{name}");
            }
            if !is_old(range.1) {
                let part = parts.iter().find(|part| !part.contains("1_")).unwrap_or(&parts[0]);
                if part.starts_with(|c: char| c.is_ascii_digit())
                    && opcode != D3d9Opcode::Tex
                    && opcode != D3d9Opcode::TexKill
                {
                    assert_eq!(u32::from(new), number(part), "{name}");
                }
            }
        }
    }
    assert_eq!(count, D3d9Opcode::ALL.len());
    assert_eq!(rows.len(), 86);
}

/// Columns: version, register, type, count, access, ports, reads, components, relative, default, needs_dcl, note. Rows
/// that cover several registers, or refer to other rows, are only checked for existence.
pub(crate) fn registers() {
    let mut compared = 0;
    for row in rows("d3d9-registers.tsv") {
        let version = ShaderVersion::from_name(&row[0]).unwrap();
        let names: Vec<&str> = row[1].split(' ').map(|name| name.trim_end_matches('#')).collect();
        for name in &names {
            if *name == "outputs" {
                continue;
            }
            let file = ShaderFile::from_name(name, version).unwrap_or_else(|| panic!("{row:?}"));
            let info = file.info(version).unwrap();
            if names.len() > 1 || row[3].starts_with("as ") || row[3] == "-" {
                continue;
            }
            let place = format!("{} {name}", version);
            let count = row[3].rsplit("..").next().unwrap().replace("at least ", "");
            assert_eq!(u32::from(info.count), number(&count), "{place}");
            let access = match row[4].as_str() {
                "r" | "r, texld/texcrd only" => Some(FileAccess::Read),
                "rw" => Some(FileAccess::ReadWrite),
                "w" => Some(FileAccess::Write),
                "w, index only" => Some(FileAccess::WriteIndex),
                "index only" => Some(FileAccess::Index),
                "flow only" => Some(FileAccess::Flow),
                "tex only" => Some(FileAccess::Sample),
                // The reference describes vertex samplers in the column `note`.
                _ => None,
            };
            if let Some(access) = access.filter(|_| *name != "s") {
                assert_eq!(info.access, access, "{place}");
            }
            let limit = |cell: &str| cell.parse::<u8>().ok();
            if row[5] != "-" || version.is_software() {
                assert_eq!(info.ports, limit(&row[5]), "{place}");
            }
            assert_eq!(info.reads, limit(&row[6]), "{place}");
            let relative = match row[8].as_str() {
                "no" | "-" => RelativeAddressing::No,
                "a0.x" => RelativeAddressing::AddressX,
                "aL" => RelativeAddressing::Loop,
                _ => RelativeAddressing::AddressOrLoop,
            };
            if row[8] != "-" {
                assert_eq!(info.relative, relative, "{place}");
            }
            assert_eq!(info.declared, row[10] == "yes", "{place}");
            compared += 1;
        }
    }
    assert!(compared >= 60, "{compared}");
}
