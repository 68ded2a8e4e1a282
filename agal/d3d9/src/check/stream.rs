//! Rules 2 to 9: the stream of tokens, and declarations.

use super::Checker;
use super::rule::Rule;
use super::state::{Interface, is_interface};
use crate::opcode::{Kind, Literal, Opcode, Texture};
use crate::operand::{
    Component, Declaration, Modifier, Modifiers, PARAMETER, Source, Swizzle, WriteMask,
};
use crate::program::{Instruction, Program};
use crate::register::File;
use crate::text::declares_usage;
use crate::version::Version;

impl Checker<'_> {
    pub(super) fn malformed(&mut self, words: &[u32]) {
        let word = words.first().copied().unwrap_or(0);
        let [low, high, ..] = word.to_le_bytes();
        let opcode = Opcode::from_code(u16::from_le_bytes([low, high]));
        if word & PARAMETER != 0 {
            self.error(
                Rule::Reserved,
                format!("an operand where an instruction should be: {word:08X}"),
            );
        } else if let Some(Opcode::End) = opcode {
            self.error(
                Rule::Reserved,
                format!("reserved bits set in the end token: {word:08X}"),
            );
        } else if let Some(opcode) = opcode {
            let name = opcode.name(self.version);
            self.error(
                Rule::Length,
                format!("`{name}` is cut: its words are not all there"),
            );
        } else {
            let code = word & 0xffff;
            self.error(Rule::Opcode, format!("there is no opcode {code}"));
        }
    }

    pub(super) fn stream(&mut self, instruction: &Instruction) {
        let version = self.version;
        let opcode = instruction.opcode;
        if !opcode.exists_in(version) {
            let name = opcode.name(version);
            let message = match opcode.range(version.stage()) {
                Some((first, _)) if first > version => {
                    format!("`{name}` does not exist in {version} (needs {first})")
                }
                Some((_, last)) => {
                    format!("`{name}` does not exist in {version} (only up to {last})")
                }
                None => format!("`{name}` does not exist in {version}"),
            };
            self.error(Rule::Opcode, message);
            return;
        }
        let gradients = matches!(
            opcode.kind(),
            Kind::Derivative { .. } | Kind::Texture(Texture::LoadGradient)
        );
        if gradients && version == Version::Ps2x && !self.options.caps.pixel.gradients {
            let name = opcode.name(version);
            let message = format!("`{name}`: the device has no gradient instructions");
            self.error(Rule::Opcode, message);
        }
        self.length(instruction);
        self.reserved(instruction);
        self.control(instruction);
        if instruction.is_co_issued() && !version.is_ps_1() {
            self.error(Rule::CoIssue, "co-issue exists in ps_1_x only");
        }
        if opcode.is_declaration() && self.begun {
            let name = opcode.name(version);
            self.error(
                Rule::Declarations,
                format!("`{name}` after the first instruction that runs"),
            );
        }
        self.predicate(instruction);
    }

    fn length(&mut self, instruction: &Instruction) {
        let opcode = instruction.opcode;
        let claimed = usize::from(instruction.length());
        let sources = usize::from(opcode.sources(self.version));
        let disputed = opcode == Opcode::Sgn && self.version.major() == 3;
        let fits =
            instruction.sources().len() == sources || disputed && instruction.sources().len() == 1;
        let there = instruction.operand_words().count();
        let surplus = instruction.surplus.len();
        let lacking = sources.saturating_sub(instruction.sources().len());
        let taken = there.saturating_sub(surplus).saturating_add(lacking);
        let predicate = instruction.is_predicated() && instruction.predicate.is_none();
        let wrong = surplus > 0 || !fits || predicate && self.version.has_lengths();
        if self.version.has_lengths() && (wrong || claimed != there) {
            let message = format!("instruction length says {claimed} words, operands take {taken}");
            self.error(Rule::Length, message);
        } else if !self.version.has_lengths() && claimed != 0 {
            let message =
                format!("instruction length says {claimed} words, model 1 has no lengths");
            self.error(Rule::Length, message);
        }
    }

    fn reserved(&mut self, instruction: &Instruction) {
        let mut wrong = instruction.reserved() != 0;
        if let Some(dest) = instruction.dest {
            wrong |= dest.reserved() != 0 || dest.modifiers().has(8);
            wrong |= dest.is_relative() && dest.index(self.version).is_none();
            let known = [0, 1, 2, 3, 0xd, 0xe, 0xf].contains(&dest.shift_bits());
            wrong |= !known;
        }
        for source in instruction.sources().iter().chain(&instruction.predicate) {
            wrong |= source.reserved() != 0 || source.modifier().is_none();
            wrong |= source.is_relative() && source.index(self.version).is_none();
        }
        if instruction.opcode == Opcode::Dcl {
            wrong |= !self.payload_is_known(instruction);
        }
        if instruction.opcode == Opcode::Phase
            && instruction.token != u32::from(Opcode::Phase.code())
        {
            wrong = true;
        }
        if wrong {
            self.error(
                Rule::Reserved,
                "reserved bits set, or bits without a meaning",
            );
        }
    }

    /// Is a declaration's payload one that the register can have, without other bits?
    fn payload_is_known(&self, instruction: &Instruction) -> bool {
        let declaration = instruction.declaration();
        let register = instruction
            .dest
            .and_then(|dest| dest.register(self.version));
        let Some(register) = register else {
            return true; // the register is wrong, which another rule says
        };
        let plain = if register.file == File::Sampler {
            declaration.dimension().map(Declaration::sampler)
        } else if declares_usage(register.file, self.version) {
            let index = declaration.usage_index();
            declaration
                .usage()
                .map(|usage| Declaration::usage_of(usage, index))
        } else {
            Some(Declaration::PLAIN)
        };
        // Pixel inputs of model 2 may have a usage too (d3d9-shaders.md section 1.9, DDI).
        plain == Some(declaration)
            || register.file != File::Sampler && {
                let index = declaration.usage_index();
                let usage = declaration.usage();
                usage.is_some_and(|usage| Declaration::usage_of(usage, index) == declaration)
            }
    }

    fn control(&mut self, instruction: &Instruction) {
        let control = instruction.control();
        let opcode = instruction.opcode;
        let fine = if opcode.compares() {
            control <= 7 && instruction.comparison().is_some()
        } else if opcode == Opcode::Tex && self.version.has_lengths() {
            control <= 2
        } else {
            control == 0
        };
        if !fine && opcode != Opcode::Phase {
            let name = opcode.name(self.version);
            self.error(
                Rule::Control,
                format!("control bits {control:#x} mean nothing on `{name}`"),
            );
        }
    }

    fn predicate(&mut self, instruction: &Instruction) {
        if !instruction.is_predicated() {
            return;
        }
        let name = instruction.opcode.name(self.version);
        let cannot = matches!(
            instruction.opcode.kind(),
            Kind::Flow(_) | Kind::Dcl | Kind::Def(_) | Kind::Setp
        );
        let caps = match self.version {
            Version::Vs2x => self.options.caps.vertex.predication,
            Version::Ps2x => self.options.caps.pixel.predication,
            version => version.major() > 1 && File::Predicate.cell(version).is_some(),
        };
        if !caps {
            self.error(
                Rule::Predicate,
                format!("{} has no predicates", self.version),
            );
            return;
        }
        if cannot {
            self.error(Rule::Predicate, format!("`{name}` can't be predicated"));
            return;
        }
        let Some(predicate) = instruction.predicate else {
            return;
        };
        let swizzle = predicate.swizzle();
        let whole = swizzle == Swizzle::IDENTITY;
        let file = predicate
            .register(self.version)
            .map(|register| register.file);
        if file != Some(File::Predicate) {
            self.error(Rule::Predicate, "the predicate is not p0");
        } else if !matches!(predicate.modifier(), Some(Modifier::None | Modifier::Not)) {
            self.error(Rule::Predicate, "a predicate's only modifier is `!`");
        } else if !whole && !swizzle.is_scalar() {
            self.error(Rule::Predicate, "a predicate is whole or one component");
        } else if whole && instruction.opcode == Opcode::SinCos && self.version.major() == 2 {
            self.error(
                Rule::Predicate,
                "sincos of model 2 wants one component of the predicate",
            );
        }
        self.predicate_written(predicate, instruction);
    }

    fn predicate_written(&mut self, predicate: Source, instruction: &Instruction) {
        let Some(register) = predicate.register(self.version) else {
            return;
        };
        let mask = instruction.dest.map_or(WriteMask::ALL, |dest| dest.mask());
        let read = predicate.swizzle().selected(mask);
        if register.file == File::Predicate && !self.written.get(register).contains_all(read) {
            self.error(Rule::Uninitialized, "p0 is read before it is written");
        }
    }

    pub(super) fn declaration(&mut self, instruction: &Instruction) {
        let Some(dest) = instruction.dest else {
            return;
        };
        let Some(register) = self.destination(instruction) else {
            return;
        };
        if dest.is_relative() {
            self.error(Rule::Relative, "a declared register can't be indexed");
        }
        let version = self.version;
        let modifiers = dest.modifiers();
        let allowed = if version.is_vertex() {
            0
        } else {
            Modifiers::PARTIAL | Modifiers::CENTROID
        };
        if modifiers.0 & !allowed & 7 != 0 || dest.shift_bits() != 0 {
            self.error(
                Rule::Modifiers,
                "a declaration has `_pp` and `_centroid` in pixel shaders only",
            );
        }
        let wanted = match instruction.opcode.kind() {
            Kind::Def(Literal::Float) => Some(File::Const),
            Kind::Def(Literal::Integer) => Some(File::Integer),
            Kind::Def(Literal::Boolean) => Some(File::Boolean),
            _ => None,
        };
        if let Some(wanted) = wanted {
            if register.file != wanted {
                let name = instruction.opcode.name(version);
                let message = format!("`{name}` defines {}#, not {register}", wanted.name());
                self.error(Rule::Access, message);
                return;
            }
            match wanted {
                File::Const => {
                    let words = instruction.floats().map(f32::to_bits);
                    self.declared.floats.insert(register.number, words);
                }
                File::Integer => {
                    let values = instruction.integers();
                    self.declared.integers.insert(register.number, values);
                }
                _ => {}
            }
            return;
        }
        if register.file == File::Sampler {
            if !self
                .declared
                .add_sampler(register.number, instruction.declaration())
            {
                self.error(Rule::DeclaredTwice, format!("{register} is declared twice"));
            }
        } else if !is_interface(register.file, version) {
            self.error(Rule::Access, format!("{register} is not declared"));
        } else {
            self.interface(instruction, register, dest.mask());
        }
    }

    fn interface(
        &mut self,
        instruction: &Instruction,
        register: crate::register::Register,
        mask: WriteMask,
    ) {
        let declaration = instruction.declaration();
        let named = declares_usage(register.file, self.version);
        let usage = declaration.usage().filter(|_| named);
        let usage = usage.map(|usage| (usage, declaration.usage_index()));
        let earlier = self.declared.mask(register).unwrap_or_default();
        if earlier.bits() & mask.bits() != 0 {
            self.error(Rule::DeclaredTwice, format!("{register} is declared twice"));
            return;
        }
        let same = |one: &Interface| {
            one.usage == usage && one.register.file == register.file && one.register != register
        };
        if let Some((usage, index)) = usage
            && self.declared.interface.iter().any(same)
        {
            let message = format!("{}{index} is declared twice", usage.name());
            self.error(Rule::DeclaredTwice, message);
        }
        if register.file == File::PixelPosition && !WriteMask::first(2).contains_all(mask) {
            self.error(Rule::Range, "vPos has x and y only");
        }
        // So there are never more than components.
        if mask.is_empty() {
            return;
        }
        self.declared.interface.push(Interface {
            register,
            mask,
            usage,
        });
    }

    pub(super) fn stream_end(&mut self, program: &Program) {
        if !program.ended {
            self.error(Rule::End, "there is no end token");
        }
        if !program.trailing.is_empty() {
            let count = program.trailing.len();
            self.warning(Rule::End, format!("{count} words behind the end token"));
        }
    }
}

/// Does an instruction take derivatives of its coordinates?
pub(super) fn takes_gradients(opcode: Opcode) -> bool {
    matches!(
        opcode.kind(),
        Kind::Texture(Texture::Load) | Kind::Derivative { .. }
    )
}

/// One component of a swizzle, for messages.
pub(super) fn letters(mask: WriteMask) -> String {
    mask.iter().map(Component::letter).collect()
}
