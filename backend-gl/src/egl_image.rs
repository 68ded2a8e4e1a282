//! Exports the presented picture as an EGLImage or a dma-buf, for code with another context or another API in the same
//! process or another one (`EGL_KHR_gl_texture_2D_image`, `EGL_MESA_image_dma_buf_export`).
//!
//! ```no_run
//! use backend_gl::egl_image::ExportError;
//! use backend_gl::offscreen::{Api, Offscreen};
//!
//! let offscreen = Offscreen::open(Api::Gles)?;
//! let mut backend = offscreen.backend()?;
//! // ... packets, the last of them `Present`; then:
//! let Some(image) = offscreen.egl_export()?.front(&mut backend)? else { return Ok(()) };
//! // `glEGLImageTargetTexture2DOES(GL_TEXTURE_2D, image.as_ptr())` in another context; or, for Vulkan:
//! #[cfg(unix)]
//! match image.dma_buf() {
//!     Ok(buffer) => println!("{:08x}, {} planes", buffer.fourcc, buffer.planes.len()),
//!     Err(ExportError::NotSupported(what)) => println!("{what} is missing: the picture has to be read"),
//!     Err(error) => return Err(error.into()),
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![allow(unsafe_code, reason = "EGL's extension functions are called through addresses")]

use std::ffi::{CStr, c_char, c_void};
use std::fmt;
use std::rc::Rc;

use context3d::backend::BackendError;

use crate::GlBackend;

type Handle = *mut c_void;
type QueryString = unsafe extern "system" fn(Handle, i32) -> *const c_char;
type GetError = unsafe extern "system" fn() -> i32;
type GetCurrentContext = unsafe extern "system" fn() -> Handle;
type CreateImage = unsafe extern "system" fn(Handle, Handle, u32, Handle, *const i32) -> Handle;
type DestroyImage = unsafe extern "system" fn(Handle, Handle) -> u32;
type ExportQuery = unsafe extern "system" fn(Handle, Handle, *mut i32, *mut i32, *mut u64) -> u32;
type Export = unsafe extern "system" fn(Handle, Handle, *mut i32, *mut i32, *mut i32) -> u32;

const EXTENSIONS: i32 = 0x3055;
const TRUE: u32 = 1;
const NONE: i32 = 0x3038;
/// `EGL_GL_TEXTURE_2D_KHR`
const GL_TEXTURE_2D: u32 = 0x30B1;
/// `EGL_GL_TEXTURE_LEVEL_KHR`
const GL_TEXTURE_LEVEL: i32 = 0x30BC;
/// `EGL_IMAGE_PRESERVED_KHR`
const IMAGE_PRESERVED: i32 = 0x30D2;
const IMAGE_EXTENSION: &str = "EGL_KHR_gl_texture_2D_image";
const DMA_BUF_EXTENSION: &str = "EGL_MESA_image_dma_buf_export";
/// Maximum number of planes of a Linux pixel format.
#[cfg(unix)]
const MAX_PLANES: usize = 4;

/// Why an image can't be exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportError {
    /// The display lacks this extension, or the library lacks this function.
    NotSupported(&'static str),
    /// The backend belongs to another context than the [`EglExport`].
    OtherContext,
    /// An EGL function failed.
    Egl {
        /// The function.
        function: &'static str,
        /// The result of `eglGetError`, such as `0x3003`, `EGL_BAD_ALLOC`.
        error: i32,
    },
    /// An error of the backend.
    Backend(BackendError),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportError::NotSupported(what) => write!(f, "{what} is missing"),
            ExportError::OtherContext => write!(f, "the backend is of another EGL context"),
            ExportError::Egl { function, error } => {
                write!(f, "{function} failed with {error:#06x}")
            }
            ExportError::Backend(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ExportError {}

impl From<BackendError> for ExportError {
    fn from(error: BackendError) -> Self {
        ExportError::Backend(error)
    }
}

/// EGL's functions, and the display.
struct Egl {
    display: Handle,
    get_error: GetError,
    get_current_context: GetCurrentContext,
    create_image: CreateImage,
    destroy_image: DestroyImage,
    dma_buf: Option<(ExportQuery, Export)>,
}

/// Exports images of what the backends of one EGL context present.
#[derive(Clone)]
pub struct EglExport {
    egl: Rc<Egl>,
    context: Handle,
}

impl fmt::Debug for EglExport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EglExport")
            .field("dma_buf", &self.egl.dma_buf.is_some())
            .finish_non_exhaustive()
    }
}

