//! Allocates registers and builds operands. If the model doesn't allow an operand, the builder copies it to a scratch
//! register ([d3d9.from_agal.ports] [d3d9.from_agal.swizzle]).

use agal::Stage;
use agal::opcode::{OpcodeSignature, Unary, UnaryFormula};
use agal::operand::{Dest as AgalDest, SecondOperand, SourceOperand as AgalSource};
use agal::register::RegisterFile;
use agal::sampler::SamplerOp;
use agal_core::{Component, Swizzle, WriteMask};

use super::operand::{AgalOperand, RegisterDestination, dimension};
use super::{TranslateError, TranslationResult};
use crate::dataflow::WrittenComponents;
use crate::formula::SINCOS;
use crate::opcode::D3d9Opcode;
use crate::operand::{
    AddressIndex, DclPayload, DeclUsage, Dest, PS_2_0_SWIZZLES, Source, SourceModifier,
    is_ps_2_0_swizzle,
};
use crate::program::{D3d9Instruction, D3d9Program};
use crate::register::{D3d9Register, ShaderFile};
use crate::texture_order::TextureOrder;
use crate::version::ShaderVersion;

const SINCOS_CONSTANTS: u16 = 2;

pub(super) struct D3d9Builder<'a> {
    pub(super) version: ShaderVersion,
    pub(super) stage: Stage,
    program: &'a agal::Program,
    body: Vec<D3d9Instruction>,
    pub(super) orders: TextureOrder,
    /// The constants that the translator defines with `def`, each with up to four floats.
    literals: Vec<Vec<f32>>,
    first_literal: u16,
    /// The first of the two constant registers for `sincos`; `None` if `sincos` isn't used.
    sincos: Option<u16>,
    first_scratch: u16,
    scratch: u16,
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

