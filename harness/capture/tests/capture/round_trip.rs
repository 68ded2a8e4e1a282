//! Tests that written captures are read back unchanged, and that arbitrary bytes don't cause a panic.

use proptest::prelude::*;

use super::samples::{Entropy, line, notes, prologue, samples};
use super::{read, write, write_as};
use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{CALLS, Call, CallLine, CaptureRecord, EventLine, EventRecord, Form};

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        entropy in prop::collection::vec(any::<u8>(), 0..4096),
        throws in prop::option::of(any::<u16>()),
        time in prop::option::of(0.0..1e6),
        stack in prop::option::of(any::<u32>()),
        text in prop::option::of(any::<String>()),
    ) {
        let mut entropy = Entropy(entropy.into_iter());
        let mut records = prologue();
        for (index, (on, mut call)) in samples(&mut entropy).into_iter().enumerate() {
            let mut reason = None;
            if let Call::RequestContext3D { stage3d_index, .. } = &mut call {
                *stage3d_index = 0;
                reason = text.clone();
            }
            let result = call.creates().map(|_| ObjectId(100 + index as u64));
            let line = CallLine { throws, reason, time, stack, ..line(on, call, result) };
            records.push(CaptureRecord::Call(line));
        }
        for on in ObjectKind::ALL {
            records.extend(notes(&mut entropy, on));
        }
        records.push(CaptureRecord::Frame(entropy.byte().into()));
        let text = write_as(&records, Form::Lines);
        let back = read(&text).unwrap();
        // Debug text is compared, because NaN is not equal to itself.
        prop_assert_eq!(format!("{back:?}"), format!("{records:?}"));
        prop_assert_eq!(write_as(&back, Form::Lines), text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&text);
        let mut capture = write(&prologue());
        capture.extend(text);
        let _ = read(&capture);
    }

    #[test]
    fn damaged_captures_are_read_or_refused(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut capture = write(&prologue());
        let at = at.index(capture.len());
        capture[at] = byte;
        let _ = read(&capture);
    }
}

/// The keys of a record may have any order, and unknown ones are ignored.
#[test]
fn keys_have_any_order() {
    let on = ObjectId(ObjectKind::Texture as u64);
    let events = [EventRecord::TextureReady, EventRecord::Error(3700)]
        .map(|event| CaptureRecord::Event(EventLine { on, event, time: Some(0.5) }));
    let notes = notes(&mut Entropy(vec![5; 99].into_iter()), ObjectKind::Texture);
    let records =
        [prologue(), events.to_vec(), notes.to_vec(), vec![CaptureRecord::Frame(3)]].concat();
    let text = String::from_utf8(write_as(&records, Form::Lines)).unwrap();
    let reversed = text.lines().map(|line| {
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(line).unwrap();
        let unknown = [("unknown".to_owned(), serde_json::json!([{}]))];
        let object: serde_json::Map<_, _> = object.into_iter().rev().chain(unknown).collect();
        serde_json::to_string(&object).unwrap()
    });
    let reversed: Vec<String> = reversed.collect();
    assert_ne!(reversed.first().map(String::as_str), text.lines().next());
    let back = read(reversed.join("\n").as_bytes()).unwrap();
    assert_eq!(format!("{back:?}"), format!("{records:?}"));
}

#[test]
fn a_receiver_has_a_method_once() {
    let mut seen = std::collections::HashSet::new();
    for (info, receiver) in
        CALLS.iter().flat_map(|info| info.receivers.iter().map(move |receiver| (info, receiver)))
    {
        let name = info.name;
        assert!(seen.insert((receiver, name)), "{receiver}.{name} is in the table twice");
    }
    // The 55 calls of the shared captures (FORMAT.md); setters of three more properties; asynchronous uploads of three
    // classes; video textures; raw blocks for two classes; vectors of `float`.
    assert_eq!(seen.len(), 55 + 3 + 2 * 3 + 3 + 2 + 2);
}
