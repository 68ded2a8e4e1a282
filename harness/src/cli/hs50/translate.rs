//! `molehill hs50 dis`, `asm` and `glsl`

use std::fs;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use hs50::glsl::{Levels, Options, Target, emit};
use hs50::text::{Listing, listing};
use serde_json::json;

use super::input;
use crate::cli::input::to_base64;
use crate::cli::{Failure, Status, json_argument, output};

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

pub(super) fn dis_command() -> Command {
    Command::new("dis")
        .about("The listing that Microsoft's compiler prints")
        .args(input::arguments())
        .arg(flag(
            "exact",
            "Lose no bit: floats that six decimals don't tell are printed as bits",
        ))
        .arg(flag(
            "no-signatures",
            "Leave out the comments with the signatures, which the assembler needs",
        ))
        .arg(json_argument())
}

pub(super) fn dis(matches: &ArgMatches) -> Result<Status, Failure> {
    let input = input::read(matches)?;
    let options = Listing {
        signatures: !matches.get_flag("no-signatures"),
        exact: matches.get_flag("exact"),
    };
    let text = listing(&input.shader, options);
    if matches.get_flag("json") {
        let version = input.shader.program.version.to_string();
        output::print_json(
            &json!({"file": input.name, "version": version, "listing": text.lines().collect::<Vec<_>>()}),
        )?;
    } else {
        output::print(&text)?;
    }
    Ok(Status::Success)
}

pub(super) fn asm_command() -> Command {
    Command::new("asm")
        .about("A listing as a container, with signatures and checksum")
        .args(input::arguments())
        .arg(input::output(
            "Where the container goes [default: standard output, in base64]",
        ))
        .arg(json_argument())
}

pub(super) fn asm(matches: &ArgMatches) -> Result<Status, Failure> {
    let input = input::read(matches)?;
    let container = input.shader.to_container();
    let path = matches.get_one::<PathBuf>("output");
    if let Some(path) = path {
        fs::write(path, container.bytes())
            .map_err(|error| Failure(format!("{}: {error}", path.display())))?;
    }
    if matches.get_flag("json") {
        output::print_json(&json!({
            "file": input.name,
            "version": input.shader.program.version.to_string(),
            "out": path.map(|path| path.display().to_string()),
            "bytes": container.bytes().len(),
            "base64": to_base64(container.bytes()),
        }))?;
    } else if path.is_none() {
        output::print(&format!("{}\n", to_base64(container.bytes())))?;
    }
    Ok(Status::Success)
}

pub(super) fn glsl_command() -> Command {
    Command::new("glsl")
        .about(
            "An OpenGL tessellation control shader, and the layout line for the evaluation shader",
        )
        .args(input::arguments())
        .arg(target())
        .arg(json_argument())
}

/// `--target`
pub(super) fn target() -> Arg {
    Arg::new("target")
        .long("target")
        .value_name("DIALECT")
        .value_parser(PossibleValuesParser::new(Target::ALL.iter().map(|target| target.name())))
        .default_value(Target::default().name())
        .help("Dialect of GLSL")
}

pub(super) fn target_of(matches: &ArgMatches) -> Target {
    let name = matches.get_one::<String>("target");
    name.and_then(|name| Target::from_name(name))
        .unwrap_or_default()
}

pub(super) fn glsl(matches: &ArgMatches) -> Result<Status, Failure> {
    let input = input::read(matches)?;
    let options = Options {
        target: target_of(matches),
        levels: Levels::Program,
    };
    let glsl = emit(&input.hull()?, options)
        .map_err(|error| Failure(format!("{}: {error}", input.name)))?;
    if matches.get_flag("json") {
        let textures: Vec<_> = glsl
            .textures
            .iter()
            .map(hs50::glsl::TextureUse::name)
            .collect();
        output::print_json(&json!({
            "file": input.name,
            "target": options.target.name(),
            "control": glsl.control,
            "evaluation_layout": glsl.evaluation_layout,
            "textures": textures,
            "buffers": glsl.buffers,
        }))?;
    } else {
        // The version line must come first.
        output::print(&format!(
            "{}// evaluation shader: {}\n",
            glsl.control, glsl.evaluation_layout
        ))?;
    }
    Ok(Status::Success)
}
