//! `molehill FILE`: prints the type of a file, found from its content, its anomalies, and the next useful commands.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use atf::Atf;
use clap::Command;
use molehill_analysis::scan::OutlierDraw;
use molehill_analysis::{CaptureLimits, Inspector, count};
use molehill_capture::{CaptureHeader, CaptureReader};
use molehill_queries::info::inspect;
use molehill_queries::info_text::{context, report_text};
use molehill_replay::folder::{capture_in, is_recording};
use molehill_replay::image::decode_png;
use molehill_replay::report::ReplayReport;
use serde::Serialize;

use super::capture_argument::{all_below, file_of, has_extension, name, read};
use super::{CommandFailure, CommandStatus, OutputFormat, ProgressLine, input, shader};

/// The maximum number of anomalies, and of lines about errors, that are shown.
const MAX_SHOWN: usize = 3;
const EXPECTED: &str = "expected a capture (.s3d, .s3d.jsonl), a SWF, an ATF texture, a PNG image, a shader (AGAL, Direct3D 9 or \
    DXBC, as bytes or as text), or a folder of such files";

/// Shows the type of a file, its anomalies, and the next useful commands
#[derive(clap::Args)]
#[command(hide = true)]
pub(super) struct Show {
    /// Capture, SWF, ATF texture, PNG, shader, or folder
    #[arg(value_name = "FILE")]
    path: PathBuf,
    #[command(flatten)]
    format: OutputFormat,
}

pub(super) const SHOW: &str = "show";

/// Inserts the hidden command `show` before the first argument if this is an existing file or can't be a command.
pub(super) fn with_command(tool: &Command, mut arguments: Vec<OsString>) -> Vec<OsString> {
    let named = arguments.get(1).filter(|first| {
        let text = first.to_string_lossy();
        let command = tool.find_subcommand(first).is_some() || text == "help";
        !text.starts_with('-')
            && !command
            && (Path::new(first).exists() || text.contains(['.', '/', '\\']))
    });
    if named.is_some() {
        arguments.insert(1, OsString::from(SHOW));
    }
    arguments
}

/// A suggested command, and its purpose.
type NextCommand = (String, &'static str);

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Description {
    file: String,
    kind: &'static str,
    facts: Vec<String>,
    stands_out: Vec<OutlierDraw>,
    #[serde(serialize_with = "commands")]
    next: Vec<NextCommand>,
}

fn commands<S: serde::Serializer>(next: &[NextCommand], out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(next.iter().map(|(command, _)| command))
}

impl Show {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let described = describe(&self.path)?;
        self.format.print(&described, || described.text())
    }
}

impl Description {
    fn new(path: &Path, kind: &'static str, facts: Vec<String>) -> Self {
        Description { file: name(path), kind, facts, ..Description::default() }
    }

    /// Adds a suggested command. In the command, `FILE` stands for the file's path.
    fn then(mut self, command: &str, about: &'static str) -> Self {
        let command = command.replace("FILE", &quoted(&self.file));
        self.next.push((format!("molehill {command}"), about));
        self
    }

    pub(super) fn text(&self) -> String {
        let mut text = format!("{}: {}\n", self.file, self.kind);
        text.extend(self.facts.iter().map(|fact| format!("  {fact}\n")));
        if !self.stands_out.is_empty() {
            text += "stands out:\n";
        }
        for OutlierDraw { frame, reason, again, .. } in self.stands_out.iter().take(MAX_SHOWN) {
            let again = match again.len() {
                0 => String::new(),
                more => format!(" (and in {more} more frames)"),
            };
            text += &format!("  frame {frame}: {reason}{again}\n");
        }
        let more = self.stands_out.len().saturating_sub(MAX_SHOWN);
        if more > 0 {
            text += &format!(
                "  … and {more} more: molehill draws {} --frames all\n",
                quoted(&self.file)
            );
        }
        let width = self.next.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
        text += "next:\n";
        text.extend(self.next.iter().map(|(next, about)| format!("  {next:width$}  {about}\n")));
        text
    }
}

fn quoted(name: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+,:@%\\".contains(letter);
    if name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', r"'\''"))
    }
}

