//! The pages and their parser.

use std::collections::HashMap;
use std::fs;

use molehill_conform::facts::{Field, Grade, PAGES, all, cited, coverage, is_id, parse};
use molehill_conform::glob::Selection;
use molehill_conform::report::{Column, html, summary};
use molehill_conform::results::{Results, RunSettings};
use molehill_conform::{Attachments, Outcome, Verdict};

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
    for grade in Grade::ALL {
        let facts = all().iter().filter(|fact| fact.grade == *grade).count();
        println!("{}: {facts} facts", grade.name());
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
    assert_eq!((kil.id.as_str(), kil.line, kil.grade), ("agal.kil.1", 3, Grade::Measured));
    assert_eq!(kil.text, "`kil` keeps zero. It keeps NaN, too.");
    assert_eq!(kil.field(Field::Source), Some("capture `agal_kil`; Adobe, \"kil\"."));
    assert_eq!((kil.field(Field::Untested), kil.field(Field::Asked)), (Some("no."), None));
    assert_eq!((ifg.line, ifg.field(Field::WeDo)), (11, Some("`>`.")));
    assert_eq!(ifg.field(Field::Seen), Some("with `>=` it is red."));
    assert_eq!(ifg.field(Field::Program), Some("`ifg a, b`."));
}

#[test]
fn malformed_facts_are_named_with_their_lines() {
    for (item, reason) in [
        ("- **agal.kil.1 `measured` a", "no ** after the id"),
        ("- **Note** `measured` a\n  Source: b.", "\"Note\" is no id of this page"),
        ("- **d3d9.kil.1** `measured` a\n  Source: b.", "is no id of this page: agal."),
        ("- **agal.kil.1** measured a\n  Source: b.", "has no grade in backticks"),
        ("- **agal.kil.1** `known` a\n  Source: b.", "has no grade that is known"),
        ("- **agal.kil.1** `measured`\n  Source: b.", "has an empty text or field"),
        ("- **agal.kil.1** `measured` a\n  Source:", "has an empty text or field"),
        ("- **agal.kil.1** `measured` a", "has \"Source:\" 0 times"),
        ("- **agal.kil.1** `measured` a\n  Source: b. Source: c.", "has \"Source:\" 2 times"),
        ("- **agal.kil.1** `measured` a\n  Asked: b? Source: c.", "has \"Asked:\" 1 times"),
        ("- **agal.kil.1** `open` a\n  Source: c.", "has \"Asked:\" 0 times"),
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

fn outcome(name: &str, source: &str, verdict: Verdict) -> Outcome {
    Outcome {
        name: name.to_owned(),
        kind: "scene".to_owned(),
        profile: "baseline".to_owned(),
        source: source.to_owned(),
        verdict,
        seconds: 0.0,
        reasons: vec!["reason".to_owned()],
        hash: None,
        capture: None,
        attachments: Attachments::default(),
    }
}

#[test]
fn a_run_shows_the_facts_that_its_cases_cite() {
    let [first, second, ..] = all() else { panic!("no facts") };
    let source = format!("[{}] [{}]; triangle", first.id, second.id);
    let outcomes = vec![
        outcome("a.passes", &source, Verdict::Pass),
        outcome("a.fails", &format!("[{}]", second.id), Verdict::Fail),
        outcome("a.lacks", "[agal.no.fact]", Verdict::NotSupported),
    ];
    let page = coverage(&outcomes)[0];
    assert_eq!((page.page, page.shown, page.failing), (first.page, 1, 1));
    assert_eq!(page.percent(), 100 / page.facts);
    let selection = Selection::default();
    let head = RunSettings {
        backend: "gl".to_owned(),
        oracle: "reference".to_owned(),
        driver: "d".to_owned(),
        profile: None,
        selection,
        cases: 3,
        shard: (1, 1),
    };
    let results = Results { head, outcomes };
    let text = summary(&results);
    let failing = format!("fail: a.fails: reason\n    [{}] {}: ", second.id, second.grade.name());
    assert!(text.contains(&failing), "{text}");
    assert!(text.contains("\nshown facts of the reference: agal "), "{text}");
    let page = html(&[Column { name: "run".to_owned(), results }]);
    let data = page.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["reference"][0]["shown"], 1);
    assert_eq!(data["facts"][&second.id][0], second.grade.name());
    assert!(data["facts"].get(&first.id).is_none());
}
