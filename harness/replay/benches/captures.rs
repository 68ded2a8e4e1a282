//! Measures the speed of reading captures in both file formats, and the cost of recording relative to a replay. Times
//! are processor times of the whole process, because drivers have threads. `cargo bench -p molehill-replay -- FILE…`

use std::fs;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use backend_gl::offscreen::{Api, GlFactory, OffscreenOptions};
use context3d::backend::{Backend, BackendFactory, ReadSurface};
use context3d::{Context3D, ContextOptions, Profile};
use molehill_capture::commands::{Ids, ReplayObject, Resolver, command};
use molehill_capture::{
    Call, CaptureReader, CaptureRecord, CaptureRecorder, CaptureWriter, Form, RecordedContext,
};

/// Number of measurements, each of a replay with and a replay without recording.
const TURNS: usize = 7;

/// Returns the processor time of the process, in ticks of 10 ms (`man 5 proc`, utime and stime), or the wall time since
/// `start` where there is no procfs.
fn processor_time(start: Instant) -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').skip(11);
    let ticks: Vec<u64> = fields.take(2).filter_map(|ticks| ticks.parse().ok()).collect();
    match ticks.as_slice() {
        [user, system] => Duration::from_millis(10 * (user + system)),
        _ => start.elapsed(),
    }
}

/// Returns the processor time of this thread (`man 5 proc`, schedstat), or zero where there is no procfs.
fn host_time() -> Duration {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let run = stat.split(' ').next().and_then(|run| run.parse().ok());
    Duration::from_nanos(run.unwrap_or(0))
}

fn read(path: &Path) {
    CaptureReader::open(path).unwrap().for_each(|item| drop(item.unwrap()));
}

/// Returns the bytes of arrays, vectors, matrices and bitmaps that a call passes.
fn payload(record: &CaptureRecord) -> usize {
    let CaptureRecord::Call(line) = record else { return 0 };
    let bytes = match &line.call {
        Call::TextureUploadFromBitmapData { source: Some(source), .. } => Some(source.bgra.len()),
        Call::TextureUploadFromByteArray { data, .. }
        | Call::TextureUploadCompressedFromByteArray { data, .. }
        | Call::VertexBufferUploadFromByteArray { data, .. }
        | Call::IndexBufferUploadFromByteArray { data, .. }
        | Call::SetProgramConstantsFromByteArray { data, .. } => {
            data.0.as_ref().map(|data| data.bytes.len())
        }
        Call::VertexBufferUploadFromVector { data: Some(data), .. }
        | Call::SetProgramConstantsFromVector { data: Some(data), .. } => Some(8 * data.0.len()),
        Call::IndexBufferUploadFromVector { data: Some(data), .. } => Some(4 * data.0.len()),
        Call::SetProgramConstantsFromMatrix { matrix: Some(_), .. } => Some(128),
        _ => None,
    };
    bytes.unwrap_or(0)
}

/// Replays a capture on a context, with or without recording. Returns the processor times of thread and process.
fn replay(
    records: &[CaptureRecord],
    profile: Profile,
    swf_version: u32,
    recorder: Option<CaptureRecorder<BufWriter<fs::File>>>,
) -> [Duration; 2] {
    let mut recorder = recorder;
    let start = Instant::now();
    let mut backend = GlFactory::new(OffscreenOptions::new(Api::OpenGl)).create().unwrap();
    backend.read_pixels(ReadSurface::Front, &mut Vec::new()).ok();
    let before = [processor_time(start), host_time()];
    let mut context = Context3D::new(backend, ContextOptions { profile, swf_version });
    let mut ids = Ids::default();
    let mut name: Option<RecordedContext> = None;
    for record in records {
        match record {
            CaptureRecord::Call(line) => match &line.call {
                Call::RequestContext3D { stage3d_index, .. } => {
                    name = recorder
                        .as_mut()
                        .map(|recorder| recorder.context(*stage3d_index, "auto", profile));
                    ids.insert(line.result.unwrap(), ReplayObject::Context(0));
                }
                Call::SetX { .. } | Call::SetY { .. } | Call::SetVisible { .. } => {}
                call => {
                    let Some(receiver) = ids.get(line.on) else {
                        continue;
                    };
                    let resolver = Resolver::new(&ids);
                    let command = command(call, &receiver, &resolver).unwrap();
                    let result = context.execute(&command);
                    if let Some((recorder, name)) = recorder.as_mut().zip(name) {
                        recorder.call(name, &command, &result);
                    }
                    let created = result.ok().and_then(|reply| ReplayObject::created(0, &reply));
                    if let Some((id, object)) = line.result.zip(created) {
                        ids.insert(id, object);
                    }
                }
            },
            CaptureRecord::Frame(_) => {
                if let Some(recorder) = &mut recorder {
                    recorder.end_frame();
                }
                while context.take_texture_event().is_some() {}
            }
            CaptureRecord::Event(_) | CaptureRecord::Note(_) => {}
        }
    }
    context.backend_mut().read_pixels(ReadSurface::Front, &mut Vec::new()).ok();
    if let Some(recorder) = recorder {
        recorder.finish().unwrap();
    }
    let [all, host] = before;
    [processor_time(start) - all, host_time() - host]
}

