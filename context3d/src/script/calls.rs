//! From a step to a call on the objects that there are.

use crate::command::{Bitmap, BitmapTarget, Command, Rectangle};
use crate::keys::{Handle, TextureKey};
use crate::names::Name;

use super::data::{BYTES, INDICES, MATRIX, NUMBERS, PROGRAMS, TEXELS, VERTICES, bytecode};
use super::pools::{Pools, clear, name, pick, pick_or_null};
use super::step::{DISPOSE, Step};

impl Pools {
    pub(super) fn command(&self, step: &Step) -> Command<'static> {
        match step.call {
            0..=8 => self.frame_call(step),
            9..=14 => self.creation(step),
            15..=22 => self.binding(step),
            23..=29 => self.drawing(step),
            39 => self.repair(step),
            40..=43 => self.late_call(step),
            _ => self.upload_call(step),
        }
    }

    /// One of the calls that make ready to draw, so that sequences don't end in a state in which nothing is drawn.
    fn repair(&self, step: &Step) -> Command<'static> {
        let [a, b, c, ..] = step.ints;
        let mut scene = self.scene();
        // There are many, and little needs them.
        let smaller = |command: &Command<'_>| {
            matches!(
                command,
                Command::TextureUploadFromByteArray { miplevel: 1.., .. }
            )
        };
        scene.retain(|command| !smaller(command));
        let unbind = |index| Command::SetVertexBufferAt {
            index,
            buffer: None,
            buffer_offset: 0,
            format: Name::Null,
        };
        scene.extend((1..8).map(unbind));
        scene.extend([
            Command::SetRenderToBackBuffer,
            Command::SetScissorRectangle { rectangle: None },
            Command::EnableErrorChecking { value: false },
            clear([0.25; 4], 7),
        ]);
        let bind = |(sampler, texture): (i32, &Handle<TextureKey>)| Command::SetTextureAt {
            sampler,
            texture: Some(*texture),
        };
        scene.extend([0, 1].into_iter().zip(&self.textures).map(bind));
        scene.extend(self.video.iter().map(|texture| bind((0, texture))));
        let programs = self.programs.iter().map(|program| Command::SetProgram {
            program: Some(*program),
        });
        scene.extend(programs);
        let place = a
            .wrapping_mul(9)
            .wrapping_add(b)
            .wrapping_mul(9)
            .wrapping_add(c);
        scene[place.unsigned_abs() as usize % scene.len()]
    }

    fn frame_call(&self, step: &Step) -> Command<'static> {
        let [a, b, c, d, e, _] = step.ints;
        match step.call {
            0 => self.back_buffer(a, b, c, step.flag),
            1 => clear(step.numbers, a.cast_unsigned()),
            2 => Command::Present,
            DISPOSE => Command::Dispose {
                recreate: step.flag,
            },
            4 => Command::SetBlendFactors {
                source_factor: name(a),
                destination_factor: name(b),
            },
            5 => Command::SetColorMask {
                red: step.flag,
                green: a > 3,
                blue: b > 3,
                alpha: c > 3,
            },
            6 => Command::SetDepthTest {
                depth_mask: step.flag,
                pass_compare_mode: name(a),
            },
            7 => Command::SetStencilActions {
                triangle_face: name(a),
                compare_mode: name(b),
                action_on_both_pass: name(c),
                action_on_depth_fail: name(d),
                action_on_depth_pass_stencil_fail: name(e),
            },
            _ => Command::SetScissorRectangle {
                rectangle: (a < 6).then(|| rectangle(step.numbers)),
            },
        }
    }

    fn creation(&self, step: &Step) -> Command<'static> {
        let [a, b, c, d, ..] = step.ints;
        let optimize_for_render_to_texture = step.flag;
        match step.call {
            9 => Command::CreateVertexBuffer {
                num_vertices: a,
                data32_per_vertex: b,
                buffer_usage: name(c),
            },
            10 => Command::CreateIndexBuffer {
                num_indices: a,
                buffer_usage: name(b),
            },
            11 => Command::CreateTexture {
                width: a,
                height: b,
                format: name(c),
                optimize_for_render_to_texture,
                streaming_levels: d.min(1),
            },
            12 => Command::CreateRectangleTexture {
                width: a,
                height: b,
                format: name(c),
                optimize_for_render_to_texture,
            },
            13 => Command::CreateCubeTexture {
                size: a,
                format: name(c),
                optimize_for_render_to_texture,
                streaming_levels: d.min(0),
            },
            _ if step.flag => Command::CreateProgram,
            _ => Command::CreateVertexBufferForInstances {
                num_vertices: a,
                data32_per_vertex: b,
                instances_per_element: c,
                buffer_usage: name(d),
            },
        }
    }

    fn binding(&self, step: &Step) -> Command<'static> {
        let [a, b, c, d, e, _] = step.ints;
        match step.call {
            15 => Command::SetProgram {
                program: pick_or_null(&self.programs, a),
            },
            16 => self.stream(a.min(c), b, d.min(e)),
            17 => Command::SetTextureAt {
                sampler: a.min(b).min(c),
                texture: pick_or_null(&self.textures, d),
            },
            18 => Command::SetTextureAt {
                sampler: 0,
                texture: match self.video {
                    Some(video) if step.flag && d > 3 => Some(video),
                    _ => pick_or_null(&self.textures, d),
                },
            },
            19 => Command::SetSamplerStateAt {
                sampler: a.min(b),
                wrap: name(c),
                filter: name(d),
                mipfilter: name(e),
            },
            20 => self.constants(step),
            21 => Command::SetRenderToTexture {
                texture: pick_or_null(&self.textures, a),
                enable_depth_and_stencil: step.flag,
                anti_alias: b,
                surface_selector: c.min(d).min(e),
                color_output_index: d.min(e).min(b),
            },
            _ => Command::SetRenderToBackBuffer,
        }
    }

    fn constants(&self, step: &Step) -> Command<'static> {
        let [a, b, c, d, ..] = step.ints;
        match d.rem_euclid(3) {
            0 => Command::SetProgramConstantsFromMatrix {
                program_type: name(a),
                first_register: b,
                matrix: (c >= 0).then_some(&MATRIX),
                transposed_matrix: step.flag,
            },
            1 => Command::SetProgramConstantsFromVector {
                program_type: name(a),
                first_register: b,
                data: slice(&NUMBERS, c.saturating_mul(3)),
                num_registers: d.min(c),
            },
            _ => Command::SetProgramConstantsFromByteArray {
                program_type: name(a),
                first_register: b,
                num_registers: c,
                data: Some(&BYTES),
                byte_array_offset: d.cast_unsigned(),
            },
        }
    }

    fn drawing(&self, step: &Step) -> Command<'static> {
        let [a, b, c, d, e, _] = step.ints;
        let index_buffer = pick_or_null(&self.indices, a);
        match step.call {
            23 => Command::DrawTriangles {
                index_buffer,
                first_index: b.min(c).min(e),
                num_triangles: if step.flag { -1 } else { d.min(c) },
            },
            24 => Command::DrawTrianglesInstanced {
                index_buffer,
                num_instances: b,
                first_index: c.min(d).min(e),
                num_triangles: if step.flag { -1 } else { d.min(c) },
            },
            25 => Command::DrawToBitmapData {
                destination: (a >= 0).then_some(BitmapTarget {
                    width: b.cast_unsigned(),
                    height: c.cast_unsigned(),
                    transparent: step.flag,
                }),
                source_rect: (d < 6).then(|| rectangle(step.numbers)),
                dest_point: (e > 4).then_some([step.numbers[1], step.numbers[0]]),
            },
            26 => Command::SetFillMode { fill_mode: name(a) },
            27 => Command::EnableErrorChecking { value: step.flag },
            28 => Command::SetCulling {
                triangle_face_to_cull: name(a),
            },
            _ => Command::SetStencilReferenceValue {
                reference_value: a.cast_unsigned(),
                read_mask: b.cast_unsigned(),
                write_mask: c.cast_unsigned(),
            },
        }
    }

    fn upload_call(&self, step: &Step) -> Command<'static> {
        let [a, b, c, d, e, f] = step.ints;
        let (buffer, indices) = (pick(&self.vertices, a), pick(&self.indices, a));
        match step.call {
            30 if step.flag => Command::VertexBufferUploadFromByteArray {
                buffer,
                data: slice(&VERTICES, b.saturating_mul(64)),
                byte_array_offset: c.min(d),
                start_vertex: d.min(e),
                num_vertices: e.min(f),
            },
            30 => Command::VertexBufferUploadFromVector {
                buffer,
                data: slice(&NUMBERS, b.saturating_mul(16)),
                start_vertex: d.min(e),
                num_vertices: e.min(f),
            },
            31 => Command::IndexBufferUploadFromVector {
                buffer: indices,
                data: slice(&INDICES, b.saturating_mul(8)),
                start_offset: d.min(e),
                count: f,
            },
            32 if step.flag => Command::VertexBufferDispose { buffer },
            32 => Command::IndexBufferDispose { buffer: indices },
            33 => self.program_upload(step),
            34 => Command::ProgramDispose {
                program: pick(&self.programs, a),
            },
            35 => Command::TextureUploadFromBitmapData {
                texture: pick(&self.textures, a),
                source: (b >= 0).then(|| bitmap(c, d)),
                side: step.flag.then_some(e.cast_unsigned()),
                miplevel: e.min(f).min(d).cast_unsigned(),
            },
            36 => {
                let side = step.flag.then_some(e.min(d).cast_unsigned());
                let level = e.min(f).min(d).cast_unsigned();
                self.upload(pick(&self.textures, a), side, level)
            }
            37 => Command::TextureUploadCompressedFromByteArray {
                texture: pick(&self.textures, a),
                data: slice(ATF, b.saturating_mul(4)),
                byte_array_offset: c.min(d).cast_unsigned(),
                is_async: step.flag,
            },
            _ if step.flag => Command::TextureDispose {
                texture: pick(&self.textures, a),
            },
            _ => Command::IndexBufferUploadFromByteArray {
                buffer: indices,
                data: slice(&BYTES, b.saturating_mul(8)),
                byte_array_offset: c.min(d),
                start_offset: d.min(e),
                count: f,
            },
        }
    }

    /// Calls of later players.
    fn late_call(&self, step: &Step) -> Command<'static> {
        let [a, b, c, d, e, f] = step.ints;
        let texture = pick(&self.textures, a);
        match step.call {
            40 => Command::CreateVideoTexture,
            41 => Command::VideoTextureFrame {
                // The scene's, mostly.
                texture: self.video.filter(|_| step.flag).unwrap_or(texture),
                source: bitmap(b, c),
            },
            42 if step.flag => Command::TextureUploadFromBitmapDataAsync {
                texture,
                source: (b >= 0).then(|| bitmap(c, d)),
                side: (e > 4).then_some(e.cast_unsigned()),
                miplevel: u32::from(f < 1),
            },
            42 => Command::TextureUploadFromByteArrayAsync {
                texture,
                data: (b >= 0).then_some(&TEXELS),
                byte_array_offset: c.min(d).cast_unsigned(),
                side: (e > 4).then_some(e.cast_unsigned()),
                miplevel: u32::from(f < 1),
            },
            _ if a > 6 => Command::IgnoreResourceLimits { value: step.flag },
            _ if step.flag => Command::MaxBackBufferWidth { value: b },
            _ => Command::MaxBackBufferHeight { value: b },
        }
    }

    fn program_upload(&self, step: &Step) -> Command<'static> {
        let [a, b, c, d, ..] = step.ints;
        let program = |number: i32| {
            let place = number.unsigned_abs() as usize % PROGRAMS.len();
            &PROGRAMS[place]
        };
        let fragment = if step.flag { b } else { c };
        Command::ProgramUpload {
            program: pick(&self.programs, a),
            vertex_program: bytecode(&program(b).0, d != -1),
            fragment_program: bytecode(&program(fragment).1, d != -2),
        }
    }
}

/// The first `count` elements, as many as there are; null below 0.
/// Raw blocks of all levels of a `compressed` texture of 4×4, and no records for other devices.
const ATF: &[u8] = b"ATF\0\0\x37\x03\x02\x02\x03\
    \0\0\x0801234567\0\0\0\0\0\0\0\0\x0801234567\0\0\0\0\0\0\0\0\x0801234567\0\0\0\0\0\0";

fn slice<T>(data: &'static [T], count: i32) -> Option<&'static [T]> {
    let count = usize::try_from(count).ok()?;
    Some(&data[..count.min(data.len())])
}

fn rectangle([x, y, width, height]: [f64; 4]) -> Rectangle {
    Rectangle {
        x,
        y,
        width,
        height,
    }
}

/// A bitmap whose size may be a lie.
pub(super) fn bitmap(width: i32, height: i32) -> Bitmap<'static> {
    let (width, height) = (width.cast_unsigned(), height.cast_unsigned());
    let pixels = (width as usize).saturating_mul(height as usize);
    let bytes = pixels.saturating_mul(4);
    Bitmap {
        width,
        height,
        transparent: true,
        bgra: Some(TEXELS.get(..bytes).unwrap_or(&TEXELS)),
    }
}
