//! Divergent flow control: active lanes in blocks, loops and calls.

use super::compile::{Kernel, Op};
use super::exec::Machine;
use super::{LANES, RunError};
use crate::opcode::Flow;

/// A flag for each lane that is active.
pub(super) type Active = [bool; LANES];

/// Maximum call depth of a run: the versions allow at most four.
const MAX_CALLS: usize = 32;

/// An open block or call.
#[derive(Clone, Copy, Debug)]
pub(super) enum Frame {
    /// Lanes active before the `if`, and those that took the first branch.
    If { before: Active, took: Active },
    /// A loop.
    Loop {
        before: Active,
        /// Iterations left, the current one included.
        left: i32,
        step: i32,
        /// `aL` of the enclosing loop.
        outer: Option<i32>,
        /// Lanes that left the loop by `break`.
        gone: Active,
    },
    /// Return address, and the lanes active before the call.
    Call { back: usize, before: Active },
}

pub(super) fn and(a: Active, b: Active) -> Active {
    super::zip(a, b, |a, b| a && b)
}

pub(super) fn without(a: Active, b: Active) -> Active {
    super::zip(a, b, |a, b| a && !b)
}

pub(super) fn any(a: Active) -> bool {
    a.contains(&true)
}

impl Machine<'_> {
    /// Lanes that left the enclosing loops of the current call by `break`.
    fn gone(&self) -> Active {
        let mut gone = [false; LANES];
        for frame in self.frames.iter().rev() {
            match frame {
                Frame::Loop { gone: lanes, .. } => gone = super::zip(gone, *lanes, |a, b| a || b),
                Frame::Call { .. } => break,
                Frame::If { .. } => {}
            }
        }
        gone
    }

    /// Runs a flow control instruction; returns the next index, or `None` at the end of the shader.
    pub(super) fn flow(
        &mut self,
        kernel: &Kernel,
        op: &Op,
        flow: Flow,
        place: usize,
    ) -> Result<Option<usize>, RunError> {
        let next = Some(place + 1);
        match flow {
            Flow::If | Flow::IfCompare => {
                let condition = self.condition(op);
                let before = self.active;
                let took = and(before, condition);
                self.active = took;
                self.frames.push(Frame::If { before, took });
                // Jumps to `else` or `endif`, which set the active lanes.
                Ok(next.filter(|_| any(took)).or(Some(op.jump)))
            }
            Flow::Else => {
                if let Some(Frame::If { before, took }) = self.frames.last().copied() {
                    self.active = without(without(before, took), self.gone());
                }
                Ok(next.filter(|_| any(self.active)).or(Some(op.jump)))
            }
            Flow::EndIf => {
                if let Some(Frame::If { before, .. }) = self.frames.pop() {
                    self.active = without(before, self.gone());
                }
                Ok(next)
            }
            Flow::Loop | Flow::Rep => self.enter(op, flow, place).map(Some),
            Flow::EndLoop | Flow::EndRep => Ok(Some(self.again(op, place))),
            Flow::Break | Flow::BreakCompare | Flow::BreakPredicate => {
                let leaving = match flow {
                    Flow::Break => self.active,
                    _ => and(self.active, self.condition(op)),
                };
                let loops = self.frames.iter_mut().rev().find_map(|frame| match frame {
                    Frame::Loop { gone, .. } => Some(gone),
                    _ => None,
                });
                if let Some(gone) = loops {
                    *gone = super::zip(*gone, leaving, |a, b| a || b);
                }
                self.active = without(self.active, leaving);
                Ok(next)
            }
            Flow::Call | Flow::CallNz => {
                let called = match flow {
                    Flow::Call => self.active,
                    _ => and(self.active, self.condition(op)),
                };
                if !any(called) {
                    return Ok(next);
                }
                let is_call = |frame: &&Frame| matches!(frame, Frame::Call { .. });
                if self.frames.iter().filter(is_call).count() >= MAX_CALLS {
                    return Err(RunError::Depth);
                }
                let before = self.active;
                let back = place + 1;
                self.frames.push(Frame::Call { back, before });
                self.active = called;
                Ok(Some(op.jump + 1))
            }
            // Running into a label ends `main`, which may lack `ret`.
            Flow::Ret | Flow::Label => {
                while let Some(frame) = self.frames.pop() {
                    if let Frame::Call { back, before } = frame {
                        self.active = before;
                        return Ok(Some(back).filter(|back| *back <= kernel.steps.len()));
                    }
                }
                Ok(None)
            }
        }
    }

    fn enter(&mut self, op: &Op, flow: Flow, place: usize) -> Result<usize, RunError> {
        let counter = op.source(usize::from(flow == Flow::Loop));
        let [count, start, step, _] = counter.map_or([0; 4], |s| self.integer(s.place.number));
        let outer = self.counter;
        if flow == Flow::Loop {
            self.counter = Some(start);
        }
        self.frames.push(Frame::Loop {
            before: self.active,
            left: count,
            step: if flow == Flow::Loop { step } else { 0 },
            outer,
            gone: [false; LANES],
        });
        if count > 0 && any(self.active) {
            return Ok(place + 1);
        }
        self.active = [false; LANES];
        Ok(op.jump)
    }

    /// Ends an iteration; returns the next index.
    fn again(&mut self, op: &Op, place: usize) -> usize {
        let Some(mut frame) = self.frames.pop() else {
            return place + 1;
        };
        let Frame::Loop { before, left, step, outer, gone, .. } = &mut frame else {
            return place + 1;
        };
        *left = left.saturating_sub(1);
        let (before, outer, step) = (*before, *outer, *step);
        let going_on = without(before, *gone);
        if *left > 0 && any(going_on) {
            self.counter = self.counter.map(|counter| counter.wrapping_add(step));
            self.active = going_on;
            self.frames.push(frame);
            return op.jump + 1;
        }
        self.counter = outer;
        self.active = without(before, self.gone());
        place + 1
    }
}
