//! Tests packets that need no program: contexts, clears, uploads, render targets, readback.

mod errors;

use std::borrow::Cow;

use crate::common::{APIS, backend, open};
use backend_gl::GlBackend;
use backend_gl::offscreen::{Api, Offscreen, OffscreenOptions, Route};
use backend_gl::workarounds::{Workaround, Workarounds};
use context3d::backend::{Backend, BackendError, ReadSurface};
use context3d::enums::TextureFormat;
use context3d::keys::TextureKey;
use context3d::packets::{
    BackBufferDesc, Clear, ColorAttachment, Packet, PassStart, RenderTarget, TexelLayout,
    TextureDesc, TextureKind, TextureTarget,
};
use slotmap::SlotMap;

/// Returns texture keys like those of `Context3D`.
fn texture_keys(count: usize) -> Vec<TextureKey> {
    let mut map: SlotMap<TextureKey, ()> = SlotMap::with_key();
    (0..count).map(|_| map.insert(())).collect()
}

fn run(backend: &mut GlBackend, packet: Packet<'_>) {
    if let Err(error) = backend.execute(packet) {
        panic!("{error}");
    }
}

fn configure(backend: &mut GlBackend, width: u32, height: u32, samples: u8) {
    let shape = BackBufferDesc { width, height, samples, depth_stencil: true };
    run(backend, Packet::ConfigureBackBuffer(shape));
}

/// Clears the back buffer.
fn clear(backend: &mut GlBackend, color: [f32; 4]) {
    begin(backend, RenderTarget::BackBuffer, Some(color));
    run(backend, Packet::EndPass { resolve: false });
}

/// Begins a pass. Clears the target's colour, or keeps the textures' content, and clears depth and stencil.
fn begin(backend: &mut GlBackend, target: RenderTarget, color: Option<[f32; 4]>) {
    let samples = matches!(&target, RenderTarget::Textures(textures) if textures.samples > 1);
    let clear = Clear { color, depth: Some(1.0), stencil: Some(0) };
    let load_samples = samples && color.is_none();
    run(backend, Packet::BeginPass(PassStart { target, load_samples, clear }));
}

/// Ends a pass, and resolves its samples into the textures.
fn end(backend: &mut GlBackend) {
    run(backend, Packet::EndPass { resolve: true });
}

fn read(backend: &mut GlBackend, surface: ReadSurface) -> (u32, u32, Vec<u8>) {
    let mut pixels = Vec::new();
    match backend.read_pixels(surface, &mut pixels) {
        Ok((width, height)) => (width, height, pixels),
        Err(error) => panic!("{error}"),
    }
}

fn texture(backend: &mut GlBackend, key: TextureKey, desc: TextureDesc) {
    run(backend, Packet::CreateTexture { key, desc });
}

fn upload(
    backend: &mut GlBackend,
    key: TextureKey,
    (side, level): (u8, u8),
    layout: TexelLayout,
    data: &[u8],
) {
    let packet = Packet::UploadTexture { key, side, level, layout, data: Cow::Borrowed(data) };
    run(backend, packet);
}

fn desc(kind: TextureKind, format: TextureFormat, side: u32, levels: u8) -> TextureDesc {
    TextureDesc { kind, format, width: side, height: side, levels, render_target: false }
}

fn target(key: TextureKey, side: u8, size: u32, samples: u8) -> RenderTarget {
    let first = Some(ColorAttachment { texture: key, side });
    RenderTarget::Textures(TextureTarget {
        color: [first, None, None, None],
        width: size,
        height: size,
        samples,
        depth_stencil: true,
    })
}

/// Fills level 0 of these faces with zeros.
fn zero(backend: &mut GlBackend, key: TextureKey, faces: u8) {
    (0..faces).for_each(|side| run(backend, Packet::ZeroLevel { key, side, level: 0 }));
}

fn level(texture: TextureKey, side: u8, level: u8) -> ReadSurface {
    ReadSurface::Texture { texture, side, level }
}

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 0.0];

#[test]
fn every_route_opens_or_says_why() {
    for api in APIS {
        for &route in Route::ALL {
            let mut options = OffscreenOptions::new(api);
            options.route = Some(route);
            match Offscreen::open_with(&options) {
                Ok(offscreen) => {
                    assert!(offscreen.description().starts_with("OpenGL"));
                    assert!(offscreen.description().ends_with(&route.to_string()));
                }
                Err(error) => assert_eq!(error.tried.len(), 1, "{error}"),
            }
        }
    }
}

