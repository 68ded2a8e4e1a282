//! Runs a hull shader as a tessellation control shader and brings back what it made, word for word.

use std::fmt::Write as _;

use agal::sampler::Sampler;
use backend_gl_probe::tessellation::{Primitive, Tessellation, TessellationRun, Texel};
use backend_gl_probe::texture::{Image, Texels, Texture as ProbeTexture};
use backend_gl_probe::{Flavor, Probe, ProbeError};
use context3d::packets::SamplerState;
use hs50::check::ValidHull;
use hs50::glsl::{Glsl, Levels, Options, Target, emit};
use hs50::interp::Register;
use hs50::names::{Domain, OutputPrimitive, ReturnType};
use hs50::support::Unsupported;

use super::bound::{Bound, is_buffer};
use super::mutations::{Mutation, Place};
use super::texture::{self, SAMPLER, Texture};

/// The input control points of a patch: a register for each element of the input signature.
pub type Patch = Vec<Vec<Register>>;

/// What a control shader made of a patch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The output control points.
    pub control_points: Vec<Vec<Register>>,
    /// The patch constants.
    pub patch_constants: Vec<Register>,
}

/// A vertex that the tessellator made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// The patch.
    pub patch: u32,
    /// The place in the domain.
    pub place: [f32; 3],
    /// `gl_TessLevelOuter`, as bits.
    pub outer: [u32; 4],
    /// `gl_TessLevelInner`, as bits.
    pub inner: [u32; 2],
}

/// Why a shader can't be run on the driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TessellationError {
    /// The translation lacks something.
    Unsupported(Unsupported),
    /// It reads a texture of a kind that a run does not give it, or compares with one.
    Textures(String),
    /// The driver.
    Probe(ProbeError),
    /// What is made here is wrong.
    Internal(String),
}

