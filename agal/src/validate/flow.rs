//! Rules about conditionals: nesting, empty branches, and what they may contain.

use super::Checker;
use crate::error::{AgalError, ErrorKind};
use crate::ir::{Action, Address, Read};
use crate::isa::opcode::{Block, Lookup, Unary};
use crate::isa::register::RegisterFile;
use crate::isa::version::MAX_NESTING;

/// The open conditionals, outermost first.
#[derive(Default)]
pub(super) struct Flow(Vec<Open>);

struct Open {
    has_else: bool,
    /// Whether the current branch has no instruction yet.
    empty: bool,
}

impl Checker {
    /// 3623, 3624, 3748, 3752 for the opcodes of conditionals; 3751, 3742, 3741 for instructions inside them.
    pub(super) fn conditional(&mut self, action: &Action) -> Result<(), AgalError> {
        match action {
            Action::Block(Block::Else) => self.turn(),
            Action::Block(Block::End) => self.close(),
            Action::If(..) => self.open(),
            _ => self.inside(action),
        }
    }

    fn open(&mut self) -> Result<(), AgalError> {
        if self.flow.0.len() >= MAX_NESTING {
            return Err(self.fail(ErrorKind::NestingOverflow));
        }
        self.fill_branch();
        self.flow.0.push(Open {
            has_else: false,
            empty: true,
        });
        Ok(())
    }

    fn turn(&mut self) -> Result<(), AgalError> {
        match self.flow.0.last_mut() {
            None | Some(Open { has_else: true, .. }) => Err(self.fail(ErrorKind::BrokenElse)),
            Some(Open { empty: true, .. }) => Err(self.fail(ErrorKind::EmptyBranch)),
            Some(block) => {
                block.has_else = true;
                block.empty = true;
                Ok(())
            }
        }
    }

    fn close(&mut self) -> Result<(), AgalError> {
        match self.flow.0.pop() {
            None => Err(self.fail(ErrorKind::NestingUnderflow)),
            Some(Open { empty: true, .. }) => Err(self.fail(ErrorKind::EmptyBranch)),
            Some(_) => Ok(()),
        }
    }

    fn fill_branch(&mut self) {
        if let Some(block) = self.flow.0.last_mut() {
            block.empty = false;
        }
    }

    fn inside(&mut self, action: &Action) -> Result<(), AgalError> {
        if self.flow.0.is_empty() {
            return Ok(());
        }
        self.fill_branch();
        let outputs = [RegisterFile::Output, RegisterFile::DepthOutput];
        if action
            .dest()
            .is_some_and(|dest| outputs.contains(&dest.file))
        {
            return Err(self.fail(ErrorKind::OutputInConditional));
        }
        match action {
            Action::Unary(Unary::Derivative(_), ..) => {
                Err(self.fail(ErrorKind::DerivativeInConditional))
            }
            Action::Sample(Lookup::Implicit, _, coordinates, _) if !is_varying(coordinates) => {
                Err(self.fail(ErrorKind::ComputedCoordinateInConditional))
            }
            _ => Ok(()),
        }
    }

    /// Checks 3739: a conditional that is still open at the end.
    pub(super) fn end_of_flow(&self) -> Result<(), AgalError> {
        if self.flow.0.is_empty() {
            Ok(())
        } else {
            let report = ErrorKind::OpenConditional.report();
            Err(report.subject(self.stage).into())
        }
    }
}

fn is_varying(read: &Read) -> bool {
    matches!(read.address, Address::Direct(RegisterFile::Varying, _))
}
