//! `molehill hs50 run`

use hs50::interp::{Inputs, Options, Outcome, Register, Step, Tessellation, run as interpret};
use hs50::text::instruction;
use serde_json::{Value, json};

use super::input::FileArguments;
use super::patch::PatchArgument;
use crate::cli::{Failure, Status};

const MAX_TRACE: usize = 10_000;

/// Runs a hull shader on a patch; shows control points, patch constants and tessellation factors
#[derive(clap::Args)]
pub(in crate::cli) struct Run {
    #[command(flatten)]
    file: FileArguments,
    #[command(flatten)]
    patch: PatchArgument,
    /// Show the result of every instruction, by phase
    #[arg(long)]
    trace: bool,
}

impl Run {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let input = self.file.read()?;
        let hull = input.hull()?;
        let patch = self.patch.read(&hull)?;
        let inputs = Inputs {
            control_points: &patch.points,
            primitive_id: patch.primitive,
            resources: &patch.bound,
        };
        let program = &input.shader.program;
        let (mut steps, mut current) = (Vec::new(), None);
        let mut note = |step: &Step<'_>| {
            if !self.trace || steps.len() >= MAX_TRACE {
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
        let outcome = interpret(&hull, &inputs, Options::default(), &mut note);
        let outcome = outcome.map_err(Failure::of(&input.name))?;
        self.file.output.print(&as_json(&outcome, &steps), || text(&outcome, &steps, &hull))
    }
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
        Tessellation::Culled => "the tessellator culls the patch\n".to_owned(),
        Tessellation::Tessellated { edges, insides } => {
            format!("tessellation factors used: edges {edges:?}, insides {insides:?}\n")
        }
    };
    for note in &outcome.notes {
        let hs50::interp::Note { rule, phase, instruction_index, message, .. } = note;
        out += &format!("note {rule}, {phase}, instruction {instruction_index}: {message}\n");
    }
    out += &format!("{} steps\n", outcome.steps);
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
    let note = |note: &hs50::interp::Note| {
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
