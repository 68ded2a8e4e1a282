//! Tests the HTML report in a browser: the elements that its script creates for a run with failures. Needs Chromium or
//! Chrome on the path, in headless mode; otherwise the tests are counted as skipped.

#[path = "../web/src/bin/molehill-browser/devtools.rs"]
#[expect(dead_code, reason = "the program does more")]
mod devtools;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use devtools::Browser;
use libtest_mimic::{Arguments, Failed, Trial};
use molehill_conform::Verdict;
use molehill_conform::results::ConformResults;

const BROWSERS: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
/// Time limit for the browser to load a page.
const PATIENCE: Duration = Duration::from_secs(60);
/// The name of a case with images that fails with a mutation.
const FAILING: &str = "api.blend.one.oneMinusSourceAlpha";
/// The name of a case that only the earlier run contains.
const GONE: &str = "api.blend.removed";
/// The name of a case that passes even with the mutation.
const PASSING: &str = "api.scissor.all";
/// The folder of the report that compares a run with the earlier run as baseline.
const BASELINE: &str = "mutated";
/// The folder of the report about one run.
const ONE: &str = "one";
/// The folder of the report that compares a run, its copy with another image, and a subset of the run.
const PICTURES: &str = "pictures";

/// Events of a browser that loads a page, as `molehill-browser` handles them.
enum PageEvent {
    Message(serde_json::Value),
    Gone,
    #[expect(dead_code, reason = "these pages report nothing")]
    Report(u64, String),
}

/// A script that waits until the page's script and images change nothing any more, and returns the page's elements.
const SHOWN: &str = "
    let [before, shown] = ['', null];
    const loads = () => document.readyState !== 'complete' || [...document.images].some((image) => !image.complete);
    while (loads() || shown !== before) {
        before = document.documentElement?.outerHTML;
        await new Promise((done) => setTimeout(done, 100));
        shown = document.documentElement?.outerHTML;
    }
    return shown;";

/// Returns the path of a browser that runs scripts. Some browsers don't run without a desktop session, which CI lacks.
fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut files =
        BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let works = |browser: &PathBuf| {
        let address = "data:text/html,<script>document.write(6 * 7)</script>";
        let shown = start(browser).and_then(|mut browser| shown_by(&mut browser, address));
        shown.is_ok_and(|shown| shown.contains("42"))
    };
    files.find(|file| file.is_file() && works(file))
}

fn start(browser: &Path) -> Result<Browser, String> {
    let program = browser.to_str().ok_or("a path that is not UTF-8")?;
    Browser::start((program, &[]), (1280, 800), channel(), Instant::now() + PATIENCE)
}

/// Returns a page's elements after its script has run.
fn shown_by(browser: &mut Browser, address: &str) -> Result<String, String> {
    browser.end = Instant::now() + PATIENCE;
    browser.open(address)?;
    browser.run(SHOWN)
}

/// The paths of the HTML reports and of the browser's executable.
#[derive(Clone)]
struct Page {
    browser: PathBuf,
    folder: PathBuf,
}

/// A browser that shows the reports.
struct Viewer {
    browser: Browser,
    folder: PathBuf,
}

impl Page {
    /// Runs a few cases, then fewer cases with a mutation, so that cases fail, pass, are missing, or aren't selected.
    fn new(browser: PathBuf) -> Page {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let run = |out: &str, arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_molehill"));
            command.arg("conform").args(arguments).arg("--out").arg(folder.join(out));
            command.current_dir(&folder).env_remove("RUST_LOG").stdin(Stdio::null());
            let output = command.output().expect("the program runs");
            let printed = [output.stderr, output.stdout].concat();
            assert!(
                folder.join(out).join("index.html").is_file(),
                "{out}: {}",
                printed.escape_ascii()
            );
        };
        let areas = "--backend reference --filter api.blend --filter api.scissor";
        let areas: Vec<&str> = areas.split(' ').collect();
        let baseline = "whole/results.jsonl";
        run("whole", &[&areas[..], &["--filter", "api.clear.color"]].concat());
        // Add a case to the baseline that this version doesn't have.
        let text = fs::read_to_string(folder.join(baseline)).expect("results");
        let (head, lines) = text.split_once('\n').expect("a head");
        let like = lines.lines().find(|line| line.contains(FAILING));
        let gone = like.expect("the case").replace(FAILING, GONE);
        let head = head.replace(&format!("{FAILING:?}"), &format!("{FAILING:?},{GONE:?}"));
        fs::write(folder.join(baseline), format!("{head}\n{lines}{gone}\n")).expect("a file");
        let mutation = ["--mutation", "blend-inverse-lost", "--baseline", baseline];
        run(BASELINE, &[&areas[..], &mutation].concat());
        run(ONE, &["compare", BASELINE]);

