//! Programs as the driver stores them, kept by the host.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::rc::Rc;

use context3d::agal::glsl::GlslPair;

use crate::caps::GlCaps;
use crate::gl::Gl;

/// Where a host keeps programs between runs: a file each, say. What comes back may be damaged or another driver's: it is
/// checked, and ignored if it isn't what was stored.
pub trait ProgramCache {
    /// What was stored under a name, if there is something.
    fn load(&self, name: &str) -> Option<Vec<u8>>;
    /// Keeps bytes under a name: 32 hexadecimal digits, which stand for the driver, its version and the program's GLSL.
    fn store(&self, name: &str, bytes: &[u8]);
}

/// The beginning of what is stored: its kind and version.
const MAGIC: [u8; 8] = *b"molehil1";

/// A place in the cache.
pub(crate) struct Stored<'a> {
    cache: &'a Rc<dyn ProgramCache>,
    name: String,
    /// The driver and the GLSL, for which the binary is.
    of: [u64; 2],
}

fn hash(seed: u64, parts: &[&[u8]]) -> u64 {
    let mut hasher = DefaultHasher::new();
    seed.hash(&mut hasher);
    parts.hash(&mut hasher);
    hasher.finish()
}

impl<'a> Stored<'a> {
    pub(crate) fn of(cache: &'a Rc<dyn ProgramCache>, caps: &GlCaps, glsl: &GlslPair) -> Self {
        // Vendor, version, renderer and the version of GLSL.
        let parts = [&caps.public.driver_info, &glsl.vertex, &glsl.fragment];
        let parts = parts.map(|part| part.as_bytes());
        let of = [0, 1].map(|seed| hash(seed, &parts));
        let [high, low] = of;
        Stored {
            cache,
            name: format!("{high:016x}{low:016x}"),
            of,
        }
    }

    /// Magic, what it is of, checksum.
    fn header(&self, body: &[u8]) -> Vec<u8> {
        let [high, low] = self.of;
        let mut header = MAGIC.to_vec();
        for number in [high, low, hash(2, &[body])] {
            header.extend(number.to_le_bytes());
        }
        header
    }

    /// Whether the program is what was stored.
    pub(crate) fn load(&self, gl: &Gl, program: glow::Program) -> bool {
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
    pub(crate) fn save(&self, gl: &Gl, program: glow::Program) {
        if let Some((format, binary)) = gl.binary(program) {
            let body = [&format.to_le_bytes()[..], &binary].concat();
            let header = self.header(&body);
            self.cache.store(&self.name, &[header, body].concat());
        }
    }
}
