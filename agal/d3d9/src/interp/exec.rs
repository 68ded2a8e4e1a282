//! Runs a [`Kernel`].

use super::compile::{Kernel, Op, Source, Target};
use super::flow::{Active, Frame, any};
use super::{
    Inputs, LANES, Lanes, Level, Lookup, Observer, Operation, Register, RunError, Settings, State,
    Step, Textures, alu,
};
use crate::opcode::{Kind, Load, Opcode, Texture};
use crate::operand::{Component, Dimension, Index, Modifier, Swizzle, WriteMask};
use crate::register::{File, Register as Place};

/// A co-issued `cnd` of ps_1_1 to ps_1_3 takes its first source whatever its write mask. One translator has this quirk
/// for any mask, another not for alpha alone (d3d9-shaders.md section 5.5).
const CO_ISSUED_CND_TAKES_FIRST: bool = true;

/// The state of a run.
pub(super) struct Machine<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) state: &'a mut State,
    pub(super) inputs: &'a Inputs<'a>,
    pub(super) textures: &'a dyn Textures,
    pub(super) settings: &'a Settings,
    pub(super) active: Active,
    pub(super) frames: Vec<Frame>,
    /// The loop counter `aL`.
    pub(super) counter: Option<i32>,
    /// Rows of the current texture matrix, in ps_1_x.
    pub(super) rows: [Lanes; 3],
    pub(super) row: usize,
}

impl Kernel {
    /// Runs four invocations; afterwards `state` holds the outputs.
    ///
    /// # Errors
    /// [`RunError::Steps`] where the shader runs more instructions than the settings allow; [`RunError::Depth`] where
    /// calls are nested too deeply.
    pub fn run<M: Observer>(
        &self,
        state: &mut State,
        inputs: &Inputs<'_>,
        textures: &dyn Textures,
        settings: &Settings,
        observer: &mut M,
    ) -> Result<(), RunError> {
        state.clear();
        let mut machine = Machine {
            kernel: self,
            state,
            inputs,
            textures,
            settings,
            active: [true; LANES],
            frames: Vec::new(),
            counter: None,
            rows: [[0.0; LANES]; 3],
            row: 0,
        };
        let mut place = 0usize;
        let mut steps = 0u32;
        while let Some(op) = self.steps.get(place) {
            steps = steps.saturating_add(1);
            if steps > settings.steps {
                return Err(RunError::Steps(settings.steps));
            }
            let ran = machine.active;
            if let Kind::Flow(flow) = op.kind {
                match machine.flow(self, op, flow, place)? {
                    Some(next) => place = next,
                    None => break,
                }
            } else {
                if any(machine.active) {
                    machine.op(op, observer);
                }
                place += 1;
            }
            if M::STEPS && any(ran) {
                observer.step(&machine.step(op, ran));
            }
        }
        machine.finish();
        Ok(())
    }
}

