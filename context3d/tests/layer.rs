//! Layers forward all methods that they don't implement themselves.

use context3d::backend::{Backend, BackendError, NullBackend, ReadSurface};
use context3d::forward_backend;
use context3d::keys::TextureKey;
use context3d::packets::{BackBufferDesc, Packet};

/// A backend whose device is lost after a number of packets and reads.
struct Short<B> {
    backend: B,
    left: u32,
}

impl<B: Backend> Short<B> {
    fn below(&mut self) -> Result<&mut B, BackendError> {
        self.left = self.left.checked_sub(1).ok_or(BackendError::Lost)?;
        Ok(&mut self.backend)
    }
}

impl<B: Backend> Backend for Short<B> {
    forward_backend!(self => self.backend; caps);
    forward_backend!(self => self.below()?; execute read_region read_texels);
}

const SHAPE: BackBufferDesc =
    BackBufferDesc { width: 3, height: 2, samples: 1, depth_stencil: false };

/// Executes two packets and two reads: four calls of the backend.
fn drive(backend: &mut dyn Backend) -> Result<(), BackendError> {
    assert_eq!(backend.caps().driver_info, "Null");
    backend.execute(Packet::ConfigureBackBuffer(SHAPE))?;
    backend.execute(Packet::Present)?;
    let mut out = vec![1];
    assert_eq!(backend.read_pixels(ReadSurface::Front, &mut out)?, (3, 2));
    assert_eq!(out, [0; 24]);
    assert_eq!(backend.read_texels(TextureKey::default(), 0, &mut out)?, None);
    assert_eq!(out, []);
    Ok(())
}

#[test]
fn layers_pass_on_what_they_do_not_change() {
    let mut layers = Short {
        backend: Box::new(Short { backend: Box::new(NullBackend::new()), left: 5 }),
        left: 4,
    };
    assert_eq!(drive(&mut layers), Ok(()));
    assert_eq!((layers.left, layers.backend.left), (0, 1));
    let expected = [Packet::ConfigureBackBuffer(SHAPE), Packet::Present];
    assert_eq!(layers.backend.backend.packets(), expected);
    let mut any: Box<dyn Backend> = Box::new(layers.backend);
    assert_eq!(any.execute(Packet::Present), Ok(()));
    assert_eq!(any.execute(Packet::Present), Err(BackendError::Lost));
}

#[test]
fn what_is_not_below_is_not_reached() {
    for (left, packets) in [(0, 0), (1, 1), (2, 2), (3, 2)] {
        let mut short = Short { backend: NullBackend::counting(), left };
        assert_eq!(drive(&mut short), Err(BackendError::Lost));
        assert_eq!(short.backend.count(), packets);
    }
}
