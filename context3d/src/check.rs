//! The checks of a draw call. The checks change no state of the context, and return the first error in Flash's order.

use agal::Interface;
use agal::sampler::Dimension;

use crate::dirty::DirtyFlags;
use crate::enums::{MipFilter, WrapMode};
use crate::error::{CheckError, ErrorCode};
use crate::packets::{
    Draw, MAX_SAMPLERS, Scissor, Stream, TextureBinding, TextureKind, bits, slot_samplers,
};
use crate::resource::{IndexBuffer, ProgramState, ResourceTable, TextureState, UploadState};
use crate::state::{ContextFields, ScissorSlot, StreamSlot};

/// The state that the checks of a draw read.
#[derive(Clone, Copy)]
pub(crate) struct DrawInputs<'a> {
    pub(crate) state: &'a ContextFields,
    pub(crate) resources: &'a ResourceTable,
    /// Error checking is on: also checks for errors that don't prevent the draw.
    pub(crate) checking: bool,
}

/// Results of the checks of an earlier draw, which later draws reuse. By default, every flag is set, so that the first
/// draw runs all checks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DrawChecks {
    /// Flags of the state that may have changed since the checks passed.
    pub(crate) dirty: DirtyFlags,
    /// The vertex count of the shortest per-vertex stream.
    pub(crate) vertices: u32,
    /// The largest instance count for which all per-instance streams have enough elements.
    pub(crate) instances: u32,
    /// Bit n: the draw packet uses stream n.
    pub(crate) streams: u16,
    /// Bit n: the draw packet uses texture slot n.
    pub(crate) textures: u16,
    /// A sampler reads a texture with mip mapping.
    pub(crate) mip_mapping: bool,
    /// The packet's pipeline state has changed since its id was created.
    pub(crate) restated: bool,
}

impl DrawChecks {
    /// Sets a field of the packet's pipeline state, and records a change.
    #[inline]
    pub(crate) fn restate<T: PartialEq>(&mut self, part: &mut T, new: T) {
        self.restated |= *part != new;
        *part = new;
    }
}

/// Converts the index of a slot to an argument of an error message.
fn slot(index: usize) -> [i64; 1] {
    [i64::try_from(index).unwrap_or(i64::MAX)]
}

/// Returns the bound program, whose inputs and outputs are known.
#[inline]
pub(crate) fn program<'a>(
    scene: &DrawInputs<'a>,
) -> Result<(&'a ProgramState, &'a Interface), CheckError> {
    let found = scene.state.program.and_then(|key| {
        let program = scene.resources.programs.get(key)?;
        Some((program, program.interface.as_ref()?))
    });
    found.ok_or_else(|| CheckError::new(ErrorCode::NoProgram))
}

/// Returns the first index and the index count. A triangle count of -1 means all complete triangles starting at
/// `firstIndex` [context3d.draw.all].
#[inline]
pub(crate) fn triangles(
    checking: bool,
    buffer: &IndexBuffer,
    first_index: i32,
    num_triangles: i32,
) -> Result<(u32, u32), CheckError> {
    if checking && !buffer.uploaded {
        return Err(CheckError::new(ErrorCode::NoIndexBuffer));
    }
    let (first, triangles) = (i64::from(first_index), i64::from(num_triangles));
    if first < 0 || triangles < -1 {
        return Err(CheckError::with(ErrorCode::BadDrawRange, [triangles, first]));
    }
    let len = i64::try_from(buffer.len()).unwrap_or(i64::MAX);
    let count = if triangles == -1 { (len - first).max(0) / 3 * 3 } else { triangles * 3 };
    if first + count > len {
        return Err(CheckError::with(ErrorCode::NotEnoughIndices, [triangles, first, len]));
    }
    let small =
        |number: i64| u32::try_from(number).map_err(|_| CheckError::new(ErrorCode::BadDrawRange));
    Ok((small(first)?, small(count)?))
}

/// Checks the textures and fills in their bindings.
pub(crate) fn textures(
    scene: &DrawInputs<'_>,
    interface: &Interface,
    slots: u16,
    checked: &mut DrawChecks,
    bindings: &mut [Option<TextureBinding>; MAX_SAMPLERS],
) -> Result<(), CheckError> {
    // Without error checking, slots that the program doesn't read are ignored.
    let looked_at = if scene.checking { u16::MAX } else { slots | checked.textures };
    for index in bits(looked_at) {
        let used = slots >> index & 1 == 1;
        bindings[index] = match scene.state.textures[index] {
            Some(key) if used => {
                checked.textures |= 1 << index;
                let texture = scene.resources.textures.get(key);
                let texture = texture
                    .ok_or_else(|| CheckError::with(ErrorCode::InvalidTexture, slot(index)))?;
                let mut state = scene.state.samplers[index];
                // Flash doesn't require the clamp wrap mode for video textures [context3d.sampling.video].
                if texture.video {
                    state.wrap = WrapMode::Clamp;
                }
                let binding = TextureBinding { texture: key, sampler: state };
                for sampler in slot_samplers(interface, index) {
                    sampled(scene, index, sampler, texture, &binding)?;
                }
                Some(binding)
            }
            None if used => return Err(CheckError::with(ErrorCode::TextureMissing, slot(index))),
            Some(_) if scene.checking => {
                return Err(CheckError::with(ErrorCode::TextureUnused, slot(index)));
            }
            _ => None,
        };
    }
    let mips = |index: usize| bindings[index].is_some_and(|b| b.sampler.mip != MipFilter::None);
    (checked.textures, checked.mip_mapping) = (slots, bits(slots).any(mips));
    if scene.checking { same_texture_same_state(bindings) } else { Ok(()) }
}

