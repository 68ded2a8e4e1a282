//! The evidence of a frame against its own arguments, which makes a candidate more plausible.

use std::collections::{BTreeMap, BTreeSet};

use context3d::enums::BlendFactor;
use molehill_capture::Call;
use molehill_capture::data::Enum;
use molehill_capture::objects::ObjectId;

use super::scene::Scene;
use super::variants::Objects;
use crate::calls::floats;
use crate::state_items::Item;

/// How much more plausible a candidate is that removes a contradiction.
const STRONG: f64 = 6.0;
const GOOD: f64 = 2.0;
/// How much less plausible one is that makes a contradiction.
const AGAINST: f64 = 0.3;

pub(super) struct Evidence {
    /// Textures that were uploaded and that no draw of the frame reads.
    unused_textures: BTreeSet<ObjectId>,
    /// By the record that binds a stream, the ranges of 32-bit values that other streams of the same vertices read in the
    /// first draw with it, and the values of a vertex.
    layouts: BTreeMap<usize, (Vec<(i32, i32)>, i32)>,
}

impl Evidence {
    pub(super) fn of(scene: &Scene, objects: &Objects) -> Evidence {
        let mut layouts = BTreeMap::new();
        let mut used = BTreeSet::new();
        for draw in &scene.draws {
            let streams = draw.slots.iter().filter(|(slot, _)| slot.item == Item::Stream);
            let streams = streams.filter_map(|(_, record)| {
                let Call::SetVertexBufferAt { buffer, buffer_offset, format, .. } =
                    &scene.line(*record)?.call
                else {
                    return None;
                };
                Some((*record, (*buffer)?.0, (*buffer_offset, buffer_offset + floats(format)?)))
            });
            let streams: Vec<_> = streams.collect();
            for (record, buffer, _) in &streams {
                let others = streams.iter().filter(|(at, it, _)| at != record && it == buffer);
                let stride = objects.vertices.get(buffer).map_or(0, |(stride, _)| *stride);
                let others = others.map(|(.., range)| *range).collect();
                layouts.entry(*record).or_insert((others, stride));
            }
            let textures = draw.slots.iter().filter(|(slot, _)| slot.item == Item::Texture);
            let textures = textures.filter_map(|(_, record)| scene.line(*record));
            used.extend(textures.flat_map(|line| line.call.objects()).map(|(_, id)| id));
        }
        let unused = objects.textures.keys().filter(|id| !used.contains(id)).copied();
        Evidence { unused_textures: unused.collect(), layouts }
    }

    /// Returns the factor of the plausibility that a call should have been another.
    pub(super) fn weight(&self, record: usize, old: &Call, new: &Call) -> f64 {
        match (old, new) {
            (
                Call::SetVertexBufferAt { buffer_offset: old, format, .. },
                Call::SetVertexBufferAt { buffer_offset: new, format: other, .. },
            ) => {
                let Some((others, stride)) = self.layouts.get(&record) else { return 1.0 };
                let fit = |start: i32, format| {
                    let end = start + floats(format).unwrap_or(0);
                    let overlaps = others.iter().any(|(from, to)| start < *to && *from < end);
                    let after = others.iter().map(|(from, _)| *from).filter(|from| *from >= end);
                    let next = after.min().unwrap_or(*stride);
                    let before = others.iter().map(|(_, to)| *to).filter(|to| *to <= start);
                    (overlaps, next - end + start - before.max().unwrap_or(0))
                };
                match (fit(*old, format), fit(*new, other)) {
                    ((true, _), (false, 0)) => STRONG,
                    ((true, _), (false, _)) | ((false, 1..), (false, 0)) => GOOD,
                    ((false, _), (true, _)) => AGAINST,
                    _ => 1.0,
                }
            }
            (
                Call::DrawTriangles { first_index: old, .. }
                | Call::DrawTrianglesInstanced { first_index: old, .. },
                Call::DrawTriangles { first_index: new, .. }
                | Call::DrawTrianglesInstanced { first_index: new, .. },
            ) => match (old % 3, new % 3) {
                (0, 0) => 1.0,
                (0, _) => AGAINST,
                (_, 0) => STRONG,
                _ => 1.0,
            },
            (_, Call::SetTextureAt { texture: Some(texture), .. })
                if self.unused_textures.contains(&texture.0) =>
            {
                STRONG
            }
            (_, Call::SetBlendFactors { source_factor, destination_factor }) => {
                let usual = match (source_factor, destination_factor) {
                    (Enum::Is(source), Enum::Is(destination)) => {
                        USUAL_BLENDS.contains(&(*source, *destination))
                    }
                    _ => false,
                };
                if usual { GOOD } else { AGAINST }
            }
            // A depth test that is the wrong way round looks as if the depth were cleared to the other end.
            (Call::Clear { depth: old, mask, .. }, Call::Clear { depth: new, mask: other, .. })
                if old.to_bits() != new.to_bits() || mask != other =>
            {
                AGAINST
            }
            _ => 1.0,
        }
    }
}

/// The blend factors that programs use most: opaque, alpha, premultiplied alpha, additive, and multiply.
const USUAL_BLENDS: [(BlendFactor, BlendFactor); 8] = [
    (BlendFactor::One, BlendFactor::Zero),
    (BlendFactor::SourceAlpha, BlendFactor::OneMinusSourceAlpha),
    (BlendFactor::One, BlendFactor::OneMinusSourceAlpha),
    (BlendFactor::One, BlendFactor::One),
    (BlendFactor::SourceAlpha, BlendFactor::One),
    (BlendFactor::DestinationColor, BlendFactor::Zero),
    (BlendFactor::DestinationColor, BlendFactor::OneMinusSourceAlpha),
    (BlendFactor::One, BlendFactor::OneMinusSourceColor),
];
