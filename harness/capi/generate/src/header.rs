//! Writes `molehill.h`.

use crate::{Made, folder};

/// In the order in which the header has what they hold.
const SOURCES: [&str; 10] = [
    "status",
    "arguments",
    "device",
    "context",
    "calls",
    "objects",
    "present",
    "stage3d",
    "recording",
    "logging",
];

/// By cbindgen, from the sources and `cbindgen.toml`.
pub(crate) fn header() -> Made {
    let config = cbindgen::Config::from_file(folder().join("cbindgen.toml"))?;
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in SOURCES {
        builder = builder.with_src(folder().join("src").join(source).with_extension("rs"));
    }
    let mut text = Vec::new();
    builder.generate()?.write(&mut text);
    Ok(String::from_utf8(text)?)
}
