//! Rules 7, 27, 41 to 43 and 47: pixel shaders of model 1.

use super::Checker;
use super::rule::Rule;
use crate::opcode::{Kind, Opcode, Texture};
use crate::operand::{Component, Modifier, Swizzle, WriteMask};
use crate::program::Instruction;
use crate::register::{File, Register};
use crate::version::Version;

/// What ps_1_x remembers from instruction to instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// The instruction before, for co-issue: its mask, and whether it can be half of a pair.
    before: Option<(WriteMask, bool)>,
    /// An open sequence of rows: rows in all, the last stage, the source.
    rows: Option<(u8, u16, u16)>,
    /// Rows of it that have been given.
    given: u8,
    /// `t#` read by texbem, which nothing else may read.
    bumps: u8,
    /// The selector of each `t#` in ps_1_4.
    selectors: [Option<Swizzle>; 6],
    divisions: u32,
    phase: bool,
    /// An arithmetic instruction has been seen in this phase.
    arithmetic: bool,
    r0: WriteMask,
}

impl Checker<'_> {
    pub(super) fn ps_1(&mut self, instruction: &Instruction) {
        self.pair(instruction);
        for source in instruction.sources() {
            let file = source.register(self.version).map(|register| register.file);
            if file == Some(File::Const) && source.modifier() != Some(Modifier::None) {
                if self.version == Version::Ps14 {
                    self.error(
                        Rule::ConstantModifier,
                        "a constant has no modifier in ps_1_4",
                    );
                } else {
                    self.warning(
                        Rule::ConstantModifier,
                        "a modifier on a constant: drivers differ",
                    );
                }
            }
        }
        if instruction.opcode == Opcode::Cnd && self.version.is_ps_1_1_to_1_3() {
            let source = instruction.source(0);
            let r0 = Some(Register::new(File::Temp, 0));
            let alpha = source.swizzle() == Swizzle::new([Component::W; 4]);
            let plain = source.modifier() == Some(Modifier::None);
            if source.register(self.version) != r0 || !alpha || !plain {
                self.error(Rule::Cnd, "`cnd` tests r0.a only");
            }
        }
        match instruction.opcode.kind() {
            Kind::Texture(texture) if self.version == Version::Ps14 => {
                self.stage_4(instruction, texture)
            }
            Kind::Texture(texture) => self.stage(instruction, texture),
            Kind::Phase => self.phase(),
            Kind::Nop => {}
            kind => {
                // d3d9-shaders.md section 5.5: `bem r.rg`.
                let mask = instruction.dest.map(|dest| dest.mask());
                if kind == Kind::Bem && mask != Some(WriteMask::first(2)) {
                    self.error(Rule::Phases, "`bem` writes xy");
                }
                self.ps1.arithmetic = true;
                self.bump_reads(instruction);
                self.unfinished();
            }
        }
        if let Some(dest) = instruction.dest
            && dest.register(self.version) == Some(Register::new(File::Temp, 0))
        {
            self.ps1.r0 = self.ps1.r0.union(dest.mask());
        }
    }

    /// Rule 7.
    fn pair(&mut self, instruction: &Instruction) {
        let mask = instruction
            .dest
            .map_or(WriteMask::EMPTY, |dest| dest.mask());
        let texture = matches!(instruction.opcode.kind(), Kind::Texture(_) | Kind::Phase);
        let never = texture || matches!(instruction.opcode, Opcode::Dp4 | Opcode::Bem);
        if instruction.is_co_issued() {
            let alpha = WriteMask::from_bits(8);
            match self.ps1.before {
                None => self.error(Rule::CoIssue, "there is nothing to co-issue with"),
                Some(_) if never => {
                    let name = instruction.opcode.name(self.version);
                    self.error(Rule::CoIssue, format!("`{name}` can't be co-issued"));
                }
                Some((_, false)) => {
                    self.error(
                        Rule::CoIssue,
                        "the instruction before can't be one of a pair",
                    );
                }
                Some((before, true)) => {
                    let one = before == alpha && mask.bits() & 8 == 0;
                    let other = mask == alpha && before.bits() & 8 == 0;
                    if !one && !other {
                        self.error(Rule::CoIssue, "a pair writes colour and alpha, one each");
                    }
                }
            }
            self.ps1.before = Some((mask, false));
        } else {
            self.ps1.before = Some((mask, !never));
        }
    }

    /// A sequence of rows that another instruction breaks.
    fn unfinished(&mut self) {
        if self.ps1.rows.take().is_some() {
            self.error(Rule::Addressing, "a matrix lacks its last row");
        }
    }

    fn stage(&mut self, instruction: &Instruction, texture: Texture) {
        if self.ps1.arithmetic {
            self.error(
                Rule::Addressing,
                "texture instructions come before arithmetic ones",
            );
        }
        let Some(dest) = instruction
            .dest
            .and_then(|dest| dest.register(self.version))
        else {
            return;
        };
        let name = instruction.opcode.name(self.version);
        if matches!(texture, Texture::Coordinate | Texture::Kill | Texture::Load) {
            self.unfinished();
            return;
        }
        let source = instruction.source(0);
        let Some(from) = source.register(self.version) else {
            return;
        };
        if from.file != File::Texture || from.number >= dest.number {
            let message = format!("`{name}` reads a t# of a lower number than its own");
            self.error(Rule::Addressing, message);
        }
        if self.ps1.bumps & 1 << from.number.min(7) != 0 {
            self.error(
                Rule::Addressing,
                format!("{from} is read by texbem and by nothing else"),
            );
        }
        let bump = matches!(texture, Texture::Bem { .. });
        let signed = matches!(
            source.modifier(),
            Some(Modifier::Sign | Modifier::SignNegate)
        );
        if signed && (bump || matches!(texture, Texture::FromRegister(_))) {
            self.error(Rule::Addressing, format!("`{name}` forbids `_bx2`"));
        }
        if bump {
            self.ps1.bumps |= 1 << from.number.min(7);
        }
        self.rows(texture, dest.number, from.number);
    }

    fn rows(&mut self, texture: Texture, stage: u16, source: u16) {
        let (rows, last) = match texture {
            Texture::Pad { rows } => (rows, false),
            Texture::MatrixLoad { rows } => (rows, true),
            Texture::MatrixDepth => (2, true),
            Texture::Reflect { .. } | Texture::MatrixValue => (3, true),
            _ => {
                self.unfinished();
                return;
            }
        };
        let goes_on = match self.ps1.rows {
            None => self.ps1.given == 0,
            Some((all, before, from)) => all == rows && stage == before + 1 && from == source,
        };
        self.ps1.given += 1;
        let closing = self.ps1.given == rows;
        if !goes_on || closing != last {
            let message =
                "rows of a matrix are consecutive, of one source, and the last one closes it";
            self.error(Rule::Addressing, message);
        }
        self.ps1.rows = (!last).then_some((rows, stage, source));
        if last {
            self.ps1.given = 0;
        }
    }

    fn bump_reads(&mut self, instruction: &Instruction) {
        for source in instruction.sources() {
            if let Some(register) = source.register(self.version)
                && register.file == File::Texture
                && self.ps1.bumps & 1 << register.number.min(7) != 0
            {
                let message = format!("{register} is read by texbem and by nothing else");
                self.error(Rule::Addressing, message);
            }
        }
    }

    fn stage_4(&mut self, instruction: &Instruction, texture: Texture) {
        let Some(dest) = instruction.dest else {
            return;
        };
        let name = instruction.opcode.name(self.version);
        if self.ps1.arithmetic && texture != Texture::Depth {
            self.error(Rule::Phases, "texture instructions begin a phase");
        }
        match texture {
            Texture::Depth => {
                let r5 = Some(Register::new(File::Temp, 5));
                if dest.register(self.version) != r5 || !self.ps1.phase {
                    self.error(Rule::Phases, "`texdepth` takes r5, in the second phase");
                }
                return;
            }
            Texture::Kill => return,
            _ => {}
        }
        let source = instruction.source(0);
        let Some(from) = source.register(self.version) else {
            return;
        };
        let divided = matches!(source.modifier(), Some(Modifier::DivideZ));
        let through_w = matches!(source.modifier(), Some(Modifier::DivideW));
        if divided {
            self.ps1.divisions += 1;
        }
        if from.file == File::Temp && (!self.ps1.phase || texture == Texture::Coordinate) {
            self.error(
                Rule::Phases,
                format!("`{name}` reads an r# in the second phase, and texld only"),
            );
        } else if divided && from.file != File::Temp {
            self.error(Rule::Phases, "`_dz` is for r# only");
        } else if self.ps1.divisions > 2 {
            self.error(Rule::Phases, "`_dz` is there twice at most");
        } else if texture == Texture::Load && dest.mask() != WriteMask::ALL {
            self.error(Rule::Phases, "`texld` of ps_1_4 writes a whole r#");
        } else if texture == Texture::Coordinate {
            let wanted = if through_w { 3 } else { 7 };
            let mask = dest.mask().bits();
            if mask != wanted && mask != 3 {
                self.error(Rule::Phases, "`texcrd` writes xyz or xy, with `_dw` xy");
            }
        }
        self.selector(from, source.swizzle());
    }

    fn selector(&mut self, register: Register, swizzle: Swizzle) {
        if register.file != File::Texture {
            return;
        }
        // `.xyz` is the identity, `.xyw` ends in two w.
        let xyw = Swizzle::from_bits(0xf4);
        if swizzle != Swizzle::IDENTITY && swizzle != xyw && swizzle.bits() != 0xa4 {
            self.error(Rule::Phases, format!("{register} is read as .xyz or .xyw"));
            return;
        }
        let seen = self.ps1.selectors.get_mut(usize::from(register.number));
        let Some(seen) = seen else {
            return;
        };
        let is_w = |swizzle: Swizzle| swizzle == xyw;
        if seen.is_some_and(|seen| is_w(seen) != is_w(swizzle)) {
            self.error(
                Rule::Phases,
                format!("{register} is always read with the same selector"),
            );
        } else {
            *seen = Some(swizzle);
        }
    }

    fn phase(&mut self) {
        if self.ps1.phase {
            self.error(Rule::Phases, "`phase` stands once");
        }
        self.ps1.phase = true;
        self.ps1.arithmetic = false;
        self.ps1.r0 = WriteMask::from_bits(self.ps1.r0.bits() & 7);
        // Alpha is lost (d3d9-shaders.md section 5.5).
        for number in 0..6 {
            let register = Register::new(File::Temp, number);
            let kept = self.written.get(register).bits() & 7;
            self.written.set(register, WriteMask::from_bits(kept));
        }
    }

    pub(super) fn ps_1_end(&mut self) {
        if !self.version.is_ps_1() {
            return;
        }
        if self.ps1.rows.is_some() {
            self.unfinished();
        }
        let r0 = self.ps1.r0;
        if r0.is_empty() {
            self.error(Rule::OldColor, "r0 is not written: it is the colour");
        } else if !r0.contains(Component::W) {
            let message = match self.version {
                Version::Ps14 if self.ps1.phase => {
                    "the alpha of r0 is not written in the second phase"
                }
                _ => "the alpha of r0 is not written",
            };
            self.error(Rule::OldColor, message);
        }
    }
}
