//! A hull shader, split into tessellator state, shared resources, and phases with declarations and code.

pub mod register;
pub mod rule;
pub mod unsupported;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use agal_core::{Component, WriteMask};

use crate::names::{Dimension, Domain, GlobalFlag, OutputPrimitive, Partitioning, SystemName};
use crate::tokens::operand::{HullOperand, OperandKind};
use crate::tokens::program::HullInstruction;
use register::PhaseKind;

/// Identifies a phase of a hull shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PhaseId {
    /// The type of the phase.
    pub kind: PhaseKind,
    /// The 0-based index among the phases of the same type.
    pub number: usize,
}

impl fmt::Display for PhaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            PhaseKind::ControlPoint => write!(f, "control point phase"),
            kind => write!(f, "{kind} phase {}", self.number),
        }
    }
}

/// A declared input or output register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegisterDeclaration {
    /// The register file of the register.
    pub kind: OperandKind,
    /// The length of the control point axis, if the register has this axis.
    pub vertices: Option<u32>,
    /// The register number; 0 for registers that aren't numbered.
    pub register: u32,
    /// The components that are declared.
    pub mask: WriteMask,
    /// The system value, if declared.
    pub system: Option<SystemName>,
    /// The index of the declaration in the program.
    pub instruction_index: usize,
}

impl RegisterDeclaration {
    /// Returns the tessellation factor that the declaration assigns to the register.
    pub fn factor(&self) -> Option<SystemName> {
        self.system.filter(|system| system.is_factor())
    }
}

/// A range of registers that may be addressed relatively (`dcl_indexrange`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DclIndexRange {
    /// The register file of the range.
    pub kind: OperandKind,
    /// The first register of the range.
    pub first: u32,
    /// The number of registers in the range.
    pub count: u32,
    /// The components that may be addressed relatively.
    pub mask: WriteMask,
    /// The index of the declaration in the program.
    pub instruction_index: usize,
}

impl DclIndexRange {
    /// Returns whether the range contains a register.
    pub fn contains(&self, register: u32) -> bool {
        let offset = register.checked_sub(self.first);
        offset.is_some_and(|offset| offset < self.count)
    }
    /// Returns the register number after the end of the range.
    pub(crate) fn end(&self) -> u64 {
        u64::from(self.first).saturating_add(self.count.into())
    }
}

/// An array of temporaries, `x#`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexableTemp {
    /// The number of elements of the array.
    pub length: u32,
    /// The number of components per element.
    pub components: u32,
}

/// The jump of an instruction; targets are indices into the phase's code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Jump {
    /// No jump: execution continues with the next instruction.
    #[default]
    Next,
    /// The target if the jump is taken.
    To(usize),
    /// The jump targets of a `switch`.
    Switch {
        /// The jump target for each case value.
        cases: BTreeMap<u32, usize>,
        /// The jump target for values without a case.
        default: usize,
    },
}

/// A code instruction of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HullStatement {
    /// The instruction with its operands.
    pub instruction: HullInstruction,
    /// The index of the instruction in the program.
    pub instruction_index: usize,
    /// The jump that the instruction may take.
    pub jump: Jump,
}

/// The declarations and instructions of a phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// The phase's type and index.
    pub id: PhaseId,
    /// The index in the program of the instruction that begins the phase.
    pub instruction_index: usize,
    /// The number of instances; 1 for the control point phase.
    pub instances: u32,
    /// The number of temporaries `r#` that the phase declares.
    pub temps: u32,
    /// The arrays of temporaries `x#`, by register number.
    pub indexable: BTreeMap<u32, IndexableTemp>,
    /// The input registers that the phase declares.
    pub inputs: Vec<RegisterDeclaration>,
    /// The output registers that the phase declares.
    pub outputs: Vec<RegisterDeclaration>,
    /// The ranges of registers that may be addressed relatively.
    pub ranges: Vec<DclIndexRange>,
    /// The components of each declared input and output register.
    pub(crate) masks: BTreeMap<(OperandKind, u32), WriteMask>,
    /// The maximum length of the control point axis among the declarations of each register file.
    pub(crate) vertices: BTreeMap<OperandKind, u32>,
    /// The phase's instructions, without declarations.
    pub code: Vec<HullStatement>,
}

impl Phase {
    /// Returns the program index of the phase's instruction at `number`. If the phase has no such instruction, returns
    /// the program index of the phase's first token.
    pub fn instruction_index_of(&self, number: usize) -> usize {
        self.code.get(number).map_or(self.instruction_index, |found| found.instruction_index)
    }

    /// Returns the declared components of a register.
    pub fn mask(&self, kind: OperandKind, register: u32) -> WriteMask {
        self.masks.get(&(kind, register)).copied().unwrap_or_default()
    }

    /// Returns whether the phase declares any register of a register file.
    pub fn declares(&self, kind: OperandKind) -> bool {
        let mut registers = self.masks.range((kind, 0)..=(kind, u32::MAX));
        registers.next().is_some()
    }

