//! Compares the driver's results with the interpreter's.

use context3d::agal::operand::Component;
use hs50::check::ValidHull;
use hs50::interp::{HullInputs, HullOutput, HullRunError, RunOptions, run};

use super::{BoundResources, Patch, PatchResult};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultDifference {
    /// The name of the component, such as `patch 0, vocp[1][2].x`.
    pub component: String,
    pub driver: u32,
    pub interpreter: u32,
}

impl std::fmt::Display for ResultDifference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ResultDifference { component, driver, interpreter } = self;
        let floats = (f32::from_bits(*driver), f32::from_bits(*interpreter));
        write!(
            f,
            "{component}: the driver has {driver:#010x} ({}), the interpreter {interpreter:#010x} ({})",
            floats.0, floats.1
        )
    }
}

/// Runs the interpreter on patches with the primitive IDs 0, 1, ….
pub fn interpret(
    hull: &ValidHull,
    patches: &[Patch],
    bound: &BoundResources,
) -> Result<Vec<HullOutput>, HullRunError> {
    let one = |(number, patch): (u32, &Patch)| {
        let inputs = HullInputs { control_points: patch, primitive_id: number, resources: bound };
        run(hull, &inputs, RunOptions::default(), &mut |_| {})
    };
    (0..).zip(patches).map(one).collect()
}

/// Compares the driver's outputs with the interpreter's. `inexact` returns whether the error bounds of approximate
/// functions apply to an output register. The first argument of `inexact` is true for control points, and false for
/// patch constants. Returns the number of compared components, or the first difference.
pub fn compare(
    driver: &[PatchResult],
    interpreter: &[HullOutput],
    inexact: impl Fn(bool, usize) -> bool,
) -> Result<u64, ResultDifference> {
    let mut count = 0;
    for (number, (driver, interpreter)) in driver.iter().zip(interpreter).enumerate() {
        let points = driver.control_points.iter().zip(&interpreter.control_points).enumerate();
        let points = points.map(|(point, both)| (true, format!("vocp[{point}]"), both));
        let constants = (&driver.patch_constants, &interpreter.patch_constants);
        let constants = (false, "pc".to_owned(), constants);
        for (of_point, name, (driver, interpreter)) in points.chain([constants]) {
            for (register, (driver, interpreter)) in driver.iter().zip(interpreter).enumerate() {
                let components = Component::ALL.into_iter().zip(driver.iter().zip(interpreter));
                for (component, (&driver, &interpreter)) in components {
                    if !same(driver, interpreter, inexact(of_point, register)) {
                        let letter = component.letter();
                        let component = format!("patch {number}, {name}[{register}].{letter}");
                        return Err(ResultDifference { component, driver, interpreter });
                    }
                    count += 1;
                }
            }
        }
    }
    Ok(count)
}

/// Error bounds of approximate functions: the reference has 2^-21 relative for rcp and rsq and 0.0008 absolute for
/// sincos ([hs50.value.tolerance]); llvmpipe's exp and log are less accurate.
const RELATIVE: f32 = 1.0 / 4096.0;
const ABSOLUTE: f32 = 0.001;

/// Compares two values. All NaNs are equal, and zeros are equal regardless of sign ([hs50.value.denormals]). If the
/// interpreter flushes a denormal to zero, the driver may keep it, which OpenGL doesn't define; a value that the
/// interpreter keeps, the driver must keep too.
fn same(driver: u32, interpreter: u32, inexact: bool) -> bool {
    let (a, b) = (f32::from_bits(driver), f32::from_bits(interpreter));
    let zero = |bits: u32| bits & 0x7fff_ffff == 0;
    let tiny = |bits: u32| bits & 0x7f80_0000 == 0;
    let near = || (a - b).abs() <= ABSOLUTE + RELATIVE * b.abs();
    driver == interpreter
        || a.is_nan() && b.is_nan()
        || tiny(driver) && zero(interpreter)
        || inexact && near()
}
