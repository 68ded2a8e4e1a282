//! Operand words: destination, source, predicate, relative index. Each keeps all 32 bits, valid or not
//! ([d3d9.dest.bits] [d3d9.source.bits] [d3d9.relative.word]).

use crate::register::{File, Register};
use crate::version::Version;

pub use agal_core::{Component, Swizzle, WriteMask};

/// Bit 31, which is set in operand words and clear in instruction words.
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
            /// The operand's word.
            pub word: u32,
            /// The index word that follows a relative operand in models 2 and 3.
            pub index: Option<u32>,
        }

        impl $name {
            /// Creates an operand of a word, without an index.
            pub const fn from_word(word: u32) -> $name {
                $name { word, index: None }
            }
            /// Returns the register number within its type.
            pub fn number(self) -> u16 {
                u16::from_le_bytes([byte(self.word, 0), byte(self.word, 8) & 7])
            }
            /// Returns the register type.
            pub fn kind(self) -> u8 {
                byte(self.word, 28) & 7 | byte(self.word, 8) & 0x18
            }
            /// Returns the register, if this version has the register type.
            #[inline]
            pub fn register(self, version: Version) -> Option<Register> {
                Register::from_token(self.kind(), self.number(), version)
            }
            /// Returns whether the register is addressed relatively.
            pub fn is_relative(self) -> bool {
                self.word & RELATIVE != 0
            }
            /// Returns the reserved bits that have a wrong value: bits 14 and 15 if they are 1, and bit 31 if it is 0.
            pub fn reserved(self) -> u32 {
                self.word & 0xc000 | !self.word & PARAMETER
            }
            /// Returns the same operand with relative addressing by `index`.
            #[must_use]
            pub fn indexed(self, index: Option<u32>) -> $name {
                $name { word: self.word | RELATIVE, index }
            }
            /// Returns the index. Model 1 has no index word: its index is always `a0.x`.
            pub fn index(self, version: Version) -> Option<Index> {
                if !self.is_relative() {
                    return None;
                }
                match self.index {
                    None => (version.major() == 1).then_some(Index::Address(Component::X)),
                    Some(word) => Index::from_word(word, version),
                }
            }
        }
    };
}

operand! {
    /// A destination: the register, the components and the modifiers of a result.
    Dest
}

operand! {
    /// A source: the register, the swizzle and the modifier of a value.
    Source
}

/// Values moved to `a0` are clamped to this and its negative, which are outside the registers of every file; NaN
/// becomes the negative, so it reaches no register either ([d3d9.address.other]).
pub(crate) const ADDRESS_LIMIT: f32 = 65536.0;

/// The index register of a relative operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// A component of `a0`.
    Address(Component),
    /// The loop counter `aL`.
    Loop,
}

impl Index {
    /// Decodes an index word; `None` if it is invalid ([d3d9.relative.word]).
    pub fn from_word(word: u32, version: Version) -> Option<Index> {
        let source = Source::from_word(word);
        let known = source.register(version)?;
        let swizzle = source.swizzle();
        let index = match known.file {
            File::Address if swizzle.is_scalar() => Index::Address(swizzle.get(Component::X)),
            File::Loop => Index::Loop,
            _ => return None,
        };
        (index.word() == word).then_some(index)
    }
    /// Returns the word that follows a relative operand.
    pub fn word(self) -> u32 {
        match self {
            Index::Address(component) => 0xb000_0000 | replicated(component) << 16,
            Index::Loop => 0xf0e4_0800,
        }
    }
}

/// Returns the swizzle byte that replicates one component.
fn replicated(component: Component) -> u32 {
    u32::from(component.bits()) * 0b0101_0101
}

/// Result modifiers: bits 20 to 23 of a destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modifiers(pub u8);

impl Modifiers {
    /// `_sat`: clamps the result to 0..1.
    pub const SATURATE: u8 = 1;
    /// `_pp`: partial precision is enough.
    pub const PARTIAL: u8 = 2;
    /// `_centroid`: the attribute is read at a covered sample.
    pub const CENTROID: u8 = 4;

