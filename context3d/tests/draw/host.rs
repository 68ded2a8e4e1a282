//! Calls whose results depend on the values of `Host`.

use context3d::arguments::Rectangle;
use context3d::backend::NullBackend;
use context3d::enums::{BufferUsage, TextureFormat};
use context3d::packets::{BackBufferDesc, Packet, PassStart, RenderTarget};
use context3d::{Context3D, ContextOptions, DisplayScale, Error, Host, Invocation, Profile};

use crate::common::{Rig, legal};

#[track_caller]
pub(crate) fn message(result: Result<(), Error>) -> String {
    match result {
        Err(Error::Flash(error)) => error.to_string(),
        other => panic!("no error of Flash's: {other:?}"),
    }
}

/// [context3d.property.max_outside] [context3d.property.back_buffer_size] [context3d.property.unconfigured]
#[test]
fn the_largest_back_buffer_can_be_set() {
    let mut rig = Rig::with_caps(Profile::Baseline, |caps| caps.max_target_size = 4096);
    let context = &mut rig.context;
    assert_eq!(context.max_back_buffer_size(), (4096, 4096));
    legal(context.set_max_back_buffer_width(100));
    legal(context.set_max_back_buffer_height(200));
    assert_eq!(context.max_back_buffer_size(), (100, 200));
    legal(context.configure_back_buffer(100, 200, 0, false, false, false));
    assert!(
        message(context.configure_back_buffer(101, 200, 0, false, false, false))
            .ends_with("32 to 100.")
    );
    assert!(
        message(context.configure_back_buffer(100, 201, 0, false, false, false))
            .ends_with("32 to 200.")
    );
    assert_eq!(context.back_buffer_size(), (100, 200));
    // Setters clamp the maximum size between the configured size and the system's limit.
    legal(context.set_max_back_buffer_width(99));
    legal(context.set_max_back_buffer_height(5000));
    assert_eq!(context.max_back_buffer_size(), (100, 4096));
    for lowest in [i32::MIN, -1, 0, 31] {
        let mut fresh = unconfigured();
        assert_eq!(fresh.back_buffer_size(), (0, 0));
        legal(fresh.set_max_back_buffer_height(lowest));
        assert_eq!(fresh.max_back_buffer_size(), (16384, 32));
        assert!(
            message(fresh.configure_back_buffer(32, 33, 0, false, false, false)).contains("#3781")
        );
        legal(fresh.configure_back_buffer(32, 32, 0, false, false, false));
    }
}

fn unconfigured() -> context3d::Context3D<context3d::backend::NullBackend> {
    let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
    context3d::Context3D::new(context3d::backend::NullBackend::counting(), options)
}

/// In software mode, back buffers are smaller, and have no antialiasing [context3d.back_buffer.software].
#[test]
fn software_is_smaller_and_plain() {
    let mut rig = Rig::baseline();
    rig.context.set_software(true);
    assert_eq!(rig.context.max_back_buffer_size(), (2048, 2048));
    assert!(
        message(rig.context.configure_back_buffer(2049, 64, 0, false, false, false))
            .ends_with("32 to 2048.")
    );
    legal(rig.context.configure_back_buffer(2048, 64, 4, false, false, false));
    let configured = BackBufferDesc { width: 2048, height: 64, samples: 1, depth_stencil: false };
    assert_eq!(rig.packets()[1..], [Packet::ConfigureBackBuffer(configured)]);
    // Render targets have no antialiasing either [context3d.target.anti_alias].
    let texture = rig.texture();
    rig.packets();
    legal(rig.context.set_render_to_texture(Some(texture), false, 4, 0, 0));
    legal(rig.draw());
    let packets = rig.packets();
    let target = packets.iter().find_map(|packet| match packet {
        Packet::BeginPass(PassStart { target: RenderTarget::Textures(target), .. }) => {
            Some(target.samples)
        }
        _ => None,
    });
    assert_eq!(target, Some(1));
}

