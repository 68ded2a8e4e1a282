//! The table of dialects: how each version of GLSL writes the emitter's output, and which features of AGAL it lacks.

use std::error::Error;
use std::fmt;

use crate::ir::link::LinkedPair;
use crate::isa::version::Stage;

/// How a dialect supports a [`Feature`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Support {
    /// Part of the language.
    Native,
    /// With this extension, which the shader enables with `#extension NAME : require`.
    Extension(&'static str),
    /// Not supported: [`emit`](super::emit) returns a [`MissingFeature`].
    Missing,
}

/// A feature's entry in a row: the text that differs between dialects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    support: Support,
    pub(super) word: &'static str,
}

const fn native(word: &'static str) -> Cell {
    let support = Support::Native;
    Cell { support, word }
}
const fn through(extension: &'static str, word: &'static str) -> Cell {
    let support = Support::Extension(extension);
    Cell { support, word }
}
const MISSING: Cell = Cell { support: Support::Missing, word: "" };

macro_rules! features {
    ($($feature:ident $column:ident $stage:ident $name:literal used $used:expr;)*) => {
        crate::table! {
            /// A feature that a pair may need and a [`Dialect`] may lack. Every dialect has the rest of AGAL.
            pub enum Feature {
                /// The feature in words, such as `instance id (iid)`.
                name: &'static str,
                /// The stage that uses it; its shader enables the extension.
                stage: Stage,
            }
            $($feature $name, Stage::$stage;)*
        }

        impl Feature {
            /// Whether a pair needs it.
            pub fn is_used_by(self, pair: &LinkedPair) -> bool {
                let used: fn(&LinkedPair) -> bool = match self {
                    $(Feature::$feature => $used,)*
                };
                used(pair)
            }
        }

        /// The feature columns of the dialect table.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct Features {
            $(pub(super) $column: Cell,)*
        }

        impl Features {
            const fn support(&self, feature: Feature) -> Support {
                match feature {
                    $(Feature::$feature => self.$column.support,)*
                }
            }
        }
    };
}

features! {
    InstanceId     instance_id     Vertex   "instance id (iid)"
        used |pair| pair.interface().instance_id;
    VertexTextures vertex_textures Vertex   "texture read in vertex programs (tld)"
        used |pair| pair.interface().vertex_samplers.iter().any(Option::is_some);
    ColorOutputs   color_outputs   Fragment "second and further colour outputs (fo1, fo2, fo3)"
        used |pair| pair.interface().color_outputs > 1;
    DepthOutput    depth_output    Fragment "depth output (od)"
        used |pair| pair.interface().depth_output;
    Derivatives    derivatives     Fragment "derivatives (ddx, ddy)"
        used |pair| pair.fragment().usage().derivatives;
}

/// The precision statement for numbers and samplers that a fragment shader needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    /// None.
    Full,
    /// `highp`, which every implementation supports.
    High,
    /// `highp` if fragment shaders support it, else `mediump`.
    HighIfThere,
}

/// Declarations of colour outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outputs {
    /// `layout(location = n) out vec4`.
    Located,
    /// `out vec4`; the host binds the name.
    Bound,
    /// `gl_FragColor`, `gl_FragData[n]`.
    BuiltIn,
}

/// The functions that read a 2D texture and a cube map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Textures {
    /// With implicit level of detail.
    pub(super) implicit: [&'static str; 2],
    /// With explicit level of detail.
    pub(super) lod: [&'static str; 2],
}

const OVERLOADED: Textures =
    Textures { implicit: ["texture", "texture"], lod: ["textureLod", "textureLod"] };
const SUFFIXED: Textures =
    Textures { implicit: ["texture2D", "textureCube"], lod: ["texture2DLod", "textureCubeLod"] };

/// Keywords of declarations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keywords {
    pub(super) attribute: &'static str,
    /// A varying in the vertex and in the fragment shader.
    pub(super) varying: [&'static str; 2],
}

const IN_OUT: Keywords = Keywords { attribute: "in", varying: ["out", "in"] };
const ATTRIBUTE_VARYING: Keywords =
    Keywords { attribute: "attribute", varying: ["varying", "varying"] };

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    name: &'static str,
    /// The first line.
    pub(super) version: &'static str,
    pub(super) precision: Precision,
    pub(super) keywords: Keywords,
    /// Whether attributes have `layout(location = n)`.
    pub(super) located_attributes: bool,
    pub(super) outputs: Outputs,
    pub(super) textures: Textures,
    /// Whether `clamp` accepts integers, and `roundEven` exists.
    pub(super) integer_clamp: bool,
    pub(super) features: Features,
}