    pub(crate) fn declare(&mut self, declared: RegisterDeclaration) {
        let mask = self.masks.entry((declared.kind, declared.register)).or_default();
        *mask = mask.union(declared.mask);
        if let Some(vertices) = declared.vertices {
            let largest = self.vertices.entry(declared.kind).or_default();
            *largest = vertices.max(*largest);
        }
        let output = declared.kind == OperandKind::Output;
        if output { &mut self.outputs } else { &mut self.inputs }.push(declared);
    }

    pub(crate) fn jump(&mut self, from: usize, to: Jump) {
        if let Some(statement) = self.code.get_mut(from) {
            statement.jump = to;
        }
    }
}

/// A declared constant buffer, sampler or resource, which all phases share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HullBinding {
    /// For constant buffers, the size in registers, or 0 if unknown. For structured buffers, the bytes per element.
    pub size: u32,
    /// The dimension of the resource, if the binding is a resource.
    pub dimension: Option<Dimension>,
    /// The return type of a typed resource's first component, as its code in tokens.
    pub return_type: u32,
    /// True for a range of registers, which requires shader model 5.1.
    pub ranged: bool,
}

/// The position of a tessellation factor in the patch constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactorLocation {
    /// The tessellation factor's system value.
    pub name: SystemName,
    /// The patch constant register that holds the factor.
    pub register: u32,
    /// The component of the register that holds the factor.
    pub component: Component,
}

/// A hull shader's declarations and phases.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hull {
    /// The minor version of shader model 5: 0 or 1.
    pub minor: u8,
    /// The number of input control points.
    pub input_points: u32,
    /// The number of output control points.
    pub output_points: u32,
    /// The tessellator domain: isoline, triangle or quad.
    pub domain: Domain,
    /// The partitioning of edges: integer, power of 2, or fractional.
    pub partitioning: Partitioning,
    /// The primitive type that the tessellator outputs.
    pub primitive: OutputPrimitive,
    /// The maximum tessellation factor, if declared.
    pub max_factor: Option<f32>,
    /// The flags of `dcl_globalFlags`.
    pub flags: BTreeSet<GlobalFlag>,
    /// The values of the immediate constant buffer.
    pub constants: Vec<[u32; 4]>,
    /// Constant buffers, samplers and resources by register file and slot; in shader model 5.1, by id instead of slot.
    pub bindings: BTreeMap<(OperandKind, u32), HullBinding>,
    /// The phases in the order of the program.
    pub phases: Vec<Phase>,
    /// The positions of the domain's tessellation factors, edges first.
    pub factors: Vec<FactorLocation>,
    /// The number of registers per input control point, from the signature; at most 32.
    pub input_registers: u32,
    /// The number of registers per output control point, from the signature.
    pub output_registers: u32,
    /// The number of patch constant registers, from the signature.
    pub patch_registers: u32,
}

impl Hull {
    /// Returns the control point phase, or `None` if control points are passed through.
    pub fn control_point_phase(&self) -> Option<&Phase> {
        let mut phases = self.phases.iter();
        phases.find(|phase| phase.id.kind == PhaseKind::ControlPoint)
    }

    /// Returns the fork and join phases, which write the patch constants.
    pub(crate) fn patch_phases(&self) -> impl Iterator<Item = &Phase> {
        let phases = self.phases.iter();
        phases.filter(|phase| phase.id.kind != PhaseKind::ControlPoint)
    }

    pub(crate) fn split_factors(&self) -> (&[FactorLocation], &[FactorLocation]) {
        let edges = self.domain.edges().len();
        self.factors.split_at_checked(edges).unwrap_or_default()
    }

    /// Returns whether input control points become the output control points, because the shader lacks a control point
    /// phase ([hs50.rule.r25]).
    pub fn passes_through(&self) -> bool {
        self.control_point_phase().is_none() && self.output_points > 0
    }

    /// Returns the bindings of a register file, by slot.
    pub fn bindings_of(&self, kind: OperandKind) -> impl Iterator<Item = (u32, &HullBinding)> {
        let bindings = self.bindings.range((kind, 0)..=(kind, u32::MAX));
        bindings.map(|((_, slot), binding)| (*slot, binding))
    }

    /// Returns the declared bindings that an operand may access: one for a constant index, all for a dynamic index.
    /// Resources must have the dimension that the instruction states ([hs50.resource.chosen]).
    pub(crate) fn choices(
        &self,
        operand: &HullOperand,
        instruction: &HullInstruction,
    ) -> impl Iterator<Item = (u32, HullBinding)> {
        let stated = instruction.dimension().filter(|_| operand.kind() == OperandKind::Resource);
        let own = operand.fixed(0);
        let all = self.bindings_of(operand.kind()).map(|(slot, binding)| (slot, *binding));
        all.filter(move |(slot, binding)| match own {
            Some(own) => *slot == own,
            None => stated.is_none_or(|stated| binding.dimension == Some(stated)),
        })
    }

    /// Returns the operand's binding, or `None` if its register file has no bindings.
    pub fn binding(&self, operand: &HullOperand) -> Option<&HullBinding> {
        self.bindings.get(&(operand.kind(), operand.fixed(0)?))
    }
}
