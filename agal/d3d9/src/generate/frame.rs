//! Completes tested instructions to a shader: declarations and initial values before them, outputs after them.

use std::ops::Range;

use crate::check::{Caps, check};
use crate::opcode::D3d9Opcode;
use crate::operand::{Dest, Source, Swizzle, WriteMask};
use crate::register::ShaderFile;
use crate::{D3d9Instruction, D3d9Program, ShaderVersion, StreamItem, text};

/// Returns the temporary registers that a shader outputs. In ps_1_x, r0 is source and output.
pub(super) fn results(version: ShaderVersion) -> Range<u16> {
    if version.is_ps_1() { 0..1 } else { 4..8 }
}

/// Returns the source before the tested instructions. With `phase`, texture instructions come first.
fn head(version: ShaderVersion, phase: bool) -> String {
    let vertex = version.is_vertex();
    let mut head = format!("{}\n", version.name());
    if version.is_ps_1() {
        head += "def c6, 0.5, -0.25, 0.75, 1\ndef c7, -1, 0, 0.125, -0.5\n";
        head += match (version == ShaderVersion::Ps14, phase) {
            (false, false) => "texcoord t0\ntex t1\n",
            (false, true) => "texcoord t0\ntex t1\nmov r0, t0\nmov r1, t1\n",
            (true, false) => "texcrd r0.xyz, t0\ntexld r1, t1\nmov r0.w, c6.w\n",
            (true, true) => {
                "texcrd r0.xyz, t0\ntexld r1, t1\nphase\nmov r0.w, c6.w\nmov r1.w, c7.w\n"
            }
        };
        return head;
    }
    let mut line = |text: &str| {
        head += text;
        head.push('\n');
    };
    line("def c12, 0.5, -2, 3, 1");
    line("def c13, -0.75, 0, 0.25, 6");
    if version.major() == 2 {
        line("def c14, -1.5500992e-06, -2.1701389e-05, 0.0026041667, 0.00026041668");
        line("def c15, -0.020833334, -0.125, 1, 0.5");
    }
    if ShaderFile::Integer.info(version).is_some() {
        line("defi i0, 3, 1, 2, 0");
        line("defi i1, 2, 5, -1, 0");
    }
    if ShaderFile::Boolean.info(version).is_some() {
        line("defb b0, true");
        line("defb b1, false");
    }
    for n in 0..4 {
        match (vertex, version.major()) {
            (true, _) | (false, 3) => line(&format!("dcl_texcoord{n} v{n}")),
            (false, _) => line(&format!("dcl t{n}")),
        }
    }
    if version == ShaderVersion::Vs30 {
        line("dcl_position o0");
        (0..4).for_each(|n| line(&format!("dcl_texcoord{n} o{}", n + 1)));
    }
    if !vertex || version == ShaderVersion::Vs30 {
        line("dcl_2d s0");
        line("dcl_cube s1");
    }
    let input = if vertex || version.major() == 3 { "v" } else { "t" };
    for n in 0..4 {
        line(&format!("mov r{n}, {input}{n}"));
        line(&format!("mov r{}, c{}", n + 4, n + 8));
    }
    if ShaderFile::Address.info(version).is_some() && version != ShaderVersion::Vs11 {
        line("mova a0.x, c12.z");
    } else if version == ShaderVersion::Vs11 {
        line("mov a0.x, c12.z");
    }
    if ShaderFile::Predicate.info(version).is_some() && version.major() > 1 {
        line("setp_gt p0, r0, r1");
    }
    head
}

pub(super) fn start(version: ShaderVersion, phase: bool) -> Vec<StreamItem> {
    match text::assemble(&head(version, phase)) {
        Ok(program) => program.items,
        // An invalid source would make the shader empty; a unit test checks that the source is valid.
        Err(_) => Vec::new(),
    }
}

pub(super) fn end(version: ShaderVersion, items: &[StreamItem]) -> Vec<StreamItem> {
    if version.is_ps_1_1_to_1_3() {
        return texels(version, items);
    }
    let mov = |file: ShaderFile, number, from: u16| {
        let mut mov = D3d9Instruction::new(D3d9Opcode::Mov);
        mov.dest = Some(Dest::new(file.at(number), WriteMask::ALL));
        mov.push_source(whole(ShaderFile::Temp, from));
        mov
    };
    let first = results(version).start;
    let outputs: Vec<D3d9Instruction> = match (version.is_vertex(), version.major()) {
        (false, 1) => Vec::new(),
        (false, _) => (0..4).map(|n| mov(ShaderFile::Color, n, first + n)).collect(),
        (true, 3) => std::iter::once(mov(ShaderFile::Output, 0, 0))
            .chain((0..4).map(|n| mov(ShaderFile::Output, n + 1, first + n)))
            .collect(),
        (true, _) => std::iter::once(mov(ShaderFile::Position, 0, 0))
            .chain((0..4).map(|n| mov(ShaderFile::TexCoordVarying, n, first + n)))
            .collect(),
    };
    let mut program = D3d9Program::new(version);
    outputs.into_iter().for_each(|mov| program.push(mov));
    program.items
}

/// Returns instructions that add all sampled texels to the output colour, unless a tested instruction writes it.
fn texels(version: ShaderVersion, items: &[StreamItem]) -> Vec<StreamItem> {
    let mut written = Vec::new();
    for item in items {
        if let StreamItem::Instruction(instruction) = item
            && !instruction.opcode.is_declaration()
            && instruction.opcode != D3d9Opcode::TexKill
        {
            written.extend(instruction.dest.and_then(|dest| dest.register(version)));
        }
    }
    let r0 = ShaderFile::Temp.at(0);
    let mut program = D3d9Program::new(version);
    let mut begun = written.contains(&r0);
    for number in (0..4).rev() {
        let texel = ShaderFile::Texture.at(number);
        if !written.contains(&texel) || written.contains(&r0) {
            continue;
        }
        let mut made = D3d9Instruction::new(if begun { D3d9Opcode::Add } else { D3d9Opcode::Mov });
        made.dest = Some(Dest::new(r0, WriteMask::ALL));
        if begun {
            made.push_source(Source::new(r0, Swizzle::IDENTITY));
        }
        made.push_source(Source::new(texel, Swizzle::IDENTITY));
        program.push(made);
        begun = true;
    }
    program.items
}

/// Returns a source operand that reads a register without swizzle and modifier.
pub(super) fn whole(file: ShaderFile, number: u16) -> Source {
    Source::new(file.at(number), Swizzle::IDENTITY)
}

pub(super) fn assembled(version: ShaderVersion, parts: &[&[StreamItem]]) -> D3d9Program {
    let mut program = D3d9Program::new(version);
    program.items = parts.concat();
    program
}

pub(super) fn is_valid(program: &D3d9Program) -> bool {
    check(program, &Caps::MAX).is_valid()
}

pub(super) fn item(mut instruction: D3d9Instruction, version: ShaderVersion) -> StreamItem {
    instruction.set_length(version);
    StreamItem::Instruction(instruction)
}

#[cfg(test)]
#[path = "../../tests/unit/generate_frame.rs"]
mod tests;
