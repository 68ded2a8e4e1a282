//! Packets for small scenes on any backend.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use context3d::agal::{LinkedPair, Rules, Stage as Kind, asm, link, validate};
use context3d::backend::{Backend, ReadSurface};
use context3d::enums::{
    BlendFactor, CompareMode, FillMode, MipFilter, ProgramType, StencilAction, TextureFilter,
    TextureFormat, TriangleFace, VertexFormat, WrapMode,
};
use context3d::keys::{IndexBufferKey, ProgramKey, TextureKey, VertexBufferKey};
use context3d::packets::{
    BackBufferDesc, Clear, Draw, MAX_SAMPLERS, MAX_STREAMS, Packet, PassStart, PipelineId,
    PipelineState, Raster, RenderTarget, SamplerState, StencilFace, Stream, TexelLayout,
    TextureBinding, TextureDesc, TextureKind,
};
use slotmap::SlotMap;

/// Width and height of the back buffer and of other targets, in pixels.
pub(crate) const SIDE: u32 = 64;
/// Floats per vertex: position (4) and a varying (4).
const FLOATS: u32 = 8;

/// Vertex program that copies `va0` to the position, and `va1` to the varying `v0`.
pub(crate) const PASS: &str = "mov op, va0\nmov v0, va1";

/// Stencil state that always passes and doesn't write.
pub(crate) const KEEP: StencilFace = StencilFace {
    compare: CompareMode::Always,
    both_pass: StencilAction::Keep,
    depth_fail: StencilAction::Keep,
    stencil_fail: StencilAction::Keep,
};

/// Raster state without tests or blending.
pub(crate) const PLAIN: Raster = Raster {
    cull: TriangleFace::None,
    blend: (BlendFactor::One, BlendFactor::Zero),
    color_mask: [true; 4],
    depth_write: false,
    depth_compare: CompareMode::Always,
    stencil_front: KEEP,
    stencil_back: KEEP,
    stencil_reference: 0,
    stencil_read_mask: 255,
    stencil_write_mask: 255,
    fill: FillMode::Solid,
};

/// Returns a sampler state.
pub(crate) fn sampler(wrap: WrapMode, filter: TextureFilter, mip: MipFilter) -> SamplerState {
    SamplerState { wrap, filter, mip }
}

/// An image that was read back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Picture {
    pub(crate) name: String,
    pub(crate) size: (u32, u32),
    pub(crate) rgba: Vec<u8>,
}

/// A backend and its objects.
pub(crate) struct Stage<'a> {
    backend: &'a mut dyn Backend,
    vertex_keys: SlotMap<VertexBufferKey, ()>,
    index_keys: SlotMap<IndexBufferKey, ()>,
    /// The programs, with a bit mask of the colour outputs that each writes.
    programs: SlotMap<ProgramKey, u8>,
    texture_keys: SlotMap<TextureKey, ()>,
    /// Textures without content, with the number of their faces.
    blank: HashMap<TextureKey, u8>,
    target: RenderTarget,
    /// True after a pass into the target has begun.
    begun: bool,
    /// True if the target's samples were initialized from its textures.
    loaded: bool,
    /// The target's colour outputs.
    outputs: u8,
    pub(crate) pictures: Vec<Picture>,
}

impl<'a> Stage<'a> {
    /// Creates a stage with a back buffer, cleared to a colour with alpha.
    pub(crate) fn new(backend: &'a mut dyn Backend, samples: u8) -> Self {
        let mut stage = Stage {
            backend,
            vertex_keys: SlotMap::with_key(),
            index_keys: SlotMap::with_key(),
            programs: SlotMap::with_key(),
            texture_keys: SlotMap::with_key(),
            blank: HashMap::new(),
            target: RenderTarget::BackBuffer,
            begun: false,
            loaded: false,
            outputs: 1,
            pictures: Vec::new(),
        };
        stage.run(Packet::ConfigureBackBuffer(BackBufferDesc {
            width: SIDE,
            height: SIDE,
            samples,
            depth_stencil: true,
        }));
        stage.clear();
        stage
    }

    #[track_caller]
    pub(crate) fn run(&mut self, packet: Packet<'_>) {
        let result = self.backend.execute(packet);
        assert_eq!(result, Ok(()));
    }

    pub(crate) fn clear(&mut self) {
        self.begin(Clear { color: Some([0.2, 0.4, 0.6, 0.8]), depth: Some(1.0), stencil: Some(3) });
    }

    fn samples(&self) -> bool {
        matches!(self.target, RenderTarget::Textures(textures) if textures.samples > 1)
    }

