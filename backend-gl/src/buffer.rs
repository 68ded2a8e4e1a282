//! Vertex and index buffers.

use std::rc::Rc;

use context3d::backend::BackendError;

use crate::gl::{Gl, Handle, Object};

/// New buffers are filled from this in pieces, so that no large block of zeros is needed.
static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

/// The binding point for uploads: draws don't use it, so that neither the vertex array nor the shadow changes.
const UPLOAD: u32 = glow::COPY_WRITE_BUFFER;

/// A buffer object and its size.
pub(crate) struct Buffer {
    handle: Handle<glow::Buffer>,
    bytes: u32,
    /// Number of zero bytes after its end.
    padding: u32,
    dynamic: bool,
    /// Whether its content is still undefined; it counts as zeros.
    unwritten: bool,
    /// The copy for `Remedy::NarrowStrides`, made when a draw needs it.
    pub(crate) narrow: Option<Box<Buffer>>,
}

impl Buffer {
    /// Makes a buffer that must be filled before its use ([`Buffer::fill`]): most are completely overwritten first.
    pub(crate) fn create(gl: &Rc<Gl>, bytes: u32, dynamic: bool) -> Result<Self, BackendError> {
        Self::of(gl, Handle::create(gl)?, bytes, dynamic)
    }

    /// As [`Buffer::create`], with an existing buffer object.
    pub(crate) fn of(
        gl: &Rc<Gl>,
        handle: Handle<glow::Buffer>,
        bytes: u32,
        dynamic: bool,
    ) -> Result<Self, BackendError> {
        Self::allocate(gl, handle, (bytes, 0), dynamic)
    }

    /// A copy of the buffer with this number of zero bytes after its end.
    pub(crate) fn padded(&self, gl: &Rc<Gl>, padding: u32) -> Result<Self, BackendError> {
        let handle = Handle::create(gl)?;
        let mut padded = Self::allocate(gl, handle, (self.bytes, padding), self.dynamic)?;
        padded.fill(gl);
        if self.unwritten {
            return Ok(padded);
        }
        // Fits, because the whole size did.
        let bytes = i32::try_from(self.bytes).map_err(|_| BackendError::OutOfMemory)?;
        gl.bind_buffer(glow::COPY_READ_BUFFER, Some(self.handle.name()));
        gl.copy_buffer_sub_data(glow::COPY_READ_BUFFER, UPLOAD, 0, 0, bytes);
        Ok(padded)
    }

    fn allocate(
        gl: &Rc<Gl>,
        handle: Handle<glow::Buffer>,
        (bytes, padding): (u32, u32),
        dynamic: bool,
    ) -> Result<Self, BackendError> {
        let size = bytes.checked_add(padding);
        let size = size.and_then(|size| i32::try_from(size).ok());
        let size = size.ok_or(BackendError::OutOfMemory)?;
        let usage = if dynamic { glow::DYNAMIC_DRAW } else { glow::STATIC_DRAW };
        let gl = gl.attempt()?;
        gl.bind_buffer(UPLOAD, Some(handle.name()));
        gl.buffer_data_size(UPLOAD, size, usage);
        gl.check("making a buffer")?;
        Ok(Self { handle, bytes, padding, dynamic, unwritten: true, narrow: None })
    }

    /// Fills the buffer with zeros, unless it has content.
    #[inline]
    pub(crate) fn fill(&mut self, gl: &Gl) {
        if self.unwritten {
            self.write_zeros(gl);
        }
    }

    #[cold]
    fn write_zeros(&mut self, gl: &Gl) {
        gl.bind_buffer(UPLOAD, Some(self.handle.name()));
        // Fits, because it was allocated.
        let size = self.bytes.saturating_add(self.padding);
        let size = i32::try_from(size).unwrap_or(i32::MAX);
        let mut offset = 0i32;
        while offset < size {
            let left = usize::try_from(size - offset).unwrap_or(0);
            let piece = ZEROS.get(..left).unwrap_or(&ZEROS);
            gl.buffer_sub_data(UPLOAD, offset, piece);
            offset = offset.saturating_add(i32::try_from(piece.len()).unwrap_or(i32::MAX));
        }
        self.unwritten = false;
    }

    /// Replaces a part of the content.
    pub(crate) fn upload(&mut self, gl: &Gl, offset: u32, data: &[u8]) -> Result<(), BackendError> {
        let length = u32::try_from(data.len()).ok();
        let end = length.and_then(|length| offset.checked_add(length));
        let (Some(end), Ok(start)) = (end, i32::try_from(offset)) else {
            return Err(self.outside(offset, data.len()));
        };
        if end > self.bytes {
            return Err(self.outside(offset, data.len()));
        }
        // Padding is filled with the rest.
        if length == Some(self.bytes) && self.padding == 0 {
            self.unwritten = false;
        }
        self.fill(gl);
        gl.bind_buffer(UPLOAD, Some(self.handle.name()));
        gl.buffer_sub_data(UPLOAD, start, data);
        match self.narrow {
            Some(_) => self.narrow_again(gl),
            None => Ok(()),
        }
    }

    #[cold]
    fn outside(&self, offset: u32, length: usize) -> BackendError {
        BackendError::Driver(format!(
            "an upload of {length} bytes at {offset} into a buffer of {}",
            self.bytes
        ))
    }

    /// The GL object's name.
    pub(crate) fn name(&self) -> glow::Buffer {
        self.handle.name()
    }

    /// The GL object.
    #[inline]
    pub(crate) fn object(&self) -> Object<glow::Buffer> {
        self.handle.object()
    }

    /// Size in bytes, with padding.
    pub(crate) fn size(&self) -> u32 {
        self.bytes.saturating_add(self.padding)
    }

    /// Size in bytes, without padding.
    pub(crate) fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Whether it is expected to change often.
    pub(crate) fn is_dynamic(&self) -> bool {
        self.dynamic
    }

    /// Number of zero bytes after its end.
    pub(crate) fn padding(&self) -> u32 {
        self.padding
    }
}
