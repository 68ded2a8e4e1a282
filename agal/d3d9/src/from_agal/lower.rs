//! Translates each AGAL token to one or several instructions ([d3d9.from_agal.costs]).

use agal::ir::{IrInstruction, IrOperation, IrSource};
use agal::opcode::{
    AgalOpcode as Agal, BinaryFormula, BinaryOp, Derivative, Relation, Unary, UnaryFormula,
};
use agal_core::{Component, Swizzle, WriteMask};

use super::TranslationResult;
use super::builder::D3d9Builder;
use super::flow::comparison;
use super::operand::{AgalOperand, AgalTarget};
use crate::opcode::D3d9Opcode;
use crate::operand::{Source, SourceModifier};
use crate::register::{D3d9Register, ShaderFile};
use crate::version::ShaderVersion;

use std::f32::consts::{PI, TAU};

type AgalPair = [AgalOperand; 2];

/// Returns the opcode of a dot product of three or four components.
fn dot(width: u8) -> D3d9Opcode {
    if width == 3 { D3d9Opcode::Dp3 } else { D3d9Opcode::Dp4 }
}

impl D3d9Builder {
    /// Translates an instruction. Releases all scratch registers first.
    pub(super) fn step(&mut self, step: &IrInstruction) -> TranslationResult {
        (self.token, self.scratch) = (step.token, 0);
        match &step.action {
            IrOperation::Block(block) => self.block(step.opcode, *block)?,
            IrOperation::Kill(a) => {
                let a = self.operand(a)?;
                self.kill(a);
            }
            IrOperation::If(relation, a, b) => {
                let operands = self.pair(a, b)?;
                self.open(step.opcode, *relation, operands)?;
            }
            IrOperation::Unary(unary, dest, a) => {
                let a = self.operand(a)?;
                let target = self.destination(dest)?;
                self.unary(step.opcode, *unary, target, a)?;
            }
            IrOperation::Binary(binary, dest, a, b) => {
                let pair = self.pair(a, b)?;
                let target = self.destination(dest)?;
                self.binary(*binary, target, pair);
            }
            IrOperation::Sample(_, dest, coordinate, sampler) => {
                let coordinate = self.operand(coordinate)?;
                self.texture(step.opcode, dest, coordinate, sampler)?;
            }
        }
        Ok(())
    }

    /// Translates two sources. Direct3D 9 can read only the last one indirectly ([d3d9.from_agal.indirect]).
    fn pair(&mut self, a: &IrSource, b: &IrSource) -> TranslationResult<AgalPair> {
        let mut a = self.operand(a)?;
        if a.index.is_some() {
            a = self.copy(a, WriteMask::ALL);
        }
        Ok([a, self.operand(b)?])
    }

    /// Returns a destination for a multi-step computation. If the target is an output, or also a source, returns a
    /// scratch register, which `store` later copies to the target.
    fn writable_dest(&mut self, target: AgalTarget, sources: &[AgalOperand]) -> AgalTarget {
        if target.register.file == ShaderFile::Temp && !target.is_read(sources) {
            return target;
        }
        AgalTarget::new(self.scratch(), target.mask)
    }

    /// Copies a result from the register of `writable_dest` to the target.
    fn store(&mut self, target: AgalTarget, writable: AgalTarget) {
        if target == writable {
            return;
        }
        if self.is_free(target) {
            self.push(D3d9Opcode::Mov, target, &[AgalOperand::new(writable.register)]);
        } else {
            self.output(target, writable.register);
        }
    }

    /// Returns whether an arithmetic instruction may write the target. In model 2, only `mov` can write colours. Depth
    /// is always written by a `mov` of one component.
    fn is_free(&self, target: AgalTarget) -> bool {
        match target.register.file {
            ShaderFile::Depth => false,
            ShaderFile::Color => self.model_3(),
            _ => true,
        }
    }

