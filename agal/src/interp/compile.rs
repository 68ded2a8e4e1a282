//! Compiles a [`ValidProgram`] to a [`CompiledProgram`]: turns conditionals into jumps, and collects the constants that
//! a run loads.

use super::AgalState;
use super::state::slot;
use crate::float::FloatRules;
use crate::ir::{Address, IrInstruction, IrOperation, IrSource};
use crate::isa::opcode::BlockEnd;
use crate::isa::register::RegisterFile;
use crate::validate::ValidProgram;
use crate::version::Stage;

/// A compiled program. Threads can share a compiled program, but each thread needs a separate [`AgalState`].
#[derive(Clone, Debug)]
pub struct CompiledProgram {
    pub(super) stage: Stage,
    pub(super) steps: Vec<IrInstruction>,
    /// For each `if` and `els`: the index of the matching `els` or `eif`, the jump target if no lane takes the branch.
    pub(super) targets: Vec<usize>,
    /// The slots of temporaries and outputs that are set to zero before a run, because rows of a matrix may be read
    /// before they are written.
    pub(super) cleared: Vec<u16>,
    /// The constants that the program reads directly.
    pub(super) constants: Vec<u16>,
    pub(super) last_constant: u16,
    pub(super) rules: FloatRules,
}

impl CompiledProgram {
    /// Compiles a validated program for the interpreter.
    pub fn new(program: &ValidProgram) -> CompiledProgram {
        let steps = program.steps().to_vec();
        let mut targets = vec![0; steps.len()];
        let (mut cleared, mut constants) = (Vec::new(), Vec::new());
        // The indices of `if` and `els` steps whose jump target is not known yet.
        let mut open: Vec<usize> = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            if let Some(dest) = step.action.dest() {
                cleared.extend(slot(dest.file, dest.number));
            }
            for (read, rows) in step.action.sources() {
                note(read, rows, &mut cleared, &mut constants);
            }
            if let IrOperation::Block(_) = step.action
                && let Some(target) = open.pop().and_then(|opener| targets.get_mut(opener))
            {
                *target = index;
            }
            if let IrOperation::If(..) | IrOperation::Block(BlockEnd::Else) = step.action {
                open.push(index);
            }
        }
        for list in [&mut cleared, &mut constants] {
            list.sort_unstable();
            list.dedup();
        }
        let last_constant = program.register_use().constants.saturating_sub(1);
        let stage = program.program().stage();
        let rules = FloatRules::default();
        CompiledProgram { stage, steps, targets, cleared, constants, last_constant, rules }
    }

    /// Sets the float rules. Without this call, Direct3D 9's rules apply.
    #[must_use]
    pub fn with_float_rules(self, rules: FloatRules) -> CompiledProgram {
        CompiledProgram { rules, ..self }
    }

    /// Returns the stage of the program.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Returns whether the program has a `kil`, which discards lanes.
    pub fn discards(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.action, IrOperation::Kill(_)))
    }

    /// Returns the registers for a run, all zero.
    pub fn state(&self) -> AgalState {
        AgalState::new()
    }
}

/// Collects the temporaries and constants that a source with this number of rows reads.
fn note(read: &IrSource, rows: u8, cleared: &mut Vec<u16>, constants: &mut Vec<u16>) {
    let (file, number, rows) = match read.address {
        Address::Direct(file, number) => (file, number, rows),
        Address::Indirect { file, number, .. } => (file, number, 1),
    };
    let registers = (number..).take(rows.into());
    match file {
        RegisterFile::Temporary => {
            cleared.extend(registers.filter_map(|number| slot(file, number)))
        }
        RegisterFile::Constant => constants.extend(registers),
        _ => {}
    }
}
