//! Tests that untrusted input can't make the libraries allocate more memory than a multiple of its size and a constant.
//! A test allocator rejects allocations above that limit. The process then aborts, unless the library reports an error.
//! Each row of the table runs in a separate process of this program.

#[path = "../../context3d/jxr/tests/jxr/any_bytes.rs"]
mod any_bytes;
#[path = "../../agal/fuzz/bodies/agal.rs"]
mod fuzzing;
#[path = "common/parallel.rs"]
mod parallel;
#[path = "../../agal/fuzz/bodies/d3d9.rs"]
mod tokens;

#[path = "../../agal/hs50/tests/common/fuzzing.rs"]
mod hull;

use std::alloc::System;
use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::Command;

use atf::{Atf, TexelLayout};
use cap::Cap;
use context3d::backend::{Backend, NullBackend};
use context3d::enums::{BufferUsage, ProgramType, TextureFormat};
use context3d::{Context3D, ContextOptions, Profile};
use jpeg_xr::JxrLimits;
use molehill_capture::{CaptureHeader, CaptureIndex, CaptureReader, CaptureWriter, Form};
use molehill_reference::{RasterOptions, ReferenceBackend};

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// Size of each long input in bytes.
const LONG: usize = 64 << 10;

/// A parser with its memory limit: `multiple` bytes per input byte, and `constant` bytes in addition.
struct Row {
    name: &'static str,
    multiple: usize,
    constant: usize,
    inputs: fn() -> Vec<Vec<u8>>,
    read: fn(&[u8]),
}

const fn row(
    name: &'static str,
    (multiple, constant): (usize, usize),
    inputs: fn() -> Vec<Vec<u8>>,
    read: fn(&[u8]),
) -> Row {
    Row { name, multiple, constant, inputs, read }
}

const KB: usize = 1 << 10;
const MB: usize = 1 << 20;

const ROWS: &[Row] = &[
    row("AGAL bytes", (20, 256 * KB), agal, fuzzing::decode),
    row("AGAL verifier", (6, 512 * KB), agal, fuzzing::validate_any),
    row("AGAL text", (18, 256 * KB), agal_text, fuzzing::assemble),
    row("Direct3D 9 tokens", (48, 256 * KB), d3d9, tokens::decode),
    row("Direct3D 9 rules", (48, 256 * KB), d3d9, tokens::check_any),
    row("Direct3D 9 text", (44, 256 * KB), d3d9_text, tokens::assemble),
    row("hull container", (3, 768 * KB), containers, hull::container),
    row("hull tokens", (4, 768 * KB), containers, hull::tokens),
    row("hull text", (68, 768 * KB), hull_text, hull::text),
    // A compressed record may need a decoder state of 6 MB for LZMA.
    row("ATF", (1, 8 * MB), atf, molehill_testing::atf_files::fuzzing::atf),
    row("ATF of any size", (2, 8 * MB), atf, |bytes| {
        let images =
            Atf::open(bytes).into_iter().flat_map(|atf| atf.images().map_while(Result::ok));
        images.for_each(|image| drop(image.texels(TexelLayout::Bgra8)));
    }),
    row("LZMA", (5, 8 * MB), atf, molehill_testing::atf_files::fuzzing::lzma_record),
    row("JPEG-XR", (1, 2 * MB), pictures, any_bytes::any_bytes),
    row("JPEG-XR of any size", (1, 256 * MB), pictures, |bytes| {
        let _ = jpeg_xr::decode(bytes, &JxrLimits { width: 4096, height: 4096 });
    }),
    row("capture", (5, 512 * KB), captures, read_capture),
    row("calls", (0, 256 * KB), numbers, |bytes| calls(bytes, NullBackend::counting)),
    row("calls, drawn", (0, 72 * MB), numbers, |bytes| {
        calls(bytes, || {
            ReferenceBackend::new(RasterOptions { memory: 64 * MB, ..RasterOptions::default() })
        });
    }),
];