#[test]
fn a_constrained_back_buffer_lies_on_the_stage() {
    let mut rig = Rig::new(Profile::BaselineConstrained, 30);
    let stage = Rectangle { x: 0.0, y: 0.0, width: 500.0, height: 400.0 };
    let placed = Host { stage: Some(stage), ..Host::default() };
    rig.context.set_host(placed);
    legal(rig.context.set_position(10.5, 20.0));
    legal(rig.context.configure_back_buffer(489, 380, 0, false, false, false));
    assert_eq!(
        message(rig.context.configure_back_buffer(490, 380, 0, false, false, false)),
        "Error: Error #3723: Invalid Context3D bounds. Context3D instance bounds must be contained within Stage bounds in \
         constrained mode. Requested Context3D bounds were (10.5,20,490,380), stage bounds are (0,0,500,400)."
    );
    assert_eq!(rig.context.back_buffer_size(), (489, 380));
    // Profiles other than `baselineConstrained` don't check the back buffer's position.
    let mut free = Rig::baseline();
    free.context.set_host(placed);
    legal(free.context.set_position(-1.0, 400.0));
    legal(free.context.configure_back_buffer(501, 64, 0, false, false, false));
}

/// A new position can also raise 3723 [context3d.error.3723].
#[test]
fn a_constrained_context_stays_on_the_stage() {
    let mut rig = Rig::new(Profile::BaselineConstrained, 30);
    let stage = Rectangle { x: 0.0, y: 0.0, width: 500.0, height: 400.0 };
    let placed = Host { stage: Some(stage), ..Host::default() };
    legal(rig.context.set_position(9000.0, 0.0));
    rig.context.set_host(placed);
    legal(rig.context.set_position(500.0 - 64.0, 400.0 - 64.0));
    for [x, y] in [[436.5, 0.0], [0.0, 337.0], [-1.0, 0.0], [0.0, f64::NAN]] {
        let error = message(rig.context.set_position(x, y));
        assert!(error.contains("#3723"), "{x} {y}: {error}");
    }
    // After error 3723, the `Stage3D` keeps its last valid position.
    let error = message(rig.context.configure_back_buffer(65, 64, 0, false, false, false));
    assert!(
        error.ends_with("bounds were (436,336,65,64), stage bounds are (0,0,500,400)."),
        "{error}"
    );
    // Without a back buffer, every position is accepted.
    let options = rig.context.options();
    let mut empty = Context3D::new(NullBackend::new(), options);
    empty.set_host(placed);
    legal(empty.set_position(-1.0, 0.0));
}

#[test]
fn a_descriptor_binds_from_swf_15_on() {
    for (swf_version, binds) in [(14, false), (15, true), (50, true)] {
        let mut rig = Rig::new(Profile::Baseline, swf_version);
        let flag = Some(true);
        rig.context.set_host(Host { descriptor_depth_and_stencil: flag, ..Host::default() });
        legal(rig.context.configure_back_buffer(64, 64, 0, true, false, false));
        let other = rig.context.configure_back_buffer(64, 64, 0, false, false, false);
        assert_eq!(other.is_err(), binds, "{swf_version}: {other:?}");
    }
}

/// [context3d.life.background]
#[test]
fn in_the_background_the_device_rests() {
    let mut rig = Rig::baseline();
    let texture = rig.texture();
    rig.context.set_host(Host { background: true, ..Host::default() });
    rig.packets();
    let uploads = rig.context.texture_upload_from_byte_array(texture, Some(&[0; 64]), 0, None, 0);
    for refused in [
        rig.context.present(),
        rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX),
        rig.context.create_program().map(drop),
        rig.draw().map(drop),
        uploads,
    ] {
        assert!(message(refused).contains("#3768"));
    }
    assert_eq!(rig.packets(), []);
    legal(rig.context.set_texture_at(0, Some(texture)));
    legal(rig.context.texture_dispose(texture));
    rig.context.set_host(Host::default());
    legal(rig.context.present());
}

