//! Tests of `clear`, render targets and `present`.

use context3d::arguments::{BitmapTarget, Rectangle};
use context3d::backend::{Backend, BackendError, NullBackend, ReadSurface, Region};
use context3d::enums::TextureFormat;
use context3d::keys::TextureKey;
use context3d::packets::{Clear, Packet, PassStart, RenderTarget};
use context3d::{Context3D, ContextOptions, Invocation, ObjectHandle, Profile, Reply};

use crate::common::{PLAIN, Rig, legal};

fn clears(rig: &mut Rig) -> Vec<Clear> {
    let clear = |packet: Packet<'static>| match packet {
        Packet::BeginPass(PassStart { clear, .. }) if clear != Clear::default() => Some(clear),
        _ => None,
    };
    rig.packets().into_iter().filter_map(clear).collect()
}

fn clear_with(rig: &mut Rig, mask: u32) {
    legal(rig.context.execute(&Invocation::Clear {
        red: 0.0,
        green: 0.0,
        blue: 0.0,
        alpha: 0.0,
        depth: 0.5,
        stencil: 7,
        mask,
    }));
}

fn set_output(rig: &mut Rig, texture: Option<ObjectHandle<TextureKey>>, color_output_index: i32) {
    legal(rig.context.execute(&Invocation::SetRenderToTexture {
        texture,
        enable_depth_and_stencil: false,
        anti_alias: 4,
        surface_selector: 0,
        color_output_index,
    }));
}

/// [context3d.clear.range] [context3d.clear.truncated] [context3d.clear.nan]
#[test]
fn clear_values_are_clamped_and_truncated_to_eight_bits() {
    let mut rig = Rig::baseline();
    legal(rig.context.clear(0.3, -1.0, 2.0, f64::NAN, f64::INFINITY, 300, u32::MAX));
    let expected = Clear {
        // In player images, 0.3 appears as 76.
        color: Some([76.0 / 255.0, 0.0, 1.0, 0.0]),
        depth: Some(1.0),
        stencil: Some(255),
    };
    assert_eq!(clears(&mut rig), [expected]);
    // Colours of whole bytes (n / 255) are preserved.
    for byte in 0..=255u8 {
        legal(rig.context.clear(
            f64::from(byte) / 255.0,
            f64::from(byte) / 255.0,
            f64::from(byte) / 255.0,
            f64::from(byte) / 255.0,
            1.0,
            0,
            u32::MAX,
        ));
        let color = clears(&mut rig)[0].color;
        assert_eq!(color, Some([f32::from(byte) / 255.0; 4]), "{byte}");
    }
    // Clear colours of half-float targets are clamped but not truncated [context3d.clear.float].
    let mut rig = Rig::new(Profile::Standard, 30);
    let texture = rig.target(8, TextureFormat::RgbaHalfFloat);
    legal(rig.context.set_render_to_texture(Some(texture), false, 0, 0, 0));
    legal(rig.context.clear(4.0, 0.3, 0.0, 1.0, 1.0, 0, u32::MAX));
    assert_eq!(clears(&mut rig)[0].color, Some([1.0, 0.3, 0.0, 1.0]));
}

/// [context3d.clear.mask]
#[test]
fn the_mask_chooses_what_is_cleared() {
    let mut rig = Rig::baseline();
    let mut cleared = |mask| {
        clear_with(&mut rig, mask);
        let clears = clears(&mut rig);
        let flags = |clear: &Clear| {
            let (depth, stencil) = (clear.depth, clear.stencil);
            (clear.color.is_some(), depth.is_some(), stencil.is_some())
        };
        clears.iter().map(flags).collect::<Vec<_>>()
    };
    assert_eq!(cleared(1), [(true, false, false)]);
    assert_eq!(cleared(2), [(false, true, false)]);
    assert_eq!(cleared(4), [(false, false, true)]);
    assert_eq!(cleared(u32::MAX), [(true, true, true)]);
    assert_eq!(cleared(8), []);
    // Buffers that the target doesn't have are not cleared [context3d.clear.no_buffer].
    legal(rig.context.configure_back_buffer(64, 64, 0, false, false, false));
    rig.packets();
    clear_with(&mut rig, 7);
    assert!(clears(&mut rig)[0].depth.is_none());
    clear_with(&mut rig, 6);
    assert_eq!(clears(&mut rig), []);
}