    /// Begins a pass into the target like `Context3D`: initializes multisampled buffers from the textures.
    pub(crate) fn begin(&mut self, clear: Clear) {
        self.end(false);
        let load_samples = self.samples() && !self.loaded && clear.color.is_none();
        let target = self.target;
        self.run(Packet::BeginPass(PassStart { target, load_samples, clear }));
        (self.begun, self.loaded) = (true, true);
    }

    fn end(&mut self, resolve: bool) {
        if std::mem::take(&mut self.begun) {
            let resolve = resolve && self.samples();
            self.run(Packet::EndPass { resolve });
        }
    }

    /// Presents the back buffer.
    pub(crate) fn present(&mut self) {
        self.end(true);
        self.run(Packet::Present);
    }

    /// Sets the target of later passes. Fills the target's textures if the textures have no content, and resolves the
    /// previous target.
    pub(crate) fn target(&mut self, target: RenderTarget) {
        self.end(true);
        if let RenderTarget::Textures(textures) = &target {
            for key in textures.color.iter().flatten().map(|attachment| attachment.texture) {
                for side in 0..self.blank.remove(&key).unwrap_or(0) {
                    self.run(Packet::ZeroLevel { key, side, level: 0 });
                }
            }
        }
        (self.target, self.loaded) = (target, false);
        self.outputs = match target {
            RenderTarget::BackBuffer => 1,
            RenderTarget::Textures(textures) => {
                (0..).zip(textures.color).map(|(n, slot)| u8::from(slot.is_some()) << n).sum()
            }
        };
    }

    /// Creates a mesh of vertices with two attributes of four floats, and triangle indices.
    pub(crate) fn mesh(&mut self, vertices: &[[f32; 8]], indices: &[u16]) -> Mesh {
        let vertex_buffer = self.floats(vertices.as_flattened());
        let index_buffer = self.index_keys.insert(());
        let data: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        self.run(Packet::CreateIndexBuffer {
            key: index_buffer,
            bytes: u32::try_from(data.len()).expect("small"),
            dynamic: false,
        });
        self.run(Packet::UploadIndexBuffer {
            key: index_buffer,
            offset: 0,
            data: Cow::Owned(data),
        });
        Mesh { vertex_buffer, index_buffer, indices: u32::try_from(indices.len()).expect("small") }
    }

    /// Creates a vertex buffer.
    pub(crate) fn floats(&mut self, floats: &[f32]) -> VertexBufferKey {
        let key = self.vertex_keys.insert(());
        let data: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
        self.run(Packet::CreateVertexBuffer {
            key,
            bytes: u32::try_from(data.len()).expect("small"),
            dynamic: false,
        });
        self.run(Packet::UploadVertexBuffer { key, offset: 0, data: Cow::Owned(data) });
        key
    }

    /// Creates a square over the whole target, farther away on the right, with texture coordinates up to `span`.
    pub(crate) fn square(&mut self, span: f32) -> Mesh {
        let corner = |x: f32, y: f32, w: f32, u: f32, v: f32| {
            [x * w, y * w, w * 0.5, w, u * span, v * span, u - 0.25, v]
        };
        self.mesh(
            &[
                corner(-1.0, 1.0, 1.0, 0.0, 0.0),
                corner(1.0, 0.9, 2.5, 1.0, 0.0),
                corner(0.95, -1.0, 2.0, 1.0, 1.0),
                corner(-1.0, -1.0, 1.0, 0.0, 1.0),
            ],
            &[0, 1, 2, 0, 2, 3],
        )
    }

    /// Creates two intersecting triangles, one front-facing and one back-facing.
    pub(crate) fn cross(&mut self) -> Mesh {
        self.mesh(
            &[
                [-0.9, 0.83, 0.1, 1.0, 0.9, 0.1, 0.2, 0.7],
                [0.87, 0.2, 0.8, 1.0, 0.2, 0.9, 0.1, 0.9],
                [-0.7, -0.9, 0.6, 1.0, 0.3, 0.2, 0.9, 0.3],
                [0.83, 0.91, 0.2, 1.0, 0.1, 0.6, 0.7, 0.5],
                [-0.85, 0.1, 0.7, 1.0, 0.8, 0.8, 0.1, 0.6],
                [0.77, -0.81, 0.5, 1.0, 0.5, 0.3, 0.5, 1.0],
            ],
            &[0, 1, 2, 3, 4, 5],
        )
    }

    #[track_caller]
    pub(crate) fn program(&mut self, vertex: &str, fragment: &str, version: u32) -> ProgramKey {
        let pair = Arc::new(pair(vertex, fragment, version));
        let key = self.programs.insert(pair.interface().color_outputs);
        self.run(Packet::UploadProgram { key, pair });
        key
    }

