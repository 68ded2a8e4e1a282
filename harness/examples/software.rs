//! The minimal host: draws a triangle with the reference renderer, without OpenGL, into a PNG.
//!
//!     cargo run --example software -- picture.png

use std::error::Error;
use std::path::Path;

use context3d::agal::{Stage, asm};
use context3d::backend::{Backend as _, ReadSurface};
use context3d::enums::{BufferUsage, VertexFormat};
use context3d::{Context3D, ContextOptions, Profile};
use molehill_reference::{RasterOptions, ReferenceBackend};
use molehill_replay::image::{RgbaImage, write_png};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: software FILE")?;
    Ok(write_png(Path::new(&path), &draw()?)?)
}

/// Draws a triangle. Each call is the ActionScript method with that name, and returns the error that it raises.
pub(crate) fn draw() -> Result<RgbaImage, Box<dyn Error>> {
    let options = ContextOptions { profile: Profile::Baseline, swf_version: 30 };
    let mut context = Context3D::new(ReferenceBackend::new(RasterOptions::default()), options);
    context.configure_back_buffer(320, 240, 4, false, false, false)?;

    let vertices = context.create_vertex_buffer(3, 5, BufferUsage::StaticDraw)?;
    #[rustfmt::skip]
    let data = [ // x, y, red, green, blue
         0.0,  0.8, 1.0, 0.0, 0.0,
         0.8, -0.8, 0.0, 1.0, 0.0,
        -0.8, -0.8, 0.0, 0.0, 1.0,
    ];
    context.vertex_buffer_upload_from_vector(vertices, Some(&data), 0, 3)?;
    let indices = context.create_index_buffer(3, BufferUsage::StaticDraw)?;
    context.index_buffer_upload_from_vector(indices, Some(&[0, 1, 2]), 0, 3)?;
    let vertex = asm::assemble("mov op, va0\nmov v0, va1", Stage::Vertex, 1)?.encode();
    let fragment = asm::assemble("mov oc, v0", Stage::Fragment, 1)?.encode();
    let program = context.create_program()?;
    context.program_upload(program, Some(vertex[..].into()), Some(fragment[..].into()))?;

    context.clear(0.1, 0.1, 0.1, 1.0, 1.0, 0, u32::MAX)?;
    context.set_program(Some(program))?;
    context.set_vertex_buffer_at(0, Some(vertices), 0, VertexFormat::Float2)?;
    context.set_vertex_buffer_at(1, Some(vertices), 2, VertexFormat::Float3)?;
    context.draw_triangles(Some(indices), 0, -1)?;
    context.present()?;

    let mut rgba = Vec::new();
    let (width, height) = context.backend_mut().read_pixels(ReadSurface::Front, &mut rgba)?;
    Ok(RgbaImage::from_rgba(width, height, rgba).ok_or("the image has another size")?)
}
