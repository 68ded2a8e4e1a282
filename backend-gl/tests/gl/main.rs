//! Tests the backend on real drivers, with OpenGL and OpenGL ES.

mod api;
mod common;
mod device;
mod dirt;
mod egl;
mod exchange;
mod faults;
mod gl_compile;
mod guest;
mod inject;
mod loss;
mod packets;
mod pixels;
mod pixels_atf;
mod pixels_data;
mod pixels_host;
mod pixels_masked;
mod pixels_surfaces;
mod present;
mod programs;
mod questions;
mod random_calls;
mod read_back;
mod second_egl_user;
mod workarounds;

/// The tests also pass on the oldest supported OpenGL without newer extensions, because workarounds give the same
/// pixels. Mesa reads these variables; other drivers ignore them.
#[test]
fn the_same_on_an_old_driver() {
    let program = std::env::current_exe().expect("the test's own path");
    let output = std::process::Command::new(program)
        .args(["packets::", "pixels::", "pixels_data::", "pixels_masked::"])
        .arg("the_driver_is_old")
        .env("MESA_GL_VERSION_OVERRIDE", "3.3")
        .env("MESA_GLES_VERSION_OVERRIDE", "3.0")
        .env(
            "MESA_EXTENSION_OVERRIDE",
            "-GL_ARB_clip_control -GL_EXT_clip_control -GL_ARB_ES2_compatibility -GL_ARB_texture_storage",
        )
        .output()
        .expect("the tests run again");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "on an old driver:\n{text}");
    let passed = text.lines().filter(|line| line.ends_with(" ... ok")).count();
    assert!(passed >= 30, "{passed} tests:\n{text}");
}

/// The environment variables take effect: the driver lacks the extensions, and their workarounds are active.
#[test]
fn the_driver_is_old() {
    let old = std::env::var_os("MESA_GL_VERSION_OVERRIDE").is_some();
    for api in common::APIS {
        let device = common::open(api).device().expect("a device");
        let driver = device.driver().expect("not in use");
        if old && driver.version.contains("Mesa") {
            let rows: Vec<_> = device.workarounds().iter().map(|row| row.name()).collect();
            assert!(rows.contains(&"clip-depth-in-shader"), "{driver:?}: {rows:?}");
            let version = ["3.3 ", "OpenGL ES 3.0 "].iter();
            let mut version = version.filter(|version| driver.version.starts_with(**version));
            assert!(version.next().is_some(), "{driver:?}");
        }
    }
}
