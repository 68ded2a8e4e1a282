//! Constant registers: one bank per stage, and a copy of the uniform values of every program.

use crate::gl::Gl;

/// Registers of the largest bank (AGAL 3, agal.md section 3.1: 250), rounded up.
const REGISTERS: usize = 256;

/// All registers of a stage, as the packets left them.
pub(crate) struct Bank {
    values: [[f32; 4]; REGISTERS],
    /// Grows with every change, so that a program knows without looking whether its snapshot may be old.
    generation: u64,
}

impl Bank {
    /// All zero, as the uniforms of a new GL program are.
    pub(crate) fn new() -> Self {
        Self {
            values: [[0.0; 4]; REGISTERS],
            generation: 0,
        }
    }

    /// Sets registers; what lies beyond the bank is dropped (`Context3D` refuses it).
    pub(crate) fn set(&mut self, first: u16, values: &[[f32; 4]]) {
        let Some(registers) = self.values.get_mut(usize::from(first)..) else {
            return;
        };
        for (register, value) in registers.iter_mut().zip(values) {
            *register = *value;
        }
        self.generation = self.generation.saturating_add(1);
    }
}

/// The registers that one stage of a program declares.
pub(crate) struct Uniforms {
    /// Where element n of the array is. GL doesn't promise that elements follow each other.
    locations: Vec<Option<glow::UniformLocation>>,
    /// What the program's uniforms hold.
    snapshot: Vec<[f32; 4]>,
    generation: u64,
}

impl Uniforms {
    /// Asks a linked program for the elements of the array `name`.
    pub(crate) fn locate(gl: &Gl, program: glow::Program, name: &str, count: u16) -> Self {
        let count = usize::from(count).min(REGISTERS);
        Self {
            locations: (0..count)
                .map(|n| gl.uniform_location(program, &format!("{name}[{n}]")))
                .collect(),
            snapshot: vec![[0.0; 4]; count],
            generation: 0,
        }
    }

    /// Uploads what changed since this program was last drawn with, in one call. The program is in use.
    pub(crate) fn update(&mut self, gl: &Gl, bank: &Bank) {
        if self.generation == bank.generation {
            return;
        }
        self.generation = bank.generation;
        let count = self.snapshot.len().min(bank.values.len());
        let (Some(now), Some(old)) = (bank.values.get(..count), self.snapshot.get_mut(..count))
        else {
            return;
        };
        // Bits, not numbers: -0 differs from 0 under division, and a NaN equals itself.
        let differs = |(a, b): (&[f32; 4], &[f32; 4])| a.map(f32::to_bits) != b.map(f32::to_bits);
        let Some(first) = now.iter().zip(old.iter()).position(differs) else {
            return;
        };
        let last = now
            .iter()
            .zip(old.iter())
            .rposition(differs)
            .unwrap_or(first);
        let (Some(changed), Some(stale)) = (now.get(first..=last), old.get_mut(first..=last))
        else {
            return;
        };
        stale.copy_from_slice(changed);
        // A driver may cut the array behind the last element used: those have no location and nothing to set.
        let locations = self.locations.get(first..=last).unwrap_or(&[]);
        let Some(skip) = locations.iter().position(Option::is_some) else {
            return;
        };
        let location = locations.get(skip).and_then(Option::as_ref);
        let values = changed.get(skip..).unwrap_or(&[]);
        gl.uniform_vec4s(location, values.as_flattened());
    }
}
