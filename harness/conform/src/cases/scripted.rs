//! Scenes that need no loop: `scripts/scenes.txt`.

use crate::case::{Cases, Feature};
use crate::drawing::by_cell;
use crate::script;
use crate::tolerance::Tolerance;

const SCRIPT: &str = include_str!("../../scripts/scenes.txt");

const LINES: &str = "Direct3D and OpenGL choose the pixels of lines by different rules";
const THIN_LINES: &str =
    "Direct3D and OpenGL choose the pixels of lines by different rules, and any of the three may come last";
const LEVELS: &str = "levels are made by the driver, each rounded";

/// The tolerances of scenes by name.
const TOLERANCES: [(&str, Tolerance); 11] = [
    ("snapped", Tolerance::edges(1, 48, "vertices are snapped to a grid of the driver's own")),
    (
        "samples",
        Tolerance {
            channel: 70,
            moved: 200,
            outliers: 8,
            reason: "the places of samples, and how many there are, is the driver's choice: an edge's shade may be one sample off",
        },
    ),
    (
        "half_a_pixel",
        Tolerance::channel(66, "half a pixel is half the samples, give or take one of four"),
    ),
    ("cut", Tolerance::edges(2, 32, "a cut edge may lie a pixel further")),
    ("lines", Tolerance { channel: 1, moved: 220, outliers: 40, reason: LINES }),
    ("thin_lines", Tolerance { channel: 14, moved: 48, outliers: 8, reason: THIN_LINES }),
    ("five_bits", Tolerance::channel(9, "five bits may be rounded either way")),
    ("four_bits", Tolerance::channel(18, "four bits may be rounded either way")),
    ("few_levels", Tolerance::channel(3, LEVELS)),
    ("many_levels", Tolerance::channel(5, LEVELS)),
    ("between_texels", Tolerance::edges(1, 70, "texels lie between pixels")),
];

const FEATURES: [(&str, Feature); 3] = [
    ("wireframe", Feature::Wireframe),
    ("multisampling", Feature::Multisampling),
    ("half_float_targets", Feature::HalfFloatTargets),
];

fn named<T: Copy>(rows: &[(&str, T)], name: Option<&str>) -> Option<T> {
    rows.iter().find(|(known, _)| Some(*known) == name).map(|(_, value)| *value)
}

pub(super) fn add(cases: &mut Cases) {
    for row in script::rows(cases, "api.scenes", SCRIPT) {
        let tolerance = named(&TOLERANCES, row.option("within")).unwrap_or(Tolerance::ROUNDING);
        let name = row.words.first().cloned().unwrap_or_default();
        let steps = row.steps.clone();
        let case =
            cases.within(tolerance).scene(name, &row.source, move |s| script::run(&steps, s));
        row.configure(case);
        if let Some(feature) = named(&FEATURES, row.option("needs")) {
            case.needs(feature);
        }
        let color = row
            .option("color")
            .map(|color| color.split(',').filter_map(|byte| byte.parse().ok()).collect());
        if let Some(color) = color.and_then(|color: Vec<u8>| <[u8; 4]>::try_from(color).ok()) {
            case.expects_pictures(move || vec![by_cell(|_, _| color)]);
        }
    }
}
