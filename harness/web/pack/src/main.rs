//! `molehill-pack OUT MODULE.wasm…` runs wasm-bindgen on each module, and writes the module and its script to a folder.

use std::path::Path;
use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(out) = arguments.next() else {
        eprintln!("usage: molehill-pack OUT MODULE.wasm…");
        return ExitCode::from(2);
    };
    for module in arguments {
        let mut bindgen = Bindgen::new();
        bindgen.input_path(&module).typescript(false).remove_name_section(true);
        bindgen.remove_producers_section(true).omit_default_module_path(false);
        let made = bindgen.web(true).and_then(|bindgen| bindgen.generate(Path::new(&out)));
        if let Err(error) = made {
            eprintln!("{}: {error:#}", Path::new(&module).display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
