//! Changes to emitted shaders, and the shaders of the other stage.

use std::fmt::Write as _;

use agal::{Interface, Stage};

use super::{Shader, bits};

/// The entry points of the default target.
pub(super) const ENTRY: [&str; 2] = ["vertex_main", "fragment_main"];
/// The group of the buffer with a vertex shader's results.
pub(super) const RESULTS: u32 = 2;

/// Returns the vertex and the fragment module that run a shader.
pub(super) fn modules(shader: &Shader<'_>, side: u32) -> (String, Option<String>) {
    let &Shader { wgsl, stage, interface, linear } = shader;
    match stage {
        Stage::Vertex => (stored(wgsl, interface, side * side), None),
        Stage::Fragment => {
            let fragment = if linear { wgsl.to_owned() } else { flattened(wgsl, interface) };
            (pass_through(interface, side, linear), Some(fragment))
        }
    }
}

/// Returns a vertex shader that also stores its results, by instance, vertex and register.
fn stored(wgsl: &str, interface: &Interface, vertices: u32) -> String {
    let mut inputs = "@builtin(vertex_index) probe_vertex: u32, ".to_owned();
    let instance = if interface.instance_id {
        "instance"
    } else {
        inputs += "@builtin(instance_index) probe_instance: u32, ";
        "probe_instance"
    };
    let registers = bits(interface.varyings).map(|n| format!("v{n}"));
    let registers: Vec<_> = std::iter::once("op".to_owned()).chain(registers).collect();
    let count = registers.len();
    let mut stores =
        format!("    let probe_at = ({instance} * {vertices}u + probe_vertex) * {count}u;\n");
    for (n, register) in registers.iter().enumerate() {
        // Writing to a `String` cannot fail.
        let _ = writeln!(stores, "    probe[probe_at + {n}u] = {register};");
    }
    let entry = format!("fn {}(", ENTRY[0]);
    let result = "    return VertexResult(";
    let text = wgsl.replacen(&entry, &(entry.clone() + &inputs), 1);
    let text = text.replacen(result, &(stores + result), 1);
    format!("@group({RESULTS}) @binding(0) var<storage, read_write> probe: array<vec4f>;\n{text}")
}

/// Returns a fragment shader whose varyings are not interpolated.
fn flattened(wgsl: &str, interface: &Interface) -> String {
    bits(interface.varyings)
        .fold(wgsl.to_owned(), |text, n| text.replacen(&located(n, ""), &located(n, FLAT), 1))
}

const FLAT: &str = "@interpolate(flat, either) ";

fn located(n: u16, interpolation: &str) -> String {
    format!("@location({n}) {interpolation}v{n}: vec4f")
}

/// Returns a vertex shader that copies attributes to varyings: of the pixels, or of a triangle over the grid.
fn pass_through(interface: &Interface, side: u32, linear: bool) -> String {
    let (mut members, mut inputs, mut values) = (String::new(), String::new(), String::new());
    for n in bits(interface.varyings) {
        let interpolation = if linear { "" } else { FLAT };
        // Writing to a `String` cannot fail.
        let _ = writeln!(members, "    {},", located(n, interpolation));
        let _ = write!(inputs, ", {}", located(n, ""));
        let _ = write!(values, ", v{n}");
    }
    // In units of the grid, from its upper left corner.
    let place = if linear {
        "vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0".to_owned()
    } else {
        format!("(vec2f(f32(index % {side}u), f32(index / {side}u)) + 0.5) / {side}.0")
    };
    format!(
        "struct Result {{\n    @builtin(position) place: vec4f,\n{members}}}\n@vertex\n\
         fn {}(@builtin(vertex_index) index: u32{inputs}) -> Result {{\n    let place = {place};\n    \
         return Result(vec4f(place.x * 2.0 - 1.0, 1.0 - place.y * 2.0, 0.0, 1.0){values});\n}}\n",
        ENTRY[0]
    )
}
