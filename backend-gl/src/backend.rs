//! [`GlBackend`]: what it owns, and the `Backend` trait.

use std::rc::Rc;

use context3d::packets::{Packet, Target, TexelLayout};
use context3d::{
    Backend, BackendCaps, BackendError, IndexBufferKey, ProgramKey, Surface, TextureKey,
    VertexBufferKey,
};
use slotmap::SecondaryMap;

use crate::back_buffer::BackBuffer;
use crate::buffer::Buffer;
use crate::caps::GlCaps;
use crate::gl::{Gl, Handle};
use crate::program::Program;
use crate::readback;
use crate::sampler::Samplers;
use crate::shadow::Shadow;
use crate::target::{self, Setups};
use crate::texture::Texture;
use crate::uniforms::Bank;
use crate::workarounds;

/// Keeps a context current; `offscreen` implements it, a host with its own context promises it instead.
pub(crate) trait Current {
    /// Makes the context current on this thread unless it is.
    fn ensure(&self) -> Result<(), BackendError>;
}

/// Executes packets with OpenGL 3.3 or OpenGL ES 3.0, or newer. See the [crate page](crate) for the contract.
pub struct GlBackend {
    pub(crate) gl: Rc<Gl>,
    pub(crate) caps: GlCaps,
    pub(crate) shadow: Shadow,
    pub(crate) vertex_buffers: SecondaryMap<VertexBufferKey, Buffer>,
    /// Zeros beyond the ends of all vertex buffers, in bytes.
    pub(crate) padding: u64,
    pub(crate) index_buffers: SecondaryMap<IndexBufferKey, Buffer>,
    pub(crate) textures: SecondaryMap<TextureKey, Texture>,
    pub(crate) programs: SecondaryMap<ProgramKey, Program>,
    pub(crate) samplers: Samplers,
    pub(crate) setups: Setups,
    pub(crate) back_buffer: Option<BackBuffer>,
    pub(crate) vertex_constants: Bank,
    pub(crate) fragment_constants: Bank,
    /// Where draws go, as told.
    pub(crate) target: Target,
    /// The same in GL's terms, found at the first draw or clear after it changed.
    pub(crate) bound: Option<target::Surface>,
    vertex_array: Handle<glow::VertexArray>,
    debug_log: bool,
    lost: bool,
    /// Last: the context must outlive what is in it.
    current: Option<Rc<dyn Current>>,
}

impl std::fmt::Debug for GlBackend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GlBackend")
            .field("version", &self.caps.version_text)
            .field("renderer", &self.caps.renderer)
            .finish_non_exhaustive()
    }
}

impl GlBackend {
    /// The part of `new` that needs no promise.
    pub(crate) fn with_gl(gl: Rc<Gl>) -> Result<Self, BackendError> {
        // Errors that the host left behind aren't ours.
        if let Err(error) = gl.check("before the backend was made") {
            log::warn!("{error}");
        }
        let caps = GlCaps::query(&gl, || readback::bgra_renderable(&gl))?;
        log::info!("{} on {}", caps.version_text, caps.renderer);
        let debug_log = gl.start_debug_log();
        let vertex_array: Handle<glow::VertexArray> = Handle::create(&gl)?;
        let mut shadow = Shadow::new(Rc::clone(&gl), &caps);
        shadow.reset(&caps, vertex_array.name());
        gl.check("setting the first state")?;
        Ok(Self {
            gl,
            caps,
            shadow,
            vertex_buffers: SecondaryMap::new(),
            padding: 0,
            index_buffers: SecondaryMap::new(),
            textures: SecondaryMap::new(),
            programs: SecondaryMap::new(),
            samplers: Samplers::new(),
            setups: Setups::default(),
            back_buffer: None,
            vertex_constants: Bank::new(),
            fragment_constants: Bank::new(),
            target: Target::BackBuffer,
            bound: None,
            vertex_array,
            debug_log,
            lost: false,
            current: None,
        })
    }

    /// The same backend without S3TC, whatever the driver has: `context3d` then takes other encodings, or decodes blocks
    /// before they come here. For a driver whose S3TC is broken, and for tests of what drivers without it show. To be called
    /// before the first packet.
    #[must_use]
    pub fn without_s3tc(mut self) -> Self {
        self.caps.public.s3tc = false;
        self.caps.workarounds = workarounds::select(&self.caps);
        self
    }

