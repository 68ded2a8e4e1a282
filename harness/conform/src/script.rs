//! Cases as text: `scripts/*.txt`.
//!
//! A row is a line of words, and after ` : ` its steps with ` ; ` between them; further steps may follow on lines that
//! are indented. `#` begins a line of comment, and `source TEXT` names the source of the rows after it. Words with
//! spaces have quotes, in which `\n` is a new line.
//!
//! | step | |
//! |---|---|
//! | `call …`, `object.call …` | a call on the context or an object, with the words of [`words`] |
//! | `name = …` | names the object that a call creates, or gives an object another name |
//! | `N times …` | repeats the step |
//! | `! …` | the step that is checked |
//! | `setup` | all that a draw needs: `program`, `indices` of two triangles, `vertices` of seven floats as `va0` |
//! | `program N "vertex" "fragment"` | a bound `program` of AGAL version N |
//! | `present` | also ends the frame |
//! | `enter_other`, `leave_other` | the steps between them are on the context of another Stage3D |
//! | `name` | the steps of a row `def name : …` |

use context3d::Profile;
use molehill_capture::objects::{ObjectId, ObjectKind};

use crate::calls::words::{self, NULL, Objects};
use crate::calls::{Calls as _, invalid};
use crate::case::{Body, Case, Cases, Expected};
use crate::scene_builder::{Done, FULL, Quad, SceneBuilder};

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

    /// The value of `key=value`.
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
    let mut source = "";
    let lines =
        text.lines().zip(1..).filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    for (line, number) in lines {
        if let Some(text) = line.strip_prefix("source ") {
            source = text;
            continue;
        }
        let mut words = tokens(line);
        if !line.starts_with(' ') {
            let end = words.iter().position(|word| word == ":").unwrap_or(words.len());
            let steps = words.split_off(end).into_iter().skip(1).collect();
            rows.push(Row { words, source: source.to_owned(), steps: Vec::new() });
            words = steps;
        }
        for words in words.split(|word| word == ";").filter(|words| !words.is_empty()) {
            let steps =
                steps(words, &rows).ok_or_else(|| format!("line {number}: {}", words.join(" ")))?;
            rows.last_mut().ok_or("a step before the first row")?.steps.extend(steps);
        }
    }
    rows.retain(|row| !row.has("def"));
    Ok(rows)
}

fn tokens(line: &str) -> Vec<String> {
    let (mut tokens, mut quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match (letter, tokens.last_mut()) {
            ('"', _) => quoted = !quoted,
            (' ', _) if !quoted => tokens.push(String::new()),
            (letter, Some(last)) => last.push(letter),
            (_, None) => {}
        }
    }
    tokens.retain(|token| !token.is_empty());
    let tokens =
        tokens.into_iter().map(|token| if token == "null" { NULL.to_owned() } else { token });
    tokens.map(|token| token.replace("\\n", "\n")).collect()
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

/// Makes the calls of steps.
pub(crate) fn run(steps: &[Step], s: &mut SceneBuilder) -> Done {
    let mut objects = Objects::new();
    for step in steps {
        if step.is_checked {
            s.expect();
        }
        (0..step.times).try_for_each(|_| step.run(s, &mut objects))?;
    }
    Ok(())
}

impl Step {
    fn run(&self, s: &mut SceneBuilder, objects: &mut Objects) -> Done {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let fault = || invalid(format!("no such step: {}", self.words.join(" ")));
        let made: Option<(ObjectId, ObjectKind)> = match words.as_slice() {
            ["setup"] => {
                let (vertices, indices) = s.mesh(&[Quad::flat(FULL, 0.5, [1.0; 4])])?;
                s.set_vertex_buffer_at(0, vertices, 0, "float4")?;
                let program = s.program("mov op, va0", "mov oc, fc0")?;
                objects.insert("vertices".to_owned(), (vertices.0, ObjectKind::VertexBuffer3D));
                objects.insert("indices".to_owned(), (indices.0, ObjectKind::IndexBuffer3D));
                objects.insert("program".to_owned(), (program.0, ObjectKind::Program3D));
                None
            }
            ["program", version, vertex, fragment] => {
                let version = version.parse().map_err(|_| fault())?;
                let program = s.program_of(version, vertex, fragment)?;
                objects.insert("program".to_owned(), (program.0, ObjectKind::Program3D));
                None
            }
            ["present"] => s.present().map(|()| None)?,
            ["enter_other"] => s.enter_other().map(|()| None)?,
            ["leave_other"] => {
                s.leave_other();
                None
            }
            [name] if objects.contains_key(*name) => objects.get(*name).copied(),
            [first, words @ ..] => {
                let (on, name) = match first.split_once('.') {
                    Some((object, name)) => (Some(*objects.get(object).ok_or_else(fault)?), name),
                    None => (None, *first),
                };
                let class = on.map_or(ObjectKind::Context3D, |(_, class)| class);
                let call =
                    words::call(class, name, words.iter().copied(), objects).ok_or_else(fault)?;
                let class = call.creates();
                s.make(on.map(|(id, _)| id), call)?.zip(class)
            }
            [] => None,
        };
        if let (Some(name), Some(object)) = (&self.name, made) {
            objects.insert(name.clone(), object);
        }
        Ok(())
    }
}
