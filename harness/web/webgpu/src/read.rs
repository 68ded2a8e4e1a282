//! Reads buffers synchronously, through canvases: the bytes become pixels of a WebGPU canvas, which a 2D canvas then
//! reads.
//!
//! A canvas without alpha returns three exact bytes per pixel. Every fourth byte is read from a second image of the
//! buffer, shifted by three bytes. A texture with one byte per texel shifts the bytes, because copies to such a texture
//! may begin at any byte.

use std::cell::RefCell;

use backend_wgpu::wgpu::{
    self, Buffer, BufferUsages, CompositeAlphaMode, CurrentSurfaceTexture, Device, Extent3d,
    Instance, InstanceDescriptor, Origin3d, Queue, Surface, SurfaceConfiguration, SurfaceTarget,
    TexelCopyBufferInfo, TexelCopyBufferLayout, TexelCopyTextureInfo, Texture, TextureFormat,
    TextureUsages,
};
use context3d::backend::BackendError;
use js_sys::{Object, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{OffscreenCanvas, OffscreenCanvasRenderingContext2d};

/// The number of bytes in a row of the canvas.
const ROW: u32 = 4096;
/// The number of pixels in a row of the canvas.
const WIDTH: u32 = ROW / 4;
/// The maximum number of rows in a read. The canvas has two rows for each read row. Two reads suffice for the pixels of
/// a 640×400 stage.
const MAX_ROWS: u32 = 128;

/// The WebGPU canvas and the 2D canvas, with their contexts.
struct Canvases {
    gpu: OffscreenCanvas,
    surface: Surface<'static>,
    paper: OffscreenCanvas,
    drawing: OffscreenCanvasRenderingContext2d,
}

thread_local! {
    static CANVASES: RefCell<Option<Canvases>> = const { RefCell::new(None) };
}

/// Returns the content of a buffer, whose size is a multiple of four bytes.
pub(crate) fn read(
    device: &Device,
    queue: &Queue,
    buffer: &Buffer,
) -> Result<Vec<u8>, BackendError> {
    CANVASES.with_borrow_mut(|canvases| {
        let canvases = match canvases {
            Some(canvases) => canvases,
            None => canvases.insert(Canvases::new().map_err(|error| failed(&error))?),
        };
        let most = ROW * MAX_ROWS;
        let size = buffer.size();
        let mut out = Vec::new();
        let room = usize::try_from(size).map_err(|_| BackendError::OutOfMemory)?;
        out.try_reserve_exact(room).map_err(|_| BackendError::OutOfMemory)?;
        for start in (0..size).step_by(most as usize) {
            let length = u32::try_from((size - start).min(most.into())).unwrap_or(most);
            canvases.part((device, queue), buffer, (start, length), &mut out)?;
        }
        Ok(out)
    })
}

fn failed(error: &JsValue) -> BackendError {
    BackendError::Driver(format!("reading WebGPU pixels through a canvas: {error:?}"))
}

impl Canvases {
    fn new() -> Result<Self, JsValue> {
        let gpu = OffscreenCanvas::new(WIDTH, 2)?;
        let instance = Instance::new(InstanceDescriptor::new_without_display_handle());
        let surface = instance.create_surface(SurfaceTarget::OffscreenCanvas(gpu.clone()));
        let surface = surface.map_err(|error| JsValue::from(error.to_string()))?;
        let paper = OffscreenCanvas::new(WIDTH, 2)?;
        let options = Object::new();
        Reflect::set(&options, &"alpha".into(), &false.into())?;
        Reflect::set(&options, &"willReadFrequently".into(), &true.into())?;
        let drawing = paper.get_context_with_context_options("2d", &options)?;
        let drawing = drawing.ok_or("no canvas for 2D")?.unchecked_into();
        Ok(Canvases { gpu, surface, paper, drawing })
    }

    /// Appends a range (start, length) of a buffer's bytes to `out`.
    fn part(
        &mut self,
        (device, queue): (&Device, &Queue),
        buffer: &Buffer,
        (start, length): (u64, u32),
        out: &mut Vec<u8>,
    ) -> Result<(), BackendError> {
        let rows = length.div_ceil(ROW);
        self.surface.configure(device, &configuration(rows * 2));
        let (CurrentSurfaceTexture::Success(picture) | CurrentSurfaceTexture::Suboptimal(picture)) =
            self.surface.get_current_texture()
        else {
            return Err(failed(&"no texture".into()));
        };
        // The shifted image needs three more bytes after the last row.
        let buffer_of = |size: u32| copy_buffer(device, size.into());
        let (whole, moved) = (buffer_of(rows * ROW + 4), buffer_of(rows * ROW));
        let bytes = byte_texture(device, rows);
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, start, &whole, 0, u64::from(length));
        let single = Extent3d { width: ROW, height: rows, depth_or_array_layers: 1 };
        encoder.copy_buffer_to_texture(linear(&whole, 3), bytes.as_image_copy(), single);
        encoder.copy_texture_to_buffer(bytes.as_image_copy(), linear(&moved, 0), single);
        let pixels = Extent3d { width: WIDTH, ..single };
        for (from, y) in [(&whole, 0), (&moved, rows)] {
            let origin = Origin3d { x: 0, y, z: 0 };
            let place = TexelCopyTextureInfo { origin, ..picture.texture.as_image_copy() };
            encoder.copy_buffer_to_texture(linear(from, 0), place, pixels);
        }
        queue.submit([encoder.finish()]);
        let read = self.pixels(rows * 2).map_err(|error| failed(&error))?;
        let (first, second) = read.split_at(read.len() / 2);
        let texels = first.as_chunks::<4>().0.iter().zip(second.as_chunks::<4>().0);
        let texels = texels.take(length as usize / 4);
        out.extend(texels.flat_map(|(&[r, g, b, _], &[a, ..])| [r, g, b, a]));
        Ok(())
    }

    /// Returns the first `height` rows of the WebGPU canvas.
    fn pixels(&self, height: u32) -> Result<Vec<u8>, JsValue> {
        if self.paper.height() < height {
            self.paper.set_height(height);
        }
        self.drawing.draw_image_with_offscreen_canvas(&self.gpu, 0.0, 0.0)?;
        let [width, height] = [WIDTH, height].map(f64::from);
        Ok(self.drawing.get_image_data(0.0, 0.0, width, height)?.data().0)
    }
}

