//! State that is kept across frames, targets and back buffers.

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::cases::drawing::{cells, pick};
use crate::scene_builder::{PASS, SIDE, SceneBuilder, VARYING};

const STATE: &str = "context3d.md section 4: state is kept across present(), setRenderToTexture and program changes";

/// Sets a piece of state.
type Set = fn(&mut SceneBuilder) -> crate::scene_builder::Done;

pub(super) fn add(cases: &mut Cases) {
    let states: [(&str, Set); 7] = [
        ("blend", |s| s.set_blend_factors("one", "one")),
        ("color_mask", |s| s.color_mask([true, false, true, false])),
        ("culling", |s| s.set_culling("back")),
        ("depth", |s| s.set_depth_test(true, "greater")),
        ("scissor", |s| s.set_scissor_rectangle(Some([4.0, 4.0, 20.0, 10.0]))),
        ("stencil", |s| {
            s.set_stencil_reference_value(1, 255, 255)?;
            s.stencil("frontAndBack", "equal", ["keep"; 3])
        }),
        ("program", |s| s.program(PASS, "mov ft0, v0\nsub oc, fc0, ft0").map(drop)),
    ];
    for (name, set) in states {
        cases.scene(format!("api.state.across_present.{name}"), STATE, move |s| {
            s.constants("fragment", 0, &[[1.0, 1.0, 1.0, 2.0]])?;
            s.program(PASS, VARYING)?;
            set(s)?;
            for frame in 0..2u16 {
                s.clear_to([0.2, 0.2, 0.2, 1.0], 0.25, u32::from(frame), 7)?;
                let quads = cells(|_, _| 0.5, |column, row| pick(column + row + frame))
                    .into_iter()
                    .enumerate();
                s.quads(
                    &quads
                        .map(|(n, quad)| if n % 4 == 0 { quad.behind() } else { quad })
                        .collect::<Vec<_>>(),
                )?;
                s.present()?;
            }
            s.clear([0.0; 4])
        });
        across_targets(cases, name, set);
        cases.scene(format!("api.state.across_configure.{name}"), STATE, move |s| {
            s.constants("fragment", 0, &[[1.0, 1.0, 1.0, 2.0]])?;
            s.program(PASS, VARYING)?;
            set(s)?;
            s.configure(SIDE, SIDE, 0, true)?;
            s.clear_to([0.2, 0.2, 0.2, 1.0], 0.25, 1, 7)?;
            s.quads(&cells(|_, _| 0.5, |column, row| pick(column + row)))
        });
    }
}

fn across_targets(cases: &mut Cases, name: &str, set: Set) {
    cases.scene(format!("api.state.across_targets.{name}"), STATE, move |s| {
        s.constants("fragment", 0, &[[1.0, 1.0, 1.0, 2.0]])?;
        s.program(PASS, VARYING)?;
        set(s)?;
        let side = SIDE.cast_signed();
        let texture = s.texture(side, side, "bgra")?;
        s.target(texture, (SIDE, SIDE), true, 0)?;
        s.clear_to([0.2, 0.2, 0.2, 1.0], 0.25, 1, 7)?;
        s.quads(&cells(|_, _| 0.5, |column, row| pick(column + row)))?;
        s.to_back_buffer()?;
        s.clear_to([0.4, 0.0, 0.4, 1.0], 0.25, 1, 7)?;
        s.quads(&cells(|_, _| 0.5, |column, row| pick(column * 2 + row)))
    });
}
