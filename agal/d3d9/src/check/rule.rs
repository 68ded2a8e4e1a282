//! THE rule table: the rules of the checker, by their numbers in d3d9-shaders.md section 4.

use std::fmt;

agal::table! {
    /// A rule, by its number in d3d9-shaders.md section 4.
    pub enum Rule {
        /// The number.
        number: u8,
        /// The requirement.
        title: &'static str,
    }
    Version 1, "the first word is a version of Direct3D 9 (decoding refuses others)";
    Opcode 2, "every opcode exists in the version";
    Length 3, "the length field is what the operands take, and 0 in model 1";
    Reserved 4, "reserved bits are 0, and bit 31 tells operands from instructions";
    End 5, "there is an end token, and nothing behind it";
    Control 6, "control bits stand only on comparisons and texld, and mean something";
    CoIssue 7, "ps_1_x pairs colour with alpha, not with texture instructions, dp4 or bem";
    Declarations 8, "dcl and def come before the first instruction that runs";
    Predicate 9, "a predicate is p0 or !p0, whole or one component, not on flow control";
    Range 10, "registers exist in the version";
    Access 11, "what is read can be read, what is written can be written";
    Undeclared 12, "inputs, samplers and outputs are declared, with the components that are used";
    DeclaredTwice 13, "nothing is declared twice";
    Uninitialized 14, "what is read was written before";
    Ports 15, "an instruction reads no more different registers of a file than there are ports";
    Reads 16, "an instruction reads a file no more often than the version allows";
    Misplaced 17, "flow control has its own registers, and a0, aL, p0, labels and samplers their places";
    Relative 18, "only what the version allows is indexed";
    IndexRange 19, "an indexed register begins within its file";
    Position 20, "the position is written whole";
    TexCoordOutput 21, "oT# are written from x on, and none is left out";
    Outputs 22, "vs_3_0 declares one whole position, writes what it declares and declares what it writes";
    ColorOutput 23, "ps_2_x writes each oC# once, whole, with a plain mov, from oC0 on";
    DepthOutput 24, "ps_2_x writes oDepth once, with a plain mov of one component";
    OutputInFlow 25, "colour and depth are not written in dynamic flow control";
    SaturatedOutput 26, "ps_2_x does not saturate oC# and oDepth";
    OldColor 27, "ps_1_x writes r0, and ps_1_4 its alpha in the second phase";
    Scalar 28, "scalar operands name one component";
    AddressWrite 29, "a0 is written by mova, in vs_1_1 by mov a0.x";
    Matrix 30, "a matrix is consecutive plain registers, and its result another one";
    Cross 31, "crs writes xyz of a temporary that it does not read, without swizzles";
    Normalize 32, "nrm and pow write a temporary, nrm xyz or xyzw, not their own source";
    SinCos 33, "sincos writes x, y or xy of a temporary; sgn has two scratch registers";
    NoSaturate 34, "frc, sincos and texture instructions do not saturate; vs_1_1 frc writes y or xy";
    TexLoad 35, "ps_2_x texld takes and gives whole registers";
    Sampler 36, "texldd, texldl and ps_3_0 texld read a declared sampler without a modifier";
    Coordinates 37, "a coordinate has the components that the texture needs";
    ProjectedCube 38, "texldp on a cube is not for every reader";
    Kill 39, "texkill takes a whole register, all of it written";
    Swizzle 40, "ps_2_0 has eight swizzles";
    Cnd 41, "cnd of ps_1_1 to ps_1_3 tests r0.a";
    Addressing 42, "texture addressing goes upwards and in unbroken sequence";
    Phases 43, "ps_1_4 reads each t# one way, _dz twice at most, and bem writes xy";
    Modifiers 44, "result modifiers are those of the version";
    SourceModifier 45, "source modifiers are those of the version";
    AbsConstants 46, "_abs is on all constants or on none";
    ConstantModifier 47, "ps_1_x constants have no modifier";
    Complement 48, "1-r has no other modifier (the assembler refuses it; no word can say it)";
    Blocks 49, "blocks nest";
    Break 50, "break stands in a loop";
    Depth 51, "blocks are no deeper than the version allows";
    Labels 52, "a label follows ret, once, and what is called exists";
    Calls 53, "calls do not recurse, and are no deeper than the version allows";
    Return 54, "ret is not in a block, and ends its body";
    LoopCalls 55, "a subroutine that uses aL is called in a loop";
    LoopValues 56, "defi values that loops use are in range";
    Gradients 57, "gradients are not taken where pixels differ in their way";
    Limits 58, "slots and dependent reads are within the version's limits";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {}", self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_reference() {
        for (number, rule) in (1..=58).zip(Rule::ALL) {
            assert_eq!(rule.number(), number);
        }
        assert_eq!(Rule::ALL.len(), 58);
    }
}
