//! The HTML report in a browser: the elements that its script makes for a run with failures. Needs Chromium or Chrome
//! on the path, in headless mode; without a working one, the tests are counted as skipped.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};
use molehill_conform::Verdict;
use molehill_conform::results::Results;

const BROWSERS: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
/// Time limit of a browser for a page.
const PATIENCE: Duration = Duration::from_secs(60);
/// A case with pictures that fails with a mutation.
const FAILING: &str = "api.blend.one.oneMinusSourceAlpha";
/// A case of the earlier run alone.
const GONE: &str = "api.blend.removed";

/// A browser that runs scripts: some installed ones need a session that CI lacks.
fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let files =
        BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page-probe");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).expect("a folder");
    let trial = home.join("trial.html");
    fs::write(&trial, "<script>document.write(6 * 7)</script>").expect("a file");
    let address = format!("file://{}", trial.display());
    let works = |browser: &PathBuf| {
        let shown = shown_by(browser, &home, &address);
        shown.is_ok_and(|shown| shown.contains("42"))
    };
    files.into_iter().find(|file| file.is_file() && works(file))
}

/// A page's elements after its script has run; else the browser's output.
fn shown_by(browser: &Path, home: &Path, address: &str) -> Result<String, String> {
    let (page, errors) = (home.join("page.html"), home.join("errors.txt"));
    let mut command = Command::new(browser);
    // No sandbox: it refuses to run as root, and the pages are our own.
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
        .arg(format!("--user-data-dir={}", home.display()))
        .args(["--virtual-time-budget=5000", "--dump-dom", address])
        .stdin(Stdio::null())
        .stdout(File::create(&page).expect("a file"))
        .stderr(File::create(&errors).expect("a file"));
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let begin = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if begin.elapsed() > PATIENCE {
            let _ = child.kill();
            let _ = child.wait();
            return Err(fs::read_to_string(&errors).unwrap_or_default());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let shown = fs::read(&page).expect("a file");
    Ok(String::from_utf8_lossy(&shown).into_owned())
}

/// A report and its browser.
#[derive(Clone)]
struct Page {
    browser: PathBuf,
    folder: PathBuf,
}

impl Page {
    /// Runs a few cases, then fewer with a mutation, so that some fail, some don't, one is gone, and some aren't selected.
    fn new(browser: PathBuf) -> Page {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let run = |out: &str, more: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_molehill"));
            command.args(["conform", "--backend", "reference", "--oracle", "reference"]);
            command.args(["--filter", "api.blend", "--filter", "api.scissor"]);
            command.args(more).arg("--out").arg(folder.join(out));
            command.env_remove("RUST_LOG").stdin(Stdio::null());
            let output = command.output().expect("the program runs");
            String::from_utf8_lossy(&output.stderr).into_owned()
                + &String::from_utf8_lossy(&output.stdout)
        };
        let whole = run("whole", &["--filter", "api.clear.color"]);
        let baseline = folder.join("whole/results.jsonl");
        assert!(baseline.is_file(), "{whole}");
        // A case that this version doesn't have.
        let mut lines = fs::read_to_string(&baseline).expect("results");
        let like = lines.lines().find(|line| line.contains(FAILING));
        let gone = like.expect("the case").replace(FAILING, GONE);
        lines.push_str(&gone);
        fs::write(&baseline, lines + "\n").expect("a file");
        let baseline = baseline.to_string_lossy();
        let mutated =
            run("mutated", &["--mutation", "blend-inverse-lost", "--baseline", &baseline]);
        assert!(folder.join("mutated/index.html").is_file(), "{mutated}");
        Page { browser, folder }
    }

    fn results(&self) -> Results {
        Results::read(&self.folder.join("mutated/results.jsonl")).expect("results")
    }

    /// The page's elements after its script has run, with this fragment in its address.
    fn shown(&self, test: &str, fragment: &str) -> String {
        let home = self.folder.join(format!("browser-{test}"));
        fs::create_dir_all(&home).expect("a folder");
        let index = self.folder.join("mutated/index.html");
        let address = format!("file://{}{fragment}", index.display());
        let shown = shown_by(&self.browser, &home, &address)
            .unwrap_or_else(|errors| panic!("the browser shows nothing: {errors}"));
        // Only the elements made by the script.
        let end = shown.find("<script").expect("a script");
        shown[..end].to_owned()
    }
}

/// The text of the first element with these words in its tag.
fn text<'a>(shown: &'a str, tag: &str) -> &'a str {
    let rest = shown.split_once(tag).unwrap_or_else(|| panic!("no {tag}")).1;
    let rest = rest.split_once('>').expect("a tag").1;
    rest.split('<').next().expect("text")
}

