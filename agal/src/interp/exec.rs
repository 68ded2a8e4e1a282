//! Runs a compiled program.

use super::alu::AluView;
use super::lanes::{and, select, zip};
use super::{
    AgalComputation, AgalLanguage, AgalLookup, AgalState, AgalTraceStep, CompiledProgram,
    DetailLevel, LANES, LaneRegister, LaneValues, RegisterWrite, RunObserver, TextureSampling, alu,
};
use crate::float;
use crate::ir::{Address, IrDestination, IrInstruction, IrOperation, IrSource};
use crate::isa::opcode::{self, BlockEnd};
use crate::isa::operand::{Component, WriteMask};
use crate::version::MAX_NESTING;

type ExecMask = [bool; LANES];

const ALL: ExecMask = [true; LANES];
const NONE: ExecMask = [false; LANES];

struct ActiveLanes {
    active: ExecMask,
    /// For each open conditional: the lanes outside the conditional, and those that took its first branch.
    open: [(ExecMask, ExecMask); MAX_NESTING],
    depth: usize,
}

impl ActiveLanes {
    fn open(&mut self, chosen: ExecMask) {
        if let Some(slot) = self.open.get_mut(self.depth) {
            *slot = (self.active, chosen);
        }
        self.depth = self.depth.saturating_add(1);
        self.active = and(self.active, chosen);
    }

    fn turn(&mut self) {
        let top = self.depth.checked_sub(1).and_then(|top| self.open.get(top));
        if let Some((outside, chosen)) = top {
            self.active = and(*outside, chosen.map(|chosen| !chosen));
        }
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if let Some((outside, _)) = self.open.get(self.depth) {
            self.active = *outside;
        }
    }
}

impl CompiledProgram {
    /// Runs the program in all four lanes. `state` has the inputs and receives the results. Missing constants are zero.
    pub fn run(
        &self,
        state: &mut AgalState,
        constants: &[[f32; 4]],
        textures: &impl TextureSampling<AgalLanguage>,
    ) {
        self.run_with(state, constants, textures, &mut ());
    }

    /// Runs the program like [`CompiledProgram::run`], and passes every step to an observer.
    pub fn run_with<M: RunObserver<AgalLanguage>>(
        &self,
        state: &mut AgalState,
        constants: &[[f32; 4]],
        textures: &impl TextureSampling<AgalLanguage>,
        observer: &mut M,
    ) {
        for slot in &self.cleared {
            if let Some(register) = state.get_mut(*slot) {
                *register = LaneRegister::default();
            }
        }
        for number in &self.constants {
            let value = constants.get(usize::from(*number));
            state.set_constant(*number, value.copied().unwrap_or_default());
        }
        state.alive = ALL;
        let mut run = ExecRun {
            compiled: self,
            state,
            constants,
            flow: ActiveLanes { active: ALL, open: [(NONE, NONE); MAX_NESTING], depth: 0 },
        };
        let mut buffers = [LaneRegister::default(); 5];
        let mut next = 0;
        while let Some(step) = self.steps.get(next) {
            let skips = run.step(step, textures, observer, &mut buffers);
            if M::STEPS {
                observer.step(&AgalTraceStep {
                    instruction: step.token,
                    written: step.action.dest().map(|dest| run.written(dest)),
                    active: run.flow.active,
                    alive: run.state.alive,
                });
            }
            let target = self.targets.get(next).copied().filter(|_| skips);
            next = target.unwrap_or_else(|| next.saturating_add(1));
        }
    }
}

struct ExecRun<'a> {
    compiled: &'a CompiledProgram,
    state: &'a mut AgalState,
    constants: &'a [[f32; 4]],
    flow: ActiveLanes,
}

