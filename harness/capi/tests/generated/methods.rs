//! Writes lists of methods, properties and constants as macros.

use context3d::calls::{CALLS, CallKind, PROPERTIES, STAGE3D_MEMBERS, Since};

use crate::declarations::{CLASSES, declarations};

fn list(text: &mut String, comment: &str, name: &str, rows: &[String]) {
    text.push_str(&format!("\n/* {comment} */\n#define MOLEHILL_{name}(m)"));
    rows.iter().for_each(|row| text.push_str(&format!(" \\\n    m({row})")));
    text.push('\n');
}

/// The rows of a kind for each class that has them.
fn rows(kind: CallKind) -> Vec<String> {
    let mut rows = Vec::new();
    for call in CALLS.iter().filter(|call| call.kind == kind) {
        for class in call.classes {
            let has = |it: &&_| match kind {
                CallKind::Method => context3d::calls::Parameter::type_in(it, class).is_some(),
                CallKind::Setter | CallKind::Host => false,
            };
            let own: Vec<_> = call.parameters.iter().filter(has).collect();
            let flash = own.iter().filter(|it| !matches!(it.since, Some(Since::Air(_)))).count();
            let needed = own.iter().filter(|it| it.default.is_none()).count();
            let name = call.name;
            rows.push(match kind {
                CallKind::Setter => format!("{class}, {name}"),
                CallKind::Method | CallKind::Host => {
                    format!(
                        "{class}, {name}, {needed}, {flash}, {}",
                        call.creates.unwrap_or("void")
                    )
                }
            });
        }
    }
    rows
}

/// Class, name, value of every constant of a type.
fn constants(as3_type: &str) -> Vec<String> {
    let mut rows = Vec::new();
    for (path, text) in declarations(false, "") {
        let class = path.trim_end_matches(".as").rsplit('/').next().unwrap_or_default();
        let rest = text.lines().filter_map(|line| line.split_once("static const "));
        let lines = rest.filter_map(|(_, line)| line.split_once(&format!(":{as3_type} = ")));
        rows.extend(
            lines.map(|(name, value)| format!("{class}, {name}, {}", value.trim_end_matches(';'))),
        );
    }
    rows
}

/// Class and superclass, which comes before.
fn classes() -> Vec<String> {
    let mut rows: Vec<String> = CLASSES
        .iter()
        .map(|(class, base, ..)| {
            format!("{class}, {}", if base.is_empty() { "Object" } else { *base })
        })
        .collect();
    let of_constants = |(path, _): (String, _)| {
        let class = path.strip_prefix("flash/display3D/Context3D")?.strip_suffix(".as")?;
        (!class.is_empty()).then(|| format!("Context3D{class}, Object"))
    };
    rows.extend(declarations(false, "").into_iter().filter_map(of_constants));
    rows
}

/// What is at the end of `molehill.h`.
pub(crate) fn macros() -> String {
    let mut text = String::from(
        "\n/* Lists for hosts that make their natives by molehill_call: each row is an m(…). */\n",
    );
    let comment = "Methods: class, name, how many parameters have no default, how many Flash Player's declaration has, class of \
        the object that it\n   creates or void. `dispose` of textures is declared by TextureBase, and works by each class.";
    let methods = STAGE3D_MEMBERS.iter().filter(|row| row.as3_type.is_none());
    let methods = methods.map(|row| {
        let (needed, most) = row.arguments;
        format!("Stage3D, {}, {needed}, {most}, void", row.name)
    });
    let methods: Vec<_> = rows(CallKind::Method).into_iter().chain(methods).collect();
    list(&mut text, comment, "METHODS", &methods);
    let comment =
        "Properties that are assigned to by molehill_call, with one argument: class, name.";
    let setters = STAGE3D_MEMBERS.iter().filter(|row| row.is_setter());
    let setters = setters.map(|row| format!("Stage3D, {}", row.name));
    let setters: Vec<_> = rows(CallKind::Setter).into_iter().chain(setters).collect();
    list(&mut text, comment, "SETTERS", &setters);
    let property = |it: &context3d::calls::Property| {
        format!("{}, {}, {}, {}", it.class, it.name, it.as3_type, u8::from(it.is_static))
    };
    let stages = STAGE3D_MEMBERS.iter();
    let stages =
        stages.filter_map(|row| Some(format!("Stage3D, {}, {}, 0", row.name, row.as3_type?)));
    let properties: Vec<String> = PROPERTIES.iter().map(property).chain(stages).collect();
    let comment =
        "Properties that molehill_property reads: class, name, type, whether it is the class's.";
    list(&mut text, comment, "PROPERTIES", &properties);
    let comment = "Constants that are strings: class, name, value.";
    list(&mut text, comment, "CONSTANTS", &constants("String"));
    let comment = "Constants that are int: class, name, value.";
    list(&mut text, comment, "INT_CONSTANTS", &constants("int"));
    let comment = "Classes of flash.display3D and flash.display3D.textures: class, superclass.";
    list(&mut text, comment, "CLASSES", &classes());
    text
}
