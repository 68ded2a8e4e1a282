//! The corpus: files that the C encoder creates from a seed.

use crate::case::{Case, FEATURES};
use crate::compare::{Outcome, compare};
use crate::random::Random;

/// Minimum size of a corpus that must contain all features.
const MANY: u64 = 1000;

/// Decodes files with both decoders and counts their features.
#[test]
fn corpus() {
    let numbers = std::env::var("JXR_CORPUS").unwrap_or_default();
    let mut numbers = numbers.split(' ').filter(|part| !part.is_empty());
    let mut number = |or| numbers.next().map_or(or, |part| part.parse().expect("COUNT SEED"));
    let (count, seed) = (number(1000), number(1));
    let (mut bad, mut bytes) = (0, 0);
    let mut seen = [0u64; FEATURES.len()];
    for number in 0..count {
        let mut random = Random::new(seed, number);
        let case = Case::new(&mut random);
        match check(&case, &mut random) {
            Ok(decoded) => {
                bytes += decoded;
                for ((_, has), seen) in FEATURES.iter().zip(&mut seen) {
                    *seen += u64::from(has(&case));
                }
            }
            Err(Wrong { how, file }) => {
                println!("case {number} of seed {seed}: {how}: {case}");
                crate::keep(&format!("different-{seed}-{number}.jxr"), &file);
                bad += 1;
            }
        }
    }
    println!(
        "{} of {count} files of the C encoder (seed {seed}) decode bit for bit as in C: {bytes} bytes of samples",
        count - bad
    );
    for ((name, _), seen) in FEATURES.iter().zip(seen) {
        println!("{seen:>10} {name}");
        if seen == 0 && count >= MANY {
            println!("           is missing");
            bad += 1;
        }
    }
    assert_eq!(bad, 0);
}

/// A failed case, and its file if there is one.
struct Wrong {
    how: String,
    file: Vec<u8>,
}

/// Encodes and decodes a case; returns the bytes of its samples.
fn check(case: &Case, random: &mut Random) -> Result<usize, Wrong> {
    let (pixels, file) = case
        .encode(random)
        .map_err(|error| Wrong { how: format!("the C encoder gives {error}"), file: Vec::new() })?;
    match compare(&file) {
        Outcome::Same(decoded) if case.lossless() && decoded != pixels => {
            Err(Wrong { how: "a lossless picture isn't the original".to_owned(), file })
        }
        Outcome::Same(decoded) => Ok(decoded.len()),
        Outcome::Different(how) => Err(Wrong { how, file }),
    }
}
