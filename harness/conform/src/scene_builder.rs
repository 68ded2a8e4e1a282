//! Builds the scenes of test cases. The methods of [`Calls`] execute and record calls; further methods combine calls.

use agal::Stage;
use context3d::Profile;
use molehill_capture::data::{Enum, OptionalParameter};
use molehill_capture::objects::{IndexBufferId, ObjectId, ProgramId, TextureId, VertexBufferId};
use molehill_capture::{Call, CaptureHeader};
use molehill_replay::record::{CallWriter, RecordError};
use molehill_replay::report::ReplayReport;

use super::calls::{Calls, invalid};
use super::device::ConformDevice;
use crate::mutations::api::ApiChange;

pub type SceneResult = Result<(), RecordError>;

/// The width and height of a scene's back buffer in pixels: the minimum that Flash allows [context3d.error.3780].
pub const SIDE: u32 = 32;

/// A vertex program with the position `va0`, which copies `va1` to `v0`.
pub const PASS: &str = "mov op, va0\nmov v0, va1";
/// A fragment program that outputs `v0` as the colour.
pub const VARYING: &str = "mov oc, v0";
/// The number of floats of a vertex: a position (3) and a value (4).
const VERTEX: usize = 7;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    pub profile: Profile,
    pub swf_version: u32,
}

/// A rectangle to draw, with a value of `va1` at each corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneQuad {
    /// The left, top, right and bottom edges in pixels of the render target.
    pub corners: [f32; 4],
    /// The depth of the quad, from 0 to 1.
    pub z: f32,
    /// The values of `va1` at the corners: top left, top right, bottom left, bottom right.
    pub values: [[f32; 4]; 4],
    /// True if the quad is a back face, which is counter-clockwise on the screen.
    pub back: bool,
}

impl SceneQuad {
    /// Returns a quad in the middle of the depth range.
    pub fn of(corners: [f32; 4], values: [[f32; 4]; 4]) -> SceneQuad {
        SceneQuad { corners, z: 0.5, values, back: false }
    }

    /// Returns a quad with the same value at all corners.
    pub fn flat(corners: [f32; 4], z: f32, value: [f32; 4]) -> SceneQuad {
        SceneQuad { z, ..SceneQuad::of(corners, [value; 4]) }
    }

    /// Returns a quad with texture coordinates from (`u0`, `v0`) at the top left to (`u1`, `v1`) at the bottom right.
    pub fn textured(corners: [f32; 4], [u0, v0, u1, v1]: [f32; 4]) -> SceneQuad {
        let value = |u, v| [u, v, 0.0, 0.0];
        SceneQuad::of(corners, [value(u0, v0), value(u1, v0), value(u0, v1), value(u1, v1)])
    }

    #[must_use]
    pub fn behind(self) -> SceneQuad {
        SceneQuad { back: true, ..self }
    }
}

/// The edges of a quad that covers a render target with the width and height [`SIDE`].
#[expect(clippy::cast_precision_loss, reason = "a small constant")]
pub const FULL: [f32; 4] = [0.0, 0.0, SIDE as f32, SIDE as f32];

const STAGE3D: ObjectId = CallWriter::<Vec<u8>, ConformDevice>::STAGE3D;
/// The id of another Stage3D, larger than the ids of other objects.
const OTHER_STAGE3D: ObjectId = ObjectId(1 << 32);

/// Executes calls on a context and records them. Unless noted otherwise, a method returns the error of its call.
pub struct SceneBuilder {
    recorder: CallWriter<Vec<u8>, ConformDevice>,
    profile: Profile,
    context: ObjectId,
    /// The context that receives calls again after [`SceneBuilder::leave_other`].
    own_context: ObjectId,
    size: (u32, u32),
    expecting: bool,
    api: Option<ApiChange>,
}

