//! Everything around the statements: helpers, resources, the entry point with its inputs and outputs, locals.

use super::{Emitter, Resource, expression};
use crate::float::FloatRules;
use crate::ir::{Action, with_depth};
use crate::isa::register::RegisterFile;
use crate::isa::sampler::{Dimension, Sampler};
use crate::liveness::{bits, is_hoisted};
use crate::version::Stage;
use agal_core::float::GLSL_LARGEST;

/// The structures of the outputs.
const RESULTS: [&str; 2] = ["VertexResult", "FragmentResult"];
/// The parameter for the number of the instance.
const INSTANCE: &str = "instance";

impl Emitter<'_> {
    /// Writes the helpers of the module: the largest float, `nrm`, and the index of an indirect read.
    pub(super) fn helpers(&mut self) {
        let limited = self.target.float_rules == FloatRules::Direct3D9;
        if self.largest || (self.liveness.normalizes && limited) {
            self.out.put(&["const ", expression::LARGEST, ": f32 = ", GLSL_LARGEST, ";\n"]);
        }
        if self.liveness.normalizes {
            let length = if limited {
                "    return v * min(inverseSqrt(dot(v, v)), agal_largest);\n"
            } else {
                "    let d = dot(v, v);\n    if d > 0.0 { return v * inverseSqrt(d); }\n    return vec3f();\n"
            };
            self.out.put(&["fn ", expression::NORMALIZE, "(v: vec3f) -> vec3f {\n", length, "}\n"]);
        }
        if self.liveness.indexes {
            // Rounded, then clamped to the bank ([agal.indirect.rounding] [agal.indirect.outside]). Converting what an
            // integer can't hold is undefined, so the float is clamped; no bank and no offset reaches the bounds.
            let last = self.pair.interface().vertex_constants.saturating_sub(1);
            self.out.put(&["fn ", expression::INDEX, "(index: f32, offset: i32) -> i32 {\n"]);
            self.out
                .push_str("    return clamp(i32(round(clamp(index, -512.0, 512.0))) + offset, 0");
            self.out.numbered(", ", last.into());
            self.out.push_str(");\n}\n");
        }
    }

    /// Declares the constants, textures and samplers.
    pub(super) fn resources(&mut self) {
        let interface = self.pair.interface();
        let count = self.of_stage([interface.vertex_constants, interface.fragment_constants]);
        if count > 0 {
            self.binding(Resource::Constants(self.stage));
            self.out.push_str("var<uniform> ");
            self.name(RegisterFile::Constant);
            self.out.numbered(": array<vec4f, ", count.into());
            self.out.push_str(">;\n");
        }
        let samplers: &[Option<Sampler>] = match self.stage {
            Stage::Vertex => &interface.vertex_samplers,
            Stage::Fragment => &interface.samplers,
        };
        for sampler in samplers.iter().flatten() {
            let kind = match sampler.dimension {
                Dimension::TwoD => ": texture_2d<f32>;\n",
                Dimension::Cube => ": texture_cube<f32>;\n",
            };
            self.binding(Resource::Texture(self.stage, sampler.register));
            self.out.push_str("var ");
            self.register(RegisterFile::Sampler, sampler.register);
            self.out.push_str(kind);
            self.binding(Resource::Sampler(self.stage, sampler.register));
            self.out.push_str("var ");
            self.register(RegisterFile::Sampler, sampler.register);
            self.out.push_str("_sampler: sampler;\n");
        }
    }

    fn binding(&mut self, resource: Resource) {
        let place = (self.target.bindings)(resource);
        self.out.numbered("@group(", place.group);
        self.out.numbered(") @binding(", place.binding);
        self.out.push_str(") ");
    }

    /// Declares the outputs, and the entry point with its inputs and locals.
    pub(super) fn entry_point(&mut self) {
        let interface = self.pair.interface();
        self.out.put(&["struct ", self.of_stage(RESULTS), " {\n"]);
        match self.stage {
            Stage::Vertex => {
                // Equal programs for the position give equal bits [agal.position.invariant].
                self.out.push_str("    @invariant @builtin(position) op: vec4f,\n");
                self.members(RegisterFile::Varying, interface.varyings.into());
            }
            Stage::Fragment => {
                self.members(RegisterFile::Output, interface.color_outputs.into());
                if interface.depth_output && self.target.depth_output {
                    self.out.push_str("    @builtin(frag_depth) od: f32,\n");
                }
            }
        }
        self.out.push_str("}\n");
        let (attribute, entry) = self.of_stage([
            ("@vertex\nfn ", self.target.entry_points[0]),
            ("@fragment\nfn ", self.target.entry_points[1]),
        ]);
        self.out.put(&[attribute, entry, "("]);
        let (file, inputs) = self.of_stage([
            (RegisterFile::Attribute, interface.attributes),
            (RegisterFile::Varying, interface.varyings),
        ]);
        for number in bits(inputs.into()) {
            self.located(file, number);
            self.out.push_str(", ");
        }
        if self.has_instance() {
            self.out.put(&["@builtin(instance_index) ", INSTANCE, ": u32"]);
        }
        self.out.put(&[") -> ", self.of_stage(RESULTS), " {\n"]);
        self.locals();
    }

    fn has_instance(&self) -> bool {
        self.stage == Stage::Vertex && self.pair.interface().instance_id
    }

    fn members(&mut self, file: RegisterFile, numbers: u32) {
        for number in bits(numbers) {
            self.out.push_str("    ");
            self.located(file, number);
            self.out.push_str(",\n");
        }
    }

    fn located(&mut self, file: RegisterFile, number: u16) {
        self.out.numbered("@location(", number.into());
        self.out.push_str(") ");
        self.register(file, number);
        self.out.push_str(": vec4f");
    }

    /// Declares locals, which WGSL sets to zero: a register that only the untaken branch writes has a value.
    fn locals(&mut self) {
        let interface = self.pair.interface();
        let (file, outputs) = self.of_stage([
            (RegisterFile::Varying, self.pair.varyings(Stage::Vertex)),
            (RegisterFile::Output, interface.color_outputs.into()),
        ]);
        if self.stage == Stage::Vertex {
            self.local(RegisterFile::Output, 0, "vec4f");
        }
        for number in bits(outputs) {
            self.local(file, number, "vec4f");
        }
        if self.stage == Stage::Fragment && interface.depth_output {
            self.local(RegisterFile::DepthOutput, 0, "f32");
        }
        for number in bits(self.liveness.temporaries) {
            self.local(RegisterFile::Temporary, number, "vec4f");
        }
        if self.has_instance() {
            // x is the number ([agal.iid.x]); y, z and w are filled as in an attribute with one component
            // ([agal.iid.others]).
            self.out.put(&["    let iid = vec4f(f32(", INSTANCE, "), 0.0, 0.0, 1.0);\n"]);
        }
        if self.liveness.late_kill {
            self.out.put(&["    var ", expression::KILLED, ": bool;\n"]);
        }
        if self.liveness.hoists {
            self.hoisted();
        }
    }

    fn local(&mut self, file: RegisterFile, number: u16, kind: &str) {
        self.out.push_str("    var ");
        self.register(file, number);
        self.out.put(&[": ", kind, ";\n"]);
    }

    /// Writes the texture reads of conditionals before everything else.
    fn hoisted(&mut self) {
        let program = self.program;
        for (depth, step) in with_depth(program.steps()) {
            if let Action::Sample(lookup, _, coordinates, sampler) = &step.action
                && is_hoisted(depth, step)
            {
                self.out.push_str("    let ");
                self.out.numbered(expression::HOISTED, step.token);
                self.out.push_str(" = ");
                self.lookup(*lookup, coordinates, sampler);
                self.out.push_str(";\n");
            }
        }
    }

    /// Writes the code after the last statement: the delayed discard of `kil`, and the outputs.
    pub(super) fn results(&mut self) {
        let interface = self.pair.interface();
        if self.liveness.late_kill {
            self.out.put(&["    if ", expression::KILLED, " { discard; }\n"]);
        }
        self.out.put(&["    return ", self.of_stage(RESULTS), "("]);
        let (file, outputs) = self.of_stage([
            (RegisterFile::Varying, interface.varyings),
            (RegisterFile::Output, interface.color_outputs.into()),
        ]);
        if self.stage == Stage::Vertex {
            self.register(RegisterFile::Output, 0);
            self.out.push_str(", ");
        }
        for number in bits(outputs.into()) {
            self.register(file, number);
            self.out.push_str(", ");
        }
        if self.stage == Stage::Fragment && interface.depth_output && self.target.depth_output {
            // Drivers store NaN and infinities as they like [agal.float.stored_nan].
            self.out.push_str("saturate(od)");
        }
        self.out.push_str(");\n");
    }
}
