//! JUnit XML, for CI systems.

use std::fmt::Write;

use crate::results::Results;
use crate::verdict::{Outcome, Verdict};

/// The report, with a suite for each area.
pub fn junit(results: &Results) -> String {
    let mut suites: Vec<(&str, Vec<&Outcome>)> = Vec::new();
    for outcome in &results.outcomes {
        match suites.iter_mut().find(|(area, _)| *area == outcome.area()) {
            Some((_, of)) => of.push(outcome),
            None => suites.push((outcome.area(), vec![outcome])),
        }
    }
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"molehill conform\">\n",
    );
    for (area, of) in suites {
        let count =
            |wanted| of.iter().filter(|outcome| element(outcome.verdict) == Some(wanted)).count();
        // Writing to a String can't fail.
        let _ = writeln!(
            xml,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\" hostname=\"{}\">",
            escape(area),
            of.len(),
            count("failure"),
            count("error"),
            count("skipped"),
            of.iter().map(|outcome| outcome.seconds).sum::<f64>(),
            escape(&results.head.driver),
        );
        of.iter().for_each(|outcome| case(&mut xml, outcome));
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

/// The element of a test case that is not a plain pass.
fn element(verdict: Verdict) -> Option<&'static str> {
    match verdict {
        Verdict::Fail | Verdict::MissingFeature | Verdict::NotTested | Verdict::UnexpectedPass => {
            Some("failure")
        }
        Verdict::Crash | Verdict::Timeout => Some("error"),
        Verdict::NotSupported
        | Verdict::AllowedUntested
        | Verdict::KnownFailure
        | Verdict::Flaky => Some("skipped"),
        Verdict::Pass => None,
    }
}

fn case(xml: &mut String, outcome: &Outcome) {
    let (class, name) = outcome.name.rsplit_once('.').unwrap_or(("", &outcome.name));
    let _ = write!(
        xml,
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
        escape(class),
        escape(name),
        outcome.seconds
    );
    let _ = writeln!(
        xml,
        ">\n      <properties><property name=\"source\" value=\"{}\"/></properties>",
        escape(&outcome.source)
    );
    if let Some(element) = element(outcome.verdict) {
        let (verdict, reasons) = (outcome.verdict.name(), outcome.reasons.join("; "));
        let message = escape(&format!("{verdict}: {reasons}"));
        let _ = writeln!(xml, "      <{element} message=\"{message}\"/>");
    }
    xml.push_str("    </testcase>\n");
}

/// Escapes text for an attribute in XML or HTML. Characters that XML doesn't allow are removed.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'.. => {
                escaped.push(letter)
            }
            _ => {}
        }
    }
    escaped
}
