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

/// Returns the parameters of a function in Rust, `name: type`.
fn parameters(row: &Row) -> Vec<String> {
    let arguments = row.arguments();
    let parameters = arguments.iter().map(|(name, it)| named(&it.parameters, name));
    parameters.chain(row.created().map(|class| format!("created: *mut {class}"))).collect()
}

/// Returns the type of a pointer to the row's C function, as a call of the macro `F`.
fn pointer(row: &Row) -> String {
    let arguments = parameters(row).join(", ");
    let types = arguments.split(", ").filter_map(|it| Some(it.split_once(": ")?.1));
    format!("F!({})", types.collect::<Vec<_>>().join(", "))
}

/// Writes the declarations of the functions of `src/calls.rs` for the header.
pub(crate) fn functions() -> String {
    let mut text = String::new();
    for row in rows() {
        put(
            &mut text,
            format_args!(
                "/// `{}.{}`{}\n#[unsafe(no_mangle)]\npub unsafe extern \"C\" fn {}({}) -> MolehillStatus {{}}",
                row.call.classes.join(", "),
                row.call.name,
                row.defaults(),
                row.function(),
                parameters(&row).join(", ")
            ),
        );
    }
    text
}

/// Writes `tests/replay/calls.rs`.
pub(crate) fn replay() -> String {
    let mut text = format!("//! A command as a call of its C function.\n{NOTE}\n");
    text += "use std::ffi::{c_char, c_void};\n\n\
        use context3d::Invocation;\nuse molehill_c::*;\n\nuse super::arguments::{self as a, C};\n\n\
        /// A pointer to a function with the types of `molehill.h`.\nmacro_rules! F {\n    ($($type:ty),*) => { \
        unsafe extern \"C\" fn($($type),*) -> MolehillStatus };\n}\n\n\
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
                "            // SAFETY: each pointer is null or points to a value that is borrowed here."
            ),
        );
        put(
            &mut text,
            format_args!(
                "            unsafe {{ ({} as {})({}) }}",
                row.function(),
                pointer(&row),
                values.join(", ")
            ),
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

/// Writes `examples/hostile_calls.h`.
pub(crate) fn hostile() -> String {
    let mut text = format!("/* Every call of Stage3D. */\n{NOTE}");
    text += "static void every_call(const struct hostile *h) {\n";
    let mut rows = rows();
    // `Dispose` is last, because later calls would find a disposed context.
    rows.sort_by_key(|row| row.call.variant == "Dispose");
    for row in rows {
        let mut values: Vec<_> = row.arguments().into_iter().map(|(_, it)| it.hostile).collect();
        values.extend(row.created().map(|_| "(void *)h->created".to_owned()));
        put(&mut text, format_args!("    seen({}({}));", row.function(), values.join(", ")));
    }
    text += "}\n";
    text
}
