//! The content of a capture, and the report of a replay, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::Display;

use context3d::ErrorCode;
use serde_json::{Map, Value, json};

use crate::info::{
    AtfShape, AtfUse, BackBufferShape, ContextRequest, Info, ProgramInfo, ShaderInfo, TextureShape,
    TextureUse, Uploaded,
};
use molehill_replay::report::{RaisedError, Report};
use molehill_replay::terminal::line as shown;

/// Number of errors that are listed as text.
const LISTED_ERRORS: usize = 20;
const LISTED: usize = 64;

/// The whole content of a capture, section by section.
pub fn text(name: &str, info: &Info) -> String {
    let mut text = head(info);
    let out = &mut text;
    section(out, "contexts", rows(&info.contexts, context));
    section(out, "back buffers", rows(&info.back_buffers, back_buffer));
    section(out, "calls", by_count(&info.calls));
    section(out, "features (calls that use them)", by_count(&info.features));
    section(
        out,
        "programs (uploads)",
        info.programs.iter().map(|info| (program(info), &info.uploads)),
    );
    section(out, "opcodes (tokens)", by_count(&info.opcodes));
    section(
        out,
        "textures",
        info.textures.iter().map(|(shape, used)| (texture(shape, used), &used.count)),
    );
    section(
        out,
        "ATF files (uploads)",
        info.atf.iter().map(|(shape, used)| (atf(shape), &used.uploads)),
    );
    section(out, "buffers", rows(&info.buffers, |(kind, usage)| format!("{kind}, {usage}")));
    section(out, "vertex formats (times bound)", by_count(&info.vertex_formats));
    let uploaded = uploaded(&info.uploaded);
    section(out, "bytes uploaded", uploaded.iter().map(|(what, bytes)| (*what, bytes)));
    let notes = report_text(name, &info.report, "see --json for more");
    if !notes.is_empty() {
        text += &format!("\n{notes}");
    }
    text + &format!("\n{} errors raised\n", info.report.errors.total)
}

fn head(info: &Info) -> String {
    let header = &info.header;
    let [red, green, blue] = header.stage_color;
    let rate =
        header.frame_rate.map_or(String::new(), |rate| format!(", {rate} frames per second"));
    format!(
        "title       {}\nrecorded by {}\nSWF version {}\nstage       {}×{}, #{red:02x}{green:02x}{blue:02x}{rate}\n\
         frames      {}, {} calls\n",
        shown(&header.title),
        header.generator.as_deref().map_or("unknown".to_owned(), shown),
        header.swf_version,
        header.stage_width,
        header.stage_height,
        info.report.frames,
        info.report.calls
    )
}

/// The rows of a map, with its keys described.
fn rows<K>(
    counts: &BTreeMap<K, u64>,
    describe: fn(&K) -> String,
) -> impl Iterator<Item = (String, &u64)> {
    counts.iter().map(move |(key, count)| (describe(key), count))
}

/// A heading and rows with counts, the first [`LISTED`] of them; empty without rows.
fn section<'a>(
    text: &mut String,
    heading: &str,
    rows: impl Iterator<Item = (impl Display, &'a u64)>,
) {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return;
    }
    *text += &format!("\n{heading}\n");
    for (what, count) in rows.by_ref().take(LISTED) {
        *text += &format!("  {count:>10}  {}\n", shown(&what.to_string()));
    }
    let more = rows.count();
    if more > 0 {
        *text += &format!("  … and {more} more (see --json)\n");
    }
}

fn by_count<'a>(
    counts: &'a BTreeMap<&'static str, u64>,
) -> impl Iterator<Item = (&'static str, &'a u64)> {
    let mut rows: Vec<_> = counts.iter().map(|(name, count)| (*name, count)).collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    rows.into_iter()
}

fn context(request: &ContextRequest) -> String {
    let name = |name: &Option<String>| name.clone().unwrap_or("null".to_owned());
    let mut text = format!("profile {}", name(&request.profile));
    if let Some(asked) = &request.asked {
        let asked: Vec<String> = asked.iter().map(name).collect();
        text += &format!(" of {}", asked.join(", "));
    }
    if let Some(mode) = &request.render_mode {
        text += &format!(", mode {mode}");
    }
    text + if request.granted { "" } else { ", refused" }
}

fn back_buffer(shape: &BackBufferShape) -> String {
    let BackBufferShape { width, height, anti_alias, depth_and_stencil } = shape;
    let depth = if *depth_and_stencil { "with" } else { "without" };
    format!("{width}×{height}, antialiasing {anti_alias}, {depth} depth and stencil")
}

fn program(program: &ProgramInfo) -> String {
    let half = |half: &Option<ShaderInfo>| match half {
        None => "not AGAL".to_owned(),
        Some(ShaderInfo { version, tokens }) => format!("AGAL {version}, {tokens} tokens"),
    };
    format!(
        "line {}: vertex {}; fragment {}",
        program.line,
        half(&program.vertex),
        half(&program.fragment)
    )
}

fn atf(shape: &AtfShape) -> String {
    let AtfShape { version, format, width, height, levels, encodings, .. } = shape;
    let cube = if shape.cube { "cube of " } else { "" };
    format!(
        "version {version}, {format}, {cube}{width}×{height}, {levels} levels of {}; uploaded: {}",
        encodings.join(", "),
        shape.choices_text()
    )
}

fn texture(shape: &TextureShape, used: &TextureUse) -> String {
    let TextureShape { kind, format, width, height } = shape;
    let levels = if used.levels > 1 { format!(", {} levels", used.levels) } else { String::new() };
    format!("{kind}, {format}, {width}×{height}{levels}, {} uploads", used.uploads)
}

