//! Writes all code around the statements: helpers, resources, entry point and locals.

use super::WgslResource;
use super::text::{INDEX, KILLED, NORMALIZE, TextWriter, WgslLanguage};
use super::writer::ShaderWriter as _;
use crate::float::FloatRules;
use crate::isa::register::RegisterFile;
use crate::isa::sampler::Dimension;
use crate::version::Stage;
use agal_core::float::GLSL_LARGEST;

/// The names of the structures with the outputs, by stage.
const RESULTS: [&str; 2] = ["VertexResult", "FragmentResult"];
const INSTANCE: &str = "instance";

impl TextWriter<'_, WgslLanguage> {
    /// Writes the module's helpers: the largest float, and functions for `nrm` and for the index of an indirect read.
    pub(super) fn helpers(&mut self) {
        let limited = self.shader.target.float_rules == FloatRules::Direct3D9;
        if self.largest || (self.shader.liveness.normalizes && limited) {
            self.out.put(&["const agal_largest: f32 = ", GLSL_LARGEST, ";\n"]);
        }
        if self.shader.liveness.normalizes {
            self.out.put(&["fn ", NORMALIZE, "(v: vec3f) -> vec3f {\n    return "]);
            self.normalized(|text| text.out.push('v'));
            self.out.push_str(";\n}\n");
        }
        if self.shader.liveness.indexes {
            self.out.put(&["fn ", INDEX, "(index: f32, offset: i32) -> i32 {\n    return "]);
            self.clamped_index(|it| it.out.push_str("index"), |it| it.out.push_str("offset"));
            self.out.push_str(";\n}\n");
        }
    }

    pub(super) fn resources(&mut self) {
        let (stage, count) = (self.shader.stage, self.shader.constants());
        if count > 0 {
            let binding = self.binding(WgslResource::Constants(stage));
            let name = RegisterFile::Constant.name(stage).unwrap_or_default();
            self.out.line(format_args!("{binding} var<uniform> {name}: array<vec4f, {count}>;"));
        }
        for sampler in self.shader.samplers() {
            let kind = match sampler.dimension {
                Dimension::TwoD => "texture_2d<f32>",
                Dimension::Cube => "texture_cube<f32>",
            };
            let number = sampler.register;
            let name = self.name_of(RegisterFile::Sampler, number);
            let binding = self.binding(WgslResource::Texture(stage, number));
            self.out.line(format_args!("{binding} var {name}: {kind};"));
            let binding = self.binding(WgslResource::Sampler(stage, number));
            self.out.line(format_args!("{binding} var {name}_sampler: sampler;"));
        }
    }

    fn binding(&self, resource: WgslResource) -> String {
        let place = (self.shader.target.bindings)(resource);
        format!("@group({}) @binding({})", place.group, place.binding)
    }

    /// Declares the outputs, and begins the entry point with its inputs and locals.
    pub(super) fn entry_point(&mut self) {
        let result = self.shader.of_stage(RESULTS);
        self.out.open(format_args!("struct {result} {{"));
        if self.shader.stage == Stage::Vertex {
            // Programs that compute the position in the same way must give equal bits [agal.position.invariant].
            self.out.line("@invariant @builtin(position) op: vec4f,");
        }
        for (file, number) in self.shader.outputs() {
            let output = self.located(file, number);
            self.out.line(output + ",");
        }
        if self.shader.writes_depth() {
            self.out.line("@builtin(frag_depth) od: f32,");
        }
        self.out.close();
        let stage = self.shader.of_stage(["vertex", "fragment"]);
        let entry = self.shader.of_stage(self.shader.target.entry_points);
        let inputs = self.shader.inputs();
        let mut inputs: String = inputs.map(|(file, n)| self.located(file, n) + ", ").collect();
        if self.shader.has_instance() {
            inputs += &format!("@builtin(instance_index) {INSTANCE}: u32");
        }
        self.out.open(format_args!("@{stage}\nfn {entry}({inputs}) -> {result} {{"));
        self.locals();
    }

    fn located(&mut self, file: RegisterFile, number: u16) -> String {
        format!("@location({number}) {}: vec4f", self.name_of(file, number))
    }

    fn name_of(&mut self, file: RegisterFile, number: u16) -> String {
        let start = self.out.text.len();
        self.register(file, number);
        self.out.text.split_off(start)
    }

    /// Declares locals, which WGSL initializes to zero.
    fn locals(&mut self) {
        for (file, number) in self.shader.variables() {
            let kind = if file == RegisterFile::DepthOutput { "f32" } else { "vec4f" };
            let name = self.name_of(file, number);
            self.out.line(format_args!("var {name}: {kind};"));
        }
        if self.shader.has_instance() {
            self.out.push_str("    let iid = ");
            self.instance(|text| text.out.push_str(INSTANCE));
            self.out.push_str(";\n");
        }
        if self.shader.liveness.late_kill {
            self.out.line(format_args!("var {KILLED}: bool;"));
        }
    }

    /// Writes the code after the last statement: the delayed discard of `kil`, and the outputs.
    pub(super) fn results(&mut self) {
        if self.shader.liveness.late_kill {
            self.out.line(format_args!("if {KILLED} {{ discard; }}"));
        }
        self.out.put(&["    return ", self.shader.of_stage(RESULTS), "("]);
        let position = (self.shader.stage == Stage::Vertex).then_some((RegisterFile::Output, 0));
        for (file, number) in position.into_iter().chain(self.shader.outputs()) {
            self.register(file, number);
            self.out.push_str(", ");
        }
        if self.shader.writes_depth() {
            self.depth();
        }
        self.out.push_str(");\n");
        self.out.close();
    }
}
