//! [`GlBackend`]: its objects, and the `Backend` trait.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use context3d::backend::{Backend, BackendCaps, BackendError, Region, Surface};
use context3d::enums::ProgramType;
use context3d::keys::{IndexBufferKey, TextureKey, VertexBufferKey};
use context3d::packets::{Clear, Draw, Packet, Target, TexelLayout};
use slotmap::SecondaryMap;

use crate::back_buffer::BackBuffer;
use crate::buffer::Buffer;
use crate::caps::GlCaps;
use crate::device::{Device, DrawError, GlDevice};
use crate::framebuffer;
use crate::gl::Gl;
use crate::indices::Indices;
use crate::labels::Labels;
use crate::present::Delayed;
use crate::program::{ProgramInputs, Programs};
use crate::shadow::NOBODY;
use crate::target::RenderTargets;
use crate::texture::Texture;
use crate::uniforms::Bank;

/// Executes packets with OpenGL 3.3 or OpenGL ES 3.0, or newer. See the [crate page](crate) for the contract.
pub struct GlBackend {
    pub(crate) objects: Objects,
    /// Buffer that is reused between reads.
    pub(crate) scratch: Vec<u8>,
    /// The device; last, because the objects must be dropped before it.
    device: GlDevice,
}

/// Ids of backends, from 1.
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// The objects of one `Context3D`.
pub(crate) struct Objects {
    /// Identifies this backend's keys; above 0.
    pub(crate) id: u64,
    pub(crate) gl: Rc<Gl>,
    pub(crate) caps: GlCaps,
    pub(crate) vertex_buffers: SecondaryMap<VertexBufferKey, Buffer>,
    /// Padding of all vertex buffers together, in bytes.
    pub(crate) padding: u64,
    pub(crate) index_buffers: SecondaryMap<IndexBufferKey, Indices>,
    pub(crate) textures: SecondaryMap<TextureKey, Texture>,
    pub(crate) programs: Programs,
    pub(crate) render_targets: RenderTargets,
    pub(crate) back_buffer: Option<BackBuffer>,
    pub(crate) vertex_constants: Bank,
    pub(crate) fragment_constants: Bank,
    /// What the program in use reads.
    pub(crate) inputs: ProgramInputs,
    /// The program in use may have other constants.
    pub(crate) constants_changed: bool,
    /// Where draws go, as told.
    pub(crate) target: Target,
    /// The surface of the target, determined at the first draw or clear after it changed.
    pub(crate) bound: Option<framebuffer::Surface>,
    pub(crate) delayed: Delayed,
    /// Empty except in debug contexts.
    pub(crate) labels: Labels,
}

impl Objects {
    /// None.
    fn new(gl: Rc<Gl>, caps: GlCaps) -> Self {
        Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            gl,
            caps,
            vertex_buffers: SecondaryMap::new(),
            padding: 0,
            index_buffers: SecondaryMap::new(),
            textures: SecondaryMap::new(),
            programs: Programs::default(),
            render_targets: RenderTargets::default(),
            back_buffer: None,
            vertex_constants: Bank::new(),
            fragment_constants: Bank::new(),
            inputs: ProgramInputs::default(),
            constants_changed: true,
            target: Target::BackBuffer,
            bound: None,
            delayed: Delayed::default(),
            labels: Labels::default(),
        }
    }

    /// Deletes all objects; the context is current.
    pub(crate) fn delete_all(&mut self, device: &mut Device) {
        self.labels.end_pass(&self.gl);
        self.render_targets.clear(device);
        self.vertex_buffers.clear();
        self.index_buffers.clear();
        self.textures.clear();
        self.programs = Programs::default();
        self.back_buffer = None;
        self.delayed = Delayed::default();
        device.shadow.owned_by(NOBODY);
    }
}

impl std::fmt::Debug for GlBackend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GlBackend")
            .field("version", &self.objects.caps.driver.version)
            .field("renderer", &self.objects.caps.driver.renderer)
            .finish_non_exhaustive()
    }
}

impl GlBackend {
    /// A backend without objects.
    pub(crate) fn on(device: GlDevice, state: &mut Device) -> Self {
        Self {
            objects: Objects::new(Rc::clone(&state.gl), state.caps.clone()),
            scratch: Vec::new(),
            device,
        }
    }

