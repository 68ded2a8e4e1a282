//! What a program can make a whole process take: its largest resident set, as Linux counts it. One test, because the count is
//! the process's.

use backend_gl::offscreen::{Api, Offscreen};
use context3d::{Backend, Bitmap, Context3D, ContextOptions, Error, Host, Profile, TextureFormat};
use harness::reference::{Options, ReferenceBackend};

/// Bytes that a hundred textures may make the process take, driver and all.
const MOST: u64 = 500 << 20;

/// `VmHWM`, bytes; `None` where the system does not say.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// A hundred compressed textures of 4096², a 1×1 bitmap in each; how many there was room for.
fn textures(backend: impl Backend, ignore_limits: bool) -> usize {
    let options = ContextOptions {
        profile: Profile::Standard,
        swf_version: 50,
    };
    let mut context = Context3D::new(backend, options);
    context.set_host(Host::default());
    let mut call = || -> Result<usize, Error> {
        context.set_ignore_resource_limits(ignore_limits)?;
        for made in 0..100 {
            let texture = match context.create_texture(4096, 4096, TextureFormat::Compressed) {
                Ok(texture) => texture,
                Err(Error::Flash(error)) if error.number() == 3691 => return Ok(made),
                Err(error) => return Err(error),
            };
            let bitmap = Bitmap {
                width: 1,
                height: 1,
                transparent: true,
                bgra: Some(&[1, 2, 3, 255]),
            };
            context.upload_texture_bitmap(texture, bitmap, None, 0)?;
        }
        Ok(100)
    };
    call().expect("textures and uploads, or 3691")
}

#[test]
fn a_hundred_compressed_textures() {
    for ignore_limits in [false, true] {
        let reference = ReferenceBackend::new(Options::default());
        let offscreen =
            Offscreen::open(Api::OpenGl).expect("an EGL; harness/setup.sh installs one");
        let gl = offscreen.backend().expect("a backend");
        let made = [
            textures(reference, ignore_limits),
            textures(gl, ignore_limits),
        ];
        // Flash counts half a byte a texel, levels included: as many in 512 MB.
        assert_eq!(made, [47, 47]);
        let Some(peak) = peak() else {
            println!("skipped: no /proc/self/status");
            return;
        };
        println!("{made:?} textures, peak {} MB", peak >> 20);
        assert!(peak < MOST, "{made:?} textures take {} MB", peak >> 20);
    }
}
