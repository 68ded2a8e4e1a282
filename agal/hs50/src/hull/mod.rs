//! A hull shader, split into state, shared resources, and phases with their declarations and code.

pub mod register;
pub mod rule;
pub mod unsupported;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use agal_core::{Component, WriteMask};

use crate::names::{Dimension, Domain, GlobalFlag, OutputPrimitive, Partitioning, SystemName};
use crate::tokens::operand::{Operand, OperandKind};
use crate::tokens::program::Instruction;
use register::PhaseKind;

/// A phase of a hull shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PhaseId {
    /// The kind of the phase.
    pub kind: PhaseKind,
    /// Its number among the phases of its kind, from 0.
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
pub struct Declaration {
    /// The register file.
    pub kind: OperandKind,
    /// Size of the vertex axis, if the register has one.
    pub vertices: Option<u32>,
    /// The register number; 0 for registers without one.
    pub register: u32,
    /// The declared components.
    pub mask: WriteMask,
    /// The system value, if the register has one.
    pub system: Option<SystemName>,
    /// The number of the declaration in the program.
    pub instruction_index: usize,
}

impl Declaration {
    /// Returns the tessellation factor that the register is declared as.
    pub fn factor(&self) -> Option<SystemName> {
        self.system.filter(|system| system.is_factor())
    }
}

/// A range of registers that may be addressed relatively (`dcl_indexrange`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRange {
    /// The register file.
    pub kind: OperandKind,
    /// The first register.
    pub first: u32,
    /// The number of registers.
    pub count: u32,
    /// The components that may be addressed.
    pub mask: WriteMask,
    /// The number of the declaration in the program.
    pub instruction_index: usize,
}

impl IndexRange {
    /// Returns whether a register is in the range.
    pub fn contains(&self, register: u32) -> bool {
        let offset = register.checked_sub(self.first);
        offset.is_some_and(|offset| offset < self.count)
    }
    /// Returns the number after that of the last register.
    pub(crate) fn end(&self) -> u64 {
        u64::from(self.first).saturating_add(self.count.into())
    }
}

/// An array of temporaries, `x#`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexableTemp {
    /// The number of elements.
    pub length: u32,
    /// The number of components of an element.
    pub components: u32,
}

/// The jump target of an instruction, as an index into the phase's code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Jump {
    /// No jump: the next instruction.
    #[default]
    Next,
    /// This instruction, if the jump is taken.
    To(usize),
    /// A target for each value of a switch.
    Switch {
        /// The targets by value.
        cases: BTreeMap<u32, usize>,
        /// The target of every other value.
        default: usize,
    },
}

/// An instruction of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The instruction with its operands.
    pub instruction: Instruction,
    /// The number of the instruction in the program.
    pub instruction_index: usize,
    /// The instruction that may follow instead of the next one.
    pub jump: Jump,
}

/// The declarations and instructions of a phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// The phase.
    pub id: PhaseId,
    /// The number of the instruction that begins the phase.
    pub instruction_index: usize,
    /// The number of instances; 1 for the control point phase.
    pub instances: u32,
    /// The number of temporaries `r#`.
    pub temps: u32,
    /// The arrays of temporaries by number.
    pub indexable: BTreeMap<u32, IndexableTemp>,
    /// The declared inputs.
    pub inputs: Vec<Declaration>,
    /// The declared outputs.
    pub outputs: Vec<Declaration>,
    /// The ranges of registers that may be addressed relatively.
    pub ranges: Vec<IndexRange>,
    /// The components of each declared input and output register.
    pub(crate) masks: BTreeMap<(OperandKind, u32), WriteMask>,
    /// The largest vertex axis with which a register file is declared.
    pub(crate) vertices: BTreeMap<OperandKind, u32>,
    /// The instructions without the declarations.
    pub code: Vec<Statement>,
}

impl Phase {
    /// Returns the index in the program of the phase's statement `number`, or of the phase's marker if there is no such
    /// statement.
    pub fn instruction_index_of(&self, number: usize) -> usize {
        self.code.get(number).map_or(self.instruction_index, |found| found.instruction_index)
    }

