//! Compiles `src/reference.c` with the headers of the crate `jpegxr`, which compiles the C library.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=src/reference.c");
    println!("cargo::rerun-if-changed=Cargo.lock");
    let library = library().join("jxrlib");
    cc::Build::new()
        .file("src/reference.c")
        // The definitions of the C library's own build, which affect the layout of structures.
        .define("__ANSI__", None)
        .define("DISABLE_PERF_MEASUREMENT", None)
        .includes(
            ["jxrgluelib", "common/include", "image/sys", "image/encode"]
                .map(|part| library.join(part)),
        )
        // The library's headers cause warnings that can't be fixed here.
        .warnings(false)
        .compile("reference");
}

/// Returns the source folder of the crate `jpegxr`.
fn library() -> PathBuf {
    let cargo = env::var_os("CARGO").expect("cargo says where it is");
    let target = env::var("TARGET").expect("cargo says what it builds for");
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--locked"])
        .args(["--filter-platform", &target])
        .output()
        .expect("cargo starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata: {text}");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("metadata is JSON");
    let mut packages = metadata["packages"].as_array().into_iter().flatten();
    let package = packages.find(|package| package["name"] == "jpegxr").expect("it is a dependency");
    let manifest = package["manifest_path"].as_str().unwrap_or_default();
    let mut folder = PathBuf::from(manifest);
    folder.pop();
    folder
}
