//! Stops MinGW's linker from exporting every symbol of the `cdylib`, which takes gigabytes of memory.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = |part: &str| std::env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    if target("OS") == "windows" && target("ENV") == "gnu" {
        println!("cargo:rustc-link-arg-cdylib=-Wl,--exclude-all-symbols");
    }
}
