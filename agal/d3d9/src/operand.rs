//! Operand dwords: destination, source, predicate and relative index. Decoding preserves all 32 bits of an operand
//! dword, even invalid bits ([d3d9.dest.bits] [d3d9.source.bits] [d3d9.relative.word]).

use crate::register::{D3d9Register, ShaderFile};
use crate::version::ShaderVersion;

pub use agal_core::{Component, Swizzle, WriteMask};

/// Bit 31, which is set in operand dwords and clear in instruction tokens.
pub const PARAMETER: u32 = 0x8000_0000;
const RELATIVE: u32 = 1 << 13;

fn byte(word: u32, shift: u32) -> u8 {
    (word >> shift).to_le_bytes()[0]
}

macro_rules! operand {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name {
            /// The operand's encoding.
            pub word: u32,
            /// The index dword that follows a relative operand in models 2 and 3.
            pub index: Option<u32>,
        }

        impl $name {
            /// Creates an operand from a dword, without an index dword.
            pub const fn from_word(word: u32) -> $name {
                $name { word, index: None }
            }
            /// Returns the register number within the register type.
            pub fn number(self) -> u16 {
                u16::from_le_bytes([byte(self.word, 0), byte(self.word, 8) & 7])
            }
            /// Returns the register type (`D3DSHADER_PARAM_REGISTER_TYPE`).
            pub fn kind(self) -> u8 {
                byte(self.word, 28) & 7 | byte(self.word, 8) & 0x18
            }
            /// Returns the register, or `None` if the version lacks the register type.
            #[inline]
            pub fn register(self, version: ShaderVersion) -> Option<D3d9Register> {
                D3d9Register::from_token(self.kind(), self.number(), version)
            }
            /// Returns whether the register is addressed relatively.
            pub fn is_relative(self) -> bool {
                self.word & RELATIVE != 0
            }
            /// Returns the reserved bits with wrong values: bits 14 and 15 if set, and bit 31 if clear.
            pub fn reserved(self) -> u32 {
                self.word & 0xc000 | !self.word & PARAMETER
            }
            /// Returns the operand with relative addressing by `index`.
            #[must_use]
            pub fn indexed(self, index: Option<u32>) -> $name {
                $name { word: self.word | RELATIVE, index }
            }
            /// Returns the index register. Model 1 has no index dword and always uses `a0.x`.
            pub fn index(self, version: ShaderVersion) -> Option<AddressIndex> {
                if !self.is_relative() {
                    return None;
                }
                match self.index {
                    None => (version.major() == 1).then_some(AddressIndex::Address(Component::X)),
                    Some(word) => AddressIndex::from_word(word, version),
                }
            }
        }
    };
}

operand! {
    /// A destination operand: register, write mask and result modifiers.
    Dest
}

operand! {
    /// A source operand: register, swizzle and source modifier.
    Source
}

/// Values written to `a0` are clamped to ±65536, beyond the last register of every file. NaN becomes -65536, which
/// addresses no register either ([d3d9.address.other]).
pub(crate) const ADDRESS_LIMIT: f32 = 65536.0;

/// The index register of a relatively addressed operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressIndex {
    /// A component of the address register `a0`.
    Address(Component),
    /// The loop counter `aL`.
    Loop,
}

impl AddressIndex {
    /// Decodes an index dword; returns `None` for an invalid dword ([d3d9.relative.word]).
    pub fn from_word(word: u32, version: ShaderVersion) -> Option<AddressIndex> {
        let source = Source::from_word(word);
        let known = source.register(version)?;
        let swizzle = source.swizzle();
        let index = match known.file {
            ShaderFile::Address if swizzle.is_scalar() => {
                AddressIndex::Address(swizzle.get(Component::X))
            }
            ShaderFile::Loop => AddressIndex::Loop,
            _ => return None,
        };
        (index.word() == word).then_some(index)
    }
    /// Returns the index dword that follows the operand.
    pub fn word(self) -> u32 {
        match self {
            AddressIndex::Address(component) => 0xb000_0000 | replicated(component) << 16,
            AddressIndex::Loop => 0xf0e4_0800,
        }
    }
}

/// Returns the swizzle bits that replicate one component.
fn replicated(component: Component) -> u32 {
    u32::from(component.bits()) * 0b0101_0101
}

/// Result modifiers, from bits 20 to 23 of a destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ResultModifiers(pub u8);

