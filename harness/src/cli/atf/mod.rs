//! `molehill atf`

mod change;
mod input;
mod inspected;
mod part;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use atf::Atf;
use serde_json::json;

use super::arguments::choice;
use super::{CommandFailure, CommandStatus, OutputFormat, output};
use change::ChangeArguments;
use input::AtfSource;
use inspected::{AtfInspection, AtfView};
use part::{EncodingFamily, FAMILIES, Subset};

/// Shows, compares and changes ATF textures, and writes their mip levels as PNG files
#[derive(clap::Args)]
pub(super) struct AtfCommand {
    /// ATF files, folders of them, captures or their folders; - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Folder for a PNG of each mip level and face; created if needed
    #[arg(long, value_name = "DIR")]
    png: Option<PathBuf>,
    /// Encoding of the PNG files [default: the best of each mip level]
    #[arg(long, value_parser = choice(FAMILIES))]
    encoding: Option<EncodingFamily>,
    #[command(flatten)]
    part: Subset,
    #[command(flatten)]
    format: OutputFormat,
    #[command(flatten)]
    change: ChangeArguments,
}

impl AtfCommand {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        self.png.as_deref().map(output::make_folder).transpose()?;
        if let Some(out) = &self.change.out {
            return self.write(out);
        }
        let (mut files, mut failures) = (Vec::new(), Vec::new());
        let mut stems = HashMap::new();
        for path in &self.files {
            let mut damaged = Vec::new();
            let mut see = |source: AtfSource<'_>| {
                let stem = unused_stem(&mut stems, &source.stem);
                let file = AtfInspection::of(&source, &self.view(&self.part, &stem));
                let failure = file.failure.iter();
                damaged.extend(failure.map(|why| format!("{}: {why}", source.name)));
                if self.format.json {
                    files.push(file.json());
                    Ok(())
                } else {
                    output::print(&file.text())
                }
            };
            let unread = input::each(path, &mut see)?;
            failures.extend(damaged.into_iter().chain(unread));
        }
        self.format.print(&json!({ "files": files, "failures": failures }), String::new)?;
        match failures.as_slice() {
            [] => Ok(CommandStatus::Success),
            failures => Err(CommandFailure(failures.join("\nmolehill: "))),
        }
    }

    fn view<'a>(&self, part: &'a Subset, stem: &str) -> AtfView<'a> {
        let pictures = self.png.as_ref().map(|folder| folder.join(stem));
        AtfView { part, encoding: self.encoding, pictures }
    }

    /// Changes the only ATF file of the input, writes the result to `out` and describes it.
    fn write(&self, out: &Path) -> Result<CommandStatus, CommandFailure> {
        let mut written = None;
        for path in &self.files {
            let mut see = |source: AtfSource<'_>| {
                if written.is_some() {
                    let name = &source.name;
                    return Err(CommandFailure(format!(
                        "--out writes one file, but {name} is a second input"
                    )));
                }
                let file = Atf::open(source.bytes).map_err(CommandFailure::of(&source.name))?;
                written = Some(
                    self.change
                        .apply(&file, &self.part)
                        .map_err(CommandFailure::of(&source.name))?,
                );
                Ok(())
            };
            let unread = input::each(path, &mut see)?;
            if !unread.is_empty() {
                return Err(CommandFailure(unread.join("\nmolehill: ")));
            }
        }
        let Some(bytes) = written else {
            return Err(CommandFailure("the input has no ATF file".to_owned()));
        };
        output::write(out, &bytes)?;
        let (name, stem) = (out.display().to_string(), super::input::stem(out, "atf").to_owned());
        let whole = Subset::default();
        let view = self.view(&whole, &stem);
        let file = AtfInspection::of(&AtfSource { name, stem, bytes: &bytes }, &view);
        match &file.failure {
            Some(why) => Err(CommandFailure(format!("{}: {why}", out.display()))),
            None => self
                .format
                .print(&json!({ "files": [file.json()], "failures": [] }), || file.text()),
        }
    }
}

/// Returns the name prefix for output files. If the prefix is already used, appends a number.
fn unused_stem(uses: &mut HashMap<String, u32>, stem: &str) -> String {
    let mut name = stem.to_owned();
    loop {
        let count = uses.entry(name.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return name;
        }
        name = format!("{stem}-{count}");
    }
}