/// Describes the content of a file or folder. For other file types, the error says what was found and expected.
fn describe(path: &Path) -> Result<Description, CommandFailure> {
    if path.is_dir() {
        return if capture_in(path).is_some() { capture(path) } else { folder(path) };
    }
    let mut start = Vec::new();
    let opened = File::open(path).and_then(|file| file.take(16).read_to_end(&mut start));
    opened.map_err(|error| CommandFailure(format!("{}: {error}; {EXPECTED}", name(path))))?;
    match start.as_slice() {
        [b'F' | b'C' | b'Z', b'W', b'S', ..] => swf(path, &start),
        [b'A', b'T', b'F', ..] => texture(path),
        [0x89, b'P', b'N', b'G', ..] => picture(path),
        [b'{', ..] | [0xef, 0xbb, 0xbf, b'{', ..] | [0x89, b'S', b'3', b'D', ..] => capture(path),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => capture(path),
        _ => match shader::recognised(path) {
            Ok((kind, facts)) => Ok(Description::new(path, kind, facts)
                .then("shader check FILE", "Flash's first error, and the limits of a profile")
                .then("shader dis FILE", "the program as text")
                .then("shader glsl FILE", "the GLSL translation for OpenGL")),
            Err(why) => {
                let found = CaptureReader::open(path).err().map(|error| error.to_string());
                let found = why.or(found).unwrap_or_default();
                Err(CommandFailure(format!("{}: {found}; {EXPECTED}", name(path))))
            }
        },
    }
}

/// Describes a capture, with the anomalies of its frames.
pub(super) fn capture(path: &Path) -> Result<Description, CommandFailure> {
    let file = file_of(path)?;
    let mut reader = CaptureReader::open(&file).map_err(CommandFailure::of(name(&file)))?;
    let header = reader.header().clone();
    let (info, failure) = inspect(&mut reader);
    let bytes = File::open(&file).and_then(|file| file.metadata()).map_or(0, |file| file.len());
    let mut facts = vec![head(&header, &info.report, bytes)];
    facts.extend(header.generator.as_ref().map(|by| format!("recorded by {by}")));
    facts.extend(
        info.contexts.keys().take(1).map(|request| format!("context: {}", context(request))),
    );
    let textures: u64 = info.textures.values().map(|used| used.count).sum();
    let buffers: u64 = info.buffers.values().sum();
    facts.push(format!("{} programs, {textures} textures, {buffers} buffers", info.programs.len()));
    let report = report_text(&name(path), &info.report, "");
    facts.extend(report.lines().take(MAX_SHOWN).map(str::to_owned));
    facts.extend(failure.map(|error| {
        format!("{}; the content before the error is shown", error.located(&name(path)))
    }));
    let mut inspector = Inspector::new(read(&file, CaptureLimits::default())?);
    let mut progress = ProgressLine::new();
    inspector.on_progress(move |at| {
        let what = format!("looking at frame {} of {}", at.done, at.of);
        progress.update(|| (what, at.done as u64, Some(at.of as u64)));
        ControlFlow::Continue(())
    });
    let (looked, stands_out) = inspector.short_scan()?;
    let all = inspector.capture().frames().len();
    if stands_out.is_empty() {
        facts.push("no frame stands out".to_owned());
    }
    if looked < all {
        facts.push(format!(
            "only the first {looked} of {all} frames could be compared in ten seconds"
        ));
    }
    let kind = "a capture of Stage3D calls";
    let place = inspector.first_place((looked, stands_out.clone()));
    let described = Description { stands_out, ..Description::new(path, kind, facts) };
    let Some((frame, call)) = place.ok().and_then(|place| Some((place.frame, place.call?))) else {
        return Ok(described
            .then("dump FILE", "every call with its errors")
            .then("info FILE", "the content: contexts, calls, features")
            .then("inspect FILE", "opens the inspector"));
    };
    Ok(described
        .then(
            &format!("draws FILE --frame {frame}"),
            "the frame's draws, their effects and problems",
        )
        .then(&format!("state FILE --call {call}"), "the state of the draw, and its changes")
        .then(&format!("inspect FILE --frame {frame}"), "opens the inspector"))
}

fn head(header: &CaptureHeader, report: &ReplayReport, bytes: u64) -> String {
    let CaptureHeader { title, stage_width: width, stage_height: height, .. } = header;
    let [frames, calls, draws] = [report.frames, report.calls, report.draws].map(count);
    let bytes = count(bytes);
    format!(
        "{title:?}, {bytes} bytes: {frames} frames of {width}×{height}, {calls} calls, {draws} draws"
    )
}

