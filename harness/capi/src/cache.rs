//! A host's cache of program binaries.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use backend_gl::ProgramCache;

use crate::device::{Device, MolehillDevice};
use crate::failure::{Failure, MolehillStatus};
use crate::registry::with;
use crate::sized::{grows, required_sized};
use crate::status::{c_string, guard};

/// A host's cache of program binaries between runs, for example with a file for each name. Names have 32 hexadecimal digits.
/// The functions are called on the device's thread and must not throw.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MolehillProgramCache {
    /// sizeof(MolehillProgramCache)
    pub struct_size: usize,
    /// Copies up to `capacity` bytes of what was stored under a name, and returns its whole length: if that is more, the
    /// function is called again with as much room. 0: there is nothing.
    pub load: Option<
        unsafe extern "C" fn(
            user_data: *mut c_void,
            name: *const c_char,
            bytes: *mut c_void,
            capacity: usize,
        ) -> usize,
    >,
    /// Stores bytes under a name.
    pub store: Option<
        unsafe extern "C" fn(
            user_data: *mut c_void,
            name: *const c_char,
            bytes: *const c_void,
            length: usize,
        ),
    >,
    /// Passed to each function, until the device and all its contexts are destroyed.
    pub user_data: *mut c_void,
}

grows!(MolehillProgramCache);

/// Bytes that most binaries need, and the most that are loaded.
const USUAL: usize = 64 << 10;
const MOST: usize = 64 << 20;

/// The host's functions, both there.
#[derive(Debug)]
struct Cache(MolehillProgramCache);

// SAFETY: the device calls it on its own thread only.
unsafe impl Send for Cache {}
// SAFETY: as above.
unsafe impl Sync for Cache {}

impl ProgramCache for Cache {
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        let (load, name) = (self.0.load?, c_string(name));
        let mut bytes = vec![0; USUAL];
        for _ in 0..2 {
            let (to, capacity) = (bytes.as_mut_ptr().cast(), bytes.len());
            // SAFETY: the host's function with the host's data; there is room for as many bytes.
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
            // SAFETY: the host's function with the host's data.
            unsafe { store(self.0.user_data, name.as_ptr(), bytes.as_ptr().cast(), bytes.len()) }
        }
    }
}

/// Sets a device's cache of program binaries. Without effect on software devices and drivers without binaries.
///
/// The cache is trusted: drivers run what they load. What is loaded under a name must be what was stored under it; a file
/// that another user can write is not safe. Damaged data and another driver's are recognised and ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molehill_device_set_program_cache(
    device: MolehillDevice,
    cache: *const MolehillProgramCache,
) -> MolehillStatus {
    guard(|| {
        let cache = unsafe { required_sized(cache) }?;
        if cache.load.is_none() || cache.store.is_none() {
            return Err(Failure::argument("the cache lacks `load` or `store`"));
        }
        with(device.id, |device: &mut Device| {
            if let Some(gl) = device.gl() {
                // SAFETY: the host guarantees what the header says.
                unsafe { gl.set_program_cache(Arc::new(Cache(cache))) }
            }
            Ok(())
        })
    })
}
