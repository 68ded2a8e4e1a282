//! Operands: registers, their components, indices and modifiers, and immediate values (hs-5-0.md, 2.3 to 2.5).

use shader_core::WriteMask;

use crate::token::{TokenError, TokenErrorKind, Words};

shader_core::table! {
    /// The register file of an operand; immediates count as files.
    pub enum OperandKind {
        /// The number in the token.
        code: u32 => from_code(u32),
        /// The name in listings, without a number.
        name: &'static str,
    }
    Temp 0, "r";
    Input 1, "v";
    Output 2, "o";
    IndexableTemp 3, "x";
    Immediate32 4, "l";
    Immediate64 5, "d";
    Sampler 6, "s";
    Resource 7, "t";
    ConstantBuffer 8, "cb";
    ImmediateConstantBuffer 9, "icb";
    Label 10, "label";
    PrimitiveId 11, "vPrim";
    Depth 12, "oDepth";
    Null 13, "null";
    Rasterizer 14, "rasterizer";
    CoverageMask 15, "oMask";
    Stream 16, "m";
    FunctionBody 17, "fb";
    FunctionTable 18, "ft";
    Interface 19, "fp";
    FunctionInput 20, "fi";
    FunctionOutput 21, "fo";
    OutputControlPointId 22, "vOutputControlPointID";
    ForkInstanceId 23, "vForkInstanceID";
    JoinInstanceId 24, "vJoinInstanceID";
    InputControlPoint 25, "vicp";
    OutputControlPoint 26, "vocp";
    PatchConstant 27, "vpc";
    DomainPoint 28, "vDomain";
    This 29, "this";
    UnorderedAccess 30, "u";
    GroupMemory 31, "g";
    ThreadId 32, "vThreadID";
    ThreadGroupId 33, "vThreadGroupID";
    ThreadIdInGroup 34, "vThreadIDInGroup";
    Coverage 35, "vCoverage";
    ThreadIdInGroupFlattened 36, "vThreadIDInGroupFlattened";
    GsInstanceId 37, "vGSInstanceID";
    DepthGreaterEqual 38, "oDepthGE";
    DepthLessEqual 39, "oDepthLE";
    CycleCounter 40, "vCycleCounter";
    StencilReference 41, "oStencilRef";
    InnerCoverage 42, "vInnerCoverage";
}

/// Letters of the components.
pub const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

/// The letters of a mask, such as `xyz`.
pub(crate) fn letters(mask: u8) -> WriteMask {
    WriteMask::from_bits(mask)
}

/// The components of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Components {
    /// None.
    None,
    /// A scalar.
    One,
    /// The write mask of a destination or declaration, x = 1 … w = 8.
    Mask(u8),
    /// The swizzle of a source: x = 0 … w = 3 for each destination component.
    Swizzle([u8; 4]),
    /// One source component, x = 0 … w = 3, for every destination component.
    Select(u8),
    /// An invalid encoding.
    Unknown,
}

/// Modifiers of a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifier {
    /// Absolute value; applied before negation.
    pub abs: bool,
    /// Negation.
    pub neg: bool,
}

/// An index of a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Index {
    /// A constant.
    Imm32(u32),
    /// A 64-bit constant.
    Imm64(u64),
    /// The value of a register.
    Relative(Box<Operand>),
    /// A constant plus the value of a register.
    Imm32Relative(u32, Box<Operand>),
    /// A 64-bit constant plus the value of a register.
    Imm64Relative(u64, Box<Operand>),
}

impl Index {
    /// The constant part; `None` if it exceeds 32 bits.
    pub fn offset(&self) -> Option<u32> {
        match self {
            Index::Imm32(offset) | Index::Imm32Relative(offset, _) => Some(*offset),
            Index::Imm64(offset) | Index::Imm64Relative(offset, _) => u32::try_from(*offset).ok(),
            Index::Relative(_) => Some(0),
        }
    }
    /// The register whose value is added.
    pub fn relative(&self) -> Option<&Operand> {
        match self {
            Index::Imm32(_) | Index::Imm64(_) => None,
            Index::Relative(operand)
            | Index::Imm32Relative(_, operand)
            | Index::Imm64Relative(_, operand) => Some(operand),
        }
    }
    /// The index, if it is constant and fits 32 bits.
    pub fn fixed(&self) -> Option<u32> {
        match self.relative() {
            None => self.offset(),
            Some(_) => None,
        }
    }
    fn representation(&self) -> u32 {
        match self {
            Index::Imm32(_) => 0,
            Index::Imm64(_) => 1,
            Index::Relative(_) => 2,
            Index::Imm32Relative(..) => 3,
            Index::Imm64Relative(..) => 4,
        }
    }
}

