//! Compares the driver with the interpreter on generated hull shaders and random patches.

use std::fmt;

use agal::generate::Random;
use hs50::check::{CheckOptions, ValidHull, check};
use hs50::generate::GeneratedHull;
use hs50::interp::HullOutput;
use hs50::text::assemble;

use super::context::{DriverText, Patch};
use super::{BoundResources, TessellationContext, compare, interpret};

const PATCHES: usize = 4;
/// Special values in the inputs. Denormals are excluded, because drivers may flush them, and NaN, because drivers may
/// invert comparisons.
const SPECIAL: [u32; 6] = [0x7f80_0000, 0xff80_0000, 0x8000_0000, 0, 0x7f7f_ffff, 0x0080_0000];

/// A failing program: the results of driver and interpreter differ, or the program can't be run.
#[derive(Clone, Debug, PartialEq)]
pub struct FuzzFailure {
    pub seed: u64,
    pub text: String,
    pub reason: String,
}

impl fmt::Display for FuzzFailure {
    /// Writes a source file for the assembler, with the seed and the reason as comments.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "// seed: {}", self.seed)?;
        self.reason.lines().try_for_each(|line| writeln!(f, "// {line}"))?;
        f.write_str(&self.text)
    }
}

/// Returns random resources and patches for a shader, with mostly small and some special numbers.
fn inputs(hull: &ValidHull, random: &mut Random) -> (BoundResources, Vec<Patch>) {
    let bound = BoundResources::random(hull, &mut || random.word());
    let mut word = |_| match random.below(12) {
        0 => SPECIAL.get(random.below(6) as usize).copied().unwrap_or(0),
        _ => super::bound::small(random.word()),
    };
    let mut register = |_| [0; 4].map(&mut word);
    let mut point = |_| (0..hull.input_registers).map(&mut register).collect::<Vec<_>>();
    let patches = (0..PATCHES).map(|_| (0..hull.input_points).map(&mut point).collect());
    (bound, patches.collect())
}

pub(super) fn valid(text: &str) -> Result<ValidHull, String> {
    let shader = assemble(text).map_err(|errors| errors.to_string())?;
    let report = check(&shader, CheckOptions::default()).map_err(|error| error.to_string())?;
    let valid = report.valid();
    valid.map_err(|report| format!("{:?}", report.findings))
}

impl TessellationContext {
    /// Compares driver and interpreter for a generated shader. Returns the number of compared components, or `None` if
    /// the deliberate error doesn't change the results. Fails if results differ, or the shader can't be run.
    pub fn check_generated(
        &mut self,
        number: u64,
        generated: &GeneratedHull,
    ) -> Result<Option<u64>, FuzzFailure> {
        let text = &generated.text;
        let found = |reason: String| FuzzFailure { seed: number, text: text.clone(), reason };
        let hull = valid(text).map_err(found)?;
        let (bound, patches) = inputs(&hull, &mut Random::new(number));
        let run = |hull: &ValidHull| interpret(hull, &patches, &bound);
        let expected = run(&hull).map_err(|error| found(error.to_string()))?;
        let mut on_driver = &hull;
        // The test has no result if the deliberate error makes the shader invalid or changes no output.
        let changed;
        if let Some(change) = &self.change {
            changed = change(DriverText::Listing, text).and_then(|text| valid(&text).ok());
            match &changed {
                Some(changed) if run(changed).is_ok_and(|results| results != expected) => {
                    on_driver = changed;
                }
                None if self.reaches(&hull) => {}
                _ => return Ok(None),
            }
        }
        let inexact = |_, _| generated.inexact;
        self.compare(on_driver, &patches, &bound, &expected, inexact).map(Some).map_err(found)
    }

    /// Compares driver and interpreter for a shader, with random patches and resources. Returns the number of compared
    /// components, or a text with the first difference or the error of the run.
    pub fn check(
        &mut self,
        hull: &ValidHull,
        random: &mut Random,
        inexact: impl Fn(bool, usize) -> bool,
    ) -> Result<u64, String> {
        let (bound, patches) = inputs(hull, random);
        let expected = interpret(hull, &patches, &bound).map_err(|error| error.to_string())?;
        self.compare(hull, &patches, &bound, &expected, inexact)
    }

    /// Runs a shader on the driver, and compares with the expected results.
    fn compare(
        &mut self,
        hull: &ValidHull,
        patches: &[Patch],
        bound: &BoundResources,
        expected: &[HullOutput],
        inexact: impl Fn(bool, usize) -> bool,
    ) -> Result<u64, String> {
        let driver = self.capture(hull, patches, bound);
        let driver = driver.map_err(|error| error.to_string())?;
        compare(&driver, expected, inexact).map_err(|difference| difference.to_string())
    }
}
