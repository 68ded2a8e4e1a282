//! Tests that a call has the same result with the recorded part of an array, vector or bitmap as with all data.

use std::io::Cursor;

use super::header;
use context3d::arguments::{Bitmap, ByteOrder, PixelLayout};
use context3d::backend::NullBackend;
use context3d::enums::{BufferUsage, EnumArg, ProgramType, TextureFormat};
use context3d::{Context3D, ContextOptions, Error, Invocation, Profile, Reply};

use molehill_capture::commands::{Ids, ReplayObject, Resolver, command as command_of};
use molehill_capture::{CallLine, CaptureReader, CaptureRecord, CaptureRecorder, Form};

const USAGE: EnumArg<'_, BufferUsage> = EnumArg::Is(BufferUsage::StaticDraw);

/// Creates an object in a new context.
fn created(command: &Invocation<'_>) -> (Context3D<NullBackend>, Reply) {
    let options = ContextOptions { profile: Profile::Standard, swf_version: 40 };
    let mut context = Context3D::new(NullBackend::new(), options);
    let reply = context.execute(command).unwrap();
    (context, reply)
}

/// Returns the array argument of a command, and its offset.
fn array<'a>(command: &Invocation<'a>) -> (Option<&'a [u8]>, i64) {
    match *command {
        Invocation::VertexBufferUploadFromByteArray { data, byte_array_offset, .. }
        | Invocation::IndexBufferUploadFromByteArray { data, byte_array_offset, .. } => {
            (data, byte_array_offset.into())
        }
        Invocation::TextureUploadFromByteArray { data, byte_array_offset, .. }
        | Invocation::TextureUploadFromByteArrayAsync { data, byte_array_offset, .. }
        | Invocation::TextureUploadCompressedFromByteArray { data, byte_array_offset, .. }
        | Invocation::SetProgramConstantsFromByteArray { data, byte_array_offset, .. } => {
            (data, byte_array_offset.into())
        }
        _ => panic!("no array: {command:?}"),
    }
}

/// Executes a command and its recorded form in two contexts, whose results and backend data must be equal. Returns the
/// recorded call.
fn replayed<'a>(
    create: &Invocation<'_>,
    upload: impl Fn(&Reply) -> Invocation<'a>,
) -> (CallLine, Result<Reply, Error>) {
    let [(mut whole, object), (mut part, copy)] = [created(create), created(create)];
    let command = upload(&object);
    let expected = whole.execute(&command);
    let mut recorder = CaptureRecorder::with_form(Vec::new(), &header(), Form::Binary, u64::MAX);
    let context = recorder.context(0, "auto", Profile::Standard);
    recorder.call(context, create, &Ok(object));
    recorder.call(context, &command, &expected);
    let reader = CaptureReader::seekable(Cursor::new(recorder.finish().unwrap())).unwrap();
    let Some(CaptureRecord::Call(line)) = reader.map(|item| item.unwrap().1).last() else {
        panic!("a call");
    };
    let (mut ids, receiver) = (Ids::default(), ReplayObject::created(0, &copy).unwrap());
    ids.insert(line.on, receiver);
    let resolver = Resolver::new(&ids);
    let cut = command_of(&line.call, &receiver, &resolver).unwrap();
    assert_eq!(part.execute(&cut), expected, "{command:?}\n{cut:?}");
    assert_eq!(
        format!("{:?}", part.take_texture_event().map(|event| event.error)),
        format!("{:?}", whole.take_texture_event().map(|event| event.error)),
        "{command:?}"
    );
    assert!(part.backend().packets() == whole.backend().packets(), "{command:?}\n{cut:?}");
    (line, expected)
}

/// Checks with [`replayed`] that the recorded array is a part of the command's array. Returns the number of stored
/// bytes.
fn same_result<'a>(create: &Invocation<'_>, upload: impl Fn(&Reply) -> Invocation<'a>) -> usize {
    let (_, object) = created(create);
    let (line, expected) = replayed(create, &upload);
    let (ids, receiver) = (Ids::default(), ReplayObject::created(0, &object).unwrap());
    let resolver = Resolver::new(&ids);
    let cut = command_of(&line.call, &receiver, &resolver).unwrap();
    let ((Some(all), from), (Some(kept), offset)) = (array(&upload(&object)), array(&cut)) else {
        return 0;
    };
    if expected.is_ok() {
        assert_eq!(offset, 0);
        assert!(all[usize::try_from(from).unwrap()..].starts_with(kept));
    }
    kept.len()
}