impl<'a> D3d9Builder<'a> {
    pub(super) fn new(program: &'a agal::Program, version: ShaderVersion) -> D3d9Builder<'a> {
        let mut builder = D3d9Builder {
            version,
            stage: program.stage(),
            program,
            // Most AGAL tokens are translated to one or two instructions.
            body: Vec::with_capacity(program.token_count().saturating_mul(2)),
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
        builder.survey();
        builder
    }

    pub(super) fn pixel(&self) -> bool {
        self.stage == Stage::Fragment
    }
    pub(super) fn model_3(&self) -> bool {
        self.version.major() == 3
    }

    /// Counts the program's constants and temporaries, and checks whether `sincos` is used.
    fn survey(&mut self) {
        let (mut constants, mut temporaries) = (0u16, 0u16);
        let mut sincos = false;
        let mut note = |file: Option<RegisterFile>, number: u16, rows: u16| {
            let most = match file {
                Some(RegisterFile::Constant) => &mut constants,
                Some(RegisterFile::Temporary) => &mut temporaries,
                _ => return,
            };
            *most = number.saturating_add(rows).max(*most);
        };
        let code = self.program.instructions().iter();
        for (instruction, shape) in code.filter_map(|one| Some((one, one.opcode()?.signature()))) {
            let formula = |of| shape == OpcodeSignature::Unary(Unary::Formula(of));
            sincos |= formula(UnaryFormula::Sin) || formula(UnaryFormula::Cos);
            let rows =
                if let OpcodeSignature::Binary(binary) = shape { binary.rows().into() } else { 1 };
            // An operand that the opcode doesn't have decodes as attribute 0, so counting it is harmless.
            note(instruction.dest.register_file(), instruction.dest.number, 1);
            let second = match instruction.source2() {
                SecondOperand::Source(source) => *source,
                SecondOperand::Sampler(_) => AgalSource::default(),
            };
            for (source, rows) in [(instruction.source1, 1), (second, rows)] {
                if source.indirect {
                    note(source.index_register_file(), source.number, 1);
                    // An indirect read may access any constant register.
                    let version = self.program.version();
                    let bank = RegisterFile::Constant.version_count(self.stage, version);
                    note(Some(RegisterFile::Constant), 0, bank.unwrap_or(0));
                } else {
                    note(source.register_file(), source.number, rows);
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
            let target = RegisterDestination::new(
                D3d9Register::new(ShaderFile::Temp, number),
                WriteMask::ALL,
            );
            self.push(D3d9Opcode::Mov, target, &[zero]);
        }
    }

    /// Begins the next AGAL token and releases all scratch registers.
    pub(super) fn next_token(&mut self, token: u32) {
        self.token = token;
        self.scratch = 0;
    }

    pub(super) fn scratch(&mut self) -> D3d9Register {
        let register =
            D3d9Register::new(ShaderFile::Temp, self.first_scratch.saturating_add(self.scratch));
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
        let register =
            D3d9Register::new(ShaderFile::Const, self.first_literal.saturating_add(number));
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
        [0, 1].map(|n| {
            AgalOperand::new(D3d9Register::new(ShaderFile::Const, first.saturating_add(n)))
        })
    }

    /// Translates an AGAL source operand. For indirect sources, loads the index into `a0.x` first.
    pub(super) fn operand(&mut self, source: &AgalSource) -> TranslationResult<AgalOperand> {
        if source.indirect {
            let index = AgalSource {
                indirect: false,
                offset: 0,
                file: source.index_file,
                swizzle: Swizzle::IDENTITY,
                ..*source
            };
            let component = Component::from_bits(source.index_component);
            let mut index = self.operand(&index)?.component(component);
            let offset = u16::try_from(source.offset).unwrap_or_else(|_| {
                // Register numbers can't be negative, so a negative offset is added to the index.
                let [offset] = self.literals([source.offset.into()]);
                let sum = RegisterDestination::new(self.scratch(), WriteMask::first(1));
                self.map(D3d9Opcode::Add, sum, [index, offset]);
                index = AgalOperand::new(sum.register).component(Component::X);
                0
            });
            let loaded = Some((index.register, index.swizzle.get(Component::X)));
            if self.address != loaded {
                let address = RegisterDestination::new(
                    D3d9Register::new(ShaderFile::Address, 0),
                    WriteMask::first(1),
                );
                self.push(D3d9Opcode::Mova, address, &[index]);
                self.address = loaded;
            }
            return Ok(AgalOperand {
                register: D3d9Register::new(ShaderFile::Const, offset),
                index: Some(AddressIndex::Address(Component::X)),
                swizzle: source.swizzle,
                modifier: SourceModifier::None,
            });
        }
        let register = self.register(source.register_file(), source.number)?;
        Ok(AgalOperand::new(register).swizzled(source.swizzle))
    }

    fn register(
        &mut self,
        file: Option<RegisterFile>,
        number: u16,
    ) -> TranslationResult<D3d9Register> {
        let file = match file {
            Some(RegisterFile::Attribute) => ShaderFile::Input,
            Some(RegisterFile::Constant) => ShaderFile::Const,
            Some(RegisterFile::Temporary) => ShaderFile::Temp,
            Some(RegisterFile::Varying) if self.model_3() => ShaderFile::Input,
            Some(RegisterFile::Varying) => ShaderFile::Texture,
            Some(RegisterFile::InstanceId) => return Err(TranslateError::InstanceId),
            _ => return Err(TranslateError::Token(self.token)),
        };
        let register = D3d9Register::new(file, number);
        self.uses(register);
        Ok(register)
    }

    pub(super) fn uses(&mut self, register: D3d9Register) {
        if matches!(register.file, ShaderFile::Input | ShaderFile::Texture) {
            self.inputs |= 1u16.checked_shl(register.number.into()).unwrap_or(0);
        }
    }

    pub(super) fn destination(
        &mut self,
        dest: &AgalDest,
    ) -> TranslationResult<RegisterDestination> {
        let number = dest.number;
        let register = match dest.register_file() {
            Some(RegisterFile::Temporary) => D3d9Register::new(ShaderFile::Temp, number),
            Some(RegisterFile::Output) if self.pixel() => {
                D3d9Register::new(ShaderFile::Color, number)
            }
            Some(RegisterFile::Output) if self.model_3() => {
                D3d9Register::new(ShaderFile::Output, 0)
            }
            Some(RegisterFile::Output) => D3d9Register::new(ShaderFile::Position, 0),
            Some(RegisterFile::Varying) => {
                self.outputs |= 1u16.checked_shl(number.into()).unwrap_or(0);
                if self.model_3() {
                    D3d9Register::new(ShaderFile::Output, number.saturating_add(1))
                } else {
                    D3d9Register::new(ShaderFile::TexCoordVarying, number)
                }
            }
            Some(RegisterFile::DepthOutput) => D3d9Register::new(ShaderFile::Depth, 0),
            _ => return Err(TranslateError::Token(self.token)),
        };
        // AGAL's verifier guarantees that temporaries are written before they are read, so only outputs are recorded.
        let output = register.file.is_output();
        let settled = self.settled.get(register).contains_all(dest.mask);
        if output && self.depth == 0 {
            self.settled.add(register, dest.mask);
        } else if output && !settled && !self.conditional.contains(&register) {
            self.conditional.push(register);
        }
        Ok(RegisterDestination::new(register, dest.mask))
    }

    pub(super) fn push(
        &mut self,
        opcode: D3d9Opcode,
        target: RegisterDestination,
        sources: &[AgalOperand],
    ) {
        self.add(opcode, 0, Some(target), sources);
    }

    pub(super) fn push_predicated(
        &mut self,
        opcode: D3d9Opcode,
        target: RegisterDestination,
        sources: &[AgalOperand],
    ) {
        self.push(opcode, target, sources);
        if let Some(last) = self.body.last_mut() {
            let p0 = D3d9Register::new(ShaderFile::Predicate, 0);
            last.set_predicate(Source::new(p0, Swizzle::IDENTITY));
        }
    }

    /// Appends an instruction; `control` is the comparison of conditionals and of `setp`.
    pub(super) fn add(
        &mut self,
        opcode: D3d9Opcode,
        control: u8,
        target: Option<RegisterDestination>,
        sources: &[AgalOperand],
    ) {
        let mut instruction = D3d9Instruction::new(opcode);
        instruction.set_control(control);
        instruction.dest = target.map(RegisterDestination::word);
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
            self.push(D3d9Opcode::Mov, RegisterDestination::new(to, lanes), &[operand]);
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
            self.push(
                D3d9Opcode::Mov,
                RegisterDestination::new(to, mask),
                &[operand.swizzled(best)],
            );
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
            let register = D3d9Register::new(ShaderFile::Const, number);
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
                declare(D3d9Register::new(ShaderFile::Texture, n.into()), DclPayload::PLAIN);
            } else {
                declare(D3d9Register::new(ShaderFile::Input, n.into()), texcoord(n));
            }
        }
        if !self.pixel() && self.model_3() {
            let position = DclPayload::usage_of(DeclUsage::Position, 0);
            declare(D3d9Register::new(ShaderFile::Output, 0), position);
            for n in set(self.outputs) {
                declare(D3d9Register::new(ShaderFile::Output, u16::from(n) + 1), texcoord(n));
            }
        }
        for (n, sampler) in (0u16..).zip(&self.samplers) {
            if let Some(sampler) = sampler {
                let declaration = DclPayload::sampler(dimension(sampler));
                declare(D3d9Register::new(ShaderFile::Sampler, n), declaration);
            }
        }
    }
}
