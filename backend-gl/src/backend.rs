//! [`GlBackend`]: the GL objects of one `Context3D`, and the implementation of the trait `Backend`.

mod picture;

use context3d::backend::{Backend, BackendCaps, BackendError, ReadSurface, Region};
use context3d::enums::{FillMode, TriangleFace};
use context3d::keys::{AnyKey, TextureKey};
use context3d::packets::{Draw, Packet, PassStart, Raster, RenderTarget, TexelLayout, bits};

use crate::buffer::{BufferStore, GlBuffer};
use crate::device::{DeviceState, GlDevice, number};
use crate::gl::LabelTarget;
use crate::program::GlPrograms;
use crate::target::{ALL_OUTPUTS, GlTargets};
use crate::texture::GlTextures;
use crate::workarounds::Remedy;

/// Maximum length of a label in bytes, which every driver accepts.
const MAX_LABEL: usize = 255;

/// Executes packets with OpenGL 3.3 or OpenGL ES 3.0, or newer. The [crate page](crate) states the host's obligations.
pub struct GlBackend {
    pub(crate) objects: GlObjects,
    caps: BackendCaps,
    /// A byte buffer that all readbacks reuse.
    pub(crate) scratch: Vec<u8>,
    /// Declared last: its drop deletes the GL objects of the fields above.
    device: DeviceOfBackend,
}

/// The device, and the GL objects that this backend has created on it.
struct DeviceOfBackend {
    device: GlDevice,
    /// True after [`GlBackend::defer_deletion`]: the drop must not use GL.
    left: bool,
}

impl Drop for DeviceOfBackend {
    /// Deletes pending GL objects. If a logger callback drops the backend inside a device call, the device call deletes
    /// the objects when it returns.
    fn drop(&mut self) {
        match self.left {
            true => self.device.defer_deletion(),
            false => drop(self.device.run(|_| Ok(()))),
        }
    }
}

/// The GL objects of one `Context3D`.
#[derive(Default)]
pub(crate) struct GlObjects {
    pub(crate) buffers: BufferStore,
    pub(crate) textures: GlTextures,
    pub(crate) programs: GlPrograms,
    pub(crate) targets: GlTargets,
    passes: Passes,
}

/// The indices of the current frame and pass, for labels of debug groups.
#[derive(Default)]
struct Passes {
    frame: u32,
    pass: u32,
    /// True if the debug group of a pass is open.
    open: bool,
}

impl std::fmt::Debug for GlBackend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GlBackend").field("caps", &self.caps).finish_non_exhaustive()
    }
}

impl GlBackend {
    /// Creates a backend without objects.
    pub(crate) fn on(device: GlDevice, state: &DeviceState) -> Self {
        Self {
            objects: GlObjects::default(),
            caps: state.caps.public.clone(),
            scratch: Vec::new(),
            device: DeviceOfBackend { device, left: false },
        }
    }

    /// Returns the device, on which more backends for the same context can be created.
    pub fn device(&self) -> &GlDevice {
        &self.device.device
    }

    /// Defers deletion of the backend's GL objects. Call this if another context may be current when the backend is
    /// dropped: the device then deletes the objects during its next call, or when it is dropped.
    pub fn defer_deletion(&mut self) {
        self.device.left = true;
    }

    /// Returns the number of GL errors and high-severity debug messages so far, of all backends of the device. Debug
    /// messages count only in a debug context without a callback of the host. Tests can assert that no error occurred.
    pub fn debug_errors(&mut self) -> u64 {
        let _ = self.device().run(|device| {
            device.in_frame = false;
            device.gl.check("an earlier call") // counted, and logged
        });
        self.device().gl.problems()
    }

    /// Calls [`GlDevice::invalidate_state`], for a host that doesn't use the device otherwise.
    pub fn invalidate_state(&self) {
        self.device().invalidate_state();
    }

    /// Sets the label of an object in debuggers, truncated to 255 bytes. The label lasts until a program is uploaded
    /// again or a vertex buffer is padded. `label` has no effect outside debug contexts, in browsers, and for objects
    /// that don't exist.
    ///
    /// # Errors
    /// The errors of [`Backend::execute`].
    pub fn label(&mut self, object: AnyKey, text: &str) -> Result<(), BackendError> {
        let text = text.get(..text.floor_char_boundary(MAX_LABEL)).unwrap_or_default();
        let buffer = |it: Option<&GlBuffer>| it.map(|it| LabelTarget::Buffer(it.handle.name()));
        self.between_frames(|objects, device| {
            let object = match object {
                AnyKey::VertexBuffer(key) => buffer(objects.buffers.vertex.get(key)),
                AnyKey::IndexBuffer(key) => buffer(objects.buffers.index.get(key)),
                AnyKey::Program(key) => objects
                    .programs
                    .programs
                    .get(key)
                    .map(|it| LabelTarget::Program(it.handle.name())),
                AnyKey::Texture(key) => {
                    objects.textures.get(key).ok().map(|it| LabelTarget::Texture(it.name()))
                }
            };
            if let (Some(object), true) = (object, device.debug_log) {
                device.gl.label(object, text);
            }
            Ok(())
        })
    }

