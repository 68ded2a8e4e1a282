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

/// Returns the array argument of a command, and its offset. Returns `None` for a command without an array.
fn array<'a>(command: &Invocation<'a>) -> Option<(Option<&'a [u8]>, i64)> {
    let (data, offset) = match *command {
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
        _ => return None,
    };
    Some((data, offset))
}

/// Calls on new objects, recorded in one capture.
struct Calls<'a> {
    create: Invocation<'a>,
    recorder: CaptureRecorder<Vec<u8>>,
    executed: Vec<Executed<'a>>,
}

/// A call that was executed with all its data.
struct Executed<'a> {
    context: Context3D<NullBackend>,
    command: Invocation<'a>,
    result: Result<Reply, Error>,
}

/// A recorded call.
struct Recorded {
    line: CallLine,
    result: Result<Reply, Error>,
    /// Number of the array's stored bytes; 0 without an array.
    kept: usize,
}

impl<'a> Calls<'a> {
    fn new(create: &Invocation<'a>) -> Self {
        let recorder = CaptureRecorder::with_form(Vec::new(), &header(), Form::Binary, u64::MAX);
        Calls { create: *create, recorder, executed: Vec::new() }
    }

    /// Executes and records a call on a new object.
    fn call(&mut self, upload: impl FnOnce(&Reply) -> Invocation<'a>) {
        let (mut context, object) = created(&self.create);
        let command = upload(&object);
        let result = context.execute(&command);
        let recorded = self.recorder.context(0, "auto", Profile::Standard);
        self.recorder.call(recorded, &self.create, &Ok(object));
        self.recorder.call(recorded, &command, &result);
        self.executed.push(Executed { context, command, result });
    }

    /// Executes the recorded form of each call in another context. Both must have the same result, and send the same
    /// data to the backend.
    fn replayed(self) -> Vec<Recorded> {
        let reader = CaptureReader::seekable(Cursor::new(self.recorder.finish().unwrap())).unwrap();
        let lines = reader.map(|item| match item.unwrap().1 {
            CaptureRecord::Call(line) => line,
            other => panic!("{other:?}"),
        });
        let lines: Vec<CallLine> = lines.collect();
        // The calls are requestContext3D, the creation of the object, and the upload.
        let (triples, rest) = lines.as_chunks::<3>();
        assert!(triples.len() == self.executed.len() && rest.is_empty());
        let both = self.executed.into_iter().zip(triples);
        both.map(|(whole, [.., line])| replayed(&self.create, whole, line.clone())).collect()
    }
}

/// Executes the recorded form of a call, and compares both results.
fn replayed(create: &Invocation<'_>, whole: Executed<'_>, line: CallLine) -> Recorded {
    let (mut part, copy) = created(create);
    let (mut ids, receiver) = (Ids::default(), ReplayObject::created(0, &copy).unwrap());
    ids.insert(line.on, receiver);
    let cut = command_of(&line.call, &receiver, &Resolver::new(&ids)).unwrap();
    let Executed { mut context, command, result } = whole;
    assert_eq!(part.execute(&cut), result, "{command:?}\n{cut:?}");
    assert_eq!(
        format!("{:?}", part.take_texture_event().map(|event| event.error)),
        format!("{:?}", context.take_texture_event().map(|event| event.error)),
        "{command:?}"
    );
    assert!(part.backend().packets() == context.backend().packets(), "{command:?}\n{cut:?}");
    let kept = match (array(&command), array(&cut)) {
        (Some((Some(all), from)), Some((Some(kept), offset))) => {
            if result.is_ok() {
                assert_eq!(offset, 0);
                assert!(all[usize::try_from(from).unwrap()..].starts_with(kept));
            }
            kept.len()
        }
        _ => 0,
    };
    Recorded { line, result, kept }
}

/// Executes a single call and its recorded form. Returns the recorded call, and the result.
fn replayed_alone<'a>(
    create: &Invocation<'a>,
    upload: impl FnOnce(&Reply) -> Invocation<'a>,
) -> (CallLine, Result<Reply, Error>) {
    let mut calls = Calls::new(create);
    calls.call(upload);
    let Recorded { line, result, .. } = calls.replayed().remove(0);
    (line, result)
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
            let mut uploads = Calls::new(create);
            let mut constants = Calls::new(create);
            let offsets = (-1..26).chain([40, 63, 64, 69]);
            for (offset, count) in
                offsets.flat_map(|offset| (-1..7).map(move |count| (offset, count)))
            {
                let data = bytes.get(..length);
                let unsigned = u32::try_from(offset).unwrap_or(u32::MAX);
                uploads.call(|object| match *object {
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
                constants.call(|_| Invocation::SetProgramConstantsFromByteArray {
                    program_type: EnumArg::Is(ProgramType::Vertex),
                    first_register: 126,
                    num_registers: count,
                    data,
                    byte_array_offset: unsigned,
                });
            }
            for Recorded { kept, .. } in uploads.replayed() {
                assert!(kept <= 64, "{kept} bytes of {create:?}");
            }
            constants.replayed();
        }
    }
}

#[test]
fn an_atf_file_within_an_archive_has_the_same_result() {
    same_result_of_atf_files(false);
}

#[test]
fn an_atf_file_that_is_uploaded_asynchronously_has_the_same_result() {
    same_result_of_atf_files(true);
}

fn same_result_of_atf_files(is_async: bool) {
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
        let files = damaged.chain(short).chain([file.clone()]).enumerate();
        let archives = files.map(|(index, file)| {
            let rest = if index % 2 == 0 { 0 } else { 1 << 12 };
            [vec![7; 1000], file, vec![9; rest]].concat()
        });
        let archives: Vec<Vec<u8>> = archives.collect();
        let whole = [vec![7; 1000], file.clone(), vec![9; 1 << 20]].concat();
        let mut uploads = Calls::new(&create);
        let mut upload = |archive| {
            uploads.call(|object| {
                let Reply::Texture(texture) = *object else { panic!("{object:?}") };
                Invocation::TextureUploadCompressedFromByteArray {
                    texture,
                    data: Some(archive),
                    byte_array_offset: 1000,
                    is_async,
                }
            });
        };
        archives.iter().for_each(|archive| upload(archive));
        upload(&whole);
        let kept = uploads.replayed().last().unwrap().kept;
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
                let (line, result) = replayed_alone(&create, |object| {
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
            let (line, _) = replayed_alone(&vertices, |object| {
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
            let (line, _) = replayed_alone(&vertices, |object| {
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
            let (line, _) = replayed_alone(&create, |object| {
                let Reply::IndexBuffer(buffer) = *object else { panic!("{object:?}") };
                let data = indices.get(..length);
                Invocation::IndexBufferUploadFromVector { buffer, data, start_offset: 0, count }
            });
            assert!(stored(&line) == kept(1) * 4 || elements > length);
            let program_type = EnumArg::Is(ProgramType::Vertex);
            let (first_register, num_registers) = (0, count);
            let (line, _) =
                replayed_alone(&vertices, |_| Invocation::SetProgramConstantsFromVector {
                    program_type,
                    first_register,
                    num_registers,
                    data: numbers.get(..length),
                });
            let all = if count < 0 { length } else { kept(4) };
            assert!(stored(&line) == all * 8 || elements * 4 > length);
            let (line, _) =
                replayed_alone(&vertices, |_| Invocation::SetProgramConstantsFromFloatVector {
                    program_type,
                    first_register,
                    num_registers,
                    data: floats.get(..length),
                });
            assert!(stored(&line) == all * 4 || elements * 4 > length);
        }
    }
}
