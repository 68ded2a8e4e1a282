//! The native limits of `baselineConstrained` (3715 to 3721), counted by a model of the native code.
//!
//! Flash translates a linked pair to Direct3D 9 shader model 2 and counts there (agal.md section 5: 64 arithmetic and
//! 32 texture instructions, 4 dependent reads; `sge`, `slt`, `seq` and `sne` are expensive without predicates). Its
//! translator is not public, so exact counts can't be reproduced. This is a model of it (unverified) that rejects no
//! program that the player accepted: each token costs the fewest `ps_2_0` or `vs_2_0` instruction slots that compute
//! it. The shader model's restrictions on swizzles, coordinates and outputs cost nothing extra.
//!
//! - Tokens that a copy, a source modifier or an instruction modifier of another instruction can replace are free:
//!   `mov`, `neg`, and in fragment programs `sat`.
//! - A scalar instruction (`rcp`, `rsq`, `log`, `exp`) is needed once for each different component that is read; all
//!   others work on four components at once.
//! - Dependent reads are the longest chain: a texture read counts one more than the reads that its coordinates depend
//!   on. A read whose coordinates depend on no texture counts zero.
//! - Constants are the program's own and the literals of the native code; temporaries are the program's own and the
//!   scratch registers of its most demanding token.

use super::ValidProgram;
use crate::error::{AgalError, ErrorKind};
use crate::ir::{Action, Address, Read};
use crate::isa::opcode::{Binary, Opcode};
use crate::isa::operand::{Component, WriteMask};
use crate::isa::register::{MAX_TRACKED, RegisterFile};
use crate::isa::version::{Stage, Version};

/// What a program of AGAL 1 needs in native code: the fewest of each that compute it. A model, see
/// [`ValidProgram::native_cost`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NativeCost {
    /// Arithmetic instruction slots.
    pub alu: u32,
    /// Texture instruction slots: `tex` and `kil`.
    pub texture: u32,
    /// Constant registers, those for literals included.
    pub constants: u32,
    /// Temporary registers, scratch registers included.
    pub temporaries: u32,
    /// Varyings that are read or written.
    pub varyings: u32,
    /// Texture reads on the longest chain whose coordinates come from another texture read.
    pub dependent_reads: u32,
}

impl NativeCost {
    /// Instruction slots of both kinds.
    pub fn instructions(&self) -> u32 {
        self.alu.saturating_add(self.texture)
    }
}

macro_rules! limit {
    (-) => {
        None
    };
    ($limit:literal) => {
        Some($limit)
    };
}

macro_rules! limits {
    ($($kind:ident $what:ident fragment $fragment:tt vertex $vertex:tt;)*) => {
        /// The limits that a program exceeds, by number: the error, the limit and what the program needs.
        fn exceeded(stage: Stage, cost: &NativeCost) -> Option<(ErrorKind, u32, u32)> {
            let rows: [(ErrorKind, Option<u32>, u32); _] = [$((
                ErrorKind::$kind,
                match stage {
                    Stage::Fragment => limit!($fragment),
                    Stage::Vertex => limit!($vertex),
                },
                needed!($what cost),
            ),)*];
            let over = |(kind, limit, needed)| Some((kind, limit?, needed));
            rows.into_iter().filter_map(over).find(|(_, limit, needed)| needed > limit)
        }
    };
}

macro_rules! needed {
    (instructions $cost:ident) => {
        $cost.instructions()
    };
    ($field:ident $cost:ident) => {
        $cost.$field
    };
}

// Arithmetic, texture and dependent reads of fragment programs: agal.md section 5. All other limits are Direct3D 9's:
// ps_2_0 has 32 constants, 12 temporaries and 8 texture coordinates; vs_2_0 has 256 slots of any kind, 256 constants,
// 12 temporaries and 8 texture coordinates. The reference gives 64 and 32 for "each native shader", but they are limits
// of ps_2_0 alone; a vertex program gets vs_2_0's, which are higher (unverified).
limits! {
    NativeInstructions    instructions    fragment -  vertex 256;
    NativeAlu             alu             fragment 64 vertex -;
    NativeTexture         texture         fragment 32 vertex -;
    NativeConstants       constants       fragment 32 vertex 256;
    NativeTemporaries     temporaries     fragment 12 vertex 12;
    NativeVaryings        varyings        fragment 8  vertex 8;
    NativeIndirectTexture dependent_reads fragment 4  vertex -;
}

