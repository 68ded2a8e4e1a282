//! A shadow copy of GL's state. Every setter compares first, so that nothing is set twice; `None` means unknown. Objects
//! are compared by their unique ids, so that a new one is never taken for a deleted one of the same name.

mod bindings;
mod table;

use std::rc::Rc;

use context3d::enums::{BlendFactor, CompareMode, FillMode, StencilAction, VertexFormat};
use context3d::packets::{
    MAX_SAMPLERS, MAX_STREAMS, PipelineId, PipelineState, Raster, Scissor, StencilFace, Stream,
};

use crate::caps::GlCaps;
use crate::convert;
use crate::gl::{FourValues, Gl, Object, Rect};
use crate::workarounds::Remedy;
use table::STATE;

/// Bindings of one texture unit.
#[derive(Clone, Copy, Default)]
struct Unit {
    textures: [Option<Object<glow::Texture>>; 2],
    sampler: Option<Object<glow::Sampler>>,
}

/// The source of a vertex binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Source {
    buffer: Object<glow::Buffer>,
    offset: u32,
    stride: u32,
    divisor: u32,
}

/// Of an attribute: its format, bytes from where its binding begins, and the binding.
type Format = (VertexFormat, u32, usize);

/// One face's stencil state as GL takes it: function, reference, mask; then fail, depth fail, pass.
type Stencil = ((u32, i32, u32), (u32, u32, u32));

/// What is needed for setting the state.
pub(crate) struct StateInputs<'a> {
    pub(crate) caps: &'a GlCaps,
    /// The vertex array that is always bound.
    pub(crate) vertex_array: glow::VertexArray,
    /// Whether the context's debug log is read.
    pub(crate) debug_log: bool,
    pub(crate) window: WindowDefaults,
}

/// Initial state that depends on the window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowDefaults {
    viewport: [i32; 4],
    scissor: [i32; 4],
}

impl WindowDefaults {
    pub(crate) fn query(gl: &Gl) -> Self {
        Self {
            viewport: gl.rectangle(FourValues::Viewport),
            scissor: gl.rectangle(FourValues::ScissorBox),
        }
    }
}

/// The state of the context. All state changes go through it; there is no other copy.
pub(crate) struct Shadow {
    gl: Rc<Gl>,
    /// [`Gl::problems`] when it was reset: a later error may be of a call that was to set something.
    problems: u64,
    desktop: bool,
    upload_unit: u32,
    program: Option<Object<glow::Program>>,
    draw_framebuffer: Option<Object<glow::Framebuffer>>,
    /// The draw buffers of that framebuffer.
    outputs: Option<u8>,
    read_framebuffer: Option<Object<glow::Framebuffer>>,
    viewport: Option<Rect>,
    scissor_test: Option<bool>,
    scissor: Option<Scissor>,
    blend: Option<Option<(u32, u32)>>,
    blend_func: Option<(u32, u32)>,
    color_mask: Option<[bool; 4]>,
    depth_test: Option<bool>,
    depth_write: Option<bool>,
    depth_func: Option<u32>,
    stencil_test: Option<bool>,
    stencil: [Option<Stencil>; 2],
    stencil_mask: Option<u32>,
    cull: Option<Option<u32>>,
    cull_face: Option<u32>,
    fill: Option<FillMode>,
    /// The last draw's state; `None` if one of the fields from `blend` on was changed otherwise.
    pipeline: Option<PipelineId>,
    active_unit: Option<u32>,
    units: [Unit; MAX_SAMPLERS],
    /// The texture that was bound last on the unit for uploads.
    edited: Option<Object<glow::Texture>>,
    array_buffer: Option<Object<glow::Buffer>>,
    index_buffer: Option<Object<glow::Buffer>>,
    enabled_attributes: u16,
    /// With [`Remedy::AttributePointers`]. The buffer is the one that the key means: two backends may have the same key.
    attributes: [Option<(Stream, Object<glow::Buffer>)>; MAX_STREAMS],
    divisors: [u32; MAX_STREAMS],
    /// [`Remedy::AttributePointers`] isn't needed.
    bindings_apart: bool,
    /// Where each binding fetches from.
    sources: [Option<Source>; MAX_STREAMS],
    formats: [Option<Format>; MAX_STREAMS],
}

impl Shadow {
    /// Everything is unknown: call [`Shadow::reset`] next.
    pub(crate) fn new(gl: Rc<Gl>, caps: &GlCaps) -> Self {
        Self {
            problems: gl.problems(),
            gl,
            desktop: !caps.es,
            upload_unit: caps.upload_unit,
            program: None,
            draw_framebuffer: None,
            outputs: None,
            read_framebuffer: None,
            viewport: None,
            scissor_test: None,
            scissor: None,
            blend: None,
            blend_func: None,
            color_mask: None,
            depth_test: None,
            depth_write: None,
            depth_func: None,
            stencil_test: None,
            stencil: [None; 2],
            stencil_mask: None,
            cull: None,
            cull_face: None,
            fill: None,
            pipeline: None,
            active_unit: None,
            units: [Unit::default(); MAX_SAMPLERS],
            edited: None,
            array_buffer: None,
            index_buffer: None,
            enabled_attributes: 0,
            attributes: [None; MAX_STREAMS],
            divisors: [0; MAX_STREAMS],
            bindings_apart: !caps.needs(Remedy::AttributePointers),
            sources: [None; MAX_STREAMS],
            formats: [None; MAX_STREAMS],
        }
    }