/// Checks a texture against the sampler that reads it. Without error checking, a draw whose texture and sampler don't
/// match is dropped [context3d.sampling.unchecked].
fn sampled(
    scene: &DrawInputs<'_>,
    index: usize,
    sampler: &agal::sampler::SamplerOp,
    texture: &TextureState,
    binding: &TextureBinding,
) -> Result<(), CheckError> {
    if scene.state.draws_into(binding.texture) {
        return Err(CheckError::with(ErrorCode::SamplesTarget, slot(index)));
    }
    if (texture.desc.kind == TextureKind::Cube) != (sampler.dimension == Dimension::Cube) {
        return Err(CheckError::new(ErrorCode::DimensionMismatch));
    }
    let mip_mapping = binding.sampler.mip != MipFilter::None;
    let uploading = texture.upload == UploadState::Running;
    if uploading || !texture.complete(mip_mapping) {
        // [context3d.error.3605]
        if !uploading && texture.desc.kind == TextureKind::Rectangle && !texture.video {
            return Err(CheckError::with(ErrorCode::InvalidTexture, slot(index)));
        }
        return Err(CheckError::new(if !uploading && texture.streaming > 0 && !mip_mapping {
            ErrorCode::IncompleteStreaming
        } else {
            ErrorCode::IncompleteTexture
        }));
    }
    if texture.desc.kind != TextureKind::TwoD && binding.sampler.wrap != WrapMode::Clamp {
        return Err(CheckError::new(ErrorCode::MustClamp));
    }
    if texture.desc.kind == TextureKind::Rectangle && (mip_mapping || sampler.lod_bias != 0) {
        return Err(CheckError::new(if texture.video {
            ErrorCode::VideoMips
        } else {
            ErrorCode::RectangleMips
        }));
    }
    // Older players raise 3606 if the formats of texture and sampler don't match [context3d.error.3606].
    if texture.read_mode() != sampler.format {
        return Err(CheckError::with(ErrorCode::ReadMode, slot(index)));
    }
    Ok(())
}

fn same_texture_same_state(
    bindings: &[Option<TextureBinding>; MAX_SAMPLERS],
) -> Result<(), CheckError> {
    for (later, binding) in bindings.iter().enumerate() {
        let Some(binding) = binding else { continue };
        let differs = |other: &Option<TextureBinding>| {
            other.is_some_and(|other| {
                other.texture == binding.texture && other.sampler != binding.sampler
            })
        };
        if let Some(earlier) = bindings[..later].iter().position(differs) {
            return Err(CheckError::with(
                ErrorCode::SamplersDiffer,
                [slot(earlier)[0], slot(later)[0]],
            ));
        }
    }
    Ok(())
}

pub(crate) fn outputs(scene: &DrawInputs<'_>, interface: &Interface) -> Result<(), CheckError> {
    if !scene.checking {
        return Ok(());
    }
    let bound = scene.state.targets.iter().flatten().count().max(1);
    // A program may write fewer outputs than are bound [context3d.output.fewer].
    if interface.color_outputs.count_ones() as usize > bound {
        return Err(CheckError::new(ErrorCode::TargetsAndOutputs));
    }
    let depth_stencil = match scene.state.targets[0] {
        Some(slot) => slot.depth_stencil,
        None => scene.state.back_buffer.depth_stencil,
    };
    if interface.depth_output && !depth_stencil {
        return Err(CheckError::new(ErrorCode::DepthOutput));
    }
    Ok(())
}

/// The range of indices of a draw, and the padding that its vertex buffers need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawIndexRange {
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// The vertex count to which short streams must be padded; 0 if all streams are long enough.
    pub(crate) short_of: u32,
}

