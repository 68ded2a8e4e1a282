//! Tests that every backend passes presented frames to a host under the same contract.

use backend_gl::offscreen::{Api, Offscreen};
use context3d::agal::{Stage, asm};
use context3d::arguments::ByteOrder;
use context3d::backend::{
    Backend, BackendError, FrameRead, FrameReadError, FrameSource, PresentedFrame, Region,
    TakenFrame,
};
use context3d::enums::{BufferUsage, VertexFormat};
use context3d::{Context3D, ContextOptions, Error, Profile};
use context3d_layers::{EnhancedBackend, Enhancements, RecoverableBackend, RecoveryOptions};
use molehill_reference::{RasterOptions, ReferenceBackend};

/// The sizes of frames; the back buffer is configured where the size changes.
const SIZES: [(u32, u32); 5] = [(64, 48), (64, 48), (50, 32), (50, 32), (64, 48)];

const READS: [FrameRead; 5] = [
    FrameRead::ALL,
    SMALL,
    FrameRead { order: ByteOrder::Bgra, stride: 300, bottom_up: true, ..SMALL },
    FrameRead { region: Region { x: 20, y: 10, width: 13, height: 9 }, ..SMALL },
    FrameRead { region: Region { x: 40, y: 20, width: 99, height: 99 }, ..FrameRead::ALL },
];
const SMALL: FrameRead = FrameRead { program_size: true, ..FrameRead::ALL };
const DELAYED: FrameRead = FrameRead { delayed: true, ..SMALL };

/// Returns the expected pixel of a frame: the top left quarter is white, the rest is transparent, in a shade per frame.
fn pixel(frame: PresentedFrame, x: u32, y: u32) -> [u8; 4] {
    let is_white = x < frame.width / 2 && y < frame.height / 2;
    if is_white { [255; 4] } else { [frame.presents.to_le_bytes()[0] * 40, 0, 90, 0] }
}

fn draw<B: FrameSource>(context: &mut Context3D<B>, presents: u64) -> Result<(), Error> {
    let vertices = context.create_vertex_buffer(4, 2, BufferUsage::StaticDraw)?;
    let quarter = [-1.0, 1.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0];
    context.vertex_buffer_upload_from_vector(vertices, Some(&quarter), 0, 4)?;
    let indices = context.create_index_buffer(6, BufferUsage::StaticDraw)?;
    context.index_buffer_upload_from_vector(indices, Some(&[0, 1, 2, 0, 2, 3]), 0, 6)?;
    let assemble = |text, stage| asm::assemble(text, stage, 1).expect("a program").encode();
    let vertex = assemble("mov op, va0\nmov v0, va0", Stage::Vertex);
    let white = assemble("sge oc, v0, v0", Stage::Fragment);
    let program = context.create_program()?;
    context.program_upload(program, Some(vertex[..].into()), Some(white[..].into()))?;
    let rest = pixel(PresentedFrame { presents, width: 0, height: 0 }, 0, 0);
    let [red, green, blue, alpha] = rest.map(|byte| f64::from(byte) / 255.0);
    context.clear(red, green, blue, alpha, 1.0, 0, u32::MAX)?;
    context.set_program(Some(program))?;
    context.set_vertex_buffer_at(0, Some(vertices), 0, VertexFormat::Float2)?;
    context.draw_triangles(Some(indices), 0, -1)?;
    context.present()
}

/// Returns the bytes that reading a frame must return, with 7 in the padding.
fn expected(frame: PresentedFrame, read: &FrameRead) -> Vec<u8> {
    let Region { x, y, width, height } = read.region.within((frame.width, frame.height));
    let row = width as usize * 4;
    let stride = read.stride.max(row);
    let mut out = vec![7; stride * height as usize];
    for (line, to) in (0..height).zip(out.chunks_mut(stride)) {
        let line = if read.bottom_up { height - 1 - line } else { line };
        for (column, to) in (0..width).zip(to[..row].as_chunks_mut().0) {
            *to = pixel(frame, x + column, y + line);
            if read.order == ByteOrder::Bgra {
                to.swap(0, 2);
            }
        }
    }
    out
}

