//! Asynchronous uploads that are cancelled or fail while they are decoded.

use atf::AtfFormat;
use context3d::backend::{BackendError, NullBackend};
use context3d::enums::TextureFormat;
use context3d::{Context3D, Error, Executor, Host};
use molehill_testing::atf_files::{AtfSample, AtfSpec};

use super::common::legal;
use super::{
    LOG, SIDE, Tasks, begin, bitmap, damaged, device, dxt, events, pixels, ready, rig, texture,
    uploads,
};

/// [context3d.upload.async_disposed]
#[test]
fn a_texture_is_disposed_while_it_is_decoded() {
    let (mut rig, tasks) = rig();
    let [first, second] = [(); 2].map(|()| texture(&mut rig, TextureFormat::Compressed));
    legal(begin(&mut rig, first, &dxt()));
    legal(begin(&mut rig, second, &dxt()));
    legal(rig.context.texture_dispose(first));
    assert_eq!((tasks.run(), events(&mut rig)), (2, vec![(second, None)]));
    // A new texture may reuse the slot of the disposed texture.
    let next = texture(&mut rig, TextureFormat::Compressed);
    legal(begin(&mut rig, next, &dxt()));
    assert_eq!((tasks.run(), events(&mut rig)), (1, vec![(next, None)]));
    // A texture can also be disposed after its upload was decoded.
    legal(begin(&mut rig, next, &dxt()));
    tasks.run();
    rig.packets();
    legal(rig.context.texture_dispose(next));
    assert_eq!((uploads(&mut rig), events(&mut rig)), (0, vec![]));
}

#[test]
fn a_context_ends_while_it_decodes() {
    type End = fn(&mut Context3D<NullBackend>);
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
    // The context is dropped before the upload's task runs.
    let (mut rig, tasks) = rig();
    let texture = texture(&mut rig, TextureFormat::Compressed);
    legal(begin(&mut rig, texture, &dxt()));
    drop(rig);
    assert_eq!(tasks.run(), 1);
}

/// Textures and contexts are dropped at any time while threads decode their uploads.
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
    // A thread may still be decoding the last upload.
    while executor.bytes_in_flight() > 0 {
        std::thread::yield_now();
    }
}

/// The device fails when the decoded texels are uploaded [context3d.error.3790].
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
    // If the host disables error texts, the event has no text.
    rig.context.set_host(Host { error_texts: false, ..Host::default() });
    legal(begin(&mut rig, texture, &damaged()));
    tasks.run();
    let event = rig.context.take_texture_event().and_then(|event| event.error);
    assert_eq!(event.map(|error| error.message().to_owned()), Some(String::new()));
    // The loss of the device ends the context, which dispatches no event.
    legal(begin(&mut rig, texture, &dxt()));
    tasks.run();
    rig.context.backend_mut().fail_next(BackendError::Lost);
    assert_eq!(rig.context.take_texture_event(), None);
    assert!(rig.context.is_disposed());
}

/// If the call decodes, it returns the error of an unsupported format. If a task decodes, an event reports the error.
#[test]
fn unsupported_files_fail_by_event() {
    let format = AtfFormat::CompressedLossy;
    let file = AtfSpec { version: 3, format, ..AtfSpec::raw((LOG, LOG), 1) };
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

/// Calls that replace the texels, or draw over them, first complete the upload [context3d.upload.async_busy].
#[test]
fn calls_that_need_the_texture_wait() {
    let file = AtfSpec { format: AtfFormat::Rgba8888, ..AtfSpec::raw((LOG, LOG), 1) };
    let sample = AtfSample::new(file, atf::LevelEncoding::JpegXr).expect("known");
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
    // A host that replays a recording takes the event of one texture.
    let (mut rig, _tasks) = rig();
    let texture = texture(&mut rig, TextureFormat::Bgra);
    legal(begin(&mut rig, texture, &sample.bytes()));
    assert_eq!(rig.context.take_texture_event_of(texture), Some(ready(texture)));
    assert_eq!(uploads(&mut rig), 1);
}
