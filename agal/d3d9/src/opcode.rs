//! THE opcode table. Decoder, encoder, printer, assembler, checker, interpreter and GLSL translation take all facts
//! about opcodes from it (d3d9-opcodes.tsv; a test compares them).

use crate::version::{Stage, Version};

pub use crate::formula::Formula;

/// The operation of an opcode; interpreter and GLSL translation share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `nop`.
    Nop,
    /// Component-wise arithmetic.
    Map(Formula),
    /// A scalar function of one component of each source, replicated to all masked components.
    Scalar(Formula),
    /// A dot product of this many components, replicated to all masked components.
    Dot(u8),
    /// Source 1 times a matrix whose rows are consecutive registers from source 2 on.
    Matrix {
        /// Number of rows, which is the number of result components.
        rows: u8,
        /// Number of components used of each row.
        width: u8,
    },
    /// `cnd`: as `cmp`, but compares with one half.
    Cnd,
    /// `lit`.
    Lit,
    /// `dst`.
    Dst,
    /// `crs`.
    Cross,
    /// `sgn`.
    Sgn,
    /// `nrm`.
    Normalize,
    /// `sincos`.
    SinCos,
    /// `expp`, whose result in `vs_1_1` has four different components.
    ExpPartial,
    /// `mova`.
    Mova,
    /// `dp2add`.
    Dp2Add,
    /// `bem`.
    Bem,
    /// `dsx`, `dsy`.
    Derivative {
        /// Along y: `dsy`.
        vertical: bool,
    },
    /// `setp`.
    Setp,
    /// Flow control.
    Flow(Flow),
    /// `dcl`.
    Dcl,
    /// `def`, `defi`, `defb`.
    Def(Literal),
    /// A texture instruction.
    Texture(Texture),
    /// `phase`.
    Phase,
    /// Not an instruction: comment, end, or a value that is never valid.
    Meta,
}

impl Kind {
    /// Whether the result may be saturated (rule 34; it doesn't list `setp` and `mova`, whose results aren't floats).
    pub fn saturates(self) -> bool {
        let never = matches!(self, Kind::SinCos | Kind::Texture(_) | Kind::Map(Formula::Frc));
        !never && !matches!(self, Kind::Setp | Kind::Mova)
    }
}

/// Flow control: one variant per opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the instructions")]
pub enum Flow {
    Call,
    CallNz,
    Loop,
    EndLoop,
    Ret,
    Label,
    Rep,
    EndRep,
    If,
    /// `if_gt a, b`.
    IfCompare,
    Else,
    EndIf,
    Break,
    /// `break_gt a, b`.
    BreakCompare,
    /// `breakp p0.x`.
    BreakPredicate,
}

/// The type of a `def`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    /// Four floats.
    Float,
    /// Four signed integers.
    Integer,
    /// One boolean.
    Boolean,
}

/// A texture instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texture {
    /// `texcoord`, `texcrd`.
    Coordinate,
    /// `texkill`.
    Kill,
    /// `tex`, `texld`, `texldp`, `texldb`.
    Load,
    /// `texldd`.
    LoadGradient,
    /// `texldl`.
    LoadLevel,
    /// `texbem`, `texbeml`.
    Bem {
        /// Multiplies the result by the luminance.
        luminance: bool,
    },
    /// `texreg2ar`, `texreg2gb`, `texreg2rgb`: the coordinates are these components of the source.
    FromRegister(&'static [u8]),
    /// `texm3x2pad`, `texm3x3pad`: a row that isn't the last.
    Pad {
        /// Number of rows of the matrix.
        rows: u8,
    },
    /// `texm3x2tex`, `texm3x3tex`: the last row, then a texture read.
    MatrixLoad {
        /// Number of rows of the matrix.
        rows: u8,
    },
    /// `texm3x3spec`, `texm3x3vspec`: the last row, then a texture read along the reflected eye vector.
    Reflect {
        /// The eye vector comes from the w components of the three coordinates instead of a constant.
        varying: bool,
    },
    /// `texm3x3`: the last row; the result is the vector of all three.
    MatrixValue,
    /// `texm3x2depth`.
    MatrixDepth,
    /// `texdp3`.
    Dot,
    /// `texdp3tex`.
    DotLoad,
    /// `texdepth`.
    Depth,
}

