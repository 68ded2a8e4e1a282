//! THE register table: register files, sizes and access by shader version, and the register types in tokens
//! ([d3d9.register.types]). A test compares the table with d3d9-registers.tsv.

use std::fmt;

use crate::version::ShaderVersion;

agal_core::table! {
    /// A register file of a shader. Several files may share a register type; version and number tell them apart.
    pub enum ShaderFile {
        /// Returns the register file's name without a register number.
        name: &'static str,
        /// Returns whether a register number follows the name.
        is_numbered: bool,
        /// Returns the register type in tokens ([d3d9.register.types]). Constants above 2047 have other types.
        kind: u8,
        /// Returns the register file's only register number, if other register files have the same register type.
        only: Option<u16>,
        /// Returns whether the registers are outputs: outputs of vertex shaders below 3_0, `o#`, `oC#` or `oDepth`.
        is_output: bool,
        /// Returns the register file's first slot and slot count ([`D3d9Register::slot`]).
        slots: (usize, usize),
    }
    Temp            "r",      true,  0,  None,    false, (26, 32);
    Input           "v",      true,  1,  None,    false, (0, 16);
    Const           "c",      true,  2,  None,    false, (0, 0);
    Address         "a0",     false, 3,  None,    false, (92, 1);
    Texture         "t",      true,  3,  None,    false, (16, 8);
    Position        "oPos",   false, 4,  Some(0), true,  (88, 1);
    Fog             "oFog",   false, 4,  Some(1), true,  (89, 1);
    PointSize       "oPts",   false, 4,  Some(2), true,  (90, 1);
    ColorVarying    "oD",     true,  5,  None,    true,  (86, 2);
    TexCoordVarying "oT",     true,  6,  None,    true,  (74, 8);
    Output          "o",      true,  6,  None,    true,  (58, 16);
    Integer         "i",      true,  7,  None,    false, (0, 0);
    Color           "oC",     true,  8,  None,    true,  (82, 4);
    Depth           "oDepth", false, 9,  None,    true,  (91, 1);
    Sampler         "s",      true,  10, None,    false, (0, 0);
    Boolean         "b",      true,  14, None,    false, (0, 0);
    Loop            "aL",     false, 15, None,    false, (0, 0);
    PixelPosition   "vPos",   false, 17, Some(0), false, (24, 1);
    Face            "vFace",  false, 17, Some(1), false, (25, 1);
    Label           "l",      true,  18, None,    false, (0, 0);
    Predicate       "p0",     false, 19, None,    false, (93, 1);
}

/// The index registers that the relative addressing of a register file may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelativeAddressing {
    /// The register file has no relative addressing.
    No,
    /// The x component of the address register `a0`.
    AddressX,
    /// Any component of the address register `a0`, or the loop counter `aL`.
    AddressOrLoop,
    /// The loop counter `aL`.
    Loop,
}

/// The permitted use of a register file as an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileAccess {
    /// Instructions can only read the register file.
    Read,
    /// Instructions can only write the register file.
    Write,
    /// Instructions can read and write the register file.
    ReadWrite,
    /// Instructions can write the register file `a0`, and use `a0` as an index.
    WriteIndex,
    /// Instructions can only use the register file `aL` as an index.
    Index,
    /// Only flow control instructions can use the register file.
    Flow,
    /// Only texture instructions can use the register file.
    Sample,
}

/// The properties of a register file in a shader version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// The number of registers in the register file.
    pub count: u16,
    /// The permitted use of the registers as operands.
    pub access: FileAccess,
    /// Maximum number of different registers that one instruction may read from the register file, or `None` if
    /// unlimited.
    pub ports: Option<u8>,
    /// Maximum number of reads of the register file by one instruction, or `None` if unlimited.
    pub reads: Option<u8>,
    /// The index registers that relative addressing may use.
    pub relative: RelativeAddressing,
    /// True if registers must be declared before use.
    pub declared: bool,
}

/// Converts a table entry to a limit; 0 means unlimited.
const fn limit(most: u8) -> Option<u8> {
    if most == 0 { None } else { Some(most) }
}

