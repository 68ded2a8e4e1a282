//! [`Program`] to [`Kernel`]: operands are resolved and jumps known. Done once.

use std::collections::BTreeMap;

use super::{RunError, State};
use crate::opcode::{Comparison, Flow, Kind, Literal, Opcode};
use crate::operand::{
    Declaration, Dest, Dimension, Index, Modifier, Source as Word, Swizzle, WriteMask,
};
use crate::program::{Instruction, Item, Program};
use crate::reads;
use crate::register::{File, Register as Place};
use crate::version::Version;

/// A shader made ready to run. Shared freely between threads; each needs a [`State`] of its own.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(super) version: Version,
    pub(super) steps: Vec<Op>,
    pub(super) floats: BTreeMap<u16, [f32; 4]>,
    pub(super) integers: BTreeMap<u16, [i32; 4]>,
    pub(super) booleans: BTreeMap<u16, bool>,
    pub(super) dimensions: [Dimension; 16],
}

/// One instruction.
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
    /// Where blocks go on, and calls: the place of the matching `else` or end, of the opener, of the label.
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
    /// `texkill` and its kind read what stands here.
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
    /// Compiles a shader. It need not be valid, only run: registers that are not there read zero.
    ///
    /// # Errors
    /// [`RunError`] where words are no instruction, or flow control has no meaning.
    pub fn new(program: &Program) -> Result<Kernel, RunError> {
        let mut kernel = Kernel {
            version: program.version,
            steps: Vec::new(),
            floats: BTreeMap::new(),
            integers: BTreeMap::new(),
            booleans: BTreeMap::new(),
            dimensions: [Dimension::TwoD; 16],
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
        let invalid = |op: &Op| RunError::Invalid {
            instruction: op.number,
        };
        if let Some(op) = open.last().and_then(|place| kernel.steps.get(*place)) {
            return Err(invalid(op));
        }
        // Calls go forward: their labels are known now.
        for op in &mut kernel.steps {
            if let Kind::Flow(Flow::Call | Flow::CallNz) = op.kind {
                let label = op.source(0).map(|source| source.place.number);
                let place = label.and_then(|label| labels.get(&label));
                op.jump = *place.ok_or_else(|| invalid(op))?;
            }
        }
        Ok(kernel)
    }

    /// Registers for runs of this shader.
    pub fn state(&self) -> State {
        State::new(self.version.is_ps_1_1_to_1_3())
    }

    /// The version.
    pub fn version(&self) -> Version {
        self.version
    }

    /// `None`: blocks don't nest, or an operand has no meaning.
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
            Kind::Flow(Flow::If | Flow::IfCompare | Flow::Loop | Flow::Rep) => open.push(place),
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

    /// The opener of the innermost block learns where it ends. Gives the opener's place.
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
        let Some(register) = instruction.target(self.version) else {
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