fn swf(path: &Path, start: &[u8]) -> Result<Description, CommandFailure> {
    let [first, _, _, version, a, b, c, d, ..] = start else {
        return Err(CommandFailure(format!("{}: the SWF ends inside its header", name(path))));
    };
    let compression = match first {
        b'F' => "not compressed",
        b'C' => "compressed with zlib",
        _ => "compressed with LZMA",
    };
    let bytes = count(u32::from_le_bytes([*a, *b, *c, *d]).into());
    let facts = vec![format!("version {version}, {bytes} bytes, {compression}")];
    Ok(Description::new(path, "a SWF, a program for Flash Player", facts)
        .then("record FILE -o game.s3d", "plays the SWF and records its Stage3D calls")
        .then("game.s3d", "the recording's anomalies")
        .then("inspect game.s3d", "opens the recording in the inspector"))
}

fn texture(path: &Path) -> Result<Description, CommandFailure> {
    let bytes = input::bytes(path)?;
    let file = Atf::open(&bytes).map_err(CommandFailure::of(name(path)))?;
    let header = file.header();
    let mut encodings = Vec::new();
    for (encoding, _) in
        file.images().filter_map(Result::ok).flat_map(|image| image.encodings().collect::<Vec<_>>())
    {
        if !encodings.contains(&encoding.name()) {
            encodings.push(encoding.name());
        }
    }
    let cube = if header.cube { "cube of " } else { "" };
    let (width, height, levels) = (header.width, header.height, header.count);
    let size =
        format!("{cube}{width}×{height}, {levels} levels, {} bytes", count(bytes.len() as u64));
    let facts = vec![size, format!("encodings: {}", encodings.join(", "))];
    Ok(Description::new(path, "an ATF texture", facts)
        .then("atf FILE", "every mip level, and how well the encodings agree")
        .then("atf FILE --png levels", "the mip levels as PNG files")
        .then("atf FILE --keep dxt -o small.atf", "a smaller file, for desktops"))
}

fn picture(path: &Path) -> Result<Description, CommandFailure> {
    let image = decode_png(&input::bytes(path)?).map_err(CommandFailure::of(name(path)))?;
    let facts = vec![format!("{}×{} pixels", image.width(), image.height())];
    Ok(Description::new(path, "a PNG image", facts)
        .then(
            "explain game.s3d --expect FILE",
            "the calls that make a frame differ from this image",
        )
        .then("replay game.s3d --expect FILE -o out", "compares the last frame with this image")
        .then("inspect game.s3d --compare FILE", "opens both images in the inspector"))
}

fn folder(path: &Path) -> Result<Description, CommandFailure> {
    let all = all_below(path).map_err(CommandFailure::of(name(path)))?;
    let of = |is: &dyn Fn(&Path) -> bool| all.iter().filter(|it| is(it)).collect::<Vec<_>>();
    let captures = of(&|file| is_recording(file));
    let [swfs, textures] = [["swf"], ["atf"]].map(|ends| of(&|file| has_extension(file, &ends)));
    let shaders = of(&|file| has_extension(file, &shader::EXTENSIONS));
    let kinds = [
        (&captures, "captures"),
        (&swfs, "SWF files"),
        (&textures, "ATF textures"),
        (&shaders, "shaders"),
    ];
    let facts = kinds.iter().filter(|(files, _)| !files.is_empty());
    let facts: Vec<String> = facts.map(|(files, what)| format!("{} {what}", files.len())).collect();
    if facts.is_empty() {
        return Err(CommandFailure(format!(
            "{}: the folder has no such files; {EXPECTED}",
            name(path)
        )));
    }
    let mut described = Description::new(path, "a folder", facts);
    if let Some(capture) = captures.first() {
        let first = quoted(&name(capture));
        described = described
            .then(&first, "the first capture's anomalies")
            .then("info FILE", "a line for each capture")
            .then("check FILE", "replays all captures and compares their images and errors");
    }
    if let Some(swf) = swfs.first() {
        let record = format!("record {} -o game.s3d", quoted(&name(swf)));
        described = described.then(&record, "plays the first SWF and records its Stage3D calls");
    }
    if !textures.is_empty() {
        described = described.then("atf FILE", "every texture, and how well its encodings agree");
    }
    if !shaders.is_empty() {
        described = described.then("shader check FILE", "a line for each shader");
    }
    described.next.truncate(MAX_SHOWN);
    Ok(described)
}
