//! Random shaders of instructions that the checker accepts at their place.

use d3d9::opcode::{Comparison, Flow, Kind, Load, Opcode, Texture};
use d3d9::operand::{
    Component, Dest, Index, Modifier, Modifiers, SHIFTS, Source, Swizzle, WriteMask,
};
use d3d9::register::{File, Register};
use d3d9::{Instruction, Item};
use d3d9::{Program, Version};

use super::frame::{Results, assembled, end, is_valid, item, start, whole};
use super::is_tested;
use agal::generate::Random;

const TRIES: usize = 24;
const DEPTH: usize = 3;

/// A random shader of about this many instructions.
pub fn random_program(version: Version, seed: u64, instructions: usize) -> Program {
    let mut generator = Generator { version, random: Random::new(seed), open: Vec::new() };
    let results = Results::Mixed;
    let phase = generator.one_in(2);
    let mut items = start(version, results, phase);
    let wanted = items.len() + instructions;
    for _ in 0..instructions * TRIES {
        if items.len() >= wanted {
            break;
        }
        let before = generator.open.clone();
        let candidate = generator.candidate();
        let closers: Vec<Item> = generator.closers();
        let body = [items.as_slice(), &candidate].concat();
        let end = end(version, results, &body);
        let whole = assembled(version, &[&body, &closers, &end]);
        if candidate.is_empty() || !is_valid(&whole) {
            generator.open = before;
        } else {
            items.extend(candidate);
        }
    }
    let closers = generator.closers();
    let end = end(version, results, &items);
    assembled(version, &[&items, &closers, &end])
}

struct Generator {
    version: Version,
    random: Random,
    open: Vec<Opcode>,
}

