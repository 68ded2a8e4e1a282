//! Computes likelihood factors of argument values: contradictions with other calls, and values that applications
//! often use.

use context3d::enums::{BlendFactor, CompareMode, TriangleFace, VertexFormat};
use molehill_analysis::calls::{drawn_indices, floats, registers};
use molehill_analysis::evidence::matrices::is_turned_matrix;
use molehill_capture::Call;
use molehill_capture::data::Enum;

use super::evidence::{AGAINST, CallEvidence, GOOD, STRONG, UNNOTICED};

impl CallEvidence<'_> {
    pub(super) fn arguments(&self, record: usize, old: &Call, new: &Call) -> f64 {
        match (old, new) {
            (Call::SetProgram { program: Some(old) }, Call::SetProgram { program: Some(new) }) => {
                self.program(record, old.0, new.0)
            }
            (
                Call::SetProgramConstantsFromMatrix { .. }
                | Call::SetProgramConstantsFromVector { .. }
                | Call::SetProgramConstantsFromFloatVector { .. }
                | Call::SetProgramConstantsFromByteArray { .. },
                _,
            ) => self.constants(record, old, new),
            (
                Call::SetVertexBufferAt { buffer_offset: old, format, .. },
                Call::SetVertexBufferAt { buffer_offset: new, format: other, .. },
            ) => self.layout(record, (*old, format), (*new, other)),
            (
                Call::DrawTriangles { .. } | Call::DrawTrianglesInstanced { .. },
                Call::DrawTriangles { .. } | Call::DrawTrianglesInstanced { .. },
            ) => self.indices(old, new).unwrap_or(1.0),
            (
                Call::SetBlendFactors { source_factor: old, destination_factor: before },
                Call::SetBlendFactors { source_factor: new, destination_factor: after },
            ) => match (is_usual(old, before), is_usual(new, after)) {
                (false, true) => STRONG,
                (true, true) => GOOD,
                (_, false) => AGAINST,
            },
            // Tests that reject every fragment.
            (
                _,
                Call::SetCulling { triangle_face_to_cull: Enum::Is(TriangleFace::FrontAndBack) },
            )
            | (_, Call::SetDepthTest { pass_compare_mode: Enum::Is(CompareMode::Never), .. })
            | (_, Call::SetStencilActions { compare_mode: Enum::Is(CompareMode::Never), .. }) => {
                AGAINST
            }
            // A clear colour is visible only in pixels that no draw changes.
            (Call::Clear { red: old, .. }, Call::Clear { red: new, mask, .. })
                if old.to_bits() != new.to_bits() && *mask & 1 != 0 =>
            {
                GOOD
            }
            // A reversed depth comparison has the same effect as a depth cleared to the opposite value.
            (Call::Clear { depth: old, mask, .. }, Call::Clear { depth: new, mask: other, .. })
                if old.to_bits() != new.to_bits() || mask != other =>
            {
                AGAINST
            }
            _ => 1.0,
        }
    }

    /// Returns the likelihood factor of changing a call that sets constants.
    fn constants(&self, record: usize, old: &Call, new: &Call) -> f64 {
        use Call::{
            SetProgramConstantsFromByteArray as Bytes,
            SetProgramConstantsFromFloatVector as Floats, SetProgramConstantsFromMatrix as Matrix,
            SetProgramConstantsFromVector as Vector,
        };
        match (old, new) {
            // The data is larger than the number of registers to set.
            (
                Vector { num_registers: 0.., .. } | Floats { num_registers: 0.., .. },
                Vector { num_registers: -1, .. } | Floats { num_registers: -1, .. },
            ) => {
                let is_larger = registers(old) < registers(new);
                if is_larger { STRONG } else { UNNOTICED }
            }
            (
                Matrix { matrix: Some(matrix), transposed_matrix: old, .. },
                Matrix { transposed_matrix: new, .. },
            ) if old != new => {
                match [*old, *new].map(|transposed| is_turned_matrix(matrix, transposed)) {
                    [true, false] => STRONG,
                    [false, true] => AGAINST,
                    _ => 1.0,
                }
            }
            // The call that restores all constants before the frame represents many original calls.
            (Bytes { .. }, _) if record < self.scene.restored => UNNOTICED,
            _ => 1.0,
        }
    }

    /// Returns the likelihood factor of changing the index buffer or the range of indices of a draw.
    fn indices(&self, old: &Call, new: &Call) -> Option<f64> {
        let (other, first_before, before) = drawn_indices(old)?;
        let (buffer, first, count) = drawn_indices(new)?;
        let all = buffer.and_then(|it| self.indices.get(&it.0).copied());
        Some(range((first_before, before), (first, count), (all, buffer == other)))
    }

    /// Returns the likelihood factor of changing the offset or format of a stream. Attributes should not overlap or
    /// leave gaps.
    fn layout(
        &self,
        record: usize,
        old: (i32, &Enum<VertexFormat>),
        new: (i32, &Enum<VertexFormat>),
    ) -> f64 {
        let Some((others, stride)) = self.layouts.get(&record) else { return 1.0 };
        let fit = |start: i32, format| {
            let end = start + floats(format).unwrap_or(0);
            let overlaps = others.iter().any(|(from, to)| start < *to && *from < end);
            let after = others.iter().map(|(from, _)| *from).filter(|from| *from >= end);
            let next = after.min().unwrap_or(*stride);
            let before = others.iter().map(|(_, to)| *to).filter(|to| *to <= start);
            (overlaps, next - end + start - before.max().unwrap_or(0))
        };
        match (fit(old.0, old.1), fit(new.0, new.1)) {
            ((true, _), (false, 0)) => STRONG,
            ((true, _), (false, _)) | ((false, 1..), (false, 0)) => GOOD,
            ((false, _), (true, _)) | ((false, 0), (false, 1..)) => AGAINST,
            _ => 1.0,
        }
    }
}

