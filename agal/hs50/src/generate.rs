//! Generates hull shaders as listings, for comparing implementations: every 32-bit opcode with every write mask, kind
//! of operand and modifier, every kind of block inside every other kind, and reads of resources.

use crate::hull::register::PhaseKind as Kind;
use crate::names::Domain;
use crate::tokens::opcode::{Category, HullOpcode, OpcodeCondition, Type};
use crate::words::length;

/// A generated hull shader.
#[derive(Clone, Debug)]
pub struct GeneratedHull {
    /// The group of the tested instructions, one of [`GROUPS`].
    pub group: &'static str,
    /// The shader as a listing for the assembler.
    pub text: String,
    /// True if implementations may round the results differently.
    pub inexact: bool,
}

/// The groups of generated shaders.
pub const GROUPS: [&str; 9] =
    ["float", "int", "uint", "bit", "compare", "convert", "move", "flow", "resource"];

/// The number of tested snippets in each phase of a shader; each snippet has an output register.
const SNIPPETS: usize = 8;
const MASKS: [&str; SNIPPETS] = ["x", "y", "xy", "yz", "xyz", "xw", "zw", "xyzw"];
/// A set of swizzles that select every component at every position.
const SWIZZLES: [&str; 8] = ["xyzw", "wzyx", "yzwx", "zwxy", "xxxx", "yyyy", "zzzz", "wwww"];
/// Float sources; `{v}` stands for the input control points, `{o}` and `{c}` for outputs of earlier phases. Immediate
/// values exclude 0: Mesa's compiler folds products with a literal 0 to 0, even for infinities.
const FLOATS: [&str; 13] = [
    "r0",
    "r1",
    "{v}[0][1]",
    "{v}[1][0]",
    "{v}[r4.x + 1][0]",
    "{v}[1][r4.x + 0]",
    "cb0[3]",
    "cb0[r4.x + 1]",
    "x0[2]",
    "x0[r4.x + 0]",
    "{o}",
    "{c}",
    "l(0.500000, -1.500000, 3.000000, 1000.000000)",
];
const INTS: [&str; 11] = [
    "r2",
    "r3",
    "icb[0]",
    "icb[r4.x + 0]",
    "{v}[0][1]",
    "cb0[2]",
    "x0[r4.x + 3]",
    "r2",
    "l(1, 31, 32, -5)",
    "l(0x7fffffff)",
    "l(0)",
];
/// Sources of opcodes with approximate results: all are positive.
const POSITIVE: [&str; 4] = ["r6.", "|r7.", "-r7.", "|r6."];
/// The temporaries: r0 and r1 are floats, r2 and r3 integers, r4.x an index, r5 the result, others scratch.
const TEMPS: u32 = 12;
/// The tested texel offsets: the part of the mnemonic, and the offset.
const OFFSETS: [[&str; 2]; 3] = [["", ""], ["_aoffimmi", "(1,-1,0)"], ["_aoffimmi", "(-8,7,0)"]];

/// Returns the patch constant signature of a domain's tessellation factors, in listing format. Register numbers start
/// at 0.
pub fn factor_signature(domain: Domain) -> String {
    let groups = [domain.edges(), domain.insides()];
    let factors = groups.iter().flat_map(|group| group.iter().enumerate()).enumerate();
    let rows = factors.map(|(register, (index, factor))| {
        format!("// SV_Factor {index} x {register} {} float x\n", factor.short())
    });
    std::iter::once("// Patch Constant signature:\n//\n".to_owned()).chain(rows).collect()
}

