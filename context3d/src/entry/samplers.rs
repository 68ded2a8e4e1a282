//! Sampler state: from a program's AGAL and from `setSamplerStateAt`, whichever came last.

use agal::{Filter, Mip, Sampler, Wrap};

use crate::backend::Backend;
use crate::context::Context3D;
use crate::entry::{accepted, index_below};
use crate::error::Error;
use crate::names::{MipFilter, Name, TextureFilter, WrapMode};
use crate::packet::SamplerState;

/// What a sampler's AGAL asks for, without regard to `ignoresampler`.
impl From<&Sampler> for SamplerState {
    fn from(sampler: &Sampler) -> Self {
        Self {
            wrap: match sampler.wrap {
                Wrap::Clamp => WrapMode::Clamp,
                Wrap::Repeat => WrapMode::Repeat,
                Wrap::ClampURepeatV => WrapMode::ClampURepeatV,
                Wrap::RepeatUClampV => WrapMode::RepeatUClampV,
            },
            filter: match sampler.filter {
                Filter::Nearest => TextureFilter::Nearest,
                Filter::Linear => TextureFilter::Linear,
                Filter::Anisotropic2x => TextureFilter::Anisotropic2x,
                Filter::Anisotropic4x => TextureFilter::Anisotropic4x,
                Filter::Anisotropic8x => TextureFilter::Anisotropic8x,
                Filter::Anisotropic16x => TextureFilter::Anisotropic16x,
            },
            mip: match sampler.mip {
                Mip::None => MipFilter::None,
                Mip::Nearest => MipFilter::Nearest,
                Mip::Linear => MipFilter::Linear,
            },
        }
    }
}

impl<B: Backend> Context3D<B> {
    pub(crate) fn bind_sampler(
        &mut self,
        sampler: i32,
        wrap: Name<'_, WrapMode>,
        filter: Name<'_, TextureFilter>,
        mip: Name<'_, MipFilter>,
    ) -> Result<(), Error> {
        let state = SamplerState {
            wrap: accepted(wrap, "wrap")?,
            filter: accepted(filter, "filter")?,
            mip: accepted(mip, "mipfilter")?,
        };
        let sampler = index_below(sampler, self.registers.samplers)?;
        self.state.samplers[sampler] = state;
        Ok(())
    }
}
