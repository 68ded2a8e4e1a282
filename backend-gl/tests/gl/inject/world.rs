//! The steps of test programs, and the objects and images that they change.

use std::collections::BTreeMap;

use backend_gl::GlBackend;
use context3d::agal::{Stage, asm};
use context3d::backend::{Backend, BackendError, ReadSurface};
use context3d::enums::{BufferUsage, ProgramType, TextureFormat, VertexFormat};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::{Context3D, Error, ErrorCode, ObjectHandle, Reply};
use context3d_layers::RecoverableBackend;

/// The error for objects that could not be created on a lost device.
pub(super) const GONE: Error = Error::Backend(BackendError::Lost);
/// Width and height of back buffers in pixels.
pub(super) const SIDE: u32 = 32;
/// Width and height of textures in texels.
pub(super) const TEXELS: i32 = 8;

/// The objects and images of a program.
pub(super) struct World<B: Backend> {
    pub(super) contexts: Vec<Context3D<B>>,
    pub(super) vertices: BTreeMap<&'static str, ObjectHandle<VertexBufferKey>>,
    pub(super) indices: Vec<ObjectHandle<IndexBufferKey>>,
    pub(super) programs: BTreeMap<&'static str, ObjectHandle<ProgramKey>>,
    pub(super) textures: BTreeMap<&'static str, ObjectHandle<TextureKey>>,
    /// The readbacks and events of the last frame.
    pub(super) seen: BTreeMap<String, Vec<u8>>,
}

impl<B: Backend> World<B> {
    pub(super) fn new(contexts: Vec<Context3D<B>>) -> Self {
        Self {
            contexts,
            vertices: BTreeMap::new(),
            indices: Vec::new(),
            programs: BTreeMap::new(),
            textures: BTreeMap::new(),
            seen: BTreeMap::new(),
        }
    }

    pub(super) fn first(&mut self) -> &mut Context3D<B> {
        &mut self.contexts[0]
    }

    pub(super) fn texture(&self, name: &'static str) -> Result<ObjectHandle<TextureKey>, Error> {
        self.textures.get(name).copied().ok_or(GONE)
    }

    pub(super) fn vertices(
        &self,
        name: &'static str,
    ) -> Result<ObjectHandle<VertexBufferKey>, Error> {
        self.vertices.get(name).copied().ok_or(GONE)
    }

    pub(super) fn indices(
        &self,
        which: usize,
    ) -> Result<Option<ObjectHandle<IndexBufferKey>>, Error> {
        self.indices.get(which).map(|indices| Some(*indices)).ok_or(GONE)
    }

    /// Reads a surface of a context.
    pub(super) fn look(
        &mut self,
        what: &str,
        context: usize,
        surface: ReadSurface,
    ) -> Result<(), Error> {
        let mut pixels = Vec::new();
        let read = self.contexts[context].backend_mut().read_pixels(surface, &mut pixels);
        read.map_err(Error::Backend)?;
        self.seen.insert(format!("{what} of {context}"), pixels);
        Ok(())
    }

    pub(super) fn look_at(&mut self, name: &'static str, side: u8, level: u8) -> Result<(), Error> {
        let texture = self.texture(name)?.key();
        self.look(
            &format!("{name} {side} {level}"),
            0,
            ReadSurface::Texture { texture, side, level },
        )
    }
}

/// A backend that is based on OpenGL.
pub(super) trait OnGl: Backend {
    fn gl(&mut self) -> &mut GlBackend;
}

impl OnGl for GlBackend {
    fn gl(&mut self) -> &mut GlBackend {
        self
    }
}

impl<F: FnMut() -> Result<GlBackend, BackendError>> OnGl for RecoverableBackend<GlBackend, F> {
    fn gl(&mut self) -> &mut GlBackend {
        self.backend_mut()
    }
}

/// The function that a test step calls.
type Call<B> = Box<dyn Fn(&mut World<B>) -> Result<(), Error>>;

/// A call that is repeated if it fails.
pub(super) struct Step<B: Backend> {
    pub(super) name: &'static str,
    pub(super) run: Call<B>,
}

/// A sequence of steps on one or more contexts.
pub(super) struct Program<B: Backend> {
    pub(super) name: &'static str,
    /// Number of contexts on one device.
    pub(super) contexts: usize,
    pub(super) setup: Vec<Step<B>>,
    pub(super) frame: Vec<Step<B>>,
}

