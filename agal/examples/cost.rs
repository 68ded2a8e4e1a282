//! Counts the operations of a program by kind, through `agal::ir`: `cargo run -p agal --example cost --
//! program.fsh.agal`.

use std::collections::BTreeMap;
use std::error::Error;

use agal::ir::{IrOperation, with_depth};
use agal::opcode::{BinaryOp, Unary};
use agal::{Endian, Liveness, Program, Rules, Stage, ValidProgram, asm, validate};

/// Returns the number of scalar operations, by kind and by whether they are inside a conditional.
fn cost(program: &ValidProgram) -> BTreeMap<(&'static str, bool), usize> {
    let mut operations = BTreeMap::new();
    for (depth, step) in with_depth(program.steps()) {
        let lanes = step.action.dest().map_or(1, |dest| dest.mask.len());
        let (kind, count) = match step.action {
            IrOperation::Block(_) => continue,
            IrOperation::Kill(_) | IrOperation::If(..) => ("comparison", 1),
            IrOperation::Unary(Unary::Formula(_), ..) => ("function", lanes),
            IrOperation::Unary(Unary::Derivative(_), ..) => ("derivative", lanes),
            IrOperation::Binary(BinaryOp::Formula(_) | BinaryOp::Compare(_), ..) => {
                ("arithmetic", lanes)
            }
            IrOperation::Binary(BinaryOp::Dot(width), ..) => ("product", width.into()),
            IrOperation::Unary(Unary::Normalize, ..) | IrOperation::Binary(BinaryOp::Cross, ..) => {
                ("product", 6)
            }
            IrOperation::Binary(BinaryOp::Matrix { width, .. }, ..) => {
                ("product", lanes * usize::from(width))
            }
            IrOperation::Sample(..) => ("texture read", 1),
        };
        *operations.entry((kind, depth > 0)).or_default() += count;
    }
    operations
}

fn main() -> Result<(), Box<dyn Error>> {
    let program = match std::env::args().nth(1) {
        Some(path) => {
            let stage = if path.contains(".vsh") { Stage::Vertex } else { Stage::Fragment };
            Program::decode(&std::fs::read(&path)?, Endian::Little, stage)?
        }
        None => {
            let text = "tex ft0, v0, fs0 <2d,linear>\ndp3 ft1.x, ft0, fc0\nmul oc, ft0, ft1.x";
            asm::assemble(text, Stage::Fragment, 1)?
        }
    };
    let stage = program.stage();
    let program = validate(program, stage, &Rules::NEWEST)?;
    for ((kind, conditional), count) in cost(&program) {
        println!("{count:6} {kind}{}", if conditional { ", in conditionals" } else { "" });
    }
    let temporaries = Liveness::of(&program, 0).temporaries.count_ones();
    println!("{temporaries:6} temporaries");
    Ok(())
}
