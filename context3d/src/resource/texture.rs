//! Textures.

use crate::backend::BackendCaps;
use crate::enums::TextureFormat;
use crate::error::FlashError;
use crate::handle::{ObjectHandle, TextureKey};
use crate::packets::{TexelLayout, TextureDesc, TextureKind};

/// If true, memory limits count textures like `totalGPUMemory`. If false, memory limits count the bytes of all mip
/// levels [context3d.limit.texture_bytes]. Flash's counting of textures is unknown [context3d.property.memory_limit].
const LIMITS_COUNT_REPORTED_BYTES: bool = false;

/// State of an asynchronous upload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum UploadState {
    /// No upload is running.
    #[default]
    None,
    /// The upload is running: the program can't use the texture yet.
    Running,
    /// The upload is finished: the texture is usable, but the event is pending.
    Finished,
}

/// An event of a texture.
///
/// The upload appears to run until the host takes the event, as in Flash, even if it was executed in its call
/// ([`Executor`](crate::Executor)). A draw treats the texture as incomplete (3700) until the host takes the event, or
/// until the first `present` that finds the texels decoded. Another asynchronous upload into the texture is an error
/// until the host takes the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureEvent {
    /// The texture that is the target of the event.
    pub texture: ObjectHandle<TextureKey>,
    /// The host's user data of the texture ([`Context3D::set_user_data`](crate::Context3D::set_user_data)).
    pub user_data: u64,
    /// The error of an `error` event (3790); `None` for the event `textureReady`.
    pub error: Option<FlashError>,
}

/// A `Texture`, `CubeTexture`, `RectangleTexture` or `VideoTexture`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextureState {
    /// The descriptor. A video texture without a frame is 0×0, and doesn't exist on the backend.
    pub(crate) desc: TextureDesc,
    /// True for a `VideoTexture`. The backend has a rectangle texture with the size of the last frame.
    pub(crate) video: bool,
    pub(crate) upload: UploadState,
    /// The argument `streamingLevels`; 0 without streaming.
    pub(crate) streaming: u8,
    /// Bytes of the texture that count for the memory limit.
    pub(crate) counted: u64,
    /// Bytes of the texture that count for `totalGPUMemory`.
    pub(crate) reported: u64,
    /// The layout of all uploads, set by the first upload.
    layout: Option<TexelLayout>,
    mips: [LevelSets; 6],
}

/// Sets of a face's mip levels: bit n is level n.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct LevelSets {
    /// The mip levels that have content.
    levels: u16,
    /// The mip levels that have content on the backend, which may be zeros.
    resident: u16,
    /// The mip levels that must be generated from the next larger level, because level 0 was rendered to.
    pending: u16,
    /// The mip levels that were uploaded after the face became a render target, so that they are not generated.
    explicit: u16,
}

impl TextureState {
    pub(crate) fn new(desc: TextureDesc, streaming: u8) -> Self {
        TextureState {
            desc,
            video: false,
            upload: UploadState::None,
            streaming,
            counted: if LIMITS_COUNT_REPORTED_BYTES {
                TextureState::reported(&desc)
            } else {
                TextureState::bytes(&desc)
            },
            reported: TextureState::reported(&desc),
            layout: None,
            mips: [LevelSets::default(); 6],
        }
    }

    fn face_mut(&mut self, side: u8) -> Option<&mut LevelSets> {
        self.mips.get_mut(usize::from(side))
    }

    /// Creates a `VideoTexture` without a frame.
    pub(crate) fn video() -> Self {
        let nothing = TextureDesc {
            kind: TextureKind::Rectangle,
            format: TextureFormat::Bgra,
            width: 0,
            height: 0,
            levels: 1,
            render_target: false,
        };
        TextureState { video: true, ..TextureState::new(nothing, 0) }
    }

    /// Returns whether the backend has this texture.
    pub(crate) fn on_device(&self) -> bool {
        self.desc.width > 0
    }

    /// Returns the format that an AGAL sampler must declare (error 3763).
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

    /// Returns the total size of the first `levels` mip levels of all faces in bytes.
    fn bytes_of(desc: &TextureDesc, levels: u8) -> u64 {
        let side = |side: u32, level: u8| u64::from((side >> level.min(31)).max(1));
        let texels: u64 =
            (0..levels).map(|level| side(desc.width, level) * side(desc.height, level)).sum();
        (texels * u64::from(desc.kind.faces()) * desc.format.bits_per_texel()).div_ceil(8)
    }

    /// Returns the total size of all mip levels of all faces in bytes.
    fn bytes(desc: &TextureDesc) -> u64 {
        TextureState::bytes_of(desc, desc.levels)
    }

