//! Limits the memory that a Stage3D application can make a process use: its peak resident memory on Linux. Each
//! measurement runs in its own process: this program, started again for one test.

#[path = "common/peak.rs"]
mod peak;

use std::process::Command;

use backend_gl::offscreen::{Api, Offscreen};
use context3d::arguments::Bitmap;
use context3d::backend::Backend;
use context3d::enums::TextureFormat;
use context3d::{Context3D, ContextOptions, Error, Profile};
use molehill_reference::{RasterOptions, ReferenceBackend};

use molehill_analysis::{Capture, CaptureLimits, Inspector, trim};
use molehill_capture::data::{ByteArray, CubeSide, MipLevel, OptionalParameter};
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine, CaptureHeader, CaptureReader, CaptureWriter, Form};
use peak::peak;

/// Maximum resident memory of the process with a hundred textures: the driver's, and the 512 MB that Flash counts for
/// all mip levels, which immutable storage allocates.
const MOST: u64 = 600 << 20;

/// Creates a hundred compressed textures of 4096² with a 1×1 bitmap. Returns the number of successful creations.
fn textures(backend: impl Backend, ignore_limits: bool) -> usize {
    let options = ContextOptions { profile: Profile::Standard, swf_version: 50 };
    let mut context = Context3D::new(backend, options);
    let mut call = || -> Result<usize, Error> {
        context.set_ignore_resource_limits(ignore_limits)?;
        for made in 0..100 {
            let texture =
                match context.create_texture(4096, 4096, TextureFormat::Compressed, false, 0) {
                    Ok(texture) => texture,
                    Err(Error::Flash(error)) if error.number() == 3691 => return Ok(made),
                    Err(error) => return Err(error),
                };
            let bitmap = Bitmap {
                width: 1,
                height: 1,
                transparent: true,
                layout: context3d::arguments::PixelLayout::default(),
                pixels: Some(&[1, 2, 3, 255]),
            };
            context.texture_upload_from_bitmap_data(texture, Some(bitmap), None, 0)?;
        }
        Ok(100)
    };
    call().expect("textures and uploads, or 3691")
}

/// The environment variable with the task of the child process.
const TASK: &str = "MOLEHILL_MEMORY_TASK";
const TASKS: [(&str, bool); 4] = [
    ("reference", false),
    ("reference, limits ignored", true),
    ("OpenGL", false),
    ("OpenGL, limits ignored", true),
];

#[test]
fn a_hundred_compressed_textures() {
    if peak().is_none() {
        assert!(std::env::var_os("MOLEHILL_REQUIRE_TOOLS").is_none(), "no /proc/self/status");
        println!("skipped: no /proc/self/status");
        return;
    }
    for (task, _) in TASKS {
        run("on_its_own", task);
    }
}

/// Runs a test that is marked `ignore` in a separate process, which reads `task` from its environment.
fn run(test: &str, task: &str) {
    let this = std::env::current_exe().expect("this program");
    let mut command = Command::new(this);
    command.args(["--ignored", "--exact", test]).env(TASK, task);
    let output = command.output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{task}: {text}");
}

/// Maximum resident memory of a process that trims a larger capture.
const MOST_FOR_TRIM: u64 = 60 << 20;
const TRIM: &str = "trim";

#[test]
fn a_frame_of_a_large_capture() {
    if peak().is_none() {
        println!("skipped: no /proc/self/status");
        return;
    }
    run("trim_on_its_own", TRIM);
}

/// Writes a capture of frames that each upload 256 KB of noise to the same texture.
fn write_noise(path: &std::path::Path, frames: u32) {
    let header = CaptureHeader {
        title: String::new(),
        swf_version: 30,
        stage_width: 64,
        stage_height: 64,
        stage_color: [0; 3],
        frame_rate: None,
        generator: None,
    };
    let output = std::io::BufWriter::new(std::fs::File::create(path).expect("a file"));
    let mut writer = CaptureWriter::with_form(output, &header, Form::Lines, 1).expect("a header");
    let mut call = |on, call, result: Option<u64>| {
        let line = CallLine { result: result.map(ObjectId), ..CallLine::new(ObjectId(on), call) };
        writer.call(&line).expect("a call");
    };
    let request = Call::RequestContext3D {
        stage3d_index: 0,
        render_mode: OptionalParameter(None),
        profile: OptionalParameter(Some(Some("baseline".to_owned()))),
        profiles: OptionalParameter(None),
    };
    call(1, request, Some(2));
    let back_buffer = Call::ConfigureBackBuffer {
        width: 64,
        height: 64,
        anti_alias: 0,
        enable_depth_and_stencil: true,
        wants_best_resolution: false,
        wants_best_resolution_on_browser_zoom: false,
    };
    call(2, back_buffer, None);
    let create = Call::CreateTexture {
        width: 256,
        height: 256,
        format: TextureFormat::Bgra.into(),
        optimize_for_render_to_texture: false,
        streaming_levels: 0,
    };
    call(2, create, Some(3));
    let mut state = 1_u32;
    let mut bytes = vec![0u8; 4 * 256 * 256];
    for frame in 0..frames {
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
        writer.call(&CallLine::new(ObjectId(3), upload)).expect("a call");
        let [red, green, blue, alpha] = [0.0, 0.0, 0.0, 1.0];
        let clear = Call::Clear { red, green, blue, alpha, depth: 1.0, stencil: 0, mask: !0 };
        for call in [clear, Call::Present {}] {
            writer.call(&CallLine::new(ObjectId(2), call)).expect("a call");
        }
        writer.frame(frame).expect("a frame");
    }
    writer.finish().expect("the end");
}

#[test]
#[ignore = "in a process of its own"]
fn trim_on_its_own() {
    if std::env::var(TASK).as_deref() != Ok(TRIM) {
        println!("skipped: started without {TASK}");
        return;
    }
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("memory-trim.s3d.jsonl");
    write_noise(&path, 240);
    let size = std::fs::metadata(&path).expect("a file").len();
    let limits = CaptureLimits { file_bytes: 1 << 20, ..CaptureLimits::default() };
    let capture =
        Capture::open(CaptureReader::open(&path).expect("opens"), limits).expect("a capture");
    let part = trim(&mut Inspector::new(capture), 239, 239).expect("a part");
    std::fs::remove_file(path).expect("removed");
    assert!(part.restored > 0);
    let peak = peak().expect("Linux counts");
    println!("a frame of {} MB: peak {} MB", size >> 20, peak >> 20);
    assert!(size > MOST_FOR_TRIM && peak < MOST_FOR_TRIM, "peak {} MB of {size}", peak >> 20);
}

#[test]
#[ignore = "one of the counts, in a process of its own"]
fn on_its_own() {
    let named = std::env::var(TASK);
    let task = TASKS.into_iter().find(|(task, _)| named.as_deref() == Ok(*task));
    let Some((task, ignore_limits)) = task else {
        println!("skipped: started without {TASK}");
        return;
    };
    let made = if task.starts_with("reference") {
        let reference = ReferenceBackend::new(RasterOptions::default());
        textures(reference, ignore_limits)
    } else {
        let offscreen =
            Offscreen::open(Api::OpenGl).expect("an EGL; harness/setup.sh installs one");
        textures(offscreen.backend().expect("a backend"), ignore_limits)
    };
    // Flash counts half a byte per texel, including mip levels: this many textures fit 512 MB.
    assert_eq!(made, 47);
    let peak = peak().expect("Linux counts");
    println!("{task}: {made} textures, peak {} MB", peak >> 20);
    assert!(peak < MOST, "{made} textures take {} MB", peak >> 20);
}
