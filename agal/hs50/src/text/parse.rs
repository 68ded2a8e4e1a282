//! Parses instructions and declarations.

use agal_core::text::{Cursor, nearest};
use agal_core::{Component, Swizzle, WriteMask};

use super::cursor::{Steps, whole};
use super::error::{AsmError, AsmErrorKind, Parsed};
use super::operand::{INFO_RETURNS, SAMPLEINFO_UINT, is_binding};
use crate::names::{Dimension, ReturnType};
use crate::tokens::opcode::{Opcode, Type};
use crate::tokens::operand::{Components, Index, MAX_DEPTH, Modifier, Operand, OperandKind};
use crate::tokens::program::{ExtendedOpcode, Instruction, MAX_INSTRUCTION, ProgramVersion, field};
use crate::words::halves;

pub(super) fn parse_line(text: &str, version: ProgramVersion) -> Option<Instruction> {
    let mut cursor = Cursor::new(text);
    let instruction = parse(&mut cursor, version).ok()?;
    cursor.at_line_end().then_some(instruction)
}

pub(super) fn parse(cursor: &mut Cursor<'_>, version: ProgramVersion) -> Parsed<Instruction> {
    cursor.blank();
    let start = *cursor;
    if cursor.take(".words") {
        let mut words = Vec::new();
        while !cursor.at_line_end() {
            words.push(cursor.number()?);
        }
        let wrong = |error| start.error(AsmErrorKind::Words(error));
        return Instruction::from_words(&words, version).map_err(wrong);
    }
    let name = cursor.name();
    let mut parser = Parser { cursor, version, size: None };
    let instruction = match parser.declaration(name, start)? {
        Some(declaration) => declaration,
        None => parser.instruction(name, start)?,
    };
    let words = instruction.to_words().len();
    if words > MAX_INSTRUCTION && instruction.opcode() != Opcode::Customdata {
        return Err(start.error(AsmErrorKind::TooLong(words)));
    }
    Ok(instruction)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Destination,
    Source,
    Declared,
}

pub(super) struct Parser<'c, 'a> {
    pub(super) cursor: &'c mut Cursor<'a>,
    pub(super) version: ProgramVersion,
    /// The size of a constant buffer; shader model 5.1 prints the size like an additional index.
    pub(super) size: Option<u32>,
}

/// Mnemonic suffixes that set a field. If two suffixes end alike, the longer comes first.
const SUFFIXES: &str = "_indexable _aoffimmi _sat _nz _z _uint _rcpFloat";

