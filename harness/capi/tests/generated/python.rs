//! Writes the Python binding: the header's declarations for ctypes, with the defaults of the table.

use crate::table::{Row, rows, value};
use crate::write::{NOTE, put};
use crate::{Made, header};

/// Returns the ctypes type of a C type. Strings are `Text`, which accepts `str`; arrays and memory are `c_void_p` or
/// typed pointers.
fn kind(c: &str) -> String {
    let c = c.trim();
    let plain = match c {
        "double" => "c_double",
        "int32_t"
        | "MolehillBool"
        | "MolehillStatus"
        | "MolehillEnded"
        | "MolehillErrorClass"
        | "MolehillValueKind"
        | "MolehillStageEventKind" => "c_int32",
        "int64_t" => "c_int64",
        "uint16_t" => "c_uint16",
        "uint32_t" => "c_uint32",
        "uint64_t" => "c_uint64",
        "size_t" => "c_size_t",
        "float" => "c_float",
        "const char *" => "Text",
        "const char **" | "const char *const *" => "POINTER(c_char_p)",
        "void *" | "const void *" | "uint8_t *" | "const uint8_t *" => "c_void_p",
        "void **" => "POINTER(c_void_p)",
        _ => match c.strip_suffix('*') {
            Some(to) => {
                return format!("POINTER({})", kind(to.trim().trim_start_matches("const ")));
            }
            None => return c.trim_start_matches("Molehill").to_owned(),
        },
    };
    plain.to_owned()
}

/// Parses `type name` or `type *name`.
fn declared(text: &str) -> (String, String) {
    let text = text.trim();
    let at = text.rfind([' ', '*']).map_or(0, |at| at + 1);
    let (c, name) = text.split_at(at);
    match name.split_once('[') {
        None => (name.to_owned(), kind(c)),
        Some((name, length)) => {
            (name.to_owned(), format!("{} * {}", kind(c), length.trim_end_matches(']')))
        }
    }
}

/// Returns a struct's field or a callback's argument. Strings have the type `c_char_p`, whose values are bytes.
fn plain((name, it): (String, String)) -> (String, String) {
    (name, if it == "Text" { "c_char_p".to_owned() } else { it })
}

/// Parses `ret (*name)(arguments)`, as a field or after `typedef`.
fn callback(text: &str) -> Option<(String, String)> {
    let (result, rest) = text.trim().split_once("(*")?;
    let (name, arguments) = rest.split_once(")(")?;
    let result = match result.trim() {
        "void" => "None".to_owned(),
        result => kind(result),
    };
    let types = arguments.trim_end_matches(')').split(',').map(|it| plain(declared(it)).1);
    let types: Vec<_> = std::iter::once(result).chain(types).collect();
    Some((name.to_owned(), format!("CFUNCTYPE({})", types.join(", "))))
}

/// Returns the Python class of a struct.
fn structure(name: &str, body: &str) -> String {
    let fields = body.split(';').filter(|it| !it.trim().is_empty());
    let fields = fields.map(|it| callback(it).unwrap_or_else(|| plain(declared(it))));
    let fields: Vec<_> = fields.map(|(name, it)| format!("(\"{name}\", {it})")).collect();
    let base = if body.contains("struct_size") { "Sized" } else { "Structure" };
    let fields = fields.join(", ");
    format!("class {name}({base}):\n    _fields_ = [{fields}]")
}

/// Returns an ActionScript default as Python code.
fn default(row: Option<&Row>, name: &str) -> Option<String> {
    let row = row?;
    let at = row.fields.iter().position(|(field, _)| *field == name)?;
    match (row.fields[at].1, row.defaults[at].map(value)) {
        ("CubeSide", _) => Some("-1".to_owned()),
        (_, Some("true")) => Some("1".to_owned()),
        (_, Some("false")) => Some("0".to_owned()),
        (_, Some("null")) => Some("None".to_owned()),
        (_, declared) => declared.map(str::to_owned),
    }
}

fn function(text: &str, rows: &[Row]) -> Option<String> {
    let (start, arguments) = text.trim().trim_end_matches(");").split_once('(')?;
    let (name, result) = declared(start);
    let short = name.strip_prefix("molehill_")?;
    let row = rows.iter().find(|row| row.function() == name);
    let arguments = arguments.split(',').filter(|it| it.trim() != "void").map(declared);
    let arguments = arguments.map(|(name, it)| match default(row, &name) {
        Some(default) => format!("(\"{name}\", {it}, {default})"),
        None => format!("(\"{name}\", {it})"),
    });
    let arguments: Vec<_> = std::iter::once(result).chain(arguments).collect();
    Some(format!("{short} = _call(\"{short}\", {})", arguments.join(", ")))
}

const START: &str = r#"
import os
import sys
from ctypes import *

NAMES = {"darwin": "libmolehill.@ABI@.dylib", "win32": "molehill_c.dll"}
library = CDLL(os.environ.get("MOLEHILL_LIBRARY", NAMES.get(sys.platform, "libmolehill.so.@ABI@")))
if library.molehill_abi_version() != @NUMBER@:
    raise ImportError("another version of libmolehill")