    /// Runs `action`, which uses the backend's GL objects outside of packets. `action` checks for GL errors itself, and
    /// keeps the frame's pending errors.
    pub(crate) fn between_frames<T>(
        &mut self,
        action: impl FnOnce(&mut GlObjects, &mut DeviceState) -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        let Self { objects, device: DeviceOfBackend { device, .. }, .. } = self;
        let in_frame = device.borrow()?.in_frame;
        device.run(|device| {
            let result = action(objects, device);
            device.in_frame = in_frame;
            result
        })
    }

    /// Runs a readback into `out`, and empties `out` if the readback fails.
    pub(crate) fn reading<T>(
        &mut self,
        out: &mut Vec<u8>,
        read: impl FnOnce(&mut GlObjects, &mut DeviceState, &mut Vec<u8>) -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        out.clear();
        let result = self.between_frames(|objects, device| read(objects, device, out));
        if result.is_err() {
            out.clear();
        }
        result
    }
}

impl GlDevice {
    /// Creates a backend for one `Context3D` on this device.
    ///
    /// # Errors
    /// [`BackendError::Lost`] if the context is lost.
    pub fn backend(&self) -> Result<GlBackend, BackendError> {
        self.run(|device| Ok(GlBackend::on(self.clone(), device)))
    }
}

impl Backend for GlBackend {
    fn caps(&self) -> &BackendCaps {
        &self.caps
    }

    #[inline(always)]
    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        let Self { objects, device: DeviceOfBackend { device, .. }, .. } = self;
        // Constants are only stored until the next draw, so that no GL context is needed.
        if let Packet::Constants { stage, first, values } = &packet {
            device.alive()?;
            objects.programs.set_constants(*stage, *first, values);
            return Ok(());
        }
        device.run(|device| {
            match packet {
                Packet::Draw(draw) => objects.draw(device, &draw),
                packet => objects.execute(device, packet),
            }?;
            if device.debug_log { device.gl.check_drawing("a packet") } else { Ok(()) }
        })
    }

    fn read_region(
        &mut self,
        surface: ReadSurface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        self.reading(out, |objects, device, out| {
            let GlObjects { targets, textures, .. } = objects;
            targets.read(device, textures, surface, region, out)
        })
    }

    fn read_texels(
        &mut self,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        self.reading(out, |objects, device, out| {
            objects.targets.texels(device, &objects.textures, texture, side, out)
        })
    }
}

impl GlObjects {
    /// Executes a packet. The context must be current.
    #[inline(never)]
    fn execute(
        &mut self,
        device: &mut DeviceState,
        packet: Packet<'_>,
    ) -> Result<(), BackendError> {
        match packet {
            Packet::Draw(draw) => self.draw(device, &draw)?,
            Packet::Constants { stage, first, values } => {
                self.programs.set_constants(stage, first, &values);
            }
            Packet::BeginPass(pass) => self.begin_pass(device, &pass)?,
            Packet::EndPass { resolve } => {
                if resolve {
                    self.targets.resolve_samples(device);
                }
            }
            Packet::Present => {
                self.open_group(device, None);
                self.targets.present(device)?;
            }
            Packet::ConfigureBackBuffer(desc) => self.targets.configure(device, &desc)?,
            Packet::CreateVertexBuffer { key, bytes, dynamic } => {
                self.buffers.create_vertex(device, key, bytes, dynamic)?;
            }
            Packet::UploadVertexBuffer { key, offset, data } => {
                self.buffers.upload_vertex(device, key, offset, &data)?;
            }
            Packet::PadVertexBuffer { key, bytes } => {
                self.buffers.pad_vertex(device, key, bytes)?;
            }
            Packet::DisposeVertexBuffer(key) => drop(self.buffers.vertex.remove(key)),
            Packet::CreateIndexBuffer { key, bytes, dynamic } => {
                self.buffers.create_index(device, key, bytes, dynamic)?;
            }
            Packet::UploadIndexBuffer { key, offset, data } => {
                self.buffers.upload_index(device, key, offset, &data)?;
            }
            Packet::DisposeIndexBuffer(key) => drop(self.buffers.index.remove(key)),
            Packet::UploadProgram { key, pair } => self.programs.upload(device, key, &pair)?,
            Packet::DisposeProgram(key) => drop(self.programs.programs.remove(key)),
            Packet::CreateTexture { key, desc } => self.textures.create(device, key, desc)?,
            Packet::UploadTexture { key, side, level, layout, data } => {
                self.textures.get_mut(key)?.upload(device, (side, level), layout, &data)?;
            }
            Packet::ZeroLevel { key, side, level } => {
                self.textures.get_mut(key)?.zero_level(device, side, level)?;
            }
            Packet::GenerateMips { key, side, levels } => {
                self.textures.get_mut(key)?.generate_mips(device, side, levels)?;
            }
            Packet::DisposeTexture(key) => {
                self.targets.texture_disposed(key);
                self.textures.dispose(key);
            }
        }
        Ok(())
    }

