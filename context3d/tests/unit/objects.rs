//! Tests of user data and of released objects.

use crate::backend::NullBackend;
use crate::dirty::DirtyFlags;
use crate::enums::TextureFormat;
use crate::handle::OwnQueue;
use crate::{AnyHandle, Context3D, ContextOptions, Profile};

/// After a context was cloned, each context keeps its own release queue.
#[test]
fn a_clone_does_not_take_releases() {
    let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
    let mut context = Context3D::new(NullBackend::new(), options);
    let [early, late] = [(); 2].map(|()| context.create_program().expect("legal"));
    let queue = context.release_queue();
    queue.push(early);
    let clone = context.release_queue.clone();
    queue.push(late);
    let queued = |queue: &OwnQueue| queue.0.lock().clone();
    assert_eq!(queued(&clone), [AnyHandle::from(early)]);
    let both = [early, late].map(AnyHandle::from);
    assert_eq!(queued(&context.release_queue), both);
}
/// A released object that is bound, but was disposed, is removed from the release queue. If the object stayed in the
/// release queue, every call of `collect_released` would check the object again and set all dirty flags.
#[test]
fn what_is_bound_and_not_alive_is_not_kept() {
    let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
    let [mut context, mut other] = [(); 2].map(|()| Context3D::new(NullBackend::new(), options));
    let texture = |context: &mut Context3D<NullBackend>| {
        context.create_texture(4, 4, TextureFormat::Bgra, false, 0).expect("legal")
    };
    let (own, foreign) = (texture(&mut context), texture(&mut other));
    context.set_texture_at(0, Some(foreign)).expect("legal");
    context.set_texture_at(1, Some(own)).expect("legal");
    context.texture_dispose(own).expect("legal");
    for texture in [own, foreign] {
        context.release(texture).expect("legal");
    }
    context.collect_released().expect("legal");
    assert!(context.released.is_empty());
    context.checked.dirty = DirtyFlags::NOTHING;
    context.collect_released().expect("legal");
    assert_eq!(context.checked.dirty, DirtyFlags::NOTHING);
}
