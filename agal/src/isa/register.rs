//! The register-file table: code, names, counts by AGAL version and by profile, and allowed access by stage.
//!
//! Decoder, validator, assembler, printer and emitter take all facts about registers from it. A program may use the
//! smaller of its version's and its profile's count: a program of an older version keeps the older counts in a stronger
//! profile (agal.md section 1).

use crate::error::ErrorKind;
use crate::isa::operand::WriteMask;
use crate::isa::version::{Profile, Stage, Version};

/// Whether a register file may be read or written in a stage, with Flash's error if not.
pub type Access = Result<(), ErrorKind>;

/// A register file in one stage.
#[derive(Clone, Copy, Debug)]
pub struct StageView {
    /// Names in text, the printed one first. Empty if the file has no name in this stage.
    pub names: &'static [&'static str],
    /// Number of registers in AGAL 1, 2, 3 and 4. `None`: the stage doesn't have the file; the other stage's number is
    /// checked before permission fails.
    pub counts: [Option<u16>; 4],
    /// Whether it may be an ordinary source.
    pub read: Access,
    /// Whether it may be a destination.
    pub write: Access,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct FileInfo {
    /// The register-type nibble.
    pub code: u8,
    /// Whether number 0 is written in text (`va0`), or left out (`op`).
    pub numbered: bool,
    /// Whether it may hold the index of an indirect operand.
    pub index: bool,
    /// The error for a number that is out of bounds.
    pub bounds: ErrorKind,
    /// Number of registers in each profile, weakest profile first.
    pub profiles: [u16; 7],
    /// Names, counts and access in a vertex program.
    pub vertex: StageView,
    /// Names, counts and access in a fragment program.
    pub fragment: StageView,
}

/// The maximum number of registers, in any version, of a file that is tracked per register (attributes, temporaries,
/// varyings, samplers; not constants).
pub const MAX_TRACKED: usize = 32;

/// A set of components for each register of such a file: four bits per register, register 0 lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Masks(u128);

const _: () = assert!(4 * MAX_TRACKED == u128::BITS as usize);

impl Masks {
    /// The bits of one register; none if the file doesn't have it.
    fn one(number: u16, mask: WriteMask) -> u128 {
        let bits = u128::from(mask.bits());
        bits.checked_shl(u32::from(number).saturating_mul(4)).unwrap_or(0)
    }
    /// Components of a register.
    pub(crate) fn get(self, number: u16) -> WriteMask {
        let shifted = self.0.checked_shr(u32::from(number).saturating_mul(4));
        let [bits, ..] = shifted.unwrap_or(0).to_le_bytes();
        WriteMask::from_bits(bits)
    }
    /// Adds components of a register.
    pub(crate) fn add(&mut self, number: u16, mask: WriteMask) {
        self.0 |= Masks::one(number, mask);
    }
    /// The components that are in both sets.
    pub(crate) fn intersection(self, other: Masks) -> Masks {
        Masks(self.0 & other.0)
    }
    /// Removes components of a register. Returns whether any of them was in the set.
    pub(crate) fn remove(&mut self, number: u16, mask: WriteMask) -> bool {
        let before = self.0;
        self.0 &= !Masks::one(number, mask);
        self.0 != before
    }
    /// Adds another set.
    pub(crate) fn join(&mut self, other: Masks) {
        self.0 |= other.0;
    }
    /// Bit n: some component of register n is in the set.
    pub(crate) fn registers(self) -> u32 {
        let (mut rest, mut registers) = (self.0, 0);
        while rest != 0 {
            let number = rest.trailing_zeros() / 4;
            registers |= 1 << number;
            rest &= !(0xf << (4 * number));
        }
        registers
    }
}

macro_rules! count {
    (-) => {
        None
    };
    ($count:literal) => {
        Some($count)
    };
}

macro_rules! access {
    (yes) => {
        Ok(())
    };
    ($kind:ident) => {
        Err(ErrorKind::$kind)
    };
}

