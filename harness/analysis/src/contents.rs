//! The content of any object at a call, and small pictures of all textures.

use std::sync::Arc;

use context3d::agal::asm::Listing;
use context3d::agal::{Program, Stage};
use context3d::backend::Surface;
use molehill_capture::Call;
use molehill_capture::commands::Object;
use molehill_capture::data::{ByteArray, Bytes};
use molehill_capture::objects::ObjectId;
use molehill_replay::image::Image;

use crate::error::Result;
use crate::inspector::Inspector;
use crate::plan::Want;
use crate::textures::{TexturePicture, pictures};

#[derive(Clone, Debug)]
pub enum Content {
    /// All faces and levels that have content.
    Texture(Vec<TexturePicture>),
    /// 32-bit values, and how many a vertex has.
    Vertices {
        values: Vec<u32>,
        stride: usize,
    },
    Indices(Vec<u16>),
    /// AGAL text of the vertex and the fragment program, or why there is none.
    Program([String; 2]),
    /// Nothing was uploaded yet, or the object is disposed, or of another class.
    Nothing,
}

/// An object, and its content at a call.
#[derive(Clone, Debug)]
pub struct ObjectContent {
    pub content: Content,
    /// All calls on the object, and those that name it.
    pub uses: Vec<usize>,
}

impl Inspector {
    /// The content of an object at a call: before a draw or a clear, after any other call.
    pub fn content(&mut self, call: usize, id: ObjectId) -> Result<ObjectContent> {
        let uses = self.uses(id)?;
        let (mut player, number, _) = self.at_call(call, Want::TEXTURES)?;
        let object = player.ids().get(id);
        let content = match object {
            Some(Object::Texture(context, handle)) => {
                let of = (0, Some(id), &*self.capture().title(id));
                Content::Texture(pictures(&mut player, (number, context), handle.key(), of)?)
            }
            Some(Object::VertexBuffer(context, handle)) => {
                let stride = player.vertex_stride(context, handle.key());
                let backend = player.backend_mut(context);
                let bytes = backend.and_then(|it| it.vertex_buffer(handle.key()));
                let words = bytes.map(|bytes| bytes.as_chunks::<4>().0.iter());
                let values = words.map(|words| words.map(|it| u32::from_le_bytes(*it)).collect());
                let stride = stride.map_or(1, |(bytes, _)| (bytes as usize / 4).max(1));
                values.map_or(Content::Nothing, |values| Content::Vertices { values, stride })
            }
            Some(Object::IndexBuffer(context, handle)) => {
                let backend = player.backend_mut(context);
                let bytes = backend.and_then(|it| it.index_buffer(handle.key()));
                let halves = bytes.map(|bytes| bytes.as_chunks::<2>().0.iter());
                let values = halves.map(|all| all.map(|it| u16::from_le_bytes(*it)).collect());
                values.map_or(Content::Nothing, Content::Indices)
            }
            Some(Object::Program(..)) => self.program(call, &uses)?,
            Some(Object::Stage3D(_) | Object::Context(_) | Object::Null) | None => Content::Nothing,
        };
        Ok(ObjectContent { content, uses })
    }

    fn program(&self, call: usize, uses: &[usize]) -> Result<Content> {
        for earlier in uses.iter().rev().filter(|each| **each <= call) {
            let (_, line) = self.capture().call(*earlier)?;
            if let Call::ProgramUpload { vertex_program, fragment_program } = &line.call {
                let text = |bytes: &ByteArray, stage| {
                    let Some(Bytes { bytes, endian }) = &bytes.0 else { return "null".to_owned() };
                    let program = Program::decode(bytes, *endian, stage);
                    let text = program.map(|program| {
                        Listing { numbers: true, ..Listing::new(&program) }.to_string()
                    });
                    text.unwrap_or_else(|error| error.to_string())
                };
                let vertex = text(vertex_program, Stage::Vertex);
                return Ok(Content::Program([vertex, text(fragment_program, Stage::Fragment)]));
            }
        }
        Ok(Content::Nothing)
    }

    /// Pictures of level 0 of all textures at a call, scaled down to `side` pixels at most.
    pub fn thumbnails(&mut self, call: usize, side: u32) -> Result<Vec<(ObjectId, Arc<Image>)>> {
        let (mut player, number, _) = self.at_call(call, Want::TEXTURES)?;
        let textures: Vec<_> = player.ids().iter().collect();
        let mut pictures = Vec::new();
        for (done, (id, object)) in textures.iter().enumerate() {
            self.report_progress(done, textures.len())?;
            let Object::Texture(context, handle) = *object else { continue };
            if player.texture_desc(context, handle.key()).is_none() {
                continue;
            }
            let surface = Surface::Texture { texture: handle.key(), side: 0, level: 0 };
            if let Some(image) = player.surface(number, context, surface)? {
                pictures.extend(smaller(&image, side).map(|small| (*id, Arc::new(small))));
            }
        }
        Ok(pictures)
    }
}

/// A picture scaled down to `side` pixels at most; each is the mean of at most 16 of the picture's.
fn smaller(image: &Image, side: u32) -> Option<Image> {
    let (width, height) = (image.width().max(1), image.height().max(1));
    let longest = width.max(height).max(side);
    let (across, down) = ((width * side / longest).max(1), (height * side / longest).max(1));
    let mut rgba = Vec::with_capacity(across as usize * down as usize * 4);
    for (x, y) in (0..down).flat_map(|y| (0..across).map(move |x| (x, y))) {
        let mut sum = [0u32; 4];
        for part in 0..16 {
            let (right, below) = (part % 4 * 2 + 1, part / 4 * 2 + 1);
            let (x, y) = ((x * 8 + right) * width, (y * 8 + below) * height);
            let pixel = image.pixel(x / (across * 8), y / (down * 8)).unwrap_or_default();
            sum.iter_mut().zip(pixel).for_each(|(sum, it)| *sum += u32::from(it));
        }
        rgba.extend(sum.map(|sum| u8::try_from(sum / 16).unwrap_or(u8::MAX)));
    }
    Image::from_rgba(across, down, rgba)
}
