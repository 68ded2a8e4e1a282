//! Operand words: destination, source, predicate, relative index. Each keeps all 32 bits, whatever they mean
//! (d3d9-shaders.md sections 1.4, 1.5, 1.7).

use crate::register::{File, Register};
use crate::version::Version;

pub use agal::operand::{Component, Swizzle, WriteMask};

/// Bit 31, which tells operand words from instruction words.
pub const PARAMETER: u32 = 0x8000_0000;
const RELATIVE: u32 = 1 << 13;

/// A byte of a word.
fn byte(word: u32, shift: u32) -> u8 {
    (word >> shift).to_le_bytes()[0]
}

macro_rules! operand {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name {
            /// The word.
            pub word: u32,
            /// The word behind it that says what is added to the number, in shader model 2 and 3.
            pub index: Option<u32>,
        }

        impl $name {
            /// An operand of one word.
            pub const fn from_word(word: u32) -> $name {
                $name { word, index: None }
            }
            /// Number of the register within its type.
            pub fn number(self) -> u16 {
                u16::from_le_bytes([byte(self.word, 0), byte(self.word, 8) & 7])
            }
            /// Register type, 0 to 31.
            pub fn kind(self) -> u8 {
                byte(self.word, 28) & 7 | byte(self.word, 8) & 0x18
            }
            /// The register, if its type means one in this version.
            #[inline]
            pub fn register(self, version: Version) -> Option<Register> {
                Register::from_token(self.kind(), self.number(), version)
            }
            /// Is the register found by an index?
            pub fn is_relative(self) -> bool {
                self.word & RELATIVE != 0
            }
            /// Bits 14 and 15, 0 in a legal word, and bit 31, where it is 0.
            pub fn reserved(self) -> u32 {
                self.word & 0xc000 | !self.word & PARAMETER
            }
            /// The same with what is added to the register's number.
            #[must_use]
            pub fn indexed(self, index: Option<u32>) -> $name {
                $name { word: self.word | RELATIVE, index }
            }
            /// What is added to the number: `a0.x` of model 1 has no word of its own.
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
    /// Where a result goes.
    Dest
}

operand! {
    /// What is read.
    Source
}

/// What is added to a register's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Index {
    /// A component of `a0`.
    Address(Component),
    /// `aL`.
    Loop,
}

impl Index {
    /// The index that a word means; `None`: none that there is (d3d9-shaders.md section 1.7).
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
    /// The word.
    pub fn word(self) -> u32 {
        match self {
            Index::Address(component) => 0xb000_0000 | replicated(component) << 16,
            Index::Loop => 0xf0e4_0800,
        }
    }
}

/// A swizzle's byte that reads one component four times.
fn replicated(component: Component) -> u32 {
    u32::from(component.bits()) * 0b0101_0101
}

/// Result modifiers: bits 20 to 23 of a destination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Modifiers(pub u8);

impl Modifiers {
    /// `_sat`.
    pub const SATURATE: u8 = 1;
    /// `_pp`.
    pub const PARTIAL: u8 = 2;
    /// `_centroid`.
    pub const CENTROID: u8 = 4;

