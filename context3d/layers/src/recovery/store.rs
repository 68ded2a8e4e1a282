//! The minimal packets that restore the objects and state of a lost device on a new device.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use context3d::backend::{Backend, BackendError};
use context3d::enums::ProgramType;
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::packets::{Clear, Packet, PassStart, RenderTarget, TextureDesc};

/// An object or state of a device. The order of the variants is the order in which they are restored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum StoreKey {
    VertexBuffer(VertexBufferKey),
    IndexBuffer(IndexBufferKey),
    Program(ProgramKey),
    Texture(TextureKey),
    VertexConstants,
    FragmentConstants,
    BackBuffer,
    Pass,
}

/// The packets that restore each object and state of the device.
#[derive(Default)]
pub(super) struct RecoveryStore {
    parts: BTreeMap<StoreKey, Vec<Packet<'static>>>,
    pub(super) target: RenderTarget,
}

/// Returns the texture faces that a target renders to.
pub(super) fn attachments(target: &RenderTarget) -> impl Iterator<Item = (TextureKey, u8)> {
    let color = match target {
        RenderTarget::BackBuffer => Default::default(),
        RenderTarget::Textures(textures) => textures.color,
    };
    color.into_iter().flatten().map(|attachment| (attachment.texture, attachment.side))
}

/// Returns whether a packet changes the colour of the current pass's target.
pub(super) fn renders(packet: &Packet<'_>) -> bool {
    let clears = matches!(packet, Packet::BeginPass(pass) if pass.clear.color.is_some());
    clears || matches!(packet, Packet::Draw(_))
}

/// Returns the pass that continues into a target on a new device, where depth and stencil of texture targets have no
/// content.
fn resumed(target: RenderTarget) -> PassStart {
    let (load_samples, has_depth) = match &target {
        RenderTarget::BackBuffer => (false, false),
        RenderTarget::Textures(textures) => (textures.samples > 1, textures.depth_stencil),
    };
    let (depth, stencil) = (has_depth.then_some(1.0), has_depth.then_some(0));
    PassStart { target, load_samples, clear: Clear { color: None, depth, stencil } }
}

/// Returns a placeholder for level 0 of a rendered face: transparent black, until [`RecoveryStore::set_content`]
/// replaces it.
fn blank(key: TextureKey, side: u8, desc: &TextureDesc) -> Packet<'static> {
    let (layout, data) = (desc.format.layout(), Cow::Borrowed(&[][..]));
    Packet::UploadTexture { key, side, level: 0, layout, data }
}

/// Returns the size of a packet's data in bytes.
pub(super) fn payload(packet: &Packet<'_>) -> usize {
    if let Packet::UploadVertexBuffer { data, .. }
    | Packet::UploadIndexBuffer { data, .. }
    | Packet::UploadTexture { data, .. } = packet
    {
        data.len()
    } else if let Packet::Constants { values, .. } = packet {
        size_of_val::<[[f32; 4]]>(values)
    } else if let Packet::Draw(draw) = packet {
        size_of_val(&***draw)
    } else {
        0
    }
}

