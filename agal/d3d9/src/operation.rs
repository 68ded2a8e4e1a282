//! The operations that opcodes perform.

use crate::formula::Formula;

/// The operation of an opcode, as used by the interpreter and the GLSL translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `nop`: no effect.
    Nop,
    /// A function applied to each component.
    Map(Formula),
    /// A function of one component per source; the result is replicated to all masked components.
    Scalar(Formula),
    /// A dot product of this many components; the result is replicated to all masked components.
    Dot(u8),
    /// Source 1 times a matrix. Source 2 is the first of `rows` consecutive registers, of which `width` components are
    /// multiplied.
    Matrix {
        /// Number of matrix rows, which equals the number of result components.
        rows: u8,
        /// Number of components per row that are multiplied.
        width: u8,
    },
    /// `cnd`: like `cmp`, but compares with 0.5.
    Cnd,
    /// `lit`: diffuse and specular lighting factors.
    Lit,
    /// `dst`: a distance vector, for light attenuation.
    Dst,
    /// `crs`: the cross product of xyz.
    Cross,
    /// `sgn`: the sign of each component, -1, 0 or 1.
    Sgn,
    /// `nrm`: divides a vector by the length of its xyz components.
    Normalize,
    /// `sincos`: the cosine in x, the sine in y.
    SinCos,
    /// `expp`: a partial-precision power of 2; in `vs_1_1`, its four result components differ.
    ExpPartial,
    /// `mova`: rounds to an integer in the address register.
    Mova,
    /// `dp2add`: a dot product of two components plus a scalar.
    Dp2Add,
    /// `bem`: adds a coordinate transformed by a bump matrix.
    Bem,
    /// `dsx`, `dsy`: the screen-space derivative of a value.
    Derivative {
        /// True for the derivative along y, false for x.
        vertical: bool,
    },
    /// `setp`: writes a comparison to the predicate register.
    Setp,
    /// A flow control instruction.
    Flow(FlowControl),
    /// `dcl`: declares a register.
    Dcl,
    /// `def`, `defi`, `defb`: defines a constant.
    Def(Literal),
    /// A texture instruction.
    Texture(TextureOp),
    /// `phase` of ps_1_4: begins the second phase.
    Phase,
    /// A token that isn't an instruction: a comment, the end token, or a reserved opcode.
    Meta,
}

agal_core::table! {
    /// A flow control operation.
    pub enum FlowControl {
        /// Returns whether the operation opens a block. `else` continues the block of its `if`.
        opens: bool,
        /// Returns the operations whose blocks this operation closes.
        closes: &'static [FlowControl],
        /// Returns whether the operation can exit a loop.
        breaks: bool,
    }
    Call false, &[], false;
    CallNz false, &[], false;
    Loop true, &[], false;
    EndLoop false, &[FlowControl::Loop], false;
    Ret false, &[], false;
    Label false, &[], false;
    Rep true, &[], false;
    EndRep false, &[FlowControl::Rep], false;
    If true, &[], false;
    /// `if_gt a, b` and other comparisons.
    IfCompare true, &[], false;
    Else false, &[FlowControl::If, FlowControl::IfCompare], false;
    EndIf false, &[FlowControl::If, FlowControl::IfCompare, FlowControl::Else], false;
    Break false, &[], true;
    /// `break_gt a, b` and other comparisons.
    BreakCompare false, &[], true;
    /// `breakp p0.x`: leaves the loop if the predicate is true.
    BreakPredicate false, &[], true;
}

/// The type of the constant that `def`, `defi` or `defb` defines.
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
pub enum TextureOp {
    /// `texcoord`, `texcrd`: returns the interpolated texture coordinates.
    Coordinate,
    /// `texkill`: discards the pixel if a component is negative.
    Kill,
    /// `tex`, `texld`, `texldp`, `texldb`: reads a texture.
    Load,
    /// `texldd`: reads a texture with explicit derivatives.
    LoadGradient,
    /// `texldl`: reads a texture at an explicit level of detail.
    LoadLevel,
    /// `texbem`, `texbeml`: reads a texture at coordinates that a bump matrix has displaced.
    Bem {
        /// True for `texbeml`, which multiplies the texel by the luminance.
        luminance: bool,
    },
    /// `texreg2ar`, `texreg2gb`, `texreg2rgb`: reads a texture at these components of the source.
    FromRegister(&'static [u8]),
    /// `texm3x2pad`, `texm3x3pad`: computes a matrix row other than the last.
    Pad {
        /// The number of matrix rows.
        rows: u8,
    },
    /// `texm3x2tex`, `texm3x3tex`: computes the last matrix row, then reads a texture.
    MatrixLoad {
        /// The number of matrix rows.
        rows: u8,
    },
    /// `texm3x3spec`, `texm3x3vspec`: computes the last matrix row, then reads a texture along the reflected eye
    /// vector. The eye vector is a constant, or stored in w of three texture coordinates.
    Reflect {
        /// True if the eye vector is stored in the texture coordinates.
        varying: bool,
    },
    /// `texm3x3`: computes the last matrix row and returns the product of all three rows.
    MatrixValue,
    /// `texm3x2depth`: computes the last matrix row and writes the depth.
    MatrixDepth,
    /// `texdp3`: the dot product of texture coordinates and source.
    Dot,
    /// `texdp3tex`: reads a 1D texture at the dot product of texture coordinates and source.
    DotLoad,
    /// `texdepth`: writes the depth from `r5`.
    Depth,
}

impl TextureOp {
    /// Returns whether the instruction has a sampler operand; applies to models 2 and 3.
    pub fn has_sampler(self) -> bool {
        matches!(self, TextureOp::Load | TextureOp::LoadGradient | TextureOp::LoadLevel)
    }
}