/// Generates all hull shaders.
pub fn programs() -> Vec<GeneratedHull> {
    let mut programs = Vec::new();
    let mut add = |group, inexact, snippet: &dyn Fn(Kind, usize) -> String| {
        let text = shader(programs.len(), snippet);
        programs.push(GeneratedHull { group, text, inexact });
    };
    for opcode in HullOpcode::ALL.iter().copied() {
        let allowed = opcode.allowed() == OpcodeCondition::Yes;
        if let Some(group) = group(opcode).filter(|_| allowed) {
            add(group, is_inexact(opcode), &|kind, turn| computed(opcode, kind, turn));
        }
    }
    let lists =
        [("flow", false, nested()), ("resource", false, look_ups()), ("resource", true, blends())];
    for (group, inexact, list) in &lists {
        for some in list.chunks(3 * SNIPPETS) {
            let snippet = |_, turn| some.iter().cycle().nth(turn).cloned().unwrap_or_default();
            add(group, *inexact, &snippet);
        }
    }
    programs
}

fn group(opcode: HullOpcode) -> Option<&'static str> {
    Some(match opcode.category() {
        Category::Float => "float",
        Category::Int => "int",
        Category::Uint => "uint",
        Category::Bit => "bit",
        Category::Compare => "compare",
        Category::Convert => "convert",
        Category::Move => "move",
        Category::Flow
        | Category::Resource
        | Category::Uav
        | Category::Double
        | Category::Declaration
        | Category::Phase
        | Category::CustomData
        | Category::Debug
        | Category::OtherStage => return None,
    })
}

fn is_inexact(opcode: HullOpcode) -> bool {
    use HullOpcode::{Div, Exp, Log, Rcp, Rsq, Sincos, Sqrt};
    matches!(opcode, Div | Exp | Log | Rcp | Rsq | Sincos | Sqrt)
}

/// Returns the items of a list in turn.
fn turned<'a>(list: &[&'a str], turn: usize) -> &'a str {
    list.iter().cycle().nth(turn).copied().unwrap_or_default()
}

/// Returns code that computes r5 with an opcode. The turn selects mask, operands, modifiers and destination.
fn computed(opcode: HullOpcode, kind: Kind, turn: usize) -> String {
    let (mask, name) = (turned(&MASKS, turn), opcode.name());
    let sat = if opcode.modifiers().saturate && turn % 3 == 1 { "_sat" } else { "" };
    let sources = opcode.sources().iter().enumerate();
    let sources = sources.map(|(number, of)| source(opcode, *of, kind, turn + turn / 13, number));
    let sources = sources.collect::<Vec<_>>().join(", ");
    let before = if is_inexact(opcode) {
        // Error bounds are known for small positive numbers.
        let input = register(&FLOATS, kind, turn);
        format!(
            "add_sat r6.xyzw, {input}, l(0.500000)\nadd r6.xyzw, r6.xyzw, l(0.250000)\nmov r7.xyzw, -r6.xyzw\n"
        )
    } else {
        String::new()
    };
    let op = |dest: &str| format!("{before}{name}{sat} {dest}, {sources}\n");
    let may_omit = matches!(
        opcode,
        HullOpcode::Imul | HullOpcode::Umul | HullOpcode::Udiv | HullOpcode::Sincos
    );
    match (opcode.destinations().len(), turn % 3) {
        (1, 2) => format!(
            "mov x1[r4.x + 0].xyzw, r5.xyzw\n{}mov r5.xyzw, x1[r4.x + 0].xyzw\n",
            op(&format!("x1[r4.x + 0].{mask}"))
        ),
        (1, _) => op(&format!("r5.{mask}")),
        (_, 0) if may_omit => op(&format!("r5.{mask}, null")),
        (_, 1) if may_omit => op(&format!("null, r5.{mask}")),
        (_, 0) => op(&format!("r8.{mask}, r5.{mask}")),
        _ => op(&format!("r5.{mask}, r8.{mask}")),
    }
}

/// Returns a register of a list, or an immediate value, with a swizzle.
fn register(list: &[&str], kind: Kind, turn: usize) -> String {
    let [input, output, constant] = match kind {
        Kind::ControlPoint => ["v", "r1", "r0"],
        Kind::Fork => ["vicp", "vocp[1][1]", "r1"],
        Kind::Join => ["vicp", "vocp[r4.x + 0][1]", "vpc6"],
    };
    let text = turned(list, turn);
    if text.starts_with('l') {
        return text.to_owned();
    }
    let text = text.replace("{v}", input).replace("{o}", output).replace("{c}", constant);
    format!("{text}.{}", turned(&SWIZZLES, turn * 3 + turn / 8))
}

