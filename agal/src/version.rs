//! AGAL versions, profiles and stages, with their limits. Register counts are in [`crate::isa::register`].

agal_core::table! {
    /// The stage of a program: vertex or fragment.
    pub enum Stage {
        /// Returns the stage's name in Flash's messages.
        name: &'static str as Display,
        /// Returns the stage's byte in the header of a program ([agal.program.header]).
        code: u8 => from_code(u8),
    }
    /// The program runs once per vertex, and is the first argument of `Program3D.upload`.
    Vertex "vertex", 0;
    /// The program runs once per pixel, and is the second argument of `Program3D.upload`.
    Fragment "fragment", 1;
}

impl Stage {
    pub(crate) fn other(self) -> Stage {
        match self {
            Stage::Vertex => Stage::Fragment,
            Stage::Fragment => Stage::Vertex,
        }
    }
}

agal_core::table! {
    /// A version of AGAL.
    pub enum AgalVersion {
        /// Returns the version number in the header.
        number: u32 => from_number(u32),
        /// Returns the maximum number of tokens in a program.
        max_tokens: usize,
    }
    // Limits: [agal.version.tokens]; for AGAL 4: [agal.version.tokens_4].
    V1 1, 200;
    V2 2, 1024;
    V3 3, 2048;
    V4 4, 2048;
}

/// The version for header number 0. Adobe's verifier for AGAL 1 rejects only numbers above the newest version
/// ([agal.version.zero]); the rule of later players is unknown ([agal.version.zero_later]).
const VERSION_0: Option<AgalVersion> = Some(AgalVersion::V1);

impl AgalVersion {
    /// The newest AGAL version. A program header with a version above the newest raises error 3617.
    pub(crate) const NEWEST: AgalVersion = AgalVersion::V4;

    /// Returns the version whose rules apply to a number in a header.
    pub(crate) fn of_header(number: u32) -> Option<AgalVersion> {
        match number {
            0 => VERSION_0,
            number => AgalVersion::from_number(number),
        }
    }
}

/// The maximum nesting of conditionals, a constant of Adobe's assembler ([agal.nesting.five]). A program with four
/// nested conditionals runs on a player ([agal.nesting.four]).
pub const MAX_NESTING: usize = 4;

agal_core::table! {
    /// A `Context3DProfile`. Profiles are ordered from the weakest to the strongest.
    pub enum Profile {
        /// Returns the profile's name in ActionScript.
        name: &'static str => from_name(&str) as Display,
        /// Returns the newest AGAL version that the profile supports ([agal.version.profile]).
        max_version: AgalVersion,
        /// Returns whether programs must also fit the limits of the native shader model ([agal.native.limits]).
        has_native_limits: bool,
    }
    BaselineConstrained "baselineConstrained", AgalVersion::V1, true;
    Baseline "baseline", AgalVersion::V1, false;
    BaselineExtended "baselineExtended", AgalVersion::V1, false;
    StandardConstrained "standardConstrained", AgalVersion::V2, false;
    Standard "standard", AgalVersion::V2, false;
    StandardExtended "standardExtended", AgalVersion::V3, false;
    Enhanced "enhanced", AgalVersion::V4, false;
}

/// The validation rules for an upload, which don't depend on the SWF version [agal.version.swf].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The profile, which determines the newest AGAL version and the limits.
    pub profile: Profile,
}

impl Rules {
    /// The rules of the strongest profile, which supports every AGAL version.
    pub const NEWEST: Rules = Rules { profile: Profile::Enhanced };
}
