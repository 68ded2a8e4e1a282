//! The tessellator's grids: draws them, and checks the number and positions of their vertices for given tessellation
//! factors against the reference ([hs50.tessellator.edges] [hs50.gl.levels]).

use context3d::agal::operand::Component;
use hs50::check::ValidHull;
use hs50::generate::factor_signature;
use hs50::interp::{HullRegister, TessellationLevels, segments};
use hs50::names::{Domain, OutputPrimitive, Partitioning};

use super::context::TessellationError;
use super::fuzz::valid;
use super::{BoundResources, HullVertex, Patch, TessellationContext, interpret, picture};

/// Tested tessellation factors, used for all edges and the inside: below, between and above the bounds, whole and
/// fractional.
pub const UNIFORM: [f32; 14] =
    [0.5, 1.0, 1.2, 2.0, 2.5, 3.1, 7.0, 8.0, 63.5, 64.0, 100.0, f32::INFINITY, 0.0, f32::NAN];
/// Sets of different factors: four edges and two insides of a quad; other domains use only some of them.
pub const MIXED: [[f32; 6]; 2] = [[1.0, 2.0, 3.5, 5.0, 4.0, 6.5], [7.3, 1.0, 9.0, 2.2, 2.0, 3.0]];

/// Maximum error of a position, which has 16 fraction bits.
const POSITION_ERROR: f32 = 4.0 / 65_536.0;
/// Maximum error of a length: a position is the sum of up to 32 lengths with 16 fraction bits.
const LENGTH_ERROR: f32 = 32.0 / 65_536.0;

/// Returns a hull shader that only copies its tessellation factors from its control point.
pub fn shader(
    domain: Domain,
    partitioning: Partitioning,
    primitive: OutputPrimitive,
) -> Result<ValidHull, String> {
    let (mut declared, mut code) = (String::new(), String::new());
    for (register, factor) in domain.factors().enumerate() {
        let letter = Component::ALL[register % 4].letter();
        declared += &format!("dcl_output_siv o{register}.x, {}\n", factor.name());
        code += &format!("mov o{register}.x, vicp[0][{}].{letter}\n", register / 4);
    }
    let text = format!(
        "{}// Input signature:\n// DATA 0 xyzw 0 NONE float xyzw\n// DATA 1 xyzw 1 NONE float xyzw\nhs_5_0\nhs_decls \n\
         dcl_input_control_point_count 1\ndcl_output_control_point_count 0\ndcl_tessellator_domain {}\n\
         dcl_tessellator_partitioning {}\ndcl_tessellator_output_primitive {}\nhs_fork_phase \n\
         dcl_input vicp[1][0].xyzw\ndcl_input vicp[1][1].xyzw\n{declared}{code}ret \n",
        factor_signature(domain),
        domain.name(),
        partitioning.name(),
        primitive.name(),
    );
    valid(&text)
}

/// Returns the [`shader`]s that [`check`] runs: for points, and for lines or triangles.
pub fn shaders(domain: Domain, partitioning: Partitioning) -> Result<[ValidHull; 2], String> {
    let primitive = match domain {
        Domain::Isoline => OutputPrimitive::Line,
        Domain::Tri | Domain::Quad => OutputPrimitive::TriangleCw,
    };
    let points = shader(domain, partitioning, OutputPrimitive::Point)?;
    Ok([points, shader(domain, partitioning, primitive)?])
}

#[derive(Clone, Debug)]
pub struct GridCheck {
    /// The detected errors, each with its tessellation factors.
    pub wrong: Vec<String>,
    shader: ValidHull,
    /// The corners of each grid's lines or triangles.
    grids: Vec<Vec<HullVertex>>,
}

const TILE: u32 = 144;
const COLUMNS: u32 = 4;

/// Draws one patch for each set of [`UNIFORM`] and [`MIXED`] factors with the driver, and checks the grids.
pub fn check(
    context: &mut TessellationContext,
    domain: Domain,
    partitioning: Partitioning,
) -> Result<GridCheck, TessellationError> {
    let sets: Vec<[f32; 6]> = UNIFORM.map(|factor| [factor; 6]).into_iter().chain(MIXED).collect();
    let patch = |[a, b, c, d, e, f]: &[f32; 6]| -> Patch {
        let registers = [[*a, *b, *c, *d], [*e, *f, 0.0, 0.0]];
        vec![registers.map(|register| register.map(f32::to_bits)).to_vec()]
    };
    let patches: Vec<Patch> = sets.iter().map(patch).collect();
    let bound = BoundResources::default();
    let [points, whole] = shaders(domain, partitioning).map_err(TessellationError::Internal)?;
    let run = |reason: hs50::interp::HullRunError| TessellationError::Internal(reason.to_string());
    let outcomes = interpret(&points, &patches, &bound).map_err(run)?;
    let vertices = context.tessellate(&points, &patches, &bound)?;
    let primitives = context.tessellate(&whole, &patches, &bound)?;
    let mut checked = GridCheck { wrong: Vec::new(), shader: whole, grids: Vec::new() };
    for (number, (set, outcome)) in (0u32..).zip(sets.iter().zip(outcomes)) {
        let of_patch = |all: &[HullVertex]| -> Vec<HullVertex> {
            all.iter().copied().filter(|vertex| vertex.patch == number).collect()
        };
        let (own, corners) = (of_patch(&vertices), of_patch(&primitives));
        let expected = ExpectedGrid { domain, partitioning, tessellation: outcome.tessellation };
        let wrong = expected.points(&own).or_else(|| expected.primitives(&corners));
        let used: Vec<f32> = set.iter().copied().take(domain.factors().count()).collect();
        checked.wrong.extend(wrong.map(|wrong| format!("factors {used:?}: {wrong}")));
        checked.grids.push(corners);
    }
    Ok(checked)
}