/// On systems without run-time compression, some uploads raise an error [context3d.compression.mobile].
#[test]
fn texels_that_nobody_compresses() {
    let mut rig = Rig::baseline();
    let compressed = rig.target(4, TextureFormat::CompressedAlpha);
    let plain = rig.target(4, TextureFormat::Bgra);
    legal(rig.context.texture_upload_from_byte_array(compressed, Some(&[0; 64]), 0, None, 0));
    rig.context.set_host(Host { runtime_compression: false, ..Host::default() });
    let upload = rig.context.texture_upload_from_byte_array(compressed, Some(&[0; 64]), 0, None, 0);
    assert!(message(upload).contains("#3675"));
    let later =
        rig.context.texture_upload_from_byte_array_async(compressed, Some(&[0; 64]), 0, None, 0);
    assert!(message(later).contains("#3675"));
    legal(rig.context.texture_upload_from_byte_array(plain, Some(&[0; 64]), 0, None, 0));
}

/// [context3d.property.ignore_bound] [context3d.property.memory]
#[test]
fn resource_limits_can_be_ignored_up_to_a_bound() {
    let mut context = unconfigured();
    assert_eq!(context.total_gpu_memory(), 0);
    let most = context3d::internals::ProfileLimits::of(Profile::Baseline).resources_per_kind;
    for _ in 0..most {
        legal(context.create_program());
    }
    assert!(message(context.create_program().map(drop)).contains("#3691"));
    legal(context.execute(&Invocation::SetIgnoreResourceLimits { value: true }));
    assert!(context.ignores_resource_limits());
    for _ in most..most * 16 {
        legal(context.create_program());
    }
    assert!(message(context.create_program().map(drop)).contains("#3691"));
    // The limits on the size of an object, and on the number of video textures, stay.
    assert!(
        message(context.create_vertex_buffer(1, 65, BufferUsage::StaticDraw).map(drop))
            .contains("#3670")
    );
    for _ in 0..4 {
        legal(context.create_video_texture());
    }
    assert!(message(context.create_video_texture().map(drop)).contains("#3691"));
    legal(context.set_ignore_resource_limits(false));
    assert!(message(context.create_program().map(drop)).contains("#3691"));
}

/// By default, the host allows 512 MB for each type of object. Only the largest profiles have limits above 512 MB
/// [context3d.property.ignore_bound].
#[test]
fn ignored_limits_on_memory_are_bounded_by_the_host() {
    // Textures of 16 MB without mip levels, and of 16 MB less 64 KB.
    let texture = |context: &mut Context3D<NullBackend>| {
        let format = TextureFormat::Bgra;
        context.create_rectangle_texture(2048, 2048, format, false).map(drop)
    };
    let vertices = |context: &mut Context3D<NullBackend>| {
        context.create_vertex_buffer(65536, 64, BufferUsage::StaticDraw).map(drop)
    };
    let mut context = unconfigured();
    legal(context.set_ignore_resource_limits(true));
    let mut fill = |grant: Option<u64>, textures: usize, buffers: usize| {
        if let Some(ignored_limits_memory) = grant {
            context.set_host(Host { ignored_limits_memory, ..Host::default() });
        }
        while texture(&mut context).is_ok() {}
        while vertices(&mut context).is_ok() {}
        assert!(message(texture(&mut context)).contains("#3691"));
        assert!(message(vertices(&mut context)).contains("#3691"));
        let bytes = (textures + buffers) << 24;
        assert_eq!(context.total_gpu_memory(), bytes as u64);
    };
    fill(None, 32, 32);
    fill(Some(1 << 30), 64, 64);
    // If the host sets no limit, the limit is sixteen times the profile's limit.
    fill(Some(u64::MAX), 16 * 32, 16 * 16);
    // A host's limit of 0 does not reduce the profile's limit.
    let mut context = unconfigured();
    context.set_host(Host { ignored_limits_memory: 0, ..Host::default() });
    legal(context.set_ignore_resource_limits(true));
    (0..32).for_each(|_| legal(texture(&mut context)));
    assert!(message(texture(&mut context)).contains("#3691"));
}

/// [context3d.order.back_buffer_rest] [context3d.order.back_buffer]
#[test]
fn checks_of_the_back_buffer_in_their_order() {
    let mut rig = Rig::new(Profile::BaselineConstrained, 30);
    let nowhere = Rectangle { x: 0.0, y: 0.0, width: 0.0, height: 0.0 };
    rig.context.set_host(Host {
        descriptor_depth_and_stencil: Some(true),
        stage: Some(nowhere),
        ..Host::default()
    });
    let mut configure = |width, height, depth| {
        message(rig.context.configure_back_buffer(width, height, 0, depth, false, false))
    };
    assert!(configure(31, 31, false).contains("#3780"));
    assert!(configure(32, 31, false).contains("#3781"));
    assert!(configure(32, 32, false).contains("#3709"));
    assert!(configure(32, 32, true).contains("#3723"));
}

