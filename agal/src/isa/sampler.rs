//! The sampler table: the fields of a sampler operand, with their values and names in text. The codec, validator,
//! assembler and printer use this table.

use crate::error::ErrorKind;
use agal_core::cube::FACES;
use agal_core::image::SamplerSettings;
use agal_core::interp::SamplerRegister;

macro_rules! sampler_values {
    ($(
        $(#[$meta:meta])*
        $field:ident { $($value:ident = $code:literal [$($name:literal)*] $doc:literal;)* }
    )*) => {
        $(
            agal_core::table! {
                $(#[$meta])*
                pub enum $field {
                    /// Returns the value of the field's nibble in a token.
                    code: u8 => from_code(u8),
                }
                $(#[doc = $doc] $value $code;)*
            }
        )*

        /// Every sampler option in text, with its field and bits. If several options set a field to one value, listings
        /// print the first option.
        pub const OPTIONS: &[SamplerOption] = &[
            $($($(SamplerOption { name: $name, field: SamplerField::$field, bits: $code },)*)*)*
            SamplerOption { name: "centroid", field: SamplerField::Special, bits: CENTROID },
            SamplerOption { name: "single", field: SamplerField::Special, bits: SINGLE },
            SamplerOption { name: "ignoresampler", field: SamplerField::Special, bits: IGNORE_SAMPLER },
            // Assemblers accept the option `3d`, but no player supports the option ([agal.text.three_d]): error 3664.
            SamplerOption { name: "3d", field: SamplerField::Dimension, bits: 2 },
        ];
    };
}

sampler_values! {
    /// The texture format that a sampler expects.
    SamplerFormat {
        Rgba = 0 ["rgba"] "Any uncompressed format, half float included.";
        Compressed = 1 ["dxt1" "compressed"] "DXT1, or the device's equivalent.";
        CompressedAlpha = 2 ["dxt5" "compressedalpha"] "DXT5, or the device's equivalent.";
        Video = 3 ["video"] "A `VideoTexture`.";
    }
    /// The dimension of the texture.
    Dimension {
        TwoD = 0 ["2d"] "A 2D or rectangle texture.";
        Cube = 1 ["cube"] "A cube texture.";
    }
    /// Addressing of coordinates outside 0..1.
    Wrap {
        Clamp = 0 ["clamp"] "The edge texel, in both directions.";
        Repeat = 1 ["repeat" "wrap"] "The texture repeats, in both directions.";
        ClampURepeatV = 2 ["clamp_u_repeat_v"] "Clamped horizontally, repeated vertically.";
        RepeatUClampV = 3 ["repeat_u_clamp_v"] "Repeated horizontally, clamped vertically.";
    }
    /// Selection of mip levels.
    Mip {
        None = 0 ["mipnone" "nomip"] "Level 0 only.";
        Nearest = 1 ["mipnearest"] "The nearest level; half a level rounds up [context3d.sampler.mipnearest].";
        Linear = 2 ["miplinear"] "A blend of two levels.";
    }
    /// Filtering within a mip level.
    Filter {
        Nearest = 0 ["nearest"] "The nearest texel.";
        Linear = 1 ["linear"] "A blend of four texels.";
        Anisotropic2x = 2 ["anisotropic2x"] "Linear with up to 2 probes.";
        Anisotropic4x = 3 ["anisotropic4x"] "Linear with up to 4 probes.";
        Anisotropic8x = 4 ["anisotropic8x"] "Linear with up to 8 probes.";
        Anisotropic16x = 5 ["anisotropic16x"] "Linear with up to 16 probes.";
    }
}

impl Wrap {
    /// Returns whether the texture repeats horizontally, and vertically.
    pub fn repeats(self) -> [bool; 2] {
        match self {
            Wrap::Clamp => [false, false],
            Wrap::Repeat => [true, true],
            Wrap::ClampURepeatV => [false, true],
            Wrap::RepeatUClampV => [true, false],
        }
    }
}

impl Dimension {
    /// Returns the number of coordinates ([agal.tex.coordinates]): xy for 2D; for a cube map, the direction xyz.
    pub fn coordinates(self) -> u8 {
        match self {
            Dimension::TwoD => 2,
            Dimension::Cube => 3,
        }
    }

    /// Returns the number of faces: one, or six for a cube map.
    pub fn faces(self) -> u8 {
        match self {
            Dimension::TwoD => 1,
            Dimension::Cube => FACES,
        }
    }
}

/// The special flag `centroid`, which players accept but ignore ([agal.sampler.centroid]).
pub const CENTROID: u8 = 1;
/// The special flag `single`, which players accept but ignore ([agal.sampler.single]).
pub const SINGLE: u8 = 2;
/// The special flag `ignoresampler`, formerly named "depth": `setSamplerStateAt` overrides the fields of the sampler
/// operand.
pub const IGNORE_SAMPLER: u8 = 4;
/// The format for a nibble that is not in the table. A player with AGAL 1, which had no formats, ignored the nibble;
/// later players may check the nibble ([agal.sampler.unknown_format]).
const UNKNOWN_FORMAT: SamplerFormat = SamplerFormat::Rgba;

/// The special flags that players accept.
pub const SPECIAL_FLAGS: u8 = CENTROID | SINGLE | IGNORE_SAMPLER;

/// A word in the option list of a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerOption {
    /// The option's name in text.
    pub name: &'static str,
    /// The field of the sampler operand that the option sets.
    pub field: SamplerField,
    /// The bits that the option sets in the field. Special flags accumulate; other fields are overwritten.
    pub bits: u8,
}

impl SamplerOption {
    /// Returns the option with this name.
    pub fn from_name(name: &str) -> Option<&'static SamplerOption> {
        OPTIONS.iter().find(|option| option.name == name)
    }
    /// Returns the printed name of the sampler option that sets `field` to the value `bits`.
    pub fn text(field: SamplerField, bits: u8) -> Option<&'static str> {
        let row = OPTIONS.iter().find(|option| option.field == field && option.bits == bits);
        row.map(|option| option.name)
    }
}

