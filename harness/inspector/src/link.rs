//! Links to a frame, draw or call of a capture, as a URL's `?capture=URL&compare=URL#frame=3&draw=12&at=100,80`.

use molehill_analysis::FrameSelection;

/// A capture to open, and a frame, draw or call to select, from a URL or the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    pub capture: Option<String>,
    pub compare: Option<String>,
    /// The frame to select, by its number in the capture, or the last frame.
    pub frame: Option<FrameSelection>,
    /// The 1-based index of a draw in the frame.
    pub draw: Option<usize>,
    /// The call to select, by its number from 1 in the capture, or the last call.
    pub call: Option<FrameSelection>,
    /// A pixel: x and y from the top left of the stage. With `step`, x and y are relative to the draw's render target,
    /// which may be a texture.
    pub at: Option<(u32, u32)>,
    /// True to debug the fragment program of the selected draw at the pixel.
    pub step: bool,
}

impl Link {
    /// Parses the part of a URL that begins with `?` or `#`. Ignores unknown keys.
    pub fn parse(address: &str) -> Result<Link, String> {
        let mut link = Link::default();
        let pairs = address.split(['?', '#', '&']).filter(|part| !part.is_empty());
        for pair in pairs {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decode(value);
            let wrong = |expected: &str| format!("{key}={value}: expected {expected}");
            match key {
                "capture" => link.capture = Some(value),
                "compare" => link.compare = Some(value),
                "frame" => link.frame = Some(single(&value).map_err(|error| wrong(&error))?),
                "draw" => link.draw = Some(value.parse().map_err(|_| wrong("a draw's number"))?),
                "call" => link.call = Some(single(&value).map_err(|error| wrong(&error))?),
                "at" => {
                    let pixel = molehill_capture::pair(&value, ',');
                    link.at = Some(pixel.ok_or_else(|| wrong("a pixel as X,Y"))?);
                }
                "step" => link.step = true,
                _ => {}
            }
        }
        Ok(link)
    }

    /// Returns whether the link selects a frame, draw, call or pixel.
    pub(crate) fn selects(&self) -> bool {
        let Link { capture: _, compare: _, frame, draw, call, at, step } = self;
        frame.is_some() || draw.is_some() || call.is_some() || at.is_some() || *step
    }

    /// Returns the URL fragment of the selection, including `#`. Returns an empty string if nothing is selected.
    pub fn fragment(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.frame.as_ref().map(|frame| format!("frame={frame}")));
        parts.extend(self.draw.map(|draw| format!("draw={draw}")));
        parts.extend(self.call.as_ref().map(|call| format!("call={call}")));
        parts.extend(self.at.map(|(x, y)| format!("at={x},{y}")));
        parts.extend(self.step.then(|| "step".to_owned()));
        if parts.is_empty() { String::new() } else { format!("#{}", parts.join("&")) }
    }
}

/// Parses the number of one frame or call, or `last`.
pub fn single(text: &str) -> Result<FrameSelection, String> {
    let selection =
        text.parse::<FrameSelection>().ok().filter(|selection| selection.single().is_ok());
    selection.ok_or_else(|| "one number, such as 3, or last".to_owned())
}

/// Returns a selection of one frame or call.
pub(crate) fn only(number: u32) -> FrameSelection {
    FrameSelection::Ranges(vec![number..=number])
}

/// Decodes escapes such as `%20`. Leaves invalid escapes and `+` unchanged, because `+` is literal in paths.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).filter(|_| *first == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = tail.get(if escaped.is_some() { 2 } else { 0 }..).unwrap_or_default();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
