//! Asynchronous uploads that are decoded on other threads than the VM's [context3d.upload.async].

#[path = "../common/mod.rs"]
mod common;
mod ends;
mod texels;

use std::sync::{Arc, Mutex};

use common::{Rig, TEXTURED, legal};
use context3d::arguments::{Bitmap, PixelLayout};
use context3d::enums::TextureFormat;
use context3d::keys::TextureKey;
use context3d::packets::Packet;
use context3d::{
    Error, ErrorCode, Executor, Host, ObjectHandle, Profile, Reply, Task, TextureEvent,
};
use molehill_testing::atf_files::{AtfSpec, dxt1};

/// Width and height of a texture that is too large to be decoded in the call.
const SIDE: u32 = 128;
const LOG: u8 = 7;

/// The tasks that a host's executor has received.
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

    /// Runs the tasks on another thread, and returns their number.
    fn run(&self) -> usize {
        let tasks = self.take();
        let count = tasks.len();
        let worker = std::thread::spawn(|| tasks.into_iter().for_each(|task| task()));
        worker.join().expect("no panic");
        count
    }
}

/// Creates a context that decodes compressed blocks, on an executor that only stores its tasks.
fn rig() -> (Rig, Tasks) {
    let (mut rig, tasks) = (device(false), Tasks::default());
    rig.context.set_executor(tasks.executor(usize::MAX));
    (rig, tasks)
}

fn device(blocks: bool) -> Rig {
    Rig::with_caps(Profile::Baseline, |caps| (caps.s3tc, caps.etc2) = (blocks, blocks))
}

fn texture(rig: &mut Rig, format: TextureFormat) -> ObjectHandle<TextureKey> {
    let texture = rig.target(128, format);
    rig.packets();
    texture
}

/// An ATF file with one mip level of DXT1.
fn dxt() -> Vec<u8> {
    let file = AtfSpec::raw((LOG, LOG), 1);
    file.write(|_, level| vec![dxt1(0x1234).repeat(file.blocks(level)), vec![], vec![]])
}

/// An ATF file whose mip level has too little data.
fn damaged() -> Vec<u8> {
    AtfSpec::raw((LOG, LOG), 1).write(|_, _| vec![dxt1(0x1234).to_vec(), vec![], vec![]])
}

fn begin(rig: &mut Rig, texture: ObjectHandle<TextureKey>, data: &[u8]) -> Result<(), Error> {
    rig.context.texture_upload_compressed_from_byte_array(texture, Some(data), 0, true)
}

fn bitmap(pixels: &[u8], side: u32, transparent: bool) -> Bitmap<'_> {
    let layout = PixelLayout::RGBA;
    Bitmap { width: side, height: side, transparent, pixels: Some(pixels), layout }
}

fn pixels(side: u32) -> Vec<u8> {
    (0..side * side).flat_map(|at| at.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect()
}

fn ready(texture: ObjectHandle<TextureKey>) -> TextureEvent {
    TextureEvent { texture, user_data: 0, error: None }
}

/// Takes all events that are ready. Returns the texture and the error number of each event.
fn events(rig: &mut Rig) -> Vec<(ObjectHandle<TextureKey>, Option<u16>)> {
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

/// The call copies the bytes, and another thread decodes them. The texels reach the backend with the event, or with an
/// earlier `present`. [context3d.upload.async_draw] [context3d.upload.async_end]
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
        // A second upload into the texture of a running upload raises an error; an upload into another texture doesn't.
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

/// The library's own threads decode the upload, which is the only way for the event to become ready.
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

/// A host may drop its tasks, or run them at once.
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

/// The device is not used while the application is in the background [context3d.life.background].
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
