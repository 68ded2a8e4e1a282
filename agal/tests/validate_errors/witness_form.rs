//! Invalid programs for the errors of encoding, header, opcodes, conditionals and outputs, one for each number.

use agal::{AgalError, Endian, LinkedPair, Profile, Rules, Stage, upload};

use super::case::{Case, FRAGMENT, VERTEX, edited, fragment, vertex, within};
use super::witness::{Witness, witnesses};

/// Uploads arbitrary bytes as the vertex program, with a legal fragment program.
fn bytes(vertex: &[u8], endian: Endian) -> Result<LinkedPair, AgalError> {
    let fragment = Case::new(1, VERTEX, FRAGMENT).program(Stage::Fragment);
    let fragment = (fragment.as_slice(), Endian::Little);
    upload((vertex, endian), fragment, &Rules::NEWEST)
}

/// Uploads a legal pair with one changed byte in the header of a program. The tokens are legal in both stages.
fn header(which: Stage, at: usize, byte: u8) -> Result<LinkedPair, AgalError> {
    let case = Case::new(1, "mov op, vc0", "mov oc, fc0");
    let mut programs = [Stage::Vertex, Stage::Fragment].map(|stage| case.program(stage));
    programs[usize::from(which.code())][at] = byte;
    let [vertex, fragment] = programs.each_ref().map(|bytes| (bytes.as_slice(), Endian::Little));
    upload(vertex, fragment, &Rules::NEWEST)
}

/// Uploads two legal programs with different AGAL versions.
fn versions(vertex: u32, fragment: u32) -> Result<LinkedPair, AgalError> {
    let vertex = Case::new(vertex, VERTEX, FRAGMENT).program(Stage::Vertex);
    let fragment = Case::new(fragment, VERTEX, FRAGMENT).program(Stage::Fragment);
    let [vertex, fragment] = [&vertex, &fragment].map(|bytes| (bytes.as_slice(), Endian::Little));
    upload(vertex, fragment, &Rules::NEWEST)
}

