//! What is wrong with a draw: the cause if it changes nothing, and what can't be meant otherwise.

use std::collections::BTreeMap;

use atf::Header;
use context3d::ErrorCode;
use context3d::agal::{Interface, LinkedPair};
use context3d::backend::Surface;
use context3d::enums::{BlendFactor, CompareMode, FlashName, TextureFormat, TriangleFace};
use context3d::internals::Bound;
use context3d::keys::TextureKey;
use context3d::packets::slot_samplers;
use molehill_capture::Call;
use molehill_capture::commands::Object;
use molehill_reference::watch::{Fragment, Vertex, Watched};
use molehill_replay::Outcome;

use crate::capture::Capture;
use crate::draw_report::DrawReport;
use crate::error::Result;
use crate::inspector::{Inspector, NextDraw};
use crate::number::{count, text};
use crate::passes::CallStatus;
use crate::renderers::{Key, Player, constants, pair};
use crate::state_items::area_text;
use crate::step::{self, StepRow};

/// What is wrong with the textures of a frame, by context, texture, and whether draws blend by its alpha.
pub(crate) type TextureFaults = BTreeMap<(usize, TextureKey, bool), Option<String>>;

/// Part of the faults of levels, which each frame has.
pub(crate) const LEVEL: &str = "has a level";

/// A draw after its execution, which changes no state but the pixels.
pub(crate) struct Drawn<'a> {
    pub(crate) capture: &'a Capture,
    pub(crate) player: &'a mut Player,
    pub(crate) draw: &'a NextDraw,
    pub(crate) report: &'a DrawReport,
    pub(crate) watched: &'a Watched,
    /// The vertices, if all triangles are off-screen.
    pub(crate) vertices: &'a [Vertex],
}

