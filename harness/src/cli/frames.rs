//! The option `--frames`.

use std::ops::RangeInclusive;

/// The requested frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Frames {
    /// `all`
    All,
    /// `last`
    Last,
    /// `0,5,10-20`
    Some(Vec<RangeInclusive<u32>>),
}

impl Frames {
    /// Parses the option's value.
    ///
    /// # Errors
    /// An invalid value, as a message.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        match text {
            "all" => return Ok(Frames::All),
            "last" => return Ok(Frames::Last),
            _ => {}
        }
        let number = |text: &str| {
            let number = Some(text).filter(|text| text.bytes().all(|digit| digit.is_ascii_digit()));
            number
                .and_then(|text| text.parse::<u32>().ok())
                .ok_or_else(|| format!("{text:?} is not a frame number"))
        };
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let range = number(first)?..=number(last)?;
            if range.is_empty() { Err(format!("{part:?} counts backwards")) } else { Ok(range) }
        };
        text.split(',').map(range).collect::<Result<_, _>>().map(Frames::Some)
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
    /// The last one.
    pub(super) last: Option<u32>,
    /// Ranges of a choice that contained a frame; a capture may skip numbers.
    met: Vec<bool>,
}

impl Ended {
    /// Records a frame.
    pub(super) fn add(&mut self, frame: u32, asked: Option<&Frames>) {
        if self.last.is_none() {
            self.first = frame;
        }
        self.last = Some(frame);
        if let Some(Frames::Some(ranges)) = asked {
            self.met.resize(ranges.len(), false);
            for (met, range) in self.met.iter_mut().zip(ranges) {
                *met |= range.contains(&frame);
            }
        }
    }

    /// The requested frames that the capture lacks, as a message.
    pub(super) fn lacks(&self, asked: &Frames) -> Option<String> {
        let Some(last) = self.last else {
            return (*asked != Frames::All).then(|| "the capture has no frames".to_owned());
        };
        let Frames::Some(ranges) = asked else {
            return None;
        };
        let missing = ranges.iter().enumerate().filter_map(|(part, range)| {
            let (first, end) = (*range.start(), *range.end());
            match self.met.get(part) {
                Some(true) if end > last => Some((last + 1, end)),
                Some(true) => None,
                _ => Some((first, end)),
            }
        });
        let text = |(first, end)| match first == end {
            true => format!("{first}"),
            false => format!("{first}-{end}"),
        };
        let missing: Vec<String> = missing.map(text).collect();
        (!missing.is_empty()).then(|| {
            let (missing, first) = (missing.join(", "), self.first);
            format!("no frame {missing}: the capture has frames {first} to {last}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_words_numbers_and_ranges() {
        assert_eq!(Frames::parse("all"), Ok(Frames::All));
        assert_eq!(Frames::parse("last"), Ok(Frames::Last));
        let some = Frames::parse("0,5,10-20,4294967295").unwrap();
        assert_eq!(some, Frames::Some(vec![0..=0, 5..=5, 10..=20, u32::MAX..=u32::MAX]));
        let among: Vec<u32> = (0..30).filter(|frame| some.contains(*frame)).collect();
        assert_eq!(among, [0, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
        assert!(Frames::All.contains(7) && !Frames::Last.contains(7));
        assert_eq!((some.end(), Frames::Last.end()), (Some(u32::MAX), None));
        for text in ["", "first", "1,", "-1", "1-", "+1", "4294967296", "5-3", "1 2", "1--2", "All"]
        {
            assert!(Frames::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn tells_what_is_not_there() {
        let lacks = |text: &str, frames: &[u32]| {
            let asked = Frames::parse(text).unwrap();
            let mut ended = Ended::default();
            frames.iter().for_each(|frame| ended.add(*frame, Some(&asked)));
            ended.lacks(&asked)
        };
        let frames: Vec<u32> = (0..48).collect();
        for (text, missing) in
            [("100", "100"), ("0,5,60", "60"), ("40-60", "48-60"), ("50,60", "50, 60")]
        {
            let message = format!("no frame {missing}: the capture has frames 0 to 47");
            assert_eq!(lacks(text, &frames), Some(message));
        }
        for text in ["all", "last", "0", "47", "0-47"] {
            assert_eq!(lacks(text, &frames), None, "{text}");
        }
        // Numbers may be skipped, and there may be no frames.
        assert_eq!(lacks("1-3", &[0, 2, 5]), None);
        let message = "no frame 3-4: the capture has frames 0 to 5";
        assert_eq!(lacks("3-4", &[0, 2, 5]).as_deref(), Some(message));
        assert_eq!(lacks("last", &[]).as_deref(), Some("the capture has no frames"));
        assert_eq!(lacks("all", &[]), None);
    }
}
