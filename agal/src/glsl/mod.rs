//! Translates a [`LinkedPair`] with the host's [`GlslOptions`] to a vertex and a fragment shader in GLSL. The only
//! possible error can be checked in advance: the pair uses a [`PairFeature`] that the [`Dialect`] lacks.
//!
//! Each AGAL instruction becomes one statement, which assigns an expression of swizzled registers to a mask. GLSL
//! evaluates the right side first, so a destination may also be a source. Arithmetic follows the float rules of the
//! options.
//!
//! The host can rely on these conventions:
//! * For names and locations, see [`DIALECTS`].
//! * The first row of every surface in memory is its top row, so the vertex shader mirrors y.

mod declare;
mod dialect;
mod writer;

use agal_core::glsl::position;

use crate::float::FloatRules;
use crate::link::LinkedPair;
use crate::version::Stage;
use crate::wgsl::WgslOptions;
use crate::wgsl::text::{KILLED, TextWriter};
use crate::wgsl::writer::{ShaderWriter as _, WgslShader};

pub use agal_core::glsl::{ClipDepth, Dialect, OutputDeclaration, Support};
pub use dialect::{COMPLETE, DIALECTS, MissingFeature, PairFeature, constants};

/// The host's options for the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlslOptions {
    /// The GLSL dialect, which also determines the names that the host must bind.
    pub dialect: Dialect,
    /// The range of z in clip space that the driver clips to.
    pub clip_depth: ClipDepth,
    /// The offset of the position to the left and down, in clip space (times w); 0 for none. If a texel edge coincides
    /// with a pixel centre, the offset determines which texel is read.
    pub position_bias: f32,
    /// The rules for zero, infinity and NaN. Flash's content needs [`FloatRules::Direct3D9`].
    pub float_rules: FloatRules,
    /// True to add the AGAL of each line as a comment.
    pub comments: bool,
}

impl GlslOptions {
    /// Returns options for a dialect with depth from 0 to 1, no bias, no comments and Direct3D 9's float rules.
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

/// The two GLSL shaders of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlslPair {
    /// The source of the vertex shader.
    pub vertex: String,
    /// The source of the fragment shader.
    pub fragment: String,
}

/// Translates a pair to GLSL.
///
/// # Errors
/// Returns [`MissingFeature`] if the pair uses a feature that the dialect lacks. Dialects in [`COMPLETE`] lack no
/// feature. `validate` and `link` have already reported all errors of the programs.
pub fn emit(pair: &LinkedPair, options: &GlslOptions) -> Result<GlslPair, MissingFeature> {
    dialect::check(pair, options.dialect)?;
    let (float_rules, comments) = (options.float_rules, options.comments);
    let target = WgslOptions { float_rules, comments, ..WgslOptions::default() };
    let text = |stage| GlslEmitter::of(WgslShader::new(pair, stage, &target), options).text();
    Ok(GlslPair { vertex: text(Stage::Vertex), fragment: text(Stage::Fragment) })
}

/// The local variable for AGAL's position, which is then converted to OpenGL's clip space.
const POSITION: &str = "op";

/// The text writer's rules for GLSL of a dialect.
struct GlslLanguage<'a> {
    options: &'a GlslOptions,
    dialect: Dialect,
    /// The constant register of each element in the array of constants.
    constants: Vec<u16>,
}

type GlslEmitter<'a> = TextWriter<'a, GlslLanguage<'a>>;

impl<'a> GlslEmitter<'a> {
    fn of(shader: WgslShader<'a>, options: &'a GlslOptions) -> GlslEmitter<'a> {
        let dialect = options.dialect;
        let constants = constants(shader.interface(), shader.stage, dialect);
        TextWriter::new(shader, GlslLanguage { options, dialect, constants })
    }

    fn text(mut self) -> String {
        self.header();
        self.globals();
        let start = self.out.text.len();
        self.helpers();
        self.out.push_str("void main() {\n");
        self.out.depth = 1;
        self.locals();
        self.statements();
        self.epilogue();
        self.out.push_str("}\n");
        if self.largest {
            let largest = self.largest();
            self.out.text.insert_str(start, &largest);
        }
        self.out.text
    }

    /// Writes the code after the last statement. In a vertex shader, the code converts the position to OpenGL's clip
    /// space, and flips y because surfaces have their top row first. In a fragment shader, the code executes a delayed
    /// `kil` and clamps the depth.
    fn epilogue(&mut self) {
        match self.shader.stage {
            Stage::Vertex => {
                let (op, bias) = (POSITION, self.language.options.position_bias);
                let xy = if bias == 0.0 {
                    format!("{op}.x, -{op}.y")
                } else {
                    format!("{op}.x - {bias:?} * {op}.w, {bias:?} * {op}.w - {op}.y")
                };
                self.out.put(&["    ", &position(op, self.language.options.clip_depth, &xy), "\n"]);
            }
            Stage::Fragment => {
                if self.shader.liveness.late_kill {
                    self.out.put(&["    if (", KILLED, ") discard;\n"]);
                }
                if self.shader.writes_depth() {
                    let depth = self.language.dialect.features().depth_output.word;
                    self.out.put(&["    ", depth, " = "]);
                    self.depth();
                    self.out.push_str(";\n");
                }
            }
        }
    }
}
