//! Translates phases to functions.

use std::collections::BTreeSet;

use agal_core::output::ShaderText;

use super::{Dialect, HullTextureUse, function};
use crate::hull::register::PhaseKind;
use crate::hull::unsupported::UnsupportedFeature;
use crate::hull::{Hull, Phase};
use crate::tokens::opcode::HullOpcode;
use crate::tokens::operand::{HullOperand, OperandKind};
use crate::tokens::program::HullInstruction;

pub(super) struct HullEmitter<'a> {
    pub(super) hull: &'a Hull,
    pub(super) phase: &'a Phase,
    pub(super) dialect: Dialect,
    pub(super) textures: &'a mut BTreeSet<HullTextureUse>,
    /// Name prefix of the phase's temporaries.
    pub(super) prefix: String,
    pub(super) switches: Vec<bool>,
    pub(super) lines: ShaderText,
    pub(super) variables: usize,
}

pub(super) fn emit(
    out: &mut ShaderText,
    hull: &Hull,
    phase: &Phase,
    dialect: Dialect,
    textures: &mut BTreeSet<HullTextureUse>,
) -> Result<(), UnsupportedFeature> {
    let labels: Vec<u32> =
        phase.code.iter().filter_map(|statement| label(&statement.instruction)).collect();
    // Registers are local variables, unless subroutines share them.
    let shared = !labels.is_empty();
    let prefix = if shared { format!("{}_", function(phase)) } else { String::new() };
    let lines = ShaderText { text: String::new(), depth: 1 };
    let (switches, variables) = (Vec::new(), 0);
    let mut emitter =
        HullEmitter { hull, phase, dialect, textures, prefix, switches, lines, variables };
    let prefix = &emitter.prefix;
    let temps = used_temps(phase).into_iter().map(|register| {
        let name = format!("{prefix}r{register}");
        (format!("uvec4 {name};"), format!("{name} = uvec4(0u);"))
    });
    let arrays = phase.indexable.iter().map(|(number, temp)| {
        let (name, length) = (format!("{prefix}x{number}"), temp.length.max(1));
        let zero = format!("for (int n = 0; n < {length}; ++n) {name}[n] = uvec4(0u);");
        (format!("uvec4 {name}[{length}];"), zero)
    });
    for (declaration, zero) in temps.chain(arrays).collect::<Vec<_>>() {
        if shared {
            out.line(&declaration);
        } else {
            emitter.lines.line(&declaration);
        }
        emitter.lines.line(&zero);
    }
    for statement in &phase.code {
        if let Some(label) = label(&statement.instruction) {
            emitter.lines.put(&["}\n", &head(phase, Some(label)), " {\n"]);
            continue;
        }
        let instruction_index = statement.instruction_index;
        let done = emitter.instruction(&statement.instruction);
        done.map_err(|what| UnsupportedFeature { instruction_index, what })?;
    }
    for label in labels {
        out.line(head(phase, Some(label)) + ";");
    }
    out.put(&[&head(phase, None), " {\n", &emitter.lines.text, "}\n"]);
    Ok(())
}

fn label(instruction: &HullInstruction) -> Option<u32> {
    let label = (instruction.opcode() == HullOpcode::Label).then(|| instruction.operands.last());
    label.flatten()?.fixed(0)
}

/// Returns the name and argument list of the function for a phase or subroutine.
fn routine(phase: &Phase, label: Option<u32>, argument: &str) -> String {
    let label = label.map(|label| format!("_label{label}")).unwrap_or_default();
    let argument = if phase.id.kind == PhaseKind::ControlPoint { "" } else { argument };
    format!("{}{label}({argument})", function(phase))
}

fn head(phase: &Phase, label: Option<u32>) -> String {
    format!("void {}", routine(phase, label, "uint instance"))
}

pub(super) fn call(phase: &Phase, instruction: &HullInstruction) -> String {
    let label = instruction.operands.last().and_then(|label| label.fixed(0));
    routine(phase, label, "instance") + ";"
}

/// Returns the temporaries that the code uses; only these are declared, because a phase may declare thousands.
fn used_temps(phase: &Phase) -> BTreeSet<u32> {
    fn gather(operand: &HullOperand, used: &mut BTreeSet<u32>) {
        if operand.kind() == OperandKind::Temp {
            used.extend(operand.fixed(0));
        }
        for relative in operand.indices.iter().filter_map(|index| index.relative()) {
            gather(relative, used);
        }
    }
    let mut used = BTreeSet::new();
    for operand in phase.code.iter().flat_map(|statement| &statement.instruction.operands) {
        gather(operand, &mut used);
    }
    used
}
