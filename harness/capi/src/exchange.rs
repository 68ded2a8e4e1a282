//! Front exchanges pass presented frames from a VM's thread to the display thread.

use std::ffi::c_void;
use std::sync::Arc;

use backend_gl::present::{FrontReader, GlTexture};
use context3d::backend::FrameSource as _;

use crate::context::with_api;
use crate::device::{MolehillLoader, gl, loading};
use crate::failure::{CallFailure, MolehillStatus};
use crate::handles::{MolehillContext, MolehillFrontExchange};
use crate::pointers::{writable, write};
use crate::present::{MolehillFront, found, write_front};
use crate::registry::{FrontQueue, HandleEntry, ReaderKind, handle_of, key_of, table};
use crate::sized::writable_sized;
use crate::status::guard;

fn find(exchange: MolehillFrontExchange) -> Result<Arc<FrontQueue>, CallFailure> {
    match table().live.get(key_of(exchange.id)) {
        Some(HandleEntry::Exchange(exchange)) => Ok(Arc::clone(exchange)),
        Some(HandleEntry::Owned { .. }) | None => {
            Err(CallFailure::handle(format!("{:#x} is not a front exchange", exchange.id)))
        }
    }
}

/// Creates a front exchange, which passes the presented pictures of one Stage3D to the thread that shows them. The GL
/// context of that thread shares objects with the device's GL context. Neither thread waits for the other; pictures
/// that come faster than they are shown are dropped. Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_front_exchange_create(
    exchange: *mut MolehillFrontExchange,
) -> MolehillStatus {
    guard(|| {
        writable(exchange)?;
        let id = handle_of(table().live.insert(HandleEntry::Exchange(Arc::default())));
        unsafe { write(exchange, MolehillFrontExchange { id }) }
    })
}

/// Frees a front exchange; its textures are freed with the contexts that publish into it. The thread that shows
/// pictures must call molehill_front_exchange_release first. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_front_exchange_destroy(
    exchange: MolehillFrontExchange,
) -> MolehillStatus {
    guard(|| {
        find(exchange)?;
        table().live.remove(key_of(exchange.id));
        Ok(())
    })
}

/// Copies the picture of the last present into a front exchange. Call this function once a frame, on the context's
/// thread. MOLEHILL_STATUS_NOTHING if the exchange has the picture already, or before the first present. The exchange
/// becomes empty when the context is destroyed.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_context_publish_front(
    context: MolehillContext,
    exchange: MolehillFrontExchange,
) -> MolehillStatus {
    guard(|| {
        let FrontQueue { fronts, .. } = &*find(exchange)?;
        with_api(context, |api| Ok(found(gl(api.backend_mut())?.publish_frame(fronts)?)))?
    })
}

/// Gets the newest picture on the thread that shows it, where a GL context that shares objects with the device's is
/// current. GL waits for `front->texture`, which may be sampled until the next call of this function;
/// `front->framebuffer` is 0, because framebuffers are not shared. The first call loads the GL functions of the current
/// context with `loader`. Returns MOLEHILL_STATUS_NOTHING if there is no picture.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_front_exchange_acquire(
    exchange: MolehillFrontExchange,
    loader: MolehillLoader,
    user_data: *mut c_void,
    front: *mut MolehillFront,
) -> MolehillStatus {
    guard(|| {
        unsafe { writable_sized(front) }?;
        let exchange = find(exchange)?;
        let mut slot = exchange.reader()?;
        let ReaderKind(reader) = match &mut *slot {
            Some(reader) => reader,
            empty => {
                let load = loading(loader, user_data)?;
                // SAFETY: the host guarantees that its loader belongs to the current context.
                let made = unsafe { FrontReader::from_loader(&load, &exchange.fronts) }?;
                empty.insert(ReaderKind(made))
            }
        };
        let Some(shown) = reader.acquire() else { return Ok(MolehillStatus::Nothing) };
        let GlTexture { texture, width, height } = shown;
        unsafe { write_front(front, [texture.get(), 0, width, height]) }
    })
}

/// Returns the displayed picture to the exchange, and frees the GL function pointers that were loaded for the display
/// context. Call this on the thread that shows pictures, before its GL context ends.
#[unsafe(no_mangle)]
pub extern "C" fn molehill_front_exchange_release(
    exchange: MolehillFrontExchange,
) -> MolehillStatus {
    guard(|| {
        let reader = find(exchange)?.reader()?.take();
        reader.into_iter().for_each(|ReaderKind(mut reader)| reader.release());
        Ok(())
    })
}
