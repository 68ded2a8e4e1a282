//! Parses test cases from text: `scripts/*.txt`.
//!
//! A row is a line of words, then ` : ` and its steps, separated by ` ; `. Indented lines continue the steps. A line
//! with `#` is a comment, and `source TEXT` sets the source of the rows below it. Words with spaces are quoted; in
//! quotes, `\n` is a new line.
//!
//! | step | |
//! |---|---|
//! | `call …`, `object.call …` | makes a call on the context or an object, with the arguments that `calls::words` parses |
//! | `name = …` | names the object that a call creates, or gives an object another name |
//! | `N times …` | repeats the step |
//! | `! …` | marks the step as the checked step |
//! | `name` | runs the steps of a row `def name : …` |
//!
//! [`steps`] has further steps. A line `for A B : 1 2 ; 3 4` repeats the rows below it, up to an empty line, with 1
//! and 2 instead of `{A}` and `{B}`, then with 3 and 4. Several `for` lines nest. `for A : enum NAME` iterates over the
//! strings of an enumeration. `{A*4+2}` is computed from left to right with `+`, `-`, `*`, `%`, and integer division
//! `/`.
//!
//! In the steps, `each N 0..8 ; ( … )` repeats words for the numbers 0 to 7, joined with `;`, and
//! `each N,M a:b,c:d + ( … )` for the pairs of a list, joined with `+`.

mod steps;

use context3d::Profile;

use crate::calls::invalid;
use crate::calls::words::NULL;
use crate::case::{CallExpectation, Case, CaseBody, Cases};
use crate::expected;

pub(crate) use steps::run;

#[derive(Clone, Debug, Default)]
pub(crate) struct ScriptRow {
    pub(crate) words: Vec<String>,
    pub(crate) source: String,
    pub(crate) steps: Vec<ScriptStep>,
}

#[derive(Clone, Debug)]
pub(crate) struct ScriptStep {
    is_checked: bool,
    times: u64,
    name: Option<String>,
    words: Vec<String>,
}

impl ScriptRow {
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.words.iter().any(|word| word == flag)
    }

    pub(crate) fn option(&self, key: &str) -> Option<&str> {
        self.words.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
    }

    pub(crate) fn raises(&self, number: u16) -> CallExpectation {
        let arguments = self.option("says").map(|says| says.split(',').collect::<Vec<_>>());
        CallExpectation::raises(number, &arguments.unwrap_or_default())
    }

    /// Returns the steps of the row, with every `?` replaced by `value`.
    pub(crate) fn steps_with(&self, value: Option<&str>) -> Vec<ScriptStep> {
        let mut steps = self.steps.clone();
        let places = steps.iter_mut().flat_map(|step| &mut step.words).filter(|word| *word == "?");
        places.for_each(|word| *word = value.unwrap_or(NULL).to_owned());
        steps
    }

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
        if let CaseBody::Calls(calls) = &mut case.body {
            calls.without_back_buffer |= self.has("no_back_buffer");
            calls.on_null_backend |= self.has("null_backend");
        }
    }
}

/// Parses the rows of a script. `value` returns the value of a placeholder `{NAME}` that the script doesn't define.
/// Syntax errors become failing cases.
pub(crate) fn rows(
    cases: &mut Cases,
    area: &str,
    text: &str,
    value: &dyn Fn(&str) -> Option<String>,
) -> Vec<ScriptRow> {
    parse(text, value).unwrap_or_else(|error| {
        let name = format!("{area}.unreadable");
        cases.calls(name, "scripts", CallExpectation::Allowed, move |_| Err(invalid(&error)));
        Vec::new()
    })
}

fn parse(text: &str, value: &dyn Fn(&str) -> Option<String>) -> Result<Vec<ScriptRow>, String> {
    let mut rows: Vec<ScriptRow> = Vec::new();
    let (mut source, mut values) = ("", vec![VariableValues::new()]);
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    for block in lines.chunk_by(|_, next| next.starts_with(' ')) {
        match block {
            [""] => values = vec![VariableValues::new()],
            [line] if line.starts_with("source ") => source = line.trim_start_matches("source "),
            [line] if line.starts_with("for ") => {
                let inner = loops(line).ok_or_else(|| format!("not a loop: {line}"))?;
                let nested = |outer: &VariableValues| {
                    inner.iter().map(|inner| [&outer[..], inner].concat()).collect::<Vec<_>>()
                };
                values = values.iter().flat_map(nested).collect();
            }
            block => {
                for values in &values {
                    let known = |name: &str| named(values, name).or_else(|| value(name));
                    // A value may itself contain `{NAME}`.
                    let text = filled_in(&filled_in(&block.join("\n"), &known), &known);
                    row(&text, source, &mut rows).ok_or_else(|| format!("not a row: {text}"))?;
                }
            }
        }
    }
    rows.retain(|row| !row.has("def"));
    Ok(rows)
}

