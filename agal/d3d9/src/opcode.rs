//! THE opcode table: all properties of opcodes. The decoder, encoder, printer, assembler, checker, interpreter and
//! translators use this table. A test compares the table with d3d9-opcodes.tsv.

use agal_core::{Component, WriteMask};

use crate::version::{ShaderVersion, Stage};

pub use crate::formula::Formula;
pub use crate::operation::{FlowControl, Literal, Operation, TextureOp};

/// The type of a source operand: which components the instruction reads, or which register it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandRequirement {
    /// For each component that the instruction writes, a bit mask of the source lanes that it reads.
    Of([u8; 4]),
    /// A fixed bit mask of source lanes.
    Bits(u8),
    /// One component, selected by the source's swizzle (rule 28).
    Scalar,
    /// A scratch register for intermediate results.
    Scratch,
    /// A subroutine label, `l#`.
    Label,
    /// A boolean constant, or one component of the predicate register.
    Flag,
    /// The loop counter `aL`.
    Counter,
    /// An integer constant, `i#`.
    Integer,
    /// The predicate register, `p0`.
    Predicate,
    /// A sampler register, `s#`.
    Sampler,
    /// Texture coordinates: one lane per coordinate of the sampler's dimension; `texldp` and `texldb` also read w.
    Coordinate,
    /// Texture coordinates as in `Coordinate`, plus w.
    CoordinateAndW,
}

/// The use of an instruction's first operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DestinationUse {
    /// The instruction has no destination.
    No,
    /// The register that `dcl` or `def` declares.
    Declared,
    /// A destination operand whose register is read instead of written.
    Read(OperandRequirement),
    /// A destination operand whose register is written.
    Written(DestinationRules),
}

/// The destinations that an opcode accepts (rules 30 to 34).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DestinationRules {
    /// True if the result may be saturated (rule 34, which omits `setp` and `mova`: their results aren't floats).
    pub saturates: bool,
    /// True if the destination must be a temporary register.
    pub temporary: bool,
    /// The allowed write masks, as bits, and a description for messages.
    pub masks: (u16, &'static str),
    /// Bit n: the destination must differ from source n.
    pub apart: u8,
}

/// Instruction slots by the documentation, in: vs_1_1, later vertex shaders, ps_1_x, later pixel shaders
/// ([d3d9.slots.table]). The module `slots` computes counts that depend on operands.
pub type SlotRow = [u8; 4];

/// The first and the last shader version of a stage that support an instruction; `None` if no version does.
pub type Range = Option<(ShaderVersion, ShaderVersion)>;

const NONE: Range = None;
const V11: Range = Some((ShaderVersion::Vs11, ShaderVersion::Vs3sw));
const V20: Range = Some((ShaderVersion::Vs20, ShaderVersion::Vs3sw));
const V2X: Range = Some((ShaderVersion::Vs2x, ShaderVersion::Vs3sw));
const V30: Range = Some((ShaderVersion::Vs30, ShaderVersion::Vs3sw));
const P11: Range = Some((ShaderVersion::Ps11, ShaderVersion::Ps3sw));
const P12: Range = Some((ShaderVersion::Ps12, ShaderVersion::Ps3sw));
const P20: Range = Some((ShaderVersion::Ps20, ShaderVersion::Ps3sw));
const P2X: Range = Some((ShaderVersion::Ps2x, ShaderVersion::Ps3sw));
const P30: Range = Some((ShaderVersion::Ps30, ShaderVersion::Ps3sw));
const P1: Range = Some((ShaderVersion::Ps11, ShaderVersion::Ps14));
const P1_3: Range = Some((ShaderVersion::Ps11, ShaderVersion::Ps13));
const P12_3: Range = Some((ShaderVersion::Ps12, ShaderVersion::Ps13));
const P13: Range = Some((ShaderVersion::Ps13, ShaderVersion::Ps13));
const P14: Range = Some((ShaderVersion::Ps14, ShaderVersion::Ps14));

const RULES: DestinationRules =
    DestinationRules { saturates: true, temporary: false, masks: (0xffff, ""), apart: 0 };
