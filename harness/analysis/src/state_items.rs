//! A table of Stage3D's state items: their names, the calls that set them, and their values as calls and as text. State
//! reports, value origins and trimmed captures use the table of state items. A new call, or a new field of
//! [`BoundState`] or [`Raster`], doesn't compile until it is handled here.

use std::fmt;
use std::ops::Range;

use context3d::arguments::Rectangle;
use context3d::backend::NullBackend;
use context3d::enums::{FlashName, ProgramType, TriangleFace};
use context3d::internals::{BoundState, BoundTarget};
use context3d::keys::TextureKey;
use context3d::packets::{
    MAX_COLOR_OUTPUTS, MAX_SAMPLERS, MAX_STREAMS, Raster, SamplerState, StencilFace,
};
use context3d::{Context3D, ContextOptions, Profile};
use molehill_capture::Call;
use molehill_capture::data::{ByteArray, Enum};
use molehill_capture::objects::{ObjectId, ProgramId, TextureId, VertexBufferId};
use serde::Serialize;

use self::RestoreTime::{AfterObjects, BeforeObjects, Never};
use crate::calls::{integer, registers};
use crate::number::text;
use crate::resource_key::ResourceKey;

agal_core::table! {
    /// An area of the state: a section of a state report.
    #[derive(Default, Serialize)]
    #[serde(rename_all = "camelCase")]
    pub enum StateArea {
        name: &'static str as Display,
        /// The heading of the section in the inspector's window.
        title: &'static str,
    }
    #[default]
    Program   "program",   "Program";
    Targets   "targets",   "Render targets";
    Raster    "raster",    "Raster state";
    Streams   "streams",   "Vertex streams";
    Textures  "textures",  "Textures";
    Constants "constants", "Constants";
    /// State that reports omit.
    Hidden    "",          "";
}

/// The time at which a trimmed capture restores a state item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestoreTime {
    /// The state item is restored before any context is created.
    OnStage,
    /// The state item is restored before the context's objects are created. If [`BoundState`] lacks the value, the last
    /// call that set the value is repeated.
    BeforeObjects,
    AfterObjects,
    /// The state item is never restored, because it is an argument of each draw.
    Never,
}

agal_core::table! {
    /// A state item of a context or a Stage3D.
    pub enum StateItem {
        area: StateArea,
        /// The name of the state item in reports, without the slot's index.
        name: &'static str => from_name(&str),
        /// The name of the component, if several items share one row.
        part: &'static str,
        /// The state item's number of slots. If a state item has several slots, reports add the slot's index to names.
        slots: usize,
        /// The time at which a trimmed capture restores the item. Items with equal times are restored in the order of
        /// this table.
        restored_at: RestoreTime,
    }
    Program           StateArea::Program,   "program",           "",            1,                 AfterObjects;
    Output            StateArea::Targets,   "output ",           "",            MAX_COLOR_OUTPUTS, AfterObjects;
    Culling           StateArea::Raster,    "culling",           "",            1,                 AfterObjects;
    Blend             StateArea::Raster,    "blend",             "",            1,                 AfterObjects;
    ColorMask         StateArea::Raster,    "color mask",        "",            1,                 AfterObjects;
    DepthTest         StateArea::Raster,    "depth test",        "",            1,                 AfterObjects;
    StencilFront      StateArea::Raster,    "stencil front",     "",            1,                 AfterObjects;
    StencilBack       StateArea::Raster,    "stencil back",      "",            1,                 AfterObjects;
    StencilReference  StateArea::Raster,    "stencil reference", "",            1,                 AfterObjects;
    Scissor           StateArea::Raster,    "scissor",           "",            1,                 AfterObjects;
    Fill              StateArea::Raster,    "fill",              "",            1,                 AfterObjects;
    Stream            StateArea::Streams,   "va",                "",            MAX_STREAMS,       AfterObjects;
    /// The index buffer, which is an argument of each draw.
    Indices           StateArea::Streams,   "indices",           "",            1,                 Never;
    Texture           StateArea::Textures,  "fs",                "",            MAX_SAMPLERS,      AfterObjects;
    Sampler           StateArea::Textures,  "fs",                "sampler",     MAX_SAMPLERS,      AfterObjects;
    /// The whole constant register file is one slot, and each register is a row.
    VertexConstants   StateArea::Constants, "vc",                "",            1,                 AfterObjects;
    FragmentConstants StateArea::Constants, "fc",                "",            1,                 AfterObjects;
    ErrorChecking     StateArea::Hidden,    "",                  "",            1,                 AfterObjects;
    MaxWidth          StateArea::Hidden,    "",                  "",            1,                 BeforeObjects;
    MaxHeight         StateArea::Hidden,    "",                  "",            1,                 BeforeObjects;
    IgnoreLimits      StateArea::Hidden,    "",                  "",            1,                 BeforeObjects;
    /// The back buffer, which is output 0 if no texture is a render target.
    BackBuffer        StateArea::Targets,   "output 0",          "back buffer", 1,                 BeforeObjects;
    StageX            StateArea::Hidden,    "",                  "",            1,                 RestoreTime::OnStage;
    StageY            StateArea::Hidden,    "",                  "",            1,                 RestoreTime::OnStage;
    StageVisible      StateArea::Hidden,    "",                  "",            1,                 RestoreTime::OnStage;
}

