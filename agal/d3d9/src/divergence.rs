//! Detects derivatives in dynamic flow control, where derivatives are undefined because neighbouring pixels may take
//! different paths.

use std::collections::BTreeSet;

use crate::opcode::{FlowControl, Operation, TextureOp};
use crate::program::{D3d9Instruction, D3d9Program};
use crate::version::ShaderVersion;

/// Returns whether an instruction takes derivatives of its first source: `dsx`, `dsy`, and texture reads with an
/// implicit mip level.
pub(crate) fn takes_derivatives(instruction: &D3d9Instruction, version: ShaderVersion) -> bool {
    let takes = matches!(
        instruction.opcode.operation(),
        Operation::Texture(TextureOp::Load) | Operation::Derivative { .. }
    );
    takes && version.has_lengths() && !version.is_vertex()
}

/// A derivative or call outside of dynamic conditionals. An enclosing loop may later turn out to be dynamic.
struct PairCandidate {
    number: u32,
    is_call: bool,
    in_subroutine: bool,
}

struct Loop {
    /// Number of [`Candidate`]s, and of open dynamic conditionals, when the loop began.
    candidates: usize,
    conditionals: usize,
    /// True if pixels may leave the loop in different iterations.
    is_dynamic: bool,
}

/// Returns the indices of instructions that take derivatives in dynamic flow control: in dynamic conditionals, in loops
/// with dynamic exits, and in subroutines if any call is dynamic ([d3d9.rule.57]).
pub(crate) fn divergent_derivatives(program: &D3d9Program) -> BTreeSet<u32> {
    let version = program.version;
    let mut found = BTreeSet::new();
    let (mut candidates, mut loops, mut conditionals) =
        (Vec::new(), Vec::<Loop>::new(), Vec::new());
    let (mut open, mut in_subroutine, mut diverging_calls) = (0usize, false, false);
    for (number, instruction) in program.instructions() {
        let kind = instruction.opcode.operation();
        let is_call = matches!(kind, Operation::Flow(FlowControl::Call | FlowControl::CallNz));
        let predicate = instruction.tests_predicate(version);
        if is_call || takes_derivatives(instruction, version) {
            let candidate = PairCandidate { number, is_call, in_subroutine };
            let dynamic = open > 0 || is_call && predicate;
            match (dynamic, is_call) {
                (true, true) => diverging_calls = true,
                (true, false) => drop(found.insert(number)),
                (false, _) => candidates.push(candidate),
            }
        }
        let Operation::Flow(flow) = kind else { continue };
        match flow {
            FlowControl::If | FlowControl::IfCompare => {
                let dynamic = predicate || flow == FlowControl::IfCompare;
                open += usize::from(dynamic);
                conditionals.push(dynamic);
            }
            FlowControl::EndIf => open -= usize::from(conditionals.pop() == Some(true)),
            FlowControl::Loop | FlowControl::Rep => loops.push(Loop {
                candidates: candidates.len(),
                conditionals: open,
                is_dynamic: false,
            }),
            FlowControl::Break | FlowControl::BreakCompare | FlowControl::BreakPredicate => {
                if let Some(last) = loops.last_mut() {
                    last.is_dynamic |= flow != FlowControl::Break || open > last.conditionals;
                }
            }
            FlowControl::EndLoop | FlowControl::EndRep => {
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
            FlowControl::Label => in_subroutine = true,
            FlowControl::Else | FlowControl::Call | FlowControl::CallNz | FlowControl::Ret => {}
        }
    }
    let called =
        candidates.iter().filter(|one| diverging_calls && one.in_subroutine && !one.is_call);
    found.extend(called.map(|one| one.number));
    found
}
