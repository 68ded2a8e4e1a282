//! Operands: registers with components, indices and modifiers, and immediate values ([hs50.operand.bits]
//! [hs50.operand.index]).

use agal_core::{Component, Swizzle, WriteMask};

use super::reader::{EXTENDED, HullReader, TokenError, TokenErrorKind, push_chain};
use crate::words::{halves, joined, length};

agal_core::table! {
    /// The register file of an operand; immediates are register files too.
    pub enum OperandKind {
        /// Returns the register file's code in tokens.
        code: u32 => from_code(u32),
        /// Returns the register file's name in listings, without a register number.
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

/// The component selection of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Components {
    /// The operand has no components, for example a sampler.
    None,
    /// The operand has one component, for example `vPrim`.
    One,
    /// A write mask of a destination.
    Mask(WriteMask),
    /// A swizzle: the source component for each destination component.
    Swizzle(Swizzle),
    /// One source component, replicated to all destination components.
    Select(Component),
    /// The component bits of the token are invalid.
    Unknown,
}

/// Source modifiers; the absolute value is applied before the negation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperandModifiers {
    /// True if the absolute value is taken.
    pub abs: bool,
    /// True if the value is negated.
    pub neg: bool,
}

/// A register index: a constant offset, optionally plus a register's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterIndex {
    /// The code of the representation: 0 is a 32-bit constant, 1 a 64-bit constant, 2 a register, 3 a register plus
    /// 32-bit constant, 4 a register plus 64-bit constant.
    representation: u32,
    offset: u64,
    relative: Option<Box<HullOperand>>,
}

impl RegisterIndex {
    /// Creates a constant index.
    pub fn constant(offset: u32) -> RegisterIndex {
        RegisterIndex { representation: 0, offset: offset.into(), relative: None }
    }
    /// Creates a relative index: a register's value plus a constant.
    pub fn relative_to(operand: HullOperand, offset: u32) -> RegisterIndex {
        let representation = if offset == 0 { 2 } else { 3 };
        RegisterIndex { representation, offset: offset.into(), relative: Some(Box::new(operand)) }
    }
    /// Returns the constant offset, or `None` if it exceeds 32 bits.
    pub fn offset(&self) -> Option<u32> {
        u32::try_from(self.offset).ok()
    }
    /// Returns the constant offset if it is encoded in 64 bits.
    pub fn wide(&self) -> Option<u64> {
        matches!(self.representation, 1 | 4).then_some(self.offset)
    }
    /// Returns the register of a relative index; `None` for constant indices.
    pub fn relative(&self) -> Option<&HullOperand> {
        self.relative.as_deref()
    }
    /// Returns a constant index; `None` for relative indices and indices of more than 32 bits.
    pub fn fixed(&self) -> Option<u32> {
        self.offset().filter(|_| self.relative.is_none())
    }
}

/// An operand: a register or an immediate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HullOperand {
    kind: OperandKind,
    token: u32,
    /// The extended operand tokens, which may contain modifiers.
    pub extended: Vec<u32>,
    /// The indices of the register, at most three.
    pub indices: Vec<RegisterIndex>,
    /// The values of an immediate operand.
    pub values: Vec<u32>,
}

const MAX_EXTENDED: usize = 3;
/// The code of extended tokens that contain modifiers.
const MODIFIER: u32 = 1;
/// Maximum nesting depth of operands. Compilers emit at most one relative index within another.
pub(crate) const MAX_DEPTH: u32 = 8;

impl HullOperand {
    /// Creates an operand without indices and values.
    pub fn new(kind: OperandKind, components: Components) -> HullOperand {
        let selection = match components {
            Components::None => 0,
            Components::One => 1,
            Components::Mask(mask) => 2 | u32::from(mask.bits()) << 4,
            Components::Swizzle(swizzle) => 2 | 1 << 2 | u32::from(swizzle.bits()) << 4,
            Components::Select(component) => 2 | 2 << 2 | u32::from(component.bits()) << 4,
            Components::Unknown => 3,
        };
        let token = selection | kind.code() << 12;
        let (extended, indices, values) = (Vec::new(), Vec::new(), Vec::new());
        HullOperand { kind, token, extended, indices, values }
    }

    /// Adds indices; indices after the third are dropped.
    pub fn indexed(mut self, indices: Vec<RegisterIndex>) -> HullOperand {
        self.indices = indices;
        self.indices.truncate(3);
        self
    }

    /// Creates an immediate operand with one or four values.
    pub fn immediate(values: Vec<u32>) -> HullOperand {
        let scalar = values.len() == 1;
        let components = if scalar { Components::One } else { Components::Mask(WriteMask::EMPTY) };
        HullOperand { values, ..HullOperand::new(OperandKind::Immediate32, components) }
    }

    /// Replaces the source modifiers.
    pub fn modified(mut self, modifier: OperandModifiers) -> HullOperand {
        self.extended.clear();
        if modifier != OperandModifiers::default() {
            let code = u32::from(modifier.neg) | u32::from(modifier.abs) << 1;
            self.extended.push(MODIFIER | code << 6);
        }
        self
    }

