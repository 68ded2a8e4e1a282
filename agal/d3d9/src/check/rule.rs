//! THE rule table: what a checker looks at (d3d9-shaders.md section 4, by its numbers).

use std::fmt;

macro_rules! rules {
    ($($number:literal $rule:ident $title:literal;)*) => {
        /// A rule by the number that d3d9-shaders.md section 4 gives it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Rule {
            $(#[doc = $title] $rule,)*
        }

        impl Rule {
            /// Every rule, by number.
            pub const ALL: &'static [Rule] = &[$(Rule::$rule,)*];

            /// Its number.
            pub fn number(self) -> u8 {
                match self {
                    $(Rule::$rule => $number,)*
                }
            }
            /// What it asks for.
            pub fn title(self) -> &'static str {
                match self {
                    $(Rule::$rule => $title,)*
                }
            }
        }
    };
}

rules! {
    1  Version "the first word is a version of Direct3D 9 (decoding refuses others)";
    2  Opcode "every opcode exists in the version";
    3  Length "the length field is what the operands take, and 0 in model 1";
    4  Reserved "reserved bits are 0, and bit 31 tells operands from instructions";
    5  End "there is an end token, and nothing behind it";
    6  Control "control bits stand only on comparisons and texld, and mean something";
    7  CoIssue "ps_1_x pairs colour with alpha, not with texture instructions, dp4 or bem";
    8  Declarations "dcl and def come before the first instruction that runs";
    9  Predicate "a predicate is p0 or !p0, whole or one component, not on flow control";
    10 Range "registers exist in the version";
    11 Access "what is read can be read, what is written can be written";
    12 Undeclared "inputs, samplers and outputs are declared, with the components that are used";
    13 DeclaredTwice "nothing is declared twice";
    14 Uninitialized "what is read was written before";
    15 Ports "an instruction reads no more different registers of a file than there are ports";
    16 Reads "an instruction reads a file no more often than the version allows";
    17 Misplaced "flow control has its own registers, and a0, aL, p0, labels and samplers their places";
    18 Relative "only what the version allows is indexed";
    19 IndexRange "an indexed register begins within its file";
    20 Position "the position is written whole";
    21 TexCoordOutput "oT# are written from x on, and none is left out";
    22 Outputs "vs_3_0 declares one whole position, writes what it declares and declares what it writes";
    23 ColorOutput "ps_2_x writes each oC# once, whole, with a plain mov, from oC0 on";
    24 DepthOutput "ps_2_x writes oDepth once, with a plain mov of one component";
    25 OutputInFlow "colour and depth are not written in dynamic flow control";
    26 SaturatedOutput "ps_2_x does not saturate oC# and oDepth";
    27 OldColor "ps_1_x writes r0, and ps_1_4 its alpha in the second phase";
    28 Scalar "scalar operands name one component";
    29 AddressWrite "a0 is written by mova, in vs_1_1 by mov a0.x";
    30 Matrix "a matrix is consecutive plain registers, and its result another one";
    31 Cross "crs writes xyz of a temporary that it does not read, without swizzles";
    32 Normalize "nrm and pow write a temporary, nrm xyz or xyzw, not their own source";
    33 SinCos "sincos writes x, y or xy of a temporary; sgn has two scratch registers";
    34 NoSaturate "frc, sincos and texture instructions do not saturate; vs_1_1 frc writes y or xy";
    35 TexLoad "ps_2_x texld takes and gives whole registers";
    36 Sampler "texldd, texldl and ps_3_0 texld read a declared sampler without a modifier";
    37 Coordinates "a coordinate has the components that the texture needs";
    38 ProjectedCube "texldp on a cube is not for every reader";
    39 Kill "texkill takes a whole register, all of it written";
    40 Swizzle "ps_2_0 has eight swizzles";
    41 Cnd "cnd of ps_1_1 to ps_1_3 tests r0.a";
    42 Addressing "texture addressing goes upwards and in unbroken sequence";
    43 Phases "ps_1_4 reads each t# one way, _dz twice at most, and bem writes xy";
    44 Modifiers "result modifiers are those of the version";
    45 SourceModifier "source modifiers are those of the version";
    46 AbsConstants "_abs is on all constants or on none";
    47 ConstantModifier "ps_1_x constants have no modifier";
    48 Complement "1-r has no other modifier (the assembler refuses it; no word can say it)";
    49 Blocks "blocks nest";
    50 Break "break stands in a loop";
    51 Depth "blocks are no deeper than the version allows";
    52 Labels "a label follows ret, once, and what is called exists";
    53 Calls "calls do not recurse, and are no deeper than the version allows";
    54 Return "ret is not in a block, and ends its body";
    55 LoopCalls "a subroutine that uses aL is called in a loop";
    56 LoopValues "defi values that loops use are in range";
    57 Gradients "gradients are not taken where pixels differ in their way";
    58 Limits "slots and dependent reads are within the version's limits";
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
