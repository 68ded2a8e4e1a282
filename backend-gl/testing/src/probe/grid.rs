//! The float render targets of fragment programs, and their readback.

use backend_gl::glow;
use std::rc::Rc;

use context3d::backend::BackendError;

use super::dialect::SIDE;
use super::gl::{DriverSize, ProbeGl, ProbeHandle};
use super::program::link_failed;
use super::texture::{EXACT, UPLOAD_UNIT, edit_texture};
use super::{ShaderRunError, ShaderRunner, dialect};

const OUTPUTS: u32 = 4;
/// The stencil value of pixels that weren't discarded.
const KEPT: i32 = 1;

/// Vertex shader without inputs: one triangle that covers the target.
const VERTEX: &str = "
void main() {
    gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}
";

/// Fragment shader that writes 1 for every pixel that passes the stencil test.
const COVERAGE: &str = "
layout(location = 0) out vec4 color;
void main() {
    color = vec4(1.0);
}
";

/// Fragment shader that copies depth to a colour target, because OpenGL ES can't read back a depth buffer.
const DEPTH: &str = "
uniform sampler2D source;
layout(location = 0) out vec4 color;
void main() {
    color = vec4(texelFetch(source, ivec2(gl_FragCoord.xy), 0).r);
}
";

/// Outputs of a fragment program for each pixel; 0 where the pixel was discarded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FragmentResults {
    colors: [Option<Vec<[f32; 4]>>; 4],
    depth: Option<Vec<f32>>,
    kept: Option<Vec<bool>>,
}

impl FragmentResults {
    /// Returns colour output `n`, one value per pixel; `None` if the program doesn't write it.
    pub fn color(&self, n: usize) -> Option<&[[f32; 4]]> {
        self.colors.get(n)?.as_deref()
    }

    /// Returns `od` of each pixel as stored in the depth buffer, from 0 to 1; `None` if the program doesn't write it.
    pub fn depth(&self) -> Option<&[f32]> {
        self.depth.as_deref()
    }

    /// Returns false for a pixel that `kil` discarded.
    pub fn is_kept(&self, pixel: usize) -> bool {
        match &self.kept {
            Some(kept) => kept.get(pixel).copied().unwrap_or(false),
            None => true,
        }
    }
}

/// The pixels of a run and how they are drawn.
pub(super) struct GridArea {
    pub(super) viewport: DriverSize,
    /// The rectangle that is read back.
    pub(super) read: DriverSize,
    /// Number of pixels with results, starting at the first pixel.
    pub(super) pixels: usize,
    pub(super) mode: u32,
    pub(super) vertices: i32,
}

/// Requested results in addition to colours.
#[derive(Clone, Copy)]
pub(super) struct RunExtras {
    pub(super) depth: bool,
    /// The pixels that weren't discarded.
    pub(super) coverage: bool,
}

/// A framebuffer with float render targets, which it keeps alive.
struct FloatTarget {
    framebuffer: ProbeHandle<glow::Framebuffer>,
    _colors: Vec<ProbeHandle<glow::Texture>>,
}

pub(super) struct ProbeGrid {
    outputs: FloatTarget,
    /// The coverage target, to which the depth and stencil buffer of `outputs` is attached.
    coverage: FloatTarget,
    /// A colour target for the copy of the depth buffer.
    depth_copy: FloatTarget,
    depth: ProbeHandle<glow::Texture>,
    draw_coverage: ProbeHandle<glow::Program>,
    draw_depth: ProbeHandle<glow::Program>,
    /// The texture of [`dialect::VALUES`], created at its first use, because most dialects don't need it.
    values: Option<ProbeHandle<glow::Texture>>,
}

impl ProbeGrid {
    pub(super) fn create(gl: &Rc<ProbeGl>) -> Result<Self, BackendError> {
        let depth = storage(gl, true, SIDE)?;
        let surface = |colors, depth| FloatTarget::create(gl, colors, depth);
        let grid = Self {
            outputs: surface(OUTPUTS, Some(&depth))?,
            coverage: surface(1, Some(&depth))?,
            depth_copy: surface(1, None)?,
            depth,
            draw_coverage: covering_program(gl, COVERAGE)?,
            draw_depth: covering_program(gl, DEPTH)?,
            values: None,
        };
        gl.check("creating float targets")?;
        Ok(grid)
    }

    /// Binds the outputs' framebuffer. Even transform feedback needs a complete framebuffer.
    pub(super) fn bind(&self, gl: &ProbeGl) {
        self.outputs.bind(gl);
    }
}

