//! [`Layer`]: a backend on top of a backend.

use crate::backend::{Backend, BackendCaps, BackendError, Region, Surface};
use crate::handle::TextureKey;
use crate::packets::{Packet, TexelLayout};

/// A backend that passes everything to the one below it, except for what it changes: a recorder, a counter, a simulated
/// device failure, a workaround. A layer provides its capabilities and the backend below; all other methods pass on,
/// and a layer overrides those that it changes. Every layer is a [`Backend`], so layers can be stacked at no extra
/// cost.
///
/// Packets that a layer passes on must keep the guarantees of [`Packet`]. The names of the methods differ from
/// [`Backend`]'s, so that both traits can be in scope.
///
/// `Box<B>` is a layer that changes nothing: `Box<dyn Backend>` chooses the kind of backend at run time.
///
/// ```
/// use context3d::packets::Packet;
/// use context3d::{Context3D, ContextOptions, Profile, backend::{Backend, BackendCaps, BackendError, Layer, NullBackend}};
///
/// /// Counts draws.
/// struct Counting<B> {
///     backend: B,
///     draws: u64,
/// }
///
/// impl<B: Backend> Layer for Counting<B> {
///     type Below = B;
///
///     fn capabilities(&self) -> &BackendCaps {
///         self.backend.caps()
///     }
///
///     fn below(&mut self) -> Result<&mut B, BackendError> {
///         Ok(&mut self.backend)
///     }
///
///     fn packet(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
///         self.draws += u64::from(matches!(packet, Packet::Draw(_)));
///         self.backend.execute(packet)
///     }
/// }
///
/// let counting = Counting { backend: NullBackend::counting(), draws: 0 };
/// let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
/// let mut context = Context3D::new(counting, options);
/// context.configure_back_buffer(64, 64, 0, false, false, false)?;
/// assert_eq!(context.backend().draws, 0);
/// assert_eq!(context.backend().backend.count(), 1);
/// # Ok::<(), context3d::Error>(())
/// ```
pub trait Layer {
    /// The backend below.
    type Below: Backend + ?Sized;

    /// The capabilities, usually those of the backend below. See [`Backend::caps`].
    fn capabilities(&self) -> &BackendCaps;

    /// The backend below. Each forwarding method calls this once, so a layer whose device is gone returns the error
    /// here.
    ///
    /// # Errors
    /// [`BackendError::Lost`] if the device is gone.
    fn below(&mut self) -> Result<&mut Self::Below, BackendError>;

    /// See [`Backend::execute`].
    ///
    /// # Errors
    /// As [`Backend::execute`].
    #[inline]
    fn packet(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        self.below()?.execute(packet)
    }

    /// See [`Backend::read_region`].
    ///
    /// # Errors
    /// As [`Backend::read_region`].
    #[inline]
    fn pixels(
        &mut self,
        surface: Surface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        self.below()?.read_region(surface, region, out)
    }

    /// See [`Backend::read_texels`].
    ///
    /// # Errors
    /// As [`Backend::read_texels`].
    #[inline]
    fn texels(
        &mut self,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        self.below()?.read_texels(texture, side, out)
    }
}

impl<L: Layer> Backend for L {
    #[inline]
    fn caps(&self) -> &BackendCaps {
        self.capabilities()
    }

    #[inline]
    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        self.packet(packet)
    }

    #[inline]
    fn read_region(
        &mut self,
        surface: Surface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        self.pixels(surface, region, out)
    }

    #[inline]
    fn read_texels(
        &mut self,
        texture: TextureKey,
        side: u8,
        out: &mut Vec<u8>,
    ) -> Result<Option<TexelLayout>, BackendError> {
        self.texels(texture, side, out)
    }
}

impl<B: Backend + ?Sized> Layer for Box<B> {
    type Below = B;

    #[inline]
    fn capabilities(&self) -> &BackendCaps {
        (**self).caps()
    }

    #[inline]
    fn below(&mut self) -> Result<&mut B, BackendError> {
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::NullBackend;
    use crate::packets::BackBuffer;

    /// Loses its device after a number of packets and reads.
    struct Short<B> {
        backend: B,
        left: u32,
    }

    impl<B: Backend> Layer for Short<B> {
        type Below = B;

        fn capabilities(&self) -> &BackendCaps {
            self.backend.caps()
        }

        fn below(&mut self) -> Result<&mut B, BackendError> {
            self.left = self.left.checked_sub(1).ok_or(BackendError::Lost)?;
            Ok(&mut self.backend)
        }
    }

    const SHAPE: BackBuffer = BackBuffer { width: 3, height: 2, samples: 1, depth_stencil: false };

    /// Four packets and reads.
    fn drive(backend: &mut dyn Backend) -> Result<(), BackendError> {
        assert_eq!(backend.caps().driver_info, "Null");
        backend.execute(Packet::ConfigureBackBuffer(SHAPE))?;
        backend.execute(Packet::Present)?;
        let mut out = vec![1];
        assert_eq!(backend.read_pixels(Surface::Front, &mut out)?, (3, 2));
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
}
