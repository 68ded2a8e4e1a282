//! The native limits of `baselineConstrained`: errors 3715 to 3721 ([agal.native.limits] [d3d9.native.limits]).
//!
//! Flash counts in its native code, which on Windows is shader model 2_0. Its translator isn't public, so the counts
//! are those of this crate's translator ([agal.native.counts]), with the compiler's slot model. [`native_limits`] is
//! the last step of `Program3D.upload`: after [`agal::upload`], vertex program first.

use agal::{AgalError, LinkedPair, ValidProgram};

use super::{Model, Translation, translate_unlimited};

/// Shader model 2_0: `baselineConstrained` is for devices without a higher one.
const NATIVE: Model = Model::V20;

/// Checks both programs of a pair, if the profile that they were validated for has native limits; the vertex program
/// comes first.
pub fn native_limits(pair: &LinkedPair) -> Result<(), AgalError> {
    program_native_limits(pair.vertex())?;
    program_native_limits(pair.fragment())
}

/// Checks one program, if its profile has native limits. The error is the first of 3715 to 3721 by number, except that
/// 3716 and 3717 come before 3715, which is for vertex programs.
pub fn program_native_limits(program: &ValidProgram) -> Result<(), AgalError> {
    if !program.profile().has_native_limits() {
        return Ok(());
    }
    // Profiles with native limits have AGAL 1 only, and 2_0 has an instruction for each of its opcodes.
    let Ok(Translation { counts, .. }) = translate_unlimited(program, NATIVE) else {
        return Ok(());
    };
    let stage = program.program().stage();
    match counts.first_over(NATIVE.version(stage)) {
        Some((limit, found, allowed)) => Err(limit.error().native(stage, allowed, found)),
        None => Ok(()),
    }
}
