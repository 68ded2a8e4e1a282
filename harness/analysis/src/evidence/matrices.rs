//! Finds matrices that are plausible only if transposed.

use std::collections::BTreeMap;

use context3d::agal::LinkedPair;
use context3d::agal::opcode::AgalOpcode;
use context3d::agal::operand::SecondOperand;
use context3d::agal::register::RegisterFile;
use molehill_capture::Call;
use molehill_capture::data::Matrix;

use super::FrameUse;
use super::census::ALIKE;
use crate::state_items::StateItem;
use crate::warnings::WarningKind;

type MatrixUse = [[f64; 4]; 4];

/// Maximum number of earlier calls that are searched for the call that sets a register.
const MOST_EARLIER: usize = 256;

/// A matrix by which vertex programs multiply.
struct UsedMatrix {
    register: u16,
    transposed: bool,
    turned: bool,
    draws: Vec<usize>,
}

impl FrameUse<'_> {
    /// Finds matrices with a misplaced translation, or with a `transposedMatrix` argument unlike all others.
    pub(super) fn matrices(&mut self) {
        let used = self.used_matrices();
        let transposed = used.values().filter(|it| it.transposed).count();
        let all = used.len();
        for (call, UsedMatrix { register, transposed: flag, turned, draws }) in used {
            let own = if flag { transposed } else { all - transposed };
            let (others, other) = (all - own, !flag);
            let (kind, text) = if turned {
                let others = match others {
                    0 => String::new(),
                    _ => format!("; it is {other} for {others} of {all} matrices of the frame"),
                };
                let text = format!(
                    "transposedMatrix is {flag}, and the program multiplies with vc{register} to vc{}: their translation \
                     is in the last row instead of the last column{others}",
                    register + 3
                );
                (WarningKind::Transposed, text)
            } else if own == 1 && all >= ALIKE {
                let text = format!(
                    "transposedMatrix is {flag} for 1 of the {all} matrices that programs of the frame multiply with, and \
                     {other} for the others"
                );
                (WarningKind::OddArgument, text)
            } else {
                continue;
            };
            self.add(kind, call, draws, text);
        }
    }

    /// Returns the matrices by which the draws' vertex programs multiply, keyed by the call that sets the matrix.
    fn used_matrices(&self) -> BTreeMap<usize, UsedMatrix> {
        let mut used: BTreeMap<usize, UsedMatrix> = BTreeMap::new();
        for draw in &self.draws {
            for register in draw.pair.iter().flat_map(|pair| multiplied(pair)) {
                let first = usize::from(register);
                let slot = StateItem::VertexConstants.slot(0);
                let earlier = self.writes.of(draw.line.on, slot, draw.call).iter().rev();
                let write = earlier.take(MOST_EARLIER).find(|it| it.range.contains(&first));
                let Some(write) = write.filter(|it| it.range.start == first) else { continue };
                let line = self.call(write.call);
                let Some(Call::SetProgramConstantsFromMatrix {
                    matrix: Some(matrix),
                    transposed_matrix: transposed,
                    ..
                }) = line.as_ref().map(|line| &line.call)
                else {
                    continue;
                };
                let entry = used.entry(write.call).or_insert_with(|| UsedMatrix {
                    register,
                    transposed: *transposed,
                    turned: is_turned_matrix(matrix, *transposed),
                    draws: Vec::new(),
                });
                entry.draws.push(draw.call);
            }
        }
        used
    }
}

/// Returns the first register of each matrix with a translation by which the vertex program multiplies.
pub fn multiplied(pair: &LinkedPair) -> impl Iterator<Item = u16> {
    let all = pair.vertex().program().instructions().iter();
    all.filter(|it| matches!(it.opcode(), Some(AgalOpcode::M44 | AgalOpcode::M34))).filter_map(
        |it| {
            let SecondOperand::Source(source) = it.source2() else { return None };
            let constant =
                source.register_file() == Some(RegisterFile::Constant) && !source.indirect;
            constant.then_some(source.number)
        },
    )
}

/// Returns whether a matrix is plausible only with the opposite `transposedMatrix` argument.
pub fn is_turned_matrix(matrix: &Matrix, transposed: bool) -> bool {
    is_turned(&rows(matrix, transposed))
}

/// Returns the values of the constant registers that a call writes for this matrix.
fn rows(matrix: &Matrix, transposed: bool) -> MatrixUse {
    let mut rows = MatrixUse::default();
    for (at, value) in matrix.0.iter().enumerate() {
        let (row, column) = if transposed { (at % 4, at / 4) } else { (at / 4, at % 4) };
        if let Some(place) = rows.get_mut(row).and_then(|row| row.get_mut(column)) {
            *place = *value;
        }
    }
    rows
}

/// Returns whether only the transposed matrix is a plausible movement, rotation, scaling or projection.
fn is_turned(rows: &MatrixUse) -> bool {
    let [a, b, c, d] = *rows;
    let column = [a[3], b[3], c[3]];
    let last = [d[0], d[1], d[2]];
    if last == [0.0; 3] {
        return false;
    }
    if column == [0.0; 3] {
        return d[3] == 1.0;
    }
    // In a perspective projection with uniform scaling, the rows of x, y and w are orthogonal.
    let turned = [[a[0], b[0], c[0]], [a[1], b[1], c[1]], column];
    let straight = [[a[0], a[1], a[2]], [b[0], b[1], b[2]], last];
    skew(straight) > 0.05 && skew(turned) < 0.001
}

/// Returns the deviation of vectors from orthogonality: the largest cosine, or 1 for a zero vector.
fn skew([a, b, c]: [[f64; 3]; 3]) -> f64 {
    let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let cosine = |a, b| {
        let length = (dot(a, a) * dot(b, b)).sqrt();
        if length > 0.0 { dot(a, b).abs() / length } else { 1.0 }
    };
    cosine(a, b).max(cosine(a, c)).max(cosine(b, c))
}
