//! GL errors and `KHR_debug` messages.

use context3d::backend::BackendError;
use glow::HasContext as _;

use super::state::SingleValue;
use super::{GlFunctions, plain_calls};

plain_calls! {
    take_error() -> u32 = get_error;
    is_enabled(capability: u32) -> bool = is_enabled;
}

/// WebGL's value of `GL_CONTEXT_LOST` (WebGL 1.0, section 5.14.3), which WebGL reports once.
const CONTEXT_LOST_WEBGL: u32 = 0x9242;

/// One message of the debug log.
pub(super) struct DebugMessage {
    pub(super) kind: u32,
    pub(super) severity: u32,
    pub(super) text: String,
}

/// Maximum number of error flags to clear: GL has one per type of error, but a lost context may report errors forever.
const MAX_PENDING_ERRORS: usize = 16;
/// Maximum number of messages to fetch at once. Mesa stores ten.
const MAX_MESSAGES: usize = 256;

/// Returns the name of an error in the OpenGL registry.
fn error_name(error: u32) -> &'static str {
    match error {
        glow::INVALID_ENUM => "GL_INVALID_ENUM",
        glow::INVALID_VALUE => "GL_INVALID_VALUE",
        glow::INVALID_OPERATION => "GL_INVALID_OPERATION",
        glow::INVALID_FRAMEBUFFER_OPERATION => "GL_INVALID_FRAMEBUFFER_OPERATION",
        glow::OUT_OF_MEMORY => "GL_OUT_OF_MEMORY",
        glow::CONTEXT_LOST | CONTEXT_LOST_WEBGL => "GL_CONTEXT_LOST",
        _ => "an unknown GL error",
    }
}

impl GlFunctions {
    /// Returns the number of GL errors and high-severity messages so far.
    #[inline]
    pub(crate) fn problems(&self) -> u64 {
        self.problems.get()
    }

    fn count_problem(&self) {
        self.problems.set(self.problems.get().saturating_add(1));
    }

    /// Logs and counts GL errors of packets such as draws and clears. A packet with a GL error still succeeds, because
    /// a draw can't be undone.
    pub(crate) fn log_errors(&self, what: &str) -> Result<(), BackendError> {
        if self.verified.get() {
            return Ok(());
        }
        self.check_current()?;
        match self.errors(what) {
            Err(BackendError::Lost) => Err(BackendError::Lost),
            Err(BackendError::OutOfMemory) => {
                self.out_of_memory.set(true);
                Ok(())
            }
            Ok(())
            | Err(
                BackendError::Driver(_)
                | BackendError::Unsupported(_)
                | BackendError::CompileFailed { .. },
            ) => Ok(()),
        }
    }

    /// Simulates a draw that runs out of memory.
    #[cfg(test)]
    pub(crate) fn out_of_memory(&self) {
        self.out_of_memory.set(true);
    }

    /// Like [`GlFunctions::log_errors`], but returns an error once if GL ran out of memory since the last call.
    pub(crate) fn check_drawing(&self, what: &str) -> Result<(), BackendError> {
        self.log_errors(what)?;
        if self.out_of_memory.take() { Err(BackendError::OutOfMemory) } else { Ok(()) }
    }

    /// Clears GL's error flags and returns the worst error. The result includes errors of earlier calls, unless
    /// `DeviceState::begin_checked` has logged these errors.
    pub(crate) fn check(&self, what: &str) -> Result<(), BackendError> {
        if self.verified.get() {
            return Ok(());
        }
        self.check_current()?;
        self.errors(what)
    }

    fn errors(&self, what: &str) -> Result<(), BackendError> {
        let mut result = Ok(());
        for _ in 0..MAX_PENDING_ERRORS {
            let error = self.take_error();
            match error {
                glow::NO_ERROR => {
                    self.verified.set(true);
                    break;
                }
                glow::CONTEXT_LOST | CONTEXT_LOST_WEBGL => return Err(BackendError::Lost),
                _ => {
                    self.count_problem();
                    let text = format!("{what}: {} ({error:#06x})", error_name(error));
                    log::error!("{text}");
                    if error == glow::OUT_OF_MEMORY {
                        result = Err(BackendError::OutOfMemory);
                    } else if result.is_ok() {
                        result = Err(BackendError::Driver(text));
                    }
                }
            }
        }
        result
    }

    /// Clears GL's error flags after other code has used the context. Logs the errors, so that they aren't attributed
    /// to a packet.
    pub(crate) fn drain_foreign_errors(&self) -> Result<(), BackendError> {
        self.check_current()?;
        for _ in 0..MAX_PENDING_ERRORS {
            match self.take_error() {
                glow::NO_ERROR => break,
                glow::CONTEXT_LOST | CONTEXT_LOST_WEBGL => return Err(BackendError::Lost),
                error => log::warn!(
                    "left in the context by other code: {} ({error:#06x})",
                    error_name(error)
                ),
            }
        }
        Ok(())
    }

    /// Sets up the debug log of a debug context. Returns false if the context isn't a debug context.
    pub(crate) fn start_debug_log(&self) -> bool {
        if !self.has_debug_log() {
            return false;
        }
        // Debug output is initially enabled exactly in debug contexts. The context flags have the same information, but
        // Mesa rejects their query in OpenGL ES 3.1.
        if !self.is_enabled(glow::DEBUG_OUTPUT) {
            return false;
        }
        self.set_debug_log(true, true);
        true
    }

    /// If the log `is_read`, sets GL's debug state: for this crate's log if `ours` is true, otherwise to GL's defaults.
    pub(crate) fn set_debug_log(&self, is_read: bool, ours: bool) {
        if !is_read {
            return;
        }
        if ours {
            // Synchronous messages are logged before their call returns, so that they can be attributed to a packet.
            self.enable(glow::DEBUG_OUTPUT_SYNCHRONOUS);
        } else {
            self.disable(glow::DEBUG_OUTPUT_SYNCHRONOUS);
        }
        // Drivers store few messages (Mesa ten), so that notifications would displace important ones.
        let chatter = !ours || log::log_enabled!(log::Level::Debug);
        self.log_severity(glow::DEBUG_SEVERITY_NOTIFICATION, chatter);
    }

    /// Passes the debug log to `log`. Call this only if [`GlFunctions::start_debug_log`] returned true.
    /// `own` counts high-severity messages as problems.
    pub(crate) fn drain_debug_log(&self, own: bool) {
        if self.integer(SingleValue::DebugLoggedMessages) <= 0 {
            return;
        }
        let mut buffer = Vec::new();
        for _ in 0..MAX_MESSAGES {
            let Some(message) = self.next_debug_message(&mut buffer) else {
                break;
            };
            let level = match message.severity {
                glow::DEBUG_SEVERITY_HIGH => {
                    if own {
                        self.count_problem();
                    }
                    log::Level::Error
                }
                glow::DEBUG_SEVERITY_MEDIUM => log::Level::Warn,
                glow::DEBUG_SEVERITY_LOW => log::Level::Info,
                _ => log::Level::Debug,
            };
            log::log!(level, "GL {:#06x}: {}", message.kind, message.text);
        }
    }
}
