//! Compares the JPEG-XR decoder with jxrlib, the C library that is the format's reference implementation.
//!
//! ```text
//! corpus [COUNT [SEED]]   COUNT (default 1000) files that the C encoder makes of random pictures with random settings:
//!                         every pixel format, size, overlap, quantiser, chroma sampling, alpha, tiling and order of
//!                         ATF's JPEG-XR and more; `case.rs` lists what is left out
//! captures DIR            every JPEG-XR part of the ATF data in the captures below DIR
//! speed [DIR]             throughput of both decoders on typical pictures, and on the parts of the captures below DIR
//! fixtures DIR            writes the files that the decoder's own tests use (`tests/jxr/fixtures`)
//! ```
//!
//! `corpus` and `captures` compare every sample, and print the number of compared files and of each feature. The exit
//! status is 1 if a sample differs or a large corpus lacks a feature; files that differ are kept as `different-*`.
//! `speed` fails below half of the C library's speed.

mod captures;
mod case;
mod compare;
mod corpus;
mod fixtures;
#[path = "../../tests/jxr/pattern.rs"]
mod pattern;
mod picture;
mod random;
mod reference;
mod speed;

use std::path::Path;
use std::process::ExitCode;

/// Required speed, as a fraction of the C decoder's.
const FAST_ENOUGH: f64 = 0.5;

const USAGE: &str = "corpus [COUNT [SEED]] | captures DIR | speed [DIR] | fixtures DIR";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let good = match arguments.as_slice() {
        ["corpus", numbers @ ..] if numbers.len() <= 2 => {
            let numbers: Result<Vec<u64>, _> = numbers.iter().map(|n| n.parse()).collect();
            match numbers {
                Ok(n) => {
                    let at = |at: usize, or: u64| n.get(at).copied().unwrap_or(or);
                    Ok(corpus::run(at(0, 1000), at(1, 1)) == 0)
                }
                Err(error) => Err(std::io::Error::other(error)),
            }
        }
        ["captures", folder] => captures::run(Path::new(folder)),
        ["fixtures", folder] => fixtures::run(Path::new(folder)).map(|()| true),
        ["speed"] => speed::run(None).map(|ratio| ratio >= FAST_ENOUGH),
        ["speed", folder] => speed::run(Some(Path::new(folder))).map(|ratio| ratio >= FAST_ENOUGH),
        _ => Err(std::io::Error::other(USAGE)),
    };
    match good {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Keeps a file that failed.
fn keep(name: &str, file: &[u8]) {
    match std::fs::write(name, file) {
        Ok(()) => println!("  kept as {name}"),
        Err(error) => println!("  can't be kept as {name}: {error}"),
    }
}
