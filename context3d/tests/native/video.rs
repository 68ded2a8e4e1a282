//! Videos: support, attached streams, frames with separate planes, and events.

use std::cell::RefCell;
use std::rc::Rc;

use context3d::native::{
    CallRecorder, HostEvent, Method, Native, NativeResult, RenderState, VideoFrame, VideoPlane,
    YuvMatrix,
};
use context3d::{
    AnyHandle, Error, FlashError, Host, Invocation, Profile, Reply, Request, RequestRefusal,
    TextureEvent,
};

use super::hosts::{created, started};
use super::{Log, This, Value, call, events, numbers, request};

/// The host knows whether videos are supported before it creates a context [context3d.property.video].
#[test]
fn support_of_videos_is_known_before_a_context() {
    let stage3ds = This::stage3ds();
    let supports = || call(&stage3ds[0], "Context3D", "get supportsVideoTexture", &[]);
    assert!(matches!(supports(), Ok(NativeResult::Boolean(true))));
    stage3ds[1].set_host(Host { video_textures: false, ..Host::default() });
    assert!(matches!(supports(), Ok(NativeResult::Boolean(false))));
    let context = request(&stage3ds[0], "baseline").expect("a context");
    let there = call(&context, "Context3D", "get supportsVideoTexture", &[]);
    assert!(matches!(there, Ok(NativeResult::Boolean(false))));
}

/// [context3d.stage3d.count] [context3d.request.others]
#[test]
fn a_player_has_any_number_of_stage3ds() {
    assert!(This::stage3ds_of(0).is_empty());
    let one = This::stage3ds_of(1);
    let log = Log::default();
    one[0].record(log.clone());
    assert!(events(&one[0], true).is_empty());
    assert_eq!(log.0.take(), ["end"]);
    one[0].set_others(1);
    assert_eq!(request(&one[0], "baselineConstrained").err(), Some(3702));
    one[0].set_others(0);
    assert!(request(&one[0], "baselineConstrained").is_ok());
}

/// [context3d.video.attach] [context3d.video.attach_null]
#[test]
fn the_host_attaches_streams_and_cameras() {
    let (_stage3d, context) = started("baseline");
    let video = created(&context, "createVideoTexture", &[]);
    for name in ["attachNetStream", "attachCamera"] {
        let attached = call(&video, "VideoTexture", name, &[Value::Null]);
        assert!(matches!(attached, Ok(NativeResult::Attach)), "{attached:?}");
        assert_eq!(call(&context, "VideoTexture", name, &[Value::Null]).err(), Some(1034));
        let method = Method::find("VideoTexture", name).expect(name);
        assert_eq!((method.result, method.parameters.len()), (None, 1));
    }
    call(&video, "VideoTexture", "dispose", &[]).expect("legal");
    assert_eq!(call(&video, "VideoTexture", "attachCamera", &[Value::Null]).err(), Some(3694));
}

/// [context3d.video.render_state]
#[test]
fn a_video_has_a_state() {
    let (_stage3d, context) = started("baseline");
    let video = created(&context, "createVideoTexture", &[]);
    let HostEvent { name, target, render_state, error, .. } =
        video.render_state(RenderState::Software);
    assert_eq!((name, target), ("renderState", Some(video.number())));
    assert_eq!((render_state.map(RenderState::name), error), (Some("software"), None));
}

/// A recorder that stores the pixels of the last video frame.
#[derive(Clone, Default)]
struct Frames(Rc<RefCell<Vec<u8>>>);