impl StateItem {
    pub fn slot(self, index: usize) -> StateSlot {
        StateSlot { item: self, index }
    }

    /// Returns the state items that a trimmed capture restores at the time `at`.
    pub(crate) fn restored(at: RestoreTime) -> impl Iterator<Item = StateItem> {
        StateItem::ALL.iter().copied().filter(move |item| item.restored_at() == at)
    }

    fn is_indexed(self) -> bool {
        self.slots() > 1 || self.area() == StateArea::Constants
    }
}

/// A slot of Stage3D's state, such as sampler 1 or stream 0, or a constant register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateSlot {
    pub item: StateItem,
    pub index: usize,
}

impl fmt::Display for StateSlot {
    /// Formats the slot's name in state reports: `culling`, `va0`, `vc12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.item.name())?;
        if self.item.is_indexed() { self.index.fmt(f) } else { Ok(()) }
    }
}

impl StateSlot {
    /// Parses the name of a row in a state report, such as `vc4`. Returns `None` for an unknown name.
    pub(crate) fn from_name(name: &str) -> Option<StateSlot> {
        let letters = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let item = StateItem::from_name(letters).filter(|item| item.area() != StateArea::Hidden)?;
        match name.strip_prefix(letters)? {
            "" if !item.is_indexed() => Some(item.slot(0)),
            digits if item.is_indexed() => Some(item.slot(digits.parse().ok()?)),
            _ => None,
        }
    }
}

/// Returns the items that a call can set. A row has names of calls, and the items that each of these calls can set.
macro_rules! items {
    ($call:expr; $($($name:ident)+ => $items:expr;)+) => {
        match $call {
            $($(Call::$name { .. })|+ => $items,)+
        }
    };
}

/// Returns the items that a call can set. Returns no items for a call that sets no state.
fn items(call: &Call) -> &'static [StateItem] {
    use StateItem as Item;
    items! { call;
        SetProgram => &[Item::Program];
        SetRenderToTexture SetRenderToBackBuffer Present => &[Item::Output];
        SetCulling => &[Item::Culling];
        SetBlendFactors => &[Item::Blend];
        SetColorMask => &[Item::ColorMask];
        SetDepthTest => &[Item::DepthTest];
        SetStencilActions => &[Item::StencilFront, Item::StencilBack];
        SetStencilReferenceValue => &[Item::StencilReference];
        SetScissorRectangle => &[Item::Scissor];
        SetFillMode => &[Item::Fill];
        SetVertexBufferAt => &[Item::Stream];
        SetTextureAt => &[Item::Texture];
        SetSamplerStateAt => &[Item::Sampler];
        SetProgramConstantsFromMatrix SetProgramConstantsFromVector SetProgramConstantsFromFloatVector
        SetProgramConstantsFromByteArray => &[Item::VertexConstants, Item::FragmentConstants];
        SetErrorChecking => &[Item::ErrorChecking];
        SetMaxBackBufferWidth => &[Item::MaxWidth];
        SetMaxBackBufferHeight => &[Item::MaxHeight];
        SetIgnoreResourceLimits => &[Item::IgnoreLimits];
        ConfigureBackBuffer => &[Item::BackBuffer];
        SetX => &[Item::StageX];
        SetY => &[Item::StageY];
        SetVisible => &[Item::StageVisible];
        RequestContext3D Clear Dispose DrawTriangles DrawTrianglesInstanced DrawToBitmapData
        CreateVertexBuffer CreateVertexBufferForInstances CreateIndexBuffer CreateProgram
        CreateTexture CreateRectangleTexture CreateCubeTexture CreateVideoTexture
        VertexBufferUploadFromByteArray VertexBufferUploadFromVector VertexBufferUploadFromFloatVector
        VertexBufferDispose IndexBufferUploadFromByteArray IndexBufferUploadFromVector IndexBufferDispose
        ProgramUpload ProgramDispose TextureUploadFromBitmapData TextureUploadFromByteArray
        TextureUploadFromBitmapDataAsync TextureUploadFromByteArrayAsync
        TextureUploadCompressedFromByteArray TextureUploadBlocks TextureDispose
        VideoTextureFrame => &[];
    }
}

