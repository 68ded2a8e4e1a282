//! The vertex and index buffers of a backend.

use context3d::backend::BackendError;
use wgpu::{Buffer as Handle, BufferUsages};

use crate::commands::Commands;
use crate::device::buffer_of;

/// A vertex or index buffer. Zero bytes of padding follow the content.
pub(crate) struct WgpuBuffer {
    pub(crate) handle: Handle,
    /// The size of the content in bytes, without the padding.
    size: u64,
    /// The number of the last submission that uses the buffer; see [`Commands::submission`].
    pub(crate) used: u64,
    /// The id of `handle`, which is unique in the backend.
    pub(crate) id: u64,
}

impl WgpuBuffer {
    /// Creates a buffer whose content is zero.
    pub(crate) fn create(
        commands: &Commands,
        size: u32,
        usage: BufferUsages,
        id: u64,
    ) -> Result<Self, BackendError> {
        let size = u64::from(size);
        let usage = usage | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        let handle = commands.device.checked(|device, _| buffer_of(device, size, usage))?;
        Ok(WgpuBuffer { handle, size, used: 0, id })
    }

    /// Replaces a range of the buffer's content. Recorded commands must still read the old content: if they use the
    /// buffer, a whole upload goes to a new buffer, and a partial upload becomes a command.
    pub(crate) fn upload(
        &mut self,
        commands: &mut Commands,
        offset: u32,
        data: &[u8],
        id: u64,
    ) -> Result<(), BackendError> {
        if data.is_empty() {
            return Ok(());
        }
        if self.used == commands.submission && data.len() as u64 == self.size {
            let (size, usage) = (self.handle.size(), self.handle.usage());
            self.handle = commands.device.buffer_with(size, usage, data)?;
            (self.used, self.id) = (0, id);
            return Ok(());
        }
        commands.write(self.used, &self.handle, offset.into(), data)
    }

    /// Extends the padding until the buffer has `bytes` bytes.
    pub(crate) fn pad(
        &mut self,
        commands: &mut Commands,
        bytes: u32,
        id: u64,
    ) -> Result<(), BackendError> {
        let bytes = u64::from(bytes).max(self.size);
        if bytes == self.handle.size() {
            return Ok(());
        }
        let usage = self.handle.usage();
        let padded = commands.device.checked(|device, _| buffer_of(device, bytes, usage))?;
        commands.encoder().copy_buffer_to_buffer(&self.handle, 0, &padded, 0, self.size);
        self.handle = padded;
        (self.used, self.id) = (commands.submission, id);
        Ok(())
    }
}
