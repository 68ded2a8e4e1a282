//! Writes the calls of Stage3D as methods in C++.

use std::fmt::Write;

use crate::table::{Row, object, rows, snake, value};
use crate::write::{NOTE, named, put};

/// Returns the C++ parameter for a type of the table, and the arguments of the C function. `@` stands for the
/// argument's name.
fn parameter(text: &str) -> (String, &'static str) {
    const ARRAY: &str = "@.data, @.length";
    let (parameter, arguments) = match text {
        "int" => ("int32_t @", "@"),
        "uint" | "MipLevel" => ("uint32_t @", "@"),
        "Number" => ("double @", "@"),
        "Boolean" => ("bool @", "@"),
        "CubeSide" => ("int64_t @", "@"),
        "ByteArray" => ("const Bytes &@", ARRAY),
        "Bytecode" => ("const Bytecode &@", "@.bytes.data, @.bytes.length, @.big_endian"),
        "VectorNumber" => ("const View<double> &@", ARRAY),
        "VectorFloat" => ("const View<float> &@", ARRAY),
        "VectorUint" => ("const View<uint32_t> &@", ARRAY),
        "Matrix3D" => ("const double *@", "@"),
        "BitmapData" | "VideoFrame" => ("const MolehillBitmap *@", "@"),
        "BitmapTarget" => ("const MolehillBitmapTarget *@", "@"),
        "Rectangle" => ("const MolehillRectangle *@", "@"),
        "Point" => ("const MolehillPoint *@", "@"),
        _ if text.starts_with("enum ") => ("const char *@", "@"),
        class => return (format!("{} @", object(class)), "@"),
    };
    (parameter.to_owned(), arguments)
}

/// Returns a declared default in C++.
fn default(text: &str, declared: Option<&str>) -> Option<String> {
    match (text, declared.map(value)) {
        // Only cube textures have a face parameter.
        ("CubeSide", _) => Some("-1".to_owned()),
        (_, Some("null")) => Some("nullptr".to_owned()),
        (_, declared) => declared.map(str::to_owned),
    }
}

fn parameters(row: &Row) -> String {
    let mut optional = true;
    let mut list = Vec::new();
    for ((name, text), declared) in row.fields.iter().zip(&row.defaults).rev() {
        let declaration = named(&parameter(text).0, name);
        let default = default(text, *declared).filter(|_| optional);
        optional = default.is_some();
        list.push(default.map_or(declaration.clone(), |it| format!("{declaration} = {it}")));
    }
    list.reverse();
    list.join(", ")
}

fn method(text: &mut String, row: &Row) {
    let arguments = row.fields.iter().map(|(name, it)| named(parameter(it).1, name));
    let mut arguments: Vec<String> = std::iter::once("*this".to_owned()).chain(arguments).collect();
    let name = row.function();
    let class = object(row.receiver.map_or("Context", |(_, class)| class));
    let prefix = format!("molehill{}_", snake(class.trim_start_matches("Molehill")));
    let short = name.strip_prefix(&prefix).unwrap_or(name.trim_start_matches("molehill_"));
    let parameters = parameters(row);
    put(text, format_args!("    // {}.{}", row.call.classes.join(", "), row.call.name));
    match row.created() {
        None => {
            let call = arguments.join(", ");
            put(
                text,
                format_args!("    MOLEHILL_CHECKED MolehillStatus {short}({parameters}) const {{"),
            );
            put(text, format_args!("        return check({name}({call}));"));
        }
        Some(class) => {
            arguments.push("&created.handle_".to_owned());
            let (call, class) = (arguments.join(", "), class.trim_start_matches("Molehill"));
            put(
                text,
                format_args!("    MOLEHILL_NODISCARD {class} {short}({parameters}) const {{"),
            );
            put(text, format_args!("        {class} created;"));
            put(text, format_args!("        (void)check({name}({call}));"));
            put(text, format_args!("        return created;"));
        }
    }
    put(text, format_args!("    }}"));
}

/// Writes `include/molehill_calls.hpp`.
pub(crate) fn calls() -> String {
    let mut text = format!(
        "// The methods of Stage3D's classes, with ActionScript's defaults. Part of molehill.hpp.\n{NOTE}\
        // clang-format off\n#ifndef MOLEHILL_CALLS_HPP\n#define MOLEHILL_CALLS_HPP\n\nnamespace molehill {{\n"
    );
    let rows = rows();
    for class in ["VertexBuffer", "IndexBuffer", "Program", "Texture"] {
        let own = |row: &&Row| {
            let receiver = row.receiver.map(|(_, class)| object(class));
            receiver == Some(format!("Molehill{class}"))
        };
        let _ = writeln!(
            text,
            "\n// Released when it is destroyed; `dispose` frees it at once.\n\
            class {class} : public Object<Molehill{class}> {{\npublic:\n    using Object::Object;\n    friend class Calls;"
        );
        rows.iter().filter(own).for_each(|row| method(&mut text, row));
        text += "};\n";
    }
    text += "\n// The calls of a Context3D.\nclass Calls : public Owner<MolehillContext, molehill_context_destroy> {\npublic:\n    \
        using Owner::Owner;\n";
    rows.iter().filter(|row| row.receiver.is_none()).for_each(|row| method(&mut text, row));
    text += "};\n\n}  // namespace molehill\n\n#endif\n";
    text
}

/// Returns a row with the given declared defaults; its other arguments have no default.
pub(crate) fn with_defaults(variant: &str, defaults: &[&'static str]) -> Row {
    let mut row = rows().into_iter().find(|row| row.call.variant == variant).unwrap();
    let first = row.fields.len() - defaults.len();
    row.defaults =
        (0..row.fields.len()).map(|at| defaults.get(at.wrapping_sub(first)).copied()).collect();
    row
}

#[test]
fn defaults_of_actionscript_are_those_of_cpp() {
    let clear = with_defaults("Clear", &["1.0", "1.0", "0", "0xffffffff"]);
    assert_eq!(
        parameters(&clear),
        "double red, double green, double blue, double alpha = 1.0, double depth = 1.0, uint32_t stencil = 0, \
         uint32_t mask = 0xffffffff"
    );
    assert_eq!(
        clear.defaults(),
        "; in ActionScript alpha = 1.0, depth = 1.0, stencil = 0, mask = 0xffffffff"
    );
    let bitmap = with_defaults("DrawToBitmapData", &["null since \"A 25\"", "null since \"A 25\""]);
    let (rectangle, point) =
        ("const MolehillRectangle *source_rect", "const MolehillPoint *dest_point");
    let expected = format!(
        "const MolehillBitmapTarget *destination, {rectangle} = nullptr, {point} = nullptr"
    );
    assert_eq!(parameters(&bitmap), expected);
    let upload = with_defaults("TextureUploadFromBitmapData", &["0"]);
    let expected = "const MolehillBitmap *source, int64_t side = -1, uint32_t miplevel = 0";
    assert_eq!(parameters(&upload), expected);
    // A parameter can't have a default if a later parameter has none.
    let mut stream = with_defaults("SetVertexBufferAt", &["0", "\"float4\""]);
    stream.defaults[3] = None;
    let expected =
        "int32_t index, MolehillVertexBuffer buffer, int32_t buffer_offset, const char *format";
    assert_eq!(parameters(&stream), expected);
}
