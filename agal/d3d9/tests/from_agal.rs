//! AGAL to tokens: random programs compute the same in both interpreters, as far as rounding allows.

use agal::interp::{Kernel as AgalKernel, Monitor, Operands, Register, error_bound};
use agal::opcode::Opcode as AgalOpcode;
use agal::{LinkedPair, Rules, Stage, Version, asm, link, validate};
use agal_generate::{
    Features, Generator, Inputs as Values, Options, Pair, Random, seed_bytes, shrink,
};
use arbitrary::Unstructured;
use d3d9::from_agal::{Limit, Model, TranslateError, translate, translate_pair};
use d3d9::interp::{Images, Inputs, Kernel, Settings, Texture};
use d3d9::register::File;

/// Programs of one run; more by hand.
const PROGRAMS: &str = "MOLEHILL_D3D9_PROGRAMS";

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

/// Adds the errors that the translation may make: several roundings where AGAL has one.
struct Noise {
    /// `None`: no errors.
    random: Option<Random>,
    /// An infinity or NaN came up: minima, saturation and comparisons are undefined with NaN, and pixel shaders
    /// compare by a difference, which of two infinities is NaN (d3d9-shaders.md section 7.3, traps).
    undefined: bool,
}

impl Monitor for Noise {
    const STEPS: bool = false;

    fn computed(&mut self, opcode: AgalOpcode, operands: &Operands<'_>, value: &mut Register) {
        // What is exact on a driver may be computed: of sines the angle's reduction.
        let factor = match opcode {
            AgalOpcode::Sin | AgalOpcode::Cos => 1.0,
            AgalOpcode::Sub | AgalOpcode::Add | AgalOpcode::Mul => 0.5,
            _ => 2.0,
        };
        let bound = error_bound(opcode, operands, value);
        self.undefined |= value.0.iter().flatten().any(|value| !value.is_finite());
        if self.random.is_none() {
            return;
        }
        for (lanes, bounds) in value.0.iter_mut().zip(bound.0) {
            for (value, bound) in lanes.iter_mut().zip(bounds) {
                if value.is_finite() {
                    let error = self.random.as_mut().unwrap().error();
                    // What is smaller than the error may be nothing at all.
                    *value = match error == 0.0 && value.abs() <= bound {
                        true => 0.0,
                        false => *value + bound * factor * error,
                    };
                }
            }
        }
    }
}

/// What came out: by output, component and lane.
type Results = Vec<f32>;

struct Case<'a> {
    pair: &'a LinkedPair,
    values: &'a Values,
}

