//! Generates sources and samplers of a token that follow the rules for registers, swizzles and pairs of sources.

use arbitrary::{Result, Unstructured as Bytes};

use super::program::ProgramBuilder;
use super::{bit, constant};
use crate::Stage;
use crate::opcode::{OpcodeSignature, SampleLevel, Unary, UnaryFormula};
use crate::operand::{Component, SecondOperand, SourceOperand, Swizzle, WriteMask};
use crate::register::RegisterFile;
use crate::sampler::{Dimension, Filter, Mip, SPECIAL_FLAGS, SamplerFormat, SamplerOperand, Wrap};

/// The allowed kinds of sources. Temporaries are always allowed.
#[derive(Clone, Copy)]
struct SourceKinds {
    constant: bool,
    /// Indirect constants `vc[…]`, if constants are allowed.
    indirect: bool,
    varying_only: bool,
}

const ANY: SourceKinds = SourceKinds { constant: true, indirect: true, varying_only: false };

const NO_CONSTANT: SourceKinds = SourceKinds { constant: false, ..ANY };

impl SourceKinds {
    /// Returns the allowed kinds of an opcode's only source (error 3625).
    fn alone(op: Unary) -> SourceKinds {
        match op {
            Unary::Formula(UnaryFormula::Mov) => ANY,
            Unary::Formula(_) | Unary::Derivative(_) | Unary::Normalize => NO_CONSTANT,
        }
    }