#[test]
fn several_contexts_live_side_by_side() {
    let mut backends: Vec<_> =
        [Api::OpenGl, Api::Gles, Api::OpenGl].into_iter().map(backend).collect();
    for (n, backend) in backends.iter_mut().enumerate() {
        configure(backend, 32, 32, 0);
        clear(backend, [n as f32, 0.0, 0.0, 1.0]);
    }
    for (n, backend) in backends.iter_mut().enumerate() {
        let (_, _, pixels) = read(backend, ReadSurface::BackBuffer);
        assert_eq!(pixels[0], if n == 0 { 0 } else { 255 });
        assert_eq!(backend.debug_errors(), 0);
    }
    drop(backends.remove(0));
    clear(&mut backends[0], GREEN);
    assert_eq!(read(&mut backends[0], ReadSurface::BackBuffer).2[1], 255);
}

#[test]
fn two_backends_on_one_context_one_after_the_other() {
    let offscreen = open(Api::OpenGl);
    for _ in 0..2 {
        let mut backend = offscreen.backend().expect("a backend");
        configure(&mut backend, 32, 32, 0);
        clear(&mut backend, RED);
        assert_eq!(read(&mut backend, ReadSurface::BackBuffer).2[..4], [255, 0, 0, 255]);
        assert_eq!(backend.debug_errors(), 0);
    }
}

#[test]
fn front_shows_the_last_present() {
    for api in APIS {
        for samples in [0, 4] {
            let mut backend = backend(api);
            assert_eq!(read(&mut backend, ReadSurface::Front).0, 0);
            configure(&mut backend, 40, 50, samples);
            assert_eq!(read(&mut backend, ReadSurface::Front).0, 0);
            assert!(backend.front().is_none());
            clear(&mut backend, RED);
            run(&mut backend, Packet::Present);
            clear(&mut backend, GREEN);
            let (width, height, front) = read(&mut backend, ReadSurface::Front);
            assert_eq!((width, height, front.len()), (40, 50, 40 * 50 * 4));
            assert!(front.chunks(4).all(|pixel| pixel == [255, 0, 0, 255]));
            let (_, _, back) = read(&mut backend, ReadSurface::BackBuffer);
            assert!(back.chunks(4).all(|pixel| pixel == [0, 255, 0, 0]));
            assert!(backend.front().is_some());
            configure(&mut backend, 0, 0, 0);
            assert_eq!(read(&mut backend, ReadSurface::BackBuffer).0, 0);
            assert_eq!(backend.debug_errors(), 0);
        }
    }
}

#[test]
fn uploads_of_every_format_read_back() {
    // For each layout: the bytes of a texel, and its RGBA value.
    let rows: [(TextureFormat, TexelLayout, &[u8], [u8; 4]); 6] = [
        (TextureFormat::Bgra, TexelLayout::Bgra8, &[10, 20, 30, 40], [30, 20, 10, 40]),
        (TextureFormat::Compressed, TexelLayout::Bgra8, &[10, 20, 30, 40], [30, 20, 10, 255]),
        (TextureFormat::CompressedAlpha, TexelLayout::Bgra8, &[10, 20, 30, 40], [30, 20, 10, 40]),
        // Red is in the upper five bits [context3d.format.packed565].
        (TextureFormat::BgrPacked565, TexelLayout::Bgr565, &[0x1F, 0xF8], [255, 0, 255, 255]),
        // The channels are A = 1, R = 2, G = 3, B = 4.
        (TextureFormat::BgraPacked4444, TexelLayout::Bgra4444, &[0x34, 0x12], [34, 51, 68, 17]),
        // The half floats are 1.0, 0.0, 0.0 and 2.0; the readback clamps 2.0.
        (
            TextureFormat::RgbaHalfFloat,
            TexelLayout::RgbaHalf,
            &[0x00, 0x3C, 0, 0, 0, 0, 0x00, 0x40],
            [255, 0, 0, 255],
        ),
    ];
    for api in APIS {
        let mut backend = backend(api);
        for ((format, layout, texel, rgba), key) in rows.into_iter().zip(texture_keys(6)) {
            texture(&mut backend, key, desc(TextureKind::TwoD, format, 4, 3));
            assert_eq!(read(&mut backend, level(key, 0, 0)).0, 0, "no content yet");
            upload(&mut backend, key, (0, 0), layout, &texel.repeat(16));
            upload(&mut backend, key, (0, 0), layout, &texel.repeat(16));
            let (width, height, pixels) = read(&mut backend, level(key, 0, 0));
            assert_eq!((width, height), (4, 4));
            assert!(pixels.chunks(4).all(|pixel| pixel == rgba), "{format:?} {:?}", &pixels[..4]);
            assert_eq!(backend.debug_errors(), 0, "{format:?}");
        }
    }
}

