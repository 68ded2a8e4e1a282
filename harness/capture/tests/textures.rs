//! Tests texture folders: each uploaded texture is written once, and files with matching names replace textures.

use std::fs;
use std::path::Path;

use context3d::backend::NullBackend;
use context3d::enums::{EnumArg, TextureFormat};
use context3d::packets::Packet;
use context3d::{Context3D, ContextOptions, Profile};
use molehill_capture::{EnhancedBackend, Sharpness, png};

/// Two rows of two texels: B, G, R, A.
const TEXELS: [u8; 16] = [1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 128];
/// The size and XXH3-64 of [`TEXELS`].
const NAME: &str = "2x2-5304ea4aa79bfa03.png";

/// Uploads [`TEXELS`] twice through an [`EnhancedBackend`]. Returns the widths of the backend's textures, and the
/// uploads.
fn upload(sharpness: &Sharpness) -> (Vec<u32>, Vec<Vec<u8>>) {
    let layer = sharpness.over(NullBackend::new());
    let options = ContextOptions { profile: Profile::Standard, swf_version: 50 };
    let mut context: Context3D<EnhancedBackend<NullBackend>> = Context3D::new(layer, options);
    let format = EnumArg::Is(TextureFormat::Bgra);
    let texture = context.create_texture(2, 2, format, false, 0).expect("a texture");
    for _ in 0..2 {
        let uploaded = context.texture_upload_from_byte_array(texture, Some(&TEXELS), 0, None, 0);
        uploaded.expect("texels");
    }
    let (mut made, mut uploads) = (Vec::new(), Vec::new());
    for packet in context.backend().below().packets() {
        match packet {
            Packet::CreateTexture { desc, .. } => made.push(desc.width),
            Packet::UploadTexture { data, .. } => uploads.push(data.to_vec()),
            _ => {}
        }
    }
    (made, uploads)
}

fn write(path: &Path, size: (u32, u32), rgba: &[u8]) {
    png::encode(fs::File::create(path).expect("a file"), size, rgba).expect("a picture");
}

#[test]
fn uploads_become_files_and_files_textures() {
    let folder = std::env::temp_dir().join(format!("molehill-textures-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let dump = Sharpness { dump: Some(folder.clone()), ..Sharpness::default() };
    assert_eq!(upload(&dump).0, [2]);
    let files: Vec<_> = fs::read_dir(&folder).expect("files").collect();
    let names: Vec<_> =
        files.iter().map(|file| file.as_ref().expect("a file").file_name()).collect();
    assert_eq!(names, [NAME]);
    let file = std::io::BufReader::new(fs::File::open(folder.join(NAME)).expect("the file"));
    let (width, height, rgba) = png::decode(file).expect("a picture");
    assert_eq!(
        (width, height, &rgba[..4], &rgba[12..]),
        (2, 2, &[3, 2, 1, 255][..], &[12, 11, 10, 128][..])
    );

    // A replacement with one scale for width and height gets mip levels down to 1×1.
    let replaced = Sharpness { textures: Some(folder.clone()), ..Sharpness::default() };
    write(&folder.join(NAME), (6, 6), &[10, 20, 30, 40].repeat(36));
    let (made, uploads) = upload(&replaced);
    assert_eq!(made, [2, 6, 6]);
    assert_eq!(uploads[..2], [TEXELS.to_vec(), [30, 20, 10, 40].repeat(36)]);
    let sizes: Vec<_> = uploads[1..4].iter().map(|level| level.len() / 4).collect();
    assert_eq!(sizes, [36, 9, 1]);

    // An unusable file is ignored, and the program's texture is drawn.
    for size in [(4, 6), (3, 3), (1, 1)] {
        write(&folder.join(NAME), size, &vec![0; (size.0 * size.1 * 4) as usize]);
        assert_eq!(upload(&replaced).0, [2], "{size:?}");
    }
    let whole = fs::read(folder.join(NAME)).expect("a file");
    for broken in [&whole[..whole.len() / 2], b"", b"no picture"] {
        fs::write(folder.join(NAME), broken).expect("a file");
        assert_eq!(upload(&replaced).0, [2]);
    }
    let missing = Sharpness { textures: Some(folder.join("none")), ..Sharpness::default() };
    assert_eq!(upload(&missing).0, [2]);
    fs::remove_dir_all(&folder).expect("the folder");
}
