//! Constant registers: every register, every call that sets it, and persistence.

use context3d::Profile;

use crate::calls::Calls as _;
use crate::case::Cases;
use crate::drawing::{self, CELLS, by_cell, corners, into_texture, pick, show};
use crate::expected;
use crate::scene_builder::{Done, FULL, PASS, Quad, SceneBuilder, VARYING};
use molehill_capture::data::{ByteArray, Bytes};

const SOURCE: &str = "[context3d.constants.vector] [context3d.constants.float_vector]";
const MATRIX: &str =
    "[context3d.constants.matrix] [context3d.constants.transposed]; capture rotating_cube";
const BYTES: &str = "[context3d.constants.bytes]; captures program_constants_bytearray_le and _be";
const KEPT: &str = "[context3d.constants.kept]";
const NUMBERS: &str = "[agal.register.counts] [agal.register.profile]";

/// A different colour for each register, exact in eight bits.
pub(in crate::cases) fn own(register: usize) -> [f64; 4] {
    let part = |step: usize| {
        let byte = u8::try_from((register * step + 17) % 256).unwrap_or(0);
        f64::from(byte) / 255.0
    };
    [part(1), part(7), part(31), 1.0]
}

/// The first profile with this register, and its AGAL version.
fn profile_of(stage: &str, register: usize) -> Option<Profile> {
    Profile::ALL.iter().copied().skip(1).find(|profile| count(stage, *profile) > register)
}

/// Number of registers of a stage.
fn count(stage: &str, profile: Profile) -> usize {
    let count = expected::limit(&format!("{stage}_constants"), profile);
    usize::try_from(count).unwrap_or(0)
}

fn registers(cases: &mut Cases) {
    for stage in ["vertex", "fragment"] {
        for register in 0..count(stage, Profile::Enhanced) {
            let Some(profile) = profile_of(stage, register) else {
                continue;
            };
            let name = format!("api.constants.{stage}.register_{register:03}");
            cases
                .scene(name, NUMBERS, move |s| {
                    let version = profile.max_version().number();
                    match stage {
                        "vertex" => s.program_of(
                            version,
                            &format!("mov op, va0\nmov v0, vc{register}"),
                            VARYING,
                        )?,
                        _ => s.program_of(
                            version,
                            "mov op, va0\nmov v0, va1",
                            &format!("mov ft0, v0\nadd oc, ft0, fc{register}"),
                        )?,
                    };
                    // All at once, so that an index that is off by one shows the neighbour's colour.
                    let all: Vec<[f64; 4]> = (0..count(stage, profile)).map(own).collect();
                    s.constants(stage, 0, &all)?;
                    let (vertices, indices) = s.mesh(&[Quad::flat(FULL, 0.5, [0.0; 4])])?;
                    s.set_vertex_buffer_at(0, vertices, 0, "float3")?;
                    if stage == "fragment" {
                        s.set_vertex_buffer_at(1, vertices, 3, "float4")?;
                    }
                    s.draw_triangles(indices, 0, -1)
                })
                .profile(profile);
        }
    }
}

fn ways(cases: &mut Cases) {
    for stage in ["vertex", "fragment"] {
        matrices(cases, stage);
        for (first, count) in [(0i32, 1i32), (0, 8), (3, 2), (7, 1), (5, -1)] {
            let name = format!(
                "api.constants.vector.{stage}.at_{first}.{}",
                if count < 0 { "all".to_owned() } else { count.to_string() }
            );
            cases.scene(name, SOURCE, move |s| {
                let numbers: Vec<f64> =
                    (3..if count < 0 { 6 } else { 3 + 8 }).flat_map(own).collect();
                s.set_program_constants_from_vector(stage, first, numbers, count)?;
                columns(s, stage)
            });
        }
        for (first, count) in [(0i32, 8i32), (3, 2), (5, -1)] {
            let name = format!("api.constants.float_vector.{stage}.at_{first}.{count}");
            cases.scene(name, SOURCE, move |s| {
                let all = if count < 0 { 3..6 } else { 3..11 };
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "constants are single precision"
                )]
                let numbers = all.flat_map(own).map(|number| number as f32).collect();
                s.set_program_constants_from_float_vector(stage, first, numbers, count)?;
                columns(s, stage)
            });
        }
        byte_arrays(cases, stage);
        let name = format!("api.constants.never_set.{stage}");
        let source = "[context3d.state.constants]";
        cases.scene(name, source, move |s| {
            s.constants(stage, 2, &[own(9)])?;
            columns(s, stage)
        });
    }
}