/// Builds a list of steps, each with a name and an action on a [`World`].
macro_rules! steps {
    ($($name:literal: |$world:ident| $run:expr;)*) => {
        vec![$(Step { name: $name, run: Box::new(move |$world: &mut World<B>| -> Result<(), Error> { $run }) }),*]
    };
}

pub(super) fn code(text: &str, stage: Stage, version: u32) -> Vec<u8> {
    asm::assemble(text, stage, version).expect("AGAL").encode()
}

pub(super) fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Position and texture coordinates of the corners of the whole target.
pub(super) const CORNERS: [f32; 16] =
    [-1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, -1.0, 1.0, 1.0, -1.0, -1.0, 0.0, 1.0];
pub(super) const QUAD: [u32; 6] = [0, 1, 2, 0, 2, 3];

pub(super) const VERTEX: &str = "mul vt0, va0, vc0\nadd op, vt0, vc1\nmov v0, va1";
pub(super) const FLAT: &str = "mov ft0, v0\nmov oc, fc0";
pub(super) const TEXTURED: &str = "tex ft0, v0, fs0 <2d,linear,repeat,nomip>\nmul oc, ft0, fc0";
pub(super) const BLOCKS: &str = "tex ft0, v0, fs0 <2d,linear,repeat,nomip,dxt5>\nmul oc, ft0, fc0";
pub(super) const CLAMPED: &str = "tex ft0, v0, fs0 <2d,linear,clamp,nomip>\nmul oc, ft0, fc0";
pub(super) const MIPPED: &str = "tex ft0, v0, fs0 <2d,nearest,clamp,mipnearest>\nmul oc, ft0, fc0";
pub(super) const CUBE: &str = "tex ft0, v0, fs0 <cube,nearest,clamp,nomip>\nmov oc, ft0";
pub(super) const OUTPUTS: &str = "mov ft0, v0\nmov oc0, fc0\nmov oc1, fc1";

pub(super) fn configure<B: Backend>(
    world: &mut World<B>,
    which: usize,
    samples: i32,
) -> Result<(), Error> {
    let side = i32::try_from(SIDE).expect("small");
    world.contexts[which].configure_back_buffer(side, side, samples, true, false, false)
}

pub(super) fn clear<B: Backend>(
    context: &mut Context3D<B>,
    red: f64,
    blue: f64,
) -> Result<(), Error> {
    context.clear(red, 0.2, blue, 1.0, 1.0, 0, u32::MAX)
}

pub(super) fn program<B: Backend>(
    world: &mut World<B>,
    name: &'static str,
    which: usize,
    fragment: &str,
) -> Result<(), Error> {
    let version = if fragment == OUTPUTS { 2 } else { 1 };
    let (vertex, fragment) =
        (code(VERTEX, Stage::Vertex, version), code(fragment, Stage::Fragment, version));
    let context = &mut world.contexts[which];
    let program = match world.programs.get(name) {
        Some(program) => *program,
        None => context.create_program()?,
    };
    world.programs.insert(name, program);
    context.program_upload(program, Some(vertex[..].into()), Some(fragment[..].into()))
}

/// Creates the vertex and index buffers of a quad in a context.
pub(super) fn make_vertices<B: Backend>(
    world: &mut World<B>,
    name: &'static str,
    which: usize,
) -> Result<(), Error> {
    let made = world.contexts[which].create_vertex_buffer(4, 4, BufferUsage::DynamicDraw)?;
    world.vertices.insert(name, made);
    Ok(())
}

pub(super) fn fill_vertices<B: Backend>(
    world: &mut World<B>,
    name: &'static str,
    which: usize,
) -> Result<(), Error> {
    let data = floats(&CORNERS);
    let vertices = world.vertices(name)?;
    world.contexts[which].vertex_buffer_upload_from_byte_array(vertices, Some(&data), 0, 0, 4)
}

pub(super) fn make_indices<B: Backend>(world: &mut World<B>, which: usize) -> Result<(), Error> {
    let made = world.contexts[which].create_index_buffer(6, BufferUsage::StaticDraw)?;
    world.indices.push(made);
    Ok(())
}

pub(super) fn fill_indices<B: Backend>(world: &mut World<B>, which: usize) -> Result<(), Error> {
    let indices = world.indices(which)?.ok_or(GONE)?;
    world.contexts[which].index_buffer_upload_from_vector(indices, Some(&QUAD), 0, 6)
}

