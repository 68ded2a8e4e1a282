//! The shaders that stand opposite the program that is probed, in its dialect.

use std::fmt::Write as _;

use context3d::agal::{Dialect, Stage};

/// The attribute that places a pixel, at location 0; varying n comes from location n + 1.
pub(super) const PLACE: &str = "place";
/// The attribute behind varying n is this and n.
pub(super) const VALUE: &str = "value";

const FLAT: &str = "flat ";

/// A fragment shader that does nothing: OpenGL ES links no vertex shader without one.
pub(super) fn nothing(dialect: Dialect) -> String {
    format!("{}\nvoid main() {{}}\n", dialect.version_line())
}

/// A vertex shader that hands on what the varyings in the set are to be.
pub(super) fn pass_through(dialect: Dialect, varyings: u16, flat: bool) -> String {
    let attribute = dialect.attribute_word();
    let output = dialect.varying_word(Stage::Vertex);
    let flat = if flat && dialect.has_flat() { FLAT } else { "" };
    let mut text = format!("{}\n{attribute} vec4 {PLACE};\n", dialect.version_line());
    let mut body = String::new();
    for n in bits(varyings) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "{attribute} vec4 {VALUE}{n};\n{flat}{output} vec4 v{n};"
        );
        let _ = writeln!(body, "    v{n} = {VALUE}{n};");
    }
    // OpenGL ES has no size of points but this one.
    let _ = writeln!(
        text,
        "void main() {{\n{body}    gl_Position = {PLACE};\n    gl_PointSize = 1.0;\n}}"
    );
    text
}

/// The same fragment shader with varyings that aren't interpolated, where the dialect has a word for it. Interpolation
/// between equal values is exact on the drivers at hand, but for the sign of zero.
pub(super) fn flattened(dialect: Dialect, fragment: String) -> String {
    if !dialect.has_flat() {
        return fragment;
    }
    let declaration = format!("{} vec4 v", dialect.varying_word(Stage::Fragment));
    let mut text = String::with_capacity(fragment.len() + 128);
    for line in fragment.split_inclusive('\n') {
        if line.starts_with(&declaration) {
            text.push_str(FLAT);
        }
        text.push_str(line);
    }
    text
}

/// The numbers of the bits that are set, lowest first.
pub(super) fn bits(set: u16) -> impl Iterator<Item = u16> {
    (0..16).filter(move |n| set & (1 << n) != 0)
}
