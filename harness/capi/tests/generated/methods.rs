//! Writes lists of methods, properties and constants as macros.

use context3d::calls::{Availability, METHODS, MethodKind, Parameter};

use crate::declarations::{CLASSES, declarations};

fn list(text: &mut String, comment: &str, name: &str, rows: &[String]) {
    text.push_str(&format!("\n/* {comment} */\n#define MOLEHILL_{name}(m)"));
    rows.iter().for_each(|row| text.push_str(&format!(" \\\n    m({row})")));
    text.push('\n');
}

/// Returns a line of a generated C macro for each method of a kind and each class that has the method.
fn rows(kind: MethodKind) -> Vec<String> {
    let of_kind = METHODS.iter().filter(|row| row.kind == kind);
    let rows = of_kind.flat_map(|row| row.classes.iter().map(move |class| (row, class)));
    rows.map(|(row, class)| {
        let own: Vec<&Parameter> =
            row.parameters.iter().filter(|it| it.type_in(class).is_some()).collect();
        let flash = own.iter().filter(|it| !matches!(it.since, Some(Availability::Air(_)))).count();
        let needed = own.iter().filter(|it| it.default.is_none()).count();
        let (name, result) = (row.name, row.result.unwrap_or("void"));
        match kind {
            MethodKind::Setter => format!("{class}, {name}"),
            MethodKind::Getter => format!("{class}, {name}, {result}, {}", u8::from(row.is_static)),
            MethodKind::Method | MethodKind::Host => {
                format!("{class}, {name}, {needed}, {flash}, {result}")
            }
        }
    })
    .collect()
}

/// Returns class, name and value of every constant of a type.
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

/// Returns each class with its superclass, superclasses first.
fn classes() -> Vec<String> {
    let mut rows: Vec<String> = CLASSES
        .iter()
        .filter(|(class, ..)| *class != "Stage3D")
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

/// Writes the macros at the end of `molehill.h`.
pub(crate) fn macros() -> String {
    let mut text = String::from(
        "\n/* Lists for hosts that make their natives by molehill_call: each row is an m(…). */\n",
    );
    let comment = "Methods: class, name, how many parameters have no default, how many Flash Player's declaration has, class of \
        the object that it\n   creates or void. `dispose` of textures is declared by TextureBase, and works by each class.";
    list(&mut text, comment, "METHODS", &rows(MethodKind::Method));
    let comment =
        "Properties that are assigned to by molehill_call, with one argument: class, name.";
    list(&mut text, comment, "SETTERS", &rows(MethodKind::Setter));
    let comment =
        "Properties that molehill_property reads: class, name, type, whether it is the class's.";
    list(&mut text, comment, "PROPERTIES", &rows(MethodKind::Getter));
    let comment = "Constants that are strings: class, name, value.";
    list(&mut text, comment, "CONSTANTS", &constants("String"));
    let comment = "Constants that are int: class, name, value.";
    list(&mut text, comment, "INT_CONSTANTS", &constants("int"));
    let comment = "Classes of flash.display3D and flash.display3D.textures: class, superclass.";
    list(&mut text, comment, "CLASSES", &classes());
    text
}
