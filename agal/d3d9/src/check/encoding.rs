//! Rules 2 to 9: encoding of the token stream, and declarations.

use super::D3d9Checker;
use super::rule::D3d9Rule;
use crate::dataflow;
use crate::declarations::{DeclaredInput, declares_usage, is_interface};
use crate::opcode::{D3d9Opcode, Literal, Operation, TextureOp};
use crate::operand::{DclPayload, PARAMETER, ResultModifiers, SourceModifier, Swizzle, WriteMask};
use crate::program::{D3d9Instruction, D3d9Program};
use crate::register::{D3d9Register, ShaderFile};
use crate::version::ShaderVersion;

impl D3d9Checker<'_> {
    pub(super) fn malformed(&mut self, words: &[u32]) {
        let word = words.first().copied().unwrap_or(0);
        let [low, high, ..] = word.to_le_bytes();
        let opcode = D3d9Opcode::from_code(u16::from_le_bytes([low, high]));
        let name = opcode.map_or("", |opcode| opcode.name(self.version));
        report! { self;
            error Reserved if word & PARAMETER != 0 => "expected an instruction, found an operand: {word:08X}";
            error Reserved if opcode == Some(D3d9Opcode::End) => "the end token has reserved bits set: {word:08X}";
            error Length if opcode.is_some() => "`{name}` is truncated: the shader ends before its last word";
            error Opcode if true => "opcode {} does not exist", word & 0xffff;
        }
    }

    pub(super) fn encoding(&mut self, instruction: &D3d9Instruction) {
        let (version, opcode) = (self.version, instruction.opcode);
        let name = opcode.name(version);
        if !opcode.exists_in(version) {
            let elsewhere = match opcode.range(version.stage()) {
                Some((first, _)) if first > version => format!(" (needs {first})"),
                Some((_, last)) => format!(" (last version: {last})"),
                None => String::new(),
            };
            return self.error(
                D3d9Rule::Opcode,
                format!("`{name}` does not exist in {version}{elsewhere}"),
            );
        }
        let gradients = matches!(
            opcode.operation(),
            Operation::Derivative { .. } | Operation::Texture(TextureOp::LoadGradient)
        );
        let lacking = version == ShaderVersion::Ps2x && !self.caps.pixel.gradients;
        report! { self; error Opcode if gradients && lacking =>
        "`{name}` is not supported: the device has no gradient instructions"; }
        self.length(instruction);
        self.reserved(instruction);
        let control = instruction.control();
        let defined = if opcode.compares() {
            control <= 7 && instruction.comparison().is_some()
        } else if opcode == D3d9Opcode::Tex && version.has_lengths() {
            control <= 2
        } else {
            control == 0 || opcode == D3d9Opcode::Phase
        };
        report! { self; error Control if !defined => "`{name}` has undefined control bits {control:#x}"; }
        let paired = instruction.is_co_issued() && !version.is_ps_1();
        report! { self; error CoIssue if paired => "co-issue exists only in ps_1_x"; }
        let late = opcode.is_declaration() && self.begun;
        report! { self; error Declarations if late => "`{name}` comes after the first executable instruction"; }
        if instruction.is_predicated() {
            self.predicate(instruction);
        }
    }

    fn length(&mut self, instruction: &D3d9Instruction) {
        let opcode = instruction.opcode;
        let claimed = usize::from(instruction.length());
        let sources = opcode.sources(self.version);
        let found = instruction.sources().len();
        // Reference sources disagree about the scratch registers of `sgn` in model 3 ([d3d9.operands.sgn]).
        let disputed = opcode == D3d9Opcode::Sgn && self.version.major() == 3 && found == 1;
        let there = instruction.operand_words().count();
        let surplus = instruction.surplus.len();
        let needed = there.saturating_sub(surplus).saturating_add(sources.saturating_sub(found));
        let predicate = instruction.is_predicated() && instruction.predicate.is_none();
        let lengths = self.version.has_lengths();
        let wrong = surplus > 0 || found != sources && !disputed || predicate || claimed != there;
        report! { self;
            error Length if lengths && wrong => "the instruction length is {claimed} words, but its operands take {needed}";
            error Length if !lengths && claimed != 0 => "the instruction length is {claimed} words, but model 1 has no lengths";
        }
    }

    fn reserved(&mut self, instruction: &D3d9Instruction) {
        let mut wrong = instruction.reserved() != 0;
        if let Some(dest) = instruction.dest {
            wrong |= dest.reserved() != 0 || dest.modifiers().has(8);
            wrong |= dest.is_relative() && dest.index(self.version).is_none();
            wrong |= ![0, 1, 2, 3, 0xd, 0xe, 0xf].contains(&dest.shift_bits());
        }
        for source in instruction.sources().iter().chain(&instruction.predicate) {
            wrong |= source.reserved() != 0 || source.modifier().is_none();
            wrong |= source.is_relative() && source.index(self.version).is_none();
        }
        wrong |= instruction.opcode == D3d9Opcode::Dcl && !self.payload_is_known(instruction);
        let phase = u32::from(D3d9Opcode::Phase.code());
        wrong |= instruction.opcode == D3d9Opcode::Phase && instruction.token != phase;
        report! { self; error Reserved if wrong => "reserved bits are set, or a field has an undefined value"; }
    }

    /// Returns whether a `dcl` payload is valid for the declared register and sets no other bits.
    fn payload_is_known(&self, instruction: &D3d9Instruction) -> bool {
        let declaration = instruction.declaration();
        let Some(D3d9Register { file, .. }) = instruction.dest_register(self.version) else {
            return true; // another rule reports the unknown register
        };
        if file == ShaderFile::Sampler {
            return declaration.dimension().map(DclPayload::sampler) == Some(declaration);
        }
        let usage = declaration.usage();
        let of_usage = usage.map(|usage| DclPayload::usage_of(usage, declaration.usage_index()));
        // In model 2, `dcl` of a pixel shader input may also declare a usage ([d3d9.dcl.usage]).
        let plain = declaration == DclPayload::PLAIN && !declares_usage(file, self.version);
        of_usage == Some(declaration) || plain
    }

    fn predicate(&mut self, instruction: &D3d9Instruction) {
        let (version, opcode) = (self.version, instruction.opcode);
        let cannot = matches!(
            opcode.operation(),
            Operation::Flow(_) | Operation::Dcl | Operation::Def(_) | Operation::Setp
        );
        let supported = match version {
            ShaderVersion::Vs2x => self.caps.vertex.predication,
            ShaderVersion::Ps2x => self.caps.pixel.predication,
            version => version.major() > 1 && ShaderFile::Predicate.info(version).is_some(),
        };
        let name = opcode.name(version);
        report! { self;
            error Predicate if !supported => "{version} has no predicates";
            error Predicate if cannot => "`{name}` can't be predicated";
        }
        let Some(predicate) = instruction.predicate.filter(|_| supported && !cannot) else {
            return;
        };
        let swizzle = predicate.swizzle();
        let whole = swizzle == Swizzle::IDENTITY;
        let register = predicate.register(version);
        let is_p0 = register.is_some_and(|register| register.file == ShaderFile::Predicate);
        let plain =
            matches!(predicate.modifier(), Some(SourceModifier::None | SourceModifier::Not));
        let sincos_2 = opcode == D3d9Opcode::SinCos && version.major() == 2;
        report! { self;
            error Predicate if !is_p0 => "the predicate is not p0";
            error Predicate if !plain => "a predicate's only modifier can be `!`";
            error Predicate if !whole && !swizzle.is_scalar() => "a predicate must have all components or one";
            error Predicate if whole && sincos_2 => "`sincos` of model 2 needs one component of the predicate";
        }
        let read = swizzle.selected(instruction.mask());
        let known = register.is_none_or(|register| self.written.get(register).contains_all(read));
        report! { self; error Uninitialized if is_p0 && !known => "p0 is read before it is written"; }
    }

    pub(super) fn declaration(&mut self, instruction: &D3d9Instruction) {
        let version = self.version;
        let (Some(dest), Some(register)) = (instruction.dest, self.destination(instruction)) else {
            return;
        };
        report! { self; error Relative if dest.is_relative() => "a declared register can't be indexed"; }
        let allowed = if version.is_vertex() {
            0
        } else {
            ResultModifiers::PARTIAL | ResultModifiers::CENTROID
        };
        let modified = dest.modifiers().0 & !allowed & 7 != 0 || dest.shift_bits() != 0;
        report! { self; error Modifiers if modified =>
        "a declaration can have `_pp` and `_centroid` only in pixel shaders"; }
        if let Operation::Def(literal) = instruction.opcode.operation() {
            let wanted = match literal {
                Literal::Float => ShaderFile::Const,
                Literal::Integer => ShaderFile::Integer,
                Literal::Boolean => ShaderFile::Boolean,
            };
            let (name, wrong) = (instruction.opcode.name(version), register.file != wanted);
            report! { self; error Access if wrong => "`{name}` must define {}#, not {register}", wanted.name(); }
        } else if register.file == ShaderFile::Sampler {
            let twice = self.declared.has_sampler(register.number);
            report! { self; error DeclaredTwice if twice => "{register} is declared twice"; }
        } else if !is_interface(register.file, version) {
            return self.error(D3d9Rule::Access, format!("{register} is not declared"));
        } else if !self.interface(instruction, register, dest.mask()) {
            return;
        }
        self.declared.add(instruction, version);
    }

    /// Checks the declaration of an input or output. Returns false if a component is already declared.
    fn interface(&mut self, dcl: &D3d9Instruction, at: D3d9Register, mask: WriteMask) -> bool {
        let earlier = self.declared.mask(at).unwrap_or_default();
        if !earlier.intersection(mask).is_empty() {
            self.error(D3d9Rule::DeclaredTwice, format!("{at} is declared twice"));
            return false;
        }
        let declaration = dcl.declaration();
        let named = declaration.usage().filter(|_| declares_usage(at.file, self.version));
        if let Some(usage) = named {
            let index = declaration.usage_index();
            let same =
                |one: &DeclaredInput| one.usage == Some((usage, index)) && one.register != at;
            let twice = self.declared.of_file(at.file).any(same);
            report! { self; error DeclaredTwice if twice => "{}{index} is declared twice", usage.name(); }
        }
        let beyond =
            at.file == ShaderFile::PixelPosition && !WriteMask::first(2).contains_all(mask);
        report! { self; error Range if beyond => "vPos has only x and y"; }
        !mask.is_empty()
    }

    pub(super) fn stream_end(&mut self, program: &D3d9Program) {
        report! { self; error End if !program.ended => "the end token is missing"; }
        let count = program.trailing.len();
        report! { self; warning End if count > 0 => "{count} words follow the end token"; }
    }

    pub(super) fn write(&mut self, instruction: &D3d9Instruction) {
        let Some((register, mask)) = dataflow::write(instruction, self.version) else { return };
        let relative = instruction.dest.is_some_and(|dest| dest.is_relative());
        if relative {
            // A relative destination may address any register of the register file, so all are marked as written.
            for number in 0..16 {
                self.written.add(register.file.at(number), instruction.mask());
            }
            return;
        }
        self.written.add(register, mask);
        if instruction.opcode == D3d9Opcode::Sgn && self.version.major() == 2 {
            // `sgn` leaves its scratch registers undefined.
            for scratch in instruction.registers(self.version).skip(1) {
                self.written.set(scratch, WriteMask::EMPTY);
            }
        }
    }
}
