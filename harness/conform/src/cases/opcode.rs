//! Every opcode drawn: what a program computes as colours, through everything that a draw goes through.

use agal::opcode::{Binary, Lowering, Opcode};
use agal::operand::{Component, WriteMask};
use context3d::Profile;

use super::grid::{CELLS, cells, corners};
use crate::case::Cases;
use crate::scene_builder::{Done, FULL, PASS, Quad, SceneBuilder, VARYING};
use crate::tolerance::Tolerance;

const SOURCE: &str = "agal.md section 4";
/// Results are scaled to be seen; so are their errors.
const TOLERANCE: Tolerance = Tolerance::channel(
    3,
    "the error that the opcode is allowed, scaled and rounded",
);

/// How a result becomes a colour.
struct Scale {
    factor: f64,
    offset: f64,
}

/// What one opcode does to `{a}` and `{b}`, of which the first is all above 0.
fn body(opcode: Opcode, mask: &str) -> Option<(String, Scale)> {
    let name = opcode.name();
    let plain = Scale {
        factor: 0.25,
        offset: 0.4,
    };
    match opcode.lowering() {
        Lowering::Unary(_) => Some((format!("{name} {{d}}.{mask}, {{a}}"), plain)),
        Lowering::Binary(Binary::Matrix { .. }) => {
            let scale = Scale {
                factor: 0.125,
                offset: 0.1,
            };
            Some((format!("{name} {{d}}.{mask}, {{a}}, {{m}}"), scale))
        }
        Lowering::Binary(_) => Some((format!("{name} {{d}}.{mask}, {{a}}, {{b}}"), plain)),
        Lowering::If(_) => Some((
            format!(
                "{name} {{a}}.x, {{b}}.y\nmov {{d}}.{mask}, {{a}}\nels\nmov {{d}}.{mask}, {{b}}\neif"
            ),
            plain,
        )),
        Lowering::Kill => Some((
            format!("sub {{d}}, {{b}}, {{a}}\nkil {{d}}.{mask}\nmov {{d}}, {{a}}"),
            plain,
        )),
        Lowering::Sample(_) | Lowering::Block(_) => None,
    }
}

/// Draws a cell for each mask that the opcode can have.
fn drawn(s: &mut SceneBuilder, opcode: Opcode, vertex: bool, version: u32) -> Done {
    for bits in 1..=WriteMask::ALL.bits() {
        let mask = WriteMask::from_bits(bits);
        let letters: String = mask.iter().map(Component::letter).collect();
        let scalar = matches!(opcode.lowering(), Lowering::Kill);
        if (opcode.lowering().masks_w() && mask.contains(Component::W))
            || (scalar && letters.len() > 1)
        {
            continue;
        }
        let Some((body, scale)) = body(opcode, &letters) else {
            return Ok(());
        };
        let letter = if vertex { 'v' } else { 'f' };
        let body = body
            .replace("{d}", &format!("{letter}t2"))
            .replace("{a}", &format!("{letter}t0"))
            .replace("{b}", &format!("{letter}t1"))
            .replace("{m}", &format!("{letter}c4"));
        // The first operand from 0.2 up, the second around 0.
        let input = if vertex { "va1" } else { "v0" };
        let code = format!(
            "mov {letter}t0, {input}\nmul {letter}t1, {input}.wzyx, {letter}c0.x\nadd {letter}t1, {letter}t1, {letter}c0.y\n\
             mov {letter}t2, {letter}c1\n{body}\nmul {letter}t2, {letter}t2, {letter}c0.z\nadd {letter}t2, {letter}t2, {letter}c0.w\n"
        );
        let stage = if vertex { "vertex" } else { "fragment" };
        operands(s, stage, &scale)?;
        match vertex {
            true => s.program_of(
                version,
                &format!("{code}mov op, va0\nmov v0, {letter}t2"),
                VARYING,
            )?,
            false => s.program_of(version, PASS, &format!("{code}mov oc, {letter}t2"))?,
        };
        s.quads(&values(u16::from(bits), vertex))?;
    }
    Ok(())
}

/// The constants of [`drawn`]'s program.
fn operands(s: &mut SceneBuilder, stage: &str, scale: &Scale) -> Done {
    s.constants(
        stage,
        0,
        &[
            [-1.5, 1.0, scale.factor, scale.offset],
            [-1.0, 0.2, 0.6, 1.4],
        ],
    )?;
    s.constants(
        stage,
        4,
        &[
            [0.9, 0.1, -0.4, 0.2],
            [0.3, 1.2, 0.5, -0.6],
            [-0.2, 0.7, 1.1, 0.4],
            [0.8, -0.3, 0.2, 1.3],
        ],
    )
}

/// Two cells' worth of values.
fn values(place: u16, vertex: bool) -> Vec<Quad> {
    let quads: Vec<Quad> = (0..2u16)
        .flat_map(|part| {
            let [left, top, right, bottom] = corners(place % CELLS, place / CELLS + part * 4);
            let grey = 0.2 + f32::from(part) * 0.7;
            [Quad {
                corners: [left, top, right, bottom],
                z: 0.5,
                values: [
                    [grey, 0.3, 1.1, 0.7],
                    [grey, 1.4, 0.4, 0.7],
                    [grey + 0.5, 0.3, 0.8, 0.9],
                    [grey + 0.5, 1.4, 0.25, 0.9],
                ],
                back: false,
            }]
        })
        .collect();
    // A vertex program's results are shown where it ran: all over a cell.
    match vertex {
        true => quads
            .into_iter()
            .map(|quad| Quad {
                values: [quad.values[0]; 4],
                ..quad
            })
            .collect(),
        false => quads,
    }
}

