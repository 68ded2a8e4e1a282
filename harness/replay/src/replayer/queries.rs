//! Queries a replay's state, and copies a replay.

use context3d::backend::{Backend, BackendError, BackendFactory, ReadSurface};
use context3d::internals::BoundState;
use context3d::keys::{ProgramKey, TextureKey, VertexBufferKey};
use context3d::packets::{MAX_SAMPLERS, TextureDesc};
use context3d::{Context3D, FlashError, Profile};
use molehill_capture::commands::{Ids, ReplayObject};
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, CallLine};

use super::super::error::ReplayErrorKind;
use super::{ContextState, Replayer};
use crate::detached_on_dispose::DetachedOnDispose;
use crate::error::ReplayError;
use crate::evidence::Party;
use crate::image::RgbaImage;
use crate::screen::{VisibleContext, whole_pixels};

/// A clone of a replay continues independently, with copies of the devices.
impl<F: BackendFactory<Backend: Clone> + Clone> Clone for Replayer<F> {
    fn clone(&self) -> Self {
        Replayer {
            factory: self.factory.clone(),
            header: self.header.clone(),
            options: self.options,
            ids: self.ids.clone(),
            stages: self.stages.clone(),
            contexts: self.contexts.clone(),
            not_presented: self.not_presented.clone(),
            report: self.report.clone(),
        }
    }
}

impl<F: BackendFactory> Replayer<F> {
    /// Returns all objects that were created so far, by id.
    pub fn ids(&self) -> &Ids {
        &self.ids
    }

    /// Returns the index of the context to which an object belongs.
    pub fn context_of(&self, id: ObjectId) -> Option<usize> {
        self.ids.get(id)?.context()
    }

    /// Returns the number of contexts that were requested so far.
    pub fn contexts(&self) -> usize {
        self.contexts.len()
    }

    /// Returns the renderer of the first context that was used, as a party of a comparison.
    pub fn party(&self) -> Party {
        let driver = self.contexts.iter().find_map(|context| match context {
            ContextState::Open(open) => Some(&open.backend().caps().driver_info),
            ContextState::Requested { .. } => None,
        });
        Party::drawn_by(driver.map_or("", String::as_str))
    }

    fn open_context(&self, context: usize) -> Option<&Context3D<DetachedOnDispose<F::Backend>>> {
        match self.contexts.get(context)? {
            ContextState::Open(open) if !open.is_disposed() => Some(open),
            _ => None,
        }
    }

    /// Returns the bound state of a context, or `None` before its first call and after it is disposed.
    pub fn bound(&self, context: usize) -> Option<BoundState> {
        self.open_context(context).map(Context3D::bound)
    }

    /// Returns the profile of a context, or `None` before its first call and after it is disposed.
    pub fn profile(&self, context: usize) -> Option<Profile> {
        self.open_context(context).and_then(Context3D::profile)
    }

    /// Returns the error that a draw would raise now, with or without error checking; see [`Context3D::draw_error`].
    pub fn draw_error(&mut self, line: &CallLine, checking: bool) -> Option<FlashError> {
        let (buffer, instances, first, count) = match line.call {
            Call::DrawTriangles { index_buffer, first_index, num_triangles } => {
                (index_buffer?, 1, first_index, num_triangles)
            }
            Call::DrawTrianglesInstanced {
                index_buffer,
                num_instances,
                first_index,
                num_triangles,
            } => (index_buffer?, num_instances, first_index, num_triangles),
            _ => return None,
        };
        let ReplayObject::IndexBuffer(_, buffer) = self.ids.get(buffer.0)? else { return None };
        let (context, instances) = (self.context_of(line.on)?, u32::try_from(instances).ok()?);
        match self.contexts.get_mut(context)? {
            ContextState::Open(open) => open.draw_error(checking, buffer, instances, first, count),
            ContextState::Requested { .. } => None,
        }
    }

    /// Returns whether error checking (`enableErrorChecking`) of a context is on.
    pub fn error_checking(&self, context: usize) -> bool {
        self.open_context(context).is_some_and(Context3D::error_checking)
    }

    /// Returns the program that is bound in a context.
    pub fn bound_program(&self, context: usize) -> Option<ProgramKey> {
        self.open_context(context)?.bound_program()
    }

    /// Returns the backend's key of the program that is bound in a context, or `None` if the program was not uploaded.
    pub fn bound_device_program(&self, context: usize) -> Option<ProgramKey> {
        self.open_context(context)?.bound_device_program()
    }

