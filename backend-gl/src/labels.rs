//! Labels for debuggers: objects have names, and calls are grouped by pass and packet. Only used in debug contexts.
//!
//! Objects are numbered by kind in the order of their first use: `vertexBuffer1`, `program3`, `texture5`. Each pass is
//! a group, `frame 2, pass 1: back buffer`, and so is each packet in it: `draw 7: program3`.

use context3d::backend::BackendError;
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::packets::{Packet, Target};
use slotmap::{Key, SecondaryMap};

use crate::backend::Objects;
use crate::device::Device;
use crate::gl::{Gl, Labelled};

/// The numbers of one kind of object.
struct Numbers<K: Key>(SecondaryMap<K, u32>, u32);

impl<K: Key> Default for Numbers<K> {
    fn default() -> Self {
        Numbers(SecondaryMap::new(), 0)
    }
}

impl<K: Key> Numbers<K> {
    fn of(&mut self, key: K) -> u32 {
        match self.0.get(key) {
            Some(number) => *number,
            None => {
                self.1 += 1;
                self.0.insert(key, self.1);
                self.1
            }
        }
    }
}

/// The numbers of all objects, and the position in the frame.
#[derive(Default)]
pub(crate) struct Labels {
    vertex_buffers: Numbers<VertexBufferKey>,
    index_buffers: Numbers<IndexBufferKey>,
    textures: Numbers<TextureKey>,
    programs: Numbers<ProgramKey>,
    frame: u32,
    pass: u32,
    draw: u32,
    /// Whether a pass's group is open.
    open: bool,
}

impl Labels {
    /// Ends the group of the current pass.
    pub(crate) fn end_pass(&mut self, gl: &Gl) {
        if std::mem::take(&mut self.open) {
            gl.pop_group();
        }
    }

    fn begin_pass(&mut self, gl: &Gl, target: &Target) {
        if !std::mem::replace(&mut self.open, true) {
            self.pass += 1;
            let target = self.target(target);
            gl.push_group(&format!("frame {}, pass {}: {target}", self.frame, self.pass));
        }
    }

    fn target(&mut self, target: &Target) -> String {
        let Target::Textures(textures) = target else {
            return "back buffer".to_owned();
        };
        let outputs = textures.color.iter().flatten();
        let names = outputs.map(|output| format!("texture{}", self.textures.of(output.texture)));
        names.collect::<Vec<_>>().join(", ")
    }

    /// The name of a packet's group; `None` for packets that make no GL calls or only create an object.
    fn text(&mut self, packet: &Packet<'_>) -> Option<String> {
        Some(match packet {
            Packet::Draw(draw) => {
                self.draw += 1;
                format!("draw {}: program{}", self.draw, self.programs.of(draw.program))
            }
            Packet::Clear(_) => "clear".to_owned(),
            Packet::Present => "present".to_owned(),
            Packet::ConfigureBackBuffer(_) => "configureBackBuffer".to_owned(),
            Packet::UploadVertexBuffer { key, .. } => {
                format!("upload vertexBuffer{}", self.vertex_buffers.of(*key))
            }
            Packet::UploadIndexBuffer { key, .. } => {
                format!("upload indexBuffer{}", self.index_buffers.of(*key))
            }
            Packet::UploadTexture { key, level, .. } => {
                format!("upload texture{}, level {level}", self.textures.of(*key))
            }
            Packet::UploadProgram { key, .. } => {
                format!("upload program{}", self.programs.of(*key))
            }
            Packet::GenerateMips { key, .. } => {
                format!("mips of texture{}", self.textures.of(*key))
            }
            Packet::SetTarget(_)
            | Packet::Constants { .. }
            | Packet::CreateVertexBuffer { .. }
            | Packet::CreateIndexBuffer { .. }
            | Packet::CreateTexture { .. }
            | Packet::DisposeVertexBuffer(_)
            | Packet::DisposeIndexBuffer(_)
            | Packet::DisposeProgram(_)
            | Packet::DisposeTexture(_) => return None,
        })
    }
}

impl Objects {
    /// Executes a packet in its own group, and labels its objects.
    pub(crate) fn labelled(
        &mut self,
        device: &mut Device,
        packet: Packet<'_>,
    ) -> Result<(), BackendError> {
        match &packet {
            Packet::Draw(_) | Packet::Clear(_) => self.labels.begin_pass(&self.gl, &self.target),
            Packet::SetTarget(_) | Packet::Present | Packet::ConfigureBackBuffer(_) => {
                self.labels.end_pass(&self.gl);
            }
            _ => {}
        }
        let group = self.labels.text(&packet);
        if let Some(text) = &group {
            self.gl.push_group(text);
        }
        let named = named(&packet);
        let presents = packet == Packet::Present;
        let done = self.dispatch(device, packet);
        if done.is_ok() {
            named.iter().for_each(|name| self.label(*name));
        }
        if group.is_some() {
            self.gl.pop_group();
        }
        if presents {
            let labels = &mut self.labels;
            (labels.frame, labels.pass, labels.draw) = (labels.frame + 1, 0, 0);
        }
        done?;
        device.after_packet()
    }

