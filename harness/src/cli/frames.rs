//! The option `--frames`.

use std::ops::RangeInclusive;

/// OperandSlot frames.
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
    /// Reads the option's value.
    ///
    /// # Errors
    /// What is none, as a message.
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
                .ok_or_else(|| format!("{text:?} is no frame number"))
        };
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let range = number(first)?..=number(last)?;
            if range.is_empty() {
                Err(format!("{part:?} counts backwards"))
            } else {
                Ok(range)
            }
        };
        text.split(',')
            .map(range)
            .collect::<Result<_, _>>()
            .map(Frames::Some)
    }

    /// A frame is among them, whether or not it is the last.
    pub(super) fn contains(&self, frame: u32) -> bool {
        match self {
            Frames::All => true,
            Frames::Last => false,
            Frames::Some(ranges) => ranges.iter().any(|range| range.contains(&frame)),
        }
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
        assert_eq!(
            some,
            Frames::Some(vec![0..=0, 5..=5, 10..=20, u32::MAX..=u32::MAX])
        );
        let among: Vec<u32> = (0..30).filter(|frame| some.contains(*frame)).collect();
        assert_eq!(among, [0, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
        assert!(Frames::All.contains(7) && !Frames::Last.contains(7));
        for text in [
            "",
            "first",
            "1,",
            "-1",
            "1-",
            "+1",
            "4294967296",
            "5-3",
            "1 2",
            "1--2",
            "All",
        ] {
            assert!(Frames::parse(text).is_err(), "{text:?}");
        }
    }
}
