//! One token to one instruction or a few (d3d9-shaders.md section 7.3).

use agal::opcode::{Binary, BinaryFormula, Derivative, Lowering, Relation, Unary, UnaryFormula};
use agal::operand::{Component, Operand2, Swizzle, WriteMask};

use super::TranslateError;
use super::builder::{Builder, Operand};
use crate::opcode::Opcode;
use crate::operand::{Dest, Modifier, Modifiers};
use crate::register::{File, Register};
use crate::version::Version;

use std::f32::consts::{PI, TAU};

impl Builder<'_> {
    pub(super) fn token(
        &mut self,
        token: u32,
        instruction: &agal::Instruction,
    ) -> Result<(), TranslateError> {
        self.next_token(token);
        let wrong = TranslateError::Token(token);
        let opcode = instruction.opcode().ok_or(wrong.clone())?;
        let lower = opcode.lowering();
        if let Lowering::Block(block) = lower {
            return self.block(opcode, block);
        }
        let a = self.operand(&instruction.source1)?;
        let second = |builder: &mut Self| match instruction.source2() {
            Operand2::Source(source) => builder.operand(source),
            Operand2::Sampler(_) => Err(wrong.clone()),
        };
        match lower {
            Lowering::Block(_) => Ok(()),
            Lowering::Kill => {
                self.kill(a);
                Ok(())
            }
            Lowering::If(relation) => {
                let b = second(self)?;
                self.open(opcode, relation, [a, b])
            }
            Lowering::Unary(unary) => {
                let dest = self.destination(&instruction.dest)?;
                self.unary(opcode, unary, dest, a)
            }
            Lowering::Binary(binary) => {
                let b = second(self)?;
                let dest = self.destination(&instruction.dest)?;
                self.binary(binary, dest, a, b);
                Ok(())
            }
            Lowering::Sample(_) => match instruction.source2() {
                Operand2::Sampler(sampler) => self.texture(opcode, &instruction.dest, a, sampler),
                Operand2::Source(_) => Err(wrong),
            },
        }
    }

    /// Does writing a destination step by step change what is still to be read?
    fn aliases(&self, dest: Dest, sources: &[Operand]) -> bool {
        let register = dest.register(self.version);
        sources
            .iter()
            .any(|source| Some(source.register) == register)
    }

    /// A destination that may be written step by step and by any instruction, and has to be moved where it belongs
    /// afterwards (`deliver`): the destination itself where it is a temporary that no source is.
    fn workplace(&mut self, dest: Dest, sources: &[Operand]) -> Dest {
        let temp = dest
            .register(self.version)
            .is_some_and(|register| register.file == File::Temp);
        if temp && !self.aliases(dest, sources) {
            return dest;
        }
        Dest::new(self.scratch(), dest.mask())
    }

    fn deliver(&mut self, dest: Dest, workplace: Dest) {
        if dest != workplace
            && let Some(register) = workplace.register(self.version)
        {
            self.push(Opcode::Mov, Some(dest), &[Operand::new(register)]);
        }
    }

    /// May an arithmetic instruction write it? Model 2 has only `mov` for colour, and depth is one component of a `mov`.
    fn is_free(&self, dest: Dest) -> bool {
        match dest.register(self.version).map(|register| register.file) {
            Some(File::Depth) => false,
            Some(File::Color) => self.model_3(),
            _ => true,
        }
    }

    /// An instruction that reads the masked lanes of each source.
    fn map<const N: usize>(&mut self, opcode: Opcode, dest: Dest, sources: [Operand; N]) {
        self.shaped(opcode, dest, sources, [dest.mask(); N]);
    }

    /// One that reads these lanes.
    fn shaped<const N: usize>(
        &mut self,
        opcode: Opcode,
        dest: Dest,
        sources: [Operand; N],
        lanes: [WriteMask; N],
    ) {
        let depth = dest
            .register(self.version)
            .is_some_and(|r| r.file == File::Depth);
        let mut legal = self.legal(sources, lanes);
        if depth && opcode == Opcode::Mov {
            legal = legal.map(|source| source.lane(Component::X));
        }
        // `mov oC0, r0` and `mov oDepth, r0.x` are the model's own way.
        let plain = legal.iter().all(|source| {
            let whole = source.swizzle == Swizzle::IDENTITY || depth && source.swizzle.is_scalar();
            whole && source.modifier == Modifier::None && source.register.file == File::Temp
        });
        if self.is_free(dest) || opcode == Opcode::Mov && plain && dest.modifiers().0 == 0 {
            self.push(opcode, Some(self.fitting(dest)), &legal);
            return;
        }
        let to = Dest::new(self.scratch(), dest.mask()).with_modifiers(dest.modifiers().0);
        self.push(opcode, Some(to), &legal);
        self.output(dest, to);
    }

    /// Depth is written with a full mask, from one component.
    fn fitting(&self, dest: Dest) -> Dest {
        match dest.register(self.version) {
            Some(register) if register.file == File::Depth => dest.with_mask(WriteMask::ALL),
            _ => dest,
        }
    }

    /// Moves a scratch register to a colour or to the depth.
    pub(super) fn output(&mut self, dest: Dest, from: Dest) {
        let Some(register) = from.register(self.version) else {
            return;
        };
        let depth = dest
            .register(self.version)
            .is_some_and(|r| r.file == File::Depth);
        let source = Operand::new(register);
        let source = if depth {
            source.component(Component::X)
        } else {
            source
        };
        let dest = Dest::from_word(self.fitting(dest).word & !0x00f0_0000);
        self.push(Opcode::Mov, Some(dest), &[source]);
    }

    /// Lanes that read the same component: an instruction for each (P3).
    fn groups(operand: Operand, mask: WriteMask) -> Vec<(WriteMask, Component)> {
        let mut groups: Vec<(WriteMask, Component)> = Vec::new();
        for lane in mask.iter() {
            let read = operand.swizzle.get(lane);
            match groups.iter_mut().find(|(_, component)| *component == read) {
                Some((lanes, _)) => *lanes = lanes.with(lane),
                None => groups.push((WriteMask::EMPTY.with(lane), read)),
            }
        }
        groups
    }

    /// An opcode of one component, for every lane.
    fn scalar(&mut self, opcode: Opcode, dest: Dest, source: Operand) {
        for (lanes, component) in Self::groups(source, dest.mask()) {
            let dest = dest.with_mask(lanes);
            self.push(opcode, Some(dest), &[source.component(component)]);
        }
    }

    /// The same where the destination may be anything.
    fn scalars(&mut self, opcode: Opcode, dest: Dest, source: Operand) {
        let work = self.workplace(dest, &[source]);
        self.scalar(opcode, work, source);
        self.finish_work(dest, work);
    }

    fn finish_work(&mut self, dest: Dest, work: Dest) {
        if dest == work {
            return;
        }
        if self.is_free(dest) {
            self.deliver(dest, work);
        } else {
            self.output(dest, work);
        }
    }

    fn unary(
        &mut self,
        opcode: agal::opcode::Opcode,
        unary: Unary,
        dest: Dest,
        a: Operand,
    ) -> Result<(), TranslateError> {
        match unary {
            Unary::Derivative(derivative) => {
                if matches!(self.version, Version::Ps20) {
                    return Err(self.cannot(opcode));
                }
                let opcode = match derivative {
                    Derivative::X => Opcode::Dsx,
                    Derivative::Y => Opcode::Dsy,
                };
                self.map(opcode, dest, [a]);
            }
            Unary::Normalize => {
                let mut work = self.workplace(dest, &[a]);
                if work.mask() != WriteMask::first(3) {
                    work = Dest::new(self.scratch(), WriteMask::first(3));
                }
                let [a] = self.legal([a], [WriteMask::first(3)]);
                self.push(Opcode::Nrm, Some(work), &[a]);
                self.finish_work(dest, work);
            }
            Unary::Formula(formula) => self.formula(formula, dest, a),
        }
        Ok(())
    }

    fn formula(&mut self, formula: UnaryFormula, dest: Dest, a: Operand) {
        match formula {
            UnaryFormula::Rcp => self.scalars(Opcode::Rcp, dest, a),
            UnaryFormula::Rsq => self.scalars(Opcode::Rsq, dest, a),
            UnaryFormula::Log => self.scalars(Opcode::Log, dest, a),
            UnaryFormula::Exp => self.scalars(Opcode::Exp, dest, a),
            UnaryFormula::Sqt => {
                let work = self.workplace(dest, &[a]);
                self.scalar(Opcode::Rsq, work, a);
                // Lane by lane: the reciprocal of each root.
                let register = work.register(self.version).unwrap_or(a.register);
                for (lanes, _) in Self::groups(a, dest.mask()) {
                    let first = lanes.iter().next().unwrap_or(Component::X);
                    let root = Operand::new(register).component(first);
                    self.push(Opcode::Rcp, Some(work.with_mask(lanes)), &[root]);
                }
                self.finish_work(dest, work);
            }
            UnaryFormula::Mov if self.agreeing(a.swizzle, dest.mask()).is_none() => {
                let work = self.workplace(dest, &[a]);
                if let Some(register) = work.register(self.version) {
                    self.fill(register, a, dest.mask());
                }
                self.finish_work(dest, work);
            }
            UnaryFormula::Frc => self.map(Opcode::Frc, dest, [a]),
            UnaryFormula::Abs => self.map(Opcode::Abs, dest, [a]),
            UnaryFormula::Neg => self.map(Opcode::Mov, dest, [a.negated()]),
            UnaryFormula::Sat => self.saturate(dest, a),
            UnaryFormula::Sin => self.sine(dest, a, Component::Y),
            UnaryFormula::Cos => self.sine(dest, a, Component::X),
            // No player ever ran `sgn`.
            UnaryFormula::Mov | UnaryFormula::Sgn => self.map(Opcode::Mov, dest, [a]),
        }
    }

    /// P7.
    fn saturate(&mut self, dest: Dest, a: Operand) {
        if self.pixel() || self.model_3() {
            if self.saturate_last(dest, a) {
                return;
            }
            self.map(Opcode::Mov, dest.with_modifiers(Modifiers::SATURATE), [a]);
            return;
        }
        let [zero, one] = self.literals([0.0, 1.0]);
        let work = Dest::new(self.scratch(), dest.mask());
        self.map(Opcode::Max, work, [a, zero]);
        let register = work.register(self.version).unwrap_or(a.register);
        self.map(Opcode::Min, dest, [Operand::new(register), one]);
    }

    /// The angle is brought to -pi..pi, then taken lane by lane (d3d9-shaders.md section 5.4).
    fn sine(&mut self, dest: Dest, a: Operand, which: Component) {
        let mask = dest.mask();
        let angle = Dest::new(self.scratch(), mask);
        let register = angle.register(self.version).unwrap_or(a.register);
        let reduced = Operand::new(register);
        let [turns, half, tau, minus_pi] = self.literals([1.0 / TAU, 0.5, TAU, -PI]);
        self.map(Opcode::Mad, angle, [a, turns, half]);
        self.push(Opcode::Frc, Some(angle), &[reduced]);
        self.push(Opcode::Mad, Some(angle), &[reduced, tau, minus_pi]);
        let work = self.workplace(dest, &[]);
        let both = self.scratch();
        let one = Dest::new(both, WriteMask::EMPTY.with(which));
        for lane in mask.iter() {
            let angle = reduced.component(lane);
            if self.model_3() {
                self.push(Opcode::SinCos, Some(one), &[angle]);
            } else {
                let [c0, c1] = self.sincos_constants();
                self.push(Opcode::SinCos, Some(one), &[angle, c0, c1]);
            }
            let to = work.with_mask(WriteMask::EMPTY.with(lane));
            self.push(
                Opcode::Mov,
                Some(to),
                &[Operand::new(both).component(which)],
            );
        }
        self.finish_work(dest, work);
    }

    fn binary(&mut self, binary: Binary, dest: Dest, a: Operand, b: Operand) {
        match binary {
            Binary::Formula(formula) => match formula {
                BinaryFormula::Add => self.map(Opcode::Add, dest, [a, b]),
                BinaryFormula::Sub => self.map(Opcode::Add, dest, [a, b.negated()]),
                BinaryFormula::Mul => self.map(Opcode::Mul, dest, [a, b]),
                BinaryFormula::Min => self.map(Opcode::Min, dest, [a, b]),
                BinaryFormula::Max => self.map(Opcode::Max, dest, [a, b]),
                BinaryFormula::Div => {
                    let over = Dest::new(self.scratch(), dest.mask());
                    self.scalar(Opcode::Rcp, over, b);
                    let register = over.register(self.version).unwrap_or(b.register);
                    self.map(Opcode::Mul, dest, [a, Operand::new(register)]);
                }
                BinaryFormula::Pow => self.power(dest, a, b),
            },
            Binary::Compare(relation) => self.compare(relation, dest, a, b),
            Binary::Dot(width) => {
                let opcode = if width == 3 { Opcode::Dp3 } else { Opcode::Dp4 };
                self.shaped(opcode, dest, [a, b], [WriteMask::first(width); 2]);
            }
            Binary::Cross => self.cross(dest, a, b),
            Binary::Matrix { rows, width } => self.matrix(dest, a, b, (rows, width)),
        }
    }

    fn power(&mut self, dest: Dest, a: Operand, b: Operand) {
        // One instruction may write its base, but not its exponent.
        let single = dest.mask().len() == 1;
        let busy = if single { [b; 2] } else { [a, b] };
        let work = self.workplace(dest, &busy);
        // Lanes that read the same two components.
        let mut done = WriteMask::EMPTY;
        let [a, b] = self.legal_scalars(a, b, dest.mask());
        for lane in dest.mask().iter() {
            if done.contains(lane) {
                continue;
            }
            let pair = (a.swizzle.get(lane), b.swizzle.get(lane));
            let same = |other: &Component| (a.swizzle.get(*other), b.swizzle.get(*other)) == pair;
            let lanes = dest
                .mask()
                .iter()
                .filter(same)
                .fold(WriteMask::EMPTY, WriteMask::with);
            done = done.union(lanes);
            self.push(
                Opcode::Pow,
                Some(work.with_mask(lanes)),
                &[a.lane(lane), b.lane(lane)],
            );
        }
        self.finish_work(dest, work);
    }

    /// Ports only: single components are any version's swizzles.
    fn legal_scalars(&mut self, a: Operand, b: Operand, mask: WriteMask) -> [Operand; 2] {
        let crowded = a.register.file == b.register.file
            && matches!(a.register.file, File::Const | File::Input | File::Texture)
            && (a.register, a.index) != (b.register, b.index);
        if crowded {
            [a, self.copy(b, mask)]
        } else {
            [a, b]
        }
    }

    fn compare(&mut self, relation: Relation, dest: Dest, a: Operand, b: Operand) {
        if self.pixel() {
            self.compare_pixel(relation, dest, a, b);
            return;
        }
        let mask = dest.mask();
        let two = |builder: &mut Self, opcode: Opcode, with: Opcode| {
            let [a, b] = builder.legal([a, b], [mask; 2]);
            let (t, u) = (builder.scratch(), builder.scratch());
            builder.push(opcode, Some(Dest::new(t, mask)), &[a, b]);
            builder.push(opcode, Some(Dest::new(u, mask)), &[b, a]);
            builder.map(with, dest, [Operand::new(t), Operand::new(u)]);
        };
        match relation {
            Relation::GreaterOrEqual => self.map(Opcode::Sge, dest, [a, b]),
            Relation::Less => self.map(Opcode::Slt, dest, [a, b]),
            Relation::Greater => self.map(Opcode::Slt, dest, [b, a]),
            Relation::Equal => two(self, Opcode::Sge, Opcode::Mul),
            Relation::NotEqual => two(self, Opcode::Slt, Opcode::Add),
        }
    }

    /// Pixel shaders have only the sign of a difference.
    fn compare_pixel(&mut self, relation: Relation, dest: Dest, a: Operand, b: Operand) {
        let mask = dest.mask();
        let difference = self.scratch();
        let (first, second) = match relation {
            Relation::Greater => (b, a),
            _ => (a, b),
        };
        self.map(
            Opcode::Add,
            Dest::new(difference, mask),
            [first, second.negated()],
        );
        let [zero, one] = self.literals([0.0, 1.0]);
        let mut tested = Operand::new(difference);
        if matches!(relation, Relation::Equal | Relation::NotEqual) {
            if self.model_3() {
                tested.modifier = Modifier::AbsNegate;
            } else {
                self.push(Opcode::Abs, Some(Dest::new(difference, mask)), &[tested]);
                tested = tested.negated();
            }
        }
        let [yes, no] = match relation {
            Relation::GreaterOrEqual | Relation::Equal => [one, zero],
            Relation::Less | Relation::Greater | Relation::NotEqual => [zero, one],
        };
        self.map(Opcode::Cmp, dest, [tested, yes, no]);
    }

    fn cross(&mut self, dest: Dest, a: Operand, b: Operand) {
        let three = WriteMask::first(3);
        let plain = |builder: &mut Self, operand: Operand| {
            let same = |lane: &Component| operand.swizzle.get(*lane) == *lane;
            if three.iter().all(|lane| same(&lane)) {
                operand.swizzled(Swizzle::IDENTITY)
            } else {
                builder.copy(operand, three)
            }
        };
        let (a, b) = (plain(self, a), plain(self, b));
        let [a, b] = self.legal([a, b], [three; 2]);
        let mut work = self.workplace(dest, &[a, b]);
        if work.mask().contains(Component::W) {
            work = work.with_mask(three);
        }
        self.push(Opcode::Crs, Some(work), &[a, b]);
        self.finish_work(dest, work);
    }

    fn matrix(&mut self, dest: Dest, a: Operand, b: Operand, (rows, width): (u8, u8)) {
        let lanes = WriteMask::first(width);
        let opcode = if width == 3 { Opcode::Dp3 } else { Opcode::Dp4 };
        let first = b.register.number;
        let rows_of = first..first.saturating_add(rows.into());
        let target = dest.register(self.version);
        let overwrites = target.is_some_and(|register| {
            register.file == b.register.file && rows_of.contains(&register.number)
        });
        let mut work = if overwrites || !self.is_free(dest) {
            Dest::new(self.scratch(), dest.mask())
        } else if self.aliases(dest, &[a]) {
            self.workplace(dest, &[a])
        } else {
            dest
        };
        if work.mask() != dest.mask() {
            work = work.with_mask(dest.mask());
        }
        let row_of = |row: Component| {
            let number = first.saturating_add(row.bits().into());
            Operand {
                register: Register::new(b.register.file, number),
                ..b
            }
        };
        // The vector is copied once, not for each row.
        let crowded = a.register.file == b.register.file
            && matches!(a.register.file, File::Const | File::Input | File::Texture);
        let a = if crowded { self.copy(a, lanes) } else { a };
        let [a] = self.legal([a], [lanes]);
        for row in dest.mask().iter() {
            let to = work.with_mask(WriteMask::EMPTY.with(row));
            let row = row_of(row);
            self.uses(row.register);
            self.push(opcode, Some(to), &[a, row]);
        }
        self.finish_work(dest, work);
    }
}
