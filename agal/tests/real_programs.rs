//! The programs that Flash games uploaded (`shared/agal`, beside the repository): every one was accepted by a player, so
//! every one must decode, come back byte for byte, pass the verifier, print, assemble and become GLSL.

mod common;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use agal::interp::{Image, Images, Kernel, LANES};
use agal::{ClipDepth, Dialect, Dimension, Endian, Program, Stage, Target, asm, emit};
use common::{SHARED_REQUIRED, shared, shared_folder, valid, with_partner};
use libtest_mimic::{Arguments, Trial};

type Test = (&'static str, fn(&Path, Stage, &[u8]));

const TESTS: [Test; 4] = [
    (
        "decode_and_encode_are_inverse",
        decode_and_encode_are_inverse,
    ),
    (
        "printed_text_assembles_to_the_same_bytes",
        printed_text_assembles_to_the_same_bytes,
    ),
    ("passes_and_becomes_glsl", passes_and_becomes_glsl),
    ("runs_in_the_interpreter", runs_in_the_interpreter),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let programs = shared();
    if programs.is_empty() {
        println!("skipped: no shared captures");
        let required = std::env::var_os(SHARED_REQUIRED).is_some();
        let missing = move || Err(format!("nothing in {}", shared_folder().display()).into());
        let trial = Trial::test("shared programs", missing).with_ignored_flag(!required);
        return libtest_mimic::run(&arguments, vec![trial]).exit_code();
    }
    let mut trials = Vec::new();
    for (path, stage) in programs {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for (test, run) in TESTS {
            let path = path.clone();
            trials.push(Trial::test(format!("{name}::{test}"), move || {
                run(&path, stage, &fs::read(&path)?);
                Ok(())
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn decode_and_encode_are_inverse(path: &Path, stage: Stage, bytes: &[u8]) {
    let program = Program::decode(bytes, Endian::Little, stage).unwrap();
    assert_eq!(program.encode(), bytes, "{}", path.display());
    assert_eq!(program.stage(), stage, "{}", path.display());
    assert_eq!(program.trailing(), [0u8; 0], "{}", path.display());
}

fn printed_text_assembles_to_the_same_bytes(path: &Path, stage: Stage, bytes: &[u8]) {
    let program = Program::decode(bytes, Endian::Little, stage).unwrap();
    let text = program.to_string();
    let back = asm::assemble(&text, stage, program.version());
    let back = back.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(back.encode(), bytes, "{}\n{text}", path.display());
}

fn passes_and_becomes_glsl(path: &Path, stage: Stage, bytes: &[u8]) {
    let program = valid(path, stage, bytes);
    let pair = with_partner(path, program);
    for dialect in Dialect::COMPLETE {
        let target = Target {
            dialect,
            clip_depth: ClipDepth::ZeroToOne,
            comments: true,
        };
        let glsl = emit(&pair, &target).unwrap();
        let shader = match stage {
            Stage::Vertex => &glsl.vertex,
            Stage::Fragment => &glsl.fragment,
        };
        // Nothing is dropped without trace: a line for every token, be it that nothing depends on it.
        let lines = shader.lines().filter(|line| line.contains("// "));
        let tokens = (bytes.len() - agal::HEADER_SIZE) / agal::TOKEN_SIZE;
        assert_eq!(lines.count(), tokens, "{}\n{shader}", path.display());
    }
}

/// Plain inputs give plain outputs: no register that feeds an output is left out, so nothing turns into NaN.
fn runs_in_the_interpreter(path: &Path, stage: Stage, bytes: &[u8]) {
    let kernel = Kernel::new(&valid(path, stage, bytes));
    let mut state = kernel.state();
    for register in 0..16u16 {
        for lane in 0..LANES {
            let value = [0.25, 0.5, 0.75, 1.0];
            state.set_attribute(register, lane, value);
            state.set_varying(register, lane, value);
        }
    }
    let white = [Dimension::TwoD, Dimension::Cube]
        .map(|dimension| vec![Some(Image::constant(dimension, [1.0; 4])); 16]);
    for images in &white {
        let images = Images {
            fragment: images,
            vertex: images,
        };
        kernel.run(&mut state, &[[0.5; 4]; 250], &images);
        let output = match stage {
            Stage::Vertex => state.position(0),
            Stage::Fragment => state.color(0, 0),
        };
        assert!(output.iter().all(|c| !c.is_nan()), "{}", path.display());
    }
}