impl Machine<'_> {
    fn op<M: Observer>(&mut self, op: &Op, observer: &mut M) {
        let Some(target) = op.target else {
            if op.kind == Kind::Phase {
                self.phase();
            }
            return;
        };
        match op.kind {
            Kind::Mova => self.address(op, target),
            _ if target.place.file == File::Address => self.address(op, target),
            Kind::Setp => self.set_predicate(op, target),
            Kind::Texture(Texture::Kill) => self.kill(op, target),
            Kind::Texture(texture) => {
                let value = self.texture(op, texture, target);
                if target.written {
                    self.store(op, target, value);
                }
            }
            kind => {
                let value = self.value(op, kind, target, observer);
                self.store(op, target, value);
            }
        }
    }

    /// The result of an arithmetic instruction before its modifiers.
    fn value<M: Observer>(
        &mut self,
        op: &Op,
        kind: Kind,
        target: Target,
        observer: &mut M,
    ) -> Register {
        let mut sources = [0, 1, 2].map(|place| self.source(op, place));
        if let Kind::Scalar(_) = kind {
            sources = sources.map(|Register([x, ..])| Register([x; 4]));
        }
        let mut rows = [Register::default(); 4];
        let mut value = match kind {
            Kind::Map(formula) | Kind::Scalar(formula) => {
                alu::formula(formula, sources, self.settings)
            }
            Kind::Matrix { rows: count, width } => {
                let [vector, ..] = sources;
                let mut result = Register::default();
                for ((row, to), kept) in (0..u16::from(count)).zip(&mut result.0).zip(&mut rows) {
                    let value = op.source(1).map_or_else(Register::default, |source| {
                        let number = source.place.number.saturating_add(row);
                        let place = Place::new(source.place.file, number);
                        self.read(Source { place, ..source })
                    });
                    *to = alu::dot(&vector, &value, width);
                    *kept = value;
                }
                result
            }
            Kind::Bem => {
                let [base, Register([x, y, ..]), _] = sources;
                self.bump(&base, [x, y], target.place.number)
            }
            Kind::Cnd
                if op.co_issued
                    && self.kernel.version.is_ps_1_1_to_1_3()
                    && CO_ISSUED_CND_TAKES_FIRST =>
            {
                let [_, first, _] = sources;
                first
            }
            kind => alu::special(kind, sources, self.kernel.version.major() == 1),
        };
        let operation = Operation { kind, version: self.kernel.version, sources, rows };
        observer.computed(&operation, &mut value);
        value
    }

    pub(super) fn source(&self, op: &Op, place: usize) -> Register {
        op.source(place).map_or_else(Register::default, |source| self.read(source))
    }

    /// Reads a source with its swizzle and modifier.
    pub(super) fn read(&self, source: Source) -> Register {
        let mut value = self.fetch(source.place, source.index);
        let divide = |value: Register, by: Component| {
            let by = component(&value, by);
            Register(value.0.map(|lanes| super::zip(lanes, by, |a, b| a / b)))
        };
        match source.modifier {
            Modifier::DivideZ => value = divide(value, Component::Z),
            Modifier::DivideW => value = divide(value, Component::W),
            _ => {}
        }
        let value = swizzled(&value, source.swizzle);
        let each = |f: fn(f32) -> f32| Register(value.0.map(|lanes| lanes.map(f)));
        match source.modifier {
            Modifier::None | Modifier::DivideZ | Modifier::DivideW | Modifier::Not => value,
            Modifier::Negate => each(|a| -a),
            Modifier::Bias => each(|a| a - 0.5),
            Modifier::BiasNegate => each(|a| 0.5 - a),
            Modifier::Sign => each(|a| 2.0 * a - 1.0),
            Modifier::SignNegate => each(|a| 1.0 - 2.0 * a),
            Modifier::Complement => each(|a| 1.0 - a),
            Modifier::Double => each(|a| 2.0 * a),
            Modifier::DoubleNegate => each(|a| -2.0 * a),
            Modifier::Abs => each(f32::abs),
            Modifier::AbsNegate => each(|a| -a.abs()),
        }
    }

    fn fetch(&self, place: Place, index: Option<Index>) -> Register {
        match (place.file, index) {
            (File::Const, None) => Register::splat(self.constant(place.number.into())),
            (_, None) => self.input(place),
            (_, Some(index)) => {
                let mut value = Register::default();
                for lane in 0..LANES {
                    let number = i64::from(place.number).saturating_add(self.index(index, lane));
                    let one = match place.file {
                        File::Const => self.constant(number),
                        file => self.reached(file, number).map_or([0.0; 4], |number| {
                            self.input(Place::new(file, number)).lane(lane)
                        }),
                    };
                    value.set_lane(lane, one);
                }
                value
            }
        }
    }

    /// Reads a register. Input colours below ps_3_0 are clamped to 0..1 (d3d9-shaders.md section 5.6).
    fn input(&self, place: Place) -> Register {
        let value = self.state.register(place);
        let version = self.kernel.version;
        if place.file == File::Input && !version.is_vertex() && version.major() < 3 {
            return Register(value.0.map(|lanes| lanes.map(alu::saturate)));
        }
        value
    }

    /// Reads a constant; registers beyond the last are zero. ps_1_x clamps to -1..1 (d3d9-shaders.md section 5.5).
    fn constant(&self, number: i64) -> [f32; 4] {
        let Ok(number) = u16::try_from(number) else {
            return [0.0; 4];
        };
        let defined = self.kernel.floats.get(&number);
        let given = || self.inputs.floats.get(usize::from(number));
        let value = defined.or_else(given).copied().unwrap_or_default();
        if self.kernel.version.is_ps_1() {
            return value.map(|value| value.clamp(-1.0, 1.0));
        }
        value
    }

    pub(super) fn integer(&self, number: u16) -> [i32; 4] {
        let defined = self.kernel.integers.get(&number);
        let given = || self.inputs.integers.get(usize::from(number));
        defined.or_else(given).copied().unwrap_or_default()
    }

    fn boolean(&self, number: u16) -> bool {
        let defined = self.kernel.booleans.get(&number);
        let given = || self.inputs.booleans.get(usize::from(number));
        defined.or_else(given).copied().unwrap_or_default()
    }

    fn index(&self, index: Index, lane: usize) -> i64 {
        match index {
            Index::Loop => self.counter.unwrap_or(0).into(),
            Index::Address(component) => {
                let lanes = self.state.address.get(usize::from(component.bits()));
                let value = lanes.and_then(|lanes| lanes.get(lane));
                value.copied().unwrap_or(0).into()
            }
        }
    }

    /// The register of a relative operand, if the file has it; inputs must be declared.
    fn reached(&self, file: File, number: i64) -> Option<u16> {
        let number = u16::try_from(number).ok()?;
        let declared = file != File::Input || self.kernel.inputs >> number.min(15) & 1 != 0;
        (declared && number < file.reach(self.kernel.version)).then_some(number)
    }

    /// The lanes in which a condition is true.
    pub(super) fn condition(&self, op: &Op) -> Active {
        if let Some(comparison) = op.comparison.filter(|_| op.opcode.compares()) {
            let [Register([a, ..]), Register([b, ..])] = [0, 1].map(|place| self.source(op, place));
            return super::zip(a, b, |a, b| comparison.holds(a, b));
        }
        // The first source of `callnz` is the label.
        let place = usize::from(op.opcode == Opcode::CallNz);
        let Some(source) = op.source(place) else {
            return [false; LANES];
        };
        let truth = match source.place.file {
            File::Predicate => self.flags(source, Component::X),
            _ => [self.boolean(source.place.number); LANES],
        };
        match (source.modifier, source.place.file) {
            (Modifier::Not, File::Boolean) => truth.map(|truth| !truth),
            _ => truth,
        }
    }

    /// The predicate for one component of the destination.
    fn flags(&self, predicate: Source, component: Component) -> Active {
        let selected = predicate.swizzle.get(component);
        let lanes = self.state.predicate.get(usize::from(selected.bits()));
        let lanes = lanes.copied().unwrap_or_default();
        match predicate.modifier {
            Modifier::Not => lanes.map(|truth| !truth),
            _ => lanes,
        }
    }

    fn set_predicate(&mut self, op: &Op, target: Target) {
        let [a, b] = [0, 1].map(|place| self.source(op, place));
        let Some(comparison) = op.comparison else {
            return;
        };
        for to in target.mask.iter() {
            let [a, b] = [&a, &b].map(|value| component(value, to));
            let truth = super::zip(a, b, |a, b| comparison.holds(a, b));
            if let Some(lanes) = self.state.predicate.get_mut(usize::from(to.bits())) {
                *lanes = chosen(*lanes, truth, self.active);
            }
        }
    }

    /// `mova`, and `mov` to `a0` (d3d9-shaders.md section 5.2).
    fn address(&mut self, op: &Op, target: Target) {
        let value = self.source(op, 0);
        let floor = self.kernel.version.major() == 1 && !self.settings.round_address_1_1;
        for to in target.mask.iter() {
            let whole = component(&value, to).map(|value| alu::address(value, floor));
            let flags = self.written(op, to);
            if let Some(lanes) = self.state.address.get_mut(usize::from(to.bits())) {
                *lanes = chosen(*lanes, whole, flags);
            }
        }
    }

    /// The lanes in which an instruction writes a component.
    fn written(&self, op: &Op, to: Component) -> Active {
        match op.predicate {
            Some(predicate) => super::zip(self.flags(predicate, to), self.active, |a, b| a && b),
            None => self.active,
        }
    }

    fn kill(&mut self, op: &Op, target: Target) {
        // ps_1_1 to ps_1_3 test the interpolated coordinate; model 1 never tests w (d3d9-shaders.md section 5.3).
        let Place { file, number } = target.place;
        let (value, mask) = match self.kernel.version.major() {
            1 if file == File::Texture => (self.state.coordinates(number), WriteMask::first(3)),
            1 => (self.input(target.place), WriteMask::first(3)),
            _ => (self.input(target.place), target.mask),
        };
        for tested in mask.iter() {
            let negative = component(&value, tested).map(|value| value < 0.0);
            let killed = super::zip(negative, self.written(op, tested), |a, b| a && b);
            self.state.alive =
                super::zip(self.state.alive, killed, |alive, killed| alive && !killed);
        }
    }

    /// Applies shift, saturation, predicate and mask in this order, and writes the destination.
    fn store(&mut self, op: &Op, target: Target, value: Register) {
        for to in target.mask.iter() {
            let flags = self.written(op, to);
            let result = component(&value, to).map(|value| {
                // Multiplication by 1 may change a NaN's bits.
                let scaled = if target.scale == 1.0 { value } else { value * target.scale };
                if target.saturate { alu::saturate(scaled) } else { scaled }
            });
            for lane in 0..LANES {
                let number = match target.index {
                    None => Some(target.place.number),
                    Some(index) => {
                        let number =
                            self.index(index, lane).saturating_add(target.place.number.into());
                        self.reached(target.place.file, number)
                    }
                };
                let on = flags.get(lane).copied().unwrap_or(false);
                if let (true, Some(number)) = (on, number)
                    && let Some(register) =
                        self.state.get_mut(Place::new(target.place.file, number))
                    && let Some(lanes) = register.0.get_mut(usize::from(to.bits()))
                    && let (Some(slot), Some(value)) = (lanes.get_mut(lane), result.get(lane))
                {
                    *slot = *value;
                }
            }
        }
    }

    fn texture(&mut self, op: &Op, texture: Texture, target: Target) -> Register {
        if self.kernel.version.major() == 1 {
            return self.texture_1(op, texture, target);
        }
        let coordinates = self.source(op, 0);
        let sampler = op.source(1);
        let number = sampler.map_or(0, |sampler| sampler.place.number);
        let dimension = self.kernel.dimensions.get(usize::from(number));
        let dimension = dimension.copied().unwrap_or(Dimension::TwoD);
        let w = component(&coordinates, Component::W);
        let gradients = [2, 3].map(|place| self.source(op, place));
        let [dx, dy] = &gradients;
        let zero = [0.0; LANES];
        let (coordinates, level) = match (texture, Load::from_code(op.control & 3)) {
            (Texture::LoadLevel, _) => (coordinates, Level::Exactly(w)),
            (Texture::LoadGradient, _) => (coordinates, Level::Gradients(dx, dy)),
            (_, Some(Load::Project)) => {
                let divided = coordinates.0.map(|lanes| super::zip(lanes, w, |a, w| a / w));
                (Register(divided), Level::Implicit(zero))
            }
            (_, Some(Load::Bias)) => (coordinates, Level::Implicit(w)),
            _ => (coordinates, Level::Implicit(zero)),
        };
        let texel = self.textures.read(&Lookup {
            sampler: number,
            dimension,
            coordinates: &coordinates,
            level,
        });
        // The sampler's swizzle applies to the result.
        let swizzle = sampler.map_or(Swizzle::IDENTITY, |sampler| sampler.swizzle);
        swizzled(&texel, swizzle)
    }

    /// Clamps outputs (d3d9-shaders.md section 5.6).
    fn finish(&mut self) {
        let version = self.kernel.version;
        if version.is_vertex() && version.major() < 3 {
            for (file, number) in [(File::ColorVarying, 0), (File::ColorVarying, 1), (File::Fog, 0)]
            {
                if let Some(register) = self.state.get_mut(Place::new(file, number)) {
                    register.0 = register.0.map(|lanes| lanes.map(alu::saturate));
                }
            }
        }
        if version.is_ps_1() {
            let r0 = self.state.register(Place::new(File::Temp, 0));
            if let Some(color) = self.state.get_mut(Place::new(File::Color, 0)) {
                color.0 = r0.0.map(|lanes| lanes.map(alu::saturate));
            }
        }
    }

    fn step(&self, op: &Op, active: Active) -> Step {
        let written = op.target.filter(|target| target.written).map(|target| {
            let value = match target.place.file {
                #[expect(clippy::cast_precision_loss, reason = "shown only")]
                File::Address => Register(self.state.address.map(|lanes| lanes.map(|a| a as f32))),
                File::Predicate => {
                    let flag = |truth: bool| f32::from(u8::from(truth));
                    Register(self.state.predicate.map(|lanes| lanes.map(flag)))
                }
                _ => self.state.register(target.place),
            };
            (target.place, target.mask, value)
        });
        Step { instruction: op.number, written, active, alive: self.state.alive }
    }
}

/// One component of all lanes.
pub(super) fn component(value: &Register, component: Component) -> Lanes {
    let lanes = value.0.get(usize::from(component.bits()));
    lanes.copied().unwrap_or_default()
}

/// Selects the new value in the given lanes, the old one in the others.
fn chosen<T: Copy>(old: [T; LANES], new: [T; LANES], lanes: Active) -> [T; LANES] {
    let both = super::zip(old, new, |old, new| (old, new));
    super::zip(both, lanes, |(old, new), on| if on { new } else { old })
}

fn swizzled(value: &Register, swizzle: Swizzle) -> Register {
    Register(swizzle.lanes().map(|lane| component(value, lane)))
}
