//! Tests lookup in tables by code or name, and encodings against the reference.

use d3d9::check::D3d9Rule;
use d3d9::opcode::D3d9Opcode;
use d3d9::operand::{
    AddressIndex, Component, DclPayload, DeclUsage, Dest, Dimension, Source, Swizzle, WriteMask,
};
use d3d9::register::{D3d9Register, ShaderFile};
use d3d9::{D3d9Program, ShaderVersion, text};

#[test]
fn codes_are_keys() {
    for opcode in D3d9Opcode::ALL {
        assert_eq!(D3d9Opcode::from_code(opcode.code()), Some(*opcode));
    }
}

/// [d3d9.stream.version]
#[test]
fn words_and_names_are_keys() {
    for version in ShaderVersion::ALL {
        assert_eq!(ShaderVersion::from_word(version.word()), Some(*version));
        assert_eq!(ShaderVersion::from_name(version.name()), Some(*version));
        let dotted = version.name().replacen('_', ".", 2);
        assert_eq!(ShaderVersion::from_name(&dotted), Some(*version));
    }
    // Version tokens of vs_1_0 and of a Direct3D effect are rejected ([d3d9.stream.old]).
    assert_eq!(ShaderVersion::from_word(0xfffe_0100), None);
    assert_eq!(ShaderVersion::from_word(0xfeff_0901), None);
}

/// [d3d9.register.types]
#[test]
fn types_are_keys() {
    for version in ShaderVersion::ALL {
        for (kind, number) in (0..32).flat_map(|kind| [0, 1, 2, 2047].map(|number| (kind, number)))
        {
            if let Some(register) = D3d9Register::from_token(kind, number, *version) {
                assert_eq!(register.to_token(), Some((kind, number)), "{register} in {version}");
            }
        }
    }
    // Register c3056 occurs in a real file ([d3d9.register.constants]).
    assert_eq!(ShaderFile::Const.at(3056).to_token(), Some((11, 1008)));
}

#[test]
fn names_are_unique_in_a_version() {
    for version in ShaderVersion::ALL {
        for file in ShaderFile::ALL.iter().filter(|file| file.info(*version).is_some()) {
            assert_eq!(ShaderFile::from_name(file.name(), *version), Some(*file));
        }
    }
}

#[test]
fn numbers_are_those_of_the_reference() {
    for (number, rule) in (1..=58).zip(D3d9Rule::ALL) {
        assert_eq!(rule.number(), number);
    }
    assert_eq!(D3d9Rule::ALL.len(), 58);
}

/// Opcode, register and modifier encodings equal the values in the reference.
#[test]
fn words_are_those_of_the_reference() {
    let c31 = ShaderFile::Const.at(31);
    assert_eq!(Source::scalar(c31, Component::Y).word, 0xa055_001f);
    let sampler = ShaderFile::Sampler.at(0);
    assert_eq!(Source::new(sampler, Swizzle::IDENTITY).word, 0xa0e4_0800);
    let color = ShaderFile::Color.at(0);
    assert_eq!(Dest::new(color, WriteMask::ALL).word, 0x800f_0800);
    assert_eq!(AddressIndex::Loop.word(), 0xf0e4_0800);
    assert_eq!(AddressIndex::Address(Component::Z).word(), 0xb0aa_0000);
    assert_eq!(DclPayload::sampler(Dimension::Cube).0, 0x9800_0000);
    assert_eq!(DclPayload::usage_of(DeclUsage::TexCoord, 1).0, 0x8001_0005);
    let scales = [0x1u32, 0xd].map(|bits| Dest::from_word(bits << 24).scale());
    assert_eq!(scales, [2.0, 0.125]);
}

fn defined(text: &str) -> Option<(D3d9Program, f32)> {
    let program = text::assemble(&format!("ps_2_0\ndef c0, {text}, 0, 0, 0")).ok()?;
    let value = program.instructions().next()?.1.floats()[0];
    Some((program, value))
}

#[test]
fn floats_are_those_of_listings() {
    for (value, text) in rows! {
        0.0f32, "0";
        -0.0, "-0";
        1.0, "1";
        0.5, "0.5";
        255.001_95, "255.001953";
        5e-5, "4.99999987e-005";
        -1e20, "-1.00000002e+020";
        0.000_26, "0.000260000001";
        123_456_790.0, "123456792";
        1e9, "1e+009";
        // A tie when the ninth digit is rounded.
        1.001_953_1, "1.00195313";
    } {
        let (program, back) = defined(text).unwrap();
        assert_eq!(back.to_bits(), value.to_bits());
        assert!(program.listing().to_string().contains(&format!("def c0, {text}, 0")), "{text}");
    }
    for (text, value) in
        [("1.0f", 1.0), ("0.", 0.0), (".5", 0.5), ("-10.0e5", -1e6), ("999999999.0", 1e9)]
    {
        assert_eq!(defined(text).map(|(_, value)| value), Some(value));
    }
    for text in ["inf", "nan", "-inf", "", "f", "1.#INF"] {
        assert!(defined(text).is_none(), "{text}");
    }
}