macro_rules! registers {
    ($(
        $code:literal $file:ident $doc:literal numbered $numbered:literal index $index:literal bounds $bounds:ident
            profiles [$($profile:literal)*]
            vertex [$($vname:literal)*] counts [$($vcount:tt)*] read $vread:ident write $vwrite:ident
            fragment [$($fname:literal)*] counts [$($fcount:tt)*] read $fread:ident write $fwrite:ident;
    )*) => {
        /// A register file: the type nibble of an operand.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum RegisterFile {
            $(#[doc = $doc] $file,)*
        }

        impl RegisterFile {
            /// Every file, by code.
            pub const ALL: [RegisterFile; [$($code,)*].len()] = [$(RegisterFile::$file,)*];

            /// The file's row of the table.
            pub const fn info(self) -> &'static FileInfo {
                match self {
                    $(RegisterFile::$file => const { &FileInfo {
                        code: $code,
                        numbered: $numbered,
                        index: $index,
                        bounds: ErrorKind::$bounds,
                        profiles: [$($profile,)*],
                        vertex: StageView {
                            names: &[$($vname,)*],
                            counts: [$(count!($vcount),)*],
                            read: access!($vread),
                            write: access!($vwrite),
                        },
                        fragment: StageView {
                            names: &[$($fname,)*],
                            counts: [$(count!($fcount),)*],
                            read: access!($fread),
                            write: access!($fwrite),
                        },
                    } },)*
                }
            }
            /// The file of a type nibble.
            pub fn from_code(code: u8) -> Option<RegisterFile> {
                match code {
                    $($code => Some(RegisterFile::$file),)*
                    _ => None,
                }
            }
        }
    };
}

// Counts: agal.md section 3.1; those of AGAL 4, and 7 temporaries of either kind in baselineConstrained but 8 in baseline,
// are agal-adobe-2012.md, "Native lowering". Columns "profiles": baselineConstrained, baseline, baselineExtended,
// standardConstrained, standard, standardExtended, enhanced.
//
// Where a count is 0, bounds are checked before permission, so every number is out of bounds: the depth register under
// AGAL 1 reports 3749 as destination and as source (agal-errors.md, "What real-player output proves", 4). The instance
// id has no number for "out of bounds": 3789 stands for a missing register and for a second one alike (unverified).
registers! {
    0 Attribute "Vertex attribute `va`." numbered true index true bounds AttributeBounds
        profiles [8 8 8 8 8 16 16]
        vertex ["va"] counts [8 8 16 16] read yes write AttributeWritten
        fragment [] counts [- - - -] read AttributeOnlyInVertex write AttributeWritten;
    1 Constant "Program constant `vc`, `fc`." numbered true index true bounds ConstantBounds
        profiles [250 250 250 250 250 250 250]
        vertex ["vc"] counts [128 250 250 250] read yes write ConstantWritten
        fragment ["fc"] counts [28 64 200 200] read yes write ConstantWritten;
    2 Temporary "Temporary `vt`, `ft`." numbered true index true bounds TemporaryBounds
        profiles [7 8 8 26 26 26 26]
        vertex ["vt"] counts [8 26 26 26] read yes write yes
        fragment ["ft"] counts [8 26 26 26] read yes write yes;
    3 Output "Position `op`, colour `oc`." numbered false index false bounds OutputBounds
        profiles [1 1 1 1 4 4 4]
        vertex ["op" "vo"] counts [1 1 1 1] read OutputRead write yes
        fragment ["oc" "fo"] counts [1 4 4 4] read OutputRead write yes;
    4 Varying "Varying `v`." numbered true index false bounds VaryingBounds
        profiles [8 8 8 8 10 10 10]
        vertex ["v" "vi" "i" "fi"] counts [8 10 10 10] read VaryingReadOnlyInFragment write yes
        fragment ["v" "vi" "i" "fi"] counts [8 10 10 10] read yes write VaryingWrittenOnlyInVertex;
    5 Sampler "Texture sampler `fs`, `vs`." numbered true index false bounds SamplerBounds
        profiles [8 8 8 8 16 16 16]
        vertex ["vs"] counts [- - - 4] read SamplerAsSource write SamplerWritten
        fragment ["fs"] counts [8 16 16 16] read SamplerAsSource write SamplerWritten;
    6 DepthOutput "Depth `od`." numbered false index false bounds DepthBounds
        profiles [0 0 0 0 1 1 1]
        vertex [] counts [0 - - -] read DepthOnlyInFragment write DepthOnlyInFragment
        fragment ["od" "fd"] counts [0 1 1 1] read OutputRead write yes;
    7 InstanceId "Instance id `iid`." numbered false index true bounds InstanceIdNeedsVersion3
        profiles [0 0 0 0 0 1 1]
        vertex ["iid"] counts [0 0 1 1] read yes write InstanceIdWritten
        fragment [] counts [0 0 - -] read InstanceIdOnlyInVertex write InstanceIdWritten;
}

