//! `molehill state`

use std::path::{Path, PathBuf};

use molehill_analysis::Inspector;
use molehill_analysis::state::StateReport;

use super::capture_argument::CaptureArgument;
use super::output::{self, Failure, Status};

/// Shows everything that is bound at a call
#[derive(clap::Args)]
#[command(after_help = include_str!("../help/state.txt"))]
pub(super) struct State {
    #[command(flatten)]
    capture: CaptureArgument,
    /// The call's number, counted from 1
    #[arg(short, long, value_name = "N")]
    call: usize,
    /// Folder for programs, textures, meshes and the render target after the call
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also write the mesh as Wavefront OBJ
    #[arg(long, requires = "out")]
    obj: bool,
}

impl State {
    pub(super) fn run(self) -> Result<Status, Failure> {
        let mut inspector = self.capture.inspector(None)?;
        let state = inspector.state(self.call)?;
        if let Some(out) = &self.out {
            self.write(&mut inspector, &state, out)?;
        }
        self.capture.format.print(&state, || state.to_string())
    }

    fn write(
        &self,
        inspector: &mut Inspector,
        state: &StateReport,
        out: &Path,
    ) -> Result<(), Failure> {
        // First, so that nothing is written for a call without a mesh.
        let mesh = self.obj.then(|| inspector.mesh(self.call)).transpose()?;
        output::make_folder(out)?;
        if let Some(program) = &state.program {
            for (texts, extension) in [(&program.agal, "agal"), (&program.glsl, "glsl")] {
                for (stage, text) in ["vertex", "fragment"].iter().zip(texts) {
                    output::write(&out.join(format!("{stage}.{extension}")), text)?;
                }
            }
        }
        for texture in inspector.textures(self.call)? {
            let (slot, side, level) = (texture.slot, texture.side, texture.level);
            let name = format!("fs{slot}-side{side}-level{level:02}.png");
            output::write_picture(&out.join(name), &texture.image)?;
        }
        if let Some(target) = inspector.picture(self.call)? {
            output::write_picture(&out.join("target.png"), &target)?;
        }
        if let Some(mesh) = mesh {
            output::write(&out.join("before.obj"), mesh.obj(false))?;
            output::write(&out.join("after.obj"), mesh.obj(true))?;
        }
        Ok(())
    }
}