/// Asserts that no frame can be read.
fn assert_nothing<B: FrameSource>(context: &mut Context3D<B>, exchange: &B::Exchange) {
    assert_eq!(context.take_frame(exchange), Ok(None));
    let backend = context.backend_mut();
    assert_eq!(backend.frame(), None);
    assert_eq!(backend.read_frame(&FrameRead::ALL, &mut []), Ok(None));
}

/// Presents frames at `scale` times the size, and reads each frame by every method. Returns the numbers of the frames
/// that asynchronous reads returned.
fn frames<B: FrameSource>(backend: B, scale: u32, mut lose: impl FnMut(&mut B, u64)) -> Vec<u64> {
    let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
    let mut context = Context3D::new(backend, options);
    let exchange = B::Exchange::default();
    let (mut configured, mut copied) = ((0, 0), Vec::new());
    for (presents, size @ (width, height)) in (1..).zip(SIZES) {
        if configured != size {
            let [width, height] = [width, height].map(u32::cast_signed);
            let configure = context.configure_back_buffer(width, height, 4, false, false, false);
            configure.expect("a back buffer");
            assert_nothing(&mut context, &exchange);
            configured = size;
        }
        draw(&mut context, presents).expect("it is drawn");
        lose(context.backend_mut(), presents);
        let (small, backend) = (PresentedFrame { presents, width, height }, context.backend_mut());
        let (width, height) = (width * scale, height * scale);
        let frame = PresentedFrame { presents, width, height };
        for read in READS {
            let frame = if read.program_size { small } else { frame };
            let expected = expected(frame, &read);
            let mut out = vec![7; expected.len()];
            let Region { width, height, .. } = read.region.within((frame.width, frame.height));
            let got = backend.read_frame(&read, &mut out);
            assert_eq!(got, Ok(Some(PresentedFrame { presents, width, height })));
            assert!(out == expected, "frame {presents}, {read:?}");
        }
        assert_eq!((backend.presents(), backend.frame()), (presents, Some(frame)));
        let mut out = vec![7; 64 * 48 * 4];
        let late = backend.read_frame(&DELAYED, &mut out);
        if let Some(frame) = late.expect("it is copied") {
            let expected = expected(frame, &FrameRead::ALL);
            assert!(out[..expected.len()] == expected, "{frame:?}, a frame late");
            copied.push(frame.presents);
        }
        let mut opaque = expected(frame, &FrameRead::ALL);
        opaque.chunks_mut(4).for_each(|pixel| pixel[3] = 255);
        let taken = context.take_frame(&exchange);
        assert!(taken == Ok(Some(TakenFrame::Pixels(width, height, opaque))), "frame {presents}");
        assert_eq!(context.take_frame(&exchange), Ok(None), "it was taken");
    }
    for read in [SMALL, DELAYED] {
        let small = context.backend_mut().read_frame(&read, &mut [0; 9]);
        let needed = 64 * 48 * 4;
        assert_eq!(small, Err(FrameReadError::Memory { width: 64, height: 48, needed }));
    }
    copied
}

fn reference() -> ReferenceBackend {
    ReferenceBackend::new(RasterOptions::default())
}

/// Wraps a backend to draw with twice the program's width and height.
fn sharper<B: Backend>(below: B) -> EnhancedBackend<B> {
    EnhancedBackend::new(below, Enhancements { scale: 2, ..Enhancements::default() }, None)
}

/// A backend that passes frames as handles.
#[derive(Debug)]
struct Sharing(ReferenceBackend);

impl Backend for Sharing {
    context3d::forward_backend!(self => self.0; caps execute read_region read_texels);
}

impl FrameSource for Sharing {
    type Exchange = ();

    fn presents(&self) -> u64 {
        self.0.presents()
    }

