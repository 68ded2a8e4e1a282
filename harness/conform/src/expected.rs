//! What cases expect, apart from the tables under test: `expected/*.tsv`, written from the reference.

use std::collections::HashMap;
use std::sync::OnceLock;

use context3d::Profile;
use context3d::errors::ErrorClass;

const ERRORS: &str = include_str!("../expected/errors.tsv");
const LIMITS: &str = include_str!("../expected/limits.tsv");
const ENUMS: &str = include_str!("../expected/enums.tsv");

/// An error of Flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExpectedError {
    pub(crate) class: ErrorClass,
    pub(crate) raised: Raised,
    /// With placeholders `%1` to `%4`.
    pub(crate) message: &'static str,
}

/// When an error is raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Raised {
    Always,
    /// With error checking; without it, the draw is dropped.
    ElseSkipped,
    /// With error checking; without it, the draw is made.
    ElseDrawn,
}

/// The rows of a table by their first column, without comments.
fn rows(table: &'static str) -> HashMap<&'static str, Vec<&'static str>> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.filter_map(|line| {
        let (key, rest) = line.split_once('\t')?;
        Some((key, rest.split('\t').collect()))
    });
    rows.collect()
}

/// The error with this number; `None` if the table has no row, and then the case that needs it fails.
pub(crate) fn error(number: u16) -> Option<ExpectedError> {
    static ROWS: OnceLock<HashMap<u16, ExpectedError>> = OnceLock::new();
    let rows = ROWS.get_or_init(|| {
        let rows = rows(ERRORS).into_iter();
        rows.filter_map(|(number, row)| Some((number.parse().ok()?, parse(&row)?))).collect()
    });
    rows.get(&number).copied()
}

fn parse(row: &[&'static str]) -> Option<ExpectedError> {
    let [class, raised, message, _] = row else {
        return None;
    };
    let raised = match *raised {
        "always" => Raised::Always,
        "skipped" => Raised::ElseSkipped,
        "drawn" => Raised::ElseDrawn,
        _ => return None,
    };
    let class = class_named(class)?;
    Some(ExpectedError { class, raised, message })
}

/// The class of errors with this name.
pub(crate) fn class_named(name: &str) -> Option<ErrorClass> {
    use ErrorClass::{ArgumentError, Error, RangeError, TypeError};
    [Error, ArgumentError, RangeError, TypeError].into_iter().find(|class| class.name() == name)
}

/// A limit of a profile; 0 if the table has no row, which no case passes.
pub(crate) fn limit(name: &str, profile: Profile) -> u64 {
    static ROWS: OnceLock<HashMap<&str, Vec<&str>>> = OnceLock::new();
    let column = Profile::ALL.iter().position(|known| *known == profile).unwrap_or(usize::MAX);
    let row = ROWS.get_or_init(|| rows(LIMITS)).get(name);
    let value = row.and_then(|row| row.get(column)?.parse().ok());
    value.unwrap_or(0)
}

/// The strings of an enumeration.
pub(crate) fn names(enumeration: &str) -> impl Iterator<Item = &'static str> {
    static ROWS: OnceLock<HashMap<&str, Vec<&str>>> = OnceLock::new();
    let row = ROWS.get_or_init(|| rows(ENUMS)).get(enumeration);
    row.and_then(|row| row.first()).into_iter().flat_map(|names| names.split(' '))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    /// A file beside the repository; `None` where it is absent and not required.
    fn shared(name: &str) -> Option<String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
        let path: PathBuf = root.join(name);
        if !path.is_file() {
            let required = std::env::var_os("MOLEHILL_REQUIRE_SHARED").is_some();
            assert!(!required, "{} is required", path.display());
            println!("skipped: {} is absent", path.display());
            return None;
        }
        Some(fs::read_to_string(path).unwrap())
    }

    fn leak(text: String) -> &'static str {
        Box::leak(text.into_boxed_str())
    }

    /// Columns: number, domain, class, needs error checking, message, trigger, evidence.
    #[test]
    fn errors_are_those_of_the_reference() {
        let own = rows(ERRORS);
        assert!(own.len() > 170 && own.values().all(|row| parse(row).is_some()));
        let Some(text) = shared("reference/agal-errors.tsv") else {
            return;
        };
        let reference = rows(leak(text));
        for (number, row) in own {
            let [class, raised, message, source] = row.as_slice() else {
                panic!("{number}: {row:?}");
            };
            let [_, classes, checking, text, _, evidence] = reference[number].as_slice() else {
                panic!("{number}");
            };
            // 3615 has two classes, by the length of the program.
            assert!(classes.starts_with(class) || number == "3615", "{number}: {classes}");
            assert_eq!(message, text, "{number}");
            assert_eq!(*raised != "always", *checking == "yes", "{number}");
            let noted = source.ends_with(evidence) || source.contains("witnesses");
            assert!(noted, "{number}: {source}");
        }
    }

    #[test]
    fn limits_are_those_of_the_reference() {
        let own = rows(LIMITS);
        assert!(own.len() > 25);
        let Some(text) = shared("reference/profile-limits.tsv") else {
            return;
        };
        let reference = rows(leak(text));
        for (name, row) in own {
            let [values @ .., source] = row.as_slice() else {
                panic!("{name}");
            };
            for (at, value) in values.iter().enumerate() {
                let expected = reference[name][at].trim_end_matches('?');
                // The condition of the error, which the source column gives, is another.
                let corrected = name == "vertices_per_buffer" && source.ends_with("> 65536");
                assert!(*value == expected || corrected, "{name}: {value} {expected}");
            }
        }
    }

    /// `BGR_PACKED` is `bgrPacked565`: Flash lists names, the pages have the values.
    #[test]
    fn enumerations_are_those_of_the_player() {
        let Some(text) = shared("player-api/swf30.xml") else {
            return;
        };
        let pages = shared("reference/context3d.md").unwrap_or_default()
            + &shared("reference/textures-and-atf.md").unwrap_or_default();
        let own = rows(ENUMS);
        assert_eq!(own.len(), 13);
        for (name, row) in own {
            let flash = if name == "VertexFormat" { "VertexBufferFormat" } else { name };
            let class = format!("<type name=\"flash.display3D::Context3D{flash}\"");
            let names: Vec<&str> = row[0].split(' ').collect();
            let Some((_, class)) = text.split_once(&class) else {
                assert!(row[1] == "context3d.md" && names.iter().all(|n| pages.contains(n)));
                continue;
            };
            let body = class.split("</type>").next().unwrap();
            let constants = body.matches("<constant ").count();
            assert_eq!(constants, names.len(), "{name}");
            for member in names {
                let upper = member.to_uppercase();
                let known = body.split("<constant name=\"").skip(1).any(|constant| {
                    let constant = constant.split('"').next().unwrap().replace('_', "");
                    let plain = upper.replace('_', "");
                    plain == constant
                        || plain.strip_prefix(&constant) == Some("565")
                        || plain.strip_prefix(&constant) == Some("4444")
                });
                assert!(known, "{name}: {member}");
            }
        }
    }
}