    /// Returns the register file.
    pub fn kind(&self) -> OperandKind {
        self.kind
    }

    /// Returns the component selection.
    pub fn components(&self) -> Components {
        let [byte, ..] = (self.token >> 4).to_le_bytes();
        match (self.token & 3, self.token >> 2 & 3) {
            (0, _) => Components::None,
            (1, _) => Components::One,
            (2, 0) => Components::Mask(WriteMask::from_bits(byte)),
            (2, 1) => Components::Swizzle(Swizzle::from_bits(byte)),
            (2, 2) => Components::Select(Component::from_bits(byte)),
            _ => Components::Unknown,
        }
    }

    /// Returns the operand's swizzle: the source component for each destination component.
    pub fn swizzle(&self) -> Swizzle {
        match self.components() {
            Components::None | Components::One | Components::Unknown => Swizzle::default(),
            Components::Mask(_) => Swizzle::IDENTITY,
            Components::Swizzle(swizzle) => swizzle,
            Components::Select(component) => Swizzle::new([component; 4]),
        }
    }

    /// Returns the write mask of a destination or declaration; a scalar has the mask x.
    pub fn mask(&self) -> WriteMask {
        match self.components() {
            Components::Mask(mask) => mask,
            Components::None | Components::Unknown => WriteMask::EMPTY,
            Components::One => WriteMask::first(1),
            Components::Select(component) => WriteMask::EMPTY.with(component),
            Components::Swizzle(swizzle) => swizzle.selected(WriteMask::ALL),
        }
    }

    /// Returns the source modifiers.
    pub fn modifier(&self) -> OperandModifiers {
        let token = self.extended.iter().find(|token| **token & 0x3f == MODIFIER);
        let code = token.map_or(0, |token| token >> 6 & 0xff);
        OperandModifiers { neg: code & 1 != 0, abs: code & 2 != 0 }
    }

    /// Returns the index at a position; `None` if the index isn't constant.
    pub fn fixed(&self, axis: usize) -> Option<u32> {
        self.indices.get(axis).and_then(RegisterIndex::fixed)
    }

    /// Returns the last index if constant: for control points the element, otherwise the register number.
    pub fn last_fixed(&self) -> Option<u32> {
        self.indices.last().and_then(RegisterIndex::fixed)
    }

    /// Returns the values of an immediate as four components; repeats a single value or double.
    pub fn literal(&self) -> [u32; 4] {
        match self.values[..] {
            [one] => [one; 4],
            [low, high] => [low, high, low, high],
            [x, y, z, w] => [x, y, z, w],
            _ => [0; 4],
        }
    }

    pub(crate) fn decode(
        words: &mut HullReader<'_>,
        depth: u32,
    ) -> Result<HullOperand, TokenError> {
        let start = words.clone();
        let error = |kind| Err(start.error(kind));
        let token = words.next()?;
        let code = token >> 12 & 0xff;
        let Some(kind) = OperandKind::from_code(code) else {
            return error(TokenErrorKind::OperandKind(code));
        };
        if depth > MAX_DEPTH {
            return error(TokenErrorKind::Nesting);
        }
        let mut operand = HullOperand::new(kind, Components::None);
        operand.extended = words.chain(token, MAX_EXTENDED)?;
        for shift in [22, 25, 28].into_iter().take((token >> 20 & 3) as usize) {
            let representation = token >> shift & 7;
            let offset = match representation {
                0 | 3 => words.next()?.into(),
                1 | 4 => {
                    let (high, low) = (words.next()?, words.next()?);
                    joined([low, high])
                }
                2 => 0,
                other => return error(TokenErrorKind::Representation(other)),
            };
            let relative = match representation {
                0 | 1 => None,
                _ => Some(Box::new(HullOperand::decode(words, depth.saturating_add(1))?)),
            };
            operand.indices.push(RegisterIndex { representation, offset, relative });
        }
        // Preserves the representation bits of unused indices.
        let used = (1u32 << (3 * operand.indices.len())) - 1;
        operand.token = token & !(EXTENDED | 0x7ff << 20) | token & (0x1ff & !used) << 22;
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
            Components::Mask(_) | Components::Swizzle(_) | Components::Select(_) => 4,
        };
        for _ in 0..count {
            operand.values.push(words.next()?);
        }
        Ok(operand)
    }

    pub(crate) fn encode(&self, words: &mut Vec<u32>) {
        let mut token = self.token & !(3 << 20) | length(self.indices.len()) << 20;
        for (index, shift) in self.indices.iter().zip([22, 25, 28]) {
            token |= index.representation << shift;
        }
        push_chain(words, token, &self.extended);
        for index in &self.indices {
            let [low, high] = halves(index.offset);
            match index.representation {
                0 | 3 => words.push(low),
                1 | 4 => words.extend([high, low]),
                _ => {}
            }
            if let Some(operand) = &index.relative {
                operand.encode(words);
            }
        }
        words.extend(&self.values);
    }
}
