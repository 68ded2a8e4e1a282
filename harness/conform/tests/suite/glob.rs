//! Tests of patterns for names of test cases.

use molehill_conform::names::matches;

#[test]
fn stars_questions_and_stems() {
    for (pattern, name) in [
        ("api.blend.*", "api.blend.one.zero"),
        ("api.blend", "api.blend.one.zero"),
        ("*.zero", "api.blend.one.zero"),
        ("a?i.*.o*e", "api.blend.one.zero"),
        ("*", "x"),
        ("x", "x"),
        ("**b*c**", "abbbc"),
    ] {
        assert!(matches(pattern, name), "{pattern} {name}");
    }
    for (pattern, name) in [
        ("api.ble", "api.blend.one.zero"),
        ("api.blend.?", "api.blend.one"),
        ("", "x"),
        ("one", "api.one"),
    ] {
        assert!(!matches(pattern, name), "{pattern} {name}");
    }
    assert!(!matches(&"*a".repeat(2000), &"a".repeat(1000)));
}
