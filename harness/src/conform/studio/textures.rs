//! Textures of a scene.

use super::{Done, Studio, text};
use crate::record::RecordError;
use crate::trace::{Bitmap, BitmapTarget, ByteArray, Call, NoParameter, TextureId};

impl Studio {
    /// `createTexture`
    ///
    /// # Errors
    /// What came of it.
    pub fn texture(
        &mut self,
        width: i32,
        height: i32,
        format: &str,
    ) -> Result<TextureId, RecordError> {
        self.streaming_texture(width, height, format, 0)
    }

    /// `createTexture` with streaming levels.
    ///
    /// # Errors
    /// What came of it.
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
    ///
    /// # Errors
    /// What came of it.
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
    ///
    /// # Errors
    /// What came of it.
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
    ///
    /// # Errors
    /// What came of it.
    pub fn upload(&mut self, texture: TextureId, bytes: Vec<u8>, level: u32) -> Done {
        self.on(
            texture.0,
            Call::TextureUploadFromByteArray {
                data: ByteArray::from(bytes),
                byte_array_offset: 0,
                side: NoParameter,
                miplevel: level,
            },
        )
    }

    /// `RectangleTexture.uploadFromByteArray`
    ///
    /// # Errors
    /// What came of it.
    pub fn upload_rectangle(&mut self, texture: TextureId, bytes: Vec<u8>) -> Done {
        self.on(
            texture.0,
            Call::RectangleTextureUploadFromByteArray {
                data: ByteArray::from(bytes),
                byte_array_offset: 0,
                side: NoParameter,
                miplevel: NoParameter,
            },
        )
    }

    /// `CubeTexture.uploadFromByteArray`
    ///
    /// # Errors
    /// What came of it.
    pub fn upload_cube(
        &mut self,
        texture: TextureId,
        bytes: Vec<u8>,
        side: u32,
        level: u32,
    ) -> Done {
        self.on(
            texture.0,
            Call::CubeTextureUploadFromByteArray {
                data: ByteArray::from(bytes),
                byte_array_offset: 0,
                side,
                miplevel: level,
            },
        )
    }

    /// `Texture.uploadFromBitmapData`
    ///
    /// # Errors
    /// What came of it.
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
                side: NoParameter,
                miplevel: level,
            },
        )
    }
}

/// A bitmap of so many pixels.
pub fn bitmap(width: u32, height: u32, transparent: bool, bgra: Vec<u8>) -> Bitmap {
    Bitmap {
        shape: BitmapTarget {
            width,
            height,
            transparent,
            disposed: false,
        },
        bgra,
    }
}