/// Returns long test inputs: equal bytes, random bytes, and an input for each pair in `pieces`. The input of a pair is
/// the first slice, followed by many repetitions of the second slice.
fn long(pieces: &[(&[u8], &[u8])]) -> Vec<Vec<u8>> {
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    let mut inputs = vec![Vec::new(), vec![0; LONG], vec![0xff; LONG]];
    inputs.push((0..LONG).map(|_| random()).collect());
    inputs.extend(pieces.iter().map(|(head, piece)| {
        let times = LONG / piece.len();
        [*head, &piece.repeat(times)].concat()
    }));
    inputs
}

fn agal() -> Vec<Vec<u8>> {
    const HEAD: &[u8] = &[0xa0, 1, 0, 0, 0, 0xa1, 0];
    let mut mov = [0; 24];
    mov[6] = 15;
    let mut table = Vec::new();
    // Use every opcode, so that each type of instruction is printed and checked.
    for opcode in [0u8, 0x17, 0x18, 0x1a, 0x1b, 0x20, 0x28, 0x2b] {
        let mut token = mov;
        token[0] = opcode;
        table.push(token);
    }
    let pieces: Vec<(&[u8], &[u8])> = table.iter().map(|token| (HEAD, &token[..])).collect();
    long(&pieces)
}

fn agal_text() -> Vec<Vec<u8>> {
    long(&[
        (b"", b"mov ft0, fc0\n"),
        (b"", b"mov ft0.xyzw, fc0.wzyx\n"),
        (b"", b"tex ft0, v0, fs0 <2d,linear,repeat,miplinear>\n"),
        (b"", b"\n"),
        (b"mov ", b"ft0, "),
        (b"tex ft0, v0, fs0 <", b"2d,"),
        (b"", b"m"),
        (b"", b"// "),
        (b"", b"nonsense ?\n"),
    ])
}

fn d3d9() -> Vec<Vec<u8>> {
    // The shader has comments of the maximum length, `mov r0, c0`, `dcl`, and the end token.
    let words =
        |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    let heads = [0xffff_0300u32, 0xfffe_0300].map(|head| words(&[head]));
    let pieces = [
        words(&[0x7fff_fffe]),
        words(&[0x0000_fffe]),
        words(&[0x0200_0001, 0x800f_0000, 0xa0e4_0000]),
        words(&[0x0200_001f, 0x8000_0005, 0x900f_0000]),
        words(&[0x0000_ffff]),
        words(&[0x0500_0051, 0xa00f_0000, 0, 0, 0, 0]),
        words(&[0x0200_001b, 0xf0e4_0000]),
    ];
    let pairs =
        heads.iter().flat_map(|head| pieces.iter().map(move |piece| (&head[..], &piece[..])));
    long(&pairs.collect::<Vec<_>>())
}

fn d3d9_text() -> Vec<Vec<u8>> {
    long(&[
        (b"ps_3_0\n", b"mov r0, c0\n"),
        (b"ps_2_0\n", b"dcl_2d s0\n"),
        (b"vs_3_0\n", b"def c0, 1, 2, 3, 4\n"),
        (b"vs_3_0\nmov r0, ", b"-"),
        (b"", b"m"),
        (b"", b"nonsense ?\n"),
    ])
}

fn containers() -> Vec<Vec<u8>> {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agal/fuzz/seeds/hull_container");
    let mut inputs = long(&[(b"DXBC", &[0xff; 4]), (b"DXBC", &[0, 0, 0, 1])]);
    for entry in fs::read_dir(seeds).unwrap() {
        let whole = fs::read(entry.unwrap().path()).unwrap();
        // Set each count and length in the file to its maximum.
        for at in (20..whole.len().min(2000)).step_by(4) {
            let mut bytes = whole.clone();
            bytes[at..at + 4].fill(0xff);
            inputs.push(bytes);
        }
        inputs.push([&whole[..], &whole.repeat(LONG / whole.len())].concat());
    }
    inputs
}

fn hull_text() -> Vec<Vec<u8>> {
    long(&[
        (b"hs_5_0\nhs_decls\n", b"dcl_input_control_point_count 3\n"),
        (b"hs_5_0\n", b"hs_fork_phase\nret\n"),
        (b"hs_5_0\nhs_control_point_phase\n", b"mov r0.xyzw, v0.xyzw\n"),
        (b"// Input signature:\n", b"// POSITION 0 xyzw 0 NONE float xyzw\n"),
        (b"", b"m"),
        (b"", b"nonsense ?\n"),
    ])
}

