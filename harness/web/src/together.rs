//! Plays several scenes on one device, each in a separate context, alternating after each record. The images must equal
//! those of each scene played alone, bit for bit.

use molehill_conform::Attachments;
use molehill_conform::names::CaseSelection;
use molehill_replay::evidence::ResultTally;
use molehill_replay::{ReplayOptions, Replayer};
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::WebGl2RenderingContext;

use crate::lost::{differences, outcome, play, recorded};
use crate::place::ScenePlace;

/// The names of the cases, with the scenes that each case plays together.
const TOGETHER: &[(&str, &[&str])] = &[
    ("web.together.2", &["api.state.across_present.blend", "rtt.antialias.edges.4"]),
    ("web.together.3", &["rtt.mrt.4.bgra", "rtt.content.chain", "api.frames.three"]),
    (
        "web.together.4",
        &[
            "rtt.depth.less.kept",
            "stencil.reference.255.before",
            "rtt.mips.made",
            "rtt.cube.all_faces",
        ],
    ),
];

/// Returns the cases that the patterns select, as in [`Suite::new`](crate::Suite::new).
#[wasm_bindgen]
pub fn together_scenes(filter: Vec<String>, exclude: Vec<String>) -> Vec<String> {
    let selection = CaseSelection { filter, exclude, ..CaseSelection::default() };
    let names = TOGETHER.iter().map(|(name, _)| (*name).to_owned());
    names.filter(|name| selection.contains(name)).collect()
}

/// Plays the scenes of a case on a WebGL context; without `context`, on WebGPU. Returns the outcome as JSON.
#[wasm_bindgen]
pub fn play_together(name: &str, context: Option<WebGl2RenderingContext>) -> Option<String> {
    let begin = web_time::Instant::now();
    let (mut reasons, mut attachments) = (Vec::new(), Attachments::default());
    let compared = compare(name, context, &mut reasons, &mut attachments);
    let tally = compared.unwrap_or_else(|error| {
        reasons.push(error);
        ResultTally::default()
    });
    outcome(name, "each scene alone", begin, reasons, tally, attachments)
}

fn compare(
    name: &str,
    context: Option<WebGl2RenderingContext>,
    reasons: &mut Vec<String>,
    attachments: &mut Attachments,
) -> Result<ResultTally, String> {
    let place = ScenePlace::new(context);
    let (_, scenes) = TOGETHER.iter().find(|(other, _)| *other == name).ok_or("no such name")?;
    let mut players = Vec::new();
    for scene in *scenes {
        let (header, records) = recorded(scene)?;
        let replayer = || Replayer::new(&header, place.clone(), ReplayOptions::default());
        let expected = play(&mut replayer(), &records)?;
        players.push((replayer(), records.into_iter(), Vec::new(), expected));
    }
    let (mut random, mut left) = (1u32, players.len());
    while left > 0 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let turn = usize::try_from(random >> 16).unwrap_or(0) % players.len();
        let (replayer, records, pictures, _) = &mut players[turn];
        if let Some(record) = records.next() {
            pictures.extend(play(replayer, &[record])?);
            left -= usize::from(records.len() == 0);
        }
    }
    let mut tally = ResultTally::default();
    for (_, _, pictures, expected) in &players {
        if pictures.len() != expected.len() || pictures.is_empty() {
            reasons.push(format!("{} images ({} expected)", pictures.len(), expected.len()));
        }
        tally.add(differences(pictures, expected, reasons, attachments));
    }
    Ok(tally)
}
