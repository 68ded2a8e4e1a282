//! Compiles [`Program`] to [`Kernel`]: resolves operands and jump targets once.

use std::collections::BTreeMap;

use super::{RunError, State};
use crate::opcode::{Comparison, Flow, Kind, Literal, Opcode};
use crate::operand::{
    Declaration, Dest, Dimension, Index, Modifier, Source as Word, Swizzle, WriteMask,
};
use crate::program::{Instruction, Item, MAX_BLOCKS, Program};
use crate::reads;
use crate::register::{File, Register as Place};
use crate::version::Version;

/// A compiled shader. Threads can share it; each needs its own [`State`].
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(super) version: Version,
    pub(super) steps: Vec<Op>,
    pub(super) floats: BTreeMap<u16, [f32; 4]>,
    pub(super) integers: BTreeMap<u16, [i32; 4]>,
    pub(super) booleans: BTreeMap<u16, bool>,
    pub(super) dimensions: [Dimension; 16],
    /// Declared `v#`, as bits.
    pub(super) inputs: u16,
}

/// A compiled instruction.
#[derive(Clone, Debug)]
pub(super) struct Op {
    pub(super) number: u32,
    pub(super) opcode: Opcode,
    pub(super) kind: Kind,
    pub(super) control: u8,
    pub(super) comparison: Option<Comparison>,
    pub(super) co_issued: bool,
    pub(super) target: Option<Target>,
    pub(super) sources: [Option<Source>; 4],
    pub(super) predicate: Option<Source>,
    /// Jump target of blocks and calls: the index of the matching `else` or end, of the block's start, or of the label.
    pub(super) jump: usize,
}

/// A destination.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) place: Place,
    pub(super) index: Option<Index>,
    pub(super) mask: WriteMask,
    pub(super) scale: f32,
    pub(super) saturate: bool,
    /// `texkill` and similar instructions read the destination.
    pub(super) written: bool,
}

/// A source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) place: Place,
    pub(super) index: Option<Index>,
    pub(super) swizzle: Swizzle,
    pub(super) modifier: Modifier,
}

impl Op {
    pub(super) fn source(&self, place: usize) -> Option<Source> {
        self.sources.get(place).copied().flatten()
    }
}

impl Kernel {
    /// Compiles a shader. It may be invalid as long as it can run: registers that don't exist read as zero.
    ///
    /// # Errors
    /// [`RunError`] where words aren't an instruction, or flow control is malformed.
    pub fn new(program: &Program) -> Result<Kernel, RunError> {
        let mut kernel = Kernel {
            version: program.version,
            steps: Vec::new(),
            floats: BTreeMap::new(),
            integers: BTreeMap::new(),
            booleans: BTreeMap::new(),
            dimensions: [Dimension::TwoD; 16],
            inputs: 0,
        };
        let mut labels = BTreeMap::new();
        let mut open: Vec<usize> = Vec::new();
        for (instruction, item) in program.numbered() {
            let invalid = RunError::Invalid { instruction };
            match item {
                Item::Comment(_) => {}
                Item::Malformed(_) => return Err(RunError::Malformed { instruction }),
                Item::Instruction(one) if !one.opcode.exists_in(program.version) => {
                    return Err(invalid);
                }
                Item::Instruction(one) => {
                    let added = kernel.add(instruction, one, &mut labels, &mut open);
                    added.ok_or(invalid)?;
                }
            }
        }
        let invalid = |op: &Op| RunError::Invalid { instruction: op.number };
        if let Some(op) = open.last().and_then(|place| kernel.steps.get(*place)) {
            return Err(invalid(op));
        }
        // Calls go forward, so their labels are resolved last.
        for op in &mut kernel.steps {
            if let Kind::Flow(Flow::Call | Flow::CallNz) = op.kind {
                let label = op.source(0).map(|source| source.place.number);
                let place = label.and_then(|label| labels.get(&label));
                op.jump = *place.ok_or_else(|| invalid(op))?;
            }
        }
        Ok(kernel)
    }

    /// Creates the registers for runs of this shader.
    pub fn state(&self) -> State {
        State::new(self.version.is_ps_1_1_to_1_3())
    }

