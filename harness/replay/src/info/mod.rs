//! What a capture holds, found by replaying it without a device.

mod atf;
mod collect;
mod features;

use std::collections::BTreeMap;

pub use atf::{AtfShape, AtfUse};
pub use atf::{choices, choices_text};
use collect::Collector;

use crate::{Options, ReplayError, Replayer, Report, run};
use context3d::NullFactory;
use molehill_capture::{Header, Reader};

/// What a capture holds.
#[derive(Clone, Debug)]
pub struct Info {
    /// The first line.
    pub header: Header,
    /// Requests for a context: profile granted, profiles asked for, render mode; and how many there were.
    pub contexts: BTreeMap<ContextRequest, u64>,
    /// Calls by name.
    pub calls: BTreeMap<&'static str, u64>,
    /// Different programs in the order of their first upload.
    pub programs: Vec<ProgramInfo>,
    /// Uploads of programs.
    pub program_uploads: u64,
    /// Opcodes of all different programs, and how many tokens have them.
    pub opcodes: BTreeMap<&'static str, u64>,
    /// Textures by shape.
    pub textures: BTreeMap<TextureShape, TextureUse>,
    /// ATF files that were uploaded, by what they hold.
    pub atf: BTreeMap<AtfShape, AtfUse>,
    /// Formats that vertex buffers were bound with, and how often.
    pub vertex_formats: BTreeMap<&'static str, u64>,
    /// Vertex and index buffers by usage.
    pub buffers: BTreeMap<(&'static str, &'static str), u64>,
    /// Sizes of the back buffer.
    pub back_buffers: BTreeMap<BackBufferShape, u64>,
    /// Features of the API that were used, and by how many calls.
    pub features: BTreeMap<&'static str, u64>,
    /// Bytes that the program handed over.
    pub uploaded: Uploaded,
    /// What the replay did.
    pub report: Report,
}

/// A request for a context.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContextRequest {
    /// The profile granted, or asked for in a request that was refused.
    pub profile: Option<String>,
    /// The profiles asked for, of `requestContext3DMatchingProfiles`.
    pub asked: Option<Vec<Option<String>>>,
    /// The render mode.
    pub render_mode: Option<String>,
    /// A context came of it.
    pub granted: bool,
}

/// One program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramInfo {
    /// Line of the first upload.
    pub line: u64,
    /// Uploads of the same bytes.
    pub uploads: u64,
    /// The vertex half; `None` where it is no AGAL.
    pub vertex: Option<HalfInfo>,
    /// The fragment half; `None` where it is no AGAL.
    pub fragment: Option<HalfInfo>,
}

/// Half a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfInfo {
    /// AGAL version.
    pub version: u32,
    /// Tokens.
    pub tokens: usize,
}

/// A texture's shape.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextureShape {
    /// `Texture`, `RectangleTexture` or `CubeTexture`.
    pub kind: &'static str,
    /// ActionScript's name of the format.
    pub format: String,
    /// Texels.
    pub width: i32,
    /// Texels.
    pub height: i32,
}

/// Textures of one shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextureUse {
    /// How many were created.
    pub count: u64,
    /// Highest number of levels that any of them was given one by one; an ATF upload brings its own.
    pub levels: u32,
    /// Uploads.
    pub uploads: u64,
}

/// Arguments of `configureBackBuffer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BackBufferShape {
    /// Pixels.
    pub width: i32,
    /// Pixels.
    pub height: i32,
    /// Samples asked for.
    pub anti_alias: i32,
    /// With depth and stencil buffer.
    pub depth_and_stencil: bool,
}

/// Bytes by what they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uploaded {
    /// To vertex buffers; numbers of a vector count four bytes.
    pub vertices: u64,
    /// To index buffers; two bytes an index.
    pub indices: u64,
    /// AGAL.
    pub programs: u64,
    /// To textures.
    pub textures: u64,
    /// To constants; 16 bytes a register.
    pub constants: u64,
}

/// Looks through a capture. Gives what was found, and what ended the search early if anything did.
pub fn inspect(reader: &mut Reader) -> (Info, Option<ReplayError>) {
    let header = reader.header().clone();
    let mut replayer = Replayer::new(&header, NullFactory, Options::default());
    let mut collector = Collector::new(header);
    let error = run(reader, &mut replayer, &mut collector).err();
    let mut info = collector.finish();
    info.report = replayer.report().clone();
    (info, error)
}
