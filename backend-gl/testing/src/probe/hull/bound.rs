//! Resources of a run: constant buffers, other buffers, textures and samplers.

use std::collections::BTreeMap;

use context3d::agal::interp::TexelImage;
use context3d::agal::sampler::{Filter, Mip, SamplerOp, Wrap};
use hs50::hull::Hull;
use hs50::interp::{HullResources, TextureSample};
use hs50::operand::OperandKind;

use super::texture::{self, SAMPLER};

/// The bound resources, for the interpreter and the driver alike. A slot without a resource reads as 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoundResources {
    pub constants: BTreeMap<u32, Vec<[u32; 4]>>,
    /// Raw and structured buffers as words, and typed buffers with a word for each texel, by slot.
    pub words: BTreeMap<u32, Vec<u32>>,
    pub textures: BTreeMap<u32, TexelImage>,
    /// Samplers by slot; [`SAMPLER`] is the default.
    pub samplers: BTreeMap<u32, SamplerOp>,
}

/// Number of levels of random textures, and the side of the largest.
const LEVELS: u32 = 4;
const SIDE: u32 = 1 << (LEVELS - 1);
/// Number of random samplers: even slots filter linearly, odd slots read the nearest texel.
const SAMPLERS: u32 = 2;

impl BoundResources {
    pub fn random(hull: &Hull, random: &mut impl FnMut() -> u32) -> BoundResources {
        let mut bound = BoundResources::default();
        for (slot, buffer) in hull.bindings_of(OperandKind::ConstantBuffer) {
            let registers = 0..buffer.size.clamp(1, 64);
            let registers = registers.map(|_| [(); 4].map(|()| small(random())));
            bound.constants.insert(slot, registers.collect());
        }
        for (slot, resource) in hull.bindings_of(OperandKind::Resource) {
            let Some(dimension) = resource.dimension.and_then(texture::dimension) else {
                let words = (0..64).map(|_| small(random()));
                bound.words.insert(slot, words.collect());
                continue;
            };
            let levels = (0..LEVELS).map(|level| {
                let texels = u32::from(dimension.faces()) * (SIDE >> level).pow(2);
                let texel = |_| [(); 4].map(|()| f32::from_bits(small(random())));
                (0..texels).map(texel).collect()
            });
            let texture = TexelImage::new(dimension.faces(), (SIDE, SIDE), levels.collect());
            bound.textures.extend(texture.map(|texture| (slot, texture)));
        }
        for slot in 0..SAMPLERS {
            let linear = slot % 2 == 0;
            let filter = if linear { Filter::Linear } else { Filter::Nearest };
            let mip = if linear { Mip::Linear } else { Mip::Nearest };
            let wrap = if random().is_multiple_of(2) { Wrap::Clamp } else { Wrap::Repeat };
            let sampler = SamplerOp { filter, mip, wrap, ..SAMPLER };
            bound.samplers.insert(slot, sampler);
        }
        bound
    }
}

/// Returns the bits of a float from -8 to 8 in steps of 1/16.
pub(super) fn small(random: u32) -> u32 {
    let step = u8::try_from(random & 0xff).unwrap_or(0);
    ((f32::from(step) - 128.0) / 16.0).to_bits()
}

impl HullResources for BoundResources {
    fn constant(&self, slot: u32, register: u32) -> [u32; 4] {
        let buffer = self.constants.get(&slot);
        buffer.and_then(|buffer| buffer.get(register as usize)).copied().unwrap_or_default()
    }

    fn word(&self, slot: u32, word: u32) -> Option<u32> {
        self.words.get(&slot)?.get(word as usize).copied()
    }

    fn texel(&self, slot: u32, address: [i32; 4], _: u32) -> [u32; 4] {
        if let Some(texture) = self.textures.get(&slot) {
            return texture::texel(texture, address);
        }
        let [texel, ..] = address;
        let word = u32::try_from(texel).ok().and_then(|texel| self.word(slot, texel));
        // The texel has one channel: the missing colour channels are 0, and alpha is 1.
        word.map_or([0; 4], |word| [word, 0, 0, 1])
    }

    fn sample(&self, request: &TextureSample) -> [u32; 4] {
        let texture = self.textures.get(&request.resource);
        let sampler = self.sampler(request.sampler);
        texture.map_or([0; 4], |texture| texture::sample(texture, &sampler, request))
    }

    fn size(&self, slot: u32, level: u32) -> [u32; 4] {
        if let Some(texture) = self.textures.get(&slot) {
            return texture::info(texture, level);
        }
        let words = self.words.get(&slot).map_or(0, Vec::len);
        [u32::try_from(words).unwrap_or(u32::MAX), 0, 0, 0]
    }
}

impl BoundResources {
    pub(super) fn sampler(&self, slot: u32) -> SamplerOp {
        self.samplers.get(&slot).copied().unwrap_or(SAMPLER)
    }
}
