//! Video textures [context3d.video.create] and asynchronous uploads [context3d.upload.async].

use context3d::arguments::Bitmap;
use context3d::backend::BackendError;
use context3d::enums::{MipFilter, TextureFilter, TextureFormat, WrapMode};
use context3d::keys::TextureKey;
use context3d::packets::{Packet, TextureDesc, TextureKind};
use context3d::{Error, ErrorCode, Host, Invocation, ObjectHandle, Profile, Reply, TextureEvent};

use crate::common::{Rig, TEXTURED, legal};

const VIDEO: (&str, &str) =
    ("mov op, va0\nmov v0, va0", "tex ft0, v0, fs0 <2d,linear,repeat,mipnone,video>\nmov oc, ft0");

/// The event of a successful upload.
fn ready(texture: ObjectHandle<TextureKey>) -> TextureEvent {
    TextureEvent { texture, user_data: 0, error: None }
}

fn picture(width: u32, height: u32, bgra: &[u8]) -> Bitmap<'_> {
    Bitmap {
        width,
        height,
        transparent: true,
        layout: context3d::arguments::PixelLayout::default(),
        pixels: Some(bgra),
    }
}

fn video(rig: &mut Rig) -> ObjectHandle<TextureKey> {
    legal(rig.context.create_video_texture()).expect("the default host has video")
}

#[track_caller]
fn number(result: Result<impl std::fmt::Debug, Error>) -> u16 {
    match result {
        Err(Error::Flash(error)) => error.number(),
        other => panic!("no error of Flash's: {other:?}"),
    }
}

#[test]
fn a_texture_takes_the_size_of_its_frames() {
    let mut rig = Rig::baseline();
    let before = rig.context.total_gpu_memory();
    let video = video(&mut rig);
    assert_eq!(rig.packets(), [], "nothing is known of its size");
    assert_eq!(legal(rig.context.video_size(video)), (0, 0));
    rig.use_program(VIDEO, 1);
    legal(rig.context.set_texture_at(0, Some(video)));
    assert_eq!(legal(rig.draw()), Reply::Skipped(ErrorCode::IncompleteTexture));
    rig.packets();

    let bytes: Vec<u8> = (0..24).collect();
    legal(rig.context.video_texture_frame(video, picture(3, 2, &bytes)));
    let desc = TextureDesc {
        kind: TextureKind::Rectangle,
        format: TextureFormat::Bgra,
        width: 3,
        height: 2,
        levels: 1,
        render_target: false,
    };
    let packets = rig.packets();
    assert_eq!(packets[0], Packet::CreateTexture { key: video.key(), desc });
    assert!(
        matches!(&packets[1], Packet::UploadTexture { key, data, .. } if *key == video.key() && **data == bytes[..])
    );
    assert_eq!(packets.len(), 2);
    legal(rig.context.video_texture_frame(video, picture(3, 2, &bytes)));
    assert_eq!(rig.packets().len(), 1, "the same size");
    assert_eq!(legal(rig.context.video_size(video)), (3, 2));
    legal(rig.context.video_texture_frame(video, picture(1, 4, &bytes[..16])));
    let packets = rig.packets();
    assert_eq!(packets[0], Packet::DisposeTexture(video.key()));
    assert!(
        matches!(&packets[1], Packet::CreateTexture { desc, .. } if (desc.width, desc.height) == (1, 4))
    );
    assert_eq!(packets.len(), 3);

    // Video textures don't count for `totalGPUMemory` [context3d.video.memory].
    assert_eq!(rig.context.total_gpu_memory(), before + program_growth(&rig, before));
    legal(rig.context.set_error_checking(true));
    let draw = rig.drawn();
    let binding = draw.textures[0].expect("bound");
    assert_eq!((binding.texture, binding.sampler.wrap), (video.key(), WrapMode::Clamp));
    assert_eq!(legal(rig.context.video_size(video)), (1, 4));
    legal(rig.context.texture_dispose(video));
    assert_eq!(rig.packets(), [Packet::DisposeTexture(video.key())]);
    assert_eq!(number(rig.context.video_size(video)), 3694);
    assert_eq!(number(rig.context.video_texture_frame(video, picture(1, 4, &bytes[..16]))), 3694);
}

/// Returns the memory that replacing the current program has added.
fn program_growth(rig: &Rig, before: u64) -> u64 {
    let plain = Rig::baseline().context.total_gpu_memory();
    assert_eq!(plain, before);
    let mut other = Rig::baseline();
    other.use_program(VIDEO, 1);
    assert_eq!(other.context.profile(), rig.context.profile());
    other.context.total_gpu_memory() - plain
}

