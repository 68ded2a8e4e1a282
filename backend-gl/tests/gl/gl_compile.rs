//! Tests that all programs of agal's snapshots compile and link on the installed driver, in both dialects.

use std::path::Path;
use std::sync::Arc;

use crate::common::{APIS, backend};
use context3d::agal::{LinkedPair, Rules, Stage, asm, link, validate};
use context3d::backend::{Backend, BackendError};
use context3d::keys::ProgramKey;
use context3d::packets::Packet;
use slotmap::SlotMap;

fn pair(text: &str) -> LinkedPair {
    let (vertex, fragment) = asm::AssembleOptions::default().pair(text).expect("assembles");
    let check = |program, role| validate(program, role, &Rules::NEWEST).expect("is valid");
    link(check(vertex, Stage::Vertex), check(fragment, Stage::Fragment)).expect("links")
}

#[test]
fn every_snapshot_program_compiles() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agal/tests/programs");
    let entries = std::fs::read_dir(&folder).expect("agal's programs are beside this crate");
    let mut programs: Vec<_> = entries
        .map(|entry| entry.expect("a folder entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "agal"))
        .collect();
    programs.sort();
    assert!(!programs.is_empty(), "no programs in {}", folder.display());
    for api in APIS {
        let mut backend = backend(api);
        let mut keys: SlotMap<ProgramKey, ()> = SlotMap::with_key();
        for path in &programs {
            let text = std::fs::read_to_string(path).expect("readable");
            let packet =
                Packet::UploadProgram { key: keys.insert(()), pair: Arc::new(pair(&text)) };
            match backend.execute(packet) {
                Ok(()) => {}
                Err(BackendError::CompileFailed { stage, source, log }) => {
                    panic!("{api}, {}, {stage}: {log}\n{source}", path.display())
                }
                Err(error) => panic!("{api}, {}: {error}", path.display()),
            }
        }
        assert_eq!(backend.debug_errors(), 0, "{api}");
    }
}