        let page = Page { browser, folder: folder.clone() };
        let write = |name: &str, results: &ConformResults| {
            fs::write(folder.join(name), results.text()).expect("a file");
        };
        let mut results = page.results();
        let case = results.outcomes.iter_mut().find(|outcome| outcome.name == PASSING);
        case.expect("the case").hash = Some("0".repeat(16));
        write("other.jsonl", &results);
        // Create a run without the case `PASSING`, and with another selection.
        results.head.selection = Default::default();
        results.outcomes.retain(|outcome| outcome.name != PASSING);
        write("part.jsonl", &results);
        run(PICTURES, &["compare", BASELINE, "other.jsonl", "part.jsonl"]);
        page
    }

    fn results(&self) -> ConformResults {
        ConformResults::read(&self.folder.join(BASELINE).join("results.jsonl")).expect("results")
    }

    fn viewer(&self) -> Viewer {
        let browser = start(&self.browser).expect("the browser starts");
        Viewer { browser, folder: self.folder.clone() }
    }
}

impl Viewer {
    /// Returns the elements of a report's page after its script has run, with this fragment in its address.
    fn shown(&mut self, report: &str, fragment: &str) -> String {
        let index = self.folder.join(report).join("index.html");
        let address = format!("file://{}{fragment}", index.display());
        let shown = shown_by(&mut self.browser, &address)
            .unwrap_or_else(|errors| panic!("the browser shows nothing: {errors}"));
        // Extract the elements that the script creates.
        let (start, end) = (shown.find("<header"), shown.find("<script"));
        shown[start.expect("a header")..end.expect("a script")].to_owned()
    }
}

/// Returns the text of the first element with these words in its tag.
fn text<'a>(shown: &'a str, tag: &str) -> &'a str {
    let rest = shown.split_once(tag).unwrap_or_else(|| panic!("no {tag}")).1;
    let rest = rest.split_once('>').expect("a tag").1;
    rest.split('<').next().expect("text")
}

/// Returns the numbers of cases, passes and failures of a run in the page's table.
fn totals<'a>(shown: &'a str, run: &str) -> [&'a str; 3] {
    let row = shown.split_once(&format!(">{run}</td>")).unwrap_or_else(|| panic!("no {run}")).1;
    let mut cells = row.split("<td").skip(2).map(|cell| text(cell, ""));
    [(); 3].map(|()| cells.next().expect("a cell"))
}

fn count(results: &ConformResults, wanted: impl Fn(&str, Verdict) -> bool) -> usize {
    let outcomes = results.outcomes.iter();
    outcomes.filter(|outcome| wanted(&outcome.name, outcome.verdict)).count()
}

/// Returns the number of cases in the page's tree: those with a row, and those in closed branches.
fn rows(shown: &str) -> usize {
    let closed =
        shown.split("class=\"row branch\" aria-expanded=\"false\"").skip(1).map(|branch| {
            let number = text(branch, "class=\"soft ms\"");
            let number = number.split_once(" of ").map_or(number, |(_, all)| all);
            number.trim_end_matches(" differ").parse::<usize>().expect("a number")
        });
    shown.matches("class=\"case").count() + closed.sum::<usize>()
}

fn printed(cases: usize) -> String {
    match cases {
        1 => "1 case".to_owned(),
        _ => format!("{cases} cases"),
    }
}

