//! Random captures that render to several textures, clear some of them, and sample them, cleared or not.

use context3d::agal::{Stage, asm};
use context3d::enums::FlashName;
use molehill_analysis::Capture;
use molehill_capture::data::{
    BitmapTargetData, ByteArray, CubeSide, Enum, Numbers, OptionalParameter, PointData, Uints,
};
use molehill_capture::objects::{IndexBufferId, ObjectId, ProgramId, TextureId, VertexBufferId};
use molehill_capture::{Call, CallLine, CaptureHeader, CaptureRecord};

const CONTEXT: ObjectId = ObjectId(2);
const PLAIN: ObjectId = ObjectId(3);
const TEXTURED: ObjectId = ObjectId(4);
const VERTICES: ObjectId = ObjectId(5);
const INDICES: ObjectId = ObjectId(6);
/// The id of the first of three textures; the last is a cube texture. Recreated textures get new ids.
const FIRST_TEXTURE: u64 = 7;

/// A xorshift generator.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }

    pub(crate) fn part(&mut self) -> f64 {
        f64::from(u8::try_from(self.below(256)).unwrap()) / 255.0
    }

    pub(crate) fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }
}

struct Program {
    records: Vec<CaptureRecord>,
    random: Random,
    textures: [ObjectId; 3],
    last: u64,
    /// True if frames begin with a clear and textures have one sample, so that no undefined content is visible.
    tidy: bool,
}

fn name<T: FlashName>(text: &str) -> Enum<T> {
    Enum::parse(Some(text))
}

impl Program {
    fn call(&mut self, on: ObjectId, call: Call) {
        self.create(on, call, None);
    }

    fn create(&mut self, on: ObjectId, call: Call, result: Option<ObjectId>) {
        self.records.push(CaptureRecord::Call(CallLine { result, ..CallLine::new(on, call) }));
    }

    fn open(&mut self) {
        let agal =
            |text: &str, stage| ByteArray::from(asm::assemble(text, stage, 1).unwrap().encode());
        let request = Call::RequestContext3D {
            stage3d_index: 0,
            render_mode: OptionalParameter(Some(name("auto"))),
            profile: OptionalParameter(Some(Some("standard".to_owned()))),
            profiles: OptionalParameter(None),
        };
        self.create(ObjectId(1), request, Some(CONTEXT));
        self.configure();
        for (id, fragment) in [
            (PLAIN, "mov oc, fc0"),
            (TEXTURED, "tex ft0, v0, fs0 <2d,linear,miplinear,clamp>\nadd oc, ft0, fc0"),
        ] {
            self.create(CONTEXT, Call::CreateProgram {}, Some(id));
            let vertex = "mul vt0, va0, vc0\nadd op, vt0, vc1\nmov v0, va0";
            self.call(
                id,
                Call::ProgramUpload {
                    vertex_program: agal(
                        if id == PLAIN { "mul vt0, va0, vc0\nadd op, vt0, vc1" } else { vertex },
                        Stage::Vertex,
                    ),
                    fragment_program: agal(fragment, Stage::Fragment),
                },
            );
        }
        let usage = || name("staticDraw");
        let create = Call::CreateVertexBuffer {
            num_vertices: 4,
            data32_per_vertex: 2,
            buffer_usage: usage(),
        };
        self.create(CONTEXT, create, Some(VERTICES));
        let corners = Numbers(vec![-1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0]);
        self.call(
            VERTICES,
            Call::VertexBufferUploadFromVector {
                data: Some(corners),
                start_vertex: 0,
                num_vertices: 4,
            },
        );
        self.create(
            CONTEXT,
            Call::CreateIndexBuffer { num_indices: 6, buffer_usage: usage() },
            Some(INDICES),
        );
        let indices = Uints(vec![0, 1, 2, 0, 2, 3]);
        self.call(
            INDICES,
            Call::IndexBufferUploadFromVector { data: Some(indices), start_offset: 0, count: 6 },
        );
        let stream = Call::SetVertexBufferAt {
            index: 0,
            buffer: Some(VertexBufferId(VERTICES)),
            buffer_offset: 0,
            format: name("float2"),
        };
        self.call(CONTEXT, stream);
        for place in 0..3 {
            self.texture(place);
        }
    }

    fn texture(&mut self, place: usize) {
        self.last += 1;
        let id = ObjectId(self.last);
        self.textures[place] = id;
        let create = match place {
            2 => Call::CreateCubeTexture {
                size: 8,
                format: name("bgra"),
                optimize_for_render_to_texture: true,
                streaming_levels: 0,
            },
            _ => Call::CreateTexture {
                width: 8,
                height: 8,
                format: name("bgra"),
                optimize_for_render_to_texture: true,
                streaming_levels: 0,
            },
        };
        self.create(CONTEXT, create, Some(id));
    }

    fn configure(&mut self) {
        let (samples, depth) = (self.random.one(&[0, 0, 4]), self.random.below(4) > 0);
        self.call(
            CONTEXT,
            Call::ConfigureBackBuffer {
                width: 32,
                height: 32,
                anti_alias: samples,
                enable_depth_and_stencil: depth,
                wants_best_resolution: false,
                wants_best_resolution_on_browser_zoom: false,
            },
        );
    }