    /// The shader's version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Adds an instruction; `None` if blocks don't nest or an operand is invalid.
    fn add(
        &mut self,
        number: u32,
        instruction: &Instruction,
        labels: &mut BTreeMap<u16, usize>,
        open: &mut Vec<usize>,
    ) -> Option<()> {
        let kind = instruction.opcode.kind();
        match kind {
            Kind::Dcl | Kind::Def(_) => {
                self.declare(instruction, kind);
                return Some(());
            }
            Kind::Nop | Kind::Meta => return Some(()),
            _ => {}
        }
        let place = self.steps.len();
        let mut op = self.op(number, instruction)?;
        match kind {
            Kind::Flow(Flow::Label) => {
                labels.entry(op.source(0)?.place.number).or_insert(place);
            }
            Kind::Flow(Flow::If | Flow::IfCompare | Flow::Loop | Flow::Rep) => {
                if open.len() == MAX_BLOCKS {
                    return None;
                }
                open.push(place);
            }
            Kind::Flow(Flow::Else) => {
                self.close(open, place, &[Flow::If, Flow::IfCompare])?;
                open.push(place);
            }
            Kind::Flow(Flow::EndIf) => {
                self.close(open, place, &[Flow::If, Flow::IfCompare, Flow::Else])?;
            }
            Kind::Flow(Flow::EndLoop) => op.jump = self.close(open, place, &[Flow::Loop])?,
            Kind::Flow(Flow::EndRep) => op.jump = self.close(open, place, &[Flow::Rep])?,
            Kind::Flow(Flow::Break | Flow::BreakCompare | Flow::BreakPredicate) => {
                let is_loop = |place: &&usize| {
                    let kind = self.steps.get(**place).map(|op| op.kind);
                    matches!(kind, Some(Kind::Flow(Flow::Loop | Flow::Rep)))
                };
                open.iter().rev().find(is_loop)?;
            }
            _ => {}
        }
        self.steps.push(op);
        Some(())
    }

    /// Closes the innermost block: sets its jump target to `end` and returns the index of its start.
    fn close(&mut self, open: &mut Vec<usize>, end: usize, of: &[Flow]) -> Option<usize> {
        let opener = open.pop()?;
        let op = self.steps.get_mut(opener)?;
        match op.kind {
            Kind::Flow(flow) if of.contains(&flow) => {
                op.jump = end;
                Some(opener)
            }
            _ => None,
        }
    }

    fn declare(&mut self, instruction: &Instruction, kind: Kind) {
        let Some(register) = instruction.dest_register(self.version) else {
            return;
        };
        let number = register.number;
        match (kind, register.file) {
            (Kind::Def(Literal::Float), File::Const) => {
                self.floats.insert(number, instruction.floats());
            }
            (Kind::Def(Literal::Integer), File::Integer) => {
                self.integers.insert(number, instruction.integers());
            }
            (Kind::Def(Literal::Boolean), File::Boolean) => {
                self.booleans.insert(number, instruction.boolean());
            }
            (_, File::Input) => {
                self.inputs |= 1u16.checked_shl(number.into()).unwrap_or(0);
            }
            (_, File::Sampler) => {
                let dimension = Declaration::dimension(instruction.declaration());
                if let Some(place) = self.dimensions.get_mut(usize::from(number)) {
                    *place = dimension.unwrap_or(Dimension::TwoD);
                }
            }
            _ => {}
        }
    }

    fn op(&self, number: u32, instruction: &Instruction) -> Option<Op> {
        let mut sources = [None; 4];
        for (slot, source) in sources.iter_mut().zip(instruction.sources()) {
            *slot = Some(self.source(*source)?);
        }
        let wanted = usize::from(instruction.opcode.sources(self.version));
        let disputed = instruction.opcode == Opcode::Sgn;
        if instruction.sources().len() < wanted && !disputed {
            return None;
        }
        let target = match instruction.dest {
            Some(dest) => Some(self.target(dest, instruction)?),
            None => None,
        };
        let predicate = match instruction.predicate {
            Some(source) => Some(self.source(source)?),
            None => None,
        };
        let comparison = instruction.comparison();
        if instruction.opcode.compares() && comparison.is_none() {
            return None;
        }
        Some(Op {
            number,
            opcode: instruction.opcode,
            kind: instruction.opcode.kind(),
            control: instruction.control(),
            comparison,
            co_issued: instruction.is_co_issued(),
            target,
            sources,
            predicate,
            jump: 0,
        })
    }

    fn source(&self, source: Word) -> Option<Source> {
        Some(Source {
            place: source.register(self.version)?,
            index: source.index(self.version),
            swizzle: source.swizzle(),
            modifier: source.modifier()?,
        })
    }

    fn target(&self, dest: Dest, instruction: &Instruction) -> Option<Target> {
        Some(Target {
            place: dest.register(self.version)?,
            index: dest.index(self.version),
            mask: match instruction.opcode.kind() {
                Kind::Texture(_) => dest.mask(),
                _ => reads::written(instruction),
            },
            scale: dest.scale(),
            saturate: dest.modifiers().has(crate::operand::Modifiers::SATURATE),
            written: reads::writes(instruction.opcode),
        })
    }
}
