//! Damaged input: nothing panics, hangs or grows without bound, and what decodes is written back as it was.

use agal_generate::Random;
use agal_generate::hull::generate;
use hs50::check::{Options, check};
use hs50::container::{Checksum, Container};
use hs50::interp::{Inputs, RunError, run};
use hs50::names::ProgramKind;
use hs50::shader::Shader;
use hs50::text::{Listing, assemble, listing};

/// Instructions that a damaged program may run.
const STEPS: u64 = 20_000;

/// Everything that can be done with a shader.
fn exercise(shader: &Shader) {
    for exact in [false, true] {
        let text = listing(
            shader,
            Listing {
                signatures: true,
                exact,
            },
        );
        let again = assemble(&text);
        if exact {
            let again = again.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
            assert!(again.program == shader.program, "{text}");
        }
    }
    let Ok(report) = check(shader, Options::default()) else {
        assert_ne!(shader.program.version.kind, ProgramKind::Hull);
        return;
    };
    let Ok(hull) = report.valid() else { return };
    let points = vec![Vec::new(); hull.input_points as usize];
    let inputs = Inputs {
        control_points: &points,
        primitive_id: 0,
        resources: &(),
    };
    let options = hs50::interp::Options {
        max_steps: STEPS,
        ..Default::default()
    };
    match run(&hull, &inputs, options, &mut |_| {}) {
        Ok(outcome) => assert!(outcome.steps <= STEPS),
        Err(RunError::Steps(_) | RunError::Unsupported(_)) => {}
        Err(error) => panic!("{error}"),
    }
    let _ = hs50::glsl::emit(&hull, hs50::glsl::Options::default());
}

#[test]
fn damaged_containers() {
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let shader = assemble(&generate(seed).text).expect("generated text assembles");
        let mut bytes = shader.to_container().bytes().to_vec();
        for _ in 0..1 + random.below(4) {
            let place = random.below(u32::try_from(bytes.len()).unwrap()) as usize;
            bytes[place] = match random.below(3) {
                0 => 0xff,
                1 => bytes[place] ^ 1 << random.below(8),
                _ => random.word().to_le_bytes()[0],
            };
        }
        if random.below(10) == 0 {
            bytes.truncate(random.below(u32::try_from(bytes.len()).unwrap()) as usize);
        }
        let Ok(container) = Container::read(bytes.clone(), Checksum::Ignore) else {
            continue;
        };
        assert_eq!(container.bytes(), bytes);
        if let Ok(shader) = Shader::from_container(&container) {
            assert_eq!(shader.program.encode(), container.program().unwrap().data);
            exercise(&shader);
        }
    }
}

#[test]
fn any_words() {
    for seed in 0..2000 {
        let mut random = Random::new(seed);
        let count = 2 + random.below(40);
        let mut words = vec![0x0003_0050, count];
        words.extend((2..count).map(|_| match random.below(4) {
            0 => random.below(0x100) | 0x0100_0000 << random.below(4),
            1 => random.below(40) << 12 | random.below(16),
            2 => random.below(8),
            _ => random.word(),
        }));
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        if let Ok(program) = hs50::program::Program::decode(&bytes) {
            assert_eq!(program.encode(), bytes);
        }
    }
}

#[test]
fn damaged_text() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let text = generate(seed).text;
        let mut letters: Vec<char> = text.chars().collect();
        for _ in 0..1 + random.below(6) {
            let place = random.below(u32::try_from(letters.len()).unwrap()) as usize;
            let other = letters[random.below(u32::try_from(letters.len()).unwrap()) as usize];
            match random.below(3) {
                0 => letters[place] = other,
                1 => letters.insert(place, other),
                _ => drop(letters.remove(place)),
            }
        }
        match assemble(&letters.iter().collect::<String>()) {
            Ok(shader) => exercise(&shader),
            Err(errors) => assert!(
                errors.iter().count() <= hs50::text::MAX_ERRORS && !errors.to_string().is_empty()
            ),
        }
    }
}

/// An immediate without values has no words.
#[test]
fn immediates_have_values() {
    for text in ["mov r0.x, |l|", "mov r0.x, d", "mov r0.x, l.x"] {
        let errors = assemble(&format!("hs_5_0\nhs_decls \ndcl_temps 1\n{text}\n")).unwrap_err();
        assert!(
            errors.to_string().contains("expected `(` and values"),
            "{errors}"
        );
    }
}
