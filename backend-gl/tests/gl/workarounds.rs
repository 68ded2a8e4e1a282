//! Tests the table of workarounds, and forced workarounds.

use backend_gl::workarounds::{Workaround, Workarounds};

#[test]
fn rows_have_names_of_their_own_and_missing_features_come_first() {
    let mut names: Vec<_> = Workaround::all().map(Workaround::name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), Workaround::all().count());
    assert!((1..=64).contains(&names.len()));
    assert!(Workaround::all().is_sorted_by_key(Workaround::is_bug));
    for row in Workaround::all() {
        let text = [row.what(), row.source(), row.remedy()];
        assert!(text.iter().all(|text| !text.is_empty()), "{row:?}");
        assert!(!row.name().contains([',', '=', ' ']), "{row:?}");
    }
}

#[test]
fn the_last_word_counts() {
    let parse = |text: &str| text.parse::<Workarounds>();
    let forced = parse("rgb8-for-565=on,one-sample=off").expect("known names");
    let later = parse("rgb8-for-565=off").expect("a known name");
    assert_eq!(forced.with(later).to_string(), "rgb8-for-565=off,one-sample=off");
    assert!(parse("").expect("nothing").is_empty());
    let decoded = "decode-dxt-on-cpu=on,decode-etc2-on-cpu=on";
    assert_eq!(Workarounds::without_blocks().to_string(), decoded);
    for wrong in ["x=on", "rgb8-for-565", "rgb8-for-565=yes"] {
        let error = parse(wrong).expect_err(wrong).to_string();
        assert!(error.contains("clip-depth-in-shader"), "{error}");
    }
}
