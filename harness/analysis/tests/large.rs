//! Queries a capture of several gigabytes: `cargo test -p molehill-analysis --test large -- --ignored --nocapture`.

#[path = "../../tests/common/peak.rs"]
mod peak;

use std::io::BufWriter;
use std::time::Instant;

use context3d::enums::TextureFormat;
use molehill_analysis::{Capture, CaptureLimits, Inspector};
use molehill_capture::data::{ByteArray, CubeSide, MipLevel, OptionalParameter};
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine, CaptureHeader, CaptureReader, CaptureWriter, Form};

use peak::peak;

const FRAMES: u32 = 3000;
const SIDE: i32 = 512;
/// Maximum memory use of the test, in bytes, in addition to an empty process.
const MOST: u64 = 400 << 20;

/// Writes a capture in which each frame uploads a new texture content of one megabyte.
fn write(path: &std::path::Path) {
    let header = CaptureHeader {
        title: String::new(),
        swf_version: 30,
        stage_width: 64,
        stage_height: 64,
        stage_color: [0; 3],
        frame_rate: None,
        generator: None,
    };
    let output = BufWriter::new(std::fs::File::create(path).unwrap());
    let mut writer = CaptureWriter::with_form(output, &header, Form::Binary, 1).unwrap();
    let mut call = |on, call, result: Option<u64>, frame: Option<u32>| {
        let (on, result) = (ObjectId(on), result.map(ObjectId));
        let line = CallLine { result, ..CallLine::new(on, call) };
        writer.call(&line).unwrap();
        if let Some(frame) = frame {
            writer.frame(frame).unwrap();
        }
    };
    let request = Call::RequestContext3D {
        stage3d_index: 0,
        render_mode: OptionalParameter(None),
        profile: OptionalParameter(Some(Some("baseline".to_owned()))),
        profiles: OptionalParameter(None),
    };
    call(1, request, Some(2), None);
    let create = Call::CreateTexture {
        width: SIDE,
        height: SIDE,
        format: TextureFormat::Bgra.into(),
        optimize_for_render_to_texture: false,
        streaming_levels: 0,
    };
    call(2, create, Some(3), None);
    let mut state = 1_u32;
    let mut bytes = vec![0u8; 4 * usize::try_from(SIDE * SIDE).unwrap()];
    for frame in 0..FRAMES {
        // Uses noise as content, because the capture's compression can't shrink noise.
        for word in bytes.as_chunks_mut().0 {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            *word = state.to_le_bytes();
        }
        let upload = Call::TextureUploadFromByteArray {
            data: ByteArray::from(bytes.clone()),
            byte_array_offset: 0,
            side: CubeSide(None),
            miplevel: MipLevel(Some(0)),
        };
        call(3, upload, None, Some(frame));
    }
    writer.finish().unwrap();
}

#[test]
#[ignore = "writes three gigabytes"]
fn a_capture_needs_neither_its_size_in_memory_nor_a_full_read() {
    let path = std::env::temp_dir().join(format!("molehill-large-{}.s3d", std::process::id()));
    write(&path);
    let size = std::fs::metadata(&path).unwrap().len();
    let before = peak().unwrap_or(0);
    let start = Instant::now();
    let capture =
        Capture::open(CaptureReader::open(&path).unwrap(), CaptureLimits::default()).unwrap();
    let frames = capture.frames().len();
    let (_, last) = capture.call(capture.call_count()).unwrap();
    println!(
        "{} MB, {frames} frames, last call {}: {:?}",
        size >> 20,
        last.call.name(),
        start.elapsed()
    );
    let mut inspector = Inspector::new(capture);
    let calls = inspector.capture().frame(5).unwrap().calls.clone();
    assert_eq!(inspector.dump(calls.start..=calls.end - 1).unwrap().len(), 1);
    println!("frame 5 listed: {:?}", start.elapsed());
    inspector.screen(FRAMES / 2).unwrap();
    println!("half of it replayed: {:?}", start.elapsed());
    let more = peak().unwrap_or(0).saturating_sub(before);
    println!("{} MB of memory", more >> 20);
    std::fs::remove_file(path).unwrap();
    assert!(more < MOST && size > 3 << 30 >> 1, "{more} of {size}");
}
