//! The register-file table: code, names, counts by AGAL version and by profile, and allowed access by stage.
//!
//! Decoder, validator, assembler, printer and emitter take all facts about registers from it. A program may use the
//! smaller of its version's and its profile's count: a program of an older version keeps the older counts in a stronger
//! profile ([agal.version.lower]).

use agal_core::WriteMask;

use crate::error::ErrorKind::{self, self as E};
use crate::version::{Profile, Stage, Version};

/// The permission to read or write a register file in a stage: `Ok`, or Flash's error.
pub type Access = Result<(), ErrorKind>;

/// The registers of a file as one kind of program has them.
#[derive(Clone, Copy, Debug)]
pub struct StageView {
    /// Names in text, the printed one first. Empty if the file has no name in this stage.
    pub names: &'static [&'static str],
    /// Number of registers in AGAL 1, 2, 3 and 4. `None`: the stage doesn't have the file; the other stage's number is
    /// checked before permission fails.
    pub counts: [Option<u16>; 4],
    /// `Ok` if programs may read the registers, else the error of a read.
    pub read: Access,
    /// `Ok` if programs may write the registers, else the error of a write.
    pub write: Access,
}

/// The maximum number of registers, in any version, of a file that is tracked per register (attributes, temporaries,
/// varyings, samplers; not constants).
pub const MAX_TRACKED: usize = 32;

/// A set of components for each register of such a file: four bits per register, register 0 lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Masks(u128);

const _: () = assert!(4 * MAX_TRACKED == u128::BITS as usize);

impl Masks {
    fn one(number: u16, mask: WriteMask) -> u128 {
        let bits = u128::from(mask.bits());
        bits.checked_shl(u32::from(number).saturating_mul(4)).unwrap_or(0)
    }
    pub(crate) fn get(self, number: u16) -> WriteMask {
        let shifted = self.0.checked_shr(u32::from(number).saturating_mul(4));
        let [bits, ..] = shifted.unwrap_or(0).to_le_bytes();
        WriteMask::from_bits(bits)
    }
    pub(crate) fn add(&mut self, number: u16, mask: WriteMask) {
        self.0 |= Masks::one(number, mask);
    }
    pub(crate) fn intersection(self, other: Masks) -> Masks {
        Masks(self.0 & other.0)
    }
    /// Removes components of a register. Returns whether any of them was in the set.
    pub(crate) fn remove(&mut self, number: u16, mask: WriteMask) -> bool {
        let before = self.0;
        self.0 &= !Masks::one(number, mask);
        self.0 != before
    }
    pub(crate) fn join(&mut self, other: Masks) {
        self.0 |= other.0;
    }
    /// Returns the registers that have a component in the set; bit n is register n.
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

const YES: Access = Ok(());
/// The stage doesn't have the file.
const NO: u16 = u16::MAX;

const fn view(
    names: &'static [&'static str],
    [v1, v2, v3, v4]: [u16; 4],
    read: Access,
    write: Access,
) -> StageView {
    const fn known(count: u16) -> Option<u16> {
        if count == NO { None } else { Some(count) }
    }
    StageView { names, counts: [known(v1), known(v2), known(v3), known(v4)], read, write }
}

