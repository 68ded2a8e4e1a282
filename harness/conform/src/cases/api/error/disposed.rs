//! Error 3694: every call on or with a disposed object (context3d-errors.md: "any use of a disposed Context3D").

use super::{DrawSetup, PLAIN, SOURCE, TEXTURED, texture};
use crate::case::{Cases, Expected};
use crate::scene_builder::{Done, FULL, Quad, SceneBuilder};
use molehill_capture::Call;
use molehill_capture::data::Optional;
use molehill_capture::objects::TextureId;
use molehill_replay::record::RecordError;

/// Objects of a disposed context.
struct DisposedObjects {
    setup: DrawSetup,
    texture: TextureId,
}

type Use = fn(&mut SceneBuilder, &DisposedObjects) -> Done;

fn objects(s: &mut SceneBuilder) -> Result<DisposedObjects, RecordError> {
    Ok(DisposedObjects { setup: DrawSetup::new(s)?, texture: texture(s)? })
}

/// Calls on a context.
const OF_CONTEXT: &[(&str, Use)] = &[
    ("configureBackBuffer", |s, _| s.configure(64, 64, 0, false)),
    ("clear", |s, _| s.clear([0.0; 4])),
    ("present", |s, _| s.present()),
    ("createVertexBuffer", |s, _| s.vertex_buffer(1, 1).map(drop)),
    ("createIndexBuffer", |s, _| s.index_buffer(1).map(drop)),
    ("createProgram", |s, _| s.create(Call::CreateProgram {}).map(drop)),
    ("createTexture", |s, _| s.texture(4, 4, "bgra").map(drop)),
    ("createRectangleTexture", |s, _| s.rectangle(4, 4, "bgra").map(drop)),
    ("createCubeTexture", |s, _| s.cube(4, "bgra").map(drop)),
    ("setProgram", |s, _| s.bind_program(None)),
    ("setProgramConstantsFromMatrix", |s, _| s.matrix("vertex", 0, [0.0; 16], false)),
    ("setProgramConstantsFromVector", |s, _| s.constants("vertex", 0, &[[0.0; 4]])),
    ("setProgramConstantsFromByteArray", |s, _| {
        s.constants_of_bytes("vertex", 0, 1, vec![0; 16], 0)
    }),
    ("setVertexBufferAt", |s, _| s.stream(0, None, 0, "float4")),
    ("setTextureAt", |s, _| s.bind(0, None)),
    ("setSamplerStateAt", |s, _| s.sampler(0, "clamp", "linear", "mipnone")),
    ("setBlendFactors", |s, _| s.blend("one", "zero")),
    ("setColorMask", |s, _| s.color_mask([true; 4])),
    ("setCulling", |s, _| s.cull("none")),
    ("setDepthTest", |s, _| s.depth(true, "less")),
    ("setStencilActions", |s, _| s.stencil("front", "always", ["keep"; 3])),
    ("setStencilReferenceValue", |s, _| s.reference(0, 255, 255)),
    ("setScissorRectangle", |s, _| s.scissor(None)),
    ("setRenderToTexture", |s, _| s.output(None, false, 0, 0, 0)),
    ("setRenderToBackBuffer", |s, _| s.to_back_buffer()),
    ("drawTriangles", |s, objects| objects.setup.draw(s)),
];

/// Calls on the objects of a context.
const OF_OBJECTS: &[(&str, Use)] = &[
    ("VertexBuffer3D.uploadFromByteArray", |s, objects| {
        s.upload_vertices(objects.setup.vertices, vec![0; 28], 0, 0, 1)
    }),
    ("IndexBuffer3D.uploadFromByteArray", |s, objects| {
        s.upload_indices(objects.setup.indices, vec![0; 2], 0, 0, 1)
    }),
    ("IndexBuffer3D.uploadFromVector", |s, objects| {
        s.upload_index_numbers(objects.setup.indices, &[0], 0, 1)
    }),
    ("Texture.uploadFromByteArray", |s, objects| s.upload(objects.texture, vec![0; 64], 0)),
    ("Program3D.upload", |s, objects| {
        let vertex = crate::scene_builder::assemble(PLAIN.0, agal::Stage::Vertex, 1)?;
        let fragment = crate::scene_builder::assemble(PLAIN.1, agal::Stage::Fragment, 1)?;
        s.upload_program(objects.setup.program, vertex, fragment)
    }),
];

