//! `molehill record`: plays a SWF in a player that uses Molehill, and records the Stage3D calls.

use std::cell::Cell;
use std::env::{consts::EXE_SUFFIX, var_os};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use molehill_analysis::{Capture, CaptureLimits, count};
use molehill_capture::{CaptureReader, RECORD_VARIABLE, count_frames};
use molehill_replay::process::Process;

use super::{CommandFailure, CommandStatus, OutputFormat, ProgressLine, output, show, trim};

/// The environment variable with the path of the Flash player.
const PLAYER_VARIABLE: &str = "MOLEHILL_PLAYER";
/// The players that `harness/hosts/build.sh` builds, in the current folder, its parent or the home folder, and
/// whether each needs a display.
const PLAYERS: [(&str, bool); 3] = [
    ("ruffle/target/release/ruffle_desktop", true),
    ("ruffle/target/release/exporter", false),
    ("lightspark/molehill-player", false),
];
/// The number of frames for a windowless player whose recording only Ctrl-C ends.
const NO_END: u32 = 1_000_000;
/// The time limit for a player to print its help, and to end after a request.
const SHORT: Duration = Duration::from_secs(10);
/// The minimum interval between two counts of the recorded frames. Counting frames takes at most a tenth of the
/// recording's time.
const COUNT_INTERVAL: Duration = Duration::from_millis(500);

/// Plays a SWF in a player that uses Molehill, and records its Stage3D calls
#[derive(clap::Args)]
pub(super) struct RecordCommand {
    /// SWF to play
    #[arg(value_name = "SWF")]
    swf: PathBuf,
    /// Capture to write: .s3d, or .s3d.jsonl; an existing file is never replaced
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Number of frames to record [default: until the player ends, or Ctrl-C]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    frames: Option<u32>,
    /// Player that harness/hosts/build.sh built [default: MOLEHILL_PLAYER, or the first that is found]
    #[arg(long, value_name = "PATH")]
    player: Option<PathBuf>,
    #[command(flatten)]
    format: OutputFormat,
}

impl RecordCommand {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        fs::metadata(&self.swf).map_err(CommandFailure::of(self.swf.display()))?;
        let out = self.out.display();
        if self.out.exists() {
            return Err(CommandFailure(format!(
                "{out}: the file exists; name another one, or delete it"
            )));
        }
        if self.out.extension().is_some_and(|end| end == "zst") {
            return Err(CommandFailure(format!(
                "{out}: a recording can't be compressed; name it .s3d"
            )));
        }
        let player = self.player()?;
        self.play(&player)?;
        if !self.out.exists() {
            let player = player.display();
            return Err(CommandFailure(format!(
                "{out}: {player} recorded nothing: the SWF uses no Stage3D, or the player was not built by harness/hosts/build.sh"
            )));
        }
        // A player that was killed may have written an incomplete last record.
        let capture = Capture::open(CaptureReader::open(&self.out)?, CaptureLimits::default())?;
        if capture.failure().is_some() {
            trim::write(&self.out, &capture)?;
        }
        drop(capture);
        let described = show::capture(&self.out)?;
        self.format.print(&described, || described.text())
    }

    /// Returns the player that the option names, or the first player that is found.
    fn player(&self) -> Result<PathBuf, CommandFailure> {
        let named = self.player.clone().or_else(|| var_os(PLAYER_VARIABLE).map(PathBuf::from));
        if let Some(player) = named {
            fs::metadata(&player).map_err(CommandFailure::of(player.display()))?;
            return std::path::absolute(player).map_err(CommandFailure::from);
        }
        let home = var_os("HOME").or_else(|| var_os("USERPROFILE")).map(PathBuf::from);
        let folders = [Some(PathBuf::from(".")), Some(PathBuf::from("..")), home];
        let display = !cfg!(target_os = "linux")
            || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| var_os(name).is_some());
        for folder in folders.into_iter().flatten() {
            for (player, _) in PLAYERS.iter().filter(|(_, needs_display)| display || !needs_display)
            {
                let player = folder.join(format!("{player}{EXE_SUFFIX}"));
                if player.is_file() {
                    return std::path::absolute(player).map_err(CommandFailure::from);
                }
            }
        }
        let names = PLAYERS.map(|(player, _)| player).join(", ");
        Err(CommandFailure(format!(
            "no player with Molehill found ({names}, below ., .. and the home folder); --player PATH or {PLAYER_VARIABLE} names one. Build one:\n  \
             git clone https://github.com/ruffle-rs/ruffle\n  sh harness/hosts/build.sh --ruffle ruffle --headless"
        )))
    }

    /// Runs the player until it ends, has recorded enough frames, or Ctrl-C is pressed.
    fn play(&self, player: &Path) -> Result<(), CommandFailure> {
        let interrupted = Arc::new(AtomicBool::new(false));
        let signalled = Arc::clone(&interrupted);
        ctrlc::set_handler(move || signalled.store(true, Ordering::Relaxed))?;
        let failed = CommandFailure::of(player.display());
        let mut command = Command::new(player);
        let counts = has_frames(player).map_err(&failed)?;
        if counts {
            command.args(["--frames", &self.frames.unwrap_or(NO_END).to_string()]);
        }
        // The player's output goes to standard error, because standard output contains only this command's result.
        command
            .arg(&self.swf)
            .env(RECORD_VARIABLE, &self.out)
            .stdin(Stdio::null())
            .stdout(io::stderr());
        output::tell(&format!("{}: playing; Ctrl-C ends the recording", player.display()));
        let mut process = Process::start(command).map_err(&failed)?;
        let progress = std::cell::RefCell::new(ProgressLine::new());
        let look = Cell::new((Instant::now(), 0));
        let go_on = || {
            let (next, mut frames) = look.get();
            let now = Instant::now();
            if now >= next {
                frames = count_frames(&self.out).unwrap_or(0);
                look.set((Instant::now() + COUNT_INTERVAL.max(now.elapsed() * 10), frames));
            }
            let bytes = || fs::metadata(&self.out).map_or(0, |file| file.len());
            let what = || format!("{frames} frames, {} bytes", count(bytes()));
            progress.borrow_mut().update(|| (what(), frames, self.frames.map(u64::from)));
            let enough = !counts && self.frames.is_some_and(|most| frames >= u64::from(most));
            !enough && !interrupted.load(Ordering::Relaxed)
        };
        let ended = process.wait_while(go_on).map_err(&failed)?;
        let status = match ended {
            Some(status) => Some(status),
            // A player that is asked to end completes its recording.
            None => {
                process.ask_to_end();
                let asked = Instant::now();
                let ended = process.wait_while(|| asked.elapsed() < SHORT).map_err(&failed)?;
                if ended.is_none() {
                    process.end().map_err(&failed)?;
                }
                None
            }
        };
        progress.into_inner().finish();
        if let Some(status) = status.filter(|status| !status.success()) {
            output::tell(&format!(
                "{} ended with {status}; the recording is kept",
                player.display()
            ));
        }
        Ok(())
    }
}

/// Returns whether a player has the option `--frames`. Windowless players have `--frames`.
fn has_frames(player: &Path) -> io::Result<bool> {
    let mut command = Command::new(player);
    command.arg("--help").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut process = Process::start(command)?;
    let (_, output, _) = process.pipes();
    let started = Instant::now();
    let ended = process.wait_while(|| started.elapsed() < SHORT)?;
    let text = output.filter(|_| ended.is_some()).map(io::read_to_string).transpose()?;
    Ok(text.is_some_and(|text| text.contains("--frames")))
}
