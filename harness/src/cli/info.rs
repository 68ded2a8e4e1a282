//! `molehill info`

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use clap::{ArgMatches, Command};
use serde_json::{Map, Value, json};

use super::summary::{report_json, report_text};
use super::{Failure, Status, capture, capture_argument, capture_name, json_argument, output};
use crate::info::{BackBufferShape, ContextRequest, HalfInfo, Info, ProgramInfo, TextureShape, Uploaded, inspect};
use crate::trace::Reader;

const AFTER_HELP: &str = "\
Examples:
  molehill info capture.s3d.jsonl.zst
  molehill info capture.s3d.jsonl --json | jq .calls

Plays the capture without drawing anything, so it needs no OpenGL.

Exit status: 0 if all is well, 2 if the capture is faulty; what came before the fault is printed.";

/// Programs that are listed one by one as text.
const LISTED_PROGRAMS: usize = 32;

pub(super) fn command() -> Command {
    Command::new("info")
        .about("Tells what a capture holds: calls, programs, textures, features")
        .after_help(AFTER_HELP)
        .arg(capture_argument())
        .arg(json_argument())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let path = capture(matches);
    let name = capture_name(&path);
    let mut reader = Reader::open(&path).map_err(|error| Failure(error.located(&name)))?;
    let (info, failure) = inspect(&mut reader);
    let failure = failure.map(|error| error.located(&name));
    if matches.get_flag("json") {
        let mut json = json(&info);
        if let Value::Object(object) = &mut json {
            object.insert("failure".to_owned(), failure.clone().into());
        }
        output::print_json(&json)?;
    } else {
        output::print(&text(&name, &info))?;
    }
    failure.map_or(Ok(Status::Success), |failure| Err(Failure(failure)))
}

fn text(name: &str, info: &Info) -> String {
    let mut text = String::new();
    let header = &info.header;
    let [red, green, blue] = header.stage_color;
    // Writing to a String can't fail.
    let _ = writeln!(text, "title       {}", header.title);
    let _ = writeln!(text, "recorded by {}", header.generator.as_deref().unwrap_or("unknown"));
    let _ = writeln!(text, "SWF version {}", header.swf_version);
    let rate = header.frame_rate.map_or(String::new(), |rate| format!(", {rate} frames a second"));
    let (width, height) = (header.stage_width, header.stage_height);
    let _ = writeln!(text, "stage       {width}×{height}, #{red:02x}{green:02x}{blue:02x}{rate}");
    let _ = writeln!(text, "frames      {}", info.report.frames);
    section(&mut text, "contexts", info.contexts.iter().map(|(request, count)| (context(request), count)));
    section(&mut text, "back buffers", info.back_buffers.iter().map(|(shape, count)| (back_buffer(shape), count)));
    section(&mut text, "calls", by_count(&info.calls));
    section(&mut text, "features (calls that use them)", by_count(&info.features));
    let programs = info.programs.iter().take(LISTED_PROGRAMS);
    section(&mut text, "programs (uploads)", programs.map(|info| (program(info), &info.uploads)));
    if info.programs.len() > LISTED_PROGRAMS {
        let _ = writeln!(text, "  … and {} more; --json has all", info.programs.len() - LISTED_PROGRAMS);
    }
    section(&mut text, "opcodes (tokens)", by_count(&info.opcodes));
    let textures = info.textures.iter().map(|(shape, used)| {
        let levels = if used.levels > 1 { format!(", {} levels", used.levels) } else { String::new() };
        (format!("{}{levels}, {} uploads", texture(shape), used.uploads), &used.count)
    });
    section(&mut text, "textures", textures);
    section(&mut text, "buffers", info.buffers.iter().map(|((kind, usage), count)| (format!("{kind}, {usage}"), count)));
    section(&mut text, "vertex formats (times bound)", by_count(&info.vertex_formats));
    let uploaded = uploaded(&info.uploaded);
    section(&mut text, "bytes uploaded", uploaded.iter().map(|(what, bytes)| (*what, bytes)));
    let notes = report_text(name, &info.report, "--json has more");
    if !notes.is_empty() {
        let _ = write!(text, "\n{notes}");
    }
    let _ = writeln!(text, "\n{} errors raised", info.report.errors.total);
    text
}

/// A heading and rows of a count and what is counted; nothing where there are no rows.
fn section<'a>(text: &mut String, heading: &str, rows: impl Iterator<Item = (impl Display, &'a u64)>) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "\n{heading}");
    for (what, count) in rows {
        let _ = writeln!(text, "  {count:>10}  {what}");
    }
}

