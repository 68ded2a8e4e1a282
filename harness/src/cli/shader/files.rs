//! Writes shader programs to files and folders.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use super::outcome::ShaderResults;
use crate::cli::input::{to_base64, to_hex, to_words};
use crate::cli::{CommandFailure, CommandStatus, output};

/// The extensions of shader files for which folders are searched.
pub(in crate::cli) const EXTENSIONS: [&str; 14] = [
    "agal", "agalbin", "bin", "hex", "b64", "vso", "pso", "o", "fxc", "asm", "vsh", "psh", "dxbc",
    "hs50",
];

#[derive(clap::Args)]
pub(in crate::cli) struct OutArguments {
    /// File for one program, folder for several [default: standard output]
    #[arg(short, long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Write hexadecimal digits, one line per program
    #[arg(long, conflicts_with_all = ["words", "base64"])]
    hex: bool,
    /// Write hexadecimal words or bytes, as in a C array
    #[arg(long, conflicts_with = "base64")]
    words: bool,
    /// Write base64, one line per program
    #[arg(long)]
    base64: bool,
}

impl OutArguments {
    /// Writes shader programs to `--out`. Without `--out` and `--json`, writes the programs to standard output; to a
    /// terminal, as hexadecimal digits. Raw bytes of several programs are never written to standard output.
    pub(super) fn write(&self, results: &ShaderResults) -> Result<CommandStatus, CommandFailure> {
        let raw = !self.hex && !self.words && !self.base64;
        let digits = self.hex || raw && self.out.is_none() && io::stdout().is_terminal();
        let written = |bytes: &Vec<u8>| match () {
            () if self.words => to_words(bytes).into_bytes(),
            () if self.base64 => (to_base64(bytes) + "\n").into_bytes(),
            () if digits => (to_hex(bytes) + "\n").into_bytes(),
            () => bytes.clone(),
        };
        let status = results.print_written()?;
        let mut programs = results.list.iter().flat_map(|result| &result.parts);
        match &self.out {
            Some(out) => results.write_files(out, written)?,
            None if results.format.json => {}
            None if raw && (results.list.len() > 1 || programs.clone().count() > 1) => {
                let reason = "several programs need --out DIR, --hex, --words or --base64";
                return Err(CommandFailure(reason.to_owned()));
            }
            None => programs.try_for_each(|part| output::print_bytes(&written(&part.bytes)))?,
        }
        Ok(status)
    }
}

impl ShaderResults {
    /// Writes shader programs, encoded by `written`: one program to `out`, several into the folder `out`.
    pub(super) fn write_files(
        &self,
        out: &Path,
        written: impl Fn(&Vec<u8>) -> Vec<u8>,
    ) -> Result<(), CommandFailure> {
        let files = self.list.iter().flat_map(|result| {
            let stem = &result.origin.stem;
            result.parts.iter().map(move |part| (format!("{stem}.{}", part.ending), &part.bytes))
        });
        let files: Vec<(String, &Vec<u8>)> = files.collect();
        let extension = out.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let mut known = EXTENSIONS.iter().chain(&["vert", "frag", "tesc", "glsl", "wgsl", "png"]);
        let several = self.list.len() > 1 || files.len() > 1;
        let is_file = !out.is_dir() && (!several || known.any(|known| *known == extension));
        match files.as_slice() {
            [] => return Ok(()),
            [(_, bytes)] if is_file => return output::write(out, written(bytes)),
            files if is_file => {
                let count = files.len();
                return Err(CommandFailure::of(out.display())(format!(
                    "{count} programs need a folder, not a file; --stage selects one of a pair"
                )));
            }
            _ => output::make_folder(out)?,
        }
        let mut seen = BTreeSet::new();
        if let Some((name, _)) = files.iter().find(|(name, _)| !seen.insert(name)) {
            return Err(CommandFailure(format!(
                "{}: two programs have this name",
                out.join(name).display()
            )));
        }
        files.iter().try_for_each(|(name, bytes)| output::write(&out.join(name), written(bytes)))
    }
}
