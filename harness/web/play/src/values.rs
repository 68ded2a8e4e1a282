//! Parses values of registers: `1,2,3,4`. Slashes separate the values of several lanes or texels.

use agal::interp::{LANES, LaneRegister, TexelImage};
use agal::sampler::Dimension;

/// The default values of components that are missing ([agal.attribute.missing]).
const REST: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Parses vectors that slashes separate. Each vector has one to four numbers.
fn vectors(text: &str) -> Result<Vec<[f32; 4]>, String> {
    let vector = |text: &str| {
        let mut vector = REST;
        let words = text.split([',', ' ']).filter(|word| !word.is_empty());
        for (index, word) in words.enumerate() {
            let slot = vector.get_mut(index).ok_or("a value has at most four numbers")?;
            *slot = word.parse().map_err(|_| format!("{word:?} is not a number"))?;
        }
        Ok(vector)
    };
    text.split('/').map(vector).collect()
}

/// Parses the value of a register: one vector for all lanes, or one for each lane.
pub(crate) fn register(text: &str) -> Result<LaneRegister, String> {
    let values = vectors(text)?;
    match values.as_slice() {
        [value] => Ok(LaneRegister::splat(*value)),
        values if values.len() == LANES => {
            let mut register = LaneRegister::default();
            values.iter().enumerate().for_each(|(lane, value)| register.set_lane(lane, *value));
            Ok(register)
        }
        values => Err(format!("{} values: give 1 for all lanes, or {LANES}", values.len())),
    }
}

/// Parses the value of a constant register, which is equal in all lanes.
pub(crate) fn constant(text: &str) -> Result<[f32; 4], String> {
    match vectors(text)?.as_slice() {
        [value] => Ok(*value),
        values => Err(format!("{} values: a constant has 1", values.len())),
    }
}

/// Parses the texels of a square texture, rows from the top, or the colours of a cube map's faces.
pub(crate) fn texture(text: &str, dimension: Dimension) -> Result<TexelImage, String> {
    let texels = vectors(text)?;
    if let [color] = texels.as_slice() {
        return Ok(TexelImage::constant(dimension.faces(), *color));
    }
    let side = match dimension {
        Dimension::TwoD => u32::try_from(texels.len().isqrt()).unwrap_or(u32::MAX),
        Dimension::Cube => 1,
    };
    let count = texels.len();
    TexelImage::new(dimension.faces(), (side, side), vec![texels]).map_err(|_| match dimension {
        Dimension::TwoD => format!("{count} texels: a square texture has 1, 4, 9, 16, …"),
        Dimension::Cube => format!("{count} colours: a cube has 1, or 6 for its faces"),
    })
}