pub fn json(info: &Info) -> Value {
    let header = &info.header;
    let [red, green, blue] = header.stage_color;
    json!({
        "title": header.title,
        "generator": header.generator,
        "swfVersion": header.swf_version,
        "stageWidth": header.stage_width,
        "stageHeight": header.stage_height,
        "stageColor": format!("#{red:02x}{green:02x}{blue:02x}"),
        "frameRate": header.frame_rate,
        "contexts": list(&info.contexts, context_json),
        "backBuffers": list(&info.back_buffers, back_buffer_json),
        "calls": info.calls,
        "features": info.features,
        "programs": info.programs.iter().map(program_json).collect::<Vec<_>>(),
        "programUploads": info.program_uploads,
        "opcodes": info.opcodes,
        "textures": list(&info.textures, texture_json),
        "atf": list(&info.atf, atf_json),
        "buffers": list(&info.buffers, |(kind, usage), count| {
            json!({ "kind": kind, "bufferUsage": usage, "count": count })
        }),
        "vertexFormats": info.vertex_formats,
        "bytesUploaded": uploaded(&info.uploaded).into_iter().collect::<Value>(),
        "replay": report_json(&info.report),
    })
}

fn list<K, V>(map: &BTreeMap<K, V>, describe: fn(&K, &V) -> Value) -> Vec<Value> {
    map.iter().map(|(key, value)| describe(key, value)).collect()
}

fn context_json(request: &ContextRequest, count: &u64) -> Value {
    let ContextRequest { profile, asked, render_mode, granted } = request;
    json!({
        "profile": profile, "profiles": asked, "context3DRenderMode": render_mode, "granted": granted, "count": count,
    })
}

fn back_buffer_json(shape: &BackBufferShape, count: &u64) -> Value {
    let BackBufferShape { width, height, anti_alias, depth_and_stencil } = shape;
    json!({
        "width": width, "height": height, "antiAlias": anti_alias,
        "enableDepthAndStencil": depth_and_stencil, "count": count,
    })
}

fn program_json(program: &ProgramInfo) -> Value {
    let half = |half: &Option<ShaderInfo>| {
        half.map(|half| json!({ "version": half.version, "tokens": half.tokens }))
    };
    let (vertex, fragment) = (half(&program.vertex), half(&program.fragment));
    json!({ "line": program.line, "uploads": program.uploads, "vertex": vertex, "fragment": fragment })
}

fn atf_json(shape: &AtfShape, used: &AtfUse) -> Value {
    let choices = shape.choices.iter().map(|(device, choice)| (*device, choice.as_str()));
    json!({
        "version": shape.version, "format": shape.format, "cube": shape.cube,
        "width": shape.width, "height": shape.height, "levels": shape.levels, "encodings": shape.encodings,
        "uploadedAs": choices.collect::<Value>(), "uploads": used.uploads, "bytes": used.bytes,
    })
}

fn texture_json(shape: &TextureShape, used: &TextureUse) -> Value {
    let TextureShape { kind, format, width, height } = shape;
    let TextureUse { count, levels, uploads } = used;
    json!({
        "kind": kind, "format": format, "width": width, "height": height,
        "count": count, "levels": levels, "uploads": uploads,
    })
}

/// The kinds of data with their sizes in bytes.
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

/// All parts of a report that need attention.
pub fn report_text(capture: &str, report: &Report, hint: &str) -> String {
    let mut lines = Vec::new();
    for raised in report.errors.kept.iter().take(LISTED_ERRORS) {
        let message = format!("{}: {}", raised.call, shown(&raised.error.to_string()));
        lines.push(raised.at().located(capture, message));
    }
    let more = report.errors.total.saturating_sub(LISTED_ERRORS as u64);
    if more > 0 {
        lines.push(format!("… and {more} more errors; {hint}"));
    }
    for (code, draws) in &report.skipped {
        let (number, text) = (code.number(), code.template());
        lines.push(format!(
            "{draws} draws dropped, as Flash does without error checking: #{number}: {text}"
        ));
    }
    for (what, calls) in &report.unsupported {
        lines.push(format!("{calls} calls are not supported yet: {}", shown(what)));
    }
    for (count, what) in [
        (report.failed_uploads, "asynchronous uploads failed"),
        (report.consequential, "calls used objects that could not be created"),
    ] {
        if count > 0 {
            lines.push(format!("{count} {what} (RUST_LOG=info lists them)"));
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

pub fn report_json(report: &Report) -> Value {
    let raised = |raised: &RaisedError| {
        let RaisedError { line, call, call_number, error } = raised;
        json!({
            "line": line, "call": call, "callNumber": call_number, "number": error.number(),
            "class": error.class().name(), "message": error.message(), "token": error.token(),
        })
    };
    let by_number = |counts: &BTreeMap<ErrorCode, u64>| {
        let counts = counts.iter().map(|(code, count)| (code.number().to_string(), json!(count)));
        counts.collect::<Map<_, _>>()
    };
    json!({
        "frames": report.frames, "calls": report.calls, "draws": report.draws,
        "programs": report.programs, "contexts": report.contexts,
        "errors": {
            "total": report.errors.total,
            "byNumber": by_number(&report.errors.by_code),
            "kept": report.errors.kept.iter().map(raised).collect::<Vec<_>>(),
        },
        "skippedDraws": by_number(&report.skipped),
        "unsupported": report.unsupported,
        "failedUploads": report.failed_uploads,
        "consequentialCalls": report.consequential,
        "disagreements": report.disagreements,
    })
}