    /// Appends an instruction. Copies sources that the model doesn't allow. If the model doesn't allow the destination,
    /// writes to a scratch register first.
    pub(super) fn map<const N: usize>(
        &mut self,
        opcode: D3d9Opcode,
        target: AgalTarget,
        sources: [AgalOperand; N],
    ) {
        let depth = target.register.file == ShaderFile::Depth;
        let mut legal = self.legal_for(opcode, target.mask, sources);
        if depth && opcode == D3d9Opcode::Mov {
            legal = legal.map(|source| source.lane(Component::X));
        }
        // `mov oC0, r0` and `mov oDepth, r0.x` need no copies.
        let plain = legal.iter().all(|source| {
            let whole = source.swizzle == Swizzle::IDENTITY || depth && source.swizzle.is_scalar();
            whole
                && source.modifier == SourceModifier::None
                && source.register.file == ShaderFile::Temp
        });
        if self.is_free(target) || opcode == D3d9Opcode::Mov && plain && !target.saturate {
            self.push(opcode, target.fitting(), &legal);
            return;
        }
        let register = self.scratch();
        self.push(opcode, AgalTarget { register, ..target }, &legal);
        self.output(target, register);
    }

    pub(super) fn output(&mut self, target: AgalTarget, from: D3d9Register) {
        let depth = target.register.file == ShaderFile::Depth;
        let source = AgalOperand::new(from);
        let source = if depth { source.component(Component::X) } else { source };
        let to = AgalTarget::new(target.register, target.fitting().mask);
        self.push(D3d9Opcode::Mov, to, &[source]);
    }

