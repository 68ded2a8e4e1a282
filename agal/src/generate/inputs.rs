//! Random inputs of a pair: values of registers and textures that reveal errors.

use arbitrary::{Result, Unstructured as Bytes};

use crate::Interface;
use crate::interp::{ImageError, TexelImage};
use crate::register::RegisterFile;
use crate::sampler::{Dimension, SamplerOp};
use crate::{AgalVersion, Stage};

/// A random input of a pair: attributes, constants and textures.
#[derive(Clone, Debug, PartialEq)]
pub struct PairInputs {
    /// The attributes by register number: as many as the newest AGAL version has.
    pub attributes: Vec<[f32; 4]>,
    /// The registers `vc`, of which there are [`Interface::vertex_constants`].
    pub vertex_constants: Vec<[f32; 4]>,
    /// The registers `fc`, of which there are [`Interface::fragment_constants`].
    pub fragment_constants: Vec<[f32; 4]>,
    /// The varyings at the quad's first pixel, by number, for running a fragment program alone.
    pub varyings: Vec<[f32; 4]>,
    /// The increment of each varying from one pixel to the next in x.
    pub varyings_dx: Vec<[f32; 4]>,
    /// The increment of each varying from one pixel to the next in y.
    pub varyings_dy: Vec<[f32; 4]>,
    /// The 0-based instance index, a small number.
    pub instance_id: u32,
    /// The texture of each sampler in [`Interface::samplers`].
    pub textures: Vec<Option<InputTexture>>,
    /// The texture of each sampler in [`Interface::vertex_samplers`].
    pub vertex_textures: Vec<Option<InputTexture>>,
}

/// A texture with all its mip levels. Width and height are 1 to 8 texels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputTexture {
    /// The dimension of the texture: 2D or cube.
    pub dimension: Dimension,
    /// The mip levels, largest first, down to one texel. The levels' contents differ, so that tests detect a read of
    /// the wrong level.
    pub levels: Vec<MipTexels>,
}

impl InputTexture {
    /// Returns the texture for the interpreter, or an error if the sizes of the levels don't agree.
    pub fn image(&self) -> std::result::Result<TexelImage, ImageError> {
        let size = |level: &MipTexels| {
            let side = |texels: usize| u32::try_from(texels).map_err(|_| ImageError::Size);
            Ok((side(level.width)?, side(level.height)?))
        };
        let first = self.levels.first().ok_or(ImageError::Levels)?;
        let float = |texel: &[u8; 4]| texel.map(|byte| f32::from(byte) / 255.0);
        let texels = |level: &MipTexels| level.texels.iter().map(float).collect();
        let levels = self.levels.iter().map(texels).collect();
        TexelImage::new(self.dimension.faces(), size(first)?, levels)
    }
}

/// A mip level of a texture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MipTexels {
    /// The width in texels.
    pub width: usize,
    /// The height in texels.
    pub height: usize,
    /// The red, green, blue and alpha of each texel, in rows from the top. A cube map has six faces in the order of
    /// [`cube`](crate::cube).
    pub texels: Vec<[u8; 4]>,
}

const LARGEST: u32 = 3;

/// Edge cases of arithmetic: signed zeros, ones, integers, halves, and the smallest and largest numbers whose results
/// are exact or nearly exact.
const INTERESTING: [f32; 20] = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, 4.0, 0.25, -0.25, 1.5, 10.0, 255.0, -100.0,
    1e-3, 1e3, 1e-10, 1e10,
];

/// Infinities, NaN, and the largest and smallest normal numbers.
const SPECIAL: [f32; 5] = [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN_POSITIVE];

impl PairInputs {
    /// Generates inputs for a pair. With `special`, one value in sixteen is infinite, NaN, or the largest or smallest
    /// normal number. If the bytes run out, the values are zero.
    pub fn new(u: &mut Bytes<'_>, interface: &Interface, special: bool) -> Result<PairInputs> {
        let count = |file: RegisterFile, stage| {
            let most = AgalVersion::ALL.iter().filter_map(|v| file.version_count(stage, *v));
            most.max().unwrap_or(0)
        };
        let attributes = count(RegisterFile::Attribute, Stage::Vertex);
        let varyings = count(RegisterFile::Varying, Stage::Fragment);
        let mut bank = |count: u16| registers(count, || number(u, special));
        let attributes = bank(attributes)?;
        let vertex_constants = bank(interface.vertex_constants)?;
        let fragment_constants = bank(interface.fragment_constants)?;
        let first = bank(varyings)?;
        let (dx, dy) = (slopes(u, varyings)?, slopes(u, varyings)?);
        Ok(PairInputs {
            attributes,
            vertex_constants,
            fragment_constants,
            varyings: first,
            varyings_dx: dx,
            varyings_dy: dy,
            instance_id: u.int_in_range(0..=7)?,
            textures: textures(u, &interface.samplers)?,
            vertex_textures: textures(u, &interface.vertex_samplers)?,
        })
    }
}

/// Returns `count` registers, whose components are the results of `next`.
fn registers(count: u16, mut next: impl FnMut() -> Result<f32>) -> Result<Vec<[f32; 4]>> {
    let register = |_| Ok([next()?, next()?, next()?, next()?]);
    (0..count).map(register).collect()
}

/// Returns a float of a size that is usual in shaders, mostly a multiple of 1/1000 between -4 and 4.
fn number(u: &mut Bytes<'_>, special: bool) -> Result<f32> {
    if special && u.int_in_range(0..=15u8)? == 15 {
        return Ok(*u.choose(&SPECIAL)?);
    }
    match u.int_in_range(0..=3u8)? {
        0 => Ok(*u.choose(&INTERESTING)?),
        1 => Ok(f32::from(u.int_in_range(-8..=8i8)?)),
        _ => Ok(f32::from(u.int_in_range(-4000..=4000i16)?) / 1000.0),
    }
}

/// Returns multiples of 1/64 between -1/2 and 1/2, so that sums with small numbers are nearly exact.
fn slopes(u: &mut Bytes<'_>, count: u16) -> Result<Vec<[f32; 4]>> {
    registers(count, || Ok(f32::from(u.int_in_range(-32..=32i8)?) / 64.0))
}

fn textures(
    u: &mut Bytes<'_>,
    samplers: &[Option<SamplerOp>],
) -> Result<Vec<Option<InputTexture>>> {
    let made = samplers.iter().map(|sampler| {
        let sampler = sampler.as_ref();
        sampler.map(|sampler| texture(u, sampler.dimension)).transpose()
    });
    made.collect()
}

fn texture(u: &mut Bytes<'_>, dimension: Dimension) -> Result<InputTexture> {
    let mut width = 1usize << u.int_in_range(0..=LARGEST)?;
    let mut height = match dimension {
        Dimension::TwoD => 1usize << u.int_in_range(0..=LARGEST)?,
        Dimension::Cube => width,
    };
    let mut levels = Vec::new();
    loop {
        let count = width * height * usize::from(dimension.faces());
        let mut texels = Vec::with_capacity(count);
        for _ in 0..count {
            texels.push(u.arbitrary()?);
        }
        levels.push(MipTexels { width, height, texels });
        if (width, height) == (1, 1) {
            return Ok(InputTexture { dimension, levels });
        }
        (width, height) = ((width / 2).max(1), (height / 2).max(1));
    }
}