    /// The device, for more backends on the same context.
    pub fn device(&self) -> &GlDevice {
        &self.device
    }

    /// Number of GL errors and high-severity debug messages so far, of all backends of the device. Debug messages are
    /// only counted in a debug context without a callback of the host. Tests can assert that this is 0.
    pub fn debug_errors(&mut self) -> u64 {
        let _ = self.device.run(|device| {
            device.in_frame = false;
            device.gl.check("before asking for errors") // counted, and logged
        });
        self.objects.gl.problems()
    }

    /// As [`GlDevice::invalidate_state`], for a host that doesn't use the device otherwise.
    pub fn invalidate_state(&self) {
        self.device.invalidate_state();
    }

    /// Runs an action that is not a packet. It checks for its own errors and doesn't change whether a frame's errors
    /// are pending.
    pub(crate) fn between_frames<T>(
        &mut self,
        action: impl FnOnce(&mut Objects, &mut Device) -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        let in_frame = self.device.borrow()?.in_frame;
        self.device.run(|device| {
            let result = action(&mut self.objects, device);
            device.in_frame = in_frame;
            result
        })
    }

    fn draw(&mut self, draw: &Draw) -> Result<(), DrawError> {
        let objects = &mut self.objects;
        let id = objects.id;
        self.device.run_draw(id, |device| match device.debug_log {
            false => objects.draw(device, draw),
            true => Ok(objects.labelled(device, Packet::Draw(Cow::Owned(Box::new(*draw))))?),
        })
    }

    fn clear(&mut self, clear: &Clear) -> Result<(), DrawError> {
        let objects = &mut self.objects;
        let id = objects.id;
        self.device.run_draw(id, |device| match device.debug_log {
            false => objects.clear(device, clear),
            true => Ok(objects.labelled(device, Packet::Clear(*clear))?),
        })
    }

    fn set_target(&mut self, target: &Target) -> Result<(), DrawError> {
        let objects = &mut self.objects;
        let id = objects.id;
        self.device.run_draw(id, |device| match device.debug_log {
            false => {
                objects.set_target(device, target);
                Ok(())
            }
            true => Ok(objects.labelled(device, Packet::SetTarget(*target))?),
        })
    }

    /// Constants need no context until something is drawn.
    #[inline(always)]
    fn set_constants(
        &mut self,
        stage: ProgramType,
        first: u16,
        values: &[[f32; 4]],
    ) -> Result<(), BackendError> {
        self.device.alive()?;
        self.objects.set_constants(stage, first, values);
        Ok(())
    }

    fn other(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        self.device.run(|device| match device.debug_log {
            false => self.objects.dispatch(device, packet),
            true => self.objects.labelled(device, packet),
        })
    }

    /// Runs a read into `out`, which is empty if it fails.
    pub(crate) fn reading<T>(
        &mut self,
        out: &mut Vec<u8>,
        read: impl FnOnce(&mut Objects, &mut Device, &mut Vec<u8>) -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        out.clear();
        let result = self.between_frames(|objects, device| read(objects, device, out));
        if result.is_err() {
            out.clear();
        }
        result
    }
}

impl Backend for GlBackend {
    fn caps(&self) -> &BackendCaps {
        &self.objects.caps.public
    }

    /// Inlined, so that draws don't construct a packet.
    #[inline(always)]
    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        match packet {
            Packet::Draw(draw) => self.draw(&draw).map_err(|error| *error),
            Packet::Constants { stage, first, values } => self.set_constants(stage, first, &values),
            Packet::SetTarget(target) => self.set_target(&target).map_err(|error| *error),
            Packet::Clear(clear) => self.clear(&clear).map_err(|error| *error),
            packet => self.other(packet),
        }
    }

    fn read_region(
        &mut self,
        surface: Surface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        self.reading(out, |objects, device, out| objects.read(device, surface, region, out))
    }

    fn read_texels(
        &mut self,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        self.reading(out, |objects, device, out| objects.texels(device, texture, side, out))
    }
}

impl Drop for GlBackend {
    fn drop(&mut self) {
        let objects = &mut self.objects;
        let deleted = self.device.run(|device| {
            objects.delete_all(device);
            Ok(())
        });
        // With the context gone its objects are gone too. Otherwise the device is in use: it called a logger, which dropped
        // this backend.
        if deleted.is_err() && !objects.gl.is_abandoned() {
            let none = Objects::new(Rc::clone(&objects.gl), objects.caps.clone());
            self.device.delete_later(std::mem::replace(objects, none));
        }
    }
}

