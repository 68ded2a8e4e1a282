//! Properties that hold for arbitrary bytes: the fuzz targets of hull shaders.
//!
//! Each function accepts bytes from a fuzzer and panics if a property fails. Bytes without the tested format's header
//! select a generated hull shader and modifications.

#![allow(dead_code, reason = "a fuzz target has one of the bodies")]

use std::sync::LazyLock;

use hs50::check::{CheckOptions, check};
use hs50::container::{Checksum, DxbcContainer, MAGIC};
use hs50::generate::{GeneratedHull, programs};
use hs50::interp::{HullInputs, HullRunError, run};
use hs50::names::ProgramKind;
use hs50::program::HullProgram;
use hs50::shader::HullProgramShader;
use hs50::signature::SignatureKind;
use hs50::text::{HullListing, assemble, listing};

const STEPS: u64 = 20_000;

/// Maximum length of the translated GLSL: a constant, plus an amount per dword of the program.
const MAX_TEXT: usize = 32 << 10;
const MAX_TEXT_PER_WORD: usize = 256;

/// The generated shaders, which all inputs share.
static PROGRAMS: LazyLock<Vec<GeneratedHull>> = LazyLock::new(programs);

/// Generates the shaders, so that the measured memory of an input doesn't include them.
pub(crate) fn prepare() {
    LazyLock::force(&PROGRAMS);
}

/// Returns a generated listing, selected by the first bytes, and the remaining bytes.
fn chosen(data: &[u8]) -> (String, &[u8]) {
    let (number, rest) = data.split_first_chunk::<2>().unwrap_or((&[0; 2], data));
    let number = usize::from(u16::from_le_bytes(*number));
    (PROGRAMS[number % PROGRAMS.len()].text.clone(), rest)
}

/// Applies modifications of three bytes each: a 16-bit position and a new value.
fn damaged(mut bytes: Vec<u8>, changes: &[u8], unit: usize) -> Vec<u8> {
    let (changes, rest) = changes.as_chunks::<3>();
    for [low, high, value] in changes.iter().take(16) {
        let place = usize::from(u16::from_le_bytes([*low, *high])) * unit % bytes.len().max(1);
        if let Some(byte) = bytes.get_mut(place) {
            *byte = *value;
        }
    }
    if let [cut] = rest {
        bytes.truncate(bytes.len() * usize::from(*cut) / 255);
    }
    bytes
}

/// Any bytes are either rejected, or are a container that is written back unchanged.
pub(crate) fn container(data: &[u8]) {
    let bytes = match data.starts_with(&MAGIC) {
        true => data.to_vec(),
        false => {
            let (text, changes) = chosen(data);
            let shader = assemble(&text).unwrap_or_else(|errors| panic!("{errors}"));
            damaged(shader.to_container().bytes().to_vec(), changes, 1)
        }
    };
    let Ok(container) = DxbcContainer::read(bytes.clone(), Checksum::Ignore) else {
        return;
    };
    assert!(container.bytes() == bytes, "other bytes come back");
    assert!(container.chunks().count() <= bytes.len() / 4);
    let verified = DxbcContainer::read(bytes, Checksum::Verify).is_ok();
    assert!(verified == (container.stored_checksum() == container.computed_checksum()));
    if let Ok(shader) = HullProgramShader::from_container(&container) {
        let own = container.program().map(|chunk| chunk.data.to_vec());
        assert!(own == Ok(shader.program.encode()), "other words come back");
        exercise(&shader);
    }
}

/// Any dwords, with and without a header, are either rejected, or decode and encode without loss.
pub(crate) fn tokens(data: &[u8]) {
    let words = u32::try_from(data.len() / 4).unwrap_or(0).saturating_add(2);
    let header = [0x0003_0050, words].map(u32::to_le_bytes);
    let whole = data.len() / 4 * 4;
    let headed = [header.as_flattened(), data.get(..whole).unwrap_or(data)].concat();
    let (text, changes) = chosen(data);
    let random = assemble(&text).map(|shader| shader.program.encode());
    let random = damaged(random.unwrap_or_default(), changes, 1);
    for bytes in [data.to_vec(), headed, random] {
        if let Ok(program) = HullProgram::decode(&bytes) {
            assert!(program.encode() == bytes, "other words come back");
            assert!(program.instructions.len() <= bytes.len() / 4);
        }
    }
}

/// Any text is either assembled, or rejected with positioned errors.
pub(crate) fn text(data: &[u8]) {
    let (random, changes) = chosen(data);
    let random = damaged(random.into_bytes(), changes, 1);
    for text in [data, &random] {
        let text = String::from_utf8_lossy(text);
        match assemble(&text) {
            Ok(shader) => exercise(&shader),
            Err(errors) => check_places(&errors, &text),
        }
    }
}

