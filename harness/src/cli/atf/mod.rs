//! `molehill atf`

mod input;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use atf::{Atf, Header, Image as Level};
use context3d::enums::{FlashName, TextureFormat};
use context3d::packets::TexelLayout;
use serde_json::{Value, json};

use super::{Failure, Format, Status, output};
use input::Source;
use molehill_analysis::info::{Choices, choices, choices_text};
use molehill_replay::image::Image;

/// Names of cube faces in the order of the API.
const SIDES: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];

/// Shows the content of ATF textures, and writes their levels as pictures
#[derive(clap::Args)]
pub(super) struct AtfCommand {
    /// ATF files, folders of them, captures or their folders; - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Folder for pictures of every level and face; created if needed
    #[arg(long, value_name = "DIR")]
    png: Option<PathBuf>,
    #[command(flatten)]
    format: Format,
}

impl AtfCommand {
    pub(super) fn run(self) -> Result<Status, Failure> {
        self.png.as_deref().map(output::make_folder).transpose()?;
        let (mut files, mut failures) = (Vec::new(), Vec::new());
        let mut stems = HashMap::new();
        for path in &self.files {
            let mut damaged = Vec::new();
            let mut see = |source: Source<'_>| {
                let stem = free(&mut stems, &source.stem);
                let file = inspect(&source, self.png.as_ref().map(|folder| folder.join(stem)));
                let failure = file.failure.iter();
                damaged.extend(failure.map(|why| format!("{}: {why}", source.name)));
                if self.format.json {
                    files.push(file.json());
                    Ok(())
                } else {
                    output::print(&file.text())
                }
            };
            let unread = input::each(path, &mut see)?;
            failures.extend(damaged.into_iter().chain(unread));
        }
        self.format.print(&json!({ "files": files, "failures": failures }), String::new)?;
        match failures.as_slice() {
            [] => Ok(Status::Success),
            failures => Err(Failure(failures.join("\nmolehill: "))),
        }
    }
}

/// The stem, with a number if it is already used.
fn free(uses: &mut HashMap<String, u32>, stem: &str) -> String {
    let mut name = stem.to_owned();
    loop {
        let count = uses.entry(name.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return name;
        }
        name = format!("{stem}-{count}");
    }
}

#[derive(Default)]
struct Inspected {
    name: String,
    header: Option<Header>,
    /// The levels that could be read, as JSON and as lines.
    levels: Vec<Value>,
    lines: String,
    choices: Choices,
    failure: Option<String>,
}

/// Reads a file as far as possible. `stem` is the prefix of its pictures' paths.
fn inspect(source: &Source<'_>, stem: Option<PathBuf>) -> Inspected {
    let mut file = Inspected { name: source.name.clone(), ..Inspected::default() };
    file.failure = file.read(source.bytes, stem.as_deref()).err();
    file
}

impl Inspected {
    fn read(&mut self, bytes: &[u8], stem: Option<&Path>) -> Result<(), String> {
        let atf = Atf::open(bytes).map_err(|error| error.to_string())?;
        self.header = Some(*atf.header());
        let readable: Vec<_> = atf.images().filter_map(Result::ok).collect();
        self.choices = choices(&readable);
        for level in atf.images() {
            let level = level.map_err(|error| error.to_string())?;
            let face = atf.header().cube.then(|| format!("face {}, ", side(level.side)));
            let face = face.unwrap_or_default();
            let written = self.level(&level, stem);
            written.map_err(|error| format!("{face}level {}: {error}", level.level))?;
        }
        atf.check_length().map_err(|error| error.to_string())
    }

    /// Decodes a level, which detects damage, and writes it.
    fn level(&mut self, level: &Level<'_>, stem: Option<&Path>) -> Result<(), String> {
        let cube = self.header.is_some_and(|header| header.cube);
        let mut picture = None;
        let texels = level.texels(TexelLayout::Bgra8);
        let texels = texels.map_err(|error| error.to_string())?;
        if let (Some(texels), Some(stem)) = (texels, stem) {
            let path = picture_name(stem, level, cube);
            let image = Image::from_bgra(level.width, level.height, &texels);
            let image = image.ok_or("the texels have the wrong size")?;
            output::write_picture(&path, &image).map_err(|Failure(reason)| reason)?;
            picture = Some(path);
        }
        let Level { side: face, level: number, width, height, .. } = *level;
        let encodings: Vec<_> = level.encodings().map(|(one, bytes)| (one.name(), bytes)).collect();
        let one = |(name, bytes): &(&str, usize)| json!({ "name": name, "bytes": bytes });
        self.levels.push(json!({
            "side": face, "level": number, "width": width, "height": height,
            "encodings": encodings.iter().map(one).collect::<Vec<_>>(), "picture": picture,
        }));
        let list = encodings.iter().map(|(name, bytes)| format!("{name} ({bytes} bytes)"));
        let list: Vec<String> = list.collect();
        let list = if list.is_empty() { "empty".to_owned() } else { list.join(", ") };
        let (face, size) = (if cube { side(face) } else { "" }, format!("{width}×{height}"));
        self.lines += &format!("  {face:2} {number:2}  {size:>9}  {list}\n");
        Ok(())
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n", self.name);
        let Some(header) = &self.header else {
            return text;
        };
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
        text + &self.lines
    }

    fn json(&self) -> Value {
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

fn side(number: u8) -> &'static str {
    SIDES.get(usize::from(number)).copied().unwrap_or("")
}

fn picture_name(stem: &Path, level: &Level<'_>, cube: bool) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    let side = if cube { format!(".{}", side(level.side)) } else { String::new() };
    name.push(format!("{side}.{}.png", level.level));
    PathBuf::from(name)
}