impl Drawn<'_> {
    fn pair(&mut self) -> Option<LinkedPair> {
        pair(self.player, self.draw.context).cloned()
    }

    /// Why the draw changes no pixel. `fragment` is a fragment that it keeps, if there is one.
    pub(crate) fn no_effect(&mut self, fragment: Option<&Fragment>) -> String {
        let Some(bound) = self.player.bound(self.draw.context) else { return String::new() };
        let report = self.report;
        let cause = if report.triangles == 0 {
            "it has no triangles".to_owned()
        } else if report.kept > 0 {
            self.unchanged(&bound, fragment)
        } else if let Some(rejected) = rejected(report, &bound) {
            rejected
        } else {
            triangles(report, self.invalid(&bound), self.vertices)
        };
        format!("changes nothing: {cause}")
    }

    /// Why the kept fragments leave their pixels as they are.
    fn unchanged(&mut self, bound: &Bound, fragment: Option<&Fragment>) -> String {
        let raster = &bound.raster;
        let (source, destination) = (raster.blend.0, raster.blend.1);
        let kept = count(self.report.kept);
        if raster.color_mask == [false; 4] {
            return format!(
                "setColorMask is off for all channels of the {kept} kept pixels, and neither depth nor stencil changes"
            );
        }
        if let Some(kept) = self.keeps_color(bound) {
            return kept;
        }
        let Some(color) = fragment.and_then(|fragment| fragment.colors.first().copied().flatten())
        else {
            return format!("the {kept} kept pixels already had these values");
        };
        let values = text(&color);
        let black = color == [0.0; 4];
        let [.., alpha] = color;
        let blend = format!("with blend {}, {}", source.name(), destination.name());
        let because = if black { self.textures_in_words() } else { String::new() };
        match (source, destination) {
            (BlendFactor::SourceAlpha, _) if alpha == 0.0 => {
                let clear = self.transparent_constant(bound);
                format!("the fragment program's alpha is 0 ({values}), {blend}{because}{clear}")
            }
            (BlendFactor::One, BlendFactor::One | BlendFactor::OneMinusSourceAlpha) if black => {
                format!("the fragment program gives {values}, {blend}{because}")
            }
            _ => format!(
                "the {kept} kept pixels already had these values; the program gives {values}, {blend}{because}"
            ),
        }
    }

    /// Returns that blending keeps every colour, if it does.
    fn keeps_color(&self, bound: &Bound) -> Option<String> {
        let kept = count(self.report.kept);
        let text =
            format!("setBlendFactors is zero, one, which keeps what is there, on {kept} pixels");
        (bound.raster.blend == (BlendFactor::Zero, BlendFactor::One)).then_some(text)
    }

    /// The first constant that the fragment program may read with alpha 0, as the end of a sentence.
    fn transparent_constant(&mut self, bound: &Bound) -> String {
        let Some(pair) = self.pair() else { return String::new() };
        let mut read = constants(bound, pair.interface());
        let found = read.find(|(name, value)| name.starts_with("fc") && value[3] == 0.0);
        found.map_or(String::new(), |(name, value)| format!("; {name} is {}", text(value)))
    }

    /// The faults of the textures that the program reads, as the end of a sentence.
    fn textures_in_words(&mut self) -> String {
        let found = self.textures(&mut TextureFaults::new());
        if found.is_empty() { String::new() } else { format!(", because {}", found.join(", and ")) }
    }

    /// What is wrong with a draw, whether or not it changes pixels.
    pub(crate) fn faults(&mut self, textures: &mut TextureFaults) -> Vec<String> {
        let Some(bound) = self.player.bound(self.draw.context) else { return Vec::new() };
        let mut found = Vec::new();
        let report = self.report;
        if report.invalid_triangles > 0 && report.changed > 0 {
            let (invalid, all) = (count(report.invalid_triangles), count(report.triangles));
            let which = self.invalid(&bound);
            found.push(format!(
                "{invalid} of {all} triangles have NaN or infinite positions{which}"
            ));
        }
        let kept = self.keeps_color(&bound).filter(|_| report.changed > 0 && report.colored == 0);
        found.extend(kept.map(|kept| format!("changes no colour: {kept}")));
        if let Some(pair) = self.pair() {
            found.extend(self.nan(&pair));
            let hidden = report.changed == 0 || report.kil > 0 || report.invalid_triangles > 0;
            // Programs may overwrite or discard what they compute from a constant.
            if hidden || self.watched.counts.nan != [0; 2] {
                found.extend(invalid_constants(pair.interface(), &bound));
            }
            found.extend(self.short_streams(pair.interface(), &bound));
        }
        found.extend(self.textures(textures));
        found
    }

    /// The fragments with a NaN in the colour, and the token that their first NaN or infinity comes from.
    fn nan(&self, pair: &LinkedPair) -> Option<String> {
        let [all, both] = self.watched.counts.nan;
        let (step, lane) = self.watched.nan.as_ref()?;
        let row = step::row(pair.fragment().program(), step, *lane);
        let by = match both {
            0 => " by the rules of IEEE 754, which many devices follow, not by Direct3D 9's",
            _ => "",
        };
        Some(format!("NaN in the colour of {} pixels{by}: {}", count(all), row.given()))
    }

    /// Where the first position that is not finite comes from, as the end of a sentence.
    fn invalid(&mut self, bound: &Bound) -> String {
        let Some(vertex) = &self.watched.invalid else { return String::new() };
        let Vertex { index, position, attributes, .. } = vertex;
        let finite = |values: &[f32]| values.iter().all(|value| value.is_finite());
        let attribute = attributes.iter().find(|(_, values)| !finite(values));
        let mut computed = || {
            let pair = pair(self.player, self.draw.context)?;
            let constant = invalid_constants(pair.interface(), bound).into_iter().next();
            let is_first =
                |row: &StepRow| row.active && row.value.iter().any(|value| !value.0.is_finite());
            let mut steps = step::vertex_steps(pair, bound, vertex).into_iter().flatten();
            constant.or_else(|| Some(steps.find(is_first)?.given()))
        };
        let cause = match attribute {
            Some((register, values)) => format!("attribute va{register} is {}", text(values)),
            None => computed().unwrap_or("the vertex program computes it".to_owned()),
        };
        format!(": vertex {index} has op = {}; {cause}", text(position))
    }

    /// Indices that lie beyond the vertices of a stream.
    fn short_streams(&mut self, interface: &Interface, bound: &Bound) -> Vec<String> {
        let Some(highest) = self.highest_index() else { return Vec::new() };
        let mut found = Vec::new();
        for (register, stream) in bound.streams.iter().enumerate() {
            let Some(stream) = stream else { continue };
            let id = Key::Vertices(stream.buffer).id(self.player, self.draw.context);
            let Some(line) = id.and_then(|id| self.capture.creation(id)) else { continue };
            // Instanced streams have another count.
            let Call::CreateVertexBuffer { num_vertices, .. } = line.call else { continue };
            let read = interface.attributes >> register & 1 != 0;
            if read && i64::from(highest) >= i64::from(num_vertices) {
                let name = id.map_or(String::new(), |id| self.capture.name(id));
                found.push(format!(
                    "index {highest} is beyond the {num_vertices} vertices of {name} (va{register}), which reads as \
                     zeros"
                ));
            }
        }
        found
    }

    fn highest_index(&mut self) -> Option<u16> {
        let (buffer, first, count) = match &self.draw.line.call {
            Call::DrawTriangles { index_buffer, first_index, num_triangles }
            | Call::DrawTrianglesInstanced { index_buffer, first_index, num_triangles, .. } => {
                (index_buffer.as_ref()?, *first_index, *num_triangles)
            }
            _ => return None,
        };
        let Some(Object::IndexBuffer(_, handle)) = self.player.ids().get(buffer.0) else {
            return None;
        };
        let bytes = self.player.backend_mut(self.draw.context)?.index_buffer(handle.key())?;
        let indices = bytes.as_chunks::<2>().0.iter().skip(usize::try_from(first).ok()?);
        let count = usize::try_from(count).map_or(usize::MAX, |count| count.saturating_mul(3));
        indices.take(count).map(|index| u16::from_le_bytes(*index)).max()
    }

    /// The faults of the textures that the program reads.
    fn textures(&mut self, known: &mut TextureFaults) -> Vec<String> {
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
                let title = Key::Texture(texture).title(self.capture, player, context);
                found.push(format!("{title} in slot {slot} {fault}"));
            }
        }
        found
    }

    /// What is wrong with the levels of a texture. Draws with an incomplete texture are not executed.
    fn texture(&mut self, texture: TextureKey, blends: bool) -> Option<String> {
        let surface = Surface::Texture { texture, side: 0, level: 0 };
        let image = self.player.surface(0, self.draw.context, surface).ok().flatten()?;
        let (pixels, _) = image.rgba().as_chunks::<4>();
        // A texture of one colour on purpose.
        if pixels.len() <= SOLID {
            return None;
        }
        if pixels.iter().all(|[.., alpha]| *alpha == 0) {
            return Some("is transparent everywhere".to_owned());
        }
        if pixels.iter().all(|[red, green, blue, _]| [red, green, blue] == [&0; 3]) {
            return Some("is black everywhere".to_owned());
        }
        let (desc, mut last) =
            (self.player.texture_desc(self.draw.context, texture)?, mean(pixels));
        let sprite = blends && desc.format == TextureFormat::Bgra && !desc.render_target;
        if sprite && is_framed(pixels, image.width().max(1) as usize) {
            return Some(format!(
                "{LEVEL} 0 without alpha and with a black border, although alpha blends it: was its alpha lost?"
            ));
        }
        // Levels with fewer than 16 pixels a side are often sloppy.
        let least = desc.width.min(desc.height).max(1).ilog2().saturating_sub(3);
        for level in (1..desc.levels).take_while(|level| u32::from(*level) < least) {
            let surface = Surface::Texture { texture, side: 0, level };
            let image = self.player.surface(0, self.draw.context, surface).ok().flatten()?;
            let here = mean(image.rgba().as_chunks::<4>().0);
            if here.iter().zip(last).any(|(here, last)| here.abs_diff(last) > OTHER_LEVEL) {
                return Some(format!(
                    "{LEVEL} {level} with the mean colour {here:?}, where level {} has {last:?}",
                    level - 1
                ));
            }
            last = here;
        }
        None
    }
}

