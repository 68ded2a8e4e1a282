//! `molehill atf`

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command, value_parser};
use context3d::atf::{Atf, Header, Image as Level};
use context3d::packets::TexelLayout;
use serde_json::{Value, json};

use super::{Failure, Status, json_argument, output};
use crate::image::{Image, write_png};

/// Longest file that is read: six faces of 4096×4096 in every encoding at once stay below it.
const MAX_BYTES: u64 = 1 << 30;

/// Names of cube faces in the order of the API.
const SIDES: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];

const AFTER_HELP: &str = "\
Examples:
  molehill atf stone.atf
  molehill atf sky.atf --png levels
  molehill atf *.atf --json | jq '.files[].header'

The names of pictures are those of the file with level and, of a cube, side: sky.+x.0.png. Where a level has several
encodings the best one is drawn, as in a texture: JPEG-XR, DXT, ETC2, ETC1, PVRTC.

Exit status: 0 if all is well, 2 if a file is damaged or can't be read; the levels before the damage are told and
written all the same.";

pub(super) fn command() -> Command {
    Command::new("atf")
        .about("Tells what ATF textures hold, and writes their levels as pictures")
        .after_help(AFTER_HELP)
        .arg(
            Arg::new("files")
                .value_name("FILE")
                .required(true)
                .num_args(1..)
                .value_parser(value_parser!(PathBuf))
                .help("ATF files"),
        )
        .arg(
            Arg::new("png")
                .long("png")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("Write every level of every face into this folder, which is made"),
        )
        .arg(json_argument())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let folder = matches.get_one::<PathBuf>("png");
    if let Some(folder) = folder {
        let made = fs::create_dir_all(folder);
        made.map_err(|error| Failure(format!("{}: {error}", folder.display())))?;
    }
    let paths = matches.get_many::<PathBuf>("files").unwrap_or_default();
    let mut told = Vec::new();
    let mut failures = Vec::new();
    for path in paths {
        let file = inspect(path, folder.map(PathBuf::as_path));
        let failure = &file.failure;
        failures.extend(failure.iter().map(|f| format!("{}: {f}", path.display())));
        match matches.get_flag("json") {
            true => told.push(file.json()),
            false => output::print(&file.text())?,
        }
    }
    if matches.get_flag("json") {
        output::print_json(&json!({ "files": told }))?;
    }
    match failures.is_empty() {
        true => Ok(Status::Success),
        false => Err(Failure(failures.join("\nmolehill: "))),
    }
}

/// What is known of a file.
struct Inspected {
    name: String,
    header: Option<Header>,
    levels: Vec<LevelInfo>,
    failure: Option<String>,
}

/// One level of one face.
struct LevelInfo {
    side: u8,
    level: u8,
    size: (u32, u32),
    /// Name and bytes.
    encodings: Vec<(&'static str, usize)>,
    picture: Option<PathBuf>,
}

/// Reads a file as far as it goes.
fn inspect(path: &Path, folder: Option<&Path>) -> Inspected {
    let mut file = Inspected {
        name: path.display().to_string(),
        header: None,
        levels: Vec::new(),
        failure: None,
    };
    file.failure = file.read(path, folder).err();
    file
}

impl Inspected {
    fn read(&mut self, path: &Path, folder: Option<&Path>) -> Result<(), String> {
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|error| error.to_string())?;
        let read = file.take(MAX_BYTES).read_to_end(&mut bytes);
        read.map_err(|error| error.to_string())?;
        let atf = Atf::open(&bytes).map_err(|error| error.to_string())?;
        self.header = Some(*atf.header());
        for level in atf.images() {
            let level = level.map_err(|error| error.to_string())?;
            let place = match atf.header().cube {
                true => format!("face {}, level {}", side(&level), level.level),
                false => format!("level {}", level.level),
            };
            let told = self.level(&level, path, folder);
            told.map_err(|error| format!("{place}: {error}"))?;
        }
        atf.check_length().map_err(|error| error.to_string())
    }

    /// Decodes a level, so that damage is seen, and writes it.
    fn level(
        &mut self,
        level: &Level<'_>,
        path: &Path,
        folder: Option<&Path>,
    ) -> Result<(), String> {
        let encodings = level.encodings();
        let mut info = LevelInfo {
            side: level.side,
            level: level.level,
            size: (level.width, level.height),
            encodings: encodings
                .map(|(encoding, bytes)| (encoding.name(), bytes))
                .collect(),
            picture: None,
        };
        let texels = level.texels(TexelLayout::Bgra8);
        let texels = texels.map_err(|error| error.to_string())?;
        if let (Some(texels), Some(folder)) = (texels, folder) {
            let cube = self.header.is_some_and(|header| header.cube);
            let path = folder.join(picture_name(path, level, cube));
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
            context3d::FlashName::name(header.format.texture()),
        );
        for level in &self.levels {
            let side = match header.cube {
                true => SIDES.get(usize::from(level.side)).copied().unwrap_or(""),
                false => "",
            };
            let encodings = level.encodings.iter();
            let encodings: Vec<_> = encodings
                .map(|(name, bytes)| format!("{name} ({bytes} bytes)"))
                .collect();
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
                "textureFormat": context3d::FlashName::name(header.format.texture()),
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
        json!({
            "file": self.name,
            "header": header,
            "images": self.levels.iter().map(level).collect::<Vec<_>>(),
            "failure": self.failure,
        })
    }
}

fn side(level: &Level<'_>) -> &'static str {
    SIDES.get(usize::from(level.side)).copied().unwrap_or("")
}

fn picture_name(path: &Path, level: &Level<'_>, cube: bool) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    PathBuf::from(match cube {
        true => format!("{stem}.{}.{}.png", side(level), level.level),
        false => format!("{stem}.{}.png", level.level),
    })
}

fn write(path: &Path, level: &Level<'_>, mut texels: Vec<u8>) -> Result<(), String> {
    for texel in texels.as_chunks_mut::<4>().0 {
        texel.swap(0, 2);
    }
    let image = Image::from_rgba(level.width, level.height, texels);
    let image = image.ok_or_else(|| "texels of another size".to_owned())?;
    write_png(path, &image).map_err(|error| format!("{}: {error}", path.display()))
}
