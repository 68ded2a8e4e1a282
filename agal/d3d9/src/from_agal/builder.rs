//! Allocates registers and builds operands. If the model doesn't allow an operand, the builder copies it to a scratch
//! register ([d3d9.from_agal.ports] [d3d9.from_agal.swizzle]).

use agal::ir::{Address, IrDestination, IrOperation, IrSource};
use agal::opcode::{Unary, UnaryFormula};
use agal::register::RegisterFile;
use agal::sampler::SamplerOp;
use agal::{Stage, ValidProgram};
use agal_core::{Component, Swizzle, WriteMask};

use super::operand::{AgalOperand, AgalTarget, dimension};
use super::{TranslateError, TranslationResult};
use crate::dataflow::WrittenComponents;
use crate::formula::SINCOS;
use crate::opcode::D3d9Opcode;
use crate::operand::{
    AddressIndex, DclPayload, DeclUsage, Dest, PS_2_0_SWIZZLES, SourceModifier, is_ps_2_0_swizzle,
};
use crate::program::{D3d9Instruction, D3d9Program};
use crate::register::{D3d9Register, ShaderFile};
use crate::texture_order::TextureOrder;
use crate::version::ShaderVersion;

const SINCOS_CONSTANTS: u16 = 2;

pub(super) struct D3d9Builder {
    pub(super) version: ShaderVersion,
    pub(super) stage: Stage,
    pub(super) body: Vec<D3d9Instruction>,
    pub(super) orders: TextureOrder,
    /// The constants that the translator defines with `def`, each with up to four floats.
    literals: Vec<Vec<f32>>,
    first_literal: u16,
    /// The first of the two constant registers for `sincos`; `None` if `sincos` isn't used.
    sincos: Option<u16>,
    first_scratch: u16,
    pub(super) scratch: u16,
    pub(super) samplers: [Option<SamplerOp>; 16],
    inputs: u16,
    outputs: u16,
    pub(super) depth: usize,
    /// The index that `a0.x` holds; a new `mova` is emitted only for another index ([agal.native.address]).
    address: Option<(D3d9Register, Component)>,
    /// The output components that all paths have written so far.
    settled: WrittenComponents,
    /// Outputs that are written only in conditionals. The translated program initializes such conditional outputs, in
    /// case no branch is taken.
    conditional: Vec<D3d9Register>,
    pub(super) token: u32,
}

impl D3d9Builder {
    pub(super) fn new(program: &ValidProgram, version: ShaderVersion) -> D3d9Builder {
        let mut builder = D3d9Builder {
            version,
            stage: program.program().stage(),
            // Most AGAL tokens are translated to one or two instructions.
            body: Vec::with_capacity(program.steps().len().saturating_mul(2)),
            orders: TextureOrder::default(),
            literals: Vec::new(),
            first_literal: 0,
            sincos: None,
            first_scratch: 0,
            scratch: 0,
            samplers: [None; 16],
            inputs: 0,
            outputs: 0,
            depth: 0,
            address: None,
            settled: WrittenComponents::default(),
            conditional: Vec::new(),
            token: 0,
        };
        builder.survey(program);
        builder
    }

    pub(super) fn pixel(&self) -> bool {
        self.stage == Stage::Fragment
    }
    pub(super) fn model_3(&self) -> bool {
        self.version.major() == 3
    }

    /// Counts the program's constants and temporaries, and checks whether `sincos` is used.
    fn survey(&mut self, program: &ValidProgram) {
        let (mut constants, mut temporaries, mut sincos) = (0u16, 0u16, false);
        let mut note = |file: RegisterFile, number: u16, rows: u16| {
            let most = match file {
                RegisterFile::Constant => &mut constants,
                RegisterFile::Temporary => &mut temporaries,
                _ => return,
            };
            *most = number.saturating_add(rows).max(*most);
        };
        for step in program.steps() {
            use UnaryFormula::{Cos, Sin};
            sincos |= matches!(step.action, IrOperation::Unary(Unary::Formula(Sin | Cos), ..));
            if let Some(dest) = step.action.dest() {
                note(dest.file, dest.number, 1);
            }
            for (source, rows) in step.action.sources() {
                match source.address {
                    Address::Direct(file, number) => note(file, number, rows.into()),
                    Address::Indirect { file, number, .. } => {
                        note(file, number, 1);
                        // An indirect read may access any constant register.
                        let bank = RegisterFile::Constant;
                        let count = bank.version_count(self.stage, program.program().version());
                        note(bank, 0, count.unwrap_or(0));
                    }
                }
            }
        }
        if sincos && !self.model_3() {
            self.sincos = Some(constants);
            constants = constants.saturating_add(SINCOS_CONSTANTS);
        }
        self.first_literal = constants;
        self.first_scratch = temporaries;
    }