    /// Returns the textures that are bound in a context, by sampler index.
    pub fn bound_textures(&self, context: usize) -> [Option<TextureKey>; MAX_SAMPLERS] {
        let open = self.open_context(context);
        open.map_or([None; MAX_SAMPLERS], Context3D::bound_textures)
    }

    /// Returns the size, format and mip levels of a texture of a context.
    pub fn texture_desc(&self, context: usize, texture: TextureKey) -> Option<TextureDesc> {
        self.open_context(context)?.texture_desc(texture)
    }

    /// Returns the mip levels of a face that the next draw with mip mapping would generate, as a bit mask.
    pub fn pending_mips(&self, context: usize, texture: TextureKey, side: u8) -> u16 {
        let open = self.open_context(context);
        open.map_or(0, |open| open.pending_mips(texture, side))
    }

    /// Returns the bytes per vertex of a vertex buffer, and the instances per element.
    pub fn vertex_stride(&self, context: usize, buffer: VertexBufferKey) -> Option<(u32, u32)> {
        self.open_context(context)?.vertex_stride(buffer)
    }

    /// Returns the backend of a context, or `None` before its first call and after it is disposed.
    pub fn backend_mut(&mut self, context: usize) -> Option<&mut F::Backend> {
        match self.contexts.get_mut(context)? {
            ContextState::Open(open) => match open.backend_mut() {
                DetachedOnDispose::Attached(backend) => Some(backend),
                DetachedOnDispose::Detached(_) => None,
            },
            ContextState::Requested { .. } => None,
        }
    }

    /// Returns the contexts whose images the stage shows, the lowest first.
    pub fn visible_contexts(&self) -> Vec<VisibleContext> {
        let visible = self.stages.iter().filter(|stage| stage.stage3d.visible());
        let mut stages: Vec<_> = visible.collect();
        stages.sort_by_key(|stage| stage.index);
        let shown = stages.into_iter().filter_map(|stage| {
            let context = stage.context?;
            let x = whole_pixels(stage.stage3d.x());
            let y = whole_pixels(stage.stage3d.y());
            let size = self.open_context(context)?.back_buffer_size();
            Some(VisibleContext { context, x, y, size })
        });
        shown.collect()
    }

    /// Reads a surface of a context in the program's size, or returns `None` if the context has no such surface.
    /// `number` is the line, for messages. Errors: the device's errors.
    pub fn surface(
        &mut self,
        number: u64,
        context: usize,
        surface: ReadSurface,
    ) -> Result<Option<RgbaImage>, ReplayError> {
        let image = self.read(number, context, surface)?;
        let size = self.open_context(context).map(Context3D::back_buffer_size);
        Ok(image.map(|image| match size {
            Some((width, height)) if surface == ReadSurface::Front => image.resized(width, height),
            _ => image,
        }))
    }

    /// Reads a surface like [`Replayer::surface`], but returns the device's pixels without scaling to the program's
    /// size.
    pub(super) fn read(
        &mut self,
        number: u64,
        context: usize,
        surface: ReadSurface,
    ) -> Result<Option<RgbaImage>, ReplayError> {
        let Some(backend) = self.backend_mut(context) else {
            return Ok(None);
        };
        let failed =
            |error| ReplayErrorKind::Device("reading a surface", error).at(super::of_line(number));
        let mut rgba = Vec::new();
        let (width, height) = backend.read_pixels(surface, &mut rgba).map_err(failed)?;
        if width == 0 || height == 0 {
            return Ok(None);
        }
        let bytes = rgba.len();
        let image = RgbaImage::from_rgba(width, height, rgba).ok_or_else(|| {
            let text = format!("the device returned {bytes} bytes for {width}×{height} pixels");
            failed(BackendError::Driver(text))
        });
        image.map(Some)
    }

    /// Returns the subresources that are a context's current render targets, by colour output.
    pub fn targets(&self, context: usize) -> Vec<ReadSurface> {
        let Some(bound) = self.bound(context) else {
            return Vec::new();
        };
        let textures = bound.targets.iter().flatten().map(|target| ReadSurface::Texture {
            texture: target.texture,
            side: target.side,
            level: 0,
        });
        let textures: Vec<ReadSurface> = textures.collect();
        if textures.is_empty() { vec![ReadSurface::BackBuffer] } else { textures }
    }

    /// Reads the first render target of a context. `number` is the line, for messages. Errors: the device's errors.
    pub fn target(
        &mut self,
        number: u64,
        context: usize,
    ) -> Result<Option<RgbaImage>, ReplayError> {
        match self.targets(context).first() {
            Some(surface) => self.surface(number, context, *surface),
            None => Ok(None),
        }
    }
}
