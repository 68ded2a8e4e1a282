//! Tests the disassembly of legal programs and of garbage with and without a header. Everything that decodes must be
//! restored byte for byte.

use agal::asm::{AgalListing, AssembleOptions, disassemble, readable_text};
use agal::binary::{HEADER_SIZE, TOKEN_SIZE};
use agal::errors::ErrorKind;
use agal::{Program, Rules, Stage};
use proptest::collection::vec;
use proptest::prelude::*;

/// Valid texts from which tests generate mutations.
const TEXTS: &[&str] = &[
    include_str!("programs/arithmetic.agal"),
    include_str!("programs/conditionals.agal"),
    include_str!("programs/indirect.agal"),
    include_str!("programs/masks.agal"),
    include_str!("programs/textures.agal"),
    include_str!("programs/instances.agal"),
    include_str!("programs/vertex_fetch.agal"),
];

fn text(bytes: &[u8]) -> String {
    disassemble(bytes, None, &Rules::NEWEST).listing().to_string()
}

fn bytes(text: &str) -> Vec<u8> {
    let sections = AssembleOptions::default().sections(text);
    let sections = sections.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let program = sections.vertex.or(sections.fragment);
    program.unwrap_or_else(|| panic!("no program in\n{text}")).encode()
}

fn header(version: u8, kind: u8) -> [u8; HEADER_SIZE] {
    [0xa0, version, 0, 0, 0, 0xa1, kind]
}

/// Returns a program's bytes: a header, and tokens given by their first bytes.
fn program(version: u8, kind: u8, tokens: &[&[u8]]) -> Vec<u8> {
    let mut bytes = header(version, kind).to_vec();
    for token in tokens {
        bytes.extend_from_slice(token);
        bytes.extend(std::iter::repeat_n(0, TOKEN_SIZE - token.len()));
    }
    bytes
}

#[test]
fn the_text_of_a_legal_program_is_plain() {
    let source = "// version: 2\n// fragment\nife v0.x, v0.y\n    tex ft0, v0, fs0 <2d,linear,clamp,mipnone,3.5>\n\
                  els\n    mov ft0, v1.wx\neif\nmov oc, ft0.xyxy\n";
    let encoded = bytes(source);
    assert_eq!(text(&encoded), source);
    let program = Program::decode(&encoded, agal::Endian::Little, Stage::Fragment).unwrap();
    assert_eq!(program.to_string(), source.split_once("fragment\n").unwrap().1);
    let numbered = AgalListing { numbers: true, ..AgalListing::new(&program) }.to_string();
    let lines: Vec<&str> = numbered.lines().collect();
    assert_eq!(lines[4], "eif                                              // 5");
    assert_eq!(bytes(&format!("// version: 2\n// fragment\n{numbered}")), encoded);
}

/// Tokens that the mini-assembler's syntax can't express become directives with a reason.
#[test]
fn what_has_no_text_is_a_directive() {
    let mov = [0, 0, 0, 0, 0, 0, 0x0f, 2, 0, 0, 0, 0xe4, 4];
    let with = |changes: &[(usize, u8)]| {
        let mut token = [0; TOKEN_SIZE];
        token[..mov.len()].copy_from_slice(&mov);
        for (at, value) in changes {
            token[*at] = *value;
        }
        token
    };
    let tex = [(0, 0x28), (20, 5)];
    for (changes, note) in [
        (&[(0, 0x22)][..], "(unknown opcode 0x22)"),
        (&[(1, 1)], "(unknown opcode 0x100)"),
        (&[(6, 0)], "mov ft0, v0 (empty write mask)"),
        (&[(6, 0x1f)], "mov ft0, v0 (destination: reserved bits 0x1)"),
        (&[(7, 9)], "mov type9_0, v0 (unknown register type 9)"),
        (&[(7, 0)], "mov va0, v0 (no such register in fragment programs)"),
        (&[(4, 26)], "mov ft26, v0"),
        (&[(10, 3)], "mov ft0, v0 (source 1: offset 0x3)"),
        (&[(12, 0x14)], "mov ft0, v0 (source 1: reserved bits 0x1)"),
        (
            &[(12, 1), (15, 0x80)],
            "mov ft0, fc[va0.x] (indirect, but not into vertex constants, no such register in fragment programs)",
        ),
        (&[(23, 1)], "mov ft0, v0 (the unused source 2 is not zero)"),
        (&[(0, 0x20)], "els (the unused destination is not zero, the unused source 1 is not zero)"),
        (&[tex[0], (20, 3)], "tex ft0, v0, oc <2d,nearest,clamp,mipnone> (not a sampler register)"),
        (
            &[tex[0], tex[1], (19, 1)],
            "tex ft0, v0, fs0 <2d,nearest,clamp,mipnone> (source 2: reserved bits 0x1)",
        ),
        (
            &[tex[0], tex[1], (22, 0x88)],
            "tex ft0, v0, fs0 <2d,nearest,mipnone> (unknown sampler Wrap 8, unknown sampler Special 8)",
        ),
        (
            &[tex[0], tex[1], (23, 0x60)],
            "tex ft0, v0, fs0 <2d,clamp,mipnone> (unknown sampler Filter 6)",
        ),
    ] {
        let encoded = program(2, 1, &[&with(changes)]);
        let text = text(&encoded);
        let line = text
            .lines()
            .find(|line| line.starts_with(".token"))
            .unwrap_or_else(|| panic!("{text}"));
        assert_eq!(line.split_once(" // ").unwrap().1, note.trim(), "{text}");
        assert_eq!(bytes(&text), encoded, "{text}");
    }
    // The option `3d` is valid text, although no player supports it.
    let encoded = program(2, 1, &[&with(&[tex[0], tex[1], (21, 0x20)])]);
    let text = text(&encoded);
    assert!(
        text.contains("\ntex ft0, v0, fs0 <3d,nearest,clamp,mipnone>\n// ^ Error #3664: "),
        "{text}"
    );
    assert_eq!(bytes(&text), encoded);
}

