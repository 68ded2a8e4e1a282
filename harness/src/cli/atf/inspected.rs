//! The content of a file, read and compared.

use std::path::{Path, PathBuf};

use atf::{Atf, AtfError, Differences, Encoding, Header, Image as Level, TextureClass};
use context3d::enums::{FlashName, TextureFormat};
use serde_json::{Value, json};

use super::input::Source;
use super::part::{Family, Part, side};
use crate::cli::{Failure, output};
use molehill_analysis::info::{Choices, choices, choices_text};
use molehill_replay::image::Image;

/// The shown part of a file, and its pictures.
pub(super) struct View<'a> {
    pub(super) part: &'a Part,
    pub(super) encoding: Option<Family>,
    /// Prefix of the pictures' paths.
    pub(super) pictures: Option<PathBuf>,
}

#[derive(Default)]
pub(super) struct Inspected {
    name: String,
    header: Option<Header>,
    /// The levels that could be read, as JSON and as lines.
    levels: Vec<Value>,
    lines: String,
    choices: Choices,
    compared: Option<Compared>,
    pub(super) failure: Option<String>,
}

/// How the encodings of the first level that is shown agree, on all its faces.
struct Compared {
    level: u8,
    /// The best encoding.
    witness: Encoding,
    others: Vec<(Encoding, Differences)>,
}

/// An encoding of a level, decoded to B, G, R, A bytes.
type Decoded = (Encoding, Vec<u8>);

impl Inspected {
    /// Reads a file as far as possible.
    pub(super) fn of(source: &Source<'_>, view: &View<'_>) -> Self {
        let mut file = Inspected { name: source.name.clone(), ..Inspected::default() };
        file.failure = file.read(source.bytes, view).err();
        file
    }

    fn read(&mut self, bytes: &[u8], view: &View<'_>) -> Result<(), String> {
        let atf = Atf::open(bytes).map_err(|error| error.to_string())?;
        self.header = Some(*atf.header());
        let readable: Vec<_> = atf.images().filter_map(Result::ok).collect();
        self.choices = choices(&readable);
        for level in atf.images() {
            let level = level.map_err(|error| error.to_string())?;
            if !view.part.has(&level) {
                continue;
            }
            let face = atf.header().cube.then(|| format!("face {}, ", side(level.side)));
            let face = face.unwrap_or_default();
            let written = self.level(&level, view);
            written.map_err(|error| format!("{face}level {}: {error}", level.level))?;
        }
        atf.check_length().map_err(|error| error.to_string())
    }

    /// Decodes all encodings of a level, which detects damage, compares them, and writes one.
    fn level(&mut self, level: &Level<'_>, view: &View<'_>) -> Result<(), String> {
        let decoded = decoded(level)?;
        let cube = self.header.is_some_and(|header| header.cube);
        let shown = shown(level, &decoded, view.encoding)?;
        let mut picture = None;
        if let (Some(texels), Some(stem)) = (shown, &view.pictures) {
            let path = picture_name(stem, level, cube);
            let image = Image::from_bgra(level.width, level.height, texels);
            let image = image.ok_or("the texels have the wrong size")?;
            output::write_picture(&path, &image).map_err(|Failure(reason)| reason)?;
            picture = Some(path);
        }
        let Level { side: face, level: number, width, height, .. } = *level;
        let encodings: Vec<_> = level.encodings().collect();
        let one = |(encoding, bytes): &(Encoding, usize)| json!({ "name": encoding.name(), "bytes": bytes, "decibels": likeness(&decoded, *encoding).map(in_json) });
        self.levels.push(json!({
            "side": face, "level": number, "width": width, "height": height,
            "encodings": encodings.iter().map(one).collect::<Vec<_>>(), "picture": picture,
        }));
        let list = encodings.iter().map(|(one, bytes)| format!("{} ({bytes} bytes)", one.name()));
        let list: Vec<String> = list.collect();
        let list = if list.is_empty() { "empty".to_owned() } else { list.join(", ") };
        let (face, size) = (if cube { side(face) } else { "" }, format!("{width}×{height}"));
        self.lines += &format!("  {face:2} {number:2}  {size:>9}  {list}\n");
        self.compare(number, &decoded);
        Ok(())
    }

