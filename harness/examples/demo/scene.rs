//! The objects and draws of the demo.

use std::io::Write;

use context3d::backend::NullBackend;

use super::math::{
    Mat4, Vec3, add, look_at, mul, normalize, perspective, rotation_x, rotation_y, scaling,
    translation,
};
use super::stage::{Stage, Uploaded};
use super::{SIZE, mesh, texture};
use context3d::backend::BackendFactory;
use molehill_capture::objects::{ProgramId, TextureId};
use molehill_conform::calls::Calls as _;
use molehill_replay::record::RecordError;

const SPARKS: u8 = 14;
/// Width and height of the mirror texture in texels.
const MIRROR_SIDE: i32 = 512;
/// The position of the knot's centre.
const KNOT_PLACE: Vec3 = [0.0, 1.75, 0.0];
const BACKDROP_TOP: [f32; 3] = [0.02, 0.03, 0.07];
const BACKDROP_BOTTOM: [f32; 3] = [0.16, 0.2, 0.3];
/// Direction to the light.
const LIGHT: Vec3 = [0.45, 0.8, -0.55];

/// All objects of the scene.
pub(super) struct Scene {
    knot: (ProgramId, Uploaded, TextureId),
    floor: (ProgramId, Uploaded, TextureId),
    backdrop: (ProgramId, Uploaded),
    sparks: (ProgramId, Uploaded),
    mirror: TextureId,
}

type Done = Result<(), RecordError>;

impl Scene {
    pub(super) fn build<W: Write, F: BackendFactory<Backend = NullBackend>>(
        stage: &mut Stage<W, F>,
    ) -> Result<Scene, RecordError> {
        stage.configure(SIZE)?;
        let scene = Scene {
            knot: (
                stage.program(include_str!("knot.agal"))?,
                stage.mesh(&mesh::knot())?,
                stage.mipmapped(texture::mip_chain(texture::metal(128)))?,
            ),
            floor: (
                stage.program(include_str!("floor.agal"))?,
                stage.mesh(&mesh::floor())?,
                stage.mipmapped(texture::mip_chain(texture::tiles(64)))?,
            ),
            backdrop: (
                stage.program(include_str!("backdrop.agal"))?,
                stage.mesh(&mesh::backdrop(BACKDROP_TOP, BACKDROP_BOTTOM))?,
            ),
            sparks: (
                stage.program(include_str!("sparks.agal"))?,
                stage.mesh(&mesh::sparks(SPARKS))?,
            ),
            mirror: stage.create_texture(MIRROR_SIDE, MIRROR_SIDE, "bgra", true, 0)?,
        };
        Ok(scene)
    }

    /// Draws a frame. `time` from 0 to 1 is one loop.
    pub(super) fn draw<W: Write, F: BackendFactory<Backend = NullBackend>>(
        &self,
        stage: &mut Stage<W, F>,
        time: f64,
    ) -> Done {
        let turn = time * std::f64::consts::TAU;
        let eye = [1.5 * turn.sin(), 2.9 + 0.35 * turn.cos(), -5.9];
        let view = look_at(eye, [0.0, 1.25, 0.0]);
        let projection = perspective(0.82, f64::from(SIZE.0) / f64::from(SIZE.1), 0.5, 40.0);
        let model = mul(
            &translation(KNOT_PLACE),
            &mul(&rotation_y(turn / 2.0), &rotation_x(0.5 + 0.2 * turn.sin())),
        );
        let mirror = scaling([1.0, -1.0, 1.0]);

        self.light(stage, eye)?;
        stage.set_render_to_texture(self.mirror, true, 0, 0, 0)?;
        stage.blacken(0.0)?;
        // Mirroring reverses the winding.
        self.draw_knot(stage, &mul(&mirror, &model), &mul(&projection, &view), "front")?;
        self.draw_sparks(stage, &mul(&view, &mirror), &projection, turn)?;
        stage.set_render_to_back_buffer()?;

        stage.blacken(1.0)?;
        self.draw_backdrop(stage)?;
        self.draw_floor(stage, &mul(&projection, &view))?;
        self.draw_knot(stage, &model, &mul(&projection, &view), "back")?;
        self.draw_sparks(stage, &view, &projection, turn)?;
        stage.end_frame()
    }

