//! Blocks: what closes what, and where each instruction may jump.

use super::Findings;
use crate::hull::{Hull, Jump};
use crate::opcode::Opcode;
use crate::operand::OperandKind;
use crate::register::MAX_NESTING;
use crate::rule::Rule;

/// A block that is open.
enum Open {
    If {
        start: usize,
        turned: bool,
    },
    Loop {
        start: usize,
        leave: Vec<usize>,
    },
    Switch {
        start: usize,
        cases: Vec<(u32, usize)>,
        default: Option<usize>,
        leave: Vec<usize>,
    },
}

impl Open {
    fn name(&self) -> &'static str {
        match self {
            Open::If { .. } => "if",
            Open::Loop { .. } => "loop",
            Open::Switch { .. } => "switch",
        }
    }
}

/// Fills in the jumps of a phase.
pub(super) fn resolve(hull: &mut Hull, index: usize, findings: &mut Findings) {
    let Some(phase) = hull.phases.get_mut(index) else {
        return;
    };
    findings.phase = Some(phase.id);
    let mut flow = Flow {
        open: Vec::new(),
        jumps: vec![Jump::Next; phase.code.len()],
    };
    for (number, instruction) in phase.code.iter().enumerate() {
        let value = instruction
            .operands
            .first()
            .filter(|operand| operand.kind() == OperandKind::Immediate32);
        let value = value.and_then(|operand| operand.values.first().copied());
        if let Err(message) = flow.take(number, instruction.opcode(), value) {
            let place = phase.places.get(number).copied().unwrap_or(phase.place);
            findings.error(Rule::Nesting, place, "", message);
        }
    }
    if let Some(open) = flow.open.last() {
        let message = format!("{} is open at the end of the phase", open.name());
        let place = phase.places.last().copied().unwrap_or(phase.place);
        findings.error(Rule::Nesting, place, "", message);
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
        if let Some(Open::Switch {
            cases,
            default: None,
            ..
        }) = self.open.last()
            && cases.is_empty()
            && !matches!(opcode, Case | Default | Endswitch)
        {
            return Err(format!(
                "{} between switch and its first case",
                opcode.name()
            ));
        }
        match opcode {
            If => self.push(Open::If {
                start: number,
                turned: false,
            })?,
            Loop => self.push(Open::Loop {
                start: number,
                leave: Vec::new(),
            })?,
            Switch => self.push(Open::Switch {
                start: number,
                cases: Vec::new(),
                default: None,
                leave: Vec::new(),
            })?,
            Else => match self.open.last_mut() {
                Some(Open::If {
                    start,
                    turned: turned @ false,
                }) => {
                    *turned = true;
                    let from = std::mem::replace(start, number);
                    self.jump(from, next);
                }
                _ => return Err("else without if".to_owned()),
            },
            Endif => match self.open.pop() {
                Some(Open::If { start, .. }) => self.jump(start, number),
                other => return Err(self.reopen(other, "endif without if")),
            },
            Endloop => match self.open.pop() {
                Some(Open::Loop { start, leave }) => {
                    self.jump(number, start);
                    for from in leave {
                        self.jump(from, next);
                    }
                }
                other => return Err(self.reopen(other, "endloop without loop")),
            },
            Endswitch => match self.open.pop() {
                Some(Open::Switch {
                    start,
                    cases,
                    default,
                    leave,
                }) => {
                    let default = default.unwrap_or(next);
                    if let Some(jump) = self.jumps.get_mut(start) {
                        *jump = Jump::Switch { cases, default };
                    }
                    for from in leave {
                        self.jump(from, next);
                    }
                }
                other => return Err(self.reopen(other, "endswitch without switch")),
            },
            Case | Default => self.label(number, opcode, value)?,
            Label => {
                if let Some(open) = self.open.last() {
                    return Err(format!("label within {}", open.name()));
                }
            }
            Break | Breakc => {
                let leave = self.open.iter_mut().rev().find_map(|open| match open {
                    Open::Loop { leave, .. } | Open::Switch { leave, .. } => Some(leave),
                    Open::If { .. } => None,
                });
                leave
                    .ok_or("break outside of loop and switch")?
                    .push(number);
            }
            Continue | Continuec => {
                let start = self.open.iter().rev().find_map(|open| match open {
                    Open::Loop { start, .. } => Some(*start),
                    _ => None,
                });
                let start = start.ok_or("continue outside of loop")?;
                self.jump(number, start);
            }
            _ => {}
        }
        Ok(())
    }

    fn label(&mut self, number: usize, opcode: Opcode, value: Option<u32>) -> Result<(), String> {
        let Some(Open::Switch { cases, default, .. }) = self.open.last_mut() else {
            return Err(format!("{} outside of switch", opcode.name()));
        };
        if opcode == Opcode::Default {
            return match default.replace(number) {
                Some(_) => Err("a second default".to_owned()),
                None => Ok(()),
            };
        }
        let value = value.ok_or("the value of case is no immediate")?;
        if cases.iter().any(|(known, _)| *known == value) {
            return Err(format!("a second case {}", value.cast_signed()));
        }
        cases.push((value, number));
        Ok(())
    }

    fn push(&mut self, open: Open) -> Result<(), String> {
        self.open.push(open);
        match self.open.len() {
            depth if depth == MAX_NESTING.saturating_add(1) => Err(format!(
                "blocks are open {depth} deep, at most {MAX_NESTING} are allowed"
            )),
            _ => Ok(()),
        }
    }

    fn reopen(&mut self, open: Option<Open>, message: &str) -> String {
        self.open.extend(open);
        message.to_owned()
    }
}