/// Checks of a hull shader are deterministic. Valid shaders execute within the step limit and are translated.
pub(crate) fn checker(data: &[u8]) {
    let (text, changes) = chosen(data);
    let (_, header) = text.split_once("hs_5_0").unwrap_or_default();
    assert!(!header.is_empty(), "{text}");
    let Ok(mut shader) = assemble(&text) else {
        panic!("{text}");
    };
    // Removes, duplicates and swaps instructions, changes signature registers, then changes single dwords.
    let (moves, changes) = changes.split_at(changes.len() / 2);
    for [what, from, to] in moves.as_chunks::<3>().0.iter().take(8) {
        if what % 4 == 3 {
            move_element(&mut shader, *from, *to);
            continue;
        }
        let list = &mut shader.program.instructions;
        let place = |number: u8| usize::from(number) % list.len().max(1);
        let (from, to) = (place(*from), place(*to));
        match what % 4 {
            _ if list.is_empty() => {}
            0 => drop(list.remove(from)),
            1 => list.insert(to, list[from].clone()),
            _ => list.swap(from, to),
        }
    }
    if let Ok(program) = HullProgram::decode(&damaged(shader.program.encode(), changes, 1)) {
        shader.program = program;
    }
    if shader.program.version.kind != ProgramKind::Hull {
        return;
    }
    let findings = |shader: &HullProgramShader| {
        let report = check(shader, CheckOptions::default());
        report.map(|report| format!("{:?}", report.findings))
    };
    assert!(findings(&shader) == findings(&shader));
    exercise(&shader);
}

/// Moves a signature element to another register, near or far.
fn move_element(shader: &mut HullProgramShader, which: u8, register: u8) {
    let patch = shader.patch_constant.iter_mut();
    let signatures = [&mut shader.input, &mut shader.output];
    let signatures = signatures.into_iter().chain(patch);
    let elements: Vec<_> = signatures.flat_map(|signature| &mut signature.elements).collect();
    let place = usize::from(which >> 2) % elements.len().max(1);
    if let Some(element) = elements.into_iter().nth(place) {
        element.register = u32::from(register) << (8 * (which & 3));
    }
}

fn names_are_words(shader: &HullProgramShader) -> bool {
    let signatures = SignatureKind::LISTED.iter();
    let signatures = signatures.filter_map(|kind| shader.signature(*kind));
    let mut elements = signatures.flat_map(|signature| &signature.elements);
    elements.all(|element| {
        let mut letters = element.name.chars();
        letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
            && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            && !["Name", "no", "Tessellation", "Approximately"].contains(&element.name.as_str())
    })
}

fn exercise(shader: &HullProgramShader) {
    for exact in [false, true] {
        let signatures = true;
        let text = listing(shader, HullListing { signatures, exact });
        let again = assemble(&text);
        // Semantic names that contain spaces can't be parsed again.
        if exact && names_are_words(shader) {
            let again = again.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
            assert!(again.program == shader.program, "{text}");
        }
    }
    let Ok(report) = check(shader, CheckOptions::default()) else {
        assert!(shader.program.version.kind != ProgramKind::Hull);
        return;
    };
    for finding in &report.findings {
        assert!(
            finding
                .location
                .instruction_index
                .is_none_or(|index| index < shader.program.instructions.len())
        );
        assert!(!finding.message.is_empty() && finding.message.len() < 1024, "{finding}");
    }
    let Ok(hull) = report.valid() else { return };
    let points = vec![Vec::new(); hull.input_points as usize];
    let inputs = HullInputs { control_points: &points, primitive_id: 0, resources: &() };
    let options = hs50::interp::RunOptions { max_steps: STEPS };
    match run(&hull, &inputs, options, &mut |_| {}) {
        Ok(outcome) => assert!(outcome.steps <= STEPS),
        Err(HullRunError::Steps(_) | HullRunError::Unsupported(_)) => {}
        Err(error) => panic!("{error}"),
    }
    if let Ok(glsl) = hs50::glsl::emit(&hull, hs50::glsl::HullGlslOptions::default()) {
        let words = shader.program.encode().len() / 4;
        let length = glsl.control.len();
        assert!(length < MAX_TEXT + MAX_TEXT_PER_WORD * words, "{length} bytes from {words} words");
        let count = |letter| glsl.control.matches(letter).count();
        assert!(count('{') == count('}') && count('(') == count(')'));
    }
}

fn check_places(errors: &hs50::text::HullTextErrors, text: &str) {
    assert!(errors.iter().count() <= hs50::text::MAX_ERRORS);
    for error in errors.iter() {
        let line = &error.source_line;
        assert!(error.line >= 1 && error.column >= 1, "{error}");
        let letters = line.chars().count();
        assert!(error.column as usize <= letters + 1, "{error}");
        assert!(text.contains(line), "{error}");
        assert!(error.to_string().chars().count() <= 1024, "{error}");
    }
}
