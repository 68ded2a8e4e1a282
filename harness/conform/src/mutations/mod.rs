//! Deliberate errors (mutations) of backends, to test that the suite detects them. [`MutatedBackend`] wraps a backend.
//! A mutation changes packets before the backend executes them, programs, or pixels that are read back.

pub mod api;
mod arguments;
mod program;
mod table;
mod texels;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use context3d::agal::sampler::SamplerOperand;
use context3d::agal::{AgalInstruction, LinkedPair, Program};
use context3d::backend::{Backend, BackendError, ReadSurface, Region};
use context3d::enums::ProgramType;
use context3d::keys::TextureKey;
use context3d::packets::{
    BackBufferDesc, Clear, Draw, Packet, PassStart, Raster, RenderTarget, SamplerState, Scissor,
    Stream, TextureDesc, TextureTarget,
};

pub(crate) use arguments::{HEADER, TOKEN};
pub use table::MUTATIONS;
use texels::TexelMutation;

pub struct Mutation {
    pub name: &'static str,
    pub what: &'static str,
    /// Name prefixes of the cases that should detect the mutation, the most likely first.
    pub areas: &'static [&'static str],
    change: PacketMutation,
}

impl Mutation {
    /// Returns the mutated pair of programs, or `None` if the mutation doesn't apply to it.
    pub fn mutate_programs(&self, pair: &LinkedPair) -> Option<Arc<LinkedPair>> {
        program::mutate(pair, &self.change)
    }

    pub fn is_of_programs(&self) -> bool {
        matches!(
            self.change,
            PacketMutation::Token(_)
                | PacketMutation::SamplerOperand(_)
                | PacketMutation::Position(_)
        )
    }

    /// Like `mutate_programs`, but for programs that run without drawing. Excludes mutations of the position.
    pub fn mutate_alone(&self, pair: &LinkedPair) -> Option<Arc<LinkedPair>> {
        match self.change {
            PacketMutation::Position(_) => None,
            _ => self.mutate_programs(pair),
        }
    }

    pub fn named(name: &str) -> Option<&'static Mutation> {
        MUTATIONS.iter().find(|mutation| mutation.name == name)
    }
}

