//! What a file prints in a player.

/// A line that a file printed, or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// A call raised an error: the call's line in the capture, the error's number and class.
    Error {
        /// The call's line in the capture.
        line: u64,
        /// `errorID`.
        number: u16,
        /// The class, without its package.
        class: String,
    },
    /// The end of a frame.
    Frame(u32),
    /// A picture: of a `present`, before it.
    Picture {
        /// The call's line in the capture.
        line: u64,
        /// Width and height in pixels.
        size: (u32, u32),
        /// FNV-1a over 32 bits a pixel, A, R, G, B from the highest bits.
        hash: u32,
        /// Sampled pixels, row by row: the middle of each eighth of the sides.
        pixels: Vec<u32>,
    },
    /// An event came, of this type.
    Event(String),
    /// A property of a context, and its value.
    Property(String, String),
    /// A context or an event did not come.
    Timeout,
    /// All calls were made.
    End,
}

/// The lines of a log, which may have other lines, and other text before ours on a line.
pub fn parse(log: &str) -> Vec<Line> {
    log.lines().filter_map(|line| parse_line(line.split_once("molehill ")?.1)).collect()
}

fn parse_line(line: &str) -> Option<Line> {
    let (kind, rest) = line.trim_end().split_once(' ').unwrap_or((line.trim_end(), ""));
    let mut words = rest.split(' ');
    let mut word = || words.next().filter(|word| !word.is_empty());
    Some(match kind {
        "call" => {
            let line = word()?.parse().ok()?;
            let ("error", number, class) = (word()?, word()?.parse().ok()?, word()?) else {
                return None;
            };
            Line::Error { line, number, class: class.rsplit("::").next()?.to_owned() }
        }
        "frame" => Line::Frame(word()?.parse().ok()?),
        "picture" => {
            let line = word()?.parse().ok()?;
            let (width, height) = word()?.split_once('x')?;
            let ("fnv1a", hash, "pixels") = (word()?, word()?.parse().ok()?, word()?) else {
                return None;
            };
            let pixels = words.map(|pixel| pixel.parse().ok()).collect::<Option<_>>()?;
            Line::Picture { line, size: (width.parse().ok()?, height.parse().ok()?), hash, pixels }
        }
        "event" => Line::Event(word()?.to_owned()),
        "property" => {
            let (name, value) = rest.split_once(' ')?;
            Line::Property(name.to_owned(), value.to_owned())
        }
        "timeout" => Line::Timeout,
        "end" => Line::End,
        _ => return None,
    })
}
