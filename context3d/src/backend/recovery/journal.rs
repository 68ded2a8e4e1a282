//! The packets of one frame.

use super::attachments;
use crate::backend::{Backend, BackendError};
use crate::handle::TextureKey;
use crate::packets::{Clear, Draw, Packet, Target, TexelLayout};

/// Packets from one `Present` to the next.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) packets: Vec<Packet<'static>>,
    bytes: usize,
    target: Target,
    /// Faces of textures that were cleared or drawn to.
    rendered: Vec<(TextureKey, u8)>,
    /// Their content at the end of the frame.
    pub(super) contents: Vec<Content>,
}

/// Level 0 of a face.
pub(super) struct Content {
    pub(super) texture: TextureKey,
    pub(super) side: u8,
    pub(super) layout: TexelLayout,
    pub(super) data: Vec<u8>,
}

impl Frame {
    /// Starts with the target that the frame before ended with.
    pub(super) fn continue_from(&mut self, before: &Frame) {
        self.target = before.target;
    }

    pub(super) fn push(&mut self, packet: Packet<'static>) {
        match &packet {
            Packet::SetTarget(target) => self.target = *target,
            Packet::Clear(Clear { color: None, .. }) => {}
            Packet::Clear(_) | Packet::Draw(_) => {
                for face in attachments(&self.target) {
                    if !self.rendered.contains(&face) {
                        self.rendered.push(face);
                    }
                }
            }
            Packet::DisposeTexture(key) => self.rendered.retain(|(texture, _)| texture != key),
            Packet::Present => self.target = Target::BackBuffer,
            _ => {}
        }
        self.bytes = self.bytes.saturating_add(bytes(&packet));
        self.packets.push(packet);
    }

    /// Faces of textures that were cleared or drawn to and still exist.
    pub(super) fn rendered(&self) -> Vec<(TextureKey, u8)> {
        self.rendered.clone()
    }

    pub(super) fn keep_content(
        &mut self,
        texture: TextureKey,
        side: u8,
        layout: TexelLayout,
        data: Vec<u8>,
    ) {
        self.bytes = self.bytes.saturating_add(data.len());
        self.contents.push(Content { texture, side, layout, data });
    }

    /// Approximate size in memory.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn replay(&self, backend: &mut impl Backend) -> Result<(), BackendError> {
        for packet in &self.packets {
            backend.execute(packet.borrowed())?;
        }
        Ok(())
    }
}

fn bytes(packet: &Packet<'_>) -> usize {
    let behind = match packet {
        Packet::UploadVertexBuffer { data, .. }
        | Packet::UploadIndexBuffer { data, .. }
        | Packet::UploadTexture { data, .. } => data.len(),
        Packet::Constants { values, .. } => size_of_val::<[[f32; 4]]>(values),
        Packet::Draw(_) => size_of::<Draw>(),
        _ => 0,
    };
    behind.saturating_add(size_of::<Packet<'_>>())
}
