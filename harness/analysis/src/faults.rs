//! Problems of a draw: the reason why it changes nothing, and input that is almost certainly a bug.

use std::collections::BTreeMap;

use atf::AtfHeader;
use context3d::ErrorCode;
use context3d::agal::{Interface, LinkedPair};
use context3d::backend::ReadSurface;
use context3d::enums::{BlendFactor, CompareMode, FlashName, TextureFormat, TriangleFace};
use context3d::internals::BoundState;
use context3d::keys::TextureKey;
use context3d::packets::slot_samplers;
use molehill_capture::Call;
use molehill_capture::commands::ReplayObject;
use molehill_reference::watch::{DrawVertex, Fragment, FragmentOutcome as Test, WatchRecord};
use molehill_replay::CallOutcome;

use crate::calls::drawn_indices;
use crate::capture::Capture;
use crate::draw_report::DrawReport;
use crate::error::Result;
use crate::inspector::{DrawRecord, Inspector};
use crate::number::text;
use crate::passes::CallStatus;
use crate::renderers::{ReferencePlayer, constants, pair};
use crate::resource_key::ResourceKey;
use crate::same_draw::UsedObject;
use crate::sentence::{Count, Sentence, SentenceValue, Subject, sentence};
use crate::state_items::{StateItem, StateSlot, area_text};
use crate::step::{self, StepRow};

/// The problems of a frame's textures, by context, texture, and whether the draw blends by the texture's alpha.
pub(crate) type TextureFaults = BTreeMap<(usize, TextureKey, bool), Option<TextureFault>>;

pub(crate) struct TextureFault {
    text: Sentence,
    /// The mip level with the problem, if the other levels are correct.
    level: Option<u32>,
}

/// An executed draw, with the replay after it. A draw changes only pixels, so the state is still the draw's state.
pub(crate) struct ExecutedDraw<'a> {
    pub(crate) capture: &'a Capture,
    pub(crate) player: &'a mut ReferencePlayer,
    pub(crate) draw: &'a DrawRecord,
    pub(crate) report: &'a DrawReport,
    pub(crate) watched: &'a WatchRecord,
    /// The vertices, if all triangles of the draw are off-screen.
    pub(crate) vertices: &'a [DrawVertex],
}