    /// Adds a level's differences if it is the first level that is shown.
    fn compare(&mut self, level: u8, decoded: &[Decoded]) {
        let Some(((witness, texels), others)) = decoded.split_first() else { return };
        let compared =
            self.compared.get_or_insert(Compared { level, witness: *witness, others: Vec::new() });
        if (compared.level, compared.witness) != (level, *witness) {
            return;
        }
        for (encoding, other) in others {
            let known = compared.others.iter().position(|(known, _)| known == encoding);
            let (_, differences) = match known.and_then(|at| compared.others.get_mut(at)) {
                Some(known) => known,
                None => compared.others.push_mut((*encoding, Differences::default())),
            };
            differences.add(texels, other);
        }
    }

    /// Returns a line that tells how well the encodings agree: empty for a single one.
    fn compared_text(&self) -> String {
        let several = self.compared.as_ref().filter(|compared| !compared.others.is_empty());
        let Some(Compared { level, witness, others }) = several else { return String::new() };
        let alpha = self
            .header
            .is_some_and(|header| header.format.texture() == TextureClass::CompressedAlpha);
        let likeness = others.iter().map(|(encoding, differences)| {
            let alpha = alpha.then(|| format!(", alpha {}", decibels(differences.alpha())));
            let alpha = alpha.unwrap_or_default();
            format!("{} {}{alpha}", encoding.name(), decibels(differences.color()))
        });
        let likeness: Vec<String> = likeness.collect();
        format!("  against {} in level {level}: {}\n", witness.name(), likeness.join("; "))
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
        text + &self.compared_text() + &self.lines
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

/// ActionScript's name of the format of the textures that get the file.
fn texture_format(header: &Header) -> &'static str {
    FlashName::name(TextureFormat::from(header.format.texture()))
}

/// Decodes all encodings of a level but those whose parts aren't documented, best first.
fn decoded(level: &Level<'_>) -> Result<Vec<Decoded>, String> {
    let mut decoded = Vec::new();
    let mut unsupported = None;
    for (encoding, _) in level.encodings() {
        match level.decode(encoding) {
            Ok(texels) => decoded.extend(texels.map(|texels| (encoding, texels))),
            Err(error @ AtfError::Unsupported(_)) => unsupported = Some(error.to_string()),
            Err(error) => return Err(format!("{}: {error}", encoding.name())),
        }
    }
    decoded.sort_by_key(|(one, _)| Encoding::BY_QUALITY.iter().position(|other| other == one));
    unsupported.filter(|_| decoded.is_empty()).map_or(Ok(decoded), Err)
}

/// The texels of the requested encoding, or of the best one; `None` for an empty level.
fn shown<'a>(
    level: &Level<'_>,
    decoded: &'a [Decoded],
    family: Option<Family>,
) -> Result<Option<&'a [u8]>, String> {
    let wanted = |encoding: Encoding| family.is_none_or(|family| family.contains(&encoding));
    match decoded.iter().find(|(encoding, _)| wanted(*encoding)) {
        Some((_, texels)) => Ok(Some(texels)),
        None if level.encodings().next().is_none() => Ok(None),
        None => {
            let names: Vec<_> = level.encodings().map(|(encoding, _)| encoding.name()).collect();
            Err(format!("the requested encoding is missing; the level has {}", names.join(", ")))
        }
    }
}

/// How much an encoding is like the best one; `None` for the best one.
fn likeness(decoded: &[Decoded], encoding: Encoding) -> Option<Differences> {
    let ((_, witness), others) = decoded.split_first()?;
    let (_, texels) = others.iter().find(|(other, _)| *other == encoding)?;
    let mut differences = Differences::default();
    differences.add(witness, texels);
    Some(differences)
}

/// Decibels with one digit after the point; infinity, for equal texels, becomes null.
fn in_json(differences: Differences) -> Value {
    let rounded = |decibels: f64| (decibels * 10.0).round() / 10.0;
    json!({ "color": rounded(differences.color()), "alpha": rounded(differences.alpha()) })
}

fn decibels(value: f64) -> String {
    if value.is_infinite() { "equal".to_owned() } else { format!("{value:.1} dB") }
}

fn picture_name(stem: &Path, level: &Level<'_>, cube: bool) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    let side = if cube { format!(".{}", side(level.side)) } else { String::new() };
    name.push(format!("{side}.{}.png", level.level));
    PathBuf::from(name)
}
