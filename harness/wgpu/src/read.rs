//! Reads texels back from textures.

use std::sync::mpsc::channel;

use context3d::backend::{BackendError, ReadSurface, Region};
use context3d::keys::TextureKey;
use context3d::packets::TexelLayout;
use wgpu::{
    Buffer, BufferUsages, BufferView, MapMode, PollType, TexelCopyBufferInfo,
    TexelCopyBufferLayout, TexelCopyTextureInfo,
};

use crate::backend::WgpuBackend;
use crate::commands::Commands;
use crate::device::{WgpuDevice, buffer_of};
use crate::format::{physical, rows};
use crate::program::missing;
use crate::version::mapped_bytes;

/// The bytes of an R, G, B, A pixel.
const PIXEL: usize = 4;

impl WgpuBackend {
    /// Reads a region as R, G, B, A bytes into the empty vector `out`. Returns the size of the region.
    pub(crate) fn read(
        &mut self,
        surface: ReadSurface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        let Self { objects, commands, .. } = self;
        objects.targets.end(commands);
        let back_buffer = objects.targets.back_buffer.as_mut();
        let (texture, size) = match (surface, back_buffer) {
            (ReadSurface::Texture { texture, side, level }, _) => {
                return self.read_level(texture, (side, level), region, out);
            }
            (_, None) => return Ok((0, 0)),
            (ReadSurface::BackBuffer, Some(buffer)) => (buffer.image(commands)?, buffer.size()),
            (ReadSurface::Front, Some(buffer)) => match buffer.front() {
                Some(front) => (front.clone(), buffer.size()),
                None => return Ok((0, 0)),
            },
        };
        let Region { x, y, width, height } = region.within(size);
        let mut place = texture.as_image_copy();
        (place.origin.x, place.origin.y) = (x, y);
        copy(commands, place, (width, height), out)?;
        Ok((width, height))
    }

    /// Reads a region of a mip level. The texture may be the current render target.
    fn read_level(
        &mut self,
        key: TextureKey,
        (side, level): (u8, u8),
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        let Self { objects, commands, .. } = self;
        objects.targets.resolve_samples(commands);
        let found = objects.textures.level(key, side, level);
        let Some((stored, size)) = found else { return Ok((0, 0)) };
        let Region { x, y, width, height } = region.within(size);
        if stored.storage.has_blocks() {
            copy(commands, stored.place((side, level), (0, 0)), size, out)?;
            stored.storage.rgba(size, out);
            cut(out, size.0, Region { x, y, width, height });
        } else {
            let place = stored.place((side, level), (x, y));
            copy(commands, place, (width, height), out)?;
            stored.storage.rgba((width, height), out);
        }
        Ok((width, height))
    }

    /// Reads level 0 of a face, in the layout of an upload.
    pub(crate) fn texels(
        &mut self,
        key: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        let Self { objects, commands, .. } = self;
        objects.targets.resolve_samples(commands);
        let found = objects.textures.level(key, side, 0);
        let found = found.filter(|(stored, _)| !stored.storage.layout.is_blocks());
        let Some((stored, size)) = found else { return Ok(None) };
        copy(commands, stored.place((side, 0), (0, 0)), size, out)?;
        stored.storage.unstore(out);
        Ok(Some(stored.storage.layout))
    }
}

/// Crops rows of pixels to the columns of a region.
fn cut(pixels: &mut Vec<u8>, row: u32, region: Region) {
    let (x, width) = (region.x as usize * PIXEL, region.width as usize * PIXEL);
    let rows = pixels.chunks_exact((row as usize * PIXEL).max(1)).skip(region.y as usize);
    let rows = rows.take(region.height as usize).filter_map(|row| row.get(x..)?.get(..width));
    *pixels = rows.flatten().copied().collect();
}

/// Copies the stored texels of a region, after all recorded commands. The result has no gaps between rows.
fn copy(
    commands: &mut Commands,
    place: TexelCopyTextureInfo<'_>,
    size: (u32, u32),
    out: &mut Vec<u8>,
) -> Result<(), BackendError> {
    if size.0 == 0 || size.1 == 0 {
        return Ok(());
    }
    let format = place.texture.format();
    let (row, count) = rows(format, size);
    let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let bytes = u64::from(padded) * u64::from(count);
    out.try_reserve_exact(row as usize * count as usize).map_err(|_| BackendError::OutOfMemory)?;
    let device = commands.device.clone();
    let reader = device.reader();
    let from = if reader.is_some() { BufferUsages::COPY_SRC } else { BufferUsages::MAP_READ };
    let usage = BufferUsages::COPY_DST | from;
    let buffer = device.checked(|device, _| buffer_of(device, bytes, usage))?;
    let layout = TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(padded),
        rows_per_image: Some(count),
    };
    let to = TexelCopyBufferInfo { buffer: &buffer, layout };
    let extent = physical(format, size);
    commands.encoder().copy_texture_to_buffer(place, to, extent);
    commands.submit()?;
    let mut take = |bytes: &[u8]| {
        for line in bytes.chunks_exact((padded as usize).max(1)) {
            out.extend_from_slice(line.get(..row as usize).unwrap_or_default());
        }
    };
    match reader {
        Some(read) => take(&read(device.device(), device.queue(), &buffer)?),
        None => take(&mapped(&device, &buffer)?),
    }
    Ok(())
}

/// Waits for the device, and returns the mapped content of a buffer.
fn mapped(device: &WgpuDevice, buffer: &Buffer) -> Result<BufferView, BackendError> {
    let (done, mapped) = channel();
    device
        .checked(|device, _| {
            // Ignore an error of `send`: `mapped` is dropped early only if `poll` failed.
            buffer.map_async(MapMode::Read, .., move |result| drop(done.send(result)));
            device.poll(PollType::wait_indefinitely())
        })?
        .map_err(|error| BackendError::Driver(format!("waiting for a copy: {error}")))?;
    device.alive()?;
    let Ok(Ok(())) = mapped.try_recv() else { return Err(BackendError::Lost) };
    mapped_bytes(buffer).ok_or_else(|| missing("mapped copy"))
}
