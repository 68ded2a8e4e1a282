//! Vertex programs, run through transform feedback.

use backend_gl::glow;
use context3d::agal::Interface;

use super::texture::SamplerBinding;
use super::{MAX_INVOCATIONS, ShaderRunError, ShaderRunner, VertexProgram, dialect};

#[derive(Clone, Copy, Debug)]
pub struct VertexRun<'a> {
    pub vertices: usize,
    /// Number of instances; `iid` counts from 0. 1 for a program that doesn't use it.
    pub instances: usize,
    /// One value per vertex, by attribute register; registers that the program doesn't read may be empty or missing.
    pub attributes: &'a [&'a [[f32; 4]]],
    /// `vc0`, `vc1`, …; missing registers are 0.
    pub constants: &'a [[f32; 4]],
    /// Textures by sampler register (AGAL 4).
    pub textures: &'a [Option<SamplerBinding<'a>>],
}

/// Outputs of a vertex program for each vertex of the first instance, then of the second, …
#[derive(Clone, Debug, PartialEq)]
pub struct VertexResults {
    varyings: u16,
    stride: usize,
    values: Vec<[f32; 4]>,
}

impl VertexResults {
    /// Returns the number of invocations: vertices times instances.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.stride).unwrap_or(0)
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the output position (`op`) of an invocation.
    pub fn position(&self, invocation: usize) -> Option<[f32; 4]> {
        self.column(invocation, 0)
    }

    /// Returns `v<n>` of an invocation; `None` also for a varying that the fragment program doesn't read.
    pub fn varying(&self, invocation: usize, n: u16) -> Option<[f32; 4]> {
        let column = dialect::bits(self.varyings).position(|bit| bit == n)?;
        self.column(invocation, column.checked_add(1)?)
    }

    fn column(&self, invocation: usize, column: usize) -> Option<[f32; 4]> {
        let start = invocation.checked_mul(self.stride)?;
        self.values.get(start.checked_add(column)?).copied()
    }
}

impl ShaderRunner {
    pub fn run_vertex(
        &mut self,
        program: &VertexProgram,
        run: &VertexRun<'_>,
    ) -> Result<VertexResults, ShaderRunError> {
        self.ready()?;
        let interface = &program.common.interface;
        let invocations = run.vertices.saturating_mul(run.instances);
        if run.vertices.max(invocations) > MAX_INVOCATIONS || run.instances > MAX_INVOCATIONS {
            return Err(ShaderRunError::Input(format!(
                "{} vertices of {} instances are more than {MAX_INVOCATIONS} invocations",
                run.vertices, run.instances
            )));
        }
        let mut results = VertexResults {
            varyings: interface.varyings,
            stride: dialect::bits(interface.varyings).count().saturating_add(1),
            values: Vec::new(),
        };
        results.values.resize(invocations.saturating_mul(results.stride), [0.0; 4]);
        if invocations == 0 {
            return Ok(results);
        }
        self.set_program(&program.common, run.constants)?;
        self.bind_textures(&interface.vertex_samplers, run.textures)?;
        self.upload_attributes(interface, run)?;
        self.draw_into_buffer(run, &mut results.values)?;
        Ok(results)
    }

    fn upload_attributes(
        &mut self,
        interface: &Interface,
        run: &VertexRun<'_>,
    ) -> Result<(), ShaderRunError> {
        // A compatibility context draws nothing without attribute 0, so that the attribute is always enabled.
        let set = interface.attributes | 1;
        let mut columns = Vec::new();
        for n in dialect::bits(set) {
            if interface.attributes & (1 << n) == 0 {
                columns.push(None);
                continue;
            }
            let values = run.attributes.get(usize::from(n)).copied().unwrap_or(&[]);
            if values.len() < run.vertices {
                return Err(ShaderRunError::Input(format!(
                    "attribute {n} has {} values for {} vertices",
                    values.len(),
                    run.vertices
                )));
            }
            columns.push(Some(values));
        }
        self.staging.clear();
        for vertex in 0..run.vertices {
            let values = columns.iter().map(|column| {
                let value = column.and_then(|values| values.get(vertex));
                value.copied().unwrap_or_default()
            });
            self.staging.extend(values);
        }
        self.set_attributes(set);
        Ok(())
    }

    /// Uploads `staging`, which contains the attributes whose bits are set in `set`, interleaved by vertex.
    pub(super) fn set_attributes(&mut self, set: u16) {
        let gl = &self.gl;
        gl.bind_buffer(glow::ARRAY_BUFFER, Some(self.input.name()));
        gl.buffer_data(glow::ARRAY_BUFFER, &self.staging, glow::STREAM_DRAW);
        gl.attributes(set);
    }

    fn draw_into_buffer(
        &mut self,
        run: &VertexRun<'_>,
        values: &mut [[f32; 4]],
    ) -> Result<(), ShaderRunError> {
        let gl = &self.gl;
        // The numbers of vertices and instances are at most MAX_INVOCATIONS, and a register has 16 bytes.
        let bytes = i32::try_from(std::mem::size_of_val(values)).unwrap_or(i32::MAX);
        let vertices = i32::try_from(run.vertices).unwrap_or(i32::MAX);
        let instances = i32::try_from(run.instances).unwrap_or(i32::MAX);
        let target = glow::TRANSFORM_FEEDBACK_BUFFER;
        gl.bind_buffer_base(target, 0, Some(self.output.name()));
        gl.buffer_data_size(target, bytes, glow::STREAM_READ);
        self.grid.bind(gl);
        gl.enable(glow::RASTERIZER_DISCARD);
        gl.begin_transform_feedback(glow::POINTS);
        gl.draw_arrays_instanced(glow::POINTS, 0, vertices, instances);
        gl.end_transform_feedback();
        gl.disable(glow::RASTERIZER_DISCARD);
        gl.bind_buffer_base(target, 0, None);
        gl.read_back(self.output.name(), values)?;
        Ok(gl.check("running a vertex program")?)
    }
}
