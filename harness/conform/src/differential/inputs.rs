//! The inputs of compared programs: values for a grid of shader invocations, derived from one set of values.

use agal::Interface;
use agal::generate::{InputTexture, PairInputs, Random, seed_bytes};
use agal::interp::{LANES, TexelImage};
use arbitrary::Unstructured;
use molehill_testing::probe::LinearVarying;

use super::error_model::{flushed, interpolated};

/// The width and height of the grid, in vertices or pixels.
pub const SIDE: u16 = 4;
const COUNT: u16 = SIDE * SIDE;

/// Generates random inputs from a seed. `bytes` must be large enough that [`arbitrary`] can't fail.
pub(super) fn generated_inputs(
    interface: &Interface,
    seed: u64,
    bytes: usize,
) -> Option<PairInputs> {
    PairInputs::new(&mut Unstructured::new(&seed_bytes(seed, bytes)), interface, false).ok()
}

/// The input values of every register for every shader invocation, derived from one set of [`PairInputs`].
pub struct InputGrid<'a> {
    pub(super) inputs: &'a PairInputs,
    pub(super) fragment: Vec<Option<TexelImage>>,
    pub(super) vertex: Vec<Option<TexelImage>>,
}

impl<'a> InputGrid<'a> {
    pub fn new(inputs: &'a PairInputs) -> Self {
        let images = |textures: &[Option<InputTexture>]| {
            let image = |texture: &InputTexture| texture.image().ok();
            let images = textures.iter().map(|t| t.as_ref().and_then(image));
            images.collect()
        };
        InputGrid {
            inputs,
            fragment: images(&inputs.textures),
            vertex: images(&inputs.vertex_textures),
        }
    }

    pub(super) fn groups() -> u16 {
        COUNT / 4
    }

    /// Returns the index of the invocation in a lane of a group, for vertices and for pixels with flat varyings.
    pub(super) fn number(group: u16, lane: u16) -> usize {
        usize::from(group * 4 + lane)
    }

    /// Returns the grid position of the invocation in a lane of a 2×2 quad.
    pub(super) fn position(group: u16, lane: u16) -> (u16, u16) {
        let quads = SIDE / 2;
        let (x, y) = (group % quads * 2, group / quads * 2);
        (x + lane % 2, y + lane / 2)
    }

    pub(super) fn plane(&self, number: usize) -> LinearVarying {
        let get = |bank: &[[f32; 4]]| bank.get(number).copied().unwrap_or_default();
        LinearVarying {
            origin: get(&self.inputs.varyings),
            dx: get(&self.inputs.varyings_dx),
            dy: get(&self.inputs.varyings_dy),
        }
    }

    /// Passes register, lane and value of each attribute to `set`. With `errors`, denormals may become zero.
    pub(super) fn vertices(
        &self,
        group: u16,
        mut errors: Option<&mut Random>,
        mut set: impl FnMut(u16, usize, [f32; 4]),
    ) {
        for lane in 0..LANES {
            let vertex = Self::number(group, u16::try_from(lane).unwrap_or(0));
            for (number, register) in (0u16..).zip(0..self.inputs.attributes.len()) {
                let value = spread(&self.inputs.attributes, register, vertex);
                set(number, lane, errors.as_deref_mut().map_or(value, |it| flushed(value, it)));
            }
        }
    }

    /// Passes the varyings of a group to the function `set`: flat, or with `linear` interpolated over a quad. With
    /// `errors`, the values have a driver's interpolation errors.
    pub(super) fn pixels(
        &self,
        linear: bool,
        group: u16,
        mut errors: Option<&mut Random>,
        mut set: impl FnMut(u16, usize, [f32; 4]),
    ) {
        for (lane, index) in (0..LANES).zip(0u16..) {
            let pixel = Self::number(group, index);
            let (x, y) = Self::position(group, index);
            for (number, register) in (0u16..).zip(0..self.inputs.varyings.len()) {
                if !linear {
                    let value = spread(&self.inputs.varyings, register, pixel);
                    set(number, lane, errors.as_deref_mut().map_or(value, |it| flushed(value, it)));
                    continue;
                }
                let plane = self.plane(register);
                let mut value = plane.at(x, y);
                if let Some(random) = errors.as_deref_mut() {
                    let side = f32::from(SIDE);
                    for (i, value) in value.iter_mut().enumerate() {
                        let size = |bank: [f32; 4]| bank.get(i).map_or(0.0, |v| v.abs());
                        let most = size(plane.origin) + side * (size(plane.dx) + size(plane.dy));
                        *value = interpolated(*value, most, random);
                    }
                }
                set(number, lane, value);
            }
        }
    }
}

/// Returns the input value of a register for an invocation. Invocations use values of different registers.
fn spread(values: &[[f32; 4]], register: usize, invocation: usize) -> [f32; 4] {
    let index = (register + invocation * 3) % values.len().max(1);
    values.get(index).copied().unwrap_or_default()
}

/// Returns attributes or flat varyings in the layout that the driver reads: by register, then by invocation.
pub(super) fn columns(values: &[[f32; 4]]) -> Vec<Vec<[f32; 4]>> {
    let column = |register| (0..COUNT.into()).map(move |n| spread(values, register, n));
    (0..values.len()).map(|register| column(register).collect()).collect()
}

/// Returns the texels of a generated texture in upload order: all mip levels of a face, face by face.
pub(super) fn faces(texture: &InputTexture) -> Vec<&[[u8; 4]]> {
    let mut images = Vec::new();
    for face in 0..usize::from(texture.dimension.faces()) {
        for level in &texture.levels {
            let size = level.width * level.height;
            let texels = level.texels.get(face * size..(face + 1) * size);
            images.push(texels.unwrap_or(&[]));
        }
    }
    images
}
