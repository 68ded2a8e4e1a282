//! Adds the rounding errors that a driver may make to the results of both interpreters. An instruction of Direct3D 9
//! tokens has the same rounding errors as a similar AGAL opcode.

use agal::float::FloatRules;
use agal::generate::Random;
use agal::interp::lanes::{add, mul, zip};
use agal::interp::{Agal, Computation, LANES, Lanes, Observer, Register, error_bound};
use agal::opcode::{Binary, Opcode, OpcodeSignature};
use d3d9::interp as tokens;
use d3d9::opcode::{Formula, Operation};

/// Errors below this bound can only be caused by denormals that are flushed to zero.
const TINY: f32 = 1e-36;
/// The minimum error of a sum of products that may overflow if its terms are added in another order.
const OVERFLOWS: f32 = f32::MAX / 4.0 * f32::EPSILON;
/// Sums of products and interpolation don't overflow if all numbers are below this bound.
const LARGE: f32 = 1e9;
pub(super) struct ErrorModel {
    random: Random,
    rules: FloatRules,
    /// True if one opcode reads another opcode's result, so that a compiler may fuse both.
    pub(super) joins: bool,
    /// The lanes without random errors in this run. Terms of a sum may cancel exactly in some shader invocations only.
    exact_lanes: [bool; LANES],
    /// True if the program is a translation of AGAL to tokens, which may round several times where AGAL rounds once.
    pub(super) translated: bool,
}

impl ErrorModel {
    pub(super) fn new(mut random: Random, rules: FloatRules) -> Self {
        let mut exact_lanes = [false; LANES];
        // In most runs, errors are added in all four lanes.
        if random.error() == 0.0 {
            exact_lanes = exact_lanes.map(|_| random.error() > 0.0);
        }
        ErrorModel { random, rules, joins: false, translated: false, exact_lanes }
    }

    /// Returns a different result if a compiler may fuse the opcode with another opcode [agal.float.joined].
    fn joined(
        &mut self,
        opcode: Opcode,
        [a, b]: [f32; 2],
        value: f32,
        unlimited: f32,
    ) -> Option<f32> {
        let (random, pow) = (&mut self.random, opcode == Opcode::Pow);
        match opcode {
            // A compiler may simplify a - b + b to a, and 0 * a to 0 even if a is NaN.
            Opcode::Add if unlimited.is_nan() || cancels(a, -b) => Some(anything(random)),
            Opcode::Sub if unlimited.is_nan() || cancels(a, b) => Some(anything(random)),
            Opcode::Mul if unlimited.is_nan() => Some(anything(random)),
            Opcode::Sge | Opcode::Slt | Opcode::Seq | Opcode::Sne if cancels(a, b) => {
                Some(if random.chance(50) { value } else { 1.0 - value })
            }
            // A fused operation may pass NaN on, because clamping happens only in the last opcode.
            _ if unlimited.is_nan() && !value.is_nan() && (pow || a.is_nan() || b.is_nan()) => {
                Some(if random.chance(50) { value } else { f32::NAN })
            }
            _ => None,
        }
    }

