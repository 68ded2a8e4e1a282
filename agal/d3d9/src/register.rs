//! THE register table: for each version, the register files, their sizes and allowed uses (d3d9-registers.tsv; a test
//! compares them), and the register types of tokens (d3d9-shaders.md section 1.6).

use std::fmt;

use crate::version::Version;

shader_core::table! {
    /// A register file of a shader. A register type of the tokens may be several files, by version and number.
    pub enum File {
        /// The name in text, without a number.
        name: &'static str,
        /// Whether a number follows the name.
        is_numbered: bool,
        /// The register type in tokens (d3d9-shaders.md section 1.6); constants from 2048 on have other types.
        kind: u8,
        /// The only register number of the file, if it shares its type with other files.
        only: Option<u16>,
    }
    Temp            "r",      true,  0,  None;
    Input           "v",      true,  1,  None;
    Const           "c",      true,  2,  None;
    Address         "a0",     false, 3,  None;
    Texture         "t",      true,  3,  None;
    Position        "oPos",   false, 4,  Some(0);
    Fog             "oFog",   false, 4,  Some(1);
    PointSize       "oPts",   false, 4,  Some(2);
    ColorVarying    "oD",     true,  5,  None;
    TexCoordVarying "oT",     true,  6,  None;
    Output          "o",      true,  6,  None;
    Integer         "i",      true,  7,  None;
    Color           "oC",     true,  8,  None;
    Depth           "oDepth", false, 9,  None;
    Sampler         "s",      true,  10, None;
    Boolean         "b",      true,  14, None;
    Loop            "aL",     false, 15, None;
    PixelPosition   "vPos",   false, 17, Some(0);
    Face            "vFace",  false, 17, Some(1);
    Label           "l",      true,  18, None;
    Predicate       "p0",     false, 19, None;
}

/// The index registers that a file can be addressed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relative {
    /// None.
    No,
    /// `a0.x`.
    AddressX,
    /// Any component of `a0`, and `aL`.
    AddressOrLoop,
    /// `aL`.
    Loop,
}

/// The allowed uses of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Sources only.
    Read,
    /// Destinations only.
    Write,
    /// Sources and destinations.
    ReadWrite,
    /// `a0`: a destination and an index.
    WriteIndex,
    /// `aL`: an index.
    Index,
    /// Operands of flow control only.
    Flow,
    /// Operands of texture instructions only.
    Sample,
}

/// A register file in one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// Number of registers, which are numbered from 0.
    pub count: u16,
    /// Allowed uses.
    pub access: Access,
    /// Maximum number of different registers of the file that one instruction may read; `None`: unlimited.
    pub ports: Option<u8>,
    /// Maximum number of reads of the file in one instruction; `None`: unlimited.
    pub reads: Option<u8>,
    /// Index registers for relative addressing.
    pub relative: Relative,
    /// Whether its registers must be declared.
    pub declared: bool,
}

macro_rules! limit {
    (-) => {
        None
    };
    ($limit:literal) => {
        Some($limit)
    };
}

macro_rules! registers {
    ($($file:ident {
        $($($version:ident)|+: $count:literal $access:ident ports $ports:tt reads $reads:tt $relative:ident $declared:literal;)*
    })*) => {
        impl File {
            /// The file in a version; `None` if the version doesn't have it.
            #[inline]
            pub const fn info(self, version: Version) -> Option<&'static FileInfo> {
                match self {
                    $(File::$file => match version {
                        $($(Version::$version)|+ => Some(const { &FileInfo {
                            count: $count,
                            access: Access::$access,
                            ports: limit!($ports),
                            reads: limit!($reads),
                            relative: Relative::$relative,
                            declared: $declared,
                        } }),)*
                        #[allow(unreachable_patterns, reason = "a file may be in every version")]
                        _ => None,
                    },)*
                }
            }
        }
    };
}

