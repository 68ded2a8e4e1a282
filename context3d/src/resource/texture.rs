//! Textures.

use crate::backend::BackendCaps;
use crate::enums::TextureFormat;
use crate::error::FlashError;
use crate::handle::{Handle, TextureKey};
use crate::packets::{TexelLayout, TextureDesc, TextureKind};

/// Whether the limits on memory count textures as `totalGPUMemory` does; otherwise they count the bytes of all levels,
/// after [context3d.limit.texture_bytes]. Open [context3d.property.memory_limit].
const LIMITS_COUNT_REPORTED_BYTES: bool = false;

/// State of an asynchronous upload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Upload {
    /// No upload.
    #[default]
    None,
    /// The program can't use the texture yet.
    Running,
    /// The texture is usable, and the event is pending.
    Announced,
}

/// An event of a texture.
///
/// The program sees its upload running, as in Flash, also if it was carried out in its call ([`Executor`](crate::Executor)).
/// A draw treats the texture as incomplete (3700) until the host takes the event, or until the first `present` that finds
/// the texels decoded. Another asynchronous upload into the texture is an error until the host takes the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureEvent {
    /// The texture that dispatches it.
    pub texture: Handle<TextureKey>,
    /// The host's user data of the texture ([`Context3D::set_user_data`](crate::Context3D::set_user_data)).
    pub user_data: u64,
    /// The event: `textureReady` for `None`, else `error` with this number (3790).
    pub error: Option<FlashError>,
}

/// A `Texture`, `CubeTexture`, `RectangleTexture` or `VideoTexture`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Texture {
    /// A video texture without a frame is 0×0 and does not exist on the backend.
    pub(crate) desc: TextureDesc,
    /// A `VideoTexture`; the backend has a rectangle texture of its last frame's size.
    pub(crate) video: bool,
    pub(crate) upload: Upload,
    /// `streamingLevels` of its creation; 0: no streaming.
    pub(crate) streaming: u8,
    /// Bytes that count for the memory limit.
    pub(crate) counted: u64,
    /// Bytes that count for `totalGPUMemory`.
    pub(crate) reported: u64,
    /// The layout of the first upload and all later ones.
    layout: Option<TexelLayout>,
    /// For each face, bit n: level n has content.
    levels: [u16; 6],
    /// For each face, bit n: level n has content on the backend, zeros if the program gave it none.
    stored: [u16; 6],
    /// For each face, bit n: level n must be generated from the level above it, because level 0 was rendered to.
    due: [u16; 6],
    /// For each face, bit n: level n was uploaded since the face last became a render target, and is not generated.
    kept: [u16; 6],
}

impl Texture {
    pub(crate) fn new(desc: TextureDesc, streaming: u8) -> Self {
        Texture {
            desc,
            video: false,
            upload: Upload::None,
            streaming,
            counted: if LIMITS_COUNT_REPORTED_BYTES {
                Texture::reported(&desc)
            } else {
                Texture::bytes(&desc)
            },
            reported: Texture::reported(&desc),
            layout: None,
            levels: [0; 6],
            stored: [0; 6],
            due: [0; 6],
            kept: [0; 6],
        }
    }

    /// A `VideoTexture` before its first frame.
    pub(crate) fn video() -> Self {
        let nothing = TextureDesc {
            kind: TextureKind::Rectangle,
            format: TextureFormat::Bgra,
            width: 0,
            height: 0,
            levels: 1,
            render_target: false,
        };
        Texture { video: true, ..Texture::new(nothing, 0) }
    }

    /// Whether the backend has this object.
    pub(crate) fn on_device(&self) -> bool {
        self.desc.width > 0
    }

    /// The format in the AGAL sampler that can read it (error 3763).
    pub(crate) fn read_mode(&self) -> agal::sampler::SamplerFormat {
        if self.video { agal::sampler::SamplerFormat::Video } else { self.desc.format.read_mode() }
    }

    pub(crate) fn faces(&self) -> u8 {
        self.desc.kind.faces()
    }

    pub(crate) fn level_size(&self, level: u8) -> (u32, u32) {
        let side = |side: u32| side.checked_shr(u32::from(level)).unwrap_or(0).max(1);
        (side(self.desc.width), side(self.desc.height))
    }

    /// Bytes of the first levels of all faces.
    fn bytes_of(desc: &TextureDesc, levels: u8) -> u64 {
        let side = |side: u32, level: u8| u64::from((side >> level.min(31)).max(1));
        let texels: u64 =
            (0..levels).map(|level| side(desc.width, level) * side(desc.height, level)).sum();
        (texels * u64::from(desc.kind.faces()) * desc.format.bits_per_texel()).div_ceil(8)
    }

    /// Bytes of all levels of all faces.
    fn bytes(desc: &TextureDesc) -> u64 {
        Texture::bytes_of(desc, desc.levels)
    }

