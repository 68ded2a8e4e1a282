//! Tests failures of the device, and frames that the host holds.

use backend_wgpu::wgpu::{self, BufferUsages};
use backend_wgpu::{
    AdapterSelector, FEATURES, FrameExchange, FrameTexture, WgpuBackend, WgpuDevice, open,
    open_adapter,
};
use context3d::agal::{Stage, asm};
use context3d::backend::{Backend, BackendError, FrameSource, ReadSurface, Region};
use context3d::enums::{BufferUsage, VertexFormat};
use context3d::packets::{BackBufferDesc, Clear, Packet, PassStart, RenderTarget};
use context3d::{Context3D, ContextOptions, Error, Profile};

const SIDE: u32 = 64;
const SIZE: (u32, u32) = (SIDE, SIDE);

fn device() -> WgpuDevice {
    open(AdapterSelector::Software).expect("a software adapter, such as lavapipe").share()
}

fn configure(
    backend: &mut WgpuBackend,
    (width, height): (u32, u32),
    samples: u8,
) -> Result<(), BackendError> {
    let desc = BackBufferDesc { width, height, samples, depth_stencil: true };
    backend.execute(Packet::ConfigureBackBuffer(desc))
}

/// Presents a frame that is filled with one colour.
fn show(backend: &mut WgpuBackend, color: [f32; 4]) -> Result<(), BackendError> {
    let clear = Clear { color: Some(color), depth: Some(1.0), stencil: Some(0) };
    backend.execute(Packet::BeginPass(PassStart {
        target: RenderTarget::BackBuffer,
        load_samples: false,
        clear,
    }))?;
    backend.execute(Packet::EndPass { resolve: false })?;
    backend.execute(Packet::Present)
}

fn front(backend: &mut WgpuBackend) -> [u8; 4] {
    let mut pixels = Vec::new();
    let pixel = Region { x: SIDE / 2, y: 1, width: 1, height: 1 };
    backend.read_region(ReadSurface::Front, pixel, &mut pixels).expect("a read");
    pixels.try_into().expect("a pixel")
}

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];

#[test]
fn a_lost_device_fails_every_call_in_the_same_way() {
    let device = device();
    let mut backend = WgpuBackend::new(&device).expect("a backend");
    configure(&mut backend, SIZE, 0).expect("a back buffer");
    show(&mut backend, RED).expect("a frame");
    device.device().destroy();
    let _ = device.device().poll(wgpu::PollType::wait_indefinitely());
    for _ in 0..2 {
        assert_eq!(show(&mut backend, RED), Err(BackendError::Lost));
        assert_eq!(configure(&mut backend, SIZE, 4), Err(BackendError::Lost));
        let read = backend.read_pixels(ReadSurface::Front, &mut Vec::new());
        assert_eq!(read, Err(BackendError::Lost));
    }
    assert_eq!(WgpuBackend::new(&device).err(), Some(BackendError::Lost));
}

#[test]
fn a_back_buffer_that_is_too_large_is_an_error_and_a_smaller_one_follows() {
    let mut backend = WgpuBackend::new(&device()).expect("a backend");
    let side = backend.caps().max_target_size;
    assert!(side >= 16384 && backend.caps().max_samples >= 4);
    assert_eq!(configure(&mut backend, (side, side), 4), Err(BackendError::OutOfMemory));
    let beyond = configure(&mut backend, (side + 1, 1), 0);
    assert!(matches!(beyond, Err(BackendError::Driver(_))), "{beyond:?}");
    assert_eq!(backend.frame(), None);
    for samples in [0, 4] {
        configure(&mut backend, SIZE, samples).expect("a back buffer");
        show(&mut backend, GREEN).expect("a frame");
        assert_eq!(front(&mut backend), [0, 255, 0, 255]);
    }
}

/// Reads a pixel of a frame, on the host's device.
fn pixel(device: &WgpuDevice, frame: &FrameTexture) -> [u8; 4] {
    let size = u64::from(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let usage = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
    let buffer = device.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage,
        mapped_at_creation: false,
    });
    let mut encoder = device.device().create_command_encoder(&Default::default());
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: None, rows_per_image: None };
    let to = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    let one = wgpu::Extent3d { width: 1, height: 1, depth_or_array_layers: 1 };
    encoder.copy_texture_to_buffer(frame.texture().as_image_copy(), to, one);
    device.queue().submit([encoder.finish()]);
    buffer.map_async(wgpu::MapMode::Read, .., |result| result.expect("a mapped buffer"));
    device.device().poll(wgpu::PollType::wait_indefinitely()).expect("the copy");
    let view = buffer.get_mapped_range(..4);
    #[cfg(not(feature = "wgpu-27"))]
    let view = view.expect("a mapped buffer");
    view.to_vec().try_into().expect("a pixel")
}

