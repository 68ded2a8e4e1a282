//! The shader playground: all results about a program as one JSON object, which `play.html` shows.
//!
//! [`answer`] is a pure function of a source, text or bytes, and of [`PageSettings`]. AGAL is checked as by Flash,
//! listed, translated to GLSL, WGSL and Direct3D 9 tokens, and run with a trace of every register. Direct3D 9 shaders
//! and hull shaders are checked, listed and translated to GLSL.
#![allow(missing_docs, reason = "only what a name doesn't say is documented")]
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg_attr(not(test), warn(clippy::print_stdout, clippy::indexing_slicing))]

mod agal;
mod answer;
mod hull;
mod run;
mod settings;
mod source;
mod tokens;
mod values;

pub use answer::{Panel, PlayAnswer, Problem, TitledText};
pub use run::{InputRegister, PlayStep};
pub use settings::{PageSettings, SettingLists};
pub use source::{MAX_SOURCE, PlaySource};

use source::SourceLanguage;

/// Returns all of the playground's results about a source.
pub fn answer(source: &PlaySource<'_>, settings: &PageSettings) -> PlayAnswer {
    if source.len() > MAX_SOURCE {
        let message = format!("{} bytes: the playground reads at most {MAX_SOURCE}", source.len());
        return PlayAnswer::refused("", Problem::error(message));
    }
    match source.language() {
        SourceLanguage::Agal => agal::answer(source, settings),
        SourceLanguage::D3d9 => tokens::answer(source, settings),
        SourceLanguage::Hs50 => hull::answer(source, settings),
    }
}

/// Returns the possible values of the settings as JSON.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen::prelude::wasm_bindgen)]
pub fn choices() -> String {
    serde_json::to_string(&SettingLists::all()).unwrap_or_default()
}

/// Checks, lists, translates and runs a shader source, and returns the results as JSON. The source is `text`, or, if
/// `first` isn't empty, bytes; `second` is the other program of a pair. `settings` has lines `NAME=VALUE`, see
/// [`PageSettings::read`].
#[cfg_attr(target_arch = "wasm32", wasm_bindgen::prelude::wasm_bindgen)]
pub fn play(text: &str, first: &[u8], second: &[u8], settings: &str) -> String {
    let source = match (first, second) {
        ([], _) => PlaySource::Text(text),
        (first, []) => PlaySource::Bytes(vec![first]),
        (first, second) => PlaySource::Bytes(vec![first, second]),
    };
    let answer = answer(&source, &PageSettings::read(settings));
    serde_json::to_string(&answer).unwrap_or_default()
}