/// Literals that native code needs beside the program's constants, as bits; each bit is one constant register.
const NONE: u8 = 0;
/// 0 and 1, for `cmp`.
const UNIT: u8 = 0b0001;
/// Range reduction and the two registers of `sincos`.
const SINE: u8 = 0b1110;

/// What one opcode costs.
struct Slots {
    /// Arithmetic slots whatever the operands, in fragment and in vertex programs.
    alu: [u8; 2],
    /// Texture slots.
    texture: u8,
    /// More arithmetic slots for each different component of source 1, of source 2, and for each different pair.
    each: [u8; 3],
    /// Registers beside the destination.
    scratch: u8,
    /// Which literals.
    literals: u8,
}

macro_rules! slots {
    ($($opcode:ident alu $fragment:literal $vertex:literal texture $texture:literal
        each $a:literal $b:literal $pair:literal scratch $scratch:literal literals $literals:ident;)*) => {
        impl Slots {
            /// `None`: not AGAL 1, and the profile with limits runs nothing else.
            fn of(opcode: Opcode) -> Option<&'static Slots> {
                match opcode {
                    $(Opcode::$opcode => Some(const { &Slots {
                        alu: [$fragment, $vertex],
                        texture: $texture,
                        each: [$a, $b, $pair],
                        scratch: $scratch,
                        literals: $literals,
                    } }),)*
                    _ => None,
                }
            }
        }
    };
}

// The slots of ps_2_0 and vs_2_0: `nrm` is 3, `sincos` 8, `crs` 2, `pow` is log, mul, exp. vs_2_0 has sge and slt, ps_2_0
// only a difference and `cmp`; neither has seq and sne, nor vs_2_0 a saturating move. A matrix is one dot product for
// each row that is written. `texkill` is a texture instruction.
slots! {
    Mov alu 0 0 texture 0 each 0 0 0 scratch 0 literals NONE;
    Add alu 1 1 texture 0 each 0 0 0 scratch 0 literals NONE;
    Sub alu 1 1 texture 0 each 0 0 0 scratch 0 literals NONE;
    Mul alu 1 1 texture 0 each 0 0 0 scratch 0 literals NONE;
    Div alu 1 1 texture 0 each 0 1 0 scratch 1 literals NONE;
    Rcp alu 0 0 texture 0 each 1 0 0 scratch 0 literals NONE;
    Min alu 1 1 texture 0 each 0 0 0 scratch 0 literals NONE;
    Max alu 1 1 texture 0 each 0 0 0 scratch 0 literals NONE;
    Frc alu 1 1 texture 0 each 0 0 0 scratch 0 literals NONE;
    Sqt alu 0 0 texture 0 each 2 0 0 scratch 1 literals NONE;
    Rsq alu 0 0 texture 0 each 1 0 0 scratch 0 literals NONE;
    Pow alu 1 1 texture 0 each 1 0 1 scratch 1 literals NONE;
    Log alu 0 0 texture 0 each 1 0 0 scratch 0 literals NONE;
    Exp alu 0 0 texture 0 each 1 0 0 scratch 0 literals NONE;
    Nrm alu 3 3 texture 0 each 0 0 0 scratch 1 literals NONE;
    Sin alu 8 8 texture 0 each 0 0 0 scratch 2 literals SINE;
    Cos alu 8 8 texture 0 each 0 0 0 scratch 2 literals SINE;
    Crs alu 2 2 texture 0 each 0 0 0 scratch 1 literals NONE;
    Dp3 alu 1 1 texture 0 each 0 0 0 scratch 0 literals NONE;
    Dp4 alu 1 1 texture 0 each 0 0 0 scratch 0 literals NONE;
    Abs alu 1 1 texture 0 each 0 0 0 scratch 0 literals NONE;
    Neg alu 0 0 texture 0 each 0 0 0 scratch 0 literals NONE;
    Sat alu 0 2 texture 0 each 0 0 0 scratch 1 literals NONE;
    M33 alu 1 1 texture 0 each 0 0 0 scratch 1 literals NONE;
    M44 alu 1 1 texture 0 each 0 0 0 scratch 1 literals NONE;
    M34 alu 1 1 texture 0 each 0 0 0 scratch 1 literals NONE;
    Kil alu 0 0 texture 1 each 0 0 0 scratch 0 literals NONE;
    Tex alu 0 0 texture 1 each 0 0 0 scratch 0 literals NONE;
    Sge alu 2 1 texture 0 each 0 0 0 scratch 1 literals UNIT;
    Slt alu 2 1 texture 0 each 0 0 0 scratch 1 literals UNIT;
    Seq alu 3 3 texture 0 each 0 0 0 scratch 2 literals UNIT;
    Sne alu 3 3 texture 0 each 0 0 0 scratch 2 literals UNIT;
}

