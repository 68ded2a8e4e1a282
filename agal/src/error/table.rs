//! The table of AGAL errors. A row has the number, Flash Player's class and message, their source, and the function
//! that raises the error ([agal.message.class], and a fact for each number).
//!
//! Calls and draws raise related errors, such as 3663, 3774, 3776, 3784, 3785 and 3787. The errors of calls and draws
//! are in a table of `context3d`; this table and the table of `context3d` share no error number.

use super::ErrorClass::{self, ArgumentError, Error};
use super::RaisedBy::{self, Decode, Host, Link, Native, Validate};
use super::Witness::{self, Documented, MessageOnly, PlayerTest, PlayerTrace};

/// `context3d` behaves like a debugger player, which reports the driver's message.
const NO_RELEASE_PLAYER: RaisedBy = RaisedBy::Never("debugger players raise 3614 instead");
/// The reason why no code raises error 3704 ([agal.error.3704]).
const CUBES_WITHOUT_MIPS: RaisedBy =
    RaisedBy::Never("shipping content has cube samplers without mip mapping");
/// No code raises error 3626 for two indirect sources: only constants can be indirect (3640), and two constants raise
/// 3625 ([agal.error.3626]).
const CONSTANTS_FIRST: RaisedBy = RaisedBy::Never("two indirect sources are two constants (3625)");
/// A test of the cost model checks that AGAL's limits are stricter than the native ones.
const AGAL_IS_STRICTER: RaisedBy =
    RaisedBy::Never("AGAL's own register counts are the stricter limit (3659, 3661, 3657)");
/// The reason why no code raises errors about the opcode `ted` ([agal.ted.1]).
const NO_TED: RaisedBy = RaisedBy::Never("no player runs ted (3621)");
/// Error 3660 is documented; `upload` may never raise 3760 ([agal.error.3760]).
const OUTPUT_BOUNDS_FIRST: RaisedBy = RaisedBy::Never("the register is out of bounds first (3660)");