macro_rules! registers {
    ($($($file:ident)|+ {
        $($($version:ident)|+: $count:literal $access:ident ports $ports:literal reads $reads:literal $relative:ident $declared:literal;)*
    })*) => {
        impl ShaderFile {
            /// Returns the register file's properties in a shader version, or `None` if the version lacks the register
            /// file.
            #[inline]
            pub const fn info(self, version: ShaderVersion) -> Option<&'static FileInfo> {
                match self {
                    $($(ShaderFile::$file)|+ => match version {
                        $($(ShaderVersion::$version)|+ => Some(const { &FileInfo {
                            count: $count,
                            access: FileAccess::$access,
                            ports: limit($ports),
                            reads: limit($reads),
                            relative: RelativeAddressing::$relative,
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

// Vertex constants: the minimum that all devices support, see `Caps`. Temporaries of 2_x: the maximum.
registers! {
    Temp {
        Vs11 | Vs20: 12 ReadWrite ports 3 reads 0 No false;
        Vs2x | Vs30: 32 ReadWrite ports 3 reads 0 No false;
        Vs2sw | Vs3sw: 32 ReadWrite ports 0 reads 0 No false;
        Ps11 | Ps12 | Ps13: 2 ReadWrite ports 2 reads 0 No false;
        Ps14: 6 ReadWrite ports 3 reads 0 No false;
        Ps20: 12 ReadWrite ports 3 reads 0 No false;
        Ps2x | Ps30: 32 ReadWrite ports 3 reads 0 No false;
        Ps2sw | Ps3sw: 32 ReadWrite ports 0 reads 0 No false;
    }
    Input {
        Vs11 | Vs20 | Vs2x: 16 Read ports 1 reads 0 No true;
        Vs2sw: 16 Read ports 0 reads 0 No true;
        Vs30: 16 Read ports 1 reads 0 AddressOrLoop true;
        Vs3sw: 16 Read ports 0 reads 0 AddressOrLoop true;
        Ps11 | Ps12 | Ps13 | Ps14: 2 Read ports 2 reads 0 No false;
        Ps20 | Ps2x: 2 Read ports 1 reads 0 No true;
        Ps2sw: 2 Read ports 0 reads 0 No true;
        Ps30: 10 Read ports 1 reads 0 Loop true;
        Ps3sw: 10 Read ports 0 reads 0 Loop true;
    }
    Const {
        Vs11: 96 Read ports 1 reads 0 AddressX false;
        Vs20 | Vs2x: 256 Read ports 1 reads 2 AddressOrLoop false;
        Vs30: 256 Read ports 1 reads 0 AddressOrLoop false;
        Vs2sw | Vs3sw: 8192 Read ports 0 reads 0 AddressOrLoop false;
        Ps11 | Ps12 | Ps13 | Ps14: 8 Read ports 2 reads 0 No false;
        Ps20 | Ps2x: 32 Read ports 1 reads 2 No false;
        Ps30: 224 Read ports 1 reads 0 No false;
        Ps2sw | Ps3sw: 8192 Read ports 0 reads 0 No false;
    }
    Address {
        Vs11: 1 WriteIndex ports 1 reads 0 No false;
        Vs20 | Vs2x: 1 WriteIndex ports 1 reads 2 No false;
        Vs30: 1 WriteIndex ports 1 reads 0 No false;
        Vs2sw | Vs3sw: 1 WriteIndex ports 0 reads 0 No false;
    }
    Texture {
        Ps11: 4 ReadWrite ports 2 reads 0 No false;
        Ps12 | Ps13: 4 ReadWrite ports 3 reads 0 No false;
        Ps14: 6 Read ports 1 reads 0 No false;
        Ps20 | Ps2x: 8 Read ports 1 reads 1 No true;
        Ps2sw: 8 Read ports 0 reads 0 No true;
    }
    Position | Fog | PointSize {
        Vs11 | Vs20 | Vs2x | Vs2sw: 1 Write ports 0 reads 0 No false;
    }
    ColorVarying {
        Vs11 | Vs20 | Vs2x | Vs2sw: 2 Write ports 0 reads 0 No false;
    }
    TexCoordVarying {
        Vs11 | Vs20 | Vs2x | Vs2sw: 8 Write ports 0 reads 0 No false;
    }
    Output {
        Vs30: 12 Write ports 0 reads 0 AddressOrLoop true;
        Vs3sw: 16 Write ports 0 reads 0 AddressOrLoop true;
    }
    Integer | Boolean {
        Vs20 | Vs2x | Vs30 | Ps2x | Ps30: 16 Flow ports 1 reads 1 No false;
        Vs2sw | Vs3sw | Ps2sw | Ps3sw: 2048 Flow ports 0 reads 0 No false;
    }
    Color {
        Ps20 | Ps2x | Ps2sw | Ps30 | Ps3sw: 4 Write ports 0 reads 0 No false;
    }
    Depth {
        Ps20 | Ps2x | Ps2sw | Ps30 | Ps3sw: 1 Write ports 0 reads 0 No false;
    }
    Sampler {
        Vs30: 4 Sample ports 1 reads 1 No true;
        Vs3sw: 4 Sample ports 0 reads 0 No true;
        Ps20 | Ps2x | Ps30: 16 Sample ports 1 reads 1 No true;
        Ps2sw | Ps3sw: 16 Sample ports 0 reads 0 No true;
    }
    Loop {
        Vs20 | Vs2x: 1 Index ports 1 reads 2 No false;
        Vs30 | Ps30: 1 Index ports 1 reads 0 No false;
        Vs2sw | Vs3sw | Ps3sw: 1 Index ports 0 reads 0 No false;
    }
    PixelPosition | Face {
        Ps30 | Ps3sw: 1 Read ports 1 reads 0 No true;
    }
    Label {
        Vs20 | Vs2x | Ps2x: 16 Flow ports 0 reads 0 No false;
        Vs2sw | Vs30 | Vs3sw | Ps2sw | Ps30 | Ps3sw: 2048 Flow ports 0 reads 0 No false;
    }
    Predicate {
        Vs2x | Vs30 | Ps2x | Ps30: 1 ReadWrite ports 1 reads 1 No false;
        Vs2sw | Vs3sw | Ps2sw | Ps3sw: 1 ReadWrite ports 0 reads 0 No false;
    }
}

/// A register, identified by file and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct D3d9Register {
    /// The register file.
    pub file: ShaderFile,
    /// The register's number in the register file; the four register types of float constants share one sequence of
    /// numbers.
    pub number: u16,
}

/// Number of registers per register type, because register numbers have 11 bits.
pub(crate) const PER_TYPE: u16 = 2048;

/// Number of input slots; see [`D3d9Register::slot`].
pub(crate) const INPUTS: usize = 26;
pub(crate) const FLOATS: usize = 92;
pub(crate) const SLOTS: usize = 94;

impl D3d9Register {
    /// Decodes a token's register type and number. Returns `None` if shaders of the version have no such register type. Doesn't check
    /// the register number against the size of the register file.
    #[inline]
    pub fn from_token(kind: u8, number: u16, version: ShaderVersion) -> Option<D3d9Register> {
        let vertex = version.is_vertex();
        let (file, number) = match kind {
            0 => (ShaderFile::Temp, number),
            1 => (ShaderFile::Input, number),
            2 => (ShaderFile::Const, number),
            3 if vertex => (ShaderFile::Address, number),
            3 => (ShaderFile::Texture, number),
            4 if vertex => match number {
                0 => (ShaderFile::Position, 0),
                1 => (ShaderFile::Fog, 0),
                2 => (ShaderFile::PointSize, 0),
                _ => return None,
            },
            5 if vertex => (ShaderFile::ColorVarying, number),
            6 if vertex && version.major() == 3 => (ShaderFile::Output, number),
            6 if vertex => (ShaderFile::TexCoordVarying, number),
            7 => (ShaderFile::Integer, number),
            8 if !vertex => (ShaderFile::Color, number),
            9 if !vertex => (ShaderFile::Depth, number),
            10 => (ShaderFile::Sampler, number),
            11..=13 => {
                let bank = u16::from(kind).saturating_sub(10).saturating_mul(PER_TYPE);
                (ShaderFile::Const, bank.saturating_add(number))
            }
            14 => (ShaderFile::Boolean, number),
            15 => (ShaderFile::Loop, number),
            17 if !vertex => match number {
                0 => (ShaderFile::PixelPosition, 0),
                1 => (ShaderFile::Face, 0),
                _ => return None,
            },
            18 => (ShaderFile::Label, number),
            19 => (ShaderFile::Predicate, number),
            _ => return None,
        };
        Some(D3d9Register { file, number })
    }

    /// Returns the register type and number for tokens, or `None` if the number can't be encoded.
    pub fn to_token(self) -> Option<(u8, u16)> {
        let (kind, number) = match (self.file, self.number / PER_TYPE) {
            (ShaderFile::Const, bank @ 1..=3) => {
                (bank.to_le_bytes()[0] + 10, self.number % PER_TYPE)
            }
            (file, _) => (file.kind(), file.only().unwrap_or(self.number)),
        };
        (number < PER_TYPE).then_some((kind, number))
    }

    /// Returns the register's slot in the interpreter's storage, or `None` if the register isn't stored. Input slots
    /// come first ([`INPUTS`]). `a0` and `p0`, which don't hold floats, come last ([`FLOATS`]).
    pub(crate) fn slot(self) -> Option<usize> {
        let (first, count) = self.file.slots();
        let number = usize::from(self.number);
        (number < count).then_some(first + number)
    }

    /// Returns the properties of the register file in a version, or `None` if the version lacks the registers.
    pub fn info(self, version: ShaderVersion) -> Option<&'static FileInfo> {
        self.file.info(version)
    }
}

impl ShaderFile {
    /// Returns the register with a number.
    pub const fn at(self, number: u16) -> D3d9Register {
        D3d9Register { file: self, number }
    }
    /// Returns the register file with a name in a shader version; ignores case.
    pub fn from_name(name: &str, version: ShaderVersion) -> Option<ShaderFile> {
        let named = |file: &&ShaderFile| file.name().eq_ignore_ascii_case(name);
        let there = |file: &&ShaderFile| file.info(version).is_some();
        ShaderFile::ALL.iter().filter(named).find(there).copied()
    }
    /// Returns how many registers a relative `v#` or `o#` operand can access. Relative reads out of bounds, or of
    /// undeclared inputs, return 0. Relative writes out of bounds are dropped, like for constants
    /// ([d3d9.address.outside] [d3d9.address.other]).
    pub(crate) fn reach(self, version: ShaderVersion) -> u16 {
        self.info(version).map_or(0, |info| info.count)
    }
}

impl fmt::Display for D3d9Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.file.name())?;
        if self.file.is_numbered() {
            write!(f, "{}", self.number)?;
        }
        Ok(())
    }
}