    /// Forgets everything, and sets the state that never changes afterwards.
    pub(crate) fn reset(&mut self, inputs: &StateInputs<'_>) {
        let gl = Rc::clone(&self.gl);
        gl.set_indices(None);
        *self = Self::new(gl, inputs.caps);
        table::set_all(&self.gl, inputs, false);
    }

    /// Whether everything that was set is set.
    #[inline]
    pub(crate) fn is_certain(&self) -> bool {
        self.problems == self.gl.problems()
    }

    /// Sets everything to GL's defaults, and forgets it.
    pub(crate) fn reset_to_gl_defaults(&mut self, inputs: &StateInputs<'_>) {
        table::set_all(&self.gl, inputs, true);
        *self = Self::new(Rc::clone(&self.gl), inputs.caps);
    }

    fn capability(&self, known: Option<bool>, capability: u32, on: bool) -> Option<bool> {
        if known != Some(on) {
            set(&self.gl, capability, on);
        }
        Some(on)
    }

    /// `glUseProgram`
    #[inline]
    pub(crate) fn use_program(&mut self, program: Object<glow::Program>) {
        if self.program != Some(program) {
            self.gl.use_program(Some(program.name));
            self.program = Some(program);
        }
    }

    /// Sets the framebuffer for draws and clears.
    #[inline]
    pub(crate) fn draw_framebuffer(&mut self, framebuffer: Object<glow::Framebuffer>) {
        if self.draw_framebuffer != Some(framebuffer) {
            self.gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(framebuffer.name));
            self.draw_framebuffer = Some(framebuffer);
            self.outputs = None;
        }
    }

    /// Sets the colour outputs that draws and clears change, of the bound draw framebuffer. One that has only the first
    /// needs no call.
    #[inline]
    pub(crate) fn outputs(&mut self, set: u8) {
        if self.outputs != Some(set) {
            self.gl.draw_buffers(set);
            self.outputs = Some(set);
        }
    }

    /// A wrong shadow, for a test that notices it: this framebuffer counts as bound.
    #[cfg(all(test, feature = "offscreen"))]
    pub(crate) fn believe(&mut self, framebuffer: Object<glow::Framebuffer>) {
        self.draw_framebuffer = Some(framebuffer);
    }

    /// Sets the framebuffer for blits and reads.
    pub(crate) fn read_framebuffer(&mut self, framebuffer: Object<glow::Framebuffer>) {
        if self.read_framebuffer != Some(framebuffer) {
            self.gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(framebuffer.name));
            self.read_framebuffer = Some(framebuffer);
        }
    }

    /// Sets the viewport, which is always the whole target.
    #[inline]
    pub(crate) fn viewport(&mut self, size: Rect) {
        if self.viewport != Some(size) {
            self.gl.viewport(0, 0, size.width, size.height);
            self.viewport = Some(size);
        }
    }

    /// Disables everything that would restrict a clear or a blit.
    pub(crate) fn lift_masks(&mut self) {
        let open = (Some(false), Some([true; 4]), Some(true), Some(u8::MAX.into()));
        // Then the state that is set stays as it is known.
        if (self.scissor_test, self.color_mask, self.depth_write, self.stencil_mask) != open {
            self.pipeline = None;
            self.scissor(None);
            self.color_mask([true; 4]);
            self.depth_write(true);
            self.stencil_mask(u32::from(u8::MAX));
        }
    }

    /// Sets the scissor; `None` disables it. Rows count from the top, like in memory, so no flip is needed.
    pub(crate) fn scissor(&mut self, scissor: Option<Scissor>) {
        self.scissor_test =
            self.capability(self.scissor_test, glow::SCISSOR_TEST, scissor.is_some());
        if let Some(new) = scissor
            && self.scissor != scissor
        {
            let corner = Rect::new(new.x, new.y);
            let size = Rect::new(new.width, new.height);
            self.gl.scissor(corner.width, corner.height, size.width, size.height);
            self.scissor = scissor;
        }
    }

    /// `glColorMask`
    fn color_mask(&mut self, mask: [bool; 4]) {
        if self.color_mask != Some(mask) {
            let [red, green, blue, alpha] = mask;
            self.gl.color_mask(red, green, blue, alpha);
            self.color_mask = Some(mask);
        }
    }

    fn depth_write(&mut self, write: bool) {
        if self.depth_write != Some(write) {
            self.gl.depth_mask(write);
            self.depth_write = Some(write);
        }
    }

    fn stencil_mask(&mut self, mask: u32) {
        if self.stencil_mask != Some(mask) {
            self.gl.stencil_mask(mask);
            self.stencil_mask = Some(mask);
        }
    }

    /// Sets the fixed-function state of a draw.
    #[inline]
    pub(crate) fn pipeline(&mut self, state: &PipelineState) {
        if self.pipeline != Some(state.id) {
            self.raster(&state.raster);
            self.pipeline = Some(state.id);
        }
    }

    /// Sets fixed-function state.
    pub(crate) fn raster(&mut self, raster: &Raster) {
        self.pipeline = None;
        self.color_mask(raster.color_mask);
        self.blend(raster.blend);
        self.depth(raster.depth_write, raster.depth_compare);
        self.stencil(raster);
        self.cull(convert::cull_face(raster.cull));
        if self.desktop && self.fill != Some(raster.fill) {
            let mode = match raster.fill {
                FillMode::Solid => glow::FILL,
                FillMode::Wireframe => glow::LINE,
            };
            self.gl.polygon_mode(glow::FRONT_AND_BACK, mode);
            self.fill = Some(raster.fill);
        }
    }

    fn blend(&mut self, (source, destination): (BlendFactor, BlendFactor)) {
        // The factors one and zero replace the colour, like disabled blending, which is faster.
        let new = ((source, destination) != (BlendFactor::One, BlendFactor::Zero))
            .then(|| (convert::blend_factor(source), convert::blend_factor(destination)));
        if self.blend == Some(new) {
            return;
        }
        let was_on = self.blend.map(|blend| blend.is_some());
        self.capability(was_on, glow::BLEND, new.is_some());
        if let Some((source, destination)) = new
            && self.blend_func != new
        {
            self.gl.blend_func(source, destination);
            self.blend_func = new;
        }
        self.blend = Some(new);
    }

    fn depth(&mut self, write: bool, compare: CompareMode) {
        // GL writes depth only while the test is enabled, so with "always" it can be disabled only if depth isn't
        // written.
        let test = write || compare != CompareMode::Always;
        self.depth_test = self.capability(self.depth_test, glow::DEPTH_TEST, test);
        if !test {
            return;
        }
        self.depth_write(write);
        let func = convert::compare(compare);
        if self.depth_func != Some(func) {
            self.gl.depth_func(func);
            self.depth_func = Some(func);
        }
    }

    fn stencil(&mut self, raster: &Raster) {
        let test = does_something(&raster.stencil_front) || does_something(&raster.stencil_back);
        self.stencil_test = self.capability(self.stencil_test, glow::STENCIL_TEST, test);
        if !test {
            return;
        }
        self.stencil_mask(u32::from(raster.stencil_write_mask));
        let faces = [(glow::FRONT, &raster.stencil_front), (glow::BACK, &raster.stencil_back)];
        for ((face, state), known) in faces.into_iter().zip(&mut self.stencil) {
            let func = (
                convert::compare(state.compare),
                i32::from(raster.stencil_reference),
                u32::from(raster.stencil_read_mask),
            );
            let op = (
                convert::stencil_action(state.stencil_fail),
                convert::stencil_action(state.depth_fail),
                convert::stencil_action(state.both_pass),
            );
            if known.is_none_or(|known| known.0 != func) {
                self.gl.stencil_func(face, func.0, func.1, func.2);
            }
            if known.is_none_or(|known| known.1 != op) {
                self.gl.stencil_op(face, op.0, op.1, op.2);
            }
            *known = Some((func, op));
        }
    }

    fn cull(&mut self, face: Option<u32>) {
        if self.cull == Some(face) {
            return;
        }
        let was_on = self.cull.map(|cull| cull.is_some());
        self.capability(was_on, glow::CULL_FACE, face.is_some());
        if let Some(new) = face
            && self.cull_face != face
        {
            self.gl.cull_face(new);
            self.cull_face = face;
        }
        self.cull = Some(face);
    }
}

/// The entries of the list above, each once.
pub fn state_names() -> impl Iterator<Item = &'static str> {
    let before = |end: usize| STATE.iter().take(end);
    let first = move |(at, row): &(usize, &table::StateRow)| {
        !before(*at).any(|earlier| earlier.name == row.name)
    };
    let rows = STATE.iter().enumerate().filter(first);
    rows.map(|(_, row)| row.name)
}

fn set(gl: &Gl, capability: u32, on: bool) {
    if on {
        gl.enable(capability);
    } else {
        gl.disable(capability);
    }
}

/// Whether a face's stencil state can reject or change anything.
fn does_something(face: &StencilFace) -> bool {
    face.compare != CompareMode::Always
        || face.both_pass != StencilAction::Keep
        || face.depth_fail != StencilAction::Keep
}
