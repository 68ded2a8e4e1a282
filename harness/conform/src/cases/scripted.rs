//! Scenes as text: most of `scripts`.

use super::formulas;
use crate::calls::words;
use crate::case::{Cases, Feature};
use crate::drawing::{CELLS, by_cell};
use crate::script;
use crate::tolerance::Tolerance;

macro_rules! scripts {
    ($($name:literal)+) => {
        /// The scripts, each after the definitions that all of them have.
        const SCRIPTS: &[&str] = &[$(concat!(
            include_str!("../../scripts/common.txt"),
            include_str!(concat!("../../scripts/", $name, ".txt"))
        )),+];
    };
}

scripts! { "scenes" "state" "textures" "vertex" "questions" }

const LINES: &str = "Direct3D and OpenGL choose the pixels of lines by different rules";
const THIN_LINES: &str = "Direct3D and OpenGL choose the pixels of lines by different rules, and any of the three may come last";
const LEVELS: &str = "levels are made by the driver, each rounded";

const EDGE: &str = "a texel's edge may lie a pixel further";
const BITS: &str = "levels of detail have few bits";
const BITS_AND_EDGE: &str =
    "levels of detail have few bits, and a texel's edge may lie a pixel further";
const WEIGHTS: &str = "weights of a linear filter may have eight bits";
const PROBES: &str =
    "how many reads an anisotropic filter makes, and where, is the driver's choice";
const CUBE: &str = "a texel's edge may lie a pixel further, and OpenGL lets a cube's level of detail be approximate at edges of faces";
const EITHER: &str =
    "half way is a tie that Direct3D and OpenGL break differently: both levels will do, no other";

const TOLERANCES: [(&str, Tolerance); 45] = [
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
    ("texel_edges", Tolerance::edges(1, 160, EDGE)),
    ("small_edges", Tolerance::edges(1, 64, EDGE)),
    ("more_edges", Tolerance::edges(4, 64, EDGE)),
    ("many_edges", Tolerance::edges(1, 400, EDGE)),
    (
        "levels_and_edges",
        Tolerance { channel: 12, moved: 160, outliers: 16, reason: BITS_AND_EDGE },
    ),
    ("biased", Tolerance { channel: 12, moved: 64, outliers: 0, reason: BITS_AND_EDGE }),
    ("few_bits", Tolerance::channel(3, BITS)),
    ("levels", Tolerance::channel(10, BITS)),
    ("format_weights", Tolerance::channel(3, WEIGHTS)),
    ("weights", Tolerance::channel(4, WEIGHTS)),
    ("more_weights", Tolerance::channel(6, WEIGHTS)),
    ("two_weights", Tolerance::channel(3, "weights of a linear filter")),
    ("probes", Tolerance { channel: 40, moved: 64, outliers: 16, reason: PROBES }),
    ("own_probes", Tolerance::channel(40, "where a driver takes anisotropic probes is its own")),
    ("eleven_bits", Tolerance::channel(2, "eleven bits, scaled")),
    ("blend", Tolerance::channel(2, "the destination and the result are rounded to eight bits")),
    ("exact", Tolerance::EXACT),
    ("cube", Tolerance { channel: 1, moved: 120, outliers: 8, reason: CUBE }),
    ("cube_levels", Tolerance { channel: 1, moved: 120, outliers: 40, reason: CUBE }),
    ("linear_cube", Tolerance { channel: 6, moved: 120, outliers: 8, reason: CUBE }),
    ("linear_cube_levels", Tolerance { channel: 6, moved: 120, outliers: 40, reason: CUBE }),
    ("cube_formats", Tolerance::edges(2, 120, EDGE)),
    ("cube_directions", Tolerance::edges(1, 80, EDGE)),
    ("cube_texels", Tolerance::edges(1, 60, "texels lie between pixels")),
    ("rounded", Tolerance::channel(2, "a colour is rounded, and varies between corners")),
    ("blended", Tolerance::channel(2, "rounded before and after")),
    ("products", Tolerance::channel(2, "a sum of products")),
    ("zero_line", Tolerance::edges(1, 40, "a line where a number is 0 may lie a pixel further")),
    ("sum", Tolerance::channel(2, "a sum of rounded numbers")),
    ("either", Tolerance::channel(5, EITHER)),
    ("half_floats", Tolerance::channel(2, "half floats have eleven bits")),
    ("planes", Tolerance::edges(1, 40, "the line where planes meet may lie a pixel further")),
    ("steep", Tolerance::edges(3, 24, "steep varyings; an edge may lie a pixel further")),
    (
        "comparisons",
        Tolerance::edges(4, 80, "a line where two numbers are equal may lie a pixel further"),
    ),
    ("between_texels", Tolerance::edges(1, 70, "texels lie between pixels")),
];

fn named<T: Copy>(rows: &[(&str, T)], name: Option<&str>) -> Option<T> {
    rows.iter().find(|(known, _)| Some(*known) == name).map(|(_, value)| *value)
}

pub(super) fn add(cases: &mut Cases) {
    for row in SCRIPTS
        .iter()
        .flat_map(|text| script::rows(cases, "api.scenes", text, &|_| None))
        .collect::<Vec<_>>()
    {
        let tolerance = named(&TOLERANCES, row.option("within")).unwrap_or(Tolerance::ROUNDING);
        let name = row.words.first().cloned().unwrap_or_default();
        let steps = row.steps.clone();
        let case = cases.scene(name, &row.source, tolerance, move |s| script::run(&steps, s));
        row.configure(case);
        if let Some(feature) = row.option("needs").and_then(Feature::from_word) {
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
