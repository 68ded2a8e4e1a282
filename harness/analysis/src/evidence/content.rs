//! Checks the content of textures: finds premultiplied colours, and cube textures with exchanged faces.

use std::collections::{BTreeMap, BTreeSet};

use agal_core::cube::{FACES, face_of, project, unproject};
use context3d::agal::LinkedPair;
use context3d::agal::opcode::AgalOpcode;
use context3d::backend::ReadSurface;
use context3d::enums::BlendFactor;
use context3d::packets::slot_samplers;
use molehill_capture::Call;
use molehill_capture::commands::ReplayObject;
use molehill_capture::data::Enum;
use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_replay::image::RgbaImage;

use super::FrameUse;
use crate::error::Result;
use crate::names::SIDES;
use crate::renderers::ReferencePlayer;
use crate::state_items::StateItem;
use crate::textures::TexturePicture;
use crate::warnings::WarningKind;

/// Minimum number of translucent pixels for detecting premultiplied alpha.
const TRANSLUCENT: usize = 16;
const SAMPLES: u16 = 32;
/// Minimum mean channel difference along the cube's edges that is an error.
const SEAM: f64 = 12.0;

/// Returns mip level 0 of a texture's face (0 to 5).
fn image(player: &mut ReferencePlayer, id: ObjectId, side: u8) -> Result<Option<RgbaImage>> {
    let Some(ReplayObject::Texture(context, handle)) = player.ids().get(id) else {
        return Ok(None);
    };
    let surface = ReadSurface::Texture { texture: handle.key(), side, level: 0 };
    Ok(player.surface(0, context, surface)?)
}

impl FrameUse<'_> {
    /// Returns the uploaded textures that a draw reads, with their sampler slots.
    fn read(&self, draw: usize) -> impl Iterator<Item = (usize, ObjectId)> {
        let draw = self.draws.get(draw).and_then(|it| Some((it, it.pair.clone()?)));
        let all = draw.into_iter().flat_map(|(draw, pair)| {
            let textures = draw.of(StateItem::Texture);
            textures
                .filter(move |(slot, ..)| slot_samplers(pair.interface(), *slot).next().is_some())
        });
        let uploaded = |(slot, _, id)| {
            Some((slot, id)).filter(|_| self.writes.last_upload(id, self.calls.end).is_some())
        };
        all.filter_map(uploaded)
    }

    /// Finds premultiplied textures that blending multiplies by alpha again, and cubes with exchanged faces.
    pub(super) fn textures(&mut self, player: &mut ReferencePlayer) -> Result<()> {
        let mut doubled: BTreeMap<(ObjectId, usize), Vec<usize>> = BTreeMap::new();
        let mut cubes: BTreeMap<ObjectId, Vec<usize>> = BTreeMap::new();
        for (at, draw) in self.draws.iter().enumerate() {
            let blend = self
                .writes
                .last(draw.line.on, StateItem::Blend.slot(0), draw.call)
                .map(|it| it.call);
            let blend = blend.filter(|blend| {
                self.call(*blend).is_some_and(|line| multiplies(&line.call))
                    && draw.pair.as_ref().is_some_and(|pair| !divides(pair))
            });
            for (_, id) in self.read(at) {
                if self.capture.kind(id) == Some(ObjectKind::CubeTexture) {
                    cubes.entry(id).or_default().push(draw.call);
                } else if let Some(blend) = blend {
                    doubled.entry((id, blend)).or_default().push(draw.call);
                }
            }
        }
        let textures: BTreeSet<ObjectId> = doubled.keys().map(|(id, _)| *id).collect();
        let mut premultiplied = BTreeSet::new();
        for id in textures {
            if image(player, id, 0)?.is_some_and(|image| is_premultiplied(&image)) {
                premultiplied.insert(id);
            }
        }
        for ((id, blend), draws) in
            doubled.into_iter().filter(|((id, _), _)| premultiplied.contains(id))
        {
            let text = format!(
                "{} is premultiplied: no colour is above its alpha. The source factor sourceAlpha multiplies by alpha \
                 again",
                self.capture.title(id)
            );
            self.add(WarningKind::Premultiplied, blend, draws, text);
        }
        for (id, draws) in cubes {
            let mut faces = Vec::new();
            for side in 0..FACES {
                faces.extend(image(player, id, side)?);
            }
            let Some(found) = exchanged(&faces) else { continue };
            let call = self.writes.last_upload(id, self.calls.end).unwrap_or(0);
            let text = format!("{}: {found}", self.capture.title(id));
            self.add(WarningKind::CubeSeams, call, draws, text);
        }
        Ok(())
    }
}

/// Returns whether a `setBlendFactors` call multiplies the source colour by the source alpha.
fn multiplies(call: &Call) -> bool {
    let factors = (Enum::Is(BlendFactor::SourceAlpha), Enum::Is(BlendFactor::OneMinusSourceAlpha));
    matches!(call, Call::SetBlendFactors { source_factor, destination_factor }
        if (source_factor, destination_factor) == (&factors.0, &factors.1))
}

