//! Attributes the pixels of the stage to draws and clears, and classifies the wrong pixels.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use context3d::agal::LinkedPair;
use context3d::packets::{MAX_SAMPLERS, bits, slot_samplers};
use molehill_analysis::evidence::matrices::multiplied;
use molehill_analysis::state::{StateItem, StateSlot};
use molehill_analysis::wrong::TOLERANCE;
use molehill_reference::watch::{FragmentOutcome, PixelRows, WatchRecord};
use molehill_replay::image::RgbaImage;

/// The effect of a draw or clear on the frame's image.
#[derive(Clone, Debug, Default)]
pub(super) struct DrawEffect {
    /// True if the draw renders into the back buffer of a visible context.
    pub(super) is_seen: bool,
    /// Number of changed pixels in the render target.
    pub(super) changed: u64,
    /// Number of wrong pixels of the stage that the draw changed last; `right` counts its right pixels.
    pub(super) owned: u64,
    pub(super) right: u64,
    /// Number of wrong pixels of draws that read the texture into which this draw renders.
    pub(super) passed: u64,
    /// Number of wrong pixels in which the draw's fragments change nothing, although they perhaps should.
    pub(super) missed: u64,
    /// The numbers of pixels counted in `missed` in which the draw's fragments fail the depth test and the stencil
    /// test.
    pub(super) failed: [u64; 2],
    pub(super) culls: bool,
    /// For a draw that changes no pixel, the stage that rejects its last triangles or fragments.
    pub(super) lost: Option<LossStage>,
    pub(super) reads: Arc<ProgramReads>,
}

/// A stage of the pipeline in which a draw can lose all its triangles or fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LossStage {
    Call,
    /// The triangles lie outside the clip volume, or have no area.
    Position,
    Culling,
    /// The fragments fail the depth, stencil or scissor test, or are discarded.
    Test,
    /// The fragments change nothing, because of blending, the colour mask, or an equal colour.
    Color,
}