    /// As [`GlBackend::without_s3tc`], and without ETC2: every texture is stored decoded.
    #[must_use]
    pub fn without_blocks(mut self) -> Self {
        self.caps.public.etc2 = false;
        self.without_s3tc()
    }

    /// From now on the context is made current before each use.
    #[cfg(feature = "offscreen")]
    pub(crate) fn keep_current(&mut self, current: Rc<dyn Current>) {
        self.current = Some(current);
    }

    /// GL errors and high-severity debug messages so far (the latter only in a debug context whose host has no callback
    /// of its own). A test that draws can demand that this is 0.
    pub fn debug_errors(&mut self) -> u64 {
        if self.ready().is_ok() {
            if let Err(error) = self.gl.check("before asking for errors") {
                self.note_loss(&error);
            }
            self.drain_debug_log();
        }
        self.gl.problems()
    }

    /// What the last `Present` showed as a framebuffer to blit from, its top row first, and its size in pixels; `None`
    /// before the first one. Valid until the next call of the backend.
    pub fn front_framebuffer(&self) -> Option<(glow::Framebuffer, u32, u32)> {
        let (framebuffer, size) = self.back_buffer.as_ref()?.front()?;
        let side = |length: i32| u32::try_from(length).unwrap_or(0);
        Some((framebuffer, side(size.width), side(size.height)))
    }

    /// To be called after other code has used the context: everything that the backend believes about GL's state is set
    /// anew. Objects are the backend's own and must not have been touched.
    ///
    /// # Errors
    /// [`BackendError::Lost`] when the context is gone.
    pub fn forget_state(&mut self) -> Result<(), BackendError> {
        self.ready()?;
        self.shadow.reset(&self.caps, self.vertex_array.name());
        self.leave_target();
        Ok(())
    }

    fn ready(&self) -> Result<(), BackendError> {
        if self.lost {
            return Err(BackendError::Lost);
        }
        match &self.current {
            Some(current) => current.ensure(),
            None => Ok(()),
        }
    }

    fn note_loss(&mut self, error: &BackendError) {
        if *error == BackendError::Lost {
            self.lost = true;
        }
    }

    fn drain_debug_log(&self) {
        if self.debug_log {
            self.gl.drain_debug_log();
        }
    }

    /// Once a frame: is the context still there, and did anything go wrong that no packet noticed?
    pub(crate) fn check_frame(&self) -> Result<(), BackendError> {
        if self.caps.reports_reset && self.gl.reset_status() != glow::NO_ERROR {
            return Err(BackendError::Lost);
        }
        self.gl.check("drawing a frame")
    }
}

impl Backend for GlBackend {
    fn caps(&self) -> &BackendCaps {
        &self.caps.public
    }

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        self.ready()?;
        let mut result = self.dispatch(packet);
        if self.debug_log {
            // A debug context is slow anyway, and an error is worth most beside the packet that caused it.
            if result.is_ok() {
                result = self.gl.check("a packet");
            }
            self.drain_debug_log();
        }
        if let Err(error) = &result {
            self.note_loss(error);
        }
        result
    }

    fn read_pixels(
        &mut self,
        surface: Surface,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        out.clear();
        self.ready()?;
        let result = self.read(surface, out);
        self.drain_debug_log();
        if let Err(error) = &result {
            out.clear();
            self.note_loss(error);
        }
        result
    }

    fn read_texels(
        &mut self,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        out.clear();
        self.ready()?;
        let result = self.texels(texture, side, out);
        self.drain_debug_log();
        if let Err(error) = &result {
            out.clear();
            self.note_loss(error);
        }
        result
    }
}

impl Drop for GlBackend {
    fn drop(&mut self) {
        // With the context gone its objects are gone too, and deleting by name would hit another context's.
        if self.ready().is_err() {
            self.gl.abandon();
        }
    }
}

#[cfg(all(test, feature = "offscreen"))]
mod tests {
    use std::borrow::Cow;

    use context3d::packets::{Packet, TexelLayout, TextureDesc, TextureKind};
    use context3d::{Backend as _, BackendError, Surface, TextureFormat};
    use slotmap::SlotMap;

