//! Checks that all facts that files of the repository cite exist in the reference.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use molehill_conform::cases;
use molehill_conform::facts::{UNTESTED, all, cited, find};

use crate::{none, root};

/// The names of pages that the reference has replaced, which files may no longer cite.
const OLD_PAGES: [&str; 12] = [
    "agal",
    "agal-adobe-2012",
    "agal-assembly",
    "agal-errors",
    "context3d",
    "context3d-errors",
    "context3d-witnesses",
    "profiles",
    "textures-and-atf",
    "d3d9-shaders",
    "hs-5-0",
    "driver-notes",
];
/// Names of folders that builds and runs create, which aren't checked.
const MADE: [&str; 5] = [".git", "target", "out", "frames", "node_modules"];
/// Maximum size of checked files in bytes; larger files are captures.
const LARGEST: u64 = 1 << 20;

/// Returns the text files below a folder: their paths in the repository, and their content.
fn files(folder: &Path, name: &str, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let file = entry.file_name().into_string().unwrap();
        let path = format!("{name}{file}");
        if entry.file_type().unwrap().is_dir() {
            if !MADE.contains(&file.as_str()) {
                files(&entry.path(), &format!("{path}/"), found);
            }
        } else if entry.metadata().unwrap().len() <= LARGEST
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            found.push((path, text));
        }
    }
}

/// Returns every text file of the repository except those of this test.
fn repository() -> Vec<(String, String)> {
    let mut found = Vec::new();
    files(&root(), "", &mut found);
    found.retain(|(path, _)| !path.starts_with("harness/conform/tests/reference/"));
    assert!(found.len() > 500, "{}", found.len());
    found
}

#[test]
fn citations_resolve() {
    let (mut dangling, mut resolved) = (Vec::new(), 0);
    for (path, text) in repository() {
        for (line, number) in text.lines().zip(1..) {
            for id in cited(line) {
                match find(id) {
                    Some(_) => resolved += 1,
                    None => dangling.push(format!("{path}:{number}: [{id}] is no fact")),
                }
            }
        }
    }
    println!("{resolved} citations resolve");
    none(&dangling);
}

#[test]
fn only_the_reference_is_cited() {
    let mut old = Vec::new();
    for (path, text) in repository() {
        for (line, number) in text.lines().zip(1..) {
            // Take the page's name without its extension. A path with a folder never equals an entry of `OLD_PAGES`.
            let names = line.split(".md").map(|before| {
                let other = |c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '/';
                before.rsplit(other).next().unwrap_or_default()
            });
            let count = line.matches(".md").count();
            let page = names.take(count).find(|name| OLD_PAGES.contains(name));
            old.extend(page.map(|page| format!("{path}:{number}: {page}")));
        }
    }
    none(&old);
}

/// Returns the parts of a source file that contain tests or test cases.
fn tests(path: &str, text: &str) -> String {
    let cases =
        ["harness/conform/src/cases/", "harness/conform/scripts/", "harness/conform/expected/"];
    if path.contains("/tests/") || cases.iter().any(|folder| path.starts_with(folder)) {
        return text.to_owned();
    }
    let module = path.ends_with(".rs").then(|| text.split_once("#[cfg(test)]"));
    module.flatten().map_or(String::new(), |(_, module)| module.to_owned())
}

#[test]
fn every_fact_is_shown() {
    let mut shown: HashSet<String> = HashSet::new();
    for (path, text) in repository() {
        shown.extend(cited(&tests(&path, &text)).map(str::to_owned));
    }
    let of_cases: HashSet<String> = cases::all()
        .iter()
        .flat_map(|case| cited(&case.source).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    println!(
        "{} facts have tests or cases, {} have cases",
        shown.union(&of_cases).count(),
        of_cases.len()
    );
    let untold = all().iter().filter(|fact| {
        !shown.contains(&fact.id) && !of_cases.contains(&fact.id) && fact.field(UNTESTED).is_none()
    });
    let complaint = |fact: &molehill_conform::facts::Fact| {
        let (page, line, id) = (fact.page, fact.line, &fact.id);
        format!("{page}:{line}: {id} is cited by no test or case, and does not say why")
    };
    none(&untold.map(complaint).collect::<Vec<_>>());
}
