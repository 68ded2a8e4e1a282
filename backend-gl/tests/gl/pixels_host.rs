//! Tests features that need the host: frames of a video, and a display with more pixels than the stage.

use crate::common::APIS;
use crate::common::scene::{BLACK, BLUE, FLAT, FULL, GREEN, PASS, RED, SIZE, Scene, WHITE};
use context3d::arguments::{Bitmap, BitmapTarget};
use context3d::keys::TextureKey;
use context3d::{DisplayScale, Host, Invocation, ObjectHandle, Reply};

/// The texels of a frame in B, G, R, A.
const VIDEO: [[u8; 4]; 4] = [[0, 0, 255, 255], [0, 255, 0, 255], [255, 0, 0, 255], [255; 4]];
const SHOW: &str = "tex ft0, v0, fs0 <2d,nearest,clamp,nomip,video>\nmov oc, ft0";

#[track_caller]
fn show(
    scene: &mut Scene,
    texture: ObjectHandle<TextureKey>,
    (width, height): (u32, u32),
    bgra: &[u8],
) {
    let bitmap = Bitmap {
        width,
        height,
        transparent: false,
        layout: context3d::arguments::PixelLayout::default(),
        pixels: Some(bgra),
    };
    let shown = scene.context.video_texture_frame(texture, bitmap);
    assert!(shown.is_ok(), "{shown:?}");
}

/// [context3d.video.frames] Video frames are upright, replace each other, and may change to any size.
#[test]
fn frames_of_a_video_are_drawn() {
    for api in APIS {
        let mut scene = Scene::new(api);
        let Reply::Texture(video) = scene.call(Invocation::CreateVideoTexture {}) else {
            panic!("no video texture");
        };
        scene.program(PASS, SHOW);
        scene.bind_texture(0, Some(video));
        show(&mut scene, video, (2, 2), VIDEO.as_flattened());
        scene.picture_quad(FULL);
        let picture = scene.picture();
        for (place, color) in
            [(16, 16), (48, 16), (16, 48), (48, 48)].into_iter().zip([RED, GREEN, BLUE, WHITE])
        {
            picture.expect(place, color, "first frame");
        }
        show(&mut scene, video, (3, 1), VIDEO[..3].as_flattened());
        scene.picture_quad(FULL);
        let picture = scene.picture();
        for (x, color) in [(5, RED), (32, GREEN), (58, BLUE)] {
            for y in [0, SIZE - 1] {
                picture.expect((x, y), color, "a frame of another size");
            }
        }
        show(&mut scene, video, (3, 1), VIDEO[1..].as_flattened());
        scene.picture_quad(FULL);
        scene.picture().expect((5, 5), GREEN, "a frame of the same size");
    }
}

/// The physical buffer is scaled by the display scale factor; the logical size and scissor units don't change
/// [context3d.back_buffer.best_resolution] [context3d.back_buffer.units].
#[test]
fn a_finer_display_has_more_pixels() {
    for api in APIS {
        let mut scene = Scene::new(api);
        let scale = DisplayScale { contents: 1.5, browser_zoom: 1.0 };
        scene.context.set_host(Host { scale, ..Host::default() });
        scene.call(Invocation::ConfigureBackBuffer {
            width: 64,
            height: 64,
            anti_alias: 0,
            enable_depth_and_stencil: true,
            wants_best_resolution: true,
            wants_best_resolution_on_browser_zoom: false,
        });
        scene.clear([0.0, 0.0, 0.0, 1.0]);
        scene.program(PASS, FLAT);
        scene.color([1.0, 0.0, 0.0, 1.0]);
        scene.scissor(Some([8.0, 16.0, 4.0, 2.0]));
        scene.quad(FULL, 0.5, [0.0; 4]);
        let picture = scene.picture();
        assert_eq!((picture.width, picture.height), (96, 96));
        for y in 0..96 {
            for x in 0..96 {
                let inside = (12..18).contains(&x) && (24..27).contains(&y);
                picture.expect((x, y), if inside { RED } else { BLACK }, "scissor");
            }
        }
        let bitmap = scene.call(Invocation::DrawToBitmapData {
            destination: Some(BitmapTarget { width: 96, height: 96, transparent: true }),
            source_rect: None,
            dest_point: None,
        });
        let Reply::Bitmap(patch) = bitmap else {
            panic!("no bitmap");
        };
        assert_eq!((patch.width, patch.height), (96, 96));
        assert_eq!(patch.bgra[(24 * 96 + 12) * 4..][..4], [0, 0, 255, 255]);
    }
}
