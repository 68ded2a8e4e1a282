//! Programs.

/// A `Program3D`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Program {
    /// What it reads and writes, once it was uploaded without an error.
    pub(crate) interface: Option<agal::Interface>,
    /// The backend was told of it.
    pub(crate) on_device: bool,
    /// Bytes of AGAL, for the memory limit.
    pub(crate) bytes: u64,
}
