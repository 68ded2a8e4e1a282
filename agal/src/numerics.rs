//! What each arithmetic opcode computes, as GLSL text with `{a}` and `{b}` for the sources.
//!
//! Adobe's text says nothing about the edge cases (agal.md section 4.3, all unverified). Flash ran on Direct3D 9 first,
//! and its content was made against that, so Direct3D 9's shader-model definitions are what is meant here:
//!
//! | opcode | edge | result |
//! |---|---|---|
//! | `pow` | negative base | power of the absolute value |
//! | `log` | negative, zero | log2 of the absolute value; -infinity |
//! | `sqt`, `rsq` | negative | of the absolute value |
//! | `rsq`, `rcp`, `div` | zero | infinity, as IEEE 754 has it |
//! | `nrm` | zero vector | zero |
//! | `frc` | negative | `s - floor(s)`, so still 0..1 |
//!
//! In the comparisons NaN is neither equal nor ordered, as in IEEE 754; `sne` of NaN is 1.

pub(crate) const MOV: &str = "{a}";
pub(crate) const ADD: &str = "{a} + {b}";
pub(crate) const SUB: &str = "{a} - {b}";
pub(crate) const MUL: &str = "{a} * {b}";
pub(crate) const DIV: &str = "{a} / {b}";
pub(crate) const RCP: &str = "1.0 / {a}";
pub(crate) const MIN: &str = "min({a}, {b})";
pub(crate) const MAX: &str = "max({a}, {b})";
pub(crate) const FRC: &str = "fract({a})";
pub(crate) const SQT: &str = "sqrt(abs({a}))";
pub(crate) const RSQ: &str = "inversesqrt(abs({a}))";
pub(crate) const POW: &str = "pow(abs({a}), {b})";
pub(crate) const LOG: &str = "log2(abs({a}))";
pub(crate) const EXP: &str = "exp2({a})";
pub(crate) const SIN: &str = "sin({a})";
pub(crate) const COS: &str = "cos({a})";
pub(crate) const ABS: &str = "abs({a})";
pub(crate) const NEG: &str = "-{a}";
pub(crate) const SAT: &str = "clamp({a}, 0.0, 1.0)";
pub(crate) const SGN: &str = "sign({a})";

/// The helper behind `nrm`: its name and its body.
pub(crate) const NORMALIZE_NAME: &str = "agal_nrm";
/// Written out in front of `main` where `nrm` is used.
pub(crate) const NORMALIZE_BODY: &str = "\
vec3 agal_nrm(vec3 v) {
    float d = dot(v, v);
    return d > 0.0 ? v * inversesqrt(d) : vec3(0.0);
}
";

/// The sign of `ddy`. In Flash, window y grows downwards as in Direct3D. Our surfaces have their top row first in memory
/// and the vertex shader mirrors y, so GL's window y, which grows with memory rows, grows downwards too: no negation.
/// (agal.md section 4.3 derives the other sign for a bottom-left frame buffer.)
pub(crate) const DDY: &str = "dFdy({a})";
pub(crate) const DDX: &str = "dFdx({a})";
