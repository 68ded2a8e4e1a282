//! Tests of the pages of the reference and of their parser.

use std::collections::HashMap;
use std::fs;

use molehill_conform::facts::{GRADES, PAGES, SOURCE, UNTESTED, all, cited, is_id, parse};

use crate::{none, root};

#[test]
fn pages_are_well_formed() {
    let mut wrong: Vec<String> =
        PAGES.iter().flat_map(|(page, text)| parse(page, text).1).collect();
    let mut places = HashMap::new();
    for fact in all() {
        let place = format!("{}:{}", fact.page, fact.line);
        if let Some(other) = places.insert(&fact.id, place.clone()) {
            wrong.push(format!("{place}: {} is also at {other}", fact.id));
        }
    }
    for (page, text) in PAGES {
        let facts = all().iter().filter(|fact| fact.page == *page).count();
        let lines = text.lines().count();
        println!("{page}: {facts} facts, {lines} lines");
        if facts == 0 {
            wrong.push(format!("{page} has no fact"));
        }
    }
    for grade in GRADES {
        let facts = all().iter().filter(|fact| fact.grade == grade).count();
        println!("{grade}: {facts} facts");
    }
    none(&wrong);
}

#[test]
fn every_page_is_in_the_table() {
    let folders = ["agal", "agal/d3d9", "agal/hs50", "context3d", "context3d/atf"];
    let files = folders.iter().flat_map(|folder| {
        let entries = fs::read_dir(root().join(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let pages = names.filter(|name| name.starts_with("REFERENCE") && name.ends_with(".md"));
        pages.map(move |name| format!("{folder}/{name}"))
    });
    let known = |file: &String| PAGES.iter().any(|(page, _)| page == file);
    none(&files.filter(|file| !known(file)).collect::<Vec<_>>());
}

const PAGE: &str = "\
# A page

- **agal.kil.1** `measured` `kil` keeps zero.
  It keeps NaN, too.
  Source: capture `agal_kil`; Adobe, \"kil\". Untested: no.

```
- **agal.code.1** is no fact
```

- **agal.ifg.1** `open` Is it strict?
  Asked: is it? We do: `>`. Seen: with `>=` it is
  red. Program: `ifg a, b`.
  Source: none.
";

#[test]
fn facts_have_fields() {
    let (facts, wrong) = parse("agal/REFERENCE.md", PAGE);
    none(&wrong);
    let [kil, ifg] = facts.as_slice() else { panic!("{facts:?}") };
    assert_eq!((kil.id.as_str(), kil.line, kil.grade), ("agal.kil.1", 3, "measured"));
    assert_eq!(kil.text, "`kil` keeps zero. It keeps NaN, too.");
    assert_eq!(kil.field(SOURCE), Some("capture `agal_kil`; Adobe, \"kil\"."));
    assert_eq!((kil.field(UNTESTED), kil.field("Asked:")), (Some("no."), None));
    assert_eq!((ifg.line, ifg.field("We do:")), (11, Some("`>`.")));
    assert_eq!(ifg.field("Seen:"), Some("with `>=` it is red."));
    assert_eq!(ifg.field("Program:"), Some("`ifg a, b`."));
}

#[test]
fn malformed_facts_are_named_with_their_lines() {
    for (item, reason) in [
        ("- **agal.kil.1 `measured` a", "the id must end with **"),
        ("- **Note** `measured` a\n  Source: b.", "invalid id \"Note\": "),
        ("- **d3d9.kil.1** `measured` a\n  Source: b.", "ids on this page have the form agal."),
        ("- **agal.kil.1** measured a\n  Source: b.", "has no grade in backticks"),
        ("- **agal.kil.1** `known` a\n  Source: b.", "has an unknown grade"),
        ("- **agal.kil.1** `measured`\n  Source: b.", "has an empty text or field"),
        ("- **agal.kil.1** `measured` a\n  Source:", "has an empty text or field"),
        ("- **agal.kil.1** `measured` a", "too few or too many of \"Source:\""),
        (
            "- **agal.kil.1** `measured` a\n  Source: b. Source: c.",
            "too few or too many of \"Source:\"",
        ),
        (
            "- **agal.kil.1** `measured` a\n  Asked: b? Source: c.",
            "too few or too many of \"Asked:\" for \"measured\"",
        ),
        (
            "- **agal.kil.1** `open` a\n  Source: c.",
            "too few or too many of \"Asked:\" for \"open\"",
        ),
    ] {
        let (facts, wrong) = parse("agal/REFERENCE.md", &format!("# A\n\n{item}\n"));
        let [complaint] = wrong.as_slice() else { panic!("{item}: {facts:?} {wrong:?}") };
        assert!(complaint.starts_with("agal/REFERENCE.md:3: "), "{complaint}");
        assert!(complaint.contains(reason), "{complaint}");
    }
}

#[test]
fn ids_are_in_brackets() {
    let text =
        "[agal.kil.1] and [context3d.error.3694]; [agal], [agal.], [x.y], [agal.A], [agal.kil";
    assert_eq!(cited(text).collect::<Vec<_>>(), ["agal.kil.1", "context3d.error.3694"]);
    assert!(is_id("d3d9.rule.25") && !is_id("d3d9") && !is_id("d3d9..25") && !is_id("r.d3d9"));
}