// Counts: [agal.register.counts]; those of AGAL 4, and 7 temporaries of either kind in baselineConstrained but 8 in
// baseline, are [agal.register.counts_4] [agal.register.temporaries]. "profiles": baselineConstrained, baseline,
// baselineExtended, standardConstrained, standard, standardExtended, enhanced.
//
// Where a count is 0, bounds are checked before permission, so every number is out of bounds: the depth register under
// AGAL 1 reports 3749 as destination and as source ([agal.depth.version_1]). The instance
// id has no number for "out of bounds": 3789 stands for a missing register and for a second one alike
// ([agal.iid.bounds]).
agal_core::table! {
    /// A register file: the type nibble of an operand.
    pub enum RegisterFile {
        /// Returns the register-type nibble.
        code: u8 => from_code(u8),
        /// Returns whether number 0 is written in text (`va0`), or left out (`op`).
        numbered: bool,
        /// Returns whether the registers may hold the index of an indirect operand.
        indexes: bool,
        /// Returns the error of a number that is too high.
        bounds: ErrorKind,
        /// Number of registers in each profile, weakest profile first.
        profiles: [u16; 7],
        /// Returns the registers as vertex programs have them.
        vertex: StageView,
        /// Returns the registers as fragment programs have them.
        fragment: StageView,
    }
    /// Vertex attribute `va`.
    Attribute 0, true, true, E::AttributeBounds, [8, 8, 8, 8, 8, 16, 16],
        view(&["va"], [8, 8, 16, 16], YES, Err(E::AttributeWritten)),
        view(&[], [NO, NO, NO, NO], Err(E::AttributeOnlyInVertex), Err(E::AttributeWritten));
    /// Program constant `vc`, `fc`.
    Constant 1, true, true, E::ConstantBounds, [250, 250, 250, 250, 250, 250, 250],
        view(&["vc"], [128, 250, 250, 250], YES, Err(E::ConstantWritten)),
        view(&["fc"], [28, 64, 200, 200], YES, Err(E::ConstantWritten));
    /// Temporary `vt`, `ft`.
    Temporary 2, true, true, E::TemporaryBounds, [7, 8, 8, 26, 26, 26, 26],
        view(&["vt"], [8, 26, 26, 26], YES, YES),
        view(&["ft"], [8, 26, 26, 26], YES, YES);
    /// Position `op`, colour `oc`.
    Output 3, false, false, E::OutputBounds, [1, 1, 1, 1, 4, 4, 4],
        view(&["op", "vo"], [1, 1, 1, 1], Err(E::OutputRead), YES),
        view(&["oc", "fo"], [1, 4, 4, 4], Err(E::OutputRead), YES);
    /// Varying `v`.
    Varying 4, true, false, E::VaryingBounds, [8, 8, 8, 8, 10, 10, 10],
        view(&["v", "vi", "i", "fi"], [8, 10, 10, 10], Err(E::VaryingReadOnlyInFragment), YES),
        view(&["v", "vi", "i", "fi"], [8, 10, 10, 10], YES, Err(E::VaryingWrittenOnlyInVertex));
    /// Texture sampler `fs`, `vs`.
    Sampler 5, true, false, E::SamplerBounds, [8, 8, 8, 8, 16, 16, 16],
        view(&["vs"], [NO, NO, NO, 4], Err(E::SamplerAsSource), Err(E::SamplerWritten)),
        view(&["fs"], [8, 16, 16, 16], Err(E::SamplerAsSource), Err(E::SamplerWritten));
    /// Depth `od`.
    DepthOutput 6, false, false, E::DepthBounds, [0, 0, 0, 0, 1, 1, 1],
        view(&[], [0, NO, NO, NO], Err(E::DepthOnlyInFragment), Err(E::DepthOnlyInFragment)),
        view(&["od", "fd"], [0, 1, 1, 1], Err(E::OutputRead), YES);
    /// Instance id `iid`.
    InstanceId 7, false, true, E::InstanceIdNeedsVersion3, [0, 0, 0, 0, 0, 1, 1],
        view(&["iid"], [0, 0, 1, 1], YES, Err(E::InstanceIdWritten)),
        view(&[], [0, 0, NO, NO], Err(E::InstanceIdOnlyInVertex), Err(E::InstanceIdWritten));
}

impl RegisterFile {
    /// Returns the index of the file in [`RegisterFile::ALL`].
    pub(crate) fn index(self) -> usize {
        self as usize
    }

    /// Returns the registers as a kind of program has them.
    pub const fn view(self, stage: Stage) -> StageView {
        match stage {
            Stage::Vertex => self.vertex(),
            Stage::Fragment => self.fragment(),
        }
    }

    /// Returns the number of registers in an AGAL version, for any profile; `None` if the stage doesn't have the file.
    pub fn version_count(self, stage: Stage, version: Version) -> Option<u16> {
        let [v1, v2, v3, v4] = self.view(stage).counts;
        match version {
            Version::V1 => v1,
            Version::V2 => v2,
            Version::V3 => v3,
            Version::V4 => v4,
        }
    }

    /// Returns the number of registers of a program with this version in this profile.
    pub fn count(self, stage: Stage, version: Version, profile: Profile) -> Option<u16> {
        let cap = self.profiles().get(profile as usize).copied();
        let count = self.version_count(stage, version)?;
        Some(cap.map_or(count, |cap| count.min(cap)))
    }

    /// Returns the file with this name in a stage, including aliases.
    pub fn from_name(name: &str, stage: Stage) -> Option<RegisterFile> {
        RegisterFile::ALL.iter().copied().find(|file| file.view(stage).names.contains(&name))
    }

    /// Returns the file's printed name in a stage, without a number: `vc`, `fc`, `va`. The emitted GLSL uses the same
    /// names for attributes, constants, temporaries, varyings and samplers.
    pub const fn name(self, stage: Stage) -> Option<&'static str> {
        match self.view(stage).names {
            [name, ..] => Some(name),
            [] => None,
        }
    }

    /// Returns the text of a register, such as `va0`, `op` or `fo1`; `None` if the file has no name in this stage.
    pub fn text(self, stage: Stage, number: u16) -> Option<String> {
        let names = self.view(stage).names;
        if self.numbered() {
            names.first().map(|name| format!("{name}{number}"))
        } else if number == 0 {
            names.first().map(|name| (*name).to_owned())
        } else {
            // `oc1` is valid text too, but `fo1` is the usual form.
            names.last().map(|name| format!("{name}{number}"))
        }
    }
}
