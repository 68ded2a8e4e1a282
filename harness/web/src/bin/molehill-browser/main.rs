//! Runs a page in a headless Chromium and waits for its report.
//!
//! The page's URL gets the parameter `report=/report`. The page posts files to `/report/NAME`, and finally a summary
//! to `/report?failing=COUNT&compared=COUNT`. The exit status is 0 if results were compared and none fails, else 1; 2
//! if the page can't be run or doesn't end in time. Instead of a report, a script can be run in the page.

mod devtools;
mod server;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use clap::Parser;

use devtools::Browser;
use server::PageServer;

/// Events while a page runs.
enum PageEvent {
    /// The browser sent a DevTools message.
    Message(serde_json::Value),
    Gone,
    /// The page's final report: the number of failures, and a summary.
    Report(u64, String),
}

const AFTER_HELP: &str = "\
Examples:
  molehill-browser target/web conform.html?filter=api.blend --out target/conform-web
  molehill-browser target/web conform.html?backend=webgpu --webgpu
  molehill-browser target/web index.html --no-report --screenshot index.png
  molehill-browser target/web inspect.html --script harness/web/inspect-test.js --serve a.s3d=capture.s3d

Exit status: 0; 1 if the page reports failures, or that it compared nothing; 2 if it can't be run or doesn't end in time.";

/// Runs a page in a headless Chromium and waits for its report
#[derive(Parser)]
#[command(name = "molehill-browser", after_help = AFTER_HELP)]
struct BrowserArguments {
    /// Folder to serve
    folder: PathBuf,
    /// Page in the folder, with its query
    page: String,
    /// Folder for the files that the page posts
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Serve a file or a folder as /NAME; repeatable
    #[arg(long, value_name = "NAME=PATH", value_parser = served)]
    serve: Vec<(String, PathBuf)>,
    /// Body of an asynchronous function that runs in the page instead of a report; it throws an error or returns a string
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// PNG file for a screenshot of the page at the end
    #[arg(long, value_name = "FILE")]
    screenshot: Option<PathBuf>,
    /// Width and height of the page in pixels
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x800", value_parser = size)]
    size: (u32, u32),
    /// Enable WebGPU on a software renderer [default: WebGL 2 only]
    #[arg(long)]
    webgpu: bool,
    /// Don't wait for a report; end after --timeout
    #[arg(long)]
    no_report: bool,
    /// Time limit of the whole run
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    timeout: u64,
    /// Browser to start
    #[arg(long, value_name = "PROGRAM", default_value = "chromium")]
    chromium: String,
}

fn served(pair: &str) -> Result<(String, PathBuf), String> {
    let (name, path) = pair.split_once('=').ok_or("must be NAME=PATH")?;
    Ok((name.to_owned(), PathBuf::from(path)))
}

fn size(text: &str) -> Result<(u32, u32), String> {
    molehill_capture::pair(text, 'x').ok_or_else(|| "must be WIDTHxHEIGHT".to_owned())
}

fn main() -> ExitCode {
    match run(BrowserArguments::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("molehill-browser: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the page in the browser. Returns the number of failures.
fn run(arguments: BrowserArguments) -> Result<u64, String> {
    let read = |file: &PathBuf| {
        std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
    };
    let script = arguments.script.as_ref().map(read).transpose()?;
    let silent = script.is_some() || arguments.no_report;
    let (sender, events) = channel();
    let server = PageServer { folder: arguments.folder, more: arguments.serve, out: arguments.out };
    let port = server.start(sender.clone()).map_err(|error| error.to_string())?;
    let page = arguments.page;
    let sign = if page.contains('?') { '&' } else { '?' };
    let report = if silent { String::new() } else { format!("{sign}report=/report") };
    let address = format!("http://127.0.0.1:{port}/{page}{report}");
    let end = Instant::now() + Duration::from_secs(arguments.timeout);
    let events = (sender, events);
    let more = if arguments.webgpu { devtools::WEBGPU } else { &[] };
    let mut browser = Browser::start((&arguments.chromium, more), arguments.size, events, end)?;
    browser.open(&address)?;
    let mut outcome = None;
    if let Some(script) = script {
        outcome = Some(match browser.run(&script) {
            Ok(text) => (0, text),
            Err(error) => (1, error),
        });
    }
    let failing = loop {
        if let Some((failing, text)) = outcome {
            println!("{text}");
            break failing;
        }
        let left = end.saturating_duration_since(Instant::now());
        match browser.events.recv_timeout(left) {
            Ok(PageEvent::Message(message)) => devtools::tell(&message),
            Ok(PageEvent::Report(failing, text)) => {
                print!("{text}");
                break failing;
            }
            Ok(PageEvent::Gone) | Err(RecvTimeoutError::Disconnected) => {
                return Err("the browser ended".to_owned());
            }
            Err(RecvTimeoutError::Timeout) if silent => break 0,
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!("no report in {} s", arguments.timeout));
            }
        }
    };
    if let Some(file) = arguments.screenshot {
        browser.end = Instant::now() + Duration::from_secs(30);
        let png = browser.screenshot()?;
        std::fs::write(&file, png).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(failing)
}
