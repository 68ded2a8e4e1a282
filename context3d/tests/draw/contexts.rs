//! Calls on a context with objects of another context [context3d.life.foreign].

use context3d::enums::{EnumArg, TextureFormat, VertexFormat};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{Error, ErrorCode, Invocation, ObjectHandle, Reply};

use crate::common::{PLAIN, Rig, TEXTURED, legal};

struct Objects {
    program: ObjectHandle<ProgramKey>,
    vertices: ObjectHandle<VertexBufferKey>,
    indices: ObjectHandle<IndexBufferKey>,
    texture: ObjectHandle<TextureKey>,
    compressed: ObjectHandle<TextureKey>,
}

/// All setters that accept the objects of another context.
fn setters(objects: &Objects) -> Vec<Invocation<'static>> {
    vec![
        Invocation::SetProgram { program: Some(objects.program) },
        Invocation::SetVertexBufferAt {
            index: 0,
            buffer: Some(objects.vertices),
            buffer_offset: 0,
            format: EnumArg::Is(VertexFormat::Float4),
        },
        Invocation::SetTextureAt { sampler: 0, texture: Some(objects.texture) },
    ]
}

/// All calls with an object argument, except draws and `setters`. The objects belong to one context.
fn calls(objects: &Objects) -> Vec<Invocation<'static>> {
    let Objects { program, vertices, indices, texture, compressed } = *objects;
    const ZEROS: &[u8] = &[0; 64];
    vec![
        Invocation::SetRenderToTexture {
            texture: Some(texture),
            enable_depth_and_stencil: false,
            anti_alias: 0,
            surface_selector: 0,
            color_output_index: 0,
        },
        Invocation::VertexBufferUploadFromByteArray {
            buffer: vertices,
            data: Some(ZEROS),
            byte_array_offset: 0,
            start_vertex: 0,
            num_vertices: 1,
        },
        Invocation::VertexBufferUploadFromVector {
            buffer: vertices,
            data: Some(&[0.0; 4]),
            start_vertex: 0,
            num_vertices: 1,
        },
        Invocation::IndexBufferUploadFromByteArray {
            buffer: indices,
            data: Some(ZEROS),
            byte_array_offset: 0,
            start_offset: 0,
            count: 1,
        },
        Invocation::IndexBufferUploadFromVector {
            buffer: indices,
            data: Some(&[0]),
            start_offset: 0,
            count: 1,
        },
        Invocation::ProgramUpload { program, vertex_program: None, fragment_program: None },
        Invocation::TextureUploadFromByteArray {
            texture,
            data: Some(ZEROS),
            byte_array_offset: 0,
            side: None,
            miplevel: 0,
        },
        Invocation::TextureUploadFromByteArrayAsync {
            texture,
            data: Some(ZEROS),
            byte_array_offset: 0,
            side: None,
            miplevel: 0,
        },
        Invocation::TextureUploadFromBitmapData { texture, source: None, side: None, miplevel: 0 },
        Invocation::TextureUploadFromBitmapDataAsync {
            texture,
            source: None,
            side: None,
            miplevel: 0,
        },
        Invocation::TextureUploadCompressedFromByteArray {
            texture: compressed,
            data: None,
            byte_array_offset: 0,
            is_async: false,
        },
    ]
}

fn objects(rig: &mut Rig) -> Objects {
    let texture = rig.texture();
    let compressed = rig.target(4, TextureFormat::Compressed);
    rig.packets();
    Objects {
        program: rig.program,
        vertices: rig.vertices,
        indices: rig.indices,
        texture,
        compressed,
    }
}

#[test]
fn objects_of_another_context_are_never_alive() {
    let (mut one, mut other) = (Rig::baseline(), Rig::baseline());
    let (own, foreign) = (objects(&mut one), objects(&mut other));
    // Both contexts created equal keys, so that only the context distinguishes the handles.
    assert_eq!(own.texture.key(), foreign.texture.key());
    assert_ne!(own.texture, foreign.texture);
    for command in calls(&foreign) {
        let number = match one.context.execute(&command) {
            Err(Error::Flash(error)) => error.number(),
            other => panic!("{command:?}: {other:?}"),
        };
        assert_eq!(number, 3694, "{command:?}");
        assert_eq!(one.packets(), [], "{command:?}");
    }
    // "dispose() may be repeated", and the same call with an unknown object has no effect either.
    for command in [
        Invocation::VertexBufferDispose { buffer: foreign.vertices },
        Invocation::IndexBufferDispose { buffer: foreign.indices },
        Invocation::ProgramDispose { program: foreign.program },
        Invocation::TextureDispose { texture: foreign.texture },
    ] {
        legal(one.context.execute(&command));
        assert_eq!(one.packets(), []);
    }
    legal(one.draw());
    // Binding foreign objects sends no packet, and the draw is dropped.
    for (command, (program, error)) in setters(&foreign).into_iter().zip([
        (PLAIN, ErrorCode::NoProgram),
        (PLAIN, ErrorCode::InvalidStream),
        (TEXTURED, ErrorCode::InvalidTexture),
    ]) {
        one.use_program(program, 1);
        one.packets();
        legal(one.context.execute(&command));
        assert_eq!(one.draw(), Ok(Reply::Skipped(error)), "{command:?}");
        // A second draw takes the fast path for unchanged state.
        assert_eq!(one.draw(), Ok(Reply::Skipped(error)), "{command:?}");
        assert_eq!(one.packets(), [], "{command:?}");
        setters(&own).iter().take(2).for_each(|command| {
            legal(one.context.execute(command));
        });
    }
    let drawn = one.context.draw_triangles(Some(foreign.indices), 0, -1);
    assert_eq!(drawn, Ok(Reply::Skipped(ErrorCode::NoIndexBuffer)));
    assert_eq!(one.packets(), []);
    for command in setters(&own).iter().chain(&calls(&own)) {
        let command = *command;
        let gives = one.context.execute(&command);
        let disposed = matches!(gives, Err(Error::Flash(error)) if error.number() == 3694);
        assert!(!disposed, "{command:?}");
    }
}
