//! Errors of creating objects: raised with and without checking.

use context3d::{ErrorCode, Profile};

use super::{Provoked, add_all, provoked};
use crate::case::Cases;

pub(super) fn add(cases: &mut Cases) {
    add_all(cases, buffers());
    add_all(cases, programs_and_instances());
    add_all(cases, textures());
    add_all(cases, too_much());
    add_all(cases, formats());
}

fn buffers() -> Vec<Provoked> {
    use ErrorCode::*;
    vec![
        provoked(BufferTooBig, "createVertexBuffer.vertices", &[], |s| {
            s.expect();
            s.vertex_buffer(0x10001, 1).map(drop)
        }),
        provoked(
            BufferTooBig,
            "createVertexBuffer.data32PerVertex",
            &[],
            |s| {
                s.expect();
                s.vertex_buffer(1, 65).map(drop)
            },
        ),
        provoked(BufferTooBig, "createIndexBuffer", &[], |s| {
            s.expect();
            s.index_buffer(0xF0000).map(drop)
        }),
        provoked(BufferEmpty, "createVertexBuffer.no_vertices", &[], |s| {
            s.expect();
            s.vertex_buffer(0, 1).map(drop)
        }),
        provoked(
            BufferEmpty,
            "createVertexBuffer.negative_data32PerVertex",
            &[],
            |s| {
                s.expect();
                s.vertex_buffer(1, -1).map(drop)
            },
        ),
        provoked(
            BufferEmpty,
            "createVertexBuffer.negative_vertices",
            &[],
            |s| {
                s.expect();
                s.vertex_buffer(i32::MIN, 1).map(drop)
            },
        ),
        provoked(BufferEmpty, "createIndexBuffer.none", &[], |s| {
            s.expect();
            s.index_buffer(0).map(drop)
        }),
        provoked(BufferEmpty, "createIndexBuffer.negative", &[], |s| {
            s.expect();
            s.index_buffer(-1).map(drop)
        }),
    ]
}

fn programs_and_instances() -> Vec<Provoked> {
    use ErrorCode::*;
    vec![
        provoked(ResourceLimit, "createProgram.4097", &[], |s| {
            for _ in 0..4096 {
                s.create(molehill_capture::Call::CreateProgram {})?;
            }
            s.expect();
            s.create(molehill_capture::Call::CreateProgram {}).map(drop)
        })
        .large(),
        provoked(
            InstancesPerElement,
            "createVertexBufferForInstances.zero",
            &[],
            |s| {
                s.expect();
                s.instance_buffer(1, 1, 0).map(drop)
            },
        )
        .profile(Profile::StandardExtended),
        provoked(
            InstancesPerElement,
            "createVertexBufferForInstances.negative",
            &[],
            |s| {
                s.expect();
                s.instance_buffer(1, 1, -1).map(drop)
            },
        )
        .profile(Profile::StandardExtended),
        provoked(
            NeedsStandardExtended,
            "createVertexBufferForInstances",
            &[],
            |s| {
                s.expect();
                s.instance_buffer(1, 1, 1).map(drop)
            },
        )
        .only(Profile::Standard),
        provoked(NeedsStandardExtended, "drawTrianglesInstanced", &[], |s| {
            let rig = super::Rig::new(s)?;
            s.expect();
            s.draw_instanced(rig.indices, 1, 0, -1)
        })
        .only(Profile::Standard),
    ]
}

fn textures() -> Vec<Provoked> {
    use ErrorCode::*;
    vec![
        provoked(TextureEmpty, "createTexture.no_width", &[], |s| {
            s.expect();
            s.texture(0, 4, "bgra").map(drop)
        }),
        provoked(TextureEmpty, "createTexture.negative_height", &[], |s| {
            s.expect();
            s.texture(4, -4, "bgra").map(drop)
        }),
        provoked(TextureEmpty, "createCubeTexture.negative", &[], |s| {
            s.expect();
            s.cube(i32::MIN, "bgra").map(drop)
        }),
        provoked(TextureEmpty, "createRectangleTexture.no_width", &[], |s| {
            s.expect();
            s.rectangle(0, 1, "bgra").map(drop)
        }),
        provoked(NotPowerOfTwo, "createTexture.height", &[], |s| {
            s.expect();
            s.texture(4, 6, "bgra").map(drop)
        }),
        provoked(NotPowerOfTwo, "createTexture.width", &[], |s| {
            s.expect();
            s.texture(3, 4, "bgra").map(drop)
        }),
        provoked(NotPowerOfTwo, "createCubeTexture", &[], |s| {
            s.expect();
            s.cube(6, "bgra").map(drop)
        }),
    ]
}

/// Sizes beyond the limits of a profile or a texture.
fn too_much() -> Vec<Provoked> {
    use ErrorCode::*;
    vec![
        provoked(TextureTooBig, "createTexture", &["2048"], |s| {
            s.expect();
            s.texture(4096, 1, "bgra").map(drop)
        })
        .only(Profile::Baseline),
        provoked(TextureTooBig, "createTexture.extended", &["4096"], |s| {
            s.expect();
            s.texture(1, 8192, "bgra").map(drop)
        })
        .profile(Profile::BaselineExtended),
        provoked(CubeTooBig, "createCubeTexture", &[], |s| {
            s.expect();
            s.cube(2048, "bgra").map(drop)
        }),
        provoked(
            StreamingLevels,
            "createTexture.log2_of_the_smaller_side",
            &[],
            |s| {
                s.expect();
                s.streaming_texture(16, 64, "bgra", 4).map(drop)
            },
        ),
        provoked(StreamingLevels, "createTexture.negative", &[], |s| {
            s.expect();
            s.streaming_texture(16, 64, "bgra", -1).map(drop)
        }),
        provoked(CompressedTooSmall, "createTexture.compressed", &[], |s| {
            s.expect();
            s.texture(4, 2, "compressed").map(drop)
        }),
        provoked(
            CompressedTooSmall,
            "createTexture.compressedAlpha",
            &[],
            |s| {
                s.expect();
                s.texture(2, 4, "compressedAlpha").map(drop)
            },
        ),
    ]
}

fn formats() -> Vec<Provoked> {
    use ErrorCode::*;
    vec![
        provoked(
            FormatNotInProfile,
            "createTexture.rgbaHalfFloat",
            &[],
            |s| {
                s.expect();
                s.texture(4, 4, "rgbaHalfFloat").map(drop)
            },
        )
        .only(Profile::BaselineExtended),
        provoked(
            FormatNotInProfile,
            "createCubeTexture.rgbaHalfFloat",
            &[],
            |s| {
                s.expect();
                s.cube(4, "rgbaHalfFloat").map(drop)
            },
        )
        .only(Profile::Baseline),
        provoked(
            RectangleFormat,
            "createRectangleTexture.compressed",
            &[],
            |s| {
                s.expect();
                s.rectangle(4, 4, "compressed").map(drop)
            },
        ),
        provoked(
            RectangleFormat,
            "createRectangleTexture.compressedAlpha",
            &[],
            |s| {
                s.expect();
                s.rectangle(4, 4, "compressedAlpha").map(drop)
            },
        ),
        provoked(RectangleTooBig, "createRectangleTexture", &["2048"], |s| {
            s.expect();
            s.rectangle(2049, 1, "bgra").map(drop)
        })
        .only(Profile::Baseline),
        provoked(NeedsBaseline, "createRectangleTexture", &[], |s| {
            s.expect();
            s.rectangle(4, 4, "bgra").map(drop)
        })
        .only(Profile::BaselineConstrained),
    ]
}
