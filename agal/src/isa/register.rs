//! The table of register files: code, names, counts by AGAL version and by profile, and allowed access by stage.
//!
//! The decoder, validator, assembler, printer and emitter read all facts about registers from this table. A program may
//! use the smaller count of its version and its profile: in a stronger profile, a program of an older version keeps the
//! older count ([agal.version.lower]).

use agal_core::WriteMask;

use crate::error::ErrorKind::{self, self as E};
use crate::version::{AgalVersion, Profile, Stage};

/// The permission to read or write a register file in a stage: `Ok`, or the error that Flash raises.
pub type RegisterAccess = Result<(), ErrorKind>;

/// The properties of a register file in one stage.
#[derive(Clone, Copy, Debug)]
pub struct StageView {
    /// The register file's names in assembly source, the printed name first; empty if the register file has no name in
    /// this stage.
    pub names: &'static [&'static str],
    /// The number of registers in AGAL 1, 2, 3 and 4. If the stage lacks the register file (`None`), the verifier
    /// checks a register number against the other stage's count, then rejects the access.
    pub counts: [Option<u16>; 4],
    /// `Ok` if programs may read the registers, otherwise the error for a read.
    pub read: RegisterAccess,
    /// `Ok` if programs may write the registers, otherwise the error for a write.
    pub write: RegisterAccess,
}

/// The maximum number of registers, in any version, in a register file that is tracked per register (attributes,
/// temporaries, varyings, samplers; not constants).
pub const MAX_TRACKED: usize = 32;

/// The components of the registers in one register file: four bits per register, register 0 in the lowest bits.
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
    /// Removes components of a register. Returns whether the set contained any of these components.
    pub(crate) fn remove(&mut self, number: u16, mask: WriteMask) -> bool {
        let before = self.0;
        self.0 &= !Masks::one(number, mask);
        self.0 != before
    }
    pub(crate) fn join(&mut self, other: Masks) {
        self.0 |= other.0;
    }
    /// Returns the registers with a component in the set; bit n is register n.
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

const YES: RegisterAccess = Ok(());
/// A register count that means that the stage lacks the register file.
const NO: u16 = u16::MAX;

const fn view(
    names: &'static [&'static str],
    [v1, v2, v3, v4]: [u16; 4],
    read: RegisterAccess,
    write: RegisterAccess,
) -> StageView {
    const fn known(count: u16) -> Option<u16> {
        if count == NO { None } else { Some(count) }
    }
    StageView { names, counts: [known(v1), known(v2), known(v3), known(v4)], read, write }
}