    /// Emits instructions that set temporaries to zero; bit n selects register n.
    pub(super) fn zero(&mut self, registers: u32) {
        for number in (0u16..32).filter(|n| registers >> n & 1 != 0) {
            let [zero] = self.literals([0.0]);
            let target = AgalTarget::new(ShaderFile::Temp.at(number), WriteMask::ALL);
            self.push(D3d9Opcode::Mov, target, &[zero]);
        }
    }

    pub(super) fn scratch(&mut self) -> D3d9Register {
        let register = ShaderFile::Temp.at(self.first_scratch.saturating_add(self.scratch));
        self.scratch = self.scratch.saturating_add(1);
        register
    }

    /// Returns operands for literals, which are packed into one constant register.
    pub(super) fn literals<const N: usize>(&mut self, values: [f32; N]) -> [AgalOperand; N] {
        let find = |literal: &[f32], value: f32| {
            let mut known = literal.iter();
            known.position(|known| known.to_bits() == value.to_bits())
        };
        let fits = |literal: &Vec<f32>| {
            let missing = values.iter().filter(|value| find(literal, **value).is_none());
            literal.len().saturating_add(missing.count()) <= 4
        };
        let index = self.literals.iter().position(fits).unwrap_or_else(|| {
            self.literals.push(Vec::new());
            self.literals.len().saturating_sub(1)
        });
        let number = u16::try_from(index).unwrap_or(u16::MAX);
        let register = ShaderFile::Const.at(self.first_literal.saturating_add(number));
        let mut components = [Component::X; N];
        if let Some(literal) = self.literals.get_mut(index) {
            for (component, value) in components.iter_mut().zip(values) {
                let at = find(literal, value).unwrap_or_else(|| {
                    literal.push(value);
                    literal.len().saturating_sub(1)
                });
                *component = Component::from_bits(u8::try_from(at).unwrap_or(0));
            }
        }
        components.map(|component| AgalOperand::new(register).component(component))
    }

    pub(super) fn sincos_constants(&self) -> [AgalOperand; 2] {
        let first = self.sincos.unwrap_or(0);
        [0, 1].map(|n| AgalOperand::new(ShaderFile::Const.at(first.saturating_add(n))))
    }

    /// Translates an AGAL source operand. For indirect sources, loads the index into `a0.x` first.
    pub(super) fn operand(&mut self, source: &IrSource) -> TranslationResult<AgalOperand> {
        let (file, number, component, offset) = match source.address {
            Address::Direct(file, number) => {
                let register = self.register(file, number)?;
                return Ok(AgalOperand::new(register).swizzled(source.swizzle));
            }
            Address::Indirect { file, number, component, offset } => {
                (file, number, component, offset)
            }
        };
        let mut index = AgalOperand::new(self.register(file, number)?).component(component);
        let offset = u16::try_from(offset).unwrap_or_else(|_| {
            // Register numbers can't be negative, so a negative offset is added to the index.
            let [offset] = self.literals([offset.into()]);
            let sum = AgalTarget::new(self.scratch(), WriteMask::first(1));
            self.map(D3d9Opcode::Add, sum, [index, offset]);
            index = AgalOperand::new(sum.register).component(Component::X);
            0
        });
        let loaded = Some((index.register, index.swizzle.get(Component::X)));
        if self.address != loaded {
            let a0 = ShaderFile::Address.at(0);
            self.push(D3d9Opcode::Mova, AgalTarget::new(a0, WriteMask::first(1)), &[index]);
            self.address = loaded;
        }
        let constant = AgalOperand::new(ShaderFile::Const.at(offset));
        let index = Some(AddressIndex::Address(Component::X));
        Ok(AgalOperand { index, swizzle: source.swizzle, ..constant })
    }

    fn register(&mut self, file: RegisterFile, number: u16) -> TranslationResult<D3d9Register> {
        let file = match file {
            RegisterFile::Attribute => ShaderFile::Input,
            RegisterFile::Constant => ShaderFile::Const,
            RegisterFile::Temporary => ShaderFile::Temp,
            RegisterFile::Varying if self.model_3() => ShaderFile::Input,
            RegisterFile::Varying => ShaderFile::Texture,
            RegisterFile::InstanceId => return Err(TranslateError::InstanceId),
            // A valid program reads no register of these files.
            RegisterFile::Output | RegisterFile::Sampler | RegisterFile::DepthOutput => {
                return Err(TranslateError::Token(self.token));
            }
        };
        let register = file.at(number);
        self.uses(register);
        Ok(register)
    }