/// Returns the items that a call sets, with their slot indices or constant registers. Returns no items for a call that
/// sets no state.
pub fn set_by(call: &Call) -> (&'static [StateItem], Range<usize>) {
    let first = |index: &i32| usize::try_from(*index).unwrap_or(usize::MAX);
    let range = |index: &i32, count| first(index)..first(index).saturating_add(count);
    match call {
        Call::SetProgramConstantsFromMatrix { program_type, first_register, .. }
        | Call::SetProgramConstantsFromVector { program_type, first_register, .. }
        | Call::SetProgramConstantsFromFloatVector { program_type, first_register, .. }
        | Call::SetProgramConstantsFromByteArray { program_type, first_register, .. } => {
            let bank: &[StateItem] = match program_type {
                Enum::Is(ProgramType::Vertex) => &[StateItem::VertexConstants],
                _ => &[StateItem::FragmentConstants],
            };
            (bank, range(first_register, registers(call) as usize))
        }
        // A null texture makes output 0 the back buffer, and unsets other outputs [context3d.target.back].
        Call::SetRenderToTexture { texture: None, color_output_index: 0, .. }
        | Call::SetRenderToBackBuffer {}
        | Call::Present {} => (items(call), 0..MAX_COLOR_OUTPUTS),
        Call::SetRenderToTexture { color_output_index: index, .. }
        | Call::SetVertexBufferAt { index, .. }
        | Call::SetTextureAt { sampler: index, .. }
        | Call::SetSamplerStateAt { sampler: index, .. } => (items(call), range(index, 1)),
        Call::SetStencilActions { triangle_face: Enum::Is(TriangleFace::Front), .. } => {
            (&[StateItem::StencilFront], 0..1)
        }
        Call::SetStencilActions { triangle_face: Enum::Is(TriangleFace::Back), .. } => {
            (&[StateItem::StencilBack], 0..1)
        }
        _ => (items(call), 0..1),
    }
}

impl StateItem {
    /// Returns the item's number of rows in a state report. For constants, the last row is the last nonzero register.
    pub(crate) fn rows(self, bound: &BoundState) -> usize {
        match self {
            StateItem::VertexConstants => used(&bound.vertex_constants),
            StateItem::FragmentConstants => used(&bound.fragment_constants),
            _ => self.slots(),
        }
    }

    /// Returns a row's value as text, or `None` for an empty slot or missing row. `title` formats an object.
    pub(crate) fn value(
        self,
        index: usize,
        bound: &BoundState,
        title: &dyn Fn(ResourceKey) -> String,
    ) -> Option<String> {
        let raster = &bound.raster;
        Some(match self {
            StateItem::Program => title(ResourceKey::Program(bound.program?)),
            StateItem::Output => output_text(index, bound, title)?,
            StateItem::Culling => raster.cull.name().to_owned(),
            StateItem::Blend => format!("{}, {}", raster.blend.0.name(), raster.blend.1.name()),
            StateItem::ColorMask => {
                let channels = ["red", "green", "blue", "alpha"].into_iter();
                let enabled = channels.zip(raster.color_mask).filter(|(_, enabled)| *enabled);
                enabled.map(|(name, _)| name).collect::<Vec<_>>().join(", ")
            }
            StateItem::DepthTest => {
                let write = if raster.depth_write { "written" } else { "not written" };
                format!("{}, {write}", raster.depth_compare.name())
            }
            StateItem::StencilFront => stencil_text(&raster.stencil_front),
            StateItem::StencilBack => stencil_text(&raster.stencil_back),
            StateItem::StencilReference => format!(
                "{}, read mask {}, write mask {}",
                raster.stencil_reference, raster.stencil_read_mask, raster.stencil_write_mask
            ),
            StateItem::Scissor => bound.scissor.map_or("none".to_owned(), area_text),
            StateItem::Fill => raster.fill.name().to_owned(),
            StateItem::Stream => {
                let stream = bound.streams.get(index)?.as_ref()?;
                let (title, format) =
                    (title(ResourceKey::Vertices(stream.buffer)), stream.format.name());
                format!("{title}, offset {}, {format}", stream.offset)
            }
            StateItem::Texture => {
                let (texture, state) = ((*bound.textures.get(index)?)?, bound.samplers.get(index)?);
                let (wrap, filter) = (state.wrap.name(), state.filter.name());
                format!(
                    "{}, {wrap}, {filter}, {}",
                    title(ResourceKey::Texture(texture)),
                    state.mip.name()
                )
            }
            StateItem::VertexConstants => text(bound.vertex_constants.get(index)?),
            StateItem::FragmentConstants => text(bound.fragment_constants.get(index)?),
            StateItem::BackBuffer
            | StateItem::Indices
            | StateItem::Sampler
            | StateItem::ErrorChecking => return None,
            StateItem::IgnoreLimits | StateItem::MaxWidth | StateItem::MaxHeight => return None,
            StateItem::StageX | StateItem::StageY | StateItem::StageVisible => return None,
        })
    }

