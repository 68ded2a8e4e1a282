//! Rules 49 to 57: blocks, subroutines, loops.

use std::collections::{BTreeMap, BTreeSet};

use super::Checker;
use super::rule::Rule;
use super::state::Written;
use super::stream::takes_gradients;
use crate::opcode::{Flow as Kind, Kind as Shape, Opcode};
use crate::operand::Index;
use crate::program::{Instruction, MAX_BLOCKS, Program};
use crate::reads;
use crate::register::File;
use crate::version::Version;

/// An open block.
#[derive(Clone, Debug)]
struct Block {
    kind: Kind,
    /// Whether the condition may differ between pixels.
    dynamic: bool,
    /// The registers written before the block; after `else`, those written in the first branch.
    before: Written,
    has_else: bool,
}

/// A subroutine; collected before the check.
#[derive(Clone, Debug, Default)]
struct Body {
    writes: Written,
    calls: BTreeSet<u16>,
    uses_counter: bool,
    /// Call depth from here on, this subroutine included.
    depth: usize,
}

/// Maximum call depth that is followed: deeper calls recurse or exceed every limit anyway.
const DEEPEST: usize = 16;

/// State of the flow control rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    /// At most [`MAX_BLOCKS`].
    blocks: Vec<Block>,
    /// Number of open blocks inside of these.
    beyond: usize,
    bodies: BTreeMap<u16, Body>,
    /// Labels defined so far.
    defined: BTreeSet<u16>,
    called: BTreeSet<u16>,
    /// The instruction before was a `ret` outside of all blocks.
    returned: bool,
    /// The label of the current subroutine.
    inside: Option<u16>,
    static_count: u32,
}

impl Flow {
    pub(super) fn new(program: &Program) -> Flow {
        let mut bodies: BTreeMap<u16, Body> = BTreeMap::new();
        let mut inside = None;
        for (_, instruction) in program.instructions() {
            if instruction.opcode == Opcode::Label {
                inside = Some(instruction.source(0).number());
            }
            if let Some(label) = inside {
                let body = bodies.entry(label).or_default();
                body.add(instruction, program.version);
            }
        }
        // Adds the writes and the depth of callees to their callers; each round follows calls one level deeper.
        for _ in 0..=DEEPEST {
            let known = bodies.clone();
            let mut changed = false;
            for body in bodies.values_mut() {
                let before = (body.depth, body.writes.clone(), body.uses_counter);
                body.depth = 1;
                for callee in body.calls.iter().filter_map(|call| known.get(call)) {
                    body.writes.union(&callee.writes);
                    body.uses_counter |= callee.uses_counter;
                    body.depth = body.depth.max(callee.depth.saturating_add(1));
                }
                changed |= before != (body.depth, body.writes.clone(), body.uses_counter);
            }
            if !changed {
                break;
            }
        }
        Flow { bodies, ..Flow::default() }
    }

    /// Number of open blocks.
    pub(super) fn depth(&self) -> usize {
        self.blocks.len()
    }
    /// Whether the current instruction is under flow control that may differ between pixels.
    pub(super) fn is_dynamic(&self) -> bool {
        self.blocks.iter().any(|block| block.dynamic)
    }
    /// Whether `aL` may be read. A subroutine may read it: its callers are checked.
    pub(super) fn in_loop_with_counter(&self) -> bool {
        self.inside.is_some() || self.blocks.iter().any(|block| block.kind == Kind::Loop)
    }
    fn loops(&self) -> usize {
        let is_loop = |block: &&Block| matches!(block.kind, Kind::Loop | Kind::Rep);
        self.blocks.iter().filter(is_loop).count()
    }
    fn count(&self, dynamic: bool) -> usize {
        let is_if = |block: &&Block| matches!(block.kind, Kind::If | Kind::IfCompare);
        let same = |block: &&Block| (block.kind == Kind::IfCompare || block.dynamic) == dynamic;
        self.blocks.iter().filter(is_if).filter(same).count()
    }
}

impl Body {
    fn add(&mut self, instruction: &Instruction, version: Version) {
        let label = instruction.source(0).number();
        if matches!(instruction.opcode, Opcode::Call | Opcode::CallNz) {
            self.calls.insert(label);
        }
        let mut sources = instruction.sources().iter();
        self.uses_counter |= sources.any(|source| source.index(version) == Some(Index::Loop));
        if let Some(register) = instruction.dest_register(version)
            && reads::writes(instruction.opcode)
        {
            self.writes.add(register, reads::written(instruction));
        }
    }
}