pub(super) fn add(cases: &mut Cases) {
    for &opcode in Opcode::ALL {
        let info = opcode.info();
        let Some(since) = info.since.filter(|since| since.number() <= 2) else {
            continue;
        };
        if body(opcode, "x").is_none() {
            continue;
        }
        for (stage, vertex) in [(agal::Stage::Vertex, true), (agal::Stage::Fragment, false)] {
            if !info.stages.allows(stage) {
                continue;
            }
            let name = format!("agal.op.{}.{}.drawn", opcode.name(), stage.name());
            // A comparison of interpolated numbers flips along a line that may lie a pixel further.
            let tolerance = match opcode.lowering() {
                Lowering::If(_) | Lowering::Kill => Tolerance::edges(
                    3,
                    40,
                    "a line where two numbers are equal may lie a pixel further",
                ),
                _ if is_step(opcode) => Tolerance::edges(
                    3,
                    60,
                    "a line where two numbers are equal may lie a pixel further",
                ),
                _ => TOLERANCE,
            };
            let case = cases.scene(name, SOURCE, tolerance, move |s| {
                drawn(s, opcode, vertex, since.number())
            });
            if since.number() > 1 {
                case.profile(Profile::Standard);
            }
        }
    }
    swizzles(cases);
    depths(cases);
}

/// Its result has a step.
fn is_step(opcode: Opcode) -> bool {
    matches!(opcode.name(), "slt" | "sge" | "seq" | "sne" | "frc" | "sgn")
}

/// Every swizzle of one source, four to a picture by the first selector.
fn swizzles(cases: &mut Cases) {
    let letters = ['x', 'y', 'z', 'w'];
    for first in letters {
        for second in letters {
            cases.scene(
                format!("agal.swizzle.{first}{second}"),
                "agal.md section 2.2, swizzle",
                Tolerance::ROUNDING,
                move |s| {
                    let rest = letters
                        .iter()
                        .flat_map(|third| letters.iter().map(move |fourth| (third, fourth)));
                    for ((third, fourth), place) in rest.zip(0u16..) {
                        for (vertex, part) in [(true, 0), (false, 4)] {
                            let swizzle: String =
                                [first, second, *third, *fourth].into_iter().collect();
                            match vertex {
                                true => s.program(
                                    &format!("mov op, va0\nmov v0, va1.{swizzle}"),
                                    VARYING,
                                )?,
                                false => s.program(PASS, &format!("mov oc, v0.{swizzle}"))?,
                            };
                            let corners = corners(place % CELLS, place / CELLS + part);
                            s.quads(&[Quad::flat(corners, 0.5, [0.2, 0.4, 0.6, 0.8])])?;
                        }
                    }
                    Ok(())
                },
            );
        }
    }
}

/// Derivatives and conditionals together, over a whole picture.
fn depths(cases: &mut Cases) {
    for (word, code) in [
        (
            "nested",
            "mov ft0, v0\nifg v0.x, v0.y\nifl v0.x, v0.z\nmov ft0, fc0\nels\nmov ft0, fc1\neif\nels\nmov ft0, v0.zyxw\neif\nmov oc, ft0",
        ),
        (
            "derivative",
            "ddx ft0, v0\nddy ft1, v0\nadd ft0, ft0, ft1\nmul ft0, ft0, fc2\nabs ft0, ft0\nmov oc, ft0",
        ),
        (
            "equal",
            "mov ft0, fc0\nsub ft1, v0, fc1\nsge ft1, ft1, fc3.x\nife ft1.x, ft1.y\nmov ft0, fc1\neif\nmov oc, ft0",
        ),
    ] {
        let tolerance = Tolerance::edges(
            4,
            80,
            "a line where two numbers are equal may lie a pixel further",
        );
        cases
            .scene(
                format!("agal.flow.{word}"),
                "agal.md sections 4.1 and 4.2",
                tolerance,
                move |s| {
                    s.program_of(2, PASS, code)?;
                    s.constants(
                        "fragment",
                        0,
                        &[
                            [1.0, 0.4, 0.2, 1.0],
                            [0.5, 0.6, 0.4, 1.0],
                            [8.0, 8.0, 8.0, 8.0],
                            [0.0, 0.0, 0.0, 0.0],
                        ],
                    )?;
                    s.quads(&[Quad {
                        corners: FULL,
                        z: 0.5,
                        values: [
                            [0.0, 0.0, 0.5, 1.0],
                            [1.0, 0.0, 0.9, 1.0],
                            [0.0, 1.0, 0.3, 1.0],
                            [1.0, 1.0, 0.7, 1.0],
                        ],
                        back: false,
                    }])
                },
            )
            .profile(Profile::Standard);
    }
    kills(cases);
}

fn kills(cases: &mut Cases) {
    cases.scene(
        "agal.flow.kil",
        "agal.md section 4",
        Tolerance::edges(1, 40, "a line where a number is 0 may lie a pixel further"),
        |s| {
            s.program(PASS, "sub ft0, v0.x, fc0.x\nkil ft0.x\nmov oc, v0")?;
            s.constants("fragment", 0, &[[0.45, 0.0, 0.0, 0.0]])?;
            s.depth(true, "less")?;
            s.quads(&cells(
                |_, _| 0.5,
                |column, row| [f32::from(column) / 7.0, f32::from(row) / 7.0, 0.5, 1.0],
            ))?;
            // A pixel that was dropped left no depth either.
            s.program(PASS, VARYING)?;
            s.quads(&[Quad::flat(
                [0.0, 8.0, 32.0, 16.0],
                0.7,
                [0.0, 1.0, 0.0, 1.0],
            )])
        },
    );
}
