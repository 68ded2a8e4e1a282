//! Objects that a host releases instead of disposing, and the host's user data of objects.

use context3d::enums::TextureFormat;
use context3d::packets::Packet;
use context3d::{ContextOptions, Error, ErrorCode, Profile};

use crate::common::{Rig, legal};

/// Returns the error of a call with a disposed object.
fn is_disposed(result: Result<(), Error>) -> bool {
    matches!(result, Err(Error::Flash(error)) if error.code() == ErrorCode::Disposed)
}

#[test]
fn a_released_object_lives_as_long_as_it_is_bound() {
    let mut rig = Rig::baseline();
    let texture = rig.texture();
    legal(rig.context.set_texture_at(1, Some(texture)));
    let queue = rig.context.release_queue();
    rig.packets();
    std::thread::spawn(move || queue.push(texture))
        .join()
        .expect("the queue can be used from any thread");
    legal(rig.context.collect_released());
    assert!(rig.packets().is_empty(), "still bound");
    legal(rig.context.set_texture_at(1, None));
    legal(rig.context.present());
    let freed = Packet::DisposeTexture(texture.key());
    assert!(rig.packets().contains(&freed));
    assert!(is_disposed(rig.context.set_render_to_texture(Some(texture), false, 0, 0, 0)));
    // Releasing an object again, or an object of another context, has no effect.
    legal(rig.context.release(texture));
    let other = Rig::baseline().texture();
    legal(rig.context.release(other));
}

#[test]
fn each_kind_of_object_is_released_where_it_is_not_bound() {
    let mut rig = Rig::baseline();
    let memory = rig.context.total_gpu_memory();
    let buffer =
        legal(rig.context.create_vertex_buffer(3, 2, context3d::enums::BufferUsage::StaticDraw));
    let indices =
        legal(rig.context.create_index_buffer(3, context3d::enums::BufferUsage::StaticDraw));
    let program = legal(rig.context.create_program());
    let target = legal(rig.context.create_texture(8, 8, TextureFormat::Bgra, true, 0));
    legal(rig.context.set_render_to_texture(Some(target), false, 0, 0, 0));
    legal(rig.context.release(buffer));
    legal(rig.context.release(indices));
    legal(rig.context.release(program));
    legal(rig.context.release(target));
    assert!(rig.context.total_gpu_memory() > memory, "the target is bound");
    legal(rig.context.set_render_to_back_buffer());
    legal(rig.context.create_program());
    assert_eq!(rig.context.total_gpu_memory(), memory);
    assert!(is_disposed(rig.context.program_upload(program, None, None)));
}

#[test]
fn user_data_is_the_object_s() {
    let mut rig = Rig::baseline();
    let texture = rig.texture();
    assert_eq!(rig.context.user_data(texture), 0);
    rig.context.set_user_data(texture, 7);
    assert_eq!(rig.context.user_data(texture), 7);
    legal(rig.context.texture_dispose(texture));
    // A new object that reuses the slot has no user data.
    let next = rig.texture();
    assert_eq!(rig.context.user_data(texture), 0);
    assert_eq!(rig.context.user_data(next), 0);
    // The event of a texture has the texture's user data.
    let bytes = vec![0; 4 * 4 * 4];
    let late = legal(rig.context.create_texture(4, 4, TextureFormat::Bgra, false, 0));
    rig.context.set_user_data(late, u64::MAX);
    legal(rig.context.texture_upload_from_byte_array_async(late, Some(&bytes), 0, None, 0));
    let event = rig.context.take_texture_event().expect("an event");
    assert_eq!((event.texture, event.user_data), (late, u64::MAX));
}

#[test]
fn options_can_come_late() {
    let mut rig = Rig::new(Profile::BaselineConstrained, 30);
    assert!(rig.context.create_rectangle_texture(3, 3, TextureFormat::Bgra, false).is_err());
    rig.context.set_options(ContextOptions { profile: Profile::Standard, swf_version: 40 });
    legal(rig.context.create_rectangle_texture(3, 3, TextureFormat::Bgra, false));
    assert_eq!(rig.context.profile(), Some(Profile::Standard));
}
