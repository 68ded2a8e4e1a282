//! The table of GLSL dialects: the keywords and functions of each version that emitters need.

use std::fmt;

/// A dialect's support of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Support {
    /// The feature is part of the language.
    Native,
    /// The feature needs this extension, which the shader enables with `#extension NAME : require`.
    Extension(&'static str),
    /// Neither the language nor an extension has the feature.
    Missing,
}

/// A feature in a dialect's row of the table: its support, and its keyword or text in the dialect.
#[derive(Clone, Copy, Debug)]
pub struct FeatureCell {
    /// The dialect's support of the feature.
    pub support: Support,
    /// The dialect's keyword or text for the feature; empty if there is none.
    pub word: &'static str,
}

const fn native(word: &'static str) -> FeatureCell {
    FeatureCell { support: Support::Native, word }
}
const fn through(extension: &'static str, word: &'static str) -> FeatureCell {
    FeatureCell { support: Support::Extension(extension), word }
}
const MISSING: FeatureCell = FeatureCell { support: Support::Missing, word: "" };

/// The features that some dialects lack.
#[derive(Clone, Copy, Debug)]
pub struct DialectFeatures {
    /// Vertex shaders can read the instance index.
    pub instance_id: FeatureCell,
    /// Texture reads in vertex shaders are possible.
    pub vertex_textures: FeatureCell,
    /// A fragment shader can have several colour outputs.
    pub color_outputs: FeatureCell,
    /// Fragment shaders can write depth.
    pub depth_output: FeatureCell,
    /// Fragment shaders have derivatives.
    pub derivatives: FeatureCell,
}

/// The features of GLSL 1.40, GLSL ES 3.00 and later.
const NEWER: DialectFeatures = DialectFeatures {
    instance_id: native("gl_InstanceID"),
    vertex_textures: native(""),
    color_outputs: native(""),
    depth_output: native("gl_FragDepth"),
    derivatives: native(""),
};
const GLSL_120: DialectFeatures = DialectFeatures {
    instance_id: through("GL_ARB_draw_instanced", "gl_InstanceIDARB"),
    // In practice, compilers require the extension for `texture2DLod` in vertex shaders, too.
    vertex_textures: through("GL_ARB_shader_texture_lod", ""),
    color_outputs: native(""),
    depth_output: native("gl_FragDepth"),
    derivatives: native(""),
};
const GLSL_100_ES: DialectFeatures = DialectFeatures {
    // GL_EXT_draw_instanced adds the instance id, but hardly any implementation supports it, and WebGL does not.
    instance_id: MISSING,
    vertex_textures: native(""),
    color_outputs: through("GL_EXT_draw_buffers", ""),
    depth_output: through("GL_EXT_frag_depth", "gl_FragDepthEXT"),
    derivatives: through("GL_OES_standard_derivatives", ""),
};

/// Begins code for devices whose fragment shaders support `highp`.
pub const IF_HIGH: &str = "#ifdef GL_FRAGMENT_PRECISION_HIGH\n";

/// The precision of floats that a shader declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Floats have full precision without a declaration.
    Full,
    /// `highp`, which every implementation of the dialect supports.
    High,
    /// `highp` if fragment shaders support it, otherwise `mediump`.
    HighIfThere,
}

/// The declaration of colour outputs in a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputDeclaration {
    /// `layout(location = n) out vec4`: the shader sets the location.
    Located,
    /// `out vec4`: the host binds the name to a location.
    Bound,
    /// The built-in `gl_FragColor` and `gl_FragData[n]`.
    BuiltIn,
}

