//! Everything in front of the first statement: version, precision, inputs, outputs, uniforms, helpers, locals.

use std::fmt::Write as _;

use super::{Dialect, Emitter, names, put};
use crate::checked::{Action, with_depth};
use crate::numerics;
use crate::opcode::Unary;
use crate::register::{MAX_TRACKED, RegisterFile};
use crate::sampler::{Dimension, Sampler};
use crate::version::Stage;

/// The instance id as a register: x is the number (agal.md section 3.2); y, z and w are filled as in an attribute that
/// has one component (unverified).
const INSTANCE_ID: &str = "vec4(float(gl_InstanceID), 0.0, 0.0, 1.0)";

impl Emitter<'_> {
    pub(super) fn header(&mut self) {
        self.out.push_str(match self.target.dialect {
            Dialect::Glsl330 => "#version 330 core\n",
            // ES would give samplers low precision, which float textures would lose.
            Dialect::Glsl300Es => {
                "#version 300 es\n\
                 precision highp float;\n\
                 precision highp int;\n\
                 precision highp sampler2D;\n\
                 precision highp samplerCube;\n"
            }
        });
    }

    pub(super) fn globals(&mut self) {
        let interface = self.pair.interface();
        let out = &mut self.out;
        match self.stage {
            Stage::Vertex => {
                for n in bits(interface.attributes) {
                    put!(out, "layout(location = {n}) in vec4 va{n};\n");
                }
                for n in bits(interface.varyings) {
                    put!(out, "out vec4 v{n};\n");
                }
                if interface.vertex_constants > 0 {
                    put!(out, "uniform vec4 vc[{}];\n", interface.vertex_constants);
                }
                self.samplers(&interface.vertex_samplers);
            }
            Stage::Fragment => {
                for n in bits(interface.varyings) {
                    put!(out, "in vec4 v{n};\n");
                }
                if interface.fragment_constants > 0 {
                    put!(out, "uniform vec4 fc[{}];\n", interface.fragment_constants);
                }
                self.samplers(&interface.samplers);
                for n in bits(interface.color_outputs.into()) {
                    put!(self.out, "layout(location = {n}) out vec4 ");
                    self.register(RegisterFile::Output, n);
                    self.out.push_str(";\n");
                }
            }
        }
    }

    fn samplers(&mut self, samplers: &[Option<Sampler>]) {
        for sampler in samplers.iter().flatten() {
            self.out.push_str(match sampler.dimension {
                Dimension::TwoD => "uniform sampler2D ",
                Dimension::Cube => "uniform samplerCube ",
            });
            self.register(RegisterFile::Sampler, sampler.register);
            self.out.push_str(";\n");
        }
    }

    pub(super) fn helpers(&mut self) {
        let mut steps = self.program.steps().iter();
        if steps.any(|step| matches!(step.action, Action::Unary(Unary::Normalize, ..))) {
            self.out.push_str(numerics::NORMALIZE_BODY);
        }
    }

    /// Locals start at zero: a temporary that only the branch not taken writes still has a value.
    pub(super) fn locals(&mut self) {
        let (program, stage) = (self.program, self.stage);
        if stage == Stage::Vertex {
            put!(self.out, "    vec4 {};\n", names::POSITION);
            if self.pair.interface().instance_id {
                self.out.push_str("    vec4 ");
                self.register(RegisterFile::InstanceId, 0);
                put!(self.out, " = {INSTANCE_ID};\n");
            }
        }
        for number in (0u16..).take(MAX_TRACKED) {
            if program.usage().temporaries & 1u32.checked_shl(number.into()).unwrap_or(0) != 0 {
                self.out.push_str("    vec4 ");
                self.register(RegisterFile::Temporary, number);
                self.out.push_str(" = vec4(0.0);\n");
            }
        }
        self.conditional_varyings();
        if self.late_kill {
            put!(self.out, "    bool {} = false;\n", names::KILLED);
        }
        if stage == Stage::Fragment {
            self.hoisted();
        }
    }

    /// A varying written in a branch has a value on the other path too.
    fn conditional_varyings(&mut self) {
        let mut branched = 0u16;
        for (depth, step) in with_depth(self.program.steps()) {
            if let Some(dest) = step.action.dest()
                && depth > 0
                && dest.file == RegisterFile::Varying
                && !self.is_dead(&dest)
            {
                branched |= 1u16.checked_shl(dest.number.into()).unwrap_or(0);
            }
        }
        for n in bits(branched) {
            put!(self.out, "    v{n} = vec4(0.0);\n");
        }
    }
}

/// The numbers of the bits that are set, lowest first.
fn bits(set: u16) -> impl Iterator<Item = u16> {
    (0..16).filter(move |n| set & (1 << n) != 0)
}
