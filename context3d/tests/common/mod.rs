//! Shared test support: a context that is ready to draw, and a backend that checks every packet.

#![allow(dead_code, unreachable_pub, reason = "each test file uses the part that it needs")]

use context3d::agal::{Stage, asm};
use context3d::backend::{BackendCaps, NullBackend};
use context3d::enums::{BufferUsage, TextureFormat, VertexFormat};
use context3d::internals::ErrorCondition;
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::packets::{Draw, Packet};
use context3d::{Context3D, ContextOptions, Error, FlashError, ObjectHandle, Profile, Reply};

/// Shaders with the position `va0` and the colour `fc0`.
pub const PLAIN: (&str, &str) = ("mov op, va0", "mov oc, fc0");

/// Shaders with the position `va0`, which also serves as texture coordinate for sampler 0.
pub const TEXTURED: (&str, &str) =
    ("mov op, va0\nmov v0, va0", "tex ft0, v0, fs0 <2d,linear,clamp,mipnone>\nmov oc, ft0");

/// Width and height of the back buffer in pixels.
pub const SIDE: i32 = 64;

/// Returns the result of a call that must succeed.
#[track_caller]
pub fn legal<T>(result: Result<T, Error>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("a legal call failed: {error}"),
    }
}

/// Assembles AGAL source to bytecode.
#[track_caller]
pub fn assemble(source: &str, stage: Stage, version: u32) -> Vec<u8> {
    match asm::assemble(source, stage, version) {
        Ok(program) => program.encode(),
        Err(error) => panic!("{source}: {error}"),
    }
}

/// A context with all objects for a draw: a cleared back buffer with depth, the program [`PLAIN`], four vertices of
/// four values as `va0`, and six indices of two triangles.
pub struct Rig {
    pub context: Context3D<NullBackend>,
    pub program: ObjectHandle<ProgramKey>,
    pub vertices: ObjectHandle<VertexBufferKey>,
    pub indices: ObjectHandle<IndexBufferKey>,
    /// The errors that [`Context3D::draw_error`] predicted for the last draw, without and with error checking.
    pub foreseen: [Option<FlashError>; 2],
}

impl Rig {
    pub fn new(profile: Profile, swf_version: u32) -> Self {
        Self::over(NullBackend::new(), profile, swf_version)
    }

    pub fn baseline() -> Self {
        Self::new(Profile::Baseline, 30)
    }

    /// Creates the context on a device whose capabilities `change` has modified.
    pub fn with_caps(profile: Profile, change: impl Fn(&mut BackendCaps)) -> Self {
        let backend = NullBackend::new();
        let mut caps = context3d::backend::Backend::caps(&backend).clone();
        change(&mut caps);
        Self::over(backend.with_caps(caps), profile, 30)
    }

    fn over(backend: NullBackend, profile: Profile, swf_version: u32) -> Self {
        let options = ContextOptions { profile, swf_version };
        let mut context = Context3D::new(backend, options);
        legal(context.configure_back_buffer(SIDE, SIDE, 0, true, false, false));
        legal(context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
        let vertices = legal(context.create_vertex_buffer(4, 4, BufferUsage::StaticDraw));
        legal(context.vertex_buffer_upload_from_byte_array(vertices, Some(&[0; 64]), 0, 0, 4));
        let indices = legal(context.create_index_buffer(6, BufferUsage::StaticDraw));
        legal(context.index_buffer_upload_from_vector(indices, Some(&[0, 1, 2, 1, 3, 2]), 0, 6));
        legal(context.set_vertex_buffer_at(0, Some(vertices), 0, VertexFormat::Float4));
        let program = legal(context.create_program());
        let mut rig = Rig { context, program, vertices, indices, foreseen: [None, None] };
        rig.use_program(PLAIN, 1);
        rig.packets();
        rig
    }

    /// Replaces the current program, and binds the new program.
    #[track_caller]
    pub fn use_program(&mut self, (vertex, fragment): (&str, &str), version: u32) {
        let vertex = assemble(vertex, Stage::Vertex, version);
        let fragment = assemble(fragment, Stage::Fragment, version);
        let context = &mut self.context;
        legal(context.program_upload(
            self.program,
            Some(vertex[..].into()),
            Some(fragment[..].into()),
        ));
        legal(context.set_program(Some(self.program)));
    }

    /// Draws both triangles. [`Context3D::draw_error`] must predict the result.
    #[track_caller]
    pub fn draw(&mut self) -> Result<Reply, Error> {
        let error = |checking| self.context.draw_error(checking, self.indices, 1, 0, -1);
        self.foreseen = [false, true].map(error);
        let done = self.context.draw_triangles(Some(self.indices), 0, -1);
        let [unchecked, checked] =
            self.foreseen.each_ref().map(|error| Some(error.as_ref()?.code()));
        match &done {
            Ok(Reply::Skipped(code)) => assert_eq!(unchecked, Some(*code)),
            Ok(_) => assert_eq!(unchecked, None),
            Err(Error::Flash(error)) if error.code().raised() != ErrorCondition::Always => {
                assert_eq!(checked, Some(error.code()));
            }
            Err(_) => {}
        }
        done
    }

    /// Draws, and returns the draw packet.
    #[track_caller]
    pub fn drawn(&mut self) -> Draw {
        self.packets();
        assert_eq!(legal(self.draw()), Reply::Done);
        let packets = self.packets();
        match packets.last() {
            Some(Packet::Draw(draw)) => ***draw,
            other => panic!("no draw, but {other:?}"),
        }
    }

    /// Returns the packets since the last call.
    pub fn packets(&mut self) -> Vec<Packet<'static>> {
        self.context.backend_mut().take_packets()
    }

    /// Creates a 2D texture of 4×4 texels, and uploads level 0.
    pub fn texture(&mut self) -> ObjectHandle<TextureKey> {
        let texture = legal(self.context.create_texture(4, 4, TextureFormat::Bgra, false, 0));
        legal(self.context.texture_upload_from_byte_array(texture, Some(&[0; 64]), 0, None, 0));
        texture
    }

    /// Creates an empty 2D texture to render to.
    pub fn target(&mut self, side: i32, format: TextureFormat) -> ObjectHandle<TextureKey> {
        legal(self.context.create_texture(side, side, format, false, 0))
    }
}
