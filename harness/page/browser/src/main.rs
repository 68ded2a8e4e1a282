//! Runs a page in a headless Chromium and waits for its report.
//!
//! The page's URL gets the parameter `report=/report`. The page posts files to `/report/NAME`, and finally a summary to
//! `/report?failing=COUNT`. The exit status is 0 if the count is 0, else 1; 2 if the page can't be run or doesn't end
//! in time. Instead of a report, a script can be run in the page.

mod devtools;
mod server;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use devtools::Browser;
use server::Server;

/// Events while a page runs.
enum Event {
    /// The browser sent a DevTools message.
    Message(serde_json::Value),
    /// The browser ended.
    Gone,
    /// The page's final report: number of failures, and summary.
    Report(u64, String),
}

const AFTER_HELP: &str = "\
Examples:
  molehill-browser target/web conform.html?filter=api.blend --out target/conform-web
  molehill-browser target/web index.html --no-report --screenshot index.png
  molehill-browser target/web inspect.html --script harness/page/inspect-test.js --serve a.s3d=capture.s3d

Exit status: 0; 1 if the page reports failures; 2 if it can't be run or doesn't end in time.";

fn command() -> Command {
    let path = |name: &'static str| Arg::new(name).value_parser(value_parser!(PathBuf));
    Command::new("molehill-browser")
        .about("Runs a page in a headless Chromium and waits for its report")
        .after_help(AFTER_HELP)
        .arg(
            path("folder")
                .value_name("DIR")
                .required(true)
                .help("Folder that is served"),
        )
        .arg(
            Arg::new("page")
                .value_name("PAGE")
                .required(true)
                .help("Page below it, with its query"),
        )
        .arg(
            path("out")
                .long("out")
                .value_name("DIR")
                .help("Folder for what the page posts"),
        )
        .arg(
            Arg::new("serve")
                .long("serve")
                .value_name("NAME=PATH")
                .action(ArgAction::Append)
                .help("Serves a file or a folder as /NAME, repeatable"),
        )
        .arg(
            path("script")
                .long("script")
                .value_name("FILE")
                .help("Body of an asynchronous function that is run in the page, in the place of a report: it fails or returns a text"),
        )
        .arg(
            path("screenshot")
                .long("screenshot")
                .value_name("FILE")
                .help("Picture of the page at the end, PNG"),
        )
        .arg(
            Arg::new("size")
                .long("size")
                .value_name("WIDTHxHEIGHT")
                .default_value("1280x800")
                .help("Size of the page"),
        )
        .arg(
            Arg::new("no-report")
                .long("no-report")
                .action(ArgAction::SetTrue)
                .help("The page reports nothing: it ends after --timeout"),
        )
        .arg(
            Arg::new("timeout")
                .long("timeout")
                .value_name("SECONDS")
                .default_value("600")
                .value_parser(value_parser!(u64))
                .help("Time for all of it"),
        )
        .arg(
            Arg::new("chromium")
                .long("chromium")
                .value_name("PROGRAM")
                .default_value("chromium")
                .help("The browser"),
        )
}

fn main() -> ExitCode {
    let matches = command().get_matches();
    match run(&matches) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("molehill-browser: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs the page; returns the number of failures.
fn run(matches: &ArgMatches) -> Result<u64, String> {
    let path = |name| matches.get_one::<PathBuf>(name).cloned();
    let text = |name| matches.get_one::<String>(name).map_or("", String::as_str);
    let size = text("size").split_once('x');
    let size = size.and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    let size: (u32, u32) = size.ok_or("--size: must be WIDTHxHEIGHT")?;
    let seconds = matches.get_one::<u64>("timeout").copied().unwrap_or(600);
    let more = matches.get_many::<String>("serve").into_iter().flatten();
    let more = more.map(|pair| {
        let (name, path) = pair.split_once('=').ok_or("--serve: must be NAME=PATH")?;
        Ok((name.to_owned(), PathBuf::from(path)))
    });
    let script = path("script").map(|file| {
        std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))
    });
    let script = script.transpose()?;
    let silent = script.is_some() || matches.get_flag("no-report");

    let (sender, events) = channel();
    let server = Server {
        folder: path("folder").unwrap_or_default(),
        more: more.collect::<Result<_, String>>()?,
        out: path("out"),
    };
    let port = server.start(sender.clone()).map_err(|error| error.to_string())?;
    let page = text("page");
    let sign = if page.contains('?') { '&' } else { '?' };
    let report = if silent { String::new() } else { format!("{sign}report=/report") };
    let address = format!("http://127.0.0.1:{port}/{page}{report}");
    let mut browser = Browser::start(text("chromium"), size, sender)?;
    let end = Instant::now() + Duration::from_secs(seconds);
    browser.open(&address, &events, end)?;
    let mut outcome = None;
    if let Some(script) = script {
        outcome = Some(match browser.run(&script, &events, end) {
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
        match events.recv_timeout(left) {
            Ok(Event::Message(message)) => devtools::tell(&message),
            Ok(Event::Report(failing, text)) => {
                print!("{text}");
                break failing;
            }
            Ok(Event::Gone) | Err(RecvTimeoutError::Disconnected) => {
                return Err("the browser ended".to_owned());
            }
            Err(RecvTimeoutError::Timeout) if silent => break 0,
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!("no report in {seconds} s"));
            }
        }
    };
    if let Some(file) = path("screenshot") {
        let png = browser.screenshot(&events, Instant::now() + Duration::from_secs(30))?;
        std::fs::write(&file, png).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(failing)
}