    pub(super) fn uses(&mut self, register: D3d9Register) {
        if matches!(register.file, ShaderFile::Input | ShaderFile::Texture) {
            self.inputs |= 1u16.checked_shl(register.number.into()).unwrap_or(0);
        }
    }

    pub(super) fn destination(&mut self, dest: &IrDestination) -> TranslationResult<AgalTarget> {
        let number = dest.number;
        let register = match dest.file {
            RegisterFile::Temporary => ShaderFile::Temp.at(number),
            RegisterFile::Output if self.pixel() => ShaderFile::Color.at(number),
            RegisterFile::Output if self.model_3() => ShaderFile::Output.at(0),
            RegisterFile::Output => ShaderFile::Position.at(0),
            RegisterFile::Varying => {
                self.outputs |= 1u16.checked_shl(number.into()).unwrap_or(0);
                if self.model_3() {
                    ShaderFile::Output.at(number.saturating_add(1))
                } else {
                    ShaderFile::TexCoordVarying.at(number)
                }
            }
            RegisterFile::DepthOutput => ShaderFile::Depth.at(0),
            // A valid program writes no register of these files.
            RegisterFile::Attribute
            | RegisterFile::Constant
            | RegisterFile::Sampler
            | RegisterFile::InstanceId => return Err(TranslateError::Token(self.token)),
        };
        // AGAL's verifier guarantees that temporaries are written before they are read, so only outputs are recorded.
        let output = register.file.is_output();
        let settled = self.settled.get(register).contains_all(dest.mask);
        if output && self.depth == 0 {
            self.settled.add(register, dest.mask);
        } else if output && !settled && !self.conditional.contains(&register) {
            self.conditional.push(register);
        }
        Ok(AgalTarget::new(register, dest.mask))
    }

    pub(super) fn push(&mut self, opcode: D3d9Opcode, target: AgalTarget, sources: &[AgalOperand]) {
        self.add(opcode, 0, Some(target), sources);
    }

    /// Appends an instruction; `control` is the comparison of conditionals and of `setp`.
    pub(super) fn add(
        &mut self,
        opcode: D3d9Opcode,
        control: u8,
        target: Option<AgalTarget>,
        sources: &[AgalOperand],
    ) {
        let mut instruction = D3d9Instruction::new(opcode);
        instruction.set_control(control);
        instruction.dest = target.map(AgalTarget::word);
        for source in sources {
            instruction.push_source(source.word());
        }
        // The branch may have loaded another index into `a0.x`.
        let changes = |(index, component)| match target {
            Some(target) => target.register == index && target.mask.contains(component),
            None => true,
        };
        self.address = self.address.filter(|loaded| !changes(*loaded));
        self.orders.add(&instruction, self.version);
        self.body.push(instruction);
    }

    /// Copies the given lanes of an operand to a scratch register.
    pub(super) fn copy(&mut self, operand: AgalOperand, lanes: WriteMask) -> AgalOperand {
        let register = self.scratch();
        self.fill(register, operand, lanes);
        AgalOperand::new(register)
    }

    /// Copies lanes to a register. In ps_2_0, uses as few `mov`s as the available swizzles allow (P2).
    pub(super) fn fill(&mut self, to: D3d9Register, operand: AgalOperand, lanes: WriteMask) {
        if self.has_swizzle(operand.swizzle) {
            self.push(D3d9Opcode::Mov, AgalTarget::new(to, lanes), &[operand]);
            return;
        }
        let mut left = lanes;
        while let Some(first) = left.iter().next() {
            let agreeing = |swizzle: &Swizzle| {
                left.filter(|lane| swizzle.get(lane) == operand.swizzle.get(lane))
            };
            let all = PS_2_0_SWIZZLES.into_iter().map(Swizzle::from_bits);
            let best = all.max_by_key(|swizzle| agreeing(swizzle).len());
            let best = best.unwrap_or(Swizzle::new([operand.swizzle.get(first); 4]));
            let mask = agreeing(&best);
            self.push(D3d9Opcode::Mov, AgalTarget::new(to, mask), &[operand.swizzled(best)]);
            left = left.without(mask);
        }
    }

    fn has_swizzle(&self, swizzle: Swizzle) -> bool {
        self.version != ShaderVersion::Ps20 || is_ps_2_0_swizzle(swizzle)
    }