fn count(results: &Results, wanted: impl Fn(&str, Verdict) -> bool) -> usize {
    let outcomes = results.outcomes.iter();
    outcomes.filter(|outcome| wanted(&outcome.name, outcome.verdict)).count()
}

fn rows(shown: &str) -> usize {
    shown.matches("class=\"case").count()
}

fn everything(page: &Page) {
    let shown = page.shown("everything", "");
    let results = page.results();
    let (all, failing) =
        (results.outcomes.len(), count(&results, |_, verdict| verdict == Verdict::Fail));
    assert!(failing > 5 && all > failing, "{failing} of {all}");
    assert!(text(&shown, "id=\"about\"").starts_with(&format!("{all} of {all} cases, ")));
    assert_eq!(text(&shown, "id=\"count\""), format!("{all} cases"));
    assert_eq!(rows(&shown), all);
    // Totals by verdict, by area and by profile.
    let chips = format!("<span>fail</span><b>{failing}</b>");
    assert!(shown.contains(&chips), "{chips}");
    let api = format!("<td>api</td><td>{all}</td><td>{}</td>", all - failing);
    assert!(shown.contains(&api), "{api}");
    assert!(shown.contains(&format!("<td>baseline</td><td>{all}</td>")));
    // The selected case of the earlier run that is missing in this one.
    assert!(
        shown.contains("Only in the baseline: 1")
            && shown.contains(&format!("<code>{GONE}</code>"))
            && !shown.contains("api.clear.color")
    );
    // The first failure is open.
    assert_eq!(shown.matches("class=\"detail\"").count(), 1);
}

fn filters(page: &Page) {
    let results = page.results();
    let failing = count(&results, |_, verdict| verdict == Verdict::Fail);
    let all = results.outcomes.len();
    for (number, (fragment, wanted)) in [
        ("#verdict=fail", failing),
        ("#verdict=pass", all - failing),
        ("#verdict=pass&verdict=fail", all),
        ("#name=api.scissor", count(&results, |name, _| name.starts_with("api.scissor"))),
        (
            "#name=api.*.one.one*&verdict=fail",
            count(&results, |name, verdict| {
                name.starts_with("api.blend.one.one") && verdict == Verdict::Fail
            }),
        ),
        ("#changed=1", failing),
        ("#profile=baseline", all),
        ("#profile=standard", 0),
    ]
    .into_iter()
    .enumerate()
    {
        let shown = page.shown(&format!("filter-{number}"), fragment);
        let printed = match wanted {
            1 => "1 case".to_owned(),
            _ => format!("{wanted} cases"),
        };
        assert_eq!(text(&shown, "id=\"count\""), printed, "{fragment}");
        // If there is none, a row says so.
        assert_eq!(rows(&shown), wanted.max(1), "{fragment}");
    }
}

fn details(page: &Page) {
    let shown = page.shown("details", &format!("#name={FAILING}&open={FAILING}"));
    assert!(shown.contains(">was pass</span>"));
    assert!(shown.contains("<p class=\"soft\">Source: context3d.md section 6, blend"));
    // Sizes are shown for pictures that the browser decoded.
    for title in ["Expected", "Actual", "Difference"] {
        assert!(shown.contains(&format!("<figcaption>{title} 32 × 32</figcaption>")), "{title}");
    }
    assert!(shown.contains("Actual over expected") && shown.contains("type=\"range\""));
    assert!(shown.contains("class=\"over\" style=\"right: 50%;\""));
    for title in ["Calls", "AGAL"] {
        assert!(shown.contains(&format!("<summary>{title}</summary><pre>")), "{title}");
    }
    assert!(shown.contains("setBlendFactors") && shown.contains("mov oc, v0"));
}

type Test = fn(&Page);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let tests: [(&str, Test); 3] =
        [("page everything", everything), ("page filters", filters), ("page details", details)];
    let found = browser().filter(|_| !arguments.list);
    let page = found.map(Page::new);
    if page.is_none() {
        println!("skipped: no Chromium or Chrome that runs on the path");
    }
    let trials = tests.map(|(name, test)| {
        let page = page.clone();
        let skipped = page.is_none();
        let run = move || match &page {
            Some(page) => {
                test(page);
                Ok(())
            }
            None => Err(Failed::from("no browser")),
        };
        Trial::test(name, run).with_ignored_flag(skipped)
    });
    libtest_mimic::run(&arguments, trials.into()).exit_code()
}