    /// Draws triangles. The state cache skips calls that would set the current state again.
    #[inline]
    fn draw(&mut self, device: &mut DeviceState, draw: &Draw) -> Result<(), BackendError> {
        if draw.index_count == 0 || draw.instances == 0 {
            return Ok(());
        }
        self.targets.bind(&mut device.shadow, draw.state.outputs)?;
        let inputs = self.programs.bind(device, draw.state.program)?;
        for slot in bits(inputs.slots) {
            let cube = inputs.cubes >> slot & 1 != 0;
            let binding = draw.textures.get(slot).and_then(Option::as_ref);
            self.textures.bind(device, slot, cube, binding)?;
        }
        let DeviceState { gl, shadow, caps, .. } = device;
        self.buffers.bind_streams(gl, shadow, inputs.attributes, &draw.streams)?;
        let raster = &draw.state.raster;
        if raster.fill == FillMode::Wireframe
            && raster.stencil_front != raster.stencil_back
            && caps.needs(Remedy::DrawFacesApart)
        {
            return self.draw_faces(device, draw);
        }
        shadow.pipeline(&draw.state);
        shadow.scissor(draw.scissor);
        self.buffers.draw_elements(gl, shadow, caps.index_bytes(), draw)
    }

    /// Draws each cube face separately, for [`Remedy::DrawFacesApart`].
    #[cold]
    fn draw_faces(&mut self, device: &mut DeviceState, draw: &Draw) -> Result<(), BackendError> {
        let raster = draw.state.raster;
        let DeviceState { gl, shadow, caps, .. } = device;
        for (face, cull, culled) in [
            (raster.stencil_front, TriangleFace::Back, TriangleFace::Front),
            (raster.stencil_back, TriangleFace::Front, TriangleFace::Back),
        ] {
            if raster.cull != culled && raster.cull != TriangleFace::FrontAndBack {
                let (stencil_front, stencil_back) = (face, face);
                shadow.raster(&Raster { stencil_front, stencil_back, cull, ..raster });
                shadow.scissor(draw.scissor);
                self.buffers.draw_elements(gl, shadow, caps.index_bytes(), draw)?;
            }
        }
        Ok(())
    }

    fn begin_pass(
        &mut self,
        device: &mut DeviceState,
        pass: &PassStart,
    ) -> Result<(), BackendError> {
        if !self.targets.has(&pass.target) {
            self.targets.set(device, &self.textures, &pass.target)?;
            self.open_group(device, Some(&pass.target));
        }
        if pass.load_samples {
            self.targets.load_samples(device, &self.textures)?;
        }
        self.targets.clear(device, &pass.clear)
    }

    /// Opens the debug group for a pass into `target`. Without a target, closes the groups of the frame.
    fn open_group(&mut self, device: &mut DeviceState, target: Option<&RenderTarget>) {
        if !device.debug_log {
            return;
        }
        let Passes { frame, pass, open } = &mut self.passes;
        if std::mem::take(open) {
            device.gl.pop_group();
        }
        let Some(target) = target else {
            (*frame, *pass) = (*frame + 1, 0);
            return;
        };
        *pass += 1;
        let target = match target {
            RenderTarget::BackBuffer => "back buffer".to_owned(),
            RenderTarget::Textures(target) => {
                let textures = target.color.iter().flatten().map(|output| number(output.texture));
                textures.map(|number| format!("texture{number}")).collect::<Vec<_>>().join(", ")
            }
        };
        device.gl.push_group(&format!("frame {frame}, pass {pass}: {target}"));
        if let Ok(surface) = self.targets.bind(&mut device.shadow, ALL_OUTPUTS) {
            device.gl.label(LabelTarget::Framebuffer(surface.framebuffer.name), &target);
        }
        *open = true;
    }
}

#[cfg(all(test, feature = "offscreen"))]
#[path = "../tests/unit/backend.rs"]
mod tests;
