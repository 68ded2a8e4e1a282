//! Decodes the shared shaders and encodes them again; the bytes must be equal.

use std::fs;
use std::path::Path;

use hs50::check::{CheckOptions, check};
use hs50::container::{Checksum, ContainerError, DxbcContainer, Tag};
use hs50::names::ProgramKind;
use hs50::program::HullProgram;
use hs50::shader::HullProgramShader;
use hs50::signature::ShaderSignature;
use hs50::text::{HullListing, assemble, listing};
use libtest_mimic::{Failed, Trial};

use crate::files;
use crate::needs::{self, stem};

/// The only file with a wrong checksum; the same folder contains a repaired copy.
const WRONG_SUM: &str = "dxc_hs3";

type Test = fn(&Path) -> Result<(), Failed>;

pub(crate) fn trials() -> Vec<Trial> {
    needs::shared("hs50", |_| {
        let mut trials = vec![Trial::test("the_bad_sum_and_its_repaired_twin", twin)];
        let each: [(&str, &str, Test); 4] = [
            ("dxbc", "written_back", written_back),
            ("dxbc", "assembled_again", assembled_again),
            ("dxbc", "checked", checked),
            ("asm", "listed", listed),
        ];
        for (extension, test, run) in each {
            for path in files(extension) {
                let name = format!("{test}::{}", stem(&path));
                trials.push(Trial::test(name, move || run(&path)));
            }
        }
        trials
    })
}

/// Decodes and encodes signatures and program, and rebuilds the container. [hs50.signature.element]
/// [hs50.program.version] [hs50.opcode.bits] [hs50.opcode.extended] [hs50.operand.bits] [hs50.operand.index]
/// [hs50.operand.modifiers] [hs50.operand.kinds] [hs50.declaration.shapes] [hs50.constants.immediate]
fn written_back(path: &Path) -> Result<(), Failed> {
    let bytes = fs::read(path)?;
    let sum = if stem(path) == WRONG_SUM { Checksum::Ignore } else { Checksum::Verify };
    let container = DxbcContainer::read(bytes.clone(), sum)?;
    let encoded: Vec<(Tag, Vec<u8>)> = container
        .chunks()
        .map(|chunk| {
            let data = match ShaderSignature::read(chunk.tag, chunk.data) {
                Some(signature) => signature.unwrap().encode(),
                None if chunk.tag == Tag::SHEX => HullProgram::decode(chunk.data).unwrap().encode(),
                None => chunk.data.to_vec(),
            };
            assert_eq!(data, chunk.data, "{}", chunk.tag);
            (chunk.tag, data)
        })
        .collect();
    let again =
        DxbcContainer::from_chunks(encoded.iter().map(|(tag, data)| (*tag, data.as_slice())));
    if sum == Checksum::Verify {
        assert_eq!(again.bytes(), bytes);
    } else {
        assert_eq!(again.bytes()[20..], bytes[20..]);
    }
    Ok(())
}

/// [hs50.checksum.sum]
fn twin() -> Result<(), Failed> {
    let read = |name: &str| fs::read(needs::folder("hs50").join(name).with_extension("dxbc"));
    let (wrong, right) = (read(WRONG_SUM)?, read("dxc_hs3_resigned")?);
    let refused = DxbcContainer::read(wrong.clone(), Checksum::Verify);
    assert!(matches!(refused, Err(ContainerError::Checksum { .. })), "{refused:?}");
    let mut repaired = DxbcContainer::read(wrong, Checksum::Ignore)?;
    repaired.resign();
    assert_eq!(repaired.bytes(), right);
    Ok(())
}

/// Our listing equals the compiler's listing, except for the header lines that need resource names ([hs50.text.lines]
/// [hs50.text.indent] [hs50.text.index] [hs50.text.immediates] [hs50.text.components] [hs50.text.capitals]
/// [hs50.statistics.words] [hs50.flags.bits]).
fn listed(path: &Path) -> Result<(), Failed> {
    const TABLES: &str = "//\n//\n// Patch Constant signature:";
    let expected = fs::read_to_string(path)?;
    let (signatures, expected) = match expected.find(TABLES) {
        Some(start) => (true, &expected[start..]),
        None => (false, expected.as_str()),
    };
    let shader = HullProgramShader::read(fs::read(path.with_extension("dxbc"))?, Checksum::Verify)?;
    let found = listing(&shader, HullListing { signatures, exact: false });
    for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
        assert_eq!(found, expected, "line {}", number + 1);
    }
    assert_eq!(found.lines().count(), expected.lines().count());
    Ok(())
}

/// The exact listing assembles to the same dwords and signatures. The compiler's listing survives assembling and
/// printing. [hs50.operand.fxc] [hs50.program.model_5_1]
fn assembled_again(path: &Path) -> Result<(), Failed> {
    let shader = HullProgramShader::read(fs::read(path)?, Checksum::Ignore)?;
    let exact = listing(&shader, HullListing { signatures: true, exact: true });
    let mut again = assemble(&exact).map_err(|errors| format!("{}", errors.in_file("exact")))?;
    again.instruction_count = shader.instruction_count;
    // The compiler of files with the prefix `WRONG_SUM` encodes signatures differently.
    let odd = stem(path).starts_with(WRONG_SUM);
    assert!(again.program == shader.program, "{exact}");
    assert!(odd || again == shader, "{exact}");
    // The encoder produces fxc's encodings, so no instruction needs `.words`.
    assert!(!exact.contains(".words"), "{exact}");
    let rounded = listing(&shader, HullListing { signatures: true, exact: false });
    let mut again =
        assemble(&rounded).map_err(|errors| format!("{}", errors.in_file("rounded")))?;
    again.instruction_count = shader.instruction_count;
    assert_eq!(listing(&again, HullListing { signatures: true, exact: false }), rounded);
    let container = again.to_container();
    DxbcContainer::read(container.bytes().to_vec(), Checksum::Verify)?;
    Ok(())
}

/// All hull shaders pass the check; shaders of other stages are rejected. [hs50.rule.corpus] [hs50.declaration.order]
/// [hs50.declaration.end] [hs50.signature.plain] [hs50.signature.case]
fn checked(path: &Path) -> Result<(), Failed> {
    let shader = HullProgramShader::read(fs::read(path)?, Checksum::Ignore)?;
    match check(&shader, CheckOptions::default()) {
        Ok(report) => {
            let findings: Vec<_> = report.findings.iter().map(ToString::to_string).collect();
            assert_eq!(findings, [""; 0]);
        }
        Err(refused) => assert_ne!(refused.0.kind, ProgramKind::Hull),
    }
    Ok(())
}
