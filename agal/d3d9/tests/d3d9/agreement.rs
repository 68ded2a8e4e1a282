//! AGAL and its translation compute the same at the edges of the float rules: every opcode, and every pair of which the
//! second reads what the first wrote.

use agal::generate::Random;
use agal::interp::{
    Image, Images as AgalImages, Kernel as AgalKernel, LANES, Observer as AgalObserver, Operands,
    Register, error_bound,
};
use agal::opcode::{Binary, BinaryFormula, Opcode, Relation, Shape, Unary, UnaryFormula};
use agal::sampler::Dimension;
use agal::{Rules, Stage, Version, asm, validate};
use d3d9::float::FloatRules;
use d3d9::from_agal::{Model, TranslateError, Translation, translate_unlimited};
use d3d9::interp::{Images, Inputs, Kernel, MAX_STEPS, Observer, Step};
use d3d9::register::{File, Register as Name};

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

/// What a program reads: two registers, the rows of a matrix, and the results of a branch.
struct Values {
    sources: [Register; 2],
    constants: [[f32; 4]; 6],
}

impl Values {
    /// The values of a run: in the first eleven, every pair of edges meets in some component.
    fn new(run: usize) -> Values {
        let mut random = Random::new(run as u64);
        let mut any = || random.pick(&EDGES).copied().unwrap_or_default();
        let mut sources = [Register::default(); 2];
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

/// The statement of an opcode; `None` if no program of the stage has it.
fn statement(opcode: Opcode, stage: Stage, dest: u8, [a, b]: [u8; 2]) -> Option<String> {
    let (name, s) = (opcode.name(), if stage == Stage::Vertex { 'v' } else { 'f' });
    if opcode.since().is_none() || !opcode.stages().allows(stage) {
        return None;
    }
    let mask = if opcode.shape().masks_w() { ".xyz" } else { "" };
    let assigned = format!("{name} {s}t{dest}{mask}, {s}t{a}");
    Some(match opcode.shape() {
        Shape::Block(_) => return None,
        Shape::Kill => format!("{name} {s}t{a}.x"),
        Shape::If(_) => {
            let branches = format!("mov {s}t{dest}, {s}c4\nels\nmov {s}t{dest}, {s}c5\neif");
            format!("{name} {s}t{a}.x, {s}t{b}.x\n{branches}")
        }
        Shape::Unary(_) => assigned,
        Shape::Binary(Binary::Matrix { .. }) => format!("{assigned}, {s}c0"),
        Shape::Binary(_) => format!("{assigned}, {s}t{b}"),
        Shape::Sample(_) => format!("{assigned}, {s}s0 <2d, repeat, linear, nomip>"),
    })
}

/// Keeps the last values of r2 and r3.
#[derive(Default)]
struct Results([Register; 2]);

impl Observer for Results {
    fn step(&mut self, step: &Step) {
        if let Some((Name { file: File::Temp, number: number @ (2 | 3) }, _, value)) = step.written
        {
            self.0[usize::from(number - 2)] = value;
        }
    }
}

/// Compares the result of the first opcode, and goes on with that of the tokens.
struct First<'a> {
    case: &'a Case,
    /// Number of results before that of the first opcode.
    before: usize,
    found: Register,
    differs: Option<String>,
}

impl AgalObserver for First<'_> {
    const STEPS: bool = false;

    fn computed(&mut self, opcode: Opcode, operands: &Operands<'_>, value: &mut Register) {
        if self.before == 0 {
            let mask = if opcode.shape().masks_w() { 3 } else { 4 };
            self.differs = self.case.differs(opcode, operands, value, &self.found, mask);
            value.0[..mask].copy_from_slice(&self.found.0[..mask]);
        }
        self.before = self.before.wrapping_sub(1);
    }
}

/// Two opcodes in a program; the second reads the result of the first as its first or as its last source.
#[derive(Clone, Copy, Debug)]
struct Case {
    stage: Stage,
    model: Model,
    rules: FloatRules,
    opcodes: [Opcode; 2],
    /// The registers that the second reads.
    read: [u8; 2],
}

