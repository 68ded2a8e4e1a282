//! Declares registers, and copies inputs to registers and registers to outputs.

use std::fmt::Display;

use agal_core::glsl::position;

use super::Emitter;
use super::interface::distinct;
use super::interface::{fixed_usage, usage};
use super::options::PositionTransform;
use super::source::masked;
use crate::declarations::Declared;
use crate::opcode::{Operation, Texture};
use crate::operand::DeclUsage;
use crate::register::File;

const PIXEL_POSITION: &str = "vPos.xy = floor(vec2(gl_FragCoord.x, d3d9_fixup.z < 0.0 ? gl_FragCoord.y : d3d9_fixup.w - gl_FragCoord.y));";

impl Emitter<'_> {
    /// Initializes a register with zero, because some shaders read unwritten registers despite [d3d9.rule.14].
    fn zero(&mut self, name: impl Display) {
        self.line(format_args!("vec4 {name} = vec4(0.0);"));
    }

    fn zeros(&mut self, file: File) {
        for register in self.used.registers.of(file) {
            self.zero(register);
        }
    }

    fn kills(&self) -> bool {
        self.any(|kind| kind == Operation::Texture(Texture::Kill))
    }

    pub(super) fn locals(&mut self) {
        self.zeros(File::Temp);
        if self.used.registers.has(File::Address) {
            self.line("ivec4 a0 = ivec4(0);");
        }
        if self.used.registers.has(File::Predicate) {
            self.line("bvec4 p0 = bvec4(false);");
        }
        self.array(File::Input, "v");
        if self.vertex() {
            use File::{ColorVarying, Fog, PointSize, Position, TexCoordVarying};
            for file in [Position, Fog, PointSize, ColorVarying, TexCoordVarying] {
                self.zeros(file);
            }
            if !self.array(File::Output, "o") {
                self.zeros(File::Output);
            }
            return;
        }
        let texels = self.version.is_ps_1_1_to_1_3();
        for input in distinct(&self.inputs, |input| input.register) {
            let number = input.register.number;
            match input.register.file {
                File::Input => self.zero(self.input_name(number)),
                File::Texture if texels => {
                    self.zero(format_args!("coord{number}"));
                    self.zero(input.register);
                }
                _ => self.zero(input.register),
            }
        }
        if self.kills() {
            self.line("bool killed = false;");
        }
        for number in &self.hoisted {
            self.code.line(format_args!("vec4 hoisted{number};"));
        }
        self.zeros(File::Depth);
        for row in (0..3).filter(|_| texels) {
            self.line(format_args!("float row{row} = 0.0;"));
        }
    }

    /// Declares an array for a register file with relative addressing, with one extra element. Returns false if no
    /// instruction addresses the register file relatively.
    fn array(&mut self, file: File, name: &str) -> bool {
        let indexed = self.used.relative.has(file);
        if indexed {
            let count = file.reach(self.version).saturating_add(1);
            self.line(format_args!("vec4 {name}[{count}];"));
        }
        indexed
    }

    fn clear(&mut self, file: File, name: &str) {
        if self.used.relative.has(file) {
            let count = file.reach(self.version);
            self.line(format_args!("for (int n = 0; n <= {count}; ++n) {name}[n] = vec4(0.0);"));
        }
    }

    pub(super) fn prologue(&mut self) {
        self.clear(File::Output, "o");
        self.clear(File::Input, "v");
        let mut inputs = distinct(&self.inputs, |input| input.register);
        if !self.vertex() {
            for input in self.inputs.clone() {
                self.input(&input);
            }
            inputs.sort_by_key(|input| input.register);
        }
        inputs.retain(|input| {
            input.register.file == File::Input && self.used.relative.has(File::Input)
        });
        for number in inputs.iter().map(|input| input.register.number) {
            let name = self.input_name(number);
            self.line(format_args!("v[{number}] = {name};"));
        }
    }

    fn input(&mut self, input: &Declared) {
        let number = input.register.number;
        let mask = masked(input.mask);
        let from = self.varying(usage(input));
        let name = self.input_name(number);
        let line = match input.register.file {
            File::PixelPosition => match self.options.position {
                PositionTransform::Uniform => PIXEL_POSITION.to_owned(),
                PositionTransform::Plain | PositionTransform::Flipped(_) => {
                    "vPos.xy = floor(gl_FragCoord.xy);".to_owned()
                }
            },
            File::Face => "vFace = vec4(gl_FrontFacing ? 1.0 : -1.0);".to_owned(),
            // Colour inputs are clamped to 0..1 below 3_0 ([d3d9.linkage.clamp]).
            File::Input if self.version.major() < 3 => {
                format!("{name}{mask} = clamp({from}{mask}, 0.0, 1.0);")
            }
            File::Input => format!("{name}{mask} = {from}{mask};"),
            _ if self.version.is_ps_1_1_to_1_3() => format!("coord{number} = {from};"),
            _ => format!("t{number}{mask} = {from}{mask};"),
        };
        self.line(line);
    }

    pub(super) fn epilogue(&mut self) {
        for name in &self.zeros {
            self.code.line(format_args!("{name} = vec4(0.0);"));
        }
        match (self.vertex(), self.version.major()) {
            (true, 3) => return self.outputs_3(),
            (true, _) => return self.outputs_2(),
            (false, _) => {}
        }
        let name = self.color_name(0);
        if self.version.is_ps_1() {
            self.line(format_args!("{name} = clamp(r0, 0.0, 1.0);"));
        }
        if self.fogged() {
            let fog = self.varying((DeclUsage::Fog, 0));
            self.line(format_args!("{name}.xyz = mix(d3d9_fog_color.xyz, {name}.xyz, {fog}.x);"));
        }
        if self.used.registers.has(File::Depth) {
            self.line("gl_FragDepth = clamp(oDepth.x, 0.0, 1.0);");
        }
        if self.kills() {
            self.line("if (killed) discard;");
        }
    }

    fn outputs_3(&mut self) {
        let outputs: Vec<Declared> = self.declared.of_file(File::Output).copied().collect();
        for output in outputs {
            let number = output.register.number;
            let register = if self.used.relative.has(File::Output) {
                format!("o[{number}]")
            } else if self.used.registers.bits(File::Output) & 1 << number.min(15) != 0 {
                format!("o{number}")
            } else {
                continue;
            };
            match usage(&output) {
                (DeclUsage::Position, 0) => self.position(&register),
                (DeclUsage::PointSize, 0) => self.point_size(&register),
                usage => {
                    let (name, mask) = (self.varying(usage), masked(output.mask));
                    if !mask.is_empty() {
                        self.line(format_args!("{name} = vec4(0.0);"));
                    }
                    self.line(format_args!("{name}{mask} = {register}{mask};"));
                }
            }
        }
    }

    fn outputs_2(&mut self) {
        for file in [File::ColorVarying, File::Fog, File::TexCoordVarying] {
            for register in self.used.registers.of(file) {
                let name = self.varying(fixed_usage(register));
                match file {
                    File::TexCoordVarying => self.line(format_args!("{name} = {register};")),
                    _ => self.line(format_args!("{name} = clamp({register}, 0.0, 1.0);")),
                }
            }
        }
        if self.used.registers.has(File::PointSize) {
            self.point_size("oPts");
        }
        self.position("oPos");
    }

    fn point_size(&mut self, register: &str) {
        if self.options.point_size {
            self.line(format_args!("gl_PointSize = {register}.x;"));
        }
    }

    fn position(&mut self, p: &str) {
        let xy = match self.options.position {
            PositionTransform::Plain => format!("{p}.x, {p}.y"),
            PositionTransform::Uniform => format!(
                "{p}.x + d3d9_fixup.x * {p}.w, d3d9_fixup.z * ({p}.y + d3d9_fixup.y * {p}.w)"
            ),
            PositionTransform::Flipped(bias) => {
                format!("{p}.x - {bias:?} * {p}.w, {bias:?} * {p}.w - {p}.y")
            }
        };
        self.line(position(p, self.options.clip_depth, &xy));
    }
}
