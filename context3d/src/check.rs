//! The checks of a draw call. They change nothing and return the first error in Flash's order.

use agal::Interface;
use agal::sampler::Dimension;

use crate::dirty::{Checked, bits};
use crate::enums::{MipFilter, WrapMode};
use crate::error::{CheckError, ErrorCode};
use crate::packets::{
    Draw, MAX_SAMPLERS, SamplerState, Scissor, TextureBinding, TextureKind, slot_samplers,
};
use crate::resource::{IndexBuffer, Program, Resources, Texture, Upload};
use crate::state::{ScissorSlot, State, StreamSlot};

/// The inputs of the checks.
#[derive(Clone, Copy)]
pub(crate) struct DrawInputs<'a> {
    pub(crate) state: &'a State,
    pub(crate) resources: &'a Resources,
    /// Also look for errors that don't prevent the draw.
    pub(crate) checking: bool,
}

/// A slot's number for a message.
fn slot(index: usize) -> [i64; 1] {
    [i64::try_from(index).unwrap_or(i64::MAX)]
}

/// The program, and its inputs and outputs.
#[inline]
pub(crate) fn program<'a>(
    scene: &DrawInputs<'a>,
) -> Result<(&'a Program, &'a Interface), CheckError> {
    let found = scene.state.program.and_then(|key| {
        let program = scene.resources.programs.get(key)?;
        Some((program, program.interface.as_ref()?))
    });
    found.ok_or_else(|| CheckError::new(ErrorCode::NoProgram))
}

/// First index and number of indices. -1 triangles means all complete ones from `firstIndex` on (unverified: from there
/// or from 0).
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

/// Fills in the textures in the common case: error checking is off, and all are bound, 2D, complete, and not part of the
/// target. False if [`textures`] must check.
#[inline]
pub(crate) fn plain_textures(
    scene: &DrawInputs<'_>,
    checked: &mut Checked,
    bindings: &mut [Option<TextureBinding>; MAX_SAMPLERS],
) -> bool {
    let slots = checked.inputs.slots;
    if !checked.inputs.flat {
        return false;
    }
    let others = checked.textures & !slots;
    checked.textures |= slots;
    let mut any_mips = false;
    for index in bits(slots) {
        let (Some(key), sampler) = (scene.state.textures[index], scene.state.samplers[index])
        else {
            return false;
        };
        let Some(texture) = scene.resources.textures.get(key) else {
            return false;
        };
        let mip_mapping = sampler.mip != MipFilter::None;
        any_mips |= mip_mapping;
        if texture.desc.kind != TextureKind::TwoD
            || texture.upload == Upload::Running
            || !texture.complete(mip_mapping)
            || scene.state.draws_into(key)
        {
            return false;
        }
        bindings[index] = Some(TextureBinding { texture: key, sampler });
    }
    for index in bits(others) {
        bindings[index] = None;
    }
    (checked.textures, checked.mip_mapping) = (slots, any_mips);
    true
}

