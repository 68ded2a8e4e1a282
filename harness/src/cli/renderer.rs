//! The options of the renderer.

use std::num::NonZeroUsize;

use backend_gl::offscreen::Api;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, value_parser};

use super::output;
use crate::renderer::{Renderer, RendererKind};
use molehill_reference::Options;

/// The options.
pub(super) fn arguments() -> [Arg; 5] {
    [
        Arg::new("backend")
            .long("backend")
            .value_name("WHICH")
            .default_value("auto")
            .value_parser(PossibleValuesParser::new(RendererKind::NAMES.map(|(_, name)| name)))
            .help("gl, reference (a renderer on the CPU), or auto: OpenGL if it can be opened, else reference"),
        Arg::new("threads")
            .long("threads")
            .value_name("N")
            .value_parser(value_parser!(NonZeroUsize))
            .help("Threads of the reference renderer [default: one per core]; the pictures don't depend on it"),
        Arg::new("samples")
            .long("samples")
            .value_name("N")
            .value_parser(value_parser!(u8).range(1..=16))
            .help("Samples per pixel of the reference renderer for any antialiasing [default: the requested number]"),
        Arg::new("gles")
            .long("gles")
            .action(ArgAction::SetTrue)
            .help("Render with OpenGL ES 3 instead of OpenGL"),
        Arg::new("no-blocks")
            .long("no-blocks")
            .action(ArgAction::SetTrue)
            .help("Decode the blocks of ATF textures, as for a driver without block formats"),
    ]
}

/// The selected kind of renderer.
pub(super) fn kind(matches: &ArgMatches) -> RendererKind {
    let name = matches.get_one::<String>("backend");
    let kind = name.and_then(|name| RendererKind::from_name(name));
    kind.unwrap_or_default()
}

/// The options of the reference renderer.
pub(super) fn options(matches: &ArgMatches) -> Options {
    Options {
        threads: matches.get_one("threads").copied(),
        blocks: !matches.get_flag("no-blocks"),
        samples: matches.get_one("samples").copied(),
        ..Options::default()
    }
}

/// The selected renderer.
pub(super) fn chosen(matches: &ArgMatches) -> Renderer {
    let api = if matches.get_flag("gles") {
        Api::Gles
    } else {
        Api::OpenGl
    };
    Renderer::new(kind(matches), api, options(matches), output::tell)
}