#[cfg(all(test, feature = "offscreen"))]
mod tests {
    use std::borrow::Cow;

    use context3d::backend::{Backend as _, BackendError, Surface};
    use context3d::enums::TextureFormat;
    use context3d::packets::{Packet, TexelLayout, TextureDesc, TextureKind};
    use slotmap::SlotMap;

    use crate::offscreen::{Api, Offscreen, Options};
    use crate::workarounds::{Workaround, Workarounds};

    fn backend(debug: bool) -> super::GlBackend {
        open(Api::OpenGl, debug, Workarounds::default())
    }

    fn open(api: Api, debug: bool, workarounds: Workarounds) -> super::GlBackend {
        let mut options = Options::new(api);
        options.debug = debug;
        options.device.workarounds = workarounds;
        let offscreen = Offscreen::open_with(&options);
        let offscreen = offscreen.expect("an EGL; harness/setup.sh installs one");
        offscreen.backend().expect("a backend")
    }

    #[test]
    fn gl_errors_are_counted_and_fail_only_for_memory() {
        for debug in [false, true] {
            let mut backend = backend(debug);
            assert_eq!(backend.debug_errors(), 0);
            // Errors before the first packet of a frame belong to other code.
            let target = context3d::packets::Target::BackBuffer;
            assert_eq!(backend.execute(Packet::SetTarget(target)), Ok(()));
            backend.objects.gl.enable(0xFFFF);
            assert_eq!(backend.execute(Packet::Present), Ok(()));
            assert!(backend.debug_errors() > 0);
            // Noticed by a creation in between.
            backend.objects.gl.out_of_memory();
            let failed = backend.execute(Packet::Present);
            assert_eq!(failed, Err(BackendError::OutOfMemory));
            assert_eq!(backend.execute(Packet::Present), Ok(()));
        }
    }

    #[test]
    fn debug_messages_are_heard() {
        let mut backend = backend(true);
        let debug_log = backend.device.borrow().expect("not in use").debug_log;
        assert!(debug_log, "Mesa has debug contexts");
        backend.objects.gl.enable(0xFFFF);
        backend.objects.gl.drain_debug_log(true);
        assert!(backend.objects.gl.problems() > 0, "the error came as a message too");
        backend.debug_errors();
    }

    #[test]
    fn a_lost_device_stays_lost() {
        let mut backend = backend(false);
        backend.device.borrow().expect("not in use").lose();
        assert_eq!(backend.execute(Packet::Present), Err(BackendError::Lost));
        let read = backend.read_pixels(context3d::backend::Surface::Front, &mut Vec::new());
        assert_eq!(read, Err(BackendError::Lost));
        let other = backend.device().backend();
        assert_eq!(other.map(|_| ()), Err(BackendError::Lost));
    }

    /// The workarounds are correct even if this driver doesn't need them.
    #[test]
    fn texels_survive_every_workaround() {
        let cases: [(TextureFormat, TexelLayout, &[u8], [u8; 4]); 3] = [
            (TextureFormat::Bgra, TexelLayout::Bgra8, &[1, 2, 3, 4], [3, 2, 1, 4]),
            (TextureFormat::BgraPacked4444, TexelLayout::Bgra4444, &[0x34, 0x12], [34, 51, 68, 17]),
            (
                TextureFormat::RgbaHalfFloat,
                TexelLayout::RgbaHalf,
                &[0, 0x3C, 0, 0, 0, 0, 0, 0x3C],
                [255, 0, 0, 255],
            ),
        ];
        for api in [Api::OpenGl, Api::Gles] {
            let all = Workaround::all().fold(Workarounds::default(), |forced, row| {
                forced.force(row.name(), true).expect("its own name")
            });
            let mut backend = open(api, true, all);
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
                let surface = Surface::Texture { texture, side, level };
                let mut pixel = Vec::new();
                assert_eq!(backend.read_pixels(surface, &mut pixel), Ok((1, 1)));
                assert_eq!(pixel, rgba, "{api}, {format:?}");
            }
            assert_eq!(backend.debug_errors(), 0);
        }
    }
}