impl ExecutedDraw<'_> {
    fn pair(&mut self) -> Option<LinkedPair> {
        pair(self.player, self.draw.context).cloned()
    }

    /// Returns the reason why the draw changes no pixel. `fragment` is a fragment that passed all tests, if any did.
    pub(crate) fn no_effect(&mut self, fragment: Option<&Fragment>) -> Sentence {
        let Some(bound) = self.player.bound(self.draw.context) else { return Sentence::default() };
        let report = self.report;
        let cause = if report.triangles == 0 {
            "it has no triangles".into()
        } else if report.kept > 0 {
            self.unchanged(&bound, fragment)
        } else if let Some(rejected) = rejected(report, &bound) {
            rejected
        } else {
            triangles(report, self.invalid(&bound), self.vertices)
        };
        sentence!["changes nothing: ", cause]
    }

    /// Returns the reason why fragments that pass all tests don't change their pixels.
    fn unchanged(&mut self, bound: &BoundState, fragment: Option<&Fragment>) -> Sentence {
        let raster = &bound.raster;
        let (source, destination) = (raster.blend.0, raster.blend.1);
        let kept = || Count(self.report.kept);
        if raster.color_mask == [false; 4] {
            let off = sentence![
                Subject::Value(StateItem::ColorMask.slot(0)),
                "setColorMask disables all channels for the "
            ];
            return sentence![
                off,
                kept(),
                " passed fragments, and neither depth nor stencil changes"
            ];
        }
        if let Some(kept) = self.keeps_color(bound) {
            return kept;
        }
        let Some(color) = fragment.and_then(|fragment| fragment.colors.first().copied().flatten())
        else {
            return sentence![
                "the pixels of the ",
                kept(),
                " passed fragments already had these values"
            ];
        };
        let kept =
            sentence!["the pixels of the ", kept(), " passed fragments already had these values; "];
        let values = SentenceValue(text(&color));
        let black = color == [0.0; 4];
        let [.., alpha] = color;
        let because = black.then(|| self.texture_causes());
        let blend = sentence![
            Subject::Value(StateItem::Blend.slot(0)),
            format!("with blend {}, {}", source.name(), destination.name()),
            because.flatten()
        ];
        match (source, destination) {
            (BlendFactor::SourceAlpha, _) if alpha == 0.0 => {
                let clear = self.transparent_constant(bound);
                sentence!["the fragment program's alpha is 0 (", values, "), ", blend, clear]
            }
            (BlendFactor::One, BlendFactor::One | BlendFactor::OneMinusSourceAlpha) if black => {
                sentence!["the fragment program returns ", values, ", ", blend]
            }
            _ => sentence![kept, "the program returns ", values, ", ", blend],
        }
    }

    /// Returns a sentence if the blend state preserves every destination colour.
    fn keeps_color(&self, bound: &BoundState) -> Option<Sentence> {
        let is_kept = bound.raster.blend == (BlendFactor::Zero, BlendFactor::One);
        is_kept.then(|| {
            let blend = Subject::Value(StateItem::Blend.slot(0));
            let text = "setBlendFactors is zero, one, which keeps the destination colour of ";
            sentence![blend, text, Count(self.report.kept), " pixels"]
        })
    }

    /// Returns the end of a sentence about the first constant with alpha 0 that the fragment program may read.
    fn transparent_constant(&mut self, bound: &BoundState) -> Option<Sentence> {
        let pair = self.pair()?;
        let mut read = constants(bound, pair.interface());
        let (slot, value) = read
            .find(|(slot, value)| slot.item == StateItem::FragmentConstants && value[3] == 0.0)?;
        Some(sentence!["; ", slot, " is ", SentenceValue(text(value))])
    }

    /// Returns the end of a sentence about the problems of the textures that the program reads.
    fn texture_causes(&mut self) -> Option<Sentence> {
        let found = self.textures(&mut TextureFaults::new());
        let found = Sentence::joined(found, ", and ");
        (!found.is_empty()).then(|| sentence![", because ", found])
    }

    /// Returns the problems of a draw, even if the draw changes pixels.
    pub(crate) fn faults(&mut self, textures: &mut TextureFaults) -> Vec<Sentence> {
        let Some(bound) = self.player.bound(self.draw.context) else { return Vec::new() };
        let mut found = Vec::new();
        let report = self.report;
        if report.invalid_triangles > 0 && report.changed > 0 {
            let (invalid, all) = (Count(report.invalid_triangles), Count(report.triangles));
            let which = self.invalid(&bound);
            found.push(sentence![
                invalid,
                " of ",
                all,
                " triangles have NaN or infinite positions",
                which
            ]);
        }
        let kept = self.keeps_color(&bound).filter(|_| report.changed > 0 && report.colored == 0);
        found.extend(kept.map(|kept| sentence!["changes no colour: ", kept]));
        if let Some(pair) = self.pair() {
            found.extend(self.nan(&pair));
            let hidden = report.changed == 0 || report.kil > 0 || report.invalid_triangles > 0;
            // Invalid constants matter only if they have an effect, because programs may discard their values.
            if hidden || self.watched.counts.nan != [0; 2] {
                found.extend(invalid_constants(pair.interface(), &bound));
            }
            found.extend(self.short_streams(pair.interface(), &bound));
        }
        found.extend(self.textures(textures));
        found
    }

    /// Returns a sentence: the number of fragments with a NaN colour, and the first instruction that causes it.
    fn nan(&self, pair: &LinkedPair) -> Option<Sentence> {
        let [all, both] = self.watched.counts.nan;
        let (step, lane) = self.watched.nan.as_ref()?;
        let row = step::row(pair.fragment().program(), step, *lane);
        let by = match both {
            0 => " by the rules of IEEE 754, which many devices follow, not by Direct3D 9's",
            _ => "",
        };
        Some(sentence!["NaN in the colour of ", Count(all), " pixels", by, ": ", row.result()])
    }

    /// Returns the end of a sentence about the origin of the first NaN or infinite position.
    fn invalid(&mut self, bound: &BoundState) -> Option<Sentence> {
        let vertex = self.watched.invalid.as_ref()?;
        let DrawVertex { index, position, attributes, .. } = vertex;
        let finite = |values: &[f32]| values.iter().all(|value| value.is_finite());
        let attribute = attributes.iter().find(|(_, values)| !finite(values));
        let mut computed = || {
            let pair = pair(self.player, self.draw.context)?;
            let constant = invalid_constants(pair.interface(), bound).into_iter().next();
            let is_first =
                |row: &StepRow| row.active && row.value.iter().any(|value| !value.0.is_finite());
            let mut steps = step::vertex_steps(pair, bound, vertex).into_iter().flatten();
            constant.or_else(|| Some(steps.find(is_first)?.result()))
        };
        let cause = match attribute {
            Some((register, values)) => {
                let slot = StateItem::Stream.slot(usize::from(*register));
                sentence!["attribute ", slot, " is ", SentenceValue(text(values))]
            }
            None => computed().unwrap_or("the vertex program computes it".into()),
        };
        let position = SentenceValue(text(position));
        Some(sentence![": vertex ", SentenceValue(index), " has op = ", position, "; ", cause])
    }

    /// Finds vertex streams that are shorter than the draw's highest index requires.
    fn short_streams(&mut self, interface: &Interface, bound: &BoundState) -> Vec<Sentence> {
        let Some(highest) = self.highest_index() else { return Vec::new() };
        let mut found = Vec::new();
        for (register, stream) in bound.streams.iter().enumerate() {
            let Some(stream) = stream else { continue };
            let id = ResourceKey::Vertices(stream.buffer).id(self.player, self.draw.context);
            let Some(line) = id.and_then(|id| self.capture.creation(id)) else { continue };
            // Streams with per-instance data aren't indexed by vertex.
            let Call::CreateVertexBuffer { num_vertices, .. } = line.call else { continue };
            let read = interface.attributes >> register & 1 != 0;
            if read && i64::from(highest) >= i64::from(num_vertices) {
                let name = id.map_or(String::new(), |id| self.capture.name(id));
                let index = sentence!["index ", SentenceValue(highest), " is past the end of the "];
                let stream =
                    sentence![" (", StateItem::Stream.slot(register), "), which reads as zeros"];
                found.push(sentence![
                    index,
                    SentenceValue(num_vertices),
                    " vertices of ",
                    name,
                    stream
                ]);
            }
        }
        found
    }

    fn highest_index(&mut self) -> Option<u16> {
        let (buffer, first, count) = drawn_indices(&self.draw.line.call)?;
        let Some(ReplayObject::IndexBuffer(_, handle)) = self.player.ids().get(buffer?.0) else {
            return None;
        };
        let bytes = self.player.backend_mut(self.draw.context)?.index_buffer(handle.key())?;
        let indices = bytes.as_chunks::<2>().0.iter().skip(usize::try_from(first).ok()?);
        let count = usize::try_from(count).map_or(usize::MAX, |count| count.saturating_mul(3));
        indices.take(count).map(|index| u16::from_le_bytes(*index)).max()
    }

    /// Returns the problems of the textures that the program reads.
    fn textures(&mut self, known: &mut TextureFaults) -> Vec<Sentence> {
        let Some(pair) = self.pair() else { return Vec::new() };
        let Some(bound) = self.player.bound(self.draw.context) else { return Vec::new() };
        let blends = matches!(
            bound.raster.blend,
            (BlendFactor::One | BlendFactor::SourceAlpha, BlendFactor::OneMinusSourceAlpha)
        );
        let mut found = Vec::new();
        for (slot, texture) in bound.textures.iter().enumerate() {
            let Some(texture) = *texture else { continue };
            if slot_samplers(pair.interface(), slot).next().is_none() {
                continue;
            }
            let known = known.entry((self.draw.context, texture, blends));
            if let Some(fault) = known.or_insert_with(|| self.texture(texture, blends)) {
                let (player, context) = (&*self.player, self.draw.context);
                let title = ResourceKey::Texture(texture).title(self.capture, player, context);
                let TextureFault { text, level } = fault;
                let level = level.map(|level| Subject::Level(StateItem::Texture.slot(slot), level));
                found.push(sentence![
                    level,
                    title,
                    " in slot ",
                    SentenceValue(slot),
                    " ",
                    text.clone()
                ]);
            }
        }
        found
    }

    /// Returns a problem of a texture's mip levels. All levels exist, because the draw was executed.
    fn texture(&mut self, texture: TextureKey, blends: bool) -> Option<TextureFault> {
        let whole = |text: &str| Some(TextureFault { text: text.into(), level: None });
        let surface = ReadSurface::Texture { texture, side: 0, level: 0 };
        let image = self.player.surface(0, self.draw.context, surface).ok().flatten()?;
        let (pixels, _) = image.rgba().as_chunks::<4>();
        if pixels.len() <= SOLID {
            return None;
        }
        if pixels.iter().all(|[.., alpha]| *alpha == 0) {
            return whole("is transparent everywhere");
        }
        if pixels.iter().all(|[red, green, blue, _]| [red, green, blue] == [&0; 3]) {
            return whole("is black everywhere");
        }
        let (desc, mut last) =
            (self.player.texture_desc(self.draw.context, texture)?, mean(pixels));
        let sprite = blends && desc.format == TextureFormat::Bgra && !desc.render_target;
        if sprite && is_framed(pixels, image.width().max(1) as usize) {
            let border = " without alpha and with a black border, although alpha blends it";
            let text = sentence!["has a level ", SentenceValue(0), border, ": was its alpha lost?"];
            return Some(TextureFault { text, level: Some(0) });
        }
        // Skips mip levels with fewer than 16 pixels in either direction, which often deviate from the larger levels.
        let least = desc.width.min(desc.height).max(1).ilog2().saturating_sub(3);
        for level in (1..desc.levels).take_while(|level| u32::from(*level) < least) {
            let surface = ReadSurface::Texture { texture, side: 0, level };
            let image = self.player.surface(0, self.draw.context, surface).ok().flatten()?;
            let here = mean(image.rgba().as_chunks::<4>().0);
            if here.iter().zip(last).any(|(here, last)| here.abs_diff(last) > OTHER_LEVEL) {
                let here = SentenceValue(format!("{level} with the mean colour {here:?}"));
                let last = SentenceValue(format!("{} has {last:?}", level - 1));
                let text = sentence!["has a level ", here, ", where level ", last];
                return Some(TextureFault { text, level: Some(level.into()) });
            }
            last = here;
        }
        None
    }
}

