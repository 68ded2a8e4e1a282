//! Translates a hull shader to an OpenGL tessellation control shader (hs-5-0.md, 4.4 and 5).
//!
//! Every register, also in the interface blocks, is a `uvec4`, which keeps all bits; each use converts. Phases are
//! functions. After the control point phase comes a barrier, then invocation 0 runs the fork and join phases.
//!
//! ```text
//! in  HsIn    { uvec4 e[…]; } vicp[];     a register for each element of the input signature
//! out HsOut   { uvec4 e[…]; } vocp[];     … of the output signature
//! patch out HsPatch { uvec4 c[…]; } pc;   … of the patch constant signature
//! uniform Cb0 { uvec4 cb0[…]; };          constant buffers, std140
//! uniform … t0, t0_s0;                    buffers, textures that are loaded from, textures with their sampler
//! ```

mod code;
mod phase;
mod prelude;
mod resource;

use std::collections::BTreeSet;
use std::fmt::Write;

pub use shader_core::glsl::Dialect;

use crate::check::ValidHull;
use crate::hull::{Hull, Phase};
use crate::names::{Domain, OutputPrimitive, Partitioning};
use crate::operand::letters;
use crate::register::PhaseKind;
use crate::support::Unsupported;

/// The dialects that hull shaders are translated to; GLSL ES has no doubles and 1D textures.
pub const DIALECTS: [Dialect; 2] = [Dialect::Glsl400, Dialect::Glsl320Es];

/// The first lines of a shader.
pub fn header(dialect: Dialect) -> String {
    let buffers = ["samplerBuffer", "isamplerBuffer", "usamplerBuffer"];
    format!("{}\n{}", dialect.version_line(), dialect.precision_lines(false, &buffers))
}

/// The tessellation levels that the control shader writes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum TessLevels {
    /// The factors that the program computes.
    #[default]
    Program,
    /// These levels instead: shows patches that would be culled.
    Fixed {
        /// `gl_TessLevelOuter`
        outer: [f32; 4],
        /// `gl_TessLevelInner`
        inner: [f32; 2],
    },
}

/// Options of the translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// One of [`DIALECTS`].
    pub dialect: Dialect,
    /// The tessellation levels.
    pub levels: TessLevels,
}

impl Default for Options {
    fn default() -> Options {
        Options { dialect: Dialect::Glsl400, levels: TessLevels::Program }
    }
}

/// A uniform for a texture or buffer that the shader reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextureUse {
    /// `t#`
    pub resource: u32,
    /// `s#`; `None` for loads without a sampler.
    pub sampler: Option<u32>,
    /// Whether it is a comparison sampler.
    pub compares: bool,
}

impl TextureUse {
    /// The name of the uniform.
    pub fn name(&self) -> String {
        match (self.sampler, self.compares) {
            (None, _) => format!("t{}", self.resource),
            (Some(sampler), false) => format!("t{}_s{sampler}", self.resource),
            (Some(sampler), true) => format!("t{}_s{sampler}_compare", self.resource),
        }
    }
}

/// A translated control shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glsl {
    /// The GLSL source.
    pub control: String,
    /// The layout declaration for the evaluation shader.
    pub evaluation_layout: String,
    /// Uniforms for textures and buffers.
    pub textures: Vec<TextureUse>,
    /// Slot and declared size in registers of each constant buffer; the uniform block is `Cb#`.
    pub buffers: Vec<(u32, u32)>,
}

/// Declared size, in registers, of a constant buffer whose size the shader doesn't declare: Direct3D's maximum.
const UNKNOWN_SIZE: u32 = 4096;

/// Translates a hull shader.
///
/// # Errors
/// [`Unsupported`] for interfaces, unordered access views, ranges of slots, some resource reads, and features that the
/// dialect lacks.
pub fn emit(hull: &ValidHull, options: Options) -> Result<Glsl, Unsupported> {
    crate::support::check(hull)?;
    let mut emitter = Emitter {
        hull,
        dialect: options.dialect,
        textures: BTreeSet::new(),
        used: BTreeSet::new(),
        prefix: String::new(),
    };
    let mut phases = String::new();
    for phase in &hull.phases {
        emitter.phase(&mut phases, phase)?;
    }
    let mut main = String::new();
    // Writing to a string can't fail.
    let _ = main_function(&mut main, hull, options.levels);
    let mut control = header(options.dialect);
    if options.dialect == Dialect::Glsl400 && prelude::packs_halves(&emitter.used) {
        control.push_str("#extension GL_ARB_shading_language_packing : require\n");
    }
    let _ = emitter.declarations(&mut control);
    prelude::write(&mut control, &emitter.used);
    control.push_str(&phases);
    control.push_str(&main);
    let buffers = hull.buffers.values();
    let buffers = buffers.map(|buffer| (buffer.slot, declared_size(buffer.size)));
    Ok(Glsl {
        control,
        evaluation_layout: evaluation_layout(hull),
        textures: emitter.textures.into_iter().collect(),
        buffers: buffers.collect(),
    })
}

fn declared_size(size: u32) -> u32 {
    if size == 0 { UNKNOWN_SIZE } else { size }
}

/// The layout declaration, such as `layout(quads, equal_spacing, ccw) in;`. The winding is swapped, because Direct3D's
/// domain has v pointing down (hs-5-0.md, 4.4).
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

