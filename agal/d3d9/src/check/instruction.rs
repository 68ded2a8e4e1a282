//! Rules 28 to 40 and 44 to 46: operands of single instructions.

use super::Checker;
use super::rule::Rule;
use crate::opcode::{Flow, Formula, Kind, Load, Opcode, Texture};
use crate::operand::{Component, Dest, Dimension, Modifier, Modifiers, Source, Swizzle, WriteMask};
use crate::program::Instruction;
use crate::reads;
use crate::register::{File, Register};
use crate::version::Version;

/// The values that `sincos` of model 2 needs in its constants (d3d9-shaders.md section 5.4).
pub(crate) const SINCOS: [[f32; 4]; 2] = [
    [-1.550_099_2e-6, -2.170_139e-5, 0.002_604_166_7, 0.000_260_416_68],
    [-0.020_833_334, -0.125, 1.0, 0.5],
];

/// Whether the version allows the modifier on this operand (d3d9-shaders.md section 4.5).
fn allows(version: Version, modifier: Modifier, opcode: Opcode, file: File) -> bool {
    use Modifier as M;
    let flag = matches!(file, File::Predicate | File::Boolean);
    match modifier {
        M::None => true,
        M::Not => flag,
        _ if flag => false,
        M::Negate => true,
        M::Bias | M::BiasNegate | M::Sign | M::SignNegate | M::Complement => version.is_ps_1(),
        M::Double | M::DoubleNegate => version == Version::Ps14,
        M::DivideZ | M::DivideW => {
            let reads = matches!(opcode, Opcode::Tex | Opcode::TexCoord);
            version == Version::Ps14 && reads
        }
        M::Abs | M::AbsNegate => version.major() == 3,
    }
}

/// Swizzles of ps_2_0 (rule 40): identity, one component, and yzxw, zxyw, wzyx.
pub(crate) const PS_2_0_SWIZZLES: [u8; 8] = [0x00, 0x1b, 0x55, 0xaa, 0xc9, 0xd2, 0xe4, 0xff];

