//! Compares AGAL programs with their Direct3D 9 translations for infinities, NaN and zeros. Tests every opcode, and
//! every pair of opcodes in which the second opcode reads the result of the first.

use agal::generate::Random;
use agal::interp::{CompiledProgram, LANES, LaneRegister, TexelImage};
use agal::opcode::{AgalOpcode, BinaryOp, OpcodeSignature};
use agal::sampler::Dimension;
use agal::{AgalVersion, Rules, Stage, asm, validate};
use d3d9::float::FloatRules;
use d3d9::from_agal::{Model, TranslateError, Translation, translate_unlimited};
use d3d9::interp::{CompiledShader, D3d9Inputs, MAX_STEPS, NoTextures, SamplerImages};
use d3d9::register::ShaderFile;

use crate::lowered::Lowered;

const EDGES: [f32; 11] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1e-40,
    -1e-40,
    f32::MAX,
    -f32::MAX,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// The inputs of a test program: two registers, the rows of a matrix, and the results of a branch.
#[derive(Debug)]
struct Values {
    sources: [LaneRegister; 2],
    constants: [[f32; 4]; 6],
}

impl Values {
    /// Returns the values of both sources for a test run. The first eleven runs cover all pairs of edge values.
    fn new(run: usize) -> Values {
        let mut random = Random::new(run as u64);
        let mut any = || random.pick(&EDGES).copied().unwrap_or_default();
        let mut sources = [LaneRegister::default(); 2];
        for (n, place) in (run * 16..).zip(0..16) {
            let pair = if run < 11 { [EDGES[n % 11], EDGES[n / 11 % 11]] } else { [any(), any()] };
            for (source, value) in sources.iter_mut().zip(pair) {
                source.0[place / LANES][place % LANES] = value;
            }
        }
        let rows = [(); 4].map(|()| [(); 4].map(|()| any()));
        let [x, y, z, w] = rows;
        Values { sources, constants: [x, y, z, w, [0.25; 4], [0.75; 4]] }
    }
}

/// Returns an AGAL statement with an opcode, or `None` if the stage doesn't support the opcode.
fn statement(opcode: AgalOpcode, stage: Stage, dest: u8, [a, b]: [u8; 2]) -> Option<String> {
    let (name, s) = (opcode.name(), if stage == Stage::Vertex { 'v' } else { 'f' });
    if opcode.since().is_none() || !opcode.stages().allows(stage) {
        return None;
    }
    let mask = if opcode.signature().masks_w() { ".xyz" } else { "" };
    let assigned = format!("{name} {s}t{dest}{mask}, {s}t{a}");
    Some(match opcode.signature() {
        OpcodeSignature::Block(_) => return None,
        OpcodeSignature::Kill => format!("{name} {s}t{a}.x"),
        OpcodeSignature::If(_) => {
            let branches = format!("mov {s}t{dest}, {s}c4\nels\nmov {s}t{dest}, {s}c5\neif");
            format!("{name} {s}t{a}.x, {s}t{b}.x\n{branches}")
        }
        OpcodeSignature::Unary(_) => assigned,
        OpcodeSignature::Binary(BinaryOp::Matrix { .. }) => format!("{assigned}, {s}c0"),
        OpcodeSignature::Binary(_) => format!("{assigned}, {s}t{b}"),
        OpcodeSignature::Sample(_) => format!("{assigned}, {s}s0 <2d, repeat, linear, nomip>"),
    })
}

/// A test case: two opcodes; the second reads the result of the first as its first or last source.
#[derive(Clone, Copy, Debug)]
struct Case {
    lowered: Lowered,
    opcodes: [AgalOpcode; 2],
    /// The registers that the second of `opcodes` reads.
    read: [u8; 2],
    /// True if the result is squared, so that it overflows unless the sum is limited.
    squared: bool,
}

impl Case {
    /// Returns the test program, or `None` if the stage doesn't support an opcode.
    fn text(&self) -> Option<String> {
        let [first, second] = self.opcodes;
        let stage = self.lowered.stage;
        let first = statement(first, stage, 2, [0, 1])?;
        let second = statement(second, stage, 3, self.read)?;
        let (t, inputs, output) = match stage {
            Stage::Vertex => ("vt", "va", "op"),
            Stage::Fragment => ("ft", "v", "oc"),
        };
        let inputs = [0, 1, 1, 1].map(|n| format!("{inputs}{n}"));
        let loads = inputs.iter().zip(0..).map(|(input, n)| format!("mov {t}{n}, {input}\n"));
        let loads: String = loads.collect();
        let square = if self.squared { format!("mul {t}3, {t}3, {t}3\n") } else { String::new() };
        Some(format!("{loads}{first}\n{second}\n{square}mov {output}, {t}3"))
    }

