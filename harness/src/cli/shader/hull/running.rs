//! Runs a hull shader: control points, patch constants, tessellation factors and the trace.

use hs50::check::ValidHull;
use hs50::hull::Hull;
use hs50::interp::{
    HullInputs, HullOutput, HullRegister, HullRunError, HullStep, RunOptions, TessellationLevels,
    UndefinedNote, run as interpret,
};
use hs50::shader::HullProgramShader;
use hs50::text::instruction;
use serde_json::{Value, json};

use crate::cli::shader::patch::PatchInput;

const MAX_TRACE_LINES: usize = 10_000;

/// Runs a hull shader on a patch. Returns the results as text and as JSON.
pub(super) fn run(
    shader: &HullProgramShader,
    hull: &ValidHull,
    patch: &PatchInput,
    trace: bool,
) -> Result<(String, Value), HullRunError> {
    let inputs = HullInputs {
        control_points: &patch.points,
        primitive_id: patch.primitive,
        resources: &patch.bound,
    };
    let program = &shader.program;
    let (mut steps, mut current) = (Vec::new(), None);
    let mut note = |step: &HullStep<'_>| {
        if !trace || steps.len() >= MAX_TRACE_LINES {
            return;
        }
        let here = (step.phase, step.instance);
        if current.replace(here) != Some(here) {
            steps.push(format!("{}, instance {}", step.phase, step.instance));
        }
        let found = program.instructions.get(step.instruction_index);
        let text = found.map(|found| instruction(found, program.version));
        let mut line = format!("  {}: {}", step.instruction_index, text.unwrap_or_default());
        for written in step.written {
            line += &format!("  {written}.{} = {}", written.mask, shown(&written.value));
        }
        steps.push(line);
    };
    let outcome = interpret(hull, &inputs, RunOptions::default(), &mut note)?;
    Ok((text(&outcome, &steps, hull), as_json(&outcome, &steps)))
}

/// Formats a register as four floats. Values other than zero and normal floats are formatted as bits.
fn shown(register: &HullRegister) -> String {
    let one = |bits: &u32| {
        let float = f32::from_bits(*bits);
        if *bits == 0 || float.is_normal() { float.to_string() } else { format!("{bits:#x}") }
    };
    format!("({})", register.iter().map(one).collect::<Vec<_>>().join(", "))
}

fn text(outcome: &HullOutput, steps: &[String], hull: &Hull) -> String {
    let mut out: String = steps.iter().map(|step| format!("{step}\n")).collect();
    for (number, point) in outcome.control_points.iter().enumerate() {
        for (register, value) in point.iter().enumerate() {
            out += &format!("vocp[{number}][{register}] = {}\n", shown(value));
        }
    }
    for (register, value) in outcome.patch_constants.iter().enumerate() {
        out += &format!("vpc{register} = {}\n", shown(value));
    }
    for (name, value) in hull.domain.factors().zip(outcome.edges.iter().chain(&outcome.insides)) {
        out += &format!("{} = {value}\n", name.name());
    }
    out += &match &outcome.tessellation {
        TessellationLevels::Culled => "the tessellator culls the patch\n".to_owned(),
        TessellationLevels::Tessellated { edges, insides } => {
            format!("tessellation factors used: edges {edges:?}, insides {insides:?}\n")
        }
    };
    for note in &outcome.notes {
        let UndefinedNote { rule, phase, instruction_index, message, .. } = note;
        out += &format!("note {rule}, {phase}, instruction {instruction_index}: {message}\n");
    }
    out += &format!("{} steps\n", outcome.steps);
    out
}

fn as_json(outcome: &HullOutput, steps: &[String]) -> Value {
    let hex = |registers: &[HullRegister]| -> Vec<[String; 4]> {
        let registers = registers.iter();
        registers.map(|register| register.map(|bits| format!("{bits:#010x}"))).collect()
    };
    let floats = |values: &[f32]| -> Vec<String> { values.iter().map(f32::to_string).collect() };
    let tessellation = match &outcome.tessellation {
        TessellationLevels::Culled => json!("culled"),
        TessellationLevels::Tessellated { edges, insides } => {
            json!({"edges": floats(edges), "insides": floats(insides)})
        }
    };
    let note = |note: &UndefinedNote| {
        json!({
            "rule": note.rule.name(), "phase": note.phase.to_string(),
            "instruction": note.instruction_index, "message": note.message,
        })
    };
    json!({
        "controlPoints": outcome.control_points.iter().map(|point| hex(point)).collect::<Vec<_>>(),
        "patchConstants": hex(&outcome.patch_constants), "edges": floats(&outcome.edges),
        "insides": floats(&outcome.insides), "tessellation": tessellation,
        "notes": outcome.notes.iter().map(note).collect::<Vec<_>>(), "steps": outcome.steps, "trace": steps,
    })
}
