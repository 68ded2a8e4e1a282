//! Translation of AGAL to tokens: unsupported features, instruction counts and indices. `molehill shader fuzz
//! --language d3d9 --from-agal` tests random programs and all pairs of opcodes.

use agal::{LinkedPair, Rules, Stage, asm, link, validate};
use d3d9::from_agal::{Model, ResourceLimit, TranslateError, translate};
use d3d9::interp::{CompiledShader, D3d9Inputs, MAX_STEPS, NoTextures};
use d3d9::register::ShaderFile;

fn pair(vertex: &str, fragment: &str, version: u32) -> LinkedPair {
    let vertex = asm::assemble(vertex, Stage::Vertex, version).unwrap_or_else(|e| panic!("{e}"));
    let fragment =
        asm::assemble(fragment, Stage::Fragment, version).unwrap_or_else(|e| panic!("{e}"));
    link(
        validate(vertex, Stage::Vertex, &Rules::NEWEST).unwrap_or_else(|e| panic!("{e}")),
        validate(fragment, Stage::Fragment, &Rules::NEWEST).unwrap_or_else(|e| panic!("{e}")),
    )
    .unwrap()
}

#[test]
fn what_a_model_lacks_is_named() {
    let conditional = pair(
        "mov op, va0\nmov v0, va0",
        "mov ft0, v0\nifg v0.x, fc0.x\nmov ft0, fc1\neif\nmov oc, ft0",
        2,
    );
    let error = translate(conditional.fragment(), Model::V20).unwrap_err();
    assert_eq!(error.to_string(), "token 2: ps_2_0 has no instruction for `ifg`");
    assert!(translate(conditional.fragment(), Model::V2x).is_ok());
    let long = "mov ft0, v0\n".to_owned() + &"nrm ft0.xyz, ft0\n".repeat(30) + "mov oc, ft0";
    let long = pair("mov op, va0\nmov v0, va0", &long, 1);
    let Err(TranslateError::Limit { limit, found, allowed, .. }) =
        translate(long.fragment(), Model::V20)
    else {
        panic!();
    };
    assert_eq!((limit, allowed), (ResourceLimit::Arithmetic, 64));
    assert!(found > 64 && limit.error() == agal::errors::ErrorKind::NativeAlu);
    let instance = pair("mov vt0, iid.xxxx\nadd op, vt0, va0\nmov v0, va0", "mov oc, v0", 3);
    assert_eq!(translate(instance.vertex(), Model::V30), Err(TranslateError::InstanceId));
}

/// Outputs that are written only in conditionals are initialized, unless all paths write them. Temporaries need no
/// initialization, because AGAL's verifier rejects unwritten ones. [d3d9.from_agal.conditional]
#[test]
fn only_unsettled_outputs_start_at_zero() {
    for (stage, body, zeroed) in [
        (Stage::Fragment, "mov ft0, v0\n?mov ft0, fc1\neif\nmov oc, ft0", 0),
        (Stage::Fragment, "?mov ft0, fc1\nels\nmov ft0, v0\neif\nmov oc, ft0", 0),
        (Stage::Fragment, "mov ft0, v0\n?mov ft1, fc1\nmov ft0, ft1\neif\nmov oc, ft0", 0),
        (Stage::Vertex, "mov op, va0\nmov v0, va0\n?mov v0.x, vc1\neif", 0),
        (Stage::Vertex, "mov op, va0\n?mov v0, vc1\neif", 1),
        (Stage::Vertex, "mov op, va0\nmov v0.x, va0.x\n?mov v0, vc1\neif", 1),
    ] {
        let (input, constant) = if stage == Stage::Vertex { ("va0", "vc0") } else { ("v0", "fc0") };
        let body = body.replace('?', &format!("ifg {input}.x, {constant}.x\n"));
        let program = asm::assemble(&body, stage, 2).unwrap_or_else(|error| panic!("{error}"));
        let valid =
            validate(program, stage, &Rules::NEWEST).unwrap_or_else(|e| panic!("{body}: {e}"));
        let made = translate(&valid, Model::V30).unwrap();
        let text = made.program.listing().to_string();
        assert_eq!(text.matches("def c").count(), zeroed, "{body}\n{text}");
        assert_eq!(text.matches(", c2.x").count(), zeroed, "{body}\n{text}");
    }
}

/// [d3d9.from_agal.model]
#[test]
fn profiles_have_their_models() {
    use agal::Profile::{Baseline, BaselineConstrained, BaselineExtended, Enhanced, Standard};
    use agal::Profile::{StandardConstrained, StandardExtended};
    let of =
        |profiles: &[agal::Profile]| profiles.iter().copied().map(Model::of).collect::<Vec<_>>();
    assert_eq!(of(&[BaselineConstrained, Baseline, BaselineExtended]), [Model::V20; 3]);
    assert_eq!(Model::of(StandardConstrained), Model::V2x);
    assert_eq!(of(&[Standard, StandardExtended, Enhanced]), [Model::V30; 3]);
}