// Constants of vs: the minimum of all devices (caps); see `Caps`. Temporaries of 2_x: the maximum.
registers! {
    Temp {
        Vs11 | Vs20: 12 ReadWrite ports 3 reads - No false;
        Vs2x | Vs30: 32 ReadWrite ports 3 reads - No false;
        Vs2sw | Vs3sw: 32 ReadWrite ports - reads - No false;
        Ps11 | Ps12 | Ps13: 2 ReadWrite ports 2 reads - No false;
        Ps14: 6 ReadWrite ports 3 reads - No false;
        Ps20: 12 ReadWrite ports 3 reads - No false;
        Ps2x | Ps30: 32 ReadWrite ports 3 reads - No false;
        Ps2sw | Ps3sw: 32 ReadWrite ports - reads - No false;
    }
    Input {
        Vs11 | Vs20 | Vs2x: 16 Read ports 1 reads - No true;
        Vs2sw: 16 Read ports - reads - No true;
        Vs30: 16 Read ports 1 reads - AddressOrLoop true;
        Vs3sw: 16 Read ports - reads - AddressOrLoop true;
        Ps11 | Ps12 | Ps13 | Ps14: 2 Read ports 2 reads - No false;
        Ps20 | Ps2x: 2 Read ports 1 reads - No true;
        Ps2sw: 2 Read ports - reads - No true;
        Ps30: 10 Read ports 1 reads - Loop true;
        Ps3sw: 10 Read ports - reads - Loop true;
    }
    Const {
        Vs11: 96 Read ports 1 reads - AddressX false;
        Vs20 | Vs2x: 256 Read ports 1 reads 2 AddressOrLoop false;
        Vs30: 256 Read ports 1 reads - AddressOrLoop false;
        Vs2sw | Vs3sw: 8192 Read ports - reads - AddressOrLoop false;
        Ps11 | Ps12 | Ps13 | Ps14: 8 Read ports 2 reads - No false;
        Ps20 | Ps2x: 32 Read ports 1 reads 2 No false;
        Ps30: 224 Read ports 1 reads - No false;
        Ps2sw | Ps3sw: 8192 Read ports - reads - No false;
    }
    Address {
        Vs11: 1 WriteIndex ports 1 reads - No false;
        Vs20 | Vs2x: 1 WriteIndex ports 1 reads 2 No false;
        Vs30: 1 WriteIndex ports 1 reads - No false;
        Vs2sw | Vs3sw: 1 WriteIndex ports - reads - No false;
    }
    Texture {
        Ps11: 4 ReadWrite ports 2 reads - No false;
        Ps12 | Ps13: 4 ReadWrite ports 3 reads - No false;
        Ps14: 6 Read ports 1 reads - No false;
        Ps20 | Ps2x: 8 Read ports 1 reads 1 No true;
        Ps2sw: 8 Read ports - reads - No true;
    }
    Position {
        Vs11 | Vs20 | Vs2x | Vs2sw: 1 Write ports - reads - No false;
    }
    Fog {
        Vs11 | Vs20 | Vs2x | Vs2sw: 1 Write ports - reads - No false;
    }
    PointSize {
        Vs11 | Vs20 | Vs2x | Vs2sw: 1 Write ports - reads - No false;
    }
    ColorVarying {
        Vs11 | Vs20 | Vs2x | Vs2sw: 2 Write ports - reads - No false;
    }
    TexCoordVarying {
        Vs11 | Vs20 | Vs2x | Vs2sw: 8 Write ports - reads - No false;
    }
    Output {
        Vs30: 12 Write ports - reads - AddressOrLoop true;
        Vs3sw: 16 Write ports - reads - AddressOrLoop true;
    }
    Integer {
        Vs20 | Vs2x | Vs30 | Ps2x | Ps30: 16 Flow ports 1 reads 1 No false;
        Vs2sw | Vs3sw | Ps2sw | Ps3sw: 2048 Flow ports - reads - No false;
    }
    Color {
        Ps20 | Ps2x | Ps2sw | Ps30 | Ps3sw: 4 Write ports - reads - No false;
    }
    Depth {
        Ps20 | Ps2x | Ps2sw | Ps30 | Ps3sw: 1 Write ports - reads - No false;
    }
    Sampler {
        Vs30: 4 Sample ports 1 reads 1 No true;
        Vs3sw: 4 Sample ports - reads - No true;
        Ps20 | Ps2x | Ps30: 16 Sample ports 1 reads 1 No true;
        Ps2sw | Ps3sw: 16 Sample ports - reads - No true;
    }
    Boolean {
        Vs20 | Vs2x | Vs30 | Ps2x | Ps30: 16 Flow ports 1 reads 1 No false;
        Vs2sw | Vs3sw | Ps2sw | Ps3sw: 2048 Flow ports - reads - No false;
    }
    Loop {
        Vs20 | Vs2x: 1 Index ports 1 reads 2 No false;
        Vs30 | Ps30: 1 Index ports 1 reads - No false;
        Vs2sw | Vs3sw | Ps3sw: 1 Index ports - reads - No false;
    }
    PixelPosition {
        Ps30 | Ps3sw: 1 Read ports 1 reads - No true;
    }
    Face {
        Ps30 | Ps3sw: 1 Read ports 1 reads - No true;
    }
    Label {
        Vs20 | Vs2x | Ps2x: 16 Flow ports - reads - No false;
        Vs2sw | Vs30 | Vs3sw | Ps2sw | Ps30 | Ps3sw: 2048 Flow ports - reads - No false;
    }
    Predicate {
        Vs2x | Vs30 | Ps2x | Ps30: 1 ReadWrite ports 1 reads 1 No false;
        Vs2sw | Vs3sw | Ps2sw | Ps3sw: 1 ReadWrite ports - reads - No false;
    }
}