fn int(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

pub fn assemble(source: &str, stage: Stage, version: u32) -> Result<Vec<u8>, RecordError> {
    let program = agal::asm::assemble(source, stage, version);
    Ok(program.map_err(invalid)?.encode())
}

impl Calls for SceneBuilder {
    fn make(
        &mut self,
        on: Option<ObjectId>,
        mut call: Call,
    ) -> Result<Option<ObjectId>, RecordError> {
        let on = on.unwrap_or(self.context);
        let Some(api) = self.api else { return self.recorder.call(on, call) };
        if api.refuses(&call) || api.change(&mut call, self.profile) {
            return Err(RecordError::Unsupported(format!("{} by the mutation", call.name())));
        }
        let creates = call.creates().is_some();
        match self.recorder.call(on, call.clone()) {
            // Return an invalid id, because the failed call created no object. A case that expects the error doesn't
            // use the id.
            Err(RecordError::Flash(error)) if api.leaves_out(&call, error.number()) => {
                Ok(creates.then_some(ObjectId(u64::MAX)))
            }
            result => result,
        }
    }
}

impl SceneBuilder {
    /// Creates a context without a back buffer. If the device can't be opened, returns an error.
    pub fn without_back_buffer(
        title: &str,
        setup: Setup,
        device: ConformDevice,
    ) -> Result<Self, RecordError> {
        let header = CaptureHeader {
            title: title.to_owned(),
            swf_version: setup.swf_version,
            stage_width: SIDE,
            stage_height: SIDE,
            stage_color: [0; 3],
            frame_rate: None,
            generator: Some("molehill conform".to_owned()),
        };
        let mut builder = SceneBuilder {
            recorder: CallWriter::new(Vec::new(), &header, device)?,
            profile: setup.profile,
            context: STAGE3D,
            own_context: STAGE3D,
            size: (SIDE, SIDE),
            expecting: false,
            api: None,
        };
        builder.context = builder.request(STAGE3D, 0)?;
        Ok(builder)
    }

    fn request(&mut self, stage3d: ObjectId, stage3d_index: u32) -> Result<ObjectId, RecordError> {
        let request = Call::RequestContext3D {
            stage3d_index,
            render_mode: OptionalParameter(Some(Enum::parse(Some("auto")))),
            profile: OptionalParameter(Some(Some(self.profile.name().to_owned()))),
            profiles: OptionalParameter(None),
        };
        self.recorder.create(stage3d, request)
    }

    /// Replaces the context with a new one, which has a cleared back buffer with depth and stencil.
    pub fn renew(&mut self) -> SceneResult {
        self.dispose(Some(true))?;
        self.context = self.request(STAGE3D, 0)?;
        self.configure(SIDE, SIDE, 0, true)?;
        self.clear([0.0, 0.0, 0.0, 1.0])
    }

    /// Directs calls to the context of another Stage3D, until [`SceneBuilder::leave_other`].
    pub fn enter_other(&mut self) -> SceneResult {
        let other = self.request(OTHER_STAGE3D, 1)?;
        self.own_context = std::mem::replace(&mut self.context, other);
        Ok(())
    }

    pub fn leave_other(&mut self) {
        self.context = self.own_context;
    }

    /// Creates a context with a cleared back buffer with depth and stencil. The depth test is off, so that only scenes
    /// that call [`SceneBuilder::renew`] depend on its default [context3d.state.depth].
    pub fn open(title: &str, setup: Setup, device: ConformDevice) -> Result<Self, RecordError> {
        let mut builder = Self::without_back_buffer(title, setup, device)?;
        builder.configure(SIDE, SIDE, 0, true)?;
        builder.clear([0.0, 0.0, 0.0, 1.0])?;
        builder.set_depth_test(false, "always")?;
        Ok(builder)
    }

    pub(crate) fn for_calls(
        name: &str,
        setup: Setup,
        without_back_buffer: bool,
        device: ConformDevice,
    ) -> Result<Self, RecordError> {
        if without_back_buffer {
            return Self::without_back_buffer(name, setup, device);
        }
        Self::open(name, setup, device)
    }

    pub fn expect(&mut self) {
        self.expecting = true;
    }

    pub fn is_expecting(&self) -> bool {
        self.expecting
    }

    pub fn report(&self) -> &ReplayReport {
        self.recorder.report()
    }

    pub fn finish(self) -> Result<Vec<u8>, RecordError> {
        Ok(self.recorder.finish()?)
    }

    /// Executes a call that must raise the error with this number.
    pub fn fails(
        &mut self,
        number: u16,
        call: impl FnOnce(&mut Self) -> SceneResult,
    ) -> SceneResult {
        match call(self) {
            Err(RecordError::Flash(error)) if error.number() == number => Ok(()),
            Err(error) => Err(error),
            Ok(()) => Err(invalid(format!("error {number} was not raised"))),
        }
    }

    pub(crate) fn mutate(&mut self, change: Option<ApiChange>) {
        self.api = change;
    }

    pub fn present(&mut self) -> SceneResult {
        Calls::present(self)?;
        Ok(self.recorder.end_frame()?)
    }

    pub fn configure(
        &mut self,
        width: u32,
        height: u32,
        anti_alias: i32,
        depth: bool,
    ) -> SceneResult {
        self.size = (width, height);
        self.configure_back_buffer(
            width.cast_signed(),
            height.cast_signed(),
            anti_alias,
            depth,
            false,
            false,
        )
    }

    /// Clears the render target: colour as given, depth to 1 and stencil to 0.
    pub fn clear(&mut self, [red, green, blue, alpha]: [f64; 4]) -> SceneResult {
        Calls::clear(self, red, green, blue, alpha, 1.0, 0, u32::MAX)
    }

    /// Creates a vertex buffer with this content and `words` floats per vertex.
    pub fn vertices(
        &mut self,
        floats: &[f32],
        words: usize,
    ) -> Result<VertexBufferId, RecordError> {
        let count = int(floats.len() / words.max(1));
        let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
        let buffer = self.create_vertex_buffer(count, int(words), "staticDraw")?;
        self.vertex_buffer_upload_from_byte_array(buffer, bytes, 0, 0, count)?;
        Ok(buffer)
    }

    pub fn indices(&mut self, indices: &[u16]) -> Result<IndexBufferId, RecordError> {
        let count = int(indices.len());
        let buffer = self.create_index_buffer(count, "staticDraw")?;
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        self.index_buffer_upload_from_byte_array(buffer, bytes, 0, 0, count)?;
        Ok(buffer)
    }

    pub fn program(&mut self, vertex: &str, fragment: &str) -> Result<ProgramId, RecordError> {
        self.program_of(1, vertex, fragment)
    }

    pub fn program_of(
        &mut self,
        version: u32,
        vertex: &str,
        fragment: &str,
    ) -> Result<ProgramId, RecordError> {
        let program = self.create_program()?;
        let vertex = assemble(vertex, Stage::Vertex, version)?;
        let fragment = assemble(fragment, Stage::Fragment, version)?;
        self.program_upload(program, vertex, fragment)?;
        self.set_program(program)?;
        Ok(program)
    }

    /// Draws quads with the bound program: `va0` is the position and `va1` the value at the corner.
    pub fn quads(&mut self, quads: &[SceneQuad]) -> SceneResult {
        let (vertices, indices) = self.mesh(quads)?;
        self.draw_mesh(vertices, indices)
    }

    /// Draws indexed triangles with the position as `va0` and the value as `va1`.
    pub fn draw_mesh(&mut self, vertices: VertexBufferId, indices: IndexBufferId) -> SceneResult {
        self.set_vertex_buffer_at(0, vertices, 0, "float3")?;
        self.set_vertex_buffer_at(1, vertices, 3, "float4")?;
        self.draw_triangles(indices, 0, -1)
    }

    /// Creates the vertex and index buffers of quads. A vertex has a `float3` position and a `float4` value.
    pub fn mesh(
        &mut self,
        quads: &[SceneQuad],
    ) -> Result<(VertexBufferId, IndexBufferId), RecordError> {
        let (width, height) = self.size;
        let mut floats = Vec::with_capacity(quads.len() * 4 * VERTEX);
        let mut indices = Vec::with_capacity(quads.len() * 6);
        for (quad, number) in quads.iter().zip(0u16..) {
            let [left, top, right, bottom] = quad.corners;
            let corners = [(left, top), (right, top), (left, bottom), (right, bottom)];
            for ((x, y), value) in corners.into_iter().zip(quad.values) {
                floats.extend([clip(x, width), -clip(y, height), quad.z]);
                floats.extend(value);
            }
            // Clockwise triangles are front faces [context3d.clip.front].
            let order: [u16; 6] = if quad.back { [0, 2, 1, 1, 2, 3] } else { [0, 1, 2, 1, 3, 2] };
            indices.extend(order.map(|corner| number * 4 + corner));
        }
        Ok((self.vertices(&floats, VERTEX)?, self.indices(&indices)?))
    }

    pub fn constants(&mut self, stage: &str, first: i32, values: &[[f64; 4]]) -> SceneResult {
        self.set_program_constants_from_vector(stage, first, values.concat(), int(values.len()))
    }

    /// Sets a texture as the only render target. `size` is the target's width and height in pixels.
    pub fn target(
        &mut self,
        texture: TextureId,
        size: (u32, u32),
        depth: bool,
        anti_alias: i32,
    ) -> SceneResult {
        self.size = size;
        self.set_render_to_texture(texture, depth, anti_alias, 0, 0)
    }

    pub fn to_back_buffer(&mut self) -> SceneResult {
        self.size = (SIDE, SIDE);
        self.set_render_to_back_buffer()
    }
}

/// Converts a pixel coordinate to clip space with w 1. `side` is the width or height of the target.
#[expect(clippy::cast_precision_loss, reason = "sides are small")]
fn clip(coordinate: f32, side: u32) -> f32 {
    coordinate * 2.0 / side as f32 - 1.0
}
