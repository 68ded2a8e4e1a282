//! `molehill agal glsl`

use std::path::PathBuf;

use agal::Stage;
use agal::glsl::{DIALECTS, Dialect, GlslPair, Target, emit};
use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use super::arguments::{inputs, rules, rules_of};
use super::other_half::with_partner;
use super::program::groups;
use super::verdict::{Verdict, check_group};
use crate::cli::arguments::{self, choice, chosen, clip, clip_of, flag};
use crate::cli::binary::write_files;
use crate::cli::outcome::{self, Outcome, title};
use crate::cli::{Failure, Status, output};

const AFTER_HELP: &str = "\
Examples:
  molehill agal glsl vertex.bin fragment.bin
  molehill agal glsl --target 300es --comments pair.agal --out shaders
      writes shaders/pair.vert and shaders/pair.frag
  molehill agal glsl blur.agal -o blur.frag
      a single program

A single program is linked with a minimal partner, and only its own shader is shown. The partner of a fragment program
writes every varying that it reads (mov v0, va0 and so on); the partner of a vertex program reads every varying that it
writes (add ft0, ft0, v0 and so on).

Attributes are va0, va1, …, constants the arrays vc and fc, samplers fs0, vs0, …. y is mirrored, for surfaces whose top
row is first in memory; z is mapped to OpenGL's -w to w unless --clip says that the driver clips to 0 to w, as with
glClipControl(…, GL_ZERO_TO_ONE).

Exit status: 0; 1 if Flash rejects any program or the target lacks a feature; 2 if the input can't be used.";

/// Extensions of shader files: the two that are written, and a generic one.
const FILES: [&str; 3] = ["vert", "frag", "glsl"];

pub(super) fn command() -> Command {
    let names = DIALECTS.iter().map(|dialect| dialect.name());
    Command::new("glsl")
        .about("Translates programs to GLSL")
        .after_help(AFTER_HELP)
        .args(inputs())
        .args(rules())
        .arg(
            choice("target", "VERSION", names, "Version of GLSL")
                .default_value(Dialect::Glsl330.name()),
        )
        .arg(clip())
        .arg(flag("comments", "Add the AGAL of every line as a comment"))
        .arg(output::argument(
            "PATH",
            "Folder for NAME.vert and NAME.frag, or a file for one shader",
        ))
        .arg(arguments::json())
}

fn target(matches: &ArgMatches) -> Target {
    Target {
        // clap accepts no other names.
        dialect: chosen(matches, "target", Dialect::from_name).unwrap_or(Dialect::Glsl330),
        clip_depth: clip_of(matches),
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
    let outcomes = groups.iter().map(|group| {
        let shaders = shaders(&check_group(group, &rules), &target);
        let refusal = shaders.as_ref().err();
        let refused = refusal.map(|reasons| format!("{}: {}", group.name, reasons.join("\n")));
        let reasons = refusal.cloned();
        let shaders = shaders.unwrap_or_default();
        let several = groups.len() > 1 || shaders.len() > 1;
        let mut text = String::new();
        for (stage, shader) in &shaders {
            match out {
                Some(_) => files.push((file_name(&group.stem, *stage), shader.clone())),
                // GLSL ES 3.00 requires `#version` in the first line, so a single shader has no title.
                None if several => {
                    text += &(title("", &format!("{}: {stage}", group.name)) + shader)
                }
                None => text += shader,
            }
        }
        let shader = |(stage, shader): (Stage, String)| (stage.name(), shader);
        let shaders: Value = shaders.into_iter().map(shader).collect();
        Outcome {
            json: json!({ "name": group.name, "shaders": shaders, "refused": reasons }),
            text,
            refusal: refused,
        }
    });
    let outcomes = outcomes.collect();
    if let Some(out) = out {
        write_files(out, |extension| FILES.contains(&extension), &files)?;
    }
    outcome::print(matches, json!({ "target": target.dialect.name() }), outcomes)
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

fn file_name(stem: &str, stage: Stage) -> String {
    let [vertex, fragment, _] = FILES;
    let extension = match stage {
        Stage::Vertex => vertex,
        Stage::Fragment => fragment,
    };
    format!("{stem}.{extension}")
}
