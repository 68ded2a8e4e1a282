//! A hull shader, split into state, shared resources, and phases with their declarations and code.

use std::collections::BTreeMap;
use std::fmt;

use crate::names::{
    Dimension, Domain, GlobalFlag, OutputPrimitive, Partitioning, SamplerMode, SystemName,
};
use crate::operand::OperandKind;
use crate::program::Instruction;
use crate::register::PhaseKind;

/// Identifies a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PhaseId {
    /// The kind of phase.
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

/// A declared input register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputDeclaration {
    /// The register file.
    pub kind: OperandKind,
    /// Size of the vertex axis, if the register has one.
    pub vertices: Option<u32>,
    /// The register number; 0 for registers without one.
    pub register: u32,
    /// Declared components, x = 1 … w = 8.
    pub mask: u8,
    /// Index of the declaration in the program.
    pub instruction_index: usize,
}

/// A declared output register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputDeclaration {
    /// The register number.
    pub register: u32,
    /// Declared components, x = 1 … w = 8.
    pub mask: u8,
    /// Its system value.
    pub system: Option<SystemName>,
    /// Index of the declaration in the program.
    pub instruction_index: usize,
}

/// A range of registers that may be addressed relatively (`dcl_indexrange`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRange {
    /// The register file.
    pub kind: OperandKind,
    /// The first register.
    pub first: u32,
    /// Number of registers.
    pub count: u32,
    /// Components, x = 1 … w = 8.
    pub mask: u8,
    /// Index of the declaration in the program.
    pub instruction_index: usize,
}

impl IndexRange {
    /// Whether the range contains a register.
    pub fn contains(&self, register: u32) -> bool {
        let offset = register.checked_sub(self.first);
        offset.is_some_and(|offset| offset < self.count)
    }
}

/// A declared indexable temporary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexableTemp {
    /// Number of elements.
    pub length: u32,
    /// Components per element.
    pub components: u32,
}

/// The jump target of an instruction, as an index into the phase's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Jump {
    /// No jump: the next instruction.
    Next,
    /// This instruction, if the jump is taken.
    To(usize),
    /// A target for each value.
    Switch {
        /// The target for each case value.
        cases: BTreeMap<u32, usize>,
        /// The target for other values.
        default: usize,
    },
}

/// A phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// Its kind and number.
    pub id: PhaseId,
    /// Index of its marker in the program.
    pub instruction_index: usize,
    /// Number of instances of a fork or join phase.
    pub instances: u32,
    /// Whether the number of instances was declared.
    pub instances_declared: bool,
    /// Number of temporaries.
    pub temps: u32,
    /// Indexable temporaries by number.
    pub indexable: BTreeMap<u32, IndexableTemp>,
    /// Input declarations.
    pub inputs: Vec<InputDeclaration>,
    /// Output declarations.
    pub outputs: Vec<OutputDeclaration>,
    /// Ranges of registers for relative addressing.
    pub ranges: Vec<IndexRange>,
    /// The components of each declared input and output register.
    pub(crate) masks: BTreeMap<(OperandKind, u32), u8>,
    /// The largest vertex axis with which a register file is declared.
    pub(crate) vertices: BTreeMap<OperandKind, u32>,
    /// The instructions, without declarations.
    pub code: Vec<Instruction>,
    /// Index of each instruction in the program.
    pub instruction_indices: Vec<usize>,
    /// The jump target of each instruction.
    pub jumps: Vec<Jump>,
}

impl Phase {
    /// Index in the program of the phase's instruction `number`; of the phase's marker if there is none.
    pub fn instruction_index_of(&self, number: usize) -> usize {
        let index = self.instruction_indices.get(number).copied();
        index.unwrap_or(self.instruction_index)
    }

    /// Declared components of an input register, as bits.
    pub fn input_mask(&self, kind: OperandKind, register: u32) -> u8 {
        self.masks.get(&(kind, register)).copied().unwrap_or(0)
    }

    /// Whether an input of this kind is declared.
    pub fn declares(&self, kind: OperandKind) -> bool {
        let mut registers = self.masks.range((kind, 0)..=(kind, u32::MAX));
        registers.next().is_some()
    }

    /// Declared components of an output register, as bits.
    pub fn output_mask(&self, register: u32) -> u8 {
        self.input_mask(OperandKind::Output, register)
    }

    pub(crate) fn declare_input(&mut self, input: InputDeclaration) {
        *self.masks.entry((input.kind, input.register)).or_default() |= input.mask;
        if let Some(vertices) = input.vertices {
            let largest = self.vertices.entry(input.kind).or_default();
            *largest = vertices.max(*largest);
        }
        self.inputs.push(input);
    }

    pub(crate) fn declare_output(&mut self, output: OutputDeclaration) {
        let key = (OperandKind::Output, output.register);
        *self.masks.entry(key).or_default() |= output.mask;
        self.outputs.push(output);
    }
}