    use crate::offscreen::{Api, Offscreen, Options};
    use crate::workarounds::WorkaroundSet;

    fn backend(debug: bool) -> super::GlBackend {
        open(Api::OpenGl, debug)
    }

    fn open(api: Api, debug: bool) -> super::GlBackend {
        let mut options = Options::new(api);
        options.debug = debug;
        let offscreen = Offscreen::open_with(&options);
        let offscreen = offscreen.expect("an EGL; harness/setup.sh installs one");
        offscreen.backend().expect("a backend")
    }

    #[test]
    fn gl_errors_are_counted_and_reported_once() {
        for debug in [false, true] {
            let mut backend = backend(debug);
            assert_eq!(backend.debug_errors(), 0);
            backend.gl.enable(0xFFFF);
            let error = backend.execute(Packet::Present).expect_err("a GL error");
            assert!(
                matches!(&error, BackendError::Driver(text) if text.contains("GL_INVALID_ENUM"))
            );
            assert!(backend.debug_errors() > 0);
            assert_eq!(backend.execute(Packet::Present), Ok(()));
        }
    }

    #[test]
    fn debug_messages_are_heard() {
        let mut backend = backend(true);
        assert!(backend.debug_log, "Mesa has debug contexts");
        backend.gl.enable(0xFFFF);
        backend.gl.drain_debug_log();
        assert!(backend.gl.problems() > 0, "the error came as a message too");
        backend.debug_errors();
    }

    #[test]
    fn a_lost_device_stays_lost() {
        let mut backend = backend(false);
        backend.note_loss(&BackendError::Lost);
        assert_eq!(backend.execute(Packet::Present), Err(BackendError::Lost));
        let read = backend.read_pixels(context3d::Surface::Front, &mut Vec::new());
        assert_eq!(read, Err(BackendError::Lost));
        assert_eq!(backend.forget_state(), Err(BackendError::Lost));
    }

    #[test]
    fn state_can_be_forgotten_at_any_time() {
        let mut backend = backend(true);
        assert_eq!(backend.forget_state(), Ok(()));
        assert_eq!(backend.debug_errors(), 0);
    }

    /// The remedies are right even where the driver at hand doesn't need them.
    #[test]
    fn texels_survive_every_workaround() {
        let cases: [(TextureFormat, TexelLayout, &[u8], [u8; 4]); 3] = [
            (
                TextureFormat::Bgra,
                TexelLayout::Bgra8,
                &[1, 2, 3, 4],
                [3, 2, 1, 4],
            ),
            (
                TextureFormat::BgraPacked4444,
                TexelLayout::Bgra4444,
                &[0x34, 0x12],
                [34, 51, 68, 17],
            ),
            (
                TextureFormat::RgbaHalfFloat,
                TexelLayout::RgbaHalf,
                &[0, 0x3C, 0, 0, 0, 0, 0, 0x3C],
                [255, 0, 0, 255],
            ),
        ];
        for api in [Api::OpenGl, Api::Gles] {
            let mut backend = open(api, true);
            backend.caps.workarounds = WorkaroundSet::ALL;
            let mut keys = SlotMap::with_key();
            for (format, layout, texel, rgba) in cases {
                let texture = keys.insert(());
                let desc = TextureDesc {
                    kind: TextureKind::TwoD,
                    format,
                    width: 1,
                    height: 1,
                    levels: 1,
                    render_target: false,
                };
                let create = Packet::CreateTexture { key: texture, desc };
                assert_eq!(backend.execute(create), Ok(()));
                let upload = Packet::UploadTexture {
                    key: texture,
                    side: 0,
                    level: 0,
                    layout,
                    data: Cow::Borrowed(texel),
                };
                assert_eq!(backend.execute(upload), Ok(()));
                let (side, level) = (0, 0);
                let surface = Surface::Texture {
                    texture,
                    side,
                    level,
                };
                let mut pixel = Vec::new();
                assert_eq!(backend.read_pixels(surface, &mut pixel), Ok((1, 1)));
                assert_eq!(pixel, rgba, "{api}, {format:?}");
            }
            assert_eq!(backend.debug_errors(), 0);
        }
    }
}