pub(crate) struct Emitter<'a> {
    hull: &'a Hull,
    dialect: Dialect,
    textures: BTreeSet<TextureUse>,
    /// Prelude functions that are called.
    used: BTreeSet<&'static str>,
    /// Prefix of the current phase's temporaries.
    prefix: String,
}

/// The name of a phase's function.
fn function(phase: &Phase) -> String {
    match phase.id.kind {
        PhaseKind::ControlPoint => "control_point".to_owned(),
        kind => format!("{kind}{}", phase.id.number),
    }
}

impl Emitter<'_> {
    /// Declares blocks, buffers and constants. The functions for relative addressing return 0 beyond the end. They also
    /// clamp the index, because drivers may read before they select: llvmpipe (Mesa 22.3) crashes on far out-of-range
    /// input indices.
    fn declarations(&self, out: &mut String) -> std::fmt::Result {
        let hull = self.hull;
        writeln!(out, "layout(vertices = {}) out;", hull.output_points.max(1))?;
        let (ni, no, np) = (hull.input_registers, outputs(hull), hull.patch_registers);
        for (direction, block, name, points, count) in [
            ("in", "HsIn", "vicp", hull.input_points, ni),
            ("out", "HsOut", "vocp", hull.output_points, no),
        ] {
            if count > 0 {
                writeln!(out, "{direction} {block} {{ uvec4 e[{count}]; }} {name}[];")?;
                writeln!(
                    out,
                    "uvec4 hs_{direction}(uint v, uint e) {{ return v < {points}u && e < {count}u ? {name}[min(v, {points}u - 1u)].e[min(e, {count}u - 1u)] : uvec4(0u); }}"
                )?;
            }
        }
        if np > 0 {
            writeln!(out, "patch out HsPatch {{ uvec4 c[{np}]; }} pc;\nuvec4 P[{np}];")?;
            writeln!(
                out,
                "uvec4 hs_pc(uint i) {{ return i < {np}u ? P[min(i, {np}u - 1u)] : uvec4(0u); }}"
            )?;
        }
        for buffer in hull.buffers.values() {
            let (slot, size) = (buffer.slot, declared_size(buffer.size));
            writeln!(out, "layout(std140) uniform Cb{slot} {{ uvec4 cb{slot}[{size}]; }};")?;
        }
        for texture in &self.textures {
            let kind = self.sampler_type(texture);
            writeln!(out, "uniform highp {kind} {};", texture.name())?;
        }
        if !hull.constants.is_empty() {
            let count = hull.constants.len();
            let rows = hull.constants.iter().map(|row| code::immediate(row));
            let rows: Vec<_> = rows.collect();
            writeln!(
                out,
                "const uvec4 icb[{count}] = uvec4[{count}](\n    {});",
                rows.join(",\n    ")
            )?;
        }
        Ok(())
    }
}

/// Registers per output control point; 0 without output control points.
fn outputs(hull: &Hull) -> u32 {
    if hull.output_points == 0 { 0 } else { hull.output_registers }
}

fn main_function(out: &mut String, hull: &Hull, levels: TessLevels) -> std::fmt::Result {
    out.push_str("void main() {\n");
    for register in 0..outputs(hull) {
        let value = match hull.passes_through() && register < hull.input_registers {
            true => format!("vicp[gl_InvocationID].e[{register}]"),
            false => "uvec4(0u)".to_owned(),
        };
        writeln!(out, "    vocp[gl_InvocationID].e[{register}] = {value};")?;
    }
    if hull.control_point_phase().is_some() && hull.output_points > 0 {
        out.push_str("    control_point();\n");
    }
    out.push_str("    barrier();\n    if (gl_InvocationID == 0) {\n");
    for register in 0..hull.patch_registers {
        writeln!(out, "        P[{register}] = uvec4(0u);")?;
    }
    let phases = hull.phases.iter();
    for phase in phases.filter(|phase| phase.id.kind != PhaseKind::ControlPoint) {
        let name = function(phase);
        match phase.instances {
            1 => writeln!(out, "        {name}(0u);")?,
            count => writeln!(out, "        for (uint n = 0u; n < {count}u; ++n) {name}(n);")?,
        }
    }
    for register in 0..hull.patch_registers {
        writeln!(out, "        pc.c[{register}] = P[{register}];")?;
    }
    let (edges, insides) = hull.split_factors();
    let fixed = match levels {
        TessLevels::Program => None,
        TessLevels::Fixed { outer, inner } => Some((outer, inner)),
    };
    let values = [
        ("Outer", 4, edges, fixed.map(|(outer, _)| outer.to_vec())),
        ("Inner", 2, insides, fixed.map(|(_, inner)| inner.to_vec())),
    ];
    for (name, count, locations, fixed) in values {
        for level in 0..count {
            let fixed = fixed.as_ref().and_then(|values| values.get(level));
            let value = match (fixed, locations.get(level)) {
                (Some(fixed), _) => format!("{fixed:?}"),
                (None, Some(location)) => {
                    let component = letters(1 << location.component);
                    format!("uintBitsToFloat(P[{}].{component})", location.register)
                }
                (None, None) => "1.0".to_owned(),
            };
            writeln!(out, "        gl_TessLevel{name}[{level}] = {value};")?;
        }
    }
    out.push_str("    }\n}\n");
    Ok(())
}