macro_rules! fields {
    ($($field:ident $member:ident shift $shift:literal $doc:literal;)*) => {
        agal_core::table! {
            /// A field of a sampler operand: a nibble in its upper 32 bits.
            pub enum SamplerField {
                /// Returns the index of the field's lowest bit in the upper 32 bits of the operand.
                shift: u32,
            }
            $(#[doc = $doc] $field $shift;)*
        }

        /// The sampler operand of `tex` and `tld` in a token. A sampler operand can represent any 64 bits.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct SamplerOperand {
            /// The number of the sampler register.
            pub number: u16,
            /// The LOD bias in eighths of a level.
            pub bias: i8,
            /// The nibble with the register type; 5 in a legal program.
            pub file: u8,
            /// The reserved bits: bits 24-31 and, above them, bits 36-39. 0 in a legal program.
            pub reserved: u16,
            $(#[doc = concat!($doc, " A nibble.")] pub $member: u8,)*
        }

        impl SamplerOperand {
            /// Returns the value of a sampler field.
            pub fn get(&self, field: SamplerField) -> u8 {
                match field {
                    $(SamplerField::$field => self.$member,)*
                }
            }
            /// Sets a field to the low four bits of `nibble`.
            pub fn set(&mut self, field: SamplerField, nibble: u8) {
                match field {
                    $(SamplerField::$field => self.$member = nibble & 0xf,)*
                }
            }
        }
    };
}

// [agal.sampler.bits]
fields! {
    SamplerFormat format shift 8 "Texture format.";
    Dimension dimension shift 12 "Type of texture.";
    Special special shift 16 "Special flags, which can be combined.";
    Wrap wrap shift 20 "Wrap mode.";
    Mip mip shift 24 "Mip mode.";
    Filter filter shift 28 "Filter.";
}

/// The checked sampler operand of `tex` and `tld`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerOp {
    /// The number of the sampler register.
    pub register: u16,
    /// The LOD bias in eighths of a level.
    pub lod_bias: i8,
    /// The texture format.
    pub format: SamplerFormat,
    /// The dimension of the texture: 2D or cube.
    pub dimension: Dimension,
    /// The flag `centroid`.
    pub centroid: bool,
    /// The flag `single`.
    pub single: bool,
    /// The flag `ignoresampler`: `setSamplerStateAt` overrides the wrap mode, mip mode and filter.
    pub ignore_sampler: bool,
    /// The wrap mode.
    pub wrap: Wrap,
    /// The mip mode.
    pub mip: Mip,
    /// The filter within a mip level.
    pub filter: Filter,
}

