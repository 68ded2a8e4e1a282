//! The JPEG-XR parts of the ATF data in captures.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Error, Result};
use std::path::Path;

use atf::Atf;
use molehill_capture::{CaptureReader, CaptureRecord};
use walkdir::WalkDir;

use crate::compare::{Outcome, compare};

/// First bytes of a JPEG-XR file.
const SIGNATURE: &[u8] = b"II\xbc";

/// Returns the JPEG-XR records of a folder's captures, with the captures' names. Stops at damaged data of a capture.
pub(crate) fn parts(folder: &Path) -> Result<BTreeMap<Vec<u8>, BTreeSet<String>>> {
    let mut parts = BTreeMap::<_, BTreeSet<_>>::new();
    for entry in WalkDir::new(folder) {
        let path = entry?.into_path();
        let end = path.to_string_lossy();
        if !end.ends_with(".s3d.jsonl") && !end.ends_with(".s3d.jsonl.zst") {
            continue;
        }
        let name = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        for (_, record) in
            CaptureReader::open(&path).map_err(Error::other)?.map_while(|record| record.ok())
        {
            let CaptureRecord::Call(line) = record else { continue };
            let Some(Ok(atf)) = line.call.atf_file().map(Atf::open) else { continue };
            for record in atf.images().flatten().flat_map(|image| image.records().to_vec()) {
                if record.starts_with(SIGNATURE) {
                    parts.entry(record.to_vec()).or_default().insert(name.to_string());
                }
            }
        }
    }
    Ok(parts)
}

/// Decodes every record with both decoders. Returns whether all results are equal.
///
/// # Errors
/// An error, too, if the folder contains no JPEG-XR record.
pub(crate) fn run(folder: &Path) -> Result<bool> {
    let parts = parts(folder)?;
    if parts.is_empty() {
        let folder = folder.display();
        return Err(Error::other(format!("no JPEG-XR in ATF data in {folder}")));
    }
    let parts = parts(&folder).expect("the captures can be read");
    assert!(!parts.is_empty(), "no JPEG-XR in ATF data");
    let mut bad = 0;
    for (number, (part, names)) in parts.iter().enumerate() {
        if let Outcome::Different(how) = compare(part) {
            println!("part {number}, of {names:?}: {how}");
            crate::keep(&format!("different-capture-{number}.jxr"), part);
            bad += 1;
        }
    }
    println!(
        "{} of {} parts of ATF data decode bit for bit as in C",
        parts.len() - bad,
        parts.len()
    );
    assert_eq!(bad, 0);
}
