//! Errors of `Program3D.upload`: an invalid program for each, and similar valid ones.
//!
//! Source: agal-errors.md.

use agal::Stage;
use agal::asm::{Options, assemble_with};
use context3d::Profile;

use crate::case::{Cases, Expected};
use crate::scene_builder::{Done, SceneBuilder, assemble};
use molehill_capture::Call;
use molehill_capture::data::{ByteArray, Bytes};
use molehill_replay::record::RecordError;

const SOURCE: &str = "agal-errors.md, agal-adobe-2012.md";
pub(super) const VERTEX: &str = "mov op, va0\nmov v0, va1\nmov v1, va2";
pub(super) const FRAGMENT: &str = "mov oc, v0";
/// Bytes before the first token, and of a token (agal.md section 2).
const HEADER: usize = 7;
const TOKEN: usize = 24;

/// A pair with a single error.
#[derive(Clone, Copy)]
pub(super) struct Wrong {
    number: u16,
    what: &'static str,
    version: u32,
    profile: Profile,
    vertex: &'static str,
    fragment: &'static str,
    /// A byte of one program that text can't express: the program, the token (from 1, or 0 for the header), the byte's
    /// index, and its value.
    patch: Option<(Stage, usize, usize, u8)>,
    /// The first placeholders of the message, as far as the reference specifies them.
    message: &'static [&'static str],
}

pub(super) const fn wrong(number: u16, what: &'static str, version: u32) -> Wrong {
    Wrong {
        number,
        what,
        version,
        profile: Profile::Enhanced,
        vertex: VERTEX,
        fragment: FRAGMENT,
        patch: None,
        message: &[],
    }
}

impl Wrong {
    pub(super) const fn vertex(self, vertex: &'static str) -> Self {
        // Registers must be written before they are read.
        Wrong { vertex, fragment: "mov oc, fc0", ..self }
    }

    pub(super) const fn fragment(self, fragment: &'static str) -> Self {
        Wrong { fragment, ..self }
    }

    pub(super) const fn patch(self, stage: Stage, token: usize, byte: usize, value: u8) -> Self {
        Wrong { patch: Some((stage, token, byte, value)), ..self }
    }

    const fn on(self, profile: Profile) -> Self {
        Wrong { profile, ..self }
    }

    const fn says(self, message: &'static [&'static str]) -> Self {
        Wrong { message, ..self }
    }

    pub(super) fn program(&self, stage: Stage) -> Result<Vec<u8>, RecordError> {
        let text = match stage {
            Stage::Vertex => self.vertex,
            Stage::Fragment => self.fragment,
        };
        let options = Options { ignore_limits: true };
        let invalid = |error: agal::asm::AsmErrors| {
            std::io::Error::new(std::io::ErrorKind::InvalidData, error.to_string())
        };
        let program = assemble_with(text, stage, self.version, options).map_err(invalid)?;
        let mut bytes = program.encode();
        if let Some((patched, token, byte, value)) = self.patch
            && patched == stage
        {
            let start = match token {
                0 => 0,
                token => HEADER + (token - 1) * TOKEN,
            };
            if let Some(at) = bytes.get_mut(start + byte) {
                *at = value;
            }
        }
        Ok(bytes)
    }
}

pub(super) fn upload(s: &mut SceneBuilder, vertex: ByteArray, fragment: ByteArray) -> Done {
    let program = s.create(Call::CreateProgram {})?;
    s.expect();
    s.on(program, Call::ProgramUpload { vertex_program: vertex, fragment_program: fragment })
}

macro_rules! wrong_programs {
    ($($number:literal $what:literal version $version:literal $(. $method:ident ($($argument:expr),*))*;)+) => {
        fn rows() -> Vec<Wrong> {
            vec![$(wrong($number, $what, $version)$(.$method($($argument),*))*),+]
        }
    };
}

