//! Divergent flow control: tracks active lanes in blocks, loops and calls.

use agal_core::lanes::{and, zip};

use super::compile::Op;
use super::exec::{ActiveMask, D3d9Machine, ExecFrame, any, without};
use super::{D3d9RunError, LANES};
use crate::opcode::FlowControl;

/// Maximum call depth at run time; shader versions allow at most four.
const MAX_CALLS: usize = 32;

fn or(a: ActiveMask, b: ActiveMask) -> ActiveMask {
    zip(a, b, |a, b| a || b)
}

impl D3d9Machine<'_> {
    /// Returns the lanes that have left a loop of the current call by `break`.
    fn gone(&self) -> ActiveMask {
        let mut gone = [false; LANES];
        for frame in self.frames.iter().rev() {
            match frame {
                ExecFrame::Loop { gone: lanes, .. } => gone = or(gone, *lanes),
                ExecFrame::Call { .. } => break,
                ExecFrame::If { .. } => {}
            }
        }
        gone
    }

    /// Returns the lanes that take a branch, or leave a loop or call: if `conditional`, the active lanes whose
    /// condition is true, otherwise all active lanes.
    fn those(&self, op: &Op, conditional: bool) -> ActiveMask {
        if conditional { and(self.active, self.condition(op)) } else { self.active }
    }

    /// Executes a flow control instruction; returns the next instruction index, or `None` at the end of the shader.
    pub(super) fn flow(
        &mut self,
        op: &Op,
        flow: FlowControl,
        at: usize,
    ) -> Result<Option<usize>, D3d9RunError> {
        let next = at + 1;
        match flow {
            FlowControl::If | FlowControl::IfCompare => {
                let (before, first) = (self.active, self.those(op, true));
                self.active = first;
                self.frames.push(ExecFrame::If { before, first });
                // If no lane takes the branch, jumps to the `else` or `endif`, which sets the active lanes.
                Ok(Some(if any(first) { next } else { op.jump }))
            }
            FlowControl::Else => {
                if let Some(ExecFrame::If { before, first }) = self.frames.last().copied() {
                    self.active = without(without(before, first), self.gone());
                }
                Ok(Some(if any(self.active) { next } else { op.jump }))
            }
            FlowControl::EndIf => {
                if let Some(ExecFrame::If { before, .. }) = self.frames.pop() {
                    self.active = without(before, self.gone());
                }
                Ok(Some(next))
            }
            FlowControl::Loop | FlowControl::Rep => Ok(Some(self.enter(op, flow, at))),
            FlowControl::EndLoop | FlowControl::EndRep => Ok(Some(self.again(op, at))),
            FlowControl::Break | FlowControl::BreakCompare | FlowControl::BreakPredicate => {
                let leaving = self.those(op, flow != FlowControl::Break);
                let loops = self.frames.iter_mut().rev().find_map(|frame| match frame {
                    ExecFrame::Loop { gone, .. } => Some(gone),
                    ExecFrame::If { .. } | ExecFrame::Call { .. } => None,
                });
                if let Some(gone) = loops {
                    *gone = or(*gone, leaving);
                }
                self.active = without(self.active, leaving);
                Ok(Some(next))
            }
            FlowControl::Call | FlowControl::CallNz => {
                let called = self.those(op, flow != FlowControl::Call);
                if !any(called) {
                    return Ok(Some(next));
                }
                let is_call = |frame: &&ExecFrame| matches!(frame, ExecFrame::Call { .. });
                if self.frames.iter().filter(is_call).count() >= MAX_CALLS {
                    return Err(D3d9RunError::Depth);
                }
                self.frames.push(ExecFrame::Call { return_to: next, before: self.active });
                self.active = called;
                Ok(Some(op.jump + 1))
            }
            // Reaching a label ends the main program, because its final `ret` is optional.
            FlowControl::Ret | FlowControl::Label => {
                while let Some(frame) = self.frames.pop() {
                    if let ExecFrame::Call { return_to, before } = frame {
                        self.active = before;
                        return Ok(Some(return_to));
                    }
                }
                Ok(None)
            }
        }
    }

    fn enter(&mut self, op: &Op, flow: FlowControl, at: usize) -> usize {
        let has_counter = flow == FlowControl::Loop;
        let counter = op.source(usize::from(has_counter));
        let [count, start, step, _] =
            counter.map_or([0; 4], |source| self.integer(source.number()));
        let (before, outer) = (self.active, self.counter);
        if has_counter {
            self.counter = Some(start);
        }
        let step = if has_counter { step } else { 0 };
        self.frames.push(ExecFrame::Loop {
            before,
            left: count,
            step,
            outer,
            gone: [false; LANES],
        });
        if count > 0 && any(before) {
            return at + 1;
        }
        self.active = [false; LANES];
        op.jump
    }

    /// Ends a loop iteration; returns the next instruction index.
    fn again(&mut self, op: &Op, at: usize) -> usize {
        let Some(ExecFrame::Loop { before, left, step, outer, gone }) = self.frames.pop() else {
            return at + 1;
        };
        let left = left.saturating_sub(1);
        let going_on = without(before, gone);
        if left > 0 && any(going_on) {
            self.counter = self.counter.map(|counter| counter.wrapping_add(step));
            self.active = going_on;
            self.frames.push(ExecFrame::Loop { before, left, step, outer, gone });
            return op.jump + 1;
        }
        self.counter = outer;
        self.active = without(before, self.gone());
        at + 1
    }
}
