//! Replays on any renderer, their images, and the ids of their resources.

use context3d::agal::{Interface, LinkedPair};
use context3d::backend::{Backend, BackendFactory, ReadSurface, Region};
use context3d::internals::BoundState;
use molehill_capture::CapturePosition;
use molehill_capture::commands::ReplayObject;
use molehill_capture::objects::ObjectId;
use molehill_reference::ReferenceFactory;
use molehill_replay::image::RgbaImage;
use molehill_replay::{ReplayError, ReplayErrorKind, ReplayOptions, Replayer};

use crate::calls::RenderFace;
use crate::capture::Capture;
use crate::error::Result;
use crate::resource_key::ResourceKey;
use crate::state_items::{StateItem, StateSlot};

/// A replay on the reference renderer.
pub type ReferencePlayer = Replayer<ReferenceFactory>;

/// Returns the texture face of a context's first colour output, or `None` for the back buffer.
pub fn target_face<F: BackendFactory>(player: &Replayer<F>, context: usize) -> Option<RenderFace> {
    match *player.targets(context).first()? {
        ReadSurface::Texture { texture, side, .. } => {
            Some(RenderFace { texture: ResourceKey::Texture(texture).id(player, context)?, side })
        }
        ReadSurface::BackBuffer | ReadSurface::Front => None,
    }
}

/// Returns the image of the stage at the end of the last complete frame, or `None` without a complete frame.
pub fn last_picture<F: BackendFactory>(capture: &Capture, factory: F) -> Result<Option<RgbaImage>> {
    capture.last_complete_frame().ok().map(|frame| picture(capture, factory, frame)).transpose()
}

/// Returns the image of the stage at the end of a frame.
pub fn picture<F: BackendFactory>(capture: &Capture, factory: F, frame: u32) -> Result<RgbaImage> {
    let end = capture.frame(frame)?.records.end;
    let mut player = Replayer::new(capture.header(), factory, ReplayOptions::default());
    for record in capture.records(0..end) {
        let (number, entry) = record?;
        let done = player.record(number, &entry);
        done.map_err(|error| error.in_call(player.report().calls))?;
    }
    Ok(player.screen(end as u64)?)
}

/// Reads one pixel of a surface. Returns `None` if the surface or the pixel doesn't exist.
pub(crate) fn read_pixel<F: BackendFactory>(
    player: &mut Replayer<F>,
    context: usize,
    surface: ReadSurface,
    (x, y): (u32, u32),
) -> Result<Option<[u8; 4]>, ReplayError> {
    let Some(backend) = player.backend_mut(context) else { return Ok(None) };
    let mut rgba = Vec::new();
    let size = backend.read_region(surface, Region { x, y, width: 1, height: 1 }, &mut rgba);
    let failed =
        |error| ReplayErrorKind::Device("reading a pixel", error).at(CapturePosition::default());
    let size = size.map_err(failed)?;
    Ok(rgba.first_chunk().copied().filter(|_| size == (1, 1)))
}

/// Returns the linked vertex and fragment program of a context.
pub fn pair(player: &mut ReferencePlayer, context: usize) -> Option<&LinkedPair> {
    let program = player.bound_device_program(context)?;
    player.backend_mut(context)?.program(program)
}

/// Returns the constants that the bound programs may read.
pub(crate) fn constants<'b>(
    bound: &'b BoundState,
    interface: &Interface,
) -> impl Iterator<Item = (StateSlot, &'b [f32; 4])> {
    let banks = [
        (StateItem::VertexConstants, interface.vertex_constants, &bound.vertex_constants[..]),
        (StateItem::FragmentConstants, interface.fragment_constants, &bound.fragment_constants[..]),
    ];
    banks.into_iter().flat_map(|(item, count, bank)| {
        let read = bank.iter().enumerate().take(count.into());
        read.map(move |(at, value)| (item.slot(at), value))
    })
}

pub(crate) fn context_id(player: &ReferencePlayer, context: usize) -> Option<ObjectId> {
    let mut ids = player.ids().iter();
    ids.find(|(_, object)| *object == ReplayObject::Context(context)).map(|(id, _)| id)
}
