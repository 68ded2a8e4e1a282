//! [`EnhancedBackend`]: a layer that renders at a higher resolution than Flash.

mod options;
mod resize;
mod texture;

use std::borrow::Cow;

use slotmap::{SecondaryMap, SlotMap};

use self::texture::{EnhancedTexture, bit};
use context3d::backend::{
    Backend, BackendError, FrameRead, FrameReadError, FrameSource, PresentedFrame, ReadSurface,
    Region,
};
use context3d::enums::{MipFilter, TextureFilter};
use context3d::keys::TextureKey;
use context3d::packets::{
    BackBufferDesc, Draw, Packet, PassStart, RenderTarget, Scissor, TexelLayout, TextureTarget,
};

pub use options::{Enhancements, VARIABLES};
pub use resize::{ResizeSize, resized};
pub use texture::{FirstUpload, MAX_BYTES, Replacement, TextureSource};

/// A layer that draws on another backend with more pixels, more samples and more anisotropy than the program requests,
/// and with replaced textures. All values that a program can query are unchanged: sizes, limits, memory, errors, and
/// the size of `drawToBitmapData`, which averages the rendered pixels. The layer changes only the drawn pixels.
///
/// # Objects
/// The back buffer and the render textures of the stage's size have [`scale`](field@Enhancements::scale) times the
/// program's width and height. A 2D or rectangle texture has the stage's size if its width and height are those of the
/// back buffer, or the next powers of two, when it first becomes a target. An enlarged texture keeps its size until the
/// program disposes the texture. Render targets that don't have the stage's size, such as shadow maps, keep the
/// requested size. A texture that would exceed the device's limits or the layer's memory ([`MAX_BYTES`]) also keeps the
/// requested size.
///
/// [`ReadSurface::Front`], [`PresentedFrame`]s and shared frames are for the host, and have the larger size: a host
/// shows a frame in a rectangle of [`Context3D::back_buffer_size`](context3d::Context3D::back_buffer_size), or reads
/// the frame at [the program's size](FrameRead::program_size). `drawToBitmapData` and other reads of the program have
/// the program's size.
///
/// # Visible differences
/// A program whose drawing depends on exact pixels may draw differently:
/// - `scale`: `ddx` and `ddy` have a fraction of their values, and wireframe lines are thinner. A texture that is drawn
///   pixel by pixel with linear filtering is as smooth as before, but has finer edges. If the program stores data in a
///   texture of the stage's size, the layer enlarges the data, and reads return averages of texels.
/// - `samples`: edge pixels of textures of the stage's size are averages of samples, even if a draw with one output
///   writes data or depths. Draws with several outputs use the sample count that the program requested.
/// - `anisotropy`: the option changes only the sampling of textures with mip maps and linear filtering.
/// - Replaced textures: a shader that samples mip level n gets level n of the larger replacement image.
///
/// Without options the layer only forwards packets.
#[derive(Debug)]
pub struct EnhancedBackend<B> {
    below: B,
    options: Enhancements,
    source: Option<Box<dyn TextureSource>>,
    /// The keys of all textures in the wrapped backend. A texture with a replacement or a larger copy uses two keys.
    names: SlotMap<TextureKey, ()>,
    textures: SecondaryMap<TextureKey, EnhancedTexture>,
    /// Bytes of the textures that this layer creates in addition to the program's textures.
    bytes: u64,
    /// The program's back buffer, and the scale of the wrapped backend's back buffer.
    back_buffer: (BackBufferDesc, u32),
    pass: LastPass,
    /// The draw that is passed to the wrapped backend.
    draw: Option<Box<Draw>>,
    /// The scale of the frame that the pending read with [`FrameRead::delayed`] copies.
    delayed_factor: u32,
    /// Buffer for the pixels of frame reads. The buffer grows to the size of the largest read.
    pixels: Vec<u8>,
}

/// The last pass, which the next draw may continue.
#[derive(Debug, Default)]
struct LastPass {
    /// The program's target; `None` if the next pass can't continue it.
    target: Option<RenderTarget>,
    /// The render target in the wrapped backend.
    below: RenderTarget,
    /// The scale of the target in the wrapped backend.
    factor: u32,
    /// The target has MSAA samples that the program did not request, which this layer loads and resolves.
    raised: bool,
    /// The MSAA samples contain the texture's content.
    loaded: bool,
}

