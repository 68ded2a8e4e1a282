//! `molehill agal glsl`

use std::path::PathBuf;

use agal::Stage;
use agal::glsl::{ClipDepth, DIALECTS, Dialect, GlslPair, Target, emit};
use serde_json::{Value, json};

use super::arguments::{Inputs, RulesArguments};
use super::other_half::with_partner;
use super::program::groups;
use super::verdict::{Verdict, check_group};
use crate::cli::program_files::write_files;
use crate::cli::{CLIPS, Failure, InputResult, Status, choice, named, per_input, title};

/// Extensions of shader files: the two that are written, and a generic one.
const FILES: [&str; 3] = ["vert", "frag", "glsl"];

/// Translates programs to GLSL
#[derive(clap::Args)]
pub(in crate::cli) struct Glsl {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    rules: RulesArguments,
    /// Version of GLSL
    #[arg(long, value_name = "VERSION", default_value = "330", value_parser = named(&DIALECTS, Dialect::name))]
    target: Dialect,
    /// Depth range to which the driver clips
    #[arg(long, value_name = "RANGE", default_value = CLIPS[0].1, value_parser = choice(CLIPS))]
    clip: ClipDepth,
    /// Add the AGAL of every line as a comment
    #[arg(long)]
    comments: bool,
    /// Folder for NAME.vert and NAME.frag, or a file for one shader
    #[arg(short, long, value_name = "PATH")]
    out: Option<PathBuf>,
}

impl Glsl {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let groups = groups(&self.inputs)?;
        let rules = self.rules.rules();
        let target = Target {
            clip_depth: self.clip,
            position_bias: backend_gl::POSITION_BIAS,
            comments: self.comments,
            ..Target::new(self.target)
        };
        let mut files = Vec::new();
        let results = groups.iter().map(|group| {
            let shaders = shaders(&check_group(group, &rules), &target);
            let refusal = shaders.as_ref().err();
            let refused = refusal.map(|reasons| format!("{}: {}", group.name, reasons.join("\n")));
            let reasons = refusal.cloned();
            let shaders = shaders.unwrap_or_default();
            let several = groups.len() > 1 || shaders.len() > 1;
            let mut text = String::new();
            for (stage, shader) in &shaders {
                if self.out.is_some() {
                    files.push((file_name(&group.stem, *stage), shader.clone()));
                    continue;
                }
                // GLSL ES 3.00 requires `#version` in the first line, so a single shader has no title.
                if several {
                    text += &title("", &format!("{}: {stage}", group.name));
                }
                text += shader;
            }
            let shaders = shaders.into_iter().map(|(stage, shader)| (stage.name(), shader));
            let shaders: Value = shaders.collect();
            let json = json!({ "name": group.name, "shaders": shaders, "refused": reasons });
            InputResult { json, text, refusal: refused }
        });
        let results = results.collect();
        if let Some(out) = &self.out {
            write_files(out, |extension| FILES.contains(&extension), &files)?;
        }
        per_input::print(self.inputs.output, json!({ "target": target.dialect.name() }), results)
    }
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
