//! Rules for the names of types: one name declares one type, and a name is a noun.

use std::collections::BTreeMap;

/// Names that are declared twice, with the reasons.
const TWICE: [(&str, &str); 7] = [
    ("FramebufferName", "the second declaration replaces the first in browsers"),
    ("FrontExchange", "the second declaration replaces the first in browsers"),
    ("HostFunctions", "the second declaration replaces the first in browsers"),
    ("HostGl", "the second declaration replaces the first in browsers"),
    ("PlatformContext", "the second declaration replaces the first in browsers"),
    ("TextureName", "the second declaration replaces the first in browsers"),
    ("VersionField", "each version of wgpu needs one of the declarations"),
];

/// Nouns that end like participles.
const NOUNS: [&str; 3] = ["Feed", "Seed", "Speed"];

/// Adverbs, adjectives and verb forms that don't say which thing a type is.
const BARE: [&str; 36] = [
    "Again",
    "Around",
    "Current",
    "Dirty",
    "Drawn",
    "Editing",
    "Elsewhere",
    "Exists",
    "Explaining",
    "Found",
    "Given",
    "Grows",
    "Hidden",
    "Known",
    "Missing",
    "Naming",
    "Needs",
    "New",
    "Next",
    "Odd",
    "Optional",
    "Other",
    "Own",
    "Recent",
    "Recovering",
    "Relative",
    "Remaining",
    "Rendering",
    "Shown",
    "Since",
    "Stale",
    "Takes",
    "Tells",
    "When",
    "Written",
    "Wrong",
];

/// Returns the name of the type that a line declares. Associated types are declared by traits and keep their names.
fn declared(line: &str) -> Option<&str> {
    let mut code = line.trim_start();
    let is_inner = code.len() < line.len();
    let mut is_public = false;
    if let Some(rest) = code.strip_prefix("pub") {
        is_public = true;
        let rest = rest.trim_start();
        code = match rest.strip_prefix('(') {
            Some(scope) => scope.split_once(')')?.1,
            None => rest,
        };
    }
    let code = code.trim_start();
    let code = code.strip_prefix("unsafe ").unwrap_or(code);
    let (keyword, rest) = code.split_once(' ')?;
    let is_type = match keyword {
        "struct" | "enum" | "trait" | "union" => true,
        "type" => is_public || !is_inner,
        _ => false,
    };
    let end = rest.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len());
    let name = &rest[..end];
    (is_type && name.starts_with(|first: char| first.is_ascii_uppercase())).then_some(name)
}

/// Returns whether a name is a bare participle, adverb or adjective.
fn is_bare(name: &str) -> bool {
    let is_one_word = !name[1..].contains(|letter: char| letter.is_uppercase());
    is_one_word && name.ends_with("ed") && !NOUNS.contains(&name) || BARE.contains(&name)
}

/// Returns the violations of the naming rules: names that are declared too often, and names that aren't nouns.
fn violations(declarations: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let mut found = Vec::new();
    for (name, places) in declarations {
        let allowed = if TWICE.iter().any(|(twice, _)| twice == name) { 2 } else { 1 };
        if places.len() > allowed {
            found.push(format!("{name} is declared {} times: {}", places.len(), places.join(", ")));
        }
        if is_bare(name) {
            found.push(format!("{name} is no noun: {}", places.join(", ")));
        }
    }
    found
}

#[test]
fn a_name_declares_one_type() {
    let mut declarations: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (path, source) in super::sources() {
        if path.components().any(|part| part.as_os_str() == "src") {
            for (number, line) in source.lines().enumerate() {
                if let Some(name) = declared(line) {
                    let place = format!("{}:{}", path.display(), number + 1);
                    declarations.entry(name.to_owned()).or_default().push(place);
                }
            }
        }
    }
    assert!(declarations.len() > 1000, "{}", declarations.len());
    let found = violations(&declarations);
    assert!(found.is_empty(), "{} names:\n{}", found.len(), found.join("\n"));
    for (name, reason) in TWICE {
        assert_eq!(
            declarations.get(name).map(Vec::len),
            Some(2),
            "{name} is no exception: {reason}"
        );
    }
}

#[test]
fn repeated_and_bare_names_are_noticed() {
    let source = "pub(in crate::cli) struct View {\ntype Opened = u8;\n    type Error = View;\n    pub type Given<T> = T;\n\
        pub enum View {\npub(crate) unsafe trait Shader: Copy {}\ntype_name::<View>();\nstruct HullPart;\n";
    let mut declarations: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (number, line) in source.lines().enumerate() {
        if let Some(name) = declared(line) {
            declarations.entry(name.to_owned()).or_default().push(format!("{}", number + 1));
        }
    }
    let names: Vec<&str> = declarations.keys().map(String::as_str).collect();
    assert_eq!(names, ["Given", "HullPart", "Opened", "Shader", "View"]);
    let expected =
        ["Given is no noun: 4", "Opened is no noun: 2", "View is declared 2 times: 1, 5"];
    assert_eq!(violations(&declarations), expected);
}