/// Fills in the textures.
pub(crate) fn textures(
    scene: &DrawInputs<'_>,
    interface: &Interface,
    checked: &mut Checked,
    bindings: &mut [Option<TextureBinding>; MAX_SAMPLERS],
) -> Result<(), CheckError> {
    let slots = checked.inputs.slots;
    // Without error checking, the other slots don't matter.
    let looked_at = match scene.checking {
        true => u16::MAX,
        false => slots | checked.textures,
    };
    for index in bits(looked_at) {
        let used = slots >> index & 1 == 1;
        bindings[index] = match scene.state.textures[index] {
            Some(key) if used => {
                checked.textures |= 1 << index;
                let texture = scene.resources.textures.get(key);
                let texture = texture
                    .ok_or_else(|| CheckError::with(ErrorCode::InvalidTexture, slot(index)))?;
                let mut state = scene.state.samplers[index];
                fit(&mut state, texture, scene.checking);
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

/// Corrects what 3753, 3755 and 3778 would reject: all but 2D textures clamp, and rectangle and video textures have no
/// smaller levels. No error requires video textures to be clamped.
fn fit(state: &mut SamplerState, texture: &Texture, checking: bool) {
    let kind = texture.desc.kind;
    if texture.video || (!checking && kind != TextureKind::TwoD) {
        state.wrap = WrapMode::Clamp;
    }
    if !checking && kind == TextureKind::Rectangle {
        state.mip = MipFilter::None;
    }
}

fn sampled(
    scene: &DrawInputs<'_>,
    index: usize,
    sampler: &agal::sampler::Sampler,
    texture: &Texture,
    binding: &TextureBinding,
) -> Result<(), CheckError> {
    if scene.state.draws_into(binding.texture) {
        return Err(CheckError::with(ErrorCode::SamplesTarget, slot(index)));
    }
    // Older players raise 3606 for the same; 3754 is the later number (context3d-errors.md).
    if (texture.desc.kind == TextureKind::Cube) != (sampler.dimension == Dimension::Cube) {
        return Err(CheckError::new(ErrorCode::DimensionMismatch));
    }
    let mip_mapping = binding.sampler.mip != MipFilter::None;
    let uploading = texture.upload == Upload::Running;
    if uploading || !texture.complete(mip_mapping) {
        // context3d-witnesses.md
        if !uploading && texture.desc.kind == TextureKind::Rectangle && !texture.video {
            return Err(CheckError::with(ErrorCode::InvalidTexture, slot(index)));
        }
        return Err(CheckError::new(if !uploading && texture.streaming > 0 && !mip_mapping {
            ErrorCode::IncompleteStreaming
        } else {
            ErrorCode::IncompleteTexture
        }));
    }
    if !scene.checking {
        return Ok(());
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
    if interface.color_outputs.count_ones() as usize != bound {
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

/// Fills in the streams. Without error checking, a stream that is too short is drawn and marked (context3d-errors.md,
/// order of checks). The reference says nothing of a per-instance stream, so that draw is dropped. The length of
/// streams that only feed unread varyings is not checked.
pub(crate) fn streams(
    scene: &DrawInputs<'_>,
    interface: &Interface,
    indices: &IndexBuffer,
    (first, count): (u32, u32),
    instances: u32,
    checked: &mut Checked,
    draw: &mut Draw,
) -> Result<(), CheckError> {
    let mut last_vertex = u32::from(indices.max());
    let mut exact = false;
    let mut lowest = true;
    draw.short_streams = 0;
    (checked.vertices, checked.instanced) = (u32::MAX, false);
    // Without error checking, the other streams don't matter.
    let looked_at = match scene.checking {
        true => u16::MAX,
        false => interface.attributes | checked.streams,
    };
    for index in bits(looked_at) {
        if interface.attributes >> index & 1 == 0 {
            draw.streams[index] = None;
            if scene.checking && scene.state.streams[index].is_some() {
                return Err(CheckError::with(ErrorCode::StreamUnused, slot(index)));
            }
            continue;
        }
        let live = interface.live_attributes >> index & 1 == 1;
        let StreamSlot { stream, room, .. } = bound(scene, index)?;
        if stream.divisor > 0 {
            if lowest {
                return Err(CheckError::with(ErrorCode::InstanceStreamFirst, slot(index)));
            }
            checked.instanced = true;
            let needed = u64::from(instances).div_ceil(u64::from(stream.divisor));
            if needed > u64::from(*room) && (live || scene.checking) {
                return Err(CheckError::with(ErrorCode::NotEnoughInstances, slot(index)));
            }
        } else {
            checked.vertices = checked.vertices.min(*room);
            if last_vertex >= *room && !exact {
                last_vertex = u32::from(indices.max_of(first as usize, count as usize));
                exact = true;
            }
            if count > 0 && last_vertex >= *room {
                if scene.checking {
                    return Err(CheckError::with(ErrorCode::NotEnoughVertices, slot(index)));
                }
                draw.short_streams |= u16::from(live) << index;
            }
        }
        lowest = false;
        checked.streams |= 1 << index;
        draw.streams[index] = live.then_some(*stream);
    }
    checked.streams = interface.live_attributes;
    if draw.short_streams != 0 {
        checked.vertices = 0;
    }
    Ok(())
}

/// Fills in the streams in the common case: error checking is off, and all streams are bound and advance by vertex.
/// False if [`streams`] must check.
#[inline]
pub(crate) fn plain_streams(
    scene: &DrawInputs<'_>,
    checked: &mut Checked,
    draw: &mut Draw,
) -> bool {
    let live = checked.inputs.live_attributes;
    let others = checked.streams & !live;
    checked.streams |= live;
    let mut vertices = u32::MAX;
    // Often the same for all.
    let mut found = None;
    for index in bits(checked.inputs.attributes) {
        let Some(bound) = &scene.state.streams[index] else {
            return false;
        };
        let buffer = bound.stream.buffer;
        if Some(buffer) != found && !scene.resources.vertex_buffers.contains_key(buffer)
            || bound.stream.divisor != 0
            || bound.offset < 0
        {
            return false;
        }
        found = Some(buffer);
        vertices = vertices.min(bound.room);
        if live >> index & 1 == 1 {
            draw.streams[index] = Some(bound.stream);
        }
    }
    for index in bits(others) {
        draw.streams[index] = None;
    }
    checked.streams = live;
    draw.short_streams = 0;
    (checked.vertices, checked.instanced) = (vertices, false);
    true
}

/// The stream that is bound to an attribute, if it can be read.
#[inline]
fn bound<'a>(scene: &DrawInputs<'a>, index: usize) -> Result<&'a StreamSlot, CheckError> {
    let bound = scene.state.streams[index].as_ref();
    let bound = bound.ok_or_else(|| CheckError::with(ErrorCode::StreamMissing, slot(index)))?;
    let buffer = scene.resources.vertex_buffers.get(bound.stream.buffer);
    // Without error checking, a buffer that was never uploaded reads as zeros (unverified).
    if !buffer.is_some_and(|buffer| buffer.uploaded || !scene.checking) {
        return Err(CheckError::with(ErrorCode::InvalidStream, slot(index)));
    }
    if bound.offset < 0 || scene.checking && bound.end() > i64::from(bound.stream.stride) {
        return Err(CheckError::with(ErrorCode::StreamOffset, slot(index)));
    }
    Ok(bound)
}

/// Size of a target.
#[derive(Clone, Copy)]
pub(crate) struct TargetSize {
    /// In the units of the scissor rectangle.
    pub(crate) units: (u32, u32),
    /// In pixels.
    pub(crate) pixels: (u32, u32),
}

impl TargetSize {
    /// One pixel per unit.
    pub(crate) fn same(size: (u32, u32)) -> Self {
        TargetSize { units: size, pixels: size }
    }
}

/// The scissor clipped to the target.
pub(crate) fn scissor(
    slot: Option<ScissorSlot>,
    size: TargetSize,
) -> Result<Option<Scissor>, CheckError> {
    let Some(slot) = slot else { return Ok(None) };
    let TargetSize { units, pixels } = size;
    let (Some((x, width)), Some((y, height))) = (
        span((slot.left, slot.right), units.0, pixels.0),
        span((slot.top, slot.bottom), units.1, pixels.1),
    ) else {
        return Err(CheckError::new(ErrorCode::ScissorOutside));
    };
    Ok(Some(Scissor { x, y, width, height }))
}

/// First pixel and number of pixels (at least one) between two edges, on an axis of `units` units and `pixels` pixels.
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
mod tests {
    use super::span;

    #[test]
    fn edges_are_rounded_to_pixels() {
        for (edges, units, pixels, expected) in [
            ((3, 10), 20, 20, Some((3, 7))),
            ((3, 10), 20, 40, Some((6, 14))),
            ((-5, 99), 20, 30, Some((0, 30))),
            ((1, 2), 20, 30, Some((2, 1))),
            ((2, 3), 20, 30, Some((3, 2))),
            ((19, 20), 20, 5, Some((4, 1))),
            ((0, 1), 20, 5, Some((0, 1))),
            ((20, 25), 20, 40, None),
            ((7, 7), 20, 40, None),
        ] {
            assert_eq!(span(edges, units, pixels), expected, "{edges:?} {units} {pixels}");
        }
    }
}