#[test]
fn the_first_row_uploaded_is_the_first_row_read() {
    for api in APIS {
        let mut backend = backend(api);
        let key = texture_keys(1)[0];
        texture(&mut backend, key, desc(TextureKind::TwoD, TextureFormat::Bgra, 2, 2));
        let texels = [
            0, 0, 255, 255, 0, 255, 0, 255, // red, green
            255, 0, 0, 255, 0, 0, 0, 0, // blue, nothing
        ];
        upload(&mut backend, key, (0, 0), TexelLayout::Bgra8, &texels);
        let (_, _, pixels) = read(&mut backend, level(key, 0, 0));
        let expected = [
            255, 0, 0, 255, 0, 255, 0, 255, // red, green
            0, 0, 255, 255, 0, 0, 0, 0, // blue, nothing
        ];
        assert_eq!(pixels, expected);
    }
}

#[test]
fn cube_faces_and_levels_are_kept_apart() {
    for api in APIS {
        let mut backend = backend(api);
        let key = texture_keys(1)[0];
        texture(&mut backend, key, desc(TextureKind::Cube, TextureFormat::Bgra, 2, 2));
        for side in 0..6u8 {
            for mip in 0..2u8 {
                let texels = [side * 20, mip * 100, 0, 255].repeat(if mip == 0 { 4 } else { 1 });
                upload(&mut backend, key, (side, mip), TexelLayout::Bgra8, &texels);
            }
        }
        for side in 0..6u8 {
            for mip in 0..2u8 {
                let (width, _, pixels) = read(&mut backend, level(key, side, mip));
                assert_eq!(width, 2 >> mip);
                assert_eq!(pixels[..4], [0, mip * 100, side * 20, 255]);
            }
        }
        assert_eq!(backend.debug_errors(), 0);
    }
}

#[test]
fn render_targets_start_at_zero_and_keep_their_content() {
    for api in APIS {
        for samples in [0, 4] {
            let mut backend = backend(api);
            configure(&mut backend, 32, 32, 0);
            let keys = texture_keys(2);
            texture(&mut backend, keys[0], desc(TextureKind::TwoD, TextureFormat::Bgra, 8, 4));
            texture(&mut backend, keys[1], desc(TextureKind::Cube, TextureFormat::Bgra, 8, 4));
            zero(&mut backend, keys[0], 1);
            zero(&mut backend, keys[1], 6);
            // A pass without a colour clear reads zeros, not uninitialized memory.
            let first = target(keys[0], 0, 8, samples);
            begin(&mut backend, first, None);
            let (_, _, pixels) = read(&mut backend, level(keys[0], 0, 0));
            assert!(pixels.iter().all(|byte| *byte == 0));
            run(&mut backend, Packet::EndPass { resolve: false });
            begin(&mut backend, first, Some(RED));
            end(&mut backend);
            // Only one face of the cube is drawn to; the other faces stay zero.
            begin(&mut backend, target(keys[1], 3, 8, samples), Some(GREEN));
            end(&mut backend);
            clear(&mut backend, GREEN);
            // A second pass without a clear keeps the red content.
            begin(&mut backend, first, None);
            let (_, _, pixels) = read(&mut backend, level(keys[0], 0, 0));
            assert!(pixels.chunks(4).all(|pixel| pixel == [255, 0, 0, 255]));
            let (_, _, pixels) = read(&mut backend, level(keys[1], 3, 0));
            assert!(pixels.chunks(4).all(|pixel| pixel == [0, 255, 0, 0]));
            let (_, _, pixels) = read(&mut backend, level(keys[1], 2, 0));
            assert!(pixels.iter().all(|byte| *byte == 0));
            end(&mut backend);
            let (key, side, levels) = (keys[0], 0, 0b1110);
            for level in 1..4 {
                run(&mut backend, Packet::ZeroLevel { key, side, level });
            }
            run(&mut backend, Packet::GenerateMips { key, side, levels });
            let (_, _, pixels) = read(&mut backend, level(keys[0], 0, 3));
            assert_eq!(pixels, [255, 0, 0, 255]);
            // An upload between two passes into one target is visible, and persists.
            upload(&mut backend, keys[0], (0, 0), TexelLayout::Bgra8, &[1, 2, 3, 4].repeat(64));
            begin(&mut backend, first, None);
            end(&mut backend);
            run(&mut backend, Packet::Present);
            let (_, _, pixels) = read(&mut backend, level(keys[0], 0, 0));
            assert!(pixels.chunks(4).all(|pixel| pixel == [3, 2, 1, 4]), "{:?}", &pixels[..4]);
            run(&mut backend, Packet::DisposeTexture(keys[0]));
            assert_eq!(read(&mut backend, level(keys[0], 0, 0)).0, 0);
            assert_eq!(backend.debug_errors(), 0);
        }
    }
}

