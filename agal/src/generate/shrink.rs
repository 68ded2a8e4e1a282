//! Reduces a pair that fails a test to a small one that a person can read.

use super::{ProgramPair, constant};
use crate::opcode::{AgalOpcode, BlockEnd, OpcodeSignature};
use crate::operand::{Component, SecondOperand, SourceOperand, Swizzle, WriteMask};
use crate::register::RegisterFile;
use crate::sampler::{SamplerField, SamplerOperand};
use crate::{AgalInstruction, LinkedPair, Program, Stage, validate};

/// The number of candidates that count as one attempt if linking rejects them before the test.
const CHEAP: usize = 64;

/// Returns the smallest pair found for which `still_fails` is true. The initial `pair` must satisfy `still_fails`.
/// Removes tokens first, then simplifies opcodes, operands and masks. `still_fails` receives only valid pairs.
///
/// `attempts` is the maximum number of tests.
pub fn shrink(
    pair: &ProgramPair,
    attempts: usize,
    still_fails: impl FnMut(&LinkedPair) -> bool,
) -> ProgramPair {
    let mut shrinker = Shrinker {
        best: pair.clone(),
        attempts,
        checks: attempts.saturating_mul(CHEAP),
        still_fails,
    };
    let mut weight = usize::MAX;
    while shrinker.weight() < weight && shrinker.attempts > 0 && shrinker.checks > 0 {
        weight = shrinker.weight();
        for stage in [Stage::Fragment, Stage::Vertex] {
            shrinker.remove_runs(stage);
            shrinker.remove_conditionals(stage);
            shrinker.simplify_tokens(stage);
            shrinker.renumber(stage);
        }
    }
    shrinker.best
}

struct Shrinker<F> {
    best: ProgramPair,
    attempts: usize,
    checks: usize,
    still_fails: F,
}

impl<F: FnMut(&LinkedPair) -> bool> Shrinker<F> {
    fn program(&self, stage: Stage) -> &Program {
        match stage {
            Stage::Vertex => &self.best.vertex,
            Stage::Fragment => &self.best.fragment,
        }
    }

    fn weight(&self) -> usize {
        let programs = [&self.best.vertex, &self.best.fragment];
        let weights = programs.map(|program| program_weight(program.instructions()));
        weights.iter().sum()
    }

    /// Replaces the instructions of a program if the new pair is simpler and still fails.
    fn take(&mut self, stage: Stage, instructions: Vec<AgalInstruction>) -> bool {
        let present = self.program(stage);
        let version = present.version();
        let lighter = program_weight(&instructions) < program_weight(present.instructions());
        if !lighter || self.attempts == 0 || self.checks == 0 {
            return false;
        }
        self.checks -= 1;
        let program = Program::new(version, stage, instructions);
        if validate(program.clone(), stage, &self.best.rules).is_err() {
            return false;
        }
        let mut candidate = self.best.clone();
        match stage {
            Stage::Vertex => candidate.vertex = program,
            Stage::Fragment => candidate.fragment = program,
        }
        let Ok(linked) = candidate.link() else { return false };
        self.attempts -= 1;
        let fails = (self.still_fails)(&linked);
        if fails {
            self.best = candidate;
        }
        fails
    }

    /// Tries to remove sequences of tokens, long ones first.
    fn remove_runs(&mut self, stage: Stage) {
        let mut length = self.program(stage).token_count();
        while length > 0 {
            let mut end = self.program(stage).token_count();
            // Removal begins at the end, because later tokens depend on earlier ones.
            while end > 0 {
                let start = end.saturating_sub(length);
                let mut rest = self.program(stage).instructions().to_vec();
                rest.drain(start..end.min(rest.len()));
                self.take(stage, rest);
                end = start;
            }
            length /= 2;
        }
    }

