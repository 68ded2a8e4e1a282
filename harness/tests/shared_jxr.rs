//! The JPEG-XR parts of the ATF data in the shared captures, against what the C reference library makes of them.

use std::collections::HashMap;
use std::path::Path;

use context3d::jxr::{Limits, Samples, decode};
use harness::trace::{Call, Reader, Record};

/// Set where a missing folder is a failure and not a reason to skip.
const REQUIRED: &str = "MOLEHILL_REQUIRE_SHARED";

/// The captures with ATF data.
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

/// The records of ATF data, of any format: a length and so many bytes (textures-and-atf.md section 3).
fn records(atf: &[u8]) -> Vec<&[u8]> {
    let (mut at, size) = if atf[6] == 0xff { (16, 4) } else { (10, 3) };
    let mut records = Vec::new();
    while let Some(length) = atf.get(at..at + size) {
        let length = length
            .iter()
            .fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        at += size;
        let Some(record) = atf.get(at..at + length) else {
            break;
        };
        records.push(record);
        at += length;
    }
    records
}

#[test]
fn parts_of_shared_captures_decode_to_the_samples_of_the_reference() {
    // Hash of the part's bytes, hash of the samples that the reference gives.
    let table = include_str!("shared_jxr.tsv");
    let expected: HashMap<u64, u64> = table
        .lines()
        .map(|line| {
            let hash = |text| u64::from_str_radix(text, 16).unwrap();
            let (part, samples) = line.split_once('\t').unwrap();
            (hash(part), hash(samples))
        })
        .collect();
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/captures");
    if !shared.is_dir() && std::env::var_os(REQUIRED).is_none() {
        println!("skipped: no shared captures");
        return;
    }
    let mut seen = HashMap::new();
    for name in CAPTURES {
        let reader = Reader::open(&shared.join(name).join("capture.s3d.jsonl.zst")).unwrap();
        for item in reader {
            let Record::Call(line) = item.unwrap().1 else {
                continue;
            };
            let (Call::TextureUploadCompressed {
                data,
                byte_array_offset,
                ..
            }
            | Call::CubeTextureUploadCompressed {
                data,
                byte_array_offset,
                ..
            }) = line.call
            else {
                continue;
            };
            let data = data.0.unwrap().bytes;
            let atf = &data[byte_array_offset as usize..];
            for part in records(atf)
                .into_iter()
                .filter(|part| part.starts_with(b"II\xbc"))
            {
                let picture = decode(
                    part,
                    &Limits {
                        width: 4096,
                        height: 4096,
                    },
                );
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