    fn label(&mut self, name: Named) {
        let labels = &mut self.labels;
        let (object, label) = match name {
            Named::VertexBuffer(key) => (
                self.vertex_buffers.get(key).map(|it| Labelled::Buffer(it.name())),
                format!("vertexBuffer{}", labels.vertex_buffers.of(key)),
            ),
            Named::IndexBuffer(key) => (
                self.index_buffers.get(key).map(|it| Labelled::Buffer(it.object().name)),
                format!("indexBuffer{}", labels.index_buffers.of(key)),
            ),
            Named::Texture(key) => (
                self.textures.get(key).map(|it| Labelled::Texture(it.name())),
                format!("texture{}", labels.textures.of(key)),
            ),
            Named::Program(key) => (
                self.programs.get_mut(key).map(|it| Labelled::Program(it.object().name)),
                format!("program{}", labels.programs.of(key)),
            ),
            Named::Target => (
                self.bound.as_ref().map(|it| Labelled::Framebuffer(it.framebuffer.name)),
                labels.target(&self.target),
            ),
        };
        if let Some(object) = object {
            self.gl.label(object, &label);
        }
    }
}

/// An object to be labelled.
#[derive(Clone, Copy)]
enum Named {
    VertexBuffer(VertexBufferKey),
    IndexBuffer(IndexBufferKey),
    Texture(TextureKey),
    Program(ProgramKey),
    /// The framebuffer of the current target.
    Target,
}

/// The objects that a packet created or used.
fn named(packet: &Packet<'_>) -> Vec<Named> {
    match packet {
        Packet::Draw(draw) => {
            let streams = draw.streams.iter().flatten();
            let textures = draw.textures.iter().flatten();
            let mut named = vec![
                Named::Target,
                Named::Program(draw.program),
                Named::IndexBuffer(draw.index_buffer),
            ];
            named.extend(streams.map(|stream| Named::VertexBuffer(stream.buffer)));
            named.extend(textures.map(|binding| Named::Texture(binding.texture)));
            named
        }
        Packet::Clear(_) => vec![Named::Target],
        Packet::CreateVertexBuffer { key, .. } => vec![Named::VertexBuffer(*key)],
        Packet::CreateIndexBuffer { key, .. } => vec![Named::IndexBuffer(*key)],
        // GL creates the texture object when it is first bound.
        Packet::UploadTexture { key, .. } => vec![Named::Texture(*key)],
        Packet::UploadProgram { key, .. } => vec![Named::Program(*key)],
        _ => Vec::new(),
    }
}

#[cfg(all(test, feature = "offscreen"))]
mod tests {
    use std::borrow::Cow;

    use context3d::backend::Backend as _;
    use context3d::enums::TextureFormat;
    use context3d::packets::{BackBuffer, Clear, TexelLayout, TextureDesc, TextureKind};
    use slotmap::SlotMap;

    use super::*;
    use crate::offscreen::{Api, Offscreen, Options};

    const CLEAR: Packet<'static> =
        Packet::Clear(Clear { color: Some([0.0; 4]), depth: None, stencil: None });

    fn backend(api: Api, debug: bool) -> crate::GlBackend {
        let mut options = Options::new(api);
        options.debug = debug;
        let offscreen = Offscreen::open_with(&options);
        let offscreen = offscreen.expect("an EGL; harness/setup.sh installs one");
        offscreen.backend().expect("a backend")
    }

    /// Two textures, the second one uploaded, and a clear of the back buffer.
    fn drive(backend: &mut crate::GlBackend) -> TextureKey {
        let mut keys = SlotMap::with_key();
        let [first, second]: [TextureKey; 2] = [keys.insert(()), keys.insert(())];
        let desc = TextureDesc {
            kind: TextureKind::TwoD,
            format: TextureFormat::Bgra,
            width: 1,
            height: 1,
            levels: 1,
            render_target: false,
        };
        let shape = BackBuffer { width: 4, height: 4, samples: 1, depth_stencil: false };
        let upload = |key| Packet::UploadTexture {
            key,
            side: 0,
            level: 0,
            layout: TexelLayout::Bgra8,
            data: Cow::Borrowed(&[1, 2, 3, 4]),
        };
        for packet in [
            Packet::ConfigureBackBuffer(shape),
            Packet::CreateTexture { key: first, desc },
            Packet::CreateTexture { key: second, desc },
            upload(first),
            upload(second),
        ] {
            assert_eq!(backend.execute(packet), Ok(()));
        }
        backend.objects.gl.take_messages();
        for packet in [CLEAR, Packet::Present, CLEAR] {
            assert_eq!(backend.execute(packet), Ok(()));
        }
        second
    }

    #[test]
    fn debuggers_see_names_and_groups() {
        for api in [Api::OpenGl, Api::Gles] {
            let mut backend = backend(api, true);
            let second = drive(&mut backend);
            let objects = &mut backend.objects;
            let texture = objects.textures.get(second).map(crate::texture::Texture::name);
            let texture = Labelled::Texture(texture.expect("it was made"));
            let target = objects.bound.as_ref().map(|bound| bound.framebuffer.name);
            let target = Labelled::Framebuffer(target.expect("it was cleared"));
            assert_eq!(objects.gl.label_of(texture), "texture2");
            assert_eq!(objects.gl.label_of(target), "back buffer");
            // A new pass logs its group's message.
            objects.gl.take_messages();
            objects.labels.end_pass(&objects.gl);
            objects.labels.begin_pass(&objects.gl, &objects.target);
            let messages = objects.gl.take_messages();
            let texts = ["frame 1, pass 1: back buffer", "frame 1, pass 2: back buffer"];
            assert_eq!(messages, texts, "{api}");
            assert_eq!(backend.debug_errors(), 0);
        }
    }

    #[test]
    fn other_contexts_have_none() {
        let mut backend = backend(Api::OpenGl, false);
        drive(&mut backend);
        assert_eq!((backend.objects.labels.textures.1, backend.objects.labels.frame), (0, 0));
        assert_eq!(backend.debug_errors(), 0);
    }
}
