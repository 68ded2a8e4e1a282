//! Runs a compiled program.

use super::compile::{Index, Kind, Op, Place, Source, Target};
use super::{
    Kernel, LANES, Lanes, Level, Lookup, Observer, Operands, Register, State, Step, Textures,
    Written, alu, zip,
};
use crate::isa::opcode;
use crate::isa::operand::Component;
use crate::isa::version::MAX_NESTING;

/// A set of lanes.
type Mask = [bool; LANES];

const ALL: Mask = [true; LANES];
const NONE: Mask = [false; LANES];

/// Active lanes and open blocks.
struct Flow {
    active: Mask,
    /// By depth: the lanes outside the block, and those that took its first branch.
    open: [(Mask, Mask); MAX_NESTING],
    depth: usize,
}

impl Flow {
    fn open(&mut self, taken: Mask) {
        if let Some(slot) = self.open.get_mut(self.depth) {
            *slot = (self.active, taken);
        }
        self.depth = self.depth.saturating_add(1);
        self.active = and(self.active, taken);
    }

    fn turn(&mut self) {
        let top = self.depth.checked_sub(1).and_then(|top| self.open.get(top));
        if let Some((outside, taken)) = top {
            self.active = and(*outside, taken.map(|taken| !taken));
        }
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if let Some((outside, _)) = self.open.get(self.depth) {
            self.active = *outside;
        }
    }
}

fn and(a: Mask, b: Mask) -> Mask {
    zip(a, b, |a, b| a && b)
}

impl Kernel {
    /// Runs the program in all four lanes. `state` holds inputs and results. Missing constants are zero.
    pub fn run(&self, state: &mut State, constants: &[[f32; 4]], textures: &impl Textures) {
        self.run_with(state, constants, textures, &mut ());
    }

    /// As [`Kernel::run`], with an observer.
    pub fn run_with<M: Observer>(
        &self,
        state: &mut State,
        constants: &[[f32; 4]],
        textures: &impl Textures,
        observer: &mut M,
    ) {
        for slot in &self.cleared {
            if let Some(register) = state.get_mut(*slot) {
                *register = Register::default();
            }
        }
        state.alive = ALL;
        let mut run = Run {
            kernel: self,
            state,
            constants,
            flow: Flow {
                active: ALL,
                open: [(NONE, NONE); MAX_NESTING],
                depth: 0,
            },
        };
        let mut next = 0;
        while let Some(op) = self.steps.get(next) {
            let jump = run.step(op, textures, observer);
            if M::STEPS {
                observer.step(&Step {
                    token: op.token,
                    opcode: op.opcode,
                    written: run.written(op),
                    active: run.flow.active,
                    alive: run.state.alive,
                });
            }
            next = jump.unwrap_or_else(|| next.saturating_add(1));
        }
    }
}

struct Run<'a> {
    kernel: &'a Kernel,
    state: &'a mut State,
    constants: &'a [[f32; 4]],
    flow: Flow,
}

