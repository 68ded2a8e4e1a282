//! The float render targets of fragment programs, and their readback.

use backend_gl::glow;
use backend_gl::internals::{
    Gl, GlCaps, Handle, KEEP, REPLACE_COLOR, Rect, Texels, complete, covering_program,
};
use std::rc::Rc;

use context3d::backend::BackendError;
use context3d::enums::{CompareMode, StencilAction};
use context3d::packets::{Raster, StencilFace};

use super::fragment::{Area, FragmentResults};
use super::texture::{EXACT, edit_texture};
use super::{Probe, ProbeError, dialect};

/// Width and height of the render targets in pixels.
pub(super) const SIDE: u16 = 256;
/// Number of colour outputs.
const OUTPUTS: u32 = 4;
/// The stencil value of pixels that weren't discarded.
const KEPT: u8 = 1;

/// Writes 1 for every pixel that passes the stencil test.
const COVERAGE: &str = "
layout(location = 0) out vec4 color;
void main() {
    color = vec4(1.0);
}
";

/// Copies depth to a colour target: OpenGL ES can't read back a depth buffer.
const DEPTH: &str = "
uniform sampler2D source;
layout(location = 0) out vec4 color;
void main() {
    color = vec4(texelFetch(source, ivec2(gl_FragCoord.xy), 0).r);
}
";

/// The format of float render targets and of float textures.
pub(super) const FLOATS: Texels = Texels {
    internal: glow::RGBA32F,
    render_buffer: glow::RGBA32F,
    format: glow::RGBA,
    data_type: glow::FLOAT,
    bytes: 16,
};

/// The depth and stencil format.
const DEPTH32F: Texels = Texels {
    internal: glow::DEPTH32F_STENCIL8,
    render_buffer: glow::DEPTH32F_STENCIL8,
    format: glow::DEPTH_STENCIL,
    data_type: glow::FLOAT_32_UNSIGNED_INT_24_8_REV,
    bytes: 8,
};

/// Results that are wanted besides colours.
#[derive(Clone, Copy)]
pub(super) struct Extra {
    /// The depth buffer.
    pub(super) depth: bool,
    /// Which pixels weren't discarded.
    pub(super) coverage: bool,
}

/// A framebuffer with float render targets, which it keeps alive.
struct Surface {
    framebuffer: Handle<glow::Framebuffer>,
    _colors: Vec<Handle<glow::Texture>>,
}

/// All framebuffers of a probe.
pub(super) struct Grid {
    outputs: Surface,
    /// Coverage, with the same stencil buffer attached.
    coverage: Surface,
    /// A colour target for the copy of the depth buffer.
    depth_copy: Surface,
    depth: Handle<glow::Texture>,
    draw_coverage: Handle<glow::Program>,
    draw_depth: Handle<glow::Program>,
    /// The texture of [`dialect::VALUES`]; made at its first use, since most dialects don't need it.
    values: Option<Handle<glow::Texture>>,
}

impl Grid {
    /// Creates all framebuffers, textures and programs.
    pub(super) fn create(gl: &Rc<Gl>, caps: &GlCaps) -> Result<Self, BackendError> {
        let depth = storage(gl, caps, &DEPTH32F, SIDE)?;
        let surface = |colors, depth| Surface::create(gl, caps, colors, depth);
        let grid = Self {
            outputs: surface(OUTPUTS, Some(&depth))?,
            coverage: surface(1, Some(&depth))?,
            depth_copy: surface(1, None)?,
            depth,
            draw_coverage: covering_program(gl, caps, COVERAGE)?,
            draw_depth: covering_program(gl, caps, DEPTH)?,
            values: None,
        };
        gl.check("making float targets")?;
        Ok(grid)
    }

    /// Binds the outputs' framebuffer. Even transform feedback needs a complete framebuffer.
    pub(super) fn bind(&self, gl: &Gl) {
        self.outputs.bind(gl);
    }
}

fn storage(
    gl: &Rc<Gl>,
    caps: &GlCaps,
    texels: &Texels,
    height: u16,
) -> Result<Handle<glow::Texture>, BackendError> {
    let texture: Handle<glow::Texture> = Handle::create(gl)?;
    let target = glow::TEXTURE_2D;
    edit_texture(gl, caps, target, texture.name());
    let size = Rect::new(SIDE.into(), height.into());
    gl.tex_image(target, 0, size, texels, None)?;
    gl.tex_parameter(target, glow::TEXTURE_MAX_LEVEL, 0);
    Ok(texture)
}

impl Surface {
    fn create(
        gl: &Rc<Gl>,
        caps: &GlCaps,
        colors: u32,
        depth: Option<&Handle<glow::Texture>>,
    ) -> Result<Self, BackendError> {
        let gl = gl.attempt()?;
        let framebuffer: Handle<glow::Framebuffer> = Handle::create(&gl)?;
        let target = glow::DRAW_FRAMEBUFFER;
        gl.bind_framebuffer(target, Some(framebuffer.name()));
        let colors: Vec<_> =
            (0..colors).map(|_| storage(&gl, caps, &FLOATS, SIDE)).collect::<Result<_, _>>()?;
        let attach = |attachment, texture: &Handle<glow::Texture>| {
            let face = glow::TEXTURE_2D;
            gl.framebuffer_texture(target, attachment, face, Some(texture.name()), 0);
        };
        for (attachment, color) in (glow::COLOR_ATTACHMENT0..).zip(&colors) {
            attach(attachment, color);
        }
        if let Some(depth) = depth {
            attach(glow::DEPTH_STENCIL_ATTACHMENT, depth);
        }
        complete(&gl, "float targets")?;
        Ok(Self { framebuffer, _colors: colors })
    }

