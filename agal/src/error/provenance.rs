//! Two columns of the error table: the witness of a row, and the stage that raises the error.

use std::fmt;

agal_core::table! {
    /// The witness of a row (the grades of [agal.error.3612] and its kin).
    pub enum Witness {
        /// Returns the name in the reference.
        name: &'static str as Display,
    }
    /// The recorded output of a real player, in a conformance test.
    PlayerTest "player-test";
    /// Message and class of a real player, in a public bug report.
    PlayerTrace "player-trace";
    /// The ActionScript reference lists class and condition.
    Documented "documented";
    /// Only number and message are published: class and trigger are inferred.
    MessageOnly "message-only";
}

/// The stage that raises an error; the first stage, if several raise it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RaisedBy {
    /// [`Program::decode`](crate::Program::decode): the form of the bytes.
    Decode,
    /// [`validate`](crate::validate): a single program.
    Validate,
    /// [`link`](crate::link): the programs of a pair together.
    Link,
    /// Raised outside of this crate, by the code that counts the native code of a linked pair, for a profile that [has
    /// native limits](crate::Profile::has_native_limits); see [`ErrorKind::native`](super::ErrorKind::native).
    Native,
    /// Raised outside of this crate, by the host when a driver compiles the emitted shaders.
    Host,
    /// No code raises the error, for this reason.
    Never(&'static str),
}

impl RaisedBy {
    /// Returns a word: `decode`, `validate`, `link`, `native`, `host` or `never`.
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
    /// Returns the reason for which no code raises the error.
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
    /// Writes the word and the reason: `never: no player runs ted (3621)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self.reason() {
            Some(reason) => write!(f, ": {reason}"),
            None => Ok(()),
        }
    }
}
