//! Hardware limits of `baselineConstrained`, errors 3715 to 3721 ([agal.native.limits] [d3d9.native.limits]).

use agal::errors::{ErrorKind, RaisedBy};
use agal::{AgalError, Endian, LinkedPair, Profile, Rules, Stage, asm, upload, validate};
use d3d9::from_agal::{Model, ResourceLimit, allowed, native_limits, translate_unlimited};

const VERTEX: &str = "mov op, va0\nmov v0, va1";

fn linked(vertex: &str, fragment: &str, profile: Profile) -> Result<LinkedPair, AgalError> {
    let bytes = |text: &str, stage| {
        let program = asm::assemble(text, stage, 1).unwrap_or_else(|error| panic!("{error}"));
        program.encode()
    };
    let rules = Rules { profile };
    upload(
        (&bytes(vertex, Stage::Vertex), Endian::Little),
        (&bytes(fragment, Stage::Fragment), Endian::Little),
        &rules,
    )
}

fn limits(vertex: &str, fragment: &str, profile: Profile) -> Result<(), AgalError> {
    native_limits(&linked(vertex, fragment, profile)?)
}

fn constrained(vertex: &str, fragment: &str) -> Result<(), AgalError> {
    limits(vertex, fragment, Profile::BaselineConstrained)
}

/// Returns a chain of texture reads, each with the previous result as its coordinates.
fn chain(reads: usize) -> String {
    let next = "tex ft0, ft0, fs0\n".repeat(reads - 1);
    format!("tex ft0, v0, fs0\n{next}mov oc, ft0")
}

/// Tests one program for each error that can occur. [agal.error.3715] [agal.error.3716] [agal.error.3717]
/// [agal.error.3721]
#[test]
fn every_limit_has_its_error() {
    let vertex = |text: &str| constrained(text, "mov oc, fc0");
    let fragment = |text: &str| constrained(VERTEX, text);
    let abs = |count: usize| "abs ft0, v0\n".repeat(count) + "mov oc, ft0";
    let reads = |count: usize| "tex ft0, v0, fs0\n".repeat(count) + "mov oc, ft0";
    for (kind, result, message) in [
        (
            ErrorKind::NativeInstructions,
            vertex(&"m44 op, va0, vc0\n".repeat(65)),
            "Too many instructions used in native shader. Detected 260 but can only support 256 for vertex program.",
        ),
        (
            ErrorKind::NativeAlu,
            fragment(&abs(64)),
            "Too many ALU instructions in native shader. Detected 65 but can only support 64 for fragment program.",
        ),
        (
            ErrorKind::NativeTexture,
            fragment(&reads(33)),
            "Too many texture instructions in native shader. Detected 33 but can only support 32 for fragment program.",
        ),
        (
            ErrorKind::NativeIndirectTexture,
            fragment(&chain(5)),
            "Too many indirect texture reads in native shader. Detected 5 but can only support 4 for fragment program.",
        ),
    ] {
        let error = result.expect_err(message);
        assert_eq!((error.kind(), error.message()), (kind, message));
        assert_eq!(kind.raised_by(), RaisedBy::Native);
    }
    // Programs that exactly reach the limits are valid.
    for result in [
        vertex(&"m44 op, va0, vc0\n".repeat(64)),
        fragment(&abs(63)),
        fragment(&reads(32)),
        fragment(&chain(4)),
    ] {
        assert_eq!(result, Ok(()));
    }
    let raised = ResourceLimit::ALL.iter().map(|limit| limit.error().raised_by());
    assert_eq!(raised.filter(|by| *by == RaisedBy::Native).count(), 4);
}

#[test]
fn they_hold_in_baseline_constrained_alone() {
    let over = "abs ft0, v0\n".repeat(65) + "mov oc, ft0";
    for &profile in Profile::ALL {
        let allowed = profile != Profile::BaselineConstrained;
        assert_eq!(limits(VERTEX, &over, profile).is_ok(), allowed);
    }
}

