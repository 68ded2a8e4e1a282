//! The content of objects at a call: textures as images, buffers, programs, and the mesh of a draw.

use std::sync::Arc;

use context3d::agal::Stage;
use context3d::backend::ReadSurface;
use context3d::keys::TextureKey;
use molehill_capture::commands::ReplayObject;
use molehill_capture::objects::ObjectId;
use molehill_reference::watch::{DrawVertex, Watch};
use molehill_replay::image::RgbaImage;

use crate::edit::{listing, scaled};
use crate::error::{InspectError, Result};
use crate::inspector::Inspector;
use crate::number::text;
use crate::plan::ExactSurfaces;
use crate::renderers::ReferencePlayer;
use crate::resource_key::ResourceKey;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TexturePicture {
    pub slot: usize,
    /// The texture's id. `None` if the capture doesn't name the texture.
    pub id: Option<ObjectId>,
    pub texture: String,
    /// Cube face 0 to 5, in Stage3D's order: +x, -x, +y, -y, +z, -z. 0 for other textures.
    pub side: u8,
    pub level: u8,
    pub image: Arc<RgbaImage>,
}

/// The vertices of a draw before and after the vertex program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The vertices. A vertex shared by triangles occurs once per batch of some thousand triangles.
    pub vertices: Vec<DrawVertex>,
    pub triangles: Vec<[u32; 3]>,
}

impl Inspector {
    /// Returns all mip levels and faces with content of the textures that are bound at a call.
    pub fn textures(&mut self, call: usize) -> Result<Vec<TexturePicture>> {
        let capture = Arc::clone(self.capture());
        let (mut player, number, line) = self.at_call(call, ExactSurfaces::TEXTURES)?;
        let no_context = || InspectError::NoContext(call);
        let context = player.context_of(line.on).ok_or_else(no_context)?;
        let bound = player.bound(context).ok_or_else(no_context)?;
        let mut all = Vec::new();
        for (slot, texture) in bound.textures.iter().enumerate() {
            let Some(texture) = *texture else { continue };
            let key = ResourceKey::Texture(texture);
            let (id, title) = (key.id(&player, context), key.title(&capture, &player, context));
            all.extend(pictures(&mut player, (number, context), texture, (slot, id, &title))?);
        }
        Ok(all)
    }

    /// Returns the mesh of a draw: the first 2²⁰ vertices, and the triangles that use only these vertices.
    pub fn mesh(&mut self, call: usize) -> Result<Mesh> {
        let watched = self.watch(call, Watch { mesh: true, ..Watch::default() })?;
        Ok(Mesh { vertices: watched.vertices, triangles: watched.mesh })
    }
}

/// Returns all mip levels and faces of a texture that have content.
pub(crate) fn pictures(
    player: &mut ReferencePlayer,
    (number, context): (u64, usize),
    texture: TextureKey,
    (slot, id, title): (usize, Option<ObjectId>, &str),
) -> Result<Vec<TexturePicture>> {
    let mut pictures = Vec::new();
    let desc = player.texture_desc(context, texture);
    let (faces, levels) = desc.map_or((0, 0), |desc| (desc.kind.faces(), desc.levels));
    for (side, level) in (0..faces).flat_map(|side| (0..levels).map(move |level| (side, level))) {
        let surface = ReadSurface::Texture { texture, side, level };
        if let Some(image) = player.surface(number, context, surface)? {
            let (texture, image) = (title.to_owned(), Arc::new(image));
            pictures.push(TexturePicture { slot, id, texture, side, level, image });
        }
    }
    Ok(pictures)
}

impl Mesh {
    /// Returns the mesh as Wavefront OBJ. Before the vertex program, positions are `va0`, and comments list all
    /// attributes. If `after`, positions are divided by w (x right, y up, z towards the viewer), and comments list the
    /// clip-space position and varyings. Positions with w ≤ 0 are behind the camera and meaningless.
    pub fn obj(&self, after: bool) -> String {
        let mut out = String::new();
        for vertex in &self.vertices {
            let [x, y, z] = match (after, vertex.attributes.first()) {
                (true, _) => {
                    let [x, y, z, w] = vertex.position;
                    [x / w, y / w, -z / w]
                }
                (false, Some((_, [x, y, z, _]))) => [*x, *y, *z],
                (false, None) => [0.0; 3],
            };
            let DrawVertex { index, instance, position, .. } = vertex;
            let of = if *instance > 0 { format!(" of instance {instance}") } else { String::new() };
            let op = if after { format!(", op {}", text(position)) } else { String::new() };
            out += &format!("# vertex {index}{of}{op}");
            let letter = if after { "v" } else { "va" };
            for (register, value) in if after { &vertex.varyings } else { &vertex.attributes } {
                out += &format!("; {letter}{register} {}", text(value));
            }
            out += &format!("\nv {x} {y} {z}\n");
        }
        for [a, b, c] in &self.triangles {
            let [a, b, c] = [a, b, c].map(|index| u64::from(*index) + 1);
            out += &format!("f {a} {b} {c}\n");
        }
        out
    }
}

