//! Rules 7, 27, 41 to 43 and 47, which apply to pixel shaders of model 1.

use super::D3d9Checker;
use super::rule::D3d9Rule;
use crate::opcode::{D3d9Opcode, Operation, TextureOp};
use crate::operand::{Component, SourceModifier, Swizzle, WriteMask};
use crate::program::D3d9Instruction;
use crate::register::{D3d9Register, ShaderFile};

/// An open sequence of texture matrix instructions, such as `texm3x3pad`.
#[derive(Clone, Copy, Debug)]
struct MatrixRows {
    /// The number of matrix rows, and how many rows have been seen.
    all: u8,
    seen: u8,
    /// The texture stage of the matrix row that was seen last.
    stage: u16,
    /// The source register of all rows of the matrix.
    source: u16,
}

/// State of the ps_1_x rules between two instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct Ps1State {
    /// For co-issue: the previous instruction's write mask, and whether the instruction can be half of a pair.
    before: Option<(WriteMask, bool)>,
    rows: Option<MatrixRows>,
    /// Bit n: `texbem` has read `t<n>`, so no other instruction may read it.
    bumps: u8,
    /// The component selector used with each `t#` register in ps_1_4.
    selectors: [Option<Swizzle>; 6],
    divisions: u32,
    phase: bool,
    /// True if the current phase already contains an arithmetic instruction.
    arithmetic: bool,
    r0: WriteMask,
}

fn alpha() -> WriteMask {
    WriteMask::EMPTY.with(Component::W)
}

