//! The verifier turns a decoded [`Program`] into a [`ValidProgram`], which the emitter can translate without errors, or
//! returns Flash's first error. The rules depend on the Context3D's profile; messages depend on the argument position
//! in `Program3D.upload`. The verifier never changes the program.
//!
//! Flash reports only the first error, so the order of checks is part of the behaviour. The order of checks is measured
//! with Adobe's verifier for AGAL 1 ([agal.check.token]), and is unknown for later players. Rules of later versions are
//! checked next to similar rules ([agal.check.later]).

mod flow;
mod opcode;
mod operand;
mod output;
mod register;

use crate::error::{AgalError, ErrorBuilder, ErrorKind, InferredError};
use crate::interface::RegisterUse;
use crate::ir::{IrInstruction, IrOperation};
use crate::isa::opcode::{AgalOpcode, OpcodeSignature, Unary};
use crate::isa::operand::{SecondOperand, SourceOperand, Swizzle};
use crate::isa::register::{Masks, RegisterFile};
use crate::overflow;
use crate::program::Program;
use crate::token::AgalInstruction;
use crate::version::{AgalVersion, Profile, Rules, Stage};
use operand::{OperandSlot, OperandSpec};

/// A program that the verifier accepted, created only by [`validate`].
#[derive(Clone, Debug, PartialEq)]
pub struct ValidProgram {
    program: Program,
    steps: Vec<IrInstruction>,
    usage: RegisterUse,
    profile: Profile,
}

impl ValidProgram {
    /// Returns the program.
    pub fn program(&self) -> &Program {
        &self.program
    }
    /// Returns the profile under which the program was validated.
    pub fn profile(&self) -> Profile {
        self.profile
    }
    /// Checks that the program's stage fits its argument position, like [`link`](crate::link()).
    ///
    /// # Errors
    /// Returns error 3630 or 3631 if the position is wrong.
    pub fn check_position(&self, argument: Stage) -> Result<(), AgalError> {
        let kind = match argument {
            _ if self.program.stage() == argument => return Ok(()),
            Stage::Vertex => ErrorKind::VertexTypeWrong,
            Stage::Fragment => ErrorKind::FragmentTypeWrong,
        };
        Err(kind.report().into())
    }
    /// Returns the checked instructions, one per token.
    pub fn steps(&self) -> &[IrInstruction] {
        &self.steps
    }
    pub(crate) fn register_use(&self) -> &RegisterUse {
        &self.usage
    }
}

/// Validates a program by the rules of its stage. `argument` is the program's argument position in `Program3D.upload`,
/// which messages mention. A program of the other stage is rejected only at [linkage](crate::link()).
///
/// This function doesn't check native limits, because Flash counts native instructions after linking the pair.
///
/// # Errors
/// Returns Flash's first error with the index of its token.
pub fn validate(
    program: Program,
    argument: Stage,
    rules: &Rules,
) -> Result<ValidProgram, AgalError> {
    check_header(&program, argument, rules)?;
    let mut checker = ProgramChecker::new(&program, argument, rules);
    let mut steps = Vec::with_capacity(program.token_count());
    for (token, instruction) in (1u32..).zip(program.instructions()) {
        checker.token = token;
        steps.push(checker.instruction(instruction)?);
    }
    checker.end_of_flow()?;
    checker.end_of_outputs()?;
    overflow::mark(&mut steps, checker.stage);
    let usage = checker.usage;
    Ok(ValidProgram { program, steps, usage, profile: rules.profile })
}

fn check_header(program: &Program, argument: Stage, rules: &Rules) -> Result<(), AgalError> {
    // Decoding rejects a program without tokens (error 3615), but the caller may have built one.
    if program.token_count() == 0 {
        let report = ErrorKind::SizeBelowMinimum.report();
        return Err(report.subject(argument).into());
    }
    // Error 3725 means that the profile doesn't support the AGAL version.
    let version = program.version();
    if version > rules.profile.max_version() {
        let report = ErrorKind::VersionNotInProfile.report();
        return Err(report.detail(version.number()).into());
    }
    Ok(())
}

type CheckResult<T = ()> = Result<T, AgalError>;

struct ProgramChecker {
    /// The stage of the program, whose rules apply.
    stage: Stage,
    /// The argument position in `Program3D.upload`, for messages.
    argument: Stage,
    version: AgalVersion,
    profile: Profile,
    /// The number of registers in each register file, in the order of [`RegisterFile::ALL`].
    counts: [u16; RegisterFile::ALL.len()],
    token: u32,
    /// The components of temporaries that every path to the current token writes.
    temporaries: Masks,
    usage: RegisterUse,
    samplers: register::SamplerUse,
    flow: flow::OpenConditionals,
}

