//! Translates phases to functions.

use std::collections::BTreeSet;

use super::code::Lines;
use super::{Emitter, function, prelude};
use crate::hull::Phase;
use crate::opcode::Opcode;
use crate::operand::{Operand, OperandKind};
use crate::program::Instruction;
use crate::register::PhaseKind;
use crate::support::Unsupported;

impl Emitter<'_> {
    pub(super) fn phase(&mut self, out: &mut String, phase: &Phase) -> Result<(), Unsupported> {
        let mut lines = Lines::new();
        let labels: Vec<u32> = phase.code.iter().filter_map(label).collect();
        // Registers are local to the function, unless subroutines share them.
        let shared = !labels.is_empty();
        self.prefix = match shared {
            true => format!("{}_", function(phase)),
            false => String::new(),
        };
        let mut registers = Vec::new();
        for register in used_temps(phase) {
            let name = format!("{}r{register}", self.prefix);
            registers.push((format!("uvec4 {name};\n"), format!("    {name} = uvec4(0u);\n")));
        }
        for (number, temp) in &phase.indexable {
            let (name, length) = (format!("{}x{number}", self.prefix), temp.length.max(1));
            registers.push((
                format!("uvec4 {name}[{length}];\n"),
                format!("    for (int n = 0; n < {length}; ++n) {name}[n] = uvec4(0u);\n"),
            ));
        }
        for (declaration, zero) in &registers {
            match shared {
                true => out.push_str(declaration),
                false => lines.text += &format!("    {declaration}"),
            }
            lines.text += zero;
        }
        for (instruction, instruction_index) in phase.code.iter().zip(&phase.instruction_indices) {
            if let Some(label) = label(instruction) {
                let head = head(phase, Some(label));
                lines.text += &format!("}}\n{head} {{\n");
                continue;
            }
            let done = self.instruction(&mut lines, phase, instruction);
            done.map_err(|what| Unsupported { instruction_index: *instruction_index, what })?;
        }
        prelude::note(&lines.text, &mut self.used);
        for label in labels {
            out.push_str(&format!("{};\n", head(phase, Some(label))));
        }
        out.push_str(&format!("{} {{\n{}}}\n", head(phase, None), lines.text));
        Ok(())
    }
}

/// The number of a label.
fn label(instruction: &Instruction) -> Option<u32> {
    let found = (instruction.opcode() == Opcode::Label).then_some(instruction)?;
    found.operands.last()?.fixed(0)
}

/// The name of the function for a phase or a subroutine.
fn routine(phase: &Phase, label: Option<u32>) -> String {
    let name = function(phase);
    label.map_or(name.clone(), |label| format!("{name}_label{label}"))
}

fn head(phase: &Phase, label: Option<u32>) -> String {
    let parameter = match phase.id.kind {
        PhaseKind::ControlPoint => "",
        PhaseKind::Fork | PhaseKind::Join => "uint instance",
    };
    format!("void {}({parameter})", routine(phase, label))
}

pub(super) fn called(phase: &Phase, instruction: &Instruction) -> String {
    let label = instruction.operands.last().and_then(|label| label.fixed(0));
    let argument = match phase.id.kind {
        PhaseKind::ControlPoint => "",
        PhaseKind::Fork | PhaseKind::Join => "instance",
    };
    format!("{}({argument});", routine(phase, label))
}

/// The temporaries that the code uses; a phase may declare thousands.
fn used_temps(phase: &Phase) -> BTreeSet<u32> {
    fn gather(operand: &Operand, used: &mut BTreeSet<u32>) {
        if operand.kind() == OperandKind::Temp {
            used.extend(operand.fixed(0));
        }
        for relative in operand.indices.iter().filter_map(|index| index.relative()) {
            gather(relative, used);
        }
    }
    let mut used = BTreeSet::new();
    let instructions = phase.code.iter();
    for operand in instructions.flat_map(|instruction| &instruction.operands) {
        gather(operand, &mut used);
    }
    used
}
