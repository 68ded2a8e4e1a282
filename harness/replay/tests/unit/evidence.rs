use super::{ComparisonEvidence, Conclusion, Party, ResultTally, UntestedReason};

fn gl() -> Party {
    Party::renderer("OpenGL", "OpenGL Vendor=Mesa Version=4.5 Renderer=llvmpipe GLSL=4.50")
}

fn reference() -> Party {
    Party::renderer(Party::REFERENCE, "Software Renderer=Molehill reference")
}

fn images(images: u64) -> ResultTally {
    ResultTally { images, ..ResultTally::default() }
}

#[test]
fn a_comparison_of_nothing_or_with_itself_is_no_test() {
    let mut evidence = ComparisonEvidence::new(reference());
    assert_eq!(evidence.conclusion(), Conclusion::NotTested(UntestedReason::Nothing));
    let undefined = ResultTally { undefined: 3, ..ResultTally::default() };
    evidence.add(Party::Interpreter("AGAL".to_owned()), undefined);
    assert_eq!(evidence.conclusion(), Conclusion::NotTested(UntestedReason::Nothing));
    evidence.add(reference(), images(48));
    assert_eq!(evidence.conclusion(), Conclusion::NotTested(UntestedReason::Itself));
    evidence.add(Party::StoredImages, images(1));
    assert_eq!(evidence.conclusion(), Conclusion::Agrees);
}

#[test]
fn a_renderer_with_two_captures_is_compared() {
    let mut evidence = ComparisonEvidence::new(gl().replaying("a.s3d"));
    evidence.add(gl().replaying("b.s3d"), images(2));
    assert_eq!(evidence.conclusion(), Conclusion::Agrees);
    assert_eq!(
        evidence.to_string(),
        "OpenGL (llvmpipe), a.s3d with OpenGL (llvmpipe), b.s3d: 2 images"
    );
}

#[test]
fn a_result_that_differs_or_is_missing_fails() {
    for wrong in [
        ResultTally { differing: 1, ..images(2) },
        ResultTally { missing: 1, ..images(2) },
        ResultTally { missing: 1, ..images(0) },
    ] {
        let mut evidence = ComparisonEvidence::new(gl());
        evidence.add(reference(), images(5));
        evidence.add(Party::RecordedErrors, wrong);
        assert_eq!(evidence.conclusion(), Conclusion::Differs, "{wrong:?}");
    }
}

#[test]
fn evidence_says_who_was_compared_and_how_much() {
    let mut evidence = ComparisonEvidence::new(gl());
    assert_eq!(evidence.to_string(), "OpenGL (llvmpipe) with nothing");
    evidence.add(reference(), images(48));
    evidence.add(Party::RecordedErrors, ResultTally { errors: 1, ..ResultTally::default() });
    let mut more = ComparisonEvidence::new(gl());
    more.add(reference(), ResultTally { differing: 1, ..images(2) });
    evidence.join(&more);
    let text = "OpenGL (llvmpipe) with the reference renderer: 50 images, 1 differs; with recorded errors: 1 error";
    assert_eq!(evidence.to_string(), text);
}

#[test]
fn a_renderer_is_named_by_its_driver() {
    for (driver, text) in [
        ("OpenGL Vendor=Mesa Version=4.5 Renderer=llvmpipe GLSL=4.50", "OpenGL (llvmpipe)"),
        (
            "OpenGL Vendor=M Version=OpenGL ES 3.2 Renderer=llvmpipe GLSL=3.20",
            "OpenGL ES (llvmpipe)",
        ),
        ("Software Renderer=Molehill reference", "the reference renderer"),
        ("", "no renderer"),
    ] {
        assert_eq!(Party::drawn_by(driver).to_string(), text);
    }
    assert_eq!(Party::drawn_by("Software Renderer=Molehill reference"), reference());
}