witnesses! {
    // Encoding errors, which are checked before any token.
    3612 BigEndian at 0: bytes(&[1, 2, 3], Endian::Big)
        => "Programs must be in little endian format.";
    3615 SizeBelowMinimum at 0: bytes(&[0xa0; 30], Endian::Little)
        => "AGAL validation failed: Program size below minimum length for vertex program.";
    3616 WrongMagic at 0: header(Stage::Vertex, 0, 0xb0)
        => "AGAL validation failed: Not an AGAL program. Wrong magic byte for vertex program.";
    3617 BadVersion at 0: header(Stage::Fragment, 1, 5)
        => "AGAL validation failed: Bad AGAL version for fragment program. Current version is 4.";
    3618 BadTypeIdentifier at 0: header(Stage::Vertex, 5, 0xa0)
        => "AGAL validation failed: Bad AGAL program type identifier for vertex program.";
    3619 BadShaderType at 0: header(Stage::Fragment, 6, 2)
        => "AGAL validation failed: Shader type must be either fragment or vertex for fragment program.";
    3631 VertexTypeWrong at 0: header(Stage::Vertex, 6, 1)
        => "Vertex shader type is not vertex.";
    3630 FragmentTypeWrong at 0: header(Stage::Fragment, 6, 0)
        => "Fragment shader type is not fragment.";
    3725 VersionNotInProfile at 0: Case::new(2, VERTEX, FRAGMENT).on(Profile::BaselineExtended)
        => "The requested AGAL version (2) is not valid under the Context3D profile. For example AGAL version 2 requires standard profile.";
    3629 TooManyTokens at 0: vertex(1, &"mov op, va0\n".repeat(201))
        => "AGAL validation failed: Too many tokens (201) for vertex program.";
    // Opcodes.
    3620 OpcodeOutOfRange at 1: edited(Stage::Fragment, |code| code[0].set_code(0xff))
        => "AGAL validation failed: Invalid opcode, value out of range: 255 at token 1 of fragment program.";
    3621 OpcodeNotImplemented at 2: edited(Stage::Vertex, |code| code[1].set_code(0x2b))
        => "AGAL validation failed: Invalid opcode, 43 is not implemented in this version at token 2 of vertex program.";
    3622 OpcodeOnlyInFragment at 1: edited(Stage::Vertex, |code| code[0].set_code(0x28))
        => "AGAL validation failed: Opcode tex only allowed in fragment programs at token 1 of vertex program.";
    3803 OpcodeOnlyInVertex at 1: edited(Stage::Fragment, |code| code[0].set_code(0x2e))
        => "AGAL validation failed: Opcode tld only allowed in vertex programs at token 1 of fragment program.";
    3726 OpcodeNeedsVersion2 at 1: edited(Stage::Fragment, |code| code[0].set_code(0x1a))
        => "AGAL validation failed: Opcode ddx requires AGAL version to be at least 2, at token 1 of fragment program.";
    3805 VertexFetchNeedsVersion4 at 1: edited(Stage::Vertex, |code| code[0].set_code(0x2e))
        => "AGAL validation failed: Vertex Texture Fetch is supported in Agal version 4 and above.";
    3625 BothConstant at 1: fragment(1, "add oc, fc0, fc1")
        => "AGAL validation failed: Bad AGAL source operands. Both are constants (this must be precomputed) at token 1 of fragment program.";
    // Conditionals.
    3623 NestingUnderflow at 1: fragment(2, "eif\nmov oc, v0")
        => "AGAL validation failed: Block nesting underflow - EIF without opening IF condition. At token 1 of fragment program.";
    3624 NestingOverflow at 5: vertex(2, &"ifg va0.x, va0.y\n".repeat(5))
        => "AGAL validation failed: Block nesting overflow. Too many nested IF blocks. At token 5 of vertex program.";
    3739 OpenConditional at 0: fragment(2, "mov oc, v0\nife v0.x, v1.x\nmov ft0, v0")
        => "AGAL validation failed: Open conditional block at end of fragment program.";
    3741 ComputedCoordinateInConditional at 3: within("tex ft0, ft0, fs0")
        => "AGAL validation failed: TEX instructions in an if block can not use computed texture coordinates. Either use interpolated texture coordinates or use the TED instruction instead. At token 3 of fragment program.";
    3742 DerivativeInConditional at 3: within("ddy ft0, v0")
        => "AGAL validation failed: DDX and DDY opcodes are not allowed inside conditional blocks. At token 3 of fragment program.";
    3748 EmptyBranch at 2: fragment(2, "ife v0.x, v1.x\neif\nmov oc, v0")
        => "AGAL validation failed: Empty conditional branch in AGAL of fragment program.";
    3751 OutputInConditional at 3: within("mov fo1, v0")
        => "AGAL validation failed: Output registers can not be written inside conditionals.";
    3752 BrokenElse at 1: fragment(2, "els\nmov oc, v0")
        => "AGAL validation failed: Broken else chain.";
    3758 ConditionConstant at 1: fragment(2, "ine v0.x, v0.x\nmov ft0, v0\neif\nmov oc, v0")
        => "AGAL validation failed: Conditional source are exactly the same, condition is constant. At token 1 of fragment program.";
    // Outputs.
    3701 ColorMasked at 1: fragment(1, "mov oc.xyz, v0")
        => "The output color register can not use a write mask. All components must be written.";
    3744 ColorWrittenTwice at 2: fragment(2, "mov oc, v0\nmov oc, v1")
        => "AGAL validation failed: Color output written to multiple times. At token 2 of fragment program.";
    3756 DepthMask at 1: fragment(2, "mov od.xy, v0\nmov oc, v0")
        => "AGAL validation failed: Depth output must set only x as a write mask. At token 1 of fragment program.";
    3775 ColorSlotGap at 0: fragment(2, "mov fo0, v0\nmov fo2, v0")
        => "AGAL validation failed: Non-consecutive slots are not allowed.";
    // Errors of the pair.
    3757 VersionsDiffer at 0: versions(2, 3)
        => "AGAL validation failed: Vertex and fragment program need to have the same version.";
    3635 VertexOutputIncomplete at 0: vertex(1, "mov op.xyz, va0")
        => "AGAL linkage: Vertex output needs to write to all components.";
    3634 FragmentOutputIncomplete at 0: fragment(1, "mov ft0, v0")
        => "AGAL linkage: Fragment output needs to write to all components.";
    3632 VaryingNotWritten at 0: Case::new(1, "mov op, va0\nmov v0, va1", "add oc, v0, v1")
        => "AGAL linkage: Varying 1 is read in the fragment shader but not written to by the vertex shader.";
    3633 VaryingPartlyWritten at 0: Case::new(1, "mov op, va0\nmov v3.xyz, va0", "mov oc, v3.xyzz")
        => "AGAL linkage: Varying 3 is only partially written to. Must write all four components.";
}
