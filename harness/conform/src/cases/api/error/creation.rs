//! Errors of creating objects: raised with and without checking.

use context3d::Profile;

use super::{ErrorCase, add_all};
use crate::case::Cases;
use molehill_capture::Call;
use molehill_capture::data::Enum;

pub(super) fn add(cases: &mut Cases) {
    add_all(cases, buffers());
    add_all(cases, programs_and_instances());
    add_all(cases, textures());
    add_all(cases, too_much());
    add_all(cases, formats());
}

fn buffers() -> Vec<ErrorCase> {
    error_cases! {
        3670 "createVertexBuffer.vertices" [] |s| => s.vertex_buffer(0x10001, 1).map(drop);
        3670 "createVertexBuffer.data32PerVertex" [] |s| => s.vertex_buffer(1, 65).map(drop);
        3670 "createIndexBuffer" [] |s| => s.index_buffer(0xF0000).map(drop);
        3671 "createVertexBuffer.no_vertices" [] |s| => s.vertex_buffer(0, 1).map(drop);
        3671 "createVertexBuffer.negative_data32PerVertex" [] |s| => s.vertex_buffer(1, -1).map(drop);
        3671 "createVertexBuffer.negative_vertices" [] |s| => s.vertex_buffer(i32::MIN, 1).map(drop);
        3671 "createIndexBuffer.none" [] |s| => s.index_buffer(0).map(drop);
        3671 "createIndexBuffer.negative" [] |s| => s.index_buffer(-1).map(drop);
    }
}

fn programs_and_instances() -> Vec<ErrorCase> {
    error_cases! {
        3691 "createProgram.4097" [] .on_null_backend() |s| {
            for _ in 0..4096 {
                s.create(Call::CreateProgram {})?;
            }
        } => s.create(Call::CreateProgram {}).map(drop);
        3784 "createVertexBufferForInstances.zero" [] .profile(Profile::StandardExtended) |s| =>
            s.instance_buffer(1, 1, 0).map(drop);
        3784 "createVertexBufferForInstances.negative" [] .profile(Profile::StandardExtended) |s| =>
            s.instance_buffer(1, 1, -1).map(drop);
        3787 "createVertexBufferForInstances" [] .only(Profile::Standard) |s| =>
            s.instance_buffer(1, 1, 1).map(drop);
        3787 "drawTrianglesInstanced" [] .only(Profile::Standard) |s| {
            let setup = super::DrawSetup::new(s)?;
        } => s.draw_instanced(setup.indices, 1, 0, -1);
    }
}

fn textures() -> Vec<ErrorCase> {
    error_cases! {
        3681 "createTexture.no_width" [] |s| => s.texture(0, 4, "bgra").map(drop);
        3681 "createTexture.negative_height" [] |s| => s.texture(4, -4, "bgra").map(drop);
        3681 "createCubeTexture.negative" [] |s| => s.cube(i32::MIN, "bgra").map(drop);
        3681 "createRectangleTexture.no_width" [] |s| => s.rectangle(0, 1, "bgra").map(drop);
        3682 "createTexture.height" [] |s| => s.texture(4, 6, "bgra").map(drop);
        3682 "createTexture.width" [] |s| => s.texture(3, 4, "bgra").map(drop);
        3682 "createCubeTexture" [] |s| => s.cube(6, "bgra").map(drop);
    }
}

/// Sizes beyond the limits of a profile or a texture.
fn too_much() -> Vec<ErrorCase> {
    error_cases! {
        3683 "createTexture" ["2048"] .only(Profile::Baseline) |s| => s.texture(4096, 1, "bgra").map(drop);
        3683 "createTexture.extended" ["4096"] .profile(Profile::BaselineExtended) |s| =>
            s.texture(1, 8192, "bgra").map(drop);
        3705 "createCubeTexture" [] |s| => s.cube(2048, "bgra").map(drop);
        3711 "createTexture.log2_of_the_smaller_side" [] |s| =>
            s.streaming_texture(16, 64, "bgra", 4).map(drop);
        3711 "createTexture.negative" [] |s| => s.streaming_texture(16, 64, "bgra", -1).map(drop);
        3711 "createCubeTexture" [] |s| => s
            .create(Call::CreateCubeTexture {
                size: 16,
                format: Enum::parse(Some("bgra")),
                optimize_for_render_to_texture: false,
                streaming_levels: 4,
            })
            .map(drop);
        3745 "createCubeTexture.compressed" [] |s| => s.cube(2, "compressed").map(drop);
        2007 "createRectangleTexture" ["textureFormat"] |s| => s
            .create(Call::CreateRectangleTexture {
                width: 4,
                height: 4,
                format: Enum::parse(None),
                optimize_for_render_to_texture: false,
            })
            .map(drop);
        2008 "createRectangleTexture" ["textureFormat"] |s| => s.rectangle(4, 4, "BGRA").map(drop);
        3759 "createRectangleTexture.rgbaHalfFloat" [] .only(Profile::BaselineExtended) |s| =>
            s.rectangle(4, 4, "rgbaHalfFloat").map(drop);
        3745 "createTexture.compressed" [] |s| => s.texture(4, 2, "compressed").map(drop);
        3745 "createTexture.compressedAlpha" [] |s| => s.texture(2, 4, "compressedAlpha").map(drop);
    }
}

fn formats() -> Vec<ErrorCase> {
    error_cases! {
        3759 "createTexture.rgbaHalfFloat" [] .only(Profile::BaselineExtended) |s| =>
            s.texture(4, 4, "rgbaHalfFloat").map(drop);
        3759 "createCubeTexture.rgbaHalfFloat" [] .only(Profile::Baseline) |s| =>
            s.cube(4, "rgbaHalfFloat").map(drop);
        3762 "createRectangleTexture.compressed" [] |s| => s.rectangle(4, 4, "compressed").map(drop);
        3762 "createRectangleTexture.compressedAlpha" [] |s| =>
            s.rectangle(4, 4, "compressedAlpha").map(drop);
        3766 "createRectangleTexture" ["2048"] .only(Profile::Baseline) |s| =>
            s.rectangle(2049, 1, "bgra").map(drop);
        3782 "createRectangleTexture" [] .only(Profile::BaselineConstrained) |s| =>
            s.rectangle(4, 4, "bgra").map(drop);
    }
}
