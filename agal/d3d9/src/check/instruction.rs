//! Rules 28 to 40 and 44 to 46: what single instructions ask of their operands.

use super::Checker;
use super::rule::Rule;
use crate::opcode::{Flow, Kind, Load, Opcode, Texture};
use crate::operand::{Dest, Dimension, Modifier, Modifiers, Source, Swizzle, WriteMask};
use crate::program::Instruction;
use crate::reads;
use crate::register::{File, Register};
use crate::version::Version;

/// What sincos of model 2 wants in its constants (d3d9-shaders.md section 5.4).
pub(crate) const SINCOS: [[f32; 4]; 2] = [
    [
        -1.550_099_2e-6,
        -2.170_139e-5,
        0.002_604_166_7,
        0.000_260_416_68,
    ],
    [-0.020_833_334, -0.125, 1.0, 0.5],
];

/// Is a modifier one that the version has for this operand (d3d9-shaders.md section 4.5)?
fn allows(version: Version, modifier: Modifier, opcode: Opcode, file: File) -> bool {
    let ps_1 = version.is_ps_1();
    match modifier {
        Modifier::None | Modifier::Negate => true,
        Modifier::Bias
        | Modifier::BiasNegate
        | Modifier::Sign
        | Modifier::SignNegate
        | Modifier::Complement => ps_1,
        Modifier::Double | Modifier::DoubleNegate => version == Version::Ps14,
        Modifier::DivideZ | Modifier::DivideW => {
            version == Version::Ps14
                && matches!(
                    opcode.kind(),
                    Kind::Texture(Texture::Load | Texture::Coordinate)
                )
        }
        Modifier::Abs | Modifier::AbsNegate => version.major() == 3,
        Modifier::Not => matches!(file, File::Predicate | File::Boolean),
    }
}

/// Swizzles of ps_2_0 (rule 40): identity, one component, and yzxw, zxyw, wzyx.
pub(crate) const PS_2_0_SWIZZLES: [u8; 8] = [0x00, 0x1b, 0x55, 0xaa, 0xc9, 0xd2, 0xe4, 0xff];

/// May ps_2_0 swizzle like this?
pub(crate) fn is_ps_2_0_swizzle(swizzle: Swizzle) -> bool {
    PS_2_0_SWIZZLES.contains(&swizzle.bits())
}

