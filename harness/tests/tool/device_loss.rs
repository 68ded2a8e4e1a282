//! Simulates lost devices in replays.

use std::cell::{Cell, RefCell};
use std::num::NonZeroU64;
use std::rc::Rc;

use context3d::backend::{Backend, BackendError, BackendFactory};
use context3d::packets::Packet;
use context3d_layers::{RecoverableBackend, RecoveryOptions};

/// Loses the device before every n-th packet and restores it with [`RecoverableBackend`]. A loss must not change the
/// images of a replay.
pub(crate) struct DeviceLossFactory<F> {
    factory: Rc<RefCell<F>>,
    period: u64,
    keep: RecoveryOptions,
    devices: Rc<Cell<u64>>,
}

impl<F: BackendFactory> DeviceLossFactory<F> {
    /// Returns a factory whose devices are lost before every packet with an index that is a multiple of `period`.
    pub(crate) fn new(factory: F, period: NonZeroU64, keep: RecoveryOptions) -> Self {
        DeviceLossFactory {
            factory: Rc::new(RefCell::new(factory)),
            period: period.get(),
            keep,
            devices: Rc::default(),
        }
    }

    /// Returns the number of devices created so far.
    pub(crate) fn devices(&self) -> u64 {
        self.devices.get()
    }
}

type Open<B> = Box<dyn FnMut() -> Result<LosableDevice<B>, BackendError>>;

impl<F: BackendFactory + 'static> BackendFactory for DeviceLossFactory<F> {
    type Backend = DeviceLoss<F::Backend>;

    fn create(&mut self) -> Result<Self::Backend, BackendError> {
        let loss_due = Rc::new(Cell::new(false));
        let (factory, shared) = (Rc::clone(&self.factory), Rc::clone(&loss_due));
        let devices = Rc::clone(&self.devices);
        let open: Open<F::Backend> = Box::new(move || {
            devices.set(devices.get().saturating_add(1));
            Ok(LosableDevice {
                backend: factory.borrow_mut().create()?,
                loss_due: Rc::clone(&shared),
                lost: false,
            })
        });
        Ok(DeviceLoss {
            backend: RecoverableBackend::new(open, self.keep)?,
            loss_due,
            period: self.period,
            packets: 0,
        })
    }
}

/// A backend that loses its device periodically.
pub(crate) struct DeviceLoss<B: Backend> {
    backend: RecoverableBackend<LosableDevice<B>, Open<B>>,
    loss_due: Rc<Cell<bool>>,
    period: u64,
    packets: u64,
}

/// A device that is lost after a number of packets.
pub(crate) struct LosableDevice<B> {
    backend: B,
    loss_due: Rc<Cell<bool>>,
    lost: bool,
}

impl<B: Backend> Backend for DeviceLoss<B> {
    context3d::forward_backend!(self => self.backend; caps read_region read_texels);

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        self.packets = self.packets.saturating_add(1);
        self.loss_due.set(self.packets.is_multiple_of(self.period));
        self.backend.execute(packet)
    }
}

impl<B: Backend> LosableDevice<B> {
    fn below(&mut self) -> Result<&mut B, BackendError> {
        self.lost |= self.loss_due.take();
        if self.lost { Err(BackendError::Lost) } else { Ok(&mut self.backend) }
    }
}

impl<B: Backend> Backend for LosableDevice<B> {
    context3d::forward_backend!(self => self.backend; caps);
    context3d::forward_backend!(self => self.below()?; execute read_region read_texels);
}
