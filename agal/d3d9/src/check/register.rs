//! Rules 10 to 19: register numbers, reads of registers, and read ports.

use super::D3d9Checker;
use super::rule::D3d9Rule;
use crate::dataflow::{self, RegisterRead};
use crate::declarations::is_interface;
use crate::opcode::{D3d9Opcode, OperandRequirement, Operation, TextureOp};
use crate::operand::{AddressIndex, Source, Swizzle, WriteMask};
use crate::program::D3d9Instruction;
use crate::register::{D3d9Register, FileAccess, RelativeAddressing, ShaderFile};
use crate::version::ShaderVersion;

impl OperandRequirement {
    /// Returns the register files that only this operand type accepts; empty for arithmetic sources.
    fn files(self) -> &'static [ShaderFile] {
        match self {
            OperandRequirement::Label => &[ShaderFile::Label],
            OperandRequirement::Flag => &[ShaderFile::Boolean, ShaderFile::Predicate],
            OperandRequirement::Counter => &[ShaderFile::Loop],
            OperandRequirement::Integer => &[ShaderFile::Integer],
            OperandRequirement::Predicate => &[ShaderFile::Predicate],
            OperandRequirement::Sampler => &[ShaderFile::Sampler],
            OperandRequirement::Of(_)
            | OperandRequirement::Bits(_)
            | OperandRequirement::Scalar
            | OperandRequirement::Scratch => &[],
            OperandRequirement::Coordinate | OperandRequirement::CoordinateAndW => &[],
        }
    }
}