impl GridCheck {
    /// Draws all grids side by side. Returns width and height in pixels, and RGBA with the top row first.
    pub fn picture(&self) -> (u32, Vec<u8>) {
        let size = COLUMNS * TILE;
        let mut picture = vec![0; (size * size * 4) as usize];
        let corners = [[-1.0f32, -0.8], [1.0, -0.8], [0.0, 0.9]];
        let corners = corners.map(|[x, y]| vec![[x, y, 0.0, 1.0].map(f32::to_bits)]);
        let points: &[Vec<HullRegister>] = match self.shader.domain {
            Domain::Tri => &corners,
            Domain::Quad | Domain::Isoline => &[],
        };
        for (number, vertices) in (0..).zip(&self.grids) {
            let tile = picture::draw(&self.shader, points, vertices, TILE);
            let (left, top) = (number % COLUMNS * TILE, number / COLUMNS * TILE);
            for (row, line) in (top..).zip(tile.chunks_exact(4 * TILE as usize)) {
                let start = 4 * (row * size + left) as usize;
                if let Some(slot) = picture.get_mut(start..start + line.len()) {
                    slot.copy_from_slice(line);
                }
            }
        }
        (size, picture)
    }
}

struct ExpectedGrid {
    domain: Domain,
    partitioning: Partitioning,
    tessellation: TessellationLevels,
}

impl ExpectedGrid {
    fn count(&self, factor: f32) -> usize {
        segments(self.partitioning, factor) as usize
    }

    /// Checks the number of distinct points, and the positions on edges. Returns the first error.
    fn points(&self, vertices: &[HullVertex]) -> Option<String> {
        let TessellationLevels::Tessellated { edges, insides } = &self.tessellation else {
            let count = vertices.len();
            return (count > 0).then(|| format!("culled, but there are {count} points"));
        };
        let around: Vec<usize> = edges.iter().map(|factor| self.count(*factor)).collect();
        let within: Vec<usize> = insides.iter().map(|factor| self.count(*factor)).collect();
        let divided = around.iter().any(|edge| *edge > 1);
        let border = around.iter().sum::<usize>();
        let expected = match (self.domain, within.as_slice()) {
            // Lines are at v = 0, 1/n, …, but not at v = 1.
            (Domain::Isoline, _) => self.lines() * (around.get(1).copied().unwrap_or(0) + 1),
            (Domain::Quad, [u, v]) => border + quad_inside(*u, *v, divided),
            (_, [inside, ..]) => border + tri_inside(*inside, divided),
            (_, []) => border,
        };
        if vertices.len() != expected {
            let count = vertices.len();
            return Some(format!("{count} points, expected {expected}"));
        }
        if self.domain == Domain::Isoline {
            return self.isolines(vertices, edges.get(1).copied().unwrap_or(1.0));
        }
        let names = self.domain.edges().iter();
        let mut sides = names.zip(edges).zip(sides(self.domain));
        sides.find_map(|((name, factor), (on, along))| {
            let own = vertices.iter().filter(|vertex| on(vertex.position));
            let positions = own.map(|vertex| along(vertex.position)).collect();
            let wrong = self.edge(positions, *factor)?;
            Some(format!("{}: {wrong}", name.name()))
        })
    }

    fn lines(&self) -> usize {
        let TessellationLevels::Tessellated { edges, .. } = &self.tessellation else { return 0 };
        edges.first().map_or(0, |density| segments(Partitioning::Integer, *density) as usize)
    }

    fn isolines(&self, vertices: &[HullVertex], detail: f32) -> Option<String> {
        let lines = self.lines();
        (0..lines).find_map(|line| {
            #[expect(clippy::cast_precision_loss, reason = "at most 64")]
            let v = line as f32 / lines as f32;
            let near = |vertex: &&HullVertex| (vertex.position[1] - v).abs() < POSITION_ERROR;
            let positions = vertices.iter().filter(near).map(|vertex| vertex.position[0]);
            let wrong = self.edge(positions.collect(), detail)?;
            Some(format!("the line at v = {v}: {wrong}"))
        })
    }