/// Creates a texture for floats, or for depth and stencil.
fn storage(
    gl: &Rc<ProbeGl>,
    depth: bool,
    height: u16,
) -> Result<ProbeHandle<glow::Texture>, BackendError> {
    let texture = gl.create_texture()?;
    edit_texture(gl, glow::TEXTURE_2D, texture.name());
    gl.tex_storage(glow::TEXTURE_2D, DriverSize::new(SIDE.into(), height.into()), depth);
    gl.tex_parameter_i32(glow::TEXTURE_2D, glow::TEXTURE_MAX_LEVEL, 0);
    Ok(texture)
}

/// Builds a program that draws one triangle over the whole target with this fragment shader, which has no version line.
fn covering_program(
    gl: &Rc<ProbeGl>,
    fragment: &str,
) -> Result<ProbeHandle<glow::Program>, BackendError> {
    let version = if gl.version().1 { "300 es" } else { "330" };
    let source = |body| {
        format!("#version {version}\nprecision highp float;\nprecision highp sampler2D;\n{body}")
    };
    let program = gl.create_program()?;
    for (kind, stage, body) in
        [(glow::VERTEX_SHADER, "vertex", VERTEX), (glow::FRAGMENT_SHADER, "fragment", fragment)]
    {
        gl.attach_shader(program.name(), gl.compile(kind, stage, &source(body))?.name());
    }
    gl.link_program(program.name());
    if gl.get_program_link_status(program.name()) {
        Ok(program)
    } else {
        Err(link_failed(gl, program.name(), source(fragment)))
    }
}

impl FloatTarget {
    fn create(
        gl: &Rc<ProbeGl>,
        colors: u32,
        depth: Option<&ProbeHandle<glow::Texture>>,
    ) -> Result<Self, BackendError> {
        let framebuffer = gl.create_framebuffer()?;
        let target = glow::DRAW_FRAMEBUFFER;
        gl.bind_framebuffer(target, Some(framebuffer.name()));
        let colors: Vec<_> =
            (0..colors).map(|_| storage(gl, false, SIDE)).collect::<Result<_, _>>()?;
        let attach = |attachment, texture: &ProbeHandle<glow::Texture>| {
            let face = glow::TEXTURE_2D;
            gl.framebuffer_texture_2d(target, attachment, face, Some(texture.name()), 0);
        };
        for (attachment, color) in (glow::COLOR_ATTACHMENT0..).zip(&colors) {
            attach(attachment, color);
        }
        if let Some(depth) = depth {
            attach(glow::DEPTH_STENCIL_ATTACHMENT, depth);
        }
        match gl.check_framebuffer_status(target) {
            glow::FRAMEBUFFER_COMPLETE => Ok(Self { framebuffer, _colors: colors }),
            status => Err(BackendError::Driver(format!("float targets: status {status:#06x}"))),
        }
    }

    fn bind(&self, gl: &ProbeGl) {
        gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(self.framebuffer.name()));
    }
}

impl ShaderRunner {
    /// Uploads the per-pixel values of varying `n` to the texture that [`dialect::flattened`] reads.
    pub(super) fn upload_values(
        &mut self,
        n: u16,
        values: &[[f32; 4]],
    ) -> Result<(), ShaderRunError> {
        let texture = match &self.grid.values {
            Some(texture) => texture.name(),
            None => {
                let height = dialect::ROWS_OF_A_VARYING.saturating_mul(dialect::VARYINGS);
                self.grid.values.insert(storage(&self.gl, false, height)?).name()
            }
        };
        self.bind_unit(UPLOAD_UNIT, glow::TEXTURE_2D, texture, EXACT)?;
        let width = values.len().min(SIDE.into());
        let rows = values.len().div_ceil(width.max(1));
        let mut values = values.to_vec();
        values.resize(width.saturating_mul(rows), [0.0; 4]);
        let side = |side| u32::try_from(side).unwrap_or(0);
        let top = dialect::ROWS_OF_A_VARYING.saturating_mul(n);
        self.gl.tex_sub_image(top.into(), DriverSize::new(side(width), side(rows)), &values)?;
        Ok(())
    }

