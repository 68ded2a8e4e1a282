//! What the shader reads besides its control points.

/// Constant buffers, resources and samplers of a run. Numbers are those of the listing's names: `cb0`, `t0`, `s0`. What is
/// not there reads as 0, which every method does unless it is written anew.
pub trait Resources {
    /// A register of a constant buffer.
    fn constant(&self, slot: u32, register: u32) -> [u32; 4] {
        let _ = (slot, register);
        [0; 4]
    }
    /// A word of a raw or structured buffer; `word` counts words from the buffer's start. `None` is beyond its end.
    fn word(&self, slot: u32, word: u32) -> Option<u32> {
        let _ = (slot, word);
        None
    }
    /// A texel of a typed buffer or texture: address, its mip level last, and the sample of a multisampled texture.
    fn texel(&self, slot: u32, address: [i32; 4], sample: u32) -> [u32; 4] {
        let _ = (slot, address, sample);
        [0; 4]
    }
    /// What a sampler makes of a texture.
    fn sample(&self, request: &Sample) -> [u32; 4] {
        let _ = request;
        [0; 4]
    }
    /// Width, height, depth or array size, and mip levels of a texture; of a buffer its elements or bytes in front.
    fn size(&self, slot: u32, mip: u32) -> [u32; 4] {
        let _ = (slot, mip);
        [0; 4]
    }
}

/// Nothing is bound.
impl Resources for () {}

/// How a texture is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// `t#`
    pub resource: u32,
    /// `s#`
    pub sampler: u32,
    /// Coordinates, the array's element behind the others.
    pub coordinates: [f32; 4],
    /// Offsets in texels.
    pub offsets: [i32; 3],
    /// Which level of detail, and what comes of the texels.
    pub how: How,
}

/// What comes of the texels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum How {
    /// `sample_l`: this level of detail.
    Level(f32),
    /// `sample_d`: the level of detail of these derivatives by x and y.
    Gradients([f32; 4], [f32; 4]),
    /// `sample_c_lz`: level 0, compared with this.
    Compare(f32),
    /// `gather4`: a channel of four texels of level 0.
    Gather(u8),
    /// `gather4_c`: four texels of level 0, each compared with this.
    GatherCompare(f32),
}
