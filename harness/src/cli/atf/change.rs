//! Changes an ATF file.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use atf::{Atf, AtfEditError, AtfFile, LevelEncoding};
use molehill_replay::image::decode_png;

use super::part::{EncodingFamily, FAMILIES, Subset};
use crate::cli::CommandFailure;
use crate::cli::arguments::choice;
use crate::cli::input::{self, PNG};

#[derive(clap::Args)]
#[command(next_help_heading = "Change the file")]
pub(super) struct ChangeArguments {
    /// File to write: the changed one, or the selected face and levels
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Keep only these encodings, such as dxt,etc1
    #[arg(long, value_name = "ENCODINGS", value_delimiter = ',', requires = "out", value_parser = choice(FAMILIES))]
    keep: Vec<EncodingFamily>,
    /// Write raw blocks instead of compressed components: larger, with the same texels
    #[arg(long, requires = "out")]
    raw: bool,
    /// Replace the selected face and mip levels with those of an ATF file, or one mip level with a PNG
    #[arg(long, value_name = "FILE", requires = "out")]
    with: Option<PathBuf>,
}

impl ChangeArguments {
    pub(super) fn apply(&self, file: &Atf<'_>, part: &Subset) -> Result<Vec<u8>, String> {
        let other = self.with.as_deref().map(read).transpose()?;
        let mut edit = self.reduced(file)?;
        match (&other, &self.with) {
            (Some(bytes), Some(path)) => {
                let replaced = self.replace(&mut edit, part, bytes);
                replaced.map_err(|why| format!("{}: {why}", path.display()))?.map_err(text)?;
            }
            _ if part.is_whole() => {}
            _ => edit.select(part.face, part.levels(edit.header())).map_err(text)?,
        }
        edit.write().map_err(text)
    }

    /// Replaces the selected mip levels with those of a file. The outer `Err` is about the replacement file, and the
    /// inner `Err` is about the edit.
    fn replace<'a>(
        &self,
        edit: &mut AtfFile<'a>,
        part: &Subset,
        bytes: &'a [u8],
    ) -> Result<Result<(), AtfEditError>, String> {
        let levels = part.levels(edit.header());
        if !bytes.starts_with(PNG) {
            let other = Atf::open(bytes).map_err(text)?;
            let other = self.reduced(&other)?;
            return Ok(edit.replace(part.face, levels, &other));
        }
        let picture = decode_png(bytes).map_err(text)?;
        if levels.len() != 1 {
            return Err("a PNG replaces one mip level; name the level with --level".to_owned());
        }
        let size = (picture.width(), picture.height());
        Ok(edit.replace_texels(part.face, levels.start, size, &picture.bgra()))
    }

    /// Returns the ATF file with only the selected encodings and, for `--raw`, with raw blocks.
    fn reduced<'a>(&self, file: &Atf<'a>) -> Result<AtfFile<'a>, String> {
        let kept: Vec<LevelEncoding> = self.keep.iter().copied().flatten().copied().collect();
        let reduce = || -> Result<AtfFile<'a>, AtfEditError> {
            let mut edit = AtfFile::new(file)?;
            if !kept.is_empty() {
                edit.keep(&kept)?;
            }
            if self.raw {
                edit.make_raw()?;
            }
            Ok(edit)
        };
        reduce().map_err(text)
    }
}

fn text(error: impl Display) -> String {
    error.to_string()
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    input::bytes(path).map_err(|CommandFailure(reason)| reason)
}