    /// Returns the call that restores a slot's value. Returns `None` for an empty slot, or a value that [`BoundState`]
    /// lacks. `id` returns the id of an object.
    pub(crate) fn call(
        self,
        index: usize,
        bound: &BoundState,
        id: &dyn Fn(ResourceKey) -> Option<ObjectId>,
    ) -> Option<Call> {
        let slot = integer(index);
        let texture = |key| id(ResourceKey::Texture(key)).map(TextureId);
        // The pattern of `BoundState` has no `..`, so that a new field must be handled in this function.
        let BoundState {
            program,
            streams,
            textures,
            samplers,
            raster,
            scissor,
            targets,
            back_buffer: _, // in other units than the arguments of its call
            error_checking,
            ignore_limits,
            vertex_constants,
            fragment_constants,
        } = bound;
        Some(match self {
            StateItem::Program => {
                let program = id(ResourceKey::Program((*program)?)).map(ProgramId);
                Call::SetProgram { program: Some(program?) }
            }
            StateItem::Output => output_call(index, targets.get(index)?.as_ref()?, texture),
            StateItem::Culling
            | StateItem::Blend
            | StateItem::ColorMask
            | StateItem::DepthTest
            | StateItem::StencilFront
            | StateItem::StencilBack
            | StateItem::StencilReference
            | StateItem::Fill => self.raster_call(raster)?,
            StateItem::Scissor => Call::SetScissorRectangle { rectangle: scissor.map(rectangle) },
            StateItem::Stream => {
                let stream = streams.get(index)?.as_ref()?;
                let buffer = id(ResourceKey::Vertices(stream.buffer)).map(VertexBufferId);
                let (buffer_offset, format) = (stream.offset, stream.format.into());
                Call::SetVertexBufferAt { index: slot, buffer, buffer_offset, format }
            }
            StateItem::Texture => {
                let texture = texture((*textures.get(index)?)?);
                Call::SetTextureAt { sampler: slot, texture }
            }
            StateItem::Sampler => sampler_call(slot, samplers.get(index)?),
            StateItem::VertexConstants => constants(ProgramType::Vertex, vertex_constants)?,
            StateItem::FragmentConstants => constants(ProgramType::Fragment, fragment_constants)?,
            StateItem::ErrorChecking => Call::SetErrorChecking { value: *error_checking },
            StateItem::IgnoreLimits => Call::SetIgnoreResourceLimits { value: *ignore_limits },
            StateItem::BackBuffer | StateItem::Indices => return None,
            StateItem::MaxWidth | StateItem::MaxHeight => return None,
            StateItem::StageX | StateItem::StageY | StateItem::StageVisible => return None,
        })
    }

    /// Returns the call that restores an item of fixed-function state, or `None` for other items.
    fn raster_call(self, raster: &Raster) -> Option<Call> {
        // The pattern of `Raster` has no `..`, so that a new field must be handled in this function.
        let Raster {
            cull,
            blend: (source, destination),
            color_mask: [red, green, blue, alpha],
            depth_write,
            depth_compare,
            stencil_front,
            stencil_back,
            stencil_reference,
            stencil_read_mask,
            stencil_write_mask,
            fill,
        } = *raster;
        let (source_factor, destination_factor) = (source.into(), destination.into());
        let pass_compare_mode = depth_compare.into();
        let reference = Call::SetStencilReferenceValue {
            reference_value: stencil_reference.into(),
            read_mask: stencil_read_mask.into(),
            write_mask: stencil_write_mask.into(),
        };
        let calls = [
            (StateItem::Culling, Call::SetCulling { triangle_face_to_cull: cull.into() }),
            (StateItem::Blend, Call::SetBlendFactors { source_factor, destination_factor }),
            (StateItem::ColorMask, Call::SetColorMask { red, green, blue, alpha }),
            (
                StateItem::DepthTest,
                Call::SetDepthTest { depth_mask: depth_write, pass_compare_mode },
            ),
            (StateItem::StencilFront, stencil_call(TriangleFace::Front, &stencil_front)),
            (StateItem::StencilBack, stencil_call(TriangleFace::Back, &stencil_back)),
            (StateItem::StencilReference, reference),
            (StateItem::Fill, Call::SetFillMode { fill_mode: fill.into() }),
        ];
        calls.into_iter().find(|(item, _)| *item == self).map(|(_, call)| call)
    }
}

