//! Dynamic flow control: pixels may take different paths there, so derivatives, which need the values of neighbours,
//! are undefined.

use std::collections::BTreeSet;

use crate::opcode::{Flow, Operation, Texture};
use crate::program::{Instruction, Program};
use crate::version::Version;

/// Returns whether an instruction takes derivatives of its first source: `dsx`, `dsy`, and texture reads that choose
/// the level.
pub(crate) fn takes_derivatives(instruction: &Instruction, version: Version) -> bool {
    let takes = matches!(
        instruction.opcode.operation(),
        Operation::Texture(Texture::Load) | Operation::Derivative { .. }
    );
    takes && version.has_lengths() && !version.is_vertex()
}

/// An instruction outside of dynamic conditionals. A loop around it may still become dynamic.
struct Candidate {
    number: u32,
    is_call: bool,
    in_subroutine: bool,
}

struct Loop {
    /// Number of candidates and of open dynamic conditionals before it.
    candidates: usize,
    conditionals: usize,
    /// True if pixels may leave it at different times.
    is_dynamic: bool,
}

/// Returns the indices of the instructions in dynamic flow control that take derivatives: in a conditional on values,
/// in a loop that such a condition leaves, and in subroutines if one is called there ([d3d9.rule.57]).
pub(crate) fn divergent_derivatives(program: &Program) -> BTreeSet<u32> {
    let version = program.version;
    let mut found = BTreeSet::new();
    let (mut candidates, mut loops, mut conditionals) =
        (Vec::new(), Vec::<Loop>::new(), Vec::new());
    let (mut open, mut in_subroutine, mut diverging_calls) = (0usize, false, false);
    for (number, instruction) in program.instructions() {
        let kind = instruction.opcode.operation();
        let is_call = matches!(kind, Operation::Flow(Flow::Call | Flow::CallNz));
        let predicate = instruction.tests_predicate(version);
        if is_call || takes_derivatives(instruction, version) {
            let candidate = Candidate { number, is_call, in_subroutine };
            let dynamic = open > 0 || is_call && predicate;
            match (dynamic, is_call) {
                (true, true) => diverging_calls = true,
                (true, false) => drop(found.insert(number)),
                (false, _) => candidates.push(candidate),
            }
        }
        let Operation::Flow(flow) = kind else { continue };
        match flow {
            Flow::If | Flow::IfCompare => {
                let dynamic = predicate || flow == Flow::IfCompare;
                open += usize::from(dynamic);
                conditionals.push(dynamic);
            }
            Flow::EndIf => open -= usize::from(conditionals.pop() == Some(true)),
            Flow::Loop | Flow::Rep => loops.push(Loop {
                candidates: candidates.len(),
                conditionals: open,
                is_dynamic: false,
            }),
            Flow::Break | Flow::BreakCompare | Flow::BreakPredicate => {
                if let Some(last) = loops.last_mut() {
                    last.is_dynamic |= flow != Flow::Break || open > last.conditionals;
                }
            }
            Flow::EndLoop | Flow::EndRep => {
                let ended = loops.pop().filter(|ended| ended.is_dynamic);
                let first = ended.map_or(candidates.len(), |ended| ended.candidates);
                for candidate in candidates.drain(first.min(candidates.len())..) {
                    if candidate.is_call {
                        diverging_calls = true;
                    } else {
                        found.insert(candidate.number);
                    }
                }
            }
            Flow::Label => in_subroutine = true,
            Flow::Else | Flow::Call | Flow::CallNz | Flow::Ret => {}
        }
    }
    let called =
        candidates.iter().filter(|one| diverging_calls && one.in_subroutine && !one.is_call);
    found.extend(called.map(|one| one.number));
    found
}
