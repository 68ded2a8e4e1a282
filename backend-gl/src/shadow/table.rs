//! The table of all GL state that draws change or depend on, with the device's setting and GL's default.

use super::{StateInputs, set};
use crate::caps::GlCaps;
use crate::gl::GlFunctions;
use crate::workarounds::Remedy;

/// Returns whether a context has this state.
type HasState = fn(&GlCaps) -> bool;
/// Sets the GL state of a table entry.
type StateSetter = fn(&GlFunctions, &StateInputs<'_>);

/// An entry of the table [`STATE`]: a piece of GL state with the device's setting and GL's default.
pub(super) struct StateRow {
    /// The entry in `state.md`, which several rows may share.
    pub(super) name: &'static str,
    exists: HasState,
    /// The function that sets the value that the device needs; `None` for GL state that packets set.
    ours: Option<StateSetter>,
    gl_default: Option<StateSetter>,
}

/// Sets all state of the context, to the device's setting or GL's default.
pub(super) fn set_all(gl: &GlFunctions, inputs: &StateInputs<'_>, to_gl_defaults: bool) {
    for row in STATE.iter().filter(|row| (row.exists)(inputs.caps)) {
        if let Some(set) = if to_gl_defaults { row.gl_default } else { row.ours } {
            set(gl, inputs);
        }
    }
}

mod names {
    pub(super) use glow::*;

    // glow lacks the constants for the alpha test and for stipples.
    pub(super) const ALPHA_TEST: u32 = 0x0BC0;
    pub(super) const LINE_STIPPLE: u32 = 0x0B24;
    pub(super) const POLYGON_STIPPLE: u32 = 0x0B42;
}

const ALWAYS: HasState = |_| true;
const DESKTOP: HasState = |caps| !caps.es;
const COMPATIBILITY: HasState = |caps| caps.compatibility;
const CLIP_CONTROL: HasState = |caps| caps.clip_control;
const CLIP_DISTANCES: HasState = |caps| caps.clip_distances;
const DEPTH_CLAMP: HasState = |caps| caps.depth_clamp;
const SAMPLE_MASK: HasState = |caps| !caps.es || caps.version >= (3, 1);
const SAMPLE_SHADING: HasState = |caps| caps.version >= if caps.es { (3, 2) } else { (4, 0) };
const SRGB_WRITE_CONTROL: HasState = |caps| caps.srgb_write_control;
/// The condition for `GL_PRIMITIVE_RESTART_FIXED_INDEX`, which is always enabled in WebGL 2: see `Remedy::WideIndices`.
const FIXED_RESTART: HasState = |caps| caps.es && !caps.web || caps.version >= (4, 3);

/// A row has a name, a condition, the device's setting, and GL's default if it differs. A setting is `on` or `off` for
/// `glEnable` or `glDisable`, `packets` for state that packets set, or a function.
macro_rules! rows {
    ($($name:literal $exists:ident $([$($setting:tt)*])+;)+) => {
        /// All GL state that draws change or depend on, in the order in which the state is set.
        pub(super) const STATE: &[StateRow] = &[$(StateRow {
            name: $name,
            exists: $exists,
            ours: rows!(first $([$($setting)*])+),
            gl_default: rows!(last $([$($setting)*])+),
        },)+];
    };
    (first $ours:tt $($gl_default:tt)?) => { rows!(last $ours) };
    (last $ours:tt $gl_default:tt) => { rows!(last $gl_default) };
    (last [packets]) => { None };
    (last [on $capability:ident]) => { Some(|gl, _| gl.enable(names::$capability)) };
    (last [off $capability:ident]) => { Some(|gl, _| gl.disable(names::$capability)) };
    (last [$set:expr]) => { Some($set) };
}

rows! {
    "vertex array" ALWAYS [own_vertex_array] [|gl, _| gl.bind_vertex_array(None)];
    "program" ALWAYS [packets] [|gl, _| gl.use_program(None)];
    "framebuffers" ALWAYS [packets] [no_framebuffers];
    "viewport and scissor rectangle" ALWAYS [packets] [window];
    "buffers" ALWAYS [packets]
        [|gl, _| unbind(gl, [glow::ARRAY_BUFFER, glow::COPY_READ_BUFFER, glow::COPY_WRITE_BUFFER])];
    "pixel buffers" ALWAYS [|gl, _| unbind(gl, [glow::PIXEL_PACK_BUFFER, glow::PIXEL_UNPACK_BUFFER])];
    // The length checks in `gl` assume that client memory is tightly packed.
    "pixel store" ALWAYS [|gl, inputs| pixel_store(gl, inputs, 1)] [|gl, inputs| pixel_store(gl, inputs, 4)];
    "clamped reads" DESKTOP [|gl, _| gl.unclamp_reads()];
    "texture units" ALWAYS [unbind_units];
    "scissor test" ALWAYS [packets] [off SCISSOR_TEST];
    "blending" ALWAYS [packets] [off BLEND];
    "blending" ALWAYS [|gl, _| gl.blend_equation(glow::FUNC_ADD)];
    "blending" ALWAYS [packets] [|gl, _| gl.blend_func(glow::ONE, glow::ZERO)];
    "colour mask" ALWAYS [packets] [|gl, _| gl.color_mask(true, true, true, true)];
    "depth test" ALWAYS [packets] [off DEPTH_TEST];
    "depth test" ALWAYS [|gl, _| gl.depth_range(0.0, 1.0)];
    "depth test" ALWAYS [packets] [|gl, _| gl.depth_func(glow::LESS)];
    "depth test" ALWAYS [packets] [|gl, _| gl.depth_mask(true)];
    "stencil test" ALWAYS [packets] [off STENCIL_TEST];
    "stencil test" ALWAYS [packets] [stencil];
    "culling" ALWAYS [packets] [off CULL_FACE];
    // The vertex shader negates y, so that Flash's clockwise front faces are counter-clockwise in GL.
    "culling" ALWAYS [|gl, _| gl.front_face(glow::CCW)];
    "culling" ALWAYS [packets] [|gl, _| gl.cull_face(glow::BACK)];
    "polygon mode" DESKTOP [packets] [|gl, _| gl.polygon_mode(glow::FRONT_AND_BACK, glow::FILL)];
    "line width" ALWAYS [|gl, _| gl.line_width(1.0)];
    "clip control" CLIP_CONTROL [|gl, _| gl.clip_depth(glow::ZERO_TO_ONE)]
        [|gl, _| gl.clip_depth(glow::NEGATIVE_ONE_TO_ONE)];
    // Dithering is enabled by default, and would be visible in 565 targets.
    "dither" ALWAYS [off DITHER] [on DITHER];
    "rasterizer discard" ALWAYS [off RASTERIZER_DISCARD];
    "samples" ALWAYS [off SAMPLE_COVERAGE];
    "samples" ALWAYS [off SAMPLE_ALPHA_TO_COVERAGE];
    "samples" SAMPLE_MASK [off SAMPLE_MASK];
    "samples" SAMPLE_SHADING [off SAMPLE_SHADING];
    "samples" DESKTOP [on MULTISAMPLE];
    "samples" DESKTOP [off SAMPLE_ALPHA_TO_ONE];
    "polygon offset" ALWAYS [off POLYGON_OFFSET_FILL];
    // The polygon offset of lines affects wireframes, which OpenGL ES lacks.
    "polygon offset" DESKTOP [off POLYGON_OFFSET_LINE];
    "smoothing" DESKTOP [off LINE_SMOOTH];
    "smoothing" DESKTOP [off POLYGON_SMOOTH];
    "primitive restart" FIXED_RESTART [off PRIMITIVE_RESTART_FIXED_INDEX];
    "primitive restart" DESKTOP [off PRIMITIVE_RESTART];
    "seamless cubes" DESKTOP [on TEXTURE_CUBE_MAP_SEAMLESS] [off TEXTURE_CUBE_MAP_SEAMLESS];
    // In OpenGL ES, conversion to sRGB is enabled by default, and always enabled without `EXT_sRGB_write_control`.
    "sRGB framebuffers" SRGB_WRITE_CONTROL
        [|gl, inputs| set(gl, glow::FRAMEBUFFER_SRGB, inputs.caps.needs(Remedy::DecodeSrgbInShader))]
        [|gl, inputs| set(gl, glow::FRAMEBUFFER_SRGB, inputs.caps.es)];
    "logic operation" DESKTOP [off COLOR_LOGIC_OP];
    "depth clamp" DEPTH_CLAMP [off DEPTH_CLAMP];
    "clip distances" CLIP_DISTANCES
        [|gl, _| (glow::CLIP_DISTANCE0..=glow::CLIP_DISTANCE7).for_each(|distance| gl.disable(distance))];
    "alpha test" COMPATIBILITY [off ALPHA_TEST];
    "stipples" COMPATIBILITY [off LINE_STIPPLE];
    "stipples" COMPATIBILITY [off POLYGON_STIPPLE];
    "debug log" ALWAYS [|gl, inputs| gl.set_debug_log(inputs.debug_log, true)]
        [|gl, inputs| gl.set_debug_log(inputs.debug_log, false)];
}

fn own_vertex_array(gl: &GlFunctions, inputs: &StateInputs<'_>) {
    gl.bind_vertex_array(Some(inputs.vertex_array));
    for index in 0..u32::from(inputs.caps.public.max_streams) {
        gl.disable_attribute(index);
        gl.attribute_divisor(index, 0);
    }
}

fn no_framebuffers(gl: &GlFunctions, _: &StateInputs<'_>) {
    gl.bind_framebuffer(glow::FRAMEBUFFER, None);
    gl.bind_renderbuffer(glow::RENDERBUFFER, None);
}

fn window(gl: &GlFunctions, inputs: &StateInputs<'_>) {
    let [x, y, width, height] = inputs.window.viewport;
    gl.viewport(x, y, width, height);
    let [x, y, width, height] = inputs.window.scissor;
    gl.scissor(x, y, width, height);
}

fn stencil(gl: &GlFunctions, _: &StateInputs<'_>) {
    gl.stencil_func(glow::FRONT_AND_BACK, glow::ALWAYS, 0, u32::MAX);
    gl.stencil_op(glow::FRONT_AND_BACK, glow::KEEP, glow::KEEP, glow::KEEP);
    gl.stencil_mask(u32::MAX);
}

fn unbind<const N: usize>(gl: &GlFunctions, targets: [u32; N]) {
    targets.into_iter().for_each(|target| gl.bind_buffer(target, None));
}

/// `UNPACK_FLIP_Y_WEBGL` and `UNPACK_PREMULTIPLY_ALPHA_WEBGL`, which apply to texels from memory too (WebGL 1.0,
/// section 5.14.8).
const UNPACK_FLIP_Y: u32 = 0x9240;
const UNPACK_PREMULTIPLY_ALPHA: u32 = 0x9241;

fn pixel_store(gl: &GlFunctions, inputs: &StateInputs<'_>, alignment: i32) {
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
fn unbind_units(gl: &GlFunctions, inputs: &StateInputs<'_>) {
    let caps = inputs.caps;
    let last = u32::from(caps.public.max_samplers).saturating_sub(1);
    for unit in (0..=last.max(caps.upload_unit)).rev() {
        gl.active_texture(glow::TEXTURE0.saturating_add(unit));
        gl.bind_texture(glow::TEXTURE_2D, None);
        gl.bind_texture(glow::TEXTURE_CUBE_MAP, None);
        gl.bind_sampler(unit, None);
    }
}
