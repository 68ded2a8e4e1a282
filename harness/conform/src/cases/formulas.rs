//! Pictures that are known without a renderer, by the option `picture` of a row.

use crate::drawing::{by_cell, byte, pick};
use molehill_replay::image::Image;

/// The picture of `blend:SOURCE:DESTINATION`, of colours by row over those by column, or of `mask:LETTERS`, where colours by
/// row replace channels of those by column.
pub(super) fn picture(words: &str) -> Option<Image> {
    match *words.split(':').collect::<Vec<_>>().as_slice() {
        ["blend", source, destination] => Some(blend(source, destination)),
        ["mask", letters] => {
            let mask = ['r', 'g', 'b', 'a'].map(|letter| letters.contains(letter));
            Some(by_cell(|column, row| {
                let [first, second] = [column, row + 3].map(|number| pick(number).map(byte));
                [0, 1, 2, 3].map(|n| if mask[n] { second[n] } else { first[n] })
            }))
        }
        _ => None,
    }
}

/// Flash's equation, each channel by itself: source * factor + destination * factor, within 0 to 1.
fn blend(source: &str, destination: &str) -> Image {
    by_cell(|column, row| {
        let (s, d) = (pick(row), pick(column));
        let factor = |name: &str, channel: usize| match name {
            "one" => 1.0,
            "sourceColor" => s[channel],
            "oneMinusSourceColor" => 1.0 - s[channel],
            "sourceAlpha" => s[3],
            "oneMinusSourceAlpha" => 1.0 - s[3],
            "destinationColor" => d[channel],
            "oneMinusDestinationColor" => 1.0 - d[channel],
            "destinationAlpha" => d[3],
            "oneMinusDestinationAlpha" => 1.0 - d[3],
            _ => 0.0,
        };
        [0, 1, 2, 3].map(|n| s[n] * factor(source, n) + d[n] * factor(destination, n)).map(byte)
    })
}
