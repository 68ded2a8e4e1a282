//! The JPEG-XR parts of the ATF data in captures.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Error, Read, Result};
use std::path::{Path, PathBuf};

use atf::Atf;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::compare::{Outcome, compare};

/// First bytes of a JPEG-XR file.
const SIGNATURE: &[u8] = b"II\xbc";

/// Every part below a folder, with the names of the captures that have it.
pub(crate) fn parts(folder: &Path) -> Result<BTreeMap<Vec<u8>, BTreeSet<String>>> {
    let mut parts = BTreeMap::<_, BTreeSet<_>>::new();
    for path in captures(folder)? {
        let name = path.parent().and_then(Path::file_name).unwrap_or_default();
        let name = name.to_string_lossy();
        for line in lines(&path)?.split(b'\n') {
            let line = line?;
            // Most lines aren't uploads, and some are long.
            let is_upload = line.windows(20).take(200).any(|part| part == b"uploadCompressedText");
            if !is_upload {
                continue;
            }
            for part in parts_of_call(&line)? {
                parts.entry(part).or_default().insert(name.to_string());
            }
        }
    }
    Ok(parts)
}

/// The captures below a folder.
fn captures(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            found.extend(captures(&path)?);
        } else if name.ends_with(".s3d.jsonl") || name.ends_with(".s3d.jsonl.zst") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn lines(path: &Path) -> Result<Box<dyn BufRead>> {
    let file = BufReader::new(File::open(path)?);
    let reader: Box<dyn Read> = if path.extension().is_some_and(|end| end == "zst") {
        Box::new(ruzstd::decoding::StreamingDecoder::new(file).map_err(Error::other)?)
    } else {
        Box::new(file)
    };
    Ok(Box::new(BufReader::new(reader)))
}

/// The parts of the ATF file that a call uploads.
fn parts_of_call(line: &[u8]) -> Result<Vec<Vec<u8>>> {
    let call: Value = serde_json::from_slice(line)?;
    let Some(data) = call["dataB64"].as_str() else {
        return Ok(Vec::new());
    };
    let data = STANDARD.decode(data).map_err(Error::other)?;
    let offset = call["byteArrayOffset"].as_u64().unwrap_or(0);
    let file = usize::try_from(offset).ok().and_then(|at| data.get(at..));
    let Some(atf) = file.and_then(|file| Atf::open(file).ok()) else {
        return Ok(Vec::new());
    };
    let images = atf.images().flatten();
    let records = images.flat_map(|image| image.records().to_vec());
    let parts = records.filter(|record| record.starts_with(SIGNATURE));
    Ok(parts.map(<[u8]>::to_vec).collect())
}

#[test]
fn captures_decode_as_in_c() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/captures");
    if !folder.is_dir() && std::env::var_os("MOLEHILL_REQUIRE_SHARED").is_none() {
        return println!("skipped: no shared captures");
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
