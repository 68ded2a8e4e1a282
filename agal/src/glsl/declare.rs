//! Everything before the first statement: version, extensions, precision, inputs, outputs, uniforms, helpers, locals.

use agal_core::float::GLSL_LARGEST;
use agal_core::glsl::{IF_HIGH, INVARIANT_POSITION, Outputs, Precision, Support};

use super::words::Formula;
use super::{Emitter, Feature, names, words};
use crate::float::{FloatRules, Limit};
use crate::ir::Action;
use crate::isa::opcode::{Binary, Unary};
use crate::isa::register::RegisterFile;
use crate::isa::sampler::{Dimension, Sampler};
use crate::liveness::bits;
use crate::version::Stage;

impl<'a> Emitter<'a> {
    pub(super) fn header(&mut self) {
        self.out.put(&[self.dialect.version_line(), "\n"]);
        for feature in Feature::ALL {
            if feature.stage() == self.stage
                && let Support::Extension(name) = feature.support(self.dialect)
                && feature.is_used_by(self.pair)
            {
                self.out.put(&["#extension ", name, " : require\n"]);
            }
        }
        let used = |dimension: Dimension| {
            let mut samplers = self.used_samplers().iter().flatten();
            samplers.any(|sampler| sampler.dimension == dimension).then_some(kind(dimension))
        };
        let kinds: Vec<&str> = Dimension::ALL.iter().copied().filter_map(used).collect();
        let lines = self.dialect.precision_lines(self.stage == Stage::Fragment, &kinds);
        self.out.push_str(&lines);
    }

    pub(super) fn globals(&mut self) {
        let interface = self.pair.interface();
        let words = self.dialect.words();
        let [out, input] = words.varying;
        let varying = match self.stage {
            Stage::Vertex => out,
            Stage::Fragment => input,
        };
        if self.stage == Stage::Vertex {
            self.out.push_str(INVARIANT_POSITION);
            for n in bits(interface.attributes.into()) {
                if self.dialect.located_attributes() {
                    self.location(n);
                }
                self.declare(words.attribute, " vec4 ", RegisterFile::Attribute, n);
            }
        }
        for n in bits(self.pair.varyings(self.stage)) {
            self.declare(varying, " vec4 ", RegisterFile::Varying, n);
        }
        if !self.constants.is_empty() {
            self.out.push_str("uniform vec4 ");
            let array = RegisterFile::Constant.name(self.stage).unwrap_or_default();
            self.constant(array, self.constants.len());
            self.out.push_str(";\n");
        }
        for sampler in self.used_samplers().iter().flatten() {
            let kind = kind(sampler.dimension);
            self.out.put(&["uniform ", kind]);
            self.declare("", " ", RegisterFile::Sampler, sampler.register);
        }
        if self.stage == Stage::Fragment && self.dialect.outputs() != Outputs::BuiltIn {
            for n in bits(interface.color_outputs.into()) {
                if self.dialect.outputs() == Outputs::Located {
                    self.location(n);
                }
                self.declare("out", " vec4 ", RegisterFile::Output, n);
            }
        }
    }

    fn location(&mut self, number: u16) {
        self.out.numbered("layout(location = ", number.into());
        self.out.push_str(") ");
    }

    fn declare(&mut self, keyword: &str, kind: &str, file: RegisterFile, number: u16) {
        self.out.put(&[keyword, kind]);
        self.register(file, number);
        self.out.push_str(";\n");
    }

