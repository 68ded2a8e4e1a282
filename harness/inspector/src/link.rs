//! What to open, as an address says it: `?capture=URL&compare=URL#frame=3&draw=12&at=100,80`.

/// What to open and to select. A window's arguments say the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// The capture's address.
    pub capture: Option<String>,
    /// The address of a capture or a picture to compare it with.
    pub compare: Option<String>,
    /// The frame, by its number in the capture.
    pub frame: Option<u32>,
    /// A draw of the frame, counted from 1.
    pub draw: Option<usize>,
    /// A call, by its number in the capture.
    pub call: Option<usize>,
    /// A pixel of the stage.
    pub at: Option<(u32, u32)>,
    /// Whether the program of the pixel's last draw is stepped.
    pub step: bool,
}

impl Link {
    /// Reads the part of an address from `?` or `#` on. Keys that it doesn't know it leaves alone.
    ///
    /// # Errors
    /// What is wrong with a value.
    pub fn parse(address: &str) -> Result<Link, String> {
        let mut link = Link::default();
        let pairs = address
            .split(['?', '#', '&'])
            .filter(|part| !part.is_empty());
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

    /// The part of an address that selects, from `#` on; empty for nothing.
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

/// `X,Y`
pub fn pixel(text: &str) -> Option<(u32, u32)> {
    let (x, y) = text.split_once(',')?;
    Some((x.trim().parse().ok()?, y.trim().parse().ok()?))
}

/// Replaces `%20` and the like; `+` stays, as it stands for itself in a path.
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
        assert_eq!(
            Link::parse("?capture=%zz%")
                .expect("kept")
                .capture
                .as_deref(),
            Some("%zz%")
        );
    }
}
