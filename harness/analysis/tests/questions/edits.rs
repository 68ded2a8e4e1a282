//! What changes begin with.

use molehill_analysis::edit::{Draft, apply, check, parse_value};
use molehill_analysis::{Capture, Inspector};

use super::knot;

fn made(capture: &Capture, draft: Draft<'_>) -> molehill_analysis::edit::Edit {
    let change = draft.change(capture).unwrap_or_else(|error| panic!("{draft:?}: {error}"));
    let mut read = |_: &str| panic!("it names no file");
    let edit = parse_value(change.into(), &mut read).unwrap();
    check(capture, &edit).unwrap_or_else(|error| panic!("{draft:?}: {error}"));
    edit
}

/// Every value of a draw's state and constants, its program and its arguments: unchanged, they draw the same.
#[test]
fn a_change_begins_with_what_is_there() {
    let mut inspector = Inspector::new(knot());
    let capture = std::sync::Arc::clone(inspector.capture());
    let call = inspector.passes(1).unwrap()[1].draws[1];
    let (state, origins) = (inspector.state(call).unwrap(), inspector.origins(call).unwrap());
    let mut edits = Vec::new();
    for row in state.rows.iter().filter(|row| ["raster", "constants"].contains(&row.area)) {
        let own = |origin: &&molehill_analysis::origins::Origin| {
            origin.area == row.area && origin.name == row.name && origin.part.is_empty()
        };
        let origin = origins.iter().find(own).map(|origin| origin.call);
        edits.push(made(&capture, Draft::Value(call, (&row.name, &row.value), origin)));
    }
    assert!(edits.len() > 12, "{} values", edits.len());
    let upload = origins.iter().find(|origin| origin.part == "upload" && origin.area == "program");
    let upload = upload.unwrap().call;
    for stage in [context3d::agal::Stage::Vertex, context3d::agal::Stage::Fragment] {
        edits.push(made(&capture, Draft::Program(upload, stage)));
        assert!(Draft::Program(call, stage).change(&capture).is_err());
    }
    edits.push(made(&capture, Draft::Call(call)));
    let changed = apply(&capture, &edits).unwrap();
    assert!(changed.call_count() > capture.call_count());
    let screen = inspector.screen(1).unwrap();
    assert_eq!(Inspector::new(changed).screen(1).unwrap().rgba(), screen.rgba());
    assert!(Draft::Value(call, ("va0", ""), None).change(&capture).is_err());
}
