//! JUnit XML, for CI systems.

use std::fmt::Write;

use crate::results::Results;
use crate::verdict::{Outcome, Verdict};

/// The report, with a suite for each area.
pub fn junit(results: &Results) -> String {
    let count =
        |verdict: fn(&Outcome) -> bool, of: &[&Outcome]| of.iter().filter(|o| verdict(o)).count();
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
        // Writing to a String can't fail.
        let _ = writeln!(
            xml,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\" hostname=\"{}\">",
            escape(area),
            of.len(),
            count(is_failure, &of),
            count(is_error, &of),
            count(is_skipped, &of),
            of.iter().map(|outcome| outcome.seconds).sum::<f64>(),
            escape(&results.head.driver),
        );
        of.iter().for_each(|outcome| case(&mut xml, outcome));
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn is_failure(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Fail | Verdict::MissingFeature | Verdict::UnexpectedPass)
}

fn is_error(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::Crash | Verdict::Timeout)
}

fn is_skipped(outcome: &Outcome) -> bool {
    matches!(outcome.verdict, Verdict::NotSupported | Verdict::KnownFailure | Verdict::Flaky)
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
    let element = match outcome {
        outcome if is_failure(outcome) => Some("failure"),
        outcome if is_error(outcome) => Some("error"),
        outcome if is_skipped(outcome) => Some("skipped"),
        _ => None,
    };
    if let Some(element) = element {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("a<\"&\u{0}\u{1b}\n>"), "a&lt;&quot;&amp;&#10;&gt;");
    }
}
