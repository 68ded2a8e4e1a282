//! `Program3D` and the program constants.

use std::borrow::Cow;
use std::sync::Arc;

use agal::Rules;

use crate::backend::{Backend, BackendError};
use crate::command::Bytecode;
use crate::context::Context3D;
use crate::convert::single;
use crate::entry::buffers::bytes_at;
use crate::entry::{accepted, non_null};
use crate::enums::{EnumArg, ProgramType};
use crate::error::{Error, ErrorCode, FlashError, SetterError};
use crate::handle::{AnyHandle, AnyKey, ObjectHandle, ProgramKey};
use crate::packets::Packet;
use crate::resource::{ProgramSource, ProgramState, ResourceUsage, alive};

/// Size of a constant register in bytes.
const REGISTER_BYTES: usize = 16;

/// Returns the registers of a matrix: register k receives rawData[4k..4k+3] [context3d.constants.matrix]. The function
/// is not inlined, so that the compiler handles four numbers at a time.
#[inline(never)]
fn registers(raw: &[f64; 16]) -> [[f32; 4]; 4] {
    std::array::from_fn(|k| std::array::from_fn(|n| single(raw[k * 4 + n])))
}

/// Returns the registers of a transposed matrix: register k receives rawData[k], rawData[k+4], …
#[inline(never)]
fn registers_transposed(raw: &[f64; 16]) -> [[f32; 4]; 4] {
    std::array::from_fn(|k| std::array::from_fn(|n| single(raw[k + n * 4])))
}

impl<B: Backend> Context3D<B> {
    pub(crate) fn create_program_impl(&mut self) -> Result<ObjectHandle<ProgramKey>, Error> {
        self.collect_released()?;
        let used = ResourceUsage {
            count: self.resources.programs.len(),
            bytes: self.resources.memory.programs,
        };
        self.check_limits(used, 0, self.limits.program_memory)?;
        let key = self.resources.programs.insert(ProgramState::default());
        Ok(self.handle(key))
    }

    pub(crate) fn program_upload_impl(
        &mut self,
        program: ObjectHandle<ProgramKey>,
        vertex: Option<Bytecode<'_>>,
        fragment: Option<Bytecode<'_>>,
    ) -> Result<(), Error> {
        let key = self.own(program);
        let old = alive(&self.resources.programs, key)?;
        let (old_bytes, old_device) = (old.bytes, old.device);
        let vertex = non_null(vertex, &"vertexProgram")?;
        let fragment = non_null(fragment, &"fragmentProgram")?;
        let beside = self.resources.memory.programs.saturating_sub(old_bytes);
        let uploaded = self.compiled(vertex, fragment, ResourceUsage { count: 0, bytes: beside });
        // After a failed upload, the program has no code [context3d.program.failed].
        let program = match &uploaded {
            Ok(device) => self.resources.device_programs.share(*device),
            Err(_) => ProgramState::default(),
        };
        self.resources.memory.programs = beside + program.bytes;
        if let Some(place) = self.resources.programs.get_mut(key) {
            *place = program;
        }
        let released = old_device.map_or(Ok(()), |old| self.release_program(old));
        uploaded.and(released)
    }

    /// Returns the device program of this bytecode. Compiles the bytecode if the device doesn't have the program yet.
    fn compiled(
        &mut self,
        vertex: Bytecode<'_>,
        fragment: Bytecode<'_>,
        beside: ResourceUsage,
    ) -> Result<ProgramKey, Error> {
        let rules = Rules { profile: self.options.profile };
        let bytes = (vertex.bytes.len() as u64).saturating_add(fragment.bytes.len() as u64);
        let room = self.check_limits(beside, bytes, self.limits.program_memory);
        let source = ProgramSource::new(vertex, fragment, &rules);
        if let Some(known) = self.resources.device_programs.find(&source) {
            room?;
            return Ok(known);
        }
        let pair = vertex.link(fragment, rules.profile)?;
        room?;
        let program = ProgramState::new(pair.interface().clone(), bytes);
        let key = self.resources.device_programs.insert(source, program);
        let uploaded = self.upload_pair(key, pair);
        if uploaded.is_err() {
            self.resources.device_programs.remove(key);
        }
        uploaded.map(|()| key)
    }

