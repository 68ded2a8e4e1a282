//! The questions by name, each with its parameters: for command lines, and for servers such as [`crate::serve`].

use std::ops::ControlFlow;
use std::time::Duration;

use molehill_capture::objects::ObjectId;
use molehill_replay::evidence::Party;
use molehill_replay::image::Image;
use molehill_replay::table::{aligned, cells};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::dump::ObjectUse;
use crate::edit::pattern::Pattern;
use crate::error::Result;
use crate::evidence::crosses;
use crate::expected::{Expected, last_frame};
use crate::explain::Bounds;
use crate::inspector::Inspector;
use crate::pixel::Face;
use crate::scan::ranked;
use crate::selection::{Place, Selection};

/// A question about a capture.
pub struct Question {
    /// Its name as a command and as a tool.
    pub name: &'static str,
    pub about: &'static str,
    pub parameters: &'static [Parameter],
    /// Parameters that have no effect with others, each with the other one.
    pub excluded: &'static [(&'static str, &'static str)],
    /// Whether the tool has it as a command of this name; otherwise another command asks it.
    pub is_command: bool,
    /// What it can write as files.
    pub files: Option<&'static str>,
    ask: fn(&mut Inspector, &mut Given<'_>, Files<'_>) -> Result<Answer>,
}

pub struct Parameter {
    pub name: &'static str,
    /// Another name of the same parameter.
    pub alias: Option<&'static str>,
    pub short: Option<char>,
    pub kind: Kind,
    /// How a command line names the value.
    pub value: &'static str,
    pub is_required: bool,
    /// Another parameter that it needs.
    pub needs: Option<&'static str>,
    pub about: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number from 0 on.
    Number,
    Flag,
    Text,
    /// A [`Selection`]: a whole number, or a text.
    Selection,
}

impl Kind {
    /// Returns the type of JSON Schema.
    pub(crate) fn schema(self) -> Value {
        match self {
            Kind::Number => json!("integer"),
            Kind::Flag => json!("boolean"),
            Kind::Text => json!("string"),
            Kind::Selection => json!(["integer", "string"]),
        }
    }

    /// The kind in words, if a value is of another one.
    pub(crate) fn lacks(self, value: &Value) -> Option<&'static str> {
        let (is, what) = match self {
            Kind::Number => (value.is_u64(), "a whole number"),
            Kind::Flag => (value.is_boolean(), "true or false"),
            Kind::Text => (value.is_string(), "a text"),
            Kind::Selection => (value.is_u64() || value.is_string(), "a whole number or a text"),
        };
        (!is).then_some(what)
    }
}

/// An answer: as JSON, and as text for people.
pub struct Answer {
    pub json: Value,
    pub text: String,
}

