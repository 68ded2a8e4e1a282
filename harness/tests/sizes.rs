//! Replaces each integer in a file by extreme values. Readers must pass the checks of the fuzz targets within limited
//! memory.
//!
//! The replaced integers include each count, length and offset of a file format. Tests of individual limits are next to
//! their checks.

#[path = "../capture/fuzz/body.rs"]
mod capture;
#[path = "../../agal/fuzz/bodies/agal.rs"]
mod fuzzing;
#[path = "../../context3d/jxr/tests/jxr/any_bytes.rs"]
mod jxr;
#[path = "../../agal/fuzz/bodies/d3d9.rs"]
mod tokens;

#[path = "../../agal/hs50/tests/common/fuzzing.rs"]
mod hull;

use std::collections::BTreeSet;

use agal::{Stage, asm};
use allocation_counter::measure;
use d3d9::ctab::ConstantTable;
use d3d9::{D3d9Program, StreamItem};

/// Values that replace an integer of four, two or one bytes, in addition to its value ± 1.
const EXTREMES: [u32; 7] = [0, 1, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, u32::MAX];

/// The valid files of a file format, and the limits of its parser.
struct Format {
    files: Vec<Vec<u8>>,
    /// Reads, lists, checks, translates and runs the content of a file, like the format's fuzz target.
    run: fn(&[u8]),
    /// Returns the byte positions of the integers to replace.
    places: fn(&[u8]) -> Vec<usize>,
    /// True if all integers of the format are little-endian.
    little: bool,
    /// The maximum memory that the reader may use at any time, in bytes.
    memory: u64,
    /// Corrects the checksums of a file after an integer was replaced.
    sign: fn(&mut [u8]),
}

impl Format {
    fn check(&self) {
        let mut most = 0;
        for file in &self.files {
            self.run(file, &mut most);
            for at in (self.places)(file) {
                for bytes in replaced(file, at, self.little) {
                    self.run(&bytes, &mut most);
                }
            }
        }
        eprintln!("{} files, at most {most} bytes of memory", self.files.len());
    }

    fn run(&self, file: &[u8], most: &mut u64) {
        let mut bytes = file.to_vec();
        (self.sign)(&mut bytes);
        let used = measure(|| (self.run)(&bytes)).bytes_max;
        assert!(used <= self.memory, "{used} bytes of memory: {bytes:02x?}");
        *most = used.max(*most);
    }
}

/// Returns copies of a file with a replaced integer at a position, in both byte orders unless `little`. Every returned
/// copy is different.
fn replaced(file: &[u8], at: usize, little: bool) -> impl Iterator<Item = Vec<u8>> {
    let sizes = [4, 2, 1].into_iter().filter(move |size| at + size <= file.len());
    sizes.flat_map(move |size| {
        let mut word = [0; 4];
        word[..size].copy_from_slice(&file[at..at + size]);
        let old = u32::from_le_bytes(word);
        let near = [old.wrapping_add(1), old.wrapping_sub(1)];
        let words = EXTREMES.into_iter().chain(near).map(u32::to_le_bytes);
        let big = EXTREMES
            .iter()
            .filter(move |_| !little)
            .map(move |value| (value << (8 * (4 - size))).to_be_bytes());
        let words: BTreeSet<Vec<u8>> = words.chain(big).map(|word| word[..size].to_vec()).collect();
        words.into_iter().filter(move |word| *word != file[at..at + size]).map(move |word| {
            let mut bytes = file.to_vec();
            bytes[at..at + size].copy_from_slice(&word);
            bytes
        })
    })
}

fn unsigned(_: &mut [u8]) {}

fn every<const STEP: usize>(file: &[u8]) -> Vec<usize> {
    (0..file.len()).step_by(STEP).collect()
}

#[test]
fn agal() {
    let text = "mov ft0, v0\nife ft0.x, v1.y\ntex ft0, v0, fs1 <2d,linear,1.5>\neif\nmov oc, ft0";
    let fragment = asm::assemble(text, Stage::Fragment, 2).expect("assembles");
    let vertex = asm::assemble("mov op, vc[va1.x+4]", Stage::Vertex, 2).expect("assembles");
    let run = |bytes: &[u8]| {
        fuzzing::decode(bytes);
        fuzzing::validate_any(bytes);
    };
    let files = vec![fragment.encode(), vertex.encode()];
    Format { files, run, places: every::<1>, little: false, memory: 32 << 10, sign: unsigned }
        .check();
}

