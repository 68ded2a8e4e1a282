//! The queries of a capture, with their names and parameters, for command lines and [`crate::serve`].

mod answers;

use molehill_analysis::pixel::RenderFace;
use molehill_analysis::{CapturePlace, FrameExpectation, FrameSelection, Inspector, Result};
use molehill_capture::objects::ObjectId;
use molehill_capture::pair;
use molehill_replay::evidence::Party;
use molehill_replay::image::RgbaImage;
use serde::Serialize;
use serde_json::{Map, Value, json};

use answers::{draws, dump, explain, list_frames, objects, pixel, state};

/// A query of a capture.
pub struct CaptureQuery {
    /// The name of the query as a command and as an MCP tool.
    pub name: &'static str,
    pub about: &'static str,
    pub parameters: &'static [QueryParameter],
    /// Pairs of mutually exclusive parameters. In each pair, the first parameter has no effect if the second parameter
    /// is given.
    pub excluded: &'static [(&'static str, &'static str)],
    /// True if the command line has a command with this name.
    pub is_command: bool,
    /// A description of the files that the query can write.
    pub files: Option<&'static str>,
    ask: fn(&mut Inspector, &mut QueryParameters<'_>, OutputFiles<'_>) -> Result<Answer>,
}

pub struct QueryParameter {
    pub name: &'static str,
    /// An alternative name of the parameter.
    pub alias: Option<&'static str>,
    pub short: Option<char>,
    pub kind: ParameterKind,
    /// The placeholder for the value in the help text.
    pub value: &'static str,
    pub is_required: bool,
    /// Another parameter that must be given too; otherwise this parameter has no effect.
    pub needs: Option<&'static str>,
    pub about: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// A non-negative integer.
    Number,
    Flag,
    Text,
    /// A [`FrameSelection`], given as a non-negative integer or a string.
    Selection,
}

impl ParameterKind {
    pub(crate) fn schema(self) -> Value {
        match self {
            ParameterKind::Number => json!("integer"),
            ParameterKind::Flag => json!("boolean"),
            ParameterKind::Text => json!("string"),
            ParameterKind::Selection => json!(["integer", "string"]),
        }
    }

    /// Returns the name of the expected type if a value has another type. Returns `None` if the value has the expected
    /// type.
    pub(crate) fn lacks(self, value: &Value) -> Option<&'static str> {
        let (is, what) = match self {
            ParameterKind::Number => (value.is_u64(), "a whole number"),
            ParameterKind::Flag => (value.is_boolean(), "true or false"),
            ParameterKind::Text => (value.is_string(), "a string"),
            ParameterKind::Selection => {
                (value.is_u64() || value.is_string(), "a whole number or a string")
            }
        };
        (!is).then_some(what)
    }
}

/// The result of a query, as JSON and as text.
pub struct Answer {
    pub json: Value,
    pub text: String,
}

