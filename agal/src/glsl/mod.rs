//! Translates a [`LinkedPair`] to GLSL. The input is a checked pair and the host's [`GlslOptions`]; the result is a vertex
//! and a fragment shader. The only error is known in advance: a [`Feature`] that the pair uses and the [`Dialect`]
//! lacks.
//!
//! Each AGAL instruction becomes one statement: a masked assignment of an expression over swizzled registers. GLSL
//! evaluates the right side first, so a destination may also be a source. Arithmetic follows the float rules of the options.
//!
//! Conventions that the host relies on:
//! * names and locations: see [`DIALECTS`];
//! * every surface has its top row first in memory, so the vertex shader mirrors y.

mod declare;
mod dialect;
mod flow;
mod lower;
mod names;
mod operand;
mod sample;
mod words;

use agal_core::glsl::position;
use agal_core::output::Output;

use crate::asm;
use crate::float::{FloatRules, Limit};
use crate::ir::{Action, Step};
use crate::isa::opcode::{Block, Unary};
use crate::isa::operand::WriteMask;
use crate::link::LinkedPair;
use crate::liveness::Liveness;
use crate::validate::ValidProgram;
use crate::version::Stage;

pub use agal_core::glsl::{ClipDepth, Dialect, Outputs, Support};
pub use dialect::{COMPLETE, DIALECTS, Feature, MissingFeature, constants};

/// Properties of the host that the emitter needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlslOptions {
    /// The GLSL dialect. It also determines what the host must bind by name.
    pub dialect: Dialect,
    /// The range of z in clip space that the driver clips to.
    pub clip_depth: ClipDepth,
    /// Offset of the position to the left and down, in clip space (times w); 0 for none. It determines which texel is
    /// read where a texel's edge coincides with a pixel centre.
    pub position_bias: f32,
    /// The rules of arithmetic at the edges of floats; Flash's content needs [`FloatRules::Direct3D9`].
    pub float_rules: FloatRules,
    /// Adds the AGAL of each line as a comment.
    pub comments: bool,
}

impl GlslOptions {
    /// Returns the options with depth from 0 to 1, no bias, no comments and Direct3D 9's float rules.
    pub const fn new(dialect: Dialect) -> GlslOptions {
        GlslOptions {
            dialect,
            clip_depth: ClipDepth::ZeroToOne,
            position_bias: 0.0,
            float_rules: FloatRules::Direct3D9,
            comments: false,
        }
    }
}

/// A pair as two shaders of GLSL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlslPair {
    /// The source of the vertex shader.
    pub vertex: String,
    /// The source of the fragment shader.
    pub fragment: String,
}

/// Translates a pair.
///
/// # Errors
/// [`MissingFeature`] if the pair uses a feature that the dialect lacks, never for those in [`COMPLETE`]. `validate`
/// and `link` have rejected all other errors.
pub fn emit(pair: &LinkedPair, options: &GlslOptions) -> Result<GlslPair, MissingFeature> {
    dialect::check(pair, options.dialect)?;
    Ok(GlslPair {
        vertex: Emitter::new(pair, pair.vertex(), Stage::Vertex, options).shader(),
        fragment: Emitter::new(pair, pair.fragment(), Stage::Fragment, options).shader(),
    })
}

/// Approximate length of a statement. Longer ones grow the buffer.
const BYTES_PER_TOKEN: usize = 48;

struct Emitter<'a> {
    out: Output,
    pair: &'a LinkedPair,
    program: &'a ValidProgram,
    stage: Stage,
    options: &'a GlslOptions,
    dialect: Dialect,
    liveness: Liveness,
    /// By element of the array of constants: the register.
    constants: Vec<u16>,
}