/// Whether ps_2_0 allows the swizzle.
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
        let (version, opcode) = (self.version, instruction.opcode);
        let (Some(register), Some(modifier)) = (source.register(version), source.modifier()) else {
            return;
        };
        let file = register.file;
        if !allows(version, modifier, opcode, file) {
            let (before, after) = modifier.text();
            let message =
                format!("`{before}{register}{after}`: {version} doesn't allow this modifier here");
            self.error(Rule::SourceModifier, message);
        }
        if file == File::Const && version.major() == 3 {
            match modifier {
                Modifier::Abs | Modifier::AbsNegate => self.abs.0 = true,
                _ => self.abs.1 = true,
            }
            if self.abs == (true, true) {
                let message = "`_abs` must be on all constants or on none";
                self.error(Rule::AbsConstants, message);
                self.abs = (false, false);
            }
        }
        let swizzle = source.swizzle();
        let scalar = match (opcode.kind(), place) {
            (Kind::ExpPartial | Kind::SinCos, 0) | (Kind::Scalar(_), _) | (Kind::Dp2Add, 2) => true,
            (Kind::Flow(Flow::IfCompare | Flow::BreakCompare | Flow::BreakPredicate), _) => true,
            (Kind::Flow(Flow::If | Flow::CallNz), _) => file == File::Predicate,
            _ => false,
        };
        if scalar && !swizzle.is_scalar() {
            let name = opcode.name(version);
            self.error(Rule::Scalar, format!("`{name}` needs one component of {register}"));
        }
        let limited = match version {
            Version::Ps20 => true,
            Version::Ps2x => !self.options.caps.pixel.arbitrary_swizzle,
            _ => false,
        };
        // Texture instructions and flow control have separate rules.
        let arithmetic = !matches!(opcode.kind(), Kind::Texture(_) | Kind::Flow(_));
        if limited && arithmetic && !is_ps_2_0_swizzle(swizzle) {
            let letters = String::from_iter(swizzle.lanes().map(Component::letter));
            self.error(Rule::Swizzle, format!("{version} doesn't support the swizzle .{letters}"));
        }
    }

    fn result_modifiers(&mut self, instruction: &Instruction, dest: Dest) {
        let (version, opcode) = (self.version, instruction.opcode);
        if opcode.is_declaration() {
            return;
        }
        let (modifiers, shift) = (dest.modifiers(), dest.shift_bits());
        let saturates = modifiers.has(Modifiers::SATURATE);
        let vertex = version.is_vertex();
        let old_shift = version.is_ps_1_1_to_1_3() && [3, 0xd, 0xe].contains(&shift);
        first! { self;
            error Modifiers if saturates && vertex && version.major() < 3 => "{version} doesn't support `_sat`";
            error Modifiers if modifiers.has(Modifiers::PARTIAL) && vertex => "vertex shaders don't support `_pp`";
            error Modifiers if modifiers.has(Modifiers::CENTROID) => "`_centroid` is allowed only on declarations";
            error Modifiers if shift != 0 && !version.is_ps_1() => "{version} doesn't support result shifts";
            error Modifiers if old_shift => "{version} supports only `_x2`, `_x4` and `_d2`";
        }
        let name = opcode.name(version);
        let mask = dest.mask();
        let frc_1 = version == Version::Vs11 && opcode == Opcode::Frc;
        first! { self;
            error NoSaturate if saturates && !opcode.kind().saturates() => "`{name}` can't saturate";
            error NoSaturate if frc_1 && !matches!(mask.bits(), 2 | 3) => "`frc` of vs_1_1 must write y or xy";
        }
        if matches!(opcode.kind(), Kind::Scalar(_)) && vertex && mask.len() != 1 {
            let message =
                format!("`{name}` writes more than one component; the documentation requires one");
            self.warning(Rule::Scalar, message);
        }
    }

    fn address(&mut self, instruction: &Instruction, dest: Dest) {
        let to_address = instruction.dest_register(self.version).map(|register| register.file)
            == Some(File::Address);
        match (instruction.opcode, self.version) {
            (Opcode::Mova, _) if to_address => {}
            (Opcode::Mova, _) => self.error(Rule::AddressWrite, "`mova` can write only a0"),
            _ if !to_address => {}
            (Opcode::Mov, Version::Vs11) => {
                first! { self; error AddressWrite if dest.mask() != WriteMask::first(1) => "vs_1_1 has only a0.x"; }
            }
            (Opcode::Mov, _) => {
                let message = "`mov` writes a0; the documentation requires `mova`";
                self.warning(Rule::AddressWrite, message);
            }
            _ => self.error(Rule::AddressWrite, "only `mova` can write a0"),
        }
    }

    /// Rules 30 to 33: matrices, `crs`, `nrm`, `pow`, `sincos` and `sgn`.
    fn shape(&mut self, instruction: &Instruction, dest: Dest) {
        let version = self.version;
        let Some(register) = dest.register(version) else {
            return;
        };
        let name = instruction.opcode.name(version);
        let read = |place: usize| instruction.source(place).register(version);
        let is = |place: usize| read(place) == Some(register);
        let is_temp = |register: Option<Register>| register.is_some_and(|r| r.file == File::Temp);
        let temp = register.file == File::Temp;
        let mask = dest.mask().bits();
        match instruction.opcode.kind() {
            Kind::Matrix { rows, .. } => self.matrix(instruction, register, dest, rows),
            Kind::Cross => {
                let plain = |place: usize| instruction.source(place).swizzle() == Swizzle::IDENTITY;
                first! { self;
                    error Cross if !temp => "`crs` can write only a temporary";
                    error Cross if mask & 8 != 0 || mask == 0 => "`crs` can write only x, y and z";
                    error Cross if is(0) || is(1) => "`crs` can't write to its source";
                    error Cross if !plain(0) || !plain(1) => "the sources of `crs` can't have swizzles";
                }
            }
            Kind::Normalize | Kind::Scalar(Formula::Pow) => {
                let nrm = instruction.opcode == Opcode::Nrm;
                let own = if nrm { is(0) } else { is(1) };
                first! { self;
                    error Normalize if !temp => "`{name}` can write only a temporary";
                    error Normalize if own => "`{name}` can't write to its source";
                    error Normalize if nrm && !matches!(mask, 7 | 15) => "`nrm` must write xyz or xyzw";
                }
            }
            Kind::SinCos => {
                let axes = matches!(mask, 1..=3);
                if temp && axes && version.major() == 2 {
                    self.sincos_constants(instruction);
                }
                first! { self;
                    error SinCos if !temp => "`sincos` can write only a temporary";
                    error SinCos if !axes => "`sincos` must write x, y or xy";
                }
            }
            Kind::Sgn if instruction.sources().len() == 3 => {
                let apart = is_temp(read(1)) && is_temp(read(2)) && read(1) != read(2);
                first! { self;
                    error SinCos if !apart => "`sgn` needs two different temporaries as scratch registers";
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
        let mut count = row.info(self.version).map_or(0, |info| info.count);
        if row.file == File::Const && self.version.is_vertex() {
            count = count.max(self.options.caps.vertex_constants);
        }
        let changed =
            first.swizzle() != Swizzle::IDENTITY || first.modifier() != Some(Modifier::None);
        let in_rows = dest.file == row.file && (row.number..=last).contains(&dest.number);
        let file = row.file.name();
        first! { self;
            error Matrix if target.mask() != WriteMask::first(rows) => "`{name}` must write {rows} components, one per row";
            error Matrix if changed => "the matrix of `{name}` can't have a swizzle or modifier";
            error Matrix if last >= count && !first.is_relative() => "the matrix of `{name}` extends past the last {file}#";
            error Matrix if in_rows || vector.register(self.version) == Some(dest) => "`{name}` can't write to its source";
        }
    }

    fn sincos_constants(&mut self, instruction: &Instruction) {
        let [one, two] = [1, 2].map(|place| instruction.source(place).register(self.version));
        let constants = [one, two].map(|r| r.filter(|r| r.file == File::Const));
        let [Some(one), Some(two)] = constants else {
            self.error(Rule::SinCos, "`sincos` needs two constants");
            return;
        };
        if one == two {
            self.error(Rule::SinCos, "`sincos` needs two different constants");
            return;
        }
        for (register, values) in [one, two].into_iter().zip(SINCOS) {
            let defined = self.declared.floats.get(&register.number).copied();
            let near = |words: [u32; 4]| {
                let mut pairs = words.into_iter().zip(values);
                pairs.all(|(word, value)| word.abs_diff(value.to_bits()) < 4)
            };
            if defined.is_some_and(|words| !near(words)) {
                let message = format!("{register} doesn't hold the values that `sincos` needs");
                self.warning(Rule::SinCos, message);
            }
        }
    }

    /// Rules 35 to 39, for models 2 and 3.
    fn texture(&mut self, instruction: &Instruction, texture: Texture) {
        match texture {
            Texture::Kill => self.kill(instruction),
            Texture::Load | Texture::LoadLevel | Texture::LoadGradient => {
                if texture == Texture::Load && self.version.major() == 2 {
                    self.load_2(instruction);
                } else if instruction.source(1).modifier() != Some(Modifier::None) {
                    self.error(Rule::Sampler, "the sampler can't have a modifier");
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
        let version = self.version;
        let name = instruction.opcode.name(version);
        let file = |register: Option<Register>| register.map(|register| register.file);
        let [coordinate, sampler] = [0, 1].map(|place| instruction.source(place));
        let whole =
            file(dest.register(version)) == Some(File::Temp) && dest.mask() == WriteMask::ALL;
        let from = matches!(file(coordinate.register(version)), Some(File::Temp | File::Texture));
        let plain = coordinate.is_plain() && sampler.is_plain();
        first! { self;
            error TexLoad if !whole => "`{name}` of {version} must write all components of an r#";
            error TexLoad if !from => "the coordinate of `{name}` must be an r# or t#";
            error TexLoad if !plain => "the operands of `{name}` in {version} can't have swizzles or modifiers";
        }
    }

    fn coordinate(&mut self, instruction: &Instruction) {
        let dimension = self.dimension(instruction);
        let projects =
            instruction.opcode == Opcode::Tex && instruction.load() == Some(Load::Project);
        if projects && dimension == Some(Dimension::Cube) {
            let message = "`texldp` reads a cube texture, which other implementations reject";
            self.warning(Rule::ProjectedCube, message);
        }
        // A declared input may lack a component that the texture's dimension needs.
        let source = instruction.source(0);
        let register = source.register(self.version);
        if let Some(register) = register.filter(|r| matches!(r.file, File::Texture | File::Input)) {
            let lanes = reads::lanes(instruction, 0, self.version, dimension);
            let needed = source.swizzle().selected(lanes);
            let declared = self.declared.mask(register);
            if declared.is_some_and(|mask| !mask.contains_all(needed)) {
                // That component is also undeclared; the finding of that rule is less specific.
                self.report.findings.retain(|finding| {
                    finding.rule != Rule::Undeclared || finding.location.0 != self.number
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
        let model_3 = self.version.major() == 3;
        let fits = match dest.register(self.version).map(|register| register.file) {
            Some(File::Temp | File::Texture) => true,
            Some(File::Input) => model_3,
            _ => false,
        };
        first! { self;
            error Kill if !fits => "the operand of `texkill` must be an r# or t#";
            warning Kill if dest.mask() != WriteMask::ALL && model_3 =>
                "`texkill` has a partial mask, which implementations treat differently";
            error Kill if dest.mask() != WriteMask::ALL => "`texkill` must take a whole register";
        }
    }
}
