//! Programs, and the device's programs that they share.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use agal::{Endian, Rules};
use slotmap::SlotMap;

use crate::command::Bytecode;
use crate::handle::ProgramKey;
use crate::packets::{MAX_SAMPLERS, SamplerState, slot_samplers};

/// What a program reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProgramInputs {
    /// Bit n: attribute n is read.
    pub(crate) attributes: u16,
    /// Bit n: attribute n affects the result.
    pub(crate) live_attributes: u16,
    /// Bit n: a sampler reads slot n.
    pub(crate) slots: u16,
}

/// A `Program3D`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its inputs and outputs after a successful upload.
    pub(crate) interface: Option<agal::Interface>,
    pub(crate) inputs: ProgramInputs,
    /// The states that `setProgram` sets, by slot.
    pub(crate) samplers: Vec<(usize, SamplerState)>,
    /// The backend's program after a successful upload.
    pub(crate) device: Option<ProgramKey>,
    /// Bytes of AGAL, for the memory limit.
    pub(crate) bytes: u64,
}

impl Program {
    /// A program that was validated.
    pub(crate) fn new(interface: agal::Interface, bytes: u64) -> Self {
        let mut inputs = ProgramInputs {
            attributes: interface.attributes,
            live_attributes: interface.live_attributes,
            slots: 0,
        };
        let mut samplers = Vec::new();
        for slot in 0..MAX_SAMPLERS {
            for sampler in slot_samplers(&interface, slot) {
                inputs.slots |= 1 << slot;
                if !sampler.ignore_sampler {
                    samplers.retain(|(other, _)| *other != slot);
                    samplers.push((slot, sampler.into()));
                }
            }
        }
        Program { interface: Some(interface), inputs, samplers, device: None, bytes }
    }
}

/// All that decides whether an upload is valid and what it makes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Source<'a> {
    profile: agal::Profile,
    /// Vertex and fragment program; whether it is little-endian.
    programs: [(Cow<'a, [u8]>, bool); 2],
}

impl<'a> Source<'a> {
    pub(crate) fn new(vertex: Bytecode<'a>, fragment: Bytecode<'a>, rules: &Rules) -> Self {
        let program = |code: Bytecode<'a>| (code.bytes.into(), code.endian == Endian::Little);
        Source { profile: rules.profile, programs: [program(vertex), program(fragment)] }
    }

    fn into_owned(self) -> Source<'static> {
        let programs = self.programs.map(|(bytes, little)| (bytes.into_owned().into(), little));
        Source { programs, ..self }
    }
}

/// Number of unused programs that stay on the device, because their source may be uploaded again.
const SPARE: usize = 32;

/// The programs of the backend. Equal sources share one, so that they are validated and compiled once.
#[derive(Clone, Debug, Default)]
pub(crate) struct DevicePrograms {
    all: SlotMap<ProgramKey, DeviceProgram>,
    by_source: HashMap<Arc<Source<'static>>, ProgramKey>,
    /// Those without users, the oldest first.
    spare: VecDeque<ProgramKey>,
}

#[derive(Clone, Debug)]
struct DeviceProgram {
    source: Arc<Source<'static>>,
    /// What each of its users has.
    program: Program,
    /// Number of `Program3D`s that have it.
    users: usize,
}

impl DevicePrograms {
    pub(crate) fn keys(&self) -> impl Iterator<Item = ProgramKey> {
        self.all.keys()
    }

    /// The program of a source, if it was uploaded.
    pub(crate) fn find(&self, source: &Source<'_>) -> Option<ProgramKey> {
        self.by_source.get(source).copied()
    }

    /// Adds a program without users, which is not spare yet.
    pub(crate) fn insert(&mut self, source: Source<'_>, program: Program) -> ProgramKey {
        let source = Arc::new(source.into_owned());
        let key = self.all.insert_with_key(|key| DeviceProgram {
            source: Arc::clone(&source),
            program: Program { device: Some(key), ..program },
            users: 0,
        });
        self.by_source.insert(source, key);
        key
    }

    /// Another `Program3D` has the program from now on.
    pub(crate) fn share(&mut self, key: ProgramKey) -> Program {
        let Some(shared) = self.all.get_mut(key) else {
            return Program::default();
        };
        shared.users += 1;
        self.spare.retain(|spare| *spare != key);
        shared.program.clone()
    }

    /// A `Program3D` has it no more. Returns the program that the backend must dispose because there are too many
    /// without users.
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

    /// Removes a program that the backend doesn't have.
    pub(crate) fn remove(&mut self, key: ProgramKey) {
        if let Some(gone) = self.all.remove(key) {
            self.by_source.remove(&gone.source);
        }
    }
}