    fn upload_pair(&mut self, key: ProgramKey, pair: agal::LinkedPair) -> Result<(), Error> {
        match self.backend.execute(Packet::UploadProgram { key, pair: Arc::new(pair) }) {
            Err(BackendError::CompileFailed { stage, source, log }) => {
                log::debug!("the driver rejected a shader ({stage}): {log}\n{source}");
                // Debug players raise 3614 with the driver's message [agal.error.3614].
                let code = ErrorCode::Agal(agal::errors::ErrorKind::NativeCompilationOpenGl);
                Err(Error::Flash(FlashError::new(code, &[log])))
            }
            Err(BackendError::Unsupported(what)) => Err(Error::Unsupported(what)),
            done => done.map_err(Error::Backend),
        }
    }

    /// Returns the key that packets use for the current program; `None` before a successful upload. `Program3D`s with
    /// equal bytecode share a key.
    pub fn bound_device_program(&self) -> Option<ProgramKey> {
        self.resources.programs.get(self.state.program?)?.device
    }

    /// Returns the key that packets use for an object; the key of a disposed object is invalid. Returns `None` for a
    /// `Program3D` without a successful upload.
    pub fn key(&self, object: AnyHandle) -> Option<AnyKey> {
        Some(match object {
            AnyHandle::VertexBuffer(it) => AnyKey::VertexBuffer(self.own(it)),
            AnyHandle::IndexBuffer(it) => AnyKey::IndexBuffer(self.own(it)),
            AnyHandle::Program(it) => {
                AnyKey::Program(self.resources.programs.get(self.own(it))?.device?)
            }
            AnyHandle::Texture(it) => AnyKey::Texture(self.own(it)),
        })
    }

    /// Removes one `Program3D` from the user count of this device program.
    fn release_program(&mut self, device: ProgramKey) -> Result<(), Error> {
        let unused = self.resources.device_programs.release(device);
        unused.map_or(Ok(()), |unused| self.emit(Packet::DisposeProgram(unused)))
    }

    pub(crate) fn program_dispose_impl(
        &mut self,
        program: ObjectHandle<ProgramKey>,
    ) -> Result<(), Error> {
        let key = self.own(program);
        self.resources.user_data.remove(&program.into());
        let Some(program) = self.resources.programs.remove(key) else {
            return Ok(());
        };
        let programs = &mut self.resources.memory.programs;
        *programs = programs.saturating_sub(program.bytes);
        program.device.map_or(Ok(()), |device| self.release_program(device))
    }

    #[inline]
    pub(crate) fn set_program_constants_from_matrix_impl(
        &mut self,
        program_type: EnumArg<'_, ProgramType>,
        first_register: i32,
        matrix: Option<&[f64; 16]>,
        transposed: bool,
    ) -> Result<(), SetterError> {
        let program_type = accepted(program_type, &"programType")?;
        let raw = non_null(matrix, &"matrix")?;
        let first = self.constant_range(program_type, first_register, 4)?;
        let registers = if transposed { registers_transposed(raw) } else { registers(raw) };
        self.store(program_type, first, registers.into_iter());
        Ok(())
    }

    #[inline]
    pub(crate) fn set_program_constants_from_vector_impl(
        &mut self,
        program_type: EnumArg<'_, ProgramType>,
        first_register: i32,
        data: Option<&[f64]>,
        num_registers: i32,
    ) -> Result<(), SetterError> {
        self.constants_of(program_type, first_register, data, num_registers, single)
    }

    pub(crate) fn set_program_constants_from_float_vector_impl(
        &mut self,
        program_type: EnumArg<'_, ProgramType>,
        first_register: i32,
        data: Option<&[f32]>,
        num_registers: i32,
    ) -> Result<(), SetterError> {
        let same = |value| value;
        self.constants_of(program_type, first_register, data, num_registers, same)
    }

