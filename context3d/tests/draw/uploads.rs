//! Packets of uploads: whole mip levels, and parts of buffers.

use context3d::arguments::Bitmap;
use context3d::enums::{BufferUsage, TextureFormat, VertexFormat};
use context3d::keys::TextureKey;
use context3d::packets::{Packet, TexelLayout};
use context3d::{Error, Invocation, ObjectHandle, Profile, Reply};

use crate::common::{Rig, legal};

/// Returns side, level, layout and texels of the only upload since the last call.
#[track_caller]
fn texels(rig: &mut Rig) -> (u8, u8, TexelLayout, Vec<u8>) {
    let packets = rig.packets();
    match packets.as_slice() {
        [Packet::UploadTexture { side, level, layout, data, .. }] => {
            (*side, *level, *layout, data.to_vec())
        }
        other => panic!("{other:?}"),
    }
}

fn bitmap(width: u32, height: u32, bgra: &[u8]) -> Bitmap<'_> {
    Bitmap {
        width,
        height,
        transparent: true,
        layout: context3d::arguments::PixelLayout::default(),
        pixels: Some(bgra),
    }
}

#[track_caller]
fn upload(rig: &mut Rig, texture: ObjectHandle<TextureKey>, bitmap: Bitmap<'_>) -> Vec<u8> {
    rig.packets();
    legal(rig.context.texture_upload_from_bitmap_data(texture, Some(bitmap), None, 0));
    texels(rig).3
}

/// [context3d.upload.smaller_bitmap] [context3d.upload.smaller_alpha] [context3d.upload.larger_bitmap]
#[test]
fn a_bitmap_of_another_size() {
    let mut rig = Rig::baseline();
    let texture = legal(rig.context.create_texture(4, 2, TextureFormat::Bgra, false, 0));
    // A smaller bitmap fills the upper left corner; the rest is black with alpha 0, as in an image of Flash Player.
    let texels = upload(&mut rig, texture, bitmap(2, 1, &[1, 2, 3, 4, 5, 6, 7, 8]));
    let mut expected = vec![1, 2, 3, 4, 5, 6, 7, 8];
    expected.resize(32, 0);
    assert_eq!(texels, expected);
    // A bitmap that is larger than the texture is cropped.
    let numbers: Vec<u8> = (0..5 * 3 * 4).collect();
    let texels = upload(&mut rig, texture, bitmap(5, 3, &numbers));
    assert_eq!(texels[..16], numbers[..16]);
    assert_eq!(texels[16..], numbers[20..36]);
    // A bitmap of the texture's size is uploaded unchanged.
    let texels = upload(&mut rig, texture, bitmap(4, 2, &numbers[..32]));
    assert_eq!(texels, numbers[..32]);
}

#[test]
fn a_bitmap_in_another_format() {
    let mut rig = Rig::new(Profile::Standard, 50);
    // B, G, R, A of one pixel.
    let pixel = [0x08, 0x84, 0xff, 0x30];
    let mut packed = |format| {
        let texture = rig.target(1, format);
        rig.packets();
        let uploaded = rig.context.texture_upload_from_bitmap_data(
            texture,
            Some(bitmap(1, 1, &pixel)),
            None,
            0,
        );
        legal(uploaded);
        texels(&mut rig)
    };
    let (_, _, layout, data) = packed(TextureFormat::BgrPacked565);
    assert_eq!(layout, TexelLayout::Bgr565);
    assert_eq!(data, (0x1f << 11 | 0x21 << 5 | 1u16).to_le_bytes());
    let (_, _, layout, data) = packed(TextureFormat::BgraPacked4444);
    assert_eq!(layout, TexelLayout::Bgra4444);
    assert_eq!(data, 0x3f80u16.to_le_bytes());
    let (_, _, layout, data) = packed(TextureFormat::RgbaHalfFloat);
    assert_eq!((layout, data.len()), (TexelLayout::RgbaHalf, 8));
    assert_eq!(data[..2], 0x3c00u16.to_le_bytes());
}

