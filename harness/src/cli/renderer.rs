//! The options that choose who draws.

use std::num::NonZeroUsize;

use backend_gl::offscreen::Api;
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, value_parser};

use super::output;
use crate::reference::Options;
use crate::renderer::{Renderer, Wish};

/// The options.
pub(super) fn arguments() -> [Arg; 3] {
    [
        Arg::new("backend")
            .long("backend")
            .value_name("WHICH")
            .default_value("auto")
            .value_parser(PossibleValuesParser::new(Wish::NAMES.map(|(_, name)| name)))
            .help("gl, reference (a renderer on the CPU), or auto: OpenGL if it can be opened, else reference"),
        Arg::new("threads")
            .long("threads")
            .value_name("N")
            .value_parser(value_parser!(NonZeroUsize))
            .help("Threads of the reference renderer [default: one a core]; its pictures don't depend on it"),
        Arg::new("gles")
            .long("gles")
            .action(ArgAction::SetTrue)
            .help("Render with OpenGL ES 3 instead of OpenGL"),
    ]
}

/// The renderer that they choose.
pub(super) fn chosen(matches: &ArgMatches) -> Renderer {
    let wish = matches
        .get_one::<String>("backend")
        .and_then(|name| Wish::from_name(name));
    let api = if matches.get_flag("gles") {
        Api::Gles
    } else {
        Api::OpenGl
    };
    let options = Options {
        threads: matches.get_one("threads").copied(),
        ..Options::default()
    };
    Renderer::choose(wish.unwrap_or_default(), api, options, output::tell)
}
