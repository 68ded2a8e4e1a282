//! Scenes with several or unusual render targets.

use context3d::backend::ReadSurface;
use context3d::enums::{BlendFactor, CompareMode, ProgramType, TextureFormat};
use context3d::packets::{
    Clear, ColorAttachment, Draw, Raster, RenderTarget, Scissor, TexelLayout, TextureKind,
    TextureTarget,
};

use crate::stage::{PASS, PLAIN, SIDE, Stage, desc};

/// Returns a target of textures and their cube faces, by colour output.
pub(crate) fn textures(
    attachments: &[(context3d::keys::TextureKey, u8)],
    samples: u8,
) -> RenderTarget {
    let mut color = [None; 4];
    for (slot, (texture, side)) in color.iter_mut().zip(attachments) {
        *slot = Some(ColorAttachment { texture: *texture, side: *side });
    }
    RenderTarget::Textures(TextureTarget {
        color,
        width: SIDE,
        height: SIDE,
        samples,
        depth_stencil: true,
    })
}

pub(crate) fn several_outputs(stage: &mut Stage<'_>) {
    let mesh = stage.cross();
    let kinds = [
        (TextureKind::TwoD, TextureFormat::Bgra),
        (TextureKind::Rectangle, TextureFormat::Bgra),
        (TextureKind::Cube, TextureFormat::RgbaHalfFloat),
        (TextureKind::TwoD, TextureFormat::BgraPacked4444),
    ];
    let fragment = "mov fo0, v0\nmov ft0, v0.yzxw\nmov fo1, ft0\nmul ft1, v0, fc0.x\nmov fo2, ft1\n\
        sub ft2, fc0.y, v0\nmov fo3, ft2";
    let program = stage.program(PASS, fragment, 2);
    stage.constants(ProgramType::Fragment, &[[0.5, 1.0, 0.0, 0.0]]);
    let made = kinds.map(|(kind, format)| (stage.blank(desc(kind, format, SIDE, 1)), 0));
    let mut attached = made;
    attached[2].1 = 4;
    stage.target(textures(&attached, 0));
    stage.clear();
    let raster = Raster { depth_compare: CompareMode::Less, depth_write: true, ..PLAIN };
    stage.draw(&mesh, program, &[], raster);
    stage.target(RenderTarget::BackBuffer);
    for (texture, side) in attached {
        let level = 0;
        stage.look(format!("{texture:?}"), ReadSurface::Texture { texture, side, level });
    }
}

pub(crate) fn packed_target(stage: &mut Stage<'_>) {
    let mesh = stage.cross();
    let program = stage.program(PASS, "mov oc, v0", 1);
    let format = TextureFormat::BgrPacked565;
    let texture = stage.blank(desc(TextureKind::TwoD, format, SIDE, 1));
    stage.target(textures(&[(texture, 0)], 0));
    stage.clear();
    stage.draw(&mesh, program, &[], PLAIN);
    let (side, level) = (0, 0);
    stage.look("565", ReadSurface::Texture { texture, side, level });
}

pub(crate) fn samples_of_the_back_buffer(stage: &mut Stage<'_>) {
    let mesh = stage.cross();
    let program = stage.program(PASS, "mov oc, v0", 1);
    let raster = Raster { depth_compare: CompareMode::Less, depth_write: true, ..PLAIN };
    stage.draw(&mesh, program, &[], raster);
    stage.look("back buffer", ReadSurface::BackBuffer);
    let additive = Raster {
        blend: (BlendFactor::SourceAlpha, BlendFactor::One),
        depth_compare: CompareMode::Equal,
        ..PLAIN
    };
    stage.draw(&mesh, program, &[], additive);
    stage.present();
    stage.look("front", ReadSurface::Front);
}

pub(crate) fn samples_of_textures(stage: &mut Stage<'_>) {
    let mesh = stage.cross();
    let program = stage.program(PASS, "mov oc, v0", 1);
    let texture =
        stage.texture(desc(TextureKind::TwoD, TextureFormat::Bgra, SIDE, 1), TexelLayout::Bgra8);
    let look = |stage: &mut Stage<'_>, name: &str| {
        let (side, level) = (0, 0);
        stage.look(name, ReadSurface::Texture { texture, side, level });
    };
    let raster = Raster { depth_compare: CompareMode::LessEqual, depth_write: true, ..PLAIN };
    // The texture keeps its content, including the rendering through other targets.
    stage.target(textures(&[(texture, 0)], 4));
    stage.begin(Clear { color: None, depth: Some(1.0), stencil: Some(0) });
    stage.draw(&mesh, program, &[], raster);
    stage.target(RenderTarget::BackBuffer);
    look(stage, "over what was there");
    let half = Raster { blend: (BlendFactor::Zero, BlendFactor::SourceColor), ..PLAIN };
    let left = |draw: &mut Draw| draw.scissor = Some(Scissor { x: 0, y: 0, width: 32, height: 64 });
    stage.target(textures(&[(texture, 0)], 0));
    stage.begin(Clear { color: None, depth: Some(1.0), stencil: Some(0) });
    stage.draw_with(&mesh, program, &[], half, left);
    stage.target(textures(&[(texture, 0)], 4));
    stage.draw_with(&mesh, program, &[], half, left);
    stage.target(RenderTarget::BackBuffer);
    look(stage, "after another target");
}
