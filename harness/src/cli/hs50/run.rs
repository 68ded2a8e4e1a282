//! `molehill hs50 run`

use std::fmt::Write as _;

use clap::{ArgMatches, Command};
use hs50::interp::{Inputs, Options, Outcome, Register, Step, Tessellation, run as interpret};
use hs50::text::instruction;
use serde_json::{Value, json};

use super::{input, patch};
use crate::cli::arguments::{self, flag};
use crate::cli::{Failure, Status, output};

/// Maximum number of steps in a trace.
const MAX_TRACE: usize = 10_000;

pub(super) fn command() -> Command {
    Command::new("run")
        .about(
            "Runs a hull shader on a patch; shows control points, patch constants and tessellation factors",
        )
        .args(input::arguments())
        .arg(patch::argument())
        .arg(flag(
            "trace",
            "Show the result of every instruction, by phase",
        ))
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let input = input::read(matches)?;
    let hull = input.hull()?;
    let given = patch::read(matches, &hull)?;
    let inputs = Inputs {
        control_points: &given.points,
        primitive_id: given.primitive,
        resources: &given.bound,
    };
    let traced = matches.get_flag("trace");
    let (mut steps, mut current) = (Vec::new(), None);
    let mut note = |step: &Step<'_>| {
        if !traced || steps.len() >= MAX_TRACE {
            return;
        }
        let here = (step.phase, step.instance);
        if current.replace(here) != Some(here) {
            steps.push(format!("{}, instance {}", step.phase, step.instance));
        }
        let program = &input.shader.program;
        let text = program
            .instructions
            .get(step.instruction_index)
            .map(|found| instruction(found, program.version));
        let mut line = format!("  {}: {}", step.instruction_index, text.unwrap_or_default());
        for written in step.written {
            let _ = write!(line, "  {written}.{} = {}", written.mask, shown(&written.value));
        }
        steps.push(line);
    };
    let outcome = interpret(&hull, &inputs, Options::default(), &mut note);
    let outcome = outcome.map_err(Failure::of(&input.name))?;
    let json = || as_json(&outcome, &steps);
    output::give(matches, json, || text(&outcome, &steps, &hull))?;
    Ok(Status::Success)
}

/// A register as four floats; zeros and normal numbers are decimal, everything else is shown as bits.
fn shown(register: &Register) -> String {
    let one = |bits: &u32| {
        let float = f32::from_bits(*bits);
        if *bits == 0 || float.is_normal() { float.to_string() } else { format!("{bits:#x}") }
    };
    format!("({})", register.iter().map(one).collect::<Vec<_>>().join(", "))
}

fn text(outcome: &Outcome, steps: &[String], hull: &hs50::hull::Hull) -> String {
    let mut out: String = steps.iter().map(|step| format!("{step}\n")).collect();
    // Writing to a string can't fail.
    for (number, point) in outcome.control_points.iter().enumerate() {
        for (register, value) in point.iter().enumerate() {
            let _ = writeln!(out, "vocp[{number}][{register}] = {}", shown(value));
        }
    }
    for (register, value) in outcome.patch_constants.iter().enumerate() {
        let _ = writeln!(out, "vpc{register} = {}", shown(value));
    }
    for (name, value) in hull.domain.factors().zip(outcome.edges.iter().chain(&outcome.insides)) {
        let _ = writeln!(out, "{} = {value}", name.name());
    }
    let _ = match &outcome.tessellation {
        Tessellation::Culled => writeln!(out, "the tessellator culls the patch"),
        Tessellation::Tessellated { edges, insides } => {
            writeln!(out, "tessellation factors used: edges {edges:?}, insides {insides:?}")
        }
    };
    for note in &outcome.notes {
        let _ = writeln!(
            out,
            "note {}, {}, instruction {}: {}",
            note.rule, note.phase, note.instruction_index, note.message
        );
    }
    let _ = writeln!(out, "{} steps", outcome.steps);
    out
}

fn as_json(outcome: &Outcome, steps: &[String]) -> Value {
    let hex = |registers: &[Register]| -> Vec<[String; 4]> {
        let registers = registers.iter();
        registers.map(|register| register.map(|bits| format!("{bits:#010x}"))).collect()
    };
    let floats = |values: &[f32]| -> Vec<String> { values.iter().map(f32::to_string).collect() };
    let tessellation = match &outcome.tessellation {
        Tessellation::Culled => json!("culled"),
        Tessellation::Tessellated { edges, insides } => {
            json!({"edges": floats(edges), "insides": floats(insides)})
        }
    };
    let note = |note: &hs50::interp::Note| json!({"rule": note.rule.name(), "phase": note.phase.to_string(), "instruction": note.instruction_index, "message": note.message});
    json!({
        "controlPoints": outcome.control_points.iter().map(|point| hex(point)).collect::<Vec<_>>(),
        "patchConstants": hex(&outcome.patch_constants),
        "edges": floats(&outcome.edges),
        "insides": floats(&outcome.insides),
        "tessellation": tessellation,
        "notes": outcome.notes.iter().map(note).collect::<Vec<_>>(),
        "steps": outcome.steps,
        "trace": steps,
    })
}
