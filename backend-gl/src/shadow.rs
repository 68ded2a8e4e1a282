//! A cache of GL's state. Every setter compares with the cached value and skips redundant calls. Objects are compared
//! by their unique ids, because GL reuses the names of deleted objects.

mod bindings;
mod table;

use std::rc::Rc;

use context3d::enums::{BlendFactor, CompareMode, FillMode, StencilAction, VertexFormat};
use context3d::packets::{
    MAX_SAMPLERS, MAX_STREAMS, PipelineId, PipelineState, Raster, Scissor, StencilFace, Stream,
};

use crate::caps::GlCaps;
use crate::convert;
use crate::gl::{FourValues, GlFunctions, PixelSize, UniqueName, int};
use crate::workarounds::Remedy;
use table::STATE;

/// Bindings of one texture unit.
#[derive(Clone, Copy, Default)]
struct TextureUnit {
    textures: [Option<UniqueName<glow::Texture>>; 2],
    sampler: Option<UniqueName<glow::Sampler>>,
}

/// The source of a vertex binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct VertexSource {
    buffer: UniqueName<glow::Buffer>,
    offset: u32,
    stride: u32,
    divisor: u32,
}

/// The format of an attribute, its offset in the binding in bytes, and the binding.
type AttributeFormat = (VertexFormat, u32, usize);

/// The stencil state of a face for GL: function, reference, mask; then the actions for fail, depth fail, pass.
type Stencil = ((u32, i32, u32), (u32, u32, u32));

/// The properties of the context on which the values in the state table depend.
pub(crate) struct StateInputs<'a> {
    pub(crate) caps: &'a GlCaps,
    /// The vertex array that is always bound.
    pub(crate) vertex_array: glow::VertexArray,
    /// True if the context's debug log is read.
    pub(crate) debug_log: bool,
    pub(crate) window: WindowDefaults,
}

/// Initial GL state that depends on the host's window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowDefaults {
    viewport: [i32; 4],
    scissor: [i32; 4],
}

impl WindowDefaults {
    pub(crate) fn query(gl: &GlFunctions) -> Self {
        Self {
            viewport: gl.rectangle(FourValues::Viewport),
            scissor: gl.rectangle(FourValues::ScissorBox),
        }
    }
}

/// The cached state of the context. All state changes go through this cache.
pub(crate) struct Shadow {
    gl: Rc<GlFunctions>,
    /// [`GlFunctions::problems`] at the last reset. A later GL error may mean that a call has not set its state.
    problems: u64,
    desktop: bool,
    upload_unit: u32,
    /// True if vertex formats are set separately from buffers: [`Remedy::AttributePointers`] isn't active.
    bindings_apart: bool,
    known: StateCache,
}

/// State that was set since the last reset; `None` for unknown values.
#[derive(Default)]
struct StateCache {
    program: Option<UniqueName<glow::Program>>,
    draw_framebuffer: Option<UniqueName<glow::Framebuffer>>,
    /// The draw buffers of the bound draw framebuffer.
    outputs: Option<u8>,
    read_framebuffer: Option<UniqueName<glow::Framebuffer>>,
    viewport: Option<PixelSize>,
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
    /// The last draw's state; `None` if other code has changed a field between `blend` and `fill`.
    pipeline: Option<PipelineId>,
    active_unit: Option<u32>,
    units: [TextureUnit; MAX_SAMPLERS],
    /// The last texture that was bound to the unit for uploads.
    edited: Option<UniqueName<glow::Texture>>,
    array_buffer: Option<UniqueName<glow::Buffer>>,
    index_buffer: Option<UniqueName<glow::Buffer>>,
    enabled_attributes: u16,
    /// Attributes set with [`Remedy::AttributePointers`]. Entries include GL buffers: two backends may use equal keys.
    attributes: [Option<(Stream, UniqueName<glow::Buffer>)>; MAX_STREAMS],
    divisors: [u32; MAX_STREAMS],
    /// The source of each vertex binding.
    sources: [Option<VertexSource>; MAX_STREAMS],
    formats: [Option<AttributeFormat>; MAX_STREAMS],
}

impl Shadow {
    /// Creates a cache of unknown state. Call [`Shadow::reset`] next.
    pub(crate) fn new(gl: Rc<GlFunctions>, caps: &GlCaps) -> Self {
        Self {
            problems: gl.problems(),
            gl,
            desktop: !caps.es,
            upload_unit: caps.upload_unit,
            bindings_apart: !caps.needs(Remedy::AttributePointers),
            known: StateCache::default(),
        }
    }

