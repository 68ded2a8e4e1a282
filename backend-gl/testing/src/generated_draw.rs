//! Draws with generated programs and all their inputs.

use std::sync::LazyLock;

use agal::generate::{GenerateOptions, PairGenerator, seed_bytes};
use agal::sampler::Dimension;
use agal::{AgalVersion, Interface, Profile};
use arbitrary::Unstructured;

use super::data::{NUMBERS, bytecode};
use super::objects::{CreatedObjects, clear, no_stream};
use super::source::{ByteSource, StepArgument};
use context3d::Invocation;
use context3d::enums::ProgramType;
use context3d::packets::{MAX_COLOR_OUTPUTS, MAX_SAMPLERS, MAX_STREAMS, slot_samplers};

/// Number of generated programs. All sequences share the programs, so that a driver compiles each once.
const PROGRAMS: u64 = 192;
/// Number of bytes that a program is generated from.
const PROGRAM_BYTES: usize = 2048;
/// The two maximum numbers of tokens of a program. Every eighth program uses the second maximum instead of the first.
const TOKENS: [usize; 2] = [12, 80];

/// Indices of textures of [`creations`](super::objects::creations) among those of the same type.
const FLAT: usize = 3;
const CUBE: usize = FLAT;
const TARGETS: usize = CUBE + 1;
/// Index of the first program that is replaced by a generated one; earlier programs belong to the scene.
const FIRST_PROGRAM: usize = 3;
const OWN_PROGRAMS: usize = 2;

struct GeneratedProgram {
    vertex: Vec<u8>,
    fragment: Vec<u8>,
    interface: Interface,
}

/// Pairs of every AGAL version, each valid in all profiles with that version.
static GENERATED: LazyLock<Vec<GeneratedProgram>> =
    LazyLock::new(|| (0..PROGRAMS).filter_map(generate).collect());

fn generate(seed: u64) -> Option<GeneratedProgram> {
    let turn = usize::try_from(seed).ok()?;
    let version = *AgalVersion::ALL.get(turn % AgalVersion::ALL.len())?;
    let mut profiles = Profile::ALL.iter().copied();
    let profile = profiles.find(|profile| profile.max_version() >= version)?;
    let options = GenerateOptions {
        profile,
        max_tokens: TOKENS[usize::from(turn % 8 == 7)],
        native_limits: d3d9::from_agal::program_native_limits,
        ..GenerateOptions::new(version)
    };
    let food = seed_bytes(seed, PROGRAM_BYTES);
    let pair = PairGenerator::new(options).pair(&mut Unstructured::new(&food)).ok()?;
    Some(GeneratedProgram {
        vertex: pair.vertex.encode(),
        fragment: pair.fragment.encode(),
        interface: pair.link().ok()?.interface().clone(),
    })
}

impl CreatedObjects {
    /// Returns calls that upload and bind a generated program with its streams, textures, constants and render targets,
    /// and a draw.
    pub(super) fn generated_draw(&self, source: &mut ByteSource<'_>) -> Vec<Invocation<'static>> {
        let own = self.programs.get(FIRST_PROGRAM + source.below(OWN_PROGRAMS));
        let generated = GENERATED.get(source.below(GENERATED.len()));
        let (Some(program), Some(generated)) = (own, generated) else {
            return Vec::new();
        };
        let interface = &generated.interface;
        let mut commands = vec![
            Invocation::ProgramUpload {
                program: *program,
                vertex_program: Some(bytecode(&generated.vertex)),
                fragment_program: Some(bytecode(&generated.fragment)),
            },
            Invocation::SetProgram { program: Some(*program) },
        ];
        commands.extend(self.streams(interface, source));
        commands.extend(self.samplers(interface, source));
        self.bind_target(interface, source, &mut commands);
        let data = NUMBERS.get(source.below(64)..);
        commands.extend([ProgramType::Vertex, ProgramType::Fragment].map(|program_type| {
            Invocation::SetProgramConstantsFromVector {
                program_type: program_type.into(),
                first_register: 0,
                data,
                num_registers: 28,
            }
        }));
        let index_buffer = self.indices.first().copied();
        let (first_index, num_triangles) = (0, if source.flag() { -1 } else { source.int() });
        commands.push(if source.flag() {
            Invocation::DrawTriangles { index_buffer, first_index, num_triangles }
        } else {
            let num_instances = source.int();
            Invocation::DrawTrianglesInstanced {
                index_buffer,
                num_instances,
                first_index,
                num_triangles,
            }
        });
        commands
    }

    fn streams(
        &self,
        interface: &Interface,
        source: &mut ByteSource<'_>,
    ) -> impl Iterator<Item = Invocation<'static>> {
        let lowest = interface.attributes.trailing_zeros();
        let (first, offset) = (source.below(3), source.below(4));
        let offset = i32::try_from(offset).unwrap_or(0);
        (0u32..).zip(0i32..).take(MAX_STREAMS).map(move |(number, index)| {
            if interface.attributes >> number & 1 == 0 {
                return no_stream(index);
            }
            // The first buffer advances by vertex, the second by instance.
            let by_instance = number > lowest && (number as usize + first) % 3 == 1;
            self.stream(index, usize::from(by_instance), offset)
        })
    }

    fn samplers(
        &self,
        interface: &Interface,
        source: &mut ByteSource<'_>,
    ) -> impl Iterator<Item = Invocation<'static>> {
        let first = source.below(FLAT);
        (0i32..).zip(0..MAX_SAMPLERS).map(move |(sampler, slot)| {
            let read = slot_samplers(interface, slot).next();
            let index = read.map(|read| match read.dimension {
                Dimension::TwoD => (first + slot) % FLAT,
                Dimension::Cube => CUBE,
            });
            let texture = index.and_then(|index| self.textures.get(index).copied());
            Invocation::SetTextureAt { sampler, texture }
        })
    }

    /// Binds the back buffer, or textures: as many as the program has colour outputs, or fewer or more.
    fn bind_target(
        &self,
        interface: &Interface,
        source: &mut ByteSource<'_>,
        to: &mut Vec<Invocation<'static>>,
    ) {
        to.push(Invocation::SetRenderToBackBuffer {});
        let outputs = interface.color_outputs.count_ones() as usize;
        if outputs < 2 && source.flag() {
            return;
        }
        let bound =
            if source.below(4) == 0 { 1 + source.below(MAX_COLOR_OUTPUTS) } else { outputs.max(1) };
        let textures = self.textures.iter().skip(TARGETS).take(bound);
        let enable_depth_and_stencil = interface.depth_output || source.flag();
        let anti_alias = source.int();
        to.extend((0..).zip(textures).map(|(output, texture)| Invocation::SetRenderToTexture {
            texture: Some(*texture),
            enable_depth_and_stencil,
            anti_alias,
            surface_selector: 0,
            color_output_index: output,
        }));
        if source.flag() {
            to.push(clear([(); 4].map(|()| StepArgument::of(source, "")), 7));
        }
        if source.below(3) == 0 {
            to.push(Invocation::SetBlendFactors {
                source_factor: StepArgument::of(source, ""),
                destination_factor: StepArgument::of(source, ""),
            });
        }
    }
}

#[cfg(test)]
#[path = "../tests/unit/generated_draw.rs"]
mod tests;
