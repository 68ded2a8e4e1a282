//! Mip levels of render targets and of streaming textures.

use context3d::enums::{MipFilter, TextureFilter, TextureFormat, WrapMode};
use context3d::keys::TextureKey;
use context3d::packets::Packet;
use context3d::{ErrorCode, Invocation, ObjectHandle, Reply};

use crate::common::{Rig, TEXTURED, legal};

/// Binds a texture to sampler 0 of a program that samples with mip mapping.
fn mip_mapped(rig: &mut Rig, texture: ObjectHandle<TextureKey>) {
    rig.use_program(TEXTURED, 1);
    legal(rig.context.set_texture_at(0, Some(texture)));
    let (filter, mip) = (TextureFilter::Linear, MipFilter::Linear);
    legal(rig.context.set_sampler_state_at(0, WrapMode::Clamp, filter, mip));
}

fn generated(rig: &mut Rig) -> usize {
    let packets = rig.packets();
    let generated = packets.iter().filter(|p| matches!(p, Packet::GenerateMips { .. }));
    generated.count()
}

/// [context3d.target.mips] [context3d.target.mips_when]
#[test]
fn smaller_levels_are_made_when_a_draw_first_needs_them() {
    let mut rig = Rig::baseline();
    let texture = rig.target(8, TextureFormat::Bgra);
    let render = |rig: &mut Rig| {
        legal(rig.context.set_texture_at(0, None));
        legal(rig.context.set_render_to_texture(Some(texture), false, 0, 0, 0));
        legal(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
        legal(rig.context.set_render_to_back_buffer());
        mip_mapped(rig, texture);
        rig.packets();
    };
    render(&mut rig);
    legal(rig.draw());
    assert_eq!(generated(&mut rig), 1);
    legal(rig.draw());
    assert_eq!(generated(&mut rig), 0);
    // After new rendering, a draw generates the mip levels again only if its sampler uses mip mapping.
    render(&mut rig);
    let (filter, mip) = (TextureFilter::Linear, MipFilter::None);
    legal(rig.context.set_sampler_state_at(0, WrapMode::Clamp, filter, mip));
    legal(rig.draw());
    assert_eq!(generated(&mut rig), 0);
    mip_mapped(&mut rig, texture);
    legal(rig.draw());
    assert_eq!(generated(&mut rig), 1);
    // A draw doesn't replace a mip level that was uploaded after rendering. The upload first generates all mip levels.
    render(&mut rig);
    legal(rig.context.texture_upload_from_byte_array(texture, Some(&[1; 64]), 0, None, 1));
    assert_eq!(generated(&mut rig), 1);
    legal(rig.draw());
    assert_eq!(generated(&mut rig), 0);
}

/// [context3d.level.streaming]
#[test]
fn a_streaming_texture_is_drawn_without_its_largest_levels() {
    let mut rig = Rig::baseline();
    let created = rig.context.execute(&Invocation::CreateTexture {
        width: 16,
        height: 16,
        format: TextureFormat::Bgra.into(),
        optimize_for_render_to_texture: false,
        streaming_levels: 2,
    });
    let Reply::Texture(texture) = legal(created) else { panic!("no texture") };
    mip_mapped(&mut rig, texture);
    for level in [4, 3, 2] {
        assert_eq!(
            rig.draw(),
            Ok(Reply::Skipped(ErrorCode::IncompleteTexture)),
            "before level {level}"
        );
        legal(rig.context.texture_upload_from_byte_array(texture, Some(&[0; 64]), 0, None, level));
    }
    assert_eq!(rig.draw(), Ok(Reply::Done));
    let (filter, mip) = (TextureFilter::Linear, MipFilter::None);
    legal(rig.context.set_sampler_state_at(0, WrapMode::Clamp, filter, mip));
    assert_eq!(rig.draw(), Ok(Reply::Skipped(ErrorCode::IncompleteStreaming)));
    legal(rig.context.texture_upload_from_byte_array(texture, Some(&[0; 1024]), 0, None, 0));
    assert_eq!(rig.draw(), Ok(Reply::Done));
}

/// Returns the face and the levels of each `GenerateMips` packet, in order.
fn made(rig: &mut Rig) -> Vec<(u8, u16)> {
    let packets = rig.packets();
    let made = packets.iter().filter_map(|packet| match packet {
        Packet::GenerateMips { side, levels, .. } => Some((*side, *levels)),
        _ => None,
    });
    made.collect()
}

/// [context3d.target.mips_uploads]
#[test]
fn uploads_into_a_target_stay() {
    let mut rig = Rig::baseline();
    let texture = rig.target(8, TextureFormat::Bgra);
    let target = |rig: &mut Rig| {
        legal(rig.context.set_texture_at(0, None));
        legal(rig.context.set_render_to_texture(Some(texture), false, 0, 0, 0));
    };
    let sample = |rig: &mut Rig| {
        legal(rig.context.set_render_to_back_buffer());
        mip_mapped(rig, texture);
        assert_eq!(rig.draw(), Ok(Reply::Done));
        made(rig)
    };
    target(&mut rig);
    legal(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
    legal(rig.context.texture_upload_from_byte_array(texture, Some(&[1; 64]), 0, None, 1));
    // The upload call first generates all mip levels from the content of level 0.
    assert_eq!(made(&mut rig), [(0, 0b1110)]);
    assert_eq!(sample(&mut rig), []);
    // After new rendering, a draw doesn't generate the uploaded mip level 1.
    target(&mut rig);
    legal(rig.context.texture_upload_from_byte_array(texture, Some(&[1; 64]), 0, None, 1));
    legal(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
    assert_eq!(sample(&mut rig), [(0, 0b1100)]);
    // If the texture becomes the render target again, a draw generates mip level 1 in spite of its earlier upload.
    target(&mut rig);
    legal(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
    assert_eq!(sample(&mut rig), [(0, 0b1110)]);
}

/// Rendering to one face doesn't change the levels of other faces.
#[test]
fn faces_have_levels_of_their_own() {
    let mut rig = Rig::baseline();
    let cube = legal(rig.context.create_cube_texture(4, TextureFormat::Bgra, false, 0));
    let fragment = TEXTURED.1.replace("<2d,linear,clamp,mipnone>", "<cube,linear,clamp,miplinear>");
    let levels = |rig: &mut Rig, side: u32| {
        for (level, bytes) in (0u32..).zip([64, 16, 4]) {
            let data = &[7; 64][..bytes];
            legal(rig.context.texture_upload_from_byte_array(
                cube,
                Some(data),
                0,
                Some(side),
                level,
            ));
        }
    };
    (0..5).for_each(|side| levels(&mut rig, side));
    legal(rig.context.texture_upload_from_byte_array(cube, Some(&[5; 64]), 0, Some(5), 0));
    legal(rig.context.set_render_to_texture(Some(cube), false, 0, 3, 0));
    legal(rig.context.clear(0.0, 0.0, 0.0, 0.0, 1.0, 0, u32::MAX));
    legal(rig.context.set_render_to_back_buffer());
    rig.use_program((TEXTURED.0, &fragment), 1);
    legal(rig.context.set_texture_at(0, Some(cube)));
    assert_eq!(rig.draw(), Ok(Reply::Skipped(ErrorCode::IncompleteTexture)));
    rig.packets();
    levels(&mut rig, 5);
    assert_eq!(made(&mut rig), []);
    assert_eq!(rig.draw(), Ok(Reply::Done));
    assert_eq!(made(&mut rig), [(3, 0b110)]);
}
