//! Calls that rebuild a context: its objects, their content, and its state.

use std::collections::BTreeSet;
use std::ops::Range;

use context3d::arguments::Rectangle;
use context3d::backend::{Backend, NullBackend};
use context3d::enums::{ProgramType, TriangleFace};
use context3d::internals::{Bound, Registers};
use context3d::keys::TextureKey;
use context3d::packets::{Packet, StencilFace};
use context3d::{Context3D, ContextOptions, Profile};
use molehill_capture::commands::Object;
use molehill_capture::data::{ByteArray, CubeSide, MipLevel, Optional};
use molehill_capture::objects::{ObjectId, ObjectKind, ProgramId, TextureId, VertexBufferId};
use molehill_capture::{Call, CallLine};

use crate::buffers::number as count;
use crate::capture::Capture;
use crate::effects::{Action, Effects};
use crate::error::{InspectError, Result};
use crate::history::History;
use crate::renderers::{Key, Player};
use crate::writes::{BACK, FRONT};

/// The objects that are bound in a context, including render targets.
pub(crate) fn bound_objects(player: &Player, context: usize) -> Vec<ObjectId> {
    let Some(bound) = player.bound(context) else { return Vec::new() };
    let mut keys: Vec<Key> = bound.program.map(Key::Program).into_iter().collect();
    keys.extend(bound.streams.iter().flatten().map(|stream| Key::Vertices(stream.buffer)));
    keys.extend(bound.textures.iter().flatten().map(|key| Key::Texture(*key)));
    keys.extend(bound.targets.iter().flatten().map(|target| Key::Texture(target.texture)));
    keys.into_iter().filter_map(|key| key.id(player, context)).collect()
}

/// Collects the calls that rebuild objects and state.
pub(crate) struct Restorer<'a> {
    pub(crate) capture: &'a Capture,
    pub(crate) history: &'a History,
    /// The replay at the cut.
    pub(crate) player: Player,
    pub(crate) needed: &'a BTreeSet<ObjectId>,
    /// The records after the cut, and the effects of all records.
    pub(crate) kept: Range<usize>,
    pub(crate) effects: &'a Effects,
    pub(crate) out: Vec<CallLine>,
}

