//! `molehill hs50 draw` and `fuzz`: tessellation on the driver.

use std::convert::Infallible;
use std::path::PathBuf;

use serde_json::json;

use super::input::FileArguments;
use super::patch::PatchArgument;
use super::translate::TargetArgument;
use crate::cli::{Failure, FuzzArguments, FuzzRun, Status, output};
use molehill_conform::differential::Tally;
use molehill_replay::image::Image;
use molehill_testing::probe::hull::{HullFailure, TessellationContext, interpret, picture};

/// Draws the patch as tessellated by the driver: wireframe and control points
#[derive(clap::Args)]
pub(in crate::cli) struct Draw {
    #[command(flatten)]
    file: FileArguments,
    #[command(flatten)]
    patch: PatchArgument,
    /// PNG file to write
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Width and height of the picture
    #[arg(long, value_name = "PIXELS", default_value = "512", value_parser = clap::value_parser!(u32).range(16..=4096))]
    size: u32,
    #[command(flatten)]
    target: TargetArgument,
}

impl Draw {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let input = self.file.read()?;
        let hull = input.hull()?;
        let patch = self.patch.read(&hull)?;
        let (patches, bound) = ([patch.points], &patch.bound);
        let name = &input.name;
        let outcomes = interpret(&hull, &patches, bound).map_err(Failure::of(name))?;
        let context = TessellationContext::open(self.target.target);
        let mut context = context.map_err(Failure::of(name))?;
        let vertices = context.tessellate(&hull, &patches, bound).map_err(Failure::of(name))?;
        let captured = context.capture(&hull, &patches, bound).map_err(Failure::of(name))?;
        let points = captured.first().map(|captured| &captured.control_points);
        // Without control point outputs, the input control points are drawn.
        let points = points.filter(|points| points.iter().any(|point| !point.is_empty()));
        let points = points.unwrap_or(&patches[0]);
        let pixels = picture::draw(&hull, points, &vertices, self.size);
        let image = Image::from_rgba(self.size, self.size, pixels);
        output::write_picture(&self.out, &image.ok_or_else(|| Failure::of(name)("no picture"))?)?;
        let tessellation = outcomes.first().map(|outcome| format!("{:?}", outcome.tessellation));
        let tessellation = tessellation.unwrap_or_default();
        let (out, driver) = (self.out.display(), context.renderer());
        let answer = json!({
            "file": name, "out": out.to_string(), "driver": driver, "vertices": vertices.len(),
            "controlPoints": points.len(), "tessellation": tessellation,
        });
        self.file.output.print(&answer, || {
            format!("{out}: {} vertices by {driver}, {tessellation}\n", vertices.len())
        })
    }
}

/// Compares the driver with the interpreter on random hull shaders
#[derive(clap::Args)]
pub(in crate::cli) struct Fuzz {
    #[command(flatten)]
    fuzz: FuzzArguments,
    #[command(flatten)]
    target: TargetArgument,
}

impl Fuzz {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let (seed, target) = (self.fuzz.seed, self.target.target);
        let mut fuzzer = TessellationContext::open(target)?;
        let mut run = FuzzRun::<HullFailure>::new(self.fuzz, None)?;
        run.each(0.., |number| {
            let agreed = fuzzer.step(seed.wrapping_add(number));
            let agreed = agreed.map(|compared| Tally {
                programs: compared.is_some().into(),
                compared: compared.unwrap_or(0),
                undefined: compared.is_none().into(),
                missing: 0,
            });
            Ok::<_, Infallible>(agreed.map_err(Box::new))
        })?;
        run.finish(&format!("{}, GLSL {}", fuzzer.renderer(), target.name()))
    }
}