impl Case {
    /// The first component that differs from AGAL's.
    fn differs(
        &self,
        opcode: Opcode,
        operands: &Operands<'_>,
        agal: &Register,
        found: &Register,
        mask: usize,
    ) -> Option<String> {
        let bounds = error_bound(opcode, operands, agal);
        let zero = Register::default();
        for n in 0..mask * LANES {
            let (component, lane) = (n / LANES, n % LANES);
            let pick = |register: &Register| register.0[component][lane];
            let sources = [operands.a, operands.b.first().unwrap_or(&zero)].map(pick);
            let expected = self.expected(opcode, sources, pick(agal));
            let found = pick(found);
            let inexact = [Opcode::Sqt, Opcode::Sin, Opcode::Cos].contains(&opcode);
            let same = expected.to_bits() == found.to_bits() || expected.is_nan() && found.is_nan();
            let near = inexact && (expected - found).abs() <= pick(&bounds);
            if !(same || near) {
                return Some(format!("{} of {sources:?}: {found}, not {expected}", opcode.name()));
            }
        }
        None
    }

    /// What the translation gives: AGAL's result, but for the exceptions of [d3d9.from_agal.edges].
    fn expected(&self, opcode: Opcode, [a, b]: [f32; 2], agal: f32) -> f32 {
        let by_difference = self.model == Model::V20 && self.stage == Stage::Fragment;
        match opcode.shape() {
            Shape::Unary(Unary::Formula(UnaryFormula::Sqt)) if a == 0.0 || !a.is_finite() => {
                self.rules.rcp(self.rules.rsq(a))
            }
            Shape::Unary(Unary::Formula(UnaryFormula::Sat))
                if self.stage == Stage::Vertex && self.model != Model::V30 && a == 0.0 =>
            {
                a
            }
            Shape::Binary(Binary::Formula(BinaryFormula::Div))
                if self.rules == FloatRules::Ieee =>
            {
                a * (1.0 / b)
            }
            Shape::Binary(Binary::Compare(relation))
                if by_difference && (a.is_nan() || b.is_nan()) =>
            {
                let equal = matches!(relation, Relation::Equal | Relation::GreaterOrEqual);
                f32::from(u8::from(equal))
            }
            _ => agal,
        }
    }

    /// The program; `None` if the stage lacks an opcode.
    fn text(&self) -> Option<String> {
        let [first, second] = self.opcodes;
        let first = statement(first, self.stage, 2, [0, 1])?;
        let second = statement(second, self.stage, 3, self.read)?;
        let (t, inputs, output) = match self.stage {
            Stage::Vertex => ("vt", "va", "op"),
            Stage::Fragment => ("ft", "v", "oc"),
        };
        let inputs = [0, 1, 1, 1].map(|n| format!("{inputs}{n}"));
        let loads = inputs.iter().zip(0..).map(|(input, n)| format!("mov {t}{n}, {input}\n"));
        let loads: String = loads.collect();
        Some(format!("{loads}{first}\n{second}\nmov {output}, {t}3"))
    }

    /// Runs the program and its translation. Returns the first difference; counts what was compared.
    fn difference(&self, runs: &[Values], compared: &mut usize) -> Option<String> {
        let text = self.text()?;
        let program = asm::assemble(&text, self.stage, 4).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let valid = validate(program, self.stage, &Rules::NEWEST);
        let valid = valid.unwrap_or_else(|error| panic!("{text}\n{error}"));
        let made = match translate_unlimited(&valid, self.model) {
            Ok(made) => made,
            Err(TranslateError::Opcode { opcode, .. }) => {
                let newer = opcode.since() > Some(Version::V1);
                assert!(newer && self.model != Model::V30, "{text}");
                return None;
            }
            Err(error) => panic!("{text}\n{error}"),
        };
        *compared += 1;
        let agal = AgalKernel::new(&valid).with_float_rules(self.rules);
        let tokens = Kernel::new(&made.program).unwrap().with_float_rules(self.rules);
        let told = runs.iter().find_map(|values| {
            let (results, alive) = self.tokens(&tokens, &made, values);
            self.agal(&agal, values, results, alive)
        });
        let (model, listing) = (self.model.name(), made.program.listing());
        told.map(|told| {
            format!("{:?} {model} {}\n{text}\n{listing}\n{told}", self.stage, self.rules)
        })
    }

