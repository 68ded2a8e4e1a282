//! Capabilities that the backend uses: the context's capabilities, without those that a workaround replaces.

use std::ops::Deref;
use std::rc::Rc;

use context3d::backend::BackendError;
use context3d::packets::MAX_SAMPLERS;

use crate::detect::DetectedFeatures;
use crate::gl::GlFunctions;
use crate::workarounds::{ActiveWorkarounds, Remedy, Workarounds};

/// Capabilities and limits of a GL context.
#[derive(Clone, Debug)]
pub(crate) struct GlCaps {
    detected: DetectedFeatures,
    /// The texture unit that is reserved for uploads.
    pub upload_unit: u32,
    /// The active workarounds: for missing features, for bugs, and forced ones.
    pub workarounds: ActiveWorkarounds,
}

impl Deref for GlCaps {
    type Target = DetectedFeatures;

    #[inline]
    fn deref(&self) -> &DetectedFeatures {
        &self.detected
    }
}

impl GlCaps {
    /// Queries the capabilities of the context.
    pub(crate) fn query(gl: &Rc<GlFunctions>, forced: Workarounds) -> Result<Self, BackendError> {
        let detected = DetectedFeatures::query(gl)?;
        let workarounds = ActiveWorkarounds::select(&detected, forced);
        let mut caps = Self { detected, upload_unit: 0, workarounds };
        caps.apply();
        Ok(caps)
    }

    /// Returns whether this workaround is active.
    pub(crate) fn needs(&self, remedy: Remedy) -> bool {
        self.workarounds.contains(remedy)
    }

    /// Returns the bytes per index in index buffers.
    #[inline]
    pub(crate) fn index_bytes(&self) -> u32 {
        if self.needs(Remedy::WideIndices) { 4 } else { 2 }
    }

    /// Removes the capabilities that the active workarounds replace.
    fn apply(&mut self) {
        self.detected.clip_control = !self.needs(Remedy::ClipDepthInShader);
        self.detected.public.s3tc = !self.needs(Remedy::DecodeDxtOnCpu);
        self.detected.public.etc2 = !self.needs(Remedy::DecodeEtc2OnCpu);
        self.detected.public.half_float_targets = !self.needs(Remedy::NoHalfFloatTargets);
        self.detected.public.wireframe = !self.needs(Remedy::NoWireframes);
        if self.needs(Remedy::NarrowStrides) {
            self.detected.public.max_vertex_stride = 255;
        }
        if self.needs(Remedy::NoAnisotropy) {
            self.detected.max_anisotropy = 1.0;
        }
        if self.needs(Remedy::OneSample) {
            self.detected.public.max_samples = 1;
        }
        // Uploads use the first unit after those of samplers, or the last unit if there is no such unit.
        let first = u32::try_from(MAX_SAMPLERS).unwrap_or(u32::MAX);
        let shared = u32::from(self.needs(Remedy::ShareUploadUnit));
        let last = self.detected.texture_units.saturating_sub(1);
        self.upload_unit = first.saturating_sub(shared).min(last);
    }
}
