//! Translates a hull shader to an OpenGL tessellation control shader ([hs50.gl.shape] [hs50.gl.levels]).
//!
//! Every register is a `uvec4`, which preserves all bits, even in interface blocks; each use converts the type. Each
//! phase becomes a function. After the control point phase and a barrier, invocation 0 runs the fork and join phases.
//!
//! ```text
//! in  HsIn    { uvec4 e[…]; } vicp[];     a register for each element of the input signature
//! out HsOut   { invariant uvec4 e[…]; } vocp[];     … of the output signature
//! patch out HsPatch { invariant uvec4 c[…]; } pc;   … of the patch constant signature
//! uniform Cb0 { uvec4 cb0[…]; };          constant buffers, std140
//! uniform … t0, t0_s0;                    buffers, textures that are loaded from, textures with their sampler
//! ```

mod instructions;
mod phase;
mod prelude;
mod resource;
mod text;

use std::collections::BTreeSet;

pub use agal_core::glsl::Dialect;
use agal_core::output::ShaderText;

use crate::check::ValidHull;
use crate::hull::register::PhaseKind;
use crate::hull::unsupported::UnsupportedFeature;
use crate::hull::{Hull, Phase};
use crate::names::{Domain, OutputPrimitive, Partitioning};
use crate::tokens::operand::OperandKind;

/// The supported GLSL dialects. GLSL ES lacks doubles and 1D textures.
pub const DIALECTS: [Dialect; 2] = [Dialect::Glsl400, Dialect::Glsl320Es];

/// Returns the first lines of a shader: version and precision qualifiers.
pub fn header(dialect: Dialect) -> String {
    let buffers = ["samplerBuffer", "isamplerBuffer", "usamplerBuffer"];
    format!("{}\n{}", dialect.version_line(), dialect.precision_lines(false, &buffers))
}

/// The tessellation levels that the translated shader writes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum TessLevels {
    /// The factors that the hull shader computes.
    #[default]
    Program,
    /// Fixed tessellation levels, which also make culled patches visible.
    Fixed {
        /// The outer levels, which subdivide edges.
        outer: [f32; 4],
        /// The inner levels.
        inner: [f32; 2],
    },
}

/// Options of the translation to GLSL.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullGlslOptions {
    /// The GLSL dialect; must be in [`DIALECTS`].
    pub dialect: Dialect,
    /// The tessellation levels that the shader writes.
    pub levels: TessLevels,
}

impl Default for HullGlslOptions {
    fn default() -> HullGlslOptions {
        HullGlslOptions { dialect: Dialect::Glsl400, levels: TessLevels::Program }
    }
}

/// A combination of a texture and a sampler, which GLSL combines into one sampler uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct HullTextureUse {
    /// The index of the texture `t#`.
    pub resource: u32,
    /// The index of the sampler `s#`, or `None` for loads without a sampler.
    pub sampler: Option<u32>,
    /// True for depth comparison (shadow samplers).
    pub compares: bool,
}

impl HullTextureUse {
    /// Returns the name of the GLSL sampler uniform.
    pub fn name(&self) -> String {
        let sampler = self.sampler.map(|sampler| format!("_s{sampler}")).unwrap_or_default();
        let compare = if self.compares { "_compare" } else { "" };
        format!("t{}{sampler}{compare}", self.resource)
    }
}

/// A hull shader translated to GLSL, and its interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HullGlsl {
    /// The source of the tessellation control shader.
    pub control: String,
    /// The input layout declaration for the tessellation evaluation shader.
    pub evaluation_layout: String,
    /// The texture and sampler combinations that the shader reads.
    pub textures: Vec<HullTextureUse>,
    /// Slot and size in registers of each constant buffer; the uniform block of slot n is `Cb<n>`.
    pub buffers: Vec<(u32, u32)>,
}

/// Size in registers assumed for constant buffers without a declared size: Direct3D's maximum.
const UNKNOWN_SIZE: u32 = 4096;

/// Translates a hull shader to GLSL. Fails for interfaces, unordered access views, slot ranges, some resource reads,
/// and features that the dialect lacks.
pub fn emit(hull: &ValidHull, options: HullGlslOptions) -> Result<HullGlsl, UnsupportedFeature> {
    crate::hull::unsupported::check(hull)?;
    let (mut textures, mut body) = (BTreeSet::new(), ShaderText::default());
    for phase in &hull.phases {
        phase::emit(&mut body, hull, phase, options.dialect, &mut textures)?;
    }
    let prelude = prelude::called_by(&body.text);
    main_function(&mut body, hull, options.levels);
    let mut control = ShaderText { text: header(options.dialect), depth: 0 };
    // GLSL 420 has built-in functions that pack half floats; GLSL 400 needs an extension.
    if options.dialect == Dialect::Glsl400 && prelude.contains("packHalf2x16") {
        control.push_str("#extension GL_ARB_shading_language_packing : require\n");
    }
    declarations(&mut control, hull, &textures);
    let control = control.text + &prelude + &body.text;
    let buffers = hull.bindings_of(OperandKind::ConstantBuffer);
    let buffers = buffers.map(|(slot, buffer)| (slot, declared_size(buffer.size))).collect();
    let (evaluation_layout, textures) = (evaluation_layout(hull), textures.into_iter().collect());
    Ok(HullGlsl { control, evaluation_layout, textures, buffers })
}

fn declared_size(size: u32) -> u32 {
    if size == 0 { UNKNOWN_SIZE } else { size }
}