impl Restorer<'_> {
    fn push(&mut self, on: ObjectId, call: Call) {
        self.out.push(CallLine::new(on, call));
    }

    fn set(&mut self, on: ObjectId, names: &[&'static str]) {
        for name in names {
            let line = self.history.settings.get(&(on, *name));
            self.out.extend(line.cloned());
        }
    }

    /// Rebuilds all contexts, one after the other, because a new context disposes of the previous one on its Stage3D.
    pub(crate) fn restore(mut self) -> Result<Vec<CallLine>> {
        let history = self.history;
        let stages: BTreeSet<ObjectId> = history.settings.keys().map(|(on, _)| *on).collect();
        for stage in stages {
            self.set(stage, &["x", "y", "visible"]);
        }
        for (id, line) in &history.created {
            if line.call.creates() == Some(ObjectKind::Context3D) && self.needed.contains(id) {
                self.out.push(line.clone());
                self.context(*id)?;
            }
        }
        Ok(self.out)
    }

    fn context(&mut self, context: ObjectId) -> Result<()> {
        let number = self.player.context_of(context);
        let bound = number.and_then(|number| self.player.bound(number));
        let history = self.history;
        if let Some(bound) = &bound {
            self.set(context, &["maxBackBufferWidth", "maxBackBufferHeight"]);
            if bound.ignore_limits {
                self.push(context, Call::SetIgnoreResourceLimits { value: true });
            }
            self.set(context, &["configureBackBuffer"]);
        }
        let own = |line: &CallLine| line.on == context && line.call.creates().is_some();
        let all = history.created.iter();
        let objects: Vec<_> = all.filter(|(id, it)| own(it) && self.needed.contains(id)).collect();
        for (id, line) in &objects {
            self.out.push(line.clone());
            if history.disposed.contains(id) {
                self.dispose(*id, line.call.creates());
            } else if let (Some(number), Some(_)) = (number, &bound) {
                self.content(*id, number)?;
            }
        }
        match (number, bound) {
            (Some(number), Some(bound)) => self.state(context, number, &bound),
            // The context was never used, or is disposed. A disposed one matters only if it has objects, whose calls
            // raise errors.
            _ if !objects.is_empty() => {
                self.push(context, Call::Dispose { recreate: Optional(None) });
            }
            _ => {}
        }
        Ok(())
    }

    fn dispose(&mut self, id: ObjectId, kind: Option<ObjectKind>) {
        let call = match kind {
            Some(ObjectKind::VertexBuffer3D) => Call::VertexBufferDispose {},
            Some(ObjectKind::IndexBuffer3D) => Call::IndexBufferDispose {},
            Some(ObjectKind::Program3D) => Call::ProgramDispose {},
            _ => Call::TextureDispose {},
        };
        self.push(id, call);
    }

    /// Uploads the content of an object, from its own uploads or as read back from the renderer.
    fn content(&mut self, id: ObjectId, context: usize) -> Result<()> {
        let uploads = self.history.uploads.get(&id);
        let call = match self.player.ids().get(id) {
            Some(Object::VertexBuffer(_, handle)) if uploads.is_some() => {
                let stride = self.player.vertex_stride(context, handle.key());
                let backend = self.player.backend_mut(context);
                let bytes = backend.and_then(|it| it.vertex_buffer(handle.key()));
                stride.zip(bytes).map(|((stride, _), bytes)| {
                    Call::VertexBufferUploadFromByteArray {
                        num_vertices: count(bytes.len() / (stride as usize).max(1)),
                        data: ByteArray::from(bytes.to_vec()),
                        byte_array_offset: 0,
                        start_vertex: 0,
                    }
                })
            }
            Some(Object::IndexBuffer(_, handle)) if uploads.is_some() => {
                let backend = self.player.backend_mut(context);
                let bytes = backend.and_then(|it| it.index_buffer(handle.key()));
                bytes.map(|bytes| Call::IndexBufferUploadFromByteArray {
                    count: count(bytes.len() / 2),
                    data: ByteArray::from(bytes.to_vec()),
                    byte_array_offset: 0,
                    start_offset: 0,
                })
            }
            Some(Object::Texture(_, handle)) if self.history.rendered.contains(&id) => {
                return self.texels(id, context, handle.key());
            }
            _ => {
                self.out.extend(uploads.into_iter().flatten().cloned());
                None
            }
        };
        call.into_iter().for_each(|call| self.push(id, call));
        Ok(())
    }

    /// Uploads the texels of a texture that was a render target, after generating the mip levels that the next draw
    /// would generate. Leaves out levels that nothing uses before they are cleared.
    fn texels(&mut self, id: ObjectId, context: usize, texture: TextureKey) -> Result<()> {
        let Some(desc) = self.player.texture_desc(context, texture) else { return Ok(()) };
        let kind = self.capture.objects().get(&id).map(|object| object.kind);
        let cube = kind == Some(ObjectKind::CubeTexture);
        let levels = kind != Some(ObjectKind::RectangleTexture);
        for side in 0..desc.kind.faces() {
            let mut due = self.player.due_mips(context, texture, side);
            let used = self.used_levels(context, texture, side);
            let used = |level: &u8| used[usize::from(*level > 0)];
            for level in (0..desc.levels).filter(used) {
                let Some(backend) = self.player.backend_mut(context) else { return Ok(()) };
                let (mut bytes, mut made) = (Vec::new(), Ok(()));
                let due = std::mem::take(&mut due);
                if due > 0 {
                    made =
                        backend.execute(Packet::GenerateMips { key: texture, side, levels: due });
                }
                let read = backend.level_texels(texture, (side, level), &mut bytes);
                let read = made.and(read).map_err(|error| {
                    let title = self.capture.title(id);
                    let text = format!("{title}: level {level} can't be read: {error}");
                    InspectError::Unsupported(text)
                });
                if read?.is_none() {
                    continue;
                }
                let call = Call::TextureUploadFromByteArray {
                    data: ByteArray::from(bytes),
                    byte_array_offset: 0,
                    side: CubeSide(cube.then_some(side.into())),
                    miplevel: MipLevel(levels.then_some(level.into())),
                };
                self.push(id, call);
            }
        }
        Ok(())
    }

    /// Returns whether the kept records use level 0 of a face that was a render target, and its other levels, before they
    /// replace them. Only a clear as a render target lets the next draw generate the other levels again.
    fn used_levels(&self, context: usize, texture: TextureKey, side: u8) -> [bool; 2] {
        let Some(levels) = self.effects.levels((context, texture, side)) else { return [true; 2] };
        let [first, others] =
            levels.map(|surface| self.effects.first_use(self.kept.clone(), surface));
        let is_used = |(_, _, replaces): (usize, Action, bool)| !replaces;
        let cleared = matches!(first, Some((_, Action::Clear, true)));
        [first.is_some_and(is_used), others.is_some_and(|it| is_used(it) || !cleared)]
    }

    /// Adds the setters of all state that differs from a new context's.
    fn state(&mut self, on: ObjectId, number: usize, bound: &Bound) {
        let fresh = fresh();
        let id = |key: Key| key.id(&self.player, number);
        let mut calls = Vec::new();
        if let Some(program) = bound.program.and_then(|key| id(Key::Program(key))) {
            calls.push(Call::SetProgram { program: Some(ProgramId(program)) });
        }
        for (index, stream) in (0..).zip(&bound.streams) {
            let Some(stream) = stream else { continue };
            calls.push(Call::SetVertexBufferAt {
                index,
                buffer: id(Key::Vertices(stream.buffer)).map(VertexBufferId),
                buffer_offset: stream.offset,
                format: stream.format.into(),
            });
        }
        for (sampler, texture) in (0..).zip(&bound.textures) {
            let Some(texture) = texture else { continue };
            let texture = id(Key::Texture(*texture)).map(TextureId);
            calls.push(Call::SetTextureAt { sampler, texture });
        }
        // `setProgram` sets the samplers that its program declares, so their defaults have to be set again.
        let profile = self.player.profile(number);
        let samplers = profile.map_or(0, |profile| Registers::of(profile).samplers);
        let samplers = i32::try_from(samplers).unwrap_or(0);
        let all = (0..).zip(bound.samplers.iter().zip(&fresh.samplers));
        for (sampler, (state, initial)) in all {
            if state == initial && (bound.program.is_none() || sampler >= samplers) {
                continue;
            }
            calls.push(Call::SetSamplerStateAt {
                sampler,
                wrap: state.wrap.into(),
                filter: state.filter.into(),
                mipfilter: state.mip.into(),
            });
        }
        let setters = raster(bound).into_iter().zip(raster(&fresh));
        calls.extend(setters.filter(|(now, initial)| now != initial).map(|(now, _)| now));
        calls.extend(constants(ProgramType::Vertex, &bound.vertex_constants));
        calls.extend(constants(ProgramType::Fragment, &bound.fragment_constants));
        for (output, target) in (0..).zip(&bound.targets) {
            let Some(target) = target else { continue };
            calls.push(Call::SetRenderToTexture {
                texture: id(Key::Texture(target.texture)).map(TextureId),
                enable_depth_and_stencil: target.depth_stencil,
                anti_alias: target.samples.into(),
                surface_selector: target.side.into(),
                color_output_index: output,
            });
        }
        if bound.error_checking {
            calls.push(Call::SetErrorChecking { value: true });
        }
        for call in calls {
            self.push(on, call);
        }
    }
}