/// Instruction slots from the documentation's tables: in vs_1_1, in later vertex shaders, in ps_1_x, in later pixel
/// shaders (d3d9-shaders.md section 3.2). `crate::slots` has the counts that depend on operands.
pub type SlotRow = [u8; 4];

/// The first and last version with a feature.
pub type Range = Option<(Version, Version)>;

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeInfo {
    /// The opcode, which is also the row's key.
    pub opcode: Opcode,
    /// The value of bits 0 to 15.
    pub code: u16,
    /// The mnemonic without suffixes. Those of `tex`, `texcoord` and `dcl` depend on version and operands.
    pub name: &'static str,
    /// Whether it has a destination.
    pub dest: bool,
    /// Number of sources; the maximum where it depends on the version.
    pub sources: u8,
    /// Vertex shader versions that have it.
    pub vertex: Range,
    /// Pixel shader versions that have it.
    pub pixel: Range,
    /// Instruction slots according to the documentation.
    pub slots: SlotRow,
    /// Its operation.
    pub kind: Kind,
}

macro_rules! range {
    (-) => {
        None
    };
    (($first:ident $last:ident)) => {
        Some((Version::$first, Version::$last))
    };
}

macro_rules! opcodes {
    ($($code:literal $opcode:ident $name:literal $dest:literal $sources:literal $vertex:tt $pixel:tt
        [$($slots:literal)*] $kind:expr;)*) => {
        /// An instruction of Direct3D 9: the values of `D3DSHADER_INSTRUCTION_OPCODE_TYPE`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Opcode {
            $(#[doc = concat!("`", $name, "`")] $opcode,)*
        }

        impl Opcode {
            /// Every opcode, by code.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$opcode,)*];

            /// The opcode's row of the table.
            pub const fn info(self) -> &'static OpcodeInfo {
                match self {
                    $(Opcode::$opcode => const { &OpcodeInfo {
                        opcode: Opcode::$opcode,
                        code: $code,
                        name: $name,
                        dest: $dest != 0,
                        sources: $sources,
                        vertex: range!($vertex),
                        pixel: range!($pixel),
                        slots: [$($slots),*],
                        kind: $kind,
                    } },)*
                }
            }
            /// The opcode for the low 16 bits of a token.
            pub const fn from_code(code: u16) -> Option<Opcode> {
                match code {
                    $($code => Some(Opcode::$opcode),)*
                    _ => None,
                }
            }
        }
    };
}

use Kind::{Flow as flow, Map as map, Scalar as scalar, Texture as tex};

const fn matrix(rows: u8, width: u8) -> Kind {
    Kind::Matrix { rows, width }
}

