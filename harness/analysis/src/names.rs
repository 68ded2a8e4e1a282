//! Readable names of a capture's objects and calls.

use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine};

use crate::calls::RenderFace;
use crate::calls::texture;
use crate::capture::Capture;

/// Minimum length of a bulk data argument as text. Bulk data usually differs between similar calls.
pub const DATA: usize = 40;

/// Maximum length of a displayed host-given name, in characters.
const MAX_LABEL: usize = 60;

impl Capture {
    /// Returns an object's short name: `texture#7`, or `texture#7 "sky"` if the host named the object.
    pub fn name(&self, id: ObjectId) -> String {
        let word = match self.kind(id) {
            None => "object",
            Some(ObjectKind::Stage3D) => "stage3d",
            Some(ObjectKind::Context3D) => "context",
            Some(ObjectKind::VertexBuffer3D) => "vertices",
            Some(ObjectKind::IndexBuffer3D) => "indices",
            Some(ObjectKind::Program3D) => "program",
            Some(ObjectKind::Texture) => "texture",
            Some(ObjectKind::RectangleTexture) => "rectangle",
            Some(ObjectKind::CubeTexture) => "cube",
            Some(ObjectKind::VideoTexture) => "video",
        };
        match self.label(id).map(|label| plain(label, MAX_LABEL)) {
            Some(label) => format!("{word}#{id} \"{label}\""),
            None => format!("{word}#{id}"),
        }
    }

    /// Returns an object's name with its size or format: `texture#7 "512×512 bgra"`.
    pub fn title(&self, id: ObjectId) -> String {
        let (name, shape) = (self.name(id), self.shape(id));
        match name.strip_suffix('"') {
            _ if shape.is_empty() => name,
            Some(name) => format!("{name}, {shape}\""),
            None => format!("{name} \"{shape}\""),
        }
    }

    /// Returns a call as text, without its result: `context#2.setFillMode(fillMode: solid)`.
    pub fn call_text(&self, line: &CallLine) -> String {
        let arguments = arguments(&line.call.arguments(&|id| self.name(id)));
        format!("{}.{}({arguments})", self.name(line.on), line.call.name())
    }

    /// Returns a call as text, without its receiver and bulk data: `setFillMode(fillMode: solid)`.
    pub(crate) fn short_text(&self, call: &Call) -> String {
        let mut all = call.arguments(&|id| self.name(id));
        all.retain(|(_, value)| value.len() < DATA);
        format!("{}({})", call.name(), arguments(&all))
    }

    /// Returns the name and size of a texture, with the name of the face for a cube texture.
    pub fn face_title(&self, face: RenderFace) -> String {
        let title = self.title(face.texture);
        let is_cube = self.kind(face.texture) == Some(ObjectKind::CubeTexture);
        if is_cube { format!("{title}, face {}", face.side) } else { title }
    }

    /// Returns an object's size or format from the call that created it: `512×512 bgra`. Returns an empty string for
    /// objects without a size, or if the call can't be read.
    pub fn shape(&self, id: ObjectId) -> String {
        self.creation(id).map_or(String::new(), |line| shape(&line.call))
    }
}

/// Formats arguments as text: `width: 4, height: 2`.
pub fn arguments(all: &[(&str, String)]) -> String {
    all.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join(", ")
}

/// Returns the first `most` characters of a host's string, without control characters.
pub(crate) fn plain(text: &str, most: usize) -> String {
    let letters = text.chars().take(most);
    letters.map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

fn shape(call: &Call) -> String {
    let short = |text: Option<&str>| text.unwrap_or("null").chars().take(30).collect::<String>();
    if let Some((format, width, height)) = texture(call) {
        return format!("{width}×{height} {}", short(format));
    }
    match call {
        Call::CreateVertexBuffer { num_vertices, data32_per_vertex, .. } => {
            format!("{num_vertices} vertices of {data32_per_vertex}")
        }
        Call::CreateVertexBufferForInstances {
            num_vertices,
            data32_per_vertex,
            instances_per_element,
            ..
        } => format!(
            "{num_vertices} elements of {data32_per_vertex} for {instances_per_element} instances"
        ),
        Call::CreateIndexBuffer { num_indices, .. } => format!("{num_indices} indices"),
        Call::RequestContext3D { profile, .. } => {
            let profile = profile.0.as_ref().and_then(Option::as_deref);
            profile.map_or(String::new(), |profile| short(Some(profile)))
        }
        _ => String::new(),
    }
}

/// The names of the cube faces, in Stage3D's order [context3d.cube.sides].
pub const SIDES: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];
