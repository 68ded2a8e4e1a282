//! A backend that validates every packet against the documentation of packets, and fails on request.
#![expect(
    clippy::expect_used,
    reason = "a broken promise has to stop the test or the fuzzer with what is known of it"
)]

mod draw;

use std::collections::{BTreeSet, HashMap};

use context3d::backend::{Backend, BackendCaps, BackendError, NullBackend, ReadSurface, Region};
use context3d::enums::{ProgramType, VertexFormat};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::packets::{
    BackBufferDesc, Clear, ColorAttachment, MAX_STREAMS, Packet, PassStart, PipelineId,
    PipelineState, RenderTarget, TexelLayout, TextureDesc, TextureKind,
};

const MAX_TARGET: u32 = 256;

/// A stream's format, stride and divisor.
type StreamLayout = (VertexFormat, u32, u32);

struct ContractTexture {
    desc: TextureDesc,
    /// The levels with content by face; bit n is level n.
    levels: Vec<u16>,
    /// The texel layout of the first upload.
    layout: Option<TexelLayout>,
}

impl ContractTexture {
    fn faces(&self) -> u8 {
        self.desc.kind.faces()
    }
}

/// A backend that panics at a packet that breaks the guarantees of [`Packet`], and fails on request. A failed packet is
/// not applied, except for the documented effects of failure.
pub struct ValidatingBackend {
    /// The backend's capabilities: all features, with render targets small enough for quick reads.
    pub caps: BackendCaps,
    /// The number of smallest mip levels that a texture may lack.
    pub short: u8,
    /// The size and the readable bytes of each buffer.
    vertex_buffers: HashMap<VertexBufferKey, [u32; 2]>,
    index_buffers: HashMap<IndexBufferKey, Vec<u16>>,
    programs: HashMap<ProgramKey, agal::Interface>,
    textures: HashMap<TextureKey, ContractTexture>,
    /// Programs that were uploaded, compiled or not.
    known_programs: BTreeSet<ProgramKey>,
    back_buffer: BackBufferDesc,
    /// The target of the last pass; `None` if no pass can continue.
    target: Option<RenderTarget>,
    /// True while a pass is open.
    open: bool,
    /// The states of earlier draws, by their ids.
    states: HashMap<PipelineId, (PipelineState, [Option<StreamLayout>; MAX_STREAMS])>,
    /// True if the target's samples were loaded from its textures.
    loaded: bool,
    /// True if the target's samples were drawn to but not resolved.
    drawn: bool,
    pub log: Vec<Packet<'static>>,
    /// The error to return after this number of packets; `None` never fails.
    pub failure: Option<(u32, BackendError)>,
    lost: bool,
}

impl Default for ValidatingBackend {
    fn default() -> Self {
        Self::new()
    }
}

impl ValidatingBackend {
    pub fn new() -> Self {
        // Targets are limited to a size that is read back quickly.
        let mut caps = NullBackend::new().caps().clone();
        caps.max_target_size = MAX_TARGET;
        ValidatingBackend {
            caps,
            short: 0,
            vertex_buffers: HashMap::new(),
            index_buffers: HashMap::new(),
            programs: HashMap::new(),
            textures: HashMap::new(),
            known_programs: BTreeSet::new(),
            back_buffer: BackBufferDesc::default(),
            target: None,
            open: false,
            states: HashMap::new(),
            loaded: false,
            drawn: false,
            log: Vec::new(),
            failure: None,
            lost: false,
        }
    }

    /// Checks that the other backend has equal objects and contents.
    pub fn holds_the_same(&self, other: &Self) {
        assert_eq!(self.vertex_buffers, other.vertex_buffers);
        assert_eq!(self.index_buffers, other.index_buffers);
        assert_eq!(self.programs, other.programs);
        assert_eq!(self.back_buffer, other.back_buffer);
        if let Some(target) = other.usable_target() {
            assert_eq!((self.target.as_ref(), self.open), (Some(target), other.open));
        }
        let keys = |device: &Self| {
            let mut keys: Vec<_> = device.textures.keys().copied().collect();
            keys.sort();
            keys
        };
        assert_eq!(keys(self), keys(other));
        for (key, texture) in &self.textures {
            let other = &other.textures[key];
            assert_eq!((texture.desc, &texture.levels), (other.desc, &other.levels));
        }
    }