impl<B: Backend> EnhancedBackend<B> {
    /// Creates a layer over a backend. `source` receives the uploads of textures, and can replace their images.
    pub fn new(
        below: B,
        options: Enhancements,
        source: Option<Box<dyn TextureSource>>,
    ) -> EnhancedBackend<B> {
        EnhancedBackend {
            below,
            options,
            source,
            names: SlotMap::with_key(),
            textures: SecondaryMap::new(),
            bytes: 0,
            back_buffer: (BackBufferDesc::default(), 1),
            pass: LastPass::default(),
            draw: None,
            delayed_factor: 1,
            pixels: Vec::new(),
        }
    }

    /// Returns the wrapped backend.
    pub fn below(&self) -> &B {
        &self.below
    }

    /// Returns the wrapped backend, whose texture keys differ from the keys in the program's packets.
    pub fn below_mut(&mut self) -> &mut B {
        &mut self.below
    }

    fn is_off(&self) -> bool {
        self.options == Enhancements::default() && self.source.is_none()
    }

    /// Returns the scale of a surface: 1 if the larger surface exceeds the device's limits.
    fn fitting(&self, width: u32, height: u32) -> u32 {
        let (caps, scale) = (self.below.caps(), self.options.scale());
        let most = caps.max_target_size.min(caps.max_texture_size);
        if width.max(height).saturating_mul(scale) <= most { scale } else { 1 }
    }

    fn samples(&self, requested: u8) -> u8 {
        requested.max(self.options.samples.min(self.below.caps().max_samples))
    }

    fn configure(&mut self, wanted: BackBufferDesc) -> Result<(), BackendError> {
        self.pass.target.take_if(|target| *target == RenderTarget::BackBuffer);
        self.back_buffer = (BackBufferDesc::default(), 1);
        let BackBufferDesc { width, height, samples, .. } = wanted;
        let factor = self.fitting(width, height);
        let (w, h) = (width.saturating_mul(factor), height.saturating_mul(factor));
        let larger =
            BackBufferDesc { width: w, height: h, samples: self.samples(samples), ..wanted };
        let mut made = self.below.execute(Packet::ConfigureBackBuffer(larger)).map(|()| factor);
        if made == Err(BackendError::OutOfMemory) && larger != wanted {
            log::warn!(
                "a back buffer of {w}×{h} pixels doesn't fit in the device's memory; it keeps {width}×{height}"
            );
            made = self.below.execute(Packet::ConfigureBackBuffer(wanted)).map(|()| 1);
        }
        self.back_buffer = (wanted, made?);
        Ok(())
    }

    fn has_stage_size(&self, target: &TextureTarget) -> bool {
        let stage = self.back_buffer.0;
        let same = |side: u32, of: u32| side == of || side == of.next_power_of_two();
        stage.width > 0 && same(target.width, stage.width) && same(target.height, stage.height)
    }

    fn begin_pass(&mut self, mut pass: PassStart) -> Result<(), BackendError> {
        let target = pass.target;
        let goes_on = self.pass.target == Some(target);
        if !goes_on {
            self.pass = LastPass::default();
            self.pass = self.target(&target)?;
        }
        pass.target = self.pass.below;
        pass.load_samples |= self.pass.raised && !self.pass.loaded && pass.clear.color.is_none();
        self.pass.target = None;
        self.below.execute(Packet::BeginPass(pass))?;
        (self.pass.target, self.pass.loaded) = (Some(target), true);
        Ok(())
    }

