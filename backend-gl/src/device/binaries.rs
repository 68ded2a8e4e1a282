//! A host's cache of program binaries.

use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use context3d::agal::glsl::GlslPair;

use crate::caps::GlCaps;
use crate::gl::GlFunctions;

/// A host's persistent cache of program binaries, for example with a file for each program.
///
/// **The cache is trusted.** Drivers run what they load, and few check it. Damaged data, and data of another driver, is
/// detected by a checksum without a key, and ignored. Deliberately forged data is not detected, so that only code that
/// the host trusts like itself may write to the cache's storage.
pub trait ProgramCache: fmt::Debug + Send + Sync {
    /// Returns the data that [`ProgramCache::store`] has stored under a name, in this or an earlier process; `None` if
    /// the name is unknown.
    fn load(&self, name: &str) -> Option<Vec<u8>>;
    /// Stores data under a name: 32 hexadecimal digits, a hash of the driver, its version and the program's GLSL.
    fn store(&self, name: &str, bytes: &[u8]);
}

/// The first bytes of stored data, with the version of the format.
const MAGIC: [u8; 8] = *b"molehil1";

/// An entry of a [`ProgramCache`].
pub(crate) struct CacheEntry<'a> {
    cache: &'a Arc<dyn ProgramCache>,
    name: String,
    /// Hashes of the driver and the GLSL.
    of: [u64; 2],
}

fn hash(seed: u64, parts: &[&[u8]]) -> u64 {
    let mut hasher = DefaultHasher::new();
    seed.hash(&mut hasher);
    parts.hash(&mut hasher);
    hasher.finish()
}

impl<'a> CacheEntry<'a> {
    pub(crate) fn of(cache: &'a Arc<dyn ProgramCache>, caps: &GlCaps, glsl: &GlslPair) -> Self {
        // Vendor, version, renderer and the version of GLSL.
        let parts = [&caps.public.driver_info, &glsl.vertex, &glsl.fragment];
        let parts = parts.map(|part| part.as_bytes());
        let of = [0, 1].map(|seed| hash(seed, &parts));
        let [high, low] = of;
        CacheEntry { cache, name: format!("{high:016x}{low:016x}"), of }
    }

    /// Returns the header of an entry: magic bytes, hashes, and a checksum of the body.
    fn header(&self, body: &[u8]) -> Vec<u8> {
        let [high, low] = self.of;
        let mut header = MAGIC.to_vec();
        for number in [high, low, hash(2, &[body])] {
            header.extend(number.to_le_bytes());
        }
        header
    }

    /// Loads the program from the cache. Returns false if the entry is missing or invalid.
    pub(crate) fn load(&self, gl: &GlFunctions, program: glow::Program) -> bool {
        let Some(bytes) = self.cache.load(&self.name) else {
            return false;
        };
        let length = MAGIC.len() + 3 * size_of::<u64>();
        let Some((header, body)) = bytes.split_at_checked(length) else {
            return false;
        };
        let Some((format, binary)) = body.split_first_chunk() else {
            return false;
        };
        header == self.header(body) && gl.load_binary(program, u32::from_le_bytes(*format), binary)
    }

    /// Stores a linked program.
    pub(crate) fn save(&self, gl: &GlFunctions, program: glow::Program) {
        let Some((format, binary)) = gl.binary(program) else {
            return log::warn!("the driver returned no program binary");
        };
        let body = [&format.to_le_bytes()[..], &binary].concat();
        let header = self.header(&body);
        self.cache.store(&self.name, &[header, body].concat());
    }
}
