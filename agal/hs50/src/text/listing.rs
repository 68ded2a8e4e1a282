//! Prints a whole listing.

use super::instruction::{raw, text};
use super::operand::Style;
use super::parse::parse_line;
use super::tables;
use crate::shader::HullProgramShader;
use crate::tokens::opcode::HullOpcode;

/// Options for printing a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HullListing {
    /// Prints signatures and tessellator state as comments. The assembler reads the signatures.
    pub signatures: bool,
    /// Each line assembles to the original dwords. Floats that six decimals can't represent are printed as bits;
    /// instructions that fxc encodes differently are printed as `.words`.
    pub exact: bool,
}

/// Returns a listing in the format of Microsoft's compiler, without the sections that need resource names.
pub fn listing(shader: &HullProgramShader, options: HullListing) -> String {
    let mut out = String::new();
    if options.signatures {
        tables::write(&mut out, shader);
    }
    let version = shader.program.version;
    out.push_str(&version.to_string());
    out.push('\n');
    let style = Style { minor: version.minor, exact: options.exact };
    let mut depth = 0usize;
    for instruction in &shader.program.instructions {
        let opcode = instruction.opcode();
        use HullOpcode::{Else, Endif, Endloop, Endswitch, If, Loop, Switch};
        if matches!(opcode, Else | Endif | Endloop | Endswitch) {
            depth = depth.saturating_sub(1);
        }
        // Limits the indentation, so that unbalanced blocks can't cause excessive output.
        out.extend(std::iter::repeat_n("  ", depth.min(MAX_INDENTATION)));
        let mut line = text(instruction, style);
        if options.exact
            && !line.starts_with('.')
            && parse_line(&line, version).as_ref() != Some(instruction)
        {
            let first = line.lines().next().unwrap_or_default();
            line = format!("{} // {first}", raw(instruction));
        }
        out.push_str(&line);
        out.push('\n');
        if matches!(opcode, If | Else | Loop | Switch) {
            depth = depth.saturating_add(1);
        }
    }
    if let Some(count) = shader.instruction_count {
        out += &format!("// Approximately {count} instruction slots used\n");
    }
    out
}

/// Maximum indentation, equal to the maximum nesting depth of valid programs ([hs50.rule.nesting]).
const MAX_INDENTATION: usize = 64;
