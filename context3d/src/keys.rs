//! Handles of the objects that a program creates: generational, so a stale one is recognised as disposed.

slotmap::new_key_type! {
    /// A `VertexBuffer3D`.
    pub struct VertexBufferKey;
    /// An `IndexBuffer3D`.
    pub struct IndexBufferKey;
    /// A `Program3D`.
    pub struct ProgramKey;
    /// A `Texture`, `CubeTexture`, `RectangleTexture` or `VideoTexture`.
    pub struct TextureKey;
}
