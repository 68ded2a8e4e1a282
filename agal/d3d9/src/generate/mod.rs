//! Generates every opcode of a version with every write mask, a covering set of swizzles and every modifier, predicate
//! and index, several instructions per shader; and every kind of block inside every other kind.

mod frame;

use crate::opcode::{CompareOp, D3d9Opcode, Load, Operation, TextureOp};
use crate::operand::{
    AddressIndex, Component, Dest, ResultModifiers, SHIFTS, Source, SourceModifier, Swizzle,
    WriteMask,
};
use crate::register::ShaderFile;
use crate::{D3d9Instruction, D3d9Program, ShaderVersion, StreamItem, text};

use frame::{assembled, end, is_valid, item, results, start, whole};

/// A set of swizzles that select every component at every position. Swizzles that all versions support come first.
const SWIZZLES: [[u8; 4]; 9] = [
    [0, 1, 2, 3],
    [0, 0, 0, 0],
    [1, 1, 1, 1],
    [2, 2, 2, 2],
    [3, 3, 3, 3],
    [1, 2, 0, 3],
    [2, 0, 1, 3],
    [3, 2, 1, 0],
    [1, 3, 0, 2],
];

/// Instructions that open a control-flow block. `OP` stands for a comparison, such as `_gt`.
const BLOCKS: [&str; 7] =
    ["if b0", "if !b1", "if p0.x", "if !p0.y", "if_OP r0.x, c9.y", "rep i1", "loop aL, i0"];
/// Instructions inside the inner control-flow block. `V` stands for the register letter of a pixel shader's inputs.
const LEAVES: [&str; 8] = [
    "",
    "else",
    "break",
    "break_OP r1.z, c8.w",
    "breakp p0.z",
    "breakp !p0.w",
    "dsx r6, V1",
    "texld r6, V2, s1",
];

/// The property of an instruction that is tested in addition to its mask and swizzle.
#[derive(Clone, Copy)]
enum TestedProperty {
    Source(SourceModifier),
    Indexed,
    Result(u8),
    Shift(u8),
    Compare(CompareOp),
    Load(Load),
    /// A predicate, which may be negated.
    Predicate(SourceModifier),
}

/// A tested instruction: its variant, write mask, swizzle index, and destination register.
#[derive(Clone, Copy)]
struct TestedInstruction {
    opcode: D3d9Opcode,
    version: ShaderVersion,
    variant: TestedProperty,
    mask: u8,
    turn: usize,
    result: u16,
}

/// Returns all valid generated shaders of a version. Generates only every `thin`-th instruction.
pub fn exhaustive(version: ShaderVersion, thin: usize) -> Vec<D3d9Program> {
    let mut programs = blocks(version, thin.div_ceil(32));
    let registers = results(version);
    let mut count = 0usize;
    for &opcode in D3d9Opcode::ALL.iter().filter(|opcode| is_tested(**opcode, version)) {
        // A discarded pixel has no results, and some destinations can't be outputs if they are written twice.
        let capacity = match opcode.operation() {
            Operation::Texture(_) | Operation::Mova | Operation::Setp => 1,
            _ => registers.len(),
        };
        // All texture instructions are generated, because the checker rejects most of them below ps_3_0.
        let is_texture = matches!(opcode.operation(), Operation::Texture(_));
        let thin = if is_texture { thin.div_ceil(16) } else { thin };
        let choices = variants(opcode, version).into_iter().flat_map(|variant| {
            (1..=15u8).flat_map(move |mask| {
                let turns = 0..SWIZZLES.len();
                turns.map(move |turn| TestedInstruction {
                    opcode,
                    version,
                    variant,
                    mask,
                    turn,
                    result: 0,
                })
            })
        });
        let mut valid = Vec::new();
        for choice in choices {
            count += 1;
            if !count.is_multiple_of(thin.max(1)) {
                continue;
            }
            let result = registers.start + u16::try_from(valid.len() % capacity).unwrap_or(0);
            let made = item(TestedInstruction { result, ..choice }.instruction(), version);
            if is_valid(&framed(version, std::slice::from_ref(&made))) {
                valid.push(made);
            }
        }
        programs.extend(valid.chunks(capacity).map(|some| framed(version, some)));
    }
    // Instructions that are valid individually may exceed a shader limit together.
    programs.retain(is_valid);
    programs
}

fn framed(version: ShaderVersion, some: &[StreamItem]) -> D3d9Program {
    let texture = some.iter().any(|item| match item {
        StreamItem::Instruction(one) => {
            let dest = one.dest_register(version);
            dest.is_some_and(|register| register.file == ShaderFile::Texture)
        }
        StreamItem::Comment(_) | StreamItem::Malformed(_) => false,
    });
    // In ps_1_1 to ps_1_3, texture instructions come first, and texture registers are output only if r0 is not.
    let phase = !(texture && version.is_ps_1_1_to_1_3());
    let body = [start(version, phase), some.to_vec()].concat();
    let end = end(version, &body);
    assembled(version, &[&body, &end])
}

