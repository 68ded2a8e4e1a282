//! Arguments shared by several subcommands.

use std::path::PathBuf;

use agal::asm::Defaults;
use agal::{Profile, Rules, Stage, Version};

use crate::cli::{Format, choice, named};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileFormat {
    Text,
    Raw,
    Hex,
    Base64,
}

const FORMATS: [(FileFormat, &str); 4] = [
    (FileFormat::Text, "text"),
    (FileFormat::Raw, "raw"),
    (FileFormat::Hex, "hex"),
    (FileFormat::Base64, "base64"),
];

/// Programs, and how they are read.
#[derive(clap::Args)]
pub(super) struct Inputs {
    /// Programs, pairs or folders of them; - for standard input [default: -]
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) output: Format,
}

/// How an input is read.
#[derive(clap::Args)]
pub(super) struct Reading {
    /// Format of the input [default: detected]
    #[arg(long, value_parser = choice(FORMATS))]
    pub(super) format: Option<FileFormat>,
    /// Kind of program (argument of Program3D.upload); selects one of a pair
    #[arg(long, value_parser = named(&[Stage::Vertex, Stage::Fragment], Stage::name))]
    stage: Option<Stage>,
    /// AGAL version of a text without a version comment [default: 1]
    #[arg(long, value_name = "VERSION", value_parser = choice(VERSIONS))]
    agal: Option<Version>,
    /// Allow register numbers up to 1023 in every version
    #[arg(long)]
    ignore_limits: bool,
}

pub(super) const VERSIONS: [(Version, &str); 4] =
    [(Version::V1, "1"), (Version::V2, "2"), (Version::V3, "3"), (Version::V4, "4")];

impl Reading {
    /// The assembler's defaults for properties that a text doesn't specify.
    pub(super) fn defaults(&self) -> Defaults {
        let ignore_limits = self.ignore_limits;
        Defaults { stage: self.stage, version: self.agal, ignore_limits }
    }
}

/// The rules for validating programs.
#[derive(clap::Args)]
pub(super) struct RulesArguments {
    /// Profile of the Context3D
    #[arg(long, default_value = Rules::NEWEST.profile.name(), value_parser = named(&Profile::ALL, Profile::name))]
    profile: Profile,
}

impl RulesArguments {
    pub(super) fn rules(&self) -> Rules {
        Rules { profile: self.profile }
    }
}
