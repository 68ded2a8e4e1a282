//! The host's resources: constant buffers, buffers and textures.

/// Constant buffers, resources and samplers of a run. Slots are the numbers in the listing's names: `cb0`, `t0`, `s0`.
/// Missing resources read as 0, the default of every method.
pub trait Resources {
    /// Returns a register of a constant buffer.
    fn constant(&self, _slot: u32, _register: u32) -> [u32; 4] {
        [0; 4]
    }
    /// Returns a word of a raw or structured buffer, whose words are counted from its start; `None` beyond the end.
    fn word(&self, _slot: u32, _word: u32) -> Option<u32> {
        None
    }
    /// Returns a texel of a typed buffer or texture. The address ends with the mip level; `_sample` is for
    /// multisampling.
    fn texel(&self, _slot: u32, _address: [i32; 4], _sample: u32) -> [u32; 4] {
        [0; 4]
    }
    /// Samples a texture.
    fn sample(&self, _request: &Sample) -> [u32; 4] {
        [0; 4]
    }
    /// Returns the width, height, depth or array size, and number of mip levels of a texture. For a buffer, the number
    /// of elements or bytes comes first.
    fn size(&self, _slot: u32, _mip: u32) -> [u32; 4] {
        [0; 4]
    }
}

impl Resources for () {}

/// A texture read with a sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The number of the resource `t#`.
    pub resource: u32,
    /// The number of the sampler `s#`.
    pub sampler: u32,
    /// Coordinates, then the array index.
    pub coordinates: [f32; 4],
    /// The texel offsets of the instruction.
    pub offsets: [i32; 3],
    /// The operation, with its level of detail.
    pub op: SampleOp,
}

/// The operation of a texture read with a sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SampleOp {
    /// `sample_l`: at this level of detail.
    Level(f32),
    /// `sample_d`: at the level of detail of these derivatives along x and y.
    Gradients([f32; 4], [f32; 4]),
    /// `sample_c_lz`: at level 0, compared with this value.
    Compare(f32),
    /// `gather4`: this channel of four texels at level 0.
    Gather(u8),
    /// `gather4_c`: four texels at level 0, each compared with this value.
    GatherCompare(f32),
}
