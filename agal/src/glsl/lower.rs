//! Arithmetic: component by component, comparisons, and the products of vectors.

use super::Emitter;
use super::words::{self, Formula};
use crate::ir::Read;
use crate::isa::opcode::{Binary, Relation};
use crate::isa::operand::{Component, WriteMask};

impl Emitter<'_> {
    pub(super) fn binary(&mut self, op: Binary, mask: WriteMask, a: &Read, b: &Read) {
        match op {
            Binary::Formula(formula) => {
                self.formula(words::binary(formula, self.options.float_rules), mask, &[a, b]);
            }
            Binary::Compare(relation) => self.compare(relation, mask, a, b),
            Binary::Dot(width) => {
                let wide = self.splat(mask);
                self.dot(width, a, b, Component::X);
                if wide {
                    self.out.push(')');
                }
            }
            Binary::Cross => {
                self.call("cross", WriteMask::first(3), a, b);
                self.out.three(mask);
            }
            Binary::Matrix { width, .. } => self.matrix(width, mask, a, b),
        }
    }

    /// Writes a formula of its sources.
    pub(super) fn formula(&mut self, formula: &Formula, mask: WriteMask, sources: &[&Read]) {
        let (limit, texts) = *formula;
        self.limited(limit, |out| {
            let mut sources = sources.iter();
            for text in texts {
                if !text.is_empty() {
                    out.out.push_str(text);
                }
                if let Some(source) = sources.next() {
                    out.source(source, mask);
                }
            }
        });
    }

    fn compare(&mut self, relation: Relation, mask: WriteMask, a: &Read, b: &Read) {
        if self.splat(mask) {
            self.call(words::comparison(relation), mask, a, b);
        } else {
            self.out.push_str("float(");
            self.relation(relation, mask, a, b);
        }
        self.out.push(')');
    }

    /// Writes a scalar comparison such as `a < b`.
    pub(super) fn relation(&mut self, relation: Relation, lane: WriteMask, a: &Read, b: &Read) {
        self.source(a, lane);
        self.out.put(&[" ", relation.operator(), " "]);
        self.source(b, lane);
    }

    /// Writes the `dot` of the first `width` components of `a` and of a row of `b`.
    pub(super) fn dot(&mut self, width: u8, a: &Read, b: &Read, row: Component) {
        let lanes = WriteMask::first(width);
        self.out.push_str("dot(");
        self.source(a, lanes);
        self.out.push_str(", ");
        self.row(b, row, lanes);
        self.out.push(')');
    }

    /// Writes the rows in the write mask: each is the dot product with one ([agal.matrix.rows]).
    fn matrix(&mut self, width: u8, mask: WriteMask, a: &Read, rows: &Read) {
        let wide = self.splat(mask);
        for (index, row) in mask.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.dot(width, a, rows, row);
        }
        if wide {
            self.out.push(')');
        }
    }

    pub(super) fn normalize(&mut self, mask: WriteMask, a: &Read) {
        self.out.put(&[words::NORMALIZE_NAME, "("]);
        self.source(a, WriteMask::first(3));
        self.out.push(')');
        self.out.three(mask);
    }

    fn call(&mut self, function: &str, lanes: WriteMask, a: &Read, b: &Read) {
        self.out.put(&[function, "("]);
        self.source(a, lanes);
        self.out.push_str(", ");
        self.source(b, lanes);
        self.out.push(')');
    }
}
