//! Translates a [`LinkedPair`] to WGSL, without an error: WGSL has all of AGAL.
//!
//! A shader has one entry point. Attribute `va<n>` is at location n, and so are varying `v<n>` and colour output n. The
//! constants are `var<uniform> vc: array<vec4f, N>` and `fc`, with N of [`Interface`](crate::Interface); a sampler
//! `fs<n>` is the texture `fs<n>` and the sampler `fs<n>_sampler`. The host names groups and bindings in its [`Target`].
//!
//! Each AGAL instruction becomes one statement. Derivatives are uniform by construction: texture reads within a
//! conditional, whose coordinates are a varying (3741), are done first, `ddx` and `ddy` are not allowed there (3742), and
//! a `kil` that derivatives follow discards at the end. Coordinates are Direct3D's, as in AGAL: neither y nor depth change.

mod expression;
mod interface;
mod statement;

use agal_core::output::Output;

use crate::float::FloatRules;
use crate::link::LinkedPair;
use crate::liveness::Liveness;
use crate::validate::ValidProgram;
use crate::version::Stage;

/// The place of a resource: `@group` and `@binding`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    /// The number of the group.
    pub group: u32,
    /// The number within the group.
    pub binding: u32,
}

/// A resource of a shader, for which the host has a [`Binding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// The array of constants of a stage.
    Constants(Stage),
    /// The texture of a sampler register.
    Texture(Stage, u16),
    /// The sampler of a sampler register.
    Sampler(Stage, u16),
}

impl Resource {
    /// Returns the default binding. Group 0 has the constants, the vertex stage's at 0 and the fragment stage's at 1.
    /// Group 1 has the textures: `fs<n>` at 2n, `vs<n>` at 32 + 2n; the sampler follows its texture.
    pub fn binding(self) -> Binding {
        let place = |stage, number: u16| match stage {
            Stage::Vertex => 32 + 2 * u32::from(number),
            Stage::Fragment => 2 * u32::from(number),
        };
        match self {
            Resource::Constants(Stage::Vertex) => Binding { group: 0, binding: 0 },
            Resource::Constants(Stage::Fragment) => Binding { group: 0, binding: 1 },
            Resource::Texture(stage, number) => Binding { group: 1, binding: place(stage, number) },
            Resource::Sampler(stage, number) => {
                Binding { group: 1, binding: place(stage, number) + 1 }
            }
        }
    }
}

/// Properties of the host that the writer needs.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// Returns the group and binding of a resource.
    pub bindings: &'a dyn Fn(Resource) -> Binding,
    /// The rules of arithmetic at the edges of floats; Flash's content needs [`FloatRules::Direct3D9`].
    pub float_rules: FloatRules,
    /// Bit n of the vertex and of the fragment stage: sampler n reads 1 as alpha, because the host stores a texture format
    /// without alpha in one that has it.
    pub opaque: [u16; 2],
    /// The host's target has depth. Without it, a program that writes depth draws colours only, and the shader must not
    /// have the output.
    pub depth_output: bool,
    /// The names of the entry points of the vertex and of the fragment stage.
    pub entry_points: [&'a str; 2],
    /// Adds the AGAL of each statement as a comment.
    pub comments: bool,
}

impl Default for Target<'_> {
    fn default() -> Self {
        Target {
            bindings: &Resource::binding,
            float_rules: FloatRules::Direct3D9,
            opaque: [0; 2],
            depth_output: true,
            entry_points: ["vertex_main", "fragment_main"],
            comments: false,
        }
    }
}

/// A pair as two modules of WGSL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WgslPair {
    /// The module of the vertex shader.
    pub vertex: String,
    /// The module of the fragment shader.
    pub fragment: String,
}

/// Translates a pair to two modules.
pub fn emit(pair: &LinkedPair, target: &Target<'_>) -> WgslPair {
    let module = |stage| {
        let mut shader = Emitter::shader(pair, stage, target);
        shader.helpers();
        shader.out.text
    };
    WgslPair { vertex: module(Stage::Vertex), fragment: module(Stage::Fragment) }
}

/// Translates a pair to one module with two entry points.
pub fn emit_module(pair: &LinkedPair, target: &Target<'_>) -> String {
    let mut module = Emitter::shader(pair, Stage::Vertex, target);
    let fragment = Emitter::shader(pair, Stage::Fragment, target);
    module.out.push_str(&fragment.out.text);
    module.largest |= fragment.largest;
    module.liveness.normalizes |= fragment.liveness.normalizes;
    module.helpers();
    module.out.text
}

/// Approximate length of a statement. Longer ones grow the buffer.
const BYTES_PER_TOKEN: usize = 48;

struct Emitter<'a> {
    out: Output,
    pair: &'a LinkedPair,
    program: &'a ValidProgram,
    stage: Stage,
    target: &'a Target<'a>,
    liveness: Liveness,
    /// The text names the largest float.
    largest: bool,
}

impl<'a> Emitter<'a> {
    /// Returns the emitter of a stage with the text of its shader, but for the helpers.
    fn shader(pair: &'a LinkedPair, stage: Stage, target: &'a Target<'a>) -> Emitter<'a> {
        let (program, varyings) = match stage {
            Stage::Vertex => (pair.vertex(), pair.interface().varyings),
            Stage::Fragment => (pair.fragment(), 0),
        };
        let liveness = Liveness::of(program, varyings);
        let out = Output::new(512 + BYTES_PER_TOKEN * program.steps().len());
        let mut emitter = Emitter { out, pair, program, stage, target, liveness, largest: false };
        emitter.resources();
        emitter.entry_point();
        emitter.out.depth = 1;
        emitter.statements();
        emitter.results();
        emitter.out.push_str("}\n");
        emitter
    }

    /// Returns the element of a pair of the vertex and the fragment stage.
    fn of_stage<T>(&self, [vertex, fragment]: [T; 2]) -> T {
        match self.stage {
            Stage::Vertex => vertex,
            Stage::Fragment => fragment,
        }
    }
}
