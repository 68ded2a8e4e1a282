//! The summary of a capture, collected by a replay without a renderer.

mod atf;
mod collect;
mod features;

use std::collections::BTreeMap;

pub use atf::{AtfShape, AtfUse, Choices, choices, choices_text};
use collect::Collector;

use context3d::backend::NullFactory;
use molehill_capture::Reader;
use molehill_replay::report::Report;
use molehill_replay::{Options, ReplayError, Replayer, run};
use serde::{Serialize, Serializer};
use serde_json::json;

#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Info {
    #[serde(serialize_with = "counted")]
    pub contexts: BTreeMap<ContextRequest, u64>,
    #[serde(serialize_with = "counted")]
    pub back_buffers: BTreeMap<BackBufferShape, u64>,
    pub calls: BTreeMap<&'static str, u64>,
    /// Used features of Stage3D, each with the number of calls.
    pub features: BTreeMap<&'static str, u64>,
    /// Distinct programs, ordered by their first upload.
    pub programs: Vec<ProgramInfo>,
    pub program_uploads: u64,
    /// Opcodes of all distinct programs, each with the number of instructions.
    pub opcodes: BTreeMap<&'static str, u64>,
    #[serde(serialize_with = "listed")]
    pub textures: BTreeMap<TextureShape, TextureUse>,
    /// Uploaded ATF files, grouped by their properties.
    #[serde(serialize_with = "listed")]
    pub atf: BTreeMap<AtfShape, AtfUse>,
    #[serde(serialize_with = "counted")]
    pub buffers: BTreeMap<BufferShape, u64>,
    /// Formats of bound vertex streams, each with the number of bindings.
    pub vertex_formats: BTreeMap<&'static str, u64>,
    /// Bytes that the application uploaded.
    #[serde(rename = "bytesUploaded")]
    pub uploaded: Uploaded,
    #[serde(skip)]
    pub report: Report,
}

/// An entry of a map, serialized as a single object.
#[derive(Serialize)]
struct Row<K, V> {
    #[serde(flatten)]
    key: K,
    #[serde(flatten)]
    value: V,
}

/// Serializes a map as a list of entries, for maps whose keys are structures.
fn listed<K: Serialize, V: Serialize, S: Serializer>(
    map: &BTreeMap<K, V>,
    out: S,
) -> Result<S::Ok, S::Error> {
    out.collect_seq(map.iter().map(|(key, value)| Row { key, value }))
}

fn counted<K: Serialize, S: Serializer>(map: &BTreeMap<K, u64>, out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(map.iter().map(|(key, count)| Row { key, value: json!({ "count": count }) }))
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ContextRequest {
    /// The granted profile, or the requested profile if the request was rejected.
    pub profile: Option<String>,
    /// The profiles passed to `requestContext3DMatchingProfiles`.
    pub profiles: Option<Vec<Option<String>>>,
    #[serde(rename = "context3DRenderMode")]
    pub render_mode: Option<String>,
    pub granted: bool,
    /// The error id of a rejected request, if there was an error.
    pub error: Option<u16>,
    /// The reason for the rejection, if the capture contains it.
    pub reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramInfo {
    /// Line number of the first upload.
    pub line: u64,
    /// Number of uploads with the same bytes.
    pub uploads: u64,
    /// The vertex program; `None` for invalid AGAL.
    pub vertex: Option<ShaderInfo>,
    /// The fragment program; `None` for invalid AGAL.
    pub fragment: Option<ShaderInfo>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ShaderInfo {
    pub version: u32,
    pub tokens: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TextureShape {
    /// The class: `Texture`, `RectangleTexture` or `CubeTexture`.
    pub kind: &'static str,
    /// The name of the texture format in ActionScript.
    pub format: String,
    pub width: i32,
    pub height: i32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TextureUse {
    pub count: u64,
    /// Maximum number of separately uploaded mip levels. ATF files contain their mip levels.
    pub levels: u32,
    pub uploads: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BufferShape {
    /// The type of the buffer: `vertex` or `index`.
    pub kind: &'static str,
    pub buffer_usage: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackBufferShape {
    pub width: i32,
    pub height: i32,
    /// The requested number of MSAA samples.
    pub anti_alias: i32,
    pub enable_depth_and_stencil: bool,
}

/// Uploaded bytes, by destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Uploaded {
    /// Bytes uploaded to vertex buffers. Each element of a vector counts as four bytes.
    pub vertices: u64,
    /// Bytes uploaded to index buffers. Each index counts as two bytes.
    pub indices: u64,
    pub programs: u64,
    pub textures: u64,
    /// Bytes uploaded to constants. Each register counts as 16 bytes.
    pub constants: u64,
}

/// Summarizes a capture. Returns the summary, and the error if the replay failed.
pub fn inspect(reader: &mut Reader) -> (Info, Option<ReplayError>) {
    let mut replayer = Replayer::new(reader.header(), NullFactory, Options::default());
    let mut collector = Collector::default();
    let error = run(reader, &mut replayer, &mut collector).err();
    (Info { report: replayer.report().clone(), ..collector.info }, error)
}