    /// Runs the program and its translation. Returns the first difference, and counts the compared results.
    fn difference(&self, runs: &[Values], compared: &mut usize) -> Option<String> {
        let (text, Lowered { stage, model, rules }) = (self.text()?, self.lowered);
        let program = asm::assemble(&text, stage, 4).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let valid = validate(program, stage, &Rules::NEWEST);
        let valid = valid.unwrap_or_else(|error| panic!("{text}\n{error}"));
        let made = match translate_unlimited(&valid, model) {
            Ok(made) => made,
            Err(TranslateError::Opcode { opcode, .. }) => {
                let newer = opcode.since() > Some(AgalVersion::V1);
                assert!(newer && model != Model::V30, "{text}");
                return None;
            }
            Err(error) => panic!("{text}\n{error}"),
        };
        *compared += 1;
        let agal = CompiledProgram::new(&valid).with_float_rules(rules);
        let tokens = CompiledShader::new(&made.program).unwrap().with_float_rules(rules);
        let told = runs.iter().find_map(|values| {
            let (expected, found) = (self.agal(&agal, values), self.tokens(&tokens, &made, values));
            (!expected.is(&found)).then(|| format!("{values:?}: {found:?}, not {expected:?}"))
        });
        let listing = made.program.listing();
        told.map(|told| format!("{stage:?} {} {rules}\n{text}\n{listing}\n{told}", model.name()))
    }

    fn agal(&self, compiled: &CompiledProgram, values: &Values) -> Outcome {
        let mut state = compiled.state();
        for (number, source) in (0..).zip(&values.sources) {
            for lane in 0..LANES {
                match self.lowered.stage {
                    Stage::Vertex => state.set_attribute(number, lane, source.lane(lane)),
                    Stage::Fragment => state.set_varying(number, lane, source.lane(lane)),
                }
            }
        }
        let image = [Some(image())];
        let textures = SamplerImages(&image);
        compiled.run_with(&mut state, &values.constants, &textures, &mut self.lowered.clone());
        let result = [0, 1, 2, 3].map(|lane| match self.lowered.stage {
            Stage::Vertex => state.position(lane),
            Stage::Fragment => state.color(0, lane),
        });
        Outcome { result, alive: state.alive() }
    }

    fn tokens(&self, compiled: &CompiledShader, made: &Translation, values: &Values) -> Outcome {
        let mut state = compiled.state();
        let (vertex, three) =
            (self.lowered.stage == Stage::Vertex, self.lowered.model == Model::V30);
        for (number, source) in (0..).zip(&values.sources) {
            for lane in 0..LANES {
                match vertex || three {
                    true => state.set(ShaderFile::Input.at(number), lane, source.lane(lane)),
                    false => state.set(ShaderFile::Texture.at(number), lane, source.lane(lane)),
                }
            }
        }
        let inputs = D3d9Inputs { floats: &values.constants, ..D3d9Inputs::default() };
        let textures = [made.samplers[0].map(|sampler| (image(), sampler))];
        compiled.run(&mut state, &inputs, &SamplerImages(&textures), MAX_STEPS, &mut ()).unwrap();
        let result = [0, 1, 2, 3].map(|lane| match (vertex, three) {
            (true, true) => state.lane(ShaderFile::Output.at(0), lane),
            (true, false) => state.lane(ShaderFile::Position.at(0), lane),
            (false, _) => state.lane(ShaderFile::Color.at(0), lane),
        });
        Outcome { result, alive: state.alive() }
    }
}

/// The output of each lane, and the lanes that are not discarded.
#[derive(Debug)]
struct Outcome {
    result: [[f32; 4]; LANES],
    alive: [bool; LANES],
}

impl Outcome {
    /// Returns whether all bits are equal; all NaN values count as equal.
    fn is(&self, other: &Outcome) -> bool {
        let [mine, others] = [self, other].map(|one| one.result.as_flattened());
        let mut both = mine.iter().zip(others);
        let equal = both.all(|(a, b)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan());
        equal && self.alive == other.alive
    }
}

