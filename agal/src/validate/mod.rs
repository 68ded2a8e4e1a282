//! The verifier: checks a [`Program`] and turns it into a [`ValidProgram`]. Its inputs are a decoded program, its
//! argument position in `Program3D.upload`, and the rules of the Context3D. It returns a program that the emitter can
//! translate without an error path, or Flash's first error. It never changes the program.
//!
//! Flash raises the first error that it finds, so the order of checks is part of the behaviour. [`check_header`] and
//! [`Checker::instruction`] below define it, following agal-errors.md ("What real-player output proves"); where that
//! gives no order, the order is our choice (unverified).

mod flow;
mod opcode;
mod operand;
mod output;
mod register;

use crate::binary::decode::bad_version;
use crate::error::{AgalError, ErrorKind, Report};
use crate::ir::interface::Usage;
use crate::ir::{Action, Step, Write};
use crate::isa::opcode::{Lowering, Opcode, Unary};
use crate::isa::operand::{Operand2, Source};
use crate::isa::register::RegisterFile;
use crate::isa::version::{Profile, Rules, Stage, Version};
use crate::program::{Instruction, Program};

/// Cube samplers without mip mapping: 3704 is in Flash's table, but shipping content uses them, so it is not raised
/// (agal.md section 2.3, unverified).
const CUBE_MUST_MIP: bool = false;

/// A program that passed the verifier. Only [`validate`] creates one.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidProgram {
    program: Program,
    steps: Vec<Step>,
    usage: Usage,
    profile: Profile,
}

impl ValidProgram {
    /// The decoded program.
    pub fn program(&self) -> &Program {
        &self.program
    }
    /// The profile that it was checked for.
    pub fn profile(&self) -> Profile {
        self.profile
    }
    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }
    pub(crate) fn usage(&self) -> &Usage {
        &self.usage
    }
}

/// Checks one program. `role` is its argument position in `Program3D.upload`.
///
/// Native limits are not checked: Flash counts them in translated code, after the pair is linked.
///
/// # Errors
/// Flash's first error, with the number of its token.
pub fn validate(program: Program, role: Stage, rules: &Rules) -> Result<ValidProgram, AgalError> {
    let (version, stage) = (program.agal_version(), program.stage());
    check_header(version, stage, program.token_count(), role, rules)?;
    let mut checker = Checker::new(&program, role, rules);
    let mut steps = Vec::with_capacity(program.token_count());
    for (token, instruction) in (1u32..).zip(program.instructions()) {
        checker.token = token;
        steps.push(checker.instruction(instruction)?);
    }
    checker.end_of_flow()?;
    checker.end_of_outputs()?;
    let usage = checker.usage;
    Ok(ValidProgram {
        program,
        steps,
        usage,
        profile: rules.profile,
    })
}

/// The checks of the whole program, in order; `count` is its number of tokens.
pub(crate) fn check_header(
    version: Version,
    stage: Stage,
    count: usize,
    role: Stage,
    rules: &Rules,
) -> Result<(), AgalError> {
    // 3615: decoding rejects such a program, but one can be built by hand.
    if count == 0 {
        let report = ErrorKind::SizeBelowMinimum.report();
        return Err(report.subject(role).into());
    }
    // 3617: the SWF's player does not know this version.
    let newest = Version::newest_for_swf(rules.swf_version);
    if version > newest {
        return Err(bad_version(role, newest));
    }
    // 3630, 3631: the program is in the position of the other stage.
    if stage != role {
        let kind = match role {
            Stage::Vertex => ErrorKind::VertexTypeWrong,
            Stage::Fragment => ErrorKind::FragmentTypeWrong,
        };
        return Err(kind.report().into());
    }
    // 3725: the version is known, but this profile cannot run it.
    if version > rules.profile.max_version() {
        let report = ErrorKind::VersionNotInProfile.report();
        return Err(report.detail(version.number()).into());
    }
    // 3629
    if count > version.max_tokens() {
        let report = ErrorKind::TooManyTokens.report().subject(role);
        return Err(report.detail(count).into());
    }
    Ok(())
}