macro_rules! dialects {
    ($($dialect:ident $doc:literal $row:expr;)*) => {
        /// A version of GLSL.
        ///
        /// Shaders of all dialects use the same names: attributes `va<n>`, varyings `v<n>`, constants `uniform vec4
        /// vc[K]` and `fc[K]` with K from [`Interface`](crate::Interface), samplers `vs<n>` and `fs<n>`. Locations are
        /// in the shader, or the host binds them with `glBindAttribLocation` and `glBindFragDataLocation`:
        ///
        /// | dialect | attribute `va<n>` at location n | colour output n |
        /// |---|---|---|
        /// | 330, 300es | in the shader | in the shader |
        /// | 150 | `va<n>` bound to n | `oc` bound to 0; with several outputs, `fo<n>` bound to n |
        /// | 120, 100es | `va<n>` bound to n | `gl_FragColor`; with several outputs, `gl_FragData[n]` |
        ///
        /// The host binds each attribute of [`Interface::attributes`](crate::Interface) before it links the program
        /// ([`Dialect::binds_attributes`], [`Dialect::binds_outputs`]).
        ///
        /// The numbers of attributes, varyings, constants and samplers depend on the implementation, not on the
        /// dialect. OpenGL ES 2.0 guarantees fewer than AGAL has (8 varyings of 10, 16 fragment constants of 28 to 200,
        /// no vertex sampler): a driver with fewer rejects the program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Dialect {
            $(#[doc = $doc] $dialect,)*
        }

        impl Dialect {
            /// Every dialect, from most to least capable.
            pub const ALL: &'static [Dialect] = &[$(Dialect::$dialect,)*];

            pub(super) const fn row(self) -> &'static Row {
                match self {
                    $(Dialect::$dialect => const { &$row },)*
                }
            }
        }
    };
}

dialects! {
    Glsl330 "`#version 330 core`: OpenGL 3.3." Row {
        name: "330",
        version: "#version 330 core",
        precision: Precision::Full,
        keywords: IN_OUT,
        located_attributes: true,
        outputs: Outputs::Located,
        textures: OVERLOADED,
        integer_clamp: true,
        features: NEWER,
    };
    Glsl150 "`#version 150`: OpenGL 3.2." Row {
        name: "150",
        version: "#version 150",
        precision: Precision::Full,
        keywords: IN_OUT,
        located_attributes: false,
        outputs: Outputs::Bound,
        textures: OVERLOADED,
        integer_clamp: true,
        features: NEWER,
    };
    Glsl300Es "`#version 300 es`: OpenGL ES 3.0, WebGL 2." Row {
        name: "300es",
        version: "#version 300 es",
        precision: Precision::High,
        keywords: IN_OUT,
        located_attributes: true,
        outputs: Outputs::Located,
        textures: OVERLOADED,
        integer_clamp: true,
        features: NEWER,
    };
    Glsl120 "`#version 120`: OpenGL 2.1." Row {
        name: "120",
        version: "#version 120",
        precision: Precision::Full,
        keywords: ATTRIBUTE_VARYING,
        located_attributes: false,
        outputs: Outputs::BuiltIn,
        textures: SUFFIXED,
        integer_clamp: false,
        features: Features {
            instance_id: through("GL_ARB_draw_instanced", "gl_InstanceIDARB"),
            // The specification has `texture2DLod` in vertex shaders without an extension, but compilers require it.
            vertex_textures: through("GL_ARB_shader_texture_lod", ""),
            color_outputs: native(""),
            depth_output: native("gl_FragDepth"),
            derivatives: native(""),
        },
    };
    Glsl100Es "`#version 100`: OpenGL ES 2.0, WebGL 1." Row {
        name: "100es",
        version: "#version 100",
        precision: Precision::HighIfThere,
        keywords: ATTRIBUTE_VARYING,
        located_attributes: false,
        outputs: Outputs::BuiltIn,
        textures: SUFFIXED,
        integer_clamp: false,
        features: Features {
            // GL_EXT_draw_instanced has it, but hardly any implementation supports that, and WebGL does not.
            instance_id: MISSING,
            vertex_textures: native(""),
            color_outputs: through("GL_EXT_draw_buffers", ""),
            depth_output: through("GL_EXT_frag_depth", "gl_FragDepthEXT"),
            derivatives: through("GL_OES_standard_derivatives", ""),
        },
    };
}

