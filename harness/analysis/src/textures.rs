//! The bound textures as pictures, and the mesh of a draw.

use std::sync::Arc;

use context3d::backend::Surface;
use context3d::keys::TextureKey;
use molehill_capture::objects::ObjectId;
use molehill_reference::watch::{Vertex, Watch};
use molehill_replay::image::Image;

use crate::error::{InspectError, Result};
use crate::inspector::Inspector;
use crate::number::text;
use crate::plan::Want;
use crate::renderers::{Key, Player};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TexturePicture {
    pub slot: usize,
    /// The texture's id; `None` if the capture doesn't know it.
    pub id: Option<ObjectId>,
    pub texture: String,
    /// Cube face 0 to 5 in the API's order; 0 for other textures.
    pub side: u8,
    pub level: u8,
    pub image: Arc<Image>,
}

/// The vertices of a draw before and after the vertex program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The vertices. A vertex that triangles share is listed once per batch of some thousand triangles.
    pub vertices: Vec<Vertex>,
    pub triangles: Vec<[u32; 3]>,
}

impl Inspector {
    /// The bound textures at a call: all levels and faces that have content.
    pub fn textures(&mut self, call: usize) -> Result<Vec<TexturePicture>> {
        let capture = Arc::clone(self.capture());
        let (mut player, number, line) = self.at_call(call, Want::TEXTURES)?;
        let no_context = || InspectError::NoContext(call);
        let context = player.context_of(line.on).ok_or_else(no_context)?;
        let bound = player.bound(context).ok_or_else(no_context)?;
        let mut all = Vec::new();
        for (slot, texture) in bound.textures.iter().enumerate() {
            let Some(texture) = *texture else { continue };
            let key = Key::Texture(texture);
            let (id, title) = (key.id(&player, context), key.title(&capture, &player, context));
            all.extend(pictures(&mut player, (number, context), texture, (slot, id, &title))?);
        }
        Ok(all)
    }

    /// The mesh of a draw. Vertices beyond 2²⁰ are left out, with their triangles.
    pub fn mesh(&mut self, call: usize) -> Result<Mesh> {
        let watched = self.watch(call, Watch { mesh: true, ..Watch::default() })?;
        Ok(Mesh { vertices: watched.vertices, triangles: watched.mesh })
    }
}

/// All levels and faces of a texture that have content; `of` are their slot, id and title.
pub(crate) fn pictures(
    player: &mut Player,
    (number, context): (u64, usize),
    texture: TextureKey,
    (slot, id, title): (usize, Option<ObjectId>, &str),
) -> Result<Vec<TexturePicture>> {
    let mut pictures = Vec::new();
    let desc = player.texture_desc(context, texture);
    let (faces, levels) = desc.map_or((0, 0), |desc| (desc.kind.faces(), desc.levels));
    for (side, level) in (0..faces).flat_map(|side| (0..levels).map(move |level| (side, level))) {
        let surface = Surface::Texture { texture, side, level };
        if let Some(image) = player.surface(number, context, surface)? {
            let (texture, image) = (title.to_owned(), Arc::new(image));
            pictures.push(TexturePicture { slot, id, texture, side, level, image });
        }
    }
    Ok(pictures)
}

impl Mesh {
    /// The mesh as Wavefront OBJ. Before the vertex program (`after` is false): positions are attribute `va0`, and
    /// comments list all attributes. After it: positions are divided by w (x to the right, y up, z towards the viewer),
    /// and comments list the clip-space position and the varyings. Positions with w ≤ 0 are behind the eye, so their
    /// values are meaningless.
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
            let Vertex { index, instance, position, .. } = vertex;
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
