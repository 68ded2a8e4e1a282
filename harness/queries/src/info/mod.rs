//! The summary of a capture, collected by a replay without a renderer.

mod atf;
mod collect;
mod features;

use std::collections::BTreeMap;

pub use atf::{AtfShape, AtfUse, FormatChoices, choices, choices_text};
use collect::InfoCollector;

use context3d::backend::NullFactory;
use molehill_capture::CaptureReader;
use molehill_replay::report::ReplayReport;
use molehill_replay::{ReplayError, ReplayOptions, Replayer, run};
use serde::{Serialize, Serializer};
use serde_json::json;

#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CaptureInfo {
    #[serde(serialize_with = "counted")]
    pub contexts: BTreeMap<RequestInfo, u64>,
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
    pub textures: BTreeMap<TextureShape, TextureUseInfo>,
    /// Uploaded ATF files, grouped by their properties.
    #[serde(serialize_with = "listed")]
    pub atf: BTreeMap<AtfShape, AtfUse>,
    #[serde(serialize_with = "counted")]
    pub buffers: BTreeMap<BufferShape, u64>,
    /// Formats of bound vertex streams, each with the number of bindings.
    pub vertex_formats: BTreeMap<&'static str, u64>,
    /// Bytes that the application uploaded.
    #[serde(rename = "bytesUploaded")]
    pub uploaded: UploadTotals,
    #[serde(skip)]
    pub report: ReplayReport,
}

/// An entry of a map, serialized as a single object.
#[derive(Serialize)]
struct MapEntry<K, V> {
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
    out.collect_seq(map.iter().map(|(key, value)| MapEntry { key, value }))
}

fn counted<K: Serialize, S: Serializer>(map: &BTreeMap<K, u64>, out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(
        map.iter().map(|(key, count)| MapEntry { key, value: json!({ "count": count }) }),
    )
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct RequestInfo {
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
pub struct TextureUseInfo {
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
pub struct UploadTotals {
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
pub fn inspect(reader: &mut CaptureReader) -> (CaptureInfo, Option<ReplayError>) {
    let mut replayer = Replayer::new(reader.header(), NullFactory, ReplayOptions::default());
    let mut collector = InfoCollector::default();
    let error = run(reader, &mut replayer, &mut collector).err();
    (CaptureInfo { report: replayer.report().clone(), ..collector.info }, error)
}