const ANY: DestinationUse = Written(RULES);
const EXACT: DestinationUse = Written(DestinationRules { saturates: false, ..RULES });
const POW: DestinationUse = Written(DestinationRules { temporary: true, apart: 2, ..RULES });
const CRS: DestinationUse = temporary((0xfe, "can write only x, y and z"), 3);
const NRM: DestinationUse = temporary((0x8080, "must write xyz or xyzw"), 1);
const SINCOS: DestinationUse = Written(DestinationRules {
    saturates: false,
    temporary: true,
    masks: (0xe, "must write x, y or xy"),
    apart: 0,
});
const KILL: DestinationUse = DestinationUse::Read(M);
const DEPTH: DestinationUse = DestinationUse::Read(XY);
const fn temporary(masks: (u16, &'static str), apart: u8) -> DestinationUse {
    Written(DestinationRules { temporary: true, masks, apart, ..RULES })
}
const fn rows(count: u8) -> DestinationUse {
    let masks = match count {
        2 => (1 << 3, "must write 2 components, one per row"),
        3 => (1 << 7, "must write 3 components, one per row"),
        _ => (1 << 15, "must write 4 components, one per row"),
    };
    Written(DestinationRules { masks, apart: 3, ..RULES })
}

const M: OperandRequirement = Of([1, 2, 4, 8]);
const RGB: OperandRequirement = Of([1, 2, 4, 0]);
const C: OperandRequirement = Of([6, 5, 3, 0]);
const LIT: OperandRequirement = Of([0, 1, 11, 0]);
const YZ: OperandRequirement = Of([0, 2, 4, 0]);
const YW: OperandRequirement = Of([0, 2, 0, 8]);
const NORMAL: OperandRequirement = Of([7, 7, 7, 15]);
const XY: OperandRequirement = Bits(3);
const XYZ: OperandRequirement = Bits(7);
const ALL: OperandRequirement = Bits(15);

const fn matrix(rows: u8, width: u8) -> Operation {
    Operation::Matrix { rows, width }
}
const fn derivative(vertical: bool) -> Operation {
    Operation::Derivative { vertical }
}

use DestinationUse::{Declared, No, Written};
use OperandRequirement::{
    Bits, Coordinate as At, CoordinateAndW as AtAndW, Counter, Flag, Integer, Label, Of, Predicate,
    Sampler, Scalar as S, Scratch,
};
use Operation::{Def as def, Flow as flow, Map as map, Scalar as scalar, Texture as tex};
use {Formula as F, Literal as L, TextureOp as T};

agal_core::table! {
    /// An opcode of Direct3D 9, from `D3DSHADER_INSTRUCTION_OPCODE_TYPE`.
    pub enum D3d9Opcode {
        /// Returns the opcode number in tokens.
        code: u16 => from_code(u16),
        /// Returns the mnemonic without suffixes. `tex`, `texcoord` and `dcl` have other mnemonics in some versions.
        mnemonic: &'static str,
        /// Returns how the opcode uses the first operand: as declared, read, written or absent register.
        target: DestinationUse,
        /// Returns the types of the source operands.
        takes: &'static [OperandRequirement],
        /// Returns the vertex shader versions that support the opcode.
        vertex: Range,
        /// Returns the pixel shader versions that support the opcode.
        pixel: Range,
        /// Returns the instruction slots by the documentation.
        slots: SlotRow,
        /// Returns the operation that the opcode performs.
        operation: Operation,
    }
    // columns: code, mnemonic, destination, sources, vs versions, ps versions, slots in vs_1_1, later vs, ps_1_x and
    // later ps, operation
    Nop       0,  "nop",     No,       &[],            V11,  P11,  [1, 1, 0, 1], Operation::Nop;
    Mov       1,  "mov",     ANY,      &[M],           V11,  P11,  [1, 1, 1, 1], map(F::Mov);
    Add       2,  "add",     ANY,      &[M, M],        V11,  P11,  [1, 1, 1, 1], map(F::Add);
    Sub       3,  "sub",     ANY,      &[M, M],        V11,  P11,  [1, 1, 1, 1], map(F::Sub);
    Mad       4,  "mad",     ANY,      &[M, M, M],     V11,  P11,  [1, 1, 1, 1], map(F::Mad);
    Mul       5,  "mul",     ANY,      &[M, M],        V11,  P11,  [1, 1, 1, 1], map(F::Mul);
    Rcp       6,  "rcp",     ANY,      &[S],           V11,  P20,  [1, 1, 0, 1], scalar(F::Rcp);
    Rsq       7,  "rsq",     ANY,      &[S],           V11,  P20,  [1, 1, 0, 1], scalar(F::Rsq);
    Dp3       8,  "dp3",     ANY,      &[XYZ, XYZ],    V11,  P11,  [1, 1, 1, 1], Operation::Dot(3);
    // In ps_1_2 and ps_1_3, `dp4` takes two slots (see `crate::slots`).
    Dp4       9,  "dp4",     ANY,      &[ALL, ALL],    V11,  P12,  [1, 1, 2, 1], Operation::Dot(4);
    Min       10, "min",     ANY,      &[M, M],        V11,  P20,  [1, 1, 0, 1], map(F::Min);
    Max       11, "max",     ANY,      &[M, M],        V11,  P20,  [1, 1, 0, 1], map(F::Max);
    Slt       12, "slt",     ANY,      &[M, M],        V11,  NONE, [1, 1, 0, 0], map(F::Slt);
    Sge       13, "sge",     ANY,      &[M, M],        V11,  NONE, [1, 1, 0, 0], map(F::Sge);
    Exp       14, "exp",     ANY,      &[S],           V11,  P20,  [10, 1, 0, 1], scalar(F::Exp);
    Log       15, "log",     ANY,      &[S],           V11,  P20,  [10, 1, 0, 1], scalar(F::Log);
    Lit       16, "lit",     ANY,      &[LIT],         V11,  NONE, [1, 3, 0, 0], Operation::Lit;
    Dst       17, "dst",     ANY,      &[YZ, YW],      V11,  NONE, [1, 1, 0, 0], Operation::Dst;
    Lrp       18, "lrp",     ANY,      &[M, M, M],     V20,  P11,  [0, 2, 1, 2], map(F::Lrp);
    Frc       19, "frc",     EXACT,    &[M],           V11,  P20,  [3, 1, 0, 1], map(F::Frc);
    M4x4      20, "m4x4",    rows(4),  &[ALL, ALL],    V11,  P20,  [4, 4, 0, 4], matrix(4, 4);
    M4x3      21, "m4x3",    rows(3),  &[ALL, ALL],    V11,  P20,  [3, 3, 0, 3], matrix(3, 4);
    M3x4      22, "m3x4",    rows(4),  &[XYZ, XYZ],    V11,  P20,  [4, 4, 0, 4], matrix(4, 3);
    M3x3      23, "m3x3",    rows(3),  &[XYZ, XYZ],    V11,  P20,  [3, 3, 0, 3], matrix(3, 3);
    M3x2      24, "m3x2",    rows(2),  &[XYZ, XYZ],    V11,  P20,  [2, 2, 0, 2], matrix(2, 3);
    Call      25, "call",    No,       &[Label],       V20,  P2X,  [0, 2, 0, 2], flow(FlowControl::Call);
    CallNz    26, "callnz",  No,       &[Label, Flag], V20,  P2X,  [0, 3, 0, 3], flow(FlowControl::CallNz);
    Loop      27, "loop",    No,       &[Counter, Integer], V20,  P30,  [0, 3, 0, 3], flow(FlowControl::Loop);
    Ret       28, "ret",     No,       &[],            V20,  P2X,  [0, 1, 0, 1], flow(FlowControl::Ret);
    EndLoop   29, "endloop", No,       &[],            V20,  P30,  [0, 2, 0, 2], flow(FlowControl::EndLoop);
    Label     30, "label",   No,       &[Label],       V20,  P2X,  [0, 0, 0, 0], flow(FlowControl::Label);
    Dcl       31, "dcl",     Declared, &[],            V11,  P20,  [0, 0, 0, 0], Operation::Dcl;
    Pow       32, "pow",     POW,      &[S, S],        V20,  P20,  [0, 3, 0, 3], scalar(F::Pow);
    Crs       33, "crs",     CRS,      &[C, C],        V20,  P20,  [0, 2, 0, 2], Operation::Cross;
    Sgn       34, "sgn",     ANY,      &[M, Scratch, Scratch], V20,  NONE, [0, 3, 0, 0], Operation::Sgn;
    Abs       35, "abs",     ANY,      &[M],           V20,  P20,  [0, 1, 0, 1], map(F::Abs);
    Nrm       36, "nrm",     NRM,      &[NORMAL],      V20,  P20,  [0, 3, 0, 3], Operation::Normalize;
    SinCos    37, "sincos",  SINCOS,   &[S, ALL, ALL], V20,  P20,  [0, 8, 0, 8], Operation::SinCos;
    Rep       38, "rep",     No,       &[Integer],     V20,  P2X,  [0, 3, 0, 3], flow(FlowControl::Rep);
    EndRep    39, "endrep",  No,       &[],            V20,  P2X,  [0, 2, 0, 2], flow(FlowControl::EndRep);
    If        40, "if",      No,       &[Flag],        V20,  P2X,  [0, 3, 0, 3], flow(FlowControl::If);
    IfC       41, "if",      No,       &[S, S],        V2X,  P2X,  [0, 3, 0, 3], flow(FlowControl::IfCompare);
    Else      42, "else",    No,       &[],            V20,  P2X,  [0, 1, 0, 1], flow(FlowControl::Else);
    EndIf     43, "endif",   No,       &[],            V20,  P2X,  [0, 1, 0, 1], flow(FlowControl::EndIf);
    Break     44, "break",   No,       &[],            V2X,  P2X,  [0, 1, 0, 1], flow(FlowControl::Break);
    BreakC    45, "break",   No,       &[S, S],        V2X,  P2X,  [0, 3, 0, 3], flow(FlowControl::BreakCompare);
    Mova      46, "mova",    EXACT,    &[M],           V20,  NONE, [0, 1, 0, 0], Operation::Mova;
    DefB      47, "defb",    Declared, &[],            V20,  P2X,  [0, 0, 0, 0], def(L::Boolean);
    DefI      48, "defi",    Declared, &[],            V20,  P2X,  [0, 0, 0, 0], def(L::Integer);
    TexCoord  64, "texcoord", EXACT,    &[RGB],         NONE, P1,   [0, 0, 1, 0], tex(T::Coordinate);
    TexKill   65, "texkill", KILL,     &[],            NONE, P11,  [0, 0, 1, 1], tex(T::Kill);
    Tex       66, "texld",   EXACT,    &[At, Sampler], NONE, P11,  [0, 0, 1, 1], tex(T::Load);
    TexBem    67, "texbem",  EXACT,    &[XY],          NONE, P1_3, [0, 0, 1, 0], tex(T::Bem { luminance: false });
    TexBemL   68, "texbeml", EXACT,    &[XY],          NONE, P1_3, [0, 0, 2, 0], tex(T::Bem { luminance: true });
    TexReg2Ar 69, "texreg2ar", EXACT,    &[Bits(9)],     NONE, P1_3, [0, 0, 1, 0], tex(T::FromRegister(&[3, 0]));
    TexReg2Gb 70, "texreg2gb", EXACT,    &[Bits(6)],     NONE, P1_3, [0, 0, 1, 0], tex(T::FromRegister(&[1, 2]));
    TexM3x2Pad 71, "texm3x2pad", EXACT,    &[XYZ],         NONE, P1_3, [0, 0, 1, 0], tex(T::Pad { rows: 2 });
    TexM3x2Tex 72, "texm3x2tex", EXACT,    &[XYZ],         NONE, P1_3, [0, 0, 1, 0], tex(T::MatrixLoad { rows: 2 });
    TexM3x3Pad 73, "texm3x3pad", EXACT,    &[XYZ],         NONE, P1_3, [0, 0, 1, 0], tex(T::Pad { rows: 3 });
    TexM3x3Tex 74, "texm3x3tex", EXACT,    &[XYZ],         NONE, P1_3, [0, 0, 1, 0], tex(T::MatrixLoad { rows: 3 });
    Reserved0 75, "reserved0", ANY,      &[Scratch],     NONE, NONE, [0, 0, 0, 0], Operation::Meta;
    TexM3x3Spec 76, "texm3x3spec", EXACT, &[XYZ, XYZ], NONE, P1_3, [0, 0, 1, 0], tex(T::Reflect { varying: false });
    TexM3x3VSpec 77, "texm3x3vspec", EXACT, &[XYZ],     NONE, P1_3, [0, 0, 1, 0], tex(T::Reflect { varying: true });
    ExpP      78, "expp",    ANY,      &[S],           V11,  NONE, [1, 1, 0, 0], Operation::ExpPartial;
    LogP      79, "logp",    ANY,      &[S],           V11,  NONE, [1, 1, 0, 0], scalar(F::Log);
    Cnd       80, "cnd",     ANY,      &[M, M, M],     NONE, P1,   [0, 0, 1, 0], Operation::Cnd;
    Def       81, "def",     Declared, &[],            V11,  P11,  [0, 0, 0, 0], def(L::Float);
    TexReg2Rgb 82, "texreg2rgb", EXACT, &[XYZ],         NONE, P12_3, [0, 0, 1, 0], tex(T::FromRegister(&[0, 1, 2]));
    TexDp3Tex 83, "texdp3tex", EXACT,    &[XYZ],         NONE, P12_3, [0, 0, 1, 0], tex(T::DotLoad);
    TexM3x2Depth 84, "texm3x2depth", EXACT,    &[XYZ],         NONE, P13,  [0, 0, 1, 0], tex(T::MatrixDepth);
    TexDp3    85, "texdp3",  EXACT,    &[XYZ],         NONE, P12_3, [0, 0, 1, 0], tex(T::Dot);
    TexM3x3   86, "texm3x3", EXACT,    &[XYZ],         NONE, P12_3, [0, 0, 1, 0], tex(T::MatrixValue);
    TexDepth  87, "texdepth", DEPTH,    &[],            NONE, P14,  [0, 0, 1, 0], tex(T::Depth);
    Cmp       88, "cmp",     ANY,      &[M, M, M],     NONE, P12,  [0, 0, 2, 1], map(F::Cmp);
    Bem       89, "bem",     ANY,      &[M, XY],       NONE, P14,  [0, 0, 2, 0], Operation::Bem;
    Dp2Add    90, "dp2add",  ANY,      &[XY, XY, S],   NONE, P20,  [0, 0, 0, 2], Operation::Dp2Add;
    Dsx       91, "dsx",     ANY,      &[M],           NONE, P2X,  [0, 0, 0, 2], derivative(false);
    Dsy       92, "dsy",     ANY,      &[M],           NONE, P2X,  [0, 0, 0, 2], derivative(true);
    TexLdd    93, "texldd",  EXACT,    &[At, Sampler, At, At], NONE, P2X,  [0, 0, 0, 3], tex(T::LoadGradient);
    Setp      94, "setp",    EXACT,    &[M, M],        V2X,  P2X,  [0, 1, 0, 1], Operation::Setp;
    TexLdl    95, "texldl",  EXACT,    &[AtAndW, Sampler], V30,  P30,  [0, 2, 0, 2], tex(T::LoadLevel);
    BreakP    96, "breakp",  No,       &[Predicate],   V2X,  P2X,  [0, 3, 0, 3], flow(FlowControl::BreakPredicate);
    Phase     0xfffd, "phase",   No,       &[],            NONE, P14,  [0, 0, 0, 0], Operation::Phase;
    Comment   0xfffe, "comment", No,       &[],            V11,  P11,  [0, 0, 0, 0], Operation::Meta;
    End       0xffff, "end",     No,       &[],            V11,  P11,  [0, 0, 0, 0], Operation::Meta;
}

agal_core::table! {
    /// A comparison: bits 16 to 18 of `if`, `break` and `setp` ([d3d9.instruction.comparison]). 0 and 7 are invalid.
    pub enum CompareOp {
        /// Returns the comparison's code in tokens.
        code: u8 => from_code(u8),
        /// Returns the mnemonic suffix, such as `gt`.
        name: &'static str,
        /// Returns the GLSL operator for two floats.
        operator: &'static str,
        /// Returns the GLSL comparison function for vectors, such as `lessThan`.
        function: &'static str,
        /// Returns a function that compares two floats. Comparisons with NaN are false, except "not equal"
        /// ([d3d9.value.compare]).
        holds: fn(f32, f32) -> bool,
    }
    Greater      1, "gt", ">",  "greaterThan", |a, b| a > b;
    Equal        2, "eq", "==", "equal", |a, b| a == b;
    GreaterEqual 3, "ge", ">=", "greaterThanEqual", |a, b| a >= b;
    Less         4, "lt", "<",  "lessThan", |a, b| a < b;
    NotEqual     5, "ne", "!=", "notEqual", |a, b| a != b;
    LessEqual    6, "le", "<=", "lessThanEqual", |a, b| a <= b;
}

agal_core::table! {
    /// The variant of `texld`, from bits 16 and 17; 3 is invalid.
    pub enum Load {
        /// Returns the code of the `texld` variant in tokens.
        code: u8 => from_code(u8),
        /// Returns the variant's mnemonic.
        name: &'static str,
    }
    Plain 0, "texld";
    /// `texldp`: divides the coordinates by w.
    Project 1, "texldp";
    /// `texldb`: adds w to the level of detail.
    Bias 2, "texldb";
}

impl OperandRequirement {
    /// Returns the source lanes that are read, before the swizzle. `coordinates` is the texture's dimension.
    pub fn lanes(self, mask: WriteMask, coordinates: u8) -> WriteMask {
        let w = WriteMask::EMPTY.with(Component::W);
        match self {
            Of(bits) => {
                let read = Component::ALL.iter().zip(bits);
                let read = read.filter(|(lane, _)| mask.contains(**lane));
                WriteMask::from_bits(read.fold(0, |all, (_, bits)| all | bits))
            }
            Bits(bits) => WriteMask::from_bits(bits),
            OperandRequirement::Scalar | Flag | Predicate => WriteMask::first(1),
            Scratch | Label | Counter | Integer | Sampler => WriteMask::EMPTY,
            At => WriteMask::first(coordinates),
            AtAndW => WriteMask::first(coordinates).union(w),
        }
    }
}

impl D3d9Opcode {
    /// Returns the opcode's name in d3d9types.h, such as `D3DSIO_M4x4` ([d3d9.opcode.names]).
    pub fn header_name(self) -> String {
        let name = format!("{self:?}").to_ascii_uppercase();
        format!("D3DSIO_{}", name.replace("3X", "3x").replace("4X", "4x"))
    }
    /// Returns whether the opcode has a destination operand.
    pub fn has_dest(self) -> bool {
        self.target() != No
    }
    /// Returns the destinations that the opcode accepts; `None` for an opcode without a result.
    pub fn destination_rules(self) -> Option<DestinationRules> {
        match self.target() {
            Written(shape) => Some(shape),
            No | Declared | DestinationUse::Read(_) => None,
        }
    }
    /// Returns the versions of a stage that support the opcode.
    pub fn range(self, stage: Stage) -> Range {
        match stage {
            Stage::Vertex => self.vertex(),
            Stage::Fragment => self.pixel(),
        }
    }
    /// Returns whether a version supports the opcode.
    pub fn exists_in(self, version: ShaderVersion) -> bool {
        let range = self.range(version.stage());
        range.is_some_and(|(first, last)| (first..=last).contains(&version))
    }
    /// Returns the mnemonic used in a version, without suffixes.
    pub fn name(self, version: ShaderVersion) -> &'static str {
        match self {
            D3d9Opcode::Tex if version.is_ps_1_1_to_1_3() => "tex",
            D3d9Opcode::TexCoord if version == ShaderVersion::Ps14 => "texcrd",
            _ => self.mnemonic(),
        }
    }
    /// Returns the number of source operands in a version ([d3d9.operands.version]).
    pub fn sources(self, version: ShaderVersion) -> usize {
        match self {
            D3d9Opcode::Tex | D3d9Opcode::TexCoord if version.is_ps_1_1_to_1_3() => 0,
            D3d9Opcode::Tex if version == ShaderVersion::Ps14 => 1,
            D3d9Opcode::SinCos if version.major() == 3 => 1,
            _ => self.takes().len(),
        }
    }
    /// Returns the number of literal dwords: the values of a definition, or the payload of `dcl`.
    pub fn literals(self) -> usize {
        match self.operation() {
            Operation::Dcl | Operation::Def(Literal::Boolean) => 1,
            Operation::Def(_) => 4,
            _ => 0,
        }
    }
    /// Returns whether bits 16 to 18 contain a comparison.
    pub fn compares(self) -> bool {
        matches!(
            self.operation(),
            Operation::Setp | Operation::Flow(FlowControl::IfCompare | FlowControl::BreakCompare)
        )
    }
    /// Returns whether the opcode is a declaration (`dcl`, `def`, `defi`, `defb`), which isn't executed.
    pub fn is_declaration(self) -> bool {
        self.target() == Declared
    }
    /// Returns whether a source without a swizzle reads x, as for `rcp` and `rsq` of vertex shaders
    /// ([d3d9.source.selector] [d3d9.rule.28]).
    pub(crate) fn reads_x_by_default(self, version: ShaderVersion) -> bool {
        version.is_vertex() && matches!(self, D3d9Opcode::Rcp | D3d9Opcode::Rsq)
    }
    /// Returns the number of consecutive registers that a source reads: the number of rows for a matrix, otherwise 1.
    pub fn rows(self, source: usize) -> u16 {
        match self.operation() {
            Operation::Matrix { rows, .. } if source == 1 => rows.into(),
            _ => 1,
        }
    }
}