    /// Returns a result with an error within the opcode's bound, or another value that a driver may return.
    fn changed(&mut self, opcode: Opcode, [a, b]: [f32; 2], value: f32, bound: f32) -> f32 {
        let unlimited = unlimited(self.rules, opcode, [a, b], value);
        if self.joins
            && let Some(joined) = self.joined(opcode, [a, b], value, unlimited)
        {
            return joined;
        }
        let random = &mut self.random;
        match opcode {
            // For NaN, OpenGL's `min` and `max` may return either operand [agal.min.nan].
            Opcode::Min | Opcode::Max if a.is_nan() != b.is_nan() => {
                return if random.chance(50) { a } else { b };
            }
            // Some compilers assume that no operation returns NaN, so the difference of equal infinities may be zero.
            _ if opcode != Opcode::Pow && unlimited.is_nan() && !a.is_nan() && !b.is_nan() => {
                return anything(random);
            }
            // An angle with too few significant bits is arbitrary, and may exceed the range that a driver supports.
            Opcode::Sin | Opcode::Cos if bound > 1.0 => {
                return if random.chance(50) { random.error() } else { anything(random) };
            }
            // The reciprocal of a large divisor is a denormal, which a driver may flush to zero.
            Opcode::Div if (1.0 / b).is_subnormal() && random.chance(50) => return 0.0 * a,
            // Only IEEE rules use the driver's `pow`, which is undefined for 0. Drivers compute `pow` with logarithms,
            // and the logarithm of the largest float rounds to that of infinity.
            Opcode::Pow
                if self.rules == FloatRules::Ieee
                    && !(a.is_normal() && b.is_finite() && value != f32::MAX) =>
            {
                return anything(random);
            }
            // Tokens compute a square root as the reciprocal of a reciprocal root [d3d9.from_agal.edges].
            Opcode::Sqt if self.translated && (a == 0.0 || !a.is_finite()) => {
                return anything(random);
            }
            Opcode::Mov | Opcode::Abs => return value,
            // Any other opcode may return zero with either sign [agal.float.denormals].
            _ if value == 0.0 && bound <= f32::MIN_POSITIVE => {
                return if random.chance(50) { -value } else { value };
            }
            // Additions and products round only once, so all drivers overflow for the same operands.
            Opcode::Add | Opcode::Sub | Opcode::Mul if value.abs() > f32::MAX / 4.0 => {
                return value;
            }
            _ => {}
        }
        // A result that is infinite, or clamped to the largest float, has no error.
        if value.abs() >= f32::MAX || bound.is_nan() || bound <= 0.0 {
            value
        } else if bound < OVERFLOWS {
            let factor = if self.translated { factor(opcode) } else { 1.0 };
            with_error(value, bound * factor, random)
        } else {
            anything(random)
        }
    }
}

impl Observer<Agal> for ErrorModel {
    fn computed(&mut self, computation: &Computation<'_>, value: &mut Register) {
        let opcode = computation.opcode;
        if matches!(opcode, Opcode::Ddx | Opcode::Ddy) {
            coarse_derivative(opcode == Opcode::Ddy, value, &mut self.random);
        }
        let bounds = error_bound(computation, value);
        // A result that is computed only from zeros has no error, even if other denormals are flushed to zero.
        let exact = self.random.error() > 0.0;
        let second = computation.b.first().unwrap_or(computation.a);
        let sources = computation.a.0.into_iter().zip(second.0);
        let flushed = flushed_squares(computation);
        let values = value.0.iter_mut().zip(bounds.0).zip(sources);
        for (component, ((values, bounds), (a, b))) in values.enumerate() {
            for lane in 0..LANES {
                let (value, bound) = (&mut values[lane], bounds[lane]);
                if self.exact_lanes[lane] || bound < TINY && exact && *value != 0.0 {
                    continue;
                }
                if flushed[lane] && self.random.chance(50) {
                    *value = self.rules.nrm(a[lane], 0.0);
                    continue;
                }
                // If a compiler factors a sum of products, it may overflow, unless the result is NaN or all terms are
                // small.
                let certain = width(opcode).is_none_or(|width| {
                    let row = computation.b.get(component).unwrap_or(second).lane(lane);
                    let both = [computation.a.lane(lane), row];
                    let all = || both.iter().flat_map(|of| of.iter().take(width.into()));
                    // Even without overflow, the difference of equal products may be zero.
                    let kept = opcode != Opcode::Crs && !self.joins;
                    let nan = kept && all().any(|value| value.is_nan());
                    nan || all().all(|value| value.abs() < LARGE)
                });
                *value = if certain {
                    self.changed(opcode, [a[lane], b[lane]], *value, bound)
                } else {
                    anything(&mut self.random)
                };
            }
        }
    }

    fn branches(&mut self, [a, b]: [&Lanes; 2], taken: &mut [bool; LANES]) {
        for ((a, b), taken) in a.iter().zip(b).zip(taken) {
            // Compilers may turn conditionals into `min` and `max`, which treat NaN differently [agal.min.nan].
            let open = a.is_nan() || b.is_nan() || self.joins && cancels(*a, *b);
            *taken ^= open && self.random.chance(50);
        }
    }
}

