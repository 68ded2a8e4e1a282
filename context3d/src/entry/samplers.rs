//! Sampler state, set by a program's AGAL or by `setSamplerStateAt`; the last setting wins.

use agal::sampler::SamplerOp;

use crate::backend::Backend;
use crate::context::Context3D;
use crate::entry::{accepted, index_below};
use crate::enums::{EnumArg, MipFilter, TextureFilter, WrapMode};
use crate::error::SetterError;
use crate::packets::SamplerState;

/// Returns the state that a sampler of an AGAL program declares, regardless of `ignoresampler`.
impl From<&SamplerOp> for SamplerState {
    fn from(sampler: &SamplerOp) -> Self {
        Self { wrap: sampler.wrap, filter: sampler.filter, mip: sampler.mip }
    }
}

impl<B: Backend> Context3D<B> {
    #[inline]
    pub(crate) fn set_sampler_state_at_impl(
        &mut self,
        sampler: i32,
        wrap: EnumArg<'_, WrapMode>,
        filter: EnumArg<'_, TextureFilter>,
        mip: EnumArg<'_, MipFilter>,
    ) -> Result<(), SetterError> {
        let state = SamplerState {
            wrap: accepted(wrap, &"wrap")?,
            filter: accepted(filter, &"filter")?,
            mip: accepted(mip, &"mipfilter")?,
        };
        let sampler = index_below(sampler, self.registers.samplers)?;
        self.state.samplers[sampler] = state;
        Ok(())
    }
}
