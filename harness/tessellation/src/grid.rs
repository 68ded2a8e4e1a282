//! The points that the tessellator makes: their count and places on the edges, as the reference gives them.

use hs50::check::{Options, ValidHull, check};
use hs50::interp::{Tessellation, segments};
use hs50::names::{Domain, Partitioning};
use hs50::text::assemble;

use super::lab::LabError;
use super::{Bound, Lab, Vertex, interpret};

/// A hull shader that gives these factors and nothing else. A point's primitive: every point once.
pub fn shader(
    domain: Domain,
    partitioning: Partitioning,
    factors: &[f32],
    points: bool,
) -> ValidHull {
    let mut text = String::from("// Patch Constant signature:\n//\n");
    let mut declared = String::new();
    let mut code = String::new();
    for (register, name) in domain.factors().enumerate() {
        let group = [domain.edges(), domain.insides()]
            .into_iter()
            .find(|group| group.contains(&name))
            .unwrap_or(&[]);
        let index = group.iter().position(|own| *own == name).unwrap_or(0);
        text += &format!(
            "// SV_Factor {index} x {register} {} float x\n",
            name.short()
        );
        declared += &format!("dcl_output_siv o{register}.x, {}\n", name.name());
        let bits = factors.get(register).copied().unwrap_or(1.0).to_bits();
        code += &format!("mov o{register}.x, l({bits:#010x})\n");
    }
    let primitive = match domain {
        _ if points => "point",
        Domain::Isoline => "line",
        Domain::Tri | Domain::Quad => "triangle_cw",
    };
    text += &format!(
        "// Input signature:\n// DATA 0 xyzw 0 NONE float xyzw\nhs_5_0\nhs_decls \ndcl_input_control_point_count 1\n\
         dcl_output_control_point_count 0\ndcl_tessellator_domain {}\ndcl_tessellator_partitioning {}\n\
         dcl_tessellator_output_primitive output_{primitive}\nhs_fork_phase \n{declared}{code}ret \n",
        domain.name(),
        partitioning.name(),
    );
    let valid = assemble(&text)
        .ok()
        .and_then(|shader| check(&shader, Options::default()).ok());
    match valid.map(|report| report.valid()) {
        Some(Ok(hull)) => hull,
        #[expect(clippy::panic, reason = "the text is made here")]
        other => panic!("{other:?}\n{text}"),
    }
}

/// What is wrong with the points that a driver makes of uniform factors, if anything.
///
/// # Errors
/// [`LabError`] where it can't be run.
pub fn judge(
    lab: &mut Lab,
    domain: Domain,
    partitioning: Partitioning,
    factor: f32,
) -> Result<Option<String>, LabError> {
    let factors = vec![factor; domain.factors().count()];
    let hull = shader(domain, partitioning, &factors, true);
    let patches = vec![vec![vec![[0; 4]]]];
    let bound = Bound::default();
    let vertices = lab.tessellate(&hull, &patches, &bound)?;
    let outcome = interpret(&hull, &patches, &bound);
    let taken = outcome
        .ok()
        .and_then(|outcomes| outcomes.into_iter().next())
        .map(|outcome| outcome.tessellation);
    let Some(Tessellation::Divided { edges, insides }) = taken else {
        return Ok((!vertices.is_empty())
            .then(|| format!("culled, but there are {} points", vertices.len())));
    };
    Ok(wrong(domain, partitioning, &edges, &insides, &vertices))
}

fn wrong(
    domain: Domain,
    partitioning: Partitioning,
    edges: &[f32],
    insides: &[f32],
    vertices: &[Vertex],
) -> Option<String> {
    let count = |factor: &f32| segments(partitioning, *factor) as usize;
    let edge = edges.first().map_or(0, count);
    let expected = match domain {
        // Lines at v = 0, 1/n, …, without the one at 1.
        Domain::Isoline => {
            let density = edges.first().map_or(0, |factor| {
                segments(Partitioning::Integer, *factor) as usize
            });
            density * (edges.get(1).map_or(0, count) + 1)
        }
        Domain::Quad => quad_points(edge, insides.first().map_or(0, count)),
        Domain::Tri => tri_points(edge, insides.first().map_or(0, count)),
    };
    if vertices.len() != expected {
        return Some(format!("{} points, expected {expected}", vertices.len()));
    }
    if domain == Domain::Isoline {
        return None;
    }
    // Along the edge where the first coordinate is 0 there are as many points as segments, and one.
    let mut along: Vec<f32> = vertices
        .iter()
        .filter(|vertex| vertex.place[0] == 0.0)
        .map(|vertex| vertex.place[1])
        .collect();
    along.sort_by(f32::total_cmp);
    if along.len() != edge + 1 {
        return Some(format!(
            "{} points on the edge u = 0, expected {}",
            along.len(),
            edge + 1
        ));
    }
    let whole = matches!(partitioning, Partitioning::Integer | Partitioning::Pow2);
    let mirrored = along
        .iter()
        .zip(along.iter().rev())
        .all(|(a, b)| (a + b - 1.0).abs() < PLACE_ERROR);
    #[expect(clippy::cast_precision_loss, reason = "at most 64")]
    let even = along
        .iter()
        .enumerate()
        .all(|(n, place)| (place - n as f32 / edge as f32).abs() < PLACE_ERROR);
    match (mirrored, even || !whole) {
        (false, _) => Some(format!(
            "the points on the edge u = 0 are not symmetric: {along:?}"
        )),
        (_, false) => Some(format!(
            "the points on the edge u = 0 are not evenly spaced: {along:?}"
        )),
        _ => None,
    }
}

/// Places are of 16 fraction bits.
const PLACE_ERROR: f32 = 2.0 / 65_536.0;

/// Four edges, and the inside's grid without its border. An inside of one segment next to more on the edges still gets a
/// second one, which is where its middle comes from.
fn quad_points(edge: usize, inside: usize) -> usize {
    match (edge, inside) {
        (1, 1) => 4,
        (edge, 1) => 4 * edge + 1,
        (edge, inside) => 4 * edge + (inside - 1) * (inside - 1),
    }
}

/// Three edges, and rings of two segments less each, down to a triangle or a point.
fn tri_points(edge: usize, inside: usize) -> usize {
    let rings = (1..inside.saturating_sub(1)).rev().step_by(2);
    let inner: usize = match inside {
        0 | 1 => usize::from(edge > 1),
        2 => 1,
        _ => {
            rings.map(|segments| 3 * segments).sum::<usize>()
                + usize::from(inside.is_multiple_of(2))
        }
    };
    3 * edge + inner
}
