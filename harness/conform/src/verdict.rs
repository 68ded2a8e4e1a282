//! What came of a case.

use serde_json::{Map, Value, json};

/// One table of verdicts.
macro_rules! verdicts {
    ($($(#[$doc:meta])* $name:ident $text:literal fails $fails:literal;)+) => {
        /// What comes of a case.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Verdict {$($(#[$doc])* $name,)+}

        impl Verdict {
            /// Every verdict, the worst first.
            pub const ALL: &'static [Verdict] = &[$(Verdict::$name),+];

            /// A word for people and machines.
            pub fn name(self) -> &'static str {
                match self { $(Verdict::$name => $text),+ }
            }

            /// The run as a whole fails.
            pub fn fails(self) -> bool {
                match self { $(Verdict::$name => $fails),+ }
            }
        }
    };
}

verdicts! {
    /// The process that ran it died.
    Crash "crash" fails true;
    /// The process that ran it gave no answer in time and was ended.
    Timeout "timeout" fails true;
    /// Something is not as it should be.
    Fail "fail" fails true;
    /// It is listed as a known failure and passes: the list is out of date.
    UnexpectedPass "unexpected pass" fails true;
    /// It fails for a reason that is known.
    KnownFailure "known failure" fails false;
    /// The device lacks a feature, which the reasons name.
    NotSupported "not supported" fails false;
    /// Everything is as it should be.
    Pass "pass" fails false;
}

impl Verdict {
    /// The verdict of a word.
    pub fn from_name(name: &str) -> Option<Verdict> {
        let named = |verdict: &&Verdict| verdict.name() == name;
        Verdict::ALL.iter().find(named).copied()
    }
}

/// What a person looks at when a case is not a plain pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attachments {
    /// Named texts: calls, AGAL, GLSL, what a process said before it died.
    pub texts: Vec<(String, String)>,
    /// Named pictures, as PNG in base64.
    pub pictures: Vec<(String, String)>,
}

/// A line of the results.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The case's name.
    pub name: String,
    /// Program, scene, calls, capture.
    pub kind: String,
    /// The profile it ran in.
    pub profile: String,
    /// What came of it.
    pub verdict: Verdict,
    /// Why, where it is not a plain pass.
    pub reasons: Vec<String>,
    /// Wall time.
    pub seconds: f64,
    /// Of what was drawn; the same pictures give the same one.
    pub hash: Option<String>,
    /// For people.
    pub attachments: Attachments,
}

fn texts(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

fn pairs(value: Option<&Value>) -> Vec<(String, String)> {
    let items = value.and_then(Value::as_object).into_iter().flatten();
    let pair = |(key, value): (&String, &Value)| Some((key.clone(), value.as_str()?.to_owned()));
    items.filter_map(pair).collect()
}

fn object(pairs: &[(String, String)]) -> Value {
    let pairs = pairs.iter();
    Value::Object(
        pairs
            .map(|(key, value)| (key.clone(), Value::from(value.as_str())))
            .collect::<Map<_, _>>(),
    )
}

impl Outcome {
    /// The line as JSON. What is empty is left out.
    pub fn json(&self) -> Value {
        let mut line = json!({
            "name": self.name,
            "kind": self.kind,
            "profile": self.profile,
            "verdict": self.verdict.name(),
            // Microseconds are enough, and short.
            "seconds": (self.seconds * 1e6).round() / 1e6,
        });
        if let Some(object_) = line.as_object_mut() {
            if !self.reasons.is_empty() {
                object_.insert("reasons".to_owned(), json!(self.reasons));
            }
            if let Some(hash) = &self.hash {
                object_.insert("hash".to_owned(), json!(hash));
            }
            for (key, list) in [
                ("texts", &self.attachments.texts),
                ("pictures", &self.attachments.pictures),
            ] {
                if !list.is_empty() {
                    object_.insert(key.to_owned(), object(list));
                }
            }
        }
        line
    }

    /// Reads a line; `None` where it is none of a case.
    pub fn from_json(line: &Value) -> Option<Outcome> {
        let text = |key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Outcome {
            name: text("name")?,
            kind: text("kind")?,
            profile: text("profile")?,
            verdict: Verdict::from_name(&text("verdict")?)?,
            reasons: texts(line.get("reasons")),
            seconds: line.get("seconds").and_then(Value::as_f64)?,
            hash: text("hash"),
            attachments: Attachments {
                texts: pairs(line.get("texts")),
                pictures: pairs(line.get("pictures")),
            },
        })
    }

    /// First part of the name.
    pub fn area(&self) -> &str {
        self.name.split('.').next().unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() {
        for verdict in Verdict::ALL {
            let outcome = Outcome {
                name: "a.b".to_owned(),
                kind: "scene".to_owned(),
                profile: "baseline".to_owned(),
                verdict: *verdict,
                reasons: vec!["\"because\"\n".to_owned()],
                seconds: 0.125,
                hash: Some("0123".to_owned()),
                attachments: Attachments {
                    texts: vec![("calls".to_owned(), "clear()".to_owned())],
                    pictures: vec![("actual".to_owned(), "AAAA".to_owned())],
                },
            };
            let text = outcome.json().to_string();
            let line: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(Outcome::from_json(&line), Some(outcome));
        }
        assert_eq!(Outcome::from_json(&json!({"name": "a"})), None);
    }
}
