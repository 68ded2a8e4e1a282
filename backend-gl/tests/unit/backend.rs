use std::borrow::Cow;
use std::rc::Rc;

use context3d::backend::{Backend as _, BackendError, ReadSurface};
use context3d::enums::TextureFormat;
use context3d::keys::{AnyKey, TextureKey};
use context3d::packets::{
    BackBufferDesc, Clear, ColorAttachment, Packet, PassStart, RenderTarget, TexelLayout,
    TextureDesc, TextureKind, TextureTarget,
};
use slotmap::SlotMap;

use crate::GlBackend;
use crate::gl::{GlFunctions, LabelTarget};
use crate::offscreen::{Api, Offscreen, OffscreenOptions};

const PASS: PassStart = PassStart {
    target: RenderTarget::BackBuffer,
    load_samples: false,
    clear: Clear { color: Some([0.0; 4]), depth: None, stencil: None },
};
const BEGIN: Packet<'static> = Packet::BeginPass(PASS);
const END: Packet<'static> = Packet::EndPass { resolve: false };

/// Creates a backend with a back buffer.
fn backend(api: Api, debug: bool) -> GlBackend {
    let mut options = OffscreenOptions::new(api);
    options.debug = debug;
    let offscreen = Offscreen::open_with(&options);
    let offscreen = offscreen.expect("an EGL; harness/setup.sh installs one");
    let mut backend = offscreen.backend().expect("a backend");
    let shape = BackBufferDesc { width: 4, height: 4, samples: 1, depth_stencil: false };
    run(&mut backend, [Packet::ConfigureBackBuffer(shape)]);
    backend
}