fn dispose_objects(s: &mut SceneBuilder, objects: &DisposedObjects) -> Done {
    s.on(objects.setup.vertices.0, Call::VertexBufferDispose {})?;
    s.on(objects.setup.indices.0, Call::IndexBufferDispose {})?;
    s.on(objects.setup.program.0, Call::ProgramDispose {})?;
    s.on(objects.texture.0, Call::TextureDispose {})
}

pub(super) fn add(cases: &mut Cases) {
    let disposed = || Expected::raises(3694, &[]);
    for (list, what) in [(OF_CONTEXT, "context"), (OF_OBJECTS, "context_of")] {
        for (call, used) in list {
            cases.calls(format!("api.error.3694.{what}.{call}"), SOURCE, disposed(), move |s| {
                let objects = objects(s)?;
                s.call(Call::Dispose { recreate: Optional(Some(false)) })?;
                s.expect();
                used(s, &objects)
            });
        }
    }
    let target: (&str, Use) = ("argument.setRenderToTexture", |s, objects| {
        s.output(Some(objects.texture), false, 0, 0, 0)
    });
    let of_objects = OF_OBJECTS.iter().map(|(call, used)| (format!("object.{call}"), *used));
    for (call, used) in of_objects.chain([(target.0.to_owned(), target.1)]) {
        cases.calls(format!("api.error.3694.{call}"), SOURCE, disposed(), move |s| {
            let objects = objects(s)?;
            dispose_objects(s, &objects)?;
            s.expect();
            used(s, &objects)
        });
    }
    dead(cases);
    cases.calls(
        "api.dispose.twice",
        "context3d.md section 8: dispose() may be repeated",
        Expected::Allowed,
        |s| {
            let objects = objects(s)?;
            dispose_objects(s, &objects)?;
            dispose_objects(s, &objects)?;
            s.call(Call::Dispose { recreate: Optional(None) })?;
            s.call(Call::Dispose { recreate: Optional(None) })
        },
    );
    for (call, target) in [("drawTriangles", true), ("clear", false)] {
        cases.calls(format!("api.error.3694.target.{call}"), SOURCE, disposed(), move |s| {
            let (setup, texture) = (DrawSetup::new(s)?, s.texture(4, 4, "bgra")?);
            s.output(Some(texture), false, 0, 0, 0)?;
            s.on(texture.0, Call::TextureDispose {})?;
            s.mesh(&[Quad::flat(FULL, 0.5, [0.0; 4])])?;
            s.expect();
            match target {
                true => setup.draw(s),
                false => s.clear([0.0; 4]),
            }
        });
    }
}

/// Objects that draws can't use: disposed ones, and those of another context.
const DEAD: &str =
    "context3d-witnesses.md: binding an object that is disposed, or of another context";

/// Setters accept them, and the draw raises an error or is dropped.
fn dead(cases: &mut Cases) {
    let rows: [(&str, u16, &'static [&'static str], Use); 4] = [
        ("program", 3600, &[], |s, dead| s.bind_program(Some(dead.setup.program))),
        ("stream", 3608, &["0"], |s, dead| s.stream(0, Some(dead.setup.vertices), 0, "float4")),
        ("texture", 3605, &["0"], |s, dead| {
            s.program(TEXTURED.0, TEXTURED.1)?;
            s.bind(0, Some(dead.texture))
        }),
        // With the stream, whose error comes later.
        ("indices", 3601, &[], |s, dead| s.stream(0, Some(dead.setup.vertices), 0, "float4")),
    ];
    for (what, code, arguments, bind) in rows {
        for (word, foreign) in [("disposed", false), ("foreign", true)] {
            for checking in [true, false] {
                let expected = match checking {
                    true => Expected::raises(code, arguments),
                    false => Expected::Skips(code),
                };
                let end = if checking { "checked" } else { "unchecked" };
                let name = format!("api.error.{code}.bound.{what}.{word}.{end}");
                cases.calls(name, DEAD, expected, move |s| {
                    let dead = match foreign {
                        true => s.elsewhere(objects)?,
                        false => objects(s)?,
                    };
                    if !foreign {
                        dispose_objects(s, &dead)?;
                    }
                    let alive = DrawSetup::new(s)?;
                    s.checking(checking)?;
                    bind(s, &dead)?;
                    s.expect();
                    match what {
                        "indices" => dead.setup.draw(s),
                        _ => alive.draw(s),
                    }
                });
            }
        }
    }
}
