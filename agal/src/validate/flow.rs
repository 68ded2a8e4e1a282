//! Rules for conditionals: nesting, empty branches, opcodes inside, and written components after them.

use super::{CheckResult, ProgramChecker};
use crate::error::ErrorKind;
use crate::ir::{Address, IrOperation, IrSource};
use crate::isa::opcode::{BlockEnd, OpcodeSignature, SampleLevel, Unary};
use crate::isa::register::{Masks, RegisterFile};
use crate::version::MAX_NESTING;

#[derive(Default)]
pub(super) struct OpenConditionals(Vec<OpenConditional>);

struct OpenConditional {
    before: Masks,
    /// In the second branch: the components of temporaries that have a value at the end of the first branch.
    first: Option<Masks>,
    /// True if the current branch has no instruction yet.
    empty: bool,
}

impl ProgramChecker {
    /// Checks errors 3623, 3624, 3748 and 3752. Nesting is checked before the sources ([agal.check.token]). AGAL 1
    /// lacks errors 3748 and 3752, so the order of both errors in Flash is unknown.
    pub(super) fn nesting(&mut self, signature: OpcodeSignature) -> CheckResult {
        match signature {
            OpcodeSignature::Block(BlockEnd::Else) => self.turn(),
            OpcodeSignature::Block(BlockEnd::End) => self.close(),
            OpcodeSignature::If(_) => self.open(),
            OpcodeSignature::Kill
            | OpcodeSignature::Unary(_)
            | OpcodeSignature::Binary(_)
            | OpcodeSignature::Sample(_) => {
                self.fill_branch();
                Ok(())
            }
        }
    }

    fn open(&mut self) -> CheckResult {
        self.refuse(self.flow.0.len() >= MAX_NESTING, ErrorKind::NestingOverflow)?;
        self.fill_branch();
        self.flow.0.push(OpenConditional { before: self.temporaries, first: None, empty: true });
        Ok(())
    }

    fn turn(&mut self) -> CheckResult {
        match self.flow.0.last_mut() {
            None | Some(OpenConditional { first: Some(_), .. }) => {
                Err(self.fail(ErrorKind::BrokenElse))
            }
            Some(OpenConditional { empty: true, .. }) => Err(self.fail(ErrorKind::EmptyBranch)),
            Some(block) => {
                block.first = Some(self.temporaries);
                block.empty = true;
                self.temporaries = block.before;
                Ok(())
            }
        }
    }

    /// Ends a conditional. Only components that both branches wrote count as written ([agal.temporary.branches]).
    fn close(&mut self) -> CheckResult {
        match self.flow.0.pop() {
            None => Err(self.fail(ErrorKind::NestingUnderflow)),
            Some(OpenConditional { empty: true, .. }) => Err(self.fail(ErrorKind::EmptyBranch)),
            Some(OpenConditional { before, first, .. }) => {
                let other = first.unwrap_or(before);
                self.temporaries = self.temporaries.intersection(other);
                Ok(())
            }
        }
    }

    fn fill_branch(&mut self) {
        if let Some(block) = self.flow.0.last_mut() {
            block.empty = false;
        }
    }

    /// Checks the rules for instructions inside a conditional: errors 3751, 3742 and 3741.
    pub(super) fn inside(&self, action: &IrOperation) -> CheckResult {
        if self.flow.0.is_empty() {
            return Ok(());
        }
        let outputs = [RegisterFile::Output, RegisterFile::DepthOutput];
        let output = action.dest().is_some_and(|dest| outputs.contains(&dest.file));
        self.refuse(output, ErrorKind::OutputInConditional)?;
        match action {
            IrOperation::Unary(Unary::Derivative(_), ..) => {
                Err(self.fail(ErrorKind::DerivativeInConditional))
            }
            IrOperation::Sample(SampleLevel::Implicit, _, coordinates, _)
                if !is_varying(coordinates) =>
            {
                Err(self.fail(ErrorKind::ComputedCoordinateInConditional))
            }
            _ => Ok(()),
        }
    }

    /// Checks error 3739: a conditional is still open at the end of the program.
    pub(super) fn end_of_flow(&self) -> CheckResult {
        if self.flow.0.is_empty() {
            Ok(())
        } else {
            let report = ErrorKind::OpenConditional.report();
            Err(report.subject(self.argument).into())
        }
    }
}

fn is_varying(read: &IrSource) -> bool {
    matches!(read.address, Address::Direct(RegisterFile::Varying, _))
}
