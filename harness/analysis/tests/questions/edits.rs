//! Tests drafts of edits, which contain the current values.

use molehill_analysis::edit::{Draft, apply, check, parse_value};
use molehill_analysis::origins::{CallOrigin, ContentPart, OriginKind};
use molehill_analysis::state::{StateArea, StateItem};
use molehill_analysis::{Capture, Inspector};

use crate::scene::knot;

fn made(capture: &Capture, draft: Draft<'_>) -> molehill_analysis::edit::CaptureEdit {
    let change = draft.change(capture).unwrap_or_else(|error| panic!("{draft:?}: {error}"));
    let mut read = |_: &str| panic!("it names no file");
    let edit = parse_value(change.into(), &mut read).unwrap();
    check(capture, &edit).unwrap_or_else(|error| panic!("{draft:?}: {error}"));
    edit
}

/// Tests that a draft of an edit of state, constants, programs or arguments doesn't change the image.
#[test]
fn a_change_begins_with_what_is_there() {
    let mut inspector = Inspector::new(knot());
    let capture = std::sync::Arc::clone(inspector.capture());
    let call = inspector.passes(1).unwrap()[1].draws[1];
    let (state, origins) = (inspector.state(call).unwrap(), inspector.origins(call).unwrap());
    let mut edits = Vec::new();
    let is_edited = |area: StateArea| matches!(area, StateArea::Raster | StateArea::Constants);
    for row in state.rows.iter().filter(|row| is_edited(row.area)) {
        let own = |origin: &&CallOrigin| origin.is_of(row.area, &row.name) && origin.is_whole();
        let origin = origins.iter().find(own).map(|origin| origin.call);
        edits.push(made(&capture, Draft::Value(call, (&row.name, &row.value), origin)));
    }
    assert!(edits.len() > 12, "{} values", edits.len());
    let is_upload = |origin: &&CallOrigin| origin.kind == OriginKind::Uploaded(ContentPart::All);
    let upload = origins.iter().find(is_upload).unwrap();
    assert_eq!(upload.slot.item, StateItem::Program);
    let upload = upload.call;
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