agal_core::table! {
    /// A row of Flash's error table for `Program3D.upload`.
    pub enum ErrorKind {
        /// Returns Flash's error number.
        number: u16,
        /// Returns the class of the error. For an empty array, error 3615 is an `ArgumentError` instead.
        class: ErrorClass,
        /// Returns the type of source that documents the error.
        witness: Witness,
        /// Returns the function that raises the error.
        raised_by: RaisedBy,
        /// Returns the message with its placeholders `%1` to `%4`.
        template: &'static str,
    }
    // Encoding
    BigEndian 3612, ArgumentError, PlayerTest, Decode, "Programs must be in little endian format.";
    NativeCompilation 3613, Error, Documented, NO_RELEASE_PLAYER, "The native shader compilation failed.";
    NativeCompilationOpenGl 3614, Error, Documented, Host, "The native shader compilation failed.\nOpenGL specific: %1";
    SizeBelowMinimum 3615, Error, PlayerTest, Decode, "AGAL validation failed: Program size below minimum length for %1 program.";
    WrongMagic 3616, Error, Documented, Decode, "AGAL validation failed: Not an AGAL program. Wrong magic byte for %1 program.";
    BadVersion 3617, Error, Documented, Decode, "AGAL validation failed: Bad AGAL version for %1 program. Current version is %2.";
    BadTypeIdentifier 3618, Error, Documented, Decode, "AGAL validation failed: Bad AGAL program type identifier for %1 program.";
    BadShaderType 3619, Error, Documented, Decode, "AGAL validation failed: Shader type must be either fragment or vertex for %1 program.";
    // Opcodes
    OpcodeOutOfRange 3620, Error, PlayerTest, Validate, "AGAL validation failed: Invalid opcode, value out of range: %2 at token %3 of %1 program.";
    OpcodeNotImplemented 3621, Error, Documented, Validate, "AGAL validation failed: Invalid opcode, %2 is not implemented in this version at token %3 of %1 program.";
    OpcodeOnlyInFragment 3622, Error, Documented, Validate, "AGAL validation failed: Opcode %2 only allowed in fragment programs at token %3 of %1 program.";
    NestingUnderflow 3623, Error, MessageOnly, Validate, "AGAL validation failed: Block nesting underflow - EIF without opening IF condition. At token %3 of %1 program.";
    NestingOverflow 3624, Error, MessageOnly, Validate, "AGAL validation failed: Block nesting overflow. Too many nested IF blocks. At token %3 of %1 program.";
    BothConstant 3625, Error, Documented, Validate, "AGAL validation failed: Bad AGAL source operands. Both are constants (this must be precomputed) at token %2 of %1 program.";
    BothIndirect 3626, Error, Documented, CONSTANTS_FIRST, "AGAL validation failed: Opcode %2, both operands are indirect reads at token %3 of %1 program.";
    DestinationNotZero 3627, Error, Documented, Validate, "AGAL validation failed: Opcode %2 destination operand must be all zero at token %3 of %1 program.";
    MustMaskW 3628, Error, Documented, Validate, "AGAL validation failed: The destination operand for the %2 instruction must mask w (use .xyz or less) at token %3 of %1 program.";
    TooManyTokens 3629, Error, PlayerTrace, Validate, "AGAL validation failed: Too many tokens (%2) for %1 program.";
    // Linkage
    FragmentTypeWrong 3630, Error, Documented, Link, "Fragment shader type is not fragment.";
    VertexTypeWrong 3631, Error, Documented, Link, "Vertex shader type is not vertex.";
    VaryingNotWritten 3632, Error, PlayerTrace, Link, "AGAL linkage: Varying %1 is read in the fragment shader but not written to by the vertex shader.";
    VaryingPartlyWritten 3633, Error, Documented, Link, "AGAL linkage: Varying %1 is only partially written to. Must write all four components.";
    FragmentOutputIncomplete 3634, Error, Documented, Link, "AGAL linkage: Fragment output needs to write to all components.";
    VertexOutputIncomplete 3635, Error, Documented, Link, "AGAL linkage: Vertex output needs to write to all components.";
    // Operands and registers
    UnusedOperandNotZero 3636, Error, Documented, Validate, "AGAL validation failed: Unused operand is not set to zero for %2 at token %3 of %1 program.";
    SamplerOnlyInFragment 3637, Error, Documented, Validate, "AGAL validation failed: Sampler registers only allowed in fragment programs for %2 at token %3 of %1 program.";
    SamplerAsSource 3638, Error, PlayerTest, Validate, "AGAL validation failed: Sampler register only allowed as second operand in texture instructions for %2 at token %3 of %1 program.";
    IndirectOnlyInVertex 3639, Error, PlayerTest, Validate, "AGAL validation failed: Indirect addressing only allowed in vertex programs for %2 at token %3 of %1 program.";
    IndirectOnlyIntoConstants 3640, Error, PlayerTest, Validate, "AGAL validation failed: Indirect addressing only allowed into constant registers for %2 at token %3 of %1 program.";
    IndirectNotAllowedHere 3641, Error, Documented, Validate, "AGAL validation failed: Indirect addressing not allowed for this operand in this instruction for %2 at token %3 of %1 program.";
    BadIndexRegister 3642, Error, Documented, Validate, "AGAL validation failed: Indirect source type must be attribute, constant or temporary for %2 at token %3 of %1 program.";
    IndirectFieldsNotZero 3643, Error, Documented, Validate, "AGAL validation failed: Indirect addressing fields must be zero for direct addressing for %2 at token %3 of %1 program.";
    VaryingReadOnlyInFragment 3644, Error, Documented, Validate, "AGAL validation failed: Varying registers can only be read in fragment programs for %2 at token %3 of %1 program.";
    AttributeOnlyInVertex 3645, Error, Documented, Validate, "AGAL validation failed: Attribute registers can only be read in vertex programs for %2 at token %3 of %1 program.";
    OutputRead 3646, Error, PlayerTest, Validate, "AGAL validation failed: Can not read from output register for %2 at token %3 of %1 program.";
    TemporaryNotWritten 3647, Error, PlayerTrace, Validate, "AGAL validation failed: Temporary register read without being written to for %2 at token %3 of %1 program.";
    TemporaryComponentNotWritten 3648, Error, PlayerTrace, Validate, "AGAL validation failed: Temporary register component read without being written to for %2 at token %3 of %1 program.";
    SamplerWritten 3649, Error, PlayerTest, Validate, "AGAL validation failed: Sampler registers can not be written to for %2 at token %3 of %1 program.";
    VaryingWrittenOnlyInVertex 3650, Error, Documented, Validate, "AGAL validation failed: Varying registers can only be written in vertex programs for %2 at token %3 of %1 program.";
    AttributeWritten 3651, Error, PlayerTest, Validate, "AGAL validation failed: Attribute registers can not be written to for %2 at token %3 of %1 program.";
    ConstantWritten 3652, Error, PlayerTest, Validate, "AGAL validation failed: Constant registers can not be written to for %2 at token %3 of %1 program.";
    WriteMaskZero 3653, Error, Documented, Validate, "AGAL validation failed: Destination writemask is zero for %2 at token %3 of %1 program.";
    ReservedBits 3654, Error, Documented, Validate, "AGAL validation failed: Reserve bits should be zero for %2 at token %3 of %1 program.";
    UnknownRegisterType 3655, Error, Documented, Validate, "AGAL validation failed: Unknown register type for %2 at token %3 of %1 program.";
    SamplerBounds 3656, Error, Documented, Validate, "AGAL validation failed: Sampler register index out of bounds for %2 at token %3 of %1 program.";
    VaryingBounds 3657, Error, Documented, Validate, "AGAL validation failed: Varying register index out of bounds for %2 at token %3 of %1 program.";
    AttributeBounds 3658, Error, Documented, Validate, "AGAL validation failed: Attribute register index out of bounds for %2 at token %3 of %1 program.";
    ConstantBounds 3659, Error, Documented, Validate, "AGAL validation failed: Constant register index out of bounds for %2 at token %3 of %1 program.";
    OutputBounds 3660, Error, Documented, Validate, "AGAL validation failed: Output register index out of bounds for %2 at token %3 of %1 program.";
    TemporaryBounds 3661, Error, PlayerTrace, Validate, "AGAL validation failed: Temporary register index out of bounds for %2 at token %3 of %1 program.";
    // Samplers
    CubeMustClamp 3662, Error, Documented, Validate, "AGAL validation failed: Cube map samplers must set wrapping to clamp mode for %2 at token %3 of %1 program.";
    UnknownDimension 3664, Error, Documented, Validate, "AGAL validation failed: Unknown sampler dimension %4 for %2 at token %3 of %1 program.";
    UnknownFilter 3665, Error, Documented, Validate, "AGAL validation failed: Unknown filter mode in sampler: %4 for %2 at token %3 of %1 program.";
    UnknownMip 3666, Error, Documented, Validate, "AGAL validation failed: Unknown mipmap mode in sampler: %4 for %2 at token %3 of %1 program.";
    UnknownWrap 3667, Error, Documented, Validate, "AGAL validation failed: Unknown wrapping mode in sampler: %4 for %2 at token %3 of %1 program.";
    UnknownSpecial 3668, Error, Documented, Validate, "AGAL validation failed: Unknown special flag used in sampler: %4 for %2 at token %3 of %1 program.";
    MatrixSwizzled 3689, Error, Documented, Validate, "You can not swizzle second operand for %2 at token %3 of %1 program.";
    SamplerExpected 3693, Error, Documented, Validate, "AGAL validation failed: Sampler register must be used for second operand in texture instructions for %2 at token %3 of %1 program.";
    SamplerMismatch 3696, Error, PlayerTest, Validate, "AGAL validation failed: Second use of sampler register needs to specify the exact same properties. At token %3 of %1 program.";
    ColorMasked 3701, Error, Documented, Validate, "The output color register can not use a write mask. All components must be written.";
    SwizzleNotScalar 3703, Error, Documented, Validate, "AGAL validation failed: Source swizzle must be scalar (one of: xxxx, yyyy, zzzz, wwww) for %2 at token %3 of %1 program.";
    CubeMustMip 3704, Error, MessageOnly, CUBES_WITHOUT_MIPS, "AGAL validation failed: Cube map samplers must enable mipmapping for %2 at token %3 of %1 program.";
    // Native limits of the constrained profiles
    NativeInstructions 3715, Error, MessageOnly, Native, "Too many instructions used in native shader. Detected %3 but can only support %2 for %1 program.";
    NativeAlu 3716, Error, MessageOnly, Native, "Too many ALU instructions in native shader. Detected %3 but can only support %2 for %1 program.";
    NativeTexture 3717, Error, MessageOnly, Native, "Too many texture instructions in native shader. Detected %3 but can only support %2 for %1 program.";
    NativeConstants 3718, Error, MessageOnly, AGAL_IS_STRICTER, "Too many constants used in native shader. Detected %3 but can only support %2 for %1 program.";
    NativeTemporaries 3719, Error, MessageOnly, AGAL_IS_STRICTER, "Too many temporary registers used in native shader. Detected %3 but can only support %2 for %1 program.";
    NativeVaryings 3720, Error, MessageOnly, AGAL_IS_STRICTER, "Too many varying registers used in native shader. Detected %3 but can only support %2 for %1 program.";
    NativeIndirectTexture 3721, Error, MessageOnly, Native, "Too many indirect texture reads in native shader. Detected %3 but can only support %2 for %1 program.";
    // AGAL 2
    VersionNotInProfile 3725, Error, MessageOnly, Validate, "The requested AGAL version (%2) is not valid under the Context3D profile. For example AGAL version 2 requires standard profile.";
    OpcodeNeedsVersion2 3726, Error, MessageOnly, Validate, "AGAL validation failed: Opcode %2 requires AGAL version to be at least 2, at token %3 of %1 program.";
    OpenConditional 3739, Error, MessageOnly, Validate, "AGAL validation failed: Open conditional block at end of %1 program.";
    TedWithBias 3740, Error, MessageOnly, NO_TED, "AGAL validation failed: Texture samplers used in the TED instruction can not specify a lod bias. At token %3 of %1 program.";
    ComputedCoordinateInConditional 3741, Error, MessageOnly, Validate, "AGAL validation failed: TEX instructions in an if block can not use computed texture coordinates. Either use interpolated texture coordinates or use the TED instruction instead. At token %3 of %1 program.";
    DerivativeInConditional 3742, Error, MessageOnly, Validate, "AGAL validation failed: DDX and DDY opcodes are not allowed inside conditional blocks. At token %3 of %1 program.";
    TedWithoutMip 3743, Error, MessageOnly, NO_TED, "AGAL validation failed: The TED opcode must enable mip mapping. At token %3 of %1 program.";
    ColorWrittenTwice 3744, Error, MessageOnly, Validate, "AGAL validation failed: Color output written to multiple times. At token %3 of %1 program.";
    EmptyBranch 3748, Error, MessageOnly, Validate, "AGAL validation failed: Empty conditional branch in AGAL of %1 program.";
    DepthBounds 3749, Error, PlayerTest, Validate, "AGAL validation failed: Depth output register index out of bounds for %2 at token %3 of %1 program.";
    DepthOnlyInFragment 3750, Error, MessageOnly, Validate, "AGAL validation failed: Depth output register is only available in fragment programs.";
    OutputInConditional 3751, Error, MessageOnly, Validate, "AGAL validation failed: Output registers can not be written inside conditionals.";
    BrokenElse 3752, Error, MessageOnly, Validate, "AGAL validation failed: Broken else chain.";
    DepthMask 3756, Error, MessageOnly, Validate, "AGAL validation failed: Depth output must set only x as a write mask. At token %3 of %1 program.";
    VersionsDiffer 3757, Error, MessageOnly, Link, "AGAL validation failed: Vertex and fragment program need to have the same version.";
    ConditionConstant 3758, Error, MessageOnly, Validate, "AGAL validation failed: Conditional source are exactly the same, condition is constant. At token %3 of %1 program.";
    ColorIndex 3760, Error, MessageOnly, OUTPUT_BOUNDS_FIRST, "The color output index is out of range.";
    ColorSlotGap 3775, Error, MessageOnly, Validate, "AGAL validation failed: Non-consecutive slots are not allowed.";
    // AGAL 3 and 4
    InstanceIdWritten 3786, Error, MessageOnly, Validate, "AGAL validation failed: Instance id register can not be written to for %2 at token %3 of %1 program.";
    InstanceIdOnlyInVertex 3788, Error, MessageOnly, Validate, "Instance id register can only be read in the vertex shader.";
    InstanceIdNeedsVersion3 3789, Error, MessageOnly, Validate, "AGAL validation failed: Instance id register is supported in Agal version 3 and above.";
    OpcodeOnlyInVertex 3803, Error, MessageOnly, Validate, "AGAL validation failed: Opcode %2 only allowed in vertex programs at token %3 of %1 program.";
    VertexSamplerAnisotropic 3804, Error, MessageOnly, Validate, "AGAL validation failed: Anistropic Filter is not allowed in Vertex Texture Sampler.";
    VertexFetchNeedsVersion4 3805, Error, MessageOnly, Validate, "AGAL validation failed: Vertex Texture Fetch is supported in Agal version 4 and above.";
}
