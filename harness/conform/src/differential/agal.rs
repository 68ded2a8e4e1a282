//! AGAL programs as subjects of the comparison.

use agal::generate::Random;
use agal::glsl::{ClipDepth, Dialect, Target, emit};
use agal::interp::{Images, Kernel, LANES, State};
use agal::opcode::{Lookup, Opcode, Shape, Unary};
use agal::{Interface, LinkedPair, Stage};
use molehill_testing::probe::ProbeError;

use super::error_model::{ErrorModel, InexactTextures, with_flushed};
use super::inputs::Grid;
use super::program::{Errors, Job, Register, TestedProgram};

pub(super) struct AgalProgram<'a> {
    pair: &'a LinkedPair,
    stage: Stage,
    kernel: Kernel,
    state: State,
    linear: bool,
}

impl<'a> AgalProgram<'a> {
    pub(super) fn new(job: &Job<'a>, stage: Stage) -> Self {
        let program = match stage {
            Stage::Vertex => job.interpreted.vertex(),
            Stage::Fragment => job.interpreted.fragment(),
        };
        let mut opcodes = program.program().instructions().iter();
        let linear = opcodes.any(|token| {
            token.opcode().is_some_and(|opcode| {
                matches!(
                    opcode.shape(),
                    Shape::Sample(Lookup::Implicit) | Shape::Unary(Unary::Derivative(_))
                )
            })
        });
        let kernel = Kernel::new(program);
        AgalProgram { pair: job.pair, stage, state: kernel.state(), kernel, linear }
    }

    fn set(&mut self, grid: &Grid<'_>, group: u16, errors: Option<&mut Random>) {
        let state = &mut self.state;
        match self.stage {
            Stage::Vertex => {
                grid.vertices(group, errors, |number, lane, value| {
                    state.set_attribute(number, lane, value);
                });
                for lane in 0..LANES {
                    state.set_instance(lane, grid.inputs().instance_id);
                }
            }
            Stage::Fragment => grid.pixels(self.linear, group, errors, |number, lane, value| {
                state.set_varying(number, lane, value);
            }),
        }
    }
}

impl TestedProgram for AgalProgram<'_> {
    fn stage(&self) -> Stage {
        self.stage
    }
    fn interface(&self) -> &Interface {
        self.pair.interface()
    }
    fn is_linear(&self) -> bool {
        self.linear
    }
    fn kills(&self) -> bool {
        let mut tokens = self.pair.fragment().program().instructions().iter();
        tokens.any(|token| token.opcode() == Some(Opcode::Kil))
    }

    fn glsl(&self, dialect: Dialect) -> Result<String, ProbeError> {
        let target = Target { clip_depth: ClipDepth::AsWritten, ..Target::new(dialect) };
        let pair = emit(self.pair, &target)?;
        Ok(match self.stage {
            Stage::Vertex => pair.vertex,
            Stage::Fragment => pair.fragment,
        })
    }

    fn run(&mut self, grid: &Grid<'_>, group: u16, errors: Option<Errors>) -> bool {
        let images = Images { fragment: &grid.fragment, vertex: &grid.vertex };
        let constants = match self.stage {
            Stage::Vertex => &grid.inputs().vertex_constants,
            Stage::Fragment => &grid.inputs().fragment_constants,
        };
        let Some(Errors { driver, seed }) = errors else {
            self.set(grid, group, None);
            self.kernel.run(&mut self.state, constants, &images);
            return false;
        };
        let mut random = Random::new(seed);
        self.set(grid, group, Some(&mut random));
        let constants = with_flushed(constants, &mut random);
        let textures = InexactTextures::new(images, driver, seed ^ 1);
        let mut errors = ErrorModel::new(random);
        self.kernel.run_with(&mut self.state, &constants, &textures, &mut errors);
        false
    }

    fn output(&self, register: Register, lane: usize) -> [f32; 4] {
        output(&self.state, register, lane)
    }
    fn alive(&self) -> [bool; LANES] {
        self.state.alive()
    }
}

pub(super) fn output(state: &State, register: Register, lane: usize) -> [f32; 4] {
    match register {
        Register::Position => state.position(lane),
        Register::Varying(n) => state.varying(n, lane),
        Register::Color(n) => state.color(n, lane),
        Register::Depth => [state.depth(lane); 4],
    }
}