impl Inspector {
    /// Returns the end of an error message: the objects or data that a failed call lacks.
    pub(crate) fn missing(&self, call: usize, status: &CallStatus) -> Result<Option<Sentence>> {
        let code = match &status.outcome {
            Some(CallOutcome::Raised(error)) => error.code(),
            Some(CallOutcome::Skipped(code)) => *code,
            Some(
                CallOutcome::Done
                | CallOutcome::Bitmap(_)
                | CallOutcome::Unsupported(_)
                | CallOutcome::OnNull,
            )
            | None => return Ok(None),
        };
        let capture = self.capture();
        let (_, line) = capture.call(call)?;
        let file = line.call.atf_file().and_then(|file| AtfHeader::read(file).ok());
        if let (ErrorCode::FormatMismatch, Some(header)) = (code, file) {
            let kind = TextureFormat::from(header.format.texture()).name();
            let title = capture.title(line.on);
            let created = capture.objects().get(&line.on).map_or(0, |object| object.created);
            let file = format!(" The file is for {kind} textures, call ");
            return Ok(Some(sentence![file, SentenceValue(created), " created ", title]));
        }
        if code != ErrorCode::IncompleteTexture {
            return Ok(None);
        }
        let all = self.drawn_with(call, &line)?.into_iter();
        let never = all.filter(|it| it.slot.item == StateItem::Texture && it.upload.is_none());
        let dry_run = self.dry_run(0)?;
        let empty = never.filter(|used| dry_run.drawn_into(used.id, call).is_none());
        let text = |UsedObject { id, slot, .. }| {
            sentence![" ", slot, " is ", capture.title(id), ", without content"]
        };
        Ok(Some(Sentence::joined(empty.map(text), "")))
    }
}

