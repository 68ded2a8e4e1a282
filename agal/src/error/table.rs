//! The table of AGAL errors: one row per number, with the real player's class and message, the evidence, and what
//! raises it (agal-errors.md).
//!
//! Related numbers that calls and draws raise, such as 3663, 3774, 3776, 3784, 3785 and 3787, are rows of `context3d`'s
//! own table; no number is in both.

use super::{ErrorClass, Evidence, RaisedBy};

/// `context3d` behaves as a debugger player, which reports the driver's message.
const NO_RELEASE_PLAYER: RaisedBy = RaisedBy::Never("debugger players raise 3614 instead");
/// agal-adobe-2012.md, "One token".
const CUBES_WITHOUT_MIPS: RaisedBy =
    RaisedBy::Never("shipping content has cube samplers without mip mapping");
/// agal-adobe-2012.md, "One token": only constants are read indirectly (3640).
const CONSTANTS_FIRST: RaisedBy = RaisedBy::Never("two indirect sources are two constants (3625)");
/// Checked by a test of the cost model.
const AGAL_IS_STRICTER: RaisedBy =
    RaisedBy::Never("AGAL's own register counts are the stricter limit (3659, 3661, 3657)");
/// agal.md section 4.
const NO_TED: RaisedBy = RaisedBy::Never("no player runs ted (3621)");
/// 3660 is documented; whether `upload` raises 3760 at all is unknown.
const OUTPUT_BOUNDS_FIRST: RaisedBy = RaisedBy::Never("the register is out of bounds first (3660)");

/// A value of the column: a variant of [`RaisedBy`], or one of the reasons above.
macro_rules! raised_by {
    (Decode) => {
        RaisedBy::Decode
    };
    (Validate) => {
        RaisedBy::Validate
    };
    (Link) => {
        RaisedBy::Link
    };
    (Native) => {
        RaisedBy::Native
    };
    (Host) => {
        RaisedBy::Host
    };
    ($reason:ident) => {
        $reason
    };
}

macro_rules! errors {
    ($($number:literal $kind:ident $class:ident $evidence:ident $raised:ident $template:literal;)*) => {
        shader_core::table! {
            /// One row of Flash's error table for `Program3D.upload`.
            pub enum ErrorKind {
                /// Flash's error number.
                number: u16,
                /// The class that is thrown (3615 throws `ArgumentError` for an empty array).
                class: ErrorClass,
                /// The evidence for number, class and trigger.
                evidence: Evidence,
                /// What raises it, or why it is never raised.
                raised_by: RaisedBy,
                /// The message with its placeholders `%1` to `%4`.
                template: &'static str,
            }
            $($kind $number, ErrorClass::$class, Evidence::$evidence, raised_by!($raised), $template;)*
        }
    };
}

