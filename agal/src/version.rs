//! AGAL versions, profiles and program kinds, with their limits. Register counts are in [`crate::isa::register`].

agal_core::table! {
    /// The kind of a program.
    pub enum Stage {
        /// Returns the name in Flash's messages.
        name: &'static str as Display,
        /// Returns the program-type byte of the header ([agal.program.header]).
        code: u8 => from_code(u8),
    }
    /// Runs once per vertex; the first argument of `Program3D.upload`.
    Vertex "vertex", 0;
    /// Runs once per fragment; the second argument.
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
    pub enum Version {
        /// Returns the number in the header.
        number: u32 => from_number(u32),
        /// Returns the largest number of tokens of a program.
        max_tokens: usize,
    }
    // [agal.version.tokens]. AGAL 4: [agal.version.tokens_4]
    V1 1, 200;
    V2 2, 1024;
    V3 3, 2048;
    V4 4, 2048;
}

/// The version whose rules hold for the number 0 in a header, which passes: Adobe's verifier rejects only numbers above
/// the newest version's ([agal.version.zero], measured for AGAL 1; open for later players: [agal.version.zero_later]).
const VERSION_0: Option<Version> = Some(Version::V1);

impl Version {
    /// The newest version: a higher number in a header raises 3617.
    pub(crate) const NEWEST: Version = Version::V4;

    /// Returns the version whose rules hold for a number in a header.
    pub(crate) fn of_header(number: u32) -> Option<Version> {
        match number {
            0 => VERSION_0,
            number => Version::from_number(number),
        }
    }
}

/// Maximum nesting of conditionals: the constant of Adobe's assembler ([agal.nesting.five]). A program that nests four
/// deep runs on a player ([agal.nesting.four]).
pub const MAX_NESTING: usize = 4;

agal_core::table! {
    /// A `Context3DProfile`, weakest first; `Ord` follows that order.
    pub enum Profile {
        /// Returns the name in ActionScript.
        name: &'static str => from_name(&str) as Display,
        /// Returns the highest AGAL version that the profile runs ([agal.version.profile]).
        max_version: Version,
        /// Returns whether programs must also fit the native shader model ([agal.native.limits]).
        has_native_limits: bool,
    }
    BaselineConstrained "baselineConstrained", Version::V1, true;
    Baseline "baseline", Version::V1, false;
    BaselineExtended "baselineExtended", Version::V1, false;
    StandardConstrained "standardConstrained", Version::V2, false;
    Standard "standard", Version::V2, false;
    StandardExtended "standardExtended", Version::V3, false;
    Enhanced "enhanced", Version::V4, false;
}

/// The rules for an upload. The SWF's version has no part in them [agal.version.swf].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The profile, whose newest version of AGAL and limits apply.
    pub profile: Profile,
}

impl Rules {
    /// Rules that allow every AGAL version.
    pub const NEWEST: Rules = Rules { profile: Profile::Enhanced };
}