#[test]
fn a_call_on_a_part_of_an_array_has_the_same_result() {
    let bytes: Vec<u8> = (0..=255).collect();
    // A buffer of three vertices, a buffer of six indices, a texture of 4 × 2 texels and a 4 × 4 cube.
    let creations = [
        Invocation::CreateVertexBuffer {
            num_vertices: 3,
            data32_per_vertex: 2,
            buffer_usage: USAGE,
        },
        Invocation::CreateIndexBuffer { num_indices: 6, buffer_usage: USAGE },
        Invocation::CreateTexture {
            width: 4,
            height: 2,
            format: EnumArg::Is(TextureFormat::BgrPacked565),
            optimize_for_render_to_texture: false,
            streaming_levels: 0,
        },
        Invocation::CreateCubeTexture {
            size: 4,
            format: EnumArg::Is(TextureFormat::Compressed),
            optimize_for_render_to_texture: false,
            streaming_levels: 0,
        },
    ];
    for create in &creations {
        // No upload of an object in `creations` reads more than 24 bytes, so all longer arrays and larger offsets
        // behave alike.
        for length in (0..54).chain([64, 65, 90, bytes.len()]) {
            let offsets = (-1..26).chain([40, 63, 64, 69]);
            for (offset, count) in
                offsets.flat_map(|offset| (-1..7).map(move |count| (offset, count)))
            {
                let data = bytes.get(..length);
                let unsigned = u32::try_from(offset).unwrap_or(u32::MAX);
                let kept = same_result(create, |object| match *object {
                    Reply::VertexBuffer(buffer) => Invocation::VertexBufferUploadFromByteArray {
                        buffer,
                        data,
                        byte_array_offset: offset,
                        start_vertex: 0,
                        num_vertices: count,
                    },
                    Reply::IndexBuffer(buffer) => Invocation::IndexBufferUploadFromByteArray {
                        buffer,
                        data,
                        byte_array_offset: offset,
                        start_offset: 0,
                        count,
                    },
                    Reply::Texture(texture) if count == 6 => {
                        Invocation::TextureUploadFromByteArrayAsync {
                            texture,
                            data,
                            byte_array_offset: unsigned,
                            side: Some(0),
                            miplevel: 0,
                        }
                    }
                    Reply::Texture(texture) => Invocation::TextureUploadFromByteArray {
                        texture,
                        data,
                        byte_array_offset: unsigned,
                        side: Some(0),
                        miplevel: u32::try_from(count).unwrap_or(40),
                    },
                    _ => panic!("{object:?}"),
                });
                assert!(kept <= 64, "{kept} bytes of {create:?}");
                same_result(create, |_| Invocation::SetProgramConstantsFromByteArray {
                    program_type: EnumArg::Is(ProgramType::Vertex),
                    first_register: 126,
                    num_registers: count,
                    data,
                    byte_array_offset: unsigned,
                });
            }
        }
    }
}

#[test]
fn an_atf_file_within_an_archive_has_the_same_result() {
    for sample in molehill_testing::atf_files::samples(false, (3, 3), 4) {
        let file = sample.bytes();
        let format = atf::AtfHeader::read(&file).unwrap().format.texture();
        let create = Invocation::CreateTexture {
            width: 8,
            height: 8,
            format: EnumArg::Is(format.into()),
            optimize_for_render_to_texture: false,
            streaming_levels: 0,
        };
        // The file is whole, damaged in any byte, or truncated, and lies within an archive of a megabyte or at its end.
        let damaged = (0..file.len()).map(|at| {
            let mut file = file.clone();
            file[at] ^= 0x15;
            file
        });
        let short = (0..file.len()).map(|length| file[..length].to_vec());
        for (index, file) in damaged.chain(short).chain([file.clone()]).enumerate() {
            let rest = if index % 2 == 0 { 0 } else { 1 << 12 };
            let archive = [vec![7; 1000], file, vec![9; rest]].concat();
            for is_async in [false, true] {
                same_result(&create, |object| {
                    let Reply::Texture(texture) = *object else { panic!("{object:?}") };
                    Invocation::TextureUploadCompressedFromByteArray {
                        texture,
                        data: Some(&archive),
                        byte_array_offset: 1000,
                        is_async,
                    }
                });
            }
        }
        let archive = [vec![7; 1000], file.clone(), vec![9; 1 << 20]].concat();
        let kept = same_result(&create, |object| {
            let Reply::Texture(texture) = *object else { panic!("{object:?}") };
            Invocation::TextureUploadCompressedFromByteArray {
                texture,
                data: Some(&archive),
                byte_array_offset: 1000,
                is_async: false,
            }
        });
        assert!(kept == file.len() || kept > 1 << 20, "{kept}");
    }
}

