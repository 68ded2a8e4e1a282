//! Groups of textures and samplers, found by their numbers.

use std::collections::hash_map::Entry;

use context3d::backend::BackendError;
use context3d::enums::{MipFilter, TextureFilter, WrapMode};
use context3d::packets::{MAX_SAMPLERS, SamplerState, TextureBinding};
use wgpu::{BindGroup, BindGroupDescriptor, BindGroupEntry, BindingResource, Sampler};

use crate::convert;
use crate::device::WgpuDevice;
use crate::pipeline::Table;
use crate::program::{Layouts, Program, Unit, missing};
use crate::texture::Textures;

/// Members of the enumerations of a sampler, rounded up.
const SAMPLERS: usize = 4 * 8 * 4;
/// The textures of a draw.
type Bindings = [Option<TextureBinding>; MAX_SAMPLERS];
/// Beyond so many groups, all are made anew.
const MAX_GROUPS: usize = 4096;

/// The numbers of a layout, and of the view and the sampler of each slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct GroupKey {
    layout: usize,
    slots: [u64; MAX_SAMPLERS],
}

/// The samplers and groups of a backend.
pub(crate) struct Groups {
    samplers: [Option<Sampler>; SAMPLERS],
    made: Table<GroupKey, BindGroup>,
}

impl Default for Groups {
    fn default() -> Self {
        Groups { samplers: [const { None }; SAMPLERS], made: Table::default() }
    }
}

/// Returns the number of a sampler.
fn number(SamplerState { wrap, filter, mip }: SamplerState) -> usize {
    const { assert!((WrapMode::RepeatUClampV as usize) < 4) };
    const { assert!((TextureFilter::Anisotropic16x as usize) < 8) };
    const { assert!((MipFilter::Linear as usize) < 4) };
    wrap as usize | (filter as usize) << 2 | (mip as usize) << 5
}

impl Groups {
    /// Returns the group of a draw, and the samplers of the vertex and the fragment stage that must read 1 as alpha.
    pub(crate) fn get(
        &mut self,
        device: &WgpuDevice,
        submission: u64,
        layouts: &Layouts,
        textures: &mut Textures,
        (program, bindings): (&Program, &Bindings),
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

    /// Makes a sampler; returns its number.
    fn sampler(&mut self, device: &WgpuDevice, state: SamplerState) -> Result<usize, BackendError> {
        let number = number(state);
        if let Some(place @ None) = self.samplers.get_mut(number) {
            let descriptor = convert::sampler(state);
            *place = Some(device.checked(|device, _| device.create_sampler(&descriptor))?);
        }
        Ok(number)
    }

    /// Forgets the groups with a view that is gone.
    pub(crate) fn view_gone(&mut self, view: u32) {
        let has = |slot: &u64| *slot >> 8 == u64::from(view);
        self.made.retain(|key, _| !key.slots.iter().any(has));
    }
}

#[cold]
fn create(
    device: &WgpuDevice,
    layouts: &Layouts,
    textures: &Textures,
    samplers: &[Option<Sampler>],
    (program, bindings): (&Program, &Bindings),
) -> Result<BindGroup, BackendError> {
    let mut entries = Vec::new();
    for unit in &program.units {
        let binding = bound(bindings, unit)?;
        let view = textures.view(binding.texture)?;
        let sampler = samplers.get(number(binding.sampler)).and_then(Option::as_ref);
        let sampler = sampler.ok_or_else(|| missing("sampler"))?;
        let [texture, place] = unit.bindings();
        let texture = (texture, BindingResource::TextureView(view));
        let both = [texture, (place, BindingResource::Sampler(sampler))];
        entries.extend(both.map(|(binding, resource)| BindGroupEntry { binding, resource }));
    }
    let layout = layouts.get(program.layout).and_then(|layout| layout.textures.as_ref());
    let layout = layout.ok_or_else(|| missing("layout of textures"))?;
    let descriptor = BindGroupDescriptor { label: None, layout, entries: &entries };
    device.checked(|device, _| device.create_bind_group(&descriptor))
}

fn bound<'a>(bindings: &'a Bindings, unit: &Unit) -> Result<&'a TextureBinding, BackendError> {
    let binding = bindings.get(unit.slot).and_then(Option::as_ref);
    binding.ok_or_else(|| missing("texture"))
}