impl Case<'_> {
    fn textures(&self) -> Vec<Option<(Texture, agal::Sampler)>> {
        let samplers = &self.pair.interface().samplers;
        let bound = self.values.textures.iter().zip(samplers);
        let one =
            |(texture, sampler): (&Option<agal_generate::Texture>, &Option<agal::Sampler>)| {
                Some((
                    Texture::Image(texture.as_ref()?.image().unwrap()),
                    (*sampler)?,
                ))
            };
        bound.map(one).collect()
    }

    /// As the AGAL says: vertex outputs, then fragment outputs.
    fn agal(&self, monitor: &mut impl Monitor) -> Results {
        let mut results = Vec::new();
        let interface = self.pair.interface();
        let kernel = AgalKernel::new(self.pair.vertex());
        let mut state = kernel.state();
        self.values.set_vertices(&mut state);
        kernel.run_with(
            &mut state,
            &self.values.vertex_constants,
            &agal::interp::NoTextures,
            monitor,
        );
        results.extend(state.position(0));
        for n in (0..10).filter(|n| interface.varyings & 1 << n != 0) {
            results.extend(state.varying(n, 0));
        }
        let kernel = AgalKernel::new(self.pair.fragment());
        let mut state = kernel.state();
        self.values.set_quad(&mut state);
        let images: Vec<_> = self
            .values
            .textures
            .iter()
            .map(|t| t.as_ref().map(|t| t.image().unwrap()))
            .collect();
        let images = agal::interp::Images {
            fragment: &images,
            vertex: &[],
        };
        kernel.run_with(
            &mut state,
            &self.values.fragment_constants,
            &images,
            monitor,
        );
        for lane in 0..4 {
            results.push(f32::from(u8::from(state.alive()[lane])));
            for n in (0..4).filter(|n| interface.color_outputs & 1 << n != 0) {
                results.extend(state.color(n, lane));
            }
            if interface.depth_output {
                results.push(state.depth(lane));
            }
        }
        results
    }

    fn tokens(&self, model: Model) -> Result<Results, TranslateError> {
        let [vertex, fragment] = translate_pair(self.pair, model)?;
        let interface = self.pair.interface();
        let mut results = Vec::new();
        let kernel = Kernel::new(&vertex.program).unwrap();
        let mut state = kernel.state();
        for lane in 0..4 {
            for (number, value) in (0u16..).zip(&self.values.attributes) {
                state.set_input(number, lane, *value);
            }
        }
        let inputs = Inputs {
            floats: &self.values.vertex_constants,
            ..Inputs::default()
        };
        let images = self.textures();
        kernel
            .run(
                &mut state,
                &inputs,
                &Images(&images),
                &Settings::DEFAULT,
                &mut (),
            )
            .unwrap();
        let three = model == Model::V30;
        results.extend(if three {
            state.output(File::Output, 0, 0)
        } else {
            state.position(0)
        });
        for n in (0..10).filter(|n| interface.varyings & 1 << n != 0) {
            results.extend(match three {
                true => state.output(File::Output, n + 1, 0),
                false => state.output(File::TexCoordVarying, n, 0),
            });
        }
        let kernel = Kernel::new(&fragment.program).unwrap();
        let mut state = kernel.state();
        let slopes = self.values.varyings_dx.iter().zip(&self.values.varyings_dy);
        for ((number, first), (dx, dy)) in (0u16..).zip(&self.values.varyings).zip(slopes) {
            for (lane, (x, y)) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)]
                .into_iter()
                .enumerate()
            {
                let mut value = *first;
                for ((value, dx), dy) in value.iter_mut().zip(dx).zip(dy) {
                    *value += x * dx + y * dy;
                }
                if three {
                    state.set_input(number, lane, value)
                } else {
                    state.set_texcoord(number, lane, value)
                }
            }
        }
        let inputs = Inputs {
            floats: &self.values.fragment_constants,
            ..Inputs::default()
        };
        kernel
            .run(
                &mut state,
                &inputs,
                &Sampled(&images, self),
                &Settings::DEFAULT,
                &mut (),
            )
            .unwrap();
        for lane in 0..4 {
            results.push(f32::from(u8::from(state.alive()[lane])));
            for n in (0..4).filter(|n| interface.color_outputs & 1 << n != 0) {
                results.extend(state.color(n, lane));
            }
            if interface.depth_output {
                results.push(state.depth(lane));
            }
        }
        Ok(results)
    }

    /// Is every result of the tokens within what rounding may make of the AGAL's? `None`: the model can't hold it.
    fn agrees(&self, model: Model) -> Option<Result<(), String>> {
        let found = match self.tokens(model) {
            Ok(found) => found,
            Err(TranslateError::Invalid(finding)) => {
                return Some(Err(format!("invalid: {finding}")));
            }
            Err(_) => return None,
        };
        let mut quiet = Noise {
            random: None,
            undefined: false,
        };
        let exact = self.agal(&mut quiet);
        let mut low = exact.clone();
        let mut high = exact.clone();
        let mut wild = vec![false; exact.len()];
        let mut all = exact.iter().zip(&found);
        if all.all(|(a, b)| a == b || a.is_nan() && b.is_nan()) {
            return Some(Ok(()));
        }
        if quiet.undefined {
            return Some(Ok(()));
        }
        for seed in 0..64 {
            let mut noise = Noise {
                random: Some(Random::new(seed)),
                undefined: false,
            };
            let noisy = self.agal(&mut noise);
            if noise.undefined {
                return Some(Ok(()));
            }
            for (place, value) in noisy.into_iter().enumerate() {
                wild[place] |= !value.is_finite();
                low[place] = low[place].min(value);
                high[place] = high[place].max(value);
            }
        }
        for (place, value) in found.iter().enumerate() {
            let room =
                (high[place] - low[place]) * 2.0 + 4.0 * f32::EPSILON * exact[place].abs() + 1e-30;
            let fine = *value >= low[place] - room && *value <= high[place] + room;
            if !fine && !wild[place] && exact[place].is_finite() {
                return Some(Err(format!(
                    "result {place}: {value} is not {} ({}..{})",
                    exact[place], low[place], high[place]
                )));
            }
        }
        Some(Ok(()))
    }
}

