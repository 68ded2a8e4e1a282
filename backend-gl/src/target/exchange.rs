//! Fronts on their way from the VM's thread to the thread that shows them.

use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use context3d::backend::BackendError;
use context3d::packets::Raster;

use crate::device::{Device, REPLACE_COLOR};
use crate::gl::{self, Fence, Gl, Object, Rect, TextureName};
use crate::shadow::Shadow;
use crate::target::Targets;
use crate::target::back_buffer::Single;

/// A frame as a handle on the device: a texture for the thread that shows it, which has waited for its fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlTexture {
    /// A `GL_TEXTURE_2D` of `GL_RGBA8` with one level and nearest filters. v = 0 is the picture's top row; alpha is 1.
    pub texture: TextureName,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

#[derive(Debug, Default)]
struct State {
    /// What the other thread takes next, with the end of the copy.
    published: Option<(GlTexture, Fence)>,
    /// What the other thread shows; whether it has to delete it, because its backend is gone.
    shown: Option<(GlTexture, bool)>,
    /// The ends of the last uses of textures that are free.
    used: Vec<(TextureName, Fence)>,
}

impl State {
    fn holds(&self, texture: TextureName) -> bool {
        let published = self.published.as_ref().map(|(front, _)| front.texture);
        let shown = self.shown.map(|(front, _)| front.texture);
        [published, shown].contains(&Some(texture))
    }
}

/// Hands fronts over from a VM's thread to the thread that shows them, whose GL contexts share objects. One for each
/// Stage3D; it can outlive its backends. [`publish_frame`](context3d::backend::FrameSource::publish_frame) copies the
/// front into a texture that nobody uses, and [`FrontReader::acquire`] returns the newest one. Neither waits for the
/// other thread; pictures that come faster than they are shown are dropped. Clones are the same exchange.
#[derive(Clone, Debug, Default)]
pub struct FrontExchange(Arc<Mutex<State>>);

impl FrontExchange {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A backend's textures in an exchange: one is published, one is shown, one is free.
pub(crate) struct Publisher {
    exchange: FrontExchange,
    textures: Vec<(Single, (u32, u32))>,
    /// The number of the last present that was published.
    presents: u64,
}

impl Publisher {
    /// The texture that nobody has used for longest, after its last use.
    fn free(
        &mut self,
        gl: &Rc<Gl>,
        shadow: &mut Shadow,
        size: (u32, u32),
    ) -> Result<(TextureName, Object<glow::Framebuffer>), BackendError> {
        let mut state = self.exchange.state();
        self.textures.retain(|(it, made)| *made == size || state.holds(it.names().0));
        let names = self.textures.iter().map(|(it, _)| it.names());
        let mut free: Vec<_> = names.filter(|(it, _)| !state.holds(*it)).collect();
        // Those without a fence first: `None` is less.
        free.sort_by_key(|(it, _)| state.used.iter().position(|(used, _)| used == it));
        let chosen = match free.first() {
            Some(names) => *names,
            None => {
                let made = Single::create(gl, shadow, size, None)?;
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
    /// What is shown is deleted by who shows it.
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

impl Targets {
    pub(crate) fn publish(
        &mut self,
        device: &mut Device,
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
        let gl = device.attempt()?;
        let (texture, framebuffer) = publisher.free(&gl, &mut device.shadow, (width, height))?;
        // Drawn, because llvmpipe blits at once, and waits for all that is queued, other contexts' draws too.
        device.shadow.draw_framebuffer(framebuffer);
        device.shadow.viewport(Rect::new(width, height));
        let (blit, shadow) = device.blit()?;
        blit.draw(&gl, shadow, (glow::TEXTURE_2D, 0), back_buffer.front_texture());
        // On the stage, the picture is opaque.
        shadow.raster(&Raster { color_mask: [false, false, false, true], ..REPLACE_COLOR });
        gl.clear_color(0, &[1.0; 4]);
        gl.check("publishing the front")?;
        let end = gl.fence()?;
        publisher.presents = self.presents;
        let mut state = publisher.exchange.state();
        let old = state.published.replace((GlTexture { texture, width, height }, end));
        state.used.extend(old.map(|(front, end)| (front.texture, end)));
        Ok(true)
    }
}

/// The end of a [`FrontExchange`] on the thread that shows its pictures. There is one for each exchange at a time.
pub struct FrontReader {
    pub(crate) gl: Gl,
    pub(crate) exchange: FrontExchange,
}

/// An exchange with its reader on the same thread, for a renderer in another context: made when it is needed first.
#[derive(Default)]
pub struct PictureSource {
    /// The argument of [`Context3D::take_frame`](context3d::Context3D::take_frame).
    pub exchange: FrontExchange,
    pub(crate) reader: Option<FrontReader>,
}

impl FrontReader {
    /// The newest picture, which GL waits for: draws may sample its texture until the next call of this or of
    /// [`FrontReader::release`]. `None` before the first picture, and when its backend is gone.
    pub fn acquire(&mut self) -> Option<GlTexture> {
        let state = self.exchange.state();
        if state.published.is_none() && state.shown.is_none_or(|(_, orphan)| !orphan) {
            return state.shown.map(|(front, _)| front);
        }
        drop(state);
        self.advance(true)
    }

    /// Gives the picture back. Call this before the thread's context ends, or [`FrontReader::acquire`] is not called any more.
    pub fn release(&mut self) {
        self.advance(false);
    }

    /// Replaces what is shown by what is published, if the reader `takes` it, or by nothing.
    fn advance(&mut self, takes: bool) -> Option<GlTexture> {
        // The fence is made while the exchange is not locked, because it may take long.
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
