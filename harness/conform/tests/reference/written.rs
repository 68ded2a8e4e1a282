//! Generates content from the code and the facts: tables in the pages, and the page of open questions.

use std::fmt::Write;

use molehill_conform::facts::{OPEN_FIELDS, PAGES, all};

use crate::tables::TABLES;
use crate::{check_file, none};

const BEGIN: &str = "<!-- table: ";
const END: &str = "<!-- end -->";

/// Returns a reference page with its generated tables brought up to date.
fn with_tables(page: &str, text: &str, used: &mut Vec<&'static str>) -> Result<String, String> {
    let mut parts = text.split(BEGIN);
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) =
            part.split_once(" -->\n").ok_or_else(|| format!("{page}: a marker has no end"))?;
        let (_, rest) =
            rest.split_once(END).ok_or_else(|| format!("{page}: {name} has no {END}"))?;
        let table = TABLES.iter().find(|(known, _)| *known == name);
        let (name, table) = table.ok_or_else(|| format!("{page}: there is no table {name:?}"))?;
        used.push(name);
        whole += &format!("{BEGIN}{name} -->\n\n{}\n\n{END}{rest}", table());
    }
    Ok(whole)
}

#[test]
fn tables_are_those_of_the_code() {
    let (mut wrong, mut used) = (Vec::new(), Vec::new());
    for (page, text) in PAGES {
        match with_tables(page, text, &mut used) {
            Ok(must) => wrong.extend(check_file(page, &must)),
            Err(complaint) => wrong.push(complaint),
        }
    }
    let missing = TABLES.iter().filter(|(name, _)| !used.contains(name));
    wrong.extend(missing.map(|(name, _)| format!("no page has the table {name}")));
    none(&wrong);
}

#[test]
fn tables_are_whole() {
    for (name, table) in TABLES {
        let text = table();
        let columns = |line: &str| line.replace("\\|", "").matches('|').count();
        let mut tables = text.split("\n\n");
        let rows = tables.all(|table| {
            let first = table.lines().next().map_or(0, columns);
            table.lines().count() > 2 && table.lines().all(|line| columns(line) == first)
        });
        assert!(rows && !text.contains("\u{0}"), "{name}:\n{text}");
    }
}

#[test]
fn a_page_keeps_what_is_around_its_tables() {
    let page = "a\n<!-- table: agal-limits -->\nold\n<!-- end -->\nb\n";
    let text = with_tables("p", page, &mut Vec::new()).unwrap();
    assert!(
        text.starts_with("a\n<!-- table: agal-limits -->\n\n| ")
            && text.ends_with(" |\n\n<!-- end -->\nb\n")
    );
    assert_eq!(with_tables("p", &text, &mut Vec::new()).unwrap(), text);
    for wrong in
        ["<!-- table: x -->\n<!-- end -->", "<!-- table: agal-limits -->\n", "<!-- table: "]
    {
        assert!(with_tables("p", wrong, &mut Vec::new()).is_err(), "{wrong}");
    }
}

const HEAD: &str = "\
# Open questions

What nobody knows about Stage3D: the facts of grade *open*, with what Molehill does and the program that would settle each in
a Flash player. This page is written from the reference (`UPDATE=1 cargo test -p molehill-conform --test reference`).
";

#[test]
fn open_questions_are_those_of_the_pages() {
    let mut text = HEAD.to_owned();
    for (page, of_page) in PAGES {
        let mut open = all().iter().filter(|f| f.page == *page && f.grade == "open").peekable();
        if open.peek().is_some() {
            let title = of_page.lines().find_map(|line| line.strip_prefix("# "));
            // Writing to a `String` can't fail.
            let _ = writeln!(text, "\n## [{}](../{page})", title.unwrap_or(page));
        }
        for fact in open {
            let _ = writeln!(text, "\n### [{}]\n\n{}\n", fact.id, fact.text);
            for field in OPEN_FIELDS {
                let value = fact.field(field).unwrap_or_default();
                let _ = writeln!(text, "- **{}** {value}", field);
            }
        }
    }
    none(&check_file("context3d/OPEN-QUESTIONS.md", &text).into_iter().collect::<Vec<_>>());
}
