//! Shaders of Microsoft's compiler.

use d3d9::{Item, Program};

use crate::common::{Sample, samples};

pub(crate) fn decode(sample: &Sample) -> Program {
    Program::decode(&sample.bytes).unwrap_or_else(|error| panic!("{}: {error}", sample.name))
}

/// Bytes come back, nothing is malformed, and the length field is what the operands take.
pub(crate) fn round_trip() {
    for sample in samples() {
        let program = decode(&sample);
        assert_eq!(program.encode(), sample.bytes, "{}", sample.name);
        assert!(program.ended && program.trailing.is_empty());
        for item in &program.items {
            assert!(!matches!(item, Item::Malformed(_)), "{}", sample.name);
        }
        for (number, instruction) in program.instructions() {
            let mut again = instruction.clone();
            again.set_length(program.version);
            assert_eq!(&again, instruction, "{} {number}", sample.name);
            assert!(instruction.surplus.is_empty());
        }
    }
}

/// The registers that the listing's head names are those of the constant table.
pub(crate) fn constant_tables() {
    let mut compared = 0;
    for sample in samples() {
        let program = decode(&sample);
        let table = program.constant_table().expect(&sample.name);
        assert_eq!(
            table.target.replace("_2_a", "_2_x").replace("_2_b", "_2_x"),
            program.version.name()
        );
        let Some(listing) = &sample.listing else {
            continue;
        };
        let head = listing
            .lines()
            .skip_while(|line| !line.starts_with("//   ---"));
        for line in head.skip(1).take_while(|line| line.len() > 2) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [_, name, register, size] = words[..] else {
                panic!("{}: {line}", sample.name);
            };
            let constant = table
                .constants
                .iter()
                .find(|constant| constant.name == name);
            let constant = constant.unwrap_or_else(|| panic!("{}: {line}", sample.name));
            let place = format!("{}{}", constant.set.letter(), constant.register);
            assert_eq!(
                (place.as_str(), constant.count.to_string().as_str()),
                (register, size)
            );
            compared += 1;
        }
    }
    assert!(compared > 250, "{compared}");
}