    fn frame(&self) -> Option<PresentedFrame> {
        self.0.frame()
    }

    fn shares_frames(&self) -> bool {
        true
    }

    fn publish_frame(&mut self, (): &()) -> Result<bool, BackendError> {
        Ok(self.frame().is_some())
    }
}

/// A host can display a frame until it takes the next frame, also after the back buffer is reconfigured.
#[test]
fn a_taken_frame_keeps_its_scale() {
    keeps_scale(reference(), false);
    keeps_scale(Sharing(reference()), true);
}

fn keeps_scale<B: FrameSource<Exchange = ()>>(below: B, shares: bool) {
    let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
    let mut context = Context3D::new(sharper(below), options);
    let mut scales = vec![context.frame_scale()];
    for (presents, size @ (width, height)) in (1..).zip([(64, 48), (50, 32)]) {
        let configure = context.configure_back_buffer(width, height, 0, false, false, false);
        configure.expect("a back buffer");
        scales.push(context.frame_scale());
        draw(&mut context, presents).expect("it is drawn");
        match context.take_frame(&()).expect("no failure").expect("a frame") {
            TakenFrame::Handle => assert!(shares),
            TakenFrame::Pixels(wide, high, _) => {
                assert!(!shares, "{size:?}");
                assert_eq!((wide, high), (2 * width.cast_unsigned(), 2 * height.cast_unsigned()));
            }
        }
        scales.push(context.frame_scale());
    }
    assert_eq!(scales, [[1.0; 2], [1.0; 2], [0.5; 2], [0.5; 2], [0.5; 2]], "shares: {shares}");
}

#[test]
fn a_host_gets_the_frames_of_every_backend() {
    assert_eq!(frames(reference(), 1, |_, _| {}), [1, 2, 3, 4, 5]);
    assert_eq!(frames(sharper(reference()), 2, |_, _| {}), [1, 2, 3, 4, 5]);
    let boxed: Box<dyn FrameSource> = Box::new(reference());
    assert_eq!(frames(boxed, 1, |_, _| {}), [1, 2, 3, 4, 5]);
    for api in [Api::OpenGl, Api::Gles] {
        let offscreen = Offscreen::open(api).expect("an EGL; harness/setup.sh installs one");
        let gl = || offscreen.backend().expect("a backend");
        assert_eq!(frames(gl(), 1, |_, _| {}), [1, 2, 3, 4], "{api}: a frame late");
        assert_eq!(frames(sharper(gl()), 2, |_, _| {}), [1, 2, 3, 4], "{api}: sharper");
        let boxed: Box<dyn FrameSource> = Box::new(gl());
        assert_eq!(frames(boxed, 1, |_, _| {}), [1, 2, 3, 4], "{api}");
    }
}

/// If the device is lost while frame 3 is displayed, frame 3 can still be read, and later frames continue the count.
#[test]
fn frames_are_counted_over_a_loss() {
    let open = || {
        let opened = Offscreen::open(Api::OpenGl);
        opened.map_err(|error| BackendError::Driver(error.to_string()))?.backend()
    };
    let recoverable = RecoverableBackend::new(open, RecoveryOptions::default()).expect("a device");
    let copied = frames(recoverable, 1, |backend, presents| {
        if presents == 3 {
            backend.backend().device().abandon();
        }
    });
    assert_eq!(copied, [1, 3, 4], "the copy of the second was lost with the device");
}

/// Only a device that shares objects with the host's renderer can pass handles.
#[test]
fn only_a_backend_that_shares_gives_handles() {
    let mut reference = reference();
    assert!(!reference.shares_frames());
    let published = reference.publish_frame(&());
    assert!(matches!(published, Err(BackendError::Unsupported(_))), "{published:?}");
    let offscreen = Offscreen::open(Api::OpenGl).expect("an EGL; harness/setup.sh installs one");
    assert!(!offscreen.backend().expect("a backend").shares_frames());
}
