//! `backend-gl` for replays: one OpenGL context without a window for each Context3D, made current when it is used.

use std::cell::Cell;
use std::rc::Rc;

use backend_gl::GlBackend;
use backend_gl::offscreen::{Api, Offscreen};
use context3d::packets::Packet;
use context3d::{Backend, BackendCaps, BackendError, Surface};

use crate::replay::BackendFactory;

/// Makes OpenGL backends. Not for several threads.
#[derive(Debug)]
pub struct GlFactory {
    api: Api,
    /// Which of the backends is current on this thread.
    current: Rc<Cell<Option<u64>>>,
    made: u64,
    description: Option<String>,
}

impl GlFactory {
    /// For one kind of OpenGL.
    pub fn new(api: Api) -> Self {
        GlFactory { api, current: Rc::default(), made: 0, description: None }
    }

    /// The driver, once there is a backend.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

impl BackendFactory for GlFactory {
    type Backend = GlHost;

    fn create(&mut self) -> Result<GlHost, BackendError> {
        let offscreen = Offscreen::open(self.api).map_err(BackendError::Driver)?;
        self.made += 1;
        offscreen.make_current().map_err(BackendError::Driver)?;
        self.current.set(Some(self.made));
        let backend = offscreen.backend()?;
        log::info!("{}", offscreen.description());
        self.description = Some(offscreen.description().to_owned());
        Ok(GlHost { backend, offscreen, number: self.made, current: Rc::clone(&self.current) })
    }
}

/// A backend with its OpenGL context.
pub struct GlHost {
    // In this order they are dropped: the backend deletes its objects while its context is there.
    backend: GlBackend,
    offscreen: Offscreen,
    number: u64,
    current: Rc<Cell<Option<u64>>>,
}

impl GlHost {
    fn make_current(&self) -> Result<(), BackendError> {
        if self.current.get() == Some(self.number) {
            return Ok(());
        }
        self.current.set(None);
        self.offscreen.make_current().map_err(BackendError::Driver)?;
        self.current.set(Some(self.number));
        Ok(())
    }
}

impl Backend for GlHost {
    fn caps(&self) -> &BackendCaps {
        self.backend.caps()
    }

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        self.make_current()?;
        self.backend.execute(packet)
    }

    fn read_pixels(&mut self, surface: Surface, out: &mut Vec<u8>) -> Result<(u32, u32), BackendError> {
        self.make_current()?;
        self.backend.read_pixels(surface, out)
    }
}

impl Drop for GlHost {
    fn drop(&mut self) {
        if let Err(error) = self.make_current() {
            log::debug!("an OpenGL context can't be made current to be dropped: {error}");
        }
        self.current.set(None);
    }
}