/// # Safety
/// The loader returns null or the address of a function with exactly the signature `F`, a `fn` pointer type.
unsafe fn find<F: Copy>(
    loader: &dyn Fn(&str) -> *const c_void,
    name: &'static str,
) -> Result<F, ExportError> {
    const {
        assert!(size_of::<F>() == size_of::<*const c_void>());
    }
    let address = loader(name);
    if address.is_null() {
        return Err(ExportError::NotSupported(name));
    }
    // SAFETY: not null, of the size of a pointer (asserted above), and of type `F` as the caller guarantees.
    Ok(unsafe { std::mem::transmute_copy::<*const c_void, F>(&address) })
}

impl EglExport {
    /// For a host's own EGL context. Contexts of [`offscreen`](crate::offscreen) have
    /// [`Offscreen::egl_export`](crate::offscreen::Offscreen::egl_export).
    ///
    /// # Errors
    /// [`ExportError::NotSupported`] if an extension or function is missing.
    ///
    /// # Safety
    /// `loader` returns null or the address of the EGL function with that name, like `eglGetProcAddress` with EGL 1.5
    /// or `EGL_KHR_get_all_proc_addresses`. `display` is an initialised `EGLDisplay` that is not terminated while this
    /// object or one of its images exists. `context` is an `EGLContext` of that display.
    pub unsafe fn new(
        loader: &dyn Fn(&str) -> *const c_void,
        display: *mut c_void,
        context: *mut c_void,
    ) -> Result<Self, ExportError> {
        // SAFETY: these are the signatures of EGL and its extensions for these names; the caller guarantees the loader.
        unsafe {
            let query_string: QueryString = find(loader, "eglQueryString")?;
            let extensions = query_string(display, EXTENSIONS);
            if extensions.is_null() {
                return Err(ExportError::NotSupported(IMAGE_EXTENSION));
            }
            let extensions = CStr::from_ptr(extensions).to_string_lossy();
            let has = |name: &str| extensions.split(' ').any(|extension| extension == name);
            if !has(IMAGE_EXTENSION) {
                return Err(ExportError::NotSupported(IMAGE_EXTENSION));
            }
            let dma_buf = match has(DMA_BUF_EXTENSION) {
                true => Some((
                    find(loader, "eglExportDMABUFImageQueryMESA")?,
                    find(loader, "eglExportDMABUFImageMESA")?,
                )),
                false => None,
            };
            let egl = Egl {
                display,
                get_error: find(loader, "eglGetError")?,
                get_current_context: find(loader, "eglGetCurrentContext")?,
                create_image: find(loader, "eglCreateImageKHR")?,
                destroy_image: find(loader, "eglDestroyImageKHR")?,
                dma_buf,
            };
            let egl = Rc::new(egl);
            Ok(EglExport { egl, context })
        }
    }

    /// The picture of the last `Present` of a backend; `None` before the first one. Waits until GL has drawn it,
    /// because users of the image can't.
    ///
    /// The picture in the image is valid until the next `Present`: two textures alternate ([`GlBackend::front`]), and
    /// the following frame is drawn to this one. A host that shows each picture for less than a frame can create one
    /// image for each of the two textures, and keep them until `ConfigureBackBuffer`; it must then wait itself
    /// (`glFinish`, or a fence).
    ///
    /// # Errors
    /// [`ExportError::OtherContext`] for a backend of another context; [`ExportError::Egl`] and
    /// [`ExportError::Backend`] for failures.
    pub fn front(&self, backend: &mut GlBackend) -> Result<Option<EglImage>, ExportError> {
        let Some(front) = backend.front() else {
            return Ok(None);
        };
        backend.between_frames(|objects, _| {
            objects.gl.finish();
            // SAFETY: the function has no parameters and changes nothing.
            if unsafe { (self.egl.get_current_context)() } != self.context {
                return Ok(Err(ExportError::OtherContext));
            }
            let name = std::ptr::without_provenance_mut(front.texture.get() as usize);
            let attributes = [GL_TEXTURE_LEVEL, 0, IMAGE_PRESERVED, 1, NONE];
            // SAFETY: the display is alive, the context belongs to it and is current, and the list ends with
            // `EGL_NONE`. EGL checks the name.
            let image = unsafe {
                (self.egl.create_image)(
                    self.egl.display,
                    self.context,
                    GL_TEXTURE_2D,
                    name,
                    attributes.as_ptr(),
                )
            };
            if image.is_null() {
                return Ok(Err(self.egl.error("eglCreateImageKHR")));
            }
            Ok(Ok(Some(EglImage {
                egl: Rc::clone(&self.egl),
                image,
                size: (front.width, front.height),
            })))
        })?
    }
}

