//! Features of AGAL that a GLSL dialect may lack.

use agal_core::glsl::{Dialect, DialectFeatures, FeatureCell, Support};

use crate::interface::Interface;
use crate::link::LinkedPair;
use crate::version::Stage;

/// The dialects to which AGAL is translated, from most to least capable. AGAL needs no GLSL version newer than 3.30 or
/// ES 3.00.
///
/// All dialects use the same names: attributes `va<n>`, varyings `v<n>`, constants `uniform vec4 vc[K]` and `fc[K]` of
/// [`constants`](super::constants), samplers `vs<n>` and `fs<n>`. The shader declares locations, or the host binds them
/// with `glBindAttribLocation` and `glBindFragDataLocation`, for each attribute of
/// [`Interface::attributes`](crate::Interface), before it links the program:
///
/// | dialect | attribute `va<n>` at location n | colour output n |
/// |---|---|---|
/// | 330, 300es | in the shader | in the shader |
/// | 150 | `va<n>` bound to n | `oc` bound to 0; with several outputs, `fo<n>` bound to n |
/// | 120, 100es | `va<n>` bound to n | `gl_FragColor`; with several outputs, `gl_FragData[n]` |
///
/// The numbers of attributes, varyings, constants and samplers depend on the implementation, not on the dialect. OpenGL
/// 2.1 and OpenGL ES 2.0 guarantee lower numbers than AGAL's. OpenGL ES 2.0 guarantees 8 of AGAL's 10 varyings, 16 of
/// 28 to 200 fragment constants, and no vertex sampler. A driver rejects programs that exceed its maximum numbers.
pub const DIALECTS: [Dialect; 5] =
    [Dialect::Glsl330, Dialect::Glsl150, Dialect::Glsl300Es, Dialect::Glsl120, Dialect::Glsl100Es];

/// The dialects that support every feature without an extension. [`emit`](super::emit) never fails for a dialect of
/// this list.
pub const COMPLETE: [Dialect; 3] = [Dialect::Glsl330, Dialect::Glsl150, Dialect::Glsl300Es];

agal_core::table! {
    /// A feature that a pair may use and a [`Dialect`] may lack. Every dialect supports the parts of AGAL that aren't
    /// in this table.
    pub enum PairFeature {
        /// Returns a description of the feature.
        name: &'static str,
        /// Returns the stage in which the feature is used.
        stage: Stage,
        /// Returns a function that selects the feature in a dialect's row of the table.
        column: fn(&DialectFeatures) -> FeatureCell,
        /// Returns a function that checks whether a pair uses the feature.
        used: fn(&LinkedPair) -> bool,
    }
    InstanceId "instance id (iid)", Stage::Vertex, |row| row.instance_id, |pair| pair.interface().instance_id;
    VertexTextures "texture read in vertex programs (tld)", Stage::Vertex, |row| row.vertex_textures,
        |pair| pair.interface().vertex_samplers.iter().any(Option::is_some);
    ColorOutputs "second and further colour outputs (fo1, fo2, fo3)", Stage::Fragment, |row| row.color_outputs,
        |pair| pair.interface().color_outputs > 1;
    DepthOutput "depth output (od)", Stage::Fragment, |row| row.depth_output, |pair| pair.interface().depth_output;
    Derivatives "derivatives (ddx, ddy)", Stage::Fragment, |row| row.derivatives,
        |pair| pair.fragment().register_use().derivatives;
}

impl PairFeature {
    /// Returns whether a pair uses the feature.
    pub fn is_used_by(self, pair: &LinkedPair) -> bool {
        self.used()(pair)
    }
    /// Returns a dialect's support of the feature.
    pub fn support(self, dialect: Dialect) -> Support {
        self.column()(&dialect.features()).support
    }
}

/// Returns the register of each element in a stage's array of constants, in order: all registers up to the highest that
/// is read. If drivers may support fewer uniforms, returns only the registers that are read: a program that reads
/// `fc20` and `fc27` declares `fc[2]`. If a read is indirect, returns all registers.
pub fn constants(interface: &Interface, stage: Stage, dialect: Dialect) -> Vec<u16> {
    let [vertex, fragment] = dialect.uniforms();
    let (count, read, certain) = match stage {
        Stage::Vertex => (interface.vertex_constants, interface.vertex_constants_read, vertex),
        Stage::Fragment => {
            (interface.fragment_constants, interface.fragment_constants_read, fragment)
        }
    };
    if count > certain { read.iter().collect() } else { (0..count).collect() }
}

/// The error for a pair that needs a feature that the dialect lacks, even with extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{dialect} has no {}", feature.name())]
pub struct MissingFeature {
    /// The dialect that lacks the feature.
    pub dialect: Dialect,
    /// The feature that the pair uses.
    pub feature: PairFeature,
}

/// Returns the first feature that the pair uses and the dialect lacks.
pub(super) fn check(pair: &LinkedPair, dialect: Dialect) -> Result<(), MissingFeature> {
    let mut features = PairFeature::ALL.iter().copied();
    let missing = features
        .find(|feature| feature.support(dialect) == Support::Missing && feature.is_used_by(pair));
    missing.map_or(Ok(()), |feature| Err(MissingFeature { dialect, feature }))
}
