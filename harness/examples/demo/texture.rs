//! Generates the images of the demo's textures.

/// An image in Stage3D's format: B, G, R, A, colour premultiplied by alpha (here always 255), rows top to bottom.
pub(super) struct Picture {
    pub(super) side: u32,
    pub(super) bgra: Vec<u8>,
}

/// Creates bands of copper and verdigris, woven at an angle.
pub(super) fn metal(side: u32) -> Picture {
    paint(side, |u, v| {
        let weave = (wave(u * 4.0 + v * 2.0) * wave(v * 4.0 - u * 2.0)).abs();
        let grain = 0.06 * noise(u * 61.0, v * 7.0);
        let groove =
            if wave(u * 8.0).abs() < 0.12 || wave(v * 8.0).abs() < 0.12 { 0.55 } else { 1.0 };
        mix([0.86, 0.44, 0.2], [0.16, 0.56, 0.5], weave).map(|c| (c + grain) * groove)
    })
}

/// Creates two by two floor tiles with a bevelled joint.
pub(super) fn tiles(side: u32) -> Picture {
    paint(side, |u, v| {
        let dark = (u < 0.5) != (v < 0.5);
        let edge = |t: f64| (t * 2.0 % 1.0 - 0.5).abs();
        let joint = if edge(u).max(edge(v)) > 0.47 { 0.45 } else { 1.0 };
        let base: [f64; 3] = if dark { [0.17, 0.19, 0.24] } else { [0.34, 0.36, 0.42] };
        base.map(|c| (c + 0.035 * noise(u * 23.0, v * 23.0)) * joint)
    })
}

/// Returns an image and all its smaller mip levels down to 1×1, each the average of four texels of the previous level.
pub(super) fn mip_chain(picture: Picture) -> Vec<Picture> {
    let mut levels = vec![picture];
    while let Some(last) = levels.last().filter(|last| last.side > 1) {
        let side = last.side / 2;
        let row = last.side as usize * 4;
        let mut bgra = Vec::with_capacity((side * side * 4) as usize);
        for y in 0..side as usize {
            for x in 0..side as usize * 4 {
                let at = y * 2 * row + x / 4 * 8 + x % 4;
                let sum: u16 = [at, at + 4, at + row, at + row + 4]
                    .iter()
                    .map(|i| u16::from(last.bgra[*i]))
                    .sum();
                bgra.push(u8::try_from((sum + 2) / 4).unwrap_or(u8::MAX));
            }
        }
        levels.push(Picture { side, bgra });
    }
    levels
}

fn paint(side: u32, color: impl Fn(f64, f64) -> [f64; 3]) -> Picture {
    let place = |at: u32| (f64::from(at) + 0.5) / f64::from(side);
    let mut bgra = Vec::new();
    for y in 0..side {
        for x in 0..side {
            let [r, g, b] = color(place(x), place(y)).map(byte);
            bgra.extend([b, g, r, 255]);
        }
    }
    Picture { side, bgra }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0..255 before"
)]
fn byte(value: f64) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

fn mix(a: [f64; 3], b: [f64; 3], t: f64) -> [f64; 3] {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t)
}

/// Returns a wave in -1..1 with one period per unit.
fn wave(t: f64) -> f64 {
    (t * std::f64::consts::TAU).sin()
}

/// Returns smooth and reproducible noise: a sum of waves with unrelated periods.
fn noise(x: f64, y: f64) -> f64 {
    (wave(x * 0.731 + y * 0.317) + wave(x * 1.913 - y * 1.271) + wave(x * 0.411 + y * 2.777)) / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_end_at_one_texel_of_the_average_colour() {
        let chain = mip_chain(Picture {
            side: 2,
            bgra: [[0, 10, 20, 255], [4, 10, 20, 255]].concat().repeat(2),
        });
        assert_eq!(chain.iter().map(|level| level.side).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(chain[1].bgra, [2, 10, 20, 255]);
        assert_eq!(mip_chain(metal(64)).len(), 7);
    }
}