impl Generator {
    fn below(&mut self, count: usize) -> usize {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.random.below(count) as usize
    }
    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
    fn pick<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        self.random.pick(all).copied()
    }
    fn number(&mut self, count: u16) -> u16 {
        u16::try_from(self.below(count.into())).unwrap_or(0)
    }

    fn closers(&self) -> Vec<Item> {
        let closers = self.open.iter().rev();
        closers.map(|opcode| item(Instruction::new(*opcode), self.version)).collect()
    }

    fn has(&self, file: File) -> bool {
        file.info(self.version).is_some()
    }

    fn candidate(&mut self) -> Vec<Item> {
        let made =
            if self.version.major() > 1 && self.one_in(5) { self.flow() } else { self.plain() };
        let made = made.into_iter();
        made.map(|instruction| item(instruction, self.version)).collect()
    }

    /// An instruction that opens, divides or closes a block, or leaves a loop.
    fn flow(&mut self) -> Option<Instruction> {
        if self.one_in(2)
            && let Some(closer) = self.open.last().copied()
        {
            let divides = closer == Opcode::EndIf && self.one_in(3);
            if !divides {
                self.open.pop();
            }
            return Some(Instruction::new(if divides { Opcode::Else } else { closer }));
        }
        let opcodes = [
            (Opcode::If, Some(Opcode::EndIf)),
            (Opcode::IfC, Some(Opcode::EndIf)),
            (Opcode::Rep, Some(Opcode::EndRep)),
            (Opcode::Loop, Some(Opcode::EndLoop)),
            (Opcode::Break, None),
            (Opcode::BreakC, None),
            (Opcode::BreakP, None),
        ];
        let (opcode, closer) = self.pick(&opcodes)?;
        if !opcode.exists_in(self.version) || closer.is_some() && self.open.len() >= DEPTH {
            return None;
        }
        let mut instruction = Instruction::new(opcode);
        let Kind::Flow(flow) = opcode.kind() else {
            return None;
        };
        match flow {
            Flow::IfCompare | Flow::BreakCompare => {
                let comparison = self.pick(Comparison::ALL)?;
                instruction.set_control(comparison.code());
                for _ in 0..2 {
                    let source = self.source(opcode);
                    let component = self.component();
                    let scalar = Swizzle::new([component; 4]);
                    instruction.push_source(swizzled(source, scalar));
                }
            }
            Flow::If | Flow::BreakPredicate => {
                let predicate =
                    flow == Flow::BreakPredicate || self.has(File::Predicate) && self.one_in(2);
                let source = if predicate {
                    let component = self.component();
                    Source::scalar(Register::new(File::Predicate, 0), component)
                } else {
                    let number = self.number(2);
                    whole(File::Boolean, number)
                };
                let not = self.one_in(3);
                instruction.push_source(if not {
                    source.with_modifier(Modifier::Not)
                } else {
                    source
                });
            }
            Flow::Rep | Flow::Loop => {
                if flow == Flow::Loop {
                    instruction.push_source(whole(File::Loop, 0));
                }
                let number = self.number(2);
                instruction.push_source(whole(File::Integer, number));
            }
            _ => {}
        }
        self.open.extend(closer);
        Some(instruction)
    }

    fn component(&mut self) -> Component {
        Component::from_bits(u8::try_from(self.below(4)).unwrap_or(0))
    }

    fn plain(&mut self) -> Option<Instruction> {
        let version = self.version;
        let all: Vec<Opcode> =
            Opcode::ALL.iter().copied().filter(|opcode| is_tested(*opcode, version)).collect();
        let opcode = self.pick(&all)?;
        let mut instruction = Instruction::new(opcode);
        instruction.dest = opcode.has_dest().then(|| self.dest(opcode));
        if opcode.compares() {
            let comparison = self.pick(Comparison::ALL)?;
            instruction.set_control(comparison.code());
        }
        if opcode == Opcode::Tex && version.has_lengths() {
            let load = self.below(Load::ALL.len());
            instruction.set_control(u8::try_from(load).unwrap_or(0));
        }
        for index in 0..opcode.sources(version) {
            let source = self.operand(opcode, index);
            instruction.push_source(source);
        }
        let predicated = self.has(File::Predicate) && version.major() > 1 && self.one_in(6);
        if predicated && !matches!(opcode.kind(), Kind::Setp) {
            let mut predicate = whole(File::Predicate, 0);
            if self.one_in(2) {
                let component = self.component();
                predicate = Source::scalar(Register::new(File::Predicate, 0), component);
            }
            if self.one_in(3) {
                predicate = predicate.with_modifier(Modifier::Not);
            }
            instruction.set_predicate(predicate);
        }
        Some(instruction)
    }

    fn temporaries(&self) -> u16 {
        if self.version.is_ps_1() { 2 } else { 4 }
    }

    fn dest(&mut self, opcode: Opcode) -> Dest {
        let version = self.version;
        let temporaries = self.temporaries();
        let temporary = Register::new(File::Temp, self.number(temporaries));
        let (register, all) = match opcode.kind() {
            Kind::Mova => (Register::new(File::Address, 0), self.one_in(2)),
            Kind::Setp => (Register::new(File::Predicate, 0), self.one_in(2)),
            Kind::Texture(Texture::Kill) if !version.is_ps_1_1_to_1_3() => (temporary, true),
            Kind::Texture(_) if version.is_ps_1_1_to_1_3() => {
                (Register::new(File::Texture, self.number(4)), true)
            }
            Kind::Texture(_) => (temporary, self.one_in(2) || version.major() < 3),
            _ if version.is_ps_1_1_to_1_3() && self.one_in(5) => {
                (Register::new(File::Texture, self.number(4)), self.one_in(2))
            }
            _ => (temporary, self.one_in(2)),
        };
        let bits = match (all, version.is_ps_1_1_to_1_3()) {
            (true, _) => 15,
            (false, true) => self.pick(&[7, 8, 15]).unwrap_or(15),
            (false, false) => u8::try_from(1 + self.below(15)).unwrap_or(15),
        };
        let mask = match opcode.kind() {
            Kind::Bem => WriteMask::first(2),
            Kind::SinCos => WriteMask::from_bits(1 + bits % 3),
            Kind::Cross => WriteMask::from_bits(1 + bits % 7),
            Kind::Normalize if bits % 4 != 0 => WriteMask::first(3),
            Kind::Matrix { rows, .. } if version.major() < 3 || bits % 2 == 0 => {
                WriteMask::first(rows)
            }
            _ => WriteMask::from_bits(bits),
        };
        let mut dest = Dest::new(register, mask);
        if self.one_in(6) {
            dest = dest.with_modifiers(Modifiers::SATURATE);
        }
        if self.one_in(12) {
            dest = dest.with_modifiers(Modifiers::PARTIAL);
        }
        if version.is_ps_1()
            && self.one_in(5)
            && let Some((bits, _)) = self.pick(&SHIFTS)
        {
            dest = dest.with_shift(bits);
        }
        dest
    }

    fn operand(&mut self, opcode: Opcode, index: usize) -> Source {
        let version = self.version;
        match (opcode.kind(), index) {
            (Kind::Texture(Texture::Load | Texture::LoadLevel | Texture::LoadGradient), 1) => {
                whole(File::Sampler, self.number(2))
            }
            (Kind::Texture(_), _) if version.is_ps_1_1_to_1_3() => {
                let source = whole(File::Texture, self.number(3));
                if self.one_in(2) { source.with_modifier(Modifier::Sign) } else { source }
            }
            (Kind::Texture(_), 0) if version == Version::Ps14 => {
                let file = if self.one_in(2) { File::Texture } else { File::Temp };
                let source = whole(file, self.number(4));
                let modifiers =
                    [Modifier::None, Modifier::None, Modifier::DivideZ, Modifier::DivideW];
                let modifier = self.pick(&modifiers).unwrap_or(Modifier::None);
                match opcode.kind() {
                    // A division adds an error, which only the tolerance of lookups allows for.
                    Kind::Texture(Texture::Load) => source.with_modifier(modifier),
                    _ => source,
                }
            }
            (Kind::SinCos, 1) => whole(File::Const, 14),
            (Kind::SinCos, 2) => whole(File::Const, 15),
            (Kind::Matrix { .. }, 1) => {
                let file = self.pick(&[File::Const, File::Temp]).unwrap_or(File::Const);
                whole(file, 0)
            }
            (Kind::Scalar(_) | Kind::SinCos | Kind::ExpPartial, _) => {
                let (source, component) = (self.source(opcode), self.component());
                swizzled(source, Swizzle::new([component; 4]))
            }
            _ => self.source(opcode),
        }
    }

    fn source(&mut self, opcode: Opcode) -> Source {
        let version = self.version;
        let varying = match (version.is_vertex(), version.major()) {
            (true, _) | (_, 3) => File::Input,
            _ => File::Texture,
        };
        let temporaries = self.temporaries();
        let constants = if version.is_ps_1() { 8 } else { 14 };
        let choice = self.below(8);
        let register = match choice {
            0..=3 => Register::new(File::Temp, self.number(temporaries)),
            4 | 5 => Register::new(File::Const, self.number(constants)),
            _ => Register::new(varying, self.number(4)),
        };
        let swizzle = match (self.below(4), version.is_ps_1()) {
            (0 | 1, _) => Swizzle::IDENTITY,
            (_, true) => {
                let component = self.pick(&[Component::Z, Component::W]);
                Swizzle::new([component.unwrap_or(Component::W); 4])
            }
            (2, _) => Swizzle::new([self.component(); 4]),
            _ => Swizzle::new([(); 4].map(|()| self.component())),
        };
        let mut source = Source::new(register, swizzle);
        if self.one_in(3)
            && let Some(modifier) = self.pick(Modifier::ALL)
            && !matches!(modifier, Modifier::DivideZ | Modifier::DivideW | Modifier::Not)
        {
            source = source.with_modifier(modifier);
        }
        let indexed = register.file == File::Const && version.is_vertex() && self.one_in(3)
            || register.file == File::Input && version.major() == 3 && self.one_in(6);
        // Derivatives of indexed inputs are not translated in dynamic flow control ([d3d9.gradient.flow]).
        let derivative =
            matches!(opcode.kind(), Kind::Derivative { .. } | Kind::Texture(Texture::Load));
        if indexed && opcode.kind() != Kind::Mova && !derivative {
            let in_loop = self.open.contains(&Opcode::EndLoop) && self.one_in(2);
            source = match (version, in_loop) {
                (Version::Vs11, _) => source.indexed(None),
                (_, true) => source.indexed(Some(Index::Loop.word())),
                _ => source.indexed(Some(Index::Address(Component::X).word())),
            };
        }
        source
    }
}

fn swizzled(source: Source, swizzle: Swizzle) -> Source {
    let word = source.word & !0x00ff_0000 | u32::from(swizzle.bits()) << 16;
    Source { word, ..source }
}
