//! Rules 49 to 57: control-flow blocks, subroutines and loops.

use std::collections::{BTreeMap, BTreeSet};

use super::D3d9Checker;
use super::paths::is_too_deep;
use super::rule::D3d9Rule;
use crate::dataflow::{self, WrittenComponents};
use crate::divergence::{divergent_derivatives, takes_derivatives};
use crate::opcode::{D3d9Opcode, FlowControl as Kind, Operation};
use crate::operand::AddressIndex;
use crate::program::{D3d9Instruction, D3d9Program};
use crate::register::ShaderFile;
use crate::version::ShaderVersion;

#[derive(Clone, Debug)]
struct FlowBlock {
    kind: Kind,
    /// True if pixels may evaluate the condition differently.
    dynamic: bool,
    /// The registers written before the block; after `else`, the registers written in the first branch.
    before: WrittenComponents,
    has_else: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct SubroutineBody {
    writes: WrittenComponents,
    calls: BTreeSet<u16>,
    uses_counter: bool,
    depth: usize,
}

/// Maximum call depth that the checker follows. Calls beyond this depth are recursive, or exceed the limit of every
/// version.
const DEEPEST: usize = 16;

#[derive(Clone, Debug, Default)]
pub(super) struct FlowState {
    /// The open blocks, at most [`MAX_BLOCKS`](crate::program::MAX_BLOCKS).
    blocks: Vec<FlowBlock>,
    /// Number of open blocks that aren't tracked, because they are nested too deeply.
    beyond: usize,
    bodies: BTreeMap<u16, SubroutineBody>,
    defined: BTreeSet<u16>,
    called: BTreeSet<u16>,
    /// True if the previous instruction was a `ret` outside of all blocks.
    returned: bool,
    inside: Option<u16>,
    static_count: u32,
    /// The indices of the instructions that take derivatives in dynamic flow control.
    divergent: BTreeSet<u32>,
}

impl FlowState {
    pub(super) fn new(program: &D3d9Program) -> FlowState {
        let mut bodies: BTreeMap<u16, SubroutineBody> = BTreeMap::new();
        let mut inside = None;
        for (_, instruction) in program.instructions() {
            if instruction.opcode == D3d9Opcode::Label {
                inside = Some(instruction.source(0).number());
            }
            if let Some(label) = inside {
                bodies.entry(label).or_default().add(instruction, program.version);
            }
        }
        // Propagates writes and call depth from callees to callers; each round covers calls one level deeper.
        for _ in 0..=DEEPEST {
            let known = bodies.clone();
            for body in bodies.values_mut() {
                body.depth = 1;
                for callee in body.calls.iter().filter_map(|call| known.get(call)) {
                    body.writes.union(&callee.writes);
                    body.uses_counter |= callee.uses_counter;
                    body.depth = body.depth.max(callee.depth.saturating_add(1));
                }
            }
            if bodies == known {
                break;
            }
        }
        FlowState { bodies, divergent: divergent_derivatives(program), ..FlowState::default() }
    }

