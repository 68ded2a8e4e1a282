//! The option `--frames`.

use std::ops::RangeInclusive;

use molehill_analysis::range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Frames {
    All,
    Last,
    /// `0,5,10-20`
    Some(Vec<RangeInclusive<u32>>),
}

impl Frames {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        match text {
            "all" => return Ok(Frames::All),
            "last" => return Ok(Frames::Last),
            _ => {}
        }
        let part = |part| range(part).map(|(first, last)| first..=last);
        text.split(',').map(part).collect::<Result<_, _>>().map(Frames::Some)
    }

    /// Whether a frame is requested by number.
    pub(super) fn contains(&self, frame: u32) -> bool {
        match self {
            Frames::All => true,
            Frames::Last => false,
            Frames::Some(ranges) => ranges.iter().any(|range| range.contains(&frame)),
        }
    }

    /// The last requested frame, if all are requested by number.
    pub(super) fn end(&self) -> Option<u32> {
        match self {
            Frames::All | Frames::Last => None,
            Frames::Some(ranges) => ranges.iter().map(|range| *range.end()).max(),
        }
    }
}

/// The frames that a replay has finished.
#[derive(Clone, Debug, Default)]
pub(super) struct Ended {
    first: u32,
    pub(super) last: Option<u32>,
    /// Ranges of a choice that contained a frame; a capture may skip numbers.
    met: Vec<bool>,
}

impl Ended {
    pub(super) fn add(&mut self, frame: u32, requested: Option<&Frames>) {
        if self.last.is_none() {
            self.first = frame;
        }
        self.last = Some(frame);
        if let Some(Frames::Some(ranges)) = requested {
            self.met.resize(ranges.len(), false);
            for (met, range) in self.met.iter_mut().zip(ranges) {
                *met |= range.contains(&frame);
            }
        }
    }

    /// The requested frames that the capture lacks, as a message.
    pub(super) fn lacks(&self, requested: &Frames) -> Option<String> {
        let Some(last) = self.last else {
            return (*requested != Frames::All).then(|| "the capture has no frames".to_owned());
        };
        let Frames::Some(ranges) = requested else { return None };
        let missing = ranges.iter().enumerate().filter_map(|(part, range)| {
            let (first, end) = (*range.start(), *range.end());
            match self.met.get(part) {
                Some(true) if end > last => Some((last + 1, end)),
                Some(true) => None,
                _ => Some((first, end)),
            }
        });
        let text = |(first, end)| {
            if first == end { format!("{first}") } else { format!("{first}-{end}") }
        };
        let missing: Vec<String> = missing.map(text).collect();
        (!missing.is_empty()).then(|| {
            let (missing, first) = (missing.join(", "), self.first);
            format!("no frame {missing}: the capture has frames {first} to {last}")
        })
    }
}

#[cfg(test)]
#[path = "../../tests/unit/frames.rs"]
mod tests;