    /// Returns the bytes for `totalGPUMemory`: the size of level 0, times 1.5 for a texture with more levels. AIR 33.1
    /// reports 100,663,296 for 4096×4096 BGRA [context3d.property.memory_mips].
    fn reported(desc: &TextureDesc) -> u64 {
        let first = TextureState::bytes_of(desc, 1);
        match desc.levels {
            0 | 1 => first,
            _ => first + first / 2,
        }
    }

    /// Returns the bytes that an upload of this level adds to the counted memory: the excess over Flash's count, if the
    /// device lacks block compression. Counting uncompressed texels keeps programs within their memory limits
    /// [context3d.limit.uncompressed].
    pub(crate) fn uncounted(&self, side: u8, level: u8, layout: TexelLayout) -> u64 {
        let levels = self.mips.get(usize::from(side)).map_or(0, |face| face.levels);
        if !self.desc.format.is_compressed() || layout.is_blocks() || levels & bit(level) != 0 {
            return 0;
        }
        let (width, height) = self.level_size(level);
        let taken = u64::try_from(layout.bytes(width, height)).unwrap_or(u64::MAX);
        let texels = u64::from(width) * u64::from(height);
        taken.saturating_sub((texels * self.desc.format.bits_per_texel()).div_ceil(8))
    }

    /// Returns the layout of the texture's earlier uploads, if any.
    pub(crate) fn stored_layout(&self) -> Option<TexelLayout> {
        self.layout
    }

    /// Returns the device layout for texels from bitmaps and byte arrays.
    pub(crate) fn upload_layout(&self, caps: &BackendCaps) -> TexelLayout {
        self.layout.unwrap_or(self.desc.format.device_layout(caps))
    }

    pub(crate) fn set_uploaded(&mut self, side: u8, level: u8, layout: TexelLayout) {
        self.layout = Some(layout);
        self.set_level(side, level);
        if let Some(face) = self.face_mut(side) {
            face.pending &= !bit(level);
            face.explicit |= bit(level);
        }
    }

    pub(crate) fn set_level(&mut self, side: u8, level: u8) {
        self.set_resident(side, level);
        if let Some(face) = self.face_mut(side) {
            face.levels |= bit(level);
        }
    }

    /// Marks a level as having content on the backend.
    pub(crate) fn set_resident(&mut self, side: u8, level: u8) {
        if let Some(face) = self.face_mut(side) {
            face.resident |= bit(level);
        }
    }

    /// Returns the face and index of the first of these mip levels that has no content on the backend.
    pub(crate) fn missing(&self, levels: u8) -> Option<(u8, u8)> {
        (0..self.faces()).zip(self.mips).find_map(|(side, face)| {
            let missing = bits(levels) & !face.resident;
            (missing != 0).then(|| (side, u8::try_from(missing.trailing_zeros()).unwrap_or(0)))
        })
    }

    /// Records that a face became a render target.
    pub(crate) fn set_target(&mut self, side: u8) {
        if let Some(face) = self.face_mut(side) {
            face.explicit = 0;
        }
    }

    /// Marks a face as rendered: level 0 has content, and smaller levels are pending, except for those that were
    /// uploaded since the face became the target. The reference says only that levels are generated
    /// [context3d.target.mips], not which [context3d.target.mips_faces] [context3d.target.mips_uploads].
    pub(crate) fn set_rendered(&mut self, side: u8) {
        self.set_level(side, 0);
        let smaller = bits(self.desc.levels) & !1;
        if let Some(face) = self.face_mut(side) {
            face.pending = smaller & !face.explicit;
        }
    }

    /// Returns the levels of a face that must be generated before they are read or replaced: bit n is level n.
    pub(crate) fn pending_mips(&self, side: u8) -> Option<u16> {
        let pending = self.mips.get(usize::from(side))?.pending;
        (pending != 0).then_some(pending)
    }

    /// Returns whether the texture can be sampled: level 0 of every face exists, and with mip mapping every level down
    /// to 1×1 exists or is pending [context3d.level.complete]. A streaming texture may lack its `streaming` largest
    /// levels.
    pub(crate) fn complete(&self, mip_mapping: bool) -> bool {
        let needed = if mip_mapping { bits(self.desc.levels) & !bits(self.streaming) } else { 1 };
        let mut faces = self.mips.iter().take(usize::from(self.faces()));
        faces.all(|face| (face.levels | face.pending) & needed == needed)
    }

    /// Marks the levels of a face as generated.
    pub(crate) fn mips_generated(&mut self, side: u8) {
        if let Some(face) = self.face_mut(side) {
            face.levels |= std::mem::take(&mut face.pending);
        }
    }
}

fn bit(level: u8) -> u16 {
    1u16.checked_shl(u32::from(level)).unwrap_or(0)
}

/// Returns the set of the first `count` mip levels, as bits.
fn bits(count: u8) -> u16 {
    bit(count).wrapping_sub(1)
}