/// Tests one bitmap that is used for every mip level, and vectors that are longer than the call needs.
#[test]
fn a_call_on_a_part_of_a_bitmap_or_a_vector_has_the_same_result() {
    let bytes: Vec<u8> = (0..=255).collect();
    let square = |format| Invocation::CreateTexture {
        width: 8,
        height: 4,
        format: EnumArg::Is(format),
        optimize_for_render_to_texture: false,
        streaming_levels: 0,
    };
    let stored = |line: &CallLine| line.call.bytes();
    for create in [square(TextureFormat::Bgra), square(TextureFormat::BgrPacked565)] {
        for (width, height, stride) in [
            (8, 4, None),
            (8, 8, None),
            (3, 2, None),
            (7, 7, Some(36)),
            (2, 16, Some(8)),
            (9, 9, None),
        ] {
            for (miplevel, is_async) in (0..6).flat_map(|level| [(level, false), (level, true)]) {
                let layout = PixelLayout { order: ByteOrder::Rgba, straight_alpha: true, stride };
                let pixels = Some(&bytes[..]).filter(|_| stride.is_some());
                let pixels = pixels.or(bytes.get(..(width * height * 4) as usize));
                let transparent = miplevel % 2 == 0;
                let source = Some(Bitmap { width, height, transparent, pixels, layout });
                let (line, result) = replayed(&create, |object| {
                    let Reply::Texture(texture) = *object else { panic!("{object:?}") };
                    let side = Some(0);
                    match is_async {
                        true => Invocation::TextureUploadFromBitmapDataAsync {
                            texture,
                            source,
                            side,
                            miplevel,
                        },
                        false => Invocation::TextureUploadFromBitmapData {
                            texture,
                            source,
                            side,
                            miplevel,
                        },
                    }
                });
                let level = |side: u32| (side >> miplevel).max(1);
                if result.is_ok() {
                    let most = level(8).min(width) * level(4).min(height) * 4;
                    assert_eq!(stored(&line), most as usize, "{width}×{height}, {miplevel}");
                }
            }
        }
    }
    let (numbers, floats) = ([0.5; 64], [0.5; 64]);
    let indices = [1; 64];
    for count in -2..9 {
        let vertices = Invocation::CreateVertexBuffer {
            num_vertices: 6,
            data32_per_vertex: 2,
            buffer_usage: USAGE,
        };
        let elements = usize::try_from(count).unwrap_or(0);
        for length in [0, 1, 12, 64] {
            let kept = |per: usize| (elements * per).min(length);
            let (line, _) = replayed(&vertices, |object| {
                let Reply::VertexBuffer(buffer) = *object else { panic!("{object:?}") };
                let (data, num_vertices) = (numbers.get(..length), count);
                Invocation::VertexBufferUploadFromVector {
                    buffer,
                    data,
                    start_vertex: 0,
                    num_vertices,
                }
            });
            assert!(stored(&line) == kept(2) * 8 || elements * 2 > length);
            let (line, _) = replayed(&vertices, |object| {
                let Reply::VertexBuffer(buffer) = *object else { panic!("{object:?}") };
                let (data, num_vertices) = (floats.get(..length), count);
                Invocation::VertexBufferUploadFromFloatVector {
                    buffer,
                    data,
                    start_vertex: 0,
                    num_vertices,
                }
            });
            assert!(stored(&line) == kept(2) * 4 || elements * 2 > length);
            let create = Invocation::CreateIndexBuffer { num_indices: 6, buffer_usage: USAGE };
            let (line, _) = replayed(&create, |object| {
                let Reply::IndexBuffer(buffer) = *object else { panic!("{object:?}") };
                let data = indices.get(..length);
                Invocation::IndexBufferUploadFromVector { buffer, data, start_offset: 0, count }
            });
            assert!(stored(&line) == kept(1) * 4 || elements > length);
            let program_type = EnumArg::Is(ProgramType::Vertex);
            let (first_register, num_registers) = (0, count);
            let (line, _) = replayed(&vertices, |_| Invocation::SetProgramConstantsFromVector {
                program_type,
                first_register,
                num_registers,
                data: numbers.get(..length),
            });
            let all = if count < 0 { length } else { kept(4) };
            assert!(stored(&line) == all * 8 || elements * 4 > length);
            let (line, _) =
                replayed(&vertices, |_| Invocation::SetProgramConstantsFromFloatVector {
                    program_type,
                    first_register,
                    num_registers,
                    data: floats.get(..length),
                });
            assert!(stored(&line) == all * 4 || elements * 4 > length);
        }
    }
}
