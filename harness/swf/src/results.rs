//! Parses the output that a converted file prints when a player runs it.

use std::fmt;

/// A line of output that a converted file prints in a player.
#[derive(Clone, Debug, PartialEq)]
pub enum OutputLine {
    /// The start of a case.
    Case(String),
    /// An error that a call raised.
    Error {
        /// The call's line in the capture; 0 if no call of the capture raised the error.
        line: u64,
        /// The `errorID` of the ActionScript error.
        number: u16,
        /// The error's class without its package; empty for an unknown class.
        class: String,
    },
    /// The end of a frame.
    Frame(u32),
    /// An image: the back buffer before a `present`, or a bitmap.
    Picture {
        /// The call's line in the capture.
        line: u64,
        /// Width and height in pixels.
        size: (u32, u32),
        /// FNV-1a hash over 32 bits per pixel: A, R, G, B from the highest bits.
        hash: u32,
        /// Sampled pixels, row by row: the centres of a grid of 8 × 8 cells.
        pixels: Vec<u32>,
    },
    /// An event of this type was dispatched.
    Event(String),
    /// A property of a context, and its value.
    Property(String, String),
    /// A context or an event did not arrive in time.
    Timeout,
    /// The player aborted the calls of a frame.
    Aborted,
    /// The end of the output: all calls were made.
    End,
}

impl fmt::Display for OutputLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("molehill ")?;
        match self {
            OutputLine::Case(name) => write!(f, "case {name}"),
            OutputLine::Error { line, number, class } if class.is_empty() => {
                write!(f, "call {line} error {number}")
            }
            OutputLine::Error { line, number, class } => {
                write!(f, "call {line} error {number} {class}")
            }
            OutputLine::Frame(number) => write!(f, "frame {number}"),
            OutputLine::Picture { line, size: (width, height), hash, pixels } => {
                write!(f, "picture {line} {width}x{height} fnv1a {hash} pixels")?;
                pixels.iter().try_for_each(|pixel| write!(f, " {pixel}"))
            }
            OutputLine::Event(name) => write!(f, "event {name}"),
            OutputLine::Property(name, value) => write!(f, "property {name} {value}"),
            OutputLine::Aborted => f.write_str("aborted"),
            OutputLine::Timeout => f.write_str("timeout"),
            OutputLine::End => f.write_str("end"),
        }
    }
}

/// Parses a player's log. Ignores lines without output of the SWF file, and text before this output in a line.
pub fn parse(log: &str) -> Vec<OutputLine> {
    log.lines().filter_map(|line| parse_line(line.split_once("molehill ")?.1)).collect()
}

fn parse_line(line: &str) -> Option<OutputLine> {
    let (kind, rest) = line.trim_end().split_once(' ').unwrap_or((line.trim_end(), ""));
    let mut words = rest.split(' ');
    let mut word = || words.next().filter(|word| !word.is_empty());
    Some(match kind {
        "case" => OutputLine::Case(word()?.to_owned()),
        "call" => {
            let line = word()?.parse().ok()?;
            let ("error", number) = (word()?, word()?.parse().ok()?) else {
                return None;
            };
            let class = word().unwrap_or_default();
            OutputLine::Error { line, number, class: class.rsplit("::").next()?.to_owned() }
        }
        "frame" => OutputLine::Frame(word()?.parse().ok()?),
        "picture" => {
            let line = word()?.parse().ok()?;
            let size = molehill_capture::pair(word()?, 'x')?;
            let ("fnv1a", hash, "pixels") = (word()?, word()?.parse().ok()?, word()?) else {
                return None;
            };
            let pixels = words.map(|pixel| pixel.parse().ok()).collect::<Option<_>>()?;
            OutputLine::Picture { line, size, hash, pixels }
        }
        "event" => OutputLine::Event(word()?.to_owned()),
        "property" => {
            let (name, value) = rest.split_once(' ')?;
            OutputLine::Property(name.to_owned(), value.to_owned())
        }
        "aborted" => OutputLine::Aborted,
        "timeout" => OutputLine::Timeout,
        "end" => OutputLine::End,
        _ => return None,
    })
}
