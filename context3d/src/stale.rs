//! What the checks of a draw may leave out, because nothing that they depend on has changed since they last passed.
//!
//! Every call makes all of them stale ([`Context3D::spoil`]), but for those that say by themselves what they change: the
//! setters of the draw's inputs, uploads to buffers, and draws. So a new call can't be forgotten.

use crate::backend::Backend;
use crate::calls::Row;
use crate::context::Context3D;

/// A set of the checks' results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stale(u8);

impl Stale {
    pub(crate) const NOTHING: Stale = Stale(0);
    /// Vertex streams.
    pub(crate) const STREAMS: Stale = Stale(1);
    /// Textures and samplers.
    pub(crate) const TEXTURES: Stale = Stale(2);
    /// Fixed-function state.
    pub(crate) const RASTER: Stale = Stale(4);
    /// What depends on the program.
    pub(crate) const PROGRAM: Stale = Stale(8 | Stale::STREAMS.0 | Stale::TEXTURES.0);
    pub(crate) const EVERYTHING: Stale = Stale(u8::MAX);

    /// Whether it has any of these.
    #[inline]
    pub(crate) fn has(self, others: Stale) -> bool {
        self.0 & others.0 != 0
    }

    #[inline]
    pub(crate) fn add(&mut self, others: Stale) {
        self.0 |= others.0;
    }
}

/// Results of the checks that later draws rely on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checked {
    /// Those that don't hold any more.
    pub(crate) stale: Stale,
    /// Vertices that each stream has at least.
    pub(crate) vertices: u64,
    /// A stream advances by instances.
    pub(crate) instanced: bool,
    /// Bit n: the packet has stream n.
    pub(crate) streams: u16,
    /// Bit n: the packet has texture n.
    pub(crate) textures: u16,
}

impl Default for Checked {
    /// Nothing was checked.
    fn default() -> Self {
        Checked {
            stale: Stale::EVERYTHING,
            vertices: 0,
            instanced: false,
            streams: 0,
            textures: 0,
        }
    }
}

/// Whether a call says by itself what it makes stale.
const fn says_itself(row: &Row) -> bool {
    matches!(
        row,
        Row::DrawTriangles
            | Row::DrawTrianglesInstanced
            | Row::SetProgram
            | Row::SetProgramConstantsFromMatrix
            | Row::SetProgramConstantsFromVector
            | Row::SetProgramConstantsFromByteArray
            | Row::SetVertexBufferAt
            | Row::SetTextureAt
            | Row::SetSamplerStateAt
            | Row::SetBlendFactors
            | Row::SetColorMask
            | Row::SetCulling
            | Row::SetDepthTest
            | Row::SetFillMode
            | Row::SetScissorRectangle
            | Row::SetStencilActions
            | Row::SetStencilReferenceValue
            | Row::VertexBufferUploadFromByteArray
            | Row::VertexBufferUploadFromVector
            | Row::IndexBufferUploadFromByteArray
            | Row::IndexBufferUploadFromVector
    )
}

impl<B: Backend> Context3D<B> {
    /// Before a call is carried out.
    #[inline]
    pub(crate) fn spoil(&mut self, row: &Row) {
        if !says_itself(row) {
            self.check_anew();
        }
    }

    /// Makes the next draw check everything, for tests that compare the two.
    #[doc(hidden)]
    #[inline]
    pub fn check_anew(&mut self) {
        self.checked.stale = Stale::EVERYTHING;
    }
}

/// The set bits of a set, from the lowest.
pub(crate) fn bits(mut set: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = set.trailing_zeros();
        set &= set.checked_sub(1)?;
        usize::try_from(lowest).ok()
    })
}