/// An operand, bit for bit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    kind: OperandKind,
    token: u32,
    /// Extended tokens.
    pub extended: Vec<u32>,
    /// Indices: at most three.
    pub indices: Vec<Index>,
    /// The values of an immediate.
    pub values: Vec<u32>,
}

const EXTENDED: u32 = 1 << 31;
/// Maximum number of extended tokens of an operand.
const MAX_EXTENDED: usize = 3;
/// The type of the extended token with modifiers.
const MODIFIER: u32 = 1;
/// Maximum nesting depth of operands; compilers emit at most an index with an index.
const MAX_DEPTH: u32 = 8;

impl Operand {
    /// An operand without indices.
    pub fn new(kind: OperandKind, components: Components) -> Operand {
        let selection = match components {
            Components::None => 0,
            Components::One => 1,
            Components::Mask(mask) => 2 | u32::from(mask & 0xf) << 4,
            Components::Swizzle(swizzle) => {
                let last_first = swizzle.iter().rev();
                let packed = last_first.fold(0, |bits, c| bits << 2 | u32::from(c & 3));
                2 | 1 << 2 | packed << 4
            }
            Components::Select(component) => 2 | 2 << 2 | u32::from(component & 3) << 4,
            Components::Unknown => 3,
        };
        Operand {
            kind,
            token: selection | kind.code() << 12,
            extended: Vec::new(),
            indices: Vec::new(),
            values: Vec::new(),
        }
    }

    /// The same operand with indices; those after the third are dropped.
    pub fn indexed(mut self, indices: Vec<Index>) -> Operand {
        self.indices = indices;
        self.indices.truncate(3);
        self
    }

    /// An immediate with one or four components.
    pub fn immediate(values: Vec<u32>) -> Operand {
        let components = if values.len() == 1 { Components::One } else { Components::Mask(0) };
        let mut operand = Operand::new(OperandKind::Immediate32, components);
        operand.values = values;
        operand
    }

    /// The same operand with modifiers.
    pub fn modified(mut self, modifier: Modifier) -> Operand {
        self.extended.clear();
        if modifier != Modifier::default() {
            let code = u32::from(modifier.neg) | u32::from(modifier.abs) << 1;
            self.extended.push(MODIFIER | code << 6);
        }
        self
    }

    /// The register file.
    pub fn kind(&self) -> OperandKind {
        self.kind
    }

    /// Its components.
    pub fn components(&self) -> Components {
        let field = |shift: u32, mask: u8| self.token.wrapping_shr(shift).to_le_bytes()[0] & mask;
        match (self.token & 3, self.token >> 2 & 3) {
            (0, _) => Components::None,
            (1, _) => Components::One,
            (2, 0) => Components::Mask(field(4, 15)),
            (2, 1) => Components::Swizzle([4, 6, 8, 10].map(|shift| field(shift, 3))),
            (2, 2) => Components::Select(field(4, 3)),
            _ => Components::Unknown,
        }
    }

    /// The source component for each destination component: x = 0 … w = 3.
    pub fn swizzle(&self) -> [u8; 4] {
        match self.components() {
            Components::None | Components::One | Components::Unknown => [0; 4],
            Components::Mask(_) => [0, 1, 2, 3],
            Components::Swizzle(swizzle) => swizzle,
            Components::Select(component) => [component; 4],
        }
    }

    /// The swizzle's letters.
    pub(crate) fn swizzle_letters(&self) -> String {
        let letters = self.swizzle();
        let letters = letters.iter().filter_map(|c| LETTERS.get(usize::from(*c)));
        letters.collect()
    }

    /// The write mask of a destination or declaration; x for a scalar.
    pub fn mask(&self) -> u8 {
        match self.components() {
            Components::Mask(mask) => mask,
            Components::None | Components::Unknown => 0,
            Components::One => 1,
            Components::Select(component) => 1 << component,
            Components::Swizzle(swizzle) => swizzle.iter().fold(0, |mask, c| mask | 1 << c),
        }
    }

