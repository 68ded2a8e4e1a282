//! Random hull shaders: the driver against the interpreter.

use std::fmt;

use agal_generate::Random;
use agal_generate::hull::generate;
use hs50::check::{Options, ValidHull, check};
use hs50::glsl::Target;
use hs50::text::assemble;

use super::context::{Patch, TessellationError};
use super::mutations::{Mutation, Place};
use super::{Bound, Difference, TessellationContext, compare, interpret, meets_infinity};

/// Patches that each program runs on.
const PATCHES: usize = 4;
/// Values among a patch's words that programs must take as well. No denormals and no NaN: drivers need not flush the
/// ones, and may turn comparisons of the others about, which changes integers that follow from them.
const SPECIAL: [u32; 6] = [
    0x7f80_0000,
    0xff80_0000,
    0x8000_0000,
    0,
    0x7f7f_ffff,
    0x0080_0000,
];

/// A run of random programs.
#[derive(Debug)]
pub struct Campaign {
    context: TessellationContext,
}

/// A program on which driver and interpreter differ.
#[derive(Clone, Debug)]
pub struct Found {
    /// The seed that it comes from.
    pub seed: u64,
    /// Its listing.
    pub text: String,
    /// What differs.
    pub reason: String,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = self.reason.replace('\n', " ");
        write!(f, "// seed {}: {reason}\n{}", self.seed, self.text)
    }
}

/// Random patches for a shader: small numbers, and some special ones.
fn random_patches(hull: &ValidHull, random: &mut Random, count: usize) -> Vec<Patch> {
    let mut word = || match random.below(12) {
        0 => SPECIAL.get(random.below(6) as usize).copied().unwrap_or(0),
        _ => super::bound::small(random.word()),
    };
    let mut register = || [word(), word(), word(), word()];
    let mut point = || {
        (0..hull.input_registers)
            .map(|_| register())
            .collect::<Vec<_>>()
    };
    (0..count)
        .map(|_| (0..hull.input_points).map(|_| point()).collect())
        .collect()
}

/// What a run takes.
fn inputs(hull: &ValidHull, random: &mut Random) -> (Bound, Vec<Patch>) {
    let bound = Bound::random(hull, &mut || random.word());
    let patches = random_patches(hull, random, PATCHES);
    (bound, patches)
}

/// A listing as a shader that breaks no rule.
pub(super) fn valid(text: &str) -> Result<ValidHull, String> {
    let shader = assemble(text).map_err(|errors| errors.to_string())?;
    let report = check(&shader, Options::default()).map_err(|error| error.to_string())?;
    let valid = report.valid();
    valid.map_err(|report| format!("{:?}", report.findings))
}

impl Campaign {
    /// Opens the driver.
    ///
    /// # Errors
    /// [`TessellationError`].
    pub fn open(target: Target) -> Result<Campaign, TessellationError> {
        Ok(Campaign {
            context: TessellationContext::open(target)?,
        })
    }

    /// Does something wrong on the way to the driver from now on, to see that it is noticed.
    pub fn mutate(&mut self, mutation: Option<&'static Mutation>) {
        self.context.mutation = mutation;
    }

    /// The driver.
    pub fn context(&mut self) -> &mut TessellationContext {
        &mut self.context
    }

    /// The driver's name of itself.
    pub fn renderer(&self) -> &str {
        self.context.renderer()
    }

    /// Runs the program of a seed. How many components agree; `None` if some differ, but met infinities or NaN, or if the
    /// mutation does not reach the program.
    ///
    /// # Errors
    /// [`Found`].
    pub fn step(&mut self, seed: u64) -> Result<Option<u64>, Found> {
        let generated = generate(seed);
        let found = |reason: String| Found {
            seed,
            text: generated.text.clone(),
            reason,
        };
        let hull = valid(&generated.text).map_err(found)?;
        // A program that the mutation does not reach, or that it would make invalid, tells nothing.
        let mut changed = None;
        if let Some(mutation) = self.context.mutation {
            changed = mutation
                .apply(Place::Listing, &generated.text)
                .and_then(|text| valid(&text).ok());
            if changed.is_none() && !self.context.reaches(mutation, &hull) {
                return Ok(None);
            }
        }
        let rough = |control_point, register| {
            let rough = if control_point {
                generated.rough_output
            } else {
                generated.rough_constant
            };
            register == rough as usize && (!control_point || hull.control_point_phase().is_some())
        };
        let mut random = Random::new(seed);
        let reason =
            match self.check_as(&hull, changed.as_ref().unwrap_or(&hull), &mut random, rough) {
                Ok(count) => return Ok(Some(count)),
                Err(reason) => reason,
            };
        // The same inputs again.
        let mut random = Random::new(seed);
        let (bound, patches) = inputs(&hull, &mut random);
        match meets_infinity(&hull, &patches, &bound) {
            Ok(true) => Ok(None),
            _ => Err(found(reason)),
        }
    }

    /// Runs a shader on random patches, with something in every buffer, and compares. How many components agree.
    ///
    /// # Errors
    /// What differs, or why it can't be run.
    pub fn check(
        &mut self,
        hull: &ValidHull,
        random: &mut Random,
        rough: impl Fn(bool, usize) -> bool,
    ) -> Result<u64, String> {
        self.check_as(hull, hull, random, rough)
    }

    /// The same, where the driver runs another shader than the interpreter.
    fn check_as(
        &mut self,
        hull: &ValidHull,
        on_driver: &ValidHull,
        random: &mut Random,
        rough: impl Fn(bool, usize) -> bool,
    ) -> Result<u64, String> {
        let (bound, patches) = inputs(hull, random);
        let interpreter = interpret(hull, &patches, &bound).map_err(|error| error.to_string())?;
        let driver = self
            .context
            .capture(on_driver, &patches, &bound)
            .map_err(|error| error.to_string())?;
        compare(&driver, &interpreter, rough)
            .map_err(|difference: Difference| difference.to_string())
    }
}