/// Returns the number of registers up to the last nonzero register.
fn used(bank: &[[f32; 4]]) -> usize {
    bank.iter().rposition(|value| value.map(f32::to_bits) != [0; 4]).map_or(0, |last| last + 1)
}

/// Returns the call that sets a constant register file, or `None` if all registers are zero.
fn constants(kind: ProgramType, bank: &[[f32; 4]]) -> Option<Call> {
    let values = bank.get(..used(bank)).filter(|values| !values.is_empty())?;
    let bytes = values.as_flattened().iter().flat_map(|value| value.to_le_bytes());
    Some(Call::SetProgramConstantsFromByteArray {
        program_type: kind.into(),
        first_register: 0,
        num_registers: integer(values.len()),
        data: ByteArray::from(bytes.collect::<Vec<u8>>()),
        byte_array_offset: 0,
    })
}

fn rectangle([left, top, right, bottom]: [i64; 4]) -> Rectangle {
    let real = |value: i64| f64::from(i32::try_from(value).unwrap_or(i32::MAX));
    let (x, y) = (real(left), real(top));
    Rectangle { x, y, width: real(right - left), height: real(bottom - top) }
}

fn sampler_call(sampler: i32, state: &SamplerState) -> Call {
    let (wrap, filter, mipfilter) = (state.wrap.into(), state.filter.into(), state.mip.into());
    Call::SetSamplerStateAt { sampler, wrap, filter, mipfilter }
}

fn output_call(
    index: usize,
    target: &BoundTarget,
    texture: impl Fn(TextureKey) -> Option<TextureId>,
) -> Call {
    Call::SetRenderToTexture {
        texture: texture(target.texture),
        enable_depth_and_stencil: target.depth_stencil,
        anti_alias: target.samples.into(),
        surface_selector: target.side.into(),
        color_output_index: integer(index),
    }
}

fn stencil_call(face: TriangleFace, now: &StencilFace) -> Call {
    Call::SetStencilActions {
        triangle_face: face.into(),
        compare_mode: now.compare.into(),
        action_on_both_pass: now.both_pass.into(),
        action_on_depth_fail: now.depth_fail.into(),
        action_on_depth_pass_stencil_fail: now.stencil_fail.into(),
    }
}

fn stencil_text(face: &StencilFace) -> String {
    let actions = [face.both_pass, face.depth_fail, face.stencil_fail].map(FlashName::name);
    format!("{}, {}", face.compare.name(), actions.join(", "))
}

/// Formats a rectangle, given as left, top, right and bottom: `(0, 0, 8×4)`.
pub(crate) fn area_text([left, top, right, bottom]: [i64; 4]) -> String {
    format!("({left}, {top}, {}×{})", right - left, bottom - top)
}

/// Returns a colour output as text. If no texture is a render target, output 0 is the back buffer.
fn output_text(
    index: usize,
    bound: &BoundState,
    title: &dyn Fn(ResourceKey) -> String,
) -> Option<String> {
    let target = *bound.targets.get(index)?;
    let back = &bound.back_buffer;
    let (name, depth, samples) = match target {
        Some(target) => {
            let side =
                if target.side > 0 { format!(", side {}", target.side) } else { String::new() };
            let name = title(ResourceKey::Texture(target.texture)) + &side;
            (name, target.depth_stencil, target.samples)
        }
        None if index == 0 && bound.targets.iter().all(Option::is_none) => {
            let name = format!("back buffer {}×{}", back.width, back.height);
            (name, back.depth_stencil, back.samples)
        }
        None => return None,
    };
    let depth = if depth { ", depth and stencil" } else { "" };
    let samples = if samples > 1 { format!(", {samples} samples") } else { String::new() };
    Some(name + depth + &samples)
}

/// Returns the state of a new context.
pub(crate) fn fresh() -> BoundState {
    let options = ContextOptions { profile: Profile::Standard, swf_version: 0 };
    Context3D::new(NullBackend::counting(), options).bound()
}

/// Returns the call that sets an item to its initial value. `name` is the item's name in state reports.
pub(crate) fn initial(name: &str) -> Option<Call> {
    let StateSlot { item, index } = StateSlot::from_name(name)?;
    item.call(index, &fresh(), &|_| None)
}