impl ProgramChecker {
    fn new(program: &Program, argument: Stage, rules: &Rules) -> ProgramChecker {
        let (version, stage) = (program.version(), program.stage());
        let count = |file: RegisterFile| {
            let in_stage = |stage| file.count(stage, version, rules.profile);
            let other = || in_stage(Stage::Vertex).or(in_stage(Stage::Fragment));
            in_stage(stage).or_else(other).unwrap_or(0)
        };
        ProgramChecker {
            stage,
            argument,
            version,
            profile: rules.profile,
            counts: std::array::from_fn(|index| {
                RegisterFile::ALL.get(index).map_or(0, |file| count(*file))
            }),
            token: 0,
            temporaries: Masks::default(),
            usage: RegisterUse::new(stage, version),
            samplers: register::SamplerUse::default(),
            flow: flow::OpenConditionals::default(),
        }
    }

    /// Checks a token in this order: opcode, nesting, source 1, source 2 or sampler, pair of sources, destination,
    /// conditionals, outputs, sampler conflicts, number of tokens.
    fn instruction(&mut self, instruction: &AgalInstruction) -> CheckResult<IrInstruction> {
        let opcode = self.opcode(instruction.code())?;
        self.nesting(opcode.signature())?;
        let action = self.operands(instruction, opcode)?;
        self.inside(&action)?;
        if let Some(dest) = action.dest() {
            self.output(&dest)?;
            if dest.file == RegisterFile::Temporary {
                self.temporaries.add(dest.number, dest.mask);
            }
            self.usage.write(&dest);
        }
        if let SecondOperand::Sampler(operand) = instruction.source2()
            && !self.samplers.agrees(operand)
        {
            return Err(self.fail(ErrorKind::SamplerMismatch));
        }
        if self.token as usize > self.version.max_tokens() {
            let report = InferredError::TokenCount.kind().report().subject(self.argument);
            return Err(report.detail(self.token).into());
        }
        Ok(IrInstruction { token: self.token, opcode, action, limited: false })
    }

    fn operands(
        &mut self,
        instruction: &AgalInstruction,
        opcode: AgalOpcode,
    ) -> CheckResult<IrOperation> {
        use OperandSlot::{Source1, Source2};
        let (dest, one) = (&instruction.dest, &instruction.source1);
        let (two, sampler) = match instruction.source2() {
            SecondOperand::Source(source) => (source, None),
            SecondOperand::Sampler(sampler) => (&SourceOperand::default(), Some(sampler)),
        };
        let action = match opcode.signature() {
            OpcodeSignature::Block(block) => {
                self.unused(Source1, one)?;
                self.unused(Source2, two)?;
                self.no_dest(dest, opcode)?;
                IrOperation::Block(block)
            }
            OpcodeSignature::Kill => {
                let a = self.source(Source1, one, OperandSpec::SCALAR)?;
                self.unused(Source2, two)?;
                self.alone(opcode, one)?;
                self.no_dest(dest, opcode)?;
                IrOperation::Kill(a)
            }
            OpcodeSignature::If(relation) => {
                let a = self.source(Source1, one, OperandSpec::SCALAR)?;
                let b = self.source(Source2, two, OperandSpec::SCALAR)?;
                self.pair(one, two)?;
                self.refuse(one == two, ErrorKind::ConditionConstant)?;
                self.no_dest(dest, opcode)?;
                IrOperation::If(relation, a, b)
            }
            OpcodeSignature::Unary(op) => {
                let a = self.source(Source1, one, OperandSpec::VECTOR)?;
                self.unused(Source2, two)?;
                self.alone(opcode, one)?;
                self.usage.derivatives |= matches!(op, Unary::Derivative(_));
                IrOperation::Unary(op, self.dest(dest, opcode)?, a)
            }
            OpcodeSignature::Binary(op) => {
                let a = self.source(Source1, one, OperandSpec::VECTOR)?;
                let b = match op.rows() {
                    1 => self.source(Source2, two, OperandSpec::VECTOR)?,
                    rows => self.source(Source2, two, OperandSpec::matrix(rows, dest.mask))?,
                };
                self.pair(one, two)?;
                let swizzled = op.rows() > 1 && two.swizzle != Swizzle::IDENTITY;
                self.refuse_at(swizzled, ErrorKind::MatrixSwizzled, Source2)?;
                IrOperation::Binary(op, self.dest(dest, opcode)?, a, b)
            }
            OpcodeSignature::Sample(lookup) => {
                let (a, sampler) = self.texture(one, sampler)?;
                IrOperation::Sample(lookup, self.dest(dest, opcode)?, a, sampler)
            }
        };
        Ok(action)
    }

    /// Returns an error without further arguments, if `broken` is true.
    fn refuse(&self, broken: bool, kind: ErrorKind) -> CheckResult {
        if broken { Err(self.fail(kind)) } else { Ok(()) }
    }

    /// Returns an error about one operand, if `broken` is true.
    fn refuse_at(&self, broken: bool, kind: ErrorKind, which: OperandSlot) -> CheckResult {
        if broken { Err(self.fail_at(kind, which)) } else { Ok(()) }
    }

    #[cold]
    fn fail(&self, kind: ErrorKind) -> AgalError {
        self.report(kind).into()
    }

    #[cold]
    fn fail_at(&self, kind: ErrorKind, which: OperandSlot) -> AgalError {
        self.report(kind).detail(which.name()).into()
    }

    #[cold]
    fn report(&self, kind: ErrorKind) -> ErrorBuilder {
        kind.report().at(self.argument, self.token)
    }
}