/// A declared constant buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The number in `cb#`; in shader model 5.1 the id in `CB#`, as for all bindings.
    pub slot: u32,
    /// Size in registers; 0 if unknown.
    pub size: u32,
    /// Whether it is declared `dynamicIndexed`, for relative addressing.
    pub dynamic: bool,
    /// Whether it is a range of several registers, which only shader model 5.1 has.
    pub ranged: bool,
}

/// A declared sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerDeclaration {
    /// The number in `s#`.
    pub slot: u32,
    /// The sampler mode.
    pub mode: SamplerMode,
    /// Whether it is a range of several registers, which only shader model 5.1 has.
    pub ranged: bool,
}

/// A declared resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceDeclaration {
    /// The number in `t#`.
    pub slot: u32,
    /// Its dimension.
    pub dimension: Dimension,
    /// Bytes per element of a structured buffer.
    pub stride: u32,
    /// The return type of the first component of a typed resource, as its number in tokens.
    pub return_type: u32,
    /// Whether it is a range of several registers, which only shader model 5.1 has.
    pub ranged: bool,
}

/// The location of a tessellation factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactorLocation {
    /// The factor.
    pub name: SystemName,
    /// The patch constant register.
    pub register: u32,
    /// Its component: x = 0 … w = 3.
    pub component: u8,
}

/// A hull shader, split into declarations and phases.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// Minor version of shader model 5.
    pub minor: u8,
    /// Number of input control points.
    pub input_points: u32,
    /// Number of output control points.
    pub output_points: u32,
    /// The tessellator's domain.
    pub domain: Domain,
    /// The tessellator's partitioning.
    pub partitioning: Partitioning,
    /// The tessellator's output primitive.
    pub primitive: OutputPrimitive,
    /// The declared maximum tessellation factor.
    pub max_factor: Option<f32>,
    /// Global flags.
    pub flags: Vec<GlobalFlag>,
    /// The immediate constant buffer.
    pub constants: Vec<[u32; 4]>,
    /// Constant buffers by slot.
    pub buffers: BTreeMap<u32, Buffer>,
    /// Samplers by slot.
    pub samplers: BTreeMap<u32, SamplerDeclaration>,
    /// Resources by slot.
    pub resources: BTreeMap<u32, ResourceDeclaration>,
    /// The phases in program order.
    pub phases: Vec<Phase>,
    /// The locations of the domain's tessellation factors, edges first.
    pub factors: Vec<FactorLocation>,
    /// Registers per input control point, from the signature; at most 32, as of the others.
    pub input_registers: u32,
    /// Registers per output control point, from the signature.
    pub output_registers: u32,
    /// Registers of the patch constants, from the signature.
    pub patch_registers: u32,
}

impl Hull {
    /// A shader without declarations and phases, to start from.
    pub(crate) fn empty() -> Hull {
        Hull {
            minor: 0,
            input_points: 0,
            output_points: 0,
            domain: Domain::Tri,
            partitioning: Partitioning::Integer,
            primitive: OutputPrimitive::Point,
            max_factor: None,
            flags: Vec::new(),
            constants: Vec::new(),
            buffers: BTreeMap::new(),
            samplers: BTreeMap::new(),
            resources: BTreeMap::new(),
            phases: Vec::new(),
            factors: Vec::new(),
            input_registers: 0,
            output_registers: 0,
            patch_registers: 0,
        }
    }

    /// The control point phase, if there is one.
    pub fn control_point_phase(&self) -> Option<&Phase> {
        let mut phases = self.phases.iter();
        phases.find(|phase| phase.id.kind == PhaseKind::ControlPoint)
    }

    /// The edge factors and the inside factors.
    pub(crate) fn split_factors(&self) -> (&[FactorLocation], &[FactorLocation]) {
        let edges = self.domain.edges().len();
        self.factors.split_at_checked(edges).unwrap_or_default()
    }

    /// Whether the input control points are also the output control points: there is no control point phase, and as
    /// many go out as come in (hs-5-0.md, R25).
    pub fn passes_through(&self) -> bool {
        self.control_point_phase().is_none() && self.output_points > 0
    }

    /// A constant buffer.
    pub fn buffer(&self, slot: u32) -> Option<&Buffer> {
        self.buffers.get(&slot)
    }

    /// A resource.
    pub fn resource(&self, slot: u32) -> Option<&ResourceDeclaration> {
        self.resources.get(&slot)
    }

    /// A sampler.
    pub fn sampler(&self, slot: u32) -> Option<&SamplerDeclaration> {
        self.samplers.get(&slot)
    }

    /// Number of extra indices of a binding in shader model 5.1: its register, after the id.
    pub(crate) fn more_indices(&self) -> usize {
        usize::from(self.minor > 0)
    }
}
