//! Sequences of frames.

use crate::case::Cases;
use crate::cases::drawing::{corners, pick};
use crate::scene_builder::{PASS, Quad, VARYING};

pub(super) fn add(cases: &mut Cases) {
    cases.scene("api.frames.three", "context3d.md section 5, present", |s| {
        s.program(PASS, VARYING)?;
        for frame in 0..3u16 {
            s.clear([f64::from(frame) / 5.0, 0.2, 0.4, 1.0])?;
            s.quads(&[Quad::flat(corners(frame, frame), 0.5, pick(frame + 2))])?;
            s.present()?;
        }
        s.clear([0.0, 1.0, 0.0, 1.0])
    });
}
