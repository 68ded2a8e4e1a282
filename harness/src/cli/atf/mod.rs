//! `molehill atf`

mod input;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use atf::{Atf, Header, Image as Level};
use clap::{ArgMatches, Command};
use context3d::packets::TexelLayout;
use serde_json::{Map, Value, json};

use super::{Failure, Status, arguments, output};
use input::Source;
use molehill_inspect::info::{choices, choices_text};
use molehill_replay::image::{Image, write_png};

/// Names of cube faces in the order of the API.
const SIDES: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];

const AFTER_HELP: &str = "\
Examples:
  molehill atf stone.atf
  molehill atf sky.atf --png levels
  molehill atf textures --json | jq '.files[].header'
  molehill atf capture.s3d.jsonl.zst --png levels

Reads every .atf file of a folder, and every upload of a capture.

Pictures are named after the file, with the level and, for a cube, the side: sky.+x.0.png; for a capture's uploads with
the line: capture-57.0.png. Duplicate names get a number: sky-2.0.png. If a level has several encodings, the best one is
drawn, as in a texture: JPEG-XR, DXT, ETC2, ETC1, PVRTC.

Exit status: 0; 2 if a file is damaged or can't be read. The levels before the damage are still shown and written.";

pub(super) fn command() -> Command {
    Command::new("atf")
        .about("Shows the content of ATF textures, and writes their levels as pictures")
        .after_help(AFTER_HELP)
        .arg(
            arguments::files(
                "files",
                "FILE",
                "ATF files, folders of them, captures or their folders; - for standard input",
            )
            .required(true)
            .num_args(1..),
        )
        .arg(arguments::path(
            "png",
            "DIR",
            "Folder for pictures of every level and face; created if needed",
        ))
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let folder = matches.get_one::<PathBuf>("png");
    if let Some(folder) = folder {
        output::make_folder(folder)?;
    }
    let json = matches.get_flag("json");
    let (mut files, mut failures) = (Vec::new(), Vec::new());
    let mut taken = HashMap::new();
    for path in matches.get_many::<PathBuf>("files").unwrap_or_default() {
        let mut damaged = Vec::new();
        let mut see = |source: Source<'_>| {
            let stem = free(&mut taken, &source.stem);
            let file = inspect(&source, folder.map(|folder| folder.join(stem)).as_deref());
            let failure = file.failure.iter();
            damaged.extend(failure.map(|why| format!("{}: {why}", source.name)));
            match json {
                true => files.push(file.json()),
                false => output::print(&file.text())?,
            }
            Ok(())
        };
        let unread = input::each(path, &mut see)?;
        failures.extend(damaged.into_iter().chain(unread));
    }
    if json {
        output::print_json(&json!({ "files": files, "failures": failures }))?;
    }
    match failures.is_empty() {
        true => Ok(Status::Success),
        false => Err(Failure(failures.join("\nmolehill: "))),
    }
}

/// The stem, with a number if it is already used.
fn free(taken: &mut HashMap<String, u32>, stem: &str) -> String {
    let mut name = stem.to_owned();
    loop {
        let uses = taken.entry(name.clone()).or_insert(0);
        *uses += 1;
        if *uses == 1 {
            return name;
        }
        name = format!("{stem}-{uses}");
    }
}

/// The content of a file.
struct Inspected {
    name: String,
    header: Option<Header>,
    levels: Vec<LevelInfo>,
    /// The texels that devices get.
    choices: Vec<(&'static str, String)>,
    failure: Option<String>,
}

/// One level of one face.
struct LevelInfo {
    side: u8,
    level: u8,
    size: (u32, u32),
    /// Name and size in bytes.
    encodings: Vec<(&'static str, usize)>,
    picture: Option<PathBuf>,
}

/// Reads a file as far as possible. `stem` is the prefix of its pictures' paths.
fn inspect(source: &Source<'_>, stem: Option<&Path>) -> Inspected {
    let mut file = Inspected {
        name: source.name.clone(),
        header: None,
        levels: Vec::new(),
        choices: Vec::new(),
        failure: None,
    };
    file.failure = file.read(source.bytes, stem).err();
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
            let place = match atf.header().cube {
                true => format!("face {}, level {}", side(&level), level.level),
                false => format!("level {}", level.level),
            };
            let written = self.level(&level, stem);
            written.map_err(|error| format!("{place}: {error}"))?;
        }
        atf.check_length().map_err(|error| error.to_string())
    }

