//! Handles, each with its own type, so that C compilers reject a handle of another kind.

macro_rules! handles {
    ($($(#[$doc:meta])+ $name:ident;)+) => {$(
        $(#[$doc])+
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name {
            /// 0 is null.
            pub id: u64,
        }
    )+};
}

handles! {
    /// The renderer of contexts: a GL context, or the reference renderer.
    MolehillDevice;
    /// A `Context3D`.
    MolehillContext;
    /// A `Stage3D`: its position, and the program's request for a context until the host answers it.
    MolehillStage3D;
    /// A capture that is being written.
    MolehillRecording;
    /// Pictures from a VM's thread for the thread that shows them.
    MolehillFrontExchange;
    /// A checked pair of AGAL programs, without a context.
    MolehillAgal;
    /// A `VertexBuffer3D`.
    MolehillVertexBuffer;
    /// An `IndexBuffer3D`.
    MolehillIndexBuffer;
    /// A `Program3D`.
    MolehillProgram;
    /// A texture of any kind.
    MolehillTexture;
    /// A buffer, program or texture; MOLEHILL_OBJECT converts their handles.
    MolehillObject;
}