/// Sets the streams, the program and its constants: a factor for positions, and the colour.
pub(super) fn bind<B: Backend>(
    world: &mut World<B>,
    (program, vertices, which): (&'static str, &'static str, usize),
    scale: f64,
    color: [f64; 4],
) -> Result<(), Error> {
    let program = *world.programs.get(program).ok_or(GONE)?;
    let vertices = world.vertices(vertices)?;
    let context = &mut world.contexts[which];
    context.set_program(Some(program))?;
    context.set_vertex_buffer_at(0, Some(vertices), 0, VertexFormat::Float2)?;
    context.set_vertex_buffer_at(1, Some(vertices), 2, VertexFormat::Float2)?;
    let place = [scale, scale, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    context.set_program_constants_from_vector(ProgramType::Vertex, 0, Some(&place), -1)?;
    let colors = [color, [color[2], color[0], color[1], 1.0]].concat();
    context.set_program_constants_from_vector(ProgramType::Fragment, 0, Some(&colors), -1)
}

pub(super) fn draw<B: Backend>(world: &mut World<B>) -> Result<(), Error> {
    draw_in(world, 0)
}

pub(super) fn draw_in<B: Backend>(world: &mut World<B>, which: usize) -> Result<(), Error> {
    let indices = world.indices(which)?;
    drawn(world.contexts[which].draw_triangles(indices, 0, -1))
}

pub(super) fn drawn(reply: Result<Reply, Error>) -> Result<(), Error> {
    match reply? {
        // The texture is incomplete if its upload failed, which the event has reported.
        Reply::Done | Reply::Skipped(ErrorCode::IncompleteTexture) => Ok(()),
        other => panic!("the draw is valid: {other:?}"),
    }
}

/// Returns the setup of most programs: a back buffer, a quad and shaders.
pub(super) fn setup<B: Backend + 'static>(samples: i32) -> Vec<Step<B>> {
    steps! {
        "configureBackBuffer": |w| configure(w, 0, samples);
        "createVertexBuffer": |w| make_vertices(w, "quad", 0);
        "createIndexBuffer": |w| make_indices(w, 0);
        "upload vertices": |w| fill_vertices(w, "quad", 0);
        "upload indices": |w| fill_indices(w, 0);
        "upload a program": |w| program(w, "flat", 0, FLAT);
    }
}

/// Returns a pattern of texels.
pub(super) fn texels(bytes: usize, salt: u8) -> Vec<u8> {
    let texel = |n: usize| u8::try_from(n * 29 % 251).expect("small").wrapping_add(salt);
    (0..bytes).map(texel).collect()
}

pub(super) fn upload<B: Backend>(
    world: &mut World<B>,
    name: &'static str,
    (side, level): (Option<u32>, u32),
    texel: usize,
) -> Result<(), Error> {
    let texture = world.texture(name)?;
    let pixels = usize::try_from((TEXELS >> level).pow(2)).expect("small");
    let salt = u8::try_from(side.unwrap_or(7) * 16 + level).expect("small");
    let data = texels(pixels * texel, salt);
    world.first().texture_upload_from_byte_array(texture, Some(&data), 0, side, level)
}

pub(super) fn make_texture<B: Backend>(
    world: &mut World<B>,
    name: &'static str,
    make: impl Fn(&mut Context3D<B>) -> Result<ObjectHandle<TextureKey>, Error>,
) -> Result<(), Error> {
    let made = make(world.first())?;
    world.textures.insert(name, made);
    Ok(())
}

pub(super) fn plain<B: Backend>(
    world: &mut World<B>,
    name: &'static str,
    format: TextureFormat,
) -> Result<(), Error> {
    make_texture(world, name, |c| c.create_texture(TEXELS, TEXELS, format, false, 0))
}

/// Draws a quad with a texture.
pub(super) fn show<B: Backend>(
    world: &mut World<B>,
    name: &'static str,
    program: &'static str,
    scale: f64,
) -> Result<(), Error> {
    bind(world, (program, "quad", 0), scale, [1.0, 0.9, 0.8, 1.0])?;
    let texture = Some(world.texture(name)?);
    world.first().set_texture_at(0, texture)?;
    draw(world)
}

pub(super) use steps;