/// A register by file and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register {
    /// The file.
    pub file: File,
    /// The number within the file; constants are numbered across their four register types.
    pub number: u16,
}

/// Registers per register type: numbers have eleven bits.
pub(crate) const PER_TYPE: u16 = 2048;

/// Number of input slots, see [`Register::slot`].
pub(crate) const INPUTS: usize = 26;
/// Number of slots with float values.
pub(crate) const FLOATS: usize = 92;
/// Number of all slots.
pub(crate) const SLOTS: usize = 94;

impl Register {
    /// A register.
    pub const fn new(file: File, number: u16) -> Register {
        Register { file, number }
    }

    /// Decodes the type and number of a token; `None` if the version's stage doesn't have the type. The number isn't
    /// checked against the file's size.
    #[inline]
    pub fn from_token(kind: u8, number: u16, version: Version) -> Option<Register> {
        let vertex = version.is_vertex();
        let (file, number) = match kind {
            0 => (File::Temp, number),
            1 => (File::Input, number),
            2 => (File::Const, number),
            3 if vertex => (File::Address, number),
            3 => (File::Texture, number),
            4 if vertex => match number {
                0 => (File::Position, 0),
                1 => (File::Fog, 0),
                2 => (File::PointSize, 0),
                _ => return None,
            },
            5 if vertex => (File::ColorVarying, number),
            6 if vertex && version.major() == 3 => (File::Output, number),
            6 if vertex => (File::TexCoordVarying, number),
            7 => (File::Integer, number),
            8 if !vertex => (File::Color, number),
            9 if !vertex => (File::Depth, number),
            10 => (File::Sampler, number),
            11..=13 => {
                let bank = u16::from(kind).saturating_sub(10).saturating_mul(PER_TYPE);
                (File::Const, bank.saturating_add(number))
            }
            14 => (File::Boolean, number),
            15 => (File::Loop, number),
            17 if !vertex => match number {
                0 => (File::PixelPosition, 0),
                1 => (File::Face, 0),
                _ => return None,
            },
            18 => (File::Label, number),
            19 => (File::Predicate, number),
            _ => return None,
        };
        Some(Register { file, number })
    }

