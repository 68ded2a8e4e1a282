//! Measures the driver: the error of each AGAL opcode against the exact result, in every dialect and both stages, and
//! how many programs per second the probe compiles and runs.
//!
//! ```text
//! cargo run --release -p molehill-testing --example precision
//! ```

use std::time::Instant;

use context3d::agal::glsl::{DIALECTS, Dialect};
use context3d::agal::{LinkedPair, Rules, Stage, asm, link, validate};
use molehill_testing::probe::{
    Flavor, FragmentRun, Interpolation, ShaderRunner, Varyings, VertexRun,
};

type Failure = Box<dyn std::error::Error>;
type Register = [f32; 4];

/// Number of operands that a sweep tests, four per register.
const VALUES: usize = 1 << 17;

/// An opcode with one or two sources, its exact function, and the swept range: in equal steps, or in equal steps of the
/// exponent with both signs.
struct Row {
    opcode: &'static str,
    binary: bool,
    exact: fn(f64, f64) -> f64,
    sweep: Sweep,
}

#[derive(Clone, Copy)]
enum Sweep {
    /// Lower and upper bound of operands with equal distances.
    Even(f64, f64),
    /// Lower and upper exponent of two; both signs are swept.
    Exponents(i32, i32),
}

use Sweep::{Even, Exponents};

const fn one(opcode: &'static str, exact: fn(f64, f64) -> f64, sweep: Sweep) -> Row {
    Row { opcode, binary: false, exact, sweep }
}

const fn two(opcode: &'static str, exact: fn(f64, f64) -> f64, sweep: Sweep) -> Row {
    Row { opcode, binary: true, exact, sweep }
}

const ROWS: &[Row] = &[
    two("add", |a, b| a + b, Exponents(-60, 60)),
    two("sub", |a, b| a - b, Exponents(-60, 60)),
    two("mul", |a, b| a * b, Exponents(-60, 60)),
    two("div", |a, b| a / b, Exponents(-60, 60)),
    two("min", f64::min, Exponents(-126, 127)),
    two("max", f64::max, Exponents(-126, 127)),
    two("pow", |a, b| a.abs().powf(b), Exponents(-3, 3)),
    two("sge", |a, b| f64::from(u8::from(a >= b)), Exponents(-126, 127)),
    two("slt", |a, b| f64::from(u8::from(a < b)), Exponents(-126, 127)),
    one("rcp", |a, _| a.recip(), Exponents(-125, 125)),
    one("sqt", |a, _| a.abs().sqrt(), Exponents(-126, 127)),
    one("rsq", |a, _| a.abs().sqrt().recip(), Exponents(-126, 127)),
    one("exp", |a, _| a.exp2(), Even(-126.0, 127.0)),
    one("exp", |a, _| a.exp2(), Even(-1.0, 1.0)),
    one("log", |a, _| a.abs().log2(), Exponents(-126, 127)),
    one("log", |a, _| a.abs().log2(), Even(0.5, 2.0)),
    one("sin", |a, _| a.sin(), Even(-3.2, 3.2)),
    one("sin", |a, _| a.sin(), Even(-1000.0, 1000.0)),
    one("cos", |a, _| a.cos(), Even(-3.2, 3.2)),
    one("cos", |a, _| a.cos(), Even(-1000.0, 1000.0)),
    one("frc", |a, _| a - a.floor(), Even(-1000.0, 1000.0)),
    one("frc", |a, _| a - a.floor(), Exponents(-60, 60)),
    one("abs", |a, _| a.abs(), Exponents(-126, 127)),
    one("neg", |a, _| -a, Exponents(-126, 127)),
    one("sat", |a, _| a.clamp(0.0, 1.0), Exponents(-30, 30)),
    one("mov", |a, _| a, Exponents(-126, 127)),
];

/// Operands for which IEEE 754, Direct3D 9 and drivers give different results.
const EDGES: [f32; 12] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    1.0e-40,
    -1.0e-40,
    f32::MAX,
    f32::MIN_POSITIVE,
    200.0,
];

impl Sweep {
    /// Returns the operand at the fraction `at` (0..1) of the tested range.
    fn value(self, at: f64) -> f32 {
        let exact = match self {
            Even(from, to) => from + at * (to - from),
            Exponents(from, to) => {
                let sign = if (at * 1e9).rem_euclid(2.0) < 1.0 { 1.0 } else { -1.0 };
                sign * (f64::from(from) + at * f64::from(to - from)).exp2()
            }
        };
        narrow(exact)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding to the nearest float is what is wanted"
)]
fn narrow(exact: f64) -> f32 {
    exact as f32
}