impl D3d9Checker<'_> {
    pub(super) fn ps_1(&mut self, instruction: &D3d9Instruction) {
        self.pair(instruction);
        let r0 = Some(ShaderFile::Temp.at(0));
        let old = self.version.is_ps_1_1_to_1_3();
        for source in instruction.sources() {
            let register = source.register(self.version);
            let constant = register.is_some_and(|register| register.file == ShaderFile::Const);
            let modified = constant && source.modifier() != Some(SourceModifier::None);
            report! { self;
                error ConstantModifier if modified && !old => "a constant can't have a modifier in ps_1_4";
                warning ConstantModifier if modified => "a constant has a modifier, which drivers treat differently";
            }
        }
        let source = instruction.source(0);
        let alpha = source.swizzle() == Swizzle::new([Component::W; 4])
            && source.modifier() == Some(SourceModifier::None)
            && source.register(self.version) == r0;
        let cnd = instruction.opcode == D3d9Opcode::Cnd;
        report! { self; error Cnd if cnd && old && !alpha => "`cnd` must test r0.a"; }
        match instruction.opcode.operation() {
            Operation::Texture(texture) if old => self.stage(instruction, texture),
            Operation::Texture(texture) => self.stage_4(instruction, texture),
            Operation::Phase => self.phase(),
            Operation::Nop => {}
            kind => {
                // The only valid destination of `bem` is `r#.rg` ([d3d9.ps1.bem]).
                let wrong = kind == Operation::Bem && instruction.mask() != WriteMask::first(2);
                report! { self; error Phases if wrong => "`bem` must write xy"; }
                self.ps1.arithmetic = true;
                self.bump_reads(instruction);
                self.unfinished();
            }
        }
        if instruction.dest_register(self.version) == r0 {
            self.ps1.r0 = self.ps1.r0.union(instruction.mask());
        }
    }

    fn pair(&mut self, instruction: &D3d9Instruction) {
        let opcode = instruction.opcode;
        let mask = instruction.dest.map_or(WriteMask::EMPTY, |dest| dest.mask());
        let never = matches!(
            opcode.operation(),
            Operation::Texture(_) | Operation::Phase | Operation::Dot(4) | Operation::Bem
        );
        let paired = instruction.is_co_issued();
        let before = self.ps1.before.replace((mask, !never && !paired));
        let apart = |a: WriteMask, b: WriteMask| a == alpha() && !b.contains(Component::W);
        let name = opcode.name(self.version);
        let (first, pairs) = before.unwrap_or_default();
        let both = apart(first, mask) || apart(mask, first);
        report! { self;
            error CoIssue if paired && before.is_none() => "there is no previous instruction to co-issue with";
            error CoIssue if paired && never => "`{name}` can't be co-issued";
            error CoIssue if paired && !pairs => "the previous instruction can't be co-issued";
            error CoIssue if paired && !both => "of two co-issued instructions, one must write color and the other alpha";
        }
    }

    /// Reports a matrix whose rows are interrupted by another instruction.
    fn unfinished(&mut self) {
        let open = self.ps1.rows.take().is_some();
        report! { self; error Addressing if open => "a matrix has no last row"; }
    }

    fn stage(&mut self, instruction: &D3d9Instruction, texture: TextureOp) {
        report! { self; error Addressing if self.ps1.arithmetic =>
        "texture instructions must come before arithmetic instructions"; }
        let Some(dest) = instruction.dest_register(self.version) else { return };
        if matches!(texture, TextureOp::Coordinate | TextureOp::Kill | TextureOp::Load) {
            return self.unfinished();
        }
        let source = instruction.source(0);
        let Some(from) = source.register(self.version) else { return };
        let name = instruction.opcode.name(self.version);
        let bump = matches!(texture, TextureOp::Bem { .. });
        let unsigned = bump || matches!(texture, TextureOp::FromRegister(_));
        let signed =
            matches!(source.modifier(), Some(SourceModifier::Sign | SourceModifier::SignNegate));
        let bit = 1 << from.number.min(7);
        let below = from.file == ShaderFile::Texture && from.number < dest.number;
        report! { self;
            error Addressing if !below => "`{name}` must read a t# with a lower number than its destination";
            error Addressing if self.ps1.bumps & bit != 0 => "{from} is read by `texbem`, so no other instruction can read it";
            error Addressing if signed && unsigned => "`{name}` doesn't allow `_bx2`";
        }
        if bump {
            self.ps1.bumps |= bit;
        }
        self.rows(texture, dest.number, from.number);
    }

    fn rows(&mut self, texture: TextureOp, stage: u16, source: u16) {
        let (all, last) = match texture {
            TextureOp::Pad { rows } => (rows, false),
            TextureOp::MatrixLoad { rows } => (rows, true),
            TextureOp::MatrixDepth => (2, true),
            TextureOp::Reflect { .. } | TextureOp::MatrixValue => (3, true),
            _ => return self.unfinished(),
        };
        let before = self.ps1.rows.take();
        let goes_on = |rows: &MatrixRows| {
            let next = rows.stage.checked_add(1) == Some(stage);
            rows.all == all && next && rows.source == source
        };
        let seen = before.filter(goes_on).map_or(0, |rows| rows.seen).saturating_add(1);
        let apart = before.is_some() && seen == 1;
        report! { self; error Addressing if apart || (seen == all) != last =>
        "matrix rows must be consecutive, with one source, up to the last row"; }
        // After an error, the row counts as the first row of a new matrix.
        let seen = if seen < all { seen } else { 1 };
        self.ps1.rows = (!last).then_some(MatrixRows { all, seen, stage, source });
    }

    fn bump_reads(&mut self, instruction: &D3d9Instruction) {
        for register in instruction.registers(self.version) {
            let bit = 1 << register.number.min(7);
            let bumped = register.file == ShaderFile::Texture && self.ps1.bumps & bit != 0;
            report! { self; error Addressing if bumped =>
            "{register} is read by `texbem`, so no other instruction can read it"; }
        }
    }

    fn stage_4(&mut self, instruction: &D3d9Instruction, texture: TextureOp) {
        let Some(dest) = instruction.dest else { return };
        let late = self.ps1.arithmetic && texture != TextureOp::Depth;
        report! { self; error Phases if late => "texture instructions must come first in a phase"; }
        let source = instruction.source(0);
        let phase = self.ps1.phase;
        let from = match (texture, source.register(self.version)) {
            (TextureOp::Depth, _) => {
                let r5 = Some(ShaderFile::Temp.at(5));
                let wrong = dest.register(self.version) != r5 || !phase;
                report! { self; error Phases if wrong => "`texdepth` must take r5 in the second phase"; }
                return;
            }
            (TextureOp::Kill, _) | (_, None) => return,
            (_, Some(from)) => from,
        };
        let name = instruction.opcode.name(self.version);
        let divided = source.modifier() == Some(SourceModifier::DivideZ);
        let through_w = source.modifier() == Some(SourceModifier::DivideW);
        self.ps1.divisions += u32::from(divided);
        let coordinate = texture == TextureOp::Coordinate;
        let temp = from.file == ShaderFile::Temp;
        let mask = dest.mask();
        let partial = texture == TextureOp::Load && mask != WriteMask::ALL;
        let three = mask.bits() == 7 && !through_w;
        report! { self;
            error Phases if temp && (!phase || coordinate) => "`{name}` can't read an r#: only `texld` can, in the second phase";
            error Phases if divided && !temp => "`_dz` is allowed only on r#";
            error Phases if self.ps1.divisions > 2 => "`_dz` is used more than twice";
            error Phases if partial => "`texld` of ps_1_4 must write all components of an r#";
            error Phases if coordinate && mask.bits() != 3 && !three => "`texcrd` must write xyz or xy (with `_dw`, xy)";
        }
        self.selector(from, source.swizzle());
    }

    fn selector(&mut self, register: D3d9Register, swizzle: Swizzle) {
        let selector = self.ps1.selectors.get_mut(usize::from(register.number));
        let Some(seen) = selector.filter(|_| register.file == ShaderFile::Texture) else { return };
        // The swizzle `.xyz` is encoded as the identity; `.xyw` is encoded with w in the last two components.
        let xyw = Swizzle::from_bits(0xf4);
        let known = swizzle == Swizzle::IDENTITY || swizzle == xyw || swizzle.bits() == 0xa4;
        let other = seen.is_some_and(|seen| (seen == xyw) != (swizzle == xyw));
        if known && !other {
            *seen = Some(swizzle);
        }
        report! { self;
            error Phases if !known => "{register} must be read as .xyz or .xyw";
            error Phases if other => "{register} must always be read with the same selector";
        }
    }

    fn phase(&mut self) {
        report! { self; error Phases if self.ps1.phase => "`phase` is used twice"; }
        self.ps1.phase = true;
        self.ps1.arithmetic = false;
        self.ps1.r0 = self.ps1.r0.without(alpha());
        // The instruction `phase` makes alpha undefined ([d3d9.ps1.phase]).
        for number in 0..6 {
            let register = ShaderFile::Temp.at(number);
            self.written.set(register, self.written.get(register).without(alpha()));
        }
    }

    pub(super) fn ps_1_end(&mut self) {
        if !self.version.is_ps_1() {
            return;
        }
        self.unfinished();
        let r0 = self.ps1.r0;
        let opaque = r0.contains(Component::W);
        report! { self;
            error OldColor if r0.is_empty() => "r0, the output color, is not written";
            error OldColor if !opaque && self.ps1.phase => "the alpha of r0 is not written in the second phase";
            error OldColor if !opaque => "the alpha of r0 is not written";
        }
    }
}
