//! Constant registers: one bank per stage, and a copy of the uniform values of every program.

use std::ops::Range;

use crate::gl::{Gl, location, location_number};

/// Registers of the largest bank (AGAL 3, agal.md section 3.1: 250), rounded up.
const REGISTERS: usize = 256;

/// All registers of a stage, as set by packets.
pub(crate) struct Bank {
    values: [[f32; 4]; REGISTERS],
    /// Incremented with every change, so that a program can detect that its snapshot may be stale.
    generation: u64,
    /// What the last change was of: a snapshot that is one change behind differs nowhere else, and nearly always there
    /// (`Context3D` sends what differs).
    last: Range<usize>,
}

impl Bank {
    /// All zero, as the uniforms of a new GL program are.
    pub(crate) fn new() -> Self {
        Self { values: [[0.0; 4]; REGISTERS], generation: 0, last: 0..0 }
    }

    /// Sets registers, unless some lie beyond the bank (`Context3D` refuses those).
    #[inline]
    pub(crate) fn set(&mut self, first: u16, values: &[[f32; 4]]) {
        let first = usize::from(first);
        let range = first..first.saturating_add(values.len());
        if let Some(registers) = self.values.get_mut(range.clone()) {
            copy(registers, values);
            self.generation = self.generation.saturating_add(1);
            self.last = range;
        }
    }
}

/// Copies registers: often just one, which takes less time than a call of the library's function.
#[inline]
fn copy(to: &mut [[f32; 4]], from: &[[f32; 4]]) {
    match (to, from) {
        ([to], [from]) => *to = *from,
        (to, from) => to.copy_from_slice(from),
    }
}

/// The registers that one stage of a program declares.
pub(crate) struct Uniforms {
    locations: Locations,
    /// The current values of the program's uniforms.
    snapshot: Vec<[f32; 4]>,
    generation: u64,
}

/// Where the elements of an array are.
enum Locations {
    /// One after the other from this one on, as with every driver known.
    Row(u32),
    /// OpenGL doesn't promise it, and WebGL's locations have no numbers.
    Each(Vec<Option<glow::UniformLocation>>),
}

impl Locations {
    fn ask(gl: &Gl, program: glow::Program, name: &str, count: usize) -> Self {
        let ask = |n: usize| gl.uniform_location(program, &format!("{name}[{n}]"));
        let Some(last) = count.checked_sub(1) else {
            return Locations::Each(Vec::new());
        };
        let number = |n| location_number(&ask(n)?);
        match (number(0), number(last)) {
            (Some(first), Some(end)) if usize::try_from(end.wrapping_sub(first)) == Ok(last) => {
                Locations::Row(first)
            }
            _ => Locations::Each((0..count).map(ask).collect()),
        }
    }

    /// The first element in a range that has a place, and that. A driver may cut the array behind the last element used:
    /// those have none and nothing to set.
    #[inline]
    fn first_of(&self, range: Range<usize>) -> Option<(usize, glow::UniformLocation)> {
        if range.is_empty() {
            return None;
        }
        match self {
            Locations::Row(start) => {
                let at = u32::try_from(range.start).ok()?;
                Some((0, location(start.wrapping_add(at))?))
            }
            Locations::Each(locations) => {
                let range = locations.get(range)?.iter().enumerate();
                range
                    .into_iter()
                    .find_map(|(skip, location)| Some((skip, location.as_ref().cloned()?)))
            }
        }
    }
}

impl Uniforms {
    /// Queries the locations of the elements of the array `name` in a linked program.
    pub(crate) fn locate(gl: &Gl, program: glow::Program, name: &str, count: u16) -> Self {
        let count = usize::from(count).min(REGISTERS);
        Self {
            locations: Locations::ask(gl, program, name, count),
            snapshot: vec![[0.0; 4]; count],
            generation: 0,
        }
    }

    /// Uploads the values that changed since this program's last draw, in one call. The program is in use.
    #[inline]
    pub(crate) fn update(&mut self, gl: &Gl, bank: &Bank) {
        if self.generation != bank.generation {
            let range = match self.generation.wrapping_add(1) == bank.generation {
                true => bank.last.clone(),
                false => self.compare(bank),
            };
            self.generation = bank.generation;
            self.upload(gl, bank, range);
        }
    }

    fn upload(&mut self, gl: &Gl, bank: &Bank, range: Range<usize>) {
        // A program may declare fewer registers.
        let range = range.start..range.end.min(self.snapshot.len());
        let (Some(values), Some(stale)) =
            (bank.values.get(range.clone()), self.snapshot.get_mut(range.clone()))
        else {
            return;
        };
        copy(stale, values);
        if let Some((skip, location)) = self.locations.first_of(range) {
            let values = values.get(skip..).unwrap_or(&[]);
            gl.uniform_vec4s(Some(&location), values.as_flattened());
        }
    }

    /// The range of registers that differ.
    fn compare(&self, bank: &Bank) -> Range<usize> {
        let pairs = || bank.values.iter().zip(&self.snapshot);
        // Bits, not numbers: -0 differs from 0 under division, and a NaN equals itself.
        let differs = |(a, b): (&[f32; 4], &[f32; 4])| a.map(f32::to_bits) != b.map(f32::to_bits);
        let first = pairs().position(differs).unwrap_or(0);
        let end = pairs().rposition(differs).map_or(0, |last| last.saturating_add(1));
        first..end
    }
}