    /// A field of the extended token with modifiers.
    fn modifier_field(&self, shift: u32, mask: u32) -> u32 {
        let mut tokens = self.extended.iter();
        let token = tokens.find(|token| **token & 0x3f == MODIFIER);
        token.map_or(0, |token| token >> shift & mask)
    }

    /// The modifiers of a source.
    pub fn modifier(&self) -> Modifier {
        let code = self.modifier_field(6, 0xff);
        Modifier { neg: code & 1 != 0, abs: code & 2 != 0 }
    }

    /// The minimum precision requested; 0 for none.
    pub fn min_precision(&self) -> u32 {
        self.modifier_field(14, 7)
    }

    /// The index at `place`, if it is constant.
    pub fn fixed(&self, place: usize) -> Option<u32> {
        self.indices.get(place).and_then(Index::fixed)
    }

    pub(crate) fn decode(words: &mut Words<'_>) -> Result<Operand, TokenError> {
        Operand::decode_at(words, 0)
    }

    fn decode_at(words: &mut Words<'_>, depth: u32) -> Result<Operand, TokenError> {
        let word_offset = words.word_offset();
        let error = |kind| Err(TokenError { word_offset, kind });
        let token = words.next()?;
        let code = token >> 12 & 0xff;
        let Some(kind) = OperandKind::from_code(code) else {
            return error(TokenErrorKind::OperandKind(code));
        };
        if depth > MAX_DEPTH {
            return error(TokenErrorKind::Nesting);
        }
        let mut operand = Operand {
            kind,
            token,
            extended: words.chain(token, MAX_EXTENDED)?,
            indices: Vec::new(),
            values: Vec::new(),
        };
        operand.token &= !(EXTENDED | 0x7ff << 20);
        let wide =
            |words: &mut Words<'_>| Ok(u64::from(words.next()?) << 32 | u64::from(words.next()?));
        let relative = |words: &mut Words<'_>| Operand::decode_at(words, depth + 1).map(Box::new);
        for shift in [22, 25, 28].into_iter().take((token >> 20 & 3) as usize) {
            let index = match token >> shift & 7 {
                0 => Index::Imm32(words.next()?),
                1 => Index::Imm64(wide(words)?),
                2 => Index::Relative(relative(words)?),
                3 => Index::Imm32Relative(words.next()?, relative(words)?),
                4 => Index::Imm64Relative(wide(words)?, relative(words)?),
                other => return error(TokenErrorKind::Representation(other)),
            };
            operand.indices.push(index);
        }
        // Keeps the representation bits of unused indices.
        let used = (1u32 << (3 * operand.indices.len())) - 1;
        operand.token |= token & (0x1ff & !used) << 22;
        let least = match kind {
            OperandKind::Immediate32 => 1,
            OperandKind::Immediate64 => 2,
            _ => return Ok(operand),
        };
        let count = match operand.components() {
            Components::One => least,
            Components::None | Components::Unknown => {
                return error(TokenErrorKind::ImmediateComponents);
            }
            _ => 4,
        };
        for _ in 0..count {
            operand.values.push(words.next()?);
        }
        Ok(operand)
    }

    pub(crate) fn encode(&self, words: &mut Vec<u32>) {
        let mut token = self.token & !(3 << 20) | crate::words::length(self.indices.len()) << 20;
        for (index, shift) in self.indices.iter().zip([22, 25, 28]) {
            token |= index.representation() << shift;
        }
        crate::token::push_chain(words, token, &self.extended);
        for index in &self.indices {
            match index {
                Index::Imm32(offset) | Index::Imm32Relative(offset, _) => words.push(*offset),
                Index::Imm64(offset) | Index::Imm64Relative(offset, _) => {
                    let [high, low] = [offset >> 32, offset & 0xffff_ffff];
                    words.extend([high, low].map(|half| u32::try_from(half).unwrap_or(0)));
                }
                Index::Relative(_) => {}
            }
            if let Some(operand) = index.relative() {
                operand.encode(words);
            }
        }
        words.extend(&self.values);
    }
}