/// Textures as the program's own sampler fields have them, the bias included.
struct Sampled<'a>(&'a [Option<(Texture, agal::Sampler)>], &'a Case<'a>);

impl d3d9::interp::Textures for Sampled<'_> {
    fn read(&self, lookup: &d3d9::interp::Lookup<'_>) -> Register {
        let sampler = self.1.pair.interface().samplers[usize::from(lookup.sampler)].unwrap();
        let bias = sampler.bias();
        // A bias of gradients is a factor.
        let scaled =
            |step: &Register| Register(step.0.map(|lanes| lanes.map(|step| step * bias.exp2())));
        let gradients = match lookup.level {
            d3d9::interp::Level::Gradients(dx, dy) => [scaled(dx), scaled(dy)],
            _ => [Register::default(); 2],
        };
        let [dx, dy] = &gradients;
        let level = match lookup.level {
            d3d9::interp::Level::Implicit(_) => d3d9::interp::Level::Implicit([bias; 4]),
            d3d9::interp::Level::Gradients(..) => d3d9::interp::Level::Gradients(dx, dy),
            other => other,
        };
        Images(self.0).read(&d3d9::interp::Lookup { level, ..*lookup })
    }
}

fn options(seed: u64) -> Options {
    let version = [Version::V1, Version::V2, Version::V3][(seed % 3) as usize];
    Options {
        max_tokens: 1 + (seed / 3 % 24) as usize,
        features: Features {
            // Rounding and what lies outside the bank differ (d3d9-shaders.md section 7.2, P10), and there is no instance id.
            indirect: false,
            instance_id: false,
            vertex_textures: false,
            ..Features::ALL
        },
        ..Options::new(version)
    }
}

fn values(seed: u64, linked: &LinkedPair) -> Values {
    let bytes = seed_bytes(seed ^ 0x5eed, 4096);
    Values::new(&mut Unstructured::new(&bytes), linked.interface(), false).unwrap()
}

fn differs(seed: u64, model: Model, linked: &LinkedPair) -> Option<String> {
    let values = values(seed, linked);
    Case {
        pair: linked,
        values: &values,
    }
    .agrees(model)?
    .err()
}

