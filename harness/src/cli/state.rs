//! `molehill state`

use std::fmt::Write;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use molehill_inspect::state::StateReport;

use super::inspect::{folder, open, picture, print};
use super::{Failure, Status, arguments, capture, output};

const AFTER_HELP: &str = "\
Examples:
  molehill state capture.s3d.jsonl --call 1200
  molehill state capture.s3d.jsonl --call 1200 -o state
      also the programs as AGAL and GLSL, and every level and face of the bound textures
  molehill state capture.s3d.jsonl --call 1200 -o state --obj
      also the mesh of the draw, before and after its vertex program

Shows what a draw or a clear uses; for other calls, what is bound after them. > marks differences from the previous draw of
the same context, - marks what the program doesn't read. It needs no OpenGL.";

pub(super) fn command() -> Command {
    Command::new("state")
        .about("Shows everything that is bound at a call")
        .after_help(AFTER_HELP)
        .arg(capture::argument())
        .arg(
            Arg::new("call")
                .long("call")
                .value_name("N")
                .required(true)
                .value_parser(value_parser!(usize))
                .help("The call's number, counted from 1"),
        )
        .arg(output::argument("DIR", "Folder for programs, textures and meshes"))
        .arg(
            Arg::new("obj")
                .long("obj")
                .requires("out")
                .action(ArgAction::SetTrue)
                .help("Also write the mesh as Wavefront OBJ"),
        )
        .arg(arguments::json())
}

pub(super) fn run(matches: &ArgMatches) -> Result<Status, Failure> {
    let call = matches.get_one::<usize>("call").copied().unwrap_or_default();
    let mut inspector = open(matches, None)?;
    let state = inspector.state(call)?;
    if let Some(out) = folder(matches)? {
        if let Some(program) = &state.program {
            let [vertex, fragment] = &program.agal;
            let [vertex_glsl, fragment_glsl] = &program.glsl;
            for (name, text) in [
                ("vertex.agal", vertex),
                ("fragment.agal", fragment),
                ("vertex.glsl", vertex_glsl),
                ("fragment.glsl", fragment_glsl),
            ] {
                output::write(&out.join(name), text)?;
            }
        }
        for texture in inspector.textures(call)? {
            let (slot, side, level) = (texture.slot, texture.side, texture.level);
            let name = format!("fs{slot}-side{side}-level{level:02}.png");
            picture(&out, &name, &texture.image)?;
        }
        if matches.get_flag("obj") {
            let mesh = inspector.mesh(call)?;
            output::write(&out.join("before.obj"), mesh.obj(false))?;
            output::write(&out.join("after.obj"), mesh.obj(true))?;
        }
    }
    print(matches, &state, text)
}

fn text(state: &StateReport) -> String {
    let mut text = format!("{}\n", state.text);
    // Writing to a String can't fail.
    let _ = match state.compared_with {
        Some(call) => writeln!(text, "compared with the draw of call {call}"),
        None => writeln!(text, "the first draw of its context"),
    };
    let mut area = "";
    for row in &state.rows {
        if row.area != area {
            let _ = writeln!(text, "\n{}", row.area);
            area = row.area;
        }
        let changed = row.before.is_some() && state.compared_with.is_some();
        let mark = match (changed, row.read) {
            (true, _) => '>',
            (false, false) => '-',
            (false, true) => ' ',
        };
        let _ = write!(text, "{mark} {:18} {}", row.name, row.value);
        if let (true, Some(before)) = (changed, &row.before) {
            let _ = write!(text, "   (was {before})");
        }
        text.push('\n');
    }
    if let Some(program) = &state.program {
        let [vertex, fragment] = &program.agal;
        let _ = write!(text, "\nvertex program\n{vertex}\nfragment program\n{fragment}");
    }
    text
}