    /// Returns the target for the wrapped backend, and enlarges its textures.
    fn target(&mut self, target: &RenderTarget) -> Result<LastPass, BackendError> {
        let RenderTarget::Textures(target) = target else {
            return Ok(LastPass { factor: self.back_buffer.1, ..LastPass::default() });
        };
        let mut below = *target;
        let textures = || target.color.iter().flatten().map(|attachment| attachment.texture);
        let found = || textures().filter_map(|key| self.textures.get(key));
        let flat = found().all(EnhancedTexture::can_grow);
        let large = flat && (found().any(EnhancedTexture::is_large) || self.has_stage_size(target));
        let mut factor = if large { self.fitting(target.width, target.height) } else { 1 };
        if factor > 1 {
            for key in textures() {
                if !self.enlarge(key, factor)? {
                    factor = 1;
                    break;
                }
            }
        }
        for key in textures() {
            self.rendered(key, factor)?;
        }
        for attachment in below.color.iter_mut().flatten() {
            attachment.texture = self.name(attachment.texture);
        }
        if large && textures().count() == 1 {
            below.samples = self.samples(target.samples);
        }
        below.width = target.width.saturating_mul(factor);
        below.height = target.height.saturating_mul(factor);
        let raised = target.samples <= 1 && below.samples > 1;
        Ok(LastPass { below: RenderTarget::Textures(below), factor, raised, ..LastPass::default() })
    }

    /// Records that a texture changed outside of draws: if the layer multisamples this render target, the next pass
    /// reloads its samples.
    fn changed(&mut self, key: TextureKey) {
        self.pass.loaded &= !self.targets(key);
    }

    fn targets(&self, key: TextureKey) -> bool {
        match &self.pass.target {
            Some(RenderTarget::Textures(target)) => {
                target.color.iter().flatten().any(|attachment| attachment.texture == key)
            }
            Some(RenderTarget::BackBuffer) | None => false,
        }
    }

    fn draw(&mut self, draw: &Draw) -> Result<(), BackendError> {
        let changed = match &mut self.draw {
            Some(kept) => {
                **kept = *draw;
                kept
            }
            none => none.insert(Box::new(*draw)),
        };
        for binding in changed.textures.iter_mut().flatten() {
            binding.texture =
                self.textures.get(binding.texture).map(EnhancedTexture::shown).unwrap_or_default();
            let (sampler, finest) = (&mut binding.sampler, self.options.filter());
            let filters =
                sampler.mip != MipFilter::None && sampler.filter != TextureFilter::Nearest;
            // The numeric codes of AGAL's filters increase with anisotropy.
            if filters && finest.code() > sampler.filter.code() {
                sampler.filter = finest;
            }
        }
        if let Some(Scissor { x, y, width, height }) = &mut changed.scissor {
            for side in [x, y, width, height] {
                *side = side.saturating_mul(self.pass.factor);
            }
        }
        self.below.execute(Packet::Draw(Cow::Borrowed(changed)))
    }

    /// Reads a region of an enlarged surface and averages its pixels to the program's size.
    fn read_reduced(
        &mut self,
        surface: ReadSurface,
        region: Region,
        (across, down): (u32, u32),
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        let read = self.below.read_region(surface, larger(region, (across, down)), out)?;
        let size = (read.0 / across.max(1), read.1 / down.max(1));
        if size != read {
            *out = resize::mean(out, read, size);
        }
        Ok(size)
    }
}

/// Scales a region of the program's surface to the enlarged surface.
fn larger(region: Region, (across, down): (u32, u32)) -> Region {
    Region {
        x: region.x.saturating_mul(across),
        y: region.y.saturating_mul(down),
        width: region.width.saturating_mul(across),
        height: region.height.saturating_mul(down),
    }
}

