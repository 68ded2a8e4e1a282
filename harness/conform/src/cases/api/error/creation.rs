//! Errors of creating objects: raised with and without checking.

use context3d::Profile;

use super::{ErrorCase, add_all};
use crate::case::Cases;

pub(super) fn add(cases: &mut Cases) {
    add_all(cases, buffers());
    add_all(cases, programs_and_instances());
    add_all(cases, textures());
    add_all(cases, too_much());
    add_all(cases, formats());
}

fn buffers() -> Vec<ErrorCase> {
    error_cases! {
        BufferTooBig "createVertexBuffer.vertices" [] |s| => s.vertex_buffer(0x10001, 1).map(drop);
        BufferTooBig "createVertexBuffer.data32PerVertex" [] |s| => s.vertex_buffer(1, 65).map(drop);
        BufferTooBig "createIndexBuffer" [] |s| => s.index_buffer(0xF0000).map(drop);
        BufferEmpty "createVertexBuffer.no_vertices" [] |s| => s.vertex_buffer(0, 1).map(drop);
        BufferEmpty "createVertexBuffer.negative_data32PerVertex" [] |s| => s.vertex_buffer(1, -1).map(drop);
        BufferEmpty "createVertexBuffer.negative_vertices" [] |s| => s.vertex_buffer(i32::MIN, 1).map(drop);
        BufferEmpty "createIndexBuffer.none" [] |s| => s.index_buffer(0).map(drop);
        BufferEmpty "createIndexBuffer.negative" [] |s| => s.index_buffer(-1).map(drop);
    }
}

fn programs_and_instances() -> Vec<ErrorCase> {
    error_cases! {
        ResourceLimit "createProgram.4097" [] .on_null_backend() |s| {
            for _ in 0..4096 {
                s.create(molehill_capture::Call::CreateProgram {})?;
            }
        } => s.create(molehill_capture::Call::CreateProgram {}).map(drop);
        InstancesPerElement "createVertexBufferForInstances.zero" [] .profile(Profile::StandardExtended) |s| =>
            s.instance_buffer(1, 1, 0).map(drop);
        InstancesPerElement "createVertexBufferForInstances.negative" [] .profile(Profile::StandardExtended) |s| =>
            s.instance_buffer(1, 1, -1).map(drop);
        NeedsStandardExtended "createVertexBufferForInstances" [] .only(Profile::Standard) |s| =>
            s.instance_buffer(1, 1, 1).map(drop);
        NeedsStandardExtended "drawTrianglesInstanced" [] .only(Profile::Standard) |s| {
            let setup = super::DrawSetup::new(s)?;
        } => s.draw_instanced(setup.indices, 1, 0, -1);
    }
}

fn textures() -> Vec<ErrorCase> {
    error_cases! {
        TextureEmpty "createTexture.no_width" [] |s| => s.texture(0, 4, "bgra").map(drop);
        TextureEmpty "createTexture.negative_height" [] |s| => s.texture(4, -4, "bgra").map(drop);
        TextureEmpty "createCubeTexture.negative" [] |s| => s.cube(i32::MIN, "bgra").map(drop);
        TextureEmpty "createRectangleTexture.no_width" [] |s| => s.rectangle(0, 1, "bgra").map(drop);
        NotPowerOfTwo "createTexture.height" [] |s| => s.texture(4, 6, "bgra").map(drop);
        NotPowerOfTwo "createTexture.width" [] |s| => s.texture(3, 4, "bgra").map(drop);
        NotPowerOfTwo "createCubeTexture" [] |s| => s.cube(6, "bgra").map(drop);
    }
}

/// Sizes beyond the limits of a profile or a texture.
fn too_much() -> Vec<ErrorCase> {
    error_cases! {
        TextureTooBig "createTexture" ["2048"] .only(Profile::Baseline) |s| => s.texture(4096, 1, "bgra").map(drop);
        TextureTooBig "createTexture.extended" ["4096"] .profile(Profile::BaselineExtended) |s| =>
            s.texture(1, 8192, "bgra").map(drop);
        CubeTooBig "createCubeTexture" [] |s| => s.cube(2048, "bgra").map(drop);
        StreamingLevels "createTexture.log2_of_the_smaller_side" [] |s| =>
            s.streaming_texture(16, 64, "bgra", 4).map(drop);
        StreamingLevels "createTexture.negative" [] |s| => s.streaming_texture(16, 64, "bgra", -1).map(drop);
        CompressedTooSmall "createTexture.compressed" [] |s| => s.texture(4, 2, "compressed").map(drop);
        CompressedTooSmall "createTexture.compressedAlpha" [] |s| => s.texture(2, 4, "compressedAlpha").map(drop);
    }
}

fn formats() -> Vec<ErrorCase> {
    error_cases! {
        FormatNotInProfile "createTexture.rgbaHalfFloat" [] .only(Profile::BaselineExtended) |s| =>
            s.texture(4, 4, "rgbaHalfFloat").map(drop);
        FormatNotInProfile "createCubeTexture.rgbaHalfFloat" [] .only(Profile::Baseline) |s| =>
            s.cube(4, "rgbaHalfFloat").map(drop);
        RectangleFormat "createRectangleTexture.compressed" [] |s| => s.rectangle(4, 4, "compressed").map(drop);
        RectangleFormat "createRectangleTexture.compressedAlpha" [] |s| =>
            s.rectangle(4, 4, "compressedAlpha").map(drop);
        RectangleTooBig "createRectangleTexture" ["2048"] .only(Profile::Baseline) |s| =>
            s.rectangle(2049, 1, "bgra").map(drop);
        NeedsBaseline "createRectangleTexture" [] .only(Profile::BaselineConstrained) |s| =>
            s.rectangle(4, 4, "bgra").map(drop);
    }
}