#[test]
fn a_texture_target_gets_what_was_not_cleared_of_depth_and_stencil() {
    let mut rig = Rig::baseline();
    let texture = rig.texture();
    let cleared =
        |color, depth, stencil| [Clear { color, depth: Some(depth), stencil: Some(stencil) }];
    let black = Some([0.0; 4]);
    for (mask, expected) in [
        (0, cleared(None, 1.0, 0)),
        (1, cleared(black, 1.0, 0)),
        (1 | 2, cleared(black, 0.5, 0)),
        (1 | 4, cleared(black, 1.0, 7)),
        (7, cleared(black, 0.5, 7)),
    ] {
        legal(rig.context.set_render_to_texture(Some(texture), true, 0, 0, 0));
        rig.packets();
        clear_with(&mut rig, mask);
        legal(rig.draw());
        assert_eq!(clears(&mut rig), expected, "mask {mask}");
        legal(rig.draw());
        assert_eq!(clears(&mut rig), [], "mask {mask}");
    }
    // Another clear in the same frame keeps the buffers that it doesn't name.
    clear_with(&mut rig, 2);
    assert_eq!(clears(&mut rig), [Clear { color: None, depth: Some(0.5), stencil: None }]);
    // Without a depth buffer, no clear is needed, and the colour persists.
    legal(rig.context.set_render_to_texture(Some(texture), false, 0, 0, 0));
    legal(rig.draw());
    assert_eq!(clears(&mut rig), []);
}

/// Removing a texture makes another target, with its own depth and stencil [context3d.target.depth].
#[test]
fn a_target_that_lost_a_texture_gets_its_depth_cleared() {
    let mut rig = Rig::new(Profile::Standard, 30);
    let slots = [rig.texture(), rig.texture()];
    let set = |rig: &mut Rig, output: i32, texture| {
        legal(rig.context.execute(&Invocation::SetRenderToTexture {
            texture,
            enable_depth_and_stencil: true,
            anti_alias: 0,
            surface_selector: 0,
            color_output_index: output,
        }));
    };
    for (output, texture) in (0..).zip(slots) {
        set(&mut rig, output, Some(texture));
    }
    clear_with(&mut rig, 7);
    set(&mut rig, 1, None);
    rig.packets();
    legal(rig.draw());
    assert_eq!(clears(&mut rig).len(), 1);
}

