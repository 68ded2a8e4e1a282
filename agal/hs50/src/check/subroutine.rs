//! Subroutines: `label`s after the end of a phase's code, and their callers. The functional specification allows them
//! in hull shaders (22.1.2), but no compiler is known to emit them (hs-5-0.md, 9).

use std::collections::BTreeMap;

use super::Findings;
use crate::hull::{Hull, Jump, Phase};
use crate::opcode::Opcode;
use crate::register::MAX_NESTING;
use crate::rule::Rule;

/// Index of the instruction in the phase, and the message.
type Wrong = (usize, String);

/// Resolves the calls of a phase.
pub(super) fn resolve(hull: &mut Hull, index: usize, findings: &mut Findings) {
    let Some(phase) = hull.phases.get_mut(index) else {
        return;
    };
    match calls(phase) {
        Ok(calls) => {
            for (from, to) in calls {
                if let Some(jump) = phase.jumps.get_mut(from) {
                    *jump = Jump::To(to);
                }
            }
        }
        Err((number, message)) => {
            let instruction_index = phase.instruction_index_of(number);
            findings.error(Rule::Nesting, instruction_index, "", message);
        }
    }
}

/// The index of each call and the index of its label.
fn calls(phase: &Phase) -> Result<Vec<(usize, usize)>, Wrong> {
    let mut starts: BTreeMap<u32, usize> = BTreeMap::new();
    // Calls by caller: `None` for the phase's main code, or the index of the subroutine's label.
    let mut callers: Vec<(Option<usize>, usize, u32)> = Vec::new();
    let (mut here, mut ended) = (None, false);
    for (number, instruction) in phase.code.iter().enumerate() {
        let opcode = instruction.opcode();
        let name = instruction.operands.last().and_then(|label| label.fixed(0));
        match (opcode, name) {
            (Opcode::Label, Some(name)) => {
                if !ended {
                    return Err((number, format!("label{name} must follow a ret")));
                }
                if starts.insert(name, number).is_some() {
                    return Err((number, format!("label{name} is defined twice")));
                }
                here = Some(number);
            }
            (Opcode::Call | Opcode::Callc, Some(name)) => callers.push((here, number, name)),
            (Opcode::Label | Opcode::Call | Opcode::Callc, None) => {
                let message = format!("{} has no label number", opcode.name());
                return Err((number, message));
            }
            _ => {}
        }
        ended = opcode == Opcode::Ret;
    }
    let mut found = Vec::new();
    // Call depth of each subroutine. Subroutines that are never called must not recurse either.
    let mut depths: BTreeMap<usize, usize> = starts.values().map(|start| (*start, 1)).collect();
    for (_, number, name) in &callers {
        let start = starts.get(name);
        let start = start.ok_or_else(|| (*number, format!("the phase has no label{name}")))?;
        found.push((*number, *start));
    }
    // Each round finds calls one level deeper.
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
        match deeper {
            None => return Ok(found),
            Some(number) if depths.values().any(|depth| *depth > MAX_NESTING) => {
                let message = format!("calls are nested more than {MAX_NESTING} deep or recurse");
                return Err((number, message));
            }
            Some(_) => {}
        }
    }
    Ok(found)
}