    /// Checks the points of an edge: the number of segments must follow from the factor, and the points must be
    /// symmetric. With a whole factor, all segments have equal length. With a fractional factor, two segments are
    /// short, and grow from zero length between two allowed segment counts. The lengths of segments were measured on
    /// llvmpipe, which uses Microsoft's tessellator. Returns the first error.
    fn edge(&self, mut positions: Vec<f32>, factor: f32) -> Option<String> {
        positions.sort_by(f32::total_cmp);
        let count = self.count(factor);
        if positions.len() != count + 1 {
            let found = positions.len();
            return Some(format!("{found} points, expected {}", count + 1));
        }
        let mirrored = positions.iter().zip(positions.iter().rev());
        if mirrored.into_iter().any(|(a, b)| (a + b - 1.0).abs() > POSITION_ERROR) {
            return Some(format!("the points are not symmetric: {positions:?}"));
        }
        let mut lengths: Vec<f32> = positions.windows(2).map(|pair| pair[1] - pair[0]).collect();
        lengths.sort_by(f32::total_cmp);
        let whole = matches!(self.partitioning, Partitioning::Integer | Partitioning::Pow2);
        #[expect(clippy::cast_precision_loss, reason = "at most 64")]
        let (long, short) = if whole || count < 2 {
            (1.0 / count as f32, 1.0 / count as f32)
        } else {
            let (before, after) = ((count - 2) as f32, count as f32);
            let share = (factor - before) / 2.0;
            let short = share / after;
            ((1.0 - 2.0 * short) / before.max(1.0), short)
        };
        let wanted = (0..count).map(|n| if n < 2 { short } else { long });
        let mut pairs = lengths.iter().zip(wanted);
        let off = pairs.find(|(length, wanted)| (*length - wanted).abs() > LENGTH_ERROR);
        off.map(|(length, wanted)| {
            format!("a segment of {length}, expected {wanted}: {positions:?}")
        })
    }

    /// Checks the triangles or lines: they must cover the domain once, with the same winding, and lines must be
    /// connected. Returns the first error.
    fn primitives(&self, vertices: &[HullVertex]) -> Option<String> {
        if self.tessellation == TessellationLevels::Culled {
            return (!vertices.is_empty()).then(|| "culled, but drawn".to_owned());
        }
        if self.domain == Domain::Isoline {
            let (lines, _) = vertices.as_chunks::<2>();
            let length: f32 = lines.iter().map(|[a, b]| b.position[0] - a.position[0]).sum();
            #[expect(clippy::cast_precision_loss, reason = "at most 64")]
            let expected = self.lines() as f32;
            let level = lines.iter().all(|[a, b]| a.position[1] == b.position[1]);
            return (!level || (length - expected).abs() > 0.01)
                .then(|| format!("lines of length {length}, expected {expected}"));
        }
        let (triangles, _) = vertices.as_chunks::<3>();
        let mut area = 0.0f64;
        for [a, b, c] in triangles {
            let [a, b, c] = [a, b, c].map(|vertex| vertex.position.map(f64::from));
            let twice = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
            // GL's `ccw` is Direct3D's clockwise ([hs50.gl.winding]).
            if twice < 0.0 {
                return Some(format!("a triangle the wrong way around: {a:?} {b:?} {c:?}"));
            }
            area += twice / 2.0;
        }
        let expected = if self.domain == Domain::Quad { 1.0 } else { 0.5 };
        ((area - expected).abs() > 1e-3)
            .then(|| format!("triangles of the area {area}, expected {expected}"))
    }
}

/// An edge: a test for positions on the edge, and the coordinate along the edge.
type EdgeTest = (fn([f32; 3]) -> bool, fn([f32; 3]) -> f32);

/// Returns the edges in the order of [`Domain::edges`].
fn sides(domain: Domain) -> &'static [EdgeTest] {
    match domain {
        Domain::Isoline => &[],
        Domain::Tri => &[
            (|[u, ..]| u == 0.0, |[_, v, _]| v),
            (|[_, v, _]| v == 0.0, |[.., w]| w),
            (|[.., w]| w == 0.0, |[u, ..]| u),
        ],
        Domain::Quad => &[
            (|[u, ..]| u == 0.0, |[_, v, _]| v),
            (|[_, v, _]| v == 0.0, |[u, ..]| u),
            (|[u, ..]| u == 1.0, |[_, v, _]| v),
            (|[_, v, _]| v == 1.0, |[u, ..]| u),
        ],
    }
}

/// Returns the number of inner points of a quad. An inside factor of one segment becomes two segments, with a point in
/// the middle, if an edge has more than one segment.
fn quad_inside(u: usize, v: usize, divided: bool) -> usize {
    match (u, v) {
        (1, 1) => usize::from(divided),
        (u, v) => (u.max(2) - 1) * (v.max(2) - 1),
    }
}

/// Returns the number of inner points of a triangle: rings with two segments fewer each, down to a triangle or point.
fn tri_inside(inside: usize, divided: bool) -> usize {
    let rings = (1..inside.saturating_sub(1)).rev().step_by(2);
    match inside {
        0 | 1 => usize::from(divided),
        2 => 1,
        _ => rings.map(|segments| 3 * segments).sum::<usize>() + (inside + 1) % 2,
    }
}