impl CallRecorder for Frames {
    fn context(&mut self, _: u32, _: &Request, _: Profile) -> u64 {
        1
    }
    fn refused(&mut self, _: u32, _: &Request, _: &FlashError, _: &RequestRefusal) {}
    fn stage3d(&mut self, _: u32, _: &Invocation<'_>) {}
    fn call(&mut self, _: u64, invocation: &Invocation<'_>, _: &Result<Reply, Error>) {
        if let Invocation::VideoTextureFrame { source, .. } = invocation {
            *self.0.borrow_mut() = source.pixels.unwrap_or_default().to_vec();
        }
    }
    fn event(&mut self, _: &TextureEvent) {}
    fn forget(&mut self, _: AnyHandle) {}
    fn end_frame(&mut self) {}
}

/// Frames of 3×3 pixels. The upper two rows have two red columns and a white column; the lowest row is black.
/// [context3d.video.yuv] [context3d.video.matrix] [context3d.video.frames]
#[test]
fn frames_in_planes_become_pixels() {
    let (_stage3d, context, frames) = recorded();
    let video = created(&context, "createVideoTexture", &[]);
    let shown = |frame: &VideoFrame<'_>| {
        let event = video.video_frame(frame).expect("legal").expect("an event");
        assert_eq!((event.name, event.target), ("textureReady", Some(video.number())));
        frames.0.take()
    };
    for (matrix, red, [y, u, v]) in [
        (YuvMatrix::Bt601, [0, 0, 255, 255], [81, 90, 240]),
        (YuvMatrix::Bt709, [0, 1, 255, 255], [63, 102, 240]),
    ] {
        let (white, black) = ([255; 4], [0, 0, 0, 255]);
        let expected = [[red, red, white], [red, red, white], [black; 3]].concat().concat();
        // The rows of the Y plane have padding, except for the last row.
        let luma = [[y, y, 235, 9], [y, y, 235, 9]].concat();
        let luma = VideoPlane { bytes: &[&*luma, &[16; 3]].concat(), stride: 4 };
        let (us, vs) = ([u, 128, 128, 128], [v, 128, 128, 128]);
        let [us, vs] = [&us, &vs].map(|bytes| VideoPlane { bytes, stride: 2 });
        let both = VideoPlane { bytes: &[u, v, 128, 128, 128, 128, 128, 128], stride: 4 };
        let size = [3, 3];
        assert_eq!(shown(&VideoFrame::I420 { size, y: luma, u: us, v: vs, matrix }), expected);
        assert_eq!(shown(&VideoFrame::Nv12 { size, y: luma, uv: both, matrix }), expected);
        let width = call(&video, "VideoTexture", "get videoWidth", &[]);
        assert!(matches!(width, Ok(NativeResult::Number(3.0))), "{width:?}");
        // A plane that is too small, and a plane whose rows overlap.
        let short = VideoPlane { bytes: &luma.bytes[1..], stride: 4 };
        let overlapping = VideoPlane { bytes: both.bytes, stride: 1 };
        for frame in [
            VideoFrame::Nv12 { size, y: short, uv: both, matrix },
            VideoFrame::Nv12 { size, y: luma, uv: overlapping, matrix },
            VideoFrame::I420 { size: [u32::MAX; 2], y: luma, u: us, v: vs, matrix },
            VideoFrame::I420 { size: [0, 0], y: luma, u: us, v: vs, matrix },
        ] {
            let refused = video.video_frame(&frame);
            assert!(
                matches!(&refused, Err(Error::Flash(error)) if error.number() == 2015),
                "{refused:?}"
            );
        }
    }
    let frame = VideoFrame::Nv12 {
        size: [1, 1],
        y: VideoPlane { bytes: &[16], stride: 1 },
        uv: VideoPlane { bytes: &[128, 128], stride: 2 },
        matrix: YuvMatrix::Bt601,
    };
    assert!(matches!(context.video_frame(&frame), Err(Error::Unsupported(_))));
    let texture = created(&context, "createVertexBuffer", &numbers([3.0, 1.0]));
    assert!(matches!(texture.video_frame(&frame), Err(Error::Unsupported(_))));
}

fn recorded() -> (This, This, Frames) {
    let [stage3d, ..] = Native::stage3ds();
    let frames = Frames::default();
    stage3d.record(frames.clone());
    let context = request(&stage3d, "baseline").expect("a context");
    (stage3d, context, frames)
}
