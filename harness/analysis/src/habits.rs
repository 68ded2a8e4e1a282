//! Typical values of draws: values that mostly stay the same from frame to frame.

use crate::number::text;
use crate::sentence::{Sentence, SentenceValue, Subject, sentence};
use crate::state_items::StateSlot;

/// A typical value of a draw, which mostly stays the same from frame to frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Habit {
    /// The buffers of the draw's render target that were cleared in the frame.
    Cleared(String),
    FirstIndex(i32),
    Constant(StateSlot, [f32; 4]),
    /// True if the object that is bound to a slot was uploaded in the frame of the draw.
    Uploaded(StateSlot, bool),
}

impl Habit {
    pub(crate) fn name(&self) -> Sentence {
        match self {
            Habit::Cleared(_) => sentence![Subject::Clear, Subject::Clear.to_string()],
            Habit::FirstIndex(_) => "firstIndex".into(),
            Habit::Constant(slot, _) => sentence!["constant ", *slot],
            Habit::Uploaded(slot, _) => {
                let subject = Subject::Content(*slot);
                sentence![subject, "the content of ", slot.item.name(), SentenceValue(slot.index)]
            }
        }
    }

    /// Returns the differing components of two constants, such as `.xy`, or nothing if all four differ.
    pub(crate) fn components(&self, other: &Habit) -> SentenceValue<String> {
        let letters = self.differing(other).into_iter().flatten().map(|(letter, _)| letter);
        let letters = String::from_iter(letters);
        let is_part = (1..4).contains(&letters.len());
        SentenceValue(if is_part { format!(".{letters}") } else { String::new() })
    }

    /// Returns the constant, upload, clear or first index as text. For a constant, returns only the components that
    /// differ from `other`.
    pub(crate) fn value(&self, other: &Habit) -> Sentence {
        match self {
            Habit::Cleared(buffers) => buffers.as_str().into(),
            Habit::FirstIndex(index) => sentence![SentenceValue(index)],
            Habit::Uploaded(_, true) => "uploaded in the frame".into(),
            Habit::Uploaded(_, false) => "not uploaded in the frame".into(),
            Habit::Constant(..) => {
                let values = self.differing(other).into_iter().flatten().map(|(_, value)| value);
                sentence![SentenceValue(text(&Vec::from_iter(values)))]
            }
        }
    }

    /// Returns the differing components of two constants, with the values of the first. NaN equals NaN, and -0 equals
    /// 0. Returns `None` if either value isn't a constant.
    pub(crate) fn differing(&self, other: &Habit) -> Option<Vec<(char, f32)>> {
        let (Habit::Constant(_, one), Habit::Constant(_, two)) = (self, other) else { return None };
        let all = "xyzw".chars().zip(one.iter().zip(two));
        let differ = all.filter(|(_, (one, two))| one != two && !(one.is_nan() && two.is_nan()));
        Some(differ.map(|(letter, (one, _))| (letter, *one)).collect())
    }

    /// Returns whether both values belong to the same constant register, uploaded object, clear or first index.
    pub(crate) fn is_like(&self, other: &Habit) -> bool {
        match (self, other) {
            (Habit::Constant(one, _), Habit::Constant(two, _))
            | (Habit::Uploaded(one, _), Habit::Uploaded(two, _)) => one == two,
            (one, two) => std::mem::discriminant(one) == std::mem::discriminant(two),
        }
    }

    /// Returns whether the constants, uploads, clears or first indices are equal.
    pub(crate) fn equals(&self, other: &Habit) -> bool {
        self.differing(other).map_or_else(|| self == other, |components| components.is_empty())
    }
}
