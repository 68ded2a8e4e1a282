//! The summary of a capture and the report of a replay, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt::Display;

use context3d::ErrorCode;
use molehill_analysis::count;
use molehill_capture::CaptureHeader;
use serde_json::{Value, json};

use crate::info::{
    AtfShape, BackBufferShape, BufferShape, CaptureInfo, ProgramInfo, RequestInfo, ShaderInfo,
    TextureShape, TextureUseInfo, UploadTotals, choices_text,
};
use molehill_replay::report::ReplayReport;
use molehill_replay::terminal::line as shown;

/// Maximum number of errors that the text lists.
const LISTED_ERRORS: usize = 20;
const LISTED: usize = 64;

/// Returns the summary of a capture as text, section by section.
pub fn text(name: &str, header: &CaptureHeader, info: &CaptureInfo) -> String {
    let mut text = head(header, &info.report);
    let out = &mut text;
    section(out, "contexts", rows(&info.contexts, context));
    section(out, "back buffers", rows(&info.back_buffers, back_buffer));
    section(out, "calls", by_count(&info.calls));
    section(out, "features (calls that use them)", by_count(&info.features));
    let programs = info.programs.iter().map(|info| (program(info), &info.uploads));
    section(out, "programs (uploads)", programs);
    section(out, "opcodes (tokens)", by_count(&info.opcodes));
    let textures = info.textures.iter();
    section(out, "textures", textures.map(|(shape, used)| (texture(shape, used), &used.count)));
    let files = info.atf.iter().map(|(shape, used)| (atf(shape), &used.uploads));
    section(out, "ATF files (uploads)", files);
    let buffer = |shape: &BufferShape| format!("{}, {}", shape.kind, shape.buffer_usage);
    section(out, "buffers", rows(&info.buffers, buffer));
    section(out, "vertex formats (times bound)", by_count(&info.vertex_formats));
    let UploadTotals { vertices, indices, programs, textures, constants } = &info.uploaded;
    let kinds = ["vertices", "indices", "programs", "textures", "constants"];
    let bytes = [vertices, indices, programs, textures, constants];
    section(out, "bytes uploaded", kinds.into_iter().zip(bytes));
    let notes = report_text(name, &info.report, "see --json for more");
    if !notes.is_empty() {
        text += &format!("\n{notes}");
    }
    text + &format!("\n{} errors raised\n", info.report.errors.total)
}

fn head(header: &CaptureHeader, report: &ReplayReport) -> String {
    let [red, green, blue] = header.stage_color;
    let rate = header.frame_rate.map(|rate| format!(", {rate} frames per second"));
    let rate = rate.unwrap_or_default();
    format!(
        "title       {}\nrecorded by {}\nSWF version {}\nstage       {}×{}, #{red:02x}{green:02x}{blue:02x}{rate}\n\
         frames      {}, {} calls\n",
        shown(&header.title),
        header.generator.as_deref().map_or("unknown".to_owned(), shown),
        header.swf_version,
        header.stage_width,
        header.stage_height,
        report.frames,
        report.calls
    )
}

/// Returns the entries of a map, with keys as text.
fn rows<K>(
    counts: &BTreeMap<K, u64>,
    describe: fn(&K) -> String,
) -> impl Iterator<Item = (String, &u64)> {
    counts.iter().map(move |(key, count)| (describe(key), count))
}

/// Adds a heading and the first [`LISTED`] entries with their counts. If `rows` has no entries, adds no heading.
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

/// Describes a context request: its profile, and the error of a rejected request.
pub fn context(request: &RequestInfo) -> String {
    let name = |name: &Option<String>| name.clone().unwrap_or("null".to_owned());
    let mut text = format!("profile {}", name(&request.profile));
    if let Some(asked) = &request.profiles {
        let asked: Vec<String> = asked.iter().map(name).collect();
        text += &format!(" of {}", asked.join(", "));
    }
    if let Some(mode) = &request.render_mode {
        text += &format!(", mode {mode}");
    }
    if request.granted {
        return text;
    }
    text += &request.error.map_or(", rejected without an error".to_owned(), |number| {
        let code = ErrorCode::ALL.iter().find(|code| code.number() == number);
        let what = code.map_or(String::new(), |code| format!(": {}", code.template()));
        format!(", rejected with {number}{what}")
    });
    match &request.reason {
        Some(reason) => format!("{}: {reason}", text.trim_end_matches('.')),
        None => text,
    }
}

fn back_buffer(shape: &BackBufferShape) -> String {
    let BackBufferShape { width, height, anti_alias, enable_depth_and_stencil } = shape;
    let depth = if *enable_depth_and_stencil { "with" } else { "without" };
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
        choices_text(&shape.choices)
    )
}

fn texture(shape: &TextureShape, used: &TextureUseInfo) -> String {
    let TextureShape { kind, format, width, height } = shape;
    let levels = if used.levels > 1 { format!(", {} levels", used.levels) } else { String::new() };
    format!("{kind}, {format}, {width}×{height}{levels}, {} uploads", used.uploads)
}

pub fn json(header: &CaptureHeader, info: &CaptureInfo) -> Value {
    let [red, green, blue] = header.stage_color;
    let mut whole = json!({
        "title": header.title, "generator": header.generator, "swfVersion": header.swf_version,
        "stageWidth": header.stage_width, "stageHeight": header.stage_height,
        "stageColor": format!("#{red:02x}{green:02x}{blue:02x}"), "frameRate": header.frame_rate,
        "replay": info.report,
    });
    if let (Value::Object(whole), Value::Object(info)) = (&mut whole, json!(info)) {
        whole.extend(info);
    }
    whole
}

/// Returns a line for each error, dropped draw and unsupported call of a replay.
pub fn report_text(capture: &str, report: &ReplayReport, hint: &str) -> String {
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
    if report.not_presented > 0 {
        let draws = count(report.not_presented);
        lines.push(format!("none of {draws} draws was presented: no present has succeeded"));
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
