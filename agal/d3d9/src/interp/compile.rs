//! Compiles a [`D3d9Program`] to a [`CompiledShader`]: validates operands and resolves jump targets once.

use std::collections::BTreeMap;

use agal_core::float::FloatRules;

use super::{D3d9RunError, D3d9State};
use crate::dataflow;
use crate::declarations::Declarations;
use crate::opcode::{D3d9Opcode, FlowControl, Operation};
use crate::operand::{Source, WriteMask};
use crate::overflow::limited_sums;
use crate::program::{D3d9Instruction, D3d9Program, MAX_BLOCKS, StreamItem};
use crate::version::ShaderVersion;

/// A compiled shader. Threads can share the shader; each thread needs its own [`D3d9State`].
#[derive(Clone, Debug)]
pub struct CompiledShader {
    pub(super) version: ShaderVersion,
    pub(super) rules: FloatRules,
    pub(super) ops: Vec<Op>,
    pub(super) declared: Declarations,
}

/// An executable instruction with validated operands.
#[derive(Clone, Debug)]
pub(super) struct Op {
    pub(super) number: u32,
    pub(super) instruction: D3d9Instruction,
    pub(super) mask: WriteMask,
    /// The jump target of a block or call: the index of the matching `else`, block end, block start or label.
    pub(super) jump: usize,
    /// True if the instruction is a sum or product that the float rules limit.
    pub(super) limited: bool,
}

impl Op {
    pub(super) fn operation(&self) -> Operation {
        self.instruction.opcode.operation()
    }
    pub(super) fn source(&self, index: usize) -> Option<Source> {
        self.instruction.sources().get(index).copied()
    }
    pub(super) fn label(&self) -> u16 {
        self.instruction.source(0).number()
    }
}

impl CompiledShader {
    /// Compiles a shader. Accepts invalid shaders that can run: missing registers read as zero. Fails on malformed
    /// instructions and malformed flow control.
    pub fn new(program: &D3d9Program) -> Result<CompiledShader, D3d9RunError> {
        let declared = Declarations::of(program);
        let (version, rules) = (program.version, FloatRules::default());
        let mut compiled = CompiledShader { version, rules, ops: Vec::new(), declared };
        let mut labels = BTreeMap::new();
        let mut open: Vec<usize> = Vec::new();
        for (number, item) in program.numbered() {
            match item {
                StreamItem::Comment(_) => {}
                StreamItem::Malformed(_) => {
                    return Err(D3d9RunError::Malformed { instruction: number });
                }
                StreamItem::Instruction(instruction) => {
                    let added = compiled.add(number, instruction, &mut labels, &mut open);
                    added.ok_or(D3d9RunError::Invalid { instruction: number })?;
                }
            }
        }
        let invalid = |op: &Op| D3d9RunError::Invalid { instruction: op.number };
        if let Some(op) = open.last().and_then(|opener| compiled.ops.get(*opener)) {
            return Err(invalid(op));
        }
        // A subroutine's label follows all calls of the subroutine, so labels are resolved after all instructions.
        for op in &mut compiled.ops {
            if let Operation::Flow(FlowControl::Call | FlowControl::CallNz) = op.operation() {
                op.jump = *labels.get(&op.label()).ok_or_else(|| invalid(op))?;
            }
        }
        let limited = limited_sums(program);
        for op in &mut compiled.ops {
            op.limited = limited.contains(&op.number);
        }
        Ok(compiled)
    }

    /// Replaces the float rules; the default is Direct3D 9's rules ([agal.float.rules]).
    pub fn with_float_rules(self, rules: FloatRules) -> CompiledShader {
        CompiledShader { rules, ..self }
    }

    /// Creates the registers for running the shader.
    pub fn state(&self) -> D3d9State {
        D3d9State::new(self.version.is_ps_1_1_to_1_3())
    }

    /// Returns the shader version.
    pub fn version(&self) -> ShaderVersion {
        self.version
    }

    /// Adds an instruction. Returns `None` if blocks don't nest, or if the opcode or an operand is invalid.
    fn add(
        &mut self,
        number: u32,
        instruction: &D3d9Instruction,
        labels: &mut BTreeMap<u16, usize>,
        open: &mut Vec<usize>,
    ) -> Option<()> {
        let kind = instruction.opcode.operation();
        if !instruction.opcode.exists_in(self.version) {
            return None;
        }
        if instruction.opcode.is_declaration() || matches!(kind, Operation::Nop | Operation::Meta) {
            return Some(());
        }
        self.check_operands(instruction)?;
        let here = self.ops.len();
        let mask = match kind {
            Operation::Texture(_) => instruction.mask(),
            _ => dataflow::written(instruction),
        };
        let mut op = Op { number, instruction: instruction.clone(), mask, jump: 0, limited: false };
        if let Operation::Flow(flow) = kind {
            if flow == FlowControl::Label {
                labels.entry(op.label()).or_insert(here);
            }
            if !flow.closes().is_empty() {
                op.jump = open.pop()?;
                let opener = self.ops.get_mut(op.jump)?;
                let matches = |block: &FlowControl| opener.operation() == Operation::Flow(*block);
                flow.closes().iter().any(matches).then_some(())?;
                opener.jump = here;
            }
            if flow.opens() || flow == FlowControl::Else {
                (open.len() < MAX_BLOCKS).then_some(())?;
                open.push(here);
            }
            if flow.breaks() {
                let is_loop = |opener: &&usize| {
                    let kind = self.ops.get(**opener).map(Op::operation);
                    matches!(kind, Some(Operation::Flow(FlowControl::Loop | FlowControl::Rep)))
                };
                open.iter().rev().find(is_loop)?;
            }
        }
        self.ops.push(op);
        Some(())
    }

    fn check_operands(&self, instruction: &D3d9Instruction) -> Option<()> {
        for source in instruction.sources().iter().chain(&instruction.predicate) {
            source.register(self.version)?;
            source.modifier()?;
        }
        if let Some(dest) = instruction.dest {
            dest.register(self.version)?;
        }
        let opcode = instruction.opcode;
        // Reference sources disagree about the scratch registers of `sgn` in model 3 ([d3d9.operands.sgn]).
        let complete = instruction.sources().len() >= opcode.sources(self.version)
            || opcode == D3d9Opcode::Sgn;
        let compared = !opcode.compares() || instruction.comparison().is_some();
        (complete && compared).then_some(())
    }
}
