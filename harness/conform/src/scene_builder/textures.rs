//! Textures of a scene.

use super::{Done, SceneBuilder, text};
use molehill_capture::Call;
use molehill_capture::data::{Bitmap, BitmapTarget, ByteArray, CubeSide, MipLevel};
use molehill_capture::objects::TextureId;
use molehill_replay::record::RecordError;

impl SceneBuilder {
    /// `createTexture`
    pub fn texture(
        &mut self,
        width: i32,
        height: i32,
        format: &str,
    ) -> Result<TextureId, RecordError> {
        self.streaming_texture(width, height, format, 0)
    }

    /// `createTexture` with streaming levels.
    pub fn streaming_texture(
        &mut self,
        width: i32,
        height: i32,
        format: &str,
        levels: i32,
    ) -> Result<TextureId, RecordError> {
        let id = self.create(Call::CreateTexture {
            width,
            height,
            format: text(format),
            optimize_for_render_to_texture: false,
            streaming_levels: levels,
        })?;
        Ok(TextureId(id))
    }

    /// `createRectangleTexture`
    pub fn rectangle(
        &mut self,
        width: i32,
        height: i32,
        format: &str,
    ) -> Result<TextureId, RecordError> {
        let id = self.create(Call::CreateRectangleTexture {
            width,
            height,
            format: text(format),
            optimize_for_render_to_texture: false,
        })?;
        Ok(TextureId(id))
    }

    /// `createCubeTexture`
    pub fn cube(&mut self, size: i32, format: &str) -> Result<TextureId, RecordError> {
        let id = self.create(Call::CreateCubeTexture {
            size,
            format: text(format),
            optimize_for_render_to_texture: false,
            streaming_levels: 0,
        })?;
        Ok(TextureId(id))
    }

    /// `Texture.uploadFromByteArray`
    pub fn upload(&mut self, texture: TextureId, bytes: Vec<u8>, level: u32) -> Done {
        self.on(
            texture.0,
            Call::TextureUploadFromByteArray {
                data: ByteArray::from(bytes),
                byte_array_offset: 0,
                side: CubeSide(None),
                miplevel: MipLevel(Some(level)),
            },
        )
    }

    /// `RectangleTexture.uploadFromByteArray`
    pub fn upload_rectangle(&mut self, texture: TextureId, bytes: Vec<u8>) -> Done {
        self.on(
            texture.0,
            Call::TextureUploadFromByteArray {
                data: ByteArray::from(bytes),
                byte_array_offset: 0,
                side: CubeSide(None),
                miplevel: MipLevel(None),
            },
        )
    }

    /// `CubeTexture.uploadFromByteArray`
    pub fn upload_cube(
        &mut self,
        texture: TextureId,
        bytes: Vec<u8>,
        side: u32,
        level: u32,
    ) -> Done {
        self.on(
            texture.0,
            Call::TextureUploadFromByteArray {
                data: ByteArray::from(bytes),
                byte_array_offset: 0,
                side: CubeSide(Some(side)),
                miplevel: MipLevel(Some(level)),
            },
        )
    }

    /// `uploadCompressedTextureFromByteArray`
    pub fn upload_atf(
        &mut self,
        TextureId(texture): TextureId,
        Compressed { data, offset, is_async }: Compressed,
    ) -> Done {
        let (data, byte_array_offset) = (ByteArray::from(data), offset);
        self.on(
            texture,
            Call::TextureUploadCompressedFromByteArray { data, byte_array_offset, is_async },
        )
    }

    /// `uploadBlocks`, which a host calls: one level, of a cube's side or of a `Texture`.
    pub fn upload_blocks(
        &mut self,
        TextureId(texture): TextureId,
        (format, blocks): (&str, Vec<u8>),
        side: Option<u32>,
        level: u32,
    ) -> Done {
        self.on(
            texture,
            Call::TextureUploadBlocks {
                data: ByteArray::from(blocks),
                format: text(format),
                side: CubeSide(side),
                miplevel: MipLevel(Some(level)),
            },
        )
    }

    /// `Texture.uploadFromBitmapData`
    pub fn upload_bitmap(
        &mut self,
        texture: TextureId,
        source: Option<Bitmap>,
        level: u32,
    ) -> Done {
        self.on(
            texture.0,
            Call::TextureUploadFromBitmapData {
                source,
                side: CubeSide(None),
                miplevel: MipLevel(Some(level)),
            },
        )
    }
}

/// Arguments of `uploadCompressedTextureFromByteArray`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compressed {
    /// The byte array.
    pub data: Vec<u8>,
    /// Offset of the ATF file in the byte array.
    pub offset: u32,
    /// Whether the upload may take until a later frame.
    pub is_async: bool,
}

impl From<Vec<u8>> for Compressed {
    fn from(data: Vec<u8>) -> Self {
        Compressed { data, ..Compressed::default() }
    }
}

/// A bitmap with these pixels.
pub fn bitmap(width: u32, height: u32, transparent: bool, bgra: Vec<u8>) -> Bitmap {
    Bitmap { shape: BitmapTarget { width, height, transparent, disposed: false }, bgra }
}