fn run<const N: usize>(backend: &mut GlBackend, packets: [Packet<'_>; N]) {
    for packet in packets {
        assert_eq!(backend.execute(packet), Ok(()));
    }
}

fn gl(backend: &GlBackend) -> Rc<GlFunctions> {
    Rc::clone(&backend.device().borrow().expect("not in use").gl)
}

#[test]
fn gl_errors_are_counted_and_fail_only_for_memory() {
    for debug in [false, true] {
        let mut backend = backend(Api::OpenGl, debug);
        assert_eq!(backend.debug_errors(), 0);
        // Errors before the first packet of a frame belong to other code.
        run(&mut backend, [BEGIN, END]);
        gl(&backend).enable(0xFFFF);
        run(&mut backend, [Packet::Present]);
        assert!(backend.debug_errors() > 0);
        // `Present` returns an out-of-memory error of a draw in its frame.
        gl(&backend).out_of_memory();
        let failed = backend.execute(Packet::Present);
        assert_eq!(failed, Err(BackendError::OutOfMemory));
        run(&mut backend, [Packet::Present]);
    }
}

#[test]
fn debug_messages_are_heard() {
    let mut backend = backend(Api::OpenGl, true);
    let debug_log = backend.device().borrow().expect("not in use").debug_log;
    assert!(debug_log, "Mesa has debug contexts");
    let gl = gl(&backend);
    gl.enable(0xFFFF);
    gl.drain_debug_log(true);
    assert!(gl.problems() > 0, "the error came as a message too");
    backend.debug_errors();
}

#[test]
fn a_lost_device_stays_lost() {
    let mut backend = backend(Api::OpenGl, false);
    backend.device().abandon();
    assert_eq!(backend.execute(Packet::Present), Err(BackendError::Lost));
    let read = backend.read_pixels(ReadSurface::Front, &mut Vec::new());
    assert_eq!(read, Err(BackendError::Lost));
    let other = backend.device().backend();
    assert_eq!(other.map(|_| ()), Err(BackendError::Lost));
}

#[test]
fn debuggers_see_names_and_groups() {
    for api in [Api::OpenGl, Api::Gles] {
        let mut backend = backend(api, true);
        let mut keys = SlotMap::with_key();
        let textures: [TextureKey; 2] = [keys.insert(()), keys.insert(())];
        let desc = TextureDesc {
            kind: TextureKind::TwoD,
            format: TextureFormat::Bgra,
            width: 1,
            height: 1,
            levels: 1,
            render_target: false,
        };
        for key in textures {
            let data = Cow::Borrowed(&[1, 2, 3, 4][..]);
            let (side, level, layout) = (0, 0, TexelLayout::Bgra8);
            let upload = Packet::UploadTexture { key, side, level, layout, data };
            run(&mut backend, [Packet::CreateTexture { key, desc }, upload]);
        }
        let gl = gl(&backend);
        gl.take_messages();
        run(&mut backend, [BEGIN, END, Packet::Present, BEGIN, END]);
        let texture = backend.objects.textures.get(textures[1]).expect("it was made").name();
        assert_eq!(gl.label_of(LabelTarget::Texture(texture)), "texture2");
        // Labels of the host are truncated between characters.
        for (name, label) in [("walls".to_owned(), "walls"), ("ü".repeat(200), &"ü".repeat(127))]
        {
            assert_eq!(backend.label(AnyKey::Texture(textures[1]), &name), Ok(()));
            assert_eq!(gl.label_of(LabelTarget::Texture(texture)), label);
        }
        assert_eq!(backend.label(AnyKey::Texture(TextureKey::default()), "none"), Ok(()));
        let device = backend.device().clone();
        let surface = device.run(|device| {
            let surface = backend.objects.targets.bind(&mut device.shadow, 1)?;
            Ok(surface.framebuffer.name)
        });
        let surface = LabelTarget::Framebuffer(surface.expect("it was cleared"));
        assert_eq!(gl.label_of(surface), "back buffer");
        // A new pass logs the end of the previous pass's debug group.
        gl.take_messages();
        let device = backend.device().clone();
        let messages = device.run(|device| {
            backend.objects.open_group(device, Some(&RenderTarget::BackBuffer));
            Ok(gl.take_messages())
        });
        let texts = ["frame 1, pass 1: back buffer", "frame 1, pass 2: back buffer"];
        assert_eq!(messages.expect("not lost"), texts, "{api}");
        assert_eq!(backend.debug_errors(), 0);
    }
}

/// A new framebuffer beyond the limit replaces the least recently used one.
#[test]
fn targets_in_use_keep_their_framebuffers() {
    let mut backend = backend(Api::OpenGl, false);
    let mut keys: SlotMap<TextureKey, ()> = SlotMap::with_key();
    let (kind, format) = (TextureKind::TwoD, TextureFormat::Bgra);
    let desc = TextureDesc { kind, format, width: 4, height: 4, levels: 3, render_target: true };
    let framebuffer = |backend: &mut GlBackend, texture| {
        let color = [Some(ColorAttachment { texture, side: 0 }), None, None, None];
        let target = TextureTarget { color, width: 4, height: 4, samples: 0, depth_stencil: false };
        let pass =
            PassStart { target: RenderTarget::Textures(target), clear: Clear::default(), ..PASS };
        run(backend, [Packet::BeginPass(pass), END]);
        backend.objects.targets.current().expect("it was set")
    };
    let mut first = None;
    for _ in 0..100 {
        let key = keys.insert(());
        let zeros = Packet::ZeroLevel { key, side: 0, level: 0 };
        run(&mut backend, [Packet::CreateTexture { key, desc }, zeros]);
        let (made, (used, before)) =
            (framebuffer(&mut backend, key), *first.get_or_insert((key, None)));
        let now = framebuffer(&mut backend, used);
        assert_eq!(before.unwrap_or(now), now, "it was used all the time");
        first = Some((used, Some(now)));
        assert_eq!(made == now, before.is_none());
    }
}

#[test]
fn other_contexts_have_no_groups() {
    let mut backend = backend(Api::OpenGl, false);
    run(&mut backend, [BEGIN, END, Packet::Present]);
    assert_eq!((backend.objects.passes.frame, backend.objects.passes.open), (0, false));
    assert_eq!(backend.debug_errors(), 0);
}

/// Clears three contexts on one device alternately, at random. Returns whether each context's back buffer has the
/// colour of its last clear. With `mutated`, the state cache misses the clears of other contexts.
fn clears_side_by_side(seed: u32, mutated: bool) -> bool {
    let first = backend(Api::OpenGl, false);
    let device = first.device().clone();
    let mut backends = vec![first];
    for _ in 0..2 {
        let mut backend = device.backend().expect("a backend");
        let shape = BackBufferDesc { width: 4, height: 4, samples: 1, depth_stencil: false };
        run(&mut backend, [Packet::ConfigureBackBuffer(shape)]);
        backends.push(backend);
    }
    let mut colors = [0u8; 3];
    let mut random = seed;
    for backend in &mut backends {
        run(backend, [BEGIN, END]);
    }
    for _ in 0..40 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let (turn, color) = ((random >> 28) as usize % 3, (random >> 16).to_le_bytes()[0]);
        let backend = &mut backends[turn];
        if mutated {
            let mut device = device.borrow().expect("not in use");
            let surface = backend.objects.targets.current().expect("it is set");
            device.shadow.corrupt_for_test(surface);
        }
        let clear =
            Clear { color: Some([f32::from(color) / 255.0; 4]), depth: None, stencil: None };
        run(backend, [Packet::BeginPass(PassStart { clear, ..PASS }), END]);
        colors[turn] = color;
    }
    let mut pixels = Vec::new();
    backends.iter_mut().zip(colors).all(|(backend, color)| {
        backend.read_pixels(ReadSurface::BackBuffer, &mut pixels).expect("a picture");
        pixels.iter().all(|byte| *byte == color)
    })
}

#[test]
fn a_clear_of_another_context_is_noticed() {
    for seed in 0..4 {
        assert!(clears_side_by_side(seed, false), "{seed}");
        assert!(!clears_side_by_side(seed, true), "{seed}: the mutation is caught");
    }
}
