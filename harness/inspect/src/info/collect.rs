//! Collects the content of a capture while it is replayed.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use agal::{Program, Stage};
use context3d::enums::{BufferUsage, FlashName};

use super::features::FEATURES;
use super::{
    AtfShape, BackBufferShape, ContextRequest, Info, ProgramInfo, ShaderInfo, TextureShape,
    Uploaded,
};
use molehill_capture::data::{ByteArray, Enum, Floats, Numbers};
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine, Header};
use molehill_replay::report::Report;
use molehill_replay::{Observer, Outcome};

/// Number of programs with details; later ones are only counted.
const MAX_PROGRAMS: usize = 4096;

pub(super) fn upload_level(call: &Call) -> Option<u32> {
    match call {
        Call::TextureUploadFromBitmapData { miplevel, .. }
        | Call::TextureUploadFromBitmapDataAsync { miplevel, .. }
        | Call::TextureUploadFromByteArray { miplevel, .. }
        | Call::TextureUploadFromByteArrayAsync { miplevel, .. }
        | Call::TextureUploadBlocks { miplevel, .. } => Some(miplevel.0.unwrap_or(0)),
        Call::TextureUploadCompressedFromByteArray { .. } => Some(0),
        _ => None,
    }
}

/// The shape of the texture that a call creates.
fn texture_shape(call: &Call) -> Option<TextureShape> {
    let (format, width, height) = match call {
        Call::CreateTexture { width, height, format, .. }
        | Call::CreateRectangleTexture { width, height, format, .. } => {
            (format.text(), *width, *height)
        }
        Call::CreateCubeTexture { size, format, .. } => (format.text(), *size, *size),
        _ => return None,
    };
    let format = format.unwrap_or_default().to_owned();
    Some(TextureShape { kind: call.creates()?.name(), format, width, height })
}

impl Uploaded {
    fn add(&mut self, call: &Call) {
        let array =
            |array: &ByteArray| array.0.as_ref().map_or(0, |array| array.bytes.len() as u64);
        let times = |count: i32, bytes: u64| u64::from(count.max(0).unsigned_abs()) * bytes;
        let vector = |length: usize, registers: i32| match registers {
            ..0 => length as u64 / 4 * 16,
            registers => times(registers, 16),
        };
        match call {
            Call::VertexBufferUploadFromVector { data: Some(data), .. } => {
                self.vertices += data.0.len() as u64 * 4
            }
            Call::VertexBufferUploadFromFloatVector { data: Some(data), .. } => {
                self.vertices += data.0.len() as u64 * 4
            }
            Call::VertexBufferUploadFromByteArray { data, .. } => self.vertices += array(data),
            Call::IndexBufferUploadFromVector { count, .. }
            | Call::IndexBufferUploadFromByteArray { count, .. } => {
                self.indices += times(*count, 2);
            }
            Call::SetProgramConstantsFromMatrix { .. } => self.constants += times(4, 16),
            Call::SetProgramConstantsFromVector {
                data: Some(Numbers(data)),
                num_registers,
                ..
            } => self.constants += vector(data.len(), *num_registers),
            Call::SetProgramConstantsFromFloatVector {
                data: Some(Floats(data)),
                num_registers,
                ..
            } => self.constants += vector(data.len(), *num_registers),
            Call::SetProgramConstantsFromByteArray { num_registers, .. } => {
                self.constants += times(*num_registers, 16)
            }
            Call::TextureUploadFromBitmapData { source: Some(bitmap), .. }
            | Call::TextureUploadFromBitmapDataAsync { source: Some(bitmap), .. }
            | Call::VideoTextureFrame { source: bitmap } => {
                self.textures += bitmap.bgra.len() as u64;
            }
            Call::TextureUploadFromByteArray { data, .. }
            | Call::TextureUploadFromByteArrayAsync { data, .. }
            | Call::TextureUploadCompressedFromByteArray { data, .. }
            | Call::TextureUploadBlocks { data, .. } => {
                self.textures += array(data);
            }
            Call::ProgramUpload { vertex_program, fragment_program } => {
                self.programs += array(vertex_program) + array(fragment_program);
            }
            _ => {}
        }
    }
}

pub(super) struct Collector {
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
            self.done(line, call);
        }
        Ok(())
    }
}

