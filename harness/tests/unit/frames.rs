use super::*;

#[test]
fn tells_what_is_not_there() {
    let lacks = |text: &str, frames: &[u32]| {
        let asked: FrameSelection = text.parse().unwrap();
        let mut ended = EndedFrames::default();
        frames.iter().for_each(|frame| ended.add(*frame, Some(&asked)));
        ended.lacks(&asked)
    };
    let frames: Vec<u32> = (0..48).collect();
    for (text, missing) in
        [("100", "100"), ("0,5,60", "60"), ("40-60", "48-60"), ("50,60", "50, 60")]
    {
        let message = format!("the capture has no frame {missing}; its frames are 0 to 47");
        assert_eq!(lacks(text, &frames), Some(message));
    }
    for text in ["all", "last", "0", "47", "0-47"] {
        assert_eq!(lacks(text, &frames), None, "{text}");
    }
    // Frame numbers may have gaps, and a capture may have no frames.
    assert_eq!(lacks("1-3", &[0, 2, 5]), None);
    let message = "the capture has no frame 3-4; its frames are 0 to 5";
    assert_eq!(lacks("3-4", &[0, 2, 5]).as_deref(), Some(message));
    assert_eq!(lacks("last", &[]).as_deref(), Some("the capture has no frames"));
    assert_eq!(lacks("all", &[]), None);
}