    /// Runs the tokens: returns r2 and r3, and the lanes that are not discarded.
    fn tokens(
        &self,
        kernel: &Kernel,
        made: &Translation,
        values: &Values,
    ) -> ([Register; 2], [bool; LANES]) {
        let mut state = kernel.state();
        let texcoords = self.stage == Stage::Fragment && self.model != Model::V30;
        for (number, source) in (0..).zip(&values.sources) {
            for lane in 0..LANES {
                match texcoords {
                    true => state.set_texcoord(number, lane, source.lane(lane)),
                    false => state.set_input(number, lane, source.lane(lane)),
                }
            }
        }
        let inputs = Inputs { floats: &values.constants, ..Inputs::default() };
        let textures = [made.samplers[0].map(|sampler| (image(), sampler))];
        let mut results = Results::default();
        kernel.run(&mut state, &inputs, &Images(&textures), MAX_STEPS, &mut results).unwrap();
        (results.0, state.alive())
    }

    /// Runs AGAL, with the first result of the tokens, and compares both results.
    fn agal(
        &self,
        kernel: &AgalKernel,
        values: &Values,
        [found, last]: [Register; 2],
        alive: [bool; LANES],
    ) -> Option<String> {
        let mut state = kernel.state();
        for (number, source) in (0..).zip(&values.sources) {
            for lane in 0..LANES {
                match self.stage {
                    Stage::Vertex => state.set_attribute(number, lane, source.lane(lane)),
                    Stage::Fragment => state.set_varying(number, lane, source.lane(lane)),
                }
            }
        }
        let [first, second] = self.opcodes;
        let computes = !matches!(first.shape(), Shape::If(_) | Shape::Kill);
        let before = if computes { 4 } else { usize::MAX };
        let mut observer = First { case: self, before, found, differs: None };
        let image = [Some(image())];
        let textures = AgalImages { fragment: &image, vertex: &image };
        kernel.run_with(&mut state, &values.constants, &textures, &mut observer);
        let mut output = Register::default();
        for lane in 0..LANES {
            let value = match self.stage {
                Stage::Vertex => state.position(lane),
                Stage::Fragment => state.color(0, lane),
            };
            output.set_lane(lane, value);
        }
        let [a, b] = self.read.map(|number| match number {
            2 => found,
            number => values.sources[usize::from(number)],
        });
        let operands = Operands { a: &a, b: &[b] };
        let killed = (alive != state.alive()).then(|| format!("alive are {alive:?}"));
        let told = observer.differs.or(killed);
        told.or_else(|| self.differs(second, &operands, &output, &last, 4))
    }
}

fn image() -> Image {
    let texels = [0.25, 0.5, 0.75, 1.0].map(|level| [level; 4]).to_vec();
    Image::new(Dimension::TwoD, (2, 2), vec![texels]).unwrap()
}

/// Compares every case; returns how many there were.
fn agree(cases: impl Iterator<Item = Case>, runs: &[Values]) -> usize {
    let mut compared = 0;
    let differ: Vec<String> =
        cases.filter_map(|case| case.difference(runs, &mut compared)).take(5).collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    compared
}

/// Every stage, model and set of rules.
fn frames() -> impl Iterator<Item = (Stage, Model, FloatRules)> {
    let stages = [Stage::Vertex, Stage::Fragment].into_iter();
    stages.flat_map(|stage| {
        let models = Model::ALL.iter();
        models
            .flat_map(move |model| FloatRules::ALL.iter().map(move |rules| (stage, *model, *rules)))
    })
}

/// [d3d9.from_agal.edges]
#[test]
fn opcodes_agree() {
    let runs: Vec<Values> = (0..32).map(Values::new).collect();
    let cases = frames().flat_map(|(stage, model, rules)| {
        let of = move |opcode: &Opcode| {
            let opcodes = [*opcode, Opcode::Mov];
            Case { stage, model, rules, opcodes, read: [2, 1] }
        };
        Opcode::ALL.iter().map(of)
    });
    assert!(agree(cases, &runs) > 400);
}

/// [d3d9.from_agal.edges]
#[test]
fn pairs_of_opcodes_agree() {
    let runs: Vec<Values> = [3, 7, 20, 21, 22, 23].map(Values::new).into();
    let frames = frames().filter(|(.., rules)| *rules == FloatRules::Direct3D9);
    let cases = frames.flat_map(|(stage, model, rules)| {
        let pairs = Opcode::ALL.iter().flat_map(|first| {
            Opcode::ALL
                .iter()
                .flat_map(|second| [[2, 1], [1, 2]].map(|read| (*first, *second, read)))
        });
        pairs.map(move |(first, second, read)| Case {
            stage,
            model,
            rules,
            opcodes: [first, second],
            read,
        })
    });
    assert!(agree(cases, &runs) > 14_000);
}
