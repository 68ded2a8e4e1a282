//! Translates a pair of AGAL programs to GLSL through Direct3D 9 tokens; can replace [`agal::glsl::emit`].

use agal::LinkedPair;
use agal::glsl::{ClipDepth, GlslPair};

use super::{Model, TranslateError, Translation, translate_lowest};
use crate::glsl::{self, GlslError, PositionTransform, RegisterNaming};

agal_core::errors! {
    /// The types of errors of the translation from AGAL to GLSL.
    #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum EmitError {
        /// No shader model can hold the program; the error is from the highest model.
        Translate(TranslateError) = "no shader model can express the program: {0}";
        /// The tokens can't be translated to GLSL.
        Glsl(GlslError) = "{0}";
    }
}

/// Translates a pair to the lowest shader model that can hold it, starting at the profile's ([`Model::of`]). Then
/// translates the tokens to GLSL with the names of [`agal::glsl::emit`]. Fails if no model can hold the pair, or if
/// [`glsl::DIALECTS`] lacks the dialect.
pub fn emit(pair: &LinkedPair, target: &agal::glsl::GlslOptions) -> Result<GlslPair, EmitError> {
    let first = Model::of(pair.fragment().profile());
    let (_, [vertex, fragment]) = translate_lowest(pair, first).map_err(EmitError::Translate)?;
    emit_translated(pair, [&vertex, &fragment], target).map_err(EmitError::Glsl)
}

/// Translates the tokens of a translated pair to GLSL, with the names of [`agal::glsl::emit`].
pub fn emit_translated(
    pair: &LinkedPair,
    [vertex, fragment]: [&Translation; 2],
    target: &agal::glsl::GlslOptions,
) -> Result<GlslPair, GlslError> {
    let mut options = glsl::D3d9GlslOptions {
        clip_depth: target.clip_depth,
        float_rules: target.float_rules,
        position: match target.clip_depth {
            ClipDepth::AsWritten => PositionTransform::Plain,
            ClipDepth::ZeroToOne | ClipDepth::MinusOneToOne => {
                PositionTransform::Flipped(target.position_bias)
            }
        },
        naming: RegisterNaming::Agal,
        comments: target.comments,
        vertex_constants: pair.interface().vertex_constants,
        ..glsl::D3d9GlslOptions::new(target.dialect)
    };
    let vertex = glsl::emit(&vertex.program, &options)?;
    // Direct3D 9 stores AGAL's LOD bias as sampler state. The opcode `tld` has no bias.
    for (bias, sampler) in options.lod_bias.iter_mut().zip(&fragment.samplers) {
        *bias = sampler.map_or(0.0, |sampler| sampler.bias());
    }
    let fragment = glsl::emit(&fragment.program, &options)?;
    Ok(GlslPair { vertex, fragment })
}
