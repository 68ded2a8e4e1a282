//! The results of running AGAL programs and Direct3D 9 shaders.

use agal::Stage;
use agal::interp::{LANES, LaneRegister};
use agal::operand::{Component, WriteMask};
use agal_core::interp::{Language, RunObserver, TraceStep};
use molehill_analysis::ComponentNumber;
use serde_json::{Value, json};

use super::ProgramResult;
use super::options::Run;

/// The value of a register in each shader invocation.
pub(super) struct RegisterValue {
    name: String,
    lanes: [Vec<f32>; LANES],
}

impl RegisterValue {
    /// Creates the values of a register with only the components of a write mask.
    pub(super) fn new(name: String, mask: WriteMask, value: &LaneRegister) -> RegisterValue {
        let lane = |lane| {
            let all = Component::ALL.into_iter().zip(value.lane(lane));
            all.filter(|(component, _)| mask.contains(*component)).map(|(_, value)| value).collect()
        };
        RegisterValue { name, lanes: std::array::from_fn(lane) }
    }

    /// Like [`RegisterValue::new`], but appends the components to the name unless the mask contains all of them.
    fn written(mut name: String, mask: WriteMask, value: &LaneRegister) -> RegisterValue {
        if mask != WriteMask::ALL {
            name.push('.');
            name.extend(mask.iter().map(Component::letter));
        }
        RegisterValue::new(name, mask, value)
    }

    /// Returns one line if all invocations have identical values, otherwise a line for each invocation.
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
        let numbers =
            |lane: &Vec<f32>| lane.iter().copied().map(ComponentNumber).collect::<Vec<_>>();
        json!(self.lanes.each_ref().map(numbers))
    }
}

/// The executed instructions as text and as JSON, each with the register that it wrote; `None` without `--trace`.
pub(super) type InstructionTrace = Option<(String, Vec<Value>)>;

/// Records the executed instructions for `--trace`. `line` formats an instruction, `name` a register.
pub(super) struct StepPrinter<I, N> {
    pub(super) trace: InstructionTrace,
    line: I,
    name: N,
}

impl<I, N> StepPrinter<I, N> {
    pub(super) fn new(options: &Run, line: I, name: N) -> Self {
        StepPrinter { trace: options.trace.then(Default::default), line, name }
    }
}

impl<L: Language, I: Fn(u32) -> String, N: Fn(&L::Register) -> String> RunObserver<L>
    for StepPrinter<I, N>
{
    fn step(&mut self, step: &TraceStep<L>) {
        let Some((text, list)) = &mut self.trace else { return };
        let &TraceStep { instruction: number, active, alive, .. } = step;
        let written = step.written.as_ref().map(|written| {
            RegisterValue::written((self.name)(&written.register), written.mask, &written.value)
        });
        let line = (self.line)(number);
        *text += &format!("{number:4}  {line}\n");
        *text += &written.as_ref().map_or_else(String::new, |written| written.text("        "));
        if active != [true; LANES] || alive != [true; LANES] {
            let [active, alive] = [active, alive]
                .map(|lanes| String::from_iter(lanes.map(|on| if on { '1' } else { '-' })));
            *text += &format!("        in the branch {active}, not discarded {alive}\n");
        }
        list.push(json!({
            "instruction": number, "text": line, "register": written.as_ref().map(|written| &written.name),
            "value": written.as_ref().map(RegisterValue::json), "active": active, "alive": alive,
        }));
    }
}

/// Returns the results of running a program: each output register, and the discarded invocations.
pub(super) fn ran(
    stage: Stage,
    results: &[RegisterValue],
    alive: [bool; LANES],
    trace: InstructionTrace,
) -> ProgramResult {
    let (text, trace) = trace.unzip();
    let mut text = text.unwrap_or_default();
    text.extend(results.iter().map(|shown| shown.text("")));
    if alive == [false; LANES] {
        text += "discarded\n";
    } else if alive != [true; LANES] {
        let discarded = (0..LANES).zip(alive).filter(|(_, alive)| !alive);
        let discarded: Vec<String> = discarded.map(|(lane, _)| lane.to_string()).collect();
        text += &format!("discarded: {}\n", discarded.join(", "));
    }
    let registers: Value = results.iter().map(|shown| (shown.name.clone(), shown.json())).collect();
    let json = json!({
        "stage": stage.name(), "registers": registers, "discarded": alive.map(|alive| !alive), "trace": trace,
    });
    ProgramResult { bytes: text.into_bytes(), json, ..ProgramResult::default() }
}