/// A texture's unresolved samples are kept if another surface is read first. (Random calls have found a bug here.)
#[test]
fn a_look_at_the_back_buffer_leaves_samples_alone() {
    for api in APIS {
        let mut backend = backend(api);
        configure(&mut backend, 32, 32, 4);
        let key = texture_keys(1)[0];
        let shape = desc(TextureKind::TwoD, TextureFormat::Bgra, 2, 2);
        texture(&mut backend, key, shape);
        zero(&mut backend, key, 1);
        for (color, bytes) in [(RED, [255, 0, 0, 255]), (GREEN, [0, 255, 0, 0])] {
            begin(&mut backend, target(key, 0, 2, 4), Some(color));
            if color == RED {
                read(&mut backend, ReadSurface::BackBuffer);
            } else {
                backend.invalidate_state();
            }
            let pixels = read(&mut backend, level(key, 0, 0));
            assert_eq!(pixels, (2, 2, bytes.repeat(4)), "{api}");
            run(&mut backend, Packet::EndPass { resolve: false });
        }
        assert_eq!(backend.debug_errors(), 0);
    }
}

#[test]
fn targets_of_every_renderable_format() {
    for api in APIS {
        let mut backend = backend(api);
        let formats = [
            TextureFormat::BgrPacked565,
            TextureFormat::BgraPacked4444,
            TextureFormat::RgbaHalfFloat,
        ];
        for (format, key) in formats.into_iter().zip(texture_keys(3)) {
            if format == TextureFormat::RgbaHalfFloat && !backend.caps().half_float_targets {
                continue;
            }
            for samples in [0, 4] {
                texture(&mut backend, key, desc(TextureKind::TwoD, format, 8, 1));
                zero(&mut backend, key, 1);
                begin(&mut backend, target(key, 0, 8, samples), Some(RED));
                end(&mut backend);
                let (_, _, pixels) = read(&mut backend, level(key, 0, 0));
                assert!(pixels.chunks(4).all(|pixel| pixel == [255, 0, 0, 255]), "{format:?}");
                run(&mut backend, Packet::DisposeTexture(key));
                assert_eq!(backend.debug_errors(), 0, "{format:?}");
            }
        }
    }
}

/// The workarounds are correct even if this driver doesn't need them.
#[test]
fn texels_survive_every_workaround() {
    let cases: [(TextureFormat, TexelLayout, &[u8], [u8; 4]); 3] = [
        (TextureFormat::Bgra, TexelLayout::Bgra8, &[1, 2, 3, 4], [3, 2, 1, 4]),
        (TextureFormat::BgraPacked4444, TexelLayout::Bgra4444, &[0x34, 0x12], [34, 51, 68, 17]),
        (
            TextureFormat::RgbaHalfFloat,
            TexelLayout::RgbaHalf,
            &[0, 0x3C, 0, 0, 0, 0, 0, 0x3C],
            [255, 0, 0, 255],
        ),
    ];
    for api in [Api::OpenGl, Api::Gles] {
        let all = Workaround::all().fold(Workarounds::default(), |forced, row| {
            forced.force(row.name(), true).expect("its own name")
        });
        let mut options = OffscreenOptions::new(api);
        options.debug = true;
        options.device.workarounds = all;
        let offscreen =
            Offscreen::open_with(&options).expect("an EGL; harness/setup.sh installs one");
        let mut backend = offscreen.backend().expect("a backend");
        let mut keys = SlotMap::with_key();
        for (format, layout, texel, rgba) in cases {
            let texture = keys.insert(());
            let desc = TextureDesc {
                kind: TextureKind::TwoD,
                format,
                width: 1,
                height: 1,
                levels: 1,
                render_target: false,
            };
            let create = Packet::CreateTexture { key: texture, desc };
            assert_eq!(backend.execute(create), Ok(()));
            let upload = Packet::UploadTexture {
                key: texture,
                side: 0,
                level: 0,
                layout,
                data: Cow::Borrowed(texel),
            };
            assert_eq!(backend.execute(upload), Ok(()));
            let (side, level) = (0, 0);
            let surface = ReadSurface::Texture { texture, side, level };
            let mut pixel = Vec::new();
            assert_eq!(backend.read_pixels(surface, &mut pixel), Ok((1, 1)));
            assert_eq!(pixel, rgba, "{api}, {format:?}");
        }
        assert_eq!(backend.debug_errors(), 0);
    }
}