#[test]
fn a_frame_that_the_host_keeps_is_not_drawn_over() {
    for samples in [0, 4] {
        let device = device();
        let mut backend = WgpuBackend::new(&device).expect("a backend");
        let exchange = FrameExchange::default();
        assert_eq!(backend.publish_frame(&exchange), Ok(false), "there is no frame");
        configure(&mut backend, SIZE, samples).expect("a back buffer");
        show(&mut backend, RED).expect("a frame");
        assert_eq!(backend.publish_frame(&exchange), Ok(true));
        assert_eq!(backend.publish_frame(&exchange), Ok(false), "the exchange has it");
        let kept = exchange.frame().expect("a frame");
        for number in 2..8 {
            show(&mut backend, GREEN).expect("a frame");
            assert_eq!(backend.publish_frame(&exchange), Ok(true));
            let newest = exchange.frame().expect("a frame");
            assert_eq!((newest.frame.presents, newest.frame.width), (number, SIDE));
            assert_eq!(pixel(&device, &newest), [0, 255, 0, 255]);
            assert_eq!(pixel(&device, &kept), [255, 0, 0, 255], "frame {number}");
        }
        configure(&mut backend, SIZE, samples).expect("a back buffer");
        assert_eq!(backend.publish_frame(&exchange), Ok(true), "there is none any more");
        assert!(exchange.frame().is_none());
    }
}

/// wgpu rejects the pipelines of a program with too many varyings. Each draw with that program returns an error with
/// the shader source and wgpu's message, until the device is lost. Draws with another program in between succeed.
#[test]
fn a_refused_pipeline_fails_its_own_draws() -> Result<(), Error> {
    let opened = open(AdapterSelector::Software).expect("a software adapter, such as lavapipe");
    let mut limits = opened.adapter.limits();
    #[cfg(feature = "wgpu-27")]
    (limits.max_inter_stage_shader_components = 8);
    #[cfg(not(feature = "wgpu-27"))]
    (limits.max_inter_stage_shader_variables = 2);
    let device = open_adapter(&opened.adapter, FEATURES, limits).expect("a device").share();
    let backend = WgpuBackend::new(&device).expect("a backend");
    let options = ContextOptions { profile: Profile::Standard, swf_version: 50 };
    let mut context = Context3D::new(backend, options);
    context.configure_back_buffer(64, 64, 0, true, false, false)?;
    let vertices = context.create_vertex_buffer(3, 2, BufferUsage::StaticDraw)?;
    let corners = [-1.0, -1.0, 3.0, -1.0, -1.0, 3.0];
    context.vertex_buffer_upload_from_vector(vertices, Some(&corners), 0, 3)?;
    context.set_vertex_buffer_at(0, Some(vertices), 0, VertexFormat::Float2)?;
    let indices = context.create_index_buffer(3, BufferUsage::StaticDraw)?;
    context.index_buffer_upload_from_vector(indices, Some(&[0, 1, 2]), 0, 3)?;
    let mut draw = |varyings: usize| {
        let (mut vertex, mut fragment) = ("mov op, va0".to_owned(), "mov ft0, fc0".to_owned());
        for number in 0..varyings {
            vertex += &format!("\nmov v{number}, va0");
            fragment += &format!("\nadd ft0, ft0, v{number}");
        }
        let assemble = |text: &str, stage| asm::assemble(text, stage, 1).expect("AGAL").encode();
        let vertex = assemble(&vertex, Stage::Vertex);
        let fragment = assemble(&(fragment + "\nmov oc, ft0"), Stage::Fragment);
        let program = context.create_program()?;
        context.program_upload(program, Some(vertex[..].into()), Some(fragment[..].into()))?;
        context.set_program(Some(program))?;
        context.clear(1.0, 0.0, 0.0, 1.0, 1.0, 0, u32::MAX)?;
        context.draw_triangles(Some(indices), 0, -1)?;
        let mut pixels = Vec::new();
        let backend = context.backend_mut();
        backend.read_pixels(ReadSurface::BackBuffer, &mut pixels).map_err(Error::Backend)?;
        Ok(pixels.as_chunks::<4>().0[0])
    };
    for _ in 0..2 {
        match draw(4) {
            Err(Error::Backend(BackendError::CompileFailed { stage, source, log })) => {
                assert_eq!(stage, "pipeline");
                assert!(source.contains("v3: vec4f") && !log.is_empty(), "{source}{log}");
            }
            result => panic!("{result:?}"),
        }
        assert_eq!(draw(0)?, [0; 4], "the constant's colour");
    }
    device.device().destroy();
    let _ = device.device().poll(wgpu::PollType::wait_indefinitely());
    assert_eq!(draw(4), Err(Error::Backend(BackendError::Lost)));
    Ok(())
}