impl LossStage {
    /// Returns the stage that removes all triangles or fragments of a draw.
    pub(super) fn of(watched: Option<&WatchRecord>) -> LossStage {
        let Some(WatchRecord { triangles, counts, .. }) = watched else { return LossStage::Call };
        let failed = [
            FragmentOutcome::Depth,
            FragmentOutcome::Stencil,
            FragmentOutcome::Scissor,
            FragmentOutcome::Killed,
        ];
        let failed: u64 = failed.into_iter().map(|outcome| counts.of(outcome)).sum();
        match (triangles.drawn, triangles.culled, counts.of(FragmentOutcome::Kept), failed) {
            (0, 1.., ..) => LossStage::Culling,
            (0, ..) | (_, _, 0, 0) => LossStage::Position,
            (_, _, 0, _) => LossStage::Test,
            _ => LossStage::Color,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct ProgramReads {
    pub(super) slots: BTreeSet<StateSlot>,
    /// The first registers of the matrices by which the vertex program multiplies.
    pub(super) matrices: BTreeSet<u16>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct WrongStage {
    /// The position of each wrong pixel, and the last record that changed the pixel; `None` if no record of the frame
    /// changed the pixel.
    pub(super) places: Vec<((u32, u32), Option<usize>)>,
    pub(super) effects: BTreeMap<usize, DrawEffect>,
    pub(super) kinds: Kinds,
}

/// The fractions of the wrong pixels, by type.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kinds {
    /// The pixel has a clear colour, and should have the colour of a draw.
    pub(super) missing: f64,
    /// The pixel has the colour of a draw, and should have the clear colour.
    pub(super) extra: f64,
    pub(super) color: f64,
    /// The pixel has a wrong clear colour: most pixels with the clear colour should have one other colour.
    pub(super) plain: f64,
    /// True if nearly all pixels with the clear colour should have one other colour.
    pub(super) is_ground: bool,
    /// The expected colour of most pixels with a wrong clear colour.
    pub(super) background: Option<[u8; 4]>,
    /// For each channel, the fraction of wrong pixels in which the channel differs.
    pub(super) channels: [f64; 3],
}

pub(super) fn reads(pair: &LinkedPair) -> ProgramReads {
    let interface = pair.interface();
    let streams = bits(interface.attributes).map(|at| StateItem::Stream.slot(at));
    let is_read = |slot: &usize| slot_samplers(interface, *slot).next().is_some();
    let textures = (0..MAX_SAMPLERS).filter(is_read).map(|at| StateItem::Texture.slot(at));
    let banks = [
        (StateItem::VertexConstants, interface.vertex_constants_read),
        (StateItem::FragmentConstants, interface.fragment_constants_read),
    ];
    let constants = banks
        .into_iter()
        .flat_map(|(item, read)| read.iter().map(move |register| item.slot(register.into())));
    let slots = streams.chain(textures).chain(constants).collect();
    ProgramReads { slots, matrices: multiplied(pair).collect() }
}

/// Determines which record last changed each pixel of the stage.
pub(super) struct Owners<'a> {
    picture: &'a RgbaImage,
    expected: &'a RgbaImage,
    /// For each pixel of the stage: true for a wrong pixel, the last record that changed the pixel, and the written
    /// colour.
    pixels: Vec<(bool, Option<usize>, [u8; 4])>,
    pub(super) effects: BTreeMap<usize, DrawEffect>,
    /// The colour of the last clear of the back buffer.
    pub(super) ground: [u8; 4],
}

impl<'a> Owners<'a> {
    pub(super) fn new(picture: &'a RgbaImage, expected: &'a RgbaImage) -> Owners<'a> {
        let pixels = picture.rgba().as_chunks().0.iter().zip(expected.rgba().as_chunks().0);
        let pixels = pixels.map(|(is, should)| (differs(is, should), None, [0; 4])).collect();
        Owners { picture, expected, pixels, effects: BTreeMap::new(), ground: [0; 4] }
    }

    /// Returns the index of a back buffer's pixel in `pixels`. `origin` is the back buffer's stage position.
    fn index(&self, (x, y): (u32, u32), origin: (i64, i64)) -> Option<usize> {
        let at = |at: u32, origin: i64| usize::try_from(i64::from(at) + origin).ok();
        let (x, y, width) = (at(x, origin.0)?, at(y, origin.1)?, self.picture.width() as usize);
        Some(y * width + x).filter(|_| x < width)
    }

    /// Counts the wrong pixels in which a draw's fragments change nothing.
    pub(super) fn miss(&self, watched: &WatchRecord, origin: (i64, i64), effect: &mut DrawEffect) {
        let width = watched.size.0.max(1);
        for rows in &watched.rows {
            for at in 0..rows.shaded.len().max(rows.failed.len()) {
                let ran = rows.shaded.get(at).is_some_and(|runs| *runs > 0);
                let failed = rows.failed.get(at).copied().unwrap_or(0);
                let changed = rows.changed.get(at).copied().unwrap_or(false);
                if changed || !(ran || failed != 0) {
                    continue;
                }
                let at = u32::try_from(at).unwrap_or(u32::MAX);
                let place = (at % width, rows.top.saturating_add(at / width));
                let pixel = self.index(place, origin).and_then(|index| self.pixels.get(index));
                if pixel.is_some_and(|(wrong, ..)| *wrong) {
                    effect.missed += 1;
                    for (count, bit) in
                        effect.failed.iter_mut().zip([PixelRows::DEPTH, PixelRows::STENCIL])
                    {
                        *count += u64::from(failed & bit != 0);
                    }
                }
            }
        }
    }

    /// Attributes the pixels that a record changed within `bounds` of its render target to that record.
    pub(super) fn drawn(
        &mut self,
        record: usize,
        (target, [left, top, right, bottom]): (&RgbaImage, [u32; 4]),
        origin: (i64, i64),
    ) {
        for (x, y) in (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y))) {
            let index = self.index((x, y), origin);
            let known = index.and_then(|index| self.pixels.get_mut(index));
            let (Some((_, owner, last)), Some(pixel)) = (known, target.pixel(x, y)) else {
                continue;
            };
            if owner.is_none() || *last != pixel {
                (*owner, *last) = (Some(record), pixel);
            }
        }
    }

    pub(super) fn finish(mut self, is_draw: &dyn Fn(usize) -> bool) -> WrongStage {
        let width = self.picture.width().max(1);
        let (mut places, mut kinds) = (Vec::new(), Kinds::default());
        let mut unharmed = 0.0;
        let mut plain: HashMap<[u8; 4], u32> = HashMap::new();
        let pixels = self.pixels.iter().zip(self.picture.rgba().as_chunks::<4>().0);
        let pixels = pixels.zip(self.expected.rgba().as_chunks::<4>().0);
        for (at, (((wrong, owner, _), is), should)) in (0..).zip(pixels) {
            if let Some(effect) = owner.and_then(|owner| self.effects.get_mut(&owner)) {
                *(if *wrong { &mut effect.owned } else { &mut effect.right }) += 1;
            }
            if !wrong {
                unharmed += f64::from(u8::from(!owner.is_some_and(is_draw)));
                continue;
            }
            places.push(((at % width, at / width), *owner));
            for (channel, (is, should)) in kinds.channels.iter_mut().zip(is.iter().zip(should)) {
                *channel += f64::from(u8::from(is.abs_diff(*should) > TOLERANCE));
            }
            if !owner.is_some_and(is_draw) {
                *plain.entry(*should).or_default() += 1;
            } else if !differs(&self.ground, should) {
                kinds.extra += 1.0;
            } else {
                kinds.color += 1.0;
            }
        }
        let cleared = f64::from(plain.values().sum::<u32>());
        let plain = plain.into_iter().max_by_key(|(color, pixels)| (*pixels, *color));
        let share = plain.map_or(0.0, |(_, pixels)| f64::from(pixels));
        if share * 2.0 > cleared {
            (kinds.plain, kinds.background) = (share, plain.map(|(color, _)| color));
        }
        // If the clear colour is wrong, nearly all pixels without a draw have the same wrong colour.
        kinds.is_ground = kinds.plain * 20.0 > (cleared + unharmed) * 19.0;
        let is_unseen = |effect: &DrawEffect| effect.is_seen && effect.changed == 0;
        if self.effects.iter().any(|(record, effect)| is_draw(*record) && is_unseen(effect)) {
            kinds.plain /= 2.0;
        }
        kinds.missing = cleared - kinds.plain;
        let all = (places.len() as f64).max(1.0);
        let Kinds { missing, extra, color, plain, channels, .. } = &mut kinds;
        for number in [missing, extra, color, plain].into_iter().chain(channels) {
            *number /= all;
        }
        WrongStage { places, effects: self.effects, kinds }
    }
}

pub(super) fn differs(is: &[u8; 4], should: &[u8; 4]) -> bool {
    is.iter().zip(should).any(|(is, should)| is.abs_diff(*should) > TOLERANCE)
}