fn everything(page: &Page) {
    let mut viewer = page.viewer();
    let results = page.results();
    let (all, failing) =
        (results.outcomes.len(), count(&results, |_, verdict| verdict == Verdict::Fail));
    assert!(failing > 5 && all > failing, "{failing} of {all}");
    let passing = all - failing;
    let totals_of_run = [all, passing, failing].map(|number| number.to_string());
    let chip = |verdict, number| format!("<span>{verdict}</span><b>{number}</b>");

    // With one run, all cases are listed, and the first failure is open.
    let shown = viewer.shown(ONE, "");
    assert!(text(&shown, "id=\"about\"").starts_with(&format!("{all} cases, ")));
    assert_eq!(text(&shown, "id=\"count\""), printed(all));
    assert_eq!(rows(&shown), all);
    assert_eq!(totals(&shown, "mutated"), totals_of_run);
    assert!(shown.contains(&chip("fail", failing)) && shown.contains(&chip("pass", passing)));
    let first = results.outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Fail);
    let first = first.map(|outcome| &outcome.name).min().expect("a failure");
    let (before, _) = shown.split_once("class=\"detail\"").expect("details");
    let names: Vec<&str> = before.split("<code").skip(1).map(|rest| text(rest, "")).collect();
    assert!(first.ends_with(&names[names.len() - 2..].join(".")), "{names:?}");
    assert_eq!(shown.matches("class=\"detail\"").count(), 1);

    // With a baseline, the differing cases are listed, including a case that only the baseline has.
    let shown = viewer.shown(BASELINE, "");
    assert!(text(&shown, "id=\"about\"").starts_with(&format!("2 runs, {} cases, ", all + 1)));
    assert_eq!(text(&shown, "id=\"count\""), printed(failing + 1));
    assert_eq!(rows(&shown), failing + 1);
    // Cases of the baseline that this run didn't select aren't counted.
    let earlier = (all + 1).to_string();
    assert_eq!(totals(&shown, "A baseline"), [&earlier, &earlier, ""]);
    assert_eq!(totals(&shown, "B this run"), totals_of_run);
    assert!(shown.contains(&chip("fail", failing)) && shown.contains(&chip("pass", all + 1)));
    assert!(shown.contains("→absent<b>1</b>") && shown.contains(&format!("fail<b>{failing}</b>")));
    let (_, gone) = shown.split_once("<code>removed</code>").expect("the case");
    assert!(
        gone.contains("title=\"baseline: pass\"") && gone.contains("title=\"this run: absent\"")
    );
    assert_eq!(shown.matches(": absent\"").count(), 1);

    // The page lists all cases, with totals by area and run.
    let shown = viewer.shown(BASELINE, "#changed=0");
    assert_eq!(text(&shown, "id=\"count\""), printed(all + 1));
    assert_eq!(rows(&shown), all + 1);
    assert!(!shown.contains("<code>clear"));
    let (_, area) = shown.split_once("<code>api</code>").expect("the area");
    let (area, _) = area.split_once("class=\"row").expect("a row");
    assert_eq!(text(area, "class=\"soft ms\""), format!("{} of {} differ", failing + 1, all + 1));
    let parts: Vec<&str> = area.split("title=\"").skip(1).collect();
    let parts: Vec<&str> = parts.iter().filter_map(|part| part.split('"').next()).collect();
    let wanted = [(all + 1, "pass"), (passing, "pass"), (failing, "fail")];
    assert_eq!(parts, wanted.map(|(number, verdict)| format!("{number} {verdict}")));
}