impl RecoveryStore {
    /// Applies a packet to the stored state. After a draw, the content of its target's textures is unknown.
    pub(super) fn apply(&mut self, packet: Packet<'static>) {
        match packet {
            Packet::CreateVertexBuffer { key, bytes, .. } => {
                let data = Cow::Owned(vec![0; bytes as usize]);
                let zeros = Packet::UploadVertexBuffer { key, offset: 0, data };
                self.parts.insert(StoreKey::VertexBuffer(key), vec![packet, zeros]);
            }
            Packet::CreateIndexBuffer { key, bytes, .. } => {
                let data = Cow::Owned(vec![0; bytes as usize]);
                let zeros = Packet::UploadIndexBuffer { key, offset: 0, data };
                self.parts.insert(StoreKey::IndexBuffer(key), vec![packet, zeros]);
            }
            Packet::UploadVertexBuffer { key, offset, data } => {
                self.write(StoreKey::VertexBuffer(key), offset, &data);
            }
            Packet::UploadIndexBuffer { key, offset, data } => {
                self.write(StoreKey::IndexBuffer(key), offset, &data);
            }
            Packet::PadVertexBuffer { key, .. } => {
                if let Some(packets) = self.parts.get_mut(&StoreKey::VertexBuffer(key)) {
                    packets.truncate(2);
                    packets.push(packet);
                }
            }
            Packet::UploadProgram { key, .. } => self.set(StoreKey::Program(key), packet),
            Packet::CreateTexture { key, .. } => self.set(StoreKey::Texture(key), packet),
            Packet::UploadTexture { key, side, .. }
            | Packet::ZeroLevel { key, side, .. }
            | Packet::GenerateMips { key, side, .. } => self.change_face(key, side, packet),
            Packet::ConfigureBackBuffer(_) => {
                self.set(StoreKey::BackBuffer, packet);
                if self.target == RenderTarget::BackBuffer {
                    self.remove(StoreKey::Pass);
                }
            }
            Packet::Constants { stage, first, values } => {
                self.set_constants(stage, first.into(), &values);
            }
            Packet::BeginPass(pass) => {
                self.target = pass.target;
                self.set(StoreKey::Pass, Packet::BeginPass(resumed(pass.target)));
                if renders(&packet) {
                    self.forget_rendered();
                }
            }
            Packet::EndPass { .. } => {
                if let Some(packets) = self.parts.get_mut(&StoreKey::Pass) {
                    packets.push(packet);
                }
            }
            Packet::Present => {
                self.target = RenderTarget::BackBuffer;
                self.remove(StoreKey::Pass);
            }
            Packet::Draw(_) => self.forget_rendered(),
            Packet::DisposeVertexBuffer(key) => self.remove(StoreKey::VertexBuffer(key)),
            Packet::DisposeIndexBuffer(key) => self.remove(StoreKey::IndexBuffer(key)),
            Packet::DisposeProgram(key) => self.remove(StoreKey::Program(key)),
            Packet::DisposeTexture(key) => {
                self.remove(StoreKey::Texture(key));
                // A pass can't continue into a target with a disposed texture.
                if attachments(&self.target).any(|(texture, _)| texture == key) {
                    self.remove(StoreKey::Pass);
                }
            }
        }
    }

    /// Marks the content of the target's textures as unknown.
    fn forget_rendered(&mut self) {
        let target = self.target;
        for (key, side) in attachments(&target) {
            if let Some(desc) = self.desc(key) {
                self.change_face(key, side, blank(key, side, &desc));
            }
        }
    }

    fn set(&mut self, key: StoreKey, packet: Packet<'static>) {
        self.parts.insert(key, vec![packet]);
    }

    fn remove(&mut self, key: StoreKey) {
        self.parts.remove(&key);
    }

    /// Replaces a range of a buffer.
    fn write(&mut self, key: StoreKey, offset: u32, data: &[u8]) {
        let buffer = self.parts.get_mut(&key).and_then(|packets| packets.get_mut(1));
        if let Some(
            Packet::UploadVertexBuffer { data: kept, .. }
            | Packet::UploadIndexBuffer { data: kept, .. },
        ) = buffer
            && let Some(place) = kept.to_mut().get_mut(offset as usize..)
            && let Some(place) = place.get_mut(..data.len())
        {
            place.copy_from_slice(data);
        }
    }

    fn set_constants(&mut self, stage: ProgramType, first: usize, new: &[[f32; 4]]) {
        let bank = match stage {
            ProgramType::Vertex => StoreKey::VertexConstants,
            ProgramType::Fragment => StoreKey::FragmentConstants,
        };
        let none = || vec![Packet::Constants { stage, first: 0, values: Cow::Owned(Vec::new()) }];
        let packets = self.parts.entry(bank).or_insert_with(none);
        if let Some(Packet::Constants { values, .. }) = packets.first_mut() {
            let (values, end) = (values.to_mut(), first.saturating_add(new.len()));
            values.resize(values.len().max(end), [0.0; 4]);
            values[first..end].copy_from_slice(new);
        }
    }

