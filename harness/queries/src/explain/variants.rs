//! Generates alternative values for a call's arguments.

use std::collections::{BTreeMap, BTreeSet};

use context3d::arguments::Rectangle;
use context3d::enums::{FlashName, ProgramType, VertexFormat};
use molehill_analysis::calls::{drawn_indices, floats};
use molehill_capture::data::{CubeSide, Enum};
use molehill_capture::objects::{
    IndexBufferId, ObjectId, ObjectKind, ProgramId, TextureId, VertexBufferId,
};
use molehill_capture::{Call, CallLine};

/// Maximum number of offsets in a vertex, in 32-bit values, to try for an attribute.
const MOST_OFFSETS: i32 = 32;
/// Maximum number of alternative scissor rectangles to try. `MOST_SLOTS` is the maximum number of samplers and streams.
const MOST_RECTANGLES: usize = 8;
const MOST_SLOTS: i32 = 8;

/// Adds variants of a call with this name, one for each value of a field. The values are calculated from the old value.
macro_rules! vary {
    ($out:ident, $name:ident . $field:ident = $values:expr) => {
        if let Call::$name { $field, .. } = $out.call {
            for value in $values($field) {
                $out.with(|call| {
                    if let Call::$name { $field, .. } = call {
                        *$field = value;
                    }
                });
            }
        }
    };
}

/// The objects of a scene, with the sizes that limit the arguments of calls.
#[derive(Default)]
pub(super) struct SceneObjects {
    /// For each vertex buffer, the number of 32-bit values per vertex, and the number of vertices.
    pub(super) vertices: BTreeMap<ObjectId, (i32, i32)>,
    pub(super) indices: BTreeMap<ObjectId, i32>,
    pub(super) textures: BTreeMap<ObjectId, ObjectKind>,
    pub(super) programs: BTreeSet<ObjectId>,
    /// The expected colour of most wrong pixels that have the clear colour.
    pub(super) background: Option<[u8; 4]>,
    pub(super) rectangles: Vec<Rectangle>,
}

impl SceneObjects {
    pub(super) fn add(&mut self, line: &CallLine) {
        if let Call::SetScissorRectangle { rectangle: Some(rectangle) } = &line.call
            && self.rectangles.len() < MOST_RECTANGLES
            && !self.rectangles.contains(rectangle)
        {
            self.rectangles.push(*rectangle);
        }
        let Some((id, kind)) = line.result.zip(line.call.creates()) else { return };
        match (&line.call, kind) {
            (
                Call::CreateVertexBuffer { num_vertices, data32_per_vertex, .. }
                | Call::CreateVertexBufferForInstances { num_vertices, data32_per_vertex, .. },
                _,
            ) => drop(self.vertices.insert(id, (*data32_per_vertex, *num_vertices))),
            (Call::CreateIndexBuffer { num_indices, .. }, _) => {
                self.indices.insert(id, *num_indices);
            }
            (_, ObjectKind::Program3D) => drop(self.programs.insert(id)),
            (_, ObjectKind::Texture | ObjectKind::RectangleTexture | ObjectKind::CubeTexture) => {
                self.textures.insert(id, kind);
            }
            _ => {}
        }
    }

    /// Returns variants of a call with one changed argument, or two related changed arguments.
    pub(super) fn variants(&self, call: &Call) -> Vec<Call> {
        let mut out = VariantCollector { call, found: Vec::new() };
        out.state();
        out.constants();
        self.bindings(&mut out);
        self.drawing(&mut out);
        self.targets(&mut out);
        out.found
    }