    /// The bits with a name, in the order of the text.
    pub const NAMES: [(u8, &'static str); 3] = [
        (Modifiers::SATURATE, "sat"),
        (Modifiers::PARTIAL, "pp"),
        (Modifiers::CENTROID, "centroid"),
    ];

    /// Returns whether a bit is set.
    pub fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// Result shifts of ps_1_x: their bits and suffixes.
pub const SHIFTS: [(u8, &str); 6] =
    [(1, "x2"), (2, "x4"), (3, "x8"), (0xf, "d2"), (0xe, "d4"), (0xd, "d8")];

impl Dest {
    /// Creates a destination.
    pub fn new(register: Register, mask: WriteMask) -> Dest {
        Dest::from_word(operand_word(register) | u32::from(mask.bits()) << 16)
    }
    /// Returns the components that are written.
    pub fn mask(self) -> WriteMask {
        WriteMask::from_bits(byte(self.word, 16))
    }
    /// Returns the modifiers of the result.
    pub fn modifiers(self) -> Modifiers {
        Modifiers(byte(self.word, 20) & 0xf)
    }
    /// Returns the bits of the shift, a signed number of four bits.
    pub fn shift_bits(self) -> u8 {
        byte(self.word, 24) & 0xf
    }
    /// Returns the factor of the result shift, a power of two; it is applied before saturation.
    pub fn scale(self) -> f32 {
        match self.shift_bits() {
            bits @ 0..=7 => f32::from(1u8 << bits),
            bits => 1.0 / f32::from(1u16 << (16 - bits)),
        }
    }
    /// Adds modifiers.
    #[must_use]
    pub fn with_modifiers(self, bits: u8) -> Dest {
        let word = self.word | u32::from(bits & 0xf) << 20;
        Dest { word, ..self }
    }
    /// Adds a shift.
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

fn operand_word(register: Register) -> u32 {
    // The assembler rejects numbers that don't fit. Here they become the last register of the type.
    let (kind, number) = register.to_token().unwrap_or((0, 0x7ff));
    let kind = u32::from(kind);
    PARAMETER | (kind & 7) << 28 | (kind & 0x18) << 8 | u32::from(number)
}

agal_core::table! {
    /// Source modifiers: bits 24 to 27 of a source; 14 and 15 are invalid.
    pub enum Modifier {
        /// Returns the bits in tokens.
        code: u8 => from_code(u8),
        /// Returns the text before and after the register.
        text: (&'static str, &'static str),
        /// GLSL that applies the modifier to `$a`; the result is a single term.
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

/// Swizzles of ps_2_0 (rule 40): identity, one component, and yzxw, zxyw, wzyx.
pub(crate) const PS_2_0_SWIZZLES: [u8; 8] = [0x00, 0x1b, 0x55, 0xaa, 0xc9, 0xd2, 0xe4, 0xff];

pub(crate) fn is_ps_2_0_swizzle(swizzle: Swizzle) -> bool {
    PS_2_0_SWIZZLES.contains(&swizzle.bits())
}

impl Source {
    /// Creates a source.
    pub fn new(register: Register, swizzle: Swizzle) -> Source {
        Source::from_word(operand_word(register) | u32::from(swizzle.bits()) << 16)
    }
    /// Creates a source that reads one component.
    pub fn scalar(register: Register, component: Component) -> Source {
        Source::from_word(operand_word(register) | replicated(component) << 16)
    }
    /// Returns the component that each lane reads.
    pub fn swizzle(self) -> Swizzle {
        Swizzle::from_bits(byte(self.word, 16))
    }
    /// Returns the bits of the modifier.
    pub fn modifier_bits(self) -> u8 {
        byte(self.word, 24) & 0xf
    }
    /// Returns the modifier, unless the bits have none.
    pub fn modifier(self) -> Option<Modifier> {
        Modifier::from_code(self.modifier_bits())
    }
    /// Returns whether the source has neither swizzle nor modifier.
    pub fn is_plain(self) -> bool {
        self.swizzle() == Swizzle::IDENTITY && self.modifier() == Some(Modifier::None)
    }
    /// Replaces the modifier.
    #[must_use]
    pub fn with_modifier(self, modifier: Modifier) -> Source {
        let word = self.word & !0x0f00_0000 | u32::from(modifier.code()) << 24;
        Source { word, ..self }
    }
}

// [d3d9.dcl.payload] [d3d9.dcl.usage]
agal_core::table! {
    /// The usage of a vertex attribute or varying.
    pub enum DeclUsage {
        /// Returns the bits in tokens.
        code: u8 => from_code(u8),
        /// Returns the name, such as `texcoord`.
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
    /// The kind of a texture.
    pub enum Dimension {
        /// Returns the bits in tokens.
        code: u8 => from_code(u8),
        /// Returns the suffix of `dcl`, such as `2d`.
        name: &'static str => from_name(&str),
        /// Returns the number of coordinates.
        coordinates: u8,
        /// Returns the number of images per level; 0 for a volume.
        faces: u8,
        /// Returns the sampler type of GLSL.
        sampler_type: &'static str,
    }
    TwoD   2, "2d",     2, 1, "sampler2D";
    Cube   3, "cube",   3, 6, "samplerCube";
    Volume 4, "volume", 3, 0, "sampler3D";
}

/// The payload of a `dcl` ([d3d9.dcl.payload]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Declaration(pub u32);

impl Declaration {
    /// Creates the declaration of an attribute or varying.
    pub fn usage_of(usage: DeclUsage, index: u8) -> Declaration {
        Declaration(PARAMETER | u32::from(usage.code()) | u32::from(index & 0xf) << 16)
    }
    /// Creates the declaration of a sampler.
    pub fn sampler(dimension: Dimension) -> Declaration {
        Declaration(PARAMETER | u32::from(dimension.code()) << 27)
    }
    /// The declaration of a register without a usage.
    pub const PLAIN: Declaration = Declaration(PARAMETER);

    /// Returns the usage, unless the bits have none.
    pub fn usage(self) -> Option<DeclUsage> {
        DeclUsage::from_code(byte(self.0, 0) & 0x1f)
    }
    /// Returns the index of the usage.
    pub fn usage_index(self) -> u8 {
        byte(self.0, 16) & 0xf
    }
    /// Returns the kind of texture, unless the bits have none.
    pub fn dimension(self) -> Option<Dimension> {
        Dimension::from_code(byte(self.0, 27) & 0xf)
    }
}
