//! [`WgpuBackend`] and its trait implementations.

use context3d::backend::{
    Backend, BackendCaps, BackendError, FrameSource, PresentedFrame, ReadSurface, Region,
};
use context3d::keys::TextureKey;
use context3d::packets::{Packet, TexelLayout};
use slotmap::SecondaryMap;
use wgpu::BufferUsages;

use crate::back_buffer::FrameExchange;
use crate::blit::Blits;
use crate::commands::Commands;
use crate::constants::{self, Constants};
use crate::device::{WgpuDevice, buffer_of};
use crate::draw::WgpuObjects;
use crate::program::Layouts;

/// Executes packets with wgpu on the host's device. See the [crate page](crate).
pub struct WgpuBackend {
    pub(crate) objects: WgpuObjects,
    pub(crate) commands: Commands,
    pub(crate) blits: Blits,
    /// The id of the newest wgpu object.
    pub(crate) last_id: u64,
    pub(crate) presents: u64,
}

impl std::fmt::Debug for WgpuBackend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WgpuBackend").field("device", &self.commands.device).finish_non_exhaustive()
    }
}

impl WgpuBackend {
    /// Creates an empty backend for one `Context3D`.
    ///
    /// # Errors
    /// Returns the errors of [`Backend::execute`].
    pub fn new(device: &WgpuDevice) -> Result<Self, BackendError> {
        let (layout, zeros) = device.checked(|device, _| {
            (constants::layout(device), buffer_of(device, 16, BufferUsages::VERTEX))
        })?;
        let alignment = device.device().limits().min_uniform_buffer_offset_alignment;
        Ok(WgpuBackend {
            objects: WgpuObjects {
                vertex_buffers: SecondaryMap::new(),
                index_buffers: SecondaryMap::new(),
                programs: SecondaryMap::new(),
                textures: Default::default(),
                targets: Default::default(),
                layouts: Layouts { constants: layout.clone(), all: Vec::new() },
                pipelines: Default::default(),
                groups: Default::default(),
                zeros,
                last: Default::default(),
            },
            commands: Commands::new(device.clone(), Constants::new(layout, alignment)),
            blits: Blits::default(),
            last_id: 0,
            presents: 0,
        })
    }

    /// Creates a backend on the device of the host's renderer. `None` stands for a renderer that doesn't use wgpu.
    ///
    /// # Errors
    /// Returns [`BackendError::Driver`] if `host` is `None`, and the errors of [`WgpuBackend::new`].
    pub fn backend_shared(host: Option<WgpuDevice>) -> Result<Self, BackendError> {
        let text =
            "the host's renderer has no device of wgpu; choose a renderer that draws with wgpu";
        Self::new(&host.ok_or_else(|| BackendError::Driver(text.to_owned()))?)
    }

    /// Returns the device, on which more backends can be created.
    pub fn device(&self) -> &WgpuDevice {
        &self.commands.device
    }

    /// Submits all recorded commands. `Present` and reads also submit the commands.
    ///
    /// # Errors
    /// Returns the errors of [`Backend::execute`].
    pub fn flush(&mut self) -> Result<(), BackendError> {
        self.objects.targets.end(&mut self.commands);
        self.commands.submit()
    }

    /// Returns the id for a new wgpu object.
    pub(crate) fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }
}

impl Backend for WgpuBackend {
    fn caps(&self) -> &BackendCaps {
        self.commands.device.caps()
    }

    #[inline]
    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        self.commands.device.alive()?;
        match packet {
            Packet::Draw(draw) => self.objects.draw(&mut self.commands, &draw),
            Packet::Constants { stage, first, values } => {
                self.commands.constants.set(stage, first, &values);
                Ok(())
            }
            packet => self.dispatch(packet),
        }
    }

    fn read_region(
        &mut self,
        surface: ReadSurface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        out.clear();
        self.commands.device.alive()?;
        self.read(surface, region, out)
    }

    fn read_texels(
        &mut self,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        out.clear();
        self.commands.device.alive()?;
        self.texels(texture, side, out)
    }
}

impl FrameSource for WgpuBackend {
    type Exchange = FrameExchange;

    fn presents(&self) -> u64 {
        self.presents
    }

    fn frame(&self) -> Option<PresentedFrame> {
        let back_buffer = self.objects.targets.back_buffer.as_ref()?;
        back_buffer.front()?;
        let (width, height) = back_buffer.size();
        Some(PresentedFrame { presents: self.presents, width, height })
    }

    fn shares_frames(&self) -> bool {
        true
    }

    fn publish_frame(&mut self, exchange: &FrameExchange) -> Result<bool, BackendError> {
        self.commands.device.alive()?;
        let back_buffer = self.objects.targets.back_buffer.as_ref();
        Ok(back_buffer.map_or_else(|| exchange.empty(), |it| it.publish(exchange, self.presents)))
    }
}