    pub(crate) fn constants(&mut self, stage: ProgramType, values: &[[f32; 4]]) {
        self.run(Packet::Constants { stage, first: 0, values: Cow::Borrowed(values) });
    }

    /// Creates a texture with a different pattern in every mip level of every face.
    pub(crate) fn texture(&mut self, desc: TextureDesc, layout: TexelLayout) -> TextureKey {
        let key = self.blank(desc);
        self.blank.remove(&key);
        for side in 0..desc.kind.faces() {
            for level in 0..desc.levels {
                let size = |side: u32| (side >> level).max(1);
                let bytes = layout.bytes(size(desc.width), size(desc.height));
                self.run(Packet::UploadTexture {
                    key,
                    side,
                    level,
                    layout,
                    data: Cow::Owned(pattern(layout, bytes, side * 16 + level)),
                });
            }
        }
        key
    }

    /// Creates a texture without content.
    pub(crate) fn blank(&mut self, desc: TextureDesc) -> TextureKey {
        let key = self.texture_keys.insert(());
        self.run(Packet::CreateTexture { key, desc });
        self.blank.insert(key, desc.kind.faces());
        key
    }

    /// Draws a mesh with its two attributes as `va0` and `va1`.
    #[track_caller]
    pub(crate) fn draw(
        &mut self,
        mesh: &Mesh,
        program: ProgramKey,
        textures: &[TextureBinding],
        raster: Raster,
    ) {
        self.draw_with(mesh, program, textures, raster, |_| ());
    }

    #[track_caller]
    pub(crate) fn draw_with(
        &mut self,
        mesh: &Mesh,
        program: ProgramKey,
        textures: &[TextureBinding],
        raster: Raster,
        change: impl FnOnce(&mut Draw),
    ) {
        if !self.begun {
            self.begin(Clear::default());
        }
        let outputs = self.programs[program] & self.outputs;
        let mut draw = Draw {
            state: PipelineState { id: PipelineId::new(), program, outputs, raster },
            index_buffer: mesh.index_buffer,
            first_index: 0,
            index_count: mesh.indices,
            instances: 1,
            streams: [None; MAX_STREAMS],
            textures: [None; MAX_SAMPLERS],
            scissor: None,
        };
        for (half, slot) in (0..2).zip(&mut draw.streams) {
            *slot = Some(Stream {
                buffer: mesh.vertex_buffer,
                offset: half * 16,
                stride: FLOATS * 4,
                format: VertexFormat::Float4,
                divisor: 0,
            });
        }
        for (slot, binding) in draw.textures.iter_mut().zip(textures) {
            *slot = Some(*binding);
        }
        change(&mut draw);
        self.run(Packet::Draw(Cow::Owned(Box::new(draw))));
    }

    /// Reads a surface back and stores the image.
    #[track_caller]
    pub(crate) fn look(&mut self, name: impl Into<String>, surface: ReadSurface) {
        let mut rgba = Vec::new();
        let size = self.backend.read_pixels(surface, &mut rgba);
        self.pictures.push(Picture { name: name.into(), size: size.expect("a surface"), rgba });
    }
}

/// A vertex buffer, and an index buffer of triangles.
#[derive(Clone, Copy)]
pub(crate) struct Mesh {
    pub(crate) vertex_buffer: VertexBufferKey,
    index_buffer: IndexBufferKey,
    indices: u32,
}

/// Assembles and links a pair of programs.
#[track_caller]
pub(crate) fn pair(vertex: &str, fragment: &str, version: u32) -> LinkedPair {
    let checked = |text: &str, kind| {
        let program = asm::assemble(text, kind, version);
        let program = program.unwrap_or_else(|error| panic!("{error}\n{text}"));
        validate(program, kind, &Rules::NEWEST).expect("a legal program")
    };
    link(checked(vertex, Kind::Vertex), checked(fragment, Kind::Fragment)).expect("they fit")
}

/// Returns a texture description.
pub(crate) fn desc(kind: TextureKind, format: TextureFormat, side: u32, levels: u8) -> TextureDesc {
    TextureDesc { kind, format, width: side, height: side, levels, render_target: false }
}

/// Returns the bytes of a varied image. Half floats are from 0.25 to 1; blocks have end points in both orders.
fn pattern(layout: TexelLayout, bytes: usize, salt: u8) -> Vec<u8> {
    let mut state = u32::from(salt) * 7919 + 1;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_le_bytes()[3]
    };
    match layout {
        TexelLayout::RgbaHalf => {
            let halves = (0..bytes / 2).map(|_| 0x3400 + u16::from(next()) * 8);
            halves.flat_map(u16::to_le_bytes).collect()
        }
        _ => (0..bytes).map(|_| next()).collect(),
    }
}
