//! THE rule table: numbers and titles of the checker's rules, [d3d9.rule.1] to [d3d9.rule.58].

use std::fmt;

agal_core::table! {
    /// A rule of the checker; rule N is the fact `d3d9.rule.N`, as in [d3d9.rule.1].
    pub enum D3d9Rule {
        /// Returns the number of the rule, 1 to 58.
        number: u8,
        /// Returns a short description of the rule.
        title: &'static str,
    }
    Version 1, "the first word is a Direct3D 9 shader version (decoding rejects others)";
    Opcode 2, "the opcode exists in the version";
    Length 3, "the length field matches the operands; in model 1 it is 0";
    Reserved 4, "reserved bits are 0; bit 31 is set in operand words and clear in instruction words";
    End 5, "the shader ends with an end token, and no words follow it";
    Control 6, "only comparisons and texld have control bits, with defined values";
    CoIssue 7, "only ps_1_x has co-issue: one color and one alpha instruction, but no texture instruction, dp4 or bem";
    Declarations 8, "dcl and def come before the first executable instruction";
    Predicate 9, "a predicate is p0 or !p0 with all components or one, and not on flow control";
    Range 10, "the register exists in the version";
    Access 11, "source registers are readable and destination registers are writable";
    Undeclared 12, "inputs, samplers and outputs are declared with all used components";
    DeclaredTwice 13, "each register and each usage is declared once";
    Uninitialized 14, "registers are written before they are read";
    Ports 15, "the number of different registers of a file that an instruction reads is within the version's read ports";
    Reads 16, "the number of reads of a file in an instruction is within the version's limit";
    Misplaced 17, "i#, b#, s#, a0, aL, p0 and labels are used only by instructions that take them";
    Relative 18, "relative addressing is used only on files and with index registers that the version allows";
    IndexRange 19, "the base register of a relative operand is within its file";
    Position 20, "all components of the position are written";
    TexCoordOutput 21, "each oT# is written as x, xy, xyz or xyzw, and oT# are used without gaps";
    Outputs 22, "vs_3_0 declares one position with all components; declared and written outputs match";
    ColorOutput 23, "ps_2_x writes each oC# once, with all components, by mov without modifiers, and without gaps from oC0";
    DepthOutput 24, "ps_2_x writes oDepth once, by mov of one component without modifiers";
    OutputInFlow 25, "ps_2_x writes color and depth outside of dynamic flow control; ps_3_0 writes them on every path";
    SaturatedOutput 26, "ps_2_x does not saturate oC# or oDepth";
    OldColor 27, "ps_1_x writes r0; ps_1_4 writes r0.a in the second phase";
    Scalar 28, "scalar operands select one component";
    AddressWrite 29, "a0 is written by mova; in vs_1_1, a0.x is written by mov";
    Matrix 30, "matrix rows are consecutive registers without swizzle or modifier; the destination is not a source";
    Cross 31, "crs writes only x, y and z of a temporary that is not a source; sources have no swizzle";
    Normalize 32, "nrm and pow write a temporary that is not their source; nrm writes xyz or xyzw";
    SinCos 33, "sincos writes x, y or xy of a temporary; sgn has two different scratch registers";
    NoSaturate 34, "frc, sincos and texture instructions do not saturate; vs_1_1 frc writes y or xy";
    TexLoad 35, "ps_2_x texld writes a whole register; its sources have no swizzle or modifier";
    Sampler 36, "texldd, texldl and ps_3_0 texld read a declared sampler without a modifier";
    Coordinates 37, "texture coordinates have all components that the texture's dimension needs";
    ProjectedCube 38, "texldp on a cube texture is not portable";
    Kill 39, "texkill takes a register with all components, and they are written before";
    Swizzle 40, "ps_2_0 supports eight swizzles";
    Cnd 41, "cnd in ps_1_1 to ps_1_3 tests r0.a";
    Addressing 42, "texture addressing reads lower stages, and matrix rows are consecutive instructions";
    Phases 43, "ps_1_4 reads each t# with one selector, uses _dz at most twice, and bem writes xy";
    Modifiers 44, "the version has the result modifier";
    SourceModifier 45, "the version has the source modifier";
    AbsConstants 46, "_abs is used on all constants or on none";
    ConstantModifier 47, "ps_1_x constants have no modifier";
    Complement 48, "1-r has no other modifier (rejected by the assembler; tokens can't encode it)";
    Blocks 49, "blocks are nested correctly";
    Break 50, "break is inside a loop";
    Depth 51, "the nesting depth of blocks is within the version's limit";
    Labels 52, "a label follows ret and is defined once; call targets exist";
    Calls 53, "calls do not recurse; the call depth is within the version's limit";
    Return 54, "ret is outside of blocks, and only a label follows it";
    LoopCalls 55, "a subroutine that uses aL is called inside a loop";
    LoopValues 56, "defi values of loops are in range";
    Gradients 57, "gradients of temporaries are not taken in dynamic flow control";
    Limits 58, "instruction slots and dependent texture reads are within the version's limits";
}

impl fmt::Display for D3d9Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {}", self.number())
    }
}
