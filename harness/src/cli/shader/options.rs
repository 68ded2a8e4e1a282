//! The options of the shader commands, and the languages that have them.

use std::path::PathBuf;

use agal::asm;
use agal::glsl::{ClipDepth, Dialect};
use agal::{AgalVersion, Profile, Rules, Stage};
use clap::builder::TypedValueParser;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches, Id};
use d3d9::check::Caps;

use super::ShaderForm;
use super::patch::PatchArgument;
use super::refusal::UnsupportedOption;
use crate::cli::{CLIPS, FloatArgument, choice, named};

pub(super) const VERSIONS: [(AgalVersion, &str); 4] = [
    (AgalVersion::V1, "1"),
    (AgalVersion::V2, "2"),
    (AgalVersion::V3, "3"),
    (AgalVersion::V4, "4"),
];

/// The ids of options that only some shader languages support.
const RESTRICTED: [(&[&str], &[ShaderForm]); 4] = [
    (
        &["stage", "agal", "ignore_limits", "profile", "numbers", "length", "shaders", "wgsl"],
        &[ShaderForm::Agal],
    ),
    (
        &["no_comments", "caps", "fixup", "fog", "point_size", "steps", "from_agal"],
        &[ShaderForm::D3d9],
    ),
    (
        &["ignore_checksum", "exact", "no_signatures", "any_instance_count", "patch"],
        &[ShaderForm::Hs50],
    ),
    (&["float_rules", "clip", "comments", "version"], LINKED),
];

/// The languages with vertex and fragment programs.
const LINKED: &[ShaderForm] = &[ShaderForm::Agal, ShaderForm::D3d9];