fn source(opcode: HullOpcode, of: Type, kind: Kind, turn: usize, number: usize) -> String {
    let is_float = matches!(of, Type::F | Type::A);
    if is_float && is_inexact(opcode) {
        let text = format!("{}{}", turned(&POSITIVE, turn), turned(&SWIZZLES, turn + number * 3));
        return if text.starts_with('|') { text + "|" } else { text };
    }
    let text = register(if is_float { &FLOATS } else { &INTS }, kind, turn + number * 5);
    let modifiers = opcode.modifiers();
    match (turn + number) % 4 {
        _ if text.starts_with('l') => text,
        // Conditions of `movc` have no modifiers, unlike its floats.
        1 if modifiers.negate && modifiers.absolute == is_float => format!("-{text}"),
        2 if modifiers.absolute && is_float => format!("|{text}|"),
        3 if modifiers.absolute && is_float => format!("-|{text}|"),
        _ => text,
    }
}

/// Returns a block of each kind inside a block of each kind.
fn nested() -> Vec<String> {
    let block = |of: usize, depth: usize, inner: &str| {
        let test = turned(&["r2.x", "r3.w"], depth);
        let (counter, most) = (10 + depth, 3 + depth);
        let head = format!(
            "mov r{counter}.x, l(0)\nloop \nige r{counter}.y, r{counter}.x, l({most})\nbreakc_nz r{counter}.y\n\
             iadd r{counter}.x, r{counter}.x, l(1)\n"
        );
        match of {
            0 => format!("if_nz {test}\n{inner}endif \n"),
            1 => format!("if_z {test}\niadd r5.y, r5.y, l(1)\nelse \n{inner}endif \n"),
            2 => format!("{head}{inner}if_nz {test}\nbreak \nendif \nendloop \n"),
            3 => format!(
                "{head}continuec_nz {test}\n{inner}if_z {test}\ncontinue \nendif \niadd r5.z, r5.z, l(4)\nendloop \n"
            ),
            4 => format!(
                "and r4.y, {test}, l(3)\nswitch r4.y\ncase l(0)\n{inner}break \ncase l(1)\niadd r5.w, r5.w, l(2)\n\
                 case l(2)\niadd r5.y, r5.y, l(8)\nbreak \ndefault \n{inner}breakc_z r2.x\nbreak \nendswitch \n"
            ),
            _ => format!("call label0\ncallc_nz {test}, label0\ncallc_z {test}, label0\n{inner}"),
        }
    };
    let pairs = (0..6).flat_map(|outer| (0..6).map(move |inner| (outer, inner)));
    let leaf = "iadd r5.xy, r5.xyxx, r2.yxyy\n";
    pairs.map(|(outer, inner)| block(outer, 0, &block(inner, 1, leaf))).collect()
}

const TYPES: &str = "(float,float,float,float)";
/// Code that computes coordinates inside and outside of a texture with 8 texels per axis in r6. The coordinates stay
/// away from texel edges, where drivers may select different texels.
const COORDINATES: &str = "and r6.yz, r2.xyzw, l(0, 15, 15, 0)\nitof r6.xy, r6.yzyy\n\
    mad r6.xy, r6.xyxx, l(0.125000), l(0.031250)\n";