/// [context3d.present.pattern] [context3d.present.first_color]
#[test]
fn without_checking_a_forgotten_clear_shows_yellow_and_green_in_turns() {
    let mut rig = Rig::baseline();
    let mut forgotten = |draws: u32| {
        legal(rig.context.present());
        rig.packets();
        for _ in 0..draws {
            legal(rig.draw());
        }
        let drawn = clears(&mut rig);
        legal(rig.context.present());
        let presented = clears(&mut rig);
        legal(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
        (drawn, presented)
    };
    let pattern = |color| vec![Clear { color: Some(color), depth: Some(1.0), stencil: Some(0) }];
    let (yellow, green) = ([1.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(forgotten(2), (pattern(yellow), vec![]));
    assert_eq!(forgotten(0), (vec![], pattern(green)));
    assert_eq!(forgotten(1), (pattern(yellow), vec![]));
}

#[test]
fn targets_change_once_and_end_with_present() {
    let mut rig = Rig::baseline();
    let texture = rig.target(8, TextureFormat::Bgra);
    rig.packets();
    legal(rig.context.set_render_to_texture(Some(texture), true, 4, 0, 0));
    assert_eq!(rig.packets(), [], "before something is drawn");
    legal(rig.draw());
    let packets = rig.packets();
    let [
        Packet::ZeroLevel { side: 0, level: 0, .. },
        Packet::BeginPass(PassStart {
            target: RenderTarget::Textures(target),
            load_samples: true,
            ..
        }),
        Packet::Draw(_),
    ] = &packets[packets.len() - 3..]
    else {
        panic!("{packets:?}")
    };
    let shape = (target.width, target.height, target.samples, target.depth_stencil);
    assert_eq!(shape, (8, 8, 4, true));
    assert_eq!(target.color[0].map(|color| color.texture), Some(texture.key()));
    assert!(target.color[1..].iter().all(Option::is_none));
    legal(rig.draw());
    assert!(matches!(rig.packets().as_slice(), [Packet::Draw(_)]));
    // If the target is set again before a draw, only its depth is cleared.
    legal(rig.context.set_render_to_back_buffer());
    legal(rig.context.set_render_to_texture(Some(texture), true, 4, 0, 0));
    legal(rig.draw());
    let packets = rig.packets();
    let [Packet::EndPass { resolve: false }, Packet::BeginPass(pass), Packet::Draw(_)] =
        packets.as_slice()
    else {
        panic!("{packets:?}")
    };
    let depth = Clear { color: None, depth: Some(1.0), stencil: Some(0) };
    assert_eq!((pass.load_samples, pass.clear), (false, depth));
    // An upload into the target's texture resolves the samples first; the next pass loads them again.
    let bytes = [0; 256];
    legal(rig.context.texture_upload_from_byte_array(texture, Some(&bytes), 0, None, 0));
    legal(rig.draw());
    let packets = rig.packets();
    assert!(
        matches!(
            packets.as_slice(),
            [
                Packet::EndPass { resolve: true },
                ..,
                Packet::GenerateMips { .. },
                Packet::UploadTexture { .. },
                Packet::BeginPass(PassStart { load_samples: true, .. }),
                Packet::Draw(_)
            ]
        ),
        "{packets:?}"
    );
    legal(rig.context.present());
    let resolved = Packet::EndPass { resolve: true };
    assert_eq!(rig.packets(), [resolved.clone(), Packet::Present]);
    // If the target's colour is cleared, the samples aren't loaded from the texture.
    legal(rig.context.set_render_to_texture(Some(texture), true, 4, 0, 0));
    legal(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
    let begun = rig.packets();
    assert!(matches!(begun.as_slice(), [Packet::BeginPass(PassStart { load_samples: false, .. })]));
    set_output(&mut rig, None, 0);
    legal(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
    let packets = rig.packets();
    assert_eq!(packets[0], resolved);
    assert!(matches!(
        packets[1],
        Packet::BeginPass(PassStart { target: RenderTarget::BackBuffer, .. })
    ));
    // `Present` resolves the samples of the back buffer.
    legal(rig.context.present());
    assert_eq!(rig.packets(), [Packet::EndPass { resolve: false }, Packet::Present]);
}

#[test]
fn several_targets() {
    let mut rig = Rig::new(Profile::Standard, 50);
    let textures = [0; 3].map(|_| rig.target(8, TextureFormat::Bgra));
    // Returns the textures of the target that a clear renders to.
    let outputs = |rig: &mut Rig| {
        rig.packets();
        let _ = rig.context.clear(1.0, 1.0, 1.0, 1.0, 1.0, 0, u32::MAX);
        let packets = rig.packets();
        let target = packets.iter().rev().find_map(|packet| match packet {
            Packet::BeginPass(PassStart { target: RenderTarget::Textures(target), .. }) => {
                Some(target.color)
            }
            _ => None,
        });
        target.map(|color| color.map(|output| output.map(|output| output.texture)))
    };
    set_output(&mut rig, Some(textures[0]), 0);
    set_output(&mut rig, Some(textures[1]), 1);
    let [a, b, c] = textures.map(|texture| Some(texture.key()));
    assert_eq!(outputs(&mut rig), Some([a, b, None, None]));
    // The attachment of an output can be replaced [context3d.output.replaced].
    set_output(&mut rig, Some(textures[2]), 0);
    assert_eq!(outputs(&mut rig), Some([c, b, None, None]));
    rig.use_program(("mov op, va0", "mov oc, fc0\nmov fo1, fc1"), 2);
    legal(rig.context.set_error_checking(true));
    assert_eq!(rig.draw(), Ok(Reply::Done));
    // A program may write fewer outputs than are bound [context3d.output.fewer].
    rig.use_program(PLAIN, 2);
    assert_eq!(rig.draw(), Ok(Reply::Done));
    legal(rig.context.clear(1.0, 1.0, 1.0, 1.0, 1.0, 0, u32::MAX));
    assert_eq!(clears(&mut rig).len(), 1);
    // Draws into incompatible textures are rejected. Unbinding the last texture restores the former target.
    let small = rig.target(4, TextureFormat::Bgra);
    set_output(&mut rig, Some(small), 2);
    assert_eq!(outputs(&mut rig), None);
    assert!(rig.draw().is_err());
    set_output(&mut rig, None, 2);
    rig.packets();
    assert_eq!(rig.draw(), Ok(Reply::Done));
    assert!(matches!(rig.packets().as_slice(), [Packet::Draw(_)]));
    // `setRenderToBackBuffer` unbinds all outputs [context3d.output.unbound].
    legal(rig.context.set_render_to_back_buffer());
    set_output(&mut rig, Some(textures[0]), 0);
    assert_eq!(outputs(&mut rig), Some([a, None, None, None]));
}

/// Draws into a disposed texture never reach the back buffer [context3d.error.3694.target].
#[test]
fn a_target_that_is_disposed_stays_the_target() {
    let mut rig = Rig::baseline();
    let texture = rig.texture();
    legal(rig.context.set_render_to_texture(Some(texture), false, 0, 0, 0));
    rig.packets();
    legal(rig.context.texture_dispose(texture));
    assert_eq!(rig.packets(), [Packet::DisposeTexture(texture.key())]);
    assert!(rig.draw().is_err());
    assert!(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX).is_err());
    // A repeated `dispose` is allowed: "dispose() may be repeated."
    legal(rig.context.texture_dispose(texture));
    assert_eq!(rig.packets(), []);
    legal(rig.context.set_render_to_back_buffer());
    assert_eq!(rig.draw(), Ok(Reply::Done));
    let packets = rig.packets();
    let back = |packet: &Packet<'_>| match packet {
        Packet::BeginPass(pass) => pass.target == RenderTarget::BackBuffer,
        _ => true,
    };
    assert!(packets.iter().all(back));
}

#[test]
fn the_back_buffer_can_change_while_a_texture_is_the_target() {
    let mut rig = Rig::baseline();
    let texture = rig.texture();
    legal(rig.context.set_render_to_texture(Some(texture), false, 0, 0, 0));
    rig.packets();
    legal(rig.context.configure_back_buffer(128, 96, 0, false, false, false));
    assert_eq!(rig.context.back_buffer_size(), (128, 96));
    assert!(matches!(rig.packets()[..], [Packet::EndPass { .. }, Packet::ConfigureBackBuffer(_)]));
    // The texture is still the target [context3d.back_buffer.target], and needs no clear [context3d.clear.needed].
    legal(rig.context.set_error_checking(true));
    assert_eq!(rig.draw(), Ok(Reply::Done));
    legal(rig.context.set_render_to_back_buffer());
    assert!(rig.draw().is_err());
}

/// [context3d.bitmap.copy] [context3d.bitmap.target] [context3d.bitmap.fraction]
#[test]
fn reading_the_back_buffer_is_clipped_to_both() {
    let mut rig = Rig::baseline();
    // The back buffer can also be read while a texture is the render target.
    let texture = rig.texture();
    legal(rig.context.set_render_to_texture(Some(texture), false, 0, 0, 0));
    let mut read = |size: u32, source: Option<[f64; 4]>, point| {
        let rectangle = |[x, y, width, height]: [f64; 4]| context3d::arguments::Rectangle {
            x,
            y,
            width,
            height,
        };
        let reply = rig.context.execute(&Invocation::DrawToBitmapData {
            destination: Some(BitmapTarget { width: size, height: size, transparent: false }),
            source_rect: source.map(rectangle),
            dest_point: point,
        });
        match legal(reply) {
            Reply::Bitmap(patch) => {
                let size = (patch.width, patch.height);
                assert_eq!(patch.bgra.len(), size.0 as usize * size.1 as usize * 4);
                assert!(patch.bgra.as_chunks::<4>().0.iter().all(|p| *p == [0, 0, 0, 255]));
                (patch.x, patch.y, size.0, size.1)
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(read(16, None, None), (0, 0, 16, 16));
    assert_eq!(read(100, None, None), (0, 0, 64, 64));
    assert_eq!(read(u32::MAX, Some([60.0, 8.0, 99.0, 2.5]), Some([3.0, 4.0])), (3, 4, 4, 2));
    assert_eq!(read(8, Some([0.0, 0.0, 8.0, 8.0]), Some([6.0, 8.0])), (6, 8, 2, 0));
    assert_eq!(read(8, Some([0.0, 0.0, -8.0, 8.0]), None), (0, 0, 0, 8));
}

/// A backend that records the regions of reads.
struct Watch {
    backend: NullBackend,
    read: Vec<(ReadSurface, Region)>,
}

impl Backend for Watch {
    context3d::forward_backend!(self => self.backend; caps execute read_texels);

    fn read_region(
        &mut self,
        surface: ReadSurface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        self.read.push((surface, region));
        self.backend.read_region(surface, region, out)
    }
}

/// For picking, programs read a single pixel whenever the mouse moves.
#[test]
fn no_more_of_the_back_buffer_is_read_than_asked_for() {
    let watch = Watch { backend: NullBackend::counting(), read: Vec::new() };
    let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
    let mut context = Context3D::new(watch, options);
    legal(context.configure_back_buffer(640, 480, 0, false, false, false));
    legal(context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
    legal(context.execute(&Invocation::DrawToBitmapData {
        destination: Some(BitmapTarget { width: 1, height: 2, transparent: true }),
        source_rect: Some(Rectangle { x: 300.0, y: 200.0, width: 8.0, height: 8.0 }),
        dest_point: None,
    }));
    let region = Region { x: 300, y: 200, width: 1, height: 2 };
    assert_eq!(context.backend().read, [(ReadSurface::BackBuffer, region)]);
}

/// A clear of no buffer doesn't count as a clear [context3d.clear.counts].
#[test]
fn a_clear_of_nothing_is_no_clear() {
    let mut rig = Rig::baseline();
    legal(rig.context.set_error_checking(true));
    for (mask, clears) in
        [(0, false), (8, false), (1, true), (2, true), (4, true), (u32::MAX, true)]
    {
        legal(rig.context.present());
        clear_with(&mut rig, mask);
        assert_eq!(rig.draw().is_ok(), clears, "{mask}");
        clear_with(&mut rig, 7);
    }
}