    /// Decodes a level, which detects damage, and writes it.
    fn level(&mut self, level: &Level<'_>, stem: Option<&Path>) -> Result<(), String> {
        let encodings = level.encodings();
        let mut info = LevelInfo {
            side: level.side,
            level: level.level,
            size: (level.width, level.height),
            encodings: encodings.map(|(encoding, bytes)| (encoding.name(), bytes)).collect(),
            picture: None,
        };
        let texels = level.texels(TexelLayout::Bgra8);
        let texels = texels.map_err(|error| error.to_string())?;
        if let (Some(texels), Some(stem)) = (texels, stem) {
            let cube = self.header.is_some_and(|header| header.cube);
            let path = picture_name(stem, level, cube);
            write(&path, level, texels.into_owned())?;
            info.picture = Some(path);
        }
        self.levels.push(info);
        Ok(())
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n", self.name);
        let Some(header) = &self.header else {
            return text;
        };
        // Writing to a String can't fail.
        let _ = writeln!(
            text,
            "  version {} (SWF {} and later), {}, {}{}×{}, {} of {} levels, for {} textures",
            header.version,
            header.swf_version(),
            header.format.title(),
            if header.cube { "cube of " } else { "" },
            header.width,
            header.height,
            header.levels(),
            header.count,
            context3d::enums::FlashName::name(context3d::enums::TextureFormat::from(
                header.format.texture()
            )),
        );
        let _ = writeln!(text, "  uploaded: {}", choices_text(&self.choices));
        for level in &self.levels {
            let side = match header.cube {
                true => SIDES.get(usize::from(level.side)).copied().unwrap_or(""),
                false => "",
            };
            let encodings = level.encodings.iter();
            let encodings: Vec<_> =
                encodings.map(|(name, bytes)| format!("{name} ({bytes} bytes)")).collect();
            let encodings = match encodings.is_empty() {
                true => "empty".to_owned(),
                false => encodings.join(", "),
            };
            let size = format!("{}×{}", level.size.0, level.size.1);
            let _ = writeln!(text, "  {side:2} {:2}  {size:>9}  {encodings}", level.level);
        }
        text
    }

    fn json(&self) -> Value {
        let header = self.header.map(|header| {
            json!({
                "version": header.version,
                "swfVersion": header.swf_version(),
                "code": header.format.code(),
                "format": header.format.title(),
                "textureFormat": context3d::enums::FlashName::name(context3d::enums::TextureFormat::from(header.format.texture())),
                "cube": header.cube,
                "width": header.width,
                "height": header.height,
                "count": header.count,
                "flags": header.flags,
                "levels": header.levels(),
                "length": header.length,
            })
        });
        let level = |level: &LevelInfo| {
            let encodings = level.encodings.iter();
            let encodings = encodings.map(|(name, bytes)| json!({ "name": name, "bytes": bytes }));
            json!({
                "side": level.side,
                "level": level.level,
                "width": level.size.0,
                "height": level.size.1,
                "encodings": encodings.collect::<Vec<_>>(),
                "picture": level.picture.as_ref().map(|path| path.display().to_string()),
            })
        };
        let choices = self.choices.iter();
        let choices = choices.map(|(device, choice)| ((*device).to_owned(), choice.clone().into()));
        json!({
            "file": self.name,
            "header": header,
            "uploadedAs": choices.collect::<Map<_, _>>(),
            "images": self.levels.iter().map(level).collect::<Vec<_>>(),
            "failure": self.failure,
        })
    }
}

fn side(level: &Level<'_>) -> &'static str {
    SIDES.get(usize::from(level.side)).copied().unwrap_or("")
}

fn picture_name(stem: &Path, level: &Level<'_>, cube: bool) -> PathBuf {
    let mut name = stem.as_os_str().to_owned();
    name.push(match cube {
        true => format!(".{}.{}.png", side(level), level.level),
        false => format!(".{}.png", level.level),
    });
    PathBuf::from(name)
}

fn write(path: &Path, level: &Level<'_>, mut texels: Vec<u8>) -> Result<(), String> {
    for texel in texels.as_chunks_mut::<4>().0 {
        texel.swap(0, 2);
    }
    let image = Image::from_rgba(level.width, level.height, texels);
    let image = image.ok_or_else(|| "the texels have the wrong size".to_owned())?;
    write_png(path, &image).map_err(|error| format!("{}: {error}", path.display()))
}