    /// Bytes for `totalGPUMemory`: one and a half times those of the first level if there are others. AIR 33.1 reports
    /// 100,663,296 for 4096×4096 BGRA [context3d.property.memory_mips].
    fn reported(desc: &TextureDesc) -> u64 {
        let first = Texture::bytes_of(desc, 1);
        match desc.levels {
            0 | 1 => first,
            _ => first + first / 2,
        }
    }

    /// Bytes that count from a level's upload on: those beyond what Flash counts for it, because the device lacks the
    /// blocks. They keep a program within its memory limits [context3d.limit.uncompressed].
    pub(crate) fn uncounted(&self, side: u8, level: u8, layout: TexelLayout) -> u64 {
        let levels = self.levels.get(usize::from(side)).copied().unwrap_or(0);
        if !self.desc.format.is_compressed() || layout.is_blocks() || levels & bit(level) != 0 {
            return 0;
        }
        let (width, height) = self.level_size(level);
        let taken = u64::try_from(layout.bytes(width, height)).unwrap_or(u64::MAX);
        let texels = u64::from(width) * u64::from(height);
        taken.saturating_sub((texels * self.desc.format.bits_per_texel()).div_ceil(8))
    }

    /// The layout of its uploads, if there was one.
    pub(crate) fn stored_layout(&self) -> Option<TexelLayout> {
        self.layout
    }

    /// The layout for texels from bitmaps and byte arrays on a device.
    pub(crate) fn upload_layout(&self, caps: &BackendCaps) -> TexelLayout {
        self.layout.unwrap_or(self.desc.format.kept(caps))
    }

    pub(crate) fn set_uploaded(&mut self, side: u8, level: u8, layout: TexelLayout) {
        self.layout = Some(layout);
        self.set_level(side, level);
        let face = usize::from(side);
        if let (Some(due), Some(kept)) = (self.due.get_mut(face), self.kept.get_mut(face)) {
            *due &= !bit(level);
            *kept |= bit(level);
        }
    }

    pub(crate) fn set_level(&mut self, side: u8, level: u8) {
        self.set_stored(side, level);
        if let Some(levels) = self.levels.get_mut(usize::from(side)) {
            *levels |= bit(level);
        }
    }

    /// Marks a level as having content on the backend.
    pub(crate) fn set_stored(&mut self, side: u8, level: u8) {
        if let Some(stored) = self.stored.get_mut(usize::from(side)) {
            *stored |= bit(level);
        }
    }

    /// The first of these levels that a face lacks on the backend.
    pub(crate) fn missing(&self, levels: u8) -> Option<(u8, u8)> {
        (0..self.faces()).zip(self.stored).find_map(|(side, stored)| {
            let missing = bits(levels) & !stored;
            (missing != 0).then(|| (side, u8::try_from(missing.trailing_zeros()).unwrap_or(0)))
        })
    }

    /// Makes a face a render target.
    pub(crate) fn set_target(&mut self, side: u8) {
        if let Some(kept) = self.kept.get_mut(usize::from(side)) {
            *kept = 0;
        }
    }

    /// Marks a face as rendered: its level 0 has content, and its smaller levels are generated from it, except for
    /// those uploaded since it became the target. The reference says only that levels are made
    /// [context3d.target.mips]: open are [context3d.target.mips_faces] and [context3d.target.mips_uploads].
    pub(crate) fn set_rendered(&mut self, side: u8) {
        self.set_level(side, 0);
        let smaller = bits(self.desc.levels) & !1;
        let face = usize::from(side);
        if let (Some(due), Some(kept)) = (self.due.get_mut(face), self.kept.get(face)) {
            *due = smaller & !*kept;
        }
    }

    /// The levels of a face that must be generated before they are read or replaced; bit n: level n.
    pub(crate) fn due(&self, side: u8) -> Option<u16> {
        let due = self.due.get(usize::from(side)).copied();
        due.filter(|due| *due != 0)
    }

    /// Whether it can be sampled: has level 0 of every face, and with mip mapping every level down to 1×1
    /// [context3d.level.complete], uploaded or to be generated. A streaming texture may lack its
    /// `streaming` largest levels.
    pub(crate) fn complete(&self, mip_mapping: bool) -> bool {
        let needed = if mip_mapping { bits(self.desc.levels) & !bits(self.streaming) } else { 1 };
        let faces = self.levels.iter().zip(&self.due);
        faces.take(usize::from(self.faces())).all(|(levels, due)| (levels | due) & needed == needed)
    }

    /// Marks the levels of a face as generated.
    pub(crate) fn mips_made(&mut self, side: u8) {
        let face = usize::from(side);
        if let (Some(levels), Some(due)) = (self.levels.get_mut(face), self.due.get_mut(face)) {
            *levels |= std::mem::take(due);
        }
    }
}

fn bit(level: u8) -> u16 {
    1u16.checked_shl(u32::from(level)).unwrap_or(0)
}

/// The bits of the first levels.
fn bits(count: u8) -> u16 {
    bit(count).wrapping_sub(1)
}
