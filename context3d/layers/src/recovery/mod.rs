//! [`RecoverableBackend`]: a backend that survives the loss of its device.

mod store;

use std::borrow::Cow;

use self::store::{RecoveryStore, attachments, payload, renders};
use context3d::backend::{
    Backend, BackendCaps, BackendError, FrameRead, FrameReadError, FrameSource,
    PresentedFrame as Presented, ReadSurface, Region,
};
use context3d::keys::TextureKey;
use context3d::packets::{BackBufferDesc, Packet, RenderTarget, TexelLayout};

/// Maximum number of consecutive new devices that may be lost before the recovery fails.
const ATTEMPTS: usize = 3;

/// Options of [`RecoverableBackend`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryOptions {
    /// Reads rendered textures back after each frame, so that their content survives a loss. The read-back waits for
    /// the device in each frame that renders to a texture. If false, rendered textures are transparent black after a
    /// loss until the program renders to these textures again, which most programs do every frame.
    pub rendered_textures: bool,
    /// Maximum size of a frame's recorded packets, in bytes. If a frame exceeds this size, its earlier drawing to the
    /// back buffer doesn't survive a loss; resources always do.
    pub frame_bytes: usize,
}

impl Default for RecoveryOptions {
    /// Restores rendered textures, and up to 64 MiB of packets per frame.
    fn default() -> Self {
        RecoveryOptions { rendered_textures: true, frame_bytes: 64 << 20 }
    }
}

/// A backend that opens a new device after a loss, and restores resources, constants, render targets and the drawing of
/// the current frame. The context, and so the ActionScript program, notices only the delay.
///
/// Without this backend, a loss has Flash's effect: the `Context3D` ends, and the program creates all objects again
/// after the next `context3DCreate`.
///
/// # Memory
/// The backend stores a copy of every upload to an object that is not disposed: buffers, texture levels, and programs
/// (shared with other owners). With [`RecoveryOptions::rendered_textures`], the copies include level 0 of each rendered
/// texture. The packets of two frames are stored, too, with uploads: about 1 KiB per draw.
/// [`RecoveryOptions::frame_bytes`] limits the packets of one frame.
pub struct RecoverableBackend<B, F> {
    open: F,
    backend: B,
    caps: BackendCaps,
    keep: RecoveryOptions,
    /// The state before the packets of `previous`.
    store: RecoveryStore,
    /// The packets of the presented frame, which a recovery executes again to show the frame again.
    previous: FramePackets,
    current: FramePackets,
    target: RenderTarget,
    /// The texture faces that were rendered to in the current frame.
    rendered: Vec<(TextureKey, u8)>,
    presents: u64,
    restored: u64,
}

/// The recorded packets from one `Present` to the next.
#[derive(Default)]
struct FramePackets {
    packets: Vec<Packet<'static>>,
    /// Uploads that contain each rendered face's content at the end of the frame.
    contents: Vec<Packet<'static>>,
    /// Approximate size of the recorded packets in memory, in bytes.
    bytes: usize,
}

impl FramePackets {
    fn replay(&self, backend: &mut impl Backend) -> Result<(), BackendError> {
        self.packets.iter().try_for_each(|packet| backend.execute(packet.borrowed()))
    }
}

impl<B: Backend, F> std::fmt::Debug for RecoverableBackend<B, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RecoverableBackend")
            .field("keep", &self.keep)
            .field("restored", &self.restored)
            .finish_non_exhaustive()
    }
}