    #[inline]
    fn constants_of<T: Copy>(
        &mut self,
        program_type: EnumArg<'_, ProgramType>,
        first_register: i32,
        data: Option<&[T]>,
        num_registers: i32,
        float: impl Fn(T) -> f32 + Copy,
    ) -> Result<(), SetterError> {
        let program_type = accepted(program_type, &"programType")?;
        let (data, _) = non_null(data, &"data")?.as_chunks::<4>();
        let count = match num_registers {
            -1 => data.len(),
            count => usize::try_from(count).map_err(|_| ErrorCode::BadInputSize)?,
        };
        let data = data.get(..count).ok_or(ErrorCode::BadInputSize)?;
        let first = self.constant_range(program_type, first_register, count)?;
        let registers = data.iter().map(|register| register.map(float));
        self.store(program_type, first, registers);
        Ok(())
    }

    pub(crate) fn set_program_constants_from_byte_array_impl(
        &mut self,
        program_type: EnumArg<'_, ProgramType>,
        first_register: i32,
        num_registers: i32,
        data: Option<&[u8]>,
        offset: u32,
    ) -> Result<(), SetterError> {
        let program_type = accepted(program_type, &"programType")?;
        let data = non_null(data, &"data")?;
        let count = usize::try_from(num_registers).map_err(|_| ErrorCode::BadInputSize)?;
        let bytes = count.checked_mul(REGISTER_BYTES).ok_or(ErrorCode::BadInputSize)?;
        let data = bytes_at(data, i64::from(offset), bytes)?;
        let first = self.constant_range(program_type, first_register, count)?;
        // The data is little-endian, regardless of the ByteArray's `endian` (capture program_constants_bytearray_le).
        let float = |register: &[u8; REGISTER_BYTES], at: usize| {
            f32::from_le_bytes([register[at], register[at + 1], register[at + 2], register[at + 3]])
        };
        let registers = data.as_chunks::<REGISTER_BYTES>().0.iter();
        self.store(
            program_type,
            first,
            registers.map(|r| std::array::from_fn(|i| float(r, i * 4))),
        );
        Ok(())
    }

    /// Returns the first register of a range; raises RangeError 2006 if the range exceeds the profile's registers
    /// [context3d.error.2006].
    fn constant_range(
        &self,
        program_type: ProgramType,
        first: i32,
        count: usize,
    ) -> Result<usize, ErrorCode> {
        let registers = match program_type {
            ProgramType::Vertex => self.registers.vertex_constants,
            ProgramType::Fragment => self.registers.fragment_constants,
        };
        let first = usize::try_from(first).map_err(|_| ErrorCode::IndexOutOfBounds)?;
        let end = first.checked_add(count).ok_or(ErrorCode::IndexOutOfBounds)?;
        if end <= registers { Ok(first) } else { Err(ErrorCode::IndexOutOfBounds) }
    }

    #[inline]
    fn store(
        &mut self,
        program_type: ProgramType,
        first: usize,
        values: impl ExactSizeIterator<Item = [f32; 4]>,
    ) {
        let bank = match program_type {
            ProgramType::Vertex => &mut self.vertex_constants,
            ProgramType::Fragment => &mut self.fragment_constants,
        };
        bank.set(first, values);
    }

    /// Sends the constants that changed since the last draw.
    pub(super) fn flush_constants(&mut self) -> Result<(), BackendError> {
        let banks = [
            (ProgramType::Vertex, &mut self.vertex_constants),
            (ProgramType::Fragment, &mut self.fragment_constants),
        ];
        for (stage, bank) in banks {
            if let Some((first, values)) = bank.dirty() {
                self.backend.execute(Packet::Constants {
                    stage,
                    first,
                    values: Cow::Borrowed(values),
                })?;
                bank.sent();
            }
        }
        Ok(())
    }
}
