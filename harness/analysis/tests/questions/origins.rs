//! Tests the origins of values: the calls that set them.

use std::collections::BTreeMap;

use molehill_analysis::state::StateArea;
use molehill_analysis::textures::TextureContent;
use molehill_analysis::{Capture, Inspector};
use molehill_capture::data::OptionalParameter;
use molehill_capture::objects::{ObjectId, TextureId};
use molehill_capture::{Call, CallLine, CaptureRecord};

use crate::scene::{
    CONTEXT, INDICES, PROGRAM, VERTICES, draw, frame, knot, name, on, opening, scene,
};

/// Returns the value of a state row at a call.
fn value(inspector: &mut Inspector, call: usize, area: StateArea, name: &str) -> Option<String> {
    let rows = inspector.state(call).unwrap().rows;
    rows.into_iter().find(|row| row.area == area && row.name == name).map(|row| row.value)
}

/// Checks that every value either was never set, or has an origin. The origin is the call after which the value doesn't
/// change.
fn check(inspector: &mut Inspector, call: usize) -> usize {
    let origins = inspector.origins(call).unwrap();
    let rows = inspector.state(call).unwrap().rows;
    let mut checked = 0;
    for row in rows.iter().filter(|row| row.value != "not set") {
        let mut own = origins.iter().filter(|it| it.is_of(row.area, &row.name));
        let Some(set) = own.find(|origin| origin.is_whole()) else {
            let own = row.area == StateArea::Streams && !row.name.starts_with("va");
            let known = own || matches!(row.area, StateArea::Raster | StateArea::Targets);
            assert!(known, "call {call}: {row:?} has no origin");
            continue;
        };
        assert!(set.call < call, "{set:?}");
        let then = value(inspector, set.call, row.area, &row.name);
        if row.area != StateArea::Textures {
            assert_eq!(then.as_ref(), Some(&row.value), "{set:?}");
        }
        let later = origins.iter().filter(|it| it.is_of(row.area, &row.name));
        assert_eq!(later.filter(|origin| origin.is_whole()).count(), 1, "{row:?}");
        checked += 1;
    }
    checked
}

#[test]
fn every_value_names_the_call_that_set_it() {
    let mut inspector = Inspector::new(knot());
    let mut checked = 0;
    for pass in inspector.passes(1).unwrap() {
        for call in pass.draws {
            checked += check(&mut inspector, call);
        }
    }
    assert!(checked > 50, "{checked} values");
}

#[test]
fn bound_content_names_its_uploads() {
    let mut records: Vec<CaptureRecord> = opening();
    records.extend(frame(0));
    records.extend(draw([1.0; 2], [0.0; 3], [1.0; 3]));
    let mut inspector = Inspector::new(Capture::new(scene(1).header().clone(), records));
    let last = inspector.capture().call_count();
    let origins = inspector.origins(last).unwrap();
    let found: BTreeMap<String, usize> = origins
        .iter()
        .filter(|origin| !origin.is_whole())
        .map(|origin| (format!("{} {origin}", origin.slot), origin.call))
        .collect();
    let expected = [("va0 0 to 3", 6), ("indices 0 to 5", 8), ("program upload", 4)];
    for (what, call) in expected {
        assert_eq!(found.get(what), Some(&call), "{what} of {found:?}");
    }
    let lines = inspector.draw_lines(1).unwrap();
    let draw = lines.last().unwrap();
    assert_eq!((draw.call, draw.program), (last, Some(PROGRAM)));
    assert_eq!((draw.texture, &*draw.blend), (None, "one, zero"));

    let content = |inspector: &mut Inspector, id: ObjectId| inspector.content(last, id).unwrap();
    let TextureContent::Vertices { values, stride } = content(&mut inspector, VERTICES).content
    else {
        panic!("vertices");
    };
    let corners = [-1.0f32, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0].map(f32::to_bits);
    assert_eq!((&*values, stride), (&corners[..], 2));
    let indices = content(&mut inspector, INDICES);
    assert!(matches!(indices.content, TextureContent::Indices(all) if all == [0, 1, 2, 0, 2, 3]));
    let program = content(&mut inspector, PROGRAM);
    assert_eq!(program.uses, [4, 9], "its upload, and setProgram");
    let TextureContent::Program([vertex, fragment]) = program.content else { panic!("a program") };
    assert!(vertex.contains("add op, vt0, vc1") && fragment.contains("mov oc, ft0"));
}

#[test]
fn textures_have_small_pictures() {
    let mut inspector = Inspector::new(knot());
    let call = inspector.passes(1).unwrap()[0].draws[0];
    let all = inspector.thumbnails(call, 32).unwrap();
    assert!(!all.is_empty());
    for (id, image) in all {
        let whole = inspector.content(call, id).unwrap().content;
        let TextureContent::Texture(pictures) = whole else { panic!("{id} is a texture") };
        let (width, height) = (pictures[0].image.width(), pictures[0].image.height());
        assert_eq!(image.width().max(image.height()), width.max(height).min(32));
    }
}

/// `setRenderToBackBuffer` sets output 0 to the back buffer and unsets other outputs [context3d.target.back].
#[test]
fn the_back_buffer_unbinds_the_textures_of_all_outputs() {
    let mut records: Vec<CaptureRecord> = opening();
    let CaptureRecord::Call(CallLine { call: Call::RequestContext3D { profile, .. }, .. }) =
        &mut records[0]
    else {
        panic!("a request");
    };
    *profile = OptionalParameter(Some(Some("standard".to_owned())));
    let textures = [ObjectId(6), ObjectId(7)];
    for id in textures {
        let create = Call::CreateTexture {
            width: 32,
            height: 32,
            format: name("bgra"),
            optimize_for_render_to_texture: true,
            streaming_levels: 0,
        };
        records.push(on(CONTEXT, create, Some(id)));
    }
    let target = |texture: Option<ObjectId>, output| {
        let call = Call::SetRenderToTexture {
            texture: texture.map(TextureId),
            enable_depth_and_stencil: false,
            anti_alias: 0,
            surface_selector: 0,
            color_output_index: output,
        };
        on(CONTEXT, call, None)
    };
    records.extend((0..).zip(textures).map(|(output, id)| target(Some(id), output)));
    records.push(target(None, 0));
    records.extend(frame(0));
    let inspector = Inspector::new(Capture::new(scene(1).header().clone(), records));
    let objects = inspector.objects().unwrap();
    let counts = textures.map(|id| {
        let title = format!("texture#{id} ");
        let used = objects.iter().find(|used| used.object.starts_with(&title)).unwrap();
        (used.uses, used.draws)
    });
    assert_eq!(counts, [(1, 0), (1, 0)], "calls that name a texture, and draws with it");
}
