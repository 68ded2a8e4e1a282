//! Writes `molehill.h`.

use crate::{Made, folder};

/// The sources, in the order of their items in the header.
const SOURCES: &[&str] = &[
    "pointers",
    "handles",
    "failure",
    "status",
    "arguments",
    "device",
    "cache",
    "recovery",
    "context",
    "calls",
    "by_name",
    "objects",
    "present",
    "stage3d",
    "stage_frame",
    "recording",
    "markers",
    "logging",
];

/// Generates the header with cbindgen, from the sources and `cbindgen.toml`.
pub(crate) fn header() -> Made {
    let mut config = cbindgen::Config::from_file(folder().join("cbindgen.toml"))?;
    let version = env!("CARGO_PKG_VERSION");
    let macros = config.after_includes.unwrap_or_default().replace("@VERSION@", version);
    let numbers = ["@MAJOR@", "@MINOR@", "@PATCH@"].into_iter().zip(version.split('.'));
    config.after_includes = Some(numbers.fold(macros, |text, (name, it)| text.replace(name, it)));
    config.trailer = Some(crate::methods::macros());
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in SOURCES {
        builder = builder.with_src(folder().join("src").join(source).with_extension("rs"));
    }
    let mut text = Vec::new();
    builder.generate()?.write(&mut text);
    Ok(String::from_utf8(text)?)
}