/// A compressed texture uses the memory that Flash counts for it. [context3d.format.compression]
/// [context3d.compression.quality] [context3d.limit.texture_bytes]
#[test]
fn compressed_textures_hold_blocks() {
    let pixels: Vec<u8> = (0u8..=255).cycle().take(40 * 24 * 4).collect();
    let formats = [
        (TextureFormat::Compressed, TexelLayout::Dxt1, 8),
        (TextureFormat::CompressedAlpha, TexelLayout::Dxt5, 16),
    ];
    for (format, expected, block) in formats {
        let mut rig = Rig::baseline();
        let texture = rig.target(64, format);
        rig.packets();
        legal(rig.context.texture_upload_from_byte_array(
            texture,
            Some(&[9; 64 * 64 * 4]),
            0,
            None,
            0,
        ));
        let (_, _, layout, data) = texels(&mut rig);
        assert_eq!((layout, data.len()), (expected, 16 * 16 * block));
        // A bitmap that is smaller than the level is encoded like the bitmap padded with zeros.
        let small = upload(&mut rig, texture, bitmap(40, 24, &pixels));
        let mut level = Vec::new();
        for row in pixels.chunks_exact(40 * 4) {
            level.extend_from_slice(row);
            level.resize(level.len() + 24 * 4, 0);
        }
        level.resize(64 * 64 * 4, 0);
        legal(rig.context.texture_upload_from_byte_array(texture, Some(&level), 0, None, 0));
        assert!(small == texels(&mut rig).3);
    }
}

/// The alpha of an opaque BitmapData is always 1.
/// [context3d.upload.opaque_bitmap]
#[test]
fn an_opaque_bitmap_has_no_alpha() {
    let mut rig = Rig::new(Profile::Standard, 50);
    let pixels = [1, 2, 3, 0, 4, 5, 6, 7];
    let opaque = |width| Bitmap { transparent: false, ..bitmap(width, 2 / width, &pixels) };
    let texture = legal(rig.context.create_texture(2, 1, TextureFormat::Bgra, false, 0));
    let expected = [1, 2, 3, 255, 4, 5, 6, 255];
    assert_eq!(upload(&mut rig, texture, opaque(2)), expected);
    // The texels outside the bitmap stay black with alpha 0.
    let expected = [1, 2, 3, 255, 0, 0, 0, 0];
    assert_eq!(upload(&mut rig, texture, opaque(1)), expected);
    let packed = legal(rig.context.create_texture(2, 1, TextureFormat::BgraPacked4444, false, 0));
    let texels = upload(&mut rig, packed, opaque(2));
    assert_eq!([texels[1] >> 4, texels[3] >> 4], [0xf, 0xf]);
    let video = legal(rig.context.create_video_texture()).expect("the host has video");
    rig.packets();
    for transparent in [false, true] {
        let source = Bitmap { transparent, ..opaque(2) };
        legal(rig.context.video_texture_frame(video, source));
        let shown = rig.packets().into_iter().find_map(|packet| match packet {
            Packet::UploadTexture { data, .. } => Some(data.into_owned()),
            _ => None,
        });
        let expected = if transparent { pixels } else { [1, 2, 3, 255, 4, 5, 6, 255] };
        assert_eq!(shown.as_deref(), Some(&expected[..]));
    }
}

/// [context3d.upload.bytes] [context3d.upload.parameters]
#[test]
fn bytes_from_an_offset_into_a_level_of_a_side() {
    let mut rig = Rig::baseline();
    let cube = legal(rig.context.create_cube_texture(4, TextureFormat::BgrPacked565, false, 0));
    rig.packets();
    let data: Vec<u8> = (0..20).collect();
    legal(rig.context.execute(&Invocation::TextureUploadFromByteArray {
        texture: cube,
        data: Some(&data),
        byte_array_offset: 3,
        side: Some(5),
        miplevel: 1,
    }));
    let expected = (5, 1, TexelLayout::Bgr565, data[3..11].to_vec());
    assert_eq!(texels(&mut rig), expected);
}

