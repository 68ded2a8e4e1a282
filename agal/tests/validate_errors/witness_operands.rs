//! Invalid programs for the errors of destinations, sources and samplers, one for each number.

use agal::operand::{Swizzle, WriteMask};
use agal::{AgalInstruction, Profile, Stage};

use super::case::{Case, FRAGMENT, VERTEX, edited, fragment, sampled, source2, vertex};
use super::witness::{Witness, witnesses};

fn indirect(code: &mut [AgalInstruction]) {
    code[0].source1.indirect = true;
}

witnesses! {
    // Destinations.
    3627 DestinationNotZero at 1: fragment(1, "kil v0.x\nmov oc, v0").edit(Stage::Fragment, |code| code[0].dest.number = 1)
        => "AGAL validation failed: Opcode kil destination operand must be all zero at token 1 of fragment program.";
    3628 MustMaskW at 1: vertex(1, "nrm vt0, va0\nmov op, va0")
        => "AGAL validation failed: The destination operand for the nrm instruction must mask w (use .xyz or less) at token 1 of vertex program.";
    3649 SamplerWritten at 1: fragment(1, "mov fs0, v0\nmov oc, v0")
        => "AGAL validation failed: Sampler registers can not be written to for destination operand at token 1 of fragment program.";
    3650 VaryingWrittenOnlyInVertex at 1: fragment(1, "mov v0, v1\nmov oc, v0")
        => "AGAL validation failed: Varying registers can only be written in vertex programs for destination operand at token 1 of fragment program.";
    3651 AttributeWritten at 1: vertex(1, "mov va0, va1\nmov op, va0")
        => "AGAL validation failed: Attribute registers can not be written to for destination operand at token 1 of vertex program.";
    3652 ConstantWritten at 1: vertex(1, "mov vc0, va1\nmov op, va0")
        => "AGAL validation failed: Constant registers can not be written to for destination operand at token 1 of vertex program.";
    3653 WriteMaskZero at 2: edited(Stage::Vertex, |code| code[1].dest.mask = WriteMask::EMPTY)
        => "AGAL validation failed: Destination writemask is zero for destination operand at token 2 of vertex program.";
    3786 InstanceIdWritten at 1: vertex(3, "mov iid, va1\nmov op, va0")
        => "AGAL validation failed: Instance id register can not be written to for destination operand at token 1 of vertex program.";
    // Sources.
    3636 UnusedOperandNotZero at 1: edited(Stage::Vertex, |code| source2(code).number = 1)
        => "AGAL validation failed: Unused operand is not set to zero for source operand 2 at token 1 of vertex program.";
    3637 SamplerOnlyInFragment at 1: vertex(1, "mov op, vs0")
        => "AGAL validation failed: Sampler registers only allowed in fragment programs for source operand 1 at token 1 of vertex program.";
    3638 SamplerAsSource at 1: fragment(1, "add ft0, v0, fs0\nmov oc, ft0")
        => "AGAL validation failed: Sampler register only allowed as second operand in texture instructions for source operand 2 at token 1 of fragment program.";
    3644 VaryingReadOnlyInFragment at 1: vertex(1, "mov op, v0")
        => "AGAL validation failed: Varying registers can only be read in fragment programs for source operand 1 at token 1 of vertex program.";
    3645 AttributeOnlyInVertex at 1: edited(Stage::Fragment, |code| code[0].source1.file = 0)
        => "AGAL validation failed: Attribute registers can only be read in vertex programs for source operand 1 at token 1 of fragment program.";
    3646 OutputRead at 1: fragment(1, "mov oc, oc")
        => "AGAL validation failed: Can not read from output register for source operand 1 at token 1 of fragment program.";
    3647 TemporaryNotWritten at 1: fragment(1, "add oc, v0, ft0")
        => "AGAL validation failed: Temporary register read without being written to for source operand 2 at token 1 of fragment program.";
    3648 TemporaryComponentNotWritten at 2: fragment(1, "mov ft0.xyz, v0\nmov oc, ft0")
        => "AGAL validation failed: Temporary register component read without being written to for source operand 1 at token 2 of fragment program.";
    3689 MatrixSwizzled at 1: vertex(1, "m44 op, va0, vc0").edit(Stage::Vertex, |code| source2(code).swizzle = Swizzle::from_bits(0))
        => "You can not swizzle second operand for source operand 2 at token 1 of vertex program.";
    3703 SwizzleNotScalar at 1: fragment(1, "kil v0.xy\nmov oc, v0")
        => "AGAL validation failed: Source swizzle must be scalar (one of: xxxx, yyyy, zzzz, wwww) for source operand 1 at token 1 of fragment program.";
    3750 DepthOnlyInFragment at 1: Case::new(2, VERTEX, FRAGMENT).edit(Stage::Vertex, |code| code[0].source1.file = 6)
        => "AGAL validation failed: Depth output register is only available in fragment programs.";
    3788 InstanceIdOnlyInVertex at 1: Case::new(3, VERTEX, FRAGMENT).edit(Stage::Fragment, |code| code[0].source1.file = 7)
        => "Instance id register can only be read in the vertex shader.";
    3789 InstanceIdNeedsVersion3 at 1: vertex(2, "mov op, iid")
        => "AGAL validation failed: Instance id register is supported in Agal version 3 and above.";
    // Indirect addressing.
    3639 IndirectOnlyInVertex at 1: fragment(1, "mov oc, fc0").edit(Stage::Fragment, indirect)
        => "AGAL validation failed: Indirect addressing only allowed in vertex programs for source operand 1 at token 1 of fragment program.";
    3640 IndirectOnlyIntoConstants at 1: vertex(1, "mov op, va0").edit(Stage::Vertex, indirect)
        => "AGAL validation failed: Indirect addressing only allowed into constant registers for source operand 1 at token 1 of vertex program.";
    3641 IndirectNotAllowedHere at 1: vertex(4, "tld op, vc[va0.x], vs0")
        => "AGAL validation failed: Indirect addressing not allowed for this operand in this instruction for source operand 1 at token 1 of vertex program.";
    3642 BadIndexRegister at 1: vertex(1, "mov op, vc[va0.x]").edit(Stage::Vertex, |code| code[0].source1.index_file = 4)
        => "AGAL validation failed: Indirect source type must be attribute, constant or temporary for source operand 1 at token 1 of vertex program.";
    3643 IndirectFieldsNotZero at 1: edited(Stage::Vertex, |code| code[0].source1.offset = 1)
        => "AGAL validation failed: Indirect addressing fields must be zero for direct addressing for source operand 1 at token 1 of vertex program.";
    // Errors of any operand.
    3654 ReservedBits at 1: edited(Stage::Vertex, |code| code[0].source1.reserved = 1)
        => "AGAL validation failed: Reserve bits should be zero for source operand 1 at token 1 of vertex program.";
    3655 UnknownRegisterType at 1: edited(Stage::Vertex, |code| code[0].dest.file = 8)
        => "AGAL validation failed: Unknown register type for destination operand at token 1 of vertex program.";
    // Bounds.
    3656 SamplerBounds at 1: fragment(1, "tex oc, v0, fs8")
        => "AGAL validation failed: Sampler register index out of bounds for source operand 2 at token 1 of fragment program.";
    3657 VaryingBounds at 1: vertex(1, "mov v8, va0\nmov op, va0")
        => "AGAL validation failed: Varying register index out of bounds for destination operand at token 1 of vertex program.";
    3658 AttributeBounds at 1: vertex(1, "mov op, va8")
        => "AGAL validation failed: Attribute register index out of bounds for source operand 1 at token 1 of vertex program.";
    3659 ConstantBounds at 1: fragment(1, "mov oc, fc28")
        => "AGAL validation failed: Constant register index out of bounds for source operand 1 at token 1 of fragment program.";
    3660 OutputBounds at 1: fragment(1, "mov fo1, v0")
        => "AGAL validation failed: Output register index out of bounds for destination operand at token 1 of fragment program.";
    3661 TemporaryBounds at 1: fragment(1, "mov ft7, v0\nmov oc, ft7").on(Profile::BaselineConstrained)
        => "AGAL validation failed: Temporary register index out of bounds for destination operand at token 1 of fragment program.";
    3749 DepthBounds at 1: fragment(1, "mov oc, od")
        => "AGAL validation failed: Depth output register index out of bounds for source operand 1 at token 1 of fragment program.";
    // Samplers.
    3662 CubeMustClamp at 1: fragment(1, "tex oc, v0, fs0 <cube,repeat>")
        => "AGAL validation failed: Cube map samplers must set wrapping to clamp mode for source operand 2 at token 1 of fragment program.";
    3664 UnknownDimension at 1: sampled(|sampler| sampler.dimension = 2)
        => "AGAL validation failed: Unknown sampler dimension 2 for source operand 2 at token 1 of fragment program.";
    3665 UnknownFilter at 1: sampled(|sampler| sampler.filter = 6)
        => "AGAL validation failed: Unknown filter mode in sampler: 6 for source operand 2 at token 1 of fragment program.";
    3666 UnknownMip at 1: sampled(|sampler| sampler.mip = 3)
        => "AGAL validation failed: Unknown mipmap mode in sampler: 3 for source operand 2 at token 1 of fragment program.";
    3667 UnknownWrap at 1: sampled(|sampler| sampler.wrap = 4)
        => "AGAL validation failed: Unknown wrapping mode in sampler: 4 for source operand 2 at token 1 of fragment program.";
    3668 UnknownSpecial at 1: sampled(|sampler| sampler.special = 8)
        => "AGAL validation failed: Unknown special flag used in sampler: 8 for source operand 2 at token 1 of fragment program.";
    3693 SamplerExpected at 1: sampled(|sampler| sampler.file = 1)
        => "AGAL validation failed: Sampler register must be used for second operand in texture instructions for source operand 2 at token 1 of fragment program.";
    3696 SamplerMismatch at 2: fragment(1, "tex ft0, v0, fs0 <2d>\ntex oc, v0, fs0 <2d,linear>")
        => "AGAL validation failed: Second use of sampler register needs to specify the exact same properties. At token 2 of fragment program.";
    3804 VertexSamplerAnisotropic at 1: vertex(4, "tld op, va0, vs0 <anisotropic2x>")
        => "AGAL validation failed: Anistropic Filter is not allowed in Vertex Texture Sampler.";
}
