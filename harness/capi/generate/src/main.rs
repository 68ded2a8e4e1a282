//! Generates files of `harness/capi`: `cargo run -p molehill-c-generate`. Its test checks that they are up to date.
//!
//! | file | from |
//! |---|---|
//! | `src/calls.rs`: the C functions for the calls of Stage3D | `context3d::call_table!` |
//! | `tests/replay/calls.rs`: a `Command` as a call of its function | the same |
//! | `examples/hostile_calls.h`: each function with the same hostile arguments | the same |
//! | `include/molehill.h` | the sources, by cbindgen |
//! | `examples/demo_programs.h`: AGAL of the demo as bytes | `harness/examples/demo/*.agal` |

mod header;
mod programs;
mod table;
mod write;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

type Made = Result<String, Box<dyn std::error::Error>>;

/// A file's path below `harness/capi`, and the function that generates its text.
type File = (&'static str, fn() -> Made);

/// The generated files. The header is last, because it is generated from `src/calls.rs`, the first, too.
const FILES: [File; 5] = [
    ("src/calls.rs", || Ok(write::functions())),
    ("tests/replay/calls.rs", || Ok(write::replay())),
    ("examples/hostile_calls.h", || Ok(write::hostile())),
    ("examples/demo_programs.h", programs::programs),
    ("include/molehill.h", header::header),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn main() -> ExitCode {
    for (path, make) in FILES {
        let written = make().and_then(|text| Ok(fs::write(folder().join(path), text)?));
        if let Err(error) = written {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::{FILES, folder};

    #[test]
    fn the_repository_holds_what_is_generated() {
        for (path, make) in FILES {
            let there = std::fs::read_to_string(folder().join(path)).unwrap_or_default();
            let same = there == make().unwrap();
            assert!(same, "{path} is old: cargo run -p molehill-c-generate");
        }
    }

    #[test]
    fn every_function_is_called_with_hostile_arguments() {
        let read = |path| std::fs::read_to_string(folder().join(path)).unwrap();
        let hostile = read("examples/hostile.c") + &read("examples/hostile_calls.h");
        let header = read("include/molehill.h");
        let functions = header.match_indices("molehill_").filter_map(|(at, _)| {
            let (name, _) = header[at..].split_once('(')?;
            let word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            word.then_some(name)
        });
        let functions: Vec<_> = functions.collect();
        assert!(functions.len() > 60, "{functions:?}");
        for name in functions {
            assert!(hostile.contains(&format!("{name}(")), "hostile.c leaves out {name}");
        }
    }
}