    /// Tries to remove the tokens of a conditional but keep its content, and to remove one of its branches.
    fn remove_conditionals(&mut self, stage: Stage) {
        let mut index = 0;
        while index < self.program(stage).token_count() {
            let tokens = self.program(stage).instructions();
            if let Some((turn, end)) = conditional(tokens, index) {
                let without = |gone: &dyn Fn(usize) -> bool| {
                    let kept = tokens.iter().enumerate().filter(|(at, _)| !gone(*at));
                    kept.map(|(_, token)| *token).collect::<Vec<_>>()
                };
                let frame = |at: usize| at == index || at == end || Some(at) == turn;
                let middle = turn.unwrap_or(end);
                let candidates = [
                    without(&|at| frame(at) || (index < at && at < middle)),
                    without(&|at| frame(at) || (middle < at && at < end)),
                    without(&frame),
                    without(&|at| turn.is_some() && middle <= at && at < end),
                ];
                for candidate in candidates {
                    if self.take(stage, candidate) {
                        break;
                    }
                }
            }
            index += 1;
        }
    }

    fn simplify_tokens(&mut self, stage: Stage) {
        for index in 0..self.program(stage).token_count() {
            for plainer in PLAINER {
                let mut changed = self.program(stage).instructions().to_vec();
                if let Some(token) = changed.get_mut(index) {
                    plainer(token, stage);
                    self.take(stage, changed);
                }
            }
        }
    }

    fn renumber(&mut self, stage: Stage) {
        let mut changed = self.program(stage).instructions().to_vec();
        let numbers = changed.iter_mut().flat_map(temporaries);
        let mut used: Vec<u16> = numbers.map(|number| *number).collect();
        used.sort_unstable();
        used.dedup();
        for number in changed.iter_mut().flat_map(temporaries) {
            if let Some(new) = (0u16..).zip(&used).find(|(_, old)| **old == *number) {
                *number = new.0;
            }
        }
        self.take(stage, changed);
    }
}

/// Returns the indices of the `els` and `eif` of the conditional that starts at a token.
fn conditional(tokens: &[AgalInstruction], start: usize) -> Option<(Option<usize>, usize)> {
    let mut depth = 0usize;
    let mut turn = None;
    for (index, token) in tokens.iter().enumerate().skip(start) {
        match token.opcode()?.signature() {
            OpcodeSignature::If(_) => depth += 1,
            OpcodeSignature::Block(BlockEnd::Else) if depth == 1 => turn = Some(index),
            OpcodeSignature::Block(BlockEnd::End) if depth == 1 => return Some((turn, index)),
            OpcodeSignature::Block(BlockEnd::End) => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return None;
        }
    }
    None
}

/// Returns the numbers of the temporaries in a token, including index registers.
fn temporaries(token: &mut AgalInstruction) -> impl Iterator<Item = &mut u16> {
    let code = RegisterFile::Temporary.code();
    let (dest, one, two) = token.operands_mut();
    let has_dest = !dest.mask.is_empty();
    let dest = (has_dest && dest.file == code).then_some(&mut dest.number);
    let source = move |source: &'_ SourceOperand| {
        let file = if source.indirect { source.index_file } else { source.file };
        *source != SourceOperand::default() && file == code
    };
    let one = Some(one).filter(|one| source(one));
    let two = two.filter(|two| source(two));
    let sources = one.into_iter().chain(two).map(|source| &mut source.number);
    dest.into_iter().chain(sources)
}

/// Changes that simplify a token. Changes with an invalid result are rejected later.
const PLAINER: &[fn(&mut AgalInstruction, Stage)] = &[
    |token, _| *token = mov(token, constant()),
    |token, stage| *token = mov(token, input(stage)),
    |token, _| *token = mov(token, token.source1),
    |token, _| {
        if let SecondOperand::Source(two) = *token.source2() {
            *token = mov(token, two);
        }
    },
    |token, _| token.source1 = like(&token.source1, constant()),
    |token, stage| token.source1 = like(&token.source1, input(stage)),
    |token, _| second(token, |two| like(two, constant())),
    |token, stage| {
        let input = input(stage);
        second(token, |two| like(two, input));
    },
    |token, _| token.source1.swizzle = Swizzle::IDENTITY,
    |token, _| token.source1.swizzle = Swizzle::new([Component::X; 4]),
    |token, _| second(token, |two| swizzled(two, Swizzle::IDENTITY)),
    |token, _| second(token, |two| swizzled(two, Swizzle::new([Component::X; 4]))),
    |token, _| token.source1.offset = 0,
    |token, _| second(token, |two| SourceOperand { offset: 0, ..*two }),
    // Replaces the destination by temporary 0, because the tested property may not depend on the destination.
    |token, _| {
        if !token.dest.mask.is_empty() {
            token.dest.file = RegisterFile::Temporary.code();
            token.dest.number = 0;
        }
    },
    |token, _| token.dest.mask = WriteMask::ALL,
    |token, _| token.dest.mask = WriteMask::first(3),
    |token, _| token.dest.mask = WriteMask::first(1),
    |token, _| sampler(token, |sampler| sampler.bias = 0),
    |token, _| sampler(token, |sampler| sampler.number = 0),
    |token, _| {
        sampler(token, |sampler| {
            for field in SamplerField::ALL {
                sampler.set(*field, 0);
            }
        });
    },
];