/// Textures with at most this many texels are placeholders or solid colours, and may be black or transparent.
const SOLID: usize = 16;

/// A difference of two mip levels' mean colours of at least this value is almost certainly a bug.
const OTHER_LEVEL: u64 = 64;

/// Returns whether all pixels are opaque and all border pixels are black.
fn is_framed(pixels: &[[u8; 4]], width: usize) -> bool {
    let inner = |at: usize| {
        (1..width - 1).contains(&(at % width))
            && (width..pixels.len().saturating_sub(width)).contains(&at)
    };
    let fits = |(at, it): (usize, &[u8; 4])| *it == [0, 0, 0, 255] || it[3] == 255 && inner(at);
    pixels.iter().enumerate().all(fits)
}

fn mean(pixels: &[[u8; 4]]) -> [u64; 4] {
    let sums = pixels.iter().fold([0; 4], |mut sums, pixel| {
        sums.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += u64::from(*value));
        sums
    });
    sums.map(|sum: u64| sum / (pixels.len() as u64).max(1))
}

/// Returns, for each program, the first constant that the program may read and that is NaN or infinite.
fn invalid_constants(interface: &Interface, bound: &BoundState) -> Vec<Sentence> {
    let bad = |(_, values): &(StateSlot, &[f32; 4])| values.iter().any(|value| !value.is_finite());
    let mut all: Vec<_> = constants(bound, interface).filter(bad).collect();
    all.dedup_by_key(|(slot, _)| slot.item);
    let sentence = |(slot, values): (StateSlot, &[f32; 4])| {
        sentence!["constant ", slot, " is ", SentenceValue(text(values))]
    };
    all.into_iter().map(sentence).collect()
}