/// Returns reads of buffers, textures and texture sizes with exact results.
fn look_ups() -> Vec<String> {
    let mut list = vec![
        "imad r4.y, r3.w, l(172), l(4)\nand r4.y, r4.y, l(0x1fc)\n\
         ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r5.xyz, r4.y, t0.xyzw\n"
            .to_owned(),
        "and r4.y, r2.x, l(31)\n\
         ld_structured_indexable(structured_buffer, stride=16)(mixed,mixed,mixed,mixed) r5.xyzw, r4.y, l(0), \
         t1.wzyx\n"
            .to_owned(),
    ];
    for (number, [suffix, offset]) in OFFSETS.into_iter().enumerate() {
        let flat = format!("{suffix}_indexable{offset}(texture2d){TYPES}");
        list.push(format!(
            "and r6.yzw, r2.xyzw, l(0, 15, 15, 7)\nld{flat} r5.xyzw, r6.yzww, t2.xyzw\n"
        ));
        for (level, channel) in [("0.000000", "x"), ("1.000000", "y"), ("3.000000", "w")] {
            let mask = turned(&MASKS, list.len());
            list.push(format!(
                "{COORDINATES}sample_l{flat} r5.{mask}, r6.xyxx, t2.yxwz, s1, l({level})\n"
            ));
            list.push(format!(
                "{COORDINATES}gather4{flat} r5.xyzw, r6.xyxx, t2.xyzw, s0.{channel}\n"
            ));
            list.push(format!(
                "and r6.xyz, r2.xzwx, l(15, 15, 15, 15)\nitof r6.xyz, r6.xyzx\n\
                 add r6.xyz, r6.xyzx, l(-7.630000, -6.390000, -7.170000, 0.000000)\n\
                 sample_l_indexable(texturecube){TYPES} r5.xyzw, r6.xyzx, t3.zyxw, s1, l({level})\n"
            ));
        }
        list.push(format!(
            "resinfo_indexable(texture2d){TYPES}_uint r5.xyz, l({number}), t2.xyzx\n"
        ));
    }
    list
}

/// Returns texture reads that blend texels and mip levels.
fn blends() -> Vec<String> {
    let levels = ["0.000000", "0.250000", "1.250000", "2.000000"];
    let read = |([suffix, offset], level): ([&str; 2], &str)| {
        format!(
            "{COORDINATES}sample_l{suffix}_indexable{offset}(texture2d){TYPES} r5.xyzw, r6.xyxx, t2.xyzw, s0, \
             l({level})\n"
        )
    };
    OFFSETS.into_iter().flat_map(|offset| levels.map(|level| read((offset, level)))).collect()
}

/// Generates a shader with snippets in three phases; in every fourth shader, the control point phase is missing.
fn shader(number: usize, snippet: &dyn Fn(Kind, usize) -> String) -> String {
    let domain = Domain::ALL.iter().cycle().nth(number).copied().unwrap_or(Domain::Quad);
    let passes = number % 4 == 3;
    let (factors, count) = (length(domain.factors().count()), length(SNIPPETS));
    let outputs = if passes { 2 } else { 2 + count };
    // Patch constants: at most six factors, a float, then a register for each snippet of the fork and join phases.
    let forked = 7..7 + count;
    let joined = forked.end..forked.end + count;
    let mut out = factor_signature(domain);
    for (title, registers) in [("", 6..joined.end), ("Input", 0..2), ("Output", 0..outputs)] {
        if !title.is_empty() {
            out += &format!("//\n// {title} signature:\n//\n");
        }
        out.extend(registers.map(|n| format!("// DATA {n} xyzw {n} NONE float xyzw\n")));
    }
    out += &format!(
        "hs_5_0\nhs_decls \ndcl_input_control_point_count 2\ndcl_output_control_point_count 2\n\
         dcl_tessellator_domain {}\ndcl_tessellator_partitioning partitioning_integer\n\
         dcl_tessellator_output_primitive output_point\n\
         dcl_immediateConstantBuffer {{ {{ 1.000000, 2, -3, 0.500000}},\n{{ 7, 1.500000, 0x80000000, -2.000000}} }}\n\
         dcl_constantbuffer CB0[4], dynamicIndexed\ndcl_resource_raw t0\ndcl_resource_structured t1, 16\n\
         dcl_sampler s0, mode_default\ndcl_sampler s1, mode_default\n\
         dcl_resource_texture2d {TYPES} t2\ndcl_resource_texturecube {TYPES} t3\n",
        domain.name()
    );
    let code = |kind: Kind, first: u32, turn: usize| -> String {
        let registers = (first..).zip(turn..turn + SNIPPETS);
        let code = registers.map(|(register, turn)| {
            let code = snippet(kind, turn);
            format!("mov r5.xyzw, l(9.000000, 10.000000, 11.000000, 12.000000)\n{code}mov o{register}.xyzw, r5.xyzw\n")
        });
        code.collect()
    };
    if !passes {
        let code = format!(
            "mov o1.xyzw, v[r4.x + 0][0].xyzw\nmov o0.xyzw, r1.xyzw\n{}",
            code(Kind::ControlPoint, 2, 0)
        );
        out += &phase(Kind::ControlPoint, outputs, 0..outputs, "", &code);
    }
    let names = domain.factors().zip(0..factors);
    let declared = names.map(|(name, n)| format!("dcl_output_siv o{n}.x, {}\n", name.name()));
    let written = (0..factors).map(|n| format!("mov o{n}.x, l({}.000000)\n", n + 1));
    let written: String = written.chain(["mov o6.xyzw, r0.xyzw\n".to_owned()]).collect();
    out += &phase(Kind::Fork, outputs, 6..7, &declared.collect::<String>(), &written);
    out += &phase(Kind::Fork, outputs, forked, "", &code(Kind::Fork, 7, SNIPPETS));
    let join = code(Kind::Join, joined.start, 2 * SNIPPETS);
    out + &phase(Kind::Join, outputs, joined, "", &join)
}

