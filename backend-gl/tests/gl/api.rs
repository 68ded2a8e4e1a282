//! Tests of statements in the crate's documentation.

/// The types that the crate's documentation lists as `Send` are `Send`.
#[test]
fn what_can_be_sent_is() {
    fn sent<T: Send + Sync>() {}
    sent::<backend_gl::DeviceOptions>();
    sent::<backend_gl::workarounds::Workarounds>();
    sent::<context3d::backend::FrameReadError>();
    sent::<backend_gl::offscreen::OffscreenOptions>();
    sent::<backend_gl::present::FrontExchange>();
    sent::<backend_gl::offscreen::OffscreenError>();
    sent::<backend_gl::offscreen::GlFactory>();
}

/// The list of GL's state in the documentation matches the table.
#[test]
fn every_piece_of_state_is_listed() {
    let text = include_str!("../../src/state.md");
    let listed: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("* **")?.split("**").next()).collect();
    assert!(!listed.is_empty());
    let names: Vec<&str> = backend_gl::state::names().collect();
    assert_eq!(listed, names);
}