#[test]
fn parts_of_buffers() {
    let mut rig = Rig::baseline();
    let data: Vec<u8> = (0..40).collect();
    legal(rig.context.execute(&Invocation::VertexBufferUploadFromByteArray {
        buffer: rig.vertices,
        data: Some(&data),
        byte_array_offset: 4,
        start_vertex: 2,
        num_vertices: 2,
    }));
    let packets = rig.packets();
    let [Packet::UploadVertexBuffer { offset, data: sent, .. }] = packets.as_slice() else {
        panic!("{packets:?}")
    };
    assert_eq!((*offset, &sent[..]), (32, &data[4..36]));

    let numbers = [1.5, -2.0, 0.0, f64::MAX];
    legal(rig.context.vertex_buffer_upload_from_vector(rig.vertices, Some(&numbers), 3, 1));
    let packets = rig.packets();
    let [Packet::UploadVertexBuffer { offset, data: sent, .. }] = packets.as_slice() else {
        panic!("{packets:?}")
    };
    let expected: Vec<u8> =
        [1.5f32, -2.0, 0.0, f32::INFINITY].iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!((*offset, &sent[..]), (48, &expected[..]));

    // The elements of a `Vector.<float>` keep their bits.
    let floats = [1.5, f32::from_bits(0x7F80_0001), -0.0, f32::MAX, 9.0];
    legal(rig.context.vertex_buffer_upload_from_float_vector(rig.vertices, Some(&floats), 1, 1));
    let packets = rig.packets();
    let [Packet::UploadVertexBuffer { offset, data: sent, .. }] = packets.as_slice() else {
        panic!("{packets:?}")
    };
    let expected: Vec<u8> = floats.iter().flat_map(|value| value.to_le_bytes()).collect();
    assert_eq!((*offset, &sent[..]), (16, &expected[..16]));
    let short =
        rig.context.vertex_buffer_upload_from_float_vector(rig.vertices, Some(&floats), 0, 2);
    assert!(matches!(short, Err(Error::Flash(error)) if error.number() == 3669));

    legal(rig.context.execute(&Invocation::IndexBufferUploadFromByteArray {
        buffer: rig.indices,
        data: Some(&[9, 3, 0, 2, 0, 9]),
        byte_array_offset: 1,
        start_offset: 4,
        count: 2,
    }));
    let packets = rig.packets();
    let [Packet::UploadIndexBuffer { offset, data: sent, .. }] = packets.as_slice() else {
        panic!("{packets:?}")
    };
    assert_eq!((*offset, &sent[..]), (8, &[3, 0, 2, 0][..]));
    // An empty upload sends no packet.
    legal(rig.context.index_buffer_upload_from_vector(rig.indices, Some(&[]), 6, 0));
    assert_eq!(rig.packets(), []);
}

/// Uploads reuse the buffer in which vector elements are converted.
#[test]
fn vectors_of_any_length_follow_each_other() {
    let mut rig = Rig::baseline();
    let vertices = legal(rig.context.create_vertex_buffer(100, 1, BufferUsage::StaticDraw));
    let indices = legal(rig.context.create_index_buffer(100, BufferUsage::StaticDraw));
    rig.packets();
    for count in [100u16, 1, 17, 15, 33, 16, 2, 64] {
        let numbers: Vec<u16> = (0..count).map(|n| n * 7 + count).collect();
        let wide: Vec<f64> = numbers.iter().copied().map(f64::from).collect();
        let long: Vec<u32> = numbers.iter().copied().map(u32::from).collect();
        let count = i32::from(count);
        legal(rig.context.vertex_buffer_upload_from_vector(vertices, Some(&wide), 0, count));
        legal(rig.context.index_buffer_upload_from_vector(indices, Some(&long), 0, count));
        let packets = rig.packets();
        let [
            Packet::UploadVertexBuffer { data: floats, .. },
            Packet::UploadIndexBuffer { data: shorts, .. },
        ] = packets.as_slice()
        else {
            panic!("{packets:?}")
        };
        let expected: Vec<u8> =
            numbers.iter().flat_map(|number| f32::from(*number).to_le_bytes()).collect();
        assert_eq!(floats[..], expected, "{count}");
        let expected: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        assert_eq!(shorts[..expected.len()], expected, "{count}");
    }
}