/// [context3d.error.2004.video_target]
#[test]
fn frames_that_are_none() {
    let mut rig = Rig::baseline();
    let video = video(&mut rig);
    rig.packets();
    for wrong in [picture(0, 0, &[]), picture(2, 2, &[0; 15]), picture(1, 0, &[])] {
        assert_eq!(number(rig.context.video_texture_frame(video, wrong)), 2015);
    }
    let disposed = Bitmap {
        layout: context3d::arguments::PixelLayout::default(),
        pixels: None,
        ..picture(1, 1, &[0; 4])
    };
    assert_eq!(number(rig.context.video_texture_frame(video, disposed)), 2015);
    let texture = rig.texture();
    assert_eq!(number(rig.context.video_texture_frame(texture, picture(1, 1, &[0; 4]))), 2004);
    assert_eq!(
        number(rig.context.texture_upload_from_byte_array(video, Some(&[0; 4]), 0, None, 0)),
        2004
    );
    assert_eq!(number(rig.context.set_render_to_texture(Some(video), false, 0, 0, 0)), 2004);
    let mut small = Rig::with_caps(Profile::Baseline, |caps| caps.max_texture_size = 2048);
    let wide = vec![0; 2049 * 4];
    let key = self::video(&mut small);
    assert_eq!(number(small.context.video_texture_frame(key, picture(2049, 1, &wide))), 3684);
    legal(small.context.video_texture_frame(key, picture(2048, 1, &wide[4..])));
    assert_eq!(number(small.context.video_texture_frame(key, picture(2049, 1, &wide))), 3684);
    small.packets();
    legal(small.context.video_texture_frame(key, picture(2048, 1, &wide[4..])));
    assert_eq!(small.packets().len(), 1, "the frame before was kept");
}

/// [context3d.property.video]
#[test]
fn a_host_without_video() {
    let mut rig = Rig::baseline();
    assert!(rig.context.supports_video_texture());
    let host = Host { video_textures: false, ..Host::default() };
    rig.context.set_host(host);
    assert!(!rig.context.supports_video_texture());
    assert_eq!(legal(rig.context.create_video_texture()), None);
    assert_eq!(rig.context.execute(&Invocation::CreateVideoTexture {}), Ok(Reply::Null));
}

/// If the device can't store a frame, the texture has no frame.
#[test]
fn a_frame_too_many() {
    let mut rig = Rig::baseline();
    let video = video(&mut rig);
    rig.use_program(VIDEO, 1);
    legal(rig.context.set_texture_at(0, Some(video)));
    legal(rig.context.video_texture_frame(video, picture(1, 1, &[0; 4])));
    assert_eq!(legal(rig.draw()), Reply::Done);
    rig.context.backend_mut().fail_next(BackendError::OutOfMemory);
    let failed = rig.context.video_texture_frame(video, picture(2, 1, &[0; 8]));
    assert_eq!(failed, Err(Error::Backend(BackendError::OutOfMemory)));
    assert_eq!(legal(rig.draw()), Reply::Skipped(ErrorCode::IncompleteTexture));
    rig.packets();
    legal(rig.context.texture_dispose(video));
    assert_eq!(rig.packets(), [], "the device has nothing of it");
}

/// [context3d.error.3778] [context3d.sampling.video]
#[test]
fn videos_clamp_and_are_not_drawn_with_mip_mapping() {
    let mut rig = Rig::baseline();
    let video = video(&mut rig);
    rig.use_program(VIDEO, 1);
    legal(rig.context.set_texture_at(0, Some(video)));
    legal(rig.context.video_texture_frame(video, picture(1, 1, &[0; 4])));
    let (wrap, filter) = (WrapMode::Repeat, TextureFilter::Linear);
    legal(rig.context.set_sampler_state_at(0, wrap, filter, MipFilter::Linear));
    assert_eq!(legal(rig.draw()), Reply::Skipped(ErrorCode::VideoMips));
    legal(rig.context.set_sampler_state_at(0, wrap, filter, MipFilter::None));
    let sampler = rig.drawn().textures[0].expect("bound").sampler;
    assert_eq!(sampler.wrap, WrapMode::Clamp);
}

fn textured(rig: &mut Rig) -> ObjectHandle<TextureKey> {
    let texture = rig.target(4, TextureFormat::Bgra);
    rig.use_program(TEXTURED, 1);
    legal(rig.context.set_texture_at(0, Some(texture)));
    texture
}

