//! What a capture holds, found by replaying it without a device.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use agal::{Program, Stage};
use context3d::{BufferUsage, FlashName, VertexFormat};

use crate::replay::{IdleFactory, Observer, Options, Outcome, ReplayError, Replayer, Report, run};
use crate::trace::{ByteArray, Call, CallLine, Header, ObjectId, Optional, Reader};

/// Programs of which everything is kept; further ones are counted.
const MAX_PROGRAMS: usize = 4096;

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

/// A feature and the calls that use it.
type Feature = (&'static str, fn(&Call) -> bool);

/// THE list of features.
const FEATURES: &[Feature] = &[
    ("antialiasing", |call| {
        matches!(call, Call::ConfigureBackBuffer { anti_alias, .. } | Call::SetRenderToTexture { anti_alias, .. } if *anti_alias > 1)
    }),
    ("mipmaps", |call| upload_level(call).is_some_and(|level| level > 0)),
    ("cube textures", |call| matches!(call, Call::CreateCubeTexture { .. })),
    ("rectangle textures", |call| matches!(call, Call::CreateRectangleTexture { .. })),
    ("ATF", |call| matches!(call, Call::TextureUploadCompressed { .. } | Call::CubeTextureUploadCompressed { .. })),
    ("asynchronous uploads", |call| {
        matches!(call, Call::TextureUploadCompressed { is_async, .. } | Call::CubeTextureUploadCompressed { is_async, .. } if *is_async)
    }),
    ("streaming textures", |call| {
        matches!(call, Call::CreateTexture { streaming_levels, .. } | Call::CreateCubeTexture { streaming_levels, .. } if *streaming_levels > 0)
    }),
    ("render to texture", |call| matches!(call, Call::SetRenderToTexture { texture: Some(_), .. })),
    ("several colour outputs", |call| {
        matches!(call, Call::SetRenderToTexture { color_output_index, .. } if *color_output_index > 0)
    }),
    ("scissor", |call| matches!(call, Call::SetScissorRectangle { rectangle: Some(_) })),
    ("stencil", uses_stencil),
    ("culling", |call| {
        matches!(call, Call::SetCulling { triangle_face_to_cull: Some(face) } if face != "none")
    }),
    ("depth test", |call| {
        matches!(call, Call::SetDepthTest { pass_compare_mode: Some(mode), .. } if mode != "always")
    }),
    ("blending", |call| {
        matches!(call, Call::SetBlendFactors { source_factor: Some(source), destination_factor: Some(destination) }
            if (source.as_str(), destination.as_str()) != ("one", "zero"))
    }),
    ("colour mask", |call| {
        matches!(call, Call::SetColorMask { red, green, blue, alpha } if !(*red && *green && *blue && *alpha))
    }),
    ("sampler states", |call| matches!(call, Call::SetSamplerStateAt { .. })),
    ("instancing", |call| {
        matches!(call, Call::DrawTrianglesInstanced { .. } | Call::CreateVertexBufferForInstances { .. })
    }),
    ("wireframe", |call| matches!(call, Call::SetFillMode { fill_mode: Some(mode) } if mode == "wireframe")),
    ("drawToBitmapData", |call| matches!(call, Call::DrawToBitmapData { .. })),
    ("error checking", |call| matches!(call, Call::EnableErrorChecking { value: true })),
    ("big-endian bytecode", |call| {
        let big = |array: &ByteArray| array.0.as_ref().is_some_and(|bytes| bytes.endian == agal::Endian::Big);
        matches!(call, Call::ProgramUpload { vertex_program, fragment_program }
            if big(vertex_program) || big(fragment_program))
    }),
    ("software rendering", |call| {
        matches!(call, Call::RequestContext3D { render_mode: Optional(Some(Some(mode))), .. } if mode == "software")
    }),
];

fn uses_stencil(call: &Call) -> bool {
    let Call::SetStencilActions {
        compare_mode,
        action_on_both_pass,
        action_on_depth_fail,
        action_on_depth_pass_stencil_fail,
        ..
    } = call
    else {
        return false;
    };
    let actions = [action_on_both_pass, action_on_depth_fail, action_on_depth_pass_stencil_fail];
    compare_mode.as_deref() != Some("always") || actions.iter().any(|action| action.as_deref() != Some("keep"))
}

/// The level that an upload to a texture is for.
fn upload_level(call: &Call) -> Option<u32> {
    match call {
        Call::TextureUploadFromBitmapData { miplevel, .. }
        | Call::TextureUploadFromByteArray { miplevel, .. }
        | Call::CubeTextureUploadFromBitmapData { miplevel, .. }
        | Call::CubeTextureUploadFromByteArray { miplevel, .. } => Some(*miplevel),
        Call::RectangleTextureUploadFromBitmapData { .. }
        | Call::RectangleTextureUploadFromByteArray { .. }
        | Call::TextureUploadCompressed { .. }
        | Call::CubeTextureUploadCompressed { .. } => Some(0),
        _ => None,
    }
}

/// Looks through a capture. Gives what was found, and what ended the search early if anything did.
pub fn inspect(reader: &mut Reader) -> (Info, Option<ReplayError>) {
    let header = reader.header().clone();
    let mut replayer = Replayer::new(&header, IdleFactory, Options::default());
    let mut collector = Collector::new(header);
    let error = run(reader, &mut replayer, &mut collector).err();
    let mut info = collector.info;
    info.report = replayer.report().clone();
    (info, error)
}

struct Collector {
    info: Info,
    programs: HashMap<u64, usize>,
    textures: HashMap<ObjectId, TextureShape>,
}

impl Observer for Collector {
    fn called(&mut self, line: u64, call: &CallLine, outcome: &Outcome) -> Result<(), String> {
        *self.info.calls.entry(call.call.name()).or_default() += 1;
        for (name, uses) in FEATURES {
            if uses(&call.call) {
                *self.info.features.entry(name).or_default() += 1;
            }
        }
        self.requested(call);
        if !matches!(outcome, Outcome::Raised(_) | Outcome::OnNull) {
            self.created(call);
            self.uploaded(line, call);
        }
        Ok(())
    }
}

impl Collector {
    fn new(header: Header) -> Self {
        let info = Info {
            header,
            contexts: BTreeMap::new(),
            calls: BTreeMap::new(),
            programs: Vec::new(),
            program_uploads: 0,
            opcodes: BTreeMap::new(),
            textures: BTreeMap::new(),
            vertex_formats: BTreeMap::new(),
            buffers: BTreeMap::new(),
            back_buffers: BTreeMap::new(),
            features: BTreeMap::new(),
            uploaded: Uploaded::default(),
            report: Report::default(),
        };
        Collector { info, programs: HashMap::new(), textures: HashMap::new() }
    }

    fn requested(&mut self, line: &CallLine) {
        if let Call::RequestContext3D { profile, profiles, render_mode, .. } = &line.call {
            let request = ContextRequest {
                profile: profile.0.clone().flatten(),
                asked: profiles.0.clone().flatten(),
                render_mode: render_mode.0.clone().flatten(),
                granted: line.result.is_some(),
            };
            *self.info.contexts.entry(request).or_default() += 1;
        }
    }

    fn created(&mut self, line: &CallLine) {
        let (format, width, height) = match &line.call {
            Call::CreateTexture { width, height, format, .. }
            | Call::CreateRectangleTexture { width, height, format, .. } => (format, *width, *height),
            Call::CreateCubeTexture { size, format, .. } => (format, *size, *size),
            Call::CreateVertexBuffer { buffer_usage, .. } | Call::CreateVertexBufferForInstances { buffer_usage, .. } => {
                return self.buffer("vertex", buffer_usage.as_deref());
            }
            Call::CreateIndexBuffer { buffer_usage, .. } => return self.buffer("index", buffer_usage.as_deref()),
            Call::ConfigureBackBuffer { width, height, anti_alias, enable_depth_and_stencil, .. } => {
                let shape = BackBufferShape {
                    width: *width,
                    height: *height,
                    anti_alias: *anti_alias,
                    depth_and_stencil: *enable_depth_and_stencil,
                };
                *self.info.back_buffers.entry(shape).or_default() += 1;
                return;
            }
            Call::SetVertexBufferAt { buffer: Some(_), format, .. } => {
                if let Some(format) = format.as_deref().and_then(VertexFormat::from_name) {
                    *self.info.vertex_formats.entry(format.name()).or_default() += 1;
                }
                return;
            }
            _ => return,
        };
        let kind = match &line.call {
            Call::CreateTexture { .. } => "Texture",
            Call::CreateRectangleTexture { .. } => "RectangleTexture",
            _ => "CubeTexture",
        };
        let shape = TextureShape { kind, format: format.clone().unwrap_or_default(), width, height };
        self.info.textures.entry(shape.clone()).or_default().count += 1;
        if let Some(id) = line.result {
            self.textures.insert(id, shape);
        }
    }

    fn buffer(&mut self, kind: &'static str, usage: Option<&str>) {
        if let Some(usage) = usage.and_then(BufferUsage::from_name) {
            *self.info.buffers.entry((kind, usage.name())).or_default() += 1;
        }
    }

    fn uploaded(&mut self, number: u64, line: &CallLine) {
        let uploaded = &mut self.info.uploaded;
        let array = |array: &ByteArray| array.0.as_ref().map_or(0, |array| array.bytes.len() as u64);
        let times = |count: i32, bytes: u64| u64::from(count.max(0).unsigned_abs()) * bytes;
        match &line.call {
            Call::VertexBufferUploadFromVector { data: Some(data), .. } => uploaded.vertices += data.0.len() as u64 * 4,
            Call::VertexBufferUploadFromByteArray { data, .. } => uploaded.vertices += array(data),
            Call::IndexBufferUploadFromVector { count, .. } | Call::IndexBufferUploadFromByteArray { count, .. } => {
                uploaded.indices += times(*count, 2);
            }
            Call::SetProgramConstantsFromMatrix { .. } => uploaded.constants += times(4, 16),
            Call::SetProgramConstantsFromVector { data: Some(data), num_registers, .. } => {
                let all = data.0.len() as u64 / 4 * 16;
                uploaded.constants += if *num_registers < 0 { all } else { times(*num_registers, 16) };
            }
            Call::SetProgramConstantsFromByteArray { num_registers, .. } => {
                uploaded.constants += times(*num_registers, 16);
            }
            Call::TextureUploadFromBitmapData { source: Some(bitmap), .. }
            | Call::RectangleTextureUploadFromBitmapData { source: Some(bitmap), .. }
            | Call::CubeTextureUploadFromBitmapData { source: Some(bitmap), .. } => {
                uploaded.textures += bitmap.bgra.len() as u64;
            }
            Call::TextureUploadFromByteArray { data, .. }
            | Call::RectangleTextureUploadFromByteArray { data, .. }
            | Call::CubeTextureUploadFromByteArray { data, .. }
            | Call::TextureUploadCompressed { data, .. }
            | Call::CubeTextureUploadCompressed { data, .. } => uploaded.textures += array(data),
            Call::ProgramUpload { vertex_program, fragment_program } => {
                uploaded.programs += array(vertex_program) + array(fragment_program);
                self.program(number, vertex_program, fragment_program);
            }
            _ => {}
        }
        if let Some(level) = upload_level(&line.call)
            && let Some(texture) = self.textures.get(&line.on).and_then(|shape| self.info.textures.get_mut(shape))
        {
            texture.uploads += 1;
            texture.levels = texture.levels.max(level.saturating_add(1));
        }
    }

    fn program(&mut self, line: u64, vertex: &ByteArray, fragment: &ByteArray) {
        self.info.program_uploads += 1;
        let mut hasher = DefaultHasher::new();
        for half in [vertex, fragment] {
            half.0.as_ref().map(|array| (&array.bytes, array.endian == agal::Endian::Big)).hash(&mut hasher);
        }
        let hash = hasher.finish();
        if let Some(program) = self.programs.get(&hash).and_then(|index| self.info.programs.get_mut(*index)) {
            program.uploads += 1;
            return;
        }
        if self.info.programs.len() == MAX_PROGRAMS {
            return;
        }
        self.programs.insert(hash, self.info.programs.len());
        let vertex = self.half(vertex, Stage::Vertex);
        let fragment = self.half(fragment, Stage::Fragment);
        self.info.programs.push(ProgramInfo { line, uploads: 1, vertex, fragment });
    }

    fn half(&mut self, array: &ByteArray, stage: Stage) -> Option<HalfInfo> {
        let array = array.0.as_ref()?;
        let program = Program::decode(&array.bytes, array.endian, stage).ok()?;
        for opcode in program.instructions().iter().filter_map(|instruction| instruction.opcode()) {
            *self.info.opcodes.entry(opcode.name()).or_default() += 1;
        }
        Some(HalfInfo { version: program.version(), tokens: program.token_count() })
    }
}
