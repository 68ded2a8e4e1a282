//! Textures of a run: 2D and cube textures of floats, sampled by AGAL's interpreter and by the driver.

use context3d::agal::interp::TexelImage;
use context3d::agal::sampler::{Dimension, Filter, Mip, SamplerFormat, SamplerOp, Wrap};
use hs50::interp::{SampleOp, TextureSample};
use hs50::names;

/// The default sampler: linear filters, clamped coordinates.
pub const SAMPLER: SamplerOp = SamplerOp {
    register: 0,
    lod_bias: 0,
    format: SamplerFormat::Rgba,
    dimension: Dimension::TwoD,
    centroid: false,
    single: false,
    ignore_sampler: false,
    wrap: Wrap::Clamp,
    mip: Mip::Linear,
    filter: Filter::Linear,
};

/// Returns the texture dimension for a declared resource; `None` without support.
pub(super) fn dimension(resource: names::Dimension) -> Option<Dimension> {
    match resource {
        names::Dimension::Texture2d => Some(Dimension::TwoD),
        names::Dimension::TextureCube => Some(Dimension::Cube),
        _ => None,
    }
}

/// Returns the images in the layout for the driver: face by face, all levels of each.
pub(super) fn images(texture: &TexelImage) -> Vec<&[[f32; 4]]> {
    let faces = usize::from(texture.faces());
    let levels = || (0..).map_while(|level| texture.level(level));
    let images = (0..faces).flat_map(|face| {
        levels().map(move |(.., texels)| {
            let count = texels.len() / faces;
            texels.get(face * count..(face + 1) * count).unwrap_or(&[])
        })
    });
    images.collect()
}

fn count_levels(texture: &TexelImage) -> usize {
    (0..).take_while(|level| texture.level(*level).is_some()).count()
}

/// Returns the result of `resinfo`: width, height, 0, and the number of levels.
pub(super) fn info(texture: &TexelImage, level: u32) -> [u32; 4] {
    let levels = u32::try_from(count_levels(texture)).unwrap_or(u32::MAX);
    texture
        .level(level as usize)
        .map_or([0, 0, 0, levels], |(width, height, _)| [width, height, 0, levels])
}

/// Returns a texel's bits; 0 outside of the texture ([hs50.value.beyond]).
pub(super) fn texel(texture: &TexelImage, [x, y, _, level]: [i32; 4]) -> [u32; 4] {
    let find = || {
        let (width, height, texels) = texture.level(usize::try_from(level).ok()?)?;
        let (x, y) = (u32::try_from(x).ok()?, u32::try_from(y).ok()?);
        let texel = (x < width && y < height).then_some(y * width + x)?;
        texels.get(texel as usize)
    };
    find().copied().unwrap_or_default().map(f32::to_bits)
}

#[expect(clippy::cast_precision_loss, reason = "sides are at most 16384")]
fn sides(texture: &TexelImage) -> (f32, f32) {
    let (width, height) = texture.size();
    (width as f32, height as f32)
}

/// Samples the texture. Samples with comparison return 0: [`super::TessellationError::Textures`] rejects them.
#[expect(clippy::cast_precision_loss, reason = "sides are at most 16384")]
pub(super) fn sample(
    texture: &TexelImage,
    sampler: &SamplerOp,
    request: &TextureSample,
) -> [u32; 4] {
    let (width, height) = sides(texture);
    let level = match request.op {
        SampleOp::Level(level) => level,
        SampleOp::Gradients([dx, ex, fx, _], [dy, ey, fy, _]) => {
            let long = |u: f32, v: f32, w: f32| match texture.faces() {
                1 => (u * width).hypot(v * height),
                _ => (u * width).hypot(v * width).hypot(w * width) * 0.5,
            };
            long(dx, ex, fx).max(long(dy, ey, fy)).log2()
        }
        SampleOp::Gather(channel) => return gather(texture, sampler, request, channel),
        SampleOp::Compare(_) | SampleOp::GatherCompare(_) => return [0; 4],
    };
    let [x, y, z, w] = request.coordinates;
    let last = count_levels(texture).saturating_sub(1) as f32;
    let level = level.clamp(0.0, last);
    // Offsets are in texels of the level that is sampled.
    let of_level = |level: f32| {
        let [u, v, _] = request.offsets.map(|offset| offset as f32 * level.exp2());
        let at = match texture.faces() {
            1 => [x + u / width, y + v / height, z, w],
            _ => [x, y, z, w],
        };
        texture.sample(sampler, at, level)
    };
    let share = match sampler.mip {
        Mip::Linear => level.fract(),
        Mip::None | Mip::Nearest => return of_level((level + 0.5).floor()).map(f32::to_bits),
    };
    let (below, above) = (of_level(level.floor()), of_level((level + 1.0).floor()));
    let both = below.iter().zip(above);
    let mut mixed = both.map(|(below, above)| below + (above - below) * share);
    [(); 4].map(|()| mixed.next().unwrap_or(0.0).to_bits())
}

/// Returns one channel of the four texels of level 0 that a linear filter blends: bottom left, bottom right, top right,
/// top left.
#[expect(clippy::cast_precision_loss, reason = "sides are at most 16384")]
fn gather(
    texture: &TexelImage,
    sampler: &SamplerOp,
    request: &TextureSample,
    channel: u8,
) -> [u32; 4] {
    let nearest = SamplerOp { filter: Filter::Nearest, mip: Mip::None, ..*sampler };
    let sides = <[f32; 2]>::from(sides(texture));
    let corner = |axis: usize, more: f32| {
        let offset = request.offsets[axis] as f32;
        let first = (request.coordinates[axis] * sides[axis] - 0.5).floor();
        (first + offset + more + 0.5) / sides[axis]
    };
    [(0.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)].map(|(right, down)| {
        let at = [corner(0, right), corner(1, down), 0.0, 0.0];
        texture.sample(&nearest, at, 0.0)[usize::from(channel & 3)].to_bits()
    })
}