impl D3d9Checker<'_> {
    /// Returns the number of registers in a register file, which may depend on the device's capabilities.
    pub(super) fn count(&self, file: ShaderFile) -> u16 {
        let count = file.info(self.version).map_or(0, |info| info.count);
        match (file, self.version) {
            (ShaderFile::Temp, ShaderVersion::Vs2x) => self.caps.vertex.temporaries,
            (ShaderFile::Temp, ShaderVersion::Ps2x) => self.caps.pixel.temporaries,
            (ShaderFile::Const, version) if version.is_vertex() => count.max(256),
            _ => count,
        }
    }

    /// Returns the operand's register. If the version lacks the register, reports a finding.
    fn known(
        &mut self,
        register: Option<D3d9Register>,
        kind: u8,
        relative: bool,
    ) -> Option<D3d9Register> {
        let version = self.version;
        let Some(known) = register.filter(|register| register.info(version).is_some()) else {
            let message = match register {
                Some(register) => format!("{version} has no register {register}"),
                None => format!("{version} has no registers of type {kind}"),
            };
            self.error(D3d9Rule::Range, message);
            return None;
        };
        let (count, name) = (self.count(known.file), known.file.name());
        let beyond = known.number >= count;
        let rare =
            (known.file, version) == (ShaderFile::Const, ShaderVersion::Vs11) && known.number >= 96;
        report! { self;
            error Range if beyond && !relative => "{known} does not exist: {version} has only {count} {name}#";
            warning IndexRange if beyond => "the index base {known} is past the last {name}#";
            warning Range if rare => "{known} may not exist: devices guarantee only 96 constants";
        }
        Some(known).filter(|_| !beyond || relative)
    }

    pub(super) fn destination(&mut self, instruction: &D3d9Instruction) -> Option<D3d9Register> {
        let dest = instruction.dest?;
        self.known(dest.register(self.version), dest.kind(), dest.is_relative())
    }

    pub(super) fn registers(&mut self, instruction: &D3d9Instruction) {
        if let Some(register) = self.destination(instruction)
            && instruction.opcode.destination_rules().is_some()
        {
            self.written_to(instruction, register);
        }
        for (index, source) in instruction.sources().iter().enumerate() {
            let register = source.register(self.version);
            if let Some(register) = self.known(register, source.kind(), source.is_relative()) {
                self.read_from(instruction.opcode, index, *source, register);
            }
        }
        let dimension = self.declared.dimension(instruction, self.version);
        dataflow::for_each(instruction, self.version, dimension, |read| {
            self.content(instruction, &read);
        });
        if !self.version.is_software() {
            self.ports(instruction);
        }
    }

    fn written_to(&mut self, instruction: &D3d9Instruction, register: D3d9Register) {
        let name = instruction.opcode.name(self.version);
        let file = register.file;
        let (setp, p0) = (instruction.opcode == D3d9Opcode::Setp, file == ShaderFile::Predicate);
        let access = register.info(self.version).map(|info| info.access);
        let allowed = match access {
            Some(FileAccess::Write | FileAccess::WriteIndex) => !setp,
            Some(FileAccess::ReadWrite) => p0 == setp,
            _ => false,
        };
        let relative = instruction.dest.is_some_and(|dest| dest.is_relative());
        report! { self;
            error Access if !allowed && p0 => "only `setp` can write p0";
            error Access if !allowed && setp => "`setp` can write only p0";
            error Access if !allowed => "`{name}` can't write {register}";
        }
        report! { self; error Relative if relative && file != ShaderFile::Output =>
        "{}# can't be indexed as a destination", file.name(); }
        if let Some(index) = instruction.dest.and_then(|dest| dest.index(self.version)) {
            self.indexed(index);
        }
        if is_interface(file, self.version) && allowed {
            self.needs_declaration(register, dataflow::written(instruction), relative);
        }
    }

    fn needs_declaration(&mut self, register: D3d9Register, used: WriteMask, relative: bool) {
        let mask = self.declared.mask(register);
        let none_of_file = self.declared.of_file(register.file).next().is_none();
        let more = used.without(mask.unwrap_or_default());
        let output = register.file == ShaderFile::Output;
        report! { self;
            error Undeclared if relative && none_of_file => "{}# is indexed, but none is declared", register.file.name();
            error Undeclared if !relative && mask.is_none() => "{register} is not declared";
            error Outputs if !relative && !more.is_empty() && output => "{register}.{more} is not declared";
            error Undeclared if !relative && !more.is_empty() => "{register}.{more} is not declared";
        }
    }

    fn read_from(&mut self, opcode: D3d9Opcode, index: usize, source: Source, from: D3d9Register) {
        let file = from.file;
        let name = opcode.name(self.version);
        let takes = opcode.takes().get(index).copied();
        let wanted = takes.map_or::<&[ShaderFile], _>(&[], OperandRequirement::files);
        let access = from.info(self.version).map(|info| info.access);
        let readable = matches!(access, Some(FileAccess::Read | FileAccess::ReadWrite));
        let wrong = if wanted.is_empty() {
            !readable || file == ShaderFile::Predicate
        } else {
            !wanted.contains(&file)
        };
        let names: Vec<&str> = wanted.iter().map(|file| file.name()).collect();
        report! { self;
            error Misplaced if wrong && !wanted.is_empty() => "`{name}` needs {} here, not {from}", names.join(" or ");
            error Access if wrong && access == Some(FileAccess::Write) => "{from} can't be read";
            error Misplaced if wrong => "`{name}` can't read {from}";
        }
        let counts = opcode == D3d9Opcode::Loop && takes == Some(OperandRequirement::Integer);
        let turned = counts && source.swizzle() != Swizzle::IDENTITY;
        report! { self; error Misplaced if turned => "`loop` needs all components of {from}"; }
        let undeclared = file == ShaderFile::Sampler && !self.declared.has_sampler(from.number);
        report! { self; error Undeclared if undeclared => "{from} is not declared"; }
        // The rule about reserved bits reports invalid index dwords.
        if let Some(index) = source.index(self.version) {
            self.relative(from, index, takes == Some(OperandRequirement::Label));
        }
    }

    fn relative(&mut self, register: D3d9Register, index: AddressIndex, label: bool) {
        let relative = register.info(self.version).map(|info| info.relative);
        let allowed = match index {
            AddressIndex::Address(_) => {
                matches!(
                    relative,
                    Some(RelativeAddressing::AddressX | RelativeAddressing::AddressOrLoop)
                )
            }
            AddressIndex::Loop => matches!(
                relative,
                Some(RelativeAddressing::Loop | RelativeAddressing::AddressOrLoop)
            ),
        };
        if allowed && !label {
            return self.indexed(index);
        }
        let by = match index {
            AddressIndex::Address(_) => "a0",
            AddressIndex::Loop => "aL",
        };
        let name = register.file.name();
        self.error(
            D3d9Rule::Relative,
            format!("{name}# can't be indexed by {by} in {}", self.version),
        );
    }

    fn indexed(&mut self, index: AddressIndex) {
        match index {
            AddressIndex::Loop => {
                let outside = !self.flow.in_loop_with_counter();
                report! { self; error Misplaced if outside => "aL is read outside of a loop"; }
            }
            AddressIndex::Address(component) => {
                let written = self.written.get(ShaderFile::Address.at(0));
                report! { self; error Uninitialized if !written.contains(component) =>
                "a0.{} is read before it is written", component.letter(); }
            }
        }
    }

    /// Checks that every component that is read has been declared or written.
    fn content(&mut self, instruction: &D3d9Instruction, read: &RegisterRead) {
        let (register, file) = (read.register, read.register.file);
        // Another rule reports registers that don't exist.
        if register.number >= self.count(file) {
            return;
        }
        if is_interface(file, self.version) {
            self.needs_declaration(register, read.components, read.relative);
        }
        // `texkill` of ps_1_x tests the interpolated coordinate, so `t#` needs no write.
        let killed = instruction.opcode.operation() == Operation::Texture(TextureOp::Kill);
        let coordinate = file == ShaderFile::Texture && killed;
        if dataflow::is_tracked(file, self.version) && !coordinate && file != ShaderFile::Address {
            let there = self.written.get(register);
            let missing = read.components.without(there);
            report! { self;
                error Kill if !missing.is_empty() && killed && !there.is_empty() =>
                    "{register}.{missing} is read before it is written";
                error Uninitialized if !missing.is_empty() => "{register}.{missing} is read before it is written";
            }
        }
    }

    /// Checks rules 15 and 16: the limits of read ports.
    fn ports(&mut self, instruction: &D3d9Instruction) {
        let (version, name) = (self.version, instruction.opcode.name(self.version));
        let over =
            |limit: Option<u8>, found: usize| limit.is_some_and(|limit| found > limit.into());
        if instruction.opcode != D3d9Opcode::SinCos || version.major() != 2 {
            let operands = instruction.sources().iter();
            let operand = |source: &Source| Some((source.register(version)?, source.index));
            let mut operands: Vec<_> = operands.filter_map(operand).collect();
            operands.sort_unstable();
            for same in operands.chunk_by(|(a, _), (b, _)| a.file == b.file) {
                let Some((D3d9Register { file, .. }, _)) = same.first() else { continue };
                let Some(info) = file.info(version) else { continue };
                let different = same.chunk_by(|a, b| a == b).count();
                // The documentation allows one read of `t#` per instruction in ps_2_0, but Microsoft's compiler emits
                // two ([d3d9.rule.16]). The checker doesn't limit reads of `t#`.
                let often = over(info.reads, same.len()) && *file != ShaderFile::Texture;
                report! { self;
                    error Ports if over(info.ports, different) => "`{name}` reads {different} different {}#", file.name();
                    error Reads if often => "`{name}` reads {}# {} times", file.name(), same.len();
                }
            }
        }
        // Checks `a0` and `aL` when they are used as indices.
        for (file, is_loop) in [(ShaderFile::Address, false), (ShaderFile::Loop, true)] {
            let limit = file.info(version).and_then(|info| info.reads);
            let indices = instruction.sources().iter().filter_map(|source| source.index(version));
            let count = indices.filter(|index| (*index == AddressIndex::Loop) == is_loop).count();
            report! { self; error Reads if over(limit, count) => "`{name}` reads {} {count} times", file.name(); }
        }
    }
}