/// Scales the physical buffer by the display scale factor; the logical size and scissor units stay as requested
/// [context3d.back_buffer.best_resolution] [context3d.back_buffer.units].
#[test]
fn a_finer_display_gets_a_finer_back_buffer() {
    let configured = |scale: DisplayScale, best: [bool; 2]| {
        let mut rig = Rig::with_caps(Profile::Baseline, |caps| caps.max_target_size = 2048);
        let host = Host { scale, ..Host::default() };
        rig.context.set_host(host);
        legal(rig.context.execute(&Invocation::ConfigureBackBuffer {
            width: 640,
            height: 480,
            anti_alias: 0,
            enable_depth_and_stencil: true,
            wants_best_resolution: best[0],
            wants_best_resolution_on_browser_zoom: best[1],
        }));
        (rig.context.back_buffer_size(), rig.context.back_buffer_pixels())
    };
    let scale = |contents, browser_zoom| DisplayScale { contents, browser_zoom };
    let fine = scale(2.0, 1.25);
    for (best, size, pixels) in [
        ([false, false], (640, 480), (640, 480)),
        ([true, false], (640, 480), (1280, 960)),
        // The zoom also changes the size that the program sees [context3d.back_buffer.zoom].
        ([false, true], (800, 600), (800, 600)),
        ([true, true], (800, 600), (1600, 1200)),
    ] {
        assert_eq!(configured(fine, best), (size, pixels), "{best:?}");
    }
    let pixels = |scale| configured(scale, [true; 2]).1;
    assert_eq!(pixels(scale(1.001, 1.0)), (641, 480));
    assert_eq!(pixels(scale(4.0, 1.0)), (2048, 1920));
    assert_eq!(pixels(scale(f64::INFINITY, 1.0)), (2048, 2048));
    for nonsense in [0.0, -1.0, f64::NAN] {
        assert_eq!(pixels(scale(nonsense, nonsense)), (640, 480));
    }
}

/// A back buffer that follows the browser's zoom: the program sees its size at once, and gets it at the next `present`
/// [context3d.back_buffer.zoom_factor].
#[test]
fn the_back_buffer_follows_the_zoom() {
    let zoomed = |browser_zoom| Host {
        scale: DisplayScale { contents: 1.0, browser_zoom },
        ..Host::default()
    };
    for follows in [true, false] {
        let mut rig = Rig::baseline();
        legal(rig.context.configure_back_buffer(640, 480, 0, true, false, follows));
        rig.packets();
        rig.context.set_host(zoomed(1.5));
        let size = if follows { (960, 720) } else { (640, 480) };
        assert_eq!(rig.context.back_buffer_size(), size);
        assert_eq!(rig.context.back_buffer_pixels(), (640, 480));
        legal(rig.context.clear(0.0, 0.0, 0.0, 1.0, 1.0, 0, u32::MAX));
        legal(rig.context.present());
        assert_eq!(rig.context.back_buffer_pixels(), size);
        let resized = BackBufferDesc { width: 960, height: 720, samples: 1, depth_stencil: true };
        let packets = rig.packets();
        let last = Packet::ConfigureBackBuffer(resized);
        assert_eq!(packets.last() == Some(&last), follows, "{packets:?}");
        // Another `present` doesn't resize the back buffer again.
        legal(rig.context.clear(0.0, 0.0, 0.0, 1.0, 1.0, 0, u32::MAX));
        legal(rig.context.present());
        assert!(!rig.packets().contains(&last));
        if follows {
            // The resized back buffer doesn't exceed `maxBackBufferWidth`.
            legal(rig.context.set_max_back_buffer_width(1000));
            rig.context.set_host(zoomed(3.0));
            assert_eq!(rig.context.back_buffer_size(), (1000, 1440));
        }
    }
}
