//! [`Step`]: a call generated from bytes.

use std::sync::LazyLock;

use arbitrary::{Arbitrary, Result, Unstructured};

/// A call, independent of the existing objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub(super) call: Call,
    /// The arguments are made of them.
    pub(super) bytes: [u8; STEP_BYTES - 2],
}

/// Number of bytes for one [`Step`].
pub const STEP_BYTES: usize = 48;

macro_rules! define_calls {
    ($($(#[$doc:meta])* $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal
        $(-> $result:ident)?, since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {$($fields:tt)*}
        [$($code:ident)*] $(as $like:ident)? => $witness:literal;)+) => {
        /// What a step does: a call of the API, or one of our own.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(super) enum Call {
            /// One of the calls that prepare a draw.
            Repair,
            /// A draw with a generated program and all its inputs.
            GeneratedDraw,
            $($variant),+
        }

        const CALLS: &[Call] = &[Call::Repair, Call::GeneratedDraw, $(Call::$variant),+];
    };
}

context3d::call_table!(define_calls);

/// Weights of calls; 2 for the others. After `dispose`, calls have no effect.
const WEIGHTS: [(Call, usize); 33] = [
    (Call::Repair, 120),
    (Call::GeneratedDraw, 12),
    (Call::Dispose, 1),
    (Call::Clear, 8),
    (Call::Present, 6),
    (Call::SetBlendFactors, 6),
    (Call::SetDepthTest, 4),
    (Call::SetScissorRectangle, 6),
    (Call::CreateVertexBuffer, 4),
    (Call::CreateIndexBuffer, 4),
    (Call::CreateTexture, 8),
    (Call::CreateRectangleTexture, 4),
    (Call::CreateCubeTexture, 4),
    (Call::SetProgram, 10),
    (Call::SetVertexBufferAt, 12),
    (Call::SetTextureAt, 18),
    (Call::SetSamplerStateAt, 6),
    (Call::SetRenderToTexture, 10),
    (Call::SetRenderToBackBuffer, 6),
    (Call::DrawTriangles, 60),
    (Call::DrawTrianglesInstanced, 16),
    (Call::SetFillMode, 4),
    (Call::SetErrorChecking, 6),
    (Call::SetCulling, 4),
    (Call::VertexBufferUploadFromByteArray, 6),
    (Call::IndexBufferUploadFromVector, 6),
    (Call::ProgramUpload, 10),
    (Call::TextureUploadFromBitmapData, 8),
    (Call::TextureUploadFromByteArray, 12),
    (Call::TextureUploadFromBitmapDataAsync, 4),
    (Call::TextureUploadFromByteArrayAsync, 4),
    (Call::TextureUploadCompressedFromByteArray, 4),
    (Call::VideoTextureFrame, 8),
];

/// Each call as often as its weight.
static WEIGHTED: LazyLock<Vec<Call>> = LazyLock::new(|| {
    let weight =
        |call: &Call| WEIGHTS.iter().find(|(known, _)| known == call).map_or(2, |row| row.1);
    CALLS.iter().flat_map(|call| std::iter::repeat_n(*call, weight(call))).collect()
});

impl<'a> Arbitrary<'a> for Step {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let mut step = Step { call: *u.choose(&WEIGHTED)?, bytes: [0; _] };
        u.fill_buffer(&mut step.bytes)?;
        Ok(step)
    }
}

impl Step {
    pub fn draw(u: &mut Unstructured<'_>) -> Result<Self> {
        Ok(Step { call: Call::GeneratedDraw, ..Step::arbitrary(u)? })
    }
}
