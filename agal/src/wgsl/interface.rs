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
        let count = self.shader.constants();
        if count > 0 {
            self.binding(WgslResource::Constants(self.shader.stage));
            self.out.push_str("var<uniform> ");
            self.file(RegisterFile::Constant);
            self.out.numbered(": array<vec4f, ", count.into());
            self.out.push_str(">;\n");
        }
        for sampler in self.shader.samplers() {
            let kind = match sampler.dimension {
                Dimension::TwoD => ": texture_2d<f32>;\n",
                Dimension::Cube => ": texture_cube<f32>;\n",
            };
            self.binding(WgslResource::Texture(self.shader.stage, sampler.register));
            self.out.push_str("var ");
            self.register(RegisterFile::Sampler, sampler.register);
            self.out.push_str(kind);
            self.binding(WgslResource::Sampler(self.shader.stage, sampler.register));
            self.out.push_str("var ");
            self.register(RegisterFile::Sampler, sampler.register);
            self.out.push_str("_sampler: sampler;\n");
        }
    }

    fn binding(&mut self, resource: WgslResource) {
        let place = (self.shader.target.bindings)(resource);
        self.out.numbered("@group(", place.group);
        self.out.numbered(") @binding(", place.binding);
        self.out.push_str(") ");
    }

    /// Declares the outputs, and begins the entry point with its inputs and locals.
    pub(super) fn entry_point(&mut self) {
        self.out.put(&["struct ", self.shader.of_stage(RESULTS), " {\n"]);
        if self.shader.stage == Stage::Vertex {
            // Programs that compute the position in the same way must give equal bits [agal.position.invariant].
            self.out.push_str("    @invariant @builtin(position) op: vec4f,\n");
        }
        for (file, number) in self.shader.outputs() {
            self.out.push_str("    ");
            self.located(file, number);
            self.out.push_str(",\n");
        }
        if self.shader.writes_depth() {
            self.out.push_str("    @builtin(frag_depth) od: f32,\n");
        }
        self.out.push_str("}\n");
        let entry = self.shader.of_stage(self.shader.target.entry_points);
        let attribute = self.shader.of_stage(["@vertex\nfn ", "@fragment\nfn "]);
        self.out.put(&[attribute, entry, "("]);
        for (file, number) in self.shader.inputs() {
            self.located(file, number);
            self.out.push_str(", ");
        }
        if self.shader.has_instance() {
            self.out.put(&["@builtin(instance_index) ", INSTANCE, ": u32"]);
        }
        self.out.put(&[") -> ", self.shader.of_stage(RESULTS), " {\n"]);
        self.locals();
    }

    fn located(&mut self, file: RegisterFile, number: u16) {
        self.out.numbered("@location(", number.into());
        self.out.push_str(") ");
        self.register(file, number);
        self.out.push_str(": vec4f");
    }

    /// Declares locals, which WGSL initializes to zero.
    fn locals(&mut self) {
        for (file, number) in self.shader.variables() {
            self.out.push_str("    var ");
            self.register(file, number);
            let depth = file == RegisterFile::DepthOutput;
            self.out.push_str(if depth { ": f32;\n" } else { ": vec4f;\n" });
        }
        if self.shader.has_instance() {
            self.out.push_str("    let iid = ");
            self.instance(|text| text.out.push_str(INSTANCE));
            self.out.push_str(";\n");
        }
        if self.shader.liveness.late_kill {
            self.out.put(&["    var ", KILLED, ": bool;\n"]);
        }
    }

    /// Writes the code after the last statement: the delayed discard of `kil`, and the outputs.
    pub(super) fn results(&mut self) {
        if self.shader.liveness.late_kill {
            self.out.put(&["    if ", KILLED, " { discard; }\n"]);
        }
        self.out.put(&["    return ", self.shader.of_stage(RESULTS), "("]);
        if self.shader.stage == Stage::Vertex {
            self.register(RegisterFile::Output, 0);
            self.out.push_str(", ");
        }
        for (file, number) in self.shader.outputs() {
            self.register(file, number);
            self.out.push_str(", ");
        }
        if self.shader.writes_depth() {
            self.depth();
        }
        self.out.push_str(");\n");
    }
}