    /// Name of each bit that has one, in the order of the text.
    pub const NAMES: [(u8, &'static str); 3] = [
        (Modifiers::SATURATE, "sat"),
        (Modifiers::PARTIAL, "pp"),
        (Modifiers::CENTROID, "centroid"),
    ];

    /// Is a bit set?
    pub fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// Result shifts of ps_1_x: the bits and the suffix.
pub const SHIFTS: [(u8, &str); 6] = [
    (1, "x2"),
    (2, "x4"),
    (3, "x8"),
    (0xf, "d2"),
    (0xe, "d4"),
    (0xd, "d8"),
];

impl Dest {
    /// A destination of all components.
    pub fn new(register: Register, mask: WriteMask) -> Dest {
        Dest::from_word(operand_word(register) | u32::from(mask.bits()) << 16)
    }
    /// Components that are written.
    pub fn mask(self) -> WriteMask {
        WriteMask::from_bits(byte(self.word, 16))
    }
    /// Result modifiers.
    pub fn modifiers(self) -> Modifiers {
        Modifiers(byte(self.word, 20) & 0xf)
    }
    /// Result shift: the bits.
    pub fn shift_bits(self) -> u8 {
        byte(self.word, 24) & 0xf
    }
    /// What the result is multiplied with before all else: a power of two.
    pub fn scale(self) -> f32 {
        match self.shift_bits() {
            bits @ 0..=7 => f32::from(1u8 << bits),
            bits => 1.0 / f32::from(1u16 << (16 - bits)),
        }
    }
    /// The same with modifiers.
    #[must_use]
    pub fn with_modifiers(self, bits: u8) -> Dest {
        let word = self.word | u32::from(bits & 0xf) << 20;
        Dest { word, ..self }
    }
    /// The same with a shift's bits.
    #[must_use]
    pub fn with_shift(self, bits: u8) -> Dest {
        let word = self.word | u32::from(bits & 0xf) << 24;
        Dest { word, ..self }
    }
    /// The same with other components.
    #[must_use]
    pub fn with_mask(self, mask: WriteMask) -> Dest {
        let word = self.word & !0x000f_0000 | u32::from(mask.bits()) << 16;
        Dest { word, ..self }
    }
}

fn operand_word(register: Register) -> u32 {
    // Numbers beyond the type's registers can't be written: the last one stands for them. The assembler refuses them first.
    let (kind, number) = register.to_token().unwrap_or((0, 0x7ff));
    let kind = u32::from(kind);
    PARAMETER | (kind & 7) << 28 | (kind & 0x18) << 8 | u32::from(number)
}

macro_rules! modifiers {
    ($($code:literal $modifier:ident $before:literal $after:literal $glsl:literal;)*) => {
        /// Source modifiers: bits 24 to 27 of a source.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Modifier {
            $(#[doc = concat!("`", $before, "r", $after, "`")] $modifier,)*
        }

        impl Modifier {
            /// Every modifier, by code.
            pub const ALL: &'static [Modifier] = &[$(Modifier::$modifier,)*];

            /// The bits.
            pub fn code(self) -> u8 {
                match self {
                    $(Modifier::$modifier => $code,)*
                }
            }
            /// The modifier that bits mean; 14 and 15 mean none.
            pub fn from_code(code: u8) -> Option<Modifier> {
                match code {
                    $($code => Some(Modifier::$modifier),)*
                    _ => None,
                }
            }
            /// The text before and behind the register.
            pub fn text(self) -> (&'static str, &'static str) {
                match self {
                    $(Modifier::$modifier => ($before, $after),)*
                }
            }
            /// GLSL around the value `$a`, a single term afterwards.
            pub fn glsl(self) -> &'static str {
                match self {
                    $(Modifier::$modifier => $glsl,)*
                }
            }
        }
    };
}

modifiers! {
    0  None        ""   ""      "$a";
    1  Negate      "-"  ""      "(-$a)";
    2  Bias        ""   "_bias" "($a - 0.5)";
    3  BiasNegate  "-"  "_bias" "(0.5 - $a)";
    4  Sign        ""   "_bx2"  "(2.0 * $a - 1.0)";
    5  SignNegate  "-"  "_bx2"  "(1.0 - 2.0 * $a)";
    6  Complement  "1-" ""      "(1.0 - $a)";
    7  Double      ""   "_x2"   "(2.0 * $a)";
    8  DoubleNegate "-" "_x2"   "(-2.0 * $a)";
    9  DivideZ     ""   "_dz"   "$a";
    10 DivideW     ""   "_dw"   "$a";
    11 Abs         ""   "_abs"  "abs($a)";
    12 AbsNegate   "-"  "_abs"  "(-abs($a))";
    13 Not         "!"  ""      "$a";
}

impl Source {
    /// A source.
    pub fn new(register: Register, swizzle: Swizzle) -> Source {
        Source::from_word(operand_word(register) | u32::from(swizzle.bits()) << 16)
    }
    /// One component of a register in all places.
    pub fn scalar(register: Register, component: Component) -> Source {
        Source::from_word(operand_word(register) | replicated(component) << 16)
    }
    /// Which components are read.
    pub fn swizzle(self) -> Swizzle {
        Swizzle::from_bits(byte(self.word, 16))
    }
    /// The modifier's bits.
    pub fn modifier_bits(self) -> u8 {
        byte(self.word, 24) & 0xf
    }
    /// The modifier, if the bits mean one.
    pub fn modifier(self) -> Option<Modifier> {
        Modifier::from_code(self.modifier_bits())
    }
    /// The same with another modifier.
    #[must_use]
    pub fn with_modifier(self, modifier: Modifier) -> Source {
        let word = self.word & !0x0f00_0000 | u32::from(modifier.code()) << 24;
        Source { word, ..self }
    }
}

macro_rules! usages {
    ($($code:literal $usage:ident $name:literal;)*) => {
        /// What a declared input or output is for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Usage {
            $(#[doc = concat!("`", $name, "`")] $usage,)*
        }

        impl Usage {
            /// Every usage, by code.
            pub const ALL: &'static [Usage] = &[$(Usage::$usage,)*];

            /// The bits.
            pub fn code(self) -> u8 {
                match self {
                    $(Usage::$usage => $code,)*
                }
            }
            /// The usage that bits mean.
            pub fn from_code(code: u8) -> Option<Usage> {
                match code {
                    $($code => Some(Usage::$usage),)*
                    _ => None,
                }
            }
            /// The name: `texcoord`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Usage::$usage => $name,)*
                }
            }
            /// The usage that a name means.
            pub fn from_name(name: &str) -> Option<Usage> {
                match name {
                    $($name => Some(Usage::$usage),)*
                    _ => None,
                }
            }
        }
    };
}

