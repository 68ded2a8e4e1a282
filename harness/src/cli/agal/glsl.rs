//! `molehill agal glsl`

use std::path::PathBuf;

use agal::Stage;
use agal::glsl::{ClipDepth, Dialect, GlslPair, Target, emit};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};

use super::arguments::{flag, inputs, rules, rules_of};
use super::other_half::with_partner;
use super::out;
use super::program::groups;
use super::verdict::{Verdict, check_group};
use crate::cli::{Failure, Status, json_argument, output};

const AFTER_HELP: &str = "\
Examples:
  molehill agal glsl vertex.bin fragment.bin
  molehill agal glsl --target 300es --comments pair.agal --out shaders
      writes shaders/pair.vert and shaders/pair.frag
  molehill agal glsl blur.agal -o blur.frag
      a single program

A single program is linked with a minimal partner, and only its own shader is shown. The partner of a fragment program
writes every varying that it reads (mov v0, va0 and so on); the partner of a vertex program reads every varying that it
writes (add ft0, ft0, v0 and so on), because unused varyings are left out of the shaders.

Attributes are va0, va1, …, constants the arrays vc and fc, samplers fs0, vs0, …. y is mirrored, for surfaces whose top
row is first in memory; z is mapped to OpenGL's -w to w unless --clip says that the driver clips to 0 to w, as with
glClipControl(…, GL_ZERO_TO_ONE).

Exit status: 0; 1 if Flash rejects any program or the target lacks a feature; 2 if the input can't be used.";

/// Extensions of shader files: the two that are written, and a generic one.
const FILES: [&str; 3] = ["vert", "frag", "glsl"];
/// Names of clip spaces on the command line.
const CLIPS: [(&str, ClipDepth); 2] = [
    ("minus-one-to-one", ClipDepth::MinusOneToOne),
    ("zero-to-one", ClipDepth::ZeroToOne),
];

pub(super) fn command() -> Command {
    let targets = Dialect::ALL.iter().map(|dialect| dialect.name());
    let first = Dialect::ALL.first().map_or("", |dialect| dialect.name());
    Command::new("glsl")
        .about("Translates programs to GLSL")
        .after_help(AFTER_HELP)
        .args(inputs())
        .args(rules())
        .arg(
            Arg::new("target")
                .long("target")
                .value_name("VERSION")
                .value_parser(PossibleValuesParser::new(targets))
                .default_value(first)
                .help("Version of GLSL"),
        )
        .arg(
            Arg::new("clip")
                .long("clip")
                .value_name("RANGE")
                .value_parser(PossibleValuesParser::new(CLIPS.map(|(name, _)| name)))
                .default_value(CLIPS[0].0)
                .help("Depth range to which the driver clips"),
        )
        .arg(flag("comments", "Add the AGAL of every line as a comment"))
        .arg(output::argument(
            "PATH",
            "Folder for NAME.vert and NAME.frag, or a file for one shader",
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
        // clap accepts no other names.
        dialect: dialect.unwrap_or(Dialect::Glsl330),
        clip_depth: clip.map_or(ClipDepth::MinusOneToOne, |(_, clip)| *clip),
        position_bias: backend_gl::POSITION_BIAS,
        comments: matches.get_flag("comments"),
    }
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let groups = groups(matches)?;
    let rules = rules_of(matches);
    let target = target(matches);
    let out = matches.get_one::<PathBuf>("out");
    let mut files = Vec::new();
    let (mut status, mut text, mut list) = (Status::Success, String::new(), Vec::new());
    for group in &groups {
        let verdict = check_group(group, &rules);
        let shaders = shaders(&verdict, &target);
        let mut refusal = Value::Null;
        match &shaders {
            Err(reasons) => {
                status = Status::Mismatch;
                refusal = reasons.clone().into();
                output::tell(&format!("{}: {}", group.name, reasons.join("\n")));
            }
            Ok(shaders) => {
                let several = groups.len() > 1 || shaders.len() > 1;
                for (stage, shader) in shaders {
                    match out {
                        Some(_) => files.push((file_name(&group.stem, *stage), shader.clone())),
                        // GLSL ES 3.00 requires `#version` in the first line, so a single shader has no title.
                        None if several => text += &titled(&group.name, *stage, shader),
                        None => text += shader,
                    }
                }
            }
        }
        let shader = |(stage, shader): (Stage, String)| (stage.name().to_owned(), shader.into());
        let shaders = shaders.into_iter().flatten().map(shader);
        list.push(json!({
            "name": group.name,
            "shaders": Value::Object(shaders.collect()),
            "refused": refusal,
        }));
    }
    if let Some(out) = out {
        out::write(out, |extension| FILES.contains(&extension), &files)?;
    }
    if matches.get_flag("json") {
        output::print_json(&json!({ "target": target.dialect.name(), "inputs": list }))?;
    } else {
        output::print(&text)?;
    }
    Ok(status)
}

/// The requested shaders, or all errors.
fn shaders(verdict: &Verdict<'_>, target: &Target) -> Result<Vec<(Stage, String)>, Vec<String>> {
    let translate = |pair| emit(&pair, target).map_err(|missing| vec![missing.to_string()]);
    let complaints = verdict.complaints();
    if !complaints.is_empty() {
        return Err(complaints);
    }
    if let Some(Ok(pair)) = &verdict.linked {
        let GlslPair { vertex, fragment } = translate(pair.clone())?;
        return Ok(vec![(Stage::Vertex, vertex), (Stage::Fragment, fragment)]);
    }
    let mut shaders = Vec::new();
    for program in &verdict.programs {
        let Ok(valid) = &program.valid else { continue };
        let stage = valid.program().stage();
        let pair = with_partner(valid.clone()).map_err(|Failure(reason)| vec![reason])?;
        let GlslPair { vertex, fragment } = translate(pair)?;
        shaders.push(match stage {
            Stage::Vertex => (stage, vertex),
            Stage::Fragment => (stage, fragment),
        });
    }
    Ok(shaders)
}

fn titled(name: &str, stage: Stage, shader: &str) -> String {
    let name = name.replace(['\n', '\r', '\\'], " ");
    format!("// {name}: {stage}\n{shader}")
}

fn file_name(stem: &str, stage: Stage) -> String {
    let [vertex, fragment, _] = FILES;
    let extension = match stage {
        Stage::Vertex => vertex,
        Stage::Fragment => fragment,
    };
    format!("{stem}.{extension}")
}
