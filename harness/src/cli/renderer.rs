//! The options of the renderer.

use std::num::NonZeroUsize;

use backend_gl::offscreen::{self, Api};
use backend_gl::workarounds::Workarounds;
use clap::{Arg, ArgAction, ArgMatches, value_parser};

use super::arguments::{choice, chosen as named, flag, option};
use super::output;
use crate::renderer::{Renderer, RendererKind};
use molehill_conform::device::{RendererOptions, Shaders};

/// The options.
pub(super) fn arguments() -> [Arg; 7] {
    [
        shaders_argument(),
        choice(
            "backend",
            "WHICH",
            RendererKind::NAMES.map(|(_, name)| name),
            "gl, reference (a renderer on the CPU), or auto: OpenGL if it can be opened, else reference",
        )
        .default_value("auto"),
        option(
            "threads",
            "N",
            "Threads of the reference renderer [default: one per core]; the pictures don't depend on it",
        )
        .value_parser(value_parser!(NonZeroUsize)),
        option(
            "samples",
            "N",
            "Samples per pixel of the reference renderer for any antialiasing [default: the requested number]",
        )
        .value_parser(value_parser!(u8).range(1..=16)),
        flag("gles", "Render with OpenGL ES 3 instead of OpenGL"),
        flag(
            "no-blocks",
            "Decode the blocks of ATF textures on the CPU, as if the driver supported none",
        ),
        workaround_argument(),
    ]
}

/// The option `--workaround`.
pub(super) fn workaround_argument() -> Arg {
    let help = "Force a workaround on or off; repeatable; an unknown name lists all";
    option("workaround", "NAME=on|off", help)
        .action(ArgAction::Append)
        .value_parser(|text: &str| text.parse::<Workarounds>())
}

/// The forced workarounds.
pub(super) fn workarounds(matches: &ArgMatches) -> Workarounds {
    let forced = matches.get_many::<Workarounds>("workaround").into_iter().flatten();
    forced.fold(Workarounds::default(), |forced, later| forced.with(*later))
}

/// The option `--shaders`.
pub(super) fn shaders_argument() -> Arg {
    let names = Shaders::NAMES.map(|(_, name)| name);
    let help = "Path from AGAL to GLSL: agal (direct) or d3d9 (through Direct3D 9 tokens)";
    choice("shaders", "WAY", names, help).default_value(Shaders::default().name())
}

/// The path from AGAL to GLSL that `--shaders` selects.
pub(super) fn shaders(matches: &ArgMatches) -> Shaders {
    named(matches, "shaders", Shaders::from_name).unwrap_or_default()
}

/// The kind of renderer that `--backend` selects.
pub(super) fn kind(matches: &ArgMatches) -> RendererKind {
    named(matches, "backend", RendererKind::from_name).unwrap_or_default()
}

/// The options of the renderer.
pub(super) fn options(matches: &ArgMatches) -> RendererOptions {
    RendererOptions {
        shaders: shaders(matches),
        workarounds: workarounds(matches),
        threads: matches.get_one("threads").copied(),
        samples: matches.get_one("samples").copied(),
        no_blocks: matches.get_flag("no-blocks"),
    }
}

/// The selected renderer.
pub(super) fn chosen(matches: &ArgMatches) -> Renderer {
    let api = if matches.get_flag("gles") { Api::Gles } else { Api::OpenGl };
    let mut gl = offscreen::Options::new(api);
    gl.exclusive = true;
    let options = options(matches);
    gl.device = options.gl();
    Renderer::new(kind(matches), gl, options.reference(), output::tell)
}
