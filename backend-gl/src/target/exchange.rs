//! Passes presented frames from the VM's thread to the display thread; neither thread waits for the other's rendering.

use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use context3d::backend::BackendError;
use context3d::packets::Raster;

use crate::device::{DeviceState, REPLACE_COLOR};
use crate::gl::{self, Fence, GlFunctions, PixelSize, TextureName, UniqueName};
use crate::shadow::Shadow;
use crate::target::GlTargets;
use crate::target::back_buffer::ColorTarget;

/// A frame as a texture, for the display thread, whose commands wait for the frame's fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlTexture {
    /// A `GL_TEXTURE_2D` of `GL_RGBA8` with one level and nearest filters. v = 0 is the image's top row; alpha is 1.
    pub texture: TextureName,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

#[derive(Debug, Default)]
struct ExchangeState {
    /// The next frame for the display thread, with the fence after its copy.
    published: Option<(GlTexture, Fence)>,
    /// The displayed frame; true if the display thread must delete the texture, because its backend was dropped.
    shown: Option<(GlTexture, bool)>,
    /// The fences after the last uses of unused textures.
    used: Vec<(TextureName, Fence)>,
}

impl ExchangeState {
    fn holds(&self, texture: TextureName) -> bool {
        let published = self.published.as_ref().map(|(front, _)| front.texture);
        let shown = self.shown.map(|(front, _)| front.texture);
        [published, shown].contains(&Some(texture))
    }
}

/// Passes frames from a VM's thread to a display thread, whose GL contexts share objects. Create one exchange for each
/// Stage3D; an exchange can outlive its backends. [`publish_frame`](context3d::backend::FrameSource::publish_frame)
/// copies the front buffer into an unused texture, and [`FrontReader::acquire`] returns the newest frame. Neither
/// `publish_frame` nor `acquire` waits for the other thread; surplus frames are dropped. Clones of a `FrontExchange`
/// share its frames.
#[derive(Clone, Debug, Default)]
pub struct FrontExchange(Arc<Mutex<ExchangeState>>);