/// Returns the test that rejects the most fragments. Returns `None` if no triangle covers a pixel.
fn rejected(report: &DrawReport, bound: &BoundState) -> Option<Sentence> {
    // Culled triangles don't explain an invisible draw, because every closed mesh has culled triangles.
    let cause = |(count, test): &(u64, Test)| (*count > 0 && *test != Test::Culled, *count);
    let (number, test) = report.rejected().into_iter().max_by_key(cause)?;
    let (raster, number) = (&bound.raster, Some(number).filter(|number| *number > 0)?);
    let [front, back] = [&raster.stencil_front, &raster.stencil_back];
    let subject = |item: StateItem| Subject::Value(item.slot(0));
    let rejected = sentence![Count(number), " fragments rejected by "];
    let fragments = sentence![" (", Count(number), " fragments)"];
    Some(match test {
        Test::Culled if report.culled_triangles == report.triangles => {
            let both = raster.cull == TriangleFace::FrontAndBack;
            let face = if both { "" } else { ", because they show that face" };
            let call = format!("setCulling({}) culls all ", raster.cull.name());
            let all = Count(report.triangles);
            sentence![subject(StateItem::Culling), call, all, " triangles", face, fragments]
        }
        Test::Scissor => {
            let area = SentenceValue(bound.scissor.map_or(String::new(), area_text));
            sentence![subject(StateItem::Scissor), rejected, "setScissorRectangle ", area]
        }
        Test::Stencil => {
            let faces =
                sentence![subject(StateItem::StencilFront), subject(StateItem::StencilBack)];
            if front.compare == CompareMode::Never && back.compare == CompareMode::Never {
                return Some(sentence![faces, "setStencilActions compares with never", fragments]);
            }
            let compare = format!("setStencilActions: {}, with stencil ", front.compare.name());
            let (reference, mask) = (raster.stencil_reference, raster.stencil_read_mask);
            let values = sentence![
                "reference ",
                SentenceValue(reference),
                " and read mask ",
                SentenceValue(mask)
            ];
            sentence![faces, subject(StateItem::StencilReference), rejected, compare, values]
        }
        Test::Depth if raster.depth_compare == CompareMode::Never => {
            sentence![subject(StateItem::DepthTest), "setDepthTest compares with never", fragments]
        }
        Test::Depth => {
            let compare = raster.depth_compare.name();
            sentence![subject(StateItem::DepthTest), rejected, "setDepthTest: ", compare]
        }
        Test::Kept | Test::Killed | Test::Culled => sentence![rejected, test.name()],
    })
}

/// A plane of the clip volume: its name, and a test whether a position is outside.
type ClipPlane = (&'static str, fn([f32; 4]) -> bool);

const SIDES: [ClipPlane; 6] = [
    (", beyond the far plane (z > w)", |[_, _, z, w]| z > w),
    (", before the near plane (z < 0)", |[_, _, z, _]| z < 0.0),
    (", on the left (x < -w)", |[x, _, _, w]| x < -w),
    (", on the right (x > w)", |[x, _, _, w]| x > w),
    (", below (y < -w)", |[_, y, _, w]| y < -w),
    (", above (y > w)", |[_, y, _, w]| y > w),
];

/// Returns the reason why no triangle covers a pixel. `invalid` explains the first NaN or infinite position.
fn triangles(report: &DrawReport, invalid: Option<Sentence>, vertices: &[DrawVertex]) -> Sentence {
    let all = sentence!["all ", Count(report.triangles), " triangles "];
    if report.invalid_triangles == report.triangles {
        sentence![all, "have NaN or infinite positions", invalid]
    } else if report.behind_triangles == report.triangles {
        sentence![all, "are behind the camera (w ≤ 0)"]
    } else if report.off_screen_triangles == report.triangles {
        let parts =
            [(report.invalid_triangles, " not finite"), (report.behind_triangles, " with w ≤ 0")];
        let parts = parts.into_iter().filter(|(number, _)| *number > 0);
        let parts = parts.map(|(number, state)| sentence![", ", SentenceValue(number), state]);
        let parts = Sentence::joined(parts, "");
        if !parts.is_empty() {
            return sentence!["off-screen", parts, invalid];
        }
        let outside = |(_, is): &&ClipPlane| {
            !vertices.is_empty() && vertices.iter().all(|vertex| is(vertex.position))
        };
        sentence!["off-screen", SIDES.iter().find(outside).map(|(name, _)| *name)]
    } else if report.empty_triangles == report.triangles {
        sentence![all, "are degenerate, or too small to cover a pixel's centre"]
    } else {
        "its triangles cover no pixel".into()
    }
}