fn main() {
    let files = std::env::args_os().skip(1).map(PathBuf::from).filter(|path| path.is_file());
    println!(
        "capture: payload MB, .s3d MB; read GB/s: lines, binary; write GB/s; replay s, +recording % in all threads, in the host's"
    );
    let mut sums = [0.0; 7];
    for path in files {
        let reader = CaptureReader::open(&path).unwrap();
        let (header, version) = (reader.header().clone(), reader.version());
        let all: Vec<CaptureRecord> = reader.map(|item| item.unwrap().1).collect();
        let bytes = all.iter().map(payload).sum::<usize>() as f64 / 1e9;
        let start = Instant::now();
        let timed = |mut run: Box<dyn FnMut() + '_>| {
            let times = (0..3).map(|_| {
                let before = processor_time(start);
                run();
                (processor_time(start) - before).as_secs_f64()
            });
            times.fold(f64::MAX, f64::min).max(0.005)
        };
        let write = |form| {
            let mut writer = CaptureWriter::with_form(Vec::new(), &header, form, version).unwrap();
            all.iter().for_each(|record| writer.write(record).unwrap());
            writer.finish().unwrap()
        };
        let (lines, binary) = (write(Form::Lines), write(Form::Binary));
        let files = [(&lines, "lines"), (&binary, "binary")].map(|(bytes, name)| {
            let file =
                std::env::temp_dir().join(format!("molehill-bench-{}-{name}", std::process::id()));
            fs::write(&file, bytes).unwrap();
            file
        });
        let read_lines = timed(Box::new(|| read(&files[0])));
        let read_binary = timed(Box::new(|| read(&files[1])));
        let written = timed(Box::new(|| drop(write(Form::Binary))));
        files.iter().for_each(|file| fs::remove_file(file).unwrap());
        let profile = all.iter().find_map(|record| match record {
            CaptureRecord::Call(line) => match &line.call {
                Call::RequestContext3D { profile, .. } => {
                    Profile::from_name(profile.0.as_ref()?.as_deref()?)
                }
                _ => None,
            },
            _ => None,
        });
        let profile = profile.unwrap_or(Profile::Baseline);
        let play = |recorder| {
            replay(&all, profile, header.swf_version, recorder).map(|time| time.as_secs_f64())
        };
        let file = std::env::temp_dir().join(format!("molehill-bench-{}.s3d", std::process::id()));
        let recorder = || {
            // Remove the previous recording, because a recorder never replaces a file.
            let _ = fs::remove_file(&file);
            Some(CaptureRecorder::create(&file, &header, u64::MAX).unwrap())
        };
        // Warm up: the first replay compiles the shaders for all later replays.
        play(None);
        // Alternate replays with and without a recorder, so that other work on the machine affects both medians about
        // equally.
        let turns: Vec<[[f64; 2]; 2]> =
            (0..TURNS).map(|_| [play(None), play(recorder())]).collect();
        fs::remove_file(&file).unwrap();
        let median = |recorded: usize, thread: usize| {
            let mut times: Vec<f64> = turns.iter().map(|turn| turn[recorded][thread]).collect();
            times.sort_unstable_by(f64::total_cmp);
            times[TURNS / 2]
        };
        let (without, with) = (median(0, 0), median(1, 0));
        let host = median(1, 1) - median(0, 1);
        println!(
            "{}: {:.1}, {:.1}; {:.3}, {:.3}; {:.3}; {without:.2}, {:+.1}, {:+.1}",
            path.parent().and_then(|folder| folder.file_name()).unwrap_or_default().display(),
            bytes * 1e3,
            binary.len() as f64 / 1e6,
            bytes / read_lines,
            bytes / read_binary,
            bytes / written,
            (with / without - 1.0) * 100.0,
            host / without * 100.0,
        );
        let row = [bytes, read_lines, read_binary, written, without, with, host];
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    let [bytes, lines, binary, written, without, with, host] = sums;
    println!(
        "all: {:.1} MB; {:.3}, {:.3}; {:.3}; {without:.2}, {:+.1}, {:+.1}",
        bytes * 1e3,
        bytes / lines,
        bytes / binary,
        bytes / written,
        (with / without - 1.0) * 100.0,
        host / without * 100.0,
    );
}