/// Sets all registers up to the last one that is not zero; `None` if all are zero.
fn constants(kind: ProgramType, bank: &[[f32; 4]]) -> Option<Call> {
    let last = bank.iter().rposition(|value| value.map(f32::to_bits) != [0; 4])?;
    let values = bank.get(..=last)?.as_flattened();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Some(Call::SetProgramConstantsFromByteArray {
        program_type: kind.into(),
        first_register: 0,
        num_registers: count(last + 1),
        data: ByteArray::from(bytes),
        byte_array_offset: 0,
    })
}

/// The state of a new context.
fn fresh() -> Bound {
    let options = ContextOptions { profile: Profile::Standard, swf_version: 0 };
    Context3D::new(NullBackend::counting(), options).bound()
}

/// The call that sets fixed-function state to what it is first, by its name in
/// [`StateReport`](crate::state::StateReport).
pub(crate) fn initial(name: &str) -> Option<Call> {
    let found = RASTER.iter().position(|(known, _)| *known == name)?;
    raster(&fresh()).into_iter().nth(found)
}

/// The rows of fixed-function state in [`StateReport`](crate::state::StateReport), and the slots that set them.
pub(crate) const RASTER: [(&str, &str); 9] = [
    ("culling", "setCulling"),
    ("blend", "setBlendFactors"),
    ("color mask", "setColorMask"),
    ("depth test", "setDepthTest"),
    (FRONT, FRONT),
    (BACK, BACK),
    ("stencil reference", "setStencilReferenceValue"),
    ("scissor", "setScissorRectangle"),
    ("fill", "setFillMode"),
];

/// The setters of all fixed-function state, in the order of [`RASTER`].
fn raster(bound: &Bound) -> [Call; 9] {
    let now = &bound.raster;
    let [red, green, blue, alpha] = now.color_mask;
    let (source, destination) = now.blend;
    let stencil = |face: TriangleFace, now: &StencilFace| Call::SetStencilActions {
        triangle_face: face.into(),
        compare_mode: now.compare.into(),
        action_on_both_pass: now.both_pass.into(),
        action_on_depth_fail: now.depth_fail.into(),
        action_on_depth_pass_stencil_fail: now.stencil_fail.into(),
    };
    let real = |value: i64| f64::from(i32::try_from(value).unwrap_or(i32::MAX));
    let rectangle = bound.scissor.map(|[left, top, right, bottom]| {
        let (x, y) = (real(left), real(top));
        Rectangle { x, y, width: real(right - left), height: real(bottom - top) }
    });
    [
        Call::SetCulling { triangle_face_to_cull: now.cull.into() },
        Call::SetBlendFactors {
            source_factor: source.into(),
            destination_factor: destination.into(),
        },
        Call::SetColorMask { red, green, blue, alpha },
        Call::SetDepthTest {
            depth_mask: now.depth_write,
            pass_compare_mode: now.depth_compare.into(),
        },
        stencil(TriangleFace::Front, &now.stencil_front),
        stencil(TriangleFace::Back, &now.stencil_back),
        Call::SetStencilReferenceValue {
            reference_value: now.stencil_reference.into(),
            read_mask: now.stencil_read_mask.into(),
            write_mask: now.stencil_write_mask.into(),
        },
        Call::SetScissorRectangle { rectangle },
        Call::SetFillMode { fill_mode: now.fill.into() },
    ]
}