    /// Returns the render target if it can be drawn to. A target with a disposed texture is never used again, so that a
    /// new device doesn't need it.
    fn usable_target(&self) -> Option<&RenderTarget> {
        let alive = |attachment: &ColorAttachment| self.textures.contains_key(&attachment.texture);
        let target = self.target.as_ref()?;
        match target {
            RenderTarget::Textures(textures) if !textures.color.iter().flatten().all(alive) => None,
            _ => Some(target),
        }
    }

    fn fails(&mut self) -> Option<BackendError> {
        if self.lost {
            return Some(BackendError::Lost);
        }
        let (left, error) = self.failure.take()?;
        if left > 0 {
            self.failure = Some((left - 1, error));
            return None;
        }
        self.lost = error == BackendError::Lost;
        Some(error)
    }

    fn create(&mut self, packet: &Packet<'_>, fails: bool) {
        match packet {
            Packet::CreateVertexBuffer { key, bytes, .. } => {
                assert!(*bytes > 0 && bytes.is_multiple_of(4));
                assert!(!self.vertex_buffers.contains_key(key), "the key exists already");
                if !fails {
                    self.vertex_buffers.insert(*key, [*bytes; 2]);
                }
            }
            Packet::CreateIndexBuffer { key, bytes, .. } => {
                assert!(*bytes > 0 && bytes.is_multiple_of(4));
                assert!(!self.index_buffers.contains_key(key), "the key exists already");
                if !fails {
                    let indices = vec![0; *bytes as usize / 2];
                    self.index_buffers.insert(*key, indices);
                }
            }
            Packet::CreateTexture { key, desc } => {
                assert!(!self.textures.contains_key(key), "the key exists already");
                assert!(desc.width > 0 && desc.height > 0);
                let levels = match desc.kind {
                    TextureKind::Rectangle => 1,
                    _ => desc.width.max(desc.height).ilog2() + 1,
                };
                assert!(
                    (levels.saturating_sub(self.short.into())..=levels)
                        .contains(&desc.levels.into())
                );
                if !fails {
                    let levels = vec![0; 6];
                    let desc = *desc;
                    let layout = None;
                    self.textures.insert(*key, ContractTexture { desc, levels, layout });
                }
            }
            Packet::UploadProgram { key, pair } => {
                self.known_programs.insert(*key);
                self.programs.remove(key);
                if !fails {
                    self.programs.insert(*key, pair.interface().clone());
                }
            }
            _ => {}
        }
    }

    fn upload(&mut self, packet: &Packet<'_>, fails: bool) {
        match packet {
            Packet::UploadVertexBuffer { key, offset, data } => {
                let [bytes, _] = self.vertex_buffers[key];
                assert!(!data.is_empty() && *offset as usize + data.len() <= bytes as usize);
                assert!(offset.is_multiple_of(4) && data.len().is_multiple_of(4));
            }
            Packet::PadVertexBuffer { key, bytes } => {
                let [size, readable] = self.vertex_buffers.get_mut(key).expect("alive");
                assert!(*bytes >= *size);
                if !fails {
                    *readable = *bytes;
                }
            }
            Packet::UploadIndexBuffer { key, offset, data } => {
                let indices = self.index_buffers.get_mut(key).expect("alive");
                assert!(!data.is_empty());
                assert!(offset.is_multiple_of(4) && data.len().is_multiple_of(4));
                let (data, _) = data.as_chunks::<2>();
                let first = *offset as usize / 2;
                let place = &mut indices[first..first + data.len()];
                if !fails {
                    let values = data.iter().map(|bytes| u16::from_le_bytes(*bytes));
                    place.iter_mut().zip(values).for_each(|(to, from)| *to = from);
                }
            }
            Packet::UploadTexture { key, side, level, layout, data } => {
                self.left(*key);
                let texture = self.textures.get_mut(key).expect("alive");
                assert!(*side < texture.faces() && *level < texture.desc.levels);
                assert!(texture.desc.format.supports(*layout) && self.caps.supports(*layout));
                let length = |side: u32| (side >> level).max(1);
                let (width, height) = (length(texture.desc.width), length(texture.desc.height));
                assert_eq!(data.len(), layout.bytes(width, height));
                if !fails {
                    assert_eq!(
                        *texture.layout.get_or_insert(*layout),
                        *layout,
                        "the upload has another layout than earlier uploads"
                    );
                    texture.levels[usize::from(*side)] |= 1 << level;
                }
            }
            Packet::ZeroLevel { key, side, level } => {
                assert!(
                    !(self.open && self.targets(*key)),
                    "a texture of the target changes inside a pass"
                );
                let texture = self.textures.get_mut(key).expect("alive");
                assert!(*side < texture.faces() && *level < texture.desc.levels);
                assert!(!texture.layout.is_some_and(TexelLayout::is_blocks));
                let levels = &mut texture.levels[usize::from(*side)];
                assert!(*levels >> level & 1 == 0, "the level has content already");
                if !fails {
                    *levels |= 1 << level;
                }
            }
            Packet::GenerateMips { key, side, levels } => {
                self.left(*key);
                let texture = self.textures.get_mut(key).expect("alive");
                let all = (1u16 << (levels.ilog2() + 1)) - 1;
                let faces = &texture.levels[..usize::from(texture.faces())];
                assert!(
                    faces.iter().all(|stored| stored & all == all),
                    "larger levels lack content"
                );
                assert!(*side < texture.faces() && *levels > 1 && levels & 1 == 0);
                assert!(*levels < 1 << texture.desc.levels);
                assert!(!texture.layout.is_some_and(TexelLayout::is_blocks));
                let content = &mut texture.levels[usize::from(*side)];
                // Each generated level needs a larger level that has content or is generated by this packet.
                assert!(
                    levels >> 1 & !(*content | levels) == 0,
                    "a generated level has no larger level"
                );
                if !fails {
                    *content |= levels;
                }
            }
            _ => {}
        }
    }

