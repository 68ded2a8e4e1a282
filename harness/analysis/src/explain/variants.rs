//! Generates alternative values for a call's arguments.

use std::collections::{BTreeMap, BTreeSet};

use context3d::arguments::Rectangle;
use context3d::enums::{FlashName, ProgramType, VertexFormat};
use molehill_capture::data::{CubeSide, Enum};
use molehill_capture::objects::{
    IndexBufferId, ObjectId, ObjectKind, ProgramId, TextureId, VertexBufferId,
};
use molehill_capture::{Call, CallLine};

use crate::calls::floats;

/// Maximum number of offsets in a vertex, in 32-bit values, to try for an attribute.
const MOST_OFFSETS: i32 = 32;
/// Maximum number of alternative scissor rectangles to try. `MOST_SLOTS` is the maximum number of samplers and streams.
const MOST_RECTANGLES: usize = 8;
const MOST_SLOTS: i32 = 8;

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
        self.state(call, &mut out);
        self.bindings(call, &mut out);
        Self::stencil(call, &mut out);
        self.drawing(call, &mut out);
        self.targets(call, &mut out);
        out.found
    }

    #[allow(clippy::unused_self, reason = "as the other groups of calls")]
    fn state(&self, call: &Call, out: &mut VariantCollector<'_>) {
        match call {
            Call::SetCulling { triangle_face_to_cull } => {
                out.names(triangle_face_to_cull, |triangle_face_to_cull| Call::SetCulling {
                    triangle_face_to_cull,
                });
            }
            Call::SetBlendFactors { source_factor, destination_factor } => {
                out.names(source_factor, |source_factor| Call::SetBlendFactors {
                    source_factor,
                    destination_factor: destination_factor.clone(),
                });
                out.names(destination_factor, |destination_factor| Call::SetBlendFactors {
                    source_factor: source_factor.clone(),
                    destination_factor,
                });
            }
            Call::SetDepthTest { depth_mask, pass_compare_mode } => {
                let mode = pass_compare_mode.clone();
                out.add(Call::SetDepthTest { depth_mask: !depth_mask, pass_compare_mode: mode });
                out.names(pass_compare_mode, |pass_compare_mode| Call::SetDepthTest {
                    depth_mask: *depth_mask,
                    pass_compare_mode,
                });
            }
            &Call::SetColorMask { red, green, blue, alpha } => {
                for turned in 0..4 {
                    let [red, green, blue, alpha] = {
                        let mut mask = [red, green, blue, alpha];
                        mask.get_mut(turned).into_iter().for_each(|it| *it = !*it);
                        mask
                    };
                    out.add(Call::SetColorMask { red, green, blue, alpha });
                }
                out.add(Call::SetColorMask { red: true, green: true, blue: true, alpha: true });
            }
            Call::SetScissorRectangle { rectangle: Some(old) } => {
                out.add(Call::SetScissorRectangle { rectangle: None });
                let Rectangle { width, height, .. } = *old;
                let own = [
                    Rectangle { x: 0.0, y: 0.0, ..*old },
                    Rectangle { x: old.y, y: old.x, ..*old },
                    Rectangle { width: height, height: width, ..*old },
                ];
                for rectangle in self.rectangles.iter().copied().chain(own) {
                    out.add(Call::SetScissorRectangle { rectangle: Some(rectangle) });
                }
            }
            Call::SetSamplerStateAt { sampler, wrap, filter, mipfilter } => {
                let sampler = *sampler;
                let (w, f, m) = (wrap, filter, mipfilter);
                let with = |wrap, filter, mipfilter| Call::SetSamplerStateAt {
                    sampler,
                    wrap,
                    filter,
                    mipfilter,
                };
                out.names(wrap, |wrap| with(wrap, f.clone(), m.clone()));
                out.names(filter, |filter| with(w.clone(), filter, m.clone()));
                out.names(mipfilter, |mipfilter| with(w.clone(), f.clone(), mipfilter));
                out.slots();
            }
            Call::SetProgramConstantsFromMatrix { transposed_matrix, .. } => {
                out.with(|call| {
                    if let Call::SetProgramConstantsFromMatrix { transposed_matrix: it, .. } = call
                    {
                        *it = !*transposed_matrix;
                    }
                });
                out.registers();
            }
            Call::SetProgramConstantsFromVector { .. }
            | Call::SetProgramConstantsFromFloatVector { .. }
            | Call::SetProgramConstantsFromByteArray { .. } => out.registers(),
            _ => {}
        }
    }

    fn bindings(&self, call: &Call, out: &mut VariantCollector<'_>) {
        match call {
            Call::SetVertexBufferAt { index, buffer: Some(buffer), buffer_offset, format } => {
                let with = |buffer, buffer_offset, format: &Enum<VertexFormat>| {
                    let (index, format) = (*index, format.clone());
                    Call::SetVertexBufferAt { index, buffer: Some(buffer), buffer_offset, format }
                };
                let shape = self.vertices.get(&buffer.0).copied();
                let stride = shape.map_or(0, |(stride, _)| stride);
                let fits = |offset: i32, format: &Enum<VertexFormat>| {
                    floats(format).is_some_and(|floats| offset + floats <= stride)
                };
                for offset in (0..stride.min(MOST_OFFSETS)).filter(|it| fits(*it, format)) {
                    out.add(with(*buffer, offset, format));
                }
                for (other, _) in VertexFormat::NAMES {
                    let other = Enum::Is(*other);
                    if fits(*buffer_offset, &other) {
                        out.add(with(*buffer, *buffer_offset, &other));
                    }
                }
                out.slots();
                for (id, other) in &self.vertices {
                    if Some(*other) == shape {
                        out.add(with(VertexBufferId(*id), *buffer_offset, format));
                    }
                }
            }
            Call::SetTextureAt { sampler, texture: Some(texture) } => {
                out.slots();
                let kind = self.textures.get(&texture.0);
                let alike = self.textures.iter().filter(|(_, it)| Some(*it) == kind);
                for (id, _) in alike {
                    let texture = Some(TextureId(*id));
                    out.add(Call::SetTextureAt { sampler: *sampler, texture });
                }
            }
            Call::SetProgram { program: Some(_) } => {
                for id in &self.programs {
                    out.add(Call::SetProgram { program: Some(ProgramId(*id)) });
                }
            }
            _ => {}
        }
    }

    fn stencil(call: &Call, out: &mut VariantCollector<'_>) {
        match call {
            Call::SetStencilActions {
                triangle_face,
                compare_mode,
                action_on_both_pass,
                action_on_depth_fail,
                action_on_depth_pass_stencil_fail,
            } => {
                let old = (triangle_face, compare_mode);
                let actions =
                    [action_on_both_pass, action_on_depth_fail, action_on_depth_pass_stencil_fail];
                let with =
                    |face: &Enum<_>, mode: &Enum<_>, [pass, depth, stencil]: [&Enum<_>; 3]| {
                        Call::SetStencilActions {
                            triangle_face: face.clone(),
                            compare_mode: mode.clone(),
                            action_on_both_pass: pass.clone(),
                            action_on_depth_fail: depth.clone(),
                            action_on_depth_pass_stencil_fail: stencil.clone(),
                        }
                    };
                out.names(triangle_face, |face| with(&face, old.1, actions));
                out.names(compare_mode, |mode| with(old.0, &mode, actions));
                for at in 0..3 {
                    let Some(action) = actions.get(at) else { continue };
                    out.names(action, |action| {
                        let mut actions = actions;
                        actions.get_mut(at).into_iter().for_each(|it| *it = &action);
                        with(old.0, old.1, actions)
                    });
                }
            }
            Call::SetStencilReferenceValue { reference_value, read_mask, write_mask } => {
                let (value, read_mask, write_mask) = (*reference_value, *read_mask, *write_mask);
                for reference_value in [value.wrapping_add(1), value.wrapping_sub(1), 0, 1] {
                    out.add(Call::SetStencilReferenceValue {
                        reference_value,
                        read_mask,
                        write_mask,
                    });
                }
                let all = Call::SetStencilReferenceValue {
                    reference_value: value,
                    read_mask: 255,
                    write_mask: 255,
                };
                out.add(all);
            }
            _ => {}
        }
    }

    fn drawing(&self, call: &Call, out: &mut VariantCollector<'_>) {
        let (buffer, first, count) = match call {
            Call::DrawTriangles { index_buffer, first_index, num_triangles }
            | Call::DrawTrianglesInstanced { index_buffer, first_index, num_triangles, .. } => {
                (index_buffer, *first_index, *num_triangles)
            }
            _ => return,
        };
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
                out.draws(*buffer, first, count);
            }
        }
        for (id, other) in &self.indices {
            if *other >= first + count.max(1) * 3 {
                out.draws(Some(IndexBufferId(*id)), first, count);
            }
        }
    }

    fn targets(&self, call: &Call, out: &mut VariantCollector<'_>) {
        match call {
            Call::SetRenderToTexture { .. } => {
                out.with(|call| {
                    if let Call::SetRenderToTexture { enable_depth_and_stencil, .. } = call {
                        *enable_depth_and_stencil = !*enable_depth_and_stencil;
                    }
                });
                for side in 0..6 {
                    out.with(|call| {
                        if let Call::SetRenderToTexture { surface_selector, .. } = call {
                            *surface_selector = side;
                        }
                    });
                }
            }
            Call::Clear { .. } => {
                for all in [0, 1, 2, 3, 4, 6, 7, u32::MAX] {
                    out.with(|call| {
                        if let Call::Clear { mask, .. } = call {
                            *mask = all;
                        }
                    });
                }
                if let Some([r, g, b, _]) =
                    self.background.map(|it| it.map(|it| f64::from(it) / 255.0))
                {
                    out.with(|call| {
                        if let Call::Clear { red, green, blue, .. } = call {
                            (*red, *green, *blue) = (r, g, b);
                        }
                    });
                }
                for value in [0.0, 1.0] {
                    out.with(|call| {
                        if let Call::Clear { depth, .. } = call {
                            *depth = value;
                        }
                    });
                    out.with(|call| {
                        if let Call::Clear { alpha, .. } = call {
                            *alpha = value;
                        }
                    });
                }
            }
            Call::ConfigureBackBuffer { .. } => out.with(|call| {
                if let Call::ConfigureBackBuffer { enable_depth_and_stencil, .. } = call {
                    *enable_depth_and_stencil = !*enable_depth_and_stencil;
                }
            }),
            _ => {}
        }
    }
}

