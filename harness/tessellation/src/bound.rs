//! Constant buffers and buffers that a run has.

use std::collections::BTreeMap;

use hs50::hull::Hull;
use hs50::interp::Resources;
use hs50::names::Dimension;

/// What is bound, for the interpreter and the driver alike. What is not there reads as 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bound {
    /// Registers of constant buffers by their slots.
    pub constants: BTreeMap<u32, Vec<[u32; 4]>>,
    /// Words of raw and structured buffers, and texels of typed ones (a word each), by their slots.
    pub words: BTreeMap<u32, Vec<u32>>,
}

impl Bound {
    /// Something for everything that a shader declares, from a seed.
    pub fn random(hull: &Hull, random: &mut impl FnMut() -> u32) -> Bound {
        let mut bound = Bound::default();
        for buffer in &hull.buffers {
            let registers =
                (0..buffer.size.clamp(1, 64)).map(|_| [(); 4].map(|()| small(random())));
            bound.constants.insert(buffer.slot, registers.collect());
        }
        for resource in &hull.resources {
            bound
                .words
                .insert(resource.slot, (0..64).map(|_| small(random())).collect());
        }
        bound
    }
}

/// A float from -8 to 8 in steps of 1/16, as bits.
pub(super) fn small(random: u32) -> u32 {
    let step = u8::try_from(random & 0xff).unwrap_or(0);
    ((f32::from(step) - 128.0) / 16.0).to_bits()
}

impl Resources for Bound {
    fn constant(&self, slot: u32, register: u32) -> [u32; 4] {
        let buffer = self.constants.get(&slot);
        buffer
            .and_then(|buffer| buffer.get(register as usize))
            .copied()
            .unwrap_or_default()
    }

    fn word(&self, slot: u32, word: u32) -> Option<u32> {
        self.words.get(&slot)?.get(word as usize).copied()
    }

    fn texel(&self, slot: u32, [place, ..]: [i32; 4], _: u32) -> [u32; 4] {
        let word = u32::try_from(place)
            .ok()
            .and_then(|place| self.word(slot, place));
        // One channel: what is missing of a colour is 0, and alpha 1.
        word.map_or([0; 4], |word| [word, 0, 0, 1])
    }

    fn size(&self, slot: u32, _: u32) -> [u32; 4] {
        let words = self.words.get(&slot).map_or(0, Vec::len);
        [u32::try_from(words).unwrap_or(u32::MAX), 0, 0, 0]
    }
}

/// Has a shader resources that only the interpreter's caller can give: textures, which [`Bound`] does not hold?
pub(super) fn has_textures(hull: &Hull) -> bool {
    let buffers = [
        Dimension::RawBuffer,
        Dimension::StructuredBuffer,
        Dimension::Buffer,
    ];
    hull.resources
        .iter()
        .any(|resource| !buffers.contains(&resource.dimension))
}
