//! Dirty flags: which checks of a draw must be repeated, because something that they depend on may have changed since
//! they last passed.
//!
//! Every call sets all flags ([`Context3D::invalidate_for`]), except for those that set the right ones themselves: the
//! setters of the draw's inputs and targets, clears, uploads to buffers, and draws. So a new call can't be forgotten.

use crate::backend::Backend;
use crate::calls::Row;
use crate::context::Context3D;
use crate::packets::Changes;
use crate::resource::ProgramInputs;

/// The program, and what depends on it.
pub(crate) const INPUTS: Changes = Changes::PROGRAM.with(Changes::STREAMS).with(Changes::TEXTURES);

/// What depends on the target.
pub(crate) const TARGET: Changes = Changes::REST.with(Changes::TEXTURES).with(Changes::RASTER);

/// Results of the checks that later draws rely on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checked {
    /// What may have changed since they passed.
    pub(crate) dirty: Changes,
    /// What the program reads.
    pub(crate) inputs: ProgramInputs,
    /// Vertices that each stream has at least; 0 if one is too short.
    pub(crate) vertices: u32,
    /// A stream advances by instances.
    pub(crate) instanced: bool,
    /// Bit n: the packet has stream n.
    pub(crate) streams: u16,
    /// Bit n: the packet has texture n.
    pub(crate) textures: u16,
    /// A texture is read with mip mapping.
    pub(crate) mip_mapping: bool,
    /// The backend may lack constants.
    pub(crate) constants: bool,
    /// The textures of the target exist and fit together.
    pub(crate) target: bool,
}

impl Default for Checked {
    /// Nothing was checked.
    fn default() -> Self {
        Checked {
            dirty: Changes::EVERYTHING,
            inputs: ProgramInputs::default(),
            vertices: 0,
            instanced: false,
            streams: 0,
            textures: 0,
            mip_mapping: false,
            constants: true,
            target: false,
        }
    }
}

/// Whether a call sets the right flags itself.
const fn invalidates_itself(row: &Row) -> bool {
    matches!(
        row,
        Row::Clear
            | Row::DrawTriangles
            | Row::DrawTrianglesInstanced
            | Row::SetRenderToTexture
            | Row::SetRenderToBackBuffer
            | Row::SetProgram
            | Row::SetProgramConstantsFromMatrix
            | Row::SetProgramConstantsFromVector
            | Row::SetProgramConstantsFromFloatVector
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
            | Row::VertexBufferUploadFromFloatVector
            | Row::IndexBufferUploadFromByteArray
            | Row::IndexBufferUploadFromVector
    )
}

impl<B: Backend> Context3D<B> {
    /// A setter has changed something.
    #[inline]
    pub(crate) fn changed(&mut self, what: Changes) {
        self.checked.dirty = self.checked.dirty.with(what);
    }

    /// Before a call is carried out.
    #[inline]
    pub(crate) fn invalidate_for(&mut self, row: &Row) {
        if !invalidates_itself(row) {
            self.invalidate_all();
        }
    }

    /// Makes the next draw check everything, for tests that compare the two.
    #[doc(hidden)]
    #[inline]
    pub fn invalidate_all(&mut self) {
        self.checked.dirty = Changes::EVERYTHING;
        self.checked.target = false;
    }
}

/// The set bits of a set, from the lowest.
#[inline]
pub(crate) fn bits(set: u16) -> impl Iterator<Item = usize> {
    let mut left = u32::from(set);
    std::iter::from_fn(move || {
        let lowest = left.trailing_zeros() & 15; // so that nothing asks whether it is below 16
        (left != 0).then(|| {
            left &= left.wrapping_sub(1);
            lowest as usize
        })
    })
}
