//! Content that persists in a target.

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::cases::drawing::{color, into_texture, show};
use crate::scene_builder::{FULL, PASS, Quad, SIDE, VARYING};

const SOURCE: &str = "context3d.md section 7";

fn kept(cases: &mut Cases) {
    // "No clear required: colour content is kept".
    cases.scene("rtt.content.uploaded_is_kept", SOURCE, |s| {
        let side = SIDE.cast_signed();
        let texture = s.texture(side, side, "bgra")?;
        let bytes = (0..SIDE * SIDE).flat_map(|n| {
            [u8::try_from(n % 32 * 8).unwrap_or(0), u8::try_from(n / 32 * 8).unwrap_or(0), 77, 255]
        });
        s.upload(texture, bytes.collect(), 0)?;
        s.target(texture, (SIDE, SIDE), false, 0)?;
        s.program(PASS, VARYING)?;
        s.quads(&[Quad::flat([8.0, 4.0, 20.0, 12.0], 0.5, color([255, 0, 0, 255]))])?;
        show(s, texture)
    });
    cases.scene("rtt.content.drawn_is_kept", SOURCE, |s| {
        let first = into_texture(s)?;
        s.program(PASS, VARYING)?;
        s.quads(&[Quad::flat([0.0, 0.0, 16.0, 32.0], 0.5, color([255, 0, 0, 255]))])?;
        let second = into_texture(s)?;
        s.quads(&[Quad::flat([0.0, 0.0, 32.0, 16.0], 0.5, color([0, 255, 0, 255]))])?;
        s.target(first, (SIDE, SIDE), true, 0)?;
        s.quads(&[Quad::flat([8.0, 20.0, 28.0, 30.0], 0.5, color([0, 0, 255, 255]))])?;
        super::mrt::show_all(s, &[first, second])
    });
}

fn chains(cases: &mut Cases) {
    cases.scene("rtt.content.chain", SOURCE, |s| {
        let mut last = into_texture(s)?;
        s.program(PASS, VARYING)?;
        s.quads(&[Quad::flat([2.0, 2.0, 12.0, 8.0], 0.5, color([255, 204, 0, 255]))])?;
        for n in 0..4u8 {
            let next = into_texture(s)?;
            s.program(PASS, "tex oc, v0, fs0 <2d,nearest,repeat,mipnone>")?;
            s.set_texture_at(0, last)?;
            let at = f32::from(n + 1) / 8.0;
            s.quads(&[Quad::textured(FULL, [-at, -at, 1.0 - at, 1.0 - at])])?;
            s.set_texture_at(0, None)?;
            last = next;
        }
        show(s, last)
    });
    // "present resets the target to the back buffer".
    cases.scene("rtt.content.present_resets_target", "context3d.md section 5, present", |s| {
        let texture = into_texture(s)?;
        s.present()?;
        s.clear([0.4, 0.0, 0.0, 1.0])?;
        s.program(PASS, VARYING)?;
        s.quads(&[Quad::flat([8.0, 8.0, 24.0, 16.0], 0.5, color([255, 255, 0, 255]))])?;
        s.present()?;
        show(s, texture)
    });
}

fn back_and_forth(cases: &mut Cases) {
    cases.scene("rtt.content.upload_after_drawing", SOURCE, |s| {
        let texture = into_texture(s)?;
        s.program(PASS, VARYING)?;
        s.quads(&[Quad::flat(FULL, 0.5, color([255, 0, 0, 255]))])?;
        s.to_back_buffer()?;
        s.upload(texture, vec![102; (SIDE * SIDE * 4) as usize], 0)?;
        show(s, texture)
    });
    cases.scene("rtt.content.back_buffer_is_kept", SOURCE, |s| {
        s.program(PASS, VARYING)?;
        s.quads(&[Quad::flat([0.0, 0.0, 16.0, 32.0], 0.5, color([0, 255, 0, 255]))])?;
        let texture = into_texture(s)?;
        s.quads(&[Quad::flat(FULL, 0.5, color([255, 0, 255, 255]))])?;
        s.to_back_buffer()?;
        s.program(PASS, "tex oc, v0, fs0 <2d,nearest,clamp,mipnone>")?;
        s.set_texture_at(0, texture)?;
        s.quads(&[Quad::textured([20.0, 4.0, 28.0, 12.0], [0.0, 0.0, 1.0, 1.0])])
    });
}

pub(super) fn add(cases: &mut Cases) {
    kept(cases);
    back_and_forth(cases);
    chains(cases);
}
