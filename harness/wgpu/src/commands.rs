//! Recorded commands of a backend that are not submitted yet.

use context3d::backend::BackendError;
use wgpu::{
    Buffer, BufferUsages, CommandEncoder, CommandEncoderDescriptor, RenderPass,
    RenderPassDescriptor,
};

use crate::constants::Constants;
use crate::device::WgpuDevice;

/// The encoder, the open render pass, and the number of the next submission.
pub(crate) struct Commands {
    pub(crate) device: WgpuDevice,
    pub(crate) constants: Constants,
    encoder: Option<CommandEncoder>,
    pub(crate) pass: Option<RenderPass<'static>>,
    /// The number of the next submission. Recorded commands use the objects whose `used` equals this number; a write
    /// through the queue would precede these commands.
    pub(crate) submission: u64,
}

impl Commands {
    pub(crate) fn new(device: WgpuDevice, constants: Constants) -> Self {
        Commands { device, constants, encoder: None, pass: None, submission: 1 }
    }

    /// Ends the open render pass, and returns the encoder.
    pub(crate) fn encoder(&mut self) -> &mut CommandEncoder {
        self.end_pass();
        let device = self.device.device();
        self.encoder.get_or_insert_with(|| {
            device.create_command_encoder(&CommandEncoderDescriptor::default())
        })
    }

    pub(crate) fn begin_pass(
        &mut self,
        descriptor: &RenderPassDescriptor<'_>,
    ) -> &mut RenderPass<'static> {
        let pass = self.encoder().begin_render_pass(descriptor).forget_lifetime();
        self.pass.insert(pass)
    }

    pub(crate) fn end_pass(&mut self) {
        self.pass = None;
    }

    pub(crate) fn submit(&mut self) -> Result<(), BackendError> {
        self.end_pass();
        self.submission += 1;
        self.constants.flush(&self.device)?;
        let Some(encoder) = self.encoder.take() else { return self.device.alive() };
        self.device.checked(|_, queue| queue.submit([encoder.finish()])).map(|_| ())
    }

    /// Writes to a buffer. The write follows all recorded commands that use the buffer.
    pub(crate) fn write(
        &mut self,
        used: u64,
        buffer: &Buffer,
        offset: u64,
        data: &[u8],
    ) -> Result<(), BackendError> {
        if used != self.submission {
            return self.device.checked(|_, queue| queue.write_buffer(buffer, offset, data));
        }
        let size = data.len() as u64;
        let usage = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let staging = self.device.buffer_with(size, usage, data)?;
        self.encoder().copy_buffer_to_buffer(&staging, 0, buffer, offset, size);
        Ok(())
    }
}