    /// Sets the fragment constants, which the AGAL files describe.
    fn light<W: Write, F: BackendFactory<Backend = NullBackend>>(
        &self,
        stage: &mut Stage<W, F>,
        eye: Vec3,
    ) -> Done {
        let [x, y, z] = normalize(LIGHT);
        let constants = [
            [x, y, z, 0.0],
            [eye[0], eye[1], eye[2], 42.0],
            [0.95, 0.9, 0.82, 1.0],
            [0.17, 0.19, 0.26, 0.75],
            [0.3, 0.42, 0.7, 0.0],
            [0.5, -0.5, 0.5, 1.2 / f64::from(MIRROR_SIDE)],
            [0.11, 0.115, 0.125, 0.0],
            [1.0 / 46.0, 1.0, 0.0, 0.0],
            [1.0, 0.72, 0.35, 1.0],
        ];
        stage.constants("fragment", 0, &constants)
    }

    fn draw_knot<W: Write, F: BackendFactory<Backend = NullBackend>>(
        &self,
        stage: &mut Stage<W, F>,
        model: &Mat4,
        view_projection: &Mat4,
        cull: &str,
    ) -> Done {
        let (program, mesh, texture) = self.knot;
        stage.set_program(program)?;
        stage.set_texture_at(0, texture)?;
        stage.matrix("vertex", 0, model)?;
        stage.matrix("vertex", 4, view_projection)?;
        stage.set_culling(cull)?;
        stage.set_depth_test(true, "less")?;
        stage.set_blend_factors("one", "zero")?;
        stage.draw(mesh, &["float3", "float3", "float2"])
    }

    fn draw_floor<W: Write, F: BackendFactory<Backend = NullBackend>>(
        &self,
        stage: &mut Stage<W, F>,
        view_projection: &Mat4,
    ) -> Done {
        let (program, mesh, texture) = self.floor;
        stage.set_program(program)?;
        stage.set_texture_at(0, texture)?;
        stage.set_texture_at(1, self.mirror)?;
        stage.matrix("vertex", 4, view_projection)?;
        stage.set_culling("back")?;
        stage.set_depth_test(true, "less")?;
        stage.set_blend_factors("sourceAlpha", "oneMinusSourceAlpha")?;
        stage.draw(mesh, &["float3", "float2"])?;
        // The next frame renders to this texture, and a texture can't be both target and input.
        stage.set_texture_at(1, None)
    }

    fn draw_backdrop<W: Write, F: BackendFactory<Backend = NullBackend>>(
        &self,
        stage: &mut Stage<W, F>,
    ) -> Done {
        let (program, mesh) = self.backdrop;
        stage.set_program(program)?;
        stage.set_texture_at(0, None)?;
        stage.set_culling("none")?;
        stage.set_depth_test(false, "always")?;
        stage.set_blend_factors("one", "zero")?;
        stage.draw(mesh, &["float2", "float3"])
    }

    fn draw_sparks<W: Write, F: BackendFactory<Backend = NullBackend>>(
        &self,
        stage: &mut Stage<W, F>,
        view: &Mat4,
        projection: &Mat4,
        turn: f64,
    ) -> Done {
        let (program, mesh) = self.sparks;
        let places: Vec<[f64; 4]> = (0..SPARKS)
            .map(|spark| {
                let phase = f64::from(spark) / f64::from(SPARKS) * std::f64::consts::TAU;
                let (sin, cos) = (phase + turn).sin_cos();
                let height = 0.55 * (3.0 * phase + 2.0 * turn).sin();
                let [x, y, z] = add(KNOT_PLACE, [2.45 * cos, height - 0.35, 2.45 * sin]);
                [x, y, z, 1.0]
            })
            .collect();
        stage.set_program(program)?;
        stage.set_texture_at(0, None)?;
        stage.matrix("vertex", 0, view)?;
        stage.matrix("vertex", 4, projection)?;
        stage.constants("vertex", 8, &places)?;
        stage.set_culling("none")?;
        stage.set_depth_test(false, "less")?;
        stage.set_blend_factors("one", "one")?;
        stage.draw(mesh, &["float2", "float3"])
    }
}
