//! Programs.

/// A `Program3D`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its inputs and outputs after a successful upload.
    pub(crate) interface: Option<agal::Interface>,
    /// Bit n: a sampler reads slot n.
    pub(crate) slots: u16,
    /// The backend has this object.
    pub(crate) on_device: bool,
    /// Bytes of AGAL, for the memory limit.
    pub(crate) bytes: u64,
}