/// The number of instructions per AGAL opcode: [d3d9.from_agal.costs] [d3d9.from_agal.sine] [d3d9.value.sincos_range]
/// [agal.div.lowering] [agal.native.sqt] [agal.native.nrm] [agal.native.kil] [d3d9.from_agal.ports]
/// [d3d9.from_agal.swizzle] [d3d9.text.sub]
#[test]
fn slots_are_those_of_the_reference() {
    for (line, slots) in [
        ("mov ft1, ft0", 1),
        ("sub ft1, ft0, v0", 1),
        ("div ft1, ft0, v0", 5),
        ("div ft1, ft0, v0.x", 2),
        ("rcp ft1.x, ft0.x", 1),
        ("sqt ft1.xy, ft0.xy", 4),
        ("pow ft1.x, ft0.x, ft0.y", 3),
        ("nrm ft1.xyz, ft0", 3),
        ("crs ft1.xyz, ft0, v0", 2),
        ("m44 ft1, ft0, fc0", 4),
        ("m33 ft1.xyz, ft0, fc0", 3),
        ("m34 ft1.xyz, ft0, fc0", 3),
        ("sat ft1, ft0", 1),
        ("add ft1.xy, ft0, v0\nsat ft1.xy, ft1", 2),
        ("neg ft1, ft0", 1),
        // Computes all rows, then moves the masked components ([d3d9.from_agal.matrix] [agal.native.matrix]).
        ("m44 ft1.xy, ft0, fc0", 5),
        ("m33 ft1.y, ft0, fc0", 4),
        ("m44 ft0, ft0, fc0", 5),
        ("crs ft0.xyz, v0, ft0", 3),
        ("pow ft0.x, ft0.x, v0.y", 3),
        ("pow ft0.x, v0.x, ft0.x", 4),
        ("sge ft1, ft0, v0", 2),
        ("seq ft1, ft0, v0", 3),
        ("sin ft1.x, ft0.x", 12),
        ("kil ft0.x", 2),
        ("mov ft1, ft0.xxyz", 3),
    ] {
        let text = format!("mov ft0, v0\nmov ft1, v0\n{line}\nmov oc, ft1");
        let linked = pair("mov op, va0\nmov v0, va0", &text, 1);
        let made = translate(linked.fragment(), Model::V20).unwrap();
        assert_eq!(made.counts.slots.total() - 3, slots, "{line}\n{}", made.program.listing());
    }
}

/// Direct3D 9 rejects reads of unwritten registers and repeated writes of a colour; AGAL's verifier accepts both.
/// [d3d9.from_agal.twice]
#[test]
fn what_direct3d_refuses_is_translated() {
    for (vertex, fragment) in [
        ("mov op, va0\nmov v0, va0", "mov oc, fc0\ntex oc, v0, fs0\nmov oc, v0"),
        ("mov vt0, va0\nm44 op, va0, vt0\nmov v0, va0", "mov oc, v0"),
        (
            "mov vt0, va0\nmov vt2.z, va0\nm33 vt4.xyz, va0, vt0\nmov op, va0\nmov v0, vt4.xyz",
            "mov oc, v0",
        ),
    ] {
        let linked = pair(vertex, fragment, 1);
        for model in Model::ALL.iter().copied() {
            for program in [linked.vertex(), linked.fragment()] {
                let made = translate(program, model);
                assert!(made.is_ok(), "{vertex}\n{fragment}\n{:?}", made.err());
            }
        }
    }
    // Matrix rows need no initialization if the components that are read have been written.
    let linked = pair(
        "mov vt0, va0\nmov vt1.xyz, va0\nmov vt2.xyz, va0\nm33 vt4.xyz, va0, vt0\nmov op, va0\nmov v0, va0",
        "mov oc, v0",
        1,
    );
    let made = translate(linked.vertex(), Model::V20).unwrap();
    assert_eq!(made.counts.slots.total(), 8);
}

