//! Failures that are understood.

use std::fmt;

use serde_json::Value;

use super::device::Device;
use super::glob;

/// One failure, or several alike. It holds for a device that is put to the test, and also where that device is the oracle of
/// another one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// Which cases.
    pattern: String,
    /// On which device, put to the test or the oracle; any where there is none.
    device: Option<Device>,
    /// On drivers whose name of themselves has this in it.
    driver: String,
    /// Why.
    reason: String,
}

/// The list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expectations {
    entries: Vec<Entry>,
}

/// A list that makes no sense: says why.
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
    /// When the list itself is wrong.
    pub fn built_in() -> Result<Expectations, ExpectationsError> {
        Expectations::parse(include_str!("expectations.json"))
    }

    /// Reads a JSON list of objects: `cases`, a pattern; `reason`; and optionally `backend` and `driver`, a part of the
    /// driver's name of itself, that they hold for.
    ///
    /// # Errors
    /// Any other JSON, and entries without a reason.
    pub fn parse(text: &str) -> Result<Expectations, ExpectationsError> {
        let json: Value =
            serde_json::from_str(text).map_err(|error| ExpectationsError(error.to_string()))?;
        let list = json
            .as_array()
            .ok_or_else(|| ExpectationsError("not a list".to_owned()))?;
        let entries = list.iter().map(entry).collect::<Result<_, _>>()?;
        Ok(Expectations { entries })
    }

    /// Why a case is known to fail.
    pub fn reason(&self, case: &str, device: Device, driver: &str) -> Option<String> {
        let entry = self.entries.iter().find(|entry| {
            entry.device.is_none_or(|wanted| wanted == device)
                && driver.contains(&entry.driver)
                && glob::matches(&entry.pattern, case)
        });
        entry.map(|entry| entry.reason.clone())
    }
}

fn entry(json: &Value) -> Result<Entry, ExpectationsError> {
    let text = |key: &str| json.get(key).and_then(Value::as_str).map(str::trim);
    let needed = |key: &str| {
        let found = text(key).filter(|text| !text.is_empty());
        found.ok_or_else(|| ExpectationsError(format!("an entry without {key:?}: {json}")))
    };
    let device = match text("backend") {
        None => None,
        Some(name) => Some(
            Device::from_name(name)
                .ok_or_else(|| ExpectationsError(format!("there is no backend {name:?}")))?,
        ),
    };
    Ok(Entry {
        pattern: needed("cases")?.to_owned(),
        device,
        driver: text("driver").unwrap_or_default().to_owned(),
        reason: needed("reason")?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_hold_for_some_devices_and_drivers() {
        let text = r#"[{"cases":"a.*","reason":"r","backend":"gles","driver":"llvm"},{"cases":"b","reason":"s"}]"#;
        let known = Expectations::parse(text).unwrap();
        let reason = |case, device, driver| known.reason(case, device, driver);
        assert_eq!(
            reason("a.b", Device::Gles, "Mesa llvmpipe").as_deref(),
            Some("r")
        );
        assert_eq!(reason("a.b", Device::Gl, "Mesa llvmpipe"), None);
        assert_eq!(reason("a.b", Device::Gles, "softpipe"), None);
        assert_eq!(reason("b.c", Device::Gl, "").as_deref(), Some("s"));
        for wrong in [
            "{}",
            r#"[{"cases":"a"}]"#,
            r#"[{"cases":"a","reason":" "}]"#,
            r#"[{"cases":"a","reason":"r","backend":"x"}]"#,
        ] {
            assert!(Expectations::parse(wrong).is_err(), "{wrong}");
        }
        Expectations::built_in().unwrap();
    }
}