impl ValidProgram {
    /// What the program needs in native code, by the cost model of this crate. `None` for programs above AGAL 1: no
    /// profile limits their native code.
    pub fn native_cost(&self) -> Option<NativeCost> {
        if self.program.agal_version() > Version::V1 {
            return None;
        }
        let mut count = Count::default();
        for step in &self.steps {
            count.add(self.program.stage(), step.opcode, &step.action);
        }
        let usage = &self.usage;
        let written = |file| usage.writes(file).registers().count_ones();
        Some(NativeCost {
            constants: u32::from(usage.constants).saturating_add(count.literals.count_ones()),
            temporaries: written(RegisterFile::Temporary).saturating_add(count.scratch.into()),
            varyings: usage
                .reads(RegisterFile::Varying)
                .count_ones()
                .max(written(RegisterFile::Varying)),
            ..count.cost
        })
    }

    /// Checks the native limits of the profile that the program was validated for. [`link`](crate::link()) does this for
    /// both programs, after all else.
    ///
    /// # Errors
    /// The first of 3715 to 3721 that [`ValidProgram::native_cost`] exceeds; only `baselineConstrained` has such limits.
    pub fn native_limits(&self) -> Result<(), AgalError> {
        if !self.profile.has_native_limits() {
            return Ok(());
        }
        let stage = self.program.stage();
        let cost = self.native_cost();
        match cost.and_then(|cost| exceeded(stage, &cost)) {
            None => Ok(()),
            Some((kind, limit, found)) => {
                let report = kind.report().subject(stage);
                Err(report.detail(limit).found(found).into())
            }
        }
    }
}

/// The counts while the tokens go by.
#[derive(Default)]
struct Count {
    cost: NativeCost,
    literals: u8,
    scratch: u8,
    /// For each component of each temporary: how many texture reads are chained in its value.
    chains: [[u32; 4]; MAX_TRACKED],
}

impl Count {
    fn add(&mut self, stage: Stage, opcode: Opcode, action: &Action) {
        let Some(slots) = Slots::of(opcode) else {
            return;
        };
        let [fragment, vertex] = slots.alu;
        let fixed = u32::from(match stage {
            Stage::Fragment => fragment,
            Stage::Vertex => vertex,
        });
        let alu = fixed.saturating_mul(rows_written(action)).saturating_add(
            slots
                .each
                .iter()
                .zip(different(action))
                .fold(0, |sum, (each, count)| {
                    u32::from(*each).saturating_mul(count).saturating_add(sum)
                }),
        );
        self.cost.alu = self.cost.alu.saturating_add(alu);
        self.cost.texture = self.cost.texture.saturating_add(slots.texture.into());
        self.scratch = self.scratch.max(slots.scratch);
        self.literals |= slots.literals;
        self.chain(action);
    }

    /// Hands the length of the chain from the sources on to the destination.
    fn chain(&mut self, action: &Action) {
        let Some(dest) = action.dest() else {
            return;
        };
        if let Action::Sample(..) = action {
            let before = self.length(action, Component::X).saturating_sub(1);
            self.cost.dependent_reads = self.cost.dependent_reads.max(before);
        }
        if dest.file != RegisterFile::Temporary {
            return;
        }
        let lengths = Component::ALL.map(|component| self.length(action, component));
        if let Some(chains) = self.chains.get_mut(usize::from(dest.number)) {
            let components = Component::ALL.into_iter().zip(lengths).zip(chains);
            for ((component, length), chain) in components {
                if dest.mask.contains(component) {
                    *chain = length;
                }
            }
        }
    }