/// Returns a constant table with two names and types, in the comment of a shader.
fn constant_table() -> Vec<u32> {
    let string = |text: &str| {
        let bytes = text.as_bytes().chunks(4).map(|chunk| {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            u32::from_le_bytes(word)
        });
        bytes.collect::<Vec<_>>()
    };
    // Offsets in the table count from its tag: 7 dwords of the table, 2 entries of 5, a type of 4, and the strings.
    let [entry, kind, name, target, creator] = [28, 28 + 40, 28 + 56, 28 + 64, 28 + 72];
    let table = [28, creator, 0xffff_0200, 2, entry, 0, target];
    let first = [name, 2, 3 << 16 | 4, kind, 0];
    let second = [name, 0x0003, 1, kind, 0];
    let kinds = [3 << 16 | 3, 4 << 16 | 4, 1, 0];
    let words = [&table[..], &first, &second, &kinds].concat();
    [vec![u32::from_le_bytes(*b"CTAB")], words, string("weights"), string("ps_2_0"), string("me")]
        .concat()
}

#[test]
fn direct3d_9_tokens() {
    let table = constant_table();
    let read = ConstantTable::read(&table).expect("a table");
    assert_eq!(read.constants.len(), 2);
    let text = "ps_3_0\ndef c0, 1, 2, 3, 4\ndefi i0, 3, 0, 1, 0\ndcl_texcoord v0\ndcl_2d s0\nmov r0, v0\nrep i0\n\
                texld r0, r0, s0\nadd_sat r0, r0, c[aL+1]\nendrep\nmov oC0, r0";
    let text = text.replace("c[aL+1]", "c1");
    let mut program = d3d9::text::assemble(&text).unwrap_or_else(|errors| panic!("{errors}"));
    program.items.insert(0, StreamItem::Comment(table));
    let run = |bytes: &[u8]| {
        tokens::decode(bytes);
        tokens::check_any(bytes);
        if let Ok(program) = D3d9Program::decode(bytes) {
            let table = program.constant_table();
            assert!(table.is_none_or(|table| table.constants.len() <= bytes.len() / 20));
        }
    };
    let files = vec![program.encode()];
    Format { files, run, places: every::<4>, little: true, memory: 32 << 10, sign: unsigned }
        .check();
}

#[test]
fn hull_shaders() {
    let whole = include_bytes!("../../agal/fuzz/seeds/hull_container/whole.dxbc");
    let flow = include_bytes!("../../agal/fuzz/seeds/hull_container/flow.dxbc");
    let files = vec![whole.to_vec(), flow.to_vec()];
    hull::prepare();
    let run = hull::container;
    Format { files, run, places: every::<4>, little: true, memory: 512 << 10, sign: unsigned }
        .check();
}

#[test]
fn atf_files() {
    let files = molehill_testing::atf_files::samples(false, (2, 2), 1).into_iter().step_by(3);
    let files = files.map(|sample| sample.bytes()).collect();
    Format {
        files,
        run: molehill_testing::atf_files::fuzzing::atf,
        places: every::<1>,
        little: false,
        memory: 512 << 10,
        sign: unsigned,
    }
    .check();
}

#[test]
fn jpeg_xr_files() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../context3d/jxr/tests/jxr/fixtures");
    let file = |name: &str| std::fs::read(format!("{folder}/{name}.jxr")).expect("a fixture");
    let files = vec![file("one_pixel"), file("alpha_dc_only"), file("bands_dc_only_frequency")];
    Format {
        files,
        run: jxr::any_bytes,
        places: every::<1>,
        little: false,
        memory: 512 << 10,
        sign: unsigned,
    }
    .check();
}

/// Size of a capture block's header in bytes: compressed and uncompressed length, the first record, two checksums.
const HEAD: usize = 40;

