//! Starts child processes that end together with all their descendants: workers, tests of a capture, browsers.

use std::io;
use std::path::Path;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::thread::sleep;
use std::time::Duration;

use process_wrap::std::{ChildWrapper, CommandWrap};

/// The number of the POSIX signal SIGTERM.
#[cfg(unix)]
const SIGTERM: i32 = 15;

/// Interval of checks whether a process has ended.
const LOOK: Duration = Duration::from_millis(2);

/// A process in its own process group (on Windows, job object). Dropping the value kills the process if it still runs.
#[derive(Debug)]
pub struct Process(Box<dyn ChildWrapper>);

impl Process {
    /// Starts a command in a new process group.
    pub fn start(command: Command) -> io::Result<Process> {
        let mut command = CommandWrap::from(command);
        #[cfg(unix)]
        command.wrap(process_wrap::std::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::std::JobObject);
        command.spawn().map(Process)
    }

    /// Returns the id of the process.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Returns the pipes of standard input, output and error; later calls return `None`.
    pub fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.0.stdin().take(), self.0.stdout().take(), self.0.stderr().take())
    }

    /// Waits for the end of the process while the function returns true. Returns `None` if the process still runs.
    pub fn wait_while(&mut self, go_on: impl Fn() -> bool) -> io::Result<Option<ExitStatus>> {
        loop {
            let status = self.0.try_wait()?;
            if status.is_some() || !go_on() {
                return Ok(status);
            }
            sleep(LOOK);
        }
    }

    /// Asks the process group to end (SIGTERM). On Windows, the function does nothing.
    pub fn ask_to_end(&mut self) {
        // Sending a signal fails only if all processes of the group have ended.
        #[cfg(unix)]
        let _ = self.0.signal(SIGTERM);
    }

    /// Kills the process group, and returns the exit status of the process.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        // Sending a signal fails only if all processes of the group have ended.
        let _ = self.0.start_kill();
        self.0.wait()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            let _ = self.end();
        }
    }
}

/// Returns a shell command with a file as its last argument. The file name is passed in a variable, so that the shell
/// doesn't expand it.
pub fn shell(command: &str, file: &Path) -> Command {
    let mut shell = Command::new(if cfg!(windows) { "cmd" } else { "sh" });
    shell.env("MOLEHILL_CAPTURE", file);
    #[cfg(windows)]
    std::os::windows::process::CommandExt::raw_arg(
        &mut shell,
        format!("/S /C \"{command} \"%MOLEHILL_CAPTURE%\"\""),
    );
    #[cfg(not(windows))]
    shell.args(["-c", &format!("{command} \"$MOLEHILL_CAPTURE\"")]);
    shell
}