impl Egl {
    fn error(&self, function: &'static str) -> ExportError {
        // SAFETY: the function has no parameters.
        let error = unsafe { (self.get_error)() };
        ExportError::Egl { function, error }
    }
}

/// An `EGLImage` of a picture: R, G, B, A, eight bits each, the picture's top row first. Destroyed when dropped; what
/// others created from it stays valid. It can outlive the backend and its context.
pub struct EglImage {
    egl: Rc<Egl>,
    image: Handle,
    size: (u32, u32),
}

impl fmt::Debug for EglImage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EglImage").field("size", &self.size).finish_non_exhaustive()
    }
}

impl EglImage {
    /// The `EGLImageKHR`, valid until this object is dropped.
    pub fn as_ptr(&self) -> *mut c_void {
        self.image
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Exports the memory of the image, for Vulkan, another process, or a display's scanout.
    ///
    /// # Errors
    /// [`ExportError::NotSupported`] if the driver has none, such as software renderers; [`ExportError::Egl`] if the
    /// export fails.
    #[cfg(unix)]
    pub fn dma_buf(&self) -> Result<DmaBuf, ExportError> {
        use std::os::fd::{FromRawFd as _, OwnedFd};

        let Some((query, export)) = self.egl.dma_buf else {
            return Err(ExportError::NotSupported(DMA_BUF_EXTENSION));
        };
        let display = self.egl.display;
        let (mut fourcc, mut count) = (0, 0);
        let mut modifiers = [0; MAX_PLANES];
        // SAFETY: display and image are alive; EGL writes two numbers, and nothing through null.
        let done = unsafe {
            query(display, self.image, &raw mut fourcc, &raw mut count, std::ptr::null_mut())
        };
        if done != TRUE {
            return Err(self.egl.error("eglExportDMABUFImageQueryMESA"));
        }
        let planes = usize::try_from(count).unwrap_or(usize::MAX);
        if planes > MAX_PLANES {
            return Err(ExportError::NotSupported("a format of so many planes"));
        }
        let (mut fds, mut strides, mut offsets) =
            ([-1; MAX_PLANES], [0; MAX_PLANES], [0; MAX_PLANES]);
        // SAFETY: display and image are alive; each array has room for the number of planes that EGL returned, which
        // was checked.
        let (asked, exported) = unsafe {
            (
                query(
                    display,
                    self.image,
                    std::ptr::null_mut(),
                    std::ptr::null_mut(),
                    modifiers.as_mut_ptr(),
                ),
                export(
                    display,
                    self.image,
                    fds.as_mut_ptr(),
                    strides.as_mut_ptr(),
                    offsets.as_mut_ptr(),
                ),
            )
        };
        // Owned first, so that none stays open after an error.
        // SAFETY: EGL transfers the ownership of these descriptors.
        let mut fds = fds.map(|fd| (fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd) }));
        if asked != TRUE || exported != TRUE {
            return Err(self.egl.error("eglExportDMABUFImageMESA"));
        }
        let numbers = strides.into_iter().zip(offsets);
        let planes = fds.iter_mut().zip(numbers).take(planes);
        let planes = planes.map(|(fd, (stride, offset))| DmaBufPlane {
            fd: fd.take(),
            stride: stride.unsigned_abs(),
            offset: offset.unsigned_abs(),
        });
        Ok(DmaBuf {
            fourcc: fourcc.cast_unsigned(),
            modifier: modifiers[0],
            planes: planes.collect(),
        })
    }
}

impl Drop for EglImage {
    fn drop(&mut self) {
        // SAFETY: the display is alive (guaranteed to `EglExport::new`), and the image was created on it and is
        // destroyed once.
        if unsafe { (self.egl.destroy_image)(self.egl.display, self.image) } != TRUE {
            log::warn!("{}", self.egl.error("eglDestroyImageKHR"));
        }
    }
}

/// The memory of a picture as a Linux dma-buf.
#[cfg(unix)]
#[derive(Debug)]
pub struct DmaBuf {
    /// The pixels' format: `DRM_FORMAT_ABGR8888` (`AB24`) for R, G, B, A.
    pub fourcc: u32,
    /// The memory layout: `DRM_FORMAT_MOD_…`, 0 for linear.
    pub modifier: u64,
    /// The planes, usually one.
    pub planes: Vec<DmaBufPlane>,
}

/// A plane of a [`DmaBuf`].
#[cfg(unix)]
#[derive(Debug)]
pub struct DmaBufPlane {
    /// Its memory; `None` if it is in that of the previous plane.
    pub fd: Option<std::os::fd::OwnedFd>,
    /// Bytes from a row to the next.
    pub stride: u32,
    /// Offset of the first byte.
    pub offset: u32,
}