    fn bind(&self, gl: &Gl) {
        gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(self.framebuffer.name()));
    }
}

impl Probe {
    /// Uploads the per-pixel values of varying `n` to the texture that [`dialect::flattened`] reads.
    pub(super) fn upload_values(&mut self, n: u16, values: &[[f32; 4]]) -> Result<(), ProbeError> {
        let gl = &self.gl;
        let texture = match &self.grid.values {
            Some(texture) => texture.name(),
            None => {
                let height = dialect::ROWS_OF_A_VARYING.saturating_mul(dialect::VARYINGS);
                let new = storage(gl, &self.caps, &FLOATS, height)?;
                self.grid.values.insert(new).name()
            }
        };
        let unit = self.caps.upload_unit;
        self.bind_unit(unit, glow::TEXTURE_2D, texture, EXACT)?;
        let width = values.len().min(SIDE.into());
        let rows = values.len().div_ceil(width.max(1));
        let floats = values.as_flattened().iter();
        let mut bytes: Vec<u8> = floats.flat_map(|float| float.to_ne_bytes()).collect();
        bytes.resize(width.saturating_mul(rows).saturating_mul(FLOATS.bytes), 0);
        let size = Rect {
            width: i32::try_from(width).unwrap_or(0),
            height: i32::try_from(rows).unwrap_or(0),
        };
        let top = dialect::ROWS_OF_A_VARYING.saturating_mul(n);
        let (target, texels) = (glow::TEXTURE_2D, &FLOATS);
        self.gl.tex_sub_image(target, 0, top.into(), size, texels, &bytes)?;
        Ok(())
    }

    /// Draws the staged vertices with the current program, then makes what `extra` asks for.
    pub(super) fn draw_grid(
        &mut self,
        area: &Area,
        outputs: u8,
        extra: Extra,
    ) -> Result<(), ProbeError> {
        let (gl, grid, shadow) = (&self.gl, &self.grid, &mut self.shadow);
        shadow.viewport(area.viewport);
        grid.outputs.bind(gl);
        gl.draw_buffers(&draw_buffers(outputs));
        if extra.coverage {
            shadow.open_all();
            gl.clear_depth_stencil(None, Some(0));
        }
        let mark = StencilFace { both_pass: StencilAction::Set, ..KEEP };
        let mark = if extra.coverage { mark } else { KEEP };
        shadow.raster(&Raster { depth_write: extra.depth, ..stencil(mark) });
        gl.draw_arrays(area.mode, 0, area.vertices);
        if extra.coverage {
            grid.coverage.bind(gl);
            shadow.open_all();
            gl.clear_color(0, &[0.0; 4]);
            let test = StencilFace { compare: CompareMode::Equal, ..KEEP };
            shadow.raster(&stencil(test));
            shadow.enabled_attributes(0);
            gl.use_program(Some(grid.draw_coverage.name()));
            gl.draw_arrays(glow::TRIANGLES, 0, 3);
        }
        if extra.depth {
            grid.depth_copy.bind(gl);
            shadow.raster(&REPLACE_COLOR);
            shadow.enabled_attributes(0);
            gl.use_program(Some(grid.draw_depth.name()));
            let depth = grid.depth.name();
            self.bind_unit(0, glow::TEXTURE_2D, depth, EXACT)?;
            self.gl.draw_arrays(glow::TRIANGLES, 0, 3);
        }
        Ok(())
    }

    /// Reads back all results.
    pub(super) fn read_grid(
        &mut self,
        area: &Area,
        outputs: u8,
        extra: Extra,
    ) -> Result<FragmentResults, ProbeError> {
        let mut results = FragmentResults::default();
        let (gl, grid) = (&self.gl, &self.grid);
        let bytes = area.read.bytes(FLOATS.bytes).unwrap_or(usize::MAX);
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

        let buffer = self.output.name();
        let total = i32::try_from(bytes.saturating_mul(images.len())).unwrap_or(i32::MAX);
        gl.bind_buffer(glow::COPY_READ_BUFFER, Some(buffer));
        gl.buffer_data_size(glow::COPY_READ_BUFFER, total, glow::STREAM_READ);
        let offsets = (0..).step_by(bytes.max(1));
        for (&(surface, attachment), offset) in images.iter().zip(offsets) {
            let name = Some(surface.framebuffer.name());
            gl.bind_framebuffer(glow::READ_FRAMEBUFFER, name);
            gl.read_buffer(attachment);
            gl.pack_floats(buffer, area.read, offset);
        }
        let pixels = bytes / FLOATS.bytes;
        self.staging.clear();
        self.staging.resize(pixels.saturating_mul(images.len()), [0.0; 4]);
        gl.read_back(buffer, &mut self.staging)?;
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

/// The framebuffer's draw buffers for the bit set `outputs` of colour outputs.
fn draw_buffers(outputs: u8) -> [u32; OUTPUTS as usize] {
    let mut buffers = [glow::NONE; OUTPUTS as usize];
    for (n, buffer) in (0..OUTPUTS).zip(&mut buffers) {
        if outputs & 1u8.checked_shl(n).unwrap_or(0) != 0 {
            *buffer = glow::COLOR_ATTACHMENT0.saturating_add(n);
        }
    }
    buffers
}

/// Raster state with the same stencil state for both faces and [`KEPT`] as the reference value.
fn stencil(face: StencilFace) -> Raster {
    Raster { stencil_front: face, stencil_back: face, stencil_reference: KEPT, ..REPLACE_COLOR }
}
