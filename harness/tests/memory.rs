//! Peak memory that a program can make a process take: its largest resident set in Linux. Each measurement has its own
//! process: this one, started again for one test.

#[path = "common/peak.rs"]
mod peak;

use std::process::Command;

use backend_gl::offscreen::{Api, Offscreen};
use context3d::arguments::Bitmap;
use context3d::backend::Backend;
use context3d::enums::TextureFormat;
use context3d::{Context3D, ContextOptions, Error, Profile};
use molehill_reference::{Options, ReferenceBackend};

use peak::peak;

/// Maximum resident memory of the process with a hundred textures: the 512 MB that Flash counts for them with all mip
/// levels, which immutable storage has, and the driver.
const MOST: u64 = 600 << 20;

/// Creates a hundred compressed textures of 4096², with a 1×1 bitmap in each; returns how many fit.
fn textures(backend: impl Backend, ignore_limits: bool) -> usize {
    let options = ContextOptions { profile: Profile::Standard, swf_version: 50 };
    let mut context = Context3D::new(backend, options);
    let mut call = || -> Result<usize, Error> {
        context.set_ignore_resource_limits(ignore_limits)?;
        for made in 0..100 {
            let texture =
                match context.create_texture(4096, 4096, TextureFormat::Compressed, false, 0) {
                    Ok(texture) => texture,
                    Err(Error::Flash(error)) if error.number() == 3691 => return Ok(made),
                    Err(error) => return Err(error),
                };
            let bitmap = Bitmap {
                width: 1,
                height: 1,
                transparent: true,
                layout: context3d::arguments::PixelLayout::default(),
                pixels: Some(&[1, 2, 3, 255]),
            };
            context.texture_upload_from_bitmap_data(texture, Some(bitmap), None, 0)?;
        }
        Ok(100)
    };
    call().expect("textures and uploads, or 3691")
}

/// The task of the child process.
const TASK: &str = "MOLEHILL_MEMORY_TASK";
const TASKS: [(&str, bool); 4] = [
    ("reference", false),
    ("reference, limits ignored", true),
    ("OpenGL", false),
    ("OpenGL, limits ignored", true),
];

#[test]
fn a_hundred_compressed_textures() {
    if peak().is_none() {
        assert!(std::env::var_os("MOLEHILL_REQUIRE_TOOLS").is_none(), "no /proc/self/status");
        println!("skipped: no /proc/self/status");
        return;
    }
    for (task, _) in TASKS {
        let this = std::env::current_exe().expect("this program");
        let output = Command::new(this)
            .args(["--ignored", "--exact", "on_its_own"])
            .env(TASK, task)
            .output()
            .expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{task}: {text}");
    }
}

#[test]
#[ignore = "one of the counts, in a process of its own"]
fn on_its_own() {
    let named = std::env::var(TASK);
    let task = TASKS.into_iter().find(|(task, _)| named.as_deref() == Ok(*task));
    let Some((task, ignore_limits)) = task else {
        println!("skipped: started without {TASK}");
        return;
    };
    let made = if task.starts_with("reference") {
        let reference = ReferenceBackend::new(Options::default());
        textures(reference, ignore_limits)
    } else {
        let offscreen =
            Offscreen::open(Api::OpenGl).expect("an EGL; harness/setup.sh installs one");
        textures(offscreen.backend().expect("a backend"), ignore_limits)
    };
    // Flash counts half a byte a texel, including levels: this many fit 512 MB.
    assert_eq!(made, 47);
    let peak = peak().expect("Linux counts");
    println!("{task}: {made} textures, peak {} MB", peak >> 20);
    assert!(peak < MOST, "{made} textures take {} MB", peak >> 20);
}