    pub(super) fn depth(&self) -> usize {
        self.blocks.len()
    }
    /// Returns whether `aL` may be read. Returns true in subroutines, because the checker tests all calls of
    /// subroutines.
    pub(super) fn in_loop_with_counter(&self) -> bool {
        self.inside.is_some() || self.blocks.iter().any(|block| block.kind == Kind::Loop)
    }
    fn loops(&self) -> usize {
        self.blocks.iter().filter(|block| block.is_loop()).count()
    }
    fn conditionals(&self, dynamic: bool) -> usize {
        let same = |block: &&FlowBlock| (block.kind == Kind::IfCompare || block.dynamic) == dynamic;
        self.blocks.iter().filter(|block| !block.is_loop()).filter(same).count()
    }
}

impl FlowBlock {
    fn is_loop(&self) -> bool {
        matches!(self.kind, Kind::Loop | Kind::Rep)
    }
}

impl SubroutineBody {
    fn add(&mut self, instruction: &D3d9Instruction, version: ShaderVersion) {
        if matches!(instruction.opcode, D3d9Opcode::Call | D3d9Opcode::CallNz) {
            self.calls.insert(instruction.source(0).number());
        }
        let mut sources = instruction.sources().iter();
        self.uses_counter |=
            sources.any(|source| source.index(version) == Some(AddressIndex::Loop));
        if let Some((register, mask)) = dataflow::write(instruction, version) {
            self.writes.add(register, mask);
        }
    }
}

fn depth_of(cap: u32) -> usize {
    usize::try_from(cap).unwrap_or(usize::MAX)
}

impl D3d9Checker<'_> {
    pub(super) fn control_flow(&mut self, instruction: &D3d9Instruction) {
        let operation = instruction.opcode.operation();
        let returned = std::mem::take(&mut self.flow.returned);
        let follows = returned && operation != Operation::Flow(Kind::Label);
        report! { self; error Return if follows => "only a label can follow `ret`"; }
        let Operation::Flow(kind) = operation else { return self.gradients(instruction) };
        let dynamic = kind == Kind::IfCompare || instruction.tests_predicate(self.version);
        let blocks = self.flow.blocks.len();
        let too_deep = is_too_deep(kind, blocks, &mut self.flow.beyond);
        match kind {
            Kind::If | Kind::IfCompare | Kind::Loop | Kind::Rep => {
                self.flow.static_count += u32::from(!dynamic);
                if !too_deep {
                    let before = self.written.clone();
                    self.flow.blocks.push(FlowBlock { kind, dynamic, before, has_else: false });
                    self.depth(kind, dynamic);
                }
            }
            _ if too_deep => {}
            Kind::Else => self.other_branch(),
            Kind::EndIf | Kind::EndLoop | Kind::EndRep => self.close(instruction.opcode, kind),
            Kind::Break | Kind::BreakCompare | Kind::BreakPredicate => self.leave(kind),
            Kind::Call | Kind::CallNz => self.call(instruction, dynamic),
            Kind::Label => self.label(instruction.source(0).number(), returned),
            Kind::Ret => {
                report! { self; error Return if blocks > 0 => "`ret` is inside a block"; }
                self.flow.returned = true;
            }
        }
        self.loop_values(instruction, kind);
    }

    /// Checks the nesting depth of blocks ([d3d9.depth.blocks]).
    fn depth(&mut self, kind: Kind, dynamic: bool) {
        let (version, vertex, pixel) = (self.version, self.caps.vertex, self.caps.pixel);
        let (statics, dynamics, loops) = match version {
            ShaderVersion::Vs20 => (usize::MAX, 0, 1),
            ShaderVersion::Vs2x => {
                (usize::MAX, depth_of(vertex.dynamic_depth), depth_of(vertex.static_depth))
            }
            ShaderVersion::Ps2x => {
                let statics = if pixel.static_depth > 0 { 24 } else { 0 };
                (statics, depth_of(pixel.dynamic_depth), depth_of(pixel.static_depth))
            }
            _ => (24, 24, 4),
        };
        let (found, limit, what) = match kind {
            Kind::Loop | Kind::Rep => (self.flow.loops(), loops, "loops"),
            _ if dynamic => (self.flow.conditionals(true), dynamics, "dynamic conditionals"),
            _ => (self.flow.conditionals(false), statics, "static conditionals"),
        };
        let counted = matches!(version, ShaderVersion::Vs20 | ShaderVersion::Vs2x);
        report! { self;
            error Depth if found > limit => "{found} nested {what}: {version} allows {limit}";
            error Depth if counted && self.flow.static_count == 17 => "more than 16 static flow instructions";
        }
    }

    fn other_branch(&mut self) {
        match self.flow.blocks.last_mut() {
            Some(block) if !block.is_loop() && !block.has_else => {
                block.has_else = true;
                std::mem::swap(&mut block.before, &mut self.written);
                self.flow.static_count += u32::from(!block.dynamic);
            }
            _ => self.error(D3d9Rule::Blocks, "`else` has no `if`"),
        }
    }

    fn close(&mut self, opcode: D3d9Opcode, end: Kind) {
        let block = self.flow.blocks.pop().filter(|block| end.closes().contains(&block.kind));
        let name = opcode.mnemonic();
        report! { self; error Blocks if block.is_none() => "`{name}` has no matching start of a block"; }
        // After a conditional, a register counts as written only if both branches wrote the register [C].
        if let Some(block) = block.filter(|block| !block.is_loop()) {
            self.written.intersect(&block.before);
        }
    }