/// Returns the likelihood factor of changing the range of indices. `old` and `new` are the first index and the number
/// of triangles. `all` is the number of indices in the buffer. `is_same` is true if the index buffer is unchanged.
fn range(old: (i32, i32), new: (i32, i32), (all, is_same): (Option<i32>, bool)) -> f64 {
    let is_whole =
        |(first, count): (i32, i32)| first == 0 && (count == -1 || Some(count * 3) == all);
    match (old.0 % 3, new.0 % 3) {
        _ if is_whole(old) && is_whole(new) && is_same => UNNOTICED,
        (0, 0) if is_whole(new) && !is_whole(old) => {
            if is_same {
                GOOD
            } else {
                STRONG
            }
        }
        (0, 0) => 1.0,
        (0, _) => AGAINST,
        (_, 0) => STRONG,
        _ => 1.0,
    }
}

fn is_usual(source: &Enum<BlendFactor>, destination: &Enum<BlendFactor>) -> bool {
    let (Enum::Is(source), Enum::Is(destination)) = (source, destination) else { return false };
    USUAL_BLENDS.contains(&(*source, *destination))
}

/// Common blend factors: opaque, alpha, premultiplied alpha, additive, and multiply.
const USUAL_BLENDS: [(BlendFactor, BlendFactor); 8] = [
    (BlendFactor::One, BlendFactor::Zero),
    (BlendFactor::SourceAlpha, BlendFactor::OneMinusSourceAlpha),
    (BlendFactor::One, BlendFactor::OneMinusSourceAlpha),
    (BlendFactor::One, BlendFactor::One),
    (BlendFactor::SourceAlpha, BlendFactor::One),
    (BlendFactor::DestinationColor, BlendFactor::Zero),
    (BlendFactor::DestinationColor, BlendFactor::OneMinusSourceAlpha),
    (BlendFactor::One, BlendFactor::OneMinusSourceColor),
];
