//! Declarations of a text.

use agal::text::{Cursor, nearest};

use super::cursor::Steps;
use super::error::{AsmError, AsmErrorKind};
use super::instruction::{CONSTANTS, CONSTANTS_NAME};
use super::parse::{Parser, Role, unknown};
use crate::names::{
    Dimension, Domain, GlobalFlag, Interpolation, OutputPrimitive, Partitioning, SamplerMode,
    SystemName,
};
use crate::opcode::{Opcode, Type};
use crate::operand::Operand;
use crate::program::Instruction;

impl<'a> Parser<'_, 'a> {
    /// A declaration, if the name is one.
    pub(super) fn declaration(
        &mut self,
        name: &'a str,
        start: Cursor<'a>,
    ) -> Result<Option<Instruction>, AsmError> {
        if name == CONSTANTS_NAME {
            return self.constants().map(Some);
        }
        for (prefix, opcode) in [
            ("dcl_resource_", Opcode::DclResource),
            ("dcl_uav_typed_", Opcode::DclUavTyped),
        ] {
            let dimension = name.strip_prefix(prefix).and_then(Dimension::from_name);
            let typed = dimension
                .filter(|d| !matches!(d, Dimension::RawBuffer | Dimension::StructuredBuffer));
            if let Some(dimension) = typed {
                return self.typed(opcode, dimension).map(Some);
            }
        }
        // Spellings of the old SDK (hs-5-0.md, R30).
        let name = match name {
            "dcl_output_sv" => "dcl_output_siv",
            "dcl_indexRange" => "dcl_indexrange",
            name => name,
        };
        let Some(opcode) = Opcode::from_name(name).filter(|opcode| opcode.is_declaration()) else {
            return Ok(None);
        };
        let mut instruction = Instruction::new(opcode);
        match self.declare(&mut instruction)? {
            true => Ok(Some(instruction)),
            false => Err(unknown(name, start)),
        }
    }

    fn declared(&mut self, instruction: &mut Instruction) -> Result<(), AsmError> {
        let operand = self.operand(Type::R, Role::Declared, 0)?;
        instruction.operands.push(operand);
        Ok(())
    }

    /// `, space=N` of shader model 5.1.
    fn space(&mut self, instruction: &mut Instruction) -> Result<(), AsmError> {
        if self.version.minor > 0 {
            self.cursor.expect(",")?;
            self.cursor.expect("space=")?;
            instruction.extra.push(self.cursor.number()?);
        }
        Ok(())
    }

    /// What follows a declaration's name; false if it has no words.
    fn declare(&mut self, instruction: &mut Instruction) -> Result<bool, AsmError> {
        use Opcode::*;
        match instruction.opcode() {
            DclInput | DclOutput => self.declared(instruction)?,
            DclResourceRaw | DclUavRaw => {
                self.declared(instruction)?;
                self.space(instruction)?;
            }
            DclInputPs | DclInputPsSgv | DclInputPsSiv => {
                self.interpolation(instruction);
                self.declared(instruction)?;
                if instruction.opcode() != DclInputPs {
                    self.system_name(instruction)?;
                }
            }
            DclInputSgv | DclInputSiv | DclOutputSgv | DclOutputSiv => {
                self.declared(instruction)?;
                self.system_name(instruction)?;
            }
            DclIndexrange => self.index_range(instruction)?,
            DclTemps | DclHsForkPhaseInstanceCount | DclHsJoinPhaseInstanceCount => {
                instruction.extra.push(self.cursor.number()?);
            }
            DclIndexableTemp => {
                for before in ["x", "[", "],"] {
                    self.cursor.expect(before)?;
                    instruction.extra.push(self.cursor.number()?);
                }
            }
            DclConstantbuffer => {
                self.declared(instruction)?;
                if self.version.minor > 0 {
                    match self.size {
                        Some(size) => instruction.extra.push(size),
                        None => {
                            return self
                                .fail(AsmErrorKind::Expected("the size of the constant buffer"));
                        }
                    }
                }
                self.cursor.expect(",")?;
                let dynamic = self.one_of(&["immediateIndexed", "dynamicIndexed"])?;
                instruction.set_control(11, dynamic);
                self.space(instruction)?;
            }
            DclSampler => {
                self.declared(instruction)?;
                self.cursor.expect(",")?;
                let names = SamplerMode::ALL.iter().map(|mode| mode.name());
                let mode = self.coded(SamplerMode::from_name, SamplerMode::code, names)?;
                instruction.set_control(11, mode);
                self.space(instruction)?;
            }
            DclResourceStructured | DclUavStructured => {
                self.declared(instruction)?;
                self.cursor.expect(",")?;
                instruction.extra.push(self.cursor.number()?);
                self.space(instruction)?;
            }
            DclGlobalFlags => self.global_flags(instruction)?,
            _ => return self.hull_state(instruction),
        }
        Ok(true)
    }

    fn interpolation(&mut self, instruction: &mut Instruction) {
        self.cursor.blank();
        // Some names begin others: the longest counts.
        let longest = Interpolation::ALL
            .iter()
            .filter(|mode| {
                self.cursor
                    .rest()
                    .strip_prefix(mode.name())
                    .is_some_and(|rest| rest.starts_with(' '))
            })
            .max_by_key(|mode| mode.name().len());
        if let Some(mode) = longest {
            self.cursor.take(mode.name());
            instruction.set_control(11, mode.code());
        }
    }

    /// `, NAME` of a system value.
    fn system_name(&mut self, instruction: &mut Instruction) -> Result<(), AsmError> {
        self.cursor.expect(",")?;
        let names = SystemName::ALL.iter().map(|name| name.name());
        let code = self.coded(SystemName::from_name, SystemName::token, names)?;
        instruction.extra.push(code);
        Ok(())
    }

    /// `o0.x 4`, or `o[0], o[3]` of the old SDK.
    fn index_range(&mut self, instruction: &mut Instruction) -> Result<(), AsmError> {
        self.declared(instruction)?;
        self.cursor.blank();
        if !self.cursor.take(",") {
            instruction.extra.push(self.cursor.number()?);
            return Ok(());
        }
        let last = self.operand(Type::R, Role::Declared, 0)?;
        let number = |operand: Option<&Operand>| operand?.indices.last()?.fixed();
        match (number(instruction.register()), number(Some(&last))) {
            (Some(first), Some(last)) if last >= first => {
                instruction
                    .extra
                    .push(last.saturating_sub(first).saturating_add(1));
                Ok(())
            }
            _ => self.fail(AsmErrorKind::Expected("the range's last register")),
        }
    }

    /// The place of a word among some.
    fn one_of(&mut self, words: &[&'static str]) -> Result<u32, AsmError> {
        self.cursor.blank();
        let before = *self.cursor;
        let word = self.cursor.name();
        match words.iter().position(|known| *known == word) {
            Some(place) => Ok(u32::try_from(place).unwrap_or(0)),
            None => {
                let near = nearest(word, words.iter().copied());
                Err(before
                    .error(AsmErrorKind::Word(word.to_owned()))
                    .suggest(near))
            }
        }
    }

    fn global_flags(&mut self, instruction: &mut Instruction) -> Result<(), AsmError> {
        let names = || GlobalFlag::ALL.iter().map(|flag| flag.name());
        while !self.cursor.at_line_end() {
            let bit = self.coded(GlobalFlag::from_name, GlobalFlag::code, names())?;
            instruction.set_control(bit, 1);
            self.cursor.blank();
            if !self.cursor.take("|") {
                break;
            }
        }
        Ok(())
    }

    /// The tessellator's state.
    fn hull_state(&mut self, instruction: &mut Instruction) -> Result<bool, AsmError> {
        use Opcode::*;
        let value = match instruction.opcode() {
            DclInputControlPointCount | DclOutputControlPointCount => {
                let before = *self.cursor;
                match self.cursor.number()? {
                    count @ 0..=63 => count,
                    _ => return Err(before.error(AsmErrorKind::Expected("a count of 6 bits"))),
                }
            }
            DclTessellatorDomain => self.coded(
                Domain::from_name,
                Domain::code,
                Domain::ALL.iter().map(|d| d.name()),
            )?,
            DclTessellatorPartitioning => {
                let names = Partitioning::ALL.iter().map(|p| p.name());
                self.coded(Partitioning::from_name, Partitioning::code, names)?
            }
            DclTessellatorOutputPrimitive => {
                let names = OutputPrimitive::ALL.iter().map(|p| p.name());
                self.coded(OutputPrimitive::from_name, OutputPrimitive::code, names)?
            }
            DclHsMaxTessfactor => {
                self.cursor.blank();
                self.cursor.expect("l")?;
                let values = self.list("(", ")", |parser| parser.value(Type::F))?;
                instruction.extra.extend(values.first());
                return Ok(true);
            }
            _ => return Ok(false),
        };
        instruction.set_control(11, value);
        Ok(true)
    }

    fn typed(&mut self, opcode: Opcode, dimension: Dimension) -> Result<Instruction, AsmError> {
        let mut instruction = Instruction::new(opcode);
        instruction.set_control(11, dimension.code());
        if matches!(
            dimension,
            Dimension::Texture2dMs | Dimension::Texture2dMsArray
        ) {
            self.cursor.expect("(")?;
            let samples = self.cursor.number()?;
            instruction.set_control(16, samples & 0x7f);
            self.cursor.expect(")")?;
        }
        let types = self.return_types()?;
        self.declared(&mut instruction)?;
        let word = types
            .iter()
            .rev()
            .fold(0, |word, kind| word << 4 | (kind & 15));
        instruction.extra.push(word);
        self.space(&mut instruction)?;
        Ok(instruction)
    }

    /// The immediate constant buffer, over several lines.
    fn constants(&mut self) -> Result<Instruction, AsmError> {
        let mut instruction = Instruction::new(Opcode::Customdata);
        instruction.set_control(11, CONSTANTS);
        self.cursor.expect("{")?;
        loop {
            self.cursor.space();
            let before = *self.cursor;
            let row = self.list("{", "}", |parser| parser.value(Type::A))?;
            if row.len() != 4 {
                return Err(before.error(AsmErrorKind::ValueCount(row.len())));
            }
            instruction.extra.extend(row);
            self.cursor.space();
            if !self.cursor.take(",") {
                break;
            }
        }
        self.cursor.expect("}")?;
        Ok(instruction)
    }
}