// d3d9-shaders.md section 1.9.
usages! {
    0 Position "position";
    1 BlendWeight "blendweight";
    2 BlendIndices "blendindices";
    3 Normal "normal";
    4 PointSize "psize";
    5 TexCoord "texcoord";
    6 Tangent "tangent";
    7 Binormal "binormal";
    8 TessFactor "tessfactor";
    9 PositionT "positiont";
    10 Color "color";
    11 Fog "fog";
    12 Depth "depth";
    13 Sample "sample";
}

/// What kind of texture a sampler reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// 2D.
    TwoD,
    /// Cube.
    Cube,
    /// Volume.
    Volume,
}

impl Dimension {
    /// Every kind with its bits and the suffix of `dcl`.
    pub const ALL: [(Dimension, u8, &'static str); 3] = [
        (Dimension::TwoD, 2, "2d"),
        (Dimension::Cube, 3, "cube"),
        (Dimension::Volume, 4, "volume"),
    ];

    /// The kind that bits mean.
    pub fn from_code(code: u8) -> Option<Dimension> {
        let mut all = Dimension::ALL.into_iter();
        all.find_map(|(dimension, bits, _)| (bits == code).then_some(dimension))
    }
    /// The suffix of `dcl`: `2d`.
    pub fn name(self) -> &'static str {
        let mut all = Dimension::ALL.into_iter();
        let found = all.find_map(|(dimension, _, name)| (dimension == self).then_some(name));
        found.unwrap_or_default()
    }
    /// Coordinates that it needs.
    pub fn coordinates(self) -> u8 {
        match self {
            Dimension::TwoD => 2,
            Dimension::Cube | Dimension::Volume => 3,
        }
    }
}

/// The payload of a `dcl` (d3d9-shaders.md section 1.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Declaration(pub u32);

impl Declaration {
    /// An input or output of a usage.
    pub fn usage_of(usage: Usage, index: u8) -> Declaration {
        Declaration(PARAMETER | u32::from(usage.code()) | u32::from(index & 0xf) << 16)
    }
    /// A sampler of a kind of texture.
    pub fn sampler(dimension: Dimension) -> Declaration {
        let bits = Dimension::ALL.into_iter().find(|(d, ..)| *d == dimension);
        Declaration(PARAMETER | bits.map_or(0, |(_, bits, _)| u32::from(bits)) << 27)
    }
    /// Nothing but the register.
    pub const PLAIN: Declaration = Declaration(PARAMETER);

    /// The usage, if its bits mean one.
    pub fn usage(self) -> Option<Usage> {
        Usage::from_code(byte(self.0, 0) & 0x1f)
    }
    /// The usage's index.
    pub fn usage_index(self) -> u8 {
        byte(self.0, 16) & 0xf
    }
    /// The kind of texture, if its bits mean one.
    pub fn dimension(self) -> Option<Dimension> {
        Dimension::from_code(byte(self.0, 27) & 0xf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of d3d9-shaders.md section 10.
    #[test]
    fn words_are_those_of_the_reference() {
        let c31 = Register::new(File::Const, 31);
        assert_eq!(Source::scalar(c31, Component::Y).word, 0xa055_001f);
        let sampler = Register::new(File::Sampler, 0);
        assert_eq!(Source::new(sampler, Swizzle::IDENTITY).word, 0xa0e4_0800);
        let color = Register::new(File::Color, 0);
        assert_eq!(Dest::new(color, WriteMask::ALL).word, 0x800f_0800);
        assert_eq!(Index::Loop.word(), 0xf0e4_0800);
        assert_eq!(Index::Address(Component::Z).word(), 0xb0aa_0000);
        assert_eq!(Declaration::sampler(Dimension::Cube).0, 0x9800_0000);
        assert_eq!(Declaration::usage_of(Usage::TexCoord, 1).0, 0x8001_0005);
        let scales = [0x1u32, 0xd].map(|bits| Dest::from_word(bits << 24).scale());
        assert_eq!(scales, [2.0, 0.125]);
    }

    #[test]
    fn codes_are_keys() {
        for modifier in Modifier::ALL {
            assert_eq!(Modifier::from_code(modifier.code()), Some(*modifier));
        }
        for usage in Usage::ALL {
            assert_eq!(Usage::from_code(usage.code()), Some(*usage));
            assert_eq!(Usage::from_name(usage.name()), Some(*usage));
        }
    }
}