    /// Draws the staged vertices with the current program, then the requested extra results.
    pub(super) fn draw_grid(
        &mut self,
        area: &GridArea,
        outputs: u8,
        extra: RunExtras,
    ) -> Result<(), ShaderRunError> {
        let (gl, grid) = (&self.gl, &self.grid);
        let (keep, all) = (glow::KEEP, u32::MAX);
        gl.viewport(0, 0, area.viewport.width, area.viewport.height);
        grid.outputs.bind(gl);
        gl.draw_buffers(&draw_buffers(outputs));
        if extra.coverage {
            gl.clear_stencil();
            gl.enable(glow::STENCIL_TEST);
            gl.stencil_func(glow::ALWAYS, KEPT, all);
            gl.stencil_op(keep, keep, glow::REPLACE);
        }
        if extra.depth {
            gl.enable(glow::DEPTH_TEST);
            gl.depth_func(glow::ALWAYS);
        }
        gl.draw_arrays(area.mode, 0, area.vertices);
        gl.disable(glow::DEPTH_TEST);
        gl.attributes(0);
        if extra.coverage {
            grid.coverage.bind(gl);
            gl.clear_color();
            gl.stencil_func(glow::EQUAL, KEPT, all);
            gl.stencil_op(keep, keep, keep);
            gl.use_program(Some(grid.draw_coverage.name()));
            gl.draw_arrays(glow::TRIANGLES, 0, 3);
            gl.disable(glow::STENCIL_TEST);
        }
        if extra.depth {
            grid.depth_copy.bind(gl);
            gl.use_program(Some(grid.draw_depth.name()));
            let depth = grid.depth.name();
            self.bind_unit(0, glow::TEXTURE_2D, depth, EXACT)?;
            self.gl.draw_arrays(glow::TRIANGLES, 0, 3);
        }
        Ok(())
    }

    pub(super) fn read_grid(
        &mut self,
        area: &GridArea,
        outputs: u8,
        extra: RunExtras,
    ) -> Result<FragmentResults, ShaderRunError> {
        let mut results = FragmentResults::default();
        let (gl, grid) = (&self.gl, &self.grid);
        let mut images = Vec::new();
        for n in 0..OUTPUTS {
            if outputs & 1u8.checked_shl(n).unwrap_or(0) != 0 {
                images.push((&grid.outputs, glow::COLOR_ATTACHMENT0.saturating_add(n)));
            }
        }
        let coverage = extra.coverage.then_some(&grid.coverage);
        let depth = extra.depth.then_some(&grid.depth_copy);
        let extras = coverage.into_iter().chain(depth);
        images.extend(extras.map(|surface| (surface, glow::COLOR_ATTACHMENT0)));

        let pixels = area.read.pixels();
        self.staging.clear();
        self.staging.resize(pixels.saturating_mul(images.len()), [0.0; 4]);
        let staged = self.staging.chunks_exact_mut(pixels.max(1));
        for ((surface, attachment), out) in images.into_iter().zip(staged) {
            gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(surface.framebuffer.name()));
            gl.read_buffer(attachment);
            gl.read_pixels(area.read, out)?;
        }
        gl.check("running a fragment program")?;

        let mut images = self.staging.chunks_exact(pixels.max(1));
        let mut next = || {
            let image = images.next().unwrap_or(&[]);
            image.get(..area.pixels).unwrap_or(image).to_vec()
        };
        for (n, color) in (0u32..).zip(&mut results.colors) {
            if outputs & 1u8.checked_shl(n).unwrap_or(0) != 0 {
                *color = Some(next());
            }
        }
        if extra.coverage {
            results.kept = Some(next().iter().map(|pixel| pixel[0] != 0.0).collect());
        }
        if extra.depth {
            results.depth = Some(next().iter().map(|pixel| pixel[0]).collect());
        }
        blank(&mut results);
        Ok(results)
    }
}

/// Sets discarded pixels to 0: their texels still hold results of earlier runs.
fn blank(results: &mut FragmentResults) {
    let Some(kept) = &results.kept else {
        return;
    };
    for color in results.colors.iter_mut().flatten() {
        for (value, kept) in color.iter_mut().zip(kept) {
            if !kept {
                *value = [0.0; 4];
            }
        }
    }
    for (value, kept) in results.depth.iter_mut().flatten().zip(kept) {
        if !kept {
            *value = 0.0;
        }
    }
}

/// Returns the framebuffer's draw buffers for a set of colour outputs.
fn draw_buffers(outputs: u8) -> [u32; OUTPUTS as usize] {
    let mut buffers = [glow::NONE; OUTPUTS as usize];
    for (n, buffer) in (0..OUTPUTS).zip(&mut buffers) {
        if outputs & 1u8.checked_shl(n).unwrap_or(0) != 0 {
            *buffer = glow::COLOR_ATTACHMENT0.saturating_add(n);
        }
    }
    buffers
}
