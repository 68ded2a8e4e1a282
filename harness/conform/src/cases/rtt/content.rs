//! Content that persists in a target.

use crate::case::Cases;
use crate::drawing::{color, show};
use crate::scene_builder::{PASS, Quad, SIDE, VARYING};

pub(super) fn add(cases: &mut Cases) {
    // "No clear required: colour content is kept".
    let names = [("rtt.content.uploaded_is_kept", 0), ("rtt.antialias.uploaded_is_kept", 4)];
    for (name, samples) in names {
        cases.scene(name, "[context3d.target.content]", move |s| {
            let side = SIDE.cast_signed();
            let texture = s.texture(side, side, "bgra")?;
            let byte = |number: u32| u8::try_from(number * 8).unwrap_or(0);
            let bytes = (0..SIDE * SIDE).flat_map(|n| [byte(n % 32), byte(n / 32), 77, 255]);
            s.upload(texture, bytes.collect(), 0)?;
            s.target(texture, (SIDE, SIDE), false, samples)?;
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat([8.0, 4.0, 20.0, 12.0], 0.5, color([255, 0, 0, 255]))])?;
            show(s, texture)
        });
    }
}