/// [agal.native.address] [agal.native.moves] [d3d9.from_agal.indirect]
#[test]
fn indices_are_loaded_once() {
    for (text, slots) in [
        ("mov v0, vc[va1.x]", 2),
        ("mov vt0, vc[va1.x]\nadd v0, vt0, vc[va1.x+3]", 3),
        ("mov vt0, vc[va1.x]\nadd v0, vt0, vc[va1.y]", 4),
        ("mov vt0, va1\nmov vt1, vc[vt0.x]\nadd v0, vt1, vc[vt0.x]", 4),
        ("mov vt0, va1\nmov vt0.y, vc[vt0.x]\nadd v0, vt0.y, vc[vt0.x]", 4),
        ("mov vt0, va1\nmov vt0.x, vc[vt0.x]\nadd v0, vt0.y, vc[vt0.x]", 5),
        ("add v0, va0, vc[va1.x]", 2),
        ("add v0, vc[va1.x], va0", 3),
        // Register numbers can't be negative, so the offset is added to the index.
        ("mov v0, vc[va1.x-4]", 3),
    ] {
        let linked = pair(&format!("mov op, va0\n{text}"), "mov oc, v0", 1);
        let made = translate(linked.vertex(), Model::V20).unwrap();
        let found = made.counts.slots.total() - 1;
        assert_eq!(found, slots, "{text}\n{}", made.program.listing());
    }
}

/// Fractional indices are rounded as in AGAL's interpreter, also for matrices. Reads outside of the constants return 0
/// [d3d9.from_agal.outside].
#[test]
fn indices_are_moved_to_a0() {
    let linked = pair("m44 op, va0, vc[va1.x+2]\nadd v0, vc[va1.y], va0", "mov oc, v0", 1);
    let (inside, first, outside) = ([5.0, 6.0, 7.0, 8.0], [2.0, 3.0, 4.0, 5.0], [0.0; 4]);
    let far = [16.0, -1e9, f32::NAN, f32::INFINITY].map(|index| (index, outside));
    let near = [(2.6, inside), (-0.0, first), (1e-40, first)];
    let indices = near.into_iter().chain(far);
    let models = Model::ALL.iter().copied();
    for (model, (index, expected)) in
        models.flat_map(|model| indices.clone().map(move |case| (model, case)))
    {
        let made = translate(linked.vertex(), model).unwrap();
        let compiled = CompiledShader::new(&made.program).unwrap();
        let mut state = compiled.state();
        state.set(ShaderFile::Input.at(0), 0, [1.0, 0.0, 0.0, 0.0]);
        state.set(ShaderFile::Input.at(1), 0, [index, 7.0, 0.0, 0.0]);
        let floats: Vec<[f32; 4]> = (0..16u8).map(|n| [f32::from(n); 4]).collect();
        let inputs = D3d9Inputs { floats: &floats, ..D3d9Inputs::default() };
        compiled.run(&mut state, &inputs, &NoTextures, MAX_STEPS, &mut ()).unwrap();
        let position = if model == Model::V30 {
            state.lane(ShaderFile::Output.at(0), 0)
        } else {
            state.lane(ShaderFile::Position.at(0), 0)
        };
        assert_eq!(position, expected, "{model:?} {index}");
    }
}

/// Comparisons of infinities, whose difference is NaN, and of NaN. ps_2_0 can't tell these cases apart.
/// [d3d9.from_agal.compare]
#[test]
fn infinities_compare() {
    let (infinity, nan) = (f32::INFINITY, f32::NAN);
    for (name, expected, with_nan) in rows! {
        "sge", [1.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0];
        "slt", [0.0, 0.0, 1.0, 0.0], [0.0; 4];
        "seq", [1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0];
        "sne", [0.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0];
    } {
        let text = format!("mov ft0, v0\n{name} ft0, ft0, v1\nmov oc, ft0");
        let linked = pair("mov op, va0\nmov v0, va0\nmov v1, va0", &text, 1);
        for model in Model::ALL {
            let made = translate(linked.fragment(), *model).unwrap();
            let compiled = CompiledShader::new(&made.program).unwrap();
            let run = |sides: [[f32; 4]; 2]| {
                let mut state = compiled.state();
                for (number, side) in (0..).zip(sides) {
                    match model {
                        Model::V30 => state.set(ShaderFile::Input.at(number), 0, side),
                        Model::V20 | Model::V2x => {
                            state.set(ShaderFile::Texture.at(number), 0, side)
                        }
                    }
                }
                let (inputs, none) = (D3d9Inputs::default(), NoTextures);
                compiled.run(&mut state, &inputs, &none, MAX_STEPS, &mut ()).unwrap();
                state.lane(ShaderFile::Color.at(0), 0)
            };
            let infinities = run([
                [infinity, infinity, -infinity, -infinity],
                [infinity, -infinity, infinity, -infinity],
            ]);
            assert_eq!(infinities, expected, "{name} in {}", model.name());
            if *model != Model::V20 {
                let found = run([[nan, 0.0, nan, 1.0], [nan, nan, 0.0, 1.0]]);
                assert_eq!(found, with_nan, "{name} in {}", model.name());
            }
        }
    }
}
