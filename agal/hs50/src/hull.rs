//! A hull shader taken apart: state, shared resources, and phases with their declarations and code.

use std::collections::BTreeMap;
use std::fmt;

use crate::names::{
    Dimension, Domain, GlobalFlag, OutputPrimitive, Partitioning, SamplerMode, SystemName,
};
use crate::operand::OperandKind;
use crate::program::Instruction;
use crate::register::PhaseKind;

/// Where something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PhaseId {
    /// The kind of phase.
    pub kind: PhaseKind,
    /// Its number among those of its kind, from 0.
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

/// A register that is declared as an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputDeclaration {
    /// The register file.
    pub kind: OperandKind,
    /// The size of the vertex axis, where there is one.
    pub vertices: Option<u32>,
    /// The register's number; 0 for those without.
    pub register: u32,
    /// Declared components.
    pub mask: u8,
    /// The declaration's place in the program.
    pub place: usize,
}

/// A register that is declared as an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputDeclaration {
    /// The register's number.
    pub register: u32,
    /// Declared components.
    pub mask: u8,
    /// The system value that it carries.
    pub system: Option<SystemName>,
    /// The declaration's place in the program.
    pub place: usize,
}

/// Registers that may be indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRange {
    /// The register file.
    pub kind: OperandKind,
    /// The first register.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// Components.
    pub mask: u8,
    /// The declaration's place in the program.
    pub place: usize,
}

impl IndexRange {
    /// Is the register among them?
    pub fn contains(&self, register: u32) -> bool {
        let offset = register.checked_sub(self.first);
        offset.is_some_and(|offset| offset < self.count)
    }
}

/// An indexable temporary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexableTemp {
    /// Its elements.
    pub length: u32,
    /// Components of each.
    pub components: u32,
}

/// Where the code goes on after an instruction that may jump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Jump {
    /// To the next one, always.
    Next,
    /// To this one, if it jumps.
    To(usize),
    /// By a value.
    Switch {
        /// Each value and where its code begins.
        cases: Vec<(u32, usize)>,
        /// Where it goes on for other values.
        default: usize,
    },
}

/// One phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// What it is.
    pub id: PhaseId,
    /// Its marker's place in the program.
    pub place: usize,
    /// Instances, of fork and join phases.
    pub instances: u32,
    /// Was the number of instances declared?
    pub instances_declared: bool,
    /// Temporaries.
    pub temps: u32,
    /// Indexable temporaries by their number.
    pub indexable: BTreeMap<u32, IndexableTemp>,
    /// Inputs.
    pub inputs: Vec<InputDeclaration>,
    /// Outputs.
    pub outputs: Vec<OutputDeclaration>,
    /// Ranges of registers that may be indexed.
    pub ranges: Vec<IndexRange>,
    /// The instructions.
    pub code: Vec<Instruction>,
    /// Each instruction's place in the program.
    pub places: Vec<usize>,
    /// Where each instruction may jump.
    pub jumps: Vec<Jump>,
}

impl Phase {
    /// Declared components of an input register.
    pub fn input_mask(&self, kind: OperandKind, register: u32) -> u8 {
        let inputs = self.inputs.iter();
        let here = inputs.filter(|input| input.kind == kind && input.register == register);
        here.fold(0, |mask, input| mask | input.mask)
    }

    /// Is an input of this kind declared?
    pub fn declares(&self, kind: OperandKind) -> bool {
        self.inputs.iter().any(|input| input.kind == kind)
    }

    /// Declared components of an output register.
    pub fn output_mask(&self, register: u32) -> u8 {
        let outputs = self.outputs.iter();
        let here = outputs.filter(|output| output.register == register);
        here.fold(0, |mask, output| mask | output.mask)
    }
}

/// A constant buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// `cb` and this number; in shader model 5.1 the shader's own number `CB`, as of all bindings.
    pub slot: u32,
    /// Registers; 0: unknown.
    pub size: u32,
    /// Indexed by registers.
    pub dynamic: bool,
    /// A range of several registers, which only shader model 5.1 has.
    pub ranged: bool,
}

/// A sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerDeclaration {
    /// `s` and this number.
    pub slot: u32,
    /// How it samples.
    pub mode: SamplerMode,
    /// A range of several registers, which only shader model 5.1 has.
    pub ranged: bool,
}

/// A resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceDeclaration {
    /// `t` and this number.
    pub slot: u32,
    /// Its shape.
    pub dimension: Dimension,
    /// Bytes of an element, of structured buffers.
    pub stride: u32,
    /// The number of the first component's type, of typed resources.
    pub return_type: u32,
    /// A range of several registers, which only shader model 5.1 has.
    pub ranged: bool,
}

/// Where a tessellation factor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactorPlace {
    /// Which factor.
    pub name: SystemName,
    /// The patch constant register.
    pub register: u32,
    /// Its component.
    pub component: u8,
}

/// A hull shader taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// The minor version of shader model 5.
    pub minor: u8,
    /// Input control points.
    pub input_points: u32,
    /// Output control points.
    pub output_points: u32,
    /// What the tessellator divides.
    pub domain: Domain,
    /// How it places points.
    pub partitioning: Partitioning,
    /// What it makes.
    pub primitive: OutputPrimitive,
    /// The greatest factor that the program promises.
    pub max_factor: Option<f32>,
    /// Global flags.
    pub flags: Vec<GlobalFlag>,
    /// The immediate constant buffer.
    pub constants: Vec<[u32; 4]>,
    /// Constant buffers.
    pub buffers: Vec<Buffer>,
    /// Samplers.
    pub samplers: Vec<SamplerDeclaration>,
    /// Resources.
    pub resources: Vec<ResourceDeclaration>,
    /// The phases in their order.
    pub phases: Vec<Phase>,
    /// The factors that the domain has, edges first.
    pub factors: Vec<FactorPlace>,
    /// Registers of an input control point, by the signature.
    pub input_registers: u32,
    /// Registers of an output control point, by the signature.
    pub output_registers: u32,
    /// Registers of the patch constants, by the signature.
    pub patch_registers: u32,
}

impl Hull {
    /// A shader without anything: what is not known while a program is taken apart.
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
            buffers: Vec::new(),
            samplers: Vec::new(),
            resources: Vec::new(),
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

    /// The factors of the edges, and those of the inside.
    pub(crate) fn split_factors(&self) -> (&[FactorPlace], &[FactorPlace]) {
        let edges = self.domain.edges().len();
        self.factors.split_at_checked(edges).unwrap_or_default()
    }

    /// Are the input control points the output control points? True where there is no control point phase and as many go
    /// out as come in (hs-5-0.md, R25).
    pub fn passes_through(&self) -> bool {
        self.control_point_phase().is_none() && self.output_points > 0
    }

    /// A constant buffer.
    pub fn buffer(&self, slot: u32) -> Option<&Buffer> {
        self.buffers.iter().find(|buffer| buffer.slot == slot)
    }

    /// A resource.
    pub fn resource(&self, slot: u32) -> Option<&ResourceDeclaration> {
        self.resources.iter().find(|resource| resource.slot == slot)
    }

    /// A sampler.
    pub fn sampler(&self, slot: u32) -> Option<&SamplerDeclaration> {
        self.samplers.iter().find(|sampler| sampler.slot == slot)
    }

    /// Indices that shader model 5.1 adds to a binding's: its register, behind the shader's own number.
    pub(crate) fn more_indices(&self) -> usize {
        usize::from(self.minor > 0)
    }
}
