//! Decodes an ATF file and compares its encodings.

use std::path::{Path, PathBuf};

use atf::{
    Atf, AtfError, AtfHeader, Differences, LevelEncoding, LevelImage as Level, TextureClass,
};
use context3d::enums::{FlashName, TextureFormat};
use serde_json::{Value, json};

use super::input::AtfSource;
use super::part::{EncodingFamily, Subset, face_name};
use crate::cli::{CommandFailure, output};
use molehill_queries::info::{FormatChoices, choices, choices_text};
use molehill_replay::image::RgbaImage;

/// The selected faces and mip levels of an ATF file, and the images to write.
pub(super) struct AtfView<'a> {
    pub(super) part: &'a Subset,
    pub(super) encoding: Option<EncodingFamily>,
    /// The path prefix of the PNG files to write. If `None`, no images are written.
    pub(super) pictures: Option<PathBuf>,
}

#[derive(Default)]
pub(super) struct AtfInspection {
    name: String,
    header: Option<AtfHeader>,
    /// The decoded mip levels, as JSON and as lines of text.
    levels: Vec<Value>,
    lines: String,
    choices: FormatChoices,
    agreement: Option<Agreement>,
    pub(super) failure: Option<String>,
}

/// The similarity of the encodings of the first selected mip level, over all its faces.
struct Agreement {
    level: u8,
    /// The encoding with the best quality, with which the others are compared.
    best: LevelEncoding,
    others: Vec<(LevelEncoding, Differences)>,
}

/// An encoding of a mip level, and its decoded texels as B, G, R, A bytes.
type DecodedLevel = (LevelEncoding, Vec<u8>);

impl AtfInspection {
    pub(super) fn of(source: &AtfSource<'_>, view: &AtfView<'_>) -> Self {
        let mut file = AtfInspection { name: source.name.clone(), ..AtfInspection::default() };
        file.failure = file.read(source.bytes, view).err();
        file
    }

    fn read(&mut self, bytes: &[u8], view: &AtfView<'_>) -> Result<(), String> {
        let atf = Atf::open(bytes).map_err(|error| error.to_string())?;
        self.header = Some(*atf.header());
        let readable: Vec<_> = atf.images().filter_map(Result::ok).collect();
        self.choices = choices(&readable);
        for level in atf.images() {
            let level = level.map_err(|error| error.to_string())?;
            if !view.part.has(&level) {
                continue;
            }
            let face = atf.header().cube.then(|| format!("face {}, ", face_name(level.side)));
            let face = face.unwrap_or_default();
            let written = self.level(&level, view);
            written.map_err(|error| format!("{face}level {}: {error}", level.level))?;
        }
        atf.check_length().map_err(|error| error.to_string())
    }

    /// Decodes all encodings of a mip level to detect damage, compares them, and writes one as an image.
    fn level(&mut self, level: &Level<'_>, view: &AtfView<'_>) -> Result<(), String> {
        let decoded = decoded(level)?;
        let cube = self.header.is_some_and(|header| header.cube);
        let shown = shown(level, &decoded, view.encoding)?;
        let mut picture = None;
        if let (Some(texels), Some(stem)) = (shown, &view.pictures) {
            let path = picture_name(stem, level, cube);
            let image = RgbaImage::from_bgra(level.width, level.height, texels);
            let image = image.ok_or("the texels have the wrong size")?;
            output::write_picture(&path, &image).map_err(|CommandFailure(reason)| reason)?;
            picture = Some(path);
        }
        let Level { side: face, level: number, width, height, .. } = *level;
        let encodings: Vec<_> = level.encodings().collect();
        let one = |(encoding, bytes): &(LevelEncoding, usize)| json!({ "name": encoding.name(), "bytes": bytes, "decibels": likeness(&decoded, *encoding).map(in_json) });
        self.levels.push(json!({
            "side": face, "level": number, "width": width, "height": height,
            "encodings": encodings.iter().map(one).collect::<Vec<_>>(), "picture": picture,
        }));
        let list = encodings.iter().map(|(one, bytes)| format!("{} ({bytes} bytes)", one.name()));
        let list: Vec<String> = list.collect();
        let list = if list.is_empty() { "empty".to_owned() } else { list.join(", ") };
        let (face, size) = (if cube { face_name(face) } else { "" }, format!("{width}×{height}"));
        self.lines += &format!("  {face:2} {number:2}  {size:>9}  {list}\n");
        self.compare(number, &decoded);
        Ok(())
    }

    /// Adds the differences between a mip level's encodings, if it is the first selected level.
    fn compare(&mut self, level: u8, decoded: &[DecodedLevel]) {
        let Some(((best, texels), others)) = decoded.split_first() else { return };
        let fresh = Agreement { level, best: *best, others: Vec::new() };
        let agreement = self.agreement.get_or_insert(fresh);
        if (agreement.level, agreement.best) != (level, *best) {
            return;
        }
        for (encoding, other) in others {
            let known = agreement.others.iter().position(|(known, _)| known == encoding);
            let (_, differences) = match known.and_then(|at| agreement.others.get_mut(at)) {
                Some(known) => known,
                None => agreement.others.push_mut((*encoding, Differences::default())),
            };
            differences.add(texels, other);
        }
    }

