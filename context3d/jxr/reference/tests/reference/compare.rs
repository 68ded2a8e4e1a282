//! Decodes one file with both decoders.

use jpeg_xr::{JxrLimits, decode};

use crate::pattern::flat;
use crate::reference;

/// Limits that exceed the size of every test image.
pub(crate) const LIMITS: JxrLimits = JxrLimits { width: 1 << 14, height: 1 << 14 };

/// The result of a comparison.
pub(crate) enum Outcome {
    /// Both decoders returned these samples.
    Same(Vec<u8>),
    /// A description of the first difference.
    Different(String),
}

/// Decodes a valid file with both decoders.
pub(crate) fn compare(file: &[u8]) -> Outcome {
    let theirs = reference::size(file).and_then(|size| Ok((size, reference::decode(file, size)?)));
    let (ours, ([width, height, bytes], theirs)) = match (decode(file, &LIMITS), theirs) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (ours, theirs) => {
            let (ours, theirs) = (ours.err(), theirs.err());
            return Outcome::Different(format!("errors: ours {ours:?}, C's {theirs:?}"));
        }
    };
    let format = ours.format;
    let size = (ours.width, ours.height, format.bytes());
    if size != (width, height, bytes as usize) {
        let theirs = (width, height, bytes);
        return Outcome::Different(format!("sizes: ours {size:?}, C's {theirs:?}"));
    }
    let ours = flat(ours);
    match ours.iter().zip(&theirs).position(|(a, b)| a != b) {
        None if ours.len() == theirs.len() => Outcome::Same(ours),
        first => {
            let first = first.unwrap_or(0);
            let count = ours.iter().zip(&theirs).filter(|(a, b)| a != b).count();
            let pixel = first / format.bytes();
            let (x, y) = (pixel % width as usize, pixel / width as usize);
            Outcome::Different(format!(
                "{count} bytes of {} differ, first at {x},{y}: ours {}, C's {}",
                theirs.len(),
                ours[first],
                theirs[first]
            ))
        }
    }
}
