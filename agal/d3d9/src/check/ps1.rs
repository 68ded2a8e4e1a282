//! Rules 7, 27, 41 to 43 and 47: pixel shaders of model 1.

use super::Checker;
use super::rule::Rule;
use crate::opcode::{Kind, Opcode, Texture};
use crate::operand::{Component, Modifier, Swizzle, WriteMask};
use crate::program::Instruction;
use crate::register::{File, Register};
use crate::version::Version;

/// An open sequence of matrix rows.
#[derive(Clone, Copy, Debug)]
struct Rows {
    /// Number of rows of the matrix.
    all: u8,
    /// Number of rows so far.
    seen: u8,
    /// Stage of the last one.
    stage: u16,
    /// Their source.
    source: u16,
}

/// State of the ps_1_x rules between instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    /// The previous instruction, for co-issue: its write mask, and whether it can be half of a pair.
    before: Option<(WriteMask, bool)>,
    /// An open sequence of matrix rows.
    rows: Option<Rows>,
    /// The `t#` registers read by `texbem`, as bits; no other instruction may read them.
    bumps: u8,
    /// The component selector of each `t#` in ps_1_4.
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
            let register = source.register(self.version);
            let constant = register.is_some_and(|register| register.file == File::Const);
            if constant && source.modifier() != Some(Modifier::None) {
                if self.version == Version::Ps14 {
                    self.error(
                        Rule::ConstantModifier,
                        "a constant can't have a modifier in ps_1_4",
                    );
                } else {
                    let message = "a constant has a modifier, which drivers treat differently";
                    self.warning(Rule::ConstantModifier, message);
                }
            }
        }
        if instruction.opcode == Opcode::Cnd && self.version.is_ps_1_1_to_1_3() {
            let source = instruction.source(0);
            let r0 = Some(Register::new(File::Temp, 0));
            let alpha = source.swizzle() == Swizzle::new([Component::W; 4]);
            let plain = source.modifier() == Some(Modifier::None);
            if source.register(self.version) != r0 || !alpha || !plain {
                self.error(Rule::Cnd, "`cnd` must test r0.a");
            }
        }
        match instruction.opcode.kind() {
            Kind::Texture(texture) => match self.version {
                Version::Ps14 => self.stage_4(instruction, texture),
                _ => self.stage(instruction, texture),
            },
            Kind::Phase => self.phase(),
            Kind::Nop => {}
            kind => {
                // `bem r.rg` (d3d9-shaders.md section 5.5).
                if kind == Kind::Bem && instruction.mask() != WriteMask::first(2) {
                    self.error(Rule::Phases, "`bem` must write xy");
                }
                self.ps1.arithmetic = true;
                self.bump_reads(instruction);
                self.unfinished();
            }
        }
        if instruction.dest_register(self.version) == Some(Register::new(File::Temp, 0)) {
            self.ps1.r0 = self.ps1.r0.union(instruction.mask());
        }
    }

    /// Rule 7: co-issue.
    fn pair(&mut self, instruction: &Instruction) {
        let mask = instruction.dest.map_or(WriteMask::EMPTY, |dest| dest.mask());
        let texture = matches!(instruction.opcode.kind(), Kind::Texture(_) | Kind::Phase);
        let never = texture || matches!(instruction.opcode, Opcode::Dp4 | Opcode::Bem);
        let before = self.ps1.before.replace((mask, !never && !instruction.is_co_issued()));
        if !instruction.is_co_issued() {
            return;
        }
        let alpha = WriteMask::from_bits(8);
        let apart = |a: WriteMask, b: WriteMask| a == alpha && !b.contains(Component::W);
        let name = instruction.opcode.name(self.version);
        let (first, pairs) = before.unwrap_or_default();
        let both = apart(first, mask) || apart(mask, first);
        first! { self;
            error CoIssue if before.is_none() => "there is no instruction before to co-issue with";
            error CoIssue if never => "`{name}` can't be co-issued";
            error CoIssue if !pairs => "the instruction before can't be co-issued";
            error CoIssue if !both => "of two co-issued instructions, one must write color and the other alpha";
        }
    }

    /// Reports an open sequence of matrix rows that another instruction interrupts.
    fn unfinished(&mut self) {
        first! { self; error Addressing if self.ps1.rows.take().is_some() => "a matrix has no last row"; }
    }

    fn stage(&mut self, instruction: &Instruction, texture: Texture) {
        first! { self;
            error Addressing if self.ps1.arithmetic => "texture instructions must come before arithmetic instructions";
        }
        let Some(dest) = instruction.dest_register(self.version) else {
            return;
        };
        if matches!(texture, Texture::Coordinate | Texture::Kill | Texture::Load) {
            self.unfinished();
            return;
        }
        let source = instruction.source(0);
        let Some(from) = source.register(self.version) else {
            return;
        };
        let name = instruction.opcode.name(self.version);
        let bump = matches!(texture, Texture::Bem { .. });
        let unsigned = bump || matches!(texture, Texture::FromRegister(_));
        let signed = matches!(source.modifier(), Some(Modifier::Sign | Modifier::SignNegate));
        let bit = 1 << from.number.min(7);
        let below = from.file == File::Texture && from.number < dest.number;
        let taken = self.ps1.bumps & bit != 0;
        first! { self;
            error Addressing if !below => "`{name}` must read a t# with a lower number than its destination";
            error Addressing if taken => "{from} is read by `texbem`, so no other instruction can read it";
            error Addressing if signed && unsigned => "`{name}` doesn't allow `_bx2`";
        }
        if bump {
            self.ps1.bumps |= bit;
        }
        self.rows(texture, dest.number, from.number);
    }

    fn rows(&mut self, texture: Texture, stage: u16, source: u16) {
        let (all, last) = match texture {
            Texture::Pad { rows } => (rows, false),
            Texture::MatrixLoad { rows } => (rows, true),
            Texture::MatrixDepth => (2, true),
            Texture::Reflect { .. } | Texture::MatrixValue => (3, true),
            _ => {
                self.unfinished();
                return;
            }
        };
        let before = self.ps1.rows.take();
        let goes_on = |rows: &Rows| {
            let next = rows.stage.checked_add(1) == Some(stage);
            rows.all == all && next && rows.source == source
        };
        let seen = before.filter(goes_on).map_or(0, |rows| rows.seen);
        let seen = seen.saturating_add(1);
        let apart = before.is_some() && seen == 1;
        first! { self;
            error Addressing if apart || (seen == all) != last =>
                "matrix rows must be consecutive, with one source, up to the last row";
        }
        // After an error, the row is the first of another matrix.
        let seen = if seen < all { seen } else { 1 };
        self.ps1.rows = (!last).then_some(Rows { all, seen, stage, source });
    }

    fn bump_reads(&mut self, instruction: &Instruction) {
        for register in instruction.registers(self.version) {
            let bit = 1 << register.number.min(7);
            if register.file == File::Texture && self.ps1.bumps & bit != 0 {
                let message =
                    format!("{register} is read by `texbem`, so no other instruction can read it");
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
            self.error(Rule::Phases, "texture instructions must come first in a phase");
        }
        match texture {
            Texture::Depth => {
                let r5 = Some(Register::new(File::Temp, 5));
                if dest.register(self.version) != r5 || !self.ps1.phase {
                    self.error(Rule::Phases, "`texdepth` must take r5 in the second phase");
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
        let divided = source.modifier() == Some(Modifier::DivideZ);
        let through_w = source.modifier() == Some(Modifier::DivideW);
        self.ps1.divisions += u32::from(divided);
        let coordinate = texture == Texture::Coordinate;
        let temp = from.file == File::Temp;
        let mask = dest.mask();
        let partial = texture == Texture::Load && mask != WriteMask::ALL;
        let three = mask.bits() == 7 && !through_w;
        first! { self;
            error Phases if temp && (!self.ps1.phase || coordinate) => "`{name}` can't read an r#: only `texld` can, in the second phase";
            error Phases if divided && !temp => "`_dz` is allowed only on r#";
            error Phases if self.ps1.divisions > 2 => "`_dz` is used more than twice";
            error Phases if partial => "`texld` of ps_1_4 must write all components of an r#";
            error Phases if coordinate && mask.bits() != 3 && !three => "`texcrd` must write xyz or xy (with `_dw`, xy)";
        }
        self.selector(from, source.swizzle());
    }

    fn selector(&mut self, register: Register, swizzle: Swizzle) {
        if register.file != File::Texture {
            return;
        }
        // `.xyz` is the identity swizzle; `.xyw` is encoded with w in the last two components.
        let xyw = Swizzle::from_bits(0xf4);
        if swizzle != Swizzle::IDENTITY && swizzle != xyw && swizzle.bits() != 0xa4 {
            self.error(Rule::Phases, format!("{register} must be read as .xyz or .xyw"));
            return;
        }
        let Some(seen) = self.ps1.selectors.get_mut(usize::from(register.number)) else {
            return;
        };
        if seen.is_some_and(|seen| (seen == xyw) != (swizzle == xyw)) {
            let message = format!("{register} must always be read with the same selector");
            self.error(Rule::Phases, message);
        } else {
            *seen = Some(swizzle);
        }
    }

    fn phase(&mut self) {
        first! { self; error Phases if self.ps1.phase => "`phase` is used twice"; }
        self.ps1.phase = true;
        self.ps1.arithmetic = false;
        self.ps1.r0 = self.ps1.r0.intersection(WriteMask::first(3));
        // A phase change loses alpha (d3d9-shaders.md section 5.5).
        for number in 0..6 {
            let register = Register::new(File::Temp, number);
            let kept = self.written.get(register).intersection(WriteMask::first(3));
            self.written.set(register, kept);
        }
    }

    pub(super) fn ps_1_end(&mut self) {
        if !self.version.is_ps_1() {
            return;
        }
        self.unfinished();
        let r0 = self.ps1.r0;
        if r0.is_empty() {
            self.error(Rule::OldColor, "r0, the output color, is not written");
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
