//! `molehill hs50 draw`

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use serde_json::json;

use super::translate::{target, target_of};
use super::{input, patch};
use crate::cli::{Failure, Status, json_argument, output};
use molehill_replay::image::{Image, write_png};
use molehill_tessellation::{TessellationContext, interpret, picture};

pub(super) fn command() -> Command {
    Command::new("draw")
        .about("The patch as the driver tessellates it: wireframe and control points")
        .after_help(
            "Without a domain shader a place in the patch is a blend of the output control points: of 3 by the three \
             coordinates, of 2 along the line, of any other number as a grid of Bezier's. Their position is their first \
             register, or the input control points' where none goes out.",
        )
        .args(input::arguments())
        .arg(patch::argument())
        .arg(input::output("The picture, a PNG").required(true))
        .arg(
            Arg::new("size")
                .long("size")
                .value_name("PIXELS")
                .value_parser(value_parser!(u32).range(16..=4096))
                .default_value("512")
                .help("Width and height"),
        )
        .arg(target())
        .arg(json_argument())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let input = input::read(matches)?;
    let hull = input.hull()?;
    let given = patch::read(matches, &hull)?;
    let path = matches
        .get_one::<PathBuf>("output")
        .cloned()
        .unwrap_or_default();
    let failure = |reason: String| Failure(format!("{}: {reason}", input.name));
    let patches = [given.points];
    let outcomes =
        interpret(&hull, &patches, &given.bound).map_err(|error| failure(error.to_string()))?;
    let mut context = TessellationContext::open(target_of(matches))
        .map_err(|error| failure(error.to_string()))?;
    let vertices = context
        .tessellate(&hull, &patches, &given.bound)
        .map_err(|error| failure(error.to_string()))?;
    let captured = context
        .capture(&hull, &patches, &given.bound)
        .map_err(|error| failure(error.to_string()))?;
    let points = captured
        .first()
        .map(|captured| captured.control_points.clone())
        .unwrap_or_default();
    // Where nothing goes out there are still the points that came in.
    let points = match points.iter().any(|point| !point.is_empty()) {
        true => points,
        false => patches[0].clone(),
    };
    let size = matches.get_one::<u32>("size").copied().unwrap_or(512);
    let pixels = picture::draw(&hull, &points, &vertices, size);
    let image =
        Image::from_rgba(size, size, pixels).ok_or_else(|| failure("no picture".to_owned()))?;
    write_png(&path, &image).map_err(|error| Failure(format!("{}: {error}", path.display())))?;
    let tessellation = outcomes
        .first()
        .map(|outcome| format!("{:?}", outcome.tessellation))
        .unwrap_or_default();
    if matches.get_flag("json") {
        output::print_json(&json!({
            "file": input.name, "out": path.display().to_string(), "driver": context.renderer(),
            "vertices": vertices.len(), "control_points": points.len(), "tessellation": tessellation,
        }))?;
    } else {
        output::print(&format!(
            "{}: {} vertices by {}, {tessellation}\n",
            path.display(),
            vertices.len(),
            context.renderer()
        ))?;
    }
    Ok(Status::Success)
}
