//! `molehill hs50 draw`

use clap::{ArgMatches, Command, value_parser};
use serde_json::json;

use super::translate::{target, target_of};
use super::{input, patch};
use crate::cli::arguments::{self, option, path_of};
use crate::cli::{Failure, Status, output};
use backend_gl_probe::hull::{TessellationContext, interpret, picture};
use molehill_replay::image::{Image, write_png};

pub(super) fn command() -> Command {
    Command::new("draw")
        .about("Draws the patch as tessellated by the driver: wireframe and control points")
        .after_help(
            "There is no domain shader: the position of a vertex is computed from the output control points (three by\n\
             barycentric coordinates, two along the line, any other number as the grid of a Bezier surface). The position\n\
             of a control point is its first register. Without control point outputs, the input control points are used.",
        )
        .args(input::arguments())
        .arg(patch::argument())
        .arg(output::argument("FILE", "PNG file to write").required(true))
        .arg(
            option("size", "PIXELS", "Width and height of the picture")
                .value_parser(value_parser!(u32).range(16..=4096))
                .default_value("512"),
        )
        .arg(target())
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let input = input::read(matches)?;
    let hull = input.hull()?;
    let given = patch::read(matches, &hull)?;
    let path = path_of(matches, "out");
    let failure = |error: &dyn std::error::Error| Failure::of(&input.name)(error);
    let patches = [given.points];
    let outcomes = interpret(&hull, &patches, &given.bound).map_err(|error| failure(&error))?;
    let mut context =
        TessellationContext::open(target_of(matches)).map_err(|error| failure(&error))?;
    let vertices = context.tessellate(&hull, &patches, &given.bound);
    let vertices = vertices.map_err(|error| failure(&error))?;
    let captured = context.capture(&hull, &patches, &given.bound);
    let captured = captured.map_err(|error| failure(&error))?;
    let points =
        captured.first().map(|captured| captured.control_points.clone()).unwrap_or_default();
    // Without control point outputs, the input control points are drawn.
    let points = match points.iter().any(|point| !point.is_empty()) {
        true => points,
        false => patches[0].clone(),
    };
    let size = matches.get_one::<u32>("size").copied().unwrap_or(512);
    let pixels = picture::draw(&hull, &points, &vertices, size);
    let image = Image::from_rgba(size, size, pixels);
    let image = image.ok_or_else(|| Failure::of(&input.name)("no picture"))?;
    write_png(&path, &image).map_err(Failure::of(path.display()))?;
    let tessellation =
        outcomes.first().map(|outcome| format!("{:?}", outcome.tessellation)).unwrap_or_default();
    let (out, driver) = (path.display(), context.renderer());
    let json = || {
        json!({
            "file": input.name, "out": out.to_string(), "driver": driver,
            "vertices": vertices.len(), "controlPoints": points.len(), "tessellation": tessellation,
        })
    };
    let text = || format!("{out}: {} vertices by {driver}, {tessellation}\n", vertices.len());
    output::give(matches, json, text)?;
    Ok(Status::Success)
}
