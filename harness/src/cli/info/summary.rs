//! A summary from the index of a capture, without reading its calls.

use std::collections::BTreeMap;

use molehill_capture::{Header, Index};
use serde_json::{Value, json};

use crate::cli::capture::Interruption;

/// Frames, calls and objects.
pub(super) struct Summary<'a> {
    header: &'a Header,
    index: &'a Index,
    /// Numbers of the first and the last frame, and the number of frames.
    frames: Option<(u32, u32, usize)>,
    /// Objects by class.
    objects: BTreeMap<&'static str, u64>,
}

impl<'a> Summary<'a> {
    pub(super) fn new(header: &'a Header, index: &'a Index) -> Self {
        let mut numbers = index.frames().map(|(number, _)| number);
        let frames = numbers.next().map(|first| {
            let (last, more) = numbers.fold((first, 0), |(_, count), last| (last, count + 1));
            (first, last, more + 1)
        });
        let mut objects = BTreeMap::new();
        for created in index.objects() {
            *objects.entry(created.kind.name()).or_default() += 1;
        }
        Summary { header, index, frames, objects }
    }

    pub(super) fn text(&self) -> String {
        let Header { title, swf_version, stage_width, stage_height, .. } = self.header;
        let frames = match self.frames {
            None => "no frames".to_owned(),
            Some((first, last, count)) => format!("{count} frames ({first} to {last})"),
        };
        let mut text = format!(
            "{title} (SWF {swf_version}, stage {stage_width}×{stage_height})\n{frames}, {} calls\n",
            self.index.calls()
        );
        for (class, count) in &self.objects {
            text += &format!("  {count:>10}  {class}\n");
        }
        text
    }

    pub(super) fn json(&self, failure: Option<&Interruption>) -> Value {
        let (first, last, frames) = self
            .frames
            .map_or((None, None, 0), |(first, last, count)| (Some(first), Some(last), count));
        json!({
            "title": self.header.title, "swfVersion": self.header.swf_version,
            "stageWidth": self.header.stage_width, "stageHeight": self.header.stage_height,
            "frames": frames, "firstFrame": first, "lastFrame": last,
            "calls": self.index.calls(), "records": self.index.records(),
            "objects": self.objects, "failure": failure,
        })
    }
}
