//! Controls Chromium over pipes with the DevTools protocol.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use molehill_replay::process::Process;
use serde_json::{Value, json};

use super::PageEvent;

/// The browser's arguments: headless, WebGL on SwiftShader, and no services that tests don't need.
const ARGUMENTS: &[&str] = &[
    "--headless=new",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-renderer-backgrounding",
    "--disable-sync",
    "--no-default-browser-check",
    "--no-first-run",
    "--remote-debugging-pipe",
];
/// The arguments for WebGPU on SwiftShader. 2D canvases can read WebGPU canvases only if both are drawn with Vulkan.
pub(crate) const WEBGPU: &[&str] =
    &["--enable-unsafe-webgpu", "--enable-features=Vulkan", "--use-vulkan=swiftshader"];
/// A shell script that connects the pipes: Chromium reads commands from descriptor 3 and writes answers to 4.
const PIPES: &str = "exec \"$@\" 3<&0 4>&1 0</dev/null 1>&2";
/// The number of browsers that this process started, for unique profile folders.
static STARTED: AtomicU32 = AtomicU32::new(0);
/// The maximum time that the browser may take to exit after `Browser.close`.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) struct Browser {
    process: Process,
    commands: Option<ChildStdin>,
    profile: PathBuf,
    size: (u32, u32),
    session: Value,
    last: u64,
    pub(crate) events: Receiver<PageEvent>,
    /// The time at which all waits end.
    pub(crate) end: Instant,
}

impl Browser {
    /// Starts the browser. A background thread forwards the browser's messages as events.
    pub(crate) fn start(
        (program, more): (&str, &[&str]),
        size: (u32, u32),
        (sender, events): (Sender<PageEvent>, Receiver<PageEvent>),
        end: Instant,
    ) -> Result<Self, String> {
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let profile = format!("molehill-browser-{}-{number}", std::process::id());
        let profile = std::env::temp_dir().join(profile);
        let mut command = Command::new("sh");
        command.args(["-c", PIPES, "sh", program]).args(ARGUMENTS).args(more);
        command.arg(format!("--window-size={},{}", size.0, size.1));
        command.arg(format!("--user-data-dir={}", profile.display())).arg("about:blank");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let process = Process::start(command);
        let mut process = process.map_err(|error| format!("{program}: {error}"))?;
        let (commands, answers, _) = process.pipes();
        let answers = answers.ok_or("the process has no pipe")?;
        std::thread::spawn(move || {
            for answer in BufReader::new(answers).split(0).map_while(Result::ok) {
                if let Ok(message) = serde_json::from_slice(&answer) {
                    let _ = sender.send(PageEvent::Message(message));
                }
            }
            let _ = sender.send(PageEvent::Gone);
        });
        Ok(Self { process, commands, profile, size, session: Value::Null, last: 0, events, end })
    }

    /// Opens a page in a new tab. The methods below apply to the page that was opened last.
    pub(crate) fn open(&mut self, address: &str) -> Result<(), String> {
        self.session = Value::Null;
        let page = json!({ "url": "about:blank" });
        let page = self.ask("Target.createTarget", page)?;
        let session = json!({ "targetId": page["targetId"], "flatten": true });
        let session = self.ask("Target.attachToTarget", session)?;
        self.session = session["sessionId"].clone();
        for domain in ["Runtime.enable", "Log.enable", "Page.enable"] {
            self.ask(domain, json!({}))?;
        }
        // The size of a window includes its frame, and a window has a minimum width.
        let (width, height) = self.size;
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 0, "mobile": false });
        self.ask("Emulation.setDeviceMetricsOverride", size)?;
        let went = self.ask("Page.navigate", json!({ "url": address }))?;
        match went["errorText"].as_str() {
            Some(error) => Err(format!("{address}: {error}")),
            None => Ok(()),
        }
    }

    /// Runs `body` as an asynchronous function in the page. Returns the result if it is a string, else "".
    pub(crate) fn run(&mut self, body: &str) -> Result<String, String> {
        let script = json!({
            "expression": format!("(async () => {{\n{body}\n}})()"),
            "awaitPromise": true,
            "returnByValue": true,
        });
        let done = self.ask("Runtime.evaluate", script)?;
        let thrown = &done["exceptionDetails"];
        if !thrown.is_null() {
            return Err(exception(thrown).to_owned());
        }
        Ok(done["result"]["value"].as_str().unwrap_or("").to_owned())
    }

    pub(crate) fn screenshot(&mut self) -> Result<Vec<u8>, String> {
        let shot = json!({ "format": "png" });
        let shot = self.ask("Page.captureScreenshot", shot)?;
        let data = shot["data"].as_str().unwrap_or("");
        STANDARD.decode(data).map_err(|error| error.to_string())
    }

    /// Sends a command to the browser, and waits for the result.
    fn ask(&mut self, method: &str, parameters: Value) -> Result<Value, String> {
        self.last += 1;
        let mut command = json!({ "id": self.last, "method": method, "params": parameters });
        if !self.session.is_null() {
            command["sessionId"] = self.session.clone();
        }
        let pipe = self.commands.as_mut().ok_or("the process has no pipe")?;
        let sent = pipe.write_all(format!("{command}\0").as_bytes());
        sent.map_err(|error| format!("the browser can't be reached: {error}"))?;
        loop {
            let left = self.end.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(PageEvent::Message(message)) if message["id"] == self.last => {
                    return match message.get("error") {
                        Some(error) => Err(format!("{method}: {error}")),
                        None => Ok(message["result"].clone()),
                    };
                }
                Ok(PageEvent::Message(message)) => tell(&message),
                Ok(PageEvent::Report(..)) => {}
                Ok(PageEvent::Gone) => return Err("the browser can't be started".to_owned()),
                Err(_) => return Err(format!("{method}: no answer")),
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(mut pipe) = self.commands.take() {
            let _ = pipe.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
            let end = Instant::now() + SHUTDOWN_TIMEOUT;
            let _ = self.process.wait_while(|| Instant::now() < end);
        }
        let _ = self.process.end();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

/// Returns the message of a JavaScript exception, which can be any value.
fn exception(details: &Value) -> &str {
    let thrown = &details["exception"];
    let text = thrown["description"].as_str().or(thrown["value"].as_str());
    text.or(details["text"].as_str()).unwrap_or("unknown")
}

/// Prints a message of the page: console output, an uncaught exception or a log entry.
pub(crate) fn tell(message: &Value) {
    let parameters = &message["params"];
    match message["method"].as_str() {
        Some("Runtime.consoleAPICalled") => {
            let values = parameters["args"].as_array().into_iter().flatten();
            let values = values.map(|value| match &value["value"] {
                Value::String(text) => text.clone(),
                Value::Null => value["description"].as_str().unwrap_or("").to_owned(),
                other => other.to_string(),
            });
            let text = values.collect::<Vec<_>>().join(" ");
            eprintln!("console: {text}");
        }
        Some("Runtime.exceptionThrown") => {
            eprintln!("exception: {}", exception(&parameters["exceptionDetails"]));
        }
        Some("Log.entryAdded") => {
            let entry = &parameters["entry"];
            let text = entry["text"].as_str().unwrap_or("");
            eprintln!("browser: {text} {}", entry["url"].as_str().unwrap_or(""));
        }
        _ => {}
    }
}
