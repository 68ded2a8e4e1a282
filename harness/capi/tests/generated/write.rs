//! Generates files from the table of calls.

use std::fmt::Write;

use context3d::calls::METHODS;

use crate::table::{Row, rows};

pub(crate) const NOTE: &str =
    "// Written by `UPDATE=1 cargo test -p molehill-c --test generated`.\n";

pub(crate) fn put(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a String can't fail.
    let _ = text.write_fmt(line);
    text.push('\n');
}

/// Replaces `@` by the argument's name.
pub(crate) fn named(pattern: &str, name: &str) -> String {
    pattern.replace('@', name)
}

fn braced<T: AsRef<str>>(fields: &[T]) -> String {
    let fields: Vec<&str> = fields.iter().map(AsRef::as_ref).collect();
    match fields.is_empty() {
        true => "{}".to_owned(),
        false => format!("{{ {} }}", fields.join(", ")),
    }
}

/// `src/calls.rs`
pub(crate) fn functions() -> String {
    let mut text = format!(
        "//! The calls of Stage3D.\n{NOTE}\n\
        // SAFETY of all functions: the caller's promise, which the crate's page states.\n\n"
    );
    text += "use std::ffi::{c_char, c_void};\n\nuse context3d::Invocation;\n\n\
        use crate::arguments::{self as a, *};\nuse crate::context::{Out, execute, execute_on};\n\
        use crate::failure::MolehillStatus;\n\
        use crate::handles::*;\n\
        use crate::pointers::{self as p, *};\n\
        use crate::status::guard;\n";
    for row in rows() {
        function(&mut text, &row);
    }
    text
}

fn function(text: &mut String, row: &Row) {
    let arguments = row.arguments();
    let mut parameters: Vec<_> =
        arguments.iter().map(|(name, it)| named(&it.parameters, name)).collect();
    parameters.extend(row.created().map(|class| format!("created: *mut {class}")));
    let first = usize::from(row.receiver.is_none());
    let fields = arguments.iter().skip(first).map(|(name, it)| match named(&it.field, name) {
        field if field == *name => field,
        field => format!("{name}: {field}"),
    });
    let fields = braced(&fields.collect::<Vec<_>>());
    let target = arguments.iter().find(|(_, it)| it.parameters.ends_with("BitmapTarget"));
    let out = match (row.created(), row.ends(), target) {
        (Some(_), ..) => "Out::Object(created.cast())".to_owned(),
        (_, Some(object), _) => format!("Out::End({object}.id)"),
        (.., Some(_)) => "Out::Pixels(canvas)".to_owned(),
        _ => "Out::Nothing".to_owned(),
    };
    put(
        text,
        format_args!("\n/// `{}.{}`{}", row.call.classes.join(", "), row.call.name, row.defaults()),
    );
    put(text, format_args!("#[unsafe(no_mangle)]"));
    put(
        text,
        format_args!(
            "pub unsafe extern \"C\" fn {}({}) -> MolehillStatus {{",
            row.function(),
            parameters.join(", ")
        ),
    );
    let command = format!("Invocation::{} {fields}", row.call.variant);
    let body = match (row.receiver, target) {
        (Some((on, _)), _) => format!("execute_on({on}.id, {out}, |{on}| Ok({command}))"),
        (None, None) => format!("execute(context, {out}, &{command})"),
        (None, Some((name, _))) => format!(
            "\n        let ({name}, canvas) = a::bitmap_target({name})?;\n        execute(context, {out}, &{command})\n   "
        ),
    };
    put(text, format_args!("    guard(|| unsafe {{ {body} }})\n}}"));
}

/// `tests/replay/calls.rs`
pub(crate) fn replay() -> String {
    let mut text = format!("//! A command as a call of its C function.\n{NOTE}\n");
    text += "use context3d::Invocation;\nuse molehill_c::*;\n\nuse super::arguments::{self as a, C};\n\n\
        pub(crate) fn call(c: &mut C, command: &Invocation<'_>) -> MolehillStatus {\n\
        \x20   let created = &raw mut c.created;\n    match *command {\n";
    for row in rows() {
        let arguments = row.arguments();
        let first = usize::from(row.receiver.is_none());
        let names: Vec<_> = arguments.iter().skip(first).map(|(name, _)| *name).collect();
        put(
            &mut text,
            format_args!(
                "        Invocation::{} {{ {} }} => {{",
                row.call.variant,
                names.join(", ")
            ),
        );
        for (name, it) in &arguments {
            if let Some(kept) = &it.kept {
                put(&mut text, format_args!("            let {name} = {};", named(kept, name)));
            }
        }
        let mut values: Vec<_> =
            arguments.iter().map(|(name, it)| named(&it.arguments, name)).collect();
        values.extend(row.created().map(|_| "created.cast()".to_owned()));
        put(
            &mut text,
            format_args!(
                "            // SAFETY: all pointers are those of what is borrowed here, or null."
            ),
        );
        put(
            &mut text,
            format_args!("            unsafe {{ {}({}) }}", row.function(), values.join(", ")),
        );
        put(&mut text, format_args!("        }}"));
    }
    let stage = METHODS.iter().filter(|row| row.classes == ["Stage3D"] && !row.variant.is_empty());
    let stage: Vec<_> = stage.map(|row| format!("Invocation::{} {{ .. }}", row.variant)).collect();
    let stage = stage.join("\n        | ");
    put(&mut text, format_args!("        {stage} => panic!(\"a call on a Stage3D\"),"));
    text += "    }\n}\n";
    text
}

/// `examples/hostile_calls.h`
pub(crate) fn hostile() -> String {
    let mut text = format!("/* Every call of Stage3D. */\n{NOTE}");
    text += "static void every_call(const struct hostile *h) {\n";
    let mut rows = rows();
    // Later calls find the context disposed, so this one is last.
    rows.sort_by_key(|row| row.call.variant == "Dispose");
    for row in rows {
        let mut values: Vec<_> = row.arguments().into_iter().map(|(_, it)| it.hostile).collect();
        values.extend(row.created().map(|_| "(void *)h->created".to_owned()));
        put(&mut text, format_args!("    seen({}({}));", row.function(), values.join(", ")));
    }
    text += "}\n";
    text
}
