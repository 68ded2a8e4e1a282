//! The float rules: limits results that can be infinite ([agal.float.rules]).

use agal_core::float::{FloatRules, GLSL_LARGEST, ResultLimit};

use super::D3d9Emitter;
use crate::opcode::{Formula, Operation};

const LIT: &str = "\
vec4 d3d9_lit(float x, float y, float w) {
    float z = x > 0.0 && y > 0.0 ? d3d9_pow(y, clamp(w, -127.9961, 127.9961)) : 0.0;
    return vec4(1.0, max(x, 0.0), z, 1.0);
}
";

impl D3d9Emitter<'_> {
    /// Clamps a value to a finite range if the float rules are those of Direct3D 9.
    pub(super) fn limited(&self, limit: ResultLimit, value: String) -> String {
        match self.options.float_rules.limit(limit) {
            ResultLimit::None => value,
            ResultLimit::Both => format!("clamp({value}, -{GLSL_LARGEST}, {GLSL_LARGEST})"),
            ResultLimit::Above => format!("min({value}, {GLSL_LARGEST})"),
        }
    }

    /// Returns the GLSL template of a scalar function, or of `expp`.
    pub(super) fn scalar_function(&self, kind: Operation) -> String {
        let formula = if let Operation::Scalar(formula) = kind { formula } else { Formula::Exp };
        let function = self.limited(formula.limit(), formula.scalar().to_owned());
        if kind != Operation::ExpPartial || self.version.major() > 1 {
            return function;
        }
        let whole = function.replace("$a", "floor($a)");
        format!("vec4({whole}, fract($a), {function}, 1.0)")
    }

    /// Returns the quotient of two terms ([d3d9.value.quotient]).
    pub(super) fn quotient(&self, a: &str, b: &str) -> String {
        match self.options.float_rules {
            FloatRules::Ieee => format!("{a} / {b}"),
            FloatRules::Direct3D9 => {
                let reciprocal = self.limited(ResultLimit::Both, format!("1.0 / {b}"));
                self.limited(ResultLimit::Both, format!("{a} * {reciprocal}"))
            }
        }
    }

    /// Emits the helper functions for `pow`, `nrm` and `lit` that the shader uses.
    pub(super) fn float_functions(&mut self) {
        let ieee = self.options.float_rules == FloatRules::Ieee;
        if self.any(|kind| matches!(kind, Operation::Scalar(Formula::Pow) | Operation::Lit)) {
            let power = if ieee {
                "b == 0.0 ? 1.0 : pow(abs(a), b)".to_owned()
            } else {
                let logarithm = self.limited(ResultLimit::Both, "log2(abs(a))".to_owned());
                self.limited(ResultLimit::Above, format!("exp2({logarithm} * b)"))
            };
            self.code.open("float d3d9_pow(float a, float b) {");
            self.line(format_args!("return {power};"));
            self.code.close();
        }
        if self.any(|kind| kind == Operation::Normalize) {
            let factor = self.limited(ResultLimit::Above, "inversesqrt(d)".to_owned());
            let guard = if ieee { ["d > 0.0 ? ", " : vec4(0.0)"] } else { [""; 2] };
            self.code.open("vec4 d3d9_nrm(vec4 v) {");
            self.line("float d = dot(v.xyz, v.xyz);");
            self.line(format_args!("return {}v * {factor}{};", guard[0], guard[1]));
            self.code.close();
        }
        if self.any(|kind| kind == Operation::Lit) {
            self.code.push_str(LIT);
        }
    }
}
