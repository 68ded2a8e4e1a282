//! Hull shaders from files and standard input.

use std::path::{Path, PathBuf};

use hs50::check::{Options, Report, ValidHull, check};
use hs50::container::{Checksum, Container};
use hs50::program::ProgramVersion;
use hs50::shader::Shader;
use hs50::text::assemble;

use crate::cli::capture_argument::name as name_of;
use crate::cli::input::{self, Content, Reader, is_program, recognise, refuse_others};
use crate::cli::{Failure, Format};

/// The file, and the option for its checksum.
#[derive(clap::Args)]
pub(super) struct FileArguments {
    /// Container (raw, hexadecimal or base64) or listing; - for standard input
    #[arg(default_value = "-")]
    pub(super) file: PathBuf,
    /// Accept containers with a wrong checksum
    #[arg(long)]
    ignore_checksum: bool,
    #[command(flatten)]
    pub(super) output: Format,
}

pub(super) struct Input {
    pub(super) name: String,
    /// The container; if the input is a listing, the one that it assembles to.
    pub(super) container: Container,
    pub(super) shader: Shader,
}

impl FileArguments {
    pub(super) fn read(&self) -> Result<Input, Failure> {
        read(&self.file, self.checksum())
    }

    pub(super) fn checksum(&self) -> Checksum {
        if self.ignore_checksum { Checksum::Ignore } else { Checksum::Verify }
    }
}

pub(super) fn read(path: &Path, sum: Checksum) -> Result<Input, Failure> {
    let name = name_of(path);
    let bytes = match recognise(input::bytes(path)?, is_program) {
        Content::Bytes(bytes) => bytes,
        Content::Text(text) => {
            let shader =
                assemble(&text).map_err(|errors| Failure(errors.in_file(&name).to_string()))?;
            return Ok(Input { name, container: shader.to_container(), shader });
        }
    };
    refuse_others(&bytes, Reader::Hs50).map_err(|reason| input::failure(path, reason))?;
    let container = Container::read(bytes, sum).map_err(|error| input::failure(path, error))?;
    let shader = Shader::from_container(&container).map_err(|error| input::failure(path, error))?;
    Ok(Input { name, container, shader })
}

impl Input {
    pub(super) fn report(&self, options: Options) -> Result<Report, Failure> {
        check(&self.shader, options).map_err(Failure::of(&self.name))
    }

    pub(super) fn version(&self) -> ProgramVersion {
        self.shader.program.version
    }

    /// The shader, if the checker finds no error.
    pub(super) fn hull(&self) -> Result<ValidHull, Failure> {
        let report = self.report(Options::default())?;
        report.valid().map_err(|report| {
            let errors = report.findings.iter();
            let errors = errors.map(|finding| format!("{}: {finding}", self.name));
            Failure(errors.collect::<Vec<_>>().join("\n"))
        })
    }
}
