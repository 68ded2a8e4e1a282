//! Sets the soname or install name of the shared library, by which programs load the library.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    // The interface version: below 1.0, it includes the minor version.
    let number = |part| std::env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default();
    let abi = match number("MAJOR").as_str() {
        "0" => format!("0.{}", number("MINOR")),
        major => major.to_owned(),
    };
    let name = match system.as_str() {
        "macos" | "ios" => format!("-Wl,-install_name,@rpath/libmolehill.{abi}.dylib"),
        "windows" | "emscripten" => return,
        _ => format!("-Wl,-soname,libmolehill.so.{abi}"),
    };
    println!("cargo:rustc-cdylib-link-arg={name}");
}