impl ExecRun<'_> {
    /// Runs one instruction. Returns true to skip the branch that the instruction begins, because no lane takes it.
    fn step<M: RunObserver<AgalLanguage>>(
        &mut self,
        step: &IrInstruction,
        textures: &impl TextureSampling<AgalLanguage>,
        observer: &mut M,
        [a_buffer, b_buffer, buffers @ ..]: &mut [LaneRegister; 5],
    ) -> bool {
        match &step.action {
            IrOperation::Unary(unary, dest, a) => {
                let a = self.load(a, 0, a_buffer);
                let value = alu::unary(self.compiled.rules, *unary, a, dest.mask);
                let mut value = self.limited(step, value);
                if M::OPERANDS {
                    let computation =
                        AgalComputation { opcode: step.opcode, a: &a.whole(), b: &[] };
                    observer.computed(&computation, &mut value);
                }
                self.store(dest, &value);
            }
            IrOperation::Binary(binary, dest, a, b) => {
                let a = self.load(a, 0, a_buffer);
                let first = self.load(b, 0, b_buffer);
                let rows: [AluView<'_>; 4];
                let b = match binary.rows() {
                    0 | 1 => std::slice::from_ref(&first),
                    count => {
                        let [second, third, fourth] = buffers;
                        rows = [
                            first,
                            self.load(b, 1, second),
                            self.load(b, 2, third),
                            self.load(b, 3, fourth),
                        ];
                        rows.get(..count.into()).unwrap_or(&rows)
                    }
                };
                let value = alu::binary(self.compiled.rules, *binary, a, b, dest.mask);
                let mut value = self.limited(step, value);
                if M::OPERANDS {
                    let mut rows = [LaneRegister::default(); 4];
                    for (to, row) in rows.iter_mut().zip(b) {
                        *to = row.whole();
                    }
                    let (a, b) = (&a.whole(), rows.get(..b.len()).unwrap_or(&rows));
                    let computation = AgalComputation { opcode: step.opcode, a, b };
                    observer.computed(&computation, &mut value);
                }
                self.store(dest, &value);
            }
            IrOperation::Sample(lookup, dest, coordinates, sampler) => {
                let a = &self.load(coordinates, 0, a_buffer).whole();
                let level = match lookup {
                    opcode::SampleLevel::Implicit => DetailLevel::Implicit([sampler.bias(); LANES]),
                    opcode::SampleLevel::LevelZero => DetailLevel::Exactly([0.0; LANES]),
                };
                let mut value = textures.read(&AgalLookup { sampler, coordinates: a, level });
                let computation = AgalComputation { opcode: step.opcode, a, b: &[] };
                observer.computed(&computation, &mut value);
                self.store(dest, &value);
            }
            IrOperation::Kill(a) => {
                let x = self.load(a, 0, a_buffer).get(Component::X);
                for ((alive, active), x) in self.state.alive.iter_mut().zip(self.flow.active).zip(x)
                {
                    *alive &= !(active && x < 0.0);
                }
            }
            IrOperation::If(relation, a, b) => {
                let a = self.load(a, 0, a_buffer).get(Component::X);
                let b = self.load(b, 0, b_buffer).get(Component::X);
                let mut taken = zip(a, b, relation.holds());
                observer.branches([&a, &b], &mut taken);
                self.flow.open(taken);
                return self.flow.active == NONE;
            }
            IrOperation::Block(BlockEnd::Else) => {
                self.flow.turn();
                return self.flow.active == NONE;
            }
            IrOperation::Block(BlockEnd::End) => self.flow.close(),
        }
        false
    }

    /// Limits the result of a sum or product, if the float rules require it ([agal.float.sums]).
    fn limited(&self, step: &IrInstruction, value: LaneRegister) -> LaneRegister {
        let limited = |value| self.compiled.rules.limited(value);
        if step.limited { value.map(limited) } else { value }
    }

    /// Returns a row of a source; sources other than matrices have only row 0. A value that isn't in a register is
    /// written to `buffer`.
    fn load<'r>(&'r self, source: &IrSource, row: u8, buffer: &'r mut LaneRegister) -> AluView<'r> {
        let register = match source.address {
            Address::Direct(file, number) => {
                self.state.register(file, number.saturating_add(row.into()))
            }
            Address::Indirect { file, number, component, offset } => {
                let index = self.state.register(file, number).get(component);
                *buffer = self.indexed(index, i32::from(offset).saturating_add(row.into()));
                buffer
            }
        };
        AluView { register, swizzle: source.swizzle }
    }

    fn constant(&self, number: usize) -> [f32; 4] {
        self.constants.get(number).copied().unwrap_or_default()
    }

    /// Reads constants by an index in each lane. The index is rounded and clamped to the bank ([agal.indirect.rounding]
    /// [agal.indirect.outside]).
    #[expect(clippy::cast_possible_truncation, reason = "clamped")]
    fn indexed(&self, index: LaneValues, offset: i32) -> LaneRegister {
        let mut result = LaneRegister::default();
        for (lane, index) in index.into_iter().enumerate() {
            let last = i32::from(self.compiled.last_constant);
            // The bounds -512 and 512 exceed all counts of constant registers and all offsets. NaN becomes the lower
            // bound.
            let bounded = float::min(float::max(index, -512.0), 512.0);
            let whole = bounded.round_ties_even() as i32;
            let number = whole.saturating_add(offset).clamp(0, last);
            let number = usize::try_from(number).unwrap_or(0);
            result.set_lane(lane, self.constant(number));
        }
        result
    }

    fn store(&mut self, dest: &IrDestination, value: &LaneRegister) {
        let active = self.flow.active;
        let Some(register) = self.state.slot_mut(dest.file, dest.number) else { return };
        if dest.mask == WriteMask::ALL && active == ALL {
            *register = *value;
            return;
        }
        let components = register.0.iter_mut().zip(&value.0).zip(Component::ALL);
        for ((to, from), component) in components {
            if !dest.mask.contains(component) {
                continue;
            }
            *to = if active == ALL { *from } else { select(active, *from, *to) };
        }
    }

    fn written(
        &self,
        IrDestination { file, number, mask }: IrDestination,
    ) -> RegisterWrite<AgalLanguage> {
        let value = *self.state.register(file, number);
        RegisterWrite { register: (file, number), mask, value }
    }
}
