//! Executes a [`CompiledShader`].

use agal_core::lanes::{and, flag, map, saturate, select, zip};

use super::compile::{CompiledShader, Op};
use super::{
    Computation, Direct3D9, Inputs, LANES, Lanes, Level, Lookup, Observer, Register as Value,
    RegisterWrite, RunError, Sampler, State, Textures, TraceStep, alu,
};
use crate::dataflow;
use crate::float::FloatRules;
use crate::opcode::{Load, Opcode, Operation, Texture};
use crate::operand::{Component, Dimension, Index, Modifier, Modifiers, Source};
use crate::register::{File, Register};

pub(super) type Active = [bool; LANES];

/// An open block or call; `before` contains the lanes that were active at its start.
#[derive(Clone, Copy, Debug)]
pub(super) enum Frame {
    /// A conditional; `first` contains the lanes that took the first branch.
    If {
        before: Active,
        first: Active,
    },
    Loop {
        before: Active,
        /// The number of remaining iterations, including the current one.
        left: i32,
        step: i32,
        /// The value of `aL` in the enclosing loop.
        outer: Option<i32>,
        /// Lanes that left the loop by `break`.
        gone: Active,
    },
    Call {
        return_to: usize,
        before: Active,
    },
}

pub(super) struct Machine<'a> {
    pub(super) compiled: &'a CompiledShader,
    pub(super) state: &'a mut State,
    pub(super) inputs: &'a Inputs<'a>,
    pub(super) textures: &'a dyn Textures<Direct3D9>,
    pub(super) active: Active,
    pub(super) frames: Vec<Frame>,
    pub(super) counter: Option<i32>,
    /// In ps_1_x, the rows of the current texture matrix, and their count.
    pub(super) rows: [Lanes; 3],
    pub(super) row: usize,
}

impl CompiledShader {
    /// Runs four invocations and stores the outputs in `state`. Fails if the shader executes more instructions than
    /// allowed, or nests calls too deeply.
    pub fn run<M: Observer<Direct3D9>>(
        &self,
        state: &mut State,
        inputs: &Inputs<'_>,
        textures: &dyn Textures<Direct3D9>,
        max_steps: u32,
        observer: &mut M,
    ) -> Result<(), RunError> {
        state.clear();
        let mut machine = Machine {
            compiled: self,
            state,
            inputs,
            textures,
            active: [true; LANES],
            frames: Vec::new(),
            counter: None,
            rows: [[0.0; LANES]; 3],
            row: 0,
        };
        let mut next = 0usize;
        let mut steps = 0u32;
        while let Some(op) = self.ops.get(next) {
            steps = steps.saturating_add(1);
            if steps > max_steps {
                return Err(RunError::Steps(max_steps));
            }
            let active = machine.active;
            if let Operation::Flow(flow) = op.operation() {
                match machine.flow(op, flow, next)? {
                    Some(index) => next = index,
                    None => break,
                }
            } else {
                if any(active) {
                    machine.op(op, observer);
                }
                next += 1;
            }
            if M::STEPS && any(active) {
                observer.step(&machine.step(op, active));
            }
        }
        machine.finish();
        Ok(())
    }
}

