//! A whole listing.

use super::instruction::{raw, text};
use super::operand::Style;
use super::parse::parse_line;
use super::tables;
use crate::opcode::Opcode;
use crate::shader::Shader;

/// What a listing has besides the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The comments above: signatures, and the tessellator's state. The assembler reads the signatures from there.
    pub signatures: bool,
    /// Every line assembles to the very words that it stands for: floats whose six decimals lose bits are printed as bits,
    /// and what is encoded unlike fxc does it as `.words`.
    pub exact: bool,
}

/// The listing of a shader, as Microsoft's compiler prints it. Its parts that come from names of resources are left out.
pub fn listing(shader: &Shader, options: Listing) -> String {
    let mut out = String::new();
    if options.signatures {
        tables::write(&mut out, shader);
    }
    let version = shader.program.version;
    out.push_str(&version.to_string());
    out.push('\n');
    let style = Style {
        minor: version.minor,
        exact: options.exact,
    };
    let mut depth = 0usize;
    for instruction in &shader.program.instructions {
        let opcode = instruction.opcode();
        use Opcode::{Else, Endif, Endloop, Endswitch, If, Loop, Switch};
        if matches!(opcode, Else | Endif | Endloop | Endswitch) {
            depth = depth.saturating_sub(1);
        }
        // Indentation is bounded, so that unbalanced programs give no endless text.
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

/// Deepest indentation: legal programs nest no deeper (hs-5-0.md, 2.12).
const MAX_INDENTATION: usize = 64;