/// Values of script variables by name. A later value replaces an earlier value with the same name.
type VariableValues = Vec<(String, String)>;

fn named(values: &VariableValues, name: &str) -> Option<String> {
    values.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone())
}

/// Replaces `{NAME}` and `{NAME OP N OP N}` in a text with their values. Unknown names are left unchanged.
fn filled_in(text: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    let mut parts = text.split('{');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let computed = part.split_once('}').and_then(|(expression, rest)| {
            let plain = value(expression);
            Some((plain.or_else(|| compute(expression, value))?, rest))
        });
        match computed {
            Some((value, rest)) => filled.extend([&value, rest]),
            None => filled.extend(["{", part]),
        }
    }
    filled
}

/// Evaluates an arithmetic expression `A OP B OP C` from left to right.
fn compute(expression: &str, value: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let operators = ['+', '-', '*', '/', '%'];
    let (mut sum, mut operator) = (0.0, "+");
    for part in expression.split_inclusive(operators) {
        let (operand, next) = part.split_at(part.len() - usize::from(part.ends_with(operators)));
        let number = value(operand).unwrap_or_else(|| operand.to_owned()).parse::<f64>().ok()?;
        sum = match operator {
            "+" => sum + number,
            "-" => sum - number,
            "*" => sum * number,
            "%" => sum % number,
            _ => (sum / number).floor(),
        };
        operator = next;
    }
    Some(sum.to_string())
}

/// Parses a loop `for NAME … : VALUE … ; VALUE …`. Returns the variables' values for each iteration.
fn loops(line: &str) -> Option<Vec<VariableValues>> {
    let (names, values) = line.strip_prefix("for ")?.split_once(" : ")?;
    let names: Vec<String> = names.split(' ').map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = match values.strip_prefix("enum ") {
        Some(of) => expected::names(of).map(|name| vec![name.to_owned()]).collect(),
        None => values.split(" ; ").map(tokens).collect(),
    };
    let values = rows.into_iter().map(|values| {
        (values.len() == names.len()).then(|| names.iter().cloned().zip(values).collect())
    });
    values.collect()
}

fn row(text: &str, source: &str, rows: &mut Vec<ScriptRow>) -> Option<()> {
    let mut words = tokens(&text.replace('\n', " ; "));
    let escaped = words.iter_mut().filter(|word| word.contains('\\'));
    escaped.for_each(|word| *word = word.replace("\\n", "\n"));
    let end = words.iter().position(|word| word == ":" || word == ";").unwrap_or(words.len());
    let steps_of_row = repeated(&words.split_off(end), &mut VariableValues::new())?;
    rows.push(ScriptRow { words, source: source.to_owned(), steps: Vec::new() });
    let separated = steps_of_row.split(|word| word == ";" || word == ":");
    for words in separated.filter(|words| !words.is_empty()) {
        let steps = steps(words, rows)?;
        rows.last_mut()?.steps.extend(steps);
    }
    Some(())
}

fn repeated(words: &[String], values: &mut VariableValues) -> Option<Vec<String>> {
    let fill = |words: &[String], values: &VariableValues| -> Vec<String> {
        words.iter().map(|word| filled_in(word, &|name| named(values, name))).collect()
    };
    let Some(at) = words.iter().position(|word| word == "each") else {
        return Some(fill(words, values));
    };
    let (before, rest) = words.split_at(at);
    let [_, names, list, joint, _, rest @ ..] = rest else { return None };
    let mut open = 1usize;
    let end = rest.iter().position(|word| {
        open += usize::from(word == "(");
        open -= usize::from(word == ")");
        open == 0
    })?;
    let all: Vec<String> = match list.split_once("..") {
        Some((first, last)) => {
            (first.parse::<u32>().ok()?..last.parse().ok()?).map(|n| n.to_string()).collect()
        }
        None => list.split(',').map(str::to_owned).collect(),
    };
    let mut whole = fill(before, values);
    for (number, value) in all.iter().enumerate() {
        if number > 0 {
            whole.push(joint.clone());
        }
        let known = values.len();
        let names = names.split(',').map(str::to_owned);
        values.extend(names.zip(value.split(':').map(str::to_owned)));
        whole.extend(repeated(&rest[..end], values)?);
        values.truncate(known);
    }
    whole.extend(repeated(&rest[end + 1..], values)?);
    Some(whole)
}

/// Splits a script line into words. Quoted words may be empty.
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

/// Parses the words of a script step. If the words are the name of a `def` row, returns the steps of that row.
fn steps(words: &[String], rows: &[ScriptRow]) -> Option<Vec<ScriptStep>> {
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
    (!words.is_empty()).then(|| vec![ScriptStep { is_checked, times, name, words: words.to_vec() }])
}