/// Returns the layout declaration of the evaluation shader, such as `layout(quads, equal_spacing, ccw) in;`. The
/// winding is reversed, because v points down in Direct3D's domain ([hs50.gl.winding]).
pub fn evaluation_layout(hull: &Hull) -> String {
    let domain = match hull.domain {
        Domain::Isoline => "isolines",
        Domain::Tri => "triangles",
        Domain::Quad => "quads",
    };
    let spacing = match hull.partitioning {
        Partitioning::Integer | Partitioning::Pow2 => "equal_spacing",
        Partitioning::FractionalOdd => "fractional_odd_spacing",
        Partitioning::FractionalEven => "fractional_even_spacing",
    };
    let primitive = match hull.primitive {
        OutputPrimitive::Point => ", point_mode",
        OutputPrimitive::Line => "",
        OutputPrimitive::TriangleCw => ", ccw",
        OutputPrimitive::TriangleCcw => ", cw",
    };
    format!("layout({domain}, {spacing}{primitive}) in;")
}

fn function(phase: &Phase) -> String {
    match phase.id.kind {
        PhaseKind::ControlPoint => "control_point".to_owned(),
        kind => format!("{kind}{}", phase.id.number),
    }
}

/// Declares blocks, buffers and constants. Functions for relative addressing return 0 past the end. The functions also
/// clamp the index, because drivers may read speculatively: llvmpipe (Mesa 22.3) crashes on far out-of-range input
/// indices.
fn declarations(out: &mut ShaderText, hull: &Hull, textures: &BTreeSet<HullTextureUse>) {
    out.line(format_args!("layout(vertices = {}) out;", hull.output_points.max(1)));
    // Invariance makes render passes with different programs tessellate the same patches equally ([hs50.gl.invariant]).
    out.line("invariant gl_TessLevelOuter;\ninvariant gl_TessLevelInner;");
    for (direction, block, name, points, count) in [
        ("in", "HsIn { uvec4", "vicp", hull.input_points, hull.input_registers),
        ("out", "HsOut { invariant uvec4", "vocp", hull.output_points, outputs(hull)),
    ] {
        if count > 0 {
            out.line(format_args!(
                "{direction} {block} e[{count}]; }} {name}[];\n\
                 uvec4 hs_{direction}(uint v, uint e) {{ return v < {points}u && e < {count}u ? \
                 {name}[min(v, {points}u - 1u)].e[min(e, {count}u - 1u)] : uvec4(0u); }}"
            ));
        }
    }
    let count = hull.patch_registers;
    if count > 0 {
        out.line(format_args!(
            "patch out HsPatch {{ invariant uvec4 c[{count}]; }} pc;\nuvec4 P[{count}];\n\
             uvec4 hs_pc(uint i) {{ return i < {count}u ? P[min(i, {count}u - 1u)] : uvec4(0u); }}"
        ));
    }
    for (slot, buffer) in hull.bindings_of(OperandKind::ConstantBuffer) {
        let size = declared_size(buffer.size);
        out.line(format_args!("layout(std140) uniform Cb{slot} {{ uvec4 cb{slot}[{size}]; }};"));
    }
    for texture in textures {
        let kind = resource::sampler_type(hull, texture);
        out.line(format_args!("uniform highp {kind} {};", texture.name()));
    }
    let count = hull.constants.len();
    if count > 0 {
        let rows = hull.constants.iter().map(|row| text::immediate(row));
        let rows = rows.collect::<Vec<_>>().join(",\n    ");
        out.line(format_args!("const uvec4 icb[{count}] = uvec4[{count}](\n    {rows});"));
    }
}

/// Returns the number of registers per output control point; 0 if the shader outputs no control points.
fn outputs(hull: &Hull) -> u32 {
    if hull.output_points == 0 { 0 } else { hull.output_registers }
}

fn main_function(out: &mut ShaderText, hull: &Hull, levels: TessLevels) {
    out.open("void main() {");
    for register in 0..outputs(hull) {
        let passed = hull.passes_through() && register < hull.input_registers;
        let value = format!("vicp[gl_InvocationID].e[{register}]");
        let value = if passed { &value } else { "uvec4(0u)" };
        out.line(format_args!("vocp[gl_InvocationID].e[{register}] = {value};"));
    }
    if hull.control_point_phase().is_some() && hull.output_points > 0 {
        out.line("control_point();");
    }
    out.line("barrier();");
    out.open("if (gl_InvocationID == 0) {");
    for register in 0..hull.patch_registers {
        out.line(format_args!("P[{register}] = uvec4(0u);"));
    }
    for phase in hull.patch_phases() {
        let name = function(phase);
        match phase.instances {
            1 => out.line(format_args!("{name}(0u);")),
            count => out.line(format_args!("for (uint n = 0u; n < {count}u; ++n) {name}(n);")),
        }
    }
    for register in 0..hull.patch_registers {
        out.line(format_args!("pc.c[{register}] = P[{register}];"));
    }
    let (edges, insides) = hull.split_factors();
    let [outer, inner]: [&[f32]; 2] = match &levels {
        TessLevels::Program => [&[], &[]],
        TessLevels::Fixed { outer, inner } => [outer, inner],
    };
    for (name, count, locations, fixed) in
        [("Outer", 4, edges, outer), ("Inner", 2, insides, inner)]
    {
        for level in 0..count {
            let value = match (fixed.get(level), locations.get(level)) {
                (Some(fixed), _) => format!("{fixed:?}"),
                (None, Some(location)) => {
                    let letter = location.component.letter();
                    format!("uintBitsToFloat(P[{}].{letter})", location.register)
                }
                (None, None) => "1.0".to_owned(),
            };
            out.line(format_args!("gl_TessLevel{name}[{level}] = {value};"));
        }
    }
    out.close();
    out.close();
}