    fn dispose(&mut self, packet: &Packet<'_>) {
        let known = match packet {
            Packet::DisposeVertexBuffer(key) => self.vertex_buffers.remove(key).is_some(),
            Packet::DisposeIndexBuffer(key) => self.index_buffers.remove(key).is_some(),
            Packet::DisposeProgram(key) => {
                self.programs.remove(key);
                self.known_programs.remove(key)
            }
            Packet::DisposeTexture(key) => self.textures.remove(key).is_some(),
            _ => true,
        };
        assert!(known, "{packet:?} refers to an object that doesn't exist");
    }

    fn targets(&self, key: TextureKey) -> bool {
        match &self.target {
            Some(RenderTarget::Textures(target)) => {
                let mut attachments = target.color.iter().flatten();
                attachments.any(|attachment| attachment.texture == key)
            }
            Some(RenderTarget::BackBuffer) | None => false,
        }
    }

    /// Checks that the texture has no unresolved samples, before it is read or changed by anything but a draw.
    fn left(&mut self, key: TextureKey) {
        if self.targets(key) {
            assert!(!self.open && !self.drawn, "the samples are not resolved");
            self.loaded = false;
        }
    }

    fn multisampled(&self) -> bool {
        matches!(&self.target, Some(RenderTarget::Textures(target)) if target.samples > 1)
    }

    fn target(&mut self, target: &RenderTarget) {
        let RenderTarget::Textures(textures) = target else {
            return;
        };
        assert!(textures.color[0].is_some());
        let mut bits = Vec::new();
        for attachment in textures.color.iter().flatten() {
            let texture = &self.textures[&attachment.texture];
            assert!(attachment.side < texture.faces());
            assert!(!texture.desc.format.is_compressed());
            let faces = &texture.levels[..usize::from(texture.faces())];
            assert!(
                faces.iter().all(|levels| levels & 1 == 1),
                "a face of the target has no content"
            );
            let size = (texture.desc.width, texture.desc.height);
            assert_eq!(size, (textures.width, textures.height));
            bits.push(texture.desc.format.bits_per_texel());
        }
        bits.dedup();
        assert_eq!(bits.len(), 1);
    }

    fn begin_pass(&mut self, pass: &PassStart, fails: bool) {
        assert!(!self.open, "a pass begins inside a pass");
        self.target(&pass.target);
        let same = self.target == Some(pass.target);
        assert!(same || !self.drawn, "the samples are not resolved");
        self.loaded &= same;
        self.target = Some(pass.target);
        let (_, _, depth_stencil) = self.target_size();
        let Clear { color, depth, stencil } = pass.clear;
        assert!(depth_stencil || (depth.is_none() && stencil.is_none()));
        let keeps_depth = depth_stencil && (depth.is_none() || stencil.is_none());
        assert!(
            same || pass.target == RenderTarget::BackBuffer || !keeps_depth,
            "the pass loads undefined depth or stencil"
        );
        let unit = 0.0..=1.0;
        assert!(color.into_iter().flatten().chain(depth).all(|value| unit.contains(&value)));
        if pass.load_samples {
            assert!(self.multisampled() && color.is_none());
            self.loaded = true;
        }
        self.written(color.is_some());
        self.open = !fails;
        if fails {
            (self.target, self.drawn) = (None, false);
        }
    }