wrong_programs! {
    3616 "magic" version 1 .patch(Stage::Vertex, 0, 0, 0xA1) .says(&["vertex"]);
    3617 "version" version 1 .patch(Stage::Fragment, 0, 1, 9);
    3618 "type_identifier" version 1 .patch(Stage::Fragment, 0, 5, 0) .says(&["fragment"]);
    3619 "type" version 1 .patch(Stage::Vertex, 0, 6, 2) .says(&["vertex"]);
    3630 "fragment_is_vertex" version 1 .fragment("mov oc, fc0") .patch(Stage::Fragment, 0, 6, 0);
    3631 "vertex_is_fragment" version 1 .vertex("mov op, vc0") .patch(Stage::Vertex, 0, 6, 1);
    3620 "opcode_255" version 1 .patch(Stage::Fragment, 1, 0, 255) .says(&["fragment", "255", "1"]);
    3620 "opcode_0x2f" version 1 .patch(Stage::Fragment, 1, 0, 0x2f) .says(&["fragment", "47", "1"]);
    3621 "opcode_0x22" version 1 .patch(Stage::Vertex, 2, 0, 0x22);
    3621 "opcode_0x2b" version 1 .patch(Stage::Vertex, 2, 0, 0x2b);
    3622 "tex" version 1 .patch(Stage::Vertex, 1, 0, 0x28);
    3623 "eif" version 2 .fragment("eif\nmov oc, v0") .says(&["fragment", "", "1"]);
    3624 "five_levels" version 2 .fragment("mov ft0, v0\nifg v0.x, v1.y\nifg v0.x, v1.y\nifg v0.x, v1.y\nifg v0.x, v1.y\n\
        ifg v0.x, v1.y\nmov ft0, v1\neif\neif\neif\neif\neif\nmov oc, ft0") .says(&["fragment", "", "6"]);
    3625 "add" version 1 .vertex("add vt0, vc0, vc1\nmov op, va0") .says(&["vertex", "1"]);
    3625 "m44" version 1 .vertex("mov op, va0\nm44 vt0, vc0, vc1") .says(&["vertex", "2"]);
    3625 "indirect" version 1 .vertex("add vt0, vc[va0.x], vc0\nmov op, va0") .says(&["vertex", "1"]);
    3625 "alone" version 1 .vertex("mov op, va0\nrcp vt0, vc0") .says(&["vertex", "2"]);
    3625 "kil_alone" version 1 .fragment("kil fc0.x\nmov oc, v0") .says(&["fragment", "1"]);
    3627 "kil" version 1 .fragment("kil v0.x\nmov oc, v0") .patch(Stage::Fragment, 1, 4, 1);
    3628 "nrm" version 1 .vertex("nrm vt0, va0\nmov op, va0");
    3628 "crs" version 1 .vertex("crs vt0.xw, va0, va1\nmov op, va0");
    3628 "m33" version 1 .vertex("m33 vt0, va0, vc0\nmov op, va0");
    3628 "m34" version 1 .vertex("m34 vt0.w, va0, vc0\nmov op, va0");
    3632 "varying" version 1 .vertex("mov op, va0\nmov v1, va0") .fragment("mov oc, v0") .says(&["0"]);
    3632 "component" version 1 .vertex("mov op, va0\nmov v3.xyz, va0") .fragment("mov oc, v3") .says(&["3"]);
    3632 "matrix_row" version 1 .vertex("mov op, va0\nmov v0, va0\nmov v1, va0") .fragment("mov ft0, v0\nm44 oc, ft0, v0") .says(&["2"]);
    3633 "varying" version 1 .vertex("mov op, va0\nmov v3.xyz, va0") .fragment("mov oc, v3.xyzz") .says(&["3"]);
    3633 "unread" version 1 .vertex("mov op, va0\nmov v3.xyz, va0") .fragment("mov oc, fc0") .says(&["3"]);
    3634 "fragment" version 1 .fragment("mov ft0, v0");
    3635 "not_at_all" version 1 .vertex("mov v0, va0");
    3635 "partly" version 1 .vertex("mov op.xyz, va0");
    3636 "mov" version 1 .patch(Stage::Vertex, 1, 16, 1);
    3638 "source" version 1 .fragment("tex ft0, v0, fs0 <2d>\nmov oc, fs0");
    3639 "fragment" version 1 .patch(Stage::Fragment, 1, 15, 0x80);
    3640 "attribute" version 1 .patch(Stage::Vertex, 1, 15, 0x80);
    3642 "output" version 1 .vertex("mov op, vc[va0.x]") .patch(Stage::Vertex, 1, 13, 3);
    3643 "offset" version 1 .vertex("mov op, va0") .patch(Stage::Vertex, 1, 10, 1);
    3644 "vertex" version 1 .vertex("mov op, v0") .says(&["vertex", "source operand 1", "1"]);
    3645 "fragment" version 1 .patch(Stage::Fragment, 1, 12, 0) .says(&["fragment", "source operand 1", "1"]);
    3646 "position" version 1 .vertex("mov op, va0\nmov vt0, op") .says(&["vertex", "source operand 1", "2"]);
    3647 "mov" version 1 .fragment("mov oc, ft0") .says(&["fragment", "source operand 1", "1"]);
    3648 "add" version 1 .fragment("mov ft0.xy, v0\nadd oc, v0, ft0.xyzz") .says(&["fragment", "source operand 2", "2"]);
    3647 "one_branch" version 2 .fragment("ife v0.x, v1.x\nmov ft0, v0\neif\nmov oc, ft0") .says(&["fragment", "source operand 1", "4"]);
    3648 "selectors" version 1 .fragment("mov ft0.xyz, v0\nmov ft1.x, ft0\nmov oc, v0") .says(&["fragment", "source operand 1", "2"]);
    3649 "fragment" version 1 .fragment("mov fs0, v0\nmov oc, v0") .says(&["fragment", "destination operand", "1"]);
    3650 "fragment" version 1 .fragment("mov v0, v1\nmov oc, v0") .says(&["fragment", "destination operand", "1"]);
    3651 "vertex" version 1 .vertex("mov va0, va1\nmov op, va0") .says(&["vertex", "destination operand", "1"]);
    3652 "fc127" version 1 .fragment("mov fc127, v0\nmov oc, v0") .says(&["fragment", "destination operand", "1"]);
    3652 "vertex" version 1 .vertex("mov vc0, va1\nmov op, va0") .says(&["vertex", "destination operand", "1"]);
    3653 "mov" version 1 .patch(Stage::Vertex, 2, 6, 0) .says(&["vertex", "destination operand", "2"]);
    3654 "destination" version 1 .patch(Stage::Vertex, 1, 6, 0x1f);
    3654 "source" version 1 .patch(Stage::Vertex, 1, 12, 0x10);
    3655 "destination" version 1 .patch(Stage::Vertex, 1, 7, 8);
    3655 "above_the_type" version 1 .patch(Stage::Vertex, 1, 7, 0x10);
    3655 "source" version 1 .patch(Stage::Vertex, 1, 12, 15);
    3656 "fs8" version 1 .fragment("tex oc, v0, fs8");
    3656 "vs8" version 1 .vertex("mov op, vs8");
    3656 "fs16" version 2 .fragment("tex oc, v0, fs16");
    3656 "fs8_in_standardConstrained" version 2 .fragment("tex oc, v0, fs8") .on(Profile::StandardConstrained);
    3657 "v8" version 1 .vertex("mov v8, va0\nmov op, va0");
    3657 "v8_in_standardConstrained" version 2 .vertex("mov v8, va0\nmov op, va0") .on(Profile::StandardConstrained);
    3658 "va8" version 1 .vertex("mov op, va8");
    3659 "vc128" version 1 .vertex("mov op, vc128");
    3659 "vc250" version 2 .vertex("mov op, vc250");
    3659 "fc28" version 1 .fragment("mov oc, fc28");
    3659 "fc64" version 2 .fragment("mov oc, fc64");
    3659 "fc200" version 3 .fragment("mov oc, fc200");
    3659 "m44_vc125" version 1 .vertex("m44 op, va0, vc125");
    3660 "op1" version 1 .vertex("mov op1, va0");
    3660 "fo1" version 1 .fragment("mov fo1, v0");
    3660 "fo4" version 2 .fragment("mov fo4, v0");
    3661 "ft8" version 1 .fragment("mov ft8, v0\nmov oc, v0");
    3661 "ft26" version 2 .fragment("mov ft26, v0\nmov oc, v0");
    3661 "vt7_in_baselineConstrained" version 1 .vertex("mov vt7, va0\nmov op, vt7") .on(Profile::BaselineConstrained);
    3661 "ft7_in_baselineConstrained" version 1 .fragment("mov ft7, v0\nmov oc, ft7") .on(Profile::BaselineConstrained);
    3662 "before_the_filter" version 1 .fragment("tex oc, v0, fs0 <cube,repeat>") .patch(Stage::Fragment, 1, 23, 0x70);
    3662 "repeat" version 1 .fragment("tex oc, v0, fs0 <cube,repeat,linear,miplinear>");
    3664 "2" version 1 .fragment("tex oc, v0, fs0 <2d>") .patch(Stage::Fragment, 1, 21, 0x20);
    3665 "6" version 1 .fragment("tex oc, v0, fs0 <2d>") .patch(Stage::Fragment, 1, 23, 0x60);
    3666 "3" version 1 .fragment("tex oc, v0, fs0 <2d>") .patch(Stage::Fragment, 1, 23, 0x03);
    3667 "4" version 1 .fragment("tex oc, v0, fs0 <2d>") .patch(Stage::Fragment, 1, 22, 0x40);
    3668 "8" version 1 .fragment("tex oc, v0, fs0 <2d>") .patch(Stage::Fragment, 1, 22, 0x08);
    3689 "m44" version 1 .vertex("m44 op, va0, vc0.xxyy");
    3693 "above_the_type" version 1 .fragment("tex oc, v0, fs0 <2d>") .patch(Stage::Fragment, 1, 20, 0x15);
    3693 "tex" version 1 .fragment("tex oc, v0, fs0 <2d>") .patch(Stage::Fragment, 1, 20, 4);
    3696 "filters" version 1 .fragment("tex ft0, v0, fs0 <2d,linear>\ntex ft1, v0, fs0 <2d,nearest>\nadd oc, ft0, ft1");
    3701 "xyz" version 1 .fragment("mov oc.xyz, v0");
    3703 "kil" version 1 .fragment("kil v0.xyzw\nmov oc, v0");
    3725 "version_2" version 2 .on(Profile::BaselineExtended) .says(&["", "2"]);
    3726 "ddx" version 1 .patch(Stage::Fragment, 1, 0, 0x1a);
    3739 "ife" version 2 .fragment("mov oc, v0\nife v0.x, v1.x\nmov ft0, v0") .says(&["fragment"]);
    3741 "tex" version 2 .fragment("mov ft0, v0\nife v0.x, v1.x\ntex ft0, ft0, fs0\neif\nmov oc, ft0");
    3742 "ddx" version 2 .fragment("mov ft0, v0\nife v0.x, v1.x\nddx ft0, v0\neif\nmov oc, ft0");
    3744 "oc" version 2 .fragment("mov oc, v0\nmov oc, v1");
    3748 "if" version 2 .fragment("ife v0.x, v1.x\neif\nmov oc, v0");
    3749 "version_1" version 1 .fragment("mov od.x, v0\nmov oc, v0");
    3749 "od1" version 2 .fragment("mov od1.x, v0\nmov oc, v0");
    3751 "fo1" version 2 .fragment("mov ft0, v0\nife v0.x, v1.x\nmov fo1, v0\neif\nmov oc, ft0");
    3752 "els" version 2 .fragment("els\nmov oc, v0");
    3756 "xy" version 2 .fragment("mov od.xy, v0\nmov oc, v0");
    3758 "ine" version 2 .fragment("ine v0.x, v0.x\nmov ft0, v0\neif\nmov oc, v0");
    3775 "fo2" version 2 .fragment("mov fo0, v0\nmov fo2, v0");
    3641 "tld" version 4 .vertex("tld op, vc[va0.x], vs0");
    3804 "tld" version 4 .vertex("tld op, va0, vs0 <anisotropic2x>");
    3757 "versions" version 2 .patch(Stage::Fragment, 0, 1, 3);
    3637 "mov" version 1 .vertex("mov op, vs0");
    3750 "vertex" version 2 .patch(Stage::Vertex, 1, 7, 6);
    3786 "iid" version 3 .vertex("mov iid, va1\nmov op, va0");
    3788 "fragment" version 3 .fragment("mov oc, v0") .patch(Stage::Fragment, 1, 12, 7);
    3789 "version_1" version 1 .vertex("add op, va0, iid");
    3803 "tld" version 1 .patch(Stage::Fragment, 1, 0, 0x2e);
    3805 "tld" version 1 .patch(Stage::Vertex, 1, 0, 0x2e);
}