    /// The chain in one component of a result.
    fn length(&self, action: &Action, component: Component) -> u32 {
        let lane = WriteMask::EMPTY.with(component);
        match action {
            Action::Block(_) | Action::Kill(_) | Action::If(..) => 0,
            Action::Unary(op, _, a) => self.longest(a, op.reads().lanes(lane), 1),
            Action::Binary(op, _, a, b) => {
                let lanes = op.reads().lanes(lane);
                let longest = self.longest(a, lanes, 1);
                longest.max(self.longest(b, lanes, op.rows()))
            }
            Action::Sample(_, _, coordinates, sampler) => {
                let lanes = WriteMask::first(sampler.dimension.coordinates());
                self.longest(coordinates, lanes, 1).saturating_add(1)
            }
        }
    }

    /// The longest chain in what a source reads.
    fn longest(&self, read: &Read, lanes: WriteMask, rows: u8) -> u32 {
        let Address::Direct(RegisterFile::Temporary, number) = read.address else {
            return 0;
        };
        let first = usize::from(number);
        let registers = self.chains.get(first..first.saturating_add(rows.into()));
        let selected = read.swizzle.selected(lanes);
        let values = registers.unwrap_or_default().iter().flat_map(|chains| {
            let lanes = Component::ALL.into_iter().zip(chains);
            lanes.filter_map(|(lane, chain)| selected.contains(lane).then_some(*chain))
        });
        values.max().unwrap_or(0)
    }
}

/// How often the fixed slots are needed: once, for a matrix once for each row that is written.
fn rows_written(action: &Action) -> u32 {
    match action {
        Action::Binary(Binary::Matrix { rows, .. }, dest, ..) => {
            let rows = WriteMask::first(*rows);
            dest.mask
                .iter()
                .filter(|row| rows.contains(*row))
                .map(|_| 1)
                .sum()
        }
        _ => 1,
    }
}

/// How many different components the written lanes read: of source 1, of source 2, and pairs of both.
fn different(action: &Action) -> [u32; 3] {
    let (mask, a, b) = match action {
        Action::Unary(_, dest, a) => (dest.mask, a, a),
        Action::Binary(_, dest, a, b) => (dest.mask, a, b),
        _ => return [0; 3],
    };
    let pairs = mask.iter().fold(0u16, |set, lane| {
        let pair = a.swizzle.get(lane).bits() * 4 + b.swizzle.get(lane).bits();
        set | 1 << pair
    });
    let count = |read: &Read| u32::from(read.swizzle.selected(mask).bits()).count_ones();
    [count(a), count(b), pairs.count_ones()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::RaisedBy;

    /// Why 3718, 3719 and 3720 are never raised: the most that AGAL 1 allows in the profile, with every literal and the
    /// most scratch registers, is within the native limits.
    #[test]
    fn registers_always_fit() {
        let profile = crate::Profile::BaselineConstrained;
        let slots = || Opcode::ALL.iter().filter_map(|opcode| Slots::of(*opcode));
        let literals = slots().fold(0, |all, slots| all | slots.literals);
        let scratch = slots().map(|slots| slots.scratch).max().unwrap();
        for stage in [Stage::Vertex, Stage::Fragment] {
            let count =
                |file: RegisterFile| u32::from(file.count(stage, Version::V1, profile).unwrap());
            let most = NativeCost {
                constants: count(RegisterFile::Constant) + literals.count_ones(),
                temporaries: count(RegisterFile::Temporary) + u32::from(scratch),
                varyings: count(RegisterFile::Varying),
                ..NativeCost::default()
            };
            assert_eq!(exceeded(stage, &most), None);
            for more in [
                NativeCost {
                    constants: 300,
                    ..most
                },
                NativeCost {
                    temporaries: 13,
                    ..most
                },
                NativeCost {
                    varyings: 9,
                    ..most
                },
            ] {
                let (kind, limit, found) = exceeded(stage, &more).unwrap();
                assert!(matches!(kind.raised_by(), RaisedBy::Never(_)), "{kind:?}");
                assert!(found > limit);
            }
        }
    }

    /// A row for every opcode of AGAL 1, and for no other.
    #[test]
    fn rows_are_those_of_agal_1() {
        for opcode in Opcode::ALL {
            let first = opcode.info().since == Some(Version::V1);
            assert_eq!(Slots::of(*opcode).is_some(), first, "{}", opcode.name());
        }
    }
}
