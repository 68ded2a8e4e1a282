//! Divergent flow control: tracks active lanes in blocks, loops and calls.

use agal_core::lanes::{and, zip};

use super::compile::Op;
use super::exec::{Active, Frame, Machine, any, without};
use super::{LANES, RunError};
use crate::opcode::Flow;

/// Maximum call depth at run time; shader versions allow at most four.
const MAX_CALLS: usize = 32;

fn or(a: Active, b: Active) -> Active {
    zip(a, b, |a, b| a || b)
}

impl Machine<'_> {
    /// Returns the lanes that have left a loop of the current call by `break`.
    fn gone(&self) -> Active {
        let mut gone = [false; LANES];
        for frame in self.frames.iter().rev() {
            match frame {
                Frame::Loop { gone: lanes, .. } => gone = or(gone, *lanes),
                Frame::Call { .. } => break,
                Frame::If { .. } => {}
            }
        }
        gone
    }

    /// Returns the lanes that take a branch, or leave a loop or call: if `conditional`, the active lanes whose
    /// condition is true, otherwise all active lanes.
    fn those(&self, op: &Op, conditional: bool) -> Active {
        if conditional { and(self.active, self.condition(op)) } else { self.active }
    }

    /// Executes a flow control instruction; returns the next instruction index, or `None` at the end of the shader.
    pub(super) fn flow(
        &mut self,
        op: &Op,
        flow: Flow,
        at: usize,
    ) -> Result<Option<usize>, RunError> {
        let next = at + 1;
        match flow {
            Flow::If | Flow::IfCompare => {
                let (before, first) = (self.active, self.those(op, true));
                self.active = first;
                self.frames.push(Frame::If { before, first });
                // If no lane takes the branch, jumps to the `else` or `endif`, which sets the active lanes.
                Ok(Some(if any(first) { next } else { op.jump }))
            }
            Flow::Else => {
                if let Some(Frame::If { before, first }) = self.frames.last().copied() {
                    self.active = without(without(before, first), self.gone());
                }
                Ok(Some(if any(self.active) { next } else { op.jump }))
            }
            Flow::EndIf => {
                if let Some(Frame::If { before, .. }) = self.frames.pop() {
                    self.active = without(before, self.gone());
                }
                Ok(Some(next))
            }
            Flow::Loop | Flow::Rep => Ok(Some(self.enter(op, flow, at))),
            Flow::EndLoop | Flow::EndRep => Ok(Some(self.again(op, at))),
            Flow::Break | Flow::BreakCompare | Flow::BreakPredicate => {
                let leaving = self.those(op, flow != Flow::Break);
                let loops = self.frames.iter_mut().rev().find_map(|frame| match frame {
                    Frame::Loop { gone, .. } => Some(gone),
                    Frame::If { .. } | Frame::Call { .. } => None,
                });
                if let Some(gone) = loops {
                    *gone = or(*gone, leaving);
                }
                self.active = without(self.active, leaving);
                Ok(Some(next))
            }
            Flow::Call | Flow::CallNz => {
                let called = self.those(op, flow != Flow::Call);
                if !any(called) {
                    return Ok(Some(next));
                }
                let is_call = |frame: &&Frame| matches!(frame, Frame::Call { .. });
                if self.frames.iter().filter(is_call).count() >= MAX_CALLS {
                    return Err(RunError::Depth);
                }
                self.frames.push(Frame::Call { return_to: next, before: self.active });
                self.active = called;
                Ok(Some(op.jump + 1))
            }
            // Reaching a label ends the main program, because its final `ret` is optional.
            Flow::Ret | Flow::Label => {
                while let Some(frame) = self.frames.pop() {
                    if let Frame::Call { return_to, before } = frame {
                        self.active = before;
                        return Ok(Some(return_to));
                    }
                }
                Ok(None)
            }
        }
    }

    fn enter(&mut self, op: &Op, flow: Flow, at: usize) -> usize {
        let has_counter = flow == Flow::Loop;
        let counter = op.source(usize::from(has_counter));
        let [count, start, step, _] =
            counter.map_or([0; 4], |source| self.integer(source.number()));
        let (before, outer) = (self.active, self.counter);
        if has_counter {
            self.counter = Some(start);
        }
        let step = if has_counter { step } else { 0 };
        self.frames.push(Frame::Loop { before, left: count, step, outer, gone: [false; LANES] });
        if count > 0 && any(before) {
            return at + 1;
        }
        self.active = [false; LANES];
        op.jump
    }

    /// Ends a loop iteration; returns the next instruction index.
    fn again(&mut self, op: &Op, at: usize) -> usize {
        let Some(Frame::Loop { before, left, step, outer, gone }) = self.frames.pop() else {
            return at + 1;
        };
        let left = left.saturating_sub(1);
        let going_on = without(before, gone);
        if left > 0 && any(going_on) {
            self.counter = self.counter.map(|counter| counter.wrapping_add(step));
            self.active = going_on;
            self.frames.push(Frame::Loop { before, left, step, outer, gone });
            return op.jump + 1;
        }
        self.counter = outer;
        self.active = without(before, self.gone());
        at + 1
    }
}
