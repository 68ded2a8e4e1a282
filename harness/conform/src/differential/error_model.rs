//! Adds the rounding errors that a driver may make to the results of both interpreters. An instruction of Direct3D 9
//! tokens has the same rounding errors as a similar AGAL opcode.

use agal::float::FloatRules;
use agal::generate::Random;
use agal::interp::lanes::{add, mul, zip};
use agal::interp::{
    AgalComputation, AgalLanguage, LANES, LaneRegister, LaneValues, RunObserver, error_bound,
};
use agal::opcode::{AgalOpcode, BinaryOp, OpcodeSignature};
use d3d9::interp as tokens;
use d3d9::opcode::{Formula, Operation};

/// The bound below which only flushing denormals to zero causes an error.
const TINY: f32 = 1e-36;
/// The minimum error of a sum of products that may overflow if its terms are added in another order.
const OVERFLOWS: f32 = f32::MAX / 4.0 * f32::EPSILON;
/// The bound for operands below which no sum of products and no interpolation overflows.
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
        opcode: AgalOpcode,
        [a, b]: [f32; 2],
        value: f32,
        unlimited: f32,
    ) -> Option<f32> {
        let (random, pow) = (&mut self.random, opcode == AgalOpcode::Pow);
        match opcode {
            // A compiler may simplify a - b + b to a, and 0 * a to 0 even if a is NaN.
            AgalOpcode::Add if unlimited.is_nan() || cancels(a, -b) => Some(anything(random)),
            AgalOpcode::Sub if unlimited.is_nan() || cancels(a, b) => Some(anything(random)),
            AgalOpcode::Mul if unlimited.is_nan() => Some(anything(random)),
            AgalOpcode::Sge | AgalOpcode::Slt | AgalOpcode::Seq | AgalOpcode::Sne
                if cancels(a, b) =>
            {
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
    fn changed(&mut self, opcode: AgalOpcode, [a, b]: [f32; 2], value: f32, bound: f32) -> f32 {
        let unlimited = unlimited(self.rules, opcode, [a, b], value);
        if self.joins
            && let Some(joined) = self.joined(opcode, [a, b], value, unlimited)
        {
            return joined;
        }
        let random = &mut self.random;
        match opcode {
            // For NaN, OpenGL's `min` and `max` may return either operand [agal.min.nan].
            AgalOpcode::Min | AgalOpcode::Max if a.is_nan() != b.is_nan() => {
                return if random.chance(50) { a } else { b };
            }
            // Some compilers assume that no operation returns NaN, so the difference of equal infinities may be zero.
            _ if opcode != AgalOpcode::Pow && unlimited.is_nan() && !a.is_nan() && !b.is_nan() => {
                return anything(random);
            }
            // An angle with too few significant bits is arbitrary, and may exceed the range that a driver supports.
            AgalOpcode::Sin | AgalOpcode::Cos if bound > 1.0 => {
                return if random.chance(50) { random.error() } else { anything(random) };
            }
            // The reciprocal of a large divisor is a denormal, which a driver may flush to zero.
            AgalOpcode::Div if (1.0 / b).is_subnormal() && random.chance(50) => return 0.0 * a,
            // Only IEEE rules use the driver's `pow`, which is undefined for 0. Drivers compute `pow` with logarithms,
            // and the logarithm of the largest float rounds to that of infinity.
            AgalOpcode::Pow
                if self.rules == FloatRules::Ieee
                    && !(a.is_normal() && b.is_finite() && value != f32::MAX) =>
            {
                return anything(random);
            }
            // Tokens compute a square root as the reciprocal of a reciprocal root [d3d9.from_agal.edges].
            AgalOpcode::Sqt if self.translated && (a == 0.0 || !a.is_finite()) => {
                return anything(random);
            }
            AgalOpcode::Mov | AgalOpcode::Abs => return value,
            // Opcodes other than `mov` and `abs` may return zero with either sign [agal.float.denormals].
            _ if value == 0.0 && bound <= f32::MIN_POSITIVE => {
                return if random.chance(50) { -value } else { value };
            }
            // Additions and products round only once, so all drivers overflow for the same operands.
            AgalOpcode::Add | AgalOpcode::Sub | AgalOpcode::Mul if value.abs() > f32::MAX / 4.0 => {
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

impl RunObserver<AgalLanguage> for ErrorModel {
    fn computed(&mut self, computation: &AgalComputation<'_>, value: &mut LaneRegister) {
        let opcode = computation.opcode;
        if matches!(opcode, AgalOpcode::Ddx | AgalOpcode::Ddy) {
            coarse_derivative(opcode == AgalOpcode::Ddy, value, &mut self.random);
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
                    // A NaN operand makes the sum NaN. Only the difference of equal products may become zero instead,
                    // if a compiler simplifies it.
                    let kept = opcode != AgalOpcode::Crs && !self.joins;
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

    fn branches(&mut self, [a, b]: [&LaneValues; 2], taken: &mut [bool; LANES]) {
        for ((a, b), taken) in a.iter().zip(b).zip(taken) {
            // Compilers may turn conditionals into `min` and `max`, which treat NaN differently [agal.min.nan].
            let open = a.is_nan() || b.is_nan() || self.joins && cancels(*a, *b);
            *taken ^= open && self.random.chance(50);
        }
    }
}

/// Adds the errors of a translation, which may round several times where AGAL rounds once.
pub(super) struct TranslationErrors {
    model: Option<ErrorModel>,
    /// True if a result is undefined in the translated shader. Pixel shaders compare by a difference, which is NaN for
    /// two infinities [d3d9.from_agal.compare]. `sqt` of 0 or infinity and `sin` of infinity differ from AGAL
    /// [d3d9.from_agal.edges].
    pub(super) undefined: bool,
}

impl TranslationErrors {
    pub(super) fn new(mut model: Option<ErrorModel>) -> Self {
        model.iter_mut().for_each(|model| model.translated = true);
        TranslationErrors { model, undefined: false }
    }
}

impl RunObserver<AgalLanguage> for TranslationErrors {
    const STEPS: bool = false;

    fn computed(&mut self, computation: &AgalComputation<'_>, value: &mut LaneRegister) {
        let opcode = computation.opcode;
        let sources = || {
            computation.b.iter().chain([computation.a]).flat_map(|of| of.0.into_iter().flatten())
        };
        let infinite = || sources().any(|value| !value.is_finite());
        self.undefined |= match (opcode.signature(), opcode) {
            (OpcodeSignature::Binary(BinaryOp::Compare(_)), _) => infinite(),
            (_, AgalOpcode::Sqt) => infinite() || sources().any(|value| value == 0.0),
            (_, opcode) => matches!(opcode, AgalOpcode::Sin | AgalOpcode::Cos) && infinite(),
        };
        if let Some(model) = &mut self.model {
            RunObserver::<AgalLanguage>::computed(model, computation, value);
        }
    }
}

/// Returns the factor of an opcode's error bound in a translation, which may need several instructions.
fn factor(opcode: AgalOpcode) -> f32 {
    match opcode {
        AgalOpcode::Sin | AgalOpcode::Cos => 1.0,
        AgalOpcode::Sub | AgalOpcode::Add | AgalOpcode::Mul => 0.5,
        _ => 2.0,
    }
}

/// Returns whether two numbers are equal and so large that rounding may hide their difference. A compiled `a < a + b`
/// may then differ from the interpreter's result [agal.float.joined].
fn cancels(a: f32, b: f32) -> bool {
    a == b && a.abs() > f32::MAX / 4.0
}

/// Returns the lanes in which `nrm` adds squares that may be flushed to zero [agal.float.denormals].
fn flushed_squares(computation: &AgalComputation<'_>) -> [bool; LANES] {
    let [x, y, z, _] = computation.a.0.map(|lanes| mul(lanes, lanes));
    let squares = add(add(x, y), z);
    squares.map(|sum| computation.opcode == AgalOpcode::Nrm && sum.is_subnormal())
}

/// Returns the result before the float rules replace NaN and infinity with numbers [agal.float.nan] [agal.float.sums].
fn unlimited(rules: FloatRules, opcode: AgalOpcode, [a, b]: [f32; 2], value: f32) -> f32 {
    match opcode {
        AgalOpcode::Add => a + b,
        AgalOpcode::Sub => a - b,
        AgalOpcode::Mul => a * b,
        AgalOpcode::Div => a * rules.rcp(b),
        AgalOpcode::Pow => rules.log(a) * b,
        AgalOpcode::Rcp | AgalOpcode::Rsq | AgalOpcode::Log | AgalOpcode::Exp if a.is_nan() => a,
        _ => value,
    }
}

/// Returns the number of products that an opcode adds. Returns `None` for opcodes other than sums of products.
fn width(opcode: AgalOpcode) -> Option<u8> {
    match opcode.signature() {
        OpcodeSignature::Binary(BinaryOp::Dot(width) | BinaryOp::Matrix { width, .. }) => {
            Some(width)
        }
        OpcodeSignature::Binary(BinaryOp::Cross) => Some(3),
        _ => None,
    }
}

impl RunObserver<tokens::Direct3D9> for ErrorModel {
    const STEPS: bool = false;

    fn computed(&mut self, computation: &tokens::D3d9Computation, value: &mut LaneRegister) {
        let ((opcode, a, b), before) = (as_agal(computation), value.0);
        RunObserver::<AgalLanguage>::computed(
            self,
            &AgalComputation { opcode, a: &a, b: &b },
            value,
        );
        // Only the z component of `lit` is a power.
        if computation.operation == Operation::Lit {
            value.0 = [before[0], before[1], value.0[2], before[3]];
        }
    }
}

/// Returns the AGAL opcode and operands with the same error bound as a Direct3D 9 instruction.
fn as_agal(computation: &tokens::D3d9Computation) -> (AgalOpcode, LaneRegister, [LaneRegister; 4]) {
    let [a, b, c] = computation.sources;
    let [ax, ay, _, aw] = a.0.map(|lanes| LaneRegister([lanes; 4]));
    let (one, zero) = ([1.0; LANES], [0.0; LANES]);
    let opcode = match computation.operation {
        // Each component is a sum of products, like a matrix row multiplied by a vector of ones.
        Operation::Map(formula @ (Formula::Mad | Formula::Lrp))
        | Operation::Scalar(formula @ (Formula::Mad | Formula::Lrp)) => {
            let more = if formula == Formula::Lrp { zip(a.0, c.0, mul) } else { [zero; 4] };
            let terms = zip(zip(a.0, b.0, mul), c.0, |product, own| (product, own));
            let rows =
                zip(terms, more, |(product, own), more| LaneRegister([product, own, more, zero]));
            return (AgalOpcode::M44, LaneRegister([one; 4]), rows);
        }
        Operation::Dp2Add => {
            let ([ax, ay, ..], [bx, by, ..], [cx, ..]) = (a.0, b.0, c.0);
            return (
                AgalOpcode::Dp3,
                LaneRegister([ax, ay, cx, zero]),
                [LaneRegister([bx, by, one, zero]); 4],
            );
        }
        Operation::Matrix { width: 3, .. } => return (AgalOpcode::M33, a, computation.rows),
        Operation::Matrix { .. } => return (AgalOpcode::M44, a, computation.rows),
        Operation::SinCos => return (AgalOpcode::Sin, ax, [b; 4]),
        Operation::ExpPartial => return (AgalOpcode::Exp, ax, [b; 4]),
        Operation::Lit => return (AgalOpcode::Pow, ay, [aw; 4]),
        Operation::Map(formula) | Operation::Scalar(formula) => of_formula(formula),
        Operation::Dot(3) => AgalOpcode::Dp3,
        Operation::Dot(_) => AgalOpcode::Dp4,
        Operation::Cross => AgalOpcode::Crs,
        Operation::Normalize => AgalOpcode::Nrm,
        Operation::Derivative { vertical: false } => AgalOpcode::Ddx,
        Operation::Derivative { vertical: true } => AgalOpcode::Ddy,
        // The bump-environment matrix of `bem` is zero in these tests.
        Operation::Dst | Operation::Bem => AgalOpcode::Mul,
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
        | Operation::Meta => AgalOpcode::Mov,
    };
    (opcode, a, [b; 4])
}

fn of_formula(formula: Formula) -> AgalOpcode {
    match formula {
        Formula::Mov | Formula::Abs | Formula::Cmp => AgalOpcode::Mov,
        Formula::Add | Formula::Mad | Formula::Lrp => AgalOpcode::Add,
        Formula::Sub => AgalOpcode::Sub,
        Formula::Mul => AgalOpcode::Mul,
        Formula::Min => AgalOpcode::Min,
        Formula::Max => AgalOpcode::Max,
        Formula::Slt => AgalOpcode::Slt,
        Formula::Sge => AgalOpcode::Sge,
        Formula::Rcp => AgalOpcode::Rcp,
        Formula::Rsq => AgalOpcode::Rsq,
        Formula::Exp => AgalOpcode::Exp,
        Formula::Log => AgalOpcode::Log,
        Formula::Pow => AgalOpcode::Pow,
        Formula::Frc => AgalOpcode::Frc,
    }
}

/// Replaces a derivative by that of the quad's first row or column, because a driver may use it for the whole quad.
fn coarse_derivative(vertical: bool, value: &mut LaneRegister, random: &mut Random) {
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
/// number in the computation. A value smaller than its interpolation error may become zero. Very large values become
/// undefined.
pub(super) fn interpolated(value: f32, magnitude: f32, random: &mut Random) -> f32 {
    if magnitude.is_nan() || magnitude >= LARGE {
        return anything(random);
    }
    let most = magnitude * f32::EPSILON * 4.0;
    let error = random.error();
    if value.abs() <= most && error.abs() < 0.5 { 0.0 } else { value + error * most }
}
