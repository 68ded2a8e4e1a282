//! Tests parsing and formatting of links.

use molehill_analysis::FrameSelection;
use molehill_inspector::link::Link;

#[test]
fn an_address_selects_and_is_written_as_it_was_read() {
    let address = "?capture=a%20b.s3d&compare=c.png#frame=3&draw=12&at=100,80&step";
    let link = Link::parse(address).expect("valid");
    assert_eq!(link.capture.as_deref(), Some("a b.s3d"));
    assert_eq!(link.compare.as_deref(), Some("c.png"));
    assert_eq!(
        (link.frame.clone(), link.draw),
        (Some(FrameSelection::Ranges(vec![3..=3])), Some(12))
    );
    assert_eq!(link.fragment(), "#frame=3&draw=12&at=100,80&step");
    assert_eq!(Link::default().fragment(), "");
    let last = Link::parse("#frame=last&call=last").expect("valid");
    assert_eq!(
        (&last.frame, &last.call),
        (&Some(FrameSelection::Last), &Some(FrameSelection::Last))
    );
    assert_eq!(last.fragment(), "#frame=last&call=last");
}

#[test]
fn a_wrong_value_is_named() {
    let error = Link::parse("#at=1").expect_err("no y");
    assert_eq!(error, "at=1: expected a pixel as X,Y");
    for several in ["x", "all", "3-4", "-1", ""] {
        let error = Link::parse(&format!("#frame={several}")).expect_err(several);
        assert_eq!(error, format!("frame={several}: expected one number, such as 3, or last"));
    }
    assert_eq!(Link::parse("?capture=%zz%").expect("kept").capture.as_deref(), Some("%zz%"));
}
