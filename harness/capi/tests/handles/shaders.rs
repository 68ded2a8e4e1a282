//! Tests AGAL without a context: the C functions return the results of the crate `agal`.

use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};

use super::support::{device, made, message};
use agal::glsl::{ClipDepth, DIALECTS, Dialect, GlslOptions, emit};
use agal::{Endian, LinkedPair, Rules, asm, float::FloatRules, wgsl};
use molehill_c::*;

type Bytes = (Vec<u8>, Vec<u8>);

fn assembled(text: &str) -> Bytes {
    let (vertex, fragment) = asm::AssembleOptions::default().pair(text).unwrap();
    (vertex.encode(), fragment.encode())
}

fn linked((vertex, fragment): &Bytes) -> LinkedPair {
    agal::upload((vertex, Endian::Little), (fragment, Endian::Little), &Rules::NEWEST).unwrap()
}

fn create(bytes: &Bytes, profile: &CStr, agal: *mut MolehillAgal) -> MolehillStatus {
    create_of_endian(bytes, [0; 2], profile, agal)
}

fn create_of_endian(
    (vertex, fragment): &Bytes,
    [vertex_is_big, fragment_is_big]: [MolehillBool; 2],
    profile: &CStr,
    agal: *mut MolehillAgal,
) -> MolehillStatus {
    let (vertex, fragment) = (vertex.as_slice(), fragment.as_slice());
    unsafe {
        molehill_agal_create(
            vertex.as_ptr().cast(),
            vertex.len(),
            vertex_is_big,
            fragment.as_ptr().cast(),
            fragment.len(),
            fragment_is_big,
            profile.as_ptr(),
            agal,
        )
    }
}

fn text(pointer: *const c_char) -> String {
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap().to_owned()
}

fn glsl(agal: MolehillAgal, target: &MolehillGlslTarget) -> (MolehillStatus, MolehillShaders) {
    let mut shaders = MolehillShaders::default();
    (unsafe { molehill_agal_glsl(agal, target, &raw mut shaders) }, shaders)
}

fn wgsl(agal: MolehillAgal, target: &MolehillWgslTarget) -> [String; 2] {
    let mut shaders = MolehillShaders::default();
    let status = unsafe { molehill_agal_wgsl(agal, target, &raw mut shaders) };
    assert_eq!(status, MolehillStatus::Ok, "{:?}", message());
    [text(shaders.vertex), text(shaders.fragment)]
}

fn info(agal: MolehillAgal) -> MolehillAgalInfo {
    let mut info = MolehillAgalInfo::default();
    assert_eq!(unsafe { molehill_agal_info(agal, &raw mut info) }, MolehillStatus::Ok);
    info
}

/// A program that uses every part of an interface: version 4 with every type of register and sampler.
const LARGE: &str = "// version: 4\n// vertex\ntld vt0, va2, vs3 <2d,nearest,repeat,mipnone>\nmul vt0, vt0, vc9\n\
    add vt0, vt0, iid\nmov op, vt0\nmov v1, va0\nmov v4, va5\n// fragment\nddx ft0, v1\nkil ft0.x\nmul ft0, ft0, fc40\n\
    tex ft1, v1, fs2 <cube,linear,clamp,miplinear,dxt5,-2>\nmul ft0, ft0, ft1\n\
    tex ft1, v1, fs5 <2d,anisotropic4x,clamp_u_repeat_v,mipnearest,video,ignoresampler>\n\
    add ft0, ft0, ft1\nmov fo0, ft0\nmov fo1, fc3\nmov od.x, ft0.x";
const SMALL: &str = "// version: 1\n// vertex\nm44 op, va0, vc0\nmov v0, vc[va1.x+4]\n// fragment\nmul oc, v0, fc20";