impl ResultModifiers {
    /// `_sat`: clamps the result to 0..1.
    pub const SATURATE: u8 = 1;
    /// `_pp`: partial precision is sufficient.
    pub const PARTIAL: u8 = 2;
    /// `_centroid`: the attribute is interpolated at the centroid of the covered samples.
    pub const CENTROID: u8 = 4;

    /// The modifier bits and their suffixes, in print order.
    pub const NAMES: [(u8, &'static str); 3] = [
        (ResultModifiers::SATURATE, "sat"),
        (ResultModifiers::PARTIAL, "pp"),
        (ResultModifiers::CENTROID, "centroid"),
    ];

    /// Returns whether a modifier bit is set.
    pub fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// Result shifts of ps_1_x: their codes and mnemonic suffixes.
pub const SHIFTS: [(u8, &str); 6] =
    [(1, "x2"), (2, "x4"), (3, "x8"), (0xf, "d2"), (0xe, "d4"), (0xd, "d8")];

impl Dest {
    /// Creates a destination operand.
    pub fn new(register: D3d9Register, mask: WriteMask) -> Dest {
        Dest::from_word(operand_word(register) | u32::from(mask.bits()) << 16)
    }
    /// Returns the write mask.
    pub fn mask(self) -> WriteMask {
        WriteMask::from_bits(byte(self.word, 16))
    }
    /// Returns the result modifiers.
    pub fn modifiers(self) -> ResultModifiers {
        ResultModifiers(byte(self.word, 20) & 0xf)
    }
    /// Returns the code of the result shift, a signed 4-bit number.
    pub fn shift_bits(self) -> u8 {
        byte(self.word, 24) & 0xf
    }
    /// Returns the factor of the result shift, a power of two. The result is multiplied by this factor before
    /// saturation.
    pub fn scale(self) -> f32 {
        match self.shift_bits() {
            bits @ 0..=7 => f32::from(1u8 << bits),
            bits => 1.0 / f32::from(1u16 << (16 - bits)),
        }
    }
    /// Adds result modifiers.
    #[must_use]
    pub fn with_modifiers(self, bits: u8) -> Dest {
        let word = self.word | u32::from(bits & 0xf) << 20;
        Dest { word, ..self }
    }
    /// Adds a result shift.
    #[must_use]
    pub fn with_shift(self, bits: u8) -> Dest {
        let word = self.word | u32::from(bits & 0xf) << 24;
        Dest { word, ..self }
    }
    /// Replaces the write mask.
    #[must_use]
    pub fn with_mask(self, mask: WriteMask) -> Dest {
        let word = self.word & !0x000f_0000 | u32::from(mask.bits()) << 16;
        Dest { word, ..self }
    }
}

fn operand_word(register: D3d9Register) -> u32 {
    // The assembler rejects register numbers that can't be encoded. This function writes `r2047` if a register's number
    // has no encoding.
    let (kind, number) = register.to_token().unwrap_or((0, 0x7ff));
    let kind = u32::from(kind);
    PARAMETER | (kind & 7) << 28 | (kind & 0x18) << 8 | u32::from(number)
}

agal_core::table! {
    /// A source modifier, from bits 24 to 27 of a source; the codes 14 and 15 are invalid.
    pub enum SourceModifier {
        /// Returns the modifier's code in tokens.
        code: u8 => from_code(u8),
        /// Returns the assembly text before and after the register.
        text: (&'static str, &'static str),
        /// Returns GLSL that applies the modifier to `$a`; the result is a single term.
        glsl: &'static str,
    }
    None         0,  ("", ""),       "$a";
    Negate       1,  ("-", ""),      "(-$a)";
    Bias         2,  ("", "_bias"),  "($a - 0.5)";
    BiasNegate   3,  ("-", "_bias"), "(0.5 - $a)";
    Sign         4,  ("", "_bx2"),   "(2.0 * $a - 1.0)";
    SignNegate   5,  ("-", "_bx2"),  "(1.0 - 2.0 * $a)";
    Complement   6,  ("1-", ""),     "(1.0 - $a)";
    Double       7,  ("", "_x2"),    "(2.0 * $a)";
    DoubleNegate 8,  ("-", "_x2"),   "(-2.0 * $a)";
    DivideZ      9,  ("", "_dz"),    "$a";
    DivideW      10, ("", "_dw"),    "$a";
    Abs          11, ("", "_abs"),   "abs($a)";
    AbsNegate    12, ("-", "_abs"),  "(-abs($a))";
    Not          13, ("!", ""),      "$a";
}

/// Allowed swizzles of ps_2_0 (rule 40): identity, replicated components, yzxw, zxyw and wzyx.
pub(crate) const PS_2_0_SWIZZLES: [u8; 8] = [0x00, 0x1b, 0x55, 0xaa, 0xc9, 0xd2, 0xe4, 0xff];

pub(crate) fn is_ps_2_0_swizzle(swizzle: Swizzle) -> bool {
    PS_2_0_SWIZZLES.contains(&swizzle.bits())
}

impl Source {
    /// Creates a source operand.
    pub fn new(register: D3d9Register, swizzle: Swizzle) -> Source {
        Source::from_word(operand_word(register) | u32::from(swizzle.bits()) << 16)
    }
    /// Creates a source operand that replicates one component.
    pub fn scalar(register: D3d9Register, component: Component) -> Source {
        Source::from_word(operand_word(register) | replicated(component) << 16)
    }
    /// Returns the swizzle: the component that each lane reads.
    pub fn swizzle(self) -> Swizzle {
        Swizzle::from_bits(byte(self.word, 16))
    }
    /// Returns the source modifier, or `None` if the code is invalid.
    pub fn modifier(self) -> Option<SourceModifier> {
        SourceModifier::from_code(byte(self.word, 24) & 0xf)
    }
    /// Returns whether the source has an identity swizzle and no modifier.
    pub fn is_plain(self) -> bool {
        self.swizzle() == Swizzle::IDENTITY && self.modifier() == Some(SourceModifier::None)
    }
    /// Replaces the source modifier.
    #[must_use]
    pub fn with_modifier(self, modifier: SourceModifier) -> Source {
        let word = self.word & !0x0f00_0000 | u32::from(modifier.code()) << 24;
        Source { word, ..self }
    }
}

// [d3d9.dcl.payload] [d3d9.dcl.usage]
agal_core::table! {
    /// The declared usage of a vertex attribute or varying (`D3DDECLUSAGE`).
    pub enum DeclUsage {
        /// Returns the usage's code in tokens.
        code: u8 => from_code(u8),
        /// Returns the usage's name, such as `texcoord`.
        name: &'static str => from_name(&str),
    }
    Position 0, "position";
    BlendWeight 1, "blendweight";
    BlendIndices 2, "blendindices";
    Normal 3, "normal";
    PointSize 4, "psize";
    TexCoord 5, "texcoord";
    Tangent 6, "tangent";
    Binormal 7, "binormal";
    TessFactor 8, "tessfactor";
    PositionT 9, "positiont";
    Color 10, "color";
    Fog 11, "fog";
    Depth 12, "depth";
    Sample 13, "sample";
}

agal_core::table! {
    /// A texture dimension: 2D, cube or volume.
    pub enum Dimension {
        /// Returns the dimension's code in tokens.
        code: u8 => from_code(u8),
        /// Returns the `dcl` suffix, such as `2d`.
        name: &'static str => from_name(&str),
        /// Returns the number of texture coordinates that a lookup needs.
        coordinates: u8,
        /// Returns the number of images per mip level; 0 for a volume.
        faces: u8,
        /// Returns the GLSL sampler type.
        sampler_type: &'static str,
    }
    TwoD   2, "2d",     2, 1, "sampler2D";
    Cube   3, "cube",   3, 6, "samplerCube";
    Volume 4, "volume", 3, 0, "sampler3D";
}

/// The payload dword of a `dcl` instruction ([d3d9.dcl.payload]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DclPayload(pub u32);

impl DclPayload {
    /// Creates the payload for an attribute or varying.
    pub fn usage_of(usage: DeclUsage, index: u8) -> DclPayload {
        DclPayload(PARAMETER | u32::from(usage.code()) | u32::from(index & 0xf) << 16)
    }
    /// Creates the payload for a sampler.
    pub fn sampler(dimension: Dimension) -> DclPayload {
        DclPayload(PARAMETER | u32::from(dimension.code()) << 27)
    }
    /// The second dword of a `dcl` for a register that takes no usage.
    pub const PLAIN: DclPayload = DclPayload(PARAMETER);

    /// Returns the usage, or `None` if the code is invalid.
    pub fn usage(self) -> Option<DeclUsage> {
        DeclUsage::from_code(byte(self.0, 0) & 0x1f)
    }
    /// Returns the usage index.
    pub fn usage_index(self) -> u8 {
        byte(self.0, 16) & 0xf
    }
    /// Returns the texture dimension, or `None` if the code is invalid.
    pub fn dimension(self) -> Option<Dimension> {
        Dimension::from_code(byte(self.0, 27) & 0xf)
    }
}