    /// Returns a line of text about the similarity of the encodings, or an empty string for a single encoding.
    fn agreement_text(&self) -> String {
        let several = self.agreement.as_ref().filter(|agreement| !agreement.others.is_empty());
        let Some(Agreement { level, best, others }) = several else { return String::new() };
        let alpha = self
            .header
            .is_some_and(|header| header.format.texture() == TextureClass::CompressedAlpha);
        let likeness = others.iter().map(|(encoding, differences)| {
            let alpha = alpha.then(|| format!(", alpha {}", decibels(differences.alpha())));
            let alpha = alpha.unwrap_or_default();
            format!("{} {}{alpha}", encoding.name(), decibels(differences.color()))
        });
        let likeness: Vec<String> = likeness.collect();
        format!("  against {} in level {level}: {}\n", best.name(), likeness.join("; "))
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!("{}\n", self.name);
        let Some(header) = &self.header else { return text };
        text += &format!(
            "  version {} (SWF {} and later), {}, {}{}×{}, {} of {} levels, for {} textures\n  uploaded: {}\n",
            header.version,
            header.swf_version(),
            header.format.title(),
            if header.cube { "cube of " } else { "" },
            header.width,
            header.height,
            header.levels(),
            header.count,
            texture_format(header),
            choices_text(&self.choices)
        );
        text + &self.agreement_text() + &self.lines
    }

    pub(super) fn json(&self) -> Value {
        let header = self.header.map(|header| {
            json!({
                "version": header.version, "swfVersion": header.swf_version(), "code": header.format.code(),
                "format": header.format.title(), "textureFormat": texture_format(&header),
                "cube": header.cube, "width": header.width, "height": header.height, "count": header.count,
                "flags": header.flags, "levels": header.levels(), "length": header.length,
            })
        });
        let choices = self.choices.iter().map(|(device, choice)| (*device, choice.as_str()));
        json!({
            "file": self.name, "header": header, "uploadedAs": choices.collect::<Value>(),
            "images": self.levels, "failure": self.failure,
        })
    }
}

/// Returns ActionScript's name for the texture format that accepts the ATF file.
fn texture_format(header: &AtfHeader) -> &'static str {
    FlashName::name(TextureFormat::from(header.format.texture()))
}

/// Decodes all encodings of a mip level, the best first. Encodings with undocumented components are left out.
fn decoded(level: &Level<'_>) -> Result<Vec<DecodedLevel>, String> {
    let mut decoded = Vec::new();
    let mut unsupported = None;
    for (encoding, _) in level.encodings() {
        match level.decode(encoding) {
            Ok(texels) => decoded.extend(texels.map(|texels| (encoding, texels))),
            Err(error @ AtfError::Unsupported(_)) => unsupported = Some(error.to_string()),
            Err(error) => return Err(format!("{}: {error}", encoding.name())),
        }
    }
    decoded.sort_by_key(|(one, _)| LevelEncoding::BY_QUALITY.iter().position(|other| other == one));
    unsupported.filter(|_| decoded.is_empty()).map_or(Ok(decoded), Err)
}

/// Returns the texels of a mip level in the requested or the best encoding. Returns `None` for an empty mip level.
fn shown<'a>(
    level: &Level<'_>,
    decoded: &'a [DecodedLevel],
    family: Option<EncodingFamily>,
) -> Result<Option<&'a [u8]>, String> {
    let wanted = |encoding: LevelEncoding| family.is_none_or(|family| family.contains(&encoding));
    match decoded.iter().find(|(encoding, _)| wanted(*encoding)) {
        Some((_, texels)) => Ok(Some(texels)),
        None if level.encodings().next().is_none() => Ok(None),
        None => {
            let names: Vec<_> = level.encodings().map(|(encoding, _)| encoding.name()).collect();
            Err(format!("the requested encoding is missing; the level has {}", names.join(", ")))
        }
    }
}

/// Compares the texels of an encoding with those of the best encoding, or returns `None` if both are the same.
fn likeness(decoded: &[DecodedLevel], encoding: LevelEncoding) -> Option<Differences> {
    let ((_, best), others) = decoded.split_first()?;
    let (_, texels) = others.iter().find(|(other, _)| *other == encoding)?;
    let mut differences = Differences::default();
    differences.add(best, texels);
    Some(differences)
}

/// Returns a signal-to-noise ratio in decibels as JSON, with one decimal; null if the texels are equal.
fn in_json(differences: Differences) -> Value {
    let rounded = |decibels: f64| (decibels * 10.0).round() / 10.0;
    json!({ "color": rounded(differences.color()), "alpha": rounded(differences.alpha()) })
}

fn decibels(value: f64) -> String {
    if value.is_infinite() { "equal".to_owned() } else { format!("{value:.1} dB") }
}

fn picture_name(stem: &Path, level: &Level<'_>, cube: bool) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    let face = if cube { format!(".{}", face_name(level.side)) } else { String::new() };
    name.push(format!("{face}.{}.png", level.level));
    PathBuf::from(name)
}