#[derive(Clone, Debug)]
pub enum TextureContent {
    /// All cube faces and mip levels with content.
    Texture(Vec<TexturePicture>),
    /// A vertex buffer: its 32-bit values, and the number of values per vertex.
    Vertices {
        values: Vec<u32>,
        stride: usize,
    },
    Indices(Vec<u16>),
    /// The AGAL of the vertex and the fragment program, or the decoding error.
    Program([String; 2]),
    /// The object has no upload yet, is disposed, or has no content.
    Nothing,
}

/// An object, and its content at a call.
#[derive(Clone, Debug)]
pub struct ObjectContent {
    pub content: TextureContent,
    /// The calls on the object, and the calls with the object as an argument.
    pub uses: Vec<usize>,
}

impl Inspector {
    /// Returns the content of an object before the call, if the call draws or clears, or otherwise after the call.
    pub fn content(&mut self, call: usize, id: ObjectId) -> Result<ObjectContent> {
        let uses = self.uses(id)?;
        let (mut player, number, _) = self.at_call(call, ExactSurfaces::TEXTURES)?;
        let object = player.ids().get(id);
        let content = match object {
            Some(ReplayObject::Texture(context, handle)) => {
                let of = (0, Some(id), &*self.capture().title(id));
                TextureContent::Texture(pictures(&mut player, (number, context), handle.key(), of)?)
            }
            Some(ReplayObject::VertexBuffer(context, handle)) => {
                let stride = player.vertex_stride(context, handle.key());
                let backend = player.backend_mut(context);
                let bytes = backend.and_then(|it| it.vertex_buffer(handle.key()));
                let words = bytes.map(|bytes| bytes.as_chunks::<4>().0.iter());
                let values = words.map(|words| words.map(|it| u32::from_le_bytes(*it)).collect());
                let stride = stride.map_or(1, |(bytes, _)| (bytes as usize / 4).max(1));
                values.map_or(TextureContent::Nothing, |values| TextureContent::Vertices {
                    values,
                    stride,
                })
            }
            Some(ReplayObject::IndexBuffer(context, handle)) => {
                let backend = player.backend_mut(context);
                let bytes = backend.and_then(|it| it.index_buffer(handle.key()));
                let halves = bytes.map(|bytes| bytes.as_chunks::<2>().0.iter());
                let values = halves.map(|all| all.map(|it| u16::from_le_bytes(*it)).collect());
                values.map_or(TextureContent::Nothing, TextureContent::Indices)
            }
            Some(ReplayObject::Program(..)) => self.program(call, id)?,
            Some(ReplayObject::Stage3D(_) | ReplayObject::Context(_) | ReplayObject::Null)
            | None => TextureContent::Nothing,
        };
        Ok(ObjectContent { content, uses })
    }

    /// Returns the last upload to a program at or before a call.
    fn program(&self, call: usize, id: ObjectId) -> Result<TextureContent> {
        let upload = self.dry_run(0)?.writes.last_upload(id, call + 1);
        let Some(upload) = upload else { return Ok(TextureContent::Nothing) };
        let (_, line) = self.capture().call(upload)?;
        let text = |stage| listing(&line.call, stage, true).unwrap_or_else(|error| error);
        Ok(TextureContent::Program([Stage::Vertex, Stage::Fragment].map(text)))
    }

    /// Returns thumbnails of mip level 0 of all textures at a call, at most `side` pixels wide and high.
    pub fn thumbnails(
        &mut self,
        call: usize,
        side: u32,
    ) -> Result<Vec<(ObjectId, Arc<RgbaImage>)>> {
        let (mut player, number, _) = self.at_call(call, ExactSurfaces::TEXTURES)?;
        let textures: Vec<_> = player.ids().iter().collect();
        let mut pictures = Vec::new();
        for (done, (id, object)) in textures.iter().enumerate() {
            self.report_progress(done, textures.len())?;
            let ReplayObject::Texture(context, handle) = *object else { continue };
            if player.texture_desc(context, handle.key()).is_none() {
                continue;
            }
            let surface = ReadSurface::Texture { texture: handle.key(), side: 0, level: 0 };
            if let Some(image) = player.surface(number, context, surface)? {
                pictures.extend(thumbnail(&image, side).map(|small| (*id, Arc::new(small))));
            }
        }
        Ok(pictures)
    }
}

/// Scales an image down to at most `side` pixels in width and height.
fn thumbnail(image: &RgbaImage, side: u32) -> Option<RgbaImage> {
    let (width, height) = (image.width(), image.height());
    let longest = width.max(height).max(side).max(1);
    scaled(image, (width * side / longest).max(1), (height * side / longest).max(1))
}