/// Generates a phase that writes output registers. All fork and join phases without factors run twice.
fn phase(
    kind: Kind,
    outputs: u32,
    own: std::ops::Range<u32>,
    declared: &str,
    code: &str,
) -> String {
    let is_point = kind == Kind::ControlPoint;
    let name = kind.name();
    let id = match kind {
        Kind::ControlPoint => "vOutputControlPointID",
        Kind::Fork => "vForkInstanceID",
        Kind::Join => "vJoinInstanceID",
    };
    let (file, scalar) = if is_point { ("v", "") } else { ("vicp", ".x") };
    let mut out = format!("hs_{name}_phase \n");
    if !is_point && declared.is_empty() {
        out += &format!("dcl_hs_{name}_phase_instance_count 2\n");
    }
    out += &format!(
        "dcl_input {id}\ndcl_input vPrim\ndcl_input {file}[2][0].xyzw\ndcl_input {file}[2][1].xyzw\n"
    );
    if !is_point {
        out.extend((0..outputs).map(|n| format!("dcl_input vocp[2][{n}].xyzw\n")));
    }
    if kind == Kind::Join {
        out += "dcl_input vpc6.xyzw\n";
    }
    out += declared;
    out.extend(own.map(|n| format!("dcl_output o{n}.xyzw\n")));
    out += &format!(
        "dcl_temps {TEMPS}\ndcl_indexableTemp x0[4], 4\ndcl_indexableTemp x1[2], 4\n\
         dcl_indexrange {file}[2][0].xyzw 2\nmov r0.xyzw, {file}[0][0].xyzw\nmov r1.xyzw, {file}[1][1].wzyx\n\
         ftoi r2.xyzw, {file}[0][1].xyzw\n\
         mov r2.y, {id}{scalar}\nmov r3.xyzw, l(0x80000000, -1, 77, 5)\nmov r3.w, vPrim\nand r4.x, r2.y, l(1)\n"
    );
    out.extend((0..4).map(|n| format!("mov x0[{n}].xyzw, r{}.xyzw\n", n % 2)));
    let subroutine =
        "label label0\niadd r5.z, r5.z, l(7)\nretc_z r2.x\niadd r5.w, r5.w, l(1)\nret \n";
    out + code + "ret \n" + if code.contains("label0") { subroutine } else { "" }
}
