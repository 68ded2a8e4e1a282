//! `molehill d3d9 from-agal`

use std::path::PathBuf;

use ::d3d9::from_agal::{Limit, Model, Translation, allowed, translate};
use agal::asm::{Defaults, assemble_text, stage_of};
use agal::sampler::Sampler;
use agal::{Endian, Rules, Stage, validate};
use serde_json::{Value, json};

use super::text::OutArguments;
use crate::cli::capture_argument::name;
use crate::cli::input::{self, Content, Reader, is_agal_or_program, recognise, refuse_others};
use crate::cli::{Failure, Format, Status, named, output};

/// Translates AGAL programs to Direct3D 9 tokens
#[derive(clap::Args)]
pub(in crate::cli) struct FromAgal {
    /// An AGAL program; - for standard input
    #[arg(value_name = "FILE", default_value = "-")]
    program: PathBuf,
    /// The shader model
    #[arg(long, default_value = "2_0", value_parser = named(Model::ALL, Model::name))]
    model: Model,
    #[command(flatten)]
    out: OutArguments,
    #[command(flatten)]
    format: Format,
}

impl FromAgal {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let name = name(&self.program);
        let made = match translated(input::bytes(&self.program)?, self.model) {
            Ok(made) => made,
            Err(reason) => {
                output::tell(&format!("{name}: {reason}"));
                return Ok(Status::Mismatch);
            }
        };
        let list: Vec<Value> = made.iter().map(|(stage, made)| json(*stage, made)).collect();
        self.format.print(&json!({ "name": name, "programs": list }), String::new)?;
        let stem = self.program.file_stem().unwrap_or_default().to_string_lossy();
        let files: Vec<(String, &::d3d9::Program)> =
            made.iter().map(|(stage, made)| (format!("{stem}.{stage}"), &made.program)).collect();
        self.out.write(&files, self.format.json)?;
        Ok(Status::Success)
    }
}

fn translated(bytes: Vec<u8>, model: Model) -> Result<Vec<(Stage, Translation)>, String> {
    let one = |program: agal::Program| {
        let stage = program.stage();
        let valid = validate(program, stage, &Rules::NEWEST).map_err(|error| error.to_string())?;
        let made = translate(&valid, model).map_err(|error| error.to_string())?;
        Ok((stage, made))
    };
    programs(bytes)?.into_iter().map(one).collect()
}

fn programs(bytes: Vec<u8>) -> Result<Vec<agal::Program>, String> {
    let text = match recognise(bytes, is_agal_or_program) {
        Content::Text(text) => text,
        Content::Bytes(bytes) => {
            refuse_others(&bytes, Reader::Agal)?;
            let role = bytes.get(6).copied().and_then(Stage::from_code);
            let role = role.unwrap_or(Stage::Vertex);
            let program = agal::Program::decode(&bytes, Endian::Little, role);
            return program.map(|program| vec![program]).map_err(|error| error.to_string());
        }
    };
    let defaults = Defaults { stage: stage_of(&text), ..Defaults::default() };
    let sections = assemble_text(&text, &defaults).map_err(|errors| errors.to_string())?;
    for warning in &sections.warnings {
        output::tell(&warning.to_string());
    }
    Ok(sections.vertex.into_iter().chain(sections.fragment).collect())
}

fn json(stage: Stage, made: &Translation) -> Value {
    let limits = Limit::ALL.iter().map(|limit| {
        let allowed = allowed(made.program.version, *limit);
        let found = made.counts.get(*limit);
        json!({ "limit": limit.name(), "found": found, "allowed": allowed })
    });
    let sampler = |sampler: &Sampler| {
        json!({
            "sampler": sampler.register, "wrap": format!("{:?}", sampler.wrap),
            "filter": format!("{:?}", sampler.filter), "mip": format!("{:?}", sampler.mip),
            "lodBias": f32::from(sampler.lod_bias) / 8.0,
        })
    };
    json!({
        "stage": stage.name(), "version": made.program.version.name(), "words": made.program.to_words(),
        "listing": made.program.listing().to_string(), "limits": limits.collect::<Vec<_>>(),
        "samplers": made.samplers.iter().flatten().map(sampler).collect::<Vec<_>>(),
    })
}