impl Checker<'_> {
    pub(super) fn control_flow(&mut self, instruction: &Instruction) {
        let Shape::Flow(kind) = instruction.opcode.kind() else {
            if self.flow.returned {
                self.error(Rule::Return, "only a label can follow `ret`");
                self.flow.returned = false;
            }
            self.gradients(instruction);
            return;
        };
        let mut registers = instruction.registers(self.version);
        let predicate = registers.any(|register| register.file == File::Predicate);
        if self.flow.returned && kind != Kind::Label {
            self.error(Rule::Return, "only a label can follow `ret`");
        }
        let returned = std::mem::take(&mut self.flow.returned);
        match kind {
            Kind::If | Kind::IfCompare | Kind::Loop | Kind::Rep => {
                self.open(kind, predicate || kind == Kind::IfCompare);
            }
            Kind::Else => self.other_branch(),
            Kind::EndIf | Kind::EndLoop | Kind::EndRep => self.close(kind),
            Kind::Break | Kind::BreakCompare | Kind::BreakPredicate => self.leave(kind),
            Kind::Call | Kind::CallNz => self.call(instruction, predicate),
            Kind::Label => self.label(instruction.source(0).number(), returned),
            Kind::Ret => {
                if !self.flow.blocks.is_empty() {
                    self.error(Rule::Return, "`ret` is inside a block");
                }
                self.flow.returned = true;
            }
        }
        self.loop_values(instruction, kind);
    }

    fn open(&mut self, kind: Kind, dynamic: bool) {
        self.flow.static_count += u32::from(!dynamic);
        if self.flow.blocks.len() == MAX_BLOCKS {
            self.flow.beyond += 1;
            return;
        }
        self.flow.blocks.push(Block {
            kind,
            dynamic,
            before: self.written.clone(),
            has_else: false,
        });
        self.depth(kind, dynamic);
    }

    /// The nesting limit (d3d9-shaders.md section 3.4).
    fn depth(&mut self, kind: Kind, dynamic: bool) {
        let caps = &self.options.caps;
        let unlimited = usize::MAX;
        let cap = |depth: u32| usize::try_from(depth).unwrap_or(unlimited);
        let (vertex, pixel) = (caps.vertex, caps.pixel);
        let (statics, dynamics, loops) = match self.version {
            Version::Vs20 => (unlimited, 0, 1),
            Version::Vs2x => (unlimited, cap(vertex.dynamic_depth), cap(vertex.static_depth)),
            Version::Ps2x => {
                let statics = if pixel.static_depth > 0 { 24 } else { 0 };
                (statics, cap(pixel.dynamic_depth), cap(pixel.static_depth))
            }
            _ => (24, 24, 4),
        };
        let (found, limit, what) = match kind {
            Kind::Loop | Kind::Rep => (self.flow.loops(), loops, "loops"),
            _ if dynamic => (self.flow.count(true), dynamics, "dynamic conditionals"),
            _ => (self.flow.count(false), statics, "static conditionals"),
        };
        if found > limit {
            let version = self.version;
            let message = format!("{found} nested {what}: {version} allows {limit}");
            self.error(Rule::Depth, message);
        }
        let counted = matches!(self.version, Version::Vs20 | Version::Vs2x);
        if counted && self.flow.static_count == 17 {
            self.error(Rule::Depth, "more than 16 static flow instructions");
        }
    }

    fn other_branch(&mut self) {
        match self.flow.blocks.last_mut() {
            _ if self.flow.beyond > 0 => {}
            Some(block) if matches!(block.kind, Kind::If | Kind::IfCompare) && !block.has_else => {
                block.has_else = true;
                std::mem::swap(&mut block.before, &mut self.written);
                self.flow.static_count += u32::from(!block.dynamic);
            }
            _ => self.error(Rule::Blocks, "`else` has no `if`"),
        }
    }

    fn close(&mut self, end: Kind) {
        let (name, fits): (_, &[Kind]) = match end {
            Kind::EndIf => ("endif", &[Kind::If, Kind::IfCompare]),
            Kind::EndLoop => ("endloop", &[Kind::Loop]),
            _ => ("endrep", &[Kind::Rep]),
        };
        if self.flow.beyond > 0 {
            self.flow.beyond -= 1;
            return;
        }
        match self.flow.blocks.pop() {
            Some(block) if fits.contains(&block.kind) => {
                if end == Kind::EndIf {
                    // After a conditional, only registers that both branches wrote count as written [C].
                    self.written.intersect(&block.before);
                }
            }
            _ => self.error(Rule::Blocks, format!("`{name}` has no matching start of a block")),
        }
    }

    fn leave(&mut self, kind: Kind) {
        if self.flow.loops() == 0 {
            self.error(Rule::Break, "`break` is outside of a loop");
            return;
        }
        if kind == Kind::Break {
            self.written.fill();
            return;
        }
        // From here on, pixels may differ in their number of iterations.
        let is_loop = |block: &&mut Block| matches!(block.kind, Kind::Loop | Kind::Rep);
        if let Some(block) = self.flow.blocks.iter_mut().rev().find(is_loop) {
            block.dynamic = true;
        }
    }

    fn call(&mut self, instruction: &Instruction, dynamic: bool) {
        let label = instruction.source(0).number();
        self.flow.static_count += u32::from(!dynamic);
        self.flow.called.insert(label);
        let Some(body) = self.flow.bodies.get(&label) else {
            self.error(Rule::Labels, format!("label l{label} does not exist"));
            return;
        };
        let (counter, depth) = (body.uses_counter, body.depth);
        let writes = body.writes.clone();
        if counter && !self.flow.in_loop_with_counter() {
            let message = format!("l{label} reads aL, but is called outside of a loop");
            self.error(Rule::LoopCalls, message);
        }
        let limit = match self.version {
            Version::Vs20 => 1,
            Version::Ps2x => self.options.caps.pixel.static_depth,
            Version::Vs2x => self.options.caps.vertex.static_depth,
            _ => 4,
        };
        if self.flow.inside.is_none() {
            first! { self;
                error Calls if depth > DEEPEST => "l{label} calls itself";
                error Calls if depth > usize::try_from(limit).unwrap_or(usize::MAX) =>
                    "the call depth is {depth}: {} allows {limit}", self.version;
            }
        }
        if instruction.opcode == Opcode::Call {
            self.written.union(&writes);
        }
    }

    fn label(&mut self, label: u16, after_ret: bool) {
        if !self.flow.blocks.is_empty() {
            self.error(Rule::Blocks, "a label is inside a block");
            self.flow.blocks.clear();
            self.flow.beyond = 0;
        }
        first! { self; error Labels if !self.flow.defined.insert(label) => "l{label} is defined twice"; }
        first! { self; error Labels if !after_ret => "l{label} does not follow a `ret`"; }
        self.flow.inside = Some(label);
    }

    /// Rule 57: gradients under dynamic flow control.
    fn gradients(&mut self, instruction: &Instruction) {
        if !takes_gradients(instruction.opcode) || self.version.major() == 1 {
            return;
        }
        let first = instruction.source(0).register(self.version);
        if first.is_none_or(|register| register.file != File::Temp) {
            return;
        }
        let name = instruction.opcode.name(self.version);
        first! { self;
            error Gradients if self.flow.is_dynamic() => "`{name}` takes gradients of a temporary in dynamic flow control";
            warning Gradients if instruction.predicate.is_some() => "`{name}` takes gradients of a temporary under a predicate";
        }
    }

    /// Rule 56: the ranges of `defi` values that loops use.
    fn loop_values(&mut self, instruction: &Instruction, kind: Kind) {
        let source = match kind {
            Kind::Loop => instruction.source(1),
            Kind::Rep => instruction.source(0),
            _ => return,
        };
        let number = source.number();
        let Some([count, start, step, w]) = self.declared.integers.get(&number).copied() else {
            return;
        };
        let fine = (0..=255).contains(&count)
            && (kind == Kind::Rep
                || (0..=255).contains(&start) && (-128..=127).contains(&step) && w == 0);
        first! { self;
            error LoopValues if !fine && !self.version.is_software() =>
                "i{number} = {count}, {start}, {step}, {w} is out of range for a loop";
        }
    }

    pub(super) fn flow_end(&mut self) {
        if !self.flow.blocks.is_empty() {
            let count = self.flow.blocks.len() + self.flow.beyond;
            self.error(Rule::Blocks, format!("{count} blocks are not closed at the end"));
        }
        if self.flow.inside.is_some() && !self.flow.returned {
            self.error(Rule::Return, "the last subroutine has no `ret`");
        }
        let (defined, called) = (&self.flow.defined, &self.flow.called);
        for label in defined.difference(called).copied().collect::<Vec<_>>() {
            self.warning(Rule::Labels, format!("l{label} is never called"));
        }
    }
}
