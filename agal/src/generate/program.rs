//! Generates a program token by token, up to its length. [`ProgramBuilder`] tracks which tokens are legal next.

use arbitrary::{Result, Unstructured as Bytes};

use super::state::{ConditionalState, Goal, WrittenMasks};
use super::{GenerateOptions, bit, constant};
use crate::limits::MAX_NESTING;
use crate::opcode::{
    AgalOpcode, BinaryOp, BlockEnd, OpcodeSignature, SampleLevel, Unary, UnaryFormula,
};
use crate::operand::{Component, Dest, SecondOperand, SourceOperand, WriteMask};
use crate::register::{MAX_TRACKED, RegisterFile};
use crate::sampler::SamplerOperand;
use crate::{AgalInstruction, Program, Stage, validate};

/// The maximum number of unread temporaries. Above this number, generated instructions would overwrite temporaries
/// before their values are read.
const MAX_UNREAD: usize = 4;

#[derive(Clone)]
pub(super) struct ProgramBuilder<'o> {
    pub(super) options: &'o GenerateOptions,
    pub(super) stage: Stage,
    limit: usize,
    opcodes: Vec<AgalOpcode>,
    /// Bit n: the program may read varying n.
    pub(super) varyings: u16,
    pub(super) varyings_read: u16,
    code: Vec<AgalInstruction>,
    /// The written components of registers, which later tokens may read.
    pub(super) written: WrittenMasks,
    /// Bit n: no instruction has read the value of temporary n.
    pub(super) unread: u32,
    /// The operand of each sampler's first use, which later uses must repeat (error 3696).
    pub(super) samplers: [Option<SamplerOperand>; MAX_TRACKED],
    open: Vec<ConditionalState>,
    goals: Vec<Goal>,
    /// The remaining number of `kil` tokens. A program has few `kil` tokens, because discarded pixels have no other
    /// results.
    kills: u8,
}

impl<'o> ProgramBuilder<'o> {
    fn new(options: &'o GenerateOptions, stage: Stage, limit: usize) -> ProgramBuilder<'o> {
        ProgramBuilder {
            options,
            stage,
            limit,
            opcodes: options.opcodes(stage),
            varyings: 0,
            varyings_read: 0,
            code: Vec::new(),
            written: WrittenMasks::default(),
            unread: 0,
            samplers: [None; MAX_TRACKED],
            open: Vec::new(),
            goals: Vec::new(),
            kills: 0,
        }
    }

    pub(super) fn fragment(
        options: &'o GenerateOptions,
        limit: usize,
        varyings: u16,
    ) -> ProgramBuilder<'o> {
        ProgramBuilder { varyings, ..ProgramBuilder::new(options, Stage::Fragment, limit) }
    }

