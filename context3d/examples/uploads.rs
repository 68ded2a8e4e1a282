//! Prints the time that asynchronous uploads take on the VM's thread, decoded in the call or by other threads.
//!
//! `cargo run --release -p context3d --example uploads -- FILE.atf…` measures each file on a device without compressed
//! textures, and then two bitmaps of 2048×2048 pixels that must be converted.

use std::time::{Duration, Instant};

use context3d::arguments::{Bitmap, PixelLayout};
use context3d::backend::{Backend, NullBackend};
use context3d::enums::TextureFormat;
use context3d::keys::TextureKey;
use context3d::{Context3D, ContextOptions, Error, Executor, ObjectHandle, Profile};

type Context = Context3D<NullBackend>;

/// Number of repetitions of a measurement, of which the fastest is reported.
const TURNS: usize = 5;
const SIDE: u32 = 2048;

fn context(blocks: bool, executor: Executor) -> Context {
    let backend = NullBackend::counting();
    let mut caps = backend.caps().clone();
    (caps.s3tc, caps.etc2) = (blocks, blocks);
    let options = ContextOptions { profile: Profile::BaselineExtended, swf_version: 50 };
    let mut context = Context3D::new(backend.with_caps(caps), options);
    context.set_executor(executor);
    context
}

/// Returns the time of the upload call, and the time of the frame that dispatches its event.
fn times(
    context: &mut Context,
    texture: ObjectHandle<TextureKey>,
    upload: impl Fn(&mut Context, ObjectHandle<TextureKey>) -> Result<(), Error>,
) -> Result<(Duration, Duration), Error> {
    let start = Instant::now();
    upload(context, texture)?;
    let call = start.elapsed();
    while context.texture_events_waiting() == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let start = Instant::now();
    let event = context.take_texture_event();
    if let Some(error) = event.and_then(|event| event.error) {
        println!("  {error}");
    }
    Ok((call, start.elapsed()))
}

/// Measures an upload that is decoded in the call, and by other threads.
fn measure(
    name: &str,
    blocks: bool,
    create: impl Fn(&mut Context) -> Result<ObjectHandle<TextureKey>, Error>,
    upload: impl Fn(&mut Context, ObjectHandle<TextureKey>) -> Result<(), Error>,
) -> Result<(), Error> {
    println!("{name}");
    for (way, executor) in [("in the call", Executor::default()), ("threads", Executor::threads())]
    {
        let mut context = context(blocks, executor);
        let texture = create(&mut context)?;
        let mut least = [Duration::MAX; 2];
        for _ in 0..TURNS {
            let (call, event) = times(&mut context, texture, &upload)?;
            least = [least[0].min(call), least[1].min(event)];
        }
        println!("  {way}: call {:.1?}, event {:.1?}", least[0], least[1]);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        let header = *atf::Atf::open(&bytes)?.header();
        let format = TextureFormat::from(header.format.texture());
        let (width, height) = (i32::try_from(header.width)?, i32::try_from(header.height)?);
        measure(
            &path,
            false,
            |context| match header.cube {
                true => context.create_cube_texture(width, format, false, 0),
                false => context.create_texture(width, height, format, false, 0),
            },
            |context, texture| {
                context.texture_upload_compressed_from_byte_array(texture, Some(&bytes), 0, true)
            },
        )?;
    }
    let pixels: Vec<u8> = (0..SIDE * SIDE).flat_map(|at| (at * 7).to_le_bytes()).collect();
    let layout = PixelLayout::RGBA;
    let source =
        Bitmap { width: SIDE, height: SIDE, transparent: true, pixels: Some(&pixels), layout };
    for (name, format) in [
        ("R, G, B, A to bgra, 2048×2048", TextureFormat::Bgra),
        ("R, G, B, A to DXT5 blocks, 2048×2048", TextureFormat::CompressedAlpha),
    ] {
        measure(
            name,
            true,
            |context| context.create_texture(2048, 2048, format, false, 0),
            |context, texture| {
                context.texture_upload_from_bitmap_data_async(texture, Some(source), None, 0)
            },
        )?;
    }
    Ok(())
}
