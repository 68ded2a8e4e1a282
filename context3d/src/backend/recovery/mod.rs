//! [`RecoverableBackend`]: a backend that survives the loss of its device.

mod journal;
mod snapshot;

use self::journal::Frame;
use self::snapshot::Snapshot;
use crate::backend::{Backend, BackendCaps, BackendError, Region, Surface};
use crate::handle::TextureKey;
use crate::packets::{BackBuffer, Packet, Target};

/// Maximum number of consecutive new devices that may be lost before restoring fails.
const ATTEMPTS: usize = 3;

/// Options of [`RecoverableBackend`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryOptions {
    /// Reads rendered textures back after each frame, so that their content survives. Waits for the device in each
    /// frame that renders to a texture. Without it such textures are transparent black after a loss until the program
    /// renders to them again, which most do every frame.
    pub rendered_textures: bool,
    /// Largest number of bytes of packets in a frame whose draws are kept. In a larger frame, earlier drawing to the
    /// back buffer is lost with the device; resources are always kept.
    pub frame_bytes: usize,
}

impl Default for RecoveryOptions {
    /// Everything, in frames of up to 64 MiB.
    fn default() -> Self {
        RecoveryOptions { rendered_textures: true, frame_bytes: 64 << 20 }
    }
}

/// A backend that opens a new device when its device is lost, and restores resources, constants, render targets and the
/// drawing of the current frame. The context above it, and so the ActionScript program, only notices the delay.
///
/// A host chooses between this and Flash's own behaviour, where a loss ends the `Context3D` and the program creates
/// everything again after the next `context3DCreate`.
///
/// # Memory
/// A copy of every upload that is not disposed: buffers, texture levels, and programs (shared with other holders). With
/// [`RecoveryOptions::rendered_textures`], level 0 of each rendered texture. Also the packets of two frames, uploads
/// included: about 1 KiB a draw. Packets of one frame are bounded by [`RecoveryOptions::frame_bytes`].
///
/// ```
/// use context3d::{Context3D, ContextOptions, Profile, backend::{NullBackend, RecoverableBackend, RecoveryOptions}};
///
/// let backend = RecoverableBackend::new(|| Ok(NullBackend::new()), RecoveryOptions::default())?;
/// let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
/// let context = Context3D::new(backend, options);
/// # Ok::<(), context3d::backend::BackendError>(())
/// ```
pub struct RecoverableBackend<B, F> {
    open: F,
    backend: B,
    caps: BackendCaps,
    keep: RecoveryOptions,
    /// All state at the start of `previous`.
    store: Snapshot,
    /// The frame that was shown last: restoring repeats it, because its picture must be shown again.
    previous: Frame,
    current: Frame,
    restored: u64,
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
    /// Opens the first device. Calls `open` again after each loss; it may wait for a device.
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
            store: Snapshot::default(),
            previous: Frame::default(),
            current: Frame::default(),
            restored: 0,
        })
    }

    /// The current device.
    pub fn backend(&self) -> &B {
        &self.backend
    }

    /// The current device. Packets that are executed on it directly are not restored.
    pub fn backend_mut(&mut self) -> &mut B {
        &mut self.backend
    }

    /// Number of losses survived.
    pub fn restored(&self) -> u64 {
        self.restored
    }

    /// Number of bytes that are stored for recovery.
    pub fn kept_bytes(&self) -> usize {
        self.store
            .bytes()
            .saturating_add(self.previous.bytes())
            .saturating_add(self.current.bytes())
    }

    /// Runs an operation on the device, and again on a new one if the device is lost.
    fn surviving<T>(
        &mut self,
        mut action: impl FnMut(&mut B) -> Result<T, BackendError>,
    ) -> Result<T, BackendError> {
        let mut result = action(&mut self.backend);
        for _ in 0..ATTEMPTS {
            if !matches!(result, Err(BackendError::Lost)) {
                break;
            }
            // Whatever prevents it, the device stays lost: what was made on it exists nowhere.
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
        // The old device's limits were used in checks.
        let same =
            BackendCaps { driver_info: self.caps.driver_info.clone(), ..backend.caps().clone() };
        if same != self.caps {
            log::error!("the new graphics device can't do the same as the old one");
            return Err(BackendError::Lost);
        }
        self.store.replay(&mut backend)?;
        self.previous.replay(&mut backend)?;
        self.current.replay(&mut backend)?;
        self.backend = backend;
        self.restored = self.restored.saturating_add(1);
        Ok(())
    }

    /// Records a packet that was executed.
    fn record(&mut self, packet: Packet<'static>) -> Result<(), BackendError> {
        let shown = packet == Packet::Present;
        self.current.push(packet);
        if shown {
            self.read_rendered()?;
            let shown = std::mem::take(&mut self.current);
            let older = std::mem::replace(&mut self.previous, shown);
            self.current.continue_from(&self.previous);
            self.store.fold(older);
        } else if self.current.bytes() > self.keep.frame_bytes {
            log::warn!("a frame is too large to be kept: its picture won't survive a loss");
            self.read_rendered()?;
            self.store.fold(std::mem::take(&mut self.previous));
            let current = std::mem::take(&mut self.current);
            self.current.continue_from(&current);
            self.store.fold(current);
        }
        Ok(())
    }

    /// Reads back the textures that this frame has drawn into.
    fn read_rendered(&mut self) -> Result<(), BackendError> {
        if !self.keep.rendered_textures {
            return Ok(());
        }
        for (texture, side) in self.current.rendered() {
            let mut data = Vec::new();
            let layout = self.surviving(|backend| backend.read_texels(texture, side, &mut data))?;
            if let Some(layout) = layout {
                self.current.keep_content(texture, side, layout, data);
            }
        }
        Ok(())
    }
}

/// The effect of a packet that failed for another reason than a loss, as documented for packets.
fn aftermath(packet: &Packet<'_>) -> Option<Packet<'static>> {
    match packet {
        Packet::ConfigureBackBuffer(_) => Some(Packet::ConfigureBackBuffer(BackBuffer::default())),
        Packet::UploadProgram { key, .. } => Some(Packet::DisposeProgram(*key)),
        _ => None,
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
            Ok(()) => self.record(packet.into_owned()),
            Err(error) => {
                if let Some(left) = aftermath(&packet) {
                    self.record(left)?;
                }
                Err(error)
            }
        }
    }

    fn read_region(
        &mut self,
        surface: Surface,
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
    ) -> Result<Option<crate::packets::TexelLayout>, BackendError> {
        self.surviving(|backend| backend.read_texels(texture, side, out))
    }
}

/// The textures that a target draws into.
fn attachments(target: &Target) -> impl Iterator<Item = (TextureKey, u8)> {
    let color = match target {
        Target::BackBuffer => [None; crate::packets::MAX_COLOR_OUTPUTS],
        Target::Textures(textures) => textures.color,
    };
    color.into_iter().flatten().map(|attachment| (attachment.texture, attachment.side))
}