/// The keywords and functions that differ between old and new GLSL.
#[derive(Clone, Copy, Debug)]
pub struct GlslWords {
    /// The qualifier of vertex attributes.
    pub attribute: &'static str,
    /// The qualifiers of varyings in the vertex shader and in the fragment shader.
    pub varying: [&'static str; 2],
    /// The functions that read a 2D texture and a cube map with an implicit level of detail.
    pub texture: [&'static str; 2],
    /// The functions that read a 2D texture and a cube map with an explicit level of detail.
    pub texture_lod: [&'static str; 2],
}

const NEW: GlslWords = GlslWords {
    attribute: "in",
    varying: ["out", "in"],
    texture: ["texture", "texture"],
    texture_lod: ["textureLod", "textureLod"],
};
const OLD: GlslWords = GlslWords {
    attribute: "attribute",
    varying: ["varying", "varying"],
    texture: ["texture2D", "textureCube"],
    texture_lod: ["texture2DLod", "textureCubeLod"],
};

crate::table! {
    /// A version of GLSL or GLSL ES that shaders are translated to.
    pub enum Dialect {
        /// Returns the name of the dialect on command lines and in file names: `330`, `300es`.
        name: &'static str => from_name(&str),
        /// Returns the `#version` line of a shader.
        version_line: &'static str,
        /// Returns the precision of floats in the dialect.
        precision: Precision,
        /// Returns the keywords and functions that differ between old and new GLSL.
        words: GlslWords,
        /// Returns whether attributes have `layout(location = n)`. Without `layout`, the host binds the attributes'
        /// locations.
        located_attributes: bool,
        /// Returns the declaration of colour outputs.
        outputs: OutputDeclaration,
        /// Returns whether the dialect has integer and boolean vectors, `clamp` for integers, and `roundEven`.
        integers: bool,
        /// Returns the minimum numbers of `vec4` uniforms in a vertex shader, and in a fragment shader.
        uniforms: [u16; 2],
        /// Returns the support of the features that some dialects lack.
        features: DialectFeatures,
    }
    /// OpenGL 3.3.
    Glsl330 "330", "#version 330 core", Precision::Full, NEW, true, OutputDeclaration::Located, true, [256, 256], NEWER;
    /// OpenGL 3.2.
    Glsl150 "150", "#version 150", Precision::Full, NEW, false, OutputDeclaration::Bound, true, [256, 256], NEWER;
    /// OpenGL ES 3.0, WebGL 2.
    Glsl300Es "300es", "#version 300 es", Precision::High, NEW, true,
        OutputDeclaration::Located, true, [256, 224], NEWER;
    /// OpenGL 2.1.
    Glsl120 "120", "#version 120", Precision::Full, OLD, false, OutputDeclaration::BuiltIn, false, [128, 16], GLSL_120;
    /// OpenGL ES 2.0, WebGL 1.
    Glsl100Es "100es", "#version 100", Precision::HighIfThere, OLD, false, OutputDeclaration::BuiltIn, false, [128, 16],
        GLSL_100_ES;
    /// OpenGL 4.0, the first version with tessellation.
    Glsl400 "400", "#version 400 core", Precision::Full, NEW, true, OutputDeclaration::Located, true, [256, 256], NEWER;
    /// OpenGL ES 3.2, the first version with tessellation. OpenGL ES lacks doubles and 1D textures.
    Glsl320Es "320es", "#version 320 es", Precision::High, NEW, true,
        OutputDeclaration::Located, true, [256, 256], NEWER;
}

impl Dialect {
    /// Returns whether varyings can be `flat`, which turns off their interpolation.
    pub fn has_flat(self) -> bool {
        self.integers()
    }

    /// Returns the precision statements for floats, integers and these sampler types. In GLSL ES, the default of
    /// sampler types is low, which loses bits of float textures. For desktop GLSL, returns an empty string.
    pub fn precision_lines(self, is_fragment: bool, samplers: &[&str]) -> String {
        let lines = |precision: &str| -> String {
            let types = ["float", "int"].iter().chain(samplers);
            types.map(|name| format!("precision {precision} {name};\n")).collect()
        };
        match self.precision() {
            Precision::Full => String::new(),
            Precision::HighIfThere if is_fragment => {
                let (high, medium) = (lines("highp"), lines("mediump"));
                format!("{IF_HIGH}{high}#else\n{medium}#endif\n")
            }
            Precision::High | Precision::HighIfThere => lines("highp"),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GLSL {}", self.name())
    }
}

/// The range of z in clip space to which the driver clips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClipDepth {
    /// The driver clips z to 0..w (`GL_ZERO_TO_ONE`), so the position is not changed.
    ZeroToOne,
    /// The driver clips z to -w..w, so the shader ends with `z = 2z - w`.
    MinusOneToOne,
    /// The position is written unchanged, because it is read back and not drawn.
    AsWritten,
}

/// Declares that equal code for the position gives equal bits in different shaders, as passes with depth test `equal`
/// require ([agal.position.invariant]). The declaration is legal in the global scope of every dialect.
pub const INVARIANT_POSITION: &str = "invariant gl_Position;\n";

/// Returns the statement that sets `gl_Position` from a register. `xy` are the expressions for x and y; they are
/// ignored if the position is written unchanged.
pub fn position(register: &str, depth: ClipDepth, xy: &str) -> String {
    let z = match depth {
        ClipDepth::ZeroToOne => format!("{register}.z"),
        ClipDepth::MinusOneToOne => format!("2.0 * {register}.z - {register}.w"),
        ClipDepth::AsWritten => return format!("gl_Position = {register};"),
    };
    format!("gl_Position = vec4({xy}, {z}, {register}.w);")
}
