//! Cases that draw with every AGAL opcode, so that its result becomes a colour in the back buffer.

use agal::Stage;
use agal::generate::topics;
use agal::opcode::{AgalOpcode, BinaryOp, OpcodeSignature};
use agal::operand::{Component, WriteMask};
use context3d::Profile;

use crate::case::{Case, CaseBody, Cases};
use crate::drawing::{CELLS, corners};
use crate::program::ProgramCase;
use crate::scene_builder::{PASS, SceneBuilder, SceneQuad, SceneResult, VARYING};
use crate::tolerance::Tolerance;

/// The tolerance of drawn results, whose errors grow with the scale factor.
const TOLERANCE: Tolerance =
    Tolerance::channel(3, "the allowed error of the opcode, scaled and rounded");

const LINE: &str = "the line on which two numbers are equal may be off by a pixel";

/// The factor and offset that map a result to a colour.
type ColorScale = [f64; 2];

/// Returns the assembly source of one opcode with the operands `{a}` and `{b}`. All components of `{a}` are positive.
fn body(opcode: AgalOpcode, mask: &str) -> Option<(String, ColorScale)> {
    let name = opcode.name();
    let plain = [0.25, 0.4];
    match opcode.signature() {
        OpcodeSignature::Unary(_) => Some((format!("{name} {{d}}.{mask}, {{a}}"), plain)),
        OpcodeSignature::Binary(BinaryOp::Matrix { .. }) => {
            Some((format!("{name} {{d}}.{mask}, {{a}}, {{c}}4"), [0.125, 0.1]))
        }
        OpcodeSignature::Binary(_) => Some((format!("{name} {{d}}.{mask}, {{a}}, {{b}}"), plain)),
        OpcodeSignature::If(_) => {
            let both = format!("mov {{d}}.{mask}, {{a}}\nels\nmov {{d}}.{mask}, {{b}}\neif");
            Some((format!("{name} {{a}}.x, {{b}}.y\n{both}"), plain))
        }
        OpcodeSignature::Kill => {
            Some((format!("sub {{d}}, {{b}}, {{a}}\nkil {{d}}.{mask}\nmov {{d}}, {{a}}"), plain))
        }
        OpcodeSignature::Sample(_) | OpcodeSignature::Block(_) => None,
    }
}

/// Draws a grid cell for each write mask of the opcode.
fn drawn(s: &mut SceneBuilder, opcode: AgalOpcode, vertex: bool, version: u32) -> SceneResult {
    for bits in 1..=WriteMask::ALL.bits() {
        let mask = WriteMask::from_bits(bits);
        let letters: String = mask.iter().map(Component::letter).collect();
        let scalar = matches!(opcode.signature(), OpcodeSignature::Kill);
        if (opcode.signature().masks_w() && mask.contains(Component::W))
            || (scalar && letters.len() > 1)
        {
            continue;
        }
        let Some((body, scale)) = body(opcode, &letters) else { return Ok(()) };
        let ([letter, input, stage], output) = match vertex {
            true => (["v", "va1", "vertex"], "mov op, va0\nmov v0, {d}"),
            false => (["f", "v0", "fragment"], "mov oc, {d}"),
        };
        // The first operand ranges from 0.2 upwards; the second is centred on 0.
        let mut code = format!(
            "mov {{a}}, {input}\nmul {{b}}, {input}.wzyx, {{c}}0.x\nadd {{b}}, {{b}}, {{c}}0.y\n\
             mov {{d}}, {{c}}1\n{body}\nmul {{d}}, {{d}}, {{c}}0.z\nadd {{d}}, {{d}}, {{c}}0.w\n{output}"
        );
        for (name, register) in [("{a}", "t0"), ("{b}", "t1"), ("{d}", "t2"), ("{c}", "c")] {
            code = code.replace(name, &format!("{letter}{register}"));
        }
        operands(s, stage, scale)?;
        let (vertex_code, fragment_code) = if vertex { (&*code, VARYING) } else { (PASS, &*code) };
        s.program_of(version, vertex_code, fragment_code)?;
        s.quads(&values(u16::from(bits), vertex))?;
    }
    Ok(())
}

fn operands(s: &mut SceneBuilder, stage: &str, [factor, offset]: ColorScale) -> SceneResult {
    s.constants(stage, 0, &[[-1.5, 1.0, factor, offset], [-1.0, 0.2, 0.6, 1.4]])?;
    let matrix = [
        [0.9, 0.1, -0.4, 0.2],
        [0.3, 1.2, 0.5, -0.6],
        [-0.2, 0.7, 1.1, 0.4],
        [0.8, -0.3, 0.2, 1.3],
    ];
    s.constants(stage, 4, &matrix)
}

fn values(cell: u16, vertex: bool) -> Vec<SceneQuad> {
    let quads = [(0, 0.2), (4, 0.2 + 0.7)].map(|(below, grey): (u16, f32)| {
        let values = [
            [grey, 0.3, 1.1, 0.7],
            [grey, 1.4, 0.4, 0.7],
            [grey + 0.5, 0.3, 0.8, 0.9],
            [grey + 0.5, 1.4, 0.25, 0.9],
        ];
        // A vertex program computes one result per cell.
        let values = if vertex { [values[0]; 4] } else { values };
        SceneQuad::of(corners(cell % CELLS, cell / CELLS + below), values)
    });
    quads.into()
}

pub(super) fn add(cases: &mut Cases) {
    topics_alone(cases);
    for &opcode in AgalOpcode::ALL {
        let Some(since) = opcode.since().filter(|since| since.number() <= 2) else { continue };
        if body(opcode, "x").is_none() {
            continue;
        }
        for (stage, vertex) in [(agal::Stage::Vertex, true), (agal::Stage::Fragment, false)] {
            if !opcode.stages().allows(stage) {
                continue;
            }
            let name = format!("agal.op.{}.{}.drawn", opcode.name(), stage.name());
            // The result of a comparison changes along a line, which may move by a pixel.
            let moved = match (opcode.signature(), opcode.name()) {
                (OpcodeSignature::If(_) | OpcodeSignature::Kill, _) => 40,
                (_, "slt" | "sge" | "seq" | "sne" | "frc" | "sgn") => 60,
                _ => 0,
            };
            let tolerance = if moved > 0 { Tolerance::edges(3, moved, LINE) } else { TOLERANCE };
            let case =
                cases.scene(name, &format!("[agal.{}.1]", opcode.name()), tolerance, move |s| {
                    drawn(s, opcode, vertex, since.number())
                });
            if since.number() > 1 {
                case.profile(Profile::Standard);
            }
        }
    }
}

/// Adds cases without drawing that run every opcode with every write mask, and every sampler.
fn topics_alone(cases: &mut Cases) {
    for stage in [Stage::Vertex, Stage::Fragment] {
        for topic in topics(stage) {
            let name = format!("agal.op.{}.{}.{}", topic.opcode.name(), stage.name(), topic.label);
            let source = format!("[agal.{}.1]; the interpreter", topic.opcode.name());
            let body = CaseBody::Program(ProgramCase::Topic(topic));
            cases.add(Case::new(name, &source, body));
        }
    }
}