impl Inspector {
    /// What a failed call lacks, as the end of its error.
    pub(crate) fn missing(&self, call: usize, status: &CallStatus) -> Result<String> {
        let code = match &status.outcome {
            Some(Outcome::Raised(error)) => error.code(),
            Some(Outcome::Skipped(code)) => *code,
            Some(
                Outcome::Done | Outcome::Bitmap(_) | Outcome::Unsupported(_) | Outcome::OnNull,
            )
            | None => return Ok(String::new()),
        };
        let capture = self.capture();
        let (_, line) = capture.call(call)?;
        let file = line.call.atf_file().and_then(|file| Header::read(file).ok());
        if let (ErrorCode::FormatMismatch, Some(header)) = (code, file) {
            let kind = TextureFormat::from(header.format.texture()).name();
            let title = capture.title(line.on);
            let created = capture.objects().get(&line.on).map_or(0, |object| object.created);
            return Ok(format!(" The file is for {kind} textures, call {created} created {title}"));
        }
        if code != ErrorCode::IncompleteTexture {
            return Ok(String::new());
        }
        let all = self.drawn_with(call, &line)?.into_iter();
        let empty = all.filter(|(_, name, upload)| upload.is_none() && name.starts_with("fs"));
        let dry_run = self.dry_run(0)?;
        let empty = empty.filter(|(id, ..)| dry_run.drawn_into(*id, call).is_none());
        let text = |(id, name, _)| format!(" {name} is {}, without content", capture.title(id));
        Ok(empty.map(text).collect())
    }
}