// Register counts are from [agal.register.counts], those of AGAL 4 from [agal.register.counts_4]. The counts of
// temporaries, 7 in baselineConstrained and 8 in baseline, are from [agal.register.temporaries]. The column `profiles`
// has one count per `Profile`, from baselineConstrained to enhanced.
//
// Bounds are checked before permission. Where a count is 0, every number is out of bounds: under AGAL 1, the depth
// register reports 3749 as destination and as source ([agal.depth.version_1]). For the instance id, error 3789 reports
// both a missing register file and a register number out of bounds ([agal.iid.bounds]).
agal_core::table! {
    /// A register file: the register type of an operand.
    pub enum RegisterFile {
        /// Returns the nibble with the register type.
        code: u8 => from_code(u8),
        /// Returns whether text includes the number 0 (`va0`) or omits it (`op`).
        numbered: bool,
        /// Returns whether a register of the register file may hold the index of an indirect operand.
        indexes: bool,
        /// Returns the error for a register number that is out of bounds.
        bounds: ErrorKind,
        /// The number of registers in each profile, from the weakest profile to the strongest.
        profiles: [u16; 7],
        /// Returns the register file's names, counts and access in vertex programs.
        vertex: StageView,
        /// Returns the register file's names, counts and access in fragment programs.
        fragment: StageView,
    }
    /// The vertex attributes `va`.
    Attribute 0, true, true, E::AttributeBounds, [8, 8, 8, 8, 8, 16, 16],
        view(&["va"], [8, 8, 16, 16], YES, Err(E::AttributeWritten)),
        view(&[], [NO, NO, NO, NO], Err(E::AttributeOnlyInVertex), Err(E::AttributeWritten));
    /// The constants `vc` and `fc`.
    Constant 1, true, true, E::ConstantBounds, [250, 250, 250, 250, 250, 250, 250],
        view(&["vc"], [128, 250, 250, 250], YES, Err(E::ConstantWritten)),
        view(&["fc"], [28, 64, 200, 200], YES, Err(E::ConstantWritten));
    /// The temporaries `vt` and `ft`.
    Temporary 2, true, true, E::TemporaryBounds, [7, 8, 8, 26, 26, 26, 26],
        view(&["vt"], [8, 26, 26, 26], YES, YES),
        view(&["ft"], [8, 26, 26, 26], YES, YES);
    /// The position `op` and the colours `oc`.
    Output 3, false, false, E::OutputBounds, [1, 1, 1, 1, 4, 4, 4],
        view(&["op", "vo"], [1, 1, 1, 1], Err(E::OutputRead), YES),
        view(&["oc", "fo"], [1, 4, 4, 4], Err(E::OutputRead), YES);
    /// The varyings `v`.
    Varying 4, true, false, E::VaryingBounds, [8, 8, 8, 8, 10, 10, 10],
        view(&["v", "vi", "i", "fi"], [8, 10, 10, 10], Err(E::VaryingReadOnlyInFragment), YES),
        view(&["v", "vi", "i", "fi"], [8, 10, 10, 10], YES, Err(E::VaryingWrittenOnlyInVertex));
    /// The samplers `fs` and `vs`.
    Sampler 5, true, false, E::SamplerBounds, [8, 8, 8, 8, 16, 16, 16],
        view(&["vs"], [NO, NO, NO, 4], Err(E::SamplerAsSource), Err(E::SamplerWritten)),
        view(&["fs"], [8, 16, 16, 16], Err(E::SamplerAsSource), Err(E::SamplerWritten));
    /// The depth output `od`.
    DepthOutput 6, false, false, E::DepthBounds, [0, 0, 0, 0, 1, 1, 1],
        view(&[], [0, NO, NO, NO], Err(E::DepthOnlyInFragment), Err(E::DepthOnlyInFragment)),
        view(&["od", "fd"], [0, 1, 1, 1], Err(E::OutputRead), YES);
    /// The instance id `iid`.
    InstanceId 7, false, true, E::InstanceIdNeedsVersion3, [0, 0, 0, 0, 0, 1, 1],
        view(&["iid"], [0, 0, 1, 1], YES, Err(E::InstanceIdWritten)),
        view(&[], [0, 0, NO, NO], Err(E::InstanceIdOnlyInVertex), Err(E::InstanceIdWritten));
}

impl RegisterFile {
    /// Returns the index of the register file in [`RegisterFile::ALL`].
    pub(crate) fn index(self) -> usize {
        self as usize
    }

    /// Returns the register file's names, counts and access in programs of a stage.
    pub const fn view(self, stage: Stage) -> StageView {
        match stage {
            Stage::Vertex => self.vertex(),
            Stage::Fragment => self.fragment(),
        }
    }

    /// Returns the number of registers in an AGAL version, for any profile; `None` if the stage lacks the registers.
    pub fn version_count(self, stage: Stage, version: AgalVersion) -> Option<u16> {
        let [v1, v2, v3, v4] = self.view(stage).counts;
        match version {
            AgalVersion::V1 => v1,
            AgalVersion::V2 => v2,
            AgalVersion::V3 => v3,
            AgalVersion::V4 => v4,
        }
    }

    /// Returns the number of registers that a program of this version may use in this profile.
    pub fn count(self, stage: Stage, version: AgalVersion, profile: Profile) -> Option<u16> {
        let cap = self.profiles().get(profile as usize).copied();
        let count = self.version_count(stage, version)?;
        Some(cap.map_or(count, |cap| count.min(cap)))
    }

    /// Returns the register file that has this name or alias in a stage.
    pub fn from_name(name: &str, stage: Stage) -> Option<RegisterFile> {
        RegisterFile::ALL.iter().copied().find(|file| file.view(stage).names.contains(&name))
    }

    /// Returns the register file's printed name in a stage, without a number: `vc`, `fc`, `va`. Emitted GLSL uses the
    /// printed names of attributes, constants, temporaries, varyings and samplers.
    pub const fn name(self, stage: Stage) -> Option<&'static str> {
        match self.view(stage).names {
            [name, ..] => Some(name),
            [] => None,
        }
    }

    /// Returns the printed name of a register, such as `va0`, `op` or `fo1`; `None` without a name.
    pub fn text(self, stage: Stage, number: u16) -> Option<String> {
        let names = self.view(stage).names;
        if self.numbered() {
            names.first().map(|name| format!("{name}{number}"))
        } else if number == 0 {
            names.first().map(|name| (*name).to_owned())
        } else {
            // `oc1` is also valid text, but `fo1` is the usual name.
            names.last().map(|name| format!("{name}{number}"))
        }
    }
}
