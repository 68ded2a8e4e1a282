//! Runs WGSL and naga modules on Vulkan.

use agal::Stage;
use backend_wgpu::probe::{self, ProbeRun, ProbeShader};
use context3d::backend::BackendError;
use molehill_testing::probe::ShaderRunError;

use super::{DriverResults, ProgramDevice};
use crate::differential::inputs::{InputGrid, columns};
use crate::differential::program::{DriverLanguage, ProgramProperties, TestedProgram};

impl ProgramDevice for probe::WgpuRunner {
    fn renderer(&self) -> &str {
        probe::WgpuRunner::renderer(self)
    }

    fn run(
        &mut self,
        language: DriverLanguage,
        program: &dyn TestedProgram,
        grids: &[InputGrid<'_>],
    ) -> Result<Vec<DriverResults>, ShaderRunError> {
        let &ProgramProperties { stage, ref interface, linear, .. } = program.properties();
        let inputs: Vec<_> = grids.iter().map(|grid| inputs(grid, stage, linear)).collect();
        let runs =
            grids.iter().zip(&inputs).map(|(InputGrid { inputs: all, .. }, inputs)| match stage {
                Stage::Vertex => ProbeRun {
                    inputs,
                    constants: &all.vertex_constants,
                    textures: &all.vertex_textures,
                    instance: all.instance_id,
                },
                Stage::Fragment => ProbeRun {
                    inputs,
                    constants: &all.fragment_constants,
                    textures: &all.textures,
                    instance: 0,
                },
            });
        let wgsl = program.shader(language)?;
        let module = match language {
            DriverLanguage::Naga => Ok(program.module()?),
            DriverLanguage::Wgsl | DriverLanguage::Glsl(_) | DriverLanguage::Tokens(_) => {
                probe::parse(&wgsl)
            }
        };
        let results = module.and_then(|module| {
            let shader = ProbeShader { module: &module, stage, interface, linear };
            probe::WgpuRunner::run(self, &shader, &runs.collect::<Vec<_>>())
        });
        let results = results.map_err(|error| failed(error, stage, &wgsl))?.into_iter();
        let results = results
            .map(|probe::ProbeResults { registers, kept }| DriverResults { registers, kept });
        Ok(results.collect())
    }
}

fn inputs(grid: &InputGrid<'_>, stage: Stage, linear: bool) -> Vec<Vec<[f32; 4]>> {
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
    error: probe::WgpuRunError,
    stage: Stage,
    wgsl: &str,
) -> ShaderRunError {
    let backend = match error {
        probe::WgpuRunError::Input(text) => return ShaderRunError::Input(text),
        probe::WgpuRunError::Missing(text) => BackendError::Unsupported(text),
        probe::WgpuRunError::Refused(log) => {
            BackendError::CompileFailed { stage: stage.name(), source: wgsl.to_owned(), log }
        }
        probe::WgpuRunError::Lost => BackendError::Lost,
    };
    backend.into()
}