fn mov(token: &AgalInstruction, source: SourceOperand) -> AgalInstruction {
    let none = SecondOperand::Source(SourceOperand::default());
    AgalInstruction::new(AgalOpcode::Mov.code(), token.dest, source, none)
}

/// Returns a non-constant input register of the stage.
fn input(stage: Stage) -> SourceOperand {
    let file = match stage {
        Stage::Vertex => RegisterFile::Attribute,
        Stage::Fragment => RegisterFile::Varying,
    };
    SourceOperand { file: file.code(), ..constant() }
}

fn swizzled(source: &SourceOperand, swizzle: Swizzle) -> SourceOperand {
    SourceOperand { swizzle, ..*source }
}

/// Returns another register with the swizzle of `source`.
fn like(source: &SourceOperand, register: SourceOperand) -> SourceOperand {
    swizzled(&register, source.swizzle)
}

fn second(token: &mut AgalInstruction, change: impl FnOnce(&SourceOperand) -> SourceOperand) {
    if let Some(two) = token.source2_mut()
        && *two != SourceOperand::default()
    {
        *two = change(two);
    }
}

fn sampler(token: &mut AgalInstruction, change: impl FnOnce(&mut SamplerOperand)) {
    if let Some(sampler) = token.sampler_mut() {
        change(sampler);
    }
}

/// Returns the complexity of a program. An additional token increases the complexity more than any change of operands.
fn program_weight(tokens: &[AgalInstruction]) -> usize {
    tokens.iter().map(|token| 100_000_000 + weight(token)).sum()
}

fn weight(token: &AgalInstruction) -> usize {
    let mut weight = usize::from(token.code() != AgalOpcode::Mov.code()) * 10_000_000;
    weight += usize::from(token.dest.number) + source_weight(&token.source1);
    weight += usize::from(token.dest.mask != WriteMask::ALL) * 100_000;
    // Simple masks have all components, three if w must be masked, or one for a scalar.
    let known = [WriteMask::ALL, WriteMask::first(3), WriteMask::first(1)];
    weight += usize::from(!known.contains(&token.dest.mask)) * 100_000;
    weight += match token.source2() {
        SecondOperand::Source(source) => source_weight(source),
        SecondOperand::Sampler(sampler) => sampler_weight(sampler),
    };
    weight
}

fn source_weight(source: &SourceOperand) -> usize {
    let file = match source.register_file() {
        Some(RegisterFile::Constant) => 0,
        Some(RegisterFile::Temporary) => 400_000,
        _ => 200_000,
    };
    let swizzle = match source.swizzle {
        Swizzle::IDENTITY => 0,
        swizzle if swizzle.is_scalar() => 100_000 + usize::from(swizzle.bits()),
        _ => 200_000,
    };
    let indirect = usize::from(source.indirect) * 1_000_000;
    file + swizzle
        + indirect
        + usize::from(source.number)
        + usize::from(source.offset.unsigned_abs())
}

fn sampler_weight(sampler: &SamplerOperand) -> usize {
    let fields = SamplerField::ALL.iter().filter(|field| sampler.get(**field) != 0);
    let bias = usize::from(sampler.bias != 0);
    (fields.count() + bias) * 100_000 + usize::from(sampler.number)
}