pub(super) fn add(cases: &mut Cases) {
    for row in rows() {
        let name = format!("agal.error.{}.{}", row.number, row.what);
        cases
            .calls(name, SOURCE, Expected::raises(row.number, row.message), move |s| {
                let (vertex, fragment) =
                    (row.program(Stage::Vertex)?, row.program(Stage::Fragment)?);
                upload(s, vertex.into(), fragment.into())
            })
            .exactly(row.profile)
            .on_null_backend();
    }
    sizes(cases);
    native(cases);
}

/// Programs that are too long for the hardware of the lowest profile (profiles.md, shader limits).
fn native(cases: &mut Cases) {
    let rows = [
        (3716, "alu", "add ft0, ft0, v0\n", 65),
        (3717, "textures", "tex ft1, v0, fs0 <2d>\nadd ft0, ft0, ft1\n", 33),
        (3721, "dependent_reads", "tex ft0, ft0, fs0 <2d>\n", 5),
    ];
    for (number, what, tokens, count) in rows {
        let name = format!("agal.error.{number}.{what}");
        let text = format!("mov ft0, v0\n{}mov oc, ft0", tokens.repeat(count));
        let expected = Expected::raises(number, &["fragment"]);
        let case = cases.calls(name, "agal-errors.md; profiles.md", expected, move |s| {
            let vertex = assemble(VERTEX, Stage::Vertex, 1)?;
            upload(s, vertex.into(), assemble(&text, Stage::Fragment, 1)?.into())
        });
        case.exactly(Profile::BaselineConstrained).on_null_backend();
    }
}

/// Arrays that are too short or in the wrong byte order.
fn sizes(cases: &mut Cases) {
    let legal = wrong(0, "", 1);
    for bytes in [1, 6, 7, 30] {
        for stage in [Stage::Vertex, Stage::Fragment] {
            let expected = Expected::raises(3615, &[stage.name()]);
            let name = format!("agal.error.3615.{}_of_{bytes}_bytes", stage.name());
            cases
                .calls(name, SOURCE, expected, move |s| {
                    let mut programs =
                        [legal.program(Stage::Vertex)?, legal.program(Stage::Fragment)?];
                    if let Some(program) = programs.get_mut(usize::from(stage.code())) {
                        program.truncate(bytes);
                    }
                    let [vertex, fragment] = programs;
                    upload(s, vertex.into(), fragment.into())
                })
                .on_null_backend();
        }
    }
    let big_endian = Expected::raises(3612, &[]);
    cases
        .calls("agal.error.3612.big_endian", SOURCE, big_endian, move |s| {
            let vertex = ByteArray(Some(Bytes {
                bytes: legal.program(Stage::Vertex)?,
                endian: agal::Endian::Big,
            }));
            upload(s, vertex, legal.program(Stage::Fragment)?.into())
        })
        .on_null_backend();
}
