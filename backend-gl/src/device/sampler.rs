//! Sampler objects: one per sampler state, created at its first use.

use std::rc::Rc;

use context3d::backend::BackendError;
use context3d::packets::SamplerState;

use crate::caps::GlCaps;
use crate::convert;
use crate::gl::{GlFunctions, GlHandle, UniqueName};
use crate::packet::missing;

const WRAPS: usize = 4;
const FILTERS: usize = 6;
const MIPS: usize = 3;

/// All sampler objects.
pub(crate) struct SamplerObjects {
    table: [Option<GlHandle<glow::Sampler>>; WRAPS * FILTERS * MIPS],
}

impl Default for SamplerObjects {
    /// Creates an empty table of sampler objects.
    fn default() -> Self {
        Self { table: [const { None }; WRAPS * FILTERS * MIPS] }
    }
}

impl SamplerObjects {
    /// Returns the sampler for a state.
    pub(crate) fn get(
        &mut self,
        gl: &Rc<GlFunctions>,
        caps: &GlCaps,
        state: SamplerState,
    ) -> Result<UniqueName<glow::Sampler>, BackendError> {
        match self.table.get_mut(index(state)) {
            Some(Some(sampler)) => Ok(sampler.object()),
            Some(slot) => Ok(slot.insert(create(gl, caps, state)?).object()),
            None => Err(missing("sampler")),
        }
    }
}

fn index(state: SamplerState) -> usize {
    let wrap = state.wrap as usize;
    let filter = state.filter as usize;
    let mip = state.mip as usize;
    (wrap * FILTERS + filter) * MIPS + mip
}

#[cold]
fn create(
    gl: &Rc<GlFunctions>,
    caps: &GlCaps,
    state: SamplerState,
) -> Result<GlHandle<glow::Sampler>, BackendError> {
    gl.log_errors("an earlier call")?;
    let handle = GlHandle::create(gl)?;
    let sampler: glow::Sampler = handle.name();
    let (s, t) = convert::wrap(state.wrap);
    let (linear, anisotropy) = convert::filter(state.filter);
    let mag = if linear { glow::LINEAR } else { glow::NEAREST };
    for (name, value) in [
        (glow::TEXTURE_WRAP_S, s),
        (glow::TEXTURE_WRAP_T, t),
        (glow::TEXTURE_WRAP_R, glow::CLAMP_TO_EDGE),
        (glow::TEXTURE_MIN_FILTER, convert::min_filter(linear, state.mip)),
        (glow::TEXTURE_MAG_FILTER, mag),
    ] {
        gl.sampler_parameter(sampler, name, value.cast_signed());
    }
    let anisotropy = anisotropy.min(caps.max_anisotropy);
    if anisotropy > 1.0 {
        gl.sampler_parameter_f32(sampler, glow::TEXTURE_MAX_ANISOTROPY_EXT, anisotropy);
    }
    gl.check("creating a sampler")?;
    Ok(handle)
}

#[cfg(test)]
#[path = "../../tests/unit/sampler.rs"]
mod tests;
