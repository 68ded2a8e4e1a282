//! The rules of hull shaders (hs-5-0.md, 3: R1 to R30; 2.12 and 7.3: the others).

use std::fmt;

agal::table! {
    /// A rule.
    pub enum Rule {
        /// The name in messages.
        name: &'static str,
        /// The requirement.
        statement: &'static str,
    }
    R1 "R1", "r# and x#[] of a phase together are at most 4096 registers";
    R2 "R2", "temporaries do not survive a phase, an instance or a control point";
    R3 "R3", "t#, s#, cb# and icb are one set for all phases: t0 to t127, s0 to s15, cb0 to cb14, each declared once";
    R4 "R4", "a constant buffer's slot is a literal; beyond the buffer 0 is read";
    R5 "R5", "the immediate constant buffer has at most 4096 rows; beyond icb and x#[] 0 is read";
    R6 "R6", "1 to 32 input control points, 0 to 32 output control points";
    R7 "R7", "v is declared with as many vertices as there are input control points";
    R8 "R8", "the vertex axis can be indexed, the element axis only within a dcl_indexrange";
    R9 "R9", "vOutputControlPointID is the number of the output control point, in the control point phase";
    R10 "R10", "vPrim is the number of the patch";
    R11 "R11", "scalars of an output control point times output control points are at most 3968";
    R12 "R12", "a scalar is a component of a declaration's mask";
    R13 "R13", "at most 32 output registers in a control point";
    R14 "R14", "vicp and vocp are elements of the input and output signatures";
    R15 "R15", "vicp and vocp have no more vertices than there are control points";
    R16 "R16", "a declaration's components are among those of the signature's element";
    R17 "R17", "a fork or join phase has 1 to 128 instances, which its instance id counts";
    R18 "R18", "the patch constants are 32 registers";
    R19 "R19", "outputs of different fork and join phases do not overlap";
    R20 "R20", "tessellation factors are patch constants";
    R21 "R21", "a range of patch constants lies inside a group of factors or outside; ranges do not overlap";
    R22 "R22", "each factor of the domain is declared once, a group in one component of consecutive registers";
    R23 "R23", "vpc is what fork phases declare as outputs";
    R24 "R24", "hs_decls, then at most one control point phase, fork phases, join phases";
    R25 "R25", "without a control point phase, output control points are as many as input ones, or none";
    R26 "R26", "without an instance count the instance id is 0";
    R27 "R27", "dcl_hs_max_tessfactor is from 1 to 64";
    R28 "R28", "points are of any domain, lines of isolines, triangles of the others";
    R29 "R29", "declarations of one output register have different components";
    R30 "R30", "the old SDK's dcl_output_sv and dcl_indexRange are input of the assembler only";
    State "state", "the tessellator's state is declared once, in hs_decls";
    Opcode "opcode", "a hull shader may have the opcode";
    Operand "operand", "operands are of the kinds and forms that the opcode takes";
    Register "register", "registers are those of the phase, declared, and used as the register model says";
    Nesting "nesting", "blocks are closed in their order and in their phase, at most 64 deep";
    Signature "signature", "declarations of registers and system values agree with the signatures";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
