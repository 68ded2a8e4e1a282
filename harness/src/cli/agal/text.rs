//! `molehill agal asm` and `dis`

use std::path::PathBuf;

use agal::Stage;
use agal::asm::{Disassembly, Listing, disassemble, readable_text};
use serde_json::{Value, json};

use super::arguments::{Inputs, RulesArguments};
use super::input::EXTENSIONS;
use super::program::{Candidate, Group, groups};
use crate::cli::input::to_hex;
use crate::cli::program_files::{self, Form};
use crate::cli::{Failure, InputResult, Status, output, per_input, title, with};

/// Assembles text to bytecode
#[derive(clap::Args)]
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
        let is_file = |end: &str| EXTENSIONS.contains(&end.to_ascii_lowercase().as_str());
        let form = Form {
            base64: self.base64,
            is_digits: self.hex,
            digits: ("hex", |bytes| to_hex(bytes) + "\n"),
        };
        let (out, json) = (self.out.as_deref(), self.inputs.output.json);
        program_files::write(out, form, json, several, is_file, made)?;
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

/// Disassembles bytecode to text that assembles to the same bytes
#[derive(clap::Args)]
pub(in crate::cli) struct Dis {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    rules: RulesArguments,
    /// Add each token's number as a comment
    #[arg(long)]
    numbers: bool,
}

impl Dis {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let groups = groups(&self.inputs)?;
        let rules = self.rules.rules();
        let mut wrong = false;
        let results = groups.iter().map(|group| {
            let several = groups.len() > 1;
            let mut text = if several { title("file: ", &group.name) } else { String::new() };
            let mut programs = Vec::new();
            for candidate in group.programs.iter().flatten() {
                let shown = disassemble(&candidate.bytes, Some(candidate.role), &rules);
                wrong |= shown.fault.is_some();
                let listing = Listing { numbers: self.numbers, ..shown.listing() };
                let listing = listing.to_string();
                text += &listing;
                let json = program_json(candidate, &shown, self.numbers);
                programs.push(with(json, [("listing", listing.into())]));
            }
            InputResult { json: group.json(programs), text, refusal: group.text_errors() }
        });
        let results = results.collect();
        let status = per_input::print(self.inputs.output, json!({}), results)?;
        Ok(if wrong { Status::Mismatch } else { status })
    }
}

fn program_json(candidate: &Candidate, shown: &Disassembly, numbers: bool) -> Value {
    let program = &shown.program;
    let body = candidate.bytes.get(agal::binary::HEADER_SIZE..).unwrap_or_default();
    let (bytes, _) = body.as_chunks::<{ agal::binary::TOKEN_SIZE }>();
    let tokens = (1u32..).zip(program.instructions()).zip(bytes);
    let tokens = tokens.map(|((number, instruction), bytes)| {
        json!({
            "token": number, "text": readable_text(instruction, program.stage()).to_string(),
            "hex": to_hex(bytes),
        })
    });
    let error = shown.fault.as_ref().map(|error| candidate.error_json(error));
    with(
        candidate.json(),
        [
            ("lossless", shown.is_lossless().into()),
            ("error", error.into()),
            ("list", numbers.then(|| tokens.collect::<Vec<_>>()).into()),
        ],
    )
}
