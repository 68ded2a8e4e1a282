//! Render pipelines, cached by their complete state.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

use context3d::backend::BackendError;
use context3d::enums::{BlendFactor, FillMode};
use context3d::packets::{MAX_COLOR_OUTPUTS, MAX_STREAMS, PipelineState, Raster};
use wgpu::{
    BlendComponent, BlendOperation, BlendState, ColorTargetState, ColorWrites, DepthBiasState,
    DepthStencilState, FrontFace, PolygonMode, PrimitiveState, RenderPipeline, StencilState,
    TextureFormat,
};

use crate::convert;
use crate::device::WgpuDevice;
use crate::format::DEPTH_STENCIL;
use crate::program::{ENTRY_POINTS, Layouts, ProgramVariant, WgpuProgram, missing};
use crate::version::{Pipeline, given};
use crate::vertex_layout::{PackedAttribute, VertexLayout, with_buffers};

/// A fast hasher for keys of a few words that an attacker can't choose.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|word| self.write_u64(u64::from_ne_bytes(*word)));
        rest.iter().for_each(|byte| self.write_u64((*byte).into()));
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(word.into());
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}

/// A hash map with the hasher [`WordHasher`].
pub(crate) type WordTable<K, V> = HashMap<K, V, BuildHasherDefault<WordHasher>>;

/// The texture formats of a render target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TargetFormats {
    pub(crate) color: [Option<TextureFormat>; MAX_COLOR_OUTPUTS],
    /// Bit n: draws must keep the alpha of output n at 1.
    pub(crate) opaque: u8,
    pub(crate) depth_stencil: bool,
    pub(crate) samples: u32,
}

/// The complete state of a pipeline. State that has no effect is set to a fixed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PipelineKey {
    program: u32,
    variant: ProgramVariant,
    attributes: [PackedAttribute; MAX_STREAMS],
    outputs: u8,
    raster: u64,
    target: u32,
}

impl PipelineKey {
    /// Collects the pipeline state of a draw.
    pub(crate) fn new(
        program: &WgpuProgram,
        opaque: [u16; 2],
        layout: &VertexLayout,
        PipelineState { outputs, raster, .. }: &PipelineState,
        (number, target): (u32, &TargetFormats),
    ) -> Self {
        let variant = ProgramVariant { opaque, depth: target.depth_stencil };
        let raster = pack(raster, target.depth_stencil);
        let (program, attributes) = (program.id, layout.attributes);
        PipelineKey { program, variant, attributes, outputs: *outputs, raster, target: number }
    }
}

/// Packs the fixed-function state into a word. The stencil reference is excluded, because it isn't part of a pipeline.
fn pack(raster: &Raster, depth_stencil: bool) -> u64 {
    let mut packed = 0;
    let mut put = |bits: u32, value: u64| packed = packed << bits | value;
    put(2, raster.cull as u64);
    put(4, raster.blend.0 as u64);
    put(4, raster.blend.1 as u64);
    raster.color_mask.iter().for_each(|channel| put(1, u64::from(*channel)));
    put(1, raster.fill as u64);
    if depth_stencil {
        put(1, raster.depth_write.into());
        put(3, raster.depth_compare as u64);
        for face in [&raster.stencil_front, &raster.stencil_back] {
            put(3, face.compare as u64);
            [face.both_pass, face.depth_fail, face.stencil_fail]
                .iter()
                .for_each(|action| put(3, *action as u64));
        }
        put(8, raster.stencil_read_mask.into());
        put(8, raster.stencil_write_mask.into());
    }
    packed
}

/// The pipelines of a backend, and the formats of its render targets.
#[derive(Default)]
pub(crate) struct Pipelines {
    made: WordTable<PipelineKey, RenderPipeline>,
    targets: Vec<TargetFormats>,
}