    /// Returns the source types that an instruction allows if its other source is `source`. Two constants are error
    /// 3625.
    fn beside(source: &SourceOperand) -> SourceKinds {
        if source.file == RegisterFile::Constant.code() { NO_CONSTANT } else { ANY }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Addressing {
    Direct(RegisterFile),
    Indirect,
}

/// The requirements for a register that an instruction reads.
#[derive(Clone, Copy)]
struct ReadRequirements {
    rows: u8,
    /// The components that must be written in each row of a matrix source.
    lanes: WriteMask,
}

impl ReadRequirements {
    const ONE: ReadRequirements = ReadRequirements { rows: 1, lanes: WriteMask::EMPTY };
}

impl ProgramBuilder<'_> {
    /// Generates both sources of a token, whose destination has this write mask.
    pub(super) fn sources(
        &mut self,
        u: &mut Bytes<'_>,
        signature: OpcodeSignature,
        mask: WriteMask,
    ) -> Result<(SourceOperand, SecondOperand)> {
        let none = SourceOperand::default();
        let (one, two) = match signature {
            OpcodeSignature::Block(_) => (none, none),
            OpcodeSignature::Kill => (self.scalar(u, NO_CONSTANT)?, none),
            OpcodeSignature::If(_) => {
                let one = self.scalar(u, ANY)?;
                let two = self.scalar(u, SourceKinds::beside(&one))?;
                (one, self.other(two, &one))
            }
            OpcodeSignature::Unary(op) => (self.source(u, SourceKinds::alone(op))?, none),
            OpcodeSignature::Binary(op) => {
                let lanes = op.reads().lanes(mask);
                if op.rows() == 1 {
                    let one = self.source(u, ANY)?;
                    (one, self.source(u, SourceKinds::beside(&one))?)
                } else {
                    let two = self.matrix(u, lanes, op.rows())?;
                    (self.source(u, SourceKinds::beside(&two))?, two)
                }
            }
            OpcodeSignature::Sample(lookup) => return self.lookup(u, lookup),
        };
        Ok((one, SecondOperand::Source(two)))
    }

    /// Returns the second source of a condition, which must differ from the first (error 3758).
    fn other(&self, two: SourceOperand, one: &SourceOperand) -> SourceOperand {
        // The generator never pairs two constants, so if both sources are equal, neither is a constant.
        let x = Swizzle::new([Component::X; 4]);
        if two == *one { SourceOperand { swizzle: x, ..constant() } } else { two }
    }

    fn lookup(
        &mut self,
        u: &mut Bytes<'_>,
        lookup: SampleLevel,
    ) -> Result<(SourceOperand, SecondOperand)> {
        let sampler = self.sampler(u)?;
        let allow = SourceKinds {
            // Coordinates of this opcode can't be indirect (error 3641).
            indirect: false,
            // In conditionals, texture coordinates must be a varying (error 3741).
            varying_only: lookup == SampleLevel::Implicit && self.in_conditional(),
            ..ANY
        };
        let coordinates = self.source(u, allow)?;
        Ok((coordinates, SecondOperand::Sampler(sampler)))
    }

    /// Generates a source register with a swizzle that selects only written components (error 3648).
    fn source(&mut self, u: &mut Bytes<'_>, allow: SourceKinds) -> Result<SourceOperand> {
        self.read(u, ReadRequirements::ONE, allow, |u, readable| {
            // If the bytes run out, `arbitrary` gives 0, which stands for the identity swizzle.
            let bits = u.arbitrary::<u8>()? ^ Swizzle::IDENTITY.bits();
            let swizzle = Swizzle::from_bits(bits).lanes();
            Ok(Swizzle::new(swizzle.map(|component| nth(readable, component))))
        })
    }

    /// Generates a source whose swizzle selects one component for all lanes (error 3703).
    fn scalar(&mut self, u: &mut Bytes<'_>, allow: SourceKinds) -> Result<SourceOperand> {
        self.read(u, ReadRequirements::ONE, allow, |u, readable| {
            let component = Component::from_bits(u.arbitrary()?);
            Ok(Swizzle::new([nth(readable, component); 4]))
        })
    }

    /// Generates a matrix: consecutive rows without a swizzle (3689). All rows in temporaries must be written, although
    /// players check only the first row.
    fn matrix(&mut self, u: &mut Bytes<'_>, lanes: WriteMask, rows: u8) -> Result<SourceOperand> {
        self.read(u, ReadRequirements { rows, lanes }, ANY, |_, _| Ok(Swizzle::IDENTITY))
    }

    fn read(
        &mut self,
        u: &mut Bytes<'_>,
        want: ReadRequirements,
        allow: SourceKinds,
        swizzle: impl FnOnce(&mut Bytes<'_>, WriteMask) -> Result<Swizzle>,
    ) -> Result<SourceOperand> {
        let kinds = self.kinds(want, allow);
        let temporary = Addressing::Direct(RegisterFile::Temporary);
        // Computed values are preferred over inputs, so that results are used.
        let kind = if kinds.contains(&temporary) && (self.gathers() || u.ratio(1, 2)?) {
            temporary
        } else {
            *u.choose(&kinds)?
        };
        let file = match kind {
            Addressing::Indirect => return self.indirect(u, swizzle),
            Addressing::Direct(file) => file,
        };
        let number = self.number(u, file, want)?;
        let readable = match file {
            RegisterFile::Temporary => self.written.temporary(number),
            _ => WriteMask::ALL,
        };
        self.note(file, number, want.rows);
        Ok(SourceOperand {
            number,
            swizzle: swizzle(u, readable)?,
            file: file.code(),
            ..SourceOperand::default()
        })
    }

    /// Generates `vc[index.component + offset]`. The index is in any register that may hold an index.
    fn indirect(
        &mut self,
        u: &mut Bytes<'_>,
        swizzle: impl FnOnce(&mut Bytes<'_>, WriteMask) -> Result<Swizzle>,
    ) -> Result<SourceOperand> {
        let index = ReadRequirements::ONE;
        let files = RegisterFile::ALL.iter().copied();
        let files = files.filter(|file| file.indexes() && self.has(*file, index));
        let file = *u.choose(&files.collect::<Vec<_>>())?;
        let number = self.number(u, file, index)?;
        let mut component = Component::from_bits(u.arbitrary()?);
        if file == RegisterFile::Temporary {
            component = nth(self.written.temporary(number), component);
        }
        self.note(file, number, index.rows);
        Ok(SourceOperand {
            number,
            offset: u.arbitrary()?,
            swizzle: swizzle(u, WriteMask::ALL)?,
            file: RegisterFile::Constant.code(),
            index_file: file.code(),
            index_component: component.bits(),
            indirect: true,
            reserved: 0,
        })
    }

    fn kinds(&self, want: ReadRequirements, allow: SourceKinds) -> Vec<Addressing> {
        let files = RegisterFile::ALL.iter().copied();
        let files = files.filter(|file| match file {
            RegisterFile::Varying => true,
            _ if allow.varying_only => false,
            RegisterFile::Constant => allow.constant,
            _ => true,
        });
        let direct = files.filter(|file| self.has(*file, want));
        let mut kinds: Vec<Addressing> = direct.map(Addressing::Direct).collect();
        let indirect = allow.constant && allow.indirect && self.options.features.indirect;
        if indirect && !allow.varying_only && self.stage == Stage::Vertex {
            kinds.push(Addressing::Indirect);
        }
        kinds
    }

    fn has(&self, file: RegisterFile, want: ReadRequirements) -> bool {
        file.view(self.stage).read.is_ok() && self.numbers(file, want).next().is_some()
    }

    /// Returns the numbers of the registers in `file` that fulfil `want`.
    fn numbers(&self, file: RegisterFile, want: ReadRequirements) -> impl Iterator<Item = u16> {
        let count = self.options.count(file, self.stage);
        let end = (count + 1).saturating_sub(want.rows.into());
        (0..end).filter(move |number| {
            let mut rows = (*number..).take(want.rows.into());
            match file {
                RegisterFile::Varying => rows.all(|row| self.varyings & bit(row) != 0),
                RegisterFile::Temporary if want.rows == 1 => {
                    !self.written.temporary(*number).is_empty()
                }
                // Players require all components of the first row to be written (error 3648).
                RegisterFile::Temporary => {
                    self.written.temporary(*number) == WriteMask::ALL
                        && rows.all(|row| self.written.temporary(row).contains_all(want.lanes))
                }
                _ => true,
            }
        })
    }

    fn number(&self, u: &mut Bytes<'_>, file: RegisterFile, want: ReadRequirements) -> Result<u16> {
        let numbers: Vec<u16> = self.numbers(file, want).collect();
        let unread = |n: &u16| self.unread & 1u32.checked_shl((*n).into()).unwrap_or(0) != 0;
        if file == RegisterFile::Temporary && (self.gathers() || u.ratio(4, 5)?) {
            let fresh: Vec<u16> = numbers.iter().copied().filter(unread).collect();
            if !fresh.is_empty() {
                return Ok(*u.choose(&fresh)?);
            }
        }
        Ok(*u.choose(&numbers)?)
    }

    fn note(&mut self, file: RegisterFile, number: u16, rows: u8) {
        for row in (number..).take(rows.into()) {
            match file {
                RegisterFile::Varying => self.varyings_read |= bit(row),
                RegisterFile::Temporary => {
                    self.unread &= !1u32.checked_shl(row.into()).unwrap_or(0);
                }
                _ => {}
            }
        }
    }

    /// Generates a sampler operand. All uses of a sampler register must have equal fields (error 3696).
    fn sampler(&mut self, u: &mut Bytes<'_>) -> Result<SamplerOperand> {
        let count = self.options.count(RegisterFile::Sampler, self.stage);
        let number = u.int_in_range(0..=count.saturating_sub(1))?;
        if let Some(Some(known)) = self.samplers.get(usize::from(number)) {
            return Ok(*known);
        }
        let dimension = *u.choose(Dimension::ALL)?;
        // Cube maps must have the wrap mode `clamp` (error 3662).
        let wraps = match dimension {
            Dimension::Cube => &[Wrap::Clamp],
            Dimension::TwoD => Wrap::ALL,
        };
        // Only implicit reads may use anisotropic filters (error 3804).
        let anisotropic = |filter: &&Filter| !matches!(filter, Filter::Nearest | Filter::Linear);
        let filters = Filter::ALL.iter();
        let filters =
            filters.filter(|filter| self.stage == Stage::Fragment || !anisotropic(filter));
        let operand = SamplerOperand {
            number,
            bias: if u.ratio(1, 2)? { 0 } else { u.arbitrary()? },
            file: RegisterFile::Sampler.code(),
            reserved: 0,
            format: u.choose(SamplerFormat::ALL)?.code(),
            dimension: dimension.code(),
            special: u.arbitrary::<u8>()? & SPECIAL_FLAGS,
            wrap: u.choose(wraps)?.code(),
            mip: u.choose(Mip::ALL)?.code(),
            filter: u.choose(&filters.collect::<Vec<_>>())?.code(),
        };
        if let Some(slot) = self.samplers.get_mut(usize::from(number)) {
            *slot = Some(operand);
        }
        Ok(operand)
    }
}

/// Returns `component` if the mask `of` contains this component. If the mask lacks `component`, the index of
/// `component` selects a component of the mask.
fn nth(of: WriteMask, component: Component) -> Component {
    if of.contains(component) {
        return component;
    }
    let index = usize::from(component.bits()) % of.len().max(1);
    of.iter().nth(index).unwrap_or(component)
}
