//! Rules 28 to 40 and 44 to 46: the operands of each instruction.

use super::D3d9Checker;
use super::rule::D3d9Rule;
use crate::dataflow;
use crate::formula::SINCOS;
use crate::opcode::{D3d9Opcode, Load, OperandRequirement, Operation, TextureOp};
use crate::operand::{
    Component, Dest, Dimension, ResultModifiers, Source, SourceModifier, Swizzle, WriteMask,
    is_ps_2_0_swizzle,
};
use crate::program::D3d9Instruction;
use crate::register::{D3d9Register, ShaderFile};
use crate::version::ShaderVersion;

/// Returns whether the version allows the modifier on this operand ([d3d9.rule.45]).
fn allows(
    version: ShaderVersion,
    modifier: SourceModifier,
    opcode: D3d9Opcode,
    file: ShaderFile,
) -> bool {
    use SourceModifier as M;
    let flag = matches!(file, ShaderFile::Predicate | ShaderFile::Boolean);
    match modifier {
        M::None => true,
        M::Not => flag,
        _ if flag => false,
        M::Negate => true,
        M::Bias | M::BiasNegate | M::Sign | M::SignNegate | M::Complement => version.is_ps_1(),
        M::Double | M::DoubleNegate => version == ShaderVersion::Ps14,
        M::DivideZ | M::DivideW => {
            version == ShaderVersion::Ps14
                && matches!(opcode, D3d9Opcode::Tex | D3d9Opcode::TexCoord)
        }
        M::Abs | M::AbsNegate => version.major() == 3,
    }
}

fn has_file(register: Option<D3d9Register>, files: &[ShaderFile]) -> bool {
    register.is_some_and(|register| files.contains(&register.file))
}

