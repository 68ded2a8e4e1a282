//! Tests readback of regions of every type of surface.

use std::borrow::Cow;

use crate::common::{APIS, backend};
use backend_gl::GlBackend;
use context3d::backend::{Backend as _, ReadSurface, Region};
use context3d::enums::TextureFormat;
use context3d::keys::TextureKey;
use context3d::packets::{
    BackBufferDesc, Clear, Packet, PassStart, RenderTarget, TexelLayout, TextureDesc, TextureKind,
};
use slotmap::SlotMap;

const SIDE: u32 = 8;

fn run(backend: &mut GlBackend, packet: Packet<'_>) {
    assert_eq!(backend.execute(packet), Ok(()));
}

/// Creates a texture whose texels all differ.
fn texture(backend: &mut GlBackend, key: TextureKey, format: TextureFormat, layout: TexelLayout) {
    let desc = TextureDesc {
        kind: TextureKind::TwoD,
        format,
        width: SIDE,
        height: SIDE,
        levels: 1,
        render_target: true,
    };
    run(backend, Packet::CreateTexture { key, desc });
    let bytes = (0..layout.bytes(SIDE, SIDE)).map(|n| u8::try_from(n * 37 % 48).expect("small"));
    let upload =
        Packet::UploadTexture { key, side: 0, level: 0, layout, data: Cow::Owned(bytes.collect()) };
    run(backend, upload);
}

fn read(backend: &mut GlBackend, surface: ReadSurface, region: Region) -> ((u32, u32), Vec<u8>) {
    let mut pixels = vec![1];
    let size = backend.read_region(surface, region, &mut pixels);
    (size.expect("it can be read"), pixels)
}

/// Checks that every region equals the corresponding part of the whole image.
fn compare(backend: &mut GlBackend, surface: ReadSurface, what: &str) {
    let (size, all) = read(backend, surface, Region::ALL);
    assert_eq!(size, (SIDE, SIDE), "{what}");
    let mut whole = Vec::new();
    assert_eq!(backend.read_pixels(surface, &mut whole), Ok(size), "{what}");
    assert_eq!(whole, all, "{what}");
    for [x, y, width, height] in [
        [0, 0, 1, 1],
        [3, 5, 2, 1],
        [5, 6, 90, 90],
        [2, 2, 0, 3],
        [8, 0, 1, 1],
        [u32::MAX, u32::MAX, u32::MAX, 1],
    ] {
        let region = Region { x, y, width, height };
        let inside = region.within(size);
        let rows = all.chunks_exact(SIDE as usize * 4);
        let rows = rows.skip(inside.y as usize).take(inside.height as usize);
        let row = inside.x as usize * 4..(inside.x + inside.width) as usize * 4;
        let expected: Vec<u8> = rows.flat_map(|pixels| &pixels[row.clone()]).copied().collect();
        let read = read(backend, surface, region);
        assert_eq!(read.0, (inside.width, inside.height), "{what}, {region:?}");
        assert_eq!(read.1, expected, "{what}, {region:?}");
    }
}

fn configure(backend: &mut GlBackend, samples: u8) {
    run(
        backend,
        Packet::ConfigureBackBuffer(BackBufferDesc {
            width: SIDE,
            height: SIDE,
            samples,
            depth_stencil: false,
        }),
    );
}

#[test]
fn a_region_is_a_part_of_the_picture() {
    for api in APIS {
        let mut backend = backend(api);
        let mut keys: SlotMap<TextureKey, ()> = SlotMap::with_key();
        for (format, layout) in [
            (TextureFormat::Bgra, TexelLayout::Bgra8),
            (TextureFormat::BgrPacked565, TexelLayout::Bgr565),
            (TextureFormat::RgbaHalfFloat, TexelLayout::RgbaHalf),
            (TextureFormat::CompressedAlpha, TexelLayout::Dxt5),
        ] {
            if !backend.caps().supports(layout) {
                continue;
            }
            let key = keys.insert(());
            texture(&mut backend, key, format, layout);
            let (side, level) = (0, 0);
            let surface = ReadSurface::Texture { texture: key, side, level };
            compare(&mut backend, surface, &format!("{api}, {format:?}"));
        }
        assert_eq!(backend.debug_errors(), 0, "{api}");
    }
}

/// A read of a multisampled back buffer sees the latest draws, regardless of the regions of earlier reads.
#[test]
fn samples_are_resolved_where_they_are_read() {
    for api in APIS {
        for samples in [0, 4] {
            let mut backend = backend(api);
            configure(&mut backend, samples);
            for color in [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]] {
                let (depth, stencil) = (None, None);
                let color = Some(color);
                let (target, clear) = (RenderTarget::BackBuffer, Clear { color, depth, stencil });
                run(
                    &mut backend,
                    Packet::BeginPass(PassStart { target, load_samples: false, clear }),
                );
                let corner = Region { x: 6, y: 6, width: 1, height: 1 };
                let expected = color
                    .map_or([0; 4], |color| color.map(|part| if part > 0.5 { 255 } else { 0 }));
                let (_, pixel) = read(&mut backend, ReadSurface::BackBuffer, corner);
                assert_eq!(pixel, expected, "{api}, {samples}");
                let (_, all) = read(&mut backend, ReadSurface::BackBuffer, Region::ALL);
                assert!(all.chunks(4).all(|pixel| pixel == expected));
                run(&mut backend, Packet::EndPass { resolve: false });
            }
            run(&mut backend, Packet::Present);
            compare(&mut backend, ReadSurface::Front, "what was presented");
            compare(&mut backend, ReadSurface::BackBuffer, "the back buffer");
            assert_eq!(backend.debug_errors(), 0, "{api}");
        }
    }
}