    /// Groups lanes that read the same component; each group takes one scalar instruction (P3).
    fn groups(operand: AgalOperand, mask: WriteMask) -> Vec<(WriteMask, Component)> {
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

    fn scalar(&mut self, opcode: D3d9Opcode, target: AgalTarget, source: AgalOperand) {
        for (lanes, component) in Self::groups(source, target.mask) {
            let target = target.with_mask(lanes);
            self.push(opcode, target, &[source.component(component)]);
        }
    }

    fn scalars(&mut self, opcode: D3d9Opcode, target: AgalTarget, source: AgalOperand) {
        let work = self.writable_dest(target, &[source]);
        self.scalar(opcode, work, source);
        self.store(target, work);
    }

    fn unary(
        &mut self,
        opcode: Agal,
        unary: Unary,
        target: AgalTarget,
        a: AgalOperand,
    ) -> TranslationResult {
        match unary {
            Unary::Derivative(derivative) => {
                if matches!(self.version, ShaderVersion::Ps20) {
                    return Err(self.cannot(opcode));
                }
                let opcode = match derivative {
                    Derivative::X => D3d9Opcode::Dsx,
                    Derivative::Y => D3d9Opcode::Dsy,
                };
                self.map(opcode, target, [a]);
            }
            Unary::Normalize => {
                let mut work = self.writable_dest(target, &[a]);
                if work.mask != WriteMask::first(3) {
                    work = AgalTarget::new(self.scratch(), WriteMask::first(3));
                }
                let [a] = self.legal_for(D3d9Opcode::Nrm, work.mask, [a]);
                self.push(D3d9Opcode::Nrm, work, &[a]);
                self.store(target, work);
            }
            Unary::Formula(formula) => self.formula(formula, target, a),
        }
        Ok(())
    }

    fn formula(&mut self, formula: UnaryFormula, target: AgalTarget, a: AgalOperand) {
        match formula {
            UnaryFormula::Rcp => self.scalars(D3d9Opcode::Rcp, target, a),
            UnaryFormula::Rsq => self.scalars(D3d9Opcode::Rsq, target, a),
            UnaryFormula::Log => self.scalars(D3d9Opcode::Log, target, a),
            UnaryFormula::Exp => self.scalars(D3d9Opcode::Exp, target, a),
            UnaryFormula::Sqt => {
                let work = self.writable_dest(target, &[a]);
                self.scalar(D3d9Opcode::Rsq, work, a);
                // Computes the reciprocal of each root, component by component.
                for (lanes, _) in Self::groups(a, target.mask) {
                    let first = lanes.iter().next().unwrap_or(Component::X);
                    let root = AgalOperand::new(work.register).component(first);
                    self.push(D3d9Opcode::Rcp, work.with_mask(lanes), &[root]);
                }
                self.store(target, work);
            }
            UnaryFormula::Mov if self.agreeing(a.swizzle, target.mask).is_none() => {
                let work = self.writable_dest(target, &[a]);
                self.fill(work.register, a, target.mask);
                self.store(target, work);
            }
            UnaryFormula::Frc => self.map(D3d9Opcode::Frc, target, [a]),
            UnaryFormula::Abs => self.map(D3d9Opcode::Abs, target, [a]),
            UnaryFormula::Neg => {
                let [zero] = self.literals([0.0]);
                self.map(D3d9Opcode::Add, target, [zero, a.negated()]);
            }
            UnaryFormula::Sat => self.saturate(target, a),
            UnaryFormula::Sin => self.sine(target, a, Component::Y),
            UnaryFormula::Cos => self.sine(target, a, Component::X),
            // No Flash Player version has ever supported `sgn`.
            UnaryFormula::Mov | UnaryFormula::Sgn => self.map(D3d9Opcode::Mov, target, [a]),
        }
    }

    fn saturate(&mut self, target: AgalTarget, a: AgalOperand) {
        if self.pixel() || self.model_3() {
            let saturate = true;
            return self.map(D3d9Opcode::Mov, AgalTarget { saturate, ..target }, [a]);
        }
        let [zero, one] = self.literals([0.0, 1.0]);
        let work = AgalTarget::new(self.scratch(), target.mask);
        self.map(D3d9Opcode::Max, work, [a, zero]);
        self.map(D3d9Opcode::Min, target, [AgalOperand::new(work.register), one]);
    }

    /// Reduces the angle to -pi..pi, then computes the sine or cosine of each lane ([d3d9.value.sincos_range]).
    fn sine(&mut self, target: AgalTarget, a: AgalOperand, which: Component) {
        let mask = target.mask;
        let angle = AgalTarget::new(self.scratch(), mask);
        let reduced = AgalOperand::new(angle.register);
        let [turns, half, tau, minus_pi] = self.literals([1.0 / TAU, 0.5, TAU, -PI]);
        self.map(D3d9Opcode::Mad, angle, [a, turns, half]);
        self.push(D3d9Opcode::Frc, angle, &[reduced]);
        self.push(D3d9Opcode::Mad, angle, &[reduced, tau, minus_pi]);
        let work = self.writable_dest(target, &[]);
        let both = self.scratch();
        let one = AgalTarget::new(both, WriteMask::EMPTY.with(which));
        for lane in mask.iter() {
            let angle = reduced.component(lane);
            if self.model_3() {
                self.push(D3d9Opcode::SinCos, one, &[angle]);
            } else {
                let [c0, c1] = self.sincos_constants();
                self.push(D3d9Opcode::SinCos, one, &[angle, c0, c1]);
            }
            let to = work.with_mask(WriteMask::EMPTY.with(lane));
            self.push(D3d9Opcode::Mov, to, &[AgalOperand::new(both).component(which)]);
        }
        self.store(target, work);
    }

    fn binary(&mut self, binary: BinaryOp, target: AgalTarget, pair: AgalPair) {
        let [a, b] = pair;
        match binary {
            BinaryOp::Formula(formula) => match formula {
                BinaryFormula::Add => self.map(D3d9Opcode::Add, target, pair),
                BinaryFormula::Sub => self.map(D3d9Opcode::Add, target, [a, b.negated()]),
                BinaryFormula::Mul => self.map(D3d9Opcode::Mul, target, pair),
                BinaryFormula::Min => self.map(D3d9Opcode::Min, target, pair),
                BinaryFormula::Max => self.map(D3d9Opcode::Max, target, pair),
                BinaryFormula::Div => {
                    let over = AgalTarget::new(self.scratch(), target.mask);
                    self.scalar(D3d9Opcode::Rcp, over, b);
                    self.map(D3d9Opcode::Mul, target, [a, AgalOperand::new(over.register)]);
                }
                BinaryFormula::Pow => self.power(target, pair),
            },
            BinaryOp::Compare(relation) => self.compare(relation, target, pair),
            BinaryOp::Dot(width) => self.map(dot(width), target, pair),
            BinaryOp::Cross => self.cross(target, pair),
            BinaryOp::Matrix { rows, width } => self.matrix(target, pair, rows, width),
        }
    }

    fn power(&mut self, target: AgalTarget, [a, b]: AgalPair) {
        // A single `pow` may overwrite its base, but must not overwrite its exponent.
        let single = target.mask.len() == 1;
        let busy = if single { [b; 2] } else { [a, b] };
        let work = self.writable_dest(target, &busy);
        // The lanes that are already computed. Lanes that read the same two components share one `pow`.
        let mut done = WriteMask::EMPTY;
        // Only read ports can require a copy, because every version supports scalar swizzles.
        let b = if a.conflicts_on_port(b) { self.copy(b, target.mask) } else { b };
        for lane in target.mask.iter() {
            if done.contains(lane) {
                continue;
            }
            let pair = (a.swizzle.get(lane), b.swizzle.get(lane));
            let same = |other| (a.swizzle.get(other), b.swizzle.get(other)) == pair;
            let lanes = target.mask.filter(same);
            done = done.union(lanes);
            self.push(D3d9Opcode::Pow, work.with_mask(lanes), &[a.lane(lane), b.lane(lane)]);
        }
        self.store(target, work);
    }

    fn compare(&mut self, relation: Relation, target: AgalTarget, pair: AgalPair) {
        if self.pixel() {
            return self.compare_pixel(relation, target, pair);
        }
        let [a, b] = pair;
        let mask = target.mask;
        let both_ways = |builder: &mut Self| {
            let [a, b] = builder.legal_for(D3d9Opcode::Sge, mask, pair);
            [[a, b], [b, a]].map(|sources| {
                let register = builder.scratch();
                builder.push(D3d9Opcode::Sge, AgalTarget::new(register, mask), &sources);
                AgalOperand::new(register)
            })
        };
        match relation {
            Relation::GreaterOrEqual => self.map(D3d9Opcode::Sge, target, pair),
            Relation::Less => self.map(D3d9Opcode::Slt, target, pair),
            Relation::Greater => self.map(D3d9Opcode::Slt, target, [b, a]),
            Relation::Equal => {
                let both = both_ways(self);
                self.map(D3d9Opcode::Mul, target, both);
            }
            // For NaN, `a < b` plus `b < a` would be 0, but `a != b` must be 1.
            Relation::NotEqual => {
                let ([a, b], [one]) = (both_ways(self), self.literals([1.0]));
                self.map(D3d9Opcode::Mad, target, [a.negated(), b, one]);
            }
        }
    }

    /// Implements a comparison with a predicate, which ps_2_0 doesn't support.
    fn compare_pixel(&mut self, relation: Relation, target: AgalTarget, pair: AgalPair) {
        if self.version == ShaderVersion::Ps20 {
            return self.compare_difference(relation, target, pair);
        }
        let predicate = AgalTarget::new(ShaderFile::Predicate.at(0), target.mask);
        let sources = self.legal_for(D3d9Opcode::Setp, target.mask, pair);
        let [zero, one] = self.literals([0.0, 1.0]);
        let work = self.writable_dest(target, &[]);
        self.add(D3d9Opcode::Setp, comparison(relation).code(), Some(predicate), &sources);
        self.push(D3d9Opcode::Mov, work, &[zero]);
        self.push(D3d9Opcode::Mov, work, &[one]);
        if let Some(last) = self.body.last_mut() {
            last.set_predicate(Source::new(predicate.register, Swizzle::IDENTITY));
        }
        self.store(target, work);
    }

    /// Implements a comparison by the sign of the difference, because ps_2_0 has only `cmp`. Saturation turns the NaN
    /// difference of equal infinities into 0 ([d3d9.from_agal.compare]). Because NaN differences become 0, a comparison
    /// treats NaN as equal to every value.
    fn compare_difference(&mut self, op: Relation, target: AgalTarget, [a, b]: AgalPair) {
        let (first, second) = match op {
            Relation::GreaterOrEqual | Relation::Less => (b, a),
            Relation::Greater | Relation::Equal | Relation::NotEqual => (a, b),
        };
        let difference = AgalTarget::new(self.scratch(), target.mask);
        let saturated = AgalTarget { saturate: true, ..difference };
        let subtracted = [first, second.negated()];
        let value = AgalOperand::new(difference.register);
        if matches!(op, Relation::Equal | Relation::NotEqual) {
            self.map(D3d9Opcode::Add, difference, subtracted);
            self.push(D3d9Opcode::Abs, saturated, &[value]);
        } else {
            self.map(D3d9Opcode::Add, saturated, subtracted);
        }
        let [zero, one] = self.literals([0.0, 1.0]);
        // The results of `cmp` if the operands' difference is zero, and if the difference is positive.
        let [same, apart] = match op {
            Relation::GreaterOrEqual | Relation::Equal => [one, zero],
            Relation::Less | Relation::Greater | Relation::NotEqual => [zero, one],
        };
        self.map(D3d9Opcode::Cmp, target, [value.negated(), same, apart]);
    }

    fn cross(&mut self, target: AgalTarget, [a, b]: AgalPair) {
        let three = WriteMask::first(3);
        let plain = |builder: &mut Self, operand: AgalOperand| {
            let same = |lane: &Component| operand.swizzle.get(*lane) == *lane;
            if three.iter().all(|lane| same(&lane)) {
                operand.swizzled(Swizzle::IDENTITY)
            } else {
                builder.copy(operand, three)
            }
        };
        let (a, b) = (plain(self, a), plain(self, b));
        let [a, b] = self.legal_for(D3d9Opcode::Crs, three, [a, b]);
        let mut work = self.writable_dest(target, &[a, b]);
        if work.mask.contains(Component::W) {
            work = work.with_mask(three);
        }
        self.push(D3d9Opcode::Crs, work, &[a, b]);
        self.store(target, work);
    }

    fn matrix(&mut self, target: AgalTarget, [a, b]: AgalPair, rows: u8, width: u8) {
        let (lanes, opcode) = (WriteMask::first(width), dot(width));
        let first = b.register.number;
        let rows_of = first..first.saturating_add(rows.into());
        let overwrites =
            target.register.file == b.register.file && rows_of.contains(&target.register.number);
        // If the mask is partial, writes all rows to a scratch register first ([d3d9.from_agal.matrix]).
        let whole = WriteMask::first(rows);
        let work = if overwrites || !self.is_free(target) || target.mask != whole {
            AgalTarget::new(self.scratch(), whole)
        } else if target.is_read(&[a]) {
            self.writable_dest(target, &[a])
        } else {
            target
        };
        let row_of = |row: Component| {
            let number = first.saturating_add(row.bits().into());
            AgalOperand { register: b.register.file.at(number), ..b }
        };
        // Copies the vector once instead of once per row.
        let conflicts = a.has_port() && a.register.file == b.register.file;
        let a = if conflicts { self.copy(a, lanes) } else { a };
        let [a] = self.legal([a], [lanes]);
        for row in whole.iter() {
            let to = work.with_mask(WriteMask::EMPTY.with(row));
            let row = row_of(row);
            self.uses(row.register);
            self.push(opcode, to, &[a, row]);
        }
        self.store(target, work);
    }
}
