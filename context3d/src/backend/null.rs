//! A backend that draws nothing, and records or counts its packets.

use crate::backend::{Backend, BackendCaps, BackendError, ReadSurface, Region};
use crate::handle::TextureKey;
use crate::packets::{BackBufferDesc, Packet, TexelLayout};

/// Records or counts packets. Tests and benchmarks use this backend, and tools that inspect a capture without a device.
///
/// Surfaces read as transparent black.
#[derive(Debug)]
pub struct NullBackend {
    caps: BackendCaps,
    keep: bool,
    packets: Vec<Packet<'static>>,
    count: u64,
    fail_next: Option<BackendError>,
    back_buffer: BackBufferDesc,
    front: BackBufferDesc,
}

impl Default for NullBackend {
    fn default() -> Self {
        Self::new()
    }
}

impl NullBackend {
    /// Creates a backend that records every packet.
    pub fn new() -> Self {
        NullBackend {
            caps: BackendCaps {
                driver_info: "Null".to_owned(),
                software: false,
                max_texture_size: 16384,
                max_cube_size: 16384,
                max_target_size: 16384,
                max_samples: 16,
                max_samplers: 16,
                max_streams: 16,
                max_instance_step: u32::MAX,
                max_vertex_stride: 256,
                max_color_outputs: 4,
                half_float_targets: true,
                s3tc: true,
                etc2: true,
                wireframe: true,
            },
            keep: true,
            packets: Vec::new(),
            count: 0,
            fail_next: None,
            back_buffer: BackBufferDesc::default(),
            front: BackBufferDesc::default(),
        }
    }

    /// Creates a backend that only counts packets, so that its memory doesn't grow.
    pub fn counting() -> Self {
        NullBackend { keep: false, ..Self::new() }
    }

    /// Replaces the capabilities, to imitate another device.
    #[must_use]
    pub fn with_caps(self, caps: BackendCaps) -> Self {
        NullBackend { caps, ..self }
    }

    /// Returns the recorded packets; empty if the backend only counts.
    pub fn packets(&self) -> &[Packet<'static>] {
        &self.packets
    }

    /// Removes and returns the recorded packets.
    pub fn take_packets(&mut self) -> Vec<Packet<'static>> {
        std::mem::take(&mut self.packets)
    }

    /// Returns the number of packets so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Makes the next packet fail with this error.
    pub fn fail_next(&mut self, error: BackendError) {
        self.fail_next = Some(error);
    }
}

impl Backend for NullBackend {
    fn caps(&self) -> &BackendCaps {
        &self.caps
    }

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        if let Some(error) = self.fail_next.take() {
            return Err(error);
        }
        self.count += 1;
        match &packet {
            Packet::ConfigureBackBuffer(back_buffer) => self.back_buffer = *back_buffer,
            Packet::Present => self.front = self.back_buffer,
            _ => {}
        }
        if self.keep {
            self.packets.push(packet.into_owned());
        }
        Ok(())
    }

    fn read_region(
        &mut self,
        surface: ReadSurface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        out.clear();
        let size = match surface {
            ReadSurface::BackBuffer => self.back_buffer,
            ReadSurface::Front => self.front,
            ReadSurface::Texture { .. } => BackBufferDesc::default(),
        };
        let region = region.within((size.width, size.height));
        out.resize(region.width as usize * region.height as usize * 4, 0);
        Ok((region.width, region.height))
    }

    fn read_texels(
        &mut self,
        _: TextureKey,
        _: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        out.clear();
        Ok(None)
    }
}
