//! Subroutines start with `label`s after the end of a phase's code. The functional specification allows subroutines in
//! hull shaders (22.1.2), but no known compiler emits them ([hs50.opcode.subroutines]).

use std::collections::BTreeMap;

use super::HullFindings;
use crate::hull::register::MAX_NESTING;
use crate::hull::rule::HullRule;
use crate::hull::{Jump, Phase};
use crate::tokens::opcode::HullOpcode;

/// An error: the index of the instruction in the phase, and the message.
type SubroutineError = (usize, String);

pub(super) fn resolve(phase: &mut Phase, findings: &mut HullFindings) {
    match calls(phase) {
        Ok(calls) => {
            for (from, to) in calls {
                phase.jump(from, Jump::To(to));
            }
        }
        Err((number, message)) => {
            findings.error(HullRule::Nesting, phase.instruction_index_of(number), "", message);
        }
    }
}

fn calls(phase: &Phase) -> Result<Vec<(usize, usize)>, SubroutineError> {
    let mut starts: BTreeMap<u32, usize> = BTreeMap::new();
    // All calls, by caller: `None` for the phase's main code, or the index of the subroutine's label.
    let mut callers: Vec<(Option<usize>, usize, u32)> = Vec::new();
    let (mut caller, mut ended) = (None, false);
    for (number, statement) in phase.code.iter().enumerate() {
        let opcode = statement.instruction.opcode();
        let name = statement.instruction.operands.last().and_then(|label| label.fixed(0));
        match (opcode, name) {
            (HullOpcode::Label, Some(name)) => {
                if !ended {
                    return Err((number, format!("label{name} must follow a ret")));
                }
                if starts.insert(name, number).is_some() {
                    return Err((number, format!("label{name} is defined twice")));
                }
                caller = Some(number);
            }
            (HullOpcode::Call | HullOpcode::Callc, Some(name)) => {
                callers.push((caller, number, name))
            }
            (HullOpcode::Label | HullOpcode::Call | HullOpcode::Callc, None) => {
                return Err((number, format!("{} has no label number", opcode.name())));
            }
            _ => {}
        }
        ended = opcode == HullOpcode::Ret;
    }
    let found = callers.iter().map(|(_, number, name)| {
        let start = starts.get(name).map(|start| (*number, *start));
        start.ok_or_else(|| (*number, format!("the phase has no label{name}")))
    });
    let found: Vec<(usize, usize)> = found.collect::<Result<_, _>>()?;
    // The call depth of each subroutine. Recursion is an error even in subroutines that are never called.
    let mut depths: BTreeMap<usize, usize> = starts.values().map(|start| (*start, 1)).collect();
    // Each iteration covers calls one level deeper.
    for _ in 0..=MAX_NESTING {
        let mut deeper = None;
        for ((caller, number, _), (_, start)) in callers.iter().zip(&found) {
            let outer = caller.and_then(|caller| depths.get(&caller).copied());
            let depth = outer.unwrap_or(0).saturating_add(1);
            if depths.get(start).is_some_and(|known| depth > *known) {
                depths.insert(*start, depth);
                deeper = Some(*number);
            }
        }
        let Some(number) = deeper else { break };
        if depths.values().any(|depth| *depth > MAX_NESTING) {
            let message = format!("calls are nested more than {MAX_NESTING} deep or recurse");
            return Err((number, message));
        }
    }
    Ok(found)
}
