//! The formulas of arithmetic as GLSL text around their sources.

use crate::float::FloatRules;
use crate::isa::opcode::{BinaryFormula, Derivative, Relation, UnaryFormula};

/// GLSL before, between and after the sources, which are single terms without parentheses.
#[derive(Clone, Copy)]
pub(super) struct Pieces {
    ieee: &'static [&'static str],
    /// Those that limit the result to the largest float, which they name [`LARGEST`], as Direct3D 9's rules ask.
    limited: Option<&'static [&'static str]>,
}

impl Pieces {
    pub(super) fn by(self, rules: FloatRules) -> &'static [&'static str] {
        self.limited_by(rules).unwrap_or(self.ieee)
    }

    /// Returns the pieces that limit the result, unless the rules need none.
    pub(super) fn limited_by(self, rules: FloatRules) -> Option<&'static [&'static str]> {
        self.limited.filter(|_| rules == FloatRules::Direct3D9)
    }
}

const fn both(ieee: &'static [&'static str]) -> Pieces {
    Pieces { ieee, limited: None }
}

const fn limited(limited: &'static [&'static str], ieee: &'static [&'static str]) -> Pieces {
    Pieces { ieee, limited: Some(limited) }
}

/// The name of the largest float in GLSL.
pub(super) const LARGEST: &str = "agal_largest";

/// GLSL around a sum or product that is limited.
pub(super) const LIMITED: [&str; 2] = ["clamp(", ", -agal_largest, agal_largest)"];

pub(super) const fn unary(formula: UnaryFormula) -> Pieces {
    match formula {
        UnaryFormula::Mov => both(&["", ""]),
        UnaryFormula::Rcp => {
            limited(&["clamp(1.0 / ", ", -agal_largest, agal_largest)"], &["1.0 / ", ""])
        }
        UnaryFormula::Frc => both(&["fract(", ")"]),
        UnaryFormula::Sqt => both(&["sqrt(abs(", "))"]),
        UnaryFormula::Rsq => {
            limited(&["min(inversesqrt(abs(", ")), agal_largest)"], &["inversesqrt(abs(", "))"])
        }
        UnaryFormula::Log => {
            limited(&["clamp(log2(abs(", ")), -agal_largest, agal_largest)"], &["log2(abs(", "))"])
        }
        UnaryFormula::Exp => limited(&["min(exp2(", "), agal_largest)"], &["exp2(", ")"]),
        UnaryFormula::Sin => both(&["sin(", ")"]),
        UnaryFormula::Cos => both(&["cos(", ")"]),
        UnaryFormula::Abs => both(&["abs(", ")"]),
        UnaryFormula::Neg => both(&["0.0 - ", ""]),
        UnaryFormula::Sat => both(&["clamp(", ", 0.0, 1.0)"]),
        UnaryFormula::Sgn => both(&["sign(", ")"]),
    }
}

pub(super) const fn derivative(derivative: Derivative) -> Pieces {
    match derivative {
        Derivative::X => both(&["dFdx(", ")"]),
        // The sign: in Flash, window y grows downwards as in Direct3D. Our surfaces have their top row first in memory
        // and the vertex shader mirrors y, so GL's window y, which grows with memory rows, grows downwards too: no
        // negation. ([agal.ddy.sign])
        Derivative::Y => both(&["dFdy(", ")"]),
    }
}

pub(super) const fn binary(formula: BinaryFormula) -> Pieces {
    match formula {
        BinaryFormula::Add => both(&["", " + ", ""]),
        BinaryFormula::Sub => both(&["", " - ", ""]),
        BinaryFormula::Mul => both(&["", " * ", ""]),
        // A product with a reciprocal has two roundings ([agal.div.lowering]).
        BinaryFormula::Div => limited(
            &[
                "clamp(",
                " * clamp(1.0 / ",
                ", -agal_largest, agal_largest), -agal_largest, agal_largest)",
            ],
            &["", " / ", ""],
        ),
        BinaryFormula::Min => both(&["min(", ", ", ")"]),
        BinaryFormula::Max => both(&["max(", ", ", ")"]),
        // `pow` itself is undefined for a base of 0 and a power of 0 or less.
        BinaryFormula::Pow => limited(
            &[
                "min(exp2(clamp(log2(abs(",
                ")), -agal_largest, agal_largest) * ",
                "), agal_largest)",
            ],
            &["pow(abs(", "), ", ")"],
        ),
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

/// The helper function of `nrm`, which is written before `main`: its name, and its last line by both rules.
pub(super) const NORMALIZE_NAME: &str = "agal_nrm";
pub(super) const NORMALIZE: Pieces = limited(
    &["    return v * min(inversesqrt(dot(v, v)), agal_largest);\n"],
    &["    float d = dot(v, v);\n    return d > 0.0 ? v * inversesqrt(d) : vec3(0.0);\n"],
);
