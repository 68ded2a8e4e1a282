#![doc = include_str!("../README.md")]
//!
//! # The rules
//!
//! [`agal::interp`](context3d::agal::interp) runs the programs; everything else follows Direct3D's rules, which are
//! Flash's [context3d.clip.volume] [context3d.raster.top_left]. This renderer is the oracle for OpenGL drivers, and the
//! renderer for machines without OpenGL.
//!
//! * **Rasterization.** Vertices are snapped to 1/256 pixel (to the nearest). A triangle covers the samples inside it
//!   and those on its top and left edges (the top-left rule), so each sample of a mesh is drawn once. The viewport is
//!   the whole target. Triangles are clipped at the near and far planes; the rasterizer clips at the target's edges.
//! * **Varyings** are interpolated with perspective correction, in double precision, from the exact (not snapped)
//!   vertex positions, at the pixel's centre even if it is not covered (no centroid sampling), and for all four pixels
//!   of a quad.
//! * **Depth** has 24 bits and is linear in screen space; the stencil test comes first.
//! * **Textures** are filtered with exact weights. Each pixel's level of detail comes from its two neighbours in the
//!   quad. Anisotropic filters read at most as many times as their degree, along the longer axis of the pixel's
//!   footprint; for cubes they are linear. Cubes are filtered across their edges (seamless).
//! * **Blending** uses single precision and rounds once to the target's format.
//! * **Multisampling** uses Direct3D's standard patterns of 2, 4, 8 or 16 samples. The fragment program runs once per
//!   pixel. The option [`RasterOptions::samples`] overrides the number of samples.
//! * **Wireframes** are lines one pixel wide, without multisampling, along the triangle's own edges. Varyings and depth
//!   are interpolated along the line; culling uses the triangle's face.
//!
//! Threads draw separate bands of rows, so the image is identical for any number of threads. All buffers together
//! stay below [`RasterOptions::memory`].

mod back_buffer;
mod batch;
mod blocks;
mod budget;
mod clip;
mod draw;
mod execute;
mod fragment;
mod number;
mod output;
mod parallel;
mod raster;
mod readback;
mod sampler;
pub mod skip;
mod store;
mod surface;
mod target;
#[cfg(test)]
#[path = "../tests/unit/triangles.rs"]
mod tests;
mod texel;
mod triangle;
mod vertex;
pub mod watch;
mod watched;

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use context3d::agal::float::FloatRules;
use context3d::backend::{
    Backend, BackendCaps, BackendError, BackendFactory, FrameSource, PresentedFrame, ReadSurface,
    Region,
};
use context3d::keys::TextureKey;
use context3d::packets::{MAX_COLOR_OUTPUTS, MAX_SAMPLERS, MAX_STREAMS, Packet, TexelLayout};

use back_buffer::RasterBackBuffer;
use batch::BatchScratch;
use budget::Budget;
use store::RasterStore;
use target::RasterTarget;

use watch::{Watch, WatchRecord};

const MAX_SIZE: u32 = 16384;

/// The options of a renderer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RasterOptions {
    /// Largest number of threads; `None` for the number of cores.
    pub threads: Option<NonZeroUsize>,
    /// Memory limit of all buffers in total, in bytes; above it, packets fail with [`BackendError::OutOfMemory`].
    pub memory: usize,
    /// Maximum number of samples per pixel, 1 to 16. For comparisons with a device, use the maximum number of samples
    /// that the device supports.
    pub max_samples: u8,
    /// Samples per pixel for any requested number above 1, up to `max_samples`; `None` for the requested number. For
    /// comparisons with a device, use the sample count that the device used.
    pub samples: Option<u8>,
    /// True to support block-compressed formats; if false, `context3d` decodes them.
    pub blocks: bool,
    /// The results of operations on zero, infinity and NaN.
    pub float_rules: FloatRules,
}

impl Default for RasterOptions {
    /// Returns options with all cores, 4 GiB (2 GiB on 32-bit systems), and the requested number of samples.
    fn default() -> Self {
        RasterOptions {
            threads: None,
            memory: usize::try_from(4u64 << 30).unwrap_or(2 << 30),
            max_samples: surface::MAX_SAMPLES,
            samples: None,
            blocks: true,
            float_rules: FloatRules::default(),
        }
    }
}

/// Executes packets on the CPU. Clones share each buffer until either renderer writes to it.
#[derive(Clone)]
pub struct ReferenceBackend {
    caps: BackendCaps,
    threads: usize,
    max_samples: u8,
    samples: Option<u8>,
    float_rules: FloatRules,
    store: RasterStore,
    scratch: BatchScratch,
    back_buffer: Option<RasterBackBuffer>,
    presents: u64,
    /// The current target; `None` for the back buffer.
    target: Option<RasterTarget>,
    watch: Option<Watch>,
    watched: Option<WatchRecord>,
    skip: skip::Skip,
}

impl std::fmt::Debug for ReferenceBackend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReferenceBackend").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl ReferenceBackend {
    /// Creates a renderer without objects.
    pub fn new(options: RasterOptions) -> Self {
        let threads = options.threads.or_else(|| available_parallelism().ok());
        let max_samples = options.max_samples.clamp(1, surface::MAX_SAMPLES);
        let at_most = |limit: usize| u8::try_from(limit).unwrap_or(u8::MAX);
        ReferenceBackend {
            caps: BackendCaps {
                driver_info: "Software Renderer=Molehill reference".to_owned(),
                software: true,
                max_texture_size: MAX_SIZE,
                max_cube_size: MAX_SIZE,
                max_target_size: MAX_SIZE,
                max_samples,
                max_samplers: at_most(MAX_SAMPLERS),
                max_streams: at_most(MAX_STREAMS),
                max_instance_step: u32::MAX,
                max_vertex_stride: u32::MAX,
                max_color_outputs: at_most(MAX_COLOR_OUTPUTS),
                half_float_targets: true,
                s3tc: options.blocks,
                etc2: options.blocks,
                wireframe: true,
            },
            threads: threads.map_or(1, NonZeroUsize::get),
            max_samples,
            samples: options.samples,
            float_rules: options.float_rules,
            store: RasterStore::new(Budget::new(options.memory)),
            scratch: BatchScratch::new(),
            back_buffer: None,
            presents: 0,
            target: None,
            watch: None,
            watched: None,
            skip: skip::Skip::default(),
        }
    }

    /// Returns an id that only clones of this renderer share, and the total bytes of their buffers. Shared buffers
    /// count once.
    pub fn held_bytes(&self) -> (usize, usize) {
        self.store.budget.held()
    }
}

impl Backend for ReferenceBackend {
    fn caps(&self) -> &BackendCaps {
        &self.caps
    }

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        self.dispatch(packet)
    }

    fn read_region(
        &mut self,
        surface: ReadSurface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        out.clear();
        self.read(surface, region, out)
    }

    fn read_texels(
        &mut self,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        out.clear();
        self.texels(texture, side, out)
    }
}

impl FrameSource for ReferenceBackend {
    type Exchange = ();

    fn presents(&self) -> u64 {
        self.presents
    }

    fn frame(&self) -> Option<PresentedFrame> {
        let back_buffer = self.back_buffer.as_ref().filter(|it| it.front().is_some())?;
        let (width, height) = back_buffer.size();
        Some(PresentedFrame { presents: self.presents, width, height })
    }
}

/// The factory of reference renderers.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReferenceFactory(pub RasterOptions);

impl BackendFactory for ReferenceFactory {
    type Backend = ReferenceBackend;

    fn create(&mut self) -> Result<ReferenceBackend, BackendError> {
        Ok(ReferenceBackend::new(self.0))
    }
}
