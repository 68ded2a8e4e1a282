//! The notes about its objects and calls.

use std::collections::BTreeSet;
use std::sync::Arc;

use molehill_capture::objects::ObjectId;
use molehill_capture::{CallLine, Note};

use crate::capture::{Capture, Entry};
use crate::notes::CallSite;

impl Capture {
    /// The host's name of an object.
    pub fn label(&self, id: ObjectId) -> Option<&str> {
        self.notes().names.get(&id).map(String::as_str)
    }

    /// The names of the objects that calls create, and the stacks of the calls `of`.
    pub(crate) fn notes_about<'a>(
        &'a self,
        creating: &'a [CallLine],
        of: impl Iterator<Item = &'a CallLine>,
    ) -> impl Iterator<Item = Entry> + 'a {
        let notes = self.notes();
        let named = creating.iter().filter_map(|line| line.result).filter_map(|on| {
            let text = notes.names.get(&on)?.clone();
            Some(Note::Name { on, text })
        });
        let used: BTreeSet<u32> = of.filter_map(|line| line.stack).collect();
        let stacks = used.into_iter().filter_map(|number| {
            let functions = notes.stacks.get(&number)?.clone();
            Some(Note::Stack { number, functions })
        });
        named.chain(stacks).map(|note| Entry::Note(Arc::new(note)))
    }

    /// Where a call comes from.
    pub fn call_site(&self, call: usize, line: &CallLine) -> CallSite {
        let notes = self.notes();
        let stack = line.stack.and_then(|number| notes.stacks.get(&number));
        let frame = self.frame_of(call).map_or(0, |frame| frame.records.start);
        let markers = self.record_index(call).map_or(&[][..], |at| notes.parts_at(at, frame));
        let markers = markers.iter().map(|text| text.as_ref().to_owned()).collect();
        CallSite { markers, stack: stack.cloned().unwrap_or_default() }
    }
}
