//! Sets the name of the shared library (soname, install name) by which programs load the installed library.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    // The major version changes whenever programs that were linked with an older header must be recompiled.
    let name = match system.as_str() {
        "macos" | "ios" => "-Wl,-install_name,@rpath/libmolehill.0.dylib",
        "windows" | "emscripten" => return,
        _ => "-Wl,-soname,libmolehill.so.0",
    };
    println!("cargo:rustc-cdylib-link-arg={name}");
}