opcodes! {
    // code name text dst src  vertex pixel  slots: vs_1_1, later vs, ps_1_x, later ps
    0  Nop      "nop"      0 0 (Vs11 Vs3sw) (Ps11 Ps3sw) [1 1 0 1] Kind::Nop;
    1  Mov      "mov"      1 1 (Vs11 Vs3sw) (Ps11 Ps3sw) [1 1 1 1] map(Formula::Mov);
    2  Add      "add"      1 2 (Vs11 Vs3sw) (Ps11 Ps3sw) [1 1 1 1] map(Formula::Add);
    3  Sub      "sub"      1 2 (Vs11 Vs3sw) (Ps11 Ps3sw) [1 1 1 1] map(Formula::Sub);
    4  Mad      "mad"      1 3 (Vs11 Vs3sw) (Ps11 Ps3sw) [1 1 1 1] map(Formula::Mad);
    5  Mul      "mul"      1 2 (Vs11 Vs3sw) (Ps11 Ps3sw) [1 1 1 1] map(Formula::Mul);
    6  Rcp      "rcp"      1 1 (Vs11 Vs3sw) (Ps20 Ps3sw) [1 1 0 1] scalar(Formula::Rcp);
    7  Rsq      "rsq"      1 1 (Vs11 Vs3sw) (Ps20 Ps3sw) [1 1 0 1] scalar(Formula::Rsq);
    8  Dp3      "dp3"      1 2 (Vs11 Vs3sw) (Ps11 Ps3sw) [1 1 1 1] Kind::Dot(3);
    // Two slots in ps_1_2 and ps_1_3 (see `crate::slots`).
    9  Dp4      "dp4"      1 2 (Vs11 Vs3sw) (Ps12 Ps3sw) [1 1 2 1] Kind::Dot(4);
    10 Min      "min"      1 2 (Vs11 Vs3sw) (Ps20 Ps3sw) [1 1 0 1] map(Formula::Min);
    11 Max      "max"      1 2 (Vs11 Vs3sw) (Ps20 Ps3sw) [1 1 0 1] map(Formula::Max);
    12 Slt      "slt"      1 2 (Vs11 Vs3sw) -            [1 1 0 0] map(Formula::Slt);
    13 Sge      "sge"      1 2 (Vs11 Vs3sw) -            [1 1 0 0] map(Formula::Sge);
    14 Exp      "exp"      1 1 (Vs11 Vs3sw) (Ps20 Ps3sw) [10 1 0 1] scalar(Formula::Exp);
    15 Log      "log"      1 1 (Vs11 Vs3sw) (Ps20 Ps3sw) [10 1 0 1] scalar(Formula::Log);
    16 Lit      "lit"      1 1 (Vs11 Vs3sw) -            [1 3 0 0] Kind::Lit;
    17 Dst      "dst"      1 2 (Vs11 Vs3sw) -            [1 1 0 0] Kind::Dst;
    18 Lrp      "lrp"      1 3 (Vs20 Vs3sw) (Ps11 Ps3sw) [0 2 1 2] map(Formula::Lrp);
    19 Frc      "frc"      1 1 (Vs11 Vs3sw) (Ps20 Ps3sw) [3 1 0 1] map(Formula::Frc);
    20 M4x4     "m4x4"     1 2 (Vs11 Vs3sw) (Ps20 Ps3sw) [4 4 0 4] matrix(4, 4);
    21 M4x3     "m4x3"     1 2 (Vs11 Vs3sw) (Ps20 Ps3sw) [3 3 0 3] matrix(3, 4);
    22 M3x4     "m3x4"     1 2 (Vs11 Vs3sw) (Ps20 Ps3sw) [4 4 0 4] matrix(4, 3);
    23 M3x3     "m3x3"     1 2 (Vs11 Vs3sw) (Ps20 Ps3sw) [3 3 0 3] matrix(3, 3);
    24 M3x2     "m3x2"     1 2 (Vs11 Vs3sw) (Ps20 Ps3sw) [2 2 0 2] matrix(2, 3);
    25 Call     "call"     0 1 (Vs20 Vs3sw) (Ps2x Ps3sw) [0 2 0 2] flow(Flow::Call);
    26 CallNz   "callnz"   0 2 (Vs20 Vs3sw) (Ps2x Ps3sw) [0 3 0 3] flow(Flow::CallNz);
    27 Loop     "loop"     0 2 (Vs20 Vs3sw) (Ps30 Ps3sw) [0 3 0 3] flow(Flow::Loop);
    28 Ret      "ret"      0 0 (Vs20 Vs3sw) (Ps2x Ps3sw) [0 1 0 1] flow(Flow::Ret);
    29 EndLoop  "endloop"  0 0 (Vs20 Vs3sw) (Ps30 Ps3sw) [0 2 0 2] flow(Flow::EndLoop);
    30 Label    "label"    0 1 (Vs20 Vs3sw) (Ps2x Ps3sw) [0 0 0 0] flow(Flow::Label);
    31 Dcl      "dcl"      1 0 (Vs11 Vs3sw) (Ps20 Ps3sw) [0 0 0 0] Kind::Dcl;
    32 Pow      "pow"      1 2 (Vs20 Vs3sw) (Ps20 Ps3sw) [0 3 0 3] scalar(Formula::Pow);
    33 Crs      "crs"      1 2 (Vs20 Vs3sw) (Ps20 Ps3sw) [0 2 0 2] Kind::Cross;
    34 Sgn      "sgn"      1 3 (Vs20 Vs3sw) -            [0 3 0 0] Kind::Sgn;
    35 Abs      "abs"      1 1 (Vs20 Vs3sw) (Ps20 Ps3sw) [0 1 0 1] map(Formula::Abs);
    36 Nrm      "nrm"      1 1 (Vs20 Vs3sw) (Ps20 Ps3sw) [0 3 0 3] Kind::Normalize;
    37 SinCos   "sincos"   1 3 (Vs20 Vs3sw) (Ps20 Ps3sw) [0 8 0 8] Kind::SinCos;
    38 Rep      "rep"      0 1 (Vs20 Vs3sw) (Ps2x Ps3sw) [0 3 0 3] flow(Flow::Rep);
    39 EndRep   "endrep"   0 0 (Vs20 Vs3sw) (Ps2x Ps3sw) [0 2 0 2] flow(Flow::EndRep);
    40 If       "if"       0 1 (Vs20 Vs3sw) (Ps2x Ps3sw) [0 3 0 3] flow(Flow::If);
    41 IfC      "if"       0 2 (Vs2x Vs3sw) (Ps2x Ps3sw) [0 3 0 3] flow(Flow::IfCompare);
    42 Else     "else"     0 0 (Vs20 Vs3sw) (Ps2x Ps3sw) [0 1 0 1] flow(Flow::Else);
    43 EndIf    "endif"    0 0 (Vs20 Vs3sw) (Ps2x Ps3sw) [0 1 0 1] flow(Flow::EndIf);
    44 Break    "break"    0 0 (Vs2x Vs3sw) (Ps2x Ps3sw) [0 1 0 1] flow(Flow::Break);
    45 BreakC   "break"    0 2 (Vs2x Vs3sw) (Ps2x Ps3sw) [0 3 0 3] flow(Flow::BreakCompare);
    46 Mova     "mova"     1 1 (Vs20 Vs3sw) -            [0 1 0 0] Kind::Mova;
    47 DefB     "defb"     1 0 (Vs20 Vs3sw) (Ps2x Ps3sw) [0 0 0 0] Kind::Def(Literal::Boolean);
    48 DefI     "defi"     1 0 (Vs20 Vs3sw) (Ps2x Ps3sw) [0 0 0 0] Kind::Def(Literal::Integer);
    64 TexCoord "texcoord" 1 1 -            (Ps11 Ps14)  [0 0 1 0] tex(Texture::Coordinate);
    65 TexKill  "texkill"  1 0 -            (Ps11 Ps3sw) [0 0 1 1] tex(Texture::Kill);
    66 Tex      "texld"    1 2 -            (Ps11 Ps3sw) [0 0 1 1] tex(Texture::Load);
    67 TexBem   "texbem"   1 1 -            (Ps11 Ps13)  [0 0 1 0] tex(Texture::Bem { luminance: false });
    68 TexBemL  "texbeml"  1 1 -            (Ps11 Ps13)  [0 0 2 0] tex(Texture::Bem { luminance: true });
    69 TexReg2Ar "texreg2ar" 1 1 -          (Ps11 Ps13)  [0 0 1 0] tex(Texture::FromRegister(&[3, 0]));
    70 TexReg2Gb "texreg2gb" 1 1 -          (Ps11 Ps13)  [0 0 1 0] tex(Texture::FromRegister(&[1, 2]));
    71 TexM3x2Pad "texm3x2pad" 1 1 -        (Ps11 Ps13)  [0 0 1 0] tex(Texture::Pad { rows: 2 });
    72 TexM3x2Tex "texm3x2tex" 1 1 -        (Ps11 Ps13)  [0 0 1 0] tex(Texture::MatrixLoad { rows: 2 });
    73 TexM3x3Pad "texm3x3pad" 1 1 -        (Ps11 Ps13)  [0 0 1 0] tex(Texture::Pad { rows: 3 });
    74 TexM3x3Tex "texm3x3tex" 1 1 -        (Ps11 Ps13)  [0 0 1 0] tex(Texture::MatrixLoad { rows: 3 });
    75 Reserved0 "reserved0" 1 1 -          -            [0 0 0 0] Kind::Meta;
    76 TexM3x3Spec "texm3x3spec" 1 2 -      (Ps11 Ps13)  [0 0 1 0] tex(Texture::Reflect { varying: false });
    77 TexM3x3VSpec "texm3x3vspec" 1 1 -    (Ps11 Ps13)  [0 0 1 0] tex(Texture::Reflect { varying: true });
    78 ExpP     "expp"     1 1 (Vs11 Vs3sw) -            [1 1 0 0] Kind::ExpPartial;
    79 LogP     "logp"     1 1 (Vs11 Vs3sw) -            [1 1 0 0] scalar(Formula::Log);
    80 Cnd      "cnd"      1 3 -            (Ps11 Ps14)  [0 0 1 0] Kind::Cnd;
    81 Def      "def"      1 0 (Vs11 Vs3sw) (Ps11 Ps3sw) [0 0 0 0] Kind::Def(Literal::Float);
    82 TexReg2Rgb "texreg2rgb" 1 1 -        (Ps12 Ps13)  [0 0 1 0] tex(Texture::FromRegister(&[0, 1, 2]));
    83 TexDp3Tex "texdp3tex" 1 1 -          (Ps12 Ps13)  [0 0 1 0] tex(Texture::DotLoad);
    84 TexM3x2Depth "texm3x2depth" 1 1 -    (Ps13 Ps13)  [0 0 1 0] tex(Texture::MatrixDepth);
    85 TexDp3   "texdp3"   1 1 -            (Ps12 Ps13)  [0 0 1 0] tex(Texture::Dot);
    86 TexM3x3  "texm3x3"  1 1 -            (Ps12 Ps13)  [0 0 1 0] tex(Texture::MatrixValue);
    87 TexDepth "texdepth" 1 0 -            (Ps14 Ps14)  [0 0 1 0] tex(Texture::Depth);
    88 Cmp      "cmp"      1 3 -            (Ps12 Ps3sw) [0 0 2 1] map(Formula::Cmp);
    89 Bem      "bem"      1 2 -            (Ps14 Ps14)  [0 0 2 0] Kind::Bem;
    90 Dp2Add   "dp2add"   1 3 -            (Ps20 Ps3sw) [0 0 0 2] Kind::Dp2Add;
    91 Dsx      "dsx"      1 1 -            (Ps2x Ps3sw) [0 0 0 2] Kind::Derivative { vertical: false };
    92 Dsy      "dsy"      1 1 -            (Ps2x Ps3sw) [0 0 0 2] Kind::Derivative { vertical: true };
    93 TexLdd   "texldd"   1 4 -            (Ps2x Ps3sw) [0 0 0 3] tex(Texture::LoadGradient);
    94 Setp     "setp"     1 2 (Vs2x Vs3sw) (Ps2x Ps3sw) [0 1 0 1] Kind::Setp;
    95 TexLdl   "texldl"   1 2 (Vs30 Vs3sw) (Ps30 Ps3sw) [0 2 0 2] tex(Texture::LoadLevel);
    96 BreakP   "breakp"   0 1 (Vs2x Vs3sw) (Ps2x Ps3sw) [0 3 0 3] flow(Flow::BreakPredicate);
    0xfffd Phase "phase"   0 0 -            (Ps14 Ps14)  [0 0 0 0] Kind::Phase;
    0xfffe Comment "comment" 0 0 (Vs11 Vs3sw) (Ps11 Ps3sw) [0 0 0 0] Kind::Meta;
    0xffff End  "end"      0 0 (Vs11 Vs3sw) (Ps11 Ps3sw) [0 0 0 0] Kind::Meta;
}

