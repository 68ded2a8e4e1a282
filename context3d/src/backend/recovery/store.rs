//! The packets that make a new device hold what the old one did.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::backend::{Backend, BackendError};
use crate::enums::ProgramType;
use crate::handle::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use crate::packets::{Clear, Packet, Pass, Target, TextureDesc};

/// What a device holds, in the order in which it is restored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    VertexBuffer(VertexBufferKey),
    IndexBuffer(IndexBufferKey),
    Program(ProgramKey),
    Texture(TextureKey),
    VertexConstants,
    FragmentConstants,
    BackBuffer,
    Pass,
}

/// For each part the fewest packets that restore it.
#[derive(Default)]
pub(super) struct Store {
    parts: BTreeMap<Part, Vec<Packet<'static>>>,
    pub(super) target: Target,
}

/// The faces of textures that a target draws into.
pub(super) fn attachments(target: &Target) -> impl Iterator<Item = (TextureKey, u8)> {
    let color = match target {
        Target::BackBuffer => Default::default(),
        Target::Textures(textures) => textures.color,
    };
    color.into_iter().flatten().map(|attachment| (attachment.texture, attachment.side))
}

/// Whether a packet draws into the colour of its pass's target.
pub(super) fn renders(packet: &Packet<'_>) -> bool {
    let clears = matches!(packet, Packet::BeginPass(pass) if pass.clear.color.is_some());
    clears || matches!(packet, Packet::Draw(_))
}

/// A pass that goes on in a target on a new device, where textures' depth and stencil have no content.
fn resumed(target: Target) -> Pass {
    let (load_samples, has_depth) = match &target {
        Target::BackBuffer => (false, false),
        Target::Textures(textures) => (textures.samples > 1, textures.depth_stencil),
    };
    let (depth, stencil) = (has_depth.then_some(1.0), has_depth.then_some(0));
    Pass { target, load_samples, clear: Clear { color: None, depth, stencil } }
}

/// Stands for a face's level 0 that was drawn to: transparent black, unless its content becomes known.
fn blank(key: TextureKey, side: u8, desc: &TextureDesc) -> Packet<'static> {
    let (layout, data) = (desc.format.layout(), Cow::Borrowed(&[][..]));
    Packet::UploadTexture { key, side, level: 0, layout, data }
}

/// Bytes behind a packet.
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

impl Store {
    /// Adds the effect of a packet; of a draw, that its textures have unknown content.
    pub(super) fn apply(&mut self, packet: Packet<'static>) {
        match packet {
            Packet::CreateVertexBuffer { key, bytes, .. } => {
                let data = Cow::Owned(vec![0; bytes as usize]);
                let zeros = Packet::UploadVertexBuffer { key, offset: 0, data };
                self.parts.insert(Part::VertexBuffer(key), vec![packet, zeros]);
            }
            Packet::CreateIndexBuffer { key, bytes, .. } => {
                let data = Cow::Owned(vec![0; bytes as usize]);
                let zeros = Packet::UploadIndexBuffer { key, offset: 0, data };
                self.parts.insert(Part::IndexBuffer(key), vec![packet, zeros]);
            }
            Packet::UploadVertexBuffer { key, offset, data } => {
                self.write(Part::VertexBuffer(key), offset, &data);
            }
            Packet::UploadIndexBuffer { key, offset, data } => {
                self.write(Part::IndexBuffer(key), offset, &data);
            }
            Packet::PadVertexBuffer { key, .. } => {
                if let Some(packets) = self.parts.get_mut(&Part::VertexBuffer(key)) {
                    packets.truncate(2);
                    packets.push(packet);
                }
            }
            Packet::UploadProgram { key, .. } => self.set(Part::Program(key), packet),
            Packet::CreateTexture { key, .. } => self.set(Part::Texture(key), packet),
            Packet::UploadTexture { key, side, .. }
            | Packet::ZeroLevel { key, side, .. }
            | Packet::GenerateMips { key, side, .. } => self.change_face(key, side, packet),
            Packet::ConfigureBackBuffer(_) => {
                self.set(Part::BackBuffer, packet);
                if self.target == Target::BackBuffer {
                    self.remove(Part::Pass);
                }
            }
            Packet::Constants { stage, first, values } => {
                self.set_constants(stage, first.into(), &values);
            }
            Packet::BeginPass(pass) => {
                self.target = pass.target;
                self.set(Part::Pass, Packet::BeginPass(resumed(pass.target)));
                if renders(&packet) {
                    self.forget_rendered();
                }
            }
            Packet::EndPass { .. } => {
                if let Some(packets) = self.parts.get_mut(&Part::Pass) {
                    packets.push(packet);
                }
            }
            Packet::Present => {
                self.target = Target::BackBuffer;
                self.remove(Part::Pass);
            }
            Packet::Draw(_) => self.forget_rendered(),
            Packet::DisposeVertexBuffer(key) => self.remove(Part::VertexBuffer(key)),
            Packet::DisposeIndexBuffer(key) => self.remove(Part::IndexBuffer(key)),
            Packet::DisposeProgram(key) => self.remove(Part::Program(key)),
            Packet::DisposeTexture(key) => {
                self.remove(Part::Texture(key));
                // No pass goes on in a target that lost a texture.
                if attachments(&self.target).any(|(texture, _)| texture == key) {
                    self.remove(Part::Pass);
                }
            }
        }
    }

