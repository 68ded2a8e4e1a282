//! Bind groups of textures and samplers, cached by the ids of their views and samplers.

use std::collections::hash_map::Entry;

use context3d::backend::BackendError;
use context3d::packets::{MAX_SAMPLERS, SamplerState, TextureBinding};
use wgpu::{BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, Sampler};

use crate::convert;
use crate::device::WgpuDevice;
use crate::pipeline::WordTable;
use crate::program::{Layouts, ProgramSampler, WgpuProgram, missing};
use crate::texture::WgpuTextures;

/// The texture bindings of a draw.
type TextureBindings = [Option<TextureBinding>; MAX_SAMPLERS];
/// The maximum number of cached bind groups. When this number is reached, the cache is emptied.
const MAX_GROUPS: usize = 4096;

/// The key of a bind group: the index of its layout, and for each slot, the view's id and the sampler's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct GroupKey {
    layout: usize,
    slots: [u64; MAX_SAMPLERS],
}

/// The cached samplers and bind groups of a backend.
#[derive(Default)]
pub(crate) struct BindGroups {
    samplers: Vec<(SamplerState, Sampler)>,
    made: WordTable<GroupKey, BindGroup>,
}

impl BindGroups {
    /// Returns the bind group of a draw, and for each stage the samplers (as bits) whose alpha must read as 1.
    pub(crate) fn get(
        &mut self,
        device: &WgpuDevice,
        submission: u64,
        layouts: &Layouts,
        textures: &mut WgpuTextures,
        (program, bindings): (&WgpuProgram, &TextureBindings),
    ) -> Result<(&BindGroup, [u16; 2]), BackendError> {
        let mut key = GroupKey { layout: program.layout, slots: [0; MAX_SAMPLERS] };
        let mut opaque = [0; 2];
        for unit in &program.units {
            let binding = bound(bindings, unit)?;
            let (view, is_opaque) =
                textures.sampled(submission, binding.texture, unit.dimension)?;
            let sampler = self.sampler(device, binding.sampler)?;
            if let Some(slot) = key.slots.get_mut(unit.slot) {
                *slot = u64::from(view) << 8 | sampler as u64;
            }
            if let Some(stage) = opaque.get_mut(unit.stage as usize) {
                *stage |= u16::from(is_opaque) << unit.register;
            }
        }
        if self.made.len() >= MAX_GROUPS {
            self.made.clear();
        }
        let group = match self.made.entry(key) {
            Entry::Occupied(made) => made.into_mut(),
            Entry::Vacant(place) => {
                let bound = (program, bindings);
                place.insert(create(device, layouts, textures, &self.samplers, bound)?)
            }
        };
        Ok((group, opaque))
    }

    /// Returns the index of a sampler, and creates the sampler at first use.
    fn sampler(&mut self, device: &WgpuDevice, state: SamplerState) -> Result<usize, BackendError> {
        if let Some(found) = self.samplers.iter().position(|(known, _)| *known == state) {
            return Ok(found);
        }
        let descriptor = convert::sampler(state);
        let sampler = device.checked(|device, _| device.create_sampler(&descriptor))?;
        self.samplers.push((state, sampler));
        Ok(self.samplers.len() - 1)
    }

    /// Removes the bind groups that contain a deleted view.
    pub(crate) fn view_gone(&mut self, view: u32) {
        let has = |slot: &u64| *slot >> 8 == u64::from(view);
        self.made.retain(|key, _| !key.slots.iter().any(has));
    }
}

#[cold]
fn create(
    device: &WgpuDevice,
    layouts: &Layouts,
    textures: &WgpuTextures,
    samplers: &[(SamplerState, Sampler)],
    (program, bindings): (&WgpuProgram, &TextureBindings),
) -> Result<BindGroup, BackendError> {
    let mut entries = Vec::new();
    for unit in &program.units {
        let binding = bound(bindings, unit)?;
        let view = textures.view(binding.texture)?;
        let sampler = samplers.iter().find(|(known, _)| *known == binding.sampler);
        let (_, sampler) = sampler.ok_or_else(|| missing("sampler"))?;
        let [texture, place] = unit.bindings();
        let texture = (texture, BindingResource::TextureView(view));
        let both = [texture, (place, BindingResource::Sampler(sampler))];
        entries.extend(both.map(|(binding, resource)| BindGroupEntry { binding, resource }));
    }
    let layout = layouts.all.get(program.layout).and_then(|layout| layout.textures.as_ref());
    let layout = layout.ok_or_else(|| missing("layout of textures"))?;
    let descriptor = BindGroupDescriptor { label: None, layout, entries: &entries };
    device.checked(|device, _| device.create_bind_group(&descriptor))
}

fn bound<'a>(
    bindings: &'a TextureBindings,
    unit: &ProgramSampler,
) -> Result<&'a TextureBinding, BackendError> {
    let binding = bindings.get(unit.slot).and_then(Option::as_ref);
    binding.ok_or_else(|| missing("texture"))
}
