//! The shaders that stand opposite the program that is probed, in its dialect.

use std::fmt::Write as _;

use context3d::agal::Dialect;

/// The attribute that places a pixel, at location 0; varying n comes from location n + 1.
pub(super) const PLACE: &str = "place";
/// The attribute behind varying n is this and n.
pub(super) const VALUE: &str = "value";

/// How a dialect writes what all of these shaders need.
struct Words {
    version: &'static str,
    /// In front of a vertex shader's input.
    attribute: &'static str,
    /// In front of its output.
    output: &'static str,
    /// In front of a fragment shader's input.
    input: &'static str,
    /// In front of `output` and `input`: no interpolation.
    flat: Option<&'static str>,
}

fn words(dialect: Dialect) -> Words {
    let modern = |version| Words {
        version,
        attribute: "in",
        output: "out",
        input: "in",
        flat: Some("flat "),
    };
    match dialect {
        Dialect::Glsl330 => modern("330 core"),
        Dialect::Glsl300Es => modern("300 es"),
    }
}

/// A fragment shader that does nothing: OpenGL ES links no vertex shader without one.
pub(super) fn nothing(dialect: Dialect) -> String {
    format!("#version {}\nvoid main() {{}}\n", words(dialect).version)
}

/// A vertex shader that hands on what the varyings in the set are to be.
pub(super) fn pass_through(dialect: Dialect, varyings: u16, flat: bool) -> String {
    let words = words(dialect);
    let (attribute, output) = (words.attribute, words.output);
    let flat = words.flat.filter(|_| flat).unwrap_or("");
    let mut text = format!("#version {}\n{attribute} vec4 {PLACE};\n", words.version);
    let mut body = String::new();
    for n in bits(varyings) {
        // Writing to a `String` cannot fail.
        let _ = write!(
            text,
            "{attribute} vec4 {VALUE}{n};\n{flat}{output} vec4 v{n};\n"
        );
        let _ = writeln!(body, "    v{n} = {VALUE}{n};");
    }
    // OpenGL ES has no size of points but this one.
    let _ = write!(
        text,
        "void main() {{\n{body}    gl_Position = {PLACE};\n    gl_PointSize = 1.0;\n}}\n"
    );
    text
}

/// The same fragment shader with varyings that aren't interpolated, where the dialect has a word for it. Interpolation
/// is exact between equal values, but for the sign of zero: llvmpipe adds a product with +0.
pub(super) fn flattened(dialect: Dialect, fragment: String) -> String {
    let words = words(dialect);
    let Some(flat) = words.flat else {
        return fragment;
    };
    let declaration = format!("{} vec4 v", words.input);
    let mut text = String::with_capacity(fragment.len() + 128);
    for line in fragment.split_inclusive('\n') {
        if line.starts_with(&declaration) {
            text.push_str(flat);
        }
        text.push_str(line);
    }
    text
}

/// The numbers of the bits that are set, lowest first.
pub(super) fn bits(set: u16) -> impl Iterator<Item = u16> {
    (0..16).filter(move |n| set & (1 << n) != 0)
}
