//! `molehill d3d9 glsl`

use ::d3d9::glsl::{Position, Target, emit, emit_pair};
use ::d3d9::{Program, Stage};
use agal::glsl::Dialect;
use clap::{ArgMatches, Command};
use serde_json::json;

use super::input::{self, Input};
use crate::cli::arguments::{self, choice, chosen, clip, clip_of, flag};
use crate::cli::outcome::{self, Outcome, title};
use crate::cli::{Failure, Status};

const AFTER_HELP: &str = "\
Examples:
  molehill d3d9 glsl shader.bin
  molehill d3d9 glsl --target 300es --comments vertex.bin pixel.bin
      a vertex and a pixel shader are also linked

Attribute v0 has location 0, and so on. Varyings are named by usage (vary_texcoord0). Constants are the arrays vc and pc,
integers vi and pi, booleans vb and pb, samplers vs0, ps0, …, colours oC0, ….

Exit status: 0; 1 if a shader breaks a rule or two can't be linked; 2 if the input can't be used.";

pub(super) fn command() -> Command {
    Command::new("glsl")
        .about("Translates shaders to GLSL")
        .after_help(AFTER_HELP)
        .arg(input::argument())
        .arg(choice("target", "VERSION", ["330", "300es"], "Version of GLSL").default_value("330"))
        .arg(clip())
        .arg(flag("fixup", "Add half-pixel offset and mirroring from uniform vec4 d3d9_fixup"))
        .arg(flag("fog", "Add fog to pixel shaders below 3_0, with uniform vec4 d3d9_fog_color"))
        .arg(flag("point-size", "Set gl_PointSize in vertex shaders"))
        .arg(flag("comments", "Add the assembly of every line and names of constants as comments"))
        .arg(arguments::json())
}

fn target(matches: &ArgMatches) -> Target {
    Target {
        clip_depth: clip_of(matches),
        position: match matches.get_flag("fixup") {
            true => Position::Uniform,
            false => Position::Plain,
        },
        fog: matches.get_flag("fog"),
        point_size: matches.get_flag("point-size"),
        comments: matches.get_flag("comments"),
        ..Target::new(chosen(matches, "target", Dialect::from_name).unwrap_or(Dialect::Glsl330))
    }
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

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let inputs = input::read(matches)?;
    let target = target(matches);
    let several = inputs.len() > 1;
    let shown = |input: &Input, shader: String| {
        let title = if several { title("", &input.name) } else { String::new() };
        Outcome {
            text: title + &shader,
            json: json!({ "name": input.name, "glsl": shader }),
            refusal: None,
        }
    };
    let refused = |input: &Input, error: &dyn std::error::Error| {
        Outcome::refused(&input.name, &format!("{}: {error}", input.name))
    };
    let outcomes = match pair(&inputs) {
        Some([(first, vertex), (second, pixel)]) => match emit_pair(vertex, pixel, &target) {
            Ok((vertex, pixel)) => vec![shown(first, vertex), shown(second, pixel)],
            Err(error) => vec![refused(first, &error)],
        },
        None => input::outcomes(&inputs, |input, program| match emit(program, &target) {
            Ok(shader) => shown(input, shader),
            Err(error) => refused(input, &error),
        }),
    };
    outcome::print(matches, json!({ "target": target.dialect.name() }), outcomes)
}