class Text(c_char_p):
    """A text: a string, bytes, or None."""

    @classmethod
    def from_param(cls, value):
        return c_char_p(value.encode() if isinstance(value, str) else value)


class Sized(Structure):
    """A struct that knows its size."""

    def __init__(self, **fields):
        super().__init__(struct_size=sizeof(self), **fields)


class MolehillException(Exception):
    """A call that failed; its text is ActionScript's for an error of Flash."""

    def __init__(self):
        error = Error()
        library.molehill_last_error(byref(error))
        self.status, self.number, self.token = error.status, error.number, error.token
        self.error_class = error.class_name.decode()
        super().__init__((error.as3_message if error.number else error.message).decode())


# The value that a function returns through its last pointer is its result.
RESULTS = {"created", "device", "context", "stage", "recording", "agal"}


def _call(name, result, *parameters):
    """A function: names, types and ActionScript's defaults of its parameters."""
    last = parameters[-1] if parameters else ("", None)
    returns = last[0] in RESULTS and isinstance(last[1], type) and issubclass(last[1], POINTER(Device).__base__)
    flags = [(1, *parameter[:1], *parameter[2:]) for parameter in parameters]
    if returns:
        flags[-1] = (2, last[0])
    types = (parameter[1] for parameter in parameters)
    function = CFUNCTYPE(result, *types)(("molehill_" + name, library), tuple(flags))

    def check(status, _, arguments):
        if status < 0:
            raise MolehillException
        return arguments if returns else status

    if result is c_int32:
        function.errcheck = check
    return function


def data(values):
    """The pointer and the length of bytes or an array of ctypes."""
    return values, len(values)
"#;

/// Writes `python/molehill.py`.
pub(crate) fn binding() -> Made {
    let header = header::header()?;
    let lines = header.lines().filter(|line| !line.trim_start().starts_with(['#', '/', '*']));
    let code = lines.collect::<Vec<_>>().join(" ");
    let (types, functions) = code.split_once("extern \"C\" {").ok_or("no functions")?;
    let note = NOTE.replace("//", "#");
    let [major, minor] = [env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR")];
    let abi = if major == "0" { format!("0.{minor}") } else { major.to_owned() };
    let start = START.replace("@ABI@", &abi);
    let start = start.replace("@NUMBER@", &molehill_c::MOLEHILL_ABI_VERSION.to_string());
    let mut text = format!(
        "\"\"\"Stage3D for emulators: molehill.h for Python.\"\"\"\n\n{note}# fmt: off\n{start}\n"
    );
    for line in header.lines().filter(|line| line.starts_with("  MOLEHILL_")) {
        let constant = line.trim().trim_end_matches(',').trim_start_matches("MOLEHILL_");
        put(&mut text, format_args!("{constant}"));
    }
    let mut rest = types;
    while let Some(at) = rest.find("typedef ") {
        rest = &rest[at + "typedef ".len()..];
        if let Some(body) = rest.strip_prefix("struct {") {
            let (body, after) = body.split_once('}').ok_or("a struct without an end")?;
            let (name, after) = after.split_once(';').ok_or("a struct without a name")?;
            put(
                &mut text,
                format_args!("{}", structure(name.trim().trim_start_matches("Molehill"), body)),
            );
            rest = after;
        } else if let Some((name, it)) = rest.split_once(';').and_then(|(it, _)| callback(it)) {
            put(&mut text, format_args!("{} = {it}", name.trim_start_matches("Molehill")));
        }
    }
    let rows = rows();
    for it in functions.split_inclusive(");").filter_map(|it| function(it, &rows)) {
        put(&mut text, format_args!("{it}"));
    }
    Ok(text)
}

#[test]
fn defaults_of_actionscript_are_those_of_python() {
    let stream = crate::cpp::with_defaults("SetVertexBufferAt", &["0", "\"float4\""]);
    let function = |text: &str, row| function(text, &[row]).unwrap();
    let declaration = "MolehillStatus molehill_context_set_vertex_buffer_at(MolehillContext context, int32_t index, \
        MolehillVertexBuffer buffer, int32_t buffer_offset, const char *format);";
    assert_eq!(
        function(declaration, stream),
        "context_set_vertex_buffer_at = _call(\"context_set_vertex_buffer_at\", c_int32, (\"context\", Context), \
         (\"index\", c_int32), (\"buffer\", VertexBuffer), (\"buffer_offset\", c_int32, 0), (\"format\", Text, \"float4\"))"
    );
    let dispose = crate::cpp::with_defaults("Dispose", &["true"]);
    let declaration =
        "MolehillStatus molehill_context_dispose(MolehillContext context, MolehillBool recreate);";
    let expected = "context_dispose = _call(\"context_dispose\", c_int32, (\"context\", Context), (\"recreate\", c_int32, 1))";
    assert_eq!(function(declaration, dispose), expected);
}
