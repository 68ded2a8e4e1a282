//! Compares this crate's tables with the reference (`shared/reference`, next to the repository).

use std::fs;

use hs50::opcode::{Category, HullOpcode, OpcodeCondition, Type};
use hs50::register::{PhaseKind, RegisterInfo};
use libtest_mimic::{Failed, Trial};

use crate::needs;

pub(crate) fn trials() -> Vec<Trial> {
    needs::shared("reference", |_| {
        vec![Trial::test("opcodes", opcodes), Trial::test("registers", registers)]
    })
}

/// Columns: number, hex, mnemonic, allowed, category, destinations, sources, operand count, controls, …
fn opcodes() -> Result<(), Failed> {
    let table = fs::read_to_string(needs::folder("reference").join("sm5-opcodes.tsv"))?;
    let mut known = 0;
    for line in table.lines().skip(1) {
        let row: Vec<&str> = line.split('\t').collect();
        let [number, _, name, allowed, category, destinations, sources, count, controls, ..] =
            row[..]
        else {
            panic!("{line}");
        };
        let Some(opcode) = HullOpcode::from_number(number.parse()?) else {
            assert_eq!(name, "(reserved)", "{line}");
            continue;
        };
        known += 1;
        assert_eq!(opcode.name(), name);
        assert_eq!(allowed_name(opcode.allowed()), allowed, "{name}");
        if !category.is_empty() {
            assert_eq!(category_name(opcode.category()), category, "{name}");
        }
        let declares = opcode.is_declaration() || name == "fcall";
        if !matches!(opcode.extra(), hs50::opcode::ExtraDwords::Rest) {
            assert_eq!(opcode.operand_count().to_string(), count, "{name}");
        }
        if !declares && allowed != "no" {
            assert!(types_match(opcode.destinations(), destinations), "{name}");
            assert!(types_match(opcode.sources(), sources), "{name}");
        }
        for (word, has) in [
            ("sat", opcode.modifiers().saturate),
            ("precise", opcode.modifiers().precise),
            ("neg", opcode.modifiers().negate),
            ("abs", opcode.modifiers().absolute),
        ] {
            assert_eq!(controls.split([' ', ';']).any(|w| w == word), has, "{name} {word}");
        }
    }
    assert_eq!(known, HullOpcode::ALL.len());
    Ok(())
}

fn allowed_name(allowed: OpcodeCondition) -> &'static str {
    match allowed {
        OpcodeCondition::Yes => "yes",
        OpcodeCondition::Rare => "rare",
        OpcodeCondition::Double => "double",
        OpcodeCondition::Double11 => "double11_1",
        OpcodeCondition::Extension11 => "ext11_1",
        OpcodeCondition::Level11 => "11_1",
        OpcodeCondition::Tiled => "tiled",
        OpcodeCondition::No => "no",
    }
}

fn category_name(category: Category) -> &'static str {
    match category {
        Category::Float => "float",
        Category::Int => "int",
        Category::Uint => "uint",
        Category::Bit => "bit",
        Category::Compare => "compare",
        Category::Convert => "convert",
        Category::Move => "move",
        Category::Flow => "flow",
        Category::Resource => "resource",
        Category::Uav => "uav",
        Category::Double => "double",
        Category::Declaration => "declaration",
        Category::Phase => "phase",
        Category::CustomData => "custom data",
        Category::Debug => "debug",
        Category::OtherStage => "",
    }
}

fn types_match(types: &[Type], text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').filter(|word| !["", "imm"].contains(word)).collect();
    let name = |kind: &Type| match kind {
        Type::F => &["f", "f|u"][..],
        Type::I => &["i"],
        Type::U => &["u", "c"],
        Type::B => &["b"],
        Type::A => &["a"],
        Type::D => &["d"],
        Type::T => &["t"],
        Type::S => &["s"],
        Type::V => &["u#"],
        Type::L => &["L", "interface"],
        Type::M | Type::R => &[],
    };
    words.len() == types.len()
        && types.iter().zip(words).all(|(kind, word)| name(kind).contains(&word))
}

/// Columns: phase, register, assembly name, count, access, dimension, indexable, default, declaration, operand type,
/// encoding, rules, source.
fn registers() -> Result<(), Failed> {
    let table = fs::read_to_string(needs::folder("reference").join("hs50-registers.tsv"))?;
    let mut expected = Vec::new();
    for line in table.lines().skip(1) {
        let row: Vec<&str> = line.split('\t').collect();
        let phases: Vec<&str> = match row[0] {
            "all" => PhaseKind::ALL.iter().map(|kind| kind.name()).collect(),
            one => vec![one],
        };
        for phase in phases {
            let columns = [&[phase], &row[1..10], &[row[11]]].concat();
            expected.push(columns.iter().map(|column| (*column).to_owned()).collect::<Vec<_>>());
        }
    }
    let mut found = Vec::new();
    for row in RegisterInfo::ALL {
        let count = row.count().to_string();
        assert!(row.count() == 0 || row.counted().starts_with(&count), "{}", row.assembly());
        let rules: Vec<&str> = row.rules().iter().map(|rule| rule.name()).collect();
        for phase in row.phases() {
            let code = row.kind().code().to_string();
            let rules = rules.join(" ");
            let columns = [
                phase.name(),
                row.register(),
                row.assembly(),
                row.counted(),
                row.access().name(),
                row.components(),
                row.indexed(),
                row.default(),
                row.declaration(),
                &code,
                &rules,
            ];
            found.push(columns.map(str::to_owned).to_vec());
        }
    }
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    Ok(())
}