    pub(super) fn vertex(
        options: &'o GenerateOptions,
        limit: usize,
        varyings: u16,
    ) -> ProgramBuilder<'o> {
        let mut builder = ProgramBuilder::new(options, Stage::Vertex, limit);
        let goal = |file, number, required| Goal { file, number, mask: WriteMask::ALL, required };
        builder.goals.push(goal(RegisterFile::Output, 0, true));
        let count = options.count(RegisterFile::Varying, Stage::Vertex);
        let varying = |n| goal(RegisterFile::Varying, n, varyings & bit(n) != 0);
        builder.goals.extend((0..count).map(varying));
        builder
    }

    /// Generates the program. Returns the program with a bit mask of the varyings that the program reads.
    pub(super) fn finish(mut self, u: &mut Bytes<'_>) -> Result<(Program, u16)> {
        if self.stage == Stage::Fragment {
            self.choose_targets(u)?;
            self.kills = u.int_in_range(0..=7u8)?.saturating_sub(5);
        }
        while self.room() > 0 && !u.is_empty() {
            let before = self.rest_point();
            self.token(u)?;
            if let Some(before) = before
                && !self.fits()
            {
                self = before;
                break;
            }
        }
        while let Some(open) = self.open.last() {
            if open.empty {
                let dest = self.temporary(u, Component::ALL.len())?;
                self.value(u, dest)?;
            }
            self.block(BlockEnd::End)?;
        }
        self.outputs(u)?;
        let program = Program::new(self.options.effective_version(), self.stage, self.code);
        Ok((program, self.varyings_read))
    }

    /// Returns a copy of the state, to which the generator returns if the next token exceeds the native limits.
    fn rest_point(&self) -> Option<ProgramBuilder<'o>> {
        self.options.profile.has_native_limits().then(|| self.clone())
    }

    /// Returns whether the program stays within the native limits (3715 to 3721) after plain moves complete its
    /// outputs.
    fn fits(&self) -> bool {
        let mut whole = self.clone();
        let unfinished = |goal: &&Goal| goal.required && self.done(goal) != goal.mask;
        for goal in self.goals.iter().filter(unfinished) {
            let none = SecondOperand::Source(SourceOperand::default());
            whole.push(AgalOpcode::Mov.code(), goal.dest(goal.mask), constant(), none);
        }
        let program = Program::new(self.options.effective_version(), self.stage, whole.code);
        let valid = validate(program, self.stage, &self.options.rules());
        valid.is_ok_and(|valid| (self.options.native_limits)(&valid).is_ok())
    }

    /// Chooses the colour outputs, numbered from 0 without a gap (3775), and whether to write depth.
    fn choose_targets(&mut self, u: &mut Bytes<'_>) -> Result<()> {
        let count = self.options.count(RegisterFile::Output, Stage::Fragment);
        let most =
            if self.options.features.targets { usize::from(count).min(self.limit) } else { 1 };
        let colors = if u.ratio(2, 3)? { 1 } else { u.int_in_range(1..=most)? };
        let (file, mask, required) = (RegisterFile::Output, WriteMask::ALL, true);
        let color = |number| Goal { file, number, mask, required };
        self.goals.extend((0..count).take(colors).map(color));
        let file = RegisterFile::DepthOutput;
        let has_depth = self.options.count(file, Stage::Fragment) > 0;
        if has_depth && colors < self.limit && !u.ratio(4, 5)? {
            self.goals.push(Goal { file, number: 0, mask: WriteMask::first(1), required: true });
        }
        Ok(())
    }

    /// Returns the number of remaining tokens, without those that outputs and open conditionals need.
    pub(super) fn room(&self) -> usize {
        let unfinished = |goal: &&Goal| {
            // A vertex program writes each output again at its end, from computed values.
            goal.required && (self.stage == Stage::Vertex || self.done(goal) != goal.mask)
        };
        let outputs = self.goals.iter().filter(unfinished).count();
        let branch = usize::from(self.open.last().is_some_and(|open| open.empty));
        let needed = outputs + self.open.len() + branch;
        self.limit.saturating_sub(self.code.len() + needed)
    }

    /// Returns whether the next operands must read unread temporaries: more than `MAX_UNREAD` exist, or no more tokens
    /// remain than unread temporaries.
    pub(super) fn gathers(&self) -> bool {
        let unread = self.unread.count_ones() as usize;
        unread > MAX_UNREAD || self.room() <= unread
    }

    fn token(&mut self, u: &mut Bytes<'_>) -> Result<()> {
        let possible = self.opcodes.iter().copied().filter(|o| self.possible(*o));
        let possible: Vec<AgalOpcode> = possible.collect();
        let blocks = possible.iter().copied();
        let blocks: Vec<_> =
            blocks.filter(|o| matches!(o.signature(), OpcodeSignature::Block(_))).collect();
        // Chooses `els` or `eif` with a probability of 1/5, because otherwise conditionals would have hundreds of
        // tokens.
        let opcode = if !blocks.is_empty() && u.ratio(1, 5)? {
            *u.choose(&blocks)?
        } else {
            *u.choose(&possible)?
        };
        match opcode.signature() {
            OpcodeSignature::Block(block) => self.block(block),
            signature if signature.has_dest() => {
                let dest = self.dest(u, signature)?;
                self.instruction(u, opcode, dest)
            }
            _ => self.instruction(u, opcode, Dest::default()),
        }
    }

    /// Returns whether the opcode is legal at this position, if there is space for another token.
    fn possible(&self, opcode: AgalOpcode) -> bool {
        let inside = self.open.last();
        let filled = inside.is_some_and(|open| !open.empty);
        match opcode.signature() {
            // The second branch needs at least one token (error 3748).
            OpcodeSignature::Block(BlockEnd::Else) => {
                filled && inside.is_some_and(|open| open.first.is_none()) && self.room() >= 2
            }
            OpcodeSignature::Block(BlockEnd::End) => filled,
            OpcodeSignature::If(_) => {
                self.has_variables() && self.open.len() < MAX_NESTING && self.room() >= 3
            }
            OpcodeSignature::Kill => self.kills > 0 && self.has_variables(),
            OpcodeSignature::Unary(Unary::Derivative(_)) => {
                inside.is_none() && self.has_variables()
            }
            OpcodeSignature::Unary(Unary::Formula(UnaryFormula::Mov)) => true,
            OpcodeSignature::Unary(_) | OpcodeSignature::Binary(_) => self.has_variables(),
            OpcodeSignature::Sample(lookup) => {
                let count = self.options.count(RegisterFile::Sampler, self.stage);
                let computed = inside.is_none() || lookup != SampleLevel::Implicit;
                count > 0 && (computed || self.varyings != 0)
            }
        }
    }

    /// Returns whether an instruction can read a register that isn't a constant. Constants alone are an error for all
    /// opcodes except `mov` (3625).
    fn has_variables(&self) -> bool {
        self.stage == Stage::Vertex
            || self.varyings != 0
            || (0..32).any(|number| !self.written.temporary(number).is_empty())
    }

    pub(super) fn in_conditional(&self) -> bool {
        !self.open.is_empty()
    }

    fn block(&mut self, block: BlockEnd) -> Result<()> {
        let signature = OpcodeSignature::Block(block);
        let opcode = AgalOpcode::ALL.iter().find(|opcode| opcode.signature() == signature);
        let opcode = opcode.ok_or(arbitrary::Error::EmptyChoose)?;
        match block {
            BlockEnd::Else => {
                if let Some(open) = self.open.last_mut() {
                    open.first = Some(self.written);
                    open.empty = true;
                    self.written = open.before;
                }
            }
            BlockEnd::End => {
                if let Some(open) = self.open.pop() {
                    self.written = self.written.common(open.first.unwrap_or(open.before));
                }
            }
        }
        let none = SourceOperand::default();
        self.push(opcode.code(), Dest::default(), none, SecondOperand::Source(none));
        Ok(())
    }

    fn instruction(&mut self, u: &mut Bytes<'_>, opcode: AgalOpcode, dest: Dest) -> Result<()> {
        if let Some(open) = self.open.last_mut() {
            open.empty = false;
        }
        let (one, two) = self.sources(u, opcode.signature(), dest.mask)?;
        match opcode.signature() {
            OpcodeSignature::Kill => self.kills = self.kills.saturating_sub(1),
            OpcodeSignature::If(_) => {
                let before = self.written;
                self.open.push(ConditionalState { before, first: None, empty: true });
            }
            _ => {}
        }
        self.push(opcode.code(), dest, one, two);
        self.mark(&dest);
        Ok(())
    }

    fn push(&mut self, code: u32, dest: Dest, source1: SourceOperand, source2: SecondOperand) {
        self.code.push(AgalInstruction::new(code, dest, source1, source2));
    }

    fn mark(&mut self, dest: &Dest) {
        let Some(file) = dest.register_file().filter(|_| !dest.mask.is_empty()) else { return };
        self.written.add(file, dest.number, dest.mask);
        if file == RegisterFile::Temporary {
            self.unread |= 1u32.checked_shl(dest.number.into()).unwrap_or(0);
        } else {
            self.require(file, dest.number, true);
        }
    }

    fn require(&mut self, file: RegisterFile, number: u16, required: bool) {
        let mut goals = self.goals.iter_mut();
        if let Some(goal) = goals.find(|goal| (goal.file, goal.number) == (file, number)) {
            goal.required = required;
        }
    }

    fn done(&self, goal: &Goal) -> WriteMask {
        self.written.get(goal.file, goal.number)
    }

    /// Generates an instruction that writes the destination.
    fn value(&mut self, u: &mut Bytes<'_>, dest: Dest) -> Result<()> {
        let has_w = dest.mask.contains(Component::W);
        // Comparisons and derivatives hide errors in their operands, so outputs rarely use them.
        let any = u.ratio(1, 4)?;
        let fits = |opcode: &AgalOpcode| {
            let signature = opcode.signature();
            let hides = matches!(
                signature,
                OpcodeSignature::Binary(BinaryOp::Compare(_))
                    | OpcodeSignature::Unary(Unary::Derivative(_))
            );
            signature.has_dest()
                && !(has_w && signature.masks_w())
                && (any || !hides)
                && self.possible(*opcode)
        };
        let fitting: Vec<AgalOpcode> = self.opcodes.iter().copied().filter(fits).collect();
        let opcode = *u.choose(&fitting)?;
        self.instruction(u, opcode, dest)
    }

    /// Generates a destination: mostly a temporary, sometimes an output that may be written at this position.
    fn dest(&mut self, u: &mut Bytes<'_>, signature: OpcodeSignature) -> Result<Dest> {
        let width = if signature.masks_w() { 3 } else { 4 };
        let rarity = match self.stage {
            Stage::Vertex => 8,
            // A colour is written once (3744). Colours are written late, so that most colours depend on the whole
            // program.
            Stage::Fragment => 64,
        };
        if u.is_empty() || !u.ratio(1, rarity)? {
            return self.temporary(u, width);
        }
        let open = self.goals.iter().filter(|goal| self.writable(goal, width));
        let open: Vec<&Goal> = open.collect();
        if open.is_empty() {
            return self.temporary(u, width);
        }
        let goal = u.choose(&open)?;
        Ok(goal.dest(match self.stage {
            Stage::Vertex => mask(u, width)?,
            Stage::Fragment => goal.mask,
        }))
    }

    fn unfinished(&self) -> usize {
        self.goals.iter().filter(|goal| self.done(goal).is_empty()).count()
    }

    /// Returns whether an opcode with this many components may write an output before the end of the program.
    fn writable(&self, goal: &Goal, width: usize) -> bool {
        // Outputs except varyings can't be written in conditionals (error 3751).
        let allowed = goal.file == RegisterFile::Varying || !self.in_conditional();
        let fits = match self.stage {
            // A varying that isn't required needs a second token, which completes the varying at the end of the
            // program.
            Stage::Vertex => goal.required || self.room() >= 2,
            // Errors 3701, 3744 and 3756 limit the outputs of fragment programs.
            Stage::Fragment => {
                goal.mask.len() <= width && self.done(goal).is_empty() && self.unfinished() > 1
            }
        };
        allowed && fits
    }

    fn temporary(&self, u: &mut Bytes<'_>, width: usize) -> Result<Dest> {
        let file = RegisterFile::Temporary;
        let count = self.options.count(file, self.stage);
        let mut number = u.int_in_range(0..=count.saturating_sub(1))?;
        let unread = |n: u16| self.unread & 1u32.checked_shl(n.into()).unwrap_or(0) != 0;
        // Values that have not been read are rarely overwritten.
        if unread(number) && u.ratio(9, 10)? {
            let mut free = (number..count).chain(0..number).filter(|n| !unread(*n));
            number = free.next().unwrap_or(number);
        }
        Ok(Dest { number, mask: mask(u, width)?, file: file.code(), reserved: 0 })
    }

    /// Writes the missing components of every output from computed values. At least one token is left for each output.
    fn outputs(&mut self, u: &mut Bytes<'_>) -> Result<()> {
        for goal in self.goals.clone().into_iter().filter(|goal| goal.required) {
            loop {
                let spare = self.room();
                let missing = goal.mask.without(self.done(&goal));
                let partly = self.stage == Stage::Vertex && !u.is_empty();
                let mask = match self.stage {
                    Stage::Fragment if missing.is_empty() => break,
                    Stage::Vertex if missing.is_empty() => mask(u, 4)?,
                    _ if partly && spare > 0 && u.ratio(1, 4)? => mask(u, 4)?,
                    _ => missing,
                };
                let dest = goal.dest(mask);
                let plain = goal.dest(missing);
                let before = self.rest_point();
                self.value(u, dest)?;
                if let Some(before) = before
                    && !self.fits()
                {
                    *self = before;
                    if !missing.is_empty() {
                        self.instruction(u, AgalOpcode::Mov, plain)?;
                    }
                    break;
                }
                if mask.contains_all(missing) {
                    break;
                }
            }
            // Tokens stay reserved for an output of a vertex program until the output is complete.
            self.require(goal.file, goal.number, false);
        }
        Ok(())
    }
}

impl Goal {
    fn dest(&self, mask: WriteMask) -> Dest {
        Dest { number: self.number, mask, file: self.file.code(), reserved: 0 }
    }
}

/// Generates a nonempty mask of the first `width` components; a third of the masks contain all of them.
fn mask(u: &mut Bytes<'_>, width: usize) -> Result<WriteMask> {
    let all = WriteMask::ALL.bits() >> (4usize.saturating_sub(width));
    let bits = if u.ratio(1, 3)? { all } else { u.int_in_range(1..=all)? };
    Ok(WriteMask::from_bits(bits))
}