impl Pipelines {
    /// Returns the index of a render target's formats in the list `targets`. Adds new formats to the list.
    pub(crate) fn target(&mut self, formats: &TargetFormats) -> u32 {
        let found = self.targets.iter().position(|known| known == formats);
        let number = found.unwrap_or_else(|| {
            self.targets.push(*formats);
            self.targets.len() - 1
        });
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    /// Returns a pipeline, and creates it at first use.
    pub(crate) fn get(
        &mut self,
        device: &WgpuDevice,
        layouts: &Layouts,
        key: &PipelineKey,
        program: &mut WgpuProgram,
        raster: &Raster,
    ) -> Result<&RenderPipeline, BackendError> {
        Ok(match self.made.entry(*key) {
            Entry::Occupied(made) => made.into_mut(),
            Entry::Vacant(place) => {
                let target = self.targets.get(key.target as usize);
                let target = target.ok_or_else(|| missing("target"))?;
                place.insert(create(device, layouts, key, program, raster, target)?)
            }
        })
    }

    /// Removes the pipelines of a disposed program.
    pub(crate) fn program_gone(&mut self, program: u32) {
        self.made.retain(|key, _| key.program != program);
    }
}

fn create(
    device: &WgpuDevice,
    layouts: &Layouts,
    key: &PipelineKey,
    program: &mut WgpuProgram,
    raster: &Raster,
    target: &TargetFormats,
) -> Result<RenderPipeline, BackendError> {
    let layout = layouts.all.get(program.layout).ok_or_else(|| missing("layout of a program"))?;
    let modules = program.modules(device, key.variant)?;
    let count = target.color.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    let outputs = (0u8..).zip(target.color).take(count);
    let targets: Vec<_> =
        outputs.map(|output| color_target(output, key.outputs, raster, target)).collect();
    let [vertex, fragment] = ENTRY_POINTS;
    with_buffers(&key.attributes, |buffers| {
        let pipeline = Pipeline {
            layout: Some(&layout.pipeline),
            vertex: (&modules[0], vertex),
            fragment: Some((&modules[1], fragment)),
            buffers,
            primitive: PrimitiveState {
                front_face: FrontFace::Cw,
                cull_mode: convert::cull_face(raster.cull),
                polygon_mode: match raster.fill {
                    FillMode::Solid => PolygonMode::Fill,
                    FillMode::Wireframe => PolygonMode::Line,
                },
                ..Default::default()
            },
            depth_stencil: target.depth_stencil.then(|| depth_stencil(raster)),
            samples: target.samples,
            targets: &targets,
        };
        let made = device.checked(|device, _| pipeline.create(device));
        made.map_err(|error| program.refused(key.variant, error))
    })
}

fn color_target(
    (output, format): (u8, Option<TextureFormat>),
    outputs: u8,
    raster: &Raster,
    target: &TargetFormats,
) -> Option<ColorTargetState> {
    let mut write_mask = ColorWrites::empty();
    if outputs >> output & 1 != 0 {
        let channels =
            [ColorWrites::RED, ColorWrites::GREEN, ColorWrites::BLUE, ColorWrites::ALPHA];
        for (channel, on) in channels.into_iter().zip(raster.color_mask) {
            write_mask.set(channel, on);
        }
    }
    if target.opaque >> output & 1 != 0 {
        write_mask.remove(ColorWrites::ALPHA);
    }
    let (source, destination) = raster.blend;
    let blends = (source, destination) != (BlendFactor::One, BlendFactor::Zero);
    let blend = BlendComponent {
        src_factor: convert::blend_factor(source),
        dst_factor: convert::blend_factor(destination),
        operation: BlendOperation::Add,
    };
    let blend = blends.then_some(BlendState { color: blend, alpha: blend });
    Some(ColorTargetState { format: format?, blend, write_mask })
}

fn depth_stencil(raster: &Raster) -> DepthStencilState {
    DepthStencilState {
        format: DEPTH_STENCIL,
        depth_write_enabled: given(raster.depth_write),
        depth_compare: given(convert::compare(raster.depth_compare)),
        stencil: StencilState {
            front: convert::stencil_face(&raster.stencil_front),
            back: convert::stencil_face(&raster.stencil_back),
            read_mask: raster.stencil_read_mask.into(),
            write_mask: raster.stencil_write_mask.into(),
        },
        bias: DepthBiasState::default(),
    }
}