impl Collector {
    pub(super) fn new(header: Header) -> Self {
        let info = Info {
            header,
            contexts: BTreeMap::new(),
            calls: BTreeMap::new(),
            programs: Vec::new(),
            program_uploads: 0,
            opcodes: BTreeMap::new(),
            textures: BTreeMap::new(),
            atf: BTreeMap::new(),
            vertex_formats: BTreeMap::new(),
            buffers: BTreeMap::new(),
            back_buffers: BTreeMap::new(),
            features: BTreeMap::new(),
            uploaded: Uploaded::default(),
            report: Report::default(),
        };
        Collector { info, programs: HashMap::new(), textures: HashMap::new() }
    }

    pub(super) fn finish(self) -> Info {
        self.info
    }

    fn requested(&mut self, line: &CallLine) {
        if let Call::RequestContext3D { profile, profiles, render_mode, .. } = &line.call {
            let request = ContextRequest {
                profile: profile.0.clone().flatten(),
                asked: profiles.0.clone().flatten(),
                render_mode: render_mode.0.as_ref().and_then(|mode| mode.text().map(str::to_owned)),
                granted: line.result.is_some(),
            };
            *self.info.contexts.entry(request).or_default() += 1;
        }
    }

    /// Records a call that succeeded.
    fn done(&mut self, number: u64, line: &CallLine) {
        match &line.call {
            Call::CreateVertexBuffer { buffer_usage, .. }
            | Call::CreateVertexBufferForInstances { buffer_usage, .. } => {
                self.buffer("vertex", buffer_usage.text())
            }
            Call::CreateIndexBuffer { buffer_usage, .. } => {
                self.buffer("index", buffer_usage.text())
            }
            Call::ConfigureBackBuffer {
                width,
                height,
                anti_alias,
                enable_depth_and_stencil,
                ..
            } => {
                let shape = BackBufferShape {
                    width: *width,
                    height: *height,
                    anti_alias: *anti_alias,
                    depth_and_stencil: *enable_depth_and_stencil,
                };
                *self.info.back_buffers.entry(shape).or_default() += 1;
            }
            Call::SetVertexBufferAt { buffer: Some(_), format: Enum::Is(format), .. } => {
                *self.info.vertex_formats.entry(format.name()).or_default() += 1
            }
            Call::ProgramUpload { vertex_program, fragment_program } => {
                self.program(number, vertex_program, fragment_program);
            }
            call => self.texture(line, call),
        }
        self.info.uploaded.add(&line.call);
    }

    fn texture(&mut self, line: &CallLine, call: &Call) {
        if let Some(file) = call.atf_file()
            && let Some(shape) = AtfShape::of(file)
        {
            let used = self.info.atf.entry(shape).or_default();
            used.uploads += 1;
            used.bytes += file.len() as u64;
        }
        if let Some(shape) = texture_shape(call) {
            self.info.textures.entry(shape.clone()).or_default().count += 1;
            if let Some(id) = line.result {
                self.textures.insert(id, shape);
            }
        } else if let Some(level) = upload_level(call)
            && let Some(shape) = self.textures.get(&line.on)
            && let Some(texture) = self.info.textures.get_mut(shape)
        {
            texture.uploads += 1;
            texture.levels = texture.levels.max(level.saturating_add(1));
        }
    }

    fn buffer(&mut self, kind: &'static str, usage: Option<&str>) {
        if let Some(usage) = usage.and_then(BufferUsage::from_name) {
            *self.info.buffers.entry((kind, usage.name())).or_default() += 1;
        }
    }

    fn program(&mut self, line: u64, vertex: &ByteArray, fragment: &ByteArray) {
        self.info.program_uploads += 1;
        let mut hasher = DefaultHasher::new();
        for half in [vertex, fragment] {
            half.0
                .as_ref()
                .map(|array| (&array.bytes, array.endian == agal::Endian::Big))
                .hash(&mut hasher);
        }
        let hash = hasher.finish();
        if let Some(program) =
            self.programs.get(&hash).and_then(|index| self.info.programs.get_mut(*index))
        {
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

    fn half(&mut self, array: &ByteArray, stage: Stage) -> Option<ShaderInfo> {
        let array = array.0.as_ref()?;
        let program = Program::decode(&array.bytes, array.endian, stage).ok()?;
        for opcode in program.instructions().iter().filter_map(|instruction| instruction.opcode()) {
            *self.info.opcodes.entry(opcode.name()).or_default() += 1;
        }
        Some(ShaderInfo { version: program.version(), tokens: program.token_count() })
    }
}