/// The state of one validation.
struct Checker {
    stage: Stage,
    version: Version,
    /// Number of registers in each file, in the order of [`RegisterFile::ALL`].
    counts: [Option<u16>; RegisterFile::ALL.len()],
    /// Number of the current token, from 1.
    token: u32,
    usage: Usage,
    samplers: register::Samplers,
    flow: flow::Flow,
}

impl Checker {
    fn new(program: &Program, stage: Stage, rules: &Rules) -> Checker {
        let version = program.agal_version();
        Checker {
            stage,
            version,
            counts: RegisterFile::ALL.map(|file| file.count(stage, version, rules.profile)),
            token: 0,
            usage: Usage::new(stage, version),
            samplers: register::Samplers::default(),
            flow: flow::Flow::default(),
        }
    }

    /// The order of checks in one token: opcode, destination, source 1, source 2 or sampler, both sources together,
    /// conditionals, outputs.
    fn instruction(&mut self, instruction: &Instruction) -> Result<Step, AgalError> {
        let opcode = self.opcode(instruction.code())?;
        let action = self.operands(instruction, opcode)?;
        self.pair(instruction, opcode)?;
        self.conditional(&action)?;
        if let Some(dest) = action.dest() {
            self.output(&dest)?;
            self.usage.write(&dest);
        }
        Ok(Step {
            token: self.token,
            opcode,
            action,
        })
    }

    fn operands(&mut self, instruction: &Instruction, opcode: Opcode) -> Result<Action, AgalError> {
        use operand::OperandSlot::{Source1, Source2};
        let lower = opcode.lowering();
        let dest: Option<Write> = self.dest(&instruction.dest, opcode)?;
        let one = &instruction.source1;
        let (two, sampler) = match instruction.source2() {
            Operand2::Source(source) => (source, None),
            Operand2::Sampler(sampler) => (&Source::default(), Some(sampler)),
        };
        let action = match (lower, dest) {
            (Lowering::Block(block), _) => {
                self.unused(Source1, one)?;
                self.unused(Source2, two)?;
                Action::Block(block)
            }
            (Lowering::Kill, _) => {
                let a = self.scalar(Source1, one)?;
                self.unused(Source2, two)?;
                Action::Kill(a)
            }
            (Lowering::If(relation), _) => {
                let a = self.scalar(Source1, one)?;
                Action::If(relation, a, self.scalar(Source2, two)?)
            }
            (Lowering::Unary(op), Some(dest)) => {
                let a = self.source(Source1, one, op.reads().lanes(dest.mask))?;
                self.unused(Source2, two)?;
                self.usage.derivatives |= matches!(op, Unary::Derivative(_));
                Action::Unary(op, dest, a)
            }
            (Lowering::Binary(op), Some(dest)) => {
                let lanes = op.reads().lanes(dest.mask);
                let a = self.source(Source1, one, lanes)?;
                let b = match op.rows() {
                    1 => self.source(Source2, two, lanes)?,
                    rows => self.matrix(Source2, two, lanes, (rows, dest.mask))?,
                };
                Action::Binary(op, dest, a, b)
            }
            (Lowering::Sample(lookup), Some(dest)) => {
                let (a, sampler) = self.texture(one, sampler)?;
                Action::Sample(lookup, dest, a, sampler)
            }
            // `dest` gives a destination for these shapes or an error; a program built by hand ends here at worst.
            (_, None) => return Err(self.fail(ErrorKind::WriteMaskZero)),
        };
        Ok(action)
    }

    /// An error at the current token without further details.
    #[cold]
    fn fail(&self, kind: ErrorKind) -> AgalError {
        self.report(kind).into()
    }

    /// An error about one operand of the current token.
    #[cold]
    fn fail_at(&self, kind: ErrorKind, which: operand::OperandSlot) -> AgalError {
        self.report(kind).detail(which.name()).into()
    }

    #[cold]
    fn report(&self, kind: ErrorKind) -> Report {
        kind.report().at(self.stage, self.token)
    }
}
