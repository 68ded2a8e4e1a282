//! Flow control: matches block starts and ends, and resolves jump targets.

use std::collections::BTreeMap;

use super::Findings;
use crate::hull::{Hull, Jump};
use crate::opcode::Opcode;
use crate::operand::OperandKind;
use crate::register::MAX_NESTING;
use crate::rule::Rule;

/// An open block.
struct Open {
    /// `if`, `loop` or `switch`.
    opcode: Opcode,
    /// Index of the instruction that opens it; after `else`, the index of the `else`.
    start: usize,
    has_else: bool,
    /// Values and instruction indices of a switch's cases.
    cases: BTreeMap<u32, usize>,
    default: Option<usize>,
    /// Instructions that leave the block.
    leave: Vec<usize>,
}

/// Resolves the jumps of a phase.
pub(super) fn resolve(hull: &mut Hull, index: usize, findings: &mut Findings) {
    let Some(phase) = hull.phases.get_mut(index) else {
        return;
    };
    findings.phase = Some(phase.id);
    let mut flow = Flow { open: Vec::new(), jumps: vec![Jump::Next; phase.code.len()] };
    for (number, instruction) in phase.code.iter().enumerate() {
        let first = instruction.operands.first();
        let first = first.filter(|operand| operand.kind() == OperandKind::Immediate32);
        let value = first.and_then(|operand| operand.values.first().copied());
        if let Err(message) = flow.take(number, instruction.opcode(), value) {
            let instruction_index = phase.instruction_index_of(number);
            findings.error(Rule::Nesting, instruction_index, "", message);
        }
    }
    if let Some(open) = flow.open.last() {
        let message = format!("{} is not closed at the end of the phase", open.opcode.name());
        let instruction_index =
            phase.instruction_indices.last().copied().unwrap_or(phase.instruction_index);
        findings.error(Rule::Nesting, instruction_index, "", message);
    }
    phase.jumps = flow.jumps;
}

struct Flow {
    open: Vec<Open>,
    jumps: Vec<Jump>,
}

impl Flow {
    fn jump(&mut self, from: usize, to: usize) {
        if let Some(jump) = self.jumps.get_mut(from) {
            *jump = Jump::To(to);
        }
    }

    fn take(&mut self, number: usize, opcode: Opcode, value: Option<u32>) -> Result<(), String> {
        use Opcode::*;
        let next = number.saturating_add(1);
        let name = opcode.name();
        let bare = self.open.last().is_some_and(|open| {
            open.opcode == Switch && open.cases.is_empty() && open.default.is_none()
        });
        if bare && !matches!(opcode, Case | Default | Endswitch) {
            return Err(format!("{name} is between switch and its first case"));
        }
        match opcode {
            If | Loop | Switch => self.push(opcode, number)?,
            Else => match self.open.last_mut() {
                Some(open) if open.opcode == If && !open.has_else => {
                    open.has_else = true;
                    let from = std::mem::replace(&mut open.start, number);
                    self.jump(from, next);
                }
                _ => return Err("else has no if".to_owned()),
            },
            Endif => {
                let open = self.close(If, "endif has no if")?;
                self.jump(open.start, number);
            }
            Endloop => {
                let open = self.close(Loop, "endloop has no loop")?;
                self.jump(number, open.start);
                self.jump_all(open.leave, next);
            }
            Endswitch => {
                let open = self.close(Switch, "endswitch has no switch")?;
                let (cases, default) = (open.cases, open.default.unwrap_or(next));
                if let Some(jump) = self.jumps.get_mut(open.start) {
                    *jump = Jump::Switch { cases, default };
                }
                self.jump_all(open.leave, next);
            }
            Case | Default => self.label(number, opcode, value)?,
            Label => {
                if let Some(open) = self.open.last() {
                    return Err(format!("label is inside {}", open.opcode.name()));
                }
            }
            Break | Breakc => {
                let mut open = self.open.iter_mut().rev();
                let left = open.find(|open| open.opcode != If);
                left.ok_or("break is outside of loop and switch")?.leave.push(number);
            }
            Continue | Continuec => {
                let mut open = self.open.iter().rev();
                let start = open.find(|open| open.opcode == Loop).map(|open| open.start);
                let start = start.ok_or("continue is outside of loop")?;
                self.jump(number, start);
            }
            _ => {}
        }
        Ok(())
    }

    fn label(&mut self, number: usize, opcode: Opcode, value: Option<u32>) -> Result<(), String> {
        let open = self.open.last_mut().filter(|open| open.opcode == Opcode::Switch);
        let Some(Open { cases, default, .. }) = open else {
            return Err(format!("{} is outside of switch", opcode.name()));
        };
        if opcode == Opcode::Default {
            let twice = default.replace(number).is_some();
            return if twice {
                Err("the switch has more than one default".to_owned())
            } else {
                Ok(())
            };
        }
        let value = value.ok_or("the value of case must be an immediate")?;
        match cases.insert(value, number) {
            None => Ok(()),
            Some(_) => Err(format!("the switch has more than one case {}", value.cast_signed())),
        }
    }

    fn jump_all(&mut self, from: Vec<usize>, to: usize) {
        for from in from {
            self.jump(from, to);
        }
    }

    fn push(&mut self, opcode: Opcode, start: usize) -> Result<(), String> {
        self.open.push(Open {
            opcode,
            start,
            has_else: false,
            cases: BTreeMap::new(),
            default: None,
            leave: Vec::new(),
        });
        match self.open.len() {
            depth if depth == MAX_NESTING.saturating_add(1) => {
                Err(format!("blocks are nested {depth} deep, at most {MAX_NESTING} are allowed"))
            }
            _ => Ok(()),
        }
    }

    /// Closes the innermost block if it has this opcode.
    fn close(&mut self, opcode: Opcode, message: &str) -> Result<Open, String> {
        let last = self.open.pop_if(|open| open.opcode == opcode);
        last.ok_or_else(|| message.to_owned())
    }
}
