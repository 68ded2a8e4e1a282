//! A run's result as a table for people and as JSON for machines.

use std::fmt::Write;

use serde_json::{Value, json};

use super::case::Expected;
use super::judge::Verdict;
use molehill_replay::image::Comparison;
use molehill_replay::terminal::line as shown;

/// One case of a finished run.
#[derive(Clone, Debug)]
pub struct Row {
    /// The case's name.
    pub name: String,
    /// What came of it.
    pub verdict: Verdict,
    /// Frames replayed.
    pub frames: u64,
    /// Draw calls made.
    pub draws: u64,
    /// Draws that Flash would silently drop.
    pub skipped: u64,
    /// Flash errors raised.
    pub errors: u64,
    /// Against Flash Player's picture.
    pub expected: Option<Comparison>,
    /// Flash Player's picture, and what may differ from it.
    pub picture: Option<Expected>,
    /// Against another player's picture: reported, not judged.
    pub peer: Option<Comparison>,
    /// Wall time.
    pub seconds: f64,
}

impl Row {
    /// `VERDICT: NAME: REASON` for everything that is not a plain pass.
    pub fn reasons(&self) -> impl Iterator<Item = String> {
        let reasons = reasons(&self.verdict).into_iter();
        reasons.map(|reason| {
            let (verdict, name) = (self.verdict.name(), &self.name);
            format!("{verdict}: {name}: {}", shown(&reason))
        })
    }

    /// What may differ from the expected picture: `0`, or `2, but for 16 pixels`.
    fn tolerance(&self) -> String {
        match &self.picture {
            None => "-".to_owned(),
            Some(picture) if picture.max_outliers == 0 => picture.tolerance.to_string(),
            Some(picture) => {
                let Expected {
                    tolerance,
                    max_outliers,
                    ..
                } = picture;
                format!("{tolerance}, but for {max_outliers} pixels")
            }
        }
    }
}

const HEADINGS: [&str; 10] = [
    "case",
    "verdict",
    "frames",
    "draws",
    "skipped",
    "errors",
    "off expected",
    "tolerance",
    "off peer",
    "seconds",
];

/// The table, the reasons of everything that is not a plain pass, and a closing line with the counts.
pub fn table(rows: &[Row]) -> String {
    let cells: Vec<[String; HEADINGS.len()]> = rows.iter().map(row_cells).collect();
    let mut widths = HEADINGS.map(str::len);
    for row in &cells {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    let mut line = |cells: &[String]| {
        for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
            // Names and verdicts to the left, numbers to the right. Writing to a String can't fail.
            let _ = if column < 2 {
                write!(text, "{cell:<width$}  ")
            } else {
                write!(text, "{cell:>width$}  ")
            };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    };
    line(&HEADINGS.map(str::to_owned));
    cells.iter().for_each(|row| line(row));
    text.push('\n');
    for row in rows {
        for reason in row.reasons() {
            let _ = writeln!(text, "{reason}");
        }
    }
    text + &closing(rows)
}

fn row_cells(row: &Row) -> [String; HEADINGS.len()] {
    let off = |comparison: &Option<Comparison>| match comparison {
        None => "-".to_owned(),
        Some(comparison) => comparison.differing.to_string(),
    };
    [
        row.name.clone(),
        row.verdict.name().to_owned(),
        row.frames.to_string(),
        row.draws.to_string(),
        row.skipped.to_string(),
        row.errors.to_string(),
        off(&row.expected),
        row.tolerance(),
        off(&row.peer),
        format!("{:.1}", row.seconds),
    ]
}

fn reasons(verdict: &Verdict) -> Vec<String> {
    match verdict {
        Verdict::Pass => Vec::new(),
        Verdict::Fail(reasons) => reasons.clone(),
        Verdict::KnownFailure(reason) => vec![reason.clone()],
        Verdict::UnexpectedPass(reason) => {
            vec![format!("listed as a known failure ({reason}), but passes")]
        }
    }
}

/// "N passed, N failed", after a line with the known failures if there are any.
fn closing(rows: &[Row]) -> String {
    let count =
        |wanted: fn(&Verdict) -> bool| rows.iter().filter(|row| wanted(&row.verdict)).count();
    let known = count(|verdict| matches!(verdict, Verdict::KnownFailure(_)));
    let passed = count(|verdict| matches!(verdict, Verdict::Pass));
    let failed = count(Verdict::fails);
    let known = if known == 0 {
        String::new()
    } else {
        format!("{known} known failures\n")
    };
    format!("{known}{passed} passed, {failed} failed\n")
}

/// The same for machines: an object with `cases` and the three counts.
pub fn json(rows: &[Row]) -> Value {
    let comparison = |comparison: &Option<Comparison>| {
        comparison.map(|comparison| {
            json!({
                "differing": comparison.differing,
                "maxDelta": comparison.max_delta,
                "sameSize": comparison.actual_size == comparison.expected_size,
            })
        })
    };
    let cases: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "name": row.name,
                "verdict": row.verdict.name(),
                "reasons": reasons(&row.verdict),
                "frames": row.frames,
                "draws": row.draws,
                "skippedDraws": row.skipped,
                "errors": row.errors,
                "expected": comparison(&row.expected),
                "tolerance": row.picture.as_ref().map(|picture| picture.tolerance),
                "maxOutliers": row.picture.as_ref().map(|picture| picture.max_outliers),
                "toleranceReason": row.picture.as_ref().and_then(|picture| picture.reason.clone()),
                "peer": comparison(&row.peer),
                "seconds": row.seconds,
            })
        })
        .collect();
    let count = |name: &str| rows.iter().filter(|row| row.verdict.name() == name).count();
    json!({
        "cases": cases,
        "passed": count("pass"),
        "failed": rows.iter().filter(|row| row.verdict.fails()).count(),
        "knownFailures": count("known failure"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, verdict: Verdict) -> Row {
        let comparison = Comparison {
            actual_size: (2, 2),
            expected_size: (2, 2),
            differing: 3,
            max_delta: 9,
        };
        Row {
            name: name.to_owned(),
            verdict,
            frames: 1,
            draws: 2,
            skipped: 0,
            errors: 0,
            expected: Some(comparison),
            picture: Some(Expected {
                path: "expected.png".into(),
                frame: 0,
                tolerance: 2,
                max_outliers: 16,
                reason: Some("edges".to_owned()),
            }),
            peer: None,
            seconds: 0.25,
        }
    }

    #[test]
    fn the_closing_line_counts() {
        let rows = [
            row("a", Verdict::Pass),
            row("b", Verdict::Fail(vec!["3 pixels differ".to_owned()])),
            row("c", Verdict::KnownFailure("because".to_owned())),
            row("d", Verdict::UnexpectedPass("outdated".to_owned())),
        ];
        let text = table(&rows);
        assert!(
            text.ends_with("\n1 known failures\n1 passed, 2 failed\n"),
            "{text}"
        );
        assert!(
            text.contains("fail: b: 3 pixels differ\n") && text.contains("unexpected pass: d: "),
            "{text}"
        );
        let json = json(&rows);
        assert_eq!(
            (&json["passed"], &json["failed"], &json["knownFailures"]),
            (&1.into(), &2.into(), &1.into())
        );
        assert_eq!(json["cases"][0]["expected"]["differing"], 3);
        // A pass says what it lets pass.
        assert!(text.contains("  3  2, but for 16 pixels  "), "{text}");
        assert_eq!(json["cases"][0]["toleranceReason"], "edges");
    }
}
