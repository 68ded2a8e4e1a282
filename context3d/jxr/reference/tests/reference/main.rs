//! Compares the JPEG-XR decoder with jxrlib, the C library that is the format's reference implementation: every sample
//! of these files must be equal
//! - `corpus`: files that the C encoder creates from random images with random settings: all pixel formats, sizes,
//!   overlaps, quantisers, chroma samplings, alpha, tilings and orders of ATF's JPEG-XR and more. `case.rs` lists the
//!   settings that the corpus omits. `JXR_CORPUS="COUNT SEED"` sets the file count (1000) and the seed (1). A large
//!   corpus must have every feature.
//! - `captures`: every JPEG-XR part of the ATF data in the shared captures.
//! - `fixtures`: the files that the decoder's own tests use (`tests/jxr/fixtures`); `UPDATE=1` writes them.
//!
//! Files that differ are kept as `different-*`. `speed`, which `--ignored` runs, fails below half of the C library's
//! speed.

mod captures;
mod case;
mod compare;
mod corpus;
mod fixtures;
#[path = "../../../tests/jxr/pattern.rs"]
mod pattern;
mod picture;
mod random;
mod speed;

use jxr_reference as reference;

/// Stores a file that led to a failure.
fn keep(name: &str, file: &[u8]) {
    match std::fs::write(name, file) {
        Ok(()) => println!("  kept as {name}"),
        Err(error) => println!("  can't be kept as {name}: {error}"),
    }
}
