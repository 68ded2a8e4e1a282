//! `molehill d3d9 glsl`

use ::d3d9::glsl::{Position, Target, emit, emit_pair};
use ::d3d9::{Program, Stage};
use agal::glsl::{ClipDepth, Dialect};
use serde_json::json;

use super::input::{Input, Inputs, results};
use crate::cli::{CLIPS, Failure, InputResult, Status, choice, named, per_input, title};

/// Translates shaders to GLSL
#[derive(clap::Args)]
pub(in crate::cli) struct Glsl {
    #[command(flatten)]
    inputs: Inputs,
    /// Version of GLSL
    #[arg(long, value_name = "VERSION", default_value = "330",
        value_parser = named(&[Dialect::Glsl330, Dialect::Glsl300Es], Dialect::name))]
    target: Dialect,
    /// Depth range to which the driver clips
    #[arg(long, value_name = "RANGE", default_value = CLIPS[0].1, value_parser = choice(CLIPS))]
    clip: ClipDepth,
    /// Add half-pixel offset and mirroring from uniform vec4 d3d9_fixup
    #[arg(long)]
    fixup: bool,
    /// Add fog to pixel shaders below 3_0, with uniform vec4 d3d9_fog_color
    #[arg(long)]
    fog: bool,
    /// Set gl_PointSize in vertex shaders
    #[arg(long)]
    point_size: bool,
    /// Add the assembly of every line and names of constants as comments
    #[arg(long)]
    comments: bool,
}

/// The vertex and the pixel shader, if there is one of each.
fn pair(inputs: &[Input]) -> Option<[(&Input, &Program); 2]> {
    let [one, other] = inputs else { return None };
    let [a, b] = [(one, one.shader.as_ref().ok()?), (other, other.shader.as_ref().ok()?)];
    match [a, b].map(|(_, program)| program.version.stage()) {
        [Stage::Vertex, Stage::Fragment] => Some([a, b]),
        [Stage::Fragment, Stage::Vertex] => Some([b, a]),
        _ => None,
    }
}

impl Glsl {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let inputs = self.inputs.read()?;
        let target = Target {
            clip_depth: self.clip,
            position: if self.fixup { Position::Uniform } else { Position::Plain },
            fog: self.fog,
            point_size: self.point_size,
            comments: self.comments,
            ..Target::new(self.target)
        };
        let several = inputs.len() > 1;
        let shown = |input: &Input, shader: String| {
            let title = if several { title("", &input.name) } else { String::new() };
            let (text, json) = (title + &shader, json!({ "name": input.name, "glsl": shader }));
            InputResult { text, json, refusal: None }
        };
        let refused = |input: &Input, error: &dyn std::error::Error| {
            InputResult::refused(&input.name, &format!("{}: {error}", input.name))
        };
        let results = match pair(&inputs) {
            Some([(first, vertex), (second, pixel)]) => match emit_pair(vertex, pixel, &target) {
                Ok((vertex, pixel)) => vec![shown(first, vertex), shown(second, pixel)],
                Err(error) => vec![refused(first, &error)],
            },
            None => results(&inputs, |input, program| match emit(program, &target) {
                Ok(shader) => shown(input, shader),
                Err(error) => refused(input, &error),
            }),
        };
        per_input::print(self.inputs.output, json!({ "target": target.dialect.name() }), results)
    }
}
