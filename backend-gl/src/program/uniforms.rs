//! Constant registers: one bank per stage, and a copy of the uniform values of every program, because OpenGL keeps
//! uniforms per program.

use std::ops::Range;

use crate::gl::{Gl, consecutive};

/// Registers of the largest bank (AGAL 3, [agal.register.counts]: 250), rounded up.
const REGISTERS: usize = 256;

/// Distance of the elements whose locations are asked for where locations are no consecutive numbers, as in browsers, in
/// which each question waits for the driver.
const STEP: usize = 16;

/// All registers of a stage, as set by packets.
pub(crate) struct Bank {
    values: [[f32; 4]; REGISTERS],
    /// Incremented with every change, so that a program can detect that its snapshot may be stale.
    generation: u64,
}

impl Default for Bank {
    /// All zero, as the uniforms of a new GL program are.
    fn default() -> Self {
        Self { values: [[0.0; 4]; REGISTERS], generation: 0 }
    }
}

impl Bank {
    /// Sets registers, unless some lie beyond the bank (`Context3D` refuses those).
    #[inline]
    pub(crate) fn set(&mut self, first: u16, values: &[[f32; 4]]) {
        let first = usize::from(first);
        if let Some(registers) = self.values.get_mut(first..first.saturating_add(values.len())) {
            registers.copy_from_slice(values);
            self.generation = self.generation.saturating_add(1);
        }
    }
}

/// The registers that one stage of a program declares.
pub(crate) struct Uniforms {
    /// Of every `step`th element, from the first. A driver may cut the array behind the last element used: those have none
    /// and nothing to set.
    locations: Vec<Option<glow::UniformLocation>>,
    step: usize,
    /// The current values of the program's uniforms.
    snapshot: Vec<[f32; 4]>,
    /// The bank's generation, and [`Gl::problems`]: after an error, the uniforms may have other values.
    set: (u64, u64),
}

impl Uniforms {
    /// Queries the locations of the elements of the array `name` in a linked program.
    pub(crate) fn locate(gl: &Gl, program: glow::Program, name: &str, count: u16) -> Self {
        let count = usize::from(count).min(REGISTERS);
        let locate = |n: usize| gl.uniform_location(program, &format!("{name}[{n}]"));
        let set = (0, gl.problems());
        if count == 0 {
            return Self { locations: Vec::new(), step: 1, snapshot: Vec::new(), set };
        }
        let ends = (locate(0), locate(count.saturating_sub(1)));
        let row = match &ends {
            (Some(first), Some(last)) => consecutive([first, last], count),
            _ => None,
        };
        let (locations, step) = match row {
            Some(row) => (row, 1),
            None => ((0..count).step_by(STEP).map(locate).collect(), STEP),
        };
        Self { locations, step, snapshot: vec![[0.0; 4]; count], set }
    }

    /// Uploads the values that changed since this program's last draw, in one call. The program is in use.
    #[inline]
    pub(crate) fn update(&mut self, gl: &Gl, bank: &Bank) {
        let now = (bank.generation, gl.problems());
        if self.set != now {
            let certain = self.set.1 == now.1;
            self.set = now;
            let all = 0..self.snapshot.len();
            self.upload(gl, bank, if certain { self.changed(bank) } else { all });
        }
    }

    fn upload(&mut self, gl: &Gl, bank: &Bank, changed: Range<usize>) {
        let located = changed.start / self.step;
        let range = located * self.step..changed.end;
        if let (Some(values), Some(stale)) =
            (bank.values.get(range.clone()), self.snapshot.get_mut(range))
        {
            stale.copy_from_slice(values);
            if let Some(Some(location)) = self.locations.get(located)
                && !values.is_empty()
            {
                gl.uniform_vec4s(Some(location), values.as_flattened());
            }
        }
    }

    /// The range of registers that differ.
    fn changed(&self, bank: &Bank) -> Range<usize> {
        let pairs = || bank.values.iter().zip(&self.snapshot);
        // Bits, not numbers: -0 differs from 0 under division, and a NaN equals itself.
        let differs = |(a, b): (&[f32; 4], &[f32; 4])| a.map(f32::to_bits) != b.map(f32::to_bits);
        let first = pairs().position(differs).unwrap_or(0);
        let end = pairs().rposition(differs).map_or(0, |last| last.saturating_add(1));
        first..end
    }
}
