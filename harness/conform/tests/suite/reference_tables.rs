//! The tables of `expected` against the reference.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

const ERRORS: &str = include_str!("../../expected/errors.tsv");
const LIMITS: &str = include_str!("../../expected/limits.tsv");
const ENUMS: &str = include_str!("../../expected/enums.tsv");

/// The rows of a table by their first column, without comments.
fn rows(table: &'static str) -> HashMap<&'static str, Vec<&'static str>> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.filter_map(|line| {
        let (key, rest) = line.split_once('\t')?;
        Some((key, rest.split('\t').collect()))
    });
    rows.collect()
}

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
    assert!(own.len() > 170);
    for (number, row) in &own {
        let classes = ["Error", "ArgumentError", "RangeError", "TypeError"];
        let known = classes.contains(&row[0]) && ["always", "skipped", "drawn"].contains(&row[1]);
        assert!(known && row.len() == 4 && number.parse::<u16>().is_ok(), "{number}: {row:?}");
    }
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

/// `BGR_PACKED` is `bgrPacked565`: Flash lists names, the pages have the values
/// [context3d.recording.reflection].
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
            assert!(
                row[1] == "[context3d.enum.fill_mode]" && names.iter().all(|n| pages.contains(n))
            );
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