/// The most frequent first.
fn by_count<'a>(counts: &'a BTreeMap<&'static str, u64>) -> impl Iterator<Item = (&'static str, &'a u64)> {
    let mut rows: Vec<_> = counts.iter().map(|(name, count)| (*name, count)).collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    rows.into_iter()
}

fn context(request: &ContextRequest) -> String {
    let name = |name: &Option<String>| name.clone().unwrap_or("null".to_owned());
    let mut text = format!("profile {}", name(&request.profile));
    if let Some(asked) = &request.asked {
        let asked: Vec<String> = asked.iter().map(name).collect();
        let _ = write!(text, " of {}", asked.join(", "));
    }
    if let Some(mode) = &request.render_mode {
        let _ = write!(text, ", mode {mode}");
    }
    text + if request.granted { "" } else { ", refused" }
}

fn back_buffer(shape: &BackBufferShape) -> String {
    let BackBufferShape { width, height, anti_alias, depth_and_stencil } = shape;
    let depth = if *depth_and_stencil { "with" } else { "without" };
    format!("{width}×{height}, antialiasing {anti_alias}, {depth} depth and stencil")
}

fn program(program: &ProgramInfo) -> String {
    let half = |half: &Option<HalfInfo>| match half {
        None => "not AGAL".to_owned(),
        Some(HalfInfo { version, tokens }) => format!("AGAL {version}, {tokens} tokens"),
    };
    format!("line {}: vertex {}; fragment {}", program.line, half(&program.vertex), half(&program.fragment))
}

fn texture(shape: &TextureShape) -> String {
    let TextureShape { kind, format, width, height } = shape;
    format!("{kind}, {format}, {width}×{height}")
}

fn uploaded(uploaded: &Uploaded) -> [(&'static str, u64); 5] {
    let Uploaded { vertices, indices, programs, textures, constants } = *uploaded;
    [
        ("vertices", vertices),
        ("indices", indices),
        ("programs", programs),
        ("textures", textures),
        ("constants", constants),
    ]
}

fn counts(counts: &BTreeMap<&'static str, u64>) -> Map<String, Value> {
    counts.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect()
}

fn json(info: &Info) -> Value {
    let header = &info.header;
    let [red, green, blue] = header.stage_color;
    let contexts = info.contexts.iter().map(|(request, count)| {
        json!({
            "profile": request.profile,
            "profiles": request.asked,
            "context3DRenderMode": request.render_mode,
            "granted": request.granted,
            "count": count,
        })
    });
    let half = |half: &Option<HalfInfo>| half.map(|half| json!({ "version": half.version, "tokens": half.tokens }));
    let programs = info.programs.iter().map(|program| {
        json!({
            "line": program.line,
            "uploads": program.uploads,
            "vertex": half(&program.vertex),
            "fragment": half(&program.fragment),
        })
    });
    let textures = info.textures.iter().map(|(shape, used)| {
        json!({
            "kind": shape.kind,
            "format": shape.format,
            "width": shape.width,
            "height": shape.height,
            "count": used.count,
            "levels": used.levels,
            "uploads": used.uploads,
        })
    });
    let back_buffers = info.back_buffers.iter().map(|(shape, count)| {
        json!({
            "width": shape.width,
            "height": shape.height,
            "antiAlias": shape.anti_alias,
            "enableDepthAndStencil": shape.depth_and_stencil,
            "count": count,
        })
    });
    let buffers = info.buffers.iter().map(|((kind, usage), count)| {
        json!({ "kind": kind, "bufferUsage": usage, "count": count })
    });
    let uploaded = uploaded(&info.uploaded).map(|(what, bytes)| (what.to_owned(), Value::from(bytes)));
    json!({
        "title": header.title,
        "generator": header.generator,
        "swfVersion": header.swf_version,
        "stageWidth": header.stage_width,
        "stageHeight": header.stage_height,
        "stageColor": format!("#{red:02x}{green:02x}{blue:02x}"),
        "frameRate": header.frame_rate,
        "contexts": contexts.collect::<Vec<_>>(),
        "backBuffers": back_buffers.collect::<Vec<_>>(),
        "calls": counts(&info.calls),
        "features": counts(&info.features),
        "programs": programs.collect::<Vec<_>>(),
        "programUploads": info.program_uploads,
        "opcodes": counts(&info.opcodes),
        "textures": textures.collect::<Vec<_>>(),
        "buffers": buffers.collect::<Vec<_>>(),
        "vertexFormats": counts(&info.vertex_formats),
        "bytesUploaded": Map::from_iter(uploaded),
        "replay": report_json(&info.report),
    })
}