    fn bindings(&self, out: &mut VariantCollector<'_>) {
        match out.call {
            Call::SetScissorRectangle { rectangle: Some(old) } => {
                let own = [
                    Rectangle { x: 0.0, y: 0.0, ..*old },
                    Rectangle { x: old.y, y: old.x, ..*old },
                    Rectangle { width: old.height, height: old.width, ..*old },
                ];
                let some = self.rectangles.iter().copied().chain(own).map(Some);
                vary!(out, SetScissorRectangle.rectangle = |_| [None].into_iter().chain(some));
            }
            Call::SetVertexBufferAt { buffer: Some(buffer), buffer_offset, format, .. } => {
                let shape = self.vertices.get(&buffer.0).copied();
                let stride = shape.map_or(0, |(stride, _)| stride);
                let fits = |offset: i32, format: &Enum<VertexFormat>| {
                    floats(format).is_some_and(|floats| offset + floats <= stride)
                };
                let offsets = (0..stride.min(MOST_OFFSETS)).filter(|it| fits(*it, format));
                vary!(out, SetVertexBufferAt.buffer_offset = |_| offsets);
                let formats = names(format).filter(|other| fits(*buffer_offset, other));
                vary!(out, SetVertexBufferAt.format = |_| formats);
                vary!(out, SetVertexBufferAt.index = |_| 0..MOST_SLOTS);
                let alike = self.vertices.iter().filter(|(_, other)| Some(**other) == shape);
                let alike = alike.map(|(id, _)| Some(VertexBufferId(*id)));
                vary!(out, SetVertexBufferAt.buffer = |_| alike);
            }
            Call::SetTextureAt { texture: Some(texture), .. } => {
                vary!(out, SetTextureAt.sampler = |_| 0..MOST_SLOTS);
                let kind = self.textures.get(&texture.0);
                let alike = self.textures.iter().filter(|(_, it)| Some(*it) == kind);
                let alike = alike.map(|(id, _)| Some(TextureId(*id)));
                vary!(out, SetTextureAt.texture = |_| alike);
            }
            Call::SetProgram { program: Some(_) } => {
                let all = self.programs.iter().map(|id| Some(ProgramId(*id)));
                vary!(out, SetProgram.program = |_| all);
            }
            _ => {}
        }
    }

    fn drawing(&self, out: &mut VariantCollector<'_>) {
        let Some((buffer, first, count)) = drawn_indices(out.call) else { return };
        let all = buffer.and_then(|IndexBufferId(id)| self.indices.get(&id).copied());
        let start = first - first.rem_euclid(3);
        for (first, count) in [
            (0, -1),
            (start, count),
            (start + 3, count),
            (start, count + 1),
            (first, -1),
            (first, count + 1),
            (first, count - 1),
            (first, all.map_or(-1, |all| (all - first) / 3)),
        ] {
            let fits = all.is_none_or(|all| first >= 0 && first + count.max(0) * 3 <= all);
            if fits && (count > 0 || count == -1) {
                out.draws(buffer, first, count);
            }
        }
        for (id, other) in &self.indices {
            if *other >= first + count.max(1) * 3 {
                out.draws(Some(IndexBufferId(*id)), first, count);
            }
        }
    }

    fn targets(&self, out: &mut VariantCollector<'_>) {
        vary!(out, SetRenderToTexture.enable_depth_and_stencil = inverted);
        vary!(out, SetRenderToTexture.surface_selector = |_| 0..6);
        vary!(out, ConfigureBackBuffer.enable_depth_and_stencil = inverted);
        vary!(out, Clear.mask = |_| [0, 1, 2, 3, 4, 6, 7, u32::MAX]);
        if let (Call::Clear { .. }, Some(color)) = (out.call, self.background) {
            let [r, g, b, _] = color.map(|it| f64::from(it) / 255.0);
            out.with(|call| {
                if let Call::Clear { red, green, blue, .. } = call {
                    (*red, *green, *blue) = (r, g, b);
                }
            });
        }
        for value in [0.0, 1.0] {
            vary!(out, Clear.depth = |_| [value]);
            vary!(out, Clear.alpha = |_| [value]);
        }
    }
}

/// Collects copies of a call with changed arguments.
struct VariantCollector<'a> {
    call: &'a Call,
    found: Vec<Call>,
}