/// `setProgramConstantsFromByteArray`.
fn byte_arrays(cases: &mut Cases, stage: &'static str) {
    for (first, count, offset) in [(0i32, 8i32, 0u32), (2, 3, 0), (1, 2, 16), (4, 4, 6)] {
        let name = format!("api.constants.bytes.{stage}.at_{first}.{count}.offset_{offset}");
        cases.scene(name, BYTES, move |s| {
            let numbers = (3..16).flat_map(own);
            #[expect(clippy::cast_possible_truncation, reason = "constants are single precision")]
            let mut bytes: Vec<u8> =
                numbers.flat_map(|number| (number as f32).to_le_bytes()).collect();
            bytes.splice(0..0, vec![0x7F; usize::try_from(offset % 16).unwrap_or(0)]);
            s.set_program_constants_from_byte_array(stage, first, count, bytes, offset)?;
            columns(s, stage)
        });
    }
    let name = format!("api.constants.bytes.{stage}.big_endian");
    cases.scene(name, BYTES, move |s| {
        #[expect(clippy::cast_possible_truncation, reason = "constants are single precision")]
        let bytes =
            (3..11).flat_map(own).flat_map(|number| (number as f32).to_le_bytes()).collect();
        let data = ByteArray(Some(Bytes { bytes, endian: agal::Endian::Big }));
        s.set_program_constants_from_byte_array(stage, 0, 8, data, 0)?;
        columns(s, stage)
    });
}

/// `setProgramConstantsFromMatrix`.
fn matrices(cases: &mut Cases, stage: &'static str) {
    let matrix: [f64; 16] =
        std::array::from_fn(|n| f64::from(u8::try_from(n * 16).unwrap_or(0)) / 255.0);
    for transposed in [false, true] {
        for first in [0, 2, 4] {
            let word = if transposed { "transposed" } else { "as_it_is" };
            let name = format!("api.constants.matrix.{stage}.{word}.at_{first}");
            cases.scene(name, MATRIX, move |s| {
                s.set_program_constants_from_matrix(stage, first, matrix, transposed)?;
                columns(s, stage)
            });
        }
    }
}

fn lifetimes(cases: &mut Cases) {
    for stage in ["vertex", "fragment"] {
        between_draws(cases, stage);
        cases.scene(format!("api.constants.kept.{stage}.across_programs"), KEPT, move |s| {
            let all: Vec<[f64; 4]> = (0..8).map(|n| own(n * 9)).collect();
            s.constants(stage, 0, &all)?;
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat(FULL, 0.5, pick(3))])?;
            columns(s, stage)
        });
        cases.scene(format!("api.constants.kept.{stage}.across_targets"), KEPT, move |s| {
            let all: Vec<[f64; 4]> = (0..8).map(|n| own(n * 9)).collect();
            s.constants(stage, 0, &all)?;
            let texture = into_texture(s)?;
            columns(s, stage)?;
            show(s, texture)?;
            s.set_texture_at(0, None)?;
            s.color_mask([true, false, true, true])?;
            columns(s, stage)?;
            s.color_mask([true; 4])
        });
        cases.scene(format!("api.constants.kept.{stage}.across_present"), KEPT, move |s| {
            let all: Vec<[f64; 4]> = (0..8).map(|n| own(n * 9)).collect();
            s.constants(stage, 0, &all)?;
            columns(s, stage)?;
            s.present()?;
            s.clear([0.0; 4])?;
            columns(s, stage)
        });
    }
}

fn between_draws(cases: &mut Cases, stage: &'static str) {
    cases.scene(format!("api.constants.kept.{stage}.between_draws"), KEPT, move |s| {
        let (vertex, fragment) = match stage {
            "vertex" => ("mov op, va0\nmov vt0, va1\nadd v0, vt0, vc0", VARYING),
            _ => (PASS, "mov ft0, v0\nadd oc, ft0, fc0"),
        };
        s.program(vertex, fragment)?;
        for n in 0..CELLS {
            s.constants(stage, 0, &[own(usize::from(n) * 5)])?;
            s.quads(&[Quad::flat(corners(n, n), 0.5, [0.0; 4])])?;
            // Setting another register does not change it.
            s.constants(stage, 1, &[own(77)])?;
            s.quads(&[Quad::flat(corners(n, 7 - n), 0.5, [0.0; 4])])?;
        }
        Ok(())
    });
}

pub(super) fn add(cases: &mut Cases) {
    registers(cases);
    ways(cases);
    lifetimes(cases);
    // An index below zero, brought into the registers by its offset.
    let below = cases.scene("api.constants.indexed_from_below_zero", INDEXED, |s| {
        s.program("mov op, va0\nmov v0, vc[va1.x+5]", VARYING)?;
        s.constants("vertex", 2, &[[0.0, 1.0, 0.2, 1.0]])?;
        s.quads(&[Quad::flat(FULL, 0.5, [-3.0, 0.0, 0.0, 0.0])])
    });
    below.expects_pictures(|| vec![by_cell(|_, _| [0, 255, 51, 255])]);
}

const INDEXED: &str = "[agal.indirect.form] [agal.indirect.offset]";

/// Draws registers 0 to 7 of a bank, one column each.
fn columns(s: &mut SceneBuilder, stage: &str) -> Done {
    for column in 0..CELLS {
        match stage {
            "vertex" => {
                s.program(&format!("mov op, va0\nmov vt0, va1\nadd v0, vt0, vc{column}"), VARYING)?
            }
            _ => s.program(PASS, &format!("mov ft0, v0\nadd oc, ft0, fc{column}"))?,
        };
        s.quads(&[drawing::column(column, 0.5, [0.0; 4])])?;
    }
    Ok(())
}