/// Corrects the checksums of all blocks of a binary capture.
fn sign(file: &mut [u8]) {
    let mut at = 16;
    while let Some(head) = file.get(at..at + HEAD).and_then(|head| head.first_chunk::<HEAD>()) {
        let length = u32::from_le_bytes([head[8], head[9], head[10], head[11]]) as usize;
        let end = file.len().min(at.saturating_add(HEAD + length));
        let sum = twox_hash::XxHash3_64::oneshot(&file[at + HEAD..end]);
        file[at + 24..at + 32].copy_from_slice(&sum.to_le_bytes());
        let sum = twox_hash::XxHash3_64::oneshot(&file[at..at + 32]);
        file[at + 32..at + 40].copy_from_slice(&sum.to_le_bytes());
        at = end;
    }
}

/// Returns the positions of the lengths in all block headers, and of every 32-bit word.
fn lengths_and_words(file: &[u8]) -> Vec<usize> {
    let heads = file.windows(4).enumerate().filter(|(_, window)| window == b"S3Db");
    let lengths = heads.flat_map(|(at, _)| [at + 8, at + 12, at + 16, at + 20]);
    lengths.chain(every::<4>(file)).collect()
}

#[test]
fn binary_captures() {
    let file = include_bytes!("../capture/tests/versions/binary-1.s3d");
    // Decompress the capture's blocks, so that every integer is a word of the file, and remove the index.
    let (mut plain, mut at) = (file[..16].to_vec(), 16);
    while file.get(at..).is_some_and(|rest| rest.starts_with(b"S3Db")) {
        let length = u32::from_le_bytes([file[at + 8], file[at + 9], file[at + 10], file[at + 11]]);
        let stored = &file[at + HEAD..at + HEAD + length as usize];
        let mut content = stored.to_vec();
        if file[at + 5] & 1 != 0 {
            let mut decoder = ruzstd::decoding::StreamingDecoder::new(stored).expect("zstd");
            content.clear();
            std::io::Read::read_to_end(&mut decoder, &mut content).expect("zstd");
        }
        let length = u32::try_from(content.len()).expect("small").to_le_bytes();
        if file[at + 4] != 4 {
            plain.extend(&file[at..at + 5]);
            plain.extend(
                [&[0; 3][..], &length, &length, &file[at + 16..at + HEAD], &content].concat(),
            );
        }
        at += HEAD + stored.len();
    }
    sign(&mut plain);
    let records = |bytes: &[u8]| {
        let reader = molehill_capture::CaptureReader::new(std::io::Cursor::new(bytes.to_vec()));
        let reader = reader.expect("a capture").map_while(|item| item.ok());
        reader.map(|(_, record)| format!("{record:?}")).collect()
    };
    let (whole, made): (Vec<String>, Vec<String>) = (records(file), records(&plain));
    assert_eq!(made, whole);
    let files = vec![plain];
    Format {
        files,
        run: capture::run,
        places: lengths_and_words,
        little: true,
        memory: 8 << 20,
        sign,
    }
    .check();
}

/// Replaces each number in a JSON Lines capture, where numbers are text.
#[test]
fn captures_of_lines() {
    let text = include_str!("../capture/tests/versions/lines-2.s3d.jsonl");
    let numbers = [
        "0",
        "1",
        "-1",
        "0.5",
        "255",
        "256",
        "65536",
        "16777217",
        "2147483648",
        "4294967295",
        "4294967296",
        "18446744073709551615",
        "1e308",
        "1e999",
    ];
    let mut count = 0;
    let mut start = 0;
    while let Some(found) = text[start..].find(|letter: char| letter.is_ascii_digit()) {
        let from = start + found;
        let length = text[from..].find(|letter: char| !letter.is_ascii_digit());
        let to = length.map_or(text.len(), |length| from + length);
        for number in numbers {
            let changed = [&text[..from], number, &text[to..]].concat();
            let used = measure(|| capture::run(changed.as_bytes())).bytes_max;
            assert!(used <= 8 << 20, "{used} bytes of memory: {changed}");
            count += 1;
        }
        start = to;
    }
    assert!(count > 1000, "{count}");
}