/// Returns the factor of an opcode's error bound in a translation, which may need several instructions.
fn factor(opcode: Opcode) -> f32 {
    match opcode {
        Opcode::Sin | Opcode::Cos => 1.0,
        Opcode::Sub | Opcode::Add | Opcode::Mul => 0.5,
        _ => 2.0,
    }
}

/// Returns whether two numbers may be equal only by rounding, so that a compiler's `a < a + b` may differ
/// [agal.float.joined].
fn cancels(a: f32, b: f32) -> bool {
    a == b && a.abs() > f32::MAX / 4.0
}

/// Returns the lanes in which `nrm` adds squares that may be flushed to zero [agal.float.denormals].
fn flushed_squares(computation: &Computation<'_>) -> [bool; LANES] {
    let [x, y, z, _] = computation.a.0.map(|lanes| mul(lanes, lanes));
    let squares = add(add(x, y), z);
    squares.map(|sum| computation.opcode == Opcode::Nrm && sum.is_subnormal())
}

/// Returns the result before the float rules replace NaN and infinity with numbers [agal.float.nan] [agal.float.sums].
fn unlimited(rules: FloatRules, opcode: Opcode, [a, b]: [f32; 2], value: f32) -> f32 {
    match opcode {
        Opcode::Add => a + b,
        Opcode::Sub => a - b,
        Opcode::Mul => a * b,
        Opcode::Div => a * rules.rcp(b),
        Opcode::Pow => rules.log(a) * b,
        Opcode::Rcp | Opcode::Rsq | Opcode::Log | Opcode::Exp if a.is_nan() => a,
        _ => value,
    }
}

/// Returns the number of products that an opcode adds. Returns `None` for opcodes other than sums of products.
fn width(opcode: Opcode) -> Option<u8> {
    match opcode.signature() {
        OpcodeSignature::Binary(Binary::Dot(width) | Binary::Matrix { width, .. }) => Some(width),
        OpcodeSignature::Binary(Binary::Cross) => Some(3),
        _ => None,
    }
}

impl Observer<tokens::Direct3D9> for ErrorModel {
    const STEPS: bool = false;

    fn computed(&mut self, computation: &tokens::Computation, value: &mut Register) {
        let ((opcode, a, b), before) = (as_agal(computation), value.0);
        Observer::<Agal>::computed(self, &Computation { opcode, a: &a, b: &b }, value);
        // Only the z component of `lit` is a power.
        if computation.operation == Operation::Lit {
            value.0 = [before[0], before[1], value.0[2], before[3]];
        }
    }
}

/// Returns the AGAL opcode and operands with the same error bound as a Direct3D 9 instruction.
fn as_agal(computation: &tokens::Computation) -> (Opcode, Register, [Register; 4]) {
    let [a, b, c] = computation.sources;
    let [ax, ay, _, aw] = a.0.map(|lanes| Register([lanes; 4]));
    let (one, zero) = ([1.0; LANES], [0.0; LANES]);
    let opcode = match computation.operation {
        // Each component is a sum of products, like a matrix row multiplied by a vector of ones.
        Operation::Map(formula @ (Formula::Mad | Formula::Lrp))
        | Operation::Scalar(formula @ (Formula::Mad | Formula::Lrp)) => {
            let more = if formula == Formula::Lrp { zip(a.0, c.0, mul) } else { [zero; 4] };
            let terms = zip(zip(a.0, b.0, mul), c.0, |product, own| (product, own));
            let rows =
                zip(terms, more, |(product, own), more| Register([product, own, more, zero]));
            return (Opcode::M44, Register([one; 4]), rows);
        }
        Operation::Dp2Add => {
            let ([ax, ay, ..], [bx, by, ..], [cx, ..]) = (a.0, b.0, c.0);
            return (Opcode::Dp3, Register([ax, ay, cx, zero]), [Register([bx, by, one, zero]); 4]);
        }
        Operation::Matrix { width: 3, .. } => return (Opcode::M33, a, computation.rows),
        Operation::Matrix { .. } => return (Opcode::M44, a, computation.rows),
        Operation::SinCos => return (Opcode::Sin, ax, [b; 4]),
        Operation::ExpPartial => return (Opcode::Exp, ax, [b; 4]),
        Operation::Lit => return (Opcode::Pow, ay, [aw; 4]),
        Operation::Map(formula) | Operation::Scalar(formula) => of_formula(formula),
        Operation::Dot(3) => Opcode::Dp3,
        Operation::Dot(_) => Opcode::Dp4,
        Operation::Cross => Opcode::Crs,
        Operation::Normalize => Opcode::Nrm,
        Operation::Derivative { vertical: false } => Opcode::Ddx,
        Operation::Derivative { vertical: true } => Opcode::Ddy,
        // The bump-environment matrix of `bem` is zero in these tests.
        Operation::Dst | Operation::Bem => Opcode::Mul,
        Operation::Cnd
        | Operation::Sgn
        | Operation::Mova
        | Operation::Setp
        | Operation::Flow(_)
        | Operation::Dcl
        | Operation::Def(_)
        | Operation::Texture(_)
        | Operation::Phase
        | Operation::Nop
        | Operation::Meta => Opcode::Mov,
    };
    (opcode, a, [b; 4])
}

