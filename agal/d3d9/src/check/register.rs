//! Rules 10 to 19: registers, reads of them, and read ports.

use super::Checker;
use super::rule::Rule;
use super::state::is_interface;
use crate::opcode::{Flow, Kind, Opcode, Texture};
use crate::operand::{Index, Source, WriteMask};
use crate::program::{Instruction, MAX_SOURCES};
use crate::reads::{self, Read};
use crate::register::{Access, File, Register, Relative};
use crate::version::Version;

/// Whether ps_2_0 allows only one read of `t#` per instruction, as d3d9-registers.tsv says. Microsoft's own compiler
/// reads one twice (`dp3 r0.x, t1, t1` in the shared shader EffectParam_reflect_PS), so this limit isn't checked.
const TEXTURE_READS: bool = false;

impl Checker<'_> {
    /// The number of registers in a file, with the device's capabilities.
    fn count(&self, file: File) -> u16 {
        let caps = &self.options.caps;
        let count = file.info(self.version).map_or(0, |info| info.count);
        match (file, self.version) {
            (File::Temp, Version::Vs2x) => caps.vertex.temporaries,
            (File::Temp, Version::Ps2x) => caps.pixel.temporaries,
            (File::Const, version) if version.is_vertex() => count.max(caps.vertex_constants),
            _ => count,
        }
    }

    /// The register of an operand, if the version has it; otherwise reports a finding.
    fn known(&mut self, register: Option<Register>, kind: u8, relative: bool) -> Option<Register> {
        let version = self.version;
        let Some(register) = register.filter(|register| register.info(version).is_some()) else {
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
            if !relative {
                let message =
                    format!("{register} does not exist: {version} has only {count} {name}#");
                self.error(Rule::Range, message);
                return None;
            }
            let message = format!("the index base {register} is past the last {name}#");
            self.warning(Rule::IndexRange, message);
        } else if (register.file, version) == (File::Const, Version::Vs11) && register.number >= 96
        {
            let message = format!("{register} may not exist: devices guarantee only 96 constants");
            self.warning(Rule::Range, message);
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
        let fine = match register.info(self.version).map(|info| info.access) {
            Some(Access::Write | Access::WriteIndex) => !setp,
            Some(Access::ReadWrite) => (file == File::Predicate) == setp,
            _ => false,
        };
        if !fine {
            let message = match file {
                File::Predicate => "only `setp` can write p0".to_owned(),
                _ if setp => "`setp` can write only p0".to_owned(),
                _ => format!("`{name}` can't write {register}"),
            };
            self.error(Rule::Access, message);
        }
        let relative = instruction.dest.is_some_and(|dest| dest.is_relative());
        if relative && file != File::Output {
            let message = format!("{}# can't be indexed as a destination", file.name());
            self.error(Rule::Relative, message);
        }
        if let Some(index) = instruction.dest.and_then(|dest| dest.index(self.version)) {
            self.indexed(index);
        }
        if is_interface(file, self.version) && fine {
            self.needs_declaration(register, reads::written(instruction), relative);
        }
    }

    fn needs_declaration(&mut self, register: Register, used: WriteMask, relative: bool) {
        if relative {
            if !self.declared.has_file(register.file) {
                let name = register.file.name();
                self.error(Rule::Undeclared, format!("{name}# is indexed, but none is declared"));
            }
            return;
        }
        let Some(mask) = self.declared.mask(register) else {
            self.error(Rule::Undeclared, format!("{register} is not declared"));
            return;
        };
        if !mask.contains_all(used) {
            let rule = match register.file {
                File::Output => Rule::Outputs,
                _ => Rule::Undeclared,
            };
            let more = used.without(mask);
            self.error(rule, format!("{register}.{more} is not declared"));
        }
    }

    /// Checks whether the operand is allowed at this place.
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
        let access = register.info(self.version).map(|info| info.access);
        let wanted: Option<&[File]> = match (opcode.kind(), place) {
            (Kind::Flow(Flow::Call | Flow::CallNz | Flow::Label), 0) => Some(&[File::Label]),
            (Kind::Flow(Flow::CallNz | Flow::If), _) => Some(&[File::Boolean, File::Predicate]),
            (Kind::Flow(Flow::Loop), 0) => Some(&[File::Loop]),
            (Kind::Flow(Flow::Loop | Flow::Rep), _) => Some(&[File::Integer]),
            (Kind::Flow(Flow::BreakPredicate), _) => Some(&[File::Predicate]),
            (Kind::Texture(Texture::Load | Texture::LoadLevel | Texture::LoadGradient), 1) => {
                Some(&[File::Sampler])
            }
            _ => None,
        };
        match wanted {
            Some(wanted) if !wanted.contains(&file) => {
                let wanted: Vec<&str> = wanted.iter().map(|file| file.name()).collect();
                let wanted = wanted.join(" or ");
                let message = format!("`{name}` needs {wanted} here, not {register}");
                self.error(Rule::Misplaced, message);
            }
            None => match access {
                Some(Access::Read | Access::ReadWrite) if file != File::Predicate => {}
                Some(Access::Write) => {
                    self.error(Rule::Access, format!("{register} can't be read"));
                }
                _ => {
                    let message = format!("`{name}` can't read {register}");
                    self.error(Rule::Misplaced, message);
                }
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
        let allowed = register.info(self.version).map(|info| info.relative);
        let index = source.index(self.version);
        let fine = matches!(
            (allowed, index),
            (Some(Relative::AddressOrLoop), Some(_))
                | (Some(Relative::AddressX), Some(Index::Address(_)))
                | (Some(Relative::Loop), Some(Index::Loop))
        );
        let Some(index) = index else {
            return; // invalid index words are reported as reserved bits
        };
        if fine && !matches!(opcode.kind(), Kind::Flow(Flow::Call | Flow::CallNz | Flow::Label)) {
            return self.indexed(index);
        }
        let name = register.file.name();
        let by = match index {
            Index::Address(_) => "a0",
            Index::Loop => "aL",
        };
        let message = format!("{name}# can't be indexed by {by} in {}", self.version);
        self.error(Rule::Relative, message);
    }

    /// Checks a read of the index register.
    fn indexed(&mut self, index: Index) {
        match index {
            Index::Loop if !self.flow.in_loop_with_counter() => {
                self.error(Rule::Misplaced, "aL is read outside of a loop");
            }
            Index::Loop => {}
            Index::Address(component) => {
                let address = Register::new(File::Address, 0);
                if !self.written.get(address).contains(component) {
                    let letter = component.letter();
                    let message = format!("a0.{letter} is read before it is written");
                    self.error(Rule::Uninitialized, message);
                }
            }
        }
    }

    /// Checks that the components read are declared or written.
    fn content(&mut self, instruction: &Instruction, read: &Read) {
        let register = read.register;
        let file = register.file;
        // Another rule reports registers that don't exist.
        if register.number >= self.count(file) {
            return;
        }
        if is_interface(file, self.version) {
            self.needs_declaration(register, read.components, read.relative);
        }
        // `texkill` of ps_1_x tests the interpolated coordinate, which is never written.
        let killed = matches!(instruction.opcode.kind(), Kind::Texture(Texture::Kill));
        let coordinate = file == File::Texture && killed;
        if reads::is_tracked(file, self.version) && !coordinate && file != File::Address {
            let there = self.written.get(register);
            if !there.contains_all(read.components) {
                let missing = read.components.without(there);
                let rule =
                    if killed && !there.is_empty() { Rule::Kill } else { Rule::Uninitialized };
                self.error(rule, format!("{register}.{missing} is read before it is written"));
            }
        }
    }

    /// Rules 15 and 16: read ports.
    fn ports(&mut self, instruction: &Instruction) {
        let (version, name) = (self.version, instruction.opcode.name(self.version));
        let exempt = instruction.opcode == Opcode::SinCos && version.major() == 2;
        let mut operands = [None; MAX_SOURCES];
        for (operand, source) in operands.iter_mut().zip(instruction.sources()) {
            let register = source.register(version);
            *operand = register.map(|register| (register, source.index));
        }
        let file_of = |operand: &Option<(Register, _)>| operand.map(|(register, _)| register.file);
        for (place, operand) in operands.iter().enumerate() {
            // Counts each file once, at its first operand.
            let before = operands.iter().take(place);
            let Some(file) = file_of(operand).filter(|_| !exempt) else {
                continue;
            };
            let Some(info) = file.info(version) else {
                continue;
            };
            if before.into_iter().any(|other| file_of(other) == Some(file)) {
                continue;
            }
            let same = || operands.iter().enumerate().filter(|(_, o)| file_of(o) == Some(file));
            let new = |place: usize, operand: &Option<_>| {
                let mut before = operands.iter().take(place);
                !before.any(|other| other == operand)
            };
            let found = same().filter(|(place, operand)| new(*place, operand)).count();
            let count = same().count();
            let over = |limit: Option<u8>, found| limit.is_some_and(|limit| found > limit.into());
            let reads = TEXTURE_READS || file != File::Texture;
            first! { self;
                error Ports if over(info.ports, found) => "`{name}` reads {found} different {}#", file.name();
                error Reads if over(info.reads, count) && reads => "`{name}` reads {}# {count} times", file.name();
            }
        }
        self.index_reads(instruction, name);
    }

    /// Checks how often `a0` and `aL` are read as indices.
    fn index_reads(&mut self, instruction: &Instruction, name: &str) {
        for (file, is) in [(File::Address, false), (File::Loop, true)] {
            let limit = file.info(self.version).and_then(|info| info.reads);
            let sources = instruction.sources().iter();
            let indices = sources.filter_map(|source| source.index(self.version));
            let count = indices.filter(|index| (*index == Index::Loop) == is).count();
            if limit.is_some_and(|limit| count > limit.into()) {
                let message = format!("`{name}` reads {} {count} times", file.name());
                self.error(Rule::Reads, message);
            }
        }
    }

    /// Marks the components that the instruction writes.
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
            // A relative destination may be any register of the file, so all count as written.
            for number in 0..16 {
                let output = Register::new(register.file, number);
                self.written.add(output, dest.mask());
            }
            return;
        }
        self.written.add(register, reads::written(instruction));
        if instruction.opcode == Opcode::Sgn && self.version.major() == 2 {
            // `sgn` leaves its scratch registers undefined.
            for place in [1, 2] {
                if let Some(scratch) = instruction.source(place).register(self.version) {
                    self.written.set(scratch, WriteMask::EMPTY);
                }
            }
        }
    }
}
