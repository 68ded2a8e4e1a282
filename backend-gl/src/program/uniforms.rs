//! Constant registers: an array per stage, and a copy of the uniform values of every program, because OpenGL stores
//! uniforms per program.

use std::ops::Range;

use crate::gl::{GlFunctions, consecutive};

/// Number of registers per stage: 250 in AGAL 3 [agal.register.counts], rounded up.
const REGISTERS: usize = 256;

/// Without consecutive locations, only the location of every `STEP`th element is queried: in browsers, each query waits
/// for the driver.
const STEP: usize = 16;

/// The constant registers of a stage, as set by packets.
pub(crate) struct ConstantBank {
    values: [[f32; 4]; REGISTERS],
    /// Incremented with every change, so that a program can detect a stale snapshot.
    generation: u64,
}

impl Default for ConstantBank {
    /// Creates registers that are zero, like the uniforms of a new GL program.
    fn default() -> Self {
        Self { values: [[0.0; 4]; REGISTERS], generation: 0 }
    }
}

impl ConstantBank {
    /// Sets registers. Ignores a range past the end, which `Context3D` rejects.
    #[inline]
    pub(crate) fn set(&mut self, first: u16, values: &[[f32; 4]]) {
        let first = usize::from(first);
        if let Some(registers) = self.values.get_mut(first..first.saturating_add(values.len())) {
            registers.copy_from_slice(values);
            self.generation = self.generation.saturating_add(1);
        }
    }
}

/// The uniform array of one stage of a program.
pub(crate) struct Uniforms {
    /// The location of every `step`th element; `None` for elements that the driver removed as unused.
    locations: Vec<Option<glow::UniformLocation>>,
    step: usize,
    /// The current values of the program's uniforms.
    snapshot: Vec<[f32; 4]>,
    /// The bank's `generation` and the count of [`GlFunctions::problems`] at the last upload. After a GL error, the
    /// uniforms may have other values.
    set: (u64, u64),
}

impl Uniforms {
    /// Queries the locations of the elements of the array `name` in a linked program.
    pub(crate) fn locate(gl: &GlFunctions, program: glow::Program, name: &str, count: u16) -> Self {
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
    pub(crate) fn update(&mut self, gl: &GlFunctions, bank: &ConstantBank) {
        let now = (bank.generation, gl.problems());
        if self.set != now {
            let certain = self.set.1 == now.1;
            self.set = now;
            let all = 0..self.snapshot.len();
            self.upload(gl, bank, if certain { self.changed(bank) } else { all });
        }
    }

    fn upload(&mut self, gl: &GlFunctions, bank: &ConstantBank, changed: Range<usize>) {
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

    /// Returns the range of registers that differ from the program's uniforms.
    fn changed(&self, bank: &ConstantBank) -> Range<usize> {
        let pairs = || bank.values.iter().zip(&self.snapshot);
        // Bits are compared, because -0 differs from 0 under division, and a NaN must equal itself.
        let differs = |(a, b): (&[f32; 4], &[f32; 4])| a.map(f32::to_bits) != b.map(f32::to_bits);
        let first = pairs().position(differs).unwrap_or(0);
        let end = pairs().rposition(differs).map_or(0, |last| last.saturating_add(1));
        first..end
    }
}