errors! {
    // number row class evidence raised-by message
    // Form
    3612 BigEndian ArgumentError PlayerTest Decode "Programs must be in little endian format.";
    3613 NativeCompilation Error Documented NO_RELEASE_PLAYER "The native shader compilation failed.";
    3614 NativeCompilationOpenGl Error Documented Host "The native shader compilation failed.\nOpenGL specific: %1";
    3615 SizeBelowMinimum Error PlayerTest Decode "AGAL validation failed: Program size below minimum length for %1 program.";
    3616 WrongMagic Error Documented Decode "AGAL validation failed: Not an AGAL program. Wrong magic byte for %1 program.";
    3617 BadVersion Error Documented Decode "AGAL validation failed: Bad AGAL version for %1 program. Current version is %2.";
    3618 BadTypeIdentifier Error Documented Decode "AGAL validation failed: Bad AGAL program type identifier for %1 program.";
    3619 BadShaderType Error Documented Decode "AGAL validation failed: Shader type must be either fragment or vertex for %1 program.";
    // Opcodes
    3620 OpcodeOutOfRange Error PlayerTest Validate "AGAL validation failed: Invalid opcode, value out of range: %2 at token %3 of %1 program.";
    3621 OpcodeNotImplemented Error Documented Validate "AGAL validation failed: Invalid opcode, %2 is not implemented in this version at token %3 of %1 program.";
    3622 OpcodeOnlyInFragment Error Documented Validate "AGAL validation failed: Opcode %2 only allowed in fragment programs at token %3 of %1 program.";
    3623 NestingUnderflow Error MessageOnly Validate "AGAL validation failed: Block nesting underflow - EIF without opening IF condition. At token %3 of %1 program.";
    3624 NestingOverflow Error MessageOnly Validate "AGAL validation failed: Block nesting overflow. Too many nested IF blocks. At token %3 of %1 program.";
    3625 BothConstant Error Documented Validate "AGAL validation failed: Bad AGAL source operands. Both are constants (this must be precomputed) at token %2 of %1 program.";
    3626 BothIndirect Error Documented CONSTANTS_FIRST "AGAL validation failed: Opcode %2, both operands are indirect reads at token %3 of %1 program.";
    3627 DestinationNotZero Error Documented Validate "AGAL validation failed: Opcode %2 destination operand must be all zero at token %3 of %1 program.";
    3628 MustMaskW Error Documented Validate "AGAL validation failed: The destination operand for the %2 instruction must mask w (use .xyz or less) at token %3 of %1 program.";
    3629 TooManyTokens Error Documented Validate "AGAL validation failed: Too many tokens (%2) for %1 program.";
    // Linkage
    3630 FragmentTypeWrong Error Documented Link "Fragment shader type is not fragment.";
    3631 VertexTypeWrong Error Documented Link "Vertex shader type is not vertex.";
    3632 VaryingNotWritten Error PlayerTrace Link "AGAL linkage: Varying %1 is read in the fragment shader but not written to by the vertex shader.";
    3633 VaryingPartlyWritten Error Documented Link "AGAL linkage: Varying %1 is only partially written to. Must write all four components.";
    3634 FragmentOutputIncomplete Error Documented Link "AGAL linkage: Fragment output needs to write to all components.";
    3635 VertexOutputIncomplete Error Documented Link "AGAL linkage: Vertex output needs to write to all components.";
    // Operands and registers
    3636 UnusedOperandNotZero Error Documented Validate "AGAL validation failed: Unused operand is not set to zero for %2 at token %3 of %1 program.";
    3637 SamplerOnlyInFragment Error Documented Validate "AGAL validation failed: Sampler registers only allowed in fragment programs for %2 at token %3 of %1 program.";
    3638 SamplerAsSource Error PlayerTest Validate "AGAL validation failed: Sampler register only allowed as second operand in texture instructions for %2 at token %3 of %1 program.";
    3639 IndirectOnlyInVertex Error PlayerTest Validate "AGAL validation failed: Indirect addressing only allowed in vertex programs for %2 at token %3 of %1 program.";
    3640 IndirectOnlyIntoConstants Error PlayerTest Validate "AGAL validation failed: Indirect addressing only allowed into constant registers for %2 at token %3 of %1 program.";
    3641 IndirectNotAllowedHere Error Documented Validate "AGAL validation failed: Indirect addressing not allowed for this operand in this instruction for %2 at token %3 of %1 program.";
    3642 BadIndexRegister Error Documented Validate "AGAL validation failed: Indirect source type must be attribute, constant or temporary for %2 at token %3 of %1 program.";
    3643 IndirectFieldsNotZero Error Documented Validate "AGAL validation failed: Indirect addressing fields must be zero for direct addressing for %2 at token %3 of %1 program.";
    3644 VaryingReadOnlyInFragment Error Documented Validate "AGAL validation failed: Varying registers can only be read in fragment programs for %2 at token %3 of %1 program.";
    3645 AttributeOnlyInVertex Error Documented Validate "AGAL validation failed: Attribute registers can only be read in vertex programs for %2 at token %3 of %1 program.";
    3646 OutputRead Error PlayerTest Validate "AGAL validation failed: Can not read from output register for %2 at token %3 of %1 program.";
    3647 TemporaryNotWritten Error PlayerTrace Validate "AGAL validation failed: Temporary register read without being written to for %2 at token %3 of %1 program.";
    3648 TemporaryComponentNotWritten Error PlayerTrace Validate "AGAL validation failed: Temporary register component read without being written to for %2 at token %3 of %1 program.";
    3649 SamplerWritten Error PlayerTest Validate "AGAL validation failed: Sampler registers can not be written to for %2 at token %3 of %1 program.";
    3650 VaryingWrittenOnlyInVertex Error Documented Validate "AGAL validation failed: Varying registers can only be written in vertex programs for %2 at token %3 of %1 program.";
    3651 AttributeWritten Error PlayerTest Validate "AGAL validation failed: Attribute registers can not be written to for %2 at token %3 of %1 program.";
    3652 ConstantWritten Error PlayerTest Validate "AGAL validation failed: Constant registers can not be written to for %2 at token %3 of %1 program.";
    3653 WriteMaskZero Error Documented Validate "AGAL validation failed: Destination writemask is zero for %2 at token %3 of %1 program.";
    3654 ReservedBits Error Documented Validate "AGAL validation failed: Reserve bits should be zero for %2 at token %3 of %1 program.";
    3655 UnknownRegisterType Error Documented Validate "AGAL validation failed: Unknown register type for %2 at token %3 of %1 program.";
    3656 SamplerBounds Error Documented Validate "AGAL validation failed: Sampler register index out of bounds for %2 at token %3 of %1 program.";
    3657 VaryingBounds Error Documented Validate "AGAL validation failed: Varying register index out of bounds for %2 at token %3 of %1 program.";
    3658 AttributeBounds Error Documented Validate "AGAL validation failed: Attribute register index out of bounds for %2 at token %3 of %1 program.";
    3659 ConstantBounds Error Documented Validate "AGAL validation failed: Constant register index out of bounds for %2 at token %3 of %1 program.";
    3660 OutputBounds Error Documented Validate "AGAL validation failed: Output register index out of bounds for %2 at token %3 of %1 program.";
    3661 TemporaryBounds Error PlayerTrace Validate "AGAL validation failed: Temporary register index out of bounds for %2 at token %3 of %1 program.";
    // Samplers
    3662 CubeMustClamp Error Documented Validate "AGAL validation failed: Cube map samplers must set wrapping to clamp mode for %2 at token %3 of %1 program.";
    3664 UnknownDimension Error Documented Validate "AGAL validation failed: Unknown sampler dimension %4 for %2 at token %3 of %1 program.";
    3665 UnknownFilter Error Documented Validate "AGAL validation failed: Unknown filter mode in sampler: %4 for %2 at token %3 of %1 program.";
    3666 UnknownMip Error Documented Validate "AGAL validation failed: Unknown mipmap mode in sampler: %4 for %2 at token %3 of %1 program.";
    3667 UnknownWrap Error Documented Validate "AGAL validation failed: Unknown wrapping mode in sampler: %4 for %2 at token %3 of %1 program.";
    3668 UnknownSpecial Error Documented Validate "AGAL validation failed: Unknown special flag used in sampler: %4 for %2 at token %3 of %1 program.";
    3689 MatrixSwizzled Error Documented Validate "You can not swizzle second operand for %2 at token %3 of %1 program.";
    3693 SamplerExpected Error Documented Validate "AGAL validation failed: Sampler register must be used for second operand in texture instructions for %2 at token %3 of %1 program.";
    3696 SamplerMismatch Error PlayerTest Validate "AGAL validation failed: Second use of sampler register needs to specify the exact same properties. At token %3 of %1 program.";
    3701 ColorMasked Error Documented Validate "The output color register can not use a write mask. All components must be written.";
    3703 SwizzleNotScalar Error Documented Validate "AGAL validation failed: Source swizzle must be scalar (one of: xxxx, yyyy, zzzz, wwww) for %2 at token %3 of %1 program.";
    3704 CubeMustMip Error MessageOnly CUBES_WITHOUT_MIPS "AGAL validation failed: Cube map samplers must enable mipmapping for %2 at token %3 of %1 program.";
    // Native limits of the constrained profiles
    3715 NativeInstructions Error MessageOnly Native "Too many instructions used in native shader. Detected %3 but can only support %2 for %1 program.";
    3716 NativeAlu Error MessageOnly Native "Too many ALU instructions in native shader. Detected %3 but can only support %2 for %1 program.";
    3717 NativeTexture Error MessageOnly Native "Too many texture instructions in native shader. Detected %3 but can only support %2 for %1 program.";
    3718 NativeConstants Error MessageOnly AGAL_IS_STRICTER "Too many constants used in native shader. Detected %3 but can only support %2 for %1 program.";
    3719 NativeTemporaries Error MessageOnly AGAL_IS_STRICTER "Too many temporary registers used in native shader. Detected %3 but can only support %2 for %1 program.";
    3720 NativeVaryings Error MessageOnly AGAL_IS_STRICTER "Too many varying registers used in native shader. Detected %3 but can only support %2 for %1 program.";
    3721 NativeIndirectTexture Error MessageOnly Native "Too many indirect texture reads in native shader. Detected %3 but can only support %2 for %1 program.";
    // AGAL 2
    3725 VersionNotInProfile Error MessageOnly Validate "The requested AGAL version (%2) is not valid under the Context3D profile. For example AGAL version 2 requires standard profile.";
    3726 OpcodeNeedsVersion2 Error MessageOnly Validate "AGAL validation failed: Opcode %2 requires AGAL version to be at least 2, at token %3 of %1 program.";
    3739 OpenConditional Error MessageOnly Validate "AGAL validation failed: Open conditional block at end of %1 program.";
    3740 TedWithBias Error MessageOnly NO_TED "AGAL validation failed: Texture samplers used in the TED instruction can not specify a lod bias. At token %3 of %1 program.";
    3741 ComputedCoordinateInConditional Error MessageOnly Validate "AGAL validation failed: TEX instructions in an if block can not use computed texture coordinates. Either use interpolated texture coordinates or use the TED instruction instead. At token %3 of %1 program.";
    3742 DerivativeInConditional Error MessageOnly Validate "AGAL validation failed: DDX and DDY opcodes are not allowed inside conditional blocks. At token %3 of %1 program.";
    3743 TedWithoutMip Error MessageOnly NO_TED "AGAL validation failed: The TED opcode must enable mip mapping. At token %3 of %1 program.";
    3744 ColorWrittenTwice Error MessageOnly Validate "AGAL validation failed: Color output written to multiple times. At token %3 of %1 program.";
    3748 EmptyBranch Error MessageOnly Validate "AGAL validation failed: Empty conditional branch in AGAL of %1 program.";
    3749 DepthBounds Error PlayerTest Validate "AGAL validation failed: Depth output register index out of bounds for %2 at token %3 of %1 program.";
    3750 DepthOnlyInFragment Error MessageOnly Validate "AGAL validation failed: Depth output register is only available in fragment programs.";
    3751 OutputInConditional Error MessageOnly Validate "AGAL validation failed: Output registers can not be written inside conditionals.";
    3752 BrokenElse Error MessageOnly Validate "AGAL validation failed: Broken else chain.";
    3756 DepthMask Error MessageOnly Validate "AGAL validation failed: Depth output must set only x as a write mask. At token %3 of %1 program.";
    3757 VersionsDiffer Error MessageOnly Link "AGAL validation failed: Vertex and fragment program need to have the same version.";
    3758 ConditionConstant Error MessageOnly Validate "AGAL validation failed: Conditional source are exactly the same, condition is constant. At token %3 of %1 program.";
    3760 ColorIndex Error MessageOnly OUTPUT_BOUNDS_FIRST "The color output index is out of range.";
    3775 ColorSlotGap Error MessageOnly Validate "AGAL validation failed: Non-consecutive slots are not allowed.";
    // AGAL 3 and 4
    3786 InstanceIdWritten Error MessageOnly Validate "AGAL validation failed: Instance id register can not be written to for %2 at token %3 of %1 program.";
    3788 InstanceIdOnlyInVertex Error MessageOnly Validate "Instance id register can only be read in the vertex shader.";
    3789 InstanceIdNeedsVersion3 Error MessageOnly Validate "AGAL validation failed: Instance id register is supported in Agal version 3 and above.";
    3803 OpcodeOnlyInVertex Error MessageOnly Validate "AGAL validation failed: Opcode %2 only allowed in vertex programs at token %3 of %1 program.";
    3804 VertexSamplerAnisotropic Error MessageOnly Validate "AGAL validation failed: Anistropic Filter is not allowed in Vertex Texture Sampler.";
    3805 VertexFetchNeedsVersion4 Error MessageOnly Validate "AGAL validation failed: Vertex Texture Fetch is supported in Agal version 4 and above.";
}
