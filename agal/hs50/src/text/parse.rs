//! Parses instructions and declarations.

use agal_core::text::{TextCursor, nearest};
use agal_core::{Component, Swizzle, WriteMask};

use super::cursor::{at_line_end, expect, number, whole};
use super::error::{HullTextError, HullTextErrorKind, HullTextResult};
use super::operand::{INFO_RETURNS, SAMPLEINFO_UINT, is_binding};
use crate::names::{Dimension, ReturnType};
use crate::tokens::opcode::{HullOpcode, Type};
use crate::tokens::operand::{
    Components, HullOperand, MAX_DEPTH, OperandKind, OperandModifiers, RegisterIndex,
};
use crate::tokens::program::{
    ExtendedOpcode, HullInstruction, MAX_INSTRUCTION, ProgramVersion, field,
};
use crate::words::halves;

pub(super) fn parse_line(text: &str, version: ProgramVersion) -> Option<HullInstruction> {
    let mut cursor = TextCursor::new(text);
    let instruction = parse(&mut cursor, version).ok()?;
    at_line_end(&cursor).then_some(instruction)
}

pub(super) fn parse(
    cursor: &mut TextCursor<'_>,
    version: ProgramVersion,
) -> HullTextResult<HullInstruction> {
    cursor.blank();
    let start = *cursor;
    if cursor.take(".words") {
        let mut words = Vec::new();
        while !at_line_end(cursor) {
            words.push(number(cursor)?);
        }
        let wrong = |error| start.error(HullTextErrorKind::Words(error));
        return HullInstruction::from_words(&words, version).map_err(wrong);
    }
    let name = cursor.name();
    let mut parser = HullParser { cursor, version, size: None };
    let instruction = match parser.declaration(name, start)? {
        Some(declaration) => declaration,
        None => parser.instruction(name, start)?,
    };
    let words = instruction.to_words().len();
    if words > MAX_INSTRUCTION && instruction.opcode() != HullOpcode::Customdata {
        return Err(start.error(HullTextErrorKind::TooLong(words)));
    }
    Ok(instruction)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OperandRole {
    Destination,
    Source,
    Declared,
}

pub(super) struct HullParser<'c, 'a> {
    pub(super) cursor: &'c mut TextCursor<'a>,
    pub(super) version: ProgramVersion,
    /// The size of a constant buffer; shader model 5.1 prints the size like an additional index.
    pub(super) size: Option<u32>,
}

/// Mnemonic suffixes that set a field. If two suffixes end alike, the longer comes first.
const SUFFIXES: &str = "_indexable _aoffimmi _sat _nz _z _uint _rcpFloat";

impl<'a> HullParser<'_, 'a> {
    pub(super) fn fail<T>(&self, kind: HullTextErrorKind) -> HullTextResult<T> {
        Err(self.cursor.error(kind))
    }

    fn instruction(
        &mut self,
        name: &'a str,
        start: TextCursor<'a>,
    ) -> HullTextResult<HullInstruction> {
        let (opcode, suffixes) = split(name).ok_or_else(|| unknown(name, start))?;
        let mut instruction = HullInstruction::new(opcode);
        let has = |suffix: &str| suffixes.contains(&suffix);
        for suffix in &suffixes {
            match *suffix {
                "_sat" => instruction.set_control(field::SATURATE, 1),
                "_nz" => instruction.set_control(field::NON_ZERO, 1),
                "_indexable" | "_aoffimmi" | "_z" => {}
                flag => set_info(&mut instruction, flag),
            }
        }
        let wrong_test = opcode.is_test() != (has("_z") || has("_nz"));
        if wrong_test || has("_sat") && !opcode.modifiers().saturate {
            return Err(unknown(name, start));
        }
        if has("_aoffimmi") {
            let offsets = ExtendedOpcode::Offsets(self.offsets()?);
            instruction.extended.push(offsets.token());
        }
        if has("_indexable") {
            let resource = self.dimension()?;
            let types = ExtendedOpcode::ReturnTypes(self.return_types()?);
            instruction.extended.extend([resource.token(), types.token()]);
            if self.cursor.rest().starts_with('_') {
                let flag = self.cursor.name();
                set_info(&mut instruction, flag);
            }
        }
        self.precise(&mut instruction)?;
        let destinations = opcode.destinations().len();
        for (number, kind) in opcode.types().enumerate() {
            if number > 0 {
                expect(self.cursor, ",")?;
            }
            let role =
                if number < destinations { OperandRole::Destination } else { OperandRole::Source };
            let operand = self.operand(kind, role, 0)?;
            instruction.operands.push(operand);
        }
        Ok(instruction)
    }

    fn precise(&mut self, instruction: &mut HullInstruction) -> HullTextResult {
        self.cursor.blank();
        if !self.cursor.take("[precise") {
            return Ok(());
        }
        let mut mask = WriteMask::ALL;
        if self.cursor.take("(") {
            let letters = self.cursor.name();
            let bad = || self.cursor.error(HullTextErrorKind::Components(letters.to_owned()));
            mask = mask_of(letters).ok_or_else(bad)?;
            expect(self.cursor, ")")?;
        }
        instruction.set_control(field::PRECISE, mask.bits().into());
        expect(self.cursor, "]")
    }

    fn offsets(&mut self) -> HullTextResult<[i8; 3]> {
        let mut offsets = [0; 3];
        for (slot, before) in offsets.iter_mut().zip(["(", ",", ","]) {
            expect(self.cursor, before)?;
            let number = number(self.cursor)?;
            *slot = match i8::try_from(number.cast_signed()) {
                Ok(offset @ -8..=7) => offset,
                _ => return self.fail(HullTextErrorKind::Expected("an offset from -8 to 7")),
            };
        }
        expect(self.cursor, ")")?;
        Ok(offsets)
    }

    fn dimension(&mut self) -> HullTextResult<ExtendedOpcode> {
        expect(self.cursor, "(")?;
        let dimension = self.coded(Dimension::NAMES)?;
        let mut stride = 0;
        if dimension == Dimension::StructuredBuffer.code() {
            expect(self.cursor, ",")?;
            expect(self.cursor, "stride=")?;
            stride = number(self.cursor)?;
        }
        expect(self.cursor, ")")?;
        Ok(ExtendedOpcode::Resource(dimension, stride))
    }

    pub(super) fn return_types(&mut self) -> HullTextResult<[u32; 4]> {
        let mut types = [0; 4];
        for (slot, before) in types.iter_mut().zip(["(", ",", ",", ","]) {
            expect(self.cursor, before)?;
            *slot = self.coded(ReturnType::NAMES)?;
        }
        expect(self.cursor, ")")?;
        Ok(types)
    }

    /// Parses a name from a table, or its numeric code.
    pub(super) fn coded(&mut self, names: &[(u32, &'static str)]) -> HullTextResult<u32> {
        self.cursor.blank();
        let before = *self.cursor;
        let belongs = |c: char| c.is_ascii_alphanumeric() || "_<>".contains(c);
        let word = self.cursor.word(belongs);
        let named = names.iter().find(|(_, name)| *name == word);
        let near = || nearest(word, names.iter().map(|(_, name)| *name));
        let wrong = || before.error(HullTextErrorKind::Word(word.to_owned()));
        let unknown = || wrong().suggest(near());
        let code = named.map(|(code, _)| *code).or_else(|| whole(word));
        code.ok_or_else(unknown)
    }

    pub(super) fn operand(
        &mut self,
        kind: Type,
        role: OperandRole,
        depth: u32,
    ) -> HullTextResult<HullOperand> {
        if depth > MAX_DEPTH {
            return self.fail(HullTextErrorKind::Nesting);
        }
        self.cursor.blank();
        let neg = self.cursor.take("-");
        let abs = self.cursor.take("|");
        let before = *self.cursor;
        let name = self.cursor.word(|c| c.is_ascii_alphabetic());
        let operand = match (name, self.cursor.rest().starts_with('(')) {
            ("l", true) => self.immediate(kind)?,
            ("d", true) => self.doubles()?,
            ("l" | "d", false) => return self.fail(HullTextErrorKind::Expected("`(` and values")),
            _ => self.register(name, before, role, depth)?,
        };
        if abs {
            expect(self.cursor, "|")?;
        }
        Ok(operand.modified(OperandModifiers { abs, neg }))
    }

    fn register(
        &mut self,
        name: &'a str,
        before: TextCursor<'a>,
        role: OperandRole,
        depth: u32,
    ) -> HullTextResult<HullOperand> {
        let known = OperandKind::ALL.iter().copied().find(|kind| {
            kind.name() == name || kind.name().to_ascii_uppercase() == name && is_binding(*kind)
        });
        let Some(kind) = known else {
            let names = OperandKind::ALL.iter().map(|kind| kind.name());
            let error = before.error(HullTextErrorKind::Register(name.to_owned()));
            return Err(error.suggest(nearest(name, names)));
        };
        let mut indices = Vec::new();
        if self.cursor.rest().starts_with(|c: char| c.is_ascii_digit()) {
            indices.push(RegisterIndex::constant(number(self.cursor)?));
        }
        while self.cursor.take("[") {
            if indices.len() > 3 {
                return self.fail(HullTextErrorKind::Nesting);
            }
            self.index(&mut indices, depth)?;
        }
        self.size = indices.get(3).and_then(RegisterIndex::fixed);
        let components = self.components(kind, role)?;
        Ok(HullOperand::new(kind, components).indexed(indices))
    }

    fn index(&mut self, indices: &mut Vec<RegisterIndex>, depth: u32) -> HullTextResult {
        self.cursor.blank();
        let begins = |c: char| c.is_ascii_digit() || c == '-';
        if self.cursor.rest().starts_with(begins) {
            indices.push(RegisterIndex::constant(number(self.cursor)?));
            if self.cursor.take(":") {
                // Parses the range of slots of a binding.
                let unbounded = self.cursor.take("unbounded");
                let last = if unbounded { u32::MAX } else { number(self.cursor)? };
                indices.push(RegisterIndex::constant(last));
            }
        } else {
            let relative = self.operand(Type::I, OperandRole::Source, depth.saturating_add(1))?;
            self.cursor.blank();
            let offset = if self.cursor.take("+") { number(self.cursor)? } else { 0 };
            indices.push(RegisterIndex::relative_to(relative, offset));
        }
        expect(self.cursor, "]")
    }

    /// Parses a component suffix and encodes it like fxc ([hs50.operand.fxc]).
    fn components(&mut self, kind: OperandKind, role: OperandRole) -> HullTextResult<Components> {
        use OperandKind as Kind;
        if !self.cursor.take(".") {
            use OperandKind::{CoverageMask, Depth, DepthGreaterEqual, DepthLessEqual};
            let binding = is_binding(kind) && self.version.minor > 0;
            return Ok(match (kind, role) {
                (Kind::ConstantBuffer, OperandRole::Declared) => {
                    Components::Swizzle(Swizzle::IDENTITY)
                }
                (_, OperandRole::Declared) if binding => Components::Swizzle(Swizzle::IDENTITY),
                (Kind::PrimitiveId | Kind::OutputControlPointId, OperandRole::Source) => {
                    Components::One
                }
                (Depth | DepthGreaterEqual | DepthLessEqual | CoverageMask, _) => Components::One,
                _ => Components::None,
            });
        }
        let before = *self.cursor;
        let letters = self.cursor.name();
        let bad = || before.error(HullTextErrorKind::Components(letters.to_owned()));
        if role != OperandRole::Source {
            return mask_of(letters).map(Components::Mask).ok_or_else(bad);
        }
        Ok(match Component::list(letters).ok_or_else(bad)?[..] {
            [one] => Components::Select(one),
            ref list => Components::Swizzle(Swizzle::repeating(list)),
        })
    }

    fn immediate(&mut self, kind: Type) -> HullTextResult<HullOperand> {
        let before = *self.cursor;
        let values = self.list("(", ")", |parser| parser.value(kind))?;
        match values.len() {
            1 | 4 => Ok(HullOperand::immediate(values)),
            count => Err(before.error(HullTextErrorKind::ValueCount(count))),
        }
    }

    pub(super) fn list<T>(
        &mut self,
        open: &'static str,
        close: &'static str,
        mut one: impl FnMut(&mut Self) -> HullTextResult<T>,
    ) -> HullTextResult<Vec<T>> {
        expect(self.cursor, open)?;
        let mut list = vec![one(self)?];
        self.cursor.blank();
        while self.cursor.take(",") {
            list.push(one(self)?);
            self.cursor.blank();
        }
        expect(self.cursor, close)?;
        Ok(list)
    }

    pub(super) fn value(&mut self, kind: Type) -> HullTextResult<u32> {
        self.cursor.blank();
        let before = *self.cursor;
        let belongs = |c: char| c.is_ascii_alphanumeric() || ".+-#".contains(c);
        let word = self.cursor.word(belongs);
        let float = || word.parse::<f32>().ok().map(f32::to_bits);
        let value = match kind {
            _ if word.starts_with("0x") => whole(word),
            Type::F => float(),
            Type::A if word.contains('.') => float(),
            _ => whole(word),
        };
        value.ok_or_else(|| before.error(HullTextErrorKind::Number(word.to_owned())))
    }

    fn doubles(&mut self) -> HullTextResult<HullOperand> {
        let before = *self.cursor;
        let values = self.list("(", ")", |parser| {
            parser.cursor.blank();
            let belongs = |c: char| c.is_ascii_alphanumeric() || ".+-".contains(c);
            let word = parser.cursor.word(belongs);
            let number = word.trim_end_matches('l').parse::<f64>();
            number.or_else(|_| parser.fail(HullTextErrorKind::Number(word.to_owned())))
        })?;
        let components = match values.len() {
            1 => Components::One,
            2 => Components::Mask(WriteMask::EMPTY),
            count => return Err(before.error(HullTextErrorKind::ValueCount(count))),
        };
        let mut operand = HullOperand::new(OperandKind::Immediate64, components);
        operand.values = values.into_iter().flat_map(|value| halves(value.to_bits())).collect();
        Ok(operand)
    }
}

fn mask_of(letters: &str) -> Option<WriteMask> {
    let list = Component::list(letters)?;
    list.is_sorted_by(|a, b| a.bits() < b.bits()).then(|| list.into_iter().collect())
}

fn split(name: &str) -> Option<(HullOpcode, Vec<&str>)> {
    let mut rest = name;
    let mut suffixes = Vec::new();
    loop {
        if let Some(opcode) = HullOpcode::from_name(rest).filter(|opcode| !opcode.is_declaration())
        {
            return Some((opcode, suffixes));
        }
        let suffix = SUFFIXES.split(' ').find(|suffix| rest.ends_with(suffix))?;
        rest = rest.strip_suffix(suffix)?;
        suffixes.push(suffix);
    }
}

/// Sets the return type field for the suffix `_uint` or `_rcpFloat`.
fn set_info(instruction: &mut HullInstruction, flag: &str) {
    let known = INFO_RETURNS.iter().find(|(_, name)| *name == flag);
    let code = match instruction.opcode() {
        HullOpcode::Sampleinfo => SAMPLEINFO_UINT,
        _ => known.map_or(0, |(code, _)| *code),
    };
    instruction.set_control(field::VALUE, code);
}

#[cold]
pub(super) fn unknown(name: &str, start: TextCursor<'_>) -> HullTextError {
    let names = HullOpcode::ALL.iter().map(|opcode| opcode.name());
    let error = start.error(HullTextErrorKind::Opcode(name.to_owned()));
    error.suggest(nearest(name, names))
}
