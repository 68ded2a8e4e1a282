//! The stencil: comparisons, masks, actions, faces.

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::drawing::{CELLS, cells, color, column, show};
use crate::expected;
use crate::scene_builder::{Done, FULL, PASS, Quad, SIDE, SceneBuilder, VARYING};

const SOURCE: &str = "[context3d.stencil.test] [context3d.stencil.actions]; capture stencil";
const FACES: &str = "[context3d.stencil.faces] [context3d.clip.front]; capture stencil";
const ORDER: &str = "[context3d.stencil.order]";
/// The stored values, by column.
const STORED: [u32; 8] = [0, 1, 15, 85, 127, 128, 254, 255];

/// Stores a value in each column.
fn store(s: &mut SceneBuilder) -> Done {
    s.program(PASS, VARYING)?;
    s.color_mask([false; 4])?;
    s.stencil("frontAndBack", "always", ["set"; 3])?;
    for (value, number) in STORED.into_iter().zip(0..CELLS) {
        s.set_stencil_reference_value(value, 255, 255)?;
        s.quads(&[column(number, 0.5, [0.0; 4])])?;
    }
    s.color_mask([true; 4])
}

/// Shows the stored values as red, bit by bit; keeps green and blue.
fn reveal(s: &mut SceneBuilder) -> Done {
    s.set_culling("none")?;
    s.set_depth_test(false, "always")?;
    s.program(PASS, VARYING)?;
    s.set_blend_factors("one", "one")?;
    s.color_mask([true, false, false, true])?;
    s.stencil("frontAndBack", "equal", ["keep"; 3])?;
    for bit in 0..8u8 {
        s.set_stencil_reference_value(255, 1 << bit, 255)?;
        s.quads(&[Quad::flat(FULL, 0.5, color([1 << bit, 0, 0, 0]))])?;
    }
    s.color_mask([true; 4])?;
    s.set_blend_factors("one", "zero")?;
    s.stencil("frontAndBack", "always", ["keep"; 3])
}

/// Everything but red.
const MARK: [u8; 4] = [0, 153, 204, 255];

/// Front faces above, back faces below.
fn both_faces(s: &mut SceneBuilder, z: f32) -> Done {
    let quads = cells(|_, _| z, |_, _| color(MARK)).into_iter().enumerate();
    let quads: Vec<Quad> = quads
        .map(|(n, quad)| if n < usize::from(CELLS * CELLS / 2) { quad } else { quad.behind() })
        .collect();
    s.quads(&quads)
}

pub(super) fn add(cases: &mut Cases) {
    comparisons(cases);
    actions(cases);
    faces(cases);
    references(cases);
    clears(cases);
}

fn comparisons(cases: &mut Cases) {
    for name in expected::names("CompareMode") {
        for (reference, read) in [(127u32, 255u32), (85, 15), (200, 0), (0, 255), (255, 128)] {
            let tail = format!("compare.{name}.reference_{reference}.read_{read}");
            cases.scene(format!("stencil.{tail}"), SOURCE, move |s| {
                store(s)?;
                s.stencil("frontAndBack", name, ["invert", "keep", "keep"])?;
                s.set_stencil_reference_value(reference, read, 255)?;
                both_faces(s, 0.5)?;
                reveal(s)
            });
        }
        cases.scene(format!("rtt.stencil.compare.{name}"), SOURCE, move |s| {
            let side = SIDE.cast_signed();
            let texture = s.texture(side, side, "bgra")?;
            s.target(texture, (SIDE, SIDE), true, 0)?;
            s.clear([0.0, 0.0, 0.0, 1.0])?;
            store(s)?;
            s.stencil("frontAndBack", name, ["invert", "keep", "keep"])?;
            s.set_stencil_reference_value(127, 255, 255)?;
            both_faces(s, 0.5)?;
            reveal(s)?;
            show(s, texture)
        });
    }
}

/// The occasions of actions.
const OCCASIONS: [(&str, &str, &str); 3] = [
    ("both_pass", "always", "always"),
    ("depth_fail", "always", "never"),
    ("stencil_fail", "never", "always"),
];

