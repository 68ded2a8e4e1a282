//! The native limits of `baselineConstrained`: errors 3715 to 3721 (agal.md section 5, d3d9-shaders.md section 7.5).
//!
//! Flash counts them in the native code, which on Windows is shader model 2_0. Its translator is not public, so the counts
//! are those of ours (unverified), in the compiler's model of slots. [`native_limits`] is the last step of
//! `Program3D.upload`: after [`agal::upload`], the vertex program first.

use agal::{AgalError, LinkedPair, ValidProgram};

use super::{Counts, Limit, Model, TranslateError, allowed, build};

/// Shader model 2_0: `baselineConstrained` is for devices that have no more.
const NATIVE: Model = Model::V20;

/// Checks both programs of a pair, if the profile that they were validated for has native limits.
///
/// # Errors
/// The first of 3715 to 3721, of the vertex program if it has one.
pub fn native_limits(pair: &LinkedPair) -> Result<(), AgalError> {
    program_native_limits(pair.vertex())?;
    program_native_limits(pair.fragment())
}

/// The same of one program.
///
/// # Errors
/// The first of 3715 to 3721 by number; of 3716 and 3717 before 3715, which is for vertex programs.
pub fn program_native_limits(program: &ValidProgram) -> Result<(), AgalError> {
    if !program.profile().has_native_limits() {
        return Ok(());
    }
    // A profile with native limits has AGAL 1 alone, and 2_0 has an instruction for each of its opcodes.
    let Ok(counts) = native_counts(program) else {
        return Ok(());
    };
    let stage = program.program().stage();
    for limit in Limit::ALL {
        let found = counts.get(*limit);
        if let Some(allowed) = allowed(NATIVE.version(stage), *limit).filter(|most| found > *most) {
            return Err(limit.error().native(stage, allowed, found));
        }
    }
    Ok(())
}

/// What a program needs of shader model 2_0: as [`translate_unlimited`](super::translate_unlimited) counts, without the
/// tokens.
///
/// # Errors
/// [`TranslateError`] where 2_0 lacks an instruction: never for AGAL 1.
pub fn native_counts(program: &ValidProgram) -> Result<Counts, TranslateError> {
    Ok(build(program, NATIVE)?.counts())
}
