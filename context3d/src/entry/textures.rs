//! Creation and disposal of textures [context3d.texture_object.kinds] [context3d.format.bgra].

use crate::backend::Backend;
use crate::context::Context3D;
use crate::entry::accepted;
use crate::enums::{EnumArg, TextureFormat};
use crate::error::{CheckError, Error, ErrorCode, SetterError};
use crate::handle::{ObjectHandle, TextureKey};
use crate::packets::{Packet, TextureDesc, TextureKind};
use crate::resource::{ResourceUsage, TextureState};

/// Minimum width and height of a compressed texture (3745).
const MIN_COMPRESSED: u32 = 4;

fn side(side: i32) -> Result<u32, ErrorCode> {
    u32::try_from(side).ok().filter(|side| *side > 0).ok_or(ErrorCode::TextureEmpty)
}

fn power_of_two(side: u32) -> Result<u32, ErrorCode> {
    if side.is_power_of_two() { Ok(side) } else { Err(ErrorCode::NotPowerOfTwo) }
}

/// Maximum width and height of a texture under `ignoreResourceLimits`, because mip levels are bits of a `u16`.
const MAX_SIDE: u32 = 1 << 15;

/// Returns the number of mip levels down to 1×1, which is at most 16.
fn levels(width: u32, height: u32) -> u8 {
    u8::try_from(width.max(height).max(1).ilog2() + 1).unwrap_or(u8::MAX)
}

/// Checks `streamingLevels`: "streamingLevels >= log2(min(width, height))" raises 3711.
fn check_streaming(levels: i32, width: u32, height: u32) -> Result<u8, ErrorCode> {
    let most = width.min(height).max(1).ilog2();
    match u8::try_from(levels) {
        Ok(levels) if levels == 0 || u32::from(levels) < most => Ok(levels),
        _ => Err(ErrorCode::StreamingLevels),
    }
}

impl<B: Backend> Context3D<B> {
    fn check_format(
        &self,
        format: EnumArg<'_, TextureFormat>,
    ) -> Result<TextureFormat, SetterError> {
        let format = accepted(format, &"textureFormat")?;
        if format.is_float() && !self.limits.half_float_textures {
            return Err(ErrorCode::FormatNotInProfile.into());
        }
        Ok(format)
    }

    /// Returns the maximum width and height: the profile's limit, or under `ignoreResourceLimits` the device's
    /// ([context3d.property.ignore_limits]: a user reports sizes above 4096).
    fn largest_side(&self, profile: u32, device: u32) -> u32 {
        if self.ignores_resource_limits() { device.min(MAX_SIDE).max(profile) } else { profile }
    }

    pub(crate) fn create_texture_impl(
        &mut self,
        width: i32,
        height: i32,
        format: EnumArg<'_, TextureFormat>,
        render_target: bool,
        streaming: i32,
    ) -> Result<ObjectHandle<TextureKey>, Error> {
        let format = self.check_format(format)?;
        let (wide, high) = (side(width)?, side(height)?);
        let (width, height) = (power_of_two(wide)?, power_of_two(high)?);
        let device = self.backend.caps().max_texture_size;
        let most = self.largest_side(self.limits.max_texture_2d, device);
        if width.max(height) > most {
            return Err(CheckError::with(ErrorCode::TextureTooBig, [i64::from(most)]).into());
        }
        if format.is_compressed() && width.min(height) < MIN_COMPRESSED {
            return Err(ErrorCode::CompressedTooSmall.into());
        }
        let streaming = check_streaming(streaming, width, height)?;
        let levels = levels(width, height);
        let desc =
            TextureDesc { kind: TextureKind::TwoD, format, width, height, levels, render_target };
        self.create_texture_of(desc, streaming)
    }