impl std::fmt::Display for TessellationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TessellationError::Unsupported(what) => what.fmt(f),
            TessellationError::Textures(name) => write!(
                f,
                "{name}: only buffers, 2D textures and cubes of floats without comparison are given to the driver"
            ),
            TessellationError::Probe(error) => error.fmt(f),
            TessellationError::Internal(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for TessellationError {}

impl From<ProbeError> for TessellationError {
    fn from(error: ProbeError) -> Self {
        TessellationError::Probe(error)
    }
}

/// A context for hull shaders.
#[derive(Debug)]
pub struct TessellationContext {
    probe: Probe,
    target: Target,
    /// What is done wrong on purpose.
    pub(super) mutation: Option<&'static Mutation>,
}

/// Registers that a captured vertex carries besides its number.
const CARRIED: usize = 12;
/// Most lines that an isoline patch is divided into.
const MAX_LINES: usize = 64;
/// Words that a vertex of [`TessellationContext::tessellate`] has.
const VERTEX_WORDS: usize = 16;
/// Vertices that a patch is divided into, at most: two triangles for each of 64 times 64 squares, and some more.
const MOST_VERTICES: usize = 3 * 2 * 65 * 65;

impl TessellationContext {
    /// Opens a context for a dialect.
    ///
    /// # Errors
    /// [`TessellationError::Probe`], also where the driver has no tessellation.
    pub fn open(target: Target) -> Result<TessellationContext, TessellationError> {
        let flavor = match target {
            Target::Core400 => Flavor::Core,
            Target::Es320 => Flavor::Es,
        };
        let probe = Probe::open(flavor)?;
        probe.require_tessellation()?;
        Ok(TessellationContext {
            probe,
            target,
            mutation: None,
        })
    }

    /// The driver's name of itself.
    pub fn renderer(&self) -> &str {
        self.probe.renderer()
    }

    /// Does a mutation change what becomes of a shader?
    pub(super) fn reaches(&self, mutation: &Mutation, hull: &ValidHull) -> bool {
        let glsl = emit(hull, self.options(Levels::Program));
        glsl.is_ok_and(|glsl| mutation.apply(Place::Control, &glsl.control).is_some())
    }

    fn options(&self, levels: Levels) -> Options {
        Options {
            target: self.target,
            levels,
        }
    }

    /// A text with the mutation, if there is one.
    fn mutated(&self, place: Place, text: String) -> String {
        let mutation = self.mutation;
        let changed = mutation.and_then(|mutation| mutation.apply(place, &text));
        changed.unwrap_or(text)
    }

    /// What the control shader makes of each patch, whatever its tessellation factors are.
    ///
    /// # Errors
    /// [`TessellationError`].
    pub fn capture(
        &mut self,
        hull: &ValidHull,
        patches: &[Patch],
        bound: &Bound,
    ) -> Result<Vec<Captured>, TessellationError> {
        let points = hull.output_points as usize;
        let per_point = if points > 0 {
            hull.output_registers as usize
        } else {
            0
        };
        let total = points * per_point + hull.patch_registers as usize;
        // Isolines give as many vertices as are needed to carry everything, each a part.
        let lines = total.div_ceil(2 * CARRIED).clamp(1, MAX_LINES);
        #[expect(clippy::cast_precision_loss, reason = "at most 64")]
        let outer = [lines as f32, 1.0, 1.0, 1.0];
        let levels = Levels::Fixed {
            outer,
            inner: [1.0; 2],
        };
        let evaluation = [
            self.target.header(),
            "layout(isolines, equal_spacing, point_mode) in;\n",
            &capture_shader(hull, per_point, total, lines),
        ]
        .concat();
        let names: Vec<String> = (0..=CARRIED).map(|n| format!("w{n}")).collect();
        let words = 4 * (CARRIED + 1);
        let vertices = 2 * lines * patches.len();
        let out = self.run(
            hull,
            patches,
            bound,
            &Job {
                levels,
                evaluation,
                names,
                words,
                vertices,
                primitive: Primitive::Points,
            },
        )?;
        let mut flat = vec![vec![[0; 4]; total]; patches.len()];
        for vertex in out.chunks_exact(words) {
            let (registers, _) = vertex.as_chunks::<4>();
            let Some(([patch, part, ..], carried)) = registers.split_first() else {
                continue;
            };
            let Some(patch) = flat.get_mut(*patch as usize) else {
                continue;
            };
            let slots = patch.iter_mut().skip(*part as usize * CARRIED);
            for (slot, register) in slots.zip(carried) {
                *slot = *register;
            }
        }
        let unpack = |registers: Vec<Register>| {
            let (control_points, patch_constants) = registers.split_at(points * per_point);
            let control_points = match per_point {
                0 => vec![Vec::new(); points],
                size => control_points
                    .chunks_exact(size)
                    .map(<[_]>::to_vec)
                    .collect(),
            };
            Captured {
                control_points,
                patch_constants: patch_constants.to_vec(),
            }
        };
        Ok(flat.into_iter().map(unpack).collect())
    }

    /// The vertices that the tessellator makes of the patches, one primitive behind the other.
    ///
    /// # Errors
    /// [`TessellationError`].
    pub fn tessellate(
        &mut self,
        hull: &ValidHull,
        patches: &[Patch],
        bound: &Bound,
    ) -> Result<Vec<Vertex>, TessellationError> {
        let evaluation = format!(
            "{}{}\nflat out uvec4 w0;\nflat out uvec4 w1;\nflat out uvec4 w2;\nflat out uvec4 w3;\nvoid main() {{\n    \
             w0 = uvec4(uint(gl_PrimitiveID), 0u, 0u, 0u);\n    w1 = floatBitsToUint(vec4(gl_TessCoord, 0.0));\n    \
             w2 = floatBitsToUint(vec4(gl_TessLevelOuter[0], gl_TessLevelOuter[1], gl_TessLevelOuter[2], gl_TessLevelOuter[3]));\n    \
             w3 = floatBitsToUint(vec4(gl_TessLevelInner[0], gl_TessLevelInner[1], 0.0, 0.0));\n    \
             gl_Position = vec4(0.0);\n}}\n",
            self.target.header(),
            self.mutated(Place::Layout, hs50::glsl::evaluation_layout(hull))
        );
        let names = ["w0", "w1", "w2", "w3"].map(str::to_owned).to_vec();
        let primitive = match (hull.primitive, hull.domain) {
            (OutputPrimitive::Point, _) => Primitive::Points,
            (_, Domain::Isoline) => Primitive::Lines,
            _ => Primitive::Triangles,
        };
        let job = Job {
            levels: Levels::Program,
            evaluation,
            names,
            words: VERTEX_WORDS,
            vertices: MOST_VERTICES * patches.len().min(8),
            primitive,
        };
        let out = self.run(hull, patches, bound, &job)?;
        let float = |words: [u32; 4]| words.map(f32::from_bits);
        let vertices = out.chunks_exact(VERTEX_WORDS).filter_map(|vertex| {
            let [first, place, outer, inner] = vertex.as_chunks::<4>().0.first_chunk::<4>()?;
            let [x, y, z, _] = float(*place);
            Some(Vertex {
                patch: first[0],
                place: [x, y, z],
                outer: *outer,
                inner: [inner[0], inner[1]],
            })
        });
        Ok(vertices.collect())
    }

    fn run(
        &mut self,
        hull: &ValidHull,
        patches: &[Patch],
        bound: &Bound,
        job: &Job,
    ) -> Result<Vec<u32>, TessellationError> {
        let glsl = emit(hull, self.options(job.levels)).map_err(TessellationError::Unsupported)?;
        let glsl = Glsl {
            control: self.mutated(Place::Control, glsl.control),
            ..glsl
        };
        let registers = hull.input_registers as usize;
        let names: Vec<&str> = job.names.iter().map(String::as_str).collect();
        let fragment = format!("{}void main() {{}}\n", self.target.header());
        let program = self.probe.tessellation_program(&Tessellation {
            vertex: &vertex_shader(self.target, registers),
            control: &glsl.control,
            evaluation: &job.evaluation,
            fragment: &fragment,
            captured: &names,
        })?;
        let mut points = Vec::new();
        for point in patches.iter().flatten() {
            let element = |n: usize| point.get(n).copied().unwrap_or_default();
            points.extend((0..registers).flat_map(element));
        }
        let blocks = blocks(&glsl, bound);
        let blocks: Vec<_> = blocks
            .iter()
            .map(|(name, registers)| (name.clone(), registers.as_slice()))
            .collect();
        let mut buffers = vec![("points".to_owned(), Texel::Four, points.as_slice())];
        let mut textures: Vec<(String, Sampler, ProbeTexture)> = Vec::new();
        for used in &glsl.textures {
            let resource = hull.resource(used.resource);
            let resource = resource.filter(|resource| !is_buffer(resource.dimension));
            let Some(resource) = resource else {
                let words = bound.words.get(&used.resource);
                let words = words.map_or(&[][..], Vec::as_slice);
                buffers.push((used.name(), Texel::One, words));
                continue;
            };
            let floats = [ReturnType::Float, ReturnType::Unorm, ReturnType::Snorm];
            let floats = ReturnType::from_code(resource.return_type)
                .is_some_and(|kind| floats.contains(&kind));
            let dimension = texture::dimension(resource.dimension);
            let (Some(dimension), true, false) = (dimension, floats, used.compares) else {
                return Err(TessellationError::Textures(used.name()));
            };
            let black = Texture::new(
                dimension,
                (1, 1),
                vec![vec![[0.0; 4]; dimension.faces().into()]],
            );
            let black = black.map_err(|error| TessellationError::Internal(error.to_string()))?;
            let texture = bound.textures.get(&used.resource).unwrap_or(&black);
            if texture.dimension() != dimension {
                return Err(TessellationError::Textures(used.name()));
            }
            let (width, height) = texture.size();
            let made = self.probe.texture(&Image {
                dimension,
                width,
                height,
                texels: Texels::Floats(&texture.images()),
            })?;
            // What is loaded from needs all its levels.
            let sampler = used.sampler.map_or(SAMPLER, |slot| bound.sampler(slot));
            textures.push((used.name(), sampler, made));
        }
        let textures: Vec<_> = textures
            .iter()
            .map(|(name, sampler, texture)| (name.clone(), texture, SamplerState::from(sampler)))
            .collect();
        let run = TessellationRun {
            patch_vertices: hull.input_points,
            patches: u32::try_from(patches.len()).unwrap_or(u32::MAX),
            primitive: job.primitive,
            words: job.words,
            most_vertices: job.vertices,
            blocks: &blocks,
            buffers: &buffers,
            textures: &textures,
        };
        Ok(self.probe.run_tessellation(&program, &run)?)
    }
}

/// One draw.
struct Job {
    levels: Levels,
    evaluation: String,
    names: Vec<String>,
    words: usize,
    vertices: usize,
    primitive: Primitive,
}

/// Constant buffers as long as the shader declares them: what is not bound is 0.
fn blocks(glsl: &Glsl, bound: &Bound) -> Vec<(String, Vec<Register>)> {
    let block = |(slot, size): &(u32, u32)| {
        let mut registers = bound.constants.get(slot).cloned().unwrap_or_default();
        registers.resize(*size as usize, [0; 4]);
        (format!("Cb{slot}"), registers)
    };
    glsl.buffers.iter().map(block).collect()
}

fn vertex_shader(target: Target, registers: usize) -> String {
    let mut text = target.header().to_owned();
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

/// Each vertex carries a part of all output control points and patch constants, in their order.
fn capture_shader(hull: &ValidHull, per_point: usize, total: usize, lines: usize) -> String {
    let mut text = match per_point {
        0 => String::new(),
        _ => format!("in HsOut {{ uvec4 e[{per_point}]; }} vocp[];\n"),
    };
    let points = hull.output_points as usize * per_point;
    let constants = hull.patch_registers;
    if constants > 0 {
        text += &format!("patch in HsPatch {{ uvec4 c[{constants}]; }} pc;\n");
    }
    for n in 0..=CARRIED {
        text += &format!("flat out uvec4 w{n};\n");
    }
    text += "uvec4 part(int n) {\n";
    if points > 0 {
        text += &format!(
            "    if (n < {points}) return vocp[min(n, {points} - 1) / {per_point}].e[n % {per_point}];\n"
        );
    }
    if constants > 0 {
        text += &format!(
            "    if (n < {total}) return pc.c[clamp(n - {points}, 0, {constants} - 1)];\n"
        );
    }
    text += &format!(
        "    return uvec4(0u);\n}}\nvoid main() {{\n    \
         int n = int(gl_TessCoord.y * {lines}.0 + 0.5) * 2 + int(gl_TessCoord.x + 0.5);\n    \
         w0 = uvec4(uint(gl_PrimitiveID), uint(n), 0u, 0u);\n"
    );
    for n in 0..CARRIED {
        text += &format!("    w{} = part(n * {CARRIED} + {n});\n", n + 1);
    }
    text += "    gl_Position = vec4(0.0);\n}\n";
    text
}
