//! Measures whole replays of captures, without reading the file or reading back images.

use std::path::Path;

use allocation_counter::measure;
use backend_gl::offscreen::{Api, Offscreen, OffscreenOptions};
use context3d::backend::{BackendError, BackendFactory, NullFactory};
use molehill_capture::{Call, CallLine, CaptureHeader, CaptureReader, CaptureRecord};
use molehill_reference::{RasterOptions as ReferenceOptions, ReferenceFactory};
use molehill_replay::{ReplayOptions, Replayer};
use molehill_testing::trace::{CallTrace, NoopFactory, record, recorded};

use crate::lanes::{Lane, take_turns, time};
use crate::row::{Row, float};
use crate::{Failed, Target, unfiltered, wgpu_backend};

/// A capture that is read into memory before it is measured.
pub(crate) struct Recorded {
    header: CaptureHeader,
    records: Vec<(u64, CaptureRecord)>,
}

impl Recorded {
    /// Reads the whole capture.
    ///
    /// # Errors
    /// The file can't be opened, or is not a valid capture; the message begins with the path.
    pub(crate) fn read(path: &Path) -> Result<Self, Failed> {
        let failed = |error: &dyn std::fmt::Display| Failed(format!("{}: {error}", path.display()));
        let mut reader = CaptureReader::open(path).map_err(|error| failed(&error))?;
        let records = reader.by_ref().collect::<Result<_, _>>();
        Ok(Recorded {
            header: reader.header().clone(),
            records: records.map_err(|error| failed(&error))?,
        })
    }

    fn calls(&self) -> impl Iterator<Item = &CallLine> {
        self.records.iter().filter_map(|(_, record)| record.call())
    }

    fn frames(&self) -> usize {
        self.records.iter().filter(|(_, record)| record.frame().is_some()).count()
    }

    /// Replays the capture. `at_frame` is called at the end of every frame.
    fn play<F: BackendFactory>(
        &self,
        factory: F,
        mut at_frame: impl FnMut(),
    ) -> Result<Replayer<F>, Failed> {
        let mut replayer = Replayer::new(&self.header, factory, ReplayOptions::default());
        for (line, record) in &self.records {
            let outcome = replayer.record(*line, record);
            outcome.map_err(|error| Failed(error.located("capture")))?;
            if record.frame().is_some() {
                at_frame();
            }
        }
        Ok(replayer)
    }

    /// Returns a row without times: counts that don't depend on the machine, with OpenGL functions that do nothing.
    ///
    /// # Errors
    /// The replay fails.
    pub(crate) fn count(&self, name: &str) -> Result<Row, Failed> {
        let (row, _) = self.counted(name)?;
        Ok(row)
    }

    fn counted(&self, name: &str) -> Result<(Row, CallTrace), Failed> {
        let mut row = Row { name: name.to_owned(), frames: self.frames() as u64, ..Row::default() };
        for call in self.calls() {
            row.calls += 1;
            row.draws += u64::from(matches!(
                call.call,
                Call::DrawTriangles { .. } | Call::DrawTrianglesInstanced { .. }
            ));
            unfiltered::add(&mut row.unfiltered, call.call.name());
        }
        let (played, trace) = record(|| self.play(NoopFactory { recorded: true }, || ()));
        row.programs = played?.report().programs;
        row.gl_calls = trace.counts();
        row.bytes = trace.bytes_read();
        self.count_memory(&mut row)?;
        Ok((row, trace))
    }

