//! Runs a hull shader as a tessellation control shader and reads its outputs back, bit for bit.

use std::fmt::Write as _;

use context3d::agal::interp::TexelImage;
use context3d::agal::sampler::SamplerOp;
use context3d::packets::SamplerState;
use hs50::check::ValidHull;
use hs50::glsl::{
    Dialect, HullGlsl, HullGlslOptions, HullTextureUse, TessLevels, emit, evaluation_layout, header,
};
use hs50::interp::HullRegister;
use hs50::names::{Domain, OutputPrimitive, ReturnType};
use hs50::operand::OperandKind;
use hs50::unsupported::UnsupportedFeature;
use thiserror::Error;

use super::bound::BoundResources;
use super::texture::{self, SAMPLER};
use crate::probe::tessellation::{Primitive, TessellationRun, TessellationRunner, TexelFormat};
use crate::probe::texture::{self as driver, TexelData};
use crate::probe::{Flavor, ShaderRunError, ShaderRunner};

/// The input control points of a patch: a register for each element of the input signature.
pub type Patch = Vec<Vec<HullRegister>>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchResult {
    pub control_points: Vec<Vec<HullRegister>>,
    pub patch_constants: Vec<HullRegister>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullVertex {
    /// The index of the patch in the draw.
    pub patch: u32,
    /// `gl_TessCoord`: the position in the domain, each coordinate from 0 to 1.
    pub position: [f32; 3],
    /// `gl_TessLevelOuter`, as bits.
    pub outer: [u32; 4],
    /// `gl_TessLevelInner`, as bits.
    pub inner: [u32; 2],
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TessellationError {
    #[error(transparent)]
    Unsupported(#[from] UnsupportedFeature),
    /// The shader samples a texture that is not a [`TexelImage`], or compares.
    #[error(
        "{0}: only buffers, 2D textures and cubes of floats without comparison are given to the driver"
    )]
    Textures(String),
    #[error(transparent)]
    Probe(#[from] ShaderRunError),
    /// A shader that is generated here is invalid: a bug of this module.
    #[error("{0}")]
    Internal(String),
}

/// The text of a shader that the driver receives, directly or after a translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverText {
    /// The shader's disassembly, which is assembled again after a [`TextMutation`].
    Listing,
    /// The GLSL of the control shader.
    Control,
    /// The layout line of the evaluation shader.
    Layout,
}

/// A deliberate error, to test its detection: returns the changed text, or `None` for an unchanged text.
pub type TextMutation = Box<dyn Fn(DriverText, &str) -> Option<String>>;

pub struct TessellationContext {
    probe: ShaderRunner,
    dialect: Dialect,
    /// A deliberate error that tests inject.
    pub change: Option<TextMutation>,
}

/// Number of registers per captured vertex, in addition to the vertex index.
const CARRIED: usize = 12;
/// Maximum number of lines of an isoline patch.
const MAX_LINES: usize = 64;
/// Number of words of a vertex in [`TessellationContext::tessellate`].
const VERTEX_WORDS: usize = 16;
/// Maximum number of vertices of a tessellated patch: two triangles for each of 64×64 quads, with a margin.
const MAX_VERTICES: usize = 3 * 2 * 65 * 65;

impl TessellationContext {
    /// Opens a context for a dialect. Fails if the driver doesn't support the dialect or tessellation.
    pub fn open(dialect: Dialect) -> Result<TessellationContext, TessellationError> {
        let probe = ShaderRunner::open(Flavor::of(dialect))?;
        probe.require_tessellation()?;
        Ok(TessellationContext { probe, dialect, change: None })
    }

    pub fn renderer(&self) -> &str {
        self.probe.renderer()
    }

    /// Returns whether the deliberate error changes the GLSL of a hull shader.
    pub fn reaches(&self, hull: &ValidHull) -> bool {
        let options = HullGlslOptions { dialect: self.dialect, levels: TessLevels::Program };
        let control = emit(hull, options).map(|glsl| glsl.control).unwrap_or_default();
        self.change.as_ref().is_some_and(|change| {
            change(DriverText::Layout, &evaluation_layout(hull)).is_some()
                || change(DriverText::Control, &control).is_some()
        })
    }

    fn changed(&self, kind: DriverText, text: String) -> String {
        let changed = self.change.as_ref().and_then(|change| change(kind, &text));
        changed.unwrap_or(text)
    }

    /// Returns the control shader's outputs for each patch, independent of its tessellation factors.
    pub fn capture(
        &mut self,
        hull: &ValidHull,
        patches: &[Patch],
        bound: &BoundResources,
    ) -> Result<Vec<PatchResult>, TessellationError> {
        let points = hull.output_points as usize;
        let per_point = if points > 0 { hull.output_registers as usize } else { 0 };
        let total = points * per_point + hull.patch_registers as usize;
        // The evaluation shader runs on isolines with enough vertices to capture all outputs, `CARRIED` per vertex.
        let lines = total.div_ceil(2 * CARRIED).clamp(1, MAX_LINES);
        #[expect(clippy::cast_precision_loss, reason = "at most 64")]
        let outer = [lines as f32, 1.0, 1.0, 1.0];
        let levels = TessLevels::Fixed { outer, inner: [1.0; 2] };
        let words = 4 * (CARRIED + 1);
        let job = DriverJob {
            levels,
            evaluation: capture_shader(self.dialect, hull, per_point, total, lines),
            words,
            vertices: 2 * lines * patches.len(),
            primitive: Primitive::Points,
        };
        let out = self.run(hull, patches, bound, &job)?;
        let mut flat = vec![vec![[0; 4]; total]; patches.len()];
        for vertex in out.chunks_exact(words) {
            let (registers, _) = vertex.as_chunks::<4>();
            let Some(([patch, part, ..], carried)) = registers.split_first() else { continue };
            let Some(patch) = flat.get_mut(*patch as usize) else { continue };
            let slots = patch.iter_mut().skip(*part as usize * CARRIED);
            for (slot, register) in slots.zip(carried) {
                *slot = *register;
            }
        }
        let unpack = |registers: Vec<HullRegister>| {
            let (control_points, patch_constants) = registers.split_at(points * per_point);
            let control_points = match per_point {
                0 => vec![Vec::new(); points],
                size => control_points.chunks_exact(size).map(<[_]>::to_vec).collect(),
            };
            PatchResult { control_points, patch_constants: patch_constants.to_vec() }
        };
        Ok(flat.into_iter().map(unpack).collect())
    }

    /// Returns the vertices that the tessellator generates for the patches, as a list of primitives.
    pub fn tessellate(
        &mut self,
        hull: &ValidHull,
        patches: &[Patch],
        bound: &BoundResources,
    ) -> Result<Vec<HullVertex>, TessellationError> {
        let evaluation = format!(
            "{}{}\n{}void main() {{\n    w0 = uvec4(uint(gl_PrimitiveID), 0u, 0u, 0u);\n    \
             w1 = floatBitsToUint(vec4(gl_TessCoord, 0.0));\n    \
             w2 = floatBitsToUint(vec4(gl_TessLevelOuter[0], gl_TessLevelOuter[1], gl_TessLevelOuter[2], gl_TessLevelOuter[3]));\n    \
             w3 = floatBitsToUint(vec4(gl_TessLevelInner[0], gl_TessLevelInner[1], 0.0, 0.0));\n    \
             gl_Position = vec4(0.0);\n}}\n",
            header(self.dialect),
            self.changed(DriverText::Layout, evaluation_layout(hull)),
            outputs(VERTEX_WORDS / 4)
        );
        let primitive = match (hull.primitive, hull.domain) {
            (OutputPrimitive::Point, _) => Primitive::Points,
            (_, Domain::Isoline) => Primitive::Lines,
            _ => Primitive::Triangles,
        };
        let vertices = MAX_VERTICES * patches.len().min(8);
        let (levels, words) = (TessLevels::Program, VERTEX_WORDS);
        let job = DriverJob { levels, evaluation, words, vertices, primitive };
        let out = self.run(hull, patches, bound, &job)?;
        let vertices = out.chunks_exact(VERTEX_WORDS).filter_map(|vertex| {
            let [first, position, outer, inner] = vertex.as_chunks::<4>().0.first_chunk::<4>()?;
            let [x, y, z, _] = position.map(f32::from_bits);
            let inner = [inner[0], inner[1]];
            Some(HullVertex { patch: first[0], position: [x, y, z], outer: *outer, inner })
        });
        Ok(vertices.collect())
    }

    fn run(
        &mut self,
        hull: &ValidHull,
        patches: &[Patch],
        bound: &BoundResources,
        job: &DriverJob,
    ) -> Result<Vec<u32>, TessellationError> {
        let glsl = emit(hull, HullGlslOptions { dialect: self.dialect, levels: job.levels })?;
        let glsl = HullGlsl { control: self.changed(DriverText::Control, glsl.control), ..glsl };
        let registers = hull.input_registers as usize;
        let names: Vec<String> = (0..job.words / 4).map(|number| format!("w{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let program = self.probe.tessellation_program(&TessellationRunner {
            vertex: &vertex_shader(self.dialect, registers),
            control: &glsl.control,
            evaluation: &job.evaluation,
            fragment: &format!("{}void main() {{}}\n", header(self.dialect)),
            captured: &names,
        })?;
        let mut points = Vec::new();
        for point in patches.iter().flatten() {
            let element = |n: usize| point.get(n).copied().unwrap_or_default();
            points.extend((0..registers).flat_map(element));
        }
        let blocks = blocks(&glsl, bound);
        let blocks = blocks.iter().map(|(name, registers)| (name.clone(), registers.as_slice()));
        let blocks: Vec<_> = blocks.collect();
        let mut buffers = vec![("points".to_owned(), TexelFormat::Four, points.as_slice())];
        let mut textures: Vec<(String, SamplerOp, driver::DriverTexture)> = Vec::new();
        for used in &glsl.textures {
            if let Some((sampler, texture)) = self.texture(hull, bound, used)? {
                textures.push((used.name(), sampler, texture));
            } else {
                let words = bound.words.get(&used.resource).map_or(&[][..], Vec::as_slice);
                buffers.push((used.name(), TexelFormat::One, words));
            }
        }
        let textures = textures
            .iter()
            .map(|(name, sampler, texture)| (name.clone(), texture, SamplerState::from(sampler)));
        let run = TessellationRun {
            patch_vertices: hull.input_points,
            patches: u32::try_from(patches.len()).unwrap_or(u32::MAX),
            primitive: job.primitive,
            words: job.words,
            max_vertices: job.vertices,
            blocks: &blocks,
            buffers: &buffers,
            textures: &textures.collect::<Vec<_>>(),
        };
        Ok(self.probe.run_tessellation(&program, &run)?)
    }

    /// Returns the bound texture and sampler; `None` for a buffer.
    fn texture(
        &mut self,
        hull: &ValidHull,
        bound: &BoundResources,
        used: &HullTextureUse,
    ) -> Result<Option<(SamplerOp, driver::DriverTexture)>, TessellationError> {
        use hs50::names::Dimension::{Buffer, RawBuffer, StructuredBuffer};
        let binding = hull.bindings.get(&(OperandKind::Resource, used.resource));
        let declared = binding.and_then(|binding| Some((binding, binding.dimension?)));
        let Some((binding, declared)) = declared else { return Ok(None) };
        if let Buffer | RawBuffer | StructuredBuffer = declared {
            return Ok(None);
        }
        let unsupported = || TessellationError::Textures(used.name());
        let floats = [ReturnType::Float, ReturnType::Unorm, ReturnType::Snorm];
        let kind = ReturnType::from_code(binding.return_type);
        if used.compares || !kind.is_some_and(|kind| floats.contains(&kind)) {
            return Err(unsupported());
        }
        let dimension = texture::dimension(declared).ok_or_else(unsupported)?;
        let black = TexelImage::constant(dimension.faces(), [0.0; 4]);
        let texture = bound.textures.get(&used.resource).unwrap_or(&black);
        if texture.faces() != dimension.faces() {
            return Err(unsupported());
        }
        let (width, height) = texture.size();
        let images = texture::images(texture);
        let image =
            driver::ProbeImage { dimension, width, height, texels: TexelData::Floats(&images) };
        // Texel loads need access to all levels.
        let sampler = used.sampler.map_or(SAMPLER, |slot| bound.sampler(slot));
        Ok(Some((sampler, self.probe.texture(&image)?)))
    }
}

struct DriverJob {
    levels: TessLevels,
    evaluation: String,
    words: usize,
    vertices: usize,
    primitive: Primitive,
}

fn outputs(count: usize) -> String {
    (0..count).map(|number| format!("flat out uvec4 w{number};\n")).collect()
}

/// Returns the contents of constant buffers in the declared sizes; registers that are not bound are 0.
fn blocks(glsl: &HullGlsl, bound: &BoundResources) -> Vec<(String, Vec<HullRegister>)> {
    let block = |(slot, size): &(u32, u32)| {
        let mut registers = bound.constants.get(slot).cloned().unwrap_or_default();
        registers.resize(*size as usize, [0; 4]);
        (format!("Cb{slot}"), registers)
    };
    glsl.buffers.iter().map(block).collect()
}

fn vertex_shader(dialect: Dialect, registers: usize) -> String {
    let mut text = header(dialect);
    if registers == 0 {
        return text + "void main() { gl_Position = vec4(0.0); }\n";
    }
    // Writing to a string can't fail.
    let _ = write!(
        text,
        "uniform usamplerBuffer points;\nout HsIn {{ uvec4 e[{registers}]; }} point;\nvoid main() {{\n    \
         for (int n = 0; n < {registers}; ++n) point.e[n] = texelFetch(points, gl_VertexID * {registers} + n);\n    \
         gl_Position = vec4(0.0);\n}}\n"
    );
    text
}

/// Returns the evaluation shader for [`TessellationContext::capture`]: each vertex carries some of the output control
/// points and patch constants, in order.
fn capture_shader(
    dialect: Dialect,
    hull: &ValidHull,
    per_point: usize,
    total: usize,
    lines: usize,
) -> String {
    let mut text = header(dialect) + "layout(isolines, equal_spacing, point_mode) in;\n";
    let (points, constants) = (hull.output_points as usize * per_point, hull.patch_registers);
    let mut parts = String::new();
    if per_point > 0 {
        text += &format!("in HsOut {{ uvec4 e[{per_point}]; }} vocp[];\n");
        parts += &format!(
            "    if (n < {points}) return vocp[min(n, {points} - 1) / {per_point}].e[n % {per_point}];\n"
        );
    }
    if constants > 0 {
        text += &format!("patch in HsPatch {{ uvec4 c[{constants}]; }} pc;\n");
        parts += &format!(
            "    if (n < {total}) return pc.c[clamp(n - {points}, 0, {constants} - 1)];\n"
        );
    }
    text += &outputs(CARRIED + 1);
    text += &format!(
        "uvec4 part(int n) {{\n{parts}    return uvec4(0u);\n}}\nvoid main() {{\n    \
         int n = int(gl_TessCoord.y * {lines}.0 + 0.5) * 2 + int(gl_TessCoord.x + 0.5);\n    \
         w0 = uvec4(uint(gl_PrimitiveID), uint(n), 0u, 0u);\n"
    );
    for n in 0..CARRIED {
        text += &format!("    w{} = part(n * {CARRIED} + {n});\n", n + 1);
    }
    text + "    gl_Position = vec4(0.0);\n}\n"
}
