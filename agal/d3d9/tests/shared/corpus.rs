//! Tests with shaders that Microsoft's compiler generated.

use d3d9::{D3d9Program, StreamItem};

use crate::samples::{Sample, programs, samples};

pub(crate) fn decode(sample: &Sample) -> D3d9Program {
    D3d9Program::decode(&sample.bytes).unwrap_or_else(|error| panic!("{}: {error}", sample.name))
}

/// Decoding and encoding preserves all bytes, finds no malformed dwords, and length fields match the operands.
/// [d3d9.comment.bits] [d3d9.instruction.length]
pub(crate) fn round_trip() {
    for sample in samples() {
        let program = decode(&sample);
        assert_eq!(program.encode(), sample.bytes, "{}", sample.name);
        assert!(program.ended && program.trailing.is_empty());
        for item in &program.items {
            assert!(!matches!(item, StreamItem::Malformed(_)), "{}", sample.name);
        }
        for (number, instruction) in program.instructions() {
            let mut again = instruction.clone();
            again.set_length(program.version);
            assert_eq!(&again, instruction, "{} {number}", sample.name);
            assert!(instruction.surplus.is_empty());
        }
    }
}

/// The registers in the listing's header equal those in the constant table. [d3d9.comment.ctab]
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
        let head = listing.lines().skip_while(|line| !line.starts_with("//   ---"));
        for line in head.skip(1).take_while(|line| line.len() > 2) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [_, name, register, size] = words[..] else {
                panic!("{}: {line}", sample.name);
            };
            let constant = table.constants.iter().find(|constant| constant.name == name);
            let constant = constant.unwrap_or_else(|| panic!("{}: {line}", sample.name));
            let place = format!("{}{}", constant.set.letter(), constant.register);
            assert_eq!((place.as_str(), constant.count.to_string().as_str()), (register, size));
            compared += 1;
        }
    }
    assert!(compared > 250, "{compared}");
}

/// Returns the lines of a listing without comments and blank lines.
fn code(listing: &str) -> Vec<String> {
    let lines = listing.lines().map(|line| line.split("//").next().unwrap());
    let words = lines.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    words.filter(|line| !line.is_empty()).collect()
}

/// Our listing equals the compiler's listing: every line of code, and the slot counts. [d3d9.text.listing]
/// [d3d9.slots.listing]
pub(crate) fn listings() {
    let mut compared = 0;
    for sample in samples() {
        let Some(listing) = &sample.listing else {
            continue;
        };
        let ours = decode(&sample).listing().to_string();
        // Tokens encode `ps_2_a` and `ps_2_b` as `ps_2_x`.
        assert_eq!(code(&ours), code(listing), "{}", sample.name);
        let slots = |text: &str| {
            let mut lines = text.lines();
            let line = lines.rfind(|line| line.starts_with("// approximately"));
            line.unwrap().trim_end().to_owned()
        };
        assert_eq!(slots(&ours), slots(listing), "{}", sample.name);
        compared += 1;
    }
    assert!(compared >= 110);
}

/// Header comments list the same parameters as the compiler's header; members of structures may differ.
pub(crate) fn heads() {
    let head = |text: &str| -> Vec<String> {
        let lines = text.lines().take_while(|line| line.starts_with("//"));
        lines.map(|line| line.trim_end().to_owned()).collect()
    };
    let (mut same, mut all) = (0, 0);
    for sample in samples() {
        if let Some(listing) = &sample.listing {
            all += 1;
            same += usize::from(head(&decode(&sample).listing().to_string()) == head(listing));
        }
    }
    // Up to 15 % of the headers may differ: structures, or another order of the constant table.
    assert!(same * 20 >= all * 17, "{same} of {all}");
}

pub(crate) fn assembled_again() {
    for sample in samples() {
        let program = decode(&sample);
        let text = program.listing().to_string();
        let again =
            d3d9::text::assemble(&text).unwrap_or_else(|error| panic!("{}: {error}", sample.name));
        assert_eq!(again.encode(), sample.bytes, "{}", sample.name);
        assert!(!text.contains(".words"), "{}", sample.name);
    }
}

/// Tests that the checker accepts every compiled shader of the samples ([d3d9.rule.corpus] [d3d9.dcl.packing]).
pub(crate) fn checked() {
    let mut warned = 0;
    for sample in samples() {
        let program = decode(&sample);
        let report = d3d9::check::check(&program, &d3d9::check::Caps::MAX);
        let errors: Vec<String> = report.errors().map(ToString::to_string).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", sample.name);
        assert_eq!(report.facts.slots, program.slots());
        warned += usize::from(!report.findings.is_empty());
    }
    // Warnings concern unwritten oT# (rule 21), and wide masks of scalar opcodes.
    assert!(warned < 20, "{warned}");
}

pub(crate) fn run() {
    use d3d9::interp::{CompiledShader, D3d9Inputs, MAX_STEPS, NoTextures};
    for sample in samples() {
        let compiled = CompiledShader::new(&decode(&sample))
            .unwrap_or_else(|e| panic!("{}: {e}", sample.name));
        let ran = compiled.run(
            &mut compiled.state(),
            &D3d9Inputs::default(),
            &NoTextures,
            MAX_STEPS,
            &mut (),
        );
        assert_eq!(ran, Ok(()), "{}", sample.name);
    }
}

/// Every AGAL program of the Flash games is translated; the programs that fit no model are listed.
pub(crate) fn from_agal() {
    use agal::{Rules, validate};
    use d3d9::from_agal::{Model, TranslateError, translate};
    let mut held = [0; 3];
    let mut count = 0;
    let mut beyond = Vec::new();
    for (name, program) in programs() {
        let stage = program.stage();
        let program = validate(program, stage, &Rules::NEWEST).unwrap();
        count += 1;
        for (place, model) in Model::ALL.iter().copied().enumerate() {
            let model_name = model.name();
            match translate(&program, model) {
                Ok(made) => {
                    held[place] += 1;
                    // The emitted tokens also survive a round trip through bytes and text.
                    let again = D3d9Program::decode(&made.program.encode()).unwrap();
                    assert_eq!(again, made.program);
                    let text = made.program.listing().to_string();
                    assert_eq!(d3d9::text::assemble(&text).unwrap(), made.program);
                }
                Err(error @ TranslateError::Invalid(_)) => {
                    panic!("{name}: {error}\n{}", program.program())
                }
                Err(error) => beyond.push(format!("{name} {model_name}: {error}")),
            }
        }
    }
    println!("{count} programs: {held:?} held by 2_0, 2_x, 3_0; beyond: {beyond:#?}");
    assert!(count > 100 && held[2] == count, "{beyond:#?}");
}
