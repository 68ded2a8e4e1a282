//! Two columns of the error table: the source that shows an error, and the function that raises it.

use std::fmt;

agal_core::table! {
    /// The type of source for an error's number, ActionScript class and message ([agal.error.3612] and similar facts).
    pub enum Witness {
        /// Returns the source's name in the reference.
        name: &'static str as Display,
    }
    /// A conformance test contains the recorded output of a real player.
    PlayerTest "player-test";
    /// A public bug report shows the message and class of an error that a real player raised.
    PlayerTrace "player-trace";
    /// The ActionScript reference lists the error's class and condition.
    Documented "documented";
    /// Only the error's number and message are published; class and condition are inferred.
    MessageOnly "message-only";
}

/// The first function that raises an error during `Program3D.upload`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RaisedBy {
    /// [`Program::decode`](crate::Program::decode), which checks the encoding of the bytes.
    Decode,
    /// [`validate`](crate::validate), which checks a single program.
    Validate,
    /// [`link`](crate::link), which checks the two programs of a pair together.
    Link,
    /// Code outside of this crate raises the error when it counts a linked pair's native instructions, if the profile
    /// [has native limits](crate::Profile::has_native_limits). See [`ErrorKind::native`](super::ErrorKind::native).
    Native,
    /// The host raises the error when a driver compiles the translated shaders.
    Host,
    /// No code raises the error; the text is the reason.
    Never(&'static str),
}

impl RaisedBy {
    /// Returns the function's name: `decode`, `validate`, `link`, `native`, `host` or `never`.
    pub fn name(self) -> &'static str {
        match self {
            RaisedBy::Decode => "decode",
            RaisedBy::Validate => "validate",
            RaisedBy::Link => "link",
            RaisedBy::Native => "native",
            RaisedBy::Host => "host",
            RaisedBy::Never(_) => "never",
        }
    }
    /// Returns the reason why no code raises the error.
    pub fn reason(self) -> Option<&'static str> {
        match self {
            RaisedBy::Never(reason) => Some(reason),
            _ => None,
        }
    }
    /// Returns whether this crate raises the error.
    pub fn is_this_crate(self) -> bool {
        !matches!(self, RaisedBy::Native | RaisedBy::Host | RaisedBy::Never(_))
    }
}

impl fmt::Display for RaisedBy {
    /// Writes the name and the reason: `never: no player runs ted (3621)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self.reason() {
            Some(reason) => write!(f, ": {reason}"),
            None => Ok(()),
        }
    }
}