/// [context3d.upload.async_draw] [context3d.upload.async_end] [context3d.error.2004.uploading]
#[test]
fn an_asynchronous_upload_runs_until_it_is_told() {
    let mut rig = Rig::baseline();
    let texture = textured(&mut rig);
    legal(rig.context.texture_upload_from_byte_array_async(texture, Some(&[0; 64]), 0, None, 0));
    assert_eq!(legal(rig.draw()), Reply::Skipped(ErrorCode::IncompleteTexture));
    let again =
        rig.context.texture_upload_from_byte_array_async(texture, Some(&[0; 64]), 0, None, 0);
    let Err(Error::Flash(error)) = again else { panic!("two at once: {again:?}") };
    assert_eq!((error.number(), error.class()), (2004, context3d::errors::ErrorClass::Error));
    assert_eq!(rig.context.take_texture_event(), Some(ready(texture)));
    assert_eq!(rig.context.take_texture_event(), None);
    assert_eq!(legal(rig.draw()), Reply::Done);

    // In the next frame the upload is complete, but another upload must wait until the event is taken.
    legal(rig.context.texture_upload_from_bitmap_data_async(
        texture,
        Some(picture(4, 4, &[0; 64])),
        None,
        0,
    ));
    assert_eq!(legal(rig.draw()), Reply::Skipped(ErrorCode::IncompleteTexture));
    legal(rig.context.present());
    assert_eq!(legal(rig.draw()), Reply::Done);
    assert_eq!(
        number(rig.context.texture_upload_from_byte_array_async(
            texture,
            Some(&[0; 64]),
            0,
            None,
            0
        )),
        2004
    );
    assert!(rig.context.take_texture_event().is_some());
    legal(rig.context.texture_upload_from_byte_array_async(texture, Some(&[0; 64]), 0, None, 0));
}

/// [context3d.upload.async_errors] [context3d.error.3790]
#[test]
fn an_asynchronous_upload_that_fails() {
    let mut rig = Rig::baseline();
    let texture = textured(&mut rig);
    rig.context.backend_mut().fail_next(BackendError::OutOfMemory);
    legal(rig.context.texture_upload_from_byte_array_async(texture, Some(&[0; 64]), 0, None, 0));
    let Some(TextureEvent { texture: key, error: Some(error), .. }) =
        rig.context.take_texture_event()
    else {
        panic!("nothing failed")
    };
    assert_eq!((key, error.number(), error.message()), (texture, 3790, "Texture upload failed."));
    assert_eq!(legal(rig.draw()), Reply::Skipped(ErrorCode::IncompleteTexture));
    // Invalid arguments raise an error in the call.
    assert_eq!(
        number(rig.context.texture_upload_from_byte_array_async(
            texture,
            Some(&[0; 63]),
            0,
            None,
            0
        )),
        3669
    );
    assert_eq!(rig.context.take_texture_event(), None);
}

/// [context3d.upload.async_disposed]
#[test]
fn notices_end_with_their_texture_and_context() {
    let mut rig = Rig::baseline();
    let textures = [textured(&mut rig), textured(&mut rig)];
    for texture in textures {
        legal(rig.context.texture_upload_from_byte_array_async(
            texture,
            Some(&[0; 64]),
            0,
            None,
            0,
        ));
    }
    legal(rig.context.texture_dispose(textures[0]));
    assert_eq!(rig.context.take_texture_event(), Some(ready(textures[1])));
    assert_eq!(rig.context.take_texture_event(), None);
    legal(rig.context.texture_upload_from_byte_array_async(
        textures[1],
        Some(&[0; 64]),
        0,
        None,
        0,
    ));
    rig.context.lose();
    assert_eq!(rig.context.take_texture_event(), None);
}

/// [context3d.order.upload]
#[test]
fn checks_of_an_asynchronous_upload_in_their_order() {
    let mut rig = Rig::baseline();
    let texture = textured(&mut rig);
    let mut upload = |texture, data: Option<&[u8]>, miplevel| {
        number(rig.context.execute(&Invocation::TextureUploadFromByteArrayAsync {
            texture,
            data,
            byte_array_offset: 0,
            side: Some(1),
            miplevel,
        }))
    };
    assert_eq!(upload(ObjectHandle::default(), None, 9), 3694);
    assert_eq!(upload(texture, None, 9), 2007);
    assert_eq!(upload(texture, Some(&[]), 9), 3791);
    assert_eq!(upload(texture, Some(&[]), 0), 3673);
    legal(rig.context.texture_upload_from_byte_array_async(texture, Some(&[0; 64]), 0, None, 0));
    let running = Invocation::TextureUploadFromBitmapDataAsync {
        texture,
        source: Some(picture(1, 1, &[])),
        side: Some(1),
        miplevel: 0,
    };
    assert_eq!(number(rig.context.execute(&running)), 2004);
    // A synchronous upload is allowed while an asynchronous upload runs.
    legal(rig.context.texture_upload_from_byte_array(texture, Some(&[0; 16]), 0, None, 1));
}
