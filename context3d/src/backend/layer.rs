//! [`forward_backend!`](crate::forward_backend): helper for backends that wrap another backend.

use crate::backend::Backend;

/// Generates the methods of [`Backend`] that a layer passes on unchanged. A layer is a backend that wraps another one
/// and changes a part of its behaviour, such as a recorder, a counter, a simulated device failure or a workaround. Use
/// the macro inside the `impl` of [`Backend`]; its arguments are the receiver, the wrapped backend, and the methods.
/// Layers can be stacked at no extra cost.
///
/// The expression for the wrapped backend may return early with `?`, for a lost device. Packets that a layer passes on
/// must keep the guarantees of [`Packet`](crate::packets::Packet). `Box<B>` is a layer that changes nothing: `Box<dyn
/// Backend>` chooses the type of backend at run time.
///
/// ```
/// use context3d::packets::Packet;
/// use context3d::{Context3D, ContextOptions, Profile, backend::{Backend, BackendError, NullBackend}, forward_backend};
///
/// /// Counts draws.
/// struct Counting<B> {
///     backend: B,
///     draws: u64,
/// }
///
/// impl<B: Backend> Backend for Counting<B> {
///     forward_backend!(self => self.backend; caps read_region read_texels);
///
///     fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
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
///
/// [`Backend`]: crate::backend::Backend
#[macro_export]
macro_rules! forward_backend {
    ($self:ident => $below:expr; $($method:ident)+) => {
        $($crate::forward_backend!(@$method $self $below);)+
    };
    (@caps $self:ident $below:expr) => {
        #[inline]
        fn caps(&$self) -> &$crate::backend::BackendCaps {
            $below.caps()
        }
    };
    (@execute $self:ident $below:expr) => {
        #[inline]
        fn execute(
            &mut $self,
            packet: $crate::packets::Packet<'_>,
        ) -> Result<(), $crate::backend::BackendError> {
            $below.execute(packet)
        }
    };
    (@read_region $self:ident $below:expr) => {
        #[inline]
        fn read_region(
            &mut $self,
            surface: $crate::backend::ReadSurface,
            region: $crate::backend::Region,
            out: &mut Vec<u8>,
        ) -> Result<(u32, u32), $crate::backend::BackendError> {
            $below.read_region(surface, region, out)
        }
    };
    (@read_texels $self:ident $below:expr) => {
        #[inline]
        fn read_texels(
            &mut $self,
            texture: $crate::keys::TextureKey,
            side: u8,
            out: &mut Vec<u8>,
        ) -> Result<Option<$crate::packets::TexelLayout>, $crate::backend::BackendError> {
            $below.read_texels(texture, side, out)
        }
    };
}

impl<B: Backend + ?Sized> Backend for Box<B> {
    forward_backend!(self => (**self); caps execute read_region read_texels);
}