impl<'a> Parser<'_, 'a> {
    pub(super) fn fail<T>(&self, kind: AsmErrorKind) -> Parsed<T> {
        Err(self.cursor.error(kind))
    }

    fn instruction(&mut self, name: &'a str, start: Cursor<'a>) -> Parsed<Instruction> {
        let (opcode, suffixes) = split(name).ok_or_else(|| unknown(name, start))?;
        let mut instruction = Instruction::new(opcode);
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
                self.cursor.expect(",")?;
            }
            let role = if number < destinations { Role::Destination } else { Role::Source };
            let operand = self.operand(kind, role, 0)?;
            instruction.operands.push(operand);
        }
        Ok(instruction)
    }

    fn precise(&mut self, instruction: &mut Instruction) -> Parsed {
        self.cursor.blank();
        if !self.cursor.take("[precise") {
            return Ok(());
        }
        let mut mask = WriteMask::ALL;
        if self.cursor.take("(") {
            let letters = self.cursor.name();
            let bad = || self.cursor.error(AsmErrorKind::Components(letters.to_owned()));
            mask = mask_of(letters).ok_or_else(bad)?;
            self.cursor.expect(")")?;
        }
        instruction.set_control(field::PRECISE, mask.bits().into());
        self.cursor.expect("]")
    }

    fn offsets(&mut self) -> Parsed<[i8; 3]> {
        let mut offsets = [0; 3];
        for (slot, before) in offsets.iter_mut().zip(["(", ",", ","]) {
            self.cursor.expect(before)?;
            let number = self.cursor.number()?;
            *slot = match i8::try_from(number.cast_signed()) {
                Ok(offset @ -8..=7) => offset,
                _ => return self.fail(AsmErrorKind::Expected("an offset from -8 to 7")),
            };
        }
        self.cursor.expect(")")?;
        Ok(offsets)
    }

    fn dimension(&mut self) -> Parsed<ExtendedOpcode> {
        self.cursor.expect("(")?;
        let dimension = self.coded(Dimension::NAMES)?;
        let mut stride = 0;
        if dimension == Dimension::StructuredBuffer.code() {
            self.cursor.expect(",")?;
            self.cursor.expect("stride=")?;
            stride = self.cursor.number()?;
        }
        self.cursor.expect(")")?;
        Ok(ExtendedOpcode::Resource(dimension, stride))
    }

    pub(super) fn return_types(&mut self) -> Parsed<[u32; 4]> {
        let mut types = [0; 4];
        for (slot, before) in types.iter_mut().zip(["(", ",", ",", ","]) {
            self.cursor.expect(before)?;
            *slot = self.coded(ReturnType::NAMES)?;
        }
        self.cursor.expect(")")?;
        Ok(types)
    }

    /// Parses a name from a table, or its numeric code.
    pub(super) fn coded(&mut self, names: &[(u32, &'static str)]) -> Parsed<u32> {
        self.cursor.blank();
        let before = *self.cursor;
        let belongs = |c: char| c.is_ascii_alphanumeric() || "_<>".contains(c);
        let word = self.cursor.word(belongs);
        let named = names.iter().find(|(_, name)| *name == word);
        let near = || nearest(word, names.iter().map(|(_, name)| *name));
        let wrong = || before.error(AsmErrorKind::Word(word.to_owned()));
        let unknown = || wrong().suggest(near());
        let code = named.map(|(code, _)| *code).or_else(|| whole(word));
        code.ok_or_else(unknown)
    }

    pub(super) fn operand(&mut self, kind: Type, role: Role, depth: u32) -> Parsed<Operand> {
        if depth > MAX_DEPTH {
            return self.fail(AsmErrorKind::Nesting);
        }
        self.cursor.blank();
        let neg = self.cursor.take("-");
        let abs = self.cursor.take("|");
        let before = *self.cursor;
        let name = self.cursor.word(|c| c.is_ascii_alphabetic());
        let operand = match (name, self.cursor.rest().starts_with('(')) {
            ("l", true) => self.immediate(kind)?,
            ("d", true) => self.doubles()?,
            ("l" | "d", false) => return self.fail(AsmErrorKind::Expected("`(` and values")),
            _ => self.register(name, before, role, depth)?,
        };
        if abs {
            self.cursor.expect("|")?;
        }
        Ok(operand.modified(Modifier { abs, neg }))
    }

    fn register(
        &mut self,
        name: &'a str,
        before: Cursor<'a>,
        role: Role,
        depth: u32,
    ) -> Parsed<Operand> {
        let known = OperandKind::ALL.iter().copied().find(|kind| {
            kind.name() == name || kind.name().to_ascii_uppercase() == name && is_binding(*kind)
        });
        let Some(kind) = known else {
            let names = OperandKind::ALL.iter().map(|kind| kind.name());
            let error = before.error(AsmErrorKind::Register(name.to_owned()));
            return Err(error.suggest(nearest(name, names)));
        };
        let mut indices = Vec::new();
        if self.cursor.rest().starts_with(|c: char| c.is_ascii_digit()) {
            indices.push(Index::constant(self.cursor.number()?));
        }
        while self.cursor.take("[") {
            if indices.len() > 3 {
                return self.fail(AsmErrorKind::Nesting);
            }
            self.index(&mut indices, depth)?;
        }
        self.size = indices.get(3).and_then(Index::fixed);
        let components = self.components(kind, role)?;
        Ok(Operand::new(kind, components).indexed(indices))
    }

    fn index(&mut self, indices: &mut Vec<Index>, depth: u32) -> Parsed {
        self.cursor.blank();
        let number = |c: char| c.is_ascii_digit() || c == '-';
        if self.cursor.rest().starts_with(number) {
            indices.push(Index::constant(self.cursor.number()?));
            if self.cursor.take(":") {
                // Parses the range of slots of a binding.
                let unbounded = self.cursor.take("unbounded");
                let last = if unbounded { u32::MAX } else { self.cursor.number()? };
                indices.push(Index::constant(last));
            }
        } else {
            let relative = self.operand(Type::I, Role::Source, depth.saturating_add(1))?;
            self.cursor.blank();
            let offset = if self.cursor.take("+") { self.cursor.number()? } else { 0 };
            indices.push(Index::relative_to(relative, offset));
        }
        self.cursor.expect("]")
    }

    /// Parses a component suffix and encodes it like fxc ([hs50.operand.fxc]).
    fn components(&mut self, kind: OperandKind, role: Role) -> Parsed<Components> {
        use OperandKind as Kind;
        if !self.cursor.take(".") {
            use OperandKind::{CoverageMask, Depth, DepthGreaterEqual, DepthLessEqual};
            let binding = is_binding(kind) && self.version.minor > 0;
            return Ok(match (kind, role) {
                (Kind::ConstantBuffer, Role::Declared) => Components::Swizzle(Swizzle::IDENTITY),
                (_, Role::Declared) if binding => Components::Swizzle(Swizzle::IDENTITY),
                (Kind::PrimitiveId | Kind::OutputControlPointId, Role::Source) => Components::One,
                (Depth | DepthGreaterEqual | DepthLessEqual | CoverageMask, _) => Components::One,
                _ => Components::None,
            });
        }
        let before = *self.cursor;
        let letters = self.cursor.name();
        let bad = || before.error(AsmErrorKind::Components(letters.to_owned()));
        if role != Role::Source {
            return mask_of(letters).map(Components::Mask).ok_or_else(bad);
        }
        Ok(match Component::list(letters).ok_or_else(bad)?[..] {
            [one] => Components::Select(one),
            ref list => Components::Swizzle(Swizzle::repeating(list)),
        })
    }

    fn immediate(&mut self, kind: Type) -> Parsed<Operand> {
        let before = *self.cursor;
        let values = self.list("(", ")", |parser| parser.value(kind))?;
        match values.len() {
            1 | 4 => Ok(Operand::immediate(values)),
            count => Err(before.error(AsmErrorKind::ValueCount(count))),
        }
    }

    pub(super) fn list<T>(
        &mut self,
        open: &'static str,
        close: &'static str,
        mut one: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        self.cursor.expect(open)?;
        let mut list = vec![one(self)?];
        self.cursor.blank();
        while self.cursor.take(",") {
            list.push(one(self)?);
            self.cursor.blank();
        }
        self.cursor.expect(close)?;
        Ok(list)
    }

    pub(super) fn value(&mut self, kind: Type) -> Parsed<u32> {
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
        value.ok_or_else(|| before.error(AsmErrorKind::Number(word.to_owned())))
    }

    fn doubles(&mut self) -> Parsed<Operand> {
        let before = *self.cursor;
        let values = self.list("(", ")", |parser| {
            parser.cursor.blank();
            let belongs = |c: char| c.is_ascii_alphanumeric() || ".+-".contains(c);
            let word = parser.cursor.word(belongs);
            let number = word.trim_end_matches('l').parse::<f64>();
            number.or_else(|_| parser.fail(AsmErrorKind::Number(word.to_owned())))
        })?;
        let components = match values.len() {
            1 => Components::One,
            2 => Components::Mask(WriteMask::EMPTY),
            count => return Err(before.error(AsmErrorKind::ValueCount(count))),
        };
        let mut operand = Operand::new(OperandKind::Immediate64, components);
        operand.values = values.into_iter().flat_map(|value| halves(value.to_bits())).collect();
        Ok(operand)
    }
}

fn mask_of(letters: &str) -> Option<WriteMask> {
    let list = Component::list(letters)?;
    list.is_sorted_by(|a, b| a.bits() < b.bits()).then(|| list.into_iter().collect())
}

fn split(name: &str) -> Option<(Opcode, Vec<&str>)> {
    let mut rest = name;
    let mut suffixes = Vec::new();
    loop {
        if let Some(opcode) = Opcode::from_name(rest).filter(|opcode| !opcode.is_declaration()) {
            return Some((opcode, suffixes));
        }
        let suffix = SUFFIXES.split(' ').find(|suffix| rest.ends_with(suffix))?;
        rest = rest.strip_suffix(suffix)?;
        suffixes.push(suffix);
    }
}

/// Sets the return type field for the suffix `_uint` or `_rcpFloat`.
fn set_info(instruction: &mut Instruction, flag: &str) {
    let known = INFO_RETURNS.iter().find(|(_, name)| *name == flag);
    let code = match instruction.opcode() {
        Opcode::Sampleinfo => SAMPLEINFO_UINT,
        _ => known.map_or(0, |(code, _)| *code),
    };
    instruction.set_control(field::VALUE, code);
}

#[cold]
pub(super) fn unknown(name: &str, start: Cursor<'_>) -> AsmError {
    let names = Opcode::ALL.iter().map(|opcode| opcode.name());
    let error = start.error(AsmErrorKind::Opcode(name.to_owned()));
    error.suggest(nearest(name, names))
}