/// Features of GLSL 1.40 and GLSL ES 3.00 and later.
const NEWER: Features = Features {
    instance_id: native("gl_InstanceID"),
    vertex_textures: native(""),
    color_outputs: native(""),
    depth_output: native("gl_FragDepth"),
    derivatives: native(""),
};

impl Dialect {
    /// The dialects that have every feature without an extension: [`emit`](super::emit) never fails for them.
    pub const COMPLETE: [Dialect; 3] = [Dialect::Glsl330, Dialect::Glsl150, Dialect::Glsl300Es];

    /// The name of a target on command lines and in file names: `330`, `300es`.
    pub fn name(self) -> &'static str {
        self.row().name
    }
    /// The dialect with this name.
    pub fn from_name(name: &str) -> Option<Dialect> {
        let mut all = Dialect::ALL.iter().copied();
        all.find(|dialect| dialect.name() == name)
    }
    /// How it supports a feature.
    pub const fn support(self, feature: Feature) -> Support {
        self.row().features.support(feature)
    }
    /// The first line of a shader, for the host's own shaders that are linked with emitted ones.
    pub fn version_line(self) -> &'static str {
        self.row().version
    }
    /// The keyword of an attribute's declaration.
    pub fn attribute_word(self) -> &'static str {
        self.row().keywords.attribute
    }
    /// The keyword of a varying's declaration in a stage.
    pub fn varying_word(self, stage: Stage) -> &'static str {
        let [vertex, fragment] = self.row().keywords.varying;
        match stage {
            Stage::Vertex => vertex,
            Stage::Fragment => fragment,
        }
    }
    /// Whether varyings can be `flat`, that is, not interpolated. As old as the keywords `in` and `out`.
    pub fn has_flat(self) -> bool {
        self.row().keywords.attribute == IN_OUT.attribute
    }
    /// Whether the host must bind attribute locations before linking.
    pub fn binds_attributes(self) -> bool {
        !self.row().located_attributes
    }
    /// Whether the host must bind locations of colour outputs before linking.
    pub fn binds_outputs(self) -> bool {
        self.row().outputs == Outputs::Bound
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GLSL {}", self.name())
    }
}

// Checks `COMPLETE` for all pairs: `check` below is the only source of a `MissingFeature`.
const _: () = {
    let mut dialects: &[Dialect] = &Dialect::COMPLETE;
    while let [dialect, others @ ..] = dialects {
        let mut features = Feature::ALL;
        while let [feature, rest @ ..] = features {
            assert!(matches!(dialect.support(*feature), Support::Native));
            features = rest;
        }
        dialects = others;
    }
};

/// A pair needs a feature that a dialect lacks, even with its extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MissingFeature {
    /// The dialect.
    pub dialect: Dialect,
    /// The missing feature.
    pub feature: Feature,
}

impl fmt::Display for MissingFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has no {}", self.dialect, self.feature.name())
    }
}

impl Error for MissingFeature {}

/// Checks that the dialect has all features that the pair needs.
pub(super) fn check(pair: &LinkedPair, dialect: Dialect) -> Result<(), MissingFeature> {
    let mut features = Feature::ALL.iter().copied();
    let missing = features
        .find(|feature| dialect.support(*feature) == Support::Missing && feature.is_used_by(pair));
    match missing {
        Some(feature) => Err(MissingFeature { dialect, feature }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for dialect in Dialect::ALL {
            assert_eq!(Dialect::from_name(dialect.name()), Some(*dialect));
        }
        assert_eq!(Dialect::from_name(""), None);
    }

    /// All others lack a feature or need an extension.
    #[test]
    fn complete_is_complete() {
        for dialect in Dialect::ALL {
            let native = |feature: &Feature| dialect.support(*feature) == Support::Native;
            assert_eq!(
                Dialect::COMPLETE.contains(dialect),
                Feature::ALL.iter().all(native),
                "{dialect}"
            );
        }
    }
}
