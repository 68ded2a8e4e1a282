//! Creates modified copies of instructions.

use agal::generate::Random;
use d3d9::D3d9Instruction;
use d3d9::opcode::D3d9Opcode;
use d3d9::operand::{Dest, Source, SourceModifier, WriteMask};

pub(crate) fn with_sources(old: &D3d9Instruction, sources: &[Source]) -> D3d9Instruction {
    let mut new = D3d9Instruction::new(old.opcode);
    (new.token, new.dest, new.predicate) = (old.token, old.dest, old.predicate);
    assert!(sources.iter().all(|source| new.push_source(*source)));
    assert!(old.literals().iter().all(|word| new.push_literal(*word)));
    new.surplus.clone_from(&old.surplus);
    new
}

/// Applies `change` to a random source operand for which `change` returns a different operand.
pub(crate) fn source(
    old: &D3d9Instruction,
    random: &mut Random,
    change: impl Fn(Source) -> Option<Source>,
) -> Option<D3d9Instruction> {
    let sources = old.sources();
    let changed = sources.iter().map(|source| change(*source)).enumerate();
    let changed: Vec<_> = changed
        .filter_map(|(place, new)| Some((place, new.filter(|new| *new != sources[place])?)))
        .collect();
    let chosen = random.below(u32::try_from(changed.len()).unwrap());
    let (place, new) = *changed.get(chosen as usize)?;
    let mut sources = sources.to_vec();
    sources[place] = new;
    Some(with_sources(old, &sources))
}

pub(crate) fn dest(
    old: &D3d9Instruction,
    change: impl Fn(Dest) -> Option<u32>,
) -> Option<D3d9Instruction> {
    let dest = old.dest?;
    let word = change(dest).filter(|word| *word != dest.word)?;
    let dest = Some(Dest { word, ..dest });
    let mut new = old.clone();
    new.dest = dest;
    Some(new)
}

pub(crate) fn mask(
    old: &D3d9Instruction,
    random: &mut Random,
    change: fn(u8, u8) -> u8,
) -> Option<D3d9Instruction> {
    let bit = 1 << random.below(4);
    dest(old, |dest| {
        let mask = WriteMask::from_bits(change(dest.mask().bits(), bit));
        Some(dest.with_mask(mask).word)
    })
}

pub(crate) fn swizzle(
    old: &D3d9Instruction,
    random: &mut Random,
    change: fn(u8, u32) -> u8,
) -> Option<D3d9Instruction> {
    let lane = random.below(4);
    source(old, random, |source| {
        let bits = u32::from(change(source.swizzle().bits(), lane));
        let word = source.word & !0x00ff_0000 | bits << 16;
        Some(Source { word, ..source })
    })
}

pub(crate) fn number(
    old: &D3d9Instruction,
    random: &mut Random,
    kinds: fn(u8) -> bool,
) -> Option<D3d9Instruction> {
    source(old, random, |source| {
        let word = source.word ^ 1;
        kinds(source.kind()).then_some(Source { word, ..source })
    })
}

pub(crate) fn index_component(source: Source) -> Option<Source> {
    // The component bits of an `aL` index have no meaning.
    let index = source.index.filter(|word| word >> 28 == 0xb)?;
    let index = Some(index ^ 0x0055_0000);
    Some(Source { index, ..source })
}

pub(crate) fn swapped(old: &D3d9Instruction) -> Option<D3d9Instruction> {
    match old.sources() {
        [a, b, rest @ ..] if a != b => Some(with_sources(old, &[&[*b, *a], rest].concat())),
        _ => None,
    }
}

pub(crate) fn modifier(
    old: &D3d9Instruction,
    random: &mut Random,
    from: SourceModifier,
    to: SourceModifier,
) -> Option<D3d9Instruction> {
    source(old, random, |source| {
        (source.modifier() == Some(from)).then(|| source.with_modifier(to))
    })
}

pub(crate) fn result(
    old: &D3d9Instruction,
    change: fn(u8) -> Option<u8>,
) -> Option<D3d9Instruction> {
    dest(old, |dest| {
        let bits = change(dest.modifiers().0)?;
        Some(dest.word & !0x00f0_0000 | u32::from(bits) << 20)
    })
}

pub(crate) fn shift(
    old: &D3d9Instruction,
    change: fn(u8) -> Option<u8>,
) -> Option<D3d9Instruction> {
    dest(old, |dest| {
        let bits = change(dest.shift_bits())?;
        Some(dest.word & !0x0f00_0000 | u32::from(bits) << 24)
    })
}

pub(crate) fn predicate(
    old: &D3d9Instruction,
    change: fn(Source) -> Option<Source>,
) -> Option<D3d9Instruction> {
    let predicate = change(old.predicate?);
    let token = if predicate.is_none() { old.token & !(1 << 28) } else { old.token };
    let mut new = old.clone();
    (new.predicate, new.token) = (predicate, token);
    Some(new)
}

pub(crate) fn comparison(old: &D3d9Instruction) -> Option<D3d9Instruction> {
    old.comparison().filter(|_| old.opcode.compares())?;
    let mut new = old.clone();
    // The codes of opposite comparisons add up to 7.
    new.set_control(old.control() ^ 7);
    Some(new)
}

pub(crate) fn plain_load(old: &D3d9Instruction) -> Option<D3d9Instruction> {
    let mut new = old.clone();
    new.set_control(0);
    (old.opcode == D3d9Opcode::Tex && old.control() != 0).then_some(new)
}
