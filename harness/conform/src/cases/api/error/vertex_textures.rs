//! Errors of draws whose vertex program reads textures (AGAL 4): samplers are checked as a fragment program's are
//! (unverified).

use context3d::Profile;
use context3d::packets::FIRST_VERTEX_SAMPLER;

use super::drawing::{cube, draw_with, rectangle};
use super::{DrawSetup, ErrorCase, add_all, texture};
use crate::case::Cases;

const TEXTURED: (&str, &str) =
    ("tld vt0, va0, vs0 <2d,linear,clamp,mipnone>\nadd op, va0, vt0", "mov oc, fc0");
const MIP_MAPPED: (&str, &str) =
    ("tld vt0, va0, vs0 <2d,linear,clamp,miplinear>\nadd op, va0, vt0", "mov oc, fc0");
pub(super) fn add(cases: &mut Cases) {
    add_all(cases, samplers());
}

fn samplers() -> Vec<ErrorCase> {
    const {
        assert!(FIRST_VERTEX_SAMPLER == 0, "the slot that is named below");
    }
    let zero: &[&str] = &["0"];
    let list: Vec<ErrorCase> = error_cases! {
        3604 "drawTriangles.vertex" zero |s| {
            let texture = texture(s)?;
            s.output(Some(texture), false, 0, 0, 0)?;
            draw_with(s, 4, TEXTURED, texture)
        };
        3605 "drawTriangles.vertex" zero |s| {
            let (setup, texture) = (DrawSetup::new(s)?, texture(s)?);
            s.program_of(4, TEXTURED.0, TEXTURED.1)?;
            s.bind(0, Some(texture))?;
            s.on(texture.0, molehill_capture::Call::TextureDispose {})?;
        } => setup.draw(s);
        3663 "drawTriangles.vertex" zero |s| {
            let setup = DrawSetup::new(s)?;
            s.program_of(4, TEXTURED.0, TEXTURED.1)?;
        } => setup.draw(s);
        3697 "drawTriangles.vertex" ["1"] |s| {
            let texture = texture(s)?;
            s.bind(1, Some(texture))?;
            draw_with(s, 4, TEXTURED, texture)
        };
        3700 "drawTriangles.vertex" [] |s| {
            let texture = texture(s)?;
            draw_with(s, 4, MIP_MAPPED, texture)
        };
        3754 "drawTriangles.vertex" [] |s| {
            let cube = cube(s)?;
            draw_with(s, 4, TEXTURED, cube)
        };
        3755 "drawTriangles.vertex" [] |s| {
            let texture = rectangle(s)?;
            draw_with(s, 4, MIP_MAPPED, texture)
        };
        3763 "drawTriangles.vertex" zero |s| {
            let texture = s.texture(4, 4, "compressed")?;
            s.upload(texture, vec![0; 64], 0)?;
            draw_with(s, 4, TEXTURED, texture)
        };
    };
    let list = list.into_iter();
    list.map(|row| row.profile(Profile::Enhanced)).collect()
}
