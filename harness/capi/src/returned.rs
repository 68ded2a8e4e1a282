//! Pictures that hosts have acquired and given back, until their contexts take them.

use std::ffi::c_void;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};

use backend_gl::present::Fence;

use crate::device::{Renderer, gl};
use crate::failure::Failure;
use crate::registry::Name;

/// A front that a host has released: its context, the texture, and the address of a `GLsync`.
type Returned = (Name, u32, usize);

static RETURNED: Mutex<Vec<Returned>> = Mutex::new(Vec::new());
/// Maximum number of fronts of a context that wait: more than it lends.
const MOST: usize = 16;

/// Adds a texture that another thread has read until `sync`.
pub(crate) fn add(context: Name, texture: u32, sync: *mut c_void) -> Result<(), Failure> {
    let mut returned = RETURNED.lock().unwrap_or_else(PoisonError::into_inner);
    if returned.iter().filter(|(it, ..)| *it == context).count() >= MOST {
        return Err(Failure::argument("more pictures are released than were acquired"));
    }
    returned.push((context, texture, sync.expose_provenance()));
    Ok(())
}

/// Removes what was released of a context.
pub(crate) fn take(context: Name) -> Vec<Returned> {
    let mut returned = RETURNED.lock().unwrap_or_else(PoisonError::into_inner);
    returned.extract_if(.., |(it, ..)| *it == context).collect()
}

/// Passes what was released of a context to its device.
pub(crate) fn release(context: Name, renderer: &mut Renderer) {
    let returned = take(context);
    let Ok(backend) = gl(renderer) else {
        return;
    };
    for (_, texture, sync) in returned {
        // SAFETY: the host says that it is a `GLsync` of a context that shares objects with the device's.
        let fence = unsafe { Fence::from_raw(std::ptr::with_exposed_provenance_mut(sync)) };
        let texture = NonZeroU32::new(texture);
        let released = texture.map_or(Ok(()), |texture| backend.release_front(texture, fence));
        if let Err(error) = released {
            log::warn!("a picture is released: {error}");
        }
    }
}