    fn used_samplers(&self) -> &'a [Option<Sampler>] {
        let interface = self.pair.interface();
        match self.stage {
            Stage::Vertex => &interface.vertex_samplers,
            Stage::Fragment => &interface.samplers,
        }
    }

    pub(super) fn helpers(&mut self) {
        if self.any_limit() {
            self.largest();
        }
        if self.liveness.normalizes {
            self.normalize_helper();
        }
        if self.liveness.indexes {
            self.index_helper();
        }
    }

    /// Whether a result is limited to the largest float.
    fn any_limit(&self) -> bool {
        let rules = self.options.float_rules;
        let limits = |(limit, _): &Formula| *limit != Limit::None;
        rules != FloatRules::Ieee
            && self.program.steps().iter().any(|step| match &step.action {
                _ if step.limited => true,
                Action::Unary(Unary::Formula(formula), ..) => limits(words::unary(*formula)),
                Action::Unary(Unary::Normalize, ..) => true,
                Action::Binary(Binary::Formula(formula), ..) => {
                    limits(words::binary(*formula, rules))
                }
                Action::Unary(Unary::Derivative(_), ..)
                | Action::Binary(..)
                | Action::Sample(..) => false,
                Action::Kill(_) | Action::If(..) | Action::Block(_) => false,
            })
    }

    /// Names the largest float: of half floats where the fragment shader may have no others.
    fn largest(&mut self) {
        let line = |value| format!("const float {} = {value};\n", words::LARGEST);
        let largest = line(GLSL_LARGEST);
        if self.may_be_half() {
            let half = line("65504.0");
            self.out.put(&[IF_HIGH, &largest, "#else\n", &half, "#endif\n"]);
        } else {
            self.out.push_str(&largest);
        }
    }

    /// Whether numbers may be half floats.
    fn may_be_half(&self) -> bool {
        self.stage == Stage::Fragment && self.dialect.precision() == Precision::HighIfThere
    }

    /// The helper for `nrm`. The sum of the squares of half floats overflows from 256 on and vanishes below 2⁻¹², so the
    /// vector is scaled first.
    fn normalize_helper(&mut self) {
        self.out.put(&["vec3 ", words::NORMALIZE_NAME, "(vec3 v) {\n"]);
        if self.may_be_half() {
            let scale = "    v /= max(max(max(abs(v.x), abs(v.y)), abs(v.z)), 6.2e-5);\n";
            self.out.put(&["#ifndef GL_FRAGMENT_PRECISION_HIGH\n", scale, "#endif\n"]);
        }
        self.out.push_str(words::normalize(self.options.float_rules));
        self.out.push_str("}\n");
    }

    /// Declares locals. Registers that are written before they are read on every path are declared in one line. The
    /// others start at zero: a register that only the untaken branch writes still has a value.
    pub(super) fn locals(&mut self) {
        let mut before = "    vec4 ";
        if self.stage == Stage::Vertex {
            self.out.put(&[before, names::POSITION]);
            before = ", ";
        }
        for number in bits(self.liveness.temporaries & !self.liveness.zeroed) {
            self.out.push_str(before);
            self.register(RegisterFile::Temporary, number);
            before = ", ";
        }
        if before == ", " {
            self.out.push_str(";\n");
        }
        for number in bits(self.liveness.zeroed) {
            self.out.push_str("    vec4 ");
            self.zero(RegisterFile::Temporary, number);
        }
        for number in bits(self.liveness.zeroed_varyings) {
            self.out.push_str("    ");
            self.zero(RegisterFile::Varying, number);
        }
        self.instance_id();
        if self.liveness.late_kill {
            self.out.put(&["    bool ", names::KILLED, " = false;\n"]);
        }
        if self.liveness.hoists {
            self.hoisted();
        }
    }

    fn zero(&mut self, file: RegisterFile, number: u16) {
        self.register(file, number);
        self.out.push_str(" = vec4(0.0);\n");
    }

    /// Declares the instance id as a register: x is the number ([agal.iid.x]); y, z and w are filled as in an
    /// attribute with one component ([agal.iid.others]).
    fn instance_id(&mut self) {
        if self.stage == Stage::Vertex && self.pair.interface().instance_id {
            let word = self.dialect.features().instance_id.word;
            self.out.push_str("    vec4 ");
            self.register(RegisterFile::InstanceId, 0);
            self.out.put(&[" = vec4(float(", word, "), 0.0, 0.0, 1.0);\n"]);
        }
    }
}

fn kind(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::TwoD => "sampler2D",
        Dimension::Cube => "samplerCube",
    }
}