impl Checker<'_> {
    pub(super) fn operands(&mut self, instruction: &Instruction) {
        for (place, source) in instruction.sources().iter().enumerate() {
            self.source_rules(instruction, place, *source);
        }
        if let Some(dest) = instruction.dest {
            self.result_modifiers(instruction, dest);
            self.address(instruction, dest);
            self.shape(instruction, dest);
        }
        if let Kind::Texture(texture) = instruction.opcode.kind()
            && self.version.has_lengths()
        {
            self.texture(instruction, texture);
        }
    }

    fn source_rules(&mut self, instruction: &Instruction, place: usize, source: Source) {
        let opcode = instruction.opcode;
        let name = opcode.name(self.version);
        let Some(register) = source.register(self.version) else {
            return;
        };
        let (Some(modifier), file) = (source.modifier(), register.file) else {
            return;
        };
        let (before, after) = modifier.text();
        let flow_flag = matches!(file, File::Predicate | File::Boolean);
        let fits = !flow_flag || matches!(modifier, Modifier::None | Modifier::Not);
        if !allows(self.version, modifier, opcode, file) || !fits {
            let message = format!(
                "`{before}{register}{after}`: {} has no such modifier here",
                self.version
            );
            self.error(Rule::SourceModifier, message);
        }
        if file == File::Const && self.version.major() == 3 {
            let abs = matches!(modifier, Modifier::Abs | Modifier::AbsNegate);
            if let Some(seen) = self.abs.get_mut(usize::from(abs)) {
                *seen = true;
            }
            if self.abs == [true, true] {
                self.error(
                    Rule::AbsConstants,
                    "`_abs` must be on all constants or on none",
                );
                self.abs = [false; 2];
            }
        }
        let swizzle = source.swizzle();
        let scalar = match (opcode.kind(), place) {
            (Kind::Scalar(_) | Kind::ExpPartial | Kind::SinCos, 0) => true,
            (Kind::Scalar(_), _) | (Kind::Dp2Add, 2) => true,
            (Kind::Flow(Flow::IfCompare | Flow::BreakCompare | Flow::BreakPredicate), _) => true,
            (Kind::Flow(Flow::If | Flow::CallNz), _) => file == File::Predicate,
            _ => false,
        };
        if scalar && !swizzle.is_scalar() {
            self.error(
                Rule::Scalar,
                format!("`{name}` wants one component of {register}"),
            );
        }
        let limited = match self.version {
            Version::Ps20 => true,
            Version::Ps2x => !self.options.caps.pixel.arbitrary_swizzle,
            _ => false,
        };
        // Texture instructions and flow control have rules of their own.
        let arithmetic = !matches!(opcode.kind(), Kind::Texture(_) | Kind::Flow(_));
        if limited && arithmetic && !is_ps_2_0_swizzle(swizzle) {
            let letters: String = swizzle.lanes().map(|lane| lane.letter()).iter().collect();
            self.error(
                Rule::Swizzle,
                format!("{} has no swizzle .{letters}", self.version),
            );
        }
    }

    fn result_modifiers(&mut self, instruction: &Instruction, dest: Dest) {
        let version = self.version;
        let opcode = instruction.opcode;
        let name = opcode.name(version);
        let modifiers = dest.modifiers();
        if opcode.is_declaration() {
            return;
        }
        let saturates = modifiers.has(Modifiers::SATURATE);
        if saturates && version.is_vertex() && version.major() < 3 {
            self.error(Rule::Modifiers, format!("{version} has no `_sat`"));
        } else if modifiers.has(Modifiers::PARTIAL) && version.is_vertex() {
            self.error(Rule::Modifiers, "a vertex shader has no `_pp`");
        } else if modifiers.has(Modifiers::CENTROID) {
            self.error(Rule::Modifiers, "`_centroid` stands on declarations only");
        } else if dest.shift_bits() != 0 && !version.is_ps_1() {
            self.error(Rule::Modifiers, format!("{version} has no result shifts"));
        } else if version.is_ps_1_1_to_1_3() && [3, 0xd, 0xe].contains(&dest.shift_bits()) {
            self.error(
                Rule::Modifiers,
                format!("{version} has `_x2`, `_x4` and `_d2` only"),
            );
        }
        // Predicates and indices are no floats: rule 34 need not name them (unverified).
        let never = matches!(
            opcode.kind(),
            Kind::SinCos
                | Kind::Texture(_)
                | Kind::Map(crate::opcode::Formula::Frc)
                | Kind::Setp
                | Kind::Mova
        );
        if saturates && never {
            self.error(Rule::NoSaturate, format!("`{name}` can't saturate"));
        }
        let mask = dest.mask().bits();
        if version == Version::Vs11 && opcode == Opcode::Frc && mask != 2 && mask != 3 {
            self.error(Rule::NoSaturate, "`frc` of vs_1_1 writes y or xy");
        }
        let scalar = matches!(opcode.kind(), Kind::Scalar(_));
        if scalar && version.is_vertex() && dest.mask().len() != 1 {
            let message = format!("`{name}` with more than one component: documentation wants one");
            self.warning(Rule::Scalar, message);
        }
    }

    fn address(&mut self, instruction: &Instruction, dest: Dest) {
        let file = dest.register(self.version).map(|register| register.file);
        let opcode = instruction.opcode;
        if file != Some(File::Address) {
            if opcode == Opcode::Mova {
                self.error(Rule::AddressWrite, "`mova` writes a0 only");
            }
            return;
        }
        match (opcode, self.version) {
            (Opcode::Mova, _) => {}
            (Opcode::Mov, Version::Vs11) => {
                if dest.mask() != WriteMask::first(1) {
                    self.error(Rule::AddressWrite, "vs_1_1 has a0.x only");
                }
            }
            (Opcode::Mov, _) => {
                self.warning(
                    Rule::AddressWrite,
                    "`mov` to a0: `mova` is the documented way",
                );
            }
            _ => self.error(Rule::AddressWrite, "a0 is written by mova only"),
        }
    }

    /// Rules 30 to 33.
    fn shape(&mut self, instruction: &Instruction, dest: Dest) {
        let version = self.version;
        let Some(register) = dest.register(version) else {
            return;
        };
        let name = instruction.opcode.name(version);
        let source = |place: usize| instruction.source(place);
        let is = |place: usize| source(place).register(version) == Some(register);
        let temp = register.file == File::Temp;
        let mask = dest.mask().bits();
        match instruction.opcode.kind() {
            Kind::Matrix { rows, .. } => self.matrix(instruction, register, dest, rows),
            Kind::Cross => {
                let plain = [0, 1].map(|place| source(place).swizzle() == Swizzle::IDENTITY);
                if !temp {
                    self.error(Rule::Cross, "`crs` writes a temporary only");
                } else if mask & 8 != 0 || mask == 0 {
                    self.error(Rule::Cross, "`crs` writes x, y and z only");
                } else if is(0) || is(1) {
                    self.error(Rule::Cross, "`crs` can't write what it reads");
                } else if plain != [true; 2] {
                    self.error(Rule::Cross, "`crs` has no swizzles");
                }
            }
            Kind::Normalize | Kind::Scalar(crate::opcode::Formula::Pow) => {
                let nrm = instruction.opcode == Opcode::Nrm;
                if !temp {
                    self.error(Rule::Normalize, format!("`{name}` writes a temporary only"));
                } else if nrm && is(0) || !nrm && is(1) {
                    self.error(Rule::Normalize, format!("`{name}` can't write that source"));
                } else if nrm && mask != 7 && mask != 15 {
                    self.error(Rule::Normalize, "`nrm` writes xyz or xyzw");
                }
            }
            Kind::SinCos => {
                if !temp {
                    self.error(Rule::SinCos, "`sincos` writes a temporary only");
                } else if !matches!(mask, 1..=3) {
                    self.error(Rule::SinCos, "`sincos` writes x, y or xy");
                } else if version.major() == 2 {
                    self.sincos_constants(instruction);
                }
            }
            Kind::Sgn if instruction.sources().len() == 3 => {
                let [one, two] = [1, 2].map(|place| source(place).register(version));
                let temps = [one, two].map(|r| r.is_some_and(|r| r.file == File::Temp));
                if temps != [true; 2] || one == two {
                    self.error(
                        Rule::SinCos,
                        "`sgn` wants two different temporaries for scratch",
                    );
                }
            }
            _ => {}
        }
    }

    fn matrix(&mut self, instruction: &Instruction, dest: Register, target: Dest, rows: u8) {
        let name = instruction.opcode.name(self.version);
        let [vector, first] = [0, 1].map(|place| instruction.source(place));
        let Some(row) = first.register(self.version) else {
            return;
        };
        let last = row.number.saturating_add(u16::from(rows).saturating_sub(1));
        let count = row.cell(self.version).map_or(0, |cell| cell.count);
        let constants = self.options.caps.vertex_constants;
        let count = if row.file == File::Const && self.version.is_vertex() {
            count.max(constants)
        } else {
            count
        };
        let rows_of = row.number..=last;
        if target.mask() != WriteMask::first(rows) {
            self.error(
                Rule::Matrix,
                format!("`{name}` writes {rows} components, one for each row"),
            );
        } else if first.swizzle() != Swizzle::IDENTITY || first.modifier() != Some(Modifier::None) {
            self.error(
                Rule::Matrix,
                format!("the matrix of `{name}` has neither swizzle nor modifier"),
            );
        } else if last >= count && !first.is_relative() {
            let file = row.file.name();
            self.error(
                Rule::Matrix,
                format!("the matrix of `{name}` ends beyond the last {file}#"),
            );
        } else if vector.register(self.version) == Some(dest)
            || dest.file == row.file && rows_of.contains(&dest.number)
        {
            self.error(Rule::Matrix, format!("`{name}` can't write what it reads"));
        }
    }

    fn sincos_constants(&mut self, instruction: &Instruction) {
        let [one, two] = [1, 2].map(|place| instruction.source(place).register(self.version));
        let constants = [one, two].map(|r| r.filter(|r| r.file == File::Const));
        let [Some(one), Some(two)] = constants else {
            self.error(Rule::SinCos, "`sincos` wants two constants");
            return;
        };
        if one == two {
            self.error(Rule::SinCos, "`sincos` wants two different constants");
            return;
        }
        for (register, values) in [one, two].into_iter().zip(SINCOS) {
            let defined = self.declared.floats.get(&register.number).copied();
            let near = |words: [u32; 4]| {
                let pairs = words.into_iter().zip(values);
                pairs
                    .into_iter()
                    .all(|(word, value)| word.abs_diff(value.to_bits()) < 4)
            };
            if defined.is_some_and(|words| !near(words)) {
                let message = format!("{register} is not what `sincos` wants there");
                self.warning(Rule::SinCos, message);
            }
        }
    }

    /// Rules 35 to 39 of model 2 and 3.
    fn texture(&mut self, instruction: &Instruction, texture: Texture) {
        match texture {
            Texture::Kill => self.kill(instruction),
            Texture::Load | Texture::LoadLevel | Texture::LoadGradient => {
                if texture == Texture::Load && self.version.major() == 2 {
                    self.load_2(instruction);
                } else if instruction.source(1).modifier() != Some(Modifier::None) {
                    self.error(Rule::Sampler, "the sampler has no modifier");
                }
                self.coordinate(instruction);
            }
            _ => {}
        }
    }

    fn load_2(&mut self, instruction: &Instruction) {
        let Some(dest) = instruction.dest else {
            return;
        };
        let name = instruction.opcode.name(self.version);
        let file = |register: Option<Register>| register.map(|register| register.file);
        let [coordinate, sampler] = [0, 1].map(|place| instruction.source(place));
        let plain = |source: Source| {
            source.swizzle() == Swizzle::IDENTITY && source.modifier() == Some(Modifier::None)
        };
        if file(dest.register(self.version)) != Some(File::Temp) || dest.mask() != WriteMask::ALL {
            self.error(
                Rule::TexLoad,
                format!("`{name}` of {} writes a whole r#", self.version),
            );
        } else if !matches!(
            file(coordinate.register(self.version)),
            Some(File::Temp | File::Texture)
        ) {
            self.error(
                Rule::TexLoad,
                format!("the coordinate of `{name}` is an r# or t#"),
            );
        } else if !plain(coordinate) || !plain(sampler) {
            let message = format!(
                "`{name}` of {} has neither swizzles nor modifiers",
                self.version
            );
            self.error(Rule::TexLoad, message);
        }
    }

    fn coordinate(&mut self, instruction: &Instruction) {
        let dimension = self.dimension(instruction);
        let projects =
            instruction.opcode == Opcode::Tex && instruction.load() == Some(Load::Project);
        if projects && dimension == Some(Dimension::Cube) {
            self.warning(
                Rule::ProjectedCube,
                "`texldp` on a cube: other readers refuse it",
            );
        }
        // Declared inputs that lack a component that the texture needs.
        let source = instruction.source(0);
        let register = source.register(self.version);
        if let Some(register) = register.filter(|r| matches!(r.file, File::Texture | File::Input)) {
            let lanes = reads::lanes(instruction, 0, self.version, dimension);
            let needed = source.swizzle().selected(lanes);
            let declared = self.declared.mask(register);
            if declared.is_some_and(|mask| !mask.contains_all(needed)) {
                // The same is an undeclared component: the finding of that rule says less.
                self.findings.retain(|finding| {
                    finding.rule != Rule::Undeclared || finding.instruction != self.number
                });
                let wanted = dimension.map_or("texture", Dimension::name);
                let message =
                    format!("{register} lacks components that a {wanted} coordinate needs");
                self.error(Rule::Coordinates, message);
            }
        }
    }

    fn kill(&mut self, instruction: &Instruction) {
        let Some(dest) = instruction.dest else {
            return;
        };
        let file = dest.register(self.version).map(|register| register.file);
        let input = file == Some(File::Input) && self.version.major() == 3;
        if !input && !matches!(file, Some(File::Temp | File::Texture)) {
            self.error(Rule::Kill, "`texkill` takes an r# or t#");
        } else if dest.mask() != WriteMask::ALL {
            let message = "`texkill` with a partial mask: readers differ in what it tests";
            if self.version.major() == 3 {
                self.warning(Rule::Kill, message);
            } else {
                self.error(Rule::Kill, "`texkill` takes a whole register");
            }
        }
    }
}
