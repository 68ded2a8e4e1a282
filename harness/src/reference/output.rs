//! What becomes of a fragment: stencil, depth, blending, colour mask.

use context3d::packets::{Raster, StencilFace};
use context3d::{BlendFactor, CompareMode, StencilAction};

use super::texel::Texel;

/// `incoming OP stored`.
pub(super) fn compare<T: PartialOrd>(mode: CompareMode, incoming: T, stored: T) -> bool {
    match mode {
        CompareMode::Always => true,
        CompareMode::Equal => incoming == stored,
        CompareMode::Greater => incoming > stored,
        CompareMode::GreaterEqual => incoming >= stored,
        CompareMode::Less => incoming < stored,
        CompareMode::LessEqual => incoming <= stored,
        CompareMode::Never => false,
        CompareMode::NotEqual => incoming != stored,
    }
}

/// What a stencil action makes of a value.
pub(super) fn act(action: StencilAction, stored: u8, reference: u8) -> u8 {
    match action {
        StencilAction::Keep => stored,
        StencilAction::Zero => 0,
        StencilAction::Set => reference,
        StencilAction::Invert => !stored,
        StencilAction::IncrementSaturate => stored.saturating_add(1),
        StencilAction::DecrementSaturate => stored.saturating_sub(1),
        StencilAction::IncrementWrap => stored.wrapping_add(1),
        StencilAction::DecrementWrap => stored.wrapping_sub(1),
    }
}

/// Depth and stencil state of one face.
#[derive(Clone, Copy, Debug)]
pub(super) struct DepthStencil {
    face: StencilFace,
    reference: u8,
    read_mask: u8,
    write_mask: u8,
    compare: CompareMode,
    write: bool,
}

impl DepthStencil {
    pub(super) fn new(raster: &Raster, front: bool) -> Self {
        DepthStencil {
            face: if front {
                raster.stencil_front
            } else {
                raster.stencil_back
            },
            reference: raster.stencil_reference,
            read_mask: raster.stencil_read_mask,
            write_mask: raster.stencil_write_mask,
            compare: raster.depth_compare,
            write: raster.depth_write,
        }
    }

    /// A fragment that fails leaves no trace.
    pub(super) fn fails_silently(&self) -> bool {
        let keep = |action| action == StencilAction::Keep;
        self.write_mask == 0 || keep(self.face.depth_fail) && keep(self.face.stencil_fail)
    }

    /// What a sample that holds `stored` (depth above, stencil in the lower 8 bits) holds after a fragment of this depth,
    /// and whether the fragment passes. The stencil comes first, as in every API below Flash (context3d.md section 6).
    pub(super) fn test(&self, stored: u32, depth: u32) -> (u32, bool) {
        let [stencil, ..] = stored.to_le_bytes();
        let mask = self.read_mask;
        let shown = compare(self.face.compare, self.reference & mask, stencil & mask);
        let nearer = shown && compare(self.compare, depth, stored >> 8);
        let action = match (shown, nearer) {
            (false, _) => self.face.stencil_fail,
            (true, false) => self.face.depth_fail,
            (true, true) => self.face.both_pass,
        };
        let changed = act(action, stencil, self.reference);
        let stencil = stencil & !self.write_mask | changed & self.write_mask;
        let depth = if nearer && self.write {
            depth
        } else {
            stored >> 8
        };
        (depth << 8 | u32::from(stencil), nearer)
    }
}

/// What a colour is multiplied with.
pub(super) fn factor(factor: BlendFactor, source: [f32; 4], destination: [f32; 4]) -> [f32; 4] {
    let ([.., source_alpha], [.., destination_alpha]) = (source, destination);
    match factor {
        BlendFactor::Zero => [0.0; 4],
        BlendFactor::One => [1.0; 4],
        BlendFactor::SourceColor => source,
        BlendFactor::OneMinusSourceColor => source.map(|value| 1.0 - value),
        BlendFactor::SourceAlpha => [source_alpha; 4],
        BlendFactor::OneMinusSourceAlpha => [1.0 - source_alpha; 4],
        BlendFactor::DestinationAlpha => [destination_alpha; 4],
        BlendFactor::OneMinusDestinationAlpha => [1.0 - destination_alpha; 4],
        BlendFactor::DestinationColor => destination,
        BlendFactor::OneMinusDestinationColor => destination.map(|value| 1.0 - value),
    }
}

/// Blending and colour mask.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blend {
    factors: (BlendFactor, BlendFactor),
    mask: [bool; 4],
    /// The source replaces what is there.
    replaces: bool,
}

impl Blend {
    pub(super) fn new(raster: &Raster) -> Self {
        let off = raster.blend == (BlendFactor::One, BlendFactor::Zero);
        Blend {
            factors: raster.blend,
            mask: raster.color_mask,
            replaces: off && raster.color_mask == [true; 4],
        }
    }

    /// Nothing is ever written.
    pub(super) fn is_closed(&self) -> bool {
        self.mask == [false; 4]
    }

    /// What a texel becomes.
    pub(super) fn over<T: Texel>(&self, color: [f32; 4], texel: T) -> T {
        let source = if T::CLAMPED {
            color.map(|value| value.clamp(0.0, 1.0))
        } else {
            color
        };
        if self.replaces {
            return T::store(source);
        }
        let destination = texel.load();
        let (source_factor, destination_factor) = self.factors;
        let (s, d) = (
            factor(source_factor, source, destination),
            factor(destination_factor, source, destination),
        );
        let mut result = [0.0; 4];
        for (channel, result) in result.iter_mut().enumerate() {
            // The arrays have four entries each.
            *result = if self.mask[channel] {
                product(source[channel], s[channel]) + product(destination[channel], d[channel])
            } else {
                destination[channel]
            };
        }
        T::store(result)
    }
}

/// A factor of zero switches its term off, whatever half-float infinities would make of it.
fn product(value: f32, factor: f32) -> f32 {
    if factor == 0.0 { 0.0 } else { value * factor }
}
