//! `molehill hs50 dis`, `asm` and `glsl`

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command};
use hs50::glsl::{DIALECTS, Dialect, Options, TessLevels, TextureUse, emit};
use hs50::text::{Listing, listing};
use serde_json::json;

use super::input;
use crate::cli::arguments::{self, choice, chosen, flag};
use crate::cli::input::to_base64;
use crate::cli::{Failure, Status, output};

pub(super) fn dis_command() -> Command {
    Command::new("dis")
        .about("Disassembles to the listing of Microsoft's compiler")
        .args(input::arguments())
        .arg(flag("exact", "Lossless: print floats as bits if six decimals are not exact"))
        .arg(flag(
            "no-signatures",
            "Omit the comments with the signatures; the assembler needs them",
        ))
        .arg(arguments::json())
}

pub(super) fn dis(matches: &ArgMatches) -> Result<Status, Failure> {
    let input = input::read(matches)?;
    let options = Listing {
        signatures: !matches.get_flag("no-signatures"),
        exact: matches.get_flag("exact"),
    };
    let text = listing(&input.shader, options);
    let json = || {
        let lines: Vec<_> = text.lines().collect();
        json!({ "file": input.name, "version": input.version().to_string(), "listing": lines })
    };
    output::give(matches, json, || text.clone())?;
    Ok(Status::Success)
}

pub(super) fn asm_command() -> Command {
    Command::new("asm")
        .about("Assembles a listing to a container")
        .args(input::arguments())
        .arg(output::argument("FILE", "Container to write [default: standard output, in base64]"))
        .arg(arguments::json())
}

pub(super) fn asm(matches: &ArgMatches) -> Result<Status, Failure> {
    let input = input::read(matches)?;
    let container = input.shader.to_container();
    let path = matches.get_one::<PathBuf>("out");
    if let Some(path) = path {
        output::write(path, container.bytes())?;
    }
    let base64 = to_base64(container.bytes());
    let json = || {
        json!({
            "file": input.name,
            "version": input.version().to_string(),
            "out": path.map(|path| path.display().to_string()),
            "bytes": container.bytes().len(),
            "base64": base64,
        })
    };
    let text = || match path {
        Some(_) => String::new(),
        None => base64.clone() + "\n",
    };
    output::give(matches, json, text)?;
    Ok(Status::Success)
}

pub(super) fn glsl_command() -> Command {
    Command::new("glsl")
        .about(
            "Translates to an OpenGL tessellation control shader, with the evaluation shader's layout line",
        )
        .args(input::arguments())
        .arg(target())
        .arg(arguments::json())
}

/// `--target`
pub(super) fn target() -> Arg {
    let names = DIALECTS.iter().map(|dialect| dialect.name());
    choice("target", "DIALECT", names, "Dialect of GLSL").default_value(Dialect::Glsl400.name())
}

pub(super) fn target_of(matches: &ArgMatches) -> Dialect {
    chosen(matches, "target", Dialect::from_name).unwrap_or(Dialect::Glsl400)
}

pub(super) fn glsl(matches: &ArgMatches) -> Result<Status, Failure> {
    let input = input::read(matches)?;
    let options = Options { dialect: target_of(matches), levels: TessLevels::Program };
    let glsl = emit(&input.hull()?, options).map_err(Failure::of(&input.name))?;
    let json = || {
        json!({
            "file": input.name,
            "target": options.dialect.name(),
            "control": glsl.control,
            "evaluationLayout": glsl.evaluation_layout,
            "textures": glsl.textures.iter().map(TextureUse::name).collect::<Vec<_>>(),
            "buffers": glsl.buffers,
        })
    };
    // The version line must come first.
    let layout = &glsl.evaluation_layout;
    let text = || format!("{}// evaluation shader: {layout}\n", glsl.control);
    output::give(matches, json, text)?;
    Ok(Status::Success)
}
