//! [`CallStep`]: a call generated from bytes.

use std::sync::LazyLock;

use arbitrary::{Arbitrary, Result, Unstructured};

/// A call, independent of the existing objects.
#[derive(Clone, Debug, PartialEq)]
pub struct CallStep {
    pub(super) call: RandomOp,
    /// The bytes from which the call's arguments are generated.
    pub(super) bytes: [u8; STEP_BYTES - 2],
}

/// Number of bytes for one [`CallStep`].
pub const STEP_BYTES: usize = 48;

macro_rules! define_calls {
    ($($(#[$doc:meta])* $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal
        $(-> $result:ident)?, since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {$($fields:tt)*}
        [$($code:ident)*] $(as $like:ident)? => $witness:literal;)+) => {
        /// The operation of a step: a call of the API, or a composite operation.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(super) enum RandomOp {
            /// One of the calls that prepare a draw.
            Repair,
            /// A draw with a generated program and all its inputs.
            GeneratedDraw,
            $($variant),+
        }

        const CALLS: &[RandomOp] = &[RandomOp::Repair, RandomOp::GeneratedDraw, $(RandomOp::$variant),+];
    };
}

context3d::call_table!(define_calls);

/// Weights of random operations; the default is 2. `dispose` is rare, because later calls have no effect.
const WEIGHTS: [(RandomOp, usize); 33] = [
    (RandomOp::Repair, 120),
    (RandomOp::GeneratedDraw, 12),
    (RandomOp::Dispose, 1),
    (RandomOp::Clear, 8),
    (RandomOp::Present, 6),
    (RandomOp::SetBlendFactors, 6),
    (RandomOp::SetDepthTest, 4),
    (RandomOp::SetScissorRectangle, 6),
    (RandomOp::CreateVertexBuffer, 4),
    (RandomOp::CreateIndexBuffer, 4),
    (RandomOp::CreateTexture, 8),
    (RandomOp::CreateRectangleTexture, 4),
    (RandomOp::CreateCubeTexture, 4),
    (RandomOp::SetProgram, 10),
    (RandomOp::SetVertexBufferAt, 12),
    (RandomOp::SetTextureAt, 18),
    (RandomOp::SetSamplerStateAt, 6),
    (RandomOp::SetRenderToTexture, 10),
    (RandomOp::SetRenderToBackBuffer, 6),
    (RandomOp::DrawTriangles, 60),
    (RandomOp::DrawTrianglesInstanced, 16),
    (RandomOp::SetFillMode, 4),
    (RandomOp::SetErrorChecking, 6),
    (RandomOp::SetCulling, 4),
    (RandomOp::VertexBufferUploadFromByteArray, 6),
    (RandomOp::IndexBufferUploadFromVector, 6),
    (RandomOp::ProgramUpload, 10),
    (RandomOp::TextureUploadFromBitmapData, 8),
    (RandomOp::TextureUploadFromByteArray, 12),
    (RandomOp::TextureUploadFromBitmapDataAsync, 4),
    (RandomOp::TextureUploadFromByteArrayAsync, 4),
    (RandomOp::TextureUploadCompressedFromByteArray, 4),
    (RandomOp::VideoTextureFrame, 8),
];

/// Every [`RandomOp`], as often as its weight says.
static WEIGHTED: LazyLock<Vec<RandomOp>> = LazyLock::new(|| {
    let weight =
        |call: &RandomOp| WEIGHTS.iter().find(|(known, _)| known == call).map_or(2, |row| row.1);
    CALLS.iter().flat_map(|call| std::iter::repeat_n(*call, weight(call))).collect()
});

impl<'a> Arbitrary<'a> for CallStep {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let mut step = CallStep { call: *u.choose(&WEIGHTED)?, bytes: [0; _] };
        u.fill_buffer(&mut step.bytes)?;
        Ok(step)
    }
}

impl CallStep {
    pub fn draw(u: &mut Unstructured<'_>) -> Result<Self> {
        Ok(CallStep { call: RandomOp::GeneratedDraw, ..CallStep::arbitrary(u)? })
    }
}