impl VariantCollector<'_> {
    fn with(&mut self, change: impl FnOnce(&mut Call)) {
        let mut call = self.call.clone();
        change(&mut call);
        if call != *self.call && !self.found.contains(&call) {
            self.found.push(call);
        }
    }

    fn state(&mut self) {
        vary!(self, SetCulling.triangle_face_to_cull = names);
        vary!(self, SetBlendFactors.source_factor = names);
        vary!(self, SetBlendFactors.destination_factor = names);
        vary!(self, SetDepthTest.depth_mask = inverted);
        vary!(self, SetDepthTest.pass_compare_mode = names);
        vary!(self, SetStencilActions.triangle_face = names);
        vary!(self, SetStencilActions.compare_mode = names);
        vary!(self, SetStencilActions.action_on_both_pass = names);
        vary!(self, SetStencilActions.action_on_depth_fail = names);
        vary!(self, SetStencilActions.action_on_depth_pass_stencil_fail = names);
        vary!(self, SetColorMask.red = inverted);
        vary!(self, SetColorMask.green = inverted);
        vary!(self, SetColorMask.blue = inverted);
        vary!(self, SetColorMask.alpha = inverted);
        vary!(self, SetSamplerStateAt.wrap = names);
        vary!(self, SetSamplerStateAt.filter = names);
        vary!(self, SetSamplerStateAt.mipfilter = names);
        vary!(self, SetSamplerStateAt.sampler = |_| 0..MOST_SLOTS);
        vary!(
            self,
            SetStencilReferenceValue.reference_value =
                |value: &u32| [value.wrapping_add(1), value.wrapping_sub(1), 0, 1]
        );
        match *self.call {
            Call::SetColorMask { .. } => {
                let (red, green, blue, alpha) = (true, true, true, true);
                self.with(|call| *call = Call::SetColorMask { red, green, blue, alpha });
            }
            Call::SetStencilReferenceValue { reference_value, .. } => {
                let (read_mask, write_mask) = (255, 255);
                self.with(|call| {
                    *call =
                        Call::SetStencilReferenceValue { reference_value, read_mask, write_mask };
                });
            }
            _ => {}
        }
    }

    /// Adds variants that set constants of the other stage, more registers, or a range that begins at another register,
    /// unless the data is too large.
    fn constants(&mut self) {
        vary!(self, SetProgramConstantsFromMatrix.transposed_matrix = inverted);
        if self.call.bytes() > 1 << 12 {
            return;
        }
        let other = |stage: &Enum<ProgramType>| match stage {
            Enum::Is(ProgramType::Vertex) => [ProgramType::Fragment.into()],
            _ => [ProgramType::Vertex.into()],
        };
        let moved = |first: &i32| {
            let first = *first;
            [-4, -3, -2, -1, 1, 2, 3, 4].map(|distance| (first + distance).max(0))
        };
        vary!(self, SetProgramConstantsFromMatrix.program_type = other);
        vary!(self, SetProgramConstantsFromVector.program_type = other);
        vary!(self, SetProgramConstantsFromFloatVector.program_type = other);
        vary!(self, SetProgramConstantsFromByteArray.program_type = other);
        vary!(self, SetProgramConstantsFromVector.num_registers = |_| [-1]);
        vary!(self, SetProgramConstantsFromFloatVector.num_registers = |_| [-1]);
        vary!(self, SetProgramConstantsFromMatrix.first_register = moved);
        vary!(self, SetProgramConstantsFromVector.first_register = moved);
        vary!(self, SetProgramConstantsFromFloatVector.first_register = moved);
        vary!(self, SetProgramConstantsFromByteArray.first_register = moved);
    }

    fn draws(&mut self, buffer: Option<IndexBufferId>, first: i32, count: i32) {
        self.with(|call| match call {
            Call::DrawTriangles { index_buffer, first_index, num_triangles }
            | Call::DrawTrianglesInstanced { index_buffer, first_index, num_triangles, .. } => {
                (*index_buffer, *first_index, *num_triangles) = (buffer, first, count);
            }
            _ => {}
        });
    }
}

fn names<T: FlashName>(_: &Enum<T>) -> impl Iterator<Item = Enum<T>> + use<T> {
    T::NAMES.iter().map(|(value, _)| Enum::Is(*value))
}

fn inverted(flag: &bool) -> [bool; 1] {
    [!flag]
}

/// Returns the cube face of a texture upload, or `None` for other calls.
pub(super) fn side(call: &Call) -> Option<u32> {
    match call {
        Call::TextureUploadFromBitmapData { side, .. }
        | Call::TextureUploadFromBitmapDataAsync { side, .. }
        | Call::TextureUploadFromByteArray { side, .. }
        | Call::TextureUploadFromByteArrayAsync { side, .. }
        | Call::TextureUploadBlocks { side, .. } => side.0,
        _ => None,
    }
}

pub(super) fn with_side(call: &Call, new: u32) -> Call {
    let mut call = call.clone();
    match &mut call {
        Call::TextureUploadFromBitmapData { side, .. }
        | Call::TextureUploadFromBitmapDataAsync { side, .. }
        | Call::TextureUploadFromByteArray { side, .. }
        | Call::TextureUploadFromByteArrayAsync { side, .. }
        | Call::TextureUploadBlocks { side, .. } => *side = CubeSide(Some(new)),
        _ => {}
    }
    call
}