/// Textures with so few texels are placeholders or colours, and may be black or transparent.
const SOLID: usize = 16;

/// Least difference of the mean colours of two levels of a texture that can't be meant.
const OTHER_LEVEL: u64 = 64;

/// Whether all pixels are opaque, and those of the border black.
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

/// The first constants with NaN or infinity that the programs may read.
fn invalid_constants(interface: &Interface, bound: &Bound) -> Vec<String> {
    let bad = |(_, values): &(String, &[f32; 4])| values.iter().any(|value| !value.is_finite());
    let mut all: Vec<_> = constants(bound, interface).filter(bad).collect();
    all.dedup_by_key(|(name, _)| name.starts_with("vc"));
    all.iter().map(|(name, values)| format!("constant {name} is {}", text(*values))).collect()
}

/// Why no fragment is kept, if triangles cover pixels.
fn rejected(report: &DrawReport, bound: &Bound) -> Option<String> {
    // Closed meshes always have triangles that are culled.
    let cause = |(count, why): &(u64, &str)| (*count > 0 && *why != "culled", *count);
    let (number, why) = report.rejected().into_iter().max_by_key(cause)?;
    let (raster, number) = (&bound.raster, count(Some(number).filter(|number| *number > 0)?));
    let [front, back] = [&raster.stencil_front, &raster.stencil_back];
    Some(match why {
        "culled" if report.culled_triangles == report.triangles => {
            let (cull, all) = (raster.cull.name(), count(report.triangles));
            let both = raster.cull == TriangleFace::FrontAndBack;
            let face = if both { "" } else { ": they show that face" };
            format!("setCulling({cull}) culls all {all} triangles{face} ({number} fragments)")
        }
        "scissor" => {
            let area = bound.scissor.map_or(String::new(), area_text);
            format!("{number} fragments rejected by setScissorRectangle {area}")
        }
        "stencil" if front.compare == CompareMode::Never && back.compare == CompareMode::Never => {
            format!("setStencilActions compares with never ({number} fragments)")
        }
        "stencil" => {
            let (compare, reference) = (front.compare.name(), raster.stencil_reference);
            format!(
                "{number} fragments rejected by setStencilActions: {compare}, with stencil reference {reference} and read mask {}",
                raster.stencil_read_mask
            )
        }
        "depth" if raster.depth_compare == CompareMode::Never => {
            format!("setDepthTest compares with never ({number} fragments)")
        }
        "depth" => {
            format!("{number} fragments rejected by setDepthTest: {}", raster.depth_compare.name())
        }
        why => format!("{number} fragments rejected by {why}"),
    })
}

/// A side of the clip space, and whether a position is beyond it.
type Side = (&'static str, fn([f32; 4]) -> bool);

const SIDES: [Side; 6] = [
    (", beyond the far plane (z > w)", |[_, _, z, w]| z > w),
    (", before the near plane (z < 0)", |[_, _, z, _]| z < 0.0),
    (", on the left (x < -w)", |[x, _, _, w]| x < -w),
    (", on the right (x > w)", |[x, _, _, w]| x > w),
    (", below (y < -w)", |[_, y, _, w]| y < -w),
    (", above (y > w)", |[_, y, _, w]| y > w),
];

/// Why no triangle covers a pixel.
fn triangles(report: &DrawReport, invalid: String, vertices: &[Vertex]) -> String {
    let all = count(report.triangles);
    if report.invalid_triangles == report.triangles {
        format!("all {all} triangles have NaN or infinite positions{invalid}")
    } else if report.behind_triangles == report.triangles {
        format!("all {all} triangles are behind the eye, with w ≤ 0")
    } else if report.off_screen_triangles == report.triangles {
        let parts =
            [(report.invalid_triangles, "not finite"), (report.behind_triangles, "with w ≤ 0")];
        let parts = parts.iter().filter(|(number, _)| *number > 0);
        let parts: Vec<String> = parts.map(|(number, what)| format!("{number} {what}")).collect();
        match parts.join(", ").as_str() {
            "" => {
                let outside = |(_, is): &&Side| {
                    !vertices.is_empty() && vertices.iter().all(|vertex| is(vertex.position))
                };
                let side = SIDES.iter().find(outside).map_or("", |(name, _)| *name);
                format!("off-screen{side}")
            }
            parts => format!("off-screen, {parts}{invalid}"),
        }
    } else if report.empty_triangles == report.triangles {
        format!("all {all} triangles are degenerate, or too small to cover a pixel's centre")
    } else {
        "its triangles cover no pixel".to_owned()
    }
}