fn of_formula(formula: Formula) -> Opcode {
    match formula {
        Formula::Mov | Formula::Abs | Formula::Cmp => Opcode::Mov,
        Formula::Add | Formula::Mad | Formula::Lrp => Opcode::Add,
        Formula::Sub => Opcode::Sub,
        Formula::Mul => Opcode::Mul,
        Formula::Min => Opcode::Min,
        Formula::Max => Opcode::Max,
        Formula::Slt => Opcode::Slt,
        Formula::Sge => Opcode::Sge,
        Formula::Rcp => Opcode::Rcp,
        Formula::Rsq => Opcode::Rsq,
        Formula::Exp => Opcode::Exp,
        Formula::Log => Opcode::Log,
        Formula::Pow => Opcode::Pow,
        Formula::Frc => Opcode::Frc,
    }
}

/// Replaces a derivative by that of the quad's first row or column, because a driver may use it for the whole quad.
fn coarse_derivative(vertical: bool, value: &mut Register, random: &mut Random) {
    if random.error() > 0.0 {
        let lane = match (random.error() > 0.0, vertical) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => 2,
        };
        value.0 = value.0.map(|lanes| [lanes[lane]; LANES]);
    }
}

/// Adds a random error up to a bound to a value. A value whose magnitude is below the bound may become zero.
fn with_error(value: f32, bound: f32, random: &mut Random) -> f32 {
    let error = random.error();
    if error == 0.0 && value.abs() <= bound { 0.0 } else { value + error * bound }
}

/// Returns a value for an undefined result: often NaN, so that dependent results are not compared, but also numbers,
/// because comparisons and limits turn NaN into a number.
pub(super) fn anything(random: &mut Random) -> f32 {
    const NUMBERS: [f32; 6] = [0.0, 1.0, -1.0, f32::MAX, f32::NEG_INFINITY, 0.5];
    if random.chance(50) { f32::NAN } else { random.pick(&NUMBERS).copied().unwrap_or(0.0) }
}

/// Flushes some denormals of an input to zero, like a driver may.
pub(super) fn flushed(value: [f32; 4], random: &mut Random) -> [f32; 4] {
    value.map(|value| if value.is_subnormal() && random.chance(50) { 0.0 } else { value })
}

pub(super) fn with_flushed(values: &[[f32; 4]], random: &mut Random) -> Vec<[f32; 4]> {
    values.iter().map(|value| flushed(*value, random)).collect()
}

/// Adds a driver's interpolation error to a varying: up to four units in the last place of `magnitude`, the largest
/// number in the computation. A value below the error may become zero. Very large values become undefined.
pub(super) fn interpolated(value: f32, magnitude: f32, random: &mut Random) -> f32 {
    if magnitude.is_nan() || magnitude >= LARGE {
        return anything(random);
    }
    let most = magnitude * f32::EPSILON * 4.0;
    let error = random.error();
    if value.abs() <= most && error.abs() < 0.5 { 0.0 } else { value + error * most }
}
