//! Flow control: matches starts and ends of blocks, and resolves jump targets.

use std::collections::BTreeMap;

use super::HullFindings;
use crate::hull::register::MAX_NESTING;
use crate::hull::rule::HullRule;
use crate::hull::{Jump, Phase};
use crate::tokens::opcode::HullOpcode;
use crate::tokens::operand::OperandKind;

/// The error is the message of a finding.
type StepResult<T = ()> = Result<T, String>;

#[derive(Default)]
struct OpenBlock {
    /// The instruction index of the block's start or, after `else`, of the `else`.
    start: usize,
    has_else: bool,
    /// In a switch, the instruction index of each case value.
    cases: BTreeMap<u32, usize>,
    default: Option<usize>,
    leave: Vec<usize>,
}

pub(super) fn resolve(phase: &mut Phase, findings: &mut HullFindings) {
    let mut flow = FlowResolver { open: Vec::new(), jumps: Vec::new() };
    for (number, statement) in phase.code.iter().enumerate() {
        let first = statement.instruction.operands.first();
        let first = first.filter(|operand| operand.kind() == OperandKind::Immediate32);
        let value = first.and_then(|operand| operand.values.first().copied());
        if let Err(message) = flow.step(number, statement.instruction.opcode(), value) {
            findings.error(HullRule::Nesting, statement.instruction_index, "", message);
        }
    }
    if let Some((opcode, _)) = flow.open.last() {
        let message = format!("{} is not closed at the end of the phase", opcode.name());
        let last = phase.instruction_index_of(phase.code.len().saturating_sub(1));
        findings.error(HullRule::Nesting, last, "", message);
    }
    for (from, to) in flow.jumps {
        phase.jump(from, to);
    }
}

struct FlowResolver {
    /// Open blocks, each with its opening opcode: `if`, `loop` or `switch`.
    open: Vec<(HullOpcode, OpenBlock)>,
    jumps: Vec<(usize, Jump)>,
}

impl FlowResolver {
    fn jump(&mut self, from: impl IntoIterator<Item = usize>, to: usize) {
        self.jumps.extend(from.into_iter().map(|from| (from, Jump::To(to))));
    }

    fn step(&mut self, number: usize, opcode: HullOpcode, value: Option<u32>) -> StepResult {
        use HullOpcode::*;
        let next = number.saturating_add(1);
        let name = opcode.name();
        let bare = self.open.last().is_some_and(|(opener, block)| {
            *opener == Switch && block.cases.is_empty() && block.default.is_none()
        });
        if bare && !matches!(opcode, Case | Default | Endswitch) {
            return Err(format!("{name} is between switch and its first case"));
        }
        match opcode {
            If | Loop | Switch => {
                self.open.push((opcode, OpenBlock { start: number, ..OpenBlock::default() }));
                let depth = self.open.len();
                if depth == MAX_NESTING.saturating_add(1) {
                    return Err(format!(
                        "blocks are nested {depth} deep, at most {MAX_NESTING} are allowed"
                    ));
                }
            }
            Else => match self.open.last_mut() {
                Some((If, block)) if !block.has_else => {
                    block.has_else = true;
                    let from = std::mem::replace(&mut block.start, number);
                    self.jump([from], next);
                }
                _ => return Err("else has no if".to_owned()),
            },
            Endif => {
                let block = self.close(If, "endif has no if")?;
                self.jump([block.start], number);
            }
            Endloop => {
                let block = self.close(Loop, "endloop has no loop")?;
                self.jump([number], block.start);
                self.jump(block.leave, next);
            }
            Endswitch => {
                let block = self.close(Switch, "endswitch has no switch")?;
                let (cases, default) = (block.cases, block.default.unwrap_or(next));
                self.jumps.push((block.start, Jump::Switch { cases, default }));
                self.jump(block.leave, next);
            }
            Case | Default => self.label(number, opcode, value)?,
            Label => {
                if let Some((opener, _)) = self.open.last() {
                    return Err(format!("label is inside {}", opener.name()));
                }
            }
            Break | Breakc => {
                let mut open = self.open.iter_mut().rev();
                let left = open.find(|(opener, _)| *opener != If);
                left.ok_or("break is outside of loop and switch")?.1.leave.push(number);
            }
            Continue | Continuec => {
                let mut open = self.open.iter().rev();
                let start = open.find(|(opener, _)| *opener == Loop).map(|(_, block)| block.start);
                self.jump([number], start.ok_or("continue is outside of loop")?);
            }
            _ => {}
        }
        Ok(())
    }

    fn label(&mut self, number: usize, opcode: HullOpcode, value: Option<u32>) -> StepResult {
        let Some((HullOpcode::Switch, OpenBlock { cases, default, .. })) = self.open.last_mut()
        else {
            return Err(format!("{} is outside of switch", opcode.name()));
        };
        if opcode == HullOpcode::Default {
            let twice = default.replace(number).is_some();
            let message = || "the switch has more than one default".to_owned();
            return if twice { Err(message()) } else { Ok(()) };
        }
        let value = value.ok_or("the value of case must be an immediate")?;
        match cases.insert(value, number) {
            None => Ok(()),
            Some(_) => Err(format!("the switch has more than one case {}", value.cast_signed())),
        }
    }

    fn close(&mut self, opcode: HullOpcode, message: &str) -> StepResult<OpenBlock> {
        let last = self.open.pop_if(|(opener, _)| *opener == opcode);
        last.map(|(_, block)| block).ok_or_else(|| message.to_owned())
    }
}
