//! Gives the shared library the name by which programs ask for it once it is installed.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    // The first number changes whenever a program that was linked against an older header must be compiled again.
    let name = match system.as_str() {
        "macos" | "ios" => "-Wl,-install_name,@rpath/libmolehill.0.dylib",
        "windows" | "emscripten" => return,
        _ => "-Wl,-soname,libmolehill.so.0",
    };
    println!("cargo:rustc-cdylib-link-arg={name}");
}