/// Returns whether a fragment program contains a division, which may undo premultiplied alpha.
fn divides(pair: &LinkedPair) -> bool {
    let mut all = pair.fragment().program().instructions().iter();
    all.any(|it| matches!(it.opcode(), Some(AgalOpcode::Div | AgalOpcode::Rcp)))
}

/// Returns whether an image looks premultiplied: no channel exceeds alpha, and enough are near alpha.
fn is_premultiplied(image: &RgbaImage) -> bool {
    let mut bright = 0;
    for [red, green, blue, alpha] in image.rgba().as_chunks::<4>().0 {
        let most = *red.max(green).max(blue);
        if most > *alpha {
            return false;
        }
        bright +=
            usize::from((16..240).contains(alpha) && u16::from(most) * 4 >= u16::from(*alpha) * 3);
    }
    bright >= TRANSLUCENT
}

/// A position on a cube edge, as face, s and t on both adjacent faces.
type CubeEdge = [(u8, [f32; 2]); 2];

fn edges() -> Vec<CubeEdge> {
    let along = (0..SAMPLES).map(|at| (f32::from(at) + 0.5) / f32::from(SAMPLES) * 2.0 - 1.0);
    let places = along.flat_map(|at| [[-1.0, at], [1.0, at], [at, -1.0], [at, 1.0]]);
    let edge = |face: u8, place: [f32; 2]| {
        let beyond = unproject(face, place.map(|it| if it.abs() == 1.0 { it * 1.001 } else { it }));
        let other = face_of(beyond);
        [(face, place), (other, project(other, beyond))]
    };
    places.flat_map(|place| (0..FACES).map(move |face| edge(face, place))).collect()
}

/// Returns the mean channel difference along the cube's edges, if `order` assigns the images to the faces.
fn seam(faces: &[RgbaImage], order: [u8; 6], edges: &[CubeEdge]) -> Option<f64> {
    let mut sum = 0u64;
    for edge in edges {
        let [one, two] = edge.map(|(face, place)| {
            let image = faces.get(usize::from(*order.get(usize::from(face))?))?;
            let [x, y] = place.map(|it| pixel(it, image.width()));
            image.pixel(x, y)
        });
        let (one, two) = (one?, two?);
        sum += one.iter().zip(two).take(3).map(|(a, b)| u64::from(a.abs_diff(b))).sum::<u64>();
    }
    Some(sum as f64 / (edges.len().max(1) * 3) as f64)
}

/// Returns the pixel at texture coordinates in the range -1 to 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to the picture"
)]
fn pixel(place: f32, size: u32) -> u32 {
    let at = (place + 1.0) / 2.0 * size as f32;
    (at.max(0.0) as u32).min(size.saturating_sub(1))
}

/// Returns a message with the names of two faces whose exchange makes the cube's edges match much better.
fn exchanged(faces: &[RgbaImage]) -> Option<String> {
    let (edges, own) = (edges(), [0, 1, 2, 3, 4, 5]);
    let now = seam(faces, own, &edges).filter(|now| *now >= SEAM)?;
    let mut best = (now / 2.0, None);
    for (one, two) in (0..6).flat_map(|one| (one + 1..6).map(move |two| (one, two))) {
        let mut order = own;
        order.swap(one, two);
        let then = seam(faces, order, &edges)?;
        if then < best.0 {
            best = (then, Some((one, two)));
        }
    }
    let (then, (one, two)) = (best.0, best.1?);
    let [one, two] = [one, two].map(|side| SIDES.get(side).copied().unwrap_or_default());
    Some(format!(
        "the edges of its faces differ by {now:.0} on average, and by {then:.0} with {one} and {two} exchanged"
    ))
}

/// The column and row of each face in the unfolded cross of [`crosses`].
const CROSS: [(i64, i64); 6] = [(2, 1), (0, 1), (1, 0), (1, 2), (1, 1), (3, 1)];

/// Returns each cube texture as an unfolded cross, with its sampler slot. +z is in the middle, and adjacent faces share
/// edges.
pub fn crosses(textures: &[TexturePicture]) -> Vec<(usize, RgbaImage)> {
    let mut crosses: Vec<(usize, RgbaImage)> = Vec::new();
    let mut faces = textures.iter().filter(|it| it.level == 0).peekable();
    while let Some(first) = faces.next_if(|_| true) {
        let (slot, size) = (first.slot, first.image.width());
        let mut cross = RgbaImage::filled(size.saturating_mul(4), size.saturating_mul(3), [0; 4]);
        let mut is_cube = false;
        let mut face = Some(first);
        while let Some(it) = face {
            if let Some((column, row)) = CROSS.get(usize::from(it.side)) {
                cross.paste(&it.image, column * i64::from(size), row * i64::from(size), false);
            }
            is_cube |= it.side > 0;
            face = faces.next_if(|next| next.slot == slot);
        }
        crosses.extend(is_cube.then_some((slot, cross)));
    }
    crosses
}
