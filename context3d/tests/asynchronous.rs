//! Asynchronous uploads that are decoded off the VM's thread [context3d.upload.async].

mod common;

use std::sync::{Arc, Mutex};

use atf::AtfFormat;
use common::{Rig, TEXTURED, legal};
use context3d::arguments::{Bitmap, ByteOrder, PixelLayout};
use context3d::backend::BackendError;
use context3d::enums::TextureFormat;
use context3d::keys::TextureKey;
use context3d::packets::{Packet, TexelLayout};
use context3d::{
    Command, Context3D, Error, ErrorCode, Executor, Handle, Host, Profile, Reply, Task,
    TextureEvent,
};
use molehill_testing::atf_files::{File, Sample, dxt1, samples};

/// A side with more texels than are decoded in the call.
const SIDE: u32 = 128;
const LOG: u8 = 7;

/// A host's executor, which keeps the tasks.
#[derive(Clone, Default)]
struct Tasks(Arc<Mutex<Vec<Task>>>);

impl Tasks {
    fn executor(&self, bytes: usize) -> Executor {
        let tasks = self.clone();
        Executor::new(bytes, move |task| tasks.0.lock().expect("no panic").push(task))
    }

    fn take(&self) -> Vec<Task> {
        std::mem::take(&mut *self.0.lock().expect("no panic"))
    }

    /// Runs the tasks on another thread, and returns how many there were.
    fn run(&self) -> usize {
        let tasks = self.take();
        let count = tasks.len();
        let worker = std::thread::spawn(|| tasks.into_iter().for_each(|task| task()));
        worker.join().expect("no panic");
        count
    }
}

/// A device that decodes blocks, and whose context has such an executor.
fn rig() -> (Rig, Tasks) {
    let (mut rig, tasks) = (device(false), Tasks::default());
    rig.context.set_executor(tasks.executor(usize::MAX));
    (rig, tasks)
}

fn device(blocks: bool) -> Rig {
    Rig::with_caps(Profile::Baseline, |caps| (caps.s3tc, caps.etc2) = (blocks, blocks))
}

fn texture(rig: &mut Rig, format: TextureFormat) -> Handle<TextureKey> {
    let texture = rig.target(128, format);
    rig.packets();
    texture
}

/// A file of DXT1 with one level.
fn dxt() -> Vec<u8> {
    let file = File::raw((LOG, LOG), 1);
    file.write(|_, level| vec![dxt1(0x1234).repeat(file.blocks(level)), vec![], vec![]])
}

/// The same with a level that is too short.
fn damaged() -> Vec<u8> {
    File::raw((LOG, LOG), 1).write(|_, _| vec![dxt1(0x1234).to_vec(), vec![], vec![]])
}

fn begin(rig: &mut Rig, texture: Handle<TextureKey>, data: &[u8]) -> Result<(), Error> {
    rig.context.texture_upload_compressed_from_byte_array(texture, Some(data), 0, true)
}

fn bitmap(pixels: &[u8], side: u32, transparent: bool) -> Bitmap<'_> {
    let layout = PixelLayout::RGBA;
    Bitmap { width: side, height: side, transparent, pixels: Some(pixels), layout }
}

