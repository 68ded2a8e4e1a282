//! The backend on real drivers, with OpenGL and OpenGL ES.

mod common;
mod device;
mod dirt;
mod egl;
mod egl_image;
mod faults;
mod gl_compile;
mod guest;
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
mod random;
mod random_calls;
mod read_back;
mod second_egl_user;

/// These tests also pass on the oldest OpenGL that is supported, without the extensions that newer ones have: the
/// workarounds give the same pixels. Mesa reads these variables; other drivers ignore them.
#[test]
fn the_same_on_an_old_driver() {
    let program = std::env::current_exe().expect("the test's own path");
    let output = std::process::Command::new(program)
        .args(["packets::", "pixels::", "pixels_data::", "pixels_masked::"])
        .env("MESA_GL_VERSION_OVERRIDE", "3.3")
        .env("MESA_GLES_VERSION_OVERRIDE", "3.0")
        .env(
            "MESA_EXTENSION_OVERRIDE",
            "-GL_ARB_clip_control -GL_EXT_clip_control -GL_ARB_ES2_compatibility",
        )
        .output()
        .expect("the tests run again");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "on an old driver:\n{text}");
}