/// Collects copies of a call with changed arguments.
struct VariantCollector<'a> {
    call: &'a Call,
    found: Vec<Call>,
}

impl VariantCollector<'_> {
    fn add(&mut self, call: Call) {
        if call != *self.call && !self.found.contains(&call) {
            self.found.push(call);
        }
    }

    fn with(&mut self, change: impl FnOnce(&mut Call)) {
        let mut call = self.call.clone();
        change(&mut call);
        self.add(call);
    }

    fn names<T: FlashName>(&mut self, _: &Enum<T>, make: impl Fn(Enum<T>) -> Call) {
        for (value, _) in T::NAMES {
            self.add(make(Enum::Is(*value)));
        }
    }

    /// Adds variants that set other slots of a stream, a texture or a sampler.
    fn slots(&mut self) {
        for slot in 0..MOST_SLOTS {
            self.with(|call| match call {
                Call::SetVertexBufferAt { index: it, .. }
                | Call::SetTextureAt { sampler: it, .. }
                | Call::SetSamplerStateAt { sampler: it, .. } => *it = slot,
                _ => {}
            });
        }
    }

    /// Adds variants that set constants of the other stage, more registers, or a range that begins at another register,
    /// unless the data is too large.
    fn registers(&mut self) {
        if self.call.bytes() > 1 << 12 {
            return;
        }
        self.with(|call| match call {
            Call::SetProgramConstantsFromMatrix { program_type: it, .. }
            | Call::SetProgramConstantsFromVector { program_type: it, .. }
            | Call::SetProgramConstantsFromFloatVector { program_type: it, .. }
            | Call::SetProgramConstantsFromByteArray { program_type: it, .. } => {
                *it = match it {
                    Enum::Is(ProgramType::Vertex) => ProgramType::Fragment.into(),
                    _ => ProgramType::Vertex.into(),
                };
            }
            _ => {}
        });
        self.with(|call| match call {
            Call::SetProgramConstantsFromVector { num_registers: it, .. }
            | Call::SetProgramConstantsFromFloatVector { num_registers: it, .. } => *it = -1,
            _ => {}
        });
        for distance in [-4, -3, -2, -1, 1, 2, 3, 4] {
            self.with(|call| match call {
                Call::SetProgramConstantsFromMatrix { first_register, .. }
                | Call::SetProgramConstantsFromVector { first_register, .. }
                | Call::SetProgramConstantsFromFloatVector { first_register, .. }
                | Call::SetProgramConstantsFromByteArray { first_register, .. } => {
                    *first_register = (*first_register + distance).max(0);
                }
                _ => {}
            });
        }
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
