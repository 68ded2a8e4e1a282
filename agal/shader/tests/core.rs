//! Tests cube faces, write masks, suggestions, and the text of shaders.

use agal_core::cube::{FACES, face_of, project, unproject};
use agal_core::output::{ShaderText, fill, source_index};
use agal_core::text::nearest;
use agal_core::{Component, Swizzle, WriteMask};

#[test]
fn positions_on_faces_are_found_again() {
    for face in 0..FACES {
        for position in [[0.0, 0.0], [0.5, -0.25], [-0.75, 0.125]] {
            let direction = unproject(face, position);
            assert_eq!((face_of(direction), project(face, direction)), (face, position));
            let longer = direction.map(|component| component * 8.0);
            assert_eq!((face_of(longer), project(face, longer)), (face, position));
        }
    }
}

#[test]
fn ties_go_to_the_earlier_axis() {
    for (direction, face) in [
        ([1.0, 1.0, 1.0], 0),
        ([-1.0, 1.0, 1.0], 1),
        ([0.5, 1.0, 1.0], 2),
        ([0.5, -1.0, -1.0], 3),
        ([0.0, 0.0, 0.0], 0),
    ] {
        assert_eq!(face_of(direction), face, "{direction:?}");
    }
}

#[test]
fn masks_and_swizzles() {
    let yzw = WriteMask::from_bits(0b1110);
    let xyzz = Swizzle::new([Component::X, Component::Y, Component::Z, Component::Z]);
    assert_eq!(xyzz.selected(yzw).bits(), 0b0110);
    assert_eq!(Swizzle::new(Component::ALL), Swizzle::IDENTITY);
    assert!(Swizzle::from_bits(0xff).is_scalar());
    assert!(!xyzz.is_scalar());
    assert_eq!(yzw.len(), 3);
}

#[test]
fn only_near_words_are_named() {
    let words = ["mov", "mul", "max", "miplinear"];
    assert_eq!(nearest("mvo", words), Some("mov"));
    assert_eq!(nearest("MUL", words), Some("mul"));
    assert_eq!(nearest("xyz", words), None);
    assert_eq!(nearest("m", words), None);
    assert_eq!(nearest("", words), None);
    assert_eq!(nearest(&"miplinear".repeat(1000), words), None);
}

#[test]
fn templates_take_arguments_in_any_order() {
    let filled = |template| fill(template, |name| format!("[{name}{}]", source_index(name)));
    assert_eq!(filled("$c + $a * ($b - $c)"), "[c2] + [a0] * ([b1] - [c2])");
    assert_eq!(filled("max($Fa, $Ib).x"), "max([Fa0], [Ib1]).x");
    assert_eq!(filled("1.0"), "1.0");
    assert_eq!(filled("$"), "");
}

/// The size of nested blocks does not grow quadratically.
#[test]
fn deep_blocks_are_indented_like_one_another() {
    let mut out = ShaderText::default();
    (0..1000).for_each(|_| out.open("{"));
    (0..1000).for_each(|_| out.close());
    let longest = out.text.lines().map(str::len).max();
    assert_eq!((out.depth, longest), (0, Some(64 * 4 + 1)));
    assert!(out.text.ends_with("    }\n}\n"));
}
