//! Program caches that the host implements.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use backend_gl::ProgramCache;

use crate::device::DeviceReference;
use crate::failure::{CallFailure, MolehillStatus};
use crate::handles::MolehillDevice;
use crate::registry::with;
use crate::sized::{grows, required_sized};
use crate::status::{c_string, guard};

/// A host's cache of program binaries between runs, for example with a file per name. The name of an entry has 32
/// hexadecimal digits. The functions are called on the device's thread and must not throw.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillProgramCache {
    /// sizeof(MolehillProgramCache)
    pub struct_size: usize,
    /// Copies up to `capacity` bytes of the entry with this name, and returns the entry's length. If the length
    /// exceeds `capacity`, the function is called again with a buffer of that length. Returns 0 if there is no entry.
    pub load: Option<
        unsafe extern "C" fn(
            user_data: *mut c_void,
            name: *const c_char,
            bytes: *mut c_void,
            capacity: usize,
        ) -> usize,
    >,
    /// Stores an entry.
    pub store: Option<
        unsafe extern "C" fn(
            user_data: *mut c_void,
            name: *const c_char,
            bytes: *const c_void,
            length: usize,
        ),
    >,
    /// The argument `user_data` of each function, used until the device and all its contexts are destroyed.
    pub user_data: *mut c_void,
}

grows!(MolehillProgramCache);

/// Size of the first buffer, and maximum size of a buffer, in bytes.
const USUAL: usize = 64 << 10;
const MOST: usize = 64 << 20;

/// The host's functions, which are not null.
#[derive(Debug)]
struct HostCache(MolehillProgramCache);

// SAFETY: the device calls the functions on its own thread only.
unsafe impl Send for HostCache {}
// SAFETY: the device calls the functions on its own thread only.
unsafe impl Sync for HostCache {}

impl ProgramCache for HostCache {
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        let (load, name) = (self.0.load?, c_string(name));
        let mut bytes = vec![0; USUAL];
        for _ in 0..2 {
            let (to, capacity) = (bytes.as_mut_ptr().cast(), bytes.len());
            // SAFETY: this is the host's function with the host's data, and a buffer of this capacity.
            let length = unsafe { load(self.0.user_data, name.as_ptr(), to, capacity) };
            if length <= capacity {
                bytes.truncate(length);
                return (length > 0).then_some(bytes);
            }
            bytes = vec![0; length.min(MOST)];
        }
        None
    }

    fn store(&self, name: &str, bytes: &[u8]) {
        let name = c_string(name);
        if let Some(store) = self.0.store {
            // SAFETY: this is the host's function with the host's data.
            unsafe { store(self.0.user_data, name.as_ptr(), bytes.as_ptr().cast(), bytes.len()) }
        }
    }
}

/// Sets a device's cache of program binaries. Software devices and drivers without program binaries ignore the cache.
///
/// The cache is trusted, because drivers run the binaries: an entry must be what was stored under its name, and files
/// that another user can write are not safe. Damaged entries and those of other drivers are recognised and ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_device_set_program_cache(
    device: MolehillDevice,
    cache: *const MolehillProgramCache,
) -> MolehillStatus {
    guard(|| {
        let cache = unsafe { required_sized(cache) }?;
        if cache.load.is_none() || cache.store.is_none() {
            return Err(CallFailure::argument("`load` or `store` of the cache is null"));
        }
        with(device.id, |device: &mut DeviceReference| {
            if let Some(gl) = device.gl() {
                // SAFETY: the host guarantees the conditions in the header.
                unsafe { gl.set_program_cache(Arc::new(HostCache(cache))) }
            }
            Ok(())
        })
    })
}