/// Returns every `thin`-th shader with a control-flow block inside another block.
fn blocks(version: ShaderVersion, thin: usize) -> Vec<D3d9Program> {
    let pairs = BLOCKS.into_iter().flat_map(|outer| BLOCKS.map(|inner| [outer, inner]));
    let all = pairs.flat_map(|pair| LEAVES.map(|leaf| (pair, leaf)));
    let text = |(number, ([outer, inner], leaf)): (usize, ([&str; 2], &str))| {
        let [outer_end, inner_end] = [outer, inner].map(|opener| {
            let name = opener.split([' ', '_']).next().unwrap_or_default();
            format!("end{name}")
        });
        let otherwise = if outer.starts_with("if") { "else\nmul r7, r7, c9" } else { "" };
        let in_loop = [outer, inner].iter().any(|opener| opener.starts_with("loop"));
        let indexed = match (in_loop, version.is_vertex()) {
            (false, _) => "c8",
            (true, true) => "c8[aL]",
            (true, false) => "v[aL]",
        };
        let comparison = CompareOp::ALL.get(number % CompareOp::ALL.len());
        let lines = format!(
            "{}\n{outer}\nadd r4, r4, r1\n{inner}\nadd r5, r5, {indexed}\n{leaf}\nadd r6, r6, r3\n{inner_end}\n\
             add r7, r7, r2\n{otherwise}\n{outer_end}\n",
            version.name()
        );
        let lines = lines.replace("OP", comparison.map_or("gt", |comparison| comparison.name()));
        lines.replace('V', if version.major() == 3 { "v" } else { "t" })
    };
    // Some shader versions lack an instruction or reject it inside a block.
    let assembled = all.enumerate().map(text).filter_map(|text| text::assemble(&text).ok());
    let programs = assembled.map(|program| framed(version, &program.items)).filter(is_valid);
    programs.step_by(thin.max(1)).collect()
}

/// Returns the variants of an opcode; derivatives of indexed inputs only outside flow control [d3d9.gradient.flow].
fn variants(opcode: D3d9Opcode, version: ShaderVersion) -> Vec<TestedProperty> {
    if opcode.compares() {
        return CompareOp::ALL.iter().copied().map(TestedProperty::Compare).collect();
    }
    let kind = opcode.operation();
    let sources = SourceModifier::ALL.iter().copied().filter(|modifier| match (kind, modifier) {
        (_, SourceModifier::None) => true,
        // Only texture lookups tolerate the rounding error of a division.
        (
            Operation::Texture(TextureOp::Load),
            SourceModifier::DivideZ | SourceModifier::DivideW,
        ) => version.is_ps_1(),
        (Operation::Texture(_), SourceModifier::Sign) => version.is_ps_1_1_to_1_3(),
        (Operation::Texture(_), _)
        | (_, SourceModifier::Not | SourceModifier::DivideZ | SourceModifier::DivideW) => false,
        _ => true,
    });
    let mut all: Vec<TestedProperty> = sources.map(TestedProperty::Source).collect();
    all.extend([ResultModifiers::SATURATE, ResultModifiers::PARTIAL].map(TestedProperty::Result));
    if version.is_vertex() && kind != Operation::Mova {
        all.push(TestedProperty::Indexed);
    }
    if version.is_ps_1() {
        all.extend(SHIFTS.iter().map(|(bits, _)| TestedProperty::Shift(*bits)));
    }
    if opcode == D3d9Opcode::Tex && version.has_lengths() {
        all.extend(Load::ALL.iter().copied().map(TestedProperty::Load));
    }
    if version.major() > 1 && ShaderFile::Predicate.info(version).is_some() {
        all.extend([SourceModifier::None, SourceModifier::Not].map(TestedProperty::Predicate));
    }
    all
}

impl TestedInstruction {
    fn instruction(self) -> D3d9Instruction {
        let TestedInstruction { opcode, version, variant, turn, .. } = self;
        let mut instruction = D3d9Instruction::new(opcode);
        instruction.dest = opcode.has_dest().then(|| self.dest());
        let count = opcode.sources(version);
        for number in 0..count {
            let source = self.source(number);
            let is_chosen = number == turn % 3 || count == 1;
            instruction.push_source(match variant {
                TestedProperty::Source(modifier) if is_chosen => source.with_modifier(modifier),
                TestedProperty::Indexed if is_chosen && is_indexable(source, version) => {
                    let index = AddressIndex::Address(Component::X).word();
                    source.indexed((version != ShaderVersion::Vs11).then_some(index))
                }
                _ => source,
            });
        }
        match variant {
            TestedProperty::Compare(comparison) => instruction.set_control(comparison.code()),
            TestedProperty::Load(load) => instruction.set_control(load.code()),
            TestedProperty::Predicate(modifier) => {
                let register = ShaderFile::Predicate.at(0);
                let one = Component::ALL.get(turn % 5);
                let one = one.map(|component| Source::scalar(register, *component));
                let predicate = one.unwrap_or(whole(ShaderFile::Predicate, 0));
                instruction.set_predicate(predicate.with_modifier(modifier));
            }
            TestedProperty::Source(_)
            | TestedProperty::Indexed
            | TestedProperty::Result(_)
            | TestedProperty::Shift(_) => {}
        }
        instruction
    }