    /// Updates the state after a draw or clear; `replaced` is true if all colour was replaced.
    fn written(&mut self, replaced: bool) {
        if self.multisampled() {
            self.loaded |= replaced;
            assert!(self.loaded, "the draw blends with undefined samples");
            self.drawn = true;
        }
    }

    /// Returns the set of the target's colour outputs.
    fn outputs(&self) -> u8 {
        match self.target.as_ref().expect("a target is set") {
            RenderTarget::BackBuffer => 1,
            RenderTarget::Textures(target) => {
                let outputs = target.color.iter().enumerate();
                outputs.map(|(output, slot)| u8::from(slot.is_some()) << output).sum()
            }
        }
    }

    fn target_size(&self) -> (u32, u32, bool) {
        match self.target.as_ref().expect("a target is set") {
            RenderTarget::BackBuffer => {
                let buffer = &self.back_buffer;
                assert!(buffer.width > 0, "the back buffer is not configured");
                (buffer.width, buffer.height, buffer.depth_stencil)
            }
            RenderTarget::Textures(target) => {
                let attachments = target.color.iter().flatten();
                let mut keys = attachments.map(|attachment| attachment.texture);
                assert!(keys.all(|key| self.textures.contains_key(&key)));
                (target.width, target.height, target.depth_stencil)
            }
        }
    }
}

impl Backend for ValidatingBackend {
    fn caps(&self) -> &BackendCaps {
        &self.caps
    }

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        let failure = self.fails();
        if self.lost {
            return Err(BackendError::Lost);
        }
        let fails = failure.is_some();
        self.create(&packet, fails);
        self.upload(&packet, fails);
        self.dispose(&packet);
        match &packet {
            Packet::ConfigureBackBuffer(buffer) => {
                // A size of 0×0 removes the back buffer.
                assert!(!self.open && !self.drawn, "the samples are not resolved");
                self.target.take_if(|target| *target == RenderTarget::BackBuffer);
                self.back_buffer =
                    if fails || buffer.width == 0 { BackBufferDesc::default() } else { *buffer };
            }
            Packet::BeginPass(pass) => self.begin_pass(pass, fails),
            Packet::EndPass { resolve } => {
                assert!(std::mem::take(&mut self.open), "no pass has begun");
                assert!(!resolve || self.multisampled() && self.loaded);
                // A failed packet loses the pass's rendering.
                self.drawn &= !(*resolve || fails);
            }
            Packet::DisposeTexture(key) if self.targets(*key) => {
                assert!(!self.open && !self.drawn, "the samples are not resolved");
                self.target = None;
            }
            Packet::Constants { stage, first, values } => {
                let registers = match stage {
                    ProgramType::Vertex => 250,
                    ProgramType::Fragment => 200,
                };
                assert!(!values.is_empty() && usize::from(*first) + values.len() <= registers);
            }
            Packet::Draw(draw) => {
                assert!(self.open, "a draw is outside of a pass");
                self.draw(draw);
                self.written(false);
            }
            Packet::Present => {
                assert!(self.back_buffer.width > 0, "the back buffer is not configured");
                assert!(!self.open && !self.drawn, "the samples are not resolved");
                if !fails {
                    self.target = None;
                }
            }
            _ => {}
        }
        self.log.push(packet.into_owned());
        failure.map_or(Ok(()), Err)
    }

    fn read_region(
        &mut self,
        surface: ReadSurface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        assert_eq!(surface, ReadSurface::BackBuffer);
        let size = (self.back_buffer.width, self.back_buffer.height);
        assert_eq!(region, region.within(size));
        out.clear();
        out.resize(region.width as usize * region.height as usize * 4, 0);
        Ok((region.width, region.height))
    }

    fn read_texels(
        &mut self,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        out.clear();
        if self.lost {
            return Err(BackendError::Lost);
        }
        let texture = self.textures.get(&texture);
        let texture = texture.filter(|it| it.levels[usize::from(side)] & 1 == 1);
        let Some(texture) = texture else { return Ok(None) };
        let layout = texture.desc.format.layout();
        out.resize(layout.bytes(texture.desc.width, texture.desc.height), 0);
        Ok(Some(layout))
    }
}
