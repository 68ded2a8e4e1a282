//! Draws with generated programs and all their inputs.

use std::sync::LazyLock;

use agal::sampler::Dimension;
use agal::{Interface, Profile, Version};
use agal_generate::{Generator, Options, seed_bytes};
use arbitrary::Unstructured;

use super::data::{NUMBERS, bytecode};
use super::objects::{Objects, clear, name};
use super::step::Step;
use context3d::enums::{Name, ProgramType};
use context3d::keys::TextureKey;
use context3d::packets::{MAX_SAMPLERS, MAX_STREAMS, slot_samplers};
use context3d::{Command, Handle};

/// Number of generated programs, shared by all sequences so that a driver can keep them compiled.
const PROGRAMS: u64 = 192;
/// Number of bytes that a program is generated from.
const PROGRAM_BYTES: usize = 2048;
/// Maximum number of tokens of a program; every eighth program uses the larger one.
const TOKENS: [usize; 2] = [12, 80];

/// Indices of the textures of [`creations`](super::objects::creations) in the list of their kind.
const FLAT: usize = 3;
const CUBE: usize = FLAT;
const TARGETS: usize = CUBE + 1;
/// Index of the first program replaced by generated ones; the scene's own programs come before.
const FIRST_PROGRAM: usize = 3;
const OWN_PROGRAMS: usize = 2;

struct Program {
    vertex: Vec<u8>,
    fragment: Vec<u8>,
    interface: Interface,
}

/// Pairs of every AGAL version, each valid in all profiles that have it.
static GENERATED: LazyLock<Vec<Program>> =
    LazyLock::new(|| (0..PROGRAMS).filter_map(generate).collect());

fn generate(seed: u64) -> Option<Program> {
    let turn = usize::try_from(seed).ok()?;
    let version = *Version::ALL.get(turn % Version::ALL.len())?;
    let mut profiles = Profile::ALL.iter().copied();
    let profile = profiles.find(|profile| profile.max_version() >= version)?;
    let options = Options {
        profile,
        max_tokens: TOKENS[usize::from(turn % 8 == 7)],
        ..Options::new(version)
    };
    let food = seed_bytes(seed, PROGRAM_BYTES);
    let pair = Generator::new(options).pair(&mut Unstructured::new(&food)).ok()?;
    Some(Program {
        vertex: pair.vertex.encode(),
        fragment: pair.fragment.encode(),
        interface: pair.link().ok()?.interface().clone(),
    })
}

impl Objects {
    /// A generated program with its streams, textures, constants and render targets, and a draw with it.
    pub(super) fn generated_draw(&self, step: &Step) -> Vec<Command<'static>> {
        let [a, b, c, d, e, f] = step.ints;
        let place = b.unsigned_abs().wrapping_mul(31).wrapping_add(c.unsigned_abs());
        let generated = &*GENERATED;
        let (Some(program), Some(generated)) = (
            self.programs.get(FIRST_PROGRAM + a.unsigned_abs() as usize % OWN_PROGRAMS),
            generated.get(place as usize % generated.len().max(1)),
        ) else {
            return Vec::new();
        };
        let mut commands = vec![
            Command::ProgramUpload {
                program: *program,
                vertex_program: bytecode(&generated.vertex, true),
                fragment_program: bytecode(&generated.fragment, true),
            },
            Command::SetProgram { program: Some(*program) },
        ];
        self.bind_streams(&generated.interface, step, &mut commands);
        self.bind_textures(&generated.interface, step, &mut commands);
        self.bind_target(&generated.interface, step, &mut commands);
        let numbers = f.unsigned_abs() as usize % 64;
        commands.extend([ProgramType::Vertex, ProgramType::Fragment].map(|program_type| {
            Command::SetProgramConstantsFromVector {
                program_type: program_type.into(),
                first_register: 0,
                data: NUMBERS.get(numbers..),
                num_registers: 28,
            }
        }));
        let index_buffer = self.indices.first().copied();
        let (first_index, num_triangles) = (0, if d > 4 { -1 } else { d });
        commands.push(if e % 2 == 0 {
            Command::DrawTriangles { index_buffer, first_index, num_triangles }
        } else {
            Command::DrawTrianglesInstanced {
                index_buffer,
                num_instances: f,
                first_index,
                num_triangles,
            }
        });
        commands
    }

    fn bind_streams(&self, interface: &Interface, step: &Step, to: &mut Vec<Command<'static>>) {
        let [_, b, _, d, e, _] = step.ints;
        let lowest = interface.attributes.trailing_zeros();
        for index in 0..MAX_STREAMS {
            let index = i32::try_from(index).unwrap_or(0);
            let read = interface.attributes >> index & 1 == 1;
            if !read {
                to.push(Command::SetVertexBufferAt {
                    index,
                    buffer: None,
                    buffer_offset: 0,
                    format: Name::Null,
                });
                continue;
            }
            // The first buffer advances by vertex, the second by instance.
            let by_instance = index.cast_unsigned() > lowest && index.wrapping_add(e) % 3 == 1;
            to.push(self.stream(index, i32::from(by_instance), b.wrapping_add(d).rem_euclid(4)));
        }
    }

    fn bind_textures(&self, interface: &Interface, step: &Step, to: &mut Vec<Command<'static>>) {
        let flat = step.ints[2].unsigned_abs() as usize;
        for index in 0..MAX_SAMPLERS {
            let place =
                slot_samplers(interface, index).next().map(|sampler| match sampler.dimension {
                    Dimension::TwoD => flat.wrapping_add(index) % FLAT,
                    Dimension::Cube => CUBE,
                });
            to.push(Command::SetTextureAt {
                sampler: i32::try_from(index).unwrap_or(0),
                texture: place.and_then(|place| self.textures.get(place).copied()),
            });
        }
    }

    /// Binds the back buffer, or as many textures as the program has colour outputs.
    fn bind_target(&self, interface: &Interface, step: &Step, to: &mut Vec<Command<'static>>) {
        to.push(Command::SetRenderToBackBuffer {});
        let outputs = interface.color_outputs.count_ones() as usize;
        if outputs < 2 && step.flag {
            return;
        }
        let [_, _, c, d, ..] = step.ints;
        let textures = self.textures.iter().skip(TARGETS).take(outputs.max(1));
        let target = |(output, texture): (i32, &Handle<TextureKey>)| Command::SetRenderToTexture {
            texture: Some(*texture),
            enable_depth_and_stencil: interface.depth_output || c % 2 == 0,
            anti_alias: d,
            surface_selector: 0,
            color_output_index: output,
        };
        to.extend((0..).zip(textures).map(target));
        if c > 3 {
            to.push(clear(step.numbers, 7));
        }
        if d > 5 {
            to.push(Command::SetBlendFactors {
                source_factor: name(c),
                destination_factor: name(d),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_gives_a_program() {
        assert_eq!(GENERATED.len() as u64, PROGRAMS);
        let all = |has: fn(&Interface) -> bool| GENERATED.iter().any(|p| has(&p.interface));
        assert!(all(|i| i.color_outputs.count_ones() > 1) && all(|i| i.depth_output));
        assert!(all(|i| i.instance_id) && all(|i| i.samplers.iter().flatten().count() > 1));
        assert!(all(|i| i.vertex_samplers.iter().any(Option::is_some)));
        assert!(all(|i| i.attributes != i.live_attributes));
    }
}
