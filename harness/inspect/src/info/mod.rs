//! The content of a capture, found by replaying it without a device.

mod atf;
mod collect;
mod features;

use std::collections::BTreeMap;

pub use atf::{AtfShape, AtfUse};
pub use atf::{choices, choices_text};
use collect::Collector;

use context3d::backend::NullFactory;
use molehill_capture::{Header, Reader};
use molehill_replay::report::Report;
use molehill_replay::{Options, ReplayError, Replayer, run};

#[derive(Clone, Debug)]
pub struct Info {
    pub header: Header,
    /// Requests for a context (granted profile, requested profiles, render mode) and their number.
    pub contexts: BTreeMap<ContextRequest, u64>,
    pub calls: BTreeMap<&'static str, u64>,
    /// Distinct programs, in the order of their first upload.
    pub programs: Vec<ProgramInfo>,
    pub program_uploads: u64,
    /// Opcodes of all distinct programs, and the number of their tokens.
    pub opcodes: BTreeMap<&'static str, u64>,
    pub textures: BTreeMap<TextureShape, TextureUse>,
    /// Uploaded ATF files by content.
    pub atf: BTreeMap<AtfShape, AtfUse>,
    /// Formats of bound vertex buffers, and how often.
    pub vertex_formats: BTreeMap<&'static str, u64>,
    pub buffers: BTreeMap<(&'static str, &'static str), u64>,
    pub back_buffers: BTreeMap<BackBufferShape, u64>,
    /// Features of the API, and the number of calls that use them.
    pub features: BTreeMap<&'static str, u64>,
    /// Bytes passed by the program.
    pub uploaded: Uploaded,
    pub report: Report,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContextRequest {
    /// The granted profile, or the requested one if the request was refused.
    pub profile: Option<String>,
    /// The requested profiles of `requestContext3DMatchingProfiles`.
    pub asked: Option<Vec<Option<String>>>,
    pub render_mode: Option<String>,
    pub granted: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShaderInfo {
    pub version: u32,
    pub tokens: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextureShape {
    /// `Texture`, `RectangleTexture` or `CubeTexture`.
    pub kind: &'static str,
    /// ActionScript's name of the format.
    pub format: String,
    pub width: i32,
    pub height: i32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextureUse {
    pub count: u64,
    /// Largest number of levels uploaded one by one; an ATF upload includes its levels.
    pub levels: u32,
    pub uploads: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BackBufferShape {
    pub width: i32,
    pub height: i32,
    /// Samples asked for.
    pub anti_alias: i32,
    pub depth_and_stencil: bool,
}

/// Uploaded bytes by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    let header = reader.header().clone();
    let mut replayer = Replayer::new(&header, NullFactory, Options::default());
    let mut collector = Collector::new(header);
    let error = run(reader, &mut replayer, &mut collector).err();
    let mut info = collector.finish();
    info.report = replayer.report().clone();
    (info, error)
}