/// Returns texels that differ for every position and face.
fn pattern(salt: u8) -> Vec<u8> {
    (0..64u8).flat_map(|n| [n, 255 - n, n.wrapping_mul(7).wrapping_add(salt), 100 + n]).collect()
}

/// Samples that are loaded from textures equal the textures' content.
#[test]
fn multisampled_targets_keep_what_textures_held() {
    for api in APIS {
        let mut backend = backend(api);
        let keys = texture_keys(3);
        let kinds = [TextureKind::TwoD, TextureKind::Cube, TextureKind::Rectangle];
        for (key, kind) in keys.iter().zip(kinds) {
            texture(&mut backend, *key, desc(kind, TextureFormat::Bgra, 8, 1));
            for side in 0..kind.faces() {
                let texels = pattern(side * 40);
                upload(&mut backend, *key, (side, 0), TexelLayout::Bgra8, &texels);
            }
        }
        let attach = |n: usize, side| Some(ColorAttachment { texture: keys[n], side });
        let mut all = vec![[attach(0, 0), None, None, None]];
        all.extend((0..6).map(|side| [attach(1, side), None, None, None]));
        // Several outputs, with an unused one between them: each keeps its content.
        all.push([attach(2, 0), None, attach(1, 5), attach(1, 2)]);
        for color in all {
            let (width, height, samples) = (8, 8, 4);
            let target = TextureTarget { color, width, height, samples, depth_stencil: true };
            begin(&mut backend, RenderTarget::Textures(target), None);
            end(&mut backend);
            for attachment in color.iter().flatten() {
                let (_, _, mut pixels) =
                    read(&mut backend, level(attachment.texture, attachment.side, 0));
                pixels.as_chunks_mut::<4>().0.iter_mut().for_each(|pixel| pixel.swap(0, 2));
                assert_eq!(pixels, pattern(attachment.side * 40), "{api}, {attachment:?}");
            }
        }
        assert_eq!(backend.debug_errors(), 0, "{api}");
    }
}

/// Several targets in two backends of one device share their sample buffers: each target keeps its colour.
#[test]
fn multisampled_targets_take_turns() {
    for api in APIS {
        let device = open(api).device().expect("a device");
        let mut backends = [(); 2].map(|()| device.backend().expect("a backend"));
        let keys = texture_keys(70);
        let colour = |n: u8, b: u8| [f32::from(n) / 255.0, f32::from(b), 1.0, 1.0];
        for (n, key) in (0u8..).zip(&keys) {
            for (b, backend) in (0u8..).zip(&mut backends) {
                texture(backend, *key, desc(TextureKind::TwoD, TextureFormat::Bgra, 16, 1));
                zero(backend, *key, 1);
                begin(backend, target(*key, 0, 16, 4), Some(colour(n, b)));
                end(backend);
            }
        }
        for (n, key) in (0u8..).zip(&keys) {
            for (b, backend) in (0u8..).zip(&mut backends) {
                begin(backend, target(*key, 0, 16, 4), None);
                end(backend);
                let (_, _, pixels) = read(backend, level(*key, 0, 0));
                let expected = [n, 255 * b, 255, 255];
                assert!(pixels.chunks(4).all(|pixel| pixel == expected), "{api} {n} {b}");
                run(backend, Packet::DisposeTexture(*key));
            }
        }
        assert_eq!(backends[0].debug_errors(), 0);
    }
}