fn configuration(height: u32) -> SurfaceConfiguration {
    SurfaceConfiguration {
        usage: TextureUsages::COPY_DST | TextureUsages::RENDER_ATTACHMENT,
        format: TextureFormat::Rgba8Unorm,
        color_space: wgpu::SurfaceColorSpace::Srgb,
        width: WIDTH,
        height,
        present_mode: wgpu::PresentMode::Fifo,
        desired_maximum_frame_latency: 2,
        alpha_mode: CompositeAlphaMode::Opaque,
        view_formats: Vec::new(),
    }
}

/// Creates a buffer with the usages for copies from it and to it.
pub(crate) fn copy_buffer(device: &Device, size: u64) -> Buffer {
    let usage = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    let label = None;
    device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
}

/// Creates a texture with one byte per texel.
fn byte_texture(device: &Device, rows: u32) -> Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: Extent3d { width: ROW, height: rows, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: TextureFormat::R8Unorm,
        usage: TextureUsages::COPY_SRC | TextureUsages::COPY_DST,
        view_formats: &[],
    })
}

/// Returns the layout of a buffer's rows from this offset on.
fn linear(buffer: &Buffer, offset: u64) -> TexelCopyBufferInfo<'_> {
    let layout = TexelCopyBufferLayout { offset, bytes_per_row: Some(ROW), rows_per_image: None };
    TexelCopyBufferInfo { buffer, layout }
}