    /// Copies sources to scratch registers where needed, so that one instruction with this opcode can read all of them.
    pub(super) fn legal_for<const N: usize>(
        &mut self,
        opcode: D3d9Opcode,
        mask: WriteMask,
        operands: [AgalOperand; N],
    ) -> [AgalOperand; N] {
        let lanes = |index: usize| opcode.takes().get(index).map(|takes| takes.lanes(mask, 0));
        self.legal(operands, std::array::from_fn(|index| lanes(index).unwrap_or(mask)))
    }

    /// Copies sources to scratch registers where needed, so that one instruction can read the given lanes.
    pub(super) fn legal<const N: usize>(
        &mut self,
        operands: [AgalOperand; N],
        lanes: [WriteMask; N],
    ) -> [AgalOperand; N] {
        let mut legal: [AgalOperand; N] = operands;
        for (index, (operand, lanes)) in operands.into_iter().zip(lanes).enumerate() {
            let conflicts = legal.iter().take(index).any(|other| other.conflicts_on_port(operand));
            let agreeing = self.agreeing(operand.swizzle, lanes).filter(|_| !conflicts);
            let made = if let Some(swizzle) = agreeing {
                operand.swizzled(swizzle)
            } else {
                let copy =
                    self.copy(AgalOperand { modifier: SourceModifier::None, ..operand }, lanes);
                AgalOperand { modifier: operand.modifier, ..copy }
            };
            if let Some(slot) = legal.get_mut(index) {
                *slot = made;
            }
        }
        legal
    }

    /// Returns a swizzle that the version supports and that equals the wanted swizzle in the given lanes.
    pub(super) fn agreeing(&self, wanted: Swizzle, lanes: WriteMask) -> Option<Swizzle> {
        if self.has_swizzle(wanted) {
            return Some(wanted);
        }
        let mut all = PS_2_0_SWIZZLES.into_iter().map(Swizzle::from_bits);
        all.find(|swizzle| {
            let same = |lane: Component| swizzle.get(lane) == wanted.get(lane);
            lanes.iter().all(same)
        })
    }

    pub(super) fn finish(mut self) -> (D3d9Program, [Option<SamplerOp>; 16]) {
        let mut program = D3d9Program::new(self.version);
        let mut start = Vec::new();
        for register in std::mem::take(&mut self.conditional) {
            let [zero] = self.literals([0.0]);
            let mut mov = D3d9Instruction::new(D3d9Opcode::Mov);
            mov.dest = Some(Dest::new(register, WriteMask::ALL));
            mov.push_source(zero.word());
            start.push(mov);
        }
        let sincos = self.sincos.iter().flat_map(|first| (*first..).zip(SINCOS));
        let literals = self.literals.iter().map(|literal| {
            [0, 1, 2, 3].map(|index: usize| literal.get(index).copied().unwrap_or(0.0))
        });
        for (number, values) in sincos.chain((self.first_literal..).zip(literals)) {
            let mut def = D3d9Instruction::new(D3d9Opcode::Def);
            let register = ShaderFile::Const.at(number);
            def.dest = Some(Dest::new(register, WriteMask::ALL));
            for value in values {
                def.push_literal(value.to_bits());
            }
            program.push(def);
        }
        self.declarations(&mut program);
        for instruction in start.into_iter().chain(std::mem::take(&mut self.body)) {
            program.push(instruction);
        }
        (program, self.samplers)
    }

    fn declarations(&self, program: &mut D3d9Program) {
        let mut declare = |register: D3d9Register, declaration: DclPayload| {
            let mut dcl = D3d9Instruction::new(D3d9Opcode::Dcl);
            dcl.push_literal(declaration.0);
            dcl.dest = Some(Dest::new(register, WriteMask::ALL));
            program.push(dcl);
        };
        let set = |bits: u16| (0u8..16).filter(move |n| bits & 1 << n != 0);
        let texcoord = |n: u8| DclPayload::usage_of(DeclUsage::TexCoord, n);
        for n in set(self.inputs) {
            if self.pixel() && !self.model_3() {
                declare(ShaderFile::Texture.at(n.into()), DclPayload::PLAIN);
            } else {
                declare(ShaderFile::Input.at(n.into()), texcoord(n));
            }
        }
        if !self.pixel() && self.model_3() {
            let position = DclPayload::usage_of(DeclUsage::Position, 0);
            declare(ShaderFile::Output.at(0), position);
            for n in set(self.outputs) {
                declare(ShaderFile::Output.at(u16::from(n) + 1), texcoord(n));
            }
        }
        for (n, sampler) in (0u16..).zip(&self.samplers) {
            if let Some(sampler) = sampler {
                let declaration = DclPayload::sampler(dimension(sampler));
                declare(ShaderFile::Sampler.at(n), declaration);
            }
        }
    }
}
