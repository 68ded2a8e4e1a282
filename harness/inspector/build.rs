//! For MinGW, the library that pages load exports nothing: its linker would export every symbol, which takes gigabytes.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |part: &str| std::env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    if target("OS") == "windows" && target("ENV") == "gnu" {
        println!("cargo:rustc-link-arg-cdylib=-Wl,--exclude-all-symbols");
    }
}
