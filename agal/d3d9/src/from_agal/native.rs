//! The hardware limits of `baselineConstrained`: errors 3715 to 3721 ([agal.native.limits] [d3d9.native.limits]).
//!
//! Flash Player counts instructions after translating AGAL for the driver, on Windows to shader model 2_0. Flash
//! Player's translator isn't public, so this crate counts the instruction slots of its own translation
//! ([agal.native.counts]), like Microsoft's compiler. [`native_limits`] is the last step of `Program3D.upload`, after
//! [`agal::upload`].

use agal::{AgalError, LinkedPair, ValidProgram};

use super::{Model, Translation, translate_unlimited};

/// Shader model 2_0: `baselineConstrained` targets devices without a higher model.
const NATIVE: Model = Model::V20;

/// Checks both programs of a pair, the vertex program first, if the pair's profile has hardware limits.
pub fn native_limits(pair: &LinkedPair) -> Result<(), AgalError> {
    program_native_limits(pair.vertex())?;
    program_native_limits(pair.fragment())
}

/// Checks one program, if the program's profile has hardware limits. Returns the lowest of errors 3715 to 3721, except
/// that 3716 and 3717 precede 3715, which applies to vertex programs.
pub fn program_native_limits(program: &ValidProgram) -> Result<(), AgalError> {
    if !program.profile().has_native_limits() {
        return Ok(());
    }
    // Profiles with hardware limits allow only AGAL 1, and model 2_0 supports all opcodes of AGAL 1.
    let Ok(Translation { counts, .. }) = translate_unlimited(program, NATIVE) else {
        return Ok(());
    };
    let stage = program.program().stage();
    match counts.first_over(NATIVE.version(stage)) {
        Some((limit, found, allowed)) => Err(limit.error().native(stage, allowed, found)),
        None => Ok(()),
    }
}
