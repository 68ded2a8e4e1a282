//! The table of all GL state that drawing changes or depends on, with the device's setting and GL's default.

use super::{ALPHA_TEST, LINE_STIPPLE, POLYGON_STIPPLE, StateInputs};
use crate::caps::GlCaps;
use crate::gl::Gl;

/// Whether a context has this state.
type Exists = fn(&GlCaps) -> bool;
/// Sets the state of a row.
type Set = fn(&Gl, &StateInputs<'_>);

/// How the state of a row is set.
pub(super) enum Setting {
    /// `glEnable` or `glDisable`: the device's setting, and GL's default.
    Switch {
        capability: u32,
        /// `None` if packets decide.
        value: Option<bool>,
        gl_default: bool,
    },
    /// Other calls: the device's setting, and GL's default.
    Calls { value: Option<Set>, gl_default: Set },
}

/// A row of the table.
pub(super) struct StateRow {
    /// Its entry in `state.md`; several rows may share one.
    pub(super) name: &'static str,
    pub(super) exists: Exists,
    pub(super) setting: Setting,
}

const EVERYWHERE: Exists = |_| true;
const DESKTOP: Exists = |caps| !caps.es;
const COMPATIBILITY: Exists = |caps| caps.compatibility;
const CLIP_DISTANCES: Exists = |caps| caps.clip_distances;

/// A capability with a constant setting.
const fn switch(
    name: &'static str,
    capability: u32,
    value: bool,
    gl_default: bool,
    exists: Exists,
) -> StateRow {
    let value = Some(value);
    StateRow { name, exists, setting: Setting::Switch { capability, value, gl_default } }
}

/// A capability that packets set.
const fn turned(name: &'static str, capability: u32) -> StateRow {
    StateRow {
        name,
        exists: EVERYWHERE,
        setting: Setting::Switch { capability, value: None, gl_default: false },
    }
}

/// State that packets set; `gl_default` restores the default.
const fn changed(name: &'static str, exists: Exists, gl_default: Set) -> StateRow {
    let value = None;
    StateRow { name, exists, setting: Setting::Calls { value, gl_default } }
}

/// State with a constant setting.
const fn fixed(name: &'static str, exists: Exists, value: Set, gl_default: Set) -> StateRow {
    let value = Some(value);
    StateRow { name, exists, setting: Setting::Calls { value, gl_default } }
}

/// All state, in the order in which it is set.
pub(super) const STATE: &[StateRow] = &[
    fixed(
        "vertex array",
        EVERYWHERE,
        |gl, inputs| {
            gl.bind_vertex_array(Some(inputs.vertex_array));
            for index in 0..u32::from(inputs.caps.public.max_streams) {
                gl.disable_attribute(index);
                gl.attribute_divisor(index, 0);
            }
        },
        |gl, _| gl.bind_vertex_array(None),
    ),
    changed("program", EVERYWHERE, |gl, _| gl.use_program(None)),
    changed("framebuffers", EVERYWHERE, |gl, _| {
        gl.bind_framebuffer(glow::FRAMEBUFFER, None);
        gl.bind_renderbuffer(glow::RENDERBUFFER, None);
    }),
    changed("viewport and scissor rectangle", EVERYWHERE, |gl, inputs| {
        let [x, y, width, height] = inputs.window.viewport;
        gl.viewport(x, y, width, height);
        let [x, y, width, height] = inputs.window.scissor;
        gl.scissor(x, y, width, height);
    }),
    changed("buffers", EVERYWHERE, |gl, _| {
        for target in [glow::ARRAY_BUFFER, glow::COPY_READ_BUFFER, glow::COPY_WRITE_BUFFER] {
            gl.bind_buffer(target, None);
        }
    }),
    fixed("pixel buffers", EVERYWHERE, no_pixel_buffers, no_pixel_buffers),
    fixed(
        "pixel store",
        EVERYWHERE,
        // Client memory is tightly packed, as the length checks in `gl` assume.
        |gl, inputs| pixel_store(gl, inputs, 1),
        |gl, inputs| pixel_store(gl, inputs, 4),
    ),
    fixed("clamped reads", DESKTOP, |gl, _| gl.unclamp_reads(), |gl, _| gl.unclamp_reads()),
    fixed("texture units", EVERYWHERE, unbind_units, unbind_units),
    turned("scissor test", glow::SCISSOR_TEST),
    turned("blending", glow::BLEND),
    fixed(
        "blending",
        EVERYWHERE,
        |gl, _| gl.blend_equation(glow::FUNC_ADD),
        |gl, _| {
            gl.blend_equation(glow::FUNC_ADD);
            gl.blend_func(glow::ONE, glow::ZERO);
        },
    ),
    changed("colour mask", EVERYWHERE, |gl, _| gl.color_mask(true, true, true, true)),
    turned("depth test", glow::DEPTH_TEST),
    fixed(
        "depth test",
        EVERYWHERE,
        |gl, _| gl.depth_range(0.0, 1.0),
        |gl, _| {
            gl.depth_range(0.0, 1.0);
            gl.depth_func(glow::LESS);
            gl.depth_mask(true);
        },
    ),
    turned("stencil test", glow::STENCIL_TEST),
    changed("stencil test", EVERYWHERE, |gl, _| {
        for face in [glow::FRONT, glow::BACK] {
            gl.stencil_func(face, glow::ALWAYS, 0, u32::MAX);
            gl.stencil_op(face, glow::KEEP, glow::KEEP, glow::KEEP);
        }
        gl.stencil_mask(u32::MAX);
    }),
    turned("culling", glow::CULL_FACE),
    fixed(
        "culling",
        EVERYWHERE,
        // The vertex shader negates y, so Flash's clockwise front faces are counter-clockwise in GL.
        |gl, _| gl.front_face(glow::CCW),
        |gl, _| {
            gl.front_face(glow::CCW);
            gl.cull_face(glow::BACK);
        },
    ),
    changed("polygon mode", DESKTOP, |gl, _| {
        gl.polygon_mode(glow::FRONT_AND_BACK, glow::FILL);
    }),
    fixed("line width", EVERYWHERE, |gl, _| gl.line_width(1.0), |gl, _| gl.line_width(1.0)),
    fixed(
        "clip control",
        |caps| caps.clip_control,
        |gl, _| gl.clip_depth(glow::ZERO_TO_ONE),
        |gl, _| gl.clip_depth(glow::NEGATIVE_ONE_TO_ONE),
    ),
    // Enabled by default; would be visible in 565 targets.
    switch("dither", glow::DITHER, false, true, EVERYWHERE),
    switch("rasterizer discard", glow::RASTERIZER_DISCARD, false, false, EVERYWHERE),
    switch("samples", glow::SAMPLE_COVERAGE, false, false, EVERYWHERE),
    switch("samples", glow::SAMPLE_ALPHA_TO_COVERAGE, false, false, EVERYWHERE),
    switch("samples", glow::SAMPLE_MASK, false, false, |caps| !caps.es || caps.version >= (3, 1)),
    switch("samples", glow::SAMPLE_SHADING, false, false, |caps| {
        caps.version >= if caps.es { (3, 2) } else { (4, 0) }
    }),
    switch("samples", glow::MULTISAMPLE, true, true, DESKTOP),
    switch("samples", glow::SAMPLE_ALPHA_TO_ONE, false, false, DESKTOP),
    switch("polygon offset", glow::POLYGON_OFFSET_FILL, false, false, EVERYWHERE),
    // Relevant for wireframes, which OpenGL ES lacks.
    switch("polygon offset", glow::POLYGON_OFFSET_LINE, false, false, DESKTOP),
    switch("smoothing", glow::LINE_SMOOTH, false, false, DESKTOP),
    switch("smoothing", glow::POLYGON_SMOOTH, false, false, DESKTOP),
    // Always enabled in WebGL 2: see `Remedy::WideIndices`.
    switch("primitive restart", glow::PRIMITIVE_RESTART_FIXED_INDEX, false, false, |caps| {
        caps.es && !caps.web || caps.version >= (4, 3)
    }),
    switch("primitive restart", glow::PRIMITIVE_RESTART, false, false, DESKTOP),
    switch("seamless cubes", glow::TEXTURE_CUBE_MAP_SEAMLESS, true, false, DESKTOP),
    switch("sRGB framebuffers", glow::FRAMEBUFFER_SRGB, false, false, DESKTOP),
    // On by default, as OpenGL ES converts without the extension.
    switch("sRGB framebuffers", glow::FRAMEBUFFER_SRGB, false, true, |caps| {
        caps.srgb_write_control
    }),
    switch("logic operation", glow::COLOR_LOGIC_OP, false, false, DESKTOP),
    switch("depth clamp", glow::DEPTH_CLAMP, false, false, |caps| caps.depth_clamp),
    switch("clip distances", glow::CLIP_DISTANCE0, false, false, CLIP_DISTANCES),
    switch("clip distances", glow::CLIP_DISTANCE1, false, false, CLIP_DISTANCES),
    switch("clip distances", glow::CLIP_DISTANCE2, false, false, CLIP_DISTANCES),
    switch("clip distances", glow::CLIP_DISTANCE3, false, false, CLIP_DISTANCES),
    switch("clip distances", glow::CLIP_DISTANCE4, false, false, CLIP_DISTANCES),
    switch("clip distances", glow::CLIP_DISTANCE5, false, false, CLIP_DISTANCES),
    switch("clip distances", glow::CLIP_DISTANCE6, false, false, CLIP_DISTANCES),
    switch("clip distances", glow::CLIP_DISTANCE7, false, false, CLIP_DISTANCES),
    switch("alpha test", ALPHA_TEST, false, false, COMPATIBILITY),
    switch("stipples", LINE_STIPPLE, false, false, COMPATIBILITY),
    switch("stipples", POLYGON_STIPPLE, false, false, COMPATIBILITY),
    fixed(
        "debug log",
        EVERYWHERE,
        |gl, inputs| gl.set_debug_log(inputs.debug_log, true),
        |gl, inputs| gl.set_debug_log(inputs.debug_log, false),
    ),
];

fn no_pixel_buffers(gl: &Gl, _: &StateInputs<'_>) {
    for target in [glow::PIXEL_PACK_BUFFER, glow::PIXEL_UNPACK_BUFFER] {
        gl.bind_buffer(target, None);
    }
}

/// `UNPACK_FLIP_Y_WEBGL` and `UNPACK_PREMULTIPLY_ALPHA_WEBGL`, which apply to texels from memory too (WebGL 1.0,
/// section 5.14.8).
const UNPACK_FLIP_Y: u32 = 0x9240;
const UNPACK_PREMULTIPLY_ALPHA: u32 = 0x9241;

fn pixel_store(gl: &Gl, inputs: &StateInputs<'_>, alignment: i32) {
    for (name, value) in [
        (glow::UNPACK_ALIGNMENT, alignment),
        (glow::UNPACK_ROW_LENGTH, 0),
        (glow::UNPACK_SKIP_ROWS, 0),
        (glow::UNPACK_SKIP_PIXELS, 0),
        (glow::PACK_ALIGNMENT, alignment),
        (glow::PACK_ROW_LENGTH, 0),
        (glow::PACK_SKIP_ROWS, 0),
        (glow::PACK_SKIP_PIXELS, 0),
    ] {
        gl.pixel_store(name, value);
    }
    if inputs.caps.web {
        gl.pixel_store(UNPACK_FLIP_Y, 0);
        gl.pixel_store(UNPACK_PREMULTIPLY_ALPHA, 0);
    }
    if !inputs.caps.es {
        gl.pixel_store(glow::UNPACK_SWAP_BYTES, 0);
        gl.pixel_store(glow::PACK_SWAP_BYTES, 0);
    }
}

/// Unbinds all units; unit 0 is active afterwards.
fn unbind_units(gl: &Gl, inputs: &StateInputs<'_>) {
    let caps = inputs.caps;
    let last = u32::from(caps.public.max_samplers).saturating_sub(1);
    for unit in (0..=last.max(caps.upload_unit)).rev() {
        gl.active_texture(glow::TEXTURE0.saturating_add(unit));
        gl.bind_texture(glow::TEXTURE_2D, None);
        gl.bind_texture(glow::TEXTURE_CUBE_MAP, None);
        gl.bind_sampler(unit, None);
    }
}

#[cfg(test)]
mod tests {
    /// The list in the documentation matches the table.
    #[test]
    fn every_piece_is_listed() {
        let text = include_str!("../state.md");
        let listed: Vec<&str> =
            text.lines().filter_map(|line| line.strip_prefix("* **")?.split("**").next()).collect();
        let names: Vec<&str> = crate::state::names().collect();
        assert_eq!(listed, names);
    }
}
