//! The table of deliberate errors of backends.

use context3d::agal::opcode::AgalOpcode;
use context3d::agal::operand::{Component, Swizzle};
use context3d::agal::sampler::Mip;
use context3d::enums::{
    BlendFactor, CompareMode, FillMode, MipFilter, StencilAction, TextureFilter, TriangleFace,
    VertexFormat, WrapMode,
};
use context3d::packets::{self, Packet, Raster, StencilFace, TexelLayout, TextureKind};

use super::program::{
    change_position, replace, reverse_swizzle, shift_mask, to_move, truncate_indices,
};
use super::{Mutation, PacketMutation};

macro_rules! mutations {
    ($($name:literal $what:literal in [$($area:literal),+]: $kind:ident $(($change:expr))?;)+) => {
        pub static MUTATIONS: &[Mutation] = &[$(Mutation {
            name: $name,
            what: $what,
            areas: &[$($area),+],
            change: PacketMutation::$kind $(($change))?,
        }),+];
    };
}

fn swap<T: PartialEq + Copy>(value: &mut T, one: T, other: T) {
    if *value == one {
        *value = other;
    } else if *value == other {
        *value = one;
    }
}

fn instead<T: PartialEq>(value: &mut T, of: T, is: T) {
    if *value == of {
        *value = is;
    }
}

fn each_face(raster: &mut Raster, change: impl Fn(&mut StencilFace)) {
    [&mut raster.stencil_front, &mut raster.stencil_back].into_iter().for_each(change);
}

