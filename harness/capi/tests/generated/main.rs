//! Tests that the generated files of `harness/capi` are up to date; `UPDATE=1 cargo test -p molehill-c --test
//! generated` writes them.
//!
//! | file | from |
//! |---|---|
//! | `tests/replay/calls.rs`: an `Invocation` as a call of its function | `context3d::call_table!` |
//! | `examples/hostile_calls.h`: each function with the same hostile arguments | the same |
//! | `include/molehill_calls.hpp`: methods in C++ | the same |
//! | `include/molehill.h` | the sources, by cbindgen, and the tables |
//! | `python/molehill.py`: the binding for Python | the header, and the table for defaults |
//! | `examples/demo_programs.h`: AGAL of the demo as bytes | `harness/examples/demo/*.agal` |

mod abi;
mod cpp;
#[path = "../../../../context3d/examples/declarations.rs"]
#[allow(dead_code, reason = "its command line")]
mod declarations;
mod header;
mod methods;
mod programs;
mod python;
mod table;
mod write;

use std::fs;
use std::path::PathBuf;

type Made = Result<String, Box<dyn std::error::Error>>;

/// A file's path below `harness/capi`, and the function that generates its content.
type File = (&'static str, fn() -> Made);

/// The generated files.
const FILES: [File; 6] = [
    ("tests/replay/calls.rs", || Ok(write::replay())),
    ("examples/hostile_calls.h", || Ok(write::hostile())),
    ("examples/demo_programs.h", programs::programs),
    ("include/molehill_calls.hpp", || Ok(cpp::calls())),
    ("include/molehill.h", header::header),
    ("python/molehill.py", python::binding),
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_repository_holds_what_is_generated() {
    for (path, make) in FILES {
        let made = make().unwrap();
        if std::env::var_os("UPDATE").is_some() {
            fs::write(folder().join(path), &made).unwrap();
        }
        let same = fs::read_to_string(folder().join(path)).unwrap_or_default() == made;
        assert!(same, "{path} is old: UPDATE=1 cargo test -p molehill-c --test generated");
    }
}

#[test]
fn every_function_is_called_with_hostile_arguments() {
    let read = |path| fs::read_to_string(folder().join(path)).unwrap();
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
