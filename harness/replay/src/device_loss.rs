//! Simulated losses of devices.

use std::cell::{Cell, RefCell};
use std::num::NonZeroU64;
use std::rc::Rc;

use context3d::backend::{
    Backend, BackendCaps, BackendError, Layer, RecoverableBackend, RecoveryOptions,
};
use context3d::packets::Packet;

use context3d::backend::BackendFactory;

/// Loses the device before every n-th packet and restores it with [`RecoverableBackend`]: the pictures of a replay must
/// not change.
pub struct DeviceLossFactory<F> {
    factory: Rc<RefCell<F>>,
    period: u64,
    keep: RecoveryOptions,
    devices: Rc<Cell<u64>>,
}

impl<F: BackendFactory> DeviceLossFactory<F> {
    /// Loses the devices of `factory` before every packet whose number is a multiple of `period`.
    pub fn new(factory: F, period: NonZeroU64, keep: RecoveryOptions) -> Self {
        DeviceLossFactory {
            factory: Rc::new(RefCell::new(factory)),
            period: period.get(),
            keep,
            devices: Rc::default(),
        }
    }

    /// Number of devices made so far.
    pub fn devices(&self) -> u64 {
        self.devices.get()
    }
}

type Open<B> = Box<dyn FnMut() -> Result<Mortal<B>, BackendError>>;

impl<F: BackendFactory + 'static> BackendFactory for DeviceLossFactory<F> {
    type Backend = DeviceLoss<F::Backend>;

    fn create(&mut self) -> Result<Self::Backend, BackendError> {
        let doomed = Rc::new(Cell::new(false));
        let (factory, fate) = (Rc::clone(&self.factory), Rc::clone(&doomed));
        let devices = Rc::clone(&self.devices);
        let open: Open<F::Backend> = Box::new(move || {
            devices.set(devices.get().saturating_add(1));
            Ok(Mortal {
                backend: factory.borrow_mut().create()?,
                doomed: Rc::clone(&fate),
                lost: false,
            })
        });
        Ok(DeviceLoss {
            backend: RecoverableBackend::new(open, self.keep)?,
            doomed,
            period: self.period,
            packets: 0,
        })
    }
}

/// A backend that loses its device periodically.
pub struct DeviceLoss<B: Backend> {
    backend: RecoverableBackend<Mortal<B>, Open<B>>,
    doomed: Rc<Cell<bool>>,
    period: u64,
    packets: u64,
}

/// A device that is lost after a number of packets.
pub struct Mortal<B> {
    backend: B,
    doomed: Rc<Cell<bool>>,
    lost: bool,
}

impl<B: Backend> Layer for DeviceLoss<B> {
    type Below = RecoverableBackend<Mortal<B>, Open<B>>;

    fn capabilities(&self) -> &BackendCaps {
        self.backend.caps()
    }

    fn below(&mut self) -> Result<&mut Self::Below, BackendError> {
        Ok(&mut self.backend)
    }

    fn packet(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        self.packets = self.packets.saturating_add(1);
        self.doomed.set(self.packets.is_multiple_of(self.period));
        self.backend.execute(packet)
    }
}

impl<B: Backend> Layer for Mortal<B> {
    type Below = B;

    fn capabilities(&self) -> &BackendCaps {
        self.backend.caps()
    }

    fn below(&mut self) -> Result<&mut B, BackendError> {
        self.lost |= self.doomed.take();
        match self.lost {
            true => Err(BackendError::Lost),
            false => Ok(&mut self.backend),
        }
    }
}