/// Index uploads replace whole 32-bit units, in which the other indices keep their values.
#[test]
fn index_uploads_are_whole_units() {
    let mut rig = Rig::baseline();
    rig.packets();
    let indices = legal(rig.context.create_index_buffer(7, BufferUsage::StaticDraw));
    let Some(Packet::CreateIndexBuffer { bytes: 16, .. }) = rig.packets().pop() else {
        panic!("not whole units")
    };
    let (mut stored, mut expected) = ([0u8; 16], [0u16; 8]);
    let uploads: [(usize, &[u32]); 5] =
        [(0, &[1, 2, 3]), (3, &[4]), (6, &[7]), (1, &[8, 9, 10, 11]), (5, &[12, 13])];
    for (start, new) in uploads {
        let (first, count) = (i32::try_from(start), i32::try_from(new.len()));
        let (first, count) = (first.expect("small"), count.expect("small"));
        legal(rig.context.index_buffer_upload_from_vector(indices, Some(new), first, count));
        for (to, from) in expected[start..].iter_mut().zip(new) {
            *to = u16::try_from(*from).expect("small");
        }
        let Some(Packet::UploadIndexBuffer { offset, data, .. }) = rig.packets().pop() else {
            panic!("not uploaded")
        };
        assert!(offset.is_multiple_of(4) && data.len().is_multiple_of(4), "{start}");
        stored[offset as usize..][..data.len()].copy_from_slice(&data);
        let expected: Vec<u8> = expected.iter().flat_map(|index| index.to_le_bytes()).collect();
        assert_eq!(stored[..], expected, "{start}");
    }
}

/// If a device advances streams with every instance, each element is repeated for its instances.
#[test]
fn elements_for_several_instances_are_repeated() {
    let mut rig = Rig::with_caps(Profile::StandardExtended, |caps| caps.max_instance_step = 1);
    rig.packets();
    let usage = BufferUsage::StaticDraw;
    let buffer = legal(rig.context.create_vertex_buffer_for_instances(3, 1, 2, usage));
    let data = [5.0, 6.0];
    legal(rig.context.vertex_buffer_upload_from_vector(buffer, Some(&data), 1, 2));
    let packets = rig.packets();
    let [
        Packet::CreateVertexBuffer { bytes: 24, .. },
        Packet::UploadVertexBuffer { offset: 8, data, .. },
    ] = packets.as_slice()
    else {
        panic!("{packets:?}")
    };
    let expected = [5.0f32, 5.0, 6.0, 6.0].map(f32::to_le_bytes);
    assert_eq!(data[..], expected.concat());
    rig.use_program(("add op, va0, va1", "mov oc, fc0"), 1);
    legal(rig.context.set_vertex_buffer_at(1, Some(buffer), 0, VertexFormat::Float1));
    assert_eq!(rig.drawn().streams[1].map(|stream| (stream.stride, stream.divisor)), Some((4, 1)));
    for (instances, enough) in [(6, true), (7, false)] {
        let indices = Some(rig.indices);
        let drawn = rig.context.draw_triangles_instanced(indices, instances, 0, -1);
        assert_eq!(drawn == Ok(Reply::Done), enough, "{instances}");
    }
    let before = rig.context.total_gpu_memory();
    let most = rig.context.create_vertex_buffer_for_instances(3, 1, i32::MAX, usage);
    assert!(matches!(most, Err(Error::Unsupported(_))));
    assert_eq!(rig.context.total_gpu_memory(), before);
}

/// [context3d.property.memory]
#[test]
fn memory_follows_what_lives() {
    let mut rig = Rig::baseline();
    let before = rig.context.total_gpu_memory();
    let buffer = legal(rig.context.create_vertex_buffer(10, 3, BufferUsage::StaticDraw));
    let indices = legal(rig.context.create_index_buffer(7, BufferUsage::StaticDraw));
    // Mip-mapped textures count 1.5 times level 0 [context3d.property.memory_mips]; rectangle textures have no mips.
    let texture = legal(rig.context.create_texture(8, 4, TextureFormat::Bgra, false, 0));
    let compressed = legal(rig.context.create_texture(4, 4, TextureFormat::Compressed, false, 0));
    let rectangle = legal(rig.context.create_rectangle_texture(3, 5, TextureFormat::Bgra, false));
    let expected = before + 120 + 14 + 32 * 6 + 8 * 3 / 2 + 3 * 5 * 4;
    assert_eq!(rig.context.total_gpu_memory(), expected);
    legal(rig.context.vertex_buffer_dispose(buffer));
    legal(rig.context.index_buffer_dispose(indices));
    legal(rig.context.texture_dispose(texture));
    legal(rig.context.texture_dispose(compressed));
    legal(rig.context.texture_dispose(rectangle));
    assert_eq!(rig.context.total_gpu_memory(), before);
}