impl FrontExchange {
    fn state(&self) -> MutexGuard<'_, ExchangeState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A backend's textures in an exchange: one is published, one is displayed, one is unused.
pub(crate) struct Publisher {
    exchange: FrontExchange,
    textures: Vec<(ColorTarget, (u32, u32))>,
    /// The frame counter of the last published frame.
    presents: u64,
}

impl Publisher {
    /// Returns the texture that was unused for the longest time. Later commands wait for the display thread's last use.
    fn free(
        &mut self,
        gl: &Rc<GlFunctions>,
        shadow: &mut Shadow,
        size: (u32, u32),
    ) -> Result<(TextureName, UniqueName<glow::Framebuffer>), BackendError> {
        let mut state = self.exchange.state();
        self.textures.retain(|(it, made)| *made == size || state.holds(it.names().0));
        let names = self.textures.iter().map(|(it, _)| it.names());
        let mut free: Vec<_> = names.filter(|(it, _)| !state.holds(*it)).collect();
        // Textures without a fence come first, because `None` is less.
        free.sort_by_key(|(it, _)| state.used.iter().position(|(used, _)| used == it));
        let chosen = match free.first() {
            Some(names) => *names,
            None => {
                let made = ColorTarget::create(gl, shadow, size, None)?;
                let names = made.names();
                self.textures.push((made, size));
                names
            }
        };
        let others = |it| free.iter().skip(1).any(|(free, _)| *free == it);
        let ends: Vec<_> = state.used.extract_if(.., |(it, _)| !others(*it)).collect();
        drop(state);
        ends.into_iter().for_each(|(_, end)| gl.wait_for(end));
        Ok(chosen)
    }
}

impl Drop for Publisher {
    /// Releases the displayed texture to the display thread, which deletes it.
    fn drop(&mut self) {
        let mut state = self.exchange.state();
        for (it, _) in self.textures.drain(..) {
            let (texture, _) = it.names();
            if let Some((front, end)) = state.published.take_if(|(it, _)| it.texture == texture) {
                state.used.push((front.texture, end));
            }
            match &mut state.shown {
                Some((front, orphan)) if front.texture == texture => {
                    *orphan = true;
                    it.give_away();
                }
                Some(_) | None => {}
            }
        }
    }
}

impl GlTargets {
    pub(crate) fn publish(
        &mut self,
        device: &mut DeviceState,
        exchange: &FrontExchange,
    ) -> Result<bool, BackendError> {
        let kept = self.publisher.take().filter(|it| Arc::ptr_eq(&it.exchange.0, &exchange.0));
        let Some(back_buffer) = self.back_buffer.as_ref().filter(|it| it.front().is_some()) else {
            return Ok(false);
        };
        let (exchange, (width, height)) = (exchange.clone(), back_buffer.size());
        let new = || Publisher { exchange, textures: Vec::new(), presents: 0 };
        let publisher = self.publisher.insert(kept.unwrap_or_else(new));
        if publisher.presents == self.presents {
            return Ok(false);
        }
        device.make_blit()?;
        let gl = device.begin_checked()?;
        let (texture, framebuffer) = publisher.free(&gl, &mut device.shadow, (width, height))?;
        // The frame is drawn, because a blit of llvmpipe waits for all queued commands, including those of other
        // contexts.
        device.shadow.draw_framebuffer(framebuffer);
        device.shadow.viewport(PixelSize::new(width, height));
        let (blit, shadow) = device.blit()?;
        blit.draw(&gl, shadow, (glow::TEXTURE_2D, 0), back_buffer.front_texture());
        // Frames are opaque on the stage.
        shadow.raster(&Raster { color_mask: [false, false, false, true], ..REPLACE_COLOR });
        gl.clear_color(0, &[1.0; 4]);
        gl.check("publishing the front buffer")?;
        let end = gl.fence()?;
        publisher.presents = self.presents;
        let mut state = publisher.exchange.state();
        let old = state.published.replace((GlTexture { texture, width, height }, end));
        state.used.extend(old.map(|(front, end)| (front.texture, end)));
        Ok(true)
    }
}

/// The display thread's end of a [`FrontExchange`]. A `FrontExchange` may have only one reader at a time.
pub struct FrontReader {
    pub(crate) gl: GlFunctions,
    pub(crate) exchange: FrontExchange,
}

/// A [`FrontExchange`] and its [`FrontReader`], for a renderer on the same thread in another GL context. The reader is
/// created at the first use.
#[derive(Default)]
pub struct PictureSource {
    /// The argument of [`Context3D::take_frame`](context3d::Context3D::take_frame).
    pub exchange: FrontExchange,
    pub(crate) reader: Option<FrontReader>,
}

impl FrontReader {
    /// Returns the newest frame. Later GL commands wait for the frame, and may sample its texture until the next
    /// `acquire` or [`FrontReader::release`]. Returns `None` before the first frame, and after its backend was dropped.
    pub fn acquire(&mut self) -> Option<GlTexture> {
        let state = self.exchange.state();
        if state.published.is_none() && state.shown.is_none_or(|(_, orphan)| !orphan) {
            return state.shown.map(|(front, _)| front);
        }
        drop(state);
        self.advance(true)
    }

    /// Releases the displayed frame. Call this before the thread's context ends, and when the display stops.
    pub fn release(&mut self) {
        self.advance(false);
    }

    /// Replaces the displayed frame by the published frame if `takes` is true, or by none.
    fn advance(&mut self, takes: bool) -> Option<GlTexture> {
        // The fence is created outside the lock of `FrontExchange`, because creating a fence may take long.
        let shown = self.exchange.state().shown;
        let read = shown.filter(|(_, orphan)| !orphan);
        let read = read.and_then(|(front, _)| Some((front.texture, self.gl.fence().ok()?)));
        let (next, shown) = {
            let mut state = self.exchange.state();
            state.used.extend(read);
            let next = if takes { state.published.take() } else { None };
            let shows = next.as_ref().map(|(front, _)| (*front, false));
            (next, std::mem::replace(&mut state.shown, shows))
        };
        if let Some((front, true)) = shown {
            self.gl.delete_texture(gl::texture(front.texture));
        }
        next.map(|(front, end)| {
            self.gl.wait_for(end);
            front
        })
    }
}
