//! The content of a capture as text.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use crate::cli::summary::report_text;
use molehill_inspect::info::{
    AtfShape, BackBufferShape, ContextRequest, Info, ProgramInfo, ShaderInfo, TextureShape,
    TextureUse,
};
use molehill_replay::terminal::line as shown;

/// Maximum rows of a section.
const LISTED: usize = 64;

/// The whole content, section by section.
pub(super) fn text(name: &str, info: &Info) -> String {
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
    let uploaded = super::uploaded(&info.uploaded);
    section(out, "bytes uploaded", uploaded.iter().map(|(what, bytes)| (*what, bytes)));
    let notes = report_text(name, &info.report, "see --json for more");
    // Writing to a String can't fail.
    if !notes.is_empty() {
        let _ = write!(out, "\n{notes}");
    }
    let _ = writeln!(out, "\n{} errors raised", info.report.errors.total);
    text
}

fn head(info: &Info) -> String {
    let header = &info.header;
    let [red, green, blue] = header.stage_color;
    let rate =
        header.frame_rate.map_or(String::new(), |rate| format!(", {rate} frames per second"));
    format!(
        "title       {}\nrecorded by {}\nSWF version {}\nstage       {}×{}, #{red:02x}{green:02x}{blue:02x}{rate}\n\
         frames      {}\n",
        shown(&header.title),
        header.generator.as_deref().map_or("unknown".to_owned(), shown),
        header.swf_version,
        header.stage_width,
        header.stage_height,
        info.report.frames
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
    let _ = writeln!(text, "\n{heading}");
    for (what, count) in rows.by_ref().take(LISTED) {
        let _ = writeln!(text, "  {count:>10}  {}", shown(&what.to_string()));
    }
    let more = rows.count();
    if more > 0 {
        let _ = writeln!(text, "  … and {more} more (see --json)");
    }
}

/// Sorts by count, largest first.
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