/// The given options that only some languages have, with these languages. `RestrictedOptions` must be the first field
/// of a command, because each later field removes its options from the matches.
#[derive(Default)]
pub(super) struct RestrictedOptions(Vec<(String, &'static [ShaderForm])>);

impl RestrictedOptions {
    /// Records that the user gave register values.
    pub(super) fn values(&mut self) {
        self.0.push(("REGISTER=VALUE".to_owned(), LINKED));
    }

    /// Checks that a language supports every given option, because an option without effect is an error.
    pub(super) fn check(&self, language: ShaderForm) -> Result<(), UnsupportedOption> {
        match self.0.iter().find(|(_, languages)| !languages.contains(&language)) {
            Some((option, _)) => {
                Err(UnsupportedOption::Option { language, option: option.clone() })
            }
            None => Ok(()),
        }
    }
}

impl FromArgMatches for RestrictedOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let ids = matches.ids().map(Id::as_str).filter(|id| given(id));
        let only = ids.filter_map(|id| {
            let (_, languages) = RESTRICTED.iter().find(|(ids, _)| ids.contains(&id))?;
            Some((format!("--{}", id.replace('_', "-")), *languages))
        });
        Ok(RestrictedOptions(only.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// `RestrictedOptions` adds no options, because its only task is to inspect the options of the command.
impl Args for RestrictedOptions {
    fn augment_args(command: Command) -> Command {
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        command
    }
}

#[derive(clap::Args)]
pub(super) struct ReadOptions {
    /// AGAL: stage of the program (the argument of Program3D.upload); selects one program of a pair
    #[arg(long, value_parser = named(&[Stage::Vertex, Stage::Fragment], Stage::name))]
    stage: Option<Stage>,
    /// AGAL: version of a text without a version comment [default: 1]
    #[arg(long, value_name = "VERSION", value_parser = choice(VERSIONS))]
    agal: Option<AgalVersion>,
    /// AGAL: allow register numbers up to 1023 in every version
    #[arg(long)]
    ignore_limits: bool,
    /// Containers: accept a wrong checksum
    #[arg(long)]
    pub(super) ignore_checksum: bool,
}

impl ReadOptions {
    /// Returns the assembler's options, for properties that the assembly source doesn't specify.
    pub(super) fn assembler(&self) -> asm::AssembleOptions {
        let version = self.agal.unwrap_or(AgalVersion::V1).number();
        asm::AssembleOptions { stage: self.stage, version, ignore_limits: self.ignore_limits }
    }
}

/// The option for the profile of AGAL's rules.
#[derive(clap::Args)]
pub(super) struct RulesArgument {
    /// AGAL: profile of the Context3D [default: enhanced]
    #[arg(long, value_parser = named(&Profile::ALL, Profile::name))]
    profile: Option<Profile>,
}

impl RulesArgument {
    pub(super) fn rules(&self) -> Rules {
        self.profile.map_or(Rules::NEWEST, |profile| Rules { profile })
    }
}

/// Returns a parser for the dialects of all languages.
pub(super) fn target() -> impl TypedValueParser<Value = Dialect> {
    let known = |target: &&Dialect| {
        ShaderForm::ALL.iter().any(|language| language.targets().contains(target))
    };
    let known = Dialect::ALL.iter().filter(known);
    choice(known.map(|target| (*target, target.name())).collect::<Vec<_>>())
}

/// Returns the requested GLSL dialect if the language supports it. By default, returns the language's first dialect.
pub(super) fn target_of(
    language: ShaderForm,
    wanted: Option<Dialect>,
) -> Result<Dialect, UnsupportedOption> {
    let targets = language.targets();
    let target = wanted.or_else(|| targets.first().copied()).unwrap_or(Dialect::Glsl330);
    let known = targets.contains(&target).then_some(target);
    known.ok_or(UnsupportedOption::Target { language, target })
}

#[derive(clap::Args)]
pub(in crate::cli) struct Dis {
    #[command(flatten)]
    pub(super) rules: RulesArgument,
    /// AGAL: add each token's number as a comment
    #[arg(long)]
    pub(super) numbers: bool,
    /// Direct3D 9: omit the words of comments
    #[arg(long)]
    pub(super) no_comments: bool,
    /// Containers: print floats as bits if six decimals are not exact
    #[arg(long)]
    pub(super) exact: bool,
    /// Containers: omit the comments with the signatures; the assembler needs them
    #[arg(long)]
    pub(super) no_signatures: bool,
}

#[derive(clap::Args)]
pub(in crate::cli) struct CheckArguments {
    #[command(flatten)]
    pub(super) rules: RulesArgument,
    /// Direct3D 9: capabilities of the device for 2_x shaders [default: the maximum]
    #[arg(long, value_name = "PROFILE", value_parser = choice(Caps::NAMES.map(|(name, caps)| (caps, name))))]
    pub(super) caps: Option<Caps>,
    /// Containers: allow more than 128 instances of a phase
    #[arg(long)]
    pub(super) any_instance_count: bool,
}

#[derive(clap::Args)]
pub(in crate::cli) struct Glsl {
    #[command(flatten)]
    pub(super) rules: RulesArgument,
    /// Version of GLSL [default: 330; 400 for hull shaders]
    #[arg(long, value_name = "VERSION", value_parser = target())]
    pub(super) target: Option<Dialect>,
    #[command(flatten)]
    pub(super) floats: FloatArgument,
    /// Depth range to which the driver clips [default: minus-one-to-one]
    #[arg(long, value_name = "RANGE", value_parser = choice(CLIPS))]
    clip: Option<ClipDepth>,
    /// Add the assembly source of each line, and names of constants, as comments
    #[arg(long)]
    pub(super) comments: bool,
    /// Direct3D 9: add half-pixel offset and mirroring from uniform vec4 d3d9_fixup
    #[arg(long)]
    pub(super) fixup: bool,
    /// Direct3D 9: add fog to pixel shaders below 3_0, with uniform vec4 d3d9_fog_color
    #[arg(long)]
    pub(super) fog: bool,
    /// Direct3D 9: set gl_PointSize in vertex shaders
    #[arg(long)]
    pub(super) point_size: bool,
    /// File for one shader, or folder for NAME.vert, NAME.frag and NAME.tesc
    #[arg(short, long, value_name = "PATH")]
    pub(super) out: Option<PathBuf>,
}

impl Glsl {
    pub(super) fn clip(&self) -> ClipDepth {
        self.clip.unwrap_or(ClipDepth::MinusOneToOne)
    }
}

#[derive(clap::Args)]
pub(in crate::cli) struct Wgsl {
    #[command(flatten)]
    pub(super) rules: RulesArgument,
    #[command(flatten)]
    pub(super) floats: FloatArgument,
    /// Add the assembly source of each line as a comment
    #[arg(long)]
    pub(super) comments: bool,
    /// File for one module, or folder for NAME.wgsl
    #[arg(short, long, value_name = "PATH")]
    pub(super) out: Option<PathBuf>,
}

#[derive(clap::Args)]
#[command(mut_arg("files", |files| files.help("A program or both files of a pair, and values: REGISTER=VALUE")))]
pub(in crate::cli) struct Run {
    #[command(flatten)]
    pub(super) rules: RulesArgument,
    #[command(flatten)]
    pub(super) floats: FloatArgument,
    /// Direct3D 9: maximum number of executed instructions [default: 1048576]
    #[arg(long, value_name = "N")]
    pub(super) steps: Option<u32>,
    #[command(flatten)]
    pub(super) patch: PatchArgument,
    /// Show the result of every instruction
    #[arg(long)]
    pub(super) trace: bool,
}

#[derive(clap::Args)]
pub(in crate::cli) struct DrawArguments {
    #[command(flatten)]
    pub(super) patch: PatchArgument,
    /// PNG file to write, or folder for several
    #[arg(short, long, value_name = "FILE")]
    pub(super) out: PathBuf,
    /// Width and height of the image
    #[arg(long, value_name = "PIXELS", default_value = "512", value_parser = clap::value_parser!(u32).range(16..=4096))]
    pub(super) size: u32,
    /// Version of GLSL [default: 400]
    #[arg(long, value_name = "VERSION", value_parser = target())]
    pub(super) target: Option<Dialect>,
}
