//! The formulas of arithmetic as GLSL.

use agal_core::output::split;

use crate::float::{FloatRules, Limit};
use crate::isa::opcode::{BinaryFormula, Derivative, Relation, UnaryFormula};

/// The limit of a result, and its GLSL before, between and after the sources, which are single terms without parentheses.
pub(super) type Formula = (Limit, [&'static str; 3]);

/// Splits the template of a formula of the sources `$a` and `$b`.
const fn of(limit: Limit, template: &'static str) -> Formula {
    (limit, split(template))
}

/// The name of the largest float in GLSL.
pub(super) const LARGEST: &str = "agal_largest";

pub(super) const fn unary(formula: UnaryFormula) -> &'static Formula {
    match formula {
        UnaryFormula::Mov => &const { of(Limit::None, "$a") },
        UnaryFormula::Rcp => &const { of(Limit::Both, "1.0 / $a") },
        UnaryFormula::Frc => &const { of(Limit::None, "fract($a)") },
        UnaryFormula::Sqt => &const { of(Limit::None, "sqrt(abs($a))") },
        UnaryFormula::Rsq => &const { of(Limit::Above, "inversesqrt(abs($a))") },
        UnaryFormula::Log => &const { of(Limit::Both, "log2(abs($a))") },
        UnaryFormula::Exp => &const { of(Limit::Above, "exp2($a)") },
        UnaryFormula::Sin => &const { of(Limit::None, "sin($a)") },
        UnaryFormula::Cos => &const { of(Limit::None, "cos($a)") },
        UnaryFormula::Abs => &const { of(Limit::None, "abs($a)") },
        UnaryFormula::Neg => &const { of(Limit::None, "0.0 - $a") },
        UnaryFormula::Sat => &const { of(Limit::None, "clamp($a, 0.0, 1.0)") },
        UnaryFormula::Sgn => &const { of(Limit::None, "sign($a)") },
    }
}

pub(super) const fn derivative(derivative: Derivative) -> &'static Formula {
    match derivative {
        Derivative::X => &const { of(Limit::None, "dFdx($a)") },
        // The sign: in Flash, window y grows downwards as in Direct3D. Our surfaces have their top row first in memory
        // and the vertex shader mirrors y, so GL's window y, which grows with memory rows, grows downwards too: no
        // negation. ([agal.ddy.sign])
        Derivative::Y => &const { of(Limit::None, "dFdy($a)") },
    }
}

pub(super) const fn binary(formula: BinaryFormula, rules: FloatRules) -> &'static Formula {
    match (formula, rules) {
        (BinaryFormula::Add, _) => &const { of(Limit::None, "$a + $b") },
        (BinaryFormula::Sub, _) => &const { of(Limit::None, "$a - $b") },
        (BinaryFormula::Mul, _) => &const { of(Limit::None, "$a * $b") },
        // A product with a reciprocal has two roundings ([agal.div.lowering]).
        (BinaryFormula::Div, FloatRules::Direct3D9) => {
            &const { of(Limit::Both, "$a * clamp(1.0 / $b, -agal_largest, agal_largest)") }
        }
        (BinaryFormula::Div, FloatRules::Ieee) => &const { of(Limit::None, "$a / $b") },
        (BinaryFormula::Min, _) => &const { of(Limit::None, "min($a, $b)") },
        (BinaryFormula::Max, _) => &const { of(Limit::None, "max($a, $b)") },
        // `pow` itself is undefined for a base of 0 and a power of 0 or less.
        (BinaryFormula::Pow, FloatRules::Direct3D9) => {
            &const { of(Limit::Above, "exp2(clamp(log2(abs($a)), -agal_largest, agal_largest) * $b)") }
        }
        (BinaryFormula::Pow, FloatRules::Ieee) => &const { of(Limit::None, "pow(abs($a), $b)") },
    }
}

/// Returns the function that compares vectors.
pub(super) const fn comparison(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "equal",
        Relation::NotEqual => "notEqual",
        Relation::GreaterOrEqual => "greaterThanEqual",
        Relation::Greater => "greaterThan",
        Relation::Less => "lessThan",
    }
}

/// The whole number of an index, as statements and an expression of GLSL 1.30 and ES 3.00, and of older versions.
/// Converting a value that an integer can't hold is undefined, so it is clamped; no bank and no offset reaches the bounds.
pub(super) const INDEX: [[&str; 2]; 2] = [
    ["", "int(roundEven(clamp(index, -512.0, 512.0)))"],
    [
        "    index = clamp(index, -512.0, 512.0);
    float whole = floor(index + 0.5);
    whole -= float(whole - index == 0.5) * mod(whole, 2.0);
",
        "int(whole)",
    ],
];

/// The name of the helper function of `nrm`, which is written before `main`.
pub(super) const NORMALIZE_NAME: &str = "agal_nrm";

/// Returns the last lines of the helper function of `nrm`.
pub(super) const fn normalize(rules: FloatRules) -> &'static str {
    match rules {
        FloatRules::Direct3D9 => "    return v * min(inversesqrt(dot(v, v)), agal_largest);\n",
        FloatRules::Ieee => {
            "    float d = dot(v, v);\n    return d > 0.0 ? v * inversesqrt(d) : vec3(0.0);\n"
        }
    }
}
