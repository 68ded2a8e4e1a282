//! Everything before the first statement: version, extensions, precision, inputs, outputs, uniforms, helpers, locals.

use shader_core::glsl::{Outputs, Support};

use super::{Emitter, Feature, names};
use crate::isa::formula;
use crate::isa::register::RegisterFile;
use crate::isa::sampler::{Dimension, Sampler};
use crate::liveness::bits;
use crate::version::Stage;

impl<'a> Emitter<'a> {
    pub(super) fn header(&mut self) {
        self.put(&[self.dialect.version_line(), "\n"]);
        for feature in Feature::ALL {
            if feature.stage() == self.stage
                && let Support::Extension(name) = feature.support(self.dialect)
                && feature.is_used_by(self.pair)
            {
                self.put(&["#extension ", name, " : require\n"]);
            }
        }
        let used = |dimension: Dimension| {
            let mut samplers = self.used_samplers().iter().flatten();
            samplers.any(|sampler| sampler.dimension == dimension).then_some(kind(dimension))
        };
        let kinds: Vec<&str> = Dimension::ALL.iter().copied().filter_map(used).collect();
        self.out += &self.dialect.precision_lines(self.stage == Stage::Fragment, &kinds);
    }

    pub(super) fn globals(&mut self) {
        let interface = self.pair.interface();
        let words = self.dialect.words();
        let [out, input] = words.varying;
        let (varying, constants) = match self.stage {
            Stage::Vertex => (out, interface.vertex_constants),
            Stage::Fragment => (input, interface.fragment_constants),
        };
        if self.stage == Stage::Vertex {
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
        if constants > 0 {
            // The name of the element is also the declaration, such as `vc[4]`.
            self.declare("uniform", " vec4 ", RegisterFile::Constant, constants);
        }
        for sampler in self.used_samplers().iter().flatten() {
            let kind = kind(sampler.dimension);
            self.put(&["uniform ", kind]);
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
        self.numbered("layout(location = ", number.into());
        self.out.push_str(") ");
    }

    fn declare(&mut self, keyword: &str, kind: &str, file: RegisterFile, number: u16) {
        self.put(&[keyword, kind]);
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
        if self.liveness.normalizes {
            self.out.push_str(formula::NORMALIZE_BODY);
        }
        if self.liveness.indexes {
            self.index_helper();
        }
    }

    /// Declares locals. Registers that are written before they are read on every path are declared in one line. The
    /// others start at zero: a register that only the untaken branch writes still has a value.
    pub(super) fn locals(&mut self) {
        let mut before = "    vec4 ";
        if self.stage == Stage::Vertex {
            self.put(&[before, names::POSITION]);
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
            self.put(&["    bool ", names::KILLED, " = false;\n"]);
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
            self.put(&[" = vec4(float(", word, "), 0.0, 0.0, 1.0);\n"]);
        }
    }
}

fn kind(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::TwoD => "sampler2D",
        Dimension::Cube => "samplerCube",
    }
}
