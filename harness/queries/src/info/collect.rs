//! Collects a summary of a capture while replaying it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use agal::{Program, Stage};
use context3d::enums::{BufferUsage, FlashName};
use molehill_analysis::calls::{payload, registers, texture};

use super::features::{FEATURES, upload_level};
use super::{
    AtfShape, BackBufferShape, BufferShape, CaptureInfo, ProgramInfo, RequestInfo, ShaderInfo,
    TextureShape, UploadTotals,
};
use molehill_capture::data::{ByteArray, Enum};
use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine};
use molehill_replay::{CallOutcome, ReplayObserver};

/// Maximum number of programs with details. Programs beyond this number are only counted.
const MAX_PROGRAMS: usize = 4096;

impl UploadTotals {
    fn add(&mut self, call: &Call) {
        self.constants += u64::from(registers(call)) * 16;
        let Some(bytes) = payload(call) else { return };
        match (call, call.info().receivers) {
            (
                Call::IndexBufferUploadFromVector { count, .. }
                | Call::IndexBufferUploadFromByteArray { count, .. },
                _,
            ) => self.indices += u64::try_from(*count).unwrap_or(0) * 2,
            (_, [ObjectKind::VertexBuffer3D]) => self.vertices += bytes,
            (_, [ObjectKind::Program3D]) => self.programs += bytes,
            _ => self.textures += bytes,
        }
    }
}

#[derive(Default)]
pub(super) struct InfoCollector {
    pub(super) info: CaptureInfo,
    programs: HashMap<u64, usize>,
    textures: HashMap<ObjectId, TextureShape>,
}

impl ReplayObserver for InfoCollector {
    fn called(&mut self, line: u64, call: &CallLine, outcome: &CallOutcome) -> Result<(), String> {
        *self.info.calls.entry(call.call.name()).or_default() += 1;
        for (name, uses) in FEATURES {
            if uses(&call.call) {
                *self.info.features.entry(name).or_default() += 1;
            }
        }
        self.requested(call);
        if !matches!(outcome, CallOutcome::Raised(_) | CallOutcome::OnNull) {
            self.done(line, call);
        }
        Ok(())
    }
}

impl InfoCollector {
    fn requested(&mut self, line: &CallLine) {
        if let Call::RequestContext3D { profile, profiles, render_mode, .. } = &line.call {
            let request = RequestInfo {
                profile: profile.0.clone().flatten(),
                profiles: profiles.0.clone().flatten(),
                render_mode: render_mode.0.as_ref().and_then(|mode| mode.text().map(str::to_owned)),
                granted: line.result.is_some(),
                error: line.throws,
                reason: line.reason.clone(),
            };
            *self.info.contexts.entry(request).or_default() += 1;
        }
    }

    /// Records a successful call.
    fn done(&mut self, number: u64, line: &CallLine) {
        match &line.call {
            Call::CreateVertexBuffer { buffer_usage, .. }
            | Call::CreateVertexBufferForInstances { buffer_usage, .. } => {
                self.buffer("vertex", buffer_usage.text())
            }
            Call::CreateIndexBuffer { buffer_usage: it, .. } => self.buffer("index", it.text()),
            &Call::ConfigureBackBuffer {
                width,
                height,
                anti_alias,
                enable_depth_and_stencil,
                ..
            } => {
                let shape = BackBufferShape { width, height, anti_alias, enable_depth_and_stencil };
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
        if let (Some((format, width, height)), Some(kind)) = (texture(call), call.creates()) {
            let format = format.unwrap_or_default().to_owned();
            let shape = TextureShape { kind: kind.name(), format, width, height };
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
            let shape = BufferShape { kind, buffer_usage: usage.name() };
            *self.info.buffers.entry(shape).or_default() += 1;
        }
    }

    fn program(&mut self, line: u64, vertex: &ByteArray, fragment: &ByteArray) {
        self.info.program_uploads += 1;
        let mut hasher = DefaultHasher::new();
        for ByteArray(half) in [vertex, fragment] {
            let half = half.as_ref().map(|it| (&it.bytes, it.endian == agal::Endian::Big));
            half.hash(&mut hasher);
        }
        let hash = hasher.finish();
        let known = self.programs.get(&hash).copied();
        if let Some(program) = known.and_then(|index| self.info.programs.get_mut(index)) {
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
        Some(ShaderInfo { version: program.header_version(), tokens: program.token_count() })
    }
}