    pub(crate) fn create_rectangle_texture_impl(
        &mut self,
        width: i32,
        height: i32,
        format: EnumArg<'_, TextureFormat>,
        render_target: bool,
    ) -> Result<ObjectHandle<TextureKey>, Error> {
        if self.limits.max_texture_rectangle == 0 {
            return Err(ErrorCode::NeedsBaseline.into());
        }
        let format = self.check_format(format)?;
        if !format.rectangle() {
            return Err(ErrorCode::RectangleFormat.into());
        }
        let (width, height) = (side(width)?, side(height)?);
        let device = self.backend.caps().max_texture_size;
        let most = self.largest_side(self.limits.max_texture_rectangle, device);
        // The maximum is the larger one of profile limit and back buffer size [context3d.profile.rectangle].
        let back_buffer = self.state.back_buffer;
        if width > most.max(back_buffer.width) || height > most.max(back_buffer.height) {
            return Err(CheckError::with(ErrorCode::RectangleTooBig, [i64::from(most)]).into());
        }
        let desc = TextureDesc {
            kind: TextureKind::Rectangle,
            format,
            width,
            height,
            levels: 1,
            render_target,
        };
        self.create_texture_of(desc, 0)
    }

    pub(crate) fn create_cube_texture_impl(
        &mut self,
        size: i32,
        format: EnumArg<'_, TextureFormat>,
        render_target: bool,
        streaming: i32,
    ) -> Result<ObjectHandle<TextureKey>, Error> {
        let format = self.check_format(format)?;
        let size = power_of_two(side(size)?)?;
        let device = self.backend.caps().max_cube_size;
        if size > self.largest_side(self.limits.max_texture_cube, device) {
            return Err(ErrorCode::CubeTooBig.into());
        }
        if format.is_compressed() && size < MIN_COMPRESSED {
            return Err(ErrorCode::CompressedTooSmall.into());
        }
        let streaming = check_streaming(streaming, size, size)?;
        let levels = levels(size, size);
        let desc = TextureDesc {
            kind: TextureKind::Cube,
            format,
            width: size,
            height: size,
            levels,
            render_target,
        };
        self.create_texture_of(desc, streaming)
    }

    fn create_texture_of(
        &mut self,
        desc: TextureDesc,
        streaming: u8,
    ) -> Result<ObjectHandle<TextureKey>, Error> {
        self.collect_released()?;
        let caps = self.backend.caps();
        let device =
            if desc.kind == TextureKind::Cube { caps.max_cube_size } else { caps.max_texture_size };
        if desc.width.max(desc.height) > device {
            return Err(ErrorCode::TextureFailed.into());
        }
        let texture = TextureState::new(desc, streaming);
        let (bytes, reported) = (texture.counted, texture.reported);
        let used = *self.resources.memory.texture(desc.kind);
        self.check_texture_memory(desc.kind, used, bytes)?;
        let key = self.resources.textures.insert(texture);
        if let Err(error) = self.emit(Packet::CreateTexture { key, desc }) {
            self.resources.textures.remove(key);
            return Err(error.with_memory_error(ErrorCode::TextureFailed));
        }
        let used = self.resources.memory.texture(desc.kind);
        *used = ResourceUsage { count: used.count + 1, bytes: used.bytes + bytes };
        self.resources.memory.reported_textures += reported;
        Ok(self.handle(key))
    }

    /// Raises 3691 if the bytes exceed the memory limit for this kind of texture.
    pub(super) fn check_texture_memory(
        &self,
        kind: TextureKind,
        used: ResourceUsage,
        bytes: u64,
    ) -> Result<(), ErrorCode> {
        let most = if kind == TextureKind::Cube {
            self.limits.cube_memory
        } else {
            self.limits.texture_memory
        };
        self.check_limits(used, bytes, most)
    }

    pub(crate) fn texture_dispose_impl(
        &mut self,
        texture: ObjectHandle<TextureKey>,
    ) -> Result<(), Error> {
        let key = self.own(texture);
        self.withdraw_event(texture);
        self.resources.user_data.remove(&texture.into());
        let Some(texture) = self.resources.textures.remove(key) else {
            return Ok(());
        };
        let memory = &mut self.resources.memory;
        if texture.video {
            memory.videos = memory.videos.saturating_sub(1);
        } else {
            let used = memory.texture(texture.desc.kind);
            used.count = used.count.saturating_sub(1);
            used.bytes = used.bytes.saturating_sub(texture.counted);
            let reported = &mut memory.reported_textures;
            *reported = reported.saturating_sub(texture.reported);
        }
        if !texture.on_device() {
            return Ok(());
        }
        let left = self.resolve_before_dispose(key);
        self.emit(Packet::DisposeTexture(key))?;
        Ok(left?)
    }
}
