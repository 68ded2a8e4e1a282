//! The results and the trace of a run, as text and JSON.

use agal::interp::{LANES, Observer, Register, State, Step};
use agal::operand::{Component, WriteMask};
use agal::register::RegisterFile;
use agal::{Program, Stage, asm};
use molehill_analysis::Number;
use serde_json::{Value, json};

use crate::cli::agal::other_half::written;

pub(super) struct Shown {
    name: String,
    mask: WriteMask,
    value: Register,
}

impl Shown {
    fn new(program: &Program, file: RegisterFile, number: u16, value: Register) -> Shown {
        let mask = match file {
            // The depth is only in x ([agal.depth.output]).
            RegisterFile::DepthOutput => WriteMask::first(1),
            _ => WriteMask::ALL,
        };
        Shown { name: file.text(program.stage(), number).unwrap_or_default(), mask, value }
    }

    fn lane(&self, lane: usize) -> Vec<f32> {
        let all = Component::ALL.into_iter().zip(self.value.lane(lane));
        let counting = all.filter(|(component, _)| self.mask.contains(*component));
        counting.map(|(_, value)| value).collect()
    }

    /// One line if all invocations have the same bits, else one line each.
    fn text(&self, indent: &str) -> String {
        let lanes: [Vec<f32>; LANES] = std::array::from_fn(|lane| self.lane(lane));
        let bits = |lane: &[f32]| lane.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let same = lanes.iter().all(|lane| bits(lane) == bits(&lanes[0]));
        let numbers = |lane: &[f32]| lane.iter().map(f32::to_string).collect::<Vec<_>>().join(", ");
        let mut text = String::new();
        if same {
            text += &format!("{indent}{} = {}\n", self.name, numbers(&lanes[0]));
        } else {
            for (lane, values) in lanes.iter().enumerate() {
                text += &format!("{indent}{}[{lane}] = {}\n", self.name, numbers(values));
            }
        }
        text
    }

    fn json(&self) -> Value {
        let numbers = |lane| self.lane(lane).into_iter().map(Number).collect::<Vec<_>>();
        json!((0..LANES).map(numbers).collect::<Vec<_>>())
    }
}

pub(super) fn results(program: &Program, state: &State) -> Vec<Shown> {
    let files: &[RegisterFile] = match program.stage() {
        Stage::Vertex => &[RegisterFile::Output, RegisterFile::Varying],
        Stage::Fragment => &[RegisterFile::Output, RegisterFile::DepthOutput],
    };
    let mut results = Vec::new();
    for file in files {
        for number in written(program, *file) {
            let mut value = Register::default();
            for lane in 0..LANES {
                let of_lane = match file {
                    RegisterFile::Varying => state.varying(number, lane),
                    RegisterFile::DepthOutput => [state.depth(lane), 0.0, 0.0, 0.0],
                    _ => state.color(number, lane),
                };
                value.set_lane(lane, of_lane);
            }
            results.push(Shown::new(program, *file, number, value));
        }
    }
    results
}

/// Every register, and the invocations that `kil` has discarded.
pub(super) fn text(results: &[Shown], alive: [bool; LANES]) -> String {
    let mut text: String = results.iter().map(|shown| shown.text("")).collect();
    if alive == [false; LANES] {
        text += "discarded\n";
    } else if alive != [true; LANES] {
        let gone = (0..LANES).zip(alive).filter(|(_, alive)| !alive);
        let gone: Vec<String> = gone.map(|(lane, _)| lane.to_string()).collect();
        text += &format!("discarded: {}\n", gone.join(", "));
    }
    text
}

pub(super) fn json(results: &[Shown]) -> Value {
    let members = results.iter().map(|shown| (shown.name.clone(), shown.json()));
    Value::Object(members.collect())
}

pub(super) struct Trace<'a> {
    program: &'a Program,
    /// Each executed token, followed by the register that it wrote.
    pub(super) text: String,
    pub(super) list: Vec<Value>,
}

impl<'a> Trace<'a> {
    pub(super) fn new(program: &'a Program) -> Trace<'a> {
        Trace { program, text: String::new(), list: Vec::new() }
    }
}

impl Observer for Trace<'_> {
    fn step(&mut self, step: &Step) {
        let index = usize::try_from(step.token).unwrap_or(0).wrapping_sub(1);
        let instruction = self.program.instructions().get(index);
        let line = instruction
            .map(|instruction| asm::readable_text(instruction, self.program.stage()).to_string());
        let line = line.unwrap_or_default();
        let written = step.written.map(|written| {
            let (file, number) = (written.file, written.number);
            let mut shown = Shown::new(self.program, file, number, written.value);
            shown.mask = written.mask;
            if written.mask != WriteMask::ALL {
                shown.name.push('.');
                shown.name.extend(written.mask.iter().map(Component::letter));
            }
            shown
        });
        self.text += &format!("{:4}  {line}\n", step.token);
        if let Some(written) = &written {
            self.text += &written.text("        ");
        }
        let branch = step.active.iter().zip(step.alive).all(|(active, alive)| *active && alive);
        if !branch {
            let lanes = |set: [bool; LANES]| set.map(|on| if on { '1' } else { '-' });
            let (active, alive) = (lanes(step.active), lanes(step.alive));
            let (active, alive) = (String::from_iter(active), String::from_iter(alive));
            self.text += &format!("        in the branch {active}, not discarded {alive}\n");
        }
        self.list.push(json!({
            "token": step.token, "text": line, "register": written.as_ref().map(|written| written.name.clone()),
            "value": written.as_ref().map(Shown::json), "active": step.active, "alive": step.alive,
        }));
    }
}