/// A file of an answer.
pub enum File<'a> {
    Picture(&'a Image),
    Text(&'a str),
}

/// Takes the files of an answer with their names. `None`: they are not wanted, and not made.
pub type Files<'f> = Option<&'f mut dyn FnMut(&str, File<'_>) -> Result<()>>;

/// Stands for the files of an answer where a parameter needs them.
pub const OUT: &str = "out";

/// The parameter for the picture that a frame should have: see [`Expected::read`].
pub const EXPECT: &str = "expect";

impl Question {
    /// Asks about the capture of an inspector. `parameters` are values by name: numbers, `true`, texts; `expected` is the
    /// content of [`EXPECT`]. Errors: as the inspector, and [`InspectError::Unsupported`] for wrong parameters.
    pub fn ask(
        &self,
        inspector: &mut Inspector,
        parameters: &Map<String, Value>,
        expected: Option<&mut Expected>,
        files: Files<'_>,
    ) -> Result<Answer> {
        let parameters = &self.with_names(parameters)?;
        let known = |name: &String| self.parameters.iter().any(|one| one.name == name);
        if let Some(name) = parameters.keys().find(|name| !known(name)) {
            return Err(format!("{} has no parameter {name:?}", self.name).into());
        }
        let value = |name: &str| {
            parameters.get(name).filter(|value| !matches!(value, Value::Null | Value::Bool(false)))
        };
        let given = |name: &str| value(name).is_some() || name == OUT && files.is_some();
        if given(EXPECT) != expected.is_some() {
            return Err(format!("{EXPECT} has no content").into());
        }
        for Parameter { name, kind, is_required, needs, .. } in self.parameters {
            if *is_required && !given(name) {
                return Err(format!("{} needs {name}", self.name).into());
            }
            let Some(value) = value(name) else { continue };
            if let Some(kind) = kind.lacks(value) {
                return Err(format!("{name} must be {kind}, not {value}").into());
            }
            if let Some(needs) = needs.filter(|needs| !given(needs)) {
                return Err(format!("{name} has no effect without {needs}").into());
            }
        }
        let mut excluded = self.excluded.iter();
        if let Some((name, other)) = excluded.find(|(name, other)| given(name) && given(other)) {
            return Err(format!("{name} has no effect with {other}").into());
        }
        (self.ask)(inspector, &mut Given(parameters, expected), files)
    }

    /// Replaces other names of parameters by the own ones. Errors: a parameter with both.
    fn with_names(&self, parameters: &Map<String, Value>) -> Result<Map<String, Value>> {
        let mut named = parameters.clone();
        for Parameter { name, alias, .. } in self.parameters {
            let Some(value) = alias.and_then(|alias| named.remove(alias)) else { continue };
            if named.insert((*name).to_owned(), value).is_some() {
                let alias = alias.unwrap_or_default();
                return Err(
                    format!("{name} and {alias} are one parameter; give one of them").into()
                );
            }
        }
        Ok(named)
    }
}

struct Given<'a>(&'a Map<String, Value>, Option<&'a mut Expected>);

impl Given<'_> {
    fn number<T: TryFrom<u64>>(&self, name: &str) -> Result<Option<T>> {
        let Some(number) = self.0.get(name).and_then(Value::as_u64) else { return Ok(None) };
        let large = |_| format!("{name} is too large: {number}");
        Ok(Some(T::try_from(number).map_err(large)?))
    }

    /// Returns the frames or calls that were named.
    fn selection(&self, name: &str) -> Result<Option<Selection>> {
        match (self.number::<u32>(name)?, self.text(name)) {
            (Some(number), _) => Ok(Some(Selection::Ranges(vec![number..=number]))),
            (None, Some(text)) => Ok(Some(text.parse::<Selection>()?)),
            (None, None) => Ok(None),
        }
    }

    /// Returns the frame or the call that was named; without one, the place that stands out.
    pub(crate) fn place(&self, inspector: &mut Inspector) -> Result<Place> {
        let capture = inspector.capture();
        if let Some(call) = self.selection("call")? {
            let call = call.call(capture)?;
            return Ok(Place::named(capture.frame_of(call).map_or(0, |it| it.number), Some(call)));
        }
        match self.selection("frame")? {
            Some(frame) => Ok(Place::named(frame.frame(capture)?, None)),
            None => inspector.stands_out(),
        }
    }

    /// As [`Given::place`], with a call.
    fn call(&self, inspector: &mut Inspector) -> Result<(usize, Place)> {
        let place = self.place(inspector)?;
        let none = || "the capture has no executed draw; call must name a call".to_owned();
        Ok((place.call.ok_or_else(none)?, place))
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    fn flag(&self, name: &str) -> bool {
        self.0.get(name) == Some(&Value::Bool(true))
    }
}

/// Reads `X,Y`. Errors: another text, as a message.
pub fn place(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once(',').map(|(x, y)| (x.trim().parse(), y.trim().parse()));
    match parts {
        Some((Ok(x), Ok(y))) => Ok((x, y)),
        _ => Err(format!("{text:?} is not a pixel such as 120,80")),
    }
}

pub(crate) fn answer(value: &impl Serialize, text: impl ToString) -> Result<Answer> {
    let json = serde_json::to_value(value).map_err(|error| error.to_string())?;
    Ok(Answer { json, text: text.to_string() })
}

impl Answer {
    /// Says that the reference renderer has drawn.
    fn drawn(mut self) -> Self {
        self.json["renderer"] = json!(Party::REFERENCE);
        self.text += &format!("drawn by the {}\n", Party::REFERENCE);
        self
    }

    /// Says why the answer is about this frame or call (`option`), unless it was named.
    pub(crate) fn at(mut self, place: &Place, option: &str) -> Self {
        place.mark(&mut self.json);
        self.text.insert_str(0, &place.line(option));
        self
    }
}

const fn number(name: &'static str, short: Option<char>, about: &'static str) -> Parameter {
    Parameter { kind: Kind::Number, short, ..text(name, "N", about) }
}

/// A frame or a call, or several.
const fn selection(
    [name, alias]: [&'static str; 2],
    short: char,
    value: &'static str,
    about: &'static str,
) -> Parameter {
    let (alias, short) = (Some(alias), Some(short));
    Parameter { kind: Kind::Selection, alias, short, ..text(name, value, about) }
}

const fn text(name: &'static str, value: &'static str, about: &'static str) -> Parameter {
    let (kind, alias, short) = (Kind::Text, None, None);
    Parameter { name, alias, short, kind, value, is_required: false, needs: None, about }
}

const fn flag(name: &'static str, needs: &'static str, about: &'static str) -> Parameter {
    let plain = text(name, "", about);
    Parameter { kind: Kind::Flag, ..needing(plain, needs) }
}

const fn switch(name: &'static str, about: &'static str) -> Parameter {
    Parameter { kind: Kind::Flag, ..text(name, "", about) }
}

const fn required(parameter: Parameter) -> Parameter {
    Parameter { is_required: true, ..parameter }
}

const fn needing(parameter: Parameter, needs: &'static str) -> Parameter {
    Parameter { needs: Some(needs), ..parameter }
}

const FRAME: Parameter = selection(
    ["frame", "frames"],
    'f',
    "N",
    "Frame, by its number in the capture, or last [default: the frame that stands out]",
);
const CALL: Parameter = selection(
    ["call", "calls"],
    'c',
    "N",
    "Call, counted from 1, or last [default: the draw that stands out]",
);
const EXPECTED: Parameter = text(
    EXPECT,
    "PICTURE",
    "The picture that the frame should have: a PNG, or a capture, with @ and a frame if it is another one",
);

/// The value of a parameter for several frames or calls.
const WHICH: &str = "WHICH";

/// What most questions are.
const COMMAND: Question = Question {
    name: "",
    about: "",
    parameters: &[],
    excluded: &[],
    is_command: true,
    files: None,
    ask: |_, _, _| answer(&(), ""),
};

/// All questions.
pub const QUESTIONS: &[Question] = &[
    Question {
        name: "frames",
        about: "Lists the frames with their calls",
        is_command: false,
        ask: |inspector, _, _| list_frames(inspector),
        ..COMMAND
    },
    Question {
        name: "dump",
        about: "Shows calls as text, with their passes, objects and errors",
        parameters: &[
            selection(["calls", "call"], 'c', WHICH, "Calls, counted from 1 [default: all]"),
            selection(["frames", "frame"], 'f', WHICH, "The calls of these frames"),
            text("only", "NAME", "Only calls with this name"),
            text("object", "ID", "Only calls on this object, and those that name or create it"),
            text(
                "program",
                "ID",
                "Only calls before a draw with this program, up to the draw before it",
            ),
            switch("data", "Also show all values of vertices, indices and constants"),
            switch(
                "census",
                "Count the values of the arguments instead, by program and by draw of the frame",
            ),
        ],
        excluded: &[("frames", "calls"), ("data", "census")],
        ask: |inspector, given, _| dump(inspector, given),
        ..COMMAND
    },
    Question {
        name: "objects",
        about: "Shows every object with its size and users",
        ask: |inspector, _, _| objects(inspector),
        ..COMMAND
    },
    Question {
        name: "state",
        about: "Shows everything that is bound at a call",
        parameters: &[
            CALL,
            number(
                "vertex",
                None,
                "Show a vertex of the draw instead, by its index, before and after the vertex program",
            ),
            needing(number("instance", None, "The vertex's instance, from 0"), "vertex"),
            flag("step", "vertex", "Also step the vertex program"),
            flag("obj", OUT, "Also write the mesh as Wavefront OBJ"),
            switch(
                "like",
                "Show a draw beside the other draws of its program in the frame instead",
            ),
            EXPECTED,
        ],
        excluded: &[
            (OUT, "vertex"),
            (EXPECT, "vertex"),
            ("like", "vertex"),
            ("like", OUT),
            ("like", EXPECT),
        ],
        files: Some("Folder for programs, textures, meshes and the render target after the call"),
        ask: state,
        ..COMMAND
    },
    Question {
        name: "draws",
        about: "Shows the passes and draws of a frame, their effects and faults; or what stands out among frames",
        parameters: &[
            selection(
                ["frames", "frame"],
                'f',
                WHICH,
                "Show one frame (3, last), or compare several (10-20, 0,5,9, all) [default: the frame that stands out]",
            ),
            switch("waste", "Also list the calls that could be left out"),
            EXPECTED,
        ],
        files: Some("Folder for pictures of one frame's draws"),
        ask: draws,
        ..COMMAND
    },
    Question {
        name: "pixel",
        about: "Shows everything that changed a pixel, and steps through the program of a fragment",
        parameters: &[
            FRAME,
            text(
                "at",
                "X,Y",
                "The pixel of the stage, or of the texture; by default the most wrong one of expect",
            ),
            text("texture", "ID[:FACE]", "Show a pixel of this render target instead of the stage"),
            number("step", None, "Step the program of the draw in this call"),
            needing(
                number(
                    "fragment",
                    None,
                    "Fragment of the draw at the pixel, counted from 0 [default: the last one kept]",
                ),
                "step",
            ),
            EXPECTED,
        ],
        excluded: &[("texture", "step"), (EXPECT, "texture"), (EXPECT, "step")],
        is_command: false,
        ask: |inspector, given, _| pixel(inspector, given),
        ..COMMAND
    },
    Question {
        name: "explain",
        about: "Finds the calls whose other arguments make a frame like a picture; edit makes the suggested changes",
        parameters: &[
            number(
                "frame",
                Some('f'),
                "The frame, by its number in the capture; by default the last complete one",
            ),
            required(EXPECTED),
            number("timeLimit", None, "Most seconds of the search; 60 by default"),
        ],
        is_command: false,
        ask: |inspector, given, _| explain(inspector, given),
        ..COMMAND
    },
    Question {
        name: "histogram",
        about: "Shows the range and the distribution of the render target's values after a call, or of a texture's",
        parameters: &[
            CALL,
            number("slot", None, "The texture in this slot of setTextureAt instead"),
        ],
        ask: |inspector, given, _| {
            let (call, place) = given.call(inspector)?;
            let report = inspector.histogram(call, given.number("slot")?)?;
            Ok(answer(&report, &report)?.drawn().at(&place, "call"))
        },
        ..COMMAND
    },
    Question {
        name: "cost",
        about: "Shows the modelled cost of a frame's draws and statements",
        parameters: &[FRAME],
        is_command: false,
        ask: |inspector, given, _| {
            let place = given.place(inspector)?;
            let report = inspector.cost(place.frame)?;
            Ok(answer(&report, report.text(&[]))?.at(&place, "frame"))
        },
        ..COMMAND
    },
];

/// The question with a name.
pub fn question(name: &str) -> Option<&'static Question> {
    QUESTIONS.iter().find(|question| question.name == name)
}

fn list_frames(inspector: &Inspector) -> Result<Answer> {
    let frames = inspector.capture().frames().iter();
    let frame = |frame: &crate::capture::Frame| {
        let (first, last) = (frame.calls.start, frame.calls.end.saturating_sub(1));
        json!({ "frame": frame.number, "calls": [first, last] })
    };
    let rows: Vec<Value> = frames.map(frame).collect();
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    answer(&json!({ "frames": rows }), text)
}

fn dump(inspector: &Inspector, given: &Given<'_>) -> Result<Answer> {
    let capture = inspector.capture();
    let ranges = match given.selection("frames")? {
        Some(frames) => {
            let frames = frames.frames(capture)?.into_iter();
            frames.map(|frame| frame.calls.clone()).collect()
        }
        None => {
            let calls = given.selection("calls")?.unwrap_or(Selection::All).calls(capture)?;
            calls.into_iter().map(|calls| *calls.start()..calls.end() + 1).collect::<Vec<_>>()
        }
    };
    let id = |name: &str| given.text(name).map(object).transpose();
    let (name, object, program) =
        (given.text("only").map(str::to_owned), id("object")?, id("program")?);
    let mut pattern = Pattern { name, object, program, ..Pattern::default() };
    if given.flag("census") {
        pattern.calls = match (ranges.first(), ranges.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        };
        let census = inspector.census(&pattern)?;
        return answer(&census, &census);
    }
    let mut lines = Vec::new();
    for calls in ranges {
        pattern.calls = calls;
        for call in pattern.matching(capture)? {
            let mut line = inspector.line(call)?;
            if given.flag("data") {
                inspector.add_data(&mut line)?;
            }
            lines.push(line);
        }
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    answer(&json!({ "calls": lines }), text)
}

fn objects(inspector: &Inspector) -> Result<Answer> {
    let all = inspector.objects()?;
    let row = |used: &ObjectUse| {
        let ObjectUse { object, bytes, uploads, uses, draws, created, last, disposed } = used;
        let disposed = disposed.map_or("-".to_owned(), |call| call.to_string());
        let numbers = format!("{bytes} {uploads} {uses} {draws} {created} {last} {disposed}");
        [vec![object.clone()], cells(&numbers)].concat()
    };
    let head = cells("object bytes uploads uses draws created last disposed");
    let lines: Vec<_> = std::iter::once(head).chain(all.iter().map(row)).collect();
    answer(&json!({ "objects": all }), aligned(&lines, "<>>>>>>>").concat())
}

fn state(inspector: &mut Inspector, given: &mut Given<'_>, files: Files<'_>) -> Result<Answer> {
    let (call, place) = given.call(inspector)?;
    if let Some(index) = given.number("vertex")? {
        let vertex = (index, given.number("instance")?.unwrap_or(0));
        let report = inspector.vertex(call, vertex, given.flag("step"))?;
        return Ok(answer(&report, &report)?.at(&place, "call"));
    }
    if given.flag("like") {
        let report = inspector.like(call)?;
        return answer(&report, &report);
    }
    let mut state = inspector.state(call)?;
    if let Some(expected) = &mut given.1 {
        inspector.expect_state(&mut state, expected)?;
    }
    inspector.add_vertices(&mut state)?;
    inspector.add_evidence(&mut state)?;
    if let Some(write) = files {
        // First, so that nothing is written for a call without a mesh.
        let mesh = given.flag("obj").then(|| inspector.mesh(call)).transpose()?;
        if let Some(program) = &state.program {
            for (texts, extension) in [(&program.agal, "agal"), (&program.glsl, "glsl")] {
                for (stage, text) in ["vertex", "fragment"].iter().zip(texts) {
                    write(&format!("{stage}.{extension}"), File::Text(text))?;
                }
            }
        }
        let textures = inspector.textures(call)?;
        for texture in &textures {
            let (slot, side, level) = (texture.slot, texture.side, texture.level);
            let name = format!("fs{slot}-side{side}-level{level:02}.png");
            write(&name, File::Picture(&texture.image))?;
        }
        for (slot, cross) in crosses(&textures) {
            write(&format!("fs{slot}-cross.png"), File::Picture(&cross))?;
        }
        if let Some(target) = inspector.picture(call)? {
            write("target.png", File::Picture(&target))?;
        }
        if let Some(mesh) = mesh {
            write("before.obj", File::Text(&mesh.obj(false)))?;
            write("after.obj", File::Text(&mesh.obj(true)))?;
        }
    }
    Ok(answer(&state, &state)?.at(&place, "call"))
}

fn draws(inspector: &mut Inspector, given: &mut Given<'_>, files: Files<'_>) -> Result<Answer> {
    let place = match given.selection("frames")? {
        None => inspector.stands_out()?,
        Some(frames) if frames.single().is_ok() => {
            Place::named(frames.frame(inspector.capture())?, None)
        }
        Some(frames) => return compare_frames(inspector, &frames, given, files.is_some()),
    };
    let frame = place.frame;
    let mut report = match files {
        None => inspector.draws(frame)?,
        Some(write) => inspector.draws_with_pictures(frame, &mut |draw, pictures| {
            let mut write = |what: String, image: &Image| {
                write(&format!("{:06}-{what}.png", draw.call), File::Picture(image))
            };
            for (when, images) in [("before", &pictures.before), ("after", &pictures.after)] {
                for (output, image) in images.iter().enumerate() {
                    let output = if output == 0 { String::new() } else { format!("-{output}") };
                    write(format!("{when}{output}"), image)?;
                }
            }
            let changed = pictures.changed();
            let others = [
                ("changed", changed.as_ref()),
                ("depth", pictures.depth.as_ref()),
                ("stencil", pictures.stencil.as_ref()),
                ("overdraw", Some(&pictures.overdraw)),
            ];
            let mut there = others.into_iter().filter_map(|(what, image)| Some((what, image?)));
            there.try_for_each(|(what, image)| write(what.to_owned(), image))
        })?,
    };
    if let Some(expected) = &mut given.1 {
        report.expect(inspector.wrong_pixels(frame, expected)?);
    }
    Ok(answer(&report, report.text(given.flag("waste")))?.drawn().at(&place, "frame"))
}

/// Answers with a row for each of several frames, and with what stands out among them.
fn compare_frames(
    inspector: &mut Inspector,
    which: &Selection,
    given: &mut Given<'_>,
    files: bool,
) -> Result<Answer> {
    for (name, without_effect) in [(OUT, files), ("waste", given.flag("waste"))] {
        if without_effect {
            return Err(format!("{name} has no effect with several frames, found {which}").into());
        }
    }
    let frames = which.frames(inspector.capture())?;
    let (first, last) = (frames.first().map(|it| it.number), frames.last().map(|it| it.number));
    let mut scan = inspector.frame_scan(first.unwrap_or(0), last.unwrap_or(0))?;
    scan.frames.retain(|row| which.contains(row.frame));
    scan.outliers.retain(|outlier| which.contains(outlier.frame));
    if let Some(expected) = &mut given.1 {
        inspector.expect_frames(&mut scan, expected)?;
    }
    scan.outliers = ranked(scan.outliers);
    answer(&scan, &scan)
}

fn explain(inspector: &mut Inspector, given: &mut Given<'_>) -> Result<Answer> {
    let frame = match given.selection("frame")? {
        Some(frame) => frame.frame(inspector.capture())?,
        None => last_frame(inspector.capture())?,
    };
    let seconds: u32 = given.number("timeLimit")?.unwrap_or(DEFAULT_SECONDS);
    let expected = given.1.as_mut().ok_or("explain needs expect".to_owned())?.picture(frame)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let bounds = Bounds { time: Duration::from_secs(seconds.into()), threads };
    let found = inspector.explain(frame, &expected, bounds, &|_| ControlFlow::Continue(()))?;
    answer(&found, &found)
}

/// The time limit of a search that names none.
pub const DEFAULT_SECONDS: u32 = 60;

fn pixel(inspector: &mut Inspector, given: &mut Given<'_>) -> Result<Answer> {
    let frame = given.place(inspector)?;
    let at = given.text("at").map(place).transpose()?;
    let at = match (at, &mut given.1) {
        (Some(at), _) => at,
        (None, Some(expected)) => inspector.most_wrong_pixel(frame.frame, expected)?,
        (None, None) => return Err("pixel needs at, or expect".to_owned().into()),
    };
    if let Some(call) = given.number("step")? {
        let steps = inspector.step(frame.frame, at, call, given.number("fragment")?)?;
        return Ok(answer(&steps, &steps)?.at(&frame, "frame"));
    }
    let mut history = match given.text("texture") {
        Some(text) => inspector.texture_pixel(frame.frame, face(text)?, at)?,
        None => inspector.pixel(frame.frame, at)?,
    };
    if let Some(expected) = &mut given.1 {
        history.expect(&*expected.picture(frame.frame)?);
    }
    let text = history.text(inspector.capture(), &[]);
    Ok(answer(&history, text)?.at(&frame, "frame"))
}

/// Reads the id of an object: `7`, `texture#7`. Errors: another text, as a message.
fn object(text: &str) -> Result<ObjectId, String> {
    let id = text.rsplit_once('#').map_or(text, |(_, id)| id).parse();
    id.map(ObjectId).map_err(|_| format!("{text:?} is not an object such as 7 or texture#7"))
}

/// Reads a face of a texture: `7`, `texture#7`, or `7:2` with the face of a cube. Errors: another text, as a message.
pub fn face(text: &str) -> Result<Face, String> {
    let (id, side) = text.split_once(':').unwrap_or((text, "0"));
    let id = id.rsplit_once('#').map_or(id, |(_, id)| id);
    match (id.parse(), side.parse()) {
        (Ok(id), Ok(side)) => Ok(Face { texture: ObjectId(id), side }),
        _ => Err(format!("{text:?} is not a texture such as 7 or, with a face of a cube, 7:2")),
    }
}
