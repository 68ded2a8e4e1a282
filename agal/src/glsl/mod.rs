//! [`LinkedPair`] to GLSL. Goes in: a pair that passed every check, and what the emitter must know of the host. Comes
//! out: a vertex and a fragment shader. It cannot fail.
//!
//! Each AGAL instruction becomes one statement: a masked assignment of an expression over swizzled registers. GLSL
//! evaluates the right side first, so a destination may also be a source.
//!
//! Conventions that the host relies on:
//! * attributes `va<n>` at location n, varyings `v<n>`, constants `uniform vec4 vc[K]` and `fc[K]` with K from
//!   [`Interface`](crate::Interface), samplers `vs<n>` and `fs<n>`, colour outputs at location n;
//! * every surface has its top row first in memory, so the vertex shader mirrors y.

mod declare;
mod flow;
mod lower;
mod matrix;
mod names;
mod operand;
mod sample;

use std::fmt::Write as _;

use crate::asm;
use crate::checked::{Action, Step, Write, with_depth};
use crate::link::LinkedPair;
use crate::numerics;
use crate::opcode::{Lookup, Unary};
use crate::operand::WriteMask;
use crate::register::RegisterFile;
use crate::validate::ValidProgram;
use crate::version::Stage;

/// A GLSL dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `#version 330 core`
    Glsl330,
    /// `#version 300 es`
    Glsl300Es,
}

/// How the host's clip space is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClipDepth {
    /// The driver clips z to 0..w (`GL_ZERO_TO_ONE`): position passes through.
    ZeroToOne,
    /// The driver clips z to -w..w: the shader ends with `z = 2z - w`.
    MinusOneToOne,
}

/// What the emitter must know of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Dialect.
    pub dialect: Dialect,
    /// Clip space.
    pub clip_depth: ClipDepth,
    /// Trailing comment with the AGAL on each line.
    pub comments: bool,
}

/// The two shaders of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlslPair {
    /// Vertex shader.
    pub vertex: String,
    /// Fragment shader.
    pub fragment: String,
}

/// Translates a pair. Cannot fail: everything that could was refused by `validate` and `link`.
pub fn emit(pair: &LinkedPair, target: &Target) -> GlslPair {
    GlslPair {
        vertex: Emitter::new(pair, pair.vertex(), Stage::Vertex, target).shader(),
        fragment: Emitter::new(pair, pair.fragment(), Stage::Fragment, target).shader(),
    }
}

/// Appends formatted text. Writing to a `String` cannot fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {{
        let _ = write!($out, $($arg)*);
    }};
}
use put;

/// One shader being written.
struct Emitter<'a> {
    out: String,
    pair: &'a LinkedPair,
    program: &'a ValidProgram,
    stage: Stage,
    target: &'a Target,
    /// Conditionals that are open.
    depth: usize,
    /// `kil` only notes that the fragment is to go: a `discard` would make the derivatives after it undefined.
    late_kill: bool,
}

