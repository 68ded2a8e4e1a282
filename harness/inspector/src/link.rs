//! Links: what to open and select, as a URL's `?capture=URL&compare=URL#frame=3&draw=12&at=100,80`.

/// What to open and select, from a URL or from the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// URL of the capture.
    pub capture: Option<String>,
    /// URL of a capture or picture to compare with.
    pub compare: Option<String>,
    /// The frame's number in the capture.
    pub frame: Option<u32>,
    /// A draw of the frame, counted from 1.
    pub draw: Option<usize>,
    /// The number of a call in the capture, counted from 1.
    pub call: Option<usize>,
    /// A pixel of the stage: x, y from the top left. With `step`, it is a pixel of the texture that the draw draws into,
    /// if it does.
    pub at: Option<(u32, u32)>,
    /// Whether to step the fragment program of the selected draw at that pixel.
    pub step: bool,
}

impl Link {
    /// Parses the part of a URL from `?` or `#` on. Ignores unknown keys.
    ///
    /// # Errors
    /// A message with the first invalid value and what was expected.
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
                "frame" => link.frame = Some(value.parse().map_err(|_| wrong("a frame's number"))?),
                "draw" => link.draw = Some(value.parse().map_err(|_| wrong("a draw's number"))?),
                "call" => link.call = Some(value.parse().map_err(|_| wrong("a call's number"))?),
                "at" => link.at = Some(pixel(&value).ok_or_else(|| wrong("a pixel as X,Y"))?),
                "step" => link.step = true,
                _ => {}
            }
        }
        Ok(link)
    }

    /// The URL fragment of the selection, with its `#`; empty if nothing is selected.
    pub fn fragment(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.frame.map(|frame| format!("frame={frame}")));
        parts.extend(self.draw.map(|draw| format!("draw={draw}")));
        parts.extend(self.call.map(|call| format!("call={call}")));
        parts.extend(self.at.map(|(x, y)| format!("at={x},{y}")));
        parts.extend(self.step.then(|| "step".to_owned()));
        match parts.is_empty() {
            true => String::new(),
            false => format!("#{}", parts.join("&")),
        }
    }
}

/// Parses `X,Y`.
pub fn pixel(text: &str) -> Option<(u32, u32)> {
    let (x, y) = text.split_once(',')?;
    Some((x.trim().parse().ok()?, y.trim().parse().ok()?))
}

/// Decodes escapes such as `%20`. `+` stays: in a path it is literal. Invalid escapes stay too.
fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let digits = (*first == b'%').then(|| tail.get(..2)).flatten();
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::Link;

    #[test]
    fn an_address_selects_and_is_written_as_it_was_read() {
        let address = "?capture=a%20b.s3d&compare=c.png#frame=3&draw=12&at=100,80&step";
        let link = Link::parse(address).expect("valid");
        assert_eq!(link.capture.as_deref(), Some("a b.s3d"));
        assert_eq!(link.compare.as_deref(), Some("c.png"));
        assert_eq!((link.frame, link.draw), (Some(3), Some(12)));
        assert_eq!(link.fragment(), "#frame=3&draw=12&at=100,80&step");
        assert_eq!(Link::default().fragment(), "");
    }

    #[test]
    fn a_wrong_value_is_named() {
        let error = Link::parse("#at=1").expect_err("no y");
        assert_eq!(error, "at=1: expected a pixel as X,Y");
        assert!(Link::parse("#frame=x").is_err());
        assert_eq!(Link::parse("?capture=%zz%").expect("kept").capture.as_deref(), Some("%zz%"));
    }
}