impl Run<'_> {
    /// Runs one token. Returns a later token to jump to, `None` for the next one; never jumps backwards.
    fn step(
        &mut self,
        op: &Op,
        textures: &impl Textures,
        observer: &mut impl Observer,
    ) -> Option<usize> {
        match &op.kind {
            Kind::Unary(unary, dest, a) => {
                let a = self.load(a, 0);
                let mut value = alu::unary(*unary, &a, dest.mask);
                observer.computed(op.opcode, &Operands { a: &a, b: &[] }, &mut value);
                self.store(dest, &value);
            }
            Kind::Binary(binary, dest, a, b) => {
                let a = self.load(a, 0);
                // One for all but matrices.
                let first = [self.load(b, 0)];
                let rows: [Register; 4];
                let b = match binary.rows() {
                    0 | 1 => first.as_slice(),
                    count => {
                        let [first] = first;
                        rows = [first, self.load(b, 1), self.load(b, 2), self.load(b, 3)];
                        rows.get(..count.into()).unwrap_or(&rows)
                    }
                };
                let mut value = alu::binary(*binary, &a, b, dest.mask);
                observer.computed(op.opcode, &Operands { a: &a, b }, &mut value);
                self.store(dest, &value);
            }
            Kind::Sample(dest, coordinates, sampler, lookup) => {
                let a = self.load(coordinates, 0);
                let mut value = textures.read(&Lookup {
                    stage: self.kernel.stage,
                    sampler,
                    coordinates: &a,
                    level: match lookup {
                        opcode::Lookup::Implicit => Level::Implicit(sampler.bias()),
                        opcode::Lookup::LevelZero => Level::Exactly(0.0),
                    },
                });
                observer.computed(op.opcode, &Operands { a: &a, b: &[] }, &mut value);
                self.store(dest, &value);
            }
            Kind::Kill(a) => {
                let [x, ..] = self.load(a, 0).0;
                for ((alive, active), x) in self.state.alive.iter_mut().zip(self.flow.active).zip(x)
                {
                    *alive &= !(active && x < 0.0);
                }
            }
            Kind::If(relation, a, b, end) => {
                let taken = alu::condition(*relation, &self.load(a, 0), &self.load(b, 0));
                self.flow.open(taken);
                if self.flow.active == NONE {
                    return Some(*end);
                }
            }
            Kind::Else(end) => {
                self.flow.turn();
                if self.flow.active == NONE {
                    return Some(*end);
                }
            }
            Kind::End => self.flow.close(),
        }
        None
    }

    fn load(&self, source: &Source, row: u8) -> Register {
        let swizzled =
            |register: &Register| Register(source.swizzle.map(|from| component_of(register, from)));
        match source.place {
            Place::Slot(slot) => match self.state.slot(slot.saturating_add(row)) {
                Some(register) => swizzled(register),
                None => Register::default(),
            },
            Place::Constant(number) => {
                let number = usize::from(number) + usize::from(row);
                let value = self.constants.get(number).unwrap_or(&[0.0; 4]);
                let component = |from: u8| value.get(usize::from(from & 3)).copied().unwrap_or(0.0);
                Register(source.swizzle.map(|from| [component(from); LANES]))
            }
            Place::Indexed {
                index,
                component,
                offset,
            } => swizzled(&self.indexed(index, component, offset.saturating_add(row.into()))),
        }
    }

    fn constant(&self, number: usize) -> [f32; 4] {
        self.constants.get(number).copied().unwrap_or_default()
    }

    /// Reads constants with relative addressing, in each lane: the index is truncated towards zero and clamped to the
    /// bank (agal.md section 2.2, both unverified).
    #[expect(
        clippy::cast_possible_truncation,
        reason = "saturates, and is clamped right after"
    )]
    fn indexed(&self, index: Index, component: u8, offset: u16) -> Register {
        let register = match index {
            Index::Slot(slot) => self.state.get(slot),
            Index::Constant(number) => Register::splat(self.constant(number.into())),
        };
        let indices = component_of(&register, component);
        let mut result = Register::default();
        for (lane, index) in indices.into_iter().enumerate() {
            let last = i32::from(self.kernel.last_constant);
            let number = (index as i32).saturating_add(offset.into()).clamp(0, last);
            let number = usize::try_from(number).unwrap_or(0);
            result.set_lane(lane, self.constant(number));
        }
        result
    }

    /// Writes the masked components in the active lanes.
    fn store(&mut self, dest: &Target, value: &Register) {
        let active = self.flow.active;
        let Some(register) = self.state.get_mut(dest.slot) else {
            return;
        };
        let components = register.0.iter_mut().zip(&value.0).zip(Component::ALL);
        for ((to, from), component) in components {
            if !dest.mask.contains(component) {
                continue;
            }
            *to = match active {
                ALL => *from,
                _ => zip(
                    zip(*to, *from, |to, from| (to, from)),
                    active,
                    |(to, from), active| {
                        if active { from } else { to }
                    },
                ),
            };
        }
    }

    fn written(&self, op: &Op) -> Option<Written> {
        let (Kind::Unary(_, dest, ..) | Kind::Binary(_, dest, ..) | Kind::Sample(dest, ..)) =
            &op.kind
        else {
            return None;
        };
        Some(Written {
            file: dest.file,
            number: dest.number,
            mask: dest.mask,
            value: self.state.get(dest.slot),
        })
    }
}

fn component_of(register: &Register, component: u8) -> Lanes {
    // Always there, and nothing asks.
    register
        .0
        .get(usize::from(component & 3))
        .copied()
        .unwrap_or_default()
}
