//! Shaders for the stage that is not under test, in the program's dialect.

use std::fmt::Write as _;

use context3d::agal::glsl::Dialect;

/// Width and height of the render targets in pixels.
pub(super) const SIDE: u16 = 256;
/// The attribute with the clip-space position, at location 0; the attribute at location n + 1 has varying n.
pub(super) const PLACE: &str = "place";
/// Prefix of the attributes with varying values; the register number follows.
pub(super) const VALUE: &str = "value";

/// The sampler of the texture with the varyings' values, for dialects without `flat`. Varying n is in
/// [`ROWS_OF_A_VARYING`] rows, starting at row n × [`ROWS_OF_A_VARYING`]. (Interpolation of equal values isn't exact
/// for the sign of zero, and not for infinity on drivers that add infinity times a slope of 0.)
pub(super) const VALUES: &str = "probe_values";
const AT: &str = "probe_at";
/// The number of varyings in the texture: one for each bit of a `u16` set of varyings.
pub(super) const VARYINGS: u16 = 16;
/// Texture rows per varying, and texels per row.
pub(super) const ROWS_OF_A_VARYING: u16 = SIDE;

/// Returns an empty fragment shader, because OpenGL ES links no vertex shader without a fragment shader.
pub(super) fn nothing(dialect: Dialect) -> String {
    format!("{}\nvoid main() {{}}\n", dialect.version_line())
}

/// Returns a vertex shader that copies attributes to the varyings in the bit set `varyings`.
pub(super) fn pass_through(dialect: Dialect, varyings: u16, flat: bool) -> String {
    let attribute = dialect.words().attribute;
    let [output, _] = dialect.words().varying;
    let mut text = format!("{}\n{attribute} vec4 {PLACE};\n", dialect.version_line());
    let mut body = String::new();
    // Writing to a `String` can't fail.
    if flat && !dialect.has_flat() {
        let _ = writeln!(text, "{output} vec2 {AT};");
        let _ = writeln!(body, "    {AT} = {PLACE}.xy * 0.5 + 0.5;");
    } else {
        let flat = if flat { "flat " } else { "" };
        for n in bits(varyings) {
            let _ = writeln!(text, "{attribute} vec4 {VALUE}{n};\n{flat}{output} vec4 v{n};");
            let _ = writeln!(body, "    v{n} = {VALUE}{n};");
        }
    }
    // OpenGL ES doesn't define a point's size unless the shader writes it.
    let _ = writeln!(
        text,
        "void main() {{\n{body}    gl_Position = {PLACE};\n    gl_PointSize = 1.0;\n}}"
    );
    text
}

/// Rewrites a fragment shader so that its varyings aren't interpolated.
pub(super) fn flattened(dialect: Dialect, fragment: &str) -> String {
    let [_, word] = dialect.words().varying;
    let declaration = format!("{word} vec4 v");
    let mut text = String::with_capacity(fragment.len().saturating_add(1024));
    let mut fetches = String::new();
    for line in fragment.split_inclusive('\n') {
        let number = line.strip_prefix(&declaration).and_then(|rest| rest.split(';').next());
        // Writing to a `String` cannot fail.
        match number {
            Some(_) if dialect.has_flat() => text.push_str("flat "),
            Some(n) => {
                if fetches.is_empty() {
                    let _ = writeln!(
                        text,
                        "#ifdef GL_ES\nuniform highp sampler2D {VALUES};\n#else\nuniform sampler2D {VALUES};\n#endif\n\
                         {word} vec2 {AT};"
                    );
                }
                let _ = writeln!(text, "vec4 v{n};");
                let _ = writeln!(
                    fetches,
                    "    v{n} = texture2D({VALUES}, vec2({AT}.x, ({AT}.y + {n}.0) / {VARYINGS}.0));"
                );
                continue;
            }
            None => {}
        }
        text.push_str(line);
        if line.starts_with("void main()") {
            text.push_str(&fetches);
        }
    }
    text
}

/// Returns the indices of the set bits, lowest first.
pub(super) fn bits(set: u16) -> impl Iterator<Item = u16> {
    (0..16).filter(move |n| set & (1 << n) != 0)
}
