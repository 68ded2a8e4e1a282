//! `molehill draws`

use std::fmt::Write;
use std::path::Path;

use clap::{ArgMatches, Command};
use molehill_inspect::draws::{DrawPictures, DrawReport, FrameReport};
use molehill_inspect::warnings::Warning;
use molehill_inspect::{Capture, InspectError};

use super::inspect::{folder, frame, open, picture, print};
use super::{Failure, Status, arguments, capture, output};

const AFTER_HELP: &str = "\
Examples:
  molehill draws capture.s3d.jsonl --frame 3
  molehill draws capture.s3d.jsonl --frame 3 -o draws
      also pictures of each draw: its target before and after, what changed, depth, stencil and overdraw
  molehill draws capture.s3d.jsonl --frame 3 --json | jq '.passes[].draws[] | select(.changed == 0)'

A fragment is a pixel that a triangle covers: kept, or rejected by the scissor rectangle, the stencil or the depth test, by
kil, or because its face is culled. The reference renderer draws, so it needs no OpenGL.";

pub(super) fn command() -> Command {
    Command::new("draws")
        .about("Shows the passes and draws of a frame, their effects, and draws without effect")
        .after_help(AFTER_HELP)
        .arg(capture::argument())
        .arg(frame().required(true))
        .arg(output::argument("DIR", "Folder for pictures"))
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let frame = matches.get_one::<u32>("frame").copied().unwrap_or_default();
    let mut inspector = open(matches, Some(frame))?;
    let report = match folder(matches)? {
        None => inspector.draws(frame),
        Some(out) => inspector.draws_with_pictures(frame, &mut |draw, pictures| {
            let written = write(&out, draw, &pictures);
            written.map_err(|Failure(text)| InspectError::Unsupported(text))
        }),
    };
    print(matches, &report?, |report| text(inspector.capture(), report))
}

fn write(out: &Path, draw: &DrawReport, pictures: &DrawPictures) -> Result<(), Failure> {
    let call = draw.call;
    for (when, images) in [("before", &pictures.before), ("after", &pictures.after)] {
        for (output, image) in images.iter().enumerate() {
            let output = if output > 0 { format!("-{output}") } else { String::new() };
            picture(out, &format!("{call:06}-{when}{output}.png"), image)?;
        }
    }
    let changed = pictures.changed();
    for (what, image) in [
        ("changed", changed.as_ref()),
        ("depth", pictures.depth.as_ref()),
        ("stencil", pictures.stencil.as_ref()),
        ("overdraw", Some(&pictures.overdraw)),
    ] {
        if let Some(image) = image {
            picture(out, &format!("{call:06}-{what}.png"), image)?;
        }
    }
    Ok(())
}

fn text(capture: &Capture, report: &FrameReport) -> String {
    let mut text = String::new();
    if report.passes.is_empty() {
        let _ = writeln!(text, "nothing is drawn or cleared in frame {}", report.frame);
    }
    for pass in &report.passes {
        // Writing to a String can't fail.
        let (first, last) = pass.calls;
        let (number, context, targets) = (pass.pass, &pass.context, pass.targets.join(", "));
        let _ = writeln!(text, "pass {number}: {context}, {targets}, calls {first}-{last}");
        for draw in &pass.draws {
            let (call, program, triangles) = (draw.call, &draw.program, draw.triangles);
            let _ = write!(text, "{call:6}  {program}: {triangles} triangles");
            for (count, what) in [
                (draw.off_screen_triangles, "off-screen"),
                (draw.culled_triangles, "culled"),
                (draw.empty_triangles, "empty"),
            ] {
                if count > 0 {
                    let _ = write!(text, ", {count} {what}");
                }
            }
            let _ = write!(text, "; {} shaded, {} kept", draw.shaded, draw.kept);
            for (count, what) in draw.rejected().into_iter().filter(|(count, _)| *count > 0) {
                let _ = write!(text, ", {count} rejected by {what}");
            }
            let _ = write!(text, "; {} pixels changed", draw.changed);
            if let Some([left, top, right, bottom]) = draw.bounds {
                let (width, height) = (right - left, bottom - top);
                let _ = write!(text, " in ({left}, {top}, {width}×{height})");
            }
            text.push('\n');
        }
    }
    for Warning { call, text: what, .. } in &report.warnings {
        let name = capture.call(*call).map_or("", |(_, line)| line.call.name());
        let _ = writeln!(text, "{call:6}! {name} {what}");
    }
    text
}
