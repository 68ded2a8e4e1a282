//! Writes `molehill.h`.

use std::fs;
use std::path::Path;

use crate::write::functions;
use crate::{Made, folder};

/// The source files, in the order of their items in the header.
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
    "exchange",
    "stage3d",
    "recording",
    "shaders",
    "logging",
];

/// The first function of each section, and its title.
const SECTIONS: &[(&str, &str)] = &[
    ("last_error", "Errors"),
    ("device_from_loader", "Devices"),
    ("context_create", "Contexts"),
    ("context_configure_back_buffer", "The calls of Context3D and its objects"),
    ("call", "Calls by name, for the natives of a VM"),
    ("object_release", "Objects and their events"),
    ("context_front", "The picture, on the context's thread"),
    ("front_exchange_create", "The picture, on another thread"),
    ("stage3d_create", "Stage3Ds"),
    ("context_record", "Recordings"),
    ("agal_create", "AGAL without a context"),
    ("set_log", "The log, and versions"),
];

/// Inserts the titles in front of the comments of the functions.
fn with_sections(header: &str) -> Result<String, String> {
    let mut text = header.to_owned();
    for (function, title) in SECTIONS {
        let at = text.find(&format!(" molehill_{function}(")).ok_or(*function)?;
        let at = text[..at].rfind("\n\n").ok_or(*function)? + 2;
        text.insert_str(at, &format!("/* {title} */\n\n"));
    }
    Ok(text)
}

/// Returns the handles as structs, because cbindgen doesn't expand the macro that defines them.
fn handles() -> String {
    let (_, rows) = include_str!("../../src/handles.rs").rsplit_once("handles! {").unwrap();
    rows.replace(";\n", " {\n/// 0 is null.\npub id: u64 }\n")
        .replace("    Molehill", "#[repr(C)] pub struct Molehill")
        .replace("\n}\n", "\n")
}

/// Generates the header with cbindgen, from the sources and `cbindgen.toml`.
pub(crate) fn header() -> Made {
    let mut config = cbindgen::Config::from_file(folder().join("cbindgen.toml"))?;
    let version = env!("CARGO_PKG_VERSION");
    let macros = config.after_includes.unwrap_or_default().replace("@VERSION@", version);
    let numbers = ["@MAJOR@", "@MINOR@", "@PATCH@"].into_iter().zip(version.split('.'));
    config.after_includes = Some(numbers.fold(macros, |text, (name, it)| text.replace(name, it)));
    config.trailer = Some(crate::methods::macros());
    let mut builder = cbindgen::Builder::new().with_config(config);
    let expanded = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for source in SOURCES {
        let file = Path::new(source).with_extension("rs");
        // cbindgen doesn't expand macros.
        let made = match *source {
            "calls" => Some(functions()),
            "handles" => Some(handles()),
            _ => None,
        };
        builder = builder.with_src(match made {
            Some(made) => {
                let path = expanded.join(file);
                fs::write(&path, made)?;
                path
            }
            None => folder().join("src").join(file),
        });
    }
    let mut text = Vec::new();
    builder.generate()?.write(&mut text);
    Ok(with_sections(&String::from_utf8(text)?)?)
}
