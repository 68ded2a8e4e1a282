//! The resources that the host binds: constant buffers, buffers and textures.

/// The constant buffers, resources and samplers that a shader reads. Slots are the numbers in `cb0`, `t0` and `s0`. By
/// default, all methods return 0, as for missing resources.
pub trait HullResources {
    /// Returns the value of a constant buffer's register.
    fn constant(&self, _slot: u32, _register: u32) -> [u32; 4] {
        [0; 4]
    }
    /// Returns the dword at an index of a raw or structured buffer, or `None` past the end.
    fn word(&self, _slot: u32, _word: u32) -> Option<u32> {
        None
    }
    /// Returns a texel of a typed buffer or texture. The last component of the address is the mip level; `_sample` is
    /// the MSAA sample.
    fn texel(&self, _slot: u32, _address: [i32; 4], _sample: u32) -> [u32; 4] {
        [0; 4]
    }
    /// Samples a texture with a sampler.
    fn sample(&self, _request: &TextureSample) -> [u32; 4] {
        [0; 4]
    }
    /// Returns a texture's width, height, depth or array size, and mip level count. For a buffer, the first component
    /// is the number of elements or bytes.
    fn size(&self, _slot: u32, _mip: u32) -> [u32; 4] {
        [0; 4]
    }
}

impl HullResources for () {}

/// A texture read with a sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextureSample {
    /// The index of the texture `t#`.
    pub resource: u32,
    /// The index of the sampler `s#`.
    pub sampler: u32,
    /// The coordinates, followed by the array index.
    pub coordinates: [f32; 4],
    /// The immediate texel offsets.
    pub offsets: [i32; 3],
    /// The type of read, including the level of detail.
    pub op: SampleOp,
}

/// The type of a texture read with a sampler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SampleOp {
    /// `sample_l`: samples at an explicit level of detail.
    Level(f32),
    /// `sample_d`: samples with explicit derivatives along x and y.
    Gradients([f32; 4], [f32; 4]),
    /// `sample_c_lz`: samples mip level 0 and compares with a reference value.
    Compare(f32),
    /// `gather4`: returns this channel of four texels at mip level 0.
    Gather(u8),
    /// `gather4_c`: compares four texels at mip level 0 with a reference value.
    GatherCompare(f32),
}
