//! Files from anywhere: ATF, its LZMA records, JPEG-XR.

use agal::Profile;
use arbitrary::{Arbitrary, Unstructured};

use crate::atf::{Atf, AtfError, Header, lzma};
use crate::command::Command;
use crate::context::{Context3D, ContextOptions};
use crate::error::Error;
use crate::jxr::{self, JxrErrorKind, Limits, Samples};
use crate::packet::TexelLayout;
use crate::script::Contract;

/// Largest side of what is decoded. Larger pictures only take longer.
const MOST_SIDE: u32 = 256;

/// How far an error may stand behind the data, in bits: what a macroblock of four channels can have at most.
const MOST_BEHIND: u64 = 4 * 256 * 64;

/// Any bytes as a JPEG-XR file: a whole picture within the limits, or an error that came no later than a macroblock after
/// the data's end.
pub fn jxr(data: &[u8]) {
    let limits = Limits {
        width: MOST_SIDE,
        height: MOST_SIDE,
    };
    match jxr::decode(data, &limits) {
        Ok(picture) => {
            let (width, height) = (picture.width, picture.height);
            assert!((1..=MOST_SIDE).contains(&width) && (1..=MOST_SIDE).contains(&height));
            let bytes = match &picture.samples {
                Samples::Bytes(bytes) => bytes.len(),
                Samples::Words(words) => words.len() * 2,
            };
            assert!(bytes == width as usize * height as usize * picture.format.bytes());
            let smaller = Limits {
                width: width - 1,
                height,
            };
            let refused = jxr::decode(data, &smaller).map_err(|error| error.kind);
            assert!(refused == Err(JxrErrorKind::TooLarge(width, height)));
        }
        Err(error) => assert!(error.bit <= data.len() as u64 * 8 + MOST_BEHIND, "{error}"),
    }
}

/// Any bytes as an LZMA record, and a good record that is damaged: as many bytes as were asked for, or an error.
pub fn lzma_record(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let given = <(u16, Vec<(u16, u8)>, Option<u16>)>::arbitrary(&mut u);
    let Ok((size, damage, cut)) = given else {
        return;
    };
    let rest = u.take_rest();
    let check = |record: &[u8], size: usize| match lzma::decode(record, size) {
        Ok(bytes) => assert!(bytes.len() == size),
        Err(error) => assert!(matches!(error, AtfError::Damaged(_)), "{error}"),
    };
    check(rest, size.into());
    let mut record = Vec::new();
    // Writing to memory doesn't fail.
    let _ = lzma_rs::lzma_compress(&mut &*rest, &mut record);
    record.drain(5..13.min(record.len()));
    assert!(lzma::decode(&record, rest.len()).as_deref() == Ok(rest));
    assert!(lzma::decode(&record, rest.len() + 1).is_err());
    for (place, value) in damage {
        let length = record.len();
        if let Some(byte) = record.get_mut(usize::from(place) % length) {
            *byte = value;
        }
    }
    if let Some(cut) = cut {
        record.truncate(cut.into());
    }
    check(&record, rest.len());
}

/// Any bytes as an ATF file: every level has as many texels as its size says or is an error, and a texture takes all of it
/// or stays as it was.
pub fn atf(data: &[u8]) {
    let Ok(atf) = Atf::open(data) else { return };
    let header = atf.header();
    assert!(header.width <= 4096 && header.height <= 4096 && header.levels() <= header.count);
    let small = header.width.max(header.height) <= MOST_SIDE;
    let mut images = 0;
    for image in atf.images() {
        images += 1;
        let Ok(image) = image else { break };
        assert!(image.side < header.faces() && image.level < header.levels());
        for layout in [TexelLayout::Bgra8, TexelLayout::Dxt1, TexelLayout::Dxt5] {
            if let (true, Ok(Some(texels))) = (small, image.texels(layout)) {
                assert!(texels.len() == layout.bytes(image.width, image.height));
            }
        }
    }
    // Six faces of 13 levels.
    assert!(images <= 78);
    if small {
        upload(data, header);
    }
}

/// Uploads a file to a texture made for it.
fn upload(data: &[u8], header: &Header) {
    let options = ContextOptions {
        profile: Profile::Enhanced,
        swf_version: 50,
    };
    let mut context = Context3D::new(Contract::new(), options);
    let side = |side: u32| i32::try_from(side).unwrap_or(i32::MAX);
    let (width, height) = (side(header.width), side(header.height));
    let format = header.format.texture();
    let made = match header.cube {
        true => context.create_cube_texture(width, format),
        false => context.create_texture(width, height, format),
    };
    // Formats that the version doesn't have, for one.
    let Ok(texture) = made else { return };
    context.backend_mut().log.clear();
    let command = Command::TextureUploadCompressedFromByteArray {
        texture,
        data: Some(data),
        byte_array_offset: 0,
        is_async: false,
    };
    match context.execute(&command) {
        Ok(_) => {}
        Err(Error::Flash(_) | Error::Unsupported(_)) => {
            assert!(context.backend().log.is_empty());
        }
        Err(error) => panic!("{error}"),
    }
}
