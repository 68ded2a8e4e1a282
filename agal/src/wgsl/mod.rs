//! Translates a [`LinkedPair`] to WGSL. The translation can't fail, because WGSL can express all of AGAL.
//!
//! A shader has one entry point. Attribute `va<n>`, varying `v<n>` and colour output n have location n. The constants
//! are `var<uniform> vc: array<vec4f, N>` and `fc`, with N from [`Interface`](crate::Interface). A sampler `fs<n>`
//! becomes the texture `fs<n>` and the sampler `fs<n>_sampler`. The host chooses groups and bindings in its
//! [`WgslOptions`].
//!
//! Each AGAL instruction becomes one statement. Derivatives are in uniform control flow: texture reads in a
//! conditional, whose coordinates are a varying (3741), are moved to the start; `ddx` and `ddy` are not allowed there
//! (3742); and a `kil` before derivatives discards at the end. As in AGAL, coordinates are Direct3D's, so neither y nor
//! depth is changed.
//!
//! A [`ShaderWriter`](writer::ShaderWriter) builds the same shader in another form, such as a syntax tree.

mod function;
mod interface;
mod shader;
pub(crate) mod text;
pub mod writer;

use crate::float::FloatRules;
use crate::link::LinkedPair;
use crate::version::Stage;
use text::TextWriter;

/// The address of a resource in a shader: `@group` and `@binding`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BindingAddress {
    /// The index of the bind group.
    pub group: u32,
    /// The index of the binding within the bind group.
    pub binding: u32,
}

/// A resource of a shader, for which the host chooses a [`BindingAddress`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WgslResource {
    /// The array of constants of a stage.
    Constants(Stage),
    /// The texture that a sampler register reads.
    Texture(Stage, u16),
    /// The sampler state of a sampler register.
    Sampler(Stage, u16),
}

impl WgslResource {
    /// Returns the default binding of the resource. Group 0 has the constants: binding 0 for the vertex stage, 1 for
    /// the fragment stage. Group 1 has the textures: `fs<n>` at 2n, `vs<n>` at 32 + 2n. A sampler has the binding after
    /// that of its texture.
    pub fn binding(self) -> BindingAddress {
        let place = |stage, number: u16| match stage {
            Stage::Vertex => 32 + 2 * u32::from(number),
            Stage::Fragment => 2 * u32::from(number),
        };
        match self {
            WgslResource::Constants(Stage::Vertex) => BindingAddress { group: 0, binding: 0 },
            WgslResource::Constants(Stage::Fragment) => BindingAddress { group: 0, binding: 1 },
            WgslResource::Texture(stage, number) => {
                BindingAddress { group: 1, binding: place(stage, number) }
            }
            WgslResource::Sampler(stage, number) => {
                BindingAddress { group: 1, binding: place(stage, number) + 1 }
            }
        }
    }
}

/// The host's options for the translation.
#[derive(Clone, Copy)]
pub struct WgslOptions<'a> {
    /// A function that returns the group and binding of a resource.
    pub bindings: &'a dyn Fn(WgslResource) -> BindingAddress,
    /// The rules for zero, infinity and NaN. Flash's content needs [`FloatRules::Direct3D9`].
    pub float_rules: FloatRules,
    /// By stage, bit n: sampler n reads 1 as alpha, because the host stores a format without alpha in one with alpha.
    pub opaque: [u16; 2],
    /// True if the host's render target has depth. For a target without depth, the shader has no depth output, and a
    /// program that writes depth draws only colours.
    pub depth_output: bool,
    /// The names of the entry points of the vertex stage and the fragment stage.
    pub entry_points: [&'a str; 2],
    /// True to add the AGAL of each statement as a comment.
    pub comments: bool,
}

impl Default for WgslOptions<'_> {
    fn default() -> Self {
        WgslOptions {
            bindings: &WgslResource::binding,
            float_rules: FloatRules::Direct3D9,
            opaque: [0; 2],
            depth_output: true,
            entry_points: ["vertex_main", "fragment_main"],
            comments: false,
        }
    }
}

/// The two WGSL modules of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WgslPair {
    /// The module of the vertex shader.
    pub vertex: String,
    /// The module of the fragment shader.
    pub fragment: String,
}

/// Translates a pair to two WGSL modules.
pub fn emit(pair: &LinkedPair, target: &WgslOptions<'_>) -> WgslPair {
    let module = |stage| {
        let mut text = TextWriter::of(pair, stage, target);
        text.helpers();
        text.out.text
    };
    WgslPair { vertex: module(Stage::Vertex), fragment: module(Stage::Fragment) }
}

/// Translates a pair to one WGSL module with two entry points.
pub fn emit_module(pair: &LinkedPair, target: &WgslOptions<'_>) -> String {
    let mut module = TextWriter::of(pair, Stage::Vertex, target);
    let fragment = TextWriter::of(pair, Stage::Fragment, target);
    module.out.push_str(&fragment.out.text);
    module.largest |= fragment.largest;
    module.shader.liveness.normalizes |= fragment.shader.liveness.normalizes;
    module.helpers();
    module.out.text
}
