//! The content of a capture, found by replaying it without a device.

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
    /// Features of the API, and the number of calls that use them.
    pub features: BTreeMap<&'static str, u64>,
    /// Distinct programs, in the order of their first upload.
    pub programs: Vec<ProgramInfo>,
    pub program_uploads: u64,
    /// Opcodes of all distinct programs, and the number of their tokens.
    pub opcodes: BTreeMap<&'static str, u64>,
    #[serde(serialize_with = "listed")]
    pub textures: BTreeMap<TextureShape, TextureUse>,
    /// Uploaded ATF files by content.
    #[serde(serialize_with = "listed")]
    pub atf: BTreeMap<AtfShape, AtfUse>,
    #[serde(serialize_with = "counted")]
    pub buffers: BTreeMap<BufferShape, u64>,
    /// Formats of bound vertex buffers, and how often.
    pub vertex_formats: BTreeMap<&'static str, u64>,
    /// Bytes passed by the program.
    #[serde(rename = "bytesUploaded")]
    pub uploaded: Uploaded,
    #[serde(skip)]
    pub report: Report,
}

/// An entry of a map as one object.
#[derive(Serialize)]
struct Row<K, V> {
    #[serde(flatten)]
    key: K,
    #[serde(flatten)]
    value: V,
}

/// Serializes a map with structures as keys as a list.
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
    /// The granted profile, or the requested one if the request was refused.
    pub profile: Option<String>,
    /// The requested profiles of `requestContext3DMatchingProfiles`.
    pub profiles: Option<Vec<Option<String>>>,
    #[serde(rename = "context3DRenderMode")]
    pub render_mode: Option<String>,
    pub granted: bool,
    /// The number of the error with which it was refused, if there was one.
    pub error: Option<u16>,
    /// The reason for which it was refused, if the capture has it.
    pub reason: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgramInfo {
    /// Line of the first upload.
    pub line: u64,
    /// Uploads of the same bytes.
    pub uploads: u64,
    /// The vertex program; `None` if it is not AGAL.
    pub vertex: Option<ShaderInfo>,
    /// The fragment program; `None` if it is not AGAL.
    pub fragment: Option<ShaderInfo>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ShaderInfo {
    pub version: u32,
    pub tokens: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TextureShape {
    /// `Texture`, `RectangleTexture` or `CubeTexture`.
    pub kind: &'static str,
    /// ActionScript's name of the format.
    pub format: String,
    pub width: i32,
    pub height: i32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TextureUse {
    pub count: u64,
    /// Largest number of levels uploaded one by one; an ATF upload includes its levels.
    pub levels: u32,
    pub uploads: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BufferShape {
    /// `vertex` or `index`.
    pub kind: &'static str,
    pub buffer_usage: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackBufferShape {
    pub width: i32,
    pub height: i32,
    /// Samples asked for.
    pub anti_alias: i32,
    pub enable_depth_and_stencil: bool,
}

/// Uploaded bytes by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Uploaded {
    /// To vertex buffers; numbers of a vector count four bytes.
    pub vertices: u64,
    /// To index buffers; two bytes an index.
    pub indices: u64,
    pub programs: u64,
    pub textures: u64,
    /// To constants; 16 bytes a register.
    pub constants: u64,
}

/// Inspects a capture. Returns its content, and the error if one ended the replay early.
pub fn inspect(reader: &mut Reader) -> (Info, Option<ReplayError>) {
    let mut replayer = Replayer::new(reader.header(), NullFactory, Options::default());
    let mut collector = Collector::default();
    let error = run(reader, &mut replayer, &mut collector).err();
    (Info { report: replayer.report().clone(), ..collector.info }, error)
}
