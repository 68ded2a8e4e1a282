//! `molehill pixel`

use std::fmt::Write;

use clap::{Arg, ArgMatches, Command, value_parser};
use molehill_capture::objects::ObjectId;
use molehill_inspect::pixel::{Face, FragmentReport, PixelHistory, values_on};
use molehill_inspect::step::StepReport;
use molehill_inspect::{Capture, Number};
use serde_json::json;

use super::inspect::{frame, open, place, print};
use super::{Failure, Status, arguments, capture, renderer};
use crate::renderer::RendererKind;

const AFTER_HELP: &str = "\
Examples:
  molehill pixel capture.s3d.jsonl --frame 3 --at 120,80
      every clear and draw that touched the pixel, and why each fragment was kept or rejected
  molehill pixel capture.s3d.jsonl --frame 3 --at 120,80 --step 1200
      the fragment program of the draw in call 1200 on this pixel, token by token, and its triangle's vertices
  molehill pixel capture.s3d.jsonl --frame 3 --at 64,64 --texture 7
      the same for a pixel of texture#7, a render target; 7:2 is face 2 of a cube
  molehill pixel capture.s3d.jsonl --frame 3 --at 120,80 --backend gl
      also the driver's value of the pixel after each of them

--at counts pixels of the stage, or of the texture, from the top left. The history of a texture's pixel is that of the frame,
or of the last earlier frame that drew into the texture; --step of a draw into a texture takes a pixel of that texture. The
reference renderer draws, and the interpreter runs the programs; only --backend gl needs OpenGL.";

pub(super) fn command() -> Command {
    let number = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("N").value_parser(value_parser!(usize)).help(help)
    };
    Command::new("pixel")
        .about("Shows the history of a pixel, and steps the programs on it")
        .after_help(AFTER_HELP)
        .arg(capture::argument())
        .arg(frame().required(true))
        .arg(
            Arg::new("at")
                .long("at")
                .value_name("X,Y")
                .required(true)
                .value_parser(place)
                .help("The pixel of the stage, or of the texture"),
        )
        .arg(
            Arg::new("texture")
                .long("texture")
                .value_name("ID[:FACE]")
                .value_parser(face)
                .help("Show a pixel of this render target instead of the stage"),
        )
        .arg(number("step", "Step the program of the draw in this call"))
        .arg(
            number(
                "fragment",
                "Fragment of the draw at the pixel, counted from 0 [default: the last one kept]",
            )
            .requires("step"),
        )
        .args(renderer::arguments().map(|argument| match argument.get_id().as_str() {
            "backend" => argument.default_value("reference"),
            _ => argument,
        }))
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let frame = matches.get_one::<u32>("frame").copied().unwrap_or_default();
    let at = matches.get_one::<(u32, u32)>("at").copied().unwrap_or_default();
    let mut inspector = open(matches, Some(frame))?;
    if let Some(call) = matches.get_one::<usize>("step") {
        let fragment = matches.get_one::<usize>("fragment").copied();
        let steps = inspector.step(frame, at, *call, fragment)?;
        return print(matches, &steps, step_text);
    }
    let history = match matches.get_one::<Face>("texture") {
        Some(face) => inspector.texture_pixel(frame, *face, at)?,
        None => inspector.pixel(frame, at)?,
    };
    if renderer::kind(matches) != RendererKind::OpenGl {
        return print(matches, &history, |history| text(inspector.capture(), history, &[]));
    }
    let factory = renderer::chosen(matches).factory();
    let values = values_on(inspector.capture(), factory, &history)?;
    let answer = json!({ "history": history, "driver": values });
    print(matches, &answer, |_| text(inspector.capture(), &history, &values))
}

