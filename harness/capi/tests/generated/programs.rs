//! Writes the demo's AGAL programs as C arrays.

use std::fmt::Write;

use crate::{Made, folder};

const PROGRAMS: [&str; 4] = ["backdrop", "floor", "knot", "sparks"];

/// Writes `examples/demo_programs.h`.
pub(crate) fn programs() -> Made {
    let mut text = "/* The demo's AGAL, assembled from harness/examples/demo. */\n\
        // Written by `UPDATE=1 cargo test -p molehill-c --test generated`.\n"
        .to_owned();
    for name in PROGRAMS {
        let source = folder().join("../examples/demo").join(name).with_extension("agal");
        let (vertex, fragment) = agal::asm::AssembleOptions::default()
            .pair(&std::fs::read_to_string(source)?)
            .map_err(|error| error.to_string())?;
        for (stage, program) in [("vertex", vertex), ("fragment", fragment)] {
            write!(text, "static const uint8_t {name}_{stage}[] = {{")?;
            for (at, byte) in program.encode().iter().enumerate() {
                let before = if at % 24 == 0 { "\n    " } else { "" };
                write!(text, "{before}{byte},")?;
            }
            text += "\n};\n";
        }
    }
    Ok(text)
}
