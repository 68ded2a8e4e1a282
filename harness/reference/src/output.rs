//! The output of a fragment: stencil, depth, blending, colour mask.

use context3d::agal::interp::lanes::{each, map, saturate};
use context3d::agal::interp::{LANES, LaneRegister, LaneValues};
use context3d::enums::{BlendFactor, CompareMode, StencilAction};
use context3d::packets::{Raster, StencilFace};

use super::texel::TexelFloats;

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

/// The depth and stencil state for one face of a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct DepthStencilState {
    face: StencilFace,
    reference: u8,
    read_mask: u8,
    write_mask: u8,
    compare: CompareMode,
    write: bool,
}

impl DepthStencilState {
    pub(super) fn new(raster: &Raster, front: bool) -> Self {
        DepthStencilState {
            face: if front { raster.stencil_front } else { raster.stencil_back },
            reference: raster.stencil_reference,
            read_mask: raster.stencil_read_mask,
            write_mask: raster.stencil_write_mask,
            compare: raster.depth_compare,
            write: raster.depth_write,
        }
    }

    /// Returns whether every fragment passes and leaves depth and stencil unchanged, as in most 2D games.
    pub(super) fn is_idle(&self) -> bool {
        let always = [self.compare, self.face.compare] == [CompareMode::Always; 2];
        let keeps = self.write_mask == 0 || self.face.both_pass == StencilAction::Keep;
        always && !self.write && keeps
    }

    pub(super) fn needs_depth(&self) -> bool {
        self.write || self.compare != CompareMode::Always
    }

    /// Returns whether a fragment that fails leaves depth and stencil unchanged.
    pub(super) fn fails_silently(&self) -> bool {
        let keep = |action| action == StencilAction::Keep;
        self.write_mask == 0 || keep(self.face.depth_fail) && keep(self.face.stencil_fail)
    }

    /// Returns whether the stencil test passes against a stored depth and stencil.
    pub(super) fn stencil_passes(&self, stored: u32) -> bool {
        let [stencil, ..] = stored.to_le_bytes();
        let mask = self.read_mask;
        compare(self.face.compare, self.reference & mask, stencil & mask)
    }

    /// Tests a fragment's 24-bit depth against a sample's `stored` value (depth in the upper 24 bits, stencil in the
    /// lower 8). Returns the sample's new value, and whether the fragment passes. The stencil test is first, as in
    /// OpenGL and Direct3D [context3d.stencil.order].
    pub(super) fn test(&self, stored: u32, depth: u32) -> (u32, bool) {
        let [stencil, ..] = stored.to_le_bytes();
        let shown = self.stencil_passes(stored);
        let nearer = shown && compare(self.compare, depth, stored >> 8);
        let action = match (shown, nearer) {
            (false, _) => self.face.stencil_fail,
            (true, false) => self.face.depth_fail,
            (true, true) => self.face.both_pass,
        };
        let changed = act(action, stencil, self.reference);
        let stencil = stencil & !self.write_mask | changed & self.write_mask;
        let depth = if nearer && self.write { depth } else { stored >> 8 };
        (depth << 8 | u32::from(stencil), nearer)
    }
}

/// Returns the value of a blend factor for four pixels.
fn factor(factor: BlendFactor, source: &LaneRegister, destination: &LaneRegister) -> LaneRegister {
    let (LaneRegister([.., source_alpha]), LaneRegister([.., destination_alpha])) =
        (source, destination);
    let rest = |lanes: LaneValues| map(lanes, |value| 1.0 - value);
    LaneRegister(match factor {
        BlendFactor::Zero => [[0.0; LANES]; 4],
        BlendFactor::One => [[1.0; LANES]; 4],
        BlendFactor::SourceColor => source.0,
        BlendFactor::OneMinusSourceColor => map(source.0, rest),
        BlendFactor::SourceAlpha => [*source_alpha; 4],
        BlendFactor::OneMinusSourceAlpha => [rest(*source_alpha); 4],
        BlendFactor::DestinationAlpha => [*destination_alpha; 4],
        BlendFactor::OneMinusDestinationAlpha => [rest(*destination_alpha); 4],
        BlendFactor::DestinationColor => destination.0,
        BlendFactor::OneMinusDestinationColor => map(destination.0, rest),
    })
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Blend {
    factors: (BlendFactor, BlendFactor),
    mask: [bool; 4],
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

    pub(super) fn is_closed(&self) -> bool {
        self.mask == [false; 4]
    }

    pub(super) fn mask(&self) -> [bool; 4] {
        self.mask
    }

    pub(super) fn over<T: TexelFloats>(
        &self,
        colors: &LaneRegister,
        texels: [T; LANES],
    ) -> [T; LANES] {
        let source = if T::CLAMPED {
            // NaN becomes 0 before blending, as it does when stored [agal.float.stored_nan].
            LaneRegister(map(colors.0, |lanes| map(lanes, saturate)))
        } else {
            *colors
        };
        if self.replaces {
            return T::store_lanes(&source);
        }
        let destination = T::load_lanes(texels);
        let (source_factor, destination_factor) = self.factors;
        let (s, d) = (
            factor(source_factor, &source, &destination),
            factor(destination_factor, &source, &destination),
        );
        let mut result = destination;
        for (channel, result) in result.0.iter_mut().enumerate() {
            // The index is in range: all arrays have four entries.
            if self.mask[channel] {
                let (from, to) = (source.0[channel], destination.0[channel]);
                let (s, d) = (s.0[channel], d.0[channel]);
                *result = each(|lane| product(from[lane], s[lane]) + product(to[lane], d[lane]));
            }
        }
        T::store_lanes(&result)
    }
}

/// Multiplies by a blend factor. A factor of zero gives zero, even for half-float infinities.
fn product(value: f32, factor: f32) -> f32 {
    if factor == 0.0 { 0.0 } else { value * factor }
}

#[cfg(test)]
#[path = "../tests/unit/output.rs"]
mod tests;