/// Checks the streams and adds them to the packet. Returns the vertex count to which short streams must be padded, or
/// zero: without error checking, draws read zeros past a stream's end [context3d.error.3609.unchecked]. The reference
/// doesn't cover short per-instance streams: such draws are dropped. Streams for only unread varyings are not checked.
pub(crate) fn streams(
    scene: &DrawInputs<'_>,
    interface: &Interface,
    indices: &IndexBuffer,
    range: DrawIndexRange,
    instances: u32,
    checked: &mut DrawChecks,
    draw: &mut Draw,
) -> Result<u32, CheckError> {
    let mut vertices = None;
    let exact = || match range.count {
        0 => 0,
        count => u32::from(indices.max_of(range.first as usize, count as usize)) + 1,
    };
    let mut lowest = true;
    let mut short_of = 0;
    (checked.vertices, checked.instances) = (u32::MAX, u32::MAX);
    for index in
        bits(if scene.checking { u16::MAX } else { interface.attributes | checked.streams })
    {
        if interface.attributes >> index & 1 == 0 {
            checked.restated |= draw.streams[index].take().is_some();
            if scene.checking && scene.state.streams[index].is_some() {
                return Err(CheckError::with(ErrorCode::StreamUnused, slot(index)));
            }
            continue;
        }
        let live = interface.live_attributes >> index & 1 == 1;
        let StreamSlot { stream, capacity, .. } = bound(scene, index)?;
        if stream.divisor > 0 {
            if lowest {
                return Err(CheckError::with(ErrorCode::InstanceStreamFirst, slot(index)));
            }
            if live || scene.checking {
                let most = capacity.saturating_mul(stream.divisor);
                checked.instances = checked.instances.min(most);
                if instances > most {
                    return Err(CheckError::with(ErrorCode::NotEnoughInstances, slot(index)));
                }
            }
        } else {
            checked.vertices = checked.vertices.min(*capacity);
            if u32::from(indices.max()) >= *capacity
                && *vertices.get_or_insert_with(exact) > *capacity
            {
                if scene.checking {
                    return Err(CheckError::with(ErrorCode::NotEnoughVertices, slot(index)));
                }
                if live {
                    short_of = vertices.unwrap_or(0);
                }
            }
        }
        lowest = false;
        checked.streams |= 1 << index;
        let new = live.then_some(*stream);
        let old = std::mem::replace(&mut draw.streams[index], new);
        checked.restated |= old.map(Stream::layout) != new.map(Stream::layout);
    }
    checked.streams = interface.live_attributes;
    Ok(short_of)
}

/// Returns the stream bound to an attribute register.
#[inline]
fn bound<'a>(scene: &DrawInputs<'a>, index: usize) -> Result<&'a StreamSlot, CheckError> {
    let bound = scene.state.streams[index].as_ref();
    let bound = bound.ok_or_else(|| CheckError::with(ErrorCode::StreamMissing, slot(index)))?;
    let buffer = scene.resources.vertex_buffers.get(bound.stream.buffer);
    // Without error checking, a buffer that was never uploaded reads as zeros [context3d.error.3608.unchecked].
    if !buffer.is_some_and(|buffer| buffer.uploaded || !scene.checking) {
        return Err(CheckError::with(ErrorCode::InvalidStream, slot(index)));
    }
    if bound.offset < 0 || scene.checking && bound.end() > i64::from(bound.stream.stride) {
        return Err(CheckError::with(ErrorCode::StreamOffset, slot(index)));
    }
    Ok(bound)
}

/// The size of a render target.
#[derive(Clone, Copy)]
pub(crate) struct TargetSize {
    /// The size in the scissor rectangle's units.
    pub(crate) units: (u32, u32),
    /// The size in pixels.
    pub(crate) pixels: (u32, u32),
}

impl TargetSize {
    /// Returns a size whose units are pixels.
    pub(crate) fn same(size: (u32, u32)) -> Self {
        TargetSize { units: size, pixels: size }
    }
}

/// Returns the scissor rectangle, clipped to the target.
pub(crate) fn scissor(
    slot: Option<ScissorSlot>,
    size: TargetSize,
) -> Result<Option<Scissor>, CheckError> {
    let Some([left, top, right, bottom]) = slot else { return Ok(None) };
    let TargetSize { units, pixels } = size;
    let (Some((x, width)), Some((y, height))) =
        (span((left, right), units.0, pixels.0), span((top, bottom), units.1, pixels.1))
    else {
        return Err(CheckError::new(ErrorCode::ScissorOutside));
    };
    Ok(Some(Scissor { x, y, width, height }))
}

/// Returns the first pixel and the number of pixels (at least one) between two edges, on an axis of `units` units and
/// `pixels` pixels. Returns `None` for an empty span.
fn span((low, high): (i64, i64), units: u32, pixels: u32) -> Option<(u32, u32)> {
    let [low, high] = [low, high].map(|edge| edge.clamp(0, i64::from(units)));
    if low == high {
        return None;
    }
    let pixel =
        |edge: i64| (edge * i64::from(pixels) * 2 + i64::from(units)) / (i64::from(units) * 2);
    let [low, high] = if units == pixels {
        [low, high]
    } else {
        let low = pixel(low).min(i64::from(pixels) - 1);
        [low, pixel(high).max(low + 1)]
    };
    Some((u32::try_from(low).ok()?, u32::try_from(high - low).ok()?))
}

#[cfg(test)]
#[path = "../tests/unit/check.rs"]
mod tests;