/// [agal.message.form]
#[test]
fn the_fault_stands_in_its_place() {
    let encoded = bytes("// fragment\nmov ft0, v0\nmov ft1, ft2\nmov oc, ft1\n");
    let disassembly = disassemble(&encoded, None, &Rules::NEWEST);
    assert_eq!(disassembly.fault.as_ref().unwrap().kind(), ErrorKind::TemporaryNotWritten);
    let text = disassembly.listing().to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[3], "mov ft1, ft2");
    assert!(
        lines[4].starts_with("// ^ Error #3647: AGAL validation failed: Temporary register"),
        "{text}"
    );
    assert!(lines[4].ends_with("at token 2 of fragment program."), "{text}");
    assert_eq!(bytes(&text), encoded);
    // A program in the wrong argument position is checked by its own stage; the position is an error at linkage.
    let text = disassemble(&encoded, Some(Stage::Vertex), &Rules::NEWEST).listing().to_string();
    assert!(text.contains("at token 2 of vertex program."), "{text}");
    assert_eq!(bytes(&text), encoded);
}

#[test]
fn a_cut_off_token_is_kept() {
    let whole = bytes("// vertex\nmov op, va0\nmov v0, va0\n");
    let cut = &whole[..whole.len() - 5];
    let text = text(cut);
    assert!(text.ends_with(" // cut off: 19 of 24 bytes\n"), "{text}");
    assert_eq!(bytes(&text), cut);
}

#[test]
fn a_broken_header_is_shown_and_does_not_assemble() {
    let whole = program(1, 1, &[&[0, 0, 0, 0, 0, 0, 0x0f, 3, 0, 0, 0, 0xe4, 4]]);
    let mut cases = vec![(whole.clone(), 0)];
    for (at, value, number) in
        [(0, 0xb0, 3616), (1, 9, 3617), (3, 1, 3617), (5, 0, 3618), (6, 2, 3619)]
    {
        let mut broken = whole.clone();
        broken[at] = value;
        cases.push((broken, number));
    }
    for length in [0, 1, 6] {
        cases.push((whole[..length].to_vec(), 3615));
    }
    for (bytes, number) in cases {
        let disassembly = disassemble(&bytes, Some(Stage::Fragment), &Rules::NEWEST);
        let text = disassembly.listing().to_string();
        assert_eq!(disassembly.fault.as_ref().map_or(0, agal::AgalError::number), number, "{text}");
        let assembled = AssembleOptions::default().sections(&text);
        assert_eq!(disassembly.is_lossless(), number == 0);
        assert_eq!(assembled.is_ok(), number == 0, "{text}");
        if number != 0 {
            assert!(
                text.starts_with(&format!("// Error #{number}: ")) && text.contains("\n.header"),
                "{text}"
            );
        }
        if bytes.len() > HEADER_SIZE && number != 3619 {
            assert!(text.contains("\nmov oc, v0\n"), "{text}");
        }
    }
    // Flash rejects a valid header with less than one token, but the disassembler prints it.
    let short = &whole[..20];
    let disassembly = disassemble(short, None, &Rules::NEWEST);
    assert_eq!(disassembly.fault.as_ref().unwrap().number(), 3615);
    assert_eq!(bytes(&disassembly.listing().to_string()), short);
}

