//! `molehill d3d9 from-agal`

use ::d3d9::from_agal::{Limit, Model, Translation, translate};
use agal::sampler::Sampler;
use agal::{Endian, Rules, Stage, validate};
use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use super::asm;
use crate::cli::arguments::{self, choice, chosen, file, path_of};
use crate::cli::input::{self, Content, Reader, is_agal_or_program, recognise, refuse_others};
use crate::cli::{Failure, Status, output};

const AFTER_HELP: &str = "\
Examples:
  molehill d3d9 from-agal program.agal --model 2_0 --out shader.bin
  molehill d3d9 from-agal program.agal --model 3_0 | molehill d3d9 dis
  molehill d3d9 from-agal program.agal --json
      the tokens, how much of every limit they use, and the sampler states

The input is AGAL bytecode (also as hexadecimal digits or base64), or text with // vertex or // fragment.

Exit status: 0; 1 if Flash rejects the program or it exceeds the model; 2 if the input can't be used.";

pub(super) fn command() -> Command {
    Command::new("from-agal")
        .about("Translates AGAL programs to Direct3D 9 tokens")
        .after_help(AFTER_HELP)
        .arg(file("program", "An AGAL program; - for standard input").default_value("-"))
        .arg(
            choice(
                "model",
                "MODEL",
                Model::ALL.iter().map(|model| model.name()),
                "The shader model",
            )
            .default_value("2_0"),
        )
        .args(asm::out_arguments())
        .arg(arguments::json())
}

/// The programs of a file.
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
    let defaults =
        agal::asm::Defaults { stage: agal::asm::stage_of(&text), ..agal::asm::Defaults::default() };
    let sections =
        agal::asm::assemble_text(&text, &defaults).map_err(|errors| errors.to_string())?;
    Ok(sections.vertex.into_iter().chain(sections.fragment).collect())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let path = path_of(matches, "program");
    let name = crate::cli::capture::name(&path);
    let bytes = input::bytes(&path)?;
    let model = chosen(matches, "model", Model::from_name).unwrap_or(Model::V20);
    let mut made = Vec::new();
    let refused = |reason: String| {
        output::tell(&format!("{name}: {reason}"));
        Ok(Status::Mismatch)
    };
    let programs = match programs(bytes) {
        Ok(programs) => programs,
        Err(reason) => return refused(reason),
    };
    for program in programs {
        let stage = program.stage();
        let valid = match validate(program, stage, &Rules::NEWEST) {
            Ok(valid) => valid,
            Err(error) => return refused(error.to_string()),
        };
        match translate(&valid, model) {
            Ok(translation) => made.push((stage, translation)),
            Err(error) => return refused(error.to_string()),
        }
    }
    if matches.get_flag("json") {
        let list = made.iter().map(|(stage, made)| json(*stage, made));
        output::print_json(&json!({ "name": name, "programs": list.collect::<Vec<_>>() }))?;
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let files: Vec<(String, &::d3d9::Program)> =
        made.iter().map(|(stage, made)| (format!("{stem}.{stage}"), &made.program)).collect();
    asm::write(&files, matches)?;
    Ok(Status::Success)
}

fn json(stage: Stage, made: &Translation) -> Value {
    let limits = Limit::ALL.iter().map(|limit| {
        let allowed = ::d3d9::from_agal::allowed(made.program.version, *limit);
        let found = made.counts.get(*limit);
        json!({ "limit": limit.name(), "found": found, "allowed": allowed })
    });
    let sampler = |sampler: &Sampler| {
        json!({
            "sampler": sampler.register,
            "wrap": format!("{:?}", sampler.wrap),
            "filter": format!("{:?}", sampler.filter),
            "mip": format!("{:?}", sampler.mip),
            "lodBias": f32::from(sampler.lod_bias) / 8.0,
        })
    };
    json!({
        "stage": stage.name(),
        "version": made.program.version.name(),
        "words": made.program.to_words(),
        "listing": made.program.listing().to_string(),
        "limits": limits.collect::<Vec<_>>(),
        "samplers": made.samplers.iter().flatten().map(sampler).collect::<Vec<_>>(),
    })
}
