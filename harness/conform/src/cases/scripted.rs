//! Scenes that are written as scripts: most files of the folder `scripts`.

use std::sync::OnceLock;

use super::formulas;
use crate::calls::{invalid, words};
use crate::case::{CaseFeature, Cases};
use crate::drawing::{CELLS, by_cell};
use crate::expected::{ExpectedRows, rows};
use crate::script;
use crate::tolerance::Tolerance;

macro_rules! scripts {
    ($($name:literal)+) => {
        /// The texts of all scripts, each preceded by the shared definitions.
        const SCRIPTS: &[&str] = &[$(concat!(
            include_str!("../../scripts/common.txt"),
            include_str!(concat!("../../scripts/", $name, ".txt"))
        )),+];
    };
}

scripts! { "scenes" "state" "textures" "vertex" "questions" }

/// Returns the tolerance with this name from `scripts/tolerances.tsv`.
fn tolerance(name: &str) -> Option<Tolerance> {
    static ROWS: OnceLock<ExpectedRows> = OnceLock::new();
    let rows = ROWS.get_or_init(|| rows(include_str!("../../scripts/tolerances.tsv")));
    let [channel, moved, outliers, reason] = rows.get(name)?[..] else { return None };
    let (channel, moved) = (channel.parse().ok()?, moved.parse().ok()?);
    Some(Tolerance { channel, moved, outliers: outliers.parse().ok()?, reason })
}

pub(super) fn add(cases: &mut Cases) {
    for row in SCRIPTS
        .iter()
        .flat_map(|text| script::rows(cases, "api.scenes", text, &|_| None))
        .collect::<Vec<_>>()
    {
        let tolerance = row.option("within").map_or(Some(Tolerance::ROUNDING), tolerance);
        let name = row.words.first().cloned().unwrap_or_default();
        let steps = row.steps.clone();
        let known = tolerance.unwrap_or(Tolerance::EXACT);
        let case = cases.scene(name, &row.source, known, move |s| {
            tolerance.ok_or_else(|| invalid("tolerances.tsv has no such tolerance"))?;
            script::run(&steps, s)
        });
        row.configure(case);
        if let Some(feature) = row.option("needs").and_then(CaseFeature::from_word) {
            case.needs(feature);
        }
        if let Some(words) = row.option("picture").map(str::to_owned) {
            case.expects_pictures(move || formulas::pictures(&words));
        }
        let colors = |key: &str| row.option(key).and_then(words::list::<u8>);
        if let Some(bytes) = colors("color") {
            let below = colors("below");
            case.expects_pictures(move || {
                let colors: &[[u8; 4]] = bytes.as_chunks().0;
                let at = |column: u16| usize::from(column) * colors.len() / usize::from(CELLS);
                let above = |column| colors.get(at(column)).copied().unwrap_or_default();
                let below = below.as_deref().and_then(|below| below.first_chunk()).copied();
                vec![by_cell(|column, row| below.filter(|_| row > 1).unwrap_or(above(column)))]
            });
        }
    }
}