    fn leave(&mut self, kind: Kind) {
        if !self.flow.blocks.iter().any(FlowBlock::is_loop) {
            return self.error(D3d9Rule::Break, "`break` is outside of a loop");
        }
        if kind == Kind::Break {
            self.written.fill();
        }
    }

    fn call(&mut self, instruction: &D3d9Instruction, dynamic: bool) {
        let (version, label) = (self.version, instruction.source(0).number());
        self.flow.static_count += u32::from(!dynamic);
        self.flow.called.insert(label);
        let Some(body) = self.flow.bodies.get(&label).cloned() else {
            return self.error(D3d9Rule::Labels, format!("label l{label} does not exist"));
        };
        let outside = body.uses_counter && !self.flow.in_loop_with_counter();
        report! { self; error LoopCalls if outside => "l{label} reads aL, but is called outside of a loop"; }
        let limit = match version {
            ShaderVersion::Vs20 => 1,
            ShaderVersion::Ps2x => depth_of(self.caps.pixel.static_depth),
            ShaderVersion::Vs2x => depth_of(self.caps.vertex.static_depth),
            _ => 4,
        };
        let (main, depth) = (self.flow.inside.is_none(), body.depth);
        report! { self;
            error Calls if main && depth > DEEPEST => "l{label} calls itself";
            error Calls if main && depth > limit => "the call depth is {depth}: {version} allows {limit}";
        }
        if instruction.opcode == D3d9Opcode::Call {
            self.written.union(&body.writes);
        }
    }

    fn label(&mut self, label: u16, after_ret: bool) {
        if !self.flow.blocks.is_empty() {
            self.error(D3d9Rule::Blocks, "a label is inside a block");
            self.flow.blocks.clear();
            self.flow.beyond = 0;
        }
        let twice = !self.flow.defined.insert(label);
        report! { self;
            error Labels if twice => "l{label} is defined twice";
            error Labels if !after_ret => "l{label} does not follow a `ret`";
        }
        self.flow.inside = Some(label);
    }

    /// Checks rule 57: instructions that take derivatives in dynamic flow control.
    fn gradients(&mut self, instruction: &D3d9Instruction) {
        let first = instruction.source(0).register(self.version);
        let temporary = first.is_some_and(|register| register.file == ShaderFile::Temp);
        if !takes_derivatives(instruction, self.version) || !temporary {
            return;
        }
        let name = instruction.opcode.name(self.version);
        let dynamic = self.number.is_some_and(|number| self.flow.divergent.contains(&number));
        report! { self;
            error Gradients if dynamic => "`{name}` takes gradients of a temporary in dynamic flow control";
            warning Gradients if instruction.predicate.is_some() => "`{name}` takes gradients of a temporary under a predicate";
        }
    }

    /// Checks rule 56: the ranges of the `defi` constants that loops use.
    fn loop_values(&mut self, instruction: &D3d9Instruction, kind: Kind) {
        let source = match kind {
            Kind::Loop => instruction.source(1),
            Kind::Rep => instruction.source(0),
            _ => return,
        };
        let number = source.number();
        let Some([count, start, step, w]) = self.declared.integers.get(&number).copied() else {
            return;
        };
        let byte = 0..=255;
        let steps = byte.contains(&start) && (-128..=127).contains(&step) && w == 0;
        let wrong = !byte.contains(&count) || kind == Kind::Loop && !steps;
        report! { self; error LoopValues if wrong && !self.version.is_software() =>
        "i{number} = {count}, {start}, {step}, {w} is out of range for a loop"; }
    }

    pub(super) fn flow_end(&mut self) {
        let count = self.flow.blocks.len() + self.flow.beyond;
        let open = self.flow.inside.is_some() && !self.flow.returned;
        report! { self; error Blocks if count > 0 => "{count} blocks are not closed at the end"; }
        report! { self; error Return if open => "the last subroutine has no `ret`"; }
        let uncalled = self.flow.defined.difference(&self.flow.called);
        for label in uncalled.copied().collect::<Vec<_>>() {
            self.warning(D3d9Rule::Labels, format!("l{label} is never called"));
        }
    }
}
