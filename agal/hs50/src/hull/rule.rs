//! The rules of hull shaders ([hs50.rule.r1] to [hs50.rule.r30], and named rules such as [hs50.rule.state]).

agal_core::table! {
    /// A rule of the hull shader checker.
    pub enum HullRule {
        /// Returns the name, such as `R1`.
        name: &'static str as Display,
        /// Returns a description of the rule.
        statement: &'static str,
    }
    R1 "R1", "r# and x#[] of a phase together are at most 4096 registers";
    R2 "R2", "the values of temporaries do not last beyond a phase, an instance or a control point";
    R3 "R3", "t#, s#, cb# and icb are shared by all phases: t0 to t127, s0 to s15, cb0 to cb14, each declared once";
    R4 "R4", "a constant buffer's slot is a literal; reads beyond the end of the buffer return 0";
    R5 "R5", "the immediate constant buffer has at most 4096 rows; reads beyond the end of icb and x#[] return 0";
    R6 "R6", "there are 1 to 32 input control points and 0 to 32 output control points";
    R7 "R7", "v is declared with as many vertices as there are input control points";
    R8 "R8", "the vertex axis can be indexed, the element axis only within a dcl_indexrange";
    R9 "R9", "vOutputControlPointID is the number of the output control point, in the control point phase";
    R10 "R10", "vPrim is the number of the patch";
    R11 "R11", "the scalars of an output control point, times the number of output control points, are at most 3968";
    R12 "R12", "a scalar is a component of a declaration's mask";
    R13 "R13", "a control point has at most 32 output registers";
    R14 "R14", "vicp and vocp are elements of the input and output signatures";
    R15 "R15", "vicp and vocp have no more vertices than there are control points";
    R16 "R16", "a declaration's components are among those of the signature's element";
    R17 "R17", "a fork or join phase has 1 to 128 instances, numbered by its instance id";
    R18 "R18", "there are 32 patch constant registers";
    R19 "R19", "outputs of different fork and join phases do not overlap";
    R20 "R20", "tessellation factors are patch constants";
    R21 "R21", "an index range of patch constants lies inside a group of tessellation factors or outside of all groups; index ranges do not overlap";
    R22 "R22", "each tessellation factor of the domain is declared once; a group uses one component of consecutive registers";
    R23 "R23", "vpc registers are outputs of fork phases";
    R24 "R24", "hs_decls comes first, then at most one control point phase, then fork phases, then join phases";
    R25 "R25", "without a control point phase, there are as many output as input control points, or none";
    R26 "R26", "without an instance count the instance id is 0";
    R27 "R27", "dcl_hs_max_tessfactor is from 1 to 64";
    R28 "R28", "output_point is for any domain, output_line for isolines, triangles for the other domains";
    R29 "R29", "declarations of the same output register have different components";
    R30 "R30", "the old SDK's dcl_output_sv and dcl_indexRange are accepted only by the assembler";
    State "state", "each state of the tessellator is declared once, in hs_decls";
    Opcode "opcode", "the opcode is allowed in hull shaders";
    Operand "operand", "operands have the kinds and forms that the opcode takes";
    Register "register", "registers exist in the phase, are declared, and are used as the register model allows";
    Nesting "nesting", "blocks are closed in order and in their phase, and are at most 64 deep";
    Signature "signature", "declarations of registers and system values match the signatures";
}
