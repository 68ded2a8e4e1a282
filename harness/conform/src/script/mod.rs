//! Cases as text: `scripts/*.txt`.
//!
//! A row is a line of words, and after ` : ` its steps with ` ; ` between them; further steps may follow on lines that
//! are indented. `#` begins a line of comment, and `source TEXT` names the source of the rows after it. Words with
//! spaces have quotes, in which `\n` is a new line.
//!
//! | step | |
//! |---|---|
//! | `call …`, `object.call …` | a call on the context or an object, with the words of `calls::words` |
//! | `name = …` | names the object that a call creates, or gives an object another name |
//! | `N times …` | repeats the step |
//! | `! …` | the step that is checked |
//! | `name` | the steps of a row `def name : …` |
//!
//! [`steps`] has further steps. A line `for A B : 1 2 ; 3 4` repeats the rows after it up to an empty line, with 1 and 2 in
//! place of `{A}` and `{B}`, then with 3 and 4; several such lines are nested.

mod steps;

use context3d::Profile;

use crate::calls::invalid;
use crate::calls::words::NULL;
use crate::case::{Body, Case, Cases, Expected};

pub(crate) use steps::run;

#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) words: Vec<String>,
    pub(crate) source: String,
    pub(crate) steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    is_checked: bool,
    times: u64,
    name: Option<String>,
    words: Vec<String>,
}

impl Row {
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.words.iter().any(|word| word == flag)
    }

    pub(crate) fn option(&self, key: &str) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    /// The error with a number, whose message has the arguments of the row.
    pub(crate) fn raises(&self, number: u16) -> Expected {
        let arguments = self.option("says").map(|says| says.split(',').collect::<Vec<_>>());
        Expected::raises(number, &arguments.unwrap_or_default())
    }

    /// The steps with a word in place of `?`.
    pub(crate) fn steps_with(&self, value: Option<&str>) -> Vec<Step> {
        let mut steps = self.steps.clone();
        let places = steps.iter_mut().flat_map(|step| &mut step.words).filter(|word| *word == "?");
        places.for_each(|word| *word = value.unwrap_or(NULL).to_owned());
        steps
    }

    /// Sets what the options of a row say about its case.
    pub(crate) fn configure(&self, case: &mut Case) {
        let profile = |key| self.option(key).and_then(Profile::from_name);
        if let Some(profile) = profile("profile") {
            case.profile(profile);
        }
        if let Some(profile) = profile("only") {
            case.exactly(profile);
        }
        if let Some(version) = self.option("swf").and_then(|version| version.parse().ok()) {
            case.swf(version);
        }
        if let Body::Calls(calls) = &mut case.body {
            calls.without_back_buffer |= self.has("no_back_buffer");
            calls.on_null_backend |= self.has("null_backend");
        }
    }
}

/// The rows of a script; a script that can't be read is a case that fails.
pub(crate) fn rows(cases: &mut Cases, area: &str, text: &str) -> Vec<Row> {
    parse(text).unwrap_or_else(|fault| {
        let name = format!("{area}.unreadable");
        cases.calls(name, "scripts", Expected::Allowed, move |_| Err(invalid(&fault)));
        Vec::new()
    })
}

fn parse(text: &str) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = Vec::new();
    let (mut source, mut values) = ("", vec![Values::new()]);
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    for block in lines.chunk_by(|_, next| next.starts_with(' ')) {
        match block {
            [""] => values = vec![Values::new()],
            [line] if line.starts_with("source ") => source = line.trim_start_matches("source "),
            [line] if line.starts_with("for ") => {
                let inner = loops(line).ok_or_else(|| format!("not a loop: {line}"))?;
                let nested = |outer: &Values| {
                    inner.iter().map(|inner| [&outer[..], inner].concat()).collect()
                };
                values = values.iter().flat_map(|outer| -> Vec<Values> { nested(outer) }).collect();
            }
            block => {
                for values in &values {
                    let filled_in =
                        |text: String, (name, value): &(String, String)| text.replace(name, value);
                    let text = values.iter().fold(block.join("\n"), filled_in);
                    row(&text, source, &mut rows).ok_or_else(|| format!("not a row: {text}"))?;
                }
            }
        }
    }
    rows.retain(|row| !row.has("def"));
    Ok(rows)
}

type Values = Vec<(String, String)>;

/// The values of `for NAME … : VALUE … ; VALUE …`, by `{NAME}`.
fn loops(line: &str) -> Option<Vec<Values>> {
    let (names, values) = line.strip_prefix("for ")?.split_once(" : ")?;
    let names: Vec<String> = names.split(' ').map(|name| format!("{{{name}}}")).collect();
    let values = values.split(" ; ").map(|values| {
        let values = tokens(values);
        (values.len() == names.len()).then(|| names.iter().cloned().zip(values).collect())
    });
    values.collect()
}

fn row(text: &str, source: &str, rows: &mut Vec<Row>) -> Option<()> {
    for (line, number) in text.lines().zip(0..) {
        let mut words = tokens(line);
        words.iter_mut().for_each(|word| *word = word.replace("\\n", "\n"));
        if number == 0 {
            let end = words.iter().position(|word| word == ":").unwrap_or(words.len());
            let steps = words.split_off(end).into_iter().skip(1).collect();
            rows.push(Row { words, source: source.to_owned(), steps: Vec::new() });
            words = steps;
        }
        for words in words.split(|word| word == ";").filter(|words| !words.is_empty()) {
            let steps = steps(words, rows)?;
            rows.last_mut()?.steps.extend(steps);
        }
    }
    Some(())
}

/// The words of a line; those in quotes may be empty.
fn tokens(line: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut token: Option<String> = None;
    let mut is_quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => {
                is_quoted = !is_quoted;
                token.get_or_insert_default();
            }
            ' ' if !is_quoted => tokens.extend(token.take()),
            letter => token.get_or_insert_default().push(letter),
        }
    }
    tokens.extend(token);
    tokens.into_iter().map(|token| if token == "null" { NULL.to_owned() } else { token }).collect()
}

/// The step of some words, or the steps of a definition.
fn steps(words: &[String], rows: &[Row]) -> Option<Vec<Step>> {
    let (is_checked, words) = match words {
        [mark, words @ ..] if mark == "!" => (true, words),
        words => (false, words),
    };
    let (times, words) = match words {
        [times, word, words @ ..] if word == "times" => (times.parse().ok()?, words),
        words => (1, words),
    };
    let (name, words) = match words {
        [name, equals, words @ ..] if equals == "=" => (Some(name.clone()), words),
        words => (None, words),
    };
    if let [name] = words
        && let Some(definition) = rows.iter().find(|row| row.has("def") && row.has(name))
    {
        let mut steps = definition.steps.clone();
        steps.first_mut()?.is_checked = is_checked;
        return Some(steps);
    }
    (!words.is_empty()).then(|| vec![Step { is_checked, times, name, words: words.to_vec() }])
}