impl std::fmt::Debug for Mutation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// A mutation of a backend packet. Indices, offsets and sizes stay valid, so that only the image is wrong.
enum PacketMutation {
    Raster(fn(&mut Raster)),
    /// Changes the scissor rectangle. The second argument is the height of the render target.
    Scissor(fn(&mut Scissor, u32)),
    Sampler(fn(&mut SamplerState)),
    Stream(fn(&mut Stream)),
    Draw(fn(&mut Draw)),
    Clear(fn(&mut Clear)),
    BackBuffer(fn(&mut BackBufferDesc)),
    Target(fn(&mut TextureTarget)),
    Pass(fn(&mut PassStart)),
    Texels(fn(&mut TexelMutation)),
    /// Changes constants and the index of their first register.
    Constants(fn(&mut Vec<[f32; 4]>, &mut u16)),
    /// Drops constant uploads that contain registers that were set before.
    StaleConstants,
    Offset(fn(&mut u32)),
    Token(fn(&mut AgalInstruction)),
    SamplerOperand(fn(&mut SamplerOperand)),
    Position(fn(&mut Program)),
    /// Drops packets for which the function returns true.
    Lost(fn(&Packet<'_>) -> bool),
    /// Changes RGBA pixels that are read back; the second argument is the width of a row in pixels.
    Pixels(fn(&mut [u8], usize)),
}

pub struct MutatedBackend<B> {
    backend: B,
    mutation: &'static Mutation,
    textures: HashMap<TextureKey, TextureDesc>,
    set_constants: HashSet<(bool, u16)>,
    back_buffer: u32,
    target: RenderTarget,
}

impl<B: Backend> MutatedBackend<B> {
    pub fn new(backend: B, mutation: &'static Mutation) -> Self {
        MutatedBackend {
            backend,
            mutation,
            textures: HashMap::new(),
            set_constants: HashSet::new(),
            back_buffer: 0,
            target: RenderTarget::BackBuffer,
        }
    }

    fn record(&mut self, packet: &Packet<'_>) {
        match packet {
            Packet::ConfigureBackBuffer(buffer) => self.back_buffer = buffer.height,
            Packet::BeginPass(pass) => self.target = pass.target,
            Packet::CreateTexture { key, desc } => {
                self.textures.insert(*key, *desc);
            }
            Packet::DisposeTexture(key) => {
                self.textures.remove(key);
            }
            _ => {}
        }
    }

    /// Returns whether one of the constant registers was set before. Marks these registers as set.
    fn set_before(&mut self, stage: ProgramType, first: u16, count: usize) -> bool {
        let fragment = stage == ProgramType::Fragment;
        let mut before = false;
        for register in (first..=u16::MAX).take(count) {
            before |= !self.set_constants.insert((fragment, register));
        }
        before
    }

    /// Applies the mutation to a backend packet. Returns whether the packet is executed.
    fn mutate(&mut self, packet: &mut Packet<'_>) -> bool {
        let change = &self.mutation.change;
        match (packet, change) {
            (packet, PacketMutation::Lost(lost)) => return !lost(packet),
            (Packet::Draw(draw), PacketMutation::Draw(change)) => change(draw.to_mut()),
            (Packet::Draw(draw), PacketMutation::Raster(change)) => {
                change(&mut draw.to_mut().state.raster)
            }
            (Packet::Draw(draw), PacketMutation::Scissor(change)) => {
                let height = match &self.target {
                    RenderTarget::BackBuffer => self.back_buffer,
                    RenderTarget::Textures(target) => target.height,
                };
                draw.to_mut().scissor.iter_mut().for_each(|scissor| change(scissor, height));
            }
            (Packet::Draw(draw), PacketMutation::Sampler(change)) => {
                let bindings = draw.to_mut().textures.iter_mut().flatten();
                bindings.for_each(|binding| change(&mut binding.sampler));
            }
            (Packet::Draw(draw), PacketMutation::Stream(change)) => {
                draw.to_mut().streams.iter_mut().flatten().for_each(change);
            }
            (Packet::BeginPass(pass), PacketMutation::Clear(change)) => change(&mut pass.clear),
            (Packet::BeginPass(pass), PacketMutation::Pass(change)) => change(pass),
            (Packet::ConfigureBackBuffer(buffer), PacketMutation::BackBuffer(change)) => {
                change(buffer)
            }
            (Packet::BeginPass(pass), PacketMutation::Target(change)) => {
                if let RenderTarget::Textures(target) = &mut pass.target {
                    change(target);
                }
            }
            (Packet::UploadProgram { pair, .. }, change) => {
                *pair = program::mutate(pair, change).unwrap_or_else(|| Arc::clone(pair));
            }
            (Packet::UploadVertexBuffer { offset, .. }, PacketMutation::Offset(change)) => {
                change(offset)
            }
            (packet @ Packet::UploadTexture { .. }, PacketMutation::Texels(change)) => {
                texels::mutate(packet, &self.textures, *change);
            }
            (Packet::Constants { first, values, .. }, PacketMutation::Constants(change)) => {
                change(values.to_mut(), first);
            }
            (Packet::Constants { stage, first, values }, PacketMutation::StaleConstants) => {
                return !self.set_before(*stage, *first, values.len());
            }
            _ => {}
        }
        true
    }
}

impl<B: Backend> Backend for MutatedBackend<B> {
    context3d::forward_backend!(self => self.backend; caps read_texels);

    fn execute(&mut self, mut packet: Packet<'_>) -> Result<(), BackendError> {
        self.record(&packet);
        if self.mutate(&mut packet) { self.backend.execute(packet) } else { Ok(()) }
    }

    fn read_region(
        &mut self,
        surface: ReadSurface,
        region: Region,
        out: &mut Vec<u8>,
    ) -> Result<(u32, u32), BackendError> {
        let size = self.backend.read_region(surface, region, out)?;
        if let PacketMutation::Pixels(change) = self.mutation.change {
            change(out, size.0 as usize);
        }
        Ok(size)
    }
}
