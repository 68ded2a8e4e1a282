//! The functions, numbers and names in shaders.

use crate::float::LARGEST as LARGEST_FLOAT;

agal_core::table! {
    /// A function or operator of WGSL.
    pub enum Function {
        /// Returns the WGSL text before, between and after the arguments.
        wgsl: [&'static str; 4],
        /// Returns the GLSL text before, between and after the arguments.
        glsl: [&'static str; 4],
    }
    Abs ["abs(", ")", "", ""], ["abs(", ")", "", ""];
    Add ["", " + ", "", ""], ["", " + ", "", ""];
    Clamp ["clamp(", ", ", ", ", ")"], ["clamp(", ", ", ", ", ")"];
    Cos ["cos(", ")", "", ""], ["cos(", ")", "", ""];
    Cross ["cross(", ", ", ")", ""], ["cross(", ", ", ")", ""];
    Divide ["", " / ", "", ""], ["", " / ", "", ""];
    Dot ["dot(", ", ", ")", ""], ["dot(", ", ", ")", ""];
    Dpdx ["dpdx(", ")", "", ""], ["dFdx(", ")", "", ""];
    Dpdy ["dpdy(", ")", "", ""], ["dFdy(", ")", "", ""];
    Equal ["", " == ", "", ""], ["", " == ", "", ""];
    Exp2 ["exp2(", ")", "", ""], ["exp2(", ")", "", ""];
    Fract ["fract(", ")", "", ""], ["fract(", ")", "", ""];
    Greater ["", " > ", "", ""], ["", " > ", "", ""];
    GreaterOrEqual ["", " >= ", "", ""], ["", " >= ", "", ""];
    InverseSqrt ["inverseSqrt(", ")", "", ""], ["inversesqrt(", ")", "", ""];
    Less ["", " < ", "", ""], ["", " < ", "", ""];
    Log2 ["log2(", ")", "", ""], ["log2(", ")", "", ""];
    Max ["max(", ", ", ")", ""], ["max(", ", ", ")", ""];
    Min ["min(", ", ", ")", ""], ["min(", ", ", ")", ""];
    Multiply ["", " * ", "", ""], ["", " * ", "", ""];
    Not ["!(", ")", "", ""], ["!(", ")", "", ""];
    // The colour with alpha 1, for textures without alpha.
    Opaque ["vec4f(", ".rgb, 1.0)", "", ""], ["vec4(", ".rgb, 1.0)", "", ""];
    Pow ["pow(", ", ", ")", ""], ["pow(", ", ", ")", ""];
    Round ["round(", ")", "", ""], ["roundEven(", ")", "", ""];
    Saturate ["saturate(", ")", "", ""], ["clamp(", ", 0.0, 1.0)", "", ""];
    // `select(a, b, condition)` returns `b` if the condition is true, like GLSL's `mix(a, b, condition)`.
    Select ["select(", ", ", ", ", ")"], ["mix(", ", ", ", ", ")"];
    Sign ["sign(", ")", "", ""], ["sign(", ")", "", ""];
    Sin ["sin(", ")", "", ""], ["sin(", ")", "", ""];
    Sqrt ["sqrt(", ")", "", ""], ["sqrt(", ")", "", ""];
    Subtract ["", " - ", "", ""], ["", " - ", "", ""];
    ToFloat ["f32(", ")", "", ""], ["float(", ")", "", ""];
    ToInteger ["i32(", ")", "", ""], ["int(", ")", "", ""];
}

/// A constant number that the translation adds to the shader.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AddedConstant {
    /// The constant's value as a float.
    pub value: f32,
    /// The constant as source text. The largest float is a named constant of the shader.
    pub text: &'static str,
}

impl AddedConstant {
    pub(super) const ZERO: AddedConstant = AddedConstant { value: 0.0, text: "0.0" };
    pub(super) const ONE: AddedConstant = AddedConstant { value: 1.0, text: "1.0" };
    pub(super) const LARGEST: AddedConstant =
        AddedConstant { value: LARGEST_FLOAT, text: "agal_largest" };
    pub(super) const LEAST: AddedConstant =
        AddedConstant { value: -LARGEST_FLOAT, text: "-agal_largest" };
    /// The bounds of an index, integers that exceed all counts of constants and all offsets.
    pub(super) const INDICES: [AddedConstant; 2] = [
        AddedConstant { value: -512.0, text: "-512.0" },
        AddedConstant { value: 512.0, text: "512.0" },
    ];
}

/// The name of a value: a hoisted texture read, or a value that is assigned to a mask with gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueName {
    /// The prefix of the value's name.
    pub prefix: &'static str,
    /// The index of the instruction, which follows the prefix.
    pub token: u32,
}