/// Fills registers with operands of the tested range, in ascending order. If `shuffled` is true, multiples of the
/// golden ratio determine the order, for a second operand.
fn registers(sweep: Sweep, shuffled: bool) -> Vec<Register> {
    let at = |n: usize| {
        let n = f64::from(u32::try_from(n).unwrap_or(0));
        if shuffled {
            (n * 0.618_033_988_749_895).fract()
        } else {
            n / f64::from(u32::try_from(VALUES).unwrap_or(1))
        }
    };
    let register = |n: usize| std::array::from_fn(|lane| sweep.value(at(4 * n + lane)));
    (0..VALUES / 4).map(register).collect()
}

fn pair(vertex: &str, fragment: &str) -> Result<LinkedPair, Failure> {
    let check = |text, stage| -> Result<_, Failure> {
        let program = asm::assemble(text, stage, 1).map_err(|error| error.to_string())?;
        Ok(validate(program, stage, &Rules::NEWEST).map_err(|error| error.to_string())?)
    };
    let pair = link(check(vertex, Stage::Vertex)?, check(fragment, Stage::Fragment)?);
    Ok(pair.map_err(|error| error.to_string())?)
}

/// The largest errors of a sweep.
#[derive(Default)]
struct Worst {
    /// The error in units in the last place (ULP) of the exact result.
    ulps: f64,
    ulps_at: (f32, f32),
    absolute: f64,
}

impl Worst {
    fn add(&mut self, row: &Row, a: f32, b: f32, got: f32) {
        let exact = (row.exact)(a.into(), b.into());
        let rounded = narrow(exact);
        if rounded == got || rounded.is_nan() && got.is_nan() {
            return;
        }
        let error = (f64::from(got) - exact).abs();
        // One ULP of the exact result; subnormal results count as the smallest normal number.
        let place = exact.abs().max(f32::MIN_POSITIVE.into()).log2().floor() - 23.0;
        let ulps = error / place.exp2();
        if ulps > self.ulps || ulps.is_nan() {
            (self.ulps, self.ulps_at) = (ulps, (a, b));
        }
        self.absolute = self.absolute.max(error);
    }
}

/// Runs a row's opcode on two registers in a vertex and in a fragment program.
fn evaluate(
    probe: &mut ShaderRunner,
    dialect: Dialect,
    row: &Row,
    inputs: &[&[Register]; 2],
) -> Result<[Vec<Register>; 2], Failure> {
    let opcode = row.opcode;
    let second = |name: &str| {
        if row.binary { format!(", {name}") } else { String::new() }
    };
    // One pair of programs is used for both stages.
    let pair = pair(
        &format!("mov op, va0\n{opcode} v0, va0{}\nmov v1, va1", second("va1")),
        &format!("{opcode} ft0, v0{}\nmov ft1, v1\nmov oc, ft0", second("v1")),
    )?;
    let [a, _] = inputs;
    let program = probe.vertex_program(&pair, dialect)?;
    let results = probe.run_vertex(
        &program,
        &VertexRun {
            vertices: a.len(),
            instances: 1,
            attributes: inputs,
            constants: &[],
            textures: &[],
        },
    )?;
    let program = probe.fragment_program(&pair, dialect, Interpolation::Flat)?;
    let pixels = probe.run_fragment(
        &program,
        &FragmentRun {
            varyings: Varyings::Flat { pixels: a.len(), registers: inputs },
            constants: &[],
            textures: &[],
        },
    )?;
    let vertex = (0..a.len()).filter_map(|i| results.varying(i, 0)).collect();
    Ok([vertex, pixels.color(0).unwrap_or(&[]).to_vec()])
}

fn measure(probe: &mut ShaderRunner, dialect: Dialect, row: &Row) -> Result<[Worst; 2], Failure> {
    let (a, b) = (registers(row.sweep, false), registers(row.sweep, true));
    let stages = evaluate(probe, dialect, row, &[&a, &b])?;
    Ok(stages.map(|results| {
        let mut worst = Worst::default();
        for ((a, b), got) in a.iter().zip(&b).zip(&results) {
            for ((a, b), got) in a.iter().zip(b).zip(got) {
                worst.add(row, *a, *b, *got);
            }
        }
        worst
    }))
}

/// Prints the results of all opcodes for [`EDGES`]; an opcode with two sources also gets every pair with 0, 1, infinity
/// and NaN. Prints one line if vertex and fragment stage agree, otherwise one line for each stage.
#[expect(clippy::print_stdout, reason = "the table is the result")]
fn edges(probe: &mut ShaderRunner, dialect: Dialect) -> Result<(), Failure> {
    let mut seen = Vec::new();
    for row in ROWS {
        if seen.contains(&row.opcode) {
            continue;
        }
        seen.push(row.opcode);
        let seconds: &[f32] =
            if row.binary { &[0.0, 1.0, f32::INFINITY, f32::NAN] } else { &[0.0] };
        for second in seconds {
            let a: Vec<Register> = EDGES.map(|value| [value; 4]).to_vec();
            let b = vec![[*second; 4]; a.len()];
            let [vertex, fragment] = evaluate(probe, dialect, row, &[&a, &b])?;
            let shown = |values: &[Register]| {
                let each = values.iter().map(|value| format!("{:>8}", short(value[0])));
                each.collect::<Vec<_>>().join("")
            };
            let name = if row.binary {
                format!("{} _, {second}", row.opcode)
            } else {
                row.opcode.to_owned()
            };
            let (vertex, fragment) = (shown(&vertex), shown(&fragment));
            println!("{name:12}{vertex}");
            if vertex != fragment {
                println!("{:>12}{fragment}", "fragment");
            }
        }
    }
    Ok(())
}

