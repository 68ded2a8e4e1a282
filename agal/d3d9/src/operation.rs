//! The operations of opcodes.

use crate::formula::Formula;

/// The operation of an opcode; interpreter and GLSL translation share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `nop`: no effect.
    Nop,
    /// A function, component by component.
    Map(Formula),
    /// A scalar function of one component of each source, replicated to all masked components.
    Scalar(Formula),
    /// A dot product of this many components, replicated to all masked components.
    Dot(u8),
    /// Source 1 times a matrix: `rows` (the number of result components) consecutive registers from source 2 on, of
    /// each of which `width` components are used.
    Matrix {
        /// Number of rows, which is the number of result components.
        rows: u8,
        /// Number of components of a row that are multiplied.
        width: u8,
    },
    /// Like `cmp`, but compares with one half.
    Cnd,
    /// `lit`: factors of diffuse and specular light.
    Lit,
    /// `dst`: a distance vector.
    Dst,
    /// `crs`: the cross product of xyz.
    Cross,
    /// `sgn`: the sign of each component.
    Sgn,
    /// `nrm`: the vector divided by the length of xyz.
    Normalize,
    /// `sincos`: cosine in x, sine in y.
    SinCos,
    /// `expp`, whose result in `vs_1_1` has four different components.
    ExpPartial,
    /// `mova`: rounds to the address register.
    Mova,
    /// `dp2add`: a dot product of two components plus a scalar.
    Dp2Add,
    /// `bem`: adds a coordinate that a bump matrix has transformed.
    Bem,
    /// `dsx`, `dsy`.
    Derivative {
        /// Along y instead of x.
        vertical: bool,
    },
    /// `setp`: compares to the predicate.
    Setp,
    /// Flow control.
    Flow(Flow),
    /// `dcl`: declares a register.
    Dcl,
    /// `def`, `defi`, `defb`: set a constant.
    Def(Literal),
    /// A texture instruction.
    Texture(Texture),
    /// `phase` of ps_1_4: the second phase begins.
    Phase,
    /// A token that isn't an instruction: a comment, the end, or a value that is never valid.
    Meta,
}

agal_core::table! {
    /// An instruction of flow control.
    pub enum Flow {
        /// Returns whether the instruction opens a block. `else` continues the block of its `if`.
        opens: bool,
        /// Returns the instructions whose blocks it ends.
        closes: &'static [Flow],
        /// Returns whether the operation may end a loop.
        breaks: bool,
    }
    Call false, &[], false;
    CallNz false, &[], false;
    Loop true, &[], false;
    EndLoop false, &[Flow::Loop], false;
    Ret false, &[], false;
    Label false, &[], false;
    Rep true, &[], false;
    EndRep false, &[Flow::Rep], false;
    If true, &[], false;
    /// `if_gt a, b`.
    IfCompare true, &[], false;
    Else false, &[Flow::If, Flow::IfCompare], false;
    EndIf false, &[Flow::If, Flow::IfCompare, Flow::Else], false;
    Break false, &[], true;
    /// `break_gt a, b`.
    BreakCompare false, &[], true;
    /// `breakp p0.x`.
    BreakPredicate false, &[], true;
}

/// The type of a `def`: four floats, four signed integers, or one boolean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    /// Four floats: `def`.
    Float,
    /// Four signed integers: `defi`.
    Integer,
    /// One boolean: `defb`.
    Boolean,
}

/// The operation of a texture instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texture {
    /// `texcoord`, `texcrd`.
    Coordinate,
    /// `texkill`.
    Kill,
    /// `tex`, `texld`, `texldp`, `texldb`.
    Load,
    /// `texldd`: the derivatives are operands.
    LoadGradient,
    /// `texldl`: the level of detail is an operand.
    LoadLevel,
    /// `texbem`; `texbeml` multiplies the result by the luminance.
    Bem {
        /// True if the result is multiplied by the luminance.
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
    /// `texm3x3spec`, `texm3x3vspec`: the last row, then a texture read along the reflected eye vector, which is a
    /// constant or comes from the w components of the three coordinates.
    Reflect {
        /// True if the eye vector comes from the coordinates.
        varying: bool,
    },
    /// `texm3x3`: the last row; the result is the vector of all three.
    MatrixValue,
    /// `texm3x2depth`: the last row, whose result is a depth.
    MatrixDepth,
    /// `texdp3`: the dot product of a coordinate and the source.
    Dot,
    /// `texdp3tex`: the same, then a read of a 1D texture.
    DotLoad,
    /// `texdepth`: the depth from `r5`.
    Depth,
}

impl Texture {
    /// Returns whether the instruction has a sampler operand, in models 2 and 3.
    pub fn has_sampler(self) -> bool {
        matches!(self, Texture::Load | Texture::LoadGradient | Texture::LoadLevel)
    }
}
