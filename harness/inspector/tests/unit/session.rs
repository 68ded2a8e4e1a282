//! Tests the cache of query results in a session.

use molehill_analysis::CaptureLimits;
use molehill_capture::CaptureReader;
use molehill_replay::image::RgbaImage;

use super::*;

const CAPTURE: &[u8] = br##"{"stage3dCapture":1,"title":"","swfVersion":30,"stageWidth":4,"stageHeight":4,"stageColor":"#102030"}
{"frame":0}
"##;

/// Size in bytes of the image in each result.
const PICTURE: usize = 16 * 16 * 4;

fn session(kept_bytes: usize) -> Session {
    let capture =
        Capture::read(&mut CaptureReader::new(CAPTURE).unwrap(), CaptureLimits::default()).unwrap();
    let session = Session::new(Arc::new(capture), "c".to_owned(), 1, Link::default());
    Session { kept_bytes, ..session }
}

/// Queries a frame's image in one UI frame, and receives the result.
fn show(session: &mut Session, frame: u32) {
    let question = InspectorQuestion::Screen(frame);
    let is_shown = Cell::new(true);
    let new = CachedAnswer { question: question.clone(), reply: None, bytes: 0, is_shown };
    session.answers.push_back(new);
    session.drop_oldest();
    let image = Arc::new(RgbaImage::filled(16, 16, [1; 4]));
    session.take(1, question, Ok(QuestionReply::Screen(image)));
}

fn held(session: &Session) -> usize {
    session.answers.iter().map(|answer| answer.bytes).sum()
}

#[test]
fn answers_that_are_not_shown_have_a_limit_in_bytes() {
    let mut session = session(4 * PICTURE);
    for frame in 0..40 {
        show(&mut session, frame);
        assert!(held(&session) <= 5 * PICTURE, "frame {frame}: {} bytes", held(&session));
    }
    assert_eq!(held(&session), 5 * PICTURE);
    session.drop_oldest();
    assert_eq!(held(&session), 4 * PICTURE);
    assert!(session.cached(&InspectorQuestion::Screen(39)).is_some());
    assert!(session.cached(&InspectorQuestion::Screen(0)).is_none());
}

/// Visible results stay cached even above the limit. Dropped results would be queried again in every UI frame.
#[test]
fn shown_answers_stay() {
    let mut session = session(PICTURE);
    for frame in 0..9 {
        show(&mut session, frame);
        for shown in 0..=frame {
            assert!(
                session.answer(&InspectorQuestion::Screen(shown)).is_some(),
                "{shown} of {frame}"
            );
        }
    }
    assert_eq!(held(&session), 9 * PICTURE);
    session.drop_oldest();
    session.drop_oldest();
    assert_eq!(held(&session), PICTURE);
}

/// Checks the sizes of results that can be large.
#[test]
fn pictures_and_values_are_counted() {
    use molehill_analysis::textures::{ObjectContent, TextureContent};
    let image = || Arc::new(RgbaImage::filled(16, 16, [1; 4]));
    let thumbnails = (0..3).map(|id| (ObjectId(id), image())).collect();
    let content = TextureContent::Vertices { values: vec![0; 100], stride: 4 };
    let content = ObjectContent { content, uses: Vec::new() };
    for (reply, bytes) in [
        (QuestionReply::Screen(image()), PICTURE),
        (QuestionReply::Thumbnails(thumbnails), 3 * PICTURE),
        (QuestionReply::Content(content), 400),
        (QuestionReply::Search(vec![1, 2]), 16),
        (QuestionReply::Prepare(()), 0),
    ] {
        assert_eq!(reply.bytes(), bytes);
    }
}
