//! Runs WGSL and naga modules on Vulkan.

use agal::Stage;
use backend_wgpu::probe::{self, Run, Shader};
use context3d::backend::BackendError;
use molehill_testing::probe::ProbeError;

use super::{DriverResults, ProgramDevice};
use crate::differential::inputs::{Grid, columns};
use crate::differential::program::{DriverLanguage, Properties, TestedProgram};

impl ProgramDevice for probe::Probe {
    fn renderer(&self) -> &str {
        probe::Probe::renderer(self)
    }

    fn run(
        &mut self,
        language: DriverLanguage,
        program: &dyn TestedProgram,
        grids: &[Grid<'_>],
    ) -> Result<Vec<DriverResults>, ProbeError> {
        let &Properties { stage, ref interface, linear, .. } = program.properties();
        let inputs: Vec<_> = grids.iter().map(|grid| inputs(grid, stage, linear)).collect();
        let runs =
            grids.iter().zip(&inputs).map(|(Grid { inputs: all, .. }, inputs)| match stage {
                Stage::Vertex => Run {
                    inputs,
                    constants: &all.vertex_constants,
                    textures: &all.vertex_textures,
                    instance: all.instance_id,
                },
                Stage::Fragment => Run {
                    inputs,
                    constants: &all.fragment_constants,
                    textures: &all.textures,
                    instance: 0,
                },
            });
        let wgsl = program.shader(language)?;
        let module = match language {
            DriverLanguage::Naga => Ok(program.module()?),
            DriverLanguage::Wgsl | DriverLanguage::Glsl(_) => probe::parse(&wgsl),
        };
        let results = module.and_then(|module| {
            let shader = Shader { module: &module, stage, interface, linear };
            probe::Probe::run(self, &shader, &runs.collect::<Vec<_>>())
        });
        let results = results.map_err(|error| failed(error, stage, &wgsl))?.into_iter();
        let results =
            results.map(|probe::Results { registers, kept }| DriverResults { registers, kept });
        Ok(results.collect())
    }
}

fn inputs(grid: &Grid<'_>, stage: Stage, linear: bool) -> Vec<Vec<[f32; 4]>> {
    match stage {
        Stage::Vertex => columns(&grid.inputs.attributes),
        Stage::Fragment if !linear => columns(&grid.inputs.varyings),
        Stage::Fragment => {
            let planes = (0..grid.inputs.varyings.len()).map(|n| grid.plane(n));
            planes.map(|plane| vec![plane.origin, plane.dx, plane.dy]).collect()
        }
    }
}

pub(in crate::differential) fn failed(
    error: probe::ProbeError,
    stage: Stage,
    wgsl: &str,
) -> ProbeError {
    let backend = match error {
        probe::ProbeError::Input(text) => return ProbeError::Input(text),
        probe::ProbeError::Missing(text) => BackendError::Unsupported(text),
        probe::ProbeError::Refused(log) => {
            BackendError::CompileFailed { stage: stage.name(), source: wgsl.to_owned(), log }
        }
        probe::ProbeError::Lost => BackendError::Lost,
    };
    backend.into()
}
