//! A simulated disk with limited space.

use std::io::{Error, ErrorKind, Write};
use std::sync::{Arc, Mutex};

/// A simulated disk with space for this number of bytes. Clones of the disk share the content.
#[derive(Clone, Debug)]
pub(crate) struct Disk(usize, Arc<Mutex<Vec<u8>>>);

impl Disk {
    pub(crate) fn of(space: usize) -> Self {
        Disk(space, Arc::default())
    }

    pub(crate) fn content(&self) -> Vec<u8> {
        self.1.lock().unwrap().clone()
    }
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        let fits = bytes.len().min(self.0);
        self.0 -= fits;
        self.1.lock().unwrap().extend_from_slice(&bytes[..fits]);
        match fits {
            0 if !bytes.is_empty() => Err(ErrorKind::StorageFull.into()),
            fits => Ok(fits),
        }
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
}
