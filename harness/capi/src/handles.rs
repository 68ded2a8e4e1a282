//! Handles, each of its own type, so that C refuses one in place of another.

/// The renderer of contexts: a GL context, or the reference renderer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MolehillDevice {
    /// 0 is null.
    pub id: u64,
}

/// A `Context3D`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MolehillContext {
    /// 0 is null.
    pub id: u64,
}

/// A capture that is being written.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MolehillRecording {
    /// 0 is null.
    pub id: u64,
}

/// Pictures from a VM's thread for the thread that shows them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MolehillFrontExchange {
    /// 0 is null.
    pub id: u64,
}

/// A `VertexBuffer3D`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MolehillVertexBuffer {
    /// 0 is null.
    pub id: u64,
}

/// An `IndexBuffer3D`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MolehillIndexBuffer {
    /// 0 is null.
    pub id: u64,
}

/// A `Program3D`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MolehillProgram {
    /// 0 is null.
    pub id: u64,
}

/// A texture of any kind.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MolehillTexture {
    /// 0 is null.
    pub id: u64,
}

/// A buffer, program or texture; MOLEHILL_OBJECT makes it of each of them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MolehillObject {
    /// 0 is null.
    pub id: u64,
}