/// Linkage errors precede errors of hardware limits; among these, the vertex program's come first. [agal.native.last]
#[test]
fn they_come_last() {
    let number = |vertex: &str, fragment: &str| constrained(vertex, fragment).unwrap_err().number();
    let heavy = "m44 op, va0, vc0\n".repeat(65);
    let slow = "mov ft0, fc0\n".to_owned() + &"abs ft0, ft0\n".repeat(65);
    let chain = "tex ft0, ft0, fs0\n".repeat(32);
    assert_eq!(number(&heavy, &format!("{slow}mov oc, v0")), 3632);
    assert_eq!(number(&heavy, &format!("{slow}mov oc, fc0")), 3715);
    assert_eq!(number(VERTEX, &format!("{slow}mov oc, fc0")), 3716);
    assert_eq!(number(VERTEX, &format!("{slow}{chain}mov oc, v0")), 3716);
    let deep = format!("mov ft0, v0\n{chain}tex oc, ft0, fs0");
    assert_eq!(number(VERTEX, &deep), 3717);
}

/// A texture read that overwrites a register doesn't depend on its old contents. [d3d9.order.reuse]
/// [d3d9.from_agal.texture]
#[test]
fn a_register_that_is_used_again_is_no_dependency() {
    for text in [
        "tex ft1, v0, fs0\nadd ft0, ft0, ft1\n".repeat(9),
        "tex ft1.xyz, v0, fs0\nadd ft0.xyz, ft0, ft1.xyz\n".repeat(9),
    ] {
        let text = format!("mov ft0, v0\n{text}mov oc, ft0");
        assert_eq!(constrained(VERTEX, &text), Ok(()), "{text}");
    }
}

/// Errors 3718, 3719 and 3720 never occur: the maximum registers that AGAL 1 allows in the profile, plus literals and
/// scratch registers of any token, are within the limits. [agal.error.3718] [agal.error.3719] [agal.error.3720]
/// [d3d9.from_agal.likeness]
#[test]
fn registers_always_fit() {
    let limits = [ResourceLimit::Constants, ResourceLimit::Temporaries, ResourceLimit::Varyings];
    for limit in limits {
        let by = limit.error().raised_by();
        assert!(matches!(by, RaisedBy::Never(_)), "{limit:?}");
    }
    let most = [
        (
            Stage::Vertex,
            "mov vt0, va0\nmov vt1, vt0\nmov vt2, vt0\nmov vt3, vt0\nmov vt4, vt0\nmov vt5, vt0\nmov vt6, vc127\nmov v7, vt0\n",
            ["va1.wzxy", "vt6.wzxy", "vc127.wzxy", "vc[va0.x+5].wzxy"].as_slice(),
        ),
        (
            Stage::Fragment,
            "mov ft0, v0\nmov ft1, ft0\nmov ft2, ft0\nmov ft3, ft0\nmov ft4, ft0\nmov ft5, ft0\nmov ft6, fc27\nmov ft6, v7\n",
            ["v7.wzxy", "ft6.wzxy", "fc27.wzxy"].as_slice(),
        ),
    ];
    let mut tried = 0;
    for (stage, start, sources) in most {
        let end = if stage == Stage::Vertex { "op" } else { "oc" };
        for opcode in agal::opcode::AgalOpcode::ALL {
            for (a, b) in sources.iter().flat_map(|a| sources.iter().map(move |b| (a, b))) {
                for dest in ["t6", "t6.xyz", "t6.x"] {
                    // The program already contains every literal.
                    let t = if stage == Stage::Vertex { "v" } else { "f" };
                    let scalar = |source: &str| {
                        let (register, _) = source.rsplit_once('.').unwrap();
                        format!("{register}.w")
                    };
                    let token = match opcode.name() {
                        "kil" => format!("kil {}", scalar(a)),
                        "tex" => format!("tex {t}{dest}, {a}, {t}s0"),
                        name if opcode.signature().sources() == 2 => {
                            format!("{name} {t}{dest}, {a}, {b}")
                        }
                        name => format!("{name} {t}{dest}, {a}"),
                    };
                    let text = format!(
                        "{start}sin {t}t0, {t}t1\nsge {t}t0, {t}t1, {t}t2\n{token}\nmov {end}, {t}t6"
                    );
                    let Ok(program) = asm::assemble(&text, stage, 1) else {
                        continue;
                    };
                    let rules = Rules { profile: Profile::BaselineConstrained };
                    let Ok(valid) = validate(program, stage, &rules) else {
                        continue;
                    };
                    tried += 1;
                    let counts = translate_unlimited(&valid, Model::V20).unwrap().counts;
                    for limit in limits {
                        let most = allowed(Model::V20.version(stage), limit).unwrap();
                        assert!(counts.get(limit) <= most, "{limit:?} {counts:?}\n{text}");
                    }
                }
            }
        }
    }
    assert!(tried > 500, "{tried}");
}