fn atf() -> Vec<Vec<u8>> {
    let mut inputs = long(&[(b"ATF", &[0xff]), (b"ATF\0\0\xff\x03", &[0])]);
    for sample in molehill_testing::atf_files::samples(false, (5, 5), 6) {
        let whole = sample.bytes();
        inputs.push(whole.clone());
        // Set each size and length in the file to its maximum.
        for at in 3..whole.len().min(64) {
            let mut bytes = whole.clone();
            bytes[at] = 0xff;
            inputs.push(bytes);
        }
        // Set the image's width and height to 4096 pixels.
        for at in 6..14 {
            let mut bytes = whole.clone();
            bytes[at..at + 2].fill(12);
            inputs.push(bytes);
        }
    }
    inputs
}

fn pictures() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../context3d/jxr/tests/jxr/fixtures");
    let mut inputs = long(&[]);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "jxr") {
            let whole = fs::read(path).unwrap();
            inputs.extend((0..whole.len().min(120)).step_by(3).map(|at| {
                let mut bytes = whole.clone();
                bytes[at] = 0xff;
                bytes
            }));
            inputs.push([&whole[..], &[0; LONG]].concat());
            // Set the image's width and height to nearly 4096 pixels, by adding a multiple of 16.
            let mut bytes = whole;
            let heads = bytes.windows(8).enumerate().filter(|(_, name)| *name == b"WMPHOTO\0");
            for at in heads.map(|(at, _)| at).collect::<Vec<_>>() {
                for side in bytes[at + 12..at + 16].as_chunks_mut().0 {
                    *side = (u16::from_be_bytes(*side) + 16 * 240).to_be_bytes();
                }
            }
            inputs.push(bytes);
        }
    }
    inputs
}

fn header() -> CaptureHeader {
    CaptureHeader {
        title: String::new(),
        swf_version: 30,
        stage_width: 1,
        stage_height: 1,
        stage_color: [0; 3],
        frame_rate: None,
        generator: None,
    }
}

fn captures() -> Vec<Vec<u8>> {
    let head = CaptureWriter::new(Vec::new(), &header()).unwrap().finish().unwrap();
    let frames: String = (0..LONG / 13).map(|frame| format!("{{\"frame\":{frame}}}\n")).collect();
    let objects: String = (9..LONG / 80)
        .map(|id| format!("{{\"call\":\"createProgram\",\"on\":2,\"result\":{id}}}\n"))
        .collect();
    let context = "{\"call\":\"requestContext3D\",\"on\":1,\"stage3DIndex\":0,\
        \"context3DRenderMode\":\"auto\",\"profile\":\"baseline\",\"result\":2}\n";
    let mut inputs = vec![[&head[..], frames.as_bytes()].concat()];
    inputs.push([&head[..], context.as_bytes(), objects.as_bytes()].concat());
    inputs.extend(inputs.clone().iter().map(|lines| {
        let mut reader = CaptureReader::new(Cursor::new(lines.clone())).unwrap();
        let mut writer = CaptureWriter::with_form(Vec::new(), &header(), Form::Binary, 1).unwrap();
        reader.by_ref().for_each(|record| writer.write(&record.unwrap().1).unwrap());
        writer.finish().unwrap()
    }));
    for piece in [
        "[",
        "{\"a\":",
        "{\"frame\":0}",
        "{\"call\":\"x\",\"on\":1,\"value\":1}\n",
        "{\"call\":\"requestContext3D\",\"on\":1,\"profiles\":[",
        "\"\",",
    ] {
        inputs.push([&head[..], piece.repeat(LONG / piece.len()).as_bytes()].concat());
    }
    inputs.extend(long(&[(&head, b"\n"), (&head, b" "), (&head, b"\"")]));
    inputs
}

fn read_capture(bytes: &[u8]) {
    let open = || CaptureReader::new(Cursor::new(bytes.to_vec()));
    if let Ok(reader) = open() {
        reader.for_each(drop);
    }
    if let Ok(mut reader) = open() {
        let (index, _) = CaptureIndex::scan(&mut reader);
        assert!(index.records() <= bytes.len() as u64);
    }
}