shader_core::table! {
    /// A comparison in bits 16 to 18 of `if`, `break` and `setp` (d3d9-shaders.md section 1.2); 0 and 7 mean none.
    pub enum Comparison {
        /// The bits.
        code: u8 => from_code(u8),
        /// The suffix in text: `gt`.
        name: &'static str,
        /// The GLSL operator for scalars.
        operator: &'static str,
        /// The GLSL function for vectors.
        function: &'static str,
    }
    Greater      1, "gt", ">",  "greaterThan";
    Equal        2, "eq", "==", "equal";
    GreaterEqual 3, "ge", ">=", "greaterThanEqual";
    Less         4, "lt", "<",  "lessThan";
    NotEqual     5, "ne", "!=", "notEqual";
    LessEqual    6, "le", "<=", "lessThanEqual";
}

impl Comparison {
    /// Evaluates the comparison. With NaN it is false, except "not equal" (d3d9-shaders.md section 5.1).
    pub fn holds(self, a: f32, b: f32) -> bool {
        match self {
            Comparison::Greater => a > b,
            Comparison::Equal => a == b,
            Comparison::GreaterEqual => a >= b,
            Comparison::Less => a < b,
            Comparison::NotEqual => a != b,
            Comparison::LessEqual => a <= b,
        }
    }
}