    /// Sets the median number of allocations per frame in the second half of the capture, and the peak memory of a
    /// replay.
    fn count_memory(&self, row: &mut Row) -> Result<(), Failed> {
        let mut failed = None;
        let whole = measure(|| failed = self.play(NoopFactory::default(), || ()).err());
        if let Some(failed) = failed {
            return Err(failed);
        }
        row.peak = whole.bytes_max;
        let factory = NoopFactory::default();
        let mut replayer = Replayer::new(&self.header, factory, ReplayOptions::default());
        let mut frames = Vec::new();
        let mut rest = self.records.as_slice();
        while let Some(end) = rest.iter().position(|(_, record)| record.frame().is_some()) {
            let (frame, later) = rest.split_at(end + 1);
            rest = later;
            let counted = measure(|| {
                for (line, record) in frame {
                    // The previous replay has shown that no call fails.
                    drop(replayer.record(*line, record));
                }
            });
            frames.push(counted.count_total);
        }
        let mut later = frames.split_off(frames.len() / 2);
        later.sort_unstable();
        row.allocations = float(later.get(later.len() / 2).copied().unwrap_or(0));
        Ok(())
    }

    fn lane<'a, F: BackendFactory + 'a>(
        &'a self,
        target: Target,
        mut factory: impl FnMut() -> Result<F, Failed> + 'a,
    ) -> Lane<'a> {
        Box::new(move || {
            let factory = factory()?;
            let mut kept = None;
            let took = time(target, || {
                kept = Some(self.play(factory, || ())?);
                Ok(())
            });
            // Objects are freed after the measured time.
            drop(kept);
            took
        })
    }
}

/// Opens a GL context and its device, so that creating backends is fast.
fn open(options: &OffscreenOptions) -> Result<Offscreen, Failed> {
    let context = Offscreen::open_with(options)?;
    context.device()?;
    Ok(context)
}

/// Measures a capture: `rounds` replays of each variant, alternating.
///
/// # Errors
/// The target can't be opened, or the replay fails.
pub(crate) fn capture(
    recording: &Recorded,
    name: &str,
    target: Target,
    rounds: usize,
) -> Result<Row, Failed> {
    let (mut row, trace) = recording.counted(name)?;
    let mut lanes = vec![
        recording.lane(target, || Ok(NullFactory)),
        recording.lane(target, || Ok(NoopFactory::default())),
    ];
    let mut floor = false;
    match target {
        Target::Null => {}
        Target::Noop => {
            lanes.push(Box::new(move || time(target, || Ok(trace.issue(None)?))));
            floor = true;
        }
        Target::Gl | Target::Gles => {
            let api = if target == Target::Gl { Api::OpenGl } else { Api::Gles };
            let options = OffscreenOptions { exclusive: true, ..OffscreenOptions::new(api) };
            lanes.push(recording.lane(target, move || {
                let context = open(&options)?;
                Ok(move || context.backend())
            }));
            let context = open(&recorded(options))?;
            let (played, on_gl) = record(|| recording.play(|| context.backend(), || ()).map(drop));
            played?;
            row.gl_calls = on_gl.counts();
            row.bytes = on_gl.bytes_read();
            let issue = move || {
                let fresh = open(&options)?;
                time(target, || Ok(on_gl.issue(Some(&fresh))?))
            };
            // Issuing the recorded calls again fails if the driver assigns other object names.
            match issue() {
                Ok(_) => {
                    lanes.push(Box::new(issue));
                    floor = true;
                }
                Err(error) => row.no_floor = Some(error.to_string()),
            }
        }
        Target::Reference => {
            let factory = || Ok(ReferenceFactory(ReferenceOptions::default()));
            lanes.push(recording.lane(target, factory));
        }
        Target::Wgpu => lanes.push(recording.lane(target, || {
            let mut backend = Some(wgpu_backend()?);
            Ok(move || backend.take().ok_or(BackendError::Lost))
        })),
    }
    let mut samples = take_turns(&mut lanes, rounds, float(row.draws.max(1)))?;
    row.floor = if floor { samples.pop() } else { None };
    row.front = samples.first().cloned();
    row.own = (target != Target::Null).then(|| samples.get(1).cloned()).flatten();
    row.total = match target {
        Target::Null => row.front.clone(),
        _ => samples.pop(),
    }
    .unwrap_or_default();
    Ok(row)
}
