//! Calls and objects as text, and the memory that objects take.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use molehill_capture::CallLine;
use molehill_capture::objects::ObjectId;
use serde::Serialize;

use crate::calls::{is_dispose, is_draw, object_bytes, payload};
use crate::error::{InspectError, Result};
use crate::inspector::Inspector;
use crate::names::arguments;
use crate::notes::CallSite;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DumpLine {
    pub call: usize,
    pub line: u64,
    pub frame: u32,
    pub pass: u32,
    /// The receiver of the call, as `context#2`.
    pub on: String,
    /// ActionScript's name of the method or property.
    pub name: &'static str,
    pub arguments: Vec<(&'static str, String)>,
    /// The object that the call creates, with its title.
    pub result: Option<String>,
    /// Why the call did nothing: an error, a skipped draw, a missing feature. `None` if it succeeded.
    #[serde(rename = "trouble")]
    pub failure: Option<String>,
    #[serde(flatten)]
    pub call_site: CallSite,
}

impl fmt::Display for DumpLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DumpLine { call, frame, pass, on, name, .. } = self;
        let arguments = arguments(&self.arguments);
        write!(f, "{call:6}  {frame}.{pass}  {on}.{name}({arguments})")?;
        if let Some(result) = &self.result {
            write!(f, " -> {result}")?;
        }
        write!(f, "{}", self.call_site)?;
        self.failure.iter().try_for_each(|failure| write!(f, "  ! {failure}"))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ObjectUse {
    /// The object's title: `texture#7 "512×512 bgra"`.
    pub object: String,
    /// Uploaded bytes, all uploads together.
    pub bytes: u64,
    /// The call that created the object, or first named it; 0 for none.
    pub created: usize,
    pub uploads: usize,
    /// Number of calls with the object as an argument: they bind it, set it as a render target, or draw with it.
    pub uses: usize,
    /// Number of draws while the object was bound. [`Inspector::state`] tells whether their programs read it.
    pub draws: usize,
    pub last: usize,
    /// The call that disposed it; `None` if it was not disposed.
    pub disposed: Option<usize>,
}

impl ObjectUse {
    fn called(&mut self, call: usize, line: &CallLine) {
        let payload = payload(&line.call);
        self.uploads += usize::from(payload.is_some());
        self.bytes += payload.unwrap_or(0);
        self.disposed = self.disposed.or(is_dispose(&line.call).then_some(call));
    }
}

impl Inspector {
    pub fn dump(&self, calls: RangeInclusive<usize>) -> Result<Vec<DumpLine>> {
        if calls.is_empty() {
            return Err(InspectError::EmptyRange);
        }
        self.capture().record_index(*calls.end())?;
        calls.map(|call| self.line(call)).collect()
    }

    pub fn dump_frame(&self, frame: u32) -> Result<Vec<DumpLine>> {
        let calls = self.capture().frame(frame)?.calls.clone();
        calls.map(|call| self.line(call)).collect()
    }

    pub(crate) fn line(&self, call: usize) -> Result<DumpLine> {
        let capture = self.capture();
        let (number, line) = capture.call(call)?;
        let status = self.call_status(call)?;
        Ok(DumpLine {
            call,
            line: number,
            frame: capture.frame_of(call).map_or(0, |frame| frame.number),
            pass: status.pass,
            on: capture.name(line.on),
            name: line.call.name(),
            arguments: line.call.arguments(&|id| capture.name(id)),
            result: line.result.map(|id| capture.title(id)),
            failure: status.failure(),
            call_site: capture.call_site(call, &line),
        })
    }

    pub fn objects(&self) -> Result<Vec<ObjectUse>> {
        let capture = self.capture();
        let titled = capture.objects().iter().map(|(id, object)| {
            let (created, object) = (object.created, capture.title(*id));
            (*id, ObjectUse { object, created, ..ObjectUse::default() })
        });
        let mut uses: BTreeMap<ObjectId, ObjectUse> = titled.collect();
        let dry_run = self.dry_run(capture.record_count())?;
        for call in 1..=capture.call_count() {
            let (_, line) = capture.call(call)?;
            let named: Vec<ObjectId> = line.call.objects().iter().map(|(_, id)| *id).collect();
            let mut each = |ids: &[ObjectId], count: &dyn Fn(&mut ObjectUse)| {
                for id in ids {
                    uses.get_mut(id).into_iter().for_each(count);
                }
            };
            each(&named, &|used| used.last = call);
            each(&[line.on], &|used| used.last = call);
            if !dry_run.get(call).succeeded() {
                continue;
            }
            each(&[line.on], &|used| used.called(call, &line));
            each(&named, &|used| used.uses += 1);
            if is_draw(&line.call) {
                let bound = dry_run.writes.bound(line.on, call).map(|(.., id)| id);
                let mut with: Vec<ObjectId> = bound.chain(named).collect();
                with.sort_unstable();
                with.dedup();
                each(&with, &|used| used.draws += 1);
            }
        }
        Ok(uses.into_values().collect())
    }
}

/// The bytes of the objects that exist after some calls.
#[derive(Default)]
pub struct Memory {
    calls: usize,
    objects: BTreeMap<ObjectId, u64>,
}

impl Memory {
    /// The bytes after the calls before `end`, which may not go back.
    pub fn at(&mut self, inspector: &Inspector, end: usize) -> Result<u64> {
        for call in self.calls + 1..end {
            let (_, line) = inspector.capture().call(call)?;
            let bytes = object_bytes(&line.call).filter(|_| line.throws.is_none());
            if let Some(bytes) = bytes {
                self.objects.insert(line.result.unwrap_or(line.on), bytes);
            } else if is_dispose(&line.call) {
                self.objects.remove(&line.on);
            }
        }
        self.calls = self.calls.max(end.saturating_sub(1));
        Ok(self.objects.values().fold(0, |sum, bytes| sum.saturating_add(*bytes)))
    }
}