/// A short decimal form of `value` for a table cell.
fn short(value: f32) -> String {
    let plain = format!("{value}");
    if plain.len() <= 7 { plain } else { format!("{value:.1e}") }
}

/// Compiles and runs distinct programs, as a fuzzer does, for one second in each stage; returns programs per second.
fn speed(probe: &mut ShaderRunner, dialect: Dialect) -> Result<[f64; 2], Failure> {
    let inputs = registers(Even(0.0, 1.0), false);
    let inputs = inputs.get(..16).unwrap_or(&[]);
    let run = FragmentRun {
        varyings: Varyings::Flat { pixels: inputs.len(), registers: &[inputs, inputs] },
        constants: &[],
        textures: &[],
    };
    let vertices = VertexRun {
        vertices: inputs.len(),
        instances: 1,
        attributes: &[inputs, inputs],
        constants: &[],
        textures: &[],
    };
    let mut rates = [0.0; 2];
    for (stage, rate) in rates.iter_mut().enumerate() {
        let start = Instant::now();
        let mut count = 0u32;
        while start.elapsed().as_secs_f64() < 1.0 {
            let body = |t: &str, a: &str, b: &str| -> String {
                let ops = ["mul", "add", "sub", "min", "max", "sge", "slt", "dp3"];
                (0..12u32)
                    .map(|n| {
                        let digit = usize::try_from(count >> (n % 7) ^ n).unwrap_or(0) % ops.len();
                        let from = if n == 0 { a.to_owned() } else { format!("{t}{}", n - 1) };
                        let op = ops.get(digit).unwrap_or(&"mov");
                        if n < 8 {
                            format!("{op} {t}{n}, {from}, {b}\n")
                        } else {
                            format!("{op} {t}7, {t}{}, {t}{}\n", n - 8, n - 5)
                        }
                    })
                    .collect()
            };
            let pair = pair(
                &format!("mov op, va0\n{}mov v0, vt7\nmov v1, va1", body("vt", "va0", "va1")),
                &format!("{}mov oc, ft7", body("ft", "v0", "v1")),
            );
            let Ok(pair) = pair else {
                count += 1;
                continue;
            };
            if stage == 0 {
                let program = probe.vertex_program(&pair, dialect)?;
                probe.run_vertex(&program, &vertices)?;
            } else {
                let program = probe.fragment_program(&pair, dialect, Interpolation::Flat)?;
                probe.run_fragment(&program, &run)?;
            }
            count += 1;
        }
        *rate = f64::from(count) / start.elapsed().as_secs_f64();
    }
    Ok(rates)
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
fn main() -> Result<(), Failure> {
    for flavor in Flavor::ALL {
        let mut probe = ShaderRunner::open(*flavor)?;
        for dialect in flavor.dialects().iter().filter(|dialect| DIALECTS.contains(dialect)) {
            println!("{flavor}, {dialect}, {}", probe.renderer());
            println!("{:6} {:>22}  {:>34}  {:>34}", "", "", "vertex", "fragment");
            println!(
                "{:6} {:>22}  {:>10} {:>10} {:>12}  {:>10} {:>10} {:>12}",
                "opcode", "sweep", "ulps", "absolute", "worst at", "ulps", "absolute", "worst at"
            );
            for row in ROWS {
                let sweep = match row.sweep {
                    Even(from, to) => format!("{from}..{to}"),
                    Exponents(from, to) => format!("±2^{from}..2^{to}"),
                };
                print!("{:6} {sweep:>22}", row.opcode);
                for worst in measure(&mut probe, *dialect, row)? {
                    print!(
                        "  {:>10.2} {:>10.2e} {:>12.4e}",
                        worst.ulps, worst.absolute, worst.ulps_at.0
                    );
                }
                println!();
            }
            println!();
            let values = EDGES.map(|value| format!("{:>8}", short(value)));
            println!("{:12}{}", "", values.join(""));
            edges(&mut probe, *dialect)?;
            let [vertex, fragment] = speed(&mut probe, *dialect)?;
            println!("programs a second: {vertex:.0} vertex, {fragment:.0} fragment\n");
        }
    }
    Ok(())
}