/// Generates bytes with every kind of header.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    let body = || vec(any::<u8>(), 0..8 * TOKEN_SIZE);
    // Small bytes are preferred, because they are more often legal.
    let tokens = vec((0u8..0x30, vec(prop_oneof![Just(0), 0u8..8, any::<u8>()], 20)), 1..12);
    prop_oneof![
        body(),
        (0u8..6, 0u8..3, body()).prop_map(|(version, kind, body)| {
            header(version, kind).into_iter().chain(body).collect()
        }),
        (1u8..5, 0u8..2, tokens).prop_map(|(version, kind, tokens)| {
            let tokens =
                tokens.into_iter().flat_map(|(code, rest)| [code, 0, 0, 0].into_iter().chain(rest));
            header(version, kind).into_iter().chain(tokens).collect()
        }),
    ]
}

/// Generates a text in which some pieces are moved, repeated, removed or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let change = (
        any::<prop::sample::Index>(),
        0usize..12,
        any::<prop::sample::Index>(),
        "[a-z0-9.,<>\\[\\]+/é \n\t-]{0,4}",
    );
    (prop::sample::select(TEXTS), vec(change, 1..6)).prop_map(|(text, changes)| {
        let mut letters: Vec<char> = text.chars().collect();
        for (at, length, from, insert) in changes {
            let start = at.index(letters.len() + 1);
            let end = (start + length).min(letters.len());
            let source = from.index(letters.len() + 1);
            let taken: Vec<char> = letters[source..(source + length).min(letters.len())].to_vec();
            letters.splice(start..end, taken.into_iter().chain(insert.chars()));
        }
        letters.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_have_a_text(input in any_bytes(), role in prop::option::of(prop_oneof![Just(Stage::Vertex), Just(Stage::Fragment)])) {
        let disassembly = disassemble(&input, role, &Rules::NEWEST);
        let shown = AgalListing { numbers: true, ..disassembly.listing() }.to_string();
        prop_assert!(shown.len() <= 1000 + 40 * input.len(), "{}", shown);
        for listing in [shown, disassembly.listing().to_string()] {
            let back = AssembleOptions::default().sections(&listing);
            if disassembly.is_lossless() {
                let back = back.map_err(|errors| TestCaseError::fail(format!("{errors}\n{listing}")))?;
                let program = back.vertex.or(back.fragment).unwrap();
                prop_assert_eq!(program.encode(), input.clone(), "{}", listing);
            } else {
                prop_assert!(back.is_err() && disassembly.fault.is_some());
            }
        }
        for instruction in disassembly.program.instructions() {
            prop_assert!(readable_text(instruction, disassembly.program.stage()).to_string().len() < 600);
        }
    }

    #[test]
    fn mutated_texts_assemble_or_are_refused(text in mutated()) {
        match AssembleOptions::default().pair(&text) {
            Ok((vertex, fragment)) => for program in [&vertex, &fragment] {
                let listing = AgalListing { header: true, ..AgalListing::new(program) }.to_string();
                prop_assert_eq!(bytes(&listing), program.encode());
                prop_assert_eq!(program.header_version(), vertex.header_version());
            },
            Err(errors) => {
                let shown = errors.in_file("x").to_string();
                prop_assert_eq!(shown.lines().filter(|line| line.starts_with("x:")).count(), errors.iter().count());
                let lines: Vec<u32> = errors.iter().map(|error| error.line).collect();
                prop_assert!(lines.is_sorted(), "{}", shown);
            }
        }
    }

    #[test]
    fn the_version_and_the_place_do_not_change_the_text(tokens in vec((0u8..0x2f, any::<[u8; 20]>()), 1..6), kind in 0u8..2) {
        for version in 1u8..5 {
            let mut encoded = header(version, kind).to_vec();
            for (code, rest) in &tokens {
                encoded.extend([*code, 0, 0, 0]);
                encoded.extend(rest);
            }
            prop_assert_eq!(bytes(&text(&encoded)), encoded);
        }
    }
}