/// Returns every pair of integers near a limit, as bytes.
fn numbers() -> Vec<Vec<u8>> {
    let numbers = [0, 1, 50, 2048, 4096, 8192, 16384, 65535, 1 << 24, i32::MAX, -1, i32::MIN];
    let pairs = numbers.iter().flat_map(|a| numbers.iter().map(move |b| [*a, *b]));
    pairs.map(|pair| pair.map(i32::to_le_bytes).as_flattened().to_vec()).collect()
}

/// Creates and uploads Stage3D objects with two integers as sizes and positions, with and without Flash's limits.
/// Errors of Flash or of the device are ignored.
fn calls<B: Backend>(bytes: &[u8], backend: fn() -> B) {
    let numbers: Vec<i32> =
        bytes.as_chunks().0.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect();
    let [a, b] = numbers[..] else { panic!("two numbers") };
    let uploaded = [0; 64];
    for ignored in [false, true] {
        let options = ContextOptions { profile: Profile::Standard, swf_version: 50 };
        let mut context = Context3D::new(backend(), options);
        context.set_ignore_resource_limits(ignored).expect("needs nothing");
        let _ = context.configure_back_buffer(a, b, 4, true, false, false);
        let _ = context.clear(0.0, 0.0, 0.0, 1.0, 1.0, 0, 255);
        for format in
            [TextureFormat::Bgra, TextureFormat::CompressedAlpha, TextureFormat::RgbaHalfFloat]
        {
            if let Ok(texture) = context.create_texture(a, b, format, true, 0) {
                let _ =
                    context.texture_upload_from_byte_array(texture, Some(&uploaded), 0, None, 0);
            }
            let _ = context.create_rectangle_texture(a, b, format, true);
            let _ = context.create_cube_texture(a, format, false, b);
        }
        if let Ok(buffer) = context.create_vertex_buffer(a, b, BufferUsage::StaticDraw) {
            let _ = context.vertex_buffer_upload_from_byte_array(buffer, Some(&uploaded), 0, a, b);
        }
        if let Ok(buffer) = context.create_index_buffer(a, BufferUsage::StaticDraw) {
            let _ = context.index_buffer_upload_from_byte_array(buffer, Some(&uploaded), b, 0, a);
        }
        let _ = context.set_program_constants_from_byte_array(
            ProgramType::Vertex,
            a,
            b,
            Some(&uploaded),
            0,
        );
    }
}

/// The environment variable with the index of the row that the child process runs.
const TASK: &str = "MOLEHILL_ALLOCATIONS_ROW";

/// Runs a row in a child process, and prints its count.
fn check(number: usize, row: &Row) {
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--ignored", "--exact", "on_its_own", "--nocapture"])
        .env(TASK, number.to_string())
        .output()
        .expect("it starts");
    let [text, errors] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success() && text.contains("1 passed"), "{}: {text}{errors}", row.name);
    println!("{}", text.lines().find(|line| line.contains("bytes for each")).expect("its count"));
}

#[test]
fn memory_is_bounded_by_the_input() {
    parallel::each(ROWS, check);
}

#[test]
#[ignore = "one of the rows, in a process of its own"]
fn on_its_own() {
    let number = std::env::var(TASK).ok().and_then(|number| number.parse::<usize>().ok());
    let Some(row) = number.and_then(|number| ROWS.get(number)) else {
        println!("skipped: started without {TASK}");
        return;
    };
    let inputs = (row.inputs)();
    hull::prepare();
    let mut most = (0, 0);
    for (number, input) in inputs.iter().enumerate() {
        let budget = row.multiple * input.len() + row.constant;
        println!("input {number} of {} bytes: at most {budget}", input.len());
        let before = MEMORY.allocated();
        MEMORY.set_limit(before + budget).expect("more than is in use");
        (row.read)(input);
        MEMORY.set_limit(usize::MAX).expect("no limit");
        most = most.max((MEMORY.max_allocated().saturating_sub(before), input.len()));
    }
    println!(
        "{}: {} bytes for each input of at most {}, most for {}",
        row.name,
        most.0,
        inputs.iter().map(Vec::len).max().unwrap_or(0),
        most.1
    );
}