impl<'a> Emitter<'a> {
    fn new(
        pair: &'a LinkedPair,
        program: &'a ValidProgram,
        stage: Stage,
        target: &'a Target,
    ) -> Emitter<'a> {
        Emitter {
            // A statement is about twice the size of its token.
            out: String::with_capacity(512 + 64 * program.steps().len()),
            pair,
            program,
            stage,
            target,
            depth: 0,
            late_kill: derivatives_after_kill(program.steps()),
        }
    }

    fn shader(mut self) -> String {
        self.header();
        self.globals();
        self.helpers();
        self.out.push_str("void main() {\n");
        self.depth = 1;
        self.locals();
        let program = self.program;
        for (step, instruction) in program.steps().iter().zip(program.program().instructions()) {
            if self.statement(step) {
                if self.target.comments
                    && let Some(text) = asm::instruction_text(instruction, self.stage)
                {
                    put!(self.out, " // {text}");
                }
                self.out.push('\n');
            }
        }
        self.epilogue();
        self.out.push_str("}\n");
        self.out
    }

    /// What stands after the last statement: the position in GL's clip space, with y mirrored because surfaces have their
    /// top row first; or the discard that `kil` put off.
    fn epilogue(&mut self) {
        match self.stage {
            Stage::Vertex => {
                let op = names::POSITION;
                let z = match self.target.clip_depth {
                    ClipDepth::ZeroToOne => format!("{op}.z"),
                    ClipDepth::MinusOneToOne => format!("2.0 * {op}.z - {op}.w"),
                };
                let out = &mut self.out;
                let tie = numerics::TIE;
                put!(
                    out,
                    "    gl_Position = vec4({op}.x - {tie} * {op}.w, {tie} * {op}.w - {op}.y, {z}, {op}.w);\n"
                );
            }
            Stage::Fragment if self.late_kill => {
                put!(self.out, "    if ({}) discard;\n", names::KILLED);
            }
            Stage::Fragment => {}
        }
    }

    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.out.push_str("    ");
        }
    }

    /// Writes one statement without its line end. False where there is nothing to write.
    fn statement(&mut self, step: &Step) -> bool {
        match &step.action {
            Action::Block(block) => self.block(*block),
            Action::If(relation, a, b) => self.open(*relation, a, b),
            Action::Kill(a) => self.kill(a),
            Action::Unary(..) | Action::Binary(..) | Action::Sample(..) => {
                return self.assignment(step);
            }
        }
        true
    }

    fn assignment(&mut self, step: &Step) -> bool {
        let Some(dest) = step.action.dest().filter(|dest| !self.is_dead(dest)) else {
            return false;
        };
        self.indent();
        self.dest(&dest);
        self.out.push_str(" = ");
        match &step.action {
            Action::Unary(Unary::Normalize, _, a) => self.normalize(dest.mask, a),
            Action::Unary(Unary::Formula(formula) | Unary::Derivative(formula), _, a) => {
                self.formula(formula, dest.mask, a, a);
            }
            Action::Binary(op, _, a, b) => self.binary(*op, dest.mask, a, b),
            Action::Sample(lookup, _, coordinates, sampler) => {
                self.texture(step, *lookup, coordinates, sampler);
                self.components(dest.mask);
            }
            Action::Block(_) | Action::Kill(_) | Action::If(..) => {}
        }
        self.out.push(';');
        true
    }

    /// A varying that the fragment program does not read: not declared, so not written. Nothing can read it back.
    fn is_dead(&self, dest: &Write) -> bool {
        let bit = 1u16.checked_shl(dest.number.into()).unwrap_or(0);
        dest.file == RegisterFile::Varying && self.pair.interface().varyings & bit == 0
    }

    /// `.xyz` behind an expression with four components, nothing for all four.
    fn components(&mut self, mask: WriteMask) {
        if mask != WriteMask::ALL {
            self.out.push('.');
            self.out.extend(mask.iter().map(|c| c.letter()));
        }
    }

    /// Opens a constructor around a scalar that goes to several components: `vec3(`. Returns whether it did.
    fn splat(&mut self, mask: WriteMask) -> bool {
        let wide = mask.len() > 1;
        if wide {
            put!(self.out, "vec{}(", mask.len());
        }
        wide
    }
}

/// Does anything after a `kil` look at neighbouring fragments? Hoisted reads stand before it.
fn derivatives_after_kill(steps: &[Step]) -> bool {
    let mut after = with_depth(steps).skip_while(|(_, s)| !matches!(s.action, Action::Kill(_)));
    after.any(|(depth, step)| step.action.takes_derivatives() && !is_hoisted(depth, step))
}

/// A texture read in a conditional is done before everything else: its coordinates are a varying (3741), and derivatives
/// inside a conditional are undefined in GLSL.
fn is_hoisted(depth: usize, step: &Step) -> bool {
    depth > 0 && matches!(step.action, Action::Sample(Lookup::Implicit, ..))
}
