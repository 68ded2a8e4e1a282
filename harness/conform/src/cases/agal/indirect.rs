//! Indirectly addressed constants.

use crate::case::Cases;
use crate::cases::api::constants::own;
use crate::drawing::cells;
use crate::scene_builder::VARYING;
use crate::tolerance::Tolerance;

pub(super) fn add(cases: &mut Cases) {
    const SOURCE: &str = "[agal.indirect.form] [agal.indirect.index]";
    for offset in [0u8, 1, 3, 17, 64, 100] {
        for component in ["x", "y", "z", "w"] {
            cases.scene(format!("agal.indirect.offset_{offset}.{component}"), SOURCE, move |s| {
                let all: Vec<[f64; 4]> = (0..128).map(own).collect();
                s.constants("vertex", 0, &all)?;
                s.program(&format!("mov op, va0\nmov v0, vc[va1.{component}+{offset}]"), VARYING)?;
                s.quads(&cells(
                    |_, _| 0.5,
                    |column, row| [column, row, column + row, (column * row) % 16].map(f32::from),
                ))
            });
        }
    }
    // Rounded to nearest: 0.6 and 0.4 above, and ties, to the even number.
    for component in ["x", "y", "z", "w"] {
        let name = format!("agal.indirect.fraction.{component}");
        let source = "[agal.indirect.rounding]";
        cases.scene(name, source, move |s| {
            let all: Vec<[f64; 4]> = (0..128).map(own).collect();
            s.constants("vertex", 0, &all)?;
            s.program(&format!("mov op, va0\nmov v0, vc[va1.{component}+3]"), VARYING)?;
            s.quads(&cells(
                |_, _| 0.5,
                |column, row| {
                    let [column, row] = [column, row].map(f32::from);
                    [column + 0.6, row + 0.4, column + row + 0.5, row - 0.4]
                },
            ))
        });
    }
    for (word, program) in [
        ("temporary", "mov vt0, va1\nmov op, va0\nmov v0, vc[vt0.x+2]"),
        ("constant", "mov op, va0\nmov vt0, va1\nadd vt0, vt0, vc[vc100.y+2]\nmov v0, vt0"),
        ("matrix", "mov op, va0\nmov vt1, vc120\nm44 vt0, vt1, vc[va1.x+4]\nmov v0, vt0"),
    ] {
        let name = format!("agal.indirect.{word}");
        cases.within(Tolerance::channel(2, "a sum of products")).scene(name, SOURCE, move |s| {
            let all: Vec<[f64; 4]> = (0..128).map(own).collect();
            s.constants("vertex", 0, &all)?;
            s.constants("vertex", 100, &[[0.0, 5.0, 0.0, 0.0]])?;
            s.constants("vertex", 120, &[[0.25, 0.25, 0.25, 0.25]])?;
            s.program(program, VARYING)?;
            let value = move |column: u16, row: u16| match word {
                "constant" => [0.0; 4],
                _ => [column + row, 0, 0, 0].map(f32::from),
            };
            s.quads(&cells(|_, _| 0.5, value))
        });
    }
}
