//! [`History`]: what the calls of a capture before a cut did to its objects.

use std::collections::{BTreeMap, BTreeSet};

use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};

use crate::capture::{Capture, Entry};
use crate::error::Result;
use crate::inspector::Inspector;
use crate::writes::Part;

#[derive(Default)]
pub(crate) struct History {
    pub(crate) created: Vec<(ObjectId, CallLine)>,
    /// Successful uploads by receiver, without those that a later upload replaced.
    pub(crate) uploads: BTreeMap<ObjectId, Vec<CallLine>>,
    pub(crate) disposed: BTreeSet<ObjectId>,
    pub(crate) rendered: BTreeSet<ObjectId>,
    /// The last successful call by receiver and name: of the setters of a Stage3D, `configureBackBuffer`,
    /// `maxBackBufferWidth` and `maxBackBufferHeight`.
    pub(crate) settings: BTreeMap<(ObjectId, &'static str), CallLine>,
    /// Whether an upload was asynchronous.
    pub(crate) asynchronous: bool,
}

impl History {
    pub(crate) fn of(inspector: &Inspector, capture: &Capture, cut: usize) -> Result<History> {
        let mut history = History::default();
        let dry_run = inspector.dry_run(cut)?;
        let mut count = 0;
        for record in capture.records(0..cut) {
            let (_, Entry::Call(line)) = record? else { continue };
            count += 1;
            if let Some(id) = line.result {
                history.created.push((id, (*line).clone()));
            }
            if dry_run.get(count).succeeded() {
                history.note(&line);
            }
        }
        let earlier = dry_run.passes.iter().filter(|pass| pass.calls.start <= count);
        history.rendered =
            earlier.flat_map(|pass| pass.targets.iter().map(|face| face.texture)).collect();
        Ok(history)
    }

    fn note(&mut self, line: &CallLine) {
        match &line.call {
            Call::SetX { .. }
            | Call::SetY { .. }
            | Call::SetVisible { .. }
            | Call::ConfigureBackBuffer { .. }
            | Call::SetMaxBackBufferWidth { .. }
            | Call::SetMaxBackBufferHeight { .. } => {
                let key = (line.on, line.call.name());
                self.settings.insert(key, line.clone());
            }
            call if call.name() == "dispose" => drop(self.disposed.insert(line.on)),
            call => {
                let Some(part) = Part::of(call) else { return };
                let uploads = self.uploads.entry(line.on).or_default();
                match part {
                    Part::All => uploads.clear(),
                    part => uploads.retain(|earlier| Part::of(&earlier.call) != Some(part)),
                }
                let mut line = line.clone();
                line.call = in_time(line.call, &mut self.asynchronous);
                uploads.push(line);
            }
        }
    }
}

/// The synchronous form of an upload: it is complete at the cut.
fn in_time(call: Call, asynchronous: &mut bool) -> Call {
    let synchronous = match call {
        Call::TextureUploadFromBitmapDataAsync { source, side, miplevel } => {
            Call::TextureUploadFromBitmapData { source, side, miplevel }
        }
        Call::TextureUploadFromByteArrayAsync { data, byte_array_offset, side, miplevel } => {
            Call::TextureUploadFromByteArray { data, byte_array_offset, side, miplevel }
        }
        Call::TextureUploadCompressedFromByteArray { data, byte_array_offset, is_async: true } => {
            Call::TextureUploadCompressedFromByteArray { data, byte_array_offset, is_async: false }
        }
        call => return call,
    };
    *asynchronous = true;
    synchronous
}
