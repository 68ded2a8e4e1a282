//! The inspector as a desktop window.

#[cfg(not(target_arch = "wasm32"))]
mod window;

fn main() -> std::process::ExitCode {
    #[cfg(not(target_arch = "wasm32"))]
    return window::main();
    #[cfg(target_arch = "wasm32")]
    std::process::ExitCode::SUCCESS
}
