//! Cuts bulk data in commands to the part that the call reads: programs may pass a whole data file to every upload.

use atf::AtfHeader;
use context3d::Invocation;
use context3d::arguments::Bitmap;
use context3d::enums::{EnumArg, TextureFormat};

/// Bytes of a 32-bit value, of an index and of a constant register, in this order.
const UNIT: usize = 4;
const INDEX: usize = 2;
const REGISTER: usize = 16;

/// The sizes of an object that determine the length of its uploads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// A vertex buffer: bytes per vertex.
    Vertices(usize),
    /// A texture: width and height of mip level 0, and the format.
    Texels(u32, u32, TextureFormat),
    Fixed,
}

impl Extent {
    /// Returns the upload-related sizes of the object that a command created.
    pub(crate) fn of(command: &Invocation<'_>) -> Self {
        let side = |side: i32| u32::try_from(side).unwrap_or(0);
        match *command {
            Invocation::CreateVertexBuffer { data32_per_vertex, .. }
            | Invocation::CreateVertexBufferForInstances { data32_per_vertex, .. } => {
                Extent::Vertices(number(data32_per_vertex) * UNIT)
            }
            Invocation::CreateTexture { width, height, format: EnumArg::Is(format), .. }
            | Invocation::CreateRectangleTexture {
                width,
                height,
                format: EnumArg::Is(format),
                ..
            } => Extent::Texels(side(width), side(height), format),
            Invocation::CreateCubeTexture { size, format: EnumArg::Is(format), .. } => {
                Extent::Texels(side(size), side(size), format)
            }
            _ => Extent::Fixed,
        }
    }

    /// Returns the bytes of `count` vertices, or `None` if the object isn't a vertex buffer.
    fn vertices(self, count: i32) -> Option<usize> {
        match self {
            Extent::Vertices(bytes) => Some(number(count).saturating_mul(bytes)),
            Extent::Texels(..) | Extent::Fixed => None,
        }
    }

    /// Returns width, height and format of a mip level.
    fn level(self, level: u32) -> Option<(u32, u32, TextureFormat)> {
        let side = |side: u32| side.checked_shr(level).unwrap_or(0).max(1);
        match self {
            Extent::Texels(width, height, format) => Some((side(width), side(height), format)),
            Extent::Vertices(_) | Extent::Fixed => None,
        }
    }
}

fn number(count: i32) -> usize {
    usize::try_from(count).unwrap_or(0)
}

/// Returns the command with only the bytes, elements or pixels that the call reads, and offset 0. The shortened command
/// has the same effect as the original; an array that is too short is not extended.
pub(crate) fn cut<'a>(command: &Invocation<'a>, object: Extent, succeeded: bool) -> Invocation<'a> {
    let mut command = *command;
    match &mut command {
        Invocation::VertexBufferUploadFromByteArray {
            data,
            byte_array_offset,
            num_vertices,
            ..
        } => part(data, byte_array_offset, object.vertices(*num_vertices)),
        Invocation::IndexBufferUploadFromByteArray { data, byte_array_offset, count, .. } => {
            part(data, byte_array_offset, Some(number(*count) * INDEX))
        }
        Invocation::TextureUploadFromByteArray { data, byte_array_offset, miplevel, .. }
        | Invocation::TextureUploadFromByteArrayAsync {
            data, byte_array_offset, miplevel, ..
        } => {
            let level = object.level(*miplevel);
            let bytes = level.map(|(width, height, format)| format.layout().bytes(width, height));
            part(data, byte_array_offset, bytes);
        }
        Invocation::SetProgramConstantsFromByteArray {
            data,
            byte_array_offset,
            num_registers,
            ..
        } => {
            let bytes = number(*num_registers).saturating_mul(REGISTER);
            part(data, byte_array_offset, Some(bytes));
        }
        Invocation::TextureUploadFromBitmapData { source: Some(source), miplevel, .. }
        | Invocation::TextureUploadFromBitmapDataAsync { source: Some(source), miplevel, .. }
            if succeeded =>
        {
            crop(source, object.level(*miplevel));
        }
        Invocation::VertexBufferUploadFromVector { data, num_vertices, .. } => {
            start(data, object.vertices(*num_vertices).map(|bytes| bytes / UNIT));
        }
        Invocation::VertexBufferUploadFromFloatVector { data, num_vertices, .. } => {
            start(data, object.vertices(*num_vertices).map(|bytes| bytes / UNIT));
        }
        Invocation::IndexBufferUploadFromVector { data, count, .. } => {
            start(data, Some(number(*count)));
        }
        Invocation::SetProgramConstantsFromVector { data, num_registers, .. } => {
            start(data, registers(*num_registers));
        }
        Invocation::SetProgramConstantsFromFloatVector { data, num_registers, .. } => {
            start(data, registers(*num_registers));
        }
        Invocation::TextureUploadCompressedFromByteArray { data, byte_array_offset, .. } => {
            part(data, byte_array_offset, None);
            // Files with errors are not cut, because the error may depend on the bytes after the file.
            let header = data.filter(|_| succeeded).and_then(|data| AtfHeader::read(data).ok());
            let length = header.and_then(|header| usize::try_from(header.length).ok());
            part(data, byte_array_offset, length);
        }
        _ => {}
    }
    command
}

/// Returns the number of vector elements in this many constant registers, or `None` if all elements are read.
fn registers(count: i32) -> Option<usize> {
    (count >= 0).then(|| number(count).saturating_mul(REGISTER / UNIT))
}

/// Cuts a vector to its first `length` elements; `None` leaves the vector unchanged.
fn start<T>(data: &mut Option<&[T]>, length: Option<usize>) {
    *data = data.map(|all| length.and_then(|length| all.get(..length)).unwrap_or(all));
}

/// Cuts a bitmap to the upper left part that a level shows [context3d.upload.larger_bitmap].
fn crop(bitmap: &mut Bitmap<'_>, level: Option<(u32, u32, TextureFormat)>) {
    let Some((width, height, _)) = level else { return };
    let row = usize::try_from(bitmap.width).unwrap_or(0) * UNIT;
    bitmap.layout.stride = bitmap.layout.stride.or(Some(row));
    (bitmap.width, bitmap.height) = (bitmap.width.min(width), bitmap.height.min(height));
}

/// Cuts an array to `length` bytes starting at the offset; `None` keeps all bytes from the offset to the end.
fn part<O: TryInto<usize> + Copy + Default>(
    data: &mut Option<&[u8]>,
    offset: &mut O,
    length: Option<usize>,
) {
    let Some(all) = *data else { return };
    let start = (*offset).try_into().ok();
    let rest = start.and_then(|start| all.get(start..));
    match rest.filter(|rest| !rest.is_empty()) {
        Some(rest) => {
            // Keep at least one byte: an offset at the end of the array is an error even if no bytes are read.
            let length = length.unwrap_or(rest.len()).max(1);
            *data = Some(rest.get(..length).unwrap_or(rest));
            *offset = O::default();
        }
        // An offset outside the array is also outside an empty array.
        None => *data = Some(&[]),
    }
}
