//! `molehill hs50 dis`, `asm` and `glsl`

use std::path::PathBuf;

use hs50::glsl::{DIALECTS, Dialect, Options, TessLevels, TextureUse, emit};
use hs50::text::{Listing, listing};
use serde_json::json;

use super::input::FileArguments;
use crate::cli::input::to_base64;
use crate::cli::{Failure, Status, named, output};

/// Disassembles to the listing of Microsoft's compiler
#[derive(clap::Args)]
pub(in crate::cli) struct Dis {
    #[command(flatten)]
    file: FileArguments,
    /// Lossless: print floats as bits if six decimals are not exact
    #[arg(long)]
    exact: bool,
    /// Omit the comments with the signatures; the assembler needs them
    #[arg(long)]
    no_signatures: bool,
}

impl Dis {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let input = self.file.read()?;
        let options = Listing { signatures: !self.no_signatures, exact: self.exact };
        let text = listing(&input.shader, options);
        let (version, lines) = (input.version().to_string(), text.lines().collect::<Vec<_>>());
        let answer = json!({ "file": input.name, "version": version, "listing": lines });
        self.file.output.print(&answer, || text.clone())
    }
}

/// Assembles a listing to a container
#[derive(clap::Args)]
pub(in crate::cli) struct Asm {
    #[command(flatten)]
    file: FileArguments,
    /// Container to write [default: standard output, in base64]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Asm {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let input = self.file.read()?;
        let container = input.shader.to_container();
        let bytes = container.bytes();
        if let Some(path) = &self.out {
            output::write(path, bytes)?;
        }
        let (base64, version) = (to_base64(bytes), input.version().to_string());
        let answer = json!({
            "file": input.name, "version": version, "out": self.out, "bytes": bytes.len(), "base64": base64,
        });
        self.file.output.print(&answer, || {
            if self.out.is_some() { String::new() } else { base64.clone() + "\n" }
        })
    }
}

/// Translates to an OpenGL tessellation control shader, with the evaluation shader's layout line
#[derive(clap::Args)]
pub(in crate::cli) struct Glsl {
    #[command(flatten)]
    file: FileArguments,
    #[command(flatten)]
    target: TargetArgument,
}

#[derive(clap::Args)]
pub(super) struct TargetArgument {
    /// Dialect of GLSL
    #[arg(long, value_name = "DIALECT", default_value = "400", value_parser = named(&DIALECTS, Dialect::name))]
    pub(super) target: Dialect,
}

impl Glsl {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let input = self.file.read()?;
        let options = Options { dialect: self.target.target, levels: TessLevels::Program };
        let glsl = emit(&input.hull()?, options).map_err(Failure::of(&input.name))?;
        let answer = json!({
            "file": input.name, "target": options.dialect.name(), "control": glsl.control,
            "evaluationLayout": glsl.evaluation_layout,
            "textures": glsl.textures.iter().map(TextureUse::name).collect::<Vec<_>>(), "buffers": glsl.buffers,
        });
        // The version line must come first.
        let text = format!("{}// evaluation shader: {}\n", glsl.control, glsl.evaluation_layout);
        self.file.output.print(&answer, || text)
    }
}