fn image() -> TexelImage {
    let texels = [0.25, 0.5, 0.75, 1.0].map(|level| [level; 4]).to_vec();
    TexelImage::new(Dimension::TwoD.faces(), (2, 2), vec![texels]).unwrap()
}

/// Runs all test cases and returns the number of compared results.
fn agree(cases: impl Iterator<Item = Case>, runs: &[Values]) -> usize {
    let mut compared = 0;
    let differ: Vec<String> =
        cases.filter_map(|case| case.difference(runs, &mut compared)).take(5).collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    compared
}

/// Returns all combinations of stage, shader model and float rules.
fn lowered() -> impl Iterator<Item = Lowered> {
    [Stage::Vertex, Stage::Fragment].into_iter().flat_map(|stage| {
        Model::ALL.iter().flat_map(move |model| {
            FloatRules::ALL.iter().map(move |rules| Lowered { stage, model: *model, rules: *rules })
        })
    })
}

/// [d3d9.from_agal.edges] [d3d9.from_agal.compare] [agal.float.sums]
#[test]
fn opcodes_agree() {
    let runs: Vec<Values> = (0..32).map(Values::new).collect();
    let cases = lowered().flat_map(|lowered| {
        let case = move |opcode: &AgalOpcode| {
            let opcodes = [*opcode, AgalOpcode::Mov];
            [false, true].map(|squared| Case { lowered, opcodes, read: [2, 1], squared })
        };
        AgalOpcode::ALL.iter().flat_map(case)
    });
    assert!(agree(cases, &runs) > 800);
}

/// [d3d9.from_agal.edges]
#[test]
fn pairs_of_opcodes_agree() {
    let runs: Vec<Values> = [3, 7, 20, 21, 22, 23].map(Values::new).into();
    let cases = lowered().filter(|lowered| lowered.rules == FloatRules::Direct3D9);
    let cases = cases.flat_map(|lowered| {
        let firsts = AgalOpcode::ALL
            .iter()
            .flat_map(|first| AgalOpcode::ALL.iter().map(|second| [*first, *second]));
        let reads = [([2, 1], false), ([1, 2], false), ([2, 1], true), ([1, 2], true)];
        firsts.flat_map(move |opcodes| {
            reads.map(|(read, squared)| Case { lowered, opcodes, read, squared })
        })
    });
    assert!(agree(cases, &runs) > 28_000);
}

/// A vertex shader clips a line at a plane. A horizontal line causes a division by zero, but the position must be
/// finite in AGAL and in tokens. [agal.float.sums] [agal.div.zero]
#[test]
fn a_level_line_has_a_position() {
    let text = include_str!("../../../tests/programs/segments.agal");
    let (text, _) = text.split_once("// fragment").unwrap();
    let program = asm::assemble(text, Stage::Vertex, 2).unwrap();
    let valid = validate(program, Stage::Vertex, &Rules::NEWEST).unwrap();
    let unit = |n: usize| [0, 1, 2, 3].map(|one| f32::from(u8::from(n == one)));
    let mut constants = [[0.0; 4]; 8];
    constants[1] = [20.0, 0.0, 1.0, 0.0];
    constants[4..].copy_from_slice(&[0, 1, 2, 3].map(unit));
    let line = [[-37.5, -25.0, 150.0, 1.0], [37.5, -25.0, 150.0, 1.0], unit(2)];
    let compiled = CompiledProgram::new(&valid);
    let mut state = compiled.state();
    (0..).zip(line).for_each(|(n, value)| state.set_attribute(n, 0, value));
    compiled.run(&mut state, &constants, &NoTextures);
    assert_eq!(state.position(0), line[0]);
    for model in Model::ALL {
        let made = translate_unlimited(&valid, *model).unwrap();
        let compiled = CompiledShader::new(&made.program).unwrap();
        let mut state = compiled.state();
        (0..).zip(line).for_each(|(n, value)| state.set(ShaderFile::Input.at(n), 0, value));
        let inputs = D3d9Inputs { floats: &constants, ..D3d9Inputs::default() };
        compiled.run(&mut state, &inputs, &NoTextures, MAX_STEPS, &mut ()).unwrap();
        let position = match model {
            Model::V30 => state.lane(ShaderFile::Output.at(0), 0),
            Model::V20 | Model::V2x => state.lane(ShaderFile::Position.at(0), 0),
        };
        assert_eq!(position, line[0], "{}", model.name());
    }
}