/// `7`, `texture#7`, or `7:2` with the face of a cube.
fn face(text: &str) -> Result<Face, String> {
    let expected = || format!("{text:?} is not a texture such as 7 or, with a face of a cube, 7:2");
    let (id, side) = text.split_once(':').unwrap_or((text, "0"));
    let id = id.rsplit_once('#').map_or(id, |(_, id)| id);
    match (id.parse(), side.parse()) {
        (Ok(id), Ok(side)) => Ok(Face { texture: ObjectId(id), side }),
        _ => Err(expected()),
    }
}

fn text(capture: &Capture, history: &PixelHistory, driver: &[[u8; 4]]) -> String {
    let (x, y) = history.at;
    let mut text = match (history.texture, &history.context) {
        (Some(face), _) => format!("pixel {x},{y} of {}\n", capture.face_title(face)),
        (None, None) => format!("pixel {x},{y}: the stage's colour\n"),
        (None, Some(context)) => {
            let ((px, py), presented) = (history.pixel, history.presented.unwrap_or_default());
            format!("pixel {x},{y}: {px},{py} of {context}, presented by call {presented}\n")
        }
    };
    if let (Some(face), []) = (history.texture, history.events.as_slice()) {
        let name = capture.name(face.texture);
        let _ = writeln!(text, "nothing has drawn into this pixel of {name} so far");
    }
    // Writing to a String can't fail.
    for (index, event) in history.events.iter().enumerate() {
        let _ = write!(text, "{:6}  {} ", event.call, event.name);
        if let Some(before) = event.before {
            let _ = write!(text, " {}", color(before));
        }
        let _ = write!(text, " -> {}", color(event.after));
        if let Some(value) = driver.get(index) {
            let mark = if *value == event.after { "" } else { " !" };
            let _ = write!(text, "   driver {}{mark}", color(*value));
        }
        text.push('\n');
        for fragment in &event.fragments {
            let _ = writeln!(text, "          {}", fragment_text(fragment));
        }
    }
    let word = match history.texture {
        Some(_) => "at the frame's end",
        None => "shown",
    };
    let _ = writeln!(text, "{word}: {}", color(history.shown));
    text
}

fn color([red, green, blue, alpha]: [u8; 4]) -> String {
    format!("{red},{green},{blue},{alpha}")
}

fn list(values: &[Number]) -> String {
    let values: Vec<String> = values.iter().map(Number::to_string).collect();
    values.join(", ")
}

fn fragment_text(fragment: &FragmentReport) -> String {
    let [a, b, c] = fragment.indices;
    let face = if fragment.front { "front" } else { "back" };
    let mut text = format!(
        "fragment {}: triangle {} ({a}, {b}, {c}), {face}: {}",
        fragment.fragment, fragment.triangle, fragment.outcome
    );
    // Writing to a String can't fail.
    if let (Some(depth), Some([(stored, stencil), (_, after)])) = (fragment.depth, fragment.stored)
    {
        let _ = write!(text, "; depth {depth:.6} over {stored:.6}, stencil {stencil} -> {after}");
    }
    for color in fragment.colors.iter().flatten() {
        let _ = write!(text, "; program {}", list(color));
    }
    text
}

fn step_text(report: &StepReport) -> String {
    let mut text = format!("call {}, {}\n", report.call, fragment_text(&report.fragment));
    // Writing to a String can't fail.
    for vertex in &report.vertices {
        let _ = writeln!(text, "vertex {}: op = {}", vertex.index, list(&vertex.position));
        for (name, value) in vertex.attributes.iter().chain(&vertex.varyings) {
            let _ = writeln!(text, "    {name} = {}", list(value));
        }
    }
    for (name, value) in &report.inputs {
        let _ = writeln!(text, "{name} = {}", list(value));
    }
    for step in &report.steps {
        let _ = writeln!(text, "{:4}  {}", step.token, step.text);
        if let Some(register) = &step.register {
            let idle = if step.active { "" } else { "   (not in this branch)" };
            let _ = writeln!(text, "        {register} = {}{idle}", list(&step.value));
        }
        if !step.alive {
            let _ = writeln!(text, "        discarded");
        }
    }
    text
}