shader_core::table! {
    /// The variant of a `texld`, in bits 16 and 17; 3 is invalid.
    pub enum Load {
        /// The bits.
        code: u8 => from_code(u8),
        /// The mnemonic.
        name: &'static str,
    }
    Plain 0, "texld";
    /// Divides the coordinates by w.
    Project 1, "texldp";
    /// Adds w to the level of detail.
    Bias 2, "texldb";
}

impl Opcode {
    /// The value of bits 0 to 15.
    pub const fn code(self) -> u16 {
        self.info().code
    }
    /// Its operation.
    pub const fn kind(self) -> Kind {
        self.info().kind
    }
    /// The versions of a stage that have it.
    pub fn range(self, stage: Stage) -> Range {
        match stage {
            Stage::Vertex => self.info().vertex,
            Stage::Fragment => self.info().pixel,
        }
    }
    /// Whether a version has this opcode.
    pub fn exists_in(self, version: Version) -> bool {
        let range = self.range(version.stage());
        range.is_some_and(|(first, last)| (first..=last).contains(&version))
    }
    /// The mnemonic in a version, without suffixes.
    pub fn name(self, version: Version) -> &'static str {
        match self {
            Opcode::Tex if version.is_ps_1_1_to_1_3() => "tex",
            Opcode::TexCoord if version == Version::Ps14 => "texcrd",
            _ => self.info().name,
        }
    }
    /// Number of sources in a version (d3d9-shaders.md section 1.8).
    pub fn sources(self, version: Version) -> u8 {
        match self {
            Opcode::Tex | Opcode::TexCoord if version.is_ps_1_1_to_1_3() => 0,
            Opcode::Tex if version == Version::Ps14 => 1,
            Opcode::SinCos if version.major() == 3 => 1,
            _ => self.info().sources,
        }
    }
    /// Number of words that are neither destination nor source: literals and the payload of `dcl`.
    pub fn literals(self) -> u8 {
        match self.kind() {
            Kind::Dcl | Kind::Def(Literal::Boolean) => 1,
            Kind::Def(_) => 4,
            _ => 0,
        }
    }
    /// Whether bits 16 to 18 hold a comparison.
    pub fn compares(self) -> bool {
        matches!(self.kind(), Kind::Setp | Kind::Flow(Flow::IfCompare | Flow::BreakCompare))
    }
    /// Whether it is a declaration, which isn't executed: `dcl`, `def`, `defi`, `defb`.
    pub fn is_declaration(self) -> bool {
        matches!(self.kind(), Kind::Dcl | Kind::Def(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_keys() {
        for opcode in Opcode::ALL {
            assert_eq!(Opcode::from_code(opcode.code()), Some(*opcode));
        }
    }
}
