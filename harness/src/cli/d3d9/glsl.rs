//! `molehill d3d9 glsl`

use ::d3d9::Stage;
use ::d3d9::glsl::{Position, Target, emit, emit_pair};
use agal::glsl::{ClipDepth, Dialect};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use serde_json::json;

use super::dis::flag;
use super::input;
use crate::cli::{Failure, Status, json_argument, output};

const AFTER_HELP: &str = "\
Examples:
  molehill d3d9 glsl shader.bin
  molehill d3d9 glsl --target 300es --comments vertex.bin pixel.bin
      a vertex and a pixel shader are linked as well

Attributes are v0, v1, … at these locations, varyings are named by usage (vary_texcoord0), constants are the arrays vc and
pc, integers vi and pi, truth values vb and pb, samplers vs0, ps0, …, colours oC0, ….

Exit status: 0, 1 if a shader breaks a rule or two don't fit, 2 if the input can't be used.";

const CLIPS: [(&str, ClipDepth); 2] = [
    ("minus-one-to-one", ClipDepth::MinusOneToOne),
    ("zero-to-one", ClipDepth::ZeroToOne),
];

pub(super) fn command() -> Command {
    Command::new("glsl")
        .about("Translates shaders to GLSL")
        .after_help(AFTER_HELP)
        .arg(input::argument())
        .arg(
            Arg::new("target")
                .long("target")
                .value_name("VERSION")
                .value_parser(["330", "300es"])
                .default_value("330")
                .help("The version of GLSL"),
        )
        .arg(
            Arg::new("clip")
                .long("clip")
                .value_name("RANGE")
                .value_parser(PossibleValuesParser::new(CLIPS.map(|(name, _)| name)))
                .default_value("minus-one-to-one")
                .help("The depth that the driver clips to"),
        )
        .arg(flag(
            "fixup",
            "Half-pixel offset and mirroring by uniform vec4 d3d9_fixup",
        ))
        .arg(flag(
            "fog",
            "Pixel shaders below 3_0 blend with uniform vec4 d3d9_fog_color",
        ))
        .arg(flag("point-size", "Vertex shaders set gl_PointSize"))
        .arg(flag(
            "comments",
            "Put the assembly behind every line, and name constants",
        ))
        .arg(json_argument())
}

fn target(matches: &ArgMatches) -> Target {
    let dialect = matches.get_one::<String>("target");
    let dialect = dialect.and_then(|name| Dialect::from_name(name));
    let clip = matches.get_one::<String>("clip");
    let clip = CLIPS
        .iter()
        .find(|(name, _)| clip.is_some_and(|clip| clip == name));
    Target {
        clip_depth: clip.map_or(ClipDepth::MinusOneToOne, |(_, clip)| *clip),
        position: match matches.get_flag("fixup") {
            true => Position::Uniform,
            false => Position::Plain,
        },
        fog: matches.get_flag("fog"),
        point_size: matches.get_flag("point-size"),
        comments: matches.get_flag("comments"),
        ..Target::new(dialect.unwrap_or(Dialect::Glsl330))
    }
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let inputs = input::read(matches)?;
    let target = target(matches);
    let mut status = Status::Success;
    let mut made: Vec<(String, Result<String, String>)> = Vec::new();
    let pair = match inputs.as_slice() {
        [one, other] => match (&one.shader, &other.shader) {
            (Ok(a), Ok(b)) if a.version.stage() != b.version.stage() => match a.version.stage() {
                Stage::Vertex => Some(((one, a), (other, b))),
                Stage::Fragment => Some(((other, b), (one, a))),
            },
            _ => None,
        },
        _ => None,
    };
    if let Some(((first, vertex), (second, pixel))) = pair {
        match emit_pair(vertex, pixel, &target) {
            Ok((vertex, pixel)) => {
                made.push((first.name.clone(), Ok(vertex)));
                made.push((second.name.clone(), Ok(pixel)));
            }
            Err(error) => made.push((first.name.clone(), Err(format!("{}: {error}", first.name)))),
        }
    } else {
        for input in &inputs {
            let text = input.shader.clone().and_then(|program| {
                emit(&program, &target).map_err(|error| format!("{}: {error}", input.name))
            });
            made.push((input.name.clone(), text));
        }
    }
    let (mut text, mut list) = (String::new(), Vec::new());
    let several = made.len() > 1;
    for (name, shader) in made {
        match shader {
            Err(error) => {
                status = Status::Mismatch;
                output::tell(&error);
                list.push(json!({ "name": name, "error": error }));
            }
            Ok(shader) => {
                if several {
                    text += &format!("// {}\n", name.replace(['\n', '\r', '\\'], " "));
                }
                text += &shader;
                list.push(json!({ "name": name, "glsl": shader }));
            }
        }
    }
    if matches.get_flag("json") {
        output::print_json(&json!({ "target": target.dialect.name(), "inputs": list }))?;
    } else {
        output::print(&text)?;
    }
    Ok(status)
}