impl RegisterFile {
    /// Its index in [`RegisterFile::ALL`].
    pub(crate) fn index(self) -> usize {
        self as usize
    }

    /// The file as a stage sees it.
    pub const fn view(self, stage: Stage) -> &'static StageView {
        let info = self.info();
        match stage {
            Stage::Vertex => &info.vertex,
            Stage::Fragment => &info.fragment,
        }
    }

    /// Number of registers in an AGAL version, for any profile. `None`: the stage doesn't have the file.
    pub fn version_count(self, stage: Stage, version: Version) -> Option<u16> {
        let [v1, v2, v3, v4] = self.view(stage).counts;
        match version {
            Version::V1 => v1,
            Version::V2 => v2,
            Version::V3 => v3,
            Version::V4 => v4,
        }
    }

    /// Number of registers of a program with this version in this profile.
    pub fn count(self, stage: Stage, version: Version, profile: Profile) -> Option<u16> {
        let cap = self.info().profiles.get(profile as usize).copied();
        let count = self.version_count(stage, version)?;
        Some(cap.map_or(count, |cap| count.min(cap)))
    }

    /// The file with this name in a stage, including aliases.
    pub fn from_name(name: &str, stage: Stage) -> Option<RegisterFile> {
        RegisterFile::ALL.iter().copied().find(|file| file.view(stage).names.contains(&name))
    }

    /// The file's printed name in a stage, without a number: `vc`, `fc`, `va`. The emitted GLSL uses the same names for
    /// attributes, constants, temporaries, varyings and samplers.
    pub const fn name(self, stage: Stage) -> Option<&'static str> {
        match self.view(stage).names {
            [name, ..] => Some(name),
            [] => None,
        }
    }

    /// The text of one register: `va0`, `op`, `fo1`. `None` if the file has no name in this stage.
    pub fn text(self, stage: Stage, number: u16) -> Option<String> {
        let names = self.view(stage).names;
        if self.info().numbered {
            names.first().map(|name| format!("{name}{number}"))
        } else if number == 0 {
            names.first().map(|name| (*name).to_owned())
        } else {
            // `oc1` is valid text too, but `fo1` is the usual form.
            names.last().map(|name| format!("{name}{number}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_the_keys() {
        for (code, file) in (0u8..).zip(RegisterFile::ALL) {
            assert_eq!(file.info().code, code);
            assert_eq!(RegisterFile::from_code(code), Some(file));
        }
        assert_eq!(RegisterFile::from_code(8), None);
    }

    #[test]
    fn names_are_unique_in_a_stage() {
        for stage in [Stage::Vertex, Stage::Fragment] {
            let all = RegisterFile::ALL.iter();
            let mut names: Vec<_> = all.flat_map(|file| file.view(stage).names).collect();
            let count = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), count);
        }
    }

    #[test]
    fn tracked_files_fit() {
        for file in RegisterFile::ALL {
            for stage in [Stage::Vertex, Stage::Fragment] {
                let most = file.view(stage).counts.into_iter().flatten().max();
                if file != RegisterFile::Constant {
                    assert!(usize::from(most.unwrap_or(0)) <= MAX_TRACKED);
                }
            }
        }
    }

    /// profiles.md, "Shader limits".
    #[test]
    fn the_smaller_of_version_and_profile_counts() {
        use Profile::*;
        let count =
            |file: RegisterFile, stage, version, profile| file.count(stage, version, profile);
        let (v, f) = (Stage::Vertex, Stage::Fragment);
        assert_eq!(count(RegisterFile::Temporary, f, Version::V1, BaselineConstrained), Some(7));
        assert_eq!(count(RegisterFile::Temporary, f, Version::V1, Baseline), Some(8));
        assert_eq!(count(RegisterFile::Temporary, v, Version::V1, Enhanced), Some(8));
        assert_eq!(count(RegisterFile::Varying, v, Version::V2, StandardConstrained), Some(8));
        assert_eq!(count(RegisterFile::Varying, v, Version::V2, Standard), Some(10));
        assert_eq!(count(RegisterFile::Constant, f, Version::V3, StandardExtended), Some(200));
        assert_eq!(count(RegisterFile::DepthOutput, f, Version::V1, Standard), Some(0));
        assert_eq!(count(RegisterFile::Sampler, v, Version::V3, Enhanced), None);
        assert_eq!(count(RegisterFile::Sampler, v, Version::V4, Enhanced), Some(4));
    }
}