#[test]
fn the_interface_of_agal_is_a_struct() {
    let bytes = assembled(LARGE);
    let agal = made(|agal| create(&bytes, c"enhanced", agal));
    let it = info(agal);
    assert_eq!((it.version, it.attributes, it.live_attributes), (4, 0b10_0101, 0b101));
    assert_eq!((it.varyings, it.color_outputs), (0b10, 0b11));
    assert_eq!((it.depth_output, it.discards, it.derivatives, it.instance_id), (1, 1, 1, 1));
    assert_eq!((it.vertex_constants, it.fragment_constants), (10, 41));
    assert_eq!(it.vertex_constants_read, [1 << 9, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(it.fragment_constants_read, [1 << 3, 1 << 8, 0, 0, 0, 0, 0, 0]);
    let words = |it: &MolehillSampler| [it.format, it.wrap, it.filter, it.mip].map(text);
    let [unused @ .., vertex] = it.vertex_samplers;
    assert_eq!(words(&vertex), ["rgba", "repeat", "nearest", "mipnone"]);
    assert!(unused.iter().all(|it| it.used == 0 && it.wrap.is_null()) && vertex.used == 1);
    let used: Vec<_> = (0..16).filter(|n| it.fragment_samplers[*n].used != 0).collect();
    assert_eq!(used, [2, 5]);
    let [cube, video] = [it.fragment_samplers[2], it.fragment_samplers[5]];
    assert_eq!(words(&cube), ["dxt5", "clamp", "linear", "miplinear"]);
    assert_eq!((cube.cube, cube.lod_bias, cube.ignore_sampler), (1, -2.0, 0));
    assert_eq!(words(&video), ["video", "clamp_u_repeat_v", "anisotropic4x", "mipnearest"]);
    assert_eq!((video.cube, video.lod_bias, video.ignore_sampler), (0, 0.0, 1));
    assert_eq!(molehill_agal_destroy(agal), MolehillStatus::Ok);

    let agal = made(|agal| create(&assembled(SMALL), c"baseline", agal));
    let it = info(agal);
    assert_eq!((it.depth_output, it.discards, it.derivatives, it.instance_id), (0, 0, 0, 0));
    assert_eq!(it.vertex_constants_read, [u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0, 0, 0, 0]);
    assert_eq!(molehill_agal_destroy(agal), MolehillStatus::Ok);
}

#[test]
fn glsl_is_that_of_agal() {
    for source in [LARGE, SMALL] {
        let bytes = assembled(source);
        let pair = linked(&bytes);
        let agal = made(|agal| create(&bytes, c"enhanced", agal));
        for dialect in DIALECTS {
            for on in [false, true] {
                let name = CString::new(dialect.name()).unwrap();
                let rust = GlslOptions {
                    clip_depth: if on { ClipDepth::ZeroToOne } else { ClipDepth::MinusOneToOne },
                    position_bias: if on { 0.25 } else { 0.0 },
                    float_rules: if on { FloatRules::Ieee } else { FloatRules::Direct3D9 },
                    comments: on,
                    ..GlslOptions::new(dialect)
                };
                let target = MolehillGlslTarget {
                    dialect: name.as_ptr(),
                    zero_to_one: on.into(),
                    position_bias: rust.position_bias,
                    ieee_floats: on.into(),
                    comments: on.into(),
                    ..Default::default()
                };
                let (status, shaders) = glsl(agal, &target);
                let Ok(expected) = emit(&pair, &rust) else {
                    assert_eq!(
                        (status, dialect),
                        (MolehillStatus::Unsupported, Dialect::Glsl100Es)
                    );
                    continue;
                };
                assert_eq!(status, MolehillStatus::Ok, "{dialect}: {:?}", message());
                assert_eq!(text(shaders.vertex), expected.vertex);
                assert_eq!(text(shaders.fragment), expected.fragment);
                let registers = unsafe {
                    std::slice::from_raw_parts(
                        shaders.fragment_constants,
                        shaders.fragment_constant_count,
                    )
                };
                let stage = agal::Stage::Fragment;
                assert_eq!(registers, agal::glsl::constants(pair.interface(), stage, dialect));
            }
        }
        let default = unsafe {
            let mut shaders = MolehillShaders::default();
            assert_eq!(molehill_agal_glsl(agal, null(), &raw mut shaders), MolehillStatus::Ok);
            text(shaders.vertex)
        };
        assert!(
            default.starts_with("#version 330 core\n") && default.contains("2.0 * op.z - op.w")
        );
        let tessellation =
            MolehillGlslTarget { dialect: c"400".as_ptr(), ..MolehillGlslTarget::default() };
        assert_eq!(glsl(agal, &tessellation).0, MolehillStatus::BadArgument);
        assert_eq!(molehill_agal_destroy(agal), MolehillStatus::Ok);
    }
}

#[test]
fn wgsl_has_the_hosts_bindings() {
    let bytes = assembled(LARGE);
    let pair = linked(&bytes);
    let agal = made(|agal| create(&bytes, c"enhanced", agal));
    let expected = wgsl::emit(&pair, &wgsl::WgslOptions::default());
    let default = MolehillWgslTarget::default();
    assert_eq!(wgsl(agal, &default), [expected.vertex, expected.fragment]);
    let place = |group, binding| MolehillBinding { group, binding };
    let [vertex, fragment] = wgsl(
        agal,
        &MolehillWgslTarget {
            binding_step: 3,
            vertex_constants: place(4, 40),
            fragment_constants: place(5, 50),
            vertex_textures: place(6, 60),
            vertex_samplers: place(7, 70),
            fragment_textures: place(8, 80),
            fragment_samplers: place(9, 90),
            vertex_entry: c"left".as_ptr(),
            fragment_entry: c"right".as_ptr(),
            vertex_opaque: 1 << 3,
            fragment_opaque: 1 << 2,
            ieee_floats: 1,
            comments: 1,
            ..default
        },
    );
    for line in [
        "@group(4) @binding(40) var<uniform> vc: array<vec4f, 10>;",
        "@group(6) @binding(69) var vs3: texture_2d<f32>;",
        "@group(7) @binding(79) var vs3_sampler: sampler;",
        "fn left(",
        ".rgb, 1.0)",
    ] {
        assert!(vertex.contains(line), "{line}\n{vertex}");
    }
    for line in [
        "@group(5) @binding(50) var<uniform> fc: array<vec4f, 41>;",
        "@group(8) @binding(86) var fs2: texture_cube<f32>;",
        "@group(9) @binding(96) var fs2_sampler: sampler;",
        "@group(8) @binding(95) var fs5: texture_2d<f32>;",
        "fn right(",
        ".rgb, 1.0)",
    ] {
        assert!(fragment.contains(line), "{line}\n{fragment}");
    }
    assert!(!fragment.contains("agal_largest") && fragment.contains("// ddx ft0, v1"));
    assert_eq!(molehill_agal_destroy(agal), MolehillStatus::Ok);
}

#[test]
fn errors_of_agal_are_those_of_flash() {
    let (vertex, fragment) = assembled(SMALL);
    let mut agal = MolehillAgal { id: 7 };
    let mut refused = |bytes: &Bytes, profile: &CStr| {
        assert_eq!(create(bytes, profile, &raw mut agal), MolehillStatus::FlashError);
        assert_eq!(agal.id, 0);
        let mut error = MolehillError::default();
        assert_eq!(unsafe { molehill_last_error(&raw mut error) }, MolehillStatus::Ok);
        let as3 = text(error.as3_message);
        (error.number, error.token, text(error.class_name), error.error_class, as3)
    };
    let mut wrong = vertex.clone();
    wrong[7 + 24] = 0xFF; // the opcode of token 2
    let expected = agal::upload(
        (&wrong, Endian::Little),
        (&fragment, Endian::Little),
        &Rules { profile: agal::Profile::Baseline },
    );
    let expected = expected.unwrap_err();
    let (number, token, class, error_class, as3) = refused(&(wrong, fragment.clone()), c"baseline");
    assert_eq!((number, token), (u32::from(expected.number()), 2));
    assert_eq!((class.as_str(), error_class), ("Error", MolehillErrorClass::Error));
    assert_eq!(as3, expected.to_string());
    // A pair that can't be linked fails, and so does a version that the profile doesn't support.
    let empty = || vec![0xa0, 1, 0, 0, 0, 0xa1, 1];
    let found = refused(&(vertex.clone(), empty()), c"baseline");
    assert_eq!((found.0, found.1, found.3), (3615, 0, MolehillErrorClass::Error));
    assert_eq!(refused(&(fragment.clone(), fragment.clone()), c"baseline").0, 3631);
    assert_eq!(refused(&assembled(LARGE), c"baseline").0, 3725);
    // The profile's hardware limits: 65 instructions without texture reads.
    let many = "mul ft0, ft0, ft0\n".repeat(70);
    let many = format!(
        "// version: 1\n// vertex\nmov op, va0\n// fragment\nmov ft0, fc0\n{many}mov oc, ft0"
    );
    let native = refused(&assembled(&many), c"baselineConstrained");
    assert!((3715..=3721).contains(&native.0), "{native:?}");
    let found = made(|agal| create(&assembled(&many), c"baseline", agal));
    assert_eq!(molehill_agal_destroy(found), MolehillStatus::Ok);

    for endian in [[1, 0], [0, 1]] {
        let bytes = (vertex.clone(), fragment.clone());
        let created = create_of_endian(&bytes, endian, c"baseline", &raw mut agal);
        assert_eq!((created, message().0), (MolehillStatus::FlashError, 3612));
    }
    // A null program remains null, as in ActionScript.
    let (pointer, length) = (vertex.as_ptr().cast(), vertex.len());
    let created =
        unsafe { molehill_agal_create(pointer, length, 0, null(), 0, 0, null(), &raw mut agal) };
    assert_eq!(created, MolehillStatus::FlashError);
    assert_eq!(message(), (2007, "Parameter fragmentProgram must be non-null.".to_owned()));
    let unknown = create(&(vertex.clone(), fragment.clone()), c"best", &raw mut agal);
    assert_eq!(unknown, MolehillStatus::BadArgument);
    let nowhere = create(&(vertex, fragment), c"baseline", null_mut());
    assert_eq!(nowhere, MolehillStatus::BadArgument);
    let device = device();
    for id in [0, 7, device.id] {
        let (wrong, mut info) = (MolehillAgal { id }, MolehillAgalInfo::default());
        let told = unsafe { molehill_agal_info(wrong, &raw mut info) };
        assert_eq!((told, info.version), (MolehillStatus::BadHandle, 0));
        assert_eq!(glsl(wrong, &MolehillGlslTarget::default()).0, MolehillStatus::BadHandle);
        assert_eq!(molehill_agal_destroy(wrong), MolehillStatus::BadHandle);
    }
    assert_eq!(molehill_device_destroy(device), MolehillStatus::Ok);
}