    /// Counts the content of the target's textures as unknown.
    fn forget_rendered(&mut self) {
        let target = self.target;
        for (key, side) in attachments(&target) {
            if let Some(desc) = self.desc(key) {
                self.change_face(key, side, blank(key, side, &desc));
            }
        }
    }

    fn set(&mut self, part: Part, packet: Packet<'static>) {
        self.parts.insert(part, vec![packet]);
    }

    fn remove(&mut self, part: Part) {
        self.parts.remove(&part);
    }

    /// Replaces a part of a buffer.
    fn write(&mut self, part: Part, offset: u32, data: &[u8]) {
        let buffer = self.parts.get_mut(&part).and_then(|packets| packets.get_mut(1));
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
            ProgramType::Vertex => Part::VertexConstants,
            ProgramType::Fragment => Part::FragmentConstants,
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
        let created = self.parts.get(&Part::Texture(key))?.first()?;
        if let Packet::CreateTexture { desc, .. } = created { Some(*desc) } else { None }
    }

    /// Adds a change of a face of a texture and removes the changes that can't be seen any more.
    fn change_face(&mut self, key: TextureKey, face: u8, change: Packet<'static>) {
        let Some(packets) = self.parts.get_mut(&Part::Texture(key)) else {
            return;
        };
        packets.push(change);
        // Bit n: what level n holds at this point is seen later.
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
                // Each is made from the level above it, which is made too or was there.
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

    /// Gives a face that was drawn to its content, with an upload of level 0.
    pub(super) fn set_content(&mut self, content: Packet<'static>) {
        let Packet::UploadTexture { key, side: face, .. } = &content else {
            return;
        };
        let packets = self.parts.get_mut(&Part::Texture(*key));
        let drawn = packets.into_iter().flatten().rfind(|packet| {
            let unknown = |side: &u8, data: &Cow<'_, [u8]>| side == face && data.is_empty();
            matches!(packet, Packet::UploadTexture { side, data, .. } if unknown(side, data))
        });
        if let Some(drawn) = drawn {
            *drawn = content;
        }
    }

    /// Restores all of it on a new device.
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
                    self.store_levels(backend, &mut stored, *key, all)?;
                }
                Packet::BeginPass(pass) => {
                    for (key, _) in attachments(&pass.target) {
                        self.store_levels(backend, &mut stored, key, 1)?;
                    }
                }
                _ => {}
            }
            backend.execute(packet)?;
        }
        Ok(())
    }

    /// Gives the first levels of all faces content, as a target and generated levels need it.
    fn store_levels(
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
