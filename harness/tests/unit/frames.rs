use super::*;

#[test]
fn reads_words_numbers_and_ranges() {
    assert_eq!(Frames::parse("all"), Ok(Frames::All));
    assert_eq!(Frames::parse("last"), Ok(Frames::Last));
    let some = Frames::parse("0,5,10-20,4294967295").unwrap();
    assert_eq!(some, Frames::Some(vec![0..=0, 5..=5, 10..=20, u32::MAX..=u32::MAX]));
    let among: Vec<u32> = (0..30).filter(|frame| some.contains(*frame)).collect();
    assert_eq!(among, [0, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    assert!(Frames::All.contains(7) && !Frames::Last.contains(7));
    assert_eq!((some.end(), Frames::Last.end()), (Some(u32::MAX), None));
    for text in ["", "first", "1,", "-1", "1-", "+1", "4294967296", "5-3", "1 2", "1--2", "All"] {
        assert!(Frames::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn tells_what_is_not_there() {
    let lacks = |text: &str, frames: &[u32]| {
        let asked = Frames::parse(text).unwrap();
        let mut ended = Ended::default();
        frames.iter().for_each(|frame| ended.add(*frame, Some(&asked)));
        ended.lacks(&asked)
    };
    let frames: Vec<u32> = (0..48).collect();
    for (text, missing) in
        [("100", "100"), ("0,5,60", "60"), ("40-60", "48-60"), ("50,60", "50, 60")]
    {
        let message = format!("no frame {missing}: the capture has frames 0 to 47");
        assert_eq!(lacks(text, &frames), Some(message));
    }
    for text in ["all", "last", "0", "47", "0-47"] {
        assert_eq!(lacks(text, &frames), None, "{text}");
    }
    // Numbers may be skipped, and there may be no frames.
    assert_eq!(lacks("1-3", &[0, 2, 5]), None);
    let message = "no frame 3-4: the capture has frames 0 to 5";
    assert_eq!(lacks("3-4", &[0, 2, 5]).as_deref(), Some(message));
    assert_eq!(lacks("last", &[]).as_deref(), Some("the capture has no frames"));
    assert_eq!(lacks("all", &[]), None);
}
