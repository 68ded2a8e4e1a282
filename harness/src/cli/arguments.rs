//! Argument groups that several commands share, and parsers of argument values.

use agal::float::FloatRules;
use agal::glsl::ClipDepth;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use context3d::Profile;

/// Defines a group of subcommands, each with its arguments. `run` runs the selected command.
macro_rules! subcommands {
    ($group:ident { $($(#[$attribute:meta])* $name:ident($arguments:ty),)+ }) => {
        #[derive(clap::Subcommand)]
        #[allow(clippy::large_enum_variant, reason = "there is only one")]
        pub(in crate::cli) enum $group { $($(#[$attribute])* $name($arguments)),+ }

        impl $group {
            pub(in crate::cli) fn run(self)
                -> Result<$crate::cli::output::CommandStatus, $crate::cli::output::CommandFailure> {
                match self { $($group::$name(arguments) => arguments.run()),+ }
            }
        }
    };
}
pub(super) use subcommands;

/// Returns a parser for a fixed set of values with their names.
pub(super) fn choice<T: Clone + Send + Sync + 'static>(
    values: impl IntoIterator<Item = (T, &'static str)>,
) -> impl TypedValueParser<Value = T> {
    let values: Vec<(T, &str)> = values.into_iter().collect();
    let names = PossibleValuesParser::new(values.iter().map(|(_, name)| *name));
    names.try_map(move |text| {
        let found = values.iter().find(|(_, name)| *name == text);
        found.map(|(value, _)| value.clone()).ok_or("unknown name")
    })
}

/// Like [`choice`], but takes the name of each value from a function.
pub(super) fn named<T: Copy + Send + Sync + 'static>(
    values: &[T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    choice(values.iter().map(|value| (*value, name(*value))).collect::<Vec<_>>())
}

pub(super) const CLIPS: [(ClipDepth, &str); 2] =
    [(ClipDepth::MinusOneToOne, "minus-one-to-one"), (ClipDepth::ZeroToOne, "zero-to-one")];

#[derive(clap::Args)]
pub(super) struct ProfileArgument {
    /// Profile of every context [default: the recorded profile]
    #[arg(long, hide_short_help = true, value_parser = named(&Profile::ALL, Profile::name))]
    pub(super) profile: Option<Profile>,
}

/// The options of all commands that run or translate shader programs: the rules for special floats.
#[derive(clap::Args)]
pub(super) struct FloatArgument {
    /// Rules for special floats: direct3d9 (1 / 0 is the largest float) or ieee (1 / 0 is infinity) [default:
    /// direct3d9]
    #[arg(long, value_name = "RULES", hide_short_help = true, value_parser = named(FloatRules::ALL, FloatRules::name))]
    pub(super) float_rules: Option<FloatRules>,
}

impl FloatArgument {
    pub(super) fn rules(&self) -> FloatRules {
        self.float_rules.unwrap_or_default()
    }
}

#[derive(clap::Args)]
pub(super) struct ToleranceArguments {
    /// Largest difference of a channel (including alpha) that counts as equal
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(super) tolerance: u8,
    /// Maximum number of pixels that may differ by more than the tolerance
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) max_outliers: u64,
}