    /// Invalidates the cache, and sets the state that never changes afterwards.
    pub(crate) fn reset(&mut self, inputs: &StateInputs<'_>) {
        self.gl.set_indices(None);
        self.forget();
        table::set_all(&self.gl, inputs, false);
    }

    /// Returns whether the cached state can be trusted: no GL error has occurred since the last reset.
    #[inline]
    pub(crate) fn is_valid(&self) -> bool {
        self.problems == self.gl.problems()
    }

    /// Sets all state to GL's defaults, and invalidates the cache.
    pub(crate) fn reset_to_gl_defaults(&mut self, inputs: &StateInputs<'_>) {
        table::set_all(&self.gl, inputs, true);
        self.forget();
    }

    fn forget(&mut self) {
        (self.problems, self.known) = (self.gl.problems(), StateCache::default());
    }

    fn capability(&self, known: Option<bool>, capability: u32, on: bool) -> Option<bool> {
        if known != Some(on) {
            set(&self.gl, capability, on);
        }
        Some(on)
    }

    /// Sets the framebuffer for draws and clears.
    #[inline]
    pub(crate) fn draw_framebuffer(&mut self, framebuffer: UniqueName<glow::Framebuffer>) {
        if self.known.draw_framebuffer != Some(framebuffer) {
            self.gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(framebuffer.name));
            self.known.draw_framebuffer = Some(framebuffer);
            self.known.outputs = None;
        }
    }

    /// Corrupts the cache, to test that tests detect it: records this framebuffer as bound without binding it.
    #[cfg(all(test, feature = "offscreen"))]
    pub(crate) fn corrupt_for_test(&mut self, framebuffer: UniqueName<glow::Framebuffer>) {
        self.known.draw_framebuffer = Some(framebuffer);
    }

    /// Disables the scissor test and all write masks, which would restrict a clear or a blit.
    pub(crate) fn disable_masks(&mut self) {
        let open = (Some(false), Some([true; 4]), Some(true), Some(u8::MAX.into()));
        // If no mask or scissor restricts writes, the cached pipeline state stays valid.
        if (
            self.known.scissor_test,
            self.known.color_mask,
            self.known.depth_write,
            self.known.stencil_mask,
        ) != open
        {
            self.known.pipeline = None;
            self.scissor(None);
            self.color_mask([true; 4]);
            self.depth_write(true);
            self.stencil_mask(u32::from(u8::MAX));
        }
    }

    /// Sets the scissor rectangle; `None` disables the test. Rows count from the top, like in memory, so that no flip
    /// is needed.
    pub(crate) fn scissor(&mut self, scissor: Option<Scissor>) {
        self.known.scissor_test =
            self.capability(self.known.scissor_test, glow::SCISSOR_TEST, scissor.is_some());
        if let Some(new) = scissor
            && self.known.scissor != scissor
        {
            let [x, y, width, height] = [new.x, new.y, new.width, new.height].map(int);
            self.gl.scissor(x, y, width, height);
            self.known.scissor = scissor;
        }
    }

    /// Sets the fixed-function state of a draw.
    #[inline]
    pub(crate) fn pipeline(&mut self, state: &PipelineState) {
        if self.known.pipeline != Some(state.id) {
            self.raster(&state.raster);
            self.known.pipeline = Some(state.id);
        }
    }

    /// Sets fixed-function state.
    pub(crate) fn raster(&mut self, raster: &Raster) {
        self.known.pipeline = None;
        self.color_mask(raster.color_mask);
        self.blend(raster.blend);
        self.depth(raster.depth_write, raster.depth_compare);
        self.stencil(raster);
        self.cull(convert::cull_face(raster.cull));
        if self.desktop && self.known.fill != Some(raster.fill) {
            let mode = match raster.fill {
                FillMode::Solid => glow::FILL,
                FillMode::Wireframe => glow::LINE,
            };
            self.gl.polygon_mode(glow::FRONT_AND_BACK, mode);
            self.known.fill = Some(raster.fill);
        }
    }

    fn blend(&mut self, (source, destination): (BlendFactor, BlendFactor)) {
        // Disabled blending has the effect of the factors one and zero, and is faster.
        let new = ((source, destination) != (BlendFactor::One, BlendFactor::Zero))
            .then(|| (convert::blend_factor(source), convert::blend_factor(destination)));
        if self.known.blend == Some(new) {
            return;
        }
        let was_on = self.known.blend.map(|blend| blend.is_some());
        self.capability(was_on, glow::BLEND, new.is_some());
        if let Some((source, destination)) = new
            && self.known.blend_func != new
        {
            self.gl.blend_func(source, destination);
            self.known.blend_func = new;
        }
        self.known.blend = Some(new);
    }

    fn depth(&mut self, write: bool, compare: CompareMode) {
        // GL writes depth only while the test is enabled, so that a test with "always" can be disabled only if depth
        // isn't written.
        let test = write || compare != CompareMode::Always;
        self.known.depth_test = self.capability(self.known.depth_test, glow::DEPTH_TEST, test);
        if !test {
            return;
        }
        self.depth_write(write);
        self.depth_func(convert::compare(compare));
    }

    fn stencil(&mut self, raster: &Raster) {
        let test = does_something(&raster.stencil_front) || does_something(&raster.stencil_back);
        self.known.stencil_test =
            self.capability(self.known.stencil_test, glow::STENCIL_TEST, test);
        if !test {
            return;
        }
        self.stencil_mask(u32::from(raster.stencil_write_mask));
        let faces = [(glow::FRONT, &raster.stencil_front), (glow::BACK, &raster.stencil_back)];
        for ((face, state), known) in faces.into_iter().zip(&mut self.known.stencil) {
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
        if self.known.cull == Some(face) {
            return;
        }
        let was_on = self.known.cull.map(|cull| cull.is_some());
        self.capability(was_on, glow::CULL_FACE, face.is_some());
        if let Some(new) = face
            && self.known.cull_face != face
        {
            self.gl.cull_face(new);
            self.known.cull_face = face;
        }
        self.known.cull = Some(face);
    }
}