impl<'a> Emitter<'a> {
    fn new(
        pair: &'a LinkedPair,
        program: &'a ValidProgram,
        stage: Stage,
        options: &'a GlslOptions,
    ) -> Emitter<'a> {
        let varyings = match stage {
            Stage::Vertex => pair.interface().varyings,
            Stage::Fragment => 0,
        };
        let liveness = Liveness::of(program, varyings);
        Emitter {
            out: Output::new(512 + BYTES_PER_TOKEN * program.steps().len()),
            pair,
            program,
            stage,
            options,
            dialect: options.dialect,
            liveness,
            constants: constants(pair.interface(), stage, options.dialect),
        }
    }

    fn shader(mut self) -> String {
        self.header();
        self.globals();
        self.helpers();
        self.out.push_str("void main() {\n");
        self.out.depth = 1;
        self.locals();
        let program = self.program;
        for (step, token) in program.steps().iter().zip(program.program().instructions()) {
            self.statement(step);
            if self.options.comments {
                // The exact text of a valid instruction.
                let text = asm::instruction_text(token, self.stage).unwrap_or_default();
                self.out.put(&[" // ", &text]);
            }
            self.out.push('\n');
        }
        self.epilogue();
        self.out.push_str("}\n");
        self.out.text
    }

    /// Writes the code after the last statement: the position in GL's clip space, with y mirrored because surfaces have
    /// their top row first; or the delayed discard of `kil`, and the limits of the depth.
    fn epilogue(&mut self) {
        match self.stage {
            Stage::Vertex => {
                let (op, bias) = (names::POSITION, self.options.position_bias);
                let xy = if bias == 0.0 {
                    format!("{op}.x, -{op}.y")
                } else {
                    format!("{op}.x - {bias:?} * {op}.w, {bias:?} * {op}.w - {op}.y")
                };
                self.out.put(&["    ", &position(op, self.options.clip_depth, &xy), "\n"]);
            }
            Stage::Fragment => {
                if self.liveness.late_kill {
                    self.out.put(&["    if (", names::KILLED, ") discard;\n"]);
                }
                // Drivers store NaN and infinities as they like [agal.float.stored_nan].
                if self.pair.interface().depth_output {
                    let depth = self.dialect.features().depth_output.word;
                    self.out.put(&["    ", depth, " = clamp(", depth, ", 0.0, 1.0);\n"]);
                }
            }
        }
    }

    fn statement(&mut self, step: &Step) {
        match &step.action {
            Action::Block(Block::Else) => self.out.else_block(),
            Action::Block(Block::End) => self.out.end_block("}"),
            Action::If(relation, a, b) => self.open(*relation, a, b),
            Action::Kill(a) => self.kill(a),
            Action::Unary(..) | Action::Binary(..) | Action::Sample(..) => self.assignment(step),
        }
    }

    fn assignment(&mut self, step: &Step) {
        let Some(dest) = step.action.dest() else {
            return;
        };
        self.out.indent();
        self.dest(&dest);
        self.out.push_str(" = ");
        let limit = if step.limited { Limit::Both } else { Limit::None };
        self.limited(limit, |out| match &step.action {
            Action::Unary(Unary::Normalize, _, a) => out.normalize(dest.mask, a),
            Action::Unary(Unary::Formula(formula), _, a) => {
                out.formula(words::unary(*formula), dest.mask, &[a]);
            }
            Action::Unary(Unary::Derivative(derivative), _, a) => {
                out.formula(words::derivative(*derivative), dest.mask, &[a]);
            }
            Action::Binary(op, _, a, b) => out.binary(*op, dest.mask, a, b),
            Action::Sample(lookup, _, coordinates, sampler) => {
                out.texture(step, *lookup, coordinates, sampler);
                out.out.components(dest.mask);
            }
            Action::Block(_) | Action::Kill(_) | Action::If(..) => {}
        });
        self.out.push(';');
    }

    /// Writes a value within its limits, if the float rules have any.
    #[inline(always)]
    fn limited(&mut self, limit: Limit, value: impl FnOnce(&mut Self)) {
        let [before, after] = match self.options.float_rules.limit(limit) {
            Limit::None => [""; 2],
            Limit::Above => ["min(", ", agal_largest)"],
            Limit::Both => ["clamp(", ", -agal_largest, agal_largest)"],
        };
        if !before.is_empty() {
            self.out.push_str(before);
        }
        value(self);
        if !after.is_empty() {
            self.out.push_str(after);
        }
    }

    /// Starts a constructor that copies a scalar to several components: `vec3(`. Returns whether one is needed.
    fn splat(&mut self, mask: WriteMask) -> bool {
        let constructor = match mask.len() {
            0 | 1 => return false,
            2 => "vec2(",
            3 => "vec3(",
            _ => "vec4(",
        };
        self.out.push_str(constructor);
        true
    }
}
