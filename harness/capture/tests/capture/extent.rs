//! Cut byte arrays: a recorded call on a part of an array has the same result as on the whole.

use std::io::Cursor;

use super::header;
use context3d::backend::NullBackend;
use context3d::enums::{BufferUsage, Name, ProgramType, TextureFormat};
use context3d::{Command, Context3D, ContextOptions, Profile, Reply};

use molehill_capture::commands::{Ids, Object, Resolver, command as command_of};
use molehill_capture::{Form, Reader, Record, Recorder};

const USAGE: Name<'_, BufferUsage> = Name::Is(BufferUsage::StaticDraw);

/// Creates an object in a new context.
fn created(command: &Command<'_>) -> (Context3D<NullBackend>, Reply) {
    let options = ContextOptions { profile: Profile::Standard, swf_version: 40 };
    let mut context = Context3D::new(NullBackend::new(), options);
    let reply = context.execute(command).unwrap();
    (context, reply)
}

/// The array and the offset of a command.
fn array<'a>(command: &Command<'a>) -> (Option<&'a [u8]>, i64) {
    match *command {
        Command::VertexBufferUploadFromByteArray { data, byte_array_offset, .. }
        | Command::IndexBufferUploadFromByteArray { data, byte_array_offset, .. } => {
            (data, byte_array_offset.into())
        }
        Command::TextureUploadFromByteArray { data, byte_array_offset, .. }
        | Command::TextureUploadFromByteArrayAsync { data, byte_array_offset, .. }
        | Command::TextureUploadCompressedFromByteArray { data, byte_array_offset, .. }
        | Command::SetProgramConstantsFromByteArray { data, byte_array_offset, .. } => {
            (data, byte_array_offset.into())
        }
        _ => panic!("no array: {command:?}"),
    }
}

/// Compares the results of a command and of its recorded form, each in a context of its own. Returns the stored bytes.
fn same_result<'a>(create: &Command<'_>, upload: impl Fn(&Reply) -> Command<'a>) -> usize {
    let [(mut whole, object), (mut part, copy)] = [created(create), created(create)];
    let command = upload(&object);
    let expected = whole.execute(&command);
    let mut recorder = Recorder::with_form(Vec::new(), &header(), Form::Uncompressed, u64::MAX);
    let context = recorder.context(0, "auto", Profile::Standard);
    recorder.call(context, create, &Ok(object));
    recorder.call(context, &command, &expected);
    let reader = Reader::seekable(Cursor::new(recorder.finish().unwrap())).unwrap();
    let Some(Record::Call(line)) = reader.map(|item| item.unwrap().1).last() else {
        panic!("a call");
    };
    let (mut ids, receiver) = (Ids::default(), Object::created(0, &copy).unwrap());
    ids.insert(line.on, receiver);
    let resolver = Resolver::new(&ids);
    let cut = command_of(&line.call, &receiver, &resolver).unwrap();
    assert_eq!(part.execute(&cut), expected, "{command:?}\n{cut:?}");
    assert_eq!(
        format!("{:?}", part.take_texture_event().map(|event| event.error)),
        format!("{:?}", whole.take_texture_event().map(|event| event.error)),
        "{command:?}"
    );
    let ((Some(all), from), (Some(kept), offset)) = (array(&command), array(&cut)) else {
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
        Command::CreateVertexBuffer { num_vertices: 3, data32_per_vertex: 2, buffer_usage: USAGE },
        Command::CreateIndexBuffer { num_indices: 6, buffer_usage: USAGE },
        Command::CreateTexture {
            width: 4,
            height: 2,
            format: Name::Is(TextureFormat::BgrPacked565),
            optimize_for_render_to_texture: false,
            streaming_levels: 0,
        },
        Command::CreateCubeTexture {
            size: 4,
            format: Name::Is(TextureFormat::Compressed),
            optimize_for_render_to_texture: false,
            streaming_levels: 0,
        },
    ];
    for create in &creations {
        for length in (0..90).chain([bytes.len()]) {
            for (offset, count) in
                (-1..70).flat_map(|offset| (-1..7).map(move |count| (offset, count)))
            {
                let data = bytes.get(..length);
                let unsigned = u32::try_from(offset).unwrap_or(u32::MAX);
                let kept = same_result(create, |object| match *object {
                    Reply::VertexBuffer(buffer) => Command::VertexBufferUploadFromByteArray {
                        buffer,
                        data,
                        byte_array_offset: offset,
                        start_vertex: 0,
                        num_vertices: count,
                    },
                    Reply::IndexBuffer(buffer) => Command::IndexBufferUploadFromByteArray {
                        buffer,
                        data,
                        byte_array_offset: offset,
                        start_offset: 0,
                        count,
                    },
                    Reply::Texture(texture) if count == 6 => {
                        Command::TextureUploadFromByteArrayAsync {
                            texture,
                            data,
                            byte_array_offset: unsigned,
                            side: Some(0),
                            miplevel: 0,
                        }
                    }
                    Reply::Texture(texture) => Command::TextureUploadFromByteArray {
                        texture,
                        data,
                        byte_array_offset: unsigned,
                        side: Some(0),
                        miplevel: u32::try_from(count).unwrap_or(40),
                    },
                    _ => panic!("{object:?}"),
                });
                assert!(kept <= 64, "{kept} bytes of {create:?}");
                same_result(create, |_| Command::SetProgramConstantsFromByteArray {
                    program_type: Name::Is(ProgramType::Vertex),
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
        let format = atf::Header::read(&file).unwrap().format.texture();
        let create = Command::CreateTexture {
            width: 8,
            height: 8,
            format: Name::Is(format.into()),
            optimize_for_render_to_texture: false,
            streaming_levels: 0,
        };
        // Whole, damaged in every byte, and cut off; within an archive of a megabyte or at its end.
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
                    Command::TextureUploadCompressedFromByteArray {
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
            Command::TextureUploadCompressedFromByteArray {
                texture,
                data: Some(&archive),
                byte_array_offset: 1000,
                is_async: false,
            }
        });
        assert!(kept == file.len() || kept > 1 << 20, "{kept}");
    }
}