/// Defines setters that call GL only if the value differs from the cached value in the field.
macro_rules! cached_setters {
    ($($(#[$doc:meta])* $field:ident($value:ident: $type:ty) = |$gl:ident| $call:expr;)+) => {
        impl Shadow {$(
            $(#[$doc])*
            #[inline]
            pub(crate) fn $field(&mut self, $value: $type) {
                if self.known.$field != Some($value) {
                    let $gl = &self.gl;
                    $call;
                    self.known.$field = Some($value);
                }
            }
        )+}
    };
}

cached_setters! {
    /// `glUseProgram`
    program(program: UniqueName<glow::Program>) = |gl| gl.use_program(Some(program.name));
    /// Sets the colour outputs of the bound draw framebuffer that draws and clears change. A framebuffer with only the
    /// first output needs no call.
    outputs(set: u8) = |gl| gl.draw_buffers(set);
    /// Sets the framebuffer for blits and reads.
    read_framebuffer(framebuffer: UniqueName<glow::Framebuffer>)
        = |gl| gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(framebuffer.name));
    /// Sets the viewport, which is always the whole target.
    viewport(size: PixelSize) = |gl| gl.viewport(0, 0, size.width, size.height);
    /// `glColorMask` for red, green, blue and alpha.
    color_mask(mask: [bool; 4]) = |gl| gl.color_mask(mask[0], mask[1], mask[2], mask[3]);
    /// `glDepthMask`
    depth_write(write: bool) = |gl| gl.depth_mask(write);
    /// `glDepthFunc`
    depth_func(func: u32) = |gl| gl.depth_func(func);
    /// `glStencilMask`
    stencil_mask(mask: u32) = |gl| gl.stencil_mask(mask);
    /// The active texture unit.
    active_unit(unit: u32) = |gl| gl.active_texture(glow::TEXTURE0.saturating_add(unit));
}

/// Returns the names of all cached GL state, each once.
pub fn state_names() -> impl Iterator<Item = &'static str> {
    let before = |end: usize| STATE.iter().take(end);
    let first = move |(at, row): &(usize, &table::StateRow)| {
        !before(*at).any(|earlier| earlier.name == row.name)
    };
    let rows = STATE.iter().enumerate().filter(first);
    rows.map(|(_, row)| row.name)
}

fn set(gl: &GlFunctions, capability: u32, on: bool) {
    if on {
        gl.enable(capability);
    } else {
        gl.disable(capability);
    }
}

/// Returns whether a face's stencil test can reject a fragment or change a value.
fn does_something(face: &StencilFace) -> bool {
    face.compare != CompareMode::Always
        || face.both_pass != StencilAction::Keep
        || face.depth_fail != StencilAction::Keep
}
