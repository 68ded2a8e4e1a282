//! Compares the JPEG-XR data in the shared captures' ATF files with the results of the C reference library.

use std::collections::HashMap;
use std::path::Path;

use atf::Atf;
use jpeg_xr::{JxrLimits, Samples, decode};
use molehill_capture::{CaptureReader, CaptureRecord};

/// The names of captures with ATF data.
const CAPTURES: [&str; 3] = [
    "texture_bytearray",
    "demo_away3dtut_materials-basic-atf-shading-Basic-Shading-with-ATF_v0",
    "demo_away3dtut_materials-basic-atf-texture-Basic-ATF-Texture",
];

fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

pub(crate) fn parts_decode(shared: &Path) {
    // Each line contains a hash of the JPEG-XR data, and a hash of the reference library's samples.
    let table = include_str!("jxr.tsv");
    let expected: HashMap<u64, u64> = table
        .lines()
        .map(|line| {
            let hash = |text| u64::from_str_radix(text, 16).unwrap();
            let (part, samples) = line.split_once('\t').unwrap();
            (hash(part), hash(samples))
        })
        .collect();
    let mut seen = HashMap::new();
    for name in CAPTURES {
        let reader = CaptureReader::open(&shared.join(name).join("capture.s3d.jsonl.zst")).unwrap();
        for item in reader {
            let CaptureRecord::Call(line) = item.unwrap().1 else {
                continue;
            };
            let Some(atf) = line.call.atf_file() else {
                continue;
            };
            let images = Atf::open(atf).unwrap().images().map(Result::unwrap);
            let records = images.flat_map(|image| image.records().to_vec());
            for part in records.filter(|part| part.starts_with(b"II\xbc")) {
                let picture = decode(part, &JxrLimits { width: 4096, height: 4096 });
                let picture = picture.unwrap_or_else(|error| panic!("{name}: {error}"));
                let samples = match picture.samples {
                    Samples::Bytes(bytes) => fnv(bytes),
                    Samples::Words(words) => fnv(words.into_iter().flat_map(u16::to_le_bytes)),
                };
                seen.insert(fnv(part.iter().copied()), samples);
            }
        }
    }
    assert_eq!(seen, expected);
}
