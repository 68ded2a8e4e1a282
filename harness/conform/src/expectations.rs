//! Cases that are expected to fail, with reasons.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use super::device::{Device, Shaders};
use super::glob;
use crate::cases::CAPTURES;

/// One known failure, or several similar ones. It applies when the device is tested, and when it is the oracle.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Entry {
    /// Patterns of the cases.
    cases: Patterns,
    /// The backend, tested or used as oracle; any if `None`.
    backend: Option<String>,
    /// The path from AGAL to GLSL; any if `None`.
    shaders: Option<String>,
    /// A substring of the driver's name.
    #[serde(default)]
    driver: String,
    /// The reason.
    reason: String,
}

/// One pattern, or a list of them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Patterns {
    One(String),
    Several(Vec<String>),
}

impl Patterns {
    fn all(&self) -> &[String] {
        match self {
            Patterns::One(pattern) => std::slice::from_ref(pattern),
            Patterns::Several(patterns) => patterns,
        }
    }
}

/// The list of known failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectations {
    entries: Vec<Entry>,
    /// Captures by their folder names.
    captures: BTreeMap<String, String>,
}

/// Why a list is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectationsError(String);

impl fmt::Display for ExpectationsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "known failures: {}", self.0)
    }
}

impl std::error::Error for ExpectationsError {}

impl Expectations {
    /// The list in this repository.
    ///
    /// # Errors
    /// The built-in list is invalid.
    pub fn built_in() -> Result<Expectations, ExpectationsError> {
        Expectations::parse(include_str!("expectations.json"))
    }

    /// Reads a JSON list of objects: `cases`, a pattern or a list of them; `reason`; and optionally `backend`,
    /// `shaders` and `driver`, a substring of the driver's name. A JSON object maps names of captures to reasons.
    ///
    /// # Errors
    /// Other JSON, and entries without a reason.
    pub fn parse(text: &str) -> Result<Expectations, ExpectationsError> {
        let mut list = Expectations::default();
        let read = match text.trim_start().starts_with('{') {
            true => serde_json::from_str(text).map(|captures| list.captures = captures),
            false => serde_json::from_str(text).map(|entries| list.entries = entries),
        };
        read.map_err(|error| ExpectationsError(error.to_string()))?;
        for entry in &list.entries {
            if let Some(backend) = &entry.backend
                && Device::from_name(backend).is_none()
            {
                return Err(ExpectationsError(format!("{backend:?} is not a backend")));
            }
            if let Some(shaders) = &entry.shaders
                && Shaders::from_name(shaders).is_none()
            {
                return Err(ExpectationsError(format!("{shaders:?} are no shaders")));
            }
        }
        let of = |entry: &'_ Entry| match entry.cases.all() {
            [] => vec![String::new()],
            patterns => patterns.to_vec(),
        };
        let entries = list.entries.iter();
        let entries = entries.flat_map(|entry| of(entry).into_iter().map(|p| (p, &entry.reason)));
        for (cases, reason) in
            entries.chain(list.captures.iter().map(|(name, reason)| (name.clone(), reason)))
        {
            if cases.trim().is_empty() || reason.trim().is_empty() {
                let text = format!("an entry needs cases and a reason: {cases:?}: {reason:?}");
                return Err(ExpectationsError(text));
            }
        }
        Ok(list)
    }

    /// Why a case is known to fail.
    pub fn reason(
        &self,
        case: &str,
        device: Device,
        shaders: Shaders,
        driver: &str,
    ) -> Option<String> {
        let entry = self.entries.iter().find(|entry| {
            let backend = entry.backend.as_deref();
            let path = entry.shaders.as_deref();
            backend.is_none_or(|wanted| wanted == device.name())
                && path.is_none_or(|wanted| wanted == shaders.name())
                && driver.contains(&entry.driver)
                && entry.cases.all().iter().any(|cases| glob::matches(cases, case))
        });
        let capture = || match case.strip_prefix(CAPTURES) {
            Some(stem) => self.captures.iter().find(|(name, _)| name.replace('.', "_") == stem),
            None => self.captures.get_key_value(case),
        };
        let reason = entry.map(|entry| &entry.reason);
        reason.or_else(|| Some(capture()?.1)).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_hold_for_some_devices_and_drivers() {
        let text = r#"[{"cases":"a.*","reason":"r","backend":"gles","driver":"llvm"},{"cases":["x","b"],"reason":"s"},
            {"cases":"d","reason":"t","shaders":"d3d9"}]"#;
        let known = Expectations::parse(text).unwrap();
        let reason = |case, device, driver| known.reason(case, device, Shaders::Agal, driver);
        let translated = known.reason("d", Device::Gl, Shaders::D3d9, "");
        assert_eq!((translated.as_deref(), reason("d", Device::Gl, "")), (Some("t"), None));
        assert_eq!(reason("a.b", Device::Gles, "Mesa llvmpipe").as_deref(), Some("r"));
        assert_eq!(reason("a.b", Device::Gl, "Mesa llvmpipe"), None);
        assert_eq!(reason("a.b", Device::Gles, "softpipe"), None);
        assert_eq!(reason("b.c", Device::Gl, "").as_deref(), Some("s"));
        for wrong in [
            r#"[{"cases":"a"}]"#,
            r#"[{"cases":[],"reason":"r"}]"#,
            r#"[{"cases":["a", ""],"reason":"r"}]"#,
            r#"[{"cases":"a","reason":" "}]"#,
            r#"[{"cases":" ","reason":"r"}]"#,
            r#"[{"cases":"a","reason":"r","backend":"x"}]"#,
            r#"[{"cases":"a","reason":"r","shaders":"x"}]"#,
            "3",
        ] {
            assert!(Expectations::parse(wrong).is_err(), "{wrong}");
        }
        Expectations::built_in().unwrap();
    }

    #[test]
    fn an_object_lists_captures() {
        let known = Expectations::parse(r#"{"a.b":"needs ATF"}"#).unwrap();
        let reason = |case| known.reason(case, Device::Gl, Shaders::Agal, "");
        assert_eq!(reason("a.b").as_deref(), Some("needs ATF"));
        assert_eq!(reason("capture.a_b").as_deref(), Some("needs ATF"));
        assert_eq!((reason("b"), reason("a.b.c")), (None, None));
        for text in [r#"{"a":""}"#, r#"{"a":" "}"#, r#"{"a":1}"#, "{"] {
            assert!(Expectations::parse(text).is_err(), "{text}");
        }
    }
}