impl<B, F> RecoverableBackend<B, F>
where
    B: Backend,
    F: FnMut() -> Result<B, BackendError>,
{
    /// Opens the first device. After each loss, `open` is called again; it may wait for a device.
    ///
    /// # Errors
    /// The error of `open`.
    pub fn new(mut open: F, keep: RecoveryOptions) -> Result<Self, BackendError> {
        let backend = open()?;
        Ok(RecoverableBackend {
            open,
            caps: backend.caps().clone(),
            backend,
            keep,
            store: RecoveryStore::default(),
            previous: FramePackets::default(),
            current: FramePackets::default(),
            target: RenderTarget::BackBuffer,
            rendered: Vec::new(),
            presents: 0,
            restored: 0,
        })
    }

    /// Returns the current device.
    pub fn backend(&self) -> &B {
        &self.backend
    }

    /// Returns the current device. Packets that are executed directly on the device are not restored after a loss.
    pub fn backend_mut(&mut self) -> &mut B {
        &mut self.backend
    }

    /// Returns the number of successful recoveries.
    pub fn restored(&self) -> u64 {
        self.restored
    }

    /// Executes an operation on the device. After a loss, repeats the operation on a new device.
    fn surviving<T>(
        &mut self,
        mut action: impl FnMut(&mut B) -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        let mut result = action(&mut self.backend);
        for _ in 0..ATTEMPTS {
            if !matches!(result, Err(BackendError::Lost)) {
                break;
            }
            // If the recovery fails, the device stays lost, because no device has its objects.
            let restored = self.restore().map_err(|error| {
                log::error!("the graphics device can't be restored: {error}");
                BackendError::Lost
            });
            result = restored.and_then(|()| action(&mut self.backend));
        }
        result
    }

    /// Opens a new device and restores the state of the old one.
    fn restore(&mut self) -> Result<(), BackendError> {
        log::warn!("the graphics device was lost; opening another one");
        let mut backend = (self.open)()?;
        // Packets were validated against the old device's limits.
        let same =
            BackendCaps { driver_info: self.caps.driver_info.clone(), ..backend.caps().clone() };
        if same != self.caps {
            log::error!(
                "the capabilities of the new graphics device differ from those of the lost one"
            );
            return Err(BackendError::Lost);
        }
        self.store.replay(&mut backend)?;
        self.previous.replay(&mut backend)?;
        self.current.replay(&mut backend)?;
        self.backend = backend;
        self.restored = self.restored.saturating_add(1);
        Ok(())
    }

    /// Records an executed packet.
    fn record(&mut self, packet: Packet<'static>) {
        let shown = packet == Packet::Present;
        if let Packet::BeginPass(pass) = &packet {
            self.target = pass.target;
        } else if let Packet::DisposeTexture(key) = &packet {
            self.rendered.retain(|(texture, _)| texture != key);
        }
        if renders(&packet) {
            for face in attachments(&self.target) {
                if !self.rendered.contains(&face) {
                    self.rendered.push(face);
                }
            }
        }
        self.current.bytes += payload(&packet) + size_of::<Packet<'_>>();
        self.current.packets.push(packet);
        if shown {
            self.presents = self.presents.saturating_add(1);
            self.read_rendered();
            let shown = std::mem::take(&mut self.current);
            let older = std::mem::replace(&mut self.previous, shown);
            self.fold(older);
        } else if self.current.bytes > self.keep.frame_bytes {
            log::warn!(
                "frame data exceeds RecoveryOptions::frame_bytes: the frame can't be redrawn after a device loss"
            );
            self.read_rendered();
            for frame in [&mut self.previous, &mut self.current].map(std::mem::take) {
                self.fold(frame);
            }
        }
    }

    /// Adds a frame's packets to the store. For rendered textures, the store keeps texels instead of draws.
    fn fold(&mut self, frame: FramePackets) {
        frame.packets.into_iter().for_each(|packet| self.store.apply(packet));
        frame.contents.into_iter().for_each(|content| self.store.set_content(content));
    }

    /// Reads back the textures that this frame has rendered to. If a read fails, the frame's packets still succeed, and
    /// the texture's content is marked unknown.
    fn read_rendered(&mut self) {
        let rendered = std::mem::take(&mut self.rendered);
        let kept = self.keep.rendered_textures;
        for (key, side) in rendered.into_iter().filter(|_| kept) {
            let mut data = Vec::new();
            match self.surviving(|backend| backend.read_texels(key, side, &mut data)) {
                Ok(Some(layout)) => {
                    self.current.bytes += data.len();
                    let data = Cow::Owned(data);
                    let content = Packet::UploadTexture { key, side, level: 0, layout, data };
                    self.current.contents.push(content);
                }
                Ok(None) => {}
                Err(error) => {
                    log::warn!("a rendered texture won't survive a loss of the device: {error}");
                }
            }
        }
    }
}

impl<B, F> Backend for RecoverableBackend<B, F>
where
    B: Backend,
    F: FnMut() -> Result<B, BackendError>,
{
    fn caps(&self) -> &BackendCaps {
        &self.caps
    }

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        match self.surviving(|backend| backend.execute(packet.borrowed())) {
            Ok(()) => {
                self.record(packet.into_owned());
                Ok(())
            }
            Err(error) => {
                // A failed `ConfigureBackBuffer` removes the old back buffer, as the packet documents.
                if matches!(packet, Packet::ConfigureBackBuffer(_)) {
                    self.record(Packet::ConfigureBackBuffer(BackBufferDesc::default()));
                }
                Err(error)
            }
        }
    }

    fn read_region(
        &mut self,
        surface: ReadSurface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        self.surviving(|backend| backend.read_region(surface, region, out))
    }

    fn read_texels(
        &mut self,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        self.surviving(|backend| backend.read_texels(texture, side, out))
    }
}

impl<B, F> FrameSource for RecoverableBackend<B, F>
where
    B: FrameSource,
    F: FnMut() -> Result<B, BackendError>,
{
    type Exchange = B::Exchange;

    fn presents(&self) -> u64 {
        self.presents
    }

    fn frame(&self) -> Option<Presented> {
        self.backend.frame().map(|frame| self.counted(frame))
    }

    fn read_frame(
        &mut self,
        read: &FrameRead,
        out: &mut [u8],
    ) -> Result<Option<Presented>, FrameReadError> {
        let mut result = Ok(None);
        self.surviving(|backend| match backend.read_frame(read, out) {
            Err(FrameReadError::Backend(error)) => Err(error),
            read @ (Ok(_) | Err(FrameReadError::Memory { .. })) => {
                result = read;
                Ok(())
            }
        })?;
        result.map(|frame| frame.map(|frame| self.counted(frame)))
    }

    fn shares_frames(&self) -> bool {
        self.backend.shares_frames()
    }

    fn publish_frame(&mut self, exchange: &B::Exchange) -> Result<bool, BackendError> {
        self.surviving(|backend| backend.publish_frame(exchange))
    }
}

impl<B: FrameSource, F> RecoverableBackend<B, F> {
    /// Returns a frame of the current device. The frame counter includes the presents on lost devices.
    fn counted(&self, frame: Presented) -> Presented {
        let since = self.backend.presents().saturating_sub(frame.presents);
        Presented { presents: self.presents.saturating_sub(since), ..frame }
    }
}