impl<B: Backend> Backend for EnhancedBackend<B> {
    context3d::forward_backend!(self => self.below; caps);

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        if self.is_off() {
            return self.below.execute(packet);
        }
        match packet {
            Packet::Draw(draw) => self.draw(&draw),
            Packet::BeginPass(pass) => self.begin_pass(pass),
            Packet::EndPass { resolve } => {
                let resolve = resolve || self.pass.raised;
                self.below.execute(Packet::EndPass { resolve })
            }
            Packet::ConfigureBackBuffer(back_buffer) => self.configure(back_buffer),
            Packet::CreateTexture { key, desc } => self.create(key, desc),
            Packet::UploadTexture { key, side, level, layout, data } => {
                self.changed(key);
                self.upload(key, (side, level), layout, &data)
            }
            Packet::ZeroLevel { key, side, level } => {
                self.changed(key);
                self.fill(key, bit(level), |key| Packet::ZeroLevel { key, side, level })
            }
            Packet::GenerateMips { key, side, levels } => {
                self.changed(key);
                self.fill(key, levels, |key| Packet::GenerateMips { key, side, levels })
            }
            Packet::DisposeTexture(key) => {
                if self.targets(key) {
                    self.pass = LastPass::default();
                }
                self.dispose(key)
            }
            Packet::Present => {
                self.pass = LastPass::default();
                self.below.execute(Packet::Present)
            }
            packet @ (Packet::CreateVertexBuffer { .. }
            | Packet::UploadVertexBuffer { .. }
            | Packet::PadVertexBuffer { .. }
            | Packet::DisposeVertexBuffer(_)
            | Packet::CreateIndexBuffer { .. }
            | Packet::UploadIndexBuffer { .. }
            | Packet::DisposeIndexBuffer(_)
            | Packet::UploadProgram { .. }
            | Packet::DisposeProgram(_)
            | Packet::Constants { .. }) => self.below.execute(packet),
        }
    }

    fn read_region(
        &mut self,
        surface: ReadSurface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        match surface {
            _ if self.is_off() => self.below.read_region(surface, region, out),
            ReadSurface::Front => self.below.read_region(surface, region, out),
            ReadSurface::BackBuffer => {
                let (BackBufferDesc { width, height, .. }, factor) = self.back_buffer;
                self.read_reduced(surface, region.within((width, height)), (factor, factor), out)
            }
            ReadSurface::Texture { texture, side, level } => {
                let found = self.textures.get_mut(texture);
                let (texture, size, times) = found.map(|it| it.level(level)).unwrap_or_default();
                let surface = ReadSurface::Texture { texture, side, level };
                self.read_reduced(surface, region.within(size), times, out)
            }
        }
    }

    fn read_texels(
        &mut self,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        if self.is_off() {
            return self.below.read_texels(texture, side, out);
        }
        self.texels(texture, side, out)
    }
}

impl<B: FrameSource> FrameSource for EnhancedBackend<B> {
    type Exchange = B::Exchange;

    fn presents(&self) -> u64 {
        self.below.presents()
    }

    fn frame(&self) -> Option<PresentedFrame> {
        self.below.frame()
    }

    fn read_frame(
        &mut self,
        read: &FrameRead,
        out: &mut [u8],
    ) -> Result<Option<PresentedFrame>, FrameReadError> {
        if self.options.scale() == 1 {
            return self.below.read_frame(read, out);
        }
        let (current, factor) = (self.frame(), self.back_buffer.1);
        let times = if read.program_size { factor } else { 1 };
        let region = larger(read.region, (times, times));
        let part = region.within(current.map_or((0, 0), |frame| (frame.width, frame.height)));
        let bytes = TexelLayout::Bgra8.bytes(part.width, part.height);
        self.pixels.resize(self.pixels.len().max(bytes), 0);
        let mut earlier = factor;
        if read.delayed {
            std::mem::swap(&mut earlier, &mut self.delayed_factor);
        }
        if !read.program_size {
            return self.below.read_frame(read, out);
        }
        let below = FrameRead { region, delayed: read.delayed, ..FrameRead::ALL };
        let Some(frame) = self.below.read_frame(&below, &mut self.pixels)? else {
            return Ok(None);
        };
        let is_current = current.is_some_and(|current| current.presents == frame.presents);
        let factor = if is_current { factor } else { earlier };
        let (width, height) = (frame.width / factor, frame.height / factor);
        let means = resize::mean(&self.pixels, (frame.width, frame.height), (width, height));
        read.arrange(&means, (width, height), out)?;
        Ok(Some(PresentedFrame { width, height, ..frame }))
    }

    fn shares_frames(&self) -> bool {
        self.below.shares_frames()
    }

    fn publish_frame(&mut self, exchange: &B::Exchange) -> Result<bool, BackendError> {
        self.below.publish_frame(exchange)
    }
}
