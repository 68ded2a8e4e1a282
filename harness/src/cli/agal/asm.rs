//! `molehill agal asm`

use std::path::PathBuf;

use agal::Stage;
use serde_json::json;

use super::arguments::Inputs;
use super::input::EXTENSIONS;
use super::program::{Candidate, Group, groups};
use crate::cli::input::to_hex;
use crate::cli::output::{self, Failure, Status};
use crate::cli::per_input::with;
use crate::cli::program_files::{self, Form};

/// Assembles text to bytecode
#[derive(clap::Args)]
#[command(after_help = include_str!("../../help/agal-asm.txt"))]
pub(in crate::cli) struct Asm {
    #[command(flatten)]
    inputs: Inputs,
    /// File for one program, folder for several
    #[arg(short, long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Write hexadecimal digits, one line per program
    #[arg(long, conflicts_with = "base64")]
    hex: bool,
    /// Write base64, one line per program
    #[arg(long)]
    base64: bool,
}

impl Asm {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let groups = groups(&self.inputs)?;
        let mut status = Status::Success;
        let mut made = Vec::new();
        for group in &groups {
            match &group.programs {
                Ok(programs) => made.extend(programs.iter().map(|program| file(group, program))),
                Err(errors) => {
                    status = Status::Mismatch;
                    output::tell(&errors.in_file(&group.name).to_string());
                }
            }
        }
        let several = groups.len() > 1 || made.len() > 1;
        let is_file =
            |extension: &str| EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str());
        let form = Form {
            base64: self.base64,
            is_digits: self.hex,
            digits: ("hex", |bytes| to_hex(bytes) + "\n"),
        };
        program_files::write(
            self.out.as_deref(),
            form,
            self.inputs.output.json,
            several,
            is_file,
            made,
        )?;
        let one = |program: &Candidate| {
            let (size, hex) = (program.bytes.len().into(), to_hex(&program.bytes).into());
            with(program.json(), [("size", size), ("hex", hex)])
        };
        let group = |group: &Group| group.json(group.programs.iter().flatten().map(one).collect());
        let answer = json!({ "inputs": groups.iter().map(group).collect::<Vec<_>>() });
        self.inputs.output.print(&answer, String::new)?;
        Ok(status)
    }
}

fn file(group: &Group, program: &Candidate) -> (String, Vec<u8>) {
    let kind = match program.role {
        Stage::Vertex => "vsh",
        Stage::Fragment => "fsh",
    };
    (format!("{}.{kind}.agal", group.stem), program.bytes.clone())
}