fn filters(page: &Page) {
    let mut viewer = page.viewer();
    let results = page.results();
    let failing = count(&results, |_, verdict| verdict == Verdict::Fail);
    let passing = results.outcomes.len() - failing;
    // The baseline contains one case more than the run.
    let all = results.outcomes.len() + 1;
    let scissor = count(&results, |name, _| name.starts_with("api.scissor"));
    let failing_one_one = count(&results, |name, verdict| {
        name.starts_with("api.blend.one.one") && verdict == Verdict::Fail
    });
    for (report, fragment, wanted) in [
        (ONE, "#verdict=fail", failing),
        (ONE, "#verdict=pass", passing),
        (ONE, "#verdict=pass&verdict=fail", all - 1),
        (ONE, "#name=api.scissor", scissor),
        (BASELINE, "#verdict=fail", failing),
        (BASELINE, "#changed=0&verdict=fail", failing),
        (BASELINE, "#changed=0&verdict=pass", all),
        (BASELINE, "#changed=0&verdict=pass&verdict=fail", all),
        (BASELINE, "#changed=0&name=api.scissor", scissor),
        (BASELINE, "#name=api.scissor", 0),
        (BASELINE, "#changed=0&name=api.*.one.one*&verdict=fail", failing_one_one),
        (BASELINE, "#changed=1", failing + 1),
        (BASELINE, "#changed=0&profile=baseline", all),
        (BASELINE, "#changed=0&profile=standard", 0),
        (BASELINE, "#move=pass+→+fail", failing),
        (BASELINE, "#move=pass+→+absent", 1),
        // With the filter `hidden`, the report lists only one of the two compared runs.
        (BASELINE, "#hidden=0&changed=0&verdict=pass", passing),
        (BASELINE, "#hidden=1&changed=0&verdict=fail", 0),
        (BASELINE, "#hidden=0&changed=0", all - 1),
        (BASELINE, "#hidden=1", 0),
        (PICTURES, "#changed=0&move=other+images", 1),
    ] {
        let shown = viewer.shown(report, fragment);
        assert_eq!(text(&shown, "id=\"count\""), printed(wanted), "{fragment}");
        // If no case is listed, a row says so.
        assert_eq!(rows(&shown), wanted.max(1), "{fragment}");
        assert_eq!(shown.contains("class=\"case empty"), wanted == 0, "{fragment}");
    }
    // The page counts the verdicts of the visible runs and the cases whose names match.
    let shown = viewer.shown(BASELINE, "#hidden=1&name=api.scissor");
    let numbers = ["fail", "pass"].map(|verdict| {
        let chip = shown.split_once(&format!("<span>{verdict}</span>")).expect("a chip").1;
        text(chip, "<b").parse::<usize>().expect("a number")
    });
    assert_eq!(numbers, [0, scissor]);
}

fn details(page: &Page) {
    let mut viewer = page.viewer();
    let shown = viewer.shown(BASELINE, &format!("#name={FAILING}&open={FAILING}"));
    assert!(
        shown.contains("title=\"baseline: pass\"") && shown.contains("title=\"this run: fail\"")
    );
    assert!(shown.contains("<h2>B this run: fail</h2><ul><li>image 0: "));
    assert!(
        shown.contains("<p class=\"soft\">scene · baseline · source: [context3d.blend.equation]")
    );
    // The page shows the sizes of images that the browser has decoded.
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

/// Checks that the report lists a case whose image differs on the same driver, but no case that only one run selected.
fn other_pictures(page: &Page) {
    let mut viewer = page.viewer();
    let shown = viewer.shown(PICTURES, "");
    assert_eq!((text(&shown, "id=\"count\""), rows(&shown)), ("1 case", 1));
    assert!(
        shown.contains(&format!("<code>{PASSING}</code><span class=\"tag\">other images</span>"))
    );
    assert!(shown.contains(">other images<b>1</b>") && !shown.contains("→absent"));
    assert!(shown.contains("title=\"other: pass\"") && shown.contains("title=\"part: absent\""));
}

type Test = fn(&Page);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let tests: [(&str, Test); 4] = [
        ("page everything", everything),
        ("page filters", filters),
        ("page details", details),
        ("page other pictures", other_pictures),
    ];
    let required = std::env::var_os("MOLEHILL_REQUIRE_TOOLS").is_some();
    let found = browser().filter(|_| !arguments.list);
    let page = found.map(Page::new);
    if page.is_none() {
        println!("skipped: no Chromium or Chrome that runs on the path");
    }
    let trials = tests.map(|(name, test)| {
        let page = page.clone();
        let skipped = page.is_none() && (arguments.list || !required);
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