impl D3d9Checker<'_> {
    pub(super) fn operands(&mut self, instruction: &D3d9Instruction) {
        for (index, source) in instruction.sources().iter().enumerate() {
            self.source_rules(instruction.opcode, index, *source);
        }
        if let Some(dest) = instruction.dest {
            self.result_modifiers(instruction, dest);
            self.address(instruction, dest);
            self.destination_rules(instruction, dest);
        }
        match instruction.opcode.operation() {
            Operation::Texture(TextureOp::Kill) => self.kill(instruction),
            Operation::Texture(texture) if self.version.has_lengths() => {
                self.texture(instruction, texture);
            }
            _ => {}
        }
    }

    fn source_rules(&mut self, opcode: D3d9Opcode, index: usize, source: Source) {
        let version = self.version;
        let (Some(register), Some(modifier)) = (source.register(version), source.modifier()) else {
            return;
        };
        let file = register.file;
        let (before, after) = modifier.text();
        let allowed = allows(version, modifier, opcode, file);
        report! { self; error SourceModifier if !allowed =>
        "`{before}{register}{after}`: {version} doesn't allow this modifier here"; }
        if file == ShaderFile::Const && version.major() == 3 {
            match modifier {
                SourceModifier::Abs | SourceModifier::AbsNegate => self.abs.0 = true,
                _ => self.abs.1 = true,
            }
            if self.abs == (true, true) {
                self.error(D3d9Rule::AbsConstants, "`_abs` must be on all constants or on none");
                self.abs = (false, false);
            }
        }
        let swizzle = source.swizzle();
        let scalar = match opcode.takes().get(index) {
            Some(OperandRequirement::Scalar | OperandRequirement::Predicate) => true,
            Some(OperandRequirement::Flag) => file == ShaderFile::Predicate,
            _ => false,
        };
        let name = opcode.name(version);
        let several = scalar && !swizzle.is_scalar();
        report! { self; error Scalar if several => "`{name}` needs one component of {register}"; }
        let limited = match version {
            ShaderVersion::Ps20 => true,
            ShaderVersion::Ps2x => !self.caps.pixel.arbitrary_swizzle,
            _ => false,
        };
        // Texture instructions and flow control have separate rules.
        let arithmetic = !matches!(opcode.operation(), Operation::Texture(_) | Operation::Flow(_));
        if limited && arithmetic && !is_ps_2_0_swizzle(swizzle) {
            let letters = String::from_iter(swizzle.lanes().map(Component::letter));
            self.error(
                D3d9Rule::Swizzle,
                format!("{version} doesn't support the swizzle .{letters}"),
            );
        }
    }

    fn result_modifiers(&mut self, instruction: &D3d9Instruction, dest: Dest) {
        let (version, opcode) = (self.version, instruction.opcode);
        let (modifiers, shift) = (dest.modifiers(), dest.shift_bits());
        let saturates = modifiers.has(ResultModifiers::SATURATE);
        let vertex = version.is_vertex();
        let old_shift = version.is_ps_1_1_to_1_3() && [3, 0xd, 0xe].contains(&shift);
        report! { self;
            error Modifiers if saturates && vertex && version.major() < 3 => "{version} doesn't support `_sat`";
            error Modifiers if modifiers.has(ResultModifiers::PARTIAL) && vertex =>
                "vertex shaders don't support `_pp`";
            error Modifiers if modifiers.has(ResultModifiers::CENTROID) =>
                "`_centroid` is allowed only on declarations";
            error Modifiers if shift != 0 && !version.is_ps_1() => "{version} doesn't support result shifts";
            error Modifiers if old_shift => "{version} supports only `_x2`, `_x4` and `_d2`";
        }
        let (name, mask) = (opcode.name(version), dest.mask());
        let exact = opcode.destination_rules().is_none_or(|shape| !shape.saturates);
        let frc_1 = version == ShaderVersion::Vs11 && opcode == D3d9Opcode::Frc;
        report! { self;
            error NoSaturate if saturates && exact => "`{name}` can't saturate";
            error NoSaturate if frc_1 && !matches!(mask.bits(), 2 | 3) => "`frc` of vs_1_1 must write y or xy";
        }
        let several =
            matches!(opcode.operation(), Operation::Scalar(_)) && vertex && mask.len() != 1;
        report! { self; warning Scalar if several =>
        "`{name}` writes more than one component; the documentation requires one"; }
    }

    fn address(&mut self, instruction: &D3d9Instruction, dest: Dest) {
        let to_address = has_file(dest.register(self.version), &[ShaderFile::Address]);
        let (mov, mova) =
            (instruction.opcode == D3d9Opcode::Mov, instruction.opcode == D3d9Opcode::Mova);
        let old = self.version == ShaderVersion::Vs11;
        let only_x = dest.mask() == WriteMask::first(1);
        report! { self;
            error AddressWrite if mova && !to_address => "`mova` can write only a0";
            error AddressWrite if to_address && !mov && !mova => "only `mova` can write a0";
            error AddressWrite if to_address && mov && old && !only_x => "vs_1_1 has only a0.x";
            warning AddressWrite if to_address && mov && !old => "`mov` writes a0; the documentation requires `mova`";
        }
    }

    /// Checks rules 30 to 33: destinations and sources of matrix instructions, `crs`, `nrm`, `pow` and `sincos`.
    fn destination_rules(&mut self, instruction: &D3d9Instruction, dest: Dest) {
        let (version, opcode) = (self.version, instruction.opcode);
        let (Some(register), Some(shape)) = (dest.register(version), opcode.destination_rules())
        else {
            return;
        };
        let name = opcode.name(version);
        let temporary = register.file == ShaderFile::Temp;
        let (masks, wanted) = shape.masks;
        let fits = masks >> dest.mask().bits() & 1 != 0;
        let is_source = |(index, source): (usize, &Source)| {
            let first = source.register(version).filter(|first| first.file == register.file);
            let rows =
                first.map(|first| first.number..first.number.saturating_add(opcode.rows(index)));
            shape.apart >> index & 1 != 0
                && rows.is_some_and(|rows| rows.contains(&register.number))
        };
        let own = instruction.sources().iter().enumerate().any(is_source);
        let misplaced = shape.temporary && !temporary;
        let turned = |index: usize| instruction.source(index).swizzle() != Swizzle::IDENTITY;
        match opcode.operation() {
            Operation::Matrix { rows, .. } => {
                report! { self; error Matrix if !fits => "`{name}` {wanted}"; }
                self.matrix(instruction.source(1), name, rows);
                report! { self; error Matrix if own => "`{name}` can't write to its source"; }
            }
            Operation::Cross => report! { self;
                error Cross if misplaced => "`crs` can write only a temporary";
                error Cross if !fits => "`crs` {wanted}";
                error Cross if own => "`crs` can't write to its source";
                error Cross if turned(0) || turned(1) => "the sources of `crs` can't have swizzles";
            },
            Operation::SinCos => {
                if temporary && fits && version.major() == 2 {
                    self.sincos_constants(instruction);
                }
                report! { self;
                    error SinCos if misplaced => "`sincos` can write only a temporary";
                    error SinCos if !fits => "`sincos` {wanted}";
                }
            }
            Operation::Sgn if instruction.sources().len() == 3 => {
                let [a, b] = [1, 2].map(|index| instruction.source(index).register(version));
                let apart =
                    has_file(a, &[ShaderFile::Temp]) && has_file(b, &[ShaderFile::Temp]) && a != b;
                report! { self; error SinCos if !apart =>
                "`sgn` needs two different temporaries as scratch registers"; }
            }
            _ => report! { self;
                error Normalize if misplaced => "`{name}` can write only a temporary";
                error Normalize if own => "`{name}` can't write to its source";
                error Normalize if !fits => "`{name}` {wanted}";
            },
        }
    }

    fn matrix(&mut self, first: Source, name: &str, rows: u8) {
        let Some(row) = first.register(self.version) else { return };
        let last = row.number.saturating_add(u16::from(rows).saturating_sub(1));
        let beyond = last >= self.count(row.file) && !first.is_relative();
        let file = row.file.name();
        report! { self;
            error Matrix if !first.is_plain() => "the matrix of `{name}` can't have a swizzle or modifier";
            error Matrix if beyond => "the matrix of `{name}` extends past the last {file}#";
        }
    }

    fn sincos_constants(&mut self, instruction: &D3d9Instruction) {
        let constants = [1, 2].map(|index| instruction.source(index).register(self.version));
        let [Some(one), Some(two)] = constants.map(|r| r.filter(|r| r.file == ShaderFile::Const))
        else {
            return self.error(D3d9Rule::SinCos, "`sincos` needs two constants");
        };
        if one == two {
            return self.error(D3d9Rule::SinCos, "`sincos` needs two different constants");
        }
        for (register, values) in [one, two].into_iter().zip(SINCOS) {
            let near = |defined: &[f32; 4]| {
                let mut pairs = defined.iter().zip(values);
                pairs.all(|(own, value)| own.to_bits().abs_diff(value.to_bits()) < 4)
            };
            let wrong = self.declared.floats.get(&register.number).is_some_and(|own| !near(own));
            report! { self; warning SinCos if wrong =>
            "{register} doesn't hold the values that `sincos` needs"; }
        }
    }

    /// Checks rules 35 to 38: texture instructions of models 2 and 3.
    fn texture(&mut self, instruction: &D3d9Instruction, texture: TextureOp) {
        if texture.has_sampler() {
            if texture == TextureOp::Load && self.version.major() == 2 {
                self.load_2(instruction);
            } else {
                let modified = instruction.source(1).modifier() != Some(SourceModifier::None);
                report! { self; error Sampler if modified => "the sampler can't have a modifier"; }
            }
            self.coordinate(instruction);
        }
    }

    fn load_2(&mut self, instruction: &D3d9Instruction) {
        let version = self.version;
        let name = instruction.opcode.name(version);
        let [coordinate, sampler] = [0, 1].map(|index| instruction.source(index));
        let to_temporary = has_file(instruction.dest_register(version), &[ShaderFile::Temp]);
        let whole = to_temporary && instruction.mask() == WriteMask::ALL;
        let from = has_file(coordinate.register(version), &[ShaderFile::Temp, ShaderFile::Texture]);
        let plain = coordinate.is_plain() && sampler.is_plain();
        report! { self;
            error TexLoad if !whole => "`{name}` of {version} must write all components of an r#";
            error TexLoad if !from => "the coordinate of `{name}` must be an r# or t#";
            error TexLoad if !plain => "the operands of `{name}` in {version} can't have swizzles or modifiers";
        }
    }

    fn coordinate(&mut self, instruction: &D3d9Instruction) {
        let dimension = self.declared.dimension(instruction, self.version);
        let projects =
            instruction.opcode == D3d9Opcode::Tex && instruction.load() == Some(Load::Project);
        report! { self; warning ProjectedCube if projects && dimension == Some(Dimension::Cube) =>
        "`texldp` reads a cube texture, which other implementations reject"; }
        // A declared input may lack a component that the texture's dimension needs.
        let source = instruction.source(0);
        let register = source.register(self.version);
        let Some(register) =
            register.filter(|r| matches!(r.file, ShaderFile::Texture | ShaderFile::Input))
        else {
            return;
        };
        let lanes = dataflow::lanes(instruction, 0, self.version, dimension);
        let needed = source.swizzle().selected(lanes);
        if self.declared.mask(register).is_some_and(|mask| !mask.contains_all(needed)) {
            // Removes the finding of the rule `Undeclared`, which is less specific than the finding of `Coordinates`.
            self.report.findings.retain(|finding| {
                finding.rule != D3d9Rule::Undeclared || finding.location.0 != self.number
            });
            let wanted = dimension.map_or("texture", Dimension::name);
            let message = format!("{register} lacks components that a {wanted} coordinate needs");
            self.error(D3d9Rule::Coordinates, message);
        }
    }

    fn kill(&mut self, instruction: &D3d9Instruction) {
        let register = instruction.dest_register(self.version);
        let model_3 = self.version.major() == 3;
        let files: &[ShaderFile] = match self.version {
            version if version.is_ps_1_1_to_1_3() => &[ShaderFile::Texture],
            _ if model_3 => &[ShaderFile::Temp, ShaderFile::Texture, ShaderFile::Input],
            _ => &[ShaderFile::Temp, ShaderFile::Texture],
        };
        let fits = has_file(register, files);
        let partial = instruction.mask() != WriteMask::ALL;
        report! { self;
            error Kill if !fits => "the operand of `texkill` must be an r# or t#";
            warning Kill if partial && model_3 => "`texkill` has a partial mask, which implementations treat differently";
            error Kill if partial => "`texkill` must take a whole register";
        }
    }
}