mutations! {
    // Deliberate errors of fixed-function state.
    "blend-factors-swapped" "source and destination factor are exchanged" in ["api.blend"]:
        Raster(|raster| raster.blend = (raster.blend.1, raster.blend.0));
    "blend-ignored" "blending is ignored" in ["api.blend"]:
        Raster(|raster| raster.blend = (BlendFactor::One, BlendFactor::Zero));
    "blend-inverse-lost" "oneMinusSourceAlpha acts like sourceAlpha" in ["api.blend"]:
        Raster(|raster| instead(&mut raster.blend.1, BlendFactor::OneMinusSourceAlpha, BlendFactor::SourceAlpha));
    "blend-color-for-alpha" "destinationAlpha acts like destinationColor" in ["api.blend.destinationAlpha", "api.blend"]:
        Raster(|raster| instead(&mut raster.blend.0, BlendFactor::DestinationAlpha, BlendFactor::DestinationColor));
    "color-mask-ignored" "every channel is written" in ["api.color_mask", "api"]:
        Raster(|raster| raster.color_mask = [true; 4]);
    "color-mask-off-by-one" "each flag of the colour mask applies to the next channel" in ["api.color_mask", "api"]:
        Raster(|raster| raster.color_mask.rotate_right(1));
    "depth-always-written" "the depth mask is ignored" in ["api.depth", "depth"]:
        Raster(|raster| raster.depth_write = true);
    "depth-test-ignored" "the depth test always passes" in ["api.depth", "depth"]:
        Raster(|raster| raster.depth_compare = CompareMode::Always);
    "depth-equal-passes" "less acts like lessEqual" in ["api.depth.less", "api.depth", "depth"]:
        Raster(|raster| instead(&mut raster.depth_compare, CompareMode::Less, CompareMode::LessEqual));
    "depth-reversed" "less and greater are exchanged in the depth test" in ["api.depth", "depth"]:
        Raster(|raster| swap(&mut raster.depth_compare, CompareMode::Less, CompareMode::Greater));
    "culling-swapped" "front and back are exchanged in culling" in ["api.culling", "api.cull"]:
        Raster(|raster| swap(&mut raster.cull, TriangleFace::Front, TriangleFace::Back));
    "culling-ignored" "no face is culled" in ["api.culling", "api.cull"]:
        Raster(|raster| raster.cull = TriangleFace::None);
    "stencil-faces-swapped" "the stencil state of front and back faces is exchanged" in ["stencil.two_sided", "stencil"]:
        Raster(|raster| std::mem::swap(&mut raster.stencil_front, &mut raster.stencil_back));
    "stencil-read-mask-ignored" "the stencil test compares all bits" in ["stencil"]:
        Raster(|raster| raster.stencil_read_mask = 255);
    "stencil-write-mask-ignored" "stencil actions write all bits" in ["stencil.action.zero.both_pass.write_15", "stencil"]:
        Raster(|raster| raster.stencil_write_mask = 255);
    "stencil-reference-lost" "the stencil reference is 0" in ["stencil"]:
        Raster(|raster| raster.stencil_reference = 0);
    "stencil-failures-swapped" "the actions for a failed stencil test and a failed depth test are exchanged" in ["stencil.action.zero.depth_fail", "stencil"]:
        Raster(|raster| each_face(raster, |face| std::mem::swap(&mut face.stencil_fail, &mut face.depth_fail)));
    "stencil-saturation-lost" "incrementSaturate acts like incrementWrap" in ["stencil.action.incrementSaturate.both_pass.write_255", "stencil"]:
        Raster(|raster| each_face(raster, |face| {
            instead(&mut face.both_pass, StencilAction::IncrementSaturate, StencilAction::IncrementWrap);
        }));
    "stencil-reversed" "less and greater are exchanged in the stencil test" in ["stencil.compare.greater", "stencil"]:
        Raster(|raster| swap(&mut raster.stencil_front.compare, CompareMode::Less, CompareMode::Greater));
    "scissor-ignored" "the scissor rectangle is ignored" in ["api.scissor", "scissor"]:
        Draw(|draw| draw.scissor = None);
    "scissor-from-below" "the scissor rectangle is measured from the bottom" in ["api.scissor", "scissor"]:
        Scissor(|scissor, height| scissor.y = height.saturating_sub(scissor.y + scissor.height));
    "wireframe-filled" "the fill mode is ignored" in ["api.fill_mode", "api.fill"]:
        Raster(|raster| raster.fill = FillMode::Solid);

    // Deliberate errors of samplers.
    "wrap-ignored" "every texture is clamped" in ["texture.wrap.nearest.mipnone.repeat", "texture.wrap", "texture"]:
        Sampler(|sampler| sampler.wrap = WrapMode::Clamp);
    "wrap-axes-swapped" "mixed wrap modes apply to the wrong axis" in ["texture.wrap.nearest.mipnone.clamp_u_repeat_v", "texture.wrap", "texture"]:
        Sampler(|sampler| swap(&mut sampler.wrap, WrapMode::ClampURepeatV, WrapMode::RepeatUClampV));
    "filter-ignored" "every filter acts like nearest" in ["texture.filter.linear", "texture.filter", "texture"]:
        Sampler(|sampler| sampler.filter = TextureFilter::Nearest);
    "anisotropy-ignored" "anisotropic filters act like linear" in ["texture.anisotropy", "texture.filter", "texture"]:
        Sampler(|sampler| {
            if sampler.filter != TextureFilter::Nearest {
                sampler.filter = TextureFilter::Linear;
            }
        });
    "mips-ignored" "only mip level 0 is sampled" in ["texture.mip", "texture"]:
        Sampler(|sampler| sampler.mip = MipFilter::None);
    "mips-not-blended" "miplinear acts like mipnearest" in ["texture.mip.level", "texture.mip", "texture"]:
        Sampler(|sampler| instead(&mut sampler.mip, MipFilter::Linear, MipFilter::Nearest));
    "mips-half-a-level-larger" "mipnearest has a bias of minus half a level" in ["texture.mip.half", "texture"]:
        SamplerOperand(|sampler| {
            if sampler.mip == Mip::Nearest.code() {
                sampler.bias = sampler.bias.saturating_sub(4);
            }
        });
    "lod-bias-lost" "the program's bias is ignored" in ["texture.bias", "texture"]:
        SamplerOperand(|sampler| sampler.bias = 0);

    // Deliberate errors of vertex and index data.
    "first-index-lost" "every draw starts at index 0" in ["api.draw", "api", "draw"]:
        Draw(|draw| draw.first_index = 0);
    "last-triangle-lost" "draws of several triangles omit the last triangle" in ["api.draw", "api"]:
        Draw(|draw| {
            if draw.index_count > 3 {
                draw.index_count -= 3;
            }
        });
    "one-instance" "only the first instance is drawn" in ["api.instancing", "api", "instancing"]:
        Draw(|draw| draw.instances = 1);
    "padding-lost" "vertex buffers have no zeros after their end" in ["vertex.short"]:
        Lost(|packet| matches!(packet, Packet::PadVertexBuffer { .. }));
    "stream-offset-lost" "attributes have offset 0" in ["vertex", "api"]:
        Stream(|stream| stream.offset = 0);
    "w-of-vertices-lost" "float4 is read as float3" in ["vertex.format.float4", "vertex", "api"]:
        Stream(|stream| instead(&mut stream.format, VertexFormat::Float4, VertexFormat::Float3));
    "y-of-vertices-lost" "float2 is read as float1" in ["vertex.format.float2", "vertex", "api"]:
        Stream(|stream| instead(&mut stream.format, VertexFormat::Float2, VertexFormat::Float1));
    "vertices-in-the-wrong-place" "partial uploads of a vertex buffer have offset 0" in ["vertex.upload", "vertex", "api"]:
        Offset(|offset| *offset = 0);
    "upside-down" "y is mirrored" in ["api.culling", "api"]:
        Position(|program| change_position(program, &[(AgalOpcode::Neg, "y", None)]));
    "depth-from-minus-one" "the clip space of z is -w to w" in ["api.depth.clear", "api.depth", "depth", "api.clip"]:
        Position(|program| {
            change_position(program, &[(AgalOpcode::Add, "z", Some(Component::W)), (AgalOpcode::Add, "xyw", None)]);
        });
    "position-varies" "w of longer vertex programs is off by a unit in the last place" in ["agal.position.invariant"]:
        Position(|program| {
            if program.instructions().len() > 3 {
                change_position(program, &[(AgalOpcode::Rcp, "w", None); 2]);
            }
        });
    "not-perspective" "varyings are interpolated without perspective" in ["raster.perspective", "raster", "varying", "api"]:
        Position(|program| change_position(program, &[(AgalOpcode::Div, "xyzw", Some(Component::W))]));

    // Deliberate errors of render targets.
    "clear-keeps-depth" "clears don't clear depth" in ["api.clear.mask_0", "api.clear", "clear"]:
        Clear(|clear| clear.depth = None);
    "clear-keeps-stencil" "clears don't clear stencil" in ["api.clear.mask_4", "api.clear", "clear"]:
        Clear(|clear| clear.stencil = None);
    "clear-without-alpha" "clears set alpha to 1" in ["api.clear", "clear"]:
        Clear(|clear| clear.color = clear.color.map(|[r, g, b, _]| [r, g, b, 1.0]));
    "clear-lost" "clears do nothing" in ["api.clear", "clear"]:
        Clear(|clear| *clear = packets::Clear::default());
    "no-antialiasing" "the back buffer has one sample" in ["api.antialias.edges.2", "api.antialias", "antialias"]:
        BackBuffer(|buffer| buffer.samples = 1);
    "no-antialiasing-in-textures" "texture targets have one sample" in ["rtt.antialias.edges", "rtt", "antialias"]:
        Target(|target| target.samples = 1);
    "no-depth-buffer" "the back buffer has no depth and stencil" in ["api.depth", "depth"]:
        BackBuffer(|buffer| buffer.depth_stencil = false);
    "no-depth-in-textures" "texture targets have no depth and stencil" in ["rtt.depth", "rtt"]:
        Target(|target| target.depth_stencil = false);
    "one-output" "the second colour output is lost" in ["rtt.mrt.2", "rtt.mrt", "rtt"]:
        Target(|target| target.color[1] = None);
    "unwritten-outputs" "draws change render targets that their program doesn't write" in ["rtt.mrt.fewer_outputs", "rtt"]:
        Draw(|draw| draw.state.outputs = 15);
    "target-face-swapped" "the cube faces +X and -X are exchanged as render targets" in ["rtt.cube", "rtt"]:
        Target(|target| {
            for attachment in target.color.iter_mut().flatten() {
                swap(&mut attachment.side, 0, 1);
            }
        });
    "target-stays" "the render target is always the back buffer" in ["rtt"]:
        Pass(|pass| pass.target = packets::RenderTarget::BackBuffer);
    "samples-not-loaded" "passes don't load the samples of antialiased textures" in ["rtt.antialias", "rtt"]:
        Pass(|pass| pass.load_samples = false);
    "samples-not-resolved" "antialiased textures are not resolved" in ["rtt.antialias", "rtt"]:
        Lost(|packet| matches!(packet, Packet::EndPass { .. }));
    "mips-not-made" "mip levels of render targets are not generated" in ["rtt.mips", "rtt", "texture.mip"]:
        Lost(|packet| matches!(packet, Packet::GenerateMips { .. }));
    "read-upside-down" "pixels are read from bottom to top" in ["api.back_buffer"]:
        Pixels(|pixels, width| {
            let rows: Vec<u8> = pixels.chunks(width.max(1) * 4).rev().flatten().copied().collect();
            pixels.copy_from_slice(&rows);
        });
    "read-opaque" "alpha is read as 1" in ["api.back_buffer"]:
        Pixels(|pixels, _| pixels.as_chunks_mut::<4>().0.iter_mut().for_each(|pixel| pixel[3] = 255));
    "read-shifted" "read pixels are shifted to the left by one" in ["api.drawToBitmapData"]:
        Pixels(|pixels, width| pixels.chunks_mut(width.max(1) * 4).for_each(|row| row.rotate_left(4.min(row.len()))));

    // Deliberate errors of uploaded texels.
    "cube-faces-swapped" "the cube faces +X and -X are exchanged in uploads" in ["texture.cube", "texture"]:
        Texels(|texels| {
            if texels.kind == TextureKind::Cube {
                swap(&mut texels.side, 0, 1);
            }
        });
    "texels-upside-down" "rows are uploaded from bottom to top" in ["texture"]:
        Texels(|texels| texels.upside_down());
    "red-for-blue" "red and blue are exchanged in bgra texels" in ["texture"]:
        Texels(|texels| texels.each_of::<4>(&[TexelLayout::Bgra8], |texel| texel.swap(0, 2)));
    "packed-bytes-swapped" "16-bit texels are big endian" in ["texture.format.bgrPacked565", "texture.format", "texture"]:
        Texels(|texels| texels.each_of::<2>(&[TexelLayout::Bgr565, TexelLayout::Bgra4444], |texel| texel.swap(0, 1)));
    "halves-coarse" "half floats have a four-bit fraction" in ["texture.format.rgbaHalfFloat", "texture.format", "texture"]:
        Texels(|texels| texels.each_of::<2>(&[TexelLayout::RgbaHalf], |half| half[0] &= 0xc0));
    "block-ends-swapped" "the two colours of DXT blocks are exchanged" in ["texture.atf"]:
        Texels(|texels| {
            texels.each_of::<8>(&[TexelLayout::Dxt1], |block| block[..4].rotate_left(2));
            texels.each_of::<16>(&[TexelLayout::Dxt5], |block| block[8..12].rotate_left(2));
        });
    "block-alpha-lost" "DXT5 blocks are opaque" in ["texture.atf.dxt5", "texture.atf"]:
        Texels(|texels| texels.each_of::<16>(&[TexelLayout::Dxt5], |block| {
            block[..8].copy_from_slice(&[255, 255, 0, 0, 0, 0, 0, 0]);
        }));
    "decoded-blocks-swapped" "decoded blocks are in column order instead of row order" in ["texture.atf.pvrtc", "texture.atf"]:
        Texels(|texels| {
            if texels.layout == TexelLayout::Bgra8 {
                texels.exchange_blocks(4);
            }
        });
    "levels-empty" "all uploaded mip levels except the first are zero" in ["texture.mip", "texture"]:
        Texels(|texels| {
            if texels.level > 0 {
                texels.data.fill(0);
            }
        });

    // Deliberate errors of shader constants.
    "constants-stale" "registers keep their first values" in ["api.constants.kept.vertex.between_draws", "api.constants", "constants", "api"]:
        StaleConstants;
    "last-constant-lost" "uploads of several registers omit the last register" in ["api.constants.vertex.register_127", "api.constants", "constants", "api"]:
        Constants(|values, _| {
            if values.len() > 1 {
                values.pop();
            }
        });

    // Deliberate errors of shader programs.
    "mask-off-by-one" "write masks of temporaries are rotated by one component" in ["agal.op", "agal"]:
        Token(shift_mask);
    "swizzle-reversed" "the swizzle of the first source is reversed" in ["agal.op", "agal"]:
        Token(reverse_swizzle);
    "add-subtracts" "add acts like sub" in ["agal.op.add"]:
        Token(|token| replace(token, AgalOpcode::Add, AgalOpcode::Sub));
    "min-is-max" "min acts like max" in ["agal.op.min"]:
        Token(|token| replace(token, AgalOpcode::Min, AgalOpcode::Max));
    "slt-is-sge" "slt acts like sge" in ["agal.op.slt"]:
        Token(|token| replace(token, AgalOpcode::Slt, AgalOpcode::Sge));
    "dp3-with-w" "dp3 acts like dp4" in ["agal.op.dp3"]:
        Token(|token| replace(token, AgalOpcode::Dp3, AgalOpcode::Dp4));
    "rsq-is-rcp" "rsq acts like rcp" in ["agal.op.rsq"]:
        Token(|token| replace(token, AgalOpcode::Rsq, AgalOpcode::Rcp));
    "saturation-lost" "sat acts like mov" in ["agal.op.sat"]:
        Token(|token| to_move(token, AgalOpcode::Sat));
    "fraction-lost" "frc acts like mov" in ["agal.op.frc"]:
        Token(|token| to_move(token, AgalOpcode::Frc));
    "kill-by-another" "kil reads the w component" in ["agal.op.kil"]:
        Token(|token| {
            if token.opcode() == Some(AgalOpcode::Kil) {
                token.source1.swizzle = Swizzle::new([Component::W; 4]);
            }
        });
    "slope-turned" "ddx acts like ddy" in ["agal.op.ddx"]:
        Token(|token| replace(token, AgalOpcode::Ddx, AgalOpcode::Ddy));
    "branch-turned" "ife acts like ine" in ["agal.op.ife", "agal"]:
        Token(|token| replace(token, AgalOpcode::Ife, AgalOpcode::Ine));
    "index-truncated" "an index of 1.6 reads vc1" in ["agal.indirect.fraction"]:
        Position(truncate_indices);
    "address-offset-lost" "va[n + 3] reads va[n]" in ["agal.indirect", "agal"]:
        Token(|token| token.source1.offset = 0);
}
