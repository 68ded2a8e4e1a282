//! Uploads of other pictures in place of recorded ones.

use std::sync::Arc;

use molehill_capture::data::{Bitmap, BitmapTarget, ByteArray, CubeSide, MipLevel};
use molehill_capture::{Call, CallLine};
use molehill_replay::image::Image;

use crate::calls::texture;
use crate::capture::Capture;

/// The calls that upload a picture in place of a call's. An ATF file is replaced by all levels of the texture. Errors: a
/// call that uploads no picture, and another size.
pub(crate) fn replaced_upload(
    capture: &Capture,
    line: &CallLine,
    image: &Image,
) -> Result<Vec<Call>, String> {
    let size = |expected: (u32, u32)| {
        let found = (image.width(), image.height());
        let ((width, height), (x, y)) = (found, expected);
        let text = || format!("the picture is {width}×{height}, the upload {x}×{y}");
        if found == expected { Ok(()) } else { Err(text()) }
    };
    let object = capture.objects().get(&line.on);
    let created = object.and_then(|object| capture.call(object.created).ok());
    let shape = created.as_ref().and_then(|(_, line)| texture(&line.call));
    let level = |level: u32| {
        let (_, width, height) = shape?;
        let side = |side: i32| Some(u32::try_from(side).ok()?.checked_shr(level)?.max(1));
        side(width).zip(side(height))
    };
    let unknown = || "the texture's size is unknown".to_owned();
    let mut call = line.call.clone();
    match &mut call {
        Call::TextureUploadFromBitmapData { source: Some(source), .. }
        | Call::TextureUploadFromBitmapDataAsync { source: Some(source), .. } => {
            size((source.shape.width, source.shape.height))?;
            *source = bitmap(image);
        }
        Call::TextureUploadFromByteArray { data, byte_array_offset, miplevel, .. }
        | Call::TextureUploadFromByteArrayAsync { data, byte_array_offset, miplevel, .. } => {
            if shape.is_none_or(|(format, ..)| format != Some("bgra")) {
                return Err("only uploads to bgra textures can be replaced".to_owned());
            }
            size(level(miplevel.0.unwrap_or(0)).ok_or_else(unknown)?)?;
            (*data, *byte_array_offset) = (ByteArray::from(image.bgra()), 0);
        }
        Call::TextureUploadCompressedFromByteArray { .. } => {
            let cube = |line: &CallLine| matches!(line.call, Call::CreateCubeTexture { .. });
            if created.as_ref().is_some_and(|(_, line)| cube(line)) {
                return Err("the ATF file of a cube can't be replaced".to_owned());
            }
            size(level(0).ok_or_else(unknown)?)?;
            return Ok(levels(image));
        }
        _ => return Err(format!("{} uploads no picture", line.call.name())),
    }
    Ok(vec![call])
}

/// Uploads of a picture and its smaller levels.
fn levels(image: &Image) -> Vec<Call> {
    let (mut calls, mut level) = (Vec::new(), image.clone());
    loop {
        calls.push(Call::TextureUploadFromBitmapData {
            source: Some(bitmap(&level)),
            side: CubeSide(Some(0)),
            miplevel: MipLevel(u32::try_from(calls.len()).ok()),
        });
        if (level.width(), level.height()) == (1, 1) {
            return calls;
        }
        level = half(&level);
    }
}

/// The next level: each pixel is the mean of four, or of two.
fn half(image: &Image) -> Image {
    let (width, height) = ((image.width() / 2).max(1), (image.height() / 2).max(1));
    let mut smaller = Image::filled(width, height, [0; 4]);
    for (index, (x, y)) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).enumerate() {
        let at = |right: u32, below: u32| {
            let x = (x * 2 + right).min(image.width() - 1);
            let y = (y * 2 + below).min(image.height() - 1);
            image.pixel(x, y).unwrap_or_default().map(u16::from)
        };
        let mut sum = [0u16; 4];
        for pixel in [at(0, 0), at(1, 0), at(0, 1), at(1, 1)] {
            sum.iter_mut().zip(pixel).for_each(|(sum, it)| *sum += it);
        }
        smaller.overwrite(index, &sum.map(|sum| u8::try_from(sum / 4).unwrap_or(u8::MAX)));
    }
    smaller
}

fn bitmap(image: &Image) -> Bitmap {
    let (width, height) = (image.width(), image.height());
    let shape = BitmapTarget { width, height, transparent: true, disposed: false };
    Bitmap { shape, bgra: Arc::new(image.bgra()) }
}
