//! Rules 2 to 9: token stream and declarations.

use super::Checker;
use super::rule::Rule;
use super::state::{Interface, is_interface};
use crate::opcode::{Kind, Literal, Opcode, Texture};
use crate::operand::{Declaration, Modifier, Modifiers, PARAMETER, Source, Swizzle, WriteMask};
use crate::program::{Instruction, Program};
use crate::register::{File, Register};
use crate::text::declares_usage;
use crate::version::Version;

impl Checker<'_> {
    pub(super) fn malformed(&mut self, words: &[u32]) {
        let word = words.first().copied().unwrap_or(0);
        let [low, high, ..] = word.to_le_bytes();
        let opcode = Opcode::from_code(u16::from_le_bytes([low, high]));
        match opcode {
            _ if word & PARAMETER != 0 => {
                let message = format!("expected an instruction, found an operand: {word:08X}");
                self.error(Rule::Reserved, message);
            }
            Some(Opcode::End) => {
                let message = format!("the end token has reserved bits set: {word:08X}");
                self.error(Rule::Reserved, message);
            }
            Some(opcode) => {
                let name = opcode.name(self.version);
                self.error(
                    Rule::Length,
                    format!("`{name}` is truncated: the shader ends before its last word"),
                );
            }
            None => self.error(Rule::Opcode, format!("opcode {} does not exist", word & 0xffff)),
        }
    }

    pub(super) fn stream(&mut self, instruction: &Instruction) {
        let version = self.version;
        let opcode = instruction.opcode;
        let name = opcode.name(version);
        if !opcode.exists_in(version) {
            let where_else = match opcode.range(version.stage()) {
                Some((first, _)) if first > version => format!(" (needs {first})"),
                Some((_, last)) => format!(" (last version: {last})"),
                None => String::new(),
            };
            let message = format!("`{name}` does not exist in {version}{where_else}");
            self.error(Rule::Opcode, message);
            return;
        }
        let gradients =
            matches!(opcode.kind(), Kind::Derivative { .. } | Kind::Texture(Texture::LoadGradient));
        if gradients && version == Version::Ps2x && !self.options.caps.pixel.gradients {
            let message =
                format!("`{name}` is not supported: the device has no gradient instructions");
            self.error(Rule::Opcode, message);
        }
        self.length(instruction);
        self.reserved(instruction);
        self.control(instruction);
        if instruction.is_co_issued() && !version.is_ps_1() {
            self.error(Rule::CoIssue, "co-issue exists only in ps_1_x");
        }
        if opcode.is_declaration() && self.begun {
            let message = format!("`{name}` comes after the first executable instruction");
            self.error(Rule::Declarations, message);
        }
        self.predicate(instruction);
    }

    fn length(&mut self, instruction: &Instruction) {
        let opcode = instruction.opcode;
        let claimed = usize::from(instruction.length());
        let sources = usize::from(opcode.sources(self.version));
        let disputed = opcode == Opcode::Sgn && self.version.major() == 3;
        let found = instruction.sources().len();
        let fits = found == sources || disputed && found == 1;
        let there = instruction.operand_words().count();
        let surplus = instruction.surplus.len();
        let taken = there.saturating_sub(surplus).saturating_add(sources.saturating_sub(found));
        let predicate = instruction.is_predicated() && instruction.predicate.is_none();
        let lengths = self.version.has_lengths();
        let wrong = surplus > 0 || !fits || predicate || claimed != there;
        first! { self;
            error Length if lengths && wrong => "the instruction length is {claimed} words, but its operands take {taken}";
            error Length if !lengths && claimed != 0 => "the instruction length is {claimed} words, but model 1 has no lengths";
        }
    }

    fn reserved(&mut self, instruction: &Instruction) {
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
        if instruction.opcode == Opcode::Dcl {
            wrong |= !self.payload_is_known(instruction);
        }
        let phase = u32::from(Opcode::Phase.code());
        wrong |= instruction.opcode == Opcode::Phase && instruction.token != phase;
        first! { self; error Reserved if wrong => "reserved bits are set, or a field has an undefined value"; }
    }

    /// Whether the payload is valid for the declared register and has no other bits set.
    fn payload_is_known(&self, instruction: &Instruction) -> bool {
        let declaration = instruction.declaration();
        let Some(register) = instruction.dest_register(self.version) else {
            return true; // another rule reports the unknown register
        };
        let (usage, index) = (declaration.usage(), declaration.usage_index());
        let of_usage = usage.map(|usage| Declaration::usage_of(usage, index));
        if register.file == File::Sampler {
            let dimension = declaration.dimension();
            return dimension.map(Declaration::sampler) == Some(declaration);
        }
        // Pixel shader inputs of model 2 may have a usage too (d3d9-shaders.md section 1.9, DDI).
        of_usage == Some(declaration)
            || declaration == Declaration::PLAIN && !declares_usage(register.file, self.version)
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
            let message = format!("`{name}` has undefined control bits {control:#x}");
            self.error(Rule::Control, message);
        }
    }

    fn predicate(&mut self, instruction: &Instruction) {
        if !instruction.is_predicated() {
            return;
        }
        let cannot = matches!(
            instruction.opcode.kind(),
            Kind::Flow(_) | Kind::Dcl | Kind::Def(_) | Kind::Setp
        );
        let version = self.version;
        let caps = match version {
            Version::Vs2x => self.options.caps.vertex.predication,
            Version::Ps2x => self.options.caps.pixel.predication,
            version => version.major() > 1 && File::Predicate.info(version).is_some(),
        };
        let name = instruction.opcode.name(version);
        first! { self;
            error Predicate if !caps => "{version} has no predicates";
            error Predicate if cannot => "`{name}` can't be predicated";
        }
        if !caps || cannot {
            return;
        }
        let Some(predicate) = instruction.predicate else {
            return;
        };
        let swizzle = predicate.swizzle();
        let whole = swizzle == Swizzle::IDENTITY;
        let file = predicate.register(version).map(|register| register.file);
        let plain = matches!(predicate.modifier(), Some(Modifier::None | Modifier::Not));
        let sincos_2 = instruction.opcode == Opcode::SinCos && version.major() == 2;
        first! { self;
            error Predicate if file != Some(File::Predicate) => "the predicate is not p0";
            error Predicate if !plain => "a predicate's only modifier can be `!`";
            error Predicate if !whole && !swizzle.is_scalar() => "a predicate must have all components or one";
            error Predicate if whole && sincos_2 => "`sincos` of model 2 needs one component of the predicate";
        }
        self.predicate_written(predicate, instruction);
    }

    fn predicate_written(&mut self, predicate: Source, instruction: &Instruction) {
        let Some(register) = predicate.register(self.version) else {
            return;
        };
        let read = predicate.swizzle().selected(instruction.mask());
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
        first! { self; error Relative if dest.is_relative() => "a declared register can't be indexed"; }
        let version = self.version;
        let allowed = match version.is_vertex() {
            true => 0,
            false => Modifiers::PARTIAL | Modifiers::CENTROID,
        };
        if dest.modifiers().0 & !allowed & 7 != 0 || dest.shift_bits() != 0 {
            let message = "a declaration can have `_pp` and `_centroid` only in pixel shaders";
            self.error(Rule::Modifiers, message);
        }
        if let Kind::Def(literal) = instruction.opcode.kind() {
            let wanted = match literal {
                Literal::Float => File::Const,
                Literal::Integer => File::Integer,
                Literal::Boolean => File::Boolean,
            };
            if register.file != wanted {
                let name = instruction.opcode.name(version);
                let message = format!("`{name}` must define {}#, not {register}", wanted.name());
                self.error(Rule::Access, message);
            } else if literal == Literal::Float {
                let words = instruction.floats().map(f32::to_bits);
                self.declared.floats.insert(register.number, words);
            } else if literal == Literal::Integer {
                let values = instruction.integers();
                self.declared.integers.insert(register.number, values);
            }
            return;
        }
        if register.file == File::Sampler {
            let declaration = instruction.declaration();
            if !self.declared.add_sampler(register.number, declaration) {
                self.error(Rule::DeclaredTwice, format!("{register} is declared twice"));
            }
        } else if !is_interface(register.file, version) {
            self.error(Rule::Access, format!("{register} is not declared"));
        } else {
            self.interface(instruction, register, dest.mask());
        }
    }

    fn interface(&mut self, instruction: &Instruction, register: Register, mask: WriteMask) {
        let declaration = instruction.declaration();
        let named = declares_usage(register.file, self.version);
        let usage = declaration.usage().filter(|_| named);
        let usage = usage.map(|usage| (usage, declaration.usage_index()));
        let earlier = self.declared.mask(register).unwrap_or_default();
        if !earlier.intersection(mask).is_empty() {
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
            self.error(Rule::Range, "vPos has only x and y");
        }
        // Entries add at least one component each, which bounds their number.
        if mask.is_empty() {
            return;
        }
        self.declared.interface.push(Interface { register, mask, usage });
    }

    pub(super) fn stream_end(&mut self, program: &Program) {
        first! { self; error End if !program.ended => "the end token is missing"; }
        if !program.trailing.is_empty() {
            let count = program.trailing.len();
            self.warning(Rule::End, format!("{count} words follow the end token"));
        }
    }
}

/// Whether an instruction takes derivatives of its coordinates.
pub(super) fn takes_gradients(opcode: Opcode) -> bool {
    matches!(opcode.kind(), Kind::Texture(Texture::Load) | Kind::Derivative { .. })
}