    fn dest(self) -> Dest {
        let register = match self.opcode.operation() {
            Operation::Mova => ShaderFile::Address.at(0),
            Operation::Setp => ShaderFile::Predicate.at(0),
            Operation::Texture(_) if self.version.is_ps_1_1_to_1_3() => ShaderFile::Texture.at(2),
            Operation::Texture(TextureOp::Kill) => ShaderFile::Temp.at(0),
            _ if self.version.is_ps_1_1_to_1_3() && self.turn == 0 => ShaderFile::Texture.at(1),
            _ => ShaderFile::Temp.at(self.result),
        };
        let dest = Dest::new(register, WriteMask::from_bits(self.mask));
        match self.variant {
            TestedProperty::Result(bits) => dest.with_modifiers(bits),
            TestedProperty::Shift(bits) => dest.with_shift(bits),
            _ => dest,
        }
    }

    fn source(self, number: usize) -> Source {
        let TestedInstruction { opcode, version, mask, turn, result, .. } = self;
        let varying = match (version.is_vertex(), version.major()) {
            (true, _) | (_, 3) => ShaderFile::Input,
            _ => ShaderFile::Texture,
        };
        let own = u16::try_from(number).unwrap_or(0);
        // The register type and the swizzle alternate with different periods. The last of the four registers is the
        // destination register.
        let register = match ((turn + number + usize::from(mask)) % 4, version.is_ps_1()) {
            (0, true) => ShaderFile::Temp.at(1),
            (0, false) => ShaderFile::Temp.at(own),
            (1, true) => varying.at(u16::from(number == 1)),
            (1, false) => varying.at(own),
            (2, _) => ShaderFile::Const.at(own),
            _ => ShaderFile::Temp.at(result),
        };
        let lanes = SWIZZLES.get((turn + number * 4) % SWIZZLES.len());
        let lanes = lanes.copied().unwrap_or([0, 1, 2, 3]).map(Component::from_bits);
        let swizzle = Swizzle::new(lanes);
        let scalar = || Swizzle::new([swizzle.get(Component::Y); 4]);
        match (opcode.operation(), number) {
            (
                Operation::Texture(
                    TextureOp::Load | TextureOp::LoadLevel | TextureOp::LoadGradient,
                ),
                1,
            ) => whole(ShaderFile::Sampler, u16::from(mask & 1)),
            (Operation::Texture(_), _) if version.major() == 1 => whole(ShaderFile::Texture, 0),
            (Operation::Cross, _) => Source::new(register, Swizzle::IDENTITY),
            // The second and third operands of `sgn` are scratch registers that the instruction overwrites.
            (Operation::Sgn, 1 | 2) => whole(ShaderFile::Temp, u16::from(number == 2) + 2),
            (Operation::SinCos, 1 | 2) => {
                whole(ShaderFile::Const, if number == 1 { 14 } else { 15 })
            }
            (Operation::Matrix { .. }, 1) => {
                whole(if turn.is_multiple_of(2) { ShaderFile::Const } else { ShaderFile::Temp }, 0)
            }
            (Operation::Scalar(_) | Operation::SinCos | Operation::ExpPartial, _) => {
                Source::new(register, scalar())
            }
            _ => Source::new(register, swizzle),
        }
    }
}

/// Returns whether a vertex shader may add an address register to a source operand.
fn is_indexable(source: Source, version: ShaderVersion) -> bool {
    let file = source.register(version).map(|register| register.file);
    file == Some(ShaderFile::Const) || file == Some(ShaderFile::Input) && version.major() == 3
}

/// Returns whether an opcode is tested in a shader version. Excluded are texture instructions of ps_1_1 to ps_1_3 that
/// need a sequence or reserve a register, and instructions of ps_1_x that write depth.
pub fn is_tested(opcode: D3d9Opcode, version: ShaderVersion) -> bool {
    let is_excluded = matches!(
        opcode.operation(),
        Operation::Meta
            | Operation::Dcl
            | Operation::Def(_)
            | Operation::Flow(_)
            | Operation::Phase
            | Operation::Texture(
                TextureOp::MatrixDepth
                    | TextureOp::Depth
                    | TextureOp::Bem { .. }
                    | TextureOp::Pad { .. }
                    | TextureOp::MatrixLoad { .. }
                    | TextureOp::MatrixValue
                    | TextureOp::Reflect { .. }
            )
    );
    opcode.exists_in(version) && !is_excluded
}