impl Machine<'_> {
    fn op<M: Observer<Direct3D9>>(&mut self, op: &Op, observer: &mut M) {
        let kind = op.operation();
        let Some(target) = op.instruction.dest_register(self.compiled.version) else {
            if kind == Operation::Phase {
                self.phase();
            }
            return;
        };
        match kind {
            Operation::Mova => self.address(op),
            _ if target.file == File::Address => self.address(op),
            Operation::Setp => self.set_predicate(op),
            Operation::Texture(Texture::Kill) => self.kill(op, target),
            Operation::Texture(texture) => {
                let value = match self.compiled.version.major() {
                    1 => self.texture_1(op, texture, target),
                    _ => self.texture(op, texture),
                };
                if op.instruction.opcode.destination_rules().is_some() {
                    self.store(op, target, value);
                }
            }
            kind => {
                let value = self.value(op, kind, target, observer);
                self.store(op, target, value);
            }
        }
    }

    /// Returns the result of an arithmetic instruction, before modifiers are applied.
    fn value<M: Observer<Direct3D9>>(
        &mut self,
        op: &Op,
        kind: Operation,
        target: Register,
        observer: &mut M,
    ) -> Value {
        let version = self.compiled.version;
        let mut sources = [0, 1, 2].map(|index| self.source(op, index));
        if let Operation::Scalar(_) = kind {
            sources = sources.map(|Value([x, ..])| Value([x; 4]));
        }
        let [a, b, _] = sources;
        let mut rows = [Value::default(); 4];
        let mut value = match kind {
            Operation::Map(formula) | Operation::Scalar(formula) => {
                let sums = if op.limited { self.compiled.rules } else { FloatRules::Ieee };
                alu::formula(formula, [self.compiled.rules, sums], sources)
            }
            Operation::Matrix { rows: count, width } => {
                let mut result = Value::default();
                for ((number, to), row) in (0..u16::from(count)).zip(&mut result.0).zip(&mut rows) {
                    *row = op.source(1).map(|source| self.read(source, number)).unwrap_or_default();
                    *to = alu::dot(&a, row, width);
                }
                result
            }
            Operation::Bem => {
                let Value([x, y, ..]) = b;
                self.bump(&a, [x, y], target.number)
            }
            // A co-issued `cnd` selects its first source regardless of its write mask. Translators of ps_1_x shaders
            // disagree only about the mask of alpha alone ([d3d9.ps1.cnd]).
            Operation::Cnd if op.instruction.is_co_issued() && version.is_ps_1_1_to_1_3() => b,
            kind => alu::special(kind, self.compiled.rules, sources, version.major() == 1),
        };
        if op.limited {
            value = value.map(|value| self.compiled.rules.limited(value));
        }
        observer.computed(&Computation { operation: kind, version, sources, rows }, &mut value);
        value
    }

    pub(super) fn source(&self, op: &Op, index: usize) -> Value {
        op.source(index).map(|source| self.read(source, 0)).unwrap_or_default()
    }

    /// Reads a source (or one row of a matrix source) with its swizzle and modifier.
    fn read(&self, source: Source, row: u16) -> Value {
        let version = self.compiled.version;
        let Some(register) = source.register(version) else {
            return Value::default();
        };
        let number = register.number.saturating_add(row);
        let register = Register::new(register.file, number);
        let value = self.fetch(register, source.index(version));
        let modifier = source.modifier().unwrap_or(Modifier::None);
        let value = match modifier {
            Modifier::DivideZ => self.divided(&value, Component::Z),
            Modifier::DivideW => self.divided(&value, Component::W),
            _ => value,
        };
        let value = value.swizzled(source.swizzle());
        match modifier {
            Modifier::None | Modifier::DivideZ | Modifier::DivideW | Modifier::Not => value,
            Modifier::Negate => value.map(|a| -a),
            Modifier::Bias => value.map(|a| a - 0.5),
            Modifier::BiasNegate => value.map(|a| 0.5 - a),
            Modifier::Sign => value.map(|a| 2.0 * a - 1.0),
            Modifier::SignNegate => value.map(|a| 1.0 - 2.0 * a),
            Modifier::Complement => value.map(|a| 1.0 - a),
            Modifier::Double => value.map(|a| 2.0 * a),
            Modifier::DoubleNegate => value.map(|a| -2.0 * a),
            Modifier::Abs => value.map(f32::abs),
            Modifier::AbsNegate => value.map(|a| -a.abs()),
        }
    }

    /// Divides all components by the given component ([d3d9.value.quotient]).
    pub(super) fn divided(&self, value: &Value, by: Component) -> Value {
        let by = value.get(by);
        Value(map(value.0, |lanes| zip(lanes, by, |a, b| self.compiled.rules.div(a, b))))
    }

    fn fetch(&self, register: Register, index: Option<Index>) -> Value {
        let Some(index) = index else {
            return match register.file {
                File::Const => Value::splat(self.constant(register.number.into())),
                _ => self.input(register),
            };
        };
        let mut value = Value::default();
        for lane in 0..LANES {
            let number = i64::from(register.number).saturating_add(self.index(index, lane));
            let reached = |number| self.input(Register::new(register.file, number)).lane(lane);
            let one = match register.file {
                File::Const => self.constant(number),
                file => self.reached(file, number).map(reached).unwrap_or_default(),
            };
            value.set_lane(lane, one);
        }
        value
    }

    /// Reads an input register. Below ps_3_0, colours are clamped to 0..1 ([d3d9.linkage.clamp]).
    fn input(&self, register: Register) -> Value {
        let value = self.state.register(register);
        let version = self.compiled.version;
        if register.file == File::Input && !version.is_vertex() && version.major() < 3 {
            return value.map(saturate);
        }
        value
    }

    /// Reads a constant register; registers past the end are zero. In ps_1_x, clamps to -1..1 ([d3d9.ps1.range]).
    fn constant(&self, number: i64) -> [f32; 4] {
        let number = u16::try_from(number).ok();
        let defined = number.and_then(|number| self.compiled.declared.floats.get(&number));
        let input = || self.inputs.floats.get(usize::from(number?));
        let value = defined.or_else(input).copied().unwrap_or_default();
        if self.compiled.version.is_ps_1() {
            map(value, |value| alu::limit(value, 1.0))
        } else {
            value
        }
    }

    pub(super) fn integer(&self, number: u16) -> [i32; 4] {
        let defined = self.compiled.declared.integers.get(&number);
        let input = || self.inputs.integers.get(usize::from(number));
        defined.or_else(input).copied().unwrap_or_default()
    }

    fn boolean(&self, number: u16) -> bool {
        let defined = self.compiled.declared.booleans.get(&number);
        let input = || self.inputs.booleans.get(usize::from(number));
        defined.or_else(input).copied().unwrap_or_default()
    }

    fn index(&self, index: Index, lane: usize) -> i64 {
        match index {
            Index::Loop => self.counter.unwrap_or(0).into(),
            Index::Address(component) => {
                let lanes = self.state.address.get(usize::from(component.bits()));
                lanes.and_then(|lanes| lanes.get(lane)).copied().unwrap_or(0).into()
            }
        }
    }

    /// Returns the register that a relative operand accesses, if it exists; inputs must be declared.
    fn reached(&self, file: File, number: i64) -> Option<u16> {
        let number = u16::try_from(number).ok()?;
        let register = Register::new(file, number);
        let declared = file != File::Input || self.compiled.declared.mask(register).is_some();
        (declared && number < file.reach(self.compiled.version)).then_some(number)
    }

    pub(super) fn condition(&self, op: &Op) -> Active {
        let opcode = op.instruction.opcode;
        if let Some(comparison) = op.instruction.comparison().filter(|_| opcode.compares()) {
            let [Value([a, ..]), Value([b, ..])] = [0, 1].map(|index| self.source(op, index));
            return zip(a, b, |a, b| comparison.holds(a, b));
        }
        // In `callnz`, the first source is the label and the second is the condition.
        let source = op.instruction.source(usize::from(opcode == Opcode::CallNz));
        match source.register(self.compiled.version) {
            Some(register) if register.file != File::Predicate => {
                [self.boolean(register.number) != (source.modifier() == Some(Modifier::Not)); LANES]
            }
            _ => self.flags(source, Component::X),
        }
    }

    fn flags(&self, predicate: Source, component: Component) -> Active {
        let selected = predicate.swizzle().get(component);
        let lanes = self.state.predicate.get(usize::from(selected.bits()));
        let lanes = lanes.copied().unwrap_or_default();
        map(lanes, |flag| flag != (predicate.modifier() == Some(Modifier::Not)))
    }

    fn set_predicate(&mut self, op: &Op) {
        let [a, b] = [0, 1].map(|index| self.source(op, index));
        let Some(comparison) = op.instruction.comparison() else {
            return;
        };
        for to in op.mask.iter() {
            let truth = zip(a.get(to), b.get(to), |a, b| comparison.holds(a, b));
            if let Some(lanes) = self.state.predicate.get_mut(usize::from(to.bits())) {
                *lanes = select(self.active, truth, *lanes);
            }
        }
    }

    /// Executes `mova`, and `mov` to `a0`, which rounds down in vs_1_1 ([d3d9.address.vs_1_1]).
    fn address(&mut self, op: &Op) {
        let value = self.source(op, 0);
        let floor = self.compiled.version.major() == 1;
        for to in op.mask.iter() {
            let whole = map(value.get(to), |value| alu::address(value, floor));
            let flags = self.writing(op, to);
            if let Some(lanes) = self.state.address.get_mut(usize::from(to.bits())) {
                *lanes = select(flags, whole, *lanes);
            }
        }
    }

    fn writing(&self, op: &Op, to: Component) -> Active {
        let predicate = op.instruction.predicate;
        predicate.map_or(self.active, |predicate| and(self.flags(predicate, to), self.active))
    }

    fn kill(&mut self, op: &Op, target: Register) {
        // In ps_1_1 to ps_1_3, `texkill` tests the interpolated coordinate ([d3d9.texkill.coordinate]).
        let value = match (self.compiled.version.major(), target.file) {
            (1, File::Texture) => self.state.coordinates(target.number),
            _ => self.input(target),
        };
        for tested in dataflow::read_from_dest(&op.instruction, self.compiled.version).iter() {
            let negative = map(value.get(tested), |value| value < 0.0);
            let killed = and(negative, self.writing(op, tested));
            self.state.alive = without(self.state.alive, killed);
        }
    }

    /// Applies shift, saturation, predicate and write mask, in this order, and writes the destination.
    fn store(&mut self, op: &Op, target: Register, value: Value) {
        let Some(dest) = op.instruction.dest else {
            return;
        };
        let (scale, index) = (dest.scale(), dest.index(self.compiled.version));
        let saturates = dest.modifiers().has(Modifiers::SATURATE);
        for to in op.mask.iter() {
            let flags = self.writing(op, to);
            let result = map(value.get(to), |value| {
                // Skips a multiplication by 1, which could change the bits of a NaN.
                let scaled = if scale == 1.0 { value } else { value * scale };
                if saturates { saturate(scaled) } else { scaled }
            });
            for (lane, (on, value)) in flags.into_iter().zip(result).enumerate() {
                let number = match index {
                    None => Some(target.number),
                    Some(index) => {
                        let number = self.index(index, lane).saturating_add(target.number.into());
                        self.reached(target.file, number)
                    }
                };
                if let (true, Some(number)) = (on, number)
                    && let Some(register) = self.state.get_mut(Register::new(target.file, number))
                    && let Some(lanes) = register.0.get_mut(usize::from(to.bits()))
                    && let Some(slot) = lanes.get_mut(lane)
                {
                    *slot = value;
                }
            }
        }
    }

    fn texture(&mut self, op: &Op, texture: Texture) -> Value {
        let sampler = op.instruction.source(1);
        let dimension = self.compiled.declared.sampler(sampler.number());
        let [coordinates, _, dx, dy] = [0, 1, 2, 3].map(|index| match index {
            1 => Value::default(),
            index => self.source(op, index),
        });
        let w = coordinates.get(Component::W);
        let zero = [0.0; LANES];
        let (coordinates, level) = match (texture, op.instruction.load()) {
            (Texture::LoadLevel, _) => (coordinates, Level::Exactly(w)),
            (Texture::LoadGradient, _) => (coordinates, Level::Gradients(&dx, &dy)),
            (_, Some(Load::Project)) => {
                (self.divided(&coordinates, Component::W), Level::Implicit(zero))
            }
            (_, Some(Load::Bias)) => (coordinates, Level::Implicit(w)),
            _ => (coordinates, Level::Implicit(zero)),
        };
        let dimension = dimension.unwrap_or(Dimension::TwoD);
        let unit = &Sampler { number: sampler.number(), dimension };
        let texel = self.textures.read(&Lookup { sampler: unit, coordinates: &coordinates, level });
        // The sampler's swizzle applies to the texel that is read.
        texel.swizzled(sampler.swizzle())
    }

    fn finish(&mut self) {
        let version = self.compiled.version;
        if version.is_vertex() && version.major() < 3 {
            for (file, number) in [(File::ColorVarying, 0), (File::ColorVarying, 1), (File::Fog, 0)]
            {
                let register = Register::new(file, number);
                self.clamp(register, register);
            }
        }
        if version.is_ps_1() {
            let [color, r0] = [File::Color, File::Temp].map(|file| Register::new(file, 0));
            self.clamp(color, r0);
        }
    }

    fn clamp(&mut self, to: Register, from: Register) {
        let value = self.state.register(from);
        if let Some(register) = self.state.get_mut(to) {
            *register = value.map(saturate);
        }
    }

    fn step(&self, op: &Op, active: Active) -> TraceStep {
        let target = op.instruction.dest_register(self.compiled.version);
        let target = target.filter(|_| op.instruction.opcode.destination_rules().is_some());
        let written = target.map(|target| {
            let value = match target.file {
                #[expect(clippy::cast_precision_loss, reason = "shown only")]
                File::Address => Value(self.state.address.map(|lanes| lanes.map(|a| a as f32))),
                File::Predicate => Value(self.state.predicate.map(|lanes| lanes.map(flag))),
                _ => self.state.register(target),
            };
            RegisterWrite { register: target, mask: op.mask, value }
        });
        TraceStep { instruction: op.number, written, active, alive: self.state.alive }
    }
}

pub(super) fn without(a: Active, b: Active) -> Active {
    zip(a, b, |a, b| a && !b)
}

pub(super) fn any(a: Active) -> bool {
    a.contains(&true)
}