/// An output file of a query.
pub enum OutputFile<'a> {
    Picture(&'a RgbaImage),
    Text(&'a str),
}

/// A callback that receives the output files of a query with their names. Without a callback, queries create no files.
pub type OutputFiles<'f> = Option<&'f mut dyn FnMut(&str, OutputFile<'_>) -> Result<()>>;

/// The name of output files in [`QueryParameter::needs`] and [`CaptureQuery::excluded`].
pub const OUT: &str = "out";

/// The parameter for the expected image of a frame: see [`FrameExpectation::read`].
pub const EXPECT: &str = "expect";

impl CaptureQuery {
    /// Executes the query. `parameters` are numbers, `true` or strings by name; `expected` is the content of
    /// [`EXPECT`]. Errors: those of the inspector, and
    /// [`InspectError::Unsupported`](molehill_analysis::InspectError::Unsupported) for invalid parameters.
    pub fn ask(
        &self,
        inspector: &mut Inspector,
        parameters: &Map<String, Value>,
        expected: Option<&mut FrameExpectation>,
        files: OutputFiles<'_>,
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
        for QueryParameter { name, kind, is_required, needs, .. } in self.parameters {
            if *is_required && !given(name) {
                return Err(format!("{} needs the parameter {name:?}", self.name).into());
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
        (self.ask)(inspector, &mut QueryParameters(parameters, expected), files)
    }

    /// Replaces the aliases of parameters by their names. Errors: a parameter given by name and by alias.
    fn with_names(&self, parameters: &Map<String, Value>) -> Result<Map<String, Value>> {
        let mut named = parameters.clone();
        for QueryParameter { name, alias, .. } in self.parameters {
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

/// The parameters of a query, and the content of [`EXPECT`].
struct QueryParameters<'a>(&'a Map<String, Value>, Option<&'a mut FrameExpectation>);

impl QueryParameters<'_> {
    fn number<T: TryFrom<u64>>(&self, name: &str) -> Result<Option<T>> {
        let Some(number) = self.0.get(name).and_then(Value::as_u64) else { return Ok(None) };
        let large = |_| format!("{name} is too large: {number}");
        Ok(Some(T::try_from(number).map_err(large)?))
    }

    /// Returns the frames or calls that a parameter selects.
    fn selection(&self, name: &str) -> Result<Option<FrameSelection>> {
        match (self.number::<u32>(name)?, self.text(name)) {
            (Some(number), _) => Ok(Some(FrameSelection::Ranges(vec![number..=number]))),
            (None, Some(text)) => Ok(Some(text.parse::<FrameSelection>()?)),
            (None, None) => Ok(None),
        }
    }

    /// Returns the frame or call given by the parameters. The default is [`Inspector::place`].
    pub(crate) fn place(&self, inspector: &mut Inspector) -> Result<CapturePlace> {
        let capture = inspector.capture();
        if let Some(call) = self.selection("call")? {
            let call = call.call(capture)?;
            return Ok(CapturePlace::named(
                capture.frame_of(call).map_or(0, |it| it.number),
                Some(call),
            ));
        }
        match self.selection("frame")? {
            Some(frame) => Ok(CapturePlace::named(frame.frame(capture)?, None)),
            None => inspector.place(self.1.as_deref()),
        }
    }

    /// Like [`QueryParameters::place`], but always returns a call.
    fn call(&self, inspector: &mut Inspector) -> Result<(usize, CapturePlace)> {
        let place = self.place(inspector)?;
        let none = || "the capture has no executed draw; select a call with \"call\"".to_owned();
        Ok((place.call.ok_or_else(none)?, place))
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    fn flag(&self, name: &str) -> bool {
        self.0.get(name) == Some(&Value::Bool(true))
    }
}

/// Parses a pixel position `X,Y`. Errors: a message for text without a pixel position.
pub fn place(text: &str) -> Result<(u32, u32), String> {
    pair(text, ',').ok_or_else(|| format!("{text:?} is not a pixel such as 120,80"))
}

pub(crate) fn answer(value: &impl Serialize, text: impl ToString) -> Result<Answer> {
    let json = serde_json::to_value(value).map_err(|error| error.to_string())?;
    Ok(Answer { json, text: text.to_string() })
}

impl Answer {
    /// Adds the name of the reference renderer to the result.
    fn drawn(mut self) -> Self {
        self.json["renderer"] = json!(Party::REFERENCE);
        self.text += &format!("drawn by the {}\n", Party::REFERENCE);
        self
    }

    /// Adds the reason for the chosen frame or call (`option`) to the result, unless the user named it.
    pub(crate) fn at(mut self, place: &CapturePlace, option: &str) -> Self {
        place.mark(&mut self.json);
        self.text.insert_str(0, &place.line(option));
        self
    }
}

const fn number(name: &'static str, short: Option<char>, about: &'static str) -> QueryParameter {
    QueryParameter { kind: ParameterKind::Number, short, ..text(name, "N", about) }
}

/// Returns a parameter that selects frames or calls.
const fn selection(
    [name, alias]: [&'static str; 2],
    short: char,
    value: &'static str,
    about: &'static str,
) -> QueryParameter {
    let (alias, short) = (Some(alias), Some(short));
    QueryParameter { kind: ParameterKind::Selection, alias, short, ..text(name, value, about) }
}

const fn text(name: &'static str, value: &'static str, about: &'static str) -> QueryParameter {
    let (kind, alias, short) = (ParameterKind::Text, None, None);
    QueryParameter { name, alias, short, kind, value, is_required: false, needs: None, about }
}

const fn switch(name: &'static str, about: &'static str) -> QueryParameter {
    QueryParameter { kind: ParameterKind::Flag, ..text(name, "", about) }
}

const fn needing(parameter: QueryParameter, needs: &'static str) -> QueryParameter {
    QueryParameter { needs: Some(needs), ..parameter }
}

const FRAME: QueryParameter = selection(
    ["frame", "frames"],
    'f',
    "N",
    "Frame, by its number in the capture, or last [default: the frame that stands out; with --expect, the last one]",
);
const CALL: QueryParameter = selection(
    ["call", "calls"],
    'c',
    "N",
    "Call, counted from 1, or last [default: the draw that stands out]",
);
const EXPECTED: QueryParameter = text(
    EXPECT,
    "IMAGE",
    "Expected image of the frame: a PNG, or a capture's frame with the same number (or CAPTURE@FRAME)",
);

/// The placeholder for the value of a parameter that selects several frames or calls.
const WHICH: &str = "WHICH";

/// The default values of a query's fields.
const COMMAND: CaptureQuery = CaptureQuery {
    name: "",
    about: "",
    parameters: &[],
    excluded: &[],
    is_command: true,
    files: None,
    ask: |_, _, _| answer(&(), ""),
};

pub const QUESTIONS: &[CaptureQuery] = &[
    CaptureQuery {
        name: "frames",
        about: "Lists the frames with their calls",
        is_command: false,
        ask: |inspector, _, _| list_frames(inspector),
        ..COMMAND
    },
    CaptureQuery {
        name: "dump",
        about: "Shows calls as text, with their passes, objects and errors",
        parameters: &[
            selection(["calls", "call"], 'c', WHICH, "Calls, counted from 1 [default: all]"),
            selection(["frames", "frame"], 'f', WHICH, "Only calls of these frames"),
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
    CaptureQuery {
        name: "objects",
        about: "Shows every object with its size and users",
        ask: |inspector, _, _| objects(inspector),
        ..COMMAND
    },
    CaptureQuery {
        name: "state",
        about: "Shows everything that is bound at a call",
        parameters: &[
            CALL,
            number(
                "vertex",
                None,
                "Show a vertex of the draw instead, by its index, before and after the vertex program",
            ),
            needing(number("instance", None, "Instance of the vertex, counted from 0"), "vertex"),
            needing(switch("step", "Also run the vertex program step by step"), "vertex"),
            needing(switch("obj", "Also write the mesh as Wavefront OBJ"), OUT),
            switch(
                "like",
                "Show the differences from other draws of the same program in the frame instead",
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
    CaptureQuery {
        name: "draws",
        about: "Shows the passes and draws of a frame, their effects and problems; or the anomalies of several frames",
        parameters: &[
            selection(
                ["frames", "frame"],
                'f',
                WHICH,
                "Show one frame (3, last), or compare several (10-20, 0,5,9, all) [default: the frame that stands out]",
            ),
            switch("waste", "Also list redundant calls"),
            EXPECTED,
        ],
        files: Some("Folder for images of one frame's draws"),
        ask: draws,
        ..COMMAND
    },
    CaptureQuery {
        name: "pixel",
        about: "Shows the history of a pixel, or debugs the program of a fragment step by step",
        parameters: &[
            FRAME,
            text(
                "at",
                "X,Y",
                "Pixel of the stage, or of the texture [default: with expect, the pixel that differs most]",
            ),
            text("texture", "ID[:FACE]", "Show a pixel of this render target instead of the stage"),
            number("step", None, "Run the program of the draw in this call step by step"),
            needing(
                number(
                    "fragment",
                    None,
                    "Fragment of the draw at the pixel, counted from 0 [default: the last that passed]",
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
    CaptureQuery {
        name: "explain",
        about: "Finds the calls that explain why a frame differs from an image; the tool edit applies the suggested changes",
        parameters: &[
            number(
                "frame",
                Some('f'),
                "Frame, by its number in the capture [default: the frame of the expected image, or the last complete frame]",
            ),
            QueryParameter { is_required: true, ..EXPECTED },
            number("timeLimit", None, "Time limit of the search in seconds [default: 60]"),
        ],
        is_command: false,
        ask: |inspector, given, _| explain(inspector, given),
        ..COMMAND
    },
    CaptureQuery {
        name: "histogram",
        about: "Shows the minimum, maximum and histogram of each channel, of the render target after a call or of a texture",
        parameters: &[
            CALL,
            number("slot", None, "Show the texture in this slot of setTextureAt instead"),
        ],
        ask: |inspector, given, _| {
            let (call, place) = given.call(inspector)?;
            let report = inspector.histogram(call, given.number("slot")?)?;
            Ok(answer(&report, &report)?.drawn().at(&place, "call"))
        },
        ..COMMAND
    },
    CaptureQuery {
        name: "cost",
        about: "Shows the estimated cost of a frame's draws and shader instructions",
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

/// Returns the query with this name.
pub fn question(name: &str) -> Option<&'static CaptureQuery> {
    QUESTIONS.iter().find(|question| question.name == name)
}

/// The default time limit of a search in seconds.
pub const DEFAULT_SECONDS: u32 = 60;

/// Parses an object id: `7` or `texture#7`. Errors: a message for text without an object id.
fn object(text: &str) -> Result<ObjectId, String> {
    let id = text.rsplit_once('#').map_or(text, |(_, id)| id).parse();
    id.map(ObjectId).map_err(|_| format!("{text:?} is not an object such as 7 or texture#7"))
}

/// Parses a texture face: `7`, `texture#7`, or `7:2` for a cube face. Errors: a message for text without a texture
/// face.
pub fn face(text: &str) -> Result<RenderFace, String> {
    let (id, side) = text.split_once(':').unwrap_or((text, "0"));
    match (object(id), side.parse()) {
        (Ok(texture), Ok(side)) => Ok(RenderFace { texture, side }),
        _ => Err(format!("{text:?} is not a texture such as 7 or, with a face of a cube, 7:2")),
    }
}
