//! Converts steps to calls on existing objects.

use context3d::arguments::{Bitmap, BitmapTarget, Rectangle};
use context3d::enums::Name;
use context3d::keys::TextureKey;
use context3d::{Command, Handle};

use super::data::{BYTES, FLOATS, INDICES, MATRIX, NUMBERS, PROGRAMS, TEXELS, VERTICES, bytecode};
use super::objects::{Objects, clear, name, pick, pick_or_null};
use super::step::{BindCall, Call, CreateCall, DrawCall, FrameCall, LateCall, Step, UploadCall};

impl Objects {
    pub(super) fn command(&self, step: &Step) -> Command<'static> {
        match step.call {
            Call::Dispose => Command::Dispose { recreate: step.flag },
            Call::Repair | Call::GeneratedDraw => self.repair(step),
            Call::Frame(call) => self.frame_call(call, step),
            Call::Create(call) => self.creation(call, step),
            Call::Bind(call) => self.binding(call, step),
            Call::Draw(call) => self.drawing(call, step),
            Call::Upload(call) => self.upload_call(call, step),
            Call::Late(call) => self.late_call(call, step),
        }
    }

    /// One of the calls that prepare a draw, so that sequences don't get stuck in a state in which nothing is drawn.
    fn repair(&self, step: &Step) -> Command<'static> {
        let [a, b, c, ..] = step.ints;
        let mut scene = self.scene();
        // Objects are plentiful and rarely need repair.
        let smaller = |command: &Command<'_>| {
            matches!(command, Command::TextureUploadFromByteArray { miplevel: 1.., .. })
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
            Command::SetRenderToBackBuffer {},
            Command::SetScissorRectangle { rectangle: None },
            Command::SetErrorChecking { value: false },
            clear([0.25; 4], 7),
        ]);
        let bind = |(sampler, texture): (i32, &Handle<TextureKey>)| Command::SetTextureAt {
            sampler,
            texture: Some(*texture),
        };
        scene.extend([0, 1].into_iter().zip(&self.textures).map(bind));
        scene.extend(self.video.iter().map(|texture| bind((0, texture))));
        let programs =
            self.programs.iter().map(|program| Command::SetProgram { program: Some(*program) });
        scene.extend(programs);
        let place = a.wrapping_mul(9).wrapping_add(b).wrapping_mul(9).wrapping_add(c);
        scene[place.unsigned_abs() as usize % scene.len()]
    }

    fn frame_call(&self, call: FrameCall, step: &Step) -> Command<'static> {
        let [a, b, c, d, e, _] = step.ints;
        match call {
            FrameCall::ConfigureBackBuffer => self.back_buffer(a, b, c, step.flag),
            FrameCall::Clear => clear(step.numbers, a.cast_unsigned()),
            FrameCall::Present => Command::Present {},
            FrameCall::Blend => {
                Command::SetBlendFactors { source_factor: name(a), destination_factor: name(b) }
            }
            FrameCall::ColorMask => {
                Command::SetColorMask { red: step.flag, green: a > 3, blue: b > 3, alpha: c > 3 }
            }
            FrameCall::Depth => {
                Command::SetDepthTest { depth_mask: step.flag, pass_compare_mode: name(a) }
            }
            FrameCall::Stencil => Command::SetStencilActions {
                triangle_face: name(a),
                compare_mode: name(b),
                action_on_both_pass: name(c),
                action_on_depth_fail: name(d),
                action_on_depth_pass_stencil_fail: name(e),
            },
            FrameCall::Scissor => {
                Command::SetScissorRectangle { rectangle: (a < 6).then(|| rectangle(step.numbers)) }
            }
        }
    }

    fn creation(&self, call: CreateCall, step: &Step) -> Command<'static> {
        let [a, b, c, d, ..] = step.ints;
        let optimize_for_render_to_texture = step.flag;
        match call {
            CreateCall::VertexBuffer => Command::CreateVertexBuffer {
                num_vertices: a,
                data32_per_vertex: b,
                buffer_usage: name(c),
            },
            CreateCall::IndexBuffer => {
                Command::CreateIndexBuffer { num_indices: a, buffer_usage: name(b) }
            }
            CreateCall::Texture => Command::CreateTexture {
                width: a,
                height: b,
                format: name(c),
                optimize_for_render_to_texture,
                streaming_levels: d.min(1),
            },
            CreateCall::RectangleTexture => Command::CreateRectangleTexture {
                width: a,
                height: b,
                format: name(c),
                optimize_for_render_to_texture,
            },
            CreateCall::CubeTexture => Command::CreateCubeTexture {
                size: a,
                format: name(c),
                optimize_for_render_to_texture,
                streaming_levels: d.min(0),
            },
            CreateCall::ProgramOrInstances if step.flag => Command::CreateProgram {},
            CreateCall::ProgramOrInstances => Command::CreateVertexBufferForInstances {
                num_vertices: a,
                data32_per_vertex: b,
                instances_per_element: c,
                buffer_usage: name(d),
            },
        }
    }

    fn binding(&self, call: BindCall, step: &Step) -> Command<'static> {
        let [a, b, c, d, e, _] = step.ints;
        match call {
            BindCall::Program => Command::SetProgram { program: pick_or_null(&self.programs, a) },
            BindCall::Stream => self.stream(a.min(c), b, d.min(e)),
            BindCall::AnyTexture => Command::SetTextureAt {
                sampler: a.min(b).min(c),
                texture: pick_or_null(&self.textures, d),
            },
            BindCall::FirstTexture => Command::SetTextureAt {
                sampler: 0,
                texture: match self.video {
                    Some(video) if step.flag && d > 3 => Some(video),
                    _ => pick_or_null(&self.textures, d),
                },
            },
            BindCall::Sampler => Command::SetSamplerStateAt {
                sampler: a.min(b),
                wrap: name(c),
                filter: name(d),
                mipfilter: name(e),
            },
            BindCall::Constants => self.constants(step),
            BindCall::RenderToTexture => Command::SetRenderToTexture {
                texture: pick_or_null(&self.textures, a),
                enable_depth_and_stencil: step.flag,
                anti_alias: b,
                surface_selector: c.min(d).min(e),
                color_output_index: d.min(e).min(b),
            },
            BindCall::RenderToBackBuffer => Command::SetRenderToBackBuffer {},
        }
    }

    fn constants(&self, step: &Step) -> Command<'static> {
        let [a, b, c, d, e, _] = step.ints;
        match d.rem_euclid(3) {
            2 if step.flag => Command::SetProgramConstantsFromFloatVector {
                program_type: name(a),
                first_register: b,
                data: slice(&FLOATS, c.saturating_mul(3)),
                num_registers: e.min(c),
            },
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

    fn drawing(&self, call: DrawCall, step: &Step) -> Command<'static> {
        let [a, b, c, d, e, _] = step.ints;
        let index_buffer = pick_or_null(&self.indices, a);
        match call {
            DrawCall::Triangles => Command::DrawTriangles {
                index_buffer,
                first_index: b.min(c).min(e),
                num_triangles: if step.flag { -1 } else { d.min(c) },
            },
            DrawCall::Instances => Command::DrawTrianglesInstanced {
                index_buffer,
                num_instances: b,
                first_index: c.min(d).min(e),
                num_triangles: if step.flag { -1 } else { d.min(c) },
            },
            DrawCall::ToBitmap => Command::DrawToBitmapData {
                destination: (a >= 0).then_some(BitmapTarget {
                    width: b.cast_unsigned(),
                    height: c.cast_unsigned(),
                    transparent: step.flag,
                }),
                source_rect: (d < 6).then(|| rectangle(step.numbers)),
                dest_point: (e > 4).then_some([step.numbers[1], step.numbers[0]]),
            },
            DrawCall::FillMode => Command::SetFillMode { fill_mode: name(a) },
            DrawCall::ErrorChecking => Command::SetErrorChecking { value: step.flag },
            DrawCall::Culling => Command::SetCulling { triangle_face_to_cull: name(a) },
            DrawCall::StencilReference => Command::SetStencilReferenceValue {
                reference_value: a.cast_unsigned(),
                read_mask: b.cast_unsigned(),
                write_mask: c.cast_unsigned(),
            },
        }
    }

    fn upload_call(&self, call: UploadCall, step: &Step) -> Command<'static> {
        let [a, b, c, d, e, f] = step.ints;
        let (buffer, indices) = (pick(&self.vertices, a), pick(&self.indices, a));
        match call {
            UploadCall::Vertices if step.flag => Command::VertexBufferUploadFromByteArray {
                buffer,
                data: slice(&VERTICES, b.saturating_mul(64)),
                byte_array_offset: c.min(d),
                start_vertex: d.min(e),
                num_vertices: e.min(f),
            },
            UploadCall::Vertices if c > 4 => Command::VertexBufferUploadFromFloatVector {
                buffer,
                data: slice(&FLOATS, b.saturating_mul(16)),
                start_vertex: d.min(e),
                num_vertices: e.min(f),
            },
            UploadCall::Vertices => Command::VertexBufferUploadFromVector {
                buffer,
                data: slice(&NUMBERS, b.saturating_mul(16)),
                start_vertex: d.min(e),
                num_vertices: e.min(f),
            },
            UploadCall::Indices => Command::IndexBufferUploadFromVector {
                buffer: indices,
                data: slice(&INDICES, b.saturating_mul(8)),
                start_offset: d.min(e),
                count: f,
            },
            UploadCall::DisposeBuffer if step.flag => Command::VertexBufferDispose { buffer },
            UploadCall::DisposeBuffer => Command::IndexBufferDispose { buffer: indices },
            UploadCall::Program => self.program_upload(step),
            UploadCall::DisposeProgram => {
                Command::ProgramDispose { program: pick(&self.programs, a) }
            }
            UploadCall::Bitmap => Command::TextureUploadFromBitmapData {
                texture: pick(&self.textures, a),
                source: (b >= 0).then(|| bitmap(c, d)),
                side: step.flag.then_some(e.cast_unsigned()),
                miplevel: e.min(f).min(d).cast_unsigned(),
            },
            UploadCall::Texels => {
                let side = step.flag.then_some(e.min(d).cast_unsigned());
                let level = e.min(f).min(d).cast_unsigned();
                self.upload(pick(&self.textures, a), side, level)
            }
            UploadCall::Atf if e > 4 => Command::TextureUploadBlocks {
                texture: pick(&self.textures, a),
                data: slice(&BYTES, b.saturating_mul(8)),
                format: name(c),
                side: step.flag.then_some(d.cast_unsigned()),
                miplevel: d.min(f).cast_unsigned(),
            },
            UploadCall::Atf => Command::TextureUploadCompressedFromByteArray {
                texture: pick(&self.textures, a),
                data: slice(ATF, b.saturating_mul(4)),
                byte_array_offset: c.min(d).cast_unsigned(),
                is_async: step.flag,
            },
            UploadCall::DisposeTextureOrIndices if step.flag => {
                Command::TextureDispose { texture: pick(&self.textures, a) }
            }
            UploadCall::DisposeTextureOrIndices => Command::IndexBufferUploadFromByteArray {
                buffer: indices,
                data: slice(&BYTES, b.saturating_mul(8)),
                byte_array_offset: c.min(d),
                start_offset: d.min(e),
                count: f,
            },
        }
    }

    /// Calls added in later players.
    fn late_call(&self, call: LateCall, step: &Step) -> Command<'static> {
        let [a, b, c, d, e, f] = step.ints;
        let texture = pick(&self.textures, a);
        match call {
            LateCall::CreateVideo => Command::CreateVideoTexture {},
            LateCall::VideoFrame => Command::VideoTextureFrame {
                // In most cases the scene's texture.
                texture: self.video.filter(|_| step.flag).unwrap_or(texture),
                source: bitmap(b, c),
            },
            LateCall::Async if step.flag => Command::TextureUploadFromBitmapDataAsync {
                texture,
                source: (b >= 0).then(|| bitmap(c, d)),
                side: (e > 4).then_some(e.cast_unsigned()),
                miplevel: u32::from(f < 1),
            },
            LateCall::Async => Command::TextureUploadFromByteArrayAsync {
                texture,
                data: (b >= 0).then_some(&TEXELS),
                byte_array_offset: c.min(d).cast_unsigned(),
                side: (e > 4).then_some(e.cast_unsigned()),
                miplevel: u32::from(f < 1),
            },
            LateCall::Property if a > 6 => Command::SetIgnoreResourceLimits { value: step.flag },
            LateCall::Property if step.flag => Command::SetMaxBackBufferWidth { value: b },
            LateCall::Property => Command::SetMaxBackBufferHeight { value: b },
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

/// Raw blocks of all levels of a 4×4 `compressed` texture, without records for other devices.
const ATF: &[u8] = b"ATF\0\0\x37\x03\x02\x02\x03\
    \0\0\x0801234567\0\0\0\0\0\0\0\0\x0801234567\0\0\0\0\0\0\0\0\x0801234567\0\0\0\0\0\0";

/// The first `count` elements, limited to the length; null if negative.
fn slice<T>(data: &'static [T], count: i32) -> Option<&'static [T]> {
    let count = usize::try_from(count).ok()?;
    Some(&data[..count.min(data.len())])
}

fn rectangle([x, y, width, height]: [f64; 4]) -> Rectangle {
    Rectangle { x, y, width, height }
}

/// A bitmap whose size may not match its data.
pub(super) fn bitmap(width: i32, height: i32) -> Bitmap<'static> {
    let (width, height) = (width.cast_unsigned(), height.cast_unsigned());
    let pixels = (width as usize).saturating_mul(height as usize);
    let bytes = pixels.saturating_mul(4);
    Bitmap {
        width,
        height,
        transparent: true,
        layout: context3d::arguments::PixelLayout::default(),
        pixels: Some(TEXELS.get(..bytes).unwrap_or(&TEXELS)),
    }
}
