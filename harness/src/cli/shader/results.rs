//! The results of AGAL programs and Direct3D 9 shaders that ran.

use agal::Stage;
use agal::interp::{LANES, Register};
use agal::operand::{Component, WriteMask};
use molehill_analysis::Number;
use serde_json::{Value, json};

use super::Part;
use super::options::Run;

/// The value of a register in each invocation.
pub(super) struct Shown {
    name: String,
    lanes: [Vec<f32>; LANES],
}

impl Shown {
    /// Takes the components of a mask.
    pub(super) fn new(name: String, mask: WriteMask, value: &Register) -> Shown {
        let lane = |lane| {
            let all = Component::ALL.into_iter().zip(value.lane(lane));
            all.filter(|(component, _)| mask.contains(*component)).map(|(_, value)| value).collect()
        };
        Shown { name, lanes: std::array::from_fn(lane) }
    }

    /// As [`Shown::new`], with the components in the name if they are not all.
    pub(super) fn written(mut name: String, mask: WriteMask, value: &Register) -> Shown {
        if mask != WriteMask::ALL {
            name.push('.');
            name.extend(mask.iter().map(Component::letter));
        }
        Shown::new(name, mask, value)
    }

    /// Returns one line if all invocations have the same bits, else a line for each.
    fn text(&self, indent: &str) -> String {
        let bits = |lane: &[f32]| lane.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let [first, others @ ..] = &self.lanes;
        let same = others.iter().all(|lane| bits(lane) == bits(first));
        let numbers = |lane: &[f32]| lane.iter().map(f32::to_string).collect::<Vec<_>>().join(", ");
        if same {
            return format!("{indent}{} = {}\n", self.name, numbers(first));
        }
        let lanes = self.lanes.iter().enumerate();
        let lanes = lanes
            .map(|(lane, value)| format!("{indent}{}[{lane}] = {}\n", self.name, numbers(value)));
        lanes.collect()
    }

    fn json(&self) -> Value {
        let numbers = |lane: &Vec<f32>| lane.iter().copied().map(Number).collect::<Vec<_>>();
        json!(self.lanes.each_ref().map(numbers))
    }
}

/// The executed instructions, each followed by the register that it wrote; `None` without `--trace`.
pub(super) struct Trace(Option<(String, Vec<Value>)>);

impl Trace {
    pub(super) fn of(options: &Run) -> Trace {
        Trace(options.trace.then(Default::default))
    }

    /// Adds a step with the invocations that are in its branch, and those that are not discarded. `shown` returns the
    /// instruction, and the register that it wrote.
    pub(super) fn step(
        &mut self,
        number: u32,
        [active, alive]: [[bool; LANES]; 2],
        shown: impl FnOnce() -> (String, Option<Shown>),
    ) {
        let Some((text, list)) = &mut self.0 else { return };
        let (line, written) = shown();
        *text += &format!("{number:4}  {line}\n");
        *text += &written.as_ref().map_or_else(String::new, |written| written.text("        "));
        if active != [true; LANES] || alive != [true; LANES] {
            let [active, alive] = [active, alive]
                .map(|lanes| String::from_iter(lanes.map(|on| if on { '1' } else { '-' })));
            *text += &format!("        in the branch {active}, not discarded {alive}\n");
        }
        list.push(json!({
            "instruction": number, "text": line, "register": written.as_ref().map(|written| &written.name),
            "value": written.as_ref().map(Shown::json), "active": active, "alive": alive,
        }));
    }
}

/// Returns the results of a program: every register, and the invocations that it discards.
pub(super) fn ran(stage: Stage, results: &[Shown], alive: [bool; LANES], trace: Trace) -> Part {
    let (text, trace) = trace.0.unzip();
    let mut text = text.unwrap_or_default();
    text.extend(results.iter().map(|shown| shown.text("")));
    if alive == [false; LANES] {
        text += "discarded\n";
    } else if alive != [true; LANES] {
        let gone = (0..LANES).zip(alive).filter(|(_, alive)| !alive);
        let gone: Vec<String> = gone.map(|(lane, _)| lane.to_string()).collect();
        text += &format!("discarded: {}\n", gone.join(", "));
    }
    let registers: Value = results.iter().map(|shown| (shown.name.clone(), shown.json())).collect();
    let json = json!({
        "stage": stage.name(), "registers": registers, "discarded": alive.map(|alive| !alive), "trace": trace,
    });
    Part { bytes: text.into_bytes(), json, ..Part::default() }
}
