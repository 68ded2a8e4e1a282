//! Writes log messages to the browser's console.

use log::{Level, LevelFilter, Log, Metadata, Record};
use web_sys::console;

struct Console;

impl Log for Console {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= Level::Warn
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let text = format!("{}: {}", record.target(), record.args()).into();
            match record.level() {
                Level::Error => console::error_1(&text),
                _ => console::warn_1(&text),
            }
        }
    }

    fn flush(&self) {}
}

/// Sends all later panics and log messages of level `Warn` and above to the browser's console.
pub(crate) fn listen() {
    if log::set_logger(&Console).is_ok() {
        log::set_max_level(LevelFilter::Warn);
    }
    std::panic::set_hook(Box::new(|info| {
        console::error_1(&info.to_string().into());
    }));
}