/// "4096² BGRA is 100,663,296 bytes at creation" [context3d.property.memory_mips].
#[test]
fn memory_of_a_large_texture() {
    let mut rig = Rig::new(Profile::Standard, 50);
    let before = rig.context.total_gpu_memory();
    let side = 4096;
    legal(rig.context.create_texture(side, side, TextureFormat::Bgra, false, 0));
    assert_eq!(rig.context.total_gpu_memory() - before, 100_663_296);
}

/// If a device lacks block compression, `totalGPUMemory` counts the additional memory of uncompressed texels only once.
/// [context3d.limit.uncompressed]
#[test]
fn texels_that_blocks_become_are_counted() {
    let mut rig = Rig::with_caps(Profile::Standard, |caps| (caps.s3tc, caps.etc2) = (false, false));
    let texture = |rig: &mut Rig| rig.target(4096, TextureFormat::Compressed);
    let pixel = bitmap(1, 1, &[1, 2, 3, 4]);
    let before = rig.context.total_gpu_memory();
    let first = texture(&mut rig);
    let counted = rig.context.total_gpu_memory();
    for _ in 0..2 {
        upload(&mut rig, first, pixel);
        // The uncompressed texels of level 0 take eight times as much memory as its blocks.
        assert_eq!(rig.context.total_gpu_memory(), counted + (56 << 20));
    }
    legal(rig.context.texture_dispose(first));
    assert_eq!(rig.context.total_gpu_memory(), before);
    let mut full = 0;
    for _ in 0..45 {
        let texture = texture(&mut rig);
        let uploaded = rig.context.texture_upload_from_bitmap_data(texture, Some(pixel), None, 0);
        rig.packets();
        match uploaded {
            Ok(()) => full += 1,
            Err(context3d::Error::Flash(error)) => {
                assert_eq!(error.number(), 3691);
                break;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(full, 7);
}

/// Bitmaps with another byte order, straight alpha or padded rows are converted to Flash's layout.
/// [context3d.format.premultiplied]
#[test]
fn bitmaps_in_a_host_s_layout() {
    let mut rig = Rig::baseline();
    let texture = legal(rig.context.create_texture(2, 2, TextureFormat::Bgra, false, 0));
    let layout = context3d::arguments::PixelLayout {
        order: context3d::arguments::ByteOrder::Rgba,
        straight_alpha: true,
        stride: Some(12),
    };
    let host =
        [[255, 0, 0, 255, 0, 255, 0, 128, 9, 9, 9, 9], [1, 2, 3, 0, 10, 20, 30, 255, 9, 9, 9, 9]]
            .concat();
    let bitmap =
        |pixels| Bitmap { width: 2, height: 2, transparent: true, pixels: Some(pixels), layout };
    rig.packets();
    let upload = |rig: &mut Rig, pixels| {
        rig.context.texture_upload_from_bitmap_data(texture, Some(bitmap(pixels)), None, 0)
    };
    // The last row may lack its padding.
    legal(upload(&mut rig, &host[..20]));
    let expected = [[0, 0, 255, 255, 0, 128, 0, 128], [0, 0, 0, 0, 30, 20, 10, 255]].concat();
    let packets = rig.packets();
    let Some(Packet::UploadTexture { data, .. }) = packets.last() else { panic!("{packets:?}") };
    assert_eq!(**data, *expected);
    let short = upload(&mut rig, &host[..19]);
    assert!(matches!(short, Err(Error::Flash(error)) if error.number() == 2015));
}
