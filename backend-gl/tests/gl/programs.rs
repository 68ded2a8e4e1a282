//! Tests that equal pairs share a GL program, and that cached program binaries are validated.
#![allow(unsafe_code, reason = "a cache of programs")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::common::scene::{FULL, GREEN, PASS, RED, Scene, VARYING};
use crate::common::{APIS, open, undebugged};
use backend_gl::ProgramCache;
use backend_gl::offscreen::{Api, Offscreen, OffscreenOptions};
use context3d::agal::float::FloatRules;

/// A host's program cache, with counts of its calls.
#[derive(Debug, Default)]
struct Kept {
    programs: Mutex<HashMap<String, Vec<u8>>>,
    asked: Mutex<u32>,
}

impl ProgramCache for Kept {
    fn load(&self, name: &str) -> Option<Vec<u8>> {
        *self.asked.lock().expect("one thread") += 1;
        self.programs.lock().expect("one thread").get(name).cloned()
    }

    fn store(&self, name: &str, bytes: &[u8]) {
        let mut programs = self.programs.lock().expect("one thread");
        programs.insert(name.to_owned(), bytes.to_vec());
    }
}

/// Returns a scene on a new context with a program cache.
fn scene(api: Api, kept: &Arc<Kept>) -> Scene {
    scene_on(&open(api), api, kept)
}

fn scene_on(offscreen: &Offscreen, api: Api, kept: &Arc<Kept>) -> Scene {
    let device = offscreen.device().expect("a device");
    // SAFETY: the cache returns the stored bytes, or bytes that every driver rejects.
    unsafe { device.set_program_cache(Arc::clone(kept) as Arc<dyn ProgramCache>) };
    Scene::over(api, device.backend().expect("a backend"), (64, 64), 0)
}

#[test]
fn the_same_pair_is_compiled_once() {
    for api in APIS {
        let kept = Arc::new(Kept::default());
        let mut scene = scene(api, &kept);
        let (first, second) = (scene.program(PASS, VARYING), scene.program(PASS, VARYING));
        if kept.programs.lock().expect("one thread").is_empty() {
            assert!(
                std::env::var_os("MOLEHILL_REQUIRE_TOOLS").is_none(),
                "{api} gives no binaries"
            );
            eprintln!("skipped: {api} gives no binaries, so nothing tells of its compiler");
            return;
        }
        assert_eq!(*kept.asked.lock().expect("one thread"), 1, "{api}");
        for (program, color) in [(first, RED), (second, GREEN), (first, GREEN)] {
            scene.clear([0.0, 0.0, 0.0, 1.0]);
            scene.bind(program);
            scene.quad(FULL, 0.5, color.map(|byte| f32::from(byte) / 255.0));
            scene.picture().expect((5, 5), color, "one of two");
        }
        // One of two equal programs is disposed; the other still draws, and a new equal program shares it.
        scene.call(context3d::Invocation::ProgramDispose { program: first });
        scene.bind(second);
        scene.clear([0.0, 0.0, 0.0, 1.0]);
        scene.quad(FULL, 0.5, [1.0, 0.0, 0.0, 1.0]);
        scene.picture().expect((5, 5), RED, "the other");
        scene.call(context3d::Invocation::ProgramDispose { program: second });
        scene.program(PASS, VARYING);
        assert_eq!(*kept.asked.lock().expect("one thread"), 1, "{api}");
    }
}

/// By Direct3D 9's rules, 0 times the reciprocal of 0 is 0 [agal.rcp.zero]; by IEEE 754's rules it is NaN, which
/// differs from itself. Both programs come from one cache.
#[test]
fn float_rules_are_those_of_the_device() {
    let rules = [FloatRules::Direct3D9, FloatRules::Ieee];
    for api in APIS {
        let kept = Arc::new(Kept::default());
        for (rules, color) in rules.into_iter().zip([RED, GREEN]).chain([(rules[0], RED)]) {
            let mut options = OffscreenOptions::new(api);
            options.device.float_rules = rules;
            let mut scene = scene_on(&undebugged(&options), api, &kept);
            let program = scene.program(
                PASS,
                "rcp ft0, v0.z\nmul ft0, ft0, v0.z\nsge ft1, ft0, ft0\nmov ft2, v0.zzzw\n\
                 mov ft2.x, ft1.x\nsub ft2.y, v0.w, ft1.x\nmov oc, ft2",
            );
            scene.clear([0.0, 0.0, 0.0, 1.0]);
            scene.bind(program);
            scene.quad(FULL, 0.5, [1.0, 0.0, 0.0, 1.0]);
            scene.picture().expect((5, 5), color, rules.name());
        }
    }
}

#[test]
fn kept_programs_are_checked() {
    for api in APIS {
        let kept = Arc::new(Kept::default());
        scene(api, &kept).program(PASS, VARYING);
        let whole = kept.programs.lock().expect("one thread").clone();
        let damages: [fn(&mut Vec<u8>); 6] = [
            |_| {},
            |bytes| bytes.clear(),
            |bytes| bytes.truncate(bytes.len() / 2),
            |bytes| bytes.extend([0; 4]),
            |bytes| bytes[0] ^= 1,
            |bytes| bytes.iter_mut().skip(40).for_each(|byte| *byte ^= 0x55),
        ];
        for damage in damages {
            let mut damaged = whole.clone();
            damaged.values_mut().for_each(damage);
            *kept.programs.lock().expect("one thread") = damaged;
            let mut scene = scene(api, &kept);
            let program = scene.program(PASS, VARYING);
            scene.clear([0.0, 0.0, 0.0, 1.0]);
            scene.bind(program);
            scene.quad(FULL, 0.5, [0.0, 1.0, 0.0, 1.0]);
            scene.picture().expect((5, 5), GREEN, "a damaged cache");
            assert_eq!(scene.context.backend_mut().debug_errors(), 0, "{api}");
            // The valid binary replaces the invalid one.
            assert_eq!(*kept.programs.lock().expect("one thread"), whole, "{api}");
        }
    }
}