impl SamplerOp {
    /// Returns the LOD bias in mip levels. Unlike all other fields, the bias isn't sampler state: `setSamplerStateAt`
    /// and OpenGL ES's sampler objects lack a bias.
    pub fn bias(&self) -> f32 {
        // The field has eighths of a level ([agal.sampler.bias]).
        f32::from(self.lod_bias) / 8.0
    }
}

impl SamplerRegister for SamplerOp {
    fn number(&self) -> u16 {
        self.register
    }
    fn faces(&self) -> u8 {
        self.dimension.faces()
    }
}

impl SamplerSettings for SamplerOp {
    fn repeats(&self) -> [bool; 2] {
        self.wrap.repeats()
    }
    /// Returns whether the filter is linear. Anisotropic filters count as linear, because the positions of a driver's
    /// additional samples aren't specified.
    fn is_linear(&self) -> bool {
        self.filter != Filter::Nearest
    }
    fn mip_level(&self, detail: f32) -> (f32, f32) {
        match self.mip {
            Mip::None => (0.0, 0.0),
            // Level n + 1/2 is rounded up, as in Direct3D [context3d.sampler.mipnearest]; OpenGL rounds down.
            Mip::Nearest => ((detail + 0.5).floor(), 0.0),
            Mip::Linear => (detail.floor(), detail.fract()),
        }
    }
}

impl SamplerOperand {
    /// Returns the values of the fields, or the error and value of the first invalid field, in the order of
    /// [agal.check.sampler]. The first players with AGAL 1 rejected special flags, mixed wrap modes and anisotropic
    /// filters. Later players support special flags, mixed wrap modes and anisotropic filters, so this function accepts
    /// them in every AGAL version ([agal.sampler.later_values]).
    pub fn resolve(&self) -> Result<SamplerOp, (ErrorKind, u8)> {
        let known = |ok: bool, kind, value| if ok { Ok(()) } else { Err((kind, value)) };
        let dimension = Dimension::from_code(self.dimension)
            .ok_or((ErrorKind::UnknownDimension, self.dimension))?;
        known(
            dimension != Dimension::Cube || self.wrap == Wrap::Clamp.code(),
            ErrorKind::CubeMustClamp,
            self.wrap,
        )?;
        let filter =
            Filter::from_code(self.filter).ok_or((ErrorKind::UnknownFilter, self.filter))?;
        let mip = Mip::from_code(self.mip).ok_or((ErrorKind::UnknownMip, self.mip))?;
        let wrap = Wrap::from_code(self.wrap).ok_or((ErrorKind::UnknownWrap, self.wrap))?;
        known(self.special & !SPECIAL_FLAGS == 0, ErrorKind::UnknownSpecial, self.special)?;
        Ok(SamplerOp {
            register: self.number,
            lod_bias: self.bias,
            format: SamplerFormat::from_code(self.format).unwrap_or(UNKNOWN_FORMAT),
            dimension,
            centroid: self.special & CENTROID != 0,
            single: self.special & SINGLE != 0,
            ignore_sampler: self.special & IGNORE_SAMPLER != 0,
            wrap,
            mip,
            filter,
        })
    }
}