    fn draw(&mut self) {
        let r = &mut self.random;
        let textured = r.below(2) == 0;
        let constants = |kind: &str, values: Vec<f64>| Call::SetProgramConstantsFromVector {
            program_type: name(kind),
            first_register: 0,
            data: Some(Numbers(values)),
            num_registers: -1,
        };
        let place = [r.part(), r.part(), 1.0, 1.0, r.part() - 0.5, r.part() - 0.5, r.part(), 0.0];
        let color = [r.part(), r.part(), r.part(), r.part()];
        let texture = self.textures[usize::try_from(r.below(2)).unwrap()];
        let depth = Call::SetDepthTest {
            depth_mask: r.below(2) == 0,
            pass_compare_mode: name(r.one(&["always", "less", "lessEqual"])),
        };
        let stencil = Call::SetStencilActions {
            triangle_face: name("frontAndBack"),
            compare_mode: name(r.one(&["always", "always", "equal"])),
            action_on_both_pass: name(r.one(&["keep", "keep", "incrementSaturate"])),
            action_on_depth_fail: name("keep"),
            action_on_depth_pass_stencil_fail: name("keep"),
        };
        let program = ProgramId(if textured { TEXTURED } else { PLAIN });
        self.call(CONTEXT, Call::SetProgram { program: Some(program) });
        let texture = textured.then_some(TextureId(texture));
        self.call(CONTEXT, Call::SetTextureAt { sampler: 0, texture });
        for call in [
            depth,
            stencil,
            constants("vertex", place.to_vec()),
            constants("fragment", color.to_vec()),
        ] {
            self.call(CONTEXT, call);
        }
        let index_buffer = Some(IndexBufferId(INDICES));
        self.call(CONTEXT, Call::DrawTriangles { index_buffer, first_index: 0, num_triangles: -1 });
    }

    fn clear(&mut self) {
        let r = &mut self.random;
        let mask = r.one(&[7, 7, 7, 1, 2, 3, 6]);
        let color = [r.part(), r.part(), r.part()];
        self.clear_to(color, mask);
    }

    fn clear_to(&mut self, [red, green, blue]: [f64; 3], mask: u32) {
        self.call(
            CONTEXT,
            Call::Clear { red, green, blue, alpha: 1.0, depth: 1.0, stencil: 0, mask },
        );
    }

    /// Clears the back buffer after `present` or `configureBackBuffer`, if `tidy` is true.
    fn begin(&mut self) {
        if self.tidy {
            self.call(CONTEXT, Call::SetRenderToBackBuffer {});
            self.clear_to([0.5; 3], 7);
        }
    }

    fn target(&mut self) {
        let place = usize::try_from(self.random.below(4)).unwrap();
        let Some(texture) = self.textures.get(place).copied() else {
            return self.call(CONTEXT, Call::SetRenderToBackBuffer {});
        };
        let (r, tidy) = (&mut self.random, self.tidy);
        let side = if place == 2 { r.below(6) } else { 0 };
        let call = Call::SetRenderToTexture {
            texture: Some(TextureId(texture)),
            enable_depth_and_stencil: r.below(2) == 0,
            anti_alias: if tidy { 0 } else { r.one(&[0, 0, 2]) },
            surface_selector: i32::try_from(side).unwrap(),
            color_output_index: 0,
        };
        self.call(CONTEXT, call);
    }

    fn step(&mut self, frame: &mut u32) {
        match self.random.below(40) {
            0..16 => self.draw(),
            16..23 => self.clear(),
            23..31 => self.target(),
            31..36 => {
                self.call(CONTEXT, Call::Present {});
                self.records.push(CaptureRecord::Frame(*frame));
                *frame += 1;
                self.begin();
            }
            36 => {
                let place = usize::try_from(self.random.below(3)).unwrap();
                self.call(self.textures[place], Call::TextureDispose {});
                self.texture(place);
            }
            37 => {
                self.configure();
                self.begin();
            }
            38 => {
                let texture = self.textures[0];
                let data = ByteArray::from(vec![77; 8 * 8 * 4]);
                let (side, miplevel) = (CubeSide(None), molehill_capture::data::MipLevel(Some(0)));
                self.call(
                    texture,
                    Call::TextureUploadFromByteArray { data, byte_array_offset: 0, side, miplevel },
                );
            }
            _ => {
                let destination =
                    BitmapTargetData { width: 4, height: 4, transparent: true, disposed: false };
                self.call(
                    CONTEXT,
                    Call::DrawToBitmapData {
                        destination: Some(destination),
                        source_rect: OptionalParameter(None),
                        dest_point: OptionalParameter(None::<Option<PointData>>),
                    },
                );
            }
        }
    }
}

pub(crate) fn program(seed: u64) -> Capture {
    tidy_or_not(seed, false)
}

pub(crate) fn tidy_or_not(seed: u64, tidy: bool) -> Capture {
    let mut program = Program {
        records: Vec::new(),
        random: Random(seed * 0x9e37_79b9 + 1),
        textures: [ObjectId(0); 3],
        last: FIRST_TEXTURE - 1,
        tidy,
    };
    program.open();
    let mut frame = 0;
    for _ in 0..150 {
        program.step(&mut frame);
    }
    let header = CaptureHeader {
        title: String::new(),
        swf_version: 30,
        stage_width: 32,
        stage_height: 32,
        stage_color: [9; 3],
        frame_rate: None,
        generator: None,
    };
    Capture::new(header, program.records)
}