fn pixels(side: u32) -> Vec<u8> {
    (0..side * side).flat_map(|at| at.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect()
}

fn ready(texture: Handle<TextureKey>) -> TextureEvent {
    TextureEvent { texture, user_data: 0, error: None }
}

/// The textures of the events that can be taken, and the numbers of their errors.
fn events(rig: &mut Rig) -> Vec<(Handle<TextureKey>, Option<u16>)> {
    let waiting = rig.context.texture_events_waiting();
    let taken = std::iter::from_fn(|| rig.context.take_texture_event());
    let taken: Vec<_> = taken.map(|it| (it.texture, it.error.map(|it| it.number()))).collect();
    assert_eq!(taken.len(), waiting);
    taken
}

fn uploads(rig: &mut Rig) -> usize {
    let packets = rig.packets();
    packets.iter().filter(|packet| matches!(packet, Packet::UploadTexture { .. })).count()
}

/// The call copies; another thread decodes; the texels reach the backend with the event, or with a `present` before.
/// [context3d.upload.async_draw] [context3d.upload.async_end]
#[test]
fn another_thread_decodes() {
    let (mut rig, tasks) = rig();
    rig.use_program((TEXTURED.0, &TEXTURED.1.replace("<2d", "<2d,dxt1")), 1);
    let [first, second] = [(); 2].map(|()| texture(&mut rig, TextureFormat::Compressed));
    legal(rig.context.set_texture_at(0, Some(first)));
    for upload_ends_at_present in [false, true] {
        legal(begin(&mut rig, first, &dxt()));
        assert_eq!((uploads(&mut rig), events(&mut rig)), (0, vec![]));
        legal(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
        legal(rig.context.present());
        legal(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
        assert_eq!(legal(rig.draw()), Reply::Skipped(ErrorCode::IncompleteTexture));
        // A second one is an error meanwhile, and uploads into other textures are none.
        assert!(begin(&mut rig, first, &dxt()).is_err());
        legal(begin(&mut rig, second, &dxt()));
        assert_eq!((uploads(&mut rig), tasks.run()), (0, 2));
        assert_eq!((uploads(&mut rig), rig.context.texture_events_waiting()), (0, 2));
        assert_eq!(legal(rig.draw()), Reply::Skipped(ErrorCode::IncompleteTexture));
        if upload_ends_at_present {
            legal(rig.context.present());
            legal(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
            assert_eq!((legal(rig.draw()), uploads(&mut rig)), (Reply::Done, 2));
            assert!(begin(&mut rig, first, &dxt()).is_err(), "its event waits");
        }
        assert_eq!(events(&mut rig), [(first, None), (second, None)]);
        assert_eq!(uploads(&mut rig), if upload_ends_at_present { 0 } else { 2 });
        assert_eq!(legal(rig.draw()), Reply::Done);
    }
}

/// The library's own threads decode: only another thread can make an event ready.
#[test]
fn the_pool_decodes() {
    let mut rig = device(false);
    rig.context.set_executor(Executor::threads());
    let textures: Vec<_> = (0..9).map(|_| texture(&mut rig, TextureFormat::Compressed)).collect();
    for _ in 0..3 {
        for &texture in &textures {
            legal(begin(&mut rig, texture, &dxt()));
        }
        while rig.context.texture_events_waiting() < textures.len() {
            std::thread::yield_now();
        }
        let expected: Vec<_> = textures.iter().map(|texture| (*texture, None)).collect();
        assert_eq!((uploads(&mut rig), events(&mut rig)), (0, expected));
        assert_eq!(uploads(&mut rig), textures.len());
    }
}

/// [context3d.upload.async] [context3d.upload.async_errors]
#[test]
fn events_keep_the_order_of_the_calls() {
    let (mut rig, tasks) = rig();
    let [first, second, third] = [(); 3].map(|()| texture(&mut rig, TextureFormat::Compressed));
    let small = rig.target(4, TextureFormat::Bgra);
    legal(begin(&mut rig, first, &dxt()));
    legal(begin(&mut rig, second, &damaged()));
    legal(rig.context.texture_upload_from_byte_array_async(small, Some(&[0; 64]), 0, None, 0));
    legal(begin(&mut rig, third, &dxt()));
    let mut later = tasks.take();
    later.pop().expect("a task")();
    later.pop().expect("a task")();
    assert_eq!(events(&mut rig), [], "the first is not decoded");
    later.pop().expect("a task")();
    let expected = [(first, None), (second, Some(3790)), (small, None), (third, None)];
    assert_eq!((later.len(), events(&mut rig)), (0, expected.to_vec()));
}

/// All that an upload can be decoded from, in the call and elsewhere: the packets and events are equal.
#[test]
fn elsewhere_decodes_to_the_same_texels() {
    let mut elsewhere = 0;
    for blocks in [true, false] {
        let mut compare = |format, begin: &dyn Fn(&mut Rig, Handle<TextureKey>)| {
            let results = [false, true].map(|later| {
                let (mut rig, tasks) = (device(blocks), Tasks::default());
                if later {
                    rig.context.set_executor(tasks.executor(usize::MAX));
                }
                let texture = texture(&mut rig, format);
                begin(&mut rig, texture);
                elsewhere += tasks.run();
                let events = events(&mut rig).into_iter().map(|(_, error)| error);
                (events.collect::<Vec<_>>(), rig.packets())
            });
            let [(here, packets), (later, others)] = results;
            assert!(here == later && packets == others, "{here:?} {later:?}");
            assert_eq!(here, [None]);
            assert!(!packets.is_empty());
        };
        for sample in samples(false, (LOG, LOG), 8) {
            let format = TextureFormat::from(sample.file().format.texture());
            compare(format, &|rig, texture| legal(begin(rig, texture, &sample.bytes())));
        }
        for format in
            [TextureFormat::Bgra, TextureFormat::Compressed, TextureFormat::CompressedAlpha]
        {
            for (side, transparent) in [(SIDE, true), (SIDE, false), (50, true), (200, false)] {
                let pixels = pixels(side);
                compare(format, &|rig, texture| {
                    let source = Some(bitmap(&pixels, side, transparent));
                    let context = &mut rig.context;
                    legal(context.texture_upload_from_bitmap_data_async(texture, source, None, 0));
                });
            }
            compare(format, &|rig, texture| {
                let padded = [&[7; 3], &*pixels(SIDE)].concat();
                let context = &mut rig.context;
                let data = Some(&*padded);
                legal(context.texture_upload_from_byte_array_async(texture, data, 3, None, 0));
            });
        }
    }
    assert!(elsewhere > 50, "{elsewhere}");
}

/// A bitmap with padded rows, and memory behind it.
#[test]
fn the_rows_that_show_are_copied() {
    let (mut rig, tasks) = rig();
    let target = texture(&mut rig, TextureFormat::Bgra);
    let stride = 4u32 * 130;
    let pixels: Vec<u8> = (0..stride * 200).map(|at| at.to_le_bytes()[0]).collect();
    let order = ByteOrder::Bgra;
    let layout = PixelLayout { order, straight_alpha: false, stride: Some(stride as usize) };
    let (width, height) = (129, 199);
    let source = Bitmap { width, height, transparent: true, pixels: Some(&pixels), layout };
    legal(rig.context.texture_upload_from_bitmap_data_async(target, Some(source), None, 0));
    assert_eq!((tasks.run(), events(&mut rig)), (1, vec![(target, None)]));
    let packets = rig.packets();
    let [Packet::UploadTexture { data, layout: TexelLayout::Bgra8, .. }] = &packets[..] else {
        panic!("{}", packets.len())
    };
    let rows = pixels.chunks_exact(stride as usize).take(128);
    assert!(data.chunks_exact(512).eq(rows.map(|row| &row[..512])));
}

/// What is cheaper, or must be, is done in the call.
#[test]
fn some_uploads_are_carried_out_in_the_call() {
    let (mut rig, tasks) = rig();
    let check = |rig: &mut Rig, texture| {
        assert_eq!((uploads(rig), tasks.take().len()), (1, 0));
        assert_eq!(events(rig), [(texture, None)]);
    };
    let bgra = texture(&mut rig, TextureFormat::Bgra);
    // Nothing to decode.
    let all = pixels(SIDE);
    legal(rig.context.texture_upload_from_byte_array_async(bgra, Some(&all), 0, None, 0));
    check(&mut rig, bgra);
    // Small.
    let small = rig.target(64, TextureFormat::Bgra);
    let of_small = pixels(64);
    let source = Some(bitmap(&of_small, 64, true));
    legal(rig.context.texture_upload_from_bitmap_data_async(small, source, None, 0));
    check(&mut rig, small);
    // The render target: the draws that follow go over the upload.
    legal(rig.context.set_render_to_texture(Some(bgra), false, 0, 0, 0));
    let source = Some(bitmap(&all, SIDE, true));
    legal(rig.context.texture_upload_from_bitmap_data_async(bgra, source, None, 0));
    check(&mut rig, bgra);
    // Its bytes begin to count [context3d.limit.uncompressed].
    let compressed = texture(&mut rig, TextureFormat::Compressed);
    legal(rig.context.texture_upload_from_bitmap_data_async(compressed, source, None, 0));
    check(&mut rig, compressed);
    // The device takes the file's blocks.
    let mut rig = device(true);
    rig.context.set_executor(tasks.executor(usize::MAX));
    let stored = texture(&mut rig, TextureFormat::Compressed);
    legal(begin(&mut rig, stored, &dxt()));
    check(&mut rig, stored);
}

/// Beyond the bound an upload is carried out in the call, and behind those that wait.
#[test]
fn bytes_in_flight_are_bounded() {
    let (mut rig, tasks) = rig();
    let texels = 4 * (SIDE * SIDE) as usize;
    rig.context.set_executor(tasks.executor(2 * (texels + dxt().len())));
    let textures = [(); 3].map(|()| texture(&mut rig, TextureFormat::Compressed));
    for texture in textures {
        legal(begin(&mut rig, texture, &dxt()));
    }
    assert_eq!((uploads(&mut rig), events(&mut rig)), (1, vec![]));
    assert_eq!(tasks.run(), 2);
    assert_eq!(events(&mut rig), textures.map(|texture| (texture, None)));
    // The bytes of one that is disposed are free again.
    for texture in [textures[0], textures[0], textures[1]] {
        legal(begin(&mut rig, textures[2], &dxt()));
        assert_eq!(tasks.take().len(), 1);
        legal(rig.context.texture_dispose(texture));
        assert!(rig.context.take_texture_event_of(textures[2]).is_some());
    }
}

/// [context3d.upload.async_disposed]
#[test]
fn a_texture_is_disposed_while_it_is_decoded() {
    let (mut rig, tasks) = rig();
    let [first, second] = [(); 2].map(|()| texture(&mut rig, TextureFormat::Compressed));
    legal(begin(&mut rig, first, &dxt()));
    legal(begin(&mut rig, second, &dxt()));
    legal(rig.context.texture_dispose(first));
    assert_eq!((tasks.run(), events(&mut rig)), (2, vec![(second, None)]));
    // Another texture may be in its place.
    let next = texture(&mut rig, TextureFormat::Compressed);
    legal(begin(&mut rig, next, &dxt()));
    assert_eq!((tasks.run(), events(&mut rig)), (1, vec![(next, None)]));
    // Also decoded, but not uploaded.
    legal(begin(&mut rig, next, &dxt()));
    tasks.run();
    rig.packets();
    legal(rig.context.texture_dispose(next));
    assert_eq!((uploads(&mut rig), events(&mut rig)), (0, vec![]));
}

#[test]
fn a_context_ends_while_it_decodes() {
    type End = fn(&mut Context3D<context3d::backend::NullBackend>);
    let ends: [End; 2] = [Context3D::lose, |context| legal(context.dispose(false))];
    for end in ends {
        for decoded in [false, true] {
            let (mut rig, tasks) = rig();
            let texture = texture(&mut rig, TextureFormat::Compressed);
            legal(begin(&mut rig, texture, &dxt()));
            if decoded {
                tasks.run();
            }
            end(&mut rig.context);
            tasks.run();
            assert_eq!((uploads(&mut rig), events(&mut rig)), (0, vec![]));
        }
    }
    // Before its tasks are run.
    let (mut rig, tasks) = rig();
    let texture = texture(&mut rig, TextureFormat::Compressed);
    legal(begin(&mut rig, texture, &dxt()));
    drop(rig);
    assert_eq!(tasks.run(), 1);
}

/// Textures and contexts end while threads decode, at any time.
#[test]
fn objects_end_while_threads_decode() {
    let executor = Executor::threads();
    for turn in 0..60 {
        let mut rig = device(false);
        rig.context.set_executor(executor.clone());
        let textures = [(); 4].map(|()| texture(&mut rig, TextureFormat::Compressed));
        for texture in textures {
            legal(begin(&mut rig, texture, &dxt()));
        }
        if turn % 3 == 0 {
            std::thread::yield_now();
        }
        legal(rig.context.texture_dispose(textures[0]));
        match turn % 4 {
            0 => rig.context.lose(),
            1 => legal(rig.context.dispose(true)),
            2 => legal(begin(&mut rig, textures[1], &dxt()).or(Ok(()))),
            _ => assert!(rig.context.take_texture_event_of(textures[3]).is_some()),
        }
    }
    // A thread may still be busy with the last one.
    while executor.bytes_in_flight() > 0 {
        std::thread::yield_now();
    }
}

/// Failures of the device when an upload ends [context3d.error.3790].
#[test]
fn the_device_fails_later() {
    let (mut rig, tasks) = rig();
    let texture = texture(&mut rig, TextureFormat::Compressed);
    for error in [BackendError::OutOfMemory, BackendError::Driver("deliberate".to_owned())] {
        legal(begin(&mut rig, texture, &dxt()));
        tasks.run();
        rig.context.backend_mut().fail_next(error);
        assert_eq!(events(&mut rig), [(texture, Some(3790))]);
    }
    // Without texts, the event has none.
    rig.context.set_host(Host { error_texts: false, ..Host::default() });
    legal(begin(&mut rig, texture, &damaged()));
    tasks.run();
    let event = rig.context.take_texture_event().and_then(|event| event.error);
    assert_eq!(event.map(|error| error.message().to_owned()), Some(String::new()));
    // A loss ends the context, without an event.
    legal(begin(&mut rig, texture, &dxt()));
    tasks.run();
    rig.context.backend_mut().fail_next(BackendError::Lost);
    assert_eq!(rig.context.take_texture_event(), None);
    assert!(rig.context.is_disposed());
}

/// A format that can't be decoded fails in the call, without an event; elsewhere the call has returned.
#[test]
fn what_is_unsupported_is_an_event() {
    let format = AtfFormat::CompressedLossy;
    let file = File { version: 3, format, ..File::raw((LOG, LOG), 1) };
    let data = file.write(|_, _| [vec![vec![]; 2], vec![vec![1]; 10]].concat());
    let mut rig = device(true);
    let target = texture(&mut rig, TextureFormat::Compressed);
    assert!(matches!(begin(&mut rig, target, &data), Err(Error::Unsupported(_))));
    assert_eq!(events(&mut rig), []);
    let tasks = Tasks::default();
    rig.context.set_executor(tasks.executor(usize::MAX));
    legal(begin(&mut rig, target, &data));
    assert_eq!((tasks.run(), events(&mut rig)), (1, vec![(target, Some(3790))]));
}

/// Calls that replace or draw over the texels end the upload first [context3d.upload.async_busy].
#[test]
fn calls_that_need_the_texture_wait() {
    let file = File { format: AtfFormat::Rgba8888, ..File::raw((LOG, LOG), 1) };
    let sample = Sample::new(file, atf::Encoding::JpegXr).expect("known");
    let all = pixels(SIDE);
    for call in 0..4 {
        let (mut rig, tasks) = rig();
        let texture = texture(&mut rig, TextureFormat::Bgra);
        legal(begin(&mut rig, texture, &sample.bytes()));
        assert_eq!(uploads(&mut rig), 0);
        let context = &mut rig.context;
        let more = match call {
            0 => {
                legal(context.texture_upload_from_byte_array(texture, Some(&all), 0, None, 0));
                1
            }
            1 => {
                let source = Some(bitmap(&all, SIDE, true));
                legal(context.texture_upload_from_bitmap_data(texture, source, None, 0));
                1
            }
            2 => {
                let data = sample.bytes();
                legal(context.texture_upload_compressed_from_byte_array(
                    texture,
                    Some(&data),
                    0,
                    false,
                ));
                1
            }
            _ => {
                legal(context.set_render_to_texture(Some(texture), false, 0, 0, 0));
                0
            }
        };
        assert_eq!(uploads(&mut rig), 1 + more);
        assert_eq!(
            (tasks.run(), events(&mut rig), uploads(&mut rig)),
            (1, vec![(texture, None)], 0)
        );
    }
    // A host that replays asks for the event of one texture.
    let (mut rig, _tasks) = rig();
    let texture = texture(&mut rig, TextureFormat::Bgra);
    legal(begin(&mut rig, texture, &sample.bytes()));
    assert_eq!(rig.context.take_texture_event_of(texture), Some(ready(texture)));
    assert_eq!(uploads(&mut rig), 1);
}

/// A host that drops its tasks, or runs them at once.
#[test]
fn hosts_may_run_tasks_as_they_like() {
    let drops = Executor::new(usize::MAX, drop);
    let runs = Executor::new(usize::MAX, |task| task());
    for executor in [drops, runs] {
        let mut rig = device(false);
        rig.context.set_executor(executor);
        let texture = texture(&mut rig, TextureFormat::Compressed);
        legal(begin(&mut rig, texture, &dxt()));
        assert_eq!((uploads(&mut rig), events(&mut rig)), (0, vec![(texture, None)]));
        assert_eq!(uploads(&mut rig), 1);
    }
}

/// The device is not used in the background [context3d.life.background].
#[test]
fn uploads_end_in_the_foreground() {
    let (mut rig, tasks) = rig();
    let texture = texture(&mut rig, TextureFormat::Compressed);
    legal(begin(&mut rig, texture, &dxt()));
    tasks.run();
    rig.context.set_host(Host { background: true, ..Host::default() });
    assert_eq!((events(&mut rig), uploads(&mut rig)), (vec![], 0));
    rig.context.set_host(Host::default());
    assert_eq!((events(&mut rig), uploads(&mut rig)), (vec![(texture, None)], 1));
}

/// The command of the table too, and a foreign texture.
#[test]
fn a_texture_of_another_context_is_refused() {
    let (mut rig, tasks) = rig();
    let (mut other, _) = self::rig();
    let texture = texture(&mut other, TextureFormat::Compressed);
    let command = Command::TextureUploadCompressedFromByteArray {
        texture,
        data: Some(&dxt()),
        byte_array_offset: 0,
        is_async: true,
    };
    assert!(
        matches!(rig.context.execute(&command), Err(Error::Flash(error)) if error.number() == 3694)
    );
    assert_eq!((tasks.run(), events(&mut rig)), (0, vec![]));
}
