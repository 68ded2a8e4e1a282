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
//! place of `{A}` and `{B}`, then with 3 and 4; several such lines are nested. `for A : enum NAME` has the strings of an
//! enumeration. `{A*4+2}` is computed from left to right with `+`, `-`, `*`, `%`, and `/` without remainder.
//!
//! In the steps, `each N 0..8 ; ( … )` repeats words for the numbers 0 to 7 with `;` between them, and
//! `each N,M a:b,c:d + ( … )` for the pairs of a list with `+` between them.

mod steps;

use context3d::Profile;

use crate::calls::invalid;
use crate::calls::words::NULL;
use crate::case::{Body, Case, Cases, Expected};
use crate::expected;

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

/// The rows of a script, with further values for `{NAME}`; a script that can't be read is a case that fails.
pub(crate) fn rows(
    cases: &mut Cases,
    area: &str,
    text: &str,
    value: &dyn Fn(&str) -> Option<String>,
) -> Vec<Row> {
    parse(text, value).unwrap_or_else(|fault| {
        let name = format!("{area}.unreadable");
        cases.calls(name, "scripts", Expected::Allowed, move |_| Err(invalid(&fault)));
        Vec::new()
    })
}

fn parse(text: &str, value: &dyn Fn(&str) -> Option<String>) -> Result<Vec<Row>, String> {
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
                    let known = |name: &str| named(values, name).or_else(|| value(name));
                    // A value may have a value in it.
                    let text = filled_in(&filled_in(&block.join("\n"), &known), &known);
                    row(&text, source, &mut rows).ok_or_else(|| format!("not a row: {text}"))?;
                }
            }
        }
    }
    rows.retain(|row| !row.has("def"));
    Ok(rows)
}

type Values = Vec<(String, String)>;

fn named(values: &Values, name: &str) -> Option<String> {
    values.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone())
}

/// A text with the values of `{NAME}` and `{NAME OP N OP N}`; those without a value stay.
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

/// The value of `A OP B OP C`, from left to right.
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

/// The values of `for NAME … : VALUE … ; VALUE …`, by name.
fn loops(line: &str) -> Option<Vec<Values>> {
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

fn row(text: &str, source: &str, rows: &mut Vec<Row>) -> Option<()> {
    let mut words = tokens(&text.replace("\n", " ; "));
    words.iter_mut().for_each(|word| *word = word.replace("\\n", "\n"));
    let end = words.iter().position(|word| word == ":" || word == ";").unwrap_or(words.len());
    let steps_of_row = repeated(&words.split_off(end), &mut Values::new())?;
    rows.push(Row { words, source: source.to_owned(), steps: Vec::new() });
    let separated = steps_of_row.split(|word| word == ";" || word == ":");
    for words in separated.filter(|words| !words.is_empty()) {
        let steps = steps(words, rows)?;
        rows.last_mut()?.steps.extend(steps);
    }
    Some(())
}

/// Words with those of `each NAMES VALUES JOINT ( … )` once for each value.
fn repeated(words: &[String], values: &mut Values) -> Option<Vec<String>> {
    let fill = |words: &[String], values: &Values| -> Vec<String> {
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
