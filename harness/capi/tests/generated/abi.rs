//! Tests that the header contains the declarations of earlier headers, which `tests/abi` stores without comments.

use std::collections::BTreeMap;
use std::fs;

use crate::folder;

/// Returns the declarations of a header by name: the fields of structs, and other declarations as they are written.
fn declarations(header: &str) -> BTreeMap<String, Vec<String>> {
    let code = |line: &&str| !line.trim_start().starts_with(['#', '/', '*']);
    let code = header.lines().filter(code).collect::<Vec<_>>().join(" ");
    let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
    let code = code.replace("typedef struct", "; typedef struct").replace("extern \"C\" {", ";");
    let mut found = BTreeMap::new();
    let mut rest = code.as_str();
    while let Some((statement, after)) = rest.split_once(';') {
        rest = after;
        if let Some(first) = statement.trim().strip_prefix("typedef struct {") {
            let (more, after) = rest.split_once('}').unwrap();
            let (name, after) = after.split_once(';').unwrap();
            let fields = std::iter::once(first).chain(more.split(';'));
            let fields = fields.map(|field| field.trim().to_owned()).filter(|it| !it.is_empty());
            found.insert(name.trim().to_owned(), fields.collect());
            rest = after;
        } else if let Some((start, _)) = statement.split_once('(') {
            let name = start.rsplit([' ', '*']).next().unwrap_or_default();
            found.insert(name.to_owned(), vec![statement.trim().to_owned()]);
        }
    }
    for line in header.lines().filter(|line| line.starts_with("  MOLEHILL_")) {
        let (name, value) = line.trim().split_once(" = ").unwrap();
        found.insert(name.to_owned(), vec![value.to_owned()]);
    }
    found
}

/// Returns the declarations that differ in a later header, so that hosts must be recompiled.
fn changed(before: &str, now: &str) -> Vec<String> {
    let now = declarations(now);
    let broken = |(name, before): &(String, Vec<String>)| {
        let Some(now) = now.get(name) else { return true };
        let grows = before[0].ends_with(" struct_size") && now.len() > before.len();
        let common = if grows { now.get(..before.len()) } else { Some(now.as_slice()) };
        common != Some(before)
    };
    declarations(before).into_iter().filter(broken).map(|(name, _)| name).collect()
}

#[test]
fn programs_of_earlier_headers_run() {
    let now = fs::read_to_string(folder().join("include/molehill.h")).unwrap();
    let mut versions = 0;
    for version in fs::read_dir(folder().join("tests/abi")).unwrap() {
        let path = version.unwrap().path().join("molehill.h");
        if let Ok(before) = fs::read_to_string(&path) {
            versions += 1;
            assert!(declarations(&before).len() > 150, "{path:?}");
            assert_eq!(changed(&before, &now), [""; 0], "{path:?}: a new MOLEHILL_ABI_VERSION?");
        }
    }
    assert!(versions > 0);
}

#[test]
fn changes_of_the_interface_are_found() {
    let before = "typedef struct {\n size_t struct_size;\n int a;\n} S;\ntypedef struct {\n double x;\n} P;\nenum E {\n  MOLEHILL_A = 1,\n};\n\
        void molehill_f(S s,\n    int n);\n";
    assert_eq!(declarations(before).len(), 4);
    let after = |from: &str, to: &str| changed(before, &before.replace(from, to));
    assert_eq!(after("", ""), [""; 0]);
    assert_eq!(after(" int a;\n", " int a;\n int b;\n"), [""; 0]);
    assert_eq!(after(" int a;\n", " int b;\n int a;\n"), ["S"]);
    assert_eq!(after(" int a;\n", ""), ["S"]);
    assert_eq!(after("double x;\n", "double x;\n double y;\n"), ["P"]);
    assert_eq!(after("= 1", "= 2"), ["MOLEHILL_A"]);
    assert_eq!(after("int n", "long n"), ["molehill_f"]);
    assert_eq!(after("molehill_f", "molehill_g"), ["molehill_f"]);
}