    fn desc(&self, key: TextureKey) -> Option<TextureDesc> {
        let created = self.parts.get(&StoreKey::Texture(key))?.first()?;
        if let Packet::CreateTexture { desc, .. } = created { Some(*desc) } else { None }
    }

    /// Adds an operation on a texture face, and removes earlier operations that it overwrites completely.
    fn change_face(&mut self, key: TextureKey, face: u8, change: Packet<'static>) {
        let Some(packets) = self.parts.get_mut(&StoreKey::Texture(key)) else {
            return;
        };
        packets.push(change);
        // Bit n: a later operation can read the present content of mip level n.
        let mut seen = u32::MAX;
        let mut needed = |packet: &Packet<'_>| {
            if let Packet::UploadTexture { side, level, .. } | Packet::ZeroLevel { side, level, .. } =
                packet
                && *side == face
            {
                let uploaded = seen & (1 << *level);
                seen &= !uploaded;
                uploaded != 0
            } else if let Packet::GenerateMips { side, levels, .. } = packet
                && *side == face
            {
                // Each mip level is generated from the next larger level, which has content by then.
                let all = u32::from(*levels);
                let mut made = all & seen;
                while all & (made | (made >> 1)) != made {
                    made |= all & (made >> 1);
                }
                seen = (seen | (made >> 1)) & !made;
                made != 0
            } else {
                true
            }
        };
        for number in (0..packets.len()).rev() {
            if !needed(&packets[number]) {
                packets.remove(number);
            }
        }
    }

    /// Replaces the placeholder of a rendered face by an upload of level 0.
    pub(super) fn set_content(&mut self, content: Packet<'static>) {
        let Packet::UploadTexture { key, side: face, .. } = &content else {
            return;
        };
        let packets = self.parts.get_mut(&StoreKey::Texture(*key));
        let drawn = packets.into_iter().flatten().rfind(|packet| {
            let unknown = |side: &u8, data: &Cow<'_, [u8]>| side == face && data.is_empty();
            matches!(packet, Packet::UploadTexture { side, data, .. } if unknown(side, data))
        });
        if let Some(drawn) = drawn {
            *drawn = content;
        }
    }

    /// Restores all objects and states on a new device.
    pub(super) fn replay(&self, backend: &mut impl Backend) -> Result<(), BackendError> {
        let mut stored = BTreeSet::new();
        for packet in self.parts.values().flatten() {
            let mut packet = packet.borrowed();
            match &mut packet {
                Packet::UploadTexture { key, side, level, layout, data } => {
                    stored.insert((*key, *side, *level));
                    if data.is_empty()
                        && let Some(desc) = self.desc(*key)
                    {
                        *data = Cow::Owned(vec![0; layout.bytes(desc.width, desc.height)]);
                    }
                }
                Packet::ZeroLevel { key, side, level } if !stored.insert((*key, *side, *level)) => {
                    continue;
                }
                Packet::GenerateMips { key, levels, .. } => {
                    let all = u8::try_from(levels.ilog2()).unwrap_or(0) + 1;
                    self.ensure_levels_resident(backend, &mut stored, *key, all)?;
                }
                Packet::BeginPass(pass) => {
                    for (key, _) in attachments(&pass.target) {
                        self.ensure_levels_resident(backend, &mut stored, key, 1)?;
                    }
                }
                _ => {}
            }
            backend.execute(packet)?;
        }
        Ok(())
    }

    /// Fills the largest mip levels of all faces, because render targets and mip generation require their content.
    fn ensure_levels_resident(
        &self,
        backend: &mut impl Backend,
        stored: &mut BTreeSet<(TextureKey, u8, u8)>,
        key: TextureKey,
        levels: u8,
    ) -> Result<(), BackendError> {
        let faces = self.desc(key).map_or(0, |desc| desc.kind.faces());
        for (side, level) in (0..faces).flat_map(|side| (0..levels).map(move |level| (side, level)))
        {
            if stored.insert((key, side, level)) {
                backend.execute(Packet::ZeroLevel { key, side, level })?;
            }
        }
        Ok(())
    }
}
