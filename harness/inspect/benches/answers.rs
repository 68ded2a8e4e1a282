//! How long answers take: `cargo bench -p molehill-inspect -- [CAPTURE...]`. Without captures: the demo, and it drawn until a
//! frame has 30,000 draws.
//!
//! Of the last frame that ends: the first `state`, `draws`, `pixel` and page of a draw of a fresh inspector, and the page of
//! another draw after them.

use std::path::Path;
use std::time::{Duration, Instant};

use molehill_capture::{Reader, Record};
use molehill_inspect::{Capture, Inspector, Limits};

const DRAWS: usize = 30_000;

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let done = work();
    (start.elapsed(), done)
}

/// What a window shows of a draw.
fn page(inspector: &mut Inspector, call: usize) {
    inspector.state(call).expect("the draw has a context");
    inspector.draw_pictures(call).expect("it draws");
    inspector.textures(call).expect("the draw has a context");
    inspector.mesh(call).expect("it draws");
}

fn measure(name: &str, open: &dyn Fn() -> Capture) {
    let (opened, capture) = timed(open);
    let Some(frame) = capture.frames().iter().rev().find(|frame| frame.ended) else {
        return println!("{name}: no frames");
    };
    let (number, calls) = (frame.number, frame.calls.clone());
    let header = capture.header();
    let middle = (header.stage_width / 2, header.stage_height / 2);
    let whole = capture.call_count();
    let inspector = Inspector::new(capture);
    let (first, passes) = timed(|| inspector.passes(number).expect("the frame is there"));
    let draws: Vec<usize> = passes.into_iter().flat_map(|pass| pass.draws).collect();
    let (Some(last), Some(other)) = (draws.last(), draws.get(draws.len() / 3)) else {
        return println!("{name}: frame {number} draws nothing");
    };
    let ms = |time: Duration| format!("{:.0}", time.as_secs_f64() * 1000.0);
    let again = || Inspector::new(std::sync::Arc::clone(inspector.capture()));
    let fresh = |work: &mut dyn FnMut(&mut Inspector)| {
        let mut inspector = again();
        ms(timed(|| work(&mut inspector)).0)
    };
    let cells = [
        ms(opened),
        ms(first),
        fresh(&mut |inspector| drop(inspector.state(*last))),
        fresh(&mut |inspector| drop(inspector.draws(number))),
        fresh(&mut |inspector| drop(inspector.pixel(number, middle))),
        fresh(&mut |inspector| page(inspector, *last)),
    ];
    let mut used = again();
    used.draws(number).expect("the frame is there");
    let next = [
        ms(timed(|| drop(used.state(*other))).0),
        ms(timed(|| drop(used.pixel(number, middle))).0),
        ms(timed(|| page(&mut used, *other)).0),
    ];
    let (calls, draws) = (calls.len(), draws.len());
    println!(
        "| {name} | {whole} | {number}: {calls} calls, {draws} draws | {} | {} |",
        cells.join(" | "),
        next.join(" | ")
    );
}

fn read(path: &Path, frames: Option<u32>) -> Capture {
    let reader = Reader::open(path).expect("a capture");
    let limits = Limits {
        last_frame: frames,
        ..Limits::default()
    };
    Capture::open(reader, limits).expect("a capture")
}

/// The demo's last frame, drawn until it has so many draws.
fn many(path: &Path) -> Capture {
    let mut records: Vec<Record> = Vec::new();
    let mut reader = Reader::open(path).expect("the demo");
    records.extend(reader.by_ref().map(|item| item.expect("the demo").1));
    let is_end = |record: &Record| matches!(record, Record::Frame(_));
    let end = records.iter().rposition(is_end).expect("it has frames");
    let start = records.iter().take(end).rposition(is_end);
    let frame: Vec<Record> = records
        .drain(start.map_or(0, |start| start + 1)..)
        .collect();
    let draws = frame.iter().filter(
        |record| matches!(record, Record::Call(line) if line.call.name().starts_with("draw")),
    );
    let times = DRAWS / draws.count().max(1);
    let inner = frame.iter().filter(|record| {
        !is_end(record) && !matches!(record, Record::Call(line) if line.call.name() == "present")
    });
    let inner: Vec<Record> = inner.cloned().collect();
    for _ in 0..times {
        records.extend(inner.iter().cloned());
    }
    records.extend(frame);
    Capture::new(reader.header().clone(), records)
}

fn main() {
    println!(
        "| capture | calls | last frame | open | passes | state | draws | pixel | page | next state | next pixel | next page |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let demo = Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../captures/knot.s3d.jsonl"
    ));
    let files: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with("--"))
        .collect();
    if files.is_empty() {
        measure("demo, 41 frames", &|| read(demo, Some(40)));
        measure("demo", &|| read(demo, None));
        measure("demo, one frame many times", &|| many(demo));
    }
    for file in &files {
        let path = Path::new(file);
        let folder = path.parent().and_then(Path::file_name);
        measure(&folder.unwrap_or_default().to_string_lossy(), &|| {
            read(path, None)
        });
    }
}
