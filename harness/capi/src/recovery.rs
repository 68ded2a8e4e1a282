//! Contexts that survive the loss of their device.

use std::cell::{Ref, RefCell};
use std::ffi::c_void;
use std::rc::Rc;

use context3d::Error;
use context3d::backend::BackendError;
use context3d_layers::{RecoverableBackend, RecoveryOptions};

use crate::device::{DeviceOpener, DeviceReference, Renderer};
use crate::failure::CallFailure;
use crate::handles::MolehillDevice;
use crate::pointers::{MolehillBool, flag, given};
use crate::registry::find;
use crate::sized::grows;

/// Lets a context survive the loss of its device: resources, constants and the current frame are restored on a new
/// device, and the program notices only the delay. Recovery needs memory for a copy of every upload, and of the packets
/// of two frames.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillRecovery {
    /// sizeof(MolehillRecovery)
    pub struct_size: usize,
    /// Creates a device on a new GL context to replace the lost one. Returns {0} if a device can't be created yet; the
    /// context then ends. The new device replaces the lost one for all contexts, also under the old handle; the host
    /// destroys both. Called within the call that detects the loss. Null: off-screen devices are opened again, and
    /// others stay lost.
    pub open: Option<unsafe extern "C" fn(user_data: *mut c_void) -> MolehillDevice>,
    /// The argument `user_data` of `open`, used until the context is destroyed.
    pub user_data: *mut c_void,
    /// Does not read rendered textures back after each frame: faster, but they are transparent black after a loss
    /// until the program renders to them again.
    pub forget_rendered_textures: MolehillBool,
    /// Maximum bytes of a frame's packets: draws of a larger frame are not kept; 0: 64 MiB.
    pub frame_bytes: u64,
}

grows!(MolehillRecovery);

fn failed(failure: CallFailure) -> BackendError {
    match failure {
        CallFailure::Api(Error::Backend(error)) => error,
        CallFailure::Api(error) => BackendError::Driver(error.to_string()),
        CallFailure::Skipped(code) => BackendError::Driver(code.template().to_owned()),
        CallFailure::Here(_, text) => BackendError::Driver(text),
    }
}

/// Opens a device to replace a lost one.
fn another(
    lost: &Rc<RefCell<DeviceReference>>,
    recovery: &MolehillRecovery,
) -> Result<DeviceReference, BackendError> {
    let Some(open) = recovery.open else {
        // The device isn't borrowed while another one is opened, because the log may call the host.
        let again = current(lost)?.again().ok_or(BackendError::Lost)?;
        return again().map_err(failed);
    };
    // SAFETY: this is the host's function with the host's data.
    let made = unsafe { open(recovery.user_data) };
    let made = find::<DeviceReference>(made.id).map_err(failed)?;
    Ok(current(&made)?.clone())
}

/// Borrows the device. Fails if the device is in use, because a callback of the host made this call.
fn current(device: &RefCell<DeviceReference>) -> Result<Ref<'_, DeviceReference>, BackendError> {
    device.try_borrow().map_err(|_| BackendError::Lost)
}

/// Creates a renderer that survives losses of the device.
pub(crate) fn recoverable(
    device: Rc<RefCell<DeviceReference>>,
    recovery: MolehillRecovery,
) -> Result<Renderer, CallFailure> {
    let open: DeviceOpener = Box::new(move || {
        let renderer = current(&device)?.renderer().map_err(failed);
        if !matches!(renderer, Err(BackendError::Lost)) {
            return renderer;
        }
        let another = another(&device, &recovery)?;
        let mut place = device.try_borrow_mut().map_err(|_| BackendError::Lost)?;
        let lost = std::mem::replace(&mut *place, another);
        drop(place);
        drop(lost);
        current(&device)?.renderer().map_err(failed)
    });
    let frame_bytes = given(usize::try_from(recovery.frame_bytes).unwrap_or(usize::MAX))
        .unwrap_or(RecoveryOptions::default().frame_bytes);
    let rendered_textures = !flag(recovery.forget_rendered_textures);
    let keep = RecoveryOptions { rendered_textures, frame_bytes };
    Ok(Box::new(RecoverableBackend::new(open, keep)?))
}