    /// Returns the declared components of a register.
    pub fn mask(&self, kind: OperandKind, register: u32) -> WriteMask {
        self.masks.get(&(kind, register)).copied().unwrap_or_default()
    }

    /// Returns whether the phase declares a register of a file.
    pub fn declares(&self, kind: OperandKind) -> bool {
        let mut registers = self.masks.range((kind, 0)..=(kind, u32::MAX));
        registers.next().is_some()
    }

    pub(crate) fn declare(&mut self, declared: Declaration) {
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
pub struct Binding {
    /// Registers of a constant buffer, 0 if unknown; bytes per element of a structured buffer.
    pub size: u32,
    /// The dimension of a resource.
    pub dimension: Option<Dimension>,
    /// The return type of the first component of a typed resource, as its number in tokens.
    pub return_type: u32,
    /// True for a range of several registers, which only shader model 5.1 has.
    pub ranged: bool,
}

/// The location of a tessellation factor in the patch constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactorLocation {
    /// The tessellation factor.
    pub name: SystemName,
    /// The number of the patch constant register.
    pub register: u32,
    /// The component of the register.
    pub component: Component,
}

/// The declarations and phases of a hull shader.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hull {
    /// The minor version of shader model 5: 0 or 1.
    pub minor: u8,
    /// The number of input control points.
    pub input_points: u32,
    /// The number of output control points.
    pub output_points: u32,
    /// The shape of the patch.
    pub domain: Domain,
    /// The rule by which factors become segments.
    pub partitioning: Partitioning,
    /// The primitives that the tessellator makes.
    pub primitive: OutputPrimitive,
    /// The largest tessellation factor, if the shader declares one.
    pub max_factor: Option<f32>,
    /// The global flags.
    pub flags: BTreeSet<GlobalFlag>,
    /// The rows of the immediate constant buffer.
    pub constants: Vec<[u32; 4]>,
    /// Constant buffers, samplers and resources by file and by slot; in shader model 5.1 by id.
    pub bindings: BTreeMap<(OperandKind, u32), Binding>,
    /// The phases in the order of the program.
    pub phases: Vec<Phase>,
    /// The locations of the domain's tessellation factors, edges first.
    pub factors: Vec<FactorLocation>,
    /// Registers per input control point, from the signature; at most 32.
    pub input_registers: u32,
    /// Registers per output control point, from the signature.
    pub output_registers: u32,
    /// Registers of patch constants, from the signature.
    pub patch_registers: u32,
}

impl Hull {
    /// Returns the control point phase, unless the shader passes the control points on.
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

    /// Returns whether the input control points are also the output control points, because there is no control point
    /// phase ([hs50.rule.r25]).
    pub fn passes_through(&self) -> bool {
        self.control_point_phase().is_none() && self.output_points > 0
    }

    /// Returns the bindings of a file by slot.
    pub fn bindings_of(&self, kind: OperandKind) -> impl Iterator<Item = (u32, &Binding)> {
        let bindings = self.bindings.range((kind, 0)..=(kind, u32::MAX));
        bindings.map(|((_, slot), binding)| (*slot, binding))
    }

    /// Returns the declared registers that an operand may name: its own, or where a register chooses, all of them.
    /// Resources are of the dimension that the instruction states ([hs50.resource.chosen]).
    pub(crate) fn choices(
        &self,
        operand: &Operand,
        instruction: &Instruction,
    ) -> impl Iterator<Item = (u32, Binding)> {
        let stated = instruction.dimension().filter(|_| operand.kind() == OperandKind::Resource);
        let own = operand.fixed(0);
        let all = self.bindings_of(operand.kind()).map(|(slot, binding)| (slot, *binding));
        all.filter(move |(slot, binding)| match own {
            Some(own) => *slot == own,
            None => stated.is_none_or(|stated| binding.dimension == Some(stated)),
        })
    }

    /// Returns the binding of an operand, if its file has bindings.
    pub fn binding(&self, operand: &Operand) -> Option<&Binding> {
        self.bindings.get(&(operand.kind(), operand.fixed(0)?))
    }
}