    /// The type and number for a token; `None` if the number is too large.
    pub fn to_token(self) -> Option<(u8, u16)> {
        let (kind, number) = match (self.file, self.number / PER_TYPE) {
            (File::Const, bank @ 1..=3) => (bank.to_le_bytes()[0] + 10, self.number % PER_TYPE),
            (file, _) => (file.kind(), file.only().unwrap_or(self.number)),
        };
        (number < PER_TYPE).then_some((kind, number))
    }

    /// The index of the register among all registers with values; `None` if its file has no values or isn't that large.
    /// Inputs come first ([`INPUTS`]); `a0` and `p0`, whose values aren't floats, come last ([`FLOATS`]).
    pub(crate) fn slot(self) -> Option<usize> {
        let (first, count) = match self.file {
            File::Input => (0, 16),
            File::Texture => (16, 8),
            File::PixelPosition => (24, 1),
            File::Face => (25, 1),
            File::Temp => (26, 32),
            File::Output => (58, 16),
            File::TexCoordVarying => (74, 8),
            File::Color => (82, 4),
            File::ColorVarying => (86, 2),
            File::Position => (88, 1),
            File::Fog => (89, 1),
            File::PointSize => (90, 1),
            File::Depth => (91, 1),
            File::Address => (92, 1),
            File::Predicate => (93, 1),
            File::Const | File::Integer | File::Sampler => return None,
            File::Boolean | File::Loop | File::Label => return None,
        };
        let number = usize::from(self.number);
        (number < count).then_some(first + number)
    }

    /// Its file in a version, if the version has it.
    pub fn info(self, version: Version) -> Option<&'static FileInfo> {
        self.file.info(version)
    }
}

impl File {
    /// The file with this name in a version; case is ignored.
    pub fn from_name(name: &str, version: Version) -> Option<File> {
        let named = |file: &&File| file.name().eq_ignore_ascii_case(name);
        let there = |file: &&File| file.info(version).is_some();
        File::ALL.iter().filter(named).find(there).copied()
    }
    /// Number of registers that a relative operand of `v#` or `o#` reaches. Beyond them, and beyond the declared inputs,
    /// reads give 0 and writes are dropped: the rule for constants (d3d9-shaders.md section 5.2), unverified for these files.
    pub(crate) fn reach(self, version: Version) -> u16 {
        self.info(version).map_or(0, |info| info.count)
    }
    /// Whether it is an output: of a vertex shader below 3_0, `o#`, `oC#` or `oDepth`.
    pub fn is_output(self) -> bool {
        use File::{Color, ColorVarying, Depth, Fog, Output, PointSize, Position, TexCoordVarying};
        matches!(
            self,
            Position | Fog | PointSize | ColorVarying | TexCoordVarying | Output | Color | Depth
        )
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.file.name())?;
        if self.file.is_numbered() {
            write!(f, "{}", self.number)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_keys() {
        for version in Version::ALL {
            for kind in 0..32 {
                for number in [0, 1, 2, 2047] {
                    if let Some(register) = Register::from_token(kind, number, *version) {
                        assert_eq!(
                            register.to_token(),
                            Some((kind, number)),
                            "{register} in {version}"
                        );
                    }
                }
            }
        }
        // c3056 occurs in a real file (d3d9-shaders.md section 1.6).
        assert_eq!(Register::new(File::Const, 3056).to_token(), Some((11, 1008)));
    }

    #[test]
    fn names_are_unique_in_a_version() {
        for version in Version::ALL {
            for file in File::ALL {
                if file.info(*version).is_some() {
                    assert_eq!(File::from_name(file.name(), *version), Some(*file));
                }
            }
        }
    }
}
