//! `Program3D`s, and the device programs that they share.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use agal::{Endian, Rules};
use slotmap::SlotMap;

use crate::command::Bytecode;
use crate::handle::ProgramKey;
use crate::packets::{MAX_SAMPLERS, SamplerState, slot_samplers};

/// The state of a `Program3D`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProgramState {
    /// The inputs and outputs of the program; `None` before a successful upload.
    pub(crate) interface: Option<agal::Interface>,
    /// Bit n: a sampler reads slot n.
    pub(crate) slots: u16,
    /// The sampler states that `setProgram` writes, with their slots.
    pub(crate) samplers: Vec<(usize, SamplerState)>,
    /// The key of the device program; `None` before a successful upload.
    pub(crate) device: Option<ProgramKey>,
    /// Bytes of AGAL, for the memory limit.
    pub(crate) bytes: u64,
}

impl ProgramState {
    /// Creates a validated program.
    pub(crate) fn new(interface: agal::Interface, bytes: u64) -> Self {
        let (mut slots, mut samplers) = (0, Vec::new());
        for slot in 0..MAX_SAMPLERS {
            for sampler in slot_samplers(&interface, slot) {
                slots |= 1 << slot;
                if !sampler.ignore_sampler {
                    samplers.retain(|(other, _)| *other != slot);
                    samplers.push((slot, sampler.into()));
                }
            }
        }
        ProgramState { interface: Some(interface), slots, samplers, device: None, bytes }
    }
}

/// The bytecode and profile of a program upload. Uploads of equal sources give equal programs or equal errors.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ProgramSource<'a> {
    profile: agal::Profile,
    /// Bytecode of the vertex and the fragment program; true for little-endian byte order.
    programs: [(Cow<'a, [u8]>, bool); 2],
}

impl<'a> ProgramSource<'a> {
    pub(crate) fn new(vertex: Bytecode<'a>, fragment: Bytecode<'a>, rules: &Rules) -> Self {
        let program = |code: Bytecode<'a>| (code.bytes.into(), code.endian == Endian::Little);
        ProgramSource { profile: rules.profile, programs: [program(vertex), program(fragment)] }
    }

    fn into_owned(self) -> ProgramSource<'static> {
        let programs = self.programs.map(|(bytes, little)| (bytes.into_owned().into(), little));
        ProgramSource { programs, ..self }
    }
}

/// Maximum number of unused programs that stay on the device, because their source may be uploaded again.
const SPARE: usize = 32;

/// The device programs. Equal sources share a device program, so that they are validated and compiled once.
#[derive(Clone, Debug, Default)]
pub(crate) struct DevicePrograms {
    all: SlotMap<ProgramKey, DeviceProgram>,
    by_source: HashMap<Arc<ProgramSource<'static>>, ProgramKey>,
    /// Device programs that no `Program3D` uses, in the order in which they became unused.
    spare: VecDeque<ProgramKey>,
}

#[derive(Clone, Debug)]
struct DeviceProgram {
    source: Arc<ProgramSource<'static>>,
    /// The state that every `Program3D` with this device program copies.
    program: ProgramState,
    /// The number of `Program3D`s that use the program.
    users: usize,
}

impl DevicePrograms {
    pub(crate) fn keys(&self) -> impl Iterator<Item = ProgramKey> {
        self.all.keys()
    }

    /// Returns the device program of a source, if the source was uploaded before.
    pub(crate) fn find(&self, source: &ProgramSource<'_>) -> Option<ProgramKey> {
        self.by_source.get(source).copied()
    }

    /// Adds a device program that no `Program3D` uses yet, without adding the program to the list of spare programs.
    pub(crate) fn insert(
        &mut self,
        source: ProgramSource<'_>,
        program: ProgramState,
    ) -> ProgramKey {
        let source = Arc::new(source.into_owned());
        let key = self.all.insert_with_key(|key| DeviceProgram {
            source: Arc::clone(&source),
            program: ProgramState { device: Some(key), ..program },
            users: 0,
        });
        self.by_source.insert(source, key);
        key
    }

    /// Counts one more `Program3D` that uses a device program. Returns the state for the `Program3D`.
    pub(crate) fn share(&mut self, key: ProgramKey) -> ProgramState {
        let Some(shared) = self.all.get_mut(key) else {
            return ProgramState::default();
        };
        shared.users += 1;
        self.spare.retain(|spare| *spare != key);
        shared.program.clone()
    }

    /// Counts one `Program3D` fewer that uses a device program. If too many device programs are unused, returns the one
    /// that the backend must dispose.
    pub(crate) fn release(&mut self, key: ProgramKey) -> Option<ProgramKey> {
        let shared = self.all.get_mut(key)?;
        shared.users -= 1;
        if shared.users > 0 {
            return None;
        }
        self.spare.push_back(key);
        let oldest = (self.spare.len() > SPARE).then(|| self.spare.pop_front()).flatten()?;
        self.remove(oldest);
        Some(oldest)
    }

    /// Removes a device program that the backend has disposed or rejected.
    pub(crate) fn remove(&mut self, key: ProgramKey) {
        if let Some(gone) = self.all.remove(key) {
            self.by_source.remove(&gone.source);
        }
    }
}