fn actions(cases: &mut Cases) {
    for action in expected::names("StencilAction") {
        for (slot, (occasion, stencil, depth)) in OCCASIONS.into_iter().enumerate() {
            for write in [255u32, 15, 170, 0] {
                let name = format!("stencil.action.{action}.{occasion}.write_{write}");
                cases.scene(name, SOURCE, move |s| {
                    store(s)?;
                    let mut actions = ["keep"; 3];
                    if let Some(taken) = actions.get_mut(slot) {
                        *taken = action;
                    }
                    s.stencil("frontAndBack", stencil, actions)?;
                    s.set_stencil_reference_value(100, 255, write)?;
                    s.set_depth_test(false, depth)?;
                    both_faces(s, 0.5)?;
                    reveal(s)
                });
            }
        }
    }
    // Where both tests fail, the stencil's action is used.
    cases.scene("stencil.action.both_fail", ORDER, |s| {
        store(s)?;
        s.stencil("frontAndBack", "never", ["zero", "invert", "set"])?;
        s.set_stencil_reference_value(100, 255, 255)?;
        s.set_depth_test(false, "never")?;
        both_faces(s, 0.5)?;
        reveal(s)
    });
}

fn faces(cases: &mut Cases) {
    for front in expected::names("StencilAction") {
        for back in expected::names("StencilAction") {
            let name = format!("stencil.two_sided.{front}.{back}");
            cases.scene(name, FACES, move |s| {
                store(s)?;
                s.stencil("front", "always", [front, "keep", "keep"])?;
                s.stencil("back", "always", [back, "keep", "keep"])?;
                s.set_stencil_reference_value(100, 255, 255)?;
                both_faces(s, 0.5)?;
                reveal(s)
            });
        }
    }
    for front in expected::names("CompareMode") {
        for back in expected::names("CompareMode") {
            let name = format!("stencil.two_sided_compare.{front}.{back}");
            cases.scene(name, FACES, move |s| {
                store(s)?;
                s.stencil("front", front, ["zero", "keep", "keep"])?;
                s.stencil("back", back, ["zero", "keep", "keep"])?;
                s.set_stencil_reference_value(127, 255, 255)?;
                both_faces(s, 0.5)?;
                reveal(s)
            });
        }
    }
    // "face none accepted, no effect"; culled faces have no effect.
    for face in expected::names("TriangleFace") {
        for culled in expected::names("TriangleFace") {
            let name = format!("stencil.face.{face}.culled_{culled}");
            cases.scene(name, FACES, move |s| {
                store(s)?;
                s.stencil("frontAndBack", "always", ["keep"; 3])?;
                s.stencil(face, "always", ["invert", "keep", "keep"])?;
                s.set_culling(culled)?;
                both_faces(s, 0.5)?;
                reveal(s)
            });
        }
    }
}

fn references(cases: &mut Cases) {
    // "low 8 bits used"; "set after or before the actions, either order".
    for value in [0u32, 1, 255, 256, 511, 0xFFFF_FF80, u32::MAX] {
        for before in [true, false] {
            let word = if before { "before" } else { "after" };
            let name = format!("stencil.reference.{value}.{word}");
            cases.scene(name, "[context3d.stencil.reference]", move |s| {
                store(s)?;
                if before {
                    s.set_stencil_reference_value(value, 255, 255)?;
                }
                s.stencil("frontAndBack", "greater", ["set", "keep", "keep"])?;
                if !before {
                    s.set_stencil_reference_value(value, 255, 255)?;
                }
                both_faces(s, 0.5)?;
                reveal(s)
            });
        }
    }
}

fn clears(cases: &mut Cases) {
    // "stencil > 255 becomes 255".
    for value in [0u32, 1, 128, 255, 256, 1000, u32::MAX] {
        let name = format!("stencil.clear.{value}");
        cases.scene(name, "[context3d.clear.range]", move |s| {
            s.set_stencil_reference_value(0, 255, 15)?;
            s.clear_to([0.0, 0.6, 0.8, 1.0], 1.0, value, 7)?;
            reveal(s)
        });
    }
}
