//! Links are read and written.

use molehill_inspector::link::Link;

#[test]
fn an_address_selects_and_is_written_as_it_was_read() {
    let address = "?capture=a%20b.s3d&compare=c.png#frame=3&draw=12&at=100,80&step";
    let link = Link::parse(address).expect("valid");
    assert_eq!(link.capture.as_deref(), Some("a b.s3d"));
    assert_eq!(link.compare.as_deref(), Some("c.png"));
    assert_eq!((link.frame, link.draw), (Some(3), Some(12)));
    assert_eq!(link.fragment(), "#frame=3&draw=12&at=100,80&step");
    assert_eq!(Link::default().fragment(), "");
}

#[test]
fn a_wrong_value_is_named() {
    let error = Link::parse("#at=1").expect_err("no y");
    assert_eq!(error, "at=1: expected a pixel as X,Y");
    assert!(Link::parse("#frame=x").is_err());
    assert_eq!(Link::parse("?capture=%zz%").expect("kept").capture.as_deref(), Some("%zz%"));
}
