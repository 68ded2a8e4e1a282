//! The shared shaders: each is read, and written back bit for bit from what was read.

mod common;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use hs50::container::{Checksum, Container, ContainerError, Tag};
use hs50::program::Program;
use hs50::signature::Signature;
use libtest_mimic::{Failed, Trial};

/// The one file whose checksum is wrong; its repaired twin lies beside it.
const WRONG_SUM: &str = "dxc_hs3";

fn main() -> ExitCode {
    common::main("hs50", || {
        let files = common::files("dxbc");
        let mut trials = vec![Trial::test("the_bad_sum_and_its_repaired_twin", twin)];
        for path in files {
            let name = common::stem(&path);
            trials.push(Trial::test(format!("written_back::{name}"), move || {
                written_back(&path)
            }));
        }
        trials
    })
}

/// Signatures and program are decoded and encoded again; the container is put together anew.
fn written_back(path: &Path) -> Result<(), Failed> {
    let bytes = fs::read(path)?;
    let sum = if common::stem(path) == WRONG_SUM {
        Checksum::Ignore
    } else {
        Checksum::Verify
    };
    let container = Container::read(bytes.clone(), sum)?;
    let encoded: Vec<(Tag, Vec<u8>)> = container
        .chunks()
        .map(|chunk| {
            let data = match Signature::read(chunk.tag, chunk.data) {
                Some(signature) => signature.unwrap().encode(),
                None if chunk.tag == Tag::SHEX => Program::decode(chunk.data).unwrap().encode(),
                None => chunk.data.to_vec(),
            };
            assert_eq!(data, chunk.data, "{}", chunk.tag);
            (chunk.tag, data)
        })
        .collect();
    let again = Container::from_chunks(encoded.iter().map(|(tag, data)| (*tag, data.as_slice())));
    if sum == Checksum::Verify {
        assert_eq!(again.bytes(), bytes);
    } else {
        assert_eq!(again.bytes()[20..], bytes[20..]);
    }
    Ok(())
}

fn twin() -> Result<(), Failed> {
    let read = |name: &str| fs::read(common::folder("hs50").join(name).with_extension("dxbc"));
    let (wrong, right) = (read(WRONG_SUM)?, read("dxc_hs3_resigned")?);
    let refused = Container::read(wrong.clone(), Checksum::Verify);
    assert!(
        matches!(refused, Err(ContainerError::Checksum { .. })),
        "{refused:?}"
    );
    let mut repaired = Container::read(wrong, Checksum::Ignore)?;
    repaired.resign();
    assert_eq!(repaired.bytes(), right);
    Ok(())
}