#[test]
fn random_programs_agree() {
    let programs = std::env::var(PROGRAMS)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(600);
    let (mut held, mut refused) = ([0u32; 3], [0u32; 3]);
    for seed in 0..programs {
        let bytes = seed_bytes(seed, 2048);
        let pair: Pair = Generator::new(options(seed))
            .pair(&mut Unstructured::new(&bytes))
            .unwrap();
        let linked = pair.link().unwrap();
        for (place, (model, name)) in Model::ALL.into_iter().enumerate() {
            let values = values(seed, &linked);
            match (Case {
                pair: &linked,
                values: &values,
            })
            .agrees(model)
            {
                None => refused[place] += 1,
                Some(Ok(())) => held[place] += 1,
                Some(Err(_)) => {
                    let small = shrink(&pair, 400, |linked| differs(seed, model, linked).is_some());
                    let linked = small.link().unwrap();
                    let why = differs(seed, model, &linked);
                    let [vertex, fragment] = [linked.vertex(), linked.fragment()].map(|program| {
                        let text =
                            translate(program, model).map(|t| t.program.listing().to_string());
                        format!(
                            "{}\n{}",
                            program.program(),
                            text.unwrap_or_else(|e| e.to_string())
                        )
                    });
                    panic!("seed {seed}, {name}: {why:?}\n{vertex}\n{fragment}");
                }
            }
        }
    }
    println!("{programs} pairs: held {held:?}, beyond the model {refused:?}");
    assert!(held.iter().all(|held| *held > 0));
}

#[test]
fn what_a_model_lacks_is_named() {
    let conditional = pair(
        "mov op, va0\nmov v0, va0",
        "mov ft0, v0\nifg v0.x, fc0.x\nmov ft0, fc1\neif\nmov oc, ft0",
        2,
    );
    let error = translate(conditional.fragment(), Model::V20).unwrap_err();
    assert_eq!(error.to_string(), "token 2: ps_2_0 can't do `ifg`");
    assert!(translate(conditional.fragment(), Model::V2x).is_ok());
    let long = "mov ft0, v0\n".to_owned() + &"nrm ft0.xyz, ft0\n".repeat(30) + "mov oc, ft0";
    let long = pair("mov op, va0\nmov v0, va0", &long, 1);
    let Err(TranslateError::Limit {
        limit,
        found,
        allowed,
        ..
    }) = translate(long.fragment(), Model::V20)
    else {
        panic!();
    };
    assert_eq!((limit, allowed), (Limit::Arithmetic, 64));
    assert!(found > 64 && limit.error() == agal::ErrorKind::NativeAlu);
    let instance = pair(
        "mov vt0, iid.xxxx\nadd op, vt0, va0\nmov v0, va0",
        "mov oc, v0",
        3,
    );
    assert_eq!(
        translate(instance.vertex(), Model::V30),
        Err(TranslateError::InstanceId)
    );
}

/// d3d9-shaders.md section 7.3: what an opcode costs.
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
        // The instruction before does it.
        ("add ft1.xy, ft0, v0\nsat ft1.xy, ft1", 1),
        ("add ft1.xy, ft0, v0\nsat ft1.x, ft1", 2),
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
        assert_eq!(
            made.counts.slots.total() - 3,
            slots,
            "{line}\n{}",
            made.program.listing()
        );
    }
}

/// Indices that are whole numbers, and matrices that one leads to.
#[test]
fn indices_are_moved_to_a0() {
    let linked = pair(
        "m44 op, va0, vc[va1.x+2]\nadd v0, vc[va1.y], va0",
        "mov oc, v0",
        1,
    );
    for (model, _) in Model::ALL {
        let made = translate(linked.vertex(), model).unwrap();
        let kernel = Kernel::new(&made.program).unwrap();
        let mut state = kernel.state();
        state.set_input(0, 0, [1.0, 0.0, 0.0, 0.0]);
        state.set_input(1, 0, [3.0, 7.0, 0.0, 0.0]);
        let floats: Vec<[f32; 4]> = (0..16u8).map(|n| [f32::from(n); 4]).collect();
        let inputs = Inputs {
            floats: &floats,
            ..Inputs::default()
        };
        kernel
            .run(
                &mut state,
                &inputs,
                &Images(&[]),
                &Settings::DEFAULT,
                &mut (),
            )
            .unwrap();
        let position = if model == Model::V30 {
            state.output(File::Output, 0, 0)
        } else {
            state.position(0)
        };
        assert_eq!(position, [5.0, 6.0, 7.0, 8.0]);
    }
}
