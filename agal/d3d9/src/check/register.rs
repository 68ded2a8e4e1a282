//! Rules 10 to 19: registers, what is read of them and through which ports.

use super::Checker;
use super::rule::Rule;
use super::state::is_interface;
use super::stream::letters;
use crate::opcode::{Flow, Kind, Opcode, Texture};
use crate::operand::{Index, Source, WriteMask};
use crate::program::{Instruction, MAX_SOURCES};
use crate::reads::{self, Read};
use crate::register::{Access, File, Register, Relative};
use crate::version::Version;

/// Does the limit of one read of `t#` in an instruction of ps_2_0 hold (d3d9-registers.tsv)? Microsoft's own compiler reads
/// one twice (`dp3 r0.x, t1, t1` in the shared shader EffectParam_reflect_PS), so no.
const TEXTURE_READS: bool = false;

impl Checker<'_> {
    /// Registers that the version has of a file, by the device's caps.
    fn count(&self, file: File) -> u16 {
        let caps = &self.options.caps;
        let count = file.cell(self.version).map_or(0, |cell| cell.count);
        match (file, self.version) {
            (File::Temp, Version::Vs2x) => caps.vertex.temporaries,
            (File::Temp, Version::Ps2x) => caps.pixel.temporaries,
            (File::Const, version) if version.is_vertex() => count.max(caps.vertex_constants),
            _ => count,
        }
    }

    /// The register of an operand, if the version has it.
    fn known(&mut self, register: Option<Register>, kind: u8, relative: bool) -> Option<Register> {
        let version = self.version;
        let Some(register) = register.filter(|register| register.cell(version).is_some()) else {
            let message = match register {
                Some(register) => format!("{version} has no register {register}"),
                None => format!("{version} has no registers of type {kind}"),
            };
            self.error(Rule::Range, message);
            return None;
        };
        let count = self.count(register.file);
        if register.number >= count {
            let name = register.file.name();
            if relative {
                let message = format!("index begins at {register}, beyond the last {name}#");
                self.warning(Rule::IndexRange, message);
            } else {
                self.error(
                    Rule::Range,
                    format!("{register}: {version} has only {count} {name}#"),
                );
                return None;
            }
        } else if register.file == File::Const && version == Version::Vs11 && register.number >= 96
        {
            self.warning(
                Rule::Range,
                format!("{register}: devices have 96 constants at least"),
            );
        }
        Some(register)
    }

    pub(super) fn destination(&mut self, instruction: &Instruction) -> Option<Register> {
        let dest = instruction.dest?;
        self.known(dest.register(self.version), dest.kind(), dest.is_relative())
    }

    pub(super) fn registers(&mut self, instruction: &Instruction) {
        if let Some(register) = self.destination(instruction)
            && reads::writes(instruction.opcode)
        {
            self.written_to(instruction, register);
        }
        for (place, source) in instruction.sources().iter().enumerate() {
            let register = source.register(self.version);
            if let Some(register) = self.known(register, source.kind(), source.is_relative()) {
                self.read_from(instruction, place, *source, register);
            }
        }
        let dimension = self.dimension(instruction);
        reads::for_each(instruction, self.version, dimension, |read| {
            self.content(instruction, &read);
        });
        if !self.version.is_software() {
            self.ports(instruction);
        }
    }

    fn written_to(&mut self, instruction: &Instruction, register: Register) {
        let name = instruction.opcode.name(self.version);
        let file = register.file;
        let setp = instruction.opcode == Opcode::Setp;
        let fine = match register.cell(self.version).map(|cell| cell.access) {
            Some(Access::Write | Access::WriteIndex) => !setp,
            Some(Access::ReadWrite) => (file == File::Predicate) == setp,
            _ => false,
        };
        if !fine {
            let message = match file {
                File::Predicate => "p0 is written by setp only".to_owned(),
                _ if setp => "setp writes p0 only".to_owned(),
                _ => format!("`{name}` can't write {register}"),
            };
            self.error(Rule::Access, message);
        }
        if let Some(dest) = instruction.dest
            && dest.is_relative()
            && file != File::Output
        {
            self.error(
                Rule::Relative,
                format!("{}# can't be indexed as a destination", file.name()),
            );
        }
        if let Some(index) = instruction.dest.and_then(|dest| dest.index(self.version)) {
            self.indexed(index, file);
        }
        if is_interface(file, self.version) && fine {
            let mask = reads::written(instruction);
            self.needs_declaration(
                register,
                mask,
                instruction.dest.is_some_and(|d| d.is_relative()),
            );
        }
    }

    fn needs_declaration(&mut self, register: Register, used: WriteMask, relative: bool) {
        let rule = if register.file == File::Output {
            Rule::Outputs
        } else {
            Rule::Undeclared
        };
        if relative {
            if !self.declared.has_file(register.file) {
                let name = register.file.name();
                self.error(Rule::Undeclared, format!("no {name}# is declared"));
            }
            return;
        }
        match self.declared.mask(register) {
            None => self.error(Rule::Undeclared, format!("{register} is not declared")),
            Some(mask) if !mask.contains_all(used) => {
                let more = WriteMask::from_bits(used.bits() & !mask.bits());
                let message = format!("{register}.{} is not declared", letters(more));
                self.error(rule, message);
            }
            Some(_) => {}
        }
    }

    /// Whether the operand may stand here.
    fn read_from(
        &mut self,
        instruction: &Instruction,
        place: usize,
        source: Source,
        register: Register,
    ) {
        let file = register.file;
        let opcode = instruction.opcode;
        let name = opcode.name(self.version);
        let access = register.cell(self.version).map(|cell| cell.access);
        let wanted: Option<&[File]> = match (opcode.kind(), place) {
            (Kind::Flow(Flow::Call | Flow::CallNz | Flow::Label), 0) => Some(&[File::Label]),
            (Kind::Flow(Flow::CallNz), _) | (Kind::Flow(Flow::If), _) => {
                Some(&[File::Boolean, File::Predicate])
            }
            (Kind::Flow(Flow::Loop), 0) => Some(&[File::Loop]),
            (Kind::Flow(Flow::Loop | Flow::Rep), _) => Some(&[File::Integer]),
            (Kind::Flow(Flow::BreakPredicate), _) => Some(&[File::Predicate]),
            (Kind::Texture(Texture::Load), 1)
            | (Kind::Texture(Texture::LoadLevel | Texture::LoadGradient), 1) => {
                Some(&[File::Sampler])
            }
            _ => None,
        };
        match wanted {
            Some(wanted) if !wanted.contains(&file) => {
                let wanted: Vec<&str> = wanted.iter().map(|file| file.name()).collect();
                let message = format!(
                    "`{name}` wants {} here, not {register}",
                    wanted.join(" or ")
                );
                self.error(Rule::Misplaced, message);
            }
            None => match access {
                Some(Access::Read | Access::ReadWrite) if file != File::Predicate => {}
                Some(Access::Write) => {
                    self.error(Rule::Access, format!("{register} can't be read"));
                }
                _ => self.error(
                    Rule::Misplaced,
                    format!("{register} is no operand of `{name}`"),
                ),
            },
            Some(_) => {}
        }
        if file == File::Sampler && !self.declared.has_sampler(register.number) {
            self.error(Rule::Undeclared, format!("{register} is not declared"));
        }
        if source.is_relative() {
            self.relative(register, source, opcode);
        }
    }

    fn relative(&mut self, register: Register, source: Source, opcode: Opcode) {
        let allowed = register.cell(self.version).map(|cell| cell.relative);
        let index = source.index(self.version);
        let fine = matches!(
            (allowed, index),
            (Some(Relative::AddressOrLoop), Some(_))
                | (Some(Relative::AddressX), Some(Index::Address(_)))
                | (Some(Relative::Loop), Some(Index::Loop))
        );
        let flow = matches!(
            opcode.kind(),
            Kind::Flow(Flow::Call | Flow::CallNz | Flow::Label)
        );
        // An index that is none at all has set bits without a meaning.
        if index.is_some() && (!fine || flow) {
            let name = register.file.name();
            let message = match index {
                Some(Index::Address(_)) | None => {
                    format!("{name}# can't be indexed by a0 in {}", self.version)
                }
                Some(Index::Loop) => format!("{name}# can't be indexed by aL in {}", self.version),
            };
            self.error(Rule::Relative, message);
        } else if let Some(index) = index {
            self.indexed(index, register.file);
        }
    }

    /// The index itself is read.
    fn indexed(&mut self, index: Index, _file: File) {
        match index {
            Index::Loop if !self.flow.in_loop_with_counter() => {
                self.error(Rule::Misplaced, "aL outside of a loop");
            }
            Index::Loop => {}
            Index::Address(component) => {
                let address = Register::new(File::Address, 0);
                if !self.written.get(address).contains(component) {
                    let letter = component.letter();
                    self.error(
                        Rule::Uninitialized,
                        format!("a0.{letter} is read before it is written"),
                    );
                }
            }
        }
    }

    /// Whether what is read is there: declared, or written.
    fn content(&mut self, instruction: &Instruction, read: &Read) {
        let register = read.register;
        let file = register.file;
        // Where there is no such register, another rule says so.
        if register.number >= self.count(file) {
            return;
        }
        if is_interface(file, self.version) {
            self.needs_declaration(register, read.components, read.relative);
        }
        // What texkill of ps_1_x tests is the interpolated coordinate.
        let killed = matches!(instruction.opcode.kind(), Kind::Texture(Texture::Kill));
        let coordinate = file == File::Texture && killed;
        if reads::is_tracked(file, self.version) && !coordinate && file != File::Address {
            let there = self.written.get(register);
            if !there.contains_all(read.components) {
                let missing = WriteMask::from_bits(read.components.bits() & !there.bits());
                let rule = if killed && there != WriteMask::EMPTY {
                    Rule::Kill
                } else {
                    Rule::Uninitialized
                };
                let message = format!(
                    "{register}.{} is read before it is written",
                    letters(missing)
                );
                self.error(rule, message);
            }
        }
    }

    /// Rules 15 and 16.
    fn ports(&mut self, instruction: &Instruction) {
        let exempt = instruction.opcode == Opcode::SinCos && self.version.major() == 2;
        let version = self.version;
        let mut operands = [None; MAX_SOURCES];
        for (operand, source) in operands.iter_mut().zip(instruction.sources()) {
            *operand = source
                .register(version)
                .map(|register| (register, source.index));
        }
        let name = instruction.opcode.name(self.version);
        for (place, operand) in operands.iter().enumerate() {
            let Some((Register { file, .. }, _)) = *operand else {
                continue;
            };
            let same = |other: &&Option<(Register, Option<u32>)>| {
                other.is_some_and(|(other, _)| other.file == file)
            };
            // Each file once, at its first operand.
            if operands.iter().take(place).any(|other| same(&other)) {
                continue;
            }
            let Some(cell) = file.cell(self.version) else {
                continue;
            };
            let (mut found, mut count) = (0usize, 0usize);
            for (place, operand) in operands.iter().enumerate().filter(|(_, other)| same(other)) {
                count = count.saturating_add(1);
                let new = !operands.iter().take(place).any(|other| other == operand);
                found = found.saturating_add(new.into());
            }
            let over =
                |limit: Option<u8>, found: usize| limit.is_some_and(|limit| found > limit.into());
            if over(cell.ports, found) && !exempt {
                let message = format!("`{name}` reads {found} different {}#", file.name());
                self.error(Rule::Ports, message);
            } else if over(cell.reads, count) && !exempt && (TEXTURE_READS || file != File::Texture)
            {
                let message = format!("`{name}` reads {}# {count} times", file.name());
                self.error(Rule::Reads, message);
            }
        }
        self.index_reads(instruction, name);
    }

    /// How often `a0` and `aL` are read as indices.
    fn index_reads(&mut self, instruction: &Instruction, name: &str) {
        for (file, is) in [(File::Address, false), (File::Loop, true)] {
            let reads = file.cell(self.version).and_then(|cell| cell.reads);
            let indices = instruction
                .sources()
                .iter()
                .filter_map(|s| s.index(self.version));
            let count = indices
                .filter(|index| (*index == Index::Loop) == is)
                .count();
            if reads.is_some_and(|reads| count > reads.into()) {
                self.error(
                    Rule::Reads,
                    format!("`{name}` reads {} {count} times", file.name()),
                );
            }
        }
    }

    /// Notes what the instruction has written.
    pub(super) fn write(&mut self, instruction: &Instruction) {
        let Some(dest) = instruction.dest else {
            return;
        };
        let Some(register) = dest.register(self.version) else {
            return;
        };
        if !reads::writes(instruction.opcode) {
            return;
        }
        if dest.is_relative() {
            // Any of them may be meant: what is not written is for whoever reads to know.
            for number in 0..16 {
                let output = Register::new(register.file, number);
                self.written.add(output, dest.mask());
            }
            return;
        }
        self.written.add(register, reads::written(instruction));
        if instruction.opcode == Opcode::Sgn && self.version.major() == 2 {
            // The scratch registers hold nothing afterwards.
            for place in [1, 2] {
                if let Some(scratch) = instruction.source(place).register(self.version) {
                    self.written.set(scratch, WriteMask::EMPTY);
                }
            }
        }
    }
}
