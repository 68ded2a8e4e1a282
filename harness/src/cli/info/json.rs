//! The content of a capture as JSON.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::cli::summary::report_json;
use molehill_inspect::info::{
    AtfShape, AtfUse, BackBufferShape, ContextRequest, Info, ProgramInfo, ShaderInfo, TextureShape,
    TextureUse,
};

/// The whole content in one object.
pub(super) fn json(info: &Info) -> Value {
    let header = &info.header;
    let [red, green, blue] = header.stage_color;
    let uploaded =
        super::uploaded(&info.uploaded).map(|(what, bytes)| (what.to_owned(), bytes.into()));
    json!({
        "title": header.title,
        "generator": header.generator,
        "swfVersion": header.swf_version,
        "stageWidth": header.stage_width,
        "stageHeight": header.stage_height,
        "stageColor": format!("#{red:02x}{green:02x}{blue:02x}"),
        "frameRate": header.frame_rate,
        "contexts": list(&info.contexts, context),
        "backBuffers": list(&info.back_buffers, back_buffer),
        "calls": counts(&info.calls),
        "features": counts(&info.features),
        "programs": info.programs.iter().map(program).collect::<Vec<_>>(),
        "programUploads": info.program_uploads,
        "opcodes": counts(&info.opcodes),
        "textures": list(&info.textures, texture),
        "atf": list(&info.atf, atf),
        "buffers": list(&info.buffers, |(kind, usage), count| {
            json!({ "kind": kind, "bufferUsage": usage, "count": count })
        }),
        "vertexFormats": counts(&info.vertex_formats),
        "bytesUploaded": Map::from_iter(uploaded),
        "replay": report_json(&info.report),
    })
}

fn counts(counts: &BTreeMap<&'static str, u64>) -> Map<String, Value> {
    counts.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect()
}

fn list<K, V>(map: &BTreeMap<K, V>, describe: fn(&K, &V) -> Value) -> Vec<Value> {
    map.iter().map(|(key, value)| describe(key, value)).collect()
}

fn context(request: &ContextRequest, count: &u64) -> Value {
    json!({
        "profile": request.profile,
        "profiles": request.asked,
        "context3DRenderMode": request.render_mode,
        "granted": request.granted,
        "count": count,
    })
}

fn back_buffer(shape: &BackBufferShape, count: &u64) -> Value {
    json!({
        "width": shape.width,
        "height": shape.height,
        "antiAlias": shape.anti_alias,
        "enableDepthAndStencil": shape.depth_and_stencil,
        "count": count,
    })
}

fn program(program: &ProgramInfo) -> Value {
    let half = |half: &Option<ShaderInfo>| {
        half.map(|half| json!({ "version": half.version, "tokens": half.tokens }))
    };
    json!({
        "line": program.line,
        "uploads": program.uploads,
        "vertex": half(&program.vertex),
        "fragment": half(&program.fragment),
    })
}

fn atf(shape: &AtfShape, used: &AtfUse) -> Value {
    let choices = shape.choices.iter();
    let choices = choices.map(|(device, choice)| ((*device).to_owned(), choice.clone().into()));
    json!({
        "version": shape.version,
        "format": shape.format,
        "cube": shape.cube,
        "width": shape.width,
        "height": shape.height,
        "levels": shape.levels,
        "encodings": shape.encodings,
        "uploadedAs": choices.collect::<Map<_, _>>(),
        "uploads": used.uploads,
        "bytes": used.bytes,
    })
}

fn texture(shape: &TextureShape, used: &TextureUse) -> Value {
    json!({
        "kind": shape.kind,
        "format": shape.format,
        "width": shape.width,
        "height": shape.height,
        "count": used.count,
        "levels": used.levels,
        "uploads": used.uploads,
    })
}
